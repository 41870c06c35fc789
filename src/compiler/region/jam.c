/* SPDX-License-Identifier: MIT */
/* Loops over warps that are better no loops. Where a block has few warps, what each keeps from one
 * region to the next (the sum of a tiled matrix product) fits the processor's registers, if its
 * place is known: so the code of the regions is repeated for each warp. Warps that read the same
 * memory (a row of a tile) run side by side, each instruction for all of them: then they read it
 * once. Where all of them do not fit, groups of warps do. Between two barriers threads may not tell
 * in which order warps run. */
#include "compiler/region/emit_priv.h"

#include "base/isa.h"
#include "compiler/ir/ir.h"

enum {
    MAX_REPEATED = 1200, /* instructions of a region, for all its warps */
    MAX_ALL = 4000,      /* of all regions */
    MAX_GROUP = 2400,    /* of a region, for a group of warps */
    MAX_DEPTH = 12,      /* of an address */
};

/* Whether code is repeated for a block's warps at all: it runs more than once in a block. */
static bool
comes_again(const struct ls_plan *plan, unsigned point)
{
    const struct ls_region *r = &plan->regions[point];

    for (unsigned i = 0; i < r->n_next; i++) {
        const struct ls_region *next = &plan->regions[r->exits[i]];

        if (next == r)
            return true;
        for (unsigned k = 0; k < next->n_next; k++)
            if (next->exits[k] == point || next->exits[k] == r->exits[i])
                return true;
    }
    return false;
}

/* Bits of vector registers that all warps' slots take. What a loop carries is counted twice, as it
 * has a slot in front of the next iteration and one behind the last, of which one is alive. */
static unsigned long long
kept_bits(const struct ls_emitter *e)
{
    unsigned long long bits = 0;

    for (const struct ls_keep *s = e->first_slot; s; s = s->next)
        if (!s->uniform)
            bits += LLVMSizeOfTypeInBits(e->cc->device.layout, s->type) * e->cc->n_lanes *
                    e->plan->max_warps;
    return bits;
}

/* Whether an operand is a private variable that all warps have in turn. */
static bool
is_one_for_all(const struct ls_emitter *e, LLVMValueRef op)
{
    const struct ls_kept_variable *var =
        LLVMIsAAllocaInst(op) ? ls_ptrmap_get(&e->variables, op) : NULL;

    return var && !var->per_warp;
}

/* Whether a region has what cannot be repeated or changes places with another warp's. */
static bool
is_ordered(const struct ls_emitter *e, const struct ls_region *r)
{
    for (unsigned i = 0; i < r->n; i++)
        for (LLVMValueRef k = LLVMGetFirstInstruction(e->plan->blocks[r->order[i]].bb); k;
             k = LLVMGetNextInstruction(k)) {
            if (LLVMIsAAllocaInst(k) || (!LLVMIsAStoreInst(k) && ls_trim_has_effect(k)) ||
                (LLVMIsAStoreInst(k) && LLVMGetVolatile(k)))
                return true;
            for (int op = 0, n = LLVMGetNumOperands(k); op < n; op++)
                if (is_one_for_all(e, LLVMGetOperand(k, (unsigned)op)))
                    return true;
        }
    return false;
}

/* Whether warps of this block may run side by side at all. */
static bool
is_whole(const struct ls_emitter *e)
{
    const struct ls_cc *cc = e->cc;

    return e->plan->max_warps > 1 && cc->n_threads && cc->n_threads % cc->n_lanes == 0 &&
           !e->plan->needs_live && e->plan->n_points > 1 && !e->plain && !cc->n_debug_marks;
}

bool
ls_jam_wanted(struct ls_emitter *e)
{
    const struct ls_plan *plan = e->plan;
    const struct ls_cc *cc = e->cc;
    unsigned long long bits = kept_bits(e);
    unsigned size = 0;
    bool again = false;

    if (!is_whole(e) || plan->max_warps > LS_MAX_SIDE || !bits ||
        bits > (unsigned long long)cc->isa->n_registers * cc->isa->vector_bits)
        return false;
    for (unsigned p = 0; p < plan->n_points; p++) {
        const struct ls_region *r = &plan->regions[p];
        unsigned n = ls_region_size(plan, r) * plan->max_warps;

        if (r->turns || plan->points[p].kind == LS_POINT_TURN || n > MAX_REPEATED ||
            is_ordered(e, r))
            return false;
        size += n;
        again |= comes_again(plan, p);
    }
    return again && size <= MAX_ALL;
}

/* Whether a value is the same in the same lane of all warps. */
static bool
same_in_warps(const struct ls_emitter *e, LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v))
        return true;
    if (v == e->plan->w || depth > MAX_DEPTH)
        return false;
    if (ls_ir_is_lane(v) || ls_emit_uniform(e, v))
        return true;
    if (LLVMIsAPHINode(v) || !ls_remat_cheap(e->cc, v))
        return false;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (!same_in_warps(e, LLVMGetOperand(v, (unsigned)i), depth + 1))
            return false;
    return true;
}

/* Whether a region without divergent branches reads something that all warps read. */
static bool
is_shared(const struct ls_emitter *e)
{
    const struct ls_region *r = e->r;
    bool shared = false;

    for (unsigned i = 0; i < r->n; i++) {
        const struct ls_rblock *b = &e->plan->blocks[r->order[i]];
        unsigned succ[2];

        if (b->divergent && ls_region_successors(e->plan, r, r->order[i], succ) > 1)
            return false;
        for (LLVMValueRef k = LLVMGetFirstInstruction(b->bb); k; k = LLVMGetNextInstruction(k))
            shared |= LLVMIsALoadInst(k) && !ls_emit_uniform(e, k) &&
                      same_in_warps(e, LLVMGetOperand(k, 0), 0);
    }
    return shared;
}

unsigned
ls_jam_side_by_side(struct ls_emitter *e)
{
    return is_shared(e) ? e->plan->max_warps : 1;
}

unsigned
ls_jam_group(struct ls_emitter *e)
{
    const struct ls_plan *plan = e->plan;
    const struct ls_isa *isa = e->cc->isa;
    unsigned point = e->r->point, size = ls_region_size(plan, e->r), n = 1;
    unsigned long long bits = 0;

    if (!is_whole(e) || e->first_warp || e->r->turns ||
        plan->points[point].kind == LS_POINT_TURN || !comes_again(plan, point))
        return 1;
    for (const struct ls_keep *s = e->first_slot; s; s = s->next)
        if (!s->uniform && s->group == s)
            bits += LLVMSizeOfTypeInBits(e->cc->device.layout, s->type) * e->cc->n_lanes;
    while (bits && 2 * n <= LS_MAX_SIDE && plan->max_warps % (2 * n) == 0 &&
           2 * n * size <= MAX_GROUP &&
           2 * n * bits <= (unsigned long long)isa->n_registers / 2 * isa->vector_bits)
        n *= 2;
    return n > 1 && !is_ordered(e, e->r) && is_shared(e) ? n : 1;
}
