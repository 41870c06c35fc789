/* SPDX-License-Identifier: MIT */
/* <hip_runtime_api.h>, as HIP Programming Guide's examples of modules include it. */
#include <hip/hip_runtime_api.h>
