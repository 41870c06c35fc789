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

#endif
