/* SPDX-License-Identifier: MIT */
/* Short vectors: char1 ... double4, with component-wise operators in C++.
 *
 * Vectors of 2 and 4 are aligned to their size, those of 1 and 3 to their component. In C++ they
 * are HIP_vector_type<T, n>: members x, y, z, w and, for the same storage as one value,
 * `data`. */
#ifndef HIP_VECTOR_TYPES_H
#define HIP_VECTOR_TYPES_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/nvidia_detail/vector_types.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_VECTOR_TYPES_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_HIP_VECTOR_TYPES_H

#include <hip/detail/host_defines.h>

/* X(name, component) for every family of vectors. */
#define LS_HIP_VECTOR_FAMILIES(X) \
    X(char, char) X(uchar, unsigned char) X(short, short) X(ushort, unsigned short) \
    X(int, int) X(uint, unsigned int) X(long, long) X(ulong, unsigned long) \
    X(longlong, long long) X(ulonglong, unsigned long long) X(float, float) X(double, double)

#ifdef __cplusplus

#if !defined(__HIPCC_RTC__)
#include <type_traits>
#endif

#define LS_HIP_HD __host__ __device__

#if defined(__has_attribute)
#if __has_attribute(ext_vector_type)
#define __HIP_USE_NATIVE_VECTOR__ 1
#endif
#endif

#ifdef __HIP_USE_NATIVE_VECTOR__
#define LS_HIP_NATIVE(T, n) typedef T Native_vec_ __attribute__((ext_vector_type(n)))
#define LS_HIP_ALIGN(T, n)
#else
#define LS_HIP_NATIVE(T, n) typedef T Native_vec_[n]
#define LS_HIP_ALIGN(T, n)  alignas(n * sizeof(T))
#endif

template <typename T, unsigned int n> struct HIP_vector_base;

template <typename T> struct HIP_vector_base<T, 1> {
    LS_HIP_NATIVE(T, 1);
    typedef T value_type;
    union LS_HIP_ALIGN(T, 1) {
        struct {
            T x;
        };
        Native_vec_ data;
    };

    HIP_vector_base() = default;
    LS_HIP_HD explicit constexpr HIP_vector_base(T all) noexcept : x(all) {}
};

template <typename T> struct HIP_vector_base<T, 2> {
    LS_HIP_NATIVE(T, 2);
    typedef T value_type;
    union LS_HIP_ALIGN(T, 2) {
        struct {
            T x, y;
        };
        Native_vec_ data;
    };

    HIP_vector_base() = default;
    LS_HIP_HD explicit constexpr HIP_vector_base(T all) noexcept : x(all), y(all) {}
    LS_HIP_HD constexpr HIP_vector_base(T vx, T vy) noexcept : x(vx), y(vy) {}
};

template <typename T> struct HIP_vector_base<T, 3> {
    typedef T Native_vec_[3];
    typedef T value_type;
    union {
        struct {
            T x, y, z;
        };
        Native_vec_ data;
    };

    HIP_vector_base() = default;
    LS_HIP_HD explicit constexpr HIP_vector_base(T all) noexcept : x(all), y(all), z(all) {}
    LS_HIP_HD constexpr HIP_vector_base(T vx, T vy, T vz) noexcept : x(vx), y(vy), z(vz) {}
};

template <typename T> struct HIP_vector_base<T, 4> {
    LS_HIP_NATIVE(T, 4);
    typedef T value_type;
    union LS_HIP_ALIGN(T, 4) {
        struct {
            T x, y, z, w;
        };
        Native_vec_ data;
    };

    HIP_vector_base() = default;
    LS_HIP_HD explicit constexpr HIP_vector_base(T all) noexcept : x(all), y(all), z(all), w(all) {}
    LS_HIP_HD constexpr HIP_vector_base(T vx, T vy, T vz, T vw) noexcept
        : x(vx), y(vy), z(vz), w(vw)
    {
    }
};

#undef LS_HIP_NATIVE
#undef LS_HIP_ALIGN

#define LS_HIP_IF(condition) typename std::enable_if<(condition)>::type * = nullptr
#define LS_HIP_IF_SCALAR     LS_HIP_IF((std::is_convertible<U, T>::value))

template <typename T, unsigned int n> struct HIP_vector_type : public HIP_vector_base<T, n> {
    using typename HIP_vector_base<T, n>::Native_vec_;
    using HIP_vector_base<T, n>::data;

    HIP_vector_type() = default;

    /* One value for all components, only when asked for by name. */
    template <typename U, LS_HIP_IF_SCALAR>
    LS_HIP_HD explicit constexpr HIP_vector_type(U all) noexcept
        : HIP_vector_base<T, n>(static_cast<T>(all))
    {
    }

    template <typename... Us, LS_HIP_IF(n > 1 && sizeof...(Us) == n)>
    LS_HIP_HD constexpr HIP_vector_type(Us... components) noexcept
        : HIP_vector_base<T, n>(static_cast<T>(components)...)
    {
    }

#define LS_HIP_ASSIGN(op, condition) \
    template <typename V = T, LS_HIP_IF(condition)> \
    LS_HIP_HD HIP_vector_type &operator op##=(HIP_vector_type b) noexcept \
    { \
        return *this = *this op b; \
    }
    /* Only these operators take a scalar: in AMD's headers `v &= 1` is an error, too, though `v &
     * 1` is not. */
#define LS_HIP_ASSIGN_SCALAR(op) \
    LS_HIP_ASSIGN(op, true) \
    template <typename U, LS_HIP_IF_SCALAR> \
    LS_HIP_HD HIP_vector_type &operator op##=(U b) noexcept \
    { \
        return *this = *this op HIP_vector_type(b); \
    }

    LS_HIP_ASSIGN_SCALAR(+)
    LS_HIP_ASSIGN_SCALAR(-)
    LS_HIP_ASSIGN_SCALAR(*)
    LS_HIP_ASSIGN_SCALAR(/)
    LS_HIP_ASSIGN(%, std::is_integral<V>::value)
    LS_HIP_ASSIGN(&, std::is_integral<V>::value)
    LS_HIP_ASSIGN(|, std::is_integral<V>::value)
    LS_HIP_ASSIGN(^, std::is_integral<V>::value)
    LS_HIP_ASSIGN(<<, std::is_integral<V>::value)
    LS_HIP_ASSIGN(>>, std::is_integral<V>::value)
#undef LS_HIP_ASSIGN_SCALAR
#undef LS_HIP_ASSIGN

    LS_HIP_HD HIP_vector_type &operator++() noexcept { return *this += 1; }
    LS_HIP_HD HIP_vector_type &operator--() noexcept { return *this -= 1; }

    LS_HIP_HD HIP_vector_type operator++(int) noexcept
    {
        HIP_vector_type old(*this);
        ++*this;
        return old;
    }

    LS_HIP_HD HIP_vector_type operator--(int) noexcept
    {
        HIP_vector_type old(*this);
        --*this;
        return old;
    }
};

/* Component by component; a scalar stands for a vector of it. Operands go by value, so that each is
 * loaded as a whole. Libraries may specialise HIP_vector_base for more than four components
 * (rocWMMA does): theirs are computed by the operators of the base's `data`. */
#define LS_HIP_BINARY(op, condition) \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 1> \
    operator op(HIP_vector_type<T, 1> a, HIP_vector_type<T, 1> b) noexcept \
    { \
        return HIP_vector_type<T, 1>(a.x op b.x); \
    } \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 2> \
    operator op(HIP_vector_type<T, 2> a, HIP_vector_type<T, 2> b) noexcept \
    { \
        return HIP_vector_type<T, 2>(a.x op b.x, a.y op b.y); \
    } \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 3> \
    operator op(HIP_vector_type<T, 3> a, HIP_vector_type<T, 3> b) noexcept \
    { \
        return HIP_vector_type<T, 3>(a.x op b.x, a.y op b.y, a.z op b.z); \
    } \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 4> \
    operator op(HIP_vector_type<T, 4> a, HIP_vector_type<T, 4> b) noexcept \
    { \
        return HIP_vector_type<T, 4>(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); \
    } \
    template <typename T, unsigned int n, LS_HIP_IF((n > 4 && (condition)))> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, n> \
    operator op(HIP_vector_type<T, n> a, HIP_vector_type<T, n> b) noexcept \
    { \
        return ((void)(a.data op##= b.data), a); \
    } \
    template <typename T, unsigned int n, typename U, \
              LS_HIP_IF((std::is_convertible<U, T>::value && (condition)))> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, n> \
    operator op(HIP_vector_type<T, n> a, U b) noexcept \
    { \
        return a op HIP_vector_type<T, n>(b); \
    } \
    template <typename T, unsigned int n, typename U, \
              LS_HIP_IF((std::is_convertible<U, T>::value && (condition)))> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, n> \
    operator op(U a, HIP_vector_type<T, n> b) noexcept \
    { \
        return HIP_vector_type<T, n>(a) op b; \
    }

LS_HIP_BINARY(+, true)
LS_HIP_BINARY(-, true)
LS_HIP_BINARY(*, true)
LS_HIP_BINARY(/, true)
LS_HIP_BINARY(%, std::is_integral<T>::value)
LS_HIP_BINARY(&, std::is_integral<T>::value)
LS_HIP_BINARY(|, std::is_integral<T>::value)
LS_HIP_BINARY(^, std::is_integral<T>::value)
LS_HIP_BINARY(<<, std::is_integral<T>::value)
LS_HIP_BINARY(>>, std::is_integral<T>::value)
#undef LS_HIP_BINARY

#define LS_HIP_UNARY(op, condition) \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 1> \
    operator op(const HIP_vector_type<T, 1> &a) noexcept \
    { \
        return HIP_vector_type<T, 1>(op a.x); \
    } \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 2> \
    operator op(const HIP_vector_type<T, 2> &a) noexcept \
    { \
        return HIP_vector_type<T, 2>(op a.x, op a.y); \
    } \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 3> \
    operator op(const HIP_vector_type<T, 3> &a) noexcept \
    { \
        return HIP_vector_type<T, 3>(op a.x, op a.y, op a.z); \
    } \
    template <typename T, LS_HIP_IF(condition)> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, 4> \
    operator op(const HIP_vector_type<T, 4> &a) noexcept \
    { \
        return HIP_vector_type<T, 4>(op a.x, op a.y, op a.z, op a.w); \
    } \
    template <typename T, unsigned int n, LS_HIP_IF((n > 4 && (condition)))> \
    LS_HIP_HD inline constexpr HIP_vector_type<T, n> operator op(HIP_vector_type<T, n> a) noexcept \
    { \
        return ((void)(a.data = op a.data), a); \
    }

LS_HIP_UNARY(-, std::is_signed<T>::value)
LS_HIP_UNARY(~, std::is_integral<T>::value)
#undef LS_HIP_UNARY

/* Equality: one bool, of all components. */
template <typename T>
LS_HIP_HD inline constexpr bool
operator==(const HIP_vector_type<T, 1> &a, const HIP_vector_type<T, 1> &b) noexcept
{
    return a.x == b.x;
}

template <typename T>
LS_HIP_HD inline constexpr bool
operator==(const HIP_vector_type<T, 2> &a, const HIP_vector_type<T, 2> &b) noexcept
{
    return a.x == b.x && a.y == b.y;
}

template <typename T>
LS_HIP_HD inline constexpr bool
operator==(const HIP_vector_type<T, 3> &a, const HIP_vector_type<T, 3> &b) noexcept
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

template <typename T>
LS_HIP_HD inline constexpr bool
operator==(const HIP_vector_type<T, 4> &a, const HIP_vector_type<T, 4> &b) noexcept
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

template <typename T, unsigned int n, LS_HIP_IF((n > 4))>
LS_HIP_HD inline bool
operator==(const HIP_vector_type<T, n> &a, const HIP_vector_type<T, n> &b) noexcept
{
    for (unsigned int i = 0; i < n; i++)
        if (!(a.data[i] == b.data[i]))
            return false;
    return true;
}

template <typename T, unsigned int n, typename U, LS_HIP_IF_SCALAR>
LS_HIP_HD inline constexpr bool
operator==(const HIP_vector_type<T, n> &a, U b) noexcept
{
    return a == HIP_vector_type<T, n>(b);
}

template <typename T, unsigned int n, typename U, LS_HIP_IF_SCALAR>
LS_HIP_HD inline constexpr bool
operator==(U a, const HIP_vector_type<T, n> &b) noexcept
{
    return HIP_vector_type<T, n>(a) == b;
}

template <typename T, unsigned int n>
LS_HIP_HD inline constexpr bool
operator!=(const HIP_vector_type<T, n> &a, const HIP_vector_type<T, n> &b) noexcept
{
    return !(a == b);
}

template <typename T, unsigned int n, typename U, LS_HIP_IF_SCALAR>
LS_HIP_HD inline constexpr bool
operator!=(const HIP_vector_type<T, n> &a, U b) noexcept
{
    return !(a == b);
}

template <typename T, unsigned int n, typename U, LS_HIP_IF_SCALAR>
LS_HIP_HD inline constexpr bool
operator!=(U a, const HIP_vector_type<T, n> &b) noexcept
{
    return !(a == b);
}

#undef LS_HIP_IF_SCALAR
#undef LS_HIP_IF

#define LS_HIP_FAMILY(name, T) \
    using name##1 = HIP_vector_type<T, 1>; \
    using name##2 = HIP_vector_type<T, 2>; \
    using name##3 = HIP_vector_type<T, 3>; \
    using name##4 = HIP_vector_type<T, 4>; \
    static LS_HIP_HD inline constexpr name##1 make_##name##1(T x) { return name##1(x); } \
    static LS_HIP_HD inline constexpr name##2 make_##name##2(T x, T y) { return name##2(x, y); } \
    static LS_HIP_HD inline constexpr name##3 make_##name##3(T x, T y, T z) \
    { \
        return name##3(x, y, z); \
    } \
    static LS_HIP_HD inline constexpr name##4 make_##name##4(T x, T y, T z, T w) \
    { \
        return name##4(x, y, z, w); \
    }

#else

#define LS_HIP_FAMILY(name, T) \
    typedef struct { \
        T x; \
    } name##1; \
    typedef struct __attribute__((aligned(2 * sizeof(T)))) { \
        T x, y; \
    } name##2; \
    typedef struct { \
        T x, y, z; \
    } name##3; \
    typedef struct __attribute__((aligned(4 * sizeof(T)))) { \
        T x, y, z, w; \
    } name##4; \
    static inline name##1 make_##name##1(T x) \
    { \
        name##1 v = {x}; \
        return v; \
    } \
    static inline name##2 make_##name##2(T x, T y) \
    { \
        name##2 v = {x, y}; \
        return v; \
    } \
    static inline name##3 make_##name##3(T x, T y, T z) \
    { \
        name##3 v = {x, y, z}; \
        return v; \
    } \
    static inline name##4 make_##name##4(T x, T y, T z, T w) \
    { \
        name##4 v = {x, y, z, w}; \
        return v; \
    }

#endif

LS_HIP_VECTOR_FAMILIES(LS_HIP_FAMILY)
#undef LS_HIP_FAMILY

#endif
#endif
