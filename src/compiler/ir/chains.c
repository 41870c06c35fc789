/* SPDX-License-Identifier: MIT */
/* Chains of blocks become one.
 *
 * The stages behind cost blocks times something: the vectoriser keeps in memory what one block
 * computes and another one reads, and all that LLVM knows of control flow and memory is looked up
 * block by block. A block with one successor, whose only predecessor it is, is in the same loop and
 * runs with the same lanes, so nothing changes where they become one: no operation is copied, moved
 * over another or made conditional. */
#include <llvm-c/DebugInfo.h>

#include "compiler/ir/ir.h"

/* The block that a block always goes to, if it is reached from nowhere else and needs no phis. */
static LLVMBasicBlockRef
next_in_chain(LLVMBasicBlockRef bb)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(bb), first;
    LLVMBasicBlockRef next;
    LLVMUseRef use;

    if (!LLVMIsABranchInst(term) || LLVMIsConditional(term))
        return NULL;
    next = LLVMGetSuccessor(term, 0);
    use = LLVMGetFirstUse(LLVMBasicBlockAsValue(next));
    first = LLVMGetFirstInstruction(next);
    return next == bb || LLVMGetNextUse(use) || LLVMIsAPHINode(first) ? NULL : next;
}

/* Moves all that a block does to the start of the next one, which others' phis know. */
static void
join(LLVMBuilderRef b, LLVMBasicBlockRef bb, LLVMBasicBlockRef next)
{
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(bb));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(next));
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb), following; i; i = following) {
        LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(i);
        size_t len;

        following = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilderWithName(b, i, LLVMGetValueName2(i, &len));
        LLVMInstructionSetDebugLoc(i, loc);
    }
    ls_ir_redirect(bb, next);
    LLVMDeleteBasicBlock(bb);
}

void
ls_ir_join_chains(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn), before;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    /* From the end, so that what has moved once does not move again. */
    for (LLVMBasicBlockRef bb = LLVMGetLastBasicBlock(fn); bb != entry; bb = before) {
        LLVMBasicBlockRef next = next_in_chain(bb);

        before = LLVMGetPreviousBasicBlock(bb);
        if (next)
            join(b, bb, next);
    }
    LLVMDisposeBuilder(b);
}
