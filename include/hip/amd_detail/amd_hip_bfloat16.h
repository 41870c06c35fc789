/* SPDX-License-Identifier: MIT */
/* The older bfloat16, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_BFLOAT16_H
#define HIP_AMD_DETAIL_AMD_HIP_BFLOAT16_H

#include <hip/hip_bfloat16.h>

#endif
