/* SPDX-License-Identifier: MIT */
/* An older name of texture_types.h. */
#ifndef HIP_TEXTURE_TYPES_COMPAT_H
#define HIP_TEXTURE_TYPES_COMPAT_H
#include <hip/texture_types.h>
#endif
