/* SPDX-License-Identifier: MIT */
/* The runtime opened late, by a program that does not link it: plugins and language bindings do so. */
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
