/* SPDX-License-Identifier: MIT */
/* Helpers over LLVM-C that every room before the vectoriser uses, and what describe and load agree
 * on. */
#ifndef LS_IR_IR_H
#define LS_IR_IR_H

#include "base/ptrmap.h"
#include "compiler/compiler_priv.h"
#include "compiler/intrin/intrinsics.h"

/* Parses bitcode (or textual IR, for tools) into cc->llvm. NULL after a diagnostic. */
LLVMModuleRef ls_ir_parse(struct ls_cc *cc, const void *data, size_t bytes);
/* Bitcode only, and functions have bodies that nobody has read. `data` must outlive the module.
 * NULL without a message. */
LLVMModuleRef ls_ir_parse_lazily(struct ls_cc *cc, const void *data, size_t bytes);

/* Says why bitcode cannot be read: damaged, or which function clang made invalid code of. Returns
 * false. */
bool ls_ir_explain_refusal(struct ls_cc *cc, const void *data, size_t bytes);
/* False after a diagnostic that names the function, when what clang made is no valid code. */
bool ls_ir_check_valid(struct ls_cc *cc, LLVMModuleRef mod);

/* Runs a textual pass pipeline over cc->mod. */
bool ls_ir_run_passes(struct ls_cc *cc, LLVMTargetMachineRef tm, const char *passes);
/* Slots of a large function become values: those in the entry block that are only loaded and stored
 * as a whole. In a small function nothing changes. */
void ls_ir_promote(struct ls_cc *cc, LLVMValueRef fn);
/* Blocks that follow each other without another way in or out become one. */
void ls_ir_join_chains(struct ls_cc *cc, LLVMValueRef fn);
/* A fault of InstCombine (carried.c): while it runs, vectors that loops carry are hidden from it
 * where it would exchange operands. ls_ir_run_passes does so for those that are there when it
 * begins. */
void ls_ir_hide_carried(struct ls_cc *cc);
void ls_ir_show_carried(struct ls_cc *cc);

/* A call by which lanes look at each other, or at who is there. */
bool ls_ir_is_convergent(LLVMValueRef inst);
/* Whether a call does nothing to memory that code can see, and lanes do not meet in it. */
bool ls_ir_is_pure(LLVMValueRef call);
/* Neither reads nor writes memory, nor makes threads wait. */
bool ls_ir_leaves_memory(LLVMValueRef inst);
/* A barrier of the block, as a call. */
bool ls_ir_is_barrier(LLVMValueRef inst);
bool
ls_ir_is_private(LLVMValueRef pointer); /* the pointer is known to point to a thread's own memory */

/* One pass that changes control flow, over cc->mod. It takes no operation in which lanes meet
 * (convergent, atomic or volatile) out of a loop or into one, nor makes copies for some of the
 * lanes: where it would, it goes without the loops concerned, or is left out. cc->mod may be
 * another module afterwards. */
bool ls_ir_run_converged(struct ls_cc *cc, LLVMTargetMachineRef tm, const char *pass);
bool ls_ir_thread_jumps(struct ls_cc *cc); /* jump threading, run like ls_ir_run_converged */
/* Passes that leave control flow alone. They keep no memory in registers from one iteration of a
 * loop in which lanes meet to the next, nor over an operation in which they do: a lane may see
 * there what others stored. */
bool ls_ir_run_held(struct ls_cc *cc, LLVMTargetMachineRef tm, const char *passes);
/* Irreducible loops in which lanes meet become natural ones: before any pass that changes control
 * flow. */
bool ls_ir_fix_irreducible(struct ls_cc *cc);
/* One latch for each loop in which lanes meet: loop-simplify, which comes with every pass over
 * loops, would take several for loops in one another. */
void ls_ir_join_latches(struct ls_cc *cc);
bool ls_ir_simplify_loops(struct ls_cc *cc); /* ls_ir_join_latches, then loop-simplify and lcssa */

/* The amdgcn target machine of the module's arch; NULL after a diagnostic. */
LLVMTargetMachineRef ls_ir_device_tm(struct ls_cc *cc);

/* Arch of the module by its functions' "target-cpu" ("gfx1100"), copied into the arena; NULL if
 * none says. */
const char *ls_ir_arch(struct ls_cc *cc, LLVMModuleRef mod);

/* True for variables that live in device memory and are reached through ctx->globals, false for
 * LDS, compiler bookkeeping and constants that stay inside the code. */
bool ls_ir_global_is_indexed(LLVMValueRef global);
/* Constants that point to such variables become such, but for those that point to LDS, too: to be
 * called before anything is numbered. */
void ls_ir_index_constants(LLVMModuleRef mod);

/* The number of a function definition is its position among the definitions of the whole module.
 * Device code sees LS_IR_FN_ADDRESS(number) as its address, in every kernel and in variables. */
#define LS_IR_FN_SHIFT           4
#define LS_IR_FN_ADDRESS(number) (((uint64_t)(number) + 1) << LS_IR_FN_SHIFT)
void ls_ir_number_functions(LLVMModuleRef mod); /* to be called before any function is deleted */
/* Gives the image functions that the module calls their bodies; they count as image functions from
 * then on. */
bool ls_ir_link_images(struct ls_cc *cc);

/* Annotations of masks become calls, or nothing (meetings.c). */
void ls_masks_take(struct ls_cc *cc);
bool ls_ir_is_image_function(LLVMValueRef fn);
/* True when ls_ir_link_images would give a function of this name its body. */
bool ls_ir_has_image_function(struct ls_cc *cc, const char *name);
/* Whether something is done with a function but calling it. */
bool ls_ir_takes_functions(LLVMModuleRef mod, LLVMValueRef kernel);
bool ls_ir_function_number(LLVMValueRef fn, unsigned *number);
/* Marked by ls_world_mark_targets: calls through pointers may go there. */
bool ls_ir_is_call_target(LLVMValueRef fn);

/* What one kernel reaches. With a call through a pointer, that is every function of the called type
 * whose address is taken anywhere in the module. */
struct ls_world {
    struct ls_arena *arena; /* borrowed */
    LLVMModuleRef mod;
    struct ls_ptrmap reached; /* constants, variables and functions */
    LLVMValueRef *fns;        /* those of them that are functions, declarations too */
    size_t n_fns, cap_fns;
    struct ls_ptrmap called_types; /* function types of calls through pointers */
    bool calls_pointers;
    LLVMValueRef
        *taken; /* functions of the whole module whose address is taken; NULL until needed */
    size_t n_taken;
};
void ls_world_init(struct ls_world *w, struct ls_cc *cc, LLVMModuleRef mod);
void
ls_world_reach(struct ls_world *w,
               LLVMValueRef kernel); /* adds what one kernel reaches; may be called for several */
void ls_world_mark_targets(struct ls_world *w);

/* Metadata on globals: the i32 index in ctx->globals, and the i32 byte offset in LDS. */
#define LS_MD_GLOBAL_INDEX "ls.global.index"
#define LS_MD_LDS_OFFSET   "ls.lds.offset"
/* On loads of image functions, where reads are checked: they may bring more than the texel. */
#define LS_MD_TEXEL "ls.texel"
void ls_ir_global_set_number(struct ls_cc *cc, LLVMValueRef global, const char *kind,
                             unsigned number);
bool ls_ir_global_number(struct ls_cc *cc, LLVMValueRef global, const char *kind, unsigned *number);
bool ls_ir_lds_place(struct ls_cc *cc, LLVMValueRef global, unsigned *at); /* an ls_place_fn */

/* Lays out the module's LDS variables for which `used` says so (NULL: all): calls `place` with each
 * offset, returns the static bytes rounded up to 16. Dynamic LDS (no size) starts there. */
unsigned ls_ir_lds_layout(LLVMTargetDataRef layout, LLVMModuleRef mod,
                          bool (*used)(void *user, LLVMValueRef global),
                          void (*place)(void *user, LLVMValueRef global, unsigned offset),
                          void *user);

/* What a parameter of a kernel points to in the kernarg segment (byref); NULL: it lies there. */
LLVMTypeRef ls_ir_byref_type(LLVMValueRef kernel, unsigned param);
/* Kernel argument layout, arena memory. */
struct ls_kernarg *ls_ir_kernargs(struct ls_cc *cc, LLVMTargetDataRef layout, LLVMValueRef kernel,
                                  unsigned *kernarg_bytes);

/* Declares a pseudo function (nounwind; `effects` false adds memory(none) and willreturn). */
LLVMValueRef ls_ir_declare(struct ls_cc *cc, const char *name, LLVMTypeRef type, bool effects);

/* Splits the block of `inst` in front of it: everything before moves to a new block, which takes
 * over the predecessors and phis and ends in an unconditional branch. Returns the new block. */
LLVMBasicBlockRef ls_ir_split_before(struct ls_cc *cc, LLVMValueRef inst);
/* Sends those who go to a block to another one; phis stay as they are. */
void ls_ir_redirect(LLVMBasicBlockRef from, LLVMBasicBlockRef to);
bool ls_ir_is_fence_of_block(LLVMValueRef fence); /* for the threads of one block, or fewer */
LLVMValueRef ls_ir_after_phis(LLVMBasicBlockRef bb);

bool ls_ir_has_prefix(const char *s, const char *prefix);
/* Whether `v` is a call of ls.lane. */
bool ls_ir_is_lane(LLVMValueRef v);
/* What kernels call to wait for the whole grid: the function of include/hip, and OCKL's behind
 * it. */
#define LS_DEVICE_GRID_SYNC    "__ls_grid_sync"
#define LS_DEVICE_GRAPH_LAUNCH "__ls_graph_launch"
bool ls_ir_is_grid_sync(const char *name);

/* Calls `visit` for every constant that the module's value `v` is made of, itself included. */
void ls_ir_walk_constant(LLVMValueRef v, void (*visit)(void *user, LLVMValueRef v), void *user);
/* Whether `v` is the generic address of an LDS variable, which differs from block to block; whether
 * a constant contains one. */
bool ls_ir_is_lds_address(LLVMValueRef v);
bool ls_ir_points_to_lds(LLVMValueRef constant);

/* Loads field `offset` of struct ls_cpu_ctx as `type`, marked invariant. */
LLVMValueRef ls_ir_ctx_load(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef ctx, size_t offset,
                            LLVMTypeRef type, const char *name);

/* The call returns an i32 in [0, limit). */
void ls_ir_set_range(struct ls_cc *cc, LLVMValueRef call, uint64_t limit);

/* Pieces that an integer of so many bits moves in, and the size of one: whole bytes, as large as
 * its size divides. */
unsigned ls_ir_memory_pieces(unsigned bits, unsigned *piece);

unsigned ls_ir_md_kind(struct ls_cc *cc, const char *name);
/* The predicate that holds where this one does not. */
LLVMIntPredicate ls_ir_opposite(LLVMIntPredicate p);
/* Whether something is said of the loop with this branch back (llvm.loop) that begins so. */
bool ls_ir_loop_says(struct ls_cc *cc, LLVMValueRef latch, const char *word);
/* Adds a word to what is said of the loop with this branch back, and a number, but 0. */
void ls_ir_add_loop_word(struct ls_cc *cc, LLVMValueRef latch, const char *word, unsigned number);
/* Says to LLVM how to unroll the loop with this branch back: `count` times, not at all (1), or
 * until none is left (0). */
void ls_ir_set_unrolling(struct ls_cc *cc, LLVMValueRef latch, unsigned count);
LLVMAttributeRef ls_ir_attribute(struct ls_cc *cc, const char *name, uint64_t value);
void ls_ir_remove_attribute(LLVMValueRef fn, const char *name); /* of the function itself */

/* Alignment of a load, store or atomic, and of a call's pointer argument i (1 when not known). A
 * null pointer's is 2^32, which the C API's unsigned makes 0: that becomes 64. */
unsigned ls_ir_access_alignment(LLVMValueRef inst);
unsigned ls_ir_argument_alignment(LLVMValueRef call, unsigned i);

/* The type of a vector's elements, or the type itself. */
LLVMTypeRef ls_ir_elem(LLVMTypeRef type);
/* `elem`, or a vector of it as long as `type`. */
LLVMTypeRef ls_ir_like(LLVMTypeRef type, LLVMTypeRef elem);
/* What a pointer points into: a variable, an argument, a load, ...: what is left of it without
 * indices and casts. */
LLVMValueRef ls_ir_object_of(LLVMValueRef pointer);
/* By which words of 8 bytes of the kernarg segment a pointer in ls.program came there: bits, and
 * LS_CPU_REACH_ANY if that is not all (starts.c). Nothing of memory that is one thread's or one
 * block's. */
uint64_t ls_ir_starts_of(struct ls_cc *cc, LLVMValueRef pointer);
/* Whether an instruction calls a function by name, which begins so. */
bool ls_ir_calls(LLVMValueRef inst, const char *prefix);
/* What a phi is for who comes from that block; NULL: nobody does. */
LLVMValueRef ls_ir_incoming(LLVMValueRef phi, LLVMBasicBlockRef from);

#endif
