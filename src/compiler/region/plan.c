/* SPDX-License-Identifier: MIT */
/* Points, regions, and whether barriers are met by all threads alike. */
#include "compiler/region/region_priv.h"

#include <string.h>

#include "compiler/ir/ir.h"

enum ls_point_kind
ls_barrier_kind(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    if (!name)
        return LS_POINT_NONE;
    if (!strcmp(name, "llvm.amdgcn.s.barrier") || !strcmp(name, "llvm.amdgcn.s.barrier.wait"))
        return LS_POINT_BARRIER;
    if (ls_ir_is_grid_sync(name))
        return LS_POINT_GRID_SYNC;
    if (!strcmp(name, LS_FN_TURN))
        return LS_POINT_TURN;
    if (!strcmp(name, LS_FN_TURN_END))
        return LS_POINT_TURN_END;
    return LS_POINT_NONE;
}

unsigned
ls_plan_block(const struct ls_plan *plan, LLVMBasicBlockRef bb)
{
    return (unsigned)(uintptr_t)ls_ptrmap_get(&plan->index, bb) - 1;
}

static unsigned
count_barriers(LLVMValueRef fn)
{
    unsigned n = 0;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            n += ls_barrier_kind(i) != LS_POINT_NONE;
    return n;
}

struct cut {
    LLVMBasicBlockRef before, after;
};

/* Splits at every barrier. cuts[i] belongs to points[i]. */
static void
cut_blocks(struct ls_plan *plan, struct cut *cuts)
{
    unsigned n = 1;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(plan->fn); bb;
         bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            enum ls_point_kind kind = ls_barrier_kind(i);

            next = LLVMGetNextInstruction(i);
            if (kind == LS_POINT_NONE)
                continue;
            plan->points[n].kind = kind;
            if (kind == LS_POINT_TURN || kind == LS_POINT_TURN_END)
                plan->points[n].loop = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
            cuts[n].before = ls_ir_split_before(plan->cc, i);
            cuts[n].after = bb;
            /* Two barriers in one block: what follows the first is now in the new block. */
            if (n > 1 && cuts[n - 1].after == bb)
                cuts[n - 1].after = cuts[n].before;
            n++;
            LLVMInstructionEraseFromParent(i);
        }
    }
}

static void
number_blocks(struct ls_plan *plan)
{
    struct ls_arena *arena = plan->cc->arena;
    unsigned n = 0;

    plan->n_blocks = LLVMCountBasicBlocks(plan->fn);
    plan->blocks = ls_arena_alloc(arena, plan->n_blocks * sizeof(*plan->blocks));
    ls_ptrmap_init(&plan->index, arena);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(plan->fn); bb;
         bb = LLVMGetNextBasicBlock(bb)) {
        plan->blocks[n].bb = bb;
        plan->blocks[n].barrier = -1;
        ls_ptrmap_set(&plan->index, bb, (void *)(uintptr_t)++n);
    }
}

static void
link_blocks(struct ls_plan *plan)
{
    for (unsigned i = 0; i < plan->n_blocks; i++) {
        struct ls_rblock *b = &plan->blocks[i];

        b->term = LLVMGetBasicBlockTerminator(b->bb);
        b->returns = LLVMGetInstructionOpcode(b->term) == LLVMRet;
        if (b->barrier >= 0)
            continue;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(b->term); k++)
            b->succ[b->n_succs++] = ls_plan_block(plan, LLVMGetSuccessor(b->term, k));
    }
}

static void
link_turns(struct ls_plan *plan)
{
    for (unsigned p = 1; p < plan->n_points; p++)
        for (unsigned q = 1; q < plan->n_points && plan->points[p].kind == LS_POINT_TURN; q++)
            if (plan->points[q].kind == LS_POINT_TURN_END &&
                plan->points[q].loop == plan->points[p].loop)
                plan->points[p].end = q;
}

void
ls_plan_init(struct ls_plan *plan, struct ls_cc *cc, LLVMValueRef fn)
{
    memset(plan, 0, sizeof(*plan));
    plan->cc = cc;
    plan->fn = fn;
    plan->n_points = 1 + count_barriers(fn);
    plan->points = ls_arena_alloc(cc->arena, plan->n_points * sizeof(*plan->points));
    plan->points[0].kind = LS_POINT_START;
    plan->max_warps = cc->n_warps ? cc->n_warps : 1024 / cc->n_lanes;

    struct cut *cuts = ls_arena_alloc(cc->arena, plan->n_points * sizeof(*cuts));
    cut_blocks(plan, cuts);
    number_blocks(plan);
    plan->points[0].start = ls_plan_block(plan, LLVMGetEntryBasicBlock(fn));
    for (unsigned p = 1; p < plan->n_points; p++) {
        plan->points[p].start = ls_plan_block(plan, cuts[p].after);
        plan->blocks[ls_plan_block(plan, cuts[p].before)].barrier = (int)p;
    }
    link_blocks(plan);
    link_turns(plan);
    plan->scratch = ls_arena_alloc(cc->arena, plan->n_blocks * sizeof(*plan->scratch));
}

unsigned
ls_region_successors(const struct ls_plan *plan, const struct ls_region *r, unsigned block,
                     unsigned succ[2])
{
    const struct ls_rblock *b = &plan->blocks[block];
    unsigned n = 0;

    for (unsigned k = 0; k < b->n_succs; k++)
        if (!r->way || r->way[block] == LS_WAY_OPEN || r->way[block] == k)
            succ[n++] = b->succ[k];
    return n;
}

/* Depth-first from the start: marks the members, counts them and what may come next. */
static void
visit(const struct ls_plan *plan, struct ls_region *r, unsigned b)
{
    const struct ls_rblock *blk = &plan->blocks[b];
    unsigned succ[2], n = ls_region_successors(plan, r, b, succ);

    plan->scratch[b] = 1;
    r->n++;
    if (b < r->first) {
        r->span += r->first - b;
        r->first = b;
    } else if (b - r->first >= r->span) {
        r->span = b - r->first + 1;
    }
    r->n_next += blk->barrier >= 0;
    r->may_return |= blk->returns;
    for (unsigned k = 0; k < n; k++)
        if (!plan->scratch[succ[k]])
            visit(plan, r, succ[k]);
}

/* The same walk, in which the marks go; fills order[] backwards. */
static void
put_in_order(const struct ls_plan *plan, struct ls_region *r, unsigned b, unsigned *at)
{
    unsigned succ[2], n = ls_region_successors(plan, r, b, succ);

    plan->scratch[b] = 0;
    for (unsigned k = 0; k < n; k++)
        if (plan->scratch[succ[k]])
            put_in_order(plan, r, succ[k], at);
    r->order[--*at] = b;
}

static void
find_exits(const struct ls_plan *plan, struct ls_region *r)
{
    unsigned n = 0;

    r->exits = ls_arena_alloc(plan->cc->arena, (r->n_next + 1) * sizeof(*r->exits));
    /* Points are numbered as their blocks are. */
    for (unsigned b = r->first; b < r->first + r->span; b++)
        if (plan->blocks[b].barrier >= 0 && ls_region_has(r, b))
            r->exits[n++] = (unsigned)plan->blocks[b].barrier;
    for (unsigned i = 0; i < n; i++) {
        if (plan->points[r->exits[i]].kind == LS_POINT_TURN) {
            r->turns = true;
        } else {
            r->n_exits++;
            r->only_exit = r->exits[i];
        }
    }
}

unsigned
ls_region_rank(const struct ls_region *r, unsigned block)
{
    return block - r->first < r->span ? r->rank[block - r->first] : LS_NO_BLOCK;
}

bool
ls_region_has(const struct ls_region *r, unsigned block)
{
    return ls_region_rank(r, block) != LS_NO_BLOCK;
}

unsigned
ls_region_common(const struct ls_region *r, unsigned a, unsigned b)
{
    const unsigned *rank = r->rank, *idom = r->idom, first = r->first;

    while (a != b) {
        while (rank[a - first] > rank[b - first])
            a = idom[a - first];
        while (rank[b - first] > rank[a - first])
            b = idom[b - first];
    }
    return a;
}

/* Cooper, Harvey and Kennedy's iteration, over edges instead of predecessor lists. */
static void
find_dominators(const struct ls_plan *plan, struct ls_region *r)
{
    unsigned start = r->order[0], first = r->first;
    unsigned *idom = ls_arena_alloc(plan->cc->arena, r->span * sizeof(*idom));
    const unsigned none = ~0u;

    r->idom = idom;
    memset(idom, 0xff, r->span * sizeof(*idom));
    idom[start - first] = start;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < r->n; i++) {
            unsigned b = r->order[i], succ[2], n = ls_region_successors(plan, r, b, succ);

            for (unsigned k = 0; k < n; k++) {
                unsigned s = succ[k], d;

                if (s == start || idom[b - first] == none)
                    continue;
                d = idom[s - first] == none ? b : ls_region_common(r, idom[s - first], b);
                changed |= d != idom[s - first];
                idom[s - first] = d;
            }
        }
    }
}

bool
ls_region_dominates(const struct ls_region *r, unsigned a, unsigned b)
{
    unsigned rank = ls_region_rank(r, a);

    if (rank == LS_NO_BLOCK || !ls_region_has(r, b))
        return false;
    while (r->rank[b - r->first] > rank)
        b = r->idom[b - r->first];
    return a == b;
}

unsigned
ls_region_size(const struct ls_plan *plan, const struct ls_region *r)
{
    unsigned n = 0;

    for (unsigned i = 0; i < r->n; i++)
        for (LLVMValueRef k = LLVMGetFirstInstruction(plan->blocks[r->order[i]].bb); k;
             k = LLVMGetNextInstruction(k))
            n++;
    return n;
}

void
ls_region_build(const struct ls_plan *plan, struct ls_region *r, unsigned point,
                const unsigned char *way)
{
    struct ls_arena *arena = plan->cc->arena;
    unsigned start = plan->points[point].start, at;

    memset(r, 0, sizeof(*r));
    r->point = point;
    r->way = way;
    r->first = start;
    visit(plan, r, start);
    at = r->n;
    r->order = ls_arena_alloc(arena, r->n * sizeof(*r->order));
    r->rank = ls_arena_alloc(arena, r->span * sizeof(*r->rank));
    put_in_order(plan, r, start, &at);
    memset(r->rank, 0xff, r->span * sizeof(*r->rank));
    for (unsigned i = 0; i < r->n; i++)
        r->rank[r->order[i] - r->first] = i;
    find_exits(plan, r);
    find_dominators(plan, r);
}

/* From which blocks a barrier can be reached: backward to a fixpoint. */
static void
find_leads_on(struct ls_plan *plan)
{
    bool *leads_on = ls_arena_alloc(plan->cc->arena, plan->n_blocks * sizeof(*leads_on));

    plan->leads_on = leads_on;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = plan->n_blocks; i-- > 0;) {
            const struct ls_rblock *b = &plan->blocks[i];
            bool is = b->barrier >= 0;

            for (unsigned k = 0; k < b->n_succs; k++)
                is |= leads_on[b->succ[k]];
            changed |= is && !leads_on[i];
            leads_on[i] |= is;
        }
    }
}

/* Whether each loop with turns is as expected: from its head threads come to the TURN again, or to
 * the loop's TURN_END. */
static bool
turns_end(const struct ls_plan *plan)
{
    for (unsigned p = 1; p < plan->n_points; p++) {
        const struct ls_region *r = &plan->regions[p];

        if (plan->points[p].kind != LS_POINT_TURN)
            continue;
        if (r->may_return)
            return false;
        for (unsigned i = 0; i < r->n_next; i++)
            if (r->exits[i] != p && r->exits[i] != plan->points[p].end)
                return false;
    }
    return true;
}

/* Whether threads that return can do so apart from the others. They run the blocks on their way out
 * in the region where they return, other threads when they come there; so no operation in these
 * blocks may depend on which threads are there. */
static bool
returns_apart(const struct ls_plan *plan)
{
    unsigned *n_regions = ls_arena_alloc(plan->cc->arena, plan->n_blocks * sizeof(*n_regions));

    for (unsigned p = 0; p < plan->n_points; p++)
        for (unsigned i = 0; i < plan->regions[p].n; i++)
            n_regions[plan->regions[p].order[i]]++;
    for (unsigned i = 0; i < plan->n_blocks; i++) {
        if (n_regions[i] < 2 || plan->leads_on[i])
            continue;
        for (LLVMValueRef k = LLVMGetFirstInstruction(plan->blocks[i].bb); k;
             k = LLVMGetNextInstruction(k))
            if (ls_ir_is_convergent(k))
                return false;
    }
    return true;
}

/* Whether cloning blocks into all regions that reach them keeps the code small enough. If not,
 * fibers are used. */
static bool
affordable(const struct ls_plan *plan)
{
    unsigned long long all = 0, cloned = 0;

    unsigned *size = ls_arena_alloc(plan->cc->arena, plan->n_blocks * sizeof(*size));

    for (unsigned i = 0; i < plan->n_blocks; i++) {
        for (LLVMValueRef k = LLVMGetFirstInstruction(plan->blocks[i].bb); k;
             k = LLVMGetNextInstruction(k))
            size[i]++;
        all += size[i];
    }
    for (unsigned p = 0; p < plan->n_points; p++)
        for (unsigned i = 0; i < plan->regions[p].n; i++)
            cloned += size[plan->regions[p].order[i]];
    return cloned < 20000 || cloned < 4 * all;
}

bool
ls_plan_build(struct ls_plan *plan)
{
    if (plan->n_points > 1) {
        unsigned n_lanes = plan->cc->n_lanes;

        /* In a warp of one lane everything is uniform, in a block of such warps it is not: the
         * analysis is told of 32 lanes. */
        if (n_lanes == 1)
            plan->cc->n_lanes = 32;
        plan->shapes = ls_shapes_build(plan->cc, plan->fn, LS_SCOPE_BLOCK, false);
        plan->cc->n_lanes = n_lanes;
        find_leads_on(plan);
        if (!plan->shapes || !ls_plan_agree(plan))
            return false;
    }
    plan->regions = ls_arena_alloc(plan->cc->arena, plan->n_points * sizeof(*plan->regions));
    for (unsigned p = 0; p < plan->n_points; p++)
        ls_region_build(plan, &plan->regions[p], p, NULL);
    return plan->n_points == 1 ||
           (turns_end(plan) && (!plan->needs_live || returns_apart(plan)) && affordable(plan));
}

static void
call_by_name(struct ls_cc *cc, LLVMBuilderRef b, const char *name)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);

    LLVMBuildCall2(b, type, ls_ir_declare(cc, name, type, true), NULL, 0, "");
}

void
ls_plan_restore(struct ls_plan *plan, const char *barrier, const char *grid_sync)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(plan->cc->llvm);
    LLVMValueRef fn = plan->fn;

    for (unsigned i = 0; i < plan->n_blocks; i++) {
        if (plan->blocks[i].barrier < 0)
            continue;
        enum ls_point_kind kind = plan->points[plan->blocks[i].barrier].kind;
        if (kind != LS_POINT_BARRIER && kind != LS_POINT_GRID_SYNC)
            continue;
        LLVMPositionBuilderBefore(b, plan->blocks[i].term);
        call_by_name(plan->cc, b, kind == LS_POINT_BARRIER ? barrier : grid_sync);
    }
    LLVMDisposeBuilder(b);
    if (!plan->w)
        return;
    ls_region_undisguise_warp(fn, plan->w);
    plan->w = NULL;
}
