/* SPDX-License-Identifier: MIT */
/* Conversions between float and the bits of a bfloat16, for both bfloat16 types. */
#ifndef HIP_DETAIL_BF16_BITS_H
#define HIP_DETAIL_BF16_BITS_H

#include <hip/detail/host_defines.h>

#define LS_BF16 static __host__ __device__ inline

LS_BF16 float
__ls_bf16_to_float(unsigned short bits)
{
    unsigned int word = (unsigned int)bits << 16;
    float f;
    __builtin_memcpy(&f, &word, sizeof(f));
    return f;
}

/* To nearest, ties to even; NaN stays NaN. */
LS_BF16 unsigned short
__ls_float_to_bf16(float f)
{
    unsigned int word;
    __builtin_memcpy(&word, &f, sizeof(word));
    if ((word & 0x7fffffffu) > 0x7f800000u)
        return (unsigned short)(word >> 16 | 0x40);
    return (unsigned short)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

/* Rounds once: the float between carries in its last bit that it is not exact. */
LS_BF16 unsigned short
__ls_double_to_bf16(double d)
{
    float f = (float)d;
    double back = (double)f;
    unsigned int word;
    __builtin_memcpy(&word, &f, sizeof(word));
    if (back == d || d != d)
        return __ls_float_to_bf16(f);
    word -= d < 0 ? back < d : back > d;
    word |= 1;
    __builtin_memcpy(&f, &word, sizeof(f));
    return __ls_float_to_bf16(f);
}

#endif
