/* SPDX-License-Identifier: MIT */
/* Exact values of the mathematical functions, by MPFR with enough bits for long double. */
#include "reference.h"

#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <mpfr.h>

enum { PRECISION = 128, WIDE = 192 };

/* Arguments, result and temporaries live for the whole run. */
static mpfr_t in[4], out, t[6];

static void
prepare(void)
{
    static bool ready;

    if (ready)
        return;
    for (int i = 0; i < 4; i++)
        mpfr_init2(in[i], 53);
    for (int i = 0; i < 6; i++)
        mpfr_init2(t[i], WIDE);
    mpfr_init2(out, PRECISION);
    ready = true;
}

static void
arguments(const double *x, int n)
{
    prepare();
    for (int i = 0; i < n; i++)
        mpfr_set_d(in[i], x[i], MPFR_RNDN);
}

static long double
result(void)
{
    return mpfr_get_ld(out, MPFR_RNDN);
}

#define REF(name, n, statement)                                                                    \
    static long double ref_##name(const double *x, double got, int bits)                           \
    {                                                                                              \
        (void)got;                                                                                 \
        (void)bits;                                                                                \
        arguments(x, n);                                                                           \
        statement;                                                                                 \
        return result();                                                                           \
    }
#define REF1(name, fn) REF(name, 1, fn(out, in[0], MPFR_RNDN))
#define REF2(name, fn) REF(name, 2, fn(out, in[0], in[1], MPFR_RNDN))
/* Exact in long double */
#define REF_EXACT(name, expression)                                                                \
    static long double ref_##name(const double *x, double got, int bits)                           \
    {                                                                                              \
        (void)got;                                                                                 \
        (void)bits;                                                                                \
        return expression;                                                                         \
    }

REF1(sin, mpfr_sin)
REF1(cos, mpfr_cos)
REF1(tan, mpfr_tan)
REF1(asin, mpfr_asin)
REF1(acos, mpfr_acos)
REF1(atan, mpfr_atan)
REF2(atan2, mpfr_atan2)
REF1(sinh, mpfr_sinh)
REF1(cosh, mpfr_cosh)
REF1(tanh, mpfr_tanh)
REF1(asinh, mpfr_asinh)
REF1(acosh, mpfr_acosh)
REF1(atanh, mpfr_atanh)
REF1(sinpi, mpfr_sinpi)
REF1(cospi, mpfr_cospi)
REF1(tanpi, mpfr_tanpi)
REF1(exp, mpfr_exp)
REF1(exp2, mpfr_exp2)
REF1(exp10, mpfr_exp10)
REF1(expm1, mpfr_expm1)
REF1(log, mpfr_log)
REF1(log2, mpfr_log2)
REF1(log10, mpfr_log10)
REF1(log1p, mpfr_log1p)
REF2(pow, mpfr_pow)
REF(pown, 1, mpfr_pow_si(out, in[0], (long)(int)x[1], MPFR_RNDN))
REF1(sqrt, mpfr_sqrt)
REF1(cbrt, mpfr_cbrt)
REF2(hypot, mpfr_hypot)
REF1(erf, mpfr_erf)
REF1(erfc, mpfr_erfc)
REF1(tgamma, mpfr_gamma)
REF1(j0, mpfr_j0)
REF1(j1, mpfr_j1)
REF1(y0, mpfr_y0)
REF1(y1, mpfr_y1)
REF(fma, 3, mpfr_fma(out, in[0], in[1], in[2], MPFR_RNDN))
REF2(divide, mpfr_div)
REF1(fabs, mpfr_abs)
REF(fdim, 2, mpfr_dim(out, in[0], in[1], MPFR_RNDN))
REF(rsqrt, 1, (mpfr_sqrt(out, in[0], MPFR_RNDN), mpfr_ui_div(out, 1, out, MPFR_RNDN)))
REF(rcbrt, 1, (mpfr_cbrt(out, in[0], MPFR_RNDN), mpfr_ui_div(out, 1, out, MPFR_RNDN)))
REF(rhypot, 2, (mpfr_hypot(out, in[0], in[1], MPFR_RNDN), mpfr_ui_div(out, 1, out, MPFR_RNDN)))
REF(reciprocal, 1, mpfr_ui_div(out, 1, in[0], MPFR_RNDN))

REF_EXACT(fmod, fmod(x[0], x[1]))
REF_EXACT(remainder, remainder(x[0], x[1]))
REF_EXACT(fmax, fmax(x[0], x[1]))
REF_EXACT(fmin, fmin(x[0], x[1]))
REF_EXACT(copysign, copysign(x[0], x[1]))
REF_EXACT(ceil, ceil(x[0]))
REF_EXACT(floor, floor(x[0]))
REF_EXACT(trunc, trunc(x[0]))
REF_EXACT(round, round(x[0]))
REF_EXACT(rint, rint(x[0]))
REF_EXACT(identity, x[0])
REF_EXACT(logb, logb(x[0]))
REF_EXACT(fraction, isinf(x[0]) ? copysign(0.0, x[0]) : x[0] - trunc(x[0]))
REF_EXACT(ldexp, ldexpl(x[0], (int)x[1]))

static long double
ref_nextafter(const double *x, double got, int bits)
{
    (void)got;
    return bits == 24 ? (long double)nextafterf((float)x[0], (float)x[1]) : nextafter(x[0], x[1]);
}

static long double
ref_lgamma(const double *x, double got, int bits)
{
    int sign;

    (void)got;
    (void)bits;
    arguments(x, 1);
    mpfr_lgamma(out, &sign, in[0], MPFR_RNDN);
    return result();
}

/* Lengths of 3 and 4 components; inverted or not */
static long double
length(const double *x, int n, bool inverse)
{
    bool infinite = false;

    arguments(x, n);
    mpfr_set_zero(out, 1);
    for (int i = 0; i < n; i++) {
        infinite |= isinf(x[i]);
        mpfr_sqr(t[0], in[i], MPFR_RNDN);
        mpfr_add(out, out, t[0], MPFR_RNDN);
    }
    if (infinite)
        mpfr_set_inf(out, 1);
    mpfr_sqrt(out, out, MPFR_RNDN);
    if (inverse)
        mpfr_ui_div(out, 1, out, MPFR_RNDN);
    return result();
}

#define REF_LENGTH(name, n, inverse)                                                               \
    static long double ref_##name(const double *x, double got, int bits)                           \
    {                                                                                              \
        (void)got;                                                                                 \
        (void)bits;                                                                                \
        return length(x, n, inverse);                                                              \
    }
REF_LENGTH(norm3d, 3, false)
REF_LENGTH(rnorm3d, 3, true)
REF_LENGTH(norm4d, 4, false)
REF_LENGTH(rnorm4d, 4, true)

/* exp(x^2)*erfc(x); the leading term where the rest is beyond every bit */
static long double
ref_erfcx(const double *x, double got, int bits)
{
    (void)got;
    (void)bits;
    arguments(x, 1);
    if (x[0] > 1e20) {
        mpfr_const_pi(t[0], MPFR_RNDN);
        mpfr_sqrt(t[0], t[0], MPFR_RNDN);
        mpfr_mul(t[0], t[0], in[0], MPFR_RNDN);
        mpfr_ui_div(out, 1, t[0], MPFR_RNDN);
    } else if (x[0] > 1e4) { /* 1/(x sqrt(pi)) * (1 - 1/(2x^2) + 3/(4x^4) - ...) */
        mpfr_sqr(t[1], in[0], MPFR_RNDN);
        mpfr_mul_ui(t[1], t[1], 2, MPFR_RNDN);
        mpfr_set_ui(t[2], 1, MPFR_RNDN);
        mpfr_set_ui(t[3], 1, MPFR_RNDN);
        for (int k = 1; k < 12; k++) {
            mpfr_mul_si(t[2], t[2], -(2 * k - 1), MPFR_RNDN);
            mpfr_div(t[2], t[2], t[1], MPFR_RNDN);
            mpfr_add(t[3], t[3], t[2], MPFR_RNDN);
        }
        mpfr_const_pi(t[0], MPFR_RNDN);
        mpfr_sqrt(t[0], t[0], MPFR_RNDN);
        mpfr_mul(t[0], t[0], in[0], MPFR_RNDN);
        mpfr_div(out, t[3], t[0], MPFR_RNDN);
    } else if (x[0] < -1e4) {
        mpfr_set_inf(out, 1);
    } else {
        mpfr_sqr(t[0], in[0], MPFR_RNDN);
        mpfr_exp(t[0], t[0], MPFR_RNDN);
        mpfr_erfc(t[1], in[0], MPFR_RNDN);
        mpfr_mul(out, t[0], t[1], MPFR_RNDN);
    }
    return result();
}

static long double
ref_normcdf(const double *x, double got, int bits)
{
    (void)got;
    (void)bits;
    arguments(x, 1);
    mpfr_set_d(t[0], 0.5, MPFR_RNDN);
    mpfr_sqrt(t[0], t[0], MPFR_RNDN);
    mpfr_mul(t[0], t[0], in[0], MPFR_RNDN);
    mpfr_neg(t[0], t[0], MPFR_RNDN);
    mpfr_erfc(out, t[0], MPFR_RNDN);
    mpfr_div_ui(out, out, 2, MPFR_RNDN);
    return result();
}

/* t[0] = x with erf(x) = t[1], or with erfc(x) = t[1], by Newton's method from `guess` until
 * nothing moves. For erfc the equation is that of the logarithms, which is nearly a parabola. */
static void
invert(bool complement, double guess)
{
    mpfr_set_d(t[0], guess, MPFR_RNDN);
    for (int i = 0; i < 60; i++) {
        mpfr_sqr(t[2], t[0], MPFR_RNDN);
        mpfr_neg(t[2], t[2], MPFR_RNDN);
        mpfr_exp(t[2], t[2], MPFR_RNDN);
        mpfr_const_pi(t[3], MPFR_RNDN);
        mpfr_sqrt(t[3], t[3], MPFR_RNDN);
        mpfr_div(t[2], t[2], t[3], MPFR_RNDN);
        mpfr_mul_ui(t[2], t[2], 2, MPFR_RNDN); /* erf' */
        if (complement) {
            mpfr_erfc(t[3], t[0], MPFR_RNDN);
            mpfr_div(t[4], t[3], t[1], MPFR_RNDN);
            mpfr_log(t[4], t[4], MPFR_RNDN);
            mpfr_mul(t[4], t[4], t[3], MPFR_RNDN);
            mpfr_div(t[4], t[4], t[2], MPFR_RNDN);
            mpfr_neg(t[4], t[4], MPFR_RNDN);
        } else {
            mpfr_erf(t[3], t[0], MPFR_RNDN);
            mpfr_sub(t[4], t[3], t[1], MPFR_RNDN);
            mpfr_div(t[4], t[4], t[2], MPFR_RNDN);
        }
        mpfr_sub(t[0], t[0], t[4], MPFR_RNDN);
        if (mpfr_zero_p(t[4]) || mpfr_get_exp(t[4]) < mpfr_get_exp(t[0]) - 50)
            return; /* the next step would double the bits: 100 are right */
    }
}

/* erfc's inverse of t[1], into t[0] */
static void
invert_erfc(double got)
{
    double y = mpfr_get_d(t[1], MPFR_RNDN);
    bool flipped = y > 1;

    if (y > 0.5 && y < 1.5) {
        mpfr_ui_sub(t[1], 1, t[1], MPFR_RNDN);
        double guess = 0.886 * mpfr_get_d(t[1], MPFR_RNDN);
        invert(false, fabs(got - guess) < 0.1 * fabs(guess) ? got : guess);
        return;
    }
    if (flipped) {
        mpfr_ui_sub(t[1], 2, t[1], MPFR_RNDN);
        y = mpfr_get_d(t[1], MPFR_RNDN);
        got = -got;
    }
    double guess = sqrt(-log(y * sqrt(3.15 * -log(y))));
    invert(true, fabs(got - guess) < 0.1 ? got : guess);
    if (flipped)
        mpfr_neg(t[0], t[0], MPFR_RNDN);
}

static long double
ref_erfcinv(const double *x, double got, int bits)
{
    (void)bits;
    if (!(x[0] > 0 && x[0] < 2))
        return x[0] == 0 ? HUGE_VALL : x[0] == 2 ? -HUGE_VALL : nanl("");
    prepare();
    mpfr_set_d(t[1], x[0], MPFR_RNDN);
    invert_erfc(got);
    return mpfr_get_ld(t[0], MPFR_RNDN);
}

static long double
ref_erfinv(const double *x, double got, int bits)
{
    (void)bits;
    if (!(fabs(x[0]) < 1))
        return x[0] == 1 ? HUGE_VALL : x[0] == -1 ? -HUGE_VALL : nanl("");
    if (x[0] == 0)
        return x[0];
    prepare();
    if (fabs(x[0]) < 0.5) {
        double guess = 0.886 * x[0];
        mpfr_set_d(t[1], x[0], MPFR_RNDN);
        invert(false, fabs(got - guess) < 0.1 * fabs(guess) ? got : guess);
    } else {
        mpfr_set_d(t[1], x[0], MPFR_RNDN);
        mpfr_ui_sub(t[1], 1, t[1], MPFR_RNDN);
        invert_erfc(got);
    }
    return mpfr_get_ld(t[0], MPFR_RNDN);
}

static long double
ref_normcdfinv(const double *x, double got, int bits)
{
    (void)bits;
    if (!(x[0] > 0 && x[0] < 1))
        return x[0] == 0 ? -HUGE_VALL : x[0] == 1 ? HUGE_VALL : nanl("");
    if (x[0] == 0.5)
        return 0;
    prepare();
    mpfr_set_d(t[1], x[0], MPFR_RNDN);
    mpfr_mul_ui(t[1], t[1], 2, MPFR_RNDN);
    invert_erfc(-got * 0.70710678118654752440);
    mpfr_sqrt_ui(t[1], 2, MPFR_RNDN);
    mpfr_mul(t[0], t[0], t[1], MPFR_RNDN);
    mpfr_neg(t[0], t[0], MPFR_RNDN);
    return mpfr_get_ld(t[0], MPFR_RNDN);
}

/* The power series of I0 and I1: all terms are positive */
static long double
bessel_i(double x, int order)
{
    if (x != x)
        return x;
    if (fabs(x) > 800)
        return order ? copysign(HUGE_VAL, x) : HUGE_VAL;
    prepare();
    mpfr_set_d(t[0], x, MPFR_RNDN);
    mpfr_sqr(t[1], t[0], MPFR_RNDN);
    mpfr_div_ui(t[1], t[1], 4, MPFR_RNDN);
    mpfr_set_ui(t[2], 1, MPFR_RNDN);
    mpfr_set_ui(out, 1, MPFR_RNDN);
    for (unsigned long k = 1; k < 4000; k++) {
        mpfr_mul(t[2], t[2], t[1], MPFR_RNDN);
        mpfr_div_ui(t[2], t[2], k * (k + (unsigned long)order), MPFR_RNDN);
        mpfr_add(out, out, t[2], MPFR_RNDN);
        if (mpfr_zero_p(t[2]) || mpfr_get_exp(t[2]) < mpfr_get_exp(out) - 100)
            break;
    }
    if (order) {
        mpfr_mul(out, out, t[0], MPFR_RNDN);
        mpfr_div_ui(out, out, 2, MPFR_RNDN);
    }
    return result();
}

/* MPFR takes minutes for some arguments of these: the C library in long double */
REF_EXACT(jn, jnl((int)x[1], x[0]))
REF_EXACT(yn, ynl((int)x[1], x[0]))
REF_EXACT(i0, bessel_i(x[0], 0))
REF_EXACT(i1, bessel_i(x[0], 1))

#define ROW(name)                                                                                  \
    {                                                                                              \
#name, ref_##name                                                                          \
    }
static const struct {
    const char *name;
    ls_reference_fn fn;
} rows[] = {
    ROW(sin),       ROW(cos),       ROW(tan),      ROW(asin),    ROW(acos),    ROW(atan),
    ROW(atan2),     ROW(sinh),      ROW(cosh),     ROW(tanh),    ROW(asinh),   ROW(acosh),
    ROW(atanh),     ROW(sinpi),     ROW(cospi),    ROW(exp),     ROW(exp2),    ROW(exp10),
    ROW(expm1),     ROW(log),       ROW(log2),     ROW(log10),   ROW(log1p),   ROW(pow),
    ROW(pown),      ROW(sqrt),      ROW(rsqrt),    ROW(cbrt),    ROW(rcbrt),   ROW(hypot),
    ROW(rhypot),    ROW(norm3d),    ROW(rnorm3d),  ROW(norm4d),  ROW(rnorm4d), ROW(erf),
    ROW(erfc),      ROW(erfcx),     ROW(erfinv),   ROW(erfcinv), ROW(normcdf), ROW(normcdfinv),
    ROW(tgamma),    ROW(lgamma),    ROW(j0),       ROW(j1),      ROW(y0),      ROW(y1),
    ROW(jn),        ROW(yn),        ROW(i0),       ROW(i1),      ROW(fma),     ROW(fmod),
    ROW(remainder), ROW(fdim),      ROW(divide),   ROW(fmax),    ROW(fmin),    ROW(fabs),
    ROW(copysign),  ROW(nextafter), ROW(ceil),     ROW(floor),   ROW(trunc),   ROW(round),
    ROW(rint),      ROW(fraction),  ROW(identity), ROW(logb),    ROW(ldexp),   ROW(reciprocal),
    ROW(tanpi),
};

ls_reference_fn
ls_reference_find(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(rows[i].name, name))
            return rows[i].fn;
    return NULL;
}
