/* SPDX-License-Identifier: MIT */
/* Launches: from a kernel and its arguments to a command in a stream. */
#ifndef LS_RUNTIME_LAUNCH_H
#define LS_RUNTIME_LAUNCH_H

#include "runtime/module/module.h"
#include "runtime/queue/queue.h"

struct ls_launch {
    struct ihipModuleSymbol_t *kernel;
    dim3 grid, block;
    size_t shared_bytes; /* dynamic LDS */
    struct ihipStream_t *stream;
    void **args;        /* one pointer for each argument, or */
    const void *packed; /* all in the kernarg layout */
    size_t packed_bytes;
    bool cooperative;
    struct ls_multi_grid *multi; /* or NULL; the grid leaves it when its command ends */
    uint32_t grid_rank;
    struct ihipEvent_t *start, *stop; /* or NULL */
    const void *origin;               /* the kernel as the caller named it */
    const int *priority;              /* NULL: the priority of the stream */
};

/* Checks, finds code, makes the command of a launch; NULL: it has become a part of the one in front
 * of it, where it may. Errors as HIP specifies them for hipLaunchKernel. */
hipError_t ls_launch_make(const struct ls_launch *launch, bool may_join, struct ls_cmd **cmd);
/* Checks the launch and fills everything in but the kernarg segment, whose size is
 * kernel->info->kernarg_bytes. It may be launched with other arguments, and later. */
hipError_t ls_launch_prepare(const struct ls_launch *launch, struct ls_work_kernel *work);
/* Takes the arguments from HIP_LAUNCH_PARAM_* tags. */
hipError_t ls_launch_read_extra(void **extra, struct ls_launch *launch);
/* Which words of the kernarg segment are pointers that lead to memory that no other word leads to:
 * bits of those that the kernel's devices want to know of. */
uint64_t ls_launch_distinct(const struct ls_launch *launch);
/* Writes the arguments into a kernarg segment. */
hipError_t ls_launch_pack(const struct ls_launch *launch, char *kernarg);
/* Blocks of this kernel that one multiprocessor holds at once: of the architecture that the device
 * answers as, and no more than the device itself can have waiting for each other. */
uint32_t ls_resident_blocks(struct ihipModuleSymbol_t *kernel, uint32_t n_threads,
                            size_t shared_bytes);

#endif
