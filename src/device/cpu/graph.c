/* SPDX-License-Identifier: MIT */
/* Graphs of works: each work counts what it still waits for, and whoever ends the last of these
 * runs it or queues it.
 *
 * A listed graph is run by any number of runners. Small works run here, one after the other without
 * a lock; large ones, those that may wait and host functions are submitted as works of their own
 * and come back through work_ended. Each work is queued once in a run, and once more when a runner
 * stops for others after LS_GRAPH_TURN works: so the queue never wraps. */
#include "base/log.h"
#include "device/common/graph_queue.h"
#include "device/cpu/cpu_priv.h"

#define TURN_TICKS   5000000u
#define SAMPLE_EVERY 64u

/* Calls threads to works that are ready, which will take so long. */
static void
call_more(struct ls_cpu_sched *s, uint64_t ticks)
{
    ls_crew_call(s, NULL, ls_cpu_wanted(s, ticks), ls_cpu_wakes(ticks), true);
}

void
ls_cpu_graph_start(struct ls_work *w, uint64_t *ticks)
{
    struct ls_work_graph *g = w->graph;

    *ticks = 0;
    ls_graph_reset(g);
    g->n_ended = 0;
    for (uint32_t i = 0; i < g->n_roots; i++) {
        ls_graph_push(g, g->roots[i]);
        if (i > 0) /* the first root is for the thread that runs the graph, the others may need more
                      threads */
            *ticks += ls_cpu_expected_ticks(&g->works[g->roots[i]]);
    }
}

/* Counts down what waits for work i, which has ended. The first work that becomes ready goes to
 * *next if that is LS_GRAPH_NONE, the others to the queue. Returns how long these will take,
 * roughly. */
static uint64_t
follow(struct ls_work_graph *g, uint32_t i, uint32_t *next)
{
    uint64_t ticks = 0;

    for (uint32_t e = g->first_edge[i]; e < g->first_edge[i + 1]; e++) {
        uint32_t to = g->edges[e];

        if (g->n_deps[to] > 1 && atomic_fetch_sub(&g->left[to], 1) != 1)
            continue;
        if (*next == LS_GRAPH_NONE) {
            *next = to;
        } else {
            ls_graph_push(g, to);
            ticks += ls_cpu_expected_ticks(&g->works[to]);
        }
    }
    return ticks;
}

static void
fail(struct ls_work *graph, hipError_t err)
{
    int none = 0;

    atomic_compare_exchange_strong(&ls_cpu_of(graph)->err, &none, (int)err);
}

/* n_ended works of the graph have ended; `leaves`: a runner stops looking for more. It is listed
 * while works are ready, and ends with the last. */
static void
account(struct ls_cpu_sched *s, struct ls_work *w, uint32_t n_ended, bool leaves)
{
    bool claimed, relist, last;

    pthread_mutex_lock(&s->lock);
    w->graph->n_ended += n_ended;
    claimed = atomic_load(&w->graph->head) >= atomic_load(&w->graph->tail);
    relist = !claimed && !ls_cpu_of(w)->listed;
    if (relist)
        ls_ready_add(s, w);
    else if (leaves && claimed && ls_cpu_of(w)->listed)
        ls_ready_remove(s, w);
    if (leaves)
        ls_cpu_of(w)->n_runners--;
    last = w->graph->n_ended == w->graph->n_works && ls_cpu_of(w)->n_runners == 0;
    pthread_mutex_unlock(&s->lock);
    if (last)
        ls_cpu_finish(s, w);
    else if (relist && !ls_cpu_is_own_worker(s))
        ls_crew_watch(s, false);
}

/* A work that was submitted by itself has ended. */
static void
work_ended(struct ls_work *w, hipError_t err)
{
    struct ls_work *graph = ls_cpu_of(w)->graph;
    struct ls_cpu_sched *s = ls_cpu_of(w)->sched;
    uint32_t next = LS_GRAPH_NONE;
    uint64_t ticks;

    if (err != hipSuccess)
        fail(graph, err);
    ticks = follow(graph->graph, ls_cpu_of(w)->part, &next);
    if (next != LS_GRAPH_NONE)
        ls_graph_push(graph->graph, next);
    account(s, graph, 1, false); /* the graph may be freed by this */
    if (ticks > LS_BUSY_TICKS)
        call_more(s, ticks);
}

static void
prepare(struct ls_cpu_sched *s, struct ls_work *graph, struct ls_work *w)
{
    w->done = work_ended;
    w->priority = graph->priority;
    ls_cpu_of(w)->sched = s;
    ls_cpu_of(w)->graph = graph;
    ls_cpu_of(w)->part = (uint32_t)(w - graph->graph->works);
}

static void
run_apart(struct ls_cpu_sched *s, struct ls_work *graph, struct ls_work *w)
{
    prepare(s, graph, w);
    if (ls_checks())
        ls_cpu_check_work(w, graph);
    ls_cpu_submit_alone(s, w);
}

static bool
is_small(struct ls_cpu_sched *s, struct ls_work *w)
{
    if (w->kind == LS_WORK_KERNEL &&
        (w->kernel.cooperative || ls_cpu_may_wait(w) || ls_cpu_is_resident(s, w)))
        return false;
    ls_cpu_divide(s, w);
    return ls_cpu_of(w)->n_wanted == 1;
}

/* Runs a work of the graph. True when it has ended, false when work_ended will be called for it. */
static bool
run_work(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_work *graph, struct ls_work *w)
{
    bool failed = atomic_load(&ls_cpu_of(graph)->err) != hipSuccess ||
                  atomic_load(&s->dev->sticky) != hipSuccess;
    uint64_t start = 0;
    hipError_t err;

    switch (w->kind) {
    case LS_WORK_NONE:
        return true;
    case LS_WORK_CALL:
        w->host.fn(w->host.user, (hipError_t)atomic_load(&ls_cpu_of(graph)->err));
        return true;
    case LS_WORK_LATER:
        prepare(s, graph, w);
        w->host.fn(w->host.user, (hipError_t)atomic_load(&ls_cpu_of(graph)->err));
        return false;
    case LS_WORK_HOST:
        ls_service_flush(r); /* what kernels printed comes first */
        run_apart(s, graph, w);
        return false;
    case LS_WORK_KERNEL:
    case LS_WORK_COPY:
    case LS_WORK_FILL:
        if (failed)
            return true;
        if (!is_small(s, w)) {
            /* earlier output must not be lost if this kernel ends the process */
            ls_service_flush(r);
            run_apart(s, graph, w);
            return false;
        }
        break;
    case LS_WORK_GRAPH:
    default:
        LS_BUG("a work of kind %d within a graph", (int)w->kind);
    }
    atomic_store_explicit(&ls_cpu_of(w)->err, 0,
                          memory_order_relaxed); /* relaxed: no other thread has this work */
    ls_cpu_of(w)->graph = graph;
    if (w->kind == LS_WORK_KERNEL &&
        ((w - graph->graph->works) % SAMPLE_EVERY == 0 ||
         atomic_load_explicit(&w->kernel.code->ticks_per_block, memory_order_relaxed) == 0))
        start = __builtin_ia32_rdtsc();
    if (ls_checks())
        ls_cpu_check_work(w, graph);
    err = ls_runner_blocks(r, w, 0, ls_cpu_of(w)->n_items);
    if (ls_checks())
        ls_cpu_check_worked(w);
    if (err != hipSuccess)
        fail(graph, err);
    else if (start)
        ls_cpu_note_speed(w->kernel.code, __builtin_ia32_rdtsc() - start, ls_cpu_of(w)->n_items,
                          false);
    return true;
}

static uint32_t
run_ready(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_work *graph)
{
    struct ls_work_graph *g = graph->graph;
    uint64_t start = __builtin_ia32_rdtsc(), ticks = 0;
    uint32_t i, n_ended = 0, n_run = 0;

    while ((i = ls_graph_claim(g)) != LS_GRAPH_NONE) {
        while (i != LS_GRAPH_NONE) {
            uint32_t next = LS_GRAPH_NONE;

            if (run_work(s, r, graph, &g->works[i])) {
                n_ended++;
                ticks += follow(g, i, &next);
            }
            if (ticks > LS_BUSY_TICKS) {
                account(s, graph, 0, false); /* lists the graph, so that others find it */
                call_more(s, ticks);
                ticks = 0;
            }
            i = next;
            if (++n_run % LS_GRAPH_TURN == 0 && i != LS_GRAPH_NONE &&
                atomic_load_explicit(&s->n_ready, memory_order_relaxed) > 1 && /* relaxed: a hint */
                __builtin_ia32_rdtsc() - start > TURN_TICKS) {
                ls_graph_push(g, i);
                return n_ended;
            }
        }
    }
    return n_ended;
}

void
ls_cpu_graph_visit(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_work *w)
{
    uint32_t n_ended = run_ready(s, r, w);

    ls_service_flush(r);
    account(s, w, n_ended, true);
}
