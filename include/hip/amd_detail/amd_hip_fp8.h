/* SPDX-License-Identifier: MIT */
/* 8-bit floating point, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_FP8_H
#define HIP_AMD_DETAIL_AMD_HIP_FP8_H

#include <hip/hip_fp8.h>

#endif
