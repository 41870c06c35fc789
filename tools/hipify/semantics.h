/* SPDX-License-Identifier: MIT */
/* What a compiler knows of a source, where hipify-perl guesses. Offsets are bytes in the source,
 * in ascending order. */
#ifndef LS_HIPIFY_SEMANTICS_H
#define LS_HIPIFY_SEMANTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ls_offsets {
    uint32_t *v; /* owned */
    size_t n, cap;
};

struct ls_semantics {
    struct ls_offsets own;       /* names that are the program's, not CUDA's */
    struct ls_offsets templates; /* names of kernels that are instances of templates */
    struct ls_offsets
        half2; /* begins of expressions h.x and h.y of a half2, and behind each its end */
    struct ls_offsets skipped; /* begins and ends of what the preprocessor skips */
    unsigned n_errors;
    bool failed; /* no memory */
};

bool ls_offsets_have(const struct ls_offsets *offsets, uint32_t at);

#endif
