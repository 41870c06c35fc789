/* SPDX-License-Identifier: MIT */
/* What the files that mark something for checkers share. */
#ifndef LS_IR_CHECKS_PRIV_H
#define LS_IR_CHECKS_PRIV_H

#include "analysis/threads.h"
#include "base/check_site.h"
#include "compiler/ir/prepare_priv.h"

struct ls_marker {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i64;
    bool has_atomics;        /* or volatile accesses, in the program */
    bool has_shared_atomics; /* the same of memory that blocks share */
    bool has_order;          /* atomic operations or fences that order other accesses */
    struct ls_ptrmap quiet;  /* with LS_CHECK_RACE: reads that can race with nothing (quiet.c) */
    struct ls_ptrmap flags;  /* with LS_CHECK_RACE: what loops wait at (flags.c) */
    bool has_other_flags;    /* and they wait at what is not known */
    struct ls_threads threads;
    const struct sum *own; /* own.c: the index by which threads go to elements of their own; NULL:
                              there was none yet */
    int64_t own_stride, own_element;
    uint64_t own_reads; /* as cc->reach.own, of reads */
};

/* ---- marks.c ---- */

/* The next mark's note, empty. It is a mark when ls_mark_call is called, else used once more. */
struct ls_check_note *ls_mark_note(struct ls_marker *m);
/* An operand of a node; NULL: it has none. */
LLVMMetadataRef ls_mark_operand(struct ls_cc *cc, LLVMMetadataRef node, unsigned i);
/* Where an instruction stands in the source, as site.trace; NULL: unknown. */
const char *ls_mark_trace(struct ls_cc *cc, LLVMValueRef inst);
/* The call where the builder stands, of a function of its own for each mark, whose name has the
 * mark's number. n_bytes: an i64, or NULL. inst: whose line it is. */
void ls_mark_call(struct ls_marker *m, LLVMValueRef where, LLVMValueRef n_bytes, LLVMValueRef inst);

/* Bits of how an atomic operation or fence orders what is around it for other warps; 0: not. The C
 * API tells it of some instructions only, the text of all. */
uint8_t ls_mark_order(LLVMValueRef inst);

/* ---- quiet.c ---- */

/* Fills in m->quiet. */
void ls_mark_quiet(struct ls_marker *m);

/* ---- flags.c ---- */

/* Adds what the instruction may wait at to m->flags. */
void ls_mark_flag(struct ls_marker *m, LLVMValueRef inst);
/* Whether a volatile access may be of a flag; once all instructions were looked at. */
bool ls_mark_may_be_flag(struct ls_marker *m, LLVMValueRef pointer);

/* ---- starts.c ---- */

/* Adds what the instruction's accesses start from to cc->reach. */
void ls_mark_reach(struct ls_marker *m, LLVMValueRef inst);

/* ---- own.c ---- */

/* Whether no two threads of a launch go to the same of these bytes, nor do they by other accesses
 * of which that is true; if the launch is as cc->reach says. The pointer starts from an argument.
 */
bool ls_mark_is_own(struct ls_marker *m, LLVMValueRef pointer, uint64_t bytes);

/* ---- meetings.c: with LS_CHECK_SYNC ---- */

/* Where lanes meet by a mask that the program gives, and where threads end. */
void ls_mark_meeting(struct ls_marker *m, LLVMValueRef inst);

/* ---- follow.c: with LS_CHECK_SYNC and INIT ---- */

struct ls_follower;
/* Follows what shuffles read from lanes that are not there, and what of variables was not written,
 * to where it is used. */
void ls_mark_uses(struct ls_marker *m, LLVMValueRef fn);
/* A value that, if `bad` is 1, is the one that site `number` - 1 tells of; the builder stands where
 * `bad` is. */
typedef void (*ls_follow_root)(struct ls_follower *f, LLVMValueRef value, LLVMValueRef bad,
                               uint32_t number);

/* ---- unset.c: with LS_CHECK_INIT ---- */

#define LS_CHECK_SHADOW "ls.unset" /* names of variables that are ours */
/* Reads of variables that were not written, each by `root`. */
void ls_mark_unset(struct ls_marker *m, LLVMValueRef fn, ls_follow_root root,
                   struct ls_follower *follower);
/* The same of vectors, which clang makes of small arrays; before large ones are split. */
void ls_mark_unset_elements(struct ls_marker *m, LLVMValueRef fn);
/* Calls, each with a note's number, that stand for the value of their first argument, which is
 * unset if the second is 1. All are taken out, or those that are set. */
#define LS_FN_UNSET "ls.unset."
void ls_remove_taints(LLVMValueRef fn, bool all);

/* ---- origins.c: with LS_CHECK_NOTES ---- */

/* Marks of comments show where values came from, and no longer the values. */
void ls_origins_make(struct ls_cc *cc);

/* ---- costs.c: with LS_CHECK_REVIEW ---- */

/* Blocks of instructions, and double precision by accident. In front of an instruction's other
 * marks. */
void ls_mark_costs(struct ls_marker *m, LLVMValueRef inst);

#endif
