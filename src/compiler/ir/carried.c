/* SPDX-License-Identifier: MIT */
/* Keeps a fault of LLVM 19 out of reach. Where a loop carries a vector, v = x - v, and one element
 * of v is asked for, InstCombine lets the loop carry this element alone, but takes the operands the
 * other way round: e = e - x (scalarizePHI). While it runs, such a v goes through a call that it
 * knows nothing about. */
#include "compiler/ir/ir.h"

#include <stdio.h>

#define CARRIED "ls.carried."

static bool
operands_have_places(LLVMOpcode op)
{
    switch (op) {
    case LLVMSub:
    case LLVMFSub:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMFDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMFRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        return true;
    default:
        return false;
    }
}

static LLVMValueRef
hide(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), fn_type = LLVMFunctionType(type, &type, 1, false);
    char *text = LLVMPrintTypeToString(type);
    char name[128];

    snprintf(name, sizeof(name), CARRIED "%s", text);
    LLVMDisposeMessage(text);
    return LLVMBuildCall2(b, fn_type, ls_ir_declare(cc, name, fn_type, false), &v, 1, "");
}

void
ls_ir_hide_carried(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
                LLVMValueRef right;

                if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind ||
                    !operands_have_places(LLVMGetInstructionOpcode(i)))
                    continue;
                right = LLVMGetOperand(i, 1);
                if (!LLVMIsAPHINode(right))
                    continue;
                LLVMPositionBuilderBefore(b, i);
                LLVMSetOperand(i, 1, hide(cc, b, right));
            }
    LLVMDisposeBuilder(b);
}

void
ls_ir_show_carried(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod), next; fn; fn = next) {
        size_t n;

        next = LLVMGetNextFunction(fn);
        if (!ls_ir_has_prefix(LLVMGetValueName2(fn, &n), CARRIED))
            continue;
        for (LLVMUseRef use; (use = LLVMGetFirstUse(fn)) != NULL;) {
            LLVMValueRef call = LLVMGetUser(use);

            LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
            LLVMInstructionEraseFromParent(call);
        }
        LLVMDeleteFunction(fn);
    }
}
