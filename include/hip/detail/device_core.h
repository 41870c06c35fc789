/* SPDX-License-Identifier: MIT */
/* Where a thread is, barriers, fences, clocks, traps, printf and memory functions. */
#ifndef HIP_DETAIL_DEVICE_CORE_H
#define HIP_DETAIL_DEVICE_CORE_H

#include <hip/detail/launch.h>

#define LS_HIP_DEVICE static __device__ inline __attribute__((always_inline))

/* Short names that HIP's headers define, and that programs use. */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long long ullong;

/* The same constant in both passes: hipcc tells the host pass the device's width. */
#if defined(__AMDGCN_WAVEFRONT_SIZE)
#define LS_HIP_WARP_SIZE __AMDGCN_WAVEFRONT_SIZE
#else
#define LS_HIP_WARP_SIZE 32
#endif
static constexpr int warpSize = LS_HIP_WARP_SIZE;

/* Coordinates. The number of blocks stands at the start of the hidden arguments (code object v5).
 * threadIdx and its like are objects without storage, whose members are functions. */

LS_HIP_DEVICE unsigned int
__ls_grid_dim(unsigned int axis)
{
    typedef const __attribute__((address_space(4))) unsigned int constant_uint;
    return ((constant_uint *)__builtin_amdgcn_implicitarg_ptr())[axis];
}

#define LS_HIP_COORDINATE(tag, ex, ey, ez) \
    struct tag { \
        __declspec(property(get = get_x)) unsigned int x; \
        __declspec(property(get = get_y)) unsigned int y; \
        __declspec(property(get = get_z)) unsigned int z; \
        static __device__ __forceinline__ unsigned int get_x() { return ex; } \
        static __device__ __forceinline__ unsigned int get_y() { return ey; } \
        static __device__ __forceinline__ unsigned int get_z() { return ez; } \
        __device__ __forceinline__ operator dim3() const { return dim3(ex, ey, ez); } \
        __device__ __forceinline__ operator uint3() const { return uint3(ex, ey, ez); } \
    };

LS_HIP_COORDINATE(__hip_builtin_threadIdx_t, __builtin_amdgcn_workitem_id_x(),
                  __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
LS_HIP_COORDINATE(__hip_builtin_blockIdx_t, __builtin_amdgcn_workgroup_id_x(),
                  __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
LS_HIP_COORDINATE(__hip_builtin_blockDim_t, __builtin_amdgcn_workgroup_size_x(),
                  __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z())
LS_HIP_COORDINATE(__hip_builtin_gridDim_t, __ls_grid_dim(0), __ls_grid_dim(1), __ls_grid_dim(2))
#undef LS_HIP_COORDINATE

static const __device__ __hip_builtin_threadIdx_t threadIdx = {};
static const __device__ __hip_builtin_blockIdx_t blockIdx = {};
static const __device__ __hip_builtin_blockDim_t blockDim = {};
static const __device__ __hip_builtin_gridDim_t gridDim = {};

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x  blockIdx.x
#define hipBlockIdx_y  blockIdx.y
#define hipBlockIdx_z  blockIdx.z
#define hipBlockDim_x  blockDim.x
#define hipBlockDim_y  blockDim.y
#define hipBlockDim_z  blockDim.z
#define hipGridDim_x   gridDim.x
#define hipGridDim_y   gridDim.y
#define hipGridDim_z   gridDim.z

/* The lane of the warp. */
LS_HIP_DEVICE unsigned int
__lane_id()
{
#if LS_HIP_WARP_SIZE == 32
    return __builtin_amdgcn_mbcnt_lo(-1, 0);
#else
    return __builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0));
#endif
}

/* The lanes, among those that execute this, whose predicate holds. */
LS_HIP_DEVICE unsigned long long
__ls_ballot(bool predicate)
{
#if LS_HIP_WARP_SIZE == 32
    return __builtin_amdgcn_ballot_w32(predicate);
#else
    return __builtin_amdgcn_ballot_w64(predicate);
#endif
}

/* Fences and barriers */

LS_HIP_DEVICE void
__threadfence()
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}

LS_HIP_DEVICE void
__threadfence_block()
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}

LS_HIP_DEVICE void
__threadfence_system()
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}

LS_HIP_DEVICE void
__syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

typedef unsigned int __cl_mem_fence_flags;
#define __CLK_LOCAL_MEM_FENCE  0x01
#define __CLK_GLOBAL_MEM_FENCE 0x02

LS_HIP_DEVICE void
__barrier(int flags)
{
    (void)flags;
    __syncthreads();
}

LS_HIP_DEVICE void
__work_group_barrier(__cl_mem_fence_flags flags)
{
    (void)flags;
    __syncthreads();
}

LS_HIP_DEVICE void
__named_sync()
{
    __builtin_amdgcn_s_barrier();
}

/* The number of threads of the block whose predicate holds: each warp adds its ballot to a word of
 * LDS. The first lanes of all warps clear it, so that no particular thread must still be
 * running. */
static __device__ inline int
__ls_block_count(bool predicate)
{
    __shared__ int count;
    unsigned long long votes = __ls_ballot(predicate);
    unsigned long long active = __ls_ballot(true);
    bool leader = __lane_id() == (unsigned int)__builtin_ctzll(active);

    if (leader)
        count = 0;
    __syncthreads();
    if (leader && votes)
        __hip_atomic_fetch_add(&count, (int)__builtin_popcountll(votes), __ATOMIC_RELAXED,
                               __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    int total = count;
    __syncthreads(); /* nobody writes count again before all have read it */
    return total;
}

LS_HIP_DEVICE int
__syncthreads_count(int predicate)
{
    return __ls_block_count(predicate != 0);
}

LS_HIP_DEVICE int
__syncthreads_and(int predicate)
{
    return __ls_block_count(predicate == 0) == 0;
}

LS_HIP_DEVICE int
__syncthreads_or(int predicate)
{
    return __ls_block_count(predicate != 0) != 0;
}

/* Clocks: cycles of the device's own counter, and a counter of constant rate
 * (hipDeviceAttributeWallClockRate). */

LS_HIP_DEVICE long long int
__clock64()
{
    return (long long int)__builtin_readcyclecounter();
}

LS_HIP_DEVICE long long int
__clock()
{
    return __clock64();
}

LS_HIP_DEVICE long long int
clock64()
{
    return __clock64();
}

LS_HIP_DEVICE long long int
clock()
{
    return __clock64();
}

LS_HIP_DEVICE long long int
wall_clock64()
{
    return (long long int)__builtin_readsteadycounter();
}

/* Ends, prints */

extern "C" {

/* Prints message, place, block and thread, and ends the kernel. The kernel compiler knows it by
 * this name. */
__device__ __attribute__((noreturn)) void __ls_assert_fail(const char *message, const char *file,
                                                           unsigned int line, const char *function);
/* The same for abort(), which ends the process. */
__device__ __attribute__((noreturn)) void __ls_abort();

__device__ int printf(const char *format, ...);

__device__ inline __attribute__((weak, noreturn)) void
__assert_fail(const char *message, const char *file, unsigned int line, const char *function)
{
    __ls_assert_fail(message, file, line, function);
}

__device__ inline __attribute__((weak, noreturn)) void
__assertfail()
{
    __builtin_trap();
}

__device__ inline __attribute__((weak, noreturn)) void
abort()
{
    __ls_abort();
}
}

LS_HIP_DEVICE void
__trap()
{
    __builtin_trap();
}

/* What HIP leaves out of CUDA's kernel language (HIP Language Extensions, "Profiler Counter
 * Function"): said when it is used. */
__device__ void __prof_trigger(int counter)
    __attribute__((unavailable("HIP has no profiler counters in kernels")));

/* Memory */

LS_HIP_DEVICE void *
memcpy(void *dst, const void *src, size_t bytes)
{
    return __builtin_memcpy(dst, src, bytes);
}

LS_HIP_DEVICE void *
memset(void *dst, int value, size_t bytes)
{
    return __builtin_memset(dst, value, bytes);
}

/* If <cstring> was included before, std:: has only the host's functions: these add the device's. */
namespace std {
using ::memcpy;
using ::memset;
} // namespace std

LS_HIP_DEVICE void *
__get_dynamicgroupbaseptr()
{
    extern __shared__ char __ls_dynamic_lds[];
    return __ls_dynamic_lds;
}

LS_HIP_DEVICE void *
__amdgcn_get_dynamicgroupbaseptr()
{
    return __get_dynamicgroupbaseptr();
}

#endif
