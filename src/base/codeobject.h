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

/* ---- all that the metadata says of kernels ---- */

/* A text of the metadata: borrowed, and no NUL behind it. */
struct ls_metadata_text {
    const char *at;
    size_t n;
};

struct ls_metadata_kernel {
    struct ls_metadata_text name;
    struct ls_resources needs;
    uint32_t kernarg_bytes, sgpr_spills, vgpr_spills, n_args;
};

struct ls_metadata_arg {
    struct ls_metadata_text name, type, kind, space; /* empty where the metadata has none */
    uint32_t offset, bytes;
};

/* What is called for each kernel, and then for each of its arguments. */
struct ls_metadata_visitor {
    void (*kernel)(void *user, const struct ls_metadata_kernel *kernel);
    void (*arg)(void *user, const struct ls_metadata_arg *arg);
    void *user;
};

/* False when the metadata is broken; what came before has been visited. */
bool ls_codeobject_visit(const void *notes, size_t bytes,
                         const struct ls_metadata_visitor *visitor);

#endif
