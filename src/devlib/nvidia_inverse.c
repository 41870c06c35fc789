/* SPDX-License-Identifier: MIT */
/* Inverse trigonometric functions for NVIDIA's hardware, under OCML's names. */
#include "nvidia.h"

#define HALF_PI     0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define HALF_PI_F   0x1.921fb6p+0f
#define HALF_PI_F_LOW -0x1.777a5cp-25f

/* ---- Double precision ---- */

/* The root of a number from 0 to 1, and what it lacks. */
LS_INLINE double
root(double x, double *low)
{
    double r = ls_nv_rsqrt64(x), e = FMA(-x, r * r, 1.0), s;

    r = FMA(FMA(e, 0.375, 0.5), e * r, r);
    s = x * r;
    s = FMA(FMA(-s, s, x), 0.5 * r, s);
    s = x < 0x1p-200 ? 0.0 : s;
    *low = s == 0 ? 0.0 : FMA(-s, s, x) * (0.5 * r);
    return s;
}

/* asin(s) - s for s^2 = u up to 1/4 */
LS_INLINE double
asin_rest(double s, double u)
{
    double p = 0x1.d19a139db6c79p-6;

    p = FMA(p, u, -0x1.6b616b0db8264p-7);
    p = FMA(p, u, 0x1.0a051920ba5a9p-6);
    p = FMA(p, u, 0x1.fafa7671c0cd4p-8);
    p = FMA(p, u, 0x1.85975e18cbb8cp-7);
    p = FMA(p, u, 0x1.c862e9639c5cep-7);
    p = FMA(p, u, 0x1.1c59e58df1568p-6);
    p = FMA(p, u, 0x1.6e8b224060f9cp-6);
    p = FMA(p, u, 0x1.f1c71fdc396c4p-6);
    p = FMA(p, u, 0x1.6db6db67bbbbbp-5);
    p = FMA(p, u, 0x1.33333333374a6p-4);
    p = FMA(p, u, 0x1.555555555554ep-3);
    return p * u * s;
}

double
__ocml_asin_f64(double x)
{
    double a = __builtin_fabs(x), u = a < 0.5 ? x * x : FMA(-0.5, a, 0.5), low = 0;
    double s = a < 0.5 ? a : root(u, &low), r = asin_rest(s, u) + low;

    r = a < 0.5 ? s + r : FMA(-2.0, s, HALF_PI) + FMA(-2.0, r, HALF_PI_LOW);
    return a <= 1.0 ? __builtin_copysign(r, x) : __builtin_nan("");
}

double
__ocml_acos_f64(double x)
{
    double a = __builtin_fabs(x), u = a < 0.5 ? x * x : FMA(-0.5, a, 0.5), low = 0;
    double s = a < 0.5 ? x : root(u, &low), r = asin_rest(s, u) + low + s;

    if (a < 0.5)
        return HALF_PI - (r - HALF_PI_LOW);
    r += r;
    r = x < 0 ? 2 * HALF_PI - (r - 2 * HALF_PI_LOW) : r;
    return a <= 1.0 ? r : __builtin_nan("");
}

double
__ocml_atan_f64(double x)
{
    double a = __builtin_fabs(x), inverse = ls_nv_rcp64(a), e = FMA(-a, inverse, 1.0), s, u, p;
    bool is_large = a > 1.0;

    inverse = FMA(inverse, FMA(e, e, e), inverse);
    s = is_large ? a > 0x1p+60 ? 0.0 : inverse : a;
    u = s * s;
    p = 0x1.4085098606d74p-16;
    p = FMA(p, u, -0x1.b82dce8e07252p-13);
    p = FMA(p, u, 0x1.1e928ab968a9bp-10);
    p = FMA(p, u, -0x1.d9860aa6cf11p-9);
    p = FMA(p, u, 0x1.193ce762dc5f6p-7);
    p = FMA(p, u, -0x1.0329a043bfd73p-6);
    p = FMA(p, u, 0x1.88d42ed613c19p-6);
    p = FMA(p, u, -0x1.01f239f602268p-5);
    p = FMA(p, u, 0x1.342771c2a294dp-5);
    p = FMA(p, u, -0x1.5d73a7a8bd3f6p-5);
    p = FMA(p, u, 0x1.8444921e83d29p-5);
    p = FMA(p, u, -0x1.aec5c05a22e29p-5);
    p = FMA(p, u, 0x1.e1d2171a5c83dp-5);
    p = FMA(p, u, -0x1.111022acfa697p-4);
    p = FMA(p, u, 0x1.3b139d554f918p-4);
    p = FMA(p, u, -0x1.745d1629d2cfap-4);
    p = FMA(p, u, 0x1.c71c71bd6d439p-4);
    p = FMA(p, u, -0x1.249249247bfe2p-3);
    p = FMA(p, u, 0x1.9999999999717p-3);
    p = FMA(p, u, -0x1.5555555555555p-2);
    s = FMA(p * u, s, s);
    return __builtin_copysign(is_large ? HALF_PI - (s - HALF_PI_LOW) : s, x);
}

/* ---- Single precision ---- */

LS_INLINE float
root_f(float x)
{
    float r = ls_nv_rsqrt(x), s = x * r;

    s = FMA(FMA(-s, s, x), 0.5f * r, s);
    return x == 0 ? 0.0f : s;
}

/* asin(s) for s^2 = u up to 0.3249 */
LS_INLINE float
small_asin_f(float s, float u)
{
    float p = 0x1.5f0b48p-5f;

    p = FMA(p, u, 0x1.6cfa22p-7f);
    p = FMA(p, u, 0x1.0a0ap-5f);
    p = FMA(p, u, 0x1.6c5028p-5f);
    p = FMA(p, u, 0x1.333882p-4f);
    p = FMA(p, u, 0x1.555552p-3f);
    return FMA(p * u, s, s);
}

float
__ocml_asin_f32(float x)
{
    float a = __builtin_fabsf(x), u = a < 0.5625f ? x * x : FMA(-0.5f, a, 0.5f), r;

    r = small_asin_f(a < 0.5625f ? a : root_f(u), u);
    r = a < 0.5625f ? r : FMA(-2.0f, r, HALF_PI_F_LOW) + HALF_PI_F;
    return a <= 1.0f ? __builtin_copysignf(r, x) : __builtin_nanf("");
}

float
__ocml_acos_f32(float x)
{
    float a = __builtin_fabsf(x), u = a < 0.5625f ? x * x : FMA(-0.5f, a, 0.5f), r;

    r = small_asin_f(a < 0.5625f ? x : root_f(u), u);
    if (a < 0.5625f)
        return HALF_PI_F - (r - HALF_PI_F_LOW);
    r += r;
    r = x < 0 ? 2 * HALF_PI_F - (r - 2 * HALF_PI_F_LOW) : r;
    return a <= 1.0f ? r : __builtin_nanf("");
}

float
__ocml_atan_f32(float x)
{
    float a = __builtin_fabsf(x), s = a > 1.0f ? ls_nv_rcp(a) : a, u = s * s, p;

    p = -0x1.449a16p-9f;
    p = FMA(p, u, 0x1.c62ea6p-7f);
    p = FMA(p, u, -0x1.2a759ap-5f);
    p = FMA(p, u, 0x1.01e514p-4f);
    p = FMA(p, u, -0x1.636df2p-4f);
    p = FMA(p, u, 0x1.c423eep-4f);
    p = FMA(p, u, -0x1.246f74p-3f);
    p = FMA(p, u, 0x1.99984cp-3f);
    p = FMA(p, u, -0x1.555554p-2f);
    s = FMA(p * u, s, s);
    return __builtin_copysignf(a > 1.0f ? HALF_PI_F - s : s, x);
}
