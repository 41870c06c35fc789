/* SPDX-License-Identifier: MIT */
/* bfloat16 on NVIDIA's platform: CUDA's types. */
#ifndef HIP_NVIDIA_DETAIL_HIP_BF16_H
#define HIP_NVIDIA_DETAIL_HIP_BF16_H

#include <cuda_bf16.h>

#ifdef __cplusplus
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
typedef __nv_bfloat16_raw __hip_bfloat16_raw;
typedef __nv_bfloat162_raw __hip_bfloat162_raw;

#ifdef __CUDACC__
__device__ inline __hip_bfloat16
unsafeAtomicAdd(__hip_bfloat16 *address, __hip_bfloat16 value)
{
    return atomicAdd(address, value);
}

__device__ inline __hip_bfloat162
unsafeAtomicAdd(__hip_bfloat162 *address, __hip_bfloat162 value)
{
    return atomicAdd(address, value);
}
#endif
#endif

#endif
