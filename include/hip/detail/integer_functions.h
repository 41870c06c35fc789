/* SPDX-License-Identifier: MIT */
/* Integer intrinsics. */
#ifndef HIP_DETAIL_INTEGER_FUNCTIONS_H
#define HIP_DETAIL_INTEGER_FUNCTIONS_H

#include <hip/detail/device_core.h>

/* Counting bits. Of zero, __clz is the width and __ffs is 0. The types of results are those of
 * HIP Programming Guide, which lists __clzll(long long) with two types: it is the one that returns
 * int. */

#ifdef __LS_CUDA__ /* hipcc --cuda: results are int, and there is one function of each name */
typedef int __ls_bit_count;
#else
typedef unsigned int __ls_bit_count;
#endif

LS_HIP_DEVICE __ls_bit_count
__popc(unsigned int x)
{
    return (__ls_bit_count)__builtin_popcount(x);
}

LS_HIP_DEVICE int
__popcll(unsigned long long int x)
{
    return __builtin_popcountll(x);
}

/* The attribute makes this overload the preferred one where neither fits better, as for a wider
 * argument. */
LS_HIP_DEVICE __attribute__((enable_if(true, ""))) int
__clz(int x)
{
    return x ? __builtin_clz((unsigned int)x) : 32;
}

#ifndef __LS_CUDA__
LS_HIP_DEVICE unsigned int
__clz(unsigned int x)
{
    return x ? (unsigned int)__builtin_clz(x) : 32;
}
#endif

LS_HIP_DEVICE int
__clzll(long long int x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}

LS_HIP_DEVICE __ls_bit_count
__ffs(int x)
{
    return x ? (__ls_bit_count)__builtin_ctz((unsigned int)x) + 1 : 0;
}

#ifndef __LS_CUDA__
LS_HIP_DEVICE unsigned int
__ffs(unsigned int x)
{
    return __ffs((int)x);
}
#endif

LS_HIP_DEVICE __ls_bit_count
__ffsll(long long int x)
{
    return x ? (__ls_bit_count)__builtin_ctzll((unsigned long long)x) + 1 : 0;
}

#ifndef __LS_CUDA__
LS_HIP_DEVICE unsigned int
__ffsll(unsigned long long int x)
{
    return __ffsll((long long int)x);
}

LS_HIP_DEVICE unsigned int
__ffsll(unsigned long int x)
{
    return __ffsll((long long int)x);
}
#endif

LS_HIP_DEVICE unsigned int
__lastbit_u32_u32(unsigned int x)
{
    return x ? (unsigned int)__builtin_ctz(x) : ~0u;
}

LS_HIP_DEVICE unsigned int
__lastbit_u32_u64(uint64_t x)
{
    return x ? (unsigned int)__builtin_ctzll(x) : ~0u;
}

LS_HIP_DEVICE unsigned int
__brev(unsigned int x)
{
    return __builtin_bitreverse32(x);
}

LS_HIP_DEVICE unsigned long long int
__brevll(unsigned long long int x)
{
    return __builtin_bitreverse64(x);
}

/* The position of the offset-th set bit counted from base: upwards, downwards if offset is
 * negative, base itself if it is 0. -1 when there is none. */
template <typename M>
static __device__ inline int
__ls_find_nth_set(M mask, unsigned int base, int offset)
{
    const int width = 8 * (int)sizeof(M);
    int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset;

    if (left == 0)
        return base < (unsigned int)width && ((mask >> base) & 1) ? (int)base : -1;
    for (int bit = (int)base; bit >= 0 && bit < width; bit += step) {
        left -= (int)((mask >> bit) & 1);
        if (left == 0)
            return bit;
    }
    return -1;
}

LS_HIP_DEVICE int32_t
__fns64(uint64_t mask, uint32_t base, int32_t offset)
{
    return __ls_find_nth_set(mask, base, offset);
}

LS_HIP_DEVICE int32_t
__fns32(uint64_t mask, uint32_t base, int32_t offset)
{
    return __ls_find_nth_set((uint32_t)mask, base, offset);
}

LS_HIP_DEVICE int32_t
__fns(unsigned int mask, unsigned int base, int offset)
{
    return __ls_find_nth_set(mask, base, offset);
}

/* Bit fields: offset and width count modulo the word. */

LS_HIP_DEVICE unsigned int
__bitextract_u32(unsigned int x, unsigned int offset, unsigned int width)
{
    unsigned int above =
        0 - offset - width; /* bits above the field; counts wrap round, as on AMD's hardware */

    return width & 31 ? (x << (above & 31)) >> ((0 - width) & 31) : 0;
}

LS_HIP_DEVICE uint64_t
__bitextract_u64(uint64_t x, unsigned int offset, unsigned int width)
{
    unsigned int above = 0 - offset - width;

    return width & 63 ? (x << (above & 63)) >> ((0 - width) & 63) : 0;
}

LS_HIP_DEVICE unsigned int
__bitinsert_u32(unsigned int x, unsigned int field, unsigned int offset, unsigned int width)
{
    unsigned int mask = (1u << (width & 31)) - 1;
    return (x & ~(mask << (offset & 31))) | ((field & mask) << (offset & 31));
}

LS_HIP_DEVICE uint64_t
__bitinsert_u64(uint64_t x, uint64_t field, unsigned int offset, unsigned int width)
{
    uint64_t mask = (1ull << (width & 63)) - 1;
    return (x & ~(mask << (offset & 63))) | ((field & mask) << (offset & 63));
}

/* Bytes and shifts over two words */

LS_HIP_DEVICE unsigned int
__byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned int r = 0;

    for (int i = 0; i < 4; i++)
        r |= (unsigned int)(bytes >> (8 * ((selector >> (4 * i)) & 7)) & 0xff) << (8 * i);
    /* Means no code: what becomes of it is not mixed up with the bytes, so that debuggers and
     * lsreview see it as one value. */
    return __builtin_annotation(r, "lockstep.value");
}

LS_HIP_DEVICE unsigned int
__funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift)
{
    return (unsigned int)(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}

LS_HIP_DEVICE unsigned int
__funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift)
{
    return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}

LS_HIP_DEVICE unsigned int
__funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift)
{
    return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}

LS_HIP_DEVICE unsigned int
__funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift)
{
    return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

/* Products */

LS_HIP_DEVICE int
__mul24(int x, int y)
{
    /* The low half of 48 bits: of int the product would be undefined, and clang would take 0 for
     * impossible. */
    return (int)((unsigned int)((int)((unsigned int)x << 8) >> 8) *
                 (unsigned int)((int)((unsigned int)y << 8) >> 8));
}

LS_HIP_DEVICE unsigned int
__umul24(unsigned int x, unsigned int y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}

LS_HIP_DEVICE int
__mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}

LS_HIP_DEVICE unsigned int
__umulhi(unsigned int x, unsigned int y)
{
    return (unsigned int)((unsigned long long)x * y >> 32);
}

LS_HIP_DEVICE long long int
__mul64hi(long long int x, long long int y)
{
    return (long long int)((__int128)x * y >> 64);
}

LS_HIP_DEVICE unsigned long long int
__umul64hi(unsigned long long int x, unsigned long long int y)
{
    return (unsigned long long int)((unsigned __int128)x * y >> 64);
}

/* Averages without overflow: towards minus infinity, and rounded up */

LS_HIP_DEVICE int
__hadd(int x, int y)
{
    return (int)(((long long)x + y) >> 1);
}

LS_HIP_DEVICE int
__rhadd(int x, int y)
{
    return (int)(((long long)x + y + 1) >> 1);
}

LS_HIP_DEVICE unsigned int
__uhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long long)x + y) >> 1);
}

LS_HIP_DEVICE unsigned int
__urhadd(unsigned int x, unsigned int y)
{
    return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}

/* |x - y| + z */

LS_HIP_DEVICE unsigned int
__sad(int x, int y, unsigned int z)
{
    return (x > y ? (unsigned int)x - (unsigned int)y : (unsigned int)y - (unsigned int)x) + z;
}

LS_HIP_DEVICE unsigned int
__usad(unsigned int x, unsigned int y, unsigned int z)
{
    return (x > y ? x - y : y - x) + z;
}

/* Four bytes at once */

LS_HIP_DEVICE char4
__hip_hc_add8pk(char4 a, char4 b)
{
    return a + b;
}

LS_HIP_DEVICE char4
__hip_hc_sub8pk(char4 a, char4 b)
{
    return a - b;
}

LS_HIP_DEVICE char4
__hip_hc_mul8pk(char4 a, char4 b)
{
    return a * b;
}

/* Dot products added to c; saturate clamps the result to its type. */

template <typename R>
LS_HIP_DEVICE R
__ls_dot_result(long long sum, bool saturate)
{
    const long long low = (R)-1 < (R)0 ? -2147483648ll : 0ll;
    const long long high = (R)-1 < (R)0 ? 2147483647ll : 4294967295ll;
    if (saturate)
        sum = sum < low ? low : sum > high ? high : sum;
    return (R)sum;
}

LS_HIP_DEVICE int
amd_mixed_dot(short2 a, short2 b, int c, bool saturate)
{
    return __ls_dot_result<int>((long long)a.x * b.x + (long long)a.y * b.y + c, saturate);
}

LS_HIP_DEVICE unsigned int
amd_mixed_dot(ushort2 a, ushort2 b, unsigned int c, bool saturate)
{
    return __ls_dot_result<unsigned int>((long long)a.x * b.x + (long long)a.y * b.y + c, saturate);
}

LS_HIP_DEVICE int
amd_mixed_dot(char4 a, char4 b, int c, bool saturate)
{
    return __ls_dot_result<int>((long long)a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c,
                                saturate);
}

LS_HIP_DEVICE unsigned int
amd_mixed_dot(uchar4 a, uchar4 b, unsigned int c, bool saturate)
{
    long long sum = (long long)a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c;
    return __ls_dot_result<unsigned int>(sum, saturate);
}

/* Eight 4-bit components in each word. */
LS_HIP_DEVICE int
amd_mixed_dot(int a, int b, int c, bool saturate)
{
    long long sum = c;
    for (int i = 0; i < 32; i += 4)
        sum += (a << (28 - i) >> 28) * (b << (28 - i) >> 28);
    return __ls_dot_result<int>(sum, saturate);
}

LS_HIP_DEVICE unsigned int
amd_mixed_dot(unsigned int a, unsigned int b, unsigned int c, bool saturate)
{
    long long sum = c;
    for (int i = 0; i < 32; i += 4)
        sum += ((a >> i) & 15) * ((b >> i) & 15);
    return __ls_dot_result<unsigned int>(sum, saturate);
}

#endif
