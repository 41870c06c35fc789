/* SPDX-License-Identifier: MIT */
/* Heat in a square plate with cold edges, by finite differences. What begins as a sine falls by the
 * same factor in each step, which is known exactly. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <vector>

constexpr int N = 512, STEPS = 400;
constexpr double PI = 3.14159265358979323846, SPEED = 0.2;

__global__ void
step(const double *from, double *to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && x < N - 1 && y > 0 && y < N - 1) {
        const double *p = from + y * N + x;
        to[y * N + x] = *p + SPEED * (p[-1] + p[1] + p[-N] + p[N] - 4 * *p);
    }
}

int
main()
{
    const size_t bytes = (size_t)N * N * sizeof(double);
    std::vector<double> plate((size_t)N * N), result(plate);
    double *d[2], wave = 3 * PI / (N - 1), worst = 0;

    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            plate[(size_t)y * N + x] = std::sin(wave * x) * std::sin(wave * y);
    print_device();
    for (double *&p : d) {
        HIP_CHECK(hipMalloc(&p, bytes));
        HIP_CHECK(hipMemcpy(p, plate.data(), bytes, hipMemcpyHostToDevice));
    }
    double start = seconds();
    for (int s = 0; s < STEPS; s++)
        step<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(d[s % 2], d[(s + 1) % 2]);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    double took = seconds() - start;
    HIP_CHECK(hipMemcpy(result.data(), d[STEPS % 2], bytes, hipMemcpyDeviceToHost));
    for (double *p : d)
        HIP_CHECK(hipFree(p));

    double factor = 1 - 8 * SPEED * std::pow(std::sin(wave / 2), 2), left = std::pow(factor, STEPS);
    for (size_t i = 0; i < plate.size(); i++)
        worst = std::fmax(worst, std::fabs(result[i] - left * plate[i]));
    std::printf("   after %d steps %.4f of the heat is left; the largest error is %.1e; %.1f ms\n",
                STEPS, left, worst, 1e3 * took);
    return verdict(worst < 1e-10, "solution");
}
