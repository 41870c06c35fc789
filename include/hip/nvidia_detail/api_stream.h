/* SPDX-License-Identifier: MIT */
/* Streams and graphs on NVIDIA's platform: what the tables cannot say. */
#ifndef HIP_NVIDIA_DETAIL_API_STREAM_H
#define HIP_NVIDIA_DETAIL_API_STREAM_H

#include <stdlib.h>

/* A callback is called with CUDA's error: this stands between. */
struct ls_nv_callback {
    hipStreamCallback_t callback;
    void *data;
};

static inline void
ls_nv_callback_run(cudaStream_t stream, cudaError_t status, void *data)
{
    struct ls_nv_callback *call = (struct ls_nv_callback *)data;

    call->callback(stream, hipCUDAErrorTohipError(status), call->data);
    free(call);
}

static inline hipError_t
hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData,
                     unsigned int flags)
{
    struct ls_nv_callback *call;
    cudaError_t error;

    if (!callback)
        return hipErrorInvalidValue;
    call = (struct ls_nv_callback *)malloc(sizeof(*call));
    if (!call)
        return hipErrorOutOfMemory;
    call->callback = callback;
    call->data = userData;
    error = cudaStreamAddCallback(stream, ls_nv_callback_run, call, flags);
    if (error != cudaSuccess)
        free(call);
    return hipCUDAErrorTohipError(error);
}

/* The driver's waits have no mask. */
static inline hipError_t
hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags,
                     uint32_t mask LS_HIP_OPT(0xFFFFFFFF))
{
    if (mask != 0xFFFFFFFF)
        return hipErrorNotSupported;
    return LS_NV_CU(cuStreamWaitValue32, (stream, LS_NV_PTR(ptr), value, flags));
}

static inline hipError_t
hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
                     uint64_t mask LS_HIP_OPT(0xFFFFFFFFFFFFFFFF))
{
    if (mask != 0xFFFFFFFFFFFFFFFF)
        return hipErrorNotSupported;
    return LS_NV_CU(cuStreamWaitValue64, (stream, LS_NV_PTR(ptr), value, flags));
}

/* The device's number; -1 where it is not known. */
static inline int
hipGetStreamDeviceId(hipStream_t stream)
{
    int device = -1;

#if CUDART_VERSION >= 12080
    if (cudaStreamGetDevice(stream, &device) != cudaSuccess)
        return -1;
#else
    CUcontext ctx = NULL;
#if CUDA_VERSION >= 12050 /* the name finds the function of three arguments */
    hipError_t error = LS_NV_CU_AS("cuStreamGetCtx", cuStreamGetCtx_v2, (stream, &ctx, NULL));
#else
    hipError_t error = LS_NV_CU(cuStreamGetCtx, (stream, &ctx));
#endif
    if (error != hipSuccess || LS_NV_CU(cuCtxPushCurrent, (ctx)) != hipSuccess)
        return -1;
    if (LS_NV_CU(cuCtxGetDevice, (&device)) != hipSuccess)
        device = -1;
    (void)LS_NV_CU(cuCtxPopCurrent, (&ctx));
#endif
    return device;
}

/* CUDA 13 has the edges' data between the nodes and their number. */
#if CUDART_VERSION >= 13000
#define LS_NV_EDGES NULL,
#define LS_NV_LAST_EDGES , NULL
#else
#define LS_NV_EDGES
#define LS_NV_LAST_EDGES
#endif

static inline hipError_t
hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *captureStatusOut,
                           unsigned long long *idOut LS_HIP_OPT(0),
                           hipGraph_t *graphOut LS_HIP_OPT(0),
                           const hipGraphNode_t **dependenciesOut LS_HIP_OPT(0),
                           size_t *numDependenciesOut LS_HIP_OPT(0))
{
#if CUDART_VERSION >= 13000
    return hipCUDAErrorTohipError(cudaStreamGetCaptureInfo(
        stream, captureStatusOut, idOut, graphOut, dependenciesOut, NULL, numDependenciesOut));
#else
    return hipCUDAErrorTohipError(cudaStreamGetCaptureInfo(
        stream, captureStatusOut, idOut, graphOut, dependenciesOut, numDependenciesOut));
#endif
}

static inline hipError_t
hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *captureStatus,
                        unsigned long long *id)
{
    return hipStreamGetCaptureInfo_v2(stream, captureStatus, id, NULL, NULL, NULL);
}

static inline hipError_t
hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *dependencies,
                                   size_t numDependencies, unsigned int flags LS_HIP_OPT(0))
{
    return hipCUDAErrorTohipError(cudaStreamUpdateCaptureDependencies(
        stream, dependencies, LS_NV_EDGES numDependencies, flags));
}

static inline hipError_t
hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                        size_t numDependencies)
{
    return hipCUDAErrorTohipError(
        cudaGraphAddDependencies(graph, from, to, LS_NV_EDGES numDependencies));
}

static inline hipError_t
hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                           size_t numDependencies)
{
    return hipCUDAErrorTohipError(
        cudaGraphRemoveDependencies(graph, from, to, LS_NV_EDGES numDependencies));
}

static inline hipError_t
hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *numEdges)
{
    return hipCUDAErrorTohipError(cudaGraphGetEdges(graph, from, to, LS_NV_EDGES numEdges));
}

static inline hipError_t
hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *dependencies,
                            size_t *numDependencies)
{
    return hipCUDAErrorTohipError(
        cudaGraphNodeGetDependencies(node, dependencies, LS_NV_EDGES numDependencies));
}

static inline hipError_t
hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *dependentNodes,
                              size_t *numDependentNodes)
{
    return hipCUDAErrorTohipError(
        cudaGraphNodeGetDependentNodes(node, dependentNodes, LS_NV_EDGES numDependentNodes));
}

static inline hipError_t
hipGraphAddNode(hipGraphNode_t *graphNode, hipGraph_t graph, const hipGraphNode_t *dependencies,
                size_t numDependencies, hipGraphNodeParams *nodeParams)
{
#if CUDART_VERSION >= 12020
    return hipCUDAErrorTohipError(cudaGraphAddNode(graphNode, graph, dependencies,
                                                   LS_NV_EDGES numDependencies, nodeParams));
#else
    return hipErrorNotSupported;
#endif
}

#undef LS_NV_LAST_EDGES
#undef LS_NV_EDGES

/* CUDA 12 says no more which node is wrong. */
static inline hipError_t
hipGraphInstantiate(hipGraphExec_t *graphExec, hipGraph_t graph,
                    hipGraphNode_t *errorNode LS_HIP_OPT(0), char *logBuffer LS_HIP_OPT(0),
                    size_t bufferSize LS_HIP_OPT(0))
{
    if (errorNode)
        *errorNode = NULL;
    if (logBuffer && bufferSize)
        logBuffer[0] = 0;
    return hipCUDAErrorTohipError(cudaGraphInstantiate(graphExec, graph, 0));
}

static inline hipError_t
hipGraphExecUpdate(hipGraphExec_t graphExec, hipGraph_t graph, hipGraphNode_t *errorNodeOut,
                   hipGraphExecUpdateResult *updateResultOut)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error;

    memset(&info, 0, sizeof(info));
    error = cudaGraphExecUpdate(graphExec, graph, &info);
    if (errorNodeOut)
        *errorNodeOut = info.errorNode;
    if (updateResultOut)
        *updateResultOut = info.result;
    return hipCUDAErrorTohipError(error);
}

#endif
