/* SPDX-License-Identifier: MIT */
/* The kernel language for hiprtc: what a source sees without any #include, and without one header
 * of the C or C++ library. Sources may define int64_t, std::enable_if and their like themselves;
 * see rtc_stdint.h. */
#ifndef HIP_DETAIL_RTC_RUNTIME_H
#define HIP_DETAIL_RTC_RUNTIME_H

#ifndef __HIPCC_RTC__
#error "this header is for hiprtc only"
#endif

/* Type traits by the compiler's builtins; AMD's headers have them under the same name (HIP
 * Programming Guide 3.3.7.3, "HIP Runtime Compilation"). */
namespace __hip_internal {
template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant type;
    __attribute__((host, device)) constexpr operator T() const noexcept { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

template <bool condition, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> {
    typedef T type;
};
template <bool condition, typename T, typename F> struct conditional {
    typedef T type;
};
template <typename T, typename F> struct conditional<false, T, F> {
    typedef F type;
};
template <typename T> struct remove_const {
    typedef __remove_const(T) type;
};
template <typename T> struct remove_volatile {
    typedef __remove_volatile(T) type;
};
template <typename T> struct remove_cv {
    typedef __remove_cv(T) type;
};
template <typename T> struct remove_reference {
    typedef __remove_reference_t(T) type;
};
template <typename T> struct decay {
    typedef __decay(T) type;
};
template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};

#define LS_HIP_TRAIT(name) \
    template <typename T> struct name : integral_constant<bool, __##name(T)> {};
LS_HIP_TRAIT(is_arithmetic)
LS_HIP_TRAIT(is_array)
LS_HIP_TRAIT(is_const)
LS_HIP_TRAIT(is_enum)
LS_HIP_TRAIT(is_floating_point)
LS_HIP_TRAIT(is_integral)
LS_HIP_TRAIT(is_pointer)
LS_HIP_TRAIT(is_reference)
LS_HIP_TRAIT(is_scalar)
LS_HIP_TRAIT(is_signed)
LS_HIP_TRAIT(is_standard_layout)
LS_HIP_TRAIT(is_trivial)
LS_HIP_TRAIT(is_trivially_copyable)
LS_HIP_TRAIT(is_unsigned)
LS_HIP_TRAIT(is_void)
#undef LS_HIP_TRAIT
template <typename From, typename To>
struct is_convertible : integral_constant<bool, __is_convertible(From, To)> {};

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

using ::size_t;
template <typename T> __attribute__((host, device)) typename remove_reference<T>::type &&
move(T &&value) noexcept
{
    return static_cast<typename remove_reference<T>::type &&>(value);
}
template <typename T> __attribute__((host, device)) T &&
forward(typename remove_reference<T>::type &value) noexcept
{
    return static_cast<T &&>(value);
}
} // namespace __hip_internal

#if __HIPRTC_PTRDIFF_T_IS_LONG_LONG__
typedef long long ptrdiff_t;
#else
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#endif
typedef long clock_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef int int32_t; /* of the fixed widths only those of 32 bits: a source that defines them too
                        can only mean the same types */
typedef unsigned int uint32_t;
namespace std {
using ::int32_t;
using ::uint32_t;
using ::ptrdiff_t;
using ::clock_t;
} // namespace std

#include <hip/detail/rtc_names.h>
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_math_constants.h>
#include <hip/hip_cooperative_groups.h>

#include <hip/detail/rtc_names_end.h>

namespace std {
using ::__hip_internal::isinf; /* for hip_bfloat16 */
using ::__hip_internal::isnan;
using ::__hip_internal::iszero;
} // namespace std

#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif

#endif
