/* SPDX-License-Identifier: MIT */
/* Short vectors, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_VECTOR_TYPES_H
#define HIP_AMD_DETAIL_AMD_HIP_VECTOR_TYPES_H

#include <hip/hip_vector_types.h>

#endif
