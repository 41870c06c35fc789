/* SPDX-License-Identifier: MIT */
/* Operands, constants, pieces of vectors and small control flow for the lowerings. */
#include "lower/lower_priv.h"

#include "base/isa.h"

const char *
ls_lower_callee_name(LLVMValueRef call)
{
    size_t bytes;
    return LLVMGetValueName2(LLVMGetCalledValue(call), &bytes);
}

LLVMValueRef
ls_lower_arg(struct ls_vf *vf, LLVMValueRef call, unsigned i)
{
    LLVMValueRef operand = LLVMGetOperand(call, i);
    return ls_vf_is_uniform(vf, call) ? ls_vf_scalar(vf, operand) : ls_vf_vector(vf, operand);
}

LLVMValueRef
ls_lower_arg_component(struct ls_vf *vf, LLVMValueRef call, unsigned i, unsigned c)
{
    LLVMValueRef value = ls_lower_arg(vf, call, i);
    if (!ls_vf_is_uniform(vf, call))
        return ls_vf_component(vf, value, c);
    return LLVMBuildExtractElement(vf->b, value, LLVMConstInt(vf->i32, c, 0), "");
}

LLVMValueRef
ls_lower_build_components(struct ls_vf *vf, LLVMValueRef call, LLVMValueRef *comp, unsigned n)
{
    if (!ls_vf_is_uniform(vf, call))
        return ls_vf_from_components(vf, comp, n);
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(comp[0]), n));
    for (unsigned c = 0; c < n; c++)
        v = LLVMBuildInsertElement(vf->b, v, comp[c], LLVMConstInt(vf->i32, c, 0), "");
    return v;
}

bool
ls_lower_const_arg(struct ls_vf *vf, LLVMValueRef call, unsigned i, unsigned long long *value)
{
    LLVMValueRef operand = LLVMGetOperand(call, i);
    if (!LLVMIsAConstantInt(operand)) {
        ls_diag(vf->cc, LS_DIAG_ERROR, call, "%s: argument %u is not a constant",
                ls_lower_callee_name(call), i);
        return false;
    }
    *value = LLVMConstIntGetZExtValue(operand);
    return true;
}

static LLVMValueRef
const_splat(LLVMTypeRef type, LLVMValueRef value)
{
    unsigned n = ls_lanes_length(type);
    LLVMValueRef elems[LS_MAX_WIDE];

    if (n == 0)
        return value;
    LS_ASSERT_FITS(n, LS_MAX_WIDE);
    for (unsigned i = 0; i < n; i++)
        elems[i] = value;
    return LLVMConstVector(elems, n);
}

LLVMValueRef
ls_lower_int(LLVMTypeRef type, unsigned long long value)
{
    return const_splat(type, LLVMConstInt(ls_lanes_elem(type), value, 0));
}

LLVMValueRef
ls_lower_fp(LLVMTypeRef type, double value)
{
    return const_splat(type, LLVMConstReal(ls_lanes_elem(type), value));
}

LLVMValueRef
ls_lower_splat_to(struct ls_vf *vf, LLVMTypeRef type, LLVMValueRef scalar)
{
    unsigned n = ls_lanes_length(type);
    LLVMValueRef zeros[LS_MAX_WIDE];

    if (n == 0)
        return scalar;
    LS_ASSERT_FITS(n, LS_MAX_WIDE);
    for (unsigned i = 0; i < n; i++)
        zeros[i] = LLVMConstInt(vf->i32, 0, 0);
    LLVMValueRef poison = LLVMGetPoison(type);
    LLVMValueRef one = LLVMBuildInsertElement(vf->b, poison, scalar, zeros[0], "");
    return LLVMBuildShuffleVector(vf->b, one, poison, LLVMConstVector(zeros, n), "");
}

LLVMValueRef
ls_lower_to_slot(struct ls_vf *vf, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeRef elem = ls_lanes_elem(type);
    LLVMTypeRef slot = ls_lanes_like(type, vf->i64);

    switch (LLVMGetTypeKind(elem)) {
    case LLVMPointerTypeKind:
        return LLVMBuildPtrToInt(vf->b, value, slot, "");
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(elem) < 64 ? B_ZEXT(value, slot) : value;
    default:
        value = B_BITCAST(value, ls_lanes_int_like(type));
        return ls_lanes_bits(type) < 64 ? B_ZEXT(value, slot) : value;
    }
}

LLVMValueRef
ls_lower_llvm1(struct ls_vf *vf, const char *name, LLVMValueRef a)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    return ls_vf_llvm(vf, name, &type, 1, &a, 1);
}

LLVMValueRef
ls_lower_llvm2(struct ls_vf *vf, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[2] = {a, b};
    return ls_vf_llvm(vf, name, &type, 1, args, 2);
}

LLVMValueRef
ls_lower_llvm3(struct ls_vf *vf, const char *name, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef args[3] = {a, b, c};
    return ls_vf_llvm(vf, name, &type, 1, args, 3);
}

LLVMValueRef
ls_lower_mad(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    if (vf->cc->isa->has_fma)
        return ls_lower_llvm3(vf, "llvm.fma", a, b, c);
    return B_FADD(B_FMUL(a, b), c);
}

const struct ls_simd_op *
ls_lower_op(const struct ls_simd_op *op, LLVMTypeRef type)
{
    unsigned n = ls_lanes_length(type);

    return op->piece && n >= op->piece && (n & (n - 1)) == 0 ? op : NULL;
}

static LLVMValueRef
emit_piece(struct ls_vf *vf, LLVMValueRef *args, void *cookie)
{
    const struct ls_simd_op *op = cookie;

    return op->emit(vf, op, args);
}

LLVMValueRef
ls_lower_op_do(struct ls_vf *vf, const struct ls_simd_op *op, LLVMValueRef *args)
{
    unsigned length = ls_lanes_length(LLVMTypeOf(args[0]));

    return ls_vf_pieces(vf, args, op->n_args, length < op->piece ? length : op->piece, emit_piece,
                        (void *)(uintptr_t)op);
}

void
ls_lower_results_begin(struct ls_vf *vf, LLVMTypeRef elem, struct ls_lower_results *r)
{
    r->elem = elem;
    r->stored = elem == vf->i1 ? vf->i8 : elem;
    LLVMTypeRef type = LLVMVectorType(r->stored, vf->n_lanes);
    r->slot = ls_vf_temp(vf, type, "lanes");
    LLVMBuildStore(vf->b, LLVMConstNull(type), r->slot);
}

void
ls_lower_results_set(struct ls_vf *vf, struct ls_lower_results *r, LLVMValueRef lane,
                     LLVMValueRef value)
{
    if (r->stored != r->elem)
        value = B_ZEXT(value, r->stored);
    LLVMValueRef at = LLVMBuildGEP2(vf->b, r->stored, r->slot, &lane, 1, "");
    LLVMBuildStore(vf->b, value, at);
}

LLVMValueRef
ls_lower_results_end(struct ls_vf *vf, struct ls_lower_results *r)
{
    LLVMValueRef v = LLVMBuildLoad2(vf->b, LLVMVectorType(r->stored, vf->n_lanes), r->slot, "");
    return r->stored != r->elem ? B_TRUNC(v, LLVMVectorType(r->elem, vf->n_lanes)) : v;
}
