/* SPDX-License-Identifier: MIT */
/* What HIP got after 6.3: its 6.4 to 7.2 public header, hip_runtime_api.h, has these names. A
 * number in brackets is the version of ROCm whose library first had the function. Stream arguments
 * are as everywhere: 0 is the null stream. */
#ifndef HIP_DETAIL_API_NEWER_H
#define HIP_DETAIL_API_NEWER_H

#include <hip/detail/api_types.h>
#include <hip/detail/graph_types.h>
#include <hip/driver_types.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Launch attributes: hipLaunchAttributeValue as every launch may have it. */

typedef struct hipLaunchAttribute_st {
    hipLaunchAttributeID id;
    char pad[8 - sizeof(hipLaunchAttributeID)];
    union {
        hipLaunchAttributeValue val;
        hipLaunchAttributeValue value;
        char reserved[64];
    };
} hipLaunchAttribute;

typedef struct hipLaunchConfig_st {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    hipStream_t stream;
    hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} hipLaunchConfig_t;

typedef struct HIP_LAUNCH_CONFIG_st {
    unsigned int gridDimX, gridDimY, gridDimZ; /* blocks */
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    hipStream_t hStream;
    hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} HIP_LAUNCH_CONFIG;

#define hipStreamAttrID                          hipLaunchAttributeID
#define hipStreamAttrValue                       hipLaunchAttributeValue
#define hipStreamAttributeAccessPolicyWindow     hipLaunchAttributeAccessPolicyWindow
#define hipStreamAttributeSynchronizationPolicy  hipLaunchAttributeSynchronizationPolicy
#define hipStreamAttributeMemSyncDomainMap       hipLaunchAttributeMemSyncDomainMap
#define hipStreamAttributeMemSyncDomain          hipLaunchAttributeMemSyncDomain
#define hipStreamAttributePriority               hipLaunchAttributePriority
#define hipDrvLaunchAttributeCooperative         hipLaunchAttributeCooperative
#define hipDrvLaunchAttributeID                  hipLaunchAttributeID
#define hipDrvLaunchAttributeValue               hipLaunchAttributeValue
#define hipDrvLaunchAttribute                    hipLaunchAttribute

/* Launches with attributes: cooperative, priority; those that guide caches are accepted; a cluster
 * must be one block. [6.5] */
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *fPtr, void **args);
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params,
    void **extra);

/* Streams. The synchronization policy can be set and copied, the priority only read. [7.1;
 * copy: 7.2] */
hipError_t hipStreamGetAttribute(hipStream_t stream, hipStreamAttrID attr,
    hipStreamAttrValue *value_out);
hipError_t hipStreamSetAttribute(hipStream_t stream, hipStreamAttrID attr,
    const hipStreamAttrValue *value);
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);
/* A number that no other stream of the process has or had. [7.1] */
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId);

#define hipEventRecordDefault  0x00
#define hipEventRecordExternal 0x01 /* in a capture: a node of its own */
/* [6.4] */
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream LS_HIP_OPT(0),
    unsigned int flags LS_HIP_OPT(0));

/* Devices. hipDeviceGetLuid: Windows alone has these: hipErrorNotSupported. */
hipError_t hipDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, hipDevice_t device);
/* Makes the device ready, but not current. flags 1: deviceFlags (as in hipSetDeviceFlags) count. */
hipError_t hipInitDevice(int device, unsigned int deviceFlags, unsigned int flags);

typedef enum hipFlushGPUDirectRDMAWritesTarget {
    hipFlushGPUDirectRDMAWritesTargetCurrentDevice = 0
} hipFlushGPUDirectRDMAWritesTarget;
typedef enum hipFlushGPUDirectRDMAWritesScope {
    hipFlushGPUDirectRDMAWritesToOwner = 100,
    hipFlushGPUDirectRDMAWritesToAllDevices = 200
} hipFlushGPUDirectRDMAWritesScope;
/* hipErrorNotSupported: no other device writes here by itself. */
hipError_t hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTarget target,
    hipFlushGPUDirectRDMAWritesScope scope);

#define hipEnableDefault               0x0
#define hipEnableLegacyStream          0x1
#define hipEnablePerThreadDefaultStream 0x2 /* the _spt form, where there is one */
typedef enum hipDriverEntryPointQueryResult {
    hipDriverEntryPointSuccess = 0,
    hipDriverEntryPointSymbolNotFound = 1,
    hipDriverEntryPointVersionNotSufficent = 2
} hipDriverEntryPointQueryResult;
/* The address of an API function by name. driverStatus may be NULL. [7.1] */
hipError_t hipGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
    hipDriverEntryPointQueryResult *driverStatus);
hipError_t hipGetDriverEntryPoint_spt(const char *symbol, void **funcPtr, unsigned long long flags,
    hipDriverEntryPointQueryResult *driverStatus);

/* Modules: how many kernels there are, and which; a fat binary as hipcc embeds it. [7.1] */
hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t mod);
hipError_t hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned int numFunctions,
    hipModule_t mod);
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin);

/* Linking of LLVM bitcode, as hiprtcLink*. The result of hipLinkComplete lives as long as the
 * state. [6.4] */

typedef struct ihiprtcLinkState *hipLinkState_t;
typedef enum hipJitInputType {
    hipJitInputCubin = 0,
    hipJitInputPtx = 1,
    hipJitInputFatBinary = 2,
    hipJitInputObject = 3,
    hipJitInputLibrary = 4,
    hipJitInputNvvm = 5,
    hipJitNumLegacyInputTypes = 6,
    hipJitInputLLVMBitcode = 100,
    hipJitInputLLVMBundledBitcode = 101,
    hipJitInputLLVMArchivesOfBundledBitcode = 102,
    hipJitInputSpirv = 103,
    hipJitNumInputTypes = 10
} hipJitInputType;
hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption *options, void **optionValues,
    hipLinkState_t *stateOut);
hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void *data, size_t size,
    const char *name, unsigned int numOptions, hipJitOption *options, void **optionValues);
hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char *path,
    unsigned int numOptions, hipJitOption *options, void **optionValues);
hipError_t hipLinkComplete(hipLinkState_t state, void **hipBinOut, size_t *sizeOut);
hipError_t hipLinkDestroy(hipLinkState_t state);

/* Libraries: code that every device can use. It is looked at when something is asked of it for the
 * first time; what is wrong with it is an error then. A kernel of a library can be launched as a
 * function, by a cast or by hipKernelGetFunction. [7.2] */

typedef struct ihipLibrary_t *hipLibrary_t;
typedef struct ihipKernel_t *hipKernel_t;
typedef enum hipLibraryOption_e {
    hipLibraryHostUniversalFunctionAndDataTable = 0,
    hipLibraryBinaryIsPreserved = 1
} hipLibraryOption;
/* There are no JIT options: numJitOptions must be 0. */
hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption *jitOptions,
    void **jitOptionsValues, unsigned int numJitOptions, hipLibraryOption *libraryOptions,
    void **libraryOptionValues, unsigned int numLibraryOptions);
hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *fileName,
    hipJitOption *jitOptions, void **jitOptionsValues, unsigned int numJitOptions,
    hipLibraryOption *libraryOptions, void **libraryOptionValues, unsigned int numLibraryOptions);
hipError_t hipLibraryUnload(hipLibrary_t library);
hipError_t hipLibraryGetKernel(hipKernel_t *pKernel, hipLibrary_t library, const char *name);
hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library);
/* Writes at most numKernels. */
hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels,
    hipLibrary_t library);
/* A variable on the current device; either result may be NULL, not both. */
hipError_t hipLibraryGetGlobal(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);
hipError_t hipLibraryGetManaged(void **dptr, size_t *bytes, hipLibrary_t library, const char *name);
hipError_t hipLibraryGetModule(hipModule_t *pMod, hipLibrary_t library);
hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
/* Where a parameter lies in the kernel's argument segment. paramSize may be NULL. */
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset,
    size_t *paramSize);
hipError_t hipKernelGetAttribute(int *pi, hipFunction_attribute attrib, hipKernel_t kernel,
    hipDevice_t dev);
hipError_t hipKernelSetAttribute(hipFunction_attribute attrib, int value, hipKernel_t kernel,
    hipDevice_t dev);
hipError_t hipKernelGetFunction(hipFunction_t *pFunc, hipKernel_t kernel);

/* Occupancy. A cluster is one block: 1, or 0 where such a block doesn't fit. */
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *f,
    int numBlocks, int blockSize);
hipError_t hipOccupancyMaxPotentialClusterSize(int *clusterSize, const void *f,
    const hipLaunchConfig_t *config);
hipError_t hipOccupancyMaxActiveClusters(int *numClusters, const void *f,
    const hipLaunchConfig_t *config);

/* Memory */

typedef enum hipMemRangeHandleType {
    hipMemRangeHandleTypeDmaBufFd = 0x1,
    hipMemRangeHandleTypeMax = 0x7fffffff
} hipMemRangeHandleType;
/* hipErrorNotSupported: memory here is no DMA buffer of a driver. [6.5] */
hipError_t hipMemGetHandleForAddressRange(void *handle, hipDeviceptr_t dptr, size_t size,
    hipMemRangeHandleType handleType, unsigned long long flags);

/* Rectangles of elements of 1, 2 or 4 bytes: the width counts elements, the pitch bytes. [7.1] */
hipError_t hipMemsetD2D8(hipDeviceptr_t dst, size_t dstPitch, unsigned char value, size_t width,
    size_t height);
hipError_t hipMemsetD2D8Async(hipDeviceptr_t dst, size_t dstPitch, unsigned char value,
    size_t width, size_t height, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t dstPitch, unsigned short value, size_t width,
    size_t height);
hipError_t hipMemsetD2D16Async(hipDeviceptr_t dst, size_t dstPitch, unsigned short value,
    size_t width, size_t height, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t dstPitch, unsigned int value, size_t width,
    size_t height);
hipError_t hipMemsetD2D32Async(hipDeviceptr_t dst, size_t dstPitch, unsigned int value,
    size_t width, size_t height, hipStream_t stream LS_HIP_OPT(0));

typedef enum hipMemcpySrcAccessOrder {
    hipMemcpySrcAccessOrderInvalid = 0x0,
    hipMemcpySrcAccessOrderStream = 0x1,
    hipMemcpySrcAccessOrderDuringApiCall = 0x2,
    hipMemcpySrcAccessOrderAny = 0x3,
    hipMemcpySrcAccessOrderMax = 0x7fffffff
} hipMemcpySrcAccessOrder;
typedef struct hipMemcpyAttributes {
    hipMemcpySrcAccessOrder srcAccessOrder;
    hipMemLocation srcLocHint;
    hipMemLocation dstLocHint;
    unsigned int flags;
} hipMemcpyAttributes;
typedef enum hipMemcpy3DOperandType {
    hipMemcpyOperandTypePointer = 0x1,
    hipMemcpyOperandTypeArray = 0x2,
    hipMemcpyOperandTypeMax = 0x7fffffff
} hipMemcpy3DOperandType;
typedef struct hipOffset3D {
    size_t x, y, z;
} hipOffset3D;
typedef struct hipMemcpy3DOperand {
    hipMemcpy3DOperandType type;
    union {
        struct {
            void *ptr;
            size_t rowLength;   /* elements; 0: the extent's width */
            size_t layerHeight; /* rows; 0: the extent's height */
            hipMemLocation locHint;
        } ptr;
        struct {
            hipArray_t array;
            hipOffset3D offset; /* elements */
        } array;
    } op;
} hipMemcpy3DOperand;
typedef struct hipMemcpy3DBatchOp {
    hipMemcpy3DOperand src;
    hipMemcpy3DOperand dst;
    hipExtent extent; /* elements: bytes when both operands are pointers */
    hipMemcpySrcAccessOrder srcAccessOrder;
    unsigned int flags;
} hipMemcpy3DBatchOp;
typedef struct hipMemcpy3DPeerParms {
    hipArray_t srcArray;
    hipPos srcPos;
    hipPitchedPtr srcPtr;
    int srcDevice;
    hipArray_t dstArray;
    hipPos dstPos;
    hipPitchedPtr dstPtr;
    int dstDevice;
    hipExtent extent;
} hipMemcpy3DPeerParms;

/* Copies in the stream's order, with no order among themselves. failIdx, which may be NULL, gets
 * the number of the copy that is wrong, or SIZE_MAX; then nothing is copied. Attributes are hints
 * here and may be missing. [7.1] */
hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
    hipMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
    hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemcpy3DBatchAsync(size_t numOps, struct hipMemcpy3DBatchOp *opList, size_t *failIdx,
    unsigned long long flags, hipStream_t stream LS_HIP_OPT(0));
/* Between devices, or within one. [7.1] */
hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms *p);
hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream LS_HIP_OPT(0));

/* Managed memory by location. flags must be 0. Locations of the host (hipMemLocationTypeHost, and
 * of its NUMA nodes) are one. [7.1] */
hipError_t hipMemPrefetchAsync_v2(const void *dev_ptr, size_t count, hipMemLocation location,
    unsigned int flags, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemAdvise_v2(const void *dev_ptr, size_t count, hipMemoryAdvise advice,
    hipMemLocation location);
/* Range i goes to the location whose index is the last in prefetchLocIdxs that isn't above i. */
hipError_t hipMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
    hipMemLocation *prefetchLocs, size_t *prefetchLocIdxs, size_t numPrefetchLocs,
    unsigned long long flags, hipStream_t stream LS_HIP_OPT(0));
/* The contents are of no use any more. Here they stay. */
hipError_t hipMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
    unsigned long long flags, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipDrvMemDiscardBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
    unsigned long long flags, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
    hipMemLocation *prefetchLocs, size_t *prefetchLocIdxs, size_t numPrefetchLocs,
    unsigned long long flags, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipDrvMemDiscardAndPrefetchBatchAsync(hipDeviceptr_t *dptrs, size_t *sizes, size_t count,
    hipMemLocation *prefetchLocs, size_t *prefetchLocIdxs, size_t numPrefetchLocs,
    unsigned long long flags, hipStream_t stream LS_HIP_OPT(0));

/* Pools by location: a device's, of pinned memory. */
hipError_t hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool);
hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location,
                            hipMemAllocationType type);
hipError_t hipMemGetDefaultMemPool(hipMemPool_t *memPool, hipMemLocation *location,
    hipMemAllocationType type);

typedef struct hipArrayMemoryRequirements {
    size_t alignment;
    size_t size;
} hipArrayMemoryRequirements;
hipError_t hipMipmappedArrayGetMemoryRequirements(hipArrayMemoryRequirements *memoryRequirements,
    hipMipmappedArray_t mipmap, hipDevice_t device);

/* Execution contexts, green contexts among them: all of these answer hipErrorNotSupported, as a
 * share of a device's units can't be set apart here (LOCKSTEP_CPU_DEVICES makes devices of
 * shares). */

typedef struct ihipExecutionCtx_t *hipExecutionCtx_t;
typedef struct ihipDevResourceDesc_t *hipDevResourceDesc_t;
typedef enum hipDevResourceType {
    hipDevResourceTypeInvalid = 0,
    hipDevResourceTypeSm = 1,
    hipDevResourceTypeWorkqueueConfig = 1000,
    hipDevResourceTypeWorkqueue = 10000
} hipDevResourceType;
typedef struct hipDevSmResource {
    unsigned int smCount, minSmPartitionSize, smCoscheduledAlignment, flags;
} hipDevSmResource;
typedef struct hipDevResource_st {
    hipDevResourceType type;
    unsigned char _internal_padding[92];
    union {
        hipDevSmResource sm;
        unsigned char _oversize[40];
    };
    struct hipDevResource_st *nextResource;
} hipDevResource;
typedef struct hipDevSmResourceGroupParams_st {
    unsigned int smCount, coscheduledSmCount, preferredCoscheduledSmCount, flags;
    unsigned int reserved[12];
} hipDevSmResourceGroupParams;
hipError_t hipGreenCtxCreate(hipExecutionCtx_t *ctx, hipDevResourceDesc_t desc, int device,
    unsigned int flags);
hipError_t hipExecutionCtxDestroy(hipExecutionCtx_t ctx);
hipError_t hipExecutionCtxStreamCreate(hipStream_t *stream, hipExecutionCtx_t ctx,
    unsigned int flags, int priority);
hipError_t hipDeviceGetDevResource(hipDevice_t device, hipDevResource *resource,
    hipDevResourceType type);
hipError_t hipDevSmResourceSplitByCount(hipDevResource *result, unsigned int *nbGroups,
    const hipDevResource *input, hipDevResource *remainder, unsigned int flags,
    unsigned int minCount);
hipError_t hipDevSmResourceSplit(hipDevResource *result, unsigned int nbGroups,
    const hipDevResource *input, hipDevResource *remainder, unsigned int flags,
    hipDevSmResourceGroupParams *groupParams);
hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t *phDesc, hipDevResource *resources,
    unsigned int nbResources);
hipError_t hipDeviceGetExecutionCtx(hipExecutionCtx_t *ctx, hipDevice_t device);
hipError_t hipExecutionCtxGetDevResource(hipExecutionCtx_t ctx, hipDevResource *resource,
    hipDevResourceType type);
hipError_t hipExecutionCtxGetDevice(hipDevice_t *device, hipExecutionCtx_t ctx);
hipError_t hipExecutionCtxGetId(hipExecutionCtx_t ctx, unsigned long long *ctxId);
hipError_t hipStreamGetDevResource(hipStream_t stream, hipDevResource *resource,
    hipDevResourceType type);
hipError_t hipExecutionCtxRecordEvent(hipExecutionCtx_t ctx, hipEvent_t event);
hipError_t hipExecutionCtxSynchronize(hipExecutionCtx_t ctx);
hipError_t hipExecutionCtxWaitEvent(hipExecutionCtx_t ctx, hipEvent_t event);

/* Logging from the program: hipExtEnableLogging switches on what hipExtSetLoggingParams has said,
 * with the meaning of AMD_LOG_LEVEL and AMD_LOG_MASK; log_size counts for nothing. */
hipError_t hipExtEnableLogging(void);
hipError_t hipExtDisableLogging(void);
hipError_t hipExtSetLoggingParams(size_t log_level, size_t log_size, size_t log_mask);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
