/* SPDX-License-Identifier: MIT */
/* A chain of short kernels is recorded once, as a graph, and launched many times with one call
 * each. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

__global__ void
twice_plus(int *p, int n, int c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        p[i] = (2 * p[i] + c) & 0xffff;
}

int
main()
{
    const int n = 4096, kernels = 20, rounds = 200;
    std::vector<int> numbers(n), result(n);
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    int *p, wrong = 0;

    for (int i = 0; i < n; i++)
        numbers[i] = i;
    print_device();
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipMalloc(&p, n * sizeof(int)));
    HIP_CHECK(hipMemcpy(p, numbers.data(), n * sizeof(int), hipMemcpyHostToDevice));

    HIP_CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (int k = 0; k < kernels; k++)
        twice_plus<<<(n + 255) / 256, 256, 0, stream>>>(p, n, k); /* recorded, not run */
    HIP_CHECK(hipStreamEndCapture(stream, &graph));
    HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    double start = seconds();
    for (int r = 0; r < rounds; r++)
        HIP_CHECK(hipGraphLaunch(exec, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    double took = seconds() - start;

    HIP_CHECK(hipMemcpy(result.data(), p, n * sizeof(int), hipMemcpyDeviceToHost));
    HIP_CHECK(hipGraphExecDestroy(exec));
    HIP_CHECK(hipGraphDestroy(graph));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipFree(p));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < kernels * rounds; k++)
            numbers[i] = (2 * numbers[i] + k % kernels) & 0xffff;
        wrong += numbers[i] != result[i];
    }
    std::printf("   %d kernels by %d launches: %.2f us a kernel\n", kernels * rounds, rounds,
                1e6 * took / (kernels * rounds));
    return verdict(wrong == 0, "numbers");
}
