/* SPDX-License-Identifier: MIT */
/* What CUB has beside its namespace, by hipCUB. */
#ifndef LOCKSTEP_CUDA_CUB_H
#define LOCKSTEP_CUDA_CUB_H

#include <stdlib.h>

namespace cub = hipcub;

/* Says what an error is and leaves the program. */
#ifndef CubDebugExit
#define CubDebugExit(e)                                                                            \
    if (HipcubDebug(e))                                                                            \
    exit(1)
#endif

#endif
