/* SPDX-License-Identifier: MIT */
/* Floating point to integers as AMD's instructions do it: v_cvt_{i,u}32_{f32,f64} and
 * v_cvt_{i,u}16_f16 clamp to their range and give 0 for NaN; other widths are what stock clang
 * makes of these. x86's instructions give one number for everything that does not fit, so what is
 * known to fit is left to them alone. */
#include <math.h>
#include <string.h>

#include "base/isa.h"
#include "lower/lower_priv.h"

/* ---- What is known of a device value ---- */

struct range {
    double lo, hi;
    bool nan;
};

static const struct range anything = {-INFINITY, INFINITY, true};

static struct range range_of(LLVMValueRef v, unsigned depth);

static double
constant_value(LLVMValueRef c)
{
    LLVMBool loses;

    return LLVMConstRealGetDouble(c, &loses);
}

/* Room for rounding, of a bfloat at worst. Beyond the format's numbers there is infinity, and then
 * NaN. */
static struct range
rounded(LLVMValueRef v, struct range r)
{
    double end = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMHalfTypeKind ? 0x1.ffp15 : 0x1p126;

    r.lo -= fabs(r.lo) * 0x1p-7 + 0x1p-20;
    r.hi += fabs(r.hi) * 0x1p-7 + 0x1p-20;
    return r.lo < -end || r.hi > end ? anything : r;
}

static struct range
range_of_arithmetic(LLVMValueRef v, struct range a, struct range b)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    double p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    struct range r = {0, 0, false};

    if (a.nan || b.nan || isinf(a.lo) || isinf(a.hi) || isinf(b.lo) || isinf(b.hi))
        return anything;
    if (op == LLVMFMul) {
        r.lo = fmin(fmin(p[0], p[1]), fmin(p[2], p[3]));
        r.hi = fmax(fmax(p[0], p[1]), fmax(p[2], p[3]));
    } else {
        r.lo = op == LLVMFAdd ? a.lo + b.lo : a.lo - b.hi;
        r.hi = op == LLVMFAdd ? a.hi + b.hi : a.hi - b.lo;
    }
    return rounded(v, r);
}

/* minnum and maxnum: of a NaN and a number, the number */
static struct range
range_of_extreme(bool is_max, struct range a, struct range b)
{
    struct range r = {fmin(a.lo, b.lo), fmin(a.hi, b.hi), a.nan && b.nan};

    if (is_max) {
        r.lo = fmax(a.lo, b.lo);
        r.hi = fmax(a.hi, b.hi);
    }
    if (a.nan) {
        r.lo = fmin(r.lo, b.lo);
        r.hi = fmax(r.hi, b.hi);
    }
    if (b.nan) {
        r.lo = fmin(r.lo, a.lo);
        r.hi = fmax(r.hi, a.hi);
    }
    return r;
}

/* `x > y ? x : y` and its like, in every spelling: of numbers the extreme, else the one that the
 * test leaves. */
static bool
range_of_choice(LLVMValueRef select, unsigned depth, struct range *r)
{
    LLVMValueRef test = LLVMGetOperand(select, 0), x, y, other, when_unordered;
    LLVMRealPredicate p;
    bool greater, ordered;

    if (!LLVMIsAFCmpInst(test))
        return false;
    p = LLVMGetFCmpPredicate(test);
    ordered = p == LLVMRealOGT || p == LLVMRealOGE || p == LLVMRealOLT || p == LLVMRealOLE;
    greater = p == LLVMRealOGT || p == LLVMRealOGE || p == LLVMRealUGT || p == LLVMRealUGE;
    if (!ordered && !greater && p != LLVMRealULT && p != LLVMRealULE)
        return false;
    x = LLVMGetOperand(select, 1);
    y = LLVMGetOperand(select, 2);
    if (LLVMGetOperand(test, 0) == y && LLVMGetOperand(test, 1) == x)
        greater = !greater;
    else if (LLVMGetOperand(test, 0) != x || LLVMGetOperand(test, 1) != y)
        return false;
    when_unordered = ordered ? y : x;
    other = ordered ? x : y;
    *r = range_of_extreme(greater, range_of(other, depth), range_of(when_unordered, depth));
    r->nan = range_of(when_unordered, depth).nan;
    return true;
}

static struct range
range_of_call(LLVMValueRef call, unsigned depth)
{
    static const char *const to_integer[] = {"llvm.floor.",    "llvm.ceil.",  "llvm.trunc.",
                                             "llvm.rint.",     "llvm.round.", "llvm.nearbyint.",
                                             "llvm.roundeven."};
    size_t bytes;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &bytes) : "";
    struct range r;

    if (!strncmp(name, "llvm.minnum.", 12) || !strncmp(name, "llvm.maxnum.", 12))
        return range_of_extreme(ls_intrin_find(name)->flags & LS_IF_MAX,
                                range_of(LLVMGetOperand(call, 0), depth),
                                range_of(LLVMGetOperand(call, 1), depth));
    if (!strncmp(name, "llvm.amdgcn.fract.", 18))
        return (struct range){0, 1, true};
    if (!strncmp(name, "llvm.fabs.", 10)) {
        r = range_of(LLVMGetOperand(call, 0), depth);
        return (struct range){r.lo > 0 ? r.lo : 0, fmax(fabs(r.lo), fabs(r.hi)), r.nan};
    }
    for (size_t i = 0; i < sizeof(to_integer) / sizeof(to_integer[0]); i++)
        if (!strncmp(name, to_integer[i], strlen(to_integer[i]))) {
            r = range_of(LLVMGetOperand(call, 0), depth);
            return (struct range){r.lo - 1, r.hi + 1, r.nan};
        }
    return anything;
}

static struct range
range_of(LLVMValueRef v, unsigned depth)
{
    struct range a, b;

    if (LLVMIsAConstantFP(v) && isfinite(constant_value(v)))
        return (struct range){constant_value(v), constant_value(v), false};
    if (!LLVMIsAInstruction(v) || depth > 6 || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
        return anything;
    depth++;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMUIToFP:
        return rounded(
            v, (struct range){
                   0, ldexp(1, (int)LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0)))), false});
    case LLVMSIToFP:
        a.hi = ldexp(1, (int)LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) - 1);
        return rounded(v, (struct range){-a.hi, a.hi, false});
    case LLVMFPExt:
        return range_of(LLVMGetOperand(v, 0), depth);
    case LLVMFPTrunc:
        return rounded(v, range_of(LLVMGetOperand(v, 0), depth));
    case LLVMFNeg:
        a = range_of(LLVMGetOperand(v, 0), depth);
        return (struct range){-a.hi, -a.lo, a.nan};
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
        return range_of_arithmetic(v, range_of(LLVMGetOperand(v, 0), depth),
                                   range_of(LLVMGetOperand(v, 1), depth));
    case LLVMSelect:
        if (range_of_choice(v, depth, &a))
            return a;
        a = range_of(LLVMGetOperand(v, 1), depth);
        b = range_of(LLVMGetOperand(v, 2), depth);
        return (struct range){fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.nan || b.nan};
    case LLVMCall:
        return range_of_call(v, depth);
    default:
        return anything;
    }
}

static bool
fits(struct range r, unsigned bits, bool is_signed)
{
    double end = ldexp(1, (int)bits - (is_signed ? 1 : 0));

    return !r.nan && r.lo > (is_signed ? -end : -1) && r.hi < end - 1;
}

/* ---- The machine's conversions to 32 bits ---- */

/* NULL: no instruction, or no whole pieces. */
static const struct ls_simd_op *
instruction_for(struct ls_vf *vf, LLVMTypeRef from, bool is_signed)
{
    const struct ls_simd_ops *simd = vf->cc->host.simd;
    unsigned which = ls_lanes_bits(from) == 64 ? LS_SIMD_F64 : LS_SIMD_F32;
    const struct ls_simd_op *op = is_signed ? &simd->to_signed[which] : &simd->to_unsigned[which];

    return op->piece && ls_lanes_length(from) && ls_lanes_length(from) % op->piece == 0 ? op : NULL;
}

/* Component by component, as pieces are joined in powers of two. */
static LLVMValueRef
convert(struct ls_vf *vf, const struct ls_simd_op *in, LLVMValueRef x)
{
    LLVMValueRef comp[LS_MAX_ELEMENTS];
    unsigned n = ls_lanes_length(LLVMTypeOf(x)), W = vf->n_lanes;

    LS_ASSERT_FITS(n / W, LS_MAX_ELEMENTS);
    if (n <= W || n % W)
        return ls_lower_op_do(vf, in, &x);
    for (unsigned c = 0; c < n / W; c++) {
        LLVMValueRef one = ls_vf_slice(vf, x, c * W, W);
        comp[c] = ls_lower_op_do(vf, in, &one);
    }
    return ls_vf_from_components(vf, comp, n / W);
}

/* minps and maxps give their second operand when the first is NaN. */
static LLVMValueRef
at_least(struct ls_vf *vf, LLVMValueRef x, double low)
{
    return B_SEL(B_FCMP(OGT, x, B_FP(x, low)), x, B_FP(x, low));
}

static LLVMValueRef
at_most(struct ls_vf *vf, LLVMValueRef x, double high)
{
    return B_SEL(B_FCMP(OLT, x, B_FP(x, high)), x, B_FP(x, high));
}

static LLVMValueRef
nan_to_zero(struct ls_vf *vf, LLVMValueRef x)
{
    return B_SEL(B_FCMP(ORD, x, x), x, B_FP(x, 0.0));
}

static LLVMValueRef
to_i32(struct ls_vf *vf, LLVMValueRef x)
{
    const struct ls_simd_op *in = instruction_for(vf, LLVMTypeOf(x), true);
    LLVMTypeRef ints = ls_lanes_like(LLVMTypeOf(x), vf->i32);
    LLVMTypeRef over[2] = {ints, LLVMTypeOf(x)};

    if (ls_lanes_bits(LLVMTypeOf(x)) == 64) {
        if (!ls_lanes_length(LLVMTypeOf(x)))
            return ls_vf_llvm(vf, "llvm.fptosi.sat", over, 2, &x, 1);
        LLVMValueRef y = at_most(vf, nan_to_zero(vf, x), 0x1.fffffffcp30);
        /* Below the range the instruction gives the least number. */
        return in ? convert(vf, in, y) : LLVMBuildFPToSI(vf->b, at_least(vf, y, -0x1p31), ints, "");
    }
    if (!in)
        return ls_vf_llvm(vf, "llvm.fptosi.sat", over, 2, &x, 1);
    /* The least number stands for everything that does not fit: its complement is the largest. */
    LLVMValueRef above = B_FCMP(OGE, x, B_FP(x, 0x1p31)), ordered = B_FCMP(ORD, x, x),
                 r = convert(vf, in, x);
    if (vf->cc->isa->has_masks) /* with mask registers a blend costs nothing, and a mask would have
                                   to become a vector for the complement */
        return B_SEL(above, B_INT(r, INT32_MAX), B_SEL(ordered, r, LLVMConstNull(ints)));
    return B_SEL(ordered, B_XOR(r, B_SEXT(above, ints)), LLVMConstNull(ints));
}

static LLVMValueRef
to_u32(struct ls_vf *vf, LLVMValueRef x)
{
    const struct ls_simd_op *in = instruction_for(vf, LLVMTypeOf(x), false);
    const struct ls_simd_op *as_signed = instruction_for(vf, LLVMTypeOf(x), true);
    LLVMTypeRef ints = ls_lanes_like(LLVMTypeOf(x), vf->i32), over[2] = {ints, LLVMTypeOf(x)};
    bool two = ls_lanes_bits(LLVMTypeOf(x)) == 64;

    if (!ls_lanes_length(LLVMTypeOf(x)) || (!two && !in && !as_signed))
        return ls_vf_llvm(vf, "llvm.fptoui.sat", over, 2, &x, 1);
    LLVMValueRef y = at_least(vf, x, 0.0);
    if (in) /* the instruction gives the largest number for what is above its range */
        return convert(vf, in, y);
    if (two)
        return LLVMBuildFPToUI(vf->b, at_most(vf, y, 0x1.fffffffep31), ints, "");
    /* Below 2^31 one conversion, above a second one with the sign bit of the first. */
    LLVMValueRef small = convert(vf, as_signed, y);
    LLVMValueRef big = convert(vf, as_signed, B_FSUB(y, B_FP(y, 0x1p31)));
    LLVMValueRef r = B_OR(small, B_AND(big, B_ASHR(small, B_INT(small, 31))));
    return B_OR(r, B_SEXT(B_FCMP(OGE, y, B_FP(y, 0x1p32)), ints));
}

/* ---- 16 bits from a half; 64 bits by stock clang's sequences ---- */

/* Of halves only infinity and NaN do not fit into 32 bits. They are recognised by the bits of the
 * f32: a comparison of f32 values that were made from halves would become one of the halves in
 * LLVM, lane by lane. */
static LLVMValueRef
half_to_32(struct ls_vf *vf, LLVMValueRef x, bool is_signed)
{
    LLVMValueRef single = LLVMBuildFPExt(vf->b, x, ls_lanes_like(LLVMTypeOf(x), vf->f32), "");
    const struct ls_simd_op *in = instruction_for(vf, LLVMTypeOf(single), true);

    if (!in)
        return is_signed ? to_i32(vf, single) : to_u32(vf, single);
    LLVMValueRef bits = B_BITCAST(single, ls_lanes_int_like(LLVMTypeOf(single)));
    LLVMValueRef infinite =
        B_SEXT(B_ICMP(SGT, bits, B_INT(bits, 0x477fe000)), LLVMTypeOf(bits)); /* above 65504 */
    LLVMValueRef size = B_AND(bits, B_INT(bits, 0x7fffffff)),
                 r = B_XOR(convert(vf, in, single), infinite);
    if (!is_signed)
        r = B_OR(ls_lower_llvm2(vf, "llvm.smax", r, B_INT(r, 0)), infinite);
    return B_SEL(B_ICMP(SGT, size, B_INT(bits, 0x7f800000)), B_INT(bits, 0), r);
}

static LLVMValueRef
half_to_16(struct ls_vf *vf, LLVMValueRef x, bool is_signed)
{
    LLVMValueRef r = half_to_32(vf, x, true);

    r = ls_lower_llvm2(vf, "llvm.smax", r, B_INT(r, is_signed ? -32768 : 0));
    return ls_lower_llvm2(vf, "llvm.smin", r, B_INT(r, is_signed ? 32767 : 65535));
}

/* High and low half are converted by themselves; of what has no place, the low half remains. The
 * halves are whole numbers, which lie in the last bits of a double behind its point. */
static LLVMValueRef
double_to_64(struct ls_vf *vf, LLVMValueRef x, bool is_signed)
{
    LLVMTypeRef longs = ls_lanes_like(LLVMTypeOf(x), vf->i64);
    LLVMValueRef t = nan_to_zero(vf, ls_lower_llvm1(vf, "llvm.trunc", x));
    LLVMValueRef high = ls_lower_llvm1(vf, "llvm.floor", B_FMUL(t, B_FP(t, 0x1p-32)));
    LLVMValueRef low = at_least(vf, B_FSUB(t, B_FMUL(high, B_FP(t, 0x1p32))), 0.0);

    high = at_least(vf, high, is_signed ? -0x1p31 : 0.0);
    high = at_most(vf, high, is_signed ? 0x1.fffffffcp30 : 0x1.fffffffep31);
    high = B_BITCAST(B_FADD(high, B_FP(t, 0x1.8p52)), longs);
    low = B_BITCAST(B_FADD(low, B_FP(t, 0x1p52)), longs);
    return B_OR(B_SHL(high, B_INT(high, 32)), B_AND(low, B_INT(low, UINT32_MAX)));
}

static LLVMValueRef
single_to_64(struct ls_vf *vf, LLVMValueRef x, bool is_signed)
{
    LLVMTypeRef longs = ls_lanes_like(LLVMTypeOf(x), vf->i64),
                ints = ls_lanes_int_like(LLVMTypeOf(x));
    LLVMValueRef t = ls_lower_llvm1(vf, "llvm.trunc", x),
                 size = is_signed ? ls_lower_llvm1(vf, "llvm.fabs", t) : t;
    LLVMValueRef high = ls_lower_llvm1(vf, "llvm.floor", B_FMUL(size, B_FP(t, 0x1p-32)));
    LLVMValueRef low = to_u32(vf, B_FSUB(size, B_FMUL(high, B_FP(t, 0x1p32))));
    LLVMValueRef r = B_ZEXT(to_u32(vf, high), longs);

    r = B_OR(B_SHL(r, B_INT(r, 32)), B_ZEXT(low, longs));
    if (!is_signed)
        return r;
    LLVMValueRef sign = B_BITCAST(t, ints);
    sign = B_SEXT(B_ASHR(sign, B_INT(sign, 31)), longs);
    return B_SUB(B_XOR(r, sign), sign);
}

typedef LLVMValueRef (*build_fn)(struct ls_vf *vf, LLVMValueRef x, bool is_signed);

/* Where all lanes fit, which is the rule, the host converts. */
static LLVMValueRef
unless_all_fit(struct ls_vf *vf, LLVMValueRef x, bool is_signed, build_fn slowly)
{
    LLVMTypeRef longs = ls_lanes_like(LLVMTypeOf(x), vf->i64);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(vf->b), next = LLVMGetNextBasicBlock(from),
                      block[3], end[2];
    LLVMValueRef v[2], bad, phi;

    if (is_signed)
        bad = B_NOT(B_FCMP(OLT, ls_lower_llvm1(vf, "llvm.fabs", x), B_FP(x, 0x1p63)));
    else
        bad = B_NOT(B_AND(B_FCMP(OGT, x, B_FP(x, -1.0)), B_FCMP(OLT, x, B_FP(x, 0x1p64))));
    bad = B_BITCAST(bad, LLVMIntTypeInContext(vf->llvm, ls_lanes_length(longs)));
    for (unsigned i = 0; i < 3; i++)
        block[i] = next ? LLVMInsertBasicBlockInContext(vf->llvm, next, "fit")
                        : LLVMAppendBasicBlockInContext(vf->llvm, vf->fn, "fit");
    LLVMBuildCondBr(vf->b, B_ICMP(EQ, bad, LLVMConstNull(LLVMTypeOf(bad))), block[0], block[1]);
    vf->nest++;
    for (unsigned i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(vf->b, block[i]);
        v[i] = i ? slowly(vf, x, is_signed)
                 : LLVMBuildCast(vf->b, is_signed ? LLVMFPToSI : LLVMFPToUI, x, longs, "");
        end[i] = LLVMGetInsertBlock(vf->b);
        LLVMBuildBr(vf->b, block[2]);
    }
    vf->nest--;
    LLVMPositionBuilderAtEnd(vf->b, block[2]);
    phi = LLVMBuildPhi(vf->b, longs, "");
    LLVMAddIncoming(phi, v, end, 2);
    return phi;
}

static LLVMValueRef
resized(struct ls_vf *vf, LLVMValueRef v, LLVMTypeRef type, bool is_signed)
{
    unsigned have = ls_lanes_bits(LLVMTypeOf(v)), want = ls_lanes_bits(type);

    return have == want  ? v
           : have > want ? B_TRUNC(v, type)
           : is_signed   ? B_SEXT(v, type)
                         : B_ZEXT(v, type);
}

LLVMValueRef
ls_lower_fp_to_int(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef old, LLVMTypeRef elem,
                   bool is_signed)
{
    LLVMTypeRef type = ls_lanes_like(LLVMTypeOf(x), elem);
    LLVMTypeRef words = ls_lanes_like(type, vf->i32), longs = ls_lanes_like(type, vf->i64);
    unsigned bits = ls_lanes_bits(type);
    LLVMTypeKind kind = LLVMGetTypeKind(ls_lanes_elem(LLVMTypeOf(x)));
    bool is_half = kind == LLVMHalfTypeKind;
    struct range r = old ? range_of(old, 0) : anything;

    if (bits == 1)
        return B_FCMP(OEQ, x, B_FP(x, is_signed ? -1.0 : 1.0));
    if (bits > 64)
        return LLVMBuildCast(vf->b, is_signed ? LLVMFPToSI : LLVMFPToUI, x, type, "");
    if (bits != 16 && bits != 32 && bits != 64)
        is_signed = true;
    if (is_half && bits <= 16 && !fits(r, bits, is_signed))
        return B_TRUNC(half_to_16(vf, x, is_signed), type);
    if (is_half && !fits(r, 32, is_signed))
        return resized(vf, half_to_32(vf, x, is_signed), type, is_signed);
    if (is_half || kind == LLVMBFloatTypeKind)
        x = LLVMBuildFPExt(vf->b, x, ls_lanes_like(type, vf->f32), "");
    if (fits(r, 32, true)) /* every instruction set of x86 has this conversion */
        return resized(vf, LLVMBuildFPToSI(vf->b, x, words, ""), type, true);
    if (fits(r, bits <= 32 ? 32 : 64, is_signed))
        return resized(vf,
                       LLVMBuildCast(vf->b, is_signed ? LLVMFPToSI : LLVMFPToUI, x,
                                     bits <= 32 ? words : longs, ""),
                       type, is_signed);
    if (bits <= 32)
        return resized(vf, is_signed ? to_i32(vf, x) : to_u32(vf, x), type, is_signed);
    build_fn build = kind == LLVMDoubleTypeKind ? double_to_64 : single_to_64;
    x = ls_lanes_length(type) ? unless_all_fit(vf, x, is_signed, build) : build(vf, x, is_signed);
    return resized(vf, x, type, is_signed);
}

/* llvm.fptosi.sat and llvm.fptoui.sat, which inline assembly and conversions of halves become
 * (data: signed). Where AMD's instruction is the same, so is the code; others are LLVM's. */
LLVMValueRef
ls_lower_fp_to_int_sat(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    LLVMTypeRef type =
        ls_lanes_like(LLVMTypeOf(x), ls_lanes_elem(ls_vf_host_type(vf, LLVMTypeOf(call))));
    bool is_half = ls_lanes_bits(LLVMTypeOf(x)) == 16;
    LLVMTypeRef over[2] = {type, LLVMTypeOf(x)};

    if (ls_lanes_bits(type) == 32 || (is_half && ls_lanes_bits(type) == 16))
        return ls_lower_fp_to_int(vf, x, LLVMGetOperand(call, 0), ls_lanes_elem(type),
                                  data == LS_SIGNED);
    return ls_vf_llvm(vf, data == LS_SIGNED ? "llvm.fptosi.sat" : "llvm.fptoui.sat", over, 2, &x,
                      1);
}
