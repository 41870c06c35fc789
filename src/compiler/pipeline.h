/* SPDX-License-Identifier: MIT */
/* One compile's life: the stages in order. For the compiler and lsopt. */
#ifndef LS_COMPILER_PIPELINE_H
#define LS_COMPILER_PIPELINE_H

#include "compiler/compiler_priv.h"

/* Chooses the target by the instruction set, and sets up what the stages read of the options. */
bool ls_cc_configure(struct ls_cc *cc);

/* Runs the stages up to and including `until` (NULL = all, and *elf is malloc'ed then). */
bool ls_pipeline_run(struct ls_cc *cc, const void *bitcode, size_t bytes, const char *until,
                     void **elf, size_t *elf_bytes);

#endif
