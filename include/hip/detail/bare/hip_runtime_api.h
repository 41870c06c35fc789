/* SPDX-License-Identifier: MIT */
/* <hip_runtime_api.h>, as the programming guide's examples of modules include it. */
#include <hip/hip_runtime_api.h>
