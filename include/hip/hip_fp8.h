/* SPDX-License-Identifier: MIT */
/* 8-bit floating point, on host and device: storage formats that convert to and from larger types.
 *
 * e4m3 and e5m2 are OCP's formats; those with _fnuz have no infinity and no negative zero, and 0x80
 * is their NaN. Conversions round to nearest, ties to even. */
#ifndef HIP_FP8_H
#define HIP_FP8_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/nvidia_detail/nvidia_hip_fp8.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_FP8_H
#define _HIP_INCLUDE_HIP_AMD_DETAIL_HIP_FP8_H_

#include <hip/hip_common.h>

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t; /* the first value is in the low byte */
typedef unsigned int __hip_fp8x4_storage_t;

enum __hip_fp8_interpretation_t {
    __HIP_E4M3 = 0,
    __HIP_E5M2 = 1,
    __HIP_E4M3_FNUZ = 2,
    __HIP_E5M2_FNUZ = 3
};

/* What becomes of a value beyond the largest: infinity or NaN, or the largest finite value. */
enum __hip_saturation_t {
    __HIP_NOSAT = 0,
    __HIP_SATFINITE = 1
};

/* Which of the formats the target has in hardware, for programs that choose by it: both kinds work
 * everywhere. */
#if defined(__HIP_DEVICE_COMPILE__) &&                                                             \
    (defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__))
#define HIP_FP8_TYPE_OCP  0
#define HIP_FP8_TYPE_FNUZ 1
#elif defined(__HIP_DEVICE_COMPILE__) && (defined(__gfx1200__) || defined(__gfx1201__))
#define HIP_FP8_TYPE_OCP  1
#define HIP_FP8_TYPE_FNUZ 0
#else
#define HIP_FP8_TYPE_OCP  1
#define HIP_FP8_TYPE_FNUZ 1
#endif

#if defined(__cplusplus) && defined(__clang__)

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#if defined(__HIPCC_RTC__)
#include <hip/detail/rtc_names.h>
#endif

#define LS_FP8 static __host__ __device__ inline

/* From numbers */

LS_FP8 __hip_fp8_storage_t
__hip_cvt_double_to_fp8(const double value, const __hip_saturation_t saturation,
                        const __hip_fp8_interpretation_t format)
{
    const bool fnuz = format == __HIP_E4M3_FNUZ || format == __HIP_E5M2_FNUZ;
    const bool e4 = format == __HIP_E4M3 || format == __HIP_E4M3_FNUZ;
    const int n_fraction = e4 ? 3 : 2;
    const int bias = (e4 ? 7 : 15) + (fnuz ? 1 : 0);
    const unsigned int largest = fnuz ? 0x7f : e4 ? 0x7e : 0x7b;

    unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    unsigned int sign = (unsigned int)(bits >> 63) << 7;
    bits &= ~0ull >> 1;
    double magnitude = __builtin_bit_cast(double, bits);

    if (magnitude != magnitude)
        return (__hip_fp8_storage_t)(fnuz ? 0x80 : sign | 0x7f);
    /* magnitude = fraction * 2^(exponent - 52); keep n_fraction bits behind the leading one, fewer
     * below the least normal exponent. */
    int exponent = (int)(bits >> 52) - 1023;
    int least = 1 - bias;
    int drop = 52 - n_fraction + (exponent < least ? least - exponent : 0);
    unsigned int code = 0;
    if (drop < 54) {
        unsigned long long fraction = (bits & ((1ull << 52) - 1)) | 1ull << 52;
        unsigned long long kept = fraction >> drop;
        unsigned long long rest = fraction & ((1ull << drop) - 1);
        unsigned long long half = 1ull << (drop - 1);
        kept += rest > half || (rest == half && (kept & 1));
        /* The leading one of `kept` raises the exponent by one in this addition, as a carry of the
         * rounding would. */
        code = (unsigned int)kept;
        if (exponent > least)
            code += (unsigned int)(exponent - least) << n_fraction;
    }
    if (code > largest) { /* after rounding */
        if (saturation == __HIP_SATFINITE)
            return (__hip_fp8_storage_t)(sign | largest);
        return (__hip_fp8_storage_t)(fnuz ? 0x80 : sign | (e4 ? 0x7f : 0x7c));
    }
    if (fnuz && code == 0)
        return 0;
    return (__hip_fp8_storage_t)(sign | code);
}

LS_FP8 __hip_fp8_storage_t
__hip_cvt_float_to_fp8(const float value, const __hip_saturation_t saturation,
                       const __hip_fp8_interpretation_t format)
{
    const bool fnuz = format == __HIP_E4M3_FNUZ || format == __HIP_E5M2_FNUZ;
    const bool e4 = format == __HIP_E4M3 || format == __HIP_E4M3_FNUZ;
    const int n_fraction = e4 ? 3 : 2;
    const int bias = (e4 ? 7 : 15) + (fnuz ? 1 : 0);
    const unsigned int largest = fnuz ? 0x7f : e4 ? 0x7e : 0x7b;
    const unsigned int infinity = 0x7f800000u;

    /* As above, in 32 bits. */
    unsigned int bits = __builtin_bit_cast(unsigned int, value);
    unsigned int sign = bits >> 31 << 7;
    bits &= 0x7fffffffu;
    bool is_nan = bits > infinity;
#if defined(__HIP_DEVICE_COMPILE__) &&                                                             \
    (defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__))
    is_nan |= fnuz && bits == infinity; /* as the hardware converts: infinity becomes NaN, also
                                           where other values are saturated */
#endif
    int exponent = (int)(bits >> 23) - 127;
    int least = 1 - bias;
    int drop = 23 - n_fraction + (exponent < least ? least - exponent : 0);
    drop = drop < 25 ? drop : 25; /* with 25 and more dropped bits the result is 0 */
    unsigned int fraction = (bits & 0x7fffffu) | 0x800000u;
    unsigned int kept = fraction >> drop;
    unsigned int rest = fraction & ((1u << drop) - 1), half = 1u << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    unsigned int code =
        kept + (exponent > least ? (unsigned int)(exponent - least) << n_fraction : 0);
    code = is_nan ? 0x80 : code;
    if (code > largest)
        code = !is_nan && saturation == __HIP_SATFINITE ? largest
               : fnuz                                   ? 0x80
                                                        : is_nan || e4 ? 0x7f : 0x7c;
    if (fnuz && (code == 0 || code == 0x80))
        return (__hip_fp8_storage_t)code;
    return (__hip_fp8_storage_t)(sign | code);
}

LS_FP8 __hip_fp8_storage_t
__hip_cvt_halfraw_to_fp8(const __half_raw value, const __hip_saturation_t saturation,
                         const __hip_fp8_interpretation_t format)
{
    return __hip_cvt_double_to_fp8((double)value.data, saturation, format);
}

LS_FP8 __hip_fp8_storage_t
__hip_cvt_bfloat16raw_to_fp8(const __hip_bfloat16_raw value, const __hip_saturation_t saturation,
                             const __hip_fp8_interpretation_t format)
{
    return __hip_cvt_float_to_fp8(__ls_bf16_to_float(value.x), saturation, format);
}

LS_FP8 __hip_fp8x2_storage_t
__hip_cvt_double2_to_fp8x2(const double2 value, const __hip_saturation_t saturation,
                           const __hip_fp8_interpretation_t format)
{
    return (__hip_fp8x2_storage_t)(__hip_cvt_double_to_fp8(value.x, saturation, format) |
                                   __hip_cvt_double_to_fp8(value.y, saturation, format) << 8);
}

LS_FP8 __hip_fp8x2_storage_t
__hip_cvt_float2_to_fp8x2(const float2 value, const __hip_saturation_t saturation,
                          const __hip_fp8_interpretation_t format)
{
    return __hip_cvt_double2_to_fp8x2(double2(value.x, value.y), saturation, format);
}

LS_FP8 __hip_fp8x2_storage_t
__hip_cvt_halfraw2_to_fp8x2(const __half2_raw value, const __hip_saturation_t saturation,
                            const __hip_fp8_interpretation_t format)
{
    return __hip_cvt_double2_to_fp8x2(double2((double)value.data.x, (double)value.data.y),
                                      saturation, format);
}

LS_FP8 __hip_fp8x2_storage_t
__hip_cvt_bfloat16raw2_to_fp8x2(const __hip_bfloat162_raw value,
                                const __hip_saturation_t saturation,
                                const __hip_fp8_interpretation_t format)
{
    return __hip_cvt_double2_to_fp8x2(
        double2(__ls_bf16_to_float(value.x), __ls_bf16_to_float(value.y)), saturation, format);
}

/* To numbers: every 8-bit value is exact in float. */

LS_FP8 float
__ls_fp8_to_float(__hip_fp8_storage_t x, __hip_fp8_interpretation_t format)
{
    const bool fnuz = format == __HIP_E4M3_FNUZ || format == __HIP_E5M2_FNUZ;
    const bool e4 = format == __HIP_E4M3 || format == __HIP_E4M3_FNUZ;
    const int n_fraction = e4 ? 3 : 2;
    const int bias = (e4 ? 7 : 15) + (fnuz ? 1 : 0);
    unsigned int magnitude = x & 0x7fu;
    float sign = x & 0x80 ? -1.0f : 1.0f;

    if (fnuz ? x == 0x80 : magnitude > (e4 ? 0x7eu : 0x7cu))
        return __builtin_nanf("");
    if (!fnuz && !e4 && magnitude == 0x7c)
        return sign * __builtin_inff();
    int exponent = (int)(magnitude >> n_fraction);
    int fraction = (int)(magnitude & ((1u << n_fraction) - 1));
    if (exponent == 0)
        exponent = 1;
    else
        fraction |= 1 << n_fraction;
    /* The scale is a power of two well inside float's range. */
    unsigned int scale = (unsigned int)(127 + exponent - bias - n_fraction) << 23;
    return sign * (float)fraction * __builtin_bit_cast(float, scale);
}

LS_FP8 __half_raw
__hip_cvt_fp8_to_halfraw(const __hip_fp8_storage_t x, const __hip_fp8_interpretation_t format)
{
    __half_raw r;
    r.data = (_Float16)__ls_fp8_to_float(x, format);
    return r;
}

LS_FP8 __half2_raw
__hip_cvt_fp8x2_to_halfraw2(const __hip_fp8x2_storage_t x, const __hip_fp8_interpretation_t format)
{
    __half2_raw r;
    r.x = __hip_cvt_fp8_to_halfraw((__hip_fp8_storage_t)x, format);
    r.y = __hip_cvt_fp8_to_halfraw((__hip_fp8_storage_t)(x >> 8), format);
    return r;
}

/* An integer is clamped to its type, and 0 for NaN. */
template <typename T>
LS_FP8 T
__ls_fp8_number(float value)
{
    if (__is_integral(T) && !__is_same(T, bool) && sizeof(T) <= 8) {
        const T high = (T)(~0ull >> ((64 - 8 * sizeof(T) + __is_signed(T)) & 63)),
                low = (T)(-high - 1);
        if (!(value == value))
            return (T)0;
        if (value >= (float)high)
            return high;
        if (value <= (float)low)
            return low;
    }
    return (T)value;
}

/* Types: one, two and four values. */
#define LS_FP8_TYPES(name, format, n_exponent, n_fraction) \
    struct __hip_fp8_##name { \
        __hip_fp8_storage_t __x; \
        static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE; \
        static constexpr __hip_fp8_interpretation_t __default_interpret = format; \
        static constexpr unsigned int __we = n_exponent, __wm = n_fraction; \
\
        __hip_fp8_##name() = default; \
        template <typename T, \
                  typename std::enable_if<__ls_is_number<T>::value>::type * = nullptr> \
        LS_HIP_HD __hip_fp8_##name(T value) \
            : __x(__hip_cvt_double_to_fp8((double)value, __HIP_SATFINITE, format)) \
        { \
        } \
        LS_HIP_HD __hip_fp8_##name(__half value) \
            : __x(__hip_cvt_halfraw_to_fp8(value, __HIP_SATFINITE, format)) \
        { \
        } \
        LS_HIP_HD __hip_fp8_##name(__hip_bfloat16 value) \
            : __x(__hip_cvt_bfloat16raw_to_fp8(value, __HIP_SATFINITE, format)) \
        { \
        } \
        LS_HIP_HD operator __half() const \
        { \
            return __half(__hip_cvt_fp8_to_halfraw(__x, format)); \
        } \
        LS_HIP_HD operator __hip_bfloat16() const \
        { \
            return __float2bfloat16(__ls_fp8_to_float(__x, format)); \
        } \
        template <typename T, \
                  typename std::enable_if<__ls_is_number<T>::value>::type * = nullptr> \
        LS_HIP_HD operator T() const \
        { \
            return __ls_fp8_number<T>(__ls_fp8_to_float(__x, format)); \
        } \
    }; \
\
    struct __hip_fp8x2_##name { \
        __hip_fp8x2_storage_t __x; \
        static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE; \
        static constexpr __hip_fp8_interpretation_t __default_interpret = format; \
        static constexpr unsigned int __we = n_exponent, __wm = n_fraction; \
\
        __hip_fp8x2_##name() = default; \
        LS_HIP_HD __hip_fp8x2_##name(double2 value) \
            : __x(__hip_cvt_double2_to_fp8x2(value, __HIP_SATFINITE, format)) \
        { \
        } \
        LS_HIP_HD __hip_fp8x2_##name(float2 value) \
            : __x(__hip_cvt_float2_to_fp8x2(value, __HIP_SATFINITE, format)) \
        { \
        } \
        LS_HIP_HD __hip_fp8x2_##name(__half2 value) \
            : __x(__hip_cvt_halfraw2_to_fp8x2(value, __HIP_SATFINITE, format)) \
        { \
        } \
        LS_HIP_HD __hip_fp8x2_##name(__hip_bfloat162 value) \
            : __x(__hip_cvt_bfloat16raw2_to_fp8x2(value, __HIP_SATFINITE, format)) \
        { \
        } \
        LS_HIP_HD operator __half2() const \
        { \
            return __half2(__hip_cvt_fp8x2_to_halfraw2(__x, format)); \
        } \
        LS_HIP_HD operator float2() const \
        { \
            return float2(__ls_fp8_to_float((__hip_fp8_storage_t)__x, format), \
                          __ls_fp8_to_float((__hip_fp8_storage_t)(__x >> 8), format)); \
        } \
    }; \
\
    struct __hip_fp8x4_##name { \
        __hip_fp8x4_storage_t __x; \
        static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE; \
        static constexpr __hip_fp8_interpretation_t __default_interpret = format; \
        static constexpr unsigned int __we = n_exponent, __wm = n_fraction; \
\
        __hip_fp8x4_##name() = default; \
        LS_HIP_HD __hip_fp8x4_##name(__hip_fp8x2_##name low, __hip_fp8x2_##name high) \
            : __x(low.__x | (__hip_fp8x4_storage_t)high.__x << 16) \
        { \
        } \
        LS_HIP_HD __hip_fp8x4_##name(double4 value) \
            : __hip_fp8x4_##name(__hip_fp8x2_##name(double2(value.x, value.y)), \
                                 __hip_fp8x2_##name(double2(value.z, value.w))) \
        { \
        } \
        LS_HIP_HD __hip_fp8x4_##name(float4 value) \
            : __hip_fp8x4_##name(__hip_fp8x2_##name(float2(value.x, value.y)), \
                                 __hip_fp8x2_##name(float2(value.z, value.w))) \
        { \
        } \
        LS_HIP_HD __hip_fp8x4_##name(__half2 low, __half2 high) \
            : __hip_fp8x4_##name(__hip_fp8x2_##name(low), __hip_fp8x2_##name(high)) \
        { \
        } \
        LS_HIP_HD __hip_fp8x4_##name(__hip_bfloat162 low, __hip_bfloat162 high) \
            : __hip_fp8x4_##name(__hip_fp8x2_##name(low), __hip_fp8x2_##name(high)) \
        { \
        } \
        LS_HIP_HD operator float4() const \
        { \
            return float4(__ls_fp8_to_float((__hip_fp8_storage_t)__x, format), \
                          __ls_fp8_to_float((__hip_fp8_storage_t)(__x >> 8), format), \
                          __ls_fp8_to_float((__hip_fp8_storage_t)(__x >> 16), format), \
                          __ls_fp8_to_float((__hip_fp8_storage_t)(__x >> 24), format)); \
        } \
    };

LS_FP8_TYPES(e4m3, __HIP_E4M3, 4, 3)
LS_FP8_TYPES(e5m2, __HIP_E5M2, 5, 2)
LS_FP8_TYPES(e4m3_fnuz, __HIP_E4M3_FNUZ, 4, 3)
LS_FP8_TYPES(e5m2_fnuz, __HIP_E5M2_FNUZ, 5, 2)
#undef LS_FP8_TYPES
#undef LS_FP8
#if defined(__HIPCC_RTC__)
#include <hip/detail/rtc_names_end.h>
#endif

#endif

#endif
#endif
