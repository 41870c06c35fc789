/* SPDX-License-Identifier: MIT */
/* The release of ROCm whose interfaces these are, as rocm-core's header of this name says it. */
#ifndef ROCM_CORE_ROCM_VERSION_H
#define ROCM_CORE_ROCM_VERSION_H

#include <hip/hip_version.h>

#define ROCM_VERSION_MAJOR HIP_VERSION_MAJOR
#define ROCM_VERSION_MINOR HIP_VERSION_MINOR
#define ROCM_VERSION_PATCH HIP_VERSION_PATCH

#endif
