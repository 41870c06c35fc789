/* SPDX-License-Identifier: MIT */
/* Which platform is compiled for, and whether this is a device pass. */
#ifndef HIP_COMMON_H
#define HIP_COMMON_H

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_COMMON_H

/* Exactly one platform macro holds. Compilers of CUDA mean NVIDIA's; AMD's is the default: it names
 * the ABI, not the hardware. The second names are older. */
#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#if defined(__HIP_PLATFORM_NVCC__) || defined(__NVCC__) || (defined(__CUDA__) && !defined(__HIP__))
#define __HIP_PLATFORM_NVIDIA__ 1
#else
#define __HIP_PLATFORM_AMD__ 1
#endif
#endif
#if defined(__HIP_PLATFORM_AMD__) && defined(__HIP_PLATFORM_NVIDIA__)
#error "define only one of __HIP_PLATFORM_AMD__ and __HIP_PLATFORM_NVIDIA__"
#endif
#if defined(__HIP_PLATFORM_NVIDIA__)
#ifndef __HIP_PLATFORM_NVCC__
#define __HIP_PLATFORM_NVCC__ 1
#endif
#ifdef __CUDACC__
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ && !defined(__HIP_DEVICE_COMPILE__)
#define __HIP_DEVICE_COMPILE__ 1
#endif
#endif
#elif !defined(__HIP_PLATFORM_HCC__)
#define __HIP_PLATFORM_HCC__ 1
#endif

#if defined(__clang__) && defined(__HIP__)
#define __HIP_CLANG_ONLY__ 1
#else
#define __HIP_CLANG_ONLY__ 0
#endif

#if defined(__GNUC__)
#define HIP_PUBLIC_API              __attribute__((visibility("default")))
#define HIP_INTERNAL_EXPORTED_API   __attribute__((visibility("default")))
#define HIP_DEPRECATED(msg)         __attribute__((deprecated(msg)))
#else
#define HIP_PUBLIC_API
#define HIP_INTERNAL_EXPORTED_API
#define HIP_DEPRECATED(msg)
#endif

#define HIP_DEPRECATED_MSG "a later HIP may lack this"

/* What the device can do, for #if in device code; 0 in the host pass. */
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define LS_HIP_ARCH_HAS 1
#else
#define LS_HIP_ARCH_HAS 0
#endif
#ifdef __HIP_PLATFORM_NVIDIA__
#define LS_NV_ARCH_HAS LS_HIP_ARCH_HAS
#else
#define LS_NV_ARCH_HAS 0
#endif
#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__      LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__  LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__      LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__  LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__          LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__      LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__      LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_DOUBLES__                   LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_VOTE__                 LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_BALLOT__               LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_SHUFFLE__              LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__         LS_NV_ARCH_HAS
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__       LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__           LS_NV_ARCH_HAS
#define __HIP_ARCH_HAS_SURFACE_FUNCS__             LS_NV_ARCH_HAS
#define __HIP_ARCH_HAS_3DGRID__                    LS_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__          LS_NV_ARCH_HAS

#endif
