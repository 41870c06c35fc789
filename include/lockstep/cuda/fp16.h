/* SPDX-License-Identifier: MIT */
/* cuda_fp16.h of hipcc --cuda */
#ifndef LOCKSTEP_CUDA_FP16_H
#define LOCKSTEP_CUDA_FP16_H

#include <lockstep/cuda/runtime.h>

#include <hip/hip_fp16.h>

#define nv_half  __half
#define nv_half2 __half2

#endif
