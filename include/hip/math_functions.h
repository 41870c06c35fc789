/* SPDX-License-Identifier: MIT */
/* Mathematics of the kernel language: clang's own headers bring it. */
#ifndef HIP_MATH_FUNCTIONS_H
#define HIP_MATH_FUNCTIONS_H

/* One of AMD's include guards, by which programs see what is included. */
#define HIP_INCLUDE_HIP_MATH_FUNCTIONS_H

#include <hip/hip_runtime.h>
#endif
