/* SPDX-License-Identifier: MIT */
/* What may be computed again behind a barrier instead of being kept across it. */
#include "compiler/region/region_priv.h"

#include <string.h>

#include "compiler/ir/ir.h"

void
ls_remats_init(struct ls_remats *r, struct ls_cc *cc, const struct ls_shapes *shapes,
               LLVMValueRef w)
{
    r->cc = cc;
    r->shapes = shapes;
    r->w = w;
    ls_ptrmap_init(&r->map, cc->arena);
}

static bool
cheap_call(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.umin.", "llvm.umax.", "llvm.smin.", "llvm.smax.",
                                        "llvm.abs."};
    const char *name = ls_ir_callee_name(call);

    if (!name)
        return false;
    if (!strcmp(name, LS_FN_LANE))
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (ls_ir_has_prefix(name, names[i]))
            return true;
    return false;
}

bool
ls_remat_cheap(struct ls_cc *cc, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMGetElementPtr:
        return true;
    case LLVMUDiv:
    case LLVMURem:
    case LLVMSDiv:
    case LLVMSRem: /* by a constant other than 0 and -1 it cannot trap */
        return LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
               LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) > 0;
    case LLVMCall:
        return cheap_call(v);
    case LLVMLoad:
        return !LLVMGetVolatile(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic &&
               LLVMGetMetadata(v, ls_ir_md_kind(cc, "invariant.load"));
    default:
        return false;
    }
}

static unsigned
operand_cost(struct ls_remats *r, LLVMValueRef op)
{
    unsigned cost;

    if (!LLVMIsAInstruction(op) || op == r->w || LLVMIsAAllocaInst(op))
        return 0;
    cost = ls_remat_cost(r, op);
    if (cost <= LS_REMAT_COST_MAX)
        return cost;
    /* it is kept in a slot; of a uniform value that costs one scalar load */
    return r->shapes && ls_shape_uniform(r->shapes, op) ? 1 : LS_REMAT_COST_MAX + 1;
}

unsigned
ls_remat_cost(struct ls_remats *r, LLVMValueRef v)
{
    unsigned cost = (unsigned)(uintptr_t)ls_ptrmap_get(&r->map, v);

    if (cost)
        return cost;
    cost = ls_remat_cheap(r->cc, v) ? 1 : LS_REMAT_COST_MAX + 1;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n && cost <= LS_REMAT_COST_MAX; i++)
        cost += operand_cost(r, LLVMGetOperand(v, (unsigned)i));
    ls_ptrmap_set(&r->map, v, (void *)(uintptr_t)cost);
    return cost;
}

void
ls_remat_drop_promises(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(inst, false);
        LLVMSetNUW(inst, false);
        break;
    case LLVMZExt:
        LLVMSetNNeg(inst, false);
        break;
    case LLVMGetElementPtr:
        LLVMSetIsInBounds(inst, false);
        break;
    default:
        break;
    }
}
