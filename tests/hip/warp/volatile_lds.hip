/* SPDX-License-Identifier: MIT */
/* Lanes that talk through volatile LDS without barriers: each statement ends for all lanes before
 * the next begins, also where the compiler could know the outcome of later tests for some of
 * them. */
// SCALAR: no, lanes of a warp talk without barriers
#include "../check.h"

#define GROUP 3
#define BLOCK 128

__global__ void
group_scan(const int *in, int *inclusive, int *exclusive, int *total)
{
    __shared__ volatile int all[BLOCK + GROUP];
    const unsigned i = threadIdx.x, lane = i % warpSize, lid = lane % GROUP;
    volatile int *mine = all + (i - lid);
    int sum = in[i];

    mine[lid] = sum;
    for (unsigned d = 1; d < GROUP; d *= 2)
        if (lid >= d) {
            sum += mine[lid - d];
            mine[lid] = sum;
        }
    int last = mine[GROUP - 1]; /* lane 0 knows that it is in none of the tests around this */
    int before = 0;
    if (lid != 0)
        before = mine[lid - 1];
    inclusive[i] = sum;
    exclusive[i] = before;
    total[i] = last;
}

__global__ void
last_says(const int *in, int *out)
{
    __shared__ volatile int word;
    const bool leads = threadIdx.x % warpSize == 0;

    word = -1;
    if (!leads)
        word = in[threadIdx.x];
    __threadfence_block();
    int seen = word;
    out[threadIdx.x] = leads ? seen : seen + 1;
}

int
main()
{
    int in[BLOCK], inclusive[BLOCK], exclusive[BLOCK], total[BLOCK];
    int *d;

    for (int i = 0; i < BLOCK; i++)
        in[i] = i * i % 23 + 1;
    CHECK_HIP(hipMalloc((void **)&d, 4 * sizeof(in)));
    CHECK_HIP(hipMemcpy(d, in, sizeof(in), hipMemcpyHostToDevice));
    group_scan<<<1, BLOCK>>>(d, d + BLOCK, d + 2 * BLOCK, d + 3 * BLOCK);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(inclusive, d + BLOCK, sizeof(in), hipMemcpyDeviceToHost));
    CHECK_HIP(hipMemcpy(exclusive, d + 2 * BLOCK, sizeof(in), hipMemcpyDeviceToHost));
    CHECK_HIP(hipMemcpy(total, d + 3 * BLOCK, sizeof(in), hipMemcpyDeviceToHost));
    for (int first = 0; first <= 32 - GROUP; first += GROUP) {
        int sum = 0, all = 0;

        for (int i = first; i < first + GROUP; i++)
            all += in[i];
        for (int i = first; i < first + GROUP; i++) {
            if (exclusive[i] != sum)
                FAIL("exclusive[%d] = %d, expected %d", i, exclusive[i], sum);
            sum += in[i];
            if (inclusive[i] != sum)
                FAIL("inclusive[%d] = %d, expected %d", i, inclusive[i], sum);
            if (total[i] != all)
                FAIL("total[%d] = %d, expected %d", i, total[i], all);
        }
    }

    hipDeviceProp_t p;
    CHECK_HIP(hipGetDeviceProperties(&p, 0));
    last_says<<<1, p.warpSize>>>(d, d + BLOCK);
    CHECK_RUN();
    CHECK_HIP(hipMemcpy(total, d + BLOCK, p.warpSize * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 1; i < p.warpSize; i++)
        if (total[i] != total[0] + 1 || total[0] == -1)
            FAIL("lane %d saw %d, lane 0 %d", i, total[i] - 1, total[0]);
    return 0;
}
