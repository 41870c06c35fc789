/* SPDX-License-Identifier: MIT */
/* What x86 has instructions for (lanes/simd.h), by instruction set: the only place that names x86's
 * intrinsics for vectors of a warp. */
#include "lanes/simd.h"

#include "base/isa.h"
#include "x86/x86.h"

enum { CURRENT_ROUNDING = 4 }; /* operand of AVX-512's intrinsics: as MXCSR says */

static LLVMValueRef
all_lanes(struct ls_vf *vf, const struct ls_simd_op *op)
{
    return LLVMConstAllOnes(LLVMIntTypeInContext(vf->llvm, op->piece));
}

static LLVMValueRef
emit_plain(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    return ls_vf_llvm(vf, op->name, NULL, 0, args, op->n_args);
}

static LLVMValueRef
emit_scale(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    LLVMValueRef all[5] = {args[0], args[1], LLVMGetPoison(LLVMTypeOf(args[0])), all_lanes(vf, op),
                           LLVMConstInt(vf->i32, CURRENT_ROUNDING, false)};

    return ls_vf_llvm(vf, op->name, NULL, 0, all, 5);
}

static LLVMValueRef
emit_masked_convert(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    LLVMValueRef all[4] = {args[0], LLVMGetPoison(LLVMVectorType(vf->i32, op->piece)),
                           all_lanes(vf, op), LLVMConstInt(vf->i32, CURRENT_ROUNDING, false)};

    return ls_vf_llvm(vf, op->name, NULL, 0, all, 4);
}

static LLVMValueRef
emit_rsqrt_estimate(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    LLVMValueRef all[3] = {args[0], LLVMGetPoison(LLVMTypeOf(args[0])), all_lanes(vf, op)};

    return ls_vf_llvm(vf, op->name, NULL, 0, all, 3);
}

static LLVMValueRef
emit_dot_i16(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(args[0]));
    LLVMTypeRef halves = LLVMVectorType(vf->i16, 2 * n);
    const char *name = n == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                       : n == 8 ? "llvm.x86.avx2.pmadd.wd"
                                : "llvm.x86.sse2.pmadd.wd";
    LLVMValueRef in[2] = {LLVMBuildBitCast(vf->b, args[0], halves, ""),
                          LLVMBuildBitCast(vf->b, args[1], halves, "")};

    LS_ASSERT(n <= op->piece && n >= 4);
    return ls_vf_llvm(vf, name, NULL, 0, in, 2);
}

static LLVMValueRef
emit_dot_u8_s8_i16(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    LLVMTypeRef type = LLVMTypeOf(args[0]), bytes = LLVMVectorType(vf->i8, 4 * op->piece);
    LLVMValueRef in[2] = {LLVMBuildBitCast(vf->b, args[0], bytes, ""),
                          LLVMBuildBitCast(vf->b, args[1], bytes, "")};

    return LLVMBuildBitCast(vf->b, ls_vf_llvm(vf, op->name, NULL, 0, in, 2), type, "");
}

static LLVMValueRef
emit_dot_bf16(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    LLVMTypeRef pairs = LLVMVectorType(LLVMBFloatTypeInContext(vf->llvm), 2 * op->piece);
    LLVMValueRef in[3] = {args[2], LLVMBuildBitCast(vf->b, args[0], pairs, ""),
                          LLVMBuildBitCast(vf->b, args[1], pairs, "")};

    return ls_vf_llvm(vf, op->name, NULL, 0, in, 3);
}

static LLVMValueRef
bit_is_set(struct ls_vf *vf, LLVMValueRef v, unsigned bit)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef all[16];
    unsigned n = LLVMGetVectorSize(type);

    LS_ASSERT_FITS(n, 16);
    for (unsigned i = 0; i < n; i++)
        all[i] = LLVMConstInt(vf->i32, bit, false);
    return LLVMBuildICmp(vf->b, LLVMIntNE, LLVMBuildAnd(vf->b, v, LLVMConstVector(all, n), ""),
                         LLVMConstNull(type), "");
}

/* A table of 32 words in a and b. */
static LLVMValueRef
permute_32(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, LLVMValueRef index)
{
    LLVMValueRef args[3] = {a, index, b};

    return ls_vf_llvm(vf, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
}

static LLVMValueRef
permute_avx512(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index)
{
    LLVMValueRef part[4], out[4];
    unsigned n = vf->n_lanes / 16;

    if (vf->n_lanes < 32)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        part[i] = ls_vf_slice(vf, src, 16 * i, 16);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at = ls_vf_slice(vf, index, 16 * i, 16);

        out[i] = permute_32(vf, part[0], part[1], at); /* looks at five bits of the index */
        if (n == 4) {
            LLVMValueRef high = bit_is_set(vf, at, 32);

            out[i] = LLVMBuildSelect(vf->b, high, permute_32(vf, part[2], part[3], at), out[i], "");
        }
    }
    return ls_vf_concat(vf, out, n);
}

static LLVMValueRef
permute_avx2(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index)
{
    LLVMValueRef out[4];

    if (vf->n_lanes != 32)
        return NULL;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef at = ls_vf_slice(vf, index, 8 * i, 8), r[4];

        for (unsigned p = 0; p < 4; p++) {
            LLVMValueRef args[2] = {ls_vf_slice(vf, src, 8 * p, 8), at}; /* looks at three bits */

            r[p] = ls_vf_llvm(vf, "llvm.x86.avx2.permd", NULL, 0, args, 2);
        }
        LLVMValueRef odd = bit_is_set(vf, at, 8), high = bit_is_set(vf, at, 16);
        LLVMValueRef low = LLVMBuildSelect(vf->b, odd, r[1], r[0], "");

        out[i] = LLVMBuildSelect(vf->b, high, LLVMBuildSelect(vf->b, odd, r[3], r[2], ""), low, "");
    }
    return ls_vf_concat(vf, out, 4);
}

static const struct ls_simd_ops SSE2 = {
    .to_signed[LS_SIMD_F32] = {4, 1, emit_plain, "llvm.x86.sse2.cvttps2dq"},
    .dot_i16 = {4, 2, emit_dot_i16, NULL},
    .many_vectors_call = LLVMX86RegCallCallConv,
};

static const struct ls_simd_ops AVX2 = {
    .to_signed = {{8, 1, emit_plain, "llvm.x86.avx.cvtt.ps2dq.256"},
                  {4, 1, emit_plain, "llvm.x86.avx.cvtt.pd2dq.256"}},
    .dot_i16 = {8, 2, emit_dot_i16, NULL},
    .dot_u8_s8_i16 = {8, 2, emit_dot_u8_s8_i16, "llvm.x86.avx2.pmadd.ub.sw"},
    .many_vectors_call = LLVMX86RegCallCallConv,
    .permute = permute_avx2,
};

static const struct ls_simd_ops AVX512 = {
    .scale = {{16, 2, emit_scale, "llvm.x86.avx512.mask.scalef.ps.512"},
              {8, 2, emit_scale, "llvm.x86.avx512.mask.scalef.pd.512"}},
    .to_signed = {{16, 1, emit_masked_convert, "llvm.x86.avx512.mask.cvttps2dq.512"},
                  {8, 1, emit_masked_convert, "llvm.x86.avx512.mask.cvttpd2dq.512"}},
    .to_unsigned = {{16, 1, emit_masked_convert, "llvm.x86.avx512.mask.cvttps2udq.512"},
                    {8, 1, emit_masked_convert, "llvm.x86.avx512.mask.cvttpd2udq.512"}},
    .rsqrt_estimate = {16, 1, emit_rsqrt_estimate, "llvm.x86.avx512.rsqrt14.ps.512"},
    .dot_i16 = {16, 2, emit_dot_i16, NULL},
    .dot_u8_s8_i16 = {16, 2, emit_dot_u8_s8_i16, "llvm.x86.avx512.pmaddubs.w.512"},
    .many_vectors_call = LLVMX86RegCallCallConv,
    .permute = permute_avx512,
};

const struct ls_simd_ops *
ls_x86_simd_ops(struct ls_cc *cc)
{
    static const struct ls_simd_ops *const by_isa[] = {[LS_ISA_SSE2] = &SSE2,
                                                       [LS_ISA_SSE4] = &SSE2,
                                                       [LS_ISA_AVX2] = &AVX2,
                                                       [LS_ISA_AVX512] = &AVX512};
    struct ls_simd_ops *ops = ls_arena_alloc(cc->arena, sizeof(*ops));

    *ops = *by_isa[cc->isa->id];
    if (cc->isa->id == LS_ISA_SSE4)
        ops->dot_u8_s8_i16 =
            (struct ls_simd_op){4, 2, emit_dot_u8_s8_i16, "llvm.x86.ssse3.pmadd.ub.sw.128"};
    if (ls_host_has_feature(cc, "avx512bf16"))
        ops->dot_bf16 =
            (struct ls_simd_op){16, 3, emit_dot_bf16, "llvm.x86.avx512bf16.dpbf16ps.512"};
    if (cc->isa->id == LS_ISA_AVX512 && ls_host_has_feature(cc, "avx512vnni"))
        ops->dot_u8_s8 =
            (struct ls_simd_op){16, 3, emit_plain, "llvm.x86.avx512.vpdpbusd.512"};
    return ops;
}
