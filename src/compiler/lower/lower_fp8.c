/* SPDX-License-Identifier: MIT */
/* Eight-bit floats as gfx942 has them, by integer arithmetic: fp8 (4 bits of exponent, biased by 8,
 * 3 of mantissa) and bf8 (5, biased by 16, and 2). No infinities, no -0: the sign alone is NaN.
 * What is too large becomes NaN. */
#include "lower/lower_priv.h"

LLVMValueRef
ls_lower_build_fp8(struct ls_vf *vf, LLVMValueRef byte, bool is_bf8)
{
    LLVMTypeRef floats = ls_lanes_like(LLVMTypeOf(byte), vf->f32);
    LLVMValueRef magnitude = B_SHL(B_AND(byte, B_INT(byte, 0x7f)), B_INT(byte, is_bf8 ? 21 : 20));
    LLVMValueRef sign = B_SHL(B_AND(byte, B_INT(byte, 0x80)), B_INT(byte, 24));
    LLVMValueRef scaled = B_BITCAST(magnitude, floats);

    /* The bits as they are stand for 2^-111 (2^-119) times the value, small ones as denormals. */
    scaled = B_FMUL(scaled, B_FP(scaled, is_bf8 ? 0x1p111 : 0x1p119));
    LLVMValueRef bits = B_OR(B_BITCAST(scaled, LLVMTypeOf(byte)), sign);
    LLVMValueRef nan = B_ICMP(EQ, B_AND(byte, B_INT(byte, 0xff)), B_INT(byte, 0x80));
    return B_BITCAST(B_SEL(nan, B_INT(byte, 0x7fc00000), bits), floats);
}

/* f32 to a byte in a word; `random` (or NULL: to nearest even) is added below the last bit before
 * the cut. */
static LLVMValueRef
to_fp8(struct ls_vf *vf, LLVMValueRef x, bool is_bf8, LLVMValueRef random)
{
    LLVMTypeRef words = ls_lanes_int_like(LLVMTypeOf(x));
    unsigned shift = is_bf8 ? 21 : 20,
             low = is_bf8 ? 127 - 15 : 127 - 7; /* f32's exponent of the least normal */
    LLVMValueRef all = B_BITCAST(x, words), bits = B_AND(all, B_INT(all, 0x7fffffff));
    LLVMValueRef small = B_ICMP(ULT, bits, B_INT(bits, (unsigned long long)low << 23));
    LLVMValueRef up, scaled = B_BITCAST(bits, LLVMTypeOf(x));

    scaled = B_FMUL(scaled, B_FP(scaled, is_bf8 ? 0x1p17 : 0x1p10));
    scaled = B_SEL(small, scaled, B_FP(scaled, 0.0));
    if (random) {
        up = B_LSHR(random, B_INT(random, 32 - shift));
        LLVMValueRef part = LLVMBuildUIToFP(vf->b, up, LLVMTypeOf(x), "");
        scaled = B_FADD(scaled, B_FMUL(part, B_FP(part, is_bf8 ? 0x1p-21 : 0x1p-20)));
        scaled = ls_lower_llvm1(vf, "llvm.floor", scaled);
    } else {
        LLVMValueRef odd = B_AND(B_LSHR(bits, B_INT(bits, shift)), B_INT(bits, 1));
        up = B_ADD(odd, B_INT(bits, (1u << (shift - 1)) - 1));
        scaled = ls_lower_llvm1(vf, "llvm.rint", scaled);
    }
    LLVMValueRef code = B_LSHR(B_ADD(bits, up), B_INT(bits, shift));
    code = B_SUB(code, B_INT(code, (unsigned long long)(low - 1) << (23 - shift)));
    code = B_SEL(small, LLVMBuildFPToUI(vf->b, scaled, words, ""), code);
    LLVMValueRef nan =
        B_OR(B_ICMP(UGE, bits, B_INT(bits, 0x7f800000)), B_ICMP(UGT, code, B_INT(code, 0x7f)));
    LLVMValueRef sign = B_AND(B_LSHR(all, B_INT(all, 24)), B_INT(all, 0x80));
    LLVMValueRef zero = B_ICMP(EQ, code, B_INT(code, 0));
    code = B_SEL(zero, code, B_OR(code, sign));
    return B_SEL(nan, B_INT(code, 0x80), code);
}

/* cvt.f32.*: (word, byte); cvt.pk.f32.*: (word, upper half). */
LLVMValueRef
ls_lower_cvt_from_fp8(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef word = ls_lower_arg(vf, call, 0), comp[2];
    unsigned long long which;

    if (!ls_lower_const_arg(vf, call, 1, &which))
        return NULL;
    unsigned n = data & LS_FP8_PAIR ? 2 : 1,
             from = data & LS_FP8_PAIR ? 16 * (unsigned)(which & 1) : 8 * (unsigned)(which & 3);
    for (unsigned i = 0; i < n; i++)
        comp[i] = ls_lower_build_fp8(vf, B_LSHR(word, B_INT(word, from + 8 * i)), data & LS_BF8);
    return n == 1 ? comp[0] : ls_lower_build_components(vf, call, comp, 2);
}

/* Bits [from, from + bits) of old replaced. */
static LLVMValueRef
put_bits(struct ls_vf *vf, LLVMValueRef old, LLVMValueRef v, unsigned from, unsigned bits)
{
    unsigned long long part = ((1ull << bits) - 1) << from;
    return B_OR(B_AND(old, B_INT(old, ~part)), B_SHL(v, B_INT(v, from)));
}

/* cvt.pk.*.f32: (a, b, old, upper half) */
LLVMValueRef
ls_lower_cvt_pk_fp8(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = to_fp8(vf, ls_lower_arg(vf, call, 0), data == LS_BF8, NULL);
    LLVMValueRef b = to_fp8(vf, ls_lower_arg(vf, call, 1), data == LS_BF8, NULL);
    unsigned long long high;

    if (!ls_lower_const_arg(vf, call, 3, &high))
        return NULL;
    return put_bits(vf, ls_lower_arg(vf, call, 2), B_OR(a, B_SHL(b, B_INT(b, 8))), high ? 16 : 0,
                    16);
}

/* cvt.sr.*.f32: (x, random, old, byte) */
LLVMValueRef
ls_lower_cvt_sr_fp8(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0), random = ls_lower_arg(vf, call, 1);
    unsigned long long byte;

    if (!ls_lower_const_arg(vf, call, 3, &byte))
        return NULL;
    return put_bits(vf, ls_lower_arg(vf, call, 2), to_fp8(vf, x, data == LS_BF8, random),
                    8 * (unsigned)(byte & 3), 8);
}
