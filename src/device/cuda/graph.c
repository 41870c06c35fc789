/* SPDX-License-Identifier: MIT */
/* Graphs as the driver's own. One whose works the driver can all do is captured once, before its
 * first launch: each work is handed over in a stream that only notes it, behind the nodes of those
 * that it waits for. Other graphs are run by a thread (lane.c). */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "device/cuda/cuda_priv.h"

struct ls_cuda_graph {
    struct ls_cuda *c;
    struct ls_cu_exec *exec;
    struct ls_cuda_graph *next; /* among those to be destroyed */
    /* Kernels that read variables: their addresses may change from launch to launch. */
    const struct ls_work_kernel **readers;
    uint32_t n_readers;
    bool prints;
};

/* While a graph is captured. */
struct draft {
    struct ls_cuda *c;
    const struct ls_work_graph *graph;
    struct ls_cu_node **end; /* by work: its node, the last one if it has several */
    uint32_t *first_in, *in; /* edges by the work that waits */
    struct ls_cu_node **behind;
};

bool
ls_cuda_is_planned(const struct ls_cuda *c, const struct ls_work_graph *graph)
{
    const struct ls_cuda_graph *made = graph->made;

    return made && made->c == c;
}

static bool
has_driver_graphs(void)
{
    return ls_cu.cuStreamBeginCapture && ls_cu.cuStreamEndCapture && ls_cu.cuStreamGetCaptureInfo &&
           ls_cu.cuStreamUpdateCaptureDependencies && ls_cu.cuGraphAddEmptyNode &&
           ls_cu.cuGraphInstantiate && ls_cu.cuGraphDestroy && ls_cu.cuGraphLaunch &&
           ls_cu.cuGraphExecDestroy;
}

/* Whether the driver can do the work. In the context. */
static bool
is_drivers(const struct ls_cuda *c, const struct ls_work *w)
{
    switch (w->kind) {
    case LS_WORK_NONE:
        return true;
    case LS_WORK_KERNEL:
        return !w->kernel.multi && w->kernel.dev == c->dev;
    case LS_WORK_COPY:
    case LS_WORK_FILL:
        return !ls_cuda_is_moved(w);
    default:
        return false;
    }
}

static void
turn_edges(struct draft *d)
{
    const struct ls_work_graph *g = d->graph;

    for (uint32_t i = 0; i < g->n_works; i++)
        d->first_in[i + 1] = d->first_in[i] + g->n_deps[i];
    for (uint32_t i = 0; i < g->n_works; i++)
        for (uint32_t e = g->first_edge[i]; e < g->first_edge[i + 1]; e++)
            d->in[d->first_in[g->edges[e]]++] = i;
    for (uint32_t i = g->n_works; i > 0; i--)
        d->first_in[i] = d->first_in[i - 1];
    d->first_in[0] = 0;
}

/* The stream's graph, and the node that was added last. */
static int
look(struct draft *d, struct ls_cu_graph **graph, struct ls_cu_node **last)
{
    struct ls_cu_node *const *ends = NULL;
    size_t n = 0;
    uint64_t id;
    int status, result;

    result = LS_CU(cuStreamGetCaptureInfo, d->c->drafts, &status, &id, graph, &ends, &n);
    if (result == LS_CU_SUCCESS)
        *last = n > 0 ? ends[n - 1] : NULL;
    return result;
}

static bool
is_nothing(const struct ls_work *w)
{
    return w->kind == LS_WORK_NONE ||
           (w->kind == LS_WORK_COPY &&
            (w->copy.row_bytes == 0 || w->copy.height == 0 || w->copy.depth == 0)) ||
           (w->kind == LS_WORK_FILL &&
            (w->fill.row_bytes == 0 || w->fill.height == 0 || w->fill.depth == 0));
}

static int
capture_work(struct draft *d, uint32_t i)
{
    struct ls_work *w = &d->graph->works[i];
    struct ls_cu_graph *graph;
    struct ls_cu_node *last;
    uint32_t n = d->first_in[i + 1] - d->first_in[i];
    int result;

    for (uint32_t k = 0; k < n; k++)
        d->behind[k] = d->end[d->in[d->first_in[i] + k]];
    if (is_nothing(w)) {
        result = look(d, &graph, &last);
        return result == LS_CU_SUCCESS ? LS_CU(cuGraphAddEmptyNode, &d->end[i], graph, d->behind, n)
                                       : result;
    }
    result = LS_CU(cuStreamUpdateCaptureDependencies, d->c->drafts, d->behind, n,
                   LS_CU_CAPTURE_SET_DEPENDENCIES);
    if (result == LS_CU_SUCCESS)
        result = ls_cuda_hand_over(d->c, w, d->c->drafts);
    if (result == LS_CU_SUCCESS)
        result = look(d, &graph, &d->end[i]);
    return result;
}

/* Works in an order in which each comes behind those that it waits for. */
static int
capture_works(struct draft *d)
{
    const struct ls_work_graph *g = d->graph;
    uint32_t *order = malloc(g->n_works * sizeof(*order)), n = 0;
    uint32_t *left = malloc(g->n_works * sizeof(*left));
    int result = order && left ? LS_CU_SUCCESS : LS_CU_OUT_OF_MEMORY;

    if (result == LS_CU_SUCCESS) {
        memcpy(left, g->n_deps, g->n_works * sizeof(*left));
        memcpy(order, g->roots, g->n_roots * sizeof(*order));
        n = g->n_roots;
    }
    for (uint32_t k = 0; k < n && result == LS_CU_SUCCESS; k++) {
        uint32_t i = order[k];

        result = capture_work(d, i);
        for (uint32_t e = g->first_edge[i]; e < g->first_edge[i + 1]; e++)
            if (--left[g->edges[e]] == 0)
                order[n++] = g->edges[e];
    }
    free(order);
    free(left);
    return result;
}

static int
capture(struct draft *d, struct ls_cu_exec **exec)
{
    struct ls_cuda *c = d->c;
    struct ls_cu_graph *graph = NULL;
    int result, ended;

    if (!c->drafts)
        LS_CU(cuStreamCreateWithPriority, &c->drafts, LS_CU_STREAM_NON_BLOCKING, c->least);
    if (!c->drafts)
        return LS_CU_OUT_OF_MEMORY;
    pthread_mutex_lock(&c->lock);
    result = LS_CU(cuStreamBeginCapture, c->drafts, LS_CU_CAPTURE_RELAXED);
    if (result == LS_CU_SUCCESS) {
        result = capture_works(d);
        ended = LS_CU(cuStreamEndCapture, c->drafts, &graph);
        if (result == LS_CU_SUCCESS)
            result = ended;
    }
    pthread_mutex_unlock(&c->lock);
    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuGraphInstantiate, exec, graph, 0);
    if (graph)
        LS_CU(cuGraphDestroy, graph);
    return result;
}

static int
make(struct ls_cuda *c, const struct ls_work_graph *g, struct ls_cu_exec **exec)
{
    uint32_t n_edges = g->first_edge[g->n_works];
    struct draft d = {.c = c, .graph = g};
    int result = LS_CU_OUT_OF_MEMORY;

    d.end = calloc(g->n_works, sizeof(struct ls_cu_node *));
    d.first_in = calloc((size_t)g->n_works + 1, sizeof(*d.first_in));
    d.in = calloc((size_t)n_edges + 1, sizeof(*d.in));
    d.behind = calloc((size_t)n_edges + 1, sizeof(struct ls_cu_node *));
    if (d.end && d.first_in && d.in && d.behind) {
        turn_edges(&d);
        result = capture(&d, exec);
    }
    free(d.end);
    free(d.first_in);
    free(d.in);
    free(d.behind);
    return result;
}

static bool
note_readers(struct ls_cuda_graph *made, const struct ls_work_graph *g)
{
    made->readers = malloc(((size_t)g->n_works + 1) * sizeof(*made->readers));
    if (!made->readers)
        return false;
    for (uint32_t i = 0; i < g->n_works; i++)
        if (g->works[i].kind == LS_WORK_KERNEL) {
            if (ls_cuda_reads_globals(&g->works[i].kernel))
                made->readers[made->n_readers++] = &g->works[i].kernel;
            made->prints |= ls_cuda_prints(&g->works[i].kernel);
        }
    return true;
}

bool
ls_cuda_graph_prints(const struct ls_work_graph *g)
{
    return ((const struct ls_cuda_graph *)g->made)->prints;
}

static void
destroy_unused(struct ls_cuda *c)
{
    struct ls_cuda_graph *made = atomic_exchange(&c->unused, NULL);

    while (made) {
        struct ls_cuda_graph *next = made->next;

        if (made->exec)
            LS_CU(cuGraphExecDestroy, made->exec);
        free(made->readers);
        free(made);
        made = next;
    }
}

void
ls_cuda_plan(struct ls_device *dev, struct ls_work_graph *g)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    struct ls_cuda_graph *made;
    bool all = has_driver_graphs() && !g->made && !dev->timed && !atomic_load(&c->dead);
    LS_CUDA_ENTER(c);

    destroy_unused(c);
    for (uint32_t i = 0; all && i < g->n_works; i++)
        all = is_drivers(c, &g->works[i]);
    made = all ? calloc(1, sizeof(*made)) : NULL;
    if (!made)
        return;
    made->c = c;
    pthread_mutex_lock(&c->plan_lock);
    if (note_readers(made, g) && make(c, g, &made->exec) == LS_CU_SUCCESS) {
        g->maker = dev;
        g->made = made;
    } else {
        free(made->readers);
        free(made);
    }
    pthread_mutex_unlock(&c->plan_lock);
}

void
ls_cuda_unplan(struct ls_device *dev, struct ls_work_graph *g)
{
    struct ls_cuda_graph *made = g->made;

    made->next = atomic_load(&ls_cuda_of(dev)->unused);
    while (!atomic_compare_exchange_weak(&ls_cuda_of(dev)->unused, &made->next, made))
        ;
    g->made = NULL;
}

int
ls_cuda_launch_graph(const struct ls_work_graph *g, struct ls_cu_stream *stream)
{
    const struct ls_cuda_graph *made = g->made;
    int result = LS_CU_SUCCESS;

    for (uint32_t i = 0; i < made->n_readers && result == LS_CU_SUCCESS; i++)
        result = ls_cuda_write_globals(made->readers[i]);
    return result == LS_CU_SUCCESS ? LS_CU(cuGraphLaunch, made->exec, stream) : result;
}
