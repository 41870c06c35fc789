/* SPDX-License-Identifier: MIT */
/* The API with a default stream for each thread, by the name of the part of AMD's headers that
 * programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_RUNTIME_PT_API_H
#define HIP_AMD_DETAIL_AMD_HIP_RUNTIME_PT_API_H

#include <hip/hip_runtime_api.h>

#endif
