/* SPDX-License-Identifier: MIT */
/* The API on the per-thread default stream: the null stream means hipStreamPerThread.
 *
 * With HIP_API_PER_THREAD_DEFAULT_STREAM defined (-fgpu-default-stream=per-thread), the usual names
 * mean these functions. */
#ifndef HIP_DETAIL_PER_THREAD_API_H
#define HIP_DETAIL_PER_THREAD_API_H

#include <hip/detail/graph_api.h>

#ifdef __cplusplus
extern "C" {
#endif

hipError_t hipMemcpy_spt(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind);
hipError_t hipMemcpyToSymbol_spt(const void *symbol, const void *src, size_t sizeBytes,
    size_t offset LS_HIP_OPT(0), hipMemcpyKind kind LS_HIP_OPT(hipMemcpyHostToDevice));
hipError_t hipMemcpyFromSymbol_spt(void *dst, const void *symbol, size_t sizeBytes,
    size_t offset LS_HIP_OPT(0), hipMemcpyKind kind LS_HIP_OPT(hipMemcpyDeviceToHost));
hipError_t hipMemcpy2D_spt(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArray_spt(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
    size_t offset, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms *p);
hipError_t hipMemset_spt(void *dst, int value, size_t sizeBytes);
hipError_t hipMemsetAsync_spt(void *dst, int value, size_t sizeBytes,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemset2D_spt(void *dst, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync_spt(void *dst, size_t pitch, int value, size_t width, size_t height,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemset3DAsync_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemset3D_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);
hipError_t hipMemcpyAsync_spt(void *dst, const void *src, size_t sizeBytes, hipMemcpyKind kind,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms *p,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemcpy2DAsync_spt(void *dst, size_t dpitch, const void *src, size_t spitch,
    size_t width, size_t height, hipMemcpyKind kind,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemcpyFromSymbolAsync_spt(void *dst, const void *symbol, size_t sizeBytes,
    size_t offset, hipMemcpyKind kind, hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemcpyToSymbolAsync_spt(const void *symbol, const void *src, size_t sizeBytes,
    size_t offset, hipMemcpyKind kind, hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemcpyFromArray_spt(void *dst, hipArray_const_t src, size_t wOffsetSrc, size_t offset,
    size_t count, hipMemcpyKind kind);
hipError_t hipMemcpy2DToArray_spt(hipArray_t dst, size_t wOffset, size_t offset, const void *src,
    size_t spitch, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArrayAsync_spt(void *dst, size_t dpitch, hipArray_const_t src,
    size_t wOffsetSrc, size_t offsetSrc, size_t width, size_t height, hipMemcpyKind kind,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipMemcpy2DToArrayAsync_spt(hipArray_t dst, size_t wOffset, size_t offset,
    const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipGetProcAddress_spt(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
    hipDriverProcAddressQueryResult *symbolStatus);
hipError_t hipStreamQuery_spt(hipStream_t stream);
hipError_t hipStreamSynchronize_spt(hipStream_t stream);
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int *priority);
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event,
    unsigned int flags LS_HIP_OPT(0));
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback,
    void *userData, unsigned int flags);
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipLaunchCooperativeKernel_spt(const void *function, dim3 gridDim, dim3 blockDim,
    void **kernelParams, uint32_t sharedMemBytes,
    hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipLaunchKernel_spt(const void *functionAddress, dim3 numBlocks, dim3 dimBlocks,
    void **args, size_t sharedMemBytes, hipStream_t stream LS_HIP_OPT(hipStreamPerThread));
hipError_t hipGraphLaunch_spt(hipGraphExec_t graphExec, hipStream_t stream);
hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t *graph);
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *captureStatus);
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus *captureStatus,
    unsigned long long *id);
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream,
    hipStreamCaptureStatus *captureStatusOut, unsigned long long *idOut, hipGraph_t *graphOut,
    const hipGraphNode_t **dependenciesOut, size_t *numDependenciesOut);
hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t fn, void *userData);

#ifdef __cplusplus
}
#endif

#if defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
#define __HIP_STREAM_PER_THREAD
#define hipMemcpy                  hipMemcpy_spt
#define hipMemcpyToSymbol          hipMemcpyToSymbol_spt
#define hipMemcpyFromSymbol        hipMemcpyFromSymbol_spt
#define hipMemcpy2D                hipMemcpy2D_spt
#define hipMemcpy2DFromArray       hipMemcpy2DFromArray_spt
#define hipMemcpy3D                hipMemcpy3D_spt
#define hipMemset                  hipMemset_spt
#define hipMemset2D                hipMemset2D_spt
#define hipMemset3D                hipMemset3D_spt
#define hipMemcpyAsync             hipMemcpyAsync_spt
#define hipMemset3DAsync           hipMemset3DAsync_spt
#define hipMemset2DAsync           hipMemset2DAsync_spt
#define hipMemsetAsync             hipMemsetAsync_spt
#define hipMemcpy3DAsync           hipMemcpy3DAsync_spt
#define hipMemcpy2DAsync           hipMemcpy2DAsync_spt
#define hipMemcpyFromSymbolAsync   hipMemcpyFromSymbolAsync_spt
#define hipMemcpyToSymbolAsync     hipMemcpyToSymbolAsync_spt
#define hipMemcpyFromArray         hipMemcpyFromArray_spt
#define hipMemcpy2DToArray         hipMemcpy2DToArray_spt
#define hipMemcpy2DFromArrayAsync  hipMemcpy2DFromArrayAsync_spt
#define hipMemcpy2DToArrayAsync    hipMemcpy2DToArrayAsync_spt
#define hipStreamSynchronize       hipStreamSynchronize_spt
#define hipStreamQuery             hipStreamQuery_spt
#define hipStreamGetFlags          hipStreamGetFlags_spt
#define hipStreamGetPriority       hipStreamGetPriority_spt
#define hipStreamWaitEvent         hipStreamWaitEvent_spt
#define hipStreamAddCallback       hipStreamAddCallback_spt
#define hipLaunchHostFunc          hipLaunchHostFunc_spt
#define hipEventRecord             hipEventRecord_spt
#define hipLaunchKernel            hipLaunchKernel_spt
#define hipLaunchCooperativeKernel hipLaunchCooperativeKernel_spt
#define hipGraphLaunch             hipGraphLaunch_spt
#define hipStreamBeginCapture      hipStreamBeginCapture_spt
#define hipStreamEndCapture        hipStreamEndCapture_spt
#define hipStreamIsCapturing       hipStreamIsCapturing_spt
#define hipStreamGetCaptureInfo    hipStreamGetCaptureInfo_spt
#define hipStreamGetCaptureInfo_v2 hipStreamGetCaptureInfo_v2_spt
#endif

#endif
