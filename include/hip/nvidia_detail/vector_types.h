/* SPDX-License-Identifier: MIT */
/* Short vectors on NVIDIA's platform: CUDA's types, and the operators that HIP's have. */
#ifndef HIP_NVIDIA_DETAIL_VECTOR_TYPES_H
#define HIP_NVIDIA_DETAIL_VECTOR_TYPES_H

#include <vector_types.h>

#ifdef __cplusplus
#include <vector_functions.h>

#ifdef __CUDACC__
#define LS_HIP_HD __host__ __device__
#else
#define LS_HIP_HD
#endif

#include <hip/nvidia_detail/vector_operators.h>
#endif

#endif
