/* SPDX-License-Identifier: MIT */
/* Running sums of numbers of any count: blocks scan their parts, one block scans the parts' sums,
 * and each part has the sum of those in front of it added. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <vector>

constexpr int BLOCK = 512;

/* Running sums within a block; the block's sum to sums[blockIdx.x], if there is one. */
__global__ void
scan_parts(const unsigned *in, unsigned *out, int n, unsigned *sums)
{
    __shared__ unsigned s[2][BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x, from = 0;

    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        s[!from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = !from;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][t];
    if (sums && t == BLOCK - 1)
        sums[blockIdx.x] = s[from][t];
}

__global__ void
add_sums(unsigned *out, int n, const unsigned *sums)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

static void
scan(const unsigned *in, unsigned *out, int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    unsigned *sums = nullptr;

    if (blocks > 1)
        HIP_CHECK(hipMalloc(&sums, blocks * sizeof(unsigned)));
    scan_parts<<<blocks, BLOCK>>>(in, out, n, sums);
    if (blocks > 1) {
        scan(sums, sums, blocks);
        add_sums<<<blocks, BLOCK>>>(out, n, sums);
        HIP_CHECK(hipFree(sums)); /* waits for the kernels */
    }
    HIP_CHECK(hipGetLastError());
}

int
main()
{
    const int n = 3000001;
    std::vector<unsigned> numbers(n), result(n);
    unsigned *in, *out, running = 0;
    int wrong = 0;

    for (int i = 0; i < n; i++)
        numbers[i] = i % 7;
    print_device();
    HIP_CHECK(hipMalloc(&in, n * sizeof(unsigned)));
    HIP_CHECK(hipMalloc(&out, n * sizeof(unsigned)));
    HIP_CHECK(hipMemcpy(in, numbers.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
    scan(in, out, n);
    HIP_CHECK(hipMemcpy(result.data(), out, n * sizeof(unsigned), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(in));
    HIP_CHECK(hipFree(out));

    for (int i = 0; i < n; i++)
        wrong += result[i] != (running += numbers[i]);
    std::printf("   the last of %d running sums is %u\n", n, result[n - 1]);
    return verdict(wrong == 0, "running sums");
}
