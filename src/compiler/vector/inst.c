/* SPDX-License-Identifier: MIT */
/* Instructions: each in its cheapest form. Uniform ones stay scalar, grouped ones keep a scalar per
 * group, the rest widens. Wide operations carry no flags that would make inactive lanes' garbage
 * poison. */
#include <string.h>

#include "lower/lower_priv.h"
#include "vector/vector_priv.h"

enum {
    MAX_OPERANDS = 4, /* of an instruction that is neither a call, an address nor a branch */
    MAX_EXTENDED = 6, /* of an expression */
};

static LLVMFastMathFlags
safe_fast_math(LLVMValueRef inst)
{
    if (!LLVMCanValueUseFastMathFlags(inst))
        return 0;
    return LLVMGetFastMathFlags(inst) &
           ~(LLVMFastMathFlags)(LLVMFastMathNoNaNs | LLVMFastMathNoInfs);
}

static void
copy_fast_math(LLVMValueRef from, LLVMValueRef to)
{
    LLVMFastMathFlags flags = safe_fast_math(from);

    if (flags && LLVMIsAInstruction(to) && LLVMCanValueUseFastMathFlags(to))
        LLVMSetFastMathFlags(to, flags);
}

/* Reorders the vectors of all lanes from component by component to lane by lane: <n*W x T> either
 * way. */
static LLVMValueRef
to_lane_major(struct ls_vf *vf, LLVMValueRef wide, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];

    LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
    for (unsigned l = 0; l < vf->n_lanes; l++)
        for (unsigned c = 0; c < n; c++)
            index[l * n + c] = LLVMConstInt(vf->i32, c * vf->n_lanes + l, false);
    return LLVMBuildShuffleVector(vf->b, wide, LLVMGetPoison(LLVMTypeOf(wide)),
                                  LLVMConstVector(index, vf->n_lanes * n), "");
}

static LLVMValueRef
from_lane_major(struct ls_vf *vf, LLVMValueRef wide, unsigned n)
{
    LLVMValueRef index[LS_MAX_WIDE];

    LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
    for (unsigned l = 0; l < vf->n_lanes; l++)
        for (unsigned c = 0; c < n; c++)
            index[c * vf->n_lanes + l] = LLVMConstInt(vf->i32, l * n + c, false);
    return LLVMBuildShuffleVector(vf->b, wide, LLVMGetPoison(LLVMTypeOf(wide)),
                                  LLVMConstVector(index, vf->n_lanes * n), "");
}

static unsigned
vector_size(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* A conversion of x, which is widened (`wide`) or a scalar. */
static LLVMValueRef
emit_cast(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef x, bool wide)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0)), to = LLVMTypeOf(inst);
    LLVMTypeRef host = ls_vf_host_type(vf, to), type = wide ? ls_vf_wide_type(vf, host) : host;

    switch (op) {
    case LLVMBitCast: {
        unsigned nf = vector_size(from), nt = vector_size(to);

        if (!wide || nf == nt)
            return LLVMBuildBitCast(vf->b, x, type, "");
        if (nf > 1)
            x = to_lane_major(vf, x, nf);
        LLVMTypeRef elem =
            LLVMGetTypeKind(host) == LLVMVectorTypeKind ? LLVMGetElementType(host) : host;
        x = LLVMBuildBitCast(vf->b, x, LLVMVectorType(elem, nt * vf->n_lanes), "");
        return nt > 1 ? from_lane_major(vf, x, nt) : x;
    }
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr: {
        bool from_ptr = LLVMGetTypeKind(ls_lanes_elem(LLVMTypeOf(x))) == LLVMPointerTypeKind;
        bool to_ptr = LLVMGetTypeKind(ls_lanes_elem(type)) == LLVMPointerTypeKind;

        if (op != LLVMAddrSpaceCast) {
            if (from_ptr)
                return LLVMBuildPtrToInt(vf->b, x, type, "");
            if (to_ptr)
                return LLVMBuildIntToPtr(vf->b, x, type, "");
            return LLVMBuildIntCast2(vf->b, x, type, false, "");
        }
        if (from_ptr == to_ptr)
            return x;
        unsigned as = LLVMGetPointerAddressSpace(ls_lanes_elem(from_ptr ? to : from));
        LLVMValueRef base = as == 3 ? vf->lds : vf->stack_lo;
        LLVMTypeRef i64 = ls_lanes_like(type, vf->i64);
        if (to_ptr) { /* offset to address */
            LLVMValueRef index = LLVMBuildSExt(vf->b, x, i64, "");
            return LLVMBuildGEP2(vf->b, vf->i8, base, &index, 1, "");
        }
        LLVMValueRef a = LLVMBuildPtrToInt(vf->b, x, i64, "");
        LLVMValueRef o = LLVMBuildPtrToInt(vf->b, base, vf->i64, "");
        return LLVMBuildTrunc(vf->b, LLVMBuildSub(vf->b, a, ls_lower_splat_to(vf, i64, o), ""),
                              type, "");
    }
    case LLVMFPToSI:
    case LLVMFPToUI:
        return ls_lower_fp_to_int(vf, x, LLVMGetOperand(inst, 0), ls_lanes_elem(type),
                                  op == LLVMFPToSI);
    default:
        return LLVMBuildCast(vf->b, op, x, type, "");
    }
}

static LLVMValueRef
emit_select(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef *op, bool wide)
{
    LLVMTypeRef cond_type = LLVMTypeOf(LLVMGetOperand(inst, 0));

    if (!wide)
        return LLVMBuildSelect(vf->b, op[0], op[1], op[2], "");
    if (LLVMGetTypeKind(cond_type) == LLVMVectorTypeKind)
        return LLVMBuildSelect(vf->b, op[0], op[1], op[2], "");
    return ls_vf_select(vf, op[0], op[1], op[2]);
}

static LLVMValueRef
emit_extract_element(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef *op, bool wide)
{
    LLVMValueRef old_index = LLVMGetOperand(inst, 1);
    unsigned n = vector_size(LLVMTypeOf(LLVMGetOperand(inst, 0)));

    if (!wide)
        return LLVMBuildExtractElement(vf->b, op[0], op[1], "");
    if (LLVMIsAConstantInt(old_index))
        return ls_vf_component(vf, op[0], (unsigned)LLVMConstIntGetZExtValue(old_index));
    LLVMValueRef out = ls_vf_component(vf, op[0], 0);
    LLVMTypeRef index_type = LLVMGetElementType(LLVMTypeOf(op[1]));
    for (unsigned c = 1; c < n; c++) {
        LLVMValueRef is = LLVMBuildICmp(vf->b, LLVMIntEQ, op[1],
                                        ls_vf_splat(vf, LLVMConstInt(index_type, c, false)), "");
        out = LLVMBuildSelect(vf->b, is, ls_vf_component(vf, op[0], c), out, "");
    }
    return out;
}

static LLVMValueRef
emit_insert_element(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef *op, bool wide)
{
    LLVMValueRef old_index = LLVMGetOperand(inst, 2);
    unsigned n = vector_size(LLVMTypeOf(inst));
    LLVMValueRef comps[LS_MAX_ELEMENTS];

    LS_ASSERT_FITS(n, LS_MAX_ELEMENTS);
    if (!wide)
        return LLVMBuildInsertElement(vf->b, op[0], op[1], op[2], "");
    for (unsigned c = 0; c < n; c++) {
        comps[c] = ls_vf_component(vf, op[0], c);
        if (LLVMIsAConstantInt(old_index)) {
            if (LLVMConstIntGetZExtValue(old_index) == c)
                comps[c] = op[1];
            continue;
        }
        LLVMTypeRef index_type = LLVMGetElementType(LLVMTypeOf(op[2]));
        LLVMValueRef is = LLVMBuildICmp(vf->b, LLVMIntEQ, op[2],
                                        ls_vf_splat(vf, LLVMConstInt(index_type, c, false)), "");
        comps[c] = LLVMBuildSelect(vf->b, is, op[1], comps[c], "");
    }
    return ls_vf_from_components(vf, comps, n);
}

static LLVMValueRef
emit_shuffle(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef *op, bool wide)
{
    unsigned n = LLVMGetNumMaskElements(inst), W = wide ? vf->n_lanes : 1;
    LLVMValueRef *index = ls_arena_alloc(vf->cc->arena, n * W * sizeof(*index));

    for (unsigned c = 0; c < n; c++) {
        int from = LLVMGetMaskValue(inst, c);
        for (unsigned l = 0; l < W; l++)
            index[c * W + l] = from < 0 ? LLVMGetPoison(vf->i32)
                                        : LLVMConstInt(vf->i32, (unsigned)from * W + l, false);
    }
    return LLVMBuildShuffleVector(vf->b, op[0], op[1], LLVMConstVector(index, n * W), "");
}

/* v as a constant of an integer type, or of a vector of integers with v in every element. */
static LLVMValueRef
const_like(struct ls_vf *vf, LLVMTypeRef type, long long v)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, (unsigned long long)v, true);
    unsigned n = LLVMGetVectorSize(type);
    LLVMValueRef *all = ls_arena_alloc(vf->cc->arena, n * sizeof(LLVMValueRef));
    for (unsigned i = 0; i < n; i++)
        all[i] = LLVMConstInt(LLVMGetElementType(type), (unsigned long long)v, true);
    return LLVMConstVector(all, n);
}

/* The value of x / 0 as AMD's code has it. There division is a sequence of instructions: an
 * estimate by a reciprocal, which saturates here, and two corrections upwards; or, up to 16 bits, a
 * conversion, here of infinity. */
static LLVMValueRef
quotient_by_zero(struct ls_vf *vf, LLVMValueRef x, unsigned bits, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(type), two = const_like(vf, type, 2);

    if (bits <= 16)
        return LLVMBuildSExt(
            vf->b, LLVMBuildICmp(vf->b, is_signed ? LLVMIntSGT : LLVMIntNE, x, zero, ""), type, "");
    LLVMValueRef sign =
        is_signed ? LLVMBuildAShr(vf->b, x, const_like(vf, type, bits - 1), "") : zero;
    if (bits <= 32) {
        LLVMValueRef away =
            LLVMBuildAdd(vf->b, x, LLVMBuildOr(vf->b, sign, const_like(vf, type, 1), ""), "");
        return LLVMBuildSelect(vf->b, LLVMBuildICmp(vf->b, LLVMIntEQ, x, zero, ""), two, away, "");
    }
    LLVMValueRef a = LLVMBuildSub(vf->b, LLVMBuildXor(vf->b, x, sign, ""), sign, "");
    LLVMValueRef low = LLVMBuildAnd(vf->b, a, const_like(vf, type, UINT32_MAX), "");
    LLVMValueRef some =
        LLVMBuildSExt(vf->b, LLVMBuildICmp(vf->b, LLVMIntNE, low, zero, ""), type, "");
    LLVMValueRef q =
        LLVMBuildSub(vf->b, a, LLVMBuildLShr(vf->b, a, const_like(vf, type, 32), ""), "");
    q = LLVMBuildAdd(vf->b, LLVMBuildAdd(vf->b, q, some, ""), two, "");
    return LLVMBuildSub(vf->b, LLVMBuildXor(vf->b, q, sign, ""), sign, "");
}

/* Unsigned 32-bit division of vectors has no instruction: by way of doubles it is exact. */
static LLVMValueRef
quotient(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef d, unsigned bits, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(x);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMIsConstant(d) || bits > 32)
        return LLVMBuildBinOp(vf->b, is_signed ? LLVMSDiv : LLVMUDiv, x, d, "");
    LLVMTypeRef dv = LLVMVectorType(vf->f64, LLVMGetVectorSize(type));
    LLVMValueRef fx =
        is_signed ? LLVMBuildSIToFP(vf->b, x, dv, "") : LLVMBuildUIToFP(vf->b, x, dv, "");
    LLVMValueRef fd =
        is_signed ? LLVMBuildSIToFP(vf->b, d, dv, "") : LLVMBuildUIToFP(vf->b, d, dv, "");
    LLVMValueRef fq = LLVMBuildFDiv(vf->b, fx, fd, "");
    return is_signed ? LLVMBuildFPToSI(vf->b, fq, type, "") : LLVMBuildFPToUI(vf->b, fq, type, "");
}

/* Division never traps, as on AMD's hardware: inactive lanes divide garbage, and x / 0 is a number.
 * What is undefined in lanes that are off must be the same number wherever it is looked at: where
 * only one lane's divisor may be undefined, LLVM takes the quotients of all lanes for poison. */
static LLVMValueRef
emit_division(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef x, LLVMValueRef d)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    LLVMTypeRef type = LLVMTypeOf(x), elem = type;
    bool is_signed = op == LLVMSDiv || op == LLVMSRem, is_rem = op == LLVMURem || op == LLVMSRem;
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMValueRef by = LLVMGetOperand(inst, 1), zero, divisor, q;

    if (LLVMIsConstant(by) && !LLVMIsNull(by))
        return LLVMBuildBinOp(vf->b, op, x, d, "");
    if (is_vector)
        elem = LLVMGetElementType(type);
    unsigned bits = LLVMGetIntTypeWidth(elem);
    x = LLVMBuildFreeze(vf->b, x, "");
    d = LLVMBuildFreeze(vf->b, d, "");
    /* Zero divisors become 1 by arithmetic, not by a select: of a constant vector with one zero in
     * it (row numbers, of which the first is masked off) LLVM takes the whole quotient for poison,
     * and a select between poison and 1 for 1. */
    zero = LLVMBuildICmp(vf->b, LLVMIntEQ, d, LLVMConstNull(type), "");
    divisor = LLVMBuildSub(vf->b, d, LLVMBuildSExt(vf->b, zero, type, ""), "");
    /* LLVM's code generator may give two uses of a frozen undefined value different registers, so
     * the comparison above may see another divisor than the division. Beyond 32 bits each lane is a
     * division of its own, which would trap: lanes that are off divide by 1. */
    if (type != LLVMTypeOf(inst) && bits > 32 && vf->mask)
        divisor = ls_vf_select(vf, vf->mask, divisor, const_like(vf, type, 1));
    if (is_signed && bits <= 64) {
        LLVMValueRef min = const_like(vf, type, (long long)(UINT64_MAX << (bits - 1)));
        LLVMValueRef over =
            LLVMBuildAnd(vf->b, LLVMBuildICmp(vf->b, LLVMIntEQ, x, min, ""),
                         LLVMBuildICmp(vf->b, LLVMIntEQ, divisor, LLVMConstAllOnes(type), ""), "");
        divisor = LLVMBuildSelect(vf->b, over, const_like(vf, type, 1), divisor, "");
    }
    if (is_rem && (!is_vector || bits > 32))
        return LLVMBuildSelect(vf->b, zero, x, LLVMBuildBinOp(vf->b, op, x, divisor, ""), "");
    q = quotient(vf, x, divisor, bits, is_signed);
    if (is_rem)
        return LLVMBuildSub(vf->b, x, LLVMBuildMul(vf->b, q, d, ""), "");
    return LLVMBuildSelect(vf->b, zero, quotient_by_zero(vf, x, bits, is_signed), q, "");
}

/* One operation on host operands; `wide` says in which form. Pure operations only. */
static LLVMValueRef
emit_op(struct ls_vf *vf, LLVMValueRef inst, LLVMValueRef *op, bool wide)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    LLVMValueRef out;

    if (LLVMIsABinaryOperator(inst)) {
        switch (opcode) {
        case LLVMUDiv:
        case LLVMSDiv:
        case LLVMURem:
        case LLVMSRem:
            return emit_division(vf, inst, op[0], op[1]);
        case LLVMFRem:
            if (wide)
                return ls_lower_frem(vf, op[0], op[1]);
            break;
        default:
            break;
        }
        out = LLVMBuildBinOp(vf->b, opcode, op[0], op[1], "");
        copy_fast_math(inst, out);
        return out;
    }
    switch (opcode) {
    case LLVMFNeg:
        out = LLVMBuildFNeg(vf->b, op[0], "");
        copy_fast_math(inst, out);
        return out;
    case LLVMICmp:
        return LLVMBuildICmp(vf->b, LLVMGetICmpPredicate(inst), op[0], op[1], "");
    case LLVMFCmp:
        return LLVMBuildFCmp(vf->b, LLVMGetFCmpPredicate(inst), op[0], op[1], "");
    case LLVMSelect:
        return emit_select(vf, inst, op, wide);
    case LLVMExtractElement:
        return emit_extract_element(vf, inst, op, wide);
    case LLVMInsertElement:
        return emit_insert_element(vf, inst, op, wide);
    case LLVMShuffleVector:
        return emit_shuffle(vf, inst, op, wide);
    case LLVMExtractValue:
    case LLVMInsertValue: {
        const unsigned *index = LLVMGetIndices(inst);
        unsigned n = LLVMGetNumIndices(inst);
        bool insert = opcode == LLVMInsertValue;
        LLVMValueRef level[LS_MAX_NESTING + 1];

        LS_ASSERT_FITS(n, LS_MAX_NESTING);
        level[0] = op[0];
        for (unsigned i = 0; i < n - insert; i++)
            level[i + 1] = LLVMBuildExtractValue(vf->b, level[i], index[i], "");
        if (!insert)
            return level[n];
        LLVMValueRef v = op[1];
        for (unsigned i = n; i-- > 0;)
            v = LLVMBuildInsertValue(vf->b, level[i], v, index[i], "");
        return v;
    }
    case LLVMFreeze:
        return LLVMBuildFreeze(vf->b, op[0], "");
    default:
        return emit_cast(vf, inst, op[0], wide);
    }
}

/* ---- GEP ---- */

static LLVMTypeRef
byte_block(struct ls_vf *vf, int64_t stride)
{
    switch (stride) {
    case 1:
        return vf->i8;
    case 2:
        return vf->i16;
    case 4:
        return vf->i32;
    case 8:
        return vf->i64;
    default:
        return stride > 0 ? LLVMArrayType2(vf->i8, (uint64_t)stride) : NULL;
    }
}

static LLVMValueRef
int_to_width(struct ls_vf *vf, LLVMValueRef v, LLVMTypeRef type, bool wide)
{
    return LLVMBuildIntCast2(vf->b, v, wide ? LLVMVectorType(type, vf->n_lanes) : type, true, "");
}

/* Address or offset plus index times stride. */
static LLVMValueRef
add_term(struct ls_vf *vf, LLVMValueRef p, LLVMValueRef index, int64_t stride, bool offset32,
         bool wide)
{
    if (offset32) {
        LLVMValueRef i = int_to_width(vf, index, vf->i32, wide);
        LLVMValueRef k = LLVMConstInt(vf->i32, (uint64_t)stride, true);
        return LLVMBuildAdd(vf->b, p, LLVMBuildMul(vf->b, i, wide ? ls_vf_splat(vf, k) : k, ""),
                            "");
    }
    LLVMValueRef i = int_to_width(vf, index, vf->i64, wide);
    LLVMTypeRef elem = byte_block(vf, stride);
    if (!elem) {
        LLVMValueRef k = LLVMConstInt(vf->i64, (uint64_t)stride, true);
        i = LLVMBuildMul(vf->b, i, wide ? ls_vf_splat(vf, k) : k, "");
        elem = vf->i8;
    }
    return LLVMBuildGEP2(vf->b, elem, p, &i, 1, "");
}

/* Widened GEP: uniform terms go into a scalar base first, so that gathers see base plus vector
 * index. */
static LLVMValueRef
wide_gep(struct ls_vf *vf, LLVMValueRef inst)
{
    struct ls_gep_term terms[LS_MAX_GEP_TERMS];
    unsigned n = ls_gep_terms(vf->cc, inst, terms, LS_MAX_GEP_TERMS);
    LLVMValueRef old_base = LLVMGetOperand(inst, 0);
    bool uniform = ls_vf_is_uniform(vf, old_base);
    LLVMValueRef p = uniform ? ls_vf_scalar(vf, old_base) : ls_vf_vector(vf, old_base);
    LLVMTypeRef host = ls_vf_host_type(vf, LLVMTypeOf(inst));
    bool offset32 = LLVMGetTypeKind(host) == LLVMIntegerTypeKind;

    if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind) {
        ls_diag(vf->cc, LS_DIAG_ERROR, inst, "address of a vector of pointers is not lowered yet");
        vf->failed = true;
        return LLVMGetPoison(ls_vf_wide_type(vf, host));
    }
    if (uniform) {
        for (unsigned i = 0; i + 1 < n; i++)
            if (ls_vf_is_uniform(vf, terms[i].index))
                p = add_term(vf, p, ls_vf_scalar(vf, terms[i].index), terms[i].stride, offset32,
                             false);
        p = ls_vector_add_bytes(vf, p, terms[n - 1].stride, offset32);
        if (offset32)
            p = ls_vf_splat(vf, p);
    }
    for (unsigned i = 0; i + 1 < n; i++)
        if (!uniform || !ls_vf_is_uniform(vf, terms[i].index))
            p = add_term(vf, p, ls_vf_vector(vf, terms[i].index), terms[i].stride, offset32, true);
    if (!uniform)
        p = ls_vector_add_bytes(vf, p, terms[n - 1].stride, offset32);
    if (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMVectorTypeKind)
        p = ls_vf_splat(vf, p);
    return p;
}

LLVMValueRef
ls_vector_wide_op(struct ls_vf *vf, LLVMValueRef inst)
{
    LLVMValueRef op[MAX_OPERANDS];
    unsigned n = (unsigned)LLVMGetNumOperands(inst);

    if (LLVMGetInstructionOpcode(inst) == LLVMGetElementPtr)
        return wide_gep(vf, inst);
    if (LLVMIsACallInst(inst))
        return ls_vector_lower_call(vf, inst);
    LS_ASSERT_FITS(n, MAX_OPERANDS);
    for (unsigned i = 0; i < n; i++)
        op[i] = ls_vf_vector(vf, LLVMGetOperand(inst, i));
    return emit_op(vf, inst, op, true);
}

/* ---- Grouped values ---- */

static LLVMValueRef
grouped_gep(struct ls_vf *vf, LLVMValueRef inst, unsigned group, unsigned g)
{
    struct ls_gep_term terms[LS_MAX_GEP_TERMS];
    unsigned n = ls_gep_terms(vf->cc, inst, terms, LS_MAX_GEP_TERMS);
    LLVMValueRef p = ls_vector_group_base(vf, LLVMGetOperand(inst, 0), group, g);
    bool offset32 = LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMIntegerTypeKind;

    for (unsigned i = 0; i + 1 < n; i++)
        p = add_term(vf, p, ls_vector_group_base(vf, terms[i].index, group, g), terms[i].stride,
                     offset32, false);
    return ls_vector_add_bytes(vf, p, terms[n - 1].stride, offset32);
}

/* Group g's first lane of a number, extended to 64 bits by its sign: in sums and products that do
 * not wrap, the operands are extended, so that all that an address is counted from can be joined
 * with it. Of lanes that are off the sum may have wrapped, of those that are on it is exact: base
 * plus offset then, too. NULL: it is not known to be exact. */
static LLVMValueRef
extended_base(struct ls_vf *vf, LLVMBasicBlockRef bb, LLVMValueRef v, unsigned group, unsigned g,
              unsigned depth)
{
    bool here = LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == bb; /* operands are known */
    LLVMOpcode op = here && depth > 0 ? LLVMGetInstructionOpcode(v) : (LLVMOpcode)0;
    const struct ls_shape *shape = ls_vf_val(vf, v)->shape;
    LLVMValueRef a, b;

    if (shape->kind != LS_SHAPE_GROUPED || shape->assumed || (shape->offset && !shape->nsw))
        return NULL;
    if (((op == LLVMAdd || op == LLVMSub || op == LLVMMul) && LLVMGetNSW(v)) ||
        (op == LLVMOr && LLVMGetIsDisjoint(v))) {
        a = extended_base(vf, bb, LLVMGetOperand(v, 0), group, g, depth - 1);
        b = a ? extended_base(vf, bb, LLVMGetOperand(v, 1), group, g, depth - 1) : NULL;
        if (b && op == LLVMMul)
            return LLVMBuildMul(vf->b, a, b, "");
        if (b)
            return op == LLVMSub ? LLVMBuildSub(vf->b, a, b, "") : LLVMBuildAdd(vf->b, a, b, "");
    }
    return LLVMBuildSExt(vf->b, ls_vector_group_base(vf, v, group, g), vf->i64, "");
}

static LLVMValueRef
grouped_base(struct ls_vf *vf, LLVMValueRef inst, unsigned group, unsigned g)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    LLVMValueRef op[MAX_OPERANDS];
    unsigned n = (unsigned)LLVMGetNumOperands(inst);

    if (opcode == LLVMGetElementPtr)
        return grouped_gep(vf, inst, group, g);
    if (opcode == LLVMSelect) {
        op[0] = ls_vf_scalar(vf, LLVMGetOperand(inst, 0));
        op[1] = ls_vector_group_base(vf, LLVMGetOperand(inst, 1), group, g);
        op[2] = ls_vector_group_base(vf, LLVMGetOperand(inst, 2), group, g);
        return LLVMBuildSelect(vf->b, op[0], op[1], op[2], "");
    }
    if (opcode == LLVMSExt && LLVMTypeOf(inst) == vf->i64 &&
        LLVMTypeOf(LLVMGetOperand(inst, 0)) == vf->i32) {
        op[0] = extended_base(vf, LLVMGetInstructionParent(inst), LLVMGetOperand(inst, 0), group, g,
                              MAX_EXTENDED);
        if (op[0])
            return op[0];
    }
    LS_ASSERT_FITS(n, MAX_OPERANDS);
    for (unsigned i = 0; i < n; i++)
        op[i] = ls_vector_group_base(vf, LLVMGetOperand(inst, i), group, g);
    if (opcode == LLVMOr &&
        LLVMGetIsDisjoint(inst)) /* the shape treats it as a sum; in lane 0, if it is off, the
                                    operands may not be disjoint */
        return LLVMBuildAdd(vf->b, op[0], op[1], "");
    if (opcode == LLVMZExt &&
        LLVMGetNNeg(inst)) /* inactive lanes may be negative: see shape_cast */
        return LLVMBuildSExt(vf->b, op[0], ls_vf_host_type(vf, LLVMTypeOf(inst)), "");
    return emit_op(vf, inst, op, false);
}

static void
define_grouped(struct ls_vf *vf, LLVMValueRef inst)
{
    struct ls_val *val = ls_arena_alloc(vf->cc->arena, sizeof(*val));
    struct ls_shape *shape = ls_arena_alloc(vf->cc->arena, sizeof(*shape));

    *shape = *ls_shape_of(vf->shapes, inst);
    val->shape = shape;
    val->host_type = ls_vf_host_type(vf, LLVMTypeOf(inst));
    val->inst = inst;
    for (unsigned g = 0; g < vf->n_lanes / shape->group; g++)
        val->base[g] = grouped_base(vf, inst, shape->group, g);
    if (shape->assumed)
        val->ok = ls_vector_assumption(vf, inst, shape);
    ls_vf_define(vf, inst, val);
}

static void
define_uniform(struct ls_vf *vf, LLVMValueRef inst)
{
    LLVMValueRef op[MAX_OPERANDS], out;
    unsigned n = (unsigned)LLVMGetNumOperands(inst);

    if (LLVMGetInstructionOpcode(inst) == LLVMGetElementPtr) {
        out = grouped_gep(vf, inst, vf->n_lanes, 0);
    } else {
        bool all = true;

        LS_ASSERT_FITS(n, MAX_OPERANDS);
        for (unsigned i = 0; i < n; i++)
            all &= ls_vf_is_uniform(vf, LLVMGetOperand(inst, i));
        for (unsigned i = 0; i < n; i++)
            op[i] = all ? ls_vf_scalar(vf, LLVMGetOperand(inst, i))
                        : ls_vector_group_base(vf, LLVMGetOperand(inst, i), vf->n_lanes, 0);
        out = emit_op(vf, inst, op, false);
        /* The flags hold for the scalar, as it stands for all active lanes, and at least one lane
         * is active. */
        if (all && LLVMIsAInstruction(out)) {
            switch (LLVMGetInstructionOpcode(inst)) {
            case LLVMAdd:
            case LLVMSub:
            case LLVMMul:
            case LLVMShl:
                if (LLVMIsABinaryOperator(out)) {
                    LLVMSetNSW(out, LLVMGetNSW(inst));
                    LLVMSetNUW(out, LLVMGetNUW(inst));
                }
                break;
            default:
                break;
            }
        }
    }
    ls_vf_define_result(vf, inst, out);
}

static void
define_pure(struct ls_vf *vf, LLVMValueRef inst)
{
    const struct ls_shape *shape = ls_shape_of(vf->shapes, inst);

    if (shape->kind == LS_SHAPE_NONE || ls_shape_is_uniform(shape))
        define_uniform(vf, inst);
    else if (shape->kind == LS_SHAPE_GROUPED)
        define_grouped(vf, inst);
    else
        ls_vf_define_result(vf, inst, ls_vector_wide_op(vf, inst));
}

bool
ls_vector_inst(struct ls_vf *vf, LLVMValueRef inst)
{
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVoidTypeKind;
    LLVMValueRef out;

    ls_vector_note_accesses(vf, inst);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAlloca:
        ls_vf_alloca(vf, inst);
        return !vf->failed;
    case LLVMLoad:
        ls_vf_define_result(vf, inst, ls_vf_load(vf, inst));
        return !vf->failed;
    case LLVMStore:
        ls_vf_store(vf, inst);
        return !vf->failed;
    case LLVMAtomicRMW:
        out = ls_lower_atomicrmw(vf, inst);
        if (out)
            ls_vf_define_result(vf, inst, out);
        return !vf->failed;
    case LLVMAtomicCmpXchg:
        out = ls_lower_cmpxchg(vf, inst);
        if (out)
            ls_vf_define_result(vf, inst, out);
        return !vf->failed;
    case LLVMFence:
        ls_lower_fence(vf, inst);
        return !vf->failed;
    case LLVMCall:
        out = ls_vector_call(vf, inst);
        if (vf->failed || vf->cc->n_errors)
            return false;
        if (!is_void && !out && LLVMGetFirstUse(inst) && !ls_ptrmap_get(&vf->vals, inst)) {
            ls_diag(vf->cc, LS_DIAG_ERROR, inst, "call has no lowering");
            return false;
        }
        if (!is_void && out)
            ls_vf_define_result(vf, inst, out);
        return true;
    case LLVMVAArg:
    case LLVMInvoke:
    case LLVMLandingPad:
    case LLVMResume:
        ls_diag(vf->cc, LS_DIAG_ERROR, inst,
                "exceptions and variable arguments are not part of device code");
        return false;
    default:
        define_pure(vf, inst);
        return !vf->failed;
    }
}
