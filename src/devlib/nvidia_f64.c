/* SPDX-License-Identifier: MIT */
/* Double precision for NVIDIA's hardware, under OCML's names. Polynomials are minimax, with
 * coefficients chosen among doubles. */
#include "nvidia.h"

#define INF __builtin_inf()
#define NAN __builtin_nan("")

#define LOG2_E     0x1.71547652b82fep+0
#define LOG2_E_LOW 0x1.777d0ffda0d24p-56
#define LN_2       0x1.62e42fefa39efp-1
#define LN_2_HIGH  0x1.62e42fefa38p-1   /* products with exponents are exact */
#define LN_2_REST  0x1.ef35793c7673p-45
#define LN_2_LOW   0x1.abc9e3b39803fp-56 /* behind LN_2 */
#define ROUND      0x1.8p+52            /* a sum with it is a whole number in the lower bits */

/* ---- Quotients and roots from the hardware's first 20 bits ---- */

LS_INLINE double
reciprocal(double x)
{
    double r = ls_nv_rcp64(x), e = FMA(-x, r, 1.0);

    return FMA(r, FMA(e, e, e), r);
}

/* 1 / sqrt(x) for an x whose exponent is near 0 */
LS_INLINE double
inverse_root(double x)
{
    double r = ls_nv_rsqrt64(x), e = FMA(-x, r * r, 1.0);

    return FMA(FMA(e, 0.375, 0.5), e * r, r);
}

double
__ocml_rsqrt_f64(double x)
{
    uint32_t high = (uint32_t)(bits_of64(x) >> 32);

    if (high - 0x00100000u < 0x7fe00000u)
        return inverse_root(x);
    if (x == INF)
        return 0.0;
    if (x == 0)
        return __builtin_copysign(INF, x);
    if (!(x > 0))
        return NAN;
    return inverse_root(x * 0x1p+54) * 0x1p+27;
}

double
__ocml_cbrt_f64(double x)
{
    uint64_t bits = bits_of64(x) & 0x7fffffffffffffffull;
    bool is_small = bits < 0x0010000000000000ull;
    double m, t, square, inverse, d;
    int32_t e;

    if (bits - 1 >= 0x7fefffffffffffffull)
        return x + x;
    if (is_small)
        bits = bits_of64(of_bits64(bits) * 0x1p+54);
    e = ((int32_t)(bits >> 52) - 1023) * 0x5556 >> 16; /* a third, rounded down */
    m = of_bits64(bits - ((uint64_t)(uint32_t)(3 * e) << 52));
    t = (double)ls_nv_ex2(ls_nv_lg2((float)m) * 0x1.555556p-2f);
    square = t * t; /* exact */
    inverse = ls_nv_rcp64(3.0 * square);
    inverse = FMA(inverse, FMA(-3.0 * square, inverse, 1.0), inverse);
    d = FMA(square, t, -m) * inverse;
    t -= FMA(3.0 * t * inverse * d, d, d);
    t = of_bits64(bits_of64(t) + ((uint64_t)(uint32_t)(is_small ? e - 18 : e) << 52));
    return __builtin_copysign(t, x);
}

double
__ocml_hypot_f64(double x, double y)
{
    uint64_t a = bits_of64(x) & 0x7fffffffffffffffull, b = bits_of64(y) & 0x7fffffffffffffffull;
    uint64_t high = a > b ? a : b, low = a > b ? b : a, k = high & 0x7fc0000000000000ull;
    double scale, v, r, t, u;

    if (high >= 0x7ff0000000000000ull)
        return a == 0x7ff0000000000000ull || b == 0x7ff0000000000000ull ? INF : x + y;
    scale = of_bits64(0x7fd0000000000000ull - k);
    t = of_bits64(high) * scale;
    u = of_bits64(low) * scale;
    v = FMA(t, t, u * u);
    r = inverse_root(v);
    t = v * r;
    t = FMA(FMA(-t, t, v), 0.5 * r, t);
    return v == 0 ? 0.0 : t * of_bits64(k + 0x0010000000000000ull);
}

/* ---- Exponentials ---- */

/* (e^r - 1) / r for |r| < 0.347 */
LS_INLINE double
small_exp(double r)
{
    double p = 0x1.af61f4091c0cep-26;

    p = FMA(p, r, 0x1.28920541dd794p-22);
    p = FMA(p, r, 0x1.71ddf76e6f9b6p-19);
    p = FMA(p, r, 0x1.a019b88e95a6dp-16);
    p = FMA(p, r, 0x1.a01a01afbea9ap-13);
    p = FMA(p, r, 0x1.6c16c178b540dp-10);
    p = FMA(p, r, 0x1.111111110f8dp-7);
    p = FMA(p, r, 0x1.5555555553cc4p-5);
    p = FMA(p, r, 0x1.5555555555558p-3);
    p = FMA(p, r, 0x1.0000000000001p-1);
    return FMA(p, r, 1.0);
}

/* x * 2^n: n < 0 may lead to denormals, n > 0 to infinity. */
LS_INLINE double
scaled(double x, int32_t n)
{
    int32_t half = n >> 1;

    return x * of_bits64((uint64_t)(uint32_t)(half + 1023) << 52) *
           of_bits64((uint64_t)(uint32_t)(n - half + 1023) << 52);
}

/* e^(r + low) * 2^n with the sum in [-ln 2 / 2, ln 2 / 2]; x, which is near n * ln 2, says whether
 * the result is a normal number. */
LS_INLINE double
power_of_e(double r, double p, int32_t n, double x)
{
    double e = FMA(p, r, 1.0);

    if (__builtin_fabs(x) < 708.0)
        return of_bits64(bits_of64(e) + ((uint64_t)(uint32_t)n << 52));
    if (x != x)
        return x;
    if (__builtin_fabs(x) > 746.0)
        return x > 0 ? INF : 0.0;
    return scaled(e, n);
}

double
__ocml_exp_f64(double x)
{
    double t = FMA(x, LOG2_E, ROUND), n = t - ROUND, r;

    r = FMA(n, -LN_2, x);
    r = FMA(n, -LN_2_LOW, r);
    return power_of_e(r, small_exp(r), (int32_t)bits_of64(t), x);
}

double
__ocml_exp2_f64(double x)
{
    double t = x + ROUND, n = t - ROUND, r = (x - n) * LN_2;

    return power_of_e(r, small_exp(r), (int32_t)bits_of64(t), x * LN_2);
}

double
__ocml_exp10_f64(double x)
{
    double t = FMA(x, 0x1.a934f0979a371p+1, ROUND), n = t - ROUND, r;

    r = FMA(n, -0x1.34413509f79ffp-2, x);
    r = FMA(n, 0x1.9dc1da994fd21p-59, r);
    r = FMA(r, 0x1.26bb1bbb55516p+1, r * -0x1.f48ad494ea3e9p-53);
    return power_of_e(r, small_exp(r), (int32_t)bits_of64(t), x * 0x1.26bb1bbb55516p+1);
}

/* e^x * 2^shift, where that is a normal number */
LS_INLINE double
normal_exp(double x, int32_t shift)
{
    double t = FMA(x, LOG2_E, ROUND), n = t - ROUND, r;

    r = FMA(n, -LN_2, x);
    r = FMA(n, -LN_2_LOW, r);
    r = FMA(small_exp(r), r, 1.0);
    r = of_bits64(bits_of64(r) + ((uint64_t)(uint32_t)((int32_t)bits_of64(t) + shift) << 52));
    return x == x ? r : x;
}

double
__ocml_sinh_f64(double x)
{
    double a = __builtin_fabs(x), u = x * x, p, t;

    if (a < 1.0) {
        p = 0x1.d1d69147a2b99p-47;
        p = FMA(p, u, 0x1.992cdcdf2ce1fp-41);
        p = FMA(p, u, 0x1.6144585cbbb1dp-33);
        p = FMA(p, u, 0x1.ae6425abe539cp-26);
        p = FMA(p, u, 0x1.71de3a7d5ee0ep-19);
        p = FMA(p, u, 0x1.a01a019ff8728p-13);
        p = FMA(p, u, 0x1.11111111111d8p-7);
        p = FMA(p, u, 0x1.5555555555555p-3);
        return FMA(p * u, x, x);
    }
    t = normal_exp(a > 711.0 ? 711.0 : a, -2);
    return __builtin_copysign(FMA(2.0, t, -0.125 * reciprocal(t)), x);
}

double
__ocml_cosh_f64(double x)
{
    double a = __builtin_fabs(x), t = normal_exp(a > 711.0 ? 711.0 : a, -2);

    return FMA(2.0, t, 0.125 * reciprocal(t));
}

double
__ocml_erf_f64(double x)
{
    double a = __builtin_fabs(x), u = x * x, p;

    if (a < 1.0) {
        p = -0x1.ac1a419750f6dp-31;
        p = FMA(p, u, 0x1.d73d744d725f6p-27);
        p = FMA(p, u, -0x1.5c0bc31310e51p-23);
        p = FMA(p, u, 0x1.b9807f2338cccp-20);
        p = FMA(p, u, -0x1.f4ca5bb28570cp-17);
        p = FMA(p, u, 0x1.f9a2bb4bba0e5p-14);
        p = FMA(p, u, -0x1.c02db03ff6859p-11);
        p = FMA(p, u, 0x1.565bccf908894p-8);
        p = FMA(p, u, -0x1.b82ce311f7069p-6);
        p = FMA(p, u, 0x1.ce2f21a040b02p-4);
        p = FMA(p, u, -0x1.812746b0379b5p-2);
        p = FMA(p, u, 0x1.06eba8214db68p-3);
        return FMA(p, x, x);
    }
    a = a > 6.0 ? 6.0 : a;
    p = -0x1.7ccb4ef7fe238p-38; /* log(1 - erf(a)) */
    p = FMA(p, a, 0x1.eaeb31fb72bf1p-33);
    p = FMA(p, a, -0x1.2590257b86344p-28);
    p = FMA(p, a, 0x1.aef161f1cce3bp-25);
    p = FMA(p, a, -0x1.af9adc3756a1p-22);
    p = FMA(p, a, 0x1.343183112160ap-19);
    p = FMA(p, a, -0x1.39b1d65849bc9p-17);
    p = FMA(p, a, 0x1.a47ef9fffbe9p-16);
    p = FMA(p, a, -0x1.b4e955c4bf7d1p-16);
    p = FMA(p, a, -0x1.029cc8f1b5601p-13);
    p = FMA(p, a, 0x1.8a2ed6dffd6cap-11);
    p = FMA(p, a, -0x1.f0101be99282cp-10);
    p = FMA(p, a, 0x1.967bf4f160ca6p-12);
    p = FMA(p, a, 0x1.3769b00474d89p-6);
    p = FMA(p, a, -0x1.a4b5f86ac303ep-4);
    p = FMA(p, a, -0x1.45f5b49503d8ap-1);
    p = FMA(p, a, -0x1.20dd2d07559bfp+0);
    p = FMA(p, a, -0x1.c1aba674222a8p-22);
    return __builtin_copysign(1.0 - normal_exp(p, 0), x);
}

double
__ocml_tanh_f64(double x)
{
    double a = __builtin_fabs(x), u = x * x, p;

    if (a < 0.5625) {
        p = -0x1.51cecb9c1b45cp-16;
        p = FMA(p, u, 0x1.62191fe181ec5p-14);
        p = FMA(p, u, -0x1.eb28ca2cc98d2p-13);
        p = FMA(p, u, 0x1.34b1929a41f9fp-11);
        p = FMA(p, u, -0x1.7d95b49e602f7p-10);
        p = FMA(p, u, 0x1.d6d3161862c94p-9);
        p = FMA(p, u, -0x1.226e323cad143p-7);
        p = FMA(p, u, 0x1.664f4872e5c9p-6);
        p = FMA(p, u, -0x1.ba1ba1b9f1abp-5);
        p = FMA(p, u, 0x1.1111111110fa5p-3);
        p = FMA(p, u, -0x1.5555555555555p-2);
        return FMA(p * u, x, x);
    }
    a = a > 20.0 ? 20.0 : a;
    p = normal_exp(a + a, 0) + 1.0;
    return __builtin_copysign(FMA(-2.0, reciprocal(p), 1.0), x);
}

/* ---- Logarithms ---- */

/* log((1 + f) * 2^e) = e * ln 2 + high + low, 1 + f from sqrt(1/2) to sqrt(2): by the series of
 * atanh(f / (2 + f)). */
struct logarithm {
    double e, high, low;
};

LS_INLINE struct logarithm
logarithm_of(double f, double e)
{
    double r = reciprocal(f + 2.0), s = (f + f) * r, u = s * s, p;
    struct logarithm l = {.e = e, .high = s};

    l.low = r * FMA(-s, f, 2 * (f - s));
    p = 0x1.101e903bdfd93p-20;
    p = FMA(p, u, 0x1.0f4a9be5a1bebp-18);
    p = FMA(p, u, 0x1.3b2153d48defap-16);
    p = FMA(p, u, 0x1.745cdb9028218p-14);
    p = FMA(p, u, 0x1.c71c725c1a07p-12);
    p = FMA(p, u, 0x1.249249242f0a3p-9);
    p = FMA(p, u, 0x1.9999999999d58p-7);
    p = FMA(p, u, 0x1.5555555555555p-4);
    l.low = FMA(p * u, s, l.low);
    return l;
}

/* Of a positive finite number. */
LS_INLINE struct logarithm
logarithm(double x)
{
    bool is_small = x < 0x1p-1022;
    uint64_t bits = bits_of64(is_small ? x * 0x1p+54 : x);
    uint32_t k = ((uint32_t)(bits >> 32) - 0x3fe6a09eu) & 0xfff00000u;

    return logarithm_of(of_bits64(bits - ((uint64_t)k << 32)) - 1.0,
                        (double)(((int32_t)k >> 20) - (is_small ? 54 : 0)));
}

LS_INLINE double
natural(struct logarithm l)
{
    double sum = FMA(l.e, LN_2_HIGH, l.high), lost = FMA(l.e, -LN_2_HIGH, sum) - l.high;

    return sum + FMA(l.e, LN_2_REST, l.low - lost);
}

LS_INLINE bool
has_log(double x)
{
    return bits_of64(x) - 1 < 0x7fefffffffffffffu;
}

LS_INLINE double
log_special(double x)
{
    return x == 0 ? -INF : FMA(x, INF, INF);
}

double
__ocml_log_f64(double x)
{
    double r = natural(logarithm(x));

    return has_log(x) ? r : log_special(x);
}

double
__ocml_log1p_f64(double x)
{
    uint32_t k = ((uint32_t)(bits_of64(x + 1.0) >> 32) - 0x3fe6a09eu) & 0xfff00000u;
    double scale = of_bits64(0x4010000000000000ull - ((uint64_t)k << 32)); /* 4 * 2^-k */
    double f = of_bits64(bits_of64(x) - ((uint64_t)k << 32)) + FMA(0.25, scale, -1.0), r;

    r = natural(logarithm_of(f, (double)((int32_t)k >> 20)));
    if (!(x > -1.0 && x < INF))
        r = x == -1.0 ? -INF : x < -1.0 ? NAN : x + x;
    return __builtin_fabs(x) < 0x1p-54 ? x : r;
}

/* (e * ln 2 + high + low) / ln of the base: unit is what e counts, in two parts. */
LS_INLINE double
log_of_base(double x, double inverse, double inverse_low, double unit, double unit_low)
{
    struct logarithm l = logarithm(x);
    double high = l.high * inverse, low, sum, r;

    low = FMA(l.high, inverse, -high);
    low = FMA(l.high, inverse_low, low);
    low = FMA(l.low, inverse, low);
    low = FMA(l.e, unit_low, low);
    sum = FMA(l.e, unit, high);
    low -= FMA(l.e, -unit, sum) - high;
    r = sum + low;
    return has_log(x) ? r : log_special(x);
}

double
__ocml_log2_f64(double x)
{
    return log_of_base(x, LOG2_E, LOG2_E_LOW, 1.0, 0.0);
}

double
__ocml_log10_f64(double x)
{
    return log_of_base(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f7p-2,
                       0x1.3fde623e2566bp-43);
}

/* ---- Powers ---- */

struct pair {
    double hi, lo;
};

LS_INLINE struct pair
product(struct pair a, struct pair b)
{
    struct pair r;

    r.hi = a.hi * b.hi;
    r.lo = FMA(a.hi, b.hi, -r.hi);
    r.lo = FMA(a.hi, b.lo, r.lo);
    r.lo = FMA(a.lo, b.hi, r.lo);
    return r;
}

/* A sum with |a.hi| >= |b.hi| */
LS_INLINE struct pair
sum(struct pair a, struct pair b)
{
    struct pair r;

    r.hi = a.hi + b.hi;
    r.lo = (b.hi - (r.hi - a.hi)) + (a.lo + b.lo);
    return r;
}

/* x^y for positive finite x and finite y: log(x) as a pair. */
LS_INLINE double
positive_power(double x, double y)
{
    bool is_small = x < 0x1p-1022;
    uint64_t bits = bits_of64(is_small ? x * 0x1p+54 : x);
    uint32_t k = ((uint32_t)(bits >> 32) - 0x3fe6a09eu) & 0xfff00000u;
    double f = of_bits64(bits - ((uint64_t)k << 32)) - 1.0, r = reciprocal(f + 2.0);
    double s = (f + f) * r, u = s * s, p, e, t, n;
    struct pair root = {s, r * FMA(-s, f, 2 * (f - s))}, square, rest, log, all;

    e = (double)(((int32_t)k >> 20) - (is_small ? 54 : 0));
    square.hi = u;
    square.lo = FMA(s, s, -u);
    square.lo = FMA(s + s, root.lo, square.lo);
    p = 0x1.e5a92c751ae04p-23;
    p = FMA(p, u, 0x1.dedf704666a8fp-21);
    p = FMA(p, u, 0x1.111c52fd8ebfp-18);
    p = FMA(p, u, 0x1.3b1380e79464ap-16);
    p = FMA(p, u, 0x1.745d17bd37909p-14);
    p = FMA(p, u, 0x1.c71c71c67c62ap-12);
    p = FMA(p, u, 0x1.24924924927b1p-9);
    p = FMA(p, u, 0x1.9999999999999p-7);
    /* 1/12 + u * p */
    rest.hi = FMA(p, u, 0x1.5555555555555p-4);
    rest.lo = FMA(p, u, 0x1.5555555555555p-4 - rest.hi);
    rest.lo += 0x1.5555555555555p-58;
    rest = product(product(square, root), rest);
    log = sum(root, rest);
    all.hi = e * LN_2_HIGH;
    all.lo = e * LN_2_REST;
    log = sum(all, log); /* e is 0, or all.hi the larger one */
    all.hi = log.hi + log.lo;
    all.lo = log.lo - (all.hi - log.hi);
    log = product(all, (struct pair){y, 0.0});
    t = FMA(log.hi, LOG2_E, ROUND);
    n = t - ROUND;
    r = FMA(n, -LN_2, log.hi);
    r = FMA(n, -LN_2_LOW, r) + log.lo;
    return power_of_e(r, small_exp(r), (int32_t)bits_of64(t), log.hi);
}

LS_INLINE double
power(double x, double y)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y), r = positive_power(a, y);
    bool is_whole, is_odd;

    if (bits_of64(x) - 1 < 0x7fefffffffffffffu && b < INF)
        return r;
    if (x == 1.0 || y == 0)
        return 1.0;
    if (!(a <= INF && b <= INF))
        return x + y;
    if (b == INF)
        return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0) ? INF : 0.0;
    is_whole = __builtin_rint(y) == y;
    is_odd = is_whole && __builtin_rint(0.5 * y) != 0.5 * y;
    if (a == 0 || a == INF)
        r = (a == 0) == (y < 0) ? INF : 0.0;
    else if (!is_whole)
        return NAN;
    return is_odd && bits_of64(x) >> 63 ? -r : r;
}

double
__ocml_pow_f64(double x, double y)
{
    return power(x, y);
}

double
__ls_pow_f64(double x, double y)
{
    return power(x, y);
}
