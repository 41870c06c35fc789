/* SPDX-License-Identifier: MIT */
/* cuda_fp8.h of hipcc --cuda. HIP's types of eight bits that are CUDA's in range are AMD's of
 * another encoding (fnuz) and OCP's: only conversions by __nv_cvt_* choose. */
#ifndef LOCKSTEP_CUDA_FP8_H
#define LOCKSTEP_CUDA_FP8_H

#include <lockstep/cuda/bf16.h>

#include <hip/hip_fp8.h>

#endif
