/* SPDX-License-Identifier: MIT */
/* Lanes that mean the same place, though nothing in the code says so: neighbouring rays at one node
 * of a tree, threads that search one table, the depth of each thread's own stack. Accesses at such
 * addresses ask first whether all lanes that are on agree. */
#include "analysis/address.h"
#include "compiler/ir/ir.h"
#include "lanes/lanes.h"

enum {
    MOST_APART = 200, /* instructions */
    FEW_BYTES = 8,    /* what is no longer costs a gather, */
    LEAST_LOADS = 3,  /* of which so many cost more than asking */
    DEEP = 12,        /* instructions behind an address */
};

LLVMValueRef
ls_vf_agree(struct ls_vf *vf, LLVMValueRef v, LLVMValueRef *first)
{
    LLVMTypeRef lanes = LLVMIntTypeInContext(vf->llvm, vf->n_lanes);
    LLVMValueRef on = LLVMBuildTrunc(vf->b, ls_vf_mask_bits(vf), lanes, ""), lane, same;
    LLVMValueRef args[2] = {on, LLVMConstInt(vf->i1, 0, false)};

    lane = vf->mask ? ls_vf_llvm(vf, "llvm.cttz", &lanes, 1, args, 2) : LLVMConstNull(lanes);
    lane = LLVMBuildZExtOrBitCast(vf->b, lane, vf->i64, "");
    lane = LLVMBuildAnd(vf->b, lane, LLVMConstInt(vf->i64, vf->n_lanes - 1, false), "");
    *first = LLVMBuildExtractElement(vf->b, v, lane, "");
    same = LLVMBuildICmp(vf->b, LLVMIntEQ, v, ls_vf_splat(vf, *first), "");
    same = LLVMBuildAnd(vf->b, LLVMBuildBitCast(vf->b, same, lanes, ""), on, "");
    same = LLVMBuildICmp(vf->b, LLVMIntEQ, same, on, "agree");
    if (vf->mask)
        same = LLVMBuildAnd(vf->b, same,
                            LLVMBuildICmp(vf->b, LLVMIntNE, on, LLVMConstNull(lanes), ""), "");
    return same;
}

/* Whether a value comes out of a loop's own state, such as the node at hand, by sums and loads.
 * What is made of thread numbers differs, as a rule, and so does what lists of neighbours hold. */
static bool
follows_state(struct ls_vf *vf, LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || ls_vf_is_uniform(vf, v) || depth == DEEP || LLVMIsACallInst(v))
        return false;
    if (LLVMIsAPHINode(v))
        return true;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (follows_state(vf, LLVMGetOperand(v, (unsigned)i), depth + 1))
            return true;
    return false;
}

/* Whether more loads of the block are at known distances from this one. */
static bool
has_company(struct ls_vf *vf, LLVMValueRef inst, const struct ls_address *at)
{
    unsigned n_loads = 1;

    for (unsigned n = 0; n < MOST_APART && n_loads < LEAST_LOADS; n++) {
        struct ls_address other;
        int64_t bytes;

        inst = LLVMGetNextInstruction(inst);
        if (!inst)
            return false;
        n_loads += LLVMIsALoadInst(inst) &&
                   ls_address_read(vf->cc->device.layout, LLVMGetOperand(inst, 0), &other) &&
                   ls_address_distance(at, &other, &bytes);
    }
    return n_loads == LEAST_LOADS;
}

/* Whether the lanes at the block at hand are some of those that a block asked when they were there
 * last: each of them came by it in this iteration. */
static bool
is_behind(const struct ls_vf *vf, unsigned block)
{
    const struct ls_loop *loop = vf->cfg->blocks[block].loop;

    return ls_cfg_dominates(vf->cfg, block, vf->cur_block) &&
           (!loop || ls_loop_has(loop, vf->cur_block));
}

static bool
find_agreement(struct ls_vf *vf, const struct ls_address *at, struct ls_agreement *out)
{
    for (unsigned i = vf->n_agreed; i-- > 0;) {
        const struct ls_agreement *a = &vf->agreed[i];
        LLVMValueRef by;
        int64_t bytes;

        if (!ls_address_distance(&a->at, at, &bytes) || !is_behind(vf, a->block))
            continue;
        *out = *a;
        if (a->block != vf->cur_block) {
            /* Code may come here without the block that asked, but with no lanes then. */
            LLVMValueRef on = ls_vf_any(vf, ls_vf_mask(vf));

            out->all = LLVMBuildLoad2(vf->b, vf->i1, a->all_slot, "");
            out->all = LLVMBuildAnd(vf->b, out->all, on, "agree");
            out->first = LLVMBuildLoad2(vf->b, vf->ptr, a->first_slot, "");
        }
        by = LLVMConstInt(vf->i64, (uint64_t)bytes, true);
        out->first = LLVMBuildGEP2(vf->b, vf->i8, out->first, &by, 1, "");
        return true;
    }
    return false;
}

bool
ls_vf_agree_address(struct ls_vf *vf, LLVMValueRef load, LLVMValueRef at, unsigned bytes,
                    struct ls_agreement *out)
{
    LLVMValueRef ptr = LLVMGetOperand(load, 0);
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(ptr));
    struct ls_agreement a = {.block = vf->cur_block};
    bool is_read;

    /* Checkers are told of an access right in front of it. */
    if (vf->cc->opt->checks || vf->in_steps || as == 3 || as == 5)
        return false;
    is_read = ls_address_read(vf->cc->device.layout, ptr, &a.at);
    if (is_read && find_agreement(vf, &a.at, out))
        return true;
    if ((bytes <= FEW_BYTES && (!is_read || !has_company(vf, load, &a.at))) ||
        !follows_state(vf, ptr, 0))
        return false;
    a.all = ls_vf_agree(vf, at, &a.first);
    if (is_read && vf->nest == 0 && vf->n_agreed < LS_MOST_AGREED) {
        a.all_slot = ls_vf_temp(vf, vf->i1, "agree");
        a.first_slot = ls_vf_temp(vf, vf->ptr, "first");
        LLVMBuildStore(vf->b, a.all, a.all_slot);
        LLVMBuildStore(vf->b, a.first, a.first_slot);
        vf->agreed[vf->n_agreed++] = a;
    }
    *out = a;
    return true;
}
