/* SPDX-License-Identifier: MIT */
/* Halves to integers. AMD's instructions clamp what does not fit; to LLVM that is undefined, and as
 * the largest half is 65504 its passes take every result for no larger: an infinity's 0xffffffff
 * plus 1 "cannot overflow". Conversions that clamp by their definition stand in their place before
 * any pass of ours runs. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

static unsigned
int_bits(LLVMTypeRef type)
{
    return LLVMGetIntTypeWidth(ls_ir_elem(type));
}

static bool
is_half(LLVMTypeRef type)
{
    return LLVMGetTypeKind(ls_ir_elem(type)) == LLVMHalfTypeKind;
}

/* Replaces a conversion. On AMD a half is converted to 32 bits, which are extended if a wider type
 * is wanted. */
static void
replace(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef inst)
{
    bool is_signed = LLVMIsAFPToSIInst(inst);
    const char *name = is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    LLVMValueRef x = LLVMGetOperand(inst, 0), r;
    LLVMTypeRef wanted = LLVMTypeOf(inst), from = LLVMTypeOf(x);
    LLVMTypeRef over[2] = {ls_ir_like(from, LLVMInt32TypeInContext(cc->llvm)), from};
    LLVMValueRef fn =
        LLVMGetIntrinsicDeclaration(cc->mod, LLVMLookupIntrinsicID(name, strlen(name)), over, 2);

    LLVMPositionBuilderBefore(b, inst);
    r = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, &x, 1, "");
    if (int_bits(wanted) < 32)
        r = LLVMBuildTrunc(b, r, wanted, "");
    else if (int_bits(wanted) > 32)
        r = is_signed ? LLVMBuildSExt(b, r, wanted, "") : LLVMBuildZExt(b, r, wanted, "");
    LLVMReplaceAllUsesWith(inst, r);
    LLVMInstructionEraseFromParent(inst);
}

void
ls_conversions_clamp(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if ((LLVMIsAFPToSIInst(i) || LLVMIsAFPToUIInst(i)) &&
                    is_half(LLVMTypeOf(LLVMGetOperand(i, 0))) && int_bits(LLVMTypeOf(i)) > 16 &&
                    int_bits(LLVMTypeOf(i)) <= 64)
                    replace(cc, b, i);
            }
    LLVMDisposeBuilder(b);
}
