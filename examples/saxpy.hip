/* SPDX-License-Identifier: MIT */
/* y = a x + y, the smallest program that does something: memory, copies, a launch. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

__global__ void
saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] += a * x[i];
}

int
main()
{
    const int n = 1 << 20;
    std::vector<float> x(n), y(n), result(n);
    float *dx, *dy;
    Random random;

    for (int i = 0; i < n; i++) {
        x[i] = random.next();
        y[i] = random.next();
    }
    print_device();
    HIP_CHECK(hipMalloc(&dx, n * sizeof(float)));
    HIP_CHECK(hipMalloc(&dy, n * sizeof(float)));
    HIP_CHECK(hipMemcpy(dx, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(dy, y.data(), n * sizeof(float), hipMemcpyHostToDevice));

    saxpy<<<(n + 255) / 256, 256>>>(n, 2.5f, dx, dy);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), dy, n * sizeof(float), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(dx));
    HIP_CHECK(hipFree(dy));

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += std::abs(result[i] - (2.5f * x[i] + y[i])) > 1e-6f;
    std::printf("   %d numbers, %d wrong\n", n, wrong);
    return verdict(wrong == 0, "2.5 x + y");
}
