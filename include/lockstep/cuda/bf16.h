/* SPDX-License-Identifier: MIT */
/* cuda_bf16.h of hipcc --cuda: CUDA's names for hip_bf16.h, and the conversions that HIP lacks. */
#ifndef LOCKSTEP_CUDA_BF16_H
#define LOCKSTEP_CUDA_BF16_H

#include <lockstep/cuda/fp16.h>

#include <hip/hip_bf16.h>

#undef __nv_bfloat16
#undef __nv_bfloat162
#undef nv_bfloat16
#undef nv_bfloat162
#define __nv_bfloat16  __hip_bfloat16
#define __nv_bfloat162 __hip_bfloat162
#define nv_bfloat16    __hip_bfloat16
#define nv_bfloat162   __hip_bfloat162

#define LS_CUDA_BOTH static __host__ __device__ inline

LS_CUDA_BOTH __hip_bfloat162
make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y)
{
    return __hip_bfloat162(x, y);
}

LS_CUDA_BOTH __hip_bfloat162
__floats2bfloat162_rn(float x, float y)
{
    return __hip_bfloat162(__float2bfloat16(x), __float2bfloat16(y));
}

LS_CUDA_BOTH __hip_bfloat162
__float2bfloat162_rn(float x)
{
    return __floats2bfloat162_rn(x, x);
}

namespace ls_cuda {
/* The upper half of a float is a bfloat16: towards zero it is cut off, away from zero it is one
 * more where anything was cut. */
LS_CUDA_BOTH __hip_bfloat16
bf16_cut(float value, bool away)
{
    unsigned int bits;
    __builtin_memcpy(&bits, &value, 4);
    if (value == value && away && (bits & 0xffff) && (bits & 0x7f800000) != 0x7f800000)
        bits += 0x10000;
    else if (value != value)
        bits |= 0x400000;
    return __ushort_as_bfloat16((unsigned short)(bits >> 16));
}

/* A float from which all roundings of the integer to a bfloat16 come out right: cut towards zero,
 * its last bit set where something was lost. */
template <class T>
LS_CUDA_BOTH float
odd_float(T value)
{
    bool negative = value < 0;
    unsigned long long size = negative ? 0ull - (unsigned long long)value : value, kept = size;
    int shift = 0;
    while (kept >> 24) {
        kept >>= 1;
        shift++;
    }
    if (kept << shift != size)
        kept |= 1;
    float result = (float)(unsigned int)kept;
    for (; shift; shift--)
        result *= 2;
    return negative ? -result : result;
}
} // namespace ls_cuda

LS_CUDA_BOTH __hip_bfloat16
__float2bfloat16_rn(float x)
{
    return __float2bfloat16(x);
}

LS_CUDA_BOTH __hip_bfloat16
__float2bfloat16_rz(float x)
{
    return ls_cuda::bf16_cut(x, false);
}

LS_CUDA_BOTH __hip_bfloat16
__float2bfloat16_rd(float x)
{
    return ls_cuda::bf16_cut(x, x < 0);
}

LS_CUDA_BOTH __hip_bfloat16
__float2bfloat16_ru(float x)
{
    return ls_cuda::bf16_cut(x, x > 0);
}

#define LS_CUDA_FROM(name, T, mode) \
    LS_CUDA_BOTH __hip_bfloat16 __##name##2bfloat16_##mode(T x) \
    { \
        return __float2bfloat16_##mode(ls_cuda::odd_float(x)); \
    }
#define LS_CUDA_FROM_ALL(name, T) \
    LS_CUDA_FROM(name, T, rn) \
    LS_CUDA_FROM(name, T, rz) \
    LS_CUDA_FROM(name, T, rd) \
    LS_CUDA_FROM(name, T, ru)
LS_CUDA_FROM_ALL(short, short)
LS_CUDA_FROM_ALL(ushort, unsigned short)
LS_CUDA_FROM_ALL(int, int)
LS_CUDA_FROM_ALL(uint, unsigned int)
LS_CUDA_FROM_ALL(ll, long long)
LS_CUDA_FROM_ALL(ull, unsigned long long)
#undef LS_CUDA_FROM_ALL
#undef LS_CUDA_FROM

#if __HIP_CLANG_ONLY__
LS_HIP_DEVICE __hip_bfloat16
htanh(__hip_bfloat16 x)
{
    return __float2bfloat16(tanhf(__bfloat162float(x)));
}

LS_HIP_DEVICE __hip_bfloat162
h2tanh(__hip_bfloat162 x)
{
    return __hip_bfloat162(htanh(x.x), htanh(x.y));
}

LS_HIP_DEVICE __hip_bfloat16
htanh_approx(__hip_bfloat16 x)
{
    return htanh(x);
}

LS_HIP_DEVICE __hip_bfloat162
h2tanh_approx(__hip_bfloat162 x)
{
    return h2tanh(x);
}

/* To integers: what is too large becomes the largest, NaN becomes 0. */
#define LS_CUDA_TO(name, T, low, high, mode, rounded) \
    LS_HIP_DEVICE T __bfloat162##name##_##mode(__hip_bfloat16 x) \
    { \
        float f = rounded(__bfloat162float(x)); \
        if (f <= (float)(low)) \
            return (T)(low); \
        return f != f ? (T)0 : f >= (float)(high) ? (T)(high) : (T)f; \
    }
#define LS_CUDA_TO_ALL(name, T, low, high) \
    LS_CUDA_TO(name, T, low, high, rn, __builtin_rintf) \
    LS_CUDA_TO(name, T, low, high, rz, __builtin_truncf) \
    LS_CUDA_TO(name, T, low, high, rd, __builtin_floorf) \
    LS_CUDA_TO(name, T, low, high, ru, __builtin_ceilf)
LS_CUDA_TO_ALL(short, short, -32768, 32767)
LS_CUDA_TO_ALL(ushort, unsigned short, 0, 65535)
LS_CUDA_TO_ALL(int, int, -__INT_MAX__ - 1, __INT_MAX__)
LS_CUDA_TO_ALL(uint, unsigned int, 0, ~0u)
LS_CUDA_TO_ALL(ll, long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
LS_CUDA_TO_ALL(ull, unsigned long long, 0, ~0ull)
LS_CUDA_TO(char, signed char, -128, 127, rz, __builtin_truncf)
LS_CUDA_TO(uchar, unsigned char, 0, 255, rz, __builtin_truncf)
#undef LS_CUDA_TO_ALL
#undef LS_CUDA_TO

#endif

#undef LS_CUDA_BOTH
#endif
