/* SPDX-License-Identifier: MIT */
/* Cooperative groups: the grid, the block, and parts of a warp that work together. */
#ifndef HIP_COOPERATIVE_GROUPS_H
#define HIP_COOPERATIVE_GROUPS_H

#include <hip/hip_common.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <hip/nvidia_detail/nvidia_hip_cooperative_groups.h>
#else

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_HIP_COOPERATIVE_GROUP_H
#define HIP_INCLUDE_HIP_AMD_DETAIL_HIP_COOPERATIVE_GROUPS_H

#include <hip/hip_runtime.h>
#if __HIP_CLANG_ONLY__ && defined(__cplusplus)
#include <hip/detail/cooperative_groups.h>
#endif

#endif
#endif
