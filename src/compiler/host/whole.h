/* SPDX-License-Identifier: MIT */
/* Code for whole blocks, which has no masks (whole.c). */
#ifndef LS_HOST_WHOLE_H
#define LS_HOST_WHOLE_H

#include "compiler/compiler_priv.h"

bool ls_whole_is_possible(struct ls_cc *cc);
/* i32 ls.whole(ctx, the kernel's parameters, i32 n, i32 x, i32 y, i32 z): how many of the n > 0
 * blocks from x on in row y, z are whole, one after the other. */
LLVMValueRef ls_whole_build_test(struct ls_cc *cc);
/* void name(ctx, the kernel's parameters, i32 n, i32 x, i32 y, i32 z): runs n > 0 whole blocks. */
LLVMValueRef ls_whole_build_run(struct ls_cc *cc, const char *name);
/* Called when the program is inlined into such a function. */
void ls_whole_settle(struct ls_cc *cc, LLVMValueRef fn);
/* Gives each warp of whole blocks with barriers code of its own and keeps in registers what they
 * hand to each other (straight.c), where that is little. False: LLVM failed. */
bool ls_whole_straighten(struct ls_cc *cc, LLVMValueRef fn);
/* A function of this name that is to become a copy of the one that runs whole blocks. */
LLVMValueRef ls_whole_declare(struct ls_cc *cc, const char *name);
/* Makes it one. False: LLVM failed. */
bool ls_whole_copy(struct ls_cc *cc, LLVMValueRef fn, LLVMValueRef of);
/* The last thing that is done with such a function. */
void ls_whole_split_stores(struct ls_cc *cc, LLVMValueRef fn);
/* abreast.c: lets warps go through a loop of theirs together. Whether there was one; asked again,
 * it looks for another. */
bool ls_whole_abreast(struct ls_cc *cc, LLVMValueRef fn);
/* Says to LLVM's unroller what it should do with the loops of any function: nothing, but for those
 * over the warps of whole blocks. */
void ls_whole_mark_loops(struct ls_cc *cc, LLVMValueRef fn, bool is_whole);

/* Of straight.c: whether the loops with these branches back are short enough to be unrolled. */
bool ls_straight_wanted(struct ls_cc *cc, LLVMValueRef fn, LLVMValueRef *latches, unsigned n);
/* Accesses of shared memory become values, where all are at known places, and global memory is read
 * or asked for in an order that processors foresee. */
void ls_straight_settle(struct ls_cc *cc, LLVMValueRef fn);

#endif
