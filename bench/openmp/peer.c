/* SPDX-License-Identifier: MIT */
/* Hand-written C with OpenMP: the best plain code for each task, not a transcription of the HIP
 * kernels. */
#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../peer.h"
#include "kernels.h"

static enum bench_case now;
static void *in[3];
static void *out;
static size_t out_bytes;
static double total;

static void
copy(float *restrict o, const float *restrict a)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < N_STREAM; i++)
        o[i] = a[i];
}

static void
triad(float *restrict o, const float *restrict a, const float *restrict b)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < N_STREAM; i++)
        o[i] = a[i] + TRIAD_SCALE * b[i];
}

static void
saxpy(float *restrict y, const float *restrict x)
{
    memset(y, 0, N_SAXPY * sizeof(*y));
    for (int r = 0; r < SAXPY_REPS; r++) {
#pragma omp parallel for simd schedule(static)
        for (size_t i = 0; i < N_SAXPY; i++)
            y[i] = SAXPY_SCALE * x[i] + y[i];
    }
}

static double
sum(const float *a)
{
    float s = 0;

#pragma omp parallel for simd schedule(static) reduction(+ : s)
    for (size_t i = 0; i < N_REDUCE; i++)
        s += a[i];
    return (double)s;
}

static void
histogram(uint32_t *bins, const uint8_t *a)
{
    memset(bins, 0, 256 * sizeof(*bins));
#pragma omp parallel
    {
        uint32_t h[4][256] = {{0}};

#pragma omp for schedule(static)
        for (size_t i = 0; i < N_HISTOGRAM; i += 8) {
            uint64_t w;
            memcpy(&w, a + i, sizeof(w));
            h[0][w & 255]++;
            h[1][w >> 8 & 255]++;
            h[2][w >> 16 & 255]++;
            h[3][w >> 24 & 255]++;
            h[0][w >> 32 & 255]++;
            h[1][w >> 40 & 255]++;
            h[2][w >> 48 & 255]++;
            h[3][w >> 56]++;
        }
#pragma omp critical
        for (int b = 0; b < 256; b++)
            bins[b] += h[0][b] + h[1][b] + h[2][b] + h[3][b];
    }
}

static void
atomic1(float *sum, const float *a)
{
    *sum = 0;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < N_ATOMIC; i++) {
#pragma omp atomic
        *sum += a[i];
    }
}

static void
atomic16(uint32_t *counters, const uint32_t *a)
{
    memset(counters, 0, N_COUNTERS * sizeof(*counters));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < N_ATOMIC; i++) {
#pragma omp atomic
        counters[a[i] % N_COUNTERS]++;
    }
}

static inline float
cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
                 k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040143267f * expf(-0.5f * d * d) * poly;

    return d > 0 ? 1.0f - tail : tail;
}

static void
blackscholes(float *restrict call, float *restrict put, const float *restrict price,
             const float *restrict strike, const float *restrict years)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < N_OPTION; i++) {
        float s = price[i], x = strike[i], t = years[i];
        float root = VOLATILITY * sqrtf(t);
        float d1 = (logf(s / x) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t) / root;
        float d2 = d1 - root;
        float n1 = cnd(d1), n2 = cnd(d2);
        float discounted = x * expf(-RISK_FREE * t);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}

static void
stencil(float *restrict o, const float *restrict a)
{
    const size_t n = N_STENCIL;

#pragma omp parallel for schedule(static)
    for (size_t y = 1; y < n - 1; y++)
#pragma omp simd
        for (size_t x = 1; x < n - 1; x++)
            o[y * n + x] = 0.5f * a[y * n + x] + 0.125f * (a[(y - 1) * n + x] + a[(y + 1) * n + x] +
                                                           a[y * n + x - 1] + a[y * n + x + 1]);
}

/* Nothing is asked of a pixel: the border is written apart. */
static void
sobel(float *restrict o, const float *restrict a)
{
    const size_t n = N_SOBEL;

    memset(o, 0, n * sizeof(*o));
    memset(o + (n - 1) * n, 0, n * sizeof(*o));
#pragma omp parallel for schedule(static)
    for (size_t y = 1; y < n - 1; y++) {
        const float *up = a + (y - 1) * n, *at = a + y * n, *down = a + (y + 1) * n;

        o[y * n] = o[y * n + n - 1] = 0;
#pragma omp simd
        for (size_t x = 1; x < n - 1; x++) {
            float dx =
                up[x + 1] + 2 * at[x + 1] + down[x + 1] - up[x - 1] - 2 * at[x - 1] - down[x - 1];
            float dy = down[x - 1] + 2 * down[x] + down[x + 1] - up[x - 1] - 2 * up[x] - up[x + 1];

            o[y * n + x] = dx * dx + dy * dy;
        }
    }
}

/* 16 x 16 in registers: what interleaves the upper half of the rows with the lower one, four times
 * over, turns them. */
typedef float row16 __attribute__((vector_size(64)));

static inline void
turn16(float *restrict o, const float *restrict a)
{
    const size_t n = N_TRANSPOSE;
    row16 r[16], s[16];

    for (int i = 0; i < 16; i++)
        memcpy(&r[i], a + i * n, sizeof(row16));
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < 8; i++) {
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                               21, 6, 22, 7, 23);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12,
                                                   28, 13, 29, 14, 30, 15, 31);
        }
        memcpy(r, s, sizeof(r));
    }
    for (int i = 0; i < 16; i++) /* whole lines, which need not be read first: half the time */
        __builtin_nontemporal_store(r[i], (row16 *)(o + i * n));
}

/* In tiles of 32 x 32, whose pages the TLB holds. */
static void
transpose(float *restrict o, const float *restrict a)
{
    enum { TILE = 32 };
    const size_t n = N_TRANSPOSE;

#pragma omp parallel for collapse(2) schedule(static)
    for (size_t y = 0; y < n; y += TILE)
        for (size_t x = 0; x < n; x += TILE)
            for (size_t j = x; j < x + TILE; j += 16)
                for (size_t i = y; i < y + TILE; i += 16)
                    turn16(o + j * n + i, a + i * n + j);
}

static void
scan(float *restrict o, const float *restrict a)
{
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < N_SCAN; b += SCAN_BLOCK) {
        float s = 0;

        for (size_t i = 0; i < SCAN_BLOCK; i++) {
            s += a[b + i];
            o[b + i] = s;
        }
    }
}

/* One compare-exchange run of j pairs, ascending or not: the part that vectorises for j >= 16. */
static inline void
exchange(uint32_t *v, unsigned j, int ascending)
{
#pragma omp simd
    for (unsigned l = 0; l < j; l++) {
        uint32_t a = v[l], b = v[l + j];
        uint32_t lo = a < b ? a : b, hi = a < b ? b : a;
        v[l] = ascending ? lo : hi;
        v[l + j] = ascending ? hi : lo;
    }
}

static void
bitonic(uint32_t *restrict o, const uint32_t *restrict a)
{
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < N_BITONIC; b += BITONIC_BLOCK) {
        uint32_t v[BITONIC_BLOCK];

        memcpy(v, a + b, sizeof(v));
        for (unsigned k = 2; k <= BITONIC_BLOCK; k *= 2)
            for (unsigned j = k / 2; j > 0; j /= 2)
                for (unsigned i = 0; i < BITONIC_BLOCK; i += 2 * j)
                    exchange(v + i, j, (i & k) == 0);
        memcpy(o + b, v, sizeof(v));
    }
}

static void
texture(float *restrict o, const float *restrict a)
{
    const int n = N_TEXTURE, last = n - 1;
    const float half = 0.5f * (float)n;

#pragma omp parallel for schedule(static)
    for (int y = 0; y < n; y++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            float u = (float)x - half, v = (float)y - half;
            float s = u * TEXTURE_COS - v * TEXTURE_SIN + (half - 0.5f);
            float t = v * TEXTURE_COS + u * TEXTURE_SIN + (half - 0.5f);
            float fs = floorf(s), ft = floorf(t);
            int i = (int)fs, j = (int)ft;
            int i0 = i < 0 ? 0 : i > last ? last : i, i1 = i < -1 ? 0 : i >= last ? last : i + 1;
            int j0 = j < 0 ? 0 : j > last ? last : j, j1 = j < -1 ? 0 : j >= last ? last : j + 1;
            float p = a[j0 * n + i0], q = a[j1 * n + i0];
            p += (s - fs) * (a[j0 * n + i1] - p);
            q += (s - fs) * (a[j1 * n + i1] - q);
            o[y * n + x] = p + (t - ft) * (q - p);
        }
    }
}

static void
gather(float *restrict o, const float *restrict a, const int *restrict index)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < N_GATHER; i++)
        o[i] = a[index[i]];
}

static void
gemv(double *restrict o, const double *restrict a, const double *restrict x)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < N_GEMV; i++) {
        double s = 0;

#pragma omp simd reduction(+ : s)
        for (size_t j = 0; j < N_GEMV; j++)
            s += a[i * N_GEMV + j] * x[j];
        o[i] = s;
    }
}

static void
walk(double *restrict o, const double *restrict a, const double *restrict b)
{
    const size_t n = N_WALK / WALK_PARTS;

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < WALK_PARTS; i++) {
        double s = 0;

#pragma omp simd reduction(+ : s)
        for (size_t j = i * n; j < (i + 1) * n; j++)
            s += a[j] * b[j];
        o[i] = s;
    }
}

static void
points(float *restrict o, const float *restrict a, const float *restrict b)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < 3 * (size_t)N_POINTS; i += 3) {
        o[i] = a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1];
        o[i + 1] = a[i + 2] * b[i] - a[i] * b[i + 2];
        o[i + 2] = a[i] * b[i + 1] - a[i + 1] * b[i];
    }
}

static void
own(float *restrict o, const float *restrict a)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < N_OWN; i++) {
        float s = 0;

#pragma clang loop vectorize(disable) unroll(disable) /* else clang gathers: 5 times as slow */
        for (size_t j = 0; j < OWN_LENGTH; j++)
            s += a[i * OWN_LENGTH + j];
        o[i] = s;
    }
}

static void
columns(float *restrict o, const float *restrict a, const float *restrict x)
{
    enum { AT_ONCE = 256 }; /* sums stay in registers, or in the first cache */

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < N_COLUMNS; i += AT_ONCE) {
        float s[AT_ONCE] = {0};

        for (size_t j = 0; j < N_COLUMNS; j++)
            for (size_t k = 0; k < AT_ONCE; k++)
                s[k] += a[j * N_COLUMNS + i + k] * x[j];
        memcpy(o + i, s, sizeof(s));
    }
}

static float
from_half(unsigned short bits)
{
    _Float16 h;

    memcpy(&h, &bits, sizeof(h));
    return (float)h;
}

static void
q4(float *restrict o, const struct bench_q4 *restrict rows, const struct bench_q8 *restrict x)
{
    enum { PER_ROW = N_Q4 / Q4_BLOCK, HALF = Q4_BLOCK / 2 };
    float scale[PER_ROW], eights[PER_ROW];

    for (int b = 0; b < PER_ROW; b++) {
        scale[b] = from_half(x[b].scale);
        eights[b] = 8 * from_half(x[b].sum);
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < N_Q4; i++) {
        const struct bench_q4 *row = rows + i * PER_ROW;
        float s = 0;

        for (int b = 0; b < PER_ROW; b++) {
            int dot = 0;

            for (int k = 0; k < HALF; k++)
                dot += (row[b].nibbles[k] & 15) * x[b].digits[k] +
                       (row[b].nibbles[k] >> 4) * x[b].digits[k + HALF];
            s += from_half(row[b].scale) * ((float)dot * scale[b] - eights[b]);
        }
        o[i] = s;
    }
}

/* f16 bits as bfloat bits: the numbers of the case are exact in both, zero aside the bias of
 * exponents differs. */
static void
halves_to_bfloats(uint16_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] & 0x7fff)
            x[i] =
                (uint16_t)((x[i] & 0x8000) | (((x[i] >> 10 & 31) + 112) << 7) | (x[i] >> 3 & 127));
}

/* OpenBLAS, where it is installed: the limit for products. */
static void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                     const float *a, int lda, const float *b, int ldb, float beta, float *c,
                     int ldc);

static int
find_sgemm(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return 0;
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    return sgemm != NULL;
}

static int
setup(enum bench_case c, const struct bench_data *data)
{
    now = c;
    if (c == BENCH_launch1 || c == BENCH_launch1024 || c == BENCH_graph1000)
        return BENCH_SKIP;
    if ((c == BENCH_tiled_blas || c == BENCH_matmul64 || c == BENCH_plain) && !find_sgemm())
        return BENCH_SKIP;
    for (int i = 0; i < 3; i++) {
        if (!data->in_bytes[i])
            continue;
        in[i] = aligned_alloc(4096, (data->in_bytes[i] + 4095) / 4096 * 4096);
        if (!in[i])
            return 1;
        memcpy(in[i], data->in[i], data->in_bytes[i]);
        if (c == BENCH_wmma_f16)
            halves_to_bfloats(in[i], data->in_bytes[i] / 2);
    }
    out_bytes = (data->out_bytes + 4095) / 4096 * 4096;
    out = aligned_alloc(4096, out_bytes);
    if (!out)
        return 1;
    memset(out, 0, out_bytes);
    return 0;
}

static int
run(void)
{
    switch (now) {
    case BENCH_copy:
        copy(out, in[0]);
        break;
    case BENCH_triad:
        triad(out, in[0], in[1]);
        break;
    case BENCH_saxpy:
        saxpy(out, in[0]);
        break;
    case BENCH_nbody:
        omp_nbody(out, in[0], N_BODY);
        break;
    case BENCH_matmul:
        omp_matmul(out, in[0], in[1], N_MATMUL);
        break;
    case BENCH_tiled:
        omp_tiled(out, in[0], in[1], N_MATMUL);
        break;
    case BENCH_tiled_blas:
    case BENCH_matmul64:
    case BENCH_plain:
        sgemm(101, 111, 111, N_MATMUL, N_MATMUL, N_MATMUL, 1, in[0], N_MATMUL, in[1], N_MATMUL, 0,
              out, N_MATMUL); /* by rows, nothing transposed */
        break;
    case BENCH_wmma_f16:
    case BENCH_wmma_bf16:
        omp_matmul_bf16(out, in[0], in[1], N_WMMA);
        break;
    case BENCH_tree:
    case BENCH_shuffle:
        total = sum(in[0]);
        break;
    case BENCH_histogram:
        histogram(out, in[0]);
        break;
    case BENCH_atomic1:
        atomic1(out, in[0]);
        break;
    case BENCH_atomic16:
        atomic16(out, in[0]);
        break;
    case BENCH_mandel:
        omp_mandel(out, N_MANDEL, MANDEL_ITERS);
        break;
    case BENCH_blackscholes:
        blackscholes(out, (float *)out + N_OPTION, in[0], in[1], in[2]);
        break;
    case BENCH_stencil:
        stencil(out, in[0]);
        break;
    case BENCH_sobel:
        sobel(out, in[0]);
        break;
    case BENCH_transpose:
        transpose(out, in[0]);
        break;
    case BENCH_scan:
        scan(out, in[0]);
        break;
    case BENCH_bitonic:
        bitonic(out, in[0]);
        break;
    case BENCH_gather:
        gather(out, in[0], in[1]);
        break;
    case BENCH_gemv:
        gemv(out, in[0], in[1]);
        break;
    case BENCH_walk:
        walk(out, in[0], in[1]);
        break;
    case BENCH_points:
        points(out, in[0], in[1]);
        break;
    case BENCH_own:
        own(out, in[0]);
        break;
    case BENCH_columns:
        columns(out, in[0], in[1]);
        break;
    case BENCH_q4:
        q4(out, in[0], in[1]);
        break;
    case BENCH_texture:
        texture(out, in[0]);
        break;
    default:
        return 1;
    }
    return 0;
}

static int
fetch(const struct bench_data *data)
{
    if (now == BENCH_tree || now == BENCH_shuffle)
        memcpy(data->out, &total, sizeof(total));
    else
        memcpy(data->out, out, data->out_bytes);
    return 0;
}

static void
teardown(void)
{
    for (int i = 0; i < 3; i++)
        free(in[i]);
    free(out);
}

extern const struct bench_peer bench_peer;
const struct bench_peer bench_peer = {"OpenMP C", setup, run, fetch, teardown};
