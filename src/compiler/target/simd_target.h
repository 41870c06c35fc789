/* SPDX-License-Identifier: MIT */
/* The x86 processors as targets of LLVM. */
#ifndef LS_X86_SIMD_TARGET_H
#define LS_X86_SIMD_TARGET_H

#include "base/isa.h"
#include "compiler/compiler_priv.h"

/* Finds the instruction set of cc->opt->isa and creates cc->host_tm. */
bool ls_x86_target_create(struct ls_cc *cc);
/* The level that counts: a module to look into with a debugger keeps its lines in order, whatever was asked for. Known
 * once the module is prepared; ls_x86_target_settle makes host_tm one of that level. */
unsigned ls_x86_opt_level(const struct ls_cc *cc);
bool ls_x86_target_settle(struct ls_cc *cc);

/* "target-cpu" and "target-features" for functions that we emit; set by ls_x86_target_create. */
void ls_x86_set_function_attributes(struct ls_cc *cc, LLVMValueRef fn);

/* Arithmetic in 16-bit floats that the host has no instructions for, in f32; before and after the host passes. */
void ls_x86_soften_halves(struct ls_cc *cc);

/* Rewrites masked memory intrinsics for hosts without mask registers; after the host passes. */
bool ls_x86_expand_masked(struct ls_cc *cc);
/* Lets launches that write much store past the caches; after all other passes. The bytes of one thread that can
 * go there. */
unsigned ls_x86_stream_stores(struct ls_cc *cc, LLVMValueRef run_blocks);
/* The machine that code is made for has this feature (LLVM's name) beyond its level: known for "native" only. */
bool ls_x86_has_feature(const struct ls_cc *cc, const char *feature);

#endif
