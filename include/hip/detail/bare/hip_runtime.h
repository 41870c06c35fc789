/* SPDX-License-Identifier: MIT */
/* <hip_runtime.h>, as the programming guide's examples of modules include it. */
#include <hip/hip_runtime.h>
