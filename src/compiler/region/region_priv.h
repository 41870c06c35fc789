/* SPDX-License-Identifier: MIT */
/* Region splitting from the inside.
 *
 * A point is a place where all threads of a block meet: the kernel's start, each barrier. The
 * region of a point is what a thread can run from there to the next barrier or the end. Each region
 * becomes a loop over the block's warps; blocks that several regions reach are cloned into each. */
#ifndef LS_REGION_PRIV_H
#define LS_REGION_PRIV_H

#include "analysis/cfg.h"
#include "analysis/shape.h"
#include "base/ptrmap.h"
#include "compiler/compiler_priv.h"

enum ls_point_kind {
    LS_POINT_NONE = 0,
    LS_POINT_START,
    LS_POINT_BARRIER,
    LS_POINT_GRID_SYNC,
    LS_POINT_TURN, /* back edge of a loop in which the warps take turns: no barrier, as threads that
                      have left the loop wait behind it */
    LS_POINT_TURN_END, /* behind that loop: where they wait */
};

struct ls_point {
    enum ls_point_kind kind;
    unsigned start; /* block behind it */
    unsigned loop;  /* TURN, TURN_END: number of the loop, index of ls_plan.turns */
    unsigned end;   /* TURN: its TURN_END */
};

/* A loop in which warps take turns: the condition under which the whole block stays for another
 * iteration. */
struct ls_turn {
    LLVMValueRef full; /* i1 at the TURN, the same in all threads: all of them stay; NULL: cannot be
                          computed */
    LLVMValueRef exit; /* the branch that leaves the loop */
    unsigned stay;     /* its successor that all threads take when `full` is true */
    bool near;         /* the last iteration has a form of its own */
    bool once;         /* in whole blocks all threads leave after the first iteration */
};

struct ls_rblock {
    LLVMBasicBlockRef bb;
    LLVMValueRef term;
    unsigned succ[2],
        n_succs;    /* successors in the same region: none where the block ends in a barrier */
    int barrier;    /* point that follows this block, -1 = none */
    bool divergent; /* threads may leave by different edges */
    bool returns;
};

/* Where control goes behind a block of a region: to the successor of this number, or to any. */
enum { LS_WAY_OPEN = 2 };

struct ls_region {
    unsigned point;
    const unsigned char *way;  /* by block: which successor is taken by all, else LS_WAY_OPEN; NULL:
                                  any, everywhere */
    unsigned *order, n;        /* members, reverse post-order from the start */
    unsigned first, span;      /* members' numbers are below first + span, none below first */
    unsigned *rank, *idom;     /* by number - first: place in order[], or LS_NO_BLOCK where it is
                                  no member; the immediate dominator */
    unsigned *exits, n_next;   /* points that may come next, ascending */
    unsigned n_exits, only_exit; /* how many without TURNs, the last of these */
    bool turns;                  /* a TURN may come next */
    bool may_return;
};

struct ls_plan {
    struct ls_cc *cc;
    LLVMValueRef fn;          /* the scalar program; replaced at the end */
    LLVMValueRef w;           /* the call that replaces the warp number while shapes are computed */
    struct ls_shapes *shapes; /* of fn, in block scope */
    struct ls_rblock *blocks;
    unsigned n_blocks;
    struct ls_ptrmap index;    /* block -> number + 1 */
    struct ls_point *points;
    unsigned n_points;
    struct ls_region *regions; /* by point */
    const struct ls_turn *turns; /* borrowed */
    bool *leads_on;            /* by block: a barrier may follow */
    unsigned *scratch;         /* by block, of ls_region_build: 0 between its calls */
    bool needs_live;           /* some threads may have returned while others go on */
    unsigned max_warps;
    unsigned n_apart; /* barriers that ls_apart_join took out */
};

/* Whether the kernel has barriers at all, and where: splits blocks so that each barrier ends one,
 * removes the calls. */
void ls_plan_init(struct ls_plan *plan, struct ls_cc *cc, LLVMValueRef fn);
/* Regions, and the proof that all threads of a block agree which barrier comes next. False: no
 * proof. */
bool ls_plan_build(struct ls_plan *plan);
/* The proof alone: agree.c. Needs shapes and leads_on; finds out about needs_live. */
bool ls_plan_agree(struct ls_plan *plan);
/* Takes out barriers at which no warp waits for another: fences then, for the lanes of a warp. */
void ls_apart_join(struct ls_plan *plan);
/* Block mode: makes the program of loops over warps. */
bool ls_plan_emit(struct ls_plan *plan);
/* Values that look uniform but of which each warp may have its own: loads beside stores, and what
 * follows from them. */
void ls_plan_find_differing(const struct ls_plan *plan, struct ls_ptrmap *differ);
/* Undoes ls_plan_init: calls functions of these names where barriers were. */
void ls_plan_restore(struct ls_plan *plan, const char *barrier, const char *grid_sync);

/* Values that can be computed again behind a barrier instead of being kept across it. `shapes` may
 * be NULL. */
#define LS_REMAT_COST_MAX 24 /* instructions: above this a value is kept instead */
struct ls_remats {
    struct ls_cc *cc;
    const struct ls_shapes *shapes;
    LLVMValueRef w;
    struct ls_ptrmap map; /* value -> cost */
};
void ls_remats_init(struct ls_remats *r, struct ls_cc *cc, const struct ls_shapes *shapes,
                    LLVMValueRef w);
bool ls_remat_cheap(struct ls_cc *cc, LLVMValueRef inst); /* the operation alone */
unsigned ls_remat_cost(struct ls_remats *r,
                       LLVMValueRef inst); /* with all operands; too high: LS_REMAT_COST_MAX + 1 */

/* Removes flags (nsw and the like) from a copy that computes an iteration's value though no thread
 * may run that iteration. */
void ls_remat_drop_promises(LLVMValueRef copy);

unsigned ls_plan_block(const struct ls_plan *plan, LLVMBasicBlockRef bb);
/* Place in order[]; LS_NO_BLOCK: no member. */
unsigned ls_region_rank(const struct ls_region *r, unsigned block);
bool ls_region_has(const struct ls_region *r, unsigned block);
bool ls_region_dominates(const struct ls_region *r, unsigned a, unsigned b);
/* The last block that control passes on all ways to two. */
unsigned ls_region_common(const struct ls_region *r, unsigned a, unsigned b);
unsigned ls_region_size(const struct ls_plan *plan, const struct ls_region *r); /* instructions */
/* Builds the region of a point, as far as the ways are open (`way` is borrowed). */
void ls_region_build(const struct ls_plan *plan, struct ls_region *r, unsigned point,
                     const unsigned char *way);
/* The blocks that follow in the same region. */
unsigned ls_region_successors(const struct ls_plan *plan, const struct ls_region *r, unsigned block,
                              unsigned succ[2]);

/* Whether an address in this private variable is kept across a barrier, or is stored to memory. */
bool ls_region_keeps_address(struct ls_cc *cc, LLVMValueRef alloca, const struct ls_ptrmap *slots);

/* Kind of barrier that a call is, LS_POINT_NONE for other calls. */
enum ls_point_kind ls_barrier_kind(LLVMValueRef inst);

/* Finds loops that wait for memory to change, and puts ls.yield into them. Returns how many. */
unsigned ls_spin_yield(struct ls_cc *cc, LLVMValueRef fn);

/* Lets other warps run in front of each store and at each loop's back edge. */
void ls_spin_interleave(struct ls_cc *cc);

/* `i < end - step ? i + step : end`, as in loops that must not pass the end of their type, becomes
 * `i + step`, and the loop is left where either comparison says so. */
void ls_strides_unfold(struct ls_cc *cc, LLVMValueRef fn);

/* Finds loops in which warps should take turns and marks them: calls of LS_FN_TURN and
 * LS_FN_TURN_END. Returns how many. The code means the same with and without the marks. */
unsigned ls_turns_insert(struct ls_cc *cc, LLVMValueRef fn, struct ls_turn **turns);

/* Makes loops that lanes leave at different times twice: while all lanes stay, and what is left. */
void ls_trips_split(struct ls_cc *cc, LLVMValueRef fn);

/* Replaces the warp number by a call of ls.lane, which it returns, while shapes are computed for
 * the whole block: there the warp number varies, too, and the analysis knows no other source of
 * variance. The second function takes it back. */
LLVMValueRef ls_region_disguise_warp(struct ls_cc *cc, LLVMValueRef fn);
void ls_region_undisguise_warp(LLVMValueRef fn, LLVMValueRef fake);

#endif
