/* SPDX-License-Identifier: MIT */
/* Text for NVIDIA's assembler: threads stay threads, and a kernel is an entry. */
#ifndef LS_PTX_PTX_H
#define LS_PTX_PTX_H

#include "compiler/compiler_priv.h"

/* What the text of a kernel defines, for the device that loads it. The entry's parameters lie as in
 * the kernarg segment. All its shared memory is dynamic: what is static comes first
 * (ls_kernel_source.lds_bytes). */
#define LS_PTX_ENTRY   "ls_kernel"
#define LS_PTX_GLOBALS "ls_globals" /* addresses of variables by number; absent if none is used */
#define LS_PTX_SHARED  "ls_shared"
/* In front of the entry's body: registers that the device need not insist on. */
#define LS_PTX_WISH ".maxntid 1024, 1, 1\n.minnctapersm 1\n.maxnreg 40\n"

bool ls_ptx_begin(struct ls_cc *cc);
/* What prepare left becomes an entry and functions of NVIDIA's kind. */
bool ls_ptx_lower(struct ls_cc *cc);
bool ls_ptx_optimise(struct ls_cc *cc);
bool ls_ptx_emit(struct ls_cc *cc, void **text, size_t *bytes); /* no NUL behind it */

#endif
