/* SPDX-License-Identifier: MIT */
/* The larger of two numbers, of which HIP's headers make floating-point ones where their types
 * differ (`max(c, 0)` of a char): where both are whole numbers of at most 32 bits, and the type
 * holds those exactly, it is one of integers. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

/* A floating-point value as an i32 that it is made of, or a constant of this value; NULL: it is
 * none. */
static LLVMValueRef
whole_of(LLVMBuilderRef b, LLVMValueRef v, unsigned exact)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
    bool is_signed;
    unsigned bits;
    double value;
    LLVMBool lost;

    if (LLVMIsAConstantFP(v)) {
        value = LLVMConstRealGetDouble(v, &lost);
        if (lost || !(value >= INT32_MIN && value <= INT32_MAX) ||
            value != (double)(int32_t)value || __builtin_signbit(value) != (value < 0)) /* -0 */
            return NULL;
        return LLVMConstInt(i32, (uint64_t)(int64_t)value, true);
    }
    if (!LLVMIsASIToFPInst(v) && !LLVMIsAUIToFPInst(v))
        return NULL;
    is_signed = LLVMIsASIToFPInst(v) != NULL;
    v = LLVMGetOperand(v, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
        return NULL;
    bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (bits > exact || bits + !is_signed > 32)
        return NULL;
    return bits == 32 ? v : is_signed ? LLVMBuildSExt(b, v, i32, "") : LLVMBuildZExt(b, v, i32, "");
}

static LLVMValueRef
as_whole(LLVMBuilderRef b, LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    bool larger = name && !strncmp(name, "llvm.maxnum.f", 13);
    LLVMTypeKind kind;
    LLVMValueRef v[2], less;

    if (!larger && !(name && !strncmp(name, "llvm.minnum.f", 13)))
        return NULL;
    kind = LLVMGetTypeKind(LLVMTypeOf(inst));
    if (kind != LLVMDoubleTypeKind && kind != LLVMFloatTypeKind)
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (!(v[i] = whole_of(b, LLVMGetOperand(inst, i), kind == LLVMDoubleTypeKind ? 32 : 24)))
            return NULL;
    if (LLVMIsConstant(v[0]) && LLVMIsConstant(v[1]))
        return NULL;
    less = LLVMBuildICmp(b, LLVMIntSLT, v[0], v[1], "");
    return LLVMBuildSIToFP(b, LLVMBuildSelect(b, less, v[larger], v[!larger], ""), LLVMTypeOf(inst),
                           "");
}

void
ls_ptx_take_whole(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next, v; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMPositionBuilderBefore(b, i);
                if ((v = as_whole(b, i)) == NULL)
                    continue;
                LLVMReplaceAllUsesWith(i, v);
                LLVMInstructionEraseFromParent(i);
            }
    LLVMDisposeBuilder(b);
}
