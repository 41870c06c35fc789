/* SPDX-License-Identifier: MIT */
/* Guards: comparisons like `i < n` that say the same in all threads of nearly all blocks, as
 * expressions of the block's number and the kernel's arguments. Which blocks of a grid are whole,
 * so that every guard holds in all of their threads, can be asked before they run; code for whole
 * blocks has no masks. */
#ifndef LS_IR_GUARDS_H
#define LS_IR_GUARDS_H

#include <llvm-c/Core.h>

#include "compiler/compiler_priv.h"

enum ls_term_op {
    LS_TERM_NONE = 0,
    LS_TERM_CONST,   /* value */
    LS_TERM_ARG,     /* the kernel's argument number `value` */
    LS_TERM_KERNARG, /* an integer at byte `value` of the kernarg segment */
    LS_TERM_CTX,     /* an integer at byte `value` of ctx, the same for the whole launch */
    LS_TERM_BLOCK,   /* the block's number in dimension `value` */
    LS_TERM_RANGE,   /* any of 0 ... value: a lane's or a warp's number */
    LS_TERM_WARP,    /* a warp's number, where their count is not known */
    LS_TERM_BINARY,  /* opcode: of a and b */
    LS_TERM_CAST,    /* opcode: zext, sext or trunc of a */
};

/* What a thread computes as an integer of so many bits, modulo 2^bits. */
struct ls_term {
    enum ls_term_op op;
    LLVMOpcode opcode;
    unsigned bits;
    bool varies;      /* with blockIdx.x or the thread; then its exact value is below 2^log */
    bool is_of_block; /* it says something of the block */
    unsigned log;
    uint64_t value;
    const struct ls_term *a, *b;
};

/* `a predicate b` holds in all threads of a whole block. */
struct ls_guard {
    LLVMIntPredicate predicate;
    const struct ls_term *a, *b;
};

enum { LS_MAX_GUARDS = 16 };

struct ls_guards {
    struct ls_guard guard[LS_MAX_GUARDS];
    unsigned n;
    /* Warps that run one after the other before the next block of the row has its turn: all of
     * them, or those of one row of the block, so that the row of blocks is walked through as memory
     * lies. A divisor of n_warps. */
    unsigned row_warps;
    bool has_barriers; /* a block runs as a whole, region by region */
};

/* Finds the guards of a program that is small and has a known block of whole warps, and makes each
 * of them true also where ctx->whole is set. cc->guards is NULL where there can be no code for
 * whole blocks; none at all (n = 0) means that all blocks are whole. */
void ls_guards_find(struct ls_cc *cc, LLVMValueRef program);

/* The comparison in a condition of the program that became a guard, NULL: it is none. */
LLVMValueRef ls_guards_compared(LLVMValueRef program, LLVMValueRef v);

/* i1: ctx->whole != 0. */
LLVMValueRef ls_guards_whole(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef ctx);

/* Puts a constant in place of ctx->whole. */
void ls_guards_settle(struct ls_cc *cc, LLVMValueRef fn, bool whole);

#endif
