/* SPDX-License-Identifier: MIT */
/* Cooperative groups, in device code.
 *
 * Groups that are parts of a warp are a mask of its lanes. thread_group, the common base, carries
 * enough to be passed by value and asked at run time what it is. */
#ifndef HIP_DETAIL_COOPERATIVE_GROUPS_H
#define HIP_DETAIL_COOPERATIVE_GROUPS_H

#include <hip/detail/warp_functions.h>
#include <hip/detail/integer_functions.h>

/* Waits for all blocks of a cooperative launch. The kernel compiler knows it by this name. */
extern "C" __device__ void __ls_grid_sync();

/* OCKL's functions for launches on several devices. */
extern "C" __device__ uint32_t __ockl_multi_grid_num_grids();
extern "C" __device__ uint32_t __ockl_multi_grid_grid_rank();
extern "C" __device__ uint32_t __ockl_multi_grid_size();
extern "C" __device__ uint32_t __ockl_multi_grid_thread_rank();
extern "C" __device__ int __ockl_multi_grid_is_valid();
extern "C" __device__ void __ockl_multi_grid_sync();

#define LS_CG        __device__ __forceinline__
#define LS_CG_STATIC static __device__ __forceinline__

namespace cooperative_groups {

typedef unsigned long long lane_mask;

namespace internal {

enum group_type {
    cg_invalid,
    cg_multi_grid,
    cg_grid,
    cg_workgroup,
    cg_tiled_group,
    cg_coalesced_group
};

LS_CG_STATIC uint32_t
block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

LS_CG_STATIC uint32_t
block_thread_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

LS_CG_STATIC uint32_t
grid_blocks()
{
    return gridDim.x * gridDim.y * gridDim.z;
}

LS_CG_STATIC uint32_t
grid_block_rank()
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

LS_CG_STATIC void
grid_sync()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    __ls_grid_sync();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

LS_CG_STATIC void
multi_grid_sync()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
    __ockl_multi_grid_sync();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
}

/* This lane's rank: the number of bits of `mask` below it. */
LS_CG_STATIC uint32_t
rank_in_mask(lane_mask mask)
{
    return __popcll(mask & ((1ull << __lane_id()) - 1));
}

/* Makes a mask of ranks of a mask of lanes: bit i is the bit of the i-th lane of `members`. */
LS_CG_STATIC lane_mask
to_ranks(lane_mask members, lane_mask lanes)
{
    lane_mask result = 0;
    for (int rank = 0; members; rank++, members &= members - 1)
        result |= (lanes >> __builtin_ctzll(members) & 1) << rank;
    return result;
}

/* The lane of the rank-th set bit of members, or -1. */
LS_CG_STATIC int
lane_of_rank(lane_mask members, uint32_t rank)
{
    for (; rank && members; rank--)
        members &= members - 1;
    return members ? __builtin_ctzll(members) : -1;
}

LS_CG_STATIC lane_mask
tile_mask(uint32_t size)
{
    return (~0ull >> (64 - size)) << (__lane_id() & ~(size - 1));
}

} // namespace internal

template <unsigned int size>
using is_valid_tile_size =
    std::integral_constant<bool, (size > 0 && (size & (size - 1)) == 0 && size <= warpSize)>;

/* Any group. */
class thread_group {
  protected:
    uint32_t type_;
    uint32_t size_;
    lane_mask mask_; /* of parts of a warp */
    uint32_t meta_rank_;
    uint32_t meta_size_;

    LS_CG thread_group(internal::group_type type, uint32_t size, lane_mask mask = 0,
                       uint32_t meta_rank = 0, uint32_t meta_size = 1)
        : type_(type), size_(size), mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }

    /* A tile of a size that is known at run time: neighbouring lanes of the warp, or neighbouring
     * ranks of a coalesced group. */
    LS_CG thread_group tile(uint32_t tile_size) const
    {
        if (type_ == internal::cg_coalesced_group && tile_size > warpSize)
            tile_size = warpSize; /* one tile of all members; for a block such a size is an error */
        if (tile_size == 0 || (tile_size & (tile_size - 1)) || tile_size > warpSize)
            __builtin_trap();
        if (type_ == internal::cg_tiled_group && tile_size >= size_)
            return *this;
        uint32_t rank = thread_rank();
        uint32_t first = rank & ~(tile_size - 1);
        uint32_t n_members = size_ - first < tile_size ? size_ - first : tile_size;
        lane_mask members;
        internal::group_type type = internal::cg_tiled_group;
        if (type_ == internal::cg_coalesced_group) {
            type = internal::cg_coalesced_group;
            members = 0;
            lane_mask rest = mask_;
            for (uint32_t i = 0; i < first + n_members; i++, rest &= rest - 1)
                if (i >= first)
                    members |= rest & -rest;
        } else {
            members = internal::tile_mask(tile_size);
        }
        return thread_group(type, n_members, members, rank / tile_size,
                            (size_ + tile_size - 1) / tile_size);
    }

    friend LS_CG thread_group this_thread();
    friend LS_CG thread_group tiled_partition(const thread_group &parent, unsigned int tile_size);

  public:
    LS_CG uint32_t size() const { return size_; }
    LS_CG uint32_t num_threads() const { return size_; }
    LS_CG unsigned int cg_type() const { return type_; }
    LS_CG bool is_valid() const { return type_ != internal::cg_invalid; }

    LS_CG uint32_t thread_rank() const
    {
        switch (type_) {
        case internal::cg_multi_grid:
            return __ockl_multi_grid_thread_rank();
        case internal::cg_grid:
            return internal::grid_block_rank() * internal::block_size() +
                   internal::block_thread_rank();
        case internal::cg_workgroup:
            return internal::block_thread_rank();
        default:
            return internal::rank_in_mask(mask_);
        }
    }

    LS_CG void sync() const
    {
        switch (type_) {
        case internal::cg_multi_grid:
            internal::multi_grid_sync();
            break;
        case internal::cg_grid:
            internal::grid_sync();
            break;
        case internal::cg_workgroup:
            __syncthreads();
            break;
        default:
            LS_HIP_LANES_MEET("sync of a group", mask_);
            __ls_sync_warp();
        }
    }
};

/* All threads of the launch on this device. Its sync needs a cooperative launch. */
class grid_group : public thread_group {
    LS_CG explicit grid_group(uint32_t size) : thread_group(internal::cg_grid, size) {}
    friend LS_CG grid_group this_grid();

  public:
    LS_CG uint32_t thread_rank() const
    {
        return internal::grid_block_rank() * internal::block_size() + internal::block_thread_rank();
    }

    LS_CG bool is_valid() const { return true; }
    LS_CG void sync() const { internal::grid_sync(); }
    LS_CG dim3 group_dim() const
    {
        return blockDim;
    } /* dimensions of a block, as in AMD's headers */
    LS_CG dim3 dim_blocks() const { return gridDim; }
    LS_CG dim3 block_index() const { return blockIdx; }
    LS_CG uint32_t num_blocks() const { return internal::grid_blocks(); }
    LS_CG uint32_t block_rank() const { return internal::grid_block_rank(); }
};

LS_CG grid_group
this_grid()
{
    return grid_group(internal::grid_blocks() * internal::block_size());
}

/* All threads of a launch over several devices (hipLaunchCooperativeKernelMultiDevice); is_valid()
 * says whether this is one. */
class multi_grid_group : public thread_group {
    LS_CG explicit multi_grid_group(uint32_t size) : thread_group(internal::cg_multi_grid, size) {}
    friend LS_CG multi_grid_group this_multi_grid();

  public:
    LS_CG uint32_t num_grids() const { return __ockl_multi_grid_num_grids(); }
    LS_CG uint32_t grid_rank() const { return __ockl_multi_grid_grid_rank(); }
    LS_CG uint32_t thread_rank() const { return __ockl_multi_grid_thread_rank(); }
    LS_CG bool is_valid() const { return __ockl_multi_grid_is_valid() != 0; }
    LS_CG void sync() const { internal::multi_grid_sync(); }
};

LS_CG multi_grid_group
this_multi_grid()
{
    return multi_grid_group(__ockl_multi_grid_size());
}

class thread_block : public thread_group {
    LS_CG explicit thread_block(uint32_t size) : thread_group(internal::cg_workgroup, size) {}
    friend LS_CG thread_block this_thread_block();

  public:
    LS_CG_STATIC dim3 group_index() { return blockIdx; }
    LS_CG_STATIC dim3 thread_index() { return threadIdx; }
    LS_CG_STATIC dim3 group_dim() { return blockDim; }
    LS_CG_STATIC dim3 dim_threads() { return blockDim; }
    LS_CG_STATIC uint32_t thread_rank() { return internal::block_thread_rank(); }
    LS_CG_STATIC uint32_t size() { return internal::block_size(); }
    LS_CG_STATIC uint32_t num_threads() { return internal::block_size(); }
    LS_CG_STATIC bool is_valid() { return true; }
    LS_CG_STATIC void sync() { __syncthreads(); }
};

LS_CG thread_block
this_thread_block()
{
    return thread_block(internal::block_size());
}

template <unsigned int fixed_size, class Parent = void> class thread_block_tile;

/* Lanes of one warp that happen to run together, or a part of such. Ranks go up with the lanes. */
class coalesced_group : public thread_group {
    LS_CG explicit coalesced_group(lane_mask members, uint32_t meta_rank = 0,
                                   uint32_t meta_size = 1)
        : thread_group(internal::cg_coalesced_group, __popcll(members), members, meta_rank,
                       meta_size)
    {
    }

    LS_CG explicit coalesced_group(const thread_group &g) : thread_group(g) {}

    friend LS_CG coalesced_group coalesced_threads();
    friend LS_CG coalesced_group tiled_partition(const coalesced_group &parent,
                                                 unsigned int tile_size);
    friend LS_CG coalesced_group binary_partition(const coalesced_group &group, bool predicate);
    template <unsigned int n, class P>
    friend LS_CG coalesced_group binary_partition(const thread_block_tile<n, P> &tile,
                                                  bool predicate);
    template <class Label>
    friend LS_CG coalesced_group labeled_partition(const coalesced_group &group, Label label);
    template <class Label, unsigned int n, class P>
    friend LS_CG coalesced_group labeled_partition(const thread_block_tile<n, P> &tile,
                                                   Label label);
    template <class Label>
    LS_CG_STATIC coalesced_group with_label(lane_mask members, Label label);

    template <class T>
    LS_CG T from_rank(const T &value, int rank) const
    {
        LS_HIP_LANES_MEET("shuffle of a coalesced group", mask_);
        int lane = rank < 0 ? -1 : internal::lane_of_rank(mask_, (uint32_t)rank);
        return __ls_from_lane(value, lane < 0 ? (int)__lane_id() : lane);
    }

  public:
    LS_CG uint32_t thread_rank() const { return internal::rank_in_mask(mask_); }
    LS_CG void sync() const
    {
        LS_HIP_LANES_MEET("sync of a coalesced group", mask_);
        __ls_sync_warp();
    }
    LS_CG unsigned int meta_group_rank() const { return meta_rank_; }
    LS_CG unsigned int meta_group_size() const { return meta_size_; }

    /* The value of rank (modulo the size). */
    template <class T>
    LS_CG T shfl(T value, int rank) const
    {
        return from_rank(value, rank % (int)size_);
    }

    /* The value of the member `delta` ranks above; where there is none, the calling thread's
     * own. */
    template <class T>
    LS_CG T shfl_down(T value, unsigned int delta) const
    {
        uint32_t rank = thread_rank() + delta;
        return from_rank(value, rank < size_ ? (int)rank : -1);
    }

    template <class T>
    LS_CG T shfl_up(T value, unsigned int delta) const
    {
        return from_rank(value, (int)thread_rank() - (int)delta);
    }

    /* Masks are of ranks. */
    LS_CG unsigned long long ballot(int predicate) const
    {
        return internal::to_ranks(mask_, __ballot_sync(mask_, predicate));
    }

    LS_CG int any(int predicate) const { return __any_sync(mask_, predicate); }
    LS_CG int all(int predicate) const { return __all_sync(mask_, predicate); }

    template <class T>
    LS_CG unsigned long long match_any(T value) const
    {
        return internal::to_ranks(mask_, __match_any_sync(mask_, value));
    }

    template <class T>
    LS_CG unsigned long long match_all(T value, int &predicate) const
    {
        return internal::to_ranks(mask_, __match_all_sync(mask_, value, &predicate));
    }
};

LS_CG coalesced_group
coalesced_threads()
{
    return coalesced_group(__ls_ballot(true));
}

/* A tile of any size, which can be divided further: thread_block_tiles are such, too. */
class tiled_group : public thread_group {
    LS_CG explicit tiled_group(const thread_group &tile) : thread_group(tile) {}
    friend LS_CG tiled_group tiled_partition(const tiled_group &parent, unsigned int tile_size);

  protected:
    LS_CG tiled_group(uint32_t size, lane_mask mask, uint32_t meta_rank, uint32_t meta_size)
        : thread_group(internal::cg_tiled_group, size, mask, meta_rank, meta_size)
    {
    }
};

namespace internal {

/* What all tiles of one size have in common: `size` lanes of a warp, aligned. */
template <unsigned int fixed_size> class tile_base : public tiled_group {
    static_assert(is_valid_tile_size<fixed_size>::value,
                  "the size of a tile is a power of two, and no larger than the warp");

  protected:
    static constexpr unsigned int numThreads = fixed_size;

    LS_CG tile_base(uint32_t meta_rank, uint32_t meta_size)
        : tiled_group(fixed_size, tile_mask(fixed_size), meta_rank, meta_size)
    {
    }

  public:
    static constexpr __device__ __forceinline__ unsigned int size() { return fixed_size; }
    static constexpr __device__ __forceinline__ unsigned int num_threads() { return fixed_size; }
    LS_CG_STATIC unsigned int thread_rank() { return __lane_id() & (fixed_size - 1); }
    LS_CG_STATIC void sync()
    {
        LS_HIP_LANES_MEET("sync of a tile", tile_mask(fixed_size));
        __ls_sync_warp();
    }
    LS_CG unsigned int meta_group_rank() const { return meta_rank_; }
    LS_CG unsigned int meta_group_size() const { return meta_size_; }

    template <class T>
    LS_CG T shfl(T value, int rank) const
    {
        LS_HIP_LANES_MEET("shfl of a tile", tile_mask(fixed_size));
        return __ls_shfl(value, rank, (int)fixed_size);
    }

    template <class T>
    LS_CG T shfl_down(T value, unsigned int delta) const
    {
        LS_HIP_LANES_MEET("shfl_down of a tile", tile_mask(fixed_size));
        return __ls_shfl_down(value, delta, (int)fixed_size);
    }

    template <class T>
    LS_CG T shfl_up(T value, unsigned int delta) const
    {
        LS_HIP_LANES_MEET("shfl_up of a tile", tile_mask(fixed_size));
        return __ls_shfl_up(value, delta, (int)fixed_size);
    }

    template <class T>
    LS_CG T shfl_xor(T value, unsigned int mask) const
    {
        LS_HIP_LANES_MEET("shfl_xor of a tile", tile_mask(fixed_size));
        return __ls_shfl_xor(value, (int)mask, (int)fixed_size);
    }

    /* Masks are of ranks. */
    LS_CG unsigned long long ballot(int predicate) const
    {
        LS_HIP_LANES_MEET("ballot of a tile", tile_mask(fixed_size));
        return in_tile(__ls_ballot(predicate != 0));
    }

    LS_CG int any(int predicate) const { return ballot(predicate) != 0; }
    LS_CG int all(int predicate) const { return ballot(predicate == 0) == 0; }

    template <class T>
    LS_CG unsigned long long match_any(T value) const
    {
        LS_HIP_LANES_MEET("match_any of a tile", tile_mask(fixed_size));
        return in_tile(__match_any(value));
    }

    template <class T>
    LS_CG unsigned long long match_all(T value, int &predicate) const
    {
        return in_tile(__match_all_sync(tile_mask(fixed_size), value, &predicate));
    }

  private:
    LS_CG_STATIC unsigned long long in_tile(lane_mask lanes)
    {
        return (lanes & tile_mask(fixed_size)) >> (__lane_id() & ~(fixed_size - 1));
    }
};

} // namespace internal

/* A tile that knows what it is a part of. */
template <unsigned int fixed_size, class Parent>
class thread_block_tile : public internal::tile_base<fixed_size> {
    typedef internal::tile_base<fixed_size> base;

  public:
    LS_CG explicit thread_block_tile(const Parent &parent)
        : base(parent.thread_rank() / fixed_size, (parent.size() + fixed_size - 1) / fixed_size)
    {
    }

    LS_CG_STATIC unsigned int meta_group_rank() { return Parent::thread_rank() / fixed_size; }
    LS_CG_STATIC unsigned int meta_group_size()
    {
        return (Parent::size() + fixed_size - 1) / fixed_size;
    }
};

/* A tile of a block or of another tile: every tile converts to it. */
template <unsigned int fixed_size>
class thread_block_tile<fixed_size, void> : public internal::tile_base<fixed_size> {
    typedef internal::tile_base<fixed_size> base;

  public:
    template <class Parent>
    LS_CG thread_block_tile(const thread_block_tile<fixed_size, Parent> &tile)
        : base(tile.meta_group_rank(), tile.meta_group_size())
    {
    }
};

template <unsigned int fixed_size, class Parent>
LS_CG thread_block_tile<fixed_size, Parent>
tiled_partition(const Parent &parent)
{
    return thread_block_tile<fixed_size, Parent>(parent);
}

LS_CG thread_group
tiled_partition(const thread_group &parent, unsigned int tile_size)
{
    return parent.tile(tile_size);
}

LS_CG coalesced_group
tiled_partition(const coalesced_group &parent, unsigned int tile_size)
{
    return coalesced_group(tiled_partition(static_cast<const thread_group &>(parent), tile_size));
}

LS_CG tiled_group
tiled_partition(const tiled_group &parent, unsigned int tile_size)
{
    return tiled_group(tiled_partition(static_cast<const thread_group &>(parent), tile_size));
}

LS_CG thread_group
this_thread()
{
    return thread_group(internal::cg_coalesced_group, 1, 1ull << __lane_id());
}

/* The members that agree with this one. */
LS_CG coalesced_group
binary_partition(const coalesced_group &group, bool predicate)
{
    lane_mask yes = __ballot_sync(group.mask_, predicate);
    return coalesced_group(predicate ? yes : group.mask_ & ~yes, predicate ? 0 : 1, 2);
}

template <unsigned int fixed_size, class Parent>
LS_CG coalesced_group
binary_partition(const thread_block_tile<fixed_size, Parent> &tile, bool predicate)
{
    (void)tile;
    lane_mask members = internal::tile_mask(fixed_size) & __ls_ballot(true);
    lane_mask yes = __ls_ballot(predicate) & members;
    return coalesced_group(predicate ? yes : members & ~yes, predicate ? 0 : 1, 2);
}

/* The group of all members with the same label. Groups are numbered in the order of their first
 * members. */
template <class Label>
LS_CG coalesced_group
coalesced_group::with_label(lane_mask members, Label label)
{
    lane_mask same = __match_any((long long)label) & members;
    unsigned int first = (unsigned int)__builtin_ctzll(same);
    lane_mask firsts = __ls_ballot(__lane_id() == first) & members;
    return coalesced_group(same, __popcll(firsts & ((1ull << first) - 1)), __popcll(firsts));
}

template <class Label>
LS_CG coalesced_group
labeled_partition(const coalesced_group &group, Label label)
{
    static_assert(std::is_integral<Label>::value, "a label is an integer");
    return coalesced_group::with_label(group.mask_, label);
}

template <class Label, unsigned int fixed_size, class Parent>
LS_CG coalesced_group
labeled_partition(const thread_block_tile<fixed_size, Parent> &tile, Label label)
{
    static_assert(std::is_integral<Label>::value, "a label is an integer");
    (void)tile;
    return coalesced_group::with_label(internal::tile_mask(fixed_size) & __ls_ballot(true), label);
}

/* Operators of reductions and scans */

#define LS_CG_OPERATOR(name, expression) \
    template <class T = void> struct name { \
        LS_CG T operator()(const T &a, const T &b) const { return (T)(expression); } \
    }; \
    template <> struct name<void> { \
        template <class T> \
        LS_CG T operator()(const T &a, const T &b) const \
        { \
            return (T)(expression); \
        } \
    };

LS_CG_OPERATOR(plus, a + b)
LS_CG_OPERATOR(less, b < a ? b : a)
LS_CG_OPERATOR(greater, a < b ? b : a)
LS_CG_OPERATOR(bit_and, a & b)
LS_CG_OPERATOR(bit_or, a | b)
LS_CG_OPERATOR(bit_xor, a ^ b)
#undef LS_CG_OPERATOR

/* op over the values of all members, which each of them gets. Tiles combine halves, other groups go
 * by rank, so op must be associative. All members of a tile must call it. */
template <unsigned int fixed_size, class Parent, class T, class Op>
LS_CG T
reduce(const thread_block_tile<fixed_size, Parent> &tile, T value, Op op)
{
#pragma unroll
    for (unsigned int step = 1; step < fixed_size; step *= 2) {
        T other = tile.shfl_xor(value, step);
        value = tile.thread_rank() & step ? op(other, value) : op(value, other);
    }
    return value;
}

template <class T, class Op>
LS_CG T
reduce(const coalesced_group &group, T value, Op op)
{
    T result = group.shfl(value, 0);
    for (unsigned int rank = 1; rank < group.size(); rank++)
        result = op(result, group.shfl(value, (int)rank));
    return result;
}

/* op over the values of the members up to and with the calling thread */
template <unsigned int fixed_size, class Parent, class T, class Op>
LS_CG T
inclusive_scan(const thread_block_tile<fixed_size, Parent> &tile, T value, Op op)
{
#pragma unroll
    for (unsigned int step = 1; step < fixed_size; step *= 2) {
        T below = tile.shfl_up(value, step);
        if (tile.thread_rank() >= step)
            value = op(below, value);
    }
    return value;
}

template <class T, class Op>
LS_CG T
inclusive_scan(const coalesced_group &group, T value, Op op)
{
    T result = group.shfl(value, 0);
    for (unsigned int rank = 1; rank < group.size(); rank++) {
        T next = group.shfl(value, (int)rank);
        if (rank <= group.thread_rank())
            result = op(result, next);
    }
    return result;
}

/* op over the values below the own rank; T() for the first */
template <class Group, class T, class Op>
LS_CG T
exclusive_scan(const Group &group, T value, Op op)
{
    T below = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T() : below;
}

template <class Group, class T>
LS_CG T
inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}

template <class Group, class T>
LS_CG T
exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

/* One member calls fn(args...). */
template <class Group, class Fn, class... Args>
LS_CG void
invoke_one(const Group &group, Fn &&fn, Args &&...args)
{
    if (group.thread_rank() == 0)
        fn(static_cast<Args &&>(args)...);
}

/* Copies by all members together. They end before wait(group) or wait_prior<n>(group) returns; here
 * they are done at once, and waiting is the group's sync. */

template <size_t alignment> struct aligned_size_t {
    size_t value;
    LS_CG aligned_size_t(size_t bytes) : value(bytes) {}
    LS_CG operator size_t() const { return value; }
};

template <class Group>
LS_CG void
memcpy_async(const Group &group, void *dst, const void *src, size_t bytes)
{
    size_t rank = group.thread_rank(), n = group.size();
    if ((((uintptr_t)dst | (uintptr_t)src | bytes) & 3) == 0) {
        for (size_t i = rank; i < bytes / 4; i += n)
            ((unsigned int *)dst)[i] = ((const unsigned int *)src)[i];
    } else {
        for (size_t i = rank; i < bytes; i += n)
            ((unsigned char *)dst)[i] = ((const unsigned char *)src)[i];
    }
}

/* Counts are numbers of elements; the smaller one is copied. */
template <class Group, class T, class DstShape, class SrcShape>
LS_CG void
memcpy_async(const Group &group, T *dst, const DstShape &dst_count, const T *src,
             const SrcShape &src_count)
{
    size_t a = (size_t)dst_count, b = (size_t)src_count;
    memcpy_async(group, (void *)dst, (const void *)src, (a < b ? a : b) * sizeof(T));
}

template <class Group>
LS_CG void
wait(const Group &group)
{
    group.sync();
}

template <unsigned int stages, class Group>
LS_CG void
wait_prior(const Group &group)
{
    group.sync();
}

template <class Group>
LS_CG uint32_t
group_size(const Group &g)
{
    return g.size();
}

template <class Group>
LS_CG uint32_t
thread_rank(const Group &g)
{
    return g.thread_rank();
}

template <class Group>
LS_CG bool
is_valid(const Group &g)
{
    return g.is_valid();
}

template <class Group>
LS_CG void
sync(const Group &g)
{
    g.sync();
}

} // namespace cooperative_groups

#undef LS_CG
#undef LS_CG_STATIC

#endif
