/* SPDX-License-Identifier: MIT */
/* The sweep's kernels in plain C with OpenMP. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../sizes.h"

static enum sizes_kernel now;
static size_t count;
static float *out, *a, *b;

static void
copy(float *restrict o, const float *restrict x, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        o[i] = x[i];
}

static void
triad(float *restrict o, const float *restrict x, const float *restrict y, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        o[i] = x[i] + SWEEP_TRIAD * y[i];
}

static void
saxpy(float *restrict y, const float *restrict x, size_t n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        y[i] = SWEEP_SAXPY * x[i] + y[i];
}

/* Touched first by the threads that use it. */
static float *
array(size_t n, unsigned period, float factor)
{
    float *p = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);

    if (!p)
        return NULL;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        p[i] = period ? factor * (float)(i % period) : 0.0f;
    return p;
}

static int
setup(enum sizes_kernel k, size_t n)
{
    now = k;
    count = n;
    out = array(n, 0, 0);
    a = k == SIZES_saxpy ? array(n, X_PERIOD, 2) : array(n, A_PERIOD, 1);
    b = k == SIZES_triad ? array(n, B_PERIOD, 1) : NULL;
    if (out && a && (b || k != SIZES_triad))
        return 0;
    fprintf(stderr, "openmp: no memory\n");
    return 1;
}

static int
run(void)
{
    if (now == SIZES_copy)
        copy(out, a, count);
    else if (now == SIZES_triad)
        triad(out, a, b, count);
    else
        saxpy(out, a, count);
    return 0;
}

static int
check(unsigned runs)
{
    size_t wrong = 0;

#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (size_t i = 0; i < count; i++)
        wrong += out[i] != sizes_want(now, i, runs);
    if (wrong)
        fprintf(stderr, "openmp: %zu elements are wrong\n", wrong);
    return wrong != 0;
}

extern const struct sizes_peer sizes_peer;
const struct sizes_peer sizes_peer = {"OpenMP C", setup, run, check};
