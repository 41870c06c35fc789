/* SPDX-License-Identifier: MIT */
/* 16-bit floating point, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_HIP_FP16_MATH_FWD_H
#define HIP_AMD_DETAIL_HIP_FP16_MATH_FWD_H

#include <hip/hip_fp16.h>

#endif
