/* SPDX-License-Identifier: MIT */
/* Builtins that are LLVM intrinsics on the host too, identities, constants, and calls with no
 * effect. */
#include "lower/lower_priv.h"

#include <string.h>

static bool
is_immediate(LLVMValueRef callee, unsigned i)
{
    static const char name[] = "immarg";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
    return LLVMGetEnumAttributeAtIndex(callee, i + 1, kind) != NULL;
}

void
ls_lower_copy_flags(LLVMValueRef from, LLVMValueRef to)
{
    /* Promises about NaN and infinity are the active lanes' only. */
    const LLVMFastMathFlags promises = LLVMFastMathNoNaNs | LLVMFastMathNoInfs;

    if (LLVMIsAInstruction(to) && LLVMCanValueUseFastMathFlags(to) &&
        LLVMCanValueUseFastMathFlags(from))
        LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from) & ~promises);
}

static LLVMTypeRef
result_type(struct ls_vf *vf, LLVMValueRef call)
{
    LLVMTypeRef type = ls_vf_host_type(vf, LLVMTypeOf(call));
    return ls_vf_is_uniform(vf, call) ? type : ls_vf_wide_type(vf, type);
}

LLVMValueRef
ls_lower_pass(struct ls_vf *vf, LLVMValueRef call, long data)
{
    const struct ls_intrin *row = ls_intrin_find(ls_lower_callee_name(call));
    LLVMValueRef args[8], callee = LLVMGetCalledValue(call);
    LLVMTypeRef over[2];
    unsigned n = LLVMGetNumArgOperands(call), n_over = 1;
    char name[64];

    if (n > 8 || strlen(row->name) >= sizeof(name)) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s is not lowered", row->name);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++)
        args[i] = is_immediate(callee, i) ? LLVMGetOperand(call, i) : ls_lower_arg(vf, call, i);
    over[0] = LLVMTypeOf(args[0]);
    if (data != LS_OVER_ARG)
        over[0] = result_type(vf, call);
    if (data == LS_OVER_RESULT_ARG)
        over[n_over++] = LLVMTypeOf(args[0]);
    strcpy(name, row->name);
    size_t length = strlen(name);
    if (name[length - 1] == '.')
        name[length - 1] = '\0';
    LLVMValueRef result = ls_vf_llvm(vf, name, over, n_over, args, n);
    ls_lower_copy_flags(call, result);
    return result;
}

/* Operand `data` is the result. */
LLVMValueRef
ls_lower_identity(struct ls_vf *vf, LLVMValueRef call, long data)
{
    return ls_lower_arg(vf, call, (unsigned)data);
}

LLVMValueRef
ls_lower_drop(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)vf, (void)call, (void)data;
    return NULL;
}

/* The integer `data`, or a null pointer. */
LLVMValueRef
ls_lower_constant(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMTypeRef type = result_type(vf, call);
    if (LLVMGetTypeKind(ls_lanes_elem(type)) == LLVMPointerTypeKind)
        return LLVMConstNull(type);
    return ls_lower_int(type, (unsigned long long)data);
}

/* Pairs of offset and value: a block of memory with the values in it. */
LLVMValueRef
ls_lower_packet(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMTypeRef bytes = LLVMArrayType2(vf->i8, 256);
    LLVMValueRef room = ls_vf_temp(vf, bytes, "packet");

    (void)data;
    LLVMSetAlignment(room, 16);
    LLVMBuildMemSet(vf->b, room, LLVMConstNull(vf->i8), LLVMSizeOf(bytes), 16);
    for (unsigned i = 0; i + 1 < LLVMGetNumArgOperands(call); i += 2) {
        LLVMValueRef offset = LLVMGetOperand(call, i);
        LLVMBuildStore(vf->b, ls_vf_scalar(vf, LLVMGetOperand(call, i + 1)),
                       LLVMBuildInBoundsGEP2(vf->b, vf->i8, room, &offset, 1, ""));
    }
    return room;
}

/* Unknown size: -1, or 0 when the smallest is asked for. */
LLVMValueRef
ls_lower_objectsize(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef min = LLVMGetOperand(call, 1);
    (void)data;
    return ls_lower_int(result_type(vf, call), LLVMConstIntGetZExtValue(min) ? 0 : ~0ull);
}

LLVMValueRef
ls_lower_wavefront_size(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)call, (void)data;
    return ls_vf_const(vf, vf->i32, vf->n_lanes);
}

LLVMValueRef
ls_lower_group_static_size(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)call, (void)data;
    return ls_vf_const(vf, vf->i32, vf->cc->lds_bytes);
}

/* Calls that an earlier stage replaces or that have no meaning in a compute kernel. */
LLVMValueRef
ls_lower_unexpected(struct ls_vf *vf, LLVMValueRef call, long data)
{
    (void)data;
    ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s is not supported here", ls_lower_callee_name(call));
    return NULL;
}

/* ---- llvm.vector.reduce.*: over the components of a lane's own vector ---- */

static LLVMValueRef
reduce_step(struct ls_vf *vf, long op, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case LS_REDUCE_ADD:
        return B_ADD(a, b);
    case LS_REDUCE_MUL:
        return B_MUL(a, b);
    case LS_REDUCE_AND:
        return B_AND(a, b);
    case LS_REDUCE_OR:
        return B_OR(a, b);
    case LS_REDUCE_XOR:
        return B_XOR(a, b);
    case LS_REDUCE_SMAX:
        return ls_lower_llvm2(vf, "llvm.smax", a, b);
    case LS_REDUCE_SMIN:
        return ls_lower_llvm2(vf, "llvm.smin", a, b);
    case LS_REDUCE_UMAX:
        return ls_lower_llvm2(vf, "llvm.umax", a, b);
    case LS_REDUCE_UMIN:
        return ls_lower_llvm2(vf, "llvm.umin", a, b);
    case LS_REDUCE_FADD:
        return B_FADD(a, b);
    case LS_REDUCE_FMUL:
        return B_FMUL(a, b);
    case LS_REDUCE_FMAX:
        return ls_lower_llvm2(vf, "llvm.maxnum", a, b);
    case LS_REDUCE_FMIN:
        return ls_lower_llvm2(vf, "llvm.minnum", a, b);
    case LS_REDUCE_FMAXIMUM:
        return ls_lower_llvm2(vf, "llvm.maximum", a, b);
    default:
        return ls_lower_llvm2(vf, "llvm.minimum", a, b);
    }
}

LLVMValueRef
ls_lower_vector_reduce(struct ls_vf *vf, LLVMValueRef call, long data)
{
    bool has_start = data == LS_REDUCE_FADD || data == LS_REDUCE_FMUL;
    unsigned which = has_start ? 1 : 0;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(call, which)));
    LLVMValueRef sum =
        has_start ? ls_lower_arg(vf, call, 0) : ls_lower_arg_component(vf, call, 0, 0);

    for (unsigned c = has_start ? 0 : 1; c < n; c++) {
        sum = reduce_step(vf, data, sum, ls_lower_arg_component(vf, call, which, c));
        ls_lower_copy_flags(call, sum);
    }
    return sum;
}
