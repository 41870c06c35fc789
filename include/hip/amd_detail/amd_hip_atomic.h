/* SPDX-License-Identifier: MIT */
/* The kernel language, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_ATOMIC_H
#define HIP_AMD_DETAIL_AMD_HIP_ATOMIC_H

#include <hip/hip_runtime.h>

#endif
