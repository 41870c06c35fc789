/* SPDX-License-Identifier: MIT */
/* Stream capture.
 *
 * A capture begins on its origin stream; other streams join it when they wait for an event that was
 * recorded in it. Each of its streams has a list of the nodes behind which its next node goes. */
#include "runtime/graph/capture.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/graph/capture_list.h"

static atomic_uint n_captures;
static uint64_t next_id = 1;

static struct ls_member *
member_of(struct ls_capture *c, const struct ihipStream_t *stream)
{
    struct ls_member *m = c->members;

    while (m && m->stream != stream)
        m = m->next;
    return m;
}

static struct ls_capture *
capture_of(struct ihipStream_t *stream)
{
    return atomic_load(&stream->capture);
}

static hipError_t
join(struct ls_capture *c, struct ihipStream_t *stream, struct ls_member **out)
{
    struct ls_member *m = calloc(1, sizeof(*m));

    if (!m)
        return hipErrorOutOfMemory;
    m->stream = stream;
    m->next = c->members;
    c->members = m;
    atomic_store(&stream->capture, c);
    *out = m;
    return hipSuccess;
}

/* Adds nodes that the stream's next node waits for. Nodes that the program has destroyed meanwhile
 * are left out. */
static hipError_t
wait_for(struct ls_capture *c, struct ls_member *m, struct hipGraphNode *const *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ls_node_is_valid(nodes[i]) && nodes[i]->graph == c->graph &&
            !ls_nodes_hold(&m->last, nodes[i]) && !ls_nodes_push(&m->last, nodes[i]))
            return hipErrorOutOfMemory;
    return hipSuccess;
}

static void
forget_gone(struct ls_capture *c, struct ls_nodes *list)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < list->n; i++)
        if (ls_node_is_valid(list->items[i]) && list->items[i]->graph == c->graph)
            list->items[n++] = list->items[i];
    list->n = n;
}

static hipError_t
add(struct ls_capture *c, struct ls_member *m, struct ls_payload *payload,
    struct hipGraphNode **out)
{
    struct hipGraphNode *node;
    hipError_t err;

    forget_gone(c, &m->last);
    LS_TRY(ls_node_add(c->graph, m->last.items, m->last.n, payload, &node));
    node->capture_id = c->id;
    m->last.n = 0;
    if (!ls_nodes_push(&m->last, node))
        return hipErrorOutOfMemory;
    *out = node;
out:
    return err;
}

static hipError_t
add_event(struct ls_capture *c, struct ls_member *m, struct ihipEvent_t *event)
{
    struct ls_payload p = {.type = hipGraphNodeTypeEventRecord, .event = event};
    struct hipGraphNode *node;

    return add(c, m, &p, &node);
}

hipError_t
ls_capture_cmd(struct ls_cmd *cmd)
{
    struct ls_payload payload;
    struct hipGraphNode *node;
    struct ls_capture *c;
    hipError_t err = hipSuccess;

    ls_graph_lock();
    c = capture_of(cmd->stream);
    if (!c)
        LS_TRY(ls_err(hipErrorIllegalState, "the capture ended meanwhile"));
    if (c->invalid)
        LS_TRY(ls_err(hipErrorStreamCaptureInvalidated, "an earlier call was not allowed"));
    err = ls_payload_cmd(cmd, &payload);
    if (err == hipErrorStreamCaptureUnsupported)
        c->invalid = true;
    LS_TRY(err);
    if (cmd->start_event)
        LS_TRY(add_event(c, member_of(c, cmd->stream), cmd->start_event));
    LS_TRY(add(c, member_of(c, cmd->stream), &payload, &node));
    if (cmd->event)
        LS_TRY(add_event(c, member_of(c, cmd->stream), cmd->event));
out:
    ls_graph_unlock();
    ls_cmd_cancel(cmd);
    return err;
}

hipError_t
ls_capture_alloc(struct ihipStream_t *stream, uint32_t device, size_t bytes, void **ptr)
{
    hipMemAllocNodeParams params = {
        .poolProps = {.allocType = hipMemAllocationTypePinned,
                      .location = {.type = hipMemLocationTypeDevice, .id = (int)device}},
        .bytesize = bytes};
    struct ls_payload payload;
    struct hipGraphNode *node;
    struct ls_capture *c;
    hipError_t err = hipSuccess;

    ls_graph_lock();
    c = capture_of(stream);
    if (!c || c->invalid)
        LS_TRY(ls_err(hipErrorStreamCaptureInvalidated, "the capture is invalid"));
    LS_TRY(ls_payload_alloc(&params, &payload));
    LS_TRY(add(c, member_of(c, stream), &payload, &node));
    *ptr = params.dptr;
out:
    ls_graph_unlock();
    return err;
}

hipError_t
ls_capture_child(struct ihipStream_t *stream, hipGraph_t child)
{
    struct ls_payload payload = {.type = hipGraphNodeTypeGraph};
    struct hipGraphNode *node;
    struct ls_capture *c = capture_of(stream);
    hipError_t err;

    if (!c || c->invalid)
        return ls_err(hipErrorStreamCaptureInvalidated, "the capture is invalid");
    LS_TRY(ls_graph_copy(child, &payload.child));
    err = add(c, member_of(c, stream), &payload, &node);
out:
    return err;
}

/* Events */

static hipError_t
remember(struct ihipEvent_t *event, const struct ls_capture *c, const struct ls_nodes *last)
{
    struct hipGraphNode **nodes =
        realloc(event->capture_nodes, (last->n + 1) * sizeof(struct hipGraphNode *));

    if (!nodes)
        return hipErrorOutOfMemory;
    if (last->n)
        memcpy(nodes, last->items, last->n * sizeof(struct hipGraphNode *));
    event->capture_nodes = nodes;
    event->n_capture_nodes = last->n;
    atomic_store(&event->capture_id, c->id);
    return hipSuccess;
}

hipError_t
ls_capture_record_event(struct ihipStream_t *stream, struct ihipEvent_t *event, bool *captured)
{
    struct ls_capture *c;
    hipError_t err = hipSuccess;

    *captured = false;
    atomic_store_explicit(&event->stream, stream,
                          memory_order_relaxed); /* only compared, never followed */
    atomic_store_explicit(&event->stream_id, stream->id, memory_order_relaxed);
    if (!capture_of(stream)) {
        if (atomic_load_explicit(&event->capture_id,
                                 memory_order_relaxed)) /* in a program with a race the event may be
                                                           recorded in a capture at the same time */
            atomic_store(&event->capture_id, 0);
        return hipSuccess;
    }
    ls_graph_lock();
    c = capture_of(stream);
    if (c) {
        *captured = true;
        if (c->invalid)
            err = ls_err(hipErrorStreamCaptureInvalidated, "an earlier call was not allowed");
        else
            err = remember(event, c, &member_of(c, stream)->last);
    }
    ls_graph_unlock();
    return err;
}

hipError_t
ls_capture_record_external(struct ihipStream_t *stream, struct ihipEvent_t *event)
{
    struct ls_capture *c;
    hipError_t err;

    ls_graph_lock();
    c = capture_of(stream);
    if (!c || c->invalid)
        err = ls_err(hipErrorStreamCaptureInvalidated, "the capture is invalid");
    else
        err = add_event(c, member_of(c, stream), event);
    ls_graph_unlock();
    return err;
}

static struct ls_capture *
capture_with_id(uint64_t id)
{
    struct ls_capture *c = ls_captures;

    while (c && c->id != id)
        c = c->next;
    return c;
}

/* A stream waits for an event that was recorded in the capture c. */
static hipError_t
wait_captured(struct ls_capture *c, struct ihipStream_t *stream, struct ihipEvent_t *event)
{
    struct ls_capture *mine = capture_of(stream);
    struct ls_member *m;
    hipError_t err = hipSuccess;

    if (stream->is_null)
        return ls_err(hipErrorInvalidHandle, "the legacy stream can't join a capture");
    if (mine && mine != c) {
        mine->invalid = c->invalid = true;
        return ls_err(hipErrorStreamCaptureMerge, "the event belongs to another capture");
    }
    if (c->invalid)
        return ls_err(hipErrorStreamCaptureInvalidated, "an earlier call was not allowed");
    m = member_of(c, stream);
    if (!m)
        LS_TRY(join(c, stream, &m));
    err = wait_for(c, m, event->capture_nodes, event->n_capture_nodes);
out:
    return err;
}

hipError_t
ls_capture_wait_event(struct ihipStream_t *stream, struct ihipEvent_t *event, bool *captured)
{
    struct ls_capture *c;
    struct ihipStream_t *other;
    hipError_t err = hipSuccess;

    *captured = false;
    if (atomic_load_explicit(&n_captures, memory_order_relaxed) == 0) /* only a hint */
        return hipSuccess;
    ls_graph_lock();
    c = atomic_load(&event->capture_id) ? capture_with_id(atomic_load(&event->capture_id)) : NULL;
    other = atomic_load(&event->stream);
    if (c) {
        *captured = true;
        err = wait_captured(c, stream, event);
    } else if (other && capture_of(other) && !capture_of(other)->invalid &&
               ls_stream_has_id(other, atomic_load(&event->stream_id))) {
        err = ls_err(hipErrorStreamCaptureIsolation,
                     "the event was recorded before its stream's capture");
    }
    ls_graph_unlock();
    return err;
}

void
ls_capture_forget_event(struct ihipEvent_t *event)
{
    ls_graph_lock();
    atomic_store(&event->capture_id, 0);
    atomic_store(&event->stream, NULL);
    free(event->capture_nodes);
    event->capture_nodes = NULL;
    event->n_capture_nodes = 0;
    ls_graph_unlock();
}

/* Beginning and end */

/* Ends a capture: its streams are free again, and the graph stays. */
static void
dissolve(struct ls_capture *c)
{
    struct ls_capture **at = &ls_captures;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    atomic_fetch_sub(&n_captures, 1);
    while (c->members) {
        struct ls_member *m = c->members;

        c->members = m->next;
        atomic_store(&m->stream->capture, NULL);
        free(m->last.items);
        free(m);
    }
    free(c);
}

static void
give_up(struct ls_capture *c)
{
    if (!c->is_given)
        ls_graph_destroy(c->graph);
    dissolve(c);
}

void
ls_capture_leave(struct ihipStream_t *stream)
{
    struct ls_capture *c;

    if (!capture_of(stream))
        return;
    ls_graph_lock();
    c = capture_of(stream);
    if (c && c->origin == stream) {
        give_up(c);
    } else if (c) {
        struct ls_member **at = &c->members, *m = member_of(c, stream);

        while (*at != m)
            at = &(*at)->next;
        *at = m->next;
        free(m->last.items);
        free(m);
        atomic_store(&stream->capture, NULL);
    }
    ls_graph_unlock();
}

static bool
uses(const struct ls_capture *c, const struct ls_device *dev)
{
    for (const struct ls_member *m = c->members; m; m = m->next)
        if (m->stream->dev == dev)
            return true;
    return false;
}

void
ls_capture_give_up_of(const struct ls_device *dev)
{
    struct ls_capture *next;

    ls_graph_lock();
    for (struct ls_capture *c = ls_captures; c; c = next) {
        next = c->next;
        if (uses(c, dev))
            give_up(c);
    }
    ls_graph_unlock();
}

static hipError_t
set_last(struct ls_capture *c, struct ls_member *m, const hipGraphNode_t *deps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!ls_node_is_valid(deps[i]) || deps[i]->graph != c->graph)
            return ls_err(hipErrorInvalidValue, "dependency %zu is no node of the graph", i);
    return wait_for(c, m, deps, n);
}

static hipError_t
begin(struct ihipStream_t *stream, hipStreamCaptureMode mode, struct ihipGraph *graph,
      const hipGraphNode_t *deps, size_t n_deps)
{
    struct ls_capture *c;
    struct ls_member *m;
    hipError_t err = hipSuccess;

    c = calloc(1, sizeof(*c));
    if (!c)
        return hipErrorOutOfMemory;
    c->is_given = graph != NULL;
    c->graph = graph ? graph : ls_graph_create();
    c->id = next_id++;
    c->mode = mode;
    c->thread = ls_thread_get();
    c->origin = stream;
    c->next = ls_captures;
    ls_captures = c;
    atomic_fetch_add(&n_captures, 1);
    if (!c->graph)
        LS_TRY(hipErrorOutOfMemory);
    LS_TRY(join(c, stream, &m));
    LS_TRY(set_last(c, m, deps, n_deps));
    return hipSuccess;
out:
    give_up(c);
    return err;
}

hipError_t
ls_capture_begin(struct ihipStream_t *stream, hipStreamCaptureMode mode, hipGraph_t graph,
                 const hipGraphNode_t *deps, size_t n_deps)
{
    struct ls_capture *old;
    hipError_t err = hipSuccess;

    if (stream->is_null)
        return ls_err(hipErrorStreamCaptureUnsupported, "the legacy stream can't be captured");
    if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
        return ls_err(hipErrorInvalidValue, "mode %d", (int)mode);
    ls_graph_lock();
    old = capture_of(stream);
    if (old && !old->invalid)
        LS_TRY(ls_err(hipErrorIllegalState, "the stream is capturing"));
    if (graph && !ls_graph_is_valid(graph))
        LS_TRY(ls_err(hipErrorInvalidValue, "%p is no graph", (void *)graph));
    if (old && old->origin != stream)
        LS_TRY(ls_err(hipErrorIllegalState, "the stream belongs to an invalid capture"));
    if (old)
        give_up(old);
    err = begin(stream, mode, graph, deps, n_deps);
out:
    ls_graph_unlock();
    return err;
}

/* Whether all work of the other streams is joined: the origin stream waits, by way of edges, for
 * each of their nodes. */
static bool
is_joined(struct ls_capture *c)
{
    const struct ls_nodes *last = &member_of(c, c->origin)->last;

    if (c->has_removed)
        return true;
    for (uint32_t i = 0; i < c->graph->nodes.n; i++) {
        const struct hipGraphNode *n = c->graph->nodes.items[i];

        if (n->edges.n == 0 && n->capture_id == c->id && !ls_nodes_hold(last, n))
            return false;
    }
    return true;
}

hipError_t
ls_capture_end(struct ihipStream_t *stream, hipGraph_t *graph)
{
    struct ls_capture *c;
    hipError_t err = hipSuccess;

    *graph = NULL;
    ls_graph_lock();
    c = capture_of(stream);
    if (!c)
        LS_TRY(ls_err(hipErrorIllegalState, "the stream is not capturing"));
    if (c->origin != stream)
        LS_TRY(ls_err(hipErrorStreamCaptureUnmatched, "the capture began on another stream"));
    if (c->mode != hipStreamCaptureModeRelaxed && c->thread != ls_thread_get())
        LS_TRY(ls_err(hipErrorStreamCaptureWrongThread, "the capture began in another thread"));
    if (c->invalid)
        err = ls_err(hipErrorStreamCaptureInvalidated, "a call was not allowed");
    else if (!is_joined(c))
        err = ls_err(hipErrorStreamCaptureUnjoined, "work of a stream was not waited for");
    if (err != hipSuccess) {
        give_up(c);
        goto out;
    }
    *graph = c->graph;
    dissolve(c);
out:
    ls_graph_unlock();
    return err;
}

hipError_t
ls_capture_info(struct ihipStream_t *stream, hipStreamCaptureStatus *status, unsigned long long *id,
                hipGraph_t *graph, const hipGraphNode_t **deps, size_t *n_deps)
{
    struct ls_capture *c;
    hipError_t err = hipSuccess;

    *status = hipStreamCaptureStatusNone;
    if (atomic_load_explicit(&n_captures, memory_order_relaxed) == 0) /* only a hint */
        return hipSuccess;
    ls_graph_lock();
    if (stream->is_null) {
        for (c = ls_captures; c; c = c->next)
            for (const struct ls_member *m = c->members; m; m = m->next)
                if (!c->invalid && !(m->stream->flags & hipStreamNonBlocking))
                    err = hipErrorStreamCaptureImplicit;
        goto out;
    }
    c = capture_of(stream);
    if (!c)
        goto out;
    *status = c->invalid ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
    if (c->invalid)
        goto out;
    if (id)
        *id = c->id;
    if (graph)
        *graph = c->graph;
    if (deps)
        *deps = member_of(c, stream)->last.items;
    if (n_deps)
        *n_deps = member_of(c, stream)->last.n;
out:
    ls_graph_unlock();
    return err;
}

hipError_t
ls_capture_update(struct ihipStream_t *stream, const hipGraphNode_t *deps, size_t n_deps,
                  bool replace)
{
    struct ls_capture *c;
    hipError_t err = hipSuccess;

    ls_graph_lock();
    c = capture_of(stream);
    if (!c)
        LS_TRY(ls_err(hipErrorIllegalState, "the stream is not capturing"));
    if (c->invalid)
        LS_TRY(ls_err(hipErrorStreamCaptureInvalidated, "an earlier call was not allowed"));
    for (size_t i = 0; i < n_deps; i++)
        if (!ls_node_is_valid(deps[i]) || deps[i]->graph != c->graph)
            LS_TRY(ls_err(hipErrorInvalidValue, "dependency %zu is no node of the graph", i));
    if (replace) {
        c->has_removed |= member_of(c, stream)->last.n > 0;
        member_of(c, stream)->last.n = 0;
    }
    err = set_last(c, member_of(c, stream), deps, n_deps);
out:
    ls_graph_unlock();
    return err;
}

/* What is forbidden while a capture is under way */

enum which { ALL, GLOBAL, MINE };

/* Invalidates the captures that forbid a call. True when there was one. */
static bool
invalidate(enum which which)
{
    const struct ls_thread *self = ls_thread_get();
    bool any = false;

    for (struct ls_capture *c = ls_captures; c; c = c->next)
        if (which == ALL || (which == GLOBAL && c->mode == hipStreamCaptureModeGlobal) ||
            (which == MINE && c->mode != hipStreamCaptureModeRelaxed && c->thread == self))
            any = c->invalid = true;
    return any;
}

static bool
is_none(void)
{
    return atomic_load_explicit(&n_captures, memory_order_relaxed) == 0; /* only a hint */
}

hipError_t
ls_capture_check_unsafe(void)
{
    hipStreamCaptureMode mode = ls_thread_get()->capture_mode;
    bool any;

    if (is_none() || mode == hipStreamCaptureModeRelaxed)
        return hipSuccess;
    ls_graph_lock();
    any = invalidate(MINE) || (mode == hipStreamCaptureModeGlobal && invalidate(GLOBAL));
    ls_graph_unlock();
    return any ? ls_err(hipErrorStreamCaptureUnsupported, "not while a stream is capturing")
               : hipSuccess;
}

hipError_t
ls_capture_check_implicit(void)
{
    bool any;

    if (is_none())
        return hipSuccess;
    ls_graph_lock();
    any = invalidate(ALL);
    ls_graph_unlock();
    return any ? ls_err(hipErrorStreamCaptureImplicit, "not while a stream is capturing")
               : hipSuccess;
}

hipError_t
ls_capture_check_device(void)
{
    return ls_capture_check_implicit() == hipSuccess ? hipSuccess
                                                     : hipErrorStreamCaptureUnsupported;
}

hipError_t
ls_capture_check_stream(struct ihipStream_t *stream)
{
    struct ls_capture *c;

    if (is_none() || stream->is_null)
        return hipSuccess;
    ls_graph_lock();
    c = capture_of(stream);
    if (c)
        c->invalid = true;
    ls_graph_unlock();
    if (c)
        return ls_err(hipErrorStreamCaptureUnsupported, "the stream is capturing");
    return ls_capture_check_unsafe();
}

/* The capture that the event was recorded in, or that its stream has begun since then, or NULL. */
static struct ls_capture *
capture_at(const struct ihipEvent_t *event)
{
    struct ls_capture *c = NULL;
    struct ihipStream_t *stream = atomic_load(&event->stream);

    if (atomic_load(&event->capture_id))
        c = capture_with_id(atomic_load(&event->capture_id));
    if (!c && stream && ls_stream_has_id(stream, atomic_load(&event->stream_id)))
        c = capture_of(stream);
    return c;
}

hipError_t
ls_capture_check_event(struct ihipEvent_t *event, bool wait)
{
    const struct ihipStream_t *stream = atomic_load(&event->stream);
    struct ls_capture *c;
    bool active;

    if (is_none())
        return hipSuccess;
    ls_graph_lock();
    c = capture_at(event);
    active = c && !c->invalid;
    if (active)
        c->invalid = true;
    ls_graph_unlock();
    if (active)
        return ls_err(hipErrorCapturedEvent, "the event was recorded in a capture");
    if (wait && c)
        return ls_err(hipErrorStreamCaptureUnsupported, "the stream is capturing");
    return wait && stream && !stream->is_null ? ls_capture_check_unsafe() : hipSuccess;
}
