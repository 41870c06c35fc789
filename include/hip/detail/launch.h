/* SPDX-License-Identifier: MIT */
/* Launch macros of the kernel language, and kernels' launch bounds. */
#ifndef HIP_DETAIL_LAUNCH_H
#define HIP_DETAIL_LAUNCH_H

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)
#include <tuple>
#include <type_traits>
#endif

#include <hip/hip_runtime_api.h>

/* Names of the older guides: what a kernel's first parameter was, and its launch bounds. */
typedef int hipLaunchParm;
typedef hipLaunchParm hipGridLaunch;

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

/* Two calls have the name hipLaunchKernel: the API's function, which takes the arguments' addresses
 * as an array, and the older form of HIP Programming Guide, whose arguments follow the stream. The
 * type of the fourth argument tells which is meant. A kernel whose first parameter is a
 * hipLaunchParm is given one. */
#if defined(__cplusplus) && !defined(__HIPCC_RTC__)
namespace hip_impl {
/* Whether L is the type of a size. A long is not taken for one: it may be NULL, which means an
 * empty array of arguments. */
template <typename L>
using ls_if_size = typename std::enable_if<(std::is_integral<L>::value || std::is_enum<L>::value) &&
                                           !std::is_same<L, long>::value>::type;

template <typename... Ps, typename L, typename... As, typename = ls_if_size<L>>
inline typename std::enable_if<sizeof...(Ps) == sizeof...(As)>::type
ls_launch_whole(void (*kernel)(Ps...), dim3 grid, dim3 block, L shared, hipStream_t stream,
                As &&...args)
{
    kernel<<<grid, block, shared, stream>>>(static_cast<As &&>(args)...);
}

template <typename... Ps, typename L, typename... As, typename = ls_if_size<L>>
inline typename std::enable_if<sizeof...(Ps) == sizeof...(As)>::type
ls_launch_whole(void (*kernel)(hipLaunchParm, Ps...), dim3 grid, dim3 block, L shared,
                hipStream_t stream, As &&...args)
{
    kernel<<<grid, block, shared, stream>>>(hipLaunchParm(), static_cast<As &&>(args)...);
}

template <typename F>
inline hipError_t
ls_launch_whole(F *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0,
                hipStream_t stream = 0)
{
    return hipLaunchKernel(kernel, grid, block, args, shared, stream);
}

inline hipError_t
ls_launch_whole(decltype(nullptr), dim3 grid, dim3 block, void **args, size_t shared = 0,
                hipStream_t stream = 0)
{
    return hipLaunchKernel(static_cast<const void *>(nullptr), grid, block, args, shared, stream);
}
} // namespace hip_impl

#if __cplusplus < 201402L && !defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
/* In C++11 a kernel template must be named with its arguments: the form below captures in generic
 * lambdas, which clang does not do in C++11. */
#define hipLaunchKernel(...) hip_impl::ls_launch_whole(__VA_ARGS__)
#elif !defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
namespace hip_impl {
template <typename T> T &&ls_value();

/* Chooses the form by whether the lambda can take these arguments: the caller passes an int, so
 * that this overload comes before that with a long. */
template <typename Launch, typename LaunchWithParm, typename... As>
inline auto
ls_launch_by(int, Launch launch, LaunchWithParm, As &&...args)
    -> decltype(launch(static_cast<As &&>(args)...))
{
    return launch(static_cast<As &&>(args)...);
}

template <typename Launch, typename LaunchWithParm, typename... As>
inline void
ls_launch_by(long, Launch, LaunchWithParm launch, As &&...args)
{
    launch(static_cast<As &&>(args)...);
}

template <typename Call, typename Launch, typename LaunchWithParm, typename L, typename... As,
          typename = ls_if_size<L>>
inline void
ls_launch_split(Call, Launch launch, LaunchWithParm with_parm, dim3 grid, dim3 block, L shared,
                hipStream_t stream, As &&...args)
{
    ls_launch_by(0, launch, with_parm, grid, block, shared, stream, static_cast<As &&>(args)...);
}

template <typename Call, typename Launch, typename LaunchWithParm>
inline hipError_t
ls_launch_split(Call call, Launch, LaunchWithParm, dim3 grid, dim3 block, void **args,
                size_t shared = 0, hipStream_t stream = 0)
{
    return call(grid, block, args, shared, stream);
}
} // namespace hip_impl

/* hipLaunchKernel is a macro, as the name of a kernel template cannot be an argument of a function.
 * If the first argument begins with a parenthesis, it is no such name but for instance a cast,
 * whose type may contain commas: then all arguments are taken as a whole. */
#define hipLaunchKernel(kernel, ...) \
    LS_HIP_LAUNCH_PICK(LS_HIP_LAUNCH_PAREN LS_HIP_LAUNCH_FIRST(kernel, ), LS_HIP_LAUNCH_SPLIT, ) \
    ((kernel), (kernel, __VA_ARGS__), __VA_ARGS__)
#define LS_HIP_LAUNCH_FIRST(a, ...)      a
#define LS_HIP_LAUNCH_PAREN(...)         , LS_HIP_LAUNCH_WHOLE,
#define LS_HIP_LAUNCH_PICK(a, ...)       LS_HIP_LAUNCH_PICK_2(a, __VA_ARGS__)
#define LS_HIP_LAUNCH_PICK_2(a, ...)     LS_HIP_LAUNCH_PICK_3(a, __VA_ARGS__)
#define LS_HIP_LAUNCH_PICK_3(a, b, ...)  b
#define LS_HIP_LAUNCH_WHOLE(kernel, whole, ...) hip_impl::ls_launch_whole whole
/* The lambda's condition stands in a default argument of its template, as this is not part of its
 * mangled name. */
#define LS_HIP_LAUNCH_SPLIT(kernel, whole, ...)                                                    \
    LS_HIP_LAUNCH_QUIET hip_impl::ls_launch_split(                                                 \
        [&]<typename... ls_As>(ls_As... ls_args) {                                                 \
            return hip_impl::ls_launch_whole(kernel, ls_args...);                                  \
        },                                                                                         \
        [&]<typename... ls_As,                                                                     \
            typename = decltype((void)(kernel<<<1, 1>>>(hip_impl::ls_value<ls_As>()...)))>(        \
            dim3 ls_grid, dim3 ls_block, size_t ls_shared, hipStream_t ls_stream,                  \
            ls_As && ...ls_args) {                                                                 \
            kernel<<<ls_grid, ls_block, ls_shared, ls_stream>>>(                                   \
                static_cast<ls_As &&>(ls_args)...);                                                \
        },                                                                                         \
        [&]<typename... ls_As>(dim3 ls_grid, dim3 ls_block, size_t ls_shared,                      \
                               hipStream_t ls_stream, ls_As &&...ls_args) {                        \
            kernel<<<ls_grid, ls_block, ls_shared, ls_stream>>>(                                   \
                hipLaunchParm(), static_cast<ls_As &&>(ls_args)...);                               \
        },                                                                                         \
        __VA_ARGS__) _Pragma("clang diagnostic pop")
#define LS_HIP_LAUNCH_QUIET \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc++20-extensions\"")
#endif
#endif

#else
#define __launch_bounds__(...)
#endif

#define hip_launch_bounds   __launch_bounds__
#define __hip_launch_bounds __launch_bounds__

#endif
