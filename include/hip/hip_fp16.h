/* SPDX-License-Identifier: MIT */
/* 16-bit floating point: __half and __half2, on host and device. */
#ifndef HIP_FP16_H
#define HIP_FP16_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <cuda_fp16.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_FP16_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_HIP_FP16_H

#include <hip/hip_common.h>
#if defined(__cplusplus) && defined(__clang__)
#include <hip/hip_runtime.h>
#include <hip/detail/fp16.h>
#if __HIP_CLANG_ONLY__
#include <hip/detail/fp16_device.h>
#endif
#elif defined(__cplusplus)
#include <hip/detail/fp16_host.h>
#else

/* C sees the storage only. */
typedef struct {
    unsigned short x;
} __half_raw;

typedef struct {
    unsigned short x, y;
} __half2_raw;

typedef __half_raw __half;
typedef __half2_raw __half2;
#endif

#ifndef HIP_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif

#endif
#endif
