/* SPDX-License-Identifier: MIT */
/* A spin lock between lanes of one warp waits for ever on lockstep hardware: an error, not a silent
 * hang. */
// TIMEOUT: 60
// ENV: LOCKSTEP_SPIN_LIMIT=4
#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void
lane_lock(int *lock, int *counter)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    *(volatile int *)counter += 1;
    __threadfence();
    atomicExch(lock, 0);
}

/* Both ends are right: every lane got its turn, or an error said that none could. */
static int
child()
{
    int *p, got = 0;

    if (hipMalloc((void **)&p, 8) || hipMemset(p, 0, 8))
        return 10;
    lane_lock<<<1, 32>>>(p, p + 1);
    if (hipDeviceSynchronize() != hipSuccess)
        return 0;
    if (hipMemcpy(&got, p + 1, 4, hipMemcpyDeviceToHost))
        return 11;
    return got == 32 ? 0 : 12;
}

int
main()
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(40);
        _exit(child());
    }
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        FAIL("status %#x", status);
    return 0;
}
