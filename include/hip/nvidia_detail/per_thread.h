/* SPDX-License-Identifier: MIT */
/* The _spt forms on NVIDIA's platform, by per_thread.def. */
#ifndef HIP_NVIDIA_DETAIL_PER_THREAD_H
#define HIP_NVIDIA_DETAIL_PER_THREAD_H

#define LS_NV_OWN(stream) ((stream) ? (stream) : hipStreamPerThread)
#define LS_NV_PER_THREAD(name, params, args) \
    static inline hipError_t name##_spt params \
    { \
        return name args; \
    }
#define LS_NV_PER_THREAD_WAIT(name, async, params, args) \
    static inline hipError_t name##_spt params \
    { \
        hipError_t error = async args; \
        return error == hipSuccess ? hipStreamSynchronize(hipStreamPerThread) : error; \
    }
#include <hip/nvidia_detail/per_thread.def>
#undef LS_NV_PER_THREAD_WAIT
#undef LS_NV_PER_THREAD
#undef LS_NV_OWN

static inline hipError_t
hipMemcpyFromArray_spt(void *dst, hipArray_const_t src, size_t wOffsetSrc, size_t offset,
                       size_t count, hipMemcpyKind kind)
{
    cudaError_t error = cudaMemcpyFromArrayAsync(dst, src, wOffsetSrc, offset, count, kind,
                                                 cudaStreamPerThread);

    if (error == cudaSuccess)
        error = cudaStreamSynchronize(cudaStreamPerThread);
    return hipCUDAErrorTohipError(error);
}

static inline hipError_t
hipGetProcAddress_spt(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                      hipDriverProcAddressQueryResult *symbolStatus)
{
    return hipGetProcAddress(symbol, pfn, hipVersion,
                             flags | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, symbolStatus);
}

static inline hipError_t
hipGetDriverEntryPoint_spt(const char *symbol, void **funcPtr, unsigned long long flags,
                           hipDriverEntryPointQueryResult *driverStatus)
{
    return hipGetDriverEntryPoint(symbol, funcPtr, flags | cudaEnablePerThreadDefaultStream,
                                  driverStatus);
}

#endif
