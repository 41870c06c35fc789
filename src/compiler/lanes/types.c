/* SPDX-License-Identifier: MIT */
/* Types of values, as vectors or one by one, and vectors of vectors. */
#include "compiler/ir/ir.h"
#include "lanes/lanes.h"

LLVMTypeRef
ls_lanes_elem(LLVMTypeRef type)
{
    return ls_ir_elem(type);
}

unsigned
ls_lanes_length(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

LLVMTypeRef
ls_lanes_like(LLVMTypeRef like, LLVMTypeRef elem)
{
    return ls_ir_like(like, elem);
}

unsigned
ls_lanes_bits(LLVMTypeRef type)
{
    LLVMTypeRef elem = ls_lanes_elem(type);
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
ls_lanes_int_like(LLVMTypeRef like)
{
    return ls_lanes_like(like, LLVMIntTypeInContext(LLVMGetTypeContext(like), ls_lanes_bits(like)));
}

LLVMValueRef
ls_vf_shuffle(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, const unsigned *from, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];

    LS_ASSERT_FITS(n, LS_MAX_WIDE);
    for (unsigned i = 0; i < n; i++)
        index[i] = from[i] == LS_VF_ANY ? LLVMGetPoison(vf->i32)
                                        : LLVMConstInt(vf->i32, from[i], false);
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

LLVMValueRef
ls_vf_slice(struct ls_vf *vf, LLVMValueRef vec, unsigned from, unsigned n)
{
    unsigned index[LS_MAX_WIDE];

    LS_ASSERT_FITS(n, LS_MAX_WIDE);
    if (from == 0 && LLVMGetVectorSize(LLVMTypeOf(vec)) == n)
        return vec;
    for (unsigned i = 0; i < n; i++)
        index[i] = from + i;
    return ls_vf_shuffle(vf, vec, LLVMGetPoison(LLVMTypeOf(vec)), index, n);
}

LLVMValueRef
ls_vf_pieces(struct ls_vf *vf, LLVMValueRef *args, unsigned n, unsigned piece, ls_vf_piece_fn fn,
             void *cookie)
{
    unsigned length = LLVMGetVectorSize(LLVMTypeOf(args[0]));
    LLVMValueRef parts[LS_MAX_WIDE], now[4];
    unsigned n_parts = length / piece;

    LS_ASSERT_FITS(n, 4);
    LS_ASSERT_FITS(n_parts, LS_MAX_WIDE);
    LS_ASSERT(length % piece == 0);
    for (unsigned p = 0; p < n_parts; p++) {
        for (unsigned i = 0; i < n; i++)
            now[i] = ls_vf_slice(vf, args[i], p * piece, piece);
        parts[p] = fn(vf, now, cookie);
    }
    return ls_vf_concat(vf, parts, n_parts);
}
