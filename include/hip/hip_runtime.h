/* SPDX-License-Identifier: MIT */
/* HIP: the runtime API and, under clang -x hip, the kernel language. */
#ifndef HIP_RUNTIME_H
#define HIP_RUNTIME_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/hip_version.h>
#include <hip/nvidia_detail/nvidia_hip_runtime.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_DEVICE_FUNCTIONS_H

#if !defined(__HIPCC_RTC__)
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#if __HIP_CLANG_ONLY__
#include <__clang_hip_runtime_wrapper.h> /* -nogpuinc leaves it out in front of the source */
#endif
#include <cmath>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <thread> /* programs take std::chrono and std::this_thread from here */
#include <tuple>
#include <type_traits>
#include <utility>
#else
#include <math.h>
#endif
#endif

#include <hip/hip_version.h>
#include <hip/hip_common.h>
#include <hip/detail/host_defines.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>
#include <hip/library_types.h>
#include <hip/detail/launch.h>

#define CUDA_SUCCESS hipSuccess

#if __HIP_CLANG_ONLY__ && defined(__cplusplus)
#include <hip/detail/device_core.h>
#include <hip/detail/ockl.h>
#include <hip/detail/integer_functions.h>
#include <hip/detail/conversions.h>
#include <hip/detail/rounded_functions.h>
#include <hip/detail/device_math.h>
#if !defined(__HIPCC_RTC__)
#include <hip/detail/host_math.h>
#endif
#include <hip/detail/math_overloads.h>
#include <hip/detail/warp_functions.h>
#include <hip/detail/atomics.h>
#include <hip/detail/graph_device.h>
#include <hip/detail/ldg.h>
#include <hip/detail/surface_functions.h>
#include <hip/detail/texture_functions.h>
#endif

#endif
#endif
