/* SPDX-License-Identifier: MIT */
/* Kernels for lsreview.sh: patterns of access whose costs are known. FIND and a word mark the line
 * of a finding; lines without such a mark have none. Blocks have 64 threads, one or two warps. */
#include <hip/hip_runtime.h>

#include <cstdio>

#define BOUNDS __launch_bounds__(64)

__global__ void BOUNDS
rows(const float *in, float *out, const float4 *in4, float4 *out4)
{
    int i = threadIdx.x;

    out[i] = in[i];
    out4[i] = in4[i];
}

__global__ void BOUNDS
columns(const float *in, float *out)
{
    int i = threadIdx.x;

    out[i] = in[i * 32]; // FIND lines
}

__global__ void BOUNDS
shifted(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x + 1]; // FIND shifted
}

__global__ void BOUNDS
narrow(const char *in, char *out)
{
    int i = threadIdx.x;
    char c = in[i]; // FIND bytes

    out[i] = c; // FIND bytes
}

__global__ void BOUNDS
allowed(const float *in, float *out)
{
    int i = threadIdx.x;

    /* Not coalesced, as a column is read once only. */
    out[i] = in[i * 32];
}

__global__ void BOUNDS
claimed(const float *in, float *out)
{
    int i = threadIdx.x;

    // this read is coalesced
    out[i] = in[i * 32]; // FIND lines
}

__global__ void BOUNDS
tile(const float *in, float *out)
{
    __shared__ float t[64][32];
    int i = threadIdx.x;

    for (int k = 0; k < 32; k++)
        t[i][k] = in[k * 64 + i]; // FIND banks
    __syncthreads();
    for (int k = 0; k < 32; k++)
        out[k * 64 + i] = t[(i & 31) + (i >> 5) * 32][k]; // FIND banks
}

__global__ void BOUNDS
padded(const float *in, float *out)
{
    __shared__ float t[64][33];
    int i = threadIdx.x;

    for (int k = 0; k < 32; k++)
        t[i][k] = in[k * 64 + i];
    __syncthreads();
    for (int k = 0; k < 32; k++)
        out[k * 64 + i] = t[(i & 31) + (i >> 5) * 32][k];
}

__global__ void BOUNDS
counters(unsigned *out)
{
    atomicAdd(&out[threadIdx.x & 1], 1u); // FIND atomics
}

__global__ void // FIND bounds
unbounded(float *out)
{
    out[threadIdx.x] = 1;
}

// No __launch_bounds__: what it is launched with is not known.
__global__ void
free_of_bounds(float *out)
{
    out[threadIdx.x] = 1;
}

__global__ void BOUNDS
doubles(float *p, float *q, double *d, float x)
{
    int i = threadIdx.x;
    float v = p[i];

    q[i] = v * 0.1 + x; // FIND literal
    q[i + 64] = 2.0 * v; // exact in single precision, which the compiler knows
    q[i + 128] = sin((double)v); // FIND call
    q[i + 192] = v * 0.1f + sinf(v) + expf(v) + powf(v, x) + tanf(v);
    // Double precision, as the sum needs it.
    q[i + 256] = v * 0.3 + x;
    d[i] = d[i] * 0.1 + v;
}

__global__ void BOUNDS
parted(float *p)
{
    int i = threadIdx.x;
    float v = p[i];

    if (i % 4 == 0)
        v = v * v * 3 + sinf(v) * sqrtf(v); // FIND lanes
    p[i] = v;
}

/* Four copies of one place, each of which is looked at now and then, and blocks of which not each
 * one is. */
__global__ void BOUNDS
often(const float *in, float *out)
{
    float sum = 0;

#pragma unroll 4
    for (int k = 0; k < 4096; k++)
        sum += in[k * 7 % 16 * 64 + threadIdx.x];
    out[threadIdx.x] = sum;
}

__global__ void BOUNDS
polynomials(float *p, double *d)
{
    int i = threadIdx.x;
    float x = p[i], y = x;
    double u = d[i], v = u;

    for (int k = 0; k < 16; k++)
        y = y * x + x;
    for (int k = 0; k < 8; k++)
        v = v * u + u;
    p[i] = y;
    d[i] = v;
}

int
main()
{
    float *a, *b;

    if (hipMalloc(&a, 1 << 20) || hipMalloc(&b, 1 << 20) || hipMemset(a, 0, 1 << 20))
        return 2;
    rows<<<1, 64>>>(a, b, (const float4 *)a + 1024, (float4 *)b + 1024);
    columns<<<1, 64>>>(a, b);
    shifted<<<1, 64>>>(a, b);
    narrow<<<1, 64>>>((const char *)a, (char *)b);
    allowed<<<1, 64>>>(a, b);
    claimed<<<1, 64>>>(a, b);
    tile<<<1, 64>>>(a, b);
    padded<<<1, 64>>>(a, b);
    counters<<<1, 64>>>((unsigned *)b);
    unbounded<<<1, 64>>>(b);
    free_of_bounds<<<1, 64>>>(b);
    doubles<<<1, 64>>>(a, b, (double *)a + 1024, 2);
    parted<<<1, 64>>>(b);
    often<<<512, 64>>>(a, b);
    polynomials<<<1, 64>>>(a, (double *)a + 1024);
    if (hipDeviceSynchronize())
        return 3;
    std::printf("it ran\n");
    return 0;
}
