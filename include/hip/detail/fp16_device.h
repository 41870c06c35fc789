/* SPDX-License-Identifier: MIT */
/* 16-bit floating point in kernels: functions, shuffles, loads, atomics. */
#ifndef HIP_DETAIL_FP16_DEVICE_H
#define HIP_DETAIL_FP16_DEVICE_H

#include <hip/detail/fp16.h>
#include <hip/detail/atomics.h>
#include <hip/detail/warp_functions.h>
#include <hip/detail/ldg.h>

/* Tells clang's overloads of mathematical functions that __half is not promoted, so that min and
 * max return __half. */
#ifdef __CLANG_HIP_CMATH_H__
namespace __hip {
template <> struct __numeric_type<__half> {
    static const bool value = false;
};
} // namespace __hip
#endif

/* h<name> and, by component, h2<name> */
#define LS_HALF_FUNCTION(name, expression) \
    LS_HIP_DEVICE __half h##name(__half v) \
    { \
        _Float16 x = __ls_half_value(v); \
        return __ls_half((_Float16)(expression)); \
    } \
    LS_HIP_DEVICE __half2 h2##name(__half2 v) \
    { \
        return __half2(h##name(v.x), h##name(v.y)); \
    }

LS_HALF_FUNCTION(trunc, __ocml_trunc_f16(x))
LS_HALF_FUNCTION(ceil, __ocml_ceil_f16(x))
LS_HALF_FUNCTION(floor, __ocml_floor_f16(x))
LS_HALF_FUNCTION(rint, __ocml_rint_f16(x))
/* In single precision, as OCML 5.2's functions of a half treat some finite arguments as
 * infinite. */
LS_HALF_FUNCTION(sin, __ocml_sin_f32((float)x))
LS_HALF_FUNCTION(cos, __ocml_cos_f32((float)x))
LS_HALF_FUNCTION(exp, __ocml_exp_f16(x))
LS_HALF_FUNCTION(exp2, __ocml_exp2_f16(x))
LS_HALF_FUNCTION(exp10, __ocml_exp10_f16(x))
LS_HALF_FUNCTION(log, __ocml_log_f16(x))
LS_HALF_FUNCTION(log2, __ocml_log2_f16(x))
LS_HALF_FUNCTION(log10, __ocml_log10_f16(x))
LS_HALF_FUNCTION(sqrt, __ocml_sqrt_f16(x))
LS_HALF_FUNCTION(rsqrt, __ocml_rsqrt_f16(x))
LS_HALF_FUNCTION(rcp, (_Float16)1 / x)
#undef LS_HALF_FUNCTION

/* a . b + c in float */
LS_HIP_DEVICE float
amd_mixed_dot(__half2 a, __half2 b, float c, bool saturate)
{
    return __ockl_fdot2(a.data, b.data, c, saturate);
}

LS_HIP_SHUFFLES(__half)
LS_HIP_SHUFFLES(__half2)

#ifndef __LS_CUDA__ /* lockstep/cuda/device.h has all of them */
template <typename T>
LS_HIP_DEVICE T
__ldcg(const T *ptr)
{
    return *ptr;
}

template <typename T>
LS_HIP_DEVICE T
__ldca(const T *ptr)
{
    return *ptr;
}

template <typename T>
LS_HIP_DEVICE T
__ldcs(const T *ptr)
{
    return *ptr;
}
#endif

LS_HIP_ATOMIC_ADD_AS(__half, ls_hip_half_alias, LS_HIP_FETCH_ADD)
LS_HIP_ATOMIC_ADD_AS(__half2, ls_hip_half_pair, __ls_atomic_add_v2f16)

#endif
