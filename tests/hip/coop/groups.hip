/* SPDX-License-Identifier: MIT */
/* thread_block and tiles: ranks, sync, shuffles in tiles, reductions. */
#include <hip/hip_cooperative_groups.h>

#include "../check.h"

namespace cg = cooperative_groups;

template <typename Group>
__device__ int
group_sum(Group g, int *scratch, int v)
{
    int lane = (int)g.thread_rank();

    for (int d = (int)g.size() / 2; d > 0; d /= 2) {
        scratch[lane] = v;
        g.sync();
        if (lane < d)
            v += scratch[lane + d];
        g.sync();
    }
    return v;
}

__global__ void
groups(int *out, const int *in)
{
    __shared__ int scratch[256];
    cg::thread_block block = cg::this_thread_block();
    unsigned i = global_id();
    int v = in[i] & 1023;
    int *o = out + 6 * (size_t)i;

    o[0] = (int)block.thread_rank();
    o[1] = (int)block.size();
    int sum = group_sum(block, scratch, v);
    if (block.thread_rank() == 0)
        scratch[0] = sum;
    block.sync();
    o[2] = scratch[0];
    block.sync();
    auto tile = cg::tiled_partition<16>(block);
    int s = v;
    for (int d = 8; d > 0; d /= 2)
        s += tile.shfl_down(s, d);
    o[3] = tile.shfl(s, 0);
    o[4] = (int)tile.thread_rank() + 100 * (int)tile.size();
    o[5] = tile.shfl_xor(v, 5);
    tile.sync();
}

int
main()
{
    const unsigned blocks = 3;

    for (dim3 b : {dim3(64), dim3(256), dim3(16, 16)}) {
        unsigned t = threads_of(b), n = t * blocks;
        std::vector<int> in = map_input(n), want(6 * n);
        Dev<int> din(in), out(6 * n);
        for (unsigned i = 0; i < n; i++) {
            unsigned first = i / t * t, tile = i / 16 * 16;
            int sum = 0, part = 0;
            for (unsigned k = 0; k < t; k++)
                sum += in[first + k] & 1023;
            for (unsigned k = 0; k < 16; k++)
                part += in[tile + k] & 1023;
            int w[6] = {(int)(i - first), (int)t, sum, part, (int)(i % 16) + 1600, in[i ^ 5] & 1023};
            memcpy(&want[6 * i], w, sizeof(w));
        }
        groups<<<blocks, b>>>(out, din);
        check_same("groups", out.get(), want);
    }
    return 0;
}
