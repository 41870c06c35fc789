/* SPDX-License-Identifier: MIT */
/* Launch macros of the kernel language, and kernels' launch bounds. */
#ifndef HIP_DETAIL_LAUNCH_H
#define HIP_DETAIL_LAUNCH_H

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)
#include <tuple>
#include <type_traits>
#endif

#include <hip/hip_runtime_api.h>

typedef int hipLaunchParm;

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol)   symbol

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)
namespace hip_impl {
/* args[i] = the address of element i; one more entry than elements. */
template <size_t I = 0, typename... Ts>
inline typename std::enable_if<I == sizeof...(Ts)>::type
ls_argument_pointers(std::tuple<Ts...> &, void **args)
{
    args[I] = nullptr;
}

template <size_t I = 0, typename... Ts>
inline typename std::enable_if<(I < sizeof...(Ts))>::type
ls_argument_pointers(std::tuple<Ts...> &values, void **args)
{
    args[I] = const_cast<void *>(static_cast<const void *>(&std::get<I>(values)));
    ls_argument_pointers<I + 1>(values, args);
}
} // namespace hip_impl
#endif

#if __HIP_CLANG_ONLY__

/* Most threads of a block; then, if given, the least warps that should fit at once. */
#define LS_HIP_BOUNDS_1(threads) \
    __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define LS_HIP_BOUNDS_2(threads, warps) \
    __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(warps)))
#define LS_HIP_BOUNDS_PICK(a, b, macro, ...) macro
#define __launch_bounds__(...) \
    LS_HIP_BOUNDS_PICK(__VA_ARGS__, LS_HIP_BOUNDS_2, LS_HIP_BOUNDS_1, )(__VA_ARGS__)

/* Dynamic LDS of a kernel, as an array of unknown size. */
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

#define hipLaunchKernelGGLInternal(kernel, grid, block, sharedMemBytes, stream, ...) \
    do { \
        kernel<<<(grid), (block), (sharedMemBytes), (stream)>>>(__VA_ARGS__); \
    } while (0)
#define hipLaunchKernelGGL(kernel, ...) hipLaunchKernelGGLInternal((kernel), __VA_ARGS__)

#else
#define __launch_bounds__(...)
#endif

#endif
