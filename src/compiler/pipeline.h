/* SPDX-License-Identifier: MIT */
/* One compile's life: creating the context, running the stages in order. For the compiler and lsopt. */
#ifndef LS_COMPILER_PIPELINE_H
#define LS_COMPILER_PIPELINE_H

#include "compiler/compiler_priv.h"

/* A context for `opt` (borrowed). Initialises LLVM once per process. */
struct ls_cc *ls_cc_create(const struct ls_compile_options *opt);
void ls_cc_destroy(struct ls_cc *cc); /* NULL is fine */

/* Sends LLVM's errors to the sink. */
void ls_diag_install(struct ls_cc *cc);
void ls_diag_uninstall(struct ls_cc *cc);

/* Chooses the host target row and sets up what the stages read of the options. */
bool ls_cc_configure(struct ls_cc *cc);

/* Runs the stages up to and including `until` (NULL = all, and *elf is malloc'ed then). */
bool ls_pipeline_run(struct ls_cc *cc, const void *bitcode, size_t bytes, const char *until, void **elf,
                     size_t *elf_bytes);

#endif
