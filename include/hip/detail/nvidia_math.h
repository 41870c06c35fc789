/* SPDX-License-Identifier: MIT */
/* The fast functions in bitcode for NVIDIA's GPUs: the hardware's approximations, with the errors
 * that CUDA documents for these names. */
#ifndef HIP_DETAIL_NVIDIA_MATH_H
#define HIP_DETAIL_NVIDIA_MATH_H

#define LS_NVIDIA_MATH LS_HIP_DEVICE __attribute__((enable_if(true, "")))
#define LS_NVIDIA(name, parameters) \
    __device__ __attribute__((const)) float __ls_nv_##name parameters __asm__("__ls_nv." #name)

/* Instructions: src/compiler/ptx/builtins.def */
extern "C" {
LS_NVIDIA(full_exp2, (float));
LS_NVIDIA(full_log2, (float));
LS_NVIDIA(sin, (float));
LS_NVIDIA(cos, (float));
LS_NVIDIA(div, (float, float));
__device__ __attribute__((const)) float __ocml_log10_f32(float);
}

LS_NVIDIA_MATH float
__fdividef(float x, float y)
{
    return __ls_nv_div(x, y);
}

LS_NVIDIA_MATH float
__expf(float x)
{
    return __ls_nv_full_exp2(x * 0x1.715476p+0f);
}

LS_NVIDIA_MATH float
__exp10f(float x)
{
    return __ls_nv_full_exp2(x * 0x1.a934fp+1f);
}

LS_NVIDIA_MATH float
__log2f(float x)
{
    return __ls_nv_full_log2(x);
}

LS_NVIDIA_MATH float
__logf(float x)
{
    return __ls_nv_full_log2(x) * 0x1.62e43p-1f;
}

LS_NVIDIA_MATH float
__log10f(float x)
{
    return __ls_nv_full_log2(x) * 0x1.344136p-2f;
}

LS_NVIDIA_MATH float
__powf(float x, float y)
{
    return __ls_nv_full_exp2(y * __ls_nv_full_log2(x));
}

LS_NVIDIA_MATH float
__sinf(float x)
{
    return __ls_nv_sin(x);
}

LS_NVIDIA_MATH float
__cosf(float x)
{
    return __ls_nv_cos(x);
}

LS_NVIDIA_MATH void
__sincosf(float x, float *sine, float *cosine)
{
    *sine = __ls_nv_sin(x);
    *cosine = __ls_nv_cos(x);
}

LS_NVIDIA_MATH float
__tanf(float x)
{
    return __ls_nv_div(__ls_nv_sin(x), __ls_nv_cos(x));
}

/* Clang's header takes the intrinsic, which is shorter on AMD's hardware. */
LS_NVIDIA_MATH float
log10f(float x)
{
    return __ocml_log10_f32(x);
}

#undef LS_NVIDIA
#undef LS_NVIDIA_MATH

#endif
