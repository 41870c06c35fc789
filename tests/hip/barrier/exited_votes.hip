/* SPDX-License-Identifier: MIT */
/* Threads that skip a barrier wait where the others join them: what the lanes do together there is
 * done once, behind the barrier. */
#include "../check.h"

#define BLOCK 160

__global__ void
votes(const int *in, int *out, uint64_t *together, int n)
{
    __shared__ int copy[BLOCK];
    int i = (int)threadIdx.x;

    if (i < n) {
        copy[i] = in[i];
        __syncthreads();
        out[i] = copy[n - 1 - i];
    }
    together[i] = __ballot(1);
}

int
main()
{
    const int warp = host_warp_size(), n = BLOCK - 13 - warp;
    std::vector<int> in = map_input(BLOCK), want(BLOCK);
    std::vector<uint64_t> lanes(BLOCK);
    Dev<int> din(in), out(BLOCK);
    Dev<uint64_t> together(BLOCK);

    for (int i = 0; i < BLOCK; i++) {
        int left = BLOCK - i / warp * warp;

        want[i] = i < n ? in[n - 1 - i] : 0;
        lanes[i] = ~0ull >> (64 - (left < warp ? left : warp));
    }
    votes<<<1, BLOCK>>>(din, out, together, n);
    check_same("values", out.get(), want);
    check_same("lanes that vote", together.get(), lanes);
    return 0;
}
