/* SPDX-License-Identifier: MIT */
/* The table of device builtins: what each means for the analyses. One row per name in
 * intrinsics.def; how it becomes host code is in the same row, read by lower/rows.c. */
#ifndef LS_INTRIN_INTRINSICS_H
#define LS_INTRIN_INTRINSICS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

enum ls_intrin_shape {
    LS_IS_NONE = 0,
    LS_IS_PURE,         /* lane-wise and pure: uniform when all arguments are */
    LS_IS_LANE,         /* ls.lane: 0, 1, 2, ... */
    LS_IS_WARP_UNIFORM, /* same in all lanes of a warp whatever the arguments: ballot,
                         * readfirstlane */
    LS_IS_BLOCK_UNIFORM, /* same in all threads of a block: workgroup id, dispatch sizes */
    LS_IS_VARYING,       /* differs from lane to lane: mbcnt, atomics, services */
};

struct ls_intrin {
    const char *name;      /* exact, or a prefix when it ends in '.': "llvm.amdgcn.readlane." */
    enum ls_intrin_shape shape;
    unsigned flags;        /* LS_IF_* */
    long data;             /* parameter of the lowering: row_data.h names the values */
};
#define LS_IF_CONVERGENT 1u /* looks at other lanes or at the mask */
#define LS_IF_MEMORY     2u /* reads or writes memory, or has another effect */
#define LS_IF_NORETURN   4u
#define LS_IF_CLOCK      8u /* the time: kernels wait for it to pass */
/* Integer and floating-point extremes of two operands; LS_IF_SIGNED: of signed integers. */
#define LS_IF_MIN        16u
#define LS_IF_MAX        32u
#define LS_IF_SIGNED     64u
#define LS_IF_LANES      128u /* the result says what other lanes hold, or which lane this is */
/* What a call does to memory that is its operands' (analysis/access.h): */
#define LS_IF_ATOMIC                                                                               \
    256u /* an atomic operation: on what operand 0 points to, of the result's type */
#define LS_IF_COPIES                                                                               \
    512u /* writes to operand 0 what operand 1 points to, as many bytes as operand 2 says */
#define LS_IF_FILLS      1024u /* writes to operand 0, as many bytes as operand 2 says */
#define LS_IF_TELLS      2048u /* an effect for who runs the kernel, and for no thread */

/* The next row of the table; of NULL the first one; behind the last NULL. */
const struct ls_intrin *ls_intrin_next(const struct ls_intrin *row);
/* The row's place in the table, from 0. */
unsigned ls_intrin_number(const struct ls_intrin *row);

/* Name of a directly called function, or NULL. */
const char *ls_ir_callee_name(LLVMValueRef call);

/* The row of a called function's name, or NULL: then it is an ordinary function or not lowered
 * yet. */
const struct ls_intrin *ls_intrin_find(const char *name);

/* Is `i` a call that asks for the time? */
bool ls_intrin_is_clock(LLVMValueRef i);

#endif
