/* SPDX-License-Identifier: MIT */
/* Integer intrinsics, conversions and barriers of the kernel language. */
#ifndef HIP_DEVICE_FUNCTIONS_H
#define HIP_DEVICE_FUNCTIONS_H

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_DEVICE_FUNCTIONS_H

#include <hip/hip_runtime.h>
#endif
