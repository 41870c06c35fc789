/* SPDX-License-Identifier: MIT */
/* The proof that all threads of a block meet the same barrier next.
 *
 * Take the graph of blocks from which a barrier can be reached, with a node for each barrier behind
 * the blocks that end in it, and one end behind all barriers. Threads that part at a divergent
 * branch are together again at its immediate post-dominator in this graph. If that is the end, they
 * may meet different barriers. If it is anything else, no barrier lies between, and what follows is
 * decided by uniform branches. Blocks that only lead to the kernel's end are left out: who returns
 * counts as arrived at every barrier. */
#include "compiler/region/region_priv.h"

#include <string.h>

#define NONE (~0u)

struct graph {
    const struct ls_plan *plan;
    unsigned n, end; /* nodes: blocks, then points, then the end */
    const bool *alive; /* by block: a barrier may follow */
    unsigned *rank;  /* post-order number on the reversed graph's walk: the end has the highest */
    unsigned *order; /* nodes in reverse post-order of the reversed graph, the end first */
    unsigned n_order;
    unsigned *ipdom;
    unsigned **preds, *n_preds;
};

static unsigned
successors(const struct graph *g, unsigned node, unsigned succ[2])
{
    const struct ls_rblock *b;
    unsigned n = 0;

    if (node == g->end)
        return 0;
    if (node >= g->plan->n_blocks) {
        succ[0] = g->end;
        return 1;
    }
    b = &g->plan->blocks[node];
    if (b->barrier >= 0) {
        /* Threads in a loop with turns meet the others behind the loop. */
        const struct ls_point *point = &g->plan->points[b->barrier];
        succ[0] =
            g->plan->n_blocks + (point->kind == LS_POINT_TURN ? point->end : (unsigned)b->barrier);
        return 1;
    }
    for (unsigned k = 0; k < b->n_succs; k++)
        if (g->alive[b->succ[k]])
            succ[n++] = b->succ[k];
    return n;
}

static bool
in_graph(const struct graph *g, unsigned node)
{
    return node >= g->plan->n_blocks || g->alive[node];
}

static void
link_back(struct graph *g)
{
    struct ls_arena *arena = g->plan->cc->arena;
    unsigned succ[2];

    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = in_graph(g, i) ? successors(g, i, succ) : 0; k-- > 0;)
            g->n_preds[succ[k]]++;
    for (unsigned i = 0; i < g->n; i++) {
        g->preds[i] = ls_arena_alloc(arena, (g->n_preds[i] + 1) * sizeof(unsigned));
        g->n_preds[i] = 0;
    }
    for (unsigned i = 0; i < g->n; i++)
        for (unsigned k = in_graph(g, i) ? successors(g, i, succ) : 0; k-- > 0;)
            g->preds[succ[k]][g->n_preds[succ[k]]++] = i;
}

static void
walk_back(struct graph *g, unsigned node, bool *seen, unsigned *at)
{
    seen[node] = true;
    for (unsigned k = 0; k < g->n_preds[node]; k++)
        if (!seen[g->preds[node][k]])
            walk_back(g, g->preds[node][k], seen, at);
    g->order[--*at] = node;
}

static unsigned
common(const struct graph *g, unsigned a, unsigned b)
{
    while (a != b) {
        while (g->rank[a] > g->rank[b])
            a = g->ipdom[a];
        while (g->rank[b] > g->rank[a])
            b = g->ipdom[b];
    }
    return a;
}

static void
find_post_dominators(struct graph *g)
{
    struct ls_arena *arena = g->plan->cc->arena;
    bool *seen = ls_arena_alloc(arena, g->n * sizeof(*seen));
    unsigned at = g->n, succ[2];

    walk_back(g, g->end, seen, &at);
    g->order += at;
    g->n_order = g->n - at;
    memset(g->ipdom, 0xff, g->n * sizeof(*g->ipdom));
    for (unsigned i = 0; i < g->n_order; i++)
        g->rank[g->order[i]] = i;
    g->ipdom[g->end] = g->end;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 1; i < g->n_order; i++) {
            unsigned node = g->order[i], n = successors(g, node, succ), dom = NONE;

            for (unsigned k = 0; k < n; k++)
                if (g->ipdom[succ[k]] != NONE)
                    dom = dom == NONE ? succ[k] : common(g, dom, succ[k]);
            changed |= dom != g->ipdom[node];
            g->ipdom[node] = dom;
        }
    }
}

/* Whether some threads may return between a divergent branch and where its threads meet again. */
static bool
some_return(const struct graph *g, unsigned block, unsigned meet, bool *seen)
{
    const struct ls_rblock *b = &g->plan->blocks[block];

    if (block == meet || seen[block])
        return false;
    seen[block] = true;
    if (!g->alive[block])
        return true;
    for (unsigned k = 0; k < b->n_succs; k++)
        if (some_return(g, b->succ[k], meet, seen))
            return true;
    return false;
}

bool
ls_plan_agree(struct ls_plan *plan)
{
    struct ls_arena *arena = plan->cc->arena;
    struct graph g = {.plan = plan, .n = plan->n_blocks + plan->n_points + 1};

    g.end = g.n - 1;
    g.alive = plan->leads_on;
    g.rank = ls_arena_alloc(arena, g.n * sizeof(*g.rank));
    g.order = ls_arena_alloc(arena, g.n * sizeof(*g.order));
    g.ipdom = ls_arena_alloc(arena, g.n * sizeof(*g.ipdom));
    g.preds = ls_arena_alloc(arena, g.n * sizeof(*g.preds));
    g.n_preds = ls_arena_alloc(arena, g.n * sizeof(*g.n_preds));
    link_back(&g);
    find_post_dominators(&g);
    for (unsigned i = 0; i < plan->n_blocks; i++) {
        struct ls_rblock *b = &plan->blocks[i];

        b->divergent = b->n_succs > 1 && ls_shape_branch_divergent(plan->shapes, b->bb);
        if (!b->divergent || !g.alive[i])
            continue;
        if (g.ipdom[i] == g.end || g.ipdom[i] == NONE)
            return false;
        if (plan->needs_live)
            continue;
        bool *seen = ls_arena_alloc(arena, plan->n_blocks * sizeof(*seen));
        for (unsigned k = 0; k < b->n_succs && !plan->needs_live; k++)
            plan->needs_live |= some_return(&g, b->succ[k], g.ipdom[i], seen);
    }
    return true;
}
