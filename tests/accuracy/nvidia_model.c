/* SPDX-License-Identifier: MIT */
/* NVIDIA's approximate instructions, as wrong as NVIDIA says that they may be: each result is off
 * by the documented error, up or down as bits of the argument say. */
#include "../../src/devlib/nvidia.h"

/* -1 or 1 */
LS_INLINE float
side(uint32_t bits)
{
    bits *= 2654435761u;
    return bits >> 31 ? 1.0f : -1.0f;
}

LS_INLINE float
flushed(float x)
{
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
}

/* Whether an instruction has an error there at all: not for 0, infinity, NaN. */
LS_INLINE bool
is_ordinary(double x)
{
    return x != 0 && x - x == 0;
}

LS_INLINE float
wrong(double exact, float x, double error)
{
    return is_ordinary(exact) ? flushed((float)(exact * (1.0 + side(bits_of(x)) * error)))
                              : (float)exact;
}

double __ocml_exp2_f64(double);
double __ocml_log2_f64(double);

float
ls_nv_rcp(float x)
{
    double exact = 1.0 / (double)flushed(x);

    return wrong(exact, x, 0x1p-24);
}

float
ls_nv_rsqrt(float x)
{
    double exact = 1.0 / __builtin_sqrt((double)flushed(x));

    return wrong(exact, x, 1.28e-7);
}

float
ls_nv_ex2(float x)
{
    double exact = __ocml_exp2_f64((double)flushed(x));

    return x == __builtin_rintf(x) ? flushed((float)exact) : wrong(exact, x, 1.69e-7);
}

float
ls_nv_lg2(float x)
{
    double exact = __ocml_log2_f64((double)flushed(x)), size = __builtin_fabs(exact);

    if (!is_ordinary(exact))
        return (float)exact;
    return (float)(exact + side(bits_of(x)) * 0x1.5p-23 * (size < 1 ? 1 : size));
}

/* 20 bits of the mantissa, and the last one may be wrong. */
LS_INLINE double
first_bits(double x)
{
    uint64_t bits = bits_of64(x);

    bits = (bits & ~0xffffffffull) + (bits >> 33 & 1) * 0x100000000ull;
    return is_ordinary(x) ? of_bits64(bits) : x;
}

double
ls_nv_rcp64(double x)
{
    return first_bits(1.0 / x);
}

double
ls_nv_rsqrt64(double x)
{
    return first_bits(1.0 / __builtin_sqrt(x));
}
