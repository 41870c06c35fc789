/* SPDX-License-Identifier: MIT */
/* 8-bit floating point on NVIDIA's platform: CUDA's types, which are OCP's formats. The formats
 * with _fnuz are AMD's alone. */
#ifndef HIP_NVIDIA_DETAIL_HIP_FP8_H
#define HIP_NVIDIA_DETAIL_HIP_FP8_H

#include <cuda_fp8.h>

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#define HIP_FP8_TYPE_OCP  1
#define HIP_FP8_TYPE_FNUZ 0

typedef __nv_fp8_storage_t __hip_fp8_storage_t;
typedef __nv_fp8x2_storage_t __hip_fp8x2_storage_t;
typedef __nv_fp8x4_storage_t __hip_fp8x4_storage_t;
typedef __nv_fp8_interpretation_t __hip_fp8_interpretation_t;
typedef __nv_saturation_t __hip_saturation_t;
#define __HIP_E4M3      __NV_E4M3
#define __HIP_E5M2      __NV_E5M2
#define __HIP_NOSAT     __NV_NOSAT
#define __HIP_SATFINITE __NV_SATFINITE

#ifdef __cplusplus
typedef __nv_fp8_e4m3 __hip_fp8_e4m3;
typedef __nv_fp8x2_e4m3 __hip_fp8x2_e4m3;
typedef __nv_fp8x4_e4m3 __hip_fp8x4_e4m3;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2;
typedef __nv_fp8x2_e5m2 __hip_fp8x2_e5m2;
typedef __nv_fp8x4_e5m2 __hip_fp8x4_e5m2;

/* Conversions, by the names without their prefix */
#define __hip_cvt_float_to_fp8         __nv_cvt_float_to_fp8
#define __hip_cvt_float2_to_fp8x2      __nv_cvt_float2_to_fp8x2
#define __hip_cvt_double_to_fp8        __nv_cvt_double_to_fp8
#define __hip_cvt_double2_to_fp8x2     __nv_cvt_double2_to_fp8x2
#define __hip_cvt_halfraw_to_fp8       __nv_cvt_halfraw_to_fp8
#define __hip_cvt_halfraw2_to_fp8x2    __nv_cvt_halfraw2_to_fp8x2
#define __hip_cvt_bfloat16raw_to_fp8   __nv_cvt_bfloat16raw_to_fp8
#define __hip_cvt_bfloat16raw2_to_fp8x2 __nv_cvt_bfloat16raw2_to_fp8x2
#define __hip_cvt_fp8_to_halfraw       __nv_cvt_fp8_to_halfraw
#define __hip_cvt_fp8x2_to_halfraw2    __nv_cvt_fp8x2_to_halfraw2
#endif

#endif
