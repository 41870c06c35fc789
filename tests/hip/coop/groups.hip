/* SPDX-License-Identifier: MIT */
/* thread_block and tiles: ranks, sync, shuffles in tiles, reductions. */
#include "../check.h"

#include <hip/hip_cooperative_groups.h>

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

/* Tiles of 64 of a coalesced group: one of all members, also where a warp has 32 lanes. */
__global__ void
wide_tiles(int *out)
{
    unsigned i = threadIdx.x;

    out[i] = -1;
    if (i % 3 == 1) {
        cg::coalesced_group some = cg::coalesced_threads();
        cg::coalesced_group all = cg::tiled_partition(some, 64),
                            four = cg::tiled_partition(some, 4);
        bool same = all.size() == some.size() && all.thread_rank() == some.thread_rank();
        out[i] = same ? (int)(some.size() * 100 + four.thread_rank()) : -2;
    }
}

static void
check_wide_tiles()
{
    const unsigned n = 128;
    Dev<int> out((size_t)n);
    std::vector<int> want(n, -1);

    for (unsigned first = 0; first < n; first += (unsigned)warpSize) {
        unsigned members = 0;
        for (unsigned i = first; i < first + (unsigned)warpSize; i++)
            members += i % 3 == 1;
        for (unsigned i = first, rank = 0; i < first + (unsigned)warpSize; i++)
            if (i % 3 == 1)
                want[i] = (int)(members * 100 + rank++ % 4);
    }
    wide_tiles<<<1, n>>>(out);
    CHECK_RUN();
    check_same("wide tiles", out.get(), want);
}

/* A thread_block_tile is a tiled_group; a grid's group_dim is that of its blocks. */
__global__ void
tiled_groups(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::tiled_group sixteen = cg::tiled_partition<16>(block),
                    four = cg::tiled_partition(sixteen, 4);
    cg::tiled_group two = cg::tiled_partition(cg::tiled_partition<8>(block), 2);

    out[global_id()] =
        (int)(sixteen.size() * 1000000 + sixteen.thread_rank() * 10000 + four.size() * 1000 +
              four.thread_rank() * 100 + two.size() * 10 + two.thread_rank()) +
        (int)cg::this_grid().group_dim().x * 100000000;
}

static void
check_tiled_groups()
{
    const unsigned t = 16, n = 3 * t;
    Dev<int> out((size_t)n);
    std::vector<int> want(n);

    for (unsigned i = 0; i < n; i++)
        want[i] =
            (int)(t * 100000000 + 16 * 1000000 + i % 16 * 10000 + 4000 + i % 4 * 100 + 20 + i % 2);
    tiled_groups<<<n / t, t>>>(out);
    CHECK_RUN();
    check_same("tiled groups", out.get(), want);
}

int
main()
{
    const unsigned blocks = 3;

    check_wide_tiles();
    check_tiled_groups();

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
            int w[6] = {(int)(i - first),     (int)t,          sum, part,
                        (int)(i % 16) + 1600, in[i ^ 5] & 1023};
            memcpy(&want[6 * i], w, sizeof(w));
        }
        groups<<<blocks, b>>>(out, din);
        check_same("groups", out.get(), want);
    }
    return 0;
}
