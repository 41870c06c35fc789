/* SPDX-License-Identifier: MIT */
/* Jump threading that keeps the lanes of a warp together where they talk through memory. */
#include "compiler/ir/ir.h"

/* What a lane may do to tell its neighbours something, or to hear it: a copy for some of the lanes would run
 * before or after what the others do in between. */
static bool
lanes_may_meet_in(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFence:
        return true;
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
    default:
        return false;
    }
}

bool
ls_ir_thread_jumps(struct ls_cc *cc)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);
    LLVMValueRef pin = ls_ir_declare(cc, "ls.pin", type, true);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    bool ok;

    /* A convergent call: no pass copies it to one side of a branch. */
    LLVMAddAttributeAtIndex(pin, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "convergent", 0));
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                if (lanes_may_meet_in(i)) {
                    LLVMPositionBuilderBefore(b, i);
                    LLVMBuildCall2(b, type, pin, NULL, 0, "");
                }
    LLVMDisposeBuilder(b);
    /* A target whose branches diverge would switch the pass off. */
    ok = ls_ir_run_passes(cc, NULL, "function(jump-threading)");
    for (LLVMUseRef use; (use = LLVMGetFirstUse(pin)) != NULL;)
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(pin);
    return ok;
}
