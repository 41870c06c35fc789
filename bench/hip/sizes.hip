/* SPDX-License-Identifier: MIT */
/* The sweep's kernels as HIP programs have them. */
#include <hip/hip_runtime.h>
#include <stdio.h>

#include "../sizes.h"

#define BLOCK 256
#define TRY(call)                                                                                  \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != hipSuccess) {                                                                  \
            fprintf(stderr, "hip: %s: %s\n", #call, hipGetErrorString(err_));                      \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static enum sizes_kernel now;
static size_t count;
static float *out, *a, *b;
static unsigned *n_wrong;

__global__ void
s_copy(float *__restrict__ o, const float *__restrict__ x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        o[i] = x[i];
}

__global__ void
s_triad(float *__restrict__ o, const float *__restrict__ x, const float *__restrict__ y, float s,
        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        o[i] = x[i] + s * y[i];
}

__global__ void
s_saxpy(float *__restrict__ y, const float *__restrict__ x, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = s * x[i] + y[i];
}

__global__ void
s_fill(float *p, unsigned period, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        p[i] = period ? factor * (float)((unsigned)i % period) : 0.0f;
}

__global__ void
s_check(const float *p, int kernel, unsigned runs, int n, unsigned *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && p[i] != sizes_want((enum sizes_kernel)kernel, (size_t)i, runs))
        atomicAdd(wrong, 1u);
}

static unsigned
blocks(void)
{
    return (unsigned)((count + BLOCK - 1) / BLOCK);
}

static int
array(float **p, unsigned period, float factor)
{
    TRY(hipMalloc((void **)p, count * sizeof(float)));
    s_fill<<<blocks(), BLOCK>>>(*p, period, factor, (int)count);
    TRY(hipGetLastError());
    return 0;
}

static int
setup(enum sizes_kernel k, size_t n)
{
    now = k;
    count = n;
    if (array(&out, 0, 0) || (k == SIZES_saxpy ? array(&a, X_PERIOD, 2) : array(&a, A_PERIOD, 1)) ||
        (k == SIZES_triad && array(&b, B_PERIOD, 1)))
        return 1;
    TRY(hipMalloc((void **)&n_wrong, sizeof(*n_wrong)));
    TRY(hipMemset(n_wrong, 0, sizeof(*n_wrong)));
    TRY(hipDeviceSynchronize());
    return 0;
}

static int
run(void)
{
    if (now == SIZES_copy)
        s_copy<<<blocks(), BLOCK>>>(out, a, (int)count);
    else if (now == SIZES_triad)
        s_triad<<<blocks(), BLOCK>>>(out, a, b, SWEEP_TRIAD, (int)count);
    else
        s_saxpy<<<blocks(), BLOCK>>>(out, a, SWEEP_SAXPY, (int)count);
    TRY(hipGetLastError());
    TRY(hipDeviceSynchronize());
    return 0;
}

static int
check(unsigned runs)
{
    unsigned wrong;

    s_check<<<blocks(), BLOCK>>>(out, now, runs, (int)count, n_wrong);
    TRY(hipMemcpy(&wrong, n_wrong, sizeof(wrong), hipMemcpyDeviceToHost));
    if (wrong)
        fprintf(stderr, "hip: %u elements are wrong\n", wrong);
    return wrong != 0;
}

extern "C" const struct sizes_peer sizes_peer;
const struct sizes_peer sizes_peer = {"ours", setup, run, check};
