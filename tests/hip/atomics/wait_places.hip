/* SPDX-License-Identifier: MIT */
/* Warps that wait for each other at many places: a pass over all of them is repeated until nothing
 * is left, and an element is ready when its neighbour is, which is another warp's or another
 * block's. */
// TIMEOUT: 120
#include "../check.h"

#define N     400
#define BLOCK 128

__global__ void
by_volatile(volatile int *ready, int n)
{
    bool again;

    do {
        again = false;
        for (int i = (int)global_id(); i < n; i += (int)(gridDim.x * blockDim.x)) {
            if (ready[i])
                continue;
            if (i == n - 1 || ready[i + 1])
                ready[i] = 1;
            else
                again = true;
        }
    } while (again);
}

/* Ordinary loads that a fence keeps in the loop. */
__global__ void
by_fence(int *ready, int n)
{
    bool done = false;

    while (!done) {
        done = true;
        __threadfence();
        for (int i = (int)global_id(); i < n; i += (int)(gridDim.x * blockDim.x)) {
            if (!ready[i]) {
                if (i == n - 1 || ready[i + 1])
                    ready[i] = 1;
                else
                    done = false;
            }
        }
    }
}

/* The inner loop looks how far the warps behind this one are. */
__global__ void
by_count(volatile int *ready, int n)
{
    const int i = (int)global_id();

    if (i >= n)
        return;
    for (;;) {
        int k = (i / warpSize + 1) * warpSize;

        while (k < n && ready[k])
            k++;
        if (k >= n)
            break;
    }
    ready[i] = 1;
}

/* A lane's lock in a loop with a flag: others of the block hold it. */
__global__ void
by_lock(int *lock, volatile int *sum)
{
    bool done = false;

    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *sum = *sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
        __threadfence();
    }
}

int
main()
{
    const std::vector<int> want(N, 1);
    Dev<int> ready(N), lock(2);

    for (unsigned blocks = 1; blocks <= 2; blocks++) {
        ready.zero();
        by_volatile<<<blocks, BLOCK>>>(ready, N);
        check_same("volatile", ready.get(), want);
        ready.zero();
        by_fence<<<blocks, BLOCK>>>(ready, N);
        check_same("fence", ready.get(), want);
    }
    ready.zero();
    by_count<<<4, BLOCK>>>(ready, N);
    check_same("count", ready.get(), want);
#ifndef __OPTIMIZE__ /* else clang lets the release leave the loop */
    by_lock<<<2, BLOCK>>>(lock, lock + 1);
    check_same("lock", lock.get(), std::vector<int>{0, 2 * BLOCK});
#endif
    return 0;
}
