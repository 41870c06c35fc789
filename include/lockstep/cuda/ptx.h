/* SPDX-License-Identifier: MIT */
/* What inline PTX becomes under hipcc --cuda (tools/hipcc/ptx.c, ptx.def): functions on registers,
 * which are bits until an instruction names a type. */
#ifndef LOCKSTEP_CUDA_PTX_H
#define LOCKSTEP_CUDA_PTX_H

#include <lockstep/cuda/runtime.h>

#if __HIP_CLANG_ONLY__ && defined(__cplusplus)

/* The compiler's own: the flag is a variable of the thread's program (ir/carry.c). */
extern "C" __device__ void __ls_carry_out(unsigned int carry);
extern "C" __device__ unsigned int __ls_carry_in(void);

namespace ls_ptx
{
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef float f32;
typedef double f64;
typedef _Float16 f16;
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));
typedef bool pred;

template <class T> struct plain {
    typedef T type;
};
template <class T> struct plain<volatile T> {
    typedef T type;
};
template <class T> struct plain<const T> {
    typedef T type;
};
template <class T> using plain_t = typename plain<T>::type;

template <class T> struct is_signed {
    enum { value = 0 };
};
template <> struct is_signed<s8> {
    enum { value = 1 };
};
template <> struct is_signed<s16> {
    enum { value = 1 };
};
template <> struct is_signed<s32> {
    enum { value = 1 };
};
template <> struct is_signed<s64> {
    enum { value = 1 };
};
template <> struct is_signed<long> {
    enum { value = 1 };
};

template <class T> struct is_float {
    enum { value = 0 };
};
template <> struct is_float<f16> {
    enum { value = 1 };
};
template <> struct is_float<f32> {
    enum { value = 1 };
};
template <> struct is_float<f64> {
    enum { value = 1 };
};

/* Unsigned integers by size, and the integer of twice the size */
template <unsigned N> struct sized;
template <> struct sized<1> {
    typedef u8 type;
};
template <> struct sized<2> {
    typedef u16 type;
};
template <> struct sized<4> {
    typedef u32 type;
};
template <> struct sized<8> {
    typedef u64 type;
};
template <class T> struct twice;
template <> struct twice<u16> {
    typedef u32 type;
};
template <> struct twice<s16> {
    typedef s32 type;
};
template <> struct twice<u32> {
    typedef u64 type;
};
template <> struct twice<s32> {
    typedef s64 type;
};
template <> struct twice<u64> {
    typedef unsigned __int128 type;
};
template <> struct twice<s64> {
    typedef __int128 type;
};
template <class T> using twice_t = typename twice<T>::type;

#define LS_PTX template <class T> LS_HIP_DEVICE

/* ---- Registers ---- */

template <class X>
LS_HIP_DEVICE u64
bits(X x)
{
    typename sized<sizeof(X)>::type b;

    __builtin_memcpy(&b, &x, sizeof(b));
    return b;
}

/* What a register or an operand is to an instruction of this type */
template <class T, class X>
LS_HIP_DEVICE T
get(X x)
{
    typename sized<sizeof(T)>::type b = (typename sized<sizeof(T)>::type)bits(x);
    T value;

    __builtin_memcpy(&value, &b, sizeof(T));
    return value;
}

/* Predicates are truth values, from integers as well. */
template <>
LS_HIP_DEVICE bool
get<bool>(bool x)
{
    return x;
}

/* A result becomes the register: extended by its sign where it has one, or cut. */
template <class D, class V>
LS_HIP_DEVICE void
put(D &d, V v)
{
    u64 b = is_signed<V>::value ? (u64)(s64)(typename sized<sizeof(V)>::type)bits(v) : bits(v);

    if (is_signed<V>::value && sizeof(V) < 8)
        b = (u64)((s64)(b << (64 - 8 * sizeof(V))) >> (64 - 8 * sizeof(V)));
    d = get<D>(b);
}

LS_HIP_DEVICE f32
f32_bits(u32 b)
{
    return get<f32>(b);
}

LS_HIP_DEVICE f64
f64_bits(u64 b)
{
    return get<f64>(b);
}

/* {low, high} as one register, and its parts */
template <class T, class X, class Y>
LS_HIP_DEVICE T
pack(X low, Y high)
{
    u64 half = 4 * sizeof(T), mask = ((u64)1 << half) - 1;

    return get<T>((bits(low) & mask) | bits(high) << half);
}

template <class T, class A, class B, class C, class D>
LS_HIP_DEVICE T
pack(A a, B b, C c, D d)
{
    u64 part = 2 * sizeof(T), mask = ((u64)1 << part) - 1;

    return get<T>((bits(a) & mask) | (bits(b) & mask) << part | (bits(c) & mask) << (2 * part) |
                  (bits(d) & mask) << (3 * part));
}

LS_PTX u64
part(T x, unsigned n, unsigned of)
{
    u64 size = 8 * sizeof(T) / of;

    return bits(x) >> (n * size) & (((u64)1 << size) - 1);
}

/* ---- Arithmetic ---- */

#define LS_PTX_WRAPPING(name, op)                                                                  \
    LS_PTX T name(T a, T b)                                                                        \
    {                                                                                              \
        if constexpr (is_float<T>::value)                                                          \
            return a op b;                                                                         \
        else                                                                                       \
            return (T)((u64)a op(u64) b);                                                          \
    }                                                                                              \
    template <> LS_HIP_DEVICE f16x2 name<f16x2>(f16x2 a, f16x2 b)                                  \
    {                                                                                              \
        return a op b;                                                                             \
    }
LS_PTX_WRAPPING(add, +)
LS_PTX_WRAPPING(sub, -)
LS_PTX_WRAPPING(mul, *)
#undef LS_PTX_WRAPPING

LS_PTX T
add_sat(T a, T b)
{
    return __builtin_elementwise_add_sat(a, b);
}

LS_PTX T
sub_sat(T a, T b)
{
    return __builtin_elementwise_sub_sat(a, b);
}

LS_PTX T
mul_hi(T a, T b)
{
    return (T)(((twice_t<T>)a * b) >> (8 * sizeof(T)));
}

LS_PTX twice_t<T>
mul_wide(T a, T b)
{
    return (twice_t<T>)a * b;
}

LS_PTX twice_t<T>
mad_wide(T a, T b, twice_t<T> c)
{
    return add<twice_t<T>>((twice_t<T>)a * b, c);
}

LS_PTX T
mul24(T a, T b)
{
    return is_signed<T>::value ? (T)((s64)((s32)((u32)a << 8) >> 8) * ((s32)((u32)b << 8) >> 8))
                               : (T)((u64)((u32)a & 0xffffff) * ((u32)b & 0xffffff));
}

LS_HIP_DEVICE f32
fma_of(f32 a, f32 b, f32 c)
{
    return __builtin_fmaf(a, b, c);
}

LS_HIP_DEVICE f64
fma_of(f64 a, f64 b, f64 c)
{
    return __builtin_fma(a, b, c);
}

LS_HIP_DEVICE f16
fma_of(f16 a, f16 b, f16 c)
{
    return __builtin_fmaf16(a, b, c);
}

LS_HIP_DEVICE f16x2
fma_of(f16x2 a, f16x2 b, f16x2 c)
{
    f16x2 r = {fma_of(a.x, b.x, c.x), fma_of(a.y, b.y, c.y)};
    return r;
}

LS_PTX T
saturated(T x)
{
    return x > (T)0 ? x < (T)1 ? x : (T)1 : (T)0;
}

template <>
LS_HIP_DEVICE f16x2
saturated<f16x2>(f16x2 x)
{
    f16x2 r = {saturated<f16>(x.x), saturated<f16>(x.y)};
    return r;
}

/* -0 is less than 0 */
LS_PTX bool
is_minus(T x)
{
    return __builtin_signbit((f64)x);
}

LS_PTX T
smaller(T a, T b)
{
    if constexpr (is_float<T>::value)
        return a != a ? b : b != b || a < b ? a : b < a ? b : is_minus(a) ? a : b;
    else
        return a < b ? a : b;
}

LS_PTX T
larger(T a, T b)
{
    if constexpr (is_float<T>::value)
        return a != a ? b : b != b || b < a ? a : a < b ? b : is_minus(a) ? b : a;
    else
        return a < b ? b : a;
}

template <>
LS_HIP_DEVICE f16x2
smaller<f16x2>(f16x2 a, f16x2 b)
{
    f16x2 r = {smaller<f16>(a.x, b.x), smaller<f16>(a.y, b.y)};
    return r;
}

template <>
LS_HIP_DEVICE f16x2
larger<f16x2>(f16x2 a, f16x2 b)
{
    f16x2 r = {larger<f16>(a.x, b.x), larger<f16>(a.y, b.y)};
    return r;
}

/* .relu */
LS_PTX T
not_negative(T x)
{
    return x != x ? (T)__builtin_nanf("") : x > (T)0 ? x : (T)0;
}

template <>
LS_HIP_DEVICE f16x2
not_negative<f16x2>(f16x2 x)
{
    f16x2 r = {not_negative<f16>(x.x), not_negative<f16>(x.y)};
    return r;
}

/* The bytes' distances, in sum; A, B: whether those of a and of b are signed. */
template <class A, class B>
LS_HIP_DEVICE u32
bytes_apart(u32 a, u32 b)
{
    u32 sum = 0;

    for (int i = 0; i < 32; i += 8) {
        int x = is_signed<A>::value ? (s8)(a >> i) : (u8)(a >> i),
            y = is_signed<B>::value ? (s8)(b >> i) : (u8)(b >> i);

        sum += (u32)(x < y ? y - x : x - y);
    }
    return sum;
}

LS_PTX T
negative(T a)
{
    if constexpr (is_float<T>::value)
        return -a;
    else
        return (T)(0 - (u64)a);
}

template <>
LS_HIP_DEVICE f16x2
negative<f16x2>(f16x2 a)
{
    return -a;
}

LS_PTX T
absolute(T a)
{
    if constexpr (is_float<T>::value)
        return get<T>(bits(a) & ~((u64)1 << (8 * sizeof(T) - 1)));
    else
        return a < (T)0 ? negative(a) : a;
}

template <>
LS_HIP_DEVICE f16x2
absolute<f16x2>(f16x2 a)
{
    return get<f16x2>(bits(a) & 0x7fff7fff);
}

/* The sign of a, the rest of b */
LS_PTX T
copysign_of(T a, T b)
{
    u64 sign = (u64)1 << (8 * sizeof(T) - 1);

    return get<T>((bits(a) & sign) | (bits(b) & ~sign));
}

/* Integer division by zero has no result. */
LS_PTX T
quotient(T a, T b)
{
    if constexpr (is_float<T>::value)
        return a / b;
    else
        return b == (T)0 ? (T)~(T)0 : is_signed<T>::value && b == (T)-1 ? negative(a) : (T)(a / b);
}

LS_PTX T
remainder_of(T a, T b)
{
    return b == (T)0 ? a : is_signed<T>::value && b == (T)-1 ? (T)0 : (T)(a % b);
}

LS_PTX T
difference(T a, T b)
{
    return a < b ? sub<T>(b, a) : sub<T>(a, b);
}

/* sqrt, rsqrt and the rest of what PTX calls approximate, more exactly */
#define LS_PTX_FLOAT(name, e32, e64)                                                               \
    LS_HIP_DEVICE f32 name(f32 x)                                                                  \
    {                                                                                              \
        return e32;                                                                                \
    }                                                                                              \
    LS_HIP_DEVICE f64 name(f64 x)                                                                  \
    {                                                                                              \
        return e64;                                                                                \
    }                                                                                              \
    LS_HIP_DEVICE f16 name(f16 x)                                                                  \
    {                                                                                              \
        return (f16)name((f32)x);                                                                  \
    }                                                                                              \
    LS_HIP_DEVICE f16x2 name(f16x2 x)                                                              \
    {                                                                                              \
        f16x2 r = {name((f16)x.x), name((f16)x.y)};                                                \
        return r;                                                                                  \
    }
LS_PTX_FLOAT(root, ::sqrtf(x), ::sqrt(x))
LS_PTX_FLOAT(inverse_root, ::rsqrtf(x), ::rsqrt(x))
LS_PTX_FLOAT(inverse, 1.0f / x, 1.0 / x)
LS_PTX_FLOAT(sine, ::sinf(x), ::sin(x))
LS_PTX_FLOAT(cosine, ::cosf(x), ::cos(x))
LS_PTX_FLOAT(log_2, ::log2f(x), ::log2(x))
LS_PTX_FLOAT(exp_2, ::exp2f(x), ::exp2(x))
LS_PTX_FLOAT(tanh_of, ::tanhf(x), ::tanh(x))
#undef LS_PTX_FLOAT

/* ---- Bits ---- */

LS_PTX T
shift_left(T a, u32 n)
{
    return n < 8 * sizeof(T) ? (T)(a << n) : (T)0;
}

LS_PTX T
shift_right(T a, u32 n)
{
    u32 most = 8 * sizeof(T) - 1;

    return n <= most ? (T)(a >> n) : is_signed<T>::value ? (T)(a >> most) : (T)0;
}

LS_PTX T
field(T a, u32 at, u32 n)
{
    u64 wide = is_signed<T>::value ? (u64)(s64)a : (u64)a;

    at &= 255;
    n &= 255;
    if (n == 0)
        return 0;
    if (is_signed<T>::value)
        wide = (u64)((s64)wide >> (at < 63 ? at : 63));
    else
        wide = at < 64 ? wide >> at : 0;
    if (n >= 8 * sizeof(T))
        return (T)wide;
    wide <<= 64 - n;
    return is_signed<T>::value ? (T)((s64)wide >> (64 - n)) : (T)(wide >> (64 - n));
}

LS_PTX T
with_field(T a, T b, u32 at, u32 n)
{
    at &= 255;
    n &= 255;
    u64 ones = n < 64 ? ((u64)1 << n) - 1 : ~(u64)0;
    u64 mask = at < 64 ? ones << at : 0;

    return (T)(((u64)b & ~mask) | ((at < 64 ? (u64)a << at : 0) & mask));
}

LS_PTX u32
leading_zeros(T a)
{
    return a ? sizeof(T) == 8 ? (u32)__builtin_clzll((u64)a) : (u32)__builtin_clz((u32)a)
             : 8 * sizeof(T);
}

LS_PTX u32
highest_bit(T a)
{
    typedef typename sized<sizeof(T)>::type U;
    U u = (U)(is_signed<T>::value && a < (T)0 ? ~a : a);

    return u ? 8 * sizeof(T) - 1 - leading_zeros<U>(u) : ~0u;
}

LS_PTX u32
highest_bit_distance(T a)
{
    u32 at = highest_bit(a);

    return at == ~0u ? at : 8 * sizeof(T) - 1 - at;
}

LS_PTX T
reversed(T a)
{
    return sizeof(T) == 8 ? (T)__builtin_bitreverse64((u64)a) : (T)__builtin_bitreverse32((u32)a);
}

LS_HIP_DEVICE u32
chosen(u32 by, u32 zero, u32 one)
{
    return zero ^ (by & (zero ^ one));
}

/* What a truth table says of c, by its bits at and at + 1 */
LS_HIP_DEVICE u32
logic1(u32 c, u32 table, u32 at)
{
    return chosen(c, 0 - (table >> at & 1), 0 - (table >> (at + 1) & 1));
}

/* No loop: a hash has thousands of these in a row, and LLVM takes minutes to unroll them all */
LS_HIP_DEVICE u32
logic3(u32 a, u32 b, u32 c, u32 table)
{
    return chosen(a, chosen(b, logic1(c, table, 0), logic1(c, table, 2)),
                  chosen(b, logic1(c, table, 4), logic1(c, table, 6)));
}

LS_HIP_DEVICE u32
permuted_byte(u64 all, u32 which, u32 at)
{
    u32 one = which >> (4 * at), byte = (u32)(all >> (8 * (one & 7))) & 255;

    return (one & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * at);
}

LS_HIP_DEVICE u32
permuted(u32 a, u32 b, u32 which)
{
    u64 all = (u64)b << 32 | a;

    return permuted_byte(all, which, 0) | permuted_byte(all, which, 1) |
           permuted_byte(all, which, 2) | permuted_byte(all, which, 3);
}

/* The byte selectors of prmt's modes, by the two low bits of its last operand */
LS_HIP_DEVICE u32
permuted_mode(u32 a, u32 b, u32 c, u64 low, u64 high)
{
    u32 n = c & 3;

    return permuted(a, b, (u32)((n & 2 ? high : low) >> (n & 1 ? 16 : 0)) & 0xffff);
}

LS_HIP_DEVICE u32
funnel_left(u32 low, u32 high, u32 n)
{
    return (u32)((((u64)high << 32 | low) << n) >> 32);
}

LS_HIP_DEVICE u32
funnel_right(u32 low, u32 high, u32 n)
{
    return (u32)(((u64)high << 32 | low) >> n);
}

LS_HIP_DEVICE u32
at_most_32(u32 n)
{
    return n < 32 ? n : 32;
}

/* Sums of products of bytes (4), or of halves of a with bytes of b (2) */
template <class A, class B>
LS_HIP_DEVICE u32
dot4(u32 a, u32 b, u32 c)
{
#pragma unroll
    for (u32 i = 0; i < 32; i += 8)
        c += (u32)((s32)field<A>((A)a, i, 8) * (s32)field<B>((B)b, i, 8));
    return c;
}

template <class A, class B>
LS_HIP_DEVICE u32
dot2(u32 a, u32 b, u32 c, u32 from)
{
#pragma unroll
    for (u32 i = 0; i < 2; i++)
        c += (u32)((s32)field<A>((A)a, 16 * i, 16) * (s32)field<B>((B)b, from + 8 * i, 8));
    return c;
}

/* ---- With a carry: CC.CF, which one statement may leave to another (__ls_carry_out, _in) ---- */

LS_PTX T
add_carry(T a, T b, bool in, bool &out)
{
    typedef typename sized<sizeof(T)>::type U;
    U sum = (U)a + (U)b, all = sum + in;

    out = sum < (U)a || all < sum;
    return (T)all;
}

LS_PTX T
sub_carry(T a, T b, bool in, bool &out)
{
    typedef typename sized<sizeof(T)>::type U;
    U rest = (U)a - (U)b, all = rest - in;

    out = (U)a < (U)b || rest < (U)in;
    return (T)all;
}

/* ---- Comparisons ---- */

#define LS_PTX_COMPARE(name, expression)                                                           \
    LS_PTX bool name(T a, T b)                                                                     \
    {                                                                                              \
        return expression;                                                                         \
    }
LS_PTX_COMPARE(is_eq, a == b)
LS_PTX_COMPARE(is_ne, is_float<T>::value ? a < b || a > b : a != b)
LS_PTX_COMPARE(is_lt, a < b)
LS_PTX_COMPARE(is_le, a <= b)
LS_PTX_COMPARE(is_gt, a > b)
LS_PTX_COMPARE(is_ge, a >= b)
LS_PTX_COMPARE(is_lo, a < b)
LS_PTX_COMPARE(is_ls, a <= b)
LS_PTX_COMPARE(is_hi, a > b)
LS_PTX_COMPARE(is_hs, a >= b)
LS_PTX_COMPARE(is_equ, !(a < b || a > b))
LS_PTX_COMPARE(is_neu, a != b)
LS_PTX_COMPARE(is_ltu, !(a >= b))
LS_PTX_COMPARE(is_leu, !(a > b))
LS_PTX_COMPARE(is_gtu, !(a <= b))
LS_PTX_COMPARE(is_geu, !(a < b))
LS_PTX_COMPARE(is_num, a == a && b == b)
LS_PTX_COMPARE(is_nan, a != a || b != b)
#undef LS_PTX_COMPARE

/* What set writes for a comparison that holds: all bits, or 1.0 */
LS_PTX T
truth(bool x)
{
    if constexpr (is_float<T>::value)
        return x ? (T)1 : (T)0;
    else
        return x ? (T)-1 : (T)0;
}

/* ---- Conversions ---- */

enum rounding { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };

LS_PTX T
to_whole(T x, rounding how)
{
    if constexpr (sizeof(T) == 8)
        return how == rzi   ? __builtin_trunc(x)
               : how == rmi ? __builtin_floor(x)
               : how == rpi ? __builtin_ceil(x)
                            : __builtin_rint(x);
    else
        return how == rzi   ? (T)__builtin_truncf(x)
               : how == rmi ? (T)__builtin_floorf(x)
               : how == rpi ? (T)__builtin_ceilf(x)
                            : (T)__builtin_rintf(x);
}

/* To an integer of another size, with or without saturation */
template <class U, class T>
LS_HIP_DEVICE U
clamped(T x)
{
    const U least = is_signed<U>::value ? (U)((U)1 << (8 * sizeof(U) - 1)) : (U)0, most = (U)~least;

    if (is_signed<T>::value && x < (T)0)
        return !is_signed<U>::value || (s64)x < (s64)least ? least : (U)x;
    return (u64)x > (u64)most ? most : (U)x;
}

/* What is no number is 0, and of 64 bits on either side the highest bit alone (seen on an H200). */
template <class U, class T>
LS_HIP_DEVICE U
float_to_integer(T x)
{
    const U top = (U)((U)1 << (8 * sizeof(U) - 1)), least = is_signed<U>::value ? top : (U)0,
            most = (U)~least;

    return x != x                ? (sizeof(T) == 8 || sizeof(U) == 8 ? top : (U)0)
           : (f64)x <= (f64)least ? least
           : (f64)x >= (f64)most  ? most
                                  : (U)x;
}

template <class U, class T>
LS_HIP_DEVICE U
converted(T x, rounding how, bool saturate)
{
    if constexpr (is_float<T>::value && !is_float<U>::value)
        return float_to_integer<U>(to_whole(x, how));
    else if constexpr (is_float<T>::value) {
        U y = how >= rni ? (U)to_whole(x, how) : (U)x;
        return saturate ? saturated(y) : y;
    } else if constexpr (is_float<U>::value)
        return saturate ? saturated((U)x) : (U)x;
    else
        return saturate ? clamped<U>(x) : (U)x;
}

LS_HIP_DEVICE f16x2
halves(f32 high, f32 low)
{
    f16x2 r = {(f16)low, (f16)high};
    return r;
}

LS_HIP_DEVICE u16
bf16_of(f32 x)
{
    u32 b = get<u32>(x);

    return (u16)(x != x ? 0x7fff : (b + 0x7fff + (b >> 16 & 1)) >> 16);
}

LS_HIP_DEVICE f32
of_bf16(u16 b)
{
    return get<f32>((u32)b << 16);
}

LS_HIP_DEVICE u32
tf32_of(f32 x, rounding how)
{
    u32 b = get<u32>(x);

    return x != x ? 0x7fffffff : (b + (how == rna ? 0x1000 : 0xfff + (b >> 13 & 1))) & ~0x1fffu;
}

/* ---- Addresses ---- */

#define LS_PTX_SPACE(n) __attribute__((address_space(n)))

LS_PTX T *
generic_of(u64 address)
{
    return (T *)address;
}

LS_PTX T *
shared_of(u64 address)
{
    return (T *)(LS_PTX_SPACE(3) T *)(u32)address;
}

LS_PTX T *
local_of(u64 address)
{
    return (T *)(LS_PTX_SPACE(5) T *)(u32)address;
}

LS_HIP_DEVICE u64
shared_address(u64 address)
{
    return (u32)(size_t)(LS_PTX_SPACE(3) char *)(char *)address;
}

LS_HIP_DEVICE u64
local_address(u64 address)
{
    return (u32)(size_t)(LS_PTX_SPACE(5) char *)(char *)address;
}

/* ---- Memory ---- */

template <class T, unsigned N> struct many {
    T v[N];
};

template <unsigned N, class T>
LS_HIP_DEVICE many<T, N>
load(const T *from)
{
    many<T, N> r;

    __builtin_memcpy(&r, from, sizeof(r));
    return r;
}

template <unsigned N, class T>
LS_HIP_DEVICE many<T, N>
load_volatile(const T *from)
{
    typedef T __attribute__((may_alias)) aliased;
    many<T, N> r;

#pragma unroll
    for (unsigned i = 0; i < N; i++)
        r.v[i] = ((const volatile aliased *)from)[i];
    return r;
}

template <unsigned N, int Order, int Scope, class T>
LS_HIP_DEVICE many<T, N>
load_atomic(const T *from)
{
    typedef typename sized<sizeof(T)>::type __attribute__((may_alias)) word;
    many<T, N> r;

#pragma unroll
    for (unsigned i = 0; i < N; i++)
        r.v[i] = get<T>(__hip_atomic_load((const word *)from + i, Order, Scope));
    return r;
}

template <unsigned N, class T>
LS_HIP_DEVICE void
store(T *to, many<T, N> v)
{
    __builtin_memcpy(to, &v, sizeof(v));
}

template <unsigned N, class T>
LS_HIP_DEVICE void
store_volatile(T *to, many<T, N> v)
{
    typedef T __attribute__((may_alias)) aliased;

#pragma unroll
    for (unsigned i = 0; i < N; i++)
        ((volatile aliased *)to)[i] = v.v[i];
}

template <unsigned N, int Order, int Scope, class T>
LS_HIP_DEVICE void
store_atomic(T *to, many<T, N> v)
{
    typedef typename sized<sizeof(T)>::type __attribute__((may_alias)) word;

#pragma unroll
    for (unsigned i = 0; i < N; i++)
        __hip_atomic_store((word *)to + i, (word)bits(v.v[i]), Order, Scope);
}

/* Reads, changes by `change` and writes; what was there */
template <int Order, int Scope, class T, class Change>
LS_HIP_DEVICE T
updated(T *at, Change change)
{
    typedef typename sized<sizeof(T)>::type __attribute__((may_alias)) word;
    word old = __hip_atomic_load((word *)at, __ATOMIC_RELAXED, Scope);

    while (!__hip_atomic_compare_exchange_strong((word *)at, &old, (word)bits(change(get<T>(old))),
                                                 Order, __ATOMIC_RELAXED, Scope))
        ;
    return get<T>(old);
}

#define LS_PTX_ATOMIC(name, builtin)                                                               \
    template <int Order, int Scope, class T> LS_HIP_DEVICE T name(T *at, T v)                      \
    {                                                                                              \
        return builtin(at, v, Order, Scope);                                                       \
    }
LS_PTX_ATOMIC(atom_and, __hip_atomic_fetch_and)
LS_PTX_ATOMIC(atom_or, __hip_atomic_fetch_or)
LS_PTX_ATOMIC(atom_xor, __hip_atomic_fetch_xor)
LS_PTX_ATOMIC(atom_min, __hip_atomic_fetch_min)
LS_PTX_ATOMIC(atom_max, __hip_atomic_fetch_max)
LS_PTX_ATOMIC(atom_exch, __hip_atomic_exchange)
#undef LS_PTX_ATOMIC

template <int Order, int Scope, class T>
LS_HIP_DEVICE T
atom_add(T *at, T v)
{
    if constexpr (sizeof(T) == 2)
        return updated<Order, Scope>(at, [v](T old) { return add<T>(old, v); });
    else
        return __hip_atomic_fetch_add(at, v, Order, Scope);
}

template <int Order, int Scope>
LS_HIP_DEVICE f16x2
atom_add(f16x2 *at, f16x2 v)
{
    return updated<Order, Scope>(at, [v](f16x2 old) { return old + v; });
}

template <int Order, int Scope>
LS_HIP_DEVICE u32
atom_inc(u32 *at, u32 most)
{
    return updated<Order, Scope>(at, [most](u32 old) { return old >= most ? 0 : old + 1; });
}

template <int Order, int Scope>
LS_HIP_DEVICE u32
atom_dec(u32 *at, u32 most)
{
    return updated<Order, Scope>(
        at, [most](u32 old) { return old == 0 || old > most ? most : old - 1; });
}

template <int Order, int Scope, class T>
LS_HIP_DEVICE T
atom_cas(T *at, T expected, T v)
{
    __hip_atomic_compare_exchange_strong(at, &expected, v, Order, __ATOMIC_RELAXED, Scope);
    return expected;
}

/* cp.async: `n` bytes are copied at once, those from `some` on become 0. */
template <u32 N>
LS_HIP_DEVICE void
copy_async(u64 to, u64 from, u32 some)
{
    u32 *out = shared_of<u32>(to);
    const u32 *in = generic_of<const u32>(from);

#pragma unroll
    for (u32 i = 0; i < N / 4; i++) {
        u32 left = some > 4 * i ? some - 4 * i : 0;

        out[i] = left >= 4 ? in[i] : left ? in[i] & ((1u << (8 * left)) - 1) : 0;
    }
}

/* The bytes that are copied of so many: by their number, or by whether the source is ignored. */
LS_PTX u32
copied(u32, T some)
{
    return (u32)some;
}

LS_HIP_DEVICE u32
copied(u32 all, bool ignores)
{
    return ignores ? 0 : all;
}

/* ---- Across the warp ---- */

enum direction { up, down, bfly, idx };

/* The lane that is read; `inside`: whether that is the wanted one and not the own. */
template <direction How>
LS_HIP_DEVICE u32
shuffled(u32 v, u32 by, u32 limits, bool &inside)
{
    u32 lane = __lane_id(), parts = limits >> 8 & 31, clamp = limits & 31;
    u32 first = lane & parts, last = first | (clamp & ~parts), from;

    by &= 31;
    from = How == up     ? lane - by
           : How == down ? lane + by
           : How == bfly ? lane ^ by
                         : (first | (by & ~parts));
    inside = How == up ? (s32)from >= (s32)last : from <= last;
    return (u32)__builtin_amdgcn_ds_bpermute((s32)(4 * (inside ? from : lane)), (s32)v);
}

LS_HIP_DEVICE u32
voted(bool p, u32 mask)
{
    return __ballot_sync(mask, p) & mask;
}

LS_HIP_DEVICE bool
all_of(bool p, u32 mask)
{
    return voted(!p, mask) == 0;
}

LS_HIP_DEVICE bool
alike(bool p, u32 mask)
{
    return voted(p, mask) == 0 || voted(!p, mask) == 0;
}

LS_HIP_DEVICE u32
thread_number()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

#undef LS_PTX
} // namespace ls_ptx

#endif
#endif
