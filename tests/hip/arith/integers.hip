/* SPDX-License-Identifier: MIT */
/* Integer arithmetic of every width by varying operands. */
#include "../check.h"

template <typename T>
struct Ops {
    typedef uint64_t result;
    __host__ __device__ uint64_t
    operator()(int i, int n, const int *in) const
    {
        T a = (T)((uint64_t)in[i] * 0x9e3779b97f4a7c15ull >> (i & 15));
        T b = (T)(in[(i + 1) % n] | 1);
        T s = (T)(i & (sizeof(T) * 8 - 1));
        uint64_t r = (uint64_t)(T)((uint64_t)a + (uint64_t)b);
        r = r * 31 + (uint64_t)(T)((uint64_t)a - (uint64_t)b);
        r = r * 31 + (uint64_t)(T)((uint64_t)a * (uint64_t)b);
        if (!(a == (T)((uint64_t)1 << (sizeof(T) * 8 - 1)) && b == (T)-1)) {
            r = r * 31 + (uint64_t)(T)(a / b);
            r = r * 31 + (uint64_t)(T)(a % b);
        }
        r = r * 31 + (uint64_t)(T)(a >> s);
        r = r * 31 + (uint64_t)(T)((uint64_t)a << s);
        r = r * 31 + (uint64_t)(T)(a & b) + 7 * (uint64_t)(T)(a | b) + 11 * (uint64_t)(T)(a ^ ~b);
        r = r * 31 + (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a > b);
        r = r * 31 + (uint64_t)(a < b ? a : b) + (uint64_t)(T)(0 - (uint64_t)a);
        r = r * 31 + (uint64_t)(T)(a / (T)7) + (uint64_t)(T)(a % (T)10);
        return r;
    }
};

MAP(MulHigh, uint64_t)
{
    int64_t a = (int64_t)in[i] * 0x100000001ll;
    uint64_t b = (uint64_t)in[(i + 1) % n] * 0x9e3779b97f4a7c15ull;
    uint64_t hi = (uint64_t)(((unsigned __int128)(uint64_t)a * b) >> 64);
    int64_t shi = (int64_t)(((__int128)a * (int64_t)b) >> 64);
    uint32_t m = (uint32_t)(((uint64_t)(uint32_t)in[i] * (uint32_t)b) >> 32);
    return hi ^ (uint64_t)shi * 3 ^ m;
}

MAP(Rotate, uint32_t)
{
    uint32_t v = (uint32_t)in[i];
    uint32_t s = (uint32_t)i & 31;
    return (v << s | v >> (-s & 31)) ^ __builtin_bswap32(v);
}

MAP(Narrow, int)
{
    signed char c = (signed char)in[i];
    unsigned char u = (unsigned char)in[i];
    short s = (short)(c * u);
    c = (signed char)(c + 100);
    u = (unsigned char)(u * 3);
    return c + u * 1000 + s;
}

MAP(Overflow, int)
{
    int r, s;
    bool o = __builtin_add_overflow(in[i] * 100, i * 2000000, &r);
    bool p = __builtin_mul_overflow(in[i], i, &s);
    unsigned t;
    bool q = __builtin_sub_overflow((unsigned)in[i], (unsigned)i, &t);
    return (o ? 1 : r) ^ (p ? 2 : s) ^ (q ? 4 : (int)t);
}

/* Division under a mask: lanes whose divisor is zero must not divide. */
MAP(SafeDivide, int)
{
    int r = -1;
    if (in[i] != 0)
        r = 1000000 / in[i] + 1000000 % in[i];
    return r;
}

MAP(SafeDivide64, int64_t)
{
    int64_t d = in[i], r = -1;
    if (d)
        r = ((int64_t)1 << 40) / d;
    unsigned char c = (unsigned char)in[i];
    if (c != 0)
        r += 250 / c;
    return r;
}

MAP(MostNegative, int)
{
    int d = i % 3 - 1, r = 5; /* -1, 0, 1 */
    if (d > 0 || (d < 0 && in[i] >= 0))
        r = (in[i] >= 0 ? in[i] : (int)0x80000000) / d;
    return r;
}

MAP(DivideInLoop, int)
{
    int r = 0;
    for (int k = in[i] & 7; k > 0; k--)
        r += 1000 / k;
    return r;
}

MAP(Bits, int)
{
    unsigned v = (unsigned)in[i];
    uint64_t w = (uint64_t)v << (i & 31);
    int r = __builtin_popcount(v) + 100 * __builtin_popcountll(w);
    if (v)
        r += 7 * __builtin_clz(v) + 11 * __builtin_ctz(v) + 13 * __builtin_ctzll(w | 1ull << 63);
    return r + __builtin_ffs((int)v) * 17;
}

int
main()
{
    check_map<Ops<int8_t>, uint64_t>("i8");
    check_map<Ops<uint8_t>, uint64_t>("u8");
    check_map<Ops<int16_t>, uint64_t>("i16");
    check_map<Ops<uint16_t>, uint64_t>("u16");
    check_map<Ops<int32_t>, uint64_t>("i32");
    check_map<Ops<uint32_t>, uint64_t>("u32");
    check_map<Ops<int64_t>, uint64_t>("i64");
    check_map<Ops<uint64_t>, uint64_t>("u64");
    RUN_MAP(MulHigh);
    RUN_MAP(Rotate);
    RUN_MAP(Narrow);
    RUN_MAP(Overflow);
    RUN_MAP(SafeDivide);
    RUN_MAP(SafeDivide64);
    RUN_MAP(MostNegative);
    RUN_MAP(DivideInLoop);
    RUN_MAP(Bits);
    return 0;
}
