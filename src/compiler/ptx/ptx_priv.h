/* SPDX-License-Identifier: MIT */
/* Inside the room: one function that is being rewritten, and what all files of it build with. */
#ifndef LS_PTX_PRIV_H
#define LS_PTX_PRIV_H

#include "lanes/lanes.h"
#include "ptx/ptx.h"

/* Address spaces: those of AMD's bitcode, which are NVIDIA's but for the constant one. */
enum {
    LS_SPACE_GENERIC = 0,
    LS_SPACE_GLOBAL = 1,
    LS_SPACE_SHARED = 3,
    LS_SPACE_CONSTANT = 4,
    LS_SPACE_PRIVATE = 5,
};

enum { LS_PTX_LANES = 32 };

struct ls_ptx {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMValueRef fn;
    /* Who runs together, by the code that clang made; NULL: nothing is known. */
    const struct ls_linear *warp;
    LLVMValueRef *masks; /* by block of `warp`: who runs it together; NULL: not asked yet */
    LLVMValueRef at;     /* the builder stands in front of this instruction */
    struct ls_vf *vf; /* lowerings for one thread */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, voidt;
};

/* ---- build.c ---- */
LLVMValueRef ls_ptx_int(struct ls_ptx *p, uint64_t value); /* i32 */
/* An intrinsic of LLVM's, without overloads. */
LLVMValueRef ls_ptx_nvvm(struct ls_ptx *p, const char *name, LLVMValueRef *args, unsigned n);
/* One instruction of the assembler. `effects`: it is not moved, copied or dropped. */
LLVMValueRef ls_ptx_asm(struct ls_ptx *p, LLVMTypeRef result, const char *text,
                        const char *constraints, LLVMValueRef *args, unsigned n, bool effects);

/* ---- builtins.c ---- */
/* Replaces one call; NULL for void, or after a diagnostic. */
typedef LLVMValueRef (*ls_ptx_fn)(struct ls_ptx *p, LLVMValueRef call, long data);
/* Replaces a call that means something else here, or nothing. */
void ls_ptx_call(struct ls_ptx *p, LLVMValueRef call);

/* ---- calls.c ---- */
/* Functions out of line, before all else: their parameters, and calls through pointers. */
void ls_ptx_mend_calls(struct ls_cc *cc);

/* ---- masks.c ---- */
/* The lanes that run the place of the builder together with the caller, i32. */
LLVMValueRef ls_ptx_mask(struct ls_ptx *p);
/* Whether all threads of the warp run it together. */
bool ls_ptx_is_whole(struct ls_ptx *p);

/* ---- warp.c ---- */
LLVMValueRef ls_ptx_lane(struct ls_ptx *p);
/* What `lane` (i32) has, any type of a size in bytes. */
LLVMValueRef ls_ptx_shuffle(struct ls_ptx *p, LLVMValueRef value, LLVMValueRef lane);
LLVMValueRef ls_ptx_ballot(struct ls_ptx *p, LLVMValueRef condition); /* i32 */

/* ---- memory.c ---- */
/* Orders and scopes of an atomic access or fence as the assembler has them. */
void ls_ptx_access(struct ls_ptx *p, LLVMValueRef inst);
void ls_ptx_alloca(struct ls_ptx *p, LLVMValueRef inst);
/* Vectors at addresses that need not be aligned move in parts; behind all passes. */
void ls_ptx_split_loose(struct ls_cc *cc);

/* ---- spaces.c ---- */
/* Pointers to AMD's constant space become generic ones. `roots`: those of them that are arguments,
 * and what they are now. */
bool ls_ptx_leave_constant_space(struct ls_ptx *p, const struct ls_ptrmap *roots);
/* LDS variables are parts of one array, device variables are reached by a table. */
bool ls_ptx_place_variables(struct ls_cc *cc);

/* Every function that the table names. */
#define LS_PTX(name, handler, data)                                                                \
    LLVMValueRef handler(struct ls_ptx *p, LLVMValueRef call, long data_);
#include "ptx/builtins.def"
#undef LS_PTX

#endif
