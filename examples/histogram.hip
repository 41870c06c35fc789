/* SPDX-License-Identifier: MIT */
/* How often each byte occurs: blocks count in shared memory, and add what they have at their end.
 */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

__global__ void
histogram(const unsigned char *in, int n, unsigned *bins)
{
    __shared__ unsigned local[256];

    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    if (local[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int
main()
{
    const int n = 1 << 23;
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned> expected(256), result(256);
    unsigned char *in;
    unsigned *bins, most = 0;
    Random random;

    for (unsigned char &b : bytes) { /* the sum of four dice: most are in the middle */
        float v = random.next() + random.next() + random.next() + random.next();
        expected[b = (unsigned char)(v * 63.9f)]++;
    }
    print_device();
    HIP_CHECK(hipMalloc(&in, n));
    HIP_CHECK(hipMalloc(&bins, 256 * sizeof(unsigned)));
    HIP_CHECK(hipMemcpy(in, bytes.data(), n, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemset(bins, 0, 256 * sizeof(unsigned)));
    histogram<<<64, 256>>>(in, n, bins);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), bins, 256 * sizeof(unsigned), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(bins));

    for (unsigned count : result)
        most = count > most ? count : most;
    for (int row = 8; row > 0; row--) {
        std::printf("   ");
        for (int b = 0; b < 256; b += 4)
            std::putchar(result[b] * 8ull >= (unsigned long long)most * row ? '#' : ' ');
        std::putchar('\n');
    }
    return verdict(result == expected, "counts");
}
