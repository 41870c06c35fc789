/* SPDX-License-Identifier: MIT */
/* What code can be made for: a row for each kind of output. isa.def's sets name the row that makes
 * them. */
#ifndef LS_TARGET_TARGET_H
#define LS_TARGET_TARGET_H

#include "compiler/compiler_priv.h"

struct ls_stage {
    const char *name;
    bool (*run)(struct ls_cc *cc); /* false after at least one error diagnostic */
};

struct ls_target {
    const char *name;
    bool keeps_threads; /* a thread is not a lane of a vector: it knows by itself where it is */
    const struct ls_stage *stages; /* behind "load", in order; the module is verified after each */
    size_t n_stages;
    bool (*begin)(struct ls_cc *cc); /* before all stages: what they want to know of the output */
    bool (*emit)(struct ls_cc *cc, void **code, size_t *bytes); /* behind all; malloc'ed */
};

/* NULL: not in this build. */
const struct ls_target *ls_target_find(const char *name);

#endif
