/* SPDX-License-Identifier: MIT */
/* A kernel as PTX, and what the text and who launches it agree on:
 *
 *   .visible .entry ls_kernel(.param ...) has a parameter for each of struct ls_kernel_source's
 *   args, of its bytes.
 *   .visible .global .align 8 .b64 ls_globals[n]: the addresses of the module's variables, in the
 *   order of struct ls_work_kernel; only where the kernel uses one.
 *   .visible .global .align 8 .b32 ls_info[8]: LS_CUDA_ABI_VERSION, flags, and zeros. May be
 * missing.
 *
 * All of its shared memory is dynamic: first what the kernel declares, rounded up to 16 bytes. */
#ifndef LS_DEVICE_CUDA_TEXT_H
#define LS_DEVICE_CUDA_TEXT_H

#include "base/log.h"
#include "base/lsbc.h"
#include "device/device.h"

#define LS_CUDA_ABI_VERSION 1u
#define LS_CUDA_KERNEL      "ls_kernel"
#define LS_CUDA_ARGS        "ls_args"
#define LS_CUDA_GLOBALS     "ls_globals"
#define LS_CUDA_INFO        "ls_info"
#define LS_CUDA_WISH        ".maxntid 1024, 1, 1\n.minnctapersm 1\n.maxnreg 40\n"
#define LS_CUDA_INFO_WORDS  8u
#define LS_CUDA_LDS_ALIGN   16u

/* The number in "sm_90"; 0 when it is no such name. */
uint32_t ls_cuda_capability_of(const char *isa);
/* Blocks that a text is for: all, rows of whole warps, or one such row. A text for one of them is
 * right for those behind it, too, and the later the better. The shapes that texts are made for:
 * 0,0,0, 0,0,1 and 0,1,1. */
enum ls_cuda_shape { LS_CUDA_ALL = 0, LS_CUDA_ROWS, LS_CUDA_ROW };
enum ls_cuda_shape ls_cuda_shape_of(const uint32_t block[3]);
/* What was made ahead of time for the kernel and fits best: for the highest capability, and then
 * for that shape, or for all. NULL: nothing that this device runs. `image`: LSAO, checked for
 * bounds, or NULL. */
const struct ls_lsao_object *ls_cuda_find_object(const void *image, const char *kernel,
                                                 uint32_t capability, enum ls_cuda_shape shape);
/* Whether some kernel has a text in the image, for whatever capability. */
bool ls_cuda_has_text(const void *image);
/* The text, malloc'ed, with a NUL behind it that *bytes does not count. *shape: what is wanted, and
 * what it is for. An error after a message of that level. */
hipError_t ls_cuda_find_text(uint32_t capability, const struct ls_kernel_source *source,
                             enum ls_log_level level, enum ls_cuda_shape *shape, char **text,
                             size_t *bytes);

#endif
