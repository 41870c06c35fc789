/* SPDX-License-Identifier: MIT */
/* Every type of the API, for the debug information that abi_layout.sh reads. */
#include <hip/hip_runtime_api.h>

int ls_abi_layout;
