/* SPDX-License-Identifier: MIT */
/* Where slots end. Linearised control flow passes blocks by in which no lane is, and there a slot
 * holds what the last round of an enclosing loop left in it: to LLVM every join and every value
 * used in another block then lives through all loops around it. Nobody asks for that old content,
 * so the slot is given up in the last block that control passes before all writes and reads:
 * registers live as long as they are needed, and compile time is linear in their number. */
#include "lanes/lanes.h"

/* Moves `place` up out of the loops that `user` is not in, as lanes that leave a loop wait for the
 * others behind it. */
static unsigned
leave_loops(const struct ls_vf *vf, unsigned place, unsigned user)
{
    const struct ls_loop *loop;

    while ((loop = vf->cfg->blocks[place].loop) && !ls_loop_has(loop, user))
        place = vf->linear->blocks[place].idom;
    return place;
}

static LLVMBuilderRef
builder_at(struct ls_vf *vf, unsigned place)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(vf->llvm);
    LLVMValueRef first = LLVMGetFirstInstruction(vf->blocks[place]);

    if (first)
        LLVMPositionBuilderBefore(b, first);
    else
        LLVMPositionBuilderAtEnd(b, vf->blocks[place]);
    return b;
}

static void
give_up(LLVMBuilderRef b, LLVMValueRef slot)
{
    if (slot && !LLVMIsConstant(slot))
        LLVMBuildStore(b, LLVMGetUndef(LLVMGetAllocatedType(slot)), slot);
}

static void
give_up_at(struct ls_vf *vf, unsigned place, const struct ls_slot *slot)
{
    LLVMBuilderRef b;

    if (!place) /* the entry: a new slot holds nothing anyway */
        return;
    b = builder_at(vf, place);
    for (unsigned g = 0; g < LS_MAX_GROUPS; g++)
        give_up(b, slot->base[g]);
    give_up(b, slot->ok);
    give_up(b, slot->vec);
    LLVMDisposeBuilder(b);
}

/* The last block in front of all edges that write the slots of `block`. A latch does not count: it
 * writes for all lanes. */
static unsigned
before_edges(const struct ls_vf *vf, unsigned block)
{
    const struct ls_cfg_block *b = &vf->cfg->blocks[block];
    unsigned place = block;

    for (unsigned k = 0; k < b->n_preds; k++)
        if (b->preds[k] < block)
            place = ls_linear_common(vf->linear, place, b->preds[k]);
    return leave_loops(vf, place, block);
}

void
ls_vf_end_phi_slot(struct ls_vf *vf, LLVMValueRef phi, const struct ls_slot *slot)
{
    unsigned home = ls_cfg_number(vf->cfg, LLVMGetInstructionParent(phi));

    give_up_at(vf, before_edges(vf, home), slot);
}

void
ls_vf_begin_mask_slot(struct ls_vf *vf, unsigned block)
{
    LLVMBuilderRef b = builder_at(vf, before_edges(vf, block));
    LLVMValueRef slot = vf->edge_mask_slots[block];

    LLVMBuildStore(b, LLVMConstNull(LLVMGetAllocatedType(slot)), slot);
    LLVMDisposeBuilder(b);
}

void
ls_vf_end_slot(struct ls_vf *vf, LLVMValueRef inst, const struct ls_slot *slot)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(inst);
    unsigned home = ls_cfg_number(vf->cfg, bb), place = home;

    for (int pass = 0; pass < 2; pass++) /* first the block in front of all uses, then out of the
                                            loops that a user is not in */
        for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            bool phi = LLVMIsAPHINode(user);

            for (unsigned i = 0, n = phi ? LLVMCountIncoming(user) : 1; i < n; i++) {
                LLVMBasicBlockRef at =
                    phi ? LLVMGetIncomingBlock(user, i) : LLVMGetInstructionParent(user);
                unsigned u;

                if (at == bb || (phi && LLVMGetIncomingValue(user, i) != inst))
                    continue;
                u = ls_cfg_number(vf->cfg, at);
                if (u != LS_NO_BLOCK)
                    place =
                        pass ? leave_loops(vf, place, u) : ls_linear_common(vf->linear, place, u);
            }
        }
    if (place != home || vf->linear->blocks[home].guarded)
        give_up_at(vf, place, slot);
}
