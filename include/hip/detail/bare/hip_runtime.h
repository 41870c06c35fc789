/* SPDX-License-Identifier: MIT */
/* <hip_runtime.h>, as HIP Programming Guide's examples of modules include it. */
#include <hip/hip_runtime.h>
