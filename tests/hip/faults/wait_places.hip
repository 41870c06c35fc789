/* SPDX-License-Identifier: MIT */
/* What waits for ever is an error after a while, whatever the loop looks like. */
// TIMEOUT: 100
// ENV: LOCKSTEP_SPIN_LIMIT=2
#include "../check.h"

#include <sys/wait.h>
#include <unistd.h>

/* Nobody makes the last one ready. */
__global__ void
places(volatile int *ready, int n)
{
    bool again;

    do {
        again = false;
        for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
            if (!ready[i]) {
                if (ready[i + 1])
                    ready[i] = 1;
                else
                    again = true;
            }
    } while (again);
}

__global__ void
no_exit(volatile int *count)
{
    for (;;)
        *count = *count + 1;
}

static int
child(bool exits)
{
    int *p;

    if (hipMalloc((void **)&p, 1024) || hipMemset(p, 0, 1024))
        return 10;
    if (exits)
        places<<<1, 96>>>(p, 200);
    else
        no_exit<<<1, 96>>>(p);
    return hipDeviceSynchronize() == hipErrorLaunchFailure ? 0 : 11;
}

int
main()
{
    for (int exits = 0; exits < 2; exits++) {
        int status;
        pid_t pid = fork();

        if (pid == 0) {
            alarm(40);
            _exit(child(exits));
        }
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            FAIL("%s: status %#x", exits ? "places" : "no exit", status);
    }
    return 0;
}
