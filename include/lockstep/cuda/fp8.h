/* SPDX-License-Identifier: MIT */
/* cuda_fp8.h of hipcc --cuda: CUDA's formats are OCP's, which HIP has by these names. */
#ifndef LOCKSTEP_CUDA_FP8_H
#define LOCKSTEP_CUDA_FP8_H

#include <lockstep/cuda/bf16.h>

#include <hip/hip_fp8.h>

#define __nv_fp8_e4m3   __hip_fp8_e4m3
#define __nv_fp8_e5m2   __hip_fp8_e5m2
#define __nv_fp8x2_e4m3 __hip_fp8x2_e4m3
#define __nv_fp8x2_e5m2 __hip_fp8x2_e5m2
#define __nv_fp8x4_e4m3 __hip_fp8x4_e4m3
#define __nv_fp8x4_e5m2 __hip_fp8x4_e5m2

#endif
