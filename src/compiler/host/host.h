/* SPDX-License-Identifier: MIT */
/* The last stages for processors that run the code in this process: what all architectures share,
 * and the struct by which each describes itself. */
#ifndef LS_HOST_HOST_H
#define LS_HOST_HOST_H

#include "base/isa.h"
#include "compiler/compiler_priv.h"

struct ls_simd_ops;

/* One architecture, described by its room. Members may be NULL only where that is said. */
struct ls_host {
    const char *triple;
    const struct ls_simd_ops *(*simd_ops)(
        struct ls_cc *cc); /* of cc->isa; static, or of cc's arena; NULL: none */
    void (*set_attributes)(struct ls_cc *cc,
                           LLVMValueRef fn); /* beside CPU and features; NULL: none */
    bool (*converts_halves)(
        const struct ls_cc *cc); /* it has instructions for them; else by integers */
    bool (*computes_halves)(const struct ls_cc *cc); /* else in f32 */
    bool (*rounds)(const struct ls_cc *cc); /* vectors to whole numbers; else by sums */
    const char *store_fence; /* LLVM's intrinsic that orders stores past the caches; NULL: they are
                                ordered */
    void (*mend_object)(
        unsigned char *object,
        size_t bytes); /* what LLVM got wrong, in a relocatable object; NULL: nothing */
    /* One relocatable object into a shared one, arena memory. False: it holds what this linker
     * doesn't know, and the system's does it; NULL: always. */
    bool (*link)(struct ls_arena *arena, const void *object, size_t bytes, void **image,
                 size_t *image_bytes);
};

/* Makes cc->host from cc->isa, for a row's begin. LLVM knows the target already. */
bool ls_host_begin(struct ls_cc *cc, const struct ls_host *arch);
/* The level at which code is optimised: what was asked for, but 0 for modules that are compiled for
 * debuggers, so that lines stay in order. It is known once the module is prepared; ls_host_settle
 * then makes host.tm a machine of that level. */
unsigned ls_host_opt_level(const struct ls_cc *cc);
bool ls_host_settle(struct ls_cc *cc);
/* "target-cpu" and "target-features" for functions that we emit, and what the architecture
 * wants. */
void ls_host_set_attributes(struct ls_cc *cc, LLVMValueRef fn);
void ls_host_set_attribute(struct ls_cc *cc, LLVMValueRef fn, const char *key, const char *value);
/* The machine that code is made for has this feature (LLVM's name) beyond its level: known for
 * "native" only. */
bool ls_host_has_feature(const struct ls_cc *cc, const char *feature);

/* Replaces arithmetic in 16-bit floats that the host has no instructions for by arithmetic in f32.
 * Called before and after the host passes. */
void ls_host_soften_halves(struct ls_cc *cc);
/* Keeps in registers what is written to and read from shared memory. For functions that run whole
 * warps of a block. */
void ls_host_hold(struct ls_cc *cc, LLVMValueRef fn);
/* Shortens vectors of which only the first lanes are looked at. */
void ls_host_drop_lanes(struct ls_cc *cc, LLVMValueRef fn);
/* Replaces vectors' multiply-adds and roundings that the host has no instructions for. Called after
 * the host passes. */
void ls_host_expand_fused(struct ls_cc *cc);
/* Rewrites masked memory intrinsics for hosts without mask registers; after the host passes. */
bool ls_host_expand_masked(struct ls_cc *cc);
/* Turns rows of shared memory around where columns would be gathered. After the host passes; for
 * functions that run whole warps of a block. */
bool ls_host_turn_columns(struct ls_cc *cc, LLVMValueRef fn);
/* Has code read from global memory what it would fetch into shared memory and read there once.
 * After the host passes; for functions that run whole warps of a block. True: slots were made. */
bool ls_host_read_late(struct ls_cc *cc, LLVMValueRef fn);
/* Has long loops over tiles ask for the next tile's lines. After the host passes. */
void ls_host_prefetch(struct ls_cc *cc, LLVMValueRef fn);
/* Has operations with two operands in memory read the lower one first. After the host passes. */
void ls_host_ascend(struct ls_cc *cc, LLVMValueRef fn);
/* Gives stores a second form that goes past the caches, for launches that write much. Called after
 * all other passes. Returns the bytes of one thread that can be written so. */
unsigned ls_host_stream_stores(struct ls_cc *cc, LLVMValueRef run_blocks);
/* Whether a function that runs whole blocks (whole.h) has such stores. */
bool ls_host_streams_whole(struct ls_cc *cc, LLVMValueRef fn);
/* Makes all of them go past the caches; `fenced`: run_blocks has its fence. */
void ls_host_stream_whole(struct ls_cc *cc, LLVMValueRef fn, LLVMValueRef run_blocks,
                          bool fenced);
/* Cuts straight code with more sums than registers into strips. Called after all other passes. */
void ls_host_cut_strips(struct ls_cc *cc);
/* Where there are no mask registers, masks that go from block to block become vectors of signs.
 * Called after all others. */
void ls_host_masks_to_signs(struct ls_cc *cc);
/* Where there are no mask registers, operations on all lanes become loops in functions that are too
 * large else. Called after that. */
void ls_host_roll(struct ls_cc *cc);
/* About how much there is to do for LLVM: one for 64 bytes of a result, and a gather is one for
 * each lane. The same for all processors: a product of matrices stays below the limits with any. */
unsigned ls_host_weight(LLVMTargetDataRef layout, LLVMValueRef inst);
/* The ways in which the module is large, for ls_host_emit. */
unsigned ls_host_find_large(struct ls_cc *cc);
/* What is added to them where functions were cut into parts. */
unsigned ls_host_large_in_parts(void);
/* Makes several functions of those that are long. The last of all. How many of these parts call one
 * another at most; 0: there are none. */
unsigned ls_host_cut_parts(struct ls_cc *cc);
/* False: the program has no store that could go past the caches. */
bool ls_host_may_stream(struct ls_cc *cc, LLVMValueRef program);

#endif
