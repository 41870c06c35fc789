/* SPDX-License-Identifier: MIT */
/* Complex numbers, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_COMPLEX_H
#define HIP_AMD_DETAIL_AMD_HIP_COMPLEX_H

#include <hip/hip_complex.h>

#endif
