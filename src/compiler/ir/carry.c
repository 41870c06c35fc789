/* SPDX-License-Identifier: MIT */
/* PTX has one flag for carries, which an asm statement may leave to the next one: hipcc --cuda
 * makes calls of __ls_carry_out and __ls_carry_in of that. When all is inlined, the flag is a
 * variable of the function. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include "intrin/intrinsics.h"

/* Counts the calls, or replaces them where there is a variable. */
static unsigned
each_call(struct ls_cc *cc, LLVMValueRef fn, const char *name, LLVMValueRef variable)
{
    unsigned n = 0;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            const char *callee = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

            next = LLVMGetNextInstruction(i);
            if (!callee || strcmp(callee, name) != 0)
                continue;
            n++;
            if (!variable)
                continue;
            LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
            LLVMPositionBuilderBefore(b, i);
            if (LLVMGetNumArgOperands(i) == 1)
                LLVMBuildStore(b, LLVMGetOperand(i, 0), variable);
            else
                LLVMReplaceAllUsesWith(i, LLVMBuildLoad2(b, LLVMTypeOf(i), variable, ""));
            LLVMInstructionEraseFromParent(i);
            LLVMDisposeBuilder(b);
        }
    return n;
}

static void
keep_in_variable(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    LLVMTypeRef type = LLVMInt32TypeInContext(cc->llvm);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    LLVMValueRef variable;

    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    variable = LLVMBuildAlloca(b, type, "carry");
    LLVMBuildStore(b, LLVMConstNull(type), variable);
    LLVMDisposeBuilder(b);
    each_call(cc, fn, "__ls_carry_out", variable);
    each_call(cc, fn, "__ls_carry_in", variable);
}

bool
ls_carry_replace(struct ls_cc *cc)
{
    if (!LLVMGetNamedFunction(cc->mod, "__ls_carry_in") &&
        !LLVMGetNamedFunction(cc->mod, "__ls_carry_out"))
        return true;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        unsigned out = each_call(cc, fn, "__ls_carry_out", NULL);
        unsigned in = each_call(cc, fn, "__ls_carry_in", NULL);

        if (in && !out)
            return ls_diag(cc, LS_DIAG_ERROR, fn,
                           "inline PTX takes a carry that no statement left in this function; "
                           "only functions that are inlined hand one on");
        if (in || out)
            keep_in_variable(cc, fn);
    }
    return true;
}
