/* SPDX-License-Identifier: MIT */
/* What a code object for AMD hardware says of its kernels: the msgpack of its note. Trusts
 * nothing. */
#ifndef LS_BASE_CODEOBJECT_H
#define LS_BASE_CODEOBJECT_H

#include "base/arch.h"

/* The metadata inside an ELF file; NULL when it has none. */
const void *ls_codeobject_notes(const void *elf, size_t bytes, size_t *notes_bytes);
/* The needs of one kernel, by its mangled name without the suffix .kd. False when the metadata has
 * no such kernel or is broken. */
bool ls_codeobject_kernel(const void *notes, size_t bytes, const char *kernel,
                          struct ls_resources *out);

#endif
