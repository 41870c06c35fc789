/* SPDX-License-Identifier: MIT */
/* Powers with an exponent that is a multiple of 1/2, and powers of powers of two. OCML's pow is
 * within two units of the last place, also where the result is a number: 2^16 was 65535.996.
 * Products are exact there, and nearer everywhere; with a constant exponent they are all that is
 * left. hipcc has clang's headers call these. */

#include "devlib.h"

float __ocml_pow_f32(float x, float y);
double __ocml_pow_f64(double x, double y);
float __ocml_pown_f32(float x, int n);
double __ocml_pown_f64(double x, int n);

float __ls_pow_f32(float x, float y);
double __ls_pow_f64(double x, double y);
float __ls_pown_f32(float x, int n);
double __ls_pown_f64(double x, int n);

#define LS_INLINE __attribute__((always_inline))

/* x^n for |n| < 256, in double precision: there nothing overflows and no rounding counts before the
 * result becomes a float. */
LS_INLINE static float
single_power(double x, int n)
{
    unsigned bits = (unsigned)(n < 0 ? -n : n);
    double square = x, p = 1.0;

    for (int i = 0; i < 8; i++) {
        p = bits >> i & 1 ? p * square : p;
        square *= square;
    }
    return (float)(n < 0 ? 1.0 / p : p);
}

/* A number as the sum of a double and of what rounding to that lost. */
struct pair {
    double hi, lo;
};

LS_INLINE static struct pair
product(struct pair a, struct pair b)
{
    double p = a.hi * b.hi, rest = __builtin_fma(a.hi, b.hi, -p);
    struct pair r;

    rest = __builtin_fma(a.hi, b.lo, __builtin_fma(a.lo, b.hi, rest));
    r.hi = p + rest;
    r.lo = rest - (r.hi - p);
    return r;
}

/* A power with |n| < 64. False: the result is near the ends of the range, where the second part of
 * a pair is lost. */
LS_INLINE static _Bool
double_power(struct pair square, int n, double *result)
{
    unsigned bits = (unsigned)(n < 0 ? -n : n);
    struct pair p = {1.0, 0.0};

    for (int i = 0; i < 6; i++) {
        struct pair next = product(p, square);

        p.hi = bits >> i & 1 ? next.hi : p.hi;
        p.lo = bits >> i & 1 ? next.lo : p.lo;
        square = product(square, square);
    }
    double size = __builtin_fabs(p.hi), inverse = 1.0 / p.hi;
    double lost = __builtin_fma(-p.hi, inverse, 1.0) - p.lo * inverse;

    *result = n < 0 ? __builtin_fma(lost, inverse, inverse) : p.hi;
    return size > 0x1p-900 && size < 0x1p+900;
}

/* The square root as a pair; of a whole number's square nothing is lost. */
LS_INLINE static struct pair
root(double x)
{
    struct pair r = {__builtin_sqrt(x), 0.0};

    r.lo = __builtin_fma(-r.hi, r.hi, x) / (2 * r.hi);
    return r;
}

LS_INLINE float
__ls_pow_f32(float x, float y)
{
    float twice = 2 * y;

    if (y == __builtin_rintf(y) && __builtin_fabsf(y) < 256.0f)
        return single_power(x, (int)y);
    if (x > 0 && twice == __builtin_rintf(twice) && __builtin_fabsf(twice) < 256.0f)
        return single_power(__builtin_sqrt((double)x), (int)twice);
    return __ocml_pow_f32(x, y);
}

LS_INLINE float
__ls_pown_f32(float x, int n)
{
    if (n > -256 && n < 256)
        return single_power(x, n);
    return __ocml_pown_f32(x, n);
}

LS_INLINE double
__ls_pow_f64(double x, double y)
{
    double r, twice = 2 * y;
    uint64_t bits;

    if (y == __builtin_rint(y) && __builtin_fabs(y) < 64.0 &&
        double_power((struct pair){x, 0.0}, (int)y, &r))
        return r;
    if (x > 0 && twice == __builtin_rint(twice) && __builtin_fabs(twice) < 64.0 &&
        double_power(root(x), (int)twice, &r))
        return r;
    __builtin_memcpy(&bits, &x, 8);
    if (!(bits << 12)) { /* a power of two, or 0, infinity, a negative number */
        r = (double)((int)(bits >> 52) - 1023) * y;
        if (bits && bits < 0x7ffull << 52 && r == __builtin_rint(r) && __builtin_fabs(r) < 2000.0)
            return __builtin_ldexp(1.0, (int)r);
    }
    return __ocml_pow_f64(x, y);
}

LS_INLINE double
__ls_pown_f64(double x, int n)
{
    double r;

    if (n > -64 && n < 64 && double_power((struct pair){x, 0.0}, n, &r))
        return r;
    return __ocml_pown_f64(x, n);
}
