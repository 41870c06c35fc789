/* SPDX-License-Identifier: MIT */
/* What the analyses found, as text: `lsopt --print=shapes|linear|plan|rows|accesses`, for tests and
 * for looking. The stages call these functions with the very results that they make code from.
 * Nothing is printed unless cc->print asks. */
#ifndef LS_COMPILER_PRINT_H
#define LS_COMPILER_PRINT_H

#include "compiler/compiler_priv.h"

struct ls_access;
struct ls_intrin;
struct ls_linear;
struct ls_plan;
struct ls_shapes;

/* Bits of ls_cc.print. */
enum {
    LS_PRINT_SHAPES = 1,    /* of each function that is vectorised: what is known of each value, and
                               which branches diverge */
    LS_PRINT_LINEAR = 2,    /* where control goes when lanes part */
    LS_PRINT_PLAN = 4,      /* points and regions, or that warps are fibers */
    LS_PRINT_ROWS = 8,      /* each row of intrinsics.def whose lowering runs */
    LS_PRINT_ACCESSES = 16, /* each access of a warp to memory */
};

void ls_print_shapes(struct ls_cc *cc, const struct ls_shapes *s);
void ls_print_linear(struct ls_cc *cc, const struct ls_linear *l);
void ls_print_plan(struct ls_cc *cc, const struct ls_plan *plan); /* NULL: warps are fibers */
void ls_print_row(struct ls_cc *cc, const struct ls_intrin *row);
void ls_print_access(struct ls_cc *cc, const struct ls_access *access, const struct ls_shapes *s,
                     bool is_masked);

#endif
