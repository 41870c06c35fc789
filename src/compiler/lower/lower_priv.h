/* SPDX-License-Identifier: MIT */
/* What the lowerings share: operands in the form of their call, constants of any width, lane
 * permutes. */
#ifndef LS_LOWER_PRIV_H
#define LS_LOWER_PRIV_H

#include "intrin/intrinsics.h"
#include "intrin/row_data.h"
#include "lanes/lanes.h"
#include "lanes/simd.h"
#include "lower/lower.h"

/* Lowers one call in the vectoriser. Returns the result: a scalar of the host type when the call is
 * uniform by the shape analysis (ls_vf_is_uniform(vf, call)), else the widened vector; NULL for
 * void. On failure: ls_diag, then NULL. `data` is the row's. */
typedef LLVMValueRef (*ls_lower_fn)(struct ls_vf *vf, LLVMValueRef call, long data);

/* Every lowering named in the table. */
#define LS_ROW(name, shape, flags, lower, data)                                                    \
    LLVMValueRef lower(struct ls_vf *vf, LLVMValueRef call, long data_);
#include "intrin/intrinsics.def"
#undef LS_ROW

/* Short forms of the builder, over a `vf` in scope. */
#define B_ADD(l, r)       LLVMBuildAdd(vf->b, l, r, "")
#define B_SUB(l, r)       LLVMBuildSub(vf->b, l, r, "")
#define B_MUL(l, r)       LLVMBuildMul(vf->b, l, r, "")
#define B_AND(l, r)       LLVMBuildAnd(vf->b, l, r, "")
#define B_OR(l, r)        LLVMBuildOr(vf->b, l, r, "")
#define B_XOR(l, r)       LLVMBuildXor(vf->b, l, r, "")
#define B_SHL(l, r)       LLVMBuildShl(vf->b, l, r, "")
#define B_LSHR(l, r)      LLVMBuildLShr(vf->b, l, r, "")
#define B_ASHR(l, r)      LLVMBuildAShr(vf->b, l, r, "")
#define B_NOT(a)          LLVMBuildNot(vf->b, a, "")
#define B_ICMP(p, l, r)   LLVMBuildICmp(vf->b, LLVMInt##p, l, r, "")
#define B_FCMP(p, l, r)   LLVMBuildFCmp(vf->b, LLVMReal##p, l, r, "")
#define B_SEL(c, l, r)    LLVMBuildSelect(vf->b, c, l, r, "")
#define B_FADD(l, r)      LLVMBuildFAdd(vf->b, l, r, "")
#define B_FSUB(l, r)      LLVMBuildFSub(vf->b, l, r, "")
#define B_FMUL(l, r)      LLVMBuildFMul(vf->b, l, r, "")
#define B_FDIV(l, r)      LLVMBuildFDiv(vf->b, l, r, "")
#define B_FNEG(a)         LLVMBuildFNeg(vf->b, a, "")
#define B_BITCAST(v, t)   LLVMBuildBitCast(vf->b, v, t, "")
#define B_ZEXT(v, t)      LLVMBuildZExt(vf->b, v, t, "")
#define B_SEXT(v, t)      LLVMBuildSExt(vf->b, v, t, "")
#define B_TRUNC(v, t)     LLVMBuildTrunc(vf->b, v, t, "")
#define B_INT(v, n)       ls_lower_int(LLVMTypeOf(v), (unsigned long long)(n))
#define B_FP(v, x)        ls_lower_fp(LLVMTypeOf(v), x)

/* ---- Operands and types (lower_util.c) ---- */

/* Operand i in the form of the call: scalar when the call is uniform, else widened. */
LLVMValueRef ls_lower_arg(struct ls_vf *vf, LLVMValueRef call, unsigned i);
/* Component c of an operand <n x T> in the form of the call: T or <W x T>. And the result from
 * components. */
LLVMValueRef ls_lower_arg_component(struct ls_vf *vf, LLVMValueRef call, unsigned i, unsigned c);
LLVMValueRef ls_lower_build_components(struct ls_vf *vf, LLVMValueRef call, LLVMValueRef *comp,
                                       unsigned n);
/* The result in the form of the call, from its widened form: as it is, or one lane of it when the
 * call is uniform. */
LLVMValueRef ls_lower_finish(struct ls_vf *vf, LLVMValueRef call, LLVMValueRef wide);
/* Value of the constant operand i; false with a diagnostic when it is none. */
bool ls_lower_const_arg(struct ls_vf *vf, LLVMValueRef call, unsigned i, unsigned long long *value);
/* An operand as 64 bits, for services: pointers as generic addresses, floats by bits. */
LLVMValueRef ls_lower_to_slot(struct ls_vf *vf, LLVMValueRef value);
const char *ls_lower_callee_name(LLVMValueRef call);

LLVMValueRef ls_lower_int(LLVMTypeRef type, unsigned long long value); /* scalar or splat */
LLVMValueRef ls_lower_fp(LLVMTypeRef type, double value);
LLVMValueRef ls_lower_splat_to(struct ls_vf *vf, LLVMTypeRef type,
                               LLVMValueRef scalar); /* scalar or vector */

/* LLVM intrinsic overloaded on its first argument's type alone. */
LLVMValueRef ls_lower_llvm1(struct ls_vf *vf, const char *name, LLVMValueRef a);
LLVMValueRef ls_lower_llvm2(struct ls_vf *vf, const char *name, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef ls_lower_llvm3(struct ls_vf *vf, const char *name, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef c);
/* a*b + c: fused where the host does it in one instruction, else two roundings. For expansions
 * only. */
LLVMValueRef ls_lower_mad(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/* The processor's own operation for vectors of this type; NULL: generic code, for there is none, or
 * these are no pieces in a power of two. Applied to a vector of pieces, or to one that is a shorter
 * piece. */
const struct ls_simd_op *ls_lower_op(const struct ls_simd_op *op, LLVMTypeRef type);
LLVMValueRef ls_lower_op_do(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args);

/* Results of a lane loop: an array in memory, one element per lane. */
struct ls_lower_results {
    LLVMValueRef slot;
    LLVMTypeRef elem, stored;
};
void ls_lower_results_begin(struct ls_vf *vf, LLVMTypeRef elem, struct ls_lower_results *r);
void ls_lower_results_set(struct ls_vf *vf, struct ls_lower_results *r, LLVMValueRef lane,
                          LLVMValueRef value);
LLVMValueRef ls_lower_results_end(struct ls_vf *vf, struct ls_lower_results *r);

/* Fast-math flags of one instruction onto another, where both can have them. */
void ls_lower_copy_flags(LLVMValueRef from, LLVMValueRef to);

/* ---- Lanes (lower_warp.c) ---- */

/* result[lane] = src[index[lane] mod W]; src <W x T> or <n*W x T>, index <W x i32>. */
LLVMValueRef ls_lower_permute(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef index);
/* result[lane] = from[lane] >= 0 ? src[from[lane]] : other[lane]; n*W elements by component. */
LLVMValueRef ls_lower_shuffle(struct ls_vf *vf, LLVMValueRef src, LLVMValueRef other,
                              const int *from);
LLVMValueRef ls_lower_const_mask(struct ls_vf *vf, unsigned long long bits); /* <W x i1> */
LLVMValueRef ls_lower_mask_to_bits(struct ls_vf *vf, LLVMValueRef mask);     /* <W x i1> -> i64 */
LLVMValueRef ls_lower_first_lane(struct ls_vf *vf);        /* i32: first active lane */
LLVMValueRef ls_lower_lane_number(struct ls_vf *vf);       /* constant <W x i32> */

/* ---- Arithmetic shared between files ---- */
LLVMValueRef ls_lower_build_ldexp(struct ls_vf *vf, LLVMValueRef x,
                                  LLVMValueRef n); /* n: integers of any width */
void ls_lower_build_frexp(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef *mantissa,
                          LLVMValueRef *exponent);
LLVMValueRef ls_lower_build_exp2(struct ls_vf *vf, LLVMValueRef x); /* f32 */
LLVMValueRef ls_lower_frem(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef y);

/* Formats (lower_fp8.c, lower_matrix.c). Bytes in the low bits of words to f32; bfloat (as such or
 * as i16) to f32 and back. */
LLVMValueRef ls_lower_build_fp8(struct ls_vf *vf, LLVMValueRef byte, bool is_bf8);
LLVMValueRef ls_lower_build_bf16(struct ls_vf *vf, LLVMValueRef x);
LLVMValueRef ls_lower_build_to_bf16(struct ls_vf *vf, LLVMValueRef x);

/* Tests for checkers: lower_check.c, lower_init.c, lower_race.c */
struct ls_check_site;

/* The address of a site in the code's table. */
LLVMValueRef ls_lower_site(struct ls_vf *vf, size_t number);
/* How a group's lanes lie: LS_CHECK_ROW; 0: in no row. */
uint32_t ls_lower_check_row(const struct ls_check_site *site, const struct ls_shape *shape,
                            unsigned g);
/* The place of a group's first lane, i64. */
LLVMValueRef ls_lower_check_first(struct ls_vf *vf, const struct ls_val *val, unsigned g);
/* Tests whether rows of places were written, or notes that they are. *bad: an i1, the access must
 * be looked at; NULL: never. False: such an access can't be tested. */
bool ls_lower_init(struct ls_vf *vf, const struct ls_check_site *site, struct ls_val *val,
                   LLVMValueRef *bad);

/* Whether it is worth to know that all of a block's shared memory was written (lower_full.c). */
bool ls_lower_fills(const struct ls_cc *cc);
/* i1: that is not so, as far as is known. */
LLVMValueRef ls_lower_is_not_full(struct ls_vf *vf);
/* The mark behind this one, which is also of an access to shared memory, and its number; or NULL.
 */
LLVMValueRef ls_lower_next_shared(struct ls_vf *vf, LLVMValueRef call, size_t *number);
/* Whether it stands behind such a mark. */
bool ls_lower_is_later_shared(struct ls_vf *vf, LLVMValueRef call);

/* Goes to `count` where a barrier was but counted there, else to `tell`, with the builder in the
 * first. */
void ls_lower_race_barrier(struct ls_vf *vf, LLVMBasicBlockRef count, LLVMBasicBlockRef tell);
/* i1: a read of words from `first` on, i64, must be told of. */
LLVMValueRef ls_lower_race_reads(struct ls_vf *vf, const struct ls_check_site *site,
                                 LLVMValueRef first, unsigned n_words);

#endif
