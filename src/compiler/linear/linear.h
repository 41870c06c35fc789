/* SPDX-License-Identifier: MIT */
/* Linearisation: where control goes when lanes part. Uniform branches stay branches; at a divergent
 * branch the first successor in linear order runs next and the others are deferred: they stay
 * pending until their turn comes. (Partial control-flow linearisation, Moll and Hack, PLDI 2018,
 * with guards.) */
#ifndef LS_LINEAR_LINEAR_H
#define LS_LINEAR_LINEAR_H

#include "analysis/shape_priv.h"

struct ls_linear_block {
    unsigned mask_rep; /* the block whose mask this one shares; itself: it collects its own */
    bool guarded;      /* tests its mask and goes to skip_to when no lane is in it */
    unsigned skip_to;
    bool divergent; /* the branch at the end diverges */
    /* Uniform branch: where successor k's edge really goes. Divergent: next[0] alone, or, when a
     * back edge is among the successors, next[0] = header, taken while any lane goes there, and
     * next[1] the place after the loop. */
    unsigned next[2];
    bool loop_test; /* divergent latch, see next */
    /* The block that control passes last before this one, on every way; the entry: itself. */
    unsigned idom;
    unsigned depth, jump; /* of the tree of idom, and a far ancestor in it: for ls_linear_common */
};

struct ls_linear {
    const struct ls_shapes *shapes;
    struct ls_linear_block *blocks;
};

/* Finds the linear order. NULL when the control flow has none: it is irreducible, or a loop has
 * several latches. */
struct ls_linear *ls_linear_build(const struct ls_shapes *shapes);

/* The last block that control passes before both `a` and `b`; it may be one of them. Takes
 * logarithmic time. */
unsigned ls_linear_common(const struct ls_linear *lin, unsigned a, unsigned b);

#endif
