/* SPDX-License-Identifier: MIT */
/* Operands that come from memory, in the order in which they lie there.
 *
 * A processor that adds two loads takes the second one as the addition's own operand, so it comes
 * after the first. Halves of a tile that are added to each other would be read from the middle on
 * and from its beginning only then, and the hardware prefetcher, which follows addresses upwards,
 * would not see that it is one stream: a sum over memory took twice as long. So the lower address
 * is the first operand. */
#include "host/host.h"

#include "analysis/shape_priv.h"
#include "compiler/ir/ir.h"

enum { MAX_STEPS = 8 }; /* of constant distances one after the other */

/* What a pointer is a constant distance from. */
static LLVMValueRef
base_of(struct ls_cc *cc, LLVMValueRef p, int64_t *distance)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(cc->mod);

    *distance = 0;
    for (unsigned i = 0; i < MAX_STEPS; i++) {
        int64_t index;

        if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 ||
            !ls_const_int(LLVMGetOperand(p, 1), &index))
            break;
        *distance += index * (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(p));
        p = LLVMGetOperand(p, 0);
    }
    return p;
}

/* Whether `v` may become an operand in memory of the instruction after it. */
static bool
is_operand(LLVMValueRef v, LLVMValueRef of)
{
    LLVMUseRef use = LLVMGetFirstUse(v);

    return LLVMIsALoadInst(v) && !LLVMGetVolatile(v) && !LLVMGetNextUse(use) &&
           LLVMGetInstructionParent(v) == LLVMGetInstructionParent(of) &&
           LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static bool
commutes(LLVMOpcode op)
{
    return op == LLVMFAdd || op == LLVMFMul || op == LLVMAdd || op == LLVMMul || op == LLVMAnd ||
           op == LLVMOr || op == LLVMXor;
}

static void
order(struct ls_cc *cc, LLVMValueRef inst)
{
    LLVMValueRef a, b;
    int64_t at_a, at_b;

    if (!LLVMIsABinaryOperator(inst) || !commutes(LLVMGetInstructionOpcode(inst)))
        return;
    a = LLVMGetOperand(inst, 0);
    b = LLVMGetOperand(inst, 1);
    if (a == b || !is_operand(a, inst) || !is_operand(b, inst) ||
        base_of(cc, LLVMGetOperand(a, 0), &at_a) != base_of(cc, LLVMGetOperand(b, 0), &at_b) ||
        at_a <= at_b)
        return;
    LLVMSetOperand(inst, 0, b);
    LLVMSetOperand(inst, 1, a);
}

void
ls_host_ascend(struct ls_cc *cc, LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            order(cc, i);
}
