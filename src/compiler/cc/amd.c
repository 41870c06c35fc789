/* SPDX-License-Identifier: MIT */
/* In the place of what would write machine code for AMD hardware (lean.ld). LLVM's AMDGPU target is
 * here for what it knows of kernels: their intrinsics, address spaces and costs. */
#include "base/log.h"

void ls_amd_no_code(void);
void ls_amd_no_pass(void);

void
ls_amd_no_code(void)
{
    LS_BUG("code for AMD hardware is not made here");
}

/* The registration of a pass: LLVM calls it at its start, and nothing is registered. */
void
ls_amd_no_pass(void)
{
}
