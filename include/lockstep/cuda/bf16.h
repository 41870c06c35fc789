/* SPDX-License-Identifier: MIT */
/* cuda_bf16.h of hipcc --cuda: CUDA's names for hip_bf16.h. */
#ifndef LOCKSTEP_CUDA_BF16_H
#define LOCKSTEP_CUDA_BF16_H

#include <lockstep/cuda/fp16.h>

#include <hip/hip_bf16.h>

#undef __nv_bfloat16
#undef __nv_bfloat162
#undef nv_bfloat16
#undef nv_bfloat162
typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat162 __nv_bfloat162;
typedef __hip_bfloat16 nv_bfloat16;
typedef __hip_bfloat162 nv_bfloat162;

#endif
