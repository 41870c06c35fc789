/* SPDX-License-Identifier: MIT */
/* Devices and contexts on NVIDIA's platform: what the tables cannot say. */
#ifndef HIP_NVIDIA_DETAIL_API_DEVICE_H
#define HIP_NVIDIA_DETAIL_API_DEVICE_H

static inline hipError_t
hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attr, int device)
{
    enum cudaDeviceAttr cuda;

    switch ((int)attr) {
#define LS_NV_ATTRIBUTE(name) LS_NV_ATTRIBUTE_AS(name, name)
#define LS_NV_ATTRIBUTE_AS(hip, c) \
    case hipDeviceAttribute##hip: \
        cuda = cudaDevAttr##c; \
        break;
#define LS_NV_NUMBER(hip, number) \
    case hipDeviceAttribute##hip: \
        if (!value) \
            return hipErrorInvalidValue; \
        *value = number; \
        return hipSuccess;
#include <hip/nvidia_detail/attributes.def>
#undef LS_NV_NUMBER
#undef LS_NV_ATTRIBUTE_AS
#undef LS_NV_ATTRIBUTE
    default: return hipErrorInvalidValue;
    }
    return hipCUDAErrorTohipError(cudaDeviceGetAttribute(value, cuda, device));
}

/* HIP's numbers begin with 0, CUDA's with 1. */
static inline hipError_t
hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attr, int srcDevice, int dstDevice)
{
    return hipCUDAErrorTohipError(cudaDeviceGetP2PAttribute(
        value, (enum cudaDeviceP2PAttr)((int)attr + 1), srcDevice, dstDevice));
}

static inline hipError_t
hipGetDeviceProperties(hipDeviceProp_t *prop, int device)
{
    struct cudaDeviceProp cuda;
    cudaError_t error;

    if (!prop)
        return hipErrorInvalidValue;
    error = cudaGetDeviceProperties(&cuda, device);
    if (error != cudaSuccess)
        return hipCUDAErrorTohipError(error);
    memset(prop, 0, sizeof(*prop));
    memcpy(&prop->uuid, &cuda.uuid, sizeof(prop->uuid));
#define LS_NV_PROP(member)  prop->member = cuda.member;
#define LS_NV_PROPS(member) memcpy(prop->member, cuda.member, sizeof(prop->member));
#define LS_NV_PROP_OF(member, attr) \
    if (cudaDeviceGetAttribute(&prop->member, cudaDevAttr##attr, device) != cudaSuccess) \
        (void)cudaGetLastError();
#include <hip/nvidia_detail/attributes.def>
#undef LS_NV_PROP_OF
#undef LS_NV_PROPS
#undef LS_NV_PROP
    prop->sparseHipArraySupported = cuda.sparseCudaArraySupported;
    prop->deferredMappingHipArraySupported = cuda.deferredMappingCudaArraySupported;
    prop->maxSharedMemoryPerMultiProcessor = cuda.sharedMemPerMultiprocessor;
    /* All that HIP asks of an architecture, CUDA 12's devices have. */
    prop->arch.hasGlobalInt32Atomics = prop->arch.hasGlobalFloatAtomicExch = 1;
    prop->arch.hasSharedInt32Atomics = prop->arch.hasSharedFloatAtomicExch = 1;
    prop->arch.hasFloatAtomicAdd = prop->arch.hasGlobalInt64Atomics = 1;
    prop->arch.hasSharedInt64Atomics = prop->arch.hasDoubles = 1;
    prop->arch.hasWarpVote = prop->arch.hasWarpBallot = prop->arch.hasWarpShuffle = 1;
    prop->arch.hasFunnelShift = prop->arch.hasThreadFenceSystem = 1;
    prop->arch.hasSyncThreadsExt = prop->arch.hasSurfaceFuncs = prop->arch.has3dGrid = 1;
    prop->arch.hasDynamicParallelism = 1;
    return hipSuccess;
}

static inline hipError_t
hipChooseDevice(int *device, const hipDeviceProp_t *prop)
{
    struct cudaDeviceProp cuda;

    if (!prop)
        return hipErrorInvalidValue;
    memset(&cuda, 0, sizeof(cuda));
#define LS_NV_PROP(member)  cuda.member = prop->member;
#define LS_NV_PROPS(member) memcpy(cuda.member, prop->member, sizeof(prop->member));
#define LS_NV_PROP_OF(member, attr)
#include <hip/nvidia_detail/attributes.def>
#undef LS_NV_PROP_OF
#undef LS_NV_PROPS
#undef LS_NV_PROP
    return hipCUDAErrorTohipError(cudaChooseDevice(device, &cuda));
}

static inline hipError_t
hipCtxCreate(hipCtx_t *ctx, unsigned int flags, hipDevice_t device)
{
#if CUDA_VERSION >= 13000
    return LS_NV_CU(cuCtxCreate, (ctx, NULL, flags, device));
#else
    return LS_NV_CU(cuCtxCreate, (ctx, flags, device));
#endif
}

/* By these names CUDA 13 finds functions that take the context. */
static inline hipError_t
hipCtxGetDevice(hipDevice_t *device)
{
#if CUDA_VERSION >= 13000
    hipCtx_t ctx = NULL;
    hipError_t error = hipCtxGetCurrent(&ctx);

    if (error == hipSuccess)
        error = LS_NV_CU_AS("cuCtxGetDevice", cuCtxGetDevice_v2, (device, ctx));
    return error;
#else
    return LS_NV_CU(cuCtxGetDevice, (device));
#endif
}

static inline hipError_t
hipCtxSynchronize(void)
{
#if CUDA_VERSION >= 13000
    hipCtx_t ctx = NULL;
    hipError_t error = hipCtxGetCurrent(&ctx);

    if (error == hipSuccess)
        error = LS_NV_CU_AS("cuCtxSynchronize", cuCtxSynchronize_v2, (ctx));
    return error;
#else
    return LS_NV_CU(cuCtxSynchronize, ());
#endif
}

/* Functions of CUDA's driver: hipVersion is not asked for. */
static inline hipError_t
hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                  hipDriverProcAddressQueryResult *symbolStatus)
{
    (void)hipVersion;
    return LS_NV_CU(cuGetProcAddress, (symbol, pfn, CUDA_VERSION, flags, symbolStatus));
}

static inline hipError_t
hipGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                       hipDriverEntryPointQueryResult *driverStatus)
{
#if CUDART_VERSION >= 12050
    return hipCUDAErrorTohipError(
        cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDA_VERSION, flags, driverStatus));
#else
    return hipCUDAErrorTohipError(cudaGetDriverEntryPoint(symbol, funcPtr, flags, driverStatus));
#endif
}

/* Of a number that hip_api.def gives to each function: there is no library with such a table. */
static inline const char *
hipApiName(uint32_t id)
{
    (void)id;
    return "unknown";
}

static inline const char *
hipKernelNameRef(const hipFunction_t function)
{
    const char *name = NULL;

#if CUDA_VERSION >= 12030
    if (LS_NV_CU(cuFuncGetName, (&name, function)) != hipSuccess)
        return NULL;
#else
    (void)function;
#endif
    return name;
}

static inline const char *
hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream)
{
    const char *name = NULL;

    (void)stream;
#if CUDART_VERSION >= 12030
    if (cudaFuncGetName(&name, hostFunction) != cudaSuccess)
        return NULL;
#else
    (void)hostFunction;
#endif
    return name;
}

#endif
