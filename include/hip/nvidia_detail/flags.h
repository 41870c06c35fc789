/* SPDX-License-Identifier: MIT */
/* HIP's flags on NVIDIA's platform. They are macros, as CUDA's are: a program may give
 * hipStreamDefault, which is 0, where a stream is wanted. */
#ifndef HIP_NVIDIA_DETAIL_FLAGS_H
#define HIP_NVIDIA_DETAIL_FLAGS_H

#define hipOccupancyDefault cudaOccupancyDefault
#define hipOccupancyDisableCachingOverride cudaOccupancyDisableCachingOverride
#define hipStreamDefault cudaStreamDefault
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipEventDefault cudaEventDefault
#define hipEventBlockingSync cudaEventBlockingSync
#define hipEventDisableTiming cudaEventDisableTiming
#define hipEventInterprocess cudaEventInterprocess
#define hipHostAllocDefault cudaHostAllocDefault
#define hipHostAllocPortable cudaHostAllocPortable
#define hipHostAllocMapped cudaHostAllocMapped
#define hipHostAllocWriteCombined cudaHostAllocWriteCombined
#define hipHostRegisterDefault cudaHostRegisterDefault
#define hipHostRegisterPortable cudaHostRegisterPortable
#define hipHostRegisterMapped cudaHostRegisterMapped
#define hipHostRegisterIoMemory cudaHostRegisterIoMemory
#define hipHostRegisterReadOnly cudaHostRegisterReadOnly
#define hipMemAttachGlobal cudaMemAttachGlobal
#define hipMemAttachHost cudaMemAttachHost
#define hipMemAttachSingle cudaMemAttachSingle
#define hipArrayDefault cudaArrayDefault
#define hipArrayLayered cudaArrayLayered
#define hipArraySurfaceLoadStore cudaArraySurfaceLoadStore
#define hipArrayCubemap cudaArrayCubemap
#define hipArrayTextureGather cudaArrayTextureGather
#define hipIpcMemLazyEnablePeerAccess cudaIpcMemLazyEnablePeerAccess
#define HIP_IPC_HANDLE_SIZE CU_IPC_HANDLE_SIZE
#define hipExternalMemoryDedicated cudaExternalMemoryDedicated
#define HIP_TRSA_OVERRIDE_FORMAT CU_TRSA_OVERRIDE_FORMAT
#define HIP_TRSF_READ_AS_INTEGER CU_TRSF_READ_AS_INTEGER
#define HIP_TRSF_NORMALIZED_COORDINATES CU_TRSF_NORMALIZED_COORDINATES
#define HIP_TRSF_SRGB CU_TRSF_SRGB
#define hipTextureType1D cudaTextureType1D
#define hipTextureType2D cudaTextureType2D
#define hipTextureType3D cudaTextureType3D
#define hipTextureTypeCubemap cudaTextureTypeCubemap
#define hipTextureType1DLayered cudaTextureType1DLayered
#define hipTextureType2DLayered cudaTextureType2DLayered
#define hipTextureTypeCubemapLayered cudaTextureTypeCubemapLayered
#define hipEventRecordDefault cudaEventRecordDefault
#define hipEventRecordExternal cudaEventRecordExternal
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostMallocWriteCombined cudaHostAllocWriteCombined
#if CUDART_VERSION >= 12030
#define hipGraphKernelNodePortDefault cudaGraphKernelNodePortDefault
#define hipGraphKernelNodePortProgrammatic cudaGraphKernelNodePortProgrammatic
#define hipGraphKernelNodePortLaunchCompletion cudaGraphKernelNodePortLaunchCompletion
#endif

/* What CUDA has nothing for: its memory is coherent, its events order all. */
#define hipHostMallocNumaUser 0
#define hipHostMallocCoherent 0
#define hipHostMallocNonCoherent 0
#define hipExtHostAllocNumaUser 0
#define hipExtHostAllocCoherent 0
#define hipExtHostAllocNonCoherent 0
#define hipExtHostRegisterCoarseGrained 0
#define hipEventDisableSystemFence 0
#define hipEventReleaseToDevice 0
#define hipEventReleaseToSystem 0
#define hipDeviceMallocDefault 0

/* Pointers */
#define HIP_LAUNCH_PARAM_BUFFER_POINTER CU_LAUNCH_PARAM_BUFFER_POINTER
#define HIP_LAUNCH_PARAM_BUFFER_SIZE CU_LAUNCH_PARAM_BUFFER_SIZE
#define HIP_LAUNCH_PARAM_END CU_LAUNCH_PARAM_END
#define hipStreamLegacy cudaStreamLegacy
#define hipStreamPerThread cudaStreamPerThread

/* Values that no enumerator of CUDA's has: its answer to them is an error. */
#define hipMemAdviseSetCoarseGrain ((hipMemoryAdvise)100)
#define hipMemAdviseUnsetCoarseGrain ((hipMemoryAdvise)101)
#define hipMemRangeAttributeCoherencyMode ((hipMemRangeAttribute)100)
#define hipDeviceMallocFinegrained 0x1
#define hipMallocSignalMemory 0x2
#define hipDeviceMallocUncached 0x3
#define hipDeviceMallocContiguous 0x4
#define hipExtAnyOrderLaunch 0x1
#define hipCooperativeLaunchMultiDeviceNoPreSync 0x1
#define hipCooperativeLaunchMultiDeviceNoPostSync 0x2

#endif
