/* SPDX-License-Identifier: MIT */
/* The mathematical functions that the C library lacks, for the host: HIP Programming Guide 3.4.7.1
 * and 3.4.7.2 list them for host and device. Device forms come from clang's headers.
 *
 * Double precision is computed in long double, single in double: within an ulp. A program's own
 * function of the same name is no conflict.
 */
#ifndef HIP_DETAIL_HOST_MATH_H
#define HIP_DETAIL_HOST_MATH_H

#include <math.h>

#define LS_HOST_MATH static __host__ inline __attribute__((enable_if(true, "")))

/* sin(pi*r) and cos(pi*r) for |r| <= 1/4 */
LS_HOST_MATH long double
__ls_sin_turn(long double r)
{
    return sinl(r * 3.14159265358979323846264338327950288L);
}

LS_HOST_MATH long double
__ls_cos_turn(long double r)
{
    return cosl(r * 3.14159265358979323846264338327950288L);
}

/* sin(pi*x), for quarters = 0, and cos(pi*x), for quarters = 1 */
LS_HOST_MATH double
__ls_half_turns(double x, int quarters)
{
    if (!__builtin_isfinite(x))
        return x - x;
    double magnitude = quarters ? fabs(x) : x, m = fmod(magnitude, 2.0);
    int quadrant = (int)lrint(2 * m);
    long double r = (long double)m - quadrant * 0.5L;
    switch ((quadrant + quarters) & 3) {
    case 0:
        return r == 0 ? copysign(0.0, x) * (quarters ? 0.0 : 1.0) : (double)__ls_sin_turn(r);
    case 1:
        return (double)__ls_cos_turn(r);
    case 2:
        return r == 0 ? copysign(0.0, x) : (double)-__ls_sin_turn(r);
    default:
        return (double)-__ls_cos_turn(r);
    }
}

LS_HOST_MATH double
sinpi(double x)
{
    return __ls_half_turns(x, 0);
}
LS_HOST_MATH double
cospi(double x)
{
    return __ls_half_turns(x, 1);
}
LS_HOST_MATH float
sinpif(float x)
{
    return (float)sinpi(x);
}
LS_HOST_MATH float
cospif(float x)
{
    return (float)cospi(x);
}

/* tan(pi*x): zeros and poles have the signs of C23, F.10.1. */
LS_HOST_MATH double
tanpi(double x)
{
    if (!__builtin_isfinite(x))
        return x - x;
    double m = fmod(x, 2.0);
    int quadrant = (int)lrint(2 * m);
    long double r = (long double)m - quadrant * 0.5L;
    long double tangent = tanl(r * 3.14159265358979323846264338327950288L);
    switch (quadrant & 3) {
    case 0:
        return r == 0 ? copysign(0.0, x) : (double)tangent;
    case 1:
        return r == 0 ? HUGE_VAL : (double)(-1 / tangent);
    case 2:
        return r == 0 ? -copysign(0.0, x) : (double)tangent;
    default:
        return r == 0 ? -HUGE_VAL : (double)(-1 / tangent);
    }
}
LS_HOST_MATH float
tanpif(float x)
{
    return (float)tanpi(x);
}

LS_HOST_MATH void
sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}

LS_HOST_MATH void
sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/* Quotients and roots */

LS_HOST_MATH float
fdividef(float x, float y)
{
    return x / y;
}
LS_HOST_MATH double
rsqrt(double x)
{
    return (double)(1 / sqrtl(x));
}
LS_HOST_MATH float
rsqrtf(float x)
{
    return (float)(1 / sqrt((double)x));
}
LS_HOST_MATH double
rcbrt(double x)
{
    return (double)(1 / cbrtl(x));
}
LS_HOST_MATH float
rcbrtf(float x)
{
    return (float)(1 / cbrt((double)x));
}

/* Lengths: the range of long double holds every square of a double. An infinite component makes the
 * length infinite even beside a NaN. */

LS_HOST_MATH long double
__ls_length(int n, const double *v)
{
    long double sum = 0;
    bool infinite = false;

    for (int i = 0; i < n; i++) {
        sum += (long double)v[i] * v[i];
        infinite |= __builtin_isinf(v[i]) != 0;
    }
    return infinite ? (long double)__builtin_inf() : sqrtl(sum);
}

LS_HOST_MATH long double
__ls_length(int n, const float *v)
{
    long double sum = 0;
    bool infinite = false;

    for (int i = 0; i < n; i++) {
        sum += (long double)v[i] * v[i];
        infinite |= __builtin_isinf(v[i]) != 0;
    }
    return infinite ? (long double)__builtin_inf() : sqrtl(sum);
}

#define LS_HOST_LENGTHS(F, f)                                                                      \
    LS_HOST_MATH F rhypot##f(F x, F y)                                                             \
    {                                                                                              \
        const F v[2] = {x, y};                                                                     \
        return (F)(1 / __ls_length(2, v));                                                         \
    }                                                                                              \
    LS_HOST_MATH F norm3d##f(F x, F y, F z)                                                        \
    {                                                                                              \
        const F v[3] = {x, y, z};                                                                  \
        return (F)__ls_length(3, v);                                                               \
    }                                                                                              \
    LS_HOST_MATH F rnorm3d##f(F x, F y, F z)                                                       \
    {                                                                                              \
        const F v[3] = {x, y, z};                                                                  \
        return (F)(1 / __ls_length(3, v));                                                         \
    }                                                                                              \
    LS_HOST_MATH F norm4d##f(F x, F y, F z, F w)                                                   \
    {                                                                                              \
        const F v[4] = {x, y, z, w};                                                               \
        return (F)__ls_length(4, v);                                                               \
    }                                                                                              \
    LS_HOST_MATH F rnorm4d##f(F x, F y, F z, F w)                                                  \
    {                                                                                              \
        const F v[4] = {x, y, z, w};                                                               \
        return (F)(1 / __ls_length(4, v));                                                         \
    }                                                                                              \
    LS_HOST_MATH F norm##f(int n, const F *v)                                                      \
    {                                                                                              \
        return (F)__ls_length(n, v);                                                               \
    }                                                                                              \
    LS_HOST_MATH F rnorm##f(int n, const F *v)                                                     \
    {                                                                                              \
        return (F)(1 / __ls_length(n, v));                                                         \
    }

LS_HOST_LENGTHS(double, )
LS_HOST_LENGTHS(float, f)
#undef LS_HOST_LENGTHS

/* x^n */
LS_HOST_MATH double
powi(double x, int n)
{
    return (double)powl(x, n);
}
LS_HOST_MATH float
powif(float x, int n)
{
    return (float)pow(x, n);
}

/* The error function's relatives */

/* exp(x^2) * erfc(x); an asymptotic series from 10 on */
LS_HOST_MATH double
erfcx(double x)
{
    long double v = x, sum = 1, term = 1;

    if (!(v >= 10))
        return (double)(expl(v * v) * erfcl(v));
    for (int k = 1; k <= 16; k++) {
        term *= -(2 * k - 1) / (2 * v * v);
        sum += term;
    }
    return (double)(0.564189583547756286948079451560772586L / v * sum);
}

LS_HOST_MATH double
normcdf(double x)
{
    return (double)(0.5L * erfcl(-x * sqrtl(0.5L)));
}

/* x with erfc(x) = y, 0 < y <= 1: a rational estimate (within 5e-4), then Halley's steps */
LS_HOST_MATH long double
__ls_erfc_inverse(long double y)
{
    long double t = sqrtl(-2 * logl(y / 2));
    long double x = t - (2.515517L + t * (0.802853L + t * 0.010328L)) /
                            (1 + t * (1.432788L + t * (0.189269L + t * 0.001308L)));
    x *= sqrtl(0.5L);
    for (int i = 0; i < 3; i++) {
        long double u = (erfcl(x) - y) / (-1.12837916709551257389615890312154517L * expl(-x * x));
        x -= u / (1 + x * u);
    }
    return x;
}

/* x with erf(x) = y, |y| < 1 */
LS_HOST_MATH long double
__ls_erf_inverse(long double y)
{
    if (fabsl(y) > 0.5L)
        return copysignl(__ls_erfc_inverse(1 - fabsl(y)), y);
    long double x = 0.886226925452758013649083741670572592L * y * (1 + 0.2617993877991494L * y * y);
    for (int i = 0; i < 4 && x != 0; i++) {
        long double u = (erfl(x) - y) / (1.12837916709551257389615890312154517L * expl(-x * x));
        x -= u / (1 + x * u);
    }
    return x;
}

LS_HOST_MATH double
erfinv(double y)
{
    if (!(fabs(y) < 1))
        return fabs(y) == 1 ? copysign(__builtin_inf(), y) : __builtin_nan("");
    return (double)__ls_erf_inverse(y);
}

LS_HOST_MATH double
erfcinv(double y)
{
    if (!(y > 0 && y < 2))
        return y == 0 ? __builtin_inf() : y == 2 ? -__builtin_inf() : __builtin_nan("");
    return (double)(y < 0.5 ? __ls_erfc_inverse(y) : __ls_erf_inverse(1 - (long double)y));
}

LS_HOST_MATH double
normcdfinv(double p)
{
    if (!(p > 0 && p < 1))
        return p == 0 ? -__builtin_inf() : p == 1 ? __builtin_inf() : __builtin_nan("");
    long double x = p < 0.25 ? -__ls_erfc_inverse(2 * (long double)p)
                             : __ls_erf_inverse(2 * (long double)p - 1);
    return (double)(x * sqrtl(2.0L));
}

LS_HOST_MATH float
erfcxf(float x)
{
    return (float)erfcx(x);
}
LS_HOST_MATH float
normcdff(float x)
{
    return (float)normcdf((double)x);
}
LS_HOST_MATH float
erfinvf(float y)
{
    return (float)erfinv(y);
}
LS_HOST_MATH float
erfcinvf(float y)
{
    return (float)erfcinv(y);
}
LS_HOST_MATH float
normcdfinvf(float p)
{
    return (float)normcdfinv(p);
}

/* Modified Bessel functions of the first kind: the power series, all of whose terms are positive,
 * or Hankel's expansion for large arguments */
LS_HOST_MATH long double
__ls_bessel_i(int order, long double x)
{
    long double v = fabsl(x), sum = 1, term = 1;

    if (!(v < 40)) {
        const long double mu = 4 * order * order;
        if (__builtin_isinf(v))
            return order ? x : v;
        for (int k = 1; k <= 40; k++) {
            term *= ((2 * k - 1) * (2 * k - 1) - mu) / (8 * k * v);
            sum += term;
        }
        /* e^v in two halves: the second may be what overflows */
        long double half = expl(v / 2);
        sum = half * (sum / sqrtl(2 * 3.14159265358979323846264338327950288L * v)) * half;
    } else {
        long double q = v * v / 4;
        for (int k = 1; k <= 120 && term > sum * 1e-22L; k++) {
            term *= q / ((long double)k * (k + order));
            sum += term;
        }
        if (order)
            sum *= v / 2;
    }
    return order ? copysignl(sum, x) : sum;
}

LS_HOST_MATH double
cyl_bessel_i0(double x)
{
    return (double)__ls_bessel_i(0, x);
}
LS_HOST_MATH double
cyl_bessel_i1(double x)
{
    return (double)__ls_bessel_i(1, x);
}
LS_HOST_MATH float
cyl_bessel_i0f(float x)
{
    return (float)__ls_bessel_i(0, x);
}
LS_HOST_MATH float
cyl_bessel_i1f(float x)
{
    return (float)__ls_bessel_i(1, x);
}

#undef LS_HOST_MATH

#endif
