// SPDX-License-Identifier: MIT
// Every WMMA builtin of gfx11 at the width of this compilation, lane by lane; halves that are not
// written stay.
// ARCH: gfx1100
// ISA: native avx2
// OPT: -O3
// PTX: yes
#include "reference.h"

#if __AMDGCN_WAVEFRONT_SIZE__ == 64
#define WAVE 64
#define W(name) name##_w64
#else
#define WAVE 32
#define W(name) name##_w32
#endif
#define ITEMS (256 / WAVE)

typedef float fc __attribute__((ext_vector_type(ITEMS)));
typedef int ic __attribute__((ext_vector_type(ITEMS)));
typedef _Float16 hc __attribute__((ext_vector_type(2 * ITEMS)));
typedef short sc __attribute__((ext_vector_type(2 * ITEMS)));
typedef _Float16 h16 __attribute__((ext_vector_type(16)));
typedef short s16 __attribute__((ext_vector_type(16)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i2 __attribute__((ext_vector_type(2)));

struct operands {
    h16 ha[WAVE], hb[WAVE];
    s16 sa[WAVE], sb[WAVE];
    i4 a8[WAVE], b8[WAVE];
    i2 a4[WAVE], b4[WAVE];
    fc f[WAVE];
    ic i[WAVE], near_max[WAVE];
    hc h[WAVE];
    sc s[WAVE];
};

struct results {
    fc f_f16[WAVE], f_bf16[WAVE];
    hc h_low[WAVE], h_high[WAVE];
    sc s_low[WAVE], s_high[WAVE];
    ic i8[4][WAVE], i4[4][WAVE], clamped[WAVE], wrapped[WAVE];
};

__global__ void
products(results *r, const operands *o)
{
    int l = (int)threadIdx.x;

    r->f_f16[l] = W(__builtin_amdgcn_wmma_f32_16x16x16_f16)(o->ha[l], o->hb[l], o->f[l]);
    r->f_bf16[l] = W(__builtin_amdgcn_wmma_f32_16x16x16_bf16)(o->sa[l], o->sb[l], o->f[l]);
    r->h_low[l] =
        W(__builtin_amdgcn_wmma_f16_16x16x16_f16_tied)(o->ha[l], o->hb[l], o->h[l], false);
    r->h_high[l] =
        W(__builtin_amdgcn_wmma_f16_16x16x16_f16_tied)(o->ha[l], o->hb[l], o->h[l], true);
    r->s_low[l] = W(__builtin_amdgcn_wmma_bf16_16x16x16_bf16)(o->sa[l], o->sb[l], o->s[l], false);
    r->s_high[l] = W(__builtin_amdgcn_wmma_bf16_16x16x16_bf16)(o->sa[l], o->sb[l], o->s[l], true);
    r->i8[0][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu8)(false, o->a8[l], false, o->b8[l], o->i[l], false);
    r->i8[1][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu8)(true, o->a8[l], false, o->b8[l], o->i[l], false);
    r->i8[2][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu8)(false, o->a8[l], true, o->b8[l], o->i[l], false);
    r->i8[3][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu8)(true, o->a8[l], true, o->b8[l], o->i[l], false);
    r->i4[0][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu4)(false, o->a4[l], false, o->b4[l], o->i[l], false);
    r->i4[1][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu4)(true, o->a4[l], false, o->b4[l], o->i[l], false);
    r->i4[2][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu4)(false, o->a4[l], true, o->b4[l], o->i[l], false);
    r->i4[3][l] =
        W(__builtin_amdgcn_wmma_i32_16x16x16_iu4)(true, o->a4[l], true, o->b4[l], o->i[l], false);
    r->clamped[l] = W(__builtin_amdgcn_wmma_i32_16x16x16_iu8)(false, o->a8[l], false, o->b8[l],
                                                              o->near_max[l], true);
    r->wrapped[l] = W(__builtin_amdgcn_wmma_i32_16x16x16_iu8)(false, o->a8[l], false, o->b8[l],
                                                              o->near_max[l], false);
}

static operands in;
static results out;
static const shape S = {16, 16, 16, 1, 1, WAVE, true};

/* Product of the operands that `get` reads, plus the addend that `add` reads. */
template <typename A, typename C>
static std::vector<double>
expected(A get, C add)
{
    std::vector<double> a(WAVE * 16), b(WAVE * 16), c(256), d(256);

    for (int l = 0; l < WAVE; l++) {
        for (int k = 0; k < 16; k++) {
            a[(size_t)(l * 16 + k)] = get(true, l, k);
            b[(size_t)(l * 16 + k)] = get(false, l, k);
        }
        for (int v = 0; v < ITEMS; v++)
            c[(size_t)(l * ITEMS + v)] = add(l, v);
    }
    multiply(S, a, b, c, d);
    return d;
}

static int
field(const int *words, int i, int bits, bool is_signed)
{
    uint32_t x = (uint32_t)words[i * bits / 32] >> (i * bits % 32) & ((1u << bits) - 1);
    return is_signed && x >> (bits - 1) ? (int)x - (1 << bits) : (int)x;
}

#define EXPECT(what, l, v, got, want)                                                              \
    do {                                                                                           \
        if ((got) != (want))                                                                       \
            FAIL("%s: lane %d item %d is %g, expected %g", what, l, v, (double)(got),              \
                 (double)(want));                                                                  \
    } while (0)

static float
from_bf16(short x)
{
    uint32_t u = (uint32_t)(uint16_t)x << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static void
check_results()
{
    auto half = [](bool is_a, int l, int k) { return (double)(is_a ? in.ha[l][k] : in.hb[l][k]); };
    auto f = expected(half, [](int l, int v) { return (double)in.f[l][v]; });

    for (int l = 0; l < WAVE; l++)
        for (int v = 0; v < ITEMS; v++) {
            EXPECT("f32 f16", l, v, out.f_f16[l][v], (float)f[(size_t)(l * ITEMS + v)]);
            EXPECT("f32 bf16", l, v, out.f_bf16[l][v], (float)f[(size_t)(l * ITEMS + v)]);
        }
    for (int high = 0; high < 2; high++) {
        auto h = expected(half, [=](int l, int v) { return (double)in.h[l][2 * v + high]; });
        for (int l = 0; l < WAVE; l++)
            for (int v = 0; v < ITEMS; v++) {
                const hc &gh = high ? out.h_high[l] : out.h_low[l];
                const sc &gs = high ? out.s_high[l] : out.s_low[l];
                EXPECT("f16", l, v, gh[2 * v + high], (_Float16)h[(size_t)(l * ITEMS + v)]);
                EXPECT("f16, other half", l, v, gh[2 * v + !high], in.h[l][2 * v + !high]);
                EXPECT("bf16", l, v, from_bf16(gs[2 * v + high]),
                       (float)h[(size_t)(l * ITEMS + v)]);
            }
    }
    for (int signs = 0; signs < 4; signs++) {
        auto add = [](int l, int v) { return (double)in.i[l][v]; };
        auto d8 = expected(
            [=](bool is_a, int l, int k) {
                return (double)field((const int *)(is_a ? &in.a8[l] : &in.b8[l]), k, 8,
                                     is_a ? signs & 1 : signs & 2);
            },
            add);
        auto d4 = expected(
            [=](bool is_a, int l, int k) {
                return (double)field((const int *)(is_a ? &in.a4[l] : &in.b4[l]), k, 4,
                                     is_a ? signs & 1 : signs & 2);
            },
            add);
        for (int l = 0; l < WAVE; l++)
            for (int v = 0; v < ITEMS; v++) {
                EXPECT("iu8", l, v, out.i8[signs][l][v], (int)d8[(size_t)(l * ITEMS + v)]);
                EXPECT("iu4", l, v, out.i4[signs][l][v], (int)d4[(size_t)(l * ITEMS + v)]);
            }
    }
    auto full = expected([](bool is_a, int l, int k) {
        return (double)field((const int *)(is_a ? &in.a8[l] : &in.b8[l]), k, 8, false);
    }, [](int l, int v) { return (double)in.near_max[l][v]; });
    for (int l = 0; l < WAVE; l++)
        for (int v = 0; v < ITEMS; v++) {
            double x = full[(size_t)(l * ITEMS + v)];
            EXPECT("iu8 clamped", l, v, out.clamped[l][v], x > 2147483647.0 ? 2147483647 : (int)x);
            EXPECT("iu8 wrapped", l, v, out.wrapped[l][v], (int)(uint32_t)(int64_t)x);
        }
}

int
main()
{
    numbers rnd(5);
    operands *din;
    results *dout;

    for (int l = 0; l < WAVE; l++) {
        for (int k = 0; k < 16; k++) { /* the first 16 lanes' A and B, repeated */
            int x = l < 16 ? rnd.next(-2, 2) : 0,
                y = l < 16 ? rnd.next(-2, 2) : 0; /* sums exact as bf16 */
            in.ha[l][k] = l < 16 ? (_Float16)x : in.ha[l % 16][k];
            in.hb[l][k] = l < 16 ? (_Float16)y : in.hb[l % 16][k];
            in.sa[l][k] = (short)to_bf16((double)in.ha[l][k]);
            in.sb[l][k] = (short)to_bf16((double)in.hb[l][k]);
        }
        for (int k = 0; k < 4; k++) {
            in.a8[l][k] =
                l < 16 ? (int)((uint32_t)rnd.next(0, 65535) << 16 | (uint32_t)rnd.next(0, 65535))
                       : in.a8[l % 16][k];
            in.b8[l][k] =
                l < 16 ? (int)((uint32_t)rnd.next(0, 65535) << 16 | (uint32_t)rnd.next(0, 65535))
                       : in.b8[l % 16][k];
        }
        for (int k = 0; k < 2; k++) {
            in.a4[l][k] = in.a8[l][k] ^ 0x5a5a5a5a;
            in.b4[l][k] = in.b8[l][k];
        }
        for (int v = 0; v < ITEMS; v++) {
            in.f[l][v] = (float)rnd.next(-100, 100);
            in.i[l][v] = rnd.next(-1000000, 1000000);
            in.near_max[l][v] = 2147483647 - rnd.next(0, 400000);
        }
        for (int v = 0; v < 2 * ITEMS; v++) {
            int x = rnd.next(-16, 16);
            in.h[l][v] = (_Float16)x;
            in.s[l][v] = (short)to_bf16(x);
        }
    }
    CHECK_HIP(hipMalloc((void **)&din, sizeof(in)));
    CHECK_HIP(hipMalloc((void **)&dout, sizeof(out)));
    CHECK_HIP(hipMemcpy(din, &in, sizeof(in), hipMemcpyHostToDevice));
    products<<<1, WAVE>>>(dout, din);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(&out, dout, sizeof(out), hipMemcpyDeviceToHost));
    check_results();
    return 0;
}
