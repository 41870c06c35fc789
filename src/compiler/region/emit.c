/* SPDX-License-Identifier: MIT */
/* Makes the block-mode program: per region a loop over the warps, slots for what lives across. */
#include "compiler/region/region_priv.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"

struct slot {
    LLVMValueRef value;  /* the value in the old function */
    struct slot *next;   /* in the order in which they were first needed */
    LLVMValueRef alloca; /* one T, or [max_warps x T] */
    LLVMTypeRef type;    /* T, the type in memory: i1 is kept as i8 */
    bool uniform;
    bool replaced; /* some region may read it after writing its next value: then each warp has its
                      own */
    bool differs;  /* looks uniform, but each warp has its own value (kept.c) */
};

/* A private variable of the kernel. */
struct variable {
    LLVMValueRef alloca;
    bool per_warp; /* [max_warps x T]: lives across a barrier */
    int region;    /* the only region that uses it so far, -1 none, -2 several */
};

struct emitter {
    struct ls_plan *plan;
    struct ls_cc *cc;
    LLVMValueRef old_fn, fn;
    LLVMBuilderRef b, entry_b;
    struct ls_ptrmap slots;     /* old value -> struct slot */
    struct slot *first_slot, **slots_end;
    struct ls_ptrmap variables; /* old alloca -> struct variable */
    struct ls_remats remats;
    LLVMValueRef turn;     /* i32: number of the TURN that some thread has come to */
    LLVMValueRef *in_turn; /* by point, of TURNs alone: a flag for each thread, which is set while
                              it is in the loop */
    LLVMValueRef *skipped; /* by point, of TURNs alone: an i8 of the block, which is set when some
                              thread is not in the loop */
    bool full; /* the current region is the form of a TURN's for the case that all threads of the
                  block stay in the loop */
    LLVMValueRef returned; /* i8 of the block: some thread has returned; NULL: nobody asks for it */
    LLVMValueRef next, live, n_warps, n_threads, ctx, lane, cur_warp;
    LLVMBasicBlockRef *pre, ret;
    LLVMTypeRef i8, i32;
    bool dry;                   /* only find out which slots are wanted */
    /* the current region */
    const struct ls_region *r;
    LLVMValueRef w;
    LLVMBasicBlockRef *clones, latch;
    LLVMBuilderRef top_b,
        pre_b;    /* in front of the body of one warp; in front of the loop over warps */
    bool **reach; /* by block: which blocks come after it in this region, on demand */
    struct ls_ptrmap map,
        top_map; /* old value -> clone; old value from outside -> value at the top */
};

static LLVMValueRef
i32_const(struct emitter *e, unsigned v)
{
    return LLVMConstInt(e->i32, v, false);
}

static bool
is_uniform(const struct emitter *e, LLVMValueRef v)
{
    return e->plan->shapes && ls_shape_uniform(e->plan->shapes, v);
}

/* ---- Slots and variables ---- */

static LLVMValueRef
entry_alloca(struct emitter *e, LLVMTypeRef type, bool per_warp, const char *name)
{
    if (per_warp)
        type = LLVMArrayType2(type, e->plan->max_warps);
    return LLVMBuildAlloca(e->entry_b, type, name);
}

static void
mark_uniform(struct emitter *e, LLVMValueRef alloca)
{
    LLVMSetMetadata(alloca, ls_ir_md_kind(e->cc, LS_MD_UNIFORM_SLOT),
                    LLVMMetadataAsValue(e->cc->llvm, LLVMMDNodeInContext2(e->cc->llvm, NULL, 0)));
}

/* How a value lies in a slot: integers of any width (LLVM makes them by narrowing) in 8, 16, 32,
 * 64, 128... bits. */
static LLVMTypeRef
slot_type(struct emitter *e, LLVMTypeRef type)
{
    unsigned bits = 8;

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return LLVMVectorType(slot_type(e, LLVMGetElementType(type)), LLVMGetVectorSize(type));
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return type;
    while (bits < LLVMGetIntTypeWidth(type))
        bits *= 2;
    return LLVMIntTypeInContext(e->cc->llvm, bits);
}

static struct slot *
want_slot(struct emitter *e, LLVMValueRef v)
{
    struct slot *s = ls_ptrmap_get(&e->slots, v);

    if (s)
        return s;
    s = ls_arena_alloc(e->cc->arena, sizeof(*s));
    ls_ptrmap_set(&e->slots, v, s);
    s->next = NULL;
    s->value = v;
    *e->slots_end = s;
    e->slots_end = &s->next;
    return s;
}

static void
make_slots(struct emitter *e)
{
    struct ls_ptrmap differ;

    ls_ptrmap_init(&differ, e->cc->arena);
    if (e->plan->shapes && e->first_slot)
        ls_plan_find_differing(e->plan, &differ);
    for (struct slot *s = e->first_slot; s; s = s->next) {
        bool same = is_uniform(e, s->value) && !s->replaced;

        s->differs = same && ls_ptrmap_get(&differ, s->value);
        s->uniform = same && !s->differs;
        s->type = slot_type(e, LLVMTypeOf(s->value));
        s->alloca = entry_alloca(e, s->type, !s->uniform, s->uniform ? "keep.uniform" : "keep");
        if (s->uniform || s->differs)
            mark_uniform(e, s->alloca);
    }
}

/* Element of this warp in a per-warp array. */
static LLVMValueRef
warp_element(struct emitter *e, LLVMBuilderRef b, LLVMValueRef alloca)
{
    LLVMValueRef index[2] = {i32_const(e, 0), e->w};

    return LLVMBuildInBoundsGEP2(b, LLVMGetAllocatedType(alloca), alloca, index, 2, "");
}

static LLVMValueRef
slot_load(struct emitter *e, LLVMBuilderRef b, struct slot *s, LLVMTypeRef type)
{
    /* All warps of a region read what the one before left, while they write what is next: so a
     * uniform value is read once, before any warp runs. */
    if (s->uniform)
        b = e->pre_b;
    LLVMValueRef at = s->uniform ? s->alloca : warp_element(e, b, s->alloca);
    LLVMValueRef v = LLVMBuildLoad2(b, s->type, at, "");

    return type == s->type ? v : LLVMBuildTrunc(b, v, type, "");
}

static void
slot_store(struct emitter *e, LLVMBuilderRef b, struct slot *s, LLVMValueRef v)
{
    if (LLVMTypeOf(v) != s->type)
        v = LLVMBuildZExt(b, v, s->type, "");
    LLVMBuildStore(b, v, s->uniform ? s->alloca : warp_element(e, b, s->alloca));
}

static LLVMValueRef
variable_address(struct emitter *e, LLVMValueRef old)
{
    struct variable *var = ls_ptrmap_get(&e->variables, old);
    LLVMValueRef v;

    if (e->dry) {
        if (var->region == -1)
            var->region = (int)e->r->point;
        else if (var->region != (int)e->r->point)
            var->region = -2;
        return old;
    }
    if (!var->per_warp)
        return var->alloca;
    v = ls_ptrmap_get(&e->top_map, old);
    if (!v) {
        v = warp_element(e, e->top_b, var->alloca);
        ls_ptrmap_set(&e->top_map, old, v);
    }
    return v;
}

/* ---- Values ---- */

static LLVMValueRef resolve(struct emitter *e, LLVMBuilderRef b, unsigned use_block,
                            LLVMValueRef v);
static bool comes_after(struct emitter *e, unsigned from, unsigned to);

/* Inserts a clone with its own source line: a builder would give it that of the place where the
 * builder was set first. */
static void
insert_clone(LLVMBuilderRef b, LLVMValueRef clone)
{
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(clone));
    LLVMInsertIntoBuilder(b, clone);
}

static LLVMValueRef
rematerialise(struct emitter *e, LLVMBuilderRef b, unsigned use_block, LLVMValueRef v)
{
    LLVMValueRef clone = e->dry ? v : LLVMInstructionClone(v);

    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef op = resolve(e, b, use_block, LLVMGetOperand(v, (unsigned)i));
        if (!e->dry)
            LLVMSetOperand(clone, (unsigned)i, op);
    }
    if (!e->dry)
        insert_clone(b, clone);
    return clone;
}

/* A value that does not dominate its use in this region: computed again, or read from its slot. */
static LLVMValueRef
bring_in(struct emitter *e, LLVMBuilderRef b, unsigned use_block, LLVMValueRef v, bool replaced)
{
    if (ls_remat_cost(&e->remats, v) <= LS_REMAT_COST_MAX)
        return rematerialise(e, b, use_block, v);
    struct slot *s = want_slot(e, v);
    s->replaced |= replaced;
    return e->dry ? v : slot_load(e, b, s, LLVMTypeOf(v));
}

static LLVMValueRef
resolve(struct emitter *e, LLVMBuilderRef b, unsigned use_block, LLVMValueRef v)
{
    if (v == e->plan->w)
        return e->w;
    if (LLVMIsAArgument(v)) {
        if (e->dry)
            return v;
        for (unsigned i = 0, n = LLVMCountParams(e->old_fn); i < n; i++)
            if (LLVMGetParam(e->old_fn, i) == v)
                return LLVMGetParam(e->fn, i);
    }
    if (!LLVMIsAInstruction(v))
        return v;
    if (e->lane && ls_ir_is_lane(v))
        return e->lane;
    if (LLVMIsAAllocaInst(v))
        return variable_address(e, v);

    unsigned def = ls_plan_block(e->plan, LLVMGetInstructionParent(v));
    if (ls_region_dominates(e->r, def, use_block))
        return e->dry ? v : ls_ptrmap_get(&e->map, v);
    if (e->r->member[def] && comes_after(e, def, use_block))
        return bring_in(e, b, use_block, v, true);
    /* As it was when the region began: once, at the top. The top stands for the region's start
     * block. */
    LLVMValueRef known = ls_ptrmap_get(&e->top_map, v);
    if (known)
        return known;
    known = bring_in(e, e->top_b, e->r->order[0], v, false);
    ls_ptrmap_set(&e->top_map, v, known);
    return known;
}

/* The turn of a point at which it can be tested whether the whole block stays in the loop, else
 * NULL. */
static const struct ls_turn *
turn_of(const struct emitter *e, unsigned point)
{
    const struct ls_point *p = &e->plan->points[point];
    const struct ls_turn *turn = p->kind == LS_POINT_TURN ? &e->plan->turns[p->loop] : NULL;

    return turn && turn->full && is_uniform(e, turn->full) ? turn : NULL;
}

/* The value that `v`, which is the same in all threads, has at the region's start, before any warp
 * runs. */
static LLVMValueRef
block_value(struct emitter *e, LLVMValueRef v)
{
    LLVMValueRef clone;

    if (!LLVMIsAInstruction(v))
        return resolve(e, e->pre_b, e->r->order[0], v);
    if (!ls_remat_cheap(e->cc, v)) {
        struct slot *s = want_slot(e, v);
        return e->dry ? v : slot_load(e, e->pre_b, s, LLVMTypeOf(v));
    }
    clone = e->dry ? v : LLVMInstructionClone(v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef op = block_value(e, LLVMGetOperand(v, (unsigned)i));
        if (!e->dry)
            LLVMSetOperand(clone, (unsigned)i, op);
    }
    if (!e->dry)
        insert_clone(e->pre_b, clone);
    return clone;
}

static void
mark_after(struct emitter *e, bool *seen, unsigned block)
{
    const struct ls_rblock *blk = &e->plan->blocks[block];

    for (unsigned k = 0; k < blk->n_succs; k++) {
        if (seen[blk->succ[k]])
            continue;
        seen[blk->succ[k]] = true;
        mark_after(e, seen, blk->succ[k]);
    }
}

/* Whether `to` may run after `from` without a barrier between. */
static bool
comes_after(struct emitter *e, unsigned from, unsigned to)
{
    bool *seen = e->reach[from];

    if (!seen) {
        seen = e->reach[from] = ls_arena_alloc(e->cc->arena, e->plan->n_blocks * sizeof(*seen));
        mark_after(e, seen, from);
    }
    return seen[to];
}

static bool
dropped(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name &&
           (ls_ir_has_prefix(name, "llvm.lifetime.") || ls_ir_has_prefix(name, "llvm.dbg.") ||
            ls_ir_has_prefix(name, "llvm.experimental.noalias.scope.decl"));
}

static bool
edge_in_region(struct emitter *e, LLVMBasicBlockRef from)
{
    unsigned pred = ls_plan_block(e->plan, from);

    return pred < e->plan->n_blocks && e->r->member[pred] && e->plan->blocks[pred].barrier < 0;
}

/* Finds the values that this region needs from elsewhere. */
static void
dry_run(struct emitter *e)
{
    if (turn_of(e, e->r->point))
        block_value(e, turn_of(e, e->r->point)->full);
    for (unsigned k = 0; k < e->r->n; k++) {
        unsigned block = e->r->order[k];
        LLVMBasicBlockRef bb = e->plan->blocks[block].bb;

        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            if (dropped(i))
                continue;
            if (!LLVMIsAPHINode(i)) {
                for (int op = 0, n = LLVMGetNumOperands(i); op < n; op++)
                    resolve(e, NULL, block, LLVMGetOperand(i, (unsigned)op));
                continue;
            }
            for (unsigned in = 0; in < LLVMCountIncoming(i); in++)
                if (edge_in_region(e, LLVMGetIncomingBlock(i, in)))
                    resolve(e, NULL, ls_plan_block(e->plan, LLVMGetIncomingBlock(i, in)),
                            LLVMGetIncomingValue(i, in));
        }
    }
}

/* ---- Cloning ---- */

static void
keep_if_wanted(struct emitter *e, LLVMValueRef old, LLVMValueRef clone)
{
    struct slot *s = ls_ptrmap_get(&e->slots, old);

    if (s)
        slot_store(e, e->b, s, clone);
}

static void
clone_phis(struct emitter *e, LLVMBasicBlockRef bb)
{
    LLVMValueRef i;

    for (i = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(i), "");

        if (LLVMCanValueUseFastMathFlags(i))
            LLVMSetFastMathFlags(phi, LLVMGetFastMathFlags(i));
        ls_ptrmap_set(&e->map, i, phi);
    }
    for (i = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        keep_if_wanted(e, i, ls_ptrmap_get(&e->map, i));
}

/* Stores on the way to point p what later regions ask about turns: threads in the loop, threads
 * that have left or skipped it. */
static void
store_turn(struct emitter *e, unsigned p)
{
    const struct ls_plan *plan = e->plan;

    if (plan->points[p].kind == LS_POINT_TURN) {
        LLVMBuildStore(e->b, i32_const(e, p), e->turn);
        if (e->r->point != p)
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 1, false),
                           warp_element(e, e->b, e->in_turn[p]));
        return;
    }
    for (unsigned t = 0; t < plan->n_points && plan->points[p].kind == LS_POINT_TURN_END; t++)
        if (e->r->exits[t] && e->in_turn[t] && plan->points[t].end == p) {
            if (e->r->point == t)
                LLVMBuildStore(e->b, LLVMConstInt(e->i8, 0, false),
                               warp_element(e, e->b, e->in_turn[t]));
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 1, false), e->skipped[t]);
        }
}

static void
clone_terminator(struct emitter *e, unsigned block)
{
    const struct ls_rblock *blk = &e->plan->blocks[block];
    LLVMValueRef clone;

    if (blk->barrier >= 0) {
        store_turn(e, (unsigned)blk->barrier);
        if (e->next && (e->r->n_exits > 1 || e->r->may_return) &&
            e->plan->points[blk->barrier].kind != LS_POINT_TURN)
            LLVMBuildStore(e->b, i32_const(e, (unsigned)blk->barrier), e->next);
        LLVMBuildBr(e->b, e->latch);
        return;
    }
    if (blk->returns) {
        if (e->live)
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 0, false), warp_element(e, e->b, e->live));
        if (e->returned)
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 1, false), e->returned);
        LLVMBuildBr(e->b, e->latch);
        return;
    }
    clone = LLVMInstructionClone(blk->term);
    if (e->full && turn_of(e, e->r->point)->exit == blk->term)
        LLVMSetCondition(clone, LLVMConstInt(LLVMInt1TypeInContext(e->cc->llvm),
                                             turn_of(e, e->r->point)->stay == 0, false));
    else if (LLVMIsConditional(blk->term))
        LLVMSetCondition(clone, resolve(e, e->b, block, LLVMGetCondition(blk->term)));
    for (unsigned k = 0; k < blk->n_succs; k++)
        LLVMSetSuccessor(clone, k, e->clones[blk->succ[k]]);
    insert_clone(e->b, clone);
}

static void
clone_block(struct emitter *e, unsigned block)
{
    LLVMBasicBlockRef bb = e->plan->blocks[block].bb;

    LLVMPositionBuilderAtEnd(e->b, e->clones[block]);
    clone_phis(e, bb);
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i != e->plan->blocks[block].term;
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef clone;

        if (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i) || i == e->plan->w || ls_ir_is_lane(i) ||
            dropped(i))
            continue;
        clone = LLVMInstructionClone(i);
        for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++)
            LLVMSetOperand(clone, (unsigned)k,
                           resolve(e, e->b, block, LLVMGetOperand(i, (unsigned)k)));
        insert_clone(e->b, clone);
        ls_ptrmap_set(&e->map, i, clone);
        keep_if_wanted(e, i, clone);
    }
    clone_terminator(e, block);
}

static void
fill_phis(struct emitter *e, unsigned block)
{
    LLVMBasicBlockRef bb = e->plan->blocks[block].bb;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = ls_ptrmap_get(&e->map, i);

        for (unsigned in = 0; in < LLVMCountIncoming(i); in++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, in);
            unsigned pred = ls_plan_block(e->plan, from);
            LLVMValueRef v;

            if (!edge_in_region(e, from))
                continue;
            LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(e->clones[pred]));
            v = resolve(e, e->b, pred, LLVMGetIncomingValue(i, in));
            LLVMAddIncoming(phi, &v, &e->clones[pred], 1);
        }
    }
}

/* ---- The block-level program ---- */

static LLVMBasicBlockRef
append(struct emitter *e, const char *name, unsigned point)
{
    char text[32];

    snprintf(text, sizeof(text), "r%u.%s", point, name);
    return LLVMAppendBasicBlockInContext(e->cc->llvm, e->fn, text);
}

static bool
needs_next(const struct ls_region *r)
{
    return r->n_exits > 1 || (r->n_exits == 1 && r->may_return);
}

static void
volatile_store(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef ptr)
{
    LLVMSetVolatile(LLVMBuildStore(b, v, ptr), true);
}

static void
store_cur_warp(struct emitter *e)
{
    /* Volatile, as the handler of faults reads which warp was running. */
    volatile_store(e->b, e->w, e->cur_warp);
}

/* Lanes beyond the block's last thread, threads that have returned, and those that have left the
 * loop in which warps take turns, skip the body. */
static void
emit_guard(struct emitter *e, LLVMBasicBlockRef body, bool first)
{
    struct ls_cc *cc = e->cc;
    LLVMValueRef cond = NULL;

    if (!cc->n_threads || cc->n_threads % cc->n_lanes) {
        LLVMValueRef base = LLVMBuildNUWMul(e->b, e->w, i32_const(e, cc->n_lanes), "");
        LLVMValueRef lin = LLVMBuildNUWAdd(e->b, base, e->lane, "");

        cond = LLVMBuildICmp(e->b, LLVMIntULT, lin, e->n_threads, "");
    }
    LLVMValueRef flags[2] = {first || e->full ? NULL : e->live,
                             e->full ? NULL : e->in_turn[e->r->point]};
    for (unsigned i = 0; i < 2; i++) {
        if (!flags[i])
            continue;
        LLVMValueRef flag =
            LLVMBuildLoad2(e->b, e->i8, warp_element(e, e->b, flags[i]), i ? "in.turn" : "live");
        LLVMValueRef on = LLVMBuildICmp(e->b, LLVMIntNE, flag, LLVMConstInt(e->i8, 0, false), "");

        cond = cond ? LLVMBuildAnd(e->b, cond, on, "") : on;
    }
    if (cond)
        LLVMBuildCondBr(e->b, cond, body, e->latch);
    else
        LLVMBuildBr(e->b, body);
}

static void
emit_dispatch(struct emitter *e)
{
    const struct ls_region *r = e->r;

    if (r->turns) {
        LLVMValueRef turn = LLVMBuildLoad2(e->b, e->i32, e->turn, "turn");

        for (unsigned p = 1; p < e->plan->n_points; p++) {
            if (!r->exits[p] || e->plan->points[p].kind != LS_POINT_TURN)
                continue;
            LLVMBasicBlockRef other = append(e, "else", r->point);
            LLVMValueRef is = LLVMBuildICmp(e->b, LLVMIntEQ, turn, i32_const(e, p), "");
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
    for (unsigned p = 1, left = r->n_exits; p < e->plan->n_points; p++) {
        if (!r->exits[p] || e->plan->points[p].kind == LS_POINT_TURN)
            continue;
        if (!--left && !r->may_return) {
            LLVMBuildBr(e->b, e->pre[p]);
            return;
        }
        LLVMBasicBlockRef other = left ? append(e, "else", r->point) : e->ret;
        LLVMValueRef is = LLVMBuildICmp(e->b, LLVMIntEQ, next, i32_const(e, p), "");
        LLVMBuildCondBr(e->b, is, e->pre[p], other);
        LLVMPositionBuilderAtEnd(e->b, other);
    }
}

static void
emit_point(struct emitter *e, const struct ls_point *point)
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

/* The loop over the warps, behind block `from`. */
static void
emit_warps(struct emitter *e, unsigned point, LLVMBasicBlockRef from)
{
    struct ls_plan *plan = e->plan;
    LLVMBasicBlockRef head = NULL, body = append(e, "top", point), done;
    LLVMValueRef phi = NULL, zero = i32_const(e, 0);

    ls_ptrmap_init(&e->map, e->cc->arena);
    ls_ptrmap_init(&e->top_map, e->cc->arena);
    memset(e->clones, 0, plan->n_blocks * sizeof(*e->clones));
    LLVMPositionBuilderAtEnd(e->b, from);
    if (plan->max_warps > 1) {
        head = append(e, "warps", point);
        LLVMPositionBuilderBefore(e->pre_b, LLVMBuildBr(e->b, head));
        LLVMMoveBasicBlockBefore(head, body);
        LLVMPositionBuilderAtEnd(e->b, head);
        e->w = phi = LLVMBuildPhi(e->b, e->i32, "w");
        LLVMAddIncoming(phi, &zero, &from, 1);
    } else {
        e->w = zero;
    }
    store_cur_warp(e);
    for (unsigned i = 0; i < e->r->n; i++)
        e->clones[e->r->order[i]] = append(e, "b", point);
    e->latch = append(e, "next", point);
    emit_guard(e, body, point == 0);
    LLVMPositionBuilderAtEnd(e->b, body);
    LLVMPositionBuilderBefore(e->top_b, LLVMBuildBr(e->b, e->clones[e->r->order[0]]));
    for (unsigned t = 1; t < plan->n_points; t++)
        if (e->r->exits[t] && t != point && e->in_turn[t])
            LLVMBuildStore(e->top_b, LLVMConstInt(e->i8, 0, false),
                           warp_element(e, e->top_b, e->in_turn[t]));
    for (unsigned i = 0; i < e->r->n; i++)
        clone_block(e, e->r->order[i]);
    for (unsigned i = 0; i < e->r->n; i++)
        fill_phis(e, e->r->order[i]);

    LLVMPositionBuilderAtEnd(e->b, e->latch);
    if (phi) {
        LLVMValueRef after = LLVMBuildNUWAdd(e->b, e->w, i32_const(e, 1), "");
        LLVMValueRef more;

        LLVMSetNSW(after, true);
        more = LLVMBuildICmp(e->b, LLVMIntULT, after, e->n_warps, "");
        done = append(e, "done", point);
        LLVMAddIncoming(phi, &after, &e->latch, 1);
        LLVMBuildCondBr(e->b, more, head, done);
        LLVMPositionBuilderAtEnd(e->b, done);
    }
    emit_dispatch(e);
}

/* Whether threads have nothing to do in this region but to go on to the next point. */
static bool
is_empty(const struct emitter *e, const struct ls_region *r)
{
    const struct ls_rblock *only = &e->plan->blocks[r->order[0]];

    return r->n == 1 && LLVMGetFirstInstruction(only->bb) == only->term && !r->turns &&
           !needs_next(r);
}

static void
emit_region(struct emitter *e, unsigned point)
{
    struct ls_plan *plan = e->plan;
    LLVMValueRef zero = i32_const(e, 0);

    e->r = &plan->regions[point];
    e->reach = ls_arena_alloc(e->cc->arena, plan->n_blocks * sizeof(*e->reach));
    LLVMPositionBuilderAtEnd(e->b, e->pre[point]);
    emit_point(e, &plan->points[point]);
    if (needs_next(e->r))
        LLVMBuildStore(e->b, zero,
                       e->next); /* 0, the start, never comes next, so it means the end */
    if (e->r->turns)
        LLVMBuildStore(e->b, zero, e->turn);
    for (unsigned t = 1; t < plan->n_points; t++)
        if (e->r->exits[t] && t != point && e->in_turn[t])
            LLVMBuildStore(e->b, LLVMConstInt(e->i8, 0, false), e->skipped[t]);
    if (is_empty(e, e->r)) {
        emit_dispatch(e);
        return;
    }
    if (!turn_of(e, point)) {
        emit_warps(e, point, e->pre[point]);
        return;
    }
    LLVMBasicBlockRef full = append(e, "full", point), some = append(e, "some", point);
    LLVMPositionBuilderAtEnd(e->pre_b, e->pre[point]);
    LLVMValueRef stay = block_value(e, turn_of(e, point)->full);
    LLVMPositionBuilderAtEnd(e->b, e->pre[point]);
    LLVMValueRef skipped = LLVMBuildLoad2(e->b, e->i8, e->skipped[point], "skipped");
    if (e->returned)
        skipped =
            LLVMBuildOr(e->b, skipped, LLVMBuildLoad2(e->b, e->i8, e->returned, "returned"), "");
    skipped = LLVMBuildICmp(e->b, LLVMIntNE, skipped, LLVMConstInt(e->i8, 0, false), "");
    LLVMBuildCondBr(e->b, LLVMBuildAnd(e->b, stay, LLVMBuildNot(e->b, skipped, ""), ""), full,
                    some);
    e->full = true;
    emit_warps(e, point, full);
    e->full = false;
    emit_warps(e, point, some);
}

/* ---- Set-up ---- */

static bool
collect_variables(struct emitter *e)
{
    for (unsigned k = 0; k < e->plan->n_blocks; k++) {
        LLVMBasicBlockRef bb = e->plan->blocks[k].bb;

        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            struct variable *var;

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
padded(struct emitter *e, LLVMTypeRef type, unsigned align)
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
            for (unsigned q = 0; q < plan->n_points; q++)
                if (plan->regions[p].exits[q] && !seen[q])
                    seen[q] = changed = true;
        }
    }
    return seen[point];
}

static void
make_variables(struct emitter *e)
{
    for (unsigned k = 0; k < e->plan->n_blocks; k++) {
        LLVMBasicBlockRef bb = e->plan->blocks[k].bb;

        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            struct variable *var = LLVMIsAAllocaInst(i) ? ls_ptrmap_get(&e->variables, i) : NULL;
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
            var->alloca = entry_alloca(e, type, var->per_warp, "private");
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
make_function(struct emitter *e)
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

static void
make_block_state(struct emitter *e)
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
        e->in_turn[p] = entry_alloca(e, e->i8, true, "in.turn");
        e->skipped[p] = entry_alloca(e, e->i8, false, "skipped");
        mark_uniform(e, e->skipped[p]);
    }
    if (any_turn) {
        e->turn = entry_alloca(e, e->i32, false, "turn");
        mark_uniform(e, e->turn);
    }
    if (any_next) {
        e->next = entry_alloca(e, e->i32, false, "next");
        mark_uniform(e, e->next);
    }
    if (e->plan->needs_live)
        e->live = entry_alloca(e, e->i8, true, "live");
    if (e->plan->needs_live && any_turn) {
        e->returned = entry_alloca(e, e->i8, false, "returned");
        mark_uniform(e, e->returned);
        LLVMBuildStore(e->entry_b, LLVMConstInt(e->i8, 0, false), e->returned);
    }
    e->lane = i32_const(e, 0);
    if (cc->n_lanes > 1)
        e->lane = LLVMBuildCall2(e->entry_b, type, ls_ir_declare(cc, LS_FN_LANE, type, false), NULL,
                                 0, "lane");
    if (cc->n_lanes > 1)
        ls_ir_set_range(cc, e->lane, cc->n_lanes);
    e->cur_warp = LLVMBuildInBoundsGEP2(e->entry_b, e->i8, e->ctx, &index, 1, "cur_warp");
    e->n_warps = i32_const(e, cc->n_warps);
    e->n_threads = i32_const(e, cc->n_threads);
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
start_alive(struct emitter *e)
{
    if (!e->live)
        return;
    for (unsigned w = 0; w < e->plan->max_warps; w++) {
        e->w = i32_const(e, w);
        LLVMBuildStore(e->entry_b, LLVMConstInt(e->i8, 1, false),
                       warp_element(e, e->entry_b, e->live));
    }
}

bool
ls_plan_emit(struct ls_plan *plan)
{
    struct ls_cc *cc = plan->cc;
    struct emitter e = {.plan = plan, .cc = cc, .old_fn = plan->fn, .dry = true};
    LLVMBasicBlockRef entry;

    e.i8 = LLVMInt8TypeInContext(cc->llvm);
    e.i32 = LLVMInt32TypeInContext(cc->llvm);
    ls_ptrmap_init(&e.slots, cc->arena);
    e.slots_end = &e.first_slot;
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
    e.pre = ls_arena_alloc(cc->arena, plan->n_points * sizeof(*e.pre));
    e.clones = ls_arena_alloc(cc->arena, plan->n_blocks * sizeof(*e.clones));
    LLVMPositionBuilderAtEnd(e.entry_b, entry);

    for (unsigned p = 0; p < plan->n_points; p++) {
        e.r = &plan->regions[p];
        e.reach = ls_arena_alloc(cc->arena, plan->n_blocks * sizeof(*e.reach));
        ls_ptrmap_init(&e.top_map, cc->arena);
        dry_run(&e);
    }
    e.dry = false;
    make_slots(&e);
    make_variables(&e);
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
