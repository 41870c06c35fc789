/* SPDX-License-Identifier: MIT */
/* CUDA's runtime and driver by HIP's: what cuda_runtime.h, cuda.h and their kin have in common.
 * Most names are macros (lockstep_cuda/names.h, made of the table of names); here is what a macro
 * cannot say. docs/cuda.md is the guide. */
#ifndef LOCKSTEP_CUDA_CORE_H
#define LOCKSTEP_CUDA_CORE_H

#include <hip/hip_runtime.h>

#include <lockstep_cuda/names.h>
#include <lockstep_cuda/versions.h>

#define CUDA_CB
#define CUDAAPI
#define CUDARTAPI
#define CUDART_CB
#define CUDART_DEVICE
#define __grid_constant__
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define __specialization_static static
#define __CUDA_ALIGN__(n)       __align__(n)
#ifndef __nv_pure__
#define __nv_pure__
#endif

/* CUDA's second value is a number of blocks, HIP's one of warps: the first alone has a meaning for
 * the program. */
#ifdef __launch_bounds__
#undef __launch_bounds__
#if __HIP_CLANG_ONLY__
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#else
#define __launch_bounds__(...)
#endif
#endif

#ifdef __cplusplus
/* Functions that are overloaded in CUDA, and have several names or other defaults in HIP */

#undef cudaEventCreate
#undef cudaMallocHost
#undef cudaGraphInstantiate
#undef cudaLaunchKernel

static inline hipError_t
cudaEventCreate(hipEvent_t *event)
{
    return hipEventCreate(event);
}

static inline hipError_t
cudaEventCreate(hipEvent_t *event, unsigned int flags)
{
    return hipEventCreateWithFlags(event, flags);
}

template <class T>
static inline hipError_t
cudaMallocHost(T **ptr, size_t size, unsigned int flags = hipHostMallocDefault)
{
    return ::hipHostMalloc((void **)ptr, size, flags);
}

static inline hipError_t
cudaGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags = 0)
{
    return hipGraphInstantiateWithFlags(exec, graph, flags);
}

static inline hipError_t
cudaGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *node, char *log,
                     size_t size)
{
    return hipGraphInstantiate(exec, graph, node, log, size);
}

template <class T>
static inline hipError_t
cudaLaunchKernel(const T *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0,
                 hipStream_t stream = 0)
{
    return (::hipLaunchKernel)((const void *)kernel, grid, block, args, shared, stream);
}

/* CUDA 13's forms, which take a place where the older ones take a device: 12 has them as _v2. */
#undef cudaMemPrefetchAsync
#undef cudaMemPrefetchAsync_v2
#undef cudaMemAdvise
#undef cudaMemAdvise_v2

/* The device's number; that of the host is hipCpuDeviceId. */
static inline int
ls_cuda_device_of(hipMemLocation place)
{
    return place.type == hipMemLocationTypeDevice ? place.id : hipCpuDeviceId;
}

static inline hipError_t
cudaMemPrefetchAsync(const void *ptr, size_t size, int device, hipStream_t stream = 0)
{
    return hipMemPrefetchAsync(ptr, size, device, stream);
}

static inline hipError_t
cudaMemPrefetchAsync(const void *ptr, size_t size, hipMemLocation place, unsigned int flags,
                     hipStream_t stream = 0)
{
    return flags ? hipErrorInvalidValue
                 : hipMemPrefetchAsync(ptr, size, ls_cuda_device_of(place), stream);
}

static inline hipError_t
cudaMemAdvise(const void *ptr, size_t size, hipMemoryAdvise advice, int device)
{
    return hipMemAdvise(ptr, size, advice, device);
}

static inline hipError_t
cudaMemAdvise(const void *ptr, size_t size, hipMemoryAdvise advice, hipMemLocation place)
{
    return hipMemAdvise(ptr, size, advice, ls_cuda_device_of(place));
}

#define cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync
#define cudaMemAdvise_v2        cudaMemAdvise

#include <lockstep/cuda/driver.h>
#if __HIP_CLANG_ONLY__
#include <lockstep/cuda/device.h>
#endif
#endif

#endif
