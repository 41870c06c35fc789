/* SPDX-License-Identifier: MIT */
/* Operations between the lanes of a warp: shuffles, votes, matches, reductions.
 *
 * The forms without a mask act among the lanes that execute the call. The _sync forms take a 64-bit
 * mask of lanes; lanes of the mask that have ended or are beyond the warp don't count.
 */
#ifndef HIP_DETAIL_WARP_FUNCTIONS_H
#define HIP_DETAIL_WARP_FUNCTIONS_H

#include <hip/detail/device_core.h>

/* What votes and matches give: a bit for each lane. */
#ifdef __LS_CUDA__
typedef unsigned int __ls_lanes;
#else
typedef unsigned long long int __ls_lanes;
#endif

/* Moving 32-bit words between lanes; larger values go word by word. */

template <typename T> struct __ls_words {
    static constexpr int n = (int)((sizeof(T) + 3) / 4);
    int word[n];
};

template <typename T>
LS_HIP_DEVICE __ls_words<T>
__ls_to_words(const T &value)
{
    __ls_words<T> w = {};
    __builtin_memcpy(&w, &value, sizeof(T));
    return w;
}

template <typename T>
LS_HIP_DEVICE T
__ls_from_words(const __ls_words<T> &w)
{
    T value;
    __builtin_memcpy(&value, &w, sizeof(T));
    return value;
}

/* The value that `value` has in lane `lane`. */
template <typename T>
LS_HIP_DEVICE T
__ls_from_lane(const T &value, int lane)
{
    __ls_words<T> w = __ls_to_words(value);
#pragma unroll
    for (int i = 0; i < __ls_words<T>::n; i++)
        w.word[i] = __builtin_amdgcn_ds_bpermute(lane << 2, w.word[i]);
    return __ls_from_words<T>(w);
}

/* The same where all lanes read one lane: `lane` must be uniform and active. */
template <typename T>
LS_HIP_DEVICE T
__ls_read_lane(const T &value, int lane)
{
    __ls_words<T> w = __ls_to_words(value);
#pragma unroll
    for (int i = 0; i < __ls_words<T>::n; i++)
        w.word[i] = __builtin_amdgcn_readlane(w.word[i], lane);
    return __ls_from_words<T>(w);
}

template <typename T>
LS_HIP_DEVICE T
__ls_read_first_lane(const T &value)
{
    __ls_words<T> w = __ls_to_words(value);
#pragma unroll
    for (int i = 0; i < __ls_words<T>::n; i++)
        w.word[i] = __builtin_amdgcn_readfirstlane(w.word[i]);
    return __ls_from_words<T>(w);
}

/* Whether two values have the same bits. */
template <typename T>
LS_HIP_DEVICE bool
__ls_same_bits(const T &a, const T &b)
{
    __ls_words<T> wa = __ls_to_words(a), wb = __ls_to_words(b);
    int differ = 0;
#pragma unroll
    for (int i = 0; i < __ls_words<T>::n; i++)
        differ |= wa.word[i] ^ wb.word[i];
    return differ == 0;
}

/* Shuffles. `width` is a power of two: the warp falls into groups of it. */

template <typename T>
LS_HIP_DEVICE T
__ls_shfl(const T &value, int lane, int width)
{
    int self = (int)__lane_id();
    if (__builtin_constant_p(width) && width == 1) /* nobody else is there, and need not be */
        return value;
    return __ls_from_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}

template <typename T>
LS_HIP_DEVICE T
__ls_shfl_up(const T &value, unsigned int delta, int width)
{
    int self = (int)__lane_id();
    int from = self - (int)delta;
    return __ls_from_lane(value, from < (self & ~(width - 1)) ? self : from);
}

template <typename T>
LS_HIP_DEVICE T
__ls_shfl_down(const T &value, unsigned int delta, int width)
{
    int self = (int)__lane_id();
    int from = self + (int)delta;
    return __ls_from_lane(value, (self & (width - 1)) + (int)delta >= width ? self : from);
}

template <typename T>
LS_HIP_DEVICE T
__ls_shfl_xor(const T &value, int mask, int width)
{
    int self = (int)__lane_id();
    int from = self ^ mask;
    return __ls_from_lane(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}

#define LS_HIP_SHUFFLES(T) \
    LS_HIP_DEVICE T __shfl(T value, int lane, int width = warpSize) \
    { \
        return __ls_shfl(value, lane, width); \
    } \
    LS_HIP_DEVICE T __shfl_up(T value, unsigned int delta, int width = warpSize) \
    { \
        return __ls_shfl_up(value, delta, width); \
    } \
    LS_HIP_DEVICE T __shfl_down(T value, unsigned int delta, int width = warpSize) \
    { \
        return __ls_shfl_down(value, delta, width); \
    } \
    LS_HIP_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) \
    { \
        return __ls_shfl_xor(value, mask, width); \
    }

LS_HIP_SHUFFLES(int)
LS_HIP_SHUFFLES(unsigned int)
LS_HIP_SHUFFLES(float)
LS_HIP_SHUFFLES(double)
LS_HIP_SHUFFLES(long)
LS_HIP_SHUFFLES(unsigned long)
LS_HIP_SHUFFLES(long long)
LS_HIP_SHUFFLES(unsigned long long)

/* Votes among the active lanes */

LS_HIP_DEVICE __ls_lanes
__ballot(int predicate)
{
    return __ls_ballot(predicate != 0);
}

LS_HIP_DEVICE unsigned long long int
__ballot64(int predicate)
{
    return __ls_ballot(predicate != 0);
}

LS_HIP_DEVICE __ls_lanes
__activemask()
{
    return __ls_ballot(true);
}

LS_HIP_DEVICE int
__any(int predicate)
{
    return __ls_ballot(predicate != 0) != 0;
}

LS_HIP_DEVICE int
__all(int predicate)
{
    return __ls_ballot(predicate == 0) == 0;
}

/* The active lanes whose value is this lane's. One uniform round for each distinct value. */
template <typename T>
LS_HIP_DEVICE __ls_lanes
__match_any(T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any takes 32 or 64 bits");
    unsigned long long int result = 0;
    unsigned long long int pending = __ls_ballot(true);

    while (pending) {
        T leader = __ls_read_lane(value, __builtin_ctzll(pending));
        bool same = __ls_same_bits(leader, value);
        unsigned long long int equal = __ls_ballot(same);
        if (same)
            result = equal;
        pending &= ~equal;
    }
    return result;
}

/* All active lanes if they have one value, else 0. */
template <typename T>
LS_HIP_DEVICE __ls_lanes
__match_all(T value, int *predicate)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_all takes 32 or 64 bits");
    T leader = __ls_read_first_lane(value);
    bool differs = !__ls_same_bits(leader, value);
    bool all = __ls_ballot(differs) == 0;
    unsigned long long int active = __ls_ballot(true);

    *predicate = all;
    return all ? active : 0;
}

/* Masks of lanes, relative to this one */

LS_HIP_DEVICE uint64_t
__lanemask_eq()
{
    return (uint64_t)1 << __lane_id();
}

LS_HIP_DEVICE uint64_t
__lanemask_lt()
{
    return (((uint64_t)1 << __lane_id()) - 1) & __ls_ballot(true);
}

LS_HIP_DEVICE uint64_t
__lanemask_gt()
{
    return ~(((uint64_t)2 << __lane_id()) - 1) & __ls_ballot(true);
}

/* Synchronises the lanes of the warp and their memory. */

LS_HIP_DEVICE void
__ls_sync_warp()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

/* Forms with a mask */

/* Tells checkers which lanes should come here. An annotation: it makes no code. */
#define LS_HIP_LANES_MEET(name, mask) \
    (void)__builtin_annotation((unsigned long long)(mask), "lockstep.mask " name)

/* hipcc --cuda: 32 lanes, whose mask is any integer; so it is in what hipify-clang reads */
#if defined(__LS_CUDA__) || defined(__LS_HIPIFY__)
#define LS_HIP_CHECK_MASK(M) \
    static_assert(__is_integral(M), "the lane mask of a _sync function is an integer")
#else
#define LS_HIP_CHECK_MASK(M) \
    static_assert(__is_integral(M) && sizeof(M) == 8, \
                  "the lane mask of a _sync function is a 64-bit integer")
#endif

template <typename M = unsigned long long>
LS_HIP_DEVICE void
__syncwarp(M mask = ~(M)0)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__syncwarp", mask);
    __ls_sync_warp();
}

template <typename M, typename T>
LS_HIP_DEVICE T
__shfl_sync(M mask, T value, int lane, int width = warpSize)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__shfl_sync", mask);
    return __shfl(value, lane, width);
}

template <typename M, typename T>
LS_HIP_DEVICE T
__shfl_up_sync(M mask, T value, unsigned int delta, int width = warpSize)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__shfl_up_sync", mask);
    return __shfl_up(value, delta, width);
}

template <typename M, typename T>
LS_HIP_DEVICE T
__shfl_down_sync(M mask, T value, unsigned int delta, int width = warpSize)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__shfl_down_sync", mask);
    return __shfl_down(value, delta, width);
}

template <typename M, typename T>
LS_HIP_DEVICE T
__shfl_xor_sync(M mask, T value, int lane_mask, int width = warpSize)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__shfl_xor_sync", mask);
    return __shfl_xor(value, lane_mask, width);
}

template <typename M>
LS_HIP_DEVICE __ls_lanes
__ballot_sync(M mask, int predicate)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__ballot_sync", mask);
    return __ls_ballot(predicate != 0) & (unsigned long long)mask;
}

template <typename M>
LS_HIP_DEVICE int
__any_sync(M mask, int predicate)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__any_sync", mask);
    return (__ls_ballot(predicate != 0) & (unsigned long long)mask) != 0;
}

template <typename M>
LS_HIP_DEVICE int
__all_sync(M mask, int predicate)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__all_sync", mask);
    return (__ls_ballot(predicate == 0) & (unsigned long long)mask) == 0;
}

template <typename M, typename T>
LS_HIP_DEVICE __ls_lanes
__match_any_sync(M mask, T value)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__match_any_sync", mask);
    return __match_any(value) & (unsigned long long)mask;
}

/* Groups with different masks may call this together, so each lane looks at its own mask. */
template <typename M, typename T>
LS_HIP_DEVICE __ls_lanes
__match_all_sync(M mask, T value, int *predicate)
{
    LS_HIP_CHECK_MASK(M);
    LS_HIP_LANES_MEET("__match_all_sync", mask);
    unsigned long long int members = __ls_ballot(true) & (unsigned long long)mask;
    bool all = (__match_any(value) & members) == members;

    *predicate = all;
    return all ? members : 0;
}

/* Reductions over the lanes of a mask. All lanes are read in a fixed order, so that lanes with
 * different masks may reduce together. */
template <typename T, typename Op>
LS_HIP_DEVICE T
__ls_reduce(unsigned long long mask, T value, T identity, Op op)
{
    unsigned long long members = __ls_ballot(true) & mask;
    T result = identity;

    if (__ls_ballot(members != ~0ull >> (64 - LS_HIP_WARP_SIZE)) == 0) {
        result = value;
#pragma unroll
        for (int step = LS_HIP_WARP_SIZE / 2; step > 0; step /= 2)
            result = op(result, __ls_shfl_xor(result, step, LS_HIP_WARP_SIZE));
        return result;
    }
    unsigned long long active = __ls_ballot(true);
    while (active) {
        int lane = __builtin_ctzll(active);
        T other = __ls_read_lane(value, lane);
        if (members >> lane & 1)
            result = op(result, other);
        active &= active - 1;
    }
    return result;
}

#define LS_HIP_REDUCE(name, T, identity, expression) \
    template <typename M> \
    LS_HIP_DEVICE T __reduce_##name##_sync(M mask, T value) \
    { \
        LS_HIP_CHECK_MASK(M); \
        LS_HIP_LANES_MEET("__reduce_" #name "_sync", mask); \
        return __ls_reduce((unsigned long long)mask, value, (T)(identity), \
                           [] __device__(T a, T b) { return (T)(expression); }); \
    }

/* Integers, and floating point in no particular order. */
#define LS_HIP_REDUCE_NUMBERS(T, low, high) \
    LS_HIP_REDUCE(add, T, 0, a + b) \
    LS_HIP_REDUCE(min, T, high, a < b ? a : b) \
    LS_HIP_REDUCE(max, T, low, a > b ? a : b)
#define LS_HIP_REDUCE_BITS(T) \
    LS_HIP_REDUCE(and, T, ~(T)0, a & b) \
    LS_HIP_REDUCE(or, T, 0, a | b) \
    LS_HIP_REDUCE(xor, T, 0, a ^ b)

LS_HIP_REDUCE(add, int, 0, (unsigned int)a + (unsigned int)b)
LS_HIP_REDUCE(add, unsigned int, 0, a + b)
LS_HIP_REDUCE(min, int, __INT_MAX__, a < b ? a : b)
LS_HIP_REDUCE(min, unsigned int, ~0u, a < b ? a : b)
LS_HIP_REDUCE(max, int, -__INT_MAX__ - 1, a > b ? a : b)
LS_HIP_REDUCE(max, unsigned int, 0, a > b ? a : b)
LS_HIP_REDUCE(and, unsigned int, ~0u, a & b)
LS_HIP_REDUCE(or, unsigned int, 0, a | b)
LS_HIP_REDUCE(xor, unsigned int, 0, a ^ b)
LS_HIP_REDUCE_NUMBERS(long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
LS_HIP_REDUCE_NUMBERS(unsigned long long, 0, ~0ull)
LS_HIP_REDUCE_NUMBERS(float, -__builtin_inff(), __builtin_inff())
LS_HIP_REDUCE_NUMBERS(double, -__builtin_inf(), __builtin_inf())
LS_HIP_REDUCE_BITS(int)
LS_HIP_REDUCE_BITS(long long)
LS_HIP_REDUCE_BITS(unsigned long long)
#undef LS_HIP_REDUCE_BITS
#undef LS_HIP_REDUCE_NUMBERS
#undef LS_HIP_REDUCE

/* The hardware's own permutes. Patterns are constants, as the instructions ask. */

LS_HIP_DEVICE unsigned int
__hip_ds_bpermute(int index, unsigned int value)
{
    return (unsigned int)__builtin_amdgcn_ds_bpermute(index, (int)value);
}

LS_HIP_DEVICE float
__hip_ds_bpermutef(int index, float value)
{
    int moved = __builtin_amdgcn_ds_bpermute(index, __builtin_bit_cast(int, value));
    return __builtin_bit_cast(float, moved);
}

LS_HIP_DEVICE unsigned int
__hip_ds_permute(int index, unsigned int value)
{
    return (unsigned int)__builtin_amdgcn_ds_permute(index, (int)value);
}

LS_HIP_DEVICE float
__hip_ds_permutef(int index, float value)
{
    int moved = __builtin_amdgcn_ds_permute(index, __builtin_bit_cast(int, value));
    return __builtin_bit_cast(float, moved);
}

template <int Pattern>
LS_HIP_DEVICE unsigned int
__hip_ds_swizzle_N(unsigned int value)
{
    return (unsigned int)__builtin_amdgcn_ds_swizzle((int)value, Pattern);
}

template <int Pattern>
LS_HIP_DEVICE float
__hip_ds_swizzlef_N(float value)
{
    int moved = __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, value), Pattern);
    return __builtin_bit_cast(float, moved);
}

template <int Ctrl, int RowMask, int BankMask, bool BoundCtrl>
LS_HIP_DEVICE int
__hip_move_dpp_N(int value)
{
    return __builtin_amdgcn_mov_dpp(value, Ctrl, RowMask, BankMask, BoundCtrl);
}

#define __hip_ds_swizzle(value, pattern)  __hip_ds_swizzle_N<(pattern)>((value))
#define __hip_ds_swizzlef(value, pattern) __hip_ds_swizzlef_N<(pattern)>((value))
#define __hip_move_dpp(value, ctrl, row_mask, bank_mask, bound_ctrl) \
    __hip_move_dpp_N<(ctrl), (row_mask), (bank_mask), (bound_ctrl)>((value))

LS_HIP_DEVICE unsigned int
__mbcnt_lo(unsigned int mask, unsigned int base)
{
    return __builtin_amdgcn_mbcnt_lo(mask, base);
}

LS_HIP_DEVICE unsigned int
__mbcnt_hi(unsigned int mask, unsigned int base)
{
    return __builtin_amdgcn_mbcnt_hi(mask, base);
}

/* Which compute unit runs this block: one number here. */
LS_HIP_DEVICE unsigned int
__smid()
{
    return 0;
}

#endif
