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

/* What matrix products multiply. */
enum { LS_PTX_F16, LS_PTX_BF16, LS_PTX_I8, LS_PTX_I4 };

struct ls_ptx {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMValueRef fn;
    bool is_entry;
    const struct ls_linear *warp; /* who runs together, by the code that clang made */
    LLVMValueRef *masks; /* by block of `warp`: who runs it together; NULL: not asked yet */
    LLVMValueRef at;     /* the builder stands in front of this instruction */
    struct ls_vf *vf;    /* lowerings for one thread */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, voidt;
};

/* ---- conditions.c ---- */
/* A condition as a number, of a form that the hardware likes; NULL: it is none. */
LLVMValueRef ls_ptx_condition(struct ls_ptx *p, LLVMValueRef inst);

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
/* Calls a function that the driver provides. */
LLVMValueRef ls_ptx_call_system(struct ls_ptx *p, const char *name, LLVMTypeRef result,
                                LLVMValueRef *args, unsigned n);
/* Whether a call must know who runs it together. */
bool ls_ptx_asks(LLVMValueRef call);
/* Functions that stay out of line and ask nobody who runs them, nor what they call: nothing is said
 * to them. */
bool ls_ptx_is_lone(LLVMValueRef fn);
void ls_ptx_be_lone(struct ls_cc *cc, LLVMValueRef fn);

/* ---- arith.c ---- */
/* A conversion of floating-point numbers to integers. */
void ls_ptx_to_int(struct ls_ptx *p, LLVMValueRef inst);
/* What LLVM's code generator cannot do in one step; behind all passes. */
void ls_ptx_part_halves(struct ls_cc *cc);

/* ---- align.c ---- */
/* How many of the lowest bits of a number or pointer are 0 for certain; at most 4. */
unsigned ls_ptx_known_zeros(struct ls_cc *cc, LLVMValueRef v);

/* ---- calls.c ---- */
/* Functions out of line, before all else: their parameters, of which a new last one says which
 * lanes the function was called by together (in calls: a place for that), and calls through
 * pointers. */
void ls_ptx_mend_calls(struct ls_cc *cc, LLVMValueRef program);

/* ---- part.c ---- */
/* In front of a call: of the lanes in the mask those that call the same, i32. */
LLVMValueRef ls_ptx_part(struct ls_ptx *p, LLVMValueRef target, LLVMValueRef mask);
/* When all of a function is rewritten: has such groups call one after the other. */
void ls_ptx_part_calls(struct ls_ptx *p);

/* ---- masks.c ---- */
/* The lanes that run the place of the builder together with the caller, i32. */
LLVMValueRef ls_ptx_mask(struct ls_ptx *p);
/* Whether all threads of the warp run it together. */
bool ls_ptx_is_whole(struct ls_ptx *p);
/* Whether that can be known in a block of `warp`. Before the function is rewritten. `seen`: by
 * block, of the same function, zeroed before the first call. */
bool ls_ptx_mask_is_known(struct ls_ptx *p, unsigned block, bool *seen);

/* ---- count.c ---- */
/* Puts iterations of four in front of a loop of one block, where `i < end` and `i += step` say when
 * it ends: that takes no division, and the loop often runs once. False: it is no such loop. What is
 * left must not be unrolled. */
bool ls_ptx_take_four(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop);
/* Gives a loop that has one branch, back or out, a number that says how often it runs, where that
 * follows from `i < end` and `i += step`; false: it does not, or may not end. */
bool ls_ptx_count(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop);

/* ---- unroll.c ---- */
/* Says to LLVM which loops to unroll, in front of its passes. */
void ls_ptx_mark_loops(struct ls_cc *cc);
/* Behind LLVM's passes: unrolls what is left of loops that these unrolled. */
bool ls_ptx_open_rests(struct ls_cc *cc);
/* Behind all passes: loops as the driver's assembler unrolls them. */
void ls_ptx_turn_loops(struct ls_cc *cc);

/* ---- registers.c ---- */
/* Finds out whether the entry is to have more registers than the assembler would give it. */
void ls_ptx_wish_registers(struct ls_cc *cc);
/* A copy of the text with that wish, of *bytes bytes and a byte more; NULL: no memory. */
void *ls_ptx_write_wish(struct ls_cc *cc, const char *text, size_t n, size_t *bytes);

/* ---- whole.c ---- */
/* In front of LLVM's passes: the larger and the less of numbers that were integers. */
void ls_ptx_take_whole(struct ls_cc *cc);

/* ---- late.c ---- */
/* Shorter forms of some code; behind all passes. */
void ls_ptx_shorten(struct ls_cc *cc);

/* ---- matrix.c ---- */
/* Loads of tiles become loads of what memory they lie in, when variables are placed. */
void ls_ptx_load_tiles(struct ls_cc *cc);

/* ---- lift.c ---- */
/* Sums are done where their terms are; behind all passes. */
void ls_ptx_lift(struct ls_cc *cc);

/* ---- printf.c ---- */
/* Replaces the calls that clang has made of each printf. False after a diagnostic. */
bool ls_ptx_print(struct ls_ptx *p);

/* ---- step.c ---- */
/* Puts the warp's barrier where lanes read what others have just written in shared memory. Before
 * the function is rewritten, and before ls_ptx_mask_is_known is asked. */
void ls_ptx_keep_step(struct ls_ptx *p);

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
/* False: a pointer of an address space lies in memory, where it has another size. */
bool ls_ptx_refuse_narrow(struct ls_cc *cc);
/* LDS variables are parts of one array, device variables are reached by a table. */
bool ls_ptx_place_variables(struct ls_cc *cc);

/* Every function that the table names. */
#define LS_PTX(name, handler, data)                                                                \
    LLVMValueRef handler(struct ls_ptx *p, LLVMValueRef call, long data_);
#define LS_PTX_WARP LS_PTX
#include "ptx/builtins.def"
#undef LS_PTX_WARP
#undef LS_PTX

#endif
