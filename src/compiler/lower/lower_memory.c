/* SPDX-License-Identifier: MIT */
/* Block copies and fills, questions about addresses. Every active lane does its own copy, unless
 * all lanes would do the same one. */
#include <stddef.h>

#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "base/isa.h"
#include "lower/lower_priv.h"

/* One operand of a copy: per lane or the same for all. */
struct operand {
    LLVMValueRef value;
    bool uniform;
};

static struct operand
address_operand(struct ls_vf *vf, LLVMValueRef old)
{
    struct operand o = {NULL, ls_vf_is_uniform(vf, old) &&
                                  LLVMGetPointerAddressSpace(LLVMTypeOf(old)) != 5};
    o.value = o.uniform ? ls_vf_address_scalar(vf, old) : ls_vf_address_vector(vf, old);
    return o;
}

static struct operand
plain_operand(struct ls_vf *vf, LLVMValueRef old)
{
    struct operand o = {NULL, ls_vf_is_uniform(vf, old)};
    o.value = o.uniform ? ls_vf_scalar(vf, old) : ls_vf_vector(vf, old);
    return o;
}

static LLVMValueRef
operand_of_lane(struct ls_vf *vf, const struct operand *o, LLVMValueRef lane)
{
    return o->uniform ? o->value : ls_vf_lane_get(vf, o->value, lane);
}

static void
copy_one(struct ls_vf *vf, LLVMValueRef call, long what, const LLVMValueRef *v)
{
    unsigned to_align = ls_ir_argument_alignment(call, 0),
             from_align = ls_ir_argument_alignment(call, 1);

    if (what == LS_COPY_MEMSET)
        LLVMBuildMemSet(vf->b, v[0], v[1], v[2], to_align);
    else if (what == LS_COPY_MEMMOVE)
        LLVMBuildMemMove(vf->b, v[0], to_align, v[1], from_align, v[2]);
    else
        LLVMBuildMemCpy(vf->b, v[0], to_align, v[1], from_align, v[2]);
}

/* llvm.memcpy, memmove, memset: (to, from or byte, size, volatile) */
LLVMValueRef
ls_lower_copy(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef from = LLVMGetOperand(call, 1), v[3];
    struct operand o[3] = {
        address_operand(vf, LLVMGetOperand(call, 0)),
        data == LS_COPY_MEMSET ? plain_operand(vf, from) : address_operand(vf, from),
        plain_operand(vf, LLVMGetOperand(call, 2)),
    };

    if (o[0].uniform && o[1].uniform && o[2].uniform) {
        for (unsigned i = 0; i < 3; i++)
            v[i] = o[i].value;
        copy_one(vf, call, data, v);
        return NULL;
    }
    struct ls_lane_loop loop;
    ls_vf_lanes_begin(vf, &loop);
    for (unsigned i = 0; i < 3; i++)
        v[i] = operand_of_lane(vf, &o[i], loop.lane);
    copy_one(vf, call, data, v);
    ls_vf_lanes_end(vf, &loop);
    return NULL;
}

/* ---- Prefetches ---- */

enum { LINE_BYTES = 64, MAX_LINES = 8 };

/* Of lanes that are anywhere every second one asks, as neighbours often share a line. Gathers wait
 * for all their lines at once, so hosts that have good ones do without. */
static void
prefetch_varying(struct ls_vf *vf, LLVMValueRef call)
{
    LLVMValueRef ptrs, args[4];

    if ((vf->cc->isa->has_masks && !vf->cc->opt->slow_gathers) || vf->in_steps)
        return;
    ptrs = ls_vf_address_vector(vf, LLVMGetOperand(call, 0));
    for (unsigned i = 1; i < 4; i++)
        args[i] = LLVMConstInt(vf->i32, LLVMConstIntGetZExtValue(LLVMGetOperand(call, i)), false);
    for (unsigned l = 0; l < vf->n_lanes; l += 2) {
        args[0] = LLVMBuildExtractElement(vf->b, ptrs, LLVMConstInt(vf->i32, l, false), "");
        ls_vf_llvm(vf, "llvm.prefetch", &vf->ptr, 1, args, 4);
    }
}

/* llvm.prefetch: (pointer, write, locality, data cache). The lines that a group of lanes spans; a
 * hint may be given for lanes that are off. */
LLVMValueRef
ls_lower_prefetch(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef ptr = LLVMGetOperand(call, 0);
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(ptr));
    struct ls_val *val = as == 3 || as == 5 ? NULL : ls_vf_val(vf, ptr);

    (void)data;
    if (val && val->shape->kind != LS_SHAPE_GROUPED)
        prefetch_varying(vf, call);
    if (!val || val->shape->kind != LS_SHAPE_GROUPED)
        return NULL;
    for (unsigned g = 0; g < vf->n_lanes / val->shape->group; g++) {
        int64_t lo = 0, hi = 0;

        for (unsigned l = g * val->shape->group;
             val->shape->offset && l < (g + 1u) * val->shape->group; l++) {
            lo = val->shape->offset[l] < lo ? val->shape->offset[l] : lo;
            hi = val->shape->offset[l] > hi ? val->shape->offset[l] : hi;
        }
        for (unsigned n = 0; n < MAX_LINES && lo <= hi; n++, lo += LINE_BYTES) {
            LLVMValueRef index = LLVMConstInt(vf->i64, (uint64_t)lo, true);
            LLVMValueRef args[4] = {LLVMBuildGEP2(vf->b, vf->i8, val->base[g], &index, 1, "")};
            for (unsigned i = 1; i < 4; i++)
                args[i] =
                    LLVMConstInt(vf->i32, LLVMConstIntGetZExtValue(LLVMGetOperand(call, i)), false);
            ls_vf_llvm(vf, "llvm.prefetch", &vf->ptr, 1, args, 4);
        }
    }
    return NULL;
}

/* ---- Address spaces of generic pointers ---- */

static LLVMValueRef
inside(struct ls_vf *vf, LLVMValueRef ptr, LLVMValueRef lo, LLVMValueRef bytes)
{
    LLVMTypeRef type = ls_lanes_like(LLVMTypeOf(ptr), vf->i64);
    LLVMValueRef base = LLVMBuildPtrToInt(vf->b, lo, vf->i64, "");
    LLVMValueRef offset =
        B_SUB(LLVMBuildPtrToInt(vf->b, ptr, type, ""), ls_lower_splat_to(vf, type, base));
    return B_ICMP(ULT, offset, ls_lower_splat_to(vf, type, bytes));
}

LLVMValueRef
ls_lower_is_shared(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef ptr = ls_lower_arg(vf, call, 0);
    LLVMValueRef bytes =
        ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, lds_bytes), vf->i64, "lds.bytes");
    (void)data;
    return inside(vf, ptr, vf->lds, bytes);
}

LLVMValueRef
ls_lower_is_private(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef ptr = ls_lower_arg(vf, call, 0);
    LLVMValueRef hi =
        ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, stack_hi), vf->ptr, "stack.hi");
    LLVMValueRef lo = LLVMBuildPtrToInt(vf->b, vf->stack_lo, vf->i64, "");
    (void)data;
    return inside(vf, ptr, vf->stack_lo, B_SUB(LLVMBuildPtrToInt(vf->b, hi, vf->i64, ""), lo));
}

/* llvm.ptrmask on host pointers; offsets of LDS and private memory are masked as the integers they
 * are. */
LLVMValueRef
ls_lower_ptrmask(struct ls_vf *vf, LLVMValueRef call, long data)
{
    LLVMValueRef ptr = ls_lower_arg(vf, call, 0), mask = ls_lower_arg(vf, call, 1);
    LLVMTypeRef type = LLVMTypeOf(ptr);

    (void)data;
    if (LLVMGetTypeKind(ls_lanes_elem(type)) == LLVMIntegerTypeKind)
        return B_AND(ptr, mask);
    LLVMTypeRef over[2] = {type, LLVMTypeOf(mask)};
    LLVMValueRef args[2] = {ptr, mask};
    return ls_vf_llvm(vf, "llvm.ptrmask", over, 2, args, 2);
}
