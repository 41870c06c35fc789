/* SPDX-License-Identifier: MIT */
/* Function and variable qualifiers: attributes under clang -x hip, nothing for other compilers. */
#ifndef HIP_DETAIL_HOST_DEFINES_H
#define HIP_DETAIL_HOST_DEFINES_H

/* By this name of AMD's guard rocThrust knows that the qualifiers are defined; it undefines them
 * otherwise. */
#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <cuda_runtime_api.h> /* has them */
#define __hip_img_chk__
#elif __HIP_CLANG_ONLY__
#ifndef __host__
#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#endif
#ifndef __managed__
#define __managed__ __attribute__((managed))
#endif
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ inline __attribute__((always_inline))
#if defined(__HIP_DEVICE_COMPILE__) && defined(__HIP_NO_IMAGE_SUPPORT)
#define __hip_img_chk__ \
    __attribute__((unavailable("this target has no texture units (__HIP_NO_IMAGE_SUPPORT)")))
#else
#define __hip_img_chk__
#endif
#else
#ifndef __host__
#define __host__
#define __device__
#endif
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __noinline__
#define __forceinline__ inline
#define __hip_img_chk__
#endif

#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif

/* A default argument in C++, nothing in C. */
#ifdef __cplusplus
#define LS_HIP_OPT(value) = value
#else
#define LS_HIP_OPT(value)
#endif

#endif
