/* SPDX-License-Identifier: MIT */
/* The benchmark's kernels as a HIP programmer writes them: no knowledge of any CPU in here.
 * Comments with `thread:` and `warp:` say which element each thread holds; bench/checks -c notation
 * measures what it costs to verify them. */
#ifndef LS_BENCH_HIP_KERNELS_H
#define LS_BENCH_HIP_KERNELS_H

#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <lockstep/wmma.h>

#include "../peer.h"

#define TILE 16

/* The block's sum, in its first thread: a shuffle tree in each warp, and one over the warps. */
__device__ inline double
block_sum(double sum)
{
    __shared__ double of_warp[32];

    for (int d = warpSize / 2; d > 0; d /= 2)
        sum += __shfl_down(sum, d);
    if (threadIdx.x % warpSize == 0)
        of_warp[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned w = 1; w < blockDim.x / warpSize; w++)
            sum += of_warp[w];
    return sum;
}

/* A block for each row: strided sums. */
__global__ void
k_gemv(double *out, const double *a, const double *x, int n)
{
    double sum = 0;

    for (int j = threadIdx.x; j < n; j += blockDim.x)
        sum += a[(size_t)blockIdx.x * n + j] * x[j];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* A block for each part of two long arrays. */
__global__ void
k_walk(double *out, const double *a, const double *b, int n)
{
    size_t begin = (size_t)blockIdx.x * n, end = begin + n;
    double sum = 0;

    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        sum += a[i] * b[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* Points of three members, a thread for each. */
__global__ void
k_points(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        const float *p = a + 3 * i, *q = b + 3 * i;
        float *o = out + 3 * i;
        float x = p[1] * q[2] - p[2] * q[1], y = p[2] * q[0] - p[0] * q[2];

        o[2] = p[0] * q[1] - p[1] * q[0];
        o[0] = x;
        o[1] = y;
    }
}

/* A thread for each row, as who comes from a loop over rows writes it first. */
__global__ void
k_own(float *out, const float *a, int n, int length)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= n)
        return;
    for (int i = 0; i < length; i++)
        sum += a[row * length + i];
    out[row] = sum;
}

/* As everybody writes it first. */
__global__ void
k_plain(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < n && col < n) {
        float sum = 0;

        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

/* A sum in memory: that `y` is not part of `a` or `x` is not said. */
__global__ void
k_columns(float *y, float *a, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += a[j * n + i] * x[j];
    }
}

/* Four nibbles of the low halves or the high ones with four digits at a time; a warp for each row,
 * two lanes for each block. */
__global__ void
k_q4(float *out, const bench_q4 *rows, const bench_q8 *x, int blocks)
{
    const bench_q4 *row = rows + (size_t)blockIdx.x * blocks;
    float sum = 0;

    for (int b = threadIdx.x / 2; b < blocks; b += warpSize / 2) {
        int at = threadIdx.x % 2 * 2, dot = 0;
        for (int i = at; i < at + 2; i++) {
            const unsigned short *pair = (const unsigned short *)row[b].nibbles + 2 * i;
            const int *digits = (const int *)x[b].digits;
            int bits = pair[0] | pair[1] << 16;
            dot = __builtin_amdgcn_sudot4(true, bits & 0x0f0f0f0f, true, digits[i], dot, false);
            dot = __builtin_amdgcn_sudot4(true, bits >> 4 & 0x0f0f0f0f, true, digits[i + 4], dot,
                                          false);
        }
        float scale = __half2float(__ushort_as_half(x[b].scale));
        float eight = 4 * __half2float(__ushort_as_half(x[b].sum)); /* of half a block */
        sum += __half2float(__ushort_as_half(row[b].scale)) * ((float)dot * scale - eight);
    }
    for (int d = warpSize / 2; d > 0; d /= 2)
        sum += __shfl_xor(sum, d);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void
k_empty()
{
}

__global__ void
k_copy(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float v = in[i];
        // v:
        //   thread: i4 i3 i2 i1 i0
        //   warp:   i7 i6 i5
        out[i] = v;
    }
}

__global__ void
k_triad(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b, float s,
        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float v = a[i], w = b[i];
        // w:
        //   thread: i4 i3 i2 i1 i0
        //   warp:   i7 i6 i5
        out[i] = v + s * w;
    }
}

__global__ void
k_saxpy(float *__restrict__ y, const float *__restrict__ x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float v = x[i];
        // v:
        //   thread: i4 i3 i2 i1 i0
        //   warp:   i7 i6 i5
        y[i] = a * v + y[i];
    }
}

__global__ void
k_nbody(float4 *__restrict__ acc, const float4 *__restrict__ pos, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float4 p = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float4 q = pos[j];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + NBODY_SOFT);
        float s = q.w * r * r * r;
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    acc[i] = make_float4(ax, ay, az, 0);
}

__global__ void
k_matmul(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int n)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;

    for (int t = 0; t < n; t += TILE) {
        float of_a = a[row * n + t + tx], of_b = b[(t + ty) * n + col];
        // of_b:
        //   thread: i0 j3 j2 j1 j0
        //   warp:   i3 i2 i1
        as[ty][tx] = of_a;
        bs[ty][tx] = of_b;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

/* 64 x 64 of c in a block, 4 x 4 in a thread, from tiles 16 deep. */
__global__ void
k_matmul64(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int n)
{
    __shared__ float as[TILE][TILE64 + 4], bs[TILE][TILE64];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TILE + tx;
    int row = blockIdx.y * TILE64, col = blockIdx.x * TILE64;
    float sum[4][4] = {};

    for (int t = 0; t < n; t += TILE) {
        for (int i = 0; i < 4; i++) {
            int at = tid + i * TILE * TILE;

            as[at % TILE][at / TILE] = a[(row + at / TILE) * n + t + at % TILE];
            bs[at / TILE64][at % TILE64] = b[(t + at / TILE64) * n + col + at % TILE64];
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float x[4], y[4];

            for (int i = 0; i < 4; i++) {
                x[i] = as[k][ty * 4 + i];
                y[i] = bs[k][tx + i * TILE];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + ty * 4 + i) * n + col + tx + j * TILE] = sum[i][j];
}

__global__ void
k_tree(float *__restrict__ partial, const float *__restrict__ in, int n)
{
    extern __shared__ float lds[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    float v = i < (unsigned)n ? in[i] : 0.0f;
    // v:
    //   thread: i4 i3 i2 i1 i0
    //   warp:   i7 i6 i5
    lds[tid] = v;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            lds[tid] += lds[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        partial[blockIdx.x] = lds[0];
}

__global__ void
k_shuffle(float *__restrict__ partial, const float *__restrict__ in, int n)
{
    __shared__ float sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float v = i < n ? in[i] : 0.0f;
    // v:
    //   thread: i4 i3 i2 i1 i0
    //   warp:   i7 i6 i5

    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down(v, d);
    if (lane == 0)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < (int)blockDim.x / warpSize ? sums[lane] : 0.0f;
        for (int d = warpSize / 2; d > 0; d /= 2)
            v += __shfl_down(v, d);
        if (lane == 0)
            partial[blockIdx.x] = v;
    }
}

/* Four waves, each a tile of 64 x 64: 4 x 4 fragments. a row-major, b column-major. */
template <typename T>
__global__ void
__launch_bounds__(128)
k_wmma(float *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int n)
{
    using namespace lockstep;
    const int STEPS = 4;
    int wave = threadIdx.x / 32;
    int row = blockIdx.y * 128 + wave / 2 * 64, col = blockIdx.x * 128 + wave % 2 * 64;
    wmma::fragment_c sum[4][4];

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum[i][j] = wmma::fill_c(0.0f);
    for (int k = 0; k < n; k += STEPS * wmma::K) { /* each sum is touched once for all steps */
        wmma::fragment_a<T> fa[4][STEPS];
        wmma::fragment_b<T> fb[4][STEPS];
        for (int i = 0; i < 4; i++)
            for (int s = 0; s < STEPS; s++) {
                fa[i][s] =
                    wmma::load_a(a + (row + 16 * i) * n + k + s * wmma::K, n, wmma::row_major());
                fb[i][s] =
                    wmma::load_b(b + (col + 16 * i) * n + k + s * wmma::K, n, wmma::col_major());
            }
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 4; i++)
                for (int s = 0; s < STEPS; s++)
                    sum[i][j] = wmma::mma(fa[i][s], fb[j][s], sum[i][j]);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            wmma::store_d(c + (row + 16 * i) * n + col + 16 * j, sum[i][j], n, wmma::row_major());
}

__global__ void
k_histogram(unsigned *__restrict__ bins, const unsigned char *__restrict__ in, int n)
{
    __shared__ unsigned local[256];

    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

/* Without LDS: every thread at the same few addresses. */
__global__ void
k_atomic1(float *__restrict__ sum, const float *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float v = in[i];
        // v:
        //   thread: i4 i3 i2 i1 i0
        //   warp:   i7 i6 i5
        atomicAdd(sum, v);
    }
}

__global__ void
k_atomic16(unsigned *__restrict__ counters, const unsigned *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&counters[in[i] % N_COUNTERS], 1u);
}

__global__ void
k_mandel(int *__restrict__ out, int n, int iters)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;

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

__device__ static inline float
cnd(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f +
                 k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040143267f * expf(-0.5f * d * d) * poly;

    return d > 0 ? 1.0f - tail : tail;
}

__global__ void
k_blackscholes(float *__restrict__ call, float *__restrict__ put, const float *__restrict__ price,
               const float *__restrict__ strike, const float *__restrict__ years, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    // t:
    //   thread: i4 i3 i2 i1 i0
    //   warp:   i7 i6 i5
    float root = VOLATILITY * sqrtf(t);
    float d1 = (logf(s / x) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t) / root;
    float d2 = d1 - root;
    float n1 = cnd(d1), n2 = cnd(d2);
    float discounted = x * expf(-RISK_FREE * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

__global__ void
k_stencil(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        float middle = in[y * n + x];
        // middle:
        //   thread: j4 j3 j2 j1 j0
        //   warp:   i2 i1 i0
        out[y * n + x] =
            0.5f * middle + 0.125f * (in[(y - 1) * n + x] + in[(y + 1) * n + x] +
                                     in[y * n + x - 1] + in[y * n + x + 1]);
    }
}

/* The square of the gradient, and 0 on the border, as image filters are written. */
__global__ void
k_sobel(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= w || y >= h)
        return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        out[y * w + x] = 0;
        return;
    }
    const float *p = in + y * w + x;
    float dx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[w - 1];
    float dy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-1 - w] - 2 * p[-w] - p[1 - w];

    out[y * w + x] = dx * dx + dy * dy;
}

/* A block of 32 x 8 threads for each tile of 32 x 32; the column more keeps threads of a warp out
 * of one bank. */
__global__ void
k_transpose(float *__restrict__ out, const float *__restrict__ in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) {
        float v = tile[threadIdx.x][threadIdx.y + i];
        // v:
        //   thread: i4 i3 i2 i1 i0
        //   warp:   j2 j1 j0
        out[(y + i) * n + x] = v;
    }
}

/* Turns an image about its centre. */
__global__ void
k_texture(float *__restrict__ out, hipTextureObject_t in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x - 0.5f * n, v = y - 0.5f * n;

    out[y * n + x] = tex2D<float>(in, u * TEXTURE_COS - v * TEXTURE_SIN + 0.5f * n,
                                  v * TEXTURE_COS + u * TEXTURE_SIN + 0.5f * n);
}

__global__ void
k_scan(float *__restrict__ out, const float *__restrict__ in, int n)
{
    __shared__ float lds[SCAN_BLOCK];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    float first = i < (unsigned)n ? in[i] : 0.0f;
    // first:
    //   thread: i4 i3 i2 i1 i0
    //   warp:   i7 i6 i5
    lds[tid] = first;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        float v = tid >= d ? lds[tid - d] : 0.0f;
        __syncthreads();
        lds[tid] += v;
        __syncthreads();
    }
    if (i < (unsigned)n)
        out[i] = lds[tid];
}

__global__ void
k_bitonic(unsigned *__restrict__ out, const unsigned *__restrict__ in)
{
    __shared__ unsigned lds[BITONIC_BLOCK];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + tid;

    unsigned v = in[i];
    // v:
    //   thread: i4 i3 i2 i1 i0
    //   warp:   i9 i8 i7 i6 i5
    lds[tid] = v;
    __syncthreads();
    for (unsigned k = 2; k <= BITONIC_BLOCK; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = tid ^ j;
            if (other > tid) {
                unsigned a = lds[tid], b = lds[other];
                bool ascending = (tid & k) == 0;
                if ((a > b) == ascending) {
                    lds[tid] = b;
                    lds[other] = a;
                }
            }
            __syncthreads();
        }
    }
    out[i] = lds[tid];
}

__global__ void
k_gather(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ index,
         int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        int at = index[i];
        // at:
        //   thread: i4 i3 i2 i1 i0
        //   warp:   i7 i6 i5
        out[i] = in[at];
    }
}

#endif
