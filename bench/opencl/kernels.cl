/* SPDX-License-Identifier: MIT */
/* The benchmark's kernels in OpenCL C, construct for construct those of hip/kernels.h. */
#define TILE 16

__kernel void
k_empty(void)
{
}

__kernel void
k_copy(__global float *restrict out, __global const float *restrict in, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[i] = in[i];
}

__kernel void
k_triad(__global float *restrict out, __global const float *restrict a, __global const float *restrict b,
        float s, int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[i] = a[i] + s * b[i];
}

__kernel void
k_saxpy(__global float *restrict y, __global const float *restrict x, float a, int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = a * x[i] + y[i];
}

__kernel void
k_nbody(__global float4 *restrict acc, __global const float4 *restrict pos, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float4 p = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float4 q = pos[j];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float r = rsqrt(dx * dx + dy * dy + dz * dz + NBODY_SOFT);
        float s = q.w * r * r * r;
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    acc[i] = (float4)(ax, ay, az, 0);
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
k_matmul(__global float *restrict c, __global const float *restrict a, __global const float *restrict b, int n)
{
    __local float as[TILE][TILE];
    __local float bs[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_global_id(1), col = get_global_id(0);
    float sum = 0;

    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

__kernel void
k_tree(__global float *restrict partial, __global const float *restrict in, int n, __local float *lds)
{
    uint tid = get_local_id(0);
    uint i = get_global_id(0);

    lds[tid] = i < (uint)n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (tid < s)
            lds[tid] += lds[tid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        partial[get_group_id(0)] = lds[0];
}

/* This OpenCL has no sub-groups: two levels through local memory, the cheapest form without shuffles. */
__kernel void
k_shuffle(__global float *restrict partial, __global const float *restrict in, int n, __local float *lds)
{
    uint tid = get_local_id(0);
    uint i = get_global_id(0);

    lds[tid] = i < (uint)n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    float v = 0;
    if (tid < 16)
        for (uint k = tid; k < get_local_size(0); k += 16)
            v += lds[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < 16)
        lds[tid] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid == 0) {
        v = 0;
        for (uint k = 0; k < 16; k++)
            v += lds[k];
        partial[get_group_id(0)] = v;
    }
}

__kernel void
k_histogram(__global uint *restrict bins, __global const uchar *restrict in, int n)
{
    __local uint local_bins[256];

    for (int b = get_local_id(0); b < 256; b += get_local_size(0))
        local_bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&local_bins[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = get_local_id(0); b < 256; b += get_local_size(0))
        atomic_add(&bins[b], local_bins[b]);
}

/* OpenCL 1.2 has no atomic addition of floats: a loop of compare and exchange. */
__kernel void
k_atomic1(volatile __global uint *restrict sum, __global const float *restrict in, int n)
{
    int i = get_global_id(0);

    if (i < n) {
        uint old, seen = *sum;
        do {
            old = seen;
            seen = atomic_cmpxchg(sum, old, as_uint(as_float(old) + in[i]));
        } while (seen != old);
    }
}

__kernel void
k_atomic16(__global uint *restrict counters, __global const uint *restrict in, int n)
{
    int i = get_global_id(0);

    if (i < n)
        atomic_inc(&counters[in[i] % 16]);
}

__kernel void
k_mandel(__global int *restrict out, int n, int iters)
{
    int px = get_global_id(0), py = get_global_id(1);

    if (px >= n || py >= n)
        return;
    float cx = -2.0f + px * (3.0f / n), cy = -1.5f + py * (3.0f / n);
    float x = 0, y = 0;
    int it = 0;
    while (it < iters) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        it++;
    }
    out[py * n + px] = it;
}

inline float
cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
                 k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040143267f * exp(-0.5f * d * d) * poly;

    return d > 0 ? 1.0f - tail : tail;
}

__kernel void
k_blackscholes(__global float *restrict out, __global const float *restrict price,
               __global const float *restrict strike, __global const float *restrict years, int n)
{
    int i = get_global_id(0);

    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float root = VOLATILITY * sqrt(t);
    float d1 = (log(s / x) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t) / root;
    float d2 = d1 - root;
    float n1 = cnd(d1), n2 = cnd(d2);
    float discounted = x * exp(-RISK_FREE * t);
    out[i] = s * n1 - discounted * n2;
    out[n + i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

__kernel void
k_stencil(__global float *restrict out, __global const float *restrict in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);

    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.5f * in[y * n + x] + 0.125f * (in[(y - 1) * n + x] + in[(y + 1) * n + x] +
                                                         in[y * n + x - 1] + in[y * n + x + 1]);
}

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void
k_transpose(__global float *restrict out, __global const float *restrict in, int n)
{
    __local float tile[32][33];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;

    for (int i = 0; i < 32; i += 8)
        tile[ty + i][tx] = in[(y + i) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 32 + tx;
    y = get_group_id(0) * 32 + ty;
    for (int i = 0; i < 32; i += 8)
        out[(y + i) * n + x] = tile[tx][ty + i];
}

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void
k_texture(__global float *restrict out, read_only image2d_t in, int n)
{
    const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    int x = get_global_id(0), y = get_global_id(1);
    float u = x - 0.5f * n, v = y - 0.5f * n;
    float2 at = (float2)(u * TEXTURE_COS - v * TEXTURE_SIN + 0.5f * n, v * TEXTURE_COS + u * TEXTURE_SIN + 0.5f * n);

    out[y * n + x] = read_imagef(in, sampler, at).x;
}

__kernel __attribute__((reqd_work_group_size(SCAN_BLOCK, 1, 1))) void
k_scan(__global float *restrict out, __global const float *restrict in, int n)
{
    __local float lds[SCAN_BLOCK];
    uint tid = get_local_id(0);
    uint i = get_global_id(0);

    lds[tid] = i < (uint)n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < SCAN_BLOCK; d *= 2) {
        float v = tid >= d ? lds[tid - d] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        lds[tid] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < (uint)n)
        out[i] = lds[tid];
}

__kernel __attribute__((reqd_work_group_size(BITONIC_BLOCK, 1, 1))) void
k_bitonic(__global uint *restrict out, __global const uint *restrict in)
{
    __local uint lds[BITONIC_BLOCK];
    uint tid = get_local_id(0);
    uint i = get_global_id(0);

    lds[tid] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 2; k <= BITONIC_BLOCK; k *= 2) {
        for (uint j = k / 2; j > 0; j /= 2) {
            uint other = tid ^ j;
            if (other > tid) {
                uint a = lds[tid], b = lds[other];
                bool ascending = (tid & k) == 0;
                if ((a > b) == ascending) {
                    lds[tid] = b;
                    lds[other] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[i] = lds[tid];
}

__kernel void
k_gather(__global float *restrict out, __global const float *restrict in, __global const int *restrict index,
         int n)
{
    int i = get_global_id(0);

    if (i < n)
        out[i] = in[index[i]];
}
