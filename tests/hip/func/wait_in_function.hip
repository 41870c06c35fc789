/* SPDX-License-Identifier: MIT */
// ENV: LOCKSTEP_INLINE=1
// OPT: -O3
// ISA: native
// TIMEOUT: 120
/* Functions that wait are called from several places of a program that is too large to take all
 * functions in: the loop around a poll, and the poll itself in a loop of the caller. Each warp
 * waits for the next one, so who does not let others run waits for ever. */
#include "../check.h"

static const int N = 256;

__device__ __attribute__((noinline)) void
wait_for(volatile int *flag, int value)
{
    while (*flag != value)
        ;
}

__device__ __attribute__((noinline)) int
poll(int *flag)
{
    return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void
from_last_to_first(int *turn, int *order)
{
    int warp = (int)threadIdx.x / warpSize, n = (int)blockDim.x / warpSize;

    wait_for(turn, n - 1 - warp);
    if (threadIdx.x % warpSize == 0) {
        order[n - 1 - warp] = warp;
        __threadfence();
        atomicAdd(turn, 1);
    }
    wait_for(turn, n);
    while (poll(turn + 1) != n - 1 - warp)
        ;
    if (threadIdx.x % warpSize == 0)
        atomicAdd(turn + 1, 1);
    while (poll(turn + 1) != n)
        ;
}

int
main()
{
    int warp, *turn, *order, got[N], turns[2];

    CHECK_HIP(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
    CHECK_HIP(hipMalloc((void **)&turn, 2 * sizeof(int)));
    CHECK_HIP(hipMalloc((void **)&order, N * sizeof(int)));
    CHECK_HIP(hipMemset(turn, 0, 2 * sizeof(int)));
    from_last_to_first<<<1, N>>>(turn, order);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got, order, sizeof(got), hipMemcpyDeviceToHost));
    CHECK_HIP(hipMemcpy(turns, turn, sizeof(turns), hipMemcpyDeviceToHost));
    int n = N / warp;
    for (int i = 0; i < n; i++)
        CHECK(got[i] == n - 1 - i);
    CHECK(turns[0] == n && turns[1] == n);
    return 0;
}
