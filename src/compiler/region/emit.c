/* SPDX-License-Identifier: MIT */
/* Makes the block-mode program: per region a loop over the warps, slots for what lives across. */
#include "compiler/region/emit_priv.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/guards.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"

static bool
dropped(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name &&
           (ls_ir_has_prefix(name, "llvm.lifetime.") || ls_ir_has_prefix(name, "llvm.dbg.") ||
            ls_ir_has_prefix(name, "llvm.experimental.noalias.scope.decl"));
}

/* Finds the values that this region needs from elsewhere. */
static void
dry_run(struct ls_emitter *e)
{
    if (ls_emit_turn_of(e, e->r->point))
        ls_emit_block_value(e, ls_emit_turn_of(e, e->r->point)->full);
    for (unsigned k = 0; k < e->r->n; k++) {
        unsigned block = e->r->order[k];
        LLVMBasicBlockRef bb = e->plan->blocks[block].bb;

        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            if (dropped(i))
                continue;
            if (!LLVMIsAPHINode(i)) {
                for (int op = 0, n = LLVMGetNumOperands(i); op < n; op++)
                    ls_emit_resolve(e, NULL, block, LLVMGetOperand(i, (unsigned)op));
                continue;
            }
            for (unsigned in = 0; in < LLVMCountIncoming(i); in++)
                if (ls_emit_edge(e, LLVMGetIncomingBlock(i, in), bb))
                    ls_emit_resolve(e, NULL, ls_plan_block(e->plan, LLVMGetIncomingBlock(i, in)),
                                    LLVMGetIncomingValue(i, in));
        }
    }
}

/* ---- Cloning ---- */

static void
keep_if_wanted(struct ls_emitter *e, LLVMValueRef old, LLVMValueRef clone)
{
    struct ls_keep *s = ls_ptrmap_get(&e->slots, old);

    if (s)
        ls_emit_slot_store(e, e->b, s, clone);
}

static void
clone_phis(struct ls_emitter *e, LLVMBasicBlockRef bb)
{
    LLVMValueRef i;

    for (i = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(i), "");

        if (LLVMCanValueUseFastMathFlags(i))
            LLVMSetFastMathFlags(phi, LLVMGetFastMathFlags(i));
        ls_ptrmap_set(e->map, i, phi);
    }
}

static void
keep_phis(struct ls_emitter *e, LLVMBasicBlockRef bb)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        if (!ls_coalesce_is_kept(e, i))
            keep_if_wanted(e, i, ls_ptrmap_get(e->map, i));
}

static bool
needs_next(const struct ls_region *r)
{
    return r->n_exits > 1 || (r->n_exits == 1 && r->may_return);
}

/* Stores on the way to point p what later regions ask about turns: threads in the loop, threads
 * that have left or skipped it. */
static void
store_turn(struct ls_emitter *e, unsigned p)
{
    const struct ls_plan *plan = e->plan;

    if (plan->points[p].kind == LS_POINT_TURN) {
        LLVMBuildStore(e->b, ls_emit_i32(e, p), e->turn);
        if (e->r->point != p)
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 1, false),
                           ls_emit_warp_element(e, e->b, e->in_turn[p]));
        return;
    }
    for (unsigned i = 0; i < e->r->n_next && plan->points[p].kind == LS_POINT_TURN_END; i++) {
        unsigned t = e->r->exits[i];

        if (e->in_turn[t] && plan->points[t].end == p) {
            if (e->r->point == t)
                LLVMBuildStore(e->b, LLVMConstInt(e->i8, 0, false),
                               ls_emit_warp_element(e, e->b, e->in_turn[t]));
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 1, false), e->skipped[t]);
        }
    }
}

static void
clone_terminator(struct ls_emitter *e, unsigned block)
{
    const struct ls_rblock *blk = &e->plan->blocks[block];
    LLVMValueRef clone;

    if (blk->barrier >= 0) {
        store_turn(e, (unsigned)blk->barrier);
        if (e->next && needs_next(e->leaf) && e->plan->points[blk->barrier].kind != LS_POINT_TURN)
            LLVMBuildStore(e->b, ls_emit_i32(e, (unsigned)blk->barrier), e->next);
        LLVMBuildBr(e->b, e->latch);
        return;
    }
    if (blk->returns) {
        if (e->live)
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 0, false),
                           ls_emit_warp_element(e, e->b, e->live));
        if (e->returned)
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 1, false), e->returned);
        LLVMBuildBr(e->b, e->latch);
        return;
    }
    if (e->r->way && e->r->way[block] != LS_WAY_OPEN) {
        LLVMBuildBr(e->b, e->clones[blk->succ[e->r->way[block]]]);
        return;
    }
    clone = LLVMInstructionClone(blk->term);
    if (e->full && !e->leaving && ls_emit_turn_of(e, e->r->point)->exit == blk->term)
        LLVMSetCondition(clone, LLVMConstInt(LLVMInt1TypeInContext(e->cc->llvm),
                                             ls_emit_turn_of(e, e->r->point)->stay == 0, false));
    else if (LLVMIsConditional(blk->term))
        LLVMSetCondition(clone, ls_emit_resolve(e, e->b, block, LLVMGetCondition(blk->term)));
    for (unsigned k = 0; k < blk->n_succs; k++)
        LLVMSetSuccessor(clone, k, e->clones[blk->succ[k]]);
    ls_emit_insert_clone(e->b, clone);
}

static void
clone_instruction(struct ls_emitter *e, unsigned block, LLVMValueRef i)
{
    LLVMValueRef clone = LLVMInstructionClone(i);

    for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++)
        LLVMSetOperand(clone, (unsigned)k,
                       ls_emit_resolve(e, e->b, block, LLVMGetOperand(i, (unsigned)k)));
    ls_emit_insert_clone(e->b, clone);
    ls_ptrmap_set(e->map, i, clone);
    keep_if_wanted(e, i, clone);
}

/* What follows is of the k-th of the warps that run side by side. */
static void
choose(struct ls_emitter *e, unsigned k)
{
    e->w = e->side[k].w;
    e->map = &e->side[k].map;
    e->top_map = &e->side[k].top_map;
}

static void
clone_block(struct ls_emitter *e, unsigned block)
{
    LLVMBasicBlockRef bb = e->plan->blocks[block].bb;

    LLVMPositionBuilderAtEnd(e->b, e->clones[block]);
    for (unsigned k = 0; k < e->n_side; k++) {
        choose(e, k);
        clone_phis(e, bb);
    }
    for (unsigned k = 0; k < e->n_side; k++) {
        choose(e, k);
        keep_phis(e, bb);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i != e->plan->blocks[block].term;
         i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i) || i == e->plan->w || ls_ir_is_lane(i) ||
            dropped(i))
            continue;
        for (unsigned k = 0; k < (LLVMIsAFenceInst(i) ? 1 : e->n_side); k++) {
            choose(e, k);
            clone_instruction(e, block, i);
        }
    }
    choose(e, 0); /* one way for all */
    clone_terminator(e, block);
}

static void
fill_phis(struct ls_emitter *e, unsigned block)
{
    LLVMBasicBlockRef bb = e->plan->blocks[block].bb;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = ls_ptrmap_get(e->map, i);

        for (unsigned in = 0; in < LLVMCountIncoming(i); in++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, in);
            unsigned pred = ls_plan_block(e->plan, from);
            LLVMValueRef v;

            if (!ls_emit_edge(e, from, bb))
                continue;
            LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(e->clones[pred]));
            v = ls_emit_resolve(e, e->b, pred, LLVMGetIncomingValue(i, in));
            LLVMAddIncoming(phi, &v, &e->clones[pred], 1);
        }
    }
}

/* ---- The block-level program ---- */

static LLVMBasicBlockRef
append(struct ls_emitter *e, const char *name, unsigned point)
{
    char text[32];

    snprintf(text, sizeof(text), "r%u.%s", point, name);
    return LLVMAppendBasicBlockInContext(e->cc->llvm, e->fn, text);
}

static void
volatile_store(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef ptr)
{
    LLVMSetVolatile(LLVMBuildStore(b, v, ptr), true);
}

static void
store_cur_warp(struct ls_emitter *e)
{
    /* Volatile, as the handler of faults reads which warp was running. */
    volatile_store(e->b, e->w, e->cur_warp);
}

/* Lanes beyond the block's last thread, threads that have returned, and those that have left the
 * loop in which warps take turns, skip the body. */
static void
emit_guard(struct ls_emitter *e, LLVMBasicBlockRef body, bool first)
{
    struct ls_cc *cc = e->cc;
    LLVMValueRef cond = NULL;

    if (!cc->whole_warps) {
        LLVMValueRef base = LLVMBuildNUWMul(e->b, e->w, ls_emit_i32(e, cc->n_lanes), "");
        LLVMValueRef lin = LLVMBuildNUWAdd(e->b, base, e->lane, "");

        cond = LLVMBuildICmp(e->b, LLVMIntULT, lin, e->n_threads, "");
    }
    LLVMValueRef flags[2] = {first || e->full ? NULL : e->live,
                             e->full ? NULL : e->in_turn[e->r->point]};
    for (unsigned i = 0; i < 2; i++) {
        if (!flags[i])
            continue;
        LLVMValueRef flag = LLVMBuildLoad2(e->b, e->i8, ls_emit_warp_element(e, e->b, flags[i]),
                                           i ? "in.turn" : "live");
        LLVMValueRef on = LLVMBuildICmp(e->b, LLVMIntNE, flag, LLVMConstInt(e->i8, 0, false), "");

        cond = cond ? LLVMBuildAnd(e->b, cond, on, "") : on;
    }
    if (cond)
        LLVMBuildCondBr(e->b, cond, body, e->latch);
    else
        LLVMBuildBr(e->b, body);
}

static void
emit_dispatch(struct ls_emitter *e)
{
    const struct ls_region *r = e->r;

    if (r->turns) {
        LLVMValueRef turn = LLVMBuildLoad2(e->b, e->i32, e->turn, "turn");

        for (unsigned i = 0; i < r->n_next; i++) {
            unsigned p = r->exits[i];

            if (e->plan->points[p].kind != LS_POINT_TURN)
                continue;
            LLVMBasicBlockRef other = append(e, "else", r->point);
            LLVMValueRef is = LLVMBuildICmp(e->b, LLVMIntEQ, turn, ls_emit_i32(e, p), "");
            LLVMBuildCondBr(e->b, is, e->pre[p], other);
            LLVMPositionBuilderAtEnd(e->b, other);
        }
    }
    if (!r->n_exits) {
        LLVMBuildBr(e->b, e->ret);
        return;
    }
    if (!needs_next(r)) {
        LLVMBuildBr(e->b, e->pre[r->only_exit]);
        return;
    }
    LLVMValueRef next = LLVMBuildLoad2(e->b, e->i32, e->next, "next");
    for (unsigned i = 0, left = r->n_exits; i < r->n_next; i++) {
        unsigned p = r->exits[i];

        if (e->plan->points[p].kind == LS_POINT_TURN)
            continue;
        if (!--left && !r->may_return) {
            LLVMBuildBr(e->b, e->pre[p]);
            return;
        }
        LLVMBasicBlockRef other = left ? append(e, "else", r->point) : e->ret;
        LLVMValueRef is = LLVMBuildICmp(e->b, LLVMIntEQ, next, ls_emit_i32(e, p), "");
        LLVMBuildCondBr(e->b, is, e->pre[p], other);
        LLVMPositionBuilderAtEnd(e->b, other);
    }
}

static void
emit_point(struct ls_emitter *e, const struct ls_point *point)
{
    struct ls_cc *cc = e->cc;

    if (point->kind == LS_POINT_START || point->kind == LS_POINT_TURN ||
        point->kind == LS_POINT_TURN_END)
        return;
    /* Lanes are about to read what others wrote: nothing that looks at one lane may move across. */
    LLVMBuildFence(e->b, LLVMAtomicOrderingAcquireRelease, true, "");
    if (point->kind == LS_POINT_GRID_SYNC) {
        LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);
        LLVMBuildCall2(e->b, type, ls_ir_declare(cc, LS_FN_GRID_SYNC, type, true), NULL, 0, "");
    }
}

/* The body for e->n_side warps from e->w on, up to the latch, where the builder stays. `head` is
 * where it begins. */
static void
emit_one_warp(struct ls_emitter *e, LLVMBasicBlockRef head)
{
    unsigned point = e->r->point;
    LLVMBasicBlockRef body = append(e, "top", point);

    ls_emit_enter(e, e->r);
    LLVMPositionBuilderAtEnd(e->b, head);
    for (unsigned k = 0; k < e->n_side; k++) {
        ls_ptrmap_init(&e->side[k].map, e->cc->arena);
        ls_ptrmap_init(&e->side[k].top_map, e->cc->arena);
        e->side[k].w = k ? LLVMBuildAdd(e->b, e->w, ls_emit_i32(e, k), "") : e->w;
    }
    choose(e, 0);
    store_cur_warp(e);
    for (unsigned i = 0; i < e->r->n; i++)
        e->clones[e->r->order[i]] = append(e, "b", point);
    e->latch = append(e, "next", point);
    emit_guard(e, body, point == 0);
    LLVMPositionBuilderAtEnd(e->b, body);
    LLVMPositionBuilderBefore(e->top_b, LLVMBuildBr(e->b, e->clones[e->r->order[0]]));
    for (unsigned i = 0; i < e->r->n_next; i++) {
        unsigned t = e->r->exits[i];

        if (t != point && e->in_turn[t])
            LLVMBuildStore(e->top_b, LLVMConstInt(e->i8, 0, false),
                           ls_emit_warp_element(e, e->top_b, e->in_turn[t]));
    }
    for (unsigned i = 0; i < e->r->n; i++)
        clone_block(e, e->r->order[i]);
    for (unsigned k = 0; k < e->n_side; k++) {
        choose(e, k);
        for (unsigned i = 0; i < e->r->n; i++)
            fill_phis(e, e->r->order[i]);
    }
    LLVMPositionBuilderAtEnd(e->b, e->latch);
}

/* The loop over the warps from `first` up to `end`, of which there is at least one, behind block
 * `from`. The builder stays where control goes on. `alone`: it is the region's only loop, and what
 * is in front of it has its place in `from`. */
static void
emit_loop(struct ls_emitter *e, LLVMBasicBlockRef from, LLVMValueRef first, LLVMValueRef end,
          bool alone)
{
    unsigned point = e->r->point;
    LLVMBasicBlockRef head = append(e, "warps", point), done;
    LLVMValueRef phi, after, more;

    LLVMPositionBuilderAtEnd(e->b, from);
    phi = LLVMBuildBr(e->b, head);
    if (alone)
        LLVMPositionBuilderBefore(e->pre_b, phi);
    LLVMPositionBuilderAtEnd(e->b, head);
    e->w = phi = LLVMBuildPhi(e->b, e->i32, "w");
    LLVMAddIncoming(phi, &first, &from, 1);
    emit_one_warp(e, head);
    after = LLVMBuildNUWAdd(e->b, phi, ls_emit_i32(e, e->n_side), "");
    LLVMSetNSW(after, true);
    more = LLVMBuildICmp(e->b, LLVMIntULT, after, end, "");
    if (e->goes_on)
        more = LLVMBuildAnd(e->b, more, e->goes_on, "");
    done = append(e, "done", point);
    LLVMAddIncoming(phi, &after, &e->latch, 1);
    LLVMBuildCondBr(e->b, more, head, done);
    LLVMPositionBuilderAtEnd(e->b, done);
}

/* All warps one after the other or side by side, without a loop: what they keep for the next region
 * has known places then, and stays in registers. */
static void
emit_unrolled(struct ls_emitter *e, LLVMBasicBlockRef from)
{
    unsigned n_side = ls_jam_side_by_side(e);

    LLVMPositionBuilderAtEnd(e->b, from);
    for (unsigned w = 0; w < e->plan->max_warps; w += n_side) {
        LLVMBasicBlockRef begin = append(e, "jam", e->r->point);
        LLVMValueRef br = LLVMBuildBr(e->b, begin);

        if (w == 0)
            LLVMPositionBuilderBefore(e->pre_b, br);
        e->w = ls_emit_i32(e, w);
        e->n_side = n_side;
        emit_one_warp(e, begin);
        e->n_side = 1;
    }
}

/* All warps, behind block `from`, and the way to the next point. */
static void
emit_warps(struct ls_emitter *e, LLVMBasicBlockRef from)
{
    ls_ptrmap_init(&e->pre_map, e->cc->arena);
    LLVMPositionBuilderAtEnd(e->b, from);
    if (e->unroll && !e->full && !e->first_warp) {
        emit_unrolled(e, from);
    } else if (e->plan->max_warps > 1) {
        e->n_side = e->full ? 1 : ls_jam_group(e);
        emit_loop(e, from, e->first_warp ? e->first_warp : ls_emit_i32(e, 0), e->n_warps, true);
        e->n_side = 1;
    } else {
        e->w = ls_emit_i32(e, 0);
        emit_one_warp(e, from);
    }
    emit_dispatch(e);
}

/* ---- Warps that have work (trim.c) ---- */

static bool
is_one(LLVMValueRef first, LLVMValueRef end)
{
    return LLVMIsAConstantInt(first) && LLVMIsAConstantInt(end) &&
           LLVMConstIntGetZExtValue(end) == LLVMConstIntGetZExtValue(first) + 1;
}

/* A form of the region for warps [first, end): one or none, or (`many`) any number. The builder
 * stays where control goes on. */
static void
emit_some(struct ls_emitter *e, const struct ls_region *form, LLVMValueRef first, LLVMValueRef end,
          bool many)
{
    LLVMValueRef any = LLVMBuildICmp(e->b, LLVMIntULT, first, end, "");
    LLVMBasicBlockRef begin, after;

    if (LLVMIsAConstantInt(any) && LLVMIsNull(any))
        return;
    begin = append(e, "some", form->point);
    after = append(e, "after", form->point);
    if (LLVMIsAConstantInt(any))
        LLVMBuildBr(e->b, begin);
    else
        LLVMBuildCondBr(e->b, any, begin, after);
    ls_emit_enter(e, form);
    e->w = first;
    if (many && !is_one(first, end))
        emit_loop(e, begin, first, end, false);
    else
        emit_one_warp(e, begin);
    LLVMBuildBr(e->b, after);
    LLVMPositionBuilderAtEnd(e->b, after);
}

static void
emit_leaf(struct ls_emitter *e, const struct ls_path *path, LLVMBasicBlockRef from)
{
    LLVMBasicBlockRef begin;
    struct ls_warps warps;

    e->leaf = path->r;
    ls_emit_enter(e, path->r);
    LLVMPositionBuilderAtEnd(e->b, from);
    if (needs_next(e->leaf)) /* 0, the start, never comes next, so it means the end */
        LLVMBuildStore(e->b, ls_emit_i32(e, 0), e->next);
    if (!path->trim || e->first_warp) {
        emit_warps(e, from);
        return;
    }
    ls_ptrmap_init(&e->pre_map, e->cc->arena);
    begin = append(e, "begin", e->r->point);
    LLVMPositionBuilderBefore(e->pre_b, LLVMBuildBr(e->b, begin));
    LLVMPositionBuilderAtEnd(e->b, begin);
    if (!ls_trim_apply(e, path->trim, &warps)) {
        if (e->unroll && !e->first_warp)
            emit_unrolled(e, begin);
        else
            emit_loop(e, begin, ls_emit_i32(e, 0), e->n_warps, false);
    } else if (warps.full) {
        emit_some(e, warps.full, warps.full_first, warps.full_end, true);
        emit_some(e, e->leaf, warps.part_first, warps.part_end, warps.parts);
    } else {
        emit_some(e, e->leaf, warps.first, warps.end, true);
    }
    ls_emit_enter(e, e->leaf);
    emit_dispatch(e);
}

/* The paths of a region, behind block `from`. */
static void
emit_path(struct ls_emitter *e, const struct ls_path *path, LLVMBasicBlockRef from)
{
    LLVMBasicBlockRef to[2];
    LLVMValueRef cond;

    if (!path->side[0]) {
        emit_leaf(e, path, from);
        return;
    }
    ls_emit_enter(e, path->r);
    ls_ptrmap_init(&e->pre_map, e->cc->arena);
    LLVMPositionBuilderAtEnd(e->pre_b, from);
    cond = ls_emit_early(e, path->fork, LLVMGetCondition(e->plan->blocks[path->fork].term));
    for (unsigned k = 0; k < 2; k++)
        to[k] = append(e, "path", e->r->point);
    LLVMBuildCondBr(e->pre_b, cond, to[0], to[1]);
    for (unsigned k = 0; k < 2; k++)
        emit_path(e, path->side[k], to[k]);
}

static void
dry_path(struct ls_emitter *e, const struct ls_path *path)
{
    ls_emit_enter(e, path->r);
    ls_ptrmap_init(e->top_map, e->cc->arena);
    if (path->side[0]) {
        ls_emit_early(e, path->fork, LLVMGetCondition(e->plan->blocks[path->fork].term));
        for (unsigned k = 0; k < 2; k++)
            dry_path(e, path->side[k]);
        return;
    }
    dry_run(e);
    ls_trim_want(e, path->trim);
}

/* Whether threads have nothing to do in this region but to go on to the next point. */
static bool
is_empty(const struct ls_emitter *e, const struct ls_region *r)
{
    const struct ls_rblock *only = &e->plan->blocks[r->order[0]];

    return r->n == 1 && LLVMGetFirstInstruction(only->bb) == only->term && !r->turns &&
           !needs_next(r);
}

static void
emit_region(struct ls_emitter *e, unsigned point)
{
    struct ls_plan *plan = e->plan;
    LLVMValueRef zero = ls_emit_i32(e, 0);

    e->leaf = &plan->regions[point];
    ls_emit_enter(e, e->leaf);
    LLVMPositionBuilderAtEnd(e->b, e->pre[point]);
    emit_point(e, &plan->points[point]);
    if (e->r->turns)
        LLVMBuildStore(e->b, zero, e->turn);
    for (unsigned i = 0; i < e->r->n_next; i++) {
        unsigned t = e->r->exits[i];

        if (t != point && e->in_turn[t])
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 0, false), e->skipped[t]);
    }
    if (is_empty(e, e->r)) {
        emit_dispatch(e);
        return;
    }
    if (!ls_emit_turn_of(e, point)) {
        emit_path(e, e->paths[point], e->pre[point]);
        return;
    }
    LLVMBasicBlockRef full = append(e, "full", point), some = append(e, "some", point);
    ls_ptrmap_init(&e->pre_map, e->cc->arena);
    LLVMPositionBuilderAtEnd(e->pre_b, e->pre[point]);
    LLVMValueRef stay = ls_emit_block_value(e, ls_emit_turn_of(e, point)->full);
    LLVMPositionBuilderAtEnd(e->b, e->pre[point]);
    LLVMValueRef skipped = LLVMBuildLoad2(e->b, e->i8, e->skipped[point], "skipped");
    if (e->returned)
        skipped =
            LLVMBuildOr(e->b, skipped, LLVMBuildLoad2(e->b, e->i8, e->returned, "returned"), "");
    skipped = LLVMBuildICmp(e->b, LLVMIntNE, skipped, LLVMConstInt(e->i8, 0, false), "");
    if (ls_emit_turn_of(e, point)->near) {
        LLVMBasicBlockRef in = append(e, "in", point), leaving = append(e, "leaving", point);

        LLVMBuildCondBr(e->b, skipped, some, in);
        LLVMPositionBuilderAtEnd(e->b, in);
        LLVMBuildCondBr(e->b, stay, full, leaving);
        e->full = e->leaving = true;
        emit_warps(e, leaving);
        e->leaving = false;
    } else {
        LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, stay, LLVMBuildNot(e->b, skipped, ""), ""), full,
                        some);
    }
    e->full = true;
    emit_warps(e, full);
    e->full = false;
    emit_warps(e, some);
}

/* ---- Set-up ---- */

static bool
collect_variables(struct ls_emitter *e)
{
    for (unsigned k = 0; k < e->plan->n_blocks; k++) {
        LLVMBasicBlockRef bb = e->plan->blocks[k].bb;

        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            struct ls_kept_variable *var;

            if (!LLVMIsAAllocaInst(i))
                continue;
            if (!LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
                return ls_diag(e->cc, LS_DIAG_ERROR, i, "array of variable length");
            var = ls_arena_alloc(e->cc->arena, sizeof(*var));
            var->region = -1;
            ls_ptrmap_set(&e->variables, i, var);
        }
    }
    return true;
}

/* The type with padding behind it, so that in an array each element is aligned. */
static LLVMTypeRef
padded(struct ls_emitter *e, LLVMTypeRef type, unsigned align)
{
    unsigned long long bytes = LLVMABISizeOfType(e->cc->device.layout, type);
    LLVMTypeRef both[2] = {type, NULL};

    if (!align || bytes % align == 0)
        return type;
    both[1] = LLVMArrayType2(e->i8, align - bytes % align);
    return LLVMStructTypeInContext(e->cc->llvm, both, 2, true);
}

static bool
comes_again(const struct ls_plan *plan, unsigned point)
{
    bool *seen = ls_arena_alloc(plan->cc->arena, plan->n_points * sizeof(*seen));

    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned p = 0; p < plan->n_points; p++) {
            if (p != point && !seen[p])
                continue;
            for (unsigned i = 0; i < plan->regions[p].n_next; i++) {
                unsigned q = plan->regions[p].exits[i];

                changed |= !seen[q];
                seen[q] = true;
            }
        }
    }
    return seen[point];
}

static void
make_variables(struct ls_emitter *e)
{
    for (unsigned k = 0; k < e->plan->n_blocks; k++) {
        LLVMBasicBlockRef bb = e->plan->blocks[k].bb;

        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            struct ls_kept_variable *var =
                LLVMIsAAllocaInst(i) ? ls_ptrmap_get(&e->variables, i) : NULL;
            unsigned long long count;
            LLVMTypeRef type;
            LLVMValueRef md;

            if (!var || var->region == -1)
                continue;
            count = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
            type = LLVMGetAllocatedType(i);
            md = LLVMGetMetadata(i, ls_ir_md_kind(e->cc, LS_MD_DEBUG_PLACE));
            if (count != 1)
                type = LLVMArrayType2(type, count);
            var->per_warp =
                e->plan->max_warps > 1 &&
                (md || var->region == -2 || comes_again(e->plan, (unsigned)var->region) ||
                 ls_region_keeps_address(e->cc, i, &e->slots));
            if (var->per_warp && md) /* for debuggers: the copies of all threads, side by side */
                type = LLVMArrayType2(type, e->cc->n_lanes);
            else if (var->per_warp)
                type = padded(e, type, LLVMGetAlignment(i));
            var->alloca = ls_emit_alloca(e, type, var->per_warp, "private");
            if (LLVMGetAlignment(i))
                LLVMSetAlignment(var->alloca, LLVMGetAlignment(i));
            if (md)
                LLVMSetMetadata(var->alloca, ls_ir_md_kind(e->cc, LS_MD_DEBUG_PLACE), md);
        }
    }
}

static void
copy_attributes(struct ls_cc *cc, LLVMValueRef from, LLVMValueRef to)
{
    for (unsigned k = 0; k <= LLVMCountParams(from) + 1; k++) {
        unsigned index = k ? k - 1 : (unsigned)LLVMAttributeFunctionIndex;
        unsigned n = LLVMGetAttributeCountAtIndex(from, index);
        LLVMAttributeRef *attrs = ls_arena_alloc(cc->arena, (n + 1) * sizeof(LLVMAttributeRef));

        LLVMGetAttributesAtIndex(from, index, attrs);
        for (unsigned i = 0; i < n; i++)
            LLVMAddAttributeAtIndex(to, index, attrs[i]);
    }
}

/* The new function with the old one's name, parameters and attributes. */
static void
make_function(struct ls_emitter *e)
{
    LLVMValueRef old = e->old_fn;
    LLVMMetadataRef sp = LLVMGetSubprogram(old);
    size_t len;

    LLVMSetValueName2(old, "ls.scalar", 9);
    e->fn = LLVMAddFunction(e->cc->mod, LS_FN_PROGRAM, LLVMGlobalGetValueType(old));
    copy_attributes(e->cc, old, e->fn);
    for (unsigned i = 0; i < LLVMCountParams(old); i++) {
        const char *name = LLVMGetValueName2(LLVMGetParam(old, i), &len);
        LLVMSetValueName2(LLVMGetParam(e->fn, i), name, len);
    }
    if (sp) {
        LLVMSetSubprogram(old, NULL);
        LLVMSetSubprogram(e->fn, sp);
    }
    e->ctx = LLVMGetParam(e->fn, 0);
}

/* Code for whole blocks runs some of the warps: row_warps from the program's w on. */
static void
choose_warps(struct ls_emitter *e)
{
    LLVMValueRef whole = ls_guards_whole(e->cc, e->entry_b, e->ctx), some;

    e->first_warp = LLVMGetParam(e->fn, LLVMCountParams(e->fn) - 1);
    if (e->cc->guards->row_warps == 1) {
        e->goes_on = LLVMBuildNot(e->entry_b, whole, "");
        return;
    }
    some = LLVMBuildNUWAdd(e->entry_b, e->first_warp, ls_emit_i32(e, e->cc->guards->row_warps), "");
    LLVMSetNSW(some, true);
    e->n_warps = LLVMBuildSelect(e->entry_b, whole, some, e->n_warps, "");
}

static void
make_block_state(struct ls_emitter *e)
{
    struct ls_cc *cc = e->cc;
    LLVMTypeRef type = LLVMFunctionType(e->i32, NULL, 0, false);
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(cc->llvm),
                                      offsetof(struct ls_cpu_ctx, cur_warp), false);
    bool any_next = false, any_turn = false;

    e->in_turn = ls_arena_alloc(cc->arena, e->plan->n_points * sizeof(*e->in_turn));
    e->skipped = ls_arena_alloc(cc->arena, e->plan->n_points * sizeof(*e->skipped));
    for (unsigned p = 0; p < e->plan->n_points; p++) {
        any_next |= needs_next(&e->plan->regions[p]);
        any_turn |= e->plan->regions[p].turns;
        if (e->plan->points[p].kind != LS_POINT_TURN)
            continue;
        e->in_turn[p] = ls_emit_alloca(e, e->i8, true, "in.turn");
        e->skipped[p] = ls_emit_alloca(e, e->i8, false, "skipped");
        ls_emit_mark_uniform(e, e->skipped[p]);
    }
    if (any_turn) {
        e->turn = ls_emit_alloca(e, e->i32, false, "turn");
        ls_emit_mark_uniform(e, e->turn);
    }
    if (any_next) {
        e->next = ls_emit_alloca(e, e->i32, false, "next");
        ls_emit_mark_uniform(e, e->next);
    }
    if (e->plan->needs_live)
        e->live = ls_emit_alloca(e, e->i8, true, "live");
    if (e->plan->needs_live && any_turn) {
        e->returned = ls_emit_alloca(e, e->i8, false, "returned");
        ls_emit_mark_uniform(e, e->returned);
        LLVMBuildStore(e->entry_b, LLVMConstInt(e->i8, 0, false), e->returned);
    }
    e->lane = ls_emit_i32(e, 0);
    if (cc->n_lanes > 1)
        e->lane = LLVMBuildCall2(e->entry_b, type, ls_ir_declare(cc, LS_FN_LANE, type, false), NULL,
                                 0, "lane");
    if (cc->n_lanes > 1)
        ls_ir_set_range(cc, e->lane, cc->n_lanes);
    e->cur_warp = LLVMBuildInBoundsGEP2(e->entry_b, e->i8, e->ctx, &index, 1, "cur_warp");
    e->n_warps = ls_emit_i32(e, cc->n_warps);
    e->n_threads = ls_emit_i32(e, cc->n_threads);
    if (cc->guards && cc->guards->row_warps < cc->n_warps)
        choose_warps(e);
    if (!cc->n_threads) {
        e->n_warps = ls_ir_ctx_load(cc, e->entry_b, e->ctx, offsetof(struct ls_cpu_ctx, n_warps),
                                    e->i32, "n_warps");
        e->n_threads = ls_ir_ctx_load(cc, e->entry_b, e->ctx,
                                      offsetof(struct ls_cpu_ctx, n_threads), e->i32, "n_threads");
    }
}

/* Sets the live flag of every thread. Each lane stores its own, so this is a loop over the
 * warps. */
static void
start_alive(struct ls_emitter *e)
{
    if (!e->live)
        return;
    for (unsigned w = 0; w < e->plan->max_warps; w++) {
        e->w = ls_emit_i32(e, w);
        LLVMBuildStore(e->entry_b, LLVMConstInt(e->i8, 1, false),
                       ls_emit_warp_element(e, e->entry_b, e->live));
    }
}

/* Finds the paths of the regions and which values live across; false where a value is wanted
 * before any warp runs and each warp may have its own. */
static bool
find_values(struct ls_emitter *e)
{
    ls_ptrmap_init(&e->slots, e->cc->arena);
    e->first_slot = NULL;
    e->slots_end = &e->first_slot;
    for (unsigned p = 0; p < e->plan->n_points; p++) {
        e->paths[p] = ls_paths_find(e, p);
        dry_path(e, e->paths[p]);
    }
    return ls_emit_classify_slots(e);
}

bool
ls_plan_emit(struct ls_plan *plan)
{
    struct ls_cc *cc = plan->cc;
    struct ls_emitter e = {.plan = plan, .cc = cc, .old_fn = plan->fn, .dry = true, .n_side = 1};
    LLVMBasicBlockRef entry;

    e.i8 = LLVMInt8TypeInContext(cc->llvm);
    e.i32 = LLVMInt32TypeInContext(cc->llvm);
    ls_ptrmap_init(&e.variables, cc->arena);
    ls_remats_init(&e.remats, cc, plan->shapes, plan->w);
    if (!collect_variables(&e))
        return false;
    make_function(&e);
    e.b = LLVMCreateBuilderInContext(cc->llvm);
    e.entry_b = LLVMCreateBuilderInContext(cc->llvm);
    e.pre_b = LLVMCreateBuilderInContext(cc->llvm);
    e.top_b = LLVMCreateBuilderInContext(cc->llvm);
    entry = LLVMAppendBasicBlockInContext(cc->llvm, e.fn, "entry");
    e.paths = ls_arena_alloc(cc->arena, plan->n_points * sizeof(*e.paths));
    e.pre = ls_arena_alloc(cc->arena, plan->n_points * sizeof(*e.pre));
    e.clones = ls_arena_alloc(cc->arena, plan->n_blocks * sizeof(*e.clones));
    e.map = &e.side[0].map;
    e.top_map = &e.side[0].top_map;
    LLVMPositionBuilderAtEnd(e.entry_b, entry);

    if (!find_values(&e)) { /* a value differs where all warps must have the same */
        e.plain = true;
        find_values(&e);
    }
    e.dry = false;
    ls_coalesce(&e);
    ls_emit_make_slots(&e);
    make_variables(&e);
    e.unroll = ls_jam_wanted(&e);
    make_block_state(&e);
    start_alive(&e);
    for (unsigned p = 0; p < plan->n_points; p++)
        e.pre[p] = append(&e, "start", p);
    e.ret = LLVMAppendBasicBlockInContext(cc->llvm, e.fn, "end");
    LLVMPositionBuilderAtEnd(e.b, e.ret);
    LLVMBuildRetVoid(e.b);
    for (unsigned p = 0; p < plan->n_points; p++)
        emit_region(&e, p);
    LLVMBuildBr(e.entry_b, e.pre[0]);
    LLVMDisposeBuilder(e.b);
    LLVMDisposeBuilder(e.entry_b);
    LLVMDisposeBuilder(e.top_b);
    LLVMDisposeBuilder(e.pre_b);
    LLVMDeleteFunction(e.old_fn);
    plan->fn = e.fn;
    return !cc->n_errors;
}
