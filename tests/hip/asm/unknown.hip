// SPDX-License-Identifier: MIT
// An instruction that is in no table: the message names it and the line.
// OPT: -O3
// ARCH: gfx1100
// ISA: avx512
// EXPECT-OUTPUT: unknown.hip:14: inline assembly: v_frobnicate_b32: is not supported
#include "../check.h"

__global__ void
kernel(int *out)
{
    int x;
    (void)x;
    asm volatile("v_mov_b32 %0, 1\n\tv_frobnicate_b32 %0, %0" : "=v"(x));
    out[threadIdx.x] = x;
}

int
main()
{
    kernel<<<1, 32>>>(nullptr);
    CHECK(hipGetLastError() != hipSuccess);
    return 0;
}
