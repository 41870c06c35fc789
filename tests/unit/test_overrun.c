/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Kernels that write beyond their memory: said when it is freed, an error in strict mode, a fault
 * where the memory is large; nothing of it where they stay inside. Each in a process of its own. */
#include "unit/test.h"

#include <sys/wait.h>

#include "unit/support/peek.h"
#include "unit/support/setup.h"

enum sort { DEVICE, MANAGED, HOST, POOL, EXPORTED, N_SORTS };

static const char *const names[N_SORTS] = {
    "device memory (hipMalloc)",   "managed memory (hipMallocManaged)",
    "host memory (hipHostMalloc)", "memory of a pool (hipMallocAsync)",
    "device memory (hipMalloc)",
};

struct act {
    enum sort sort;
    size_t bytes;     /* allocated */
    unsigned written; /* floats */
    bool strict;
    hipError_t err; /* of the wait behind the kernel */
};

static float *
get(enum sort sort, size_t bytes)
{
    hipIpcMemHandle_t handle;
    float *p = NULL;

    switch (sort) {
    case MANAGED:
        OK(hipMallocManaged((void **)&p, bytes, hipMemAttachGlobal));
        break;
    case HOST:
        OK(hipHostMalloc((void **)&p, bytes, hipHostMallocDefault));
        break;
    case POOL:
        OK(hipMallocAsync((void **)&p, bytes, NULL));
        break;
    default:
        OK(hipMalloc((void **)&p, bytes));
        break;
    }
    if (sort == EXPORTED)
        OK(hipIpcGetMemHandle(&handle, p));
    return p;
}

static void
put(enum sort sort, float *p)
{
    if (sort == HOST)
        OK(hipHostFree(p));
    else if (sort == POOL)
        OK(hipFreeAsync(p, NULL));
    else
        OK(hipFree(p));
}

static void
act(const struct act *a)
{
    float *in, *p, two = 2;
    unsigned n = a->written;

    setenv("LOCKSTEP_STRICT", a->strict ? "1" : "0", 1);
    set_up();
    OK(hipHostMalloc((void **)&in, (size_t)n * 4, hipHostMallocDefault));
    in[n - 1] = 1;
    p = get(a->sort, a->bytes);
    OK(launch("scale", (n + 255) / 256, 256, (void *[]){&p, &in, &two, &n}, NULL));
    EXPECT_EQ(hipDeviceSynchronize(), a->err);
    if (a->err == hipSuccess) {
        put(a->sort, p);
        OK(hipDeviceSynchronize());
    } else {
        OK(hipDeviceReset());
    }
}

/* What it says. */
static void
run(const struct act *a, char *text, size_t bytes)
{
    int fds[2], status = 0;
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    REQUIRE(pipe(fds) == 0);
    pid = fork();
    if (pid == 0) {
        dup2(fds[1], 2);
        act(a);
        _exit(ls_test_failures ? 1 : 0);
    }
    close(fds[1]);
    while (n + 1 < bytes && (got = read(fds[0], text + n, bytes - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    close(fds[0]);
    REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
    if (status)
        fprintf(stderr, "%s", text);
    EXPECT_EQ(status, 0);
}

static void
expect_said(const struct act *a, const char *what)
{
    char text[4096], want[256];

    run(a, text, sizeof(text));
    snprintf(want, sizeof(want), "overrun: %zu bytes of %s at ", a->bytes, names[a->sort]);
    if (!strstr(text, want) || !strstr(text, what))
        fprintf(stderr, "said: %s\n", text);
    EXPECT(strstr(text, want) != NULL);
    EXPECT(strstr(text, what) != NULL);
    want[8] = 0;
    EXPECT(strstr(strstr(text, want) + 1, want) == NULL); /* once */
}

LS_TEST(said_when_freed)
{
    static const size_t bytes[] = {4, 256, 4000, 4096, 65536, 1 << 20};

    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
        struct act a = {.bytes = bytes[i], .written = (unsigned)bytes[i] / 4 + 1};
        char what[128];

        snprintf(what, sizeof(what), "byte %zu to byte %zu lie behind its end", bytes[i],
                 bytes[i] + 3);
        for (a.sort = DEVICE; a.sort <= POOL; a.sort++)
            expect_said(&a, what);
    }
    expect_said(&(struct act){.bytes = 1024, .written = 1024}, "and maybe more");
}

LS_TEST(intact)
{
    static const size_t bytes[] = {4, 4000, 4096, 1 << 20, 8 << 20, (8 << 20) + 4, 64 << 20};
    char text[4096];

    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
        for (int sort = 0; sort < (i < 4 ? N_SORTS : 1); sort++)
            for (int strict = 0; strict < 2; strict++) {
                run(&(struct act){(enum sort)sort, bytes[i], (unsigned)(bytes[i] / 4), strict,
                                  hipSuccess},
                    text, sizeof(text));
                EXPECT_STR(text, "");
            }
}

LS_TEST(an_error_in_strict_mode)
{
    for (int sort = DEVICE; sort <= POOL; sort++)
        expect_said(&(struct act){(enum sort)sort, 4096, 1025, true, hipErrorIllegalAddress},
                    "by kernel scale: byte 4096");
}

LS_TEST(large_memory_ends_in_a_fault)
{
    static const size_t bytes[] = {8 << 20, 80 << 20};
    char text[4096];

    if (RUNNING_ON_VALGRIND)
        return; /* the bad access is the point */
    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
        run(&(struct act){.bytes = bytes[i],
                          .written = (unsigned)(bytes[i] / 4) + 1,
                          .err = hipErrorIllegalAddress},
            text, sizeof(text));
        EXPECT(strstr(text, "kernel scale: illegal memory access at address") != NULL);
        EXPECT(
            strstr(text,
                   i ? "0 bytes behind the end of 83886080 bytes of device memory (hipMalloc) at"
                     : "0 bytes behind the end of 8388608 bytes of device memory (hipMalloc) at") !=
            NULL);
    }
}

/* What was out of reach is memory again for the next one. */
LS_TEST(gaps_are_given_back)
{
    char *p, *q;

    set_up();
    for (int i = 0; i < 3; i++) {
        OK(hipMalloc((void **)&p, 8 << 20));
        OK(hipMalloc((void **)&q, 20 << 20));
        OK(hipFree(p));
        OK(hipFree(q));
        OK(hipMalloc((void **)&p, 30 << 20));
        OK(hipMemset(p, 1, 30 << 20));
        OK(hipDeviceSynchronize());
        EXPECT_EQ(peek_byte(&p[(30 << 20) - 1]), 1);
        OK(hipFree(p));
    }
}
