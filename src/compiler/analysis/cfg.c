/* SPDX-License-Identifier: MIT */
/* Control-flow graph: Cooper, Harvey and Kennedy's dominators, natural loops, linear block
 * order. */
#include "analysis/cfg.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct ls_arena *arena;
    struct ls_cfg *cfg;
};

/* Post-order walk without recursion; returns the blocks in reverse postorder. */
static unsigned
collect_rpo(struct ls_arena *arena, LLVMValueRef fn, LLVMBasicBlockRef **out)
{
    unsigned cap = LLVMCountBasicBlocks(fn);
    LLVMBasicBlockRef *post = ls_arena_alloc(arena, cap * sizeof(*post));
    struct frame {
        LLVMBasicBlockRef bb;
        unsigned next;
    } *stack = ls_arena_alloc(arena, cap * sizeof(*stack));
    struct ls_ptrmap seen;
    unsigned n_post = 0, depth = 0;

    ls_ptrmap_init(&seen, arena);
    stack[depth++] = (struct frame){LLVMGetEntryBasicBlock(fn), 0};
    ls_ptrmap_set(&seen, stack[0].bb, stack);
    while (depth) {
        struct frame *f = &stack[depth - 1];
        LLVMValueRef term = LLVMGetBasicBlockTerminator(f->bb);
        unsigned n = term ? LLVMGetNumSuccessors(term) : 0;

        if (f->next == n) {
            post[n_post++] = f->bb;
            depth--;
            continue;
        }
        LLVMBasicBlockRef succ = LLVMGetSuccessor(term, n - 1 - f->next++);
        if (!ls_ptrmap_get(&seen, succ)) {
            ls_ptrmap_set(&seen, succ, stack);
            stack[depth++] = (struct frame){succ, 0};
        }
    }
    for (unsigned i = 0; i < n_post / 2; i++) {
        LLVMBasicBlockRef t = post[i];
        post[i] = post[n_post - 1 - i];
        post[n_post - 1 - i] = t;
    }
    *out = post;
    return n_post;
}

static void
number_blocks(struct builder *bd, LLVMBasicBlockRef *order, unsigned n)
{
    struct ls_cfg *cfg = bd->cfg;

    cfg->n_blocks = n;
    cfg->blocks = ls_arena_alloc(bd->arena, n * sizeof(*cfg->blocks));
    ls_ptrmap_init(&cfg->index, bd->arena);
    for (unsigned i = 0; i < n; i++) {
        cfg->blocks[i].bb = order[i];
        ls_ptrmap_set(&cfg->index, order[i], (void *)(size_t)(i + 1));
    }
    for (unsigned i = 0; i < n; i++) {
        struct ls_cfg_block *b = &cfg->blocks[i];
        b->term = LLVMGetBasicBlockTerminator(b->bb);
        b->n_succs = LLVMGetNumSuccessors(b->term);
        b->succs = ls_arena_alloc(bd->arena, (b->n_succs + 1) * sizeof(unsigned));
        b->idom = b->ipdom = LS_NO_BLOCK;
        for (unsigned k = 0; k < b->n_succs; k++) {
            b->succs[k] = ls_cfg_number(cfg, LLVMGetSuccessor(b->term, k));
            cfg->blocks[b->succs[k]].n_preds++;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        struct ls_cfg_block *b = &cfg->blocks[i];
        b->preds = ls_arena_alloc(bd->arena, (b->n_preds + 1) * sizeof(unsigned));
        b->n_preds = 0;
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < cfg->blocks[i].n_succs; k++) {
            struct ls_cfg_block *s = &cfg->blocks[cfg->blocks[i].succs[k]];
            s->preds[s->n_preds++] = i;
        }
}

/* Dominators of the graph without its edges back, by which a block has its predecessors in front of
 * it. Above each block stands one further up in the tree, so far that the way from any to any is
 * short: an exit that hundreds of blocks lead to asks where the ways from all of these meet. */
struct up {
    unsigned depth, far;
};

static unsigned
meet(const struct ls_cfg *cfg, const struct up *up, unsigned a, unsigned b)
{
    while (up[a].depth > up[b].depth)
        a = up[up[a].far].depth >= up[b].depth ? up[a].far : cfg->blocks[a].idom;
    while (up[b].depth > up[a].depth)
        b = up[up[b].far].depth >= up[a].depth ? up[b].far : cfg->blocks[b].idom;
    while (a != b) {
        bool near = up[a].far == up[b].far;

        a = near ? cfg->blocks[a].idom : up[a].far;
        b = near ? cfg->blocks[b].idom : up[b].far;
    }
    return a;
}

/* Returns whether these are the dominators of the whole graph: each edge back leads to a block that
 * dominates where it comes from. */
static bool
find_forward_dominators(struct ls_arena *arena, struct ls_cfg *cfg)
{
    struct up *up = ls_arena_alloc(arena, (cfg->n_blocks + 1) * sizeof(*up));
    bool whole = true;

    up[0] = (struct up){0, 0};
    for (unsigned i = 1; i < cfg->n_blocks; i++) {
        struct ls_cfg_block *b = &cfg->blocks[i];
        unsigned dom = LS_NO_BLOCK;

        for (unsigned k = 0; k < b->n_preds; k++)
            if (b->preds[k] < i)
                dom = dom == LS_NO_BLOCK ? b->preds[k] : meet(cfg, up, dom, b->preds[k]);
        if (dom == LS_NO_BLOCK)
            return false;
        b->idom = dom;
        up[i].depth = up[dom].depth + 1;
        up[i].far = up[dom].depth - up[up[dom].far].depth ==
                            up[up[dom].far].depth - up[up[up[dom].far].far].depth
                        ? up[up[dom].far].far
                        : dom;
    }
    for (unsigned i = 0; i < cfg->n_blocks; i++)
        for (unsigned k = 0; k < cfg->blocks[i].n_preds && whole; k++)
            whole = cfg->blocks[i].preds[k] < i || meet(cfg, up, i, cfg->blocks[i].preds[k]) == i;
    return whole;
}

/* Blocks must be numbered in reverse postorder. */
static void
find_dominators(struct ls_arena *arena, struct ls_cfg *cfg)
{
    bool changed = !find_forward_dominators(arena, cfg);

    for (unsigned i = 0; changed && i < cfg->n_blocks; i++)
        cfg->blocks[i].idom = LS_NO_BLOCK;
    while (changed) {
        changed = false;
        for (unsigned i = 1; i < cfg->n_blocks; i++) {
            struct ls_cfg_block *b = &cfg->blocks[i];
            unsigned dom = LS_NO_BLOCK;

            for (unsigned k = 0; k < b->n_preds; k++) {
                unsigned p = b->preds[k];
                if (p != 0 && cfg->blocks[p].idom == LS_NO_BLOCK)
                    continue;
                if (dom == LS_NO_BLOCK) {
                    dom = p;
                    continue;
                }
                while (dom != p) {
                    while (p > dom)
                        p = cfg->blocks[p].idom;
                    while (dom > p)
                        dom = cfg->blocks[dom].idom;
                }
            }
            if (dom != b->idom) {
                b->idom = dom;
                changed = true;
            }
        }
    }
}

/* Post-dominators with a virtual exit behind every block without successors; blocks that reach no
 * exit (endless loops) get an edge to it from their loop's latch, so that every block has an
 * answer. */
static void
find_postdominators(struct ls_arena *arena, struct ls_cfg *cfg)
{
    unsigned n = cfg->n_blocks, root = n, n_order = 0;
    unsigned *order = ls_arena_alloc(
        arena, (n + 1) * sizeof(*order)); /* blocks in post-order of the reversed graph */
    unsigned *pos = ls_arena_alloc(arena, (n + 1) * sizeof(*pos));
    unsigned *ipdom = ls_arena_alloc(arena, (n + 1) * sizeof(*ipdom));
    bool *seen = ls_arena_alloc(arena, n + 1);
    bool *to_exit = ls_arena_alloc(arena, n + 1);
    struct frame {
        unsigned block, next;
    } *stack = ls_arena_alloc(arena, (n + 2) * sizeof(*stack));

    for (unsigned i = 0; i < n; i++)
        to_exit[i] = cfg->blocks[i].n_succs == 0;
    /* Roots from the last block down: a block not yet seen reaches no exit and becomes one. */
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned r = n; r-- > 0;) {
            if (seen[r] || (pass == 0 && !to_exit[r]))
                continue;
            to_exit[r] = true;
            unsigned depth = 0;
            seen[r] = true;
            stack[depth++] = (struct frame){r, 0};
            while (depth) {
                struct frame *f = &stack[depth - 1];
                const struct ls_cfg_block *b = &cfg->blocks[f->block];
                if (f->next == b->n_preds) {
                    pos[f->block] = n_order;
                    order[n_order++] = f->block;
                    depth--;
                    continue;
                }
                unsigned p = b->preds[f->next++];
                if (!seen[p]) {
                    seen[p] = true;
                    stack[depth++] = (struct frame){p, 0};
                }
            }
        }
    }
    pos[root] = n_order;
    for (unsigned i = 0; i <= n; i++)
        ipdom[i] = LS_NO_BLOCK;
    ipdom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned o = n_order; o-- > 0;) {
            unsigned i = order[o], dom = to_exit[i] ? root : LS_NO_BLOCK;
            const struct ls_cfg_block *b = &cfg->blocks[i];

            for (unsigned k = 0; k < b->n_succs; k++) {
                unsigned p = b->succs[k];
                if (ipdom[p] == LS_NO_BLOCK)
                    continue;
                if (dom == LS_NO_BLOCK) {
                    dom = p;
                    continue;
                }
                while (dom != p) {
                    while (pos[p] < pos[dom])
                        p = ipdom[p];
                    while (pos[dom] < pos[p])
                        dom = ipdom[dom];
                }
            }
            if (dom != ipdom[i]) {
                ipdom[i] = dom;
                changed = true;
            }
        }
    }
    for (unsigned o = n_order; o-- > 0;) {
        struct ls_cfg_block *b = &cfg->blocks[order[o]];
        unsigned up = ipdom[order[o]];

        b->ipdom = up == root ? LS_NO_BLOCK : up;
        b->post_depth = up == root ? 1 : cfg->blocks[up].post_depth + 1;
    }
}

/* The outermost loop found so far around a block. */
static struct ls_loop *
found_around(const struct ls_cfg *cfg, unsigned block)
{
    struct ls_loop *loop = cfg->blocks[block].loop;

    while (loop && loop->parent)
        loop = loop->parent;
    return loop;
}

/* Walks back from the latches to the header; a loop inside is passed over from its header on. */
static void
add_loop_members(struct ls_cfg *cfg, struct ls_loop *loop, unsigned *work, unsigned n)
{
    while (n) {
        unsigned at = work[--n];
        struct ls_loop *inner = found_around(cfg, at);
        const struct ls_cfg_block *b = &cfg->blocks[inner ? inner->header : at];

        if (inner == loop)
            continue;
        if (inner)
            inner->parent = loop;
        else
            cfg->blocks[at].loop = loop;
        if (inner && inner->end > loop->end)
            loop->end = inner->end;
        if (at >= loop->end)
            loop->end = at + 1;
        for (unsigned k = 0; at != loop->header && k < b->n_preds; k++)
            if (found_around(cfg, b->preds[k]) != loop)
                work[n++] = b->preds[k];
    }
}

/* Inner loops are found first, as their headers come later in reverse postorder. */
static void
find_loops(struct ls_arena *arena, struct ls_cfg *cfg)
{
    unsigned n_edges = 0, *work;

    for (unsigned i = 0; i < cfg->n_blocks; i++) {
        cfg->blocks[i].loop = NULL;
        n_edges += cfg->blocks[i].n_preds;
    }
    work = ls_arena_alloc(arena, (n_edges + 1) * sizeof(*work));
    cfg->loops = ls_arena_alloc(arena, (cfg->n_blocks + 1) * sizeof(*cfg->loops));
    cfg->n_loops = 0;
    for (unsigned h = cfg->n_blocks; h-- > 0;) {
        struct ls_loop *loop = NULL;
        const struct ls_cfg_block *b = &cfg->blocks[h];
        unsigned n = 0;

        for (unsigned k = 0; k < b->n_preds; k++) {
            unsigned p = b->preds[k];
            if (p < h)
                continue;
            if (!ls_cfg_dominates(cfg, h, p)) {
                cfg->irreducible = true;
                continue;
            }
            if (!loop) {
                loop = ls_arena_alloc(arena, sizeof(*loop));
                loop->cfg = cfg;
                loop->header = h;
                loop->end = h + 1;
                loop->latch = p;
                cfg->loops[cfg->n_loops++] = loop;
            } else if (loop->latch != p) {
                loop->latch = LS_NO_BLOCK;
            }
            work[n++] = p;
        }
        if (loop)
            add_loop_members(cfg, loop, work, n);
    }
    for (unsigned i = 0, last = cfg->n_loops; i + 1 < last; i++) {
        struct ls_loop *t = cfg->loops[i];
        cfg->loops[i] = cfg->loops[--last];
        cfg->loops[last] = t;
    }
    for (unsigned l = 0; l < cfg->n_loops; l++) {
        struct ls_loop *loop = cfg->loops[l];
        loop->depth = loop->parent ? loop->parent->depth + 1 : 1;
    }
}

/* The loop at nesting level `outer` that holds block i, NULL when i is directly in `outer`. */
static struct ls_loop *
child_loop(const struct ls_cfg *cfg, const struct ls_loop *outer, unsigned i)
{
    struct ls_loop *l = cfg->blocks[i].loop;

    if (l == outer)
        return NULL;
    while (l->parent != outer)
        l = l->parent;
    return l;
}

/* Appends the blocks of `outer` (NULL: of the function) to `order` so that loops stay together.
 * Blocks come in reverse postorder; a child loop goes where its header is met. Reverse postorder
 * may put blocks behind a loop between its blocks; emitting the whole loop at its header restores
 * contiguity, and keeps the order topological because every entry into the loop goes through the
 * header. */
static unsigned
order_level(const struct ls_cfg *cfg, const struct ls_loop *outer, unsigned *order, unsigned n)
{
    unsigned last = outer ? outer->latch : LS_NO_BLOCK;

    unsigned from = outer ? outer->header : 0, end = outer ? outer->end : cfg->n_blocks;

    for (unsigned i = from; i < end; i++) {
        if (outer && !ls_loop_has(outer, i))
            continue;
        struct ls_loop *child = child_loop(cfg, outer, i);
        if (child) {
            if (child->header == i)
                n = order_level(cfg, child, order, n);
            continue;
        }
        if (i != last || (outer && outer->header == i))
            order[n++] = i;
    }
    if (outer && last != LS_NO_BLOCK && last != outer->header && !child_loop(cfg, outer, last))
        order[n++] = last;
    return n;
}

struct ls_cfg *
ls_cfg_build(struct ls_arena *arena, LLVMValueRef fn)
{
    struct ls_cfg *cfg = ls_arena_alloc(arena, sizeof(*cfg));
    struct builder bd = {.arena = arena, .cfg = cfg};
    LLVMBasicBlockRef *rpo;

    cfg->fn = fn;
    unsigned n = collect_rpo(arena, fn, &rpo);
    number_blocks(&bd, rpo, n);
    find_dominators(arena, cfg);
    find_loops(arena, cfg);
    if (cfg->irreducible)
        return cfg;

    /* Blocks get new numbers, in linear order, and what depends on numbers is computed again. */
    unsigned *order = ls_arena_alloc(arena, n * sizeof(*order));
    order_level(cfg, NULL, order, 0);
    LLVMBasicBlockRef *linear = ls_arena_alloc(arena, n * sizeof(*linear));
    for (unsigned i = 0; i < n; i++)
        linear[i] = cfg->blocks[order[i]].bb;
    number_blocks(&bd, linear, n);
    find_dominators(arena, cfg);
    find_loops(arena, cfg);
    find_postdominators(arena, cfg);
    return cfg;
}

unsigned
ls_cfg_number(const struct ls_cfg *cfg, LLVMBasicBlockRef bb)
{
    return (unsigned)(size_t)ls_ptrmap_get(&cfg->index, bb) - 1;
}

bool
ls_loop_has(const struct ls_loop *loop, unsigned block)
{
    const struct ls_loop *l = loop->cfg->blocks[block].loop;

    while (l && l->depth > loop->depth)
        l = l->parent;
    return l == loop;
}

bool
ls_cfg_dominates(const struct ls_cfg *cfg, unsigned a, unsigned b)
{
    while (b != LS_NO_BLOCK && b > a)
        b = cfg->blocks[b].idom;
    return a == b;
}

/* Whether there is a way from `targets` that leaves this iteration of `loop` before it comes to
 * `stop`. */
static bool
escapes(const struct ls_cfg *cfg, const unsigned *targets, unsigned n_targets, unsigned stop,
        const struct ls_loop *loop)
{
    unsigned *todo = calloc(cfg->n_blocks + n_targets, sizeof(*todo)), n_todo = 0;
    bool *seen = calloc(cfg->n_blocks, sizeof(*seen)), out = false;

    if (!seen || !todo)
        abort();
    for (unsigned i = 0; i < n_targets; i++)
        if (targets[i] != stop)
            todo[n_todo++] = targets[i];
    while (n_todo && !out) {
        unsigned v = todo[--n_todo];

        out = !ls_loop_has(loop, v) || v == loop->header;
        for (unsigned k = 0; k < cfg->blocks[v].n_succs; k++) {
            unsigned s = cfg->blocks[v].succs[k];

            if (s != stop && !seen[s]) {
                seen[s] = true;
                todo[n_todo++] = s;
            }
        }
    }
    free(seen);
    free(todo);
    return out;
}

unsigned
ls_cfg_meeting(const struct ls_cfg *cfg, unsigned postdom, const unsigned *targets,
               unsigned n_targets, const struct ls_loop *loop)
{
    for (; postdom != LS_NO_BLOCK; postdom = cfg->blocks[postdom].ipdom) {
        while (loop && !ls_loop_has(loop, postdom))
            loop = loop->parent;
        if (!loop || !escapes(cfg, targets, n_targets, postdom, loop))
            break;
    }
    return postdom;
}

struct ls_cfg_order
ls_cfg_order(struct ls_arena *arena, const struct ls_cfg *cfg)
{
    unsigned n = cfg->n_blocks;
    struct ls_cfg_order order = {ls_arena_alloc(arena, n * sizeof(unsigned)),
                                 ls_arena_alloc(arena, n * sizeof(unsigned))};
    unsigned *next = ls_arena_alloc(arena, n * sizeof(*next)); /* rank of the next one below each */

    for (unsigned i = 0; i < n; i++)
        order.n_below[i] = 1;
    for (unsigned i = n; i-- > 1;) /* dominators come first */
        order.n_below[cfg->blocks[i].idom] += order.n_below[i];
    order.rank[0] = 0;
    next[0] = 1;
    for (unsigned i = 1; i < n; i++) {
        unsigned above = cfg->blocks[i].idom;

        order.rank[i] = next[above];
        next[above] += order.n_below[i];
        next[i] = order.rank[i] + 1;
    }
    return order;
}
