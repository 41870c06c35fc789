/* SPDX-License-Identifier: MIT */
/* Values of which a group of lanes has one base: see analysis/shape.h. */
#include "vector/vector_priv.h"

LLVMValueRef
ls_vector_add_bytes(struct ls_vf *vf, LLVMValueRef p, int64_t bytes, bool offset32)
{
    bool wide = LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMVectorTypeKind;

    if (!bytes)
        return p;
    if (offset32) {
        LLVMValueRef k = LLVMConstInt(vf->i32, (uint64_t)bytes, true);
        return LLVMBuildAdd(vf->b, p, wide ? ls_vf_splat(vf, k) : k, "");
    }
    LLVMValueRef k = LLVMConstInt(vf->i64, (uint64_t)bytes, true);
    return LLVMBuildGEP2(vf->b, vf->i8, p, &k, 1, "");
}

/* The value of group g's first lane of an operand whose groups may be larger. */
LLVMValueRef
ls_vector_group_base(struct ls_vf *vf, LLVMValueRef old, unsigned group, unsigned g)
{
    struct ls_val *val = ls_vf_val(vf, old);
    unsigned lane = g * group, from = lane / val->shape->group;
    LLVMValueRef base = val->base[from];
    int64_t offset = val->shape->offset ? val->shape->offset[lane] : 0;

    if (!offset)
        return base;
    if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind)
        return ls_vector_add_bytes(vf, base, offset, false);
    return LLVMBuildAdd(vf->b, base, LLVMConstInt(LLVMTypeOf(base), (uint64_t)offset, true), "");
}

/* Builds the test whether base + offset does not wrap in the operand's type, for all groups, so
 * that extending the base is exact. */
static LLVMValueRef
extension_check(struct ls_vf *vf, LLVMValueRef old, const struct ls_shape *shape, bool is_signed,
                LLVMValueRef ok)
{
    struct ls_val *val = ls_vf_val(vf, old);
    LLVMTypeRef type = val->host_type;
    unsigned bits = LLVMGetIntTypeWidth(type);

    for (unsigned g = 0; g < vf->n_lanes / shape->group; g++) {
        int64_t lo = 0, hi = 0;
        unsigned first = g * shape->group;
        int64_t own = val->shape->offset ? val->shape->offset[first] : 0;

        if (bits > 32)
            continue;
        for (unsigned l = first; l < first + shape->group; l++) {
            int64_t c = val->shape->offset ? val->shape->offset[l] - own : 0;
            lo = c < lo ? c : lo;
            hi = c > hi ? c : hi;
        }
        LLVMValueRef base = ls_vector_group_base(vf, old, shape->group, g);
        LLVMValueRef wide = is_signed ? LLVMBuildSExt(vf->b, base, vf->i64, "")
                                      : LLVMBuildZExt(vf->b, base, vf->i64, "");
        int64_t max = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
        int64_t min = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
        if (hi) {
            LLVMValueRef c = LLVMBuildICmp(vf->b, LLVMIntSLE, wide,
                                           LLVMConstInt(vf->i64, (uint64_t)(max - hi), true), "");
            ok = ok ? LLVMBuildAnd(vf->b, ok, c, "") : c;
        }
        if (lo) {
            LLVMValueRef c = LLVMBuildICmp(vf->b, LLVMIntSGE, wide,
                                           LLVMConstInt(vf->i64, (uint64_t)(min - lo), true), "");
            ok = ok ? LLVMBuildAnd(vf->b, ok, c, "") : c;
        }
    }
    return ok;
}

static LLVMValueRef
and_ok(struct ls_vf *vf, LLVMValueRef a, LLVMValueRef b)
{
    return !a ? b : !b ? a : LLVMBuildAnd(vf->b, a, b, "");
}

/* Builds the test whether a minimum or maximum with the bound leaves all lanes of every group as
 * they are, and none of them wraps. */
static LLVMValueRef
clamp_check(struct ls_vf *vf, const struct ls_clamp *clamp, const struct ls_shape *shape,
            LLVMValueRef ok)
{
    const struct ls_shape *from = ls_vf_val(vf, clamp->value)->shape;
    unsigned bits = ls_shape_int_bits(LLVMTypeOf(clamp->value));
    LLVMTypeRef type = bits > 32 ? LLVMIntTypeInContext(vf->llvm, 128) : vf->i64;
    bool exact = clamp->is_signed ? from->nsw : from->nuw;

    for (unsigned g = 0; g < vf->n_lanes / shape->group; g++) {
        int64_t lo = 0, hi = 0;

        for (unsigned l = g * shape->group; l < (g + 1) * shape->group; l++) {
            lo = shape->offset[l] < lo ? shape->offset[l] : lo;
            hi = shape->offset[l] > hi ? shape->offset[l] : hi;
        }
        LLVMValueRef base = ls_vector_group_base(vf, clamp->value, shape->group, g);
        LLVMValueRef bound = ls_vector_group_base(vf, clamp->bound, shape->group, g);
        LLVMValueRef least = LLVMConstNull(LLVMTypeOf(base)), most = LLVMConstNot(least);
        if (clamp->is_signed) {
            least = LLVMConstInt(LLVMTypeOf(base), (uint64_t)1 << (bits - 1), false);
            most = LLVMConstNot(least);
        }
        LLVMOpcode extend = clamp->is_signed ? LLVMSExt : LLVMZExt;
        base = LLVMBuildCast(vf->b, extend, base, type, "");
        LLVMValueRef low = LLVMBuildAdd(vf->b, base, LLVMConstInt(type, (uint64_t)lo, true), "");
        LLVMValueRef high = LLVMBuildAdd(vf->b, base, LLVMConstInt(type, (uint64_t)hi, true), "");
        LLVMValueRef limit = LLVMBuildCast(vf->b, extend, clamp->is_max ? bound : least, type, "");
        if (clamp->is_max || (lo < 0 && !exact))
            ok = and_ok(vf, ok, LLVMBuildICmp(vf->b, LLVMIntSGE, low, limit, ""));
        limit = LLVMBuildCast(vf->b, extend, clamp->is_max ? most : bound, type, "");
        if (!clamp->is_max || (hi > 0 && !exact))
            ok = and_ok(vf, ok, LLVMBuildICmp(vf->b, LLVMIntSLE, high, limit, ""));
    }
    return ok;
}

/* What must hold at run time for an assumed shape. */
LLVMValueRef
ls_vector_assumption(struct ls_vf *vf, LLVMValueRef inst, const struct ls_shape *shape)
{
    LLVMValueRef ok = NULL;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    unsigned n = (unsigned)LLVMGetNumOperands(inst);

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef op = LLVMGetOperand(inst, i);
        if (LLVMIsAInstruction(op))
            ok = and_ok(vf, ok, ls_vf_val(vf, op)->ok);
    }
    if (opcode == LLVMZExt || opcode == LLVMSExt) {
        bool as_signed = opcode == LLVMSExt || LLVMGetNNeg(inst);
        LLVMValueRef x = LLVMGetOperand(inst, 0);
        const struct ls_shape *xs = ls_vf_val(vf, x)->shape;

        if (xs->offset && !(as_signed ? xs->nsw : xs->nuw))
            ok = extension_check(vf, x, shape, as_signed, ok);
    } else if (opcode == LLVMGetElementPtr) {
        for (unsigned i = 1; i < n; i++) {
            LLVMValueRef x = LLVMGetOperand(inst, i);
            const struct ls_shape *xs = ls_vf_val(vf, x)->shape;

            if (xs->offset && !xs->nsw &&
                ls_shape_int_bits(LLVMTypeOf(x)) < ls_shape_int_bits(LLVMTypeOf(inst)))
                ok = extension_check(vf, x, shape, true, ok);
        }
    }
    return ok;
}

/* Minimum or maximum of grouped values: see shape_clamp. */
void
ls_vector_clamp(struct ls_vf *vf, LLVMValueRef call, const struct ls_clamp *clamp,
                struct ls_val *val)
{
    const struct ls_shape *shape = val->shape;

    for (unsigned g = 0; g < vf->n_lanes / shape->group; g++) {
        LLVMValueRef args[2] = {ls_vector_group_base(vf, clamp->value, shape->group, g),
                                ls_vector_group_base(vf, clamp->bound, shape->group, g)};
        const char *name = clamp->is_signed ? clamp->is_max ? "llvm.smax" : "llvm.smin"
                                            : clamp->is_max ? "llvm.umax" : "llvm.umin";
        val->base[g] = shape->assumed ? args[0] : ls_vf_llvm(vf, name, &val->host_type, 1, args, 2);
    }
    if (shape->assumed) {
        val->inst = call;
        val->ok = clamp_check(vf, clamp, shape, ls_vf_val(vf, clamp->value)->ok);
    }
}
