/* SPDX-License-Identifier: MIT */
/* Nodes of graphs and of instances: kernels, host functions, child graphs, events, memory. */
#include <string.h>

#include "runtime/api/api_graph.h"

hipError_t
ls_api_add(hipError_t err, struct ls_payload *payload, hipGraphNode_t *out, hipGraph_t graph,
           const hipGraphNode_t *deps, size_t n_deps)
{
    if (err != hipSuccess)
        LS_RETURN(err);
    ls_graph_lock();
    if (ls_graph_is_valid(graph)) {
        err = ls_node_add(graph, deps, n_deps, payload, out);
    } else {
        ls_payload_fini(payload);
        err = ls_err(hipErrorInvalidValue, "%p is no graph", (void *)graph);
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

/* New parameters of a kernel node leave its attributes as they are. */
static void
keep_attributes(const struct ls_payload *old, struct ls_payload *new)
{
    if (new->type != hipGraphNodeTypeKernel)
        return;
    new->kernel.attr = old->kernel.attr;
    new->kernel.attr_id = old->kernel.attr_id;
    new->kernel.work.cooperative = old->kernel.work.cooperative;
}

hipError_t
ls_api_set(hipError_t err, struct ls_payload *payload, hipGraphNode_t node)
{
    if (err != hipSuccess)
        LS_RETURN(err);
    ls_graph_lock();
    if (ls_node_is_valid(node) && node->payload.type == payload->type) {
        keep_attributes(&node->payload, payload);
        ls_payload_fini(&node->payload);
        node->payload = *payload;
        ls_payload_belongs(payload, node);
    } else {
        ls_payload_fini(payload);
        err = ls_err(hipErrorInvalidValue, "%p is no such node", (void *)node);
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

/* Whether an instance takes new parameters: a copy must keep its direction, and a fill of several
 * rows its shape. */
static bool
may_become(const struct ls_payload *old, const struct ls_payload *new)
{
    if (old->type != new->type)
        return false;
    if (new->type == hipGraphNodeTypeMemcpy)
        return old->copy.params.kind == new->copy.params.kind || old->copy.captured;
    if (new->type == hipGraphNodeTypeMemset &&new->fill.box.height != 1)
        return old->fill.box.height == new->fill.box.height &&
               old->fill.box.row_bytes == new->fill.box.row_bytes &&
               old->fill.box.depth == new->fill.box.depth;
    return true;
}

hipError_t
ls_api_exec_set(hipError_t err, struct ls_payload *payload, hipGraphExec_t exec,
                hipGraphNode_t node)
{
    struct hipGraphNode *copy = NULL;

    if (err != hipSuccess)
        LS_RETURN(err);
    ls_graph_lock();
    if (ls_exec_is_valid(exec) && ls_node_is_valid(node))
        copy = ls_graph_find_copy(exec->graph, node, false);
    if (copy && may_become(&copy->payload, payload)) {
        keep_attributes(&copy->payload, payload);
        err = ls_exec_set(exec, copy, payload);
    } else {
        ls_payload_fini(payload);
        err = ls_err(hipErrorInvalidValue, "%p has no such node in the instance", (void *)node);
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

/* Kernels */

LS_EXPORT hipError_t
hipGraphAddKernelNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                      size_t n_deps, const hipKernelNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params && params->func, hipErrorInvalidValue);
    return ls_api_add(ls_payload_kernel(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeKernel, *params = n->kernel.params);
}

LS_EXPORT hipError_t
hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params && params->func, hipErrorInvalidValue);
    return ls_api_set(ls_payload_kernel(params, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                const hipKernelNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(exec && node && params && params->func, hipErrorInvalidValue);
    return ls_api_exec_set(ls_payload_kernel(params, &p), &p, exec, node);
}

static bool
is_attribute(hipKernelNodeAttrID attr)
{
    return attr == hipKernelNodeAttributeAccessPolicyWindow ||
           attr == hipKernelNodeAttributeCooperative || attr == hipKernelNodeAttributePriority;
}

static bool
is_window(const hipAccessPolicyWindow *w)
{
    return w->hitRatio >= 0 && w->hitRatio <= 1 && w->missProp != hipAccessPropertyPersisting &&
           !(w->num_bytes > 0 && w->hitRatio == 0) &&
           w->num_bytes <= (size_t)ls_gpu_current()->prop.accessPolicyMaxWindowSize;
}

LS_EXPORT hipError_t
hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attr,
                               const hipKernelNodeAttrValue *value)
{
    hipError_t err = hipSuccess;

    LS_ENTER();
    LS_CHECK(node && value && is_attribute(attr), hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_node_is_valid(node) || node->payload.type != hipGraphNodeTypeKernel)
        LS_TRY(hipErrorInvalidValue);
    if (attr == hipKernelNodeAttributeAccessPolicyWindow) {
        if (!is_window(&value->accessPolicyWindow))
            LS_TRY(ls_err(hipErrorInvalidValue, "access policy window"));
        node->payload.kernel.attr.accessPolicyWindow = value->accessPolicyWindow;
    } else if (attr == hipKernelNodeAttributeCooperative) {
        node->payload.kernel.attr.cooperative = value->cooperative;
        node->payload.kernel.work.cooperative = value->cooperative != 0;
    } else {
        if (value->priority < -1 || value->priority > 1)
            LS_TRY(ls_err(hipErrorInvalidValue, "priority %d", value->priority));
        node->payload.kernel.attr.priority = value->priority;
    }
    node->payload.kernel.attr_id = attr;
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attr,
                               hipKernelNodeAttrValue *value)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(node && value && is_attribute(attr), hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_node_is_valid(node) && node->payload.type == hipGraphNodeTypeKernel &&
        (node->payload.kernel.attr_id == 0 || node->payload.kernel.attr_id == attr)) {
        const hipKernelNodeAttrValue *own = &node->payload.kernel.attr;

        if (attr == hipKernelNodeAttributeAccessPolicyWindow)
            value->accessPolicyWindow = own->accessPolicyWindow;
        else if (attr == hipKernelNodeAttributeCooperative)
            value->cooperative = own->cooperative;
        else
            value->priority = own->priority;
        err = hipSuccess;
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphKernelNodeCopyAttributes(hipGraphNode_t src, hipGraphNode_t dst)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(src && dst, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_node_is_valid(src) && ls_node_is_valid(dst) &&
        src->payload.type == hipGraphNodeTypeKernel &&
        dst->payload.type == hipGraphNodeTypeKernel) {
        unsigned own = dst->payload.kernel.attr_id;

        err = own && own != src->payload.kernel.attr_id ? hipErrorInvalidContext : hipSuccess;
        if (err == hipSuccess)
            keep_attributes(&src->payload, &dst->payload);
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

/* Host functions */

static void
make_host(const hipHostNodeParams *params, struct ls_payload *p)
{
    memset(p, 0, sizeof(*p));
    p->type = hipGraphNodeTypeHost;
    p->host = *params;
}

LS_EXPORT hipError_t
hipGraphAddHostNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                    size_t n_deps, const hipHostNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params && params->fn, hipErrorInvalidValue);
    make_host(params, &p);
    return ls_api_add(hipSuccess, &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeHost, *params = n->host);
}

LS_EXPORT hipError_t
hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params && params->fn, hipErrorInvalidValue);
    make_host(params, &p);
    return ls_api_set(hipSuccess, &p, node);
}

LS_EXPORT hipError_t
hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                              const hipHostNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(exec && node && params && params->fn, hipErrorInvalidValue);
    make_host(params, &p);
    return ls_api_exec_set(hipSuccess, &p, exec, node);
}

/* Empty nodes and child graphs */

LS_EXPORT hipError_t
hipGraphAddEmptyNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                     size_t n_deps)
{
    struct ls_payload p = {.type = hipGraphNodeTypeEmpty};

    LS_ENTER_ADD(out, graph, deps, n_deps);
    return ls_api_add(hipSuccess, &p, out, graph, deps, n_deps);
}

hipError_t
ls_api_child_payload(hipGraph_t child, struct ls_payload *p)
{
    hipError_t err = hipErrorInvalidValue;

    memset(p, 0, sizeof(*p));
    p->type = hipGraphNodeTypeGraph;
    ls_graph_lock();
    if (ls_graph_is_valid(child))
        err = ls_graph_copy(child, &p->child);
    ls_graph_unlock();
    return err;
}

LS_EXPORT hipError_t
hipGraphAddChildGraphNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                          size_t n_deps, hipGraph_t child)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(child, hipErrorInvalidValue);
    return ls_api_add(ls_api_child_payload(child, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph)
{
    LS_ENTER();
    LS_CHECK(node && graph, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeGraph, *graph = n->child);
}

LS_EXPORT hipError_t
hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraph_t child)
{
    hipError_t err = hipSuccess;
    struct hipGraphNode *copy;

    LS_ENTER();
    LS_CHECK(exec && node && child, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_exec_is_valid(exec) || !ls_node_is_valid(node) || !ls_graph_is_valid(child) ||
        node->payload.type != hipGraphNodeTypeGraph)
        LS_TRY(hipErrorInvalidValue);
    if (child == node->graph)
        LS_TRY(ls_err(hipErrorUnknown, "a graph within itself"));
    copy = ls_graph_find_copy(exec->graph, node, false);
    if (!copy)
        LS_TRY(hipErrorInvalidValue);
    err = ls_exec_set_child(exec, copy, child);
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

/* Events */

static hipError_t
add_event(hipGraphNodeType type, hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
          size_t n_deps, hipEvent_t event)
{
    struct ls_payload p = {.type = type, .event = event};

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(ls_event_is_valid(event), hipErrorInvalidValue);
    return ls_api_add(hipSuccess, &p, out, graph, deps, n_deps);
}

static hipError_t
set_event(hipGraphNodeType type, hipGraphNode_t node, hipEvent_t event)
{
    struct ls_payload p = {.type = type, .event = event};

    LS_ENTER();
    LS_CHECK(node && ls_event_is_valid(event), hipErrorInvalidValue);
    return ls_api_set(hipSuccess, &p, node);
}

static hipError_t
exec_set_event(hipGraphNodeType type, hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event)
{
    struct ls_payload p = {.type = type, .event = event};

    LS_ENTER();
    LS_CHECK(exec && node && ls_event_is_valid(event), hipErrorInvalidValue);
    return ls_api_exec_set(hipSuccess, &p, exec, node);
}

LS_EXPORT hipError_t
hipGraphAddEventRecordNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                           size_t n_deps, hipEvent_t event)
{
    return add_event(hipGraphNodeTypeEventRecord, out, graph, deps, n_deps, event);
}

LS_EXPORT hipError_t
hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event)
{
    LS_ENTER();
    LS_CHECK(node && event, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeEventRecord, *event = n->event);
}

LS_EXPORT hipError_t
hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    return set_event(hipGraphNodeTypeEventRecord, node, event);
}

LS_EXPORT hipError_t
hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event)
{
    return exec_set_event(hipGraphNodeTypeEventRecord, exec, node, event);
}

LS_EXPORT hipError_t
hipGraphAddEventWaitNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                         size_t n_deps, hipEvent_t event)
{
    return add_event(hipGraphNodeTypeWaitEvent, out, graph, deps, n_deps, event);
}

LS_EXPORT hipError_t
hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event)
{
    LS_ENTER();
    LS_CHECK(node && event, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeWaitEvent, *event = n->event);
}

LS_EXPORT hipError_t
hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event)
{
    return set_event(hipGraphNodeTypeWaitEvent, node, event);
}

LS_EXPORT hipError_t
hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event)
{
    return exec_set_event(hipGraphNodeTypeWaitEvent, exec, node, event);
}

/* Memory */

LS_EXPORT hipError_t
hipGraphAddMemAllocNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                        size_t n_deps, hipMemAllocNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params && ls_locked_graph_is_valid(graph), hipErrorInvalidValue);
    return ls_api_add(ls_payload_alloc(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeMemAlloc, *params = n->memory.params);
}

static hipError_t
add_free(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps, size_t n_deps,
         void *ptr)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(ptr && (!deps || n_deps > 0), hipErrorInvalidValue);
    LS_CHECK(ls_locked_graph_is_valid(graph), hipErrorInvalidValue);
    return ls_api_add(ls_payload_free(ptr, false, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphAddMemFreeNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                       size_t n_deps, void *ptr)
{
    return add_free(out, graph, deps, n_deps, ptr);
}

LS_EXPORT hipError_t
hipDrvGraphAddMemFreeNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                          size_t n_deps, hipDeviceptr_t ptr)
{
    return add_free(out, graph, deps, n_deps, ptr);
}

LS_EXPORT hipError_t
hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *ptr)
{
    LS_ENTER();
    LS_CHECK(node && ptr, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeMemFree, *(void **)ptr = n->memory.params.dptr);
}

/* Values in memory */

static hipError_t
make_batch(const hipBatchMemOpNodeParams *params, struct ls_payload *p)
{
    struct ls_step steps[LS_MAX_BATCH];
    uint32_t n_steps;
    hipError_t err;

    if (params->count == 0 || params->count > LS_MAX_BATCH || !params->paramArray || params->flags)
        return ls_err(hipErrorInvalidValue, "a batch of %u", params->count);
    LS_TRY(ls_api_value_steps(params->paramArray, params->count, steps, &n_steps));
    err = ls_payload_batch(params, steps, n_steps, p);
out:
    return err;
}

LS_EXPORT hipError_t
hipGraphAddBatchMemOpNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                          size_t n_deps, const hipBatchMemOpNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params, hipErrorInvalidValue);
    return ls_api_add(make_batch(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_GET_NODE(node, LS_NODE_BATCH, *params = n->values.batch);
}

LS_EXPORT hipError_t
hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    return ls_api_set(make_batch(params, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                    const hipBatchMemOpNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(exec && node && params, hipErrorInvalidValue);
    return ls_api_exec_set(make_batch(params, &p), &p, exec, node);
}

LS_EXPORT hipError_t
hipGraphAddExternalSemaphoresSignalNode(hipGraphNode_t *out, hipGraph_t graph,
                                        const hipGraphNode_t *deps, size_t n_deps,
                                        const hipExternalSemaphoreSignalNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params, hipErrorInvalidValue);
    return ls_api_add(ls_payload_signal(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t node,
                                              hipExternalSemaphoreSignalNodeParams *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeExtSemaphoreSignal, *params = n->values.signal);
}

LS_EXPORT hipError_t
hipGraphExternalSemaphoresSignalNodeSetParams(hipGraphNode_t node,
                                              const hipExternalSemaphoreSignalNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    return ls_api_set(ls_payload_signal(params, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecExternalSemaphoresSignalNodeSetParams(
    hipGraphExec_t exec, hipGraphNode_t node, const hipExternalSemaphoreSignalNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(exec && node && params, hipErrorInvalidValue);
    return ls_api_exec_set(ls_payload_signal(params, &p), &p, exec, node);
}

LS_EXPORT hipError_t
hipGraphAddExternalSemaphoresWaitNode(hipGraphNode_t *out, hipGraph_t graph,
                                      const hipGraphNode_t *deps, size_t n_deps,
                                      const hipExternalSemaphoreWaitNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params, hipErrorInvalidValue);
    return ls_api_add(ls_payload_wait(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t node,
                                            hipExternalSemaphoreWaitNodeParams *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeExtSemaphoreWait, *params = n->values.wait);
}

LS_EXPORT hipError_t
hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t node,
                                            const hipExternalSemaphoreWaitNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    return ls_api_set(ls_payload_wait(params, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecExternalSemaphoresWaitNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                const hipExternalSemaphoreWaitNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(exec && node && params, hipErrorInvalidValue);
    return ls_api_exec_set(ls_payload_wait(params, &p), &p, exec, node);
}

/* Nodes of any kind */

hipError_t
ls_api_payload(hipGraphNodeParams *params, struct ls_payload *p)
{
    hipError_t err;

    memset(p, 0, sizeof(*p));
    p->type = params->type;
    switch (params->type) {
    case hipGraphNodeTypeKernel:
        return ls_payload_kernel(&params->kernel, p);
    case hipGraphNodeTypeMemcpy:
        return ls_payload_copy_3d(&params->memcpy.copyParams, p);
    case hipGraphNodeTypeMemset:
        return ls_payload_fill(&params->memset, p);
    case hipGraphNodeTypeHost:
        p->host = params->host;
        return p->host.fn ? hipSuccess : hipErrorInvalidValue;
    case hipGraphNodeTypeGraph:
        return ls_api_child_payload(params->graph.graph, p);
    case hipGraphNodeTypeEmpty:
        return hipSuccess;
    case hipGraphNodeTypeWaitEvent:
        p->event = params->eventWait.event;
        return ls_event_is_valid(p->event) ? hipSuccess : hipErrorInvalidValue;
    case hipGraphNodeTypeEventRecord:
        p->event = params->eventRecord.event;
        return ls_event_is_valid(p->event) ? hipSuccess : hipErrorInvalidValue;
    case hipGraphNodeTypeMemAlloc:
        return ls_payload_alloc(&params->alloc, p);
    case hipGraphNodeTypeMemFree:
        return ls_payload_free(params->free.dptr, false, p);
    case hipGraphNodeTypeExtSemaphoreSignal:
        return ls_payload_signal(&params->extSemSignal, p);
    case hipGraphNodeTypeExtSemaphoreWait:
        return ls_payload_wait(&params->extSemWait, p);
    case hipGraphNodeTypeConditional:
        ls_graph_lock();
        err = ls_payload_conditional(&params->conditional, p);
        ls_graph_unlock();
        if (err == hipSuccess)
            params->conditional.phGraph_out = p->conditional.params.phGraph_out;
        return err;
    case hipGraphNodeTypeMemcpyFromSymbol:
    case hipGraphNodeTypeMemcpyToSymbol:
    case hipGraphNodeTypeCount:
    default:
        return ls_err(hipErrorInvalidValue, "node type %d", (int)params->type);
    }
}

LS_EXPORT hipError_t
hipGraphAddNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps, size_t n_deps,
                hipGraphNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params && ls_locked_graph_is_valid(graph), hipErrorInvalidValue);
    return ls_api_add(ls_api_payload(params, &p), &p, out, graph, deps, n_deps);
}

static bool
is_fixed(hipGraphNodeType type)
{
    return type == hipGraphNodeTypeMemAlloc || type == hipGraphNodeTypeMemFree ||
           type == hipGraphNodeTypeConditional;
}

LS_EXPORT hipError_t
hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_CHECK(!is_fixed(params->type), hipErrorNotSupported);
    return ls_api_set(ls_api_payload(params, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(exec && node && params, hipErrorInvalidValue);
    LS_CHECK(!is_fixed(params->type), hipErrorNotSupported);
    if (params->type == hipGraphNodeTypeGraph)
        return hipGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    return ls_api_exec_set(ls_api_payload(params, &p), &p, exec, node);
}
