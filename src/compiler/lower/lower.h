/* SPDX-License-Identifier: MIT */
/* What the vectoriser asks the lowerings for. */
#ifndef LS_LOWER_LOWER_H
#define LS_LOWER_LOWER_H

#include "intrin/intrinsics.h"
#include "lanes/lanes.h"

/* Lowers a call of the row's builtin. Returns a scalar of the host type when the call is uniform by
 * the shape analysis, else the widened vector; NULL for void, and after a diagnostic. */
LLVMValueRef ls_lower_by_row(struct ls_vf *vf, LLVMValueRef call, const struct ls_intrin *row);
bool ls_lower_has_row(const struct ls_intrin *row); /* false: it has no lowering */

/* Lower atomicrmw and cmpxchg; their results have the form that ls_lower_by_row describes. */
/* Where no function is at `target`, which the lanes in `mask` call: checkers are told. */
void ls_lower_check_call(struct ls_vf *vf, LLVMValueRef target, LLVMValueRef mask);
/* Before the shapes are known: accesses to shared memory are told of together, where that's right.
 */
void ls_lower_gather_marks(struct ls_cc *cc, LLVMValueRef fn);
LLVMValueRef ls_lower_atomicrmw(struct ls_vf *vf, LLVMValueRef inst);
LLVMValueRef ls_lower_cmpxchg(struct ls_vf *vf, LLVMValueRef inst);
void ls_lower_fence(struct ls_vf *vf, LLVMValueRef inst);
LLVMValueRef ls_lower_frem(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef y); /* widened operands */
/* Converts x, in any form, to integers of type `elem` as AMD's instructions do. `old`: the device
 * value of x, whose range may be known, or NULL. */
LLVMValueRef ls_lower_fp_to_int(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef old,
                                LLVMTypeRef elem, bool is_signed);
/* The argument of a call of AMD's exp2, log2 or rsq (`which`: LS_TRANS_... of row_data.h) without
 * what OCML puts around it, as that instruction takes no denormals; who uses the result scaled back
 * then uses the call itself. */
LLVMValueRef ls_lower_unscale(LLVMValueRef call, long which);
/* Stores the current mask to the variable ls_mask, for debuggers; called where a block starts. */
void ls_lower_note_mask(struct ls_vf *vf);

#endif
