/* SPDX-License-Identifier: MIT */
/* Multiply-add in half rounds once: as builtin, in pairs, in inline assembly, and where the
 * compiler may fuse. The host adds exactly, in integers. Multiply-add in bfloat is f32's, rounded
 * once more, as stock clang makes it for these GPUs. */
// ISA: native avx512 avx2 sse2
#include "../check.h"

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

typedef _Float16 half1;
typedef _Float16 half2v __attribute__((ext_vector_type(2)));

struct triple {
    unsigned short a, b, c;
};

enum { N = 1 << 15, WAYS = 7 };

static __host__ __device__ half1
half_of(unsigned short bits)
{
    return __builtin_bit_cast(half1, bits);
}

static __host__ __device__ unsigned short
bits_of(half1 h)
{
    return __builtin_bit_cast(unsigned short, h);
}

static __device__ half1
may_fuse(half1 a, half1 b, half1 c)
{
#pragma clang fp contract(on)
    return a * b + c;
}

__global__ void
multiply_add(unsigned short *out, const triple *in)
{
    unsigned i = (unsigned)global_id();

    if (i >= N)
        return;
    half1 a = half_of(in[i].a), b = half_of(in[i].b), c = half_of(in[i].c), r = a;
    half2v a2 = {c, a}, b2 = {(half1)0, b}, c2 = {a, c}, r2;
    unsigned short *o = out + (size_t)WAYS * i;

    o[0] = bits_of(__builtin_elementwise_fma(a, b, c));
    o[1] = bits_of(__builtin_elementwise_fma(a2, b2, c2).y);
    o[2] = __half_as_ushort(
        __hfma(__ushort_as_half(in[i].a), __ushort_as_half(in[i].b), __ushort_as_half(in[i].c)));
    o[3] = bits_of(__builtin_elementwise_fma(-a, -b, c));
    o[4] = bits_of(may_fuse(a, b, c));
#ifdef __HIP_DEVICE_COMPILE__
    asm("v_fma_f16 %0, %1, %2, %3" : "=v"(r) : "v"(a), "v"(b), "v"(c));
    asm("v_pk_fma_f16 %0, %1, %2, %3" : "=v"(r2) : "v"(a2), "v"(b2), "v"(c2));
    o[5] = bits_of(r);
    o[6] = bits_of(r2.y);
#endif
}

__global__ void
bfloats(unsigned short *out, const triple *in)
{
    unsigned i = (unsigned)global_id();

    if (i >= N)
        return;
    __bf16 a = __builtin_bit_cast(__bf16, in[i].a), b = __builtin_bit_cast(__bf16, in[i].b),
           c = __builtin_bit_cast(__bf16, in[i].c);
    out[i] = __builtin_bit_cast(unsigned short, __builtin_elementwise_fma(a, b, c));
}

/* ---- What it should be ---- */

static bool
is_nan(unsigned bits)
{
    return (bits & 0x7fff) > 0x7c00;
}

/* A number as a multiple of 2^-24. */
static __int128
multiple(unsigned bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    __int128 m = exponent ? (__int128)(mantissa | 0x400) << (exponent - 1) : mantissa;
    return bits & 0x8000 ? -m : m;
}

/* Any NaN: 0x7e00 */
static unsigned short
exact(triple t)
{
    const unsigned inf = 0x7c00;
    unsigned a = t.a & 0x7fff, b = t.b & 0x7fff, c = t.c & 0x7fff, sign = (t.a ^ t.b) & 0x8000,
             add_sign = t.c & 0x8000;
    bool endless = a == inf || b == inf;

    if (is_nan(a) || is_nan(b) || is_nan(c) || (endless && (!a || !b)) ||
        (endless && c == inf && sign != add_sign))
        return 0x7e00;
    if (endless || c == inf)
        return (unsigned short)((endless ? sign : add_sign) | inf);
    __int128 sum = multiple(t.a) * multiple(t.b) + multiple(t.c) * (1 << 24);
    if (sum == 0)
        return (unsigned short)(sign & add_sign); /* -0 when both are; a sum that cancels is 0 */
    sign = sum < 0 ? 0x8000 : 0;
    unsigned __int128 size = (unsigned __int128)(sum < 0 ? -sum : sum);
    int shift = 24; /* the last bit of a denormal half, and the first place of the others' */
    while (size >> shift >= 0x800)
        shift++;
    unsigned code = (unsigned)(size >> shift) + (unsigned)(shift - 24) * 0x400;
    unsigned __int128 rest = size - (size >> shift << shift),
                      tie = (unsigned __int128)1 << (shift - 1);
    if (rest > tie || (rest == tie && (code & 1)))
        code++;
    return (unsigned short)(sign | (code > inf ? inf : code));
}

static unsigned short
bfloat(triple t)
{
    float f[3];
    uint32_t in[3] = {(uint32_t)t.a << 16, (uint32_t)t.b << 16, (uint32_t)t.c << 16}, r;

    memcpy(f, in, sizeof(f));
    f[0] = fmaf(f[0], f[1], f[2]);
    memcpy(&r, f, 4);
    return f[0] != f[0] ? 0x7fc0 : (unsigned short)((r + 0x7fff + (r >> 16 & 1)) >> 16);
}

/* ---- Which numbers ---- */

/* A product of about one or more halves of c's last bit: where it lies just beside a tie, f32
 * rounds it to the tie. */
static triple
near_a_tie(uint32_t r)
{
    unsigned short c = (unsigned short)((r >> 10 & 0xbfff) | 0x4000);
    int place = (c >> 10 & 31) - 26; /* of the half */
    unsigned short a = (unsigned short)((r & 0x3ff) | (unsigned)(place + 15) << 10);
    float want = ldexpf((float)(1 + (r >> 26 & 3)), place) / (float)half_of(a);
    return triple{a, (unsigned short)(bits_of((half1)want) + (r >> 28 == 0)), c};
}

int
main()
{
    static const unsigned short corners[] = {0,      1,      2,      0x3ff,  0x400,  0x401,  0x0800,
                                             0x1000, 0x1400, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x6bff,
                                             0x77ff, 0x7800, 0x7bff, 0x7c00, 0x7e00, 0x8000, 0x8001,
                                             0x83ff, 0xbc00, 0xfbff, 0xfc00};
    const unsigned n = sizeof(corners) / sizeof(corners[0]);
    std::vector<triple> in(N);
    std::vector<unsigned short> want(N), want_bfloat(N);
    unsigned traps = 0;

    for (unsigned i = 0; i < N; i++) {
        uint32_t r = mix(i), s = mix(i + N);
        if (i < n * n * n)
            in[i] = triple{corners[i % n], corners[i / n % n], corners[i / n / n]};
        else if (i % 4)
            in[i] = near_a_tie(r);
        else
            in[i] = triple{(unsigned short)r, (unsigned short)(r >> 16), (unsigned short)s};
        want[i] = exact(in[i]);
        want_bfloat[i] = bfloat(in[i]);
        float twice =
            fmaf((float)half_of(in[i].a), (float)half_of(in[i].b), (float)half_of(in[i].c));
        traps += twice == twice && bits_of((half1)twice) != want[i];
    }
    CHECK(traps > 100);

    Dev<triple> din(in);
    Dev<unsigned short> out((size_t)WAYS * N), out_bfloat(N);
    multiply_add<<<N / 256, 256>>>(out, din);
    bfloats<<<N / 256, 256>>>(out_bfloat, din);
    std::vector<unsigned short> got = out.get(), got_bfloat = out_bfloat.get();
    for (unsigned k = 0; k < WAYS; k++) {
        for (unsigned i = 0; i < N; i++) {
            unsigned short g = got[(size_t)WAYS * i + k];
            if (is_nan(want[i]) ? !is_nan(g) : g != want[i])
                FAIL("way %u: %04x * %04x + %04x: got %04x, expected %04x", k, in[i].a, in[i].b,
                     in[i].c, g, want[i]);
        }
    }
    for (unsigned i = 0; i < N; i++) {
        bool both_nan = want_bfloat[i] == 0x7fc0 && (got_bfloat[i] & 0x7fff) > 0x7f80;
        if (!both_nan && got_bfloat[i] != want_bfloat[i])
            FAIL("bfloat %04x * %04x + %04x: got %04x, expected %04x", in[i].a, in[i].b, in[i].c,
                 got_bfloat[i], want_bfloat[i]);
    }
    return 0;
}
