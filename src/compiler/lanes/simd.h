/* SPDX-License-Identifier: MIT */
/* What a processor does in one instruction and LLVM has no operation for. A target has a table of
 * these; what it leaves empty, the lowering makes of generic code, and a target whose table is
 * empty works. */
#ifndef LS_LANES_SIMD_H
#define LS_LANES_SIMD_H

#include "lanes/lanes.h"

struct ls_simd_op {
    unsigned piece; /* elements that it takes at once; 0: there is none */
    unsigned n_args;
    LLVMValueRef (*emit)(struct ls_vf *vf, const struct ls_simd_op *op,
                         LLVMValueRef *args); /* of `piece` elements each */
    const char *name;                         /* for emit */
};

enum { LS_SIMD_F32, LS_SIMD_F64, LS_SIMD_N_FLOATS };

struct ls_simd_ops {
    /* x, n: x * 2^n, rounded once; n are whole numbers as floats of x's type. */
    struct ls_simd_op scale[LS_SIMD_N_FLOATS];
    /* x: a float to 32 bits, to zero. What does not fit, and NaN, is the least number. */
    struct ls_simd_op to_signed[LS_SIMD_N_FLOATS];
    /* x: the same without a sign, of x >= 0 (NaN counts as 0 here); what does not fit is the
     * largest number. */
    struct ls_simd_op to_unsigned[LS_SIMD_N_FLOATS];
    /* x (f32): 1/sqrt(x) to 14 bits, denormals included; of 0 and infinity what IEEE says. */
    struct ls_simd_op rsqrt_estimate;
    /* a, b: pairs of i16 in an i32, the sum of their products. Of vectors of 4 and 8, too, if
     * `piece` is more. */
    struct ls_simd_op dot_i16;
    /* a, b: of four bytes in an i32, those of a without a sign and those of b with one, two sums of
     * two products in an i16 each, at most 32767 and at least -32768. */
    struct ls_simd_op dot_u8_s8_i16;
    /* sum, a, b: of four bytes in an i32, those of a without a sign and those of b with one, the
     * sum of their products and `sum`, modulo 2^32. */
    struct ls_simd_op dot_u8_s8;
    /* a, b, sum: pairs of bfloat in an i32, the sum of their products and `sum`, f32. */
    struct ls_simd_op dot_bf16;
    /* result[l] = src[index[l] mod W] for <W x i32>; NULL, or answers NULL: not for so many
     * lanes. */
    LLVMValueRef (*permute)(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index);
    /* LLVM's calling convention that passes many vectors in registers, for functions of our own; 0,
     * C's: no other. */
    unsigned many_vectors_call;
};

#endif
