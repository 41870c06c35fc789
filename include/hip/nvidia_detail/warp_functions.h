/* SPDX-License-Identifier: MIT */
/* Functions of a warp, and clocks, as HIP names them. CUDA 9 and later have only those forms that
 * name the lanes that meet. Shuffles are given all 32 lanes, as HIP's programs call them in step;
 * votes, by which programs also ask who is there, the lanes that are. */
#ifndef HIP_NVIDIA_DETAIL_WARP_FUNCTIONS_H
#define HIP_NVIDIA_DETAIL_WARP_FUNCTIONS_H

/* Headers of CUDA with the same names, before some of them are macros */
#include <cuda_fp16.h>
#if __has_include(<cuda/std/__functional/invoke.h>)
#include <cuda/std/__functional/invoke.h>
#endif

/* In host passes CUDA declares some of these, deprecated, for devices before 7.0. */
#pragma nv_diag_suppress 1444
#define LS_NV_SHUFFLE(name, by) \
    template <class T> __device__ inline T name(T value, by lane, int width = 32) \
    { \
        return name##_sync(0xffffffffu, value, lane, width); \
    }
LS_NV_SHUFFLE(__shfl, int)
LS_NV_SHUFFLE(__shfl_up, unsigned int)
LS_NV_SHUFFLE(__shfl_down, unsigned int)
LS_NV_SHUFFLE(__shfl_xor, int)
#undef LS_NV_SHUFFLE

namespace hip_impl {
__device__ inline int
ls_any(int predicate)
{
    return __any_sync(__activemask(), predicate);
}

__device__ inline int
ls_all(int predicate)
{
    return __all_sync(__activemask(), predicate);
}

/* 64 bits, as HIP has it everywhere; the upper 32 are 0. */
__device__ inline unsigned long long
ls_ballot(int predicate)
{
    return __ballot_sync(__activemask(), predicate);
}
} // namespace hip_impl

/* Macros, since CUDA still declares functions of these names, which no device of today has. */
#define __any(...)      hip_impl::ls_any(__VA_ARGS__)
#define __all(...)      hip_impl::ls_all(__VA_ARGS__)
#define __ballot(...)   hip_impl::ls_ballot(__VA_ARGS__)
#define __ballot64(...) hip_impl::ls_ballot(__VA_ARGS__)

__device__ inline unsigned int
__lane_id()
{
    unsigned int lane;

    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

#define LS_NV_LANES(name) \
    __device__ inline unsigned long long __lanemask_##name() \
    { \
        unsigned int lanes; \
        asm("mov.u32 %0, %%lanemask_" #name ";" : "=r"(lanes)); \
        return lanes; \
    }
LS_NV_LANES(lt)
LS_NV_LANES(le)
LS_NV_LANES(eq)
LS_NV_LANES(ge)
LS_NV_LANES(gt)
#undef LS_NV_LANES

/* Nanoseconds: hipDeviceAttributeWallClockRate is 1,000,000 kHz. */
__device__ inline long long
wall_clock64()
{
    long long now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

#define __clock()   clock()
#define __clock64() clock64()

#endif
