// SPDX-License-Identifier: MIT
// A private array of variable length: the message names it and the line.
// OPT: -O3
// ARCH: gfx1100
// ISA: avx512
// EXPECT-OUTPUT: variable_array.hip:12: array of variable length
#include "../check.h"

__global__ void
kernel(int *out, int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i * (int)threadIdx.x;
    for (int i = 0; i < n; i++)
        out[i] += a[i * 7 % n];
}

int
main()
{
    kernel<<<1, 32>>>(nullptr, 5);
    CHECK(hipGetLastError() != hipSuccess);
    return 0;
}
