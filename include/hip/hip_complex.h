/* SPDX-License-Identifier: MIT */
/* Complex numbers: hipFloatComplex is a float2, hipDoubleComplex a double2; x real, y imaginary. */
#ifndef HIP_COMPLEX_H
#define HIP_COMPLEX_H

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_COMPLEX_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_HIP_COMPLEX_H

#include <hip/hip_vector_types.h>
#if !defined(__HIPCC_RTC__)
#include <math.h>
#endif

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#define LS_HIP_COMPLEX static inline __host__ __device__

/* C names end in f for single precision: hipCadd and hipCaddf. */
#define LS_HIP_COMPLEX_FUNCTIONS(C, R, f, sqrt_fn) \
    LS_HIP_COMPLEX C make_##C(R real, R imag) \
    { \
        C z; \
        z.x = real; \
        z.y = imag; \
        return z; \
    } \
    LS_HIP_COMPLEX R hipCreal##f(C z) { return z.x; } \
    LS_HIP_COMPLEX R hipCimag##f(C z) { return z.y; } \
    LS_HIP_COMPLEX C hipConj##f(C z) { return make_##C(z.x, -z.y); } \
    LS_HIP_COMPLEX R hipCsqabs##f(C z) { return z.x * z.x + z.y * z.y; } \
    LS_HIP_COMPLEX C hipCadd##f(C p, C q) { return make_##C(p.x + q.x, p.y + q.y); } \
    LS_HIP_COMPLEX C hipCsub##f(C p, C q) { return make_##C(p.x - q.x, p.y - q.y); } \
    LS_HIP_COMPLEX C hipCmul##f(C p, C q) \
    { \
        return make_##C(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x); \
    } \
    LS_HIP_COMPLEX C hipCdiv##f(C p, C q) \
    { \
        R n = hipCsqabs##f(q); \
        return make_##C((p.x * q.x + p.y * q.y) / n, (p.y * q.x - p.x * q.y) / n); \
    } \
    LS_HIP_COMPLEX R hipCabs##f(C z) { return sqrt_fn(hipCsqabs##f(z)); } \
    LS_HIP_COMPLEX C hipCfma##f(C p, C q, C r) \
    { \
        return make_##C(p.x * q.x - p.y * q.y + r.x, p.x * q.y + p.y * q.x + r.y); \
    }

LS_HIP_COMPLEX_FUNCTIONS(hipFloatComplex, float, f, sqrtf)
LS_HIP_COMPLEX_FUNCTIONS(hipDoubleComplex, double, , sqrt)

LS_HIP_COMPLEX hipComplex
make_hipComplex(float real, float imag)
{
    return make_hipFloatComplex(real, imag);
}

LS_HIP_COMPLEX hipFloatComplex
hipComplexDoubleToFloat(hipDoubleComplex z)
{
    return make_hipFloatComplex((float)z.x, (float)z.y);
}

LS_HIP_COMPLEX hipDoubleComplex
hipComplexFloatToDouble(hipFloatComplex z)
{
    return make_hipDoubleComplex(z.x, z.y);
}

#undef LS_HIP_COMPLEX_FUNCTIONS
#undef LS_HIP_COMPLEX

#endif
