// SPDX-License-Identifier: MIT
// Conversions to and from the eight-bit floats of gfx942, against a table of their values; pairs of
// bfloat added atomically. The header's saturating conversions agree with them, and let infinity
// pass.
// ARCH: gfx942
// OPT: -O3
#include "../check.h"

#include <hip/hip_fp8.h>

typedef float f2 __attribute__((ext_vector_type(2)));
typedef short s2 __attribute__((ext_vector_type(2)));

static const int N = 4096;

__global__ void
decode(float *out)
{
    int i = (int)threadIdx.x; /* one byte in every place of a word */
    int word = i << 8 | (i ^ 0x55) << 24 | (i ^ 0xaa) << 16 | (i ^ 0xff);
    out[i] = __builtin_amdgcn_cvt_f32_fp8(word, 1);
    out[256 + i] = __builtin_amdgcn_cvt_f32_bf8(word, 1);
    f2 p = __builtin_amdgcn_cvt_pk_f32_fp8(word, true);
    out[512 + (i ^ 0xaa)] = p.x;
    out[768 + (i ^ 0x55)] = p.y;
    p = __builtin_amdgcn_cvt_pk_f32_bf8(word, false);
    out[1024 + (i ^ 0xff)] = p.x;
    out[1280 + i] = p.y;
}

__global__ void
encode(int *out, const float *in)
{
    int i = (int)global_id();
    out[4 * i] = __builtin_amdgcn_cvt_pk_fp8_f32(in[i], -in[i], (int)0xaaaa5555, false);
    out[4 * i + 1] = __builtin_amdgcn_cvt_pk_bf8_f32(in[i], -in[i], (int)0xaaaa5555, true);
    out[4 * i + 2] = __builtin_amdgcn_cvt_sr_fp8_f32(in[i], i * 0x9e3779b1, 0, 2);
    out[4 * i + 3] = __builtin_amdgcn_cvt_sr_bf8_f32(in[i], 0, 0, 0);
}

__global__ void
encode_saturated(uchar4 *out, const float *in)
{
    int i = (int)global_id();
    out[i].x = __hip_cvt_float_to_fp8(in[i], __HIP_SATFINITE, __HIP_E4M3_FNUZ);
    out[i].y = __hip_cvt_float_to_fp8(-in[i], __HIP_SATFINITE, __HIP_E4M3_FNUZ);
    out[i].z = __hip_cvt_float_to_fp8(in[i], __HIP_SATFINITE, __HIP_E5M2_FNUZ);
    out[i].w = __hip_cvt_float_to_fp8(-in[i], __HIP_SATFINITE, __HIP_E5M2_FNUZ);
}

__global__ void
add_pairs(s2 *sum)
{
    s2 one = {0x3f80, 0x4000}; /* (1, 2) */
    __builtin_amdgcn_global_atomic_fadd_v2bf16((s2 __attribute__((address_space(1))) *)sum, one);
}

/* Value of a code by its definition. */
static double
value_of(int code, bool bf8)
{
    int e = bf8 ? (code >> 2) & 31 : (code >> 3) & 15, m = bf8 ? code & 3 : code & 7;
    double scale = bf8 ? 4 : 8, bias = bf8 ? 16 : 8;

    if ((code & 0xff) == 0x80)
        return NAN;
    double x = e ? ldexp(1 + m / scale, (int)(e - bias)) : ldexp(m / scale, (int)(1 - bias));
    return code & 0x80 ? -x : x;
}

/* Nearest code, even ones at ties; -1 behind the largest: NaN. down: towards 0. */
static int
code_of(double x, bool bf8, bool down)
{
    double a = fabs(x);
    int best = 0;

    if (x != x || std::isinf(x))
        return 0x80;
    for (int c = 0; c < 0x80; c++) {
        double d = fabs(value_of(c, bf8) - a), was = fabs(value_of(best, bf8) - a);
        if (down ? value_of(c, bf8) <= a : d < was || (d == was && c % 2 == 0))
            best = c;
    }
    double step = value_of(0x7f, bf8) - value_of(0x7e, bf8);
    if (a >= value_of(0x7f, bf8) + (down ? step : step / 2))
        return 0x80; /* too large; the tie itself goes up to the even code that does not exist */
    return best && x < 0 ? best | 0x80 : best;
}

static int
saturated(double x, bool bf8)
{
    int code = code_of(x, bf8, false);

    return code == 0x80 && x - x == 0 ? (x < 0 ? 0xff : 0x7f) : code;
}

int
main()
{
    std::vector<float> got(6 * 256), in(N);
    std::vector<int> codes(4 * N);
    float *df;
    int *di;
    uint32_t state = 9;

    CHECK_HIP(hipMalloc((void **)&df, 4 * N));
    CHECK_HIP(hipMalloc((void **)&di, 16 * N));
    decode<<<1, 256>>>(df);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), df, got.size() * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        for (int f = 0; f < 6; f++) {
            bool bf8 = f == 1 || f >= 4;
            float want = (float)value_of(i, bf8), have = got[(size_t)(256 * f + i)];
            if (want == want ? have != want : have == have)
                FAIL("decode %d: code 0x%02x is %g, expected %g", f, i, (double)have, (double)want);
        }
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        in[(size_t)i] =
            ldexpf((float)(state >> 8) / 16777216.0f + 0.5f, (int)(state >> 3) % 24 - 14);
        if (i < 256 && i != 0x80) /* the values and the middles between them */
            in[(size_t)i] = (float)(value_of(i, false) +
                                    (i < 0x7f ? value_of(i + 1, false) : value_of(i, false))) /
                            2;
        else if (i < 512 && i != 0x180)
            in[(size_t)i] =
                (float)(value_of(i & 255, true) + ((i & 255) < 0x7f ? value_of((i & 255) + 1, true)
                                                                    : value_of(i & 255, true))) /
                2;
    }
    in[0x80] = INFINITY;
    in[0x180] = NAN;
    CHECK_HIP(hipMemcpy(df, in.data(), 4 * N, hipMemcpyHostToDevice));
    encode<<<N / 256, 256>>>(di, df);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(codes.data(), di, 16 * N, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        double x = (double)in[(size_t)i];
        const int *c = &codes[(size_t)(4 * i)];
        int fp8 = code_of(x, false, false) | code_of(-x, false, false) << 8,
            bf8 = code_of(x, true, false) | code_of(-x, true, false) << 8;
        if (c[0] != (int)(0xaaaa0000u | (uint32_t)fp8) ||
            c[1] != (int)(0x5555u | (uint32_t)bf8 << 16))
            FAIL("encode %g: 0x%08x 0x%08x, expected 0x%04x and 0x%04x", x, c[0], c[1], fp8, bf8);
        int low = code_of(x, false, true), sr = c[2] >> 16;
        if ((c[2] & ~0xff0000) || (sr != low && (low == 0x80 || sr != low + 1) && !(sr == 0x80) &&
                                   !(low == 0 && sr == 0x81)))
            FAIL("stochastic rounding of %g: 0x%08x, expected 0x%02x or the next", x, c[2], low);
        if (c[3] != code_of(x, true, true))
            FAIL("rounding with no random bits, %g: 0x%02x, expected 0x%02x", x, c[3],
                 code_of(x, true, true));
    }
    encode_saturated<<<N / 256, 256>>>((uchar4 *)di, df);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(codes.data(), di, 4 * N, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        double x = (double)in[(size_t)i];
        int want = saturated(x, false) | saturated(-x, false) << 8 | saturated(x, true) << 16 |
                   saturated(-x, true) << 24;
        if (codes[(size_t)i] != want)
            FAIL("saturated %g: 0x%08x, expected 0x%08x", x, codes[(size_t)i], want);
    }
    uint32_t sum = 0;
    CHECK_HIP(hipMemcpy(di, &sum, 4, hipMemcpyHostToDevice));
    add_pairs<<<1, 100>>>((s2 *)di);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(&sum, di, 4, hipMemcpyDeviceToHost));
    CHECK(sum == 0x434842c8u); /* (100, 200) */
    return 0;
}
