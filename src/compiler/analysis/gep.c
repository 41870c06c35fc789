/* SPDX-License-Identifier: MIT */
/* Addresses as sums. */
#include "analysis/shape_priv.h"

bool
ls_const_int(LLVMValueRef v, int64_t *out)
{
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *out = LLVMConstIntGetSExtValue(v);
    return true;
}

unsigned
ls_gep_terms(const struct ls_cc *cc, LLVMValueRef gep, struct ls_gep_term *terms, unsigned max)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned n_ops = (unsigned)LLVMGetNumOperands(gep), n = 0;
    int64_t constant = 0;

    for (unsigned i = 1; i < n_ops; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        int64_t k;

        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            constant += (int64_t)LLVMOffsetOfElement(cc->device.layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        int64_t stride = (int64_t)LLVMABISizeOfType(cc->device.layout, type);
        if (ls_const_int(index, &k))
            constant += k * stride;
        else if (n < max - 1)
            terms[n++] = (struct ls_gep_term){index, stride};
    }
    terms[n++] = (struct ls_gep_term){NULL, constant};
    return n;
}
