/* SPDX-License-Identifier: MIT */
/* ispc: kernels.ispc on the threads of OpenMP. Tasks of ispc's own would start threads anew. */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../peer.h"
#include "kernels_ispc.h" /* ispc writes it */

static enum bench_case now;
static void *in[3];
static void *out;
static double total;
static float *panels;

/* The i-th of n ranges of `all`, which begin at multiples of `step`. */
struct range {
    unsigned first, last;
};

static struct range
part(unsigned all, unsigned step, unsigned i, unsigned n)
{
    unsigned steps = all / step;
    struct range r = {(unsigned)((uint64_t)steps * i / n) * step,
                      (unsigned)((uint64_t)steps * (i + 1) / n) * step};

    return r;
}

/* This thread's range. */
static struct range
mine(unsigned all, unsigned step)
{
    return part(all, step, (unsigned)omp_get_thread_num(), (unsigned)omp_get_num_threads());
}

static void
saxpy(float *y, float *x)
{
    memset(y, 0, N_SAXPY * sizeof(*y));
    for (int r = 0; r < SAXPY_REPS; r++)
#pragma omp parallel
    {
        struct range my = mine(N_SAXPY, 64);
        ispc_saxpy(y, x, SAXPY_SCALE, (int)my.first, (int)my.last);
    }
}

static void
matmul(float *c, float *a, float *b)
{
    enum { ROWS = 128, DEEP = 256 };
    const int n = N_MATMUL;

#pragma omp parallel
    {
        struct range my = mine(N_MATMUL, (unsigned)ispc_panel());
        float *rows = aligned_alloc(64, ROWS * DEEP * sizeof(float));

        ispc_pack(panels, b, n, (int)my.first, (int)my.last);
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < n; i += ROWS)
            ispc_matmul(c, a, panels, rows, n, i, i + ROWS);
        free(rows);
    }
}

static double
sum(float *a)
{
    double s = 0;

#pragma omp parallel reduction(+ : s)
    {
        struct range my = mine(N_REDUCE, 64);
        s += ispc_sum(a, my.first, my.last);
    }
    return s;
}

static void
histogram(uint32_t *bins, uint8_t *a)
{
    memset(bins, 0, 256 * sizeof(*bins));
#pragma omp parallel
    {
        struct range my = mine(N_HISTOGRAM, 64);
        uint32_t table[4 * 256] = {0};

        ispc_histogram(table, a, my.first, my.last);
#pragma omp critical
        for (int b = 0; b < 4 * 256; b++)
            bins[b % 256] += table[b];
    }
}

static void
mandel(int *o)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int y = 0; y < (int)N_MANDEL; y += 4)
        ispc_mandel(o, N_MANDEL, MANDEL_ITERS, y, y + 4);
}

/* One range for each thread. */
static void
ranges(void)
{
    float *f = out, *a = in[0], *b = in[1], *c = in[2];

#pragma omp parallel
    {
        struct range my;

        switch (now) {
        case BENCH_copy:
            my = mine(N_STREAM, 64);
            ispc_copy(f, a, my.first, my.last);
            break;
        case BENCH_triad:
            my = mine(N_STREAM, 64);
            ispc_triad(f, a, b, TRIAD_SCALE, my.first, my.last);
            break;
        case BENCH_nbody:
            my = mine(N_BODY, 64);
            ispc_nbody(f, a, N_BODY, (int)my.first, (int)my.last);
            break;
        case BENCH_blackscholes:
            my = mine(N_OPTION, 64);
            ispc_blackscholes(f, f + N_OPTION, a, b, c, (int)my.first, (int)my.last);
            break;
        case BENCH_stencil:
            my = mine(N_STENCIL - 2, 1);
            ispc_stencil(f, a, N_STENCIL, (int)my.first + 1, (int)my.last + 1);
            break;
        case BENCH_scan:
            my = mine(N_SCAN, SCAN_BLOCK);
            ispc_scan(f, a, my.first, my.last);
            break;
        case BENCH_bitonic:
            my = mine(N_BITONIC, BITONIC_BLOCK);
            ispc_bitonic(out, in[0], my.first, my.last);
            break;
        default: /* gather */
            my = mine(N_GATHER, 64);
            ispc_gather(f, a, in[1], (int)my.first, (int)my.last);
            break;
        }
    }
}

static int
setup(enum bench_case c, const struct bench_data *data)
{
    size_t out_bytes = (data->out_bytes + 4095) / 4096 * 4096;

    now = c;
    switch (c) {
    case BENCH_copy:
    case BENCH_triad:
    case BENCH_saxpy:
    case BENCH_nbody:
    case BENCH_matmul:
    case BENCH_tree:
    case BENCH_shuffle:
    case BENCH_histogram:
    case BENCH_mandel:
    case BENCH_blackscholes:
    case BENCH_stencil:
    case BENCH_scan:
    case BENCH_bitonic:
    case BENCH_gather:
        break;
    default:
        return BENCH_SKIP;
    }
    for (int i = 0; i < 3; i++) {
        if (!data->in_bytes[i])
            continue;
        in[i] = aligned_alloc(4096, (data->in_bytes[i] + 4095) / 4096 * 4096);
        if (!in[i])
            return 1;
        memcpy(in[i], data->in[i], data->in_bytes[i]);
    }
    out = aligned_alloc(4096, out_bytes);
    if (c == BENCH_matmul)
        panels = aligned_alloc(64, (size_t)N_MATMUL * N_MATMUL * sizeof(float));
    if (!out || (c == BENCH_matmul && !panels))
        return 1;
    memset(out, 0, out_bytes);
    return 0;
}

static int
run(void)
{
    switch (now) {
    case BENCH_saxpy:
        saxpy(out, in[0]);
        break;
    case BENCH_matmul:
        matmul(out, in[0], in[1]);
        break;
    case BENCH_tree:
    case BENCH_shuffle:
        total = sum(in[0]);
        break;
    case BENCH_histogram:
        histogram(out, in[0]);
        break;
    case BENCH_mandel:
        mandel(out);
        break;
    default:
        ranges();
        break;
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
    free(panels);
}

extern const struct bench_peer bench_peer;
const struct bench_peer bench_peer = {"ispc", setup, run, fetch, teardown};
