/* SPDX-License-Identifier: MIT */
/* The code object that module_api.hip loads: hipcc --genco vcpy_kernel.hip -o vcpy_kernel.code */
#include <hip/hip_runtime.h>

__device__ int calls;

extern "C" __global__ void
hello_world(const float *a, float *b)
{
    int i = threadIdx.x;

    b[i] = a[i];
    atomicAdd(&calls, 1);
}
