// SPDX-License-Identifier: MIT
// Rows of a tile that are fetched into shared memory and read once may be read where they come
// from, but not what was written there since the fetch, nor where shared memory has changed.
#include "../check.h"

enum { TILE = 16, N = 48 };
enum mode { PLAIN, WRITTEN, TWICE, CHANGED, COUNTED, LAST, N_MODES };

template <int MODE>
__global__ void
product(float *c, const float *a, float *b, int *count, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;

    b += (size_t)blockIdx.y * n * n; /* each row of blocks has its own */
    for (int t = 0; t < n; t += TILE) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        if (MODE == WRITTEN) /* what another thread has fetched */
            b[(t + TILE - 1 - ty) * n + col] = -1;
        if (MODE == COUNTED)
            atomicAdd(count, 1);
        if (MODE == CHANGED) {
            bs[ty][tx] *= 2;
            __syncthreads();
        }
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        if (MODE == TWICE)
            sum += bs[3][tx] + bs[tx][3];
        __syncthreads();
        if (MODE == LAST) /* when all have read it */
            b[(t + ty) * n + col] = -1;
    }
    c[row * n + col] = sum;
}

template <int MODE>
static void
check()
{
    static float a[N * N], b[N / TILE * N * N], c[N * N];
    float *dev_a, *dev_b, *dev_c;
    int *count, counted;

    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i * 7 % 13 - 6);
        for (int k = 0; k < N / TILE; k++)
            b[k * N * N + i] = (float)((i * 5 + k) % 11 - 5);
    }
    CHECK_HIP(hipMalloc(&dev_a, sizeof(a)));
    CHECK_HIP(hipMalloc(&dev_b, sizeof(b)));
    CHECK_HIP(hipMalloc(&dev_c, sizeof(c)));
    CHECK_HIP(hipMalloc(&count, sizeof(int)));
    CHECK_HIP(hipMemset(count, 0, sizeof(int)));
    CHECK_HIP(hipMemcpy(dev_a, a, sizeof(a), hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(dev_b, b, sizeof(b), hipMemcpyHostToDevice));
    product<MODE><<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(dev_c, dev_a, dev_b, count, N);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(c, dev_c, sizeof(c), hipMemcpyDeviceToHost));
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            const float *of = b + y / TILE * N * N;
            float sum = 0;

            for (int k = 0; k < N; k++)
                sum += a[y * N + k] * of[k * N + x] * (MODE == CHANGED ? 2 : 1);
            for (int t = 0; t < N && MODE == TWICE; t += TILE)
                sum += of[(t + 3) * N + x] + of[(t + x % TILE) * N + x / TILE * TILE + 3];
            if (c[y * N + x] != sum)
                FAIL("mode %d: c[%d][%d] is %g, not %g", MODE, y, x, c[y * N + x], sum);
        }
    CHECK_HIP(hipMemcpy(b, dev_b, sizeof(b), hipMemcpyDeviceToHost));
    CHECK_HIP(hipMemcpy(&counted, count, sizeof(int), hipMemcpyDeviceToHost));
    for (size_t i = 0; i < sizeof(b) / sizeof(b[0]) && (MODE == WRITTEN || MODE == LAST); i++)
        CHECK(b[i] == -1);
    CHECK(counted == (MODE == COUNTED ? N * N * N / TILE : 0));
    CHECK_HIP(hipFree(dev_a));
    CHECK_HIP(hipFree(dev_b));
    CHECK_HIP(hipFree(dev_c));
    CHECK_HIP(hipFree(count));
}

int
main()
{
    check<PLAIN>();
    check<WRITTEN>();
    check<TWICE>();
    check<CHANGED>();
    check<COUNTED>();
    check<LAST>();
    return 0;
}
