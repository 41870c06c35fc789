/* SPDX-License-Identifier: MIT */
/* The x86 processors. */
#ifndef LS_X86_X86_H
#define LS_X86_X86_H

#include "host/host.h"

bool ls_x86_begin(struct ls_cc *cc);

/* What cc->isa has instructions for (lanes/simd.h). */
const struct ls_simd_ops *ls_x86_simd_ops(struct ls_cc *cc);

#endif
