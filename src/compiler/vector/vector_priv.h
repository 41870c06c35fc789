/* SPDX-License-Identifier: MIT */
/* Inside the vectoriser. */
#ifndef LS_VECTOR_PRIV_H
#define LS_VECTOR_PRIV_H

#include "lower/lower.h"

void ls_vector_note_accesses(struct ls_vf *vf,
                             LLVMValueRef inst); /* what it does to memory (access.c) */
bool ls_vector_inst(struct ls_vf *vf,
                    LLVMValueRef inst); /* one instruction but phi and terminators */
LLVMValueRef ls_vector_wide_op(struct ls_vf *vf,
                               LLVMValueRef inst); /* exact widened form from widened operands */
LLVMValueRef ls_vector_call(struct ls_vf *vf, LLVMValueRef call);
LLVMValueRef ls_vector_lower_call(struct ls_vf *vf,
                                  LLVMValueRef call); /* a builtin that has a lowering */
bool ls_vector_function(struct ls_vm *vm, LLVMValueRef old_fn, LLVMValueRef fn, bool out_of_line);

/* ---- Grouped values (grouped.c) ---- */
/* The value of group g's first lane of an operand whose groups may be larger. */
LLVMValueRef ls_vector_group_base(struct ls_vf *vf, LLVMValueRef old, unsigned group, unsigned g);
/* What must hold at run time for an assumed shape; NULL: nothing. */
LLVMValueRef ls_vector_assumption(struct ls_vf *vf, LLVMValueRef inst,
                                  const struct ls_shape *shape);
/* Minimum or maximum of grouped values: see shape_clamp. */
void ls_vector_clamp(struct ls_vf *vf, LLVMValueRef call, const struct ls_clamp *clamp,
                     struct ls_val *val);
LLVMValueRef ls_vector_add_bytes(struct ls_vf *vf, LLVMValueRef p, int64_t bytes, bool offset32);

#endif
