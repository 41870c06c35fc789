/* SPDX-License-Identifier: MIT */
/* Ours in the sweep over threads. */
#include <stdio.h>

#include "../hip/kernels.h"
#include "sweep.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != hipSuccess) {                                                                  \
            fprintf(stderr, "hip: %s: %s\n", #call, hipGetErrorString(err_));                      \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static enum sweep_row now;
static float *in, *out;
static size_t bytes;

static int
setup(enum sweep_row row, const float *from)
{
    now = row;
    bytes = row == SWEEP_saxpy   ? SWEEP_FLOATS * sizeof(float)
            : row == SWEEP_nbody ? SWEEP_BODIES * sizeof(float4)
                                 : 0;
    if (!bytes)
        return 0;
    TRY(hipMalloc((void **)&in, bytes));
    TRY(hipMalloc((void **)&out, bytes));
    TRY(hipMemcpy(in, from, bytes, hipMemcpyHostToDevice));
    return 0;
}

static int
run()
{
    switch (now) {
    case SWEEP_empty1:
        k_empty<<<1, 256>>>();
        break;
    case SWEEP_empty1024:
        k_empty<<<SWEEP_BLOCKS, 256>>>();
        break;
    case SWEEP_saxpy:
        TRY(hipMemsetAsync(out, 0, bytes, 0));
        for (int r = 0; r < SWEEP_LAUNCHES; r++)
            k_saxpy<<<SWEEP_FLOATS / 256, 256>>>(out, in, SWEEP_SCALE, SWEEP_FLOATS);
        break;
    default:
        k_nbody<<<SWEEP_BODIES / 64, 64>>>((float4 *)out, (const float4 *)in, SWEEP_BODIES);
        break;
    }
    TRY(hipGetLastError());
    TRY(hipDeviceSynchronize());
    return 0;
}

static int
fetch(float *to)
{
    if (bytes)
        TRY(hipMemcpy(to, out, bytes, hipMemcpyDeviceToHost));
    return 0;
}

extern "C" const struct sweep_side sweep_side;
const struct sweep_side sweep_side = {"lockstep", setup, run, fetch};
