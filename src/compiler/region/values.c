/* SPDX-License-Identifier: MIT */
/* Values of the block-mode program: clones in the same region, values computed again, slots for
 * what lives across barriers. */
#include "compiler/region/emit_priv.h"

#include <llvm-c/DebugInfo.h>

#include "analysis/cfg.h"
#include "base/log.h"
#include "compiler/ir/ir.h"

bool
ls_emit_uniform(const struct ls_emitter *e, LLVMValueRef v)
{
    return e->plan->shapes && ls_shape_uniform(e->plan->shapes, v);
}

/* ---- Slots and variables ---- */

LLVMValueRef
ls_emit_alloca(struct ls_emitter *e, LLVMTypeRef type, bool per_warp, const char *name)
{
    if (per_warp)
        type = LLVMArrayType2(type, e->plan->max_warps);
    return LLVMBuildAlloca(e->entry_b, type, name);
}

void
ls_emit_mark_uniform(struct ls_emitter *e, LLVMValueRef alloca)
{
    LLVMSetMetadata(alloca, ls_ir_md_kind(e->cc, LS_MD_UNIFORM_SLOT),
                    LLVMMetadataAsValue(e->cc->llvm, LLVMMDNodeInContext2(e->cc->llvm, NULL, 0)));
}

/* How a value lies in a slot: integers of any width (LLVM makes them by narrowing) in 8, 16, 32,
 * 64, 128... bits. */
static LLVMTypeRef
slot_type(struct ls_emitter *e, LLVMTypeRef type)
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

static struct ls_keep *
want_slot(struct ls_emitter *e, LLVMValueRef v)
{
    struct ls_keep *s = ls_ptrmap_get(&e->slots, v);

    if (s) {
        s->read[e->r->point] = true;
        return s;
    }
    s = ls_arena_alloc(e->cc->arena, sizeof(*s));
    s->read = ls_arena_alloc(e->cc->arena, e->plan->n_points * sizeof(*s->read));
    s->read[e->r->point] = true;
    s->group = s;
    ls_ptrmap_set(&e->slots, v, s);
    s->next = NULL;
    s->value = v;
    *e->slots_end = s;
    e->slots_end = &s->next;
    return s;
}

bool
ls_emit_classify_slots(struct ls_emitter *e)
{
    struct ls_ptrmap differ;
    bool ok = true;

    ls_ptrmap_init(&differ, e->cc->arena);
    if (e->plan->shapes && e->first_slot)
        ls_plan_find_differing(e->plan, &differ);
    for (struct ls_keep *s = e->first_slot; s; s = s->next) {
        bool same = ls_emit_uniform(e, s->value) && !s->replaced;

        s->differs = same && ls_ptrmap_get(&differ, s->value);
        s->uniform = same && !s->differs;
        ok &= s->uniform || !s->early;
    }
    return ok;
}

void
ls_emit_make_slots(struct ls_emitter *e)
{
    for (struct ls_keep *s = e->first_slot; s; s = s->next) {
        s->type = slot_type(e, LLVMTypeOf(s->value));
        if (!s->group->alloca)
            s->group->alloca =
                ls_emit_alloca(e, s->type, !s->uniform, s->uniform ? "keep.uniform" : "keep");
        s->alloca = s->group->alloca;
        if (s->uniform || s->differs)
            ls_emit_mark_uniform(e, s->alloca);
    }
}

/* Element of this warp in a per-warp array. */
LLVMValueRef
ls_emit_warp_element(struct ls_emitter *e, LLVMBuilderRef b, LLVMValueRef alloca)
{
    LLVMValueRef index[2] = {ls_emit_i32(e, 0), e->w};

    if (LLVMIsAConstantInt(e->w)) /* outside of loops: LCSSA would make phis of it */
        b = e->entry_b;
    return LLVMBuildInBoundsGEP2(b, LLVMGetAllocatedType(alloca), alloca, index, 2, "");
}

static LLVMValueRef
slot_load(struct ls_emitter *e, LLVMBuilderRef b, struct ls_keep *s, LLVMTypeRef type)
{
    /* All warps of a region read what the one before left, while they write what is next: so a
     * uniform value is read once, before any warp runs. */
    LLVMValueRef v = s->uniform ? ls_ptrmap_get(&e->pre_map, s) : NULL;

    if (s->uniform)
        b = e->pre_b;
    if (!v)
        v = LLVMBuildLoad2(b, s->type,
                           s->uniform ? s->alloca : ls_emit_warp_element(e, b, s->alloca), "");
    if (s->uniform)
        ls_ptrmap_set(&e->pre_map, s, v);
    return type == s->type ? v : LLVMBuildTrunc(b, v, type, "");
}

void
ls_emit_slot_store(struct ls_emitter *e, LLVMBuilderRef b, struct ls_keep *s, LLVMValueRef v)
{
    if (LLVMTypeOf(v) != s->type)
        v = LLVMBuildZExt(b, v, s->type, "");
    LLVMBuildStore(b, v, s->uniform ? s->alloca : ls_emit_warp_element(e, b, s->alloca));
}

static LLVMValueRef
variable_address(struct ls_emitter *e, LLVMValueRef old)
{
    struct ls_kept_variable *var = ls_ptrmap_get(&e->variables, old);
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
    v = ls_ptrmap_get(e->top_map, old);
    if (!v) {
        v = ls_emit_warp_element(e, e->top_b, var->alloca);
        ls_ptrmap_set(e->top_map, old, v);
    }
    return v;
}

/* ---- Values ---- */

static bool comes_after(struct ls_emitter *e, unsigned from, unsigned to);

/* Inserts a clone with its own source line: a builder would give it that of the place where the
 * builder was set first. */
void
ls_emit_insert_clone(LLVMBuilderRef b, LLVMValueRef clone)
{
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(clone));
    LLVMInsertIntoBuilder(b, clone);
}

static LLVMValueRef
rematerialise(struct ls_emitter *e, LLVMBuilderRef b, unsigned use_block, LLVMValueRef v)
{
    LLVMValueRef clone = e->dry ? v : LLVMInstructionClone(v);

    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef op = ls_emit_resolve(e, b, use_block, LLVMGetOperand(v, (unsigned)i));
        if (!e->dry)
            LLVMSetOperand(clone, (unsigned)i, op);
    }
    if (!e->dry)
        ls_emit_insert_clone(b, clone);
    return clone;
}

/* A value that does not dominate its use in this region: computed again, or read from its slot. */
static LLVMValueRef
bring_in(struct ls_emitter *e, LLVMBuilderRef b, unsigned use_block, LLVMValueRef v, bool replaced)
{
    if (ls_remat_cost(&e->remats, v) <= LS_REMAT_COST_MAX)
        return rematerialise(e, b, use_block, v);
    struct ls_keep *s = want_slot(e, v);
    s->replaced |= replaced;
    return e->dry ? v : slot_load(e, b, s, LLVMTypeOf(v));
}

LLVMValueRef
ls_emit_resolve(struct ls_emitter *e, LLVMBuilderRef b, unsigned use_block, LLVMValueRef v)
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
        return e->dry ? v : ls_ptrmap_get(e->map, v);
    if (comes_after(e, def, use_block))
        return bring_in(e, b, use_block, v, true);
    /* As it was when the region began: once, at the top. The top stands for the region's start
     * block. */
    LLVMValueRef known = ls_ptrmap_get(e->top_map, v);
    if (known)
        return known;
    known = bring_in(e, e->top_b, e->r->order[0], v, false);
    ls_ptrmap_set(e->top_map, v, known);
    return known;
}

/* The turn of a point at which it can be tested whether the whole block stays in the loop, else
 * NULL. */
const struct ls_turn *
ls_emit_turn_of(const struct ls_emitter *e, unsigned point)
{
    const struct ls_point *p = &e->plan->points[point];
    const struct ls_turn *turn = p->kind == LS_POINT_TURN ? &e->plan->turns[p->loop] : NULL;

    return turn && turn->full && ls_emit_uniform(e, turn->full) ? turn : NULL;
}

/* The value that `v`, which is the same in all threads, has at the region's start, before any warp
 * runs. */
LLVMValueRef
ls_emit_block_value(struct ls_emitter *e, LLVMValueRef v)
{
    LLVMValueRef clone;

    if (!LLVMIsAInstruction(v))
        return ls_emit_resolve(e, e->pre_b, e->r->order[0], v);
    if (!ls_remat_cheap(e->cc, v)) {
        struct ls_keep *s = want_slot(e, v);
        return e->dry ? v : slot_load(e, e->pre_b, s, LLVMTypeOf(v));
    }
    clone = e->dry ? v : LLVMInstructionClone(v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef op = ls_emit_block_value(e, LLVMGetOperand(v, (unsigned)i));
        if (!e->dry)
            LLVMSetOperand(clone, (unsigned)i, op);
    }
    if (!e->dry)
        ls_emit_insert_clone(e->pre_b, clone);
    return clone;
}

/* ---- Values before any warp runs ---- */

/* The value that a phi of this region has, if it comes from one edge alone; else NULL. */
static bool comes_after(struct ls_emitter *e, unsigned from, unsigned to);

static LLVMValueRef
only_incoming(struct ls_emitter *e, LLVMValueRef phi, unsigned *from)
{
    LLVMValueRef only = NULL;

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef pred = LLVMGetIncomingBlock(phi, i);

        if (!ls_emit_edge(e, pred, LLVMGetInstructionParent(phi)))
            continue;
        if (only)
            return NULL;
        only = LLVMGetIncomingValue(phi, i);
        *from = ls_plan_block(e->plan, pred);
    }
    return only;
}

/* Where the operands of a value are looked at, if it is computed again before any warp runs;
 * LS_NO_BLOCK: it is read from a slot. False: its value cannot be known then. */
static bool
early_place(struct ls_emitter *e, unsigned use_block, LLVMValueRef v, unsigned *place)
{
    unsigned def = ls_plan_block(e->plan, LLVMGetInstructionParent(v));

    *place = def;
    if (LLVMIsAAllocaInst(v) || !ls_emit_uniform(e, v))
        return false;
    if (ls_region_dominates(e->r, def, use_block))
        return LLVMIsAPHINode(v) ||
               (!LLVMIsALoadInst(v) && ls_remat_cost(&e->remats, v) <= LS_REMAT_COST_MAX);
    if (comes_after(e, def, use_block))
        return false;
    *place = ls_remat_cost(&e->remats, v) <= LS_REMAT_COST_MAX ? e->r->order[0] : LS_NO_BLOCK;
    return true;
}

static bool
can_early(struct ls_emitter *e, unsigned use_block, LLVMValueRef v, unsigned depth)
{
    unsigned place;

    if (!LLVMIsAInstruction(v))
        return true;
    if (depth > LS_REMAT_COST_MAX || !early_place(e, use_block, v, &place))
        return false;
    if (place == LS_NO_BLOCK)
        return true;
    if (LLVMIsAPHINode(v)) {
        v = only_incoming(e, v, &place);
        return v && can_early(e, place, v, depth + 1);
    }
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (!can_early(e, place, LLVMGetOperand(v, (unsigned)i), depth + 1))
            return false;
    return true;
}

bool
ls_emit_can_early(struct ls_emitter *e, unsigned use_block, LLVMValueRef v)
{
    return ls_emit_uniform(e, v) && can_early(e, use_block, v, 0);
}

LLVMValueRef
ls_emit_early(struct ls_emitter *e, unsigned use_block, LLVMValueRef v)
{
    LLVMValueRef clone;
    unsigned place;

    if (!LLVMIsAInstruction(v))
        return ls_emit_resolve(e, e->pre_b, use_block, v);
    if (!early_place(e, use_block, v, &place))
        LS_BUG("a value that is asked for too early");
    if (place == LS_NO_BLOCK) {
        struct ls_keep *s = want_slot(e, v);

        s->early = true;
        return e->dry ? v : slot_load(e, e->pre_b, s, LLVMTypeOf(v));
    }
    if (LLVMIsAPHINode(v)) {
        v = only_incoming(e, v, &place);
        return ls_emit_early(e, place, v);
    }
    clone = e->dry ? v : LLVMInstructionClone(v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++) {
        LLVMValueRef op = ls_emit_early(e, place, LLVMGetOperand(v, (unsigned)i));
        if (!e->dry)
            LLVMSetOperand(clone, (unsigned)i, op);
    }
    if (!e->dry)
        ls_emit_insert_clone(e->pre_b, clone);
    return clone;
}

void
ls_emit_enter(struct ls_emitter *e, const struct ls_region *r)
{
    e->r = r;
    e->reach = ls_arena_alloc(e->cc->arena, r->n * sizeof(*e->reach));
}

static void
mark_after(struct ls_emitter *e, bool *seen, unsigned block)
{
    unsigned succ[2], n = ls_region_successors(e->plan, e->r, block, succ);

    for (unsigned k = 0; k < n; k++) {
        unsigned at = ls_region_rank(e->r, succ[k]);

        if (seen[at])
            continue;
        seen[at] = true;
        mark_after(e, seen, succ[k]);
    }
}

/* Whether both are in the region, and `to` may run after `from` without a barrier between. */
static bool
comes_after(struct ls_emitter *e, unsigned from, unsigned to)
{
    unsigned a = ls_region_rank(e->r, from), b = ls_region_rank(e->r, to);

    if (a == LS_NO_BLOCK || b == LS_NO_BLOCK)
        return false;
    if (!e->reach[a]) {
        e->reach[a] = ls_arena_alloc(e->cc->arena, e->r->n * sizeof(bool));
        mark_after(e, e->reach[a], from);
    }
    return e->reach[a][b];
}

bool
ls_emit_edge(struct ls_emitter *e, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    unsigned pred = ls_plan_block(e->plan, from), succ[2], n;

    if (pred >= e->plan->n_blocks || !ls_region_has(e->r, pred))
        return false;
    n = ls_region_successors(e->plan, e->r, pred, succ);
    for (unsigned k = 0; k < n; k++)
        if (e->plan->blocks[succ[k]].bb == to)
            return true;
    return false;
}
