/* SPDX-License-Identifier: MIT */
/* HIP's types on NVIDIA's platform. Handles and what lies in memory are CUDA's own types, so that
 * code of HIP and of CUDA may stand in one program. Types with members that HIP alone has, or of
 * two families of CUDA's, are HIP's: at the end. */
#ifndef HIP_NVIDIA_DETAIL_TYPES_H
#define HIP_NVIDIA_DETAIL_TYPES_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

#include <hip/detail/device_types.h>
#include <hip/detail/error.h>
#include <hip/nvidia_detail/flags.h>

/* Handles, as HIP Programming Guide 4.9.1 has them */
typedef CUcontext hipCtx_t;
typedef CUmodule hipModule_t;
typedef CUfunction hipFunction_t;
typedef CUdeviceptr hipDeviceptr_t;
typedef CUlinkState hipLinkState_t;
typedef CUlibrary hipLibrary_t;
typedef CUkernel hipKernel_t;
typedef CUmemGenericAllocationHandle hipMemGenericAllocationHandle_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaArray_t hipArray_t;
typedef cudaArray_const_t hipArray_const_t;
typedef cudaMipmappedArray_t hipMipmappedArray_t;
typedef cudaMipmappedArray_const_t hipMipmappedArray_const_t;
typedef cudaTextureObject_t hipTextureObject_t;
typedef cudaSurfaceObject_t hipSurfaceObject_t;
typedef cudaMemPool_t hipMemPool_t;
typedef cudaExternalMemory_t hipExternalMemory_t;
typedef cudaExternalSemaphore_t hipExternalSemaphore_t;
typedef struct cudaGraphicsResource hipGraphicsResource;
typedef cudaGraphicsResource_t hipGraphicsResource_t;
typedef cudaGraph_t hipGraph_t;
typedef cudaGraphNode_t hipGraphNode_t;
typedef cudaGraphExec_t hipGraphExec_t;
typedef cudaUserObject_t hipUserObject_t;
typedef cudaIpcMemHandle_t hipIpcMemHandle_t;
typedef cudaIpcEventHandle_t hipIpcEventHandle_t;
typedef cudaHostFn_t hipHostFn_t;
typedef struct textureReference textureReference; /* what the driver's CUtexref points to */
typedef textureReference *hipTexRef;

/* Of the execution contexts that HIP got after CUDA 12; nothing makes one here. */
typedef struct ls_nv_execution_ctx *hipExecutionCtx_t;
typedef struct ls_nv_resource_desc *hipDevResourceDesc_t;
typedef struct ls_nv_resource hipDevResource;
typedef struct ls_nv_resource_params hipDevSmResourceGroupParams;
typedef int hipDevResourceType;

/* Properties of ROCm 5 */
typedef struct hipDeviceProp_tR0000 hipDeviceProp_tR0000;

#ifndef __cplusplus
#define LS_NV_TAG(kind, name) typedef kind name name;
#include <hip/nvidia_detail/tags.def>
#undef LS_NV_TAG
typedef enum cudaFuncCache cudaFuncCache;
#endif

/* Types of the runtime by the same names. They are macros, since HIP code may write `struct` or
 * `enum` in front of them. */
#define hipMemcpyKind cudaMemcpyKind
#define hipChannelFormatKind cudaChannelFormatKind
#define hipChannelFormatDesc cudaChannelFormatDesc
#define hipResourceType cudaResourceType
#define hipResourceViewFormat cudaResourceViewFormat
#define hipResourceDesc cudaResourceDesc
#define hipResourceViewDesc cudaResourceViewDesc
#define hipPitchedPtr cudaPitchedPtr
#define hipExtent cudaExtent
#define hipPos cudaPos
#define hipMemcpy3DParms cudaMemcpy3DParms
#define hipMemcpy3DPeerParms cudaMemcpy3DPeerParms
#define hipArray cudaArray
#define hipMipmappedArray cudaMipmappedArray
#define hipArrayMemoryRequirements cudaArrayMemoryRequirements
#define hipTextureAddressMode cudaTextureAddressMode
#define hipTextureFilterMode cudaTextureFilterMode
#define hipTextureReadMode cudaTextureReadMode
#define hipTextureDesc cudaTextureDesc
#define hipSurfaceBoundaryMode cudaSurfaceBoundaryMode
#define hipFuncAttributes cudaFuncAttributes
#define hipFuncAttribute cudaFuncAttribute
#define hipSharedMemConfig cudaSharedMemConfig
#define hipMemoryAdvise cudaMemoryAdvise
#define hipMemRangeAttribute cudaMemRangeAttribute
#define hipMemPoolAttr cudaMemPoolAttr
#define hipMemLocationType cudaMemLocationType
#define hipMemLocation cudaMemLocation
#define hipMemAccessFlags cudaMemAccessFlags
#define hipMemAccessDesc cudaMemAccessDesc
#define hipMemAllocationType cudaMemAllocationType
#define hipMemAllocationHandleType cudaMemAllocationHandleType
#define hipMemPoolProps cudaMemPoolProps
#define hipMemPoolPtrExportData cudaMemPoolPtrExportData
#define hipExternalMemoryHandleType cudaExternalMemoryHandleType
#define hipExternalMemoryHandleDesc cudaExternalMemoryHandleDesc
#define hipExternalMemoryBufferDesc cudaExternalMemoryBufferDesc
#define hipExternalMemoryMipmappedArrayDesc cudaExternalMemoryMipmappedArrayDesc
#define hipExternalSemaphoreHandleType cudaExternalSemaphoreHandleType
#define hipExternalSemaphoreHandleDesc cudaExternalSemaphoreHandleDesc
#define hipExternalSemaphoreSignalParams cudaExternalSemaphoreSignalParams
#define hipExternalSemaphoreWaitParams cudaExternalSemaphoreWaitParams
#define hipGraphicsRegisterFlags cudaGraphicsRegisterFlags
#define hipGraphNodeType cudaGraphNodeType
#define hipKernelNodeParams cudaKernelNodeParams
#define hipMemsetParams cudaMemsetParams
#define hipHostNodeParams cudaHostNodeParams
#define hipExternalSemaphoreSignalNodeParams cudaExternalSemaphoreSignalNodeParams
#define hipExternalSemaphoreWaitNodeParams cudaExternalSemaphoreWaitNodeParams
#define hipMemAllocNodeParams cudaMemAllocNodeParams
#define hipAccessProperty cudaAccessProperty
#define hipAccessPolicyWindow cudaAccessPolicyWindow
#define hipSynchronizationPolicy cudaSynchronizationPolicy
#define hipLaunchMemSyncDomainMap cudaLaunchMemSyncDomainMap
#define hipLaunchMemSyncDomain cudaLaunchMemSyncDomain
#define hipLaunchAttributeID cudaLaunchAttributeID
#define hipLaunchAttributeValue cudaLaunchAttributeValue
#define hipLaunchAttribute cudaLaunchAttribute
#define hipStreamCaptureMode cudaStreamCaptureMode
#define hipStreamCaptureStatus cudaStreamCaptureStatus
#define hipStreamUpdateCaptureDependenciesFlags cudaStreamUpdateCaptureDependenciesFlags
#define hipGraphInstantiateFlags cudaGraphInstantiateFlags
#define hipGraphInstantiateResult cudaGraphInstantiateResult
#define hipGraphInstantiateParams cudaGraphInstantiateParams
#define hipGraphExecUpdateResult cudaGraphExecUpdateResult
#define hipGraphMemAttributeType cudaGraphMemAttributeType
#define hipUserObjectFlags cudaUserObjectFlags
#define hipUserObjectRetainFlags cudaUserObjectRetainFlags
#define hipGraphDebugDotFlags cudaGraphDebugDotFlags
#define hipFlushGPUDirectRDMAWritesTarget cudaFlushGPUDirectRDMAWritesTarget
#define hipFlushGPUDirectRDMAWritesScope cudaFlushGPUDirectRDMAWritesScope
#define hipDriverEntryPointQueryResult cudaDriverEntryPointQueryResult
#if CUDART_VERSION >= 12020
#define hipChildGraphNodeParams cudaChildGraphNodeParams
#define hipEventWaitNodeParams cudaEventWaitNodeParams
#define hipEventRecordNodeParams cudaEventRecordNodeParams
#define hipMemFreeNodeParams cudaMemFreeNodeParams
#define hipMemcpyNodeParams cudaMemcpyNodeParams
#define hipGraphNodeParams cudaGraphNodeParams
#endif
#if CUDART_VERSION >= 12030
#define hipGraphConditionalHandle cudaGraphConditionalHandle
#define hipGraphConditionalHandleFlags cudaGraphConditionalHandleFlags
#define hipGraphConditionalNodeType cudaGraphConditionalNodeType
#define hipConditionalNodeParams cudaConditionalNodeParams
#define hipGraphDependencyType cudaGraphDependencyType
#define hipGraphEdgeData cudaGraphEdgeData
#endif
#if CUDART_VERSION >= 12080
#define hipLibraryOption cudaLibraryOption
#define hipMemcpySrcAccessOrder cudaMemcpySrcAccessOrder
#define hipMemcpyAttributes cudaMemcpyAttributes
#define hipMemcpy3DOperandType cudaMemcpy3DOperandType
#define hipOffset3D cudaOffset3D
#define hipMemcpy3DOperand cudaMemcpy3DOperand
#define hipMemcpy3DBatchOp cudaMemcpy3DBatchOp
#endif

/* Types of the driver */
#define hipJitOption CUjit_option
#define hipJitInputType CUjitInputType
#define hipFunction_attribute CUfunction_attribute
#define hipPointer_attribute CUpointer_attribute
#define hipArray_Format CUarray_format
#define HIP_ARRAY_DESCRIPTOR CUDA_ARRAY_DESCRIPTOR
#define HIP_ARRAY3D_DESCRIPTOR CUDA_ARRAY3D_DESCRIPTOR
#define HIP_TEXTURE_DESC CUDA_TEXTURE_DESC
#define HIP_RESOURCE_VIEW_DESC CUDA_RESOURCE_VIEW_DESC
#define HIPaddress_mode CUaddress_mode
#define HIPfilter_mode CUfilter_mode
#define HIPresourcetype CUresourcetype
#define hipResourcetype CUresourcetype
#define HIPresourceViewFormat CUresourceViewFormat
#define HIP_MEMSET_NODE_PARAMS CUDA_MEMSET_NODE_PARAMS
#define hipBatchMemOpNodeParams CUDA_BATCH_MEM_OP_NODE_PARAMS
#define hipStreamBatchMemOpType CUstreamBatchMemOpType
#define hipStreamBatchMemOpParams CUstreamBatchMemOpParams
#define hipFunctionLaunchParams CUDA_LAUNCH_PARAMS
#define hipMemAllocationGranularity_flags CUmemAllocationGranularity_flags
#define hipMemHandleType CUmemHandleType
#define hipMemOperationType CUmemOperationType
#define hipArraySparseSubresourceType CUarraySparseSubresourceType
#define hipArrayMapInfo CUarrayMapInfo
#define hipMemRangeHandleType CUmemRangeHandleType
#define hipDriverProcAddressQueryResult CUdriverProcAddressQueryResult

/* Types with other names, or with several */
#define hipFuncCache_t cudaFuncCache
#define hipDataType cudaDataType
#define hipLibraryPropertyType libraryPropertyType
#define hipLaunchConfig_t cudaLaunchConfig_t
#define hipKernelNodeAttrID cudaLaunchAttributeID
#define hipKernelNodeAttrValue cudaLaunchAttributeValue
#define hipStreamAttrID cudaLaunchAttributeID
#define hipStreamAttrValue cudaLaunchAttributeValue
#define hipDrvLaunchAttributeID cudaLaunchAttributeID
#define hipDrvLaunchAttributeValue cudaLaunchAttributeValue
#define hipDrvLaunchAttribute cudaLaunchAttribute
#define make_hipExtent make_cudaExtent
#define make_hipPos make_cudaPos
#define make_hipPitchedPtr make_cudaPitchedPtr

/* HIP's own */

typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *userData);

enum hipMemoryType {
    hipMemoryTypeUnregistered = 0,
    hipMemoryTypeHost = 1,
    hipMemoryTypeDevice = 2,
    hipMemoryTypeManaged = 3,
    hipMemoryTypeArray = 10,
    hipMemoryTypeUnified = 11
};
#ifndef __cplusplus
typedef enum hipMemoryType hipMemoryType;
#endif

typedef struct hipPointerAttribute_t {
    union {
        enum hipMemoryType type;
        enum hipMemoryType memoryType; /* its name before ROCm 6 */
    };
    int device;
    void *devicePointer;
    void *hostPointer;
    int isManaged;
    unsigned allocationFlags;
} hipPointerAttribute_t;

typedef struct hipLaunchParams_t {
    void *func; /* host address of the kernel */
    dim3 gridDim, blockDim;
    void **args;
    size_t sharedMem;
    hipStream_t stream;
} hipLaunchParams;

typedef struct HIP_LAUNCH_CONFIG_st {
    unsigned int gridDimX, gridDimY, gridDimZ; /* blocks */
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    hipStream_t hStream;
    hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} HIP_LAUNCH_CONFIG;

/* Laid out as CUmemAllocationProp, with the enumerations that pools have, too */
typedef struct hipMemAllocationProp {
    hipMemAllocationType type;
    hipMemAllocationHandleType requestedHandleType;
    hipMemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} hipMemAllocationProp;

/* Copies of the driver's form: CUDA_MEMCPY2D and CUDA_MEMCPY3D with HIP's kinds of memory */
typedef struct hip_Memcpy2D {
    size_t srcXInBytes, srcY;
    enum hipMemoryType srcMemoryType;
    const void *srcHost;
    hipDeviceptr_t srcDevice;
    hipArray_t srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    enum hipMemoryType dstMemoryType;
    void *dstHost;
    hipDeviceptr_t dstDevice;
    hipArray_t dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} hip_Memcpy2D;

typedef struct HIP_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    enum hipMemoryType srcMemoryType;
    const void *srcHost;
    hipDeviceptr_t srcDevice;
    hipArray_t srcArray;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    enum hipMemoryType dstMemoryType;
    void *dstHost;
    hipDeviceptr_t dstDevice;
    hipArray_t dstArray;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} HIP_MEMCPY3D;

/* Laid out as CUDA_RESOURCE_DESC, with the runtime's arrays */
typedef struct HIP_RESOURCE_DESC_st {
    HIPresourcetype resType; /* which member of res is valid */
    union {
        struct {
            hipArray_t hArray;
        } array;
        struct {
            hipMipmappedArray_t hMipmappedArray;
        } mipmap;
        struct {
            hipDeviceptr_t devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            hipDeviceptr_t devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t width, height;
            size_t pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags; /* 0 */
} HIP_RESOURCE_DESC;

/* Enumerators: constants of CUDA's types in C++, plain numbers in C */
#define LS_NV_CUDA(name) LS_NV_AS(hip##name, cuda##name)
#define LS_NV_CU(name) LS_NV_AS(HIP_##name, CU_##name)
#ifdef __cplusplus
#define LS_NV_AS(hip, cuda) static constexpr auto hip = cuda;
#else
#define LS_NV_AS(hip, cuda) enum { hip = cuda };
#endif
#include <hip/nvidia_detail/values.def>
#undef LS_NV_AS
#undef LS_NV_CU
#undef LS_NV_CUDA

#define hipKernelNodeAttributeAccessPolicyWindow hipLaunchAttributeAccessPolicyWindow
#define hipKernelNodeAttributeCooperative hipLaunchAttributeCooperative
#define hipKernelNodeAttributePriority hipLaunchAttributePriority
#define hipDrvLaunchAttributeCooperative hipLaunchAttributeCooperative
#define hipStreamAttributeAccessPolicyWindow hipLaunchAttributeAccessPolicyWindow
#define hipStreamAttributeSynchronizationPolicy hipLaunchAttributeSynchronizationPolicy
#define hipStreamAttributeMemSyncDomainMap hipLaunchAttributeMemSyncDomainMap
#define hipStreamAttributeMemSyncDomain hipLaunchAttributeMemSyncDomain
#define hipStreamAttributePriority hipLaunchAttributePriority

/* AMD's names for conversions between types that are the same here */
#define LS_NV_ITSELF(name, type) \
    static inline type name(type value) \
    { \
        return value; \
    }
LS_NV_ITSELF(hipMemcpyKindToCudaMemcpyKind, hipMemcpyKind)
LS_NV_ITSELF(hipChannelFormatKindToCudaChannelFormatKind, hipChannelFormatKind)
LS_NV_ITSELF(hipMemRangeAttributeToCudaMemRangeAttribute, hipMemRangeAttribute)
LS_NV_ITSELF(hipMemoryAdviseTocudaMemoryAdvise, hipMemoryAdvise)
LS_NV_ITSELF(hipTextureAddressModeToCudaTextureAddressMode, hipTextureAddressMode)
LS_NV_ITSELF(hipTextureFilterModeToCudaTextureFilterMode, hipTextureFilterMode)
LS_NV_ITSELF(hipTextureReadModeToCudaTextureReadMode, hipTextureReadMode)
LS_NV_ITSELF(hipAddress_modeToCUaddress_mode, HIPaddress_mode)
LS_NV_ITSELF(hipFilter_mode_enumToCUfilter_mode, HIPfilter_mode)
LS_NV_ITSELF(hipResourcetype_enumToCUresourcetype, hipResourcetype)
LS_NV_ITSELF(hipArray_FormatToCUarray_format, hipArray_Format)
#undef LS_NV_ITSELF

#endif
