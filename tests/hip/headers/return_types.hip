/* SPDX-License-Identifier: MIT */
/* Which type a function of HIP Programming Guide's tables gives. Its two misprints stay as C++ has
 * them: frexp(float) gives a float, norm4d a double; and of its two __clzll(long long) there can be
 * one. */
// ARCH: gfx1100
// OPT: -O3
// ISA: native
#include <hip/hip_runtime.h>
// HOST: optimized, because the headers have code for it
#include "../check.h"

template <typename T> __host__ __device__ T of(); /* a value of the type, never computed */

#define GIVES(type, ...)                                                                           \
    static_assert(__is_same(decltype(__VA_ARGS__), type), #__VA_ARGS__ " gives " #type)

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
float *fp;
double *dp;
const float *cfp;
const double *cdp;
const char *name;
int *ip;

/* X(function of a double, its arguments), for T the type and f the suffix */
#define FUNCTIONS(T, f)                                                                            \
    ONE(T, f, acos)                                                                                \
    ONE(T, f, acosh) ONE(T, f, asin) ONE(T, f, asinh) ONE(T, f, atan) ONE(T, f, atanh) ONE(        \
        T, f, cbrt) ONE(T, f, ceil) ONE(T, f, cos) ONE(T, f, cosh) ONE(T, f, erf) ONE(T, f, erfc)  \
        ONE(T, f, exp) ONE(T, f, exp10) ONE(T, f, exp2) ONE(T, f, expm1) ONE(T, f, fabs)           \
            ONE(T, f, floor) ONE(T, f, log) ONE(T, f, log10) ONE(T, f, log1p) ONE(T, f, log2)      \
                ONE(T, f, logb) ONE(T, f, nearbyint) ONE(T, f, round) ONE(T, f, sin)               \
                    ONE(T, f, sinh) ONE(T, f, sqrt) ONE(T, f, tan) ONE(T, f, tanh)                 \
                        ONE(T, f, tgamma) ONE(T, f, trunc) ONE(T, f, erfcinv) ONE(T, f, erfcx)     \
                            ONE(T, f, erfinv) ONE(T, f, j0) ONE(T, f, j1) ONE(T, f, lgamma)        \
                                ONE(T, f, normcdf) ONE(T, f, normcdfinv) ONE(T, f, rcbrt)          \
                                    ONE(T, f, rint) ONE(T, f, y0) ONE(T, f, y1) ONE(T, f, rsqrt)   \
                                        ONE(T, f, sinpi) ONE(T, f, cospi) TWO(T, f, atan2)         \
                                            TWO(T, f, copysign) TWO(T, f, fdim) TWO(T, f, fmax)    \
                                                TWO(T, f, fmin) TWO(T, f, fmod) TWO(T, f, hypot)   \
                                                    TWO(T, f, pow) TWO(T, f, nextafter)            \
                                                        TWO(T, f, rhypot) GIVES(                   \
                                                            T, fma##f(of<T>(), of<T>(), of<T>())); \
    GIVES(T, frexp##f(of<T>(), ip));                                                               \
    GIVES(T, ldexp##f(of<T>(), 1));                                                                \
    GIVES(T, modf##f(of<T>(), of<T *>()));                                                         \
    GIVES(T, nan##f(name));                                                                        \
    GIVES(T, remquo##f(of<T>(), of<T>(), ip));                                                     \
    GIVES(T, scalbn##f(of<T>(), 1));                                                               \
    GIVES(T, scalbln##f(of<T>(), 1l));                                                             \
    GIVES(T, jn##f(1, of<T>()));                                                                   \
    GIVES(T, yn##f(1, of<T>()));                                                                   \
    GIVES(T, norm3d##f(of<T>(), of<T>(), of<T>()));                                                \
    GIVES(T, norm4d##f(of<T>(), of<T>(), of<T>(), of<T>()));                                       \
    GIVES(T, rnorm3d##f(of<T>(), of<T>(), of<T>()));                                               \
    GIVES(T, rnorm4d##f(of<T>(), of<T>(), of<T>(), of<T>()));                                      \
    GIVES(T, norm##f(1, of<const T *>()));                                                         \
    GIVES(T, rnorm##f(1, of<const T *>()));                                                        \
    GIVES(int, ilogb##f(of<T>()));                                                                 \
    GIVES(s64, llrint##f(of<T>()));                                                                \
    GIVES(s64, llround##f(of<T>()));                                                               \
    GIVES(long, lrint##f(of<T>()));                                                                \
    GIVES(long, lround##f(of<T>()));                                                               \
    GIVES(void, sincos##f(of<T>(), of<T *>(), of<T *>()));                                         \
    GIVES(void, sincospi##f(of<T>(), of<T *>(), of<T *>()));
#define ONE(T, f, function) GIVES(T, function##f(of<T>()));
#define TWO(T, f, function) GIVES(T, function##f(of<T>(), of<T>()));

__device__ void
on_the_device()
{
    FUNCTIONS(float, f)
    FUNCTIONS(double, )

    GIVES(float, normcdf(1.0f));
    GIVES(double, normcdf(1));
    GIVES(float, fdividef(1.0f, 1.0f));
    GIVES(double, fdivide(1.0, 1.0));
    GIVES(u32, __brev(1u));
    GIVES(u64, __brevll(1ull));
    GIVES(int, __clz(1));
    GIVES(u32, __clz(1u));
    GIVES(int, __clz(1ull)); /* as where there is but the one of int */
    GIVES(int, __clz((unsigned char)1));
    GIVES(int, __clzll(1ll));
    GIVES(u32, __ffs(1));
    GIVES(u32, __ffs(1u));
    GIVES(u32, __ffsll(1ll));
    GIVES(u32, __ffsll(1ull));
    GIVES(u32, __ffsll(1ul));
    GIVES(u32, __popc(1u));
    GIVES(int, __popcll(1ull));
    GIVES(int, __mul24(1, 1));
    GIVES(u32, __umul24(1u, 1u));
    GIVES(u32, __lastbit_u32_u32(1u));
    GIVES(u32, __lastbit_u32_u64(1ull));
    GIVES(float, __cosf(1.0f));
    GIVES(float, __expf(1.0f));
    GIVES(float, __frsqrt_rn(1.0f));
    GIVES(float, __fsqrt_rd(1.0f));
    GIVES(float, __fsqrt_rn(1.0f));
    GIVES(float, __fsqrt_ru(1.0f));
    GIVES(float, __fsqrt_rz(1.0f));
    GIVES(float, __log10f(1.0f));
    GIVES(float, __log2f(1.0f));
    GIVES(float, __logf(1.0f));
    GIVES(float, __powf(1.0f, 1.0f));
    GIVES(float, __sinf(1.0f));
    GIVES(float, __tanf(1.0f));
    GIVES(double, __dsqrt_rd(1.0));
    GIVES(double, __dsqrt_rn(1.0));
    GIVES(double, __dsqrt_ru(1.0));
    GIVES(double, __dsqrt_rz(1.0));
}

void
on_the_host()
{
    FUNCTIONS(float, f)
    FUNCTIONS(double, )
    GIVES(float, normcdf(1.0f));
    GIVES(double, normcdf(1));
}

__global__ void
k(u64 *o, u32 x)
{
    o[0] = __clz(x) + 10 * __clz((u64)x << 32 | 1) + 1000 * (u64)__clz((int)x);
    o[1] = (u64)max(0, 31 - (int)__clz(x)) + 100 * (u64)(normcdf(0.0f) * 2) +
           1000 * (u64)(normcdf(0) * 2);
}

int
main()
{
    u64 *device, got[2];

    CHECK_HIP(hipMalloc(&device, sizeof(got)));
    k<<<1, 1>>>(device, 8);
    CHECK_HIP(hipMemcpy(got, device, sizeof(got), hipMemcpyDefault));
    CHECK(got[0] == 28 + 310 + 28000);
    CHECK(got[1] == 3 + 100 + 1000);
    return 0;
}
