/* SPDX-License-Identifier: MIT */
/* Nodes of graphs and of instances: copies and fills. */
#include "runtime/api/api_graph.h"

/* Graph lock not held. */
static hipError_t
get_copy(hipGraphNode_t node, hipMemcpy3DParms *params, HIP_MEMCPY3D *driver)
{
    hipError_t err = hipErrorInvalidValue;

    ls_graph_lock();
    if (ls_node_is_valid(node) && node->payload.type == hipGraphNodeTypeMemcpy) {
        const struct ls_payload *p = &node->payload;

        err = (p->copy.form == LS_COPY_DRIVER) == (driver != NULL) ? hipSuccess
                                                                   : hipErrorInvalidValue;
        if (err == hipSuccess && driver)
            *driver = p->copy.driver;
        else if (err == hipSuccess)
            *params = p->copy.params;
    }
    ls_graph_unlock();
    return err;
}

/* 3D */

LS_EXPORT hipError_t
hipGraphAddMemcpyNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                      size_t n_deps, const hipMemcpy3DParms *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params, hipErrorInvalidValue);
    return ls_api_add(ls_payload_copy_3d(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_RETURN(get_copy(node, params, NULL));
}

LS_EXPORT hipError_t
hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    return ls_api_set(ls_payload_copy_3d(params, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms *params)
{
    struct ls_payload p;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(exec && node && params, hipErrorInvalidValue);
    err = ls_payload_copy_3d(params, &p);
    return ls_api_exec_set(err == hipSuccess ? err : hipErrorInvalidValue, &p, exec, node);
}

/* The driver's form */

LS_EXPORT hipError_t
hipDrvGraphAddMemcpyNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                         size_t n_deps, const HIP_MEMCPY3D *params, hipCtx_t ctx)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params && ctx, hipErrorInvalidValue);
    return ls_api_add(ls_payload_copy_driver(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_RETURN(get_copy(node, NULL, params));
}

LS_EXPORT hipError_t
hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    return ls_api_set(ls_payload_copy_driver(params, &p), &p, node);
}

LS_EXPORT hipError_t
hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                   const HIP_MEMCPY3D *params, hipCtx_t ctx)
{
    struct ls_payload p;

    (void)ctx;
    LS_ENTER();
    LS_CHECK(exec && node && params, hipErrorInvalidValue);
    return ls_api_exec_set(ls_payload_copy_driver(params, &p), &p, exec, node);
}

/* 1D */

LS_EXPORT hipError_t
hipGraphAddMemcpyNode1D(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                        size_t n_deps, void *dst, const void *src, size_t bytes, hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(bytes > 0, hipErrorInvalidValue);
    return ls_api_add(ls_payload_copy_1d(dst, src, bytes, kind, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src, size_t bytes,
                              hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && dst && src && bytes > 0 && src != dst, hipErrorInvalidValue);
    return ls_api_set(ls_payload_copy_1d(dst, src, bytes, kind, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *dst,
                                  const void *src, size_t bytes, hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(exec && node && dst && src && bytes > 0 && src != dst, hipErrorInvalidValue);
    return ls_api_exec_set(ls_payload_copy_1d(dst, src, bytes, kind, &p), &p, exec, node);
}

/* Symbols */

LS_EXPORT hipError_t
hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                                size_t n_deps, void *dst, const void *symbol, size_t bytes,
                                size_t offset, hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(dst && bytes > 0 && ls_locked_graph_is_valid(graph), hipErrorInvalidValue);
    return ls_api_add(ls_payload_from_symbol(dst, symbol, bytes, offset, kind, false, &p), &p, out,
                      graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *dst, const void *symbol,
                                      size_t bytes, size_t offset, hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(symbol, hipErrorInvalidSymbol);
    LS_CHECK(node && dst && bytes > 0 && symbol != dst, hipErrorInvalidValue);
    return ls_api_set(ls_payload_from_symbol(dst, symbol, bytes, offset, kind, true, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node, void *dst,
                                          const void *symbol, size_t bytes, size_t offset,
                                          hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(symbol, hipErrorInvalidSymbol);
    LS_CHECK(exec && node && dst && bytes > 0 && symbol != dst, hipErrorInvalidValue);
    return ls_api_exec_set(ls_payload_from_symbol(dst, symbol, bytes, offset, kind, true, &p), &p,
                           exec, node);
}

LS_EXPORT hipError_t
hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                              size_t n_deps, const void *symbol, const void *src, size_t bytes,
                              size_t offset, hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(src && bytes > 0 && ls_locked_graph_is_valid(graph), hipErrorInvalidValue);
    return ls_api_add(ls_payload_to_symbol(symbol, src, bytes, offset, kind, false, &p), &p, out,
                      graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol, const void *src,
                                    size_t bytes, size_t offset, hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(symbol, hipErrorInvalidSymbol);
    LS_CHECK(node && src && bytes > 0 && symbol != src, hipErrorInvalidValue);
    return ls_api_set(ls_payload_to_symbol(symbol, src, bytes, offset, kind, true, &p), &p, node);
}

LS_EXPORT hipError_t
hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                        const void *symbol, const void *src, size_t bytes,
                                        size_t offset, hipMemcpyKind kind)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(symbol, hipErrorInvalidSymbol);
    LS_CHECK(exec && node && src && bytes > 0 && symbol != src, hipErrorInvalidValue);
    return ls_api_exec_set(ls_payload_to_symbol(symbol, src, bytes, offset, kind, true, &p), &p,
                           exec, node);
}

/* Fills */

static hipMemsetParams
of_driver(const HIP_MEMSET_NODE_PARAMS *d)
{
    return (hipMemsetParams){.dst = d->dst,
                             .elementSize = d->elementSize,
                             .height = d->height,
                             .pitch = d->pitch,
                             .value = d->value,
                             .width = d->width};
}

LS_EXPORT hipError_t
hipGraphAddMemsetNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                      size_t n_deps, const hipMemsetParams *params)
{
    struct ls_payload p;

    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params, hipErrorInvalidValue);
    return ls_api_add(ls_payload_fill(params, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipDrvGraphAddMemsetNode(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *deps,
                         size_t n_deps, const HIP_MEMSET_NODE_PARAMS *params, hipCtx_t ctx)
{
    hipMemsetParams m;
    struct ls_payload p;

    (void)ctx;
    LS_ENTER_ADD(out, graph, deps, n_deps);
    LS_CHECK(params, hipErrorInvalidValue);
    m = of_driver(params);
    return ls_api_add(ls_payload_fill(&m, &p), &p, out, graph, deps, n_deps);
}

LS_EXPORT hipError_t
hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *params)
{
    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    LS_GET_NODE(node, hipGraphNodeTypeMemset, *params = n->fill.params);
}

LS_EXPORT hipError_t
hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *params)
{
    struct ls_payload p;

    LS_ENTER();
    LS_CHECK(node && params, hipErrorInvalidValue);
    return ls_api_set(ls_payload_fill(params, &p), &p, node);
}

static hipError_t
exec_set_fill(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *params)
{
    struct ls_payload p;

    return ls_api_exec_set(ls_payload_fill(params, &p), &p, exec, node);
}

LS_EXPORT hipError_t
hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                const hipMemsetParams *params)
{
    LS_ENTER();
    LS_CHECK(exec && node && params && params->dst, hipErrorInvalidValue);
    return exec_set_fill(exec, node, params);
}

LS_EXPORT hipError_t
hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                   const HIP_MEMSET_NODE_PARAMS *params, hipCtx_t ctx)
{
    hipMemsetParams m;

    (void)ctx;
    LS_ENTER();
    LS_CHECK(exec && node && params && params->dst, hipErrorInvalidValue);
    m = of_driver(params);
    return exec_set_fill(exec, node, &m);
}
