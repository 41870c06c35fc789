// SPDX-License-Identifier: MIT
// The MFMA builtins that gfx942 adds: i8 with more K, xf32, eight-bit floats; and the sparse ones.
// ARCH: gfx942
// ISA: native
// OPT: -O3
#include "reference.h"

typedef float f2 __attribute__((ext_vector_type(2)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef int i2 __attribute__((ext_vector_type(2)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i16v __attribute__((ext_vector_type(16)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef short s8 __attribute__((ext_vector_type(8)));

enum format { I8, F16, BF16, XF32, FP8, BF8 };

/* Small numbers as eight-bit floats, by search over the definition. */
static uint8_t
to_fp8(double x, bool bf8)
{
    for (int c = 0; c < 256; c++) {
        int e = bf8 ? (c >> 2) & 31 : (c >> 3) & 15, m = bf8 ? c & 3 : c & 7;
        double v = bf8 ? (e ? ldexp(1 + m / 4.0, e - 16) : ldexp(m, -17))
                       : (e ? ldexp(1 + m / 8.0, e - 8) : ldexp(m, -10));
        if (c != 0x80 && (c & 0x80 ? -v : v) == x)
            return (uint8_t)c;
    }
    FAIL("%g is no eight-bit float", x);
}

static size_t
bytes_of(format f)
{
    return f == XF32 ? 4 : f == F16 || f == BF16 ? 2 : 1;
}

static void
store_as(format f, double x, char *to)
{
    _Float16 h = (_Float16)x;
    uint16_t b = to_bf16(x);
    float s = (float)x;
    uint8_t c = f == I8 ? (uint8_t)(int8_t)x : f == FP8 || f == BF8 ? to_fp8(x, f == BF8) : 0;
    const void *p = f == XF32   ? (void *)&s
                    : f == F16  ? (void *)&h
                    : f == BF16 ? (void *)&b
                                : (void *)&c;
    memcpy(to, p, bytes_of(f));
}

/* sparse: A has half the items; index picks two of each four k. */
template <typename K>
static void
check(const char *name, K kernel, int m, int k, format fa, format fb, bool sparse = false,
      int abid = 0)
{
    const shape s = {m, m, k, 1, 4, 64, false};
    const int kl = k_per_lane(s), ka = sparse ? kl / 2 : kl, items = m * m / 64;
    std::vector<double> a(64 * (size_t)kl), b(a.size()), c(64 * (size_t)items), d(c.size());
    std::vector<char> raw_a(64 * (size_t)ka * bytes_of(fa)), raw_b(b.size() * bytes_of(fb));
    std::vector<int> raw_c(c.size()), raw_d(c.size()), index(64);
    numbers rnd((uint32_t)(m * 7 + k));
    char *da, *db;
    int *dc, *dd, *di;

    for (int l = 0; l < 64; l++) {
        for (int v = 0; v < kl; v++) {
            double x = rnd.next(-4, 4);
            b[(size_t)(l * kl + v)] = x;
            store_as(fb, x, &raw_b[(size_t)(l * kl + v) * bytes_of(fb)]);
        }
        uint32_t bits = 0;
        for (int v = 0; v < ka; v++) {
            double x = rnd.next(-4, 4);
            int k_of = v;
            if (sparse) { /* ascending within four */
                int first = rnd.next(0, 2), second = rnd.next(first + 1, 3);
                static int pending;
                int at = v % 2 ? pending : first;
                pending = second;
                bits |= (uint32_t)at << (2 * v);
                k_of = v / 2 * 4 + at;
            }
            a[(size_t)(l * kl + k_of)] += x;
            store_as(fa, x, &raw_a[(size_t)(l * ka + v) * bytes_of(fa)]);
        }
        index[(size_t)l] = (int)(bits << (abid * 2 * ka));
        for (int v = 0; v < items; v++) {
            int x = rnd.next(-100, 100);
            float f = (float)x;
            c[(size_t)(l * items + v)] = x;
            memcpy(&raw_c[(size_t)(l * items + v)], fa == I8 ? (void *)&x : (void *)&f, 4);
        }
    }
    CHECK_HIP(hipMalloc((void **)&da, raw_a.size()));
    CHECK_HIP(hipMalloc((void **)&db, raw_b.size()));
    CHECK_HIP(hipMalloc((void **)&dc, raw_c.size() * 4));
    CHECK_HIP(hipMalloc((void **)&dd, raw_c.size() * 4));
    CHECK_HIP(hipMalloc((void **)&di, 256));
    CHECK_HIP(hipMemcpy(da, raw_a.data(), raw_a.size(), hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(db, raw_b.data(), raw_b.size(), hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(dc, raw_c.data(), raw_c.size() * 4, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(di, index.data(), 256, hipMemcpyHostToDevice));
    kernel<<<1, 64>>>(da, db, dc, dd, di);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(raw_d.data(), dd, raw_d.size() * 4, hipMemcpyDeviceToHost));
    multiply(s, a, b, c, d);
    for (size_t i = 0; i < d.size(); i++) {
        int n = (int)d[i], want;
        float f = (float)d[i];
        memcpy(&want, fa == I8 ? (void *)&n : (void *)&f, 4);
        if (want != raw_d[i])
            FAIL("%s: lane %zu item %zu is wrong, expected %g", name, i / (size_t)items,
                 i % (size_t)items, d[i]);
    }
    CHECK_HIP(hipFree(da));
    CHECK_HIP(hipFree(db));
    CHECK_HIP(hipFree(dc));
    CHECK_HIP(hipFree(dd));
    CHECK_HIP(hipFree(di));
}

#define DENSE(name, ab, acc, builtin)                                                              \
    __global__ void name(const void *a, const void *b, const void *c, void *d, const int *)        \
    {                                                                                              \
        int l = (int)threadIdx.x;                                                                  \
        ((acc *)d)[l] = __builtin_amdgcn_mfma_##builtin(((const ab *)a)[l], ((const ab *)b)[l],    \
                                                        ((const acc *)c)[l], 0, 0, 0);             \
    }
#define SPARSE(name, ta, tb, acc, builtin, abid)                                                   \
    __global__ void name(const void *a, const void *b, const void *c, void *d, const int *index)   \
    {                                                                                              \
        int l = (int)threadIdx.x;                                                                  \
        ((acc *)d)[l] = __builtin_amdgcn_smfmac_##builtin(((const ta *)a)[l], ((const tb *)b)[l],  \
                                                          ((const acc *)c)[l], index[l], 0, abid); \
    }

DENSE(d0, long, i4, i32_16x16x32_i8)
DENSE(d1, long, i16v, i32_32x32x16_i8)
DENSE(d2, f2, f4, f32_16x16x8_xf32)
DENSE(d3, f2, f16v, f32_32x32x4_xf32)
DENSE(d4, long, f4, f32_16x16x32_fp8_fp8)
DENSE(d5, long, f4, f32_16x16x32_bf8_fp8)
DENSE(d6, long, f16v, f32_32x32x16_fp8_bf8)
DENSE(d7, long, f16v, f32_32x32x16_bf8_bf8)
SPARSE(s0, h4, h8, f4, f32_16x16x32_f16, 0)
SPARSE(s1, h4, h8, f16v, f32_32x32x16_f16, 2)
SPARSE(s2, s4, s8, f4, f32_16x16x32_bf16, 1)
SPARSE(s3, i2, i4, i4, i32_16x16x64_i8, 0)
SPARSE(s4_, i2, i4, i16v, i32_32x32x32_i8, 1)
SPARSE(s5, i2, i4, f4, f32_16x16x64_fp8_bf8, 0)

int
main()
{
    check("16x16x32 i8", d0, 16, 32, I8, I8);
    check("32x32x16 i8", d1, 32, 16, I8, I8);
    check("16x16x8 xf32", d2, 16, 8, XF32, XF32);
    check("32x32x4 xf32", d3, 32, 4, XF32, XF32);
    check("16x16x32 fp8 fp8", d4, 16, 32, FP8, FP8);
    check("16x16x32 bf8 fp8", d5, 16, 32, BF8, FP8);
    check("32x32x16 fp8 bf8", d6, 32, 16, FP8, BF8);
    check("32x32x16 bf8 bf8", d7, 32, 16, BF8, BF8);
    check("sparse 16x16x32 f16", s0, 16, 32, F16, F16, true);
    check("sparse 32x32x16 f16", s1, 32, 16, F16, F16, true, 2);
    check("sparse 16x16x32 bf16", s2, 16, 32, BF16, BF16, true, 1);
    check("sparse 16x16x64 i8", s3, 16, 64, I8, I8, true);
    check("sparse 32x32x32 i8", s4_, 32, 32, I8, I8, true, 1);
    check("sparse 16x16x64 fp8 bf8", s5, 16, 64, FP8, BF8, true);
    return 0;
}
