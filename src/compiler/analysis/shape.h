/* SPDX-License-Identifier: MIT */
/* Shapes: what is known of a value across the lanes of a warp (or the threads of a block), and
 * which branches diverge. The analysis is a fixpoint over a function; results are borrowed from the
 * arena. */
#ifndef LS_ANALYSIS_SHAPE_H
#define LS_ANALYSIS_SHAPE_H

#include "compiler/compiler_priv.h"

struct ls_shapes;

enum ls_shape_scope {
    LS_SCOPE_WARP = 1, /* lanes of one warp: the vectoriser's question */
    LS_SCOPE_BLOCK,    /* all threads of a block: the region splitter's question */
};

/* Analyses `fn`. In block scope readfirstlane, ballot and their like count as varying, and
 * llvm.amdgcn.workitem.id.* are varying; workgroup ids and arguments are uniform in both scopes.
 * `args_varying`: the function's own parameters vary (device functions that are not inlined). */
struct ls_shapes *ls_shapes_build(struct ls_cc *cc, LLVMValueRef fn, enum ls_shape_scope scope,
                                  bool args_varying);

/* The value is equal in all active lanes (threads) whenever it is computed. */
bool ls_shape_uniform(const struct ls_shapes *s, LLVMValueRef v);

/* The block ends in a branch whose successors may be taken by different lanes (threads) at once. */
bool ls_shape_branch_divergent(const struct ls_shapes *s, LLVMBasicBlockRef bb);

#endif
