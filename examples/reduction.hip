/* SPDX-License-Identifier: MIT */
/* The sum of many numbers: each thread adds some, warps add by shuffles, a block's warps through
 * shared memory, and blocks by one atomic operation each. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

__global__ void
sum(const int *in, int n, unsigned long long *total)
{
    __shared__ unsigned long long parts[32];
    unsigned long long v = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += (unsigned long long)in[i];
    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down(v, d);
    if (threadIdx.x % warpSize == 0)
        parts[threadIdx.x / warpSize] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / warpSize; w++)
            v += parts[w];
        atomicAdd(total, v);
    }
}

int
main()
{
    const int n = 10000000;
    std::vector<int> numbers(n);
    unsigned long long expected = 0, result, *total;
    int *in;

    for (int i = 0; i < n; i++)
        expected += numbers[i] = (int)((i * 2654435761u) >> 12);
    print_device();
    HIP_CHECK(hipMalloc(&in, n * sizeof(int)));
    HIP_CHECK(hipMalloc(&total, sizeof(*total)));
    HIP_CHECK(hipMemcpy(in, numbers.data(), n * sizeof(int), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(total, 0, sizeof(*total)));

    sum<<<256, 256>>>(in, n, total);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(&result, total, sizeof(result), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(total));

    std::printf("   the sum of %d numbers is %llu\n", n, result);
    return verdict(result == expected, "sum");
}
