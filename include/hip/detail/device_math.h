/* SPDX-License-Identifier: MIT */
/* Device functions that clang's math header computes inexactly or not for all arguments: ours take
 * their place. The accuracy of every function is in docs/math.md. */
#ifndef HIP_DETAIL_DEVICE_MATH_H
#define HIP_DETAIL_DEVICE_MATH_H

#include <hip/detail/rounded_functions.h>

#define LS_DEVICE_MATH LS_HIP_DEVICE __attribute__((enable_if(true, "")))

#ifdef __LS_NVIDIA__ /* the pass for NVIDIA GPUs */
#include <hip/detail/nvidia_math.h>
#else
/* The quotient of fast sine and cosine is off by more than AMD documents. */
LS_DEVICE_MATH float
__tanf(float x)
{
    return __ocml_tan_f32(x);
}
#endif

/* tan(pi*x), of C23 and OpenCL: clang's headers know neither it nor OCML's. */
extern "C" {
__device__ __attribute__((const)) float __ocml_tanpi_f32(float);
__device__ __attribute__((const)) double __ocml_tanpi_f64(double);
}
LS_DEVICE_MATH float
tanpif(float x)
{
    return __ocml_tanpi_f32(x);
}
LS_DEVICE_MATH double
tanpi(double x)
{
    return __ocml_tanpi_f64(x);
}

#ifndef __LS_NVIDIA__
/* x = 2^k * (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), s = f / (2 + f). As
 * log(1 + f) = log((1 + s) / (1 - s)) = s * (2 + r), r a polynomial of s^2 without a constant,
 * and 2 s = f - s f, it is f - (f^2 / 2 - s * (f^2 / 2 + r)), where only f is large. The product of
 * k and the first part of log(2), of 41 bits, is exact, and what is lost as f joins it is added at
 * last. The coefficients are those of the polynomial that is exact at Chebyshev's nodes. OCML's
 * form, in pairs of doubles, has three times the operations for errors of 0.63, not 0.73 ulp. */
LS_DEVICE_MATH double
log(double x)
{
    const double ln2 = 0x1.62e42fefa3p-1, ln2_rest = 0x1.3de6af278ece6p-42;
    double m = __builtin_amdgcn_frexp_mant(x), k = (double)__builtin_amdgcn_frexp_exp(x);
    bool is_low = m < 0x1.6a09e667f3bcdp-1;

    m = is_low ? 2.0 * m : m;
    k = is_low ? k - 1.0 : k;
    double f = m - 1.0, s = f / (f + 2.0), z = s * s, w = z * z, half = 0.5 * f * f;
    double even = 0x1.2b5900de53b32p-3;
    even = __builtin_fma(even, w, 0x1.7462b51cb66b1p-3);
    even = __builtin_fma(even, w, 0x1.2492492df281ap-2);
    even = __builtin_fma(even, w, 0x1.5555555555558p-1);
    double odd = __builtin_fma(0x1.39fe51a7c18f9p-3, w, 0x1.c71c62e3f11e6p-3);
    odd = __builtin_fma(odd, w, 0x1.99999999952d7p-2);
    double r = z * __builtin_fma(odd, z, even);
    double high = __builtin_fma(k, ln2, f), lost = f - __builtin_fma(-k, ln2, high);
    double small = __builtin_fma(s, half + r, __builtin_fma(k, ln2_rest, -half));
    double y = high + (lost + small);

    y = x < __builtin_inf() ? y : x;
    y = x < 0.0 ? __builtin_nan("") : y;
    return x == 0.0 ? -__builtin_inf() : y;
}
#endif

LS_HIP_DEVICE double
fdivide(double x, double y)
{
    return x / y;
}

/* The number in a NaN's tag, as strtod reads it; 0 when it is none. Clang's form misses base 16. */
LS_HIP_DEVICE uint64_t
__ls_nan_payload(const char *tag)
{
    unsigned int base = 10;
    uint64_t r = 0;

    if (tag[0] == '0') {
        bool hex = tag[1] == 'x' || tag[1] == 'X';
        base = hex ? 16 : 8;
        tag += hex ? 2 : 1;
    }
    for (; *tag; tag++) {
        unsigned int c = (unsigned char)*tag | 0x20u;
        unsigned int digit = c >= 'a' && c <= 'f'         ? c - 'a' + 10
                             : *tag >= '0' && *tag <= '9' ? (unsigned int)(*tag - '0')
                                                          : 99;
        if (digit >= base)
            return 0;
        r = r * base + digit;
    }
    return r;
}

LS_DEVICE_MATH float
nanf(const char *tag)
{
    return __uint_as_float(0x7fc00000u | ((unsigned int)__ls_nan_payload(tag) & 0x3fffffu));
}

LS_DEVICE_MATH double
nan(const char *tag)
{
    return __longlong_as_double(
        (long long)(0x7ff8000000000000ull | (__ls_nan_payload(tag) & 0x7ffffffffffffull)));
}

/* Lengths of vectors: the components are scaled by the largest one's exponent, so that no square
 * overflows or underflows. An infinite component makes the length infinite even beside a NaN. */

template <typename F>
LS_HIP_DEVICE F
__ls_scaled_length(int n, const F *v, int *exponent)
{
    F largest = 0, sum = 0;

    for (int i = 0; i < n; i++) {
        F size = __ls_fabs(v[i]);
        largest = size > largest ? size : largest;
    }
    int e = __ls_exponent(largest);
    for (int i = 0; i < n; i++) {
        F scaled = __ls_ldexp(v[i], -e);
        sum = __ls_fma(scaled, scaled, sum);
    }
    *exponent = e;
    return __builtin_isinf(largest) ? largest : __ls_sqrt(sum);
}

#define LS_DEVICE_LENGTHS(F, f)                                                                    \
    LS_DEVICE_MATH F norm##f(int n, const F *v)                                                    \
    {                                                                                              \
        int e;                                                                                     \
        F length = __ls_scaled_length(n, v, &e);                                                   \
        return __ls_ldexp(length, e);                                                              \
    }                                                                                              \
    LS_DEVICE_MATH F rnorm##f(int n, const F *v)                                                   \
    {                                                                                              \
        int e;                                                                                     \
        F length = __ls_scaled_length(n, v, &e);                                                   \
        return __ls_ldexp(1 / length, -e);                                                         \
    }

LS_DEVICE_LENGTHS(float, f)
LS_DEVICE_LENGTHS(double, )
#undef LS_DEVICE_LENGTHS

/* OCML's single-precision form is off by more than OpenCL allows (16 ulp) below zero, and gives 0
 * where the result is denormal. */
LS_DEVICE_MATH float
tgammaf(float x)
{
    return x < 0 ? (float)__ocml_tgamma_f64((double)x) : __ocml_tgamma_f32(x);
}

namespace std
{
LS_DEVICE_MATH float
tgamma(float x)
{
    return ::tgammaf(x);
}
} // namespace std
using std::tgamma;

/* Bessel functions */

/* OCML's is NaN for negative arguments and beyond overflow. */
LS_DEVICE_MATH double
cyl_bessel_i1(double x)
{
    double v = __ls_fabs(x);
    return __builtin_copysign(v > 720.0 ? v * __builtin_inf() : __ocml_i1_f64(v), x);
}

/* J of any order. Upwards while the order stays below the argument; else downwards from where
 * J is nothing, normalised by 1 = J0 + 2*J2 + 2*J4 + ... */
LS_DEVICE_MATH double
jn(int n, double x)
{
    double sign = (n < 0) != (x < 0) && (n & 1) ? -1.0 : 1.0, v = __ls_fabs(x);
    unsigned int order = n < 0 ? 0u - (unsigned int)n : (unsigned int)n;

    if (order == 0)
        return __ocml_j0_f64(v);
    if (order == 1)
        return sign * __ocml_j1_f64(v);
    if (!(v < __builtin_inf()))
        return v != v ? v : 0.0;
    if (v > (double)order) {
        double a = __ocml_j0_f64(v), b = __ocml_j1_f64(v);
        for (unsigned int i = 1; i < order; i++) {
            double c = (2.0 * i) / v * b - a;
            a = b;
            b = c;
        }
        return sign * b;
    }
    if (v < 1e-8) { /* (x/2)^n / n! */
        double r = 1.0;
        for (unsigned int i = 1; i <= order && r != 0; i++)
            r *= v / (2.0 * i);
        return sign * r;
    }
    unsigned int start = 2 * ((order + (unsigned int)__ls_sqrt(60.0 * order) + 16) / 2);
    double above = 0, here = 1e-290, sum = 0, result = 0;
    for (unsigned int i = start; i > 0; i--) {
        double below = (2.0 * i) / v * here - above;
        above = here;
        here = below;
        if (i - 1 == order)
            result = here;
        if (((i - 1) & 1) == 0)
            sum += i == 1 ? here : 2 * here;
        if (__ls_fabs(here) > 1e250) {
            above *= 1e-250;
            here *= 1e-250;
            sum *= 1e-250;
            result *= 1e-250;
        }
    }
    return sign * result / sum;
}

LS_DEVICE_MATH float
jnf(int n, float x)
{
    return (float)jn(n, (double)x);
}

LS_DEVICE_MATH double
yn(int n, double x)
{
    double sign = n < 0 && (n & 1) ? -1.0 : 1.0;
    unsigned int order = n < 0 ? 0u - (unsigned int)n : (unsigned int)n;
    double a = __ocml_y0_f64(x), b = __ocml_y1_f64(x);

    if (order == 0)
        return a;
    /* Once infinite, always: the difference of two infinities is none. */
    for (unsigned int i = 1; i < order && b > -__builtin_inf(); i++) {
        double c = (2.0 * i) / x * b - a;
        a = b;
        b = c;
    }
    return sign * b;
}

LS_DEVICE_MATH float
ynf(int n, float x)
{
    return (float)yn(n, (double)x);
}

#undef LS_DEVICE_MATH

#endif
