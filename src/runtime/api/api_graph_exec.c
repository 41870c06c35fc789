/* SPDX-License-Identifier: MIT */
/* Instances of graphs. */
#include "runtime/api/api_graph.h"

static hipError_t
instantiate(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags)
{
    hipError_t err = hipErrorInvalidValue;

    ls_graph_lock();
    if (ls_graph_is_valid(graph))
        err = ls_exec_create(graph, flags, exec);
    ls_graph_unlock();
    return err;
}

LS_EXPORT hipError_t
hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *error_node, char *log,
                    size_t log_bytes)
{
    LS_ENTER();
    LS_CHECK(exec && graph, hipErrorInvalidValue);
    if (error_node)
        *error_node = NULL;
    if (log && log_bytes)
        *log = 0;
    LS_RETURN(instantiate(exec, graph, 0));
}

LS_EXPORT hipError_t
hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags)
{
    LS_ENTER();
    LS_CHECK(exec && graph, hipErrorInvalidValue);
    LS_CHECK(flags == 0 || flags == hipGraphInstantiateFlagAutoFreeOnLaunch ||
                 flags == hipGraphInstantiateFlagUseNodePriority,
             hipErrorInvalidValue);
    LS_RETURN(instantiate(exec, graph, flags));
}

static hipError_t
upload(hipGraphExec_t exec, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_TRY(ls_stream_resolve(handle, &stream));
    ls_graph_lock();
    err = ls_exec_is_valid(exec) ? ls_exec_prepare(exec) : hipErrorInvalidValue;
    ls_graph_unlock();
out:
    return err;
}

LS_EXPORT hipError_t
hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph,
                              hipGraphInstantiateParams *params)
{
    hipError_t err;

    LS_ENTER();
    LS_CHECK(exec && graph && params, hipErrorInvalidValue);
    params->result_out = hipGraphInstantiateError;
    params->errNode_out = NULL;
    LS_CHECK(params->flags == 0 || params->flags == hipGraphInstantiateFlagAutoFreeOnLaunch ||
                 params->flags == hipGraphInstantiateFlagUpload ||
                 params->flags == hipGraphInstantiateFlagDeviceLaunch ||
                 params->flags == hipGraphInstantiateFlagUseNodePriority,
             hipErrorInvalidValue);
    LS_TRY(instantiate(exec, graph, params->flags));
    params->result_out = hipGraphInstantiateSuccess;
    if (params->flags & hipGraphInstantiateFlagUpload)
        err = upload(*exec, params->uploadStream);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphExecDestroy(hipGraphExec_t exec)
{
    bool valid;

    ls_graph_lock();
    valid = ls_exec_is_valid(exec);
    if (valid)
        ls_exec_destroy(exec);
    ls_graph_unlock();
    LS_RETURN(valid ? hipSuccess : ls_err(hipErrorInvalidValue, "%p is no instance", (void *)exec));
}

static hipError_t
launch(hipGraphExec_t exec, hipStream_t handle)
{
    struct ihipStream_t *stream;
    bool wait = false;
    hipError_t err;

    LS_TRY(ls_sticky());
    if (!exec)
        LS_TRY(ls_err(hipErrorInvalidValue, "no instance"));
    LS_TRY(ls_stream_resolve(handle, &stream));
    ls_graph_lock();
    if (!ls_exec_is_valid(exec))
        err = ls_err(hipErrorInvalidValue, "%p is no instance", (void *)exec);
    else if (ls_stream_is_capturing(stream))
        err = ls_capture_child(stream, exec->graph);
    else
        err = ls_exec_launch(exec, stream, &wait);
    ls_graph_unlock();
    if (err == hipSuccess && wait)
        err = ls_stream_wait(stream);
out:
    return ls_return(err);
}

LS_EXPORT hipError_t
hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    return launch(exec, stream);
}

LS_EXPORT hipError_t
hipGraphUpload(hipGraphExec_t exec, hipStream_t stream)
{
    LS_ENTER();
    LS_CHECK(exec, hipErrorInvalidValue);
    LS_RETURN(upload(exec, stream));
}

LS_EXPORT hipError_t
hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(exec && flags, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_exec_is_valid(exec)) {
        *flags = exec->flags;
        err = hipSuccess;
    }
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *error_node,
                   hipGraphExecUpdateResult *result)
{
    hipError_t err = hipErrorInvalidValue;

    LS_ENTER();
    LS_CHECK(exec && graph && error_node && result, hipErrorInvalidValue);
    ls_graph_lock();
    if (ls_exec_is_valid(exec) && ls_graph_is_valid(graph))
        err = ls_exec_update(exec, graph, result, error_node);
    ls_graph_unlock();
    LS_RETURN(err);
}

/* Nodes that can be switched off: kernels, copies and fills. Graph lock held. */
static hipError_t
find_switch(hipGraphExec_t exec, hipGraphNode_t node, struct hipGraphNode **copy)
{
    if (!ls_exec_is_valid(exec) || !ls_node_is_valid(node))
        return hipErrorInvalidValue;
    *copy = ls_graph_find_copy(exec->graph, node, false);
    if (!*copy || (node->payload.type != hipGraphNodeTypeKernel &&
                   node->payload.type != hipGraphNodeTypeMemcpy &&
                   node->payload.type != hipGraphNodeTypeMemset))
        return ls_err(hipErrorInvalidValue, "such a node can't be switched off");
    return hipSuccess;
}

LS_EXPORT hipError_t
hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled)
{
    struct hipGraphNode *copy;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(exec && node, hipErrorInvalidValue);
    ls_graph_lock();
    LS_TRY(find_switch(exec, node, &copy));
    copy->disabled = !enabled;
    ls_exec_touch(exec);
out:
    ls_graph_unlock();
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled)
{
    struct hipGraphNode *copy;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(exec && node && enabled, hipErrorInvalidValue);
    ls_graph_lock();
    LS_TRY(find_switch(exec, node, &copy));
    *enabled = !copy->disabled;
out:
    ls_graph_unlock();
    LS_RETURN(err);
}
