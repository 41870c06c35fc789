/* SPDX-License-Identifier: MIT */
/* Conversions with a rounding mode in the name (rd down, rn nearest, ru up, rz towards zero), and
 * values seen as other types. */
#ifndef HIP_DETAIL_CONVERSIONS_H
#define HIP_DETAIL_CONVERSIONS_H

#include <hip/detail/device_core.h>

/* Bits */

#define LS_HIP_BITS(name, to, from) \
    LS_HIP_DEVICE to name(from x) \
    { \
        return __builtin_bit_cast(to, x); \
    }

LS_HIP_BITS(__float_as_int, int, float)
LS_HIP_BITS(__float_as_uint, unsigned int, float)
LS_HIP_BITS(__int_as_float, float, int)
LS_HIP_BITS(__uint_as_float, float, unsigned int)
LS_HIP_BITS(__double_as_longlong, long long int, double)
LS_HIP_BITS(__longlong_as_double, double, long long int)
#undef LS_HIP_BITS

LS_HIP_DEVICE int
__double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}

LS_HIP_DEVICE int
__double2loint(double x)
{
    return (int)__double_as_longlong(x);
}

LS_HIP_DEVICE double
__hiloint2double(int hi, int lo)
{
    return __longlong_as_double((long long int)((unsigned long long)(unsigned int)hi << 32 |
                                                (unsigned int)lo));
}

/* Floating point to integer */

#define LS_HIP_TO_INTEGER(prefix, from, suffix, name, to) \
    LS_HIP_DEVICE to prefix##name##_rd(from x) { return (to)__builtin_floor##suffix(x); } \
    LS_HIP_DEVICE to prefix##name##_rn(from x) { return (to)__builtin_rint##suffix(x); } \
    LS_HIP_DEVICE to prefix##name##_ru(from x) { return (to)__builtin_ceil##suffix(x); } \
    LS_HIP_DEVICE to prefix##name##_rz(from x) { return (to)x; }

LS_HIP_TO_INTEGER(__float2, float, f, int, int)
LS_HIP_TO_INTEGER(__float2, float, f, uint, unsigned int)
LS_HIP_TO_INTEGER(__float2, float, f, ll, long long int)
LS_HIP_TO_INTEGER(__float2, float, f, ull, unsigned long long int)
LS_HIP_TO_INTEGER(__double2, double, , int, int)
LS_HIP_TO_INTEGER(__double2, double, , uint, unsigned int)
LS_HIP_TO_INTEGER(__double2, double, , ll, long long int)
LS_HIP_TO_INTEGER(__double2, double, , ull, unsigned long long int)
#undef LS_HIP_TO_INTEGER

/* To floating point: round to nearest, compare with the exact value, step if on the wrong side. */

template <typename F> struct __ls_float_bits;
template <> struct __ls_float_bits<float> {
    typedef int type;
};
template <> struct __ls_float_bits<double> {
    typedef long long type;
};

/* The neighbour of r: up is +1 or -1; r is not NaN. */
template <typename F>
LS_HIP_DEVICE F
__ls_step(F r, int up)
{
    typedef typename __ls_float_bits<F>::type bits;
    bits b = __builtin_bit_cast(bits, r);
    return __builtin_bit_cast(F, (bits)(b < 0 ? b - up : b + up));
}

/* 1 when r > x, -1 when r < x, 0 when equal; r is x rounded. */
template <typename F, typename I>
LS_HIP_DEVICE int
__ls_compare(F r, I x)
{
    const F limit = (I)-1 < (I)0 ? (F)(1ull << (8 * sizeof(I) - 1))
                                 : (F)2 * (F)(1ull << (8 * sizeof(I) - 1));
    if (r >= limit)
        return 1;
    I back = (I)r;
    return (back > x) - (back < x);
}

LS_HIP_DEVICE int
__ls_compare(float r, double x)
{
    return ((double)r > x) - ((double)r < x);
}

#define LS_HIP_TO_FLOAT(name, F, I) \
    LS_HIP_DEVICE F name##_rn(I x) { return (F)x; } \
    LS_HIP_DEVICE F name##_rd(I x) \
    { \
        F r = (F)x; \
        return __ls_compare(r, x) > 0 ? __ls_step(r, -1) : r; \
    } \
    LS_HIP_DEVICE F name##_ru(I x) \
    { \
        F r = (F)x; \
        return __ls_compare(r, x) < 0 ? __ls_step(r, 1) : r; \
    } \
    LS_HIP_DEVICE F name##_rz(I x) { return x < 0 ? name##_ru(x) : name##_rd(x); }

LS_HIP_TO_FLOAT(__int2float, float, int)
LS_HIP_TO_FLOAT(__uint2float, float, unsigned int)
LS_HIP_TO_FLOAT(__ll2float, float, long long int)
LS_HIP_TO_FLOAT(__ull2float, float, unsigned long long int)
LS_HIP_TO_FLOAT(__ll2double, double, long long int)
LS_HIP_TO_FLOAT(__ull2double, double, unsigned long long int)
LS_HIP_TO_FLOAT(__double2float, float, double)
#undef LS_HIP_TO_FLOAT

LS_HIP_DEVICE double
__int2double_rn(int x)
{
    return (double)x;
}

LS_HIP_DEVICE double
__uint2double_rn(unsigned int x)
{
    return (double)x;
}

#endif
