/* SPDX-License-Identifier: MIT */
/* Names and operators of AMD's headers that programs use seldom, and what they give. The headers
 * are included by the names of their parts. */
// FLAGS: -Wall -Wextra -Werror -DHIP_NO_HALF -I $SOURCE/include
// ARCH: gfx1100
// OPT: -O3
// ISA: native
#include <hip/amd_detail/amd_hip_runtime.h>
#include <hip/amd_detail/amd_channel_descriptor.h>
#include <hip/amd_detail/amd_device_functions.h>
#include <hip/amd_detail/amd_hip_atomic.h>
#include <hip/amd_detail/amd_hip_bf16.h>
#include <hip/amd_detail/amd_hip_bfloat16.h>
#include <hip/amd_detail/amd_hip_common.h>
#include <hip/amd_detail/amd_hip_complex.h>
#include <hip/amd_detail/amd_hip_cooperative_groups.h>
#include <hip/amd_detail/amd_hip_fp16.h>
#include <hip/amd_detail/amd_hip_fp8.h>
#include <hip/amd_detail/amd_hip_gl_interop.h>
#include <hip/amd_detail/amd_hip_math_constants.h>
#include <hip/amd_detail/amd_hip_runtime_pt_api.h>
#include <hip/amd_detail/amd_hip_unsafe_atomics.h>
#include <hip/amd_detail/amd_hip_vector_types.h>
#include <hip/amd_detail/amd_math_functions.h>
#include <hip/amd_detail/amd_surface_functions.h>
#include <hip/amd_detail/amd_warp_functions.h>
#include <hip/amd_detail/amd_warp_sync_functions.h>
#include <hip/amd_detail/device_library_decls.h>
#include <hip/amd_detail/hip_cooperative_groups_helper.h>
#include <hip/amd_detail/hip_fp16_gcc.h>
#include <hip/amd_detail/hip_fp16_math_fwd.h>
#include <hip/amd_detail/hip_ldg.h>
#include <hip/amd_detail/host_defines.h>
#include <hip/amd_detail/math_fwd.h>
#include <hip/amd_detail/texture_fetch_functions.h>
#include <hip/amd_detail/texture_indirect_functions.h>

typedef struct own_half half; /* HIP_NO_HALF leaves the name to the program */

#if !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_H) || !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H) || \
    !defined(HIP_INCLUDE_HIP_AMD_DETAIL_HIP_VECTOR_TYPES_H) || !defined(HIP_INCLUDE_HIP_HIP_FP16_H)
#error "programs ask for AMD's guards"
#endif

#include "../check.h"

namespace cg = cooperative_groups;

static_assert(HIP_FP8_TYPE_OCP && HIP_FP8_TYPE_FNUZ, "gfx1100 has neither in hardware");
static_assert(__hip_fp8_e4m3::__we == 4 && __hip_fp8x2_e4m3_fnuz::__wm == 3, "4 bits, 3 bits");
static_assert(__hip_fp8_e5m2::__we == 5 && __hip_fp8x4_e5m2_fnuz::__wm == 2, "5 bits, 2 bits");
static_assert(__is_same(decltype(__hisinf(__half())), bool), "a bool");
static_assert(__builtin_bit_cast(unsigned, HIP_NAN_F) == 0x7fffffff, "the bits of AMD's");
static_assert(__builtin_bit_cast(ullong, HIP_NAN) == 0xfff8000000000000, "the bits of AMD's");
static_assert(__is_assignable(__half &, __half_raw) &&
                  __is_assignable(__half &, volatile __half_raw &&) &&
                  __is_assignable(__half &, const __half_raw &) &&
                  __is_assignable(__half &, volatile __half_raw &) &&
                  __is_assignable(volatile __half &, __half_raw) &&
                  __is_assignable(volatile __half &, volatile __half_raw &),
              "all that AMD's takes");
/* Which operators vectors have: AMD's assign a scalar with + - * / alone, and negate what has a
 * sign. */
template <typename V, typename = decltype(std::declval<V &>() += 1)> char adds_scalar(V *);
template <typename V> long adds_scalar(...);
template <typename V, typename = decltype(std::declval<V &>() &= 1)> char ands_scalar(V *);
template <typename V> long ands_scalar(...);
template <typename V, typename = decltype(std::declval<V &>() &= std::declval<V>())>
char ands_vector(V *);
template <typename V> long ands_vector(...);
template <typename V, typename = decltype(-std::declval<V>())> char negates(V *);
template <typename V> long negates(...);
#define HAS(what, V) (sizeof(what<V>((V *)nullptr)) == 1)
static_assert(HAS(adds_scalar, uchar1) && HAS(adds_scalar, int3) && HAS(adds_scalar, double4), "");
static_assert(!HAS(ands_scalar, uchar1) && !HAS(ands_scalar, int3) && !HAS(ands_scalar, float2),
              "");
static_assert(HAS(ands_vector, uchar1) && HAS(ands_vector, int3) && !HAS(ands_vector, float2), "");
static_assert(!HAS(negates, uint2) && HAS(negates, int2) && HAS(negates, float4), "");
static_assert(sizeof(ullong) == 8 && CUDA_SUCCESS == hipSuccess, "");

enum { N_FLOATS = 16, N_WORDS = 24, LANES = 32 };

__host__ __device__ static void
floats(float *o)
{
    __hip_bfloat16 a = 3.0f;
    o[0] = (float)a++;
    o[1] = (float)a--;
    o[2] = (float)a;
    __hip_bfloat162 p(__hip_bfloat16(1.0f), __hip_bfloat16(-2.0f)), q = p++;
    o[3] = (float)q.y + 10 * (float)p.y;
    q = --p;
    o[4] = (float)q.x + 10 * (float)(p--).x;
    q = +p;
    ++q;
    o[5] = (float)q.x + 10 * (float)q.y;
    p = __hip_bfloat162(__hip_bfloat16(__builtin_nanf("")), __hip_bfloat16(1.0f));
    p = __hisnan2(p);
    o[6] = (float)p.x + 10 * (float)p.y;
    volatile __hip_bfloat16 v;
    (v = __hip_bfloat16_raw{0x4040}) = __hip_bfloat16_raw{0x4080};
    __hip_bfloat16_raw raw = v;
    o[7] = raw.x;
    volatile __half h;
    __half_raw one, two;
    one.x = 0x3c00;
    two.x = 0x4000;
    (h = one) = two;
    __half_raw back = h;
    o[8] = back.x;
    __half low = __ushort_as_half(0xfc00);
    __half2 both = __hisinf2(__half2(low, __ushort_as_half(0x7c00)));
    o[9] = (float)__hisinf(low) + 10 * (float)both.x + 100 * (float)both.y;
}

static const float float_results[10] = {3, 4, 3, -12, 11, -19, 1, 0x4080, 0x4000, 111};

__global__ void
names(float *f, unsigned long long *o)
{
    unsigned lane = threadIdx.x;
    unsigned swapped = __hip_ds_bpermute((int)(lane ^ 1) * 4, 0x80000000u + lane);
    unsigned pushed = __hip_ds_permute((int)(lane ^ 3) * 4, 0x80000000u + lane);
    unsigned turned = __hip_ds_swizzle(0x80000000u + lane, 0x041f); /* exchanges neighbours */
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 8);
    unsigned rank = tile.thread_rank();

    if (lane != 10)
        return;
    floats(f);
    o[0] = swapped;
    o[1] = pushed;
    o[2] = turned;
    o[3] = rank;
    o[4] = __ockl_lane_u32() + 100 * __ockl_get_local_id(0) + 10000 * __ockl_get_local_size(0);
    o[5] = __ockl_get_group_id(0) + 10 * __ockl_get_num_groups(0);
    o[6] = __ockl_clz_u32(1) + 100 * __ockl_clz_u64(1);
    o[7] = (unsigned long long)__ockl_mul24_i32(-3, 5) + __ockl_mul24_u32(0x1000003, 2);
    o[8] = (unsigned long long)__ockl_mul_hi_i32(-1, 1) + __ockl_mul_hi_u32(~0u, 2);
    o[9] = __ockl_sadd_u32(3, 5, 7);
    o[10] = (unsigned long long)__ockl_sdot2(short2(1, -2).data, short2(3, 4).data, 10, false);
    o[11] = __ockl_udot2(ushort2(1, 2).data, ushort2(3, 4).data, ~0u, true);
    o[12] =
        (unsigned long long)__ockl_sdot4(char4(1, -2, 3, 4).data, char4(1, 1, 1, 1).data, 0, false);
    o[13] = __ockl_udot4(uchar4(1, 2, 3, 4).data, uchar4(1, 1, 1, 1).data, 0, false);
    o[14] =
        (unsigned long long)__ockl_sdot8(0x1f, 0x11, 0, false) + __ockl_udot8(0x1f, 0x11, 0, false);
    o[15] = __ockl_steadyctr_u64() <= (unsigned long long)wall_clock64();
}

static const unsigned long long word_results[16] = {
    0x8000000bu, 0x80000009u, 0x8000000bu, 2,  10 + 1000 + 320000,
    10,          31 + 6300,   ~0ull - 8,   0,  9,
    5,           ~0u,         6,           10, 16,
    1,
};

/* Names that need more than a block to mean something: only compiled. */
__global__ void
unused(hipSurfaceObject_t surface, const cg::tiled_group *group)
{
    float texel = 1;
    surfCubemapLayeredwrite(&texel, surface, 0, 0, 0, 0);
    cg::tiled_group smaller = cg::tiled_partition(*group, 2);
    smaller.sync();
    (void)__reduce_add_sync(~0ull, 1);
}

int
main()
{
    float *f, on_host[N_FLOATS];
    unsigned long long *o;

    CHECK_HIP(hipMallocManaged((void **)&f, N_FLOATS * sizeof(*f), hipMemAttachGlobal));
    CHECK_HIP(hipMallocManaged((void **)&o, N_WORDS * sizeof(*o), hipMemAttachGlobal));
    names<<<1, LANES>>>(f, o);
    CHECK_RUN();
    floats(on_host);
    for (int i = 0; i < 10; i++) {
        CHECK(f[i] == float_results[i]);
        CHECK(on_host[i] == float_results[i]);
    }
    for (int i = 0; i < 16; i++)
        CHECK(o[i] == word_results[i]);
    return 0;
}
