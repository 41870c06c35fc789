/* SPDX-License-Identifier: MIT */
/* Instructions of NVIDIA's hardware for devlib_nvidia.bc, by builtins that src/compiler/ptx gives
 * meaning to, and the bits of numbers. Errors are those that NVIDIA documents;
 * tests/accuracy/nvidia_model.c stands in for the instructions where there is no such GPU. */
#ifndef LS_DEVLIB_NVIDIA_H
#define LS_DEVLIB_NVIDIA_H

#include "devlib.h"

#define LS_INLINE      __attribute__((always_inline)) static inline
#define LS_INSTRUCTION __attribute__((const))
#define LS_PRIVATE     __attribute__((address_space(5)))

/* Single precision: denormal arguments and results are 0. */
LS_INSTRUCTION float ls_nv_rcp(float x) __asm__("__ls_nv.rcp");     /* 1 ulp */
LS_INSTRUCTION float ls_nv_rsqrt(float x) __asm__("__ls_nv.rsqrt"); /* 2^-22.9 of the value */
LS_INSTRUCTION float ls_nv_ex2(float x) __asm__("__ls_nv.ex2");     /* 2^-22.5 of the value */
LS_INSTRUCTION float ls_nv_lg2(float x) __asm__("__ls_nv.lg2");     /* 2^-22.6, at least of 1 */
/* Double precision: the upper 32 bits of the argument count, and 20 bits of the mantissa come. */
LS_INSTRUCTION double ls_nv_rcp64(double x) __asm__("__ls_nv.rcp64");
LS_INSTRUCTION double ls_nv_rsqrt64(double x) __asm__("__ls_nv.rsqrt64");

#define FMA(a, b, c) _Generic((c), float: __builtin_fmaf, double: __builtin_fma)(a, b, c)

LS_INLINE uint32_t
bits_of(float x)
{
    uint32_t i;

    __builtin_memcpy(&i, &x, 4);
    return i;
}

LS_INLINE float
of_bits(uint32_t i)
{
    float x;

    __builtin_memcpy(&x, &i, 4);
    return x;
}

LS_INLINE uint64_t
bits_of64(double x)
{
    uint64_t i;

    __builtin_memcpy(&i, &x, 8);
    return i;
}

LS_INLINE double
of_bits64(uint64_t i)
{
    double x;

    __builtin_memcpy(&x, &i, 8);
    return x;
}

#endif
