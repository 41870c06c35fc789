/* SPDX-License-Identifier: MIT */
/* Code for the processors of this machine's kind, whichever they are: what of the last stages they share, and what each of them says of
 * itself. */
#ifndef LS_HOST_HOST_H
#define LS_HOST_HOST_H

#include "base/isa.h"
#include "compiler/compiler_priv.h"

struct ls_simd_ops;

/* One architecture, as its room describes it. NULL where said. */
struct ls_host {
    const char *triple;
    const struct ls_simd_ops *(*simd_ops)(struct ls_cc *cc); /* of cc->isa; static, or of cc's arena; NULL: none */
    void (*set_attributes)(struct ls_cc *cc, LLVMValueRef fn); /* beside CPU and features; NULL: none */
    bool (*converts_halves)(const struct ls_cc *cc);           /* it has instructions for them; else by integers */
    bool (*computes_halves)(const struct ls_cc *cc);           /* else in f32 */
    const char *store_fence; /* LLVM's intrinsic that orders stores past the caches; NULL: they are ordered */
    void (*mend_object)(unsigned char *object, size_t bytes); /* what LLVM got wrong, in a relocatable object; NULL: nothing */
    /* One relocatable object into a shared one, arena memory. False: it holds what this linker doesn't know, and the system's does
     * it; NULL: always. */
    bool (*link)(struct ls_arena *arena, const void *object, size_t bytes, void **image, size_t *image_bytes);
};

/* Makes cc->host from cc->isa, for a row's begin. LLVM knows the target already. */
bool ls_host_begin(struct ls_cc *cc, const struct ls_host *arch);
/* The level that counts: a module to look into with a debugger keeps its lines in order, whatever was asked for. Known
 * once the module is prepared; ls_host_settle makes host.tm one of that level. */
unsigned ls_host_opt_level(const struct ls_cc *cc);
bool ls_host_settle(struct ls_cc *cc);
/* "target-cpu" and "target-features" for functions that we emit, and what the architecture wants. */
void ls_host_set_attributes(struct ls_cc *cc, LLVMValueRef fn);
void ls_host_set_attribute(struct ls_cc *cc, LLVMValueRef fn, const char *key, const char *value);
/* The machine that code is made for has this feature (LLVM's name) beyond its level: known for "native" only. */
bool ls_host_has_feature(const struct ls_cc *cc, const char *feature);

/* Arithmetic in 16-bit floats that the host has no instructions for, in f32; before and after the host passes. */
void ls_host_soften_halves(struct ls_cc *cc);
/* Rewrites masked memory intrinsics for hosts without mask registers; after the host passes. */
bool ls_host_expand_masked(struct ls_cc *cc);
/* Lets launches that write much store past the caches; after all other passes. The bytes of one thread that can go there. */
unsigned ls_host_stream_stores(struct ls_cc *cc, LLVMValueRef run_blocks);

#endif
