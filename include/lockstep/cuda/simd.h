/* SPDX-License-Identifier: MIT */
/* CUDA's functions on two numbers of 16 bits or four of 8 bits that lie in an unsigned int. */
#ifndef LOCKSTEP_CUDA_SIMD_H
#define LOCKSTEP_CUDA_SIMD_H

#include <hip/hip_runtime.h>

/* What `expression` makes of x and y, the numbers of type T at each place. */
#define LS_CUDA_LANES_OF(name, bits, T, low, high, expression) \
    LS_HIP_DEVICE unsigned int name(unsigned int a, unsigned int b) \
    { \
        unsigned int result = 0; \
        for (int at = 0; at < 32; at += bits) { \
            const int x = (T)(a >> at), y = (T)(b >> at), lowest = low, highest = high; \
            (void)x, (void)y, (void)lowest, (void)highest; \
            result |= ((unsigned int)(expression) & (~0u >> (32 - bits))) << at; \
        } \
        return result; \
    }
#define LS_CUDA_SIGNED(name, expression) \
    LS_CUDA_LANES_OF(name##2, 16, short, -32768, 32767, expression) \
    LS_CUDA_LANES_OF(name##4, 8, signed char, -128, 127, expression)
#define LS_CUDA_UNSIGNED(name, expression) \
    LS_CUDA_LANES_OF(name##2, 16, unsigned short, 0, 65535, expression) \
    LS_CUDA_LANES_OF(name##4, 8, unsigned char, 0, 255, expression)
#define LS_CUDA_CLAMPED(value) \
    ((value) < lowest ? lowest : (value) > highest ? highest : (value))

LS_CUDA_UNSIGNED(__vadd, x + y)
LS_CUDA_SIGNED(__vaddss, LS_CUDA_CLAMPED(x + y))
LS_CUDA_UNSIGNED(__vaddus, LS_CUDA_CLAMPED(x + y))
LS_CUDA_UNSIGNED(__vsub, x - y)
LS_CUDA_SIGNED(__vsubss, LS_CUDA_CLAMPED(x - y))
LS_CUDA_UNSIGNED(__vsubus, LS_CUDA_CLAMPED(x - y))
LS_CUDA_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
LS_CUDA_UNSIGNED(__vavgu, (x + y + 1) >> 1)
LS_CUDA_UNSIGNED(__vhaddu, (x + y) >> 1)
LS_CUDA_SIGNED(__vmaxs, x > y ? x : y)
LS_CUDA_UNSIGNED(__vmaxu, x > y ? x : y)
LS_CUDA_SIGNED(__vmins, x < y ? x : y)
LS_CUDA_UNSIGNED(__vminu, x < y ? x : y)
LS_CUDA_SIGNED(__vabsdiffs, x > y ? x - y : y - x)
LS_CUDA_UNSIGNED(__vabsdiffu, x > y ? x - y : y - x)

/* Comparisons: all bits of a place are set, or the lowest one. */
#define LS_CUDA_COMPARE(name, op) \
    LS_CUDA_SIGNED(__vcmp##name##s, x op y ? -1 : 0) \
    LS_CUDA_UNSIGNED(__vcmp##name##u, x op y ? -1 : 0) \
    LS_CUDA_SIGNED(__vset##name##s, x op y) \
    LS_CUDA_UNSIGNED(__vset##name##u, x op y)
LS_CUDA_COMPARE(ge, >=)
LS_CUDA_COMPARE(gt, >)
LS_CUDA_COMPARE(le, <=)
LS_CUDA_COMPARE(lt, <)
LS_CUDA_UNSIGNED(__vcmpeq, x == y ? -1 : 0)
LS_CUDA_UNSIGNED(__vcmpne, x != y ? -1 : 0)
LS_CUDA_UNSIGNED(__vseteq, x == y)
LS_CUDA_UNSIGNED(__vsetne, x != y)
#undef LS_CUDA_COMPARE

/* Of one operand */
LS_CUDA_SIGNED(__ls_cuda_vabs, x < 0 ? -x : x)
LS_CUDA_SIGNED(__ls_cuda_vabsss, LS_CUDA_CLAMPED(x < 0 ? -x : x))
LS_CUDA_SIGNED(__ls_cuda_vneg, -x)
LS_CUDA_SIGNED(__ls_cuda_vnegss, LS_CUDA_CLAMPED(-x))
#define LS_CUDA_UNARY(name) \
    LS_HIP_DEVICE unsigned int __##name(unsigned int a) { return __ls_cuda_##name(a, 0); }
LS_CUDA_UNARY(vabs2)
LS_CUDA_UNARY(vabs4)
LS_CUDA_UNARY(vabsss2)
LS_CUDA_UNARY(vabsss4)
LS_CUDA_UNARY(vneg2)
LS_CUDA_UNARY(vneg4)
LS_CUDA_UNARY(vnegss2)
LS_CUDA_UNARY(vnegss4)
#undef LS_CUDA_UNARY

/* Sums of absolute differences */
#define LS_CUDA_SUM(name, bits, T) \
    LS_HIP_DEVICE unsigned int name(unsigned int a, unsigned int b) \
    { \
        unsigned int sum = 0; \
        for (int at = 0; at < 32; at += bits) { \
            const int x = (T)(a >> at), y = (T)(b >> at); \
            sum += (unsigned int)(x > y ? x - y : y - x); \
        } \
        return sum; \
    }
LS_CUDA_SUM(__vsads2, 16, short)
LS_CUDA_SUM(__vsadu2, 16, unsigned short)
LS_CUDA_SUM(__vsads4, 8, signed char)
LS_CUDA_SUM(__vsadu4, 8, unsigned char)
#undef LS_CUDA_SUM

#undef LS_CUDA_CLAMPED
#undef LS_CUDA_SIGNED
#undef LS_CUDA_UNSIGNED
#undef LS_CUDA_LANES_OF

/* Sums, and the larger and the smaller of two or three, in 32 bits or twice 16; _relu: not below
 * zero */
namespace ls_cuda {
struct addmax {
    template <class T> __device__ T operator()(T a, T b, T c) const
    {
        T sum = (T)((unsigned int)a + (unsigned int)b);
        return sum > c ? sum : c;
    }
};
struct addmin {
    template <class T> __device__ T operator()(T a, T b, T c) const
    {
        T sum = (T)((unsigned int)a + (unsigned int)b);
        return sum < c ? sum : c;
    }
};
struct max3 {
    template <class T> __device__ T operator()(T a, T b, T c) const
    {
        T best = a > b ? a : b;
        return best > c ? best : c;
    }
};
struct min3 {
    template <class T> __device__ T operator()(T a, T b, T c) const
    {
        T best = a < b ? a : b;
        return best < c ? best : c;
    }
};
template <class F> struct relu {
    template <class T> __device__ T operator()(T a, T b, T c) const
    {
        T value = F()(a, b, c);
        return value > 0 ? value : (T)0;
    }
};
template <class T, class F>
LS_HIP_DEVICE unsigned int
halves(F f, unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int low = (unsigned short)f((T)a, (T)b, (T)c);
    unsigned int high = (unsigned short)f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16));
    return low | high << 16;
}
} // namespace ls_cuda

#define LS_CUDA_32(name, T, ...) \
    LS_HIP_DEVICE T __vi##name(T a, T b, T c) { return ls_cuda::__VA_ARGS__()(a, b, c); }
#define LS_CUDA_16(name, T, ...) \
    LS_HIP_DEVICE unsigned int __vi##name(unsigned int a, unsigned int b, unsigned int c) \
    { \
        return ls_cuda::halves<T>(ls_cuda::__VA_ARGS__(), a, b, c); \
    }
#define LS_CUDA_OF_THREE(name) \
    LS_CUDA_32(name##_s32, int, name) \
    LS_CUDA_32(name##_u32, unsigned int, name) \
    LS_CUDA_32(name##_s32_relu, int, relu<ls_cuda::name>) \
    LS_CUDA_16(name##_s16x2, short, name) \
    LS_CUDA_16(name##_u16x2, unsigned short, name) \
    LS_CUDA_16(name##_s16x2_relu, short, relu<ls_cuda::name>)
LS_CUDA_OF_THREE(addmax)
LS_CUDA_OF_THREE(addmin)
LS_CUDA_OF_THREE(max3)
LS_CUDA_OF_THREE(min3)
#undef LS_CUDA_OF_THREE
#undef LS_CUDA_16
#undef LS_CUDA_32

/* Of two; the second form says, too, whether it is the first: *pred, or one for each half. */
#define LS_CUDA_OF_TWO(name, three, op) \
    LS_HIP_DEVICE int __vi##name##_s32_relu(int a, int b) { return three##_s32_relu(a, b, b); } \
    LS_HIP_DEVICE unsigned int __vi##name##_s16x2_relu(unsigned int a, unsigned int b) \
    { \
        return three##_s16x2_relu(a, b, b); \
    } \
    LS_HIP_DEVICE int __vib##name##_s32(int a, int b, bool *pred) \
    { \
        return (*pred = a op b) ? a : b; \
    } \
    LS_HIP_DEVICE unsigned int __vib##name##_u32(unsigned int a, unsigned int b, bool *pred) \
    { \
        return (*pred = a op b) ? a : b; \
    } \
    LS_HIP_DEVICE unsigned int __vib##name##_s16x2(unsigned int a, unsigned int b, bool *high, \
                                                   bool *low) \
    { \
        *high = (short)(a >> 16) op(short)(b >> 16); \
        *low = (short)a op(short) b; \
        return (*high ? a : b) >> 16 << 16 | ((*low ? a : b) & 0xffff); \
    } \
    LS_HIP_DEVICE unsigned int __vib##name##_u16x2(unsigned int a, unsigned int b, bool *high, \
                                                   bool *low) \
    { \
        *high = a >> 16 op b >> 16; \
        *low = (a & 0xffff)op(b & 0xffff); \
        return (*high ? a : b) >> 16 << 16 | ((*low ? a : b) & 0xffff); \
    }
LS_CUDA_OF_TWO(max, __vimax3, >=)
LS_CUDA_OF_TWO(min, __vimin3, <=)
#undef LS_CUDA_OF_TWO

#endif
