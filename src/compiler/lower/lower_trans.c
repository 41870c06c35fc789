/* SPDX-License-Identifier: MIT */
/* exp, log, sin, cos and reciprocal square root of f32 as straight vector code. On AMD these are
 * instructions, so OCML leans on them; a libm call per lane would be a hundred times slower. Range
 * reduction to a short interval, then a minimax polynomial (fitted for relative error, coefficients
 * rounded to f32); errors stay within 2 ulp, mostly 1. Denormals, infinities and NaN are exact.
 * Everything works on f32 and on vectors of any length; f16 goes through f32. */
#include <math.h>

#include "lower/lower_priv.h"

/* Horner: c[0] + x*(c[1] + x*(...)) */
static LLVMValueRef
poly(struct ls_vf *vf, LLVMValueRef x, const double *c, unsigned n)
{
    LLVMValueRef p = B_FP(x, c[n - 1]);
    for (unsigned i = n - 1; i-- > 0;)
        p = ls_lower_mad(vf, p, x, B_FP(x, c[i]));
    return p;
}

/* Nearest integer of |x| < 2^22 as float; *bits (when asked for) are those of n + 1.5*2^23, whose
 * low bits are n. No conversion: what is not a number stays one. */
static LLVMValueRef
round_small(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef *bits)
{
    LLVMValueRef magic = B_FP(x, 12582912.0);
    LLVMValueRef shifted = B_FADD(x, magic);
    if (bits)
        *bits = B_BITCAST(shifted, ls_lanes_int_like(LLVMTypeOf(x)));
    return B_FSUB(shifted, magic);
}

/* x86 min and max of (bound, x): x when it is NaN */
static LLVMValueRef
at_most(struct ls_vf *vf, LLVMValueRef x, double bound)
{
    return B_SEL(B_FCMP(OGT, x, B_FP(x, bound)), B_FP(x, bound), x);
}

static LLVMValueRef
at_least(struct ls_vf *vf, LLVMValueRef x, double bound)
{
    return B_SEL(B_FCMP(OLT, x, B_FP(x, bound)), B_FP(x, bound), x);
}

/* 2^k for integers -126..127 */
static LLVMValueRef
power_of_two(struct ls_vf *vf, LLVMValueRef k, LLVMTypeRef type)
{
    LLVMValueRef biased = B_ADD(k, B_INT(k, 127));
    return B_BITCAST(B_SHL(biased, B_INT(biased, 23)), type);
}

/* p * 2^n, one rounding; |n| <= 252 as a float and in the low bits of `bits` (round_small). */
static LLVMValueRef
scale(struct ls_vf *vf, LLVMValueRef p, LLVMValueRef n, LLVMValueRef bits)
{
    LLVMTypeRef type = LLVMTypeOf(p);
    const struct ls_simd_op *op = ls_lower_op(&vf->cc->host.simd->scale[LS_SIMD_F32], type);

    if (op)
        return ls_lower_op_do(vf, op, (LLVMValueRef[]){p, n});
    LLVMValueRef k = B_SUB(bits, B_INT(bits, 0x4b400000));
    LLVMValueRef half = B_ASHR(k, B_INT(k, 1));
    LLVMValueRef rest = B_SUB(k, half);
    return B_FMUL(B_FMUL(p, power_of_two(vf, half, type)), power_of_two(vf, rest, type));
}

/* ---- Exponentials ---- */

/* (2^f - 1)/f on [-1/2, 1/2]; (e^f - 1)/f on [-ln2/2, ln2/2] */
static const double exp2_poly[6] = {0.6931472028549909,    0.24022647913641725,
                                    0.055503324712348965,  0.0096184373564656117,
                                    0.0013398874380971041, 0.00015353362183283767};
static const double exp_poly[6] = {1.0,
                                   0.49999994206432875,
                                   0.16666431192625367,
                                   0.041668002438425452,
                                   0.0083741614271167739,
                                   0.0013843646715557277};

LLVMValueRef
ls_lower_build_exp2(struct ls_vf *vf, LLVMValueRef x)
{
    LLVMValueRef bits;

    x = at_least(vf, at_most(vf, x, 160.0), -160.0);
    LLVMValueRef n = round_small(vf, x, &bits);
    LLVMValueRef f = B_FSUB(x, n);
    LLVMValueRef p = ls_lower_mad(vf, f, poly(vf, f, exp2_poly, 6), B_FP(x, 1.0));
    return scale(vf, p, n, bits);
}

/* e^x from n = round(x/ln2) and r = x - n*ln2 in two pieces. For 10^x the pieces are of log10(2)
 * and r is brought to base e. */
static LLVMValueRef
build_exp(struct ls_vf *vf, LLVMValueRef x, bool base_ten)
{
    double limit = base_ten ? 48.0 : 110.0;
    double inverse = base_ten ? M_LN10 / M_LN2 : 1.0 / M_LN2;
    double hi = base_ten ? 0.301025390625 : 0.693359375;
    double lo = (base_ten ? M_LN2 / M_LN10 : M_LN2) - hi;
    LLVMValueRef bits;

    x = at_least(vf, at_most(vf, x, limit), -limit);
    LLVMValueRef n = round_small(vf, B_FMUL(x, B_FP(x, inverse)), &bits);
    LLVMValueRef m = B_FNEG(n);
    LLVMValueRef r = ls_lower_mad(vf, m, B_FP(x, lo), ls_lower_mad(vf, m, B_FP(x, hi), x));
    if (base_ten) { /* r*ln10, with the part that f32's ln10 lacks */
        float ln10 = (float)M_LN10;
        LLVMValueRef low = B_FMUL(r, B_FP(x, M_LN10 - (double)ln10));
        r = ls_lower_mad(vf, r, B_FP(x, ln10), low);
    }
    LLVMValueRef p = ls_lower_mad(vf, r, poly(vf, r, exp_poly, 6), B_FP(x, 1.0));
    return scale(vf, p, n, bits);
}

/* ---- Logarithms ---- */

/* (ln(1 + f) - f)/f^2 for 1 + f in [sqrt(1/2), sqrt(2)] */
static const double log_poly[9] = {
    -0.49999988346462012, 0.33333325692038961,  -0.25001582954689074,
    0.20001973927768548,  -0.16609082703644522, 0.14181825240783217,
    -0.13242987010948118, 0.12904432673215161,  -0.076217790462807835};

enum { LOG_2 = 0, LOG_E, LOG_10 };

static LLVMValueRef
build_log(struct ls_vf *vf, LLVMValueRef x, int base)
{
    /* log_base(e) in two pieces; log_base(2) in two, the first with zeros at its end. */
    static const double unit[3] = {1.0 / M_LN2, 1.0, 1.0 / M_LN10};
    static const double octave[3] = {1.0, M_LN2, M_LN2 / M_LN10};
    static const double octave_hi[3] = {1.0, 0.693359375, 0.301025390625};
    LLVMTypeRef type = LLVMTypeOf(x), ints = ls_lanes_int_like(type);
    double c[9], unit_hi = (double)(float)unit[base], unit_lo = unit[base] - unit_hi;

    for (unsigned i = 0; i < 9; i++)
        c[i] = log_poly[i] * unit[base];
    /* Bring denormals up; then x = (1 + f) * 2^e. */
    LLVMValueRef tiny = B_FCMP(OLT, x, B_FP(x, 0x1p-126));
    LLVMValueRef y = B_SEL(tiny, B_FMUL(x, B_FP(x, 0x1p24)), x);
    LLVMValueRef bits = B_BITCAST(y, ints);
    LLVMValueRef above = B_SUB(bits, B_INT(bits, 0x3f3504f3)); /* sqrt(1/2) */
    LLVMValueRef k = B_ASHR(above, B_INT(bits, 23));
    LLVMValueRef m = B_BITCAST(B_SUB(bits, B_SHL(k, B_INT(bits, 23))), type);
    LLVMValueRef e = LLVMBuildSIToFP(vf->b, k, type, "");
    e = B_SEL(tiny, B_FSUB(e, B_FP(x, 24.0)), e);
    LLVMValueRef f = B_FSUB(m, B_FP(x, 1.0));
    LLVMValueRef low = B_FMUL(B_FMUL(f, f), poly(vf, f, c, 9));
    if (unit_lo != 0)
        low = ls_lower_mad(vf, f, B_FP(x, unit_lo), low);
    if (octave[base] != octave_hi[base])
        low = ls_lower_mad(vf, e, B_FP(x, octave[base] - octave_hi[base]), low);
    LLVMValueRef near = base == LOG_E ? B_FADD(f, low) : ls_lower_mad(vf, f, B_FP(x, unit_hi), low);
    LLVMValueRef result = ls_lower_mad(vf, e, B_FP(x, octave_hi[base]), near);
    /* 0, infinity, negative, NaN */
    LLVMValueRef inf = B_FP(x, INFINITY);
    LLVMValueRef plain = B_AND(B_FCMP(OGT, x, B_FP(x, 0.0)), B_FCMP(OLT, x, inf));
    LLVMValueRef edge = B_SEL(B_FCMP(OEQ, x, inf), inf, B_FP(x, NAN));
    edge = B_SEL(B_FCMP(OEQ, x, B_FP(x, 0.0)), B_FP(x, -INFINITY), edge);
    return B_SEL(plain, result, edge);
}

/* ---- Sine and cosine ---- */

/* Of t in [-1/8, 1/8] turns, u = t^2: (sin(2 pi t)/t - 2 pi)/u and (cos(2 pi t) - 1)/u */
static const double turn_sin_poly[3] = {-41.34167233269231, 81.593766717515247,
                                        -75.445603405797148};
static const double turn_cos_poly[4] = {-19.739208681562701, 64.939321847161776,
                                        -85.443236295312051, 59.229244119645939};
/* Of r in [-pi/4, pi/4], u = r^2: (sin(r)/r - 1)/u and (cos(r) - 1)/u */
static const double sin_poly[3] = {-0.16666654608975111, 0.0083321607247966659,
                                   -0.00019515278059968464};
static const double cos_poly[4] = {-0.49999999694456195, 0.041666620354893949,
                                   -0.0013886681577233992, 2.438356064739874e-05};

/* Puts the two quarter-turn functions together: quadrant in the low two bits of q. */
static LLVMValueRef
quadrant(struct ls_vf *vf, LLVMValueRef q, LLVMValueRef sine, LLVMValueRef cosine, bool want_cos)
{
    LLVMTypeRef type = LLVMTypeOf(sine), ints = LLVMTypeOf(q);

    if (want_cos)
        q = B_ADD(q, B_INT(q, 1));
    LLVMValueRef odd = B_ICMP(NE, B_AND(q, B_INT(q, 1)), B_INT(q, 0));
    LLVMValueRef sign = B_SHL(B_AND(q, B_INT(q, 2)), B_INT(q, 30));
    LLVMValueRef value = B_BITCAST(B_SEL(odd, cosine, sine), ints);
    return B_BITCAST(B_XOR(value, sign), type);
}

/* sin or cos of x turns */
static LLVMValueRef
build_turns(struct ls_vf *vf, LLVMValueRef x, bool want_cos)
{
    const double turn = 2 * M_PI, turn_hi = (double)(float)turn;
    LLVMValueRef q, r = B_FSUB(x, ls_lower_llvm1(vf, "llvm.rint", x));
    LLVMValueRef k = round_small(vf, B_FMUL(r, B_FP(x, 4.0)), &q);
    LLVMValueRef t = B_FSUB(r, B_FMUL(k, B_FP(x, 0.25)));
    LLVMValueRef u = B_FMUL(t, t);
    LLVMValueRef low = ls_lower_mad(vf, B_FMUL(t, u), poly(vf, u, turn_sin_poly, 3),
                                    B_FMUL(t, B_FP(x, turn - turn_hi)));
    LLVMValueRef sine = ls_lower_mad(vf, t, B_FP(x, turn_hi), low);
    LLVMValueRef cosine = ls_lower_mad(vf, u, poly(vf, u, turn_cos_poly, 4), B_FP(x, 1.0));
    return quadrant(vf, q, sine, cosine, want_cos);
}

/* sin or cos of x radians, |x| < 2^30: reduced in double precision */
static LLVMValueRef
build_small_radians(struct ls_vf *vf, LLVMValueRef x, bool want_cos)
{
    LLVMTypeRef type = LLVMTypeOf(x), wide = ls_lanes_like(type, vf->f64);
    LLVMValueRef d = LLVMBuildFPExt(vf->b, x, wide, "");
    LLVMValueRef magic = B_FP(d, 0x1.8p52);
    LLVMValueRef shifted = B_FADD(B_FMUL(d, B_FP(d, M_2_PI)), magic);
    LLVMValueRef n = B_FNEG(B_FSUB(shifted, magic));
    LLVMValueRef r = ls_lower_mad(vf, n, B_FP(d, 0x1.921fb544p+0), d);
    r = ls_lower_mad(vf, n, B_FP(d, 0x1.0b4611a626331p-34), r);
    LLVMValueRef q =
        B_TRUNC(B_BITCAST(shifted, ls_lanes_like(type, vf->i64)), ls_lanes_int_like(type));
    LLVMValueRef t = LLVMBuildFPTrunc(vf->b, r, type, "");
    LLVMValueRef u = B_FMUL(t, t);
    LLVMValueRef sine = ls_lower_mad(vf, B_FMUL(t, u), poly(vf, u, sin_poly, 3), t);
    LLVMValueRef cosine = ls_lower_mad(vf, u, poly(vf, u, cos_poly, 4), B_FP(x, 1.0));
    return quadrant(vf, q, sine, cosine, want_cos);
}

/* Any x: lanes with huge angles, rare, go to libm one by one. */
static LLVMValueRef
build_radians(struct ls_vf *vf, LLVMValueRef x, bool want_cos)
{
    const char *name = want_cos ? "llvm.cos" : "llvm.sin";
    LLVMTypeRef type = LLVMTypeOf(x);
    struct ls_lane_loop loop;

    if (!ls_lanes_length(type))
        return ls_lower_llvm1(vf, name, x);
    LLVMValueRef magnitude = ls_lower_llvm1(vf, "llvm.fabs", x);
    LLVMValueRef huge =
        B_AND(B_FCMP(OGE, magnitude, B_FP(x, 0x1p30)), B_FCMP(OLT, magnitude, B_FP(x, INFINITY)));
    LLVMValueRef result = build_small_radians(vf, B_SEL(huge, B_FP(x, 0.0), x), want_cos);
    if (ls_lanes_length(type) != vf->n_lanes)
        return result; /* not a whole warp (pairs of f16, for instance): a huge angle counts as 0;
                          AMD's result is no better */
    LLVMValueRef slot = ls_vf_temp(vf, type, "radians");
    LLVMBuildStore(vf->b, result, slot);
    if (vf->mask)
        huge = B_SEL(vf->mask, huge, LLVMConstNull(LLVMTypeOf(huge)));
    ls_vf_lanes_begin_mask(vf, huge, &loop);
    LLVMValueRef one = ls_lower_llvm1(vf, name, ls_vf_lane_get(vf, x, loop.lane));
    LLVMBuildStore(vf->b, one, LLVMBuildGEP2(vf->b, vf->f32, slot, &loop.lane, 1, ""));
    ls_vf_lanes_end(vf, &loop);
    return LLVMBuildLoad2(vf->b, type, slot, "");
}

/* ---- Reciprocal square root ---- */

/* y / 2 for an estimate of 1/sqrt(x), whose exponent is far from both ends: by the exponent, as the
 * units that multiply have enough to do. 0 stays 0, and infinity becomes a finite number. */
static LLVMValueRef
halve_estimate(struct ls_vf *vf, LLVMValueRef y)
{
    LLVMTypeRef halves = LLVMVectorType(vf->i16, 2 * LLVMGetVectorSize(LLVMTypeOf(y)));
    LLVMValueRef one = ls_lower_int(ls_lanes_like(LLVMTypeOf(y), vf->i32), 1 << 23);

    return B_BITCAST(
        ls_lower_llvm2(vf, "llvm.usub.sat", B_BITCAST(y, halves), LLVMConstBitCast(one, halves)),
        LLVMTypeOf(y));
}

/* 1/sqrt(x). Of an estimate y of 14 bits, denormals included, one Newton step y + y/2 * e. Where x
 * is 0 or infinity, y is right and e not a number: any finite e does. */
static LLVMValueRef
build_rsqrt(struct ls_vf *vf, LLVMValueRef x)
{
    const struct ls_simd_op *estimate =
        ls_lower_op(&vf->cc->host.simd->rsqrt_estimate, LLVMTypeOf(x));

    if (!estimate)
        return B_FDIV(B_FP(x, 1.0), ls_lower_llvm1(vf, "llvm.sqrt", x));
    LLVMValueRef y = ls_lower_op_do(vf, estimate, &x);
    LLVMValueRef e = ls_lower_mad(vf, B_FNEG(B_FMUL(x, y)), y, B_FP(x, 1.0)); /* 1 - x*y^2 */
    LLVMValueRef most = B_FP(x, 0x1p-12);                                     /* more than any e */
    e = B_SEL(B_FCMP(OLT, e, most), e, most);
    return ls_lower_mad(vf, halve_estimate(vf, y), e, y);
}

/* ---- Rows ---- */

static LLVMValueRef
build_f32(struct ls_vf *vf, LLVMValueRef x, long which)
{
    switch (which) {
    case LS_TRANS_EXP2:
        return ls_lower_build_exp2(vf, x);
    case LS_TRANS_EXP:
        return build_exp(vf, x, false);
    case LS_TRANS_EXP10:
        return build_exp(vf, x, true);
    case LS_TRANS_LOG2:
        return build_log(vf, x, LOG_2);
    case LS_TRANS_LOG:
        return build_log(vf, x, LOG_E);
    case LS_TRANS_LOG10:
        return build_log(vf, x, LOG_10);
    case LS_TRANS_SIN:
        return build_radians(vf, x, false);
    case LS_TRANS_COS:
        return build_radians(vf, x, true);
    case LS_TRANS_TURN_SIN:
        return build_turns(vf, x, false);
    case LS_TRANS_TURN_COS:
        return build_turns(vf, x, true);
    default:
        return build_rsqrt(vf, x);
    }
}

/* ---- OCML's scaling ----
 *
 * AMD's instructions flush denormals, so OCML wraps them: f(c ? x scaled : x), and the result
 * scaled back under the same c. The expansions here need none of that, and f(x) is the same
 * number. */

/* The value `v` of "select c, v, neutral" with constants, else 0. */
static double
scale_of(LLVMValueRef select, double neutral, LLVMValueRef *condition)
{
    LLVMBool lossy;

    if (!LLVMIsASelectInst(select) || !LLVMIsAConstantFP(LLVMGetOperand(select, 1)) ||
        !LLVMIsAConstantFP(LLVMGetOperand(select, 2)) ||
        LLVMConstRealGetDouble(LLVMGetOperand(select, 2), &lossy) != neutral)
        return 0;
    *condition = LLVMGetOperand(select, 0);
    return LLVMConstRealGetDouble(LLVMGetOperand(select, 1), &lossy);
}

/* Splits "a op (select c, v, neutral)", either way round: returns v, 0 when it is something
 * else. */
static double
split_scaled(LLVMValueRef inst, LLVMOpcode op, double neutral, LLVMValueRef *other,
             LLVMValueRef *condition)
{
    if (!LLVMIsAInstruction(inst) || LLVMGetInstructionOpcode(inst) != op)
        return 0;
    for (unsigned i = 0; i < 2; i++) {
        double v = scale_of(LLVMGetOperand(inst, i), neutral, condition);
        *other = LLVMGetOperand(inst, 1 - i);
        if (v != 0 && !(op == LLVMFSub && i == 0))
            return v;
    }
    return 0;
}

LLVMValueRef
ls_lower_unscale(LLVMValueRef call, long which)
{
    LLVMValueRef arg = LLVMGetOperand(call, 0), x, result, before, after;
    LLVMUseRef use = LLVMGetFirstUse(call);
    double in, out;
    bool same;

    if (!use || LLVMGetNextUse(use) ||
        (which != LS_TRANS_RSQRT && which != LS_TRANS_EXP2 && which != LS_TRANS_LOG2))
        return arg;
    LLVMValueRef user = LLVMGetUser(use);
    bool adds = which == LS_TRANS_EXP2, subtracts = which == LS_TRANS_LOG2;
    in = split_scaled(arg, adds ? LLVMFAdd : LLVMFMul, adds ? 0.0 : 1.0, &x, &before);
    out =
        split_scaled(user, subtracts ? LLVMFSub : LLVMFMul, subtracts ? 0.0 : 1.0, &result, &after);
    if (in == 0 || out == 0 || before != after || result != call)
        return arg;
    if (LLVMGetInstructionParent(arg) != LLVMGetInstructionParent(call))
        return arg; /* the value of x in this block need not be known here */
    same = which == LS_TRANS_RSQRT ? out * out == in : adds ? out == exp2(-in) : out == log2(in);
    if (!same)
        return arg;
    LLVMReplaceAllUsesWith(user, call);
    return x;
}

/* f64 has no expansion here: LLVM calls libm for each lane. OCML does its own f64 functions and
 * only the plain builtins end here. Turns become radians. */
static LLVMValueRef
build_f64(struct ls_vf *vf, LLVMValueRef x, long which)
{
    static const char *const names[] = {
        "llvm.exp2",  "llvm.exp", "llvm.exp10", "llvm.log2", "llvm.log",
        "llvm.log10", "llvm.sin", "llvm.cos",   "llvm.sin",  "llvm.cos",
    };
    if (which == LS_TRANS_RSQRT)
        return B_FDIV(B_FP(x, 1.0), ls_lower_llvm1(vf, "llvm.sqrt", x));
    if (which == LS_TRANS_TURN_SIN || which == LS_TRANS_TURN_COS) {
        x = B_FSUB(x, ls_lower_llvm1(vf, "llvm.rint", x));
        x = B_FMUL(x, B_FP(x, 2 * M_PI));
    }
    return ls_lower_llvm1(vf, names[which], x);
}

LLVMValueRef
ls_lower_trans(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef operand = ls_lower_unscale(call, data);
    LLVMValueRef x =
        ls_vf_is_uniform(vf, call) ? ls_vf_scalar(vf, operand) : ls_vf_vector(vf, operand);
    LLVMTypeRef type = LLVMTypeOf(x);

    switch (LLVMGetTypeKind(ls_lanes_elem(type))) {
    case LLVMFloatTypeKind:
        return build_f32(vf, x, data);
    case LLVMDoubleTypeKind:
        return build_f64(vf, x, data);
    default:
        x = LLVMBuildFPExt(vf->b, x, ls_lanes_like(type, vf->f32), "");
        return LLVMBuildFPTrunc(vf->b, build_f32(vf, x, data), type, "");
    }
}
