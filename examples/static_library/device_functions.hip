/* SPDX-License-Identifier: MIT */
/* A library of device functions: relocatable code, which hipcc links with the kernels that call it
 * (HIP Programming Guide 3.3.7.10, type 2). */
#include <hip/hip_runtime.h>

__device__ int
cube(int v)
{
    return v * v * v;
}
