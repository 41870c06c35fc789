/* SPDX-License-Identifier: MIT */
/* bfloat16, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_BF16_H
#define HIP_AMD_DETAIL_AMD_HIP_BF16_H

#include <hip/hip_bf16.h>

#endif
