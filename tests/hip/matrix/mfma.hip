// SPDX-License-Identifier: MIT
// Every dense MFMA builtin of gfx90a, lane by lane, and the modifiers that broadcast blocks and
// lanes.
// ARCH: gfx90a
// ISA: native
// OPT: -O3
#include "reference.h"

typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef float f32v __attribute__((ext_vector_type(32)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i16v __attribute__((ext_vector_type(16)));
typedef int i32v __attribute__((ext_vector_type(32)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef short s2 __attribute__((ext_vector_type(2)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef char c4 __attribute__((ext_vector_type(4)));

enum format { F32, F16, BF16, I8, F64 };

static size_t
bytes_of(format f)
{
    return f == F64 ? 8 : f == F32 ? 4 : f == I8 ? 1 : 2;
}

static void
store_as(format f, double x, char *to)
{
    float s = (float)x;
    _Float16 h = (_Float16)x;
    uint16_t b = to_bf16(x);
    signed char c = (signed char)x;
    const void *p = f == F64    ? (void *)&x
                    : f == F32  ? (void *)&s
                    : f == F16  ? (void *)&h
                    : f == BF16 ? (void *)&b
                                : (void *)&c;
    memcpy(to, p, bytes_of(f));
}

/* Runs one builtin over random operands and compares with the product by hand. */
template <typename K>
static void
check(const char *name, K kernel, shape s, format in, format out, int cbsz = 0, int abid = 0,
      int blgp = 0)
{
    int kl = k_per_lane(s), items = s.m * s.n * s.blocks / 64;
    size_t in_bytes = bytes_of(in), out_bytes = out == I8 ? 4 : bytes_of(out);
    std::vector<double> a(64 * (size_t)kl), b(a.size()), c(64 * (size_t)items), d(c.size());
    std::vector<char> raw_a(a.size() * in_bytes), raw_b(raw_a.size()), raw_c(c.size() * out_bytes),
        raw_d(raw_c.size());
    numbers rnd((uint32_t)(s.m * 100 + s.k * 10 + in));
    char *da, *db, *dc, *dd;

    for (size_t i = 0; i < a.size(); i++) {
        a[i] = rnd.next(-8, 8);
        b[i] = rnd.next(-8, 8);
        store_as(in, a[i], &raw_a[i * in_bytes]);
        store_as(in, b[i], &raw_b[i * in_bytes]);
    }
    for (size_t i = 0; i < c.size(); i++) {
        c[i] = rnd.next(-100, 100);
        int n = (int)c[i];
        if (out == I8)
            memcpy(&raw_c[4 * i], &n, 4);
        else
            store_as(out, c[i], &raw_c[i * out_bytes]);
    }
    CHECK_HIP(hipMalloc((void **)&da, raw_a.size()));
    CHECK_HIP(hipMalloc((void **)&db, raw_b.size()));
    CHECK_HIP(hipMalloc((void **)&dc, raw_c.size()));
    CHECK_HIP(hipMalloc((void **)&dd, raw_c.size()));
    CHECK_HIP(hipMemcpy(da, raw_a.data(), raw_a.size(), hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(db, raw_b.data(), raw_b.size(), hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(dc, raw_c.data(), raw_c.size(), hipMemcpyHostToDevice));
    kernel<<<1, 64>>>(da, db, dc, dd);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(raw_d.data(), dd, raw_d.size(), hipMemcpyDeviceToHost));
    if (blgp) {
        std::vector<double> moved(b);
        for (int l = 0; l < 64; l++)
            for (int v = 0; v < kl; v++) {
                int from = blgp == 1   ? l % 32
                           : blgp == 2 ? 32 + l % 32
                           : blgp == 3 ? (l + 16) % 64
                                       : 16 * (blgp - 4) + l % 16;
                moved[(size_t)(l * kl + v)] = b[(size_t)(from * kl + v)];
            }
        b = moved;
    }
    multiply(s, a, b, c, d, cbsz, abid);
    for (size_t i = 0; i < d.size(); i++) {
        char want[8];
        int n = (int)d[i];
        if (out == I8)
            memcpy(want, &n, 4);
        else
            store_as(out, d[i], want);
        if (memcmp(want, &raw_d[i * out_bytes], out_bytes))
            FAIL("%s: lane %zu item %zu is wrong, expected %g", name, i / (size_t)items,
                 i % (size_t)items, d[i]);
    }
    CHECK_HIP(hipFree(da));
    CHECK_HIP(hipFree(db));
    CHECK_HIP(hipFree(dc));
    CHECK_HIP(hipFree(dd));
}

#define KERNEL(name, ab, acc, builtin, cbsz, abid, blgp)                                           \
    __global__ void name(const void *a, const void *b, const void *c, void *d)                     \
    {                                                                                              \
        int l = (int)threadIdx.x;                                                                  \
        ((acc *)d)[l] = builtin(((const ab *)a)[l], ((const ab *)b)[l], ((const acc *)c)[l], cbsz, \
                                abid, blgp);                                                       \
    }
#define B(x) __builtin_amdgcn_mfma_##x

KERNEL(k0, float, f32v, B(f32_32x32x1f32), 0, 0, 0)
KERNEL(k1, float, f16v, B(f32_16x16x1f32), 0, 0, 0)
KERNEL(k2, float, f4, B(f32_4x4x1f32), 0, 0, 0)
KERNEL(k3, float, f16v, B(f32_32x32x2f32), 0, 0, 0)
KERNEL(k4, float, f4, B(f32_16x16x4f32), 0, 0, 0)
KERNEL(k5, h4, f32v, B(f32_32x32x4f16), 0, 0, 0)
KERNEL(k6, h4, f16v, B(f32_16x16x4f16), 0, 0, 0)
KERNEL(k7, h4, f4, B(f32_4x4x4f16), 0, 0, 0)
KERNEL(k8, h4, f16v, B(f32_32x32x8f16), 0, 0, 0)
KERNEL(k9, h4, f4, B(f32_16x16x16f16), 0, 0, 0)
KERNEL(k10, int, i32v, B(i32_32x32x4i8), 0, 0, 0)
KERNEL(k11, int, i16v, B(i32_16x16x4i8), 0, 0, 0)
KERNEL(k12, int, i4, B(i32_4x4x4i8), 0, 0, 0)
KERNEL(k13, int, i16v, B(i32_32x32x8i8), 0, 0, 0)
KERNEL(k14, int, i4, B(i32_16x16x16i8), 0, 0, 0)
KERNEL(k15, s2, f32v, B(f32_32x32x2bf16), 0, 0, 0)
KERNEL(k16, s2, f16v, B(f32_16x16x2bf16), 0, 0, 0)
KERNEL(k17, s2, f4, B(f32_4x4x2bf16), 0, 0, 0)
KERNEL(k18, s2, f16v, B(f32_32x32x4bf16), 0, 0, 0)
KERNEL(k19, s2, f4, B(f32_16x16x8bf16), 0, 0, 0)
KERNEL(k20, s4, f32v, B(f32_32x32x4bf16_1k), 0, 0, 0)
KERNEL(k21, s4, f16v, B(f32_16x16x4bf16_1k), 0, 0, 0)
KERNEL(k22, s4, f4, B(f32_4x4x4bf16_1k), 0, 0, 0)
KERNEL(k23, s4, f16v, B(f32_32x32x8bf16_1k), 0, 0, 0)
KERNEL(k24, s4, f4, B(f32_16x16x16bf16_1k), 0, 0, 0)
KERNEL(k25, double, d4, B(f64_16x16x4f64), 0, 0, 0)
KERNEL(k26, double, double, B(f64_4x4x4f64), 0, 0, 0)
KERNEL(k27, h4, f32v, B(f32_32x32x4f16), 1, 1, 0)
KERNEL(k28, h4, f16v, B(f32_16x16x4f16), 2, 3, 0)
KERNEL(k29, h4, f4, B(f32_4x4x4f16), 3, 5, 0)
KERNEL(k30, float, f32v, B(f32_32x32x1f32), 0, 0, 1)
KERNEL(k31, float, f16v, B(f32_16x16x1f32), 0, 0, 2)
KERNEL(k32, float, f16v, B(f32_16x16x1f32), 0, 0, 3)
KERNEL(k33, float, f4, B(f32_4x4x1f32), 0, 0, 6)

/* The same A in two products, and a loop that carries the sums. */
__global__ void
chain(const h4 *a, const h4 *b, f4 *d, int n)
{
    int l = (int)threadIdx.x;
    f4 x = {0, 0, 0, 0}, y = {0, 0, 0, 0};
    for (int t = 0; t < n; t++) {
        x = __builtin_amdgcn_mfma_f32_16x16x16f16(a[t * 64 + l], b[2 * t * 64 + l], x, 0, 0, 0);
        y = __builtin_amdgcn_mfma_f32_16x16x16f16(a[t * 64 + l], b[(2 * t + 1) * 64 + l], y, 0, 0,
                                                  0);
    }
    d[l] = x;
    d[64 + l] = y;
}

static void
check_chain()
{
    const int n = 5;
    const shape s = {16, 16, 16, 1, 4, 64, false};
    std::vector<_Float16> a(n * 256), b(2 * n * 256);
    std::vector<double> c[2] = {std::vector<double>(256), std::vector<double>(256)}, part_a(256),
                        part_b(256);
    std::vector<float> got(512);
    numbers rnd(7);
    h4 *da, *db;
    f4 *dd;

    for (auto &v : a)
        v = (_Float16)rnd.next(-4, 4);
    for (auto &v : b)
        v = (_Float16)rnd.next(-4, 4);
    for (int t = 0; t < n; t++)
        for (int which = 0; which < 2; which++) {
            for (int i = 0; i < 256; i++) {
                part_a[(size_t)i] = (double)a[(size_t)(t * 256 + i)];
                part_b[(size_t)i] = (double)b[(size_t)((2 * t + which) * 256 + i)];
            }
            std::vector<double> sum(256);
            multiply(s, part_a, part_b, c[which], sum);
            c[which] = sum;
        }
    CHECK_HIP(hipMalloc((void **)&da, a.size() * 2));
    CHECK_HIP(hipMalloc((void **)&db, b.size() * 2));
    CHECK_HIP(hipMalloc((void **)&dd, 512 * 4));
    CHECK_HIP(hipMemcpy(da, a.data(), a.size() * 2, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(db, b.data(), b.size() * 2, hipMemcpyHostToDevice));
    chain<<<1, 64>>>(da, db, dd, n);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(got.data(), dd, 512 * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < 512; i++)
        if (got[(size_t)i] != (float)c[i / 256][(size_t)(i % 256)])
            FAIL("chain: element %d is %g, expected %g", i, (double)got[(size_t)i],
                 c[i / 256][(size_t)(i % 256)]);
}

int
main()
{
    check("32x32x1f32", k0, {32, 32, 1, 2, 4, 64, false}, F32, F32);
    check("16x16x1f32", k1, {16, 16, 1, 4, 4, 64, false}, F32, F32);
    check("4x4x1f32", k2, {4, 4, 1, 16, 4, 64, false}, F32, F32);
    check("32x32x2f32", k3, {32, 32, 2, 1, 4, 64, false}, F32, F32);
    check("16x16x4f32", k4, {16, 16, 4, 1, 4, 64, false}, F32, F32);
    check("32x32x4f16", k5, {32, 32, 4, 2, 4, 64, false}, F16, F32);
    check("16x16x4f16", k6, {16, 16, 4, 4, 4, 64, false}, F16, F32);
    check("4x4x4f16", k7, {4, 4, 4, 16, 4, 64, false}, F16, F32);
    check("32x32x8f16", k8, {32, 32, 8, 1, 4, 64, false}, F16, F32);
    check("16x16x16f16", k9, {16, 16, 16, 1, 4, 64, false}, F16, F32);
    check("32x32x4i8", k10, {32, 32, 4, 2, 4, 64, false}, I8, I8);
    check("16x16x4i8", k11, {16, 16, 4, 4, 4, 64, false}, I8, I8);
    check("4x4x4i8", k12, {4, 4, 4, 16, 4, 64, false}, I8, I8);
    check("32x32x8i8", k13, {32, 32, 8, 1, 4, 64, false}, I8, I8);
    check("16x16x16i8", k14, {16, 16, 16, 1, 4, 64, false}, I8, I8);
    check("32x32x2bf16", k15, {32, 32, 2, 2, 4, 64, false}, BF16, F32);
    check("16x16x2bf16", k16, {16, 16, 2, 4, 4, 64, false}, BF16, F32);
    check("4x4x2bf16", k17, {4, 4, 2, 16, 4, 64, false}, BF16, F32);
    check("32x32x4bf16", k18, {32, 32, 4, 1, 4, 64, false}, BF16, F32);
    check("16x16x8bf16", k19, {16, 16, 8, 1, 4, 64, false}, BF16, F32);
    check("32x32x4bf16_1k", k20, {32, 32, 4, 2, 4, 64, false}, BF16, F32);
    check("16x16x4bf16_1k", k21, {16, 16, 4, 4, 4, 64, false}, BF16, F32);
    check("4x4x4bf16_1k", k22, {4, 4, 4, 16, 4, 64, false}, BF16, F32);
    check("32x32x8bf16_1k", k23, {32, 32, 8, 1, 4, 64, false}, BF16, F32);
    check("16x16x16bf16_1k", k24, {16, 16, 16, 1, 4, 64, false}, BF16, F32);
    check("16x16x4f64", k25, {16, 16, 4, 1, 1, 64, false}, F64, F64);
    check("4x4x4f64", k26, {4, 4, 4, 4, 1, 64, false}, F64, F64);
    check("32x32x4f16 cbsz", k27, {32, 32, 4, 2, 4, 64, false}, F16, F32, 1, 1);
    check("16x16x4f16 cbsz", k28, {16, 16, 4, 4, 4, 64, false}, F16, F32, 2, 3);
    check("4x4x4f16 cbsz", k29, {4, 4, 4, 16, 4, 64, false}, F16, F32, 3, 5);
    check("32x32x1f32 blgp", k30, {32, 32, 1, 2, 4, 64, false}, F32, F32, 0, 0, 1);
    check("16x16x1f32 blgp", k31, {16, 16, 1, 4, 4, 64, false}, F32, F32, 0, 0, 2);
    check("16x16x1f32 blgp", k32, {16, 16, 1, 4, 4, 64, false}, F32, F32, 0, 0, 3);
    check("4x4x1f32 blgp", k33, {4, 4, 1, 16, 4, 64, false}, F32, F32, 0, 0, 6);
    check_chain();
    return 0;
}
