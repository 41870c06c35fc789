/* SPDX-License-Identifier: MIT */
/* Functions of AMD's OCKL library under the types by which AMD's device_library_decls.h declares
 * them, for programs that call them without a declaration of their own. */
#ifndef HIP_DETAIL_OCKL_H
#define HIP_DETAIL_OCKL_H

#include <hip/detail/device_core.h>

#define LS_HIP_OCKL extern "C" __device__ __attribute__((const))

LS_HIP_OCKL uint32_t __ockl_lane_u32();
LS_HIP_OCKL size_t __ockl_get_local_id(uint axis);
LS_HIP_OCKL size_t __ockl_get_group_id(uint axis);
LS_HIP_OCKL size_t __ockl_get_local_size(uint axis);
LS_HIP_OCKL size_t __ockl_get_num_groups(uint axis);

LS_HIP_OCKL uint __ockl_clz_u32(uint x);
LS_HIP_OCKL uint64_t __ockl_clz_u64(uint64_t x);
LS_HIP_OCKL int __ockl_mul24_i32(int x, int y);
LS_HIP_OCKL uint __ockl_mul24_u32(uint x, uint y);
LS_HIP_OCKL int __ockl_mul_hi_i32(int x, int y);
LS_HIP_OCKL uint __ockl_mul_hi_u32(uint x, uint y);
/* |x - y| + z */
LS_HIP_OCKL uint __ockl_sadd_u32(uint x, uint y, uint z);

/* a . b + c, clamped to the result's type if asked */
LS_HIP_OCKL int __ockl_sdot2(HIP_vector_base<short, 2>::Native_vec_ a,
                             HIP_vector_base<short, 2>::Native_vec_ b, int c, bool saturate);
LS_HIP_OCKL uint __ockl_udot2(HIP_vector_base<unsigned short, 2>::Native_vec_ a,
                              HIP_vector_base<unsigned short, 2>::Native_vec_ b, uint c,
                              bool saturate);
LS_HIP_OCKL int __ockl_sdot4(HIP_vector_base<char, 4>::Native_vec_ a,
                             HIP_vector_base<char, 4>::Native_vec_ b, int c, bool saturate);
LS_HIP_OCKL uint __ockl_udot4(HIP_vector_base<unsigned char, 4>::Native_vec_ a,
                              HIP_vector_base<unsigned char, 4>::Native_vec_ b, uint c,
                              bool saturate);
LS_HIP_OCKL int __ockl_sdot8(int a, int b, int c, bool saturate);
LS_HIP_OCKL uint __ockl_udot8(uint a, uint b, uint c, bool saturate);

/* A counter of constant rate, as wall_clock64 */
extern "C" __device__ unsigned long long __ockl_steadyctr_u64();

#undef LS_HIP_OCKL

#endif
