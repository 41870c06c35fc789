/* SPDX-License-Identifier: MIT */
/* A library of functions for the host that launch kernels: any C or C++ compiler links it (HIP
 * Programming Guide 3.3.7.10, type 1). */
#include <hip/hip_runtime.h>

#include "../common.h"

__global__ void
fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        p[i] = i * i;
}

extern "C" int
squares(int *out, int n)
{
    int *p;

    HIP_CHECK(hipMalloc(&p, n * sizeof(int)));
    fill<<<(n + 255) / 256, 256>>>(p, n);
    HIP_CHECK(hipMemcpy(out, p, n * sizeof(int), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(p));
    return n;
}
