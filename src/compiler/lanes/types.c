/* SPDX-License-Identifier: MIT */
/* Types of values, as vectors or one by one, and vectors of vectors. */
#include "lanes/lanes.h"

LLVMTypeRef
ls_lower_elem(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

unsigned
ls_lower_length(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

LLVMTypeRef
ls_lower_like(LLVMTypeRef like, LLVMTypeRef elem)
{
    unsigned n = ls_lower_length(like);
    return n ? LLVMVectorType(elem, n) : elem;
}

unsigned
ls_lower_bits(LLVMTypeRef type)
{
    LLVMTypeRef elem = ls_lower_elem(type);
    switch (LLVMGetTypeKind(elem)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(elem);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64;
    }
}

LLVMTypeRef
ls_lower_int_like(LLVMTypeRef like)
{
    return ls_lower_like(like, LLVMIntTypeInContext(LLVMGetTypeContext(like), ls_lower_bits(like)));
}

LLVMValueRef
ls_vf_shuffle(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, const unsigned *from, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];

    LS_ASSERT_FITS(n, LS_MAX_WIDE);
    for (unsigned i = 0; i < n; i++)
        index[i] = LLVMConstInt(vf->i32, from[i], false);
    return LLVMBuildShuffleVector(vf->b, a, b, LLVMConstVector(index, n), "");
}

LLVMValueRef
ls_vf_concat(struct ls_vf *vf, LLVMValueRef *parts, unsigned n)
{
    unsigned from[LS_MAX_WIDE];

    LS_ASSERT(n && !(n & (n - 1)));
    if (n == 1)
        return parts[0];
    LLVMValueRef lo = ls_vf_concat(vf, parts, n / 2), hi = ls_vf_concat(vf, parts + n / 2, n / 2);
    unsigned length = 2 * LLVMGetVectorSize(LLVMTypeOf(lo));
    LS_ASSERT_FITS(length, LS_MAX_WIDE);
    for (unsigned i = 0; i < length; i++)
        from[i] = i;
    return ls_vf_shuffle(vf, lo, hi, from, length);
}
