/* SPDX-License-Identifier: MIT */
/* Constants of mathematics, by the name of the part of AMD's headers that programs include it
 * by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_MATH_CONSTANTS_H
#define HIP_AMD_DETAIL_AMD_HIP_MATH_CONSTANTS_H

#include <hip/hip_math_constants.h>

#endif
