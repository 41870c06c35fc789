/* SPDX-License-Identifier: MIT */
/* What the vectoriser asks the lowerings for. */
#ifndef LS_LOWER_LOWER_H
#define LS_LOWER_LOWER_H

#include "intrin/intrinsics.h"
#include "lanes/lanes.h"

/* A call of the builtin that the row is of: a scalar of the host type when the call is uniform by the shape analysis, else
 * the widened vector; NULL for void, and after a diagnostic. */
LLVMValueRef ls_lower_by_row(struct ls_vf *vf, LLVMValueRef call, const struct ls_intrin *row);
bool ls_lower_has_row(const struct ls_intrin *row); /* else there is no lowering yet */

/* In the same form: atomicrmw and cmpxchg. */
LLVMValueRef ls_lower_atomicrmw(struct ls_vf *vf, LLVMValueRef inst);
LLVMValueRef ls_lower_cmpxchg(struct ls_vf *vf, LLVMValueRef inst);
void ls_lower_fence(struct ls_vf *vf, LLVMValueRef inst);
LLVMValueRef ls_lower_frem(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef y); /* widened operands */
/* x, in any form, to integers of type `elem` as AMD does it; `old`: the device value, of which more may be known, or NULL. */
LLVMValueRef ls_lower_fp_to_int(struct ls_vf *vf, LLVMValueRef x, LLVMValueRef old, LLVMTypeRef elem, bool is_signed);
/* For debuggers, at a block's start. */
void ls_lower_note_mask(struct ls_vf *vf);

#endif
