/* SPDX-License-Identifier: MIT */
/* The targets: what there is to do from a loaded module to code, for each kind of output. */
#include "target/target.h"

#include <string.h>

#include "ptx/ptx.h"
#include "x86/x86.h"

/* A warp as a vector. */
static const struct ls_stage warps[] = {
    {"prepare", ls_ir_prepare},
    {"checks", ls_checks_mark},
    {"region", ls_region_split},
    {"vectorize", ls_vectorize_module},
    {"finish", ls_host_finish},
};
/* Threads as threads. */
static const struct ls_stage threads[] = {
    {"prepare", ls_ir_prepare},
    {"threads", ls_ptx_lower},
    {"optimise", ls_ptx_optimise},
};
#define N_STAGES(list) (sizeof(list) / sizeof((list)[0]))

static const struct ls_target TARGETS[] = {
    {"x86", false, warps, N_STAGES(warps), ls_x86_begin, ls_host_emit},
    {"ptx", true, threads, N_STAGES(threads), ls_ptx_begin, ls_ptx_emit},
};

const struct ls_target *
ls_target_find(const char *name)
{
    for (size_t i = 0; i < sizeof(TARGETS) / sizeof(TARGETS[0]); i++)
        if (strcmp(name, TARGETS[i].name) == 0)
            return &TARGETS[i];
    return NULL;
}
