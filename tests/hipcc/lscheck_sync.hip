/* SPDX-License-Identifier: MIT */
/* Misused barriers and operations of warps that lscheck finds, and their repaired twins: `bad` runs
 * the faults, `good` the twins, of the cases that are named, else of all. A fault's reports stand
 * at the lines that are marked for it: FAULT, name, kind. */
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

enum { BLOCK = 128, WORDS = 1 << 16 };

static constexpr unsigned long long ALL = ~0ull;

/* ---- Masks ---- */

template <bool good>
__global__ void
half_votes(int *v, int n)
{
    int t = threadIdx.x, any = 0;
    unsigned long long mask = good ? 0x0000ffff0000ffffull : ALL;

    if (t % 32 < 16)
        any = __any_sync(mask, v[t] > n); // FAULT half-votes mask-not-met
    v[t] = any;
}

template <bool good>
__global__ void
not_named(int *v, int n)
{
    int t = threadIdx.x;
    unsigned long long mask = good ? ALL : 0x7fffffff7fffffffull;

    v[t] = (int)__ballot_sync(mask, v[t] > n); // FAULT not-named mask-without-caller
}

/* The others have returned. */
template <bool good>
__global__ void
returned(int *v, int n)
{
    int t = threadIdx.x, x = v[t];

    if (!good && t >= 100)
        return;
    if (t < 100 || good)
        x = __shfl_down_sync(ALL, x, 1); // FAULT returned mask-not-met
    if (t < 31)
        v[t] = x;
}

/* Two places are no meeting. */
template <bool good>
__global__ void
two_places(int *v, int n)
{
    int t = threadIdx.x;
    bool odd = t & 1;

    if (odd) {
        v[t] = 1;
        __syncwarp(good ? 0xaaaaaaaaaaaaaaaaull : ALL); // FAULT two-places mask-not-met
        v[t] += v[t ^ 2];
    } else {
        v[t] = 2;
        __syncwarp(good ? 0x5555555555555555ull : ALL); // FAULT two-places mask-not-met
        v[t] += v[t ^ 2];
    }
}

/* A mask that was right before the branch. */
template <bool good>
__global__ void
old_mask(int *v, int n)
{
    int t = threadIdx.x;
    unsigned long long mask = __activemask();

    if (v[t] + t > n + 7) {
        if (good)
            mask = __activemask();
        v[t] = __reduce_add_sync(mask, t); // FAULT old-mask mask-not-met
    }
}

template <bool good>
__global__ void
different(int *v, int n)
{
    int t = threadIdx.x;
    unsigned long long mask =
        good ? ALL : 0xffffull << (t & 16) | 0xffffull << (t & 16) << 32 | (t == 16);

    v[t] = __shfl_xor_sync(mask, t, 1); // FAULT different mask-not-met
}

template <bool good>
__global__ void
loop_of_some(int *v, int n)
{
    int t = threadIdx.x, x = 0;

    for (int i = good ? 0 : t % 3; i < 3; i++)
        x += __match_any_sync(ALL, i + n) != 0; // FAULT loop-of-some mask-not-met
    v[t] = x;
}

template <bool good>
__global__ void
match_all(int *v, int n)
{
    int t = threadIdx.x, same = 0;

    if (good || t != 3)
        __match_all_sync(ALL, n, &same); // FAULT match-all mask-not-met
    v[t] = same;
}

/* One lane alone asks all. */
template <bool good>
__global__ void
leader(int *v, int n)
{
    int t = threadIdx.x, x = t;

    if (good || t % 32 == 0)
        x = __all_sync(ALL, n > 0); // FAULT leader mask-not-met
    v[t] = x;
}

static __device__ int
warp_max(int x)
{
    for (int by = 16; by > 0; by /= 2) {
        int other = __shfl_xor_sync(ALL, x, by); // FAULT called-by-some inactive-lane
        x = other > x ? other : x;
    }
    return x;
}

template <bool good>
__global__ void
called_by_some(int *v, int n)
{
    int t = threadIdx.x;
    int x = v[t];

    if (good || t < 40)
        x = warp_max(x); // FAULT called-by-some mask-not-met

    if (t % 32 == 0)
        v[t] = x;
}

/* ---- Groups ---- */

template <bool good>
__global__ void
part_of_a_tile(int *v, int n)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());

    if (good ? tile.meta_group_rank() == 0 : tile.thread_rank() < 8) {
        v[threadIdx.x] = n;
        tile.sync(); // FAULT part-of-a-tile mask-not-met
    }
}

template <class Tile>
static __device__ int
eight(Tile tile, int x)
{
    return cg::reduce(tile, x, cg::plus<int>()); // FAULT tile-sum inactive-lane
}

template <bool good>
__global__ void
tile_sum(int *v, int n)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, x = 0;

    if (good || t != 20)
        x = eight(tile, t); // FAULT tile-sum mask-not-met
    if (tile.thread_rank() == 0)
        v[t] = x;
}

template <bool good>
__global__ void
part_of_coalesced(int *v, int n)
{
    int t = threadIdx.x;

    if (t % 3 == 0) {
        auto group = cg::coalesced_threads();

        if (good || t % 2 == 0)
            group.sync(); // FAULT part-of-coalesced mask-not-met
        v[t] = group.size();
    }
}

template <bool good>
__global__ void
tile_vote(int *v, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;

    if (good || t % 32 < n + 20)
        v[t] = tile.any(v[t] == 3); // FAULT tile-vote mask-not-met
}

template <bool good>
__global__ void
any_group(int *v, int n)
{
    cg::thread_group group = cg::tiled_partition(cg::this_thread_block(), 4);

    if (good || threadIdx.x % 4 > 0)
        group.sync(); // FAULT any-group mask-not-met
    v[threadIdx.x] = n;
}

/* ---- What shuffles read ---- */

template <bool good>
__global__ void
inactive(int *v, int n)
{
    int t = threadIdx.x, x = v[t];

    if (good) {
        int y = __shfl_xor(x, 16);
        if (t % 32 < 16)
            v[t] = y;
    } else if (t % 32 < 16) {
        v[t] = __shfl_xor(x, 16); // FAULT inactive inactive-lane
    }
}

/* A sum over a warp of which the block has a part only. */
template <bool good>
__global__ void
short_warp(int *v, int n)
{
    int t = threadIdx.x, x = v[t];

    for (int by = 16; by > 0; by /= 2) {
        int y = __shfl_down(x, by); // FAULT short-warp inactive-lane
        if (!good || t + by < 40)
            x += y;
    }
    if (t % 32 == 0)
        v[t] = x;
}

/* Lanes behind the end don't take part, but are read. */
template <bool good>
__global__ void
guarded_sum(int *v, int n)
{
    int t = threadIdx.x, x = 0;

    if (t < 50)
        x = v[t];
    if (good || t < 50)
        for (int by = 16; by > 0; by /= 2)
            x += __shfl_down(x, by, 32); // FAULT guarded-sum inactive-lane
    if (t % 32 == 0)
        v[t] = x;
}

/* What nobody looks at does no harm: lane 0 has the sum of the first half. */
template <bool good>
__global__ void
unused(int *v, int n)
{
    int t = threadIdx.x, x = v[t];

    if (t % 32 < 16) {
        for (int by = 8; by > 0; by /= 2)
            x += __shfl_down(x, by); // FAULT unused inactive-lane
        if (t % 32 == 0 || (!good && t % 32 == 9))
            v[t] = x;
    }
}

template <bool good>
__global__ void
broadcast(double *v, int n)
{
    int t = threadIdx.x;
    double x = v[t];

    if (good || t % 32 > 0)
        x = __shfl(x, 0); // FAULT broadcast inactive-lane
    v[t] = x;
}

/* The value decides which way is taken. */
template <bool good>
__global__ void
decides(int *v, int n)
{
    int t = threadIdx.x, x = t;

    if (t % 2 == 0 || good)
        x = __shfl_up(t, 1) + n; // FAULT decides inactive-lane
    if (x > 20)
        v[t] = 1;
}

/* It chooses a place. */
template <bool good>
__global__ void
place(int *v, int n)
{
    int t = threadIdx.x, at = t;

    if (good || t % 32 != 31)
        at = __shfl(t, 31); // FAULT place inactive-lane
    v[at & 127] = 1;
}

/* An undefined value is handed on to others. */
template <bool good>
__global__ void
handed_on(int *v, int n)
{
    int t = threadIdx.x, x = t;

    if (good || t % 32 < 8)
        x = __shfl(x, 8); // FAULT handed-on inactive-lane
    x = __shfl(x, 2);
    if (t == 40)
        v[t] = x;
}

template <bool good>
__global__ void
in_a_loop(int *v, int n)
{
    int t = threadIdx.x, x = t;

    for (int i = 0; i < (good ? 8 : 4 + (t & 3)); i++)
        x = __shfl(x, (t + 1) & 31, 32); // FAULT in-a-loop inactive-lane
    v[t] = x;
}

/* ---- Barriers ---- */

template <bool good>
__global__ void
some_of_a_warp(int *v, int n)
{
    int t = threadIdx.x;

    if (good || t % 32 < 20)
        __syncthreads(); // FAULT some-of-a-warp barrier-missed
    v[t] = n;
}

template <bool good>
__global__ void
some_warps(int *v, int n)
{
    int t = threadIdx.x;

    if (good || t < 64)
        __syncthreads(); // FAULT some-warps barrier-missed
    v[t] = n;
}

template <bool good>
__global__ void
ended(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int s[BLOCK];

    if (!good && i >= 200)
        return;
    s[threadIdx.x] = i < 200 ? v[i] : 0;
    __syncthreads(); // FAULT ended barrier-missed
    if (i < 200)
        v[i] = s[(threadIdx.x ^ 1) & 63];
}

/* Two barriers are no barrier of all. */
template <bool good>
__global__ void
either(int *v, int n)
{
    int t = threadIdx.x;

    if (good ? blockIdx.x : t < 64) {
        v[t] = n;
        __syncthreads();
    } else {
        v[t] = 2 * n;
        __syncthreads(); // FAULT either barrier-parted
    }
    v[t + BLOCK] = v[BLOCK - 1 - t];
}

template <bool good>
__global__ void
turns(int *v, int n)
{
    int t = threadIdx.x;

    for (int i = 0; i < (good ? 4 : t < 96 ? 4 : 3); i++) {
        v[t] += i;
        __syncthreads(); // FAULT turns barrier-missed
    }
}

/* Who finds it leaves the loop. */
template <bool good>
__global__ void
found(int *v, int n)
{
    __shared__ int at;
    int t = threadIdx.x;

    if (t == 0)
        at = BLOCK;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (v[256 + t] + t == i * 32 + 1 + 0x1010100)
            at = t;
        if (!good && at < BLOCK && t == at)
            break;
        __syncthreads(); // FAULT found barrier-missed
    }
    v[t] = at;
}

static __device__ void
wait_here()
{
    __syncthreads(); // FAULT in-a-function barrier-missed
}

template <bool good>
__global__ void
in_a_function(int *v, int n)
{
    int t = threadIdx.x;

    v[t] = n;
    if (good || v[t + 512] + t > 0x1010105)
        wait_here();
    v[t] += 1;
}

template <bool good>
__global__ void
counts(int *v, int n)
{
    int t = threadIdx.x, x = 0;

    if (good || t != 77)
        x = __syncthreads_count(v[t + 128] > 0); // FAULT counts barrier-missed
    v[t] = x;
}

template <bool good>
__global__ void
group_sync(int *v, int n)
{
    auto block = cg::this_thread_block();
    int t = block.thread_rank();

    if (good || t % 2)
        block.sync(); // FAULT group-sync barrier-missed
    v[t] = n;
}

template <bool good>
__global__ void
by_rows(int *v, int n)
{
    int t = threadIdx.y * blockDim.x + threadIdx.x;

    for (int row = 0; row < 8; row++)
        if (good || threadIdx.y >= row)
            __syncthreads(); // FAULT by-rows barrier-missed
    v[t] = n;
}

/* ---- Shuffles that bring nothing ---- */

/* Sums as for warps of 64, where a warp has 32 lanes. */
template <bool good>
__global__ void
too_far(int *v, int n)
{
    int t = threadIdx.x, x = v[t];

    if (!good || warpSize == 64)
        x += __shfl_down(x, good ? 32 : warpSize); // FAULT too-far shuffle-too-far
    for (int k = 16; k > 0; k /= 2)
        x += __shfl_down(x, k);
    v[t] = __shfl(x, 0, 1); // in groups of one lane: its own
}

/* What is too far away is not used. */
template <bool good>
__global__ void
long_scan(int *v, int n)
{
    int t = threadIdx.x, x = v[t];

    for (int k = 1; k < 64; k *= 2) {
        int y = __shfl_up(x, k);

        if ((int)(t % warpSize) >= k)
            x += y;
    }
    v[t] = x;
}

typedef void (*kernel)(int *v, int n);
#define KERNELS(name) {name<false>, name<true>}

static void __global__
nothing(int *, int)
{
}

static const struct fault {
    const char *name;
    kernel kernels[2];
    dim3 block = BLOCK, grid = 2;
    unsigned bytes = 0;
} FAULTS[] = {
    {"half-votes", KERNELS(half_votes)},
    {"not-named", KERNELS(not_named)},
    {"returned", KERNELS(returned)},
    {"two-places", KERNELS(two_places)},
    {"old-mask", KERNELS(old_mask)},
    {"different", KERNELS(different)},
    {"loop-of-some", KERNELS(loop_of_some)},
    {"match-all", KERNELS(match_all)},
    {"leader", KERNELS(leader), 70},
    {"called-by-some", KERNELS(called_by_some)},
    {"part-of-a-tile", KERNELS(part_of_a_tile)},
    {"tile-sum", KERNELS(tile_sum), 104},
    {"part-of-coalesced", KERNELS(part_of_coalesced)},
    {"tile-vote", KERNELS(tile_vote)},
    {"any-group", KERNELS(any_group)},
    {"inactive", KERNELS(inactive)},
    {"short-warp", KERNELS(short_warp), 40},
    {"guarded-sum", KERNELS(guarded_sum), 64},
    {"unused", KERNELS(unused)},
    {"broadcast", {(kernel)broadcast<false>, (kernel)broadcast<true>}},
    {"decides", KERNELS(decides)},
    {"place", KERNELS(place)},
    {"handed-on", KERNELS(handed_on)},
    {"too-far", KERNELS(too_far)},
    {"long-scan", KERNELS(long_scan)},
    {"in-a-loop", KERNELS(in_a_loop)},
    {"some-of-a-warp", KERNELS(some_of_a_warp)},
    {"some-warps", KERNELS(some_warps)},
    {"ended", KERNELS(ended)},
    {"either", KERNELS(either)},
    {"turns", KERNELS(turns)},
    {"found", KERNELS(found)},
    {"in-a-function", KERNELS(in_a_function)},
    {"counts", KERNELS(counts)},
    {"group-sync", KERNELS(group_sync)},
    {"by-rows", KERNELS(by_rows), dim3(16, 8)},
};

/* ---- Barriers of a grid ---- */

template <bool good>
__global__ void
some_blocks(int *v, int n)
{
    cg::grid_group grid = cg::this_grid();

    v[blockIdx.x * BLOCK + threadIdx.x] = n;
    if (good || blockIdx.x != 2)
        grid.sync(); // FAULT some-blocks barrier-missed
    v[((blockIdx.x + 1) % gridDim.x) * BLOCK + threadIdx.x] += n;
}

template <bool good>
__global__ void
blocks_leave(int *v, int n)
{
    cg::grid_group grid = cg::this_grid();

    for (int k = 0; k < 3; k++) {
        if (!good && (int)blockIdx.x == k)
            return;
        grid.sync(); // FAULT blocks-leave barrier-missed
    }
    v[blockIdx.x * BLOCK + threadIdx.x] = n;
}

static bool
run_grids(bool good, int *v)
{
    int n = 1;
    void *args[] = {&v, &n};
    const kernel kernels[][2] = {KERNELS(some_blocks), KERNELS(blocks_leave)};

    for (auto &k : kernels)
        if (hipLaunchCooperativeKernel((void *)k[good], dim3(4), dim3(BLOCK), args, 0, nullptr) !=
            hipSuccess)
            return false;
    return true;
}

static bool
is_wanted(const char *name, char **names)
{
    bool wanted = !*names;

    for (; *names; names++)
        wanted |= !strcmp(*names, name);
    return wanted;
}

int
main(int argc, char **argv)
{
    int *v;

    if (argc < 2 || hipMalloc(&v, WORDS * sizeof(int)) != hipSuccess ||
        hipMemset(v, 1, WORDS * sizeof(int)) != hipSuccess)
        return 2;
    for (const fault &f : FAULTS)
        if (is_wanted(f.name, argv + 2))
            for (int n = 1; n <= 2; n++)
                f.kernels[!strcmp(argv[1], "good")]<<<f.grid, f.block, f.bytes>>>(v, n);
    if (argc == 2 && !run_grids(!strcmp(argv[1], "good"), v))
        return 4;
    nothing<<<1, 1>>>(v, 0);
    if (hipDeviceSynchronize() != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorString(hipGetLastError()));
        return 3;
    }
    return hipFree(v) != hipSuccess;
}
