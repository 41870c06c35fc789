/* SPDX-License-Identifier: MIT */
/* Cooperative groups: a whole grid that waits for itself between the steps of one kernel, and tiles
 * of a warp that add by themselves. The largest difference of neighbours in a ring is smoothed
 * away. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <hip/hip_cooperative_groups.h>

#include <cmath>
#include <vector>

namespace cg = cooperative_groups;

constexpr int N = 4096, STEPS = 50;

__global__ void
smooth(float *a, float *b, float *sum)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    float v = 0;

    for (int s = 0; s < STEPS; s++) {
        for (unsigned i = grid.thread_rank(); i < N; i += grid.size())
            b[i] = 0.25f * a[(i + N - 1) % N] + 0.5f * a[i] + 0.25f * a[(i + 1) % N];
        grid.sync(); /* all of b is there, in all blocks */
        float *t = a;
        a = b;
        b = t;
    }
    for (unsigned i = grid.thread_rank(); i < N; i += grid.size())
        v += a[i];
    for (int d = tile.size() / 2; d > 0; d /= 2)
        v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0)
        atomicAdd(sum, v);
}

int
main()
{
    std::vector<float> a(N), b(N), result(N);
    float *da, *db, *dsum, sum = 0, worst = 0;
    double expected = 0;
    Random random;

    for (float &v : a)
        expected += v = random.next();
    print_device();
    HIP_CHECK(hipMalloc(&da, N * sizeof(float)));
    HIP_CHECK(hipMalloc(&db, N * sizeof(float)));
    HIP_CHECK(hipMalloc(&dsum, sizeof(float)));
    HIP_CHECK(hipMemcpy(da, a.data(), N * sizeof(float), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(dsum, 0, sizeof(float)));

    void *args[] = {&da, &db, &dsum};
    HIP_CHECK(
        hipLaunchCooperativeKernel((const void *)smooth, dim3(8), dim3(128), args, 0, nullptr));
    HIP_CHECK(
        hipMemcpy(result.data(), STEPS % 2 ? db : da, N * sizeof(float), hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpy(&sum, dsum, sizeof(float), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(da));
    HIP_CHECK(hipFree(db));
    HIP_CHECK(hipFree(dsum));

    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < N; i++)
            b[i] = 0.25f * a[(i + N - 1) % N] + 0.5f * a[i] + 0.25f * a[(i + 1) % N];
        a.swap(b);
    }
    for (int i = 0; i < N; i++)
        worst = std::fmax(worst, std::fabs(a[i] - result[i]));
    std::printf("   sum %.2f before, %.2f after %d steps; largest difference %.1e\n", expected, sum,
                STEPS, worst);
    return verdict(worst < 1e-5f && std::fabs(sum - expected) < 0.1, "ring");
}
