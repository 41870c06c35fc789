/* SPDX-License-Identifier: MIT */
/* cuda_runtime.h of hipcc --cuda */
#ifndef LOCKSTEP_CUDA_RUNTIME_H
#define LOCKSTEP_CUDA_RUNTIME_H

#include <lockstep/cuda/core.h>

/* Guards of CUDA's headers, by which programs see what is included. */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

/* rocThrust asks once who compiles, and would take CUDA's part of Thrust, which it has not. */
#if __HIP_CLANG_ONLY__ && defined(__cplusplus)
#if __has_include(<thrust/system/hip/config.h>)
#pragma push_macro("__CUDACC__")
#pragma push_macro("__CUDA_ARCH__")
#pragma push_macro("__NVCC__")
#undef __CUDACC__
#undef __CUDA_ARCH__
#undef __NVCC__
#include <thrust/detail/config.h>
#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__CUDA_ARCH__")
#pragma pop_macro("__NVCC__")
#endif
#endif

#endif
