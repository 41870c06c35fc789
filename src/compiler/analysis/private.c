/* SPDX-License-Identifier: MIT */
/* Private variables: which of them never escape and are accessed in pieces of one size, so that the
 * lanes' copies can interleave (structure of arrays) and a uniform index is one vector access. */
#include "analysis/shape_priv.h"
#include "intrin/intrinsics.h"

#include <string.h>

static uint64_t
element_bytes(const struct ls_cc *cc, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(type);
        return bits == 1                                                 ? 1
               : bits % 8 == 0 && bits <= 64 && (bits & (bits - 1)) == 0 ? bits / 8
                                                                         : 0;
    }
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return LLVMABISizeOfType(cc->device.layout, type);
    default:
        return 0;
    }
}

/* An access of `type`: its elements must all have the grain's size. */
static bool
fits_grain(const struct ls_cc *cc, LLVMTypeRef type, unsigned *grain)
{
    uint64_t bytes = element_bytes(cc, type);

    if (!bytes || (*grain && *grain != bytes))
        return false;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        LLVMTypeRef elem = LLVMGetElementType(type);
        if (LLVMGetTypeKind(elem) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(elem) == 1)
            return false;
    }
    *grain = (unsigned)bytes;
    return true;
}

static bool
is_lifetime(LLVMValueRef inst)
{
    size_t len;

    if (LLVMGetInstructionOpcode(inst) != LLVMCall || !LLVMIsAFunction(LLVMGetCalledValue(inst)))
        return false;
    return !strncmp(LLVMGetValueName2(LLVMGetCalledValue(inst), &len), "llvm.lifetime.", 14);
}

static bool
walk_uses(const struct ls_cc *cc, LLVMValueRef ptr, unsigned *grain, uint64_t *strides,
          unsigned depth)
{
    if (depth > 8)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(ptr); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!LLVMIsAInstruction(user))
            return false;
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad:
            if (LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic ||
                !fits_grain(cc, LLVMTypeOf(user), grain))
                return false;
            break;
        case LLVMStore:
            if (LLVMGetOperand(user, 0) == ptr ||
                LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic ||
                !fits_grain(cc, LLVMTypeOf(LLVMGetOperand(user, 0)), grain))
                return false;
            break;
        case LLVMGetElementPtr: {
            struct ls_gep_term terms[LS_MAX_GEP_TERMS];

            if (LLVMGetOperand(user, 0) != ptr ||
                LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind)
                return false;
            unsigned n = ls_gep_terms(cc, user, terms, LS_MAX_GEP_TERMS);
            for (unsigned i = 0; i < n; i++)
                *strides |= (uint64_t)terms[i].stride;
            if (!walk_uses(cc, user, grain, strides, depth + 1))
                return false;
            break;
        }
        default:
            if (!is_lifetime(user))
                return false;
        }
    }
    return true;
}

/* Whether a debugger shows the copies of this variable (LS_MD_DEBUG_PLACE); *bytes: of one copy. In
 * a block's program the alloca then holds the copies of all warps. */
static bool
copies_side_by_side(LLVMValueRef alloca_inst, uint64_t *bytes)
{
    LLVMContextRef ctx = LLVMGetTypeContext(LLVMGetAllocatedType(alloca_inst));
    unsigned kind = LLVMGetMDKindIDInContext(ctx, LS_MD_DEBUG_PLACE, sizeof(LS_MD_DEBUG_PLACE) - 1);
    LLVMValueRef node = LLVMGetMetadata(alloca_inst, kind), operand;

    if (!node)
        return false;
    LLVMGetMDNodeOperands(node, &operand);
    *bytes = LLVMConstIntGetZExtValue(operand);
    return true;
}

struct ls_private *
ls_private_classify(struct ls_cc *cc, LLVMValueRef alloca_inst)
{
    struct ls_private *priv = ls_arena_alloc(cc->arena, sizeof(*priv));
    LLVMTypeRef type = LLVMGetAllocatedType(alloca_inst);
    LLVMValueRef count = LLVMGetOperand(alloca_inst, 0);
    LLVMContextRef ctx = LLVMGetTypeContext(type);
    unsigned kind =
        LLVMGetMDKindIDInContext(ctx, LS_MD_UNIFORM_SLOT, sizeof(LS_MD_UNIFORM_SLOT) - 1);
    uint64_t strides = 0;

    if (!LLVMIsAConstantInt(count))
        return NULL;
    priv->bytes = LLVMABISizeOfType(cc->device.layout, type) * LLVMConstIntGetZExtValue(count);
    uint64_t align = LLVMGetAlignment(alloca_inst);
    align = align < 16 ? 16 : align;
    priv->lane_bytes = (priv->bytes + align - 1) / align * align;
    if (LLVMGetMetadata(alloca_inst, kind)) {
        priv->kind = LS_PRIVATE_UNIFORM;
        return priv;
    }
    if (copies_side_by_side(alloca_inst, &priv->lane_bytes)) {
        priv->kind = LS_PRIVATE_PER_LANE;
        priv->grain = 1;
        return priv;
    }
    if (walk_uses(cc, alloca_inst, &priv->grain, &strides, 0) &&
        (!priv->grain || (strides % priv->grain == 0 && priv->bytes % priv->grain == 0)))
        priv->kind = LS_PRIVATE_INTERLEAVED;
    else
        priv->kind = LS_PRIVATE_PER_LANE;
    if (!priv->grain)
        priv->grain = 1;
    return priv;
}

struct ls_private *
ls_private_of(const struct ls_shapes *s, LLVMValueRef ptr)
{
    while (LLVMIsAInstruction(ptr) && LLVMGetInstructionOpcode(ptr) == LLVMGetElementPtr)
        ptr = LLVMGetOperand(ptr, 0);
    return LLVMIsAInstruction(ptr) ? ls_ptrmap_get(&s->privates, ptr) : NULL;
}
