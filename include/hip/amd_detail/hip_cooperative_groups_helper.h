/* SPDX-License-Identifier: MIT */
/* Cooperative groups, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_HIP_COOPERATIVE_GROUPS_HELPER_H
#define HIP_AMD_DETAIL_HIP_COOPERATIVE_GROUPS_HELPER_H

#include <hip/hip_cooperative_groups.h>

#endif
