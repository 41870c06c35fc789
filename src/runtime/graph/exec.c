/* SPDX-License-Identifier: MIT */
/* Instances. An instance owns a copy of its graph; a plan, made of that copy, is what runs.
 * Launches share the plan until parameters change; then the next launch makes a new one, and those
 * on their way keep theirs. */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "runtime/core/slab.h"
#include "runtime/graph/graph.h"
#include "runtime/mem/mem.h"

static struct ls_slab execs = {.item_bytes = sizeof(struct hipGraphExec),
                               .link_offset = offsetof(struct hipGraphExec, next_free)};

bool
ls_exec_is_valid(const struct hipGraphExec *x)
{
    return x && ls_slab_holds(&execs, x) && x->magic == LS_EXEC_MAGIC;
}

/* Plans */

struct record {
    struct ls_plan *plan;
    uint32_t index;
};

/* A conditional node in a plan. Its bodies are plans of their own; its work ends when they have
 * run. */
struct choice {
    struct ls_work *work; /* the node's work in its plan */
    struct ls_plan *root; /* the plan that is launched, which contains it at some depth */
    struct ls_cond *cond;
    hipGraphConditionalNodeType type;
    uint32_t n;
    struct plan **bodies; /* owned; NULL for an empty graph */
    struct ls_work body;  /* the work that runs a body */
};

/* A plan and what its works point to, in one piece of memory but for `data`. */
struct plan {
    struct ls_plan base;
    struct record *records;
    struct ls_steps *steps;
    uint32_t n_steps;
    struct choice *choices;
    uint32_t n_choices;
    char *data;      /* kernel arguments, parameters of host functions */
    bool wait;       /* see ls_exec_launch */
    bool has_memory; /* some nodes allocate or free memory */
    struct ihipGraph
        *kept; /* owned, linked by next_free: graphs that keep user objects which launches need */
};

struct size {
    size_t n_works, n_edges, n_records, n_waits, n_steps, n_choices, n_data;
};

static size_t
data_bytes(const struct ls_payload *p)
{
    size_t bytes = 0;

    switch ((int)p->type) {
    case hipGraphNodeTypeKernel:
        bytes = p->kernel.symbol->info->kernarg_bytes;
        break;
    case hipGraphNodeTypeHost:
        bytes = sizeof(p->host);
        break;
    case LS_NODE_OPAQUE:
        bytes = p->opaque.bytes;
        break;
    case LS_NODE_BATCH:
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
        bytes = p->values.n_steps * sizeof(struct ls_step);
        break;
    default:
        break;
    }
    return (bytes + 63) / 64 * 64;
}

static bool
has_steps(const struct ls_payload *p)
{
    return p->type == LS_NODE_BATCH || p->type == hipGraphNodeTypeExtSemaphoreSignal ||
           p->type == hipGraphNodeTypeExtSemaphoreWait;
}

/* Numbers the works of all nodes, and counts. A child graph has a work in front of its nodes and
 * one behind them. */
static void
measure(struct ihipGraph *g, struct size *s)
{
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        struct hipGraphNode *n = g->nodes.items[i];

        n->entry = n->exit = (uint32_t)s->n_works++;
        s->n_edges += n->edges.n;
        s->n_data += data_bytes(&n->payload);
        s->n_records += n->payload.type == hipGraphNodeTypeEventRecord;
        s->n_waits += n->payload.type == hipGraphNodeTypeWaitEvent;
        s->n_steps += has_steps(&n->payload);
        s->n_choices += n->payload.type == hipGraphNodeTypeConditional;
        if (n->payload.type != hipGraphNodeTypeGraph)
            continue;
        measure(n->payload.child, s);
        n->exit = (uint32_t)s->n_works++;
        s->n_edges += 1 + 2 * (size_t)n->payload.child->nodes.n; /* an upper bound */
    }
}

static void
bury_graph(struct ls_dead *dead)
{
    ls_graph_destroy((struct ihipGraph *)(void *)((char *)dead - offsetof(struct ihipGraph, dead)));
}

/* Graphs linked by next_free. As destroy_exec. */
static void
leave_graphs(struct ihipGraph *list)
{
    if (!list)
        return;
    while (list) {
        struct ihipGraph *next = list->next_free;

        list->dead.end = bury_graph;
        ls_graph_end_locked(&list->dead);
        list = next;
    }
    ls_graph_end_now();
}

static void
destroy_plan(struct ls_shared *shared)
{
    struct plan *p = (struct plan *)(void *)shared;

    if (p->base.graph.made)
        p->base.graph.maker->ops->queue.unplan(p->base.graph.maker, &p->base.graph);
    for (uint32_t i = 0; i < p->n_choices; i++) {
        for (uint32_t k = 0; k < p->choices[i].n; k++)
            if (p->choices[i].bodies[k])
                destroy_plan(&p->choices[i].bodies[k]->base.shared);
        free(p->choices[i].bodies);
    }
    leave_graphs(p->kept);
    free(p->data);
    free(p);
}

static size_t
take(size_t *at, size_t n, size_t bytes)
{
    size_t here = (*at + 63) / 64 * 64;

    *at = here + n * bytes;
    return here;
}

static struct plan *
alloc_plan(const struct size *s)
{
    size_t at = sizeof(struct plan), works = take(&at, s->n_works, sizeof(struct ls_work));
    size_t n_deps = take(&at, s->n_works, 4), first = take(&at, s->n_works + 1, 4);
    size_t roots = take(&at, s->n_works, 4), edges = take(&at, s->n_edges, 4);
    size_t left = take(&at, s->n_works, sizeof(atomic_uint));
    size_t queue = take(&at, LS_GRAPH_QUEUE(s->n_works), sizeof(atomic_uint));
    size_t records = take(&at, s->n_records, sizeof(struct record));
    size_t steps = take(&at, s->n_steps, sizeof(struct ls_steps));
    size_t choices = take(&at, s->n_choices, sizeof(struct choice));
    size_t events = take(&at, s->n_records + s->n_waits, sizeof(struct ihipEvent_t *));
    char *m = aligned_alloc(64, (at + 63) / 64 * 64);
    struct plan *p = (void *)m;
    struct ls_work_graph *g;

    if (!m)
        return NULL;
    memset(m, 0, at);
    g = &p->base.graph;
    p->base.shared.n_refs = 1;
    p->base.shared.destroy = destroy_plan;
    p->base.launch_by = ls_exec_launch_by;
    g->works = (void *)(m + works);
    g->n_deps = (void *)(m + n_deps);
    g->first_edge = (void *)(m + first);
    g->roots = (void *)(m + roots);
    g->edges = (void *)(m + edges);
    g->left = (void *)(m + left);
    g->queue = (void *)(m + queue);
    p->records = (void *)(m + records);
    p->steps = (void *)(m + steps);
    p->choices = (void *)(m + choices);
    p->base.records = (void *)(m + events);
    p->base.waits = p->base.records + s->n_records;
    if (s->n_data && !(p->data = aligned_alloc(64, s->n_data))) {
        free(p);
        return NULL;
    }
    return p;
}

static void
call_host(void *user, hipError_t status)
{
    const hipHostNodeParams *h = user;

    (void)status;
    h->fn(h->userData);
}

static void
call_record(void *user, hipError_t status)
{
    const struct record *r = user;

    (void)status;
    ls_plan_record(r->plan, r->index);
}

static void
set_call(struct ls_work *w, enum ls_work_kind kind, void (*fn)(void *, hipError_t), void *user)
{
    w->kind = kind;
    w->host.fn = fn;
    w->host.user = user;
}

/* Fills in the work of a node. *data is where its part of the plan's data begins, and is moved
 * behind that. */
static void
make_work(struct plan *p, const struct hipGraphNode *n, char **data)
{
    const struct ls_payload *load = &n->payload;
    struct ls_work *w = &p->base.graph.works[n->entry];
    struct ls_mem_range range;
    uint32_t i;

    if (n->disabled)
        return;
    switch ((int)load->type) {
    case hipGraphNodeTypeKernel:
        w->kind = LS_WORK_KERNEL;
        w->kernel = load->kernel.work;
        w->kernel.kernarg = *data;
        if (load->kernel.symbol->info->kernarg_bytes) /* without arguments there is no heap */
            memcpy(*data, load->heap, load->kernel.symbol->info->kernarg_bytes);
        break;
    case hipGraphNodeTypeMemcpy:
        w->kind = LS_WORK_COPY;
        w->copy = load->copy.box;
        p->wait |= !ls_mem_find(w->copy.dst, &range);
        if (!w->copy.row_bytes || !w->copy.height || !w->copy.depth)
            w->kind = LS_WORK_NONE;
        break;
    case hipGraphNodeTypeMemset:
        w->kind = LS_WORK_FILL;
        w->fill = load->fill.box;
        break;
    case hipGraphNodeTypeHost:
        memcpy(*data, &load->host, sizeof(load->host));
        set_call(w, LS_WORK_HOST, call_host, *data);
        break;
    case LS_NODE_OPAQUE:
        if (load->opaque.bytes)
            memcpy(*data, load->heap, load->opaque.bytes);
        set_call(w, LS_WORK_HOST, load->opaque.fn, load->opaque.bytes ? *data : load->opaque.user);
        break;
    case LS_NODE_BATCH:
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
        memcpy(*data, load->values.steps, load->values.n_steps * sizeof(struct ls_step));
        p->steps[p->n_steps] = (struct ls_steps){
            .work = w, .plan = &p->base, .steps = (void *)*data, .n = load->values.n_steps};
        set_call(w, LS_WORK_LATER, ls_steps_start, &p->steps[p->n_steps++]);
        break;
    case hipGraphNodeTypeEventRecord:
        i = p->base.n_records++;
        p->base.records[i] = load->event;
        p->records[i] = (struct record){&p->base, i};
        set_call(w, LS_WORK_CALL, call_record, &p->records[i]);
        break;
    case hipGraphNodeTypeWaitEvent:
        p->base.waits[p->base.n_waits++] = load->event;
        break;
    case hipGraphNodeTypeMemAlloc:
        p->has_memory = true;
        set_call(w, LS_WORK_CALL, ls_graph_mem_on, load->memory.mem);
        break;
    case hipGraphNodeTypeMemFree:
        p->has_memory = true;
        if (load->memory.mem)
            set_call(w, LS_WORK_CALL, ls_graph_mem_off, load->memory.mem);
        break;
    default:
        break;
    }
    *data += data_bytes(load);
}

static void
make_works(struct plan *p, const struct ihipGraph *g, char **data)
{
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct hipGraphNode *n = g->nodes.items[i];

        make_work(p, n, data);
        if (n->payload.type == hipGraphNodeTypeGraph)
            make_works(p, n->payload.child, data);
    }
}

/* Calls back for each edge between works. */
static void
each_edge(const struct ihipGraph *g, void (*edge)(struct plan *, uint32_t, uint32_t),
          struct plan *p)
{
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct hipGraphNode *n = g->nodes.items[i];

        for (uint32_t e = 0; e < n->edges.n; e++)
            edge(p, n->exit, n->edges.items[e]->entry);
        if (n->payload.type != hipGraphNodeTypeGraph)
            continue;
        each_edge(n->payload.child, edge, p);
        for (uint32_t k = 0; k < n->payload.child->nodes.n; k++) {
            const struct hipGraphNode *c = n->payload.child->nodes.items[k];

            if (c->deps.n == 0)
                edge(p, n->entry, c->entry);
            if (c->edges.n == 0)
                edge(p, c->exit, n->exit);
        }
        if (n->payload.child->nodes.n == 0)
            edge(p, n->entry, n->exit);
    }
}

static void
count_edge(struct plan *p, uint32_t from, uint32_t to)
{
    ((uint32_t *)(uintptr_t)p->base.graph.first_edge)[from + 1]++;
    ((uint32_t *)(uintptr_t)p->base.graph.n_deps)[to]++;
}

/* first_edge[from] is where the next one goes. */
static void
put_edge(struct plan *p, uint32_t from, uint32_t to)
{
    uint32_t *first = (uint32_t *)(uintptr_t)p->base.graph.first_edge;

    ((uint32_t *)(uintptr_t)p->base.graph.edges)[first[from]++] = to;
}

static void
make_edges(struct plan *p, const struct ihipGraph *g, uint32_t n_works)
{
    uint32_t *first = (uint32_t *)(uintptr_t)p->base.graph.first_edge;
    uint32_t *roots = (uint32_t *)(uintptr_t)p->base.graph.roots;

    each_edge(g, count_edge, p);
    for (uint32_t i = 0; i < n_works; i++)
        first[i + 1] += first[i];
    each_edge(g, put_edge, p);
    /* put_edge has moved each to where the next one begins: back by one. */
    memmove(first + 1, first, n_works * sizeof(*first));
    first[0] = 0;
    for (uint32_t i = 0; i < n_works; i++)
        if (p->base.graph.n_deps[i] == 0)
            roots[p->base.graph.n_roots++] = i;
}

static hipError_t make_plan(struct ihipGraph *g, struct ls_plan **out);

static void
run_choice(struct choice *c, hipError_t err)
{
    struct ls_device *dev = c->root->current->stream->dev;
    uint32_t value = atomic_load(c->cond->value), k = UINT32_MAX;

    if (c->type == hipGraphCondTypeSwitch)
        k = value;
    else if (value)
        k = 0;
    else if (c->type == hipGraphCondTypeIf)
        k = 1;
    if (err != hipSuccess || atomic_load(&dev->sticky) != hipSuccess || k >= c->n ||
        !c->bodies[k]) {
        c->work->done(c->work, err);
        return;
    }
    c->body.kind = LS_WORK_GRAPH;
    c->body.priority = c->work->priority;
    c->body.graph = &c->bodies[k]->base.graph;
    dev->ops->queue.submit(dev, &c->body);
}

static void
end_body(struct ls_work *w, hipError_t err)
{
    struct choice *c = (struct choice *)(void *)((char *)w - offsetof(struct choice, body));

    if (c->type == hipGraphCondTypeWhile)
        run_choice(c, err);
    else
        c->work->done(c->work, err);
}

/* Called when a kernel in the body of a conditional node launches a graph. */
static hipError_t
launch_from_body(struct ls_work *w, void *exec, hipStream_t how)
{
    struct choice *c = (struct choice *)(void *)((char *)w - offsetof(struct choice, body));

    return ls_exec_launch_by(&c->root->current->work, exec, how);
}

static void
start_choice(void *user, hipError_t status)
{
    struct choice *c = user;

    c->body.done = end_body;
    c->body.launch = launch_from_body;
    run_choice(c, status);
}

static void
begin_choices(struct plan *p, struct ls_plan *root)
{
    for (uint32_t i = 0; i < p->n_choices; i++) {
        struct choice *c = &p->choices[i];

        c->root = root;
        if (c->cond->flags & hipGraphCondAssignDefault)
            atomic_store(c->cond->value, c->cond->initial);
        for (uint32_t k = 0; k < c->n; k++)
            if (c->bodies[k])
                begin_choices(c->bodies[k], root);
    }
}

static void
begin(struct ls_plan *p)
{
    begin_choices((struct plan *)(void *)p, p);
}

static hipError_t
make_choice(struct plan *p, const struct hipGraphNode *n)
{
    struct ls_work *w = &p->base.graph.works[n->entry];
    struct choice *c = &p->choices[p->n_choices];
    const hipConditionalNodeParams *params = &n->payload.conditional.params;
    hipError_t err = hipSuccess;

    c->bodies = calloc(params->size, sizeof(struct plan *));
    if (!c->bodies)
        return hipErrorOutOfMemory;
    p->n_choices++;
    c->n = params->size;
    c->work = w;
    c->cond = n->payload.conditional.cond;
    c->type = params->type;
    for (uint32_t k = 0; k < c->n; k++) {
        struct ls_plan *body = NULL;

        if (params->phGraph_out[k]->nodes.n > 0)
            LS_TRY(make_plan(params->phGraph_out[k], &body));
        c->bodies[k] = (struct plan *)(void *)body;
        p->wait |= body && c->bodies[k]->wait;
    }
    if (!n->disabled)
        set_call(w, LS_WORK_LATER, start_choice, c);
    p->base.begin = begin;
out:
    return err;
}

static hipError_t
make_choices(struct plan *p, const struct ihipGraph *g)
{
    hipError_t err = hipSuccess;

    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct hipGraphNode *n = g->nodes.items[i];

        if (n->payload.type == hipGraphNodeTypeConditional)
            LS_TRY(make_choice(p, n));
        else if (n->payload.type == hipGraphNodeTypeGraph)
            LS_TRY(make_choices(p, n->payload.child));
    }
out:
    return err;
}

static hipError_t
make_plan(struct ihipGraph *g, struct ls_plan **out)
{
    struct size size = {0};
    hipError_t err;
    struct plan *p;
    char *data;

    measure(g, &size);
    if (size.n_works > UINT32_MAX / 2)
        return ls_err(hipErrorOutOfMemory, "%zu works", size.n_works);
    if (size.n_steps && !ls_queue_can_poll())
        return hipErrorOutOfMemory;
    p = alloc_plan(&size);
    if (!p)
        return hipErrorOutOfMemory;
    p->base.graph.n_works = (uint32_t)size.n_works;
    data = p->data;
    make_works(p, g, &data);
    make_edges(p, g, (uint32_t)size.n_works);
    err = make_choices(p, g);
    if (err == hipSuccess)
        *out = &p->base;
    else
        destroy_plan(&p->base.shared);
    return err;
}

/* Instances */

static void
bury(struct ls_dead *dead)
{
    const size_t at = offsetof(struct hipGraphExec, dead);
    struct hipGraphExec *x = (struct hipGraphExec *)(void *)((char *)dead - at);

    ls_graph_destroy(x->graph);
    x->graph = NULL;
    ls_check_clock_drop(&x->turn.clock);
    ls_slab_put(&execs, x);
}

/* The graph lock may be held by a caller of the queue. */
static void
destroy_exec(struct ls_shared *shared)
{
    struct hipGraphExec *x = (struct hipGraphExec *)(void *)shared;

    x->dead.end = bury;
    ls_graph_end_locked(&x->dead);
    ls_graph_end_now();
}

/* Whether CUDA allows such a node in the body of a conditional node. */
static bool
may_be_in_body(const struct ls_payload *p)
{
    switch ((int)p->type) {
    case hipGraphNodeTypeKernel:
    case hipGraphNodeTypeMemcpy:
    case hipGraphNodeTypeMemset:
    case hipGraphNodeTypeGraph:
    case hipGraphNodeTypeEmpty:
    case hipGraphNodeTypeConditional:
        return true;
    default:
        return false;
    }
}

static hipError_t
check_order(struct ihipGraph *g, bool in_body)
{
    struct hipGraphNode **order;
    hipError_t err = ls_graph_order(g, &order);

    if (err != hipSuccess)
        return err;
    free(order);
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct ls_payload *p = &g->nodes.items[i]->payload;
        bool conditional = p->type == hipGraphNodeTypeConditional;
        uint32_t n;
        struct ihipGraph **children = ls_payload_children(p, &n);

        if (in_body && !may_be_in_body(p))
            return ls_err(hipErrorNotSupported, "node type %d in a conditional node", (int)p->type);
        if (conditional && p->conditional.params.type == hipGraphCondTypeWhile &&
            children[0]->nodes.n == 0)
            return ls_err(hipErrorInvalidValue, "a loop without nodes");
        for (uint32_t k = 0; k < n; k++)
            LS_TRY(check_order(children[k], in_body || conditional));
    }
out:
    return err;
}

hipError_t
ls_exec_create(struct ihipGraph *g, unsigned long long flags, struct hipGraphExec **out)
{
    struct ihipGraph *copy = NULL;
    struct ls_plan *plan = NULL;
    struct hipGraphExec *x;
    hipError_t err;

    if (g->instantiated && ls_graph_has_memory(g))
        return ls_err(hipErrorNotSupported, "a graph with memory nodes has one instance");
    LS_TRY(check_order(g, false));
    LS_TRY(ls_graph_copy(g, &copy));
    LS_TRY(make_plan(copy, &plan));
    x = ls_slab_get(&execs);
    if (!x)
        LS_TRY(hipErrorOutOfMemory);
    memset(x, 0, sizeof(*x));
    x->turn.shared.n_refs = 1;
    x->turn.shared.destroy = destroy_exec;
    x->magic = LS_EXEC_MAGIC;
    x->graph = copy;
    copy->hidden = true;
    x->plan = plan;
    x->flags = flags;
    g->instantiated = true;
    *out = x;
    copy = NULL;
    plan = NULL;
out:
    ls_graph_destroy(copy);
    if (plan)
        ls_shared_unref(&plan->shared);
    return err;
}

void
ls_exec_touch(struct hipGraphExec *x)
{
    if (x->plan)
        ls_shared_unref(&x->plan->shared);
    x->plan = NULL;
}

void
ls_exec_destroy(struct hipGraphExec *x)
{
    x->magic = 0;
    ls_exec_touch(x);
    if (x->launched)
        ls_shared_unref(&x->launched->shared);
    ls_shared_unref(&x->turn.shared);
}

hipError_t
ls_exec_prepare(struct hipGraphExec *x)
{
    return x->plan ? hipSuccess : make_plan(x->graph, &x->plan);
}

static void
free_memory(struct ihipGraph *g)
{
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        struct ls_payload *p = &g->nodes.items[i]->payload;

        if (p->type == hipGraphNodeTypeMemAlloc)
            ls_graph_mem_off(p->memory.mem, hipSuccess);
        else if (p->type == hipGraphNodeTypeGraph)
            free_memory(p->child);
    }
}

/* Whether a launch of this graph has allocated memory that is not freed yet. As in AMD's runtime,
 * nodes of child graphs do not count. */
static bool
owes_memory(const struct ihipGraph *g)
{
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct ls_payload *p = &g->nodes.items[i]->payload;

        if (p->type == hipGraphNodeTypeMemAlloc && ls_graph_mem_is_owed(p->memory.mem))
            return true;
    }
    return false;
}

/* Notes that the alloc or free nodes (`type`) of a graph were launched. */
static void
owe_memory(const struct ihipGraph *g, hipGraphNodeType type)
{
    for (uint32_t i = 0; i < g->nodes.n; i++) {
        const struct ls_payload *p = &g->nodes.items[i]->payload;

        if (p->type == type && p->memory.mem)
            ls_graph_mem_owe(p->memory.mem, type == hipGraphNodeTypeMemAlloc);
        else if (p->type == hipGraphNodeTypeGraph)
            owe_memory(p->child, type);
    }
}

/* Notes which plan was launched last, for later updates of the instance. */
static void
note_launch(struct hipGraphExec *x)
{
    if (x->launched == x->plan)
        return;
    if (x->launched)
        ls_shared_unref(&x->launched->shared);
    x->launched = x->plan;
    ls_shared_ref(&x->plan->shared);
}

static bool
events_are_valid(const struct ls_plan *p)
{
    for (uint32_t i = 0; i < p->n_records; i++)
        if (!ls_event_is_valid(p->records[i]))
            return false;
    for (uint32_t i = 0; i < p->n_waits; i++)
        if (!ls_event_is_valid(p->waits[i]))
            return false;
    return true;
}

/* Bits of the other devices to whose null streams a launch in this stream belongs, as its copies
 * and fills would by themselves. */
static uint32_t
others_of(const struct plan *p, const struct ihipStream_t *s)
{
    uint32_t others = 0;

    if (ls_rt.n_devices == 1)
        return 0;
    for (uint32_t i = 0; i < p->base.graph.n_works; i++) {
        const struct ls_work *w = &p->base.graph.works[i];

        if (w->kind == LS_WORK_COPY)
            others |= ls_stream_others(s, ls_mem_devices(w->copy.dst, w->copy.src), false);
        else if (w->kind == LS_WORK_FILL)
            others |= ls_stream_others(s, ls_mem_devices(w->fill.dst, NULL), true);
    }
    for (uint32_t i = 0; i < p->n_choices; i++)
        for (uint32_t k = 0; k < p->choices[i].n; k++)
            if (p->choices[i].bodies[k])
                others |= others_of(p->choices[i].bodies[k], s);
    return others;
}

/* Whether the device of a stream can do all works: code of one kind of devices is nothing to
 * another, and what it cannot reach only another device could copy. */
static bool
fits_stream(const struct plan *p, const struct ihipStream_t *s)
{
    if (ls_rt.n_kinds == 1)
        return true;
    for (uint32_t i = 0; i < p->base.graph.n_works; i++) {
        const struct ls_work *w = &p->base.graph.works[i];

        if (w->kind == LS_WORK_KERNEL && w->kernel.dev->ops->name != s->dev->ops->name)
            return false;
        if (w->kind == LS_WORK_COPY &&
            ls_stream_doer(s, ls_mem_devices(w->copy.dst, w->copy.src)) != s->dev)
            return false;
        if (w->kind == LS_WORK_FILL &&
            ls_stream_doer(s, ls_mem_devices(w->fill.dst, NULL)) != s->dev)
            return false;
    }
    for (uint32_t i = 0; i < p->n_choices; i++)
        for (uint32_t k = 0; k < p->choices[i].n; k++)
            if (p->choices[i].bodies[k] && !fits_stream(p->choices[i].bodies[k], s))
                return false;
    return true;
}

hipError_t
ls_exec_launch(struct hipGraphExec *x, struct ihipStream_t *stream, bool *wait)
{
    hipError_t err = ls_exec_prepare(x);
    const struct plan *plan = (const void *)x->plan;

    if (err != hipSuccess)
        return err;
    if (!events_are_valid(x->plan))
        return ls_err(hipErrorInvalidValue, "an event of the graph is destroyed");
    if (!fits_stream(plan, stream))
        return ls_err(hipErrorNotSupported, "a graph with works of two kinds of devices");
    if (x->flags & hipGraphInstantiateFlagAutoFreeOnLaunch)
        free_memory(x->graph);
    else if (plan->has_memory && owes_memory(x->graph))
        return ls_err(hipErrorInvalidValue, "memory of the last launch is not freed");
    *wait = plan->wait;
    if (stream->dev->ops->queue.plan && x->launched != x->plan)
        stream->dev->ops->queue.plan(stream->dev, &x->plan->graph);
    LS_TRY(ls_plan_launch(x->plan, &x->turn, stream, others_of(plan, stream)));
    note_launch(x);
    if (plan->has_memory) {
        owe_memory(x->graph, hipGraphNodeTypeMemAlloc);
        owe_memory(x->graph, hipGraphNodeTypeMemFree);
    }
out:
    return err;
}

hipError_t
ls_exec_launch_by(struct ls_work *work, void *exec, hipStream_t how)
{
    struct hipGraphExec *x = exec;
    hipError_t err;

    ls_graph_lock();
    if (!ls_exec_is_valid(x) || !(x->flags & hipGraphInstantiateFlagDeviceLaunch))
        err = ls_err(hipErrorInvalidValue, "%p is no instance for launches by kernels", exec);
    else
        err = ls_exec_prepare(x);
    if (err == hipSuccess && !events_are_valid(x->plan))
        err = ls_err(hipErrorInvalidValue, "an event of the graph is destroyed");
    if (err == hipSuccess)
        err = ls_plan_launch_by(x->plan, &x->turn, work, how);
    if (err == hipSuccess)
        note_launch(x);
    ls_graph_unlock();
    return err;
}

hipError_t
ls_exec_set(struct hipGraphExec *x, struct hipGraphNode *copy, struct ls_payload *payload)
{
    if (payload->type == hipGraphNodeTypeKernel) {
        payload->kernel.attr = copy->payload.kernel.attr;
        payload->kernel.attr_id = copy->payload.kernel.attr_id;
    }
    ls_payload_fini(&copy->payload);
    copy->payload = *payload;
    ls_payload_belongs(payload, copy);
    ls_exec_touch(x);
    return hipSuccess;
}

/* Updates */

static hipError_t
differs(hipGraphExecUpdateResult reason, struct hipGraphNode *at, hipGraphExecUpdateResult *result,
        struct hipGraphNode **node)
{
    *result = reason;
    *node = at;
    return ls_err(hipErrorGraphExecUpdateFailure, "update: reason %d", (int)reason);
}

static bool
same_deps(const struct hipGraphNode *a, const struct hipGraphNode *b)
{
    if (a->deps.n != b->deps.n)
        return false;
    for (uint32_t i = 0; i < a->deps.n; i++) {
        uint32_t k = 0;

        while (k < b->deps.n && b->deps.items[k]->entry != a->deps.items[i]->entry)
            k++;
        if (k == b->deps.n)
            return false;
    }
    return true;
}

static bool
same_memset_shape(const struct ls_payload *a, const struct ls_payload *b)
{
    return (a->fill.box.height == 1 && b->fill.box.height == 1) ||
           (a->fill.box.height == b->fill.box.height && a->fill.box.depth == b->fill.box.depth &&
            a->fill.box.row_bytes == b->fill.box.row_bytes);
}

static hipError_t compare(struct ihipGraph *old, struct ihipGraph *new,
                          hipGraphExecUpdateResult *result, struct hipGraphNode **node);

/* Compares two nodes. `entry` of these and of their dependencies is their place in the order of
 * their graph. */
static hipError_t
compare_nodes(struct hipGraphNode *o, struct hipGraphNode *n, hipGraphExecUpdateResult *result,
              struct hipGraphNode **node)
{
    if (o->payload.type != n->payload.type)
        return differs(hipGraphExecUpdateErrorNodeTypeChanged, n, result, node);
    if (n->payload.type == hipGraphNodeTypeMemcpy &&
        n->payload.copy.params.kind != o->payload.copy.params.kind)
        return differs(hipGraphExecUpdateErrorParametersChanged, n, result, node);
    if (n->payload.type == hipGraphNodeTypeMemset && !same_memset_shape(&o->payload, &n->payload))
        return differs(hipGraphExecUpdateErrorParametersChanged, n, result, node);
    if (n->payload.type == hipGraphNodeTypeConditional &&
        (n->payload.conditional.params.type != o->payload.conditional.params.type ||
         n->payload.conditional.params.size != o->payload.conditional.params.size))
        return differs(hipGraphExecUpdateErrorParametersChanged, n, result, node);
    if (!same_deps(o, n))
        return differs(hipGraphExecUpdateErrorTopologyChanged, n, result, node);
    if ((n->payload.type == hipGraphNodeTypeMemAlloc ||
         n->payload.type == hipGraphNodeTypeMemFree) &&
        n->payload.memory.mem != o->payload.memory.mem)
        return differs(hipGraphExecUpdateErrorNotSupported, n, result, node);
    return hipSuccess;
}

static void
number(struct hipGraphNode **order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i]->entry = i;
}

static hipError_t
compare(struct ihipGraph *old, struct ihipGraph *new, hipGraphExecUpdateResult *result,
        struct hipGraphNode **node)
{
    struct hipGraphNode **a = NULL, **b = NULL;
    struct ihipGraph **olds, **news;
    uint32_t n;
    hipError_t err = hipSuccess;

    if (old->nodes.n != new->nodes.n)
        return differs(hipGraphExecUpdateErrorTopologyChanged, NULL, result, node);
    LS_TRY(ls_graph_order(old, &a));
    err = ls_graph_order(new, &b);
    if (err == hipErrorInvalidValue)
        LS_TRY(differs(hipGraphExecUpdateErrorTopologyChanged, NULL, result, node));
    LS_TRY(err);
    number(a, old->nodes.n);
    number(b, new->nodes.n);
    for (uint32_t i = 0; i < old->nodes.n; i++) {
        LS_TRY(compare_nodes(a[i], b[i], result, node));
        olds = ls_payload_children(&a[i]->payload, &n);
        news = ls_payload_children(&b[i]->payload, &n);
        for (uint32_t k = 0; k < n; k++)
            LS_TRY(compare(olds[k], news[k], result, node));
    }
out:
    free(a);
    free(b);
    return err;
}

/* Gives `old` the user objects that a copy of `new` would have; those that it had are put in front
 * of *kept. */
static hipError_t
trade_users(struct ihipGraph *old, const struct ihipGraph *new, struct ihipGraph **kept)
{
    struct ihipGraph *g;
    struct ls_user_ref *users = old->users;
    uint32_t n = old->n_users;
    hipError_t err;

    if (n == 0 && new->n_users == 0)
        return hipSuccess;
    g = ls_graph_create();
    if (!g)
        return hipErrorOutOfMemory;
    g->hidden = true;
    err = ls_graph_copy_users(new, g);
    if (err != hipSuccess) {
        ls_graph_destroy(g);
        return err;
    }
    old->users = g->users;
    old->n_users = g->n_users;
    g->users = users;
    g->n_users = n;
    g->next_free = *kept;
    *kept = g;
    return hipSuccess;
}

/* Gives the nodes of `old` the payloads of those of `new`, which has the same shape. The old nodes
 * keep their ids. */
static hipError_t
adopt(struct ihipGraph *old, struct ihipGraph *new, struct ihipGraph **kept)
{
    struct hipGraphNode **a = NULL, **b = NULL;
    struct ihipGraph **olds, **news;
    uint32_t n;
    hipError_t err = hipSuccess;

    LS_TRY(ls_graph_order(old, &a));
    LS_TRY(ls_graph_order(new, &b));
    for (uint32_t i = 0; i < old->nodes.n; i++) {
        struct ls_payload p;

        olds = ls_payload_children(
            &a[i]->payload,
            &n); /* the conditions stay those of the instance; their bodies are updated */
        news = ls_payload_children(&b[i]->payload, &n);
        for (uint32_t k = 0; k < n; k++)
            LS_TRY(adopt(olds[k], news[k], kept));
        if (n > 0)
            continue;
        LS_TRY(ls_payload_dup(&b[i]->payload, &p));
        ls_payload_fini(&a[i]->payload);
        a[i]->payload = p;
    }
    err = trade_users(old, new, kept);
out:
    free(a);
    free(b);
    return err;
}

/* Makes the instance of `old` what `new` is. Launches on their way keep its user objects. */
static hipError_t
adopt_all(struct hipGraphExec *x, struct ihipGraph *old, struct ihipGraph *new)
{
    struct ihipGraph *kept = NULL;
    hipError_t err;

    ls_exec_touch(x);
    err = adopt(old, new, &kept);
    if (kept && x->launched) {
        struct plan *last = (struct plan *)(void *)x->launched;
        struct ihipGraph **end = &last->kept;

        while (*end)
            end = &(*end)->next_free;
        *end = kept;
        ls_shared_unref(&x->launched->shared);
        x->launched = NULL;
    } else {
        leave_graphs(kept);
    }
    return err;
}

hipError_t
ls_exec_update(struct hipGraphExec *x, struct ihipGraph *g, hipGraphExecUpdateResult *result,
               struct hipGraphNode **node)
{
    hipError_t err;

    *node = NULL;
    *result = hipGraphExecUpdateSuccess;
    LS_TRY(compare(x->graph, g, result, node));
    LS_TRY(adopt_all(x, x->graph, g));
out:
    if (err != hipSuccess && *result == hipGraphExecUpdateSuccess)
        *result = hipGraphExecUpdateError;
    return err;
}

hipError_t
ls_exec_set_child(struct hipGraphExec *x, struct hipGraphNode *copy, struct ihipGraph *child)
{
    hipGraphExecUpdateResult result;
    struct hipGraphNode *node;
    hipError_t err = compare(copy->payload.child, child, &result, &node);

    if (err == hipErrorOutOfMemory)
        return err;
    if (err != hipSuccess)
        return ls_err(hipErrorUnknown, "another shape: reason %d", (int)result);
    return adopt_all(x, copy->payload.child, child);
}
