/* SPDX-License-Identifier: MIT */
/* Memory on NVIDIA's platform: what the tables cannot say. */
#ifndef HIP_NVIDIA_DETAIL_API_MEMORY_H
#define HIP_NVIDIA_DETAIL_API_MEMORY_H

static inline hipError_t
hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr)
{
    struct cudaPointerAttributes cuda;
    unsigned int flags = 0;
    cudaError_t error;

    if (!attributes)
        return hipErrorInvalidValue;
    error = cudaPointerGetAttributes(&cuda, ptr);
    if (error != cudaSuccess)
        return hipCUDAErrorTohipError(error);
    if (cuda.type == cudaMemoryTypeHost && cudaHostGetFlags(&flags, (void *)ptr) != cudaSuccess)
        (void)cudaGetLastError();
    attributes->type = (enum hipMemoryType)cuda.type;
    attributes->device = cuda.device;
    attributes->devicePointer = cuda.devicePointer;
    attributes->hostPointer = cuda.hostPointer;
    attributes->isManaged = cuda.type == cudaMemoryTypeManaged;
    attributes->allocationFlags = flags;
    return hipSuccess;
}

static inline hipError_t
hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags)
{
    if (flags != hipDeviceMallocDefault && flags != hipDeviceMallocContiguous)
        return hipErrorNotSupported;
    return hipCUDAErrorTohipError(cudaMalloc(ptr, sizeBytes));
}

static inline hipError_t
hipMemPtrGetInfo(void *ptr, size_t *size)
{
    return LS_NV_CU(cuMemGetAddressRange, (NULL, size, LS_NV_PTR(ptr)));
}

static inline hipError_t
hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
                    hipStream_t stream)
{
    cudaError_t error = cudaMemcpyAsync(dst, src, sizeBytes, kind, stream);

    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    return hipCUDAErrorTohipError(error);
}

/* Locations: CUDA 13 has them where HIP has a device's number. */

#if CUDART_VERSION >= 12020
static inline struct cudaMemLocation
ls_nv_location(int device)
{
    struct cudaMemLocation location;

    memset(&location, 0, sizeof(location));
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
#endif

static inline hipError_t
hipMemAdvise_v2(const void *dev_ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location)
{
#if CUDART_VERSION >= 13000
    return hipCUDAErrorTohipError(cudaMemAdvise(dev_ptr, count, advice, location));
#elif CUDART_VERSION >= 12020
    return hipCUDAErrorTohipError(cudaMemAdvise_v2(dev_ptr, count, advice, location));
#else
    return hipErrorNotSupported;
#endif
}

static inline hipError_t
hipMemAdvise(const void *devPtr, size_t count, hipMemoryAdvise advice, int device)
{
#if CUDART_VERSION >= 13000
    return hipMemAdvise_v2(devPtr, count, advice, ls_nv_location(device));
#else
    return hipCUDAErrorTohipError(cudaMemAdvise(devPtr, count, advice, device));
#endif
}

static inline hipError_t
hipMemPrefetchAsync_v2(const void *dev_ptr, size_t count, hipMemLocation location,
                       unsigned int flags, hipStream_t stream LS_HIP_OPT(0))
{
#if CUDART_VERSION >= 13000
    return hipCUDAErrorTohipError(cudaMemPrefetchAsync(dev_ptr, count, location, flags, stream));
#elif CUDART_VERSION >= 12020
    return hipCUDAErrorTohipError(cudaMemPrefetchAsync_v2(dev_ptr, count, location, flags, stream));
#else
    return hipErrorNotSupported;
#endif
}

static inline hipError_t
hipMemPrefetchAsync(const void *devPtr, size_t count, int device, hipStream_t stream LS_HIP_OPT(0))
{
#if CUDART_VERSION >= 13000
    return hipMemPrefetchAsync_v2(devPtr, count, ls_nv_location(device), 0, stream);
#else
    return hipCUDAErrorTohipError(cudaMemPrefetchAsync(devPtr, count, device, stream));
#endif
}

/* Copies of the driver's form */

static inline CUmemorytype
ls_nv_memory_type(enum hipMemoryType type)
{
    switch (type) {
    case hipMemoryTypeHost: return CU_MEMORYTYPE_HOST;
    case hipMemoryTypeDevice: return CU_MEMORYTYPE_DEVICE;
    case hipMemoryTypeArray: return CU_MEMORYTYPE_ARRAY;
    default: return CU_MEMORYTYPE_UNIFIED;
    }
}

static inline enum hipMemoryType
ls_nv_memory_type_of(CUmemorytype type)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST: return hipMemoryTypeHost;
    case CU_MEMORYTYPE_DEVICE: return hipMemoryTypeDevice;
    case CU_MEMORYTYPE_ARRAY: return hipMemoryTypeArray;
    default: return hipMemoryTypeUnified;
    }
}

/* Members of both sides of a copy, from one structure to the other of the same names */
#define LS_NV_SIDE(to, from, side, type_of, array_type) \
    (to)->side##XInBytes = (from)->side##XInBytes; \
    (to)->side##Y = (from)->side##Y; \
    (to)->side##MemoryType = type_of((from)->side##MemoryType); \
    (to)->side##Host = (from)->side##Host; \
    (to)->side##Device = (from)->side##Device; \
    (to)->side##Array = (array_type)(from)->side##Array; \
    (to)->side##Pitch = (from)->side##Pitch;
#define LS_NV_DEPTH(to, from, side) \
    (to)->side##Z = (from)->side##Z; \
    (to)->side##LOD = (from)->side##LOD; \
    (to)->side##Height = (from)->side##Height;

static inline CUDA_MEMCPY2D
ls_nv_copy_2d(const hip_Memcpy2D *from)
{
    CUDA_MEMCPY2D to;

    memset(&to, 0, sizeof(to));
    LS_NV_SIDE(&to, from, src, ls_nv_memory_type, CUarray)
    LS_NV_SIDE(&to, from, dst, ls_nv_memory_type, CUarray)
    to.WidthInBytes = from->WidthInBytes;
    to.Height = from->Height;
    return to;
}

static inline CUDA_MEMCPY3D
ls_nv_copy_3d(const HIP_MEMCPY3D *from)
{
    CUDA_MEMCPY3D to;

    memset(&to, 0, sizeof(to));
    LS_NV_SIDE(&to, from, src, ls_nv_memory_type, CUarray)
    LS_NV_SIDE(&to, from, dst, ls_nv_memory_type, CUarray)
    LS_NV_DEPTH(&to, from, src)
    LS_NV_DEPTH(&to, from, dst)
    to.WidthInBytes = from->WidthInBytes;
    to.Height = from->Height;
    to.Depth = from->Depth;
    return to;
}

/* name(copy, more...) as cu(converted copy, more...); cu_name: before cuda.h makes another name of
 * it, which the driver does not know */
#define LS_NV_COPY(name, type, convert, to_type, params, cu_name, cu, args) \
    static inline hipError_t name params \
    { \
        to_type to; \
        if (!copy) \
            return hipErrorInvalidValue; \
        to = convert(copy); \
        return LS_NV_CU_AS(cu_name, cu, args); \
    }
#define LS_NV_COPY_2D(name, params, cu, args) \
    LS_NV_COPY(name, hip_Memcpy2D, ls_nv_copy_2d, CUDA_MEMCPY2D, params, #cu, cu, args)
#define LS_NV_COPY_3D(name, params, cu, args) \
    LS_NV_COPY(name, HIP_MEMCPY3D, ls_nv_copy_3d, CUDA_MEMCPY3D, params, #cu, cu, args)

LS_NV_COPY_2D(hipMemcpyParam2D, (const hip_Memcpy2D *copy), cuMemcpy2D, (&to))
LS_NV_COPY_2D(hipDrvMemcpy2DUnaligned, (const hip_Memcpy2D *copy), cuMemcpy2DUnaligned, (&to))
LS_NV_COPY_2D(hipMemcpyParam2DAsync,
              (const hip_Memcpy2D *copy, hipStream_t stream LS_HIP_OPT(0)), cuMemcpy2DAsync,
              (&to, stream))
LS_NV_COPY_3D(hipDrvMemcpy3D, (const HIP_MEMCPY3D *copy), cuMemcpy3D, (&to))
LS_NV_COPY_3D(hipDrvMemcpy3DAsync, (const HIP_MEMCPY3D *copy, hipStream_t stream), cuMemcpy3DAsync,
              (&to, stream))
LS_NV_COPY_3D(hipDrvGraphAddMemcpyNode,
              (hipGraphNode_t *graphNode, hipGraph_t graph, const hipGraphNode_t *dependencies,
               size_t numDependencies, const HIP_MEMCPY3D *copy, hipCtx_t ctx),
              cuGraphAddMemcpyNode, (graphNode, graph, dependencies, numDependencies, &to, ctx))
LS_NV_COPY_3D(hipDrvGraphMemcpyNodeSetParams, (hipGraphNode_t node, const HIP_MEMCPY3D *copy),
              cuGraphMemcpyNodeSetParams, (node, &to))
LS_NV_COPY_3D(hipDrvGraphExecMemcpyNodeSetParams,
              (hipGraphExec_t graphExec, hipGraphNode_t node, const HIP_MEMCPY3D *copy,
               hipCtx_t ctx),
              cuGraphExecMemcpyNodeSetParams, (graphExec, node, &to, ctx))

static inline hipError_t
hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *nodeParams)
{
    CUDA_MEMCPY3D from;
    hipError_t error;

    if (!nodeParams)
        return hipErrorInvalidValue;
    error = LS_NV_CU(cuGraphMemcpyNodeGetParams, (node, &from));
    if (error != hipSuccess)
        return error;
    LS_NV_SIDE(nodeParams, &from, src, ls_nv_memory_type_of, hipArray_t)
    LS_NV_SIDE(nodeParams, &from, dst, ls_nv_memory_type_of, hipArray_t)
    LS_NV_DEPTH(nodeParams, &from, src)
    LS_NV_DEPTH(nodeParams, &from, dst)
    nodeParams->WidthInBytes = from.WidthInBytes;
    nodeParams->Height = from.Height;
    nodeParams->Depth = from.Depth;
    return hipSuccess;
}

#undef LS_NV_COPY_3D
#undef LS_NV_COPY_2D
#undef LS_NV_COPY
#undef LS_NV_DEPTH
#undef LS_NV_SIDE

/* Batches */

static inline hipError_t
hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                    hipMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                    hipStream_t stream LS_HIP_OPT(0))
{
#if CUDART_VERSION >= 13000
    if (failIdx)
        *failIdx = SIZE_MAX; /* CUDA 13 does not say which one is wrong */
    return hipCUDAErrorTohipError(cudaMemcpyBatchAsync((void *const *)dsts,
                                                       (const void *const *)srcs, sizes, count,
                                                       attrs, attrsIdxs, numAttrs, stream));
#elif CUDART_VERSION >= 12080
    return hipCUDAErrorTohipError(cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs,
                                                       numAttrs, failIdx, stream));
#else
    return hipErrorNotSupported;
#endif
}

static inline hipError_t
hipMemcpy3DBatchAsync(size_t numOps, struct hipMemcpy3DBatchOp *opList, size_t *failIdx,
                      unsigned long long flags, hipStream_t stream LS_HIP_OPT(0))
{
#if CUDART_VERSION >= 13000
    if (failIdx)
        *failIdx = SIZE_MAX;
    return hipCUDAErrorTohipError(cudaMemcpy3DBatchAsync(numOps, opList, flags, stream));
#elif CUDART_VERSION >= 12080
    return hipCUDAErrorTohipError(cudaMemcpy3DBatchAsync(numOps, opList, failIdx, flags, stream));
#else
    return hipErrorNotSupported;
#endif
}

static inline hipError_t
hipDrvMemDiscardBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
                           unsigned long long flags, hipStream_t stream LS_HIP_OPT(0))
{
#if CUDA_VERSION >= 13000
    return LS_NV_CU(cuMemDiscardBatchAsync, (dptrs, sizes, count, flags, stream));
#else
    return hipErrorNotSupported;
#endif
}

static inline hipError_t
hipDrvMemDiscardAndPrefetchBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
                                      hipMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      hipStream_t stream LS_HIP_OPT(0))
{
#if CUDA_VERSION >= 13000
    return LS_NV_CU(cuMemDiscardAndPrefetchBatchAsync,
                    (dptrs, sizes, count, (CUmemLocation *)prefetchLocs, prefetchLocIdxs,
                     numPrefetchLocs, flags, stream));
#else
    return hipErrorNotSupported;
#endif
}

static inline hipChannelFormatDesc
hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f)
{
    return cudaCreateChannelDesc(x, y, z, w, f);
}

#endif
