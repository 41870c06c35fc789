/* SPDX-License-Identifier: MIT */
/* Linearisation: mask classes, deferred blocks, guards. */
#include "linear/linear.h"

#include <stdlib.h>
#include <string.h>

typedef uint64_t word;

struct work {
    const struct ls_shapes *shapes;
    const struct ls_cfg *cfg;
    struct ls_arena *arena;
    struct ls_linear *lin;
    unsigned n, n_words;
    /* Sets of blocks, by block; NULL: empty, as most are where control flow is uniform. */
    word **divs;  /* the divergent branches whose lanes are still apart here */
    word **defer; /* blocks that may be pending when it starts */
    bool *divergent_loop; /* by header: lanes leave this loop in different iterations */
    bool *own_mask;  /* by block: must collect its own mask */
    unsigned *todo;
};

static void
bit_set(word *set, unsigned i)
{
    set[i / 64] |= (word)1 << i % 64;
}

static bool
bit_get(const word *set, unsigned i)
{
    return set && set[i / 64] >> i % 64 & 1;
}

static word *
make_set(const struct work *w)
{
    return ls_arena_alloc(w->arena, w->n_words * sizeof(word));
}

/* Adds the members of `add` to a set; whether any is new. */
static bool
add_all(const struct work *w, word **set, const word *add)
{
    bool is_new = false;

    for (unsigned i = 0; i < w->n_words; i++)
        if (add[i] & ~(*set ? (*set)[i] : 0)) {
            if (!*set)
                *set = make_set(w);
            (*set)[i] |= add[i];
            is_new = true;
        }
    return is_new;
}

static void
copy_set(const struct work *w, word *to, const word *from)
{
    if (from)
        memcpy(to, from, w->n_words * sizeof(word));
    else
        memset(to, 0, w->n_words * sizeof(word));
}

static bool
is_equal(const struct work *w, const word *a, const word *b)
{
    return a == b || (a && b && !memcmp(a, b, w->n_words * sizeof(word)));
}

static bool
in_loop(const struct ls_loop *loop, unsigned i)
{
    return loop && ls_loop_has(loop, i);
}

/* A block where the lanes of divergent branch `b` are apart. */
static void
mark_apart(struct work *w, unsigned b, unsigned stop, unsigned s, unsigned *todo, unsigned *n_todo)
{
    if (s == stop || bit_get(w->divs[s], b))
        return;
    if (!w->divs[s])
        w->divs[s] = make_set(w);
    bit_set(w->divs[s], b);
    todo[(*n_todo)++] = s;
}

/* Lanes that stay in a loop when others leave it may leave in later iterations, by any exit. */
static void
mark_exits(struct work *w, unsigned b, unsigned stop, const struct ls_loop *loop, unsigned *todo,
           unsigned *n_todo)
{
    for (unsigned i = loop->header; i < loop->end; i++)
        for (unsigned k = 0; ls_loop_has(loop, i) && k < w->cfg->blocks[i].n_succs; k++)
            if (!ls_loop_has(loop, w->cfg->blocks[i].succs[k]))
                mark_apart(w, b, stop, w->cfg->blocks[i].succs[k], todo, n_todo);
}

/* Blocks of the same iteration between divergent branch `b` and the block where its lanes are
 * together again. Loops that lanes leave at different times are marked: each iteration starts with
 * other lanes. */
static void
mark_region(struct work *w, unsigned b)
{
    const struct ls_cfg_block *from = &w->cfg->blocks[b];
    unsigned stop = ls_cfg_meeting(w->cfg, from->ipdom, from->succs, from->n_succs, from->loop),
             n_todo = 0;
    unsigned *todo = w->todo;

    for (struct ls_loop *l = w->cfg->blocks[b].loop; l; l = l->parent)
        if (stop == LS_NO_BLOCK || !ls_loop_has(l, stop) || stop == l->header)
            w->divergent_loop[l->header] = true;
    todo[n_todo++] = b;
    for (struct ls_loop *l = w->cfg->blocks[b].loop; l; l = l->parent)
        if (stop == LS_NO_BLOCK || !ls_loop_has(l, stop) || stop == l->header)
            mark_exits(w, b, stop, l, todo, &n_todo);
    while (n_todo) {
        unsigned i = todo[--n_todo];
        const struct ls_cfg_block *blk = &w->cfg->blocks[i];

        for (unsigned k = 0; k < blk->n_succs; k++) {
            unsigned s = blk->succs[k];
            bool next_iteration = s <= i && in_loop(w->cfg->blocks[s].loop, b);

            if (!next_iteration)
                mark_apart(w, b, stop, s, todo, &n_todo);
        }
    }
}

/* Whether `d` is inside a loop that lanes leave at different times and that does not contain
 * `s`. */
static bool
in_divergent_loop_without(const struct work *w, unsigned d, unsigned s)
{
    for (struct ls_loop *l = w->cfg->blocks[d].loop; l; l = l->parent)
        if (w->divergent_loop[l->header] && !ls_loop_has(l, s))
            return true;
    return false;
}

/* The nearest dominator of `s` where the same lanes are together as in `s`. */
static unsigned
find_mask_rep(const struct work *w, unsigned s)
{
    if (w->own_mask[s] || w->divergent_loop[s])
        return s;
    for (unsigned d = w->cfg->blocks[s].idom; d != LS_NO_BLOCK; d = w->cfg->blocks[d].idom)
        if (!in_divergent_loop_without(w, d, s) &&
            is_equal(w, w->divs[d], w->divs[s]))
            return w->lin->blocks[d].mask_rep;
    return s;
}

static unsigned
first_of(const struct work *w, const word *set)
{
    for (unsigned i = 0; set && i < w->n_words; i++)
        if (set[i])
            return i * 64 + (unsigned)__builtin_ctzll(set[i]);
    return LS_NO_BLOCK;
}

/* Control goes on to the blocks in `cand`: returns the first of them in linear order, and defers
 * the others to it. */
static unsigned
go_on(struct work *w, word *cand, bool *changed)
{
    unsigned next = first_of(w, cand);

    if (next == LS_NO_BLOCK)
        return next;
    cand[next / 64] &= ~((word)1 << next % 64);
    *changed |= add_all(w, &w->defer[next], cand);
    bit_set(cand, next);
    return next;
}

static void
route_block(struct work *w, unsigned p, word *cand, bool *changed)
{
    struct ls_linear_block *lb = &w->lin->blocks[p];
    const struct ls_cfg_block *b = &w->cfg->blocks[p];
    const struct ls_loop *loop = b->loop;

    lb->next[0] = lb->next[1] = LS_NO_BLOCK;
    lb->loop_test = false;
    lb->guarded = lb->mask_rep == p && p != 0 && !(loop && loop->header == p) &&
                  first_of(w, w->defer[p]) != LS_NO_BLOCK;
    if (lb->guarded) {
        copy_set(w, cand, w->defer[p]);
        lb->skip_to = go_on(w, cand, changed);
    }
    if (lb->divergent) {
        copy_set(w, cand, w->defer[p]);
        for (unsigned k = 0; k < b->n_succs; k++) {
            if (b->succs[k] <= p)
                lb->loop_test = true;
            else
                bit_set(cand, b->succs[k]);
        }
        unsigned next = go_on(w, cand, changed);
        if (!lb->loop_test) {
            lb->next[0] = next;
            return;
        }
        lb->next[0] = loop->header;
        lb->next[1] = next;
        *changed |= add_all(w, &w->defer[loop->header], cand);
        return;
    }
    for (unsigned k = 0; k < b->n_succs; k++) {
        lb->next[k] = b->succs[k];
        if (!w->defer[p])
            continue;
        copy_set(w, cand, w->defer[p]);
        if (b->succs[k] <=
            p) { /* a back edge: blocks that are pending stay pending in the next iteration */
            *changed |= add_all(w, &w->defer[b->succs[k]], cand);
            continue;
        }
        bit_set(cand, b->succs[k]);
        lb->next[k] = go_on(w, cand, changed);
    }
}

/* The successors of p in the linearised graph. */
static unsigned
out_edges(const struct work *w, unsigned p, unsigned *to)
{
    const struct ls_linear_block *lb = &w->lin->blocks[p];
    unsigned n = 0;

    if (lb->guarded)
        to[n++] = lb->skip_to;
    for (unsigned k = 0; k < 2; k++)
        if (lb->next[k] != LS_NO_BLOCK)
            to[n++] = lb->next[k];
    return n;
}

/* Immediate dominators in the linearised graph: between the starts of blocks, or between their
 * bodies behind the guards. */
static unsigned *
find_dominators(const struct work *w, bool behind_guards)
{
    unsigned *idom = ls_arena_alloc(w->arena, w->n * sizeof(*idom));

    for (unsigned i = 0; i < w->n; i++)
        idom[i] = LS_NO_BLOCK;
    idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned p = 0; p < w->n; p++) {
            unsigned to[3], n = out_edges(w, p, to);

            if (idom[p] == LS_NO_BLOCK)
                continue;
            for (unsigned k = 0; k < n; k++) {
                /* The way around a guarded block does not pass its body. */
                unsigned from = behind_guards && k == 0 && w->lin->blocks[p].guarded ? idom[p] : p;
                unsigned a = from, b = idom[to[k]];

                if (to[k] == 0)
                    continue;
                if (b == LS_NO_BLOCK) {
                    idom[to[k]] = from;
                    changed = true;
                    continue;
                }
                while (a != b) {
                    while (a > b)
                        a = idom[a];
                    while (b > a)
                        b = idom[b];
                }
                if (a != idom[to[k]]) {
                    idom[to[k]] = a;
                    changed = true;
                }
            }
        }
    }
    return idom;
}

/* A block that shares a mask must be dominated by its owner. Where its dominator has the same owner
 * that is known; else it would be a way of many blocks for each. */
static bool
check_mask_reps(struct work *w)
{
    const unsigned *idom = find_dominators(w, true);
    const struct ls_linear_block *lb = w->lin->blocks;
    bool *good = ls_arena_alloc(w->arena, w->n), ok = true;

    for (unsigned s = 1; s < w->n; s++) {
        unsigned rep = lb[s].mask_rep, d = s;

        if (rep == s || idom[s] == LS_NO_BLOCK)
            continue;
        do
            d = idom[d];
        while (d > rep && !(good[d] && lb[d].mask_rep == rep));
        good[s] = d >= rep && (d == rep || good[d]);
        if (!good[s]) {
            w->own_mask[s] = true;
            ok = false;
        }
    }
    return ok;
}

/* Gives each block one far ancestor in the dominator tree, at distances that make the search for a
 * common ancestor logarithmic (Myers, An applicative random-access stack, 1983). */
static void
build_tree(struct work *w)
{
    const unsigned *idom = find_dominators(w, false);
    struct ls_linear_block *lb = w->lin->blocks;

    for (unsigned i = 1; i < w->n; i++) {
        unsigned up = idom[i] == LS_NO_BLOCK ? 0 : idom[i], far = lb[up].jump;
        bool level = lb[up].depth - lb[far].depth == lb[far].depth - lb[lb[far].jump].depth;

        lb[i].idom = up;
        lb[i].depth = lb[up].depth + 1;
        lb[i].jump = level ? lb[far].jump : up;
    }
}

unsigned
ls_linear_common(const struct ls_linear *lin, unsigned a, unsigned b)
{
    const struct ls_linear_block *lb = lin->blocks;

    if (lb[a].depth < lb[b].depth) {
        unsigned t = a;
        a = b;
        b = t;
    }
    while (lb[a].depth > lb[b].depth)
        a = lb[lb[a].jump].depth >= lb[b].depth ? lb[a].jump : lb[a].idom;
    while (a != b) {
        bool far = lb[a].jump != lb[b].jump;

        a = far ? lb[a].jump : lb[a].idom;
        b = far ? lb[b].jump : lb[b].idom;
    }
    return a;
}

struct ls_linear *
ls_linear_build(const struct ls_shapes *shapes)
{
    const struct ls_cfg *cfg = shapes->cfg;
    struct work w = {.shapes = shapes, .cfg = cfg, .arena = shapes->cc->arena, .n = cfg->n_blocks};

    if (cfg->irreducible)
        return NULL;
    for (unsigned l = 0; l < cfg->n_loops; l++)
        if (cfg->loops[l]->latch == LS_NO_BLOCK)
            return NULL;
    w.n_words = (w.n + 63) / 64;
    w.lin = ls_arena_alloc(w.arena, sizeof(*w.lin));
    w.lin->shapes = shapes;
    w.lin->blocks = ls_arena_alloc(w.arena, w.n * sizeof(*w.lin->blocks));
    w.divs = ls_arena_alloc(w.arena, w.n * sizeof(*w.divs));
    w.todo = ls_arena_alloc(w.arena, (w.n + 2) * sizeof(*w.todo));
    w.own_mask = ls_arena_alloc(w.arena, w.n);
    w.divergent_loop = ls_arena_alloc(w.arena, w.n);
    for (unsigned i = 0; i < w.n; i++) {
        w.lin->blocks[i].divergent = shapes->divergent[i];
        if (shapes->divergent[i])
            mark_region(&w, i);
    }
    word *cand = make_set(&w);
    do {
        w.defer = ls_arena_alloc(w.arena, w.n * sizeof(*w.defer));
        for (unsigned i = 0; i < w.n; i++)
            w.lin->blocks[i].mask_rep = find_mask_rep(&w, i);
        for (bool changed = true; changed;) {
            changed = false;
            for (unsigned p = 0; p < w.n; p++)
                route_block(&w, p, cand, &changed);
        }
    } while (!check_mask_reps(&w));
    build_tree(&w);
    return w.lin;
}
