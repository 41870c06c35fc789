/* SPDX-License-Identifier: MIT */
/* Control-flow graph of a function: numbered blocks, dominators, post-dominators, natural loops.
 * LLVM-C has none of these. All results are borrowed from the arena and go stale with any CFG
 * change. */
#ifndef LS_ANALYSIS_CFG_H
#define LS_ANALYSIS_CFG_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "base/arena.h"
#include "base/ptrmap.h"

#define LS_NO_BLOCK (~0u)

struct ls_cfg;

struct ls_loop {
    const struct ls_cfg *cfg; /* borrowed */
    unsigned header;
    unsigned end;           /* behind the last of its blocks: all are from header on */
    unsigned latch;         /* the only source of a back edge, LS_NO_BLOCK when there are several */
    struct ls_loop *parent; /* borrowed, NULL at the top */
    unsigned depth;         /* 1 = outermost */
};

struct ls_cfg_block {
    LLVMBasicBlockRef bb;
    LLVMValueRef term;
    unsigned n_succs, n_preds;
    unsigned *succs, *preds;  /* a conditional branch to one block twice lists it twice */
    unsigned idom;            /* LS_NO_BLOCK for the entry */
    unsigned ipdom;           /* LS_NO_BLOCK when only the function's end post-dominates */
    unsigned post_depth;      /* in the tree of ipdom; 1 where that is LS_NO_BLOCK */
    struct ls_loop *loop;     /* innermost, NULL */
};

/* Blocks are numbered in linear order: topological but for back edges, the blocks of a loop
 * contiguous, the header first and the latch last. Unreachable blocks are not listed. */
struct ls_cfg {
    LLVMValueRef fn;
    unsigned n_blocks;
    struct ls_cfg_block *blocks;
    unsigned n_loops;
    struct ls_loop **loops;   /* outer before inner */
    bool irreducible;         /* a cycle has several entries: no linear order exists */
    struct ls_ptrmap index;   /* LLVMBasicBlockRef -> number + 1 */
};

struct ls_cfg *ls_cfg_build(struct ls_arena *arena, LLVMValueRef fn);
bool ls_loop_has(const struct ls_loop *loop, unsigned block);
unsigned ls_cfg_number(const struct ls_cfg *cfg,
                       LLVMBasicBlockRef bb); /* LS_NO_BLOCK if unreachable */
bool ls_cfg_dominates(const struct ls_cfg *cfg, unsigned a, unsigned b);

/* The tree of dominators, numbered: a block's rank comes before those of the blocks below it, and
 * those follow each other. For who asks often: a dominates b where
 * rank[b] - rank[a] < n_below[a]. */
struct ls_cfg_order {
    unsigned *rank, *n_below; /* by block; how many it dominates, itself among them */
};
struct ls_cfg_order ls_cfg_order(struct ls_arena *arena, const struct ls_cfg *cfg);

/* Where lanes that part and go to `targets` are together again: the nearest post-dominator, from
 * `postdom` on, that all of them come to in the same iteration of the loops around it. `loop`:
 * innermost loop around the place where they part. LS_NO_BLOCK: only at the function's end. */
unsigned ls_cfg_meeting(const struct ls_cfg *cfg, unsigned postdom, const unsigned *targets,
                        unsigned n_targets, const struct ls_loop *loop);

#endif
