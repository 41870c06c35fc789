/* SPDX-License-Identifier: MIT */
/* The runtime opened late, by a program that does not link it: plugins and language bindings do
 * so. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>

#include "unit/test.h"

/* Fails when the library's thread-local storage outgrows what the loader keeps in reserve. */
LS_TEST(thread_local_storage_is_small)
{
    char exe[PATH_MAX] = "", path[PATH_MAX + 32];
    int (*get_count)(int *), n = 0;
    void *dl, *sym;

    REQUIRE(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
    snprintf(path, sizeof(path), "%s/../../lib/libamdhip64.so.6", dirname(exe));
    dl = dlopen(path, RTLD_NOW);
    if (!dl)
        fprintf(stderr, "%s\n", dlerror());
    REQUIRE(dl);
    sym = dlsym(dl, "hipGetDeviceCount");
    REQUIRE(sym);
    memcpy(&get_count, &sym, sizeof(sym));
    EXPECT_EQ(get_count(&n), 0);
    EXPECT_EQ(n, 1);
}

static void *
open_library(const char *name)
{
    char exe[PATH_MAX] = "", path[PATH_MAX + 64];

    REQUIRE(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
    snprintf(path, sizeof(path), "%s/../../lib/%s", dirname(exe), name);
    return dlopen(path, RTLD_NOW);
}

static void *
symbol(void *dl, const char *name)
{
    void *sym = dlsym(dl, name);

    REQUIRE(sym);
    return sym;
}

/* Device work, so that threads of the library run. */
static void
work(void *dl)
{
    int (*allocate)(void **, size_t) = NULL, (*fill)(void *, int, size_t, void *) = NULL,
                             (*wait)(void) = NULL,
                             (*copy)(void *, const void *, size_t, int) = NULL;
    unsigned char last = 0;
    char *p = NULL;

    *(void **)&allocate = symbol(dl, "hipMalloc");
    *(void **)&fill = symbol(dl, "hipMemsetAsync");
    *(void **)&wait = symbol(dl, "hipDeviceSynchronize");
    *(void **)&copy = symbol(dl, "hipMemcpy");
    EXPECT_EQ(allocate((void **)&p, 64 << 20), 0);
    EXPECT_EQ(fill(p, 7, 64 << 20, NULL), 0);
    EXPECT_EQ(wait(), 0);
    EXPECT_EQ(copy(&last, p + (64 << 20) - 1, 1, 4), 0);
    EXPECT_EQ(last, 7);
}

/* Its threads, and what it left to be called when threads and the process end, need its code: it
 * stays. */
LS_TEST(closed_and_opened_again)
{
    static const char *const others[] = {"libhiprtc.so.6", "liblockstep-compiler.so"};
    void *dl = open_library("libamdhip64.so.6"), *again;

    REQUIRE(dl);
    work(dl);
    EXPECT_EQ(dlclose(dl), 0);
    usleep(20000);
    again = open_library("libamdhip64.so.6");
    REQUIRE(again);
    work(again);
    EXPECT_EQ(dlclose(again), 0);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        dl = open_library(others[i]);
        if (!dl)
            continue; /* a sanitizer's build may have none */
        void *stays = symbol(dl, i == 0 ? "hiprtcVersion" : "ls_compile_kernel");

        EXPECT_EQ(dlclose(dl), 0);
        Dl_info info;

        EXPECT(dladdr(stays, &info) != 0 && info.dli_sname); /* still mapped */
    }
}
