/* SPDX-License-Identifier: MIT */
/* Builtins that need no other lane, by the CPU's lowering for a warp of one lane. */
#include "compiler/ir/ir.h"
#include "lower/lower.h"
#include "ptx/ptx_priv.h"

enum { LOOKS_BACK = 2 }; /* operands of operands, for lowerings */

/* Tells a lowering what a value is: itself. Lowerings look at what their arguments are made of. */
static void
note_value(struct ls_ptx *p, LLVMValueRef v, unsigned depth)
{
    static const struct ls_shape uniform = {.kind = LS_SHAPE_GROUPED, .group = 1};
    struct ls_val *val;

    if (LLVMIsAConstant(v) || (!LLVMIsAInstruction(v) && !LLVMIsAArgument(v)))
        return;
    val = ls_arena_alloc(p->cc->arena, sizeof(*val));
    val->shape = &uniform;
    val->host_type = LLVMTypeOf(v);
    val->base[0] = v;
    ls_ptrmap_set(&p->vf->vals, v, val);
    for (int i = 0; depth > 0 && LLVMIsAInstruction(v) && i < LLVMGetNumOperands(v); i++)
        note_value(p, LLVMGetOperand(v, (unsigned)i), depth - 1);
}

/* The row's lowering for one thread. */
LLVMValueRef
ls_ptx_by_row(struct ls_ptx *p, LLVMValueRef call, long data)
{
    const struct ls_intrin *row = ls_intrin_find(ls_ir_callee_name(call));
    struct ls_vf *vf = p->vf;
    LLVMBasicBlockRef bb = LLVMGetInsertBlock(p->b);
    LLVMValueRef result;

    (void)data;
    if (!row || row->shape != LS_IS_PURE || !ls_lower_has_row(row))
        return ls_ptx_refuse(p, call, 0);
    ls_ptrmap_init(&vf->vals, p->cc->arena);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        note_value(p, LLVMGetOperand(call, i), LOOKS_BACK);
    vf->b = p->b;
    result = ls_lower_by_row(vf, call, row);
    if (LLVMGetInsertBlock(p->b) != bb)
        ls_diag(p->cc, LS_DIAG_ERROR, call,
                "internal error: %s has control flow of its own on NVIDIA GPUs", row->name);
    return result;
}
