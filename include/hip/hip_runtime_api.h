/* SPDX-License-Identifier: MIT */
/* The HIP runtime API, for C11 and C++: devices, memory, streams, events, modules, launches.
 *
 * Every function returns hipSuccess or the reason of its failure; what a call writes through its
 * pointers is undefined after a failure. All functions may be called from any thread.
 */
#ifndef HIP_RUNTIME_API_H
#define HIP_RUNTIME_API_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/hip_version.h>
#include <hip/nvidia_detail/nvidia_hip_runtime_api.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

#if !defined(__HIPCC_RTC__)
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif
#include <hip/hip_version.h>
#include <hip/hip_common.h>
#include <hip/detail/host_defines.h>
#include <hip/detail/api_types.h>
#include <hip/detail/graph_types.h>

#ifndef GENERIC_GRID_LAUNCH
#define GENERIC_GRID_LAUNCH 1
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Start and versions. Every other call starts the runtime by itself; hipInit's flags are 0.
 * Versions are HIP_VERSION numbers. */

/* flags must be 0. */
hipError_t hipInit(unsigned int flags);
hipError_t hipDriverGetVersion(int *driverVersion);
hipError_t hipRuntimeGetVersion(int *runtimeVersion);
/* ordinal is 0 to count - 1. */
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
/* Major and minor of the architecture. */
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
/* Writes at most len bytes, with the final 0. */
hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device);
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);
hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attr, int srcDevice,
    int dstDevice);
/* Writes "domain:bus:device.function" in hexadecimal. */
hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device);
/* The device with that bus id, as hipDeviceGetPCIBusId writes it. */
hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId);
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);

/* Devices. Each host thread has a current device, 0 at first. */

/* Waits for all streams of the current device; returns errors of the work that ended. */
hipError_t hipDeviceSynchronize(void);
/* Frees everything that this process holds on the current device and clears sticky errors. */
hipError_t hipDeviceReset(void);
/* Sets the current device of the calling thread. */
hipError_t hipSetDevice(int device);
/* Devices that this process may choose from, best first. */
hipError_t hipSetValidDevices(int *deviceArr, int len);
hipError_t hipGetDevice(int *device);
hipError_t hipGetDeviceCount(int *count);
/* One number about a device: cheaper than all properties. */
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attr, int device);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *memPool, int device);
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t memPool);
hipError_t hipDeviceGetMemPool(hipMemPool_t *memPool, int device);
/* The struct is filled completely. */
hipError_t hipGetDeviceProperties(hipDeviceProp_t *prop, int device);
/* A wish; devices without configurable caches ignore it. */
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t cacheConfig);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *cacheConfig);
hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit);
/* Before the first kernel that needs it. */
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config);
/* hipDeviceSchedule* and other flags of the current device. */
hipError_t hipGetDeviceFlags(unsigned int *flags);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
/* How a host thread waits for the device. */
hipError_t hipSetDeviceFlags(unsigned int flags);
/* The device that fits prop best. */
hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *prop);
/* How two devices are connected. */
hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype,
    uint32_t *hopcount);
/* A handle that another process can open. */
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr);
/* Maps memory of another process; flags is hipIpcMemLazyEnablePeerAccess. */
hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags);
hipError_t hipIpcCloseMemHandle(void *devPtr);
/* Of an event made with hipEventInterprocess and hipEventDisableTiming. */
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event);
hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle);

/* Properties of a kernel, which is named by its host address. */

/* func is the host address of a kernel. */
hipError_t hipFuncSetAttribute(const void *func, hipFuncAttribute attr, int value);
/* A wish; it may be ignored. */
hipError_t hipFuncSetCacheConfig(const void *func, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(const void *func, hipSharedMemConfig config);

/* Errors. The first failed call of a thread stays to be read; a sticky error, that of a failed
 * kernel, stays until the device is reset. */

/* Returns the thread's last error and sets it to hipSuccess, unless it is sticky. */
hipError_t hipGetLastError(void);
/* The error of the thread's last call, whether it failed or not. */
hipError_t hipExtGetLastError(void);
/* Like hipGetLastError, but keeps the error. */
hipError_t hipPeekAtLastError(void);
/* The enumerator as text; never NULL. */
const char *hipGetErrorName(hipError_t error);
/* A description; never NULL. */
const char *hipGetErrorString(hipError_t error);
/* Like hipGetErrorName; hipErrorInvalidValue for an unknown code. */
hipError_t hipDrvGetErrorName(hipError_t error, const char **errorString);
hipError_t hipDrvGetErrorString(hipError_t error, const char **errorString);

/* Streams: commands of one stream run in order, those of different streams at the same time. The
 * null stream waits for, and is waited for by, streams without hipStreamNonBlocking. */

/* On the current device; waits for, and is waited for by, the null stream. */
hipError_t hipStreamCreate(hipStream_t *stream);
/* flags: hipStreamDefault or hipStreamNonBlocking. */
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
/* Lower numbers run first; out of range is clamped. */
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);
/* Least is a number at least as large as greatest. */
hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
/* Returns at once; work that is queued still runs. */
hipError_t hipStreamDestroy(hipStream_t stream);
/* hipSuccess when all work is done, hipErrorNotReady when not. */
hipError_t hipStreamQuery(hipStream_t stream);
/* Waits for all work queued so far; 0 means the null stream. */
hipError_t hipStreamSynchronize(hipStream_t stream);
/* Later work of stream waits for the event's last record. */
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
    unsigned int flags LS_HIP_OPT(0));
/* The flags it was made with. */
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
/* Restricts the stream to some compute units. */
hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize,
    const uint32_t *cuMask);
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask);
/* Calls back when the work before it is done; the stream waits for the callback, which must not
 * call HIP. */
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData,
    unsigned int flags);

/* Events: marks in a stream that can be waited for and timed (milliseconds). */

/* flags: hipEventDefault, BlockingSync, DisableTiming, Interprocess, ... */
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags);
hipError_t hipEventCreate(hipEvent_t *event);
/* Marks the work queued in stream so far. Recording again replaces the mark. */
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream LS_HIP_OPT(0));
/* Allowed while recorded work is pending. */
hipError_t hipEventDestroy(hipEvent_t event);
/* Waits for the last record; returns at once if there is none. */
hipError_t hipEventSynchronize(hipEvent_t event);
/* Both events must have been recorded, with timing, and be done; hipErrorNotReady when one
 * isn't. */
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);
/* hipSuccess when done or never recorded, else hipErrorNotReady. */
hipError_t hipEventQuery(hipEvent_t event);

/* Memory. Sizes are bytes; hipMemsetD16 and D32 count elements. An Async call returns before its
 * work is done. */

hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
    hipDeviceptr_t ptr);
/* What the runtime knows about an address: unknown ones are unregistered host memory. */
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);
/* data receives the type that the attribute asks for. */
hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
hipError_t hipDrvPointerGetAttributes(unsigned int numAttributes, hipPointer_attribute *attributes,
    void **data, hipDeviceptr_t ptr);
/* At least 256-byte aligned. Size 0 gives NULL and hipSuccess. */
hipError_t hipMalloc(void **ptr, size_t size);
/* flags: hipDeviceMalloc* or hipMallocSignalMemory. */
hipError_t hipExtMallocWithFlags(void **ptr, size_t sizeBytes, unsigned int flags);
/* Page-locked host memory that devices can read and write. */
hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags);
hipError_t hipExtHostAlloc(void **ptr, size_t size, unsigned int flags);
/* Page-locked host memory; flags: hipHostAlloc*. */
hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags);
/* The address that a kernel uses for pinned or registered host memory. */
hipError_t hipHostGetDevicePointer(void **devPtr, void *hostPtr, unsigned int flags);
/* The flags that the memory was allocated with. */
hipError_t hipHostGetFlags(unsigned int *flagsPtr, void *hostPtr);
/* Makes existing host memory usable by devices; it must not be registered yet. */
hipError_t hipHostRegister(void *hostPtr, size_t sizeBytes, unsigned int flags);
/* The address that was registered. */
hipError_t hipHostUnregister(void *hostPtr);
/* Rows start at multiples of *pitch bytes. */
hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
/* elementSizeBytes is 4, 8 or 16. */
hipError_t hipMemAllocPitch(hipDeviceptr_t *dptr, size_t *pitch, size_t widthInBytes, size_t height,
    unsigned int elementSizeBytes);
/* Waits for all work of the device, then frees. NULL does nothing. */
hipError_t hipFree(void *ptr);
/* NULL does nothing. */
hipError_t hipHostFree(void *ptr);
/* Returns when the copy is done; in order with the null stream. */
hipError_t hipMemcpy(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind);
/* In order with stream; returns when the copy is done. */
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
    hipStream_t stream);
/* From host to device. */
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t sizeBytes);
/* From device to host. */
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t sizeBytes);
/* Between device addresses. */
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes);
/* From an array, srcOffset in bytes. */
hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset,
    size_t byteCount);
hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice,
    size_t byteCount);
hipError_t hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray,
    size_t srcOffset, size_t byteCount);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t sizeBytes, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes,
    hipStream_t stream);
hipError_t hipMemcpyAtoHAsync(void *dstHost, hipArray_t srcArray, size_t srcOffset,
    size_t byteCount, hipStream_t stream);
hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void *srcHost,
    size_t byteCount, hipStream_t stream);
/* Address and size of a module's variable; either pointer may be NULL. */
hipError_t hipModuleGetGlobal(hipDeviceptr_t *dptr, size_t *bytes, hipModule_t hmod,
    const char *name);
/* The device address of a variable. */
hipError_t hipGetSymbolAddress(void **devPtr, const void *symbol);
hipError_t hipGetSymbolSize(size_t *size, const void *symbol);
/* The address of an API function by name. */
hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
    hipDriverProcAddressQueryResult *symbolStatus);
/* symbol is the host address of a __device__ or __constant__ variable. */
hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t sizeBytes,
    size_t offset LS_HIP_OPT(0), hipMemcpyKind kind LS_HIP_OPT(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t sizeBytes,
    size_t offset, hipMemcpyKind kind, hipStream_t stream LS_HIP_OPT(0));
/* The other direction of hipMemcpyToSymbol. */
hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t sizeBytes,
    size_t offset LS_HIP_OPT(0), hipMemcpyKind kind LS_HIP_OPT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t sizeBytes, size_t offset,
    hipMemcpyKind kind, hipStream_t stream LS_HIP_OPT(0));
/* Pageable host memory may make it wait. */
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
    hipStream_t stream LS_HIP_OPT(0));
/* Sets bytes; in order with the null stream. */
hipError_t hipMemset(void *dst, int value, size_t sizeBytes);
hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count,
    hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count);
hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count,
    hipStream_t stream LS_HIP_OPT(0));
/* count words of 32 bits. */
hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count);
hipError_t hipMemsetAsync(void *dst, int value, size_t sizeBytes, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count,
    hipStream_t stream LS_HIP_OPT(0));
/* height rows of width bytes, pitch bytes apart. */
hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
    hipStream_t stream LS_HIP_OPT(0));
/* extent.width in bytes. */
hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);
hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
    hipStream_t stream LS_HIP_OPT(0));
/* Free and total bytes of the current device. */
hipError_t hipMemGetInfo(size_t *free, size_t *total);
/* The size of the allocation that starts at ptr. */
hipError_t hipMemPtrGetInfo(void *ptr, size_t *size);
/* height 0 makes an array of one dimension. */
hipError_t hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width,
    size_t height LS_HIP_OPT(0), unsigned int flags LS_HIP_OPT(hipArrayDefault));
hipError_t hipArrayCreate(hipArray_t *handle, const HIP_ARRAY_DESCRIPTOR *allocateArray);
hipError_t hipArrayDestroy(hipArray_t array);
hipError_t hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *allocateArray);
/* The pitch is in pitchedDevPtr. */
hipError_t hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent);
hipError_t hipFreeArray(hipArray_t array);
/* Height and depth 0 where there is no such dimension. */
hipError_t hipMalloc3DArray(hipArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent,
    unsigned int flags);
hipError_t hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags,
    hipArray_t array);
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *arrayDescriptor, hipArray_t array);
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *arrayDescriptor, hipArray_t array);
/* width in bytes; pitches are at least width. */
hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, hipMemcpyKind kind);
/* The driver's form of a 2D copy, arrays included. */
hipError_t hipMemcpyParam2D(const hip_Memcpy2D *copy);
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *copy, hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, hipMemcpyKind kind, hipStream_t stream LS_HIP_OPT(0));
/* wOffset and width in bytes, hOffset and height in rows. */
hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t offset, const void *src,
    size_t spitch, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t offset, const void *src,
    size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
    hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t offsetDst,
    hipArray_const_t src, size_t wOffsetSrc, size_t offsetSrc, size_t width, size_t height,
    hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArray(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
    size_t offset, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArrayAsync(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
    size_t offset, size_t width, size_t height, hipMemcpyKind kind,
    hipStream_t stream LS_HIP_OPT(0));
hipError_t hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count);
hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *srcHost, size_t count);
/* One of array and pointer is set on either side. */
hipError_t hipMemcpy3D(const hipMemcpy3DParms *p);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *p, hipStream_t stream LS_HIP_OPT(0));
/* The driver's form of a 3D copy. */
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *copy);
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *copy, hipStream_t stream);

/* Memory and semaphores of other APIs. */

hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t *extSemOut,
    const hipExternalSemaphoreHandleDesc *semHandleDesc);
hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
    const hipExternalSemaphoreSignalParams *paramsArray, unsigned int numExtSems,
    hipStream_t stream);
hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *extSemArray,
    const hipExternalSemaphoreWaitParams *paramsArray, unsigned int numExtSems, hipStream_t stream);
hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t extSem);
/* Takes over an OS handle of another API. */
hipError_t hipImportExternalMemory(hipExternalMemory_t *extMemOut,
    const hipExternalMemoryHandleDesc *memHandleDesc);
/* To be freed with hipFree. */
hipError_t hipExternalMemoryGetMappedBuffer(void **devPtr, hipExternalMemory_t extMem,
    const hipExternalMemoryBufferDesc *bufferDesc);
hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem);
/* A mipmapped array whose levels lie in the memory, from desc->offset on, as
 * hipMallocMipmappedArray would lay them out: rows of whole lines of 64 bytes (of an odd number of
 * them where there are 16 and more, and several rows), levels at multiples of 256 bytes. What
 * another API made of the memory must have that layout. hipErrorInvalidValue when offset is no
 * multiple of the alignment of hipMipmappedArrayGetMemoryRequirements, or the levels do not fit.
 * To be freed with hipFreeMipmappedArray, also after hipDestroyExternalMemory. */
hipError_t hipExternalMemoryGetMappedMipmappedArray(hipMipmappedArray_t *mipmap,
    hipExternalMemory_t extMem, const hipExternalMemoryMipmappedArrayDesc *mipmapDesc);

/* Older names for pinned host memory. */

hipError_t hipMallocHost(void **ptr, size_t size);
hipError_t hipMemAllocHost(void **ptr, size_t size);
/* The same as hipHostFree. */
hipError_t hipFreeHost(void *ptr);
hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t offset, const void *src,
    size_t count, hipMemcpyKind kind);
hipError_t hipMemcpyFromArray(void *dst, hipArray_const_t srcArray, size_t wOffset, size_t offset,
    size_t count, hipMemcpyKind kind);

/* Managed memory: one address for host and devices. */

/* flags: hipMemAttachGlobal or hipMemAttachHost. */
hipError_t hipMallocManaged(void **devPtr, size_t size,
    unsigned int flags LS_HIP_OPT(hipMemAttachGlobal));
/* device may be hipCpuDeviceId. */
hipError_t hipMemPrefetchAsync(const void *devPtr, size_t count, int device,
    hipStream_t stream LS_HIP_OPT(0));
/* A hint about a range of managed memory. */
hipError_t hipMemAdvise(const void *devPtr, size_t count, hipMemoryAdvise advice, int device);
/* What was advised for a range. */
hipError_t hipMemRangeGetAttribute(void *data, size_t dataSize, hipMemRangeAttribute attribute,
    const void *devPtr, size_t count);
hipError_t hipMemRangeGetAttributes(void **data, size_t *dataSizes,
    hipMemRangeAttribute *attributes, size_t numAttributes, const void *devPtr, size_t count);
/* Ties managed memory to one stream. */
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *devPtr, size_t length LS_HIP_OPT(0),
    unsigned int flags LS_HIP_OPT(hipMemAttachSingle));

/* Allocation in stream order, from memory pools. */

/* Valid for work that stream runs after this. */
hipError_t hipMallocAsync(void **devPtr, size_t size, hipStream_t stream);
/* Freed when stream gets there. */
hipError_t hipFreeAsync(void *devPtr, hipStream_t stream);
/* Gives unused memory back, down to minBytesToHold. */
hipError_t hipMemPoolTrimTo(hipMemPool_t memPool, size_t minBytesToHold);
/* value points to int for the Reuse attributes, to uint64_t for the others. */
hipError_t hipMemPoolSetAttribute(hipMemPool_t memPool, hipMemPoolAttr attr, void *value);
hipError_t hipMemPoolGetAttribute(hipMemPool_t memPool, hipMemPoolAttr attr, void *value);
hipError_t hipMemPoolSetAccess(hipMemPool_t memPool, const hipMemAccessDesc *descList,
    size_t count);
hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t memPool,
    hipMemLocation *location);
/* poolProps says where its memory lies. */
hipError_t hipMemPoolCreate(hipMemPool_t *memPool, const hipMemPoolProps *poolProps);
hipError_t hipMemPoolDestroy(hipMemPool_t memPool);
/* Like hipMallocAsync, from a pool of one's own. */
hipError_t hipMallocFromPoolAsync(void **devPtr, size_t size, hipMemPool_t memPool,
    hipStream_t stream);
hipError_t hipMemPoolExportToShareableHandle(void *sharedHandle, hipMemPool_t memPool,
    hipMemAllocationHandleType handleType, unsigned int flags);
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *memPool, void *sharedHandle,
    hipMemAllocationHandleType handleType, unsigned int flags);
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *exportData, void *devPtr);
hipError_t hipMemPoolImportPointer(void **devPtr, hipMemPool_t memPool,
    hipMemPoolPtrExportData *exportData);

/* Access between devices. */

/* 1 if device can use peerDevice's memory. */
hipError_t hipDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDeviceId);
/* From the current device; flags must be 0. */
hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);
hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);
/* The allocation that holds dptr. */
hipError_t hipMemGetAddressRange(hipDeviceptr_t *pbase, size_t *psize, hipDeviceptr_t dptr);
/* Between two devices. */
hipError_t hipMemcpyPeer(void *dst, int dstDeviceId, const void *src, int srcDeviceId,
    size_t sizeBytes);
hipError_t hipMemcpyPeerAsync(void *dst, int dstDeviceId, const void *src, int srcDevice,
    size_t sizeBytes, hipStream_t stream LS_HIP_OPT(0));

/* Contexts of the driver API: one primary context for each device. */

/* Pushes the new context. */
hipError_t hipCtxCreate(hipCtx_t *ctx, unsigned int flags, hipDevice_t device);
hipError_t hipCtxDestroy(hipCtx_t ctx);
hipError_t hipCtxPopCurrent(hipCtx_t *ctx);
hipError_t hipCtxPushCurrent(hipCtx_t ctx);
hipError_t hipCtxSetCurrent(hipCtx_t ctx);
/* NULL if the thread has none. */
hipError_t hipCtxGetCurrent(hipCtx_t *ctx);
hipError_t hipCtxGetDevice(hipDevice_t *device);
hipError_t hipCtxGetApiVersion(hipCtx_t ctx, int *apiVersion);
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *cacheConfig);
hipError_t hipCtxSetCacheConfig(hipFuncCache_t cacheConfig);
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *config);
hipError_t hipCtxSynchronize(void);
hipError_t hipCtxGetFlags(unsigned int *flags);
hipError_t hipCtxEnablePeerAccess(hipCtx_t peerCtx, unsigned int flags);
hipError_t hipCtxDisablePeerAccess(hipCtx_t peerCtx);
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t dev, unsigned int *flags, int *active);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t dev);
/* The context that the runtime API uses. */
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *pctx, hipDevice_t dev);
hipError_t hipDevicePrimaryCtxReset(hipDevice_t dev);
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t dev, unsigned int flags);

/* Modules: code objects loaded at run time, their kernels, and launches. Grids are counted in
 * blocks; `extra` holds HIP_LAUNCH_PARAM_* tags. */

/* fname holds a code object or an offload bundle. */
hipError_t hipModuleLoad(hipModule_t *module, const char *fname);
/* Its kernels and variables are gone then. */
hipError_t hipModuleUnload(hipModule_t module);
/* kname is the mangled name, as in the code object. */
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *kname);
/* Registers, LDS and limits of a kernel. */
hipError_t hipFuncGetAttributes(hipFuncAttributes *attr, const void *func);
hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attrib, hipFunction_t function);
hipError_t hipGetFuncBySymbol(hipFunction_t *functionPtr, const void *symbolPtr);
hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t hmod, const char *name);
/* image starts a code object or an offload bundle in memory. */
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
/* HIP Programming Guide's name for that of a fat binary. */
static inline hipError_t
hipModuleLoadFatBin(hipModule_t *module, const void *fatBin)
{
    return hipModuleLoadData(module, fatBin);
}
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions,
    hipJitOption *options, void **optionValues);
/* Either kernelParams or extra is NULL. */
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridDimX,
    unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
    unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams,
    void **extra);
/* All blocks run at once. */
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned int gridDimX,
    unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
    unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams);
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *launchParamsList,
    unsigned int numDevices, unsigned int flags);
/* All blocks must be able to run at once: grid-wide barriers are allowed. */
hipError_t hipLaunchCooperativeKernel(const void *function, dim3 gridDim, dim3 blockDimX,
    void **kernelParams, unsigned int sharedMemBytes, hipStream_t stream);
/* One launch on each of several devices. */
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
    unsigned int flags);
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices,
    unsigned int flags);

/* Occupancy: how many blocks run at once on one multiprocessor. */

/* A block size with good occupancy, and the grid that fills the device. */
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize,
    hipFunction_t function, size_t dynSharedMemPerBlk, int blockSizeLimit);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize,
    hipFunction_t function, size_t dynSharedMemPerBlk, int blockSizeLimit, unsigned int flags);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks,
    hipFunction_t function, int blockSize, size_t dynSharedMemPerBlk);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
    hipFunction_t function, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags);
/* f is the host address of a kernel. */
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *function,
    int blockSize, size_t dynSharedMemPerBlk);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
    const void *function, int blockSize, size_t dynSharedMemPerBlk,
    unsigned int flags LS_HIP_OPT(hipOccupancyDefault));
hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *function,
    size_t dynSharedMemPerBlk, int blockSizeLimit);

/* Profiler control. */

hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);

/* What the triple-chevron syntax compiles to, and launches by a kernel's host address. */

/* The configuration of the next hipLaunchByPtr. */
hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem LS_HIP_OPT(0),
    hipStream_t stream LS_HIP_OPT(0));
/* Adds an argument for the next hipLaunchByPtr. */
hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset);
hipError_t hipLaunchByPtr(const void *func);
/* Keeps the <<<>>> configuration for the stub that is called next. */
hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem LS_HIP_OPT(0),
    hipStream_t stream LS_HIP_OPT(0));
/* Takes the configuration that was pushed last by this thread. */
hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
    hipStream_t *stream);
/* functionAddress is the host address of the kernel; args[i] points to argument i. */
hipError_t hipLaunchKernel(const void *functionAddress, dim3 numBlocks, dim3 dimBlocks, void **args,
    size_t sharedMemBytes LS_HIP_OPT(0), hipStream_t stream LS_HIP_OPT(0));
/* Calls fn in stream order; it must not call HIP. */
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData);
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *copy);
/* Records the events, if given, around the kernel. */
hipError_t hipExtLaunchKernel(const void *functionAddress, dim3 numBlocks, dim3 dimBlocks,
    void **args, size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
    hipEvent_t stopEvent, int flags);

/* Texture objects. */

/* resViewDesc may be NULL. */
hipError_t hipCreateTextureObject(hipTextureObject_t *texObject, const hipResourceDesc *resDesc,
    const hipTextureDesc *texDesc, const struct hipResourceViewDesc *resViewDesc);
hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject);
/* The element format of an array. */
hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array);
hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *resDesc,
    hipTextureObject_t textureObject);
hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *resViewDesc,
    hipTextureObject_t textureObject);
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *texDesc,
    hipTextureObject_t textureObject);
hipError_t hipTexObjectCreate(hipTextureObject_t *texObject, const HIP_RESOURCE_DESC *resDesc,
    const HIP_TEXTURE_DESC *texDesc, const HIP_RESOURCE_VIEW_DESC *resViewDesc);
hipError_t hipTexObjectDestroy(hipTextureObject_t texObject);
hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *resDesc, hipTextureObject_t texObject);
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *resViewDesc,
    hipTextureObject_t texObject);
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *texDesc, hipTextureObject_t texObject);
/* numLevels levels, each half as large as the one before. */
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *mipmappedArray,
    const hipChannelFormatDesc *desc, hipExtent extent, unsigned int numLevels,
    unsigned int flags LS_HIP_OPT(0));
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray);
/* level 0 is the largest. */
hipError_t hipGetMipmappedArrayLevel(hipArray_t *levelArray,
    hipMipmappedArray_const_t mipmappedArray, unsigned int level);
hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t *handle,
    HIP_ARRAY3D_DESCRIPTOR *mipmappedArrayDesc, unsigned int numMipmapLevels);
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t mipmappedArray);
hipError_t hipMipmappedArrayGetLevel(hipArray_t *levelArray, hipMipmappedArray_t mipMappedArray,
    unsigned int level);

/* Texture references. */

hipError_t hipBindTextureToMipmappedArray(const textureReference *tex,
    hipMipmappedArray_const_t mipmappedArray, const hipChannelFormatDesc *desc);
hipError_t hipGetTextureReference(const textureReference **texref, const void *symbol);
hipError_t hipTexRefGetBorderColor(float *borderColor, const textureReference *texRef);
hipError_t hipTexRefGetArray(hipArray_t *array, const textureReference *texRef);
hipError_t hipTexRefSetAddressMode(textureReference *texRef, int dim,
    enum hipTextureAddressMode am);
hipError_t hipTexRefSetArray(textureReference *tex, hipArray_const_t array, unsigned int flags);
hipError_t hipTexRefSetFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);
hipError_t hipTexRefSetFlags(textureReference *texRef, unsigned int flags);
hipError_t hipTexRefSetFormat(textureReference *texRef, hipArray_Format fmt,
    int numPackedComponents);
hipError_t hipBindTexture(size_t *offset, const textureReference *tex, const void *devPtr,
    const hipChannelFormatDesc *desc, size_t size LS_HIP_OPT(UINT_MAX));
hipError_t hipBindTexture2D(size_t *offset, const textureReference *tex, const void *devPtr,
    const hipChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
hipError_t hipBindTextureToArray(const textureReference *tex, hipArray_const_t array,
    const hipChannelFormatDesc *desc);
hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *texref);
hipError_t hipUnbindTexture(const textureReference *tex);
hipError_t hipTexRefGetAddress(hipDeviceptr_t *devPtr, const textureReference *texRef);
hipError_t hipTexRefGetAddressMode(enum hipTextureAddressMode *pam, const textureReference *texRef,
    int dim);
hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode *pfm, const textureReference *texRef);
hipError_t hipTexRefGetFlags(unsigned int *flags, const textureReference *texRef);
hipError_t hipTexRefGetFormat(hipArray_Format *format, int *numChannels,
    const textureReference *texRef);
hipError_t hipTexRefGetMaxAnisotropy(int *pmaxAnsio, const textureReference *texRef);
hipError_t hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode *pfm,
    const textureReference *texRef);
hipError_t hipTexRefGetMipmapLevelBias(float *pbias, const textureReference *texRef);
hipError_t hipTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
    const textureReference *texRef);
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *array, const textureReference *texRef);
hipError_t hipTexRefSetAddress(size_t *byteOffset, textureReference *texRef, hipDeviceptr_t dptr,
    size_t bytes);
hipError_t hipTexRefSetAddress2D(textureReference *texRef, const HIP_ARRAY_DESCRIPTOR *desc,
    hipDeviceptr_t dptr, size_t pitch);
hipError_t hipTexRefSetMaxAnisotropy(textureReference *texRef, unsigned int maxAniso);
hipError_t hipTexRefSetBorderColor(textureReference *texRef, float *borderColor);
hipError_t hipTexRefSetMipmapFilterMode(textureReference *texRef, enum hipTextureFilterMode fm);
hipError_t hipTexRefSetMipmapLevelBias(textureReference *texRef, float bias);
hipError_t hipTexRefSetMipmapLevelClamp(textureReference *texRef, float minMipMapLevelClamp,
    float maxMipMapLevelClamp);
hipError_t hipTexRefSetMipmappedArray(textureReference *texRef,
    struct hipMipmappedArray *mipmappedArray, unsigned int flags);

/* Names, for tracers. */

/* The name of an API function by its number in traces. */
const char *hipApiName(uint32_t id);
const char *hipKernelNameRef(const hipFunction_t function);
const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream);
int hipGetStreamDeviceId(hipStream_t stream);

/* Resources shared with OpenGL. */

hipError_t hipGraphicsMapResources(int count, hipGraphicsResource_t *resources,
    hipStream_t stream LS_HIP_OPT(0));
hipError_t hipGraphicsSubResourceGetMappedArray(hipArray_t *array, hipGraphicsResource_t resource,
    unsigned int arrayIndex, unsigned int mipLevel);
hipError_t hipGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
    hipGraphicsResource_t resource);
hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t *resources,
    hipStream_t stream LS_HIP_OPT(0));
hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource);

/* Surface objects. */

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *surfObject, const hipResourceDesc *resDesc);
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject);
/* Texels of a format in the longest texture of plain memory. */
hipError_t hipDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
    const hipChannelFormatDesc *fmtDesc, int device);
#ifdef __cplusplus
}
#endif

#include <hip/detail/graph_api.h>
#include <hip/detail/api_newer.h>
#include <hip/hip_deprecated.h>
#include <hip/detail/per_thread_api.h>
#ifdef __cplusplus
#include <hip/detail/api_cxx.h>
#endif

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
#endif
