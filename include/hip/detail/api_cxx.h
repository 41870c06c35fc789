/* SPDX-License-Identifier: MIT */
/* C++ overloads of the API: typed pointers, kernels and symbols by name. */
#ifndef HIP_DETAIL_API_CXX_H
#define HIP_DETAIL_API_CXX_H

#ifndef __HIP_PLATFORM_NVIDIA__
#include <hip/detail/graph_api.h>
#endif

namespace hip_impl {
/* The address that the API takes for a kernel. */
template <class F>
inline const void *
ls_kernel_address(F kernel)
{
    return reinterpret_cast<const void *>(kernel);
}
} // namespace hip_impl

#ifndef __HIP_DISABLE_CPP_FUNCTIONS__

/* Memory */

template <class T>
static inline hipError_t
hipMalloc(T **ptr, size_t size)
{
    return ::hipMalloc((void **)ptr, size);
}

template <class T>
static inline hipError_t
hipMallocPitch(T **ptr, size_t *pitch, size_t width, size_t height)
{
    return ::hipMallocPitch((void **)ptr, pitch, width, height);
}

template <class T>
static inline hipError_t
hipHostMalloc(T **ptr, size_t size, unsigned int flags = hipHostMallocDefault)
{
    return ::hipHostMalloc((void **)ptr, size, flags);
}

template <class T>
static inline hipError_t
hipHostAlloc(T **ptr, size_t size, unsigned int flags = hipHostAllocDefault)
{
    return ::hipHostAlloc((void **)ptr, size, flags);
}

template <class T>
static inline hipError_t
hipExtHostAlloc(T **ptr, size_t size, unsigned int flags = hipHostAllocDefault)
{
    return ::hipExtHostAlloc((void **)ptr, size, flags);
}

template <class T>
static inline hipError_t
hipMallocHost(T **ptr, size_t size)
{
    return ::hipMallocHost((void **)ptr, size);
}

template <class T>
static inline hipError_t
hipMallocManaged(T **ptr, size_t size, unsigned int flags = hipMemAttachGlobal)
{
    return ::hipMallocManaged((void **)ptr, size, flags);
}

#endif

template <class T>
static inline hipError_t
hipMallocAsync(T **ptr, size_t size, hipStream_t stream)
{
    return ::hipMallocAsync((void **)ptr, size, stream);
}

static inline hipError_t
hipMallocAsync(void **ptr, size_t size, hipMemPool_t pool, hipStream_t stream)
{
    return ::hipMallocFromPoolAsync(ptr, size, pool, stream);
}

template <class T>
static inline hipError_t
hipMallocAsync(T **ptr, size_t size, hipMemPool_t pool, hipStream_t stream)
{
    return ::hipMallocFromPoolAsync((void **)ptr, size, pool, stream);
}

template <class T>
static inline hipError_t
hipMallocFromPoolAsync(T **ptr, size_t size, hipMemPool_t pool, hipStream_t stream)
{
    return ::hipMallocFromPoolAsync((void **)ptr, size, pool, stream);
}

/* Symbols: T is a __device__ or __constant__ variable, not a pointer to one. */

template <class T>
static inline hipError_t
hipGetSymbolAddress(void **ptr, const T &symbol)
{
    return ::hipGetSymbolAddress(ptr, (const void *)&symbol);
}

template <class T>
static inline hipError_t
hipGetSymbolSize(size_t *size, const T &symbol)
{
    return ::hipGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
static inline hipError_t
hipMemcpyToSymbol(const T &symbol, const void *src, size_t size, size_t offset = 0,
                  hipMemcpyKind kind = hipMemcpyHostToDevice)
{
    return ::hipMemcpyToSymbol((const void *)&symbol, src, size, offset, kind);
}

template <class T>
static inline hipError_t
hipMemcpyToSymbolAsync(const T &symbol, const void *src, size_t size, size_t offset,
                       hipMemcpyKind kind, hipStream_t stream = 0)
{
    return ::hipMemcpyToSymbolAsync((const void *)&symbol, src, size, offset, kind, stream);
}

template <class T>
static inline hipError_t
hipMemcpyFromSymbol(void *dst, const T &symbol, size_t size, size_t offset = 0,
                    hipMemcpyKind kind = hipMemcpyDeviceToHost)
{
    return ::hipMemcpyFromSymbol(dst, (const void *)&symbol, size, offset, kind);
}

template <class T>
static inline hipError_t
hipMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t size, size_t offset, hipMemcpyKind kind,
                         hipStream_t stream = 0)
{
    return ::hipMemcpyFromSymbolAsync(dst, (const void *)&symbol, size, offset, kind, stream);
}

/* Kernels */

template <class F>
static inline hipError_t
hipFuncGetAttributes(hipFuncAttributes *attr, F *kernel)
{
    return ::hipFuncGetAttributes(attr, hip_impl::ls_kernel_address(kernel));
}

template <class F>
static inline hipError_t
hipFuncSetAttribute(F *kernel, hipFuncAttribute attr, int value)
{
    return ::hipFuncSetAttribute(hip_impl::ls_kernel_address(kernel), attr, value);
}

template <class F>
static inline hipError_t
hipFuncSetCacheConfig(F *kernel, hipFuncCache_t config)
{
    return ::hipFuncSetCacheConfig(hip_impl::ls_kernel_address(kernel), config);
}

template <class F>
static inline hipError_t
hipLaunchKernel(F *kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMemBytes = 0,
                hipStream_t stream = 0)
{
    return ::hipLaunchKernel(hip_impl::ls_kernel_address(kernel), gridDim, blockDim, args,
                             sharedMemBytes, stream);
}

template <class F>
static inline hipError_t
hipLaunchCooperativeKernel(F kernel, dim3 gridDim, dim3 blockDim, void **args,
                           unsigned int sharedMemBytes, hipStream_t stream)
{
    return ::hipLaunchCooperativeKernel(hip_impl::ls_kernel_address(kernel), gridDim, blockDim,
                                        args, sharedMemBytes, stream);
}

template <class F>
static inline hipError_t
hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *params, unsigned int numDevices,
                                      unsigned int flags = 0)
{
    return ::hipLaunchCooperativeKernelMultiDevice(params, (int)numDevices, flags);
}

template <class F>
static inline hipError_t
hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *params, unsigned int numDevices,
                                   unsigned int flags = 0)
{
    return ::hipExtLaunchMultiKernelMultiDevice(params, (int)numDevices, flags);
}

/* Occupancy */

template <class F>
static inline hipError_t
hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, F kernel,
                                  size_t dynSharedMemPerBlk = 0, int blockSizeLimit = 0)
{
    return ::hipOccupancyMaxPotentialBlockSize(gridSize, blockSize,
                                               hip_impl::ls_kernel_address(kernel),
                                               dynSharedMemPerBlk, blockSizeLimit);
}

template <class F>
static inline hipError_t
hipOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, F kernel,
                                           size_t dynSharedMemPerBlk = 0, int blockSizeLimit = 0,
                                           unsigned int flags = 0)
{
    (void)flags;
    return ::hipOccupancyMaxPotentialBlockSize(gridSize, blockSize,
                                               hip_impl::ls_kernel_address(kernel),
                                               dynSharedMemPerBlk, blockSizeLimit);
}

template <class F>
static inline hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, F kernel, int blockSize,
                                             size_t dynSharedMemPerBlk)
{
    return ::hipOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks, hip_impl::ls_kernel_address(kernel), blockSize, dynSharedMemPerBlk);
}

template <class F>
static inline hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, F kernel, int blockSize,
                                                      size_t dynSharedMemPerBlk,
                                                      unsigned int flags = hipOccupancyDefault)
{
    return ::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, hip_impl::ls_kernel_address(kernel), blockSize, dynSharedMemPerBlk, flags);
}

/* The block size with the most threads at once, where the dynamic LDS of a block depends on its
 * size: ldsOfBlock(threads) returns bytes. The smallest grid that fills the device goes to
 * *gridSize. */
template <class S, class F>
static inline hipError_t
hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *gridSize, int *blockSize, F kernel,
                                                       S ldsOfBlock, int blockSizeLimit = 0,
                                                       unsigned int flags = 0)
{
    const void *address = hip_impl::ls_kernel_address(kernel);
    if (!gridSize || !blockSize || !address)
        return hipErrorInvalidValue;

    int device = 0, warp = 0, n_units = 0;
    hipFuncAttributes attr;
    hipError_t err = ::hipGetDevice(&device);
    if (err == hipSuccess)
        err = ::hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, device);
    if (err == hipSuccess)
        err = ::hipDeviceGetAttribute(&n_units, hipDeviceAttributeMultiprocessorCount, device);
    if (err == hipSuccess)
        err = ::hipFuncGetAttributes(&attr, address);
    if (err != hipSuccess)
        return err;

    int limit = attr.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit)
        limit = blockSizeLimit;

    int best = 0, best_block = 0, best_blocks = 0;
    for (int rounded = (limit + warp - 1) / warp * warp; rounded > 0; rounded -= warp) {
        int threads = rounded < limit ? rounded : limit;
        int blocks = 0;
        err = ::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, address, threads,
                                                                      ldsOfBlock(threads), flags);
        if (err != hipSuccess)
            return err;
        if (blocks * threads > best) {
            best = blocks * threads;
            best_block = threads;
            best_blocks = blocks;
        }
    }
    *gridSize = best_blocks * n_units;
    *blockSize = best_block;
    return hipSuccess;
}

template <class S, class F>
static inline hipError_t
hipOccupancyMaxPotentialBlockSizeVariableSMem(int *gridSize, int *blockSize, F kernel, S ldsOfBlock,
                                              int blockSizeLimit = 0)
{
    return hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(gridSize, blockSize, kernel,
                                                                  ldsOfBlock, blockSizeLimit);
}

#ifndef __HIP_PLATFORM_NVIDIA__
/* Texture references */

#define LS_HIP_TEX \
    template <class T, int Dim, enum hipTextureReadMode Mode> static inline hipError_t

LS_HIP_TEX
hipBindTexture(size_t *offset, const struct texture<T, Dim, Mode> &tex, const void *ptr,
               size_t size = UINT_MAX)
{
    return ::hipBindTexture(offset, &tex, ptr, &tex.channelDesc, size);
}

LS_HIP_TEX
hipBindTexture(size_t *offset, const struct texture<T, Dim, Mode> &tex, const void *ptr,
               const struct hipChannelFormatDesc &desc, size_t size = UINT_MAX)
{
    return ::hipBindTexture(offset, &tex, ptr, &desc, size);
}

LS_HIP_TEX
hipBindTexture2D(size_t *offset, const struct texture<T, Dim, Mode> &tex, const void *ptr,
                 size_t width, size_t height, size_t pitch)
{
    return ::hipBindTexture2D(offset, &tex, ptr, &tex.channelDesc, width, height, pitch);
}

LS_HIP_TEX
hipBindTexture2D(size_t *offset, const struct texture<T, Dim, Mode> &tex, const void *ptr,
                 const struct hipChannelFormatDesc &desc, size_t width, size_t height, size_t pitch)
{
    return ::hipBindTexture2D(offset, &tex, ptr, &desc, width, height, pitch);
}

LS_HIP_TEX
hipBindTextureToArray(const struct texture<T, Dim, Mode> &tex, hipArray_const_t array,
                      const struct hipChannelFormatDesc &desc)
{
    return ::hipBindTextureToArray(&tex, array, &desc);
}

LS_HIP_TEX
hipBindTextureToArray(const struct texture<T, Dim, Mode> &tex, hipArray_const_t array)
{
    struct hipChannelFormatDesc desc;
    hipError_t err = ::hipGetChannelDesc(&desc, array);
    return err == hipSuccess ? ::hipBindTextureToArray(&tex, array, &desc) : err;
}

LS_HIP_TEX
hipBindTextureToMipmappedArray(const struct texture<T, Dim, Mode> &tex,
                               hipMipmappedArray_const_t array,
                               const struct hipChannelFormatDesc &desc)
{
    return ::hipBindTextureToMipmappedArray(&tex, array, &desc);
}

LS_HIP_TEX
hipBindTextureToMipmappedArray(const struct texture<T, Dim, Mode> &tex,
                               hipMipmappedArray_const_t array)
{
    struct hipChannelFormatDesc desc;
    hipArray_t level = nullptr;
    hipError_t err = ::hipGetMipmappedArrayLevel(&level, array, 0);
    if (err == hipSuccess)
        err = ::hipGetChannelDesc(&desc, level);
    return err == hipSuccess ? ::hipBindTextureToMipmappedArray(&tex, array, &desc) : err;
}

LS_HIP_TEX
hipUnbindTexture(const struct texture<T, Dim, Mode> &tex)
{
    return ::hipUnbindTexture(&tex);
}

#undef LS_HIP_TEX
#endif

#endif
