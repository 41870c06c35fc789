/* SPDX-License-Identifier: MIT */
/* OpenMP C in the sweep over threads. */
#include <stdlib.h>
#include <string.h>

#include "../openmp/kernels.h"
#include "sweep.h"

static enum sweep_row now;
static float *in, *out;
static size_t bytes;

static int
setup(enum sweep_row row, const float *from)
{
    now = row;
    if (row == SWEEP_empty1)
        return SWEEP_SKIP;
    bytes = row == SWEEP_saxpy   ? SWEEP_FLOATS * sizeof(float)
            : row == SWEEP_nbody ? SWEEP_BODIES * 4 * sizeof(float)
                                 : 0;
    if (!bytes)
        return 0;
    in = aligned_alloc(4096, bytes);
    out = aligned_alloc(4096, bytes);
    if (!in || !out)
        return 1;
    memcpy(in, from, bytes);
    memset(out, 0, bytes);
    return 0;
}

static void
saxpy(float *restrict y, const float *restrict x)
{
    memset(y, 0, bytes);
    for (int r = 0; r < SWEEP_LAUNCHES; r++) {
#pragma omp parallel for simd schedule(static)
        for (size_t i = 0; i < SWEEP_FLOATS; i++)
            y[i] = SWEEP_SCALE * x[i] + y[i];
    }
}

static int
run(void)
{
    switch (now) {
    case SWEEP_empty1024:
#pragma omp parallel for schedule(static)
        for (unsigned i = 0; i < SWEEP_BLOCKS; i++)
            __asm__ volatile("" ::"r"(i));
        break;
    case SWEEP_saxpy:
        saxpy(out, in);
        break;
    case SWEEP_nbody:
        omp_nbody(out, in, SWEEP_BODIES);
        break;
    case SWEEP_empty1:
    case SWEEP_ROWS:
    default:
        return 1;
    }
    return 0;
}

static int
fetch(float *to)
{
    if (bytes)
        memcpy(to, out, bytes);
    return 0;
}

extern const struct sweep_side sweep_side;
const struct sweep_side sweep_side = {"OpenMP C", setup, run, fetch};
