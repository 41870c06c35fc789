/* SPDX-License-Identifier: MIT */
/* A grid-stride loop whose first index takes some bits of the warp's number: where the block has
 * no power of two of warps, or nobody knows how many, the last is not the one with the largest. */
#include "../check.h"

__global__ void
folded(int *out, const int *in, int n, int step, int mask)
{
    int t = (int)threadIdx.x, w = t / warpSize, sum = 0;
    int from = (int)blockIdx.x * 64 + (w & 3) * 40 + t % warpSize;

    for (int i = from; i < n; i += step)
        sum += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + mask;
}

__global__ void
halved(int *out, const int *in, int n, int step, int mask)
{
    int t = (int)threadIdx.x, w = t / warpSize, sum = 0;
    int from = (int)blockIdx.x * 64 + (w >> 1) * warpSize + (t % warpSize & 6);

    for (int i = from; i < n; i += step)
        sum += in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + mask;
}

static void
check(int warps, int n, int step)
{
    const int warp = host_warp_size(), block = warps * warp, grid = 2;
    std::vector<int> in(3000), want((size_t)(grid * block));
    Dev<int> out(want.size());

    for (int i = 0; i < 3000; i++)
        in[(size_t)i] = (int)(mix((uint32_t)i) & 0xffff);
    Dev<int> din(in);
    for (int kind = 0; kind < 2; kind++) {
        for (int k = 0; k < grid * block; k++) {
            int t = k % block, w = t / warp, from = k / block * 64;

            from += kind ? (w >> 1) * warp + (t % warp & 6) : (w & 3) * 40 + t % warp;
            want[(size_t)k] = 3;
            for (int i = from; i < n; i += step)
                want[(size_t)k] += in[(size_t)i];
        }
        if (kind)
            halved<<<grid, block>>>(out, din, n, step, 3);
        else
            folded<<<grid, block>>>(out, din, n, step, 3);
        check_same(kind ? "halved" : "folded", out.get(), want);
    }
}

int
main()
{
    for (int warps : {5, 3, 8})
        for (int n = 0; n < 3000; n += 61)
            check(warps, n, 700);
    setenv("LOCKSTEP_SHAPES", "0", 1); /* read at a launch */
    for (int warps : {6, 4, 7, 2})
        for (int n = 0; n < 3000; n += 61)
            check(warps, n, 700);
    return 0;
}
