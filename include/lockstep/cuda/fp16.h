/* SPDX-License-Identifier: MIT */
/* cuda_fp16.h of hipcc --cuda: HIP's, and what CUDA has besides. */
#ifndef LOCKSTEP_CUDA_FP16_H
#define LOCKSTEP_CUDA_FP16_H

#include <lockstep/cuda/runtime.h>

#include <hip/hip_fp16.h>

#define nv_half  __half
#define nv_half2 __half2

#if __HIP_CLANG_ONLY__
/* Sums and products that are not contracted; here each operation rounds. */
#define LS_CUDA_ROUNDED(name, T) \
    LS_HIP_DEVICE T name##_rn(T a, T b) { return name(a, b); }
LS_CUDA_ROUNDED(__hadd, __half)
LS_CUDA_ROUNDED(__hsub, __half)
LS_CUDA_ROUNDED(__hmul, __half)
LS_CUDA_ROUNDED(__hadd2, __half2)
LS_CUDA_ROUNDED(__hsub2, __half2)
LS_CUDA_ROUNDED(__hmul2, __half2)
#undef LS_CUDA_ROUNDED

/* Comparisons that give a mask of 16 bits for each half */
#define LS_CUDA_MASK(name) \
    LS_HIP_DEVICE unsigned int __h##name##2_mask(__half2 a, __half2 b) \
    { \
        return (__h##name(__low2half(a), __low2half(b)) ? 0xffffu : 0) | \
               (__h##name(__high2half(a), __high2half(b)) ? 0xffff0000u : 0); \
    }
LS_CUDA_MASK(eq)
LS_CUDA_MASK(ne)
LS_CUDA_MASK(lt)
LS_CUDA_MASK(le)
LS_CUDA_MASK(gt)
LS_CUDA_MASK(ge)
LS_CUDA_MASK(equ)
LS_CUDA_MASK(neu)
LS_CUDA_MASK(ltu)
LS_CUDA_MASK(leu)
LS_CUDA_MASK(gtu)
LS_CUDA_MASK(geu)
#undef LS_CUDA_MASK

LS_HIP_DEVICE __half
__hfma_relu(__half a, __half b, __half c)
{
    return __hmax(__hfma(a, b, c), __float2half(0.0f));
}

LS_HIP_DEVICE __half2
__hfma2_relu(__half2 a, __half2 b, __half2 c)
{
    return __halves2half2(__hfma_relu(__low2half(a), __low2half(b), __low2half(c)),
                          __hfma_relu(__high2half(a), __high2half(b), __high2half(c)));
}

/* a * b + c of complex numbers */
LS_HIP_DEVICE __half2
__hcmadd(__half2 a, __half2 b, __half2 c)
{
    __half re = __hfma(__low2half(a), __low2half(b), __low2half(c));
    __half im = __hfma(__low2half(a), __high2half(b), __high2half(c));
    return __halves2half2(__hfma(__hneg(__high2half(a)), __high2half(b), re),
                          __hfma(__high2half(a), __low2half(b), im));
}

#define LS_CUDA_NAN(name) \
    LS_HIP_DEVICE __half2 __h##name##2_nan(__half2 a, __half2 b) \
    { \
        return __halves2half2(__h##name##_nan(__low2half(a), __low2half(b)), \
                              __h##name##_nan(__high2half(a), __high2half(b))); \
    }
LS_CUDA_NAN(max)
LS_CUDA_NAN(min)
#undef LS_CUDA_NAN

LS_HIP_DEVICE __half
htanh(__half x)
{
    return __float2half(tanhf(__half2float(x)));
}

LS_HIP_DEVICE __half2
h2tanh(__half2 x)
{
    return __halves2half2(htanh(__low2half(x)), htanh(__high2half(x)));
}

LS_HIP_DEVICE __half
htanh_approx(__half x)
{
    return htanh(x);
}

LS_HIP_DEVICE __half2
h2tanh_approx(__half2 x)
{
    return h2tanh(x);
}

LS_HIP_DEVICE __half
__double2half(double x)
{
    return (_Float16)x;
}

LS_HIP_DEVICE signed char
__half2char_rz(__half x)
{
    float f = __half2float(x);
    return (signed char)(f != f ? 0 : f < -128.0f ? -128 : f > 127.0f ? 127 : (int)f);
}

LS_HIP_DEVICE unsigned char
__half2uchar_rz(__half x)
{
    float f = __half2float(x);
    return (unsigned char)(!(f > 0.0f) ? 0 : f > 255.0f ? 255 : (int)f);
}
#endif

#endif
