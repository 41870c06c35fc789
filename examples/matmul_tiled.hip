/* SPDX-License-Identifier: MIT */
/* C = A * B for 1024 x 1024 floats, by 16 x 16 tiles in shared memory; every element is checked in
 * double. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <vector>

constexpr int N = 1024;
constexpr int TILE = 16;

__global__ void
matmul(const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;

    for (int t = 0; t < N / TILE; t++) {
        tile_a[ty][tx] = a[row * N + t * TILE + tx];
        tile_b[ty][tx] = b[(t * TILE + ty) * N + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[row * N + col] = sum;
}

/* Largest error of any element, relative to the sum of the magnitudes that went into it. */
static double
worst_error(const std::vector<float> &a, const std::vector<float> &b, const std::vector<float> &c)
{
    double worst = 0;
    std::vector<double> row(N), magnitude(N);

    for (int i = 0; i < N; i++) {
        row.assign(N, 0.0);
        magnitude.assign(N, 0.0);
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) {
                double p = (double)a[i * N + k] * b[k * N + j];
                row[j] += p;
                magnitude[j] += std::fabs(p);
            }
        for (int j = 0; j < N; j++) {
            double error = std::fabs(c[i * N + j] - row[j]) / (magnitude[j] + 1e-30);
            if (!(error <= worst)) /* catches NaN */
                worst = error;
        }
    }
    return worst;
}

int
main()
{
    const size_t bytes = sizeof(float) * N * N;
    std::vector<float> a(N * N), b(N * N), c(N * N);
    float *da, *db, *dc;
    Random random;

    for (auto &x : a)
        x = random.next() - 0.5f;
    for (auto &x : b)
        x = random.next() - 0.5f;
    print_device();
    HIP_CHECK(hipMalloc(&da, bytes));
    HIP_CHECK(hipMalloc(&db, bytes));
    HIP_CHECK(hipMalloc(&dc, bytes));
    HIP_CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));

    double best =
        best_seconds([&] { matmul<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(da, db, dc); });
    HIP_CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(da));
    HIP_CHECK(hipFree(db));
    HIP_CHECK(hipFree(dc));

    double error = worst_error(a, b, c);
    std::printf("   %d x %d matrices: %.2f ms, %.1f GFLOP/s, worst relative error %.2g\n", N, N,
                1e3 * best, 2e-9 * N * N * N / best, error);
    return verdict(error < 1e-5, "matrix product");
}
