/* SPDX-License-Identifier: MIT */
/* Kernels that wait by the clock, for longer than a wait for other warps may last, end well; their
 * blocks are more than the cores, and the work of another stream goes on beside them. */
// ENV: LOCKSTEP_SPIN_LIMIT=1
#include "../check.h"

__device__ void
wait_ms(long long ms, long long khz)
{
    long long start = wall_clock64();

    while (wall_clock64() - start < ms * khz)
        __builtin_amdgcn_s_sleep(1);
}

__global__ void
delay(int *out, long long ms, long long khz)
{
    long long start = wall_clock64();

    wait_ms(ms, khz);
    __syncthreads();
    out[global_id()] = wall_clock64() - start >= ms * khz ? (int)threadIdx.x : -1;
}

/* Without s_sleep, and by the other clock. */
__global__ void
delay_cycles(int *out, long long cycles)
{
    long long start = clock64(), now;

    do
        now = clock64();
    while (now - start < cycles);
    out[global_id()] = now - start >= cycles ? (int)threadIdx.x : -1;
}

int
main()
{
    constexpr int blocks = 12, threads = 96;
    Dev<int> out(blocks * threads), beside(64);
    std::vector<int> want, few;
    hipStream_t a, b;
    int khz = 0;

    for (int i = 0; i < blocks * threads; i++)
        want.push_back(i % threads);
    for (int i = 0; i < 64; i++)
        few.push_back(i);
    CHECK_HIP(hipDeviceGetAttribute(&khz, hipDeviceAttributeWallClockRate, 0));
    CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    delay<<<blocks, threads, 0, a>>>(out.p, 1500, khz);
    delay<<<1, 64, 0, b>>>(beside.p, 0, khz);
    CHECK_HIP(hipStreamSynchronize(b));
    CHECK_HIP(hipStreamSynchronize(a));
    check_same("delay", out.get(), want);
    check_same("beside", beside.get(), few);
    delay_cycles<<<blocks, threads, 0, a>>>(out.p, 1000000);
    CHECK_HIP(hipStreamSynchronize(a));
    check_same("delay_cycles", out.get(), want);
    return 0;
}
