/* SPDX-License-Identifier: MIT */
/* C = A B of 16-bit numbers by matrix instructions, through lockstep/wmma.h: each block is a warp,
 * and makes a tile of 16 x 16. The same source runs on the CPU, by AMD's WMMA and MFMA, and by
 * NVIDIA's mma.sync. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <lockstep/wmma.h>

#include <cmath>
#include <vector>

namespace wmma = lockstep::wmma;

__global__ void
multiply(const __half *a, const __half *b, float *c, int n)
{
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    auto sums = wmma::fill_c(0.0f);
    for (int k = 0; k < n; k += 16) {
        auto left = wmma::load_a(a + row * n + k, n, wmma::row_major());
        auto right = wmma::load_b(b + k * n + column, n, wmma::row_major());
        sums = wmma::mma(left, right, sums);
    }
    wmma::store_d(c + row * n + column, sums, n, wmma::row_major());
}

int
main()
{
    const int n = 256;
    int warp;
    const size_t count = (size_t)n * n;
    std::vector<__half> a(count), b(count);
    std::vector<float> c(count);
    __half *da, *db;
    float *dc;
    double worst = 0;
    Random random;

    for (size_t i = 0; i < count; i++) {
        a[i] = __float2half(random.next());
        b[i] = __float2half(random.next() - 0.5f);
    }
    print_device();
    HIP_CHECK(hipMalloc(&da, count * sizeof(__half)));
    HIP_CHECK(hipMalloc(&db, count * sizeof(__half)));
    HIP_CHECK(hipMalloc(&dc, count * sizeof(float)));
    HIP_CHECK(hipMemcpy(da, a.data(), count * sizeof(__half), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(db, b.data(), count * sizeof(__half), hipMemcpyHostToDevice));
    HIP_CHECK(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
    double best = best_seconds([&] { multiply<<<dim3(n / 16, n / 16), warp>>>(da, db, dc, n); });
    HIP_CHECK(hipMemcpy(c.data(), dc, count * sizeof(float), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(da));
    HIP_CHECK(hipFree(db));
    HIP_CHECK(hipFree(dc));

    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)__half2float(a[y * n + k]) * __half2float(b[k * n + x]);
            worst = std::fmax(worst, std::fabs(sum - c[y * n + x]));
        }
    std::printf("   %d x %d matrices: %.2f ms, %.1f GFLOP/s, worst error %.2g\n", n, n, 1e3 * best,
                2e-9 * n * n * n / best, worst);
    return verdict(worst < 1e-3, "product");
}
