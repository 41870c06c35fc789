/* SPDX-License-Identifier: MIT */
/* cooperative_groups.h and its parts, of hipcc --cuda: HIP's, and tiles of several warps. */
#ifndef LOCKSTEP_CUDA_GROUPS_H
#define LOCKSTEP_CUDA_GROUPS_H

#include <lockstep/cuda/runtime.h>

#include <hip/hip_cooperative_groups.h>

#if __HIP_CLANG_ONLY__
namespace cooperative_groups
{
/* In shared memory: for each warp a counter, a phase and a value. */
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {
    struct warp {
        unsigned int arrived, phase;
        __attribute__((aligned(16))) unsigned char value[32];
    } warps[(MaxBlockSize + 31) / 32];
};

/* A block with memory for tiles of several warps */
class memory_block : public thread_block {
    block_tile_memory<1>::warp *warps_;

  public:
    __device__ memory_block(const thread_block &block, block_tile_memory<1>::warp *warps)
        : thread_block(block), warps_(warps)
    {
    }
    __device__ block_tile_memory<1>::warp *warps() const { return warps_; }
};

template <unsigned int MaxBlockSize>
__device__ memory_block
this_thread_block(block_tile_memory<MaxBlockSize> &memory)
{
    auto *warps = (block_tile_memory<1>::warp *)memory.warps;
    thread_block block = this_thread_block();

    if (block.thread_rank() < (MaxBlockSize + 31) / 32)
        warps[block.thread_rank()].arrived = warps[block.thread_rank()].phase = 0;
    block.sync();
    return memory_block(block, warps);
}

/* `Size` threads of several warps; in the last tile of a block fewer. */
template <unsigned int Size> class warps_tile {
    static_assert(Size > 32 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "the size of a tile is a power of two of at most 1024");
    block_tile_memory<1>::warp *warps_; /* the tile's first */

    __device__ static unsigned int rank_in_block() { return internal::block_thread_rank(); }
    __device__ static unsigned int n_warps() { return (size() + 31) / 32; }

  public:
    __device__ explicit warps_tile(const memory_block &block)
        : warps_(block.warps() + rank_in_block() / Size * (Size / 32))
    {
    }
    __device__ static unsigned int thread_rank() { return rank_in_block() % Size; }
    __device__ static unsigned int meta_group_rank() { return rank_in_block() / Size; }
    __device__ static unsigned int meta_group_size()
    {
        return (internal::block_size() + Size - 1) / Size;
    }
    __device__ static unsigned int size()
    {
        unsigned int left = internal::block_size() - meta_group_rank() * Size;
        return left < Size ? left : Size;
    }
    __device__ static unsigned int num_threads() { return size(); }

    /* The last warp that comes begins a further phase. */
    __device__ void sync() const
    {
        __threadfence_block();
        __syncwarp();
        if (thread_rank() % 32 == 0) {
            unsigned int phase = __hip_atomic_load(&warps_->phase, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_WORKGROUP);
            if (__hip_atomic_fetch_add(&warps_->arrived, 1u, __ATOMIC_ACQ_REL,
                                       __HIP_MEMORY_SCOPE_WORKGROUP) == n_warps() - 1) {
                warps_->arrived = 0;
                __hip_atomic_store(&warps_->phase, phase + 1, __ATOMIC_RELEASE,
                                   __HIP_MEMORY_SCOPE_WORKGROUP);
            } else {
                while (__hip_atomic_load(&warps_->phase, __ATOMIC_ACQUIRE,
                                         __HIP_MEMORY_SCOPE_WORKGROUP) == phase)
                    __builtin_amdgcn_s_sleep(1);
            }
        }
        __syncwarp();
        __threadfence_block();
    }

    /* op over the values of all members, by warps */
    template <class T, class Op>
    __device__ T reduced(T value, Op op) const
    {
        static_assert(sizeof(T) <= sizeof(warps_->value), "a value of at most 32 bytes");
        unsigned int in_warp = size() - thread_rank() / 32 * 32;
        T result;

        for (unsigned int step = 1; step < 32; step *= 2) {
            T other = __shfl_down(value, step, 32);
            if (thread_rank() % 32 + step < in_warp)
                value = op(value, other);
        }
        if (thread_rank() % 32 == 0)
            __builtin_memcpy(warps_[thread_rank() / 32].value, &value, sizeof(T));
        sync();
        __builtin_memcpy(&result, warps_[0].value, sizeof(T));
        for (unsigned int i = 1; i < n_warps(); i++) {
            __builtin_memcpy(&value, warps_[i].value, sizeof(T));
            result = op(result, value);
        }
        sync();
        return result;
    }

    __device__ int any(int predicate) const
    {
        return reduced(predicate != 0 ? 1 : 0, bit_or<int>());
    }
    __device__ int all(int predicate) const
    {
        return reduced(predicate != 0 ? 1 : 0, bit_and<int>());
    }

    /* The value of a member */
    template <class T>
    __device__ T shfl(T value, unsigned int rank) const
    {
        static_assert(sizeof(T) <= sizeof(warps_->value), "a value of at most 32 bytes");
        T result;

        if (thread_rank() == rank % size())
            __builtin_memcpy(warps_[0].value, &value, sizeof(T));
        sync();
        __builtin_memcpy(&result, warps_[0].value, sizeof(T));
        sync();
        return result;
    }
};

namespace internal
{
template <unsigned int Size, bool Wide> struct tile_of {
    typedef thread_block_tile<Size, thread_block> type;
    __device__ static type of(const memory_block &block) { return type(block); }
};
template <unsigned int Size> struct tile_of<Size, true> {
    typedef warps_tile<Size> type;
    __device__ static type of(const memory_block &block) { return type(block); }
};
} // namespace internal

template <unsigned int Size>
__device__ typename internal::tile_of<Size, (Size > 32)>::type
tiled_partition(const memory_block &block)
{
    return internal::tile_of<Size, (Size > 32)>::of(block);
}

template <unsigned int Size, class T, class Op>
__device__ T
reduce(const warps_tile<Size> &tile, T value, Op op)
{
    return tile.reduced(value, op);
}
} // namespace cooperative_groups
#endif

#endif
