/* SPDX-License-Identifier: MIT */
/* Arrays of a thread that clang keeps in vectors (<10 x i32>) become their elements: as vectors of
 * all lanes they would be hundreds of elements long, and each insertion would move them all.
 * Addresses of vectors of pointers are computed one by one, too. */
#include "compiler/ir/prepare_priv.h"

/* Vectors of up to four elements stay: they are types of the kernel language, loaded and stored
 * whole. */
#define MAX_KEPT 4

static bool
is_wide(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) > MAX_KEPT;
}

/* Matrix builtins want their vectors whole. */
static bool
needs_whole(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    bool wide = is_wide(call);

    if (!name || !ls_ir_has_prefix(name, "llvm.amdgcn."))
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        wide |= is_wide(LLVMGetOperand(call, i));
    return wide;
}

bool
ls_wide_split(struct ls_cc *cc)
{
    bool found = false;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                switch (LLVMGetInstructionOpcode(i)) {
                case LLVMCall:
                    if (needs_whole(i))
                        return true;
                    break;
                case LLVMPHI:
                case LLVMSelect:
                case LLVMInsertElement:
                    found |= is_wide(i);
                    break;
                case LLVMGetElementPtr:
                    found |= LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind;
                    break;
                default:
                    break;
                }
    return !found || ls_ir_run_passes(cc, NULL, "function(scalarizer)");
}
