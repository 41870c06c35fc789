/* SPDX-License-Identifier: MIT */
/* Empty: sources that were CUDA's include <cuda.h> and need nothing of it. hipcc searches this
 * folder behind all others, and not for the checks of configure scripts (tools/hipcc/compile.c). */
