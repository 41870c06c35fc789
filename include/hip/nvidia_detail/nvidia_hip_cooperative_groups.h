/* SPDX-License-Identifier: MIT */
/* Cooperative groups on NVIDIA's platform: CUDA's. */
#ifndef HIP_NVIDIA_DETAIL_HIP_COOPERATIVE_GROUPS_H
#define HIP_NVIDIA_DETAIL_HIP_COOPERATIVE_GROUPS_H

#include <hip/hip_runtime.h>

#if defined(__CUDACC__) && defined(__cplusplus)
#include <cooperative_groups.h>
#endif

#endif
