/* SPDX-License-Identifier: MIT */
/* The block-mode program while it is made: what values.c, variants.c and emit.c share. */
#ifndef LS_REGION_EMIT_PRIV_H
#define LS_REGION_EMIT_PRIV_H

#include "compiler/region/region_priv.h"

enum { LS_MAX_SIDE = 16 };

struct ls_keep {
    LLVMValueRef value;   /* the value in the old function */
    struct ls_keep *next; /* in the order in which they were first needed */
    LLVMValueRef alloca;  /* one T, or [max_warps x T] */
    LLVMTypeRef type;     /* T, the type in memory: i1 is kept as i8 */
    bool uniform;
    bool replaced; /* some region may read it after writing its next value: then each warp has its
                      own */
    bool differs;  /* looks uniform, but each warp has its own value (kept.c) */
    bool early;    /* read before any warp runs, where each warp must have the same */
    /* coalesce.c: by point, regions that read it; by block, whether it is wanted behind it; those
     * that share one place, of which `group` is the first */
    bool *read, *alive;
    struct ls_keep *group, *member;
};

/* A private variable of the kernel. */
struct ls_kept_variable {
    LLVMValueRef alloca;
    bool per_warp; /* [max_warps x T]: lives across a barrier */
    int region;    /* the only region that uses it so far, -1 none, -2 several */
};

struct ls_emitter {
    struct ls_plan *plan;
    struct ls_cc *cc;
    LLVMValueRef old_fn, fn;
    LLVMBuilderRef b, entry_b;
    struct ls_ptrmap slots; /* old value -> struct ls_keep */
    struct ls_keep *first_slot, **slots_end;
    struct ls_ptrmap variables; /* old alloca -> struct ls_kept_variable */
    struct ls_remats remats;
    LLVMValueRef turn;     /* i32: number of the TURN that some thread has come to */
    LLVMValueRef *in_turn; /* by point, of TURNs alone: a flag for each thread, which is set while
                              it is in the loop */
    LLVMValueRef *skipped; /* by point, of TURNs alone: an i8 of the block, which is set when some
                              thread is not in the loop */
    bool full; /* the current region is the form of a TURN's for the case that all threads of the
                  block stay in the loop, */
    bool leaving; /* or are in it, and some leave now */
    LLVMValueRef returned; /* i8 of the block: some thread has returned; NULL: nobody asks for it */
    LLVMValueRef first_warp; /* where the loop over warps begins, NULL: with 0 */
    LLVMValueRef goes_on;    /* i1, NULL: the loop has more than one iteration */
    LLVMValueRef next, live, n_warps, n_threads, ctx, lane, cur_warp;
    LLVMBasicBlockRef *pre, ret;
    LLVMTypeRef i8, i32;
    bool dry; /* only find out which slots are wanted */
    /* the current region */
    const struct ls_region *r;
    LLVMValueRef w;
    LLVMBasicBlockRef *clones, latch;
    LLVMBuilderRef top_b,
        pre_b;    /* in front of the body of one warp; in front of the loop over warps */
    bool **reach; /* by place in r->order: the places that come after it, on demand */
    struct ls_ptrmap *map,
        *top_map; /* old value -> clone; old value from outside -> value at the top */
    struct ls_side {
        LLVMValueRef w;
        struct ls_ptrmap map, top_map;
    } side[LS_MAX_SIDE];      /* warps that run side by side, each instruction for all of them */
    unsigned n_side;          /* how many; which one `w` and the maps are of changes */
    bool unroll;              /* regions have no loops over warps */
    struct ls_ptrmap pre_map; /* struct ls_keep -> what is in it before any warp runs */
    const struct ls_region *leaf; /* what `r` is a form of: its points come next */
    bool plain;                   /* each region is one loop over all warps */
    struct ls_path **paths;       /* by point */
};

inline LLVMValueRef
ls_emit_i32(struct ls_emitter *e, unsigned v)
{
    return LLVMConstInt(e->i32, v, false);
}

/* ---- values.c ---- */

bool ls_emit_uniform(const struct ls_emitter *e, LLVMValueRef v); /* the same in all threads */
/* A variable in the entry block: one, or one for each warp; marks one whose content is the same in
 * all threads. */
LLVMValueRef ls_emit_alloca(struct ls_emitter *e, LLVMTypeRef type, bool per_warp,
                            const char *name);
void ls_emit_mark_uniform(struct ls_emitter *e, LLVMValueRef alloca);
/* Element of this warp in a per-warp array. */
LLVMValueRef ls_emit_warp_element(struct ls_emitter *e, LLVMBuilderRef b, LLVMValueRef alloca);
/* Which slots that the dry runs asked for hold one value for the whole block. False: one that is
 * read before any warp runs does not. */
bool ls_emit_classify_slots(struct ls_emitter *e);
/* Makes them. */
void ls_emit_make_slots(struct ls_emitter *e);
void ls_emit_slot_store(struct ls_emitter *e, LLVMBuilderRef b, struct ls_keep *s, LLVMValueRef v);
/* The value `v` of the old function where block `use_block` of this region uses it. */
LLVMValueRef ls_emit_resolve(struct ls_emitter *e, LLVMBuilderRef b, unsigned use_block,
                             LLVMValueRef v);
/* Inserts a clone with its own source line: a builder would give it that of the place where the
 * builder was set first. */
void ls_emit_insert_clone(LLVMBuilderRef b, LLVMValueRef clone);
/* The turn of a point at which it can be tested whether the whole block stays in the loop, else
 * NULL. */
const struct ls_turn *ls_emit_turn_of(const struct ls_emitter *e, unsigned point);
/* The value that `v`, which is the same in all threads, has at the region's start, before any warp
 * runs. */
LLVMValueRef ls_emit_block_value(struct ls_emitter *e, LLVMValueRef v);
/* Turns to a region, or a part of it. */
void ls_emit_enter(struct ls_emitter *e, const struct ls_region *r);
/* Whether the edge between two blocks of the old function is one of the current region. */
bool ls_emit_edge(struct ls_emitter *e, LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* Whether a value is the same in all threads and known before any warp runs, and that value. */
bool ls_emit_can_early(struct ls_emitter *e, unsigned use_block, LLVMValueRef v);
LLVMValueRef ls_emit_early(struct ls_emitter *e, unsigned use_block, LLVMValueRef v);

/* ---- trim.c ---- */

struct ls_trim;

/* The warps of a region that have work: [first, end), where end is greater. If there is a form for
 * warps that are there as a whole, `full`, then that is for [full_first, full_end), and what the
 * region itself is for, [part_first, part_end), is one warp or none, or any number (`parts`). */
struct ls_warps {
    LLVMValueRef first, end;
    struct ls_region *full; /* or NULL */
    LLVMValueRef full_first, full_end, part_first, part_end;
    bool parts;
};

/* Whether a warp that does not run an instruction can be told from one that does, by something else
 * than a value. */
bool ls_trim_has_effect(LLVMValueRef inst);
/* What is known of the current region's branches, NULL if nothing. */
struct ls_trim *ls_trim_find(struct ls_emitter *e);
/* In a dry run: asks for what ls_trim_apply needs. */
void ls_trim_want(struct ls_emitter *e, const struct ls_trim *trim);
/* Computes which warps have work, in front of the loop over warps. False: all have. */
bool ls_trim_apply(struct ls_emitter *e, const struct ls_trim *trim, struct ls_warps *out);

/* ---- paths.c ---- */

/* A region, or what is left of it behind branches at its start that all threads of the block take
 * together: they are taken once, before any warp runs. */
struct ls_path {
    const struct ls_region *r;
    unsigned fork;           /* the block that ends in such a branch, if there are */
    struct ls_path *side[2]; /* two sides; else NULL */
    struct ls_trim *trim;    /* of one without sides */
};

/* The paths of a point's region. */
struct ls_path *ls_paths_find(struct ls_emitter *e, unsigned point);

/* ---- coalesce.c ---- */

/* Finds slots that can share a place. They are known and classified. */
void ls_coalesce(struct ls_emitter *e);
/* Whether the current region has nothing to store for a phi: what it becomes lies in its place
 * since before the region. */
bool ls_coalesce_is_kept(struct ls_emitter *e, LLVMValueRef phi);

/* ---- jam.c ---- */

/* Whether the code of all warps is to be made without loops. Slots and variables are known. */
bool ls_jam_wanted(struct ls_emitter *e);
/* How many warps of the current region are to run side by side then. */
unsigned ls_jam_side_by_side(struct ls_emitter *e);
/* How many warps of the current region are to run side by side in its loop over warps, of which the
 * block has a multiple; 1: each by itself. */
unsigned ls_jam_group(struct ls_emitter *e);

#endif
