/* SPDX-License-Identifier: MIT */
/* cooperative_groups.h and its parts, of hipcc --cuda. */
#ifndef LOCKSTEP_CUDA_GROUPS_H
#define LOCKSTEP_CUDA_GROUPS_H

#include <lockstep/cuda/runtime.h>

#include <hip/hip_cooperative_groups.h>

#endif
