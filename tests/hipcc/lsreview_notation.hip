// SPDX-License-Identifier: MIT
// Kernels with comments on where elements lie, which lsreview_notation.sh verifies, and breaks one
// by one. WRONG: what is wrong with the code; 0: nothing.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <int WRONG>
__global__ void __launch_bounds__(512) halves(const __half *p, __half2 *out)
{
    unsigned laneId = threadIdx.x, warpId = threadIdx.y;
    // Pointer to a 3-d array in global GPU memory p[i,j,k], shape (16,16,16).
    unsigned s = 2 * laneId + (WRONG == 1 ? 128 : 256) * warpId;
    __half2 x0 = *((__half2 *)(p + s));
    __half2 x1 = *((__half2 *)(p + s + 64));
    __half2 x2 = *((__half2 *)(p + s + 128));
    __half2 x3 = *((__half2 *)(p + s + (WRONG == 2 ? 194 : 192)));

    // x has the following register assigment.
    //   simd:      s0              <->  k0
    //   register:  r1 r0           <->  j3 j2
    //   thread:    t4 t3 t2 t1 t0  <->  j1 j0 k3 k2 k1
    //   warp:      w3 w2 w1 w0     <->  i3 i2 i1 i0

    __half2 y0 = __lows2half2(x0, WRONG == 3 ? x1 : x2);
    __half2 y2 = __highs2half2(x0, WRONG == 3 ? x1 : x2);
    __half2 y1 = __lows2half2(WRONG == 3 ? x2 : x1, x3);
    __half2 y3 = __highs2half2(WRONG == 3 ? x2 : x1, x3);

    // Now the y array is the same logical array as x, but with a new register assignment:
    //   simd:      j3
    //   register:  k0 j2
    //   thread:    j1 j0 k3 k2 k1   (unchanged)
    //   warp:      i3 i2 i1 i0      (unchanged)

    constexpr unsigned bit = WRONG == 4 ? 8 : 4;
    __half2 tmp = (threadIdx.x & bit) ? y0 : y1; // bit mask for t2
    tmp = __shfl_sync(~0ull, tmp, threadIdx.x ^ bit);
    y0 = (threadIdx.x & bit) ? tmp : y0;
    y1 = (threadIdx.x & bit) ? y1 : tmp;

    tmp = (threadIdx.x & bit) ? y2 : y3;
    tmp = __shfl_sync(~0ull, tmp, threadIdx.x ^ bit);
    y2 = (threadIdx.x & bit) ? tmp : y2;
    y3 = (threadIdx.x & bit) ? y3 : (WRONG == 5 ? y2 : tmp);

    // Now the y-array has been shuffled into a new register assignment:
    //   simd:      j3               (unchanged)
    //   register:  k0 k3
    //   thread:    j1 j0 j2 k2 k1
    //   warp:      i3 i2 i1 i0      (unchanged)
    out[s / 2] = y0;
    out[s / 2 + 32] = y1;
    out[s / 2 + 64] = y2;
    out[s / 2 + 96] = y3;
}

template <int WRONG>
__global__ void __launch_bounds__(64) bytes(const uint2 *p, uint2 *out)
{
    uint2 v = p[threadIdx.x];
    // In this example, suppose we have an 8-bit array which has been packed into uint
    // registers (i.e. 4 simd lanes per register), with register assignment:
    //   simd:      i1 i0
    //   register:  i2

    unsigned x0 = v.x, x1 = v.y;

    unsigned y0 = __byte_perm(x0, x1, WRONG == 6 ? 0x5410 : 0x6240);
    unsigned y1 = __byte_perm(x0, x1, 0x7351);

    // Now the y-array contains the same data as x, but with a new register assignment:
    //   simd:      i1 i2
    //   register:  i0
    out[threadIdx.x] = make_uint2(y0, y1);

    unsigned z0 = __byte_perm(x0, x1, 0x5410);
    unsigned z1 = __byte_perm(x0, x1, WRONG == 7 ? 0x7531 : 0x7632);

    // The z-array: s1 is exchanged with r0.
    //   simd:      i2 i0
    //   register:  i1
    out[threadIdx.x + 64] = make_uint2(z0, z1);
}

// The array a[row,col] has shape (32,32).
template <int WRONG>
__global__ void __launch_bounds__(1024) tile(const float *a, float *b)
{
    // The array a[row,col] has shape (32,32).
    __shared__ float t[32][33];
    float x = a[threadIdx.y * 32 + threadIdx.x] * 0.5f;
    // x is scaled, and lies as in memory
    //   thread: col4 col3 col2 col1 col0
    //   warp:   row4 row3 row2 row1 row0
    t[threadIdx.y][threadIdx.x] = x;
    __syncthreads();
    float y = t[threadIdx.x][threadIdx.y ^ (WRONG == 8 ? 1 : 0)];
    // y is the transpose
    //   thread: row4 row3 row2 row1 row0
    //   warp:   col4 col3 col2 col1 col0
    b[threadIdx.y * 32 + threadIdx.x] = y;
}

// Complex numbers; which are converted, of several blocks and in a loop.
__global__ void __launch_bounds__(256) complex(const __half2 *p, float2 *out, int n)
{
    for (int k = 0; k < n; k++) {
        __half2 z = p[(blockIdx.x * n + k) * 256 + threadIdx.x];
        // z, complex numbers
        //   simd:    s0 <-> ReIm
        //   thread:  t4 t3 t2 t1 t0 <-> f4 f3 f2 f1 f0
        //   warp:    f7 f6 f5
        float2 w = __half22float2(z);
        // w has a register for each part
        //   register: ReIm
        //   thread:   f4 f3 f2 f1 f0
        //   warp:     f7 f6 f5
        out[(blockIdx.x * n + k) * 256 + threadIdx.x] = w;
    }
}

template <int WRONG>
__global__ void __launch_bounds__(1024) offsets(float *p, float *out)
{
    // Apply per-block offset
    //   before: shape (32,128,1024), contiguous
    //   after: shape (32,32), strides (128*1024, 1)

    p += (blockIdx.x * (WRONG == 10 ? 512 : 1024)) + (blockIdx.y * (WRONG == 11 ? 64 : 32));

    // Apply per-warp offset
    //   before: shape=(32,32), strides (128*1024, 1)
    //   after: shape=(32,), contiguous

    p += (threadIdx.y * (WRONG == 12 ? 1 : 128) * 1024) + (WRONG == 13 ? threadIdx.x & 1 : 0);

    // In this example, we choose to apply the per-thread offset
    // when the pointer is dereferenced.

    float x = p[WRONG == 14 ? threadIdx.x + 1 : threadIdx.x];

    if (x == 7)
        out[0] = x;
}

__global__ void __launch_bounds__(64) odd(const int *p, int *out)
{
    int x = p[threadIdx.x] + p[threadIdx.x + 1];
    // x is made of two elements
    //   thread: t4 t3 t2 t1 t0 <-> e4 e3 e2 e1 e0
    int y = p[threadIdx.x * 3];
    // y has no more than that
    //   regsiter: r0 <-> e5
    //   thread:   t4 t3 t2 t1 t0 <-> e4 e3 e2 e1 e0
    int z = __shfl(y, 5);
    // z: copies
    //   thread:   * * * * *
    //   warp:     e0
    if (out[1] == 77) {
        int q = p[3];
        // q is never there
        //   thread: e0
        out[2] = q;
    }
    // the zebra has stripes
    //   thread: e0
    out[threadIdx.x] = x + y + z;
}

template <int WRONG>
static void run(char *p, char *o)
{
    if (WRONG < 6)
        halves<WRONG><<<1, dim3(32, 16)>>>((__half *)p, (__half2 *)o);
    if (WRONG == 0 || WRONG == 6 || WRONG == 7)
        bytes<WRONG><<<1, 64>>>((uint2 *)p, (uint2 *)o);
    if (WRONG == 0 || WRONG == 8)
        tile<WRONG><<<1, dim3(32, 32)>>>((float *)p, (float *)o);
    if (WRONG == 0)
        complex<<<2, 256>>>((__half2 *)p, (float2 *)o, 3);
    if (WRONG == 0 || WRONG >= 10)
        offsets<WRONG><<<dim3(128, 32), dim3(32, 32)>>>((float *)p, (float *)o);
}

int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0;
    char *p, *o;

    if (hipMalloc((void **)&p, (4 << 22) + 4096) || hipMalloc((void **)&o, 1 << 16) ||
        hipMemset(p, 0, 4 << 22) || hipMemset(o, 0, 1 << 16))
        return 2;
    switch (which) {
#define CASE(n) case n: run<n>(p, o); break;
        CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
        CASE(10) CASE(11) CASE(12) CASE(13) CASE(14)
    case 20: odd<<<1, 64>>>((int *)p, (int *)o); break;
    case 21: halves<0><<<1, dim3(32, 16)>>>((__half *)p, (__half2 *)o); break;
    }
    if (hipGetLastError() || hipDeviceSynchronize())
        return 3;
    std::printf("it ran\n");
    return 0;
}
