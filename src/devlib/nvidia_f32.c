/* SPDX-License-Identifier: MIT */
/* Single precision for NVIDIA's hardware, under OCML's names. Polynomials are minimax, with
 * coefficients chosen among floats. */
#include "nvidia.h"

#define INF __builtin_inff()
#define NAN __builtin_nanf("")

#define LOG2_E     0x1.715476p+0f
#define LOG2_E_LOW 0x1.4ae0cp-26f
#define LN_2       0x1.62e43p-1f
#define LN_2_HIGH  0x1.62e4p-1f      /* products with whole numbers are exact */
#define LN_2_LOW   0x1.7f7d1cp-20f
#define ROUND      0x1.8p+23f        /* a sum with it is a whole number in the lower bits */

/* ---- Logarithms ---- */

/* x as (1 + f) * 2^e, |f| <= 1/3; a positive number. */
LS_INLINE float
fraction(float x, float *e)
{
    bool is_small = x < 0x1p-126f;
    uint32_t bits = bits_of(is_small ? x * 0x1p+23f : x), k;

    k = (bits - 0x3f2aaaabu) & 0xff800000u;
    *e = FMA((float)(int32_t)k, 0x1p-23f, is_small ? -23.0f : 0.0f);
    return of_bits(bits - k) - 1.0f;
}

/* (log(1 + f) - f) / f, |f| <= 1/3 */
LS_INLINE float
log_rest(float f)
{
    float p = -0x1.04ff46p-3f;

    p = FMA(p, f, 0x1.132eb2p-3f);
    p = FMA(p, f, -0x1.f4c812p-4f);
    p = FMA(p, f, 0x1.211abap-3f);
    p = FMA(p, f, -0x1.558a74p-3f);
    p = FMA(p, f, 0x1.99addep-3f);
    p = FMA(p, f, -0x1.ffff74p-3f);
    p = FMA(p, f, 0x1.55554cp-2f);
    return FMA(p, f, -0.5f) * f;
}

/* What is no positive finite number has no logarithm but itself, -inf or NaN. Without a branch, as
 * what is beside it in a program is then done beside it. */
LS_INLINE float
log_or_special(float x, float log)
{
    float special = FMA(x, INF, INF);

    special = x == 0 ? -INF : special;
    return bits_of(x) - 1 < 0x7f7fffffu ? log : special;
}

float
__ocml_log_f32(float x)
{
    float e, f = fraction(x, &e), r = FMA(log_rest(f), f, f);

    r = FMA(e, LN_2, r);
    return log_or_special(x, r);
}

/* e * unit + log(1 + f) * inverse, both factors in two parts; products of e and the first part are
 * exact. */
LS_INLINE float
log_of_base(float x, float unit, float unit_low, float inverse, float inverse_low)
{
    float e, f = fraction(x, &e), rest = log_rest(f) * f, whole = e * unit, r;
    float high = FMA(f, inverse, whole), low = FMA(f, inverse, whole - high);

    low = FMA(f, inverse_low, low);
    low = unit_low == 0 ? low : FMA(e, unit_low, low);
    r = high + FMA(rest, inverse, low);
    return log_or_special(x, r);
}

float
__ocml_log2_f32(float x)
{
    return log_of_base(x, 1.0f, 0.0f, LOG2_E, LOG2_E_LOW);
}

float
__ocml_log10_f32(float x)
{
    return log_of_base(x, 0x1.344p-2f, 0x1.3509f8p-18f, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f);
}

/* f from -1/4 to 1/2: a rounded f costs more where it cancels e. */
float
__ocml_log1p_f32(float x)
{
    uint32_t k = (bits_of(x + 1.0f) - 0x3f400000u) & 0xff800000u;
    float scale = of_bits(0x40800000u - k); /* 4 * 2^-k: that of the largest k has a float */
    float f = of_bits(bits_of(x) - k) + FMA(0.25f, scale, -1.0f), p, r;

    p = -0x1.8506f4p-5f;
    p = FMA(p, f, 0x1.b6b36p-4f);
    p = FMA(p, f, -0x1.0e56ccp-3f);
    p = FMA(p, f, 0x1.27f6dep-3f);
    p = FMA(p, f, -0x1.54cedep-3f);
    p = FMA(p, f, 0x1.996eccp-3f);
    p = FMA(p, f, -0x1.0000bcp-2f);
    p = FMA(p, f, 0x1.55559ap-2f);
    p = FMA(p, f, -0.5f) * f;
    r = FMA(p, f, f);
    r = FMA((float)(int32_t)k, 0x1p-23f * LN_2, r);
    if (!(x > -1.0f && x < INF))
        r = x == -1.0f ? -INF : x < -1.0f ? NAN : x + x;
    return x == 0 ? x : r;
}

/* ---- Exponentials ---- */

/* e^x / 4 for x from 0 to 89.5 */
LS_INLINE float
quarter_exp(float x)
{
    float t = FMA(x, LOG2_E, ROUND), n = t - ROUND, r, p;

    r = FMA(n, -LN_2_HIGH, x);
    r = FMA(n, -LN_2_LOW, r);
    p = 0x1.6d541cp-10f;
    p = FMA(p, r, 0x1.12107ap-7f);
    p = FMA(p, r, 0x1.5554e4p-5f);
    p = FMA(p, r, 0x1.5554d8p-3f);
    p = FMA(p, r, 0.5f);
    p = FMA(p, r, 1.0f);
    p = FMA(p, r, 1.0f);
    return p * of_bits((bits_of(t) << 23) + 0x3e800000u);
}

float
__ocml_sinh_f32(float x)
{
    float a = __builtin_fabsf(x), u = x * x, p, t;

    if (a < 1.0f) {
        p = 0x1.725236p-19f;
        p = FMA(p, u, 0x1.a03554p-13f);
        p = FMA(p, u, 0x1.1110c6p-7f);
        p = FMA(p, u, 0x1.555556p-3f);
        return FMA(p * u, x, x);
    }
    t = quarter_exp(a > 89.5f ? 89.5f : a);
    return __builtin_copysignf(FMA(2.0f, t, -0.125f * ls_nv_rcp(t)), x);
}

float
__ocml_cosh_f32(float x)
{
    float a = __builtin_fabsf(x), t = quarter_exp(a > 89.5f ? 89.5f : a);

    return FMA(2.0f, t, 0.125f * ls_nv_rcp(t));
}

float
__ocml_tanh_f32(float x)
{
    float a = __builtin_fabsf(x), u = x * x, p, large;

    /* both, as lanes of a warp seldom agree */
    large = FMA(-2.0f, ls_nv_rcp(ls_nv_ex2(a * (2 * LOG2_E)) + 1.0f), 1.0f);
    p = 0x1.d17f7ep-10f;
    p = FMA(p, u, -0x1.fc401ap-8f);
    p = FMA(p, u, 0x1.60ccecp-6f);
    p = FMA(p, u, -0x1.b9b81ap-5f);
    p = FMA(p, u, 0x1.110fc6p-3f);
    p = FMA(p, u, -0x1.555554p-2f);
    p = FMA(p * u, x, x);
    return a < 0.8f ? p : __builtin_copysignf(large, x);
}

float
__ocml_exp10_f32(float x)
{
    return __builtin_exp10f(x); /* src/compiler/ptx/arith.c */
}

/* ---- Powers ---- */

/* 2^(high + low) for |high| < 152 */
LS_INLINE float
exp2_pair(float high, float low)
{
    float t = high + ROUND, r = (high - (t - ROUND)) + low, p;
    int32_t n = (int32_t)(bits_of(t) << 9) >> 9, half = n >> 1;

    p = 0x1.de679ep-17f;
    p = FMA(p, r, 0x1.4419dp-13f);
    p = FMA(p, r, 0x1.5da68cp-10f);
    p = FMA(p, r, 0x1.3b2a52p-7f);
    p = FMA(p, r, 0x1.c6b06ep-5f);
    p = FMA(p, r, 0x1.ebfbep-3f);
    p = FMA(p, r, 0x1.62e43p-1f);
    p = FMA(p, r, 1.0f);
    return p * of_bits((uint32_t)(half + 127) << 23) * of_bits((uint32_t)(n - half + 127) << 23);
}

/* x^y for positive finite x and finite y: log2(x) by the series of atanh(f / (2 + f)), in two
 * parts. */
LS_INLINE float
positive_power(float x, float y)
{
    bool is_small = x < 0x1p-126f;
    uint32_t bits = bits_of(is_small ? x * 0x1p+24f : x), k = (bits - 0x3f3504f3u) & 0xff800000u;
    float e = FMA((float)(int32_t)k, 0x1p-23f, is_small ? -24.0f : 0.0f);
    float f = of_bits(bits - k) - 1.0f, r = ls_nv_rcp(f + 2.0f), s = (f + f) * r, u = s * s;
    float rest = r * FMA(-s, f, 2 * (f - s)), u_low, p, p_low, t, high, low, sum, product;

    u_low = FMA(s + s, rest, FMA(s, s, -u));
    p = 0x1.558e18p-11f;
    p = FMA(p, u, 0x1.a5f2a2p-9f);
    p = FMA(p, u, 0x1.2776b2p-6f);
    t = FMA(p, u, 0x1.ec709ep-4f);
    p_low = FMA(p, u, 0x1.ec709ep-4f - t);
    p = t * u; /* its product with s is what the series adds to s */
    p_low = FMA(p_low, u, FMA(t, u_low, FMA(t, u, -p)));
    t = p * s;
    p_low = FMA(p, rest, FMA(p_low, s, FMA(p, s, -t)));
    high = s * LOG2_E;
    low = FMA(s, LOG2_E, -high);
    low = FMA(s, LOG2_E_LOW, low);
    low = FMA(rest, LOG2_E, low) + p_low;
    sum = high + t;
    low += t - (sum - high);
    high = sum;
    sum = e + high;
    low += high - (sum - e);
    high = sum + low;
    low -= high - sum;
    product = y * high;
    low = FMA(y, low, FMA(y, high, -product));
    p = exp2_pair(product, low);
    return __builtin_fabsf(product) < 152.0f ? p : product > 0 ? INF : 0.0f;
}

LS_INLINE float
power(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y), r = positive_power(a, y);
    bool is_whole, is_odd;

    if (bits_of(x) - 1 < 0x7f7fffffu && b < INF)
        return r;
    if (x == 1.0f || y == 0)
        return 1.0f;
    if (!(a <= INF && b <= INF))
        return x + y;
    if (b == INF)
        return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0) ? INF : 0.0f;
    is_whole = __builtin_rintf(y) == y;
    is_odd = is_whole && __builtin_rintf(0.5f * y) != 0.5f * y;
    if (a == 0 || a == INF)
        r = (a == 0) == (y < 0) ? INF : 0.0f;
    else if (!is_whole)
        return NAN;
    return is_odd && bits_of(x) >> 31 ? -r : r;
}

float
__ocml_pow_f32(float x, float y)
{
    return power(x, y);
}

float
__ls_pow_f32(float x, float y)
{
    return power(x, y);
}

/* ---- Roots ---- */

float
__ocml_cbrt_f32(float x)
{
    float a = __builtin_fabsf(x), t, square;
    bool is_small = a < 0x1p-126f;

    a = is_small ? a * 0x1p+24f : a;
    t = ls_nv_ex2(ls_nv_lg2(a) * 0x1.555556p-2f);
    square = t * t;
    t = FMA(FMA(square, t, -a) * ls_nv_rcp(square), -0x1.555556p-2f, t);
    t = __builtin_copysignf(is_small ? t * 0x1p-8f : t, x);
    return x + x == x ? x : t;
}

float
__ocml_hypot_f32(float x, float y)
{
    uint32_t a_bits = bits_of(x) & 0x7fffffffu, b_bits = bits_of(y) & 0x7fffffffu;
    uint32_t high = a_bits > b_bits ? a_bits : b_bits, k = high & 0x7e000000u;
    float scale = of_bits(0x7e800000u - k), a = of_bits(a_bits) * scale,
          b = of_bits(b_bits) * scale, v, r, t;

    v = FMA(a, a, b * b);
    r = ls_nv_rsqrt(v);
    t = v * r;
    t = FMA(FMA(-t, t, v), 0.5f * r, t);
    t = v == 0 ? 0.0f : t * of_bits(k + 0x00800000u);
    if (high >= 0x7f800000u)
        t = a_bits == 0x7f800000u || b_bits == 0x7f800000u ? INF : x + y;
    return t;
}

/* ---- The error function ---- */

float
__ocml_erf_f32(float x)
{
    float a = __builtin_fabsf(x), u = x * x, p;

    if (a < 1.0f) {
        p = 0x1.4c5cb4p-14f;
        p = FMA(p, u, -0x1.a5197ap-11f);
        p = FMA(p, u, 0x1.542fecp-8f);
        p = FMA(p, u, -0x1.b7fec4p-6f);
        p = FMA(p, u, 0x1.ce2d52p-4f);
        p = FMA(p, u, -0x1.81274p-2f);
        p = FMA(p, u, 0x1.06eba8p-3f);
        return FMA(p, x, x);
    }
    a = a > 4.0f ? 4.0f : a;
    p = -0x1.2a4a9ap-12f;
    p = FMA(p, a, 0x1.20e72p-8f);
    p = FMA(p, a, -0x1.07487p-5f);
    p = FMA(p, a, 0x1.336492p-3f);
    p = FMA(p, a, 0x1.d6920ap-1f);
    p = FMA(p, a, 0x1.a082fcp+0f);
    p = FMA(p, a, 0x1.0c8318p-12f);
    return __builtin_copysignf(1.0f - ls_nv_ex2(-p), x);
}
