/* SPDX-License-Identifier: MIT */
/* Graphs as such: nodes, edges, clones. */
#include <stdlib.h>

#include "runtime/api/api_graph.h"

LS_EXPORT hipError_t
hipGraphCreate(hipGraph_t *graph, unsigned flags)
{
    LS_ENTER();
    LS_CHECK(graph && flags == 0, hipErrorInvalidValue);
    ls_graph_lock();
    *graph = ls_graph_create();
    ls_graph_unlock();
    LS_RETURN(*graph ? hipSuccess : hipErrorOutOfMemory);
}

LS_EXPORT hipError_t
hipGraphConditionalHandleCreate(hipGraphConditionalHandle *handle, hipGraph_t graph,
                                unsigned initial, unsigned flags)
{
    hipError_t err = hipErrorInvalidValue;
    struct ls_cond *cond = NULL;

    LS_ENTER();
    LS_CHECK(handle && graph && flags <= hipGraphCondAssignDefault, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_graph_is_valid(graph))
        err = ls_cond_create(graph, initial, flags, &cond);
    ls_graph_unlock();
    if (err == hipSuccess)
        *handle = (uintptr_t)cond->value;
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphDestroy(hipGraph_t graph)
{
    hipError_t err = hipSuccess;

    LS_CHECK(graph, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(graph))
        err = ls_err(hipErrorIllegalState, "%p is no graph", (void *)graph);
    else if (ls_capture_is_into(graph))
        err = ls_err(hipErrorIllegalState, "a stream is being captured into %p", (void *)graph);
    else if (graph->owner)
        err = ls_err(hipErrorInvalidValue, "a child graph goes with its node");
    else
        ls_graph_destroy(graph);
    ls_graph_unlock();
    LS_RETURN(err);
}

/* Copies up to *n of the nodes, or with out NULL only counts; what is left over becomes NULL. */
static void
list_out(struct hipGraphNode *const *nodes, size_t n_nodes, hipGraphNode_t *out, size_t *n)
{
    if (!out) {
        *n = n_nodes;
        return;
    }
    for (size_t i = 0; i < *n; i++)
        out[i] = i < n_nodes ? nodes[i] : NULL;
    if (*n > n_nodes)
        *n = n_nodes;
}

LS_EXPORT hipError_t
hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *n)
{
    struct hipGraphNode **order;
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(graph && n, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_graph_is_valid(graph))
        err = ls_graph_order(graph, &order);
    if (err == hipSuccess) {
        list_out(order, graph->nodes.n, nodes, n);
        free(order);
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *n)
{
    struct hipGraphNode **roots;
    hipError_t err = hipSuccess;
    size_t n_roots = 0;

    LS_ENTER();
    LS_CHECK(graph && n, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(graph))
        LS_TRY(hipErrorInvalidValue);
    roots = malloc((graph->nodes.n + 1) * sizeof(struct hipGraphNode *));
    if (!roots)
        LS_TRY(hipErrorOutOfMemory);
    for (uint32_t i = 0; i < graph->nodes.n; i++)
        if (graph->nodes.items[i]->deps.n == 0)
            roots[n_roots++] = graph->nodes.items[i];
    list_out(roots, n_roots, nodes, n);
    free(roots);
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *n)
{
    hipError_t err = hipSuccess;
    size_t n_edges = 0;

    LS_ENTER();
    LS_CHECK(graph && n && !from == !to, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(graph))
        LS_TRY(hipErrorInvalidValue);
    for (uint32_t i = 0; i < graph->nodes.n; i++) {
        const struct hipGraphNode *node = graph->nodes.items[i];

        for (uint32_t e = 0; e < node->edges.n; e++, n_edges++)
            if (from && n_edges < *n) {
                from[n_edges] = graph->nodes.items[i];
                to[n_edges] = node->edges.items[e];
            }
    }
    for (size_t i = n_edges; from && i < *n; i++)
        from[i] = to[i] = NULL;
    if (!from || *n > n_edges)
        *n = n_edges;
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

static hipError_t
neighbours(hipGraphNode_t node, bool deps, hipGraphNode_t *out, size_t *n)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(node && n, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_node_is_valid(node)) {
        const struct ls_nodes *list = deps ? &node->deps : &node->edges;

        list_out(list->items, list->n, out, n);
        err = hipSuccess;
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *out, size_t *n)
{
    return neighbours(node, true, out, n);
}

LS_EXPORT hipError_t
hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *out, size_t *n)
{
    return neighbours(node, false, out, n);
}

LS_EXPORT hipError_t
hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(node && type, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_node_is_valid(node)) {
        *type = node->payload.type == LS_NODE_OPAQUE ? hipGraphNodeTypeHost : node->payload.type;
        err = hipSuccess;
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

static bool
are_nodes_of(hipGraph_t graph, const hipGraphNode_t *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ls_node_is_valid(nodes[i]) || nodes[i]->graph != graph)
            return false;
    return true;
}

LS_EXPORT hipError_t
hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                        size_t n)
{
    hipError_t err = hipSuccess;

    LS_ENTER();
    LS_CHECK(graph, hipErrorInvalidValue);
    if (n == 0)
        LS_RETURN(hipSuccess);
    LS_CHECK(from && to, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(graph) || !are_nodes_of(graph, from, n) || !are_nodes_of(graph, to, n))
        LS_TRY(hipErrorInvalidValue);
    for (size_t i = 0; i < n; i++)
        if (from[i] == to[i])
            LS_TRY(hipErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        if (ls_nodes_hold(&from[i]->edges, to[i]))
            LS_TRY(ls_err(hipErrorInvalidValue, "edge %zu is there already", i));
        LS_TRY(ls_edge_add(from[i], to[i]));
    }
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to,
                           size_t n)
{
    hipError_t err = hipSuccess;

    LS_ENTER();
    LS_CHECK(graph && (n == 0 || (from && to)), hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(graph) || !are_nodes_of(graph, from, n) || !are_nodes_of(graph, to, n))
        LS_TRY(hipErrorInvalidValue);
    for (size_t i = 0; i < n; i++)
        if (!ls_edge_remove(from[i], to[i]))
            LS_TRY(ls_err(hipErrorInvalidValue, "edge %zu is not there", i));
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphDestroyNode(hipGraphNode_t node)
{
    hipError_t err = hipSuccess;

    LS_ENTER();
    LS_CHECK(node, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_node_is_valid(node))
        LS_TRY(hipErrorInvalidValue);
    if (node->payload.type == hipGraphNodeTypeMemAlloc ||
        node->payload.type == hipGraphNodeTypeMemFree)
        LS_TRY(ls_err(hipErrorNotSupported, "memory nodes stay"));
    ls_node_destroy(node);
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphClone(hipGraph_t *clone, hipGraph_t original)
{
    hipError_t err = hipSuccess;

    LS_ENTER();
    LS_CHECK(clone && original, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(original))
        LS_TRY(hipErrorInvalidValue);
    if (ls_graph_has_memory(original))
        LS_TRY(ls_err(hipErrorNotSupported, "memory nodes can't be cloned"));
    err = ls_graph_copy(original, clone);
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original, hipGraph_t clone)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(node && original && clone, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_node_is_valid(original) && ls_graph_is_valid(clone) && clone->origin_id) {
        struct hipGraphNode *found = ls_graph_find_copy(clone, original, true);

        if (found)
            *node = found;
        err = found ? hipSuccess : hipErrorInvalidValue;
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(graph && path, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_graph_is_valid(graph))
        err = ls_graph_print(graph, path, flags);
    ls_graph_unlock();
    LS_RETURN(err);
}

/* User objects */

LS_EXPORT hipError_t
hipUserObjectCreate(hipUserObject_t *object, void *ptr, hipHostFn_t destroy, unsigned count,
                    unsigned flags)
{
    hipError_t err;

    LS_ENTER();
    LS_CHECK(object && destroy && count > 0 && count <= INT32_MAX, hipErrorInvalidValue);
    LS_CHECK(flags == hipUserObjectNoDestructorSync, hipErrorInvalidValue);
    ls_graph_lock();
    err = ls_user_create(ptr, destroy, count, object);
    ls_graph_unlock();
    LS_RETURN(err);
}

/* A user object without a reference is gone: functions on it do nothing and return no error, as in
 * ROCm. What never was a user object is an error. */

LS_EXPORT hipError_t
hipUserObjectRelease(hipUserObject_t object, unsigned count)
{
    hipError_t err = hipSuccess;

    LS_CHECK(object && count > 0 && count <= INT32_MAX, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_user_is_valid(object) && ls_user_count(object) >= count)
        ls_user_release(object, count);
    else if (!ls_user_is_known(object))
        err = ls_err(hipErrorInvalidValue, "%p is no user object", (void *)object);
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipUserObjectRetain(hipUserObject_t object, unsigned count)
{
    hipError_t err = hipSuccess;

    LS_ENTER();
    LS_CHECK(object && count > 0 && count <= INT32_MAX, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_user_is_valid(object))
        ls_user_retain(object, count);
    else if (!ls_user_is_known(object))
        err = ls_err(hipErrorInvalidValue, "%p is no user object", (void *)object);
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count, unsigned flags)
{
    hipError_t err = hipSuccess;

    LS_ENTER();
    LS_CHECK(graph && object && count > 0 && count <= INT32_MAX, hipErrorInvalidValue);
    LS_CHECK(flags == 0 || flags == hipGraphUserObjectMove, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(graph))
        err = hipErrorInvalidValue;
    else if (ls_user_is_valid(object))
        err = ls_graph_retain_user(graph, object, count, flags == hipGraphUserObjectMove);
    else if (!ls_user_is_known(object))
        err = ls_err(hipErrorInvalidValue, "%p is no user object", (void *)object);
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count)
{
    hipError_t err = hipSuccess;

    LS_CHECK(graph && object && count > 0 && count <= INT32_MAX, hipErrorInvalidValue);
    ls_graph_lock();
    if (!ls_graph_is_valid(graph))
        err = hipErrorInvalidValue;
    else if (ls_user_is_valid(object) && ls_user_count(object) >= count)
        ls_graph_release_user(graph, object, count);
    else if (!ls_user_is_known(object))
        err = ls_err(hipErrorInvalidValue, "%p is no user object", (void *)object);
    ls_graph_unlock();
    LS_RETURN(err);
}

/* Memory of graphs */

LS_EXPORT hipError_t
hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value)
{
    uint64_t bytes;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(value, hipErrorInvalidValue);
    err = ls_graph_mem_get((uint32_t)device, attr, &bytes);
    if (err == hipSuccess)
        *(uint64_t *)value = bytes;
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attr, void *value)
{
    LS_ENTER();
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(attr == hipGraphMemAttrUsedMemHigh || attr == hipGraphMemAttrReservedMemHigh,
             hipErrorInvalidValue);
    LS_CHECK(value && *(const uint64_t *)value == 0, hipErrorInvalidValue);
    LS_RETURN(ls_graph_mem_reset((uint32_t)device, attr));
}

LS_EXPORT hipError_t
hipDeviceGraphMemTrim(int device)
{
    LS_ENTER();
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    ls_graph_mem_trim();
    LS_RETURN(hipSuccess);
}
