/* SPDX-License-Identifier: MIT */
/* cuda.h of hipcc --cuda: the driver. */
#ifndef LOCKSTEP_CUDA_CUDA_H
#define LOCKSTEP_CUDA_CUDA_H

#include <lockstep/cuda/core.h>

/* CUDA's guard of it, by which programs see that it is included. */
#define __cuda_cuda_h__

#endif
