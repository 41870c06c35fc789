/* SPDX-License-Identifier: MIT */
/* HIP's runtime API on NVIDIA's platform: inline functions around CUDA's runtime and driver.
 *
 * What is regular stands in tables: runtime.def and graph.def (CUDA's runtime), driver.def,
 * per_thread.def, values.def, errors.def, attributes.def, and absent.def for what CUDA has nothing
 * for. Needs CUDA 12.0 or later. C11 and C++11. */
#ifndef HIP_NVIDIA_DETAIL_HIP_RUNTIME_API_H
#define HIP_NVIDIA_DETAIL_HIP_RUNTIME_API_H

#define HIP_INCLUDE_HIP_NVIDIA_DETAIL_HIP_RUNTIME_API_H /* AMD's guard */

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#include <type_traits>

#include <cuda_runtime.h>
#endif
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#if CUDART_VERSION < 12000
#error "HIP on NVIDIA's platform needs CUDA 12.0 or later"
#endif

#include <hip/detail/host_defines.h>
#include <hip/hip_common.h>
#include <hip/hip_version.h>

#include <hip/nvidia_detail/types.h>

#include <hip/nvidia_detail/errors.h>

/* Functions that CUDA wants to drop are functions of HIP's still. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A device address as the driver has it. */
#define LS_NV_PTR(pointer) ((CUdeviceptr)(uintptr_t)(pointer))

#define LS_NV_RT(hip, cuda, params, args) \
    static inline hipError_t hip params \
    { \
        return hipCUDAErrorTohipError(cuda args); \
    }
#define LS_NV_NONE(hip, params) \
    static inline hipError_t hip params \
    { \
        return hipErrorNotSupported; \
    }
#define LS_NV_RT_NOT(hip, cuda, params, args) LS_NV_NONE(hip, params)
#if CUDART_VERSION >= 12020
#define LS_NV_RT_12020 LS_NV_RT
#else
#define LS_NV_RT_12020 LS_NV_RT_NOT
#define hipGraphNodeParams struct ls_nv_graph_node_params
struct ls_nv_graph_node_params;
#endif
#if CUDART_VERSION >= 12030
#define LS_NV_RT_12030 LS_NV_RT
#else
#define LS_NV_RT_12030 LS_NV_RT_NOT
#define hipGraphEdgeData struct ls_nv_graph_edge_data
struct ls_nv_graph_edge_data;
typedef unsigned long long hipGraphConditionalHandle;
#endif
#if CUDART_VERSION >= 12080
#define LS_NV_RT_12080 LS_NV_RT
#else
#define LS_NV_RT_12080 LS_NV_RT_NOT
#define hipLibraryOption int
#define hipMemcpyAttributes struct ls_nv_memcpy_attributes
#define hipMemcpy3DBatchOp ls_nv_memcpy_3d_op
struct ls_nv_memcpy_attributes;
struct ls_nv_memcpy_3d_op;
#endif
#if CUDART_VERSION >= 13000
#define LS_NV_RT_13000 LS_NV_RT
#else
#define LS_NV_RT_13000 LS_NV_RT_NOT
#endif

#include <hip/nvidia_detail/runtime.def>
#include <hip/nvidia_detail/graph.def>

/* The driver's function of that name, for the version of these headers. It is found once for each
 * place of use; the value of the expression is hipError_t. */
#define LS_NV_CU_AS(name, cu, args) \
    __extension__({ \
        static void *ls_nv_at; \
        hipError_t ls_nv_result = ls_nv_driver_find(name, &ls_nv_at); \
        if (ls_nv_result == hipSuccess) \
            ls_nv_result = hipCUResultTohipError(((__typeof__(&cu))ls_nv_at)args); \
        ls_nv_result; \
    })
#define LS_NV_CU(cu, args) LS_NV_CU_AS(#cu, cu, args)

/* *at is NULL, or what an earlier call found. */
static inline hipError_t
ls_nv_driver_find(const char *name, void **at)
{
    void *found = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    enum cudaDriverEntryPointQueryResult state = cudaDriverEntryPointSuccess;

    if (found)
        return hipSuccess;
#if CUDART_VERSION >= 12050
    cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, CUDA_VERSION,
                                                         cudaEnableDefault, &state);
#else
    cudaError_t error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &state);
#endif
    if (error != cudaSuccess)
        return hipCUDAErrorTohipError(error);
    if (state != cudaDriverEntryPointSuccess || !found)
        return hipErrorNotSupported;
    __atomic_store_n(at, found, __ATOMIC_RELEASE);
    return hipSuccess;
}

#define LS_NV_DRV(hip, cu, params, args) \
    static inline hipError_t hip params \
    { \
        return LS_NV_CU_AS(#cu, cu, args); \
    }
#define LS_NV_DRV_IN(hip, cu, params, args) \
    static inline hipError_t hip params \
    { \
        hipError_t error = LS_NV_CU_AS(#cu, cu, args); \
        if (error == hipErrorInvalidContext && cudaFree(0) == cudaSuccess) \
            error = LS_NV_CU_AS(#cu, cu, args); \
        return error; \
    }
#include <hip/nvidia_detail/driver.def>
#undef LS_NV_DRV
#undef LS_NV_DRV_IN

#include <hip/nvidia_detail/api_device.h>
#include <hip/nvidia_detail/api_memory.h>
#include <hip/nvidia_detail/api_stream.h>
#include <hip/nvidia_detail/api_launch.h>

#include <hip/nvidia_detail/absent.def>
#include <hip/nvidia_detail/per_thread.h>

#pragma GCC diagnostic pop

#undef LS_NV_RT
#undef LS_NV_RT_NOT
#undef LS_NV_RT_12020
#undef LS_NV_RT_12030
#undef LS_NV_RT_12080
#undef LS_NV_RT_13000
#undef LS_NV_NONE

#ifdef __cplusplus
#include <hip/detail/api_cxx.h>
#include <hip/nvidia_detail/nvidia_channel_descriptor.h>

/* hipDeviceptr_t is a number here, on AMD's platform a pointer: programs take one for the other. */
#define LS_NV_IF_NUMBER \
    template <class T> \
    static inline typename std::enable_if<std::is_same<T, hipDeviceptr_t>::value, hipError_t>::type
LS_NV_IF_NUMBER
hipFree(T ptr)
{
    return hipFree(reinterpret_cast<void *>(ptr));
}

LS_NV_IF_NUMBER
hipMemAddressReserve(T *ptr, size_t size, size_t alignment, hipDeviceptr_t addr,
                     unsigned long long flags)
{
    return hipMemAddressReserve(reinterpret_cast<void **>(ptr), size, alignment,
                                reinterpret_cast<void *>(addr), flags);
}

LS_NV_IF_NUMBER
hipMemAddressFree(T ptr, size_t size)
{
    return hipMemAddressFree(reinterpret_cast<void *>(ptr), size);
}

LS_NV_IF_NUMBER
hipMemMap(T ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
          unsigned long long flags)
{
    return hipMemMap(reinterpret_cast<void *>(ptr), size, offset, handle, flags);
}

LS_NV_IF_NUMBER
hipMemUnmap(T ptr, size_t size)
{
    return hipMemUnmap(reinterpret_cast<void *>(ptr), size);
}

LS_NV_IF_NUMBER
hipMemSetAccess(T ptr, size_t size, const hipMemAccessDesc *desc, size_t count)
{
    return hipMemSetAccess(reinterpret_cast<void *>(ptr), size, desc, count);
}
#undef LS_NV_IF_NUMBER

template <class T>
static inline hipError_t
hipModuleGetGlobal(T **dptr, size_t *bytes, hipModule_t hmod, const char *name)
{
    return hipModuleGetGlobal(reinterpret_cast<hipDeviceptr_t *>(dptr), bytes, hmod, name);
}
#endif

#endif
