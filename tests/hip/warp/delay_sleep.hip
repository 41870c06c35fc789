/* SPDX-License-Identifier: MIT */
/* A delay that sleeps in each turn of its loop is a delay, where each block has a thread of its
 * own, too: a turn that yields twice would be seen half as a turn that doesn't look at the
 * clock. */
// ENV: LOCKSTEP_SPIN_LIMIT=1 LOCKSTEP_THREADS=16
// ISA: sse2
// OPT: -O0
#include "../check.h"

__global__ void
delay(int *out, long long ticks)
{
    long long start = wall_clock64();

    while (wall_clock64() - start < ticks)
        __builtin_amdgcn_s_sleep(1);
    __syncthreads();
    out[global_id()] = (int)threadIdx.x;
}

int
main()
{
    constexpr int blocks = 12, threads = 96;
    Dev<int> out(blocks * threads);
    std::vector<int> want;
    int khz = 0;

    for (int i = 0; i < blocks * threads; i++)
        want.push_back(i % threads);
    CHECK_HIP(hipDeviceGetAttribute(&khz, hipDeviceAttributeWallClockRate, 0));
    delay<<<blocks, threads>>>(out.p, 1300LL * khz);
    CHECK_HIP(hipDeviceSynchronize());
    check_same("delay", out.get(), want);
    return 0;
}
