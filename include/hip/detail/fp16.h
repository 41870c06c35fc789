/* SPDX-License-Identifier: MIT */
/* The types __half and __half2, their operators and conversions. */
#ifndef HIP_DETAIL_FP16_H
#define HIP_DETAIL_FP16_H

#include <hip/hip_vector_types.h>
#include <hip/detail/numbers.h>

typedef _Float16 _Float16_2 __attribute__((ext_vector_type(2)));

struct __half_raw {
    union {
        _Float16 data;
        unsigned short x;
    };
};

struct __half2_raw {
    union {
        struct {
            __half_raw x, y;
        };
        _Float16_2 data;
    };
};

#define LS_HALF static __host__ __device__ inline

/* Types of numbers that convert to and from __half without a cast. */
#define LS_HALF_IF_NUMBER(T) \
    typename std::enable_if<__ls_is_number<T>::value || \
                            std::is_same<T, _Float16>::value>::type * = nullptr

struct __half {
  protected:
    union {
        _Float16 data;
        unsigned short __x;
    };

  public:
    __half() = default;
    LS_HIP_HD constexpr __half(const __half_raw &raw) : data(raw.data) {}
    LS_HIP_HD __half &operator=(const __half_raw &raw)
    {
        data = raw.data;
        return *this;
    }
    LS_HIP_HD volatile __half &operator=(const __half_raw &raw) volatile
    {
        data = raw.data;
        return *this;
    }
    LS_HIP_HD volatile __half &operator=(const volatile __half_raw &raw) volatile
    {
        data = raw.data;
        return *this;
    }
    LS_HIP_HD __half &operator=(volatile __half_raw &&raw)
    {
        data = raw.data;
        return *this;
    }
    LS_HIP_HD constexpr operator __half_raw() const { return __half_raw{{data}}; }
    LS_HIP_HD operator __half_raw() const volatile { return __half_raw{{data}}; }

#ifndef __HIP_NO_HALF_CONVERSIONS__
    LS_HIP_HD constexpr __half(_Float16 x) : data(x) {}
    template <typename T,
              typename std::enable_if<__ls_is_number<T>::value &&
                                      !std::is_same<T, _Float16>::value>::type * = nullptr>
    LS_HIP_HD constexpr __half(T x) : data(static_cast<_Float16>(x))
    {
    }
    template <typename T, LS_HALF_IF_NUMBER(T)>
    LS_HIP_HD __half &operator=(T x)
    {
        data = static_cast<_Float16>(x);
        return *this;
    }
    template <typename T, LS_HALF_IF_NUMBER(T)>
    LS_HIP_HD constexpr operator T() const
    {
        return static_cast<T>(data);
    }
#endif

#ifndef __HIP_NO_HALF_OPERATORS__
#define LS_HALF_OP(op) \
    LS_HIP_HD __half &operator op##=(const __half &b) \
    { \
        data = (_Float16)(data op b.data); \
        return *this; \
    } \
    friend inline LS_HIP_HD __half operator op(const __half &a, const __half &b) \
    { \
        return __half_raw{{(_Float16)(a.data op b.data)}}; \
    }
#define LS_HALF_COMPARE(op) \
    friend inline LS_HIP_HD bool operator op(const __half &a, const __half &b) \
    { \
        return a.data op b.data; \
    }

    LS_HALF_OP(+)
    LS_HALF_OP(-)
    LS_HALF_OP(*)
    LS_HALF_OP(/)
    LS_HALF_COMPARE(==)
    LS_HALF_COMPARE(!=)
    LS_HALF_COMPARE(<)
    LS_HALF_COMPARE(>)
    LS_HALF_COMPARE(<=)
    LS_HALF_COMPARE(>=)
#undef LS_HALF_COMPARE
#undef LS_HALF_OP

    LS_HIP_HD __half operator+() const { return *this; }
    LS_HIP_HD __half operator-() const { return __half_raw{{(_Float16)-data}}; }

    LS_HIP_HD __half &operator++()
    {
        data += (_Float16)1;
        return *this;
    }
    LS_HIP_HD __half &operator--()
    {
        data -= (_Float16)1;
        return *this;
    }
    LS_HIP_HD __half operator++(int)
    {
        __half old(*this);
        ++*this;
        return old;
    }
    LS_HIP_HD __half operator--(int)
    {
        __half old(*this);
        --*this;
        return old;
    }
#endif
};

struct __half2 {
    union {
        struct {
            __half x, y;
        };
        _Float16_2 data;
    };

    __half2() = default;
    LS_HIP_HD __half2(const __half2_raw &raw) : data(raw.data) {}
    LS_HIP_HD __half2(_Float16_2 v) : data(v) {}
    LS_HIP_HD __half2(const __half &a, const __half &b)
        : data{static_cast<__half_raw>(a).data, static_cast<__half_raw>(b).data}
    {
    }
    template <typename R, typename std::enable_if<__is_same(R, __half2_raw)>::type * = nullptr>
    LS_HIP_HD __half2 &operator=(const R &raw) /* a template: x = {} is no raw */
    {
        data = raw.data;
        return *this;
    }
    LS_HIP_HD operator _Float16_2() const { return data; }
    LS_HIP_HD operator __half2_raw() const
    {
        __half2_raw raw;
        raw.data = data;
        return raw;
    }

#ifndef __HIP_NO_HALF_OPERATORS__
#define LS_HALF_OP(op) \
    LS_HIP_HD __half2 &operator op##=(const __half2 &b) \
    { \
        data = data op b.data; \
        return *this; \
    } \
    friend inline LS_HIP_HD __half2 operator op(const __half2 &a, const __half2 &b) \
    { \
        return __half2(a.data op b.data); \
    }
/* A comparison of two vectors is one bool: of both components. */
#define LS_HALF_COMPARE(op) \
    friend inline LS_HIP_HD bool operator op(const __half2 &a, const __half2 &b) \
    { \
        return a.data.x op b.data.x && a.data.y op b.data.y; \
    }

    LS_HALF_OP(+)
    LS_HALF_OP(-)
    LS_HALF_OP(*)
    LS_HALF_OP(/)
    LS_HALF_COMPARE(==)
    LS_HALF_COMPARE(<)
    LS_HALF_COMPARE(>)
    /* As in AMD's headers: a <= b is !(b < a), for both components together and not for each. */
    friend inline LS_HIP_HD bool operator<=(const __half2 &a, const __half2 &b)
    {
        return !(b < a);
    }
    friend inline LS_HIP_HD bool operator>=(const __half2 &a, const __half2 &b)
    {
        return !(a < b);
    }
#undef LS_HALF_COMPARE
#undef LS_HALF_OP

    friend inline LS_HIP_HD bool operator!=(const __half2 &a, const __half2 &b)
    {
        return !(a == b);
    }
    LS_HIP_HD __half2 operator+() const { return *this; }
    LS_HIP_HD __half2 operator-() const { return __half2(-data); }

    LS_HIP_HD __half2 &operator++()
    {
        data += (_Float16)1;
        return *this;
    }
    LS_HIP_HD __half2 &operator--()
    {
        data -= (_Float16)1;
        return *this;
    }
    LS_HIP_HD __half2 operator++(int)
    {
        __half2 old(*this);
        ++*this;
        return old;
    }
    LS_HIP_HD __half2 operator--(int)
    {
        __half2 old(*this);
        --*this;
        return old;
    }
#endif
};

/* From __half to _Float16, and back */

LS_HALF _Float16
__ls_half_value(__half x)
{
    return static_cast<__half_raw>(x).data;
}

LS_HALF __half
__ls_half(_Float16 x)
{
    return __half_raw{{x}};
}

/* Building, taking apart, swapping */

LS_HALF __half2
make_half2(__half x, __half y)
{
    return __half2(x, y);
}

LS_HALF __half2
__halves2half2(__half x, __half y)
{
    return __half2(x, y);
}

LS_HALF __half2
__half2half2(__half x)
{
    return __half2(x, x);
}

LS_HALF __half
__low2half(__half2 x)
{
    return x.x;
}

LS_HALF __half
__high2half(__half2 x)
{
    return x.y;
}

LS_HALF __half2
__low2half2(__half2 x)
{
    return __half2(x.x, x.x);
}

LS_HALF __half2
__high2half2(__half2 x)
{
    return __half2(x.y, x.y);
}

LS_HALF __half2
__lows2half2(__half2 x, __half2 y)
{
    return __half2(x.x, y.x);
}

LS_HALF __half2
__highs2half2(__half2 x, __half2 y)
{
    return __half2(x.y, y.y);
}

LS_HALF __half2
__lowhigh2highlow(__half2 x)
{
    return __half2(x.y, x.x);
}

/* Bits */

LS_HALF short
__half_as_short(__half x)
{
    return (short)static_cast<__half_raw>(x).x;
}

LS_HALF unsigned short
__half_as_ushort(__half x)
{
    return static_cast<__half_raw>(x).x;
}

LS_HALF __half
__ushort_as_half(unsigned short x)
{
    __half_raw raw;
    raw.x = x;
    return raw;
}

LS_HALF __half
__short_as_half(short x)
{
    return __ushort_as_half((unsigned short)x);
}

/* Between half and float: rn nearest, rz towards zero, rd down, ru up */

LS_HALF float
__half2float(__half x)
{
    return (float)__ls_half_value(x);
}

LS_HALF __half
__float2half(float x)
{
    return __ls_half((_Float16)x);
}

LS_HALF __half
__float2half_rn(float x)
{
    return __ls_half((_Float16)x);
}

/* The neighbour below (up < 0) or above of a number that isn't NaN. */
LS_HALF __half
__ls_half_step(__half x, int up)
{
    unsigned short bits = __half_as_ushort(x);
    return __ushort_as_half((unsigned short)(bits & 0x8000 ? bits - up : bits + up));
}

LS_HALF __half
__float2half_rd(float x)
{
    __half r = __float2half(x);
    return __half2float(r) > x ? __ls_half_step(r, -1) : r;
}

LS_HALF __half
__float2half_ru(float x)
{
    __half r = __float2half(x);
    return __half2float(r) < x ? __ls_half_step(r, 1) : r;
}

LS_HALF __half
__float2half_rz(float x)
{
    return x < 0 ? __float2half_ru(x) : __float2half_rd(x);
}

LS_HALF __half2
__float2half2_rn(float x)
{
    return __half2(__float2half(x), __float2half(x));
}

LS_HALF __half2
__floats2half2_rn(float x, float y)
{
    return __half2(__float2half(x), __float2half(y));
}

LS_HALF __half2
__float22half2_rn(float2 x)
{
    return __half2(__float2half(x.x), __float2half(x.y));
}

LS_HALF float
__low2float(__half2 x)
{
    return __half2float(x.x);
}

LS_HALF float
__high2float(__half2 x)
{
    return __half2float(x.y);
}

LS_HALF float2
__half22float2(__half2 x)
{
    return make_float2(__half2float(x.x), __half2float(x.y));
}

/* Between half and integers. Integers beyond the range of half round to infinity. */

/* Compares x with r, which is x rounded to a finite or infinite half. */
template <typename I>
LS_HALF int
__ls_half_compare(__half r, I x)
{
    double value = (double)__ls_half_value(r);
    double exact = (double)x; /* double holds x exactly, or x is beyond 2^53 and r is infinite */
    return (value > exact) - (value < exact);
}

#define LS_HALF_INTEGER(name, I) \
    LS_HALF I __half2##name##_rn(__half x) { return (I)__builtin_rintf(__half2float(x)); } \
    LS_HALF I __half2##name##_rz(__half x) { return (I)__half2float(x); } \
    LS_HALF I __half2##name##_rd(__half x) { return (I)__builtin_floorf(__half2float(x)); } \
    LS_HALF I __half2##name##_ru(__half x) { return (I)__builtin_ceilf(__half2float(x)); } \
    LS_HALF __half __##name##2half_rn(I x) { return __ls_half((_Float16)x); } \
    LS_HALF __half __##name##2half_rd(I x) \
    { \
        __half r = __ls_half((_Float16)x); \
        return __ls_half_compare(r, x) > 0 ? __ls_half_step(r, -1) : r; \
    } \
    LS_HALF __half __##name##2half_ru(I x) \
    { \
        __half r = __ls_half((_Float16)x); \
        return __ls_half_compare(r, x) < 0 ? __ls_half_step(r, 1) : r; \
    } \
    LS_HALF __half __##name##2half_rz(I x) \
    { \
        return x < 0 ? __##name##2half_ru(x) : __##name##2half_rd(x); \
    }

LS_HALF_INTEGER(short, short)
LS_HALF_INTEGER(ushort, unsigned short)
LS_HALF_INTEGER(int, int)
LS_HALF_INTEGER(uint, unsigned int)
LS_HALF_INTEGER(ll, long long)
LS_HALF_INTEGER(ull, unsigned long long)
#undef LS_HALF_INTEGER

/* Comparisons by name. The forms that end in u hold, too, when an operand is NaN. */

LS_HALF bool
__hisnan(__half x)
{
    return (__half_as_ushort(x) & 0x7fff) > 0x7c00;
}

LS_HALF bool
__hisinf(__half x)
{
    return (__half_as_ushort(x) & 0x7fff) == 0x7c00;
}

#define LS_HALF_COMPARE(name, op)                                                                  \
    LS_HALF bool __h##name(__half a, __half b)                                                     \
    {                                                                                              \
        return __ls_half_value(a) op __ls_half_value(b);                                           \
    }                                                                                              \
    LS_HALF bool __h##name##u(__half a, __half b)                                                  \
    {                                                                                              \
        return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                      \
    }                                                                                              \
    LS_HALF __half2 __h##name##2(__half2 a, __half2 b)                                             \
    {                                                                                              \
        return __half2(__ls_half((_Float16)(int)__h##name(a.x, b.x)),                              \
                       __ls_half((_Float16)(int)__h##name(a.y, b.y)));                             \
    }                                                                                              \
    LS_HALF __half2 __h##name##u2(__half2 a, __half2 b)                                            \
    {                                                                                              \
        return __half2(__ls_half((_Float16)(int)__h##name##u(a.x, b.x)),                           \
                       __ls_half((_Float16)(int)__h##name##u(a.y, b.y)));                          \
    }                                                                                              \
    LS_HALF bool __hb##name##2(__half2 a, __half2 b)                                               \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    LS_HALF bool __hb##name##u2(__half2 a, __half2 b)                                              \
    {                                                                                              \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                   \
    }

LS_HALF_COMPARE(eq, ==)
LS_HALF_COMPARE(ne, !=)
LS_HALF_COMPARE(lt, <)
LS_HALF_COMPARE(le, <=)
LS_HALF_COMPARE(gt, >)
LS_HALF_COMPARE(ge, >=)
#undef LS_HALF_COMPARE

LS_HALF __half2
__hisnan2(__half2 x)
{
    return __half2(__ls_half((_Float16)(int)__hisnan(x.x)),
                   __ls_half((_Float16)(int)__hisnan(x.y)));
}

LS_HALF __half2
__hisinf2(__half2 x)
{
    return __half2(__ls_half((_Float16)(int)__hisinf(x.x)),
                   __ls_half((_Float16)(int)__hisinf(x.y)));
}

/* Arithmetic by name. _sat clamps to 0..1. */

LS_HALF __half
__clamp_01(__half x)
{
    float value = __half2float(x);
    return value > 1.0f ? __float2half(1.0f) : value > 0.0f ? x : __float2half(0.0f);
}

LS_HALF __half2
__ls_clamp2_01(__half2 x)
{
    return __half2(__clamp_01(x.x), __clamp_01(x.y));
}

#define LS_HALF_ARITHMETIC(name, op) \
    LS_HALF __half __h##name(__half a, __half b) \
    { \
        return __ls_half((_Float16)(__ls_half_value(a) op __ls_half_value(b))); \
    } \
    LS_HALF __half2 __h##name##2(__half2 a, __half2 b) { return __half2(a.data op b.data); } \
    LS_HALF __half __h##name##_sat(__half a, __half b) { return __clamp_01(__h##name(a, b)); } \
    LS_HALF __half2 __h##name##2_sat(__half2 a, __half2 b) \
    { \
        return __ls_clamp2_01(__h##name##2(a, b)); \
    }

LS_HALF_ARITHMETIC(add, +)
LS_HALF_ARITHMETIC(sub, -)
LS_HALF_ARITHMETIC(mul, *)
#undef LS_HALF_ARITHMETIC

LS_HALF __half
__hdiv(__half a, __half b)
{
    return __ls_half((_Float16)(__ls_half_value(a) / __ls_half_value(b)));
}

LS_HALF __half2
__h2div(__half2 a, __half2 b)
{
    return __half2(a.data / b.data);
}

LS_HALF __half
__hfma(__half a, __half b, __half c)
{
    return __ls_half(__builtin_elementwise_fma(__ls_half_value(a), __ls_half_value(b),
                                               __ls_half_value(c)));
}

LS_HALF __half2
__hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__builtin_elementwise_fma(a.data, b.data, c.data));
}

LS_HALF __half
__hfma_sat(__half a, __half b, __half c)
{
    return __clamp_01(__hfma(a, b, c));
}

LS_HALF __half2
__hfma2_sat(__half2 a, __half2 b, __half2 c)
{
    return __ls_clamp2_01(__hfma2(a, b, c));
}

LS_HALF __half
__hneg(__half x)
{
    return __ls_half((_Float16)-__ls_half_value(x));
}

LS_HALF __half2
__hneg2(__half2 x)
{
    return __half2(-x.data);
}

LS_HALF __half
__habs(__half x)
{
    return __ushort_as_half(__half_as_ushort(x) & 0x7fff);
}

LS_HALF __half2
__habs2(__half2 x)
{
    return __half2(__habs(x.x), __habs(x.y));
}

/* The number when the other is NaN; the _nan forms give NaN then. */

LS_HALF __half
__hmax(__half a, __half b)
{
    return __hisnan(a) || __hlt(a, b) ? b : a;
}

LS_HALF __half
__hmin(__half a, __half b)
{
    return __hisnan(a) || __hgt(a, b) ? b : a;
}

LS_HALF __half
__hmax_nan(__half a, __half b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}

LS_HALF __half
__hmin_nan(__half a, __half b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}

#undef LS_HALF_IF_NUMBER

#endif
