/* SPDX-License-Identifier: MIT */
/* Blocks of several rows whose threads never ask for theirs: each row does the same, as rows in
 * step would. What threads count together, or tell each other, they still do each for itself. */
#include "../check.h"

enum { N = 200, STEPS = 37 };

__global__ void
add_in_memory(int *sum, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        for (int j = 0; j < STEPS; j++)
            sum[i] += in[j] * (int)(blockDim.y + blockDim.z);
}

__global__ void
count(unsigned *n, unsigned *per_row, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < limit) {
        atomicAdd(n, 1u);
        atomicAdd(&per_row[i], 1u);
    }
}

__global__ void
by_depth(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i + n * threadIdx.z] += 5;
}

__global__ void
by_shared(int *out)
{
    __shared__ int arrived;

    if (threadIdx.x == 0)
        arrived = 0;
    __syncthreads();
    atomicAdd(&arrived, 1);
    __syncthreads();
    out[threadIdx.x] = arrived;
}

__global__ void
by_vote(int *out)
{
    out[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0);
}

__global__ void
private_rows(int *out, int n)
{
    int own[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; k < 8; k++)
        own[k] = i * k;
    for (int k = 0; k < n; k++)
        own[(i + k) & 7] += k;
    out[i] += own[i & 7];
}

static int in[STEPS];

static void
check_shape(dim3 block)
{
    unsigned blocks = (N + block.x - 1) / block.x, threads = block.x * block.y * block.z;
    unsigned rows = block.y * block.z, all = blocks * block.x;
    int total = 0, *d_in, *d_out;
    std::vector<int> out(2048), sum(N);
    std::vector<unsigned> counted(N + 1);

    for (int j = 0; j < STEPS; j++)
        total += (in[j] = j * j - 11) * (int)(block.y + block.z);
    CHECK_HIP(hipMalloc(&d_in, sizeof(in)));
    CHECK_HIP(hipMalloc(&d_out, 2048 * sizeof(int)));
    CHECK_HIP(hipMemcpy(d_in, in, sizeof(in), hipMemcpyHostToDevice));
    for (int i = 0; i < N; i++)
        sum[i] = i;
    CHECK_HIP(hipMemcpy(d_out, sum.data(), N * sizeof(int), hipMemcpyHostToDevice));
    add_in_memory<<<blocks, block>>>(d_out, d_in, N);
    CHECK_HIP(hipMemcpy(sum.data(), d_out, N * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) { /* once, or some rows after each other */
        int times = (sum[i] - i) / total;

        CHECK(times >= 1 && times <= (int)rows && sum[i] == i + times * total);
    }
    CHECK_HIP(hipMemset(d_out, 0, 2048 * sizeof(int)));
    count<<<blocks, block>>>((unsigned *)d_out, (unsigned *)d_out + 1, N);
    CHECK_HIP(hipMemcpy(counted.data(), d_out, (N + 1) * sizeof(int), hipMemcpyDeviceToHost));
    CHECK(counted[0] == N * rows);
    for (int i = 0; i < N; i++)
        CHECK(counted[i + 1] == rows);
    CHECK_HIP(hipMemset(d_out, 0, 2048 * sizeof(int)));
    if (block.z > 1) {
        by_depth<<<blocks, block>>>(d_out, N);
        CHECK_HIP(hipMemcpy(out.data(), d_out, 2048 * sizeof(int), hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < N * block.z; i++)
            CHECK(out[i] >= 5 && out[i] <= 5 * (int)block.y);
    }
    by_shared<<<1, block>>>(d_out);
    CHECK_HIP(hipMemcpy(out.data(), d_out, block.x * sizeof(int), hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < block.x; i++)
        CHECK(out[i] == (int)threads);
    by_vote<<<1, block>>>(d_out);
    CHECK_HIP(hipMemcpy(out.data(), d_out, block.x * sizeof(int), hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < block.x; i++)
        CHECK(out[i] == (int)((block.x + 2) / 3 * rows));
    CHECK_HIP(hipMemset(d_out, 0, 2048 * sizeof(int)));
    private_rows<<<blocks, block>>>(d_out, 19);
    CHECK_HIP(hipMemcpy(out.data(), d_out, all * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < (int)all; i++) {
        int own[8], times;

        for (int k = 0; k < 8; k++)
            own[k] = i * k;
        for (int k = 0; k < 19; k++)
            own[(i + k) & 7] += k;
        times = own[i & 7] ? out[i] / own[i & 7] : 0;
        CHECK(out[i] == times * own[i & 7] && times <= (int)rows);
        CHECK(times >= 1 || own[i & 7] == 0);
    }
    CHECK_HIP(hipFree(d_in));
    CHECK_HIP(hipFree(d_out));
}

int
main()
{
    const dim3 shapes[] = {dim3(32, 8), dim3(64, 4), dim3(32, 1, 4), dim3(32, 2, 2),
                           dim3(16, 8), dim3(8, 8),  dim3(96, 3),    dim3(128, 8)};

    for (const dim3 &block : shapes)
        check_shape(block);
    return 0;
}
