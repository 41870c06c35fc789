/* SPDX-License-Identifier: MIT */
/* HIP's kernel language on NVIDIA's platform: CUDA's, and the names that HIP has besides. */
#ifndef HIP_NVIDIA_DETAIL_HIP_RUNTIME_H
#define HIP_NVIDIA_DETAIL_HIP_RUNTIME_H

#define HIP_INCLUDE_HIP_HIP_RUNTIME_H /* AMD's guards */
#define HIP_INCLUDE_HIP_NVIDIA_DETAIL_HIP_RUNTIME_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread> /* programs take std::chrono from here */
#include <tuple>
#include <type_traits>
#include <utility>
#else
#include <math.h>
#endif

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>

typedef int hipLaunchParm;
typedef hipLaunchParm hipGridLaunch;

#define HIP_KERNEL_NAME(...)        __VA_ARGS__
#define HIP_SYMBOL(symbol)          ((const void *)&(symbol)) /* AMD's platform: it itself */
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define hip_launch_bounds           __launch_bounds__
#define __hip_launch_bounds         __launch_bounds__

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x  blockIdx.x
#define hipBlockIdx_y  blockIdx.y
#define hipBlockIdx_z  blockIdx.z
#define hipBlockDim_x  blockDim.x
#define hipBlockDim_y  blockDim.y
#define hipBlockDim_z  blockDim.z
#define hipGridDim_x   gridDim.x
#define hipGridDim_y   gridDim.y
#define hipGridDim_z   gridDim.z

#if defined(__CUDACC__) && defined(__cplusplus)
#define hipLaunchKernelGGLInternal(kernel, grid, block, sharedMemBytes, stream, ...) \
    do { \
        kernel<<<(grid), (block), (sharedMemBytes), (stream)>>>(__VA_ARGS__); \
    } while (0)
#define hipLaunchKernelGGL(kernel, ...) hipLaunchKernelGGLInternal((kernel), __VA_ARGS__)

#include <hip/nvidia_detail/launch_parm.h>
#include <hip/nvidia_detail/nvidia_hip_atomics.h>
#include <hip/nvidia_detail/warp_functions.h>
#endif

#endif
