/* SPDX-License-Identifier: MIT */
/* Floating-point builtins that are short: reciprocals, classes, exponents, medians, cube maps,
 * packing. */
#include <math.h>

#include "lower/lower_priv.h"

static bool
is_half(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(ls_lanes_elem(type));
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind;
}

static LLVMValueRef
to_f32(struct ls_vf *vf, LLVMValueRef x)
{
    return LLVMBuildFPExt(vf->b, x, ls_lanes_like(LLVMTypeOf(x), vf->f32), "");
}

static LLVMValueRef
from_f32(struct ls_vf *vf, LLVMValueRef x, LLVMTypeRef type)
{
    return LLVMBuildFPTrunc(vf->b, x, type, "");
}

static LLVMValueRef
fma_any(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    return ls_lower_llvm3(vf, "llvm.fma", a, b, c);
}

/* 1/x, correctly rounded. */
LLVMValueRef
ls_lower_rcp(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0), r;
    LLVMTypeRef type = LLVMTypeOf(x);

    if (is_half(type)) {
        LLVMValueRef wide = to_f32(vf, x);
        r = from_f32(vf, B_FDIV(B_FP(wide, 1.0), wide), type);
    } else {
        r = B_FDIV(B_FP(x, 1.0), x);
        ls_lower_copy_flags(call, r);
    }
    if (data == LS_RCP_LEGACY) {
        LLVMValueRef big = ls_lower_llvm2(vf, "llvm.copysign", B_FP(x, 0x1.fffffep127), x);
        r = B_SEL(B_FCMP(OEQ, x, B_FP(x, 0.0)), big, r);
    }
    return r;
}

/* rsq.clamp: 1/sqrt(x) kept among the finite numbers; log.clamp likewise at -infinity */
LLVMValueRef
ls_lower_clamped(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    bool is_double = ls_lanes_bits(LLVMTypeOf(x)) == 64;
    double biggest = is_double ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
    LLVMValueRef r;

    if (data == LS_CLAMPED_LOG)
        r = ls_lower_llvm1(vf, "llvm.log2", x);
    else
        r = B_FDIV(B_FP(x, 1.0), ls_lower_llvm1(vf, "llvm.sqrt", x));
    r = B_SEL(B_FCMP(OGT, r, B_FP(x, biggest)), B_FP(x, biggest), r);
    return B_SEL(B_FCMP(OLT, r, B_FP(x, -biggest)), B_FP(x, -biggest), r);
}

LLVMValueRef
ls_lower_sqrt(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    LLVMTypeRef type = LLVMTypeOf(x);

    (void)data;
    if (is_half(type))
        return from_f32(vf, ls_lower_llvm1(vf, "llvm.sqrt", to_f32(vf, x)), type);
    LLVMValueRef r = ls_lower_llvm1(vf, "llvm.sqrt", x);
    ls_lower_copy_flags(call, r);
    return r;
}

/* Quiets signalling NaNs and nothing else: denormals are kept here. */
LLVMValueRef
ls_lower_canonicalize(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    (void)data;
    return B_FMUL(x, B_FP(x, 1.0));
}

/* x - floor(x), below 1 */
LLVMValueRef
ls_lower_fract(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    unsigned bits = ls_lanes_bits(LLVMTypeOf(x));
    double below_one = bits == 64 ? 0x1.fffffffffffffp-1 : bits == 32 ? 0x1.fffffep-1 : 0x1.ffcp-1;
    LLVMValueRef r = B_FSUB(x, ls_lower_llvm1(vf, "llvm.floor", x));
    (void)data;
    return B_SEL(B_FCMP(OGT, r, B_FP(x, below_one)), B_FP(x, below_one), r);
}

/* ---- Classes: the bits are those of llvm.is.fpclass ---- */

static LLVMValueRef
is_class(struct ls_vf *vf, LLVMValueRef x, unsigned classes)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef args[2] = {x, LLVMConstInt(vf->i32, classes, 0)};
    return ls_vf_llvm(vf, "llvm.is.fpclass", &type, 1, args, 2);
}

LLVMValueRef
ls_lower_class(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0), mask = LLVMGetOperand(call, 1), any = NULL;

    (void)data;
    if (LLVMIsAConstantInt(mask))
        return is_class(vf, x, LLVMConstIntGetZExtValue(mask) & 0x3ff);
    mask = ls_lower_arg(vf, call, 1);
    for (unsigned i = 0; i < 10; i++) {
        LLVMValueRef wanted = B_ICMP(NE, B_AND(mask, B_INT(mask, 1u << i)), B_INT(mask, 0));
        LLVMValueRef hit = B_AND(wanted, is_class(vf, x, 1u << i));
        any = any ? B_OR(any, hit) : hit;
    }
    return any;
}

/* ---- Exponent and mantissa ---- */

struct format {
    unsigned mantissa_bits;
    int bias;
    double smallest_normal;
};

static struct format
format_of(LLVMTypeRef type)
{
    static const struct format single = {23, 127, 0x1p-126}, two = {52, 1023, 0x1p-1022};
    return ls_lanes_bits(type) == 64 ? two : single;
}

/* x = mantissa * 2^exponent with the mantissa in [1, 2), as integers; sign in *mantissa.
 * Meaningless for 0, infinity and NaN, which *special tells. */
static void
decompose(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef *mantissa, LLVMValueRef *exponent,
          LLVMValueRef *special)
{
    LLVMTypeRef type = LLVMTypeOf(x), ints = ls_lanes_int_like(type);
    struct format fmt = format_of(type);
    unsigned long long field = (1ull << (ls_lanes_bits(type) - 1 - fmt.mantissa_bits)) - 1;
    unsigned long long fraction = (1ull << fmt.mantissa_bits) - 1;
    unsigned long long sign = 1ull << (ls_lanes_bits(type) - 1);

    LLVMValueRef magnitude = ls_lower_llvm1(vf, "llvm.fabs", x);
    LLVMValueRef tiny = B_FCMP(OLT, magnitude, B_FP(x, fmt.smallest_normal));
    LLVMValueRef y = B_SEL(tiny, B_FMUL(x, B_FP(x, fmt.mantissa_bits == 23 ? 0x1p24 : 0x1p54)), x);
    LLVMValueRef bits = B_BITCAST(y, ints);
    LLVMValueRef e = B_AND(B_LSHR(bits, B_INT(bits, fmt.mantissa_bits)), B_INT(bits, field));
    LLVMValueRef bias = B_SEL(tiny, B_INT(bits, fmt.bias + (fmt.mantissa_bits == 23 ? 24 : 54)),
                              B_INT(bits, fmt.bias));
    *exponent = B_SUB(e, bias);
    *mantissa = B_OR(B_AND(bits, B_INT(bits, sign | fraction)),
                     B_INT(bits, (unsigned long long)fmt.bias << fmt.mantissa_bits));
    LLVMValueRef finite = B_FCMP(OLT, magnitude, B_FP(x, INFINITY));
    *special = B_OR(B_FCMP(OEQ, x, B_FP(x, 0.0)), B_NOT(finite));
}

void
ls_lower_build_frexp(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef *mantissa,
                     LLVMValueRef *exponent)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef m, e, special;

    if (is_half(type)) {
        ls_lower_build_frexp(vf, to_f32(vf, x), &m, exponent);
        *mantissa = from_f32(vf, m, type);
        return;
    }
    struct format fmt = format_of(type);
    decompose(vf, x, &m, &e, &special);
    m = B_SUB(m, B_INT(m, 1ull << fmt.mantissa_bits)); /* [1/2, 1) */
    *mantissa = B_SEL(special, x, B_BITCAST(m, type));
    *exponent = B_SEL(special, B_INT(e, 0), B_ADD(e, B_INT(e, 1)));
}

/* An integer value in another width, signed. */
static LLVMValueRef
resize(struct ls_vf *vf, LLVMValueRef v, LLVMTypeRef elem)
{
    LLVMTypeRef type = ls_lanes_like(LLVMTypeOf(v), elem);
    unsigned have = ls_lanes_bits(LLVMTypeOf(v)), want = ls_lanes_bits(type);
    return have == want ? v : have > want ? B_TRUNC(v, type) : B_SEXT(v, type);
}

/* frexp.mant or frexp.exp: one of the two results. */
LLVMValueRef
ls_lower_frexp_part(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef mantissa, exponent;

    ls_lower_build_frexp(vf, ls_lower_arg(vf, call, 0), &mantissa, &exponent);
    if (data == LS_FREXP_MANTISSA)
        return mantissa;
    return resize(vf, exponent, ls_lanes_elem(ls_vf_host_type(vf, LLVMTypeOf(call))));
}

/* llvm.frexp: both results, as a struct */
LLVMValueRef
ls_lower_frexp(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMTypeRef pair = ls_vf_host_type(vf, LLVMTypeOf(call));
    LLVMTypeRef exponent_type = ls_lanes_elem(LLVMStructGetTypeAtIndex(pair, 1));
    LLVMValueRef mantissa, exponent;

    (void)data;
    ls_lower_build_frexp(vf, ls_lower_arg(vf, call, 0), &mantissa, &exponent);
    if (!ls_vf_is_uniform(vf, call))
        pair = ls_vf_wide_type(vf, pair);
    LLVMValueRef r = LLVMBuildInsertValue(vf->b, LLVMGetPoison(pair), mantissa, 0, "");
    return LLVMBuildInsertValue(vf->b, r, resize(vf, exponent, exponent_type), 1, "");
}

/* 2^k in the format of `type`; k must be an exponent of its normal numbers. */
static LLVMValueRef
power_of_two(struct ls_vf *vf, LLVMValueRef k, LLVMTypeRef type)
{
    struct format fmt = format_of(type);
    LLVMValueRef biased = B_ADD(k, B_INT(k, fmt.bias));
    return B_BITCAST(B_SHL(biased, B_INT(biased, fmt.mantissa_bits)), type);
}

LLVMValueRef
ls_lower_build_ldexp(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef n)
{
    LLVMTypeRef type = LLVMTypeOf(x), ints = ls_lanes_int_like(type);
    LLVMValueRef mantissa, exponent, special;

    if (is_half(type))
        return from_f32(vf, ls_lower_build_ldexp(vf, to_f32(vf, x), resize(vf, n, vf->i32)), type);
    const struct ls_simd_op *op = ls_lower_op(
        &vf->cc->host.simd->scale[ls_lanes_bits(type) == 64 ? LS_SIMD_F64 : LS_SIMD_F32], type);
    if (op)
        return ls_lower_op_do(vf, op, (LLVMValueRef[]){x, LLVMBuildSIToFP(vf->b, n, type, "")});
    /* m in [1, 2) times 2^e in two steps: the first is exact, the second rounds once, even to a
     * denormal. */
    struct format fmt = format_of(type);
    int highest = fmt.bias + 4, lowest = -(fmt.bias + (int)fmt.mantissa_bits + 4);
    n = resize(vf, n, vf->i32);
    n = ls_lower_llvm2(vf, "llvm.smin", n, B_INT(n, 2 * highest - lowest));
    n = ls_lower_llvm2(vf, "llvm.smax", n, B_INT(n, (long long)(2 * lowest - highest)));
    decompose(vf, x, &mantissa, &exponent, &special);
    LLVMValueRef e = B_ADD(exponent, resize(vf, n, ls_lanes_elem(ints)));
    e = ls_lower_llvm2(vf, "llvm.smin", e, B_INT(e, highest));
    e = ls_lower_llvm2(vf, "llvm.smax", e, B_INT(e, (long long)lowest));
    LLVMValueRef half = B_ASHR(e, B_INT(e, 1));
    LLVMValueRef r = B_FMUL(B_BITCAST(mantissa, type), power_of_two(vf, half, type));
    r = B_FMUL(r, power_of_two(vf, B_SUB(e, half), type));
    return B_SEL(special, B_FADD(x, x), r); /* 0, infinity, NaN: themselves, quiet */
}

/* Where 2^n is a known number, the product is rounded once as well. */
LLVMValueRef
ls_lower_ldexp(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMTypeKind kind = LLVMGetTypeKind(ls_lanes_elem(LLVMTypeOf(call)));
    int64_t n, most = kind == LLVMDoubleTypeKind ? 1023 : kind == LLVMFloatTypeKind ? 127 : -1;

    (void)data;
    if (ls_const_int(LLVMGetOperand(call, 1), &n) && n > -most && n <= most) {
        LLVMValueRef x = ls_lower_arg(vf, call, 0);

        return B_FMUL(x, B_FP(x, ldexp(1, (int)n)));
    }
    return ls_lower_build_ldexp(vf, ls_lower_arg(vf, call, 0), ls_lower_arg(vf, call, 1));
}

/* ---- Median, legacy products, division helpers ---- */

LLVMValueRef
ls_lower_fmed3(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = ls_lower_arg(vf, call, 0), b = ls_lower_arg(vf, call, 1),
                 c = ls_lower_arg(vf, call, 2);
    LLVMValueRef low = ls_lower_llvm2(vf, "llvm.minnum", a, b),
                 high = ls_lower_llvm2(vf, "llvm.maxnum", a, b);
    LLVMValueRef median =
        ls_lower_llvm2(vf, "llvm.maxnum", low, ls_lower_llvm2(vf, "llvm.minnum", high, c));

    (void)data;
    if (LLVMGetFastMathFlags(call) & LLVMFastMathNoNaNs)
        return median;
    LLVMValueRef any_nan = B_OR(B_FCMP(UNO, a, b), B_FCMP(UNO, c, c));
    return B_SEL(any_nan, ls_lower_llvm2(vf, "llvm.minnum", low, c), median);
}

/* 0 times anything is 0. */
LLVMValueRef
ls_lower_legacy_mul(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = ls_lower_arg(vf, call, 0), b = ls_lower_arg(vf, call, 1), zero = B_FP(a, 0.0);
    LLVMValueRef any_zero = B_OR(B_FCMP(OEQ, a, zero), B_FCMP(OEQ, b, zero));

    if (data == LS_LEGACY_MUL)
        return B_SEL(any_zero, zero, B_FMUL(a, b));
    LLVMValueRef c = ls_lower_arg(vf, call, 2);
    return B_SEL(any_zero, B_FADD(c, zero), fma_any(vf, a, b, c));
}

LLVMValueRef
ls_lower_mad_ftz(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef a = ls_lower_arg(vf, call, 0), b = ls_lower_arg(vf, call, 1),
                 c = ls_lower_arg(vf, call, 2);
    (void)data;
    return B_FADD(B_FMUL(a, b), c);
}

/* The trio that AMD's division is made of: div.scale scales nothing and says so, div.fmas is a
 * plain fma, and div.fixup, which gets the operands again, divides. */
LLVMValueRef
ls_lower_division(struct ls_vf *vf, LLVMValueRef call, long data)
{
    if (data == LS_DIV_SCALE) {
        unsigned long long numerator;
        if (!ls_lower_const_arg(vf, call, 2, &numerator))
            return NULL;
        LLVMTypeRef pair = ls_vf_host_type(vf, LLVMTypeOf(call));
        if (!ls_vf_is_uniform(vf, call))
            pair = ls_vf_wide_type(vf, pair);
        LLVMValueRef r = LLVMBuildInsertValue(vf->b, LLVMConstNull(pair),
                                              ls_lower_arg(vf, call, numerator ? 0 : 1), 0, "");
        return r;
    }
    if (data == LS_DIV_FMAS)
        return fma_any(vf, ls_lower_arg(vf, call, 0), ls_lower_arg(vf, call, 1),
                       ls_lower_arg(vf, call, 2));
    if (data == LS_DIV_FIXUP) /* (quotient, denominator, numerator) */
        return B_FDIV(ls_lower_arg(vf, call, 2), ls_lower_arg(vf, call, 1));
    return B_FDIV(ls_lower_arg(vf, call, 0), ls_lower_arg(vf, call, 1));
}

/* ---- 2/pi for the reduction of huge angles ---- */

/* 2/pi after the point, 32 bits a word, most significant first; zeros beyond bit 1201. */
static const unsigned two_over_pi[] = {
#include "lower/two_over_pi.def"
};
#define TWO_OVER_PI_WORDS (sizeof(two_over_pi) / sizeof(two_over_pi[0]))

static LLVMValueRef
two_over_pi_table(struct ls_vf *vf)
{
    static const char name[] = "ls.two_over_pi";
    LLVMValueRef words[TWO_OVER_PI_WORDS], table = LLVMGetNamedGlobal(vf->mod, name);

    if (table)
        return table;
    for (size_t i = 0; i < TWO_OVER_PI_WORDS; i++)
        words[i] = LLVMConstInt(vf->i32, two_over_pi[i], 0);
    table = LLVMAddGlobal(vf->mod, LLVMArrayType2(vf->i32, TWO_OVER_PI_WORDS), name);
    LLVMSetInitializer(table, LLVMConstArray2(vf->i32, words, TWO_OVER_PI_WORDS));
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetAlignment(table, 4);
    return table;
}

/* table[index], as i64; index i32, scalar or vector */
static LLVMValueRef
table_word(struct ls_vf *vf, LLVMValueRef table, LLVMValueRef index, unsigned plus)
{
    LLVMTypeRef type = LLVMTypeOf(index), longs = ls_lanes_like(type, vf->i64);
    LLVMValueRef i = ls_lower_llvm2(vf, "llvm.umin", B_ADD(index, B_INT(index, plus)),
                                    B_INT(index, TWO_OVER_PI_WORDS - 1));
    LLVMValueRef at = LLVMBuildGEP2(vf->b, vf->i32, table, &i, 1, "");
    if (!ls_lanes_length(type))
        return B_ZEXT(LLVMBuildLoad2(vf->b, vf->i32, at, ""), longs);
    LLVMTypeRef over[2] = {type, LLVMTypeOf(at)};
    LLVMTypeRef mask = LLVMVectorType(vf->i1, ls_lanes_length(type));
    LLVMValueRef args[4] = {at, LLVMConstInt(vf->i32, 4, 0), LLVMConstAllOnes(mask),
                            LLVMGetPoison(type)};
    return B_ZEXT(ls_vf_llvm(vf, "llvm.masked.gather", over, 2, args, 4), longs);
}

/* Segment s of 2/pi for the exponent of x: 53 bits from bit 53*s (plus the exponent beyond 1077),
 * scaled. */
LLVMValueRef
ls_lower_trig_preop(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0), segment = ls_lower_arg(vf, call, 1);
    LLVMTypeRef type = LLVMTypeOf(x), longs = ls_lanes_like(type, vf->i64),
                ints = LLVMTypeOf(segment);
    LLVMValueRef table = two_over_pi_table(vf);

    (void)data;
    if (ls_lanes_bits(type) != 64) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s is not supported", ls_lower_callee_name(call));
        return NULL;
    }
    LLVMValueRef bits = B_BITCAST(x, longs);
    LLVMValueRef e = B_TRUNC(B_AND(B_LSHR(bits, B_INT(bits, 52)), B_INT(bits, 0x7ff)), ints);
    LLVMValueRef shift = B_MUL(B_AND(segment, B_INT(segment, 31)), B_INT(segment, 53));
    LLVMValueRef excess = B_SUB(ls_lower_llvm2(vf, "llvm.umax", e, B_INT(e, 1077)), B_INT(e, 1077));
    shift = B_ADD(shift, excess);
    LLVMValueRef word = B_LSHR(shift, B_INT(shift, 5));
    LLVMValueRef by = B_ZEXT(B_AND(shift, B_INT(shift, 31)), longs);
    LLVMValueRef first = table_word(vf, table, word, 0), second = table_word(vf, table, word, 1);
    LLVMValueRef third = B_SHL(table_word(vf, table, word, 2), B_INT(first, 32));
    LLVMValueRef top = B_OR(B_SHL(first, B_INT(first, 32)), second);
    LLVMValueRef raw = ls_lower_llvm3(vf, "llvm.fshl", top, third, by);
    LLVMValueRef value = LLVMBuildUIToFP(vf->b, B_LSHR(raw, B_INT(raw, 11)), type, "");
    LLVMValueRef scale = B_SUB(B_INT(shift, -53ll), shift);
    scale = B_SEL(B_ICMP(UGE, e, B_INT(e, 1968)), B_ADD(scale, B_INT(scale, 128)), scale);
    return ls_lower_build_ldexp(vf, value, scale);
}

/* ---- Cube maps; the major axis times 2 ---- */

LLVMValueRef
ls_lower_cube(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef v[3], a[3], zero, per_axis[3];

    for (unsigned i = 0; i < 3; i++) {
        v[i] = ls_lower_arg(vf, call, i);
        a[i] = ls_lower_llvm1(vf, "llvm.fabs", v[i]);
    }
    zero = B_FP(v[0], 0.0);
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef negative = B_FCMP(OLT, v[i], zero);
        if (data == LS_CUBE_FACE)
            per_axis[i] = B_SEL(negative, B_FP(zero, 2.0 * i + 1), B_FP(zero, 2.0 * i));
        else if (data == LS_CUBE_MAJOR)
            per_axis[i] = B_FMUL(v[i], B_FP(zero, 2.0));
        else if (data == LS_CUBE_S) /* x: z or -z, y: x, z: -x or x */
            per_axis[i] = i == 1   ? v[0]
                          : i == 0 ? B_SEL(negative, v[2], B_FNEG(v[2]))
                                   : B_SEL(negative, B_FNEG(v[0]), v[0]);
        else /* x and z: -y, y: -z or z */
            per_axis[i] = i == 1 ? B_SEL(negative, B_FNEG(v[2]), v[2]) : B_FNEG(v[1]);
    }
    LLVMValueRef z_major = B_AND(B_FCMP(OGE, a[2], a[0]), B_FCMP(OGE, a[2], a[1]));
    LLVMValueRef y_major = B_FCMP(OGE, a[1], a[0]);
    return B_SEL(z_major, per_axis[2], B_SEL(y_major, per_axis[1], per_axis[0]));
}

/* ---- Packing ---- */

/* f32 to f16 towards zero: round to nearest, then one step back where that went up. */
static LLVMValueRef
half_towards_zero(struct ls_vf *vf, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x), halves = ls_lanes_like(type, vf->f16),
                bits = ls_lanes_like(type, vf->i16);
    LLVMValueRef h = LLVMBuildFPTrunc(vf->b, x, halves, "");
    LLVMValueRef back = ls_lower_llvm1(vf, "llvm.fabs", LLVMBuildFPExt(vf->b, h, type, ""));
    LLVMValueRef up = B_FCMP(OGT, back, ls_lower_llvm1(vf, "llvm.fabs", x));
    LLVMValueRef i = B_BITCAST(h, bits);
    return B_BITCAST(B_SUB(i, B_ZEXT(up, bits)), halves);
}

/* Two f32 become a pair. */
LLVMValueRef
ls_lower_cvt_pk(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef comp[2];

    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef x = ls_lower_arg(vf, call, i);
        if (data == LS_PACK_F16) {
            comp[i] = half_towards_zero(vf, x);
            continue;
        }
        double low = data == LS_PACK_NORM_I16 ? -1.0 : 0.0,
               scale = data == LS_PACK_NORM_I16 ? 32767.0 : 65535.0;
        LLVMTypeRef ints = ls_lanes_int_like(LLVMTypeOf(x));
        x = B_SEL(B_FCMP(UNO, x, x), B_FP(x, 0.0), x);
        x = ls_lower_llvm2(vf, "llvm.maxnum", ls_lower_llvm2(vf, "llvm.minnum", x, B_FP(x, 1.0)),
                           B_FP(x, low));
        x = ls_lower_llvm1(vf, "llvm.rint", B_FMUL(x, B_FP(x, scale)));
        comp[i] = B_TRUNC(LLVMBuildFPToSI(vf->b, x, ints, ""), ls_lanes_like(ints, vf->i16));
    }
    return ls_lower_build_components(vf, call, comp, 2);
}

/* (x, byte, old): x as an unsigned byte into one byte of old */
LLVMValueRef
ls_lower_cvt_pk_u8(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0), byte = ls_lower_arg(vf, call, 1);
    LLVMValueRef old = ls_lower_arg(vf, call, 2);

    (void)data;
    x = B_SEL(B_FCMP(UNO, x, x), B_FP(x, 0.0), x);
    x = ls_lower_llvm2(vf, "llvm.minnum", ls_lower_llvm2(vf, "llvm.maxnum", x, B_FP(x, 0.0)),
                       B_FP(x, 255.0));
    LLVMValueRef v =
        LLVMBuildFPToUI(vf->b, ls_lower_llvm1(vf, "llvm.rint", x), LLVMTypeOf(old), "");
    LLVMValueRef shift = B_SHL(B_AND(byte, B_INT(byte, 3)), B_INT(byte, 3));
    LLVMValueRef keep = B_NOT(B_SHL(B_INT(old, 0xff), shift));
    return B_OR(B_AND(old, keep), B_SHL(v, shift));
}

/* a.x*b.x + a.y*b.y + c in f32. Result and addend have 32 or 16 bits; operands f16, or bf16 as such
 * or as i16 */
LLVMValueRef
ls_lower_fdot2(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef c = ls_lower_arg(vf, call, 2), sum;
    LLVMTypeRef type = LLVMTypeOf(c);
    unsigned long long clamp = 0;

    if (LLVMGetNumArgOperands(call) > 3 && !ls_lower_const_arg(vf, call, 3, &clamp))
        return NULL;
    if (LLVMGetTypeKind(ls_lanes_elem(type)) == LLVMIntegerTypeKind) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s is not supported", ls_lower_callee_name(call));
        return NULL;
    }
    sum = data == LS_FDOT_16 ? to_f32(vf, c) : c;
    for (unsigned i = 2; i-- > 0;) {
        LLVMValueRef a = to_f32(vf, ls_lower_arg_component(vf, call, 0, i));
        LLVMValueRef b = to_f32(vf, ls_lower_arg_component(vf, call, 1, i));
        sum = fma_any(vf, a, b, sum);
    }
    if (clamp)
        sum =
            ls_lower_llvm2(vf, "llvm.minnum",
                           ls_lower_llvm2(vf, "llvm.maxnum", sum, B_FP(sum, 0.0)), B_FP(sum, 1.0));
    return data == LS_FDOT_16 ? from_f32(vf, sum, type) : sum;
}

/* ---- Rounding to integers, powers, remainders ---- */

/* lrint, llrint: to nearest even; lround, llround: half away from zero */
LLVMValueRef
ls_lower_round_to_int(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0);
    LLVMTypeRef type = ls_vf_host_type(vf, LLVMTypeOf(call));
    LLVMValueRef r = ls_lower_llvm1(vf, data == LS_ROUND_AWAY ? "llvm.round" : "llvm.rint", x);
    return ls_lower_fp_to_int(vf, r, LLVMGetOperand(call, 0), ls_lanes_elem(type), true);
}

/* x^n by libm's pow: exact enough in double for f32 and f16 */
LLVMValueRef
ls_lower_powi(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef x = ls_lower_arg(vf, call, 0), n = ls_lower_arg(vf, call, 1);
    LLVMTypeRef type = LLVMTypeOf(x), wide = ls_lanes_like(type, vf->f64);

    (void)data;
    if (ls_lanes_length(type) != ls_lanes_length(LLVMTypeOf(n))) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "llvm.powi of a vector is not supported");
        return NULL;
    }
    LLVMValueRef d = type == wide ? x : LLVMBuildFPExt(vf->b, x, wide, "");
    LLVMValueRef r = ls_lower_llvm2(vf, "llvm.pow", d, LLVMBuildSIToFP(vf->b, n, wide, ""));
    return type == wide ? r : LLVMBuildFPTrunc(vf->b, r, type, "");
}

LLVMValueRef
ls_lower_frem(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x);

    if (is_half(type))
        return from_f32(vf, ls_lower_frem(vf, to_f32(vf, x), to_f32(vf, y)), type);
    return LLVMBuildFRem(vf->b, x, y, ""); /* LLVM calls libm's fmod for each lane: exact */
}
