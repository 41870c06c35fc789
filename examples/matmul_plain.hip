/* SPDX-License-Identifier: MIT */
/* C = A B as one writes it first: a thread for each element. matmul_tiled.hip and matmul_wmma.hip
 * do the same in better ways. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <vector>

__global__ void
multiply(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (x >= n || y >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

int
main()
{
    const int n = 500;
    const size_t bytes = (size_t)n * n * sizeof(float);
    std::vector<float> a((size_t)n * n), b(a), c(a);
    float *da, *db, *dc;
    double worst = 0;
    Random random;

    for (size_t i = 0; i < a.size(); i++) {
        a[i] = random.next();
        b[i] = random.next();
    }
    print_device();
    HIP_CHECK(hipMalloc(&da, bytes));
    HIP_CHECK(hipMalloc(&db, bytes));
    HIP_CHECK(hipMalloc(&dc, bytes));
    HIP_CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    double best = best_seconds([&] { multiply<<<grid, block>>>(da, db, dc, n); });
    HIP_CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(da));
    HIP_CHECK(hipFree(db));
    HIP_CHECK(hipFree(dc));

    for (int y = 0; y < n; y += 7)
        for (int x = 0; x < n; x++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)a[y * n + k] * b[k * n + x];
            worst = std::fmax(worst, std::fabs(sum - c[y * n + x]) / sum);
        }
    std::printf("   %d x %d matrices: %.2f ms, %.1f GFLOP/s, worst relative error %.2g\n", n, n,
                1e3 * best, 2e-9 * n * n * n / best, worst);
    return verdict(worst < 1e-5, "product");
}
