/* SPDX-License-Identifier: MIT */
/* Groups that work together: partitions by a predicate and by label, reductions, scans, votes and
 * matches of ranks, copies; warp reductions of every type over part of a warp. */
// OPT: -O3
// ISA: avx512 avx2
#include "../check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

static const int ROW = 24;

struct pair {
    int x;
    double y;
};

template <unsigned size>
__device__ void
tiles(int *o, int v)
{
    auto tile = cg::tiled_partition<size>(cg::this_thread_block());
    o[0] = cg::reduce(tile, v, cg::plus<int>());
    o[1] = cg::reduce(tile, v, cg::less<int>());
    o[2] = cg::inclusive_scan(tile, v);
    o[3] = cg::exclusive_scan(tile, v, cg::plus<int>());
    o[4] = cg::reduce(tile, v, [](int a, int b) { return a > b ? a : b; });
    o[5] = (int)(tile.ballot(v & 1) ^ tile.match_any(v & 3)) & 0xff;
}

__global__ void
collectives(int *out, const int *in)
{
    __shared__ int buffer[256];
    int i = (int)global_id(), v = in[i] & 255, *o = out + ROW * (size_t)i;
    cg::thread_block block = cg::this_thread_block();

    tiles<4>(o, v);
    tiles<16>(o + 6, v);
    for (int k = 12; k < ROW; k++)
        o[k] = 0;
    if (v % 3) {
        cg::coalesced_group active = cg::coalesced_threads();
        o[12] = cg::reduce(active, v, cg::plus<int>());
        o[13] = cg::inclusive_scan(active, v);
        o[14] = cg::exclusive_scan(active, v, cg::plus<int>());
        cg::coalesced_group same = cg::labeled_partition(active, v % 5);
        o[15] = (int)same.size();
        o[16] = cg::reduce(same, v, cg::bit_xor<int>());
        cg::coalesced_group half = cg::binary_partition(active, v & 1);
        o[17] = (int)half.size();
        o[18] = (int)half.thread_rank();
    }
    auto eight = cg::tiled_partition<8>(block);
    cg::coalesced_group label = cg::labeled_partition(eight, (long)(v & 1));
    o[19] = (int)label.size();
    pair p = {v, v * 0.5}, q = eight.shfl(p, 3);
    o[20] = q.x + (int)(2 * q.y);
    cg::memcpy_async(block, buffer, in + blockIdx.x * blockDim.x, blockDim.x * sizeof(int));
    cg::wait(block);
    o[21] = buffer[blockDim.x - 1 - threadIdx.x];
    cg::thread_group dynamic = cg::tiled_partition(block, 8);
    o[22] = (int)(dynamic.size() * 100 + dynamic.thread_rank());
    cg::invoke_one(eight, [&] { o[23] = 7; });
}

template <typename T>
__global__ void
reductions(T *out, const int *in)
{
    int i = (int)global_id(), v = in[i] & 1023;
    unsigned long long mask = __ballot(v & 1);

    for (int k = 0; k < 3; k++)
        out[3 * i + k] = 0;
    if (v & 1) {
        out[3 * i] = __reduce_add_sync(mask, (T)v);
        out[3 * i + 1] = __reduce_min_sync(mask, (T)v);
        out[3 * i + 2] = __reduce_max_sync(mask, (T)v);
    }
}

template <typename T>
static void
check_reductions(const std::vector<int> &in, unsigned warp)
{
    unsigned n = (unsigned)in.size();
    Dev<int> din(in);
    Dev<T> out(3 * n);
    std::vector<T> want(3 * n, 0);

    reductions<T><<<n / 128, 128>>>(out, din);
    for (unsigned i = 0; i < n; i++) {
        T sum = 0, low = 2000, high = 0;
        for (unsigned k = i / warp * warp; k < i / warp * warp + warp; k++) {
            T v = (T)(in[k] & 1023);
            if (in[k] & 1) {
                sum += v;
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
        }
        if (in[i] & 1) {
            want[3 * i] = sum;
            want[3 * i + 1] = low;
            want[3 * i + 2] = high;
        }
    }
    check_same("reductions", out.get(), want);
}

static void
tile_row(int *o, const std::vector<int> &in, unsigned i, unsigned size)
{
    unsigned first = i / size * size, ballot = 0, match = 0;
    int sum = 0, low = 255, high = 0, below = 0;

    for (unsigned k = first; k < first + size; k++) {
        int v = in[k] & 255;
        sum += v;
        low = v < low ? v : low;
        high = v > high ? v : high;
        if (k < i)
            below += v;
        ballot |= (unsigned)(v & 1) << (k - first);
        match |= (unsigned)((v & 3) == (in[i] & 3)) << (k - first);
    }
    int row[6] = {sum, low, below + (in[i] & 255), below, high, (int)((ballot ^ match) & 0xff)};
    memcpy(o, row, sizeof(row));
}

int
main()
{
    const unsigned warp = (unsigned)host_warp_size(), n = 512, block = 128;
    std::vector<int> in = map_input(n), want(ROW * n, 0);
    Dev<int> din(in), out(ROW * n);

    for (unsigned i = 0; i < n; i++) {
        int *o = &want[ROW * i], v = in[i] & 255;
        tile_row(o, in, i, 4);
        tile_row(o + 6, in, i, 16);
        if (v % 3) {
            for (unsigned k = i / warp * warp; k < i / warp * warp + warp; k++) {
                int u = in[k] & 255;
                if (u % 3 == 0)
                    continue;
                o[12] += u;
                o[13] += k <= i ? u : 0;
                o[14] += k < i ? u : 0;
                o[15] += u % 5 == v % 5;
                o[16] ^= u % 5 == v % 5 ? u : 0;
                o[17] += (u & 1) == (v & 1);
                o[18] += k < i && (u & 1) == (v & 1);
            }
        }
        for (unsigned k = i / 8 * 8; k < i / 8 * 8 + 8; k++)
            o[19] += (in[k] & 1) == (v & 1);
        o[20] = 2 * (in[i / 8 * 8 + 3] & 255);
        o[21] = in[i / block * block + block - 1 - i % block];
        o[22] = 800 + (int)(i % 8);
        o[23] = i % 8 == 0 ? 7 : 0;
    }
    collectives<<<n / block, block>>>(out, din);
    check_same("collectives", out.get(), want);
    check_reductions<int>(in, warp);
    check_reductions<unsigned>(in, warp);
    check_reductions<long long>(in, warp);
    check_reductions<unsigned long long>(in, warp);
    check_reductions<float>(in, warp);
    check_reductions<double>(in, warp);
    return 0;
}
