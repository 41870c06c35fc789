/* SPDX-License-Identifier: MIT */
/* Processes end, whatever kernels, streams and callbacks still wait for, and whatever has
 * failed. */
// ARCH: gfx1100
// OPT: -O3
// ISA: avx2
// TIMEOUT: 250
// ENV: LOCKSTEP_SPIN_LIMIT=0
#include "../check.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void
wait_for(volatile int *flag, volatile long long *time, bool looks)
{
    while (*flag == 0)
        if (looks)
            *time = wall_clock64();
}

__global__ void
bad_address(int *p)
{
    *p = 1;
}

__global__ void
store(int *p)
{
    *p = 1;
}

__global__ void
take_long(int *p, long n)
{
    long sum = 0;

    for (long i = 0; i < n; i++) /* hours of it, that wait for nobody */
        sum += p[i * 7919 & 1023];
    p[0] = (int)sum;
}

static void
leave(void *)
{
    exit(3);
}

/* Exit codes: 3 in all that end, so that an early end by another way is seen. */
static int
child(const char *what)
{
    hipStream_t a, b;
    int *p;

    alarm(30);
    CHECK_HIP(hipHostMalloc((void **)&p, 4096, 0));
    memset(p, 0, 4096);
    CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    if (!strcmp(what, "exit in a callback")) {
        CHECK_HIP(hipLaunchHostFunc(a, leave, nullptr));
        for (;;)
            pause();
    } else if (!strcmp(what, "exit before a value comes")) {
        CHECK_HIP(hipStreamWaitValue32(a, p, 1, hipStreamWaitValueEq, ~0u));
    } else if (!strcmp(what, "exit before a kernel's flag comes")) {
        wait_for<<<1, 1, 0, a>>>(p, (long long *)(p + 2), false);
    } else if (!strcmp(what, "exit before a kernel's flag comes, and it looks at the clock")) {
        wait_for<<<1, 1, 0, a>>>(p, (long long *)(p + 2), true);
    } else if (!strcmp(what, "exit with work under way")) {
        store<<<1, 1, 0, a>>>(p);
    } else if (!strcmp(what, "exit with a long kernel under way")) {
        take_long<<<1, 64, 0, a>>>(p, 1L << 50);
    } else if (!strcmp(what, "what is waited for has failed")) {
        wait_for<<<1, 1, 0, a>>>(p, (long long *)(p + 2), true);
        bad_address<<<1, 1, 0, b>>>((int *)16);
        CHECK_ERR(hipDeviceSynchronize(), hipErrorIllegalAddress);
    } else if (!strcmp(what, "fork")) {
        store<<<1, 1>>>(p);
        CHECK_HIP(hipDeviceSynchronize());
        pid_t pid = fork();
        int status;
        if (pid == 0) {
            alarm(20);
            CHECK_ERR(hipDeviceSynchronize(), hipErrorNotInitialized);
            CHECK_ERR(hipLaunchHostFunc(nullptr, leave, nullptr), hipErrorNotInitialized);
            exit(3);
        }
        waitpid(pid, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
    } else {
        return 5;
    }
    exit(3);
}

int
main(int argc, char **argv)
{
    static const char *const all[] = {
        "exit in a callback",
        "exit before a value comes",
        "exit before a kernel's flag comes",
        "exit before a kernel's flag comes, and it looks at the clock",
        "exit with work under way",
        "exit with a long kernel under way",
        "what is waited for has failed",
        "fork"};
    int bad = 0;

    if (argc > 1)
        return child(argv[1]);
    for (const char *what : all) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            execl("/proc/self/exe", argv[0], what, (char *)nullptr);
            _exit(6);
        }
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 3) {
            fprintf(stderr, "%s: status %#x\n", what, status);
            bad = 1;
        }
    }
    return bad;
}
