/* SPDX-License-Identifier: MIT */
/* The API of graphs, capture, stream memory operations and virtual memory. */
#ifndef HIP_DETAIL_GRAPH_API_H
#define HIP_DETAIL_GRAPH_API_H

#include <hip/detail/graph_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stream memory operations: wait for, or write, a value in memory in stream order. */

/* Waits until *ptr & mask compares with value as flags (hipStreamWaitValue*) say. */
hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags,
    uint32_t mask LS_HIP_OPT(0xFFFFFFFF));
hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
    uint64_t mask LS_HIP_OPT(0xFFFFFFFFFFFFFFFF));
/* Writes when all earlier work is done. */
hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags);
/* Several waits and writes, in order. */
hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count,
    hipStreamBatchMemOpParams *paramArray, unsigned int flags);
hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies,
    const hipBatchMemOpNodeParams *nodeParams);
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node,
    hipBatchMemOpNodeParams *nodeParamsOut);
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node,
    hipBatchMemOpNodeParams *nodeParams);
hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    const hipBatchMemOpNodeParams *nodeParams);

/* Graphs: commands recorded by capture or built by hand, launched as one. */

/* Calls on stream are recorded, not run, until hipStreamEndCapture. */
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
/* Records into an existing graph, behind the given nodes. */
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
    const hipGraphNode_t *dependencies, const hipGraphEdgeData *dependencyData,
    size_t numDependencies, hipStreamCaptureMode mode);
/* The graph belongs to the caller. */
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
/* The id of the capture, unique in the process. */
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *captureStatus,
    unsigned long long *id);
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *captureStatusOut,
    unsigned long long *idOut LS_HIP_OPT(0), hipGraph_t *graphOut LS_HIP_OPT(0),
    const hipGraphNode_t **dependenciesOut LS_HIP_OPT(0), size_t *numDependenciesOut LS_HIP_OPT(0));
/* Whether, and how well, stream is being captured. */
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *captureStatus);
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *dependencies,
    size_t numDependencies, unsigned int flags LS_HIP_OPT(0));
/* Sets the thread's mode and returns the old one. */
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);
/* flags must be 0. */
hipError_t hipGraphCreate(hipGraph_t *graph, unsigned int flags);
/* Its instances live on. */
hipError_t hipGraphDestroy(hipGraph_t graph);
/* to[i] will wait for from[i]. */
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
    const hipGraphNode_t *to, size_t numDependencies);
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from,
    const hipGraphNode_t *to, size_t numDependencies);
/* With NULL arrays, only the number. */
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to,
    size_t *numEdges);
/* With nodes NULL, only the number. */
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *numNodes);
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *rootNodes, size_t *numRootNodes);
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *dependencies,
    size_t *numDependencies);
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *dependentNodes,
    size_t *numDependentNodes);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type);
hipError_t hipGraphDestroyNode(hipGraphNode_t node);
/* A copy with nodes of its own. */
hipError_t hipGraphClone(hipGraph_t *graphClone, hipGraph_t originalGraph);
/* The clone's node that stands for originalNode. */
hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t originalNode,
    hipGraph_t clonedGraph);
/* logBuffer may be NULL. */
hipError_t hipGraphInstantiate(hipGraphExec_t *graphExec, hipGraph_t graph,
    hipGraphNode_t *errorNode, char *logBuffer, size_t bufferSize);
/* flags: hipGraphInstantiateFlag*. */
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *graphExec, hipGraph_t graph,
    unsigned long long flags);
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *graphExec, hipGraph_t graph,
    hipGraphInstantiateParams *instantiateParams);
/* Runs the instance in stream order. */
hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream);
/* Prepares the instance for a fast first launch. */
hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream);
/* A node of any kind. */
hipError_t hipGraphAddNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, hipGraphNodeParams *nodeParams);
/* Lockstep's own: a handle for one conditional node of the graph or of graphs within it. flags:
 * hipGraphCondAssignDefault. It lives as long as the graph and its instances. */
hipError_t hipGraphConditionalHandleCreate(hipGraphConditionalHandle *handle, hipGraph_t graph,
    unsigned int defaultLaunchValue, unsigned int flags);
hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long *flags);
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *nodeParams);
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    hipGraphNodeParams *nodeParams);
hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec);
/* Takes over the parameters of a graph of the same shape. */
hipError_t hipGraphExecUpdate(hipGraphExec_t graphExec, hipGraph_t graph,
    hipGraphNode_t *errorNodeOut, hipGraphExecUpdateResult *updateResultOut);
hipError_t hipGraphAddKernelNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies,
    const hipKernelNodeParams *nodeParams);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *nodeParams);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *nodeParams);
/* For later launches of this instance. */
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    const hipKernelNodeParams *nodeParams);
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, const HIP_MEMCPY3D *copyParams,
    hipCtx_t ctx);
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, const hipMemcpy3DParms *copyParams);
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *nodeParams);
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *nodeParams);
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attr,
    const hipKernelNodeAttrValue *value);
hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attr,
    hipKernelNodeAttrValue *value);
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    hipMemcpy3DParms *nodeParams);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, void *dst, const void *src,
    size_t count, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src,
    size_t count, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t graphExec, hipGraphNode_t node,
    void *dst, const void *src, size_t count, hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, void *dst, const void *symbol,
    size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *dst, const void *symbol,
    size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t graphExec, hipGraphNode_t node,
    void *dst, const void *symbol, size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, const void *symbol, const void *src,
    size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol,
    const void *src, size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t graphExec, hipGraphNode_t node,
    const void *symbol, const void *src, size_t count, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies,
    const hipMemsetParams *memsetParams);
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *nodeParams);
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *nodeParams);
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    const hipMemsetParams *nodeParams);
hipError_t hipGraphAddHostNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies,
    const hipHostNodeParams *nodeParams);
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *nodeParams);
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *nodeParams);
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    const hipHostNodeParams *nodeParams);
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, hipGraph_t childGraph);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph);
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    hipGraph_t childGraph);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies);
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, hipEvent_t event);
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *eventOut);
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t graphExec, hipGraphNode_t node,
    hipEvent_t event);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, hipEvent_t event);
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *eventOut);
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t graphExec, hipGraphNode_t node,
    hipEvent_t event);
/* The address is in nodeParams->dptr. */
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, hipMemAllocNodeParams *nodeParams);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *nodeParams);
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, void *devPtr);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *devPtr);
hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value);
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value);
hipError_t hipDeviceGraphMemTrim(int device);
/* destroy(ptr) is called when the last reference goes. */
hipError_t hipUserObjectCreate(hipUserObject_t *objectOut, void *ptr, hipHostFn_t destroy,
    unsigned int initialRefcount, unsigned int flags);
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count LS_HIP_OPT(1));
hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count LS_HIP_OPT(1));
hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object,
    unsigned int count LS_HIP_OPT(1), unsigned int flags LS_HIP_OPT(0));
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object,
    unsigned int count LS_HIP_OPT(1));
/* Writes the graph in Graphviz' language. */
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned int flags);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t src, hipGraphNode_t dst);
/* A disabled node does nothing. */
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t graphExec, hipGraphNode_t node,
    unsigned int isEnabled);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t graphExec, hipGraphNode_t node,
    unsigned int *isEnabled);
hipError_t hipGraphAddExternalSemaphoresWaitNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies,
    const hipExternalSemaphoreWaitNodeParams *nodeParams);
hipError_t hipGraphAddExternalSemaphoresSignalNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies,
    const hipExternalSemaphoreSignalNodeParams *nodeParams);
hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(hipGraphNode_t node,
    const hipExternalSemaphoreSignalNodeParams *nodeParams);
hipError_t hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t node,
    const hipExternalSemaphoreWaitNodeParams *nodeParams);
hipError_t hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t node,
    hipExternalSemaphoreSignalNodeParams *paramsOut);
hipError_t hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t node,
    hipExternalSemaphoreWaitNodeParams *paramsOut);
hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(hipGraphExec_t graphExec,
    hipGraphNode_t node, const hipExternalSemaphoreSignalNodeParams *nodeParams);
hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(hipGraphExec_t graphExec,
    hipGraphNode_t node, const hipExternalSemaphoreWaitNodeParams *nodeParams);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *nodeParams);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *nodeParams);
hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies,
    const HIP_MEMSET_NODE_PARAMS *memsetParams, hipCtx_t ctx);
hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t *graphNode, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t numDependencies, hipDeviceptr_t dptr);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    const HIP_MEMCPY3D *copyParams, hipCtx_t ctx);
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
    const HIP_MEMSET_NODE_PARAMS *memsetParams, hipCtx_t ctx);

/* Virtual memory: reserve addresses, create physical memory, map, set access. */

/* The whole reservation. */
hipError_t hipMemAddressFree(void *devPtr, size_t size);
/* addr is a wish or NULL. */
hipError_t hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr,
    unsigned long long flags);
/* Physical memory, to be mapped. */
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
    const hipMemAllocationProp *prop, unsigned long long flags);
/* For another process. */
hipError_t hipMemExportToShareableHandle(void *shareableHandle,
    hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType handleType,
    unsigned long long flags);
hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr);
/* Sizes and addresses are multiples of it. */
hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop,
    hipMemAllocationGranularity_flags option);
hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *prop,
    hipMemGenericAllocationHandle_t handle);
hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *osHandle,
    hipMemAllocationHandleType shHandleType);
/* ptr lies in a reservation; access is set afterwards. */
hipError_t hipMemMap(void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
    unsigned long long flags);
hipError_t hipMemMapArrayAsync(hipArrayMapInfo *mapInfoList, unsigned int count,
    hipStream_t stream);
/* The memory goes when the last mapping goes. */
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *addr);
/* Who may read and write a mapped range. */
hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count);
/* Whole mappings only. */
hipError_t hipMemUnmap(void *ptr, size_t size);
#ifdef __cplusplus
}
#endif

#endif
