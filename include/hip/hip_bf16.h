/* SPDX-License-Identifier: MIT */
/* bfloat16: the upper half of a float. __hip_bfloat16 and __hip_bfloat162, on host and device.
 * Arithmetic is done in float and rounded to nearest. */
#ifndef HIP_BF16_H
#define HIP_BF16_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/nvidia_detail/nvidia_hip_bf16.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_BF16_H
#define _HIP_INCLUDE_HIP_AMD_DETAIL_HIP_BF16_H_

#include <hip/hip_common.h>
#if defined(__cplusplus)
#if !defined(__HIPCC_RTC__)
#include <cmath>
#endif
#include <hip/hip_runtime.h>
#ifdef __LS_CUDA__
#include <hip/hip_fp16.h>
#endif
#include <hip/detail/bf16_bits.h>
#include <hip/detail/numbers.h>
#if defined(__HIPCC_RTC__)
#include <hip/detail/rtc_names.h>
#endif

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __hip_bfloat16_raw;

typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __hip_bfloat162_raw;

struct __attribute__((aligned(2))) __hip_bfloat16 {
  protected:
    unsigned short __x;

  public:
    __hip_bfloat16() = default;
    LS_HIP_HD __hip_bfloat16(const __hip_bfloat16_raw &raw) : __x(raw.x) {}
    LS_HIP_HD __hip_bfloat16 &operator=(const __hip_bfloat16_raw &raw)
    {
        __x = raw.x;
        return *this;
    }
    LS_HIP_HD volatile __hip_bfloat16 &operator=(const __hip_bfloat16_raw &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    LS_HIP_HD volatile __hip_bfloat16 &operator=(const volatile __hip_bfloat16_raw &raw) volatile
    {
        __x = raw.x;
        return *this;
    }
    LS_HIP_HD operator __hip_bfloat16_raw() const
    {
        __hip_bfloat16_raw raw = {__x};
        return raw;
    }
    LS_HIP_HD operator __hip_bfloat16_raw() const volatile
    {
        __hip_bfloat16_raw raw = {__x};
        return raw;
    }

    LS_HIP_HD __hip_bfloat16(float value) : __x(__ls_float_to_bf16(value)) {}
    template <typename T, typename std::enable_if<__ls_is_number<T>::value>::type * = nullptr>
    LS_HIP_HD __hip_bfloat16(T value)
        : __x(sizeof(T) < 4 ? __ls_float_to_bf16((float)value) : __ls_double_to_bf16((double)value))
    {
    }
    template <typename T, typename std::enable_if<__ls_is_number<T>::value>::type * = nullptr>
    LS_HIP_HD __hip_bfloat16 &operator=(T value)
    {
        __x = __ls_float_to_bf16((float)value);
        return *this;
    }
    template <typename T, typename std::enable_if<__ls_is_number<T>::value>::type * = nullptr>
    LS_HIP_HD operator T() const
    {
        return (T)__ls_bf16_to_float(__x);
    }
#ifdef __LS_CUDA__ /* CUDA's types of 16 bits convert into each other */
    LS_HIP_HD explicit __hip_bfloat16(const __half &value)
        : __x(__ls_float_to_bf16(__half2float(value)))
    {
    }
    LS_HIP_HD explicit operator __half() const { return __float2half(__ls_bf16_to_float(__x)); }
#endif
};

struct __attribute__((aligned(4))) __hip_bfloat162 {
    __hip_bfloat16 x, y;

    __hip_bfloat162() = default;
    LS_HIP_HD __hip_bfloat162(const __hip_bfloat16 &a, const __hip_bfloat16 &b) : x(a), y(b) {}
    LS_HIP_HD __hip_bfloat162(const __hip_bfloat162_raw &raw)
        : x(__hip_bfloat16_raw{raw.x}), y(__hip_bfloat16_raw{raw.y})
    {
    }
    LS_HIP_HD operator __hip_bfloat162_raw() const
    {
        __hip_bfloat162_raw raw = {static_cast<__hip_bfloat16_raw>(x).x,
                                   static_cast<__hip_bfloat16_raw>(y).x};
        return raw;
    }
    LS_HIP_HD operator float2() const { return float2((float)x, (float)y); }
};

/* Conversions */

LS_BF16 unsigned short
__bfloat16_as_ushort(__hip_bfloat16 x)
{
    return static_cast<__hip_bfloat16_raw>(x).x;
}

LS_BF16 short
__bfloat16_as_short(__hip_bfloat16 x)
{
    return (short)__bfloat16_as_ushort(x);
}

LS_BF16 __hip_bfloat16
__ushort_as_bfloat16(unsigned short x)
{
    return __hip_bfloat16_raw{x};
}

LS_BF16 __hip_bfloat16
__short_as_bfloat16(short x)
{
    return __ushort_as_bfloat16((unsigned short)x);
}

LS_BF16 float
__bfloat162float(__hip_bfloat16 x)
{
    return __ls_bf16_to_float(__bfloat16_as_ushort(x));
}

LS_BF16 __hip_bfloat16
__float2bfloat16(float x)
{
    return __ushort_as_bfloat16(__ls_float_to_bf16(x));
}

LS_BF16 __hip_bfloat16
__double2bfloat16(double x)
{
    return __hip_bfloat16(x);
}

LS_BF16 float2
__bfloat1622float2(__hip_bfloat162 x)
{
    return float2(__bfloat162float(x.x), __bfloat162float(x.y));
}

LS_BF16 __hip_bfloat162
__float22bfloat162_rn(float2 x)
{
    return __hip_bfloat162(__float2bfloat16(x.x), __float2bfloat16(x.y));
}

/* Building, taking apart, swapping */

LS_BF16 __hip_bfloat162
__bfloat162bfloat162(__hip_bfloat16 x)
{
    return __hip_bfloat162(x, x);
}

LS_BF16 __hip_bfloat162
__halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y)
{
    return __hip_bfloat162(x, y);
}

LS_BF16 __hip_bfloat16
__low2bfloat16(__hip_bfloat162 x)
{
    return x.x;
}

LS_BF16 __hip_bfloat16
__high2bfloat16(__hip_bfloat162 x)
{
    return x.y;
}

LS_BF16 __hip_bfloat162
__low2bfloat162(__hip_bfloat162 x)
{
    return __hip_bfloat162(x.x, x.x);
}

LS_BF16 __hip_bfloat162
__high2bfloat162(__hip_bfloat162 x)
{
    return __hip_bfloat162(x.y, x.y);
}

LS_BF16 __hip_bfloat162
__lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(a.x, b.x);
}

LS_BF16 __hip_bfloat162
__highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(a.y, b.y);
}

LS_BF16 __hip_bfloat162
__lowhigh2highlow(__hip_bfloat162 x)
{
    return __hip_bfloat162(x.y, x.x);
}

LS_BF16 float
__low2float(__hip_bfloat162 x)
{
    return __bfloat162float(x.x);
}

LS_BF16 float
__high2float(__hip_bfloat162 x)
{
    return __bfloat162float(x.y);
}

/* Arithmetic */

#define LS_BF16_OP(name, op) \
    LS_BF16 __hip_bfloat16 name(__hip_bfloat16 a, __hip_bfloat16 b) \
    { \
        return __float2bfloat16(__bfloat162float(a) op __bfloat162float(b)); \
    } \
    LS_BF16 __hip_bfloat16 operator op(const __hip_bfloat16 &a, const __hip_bfloat16 &b) \
    { \
        return name(a, b); \
    } \
    LS_BF16 __hip_bfloat16 &operator op##=(__hip_bfloat16 &a, const __hip_bfloat16 &b) \
    { \
        return a = name(a, b); \
    } \
    LS_BF16 __hip_bfloat162 operator op(const __hip_bfloat162 &a, const __hip_bfloat162 &b) \
    { \
        return __hip_bfloat162(name(a.x, b.x), name(a.y, b.y)); \
    } \
    LS_BF16 __hip_bfloat162 &operator op##=(__hip_bfloat162 &a, const __hip_bfloat162 &b) \
    { \
        return a = a op b; \
    }

LS_BF16_OP(__hadd, +)
LS_BF16_OP(__hsub, -)
LS_BF16_OP(__hmul, *)
LS_BF16_OP(__hdiv, /)
#undef LS_BF16_OP

LS_BF16 __hip_bfloat162
__hadd2(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return a + b;
}

LS_BF16 __hip_bfloat162
__hsub2(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return a - b;
}

LS_BF16 __hip_bfloat162
__hmul2(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return a * b;
}

LS_BF16 __hip_bfloat162
__h2div(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return a / b;
}

LS_BF16 __hip_bfloat16
__hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c)
{
    return __float2bfloat16(
        __builtin_fmaf(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
}

LS_BF16 __hip_bfloat162
__hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c)
{
    return __hip_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

LS_BF16 __hip_bfloat16
__hneg(__hip_bfloat16 x)
{
    return __ushort_as_bfloat16((unsigned short)(__bfloat16_as_ushort(x) ^ 0x8000));
}

LS_BF16 __hip_bfloat162
__hneg2(__hip_bfloat162 x)
{
    return __hip_bfloat162(__hneg(x.x), __hneg(x.y));
}

LS_BF16 __hip_bfloat16
__habs(__hip_bfloat16 x)
{
    return __ushort_as_bfloat16((unsigned short)(__bfloat16_as_ushort(x) & 0x7fff));
}

LS_BF16 __hip_bfloat162
__habs2(__hip_bfloat162 x)
{
    return __hip_bfloat162(__habs(x.x), __habs(x.y));
}

LS_BF16 __hip_bfloat16
operator-(const __hip_bfloat16 &x)
{
    return __hneg(x);
}

LS_BF16 __hip_bfloat162
operator-(const __hip_bfloat162 &x)
{
    return __hneg2(x);
}

LS_BF16 __hip_bfloat16
operator+(const __hip_bfloat16 &x)
{
    return x;
}

LS_BF16 __hip_bfloat162
operator+(const __hip_bfloat162 &x)
{
    return x;
}

#define LS_BF16_STEP(op, by) \
    LS_BF16 __hip_bfloat16 &operator op(__hip_bfloat16 &x) \
    { \
        return x = __float2bfloat16(__bfloat162float(x) + by); \
    } \
    LS_BF16 __hip_bfloat162 &operator op(__hip_bfloat162 &x) \
    { \
        op x.x; \
        op x.y; \
        return x; \
    } \
    LS_BF16 __hip_bfloat16 operator op(__hip_bfloat16 &x, int) \
    { \
        __hip_bfloat16 old = x; \
        op x; \
        return old; \
    } \
    LS_BF16 __hip_bfloat162 operator op(__hip_bfloat162 &x, int) \
    { \
        __hip_bfloat162 old = x; \
        op x; \
        return old; \
    }

LS_BF16_STEP(++, 1.0f)
LS_BF16_STEP(--, -1.0f)
#undef LS_BF16_STEP

/* Comparisons. The forms that end in u hold, too, when an operand is NaN. */

LS_BF16 bool
__hisnan(__hip_bfloat16 x)
{
    return (__bfloat16_as_ushort(x) & 0x7fff) > 0x7f80;
}

LS_BF16 bool
__hisinf(__hip_bfloat16 x)
{
    return (__bfloat16_as_ushort(x) & 0x7fff) == 0x7f80;
}

LS_BF16 __hip_bfloat162
__hisnan2(__hip_bfloat162 x)
{
    return __hip_bfloat162(__float2bfloat16((float)__hisnan(x.x)),
                           __float2bfloat16((float)__hisnan(x.y)));
}

#define LS_BF16_COMPARE(name, op) \
    LS_BF16 bool __h##name(__hip_bfloat16 a, __hip_bfloat16 b) \
    { \
        return __bfloat162float(a) op __bfloat162float(b); \
    } \
    LS_BF16 bool __h##name##u(__hip_bfloat16 a, __hip_bfloat16 b) \
    { \
        return __hisnan(a) || __hisnan(b) || __h##name(a, b); \
    } \
    LS_BF16 bool operator op(const __hip_bfloat16 &a, const __hip_bfloat16 &b) \
    { \
        return __h##name(a, b); \
    } \
    LS_BF16 __hip_bfloat162 __h##name##2(__hip_bfloat162 a, __hip_bfloat162 b) \
    { \
        return __hip_bfloat162(__float2bfloat16((float)__h##name(a.x, b.x)), \
                               __float2bfloat16((float)__h##name(a.y, b.y))); \
    } \
    LS_BF16 bool __hb##name##2(__hip_bfloat162 a, __hip_bfloat162 b) \
    { \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y); \
    } \
    LS_BF16 bool __hb##name##u2(__hip_bfloat162 a, __hip_bfloat162 b) \
    { \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); \
    }

LS_BF16_COMPARE(eq, ==)
LS_BF16_COMPARE(ne, !=)
LS_BF16_COMPARE(lt, <)
LS_BF16_COMPARE(le, <=)
LS_BF16_COMPARE(gt, >)
LS_BF16_COMPARE(ge, >=)
#undef LS_BF16_COMPARE

/* Pairs compare as both of their parts do; unequal is what isn't equal. */
#define LS_BF16_COMPARE_PAIRS(name, op) \
    LS_BF16 bool operator op(const __hip_bfloat162 &a, const __hip_bfloat162 &b) \
    { \
        return __hb##name##2(a, b); \
    }
LS_BF16_COMPARE_PAIRS(eq, ==)
LS_BF16_COMPARE_PAIRS(lt, <)
LS_BF16_COMPARE_PAIRS(le, <=)
LS_BF16_COMPARE_PAIRS(gt, >)
LS_BF16_COMPARE_PAIRS(ge, >=)
#undef LS_BF16_COMPARE_PAIRS

LS_BF16 bool
operator!=(const __hip_bfloat162 &a, const __hip_bfloat162 &b)
{
    return !(a == b);
}

LS_BF16 __hip_bfloat16
__hmax(__hip_bfloat16 a, __hip_bfloat16 b)
{
    return __hisnan(a) || __hlt(a, b) ? b : a;
}

LS_BF16 __hip_bfloat16
__hmin(__hip_bfloat16 a, __hip_bfloat16 b)
{
    return __hisnan(a) || __hgt(a, b) ? b : a;
}

LS_BF16 __hip_bfloat162
__hmax2(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}

LS_BF16 __hip_bfloat162
__hmin2(__hip_bfloat162 a, __hip_bfloat162 b)
{
    return __hip_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

#if __HIP_CLANG_ONLY__

/* Clang's math overloads ask what the type promotes to: nothing. */
#ifdef __CLANG_HIP_CMATH_H__
namespace __hip {
template <> struct __numeric_type<__hip_bfloat16> {
    static const bool value = false;
};
} // namespace __hip
#endif

#define LS_BF16_FUNCTION(name, expression) \
    LS_HIP_DEVICE __hip_bfloat16 h##name(__hip_bfloat16 v) \
    { \
        float x = __bfloat162float(v); \
        return __float2bfloat16(expression); \
    } \
    LS_HIP_DEVICE __hip_bfloat162 h2##name(__hip_bfloat162 v) \
    { \
        return __hip_bfloat162(h##name(v.x), h##name(v.y)); \
    }

LS_BF16_FUNCTION(trunc, __builtin_truncf(x))
LS_BF16_FUNCTION(ceil, __builtin_ceilf(x))
LS_BF16_FUNCTION(floor, __builtin_floorf(x))
LS_BF16_FUNCTION(rint, __builtin_rintf(x))
LS_BF16_FUNCTION(sin, ::sinf(x))
LS_BF16_FUNCTION(cos, ::cosf(x))
LS_BF16_FUNCTION(exp, ::expf(x))
LS_BF16_FUNCTION(exp2, ::exp2f(x))
LS_BF16_FUNCTION(exp10, ::exp10f(x))
LS_BF16_FUNCTION(log, ::logf(x))
LS_BF16_FUNCTION(log2, ::log2f(x))
LS_BF16_FUNCTION(log10, ::log10f(x))
LS_BF16_FUNCTION(sqrt, ::sqrtf(x))
LS_BF16_FUNCTION(rsqrt, ::rsqrtf(x))
LS_BF16_FUNCTION(rcp, 1.0f / x)
#undef LS_BF16_FUNCTION

LS_HIP_SHUFFLES(__hip_bfloat16)
LS_HIP_SHUFFLES(__hip_bfloat162)

LS_HIP_ATOMIC_ADD_AS(__hip_bfloat16, ls_hip_bfloat_alias, LS_HIP_FETCH_ADD)
LS_HIP_ATOMIC_ADD_AS(__hip_bfloat162, ls_hip_bfloat_pair, __ls_atomic_add_v2bf16)

#endif

#define HIPRT_INF_BF16        __ushort_as_bfloat16((unsigned short)0x7F80U)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define HIPRT_NAN_BF16        __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define HIPRT_NEG_ZERO_BF16   __ushort_as_bfloat16((unsigned short)0x8000U)
#define HIPRT_ONE_BF16        __ushort_as_bfloat16((unsigned short)0x3F80U)
#define HIPRT_ZERO_BF16       __ushort_as_bfloat16((unsigned short)0x0000U)

#undef LS_BF16
#if defined(__HIPCC_RTC__)
#include <hip/detail/rtc_names_end.h>
#endif

#endif

#endif
#endif
