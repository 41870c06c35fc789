/* SPDX-License-Identifier: MIT */
/* Replaces the warp's number by the lane's while the shape analysis runs for a whole block, where
 * it must vary like a lane number. */
#include "compiler/ir/ir.h"
#include "compiler/region/region_priv.h"

LLVMValueRef
ls_region_disguise_warp(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(cc->llvm), NULL, 0, false);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    LLVMValueRef w = LLVMGetParam(fn, LLVMCountParams(fn) - 1), fake;

    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
    fake = LLVMBuildCall2(b, type, ls_ir_declare(cc, LS_FN_LANE, type, false), NULL, 0, "w");
    LLVMReplaceAllUsesWith(w, fake);
    LLVMDisposeBuilder(b);
    return fake;
}

void
ls_region_undisguise_warp(LLVMValueRef fn, LLVMValueRef fake)
{
    LLVMReplaceAllUsesWith(fake, LLVMGetParam(fn, LLVMCountParams(fn) - 1));
    LLVMInstructionEraseFromParent(fake);
}
