/* SPDX-License-Identifier: MIT */
/* Nodes and edges; the life of what nodes have. */
#include "runtime/graph/payload_priv.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/core/slab.h"
#include "runtime/graph/capture_list.h"
#include "runtime/mem/external.h"

static struct ls_slab graphs = {.item_bytes = sizeof(struct ihipGraph),
                                .link_offset = offsetof(struct ihipGraph, next_free)};
static struct ls_slab nodes = {.item_bytes = sizeof(struct hipGraphNode),
                               .link_offset = offsetof(struct hipGraphNode, next_free)};
static uint64_t next_id = 1; /* guarded by the graph lock */

/* Whether a graph is an instance's own copy, or within such. A stale handle may lead to it, as it
 * may have the memory of a destroyed graph. */
static bool
is_hidden(const struct ihipGraph *g)
{
    while (!g->hidden && g->owner)
        g = g->owner->graph;
    return g->hidden;
}

bool
ls_graph_is_valid(const struct ihipGraph *g)
{
    return g && ls_slab_holds(&graphs, g) && g->magic == LS_GRAPH_MAGIC && !is_hidden(g);
}

bool
ls_node_is_valid(const struct hipGraphNode *n)
{
    return n && ls_slab_holds(&nodes, n) && n->magic == LS_NODE_MAGIC && !is_hidden(n->graph);
}

struct ihipGraph *
ls_graph_create(void)
{
    struct ihipGraph *g = ls_slab_get(&graphs);

    if (!g)
        return NULL;
    memset(g, 0, sizeof(*g));
    g->magic = LS_GRAPH_MAGIC;
    g->id = next_id++;
    return g;
}

bool
ls_nodes_push(struct ls_nodes *list, struct hipGraphNode *n)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 4;
        struct hipGraphNode **items = realloc(list->items, cap * sizeof(struct hipGraphNode *));

        if (!items)
            return false;
        list->items = items;
        list->cap = cap;
    }
    list->items[list->n++] = n;
    return true;
}

bool
ls_nodes_hold(const struct ls_nodes *list, const struct hipGraphNode *n)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i] == n)
            return true;
    return false;
}

static bool
drop(struct ls_nodes *list, const struct hipGraphNode *n)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i] == n) {
            memmove(&list->items[i], &list->items[i + 1],
                    (--list->n - i) * sizeof(struct hipGraphNode *));
            return true;
        }
    return false;
}

hipError_t
ls_edge_add(struct hipGraphNode *from, struct hipGraphNode *to)
{
    if (!ls_nodes_push(&from->edges, to))
        return hipErrorOutOfMemory;
    if (ls_nodes_push(&to->deps, from))
        return hipSuccess;
    from->edges.n--;
    return hipErrorOutOfMemory;
}

bool
ls_edge_remove(struct hipGraphNode *from, struct hipGraphNode *to)
{
    return drop(&from->edges, to) && drop(&to->deps, from);
}

static struct hipGraphNode *
new_node(struct ihipGraph *g)
{
    struct hipGraphNode *n = ls_slab_get(&nodes);

    if (!n)
        return NULL;
    memset(n, 0, sizeof(*n));
    n->magic = LS_NODE_MAGIC;
    n->graph = g;
    n->id = n->root_id = next_id++;
    n->index = g->nodes.n;
    if (ls_nodes_push(&g->nodes, n))
        return n;
    n->magic = 0;
    ls_slab_put(&nodes, n);
    return NULL;
}

struct ihipGraph **
ls_payload_children(const struct ls_payload *p, uint32_t *n)
{
    *n = 0;
    if (p->type == hipGraphNodeTypeGraph && p->child) {
        *n = 1;
        return (struct ihipGraph **)(uintptr_t)&p->child;
    }
    if (p->type != hipGraphNodeTypeConditional || !p->heap)
        return NULL;
    *n = p->conditional.params.size;
    return p->conditional.params.phGraph_out;
}

void
ls_payload_belongs(const struct ls_payload *p, struct hipGraphNode *node)
{
    uint32_t n;
    struct ihipGraph **children = ls_payload_children(p, &n);

    for (uint32_t i = 0; i < n; i++)
        children[i]->owner = node;
}

void
ls_payload_fini(struct ls_payload *p)
{
    uint32_t n;
    struct ihipGraph **children = ls_payload_children(p, &n);

    for (uint32_t i = 0; i < n; i++)
        ls_graph_destroy(children[i]);
    if (p->type == hipGraphNodeTypeConditional)
        ls_cond_unref(p->conditional.cond);
    if ((p->type == hipGraphNodeTypeMemAlloc || p->type == hipGraphNodeTypeMemFree) &&
        p->memory.mem) {
        if (p->memory.claims)
            ls_graph_mem_unclaim_free(p->memory.mem);
        ls_graph_mem_unref(p->memory.mem);
    }
    if (ls_payload_has_semaphores(p) && p->heap)
        ls_semaphore_unref_steps(p->values.steps, p->values.n_steps);
    free(p->heap);
    memset(p, 0, sizeof(*p));
    p->type = hipGraphNodeTypeEmpty;
}

/* Frees a node, which must have been taken out of its graph's lists. */
static void
free_node(struct hipGraphNode *n)
{
    n->magic = 0;
    ls_payload_fini(&n->payload);
    free(n->deps.items);
    free(n->edges.items);
    ls_slab_put(&nodes, n);
}

void
ls_node_destroy(struct hipGraphNode *n)
{
    struct ls_nodes *all = &n->graph->nodes;

    while (n->deps.n)
        ls_edge_remove(n->deps.items[0], n);
    while (n->edges.n)
        ls_edge_remove(n, n->edges.items[0]);
    drop(all, n);
    for (uint32_t i = n->index; i < all->n; i++)
        all->items[i]->index = i;
    free_node(n);
}

void
ls_graph_destroy(struct ihipGraph *g)
{
    if (!g)
        return;
    g->magic = 0;
    for (uint32_t i = 0; i < g->nodes.n; i++)
        free_node(g->nodes.items[i]);
    free(g->nodes.items);
    ls_cond_forget(g);
    ls_capture_forget_graph(g);
    ls_graph_release_users(g);
    ls_slab_put(&graphs, g);
}

hipError_t
ls_node_add(struct ihipGraph *g, const hipGraphNode_t *deps, size_t n_deps,
            struct ls_payload *payload, struct hipGraphNode **out)
{
    struct hipGraphNode *n;

    for (size_t i = 0; i < n_deps; i++) {
        if (!ls_node_is_valid(deps[i]) || deps[i]->graph != g) {
            ls_payload_fini(payload);
            return ls_err(hipErrorInvalidValue, "dependency %zu is no node of the graph", i);
        }
        deps[i]->n_open = 0;
    }
    for (size_t i = 0; i < n_deps; i++)
        if (deps[i]->n_open++) {
            ls_payload_fini(payload);
            return ls_err(hipErrorInvalidValue, "dependency %zu comes twice", i);
        }
    n = new_node(g);
    if (!n) {
        ls_payload_fini(payload);
        return hipErrorOutOfMemory;
    }
    n->payload = *payload;
    ls_payload_belongs(payload, n);
    for (size_t i = 0; i < n_deps; i++)
        if (ls_edge_add(deps[i], n) != hipSuccess) {
            ls_node_destroy(n);
            return hipErrorOutOfMemory;
        }
    *out = n;
    return hipSuccess;
}

hipError_t
ls_graph_order(struct ihipGraph *g, struct hipGraphNode ***order)
{
    uint32_t n = g->nodes.n, head = 0, tail = 0;
    struct hipGraphNode **q = malloc((n + 1) * sizeof(struct hipGraphNode *));

    if (!q)
        return hipErrorOutOfMemory;
    for (uint32_t i = 0; i < n; i++) {
        struct hipGraphNode *node = g->nodes.items[i];

        node->n_open = node->deps.n;
        if (node->deps.n == 0)
            q[tail++] = node;
    }
    while (head < tail) {
        const struct ls_nodes *edges = &q[head++]->edges;

        for (uint32_t e = 0; e < edges->n; e++)
            if (--edges->items[e]->n_open == 0)
                q[tail++] = edges->items[e];
    }
    if (tail == n) {
        *order = q;
        return hipSuccess;
    }
    free(q);
    return ls_err(hipErrorInvalidValue, "the graph has a cycle");
}

hipError_t
ls_payload_make_bodies(const struct ls_payload *from, struct ls_payload *p)
{
    hipConditionalNodeParams *c = &p->conditional.params;

    p->heap = calloc(c->size, sizeof(struct ihipGraph *));
    if (!p->heap)
        return hipErrorOutOfMemory;
    c->phGraph_out = p->heap;
    for (uint32_t i = 0; i < c->size; i++) {
        hipError_t err = hipSuccess;

        if (from)
            err = ls_graph_copy(from->conditional.params.phGraph_out[i], &c->phGraph_out[i]);
        else
            c->phGraph_out[i] = ls_graph_create();
        if (err != hipSuccess || !c->phGraph_out[i]) {
            p->conditional.cond = NULL;
            ls_payload_fini(p);
            return hipErrorOutOfMemory;
        }
    }
    return hipSuccess;
}

static hipError_t
dup_bodies(const struct ls_payload *from, struct ls_payload *p)
{
    hipError_t err = ls_payload_make_bodies(from, p);

    if (err == hipSuccess)
        ls_cond_ref(p->conditional.cond);
    return err;
}

hipError_t
ls_payload_dup(const struct ls_payload *from, struct ls_payload *out)
{
    struct ls_payload p = *from;
    size_t bytes;

    p.heap = NULL;
    switch ((int)from->type) {
    case hipGraphNodeTypeKernel:
        if (!from->heap)
            break;
        if (ls_heap_kernel(&p) != hipSuccess)
            return hipErrorOutOfMemory;
        memcpy(p.heap, from->heap, p.kernel.symbol->info->kernarg_bytes);
        ls_heap_settle_kernel(&p, from->kernel.params.extra != NULL);
        break;
    case hipGraphNodeTypeGraph:
        p.child = NULL;
        if (ls_graph_copy(from->child, &p.child) != hipSuccess)
            return hipErrorOutOfMemory;
        break;
    case hipGraphNodeTypeConditional:
        if (dup_bodies(from, &p) != hipSuccess)
            return hipErrorOutOfMemory;
        break;
    case hipGraphNodeTypeMemAlloc:
    case hipGraphNodeTypeMemFree:
        p.memory.claims = false;
        if (p.memory.mem)
            ls_graph_mem_ref(p.memory.mem);
        break;
    case LS_NODE_BATCH:
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
        p.heap = malloc(p.values.heap_bytes + 1);
        if (!p.heap)
            return hipErrorOutOfMemory;
        memcpy(p.heap, from->heap, p.values.heap_bytes);
        ls_heap_settle_values(&p);
        if (ls_payload_has_semaphores(&p))
            ls_semaphore_ref_steps(p.values.steps, p.values.n_steps);
        break;
    case LS_NODE_OPAQUE:
        bytes = from->opaque.bytes;
        if (!bytes)
            break;
        p.opaque.user = p.heap = malloc(bytes);
        if (!p.heap)
            return hipErrorOutOfMemory;
        memcpy(p.heap, from->heap, bytes);
        break;
    default:
        break;
    }
    *out = p;
    return hipSuccess;
}

static hipError_t
copy_nodes(struct ihipGraph *from, struct ihipGraph *to)
{
    hipError_t err;

    for (uint32_t i = 0; i < from->nodes.n; i++) {
        const struct hipGraphNode *n = from->nodes.items[i];
        struct hipGraphNode *c = new_node(to);

        if (!c)
            return hipErrorOutOfMemory;
        c->origin_id = n->id;
        c->root_id = n->root_id;
        c->disabled = n->disabled;
        LS_TRY(ls_payload_dup(&n->payload, &c->payload));
        ls_payload_belongs(&c->payload, c);
    }
    for (uint32_t i = 0; i < from->nodes.n; i++) { /* nodes of both graphs have the same order */
        const struct hipGraphNode *n = from->nodes.items[i];
        struct hipGraphNode *c = to->nodes.items[i];

        for (uint32_t e = 0; e < n->edges.n; e++)
            if (!ls_nodes_push(&c->edges, to->nodes.items[n->edges.items[e]->index]))
                return hipErrorOutOfMemory;
        for (uint32_t e = 0; e < n->deps.n; e++)
            if (!ls_nodes_push(&c->deps, to->nodes.items[n->deps.items[e]->index]))
                return hipErrorOutOfMemory;
    }
    err = ls_graph_copy_users(from, to);
out:
    return err;
}

hipError_t
ls_graph_copy(struct ihipGraph *g, struct ihipGraph **out)
{
    struct ihipGraph *copy = ls_graph_create();
    hipError_t err = copy ? copy_nodes(g, copy) : hipErrorOutOfMemory;

    if (err != hipSuccess) {
        ls_graph_destroy(copy);
        return err;
    }
    copy->origin_id = g->id;
    *out = copy;
    return hipSuccess;
}

static bool
is_copy(const struct hipGraphNode *copy, const struct hipGraphNode *original, bool any_ancestor)
{
    return copy->origin_id == original->id ||
           (any_ancestor && copy->origin_id && copy->root_id == original->root_id);
}

struct hipGraphNode *
ls_graph_find_copy(struct ihipGraph *copy, const struct hipGraphNode *original, bool any_ancestor)
{
    struct ls_nodes *all = &copy->nodes;

    if (original->index < all->n && is_copy(all->items[original->index], original, any_ancestor))
        return all->items[original->index];
    for (uint32_t i = 0; i < all->n; i++)
        if (is_copy(all->items[i], original, any_ancestor))
            return all->items[i];
    for (uint32_t i = 0; i < all->n; i++) {
        uint32_t n;
        struct ihipGraph **children = ls_payload_children(&all->items[i]->payload, &n);

        for (uint32_t k = 0; k < n; k++) {
            struct hipGraphNode *found = ls_graph_find_copy(children[k], original, any_ancestor);

            if (found)
                return found;
        }
    }
    return NULL;
}

bool
ls_graph_has_memory(const struct ihipGraph *g)
{
    for (uint32_t i = 0; i < g->nodes.n; i++)
        if (g->nodes.items[i]->payload.type == hipGraphNodeTypeMemAlloc ||
            g->nodes.items[i]->payload.type == hipGraphNodeTypeMemFree)
            return true;
    return false;
}
