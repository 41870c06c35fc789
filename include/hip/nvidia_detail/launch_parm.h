/* SPDX-License-Identifier: MIT */
/* hipLaunchKernel as HIP Programming Guide 4.3.6 has it: the kernel's arguments behind the stream.
 * A kernel whose first parameter is a hipLaunchParm is given one. */
#ifndef HIP_NVIDIA_DETAIL_LAUNCH_PARM_H
#define HIP_NVIDIA_DETAIL_LAUNCH_PARM_H

template <typename... Ps, typename L, typename... As>
inline typename std::enable_if<(sizeof...(Ps) == sizeof...(As)) &&
                               (std::is_integral<L>::value || std::is_enum<L>::value)>::type
hipLaunchKernel(void (*kernel)(Ps...), dim3 grid, dim3 block, L shared, hipStream_t stream,
                As... args)
{
    kernel<<<grid, block, shared, stream>>>(args...);
}

template <typename... Ps, typename L, typename... As>
inline typename std::enable_if<(sizeof...(Ps) == sizeof...(As)) &&
                               (std::is_integral<L>::value || std::is_enum<L>::value)>::type
hipLaunchKernel(void (*kernel)(hipLaunchParm, Ps...), dim3 grid, dim3 block, L shared,
                hipStream_t stream, As... args)
{
    kernel<<<grid, block, shared, stream>>>(hipLaunchParm(), args...);
}

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
