/* SPDX-License-Identifier: MIT */
/* __half and __half2 for host compilers that have no _Float16 in C++: storage that converts to and
 * from float. Arithmetic is done in float, by the conversions. */
#ifndef HIP_DETAIL_FP16_HOST_H
#define HIP_DETAIL_FP16_HOST_H

#include <cstring>
#include <type_traits>

#include <hip/detail/numbers.h>

struct __half_raw {
    unsigned short x;
};

struct __half2_raw {
    unsigned short x, y;
};

namespace hip_impl
{
enum ls_round { ls_round_nearest, ls_round_zero, ls_round_down, ls_round_up };

inline unsigned short
ls_float_to_half(float value, ls_round mode)
{
    const unsigned int infinity = 0x7f800000u;
    unsigned int bits;

    std::memcpy(&bits, &value, sizeof(bits));
    unsigned int sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > infinity)
        return (unsigned short)(sign | 0x7e00u | (bits >> 13 & 0x3ffu));
    if (bits == 0 || bits == infinity)
        return (unsigned short)(sign | (bits ? 0x7c00u : 0u));
    /* Keeps 10 bits behind the leading one, and fewer below the least normal exponent, as hip_fp8.h
     * does. */
    const int least = -14;
    int exponent = (int)(bits >> 23) - 127;
    int drop = 13 + (exponent < least ? least - exponent : 0);
    drop = drop < 25 ? drop : 25; /* 0 from there on */
    unsigned int fraction = (bits & 0x7fffffu) | 0x800000u;
    unsigned int code = fraction >> drop, rest = fraction & ((1u << drop) - 1),
                 half = 1u << (drop - 1);
    bool away = mode == ls_round_nearest || mode == (sign ? ls_round_down : ls_round_up);
    if (mode == ls_round_nearest)
        code += rest > half || (rest == half && (code & 1));
    else
        code += away && rest;
    if (exponent > least)
        code += (unsigned int)(exponent - least) << 10;
    if (code >= 0x7c00u)
        code = away ? 0x7c00u : 0x7bffu;
    return (unsigned short)(sign | code);
}

inline float
ls_half_to_float(unsigned short x)
{
    unsigned int exponent = x >> 10 & 31u, fraction = x & 0x3ffu, bits = (x & 0x8000u) << 16;
    float value;

    if (exponent == 0) {
        value = (float)fraction * (1.0f / 16777216.0f);
        return bits ? -value : value;
    }
    bits |= (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
} // namespace hip_impl

struct __half {
  protected:
    unsigned short __x;

  public:
    __half() = default;
    __half(const __half_raw &raw) : __x(raw.x)
    {
    }
    __half &operator=(const __half_raw &raw)
    {
        __x = raw.x;
        return *this;
    }
    operator __half_raw() const
    {
        return __half_raw{__x};
    }
    operator float() const
    {
        return hip_impl::ls_half_to_float(__x);
    }
#ifndef __HIP_NO_HALF_CONVERSIONS__
    template <typename T, typename std::enable_if<__ls_is_number<T>::value>::type * = nullptr>
    __half(T value) : __x(hip_impl::ls_float_to_half((float)value, hip_impl::ls_round_nearest))
    {
    }
    template <typename T, typename std::enable_if<__ls_is_number<T>::value>::type * = nullptr>
    __half &operator=(T value)
    {
        return *this = __half(value);
    }
#endif
};

struct __half2 {
    __half x, y;

    __half2() = default;
    __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y})
    {
    }
    __half2(const __half &a, const __half &b) : x(a), y(b)
    {
    }
    operator __half2_raw() const
    {
        return __half2_raw{static_cast<__half_raw>(x).x, static_cast<__half_raw>(y).x};
    }
};

#define LS_HALF_FROM_FLOAT(name, mode)                                                             \
    static inline __half name(float x)                                                             \
    {                                                                                              \
        return __half_raw{hip_impl::ls_float_to_half(x, hip_impl::ls_round_##mode)};               \
    }

LS_HALF_FROM_FLOAT(__float2half, nearest)
LS_HALF_FROM_FLOAT(__float2half_rn, nearest)
LS_HALF_FROM_FLOAT(__float2half_rz, zero)
LS_HALF_FROM_FLOAT(__float2half_rd, down)
LS_HALF_FROM_FLOAT(__float2half_ru, up)
#undef LS_HALF_FROM_FLOAT

static inline float
__half2float(__half x)
{
    return (float)x;
}

static inline __half2
__float2half2_rn(float x)
{
    return __half2(__float2half(x), __float2half(x));
}

static inline __half2
__floats2half2_rn(float x, float y)
{
    return __half2(__float2half(x), __float2half(y));
}

static inline float
__low2float(__half2 x)
{
    return (float)x.x;
}

static inline float
__high2float(__half2 x)
{
    return (float)x.y;
}

#endif
