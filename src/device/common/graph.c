/* SPDX-License-Identifier: MIT */
#include "device/common/graph.h"

#include "base/log.h"
#include "device/common/graph_queue.h"

static void
fail(struct ls_work *graph, hipError_t err)
{
    int none = 0;

    if (err != hipSuccess)
        atomic_compare_exchange_strong(&ls_graph_room(graph)->err, &none, (int)err);
}

static void
follow(struct ls_work_graph *g, uint32_t i)
{
    for (uint32_t e = g->first_edge[i]; e < g->first_edge[i + 1]; e++)
        if (atomic_fetch_sub(&g->left[g->edges[e]], 1) == 1)
            ls_graph_push(g, g->edges[e]);
}

/* The last part or thread to leave ends the graph, which may be freed by that. */
static void
leave(struct ls_work *graph, unsigned n)
{
    if (atomic_fetch_sub(&ls_graph_room(graph)->n_open, n) == n)
        graph->done(graph, (hipError_t)atomic_load(&ls_graph_room(graph)->err));
}

static void run_ready(struct ls_work *graph, unsigned n);

static void
part_ended(struct ls_work *w, hipError_t err)
{
    struct ls_work *graph = ls_graph_room(w)->graph;

    fail(graph, err);
    follow(graph->graph, ls_graph_room(w)->part);
    run_ready(graph, 1);
}

/* Runs a work of the graph. True when it has ended, false when it will be reported later. */
static bool
start(struct ls_work *graph, uint32_t i)
{
    const struct ls_graph_room *room = ls_graph_room(graph);
    struct ls_work *w = &graph->graph->works[i];
    hipError_t err = (hipError_t)atomic_load(&room->err);
    bool failed = err != hipSuccess || atomic_load(&room->dev->sticky) != hipSuccess;

    if (w->kind == LS_WORK_NONE)
        return true;
    if (w->kind == LS_WORK_CALL) {
        w->host.fn(w->host.user, err);
        return true;
    }
    if (w->kind == LS_WORK_GRAPH)
        LS_BUG("a graph within a graph");
    if (failed && w->kind != LS_WORK_HOST && w->kind != LS_WORK_LATER)
        return true;
    *ls_graph_room(w) = (struct ls_graph_room){.graph = graph, .part = i};
    w->done = part_ended;
    w->priority = graph->priority;
    if (w->kind == LS_WORK_LATER)
        w->host.fn(w->host.user, err);
    else
        room->submit(room->dev, w);
    return false;
}

/* n of the graph's n_open are this thread's. */
static void
run_ready(struct ls_work *graph, unsigned n)
{
    uint32_t i;

    while ((i = ls_graph_claim(graph->graph)) != LS_GRAPH_NONE) {
        if (!start(graph, i))
            continue;
        follow(graph->graph, i);
        n++;
    }
    leave(graph, n);
}

void
ls_graph_run(struct ls_device *dev, struct ls_work *w,
             void (*submit)(struct ls_device *dev, struct ls_work *work))
{
    struct ls_graph_room *room = ls_graph_room(w);
    struct ls_work_graph *g = w->graph;

    room->dev = dev;
    room->submit = submit;
    atomic_store(&room->err, hipSuccess);
    atomic_store(&room->n_open, g->n_works + 1);
    ls_graph_reset(g);
    for (uint32_t i = 0; i < g->n_roots; i++)
        ls_graph_push(g, g->roots[i]);
    run_ready(w, 1);
}
