/* SPDX-License-Identifier: MIT */
/* Which compiler this is, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_COMMON_H
#define HIP_AMD_DETAIL_AMD_HIP_COMMON_H

#include <hip/hip_common.h>

#endif
