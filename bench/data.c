/* SPDX-License-Identifier: MIT */
/* Inputs and references: single-threaded C in double precision where rounding could matter. */
#include "data.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t seed;

static uint32_t
next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static void *
shared(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static float *
floats(struct bench_data *data, int slot, size_t n, float lo, float hi)
{
    float *p = shared(n * sizeof(*p));

    data->in[slot] = p;
    data->in_bytes[slot] = n * sizeof(*p);
    for (size_t i = 0; p && i < n; i++)
        p[i] = lo + (hi - lo) * (float)(next_random() & 0xffffff) * 0x1p-24f;
    return p;
}

static uint32_t *
integers(struct bench_data *data, int slot, size_t n, uint32_t mask)
{
    uint32_t *p = shared(n * sizeof(*p));

    data->in[slot] = p;
    data->in_bytes[slot] = n * sizeof(*p);
    for (size_t i = 0; p && i < n; i++)
        p[i] = next_random() & mask;
    return p;
}

/* Small whole numbers: their sums are exact in float, so that every order of adding agrees. */
static float *
digits(struct bench_data *data, int slot, size_t n)
{
    float *p = shared(n * sizeof(*p));

    data->in[slot] = p;
    data->in_bytes[slot] = n * sizeof(*p);
    for (size_t i = 0; p && i < n; i++)
        p[i] = (float)(next_random() & 3);
    return p;
}

static void
ref_nbody(float *want, const float *pos)
{
    for (size_t i = 0; i < N_BODY; i++) {
        double ax = 0, ay = 0, az = 0;

        for (size_t j = 0; j < N_BODY; j++) {
            double dx = (double)pos[4 * j] - (double)pos[4 * i];
            double dy = (double)pos[4 * j + 1] - (double)pos[4 * i + 1];
            double dz = (double)pos[4 * j + 2] - (double)pos[4 * i + 2];
            double d = dx * dx + dy * dy + dz * dz + (double)NBODY_SOFT;
            double s = (double)pos[4 * j + 3] / (d * sqrt(d));
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        want[4 * i] = (float)ax;
        want[4 * i + 1] = (float)ay;
        want[4 * i + 2] = (float)az;
        want[4 * i + 3] = 0;
    }
}

static void
ref_matmul(float *want, const float *a, const float *b)
{
    const size_t n = N_MATMUL;

    memset(want, 0, n * n * sizeof(*want));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                want[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* Eighths from -2 to 2, exact in f16 and in bf16; b is column-major. */
static void
fill_wmma(bool is_bf16, struct bench_data *data, float *want)
{
    const size_t n = N_WMMA;
    float *v[2];

    for (int m = 0; m < 2; m++) {
        uint16_t *bits = shared(n * n * sizeof(*bits));

        v[m] = malloc(n * n * sizeof(float));
        for (size_t i = 0; i < n * n; i++) {
            float *x = &v[m][m ? i % n * n + i / n : i];
            uint32_t word;

            *x = ((float)(next_random() % 33) - 16.0f) / 8.0f;
            memcpy(&word, x, sizeof(word));
            bits[i] = (uint16_t)(word >> 16);
            if (!is_bf16 && word) /* the exponent's bias differs, the mantissa's bits fit */
                bits[i] = (uint16_t)((word >> 16 & 0x8000) | (((word >> 23 & 255) - 112) << 10) |
                                     (word >> 13 & 1023));
        }
        data->in[m] = bits;
        data->in_bytes[m] = n * n * sizeof(*bits);
    }
    memset(want, 0, n * n * sizeof(*want));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                want[i * n + j] += v[0][i * n + k] * v[1][k * n + j];
    free(v[0]);
    free(v[1]);
}

static int
ref_mandel_one(float cx, float cy)
{
    float x = 0, y = 0;
    int it = 0;

    for (; it < MANDEL_ITERS; it++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
    }
    return it;
}

static double
cnd(double d)
{
    double k = 1 / (1 + 0.2316419 * fabs(d));
    double poly = k * (0.31938153 + k * (-0.356563782 +
                                         k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.39894228040143267 * exp(-0.5 * d * d) * poly;

    return d > 0 ? 1 - tail : tail;
}

static void
ref_blackscholes(float *want, const float *price, const float *strike, const float *years)
{
    const double rate = (double)RISK_FREE, vol = (double)VOLATILITY;

    for (size_t i = 0; i < N_OPTION; i++) {
        double s = (double)price[i], x = (double)strike[i], t = (double)years[i],
               root = vol * sqrt(t);
        double d1 = (log(s / x) + (rate + 0.5 * vol * vol) * t) / root, d2 = d1 - root;
        double discounted = x * exp(-rate * t);
        want[i] = (float)(s * cnd(d1) - discounted * cnd(d2));
        want[N_OPTION + i] = (float)(discounted * (1 - cnd(d2)) - s * (1 - cnd(d1)));
    }
}

static void
ref_stencil(float *want, const float *a)
{
    const size_t n = N_STENCIL;

    for (size_t y = 1; y < n - 1; y++)
        for (size_t x = 1; x < n - 1; x++)
            want[y * n + x] =
                0.5f * a[y * n + x] + 0.125f * (a[(y - 1) * n + x] + a[(y + 1) * n + x] +
                                                a[y * n + x - 1] + a[y * n + x + 1]);
}

/* Small whole numbers: no order of adding them matters. */
static void
ref_sobel(float *want, const float *a)
{
    const size_t n = N_SOBEL;

    for (size_t y = 1; a && y < n - 1; y++)
        for (size_t x = 1; x < n - 1; x++) {
            const float *p = a + y * n + x;
            float dx = 0, dy = 0;

            for (int k = -1; k < 2; k++) {
                float weight = k ? 1 : 2;

                dx += weight * (p[k * (int)n + 1] - p[k * (int)n - 1]);
                dy += weight * (p[(int)n + k] - p[k - (int)n]);
            }
            want[y * n + x] = dx * dx + dy * dy;
        }
}

/* Full float fractions: the units of GPUs, and ours, round them to 8 bits. */
static void
ref_texture(float *want, const float *a)
{
    const int n = N_TEXTURE;

    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            float u = (float)x - 0.5f * (float)n, v = (float)y - 0.5f * (float)n;
            float s = u * TEXTURE_COS - v * TEXTURE_SIN + 0.5f * (float)n - 0.5f;
            float t = v * TEXTURE_COS + u * TEXTURE_SIN + 0.5f * (float)n - 0.5f;
            float p = 0;

            for (int k = 0; k < 4; k++) {
                int i = (int)floorf(s) + (k & 1), j = (int)floorf(t) + (k >> 1);
                float f = s - floorf(s), g = t - floorf(t);
                i = i < 0 ? 0 : i < n ? i : n - 1;
                j = j < 0 ? 0 : j < n ? j : n - 1;
                p += (k & 1 ? f : 1 - f) * (k >> 1 ? g : 1 - g) * a[j * n + i];
            }
            want[y * n + x] = p;
        }
    }
}

static int
by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void
fill_gemv(struct bench_data *data, double *want)
{
    const size_t n = N_GEMV;
    double *a = shared(n * n * sizeof(*a)), *x = shared(n * sizeof(*x));

    data->in[0] = a;
    data->in[1] = x;
    data->in_bytes[0] = n * n * sizeof(*a);
    data->in_bytes[1] = n * sizeof(*x);
    if (!a || !x)
        return;
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(next_random() & 15);
    for (size_t i = 0; i < n * n; i++) {
        a[i] = (double)(next_random() & 15) - 7;
        want[i / n] += a[i] * x[i % n];
    }
}

/* Sums of products, all whole numbers, so that no order of adding them matters. */
static void
fill_walk(struct bench_data *data, double *want)
{
    double *in[2];

    for (unsigned k = 0; k < 2; k++) {
        data->in[k] = in[k] = shared(N_WALK * sizeof(*in[k]));
        data->in_bytes[k] = N_WALK * sizeof(*in[k]);
        for (size_t i = 0; in[k] && i < N_WALK; i++)
            in[k][i] = (double)(next_random() & 15) - 7;
    }
    for (size_t i = 0; in[0] && in[1] && i < N_WALK; i++)
        want[i / (N_WALK / WALK_PARTS)] += in[0][i] * in[1][i];
}

static void
fill_points(struct bench_data *data, float *want)
{
    const float *a = digits(data, 0, 3 * N_POINTS), *b = digits(data, 1, 3 * N_POINTS);

    for (size_t i = 0; a && b && i < 3 * N_POINTS; i += 3) {
        want[i] = a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1];
        want[i + 1] = a[i + 2] * b[i] - a[i] * b[i + 2];
        want[i + 2] = a[i] * b[i + 1] - a[i + 1] * b[i];
    }
}

static void
fill_columns(struct bench_data *data, float *want)
{
    const float *a = digits(data, 0, N_COLUMNS * N_COLUMNS), *x = digits(data, 1, N_COLUMNS);

    for (size_t j = 0; a && x && j < N_COLUMNS; j++)
        for (size_t i = 0; i < N_COLUMNS; i++)
            want[i] += a[j * N_COLUMNS + i] * x[j];
}

static void
fill_own(struct bench_data *data, float *want)
{
    const float *in = digits(data, 0, N_OWN * OWN_LENGTH);

    for (size_t i = 0; in && i < N_OWN * OWN_LENGTH; i++)
        want[i / OWN_LENGTH] += in[i];
}

static unsigned short
half_of_whole(int v) /* -2048 to 2048, in quarters */
{
    unsigned sign = v < 0 ? 0x8000 : 0, m = (unsigned)(v < 0 ? -v : v), exponent = 23;

    if (!m)
        return 0;
    for (; m < 1024; m *= 2)
        exponent--;
    return (unsigned short)(sign | exponent << 10 | (m & 1023));
}

/* Scales are 1/2 and 1 for the weights and 1/4 for what they are multiplied with, so that sums are
 * exact. */
static void
fill_q4(struct bench_data *data, float *want)
{
    const size_t per_row = N_Q4 / Q4_BLOCK;
    struct bench_q4 *w = shared(N_Q4 * per_row * sizeof(*w));
    struct bench_q8 *x = shared(per_row * sizeof(*x));

    data->in[0] = w;
    data->in[1] = x;
    data->in_bytes[0] = N_Q4 * per_row * sizeof(*w);
    data->in_bytes[1] = per_row * sizeof(*x);
    if (!w || !x)
        return;
    for (size_t b = 0; b < per_row; b++) {
        int sum = 0;

        for (unsigned k = 0; k < Q4_BLOCK; k++)
            sum += x[b].digits[k] = (signed char)((int)(next_random() & 15) - 8);
        x[b].scale = 0x3400;
        x[b].sum = half_of_whole(sum);
    }
    for (size_t i = 0; i < N_Q4 * per_row; i++) {
        const signed char *d = x[i % per_row].digits;
        unsigned r = next_random();
        int dot = 0;

        w[i].scale = r & 1 ? 0x3800 : 0x3c00;
        for (unsigned k = 0; k < Q4_BLOCK / 2; k++) {
            w[i].nibbles[k] = (unsigned char)next_random();
            dot += ((w[i].nibbles[k] & 15) - 8) * d[k];
            dot += ((w[i].nibbles[k] >> 4) - 8) * d[k + Q4_BLOCK / 2];
        }
        want[i / per_row] += (r & 1 ? 0.125f : 0.25f) * (float)dot;
    }
}

static size_t
result_bytes(enum bench_case c)
{
    switch (c) {
    case BENCH_copy:
    case BENCH_triad:
        return N_STREAM * sizeof(float);
    case BENCH_saxpy:
        return N_SAXPY * sizeof(float);
    case BENCH_nbody:
        return N_BODY * 4 * sizeof(float);
    case BENCH_matmul:
    case BENCH_tiled:
    case BENCH_tiled_blas:
    case BENCH_matmul64:
    case BENCH_plain:
        return N_MATMUL * N_MATMUL * sizeof(float);
    case BENCH_wmma_f16:
    case BENCH_wmma_bf16:
        return N_WMMA * N_WMMA * sizeof(float);
    case BENCH_tree:
    case BENCH_shuffle:
        return sizeof(double);
    case BENCH_histogram:
        return 256 * sizeof(uint32_t);
    case BENCH_atomic1:
        return sizeof(float);
    case BENCH_atomic16:
        return N_COUNTERS * sizeof(uint32_t);
    case BENCH_mandel:
        return N_MANDEL * N_MANDEL * sizeof(int);
    case BENCH_blackscholes:
        return 2 * N_OPTION * sizeof(float);
    case BENCH_stencil:
        return N_STENCIL * N_STENCIL * sizeof(float);
    case BENCH_sobel:
        return N_SOBEL * N_SOBEL * sizeof(float);
    case BENCH_transpose:
        return N_TRANSPOSE * N_TRANSPOSE * sizeof(float);
    case BENCH_scan:
        return N_SCAN * sizeof(float);
    case BENCH_bitonic:
        return N_BITONIC * sizeof(uint32_t);
    case BENCH_gather:
        return N_GATHER * sizeof(float);
    case BENCH_gemv:
        return N_GEMV * sizeof(double);
    case BENCH_walk:
        return WALK_PARTS * sizeof(double);
    case BENCH_points:
        return 3 * N_POINTS * sizeof(float);
    case BENCH_own:
        return N_OWN * sizeof(float);
    case BENCH_columns:
        return N_COLUMNS * sizeof(float);
    case BENCH_q4:
        return N_Q4 * sizeof(float);
    case BENCH_texture:
        return N_TEXTURE * N_TEXTURE * sizeof(float);
    default:
        return 0;
    }
}

static void
fill(enum bench_case c, struct bench_data *data, void *want)
{
    float *w = want, *a, *b;
    uint32_t *u;

    switch (c) {
    case BENCH_copy:
        a = floats(data, 0, N_STREAM, -1, 1);
        memcpy(w, a, data->out_bytes);
        break;
    case BENCH_triad:
        a = floats(data, 0, N_STREAM, -1, 1);
        b = floats(data, 1, N_STREAM, -1, 1);
        for (size_t i = 0; i < N_STREAM; i++)
            w[i] = a[i] + TRIAD_SCALE * b[i];
        break;
    case BENCH_saxpy:
        a = digits(data, 0, N_SAXPY);
        for (size_t i = 0; i < N_SAXPY; i++)
            w[i] = SAXPY_REPS * (SAXPY_SCALE * a[i]);
        break;
    case BENCH_nbody:
        ref_nbody(w, floats(data, 0, N_BODY * 4, 0, 1));
        break;
    case BENCH_matmul:
    case BENCH_tiled:
    case BENCH_tiled_blas:
    case BENCH_matmul64:
    case BENCH_plain:
        a = floats(data, 0, N_MATMUL * N_MATMUL, 0, 1);
        ref_matmul(w, a, floats(data, 1, N_MATMUL * N_MATMUL, 0, 1));
        break;
    case BENCH_wmma_f16:
    case BENCH_wmma_bf16:
        fill_wmma(c == BENCH_wmma_bf16, data, w);
        break;
    case BENCH_tree:
    case BENCH_shuffle:
        a = digits(data, 0, N_REDUCE);
        *(double *)want = 0;
        for (size_t i = 0; i < N_REDUCE; i++)
            *(double *)want += (double)a[i];
        break;
    case BENCH_histogram:
        u = integers(data, 0, N_HISTOGRAM / 4, ~0u);
        for (size_t i = 0; i < N_HISTOGRAM; i++)
            ((uint32_t *)want)[((const uint8_t *)u)[i]]++;
        break;
    case BENCH_atomic1: /* small integers: their sum is exact in any order */
        a = digits(data, 0, N_ATOMIC);
        for (size_t i = 0; i < N_ATOMIC; i++)
            *w += a[i];
        break;
    case BENCH_atomic16:
        u = integers(data, 0, N_ATOMIC, ~0u);
        for (size_t i = 0; i < N_ATOMIC; i++)
            ((uint32_t *)want)[u[i] % N_COUNTERS]++;
        break;
    case BENCH_mandel:
        for (unsigned y = 0; y < N_MANDEL; y++)
            for (unsigned x = 0; x < N_MANDEL; x++)
                ((int *)want)[y * N_MANDEL + x] = ref_mandel_one(
                    -2.0f + (float)x * (3.0f / N_MANDEL), -1.5f + (float)y * (3.0f / N_MANDEL));
        break;
    case BENCH_blackscholes:
        a = floats(data, 0, N_OPTION, 5, 30);
        b = floats(data, 1, N_OPTION, 1, 100);
        ref_blackscholes(w, a, b, floats(data, 2, N_OPTION, 0.25f, 10));
        break;
    case BENCH_stencil:
        ref_stencil(w, floats(data, 0, N_STENCIL * N_STENCIL, -1, 1));
        break;
    case BENCH_sobel:
        ref_sobel(w, digits(data, 0, N_SOBEL * N_SOBEL));
        break;
    case BENCH_transpose:
        a = floats(data, 0, N_TRANSPOSE * N_TRANSPOSE, -1, 1);
        for (size_t i = 0; i < N_TRANSPOSE * N_TRANSPOSE; i++)
            w[i] = a[i % N_TRANSPOSE * N_TRANSPOSE + i / N_TRANSPOSE];
        break;
    case BENCH_scan:
        a = digits(data, 0, N_SCAN);
        for (size_t i = 0; i < N_SCAN; i++)
            w[i] = a[i] + (i % SCAN_BLOCK ? w[i - 1] : 0.0f);
        break;
    case BENCH_bitonic:
        u = integers(data, 0, N_BITONIC, ~0u);
        memcpy(want, u, data->out_bytes);
        for (size_t i = 0; i < N_BITONIC; i += BITONIC_BLOCK)
            qsort((uint32_t *)want + i, BITONIC_BLOCK, sizeof(uint32_t), by_value);
        break;
    case BENCH_gather:
        a = floats(data, 0, N_GATHER, -1, 1);
        u = integers(data, 1, N_GATHER, N_GATHER - 1);
        for (size_t i = 0; i < N_GATHER; i++)
            w[i] = a[u[i]];
        break;
    case BENCH_gemv:
        fill_gemv(data, want);
        break;
    case BENCH_walk:
        fill_walk(data, want);
        break;
    case BENCH_points:
        fill_points(data, want);
        break;
    case BENCH_own:
        fill_own(data, want);
        break;
    case BENCH_columns:
        fill_columns(data, want);
        break;
    case BENCH_q4:
        fill_q4(data, want);
        break;
    case BENCH_texture:
        ref_texture(w, floats(data, 0, N_TEXTURE * N_TEXTURE, -1, 1));
        break;
    default:
        break;
    }
}

bool
bench_data_create(enum bench_case c, struct bench_data *data, void **want)
{
    memset(data, 0, sizeof(*data));
    *want = NULL;
    seed = 88172645463325252u;
    data->out_bytes = result_bytes(c);
    if (data->out_bytes) {
        data->out = shared(data->out_bytes);
        *want = calloc(1, data->out_bytes);
        if (!data->out || !*want)
            return false;
    }
    fill(c, data, *want);
    for (int i = 0; i < 3; i++)
        if (data->in_bytes[i] && !data->in[i])
            return false;
    return true;
}

void
bench_data_destroy(struct bench_data *data, void *want)
{
    for (int i = 0; i < 3; i++)
        if (data->in[i])
            munmap((void *)(uintptr_t)data->in[i], data->in_bytes[i]);
    if (data->out)
        munmap(data->out, data->out_bytes);
    free(want);
}

/* How far a float may be off: |got - want| <= rel * |want| + abs. */
static bool
check_floats(const float *got, const float *want, size_t n, float rel, float abs)
{
    for (size_t i = 0; i < n; i++) {
        if (!(fabsf(got[i] - want[i]) <= rel * fabsf(want[i]) + abs)) {
            fprintf(stderr, "element %zu: %.9g, expected %.9g\n", i, (double)got[i],
                    (double)want[i]);
            return false;
        }
    }
    return true;
}

static bool
check_words(const uint32_t *got, const uint32_t *want, size_t n, size_t may_differ)
{
    size_t bad = 0, first = 0;

    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i] && !bad++)
            first = i;
    if (bad > may_differ)
        fprintf(stderr, "%zu of %zu differ, the first at %zu: %u, expected %u\n", bad, n, first,
                got[first], want[first]);
    return bad <= may_differ;
}

bool
bench_data_check(enum bench_case c, const struct bench_data *data, const void *want)
{
    const size_t n = data->out_bytes / 4;

    switch (c) {
    case BENCH_tree:
    case BENCH_shuffle: {
        double got = *(const double *)data->out, right = *(const double *)want;
        if (fabs(got - right) <= 1e-6 * right)
            return true;
        fprintf(stderr, "sum %.9g, expected %.9g\n", got, right);
        return false;
    }
    case BENCH_copy:
    case BENCH_saxpy:
    case BENCH_histogram:
    case BENCH_atomic1:
    case BENCH_atomic16:
    case BENCH_sobel:
    case BENCH_transpose:
    case BENCH_scan:
    case BENCH_bitonic:
    case BENCH_gather:
    case BENCH_gemv:
    case BENCH_walk:
    case BENCH_points:
    case BENCH_own:
    case BENCH_columns:
        return check_words(data->out, want, n, 0);
    case BENCH_mandel: /* chaotic at the border: contraction moves some pixels */
        return check_words(data->out, want, n, n / 100);
    case BENCH_triad:
    case BENCH_stencil:
        return check_floats(data->out, want, n, 1e-6f, 1e-6f);
    case BENCH_q4: /* 0 has two signs */
        return check_floats(data->out, want, n, 0, 0);
    case BENCH_texture:
        return check_floats(data->out, want, n, 0, 1e-2f);
    case BENCH_nbody:
        return check_floats(data->out, want, n, 1e-3f, 1e-1f);
    case BENCH_wmma_f16:
    case BENCH_wmma_bf16:
    case BENCH_matmul:
    case BENCH_tiled:
    case BENCH_tiled_blas:
    case BENCH_matmul64:
    case BENCH_plain:
        return check_floats(data->out, want, n, 1e-4f, 1e-4f);
    case BENCH_blackscholes:
        return check_floats(data->out, want, n, 1e-4f, 1e-4f);
    default:
        return true;
    }
}
