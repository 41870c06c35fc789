/* SPDX-License-Identifier: MIT */
/* Arithmetic that rounds as its name says: rd down, rn to nearest even, ru up, rz towards zero.
 *
 * HIP Programming Guide 3.4.7.4, "Floating-point Intrinsics", lists them; AMD's own round all to
 * nearest (3.3.7.9), these don't. None takes part in contraction to fma. Each result is the one to
 * nearest, moved to its neighbour where it lies on the wrong side of the exact value; the side
 * comes from the error, which is itself a floating-point number, computed without one. Overflow and
 * underflow round as IEEE 754 says. */
#ifndef HIP_DETAIL_ROUNDED_FUNCTIONS_H
#define HIP_DETAIL_ROUNDED_FUNCTIONS_H

#include <hip/detail/conversions.h>

/* Clang's math header has some of the names: ours are preferred. */
#define LS_ROUNDED          LS_HIP_DEVICE __attribute__((enable_if(true, "")))
#define LS_ROUNDED_HELPER   static __device__ inline __attribute__((always_inline))
#define LS_ROUNDED_STRICTLY _Pragma("clang fp contract(off) reassociate(off)")

enum __ls_rounding { __ls_round_down, __ls_round_up, __ls_round_to_zero };

LS_ROUNDED_HELPER float
__ls_fma(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
LS_ROUNDED_HELPER double
__ls_fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
LS_ROUNDED_HELPER float
__ls_fabs(float x)
{
    return __builtin_fabsf(x);
}
LS_ROUNDED_HELPER double
__ls_fabs(double x)
{
    return __builtin_fabs(x);
}
LS_ROUNDED_HELPER float
__ls_sqrt(float x)
{
    return __builtin_sqrtf(x);
}
LS_ROUNDED_HELPER double
__ls_sqrt(double x)
{
    return __builtin_sqrt(x);
}
LS_ROUNDED_HELPER float
__ls_ldexp(float x, int e)
{
    return __builtin_amdgcn_ldexpf(x, e);
}
LS_ROUNDED_HELPER double
__ls_ldexp(double x, int e)
{
    return __builtin_amdgcn_ldexp(x, e);
}
LS_ROUNDED_HELPER float
__ls_mantissa(float x)
{
    return __builtin_amdgcn_frexp_mantf(x);
}
LS_ROUNDED_HELPER double
__ls_mantissa(double x)
{
    return __builtin_amdgcn_frexp_mant(x);
}
LS_ROUNDED_HELPER int
__ls_exponent(float x)
{
    return __builtin_amdgcn_frexp_expf(x);
}
LS_ROUNDED_HELPER int
__ls_exponent(double x)
{
    return __builtin_amdgcn_frexp_exp(x);
}

/* Rounds by mode: r is x rounded to nearest, and `error` has the sign of x - r; a NaN means that r
 * is to stay. */
template <typename F>
LS_ROUNDED_HELPER F
__ls_round_by_error(F r, F error, __ls_rounding mode)
{
    typedef typename __ls_float_bits<F>::type bits;
    bool negative = __builtin_bit_cast(bits, r) < 0;
    bool down = mode == __ls_round_down || (mode == __ls_round_to_zero && !negative);

    if (down ? error < 0 : error > 0)
        r = __ls_step(r, down ? -1 : 1);
    return r;
}

/* a + b = sum + *error, exactly, unless the sum overflows. */
template <typename F>
LS_ROUNDED_HELPER F
__ls_two_sum(F a, F b, F *error)
{
    LS_ROUNDED_STRICTLY
    bool swapped = __ls_fabs(a) < __ls_fabs(b);
    F big = swapped ? b : a, small = swapped ? a : b;
    F sum = big + small;

    *error = small - (sum - big);
    return sum;
}

/* The sum of two numbers that is exactly zero is -0 downwards, but for +0 + +0. */
template <typename F>
LS_ROUNDED_HELPER F
__ls_zero_sum(F r, F a, F b, __ls_rounding mode)
{
    typedef typename __ls_float_bits<F>::type bits;
    bool any_sign = (__builtin_bit_cast(bits, a) | __builtin_bit_cast(bits, b)) < 0;
    return r == 0 && mode == __ls_round_down && any_sign ? -(F)0 : r;
}

/* The error for an infinite r: with finite operands it lies beyond the exact value. */
template <typename F>
LS_ROUNDED_HELPER F
__ls_overflow_error(F r, F error, bool finite_operands)
{
    return __builtin_isinf(r) ? (finite_operands ? -r : (F)0) : error;
}

template <typename F>
LS_ROUNDED_HELPER F
__ls_add(F x, F y, __ls_rounding mode)
{
    F error, r = __ls_two_sum(x, y, &error);
    error = __ls_overflow_error(r, error, __builtin_isfinite(x) && __builtin_isfinite(y));
    return __ls_zero_sum(__ls_round_by_error(r, error, mode), x, y, mode);
}

/* The operands' exponents are taken apart, so that no error of theirs underflows. */
template <typename F>
LS_ROUNDED_HELPER F
__ls_mul(F x, F y, __ls_rounding mode)
{
    LS_ROUNDED_STRICTLY
    F r = x * y, a = __ls_mantissa(x), b = __ls_mantissa(y), p = a * b;
    F scaled = __ls_ldexp(r, -(__ls_exponent(x) + __ls_exponent(y)));
    F error = (p - scaled) + __ls_fma(a, b, -p);
    error = __ls_overflow_error(r, error, __builtin_isfinite(x) && __builtin_isfinite(y));
    return __ls_round_by_error(r, error, mode);
}

template <typename F>
LS_ROUNDED_HELPER F
__ls_div(F x, F y, __ls_rounding mode)
{
    LS_ROUNDED_STRICTLY
    F r = x / y, a = __ls_mantissa(x), b = __ls_mantissa(y);
    F scaled = __ls_ldexp(r, __ls_exponent(y) - __ls_exponent(x));
    F rest = __ls_fma(-scaled, b, a), error = b < 0 ? -rest : rest;
    error = __ls_overflow_error(r, error, __builtin_isfinite(x) && y != 0);
    return __ls_round_by_error(r, error, mode);
}

template <typename F>
LS_ROUNDED_HELPER F
__ls_square_root(F x, __ls_rounding mode)
{
    LS_ROUNDED_STRICTLY
    F r = __ls_sqrt(x);
    int half = __ls_exponent(x) >> 1;
    F scaled = __ls_ldexp(r, -half), error = __ls_fma(-scaled, scaled, __ls_ldexp(x, -2 * half));
    return __ls_round_by_error(r, __builtin_isinf(x) ? (F)0 : error, mode);
}

/* x*y + z: the product is two numbers, z - r is two; the sign of their sum is that of the last
 * non-zero component when they are added one by one without error. All are scaled by the larger
 * exponent; what is smaller than the other by far counts as very small, but not as nothing. */
template <typename F>
LS_ROUNDED_HELPER F
__ls_multiply_add(F x, F y, F z, __ls_rounding mode)
{
    LS_ROUNDED_STRICTLY
    const int far = sizeof(F) == 4 ? 80 : 240;
    F r = __ls_fma(x, y, z), a = __ls_mantissa(x), b = __ls_mantissa(y), c = __ls_mantissa(z);
    int ep = __ls_exponent(x) + __ls_exponent(y), ez = __ls_exponent(z);
    bool product = a != 0 && b != 0;
    int e = !product ? ez : c == 0 || ep > ez ? ep : ez;
    int sp = ep - e < -far ? -far : ep - e, sz = c == 0 ? 0 : ez - e < -far ? -far : ez - e;
    F p = a * b, pe = __ls_fma(a, b, -p), h[4], q;

    if (!product)
        sp = 0;
    p = __ls_ldexp(p, sp);
    pe = __ls_ldexp(pe, sp);
    F t = __ls_two_sum(__ls_ldexp(c, sz), -__ls_ldexp(r, -e), &h[0]);
    /* h becomes a sum of numbers that do not overlap, the largest last */
    h[1] = t;
    q = __ls_two_sum(pe, h[0], &h[0]);
    h[2] = __ls_two_sum(q, h[1], &h[1]);
    q = __ls_two_sum(p, h[0], &h[0]);
    q = __ls_two_sum(q, h[1], &h[1]);
    h[3] = __ls_two_sum(q, h[2], &h[2]);
    F error = h[3] != 0 ? h[3] : h[2] != 0 ? h[2] : h[1] != 0 ? h[1] : h[0];
    bool finite = __builtin_isfinite(x) && __builtin_isfinite(y) && __builtin_isfinite(z);
    error = __ls_overflow_error(r, error, finite);
    r = __ls_round_by_error(r, error, mode);
    return error == 0 && !product                            ? __ls_zero_sum(r, x * y, z, mode)
           : error == 0 && r == 0 && mode == __ls_round_down ? -(F)0
                                                             : r;
}

#define LS_ROUNDED_FORMS(F, name, params, nearest, call)                                           \
    LS_ROUNDED F name##_rn params                                                                  \
    {                                                                                              \
        LS_ROUNDED_STRICTLY                                                                        \
        return nearest;                                                                            \
    }                                                                                              \
    LS_ROUNDED F name##_rd params                                                                  \
    {                                                                                              \
        const __ls_rounding mode = __ls_round_down;                                                \
        return call;                                                                               \
    }                                                                                              \
    LS_ROUNDED F name##_ru params                                                                  \
    {                                                                                              \
        const __ls_rounding mode = __ls_round_up;                                                  \
        return call;                                                                               \
    }                                                                                              \
    LS_ROUNDED F name##_rz params                                                                  \
    {                                                                                              \
        const __ls_rounding mode = __ls_round_to_zero;                                             \
        return call;                                                                               \
    }

LS_ROUNDED_FORMS(float, __fadd, (float x, float y), x + y, __ls_add(x, y, mode))
LS_ROUNDED_FORMS(float, __fsub, (float x, float y), x - y, __ls_add(x, -y, mode))
LS_ROUNDED_FORMS(float, __fmul, (float x, float y), x *y, __ls_mul(x, y, mode))
LS_ROUNDED_FORMS(float, __fdiv, (float x, float y), x / y, __ls_div(x, y, mode))
LS_ROUNDED_FORMS(float, __frcp, (float x), 1.0f / x, __ls_div(1.0f, x, mode))
LS_ROUNDED_FORMS(float, __fsqrt, (float x), __builtin_sqrtf(x), __ls_square_root(x, mode))
LS_ROUNDED_FORMS(float, __fmaf, (float x, float y, float z), __builtin_fmaf(x, y, z),
                 __ls_multiply_add(x, y, z, mode))
LS_ROUNDED_FORMS(double, __dadd, (double x, double y), x + y, __ls_add(x, y, mode))
LS_ROUNDED_FORMS(double, __dsub, (double x, double y), x - y, __ls_add(x, -y, mode))
LS_ROUNDED_FORMS(double, __dmul, (double x, double y), x *y, __ls_mul(x, y, mode))
LS_ROUNDED_FORMS(double, __ddiv, (double x, double y), x / y, __ls_div(x, y, mode))
LS_ROUNDED_FORMS(double, __drcp, (double x), 1.0 / x, __ls_div(1.0, x, mode))
LS_ROUNDED_FORMS(double, __dsqrt, (double x), __builtin_sqrt(x), __ls_square_root(x, mode))
LS_ROUNDED_FORMS(double, __fma, (double x, double y, double z), __builtin_fma(x, y, z),
                 __ls_multiply_add(x, y, z, mode))
#undef LS_ROUNDED_FORMS

/* 1/sqrt(x) to nearest: double is precise enough for every float (none lies nearer to the middle of
 * two neighbours). */
LS_ROUNDED float
__frsqrt_rn(float x)
{
    return (float)(1.0 / __builtin_sqrt((double)x));
}

#undef LS_ROUNDED
#undef LS_ROUNDED_HELPER
#undef LS_ROUNDED_STRICTLY

#endif
