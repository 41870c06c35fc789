/* SPDX-License-Identifier: MIT */
/* The steps of ls_ir_prepare, in order. Each returns false after a diagnostic. */
#ifndef LS_IR_PREPARE_PRIV_H
#define LS_IR_PREPARE_PRIV_H

#include "compiler/ir/ir.h"

/* Moves the kernel's body into ls.program(ctx, params, bx, by, bz, w). */
bool ls_program_create(struct ls_cc *cc);
LLVMValueRef ls_program_get(struct ls_cc *cc);

/* Inline assembly by the table asm.def. *changed: there was some. */
bool ls_asm_replace(struct ls_cc *cc, bool *changed);

/* The carry between asm statements of PTX to a variable; when all is inlined (carry.c). */
bool ls_carry_replace(struct ls_cc *cc);

/* Buffer accesses to plain ones behind a test of the range. *changed: there were some. */
bool ls_buffer_replace(struct ls_cc *cc, bool *changed);

/* Small copies and fills to loads and stores. */
void ls_copies_expand(struct ls_cc *cc);

/* Marks where source variables get their values, if the module is one to look into with a
 * debugger. */
bool ls_variables_mark(struct ls_cc *cc);
/* notes.c: marks where comments say something of variables, with LS_CHECK_NOTES. */
bool ls_notes_place(struct ls_cc *cc);
/* Whether a function is to be found by a debugger (-g): more of its source is described than lines,
 * which all programs of hipcc have. */
bool ls_variables_are_described(struct ls_cc *cc, LLVMValueRef fn);
void ls_variables_bind(
    struct ls_cc *cc); /* gives the marks their warp number; called when all is inlined */

/* Loads, stores and elements of vectors of less than bytes (<32 x i1>) to integers; before pairs:
 * of 128 bits, too. */
void ls_bits_split(struct ls_cc *cc);

/* Conversions of halves to integers become those that clamp, before any pass runs. */
void ls_conversions_clamp(struct ls_cc *cc);

/* Integers of 128 bits to pairs of 64. */
void ls_pairs_split(struct ls_cc *cc);

/* Decides what is inlined and inlines it. *changed: bodies were merged and want cleaning. */
bool ls_inline_calls(struct ls_cc *cc, bool *changed);

/* Splits long vectors of a thread into their elements, unless matrix builtins use such. */
bool ls_wide_split(struct ls_cc *cc);

/* After all of prepare: false, with a diagnostic, for code that the later stages have no room for
 * (limits.c). */
bool ls_ir_check_limits(struct ls_cc *cc);

/* Replaces work-item queries, dispatch and implicit argument loads by constants, parameters, ctx
 * loads. */
bool ls_queries_replace(struct ls_cc *cc);

/* Device variables by ctx->globals, constants into the code, LDS offsets. */
bool ls_globals_replace(struct ls_cc *cc);

/* Where a function's code may find ctx and, in ls.program, the position parameters. */
struct ls_fn_env {
    LLVMValueRef fn;
    LLVMBuilderRef b;      /* in the entry block, behind the allocas */
    LLVMValueRef ctx;
    LLVMValueRef pos[3];   /* bx, by, bz; in functions out of line NULL until needed */
    LLVMValueRef w;
    LLVMValueRef tid[3];   /* threadIdx, NULL until needed */
    LLVMValueRef lane, lin;
    LLVMValueRef grid[3], block[3];
    LLVMValueRef globals;
};
void ls_fn_env_init(struct ls_cc *cc, struct ls_fn_env *env, LLVMValueRef fn);
void ls_fn_env_fini(struct ls_fn_env *env);
LLVMValueRef ls_env_ctx(struct ls_cc *cc, struct ls_fn_env *env);
LLVMValueRef ls_env_load(struct ls_cc *cc, struct ls_fn_env *env, size_t offset, unsigned bits,
                         const char *name);
LLVMValueRef ls_env_grid(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim);
LLVMValueRef ls_env_block(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim);
LLVMValueRef ls_env_block_id(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim);
LLVMValueRef ls_env_lane(struct ls_cc *cc, struct ls_fn_env *env);
LLVMValueRef ls_env_tid(struct ls_cc *cc, struct ls_fn_env *env, unsigned dim);

/* joined.c: two operations between lanes that move the halves of a number become one. */
void ls_halves_join(struct ls_cc *cc);

/* pieces.c: numbers that are read in pieces (a[0] | a[1] << 16) are read whole. False: there are
 * none. */
bool ls_pieces_join(struct ls_cc *cc);

/* exchange.c: of comparisons of i ^ c with i tests of a bit remain. */
void ls_exchanges_test_bits(struct ls_cc *cc);

/* settled.c: tests that depend on the thread alone become tests of the lane, or of the warp. True:
 * some did, and what they were made of wants cleaning. */
bool ls_tests_settle(struct ls_cc *cc);

/* checks.c: marks elements at unknown indices, if accesses are to be checked. The stage behind
 * prepare marks memory. */
bool ls_checks_mark_elements(struct ls_cc *cc);
void ls_checks_mark_unset(struct ls_cc *cc); /* unset.c: while variables are still in memory */
void ls_checks_settle_unset(struct ls_cc *cc); /* when they are values */

/* unroll.c: loops with barriers that run a known number of times are straight code. */
bool ls_ir_unroll_steps(struct ls_cc *cc, bool *changed);

/* same_ways.c: what is computed alike on all ways to a place is computed in front of them. True:
 * something was. */
bool ls_same_ways_join(struct ls_cc *cc);

/* distinct.c: accesses that start from arguments which lead to memory of their own are marked so.
 * True: some were. */
bool ls_distinct_mark(struct ls_cc *cc);

/* row_lanes.c: warps of one row for blocks that are half a warp wide, where no thread can tell. */
void ls_row_lanes_choose(struct ls_cc *cc);
/* The same file: one row of warps for blocks whose rows do the same. */
void ls_same_rows_choose(struct ls_cc *cc);

/* own_rows.c: loops in which each thread walks along a row of its own are unrolled. */
bool ls_ir_unroll_rows(struct ls_cc *cc, bool *changed);

#endif
