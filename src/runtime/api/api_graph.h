/* SPDX-License-Identifier: MIT */
/* What the families of graph functions share. */
#ifndef LS_RUNTIME_API_GRAPH_H
#define LS_RUNTIME_API_GRAPH_H

#include "runtime/api/api.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/graph.h"

/* Begins a call that adds a node. */
#define LS_ENTER_ADD(out, graph, deps, n_deps)                                                     \
    LS_ENTER();                                                                                    \
    LS_CHECK((out) && (graph) && ((deps) || (n_deps) == 0), hipErrorInvalidValue)

/* Runs statements with the graph lock held, in which `n` is the node's payload, if it is valid and
 * of the wanted type. */
#define LS_GET_NODE(node, wanted, ...)                                                             \
    do {                                                                                           \
        hipError_t get_err_ = hipErrorInvalidValue;                                                \
        ls_graph_lock();                                                                           \
        if (ls_node_is_valid(node) && (node)->payload.type == (wanted)) {                          \
            const struct ls_payload *n = &(node)->payload;                                         \
            __VA_ARGS__;                                                                           \
            get_err_ = hipSuccess;                                                                 \
        }                                                                                          \
        ls_graph_unlock();                                                                         \
        LS_RETURN(get_err_);                                                                       \
    } while (0)

/* Whether a graph is valid; for callers that don't hold the graph lock. */
static inline bool
ls_locked_graph_is_valid(hipGraph_t graph)
{
    bool valid;

    ls_graph_lock();
    valid = ls_graph_is_valid(graph);
    ls_graph_unlock();
    return valid;
}

/* Give a payload, which they take over, to a new node, to a node, or to a node of an instance.
 * `err` is what making the payload returned. All three end an API call. */
hipError_t ls_api_add(hipError_t err, struct ls_payload *payload, hipGraphNode_t *out,
                      hipGraph_t graph, const hipGraphNode_t *deps, size_t n_deps);
hipError_t ls_api_set(hipError_t err, struct ls_payload *payload, hipGraphNode_t node);
hipError_t ls_api_exec_set(hipError_t err, struct ls_payload *payload, hipGraphExec_t exec,
                           hipGraphNode_t node);
/* Makes the payload of any node; child graphs are copied. No lock held. */
hipError_t ls_api_payload(hipGraphNodeParams *params, struct ls_payload *payload);
hipError_t ls_api_child_payload(hipGraph_t child, struct ls_payload *payload);

/* api_streamop.c: makes the steps of a batch of at most LS_MAX_BATCH operations. Some operations
 * need no step. */
#define LS_MAX_BATCH 256u
hipError_t ls_api_value_steps(const hipStreamBatchMemOpParams *params, unsigned count,
                              struct ls_step *steps, uint32_t *n_steps);

#endif
