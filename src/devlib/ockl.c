/* SPDX-License-Identifier: MIT */
/* Functions of AMD's OCKL library that headers and programs call by name, for any wave size. */

#include "devlib.h"

#define LS_OCKL __attribute__((visibility("hidden"), always_inline))

typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef unsigned short ushort2 __attribute__((ext_vector_type(2)));
typedef signed char char4 __attribute__((ext_vector_type(4)));
typedef unsigned char uchar4 __attribute__((ext_vector_type(4)));

/* Dot products: a . b + c, clamped to the result's type if asked. */

static int32_t
clamp_i32(int64_t x, bool saturate)
{
    if (saturate)
        x = x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
    return (int32_t)x;
}

static uint32_t
clamp_u32(uint64_t x, bool saturate)
{
    return saturate && x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}

LS_OCKL float __ockl_fdot2(half2 a, half2 b, float c, bool saturate);
LS_OCKL float
__ockl_fdot2(half2 a, half2 b, float c, bool saturate)
{
    float r = __builtin_fmaf((float)a.x, (float)b.x, __builtin_fmaf((float)a.y, (float)b.y, c));
    if (saturate)
        r = __builtin_fminf(__builtin_fmaxf(r, 0.0f), 1.0f);
    return r;
}

LS_OCKL int32_t __ockl_sdot2(short2 a, short2 b, int32_t c, bool saturate);
LS_OCKL int32_t
__ockl_sdot2(short2 a, short2 b, int32_t c, bool saturate)
{
    return clamp_i32((int64_t)a.x * b.x + (int64_t)a.y * b.y + c, saturate);
}

LS_OCKL uint32_t __ockl_udot2(ushort2 a, ushort2 b, uint32_t c, bool saturate);
LS_OCKL uint32_t
__ockl_udot2(ushort2 a, ushort2 b, uint32_t c, bool saturate)
{
    return clamp_u32((uint64_t)a.x * b.x + (uint64_t)a.y * b.y + c, saturate);
}

LS_OCKL int32_t __ockl_sdot4(char4 a, char4 b, int32_t c, bool saturate);
LS_OCKL int32_t
__ockl_sdot4(char4 a, char4 b, int32_t c, bool saturate)
{
    return clamp_i32((int64_t)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + c, saturate);
}

LS_OCKL uint32_t __ockl_udot4(uchar4 a, uchar4 b, uint32_t c, bool saturate);
LS_OCKL uint32_t
__ockl_udot4(uchar4 a, uchar4 b, uint32_t c, bool saturate)
{
    uint32_t products = (uint32_t)a.x * b.x + (uint32_t)a.y * b.y + (uint32_t)a.z * b.z +
                        (uint32_t)a.w * b.w;
    return clamp_u32((uint64_t)products + c, saturate);
}

LS_OCKL int32_t __ockl_sdot8(int32_t a, int32_t b, int32_t c, bool saturate);
LS_OCKL int32_t
__ockl_sdot8(int32_t a, int32_t b, int32_t c, bool saturate)
{
    int64_t sum = c;
    for (int i = 0; i < 32; i += 4)
        sum += ((int32_t)((uint32_t)a << (28 - i)) >> 28) *
               ((int32_t)((uint32_t)b << (28 - i)) >> 28);
    return clamp_i32(sum, saturate);
}

LS_OCKL uint32_t __ockl_udot8(uint32_t a, uint32_t b, uint32_t c, bool saturate);
LS_OCKL uint32_t
__ockl_udot8(uint32_t a, uint32_t b, uint32_t c, bool saturate)
{
    uint64_t sum = c;
    for (int i = 0; i < 32; i += 4)
        sum += ((a >> i) & 15) * ((b >> i) & 15);
    return clamp_u32(sum, saturate);
}

/* Integers. clz and ctz of zero are the width. */

LS_OCKL uint32_t __ockl_clz_u32(uint32_t x);
LS_OCKL uint32_t
__ockl_clz_u32(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}

LS_OCKL uint64_t __ockl_clz_u64(uint64_t x);
LS_OCKL uint64_t
__ockl_clz_u64(uint64_t x)
{
    return x ? (uint64_t)__builtin_clzll(x) : 64;
}

LS_OCKL uint32_t __ockl_ctz_u32(uint32_t x);
LS_OCKL uint32_t
__ockl_ctz_u32(uint32_t x)
{
    return x ? (uint32_t)__builtin_ctz(x) : 32;
}

LS_OCKL uint64_t __ockl_ctz_u64(uint64_t x);
LS_OCKL uint64_t
__ockl_ctz_u64(uint64_t x)
{
    return x ? (uint64_t)__builtin_ctzll(x) : 64;
}

LS_OCKL uint32_t __ockl_popcount_u32(uint32_t x);
LS_OCKL uint32_t
__ockl_popcount_u32(uint32_t x)
{
    return (uint32_t)__builtin_popcount(x);
}

LS_OCKL uint64_t __ockl_popcount_u64(uint64_t x);
LS_OCKL uint64_t
__ockl_popcount_u64(uint64_t x)
{
    return (uint64_t)__builtin_popcountll(x);
}

LS_OCKL int32_t __ockl_mul24_i32(int32_t x, int32_t y);
LS_OCKL int32_t
__ockl_mul24_i32(int32_t x, int32_t y)
{
    return (int32_t)((uint32_t)((int32_t)((uint32_t)x << 8) >> 8) *
                     (uint32_t)((int32_t)((uint32_t)y << 8) >> 8));
}

LS_OCKL uint32_t __ockl_mul24_u32(uint32_t x, uint32_t y);
LS_OCKL uint32_t
__ockl_mul24_u32(uint32_t x, uint32_t y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}

LS_OCKL int32_t __ockl_mul_hi_i32(int32_t x, int32_t y);
LS_OCKL int32_t
__ockl_mul_hi_i32(int32_t x, int32_t y)
{
    return (int32_t)((int64_t)x * y >> 32);
}

LS_OCKL uint32_t __ockl_mul_hi_u32(uint32_t x, uint32_t y);
LS_OCKL uint32_t
__ockl_mul_hi_u32(uint32_t x, uint32_t y)
{
    return (uint32_t)((uint64_t)x * y >> 32);
}

LS_OCKL int64_t __ockl_mul_hi_i64(int64_t x, int64_t y);
LS_OCKL int64_t
__ockl_mul_hi_i64(int64_t x, int64_t y)
{
    return (int64_t)((__int128)x * y >> 64);
}

LS_OCKL uint64_t __ockl_mul_hi_u64(uint64_t x, uint64_t y);
LS_OCKL uint64_t
__ockl_mul_hi_u64(uint64_t x, uint64_t y)
{
    return (uint64_t)((unsigned __int128)x * y >> 64);
}

/* |x - y| + z */
LS_OCKL uint32_t __ockl_sadd_u32(uint32_t x, uint32_t y, uint32_t z);
LS_OCKL uint32_t
__ockl_sadd_u32(uint32_t x, uint32_t y, uint32_t z)
{
    return (x > y ? x - y : y - x) + z;
}

/* Places. Sizes and counts come from the hidden arguments of code object v5. */

struct hidden_args {
    uint32_t block_count[3];
    uint16_t group_size[3];
    uint16_t remainder[3];
};

static const __attribute__((address_space(4))) struct hidden_args *
hidden(void)
{
    return (const __attribute__((address_space(4))) struct hidden_args *)
        __builtin_amdgcn_implicitarg_ptr();
}

/* Selects by axis, which need not be constant. All three values are read before: hidden arguments
 * have constant offsets only. */
static inline __attribute__((always_inline)) uint32_t
of_axis(uint32_t axis, uint32_t x, uint32_t y, uint32_t z)
{
    return axis == 0 ? x : axis == 1 ? y : axis == 2 ? z : 1;
}

LS_OCKL uint32_t __ockl_lane_u32(void);
LS_OCKL uint32_t
__ockl_lane_u32(void)
{
#if LS_WAVE == 32
    return __builtin_amdgcn_mbcnt_lo(~0u, 0);
#else
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
#endif
}

LS_OCKL size_t __ockl_get_local_id(uint32_t axis);
LS_OCKL size_t
__ockl_get_local_id(uint32_t axis)
{
    switch (axis) {
    case 0: return __builtin_amdgcn_workitem_id_x();
    case 1: return __builtin_amdgcn_workitem_id_y();
    case 2: return __builtin_amdgcn_workitem_id_z();
    default: return 0;
    }
}

LS_OCKL size_t __ockl_get_group_id(uint32_t axis);
LS_OCKL size_t
__ockl_get_group_id(uint32_t axis)
{
    switch (axis) {
    case 0: return __builtin_amdgcn_workgroup_id_x();
    case 1: return __builtin_amdgcn_workgroup_id_y();
    case 2: return __builtin_amdgcn_workgroup_id_z();
    default: return 0;
    }
}

LS_OCKL size_t __ockl_get_local_size(uint32_t axis);
LS_OCKL size_t
__ockl_get_local_size(uint32_t axis)
{
    return of_axis(axis, hidden()->group_size[0], hidden()->group_size[1], hidden()->group_size[2]);
}

LS_OCKL size_t __ockl_get_enqueued_local_size(uint32_t axis);
LS_OCKL size_t
__ockl_get_enqueued_local_size(uint32_t axis)
{
    return __ockl_get_local_size(axis);
}

LS_OCKL size_t __ockl_get_num_groups(uint32_t axis);
LS_OCKL size_t
__ockl_get_num_groups(uint32_t axis)
{
    return of_axis(axis, hidden()->block_count[0], hidden()->block_count[1],
                   hidden()->block_count[2]);
}

LS_OCKL size_t __ockl_get_global_size(uint32_t axis);
LS_OCKL size_t
__ockl_get_global_size(uint32_t axis)
{
    return __ockl_get_num_groups(axis) * __ockl_get_local_size(axis);
}

LS_OCKL size_t __ockl_get_global_id(uint32_t axis);
LS_OCKL size_t
__ockl_get_global_id(uint32_t axis)
{
    return __ockl_get_group_id(axis) * __ockl_get_local_size(axis) + __ockl_get_local_id(axis);
}

LS_OCKL size_t __ockl_get_global_offset(uint32_t axis);
LS_OCKL size_t
__ockl_get_global_offset(uint32_t axis)
{
    (void)axis;
    return 0;
}

LS_OCKL uint32_t __ockl_get_work_dim(void);
LS_OCKL uint32_t
__ockl_get_work_dim(void)
{
    return 3;
}

/* Clocks */

LS_OCKL uint64_t __ockl_steadyctr_u64(void);
LS_OCKL uint64_t
__ockl_steadyctr_u64(void)
{
    return __builtin_readsteadycounter();
}

LS_OCKL uint64_t __ockl_cyclectr_u64(void);
LS_OCKL uint64_t
__ockl_cyclectr_u64(void)
{
    return __builtin_readcyclecounter();
}

/* Grids launched together on several devices: what the host knows, by question (kernel_abi.h). */

uint64_t __ls_multi_grid(uint32_t question);
void __ls_grid_sync(void);

enum { N_GRIDS = 0, RANK, THREADS_BEFORE, THREADS, IS_VALID, MEET };

LS_OCKL uint32_t __ockl_multi_grid_num_grids(void);
LS_OCKL uint32_t
__ockl_multi_grid_num_grids(void)
{
    return (uint32_t)__ls_multi_grid(N_GRIDS);
}

LS_OCKL uint32_t __ockl_multi_grid_grid_rank(void);
LS_OCKL uint32_t
__ockl_multi_grid_grid_rank(void)
{
    return (uint32_t)__ls_multi_grid(RANK);
}

LS_OCKL uint32_t __ockl_multi_grid_size(void);
LS_OCKL uint32_t
__ockl_multi_grid_size(void)
{
    return (uint32_t)__ls_multi_grid(THREADS);
}

/* Blocks have whole shape. */
static uint64_t
rank_in_grid(void)
{
    uint64_t block = 0;
    uint32_t thread = 0;

    for (uint32_t axis = 3; axis-- > 0;) {
        block = block * __ockl_get_num_groups(axis) + __ockl_get_group_id(axis);
        thread =
            thread * (uint32_t)__ockl_get_local_size(axis) + (uint32_t)__ockl_get_local_id(axis);
    }
    return block *
               (__ockl_get_local_size(0) * __ockl_get_local_size(1) * __ockl_get_local_size(2)) +
           thread;
}

LS_OCKL uint32_t __ockl_multi_grid_thread_rank(void);
LS_OCKL uint32_t
__ockl_multi_grid_thread_rank(void)
{
    return (uint32_t)(__ls_multi_grid(THREADS_BEFORE) + rank_in_grid());
}

LS_OCKL int __ockl_multi_grid_is_valid(void);
LS_OCKL int
__ockl_multi_grid_is_valid(void)
{
    return (int)__ls_multi_grid(IS_VALID);
}

LS_OCKL void __ockl_multi_grid_sync(void);
LS_OCKL void
__ockl_multi_grid_sync(void)
{
    __ls_grid_sync();
    if (rank_in_grid() == 0)
        __ls_multi_grid(MEET);
    __ls_grid_sync();
}
