/* SPDX-License-Identifier: MIT */
/* Loops whose index stops at the end: `i = i < end - step ? i + step : end` while `i < end`. Where
 * the index stays below, it has risen by the step, and where not, the loop is left: so it is an
 * index like others, contiguous over the lanes, with two reasons to leave. */
#include <llvm-c/Core.h>

#include "analysis/cfg.h"
#include "compiler/ir/ir.h"
#include "compiler/region/region_priv.h"

/* Whether `v p v` is true, for any v. */
static bool
holds_for_equals(LLVMIntPredicate p)
{
    return p == LLVMIntEQ || p == LLVMIntUGE || p == LLVMIntULE || p == LLVMIntSGE ||
           p == LLVMIntSLE;
}

/* The operand that is the other one's end: select(c, x, end). Its number; 0: neither is. */
static unsigned
end_of(LLVMValueRef next, LLVMValueRef end)
{
    return LLVMGetOperand(next, 2) == end ? 2 : LLVMGetOperand(next, 1) == end ? 1 : 0;
}

/* A loop is left by `branch` in its latch, whose comparison looks at `next`. */
static void
unfold(LLVMBuilderRef b, LLVMValueRef branch, unsigned moving, bool stays_if)
{
    LLVMValueRef cmp = LLVMGetCondition(branch), next = LLVMGetOperand(cmp, moving);
    LLVMValueRef end = LLVMGetOperand(cmp, 1 - moving), goes_on, step, again, sides[2];
    LLVMBasicBlockRef latch = LLVMGetInstructionParent(branch);
    LLVMBasicBlockRef head = LLVMGetSuccessor(branch, !stays_if);
    unsigned stop = end_of(next, end);
    LLVMIntPredicate p;

    step = LLVMGetOperand(next, 3 - stop);
    if (!LLVMIsABinaryOperator(step) || LLVMGetInstructionOpcode(step) != LLVMAdd)
        return;
    LLVMSetNUW(step, false); /* it is looked at also where it is not taken */
    LLVMSetNSW(step, false);
    LLVMPositionBuilderBefore(b, branch);
    goes_on = LLVMGetOperand(next, 0);
    if (stop == 1)
        goes_on = LLVMBuildNot(b, goes_on, "");
    sides[moving] = step;
    sides[1 - moving] = end;
    p = LLVMGetICmpPredicate(cmp);
    again = LLVMBuildICmp(b, stays_if ? p : ls_ir_opposite(p), sides[0], sides[1], "");
    LLVMSetCondition(branch, LLVMBuildAnd(b, goes_on, again, ""));
    LLVMSetSuccessor(branch, 1, LLVMGetSuccessor(branch, stays_if));
    LLVMSetSuccessor(branch, 0, head);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(head); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
            if (LLVMGetIncomingBlock(phi, i) == latch && LLVMGetIncomingValue(phi, i) == next)
                LLVMSetOperand(phi, i, step);
}

void
ls_strides_unfold(struct ls_cc *cc, LLVMValueRef fn)
{
    const struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (unsigned i = 0; i < cfg->n_loops; i++) {
        const struct ls_loop *loop = cfg->loops[i];
        LLVMValueRef branch, cmp;
        bool stays_if;

        if (loop->latch == LS_NO_BLOCK)
            continue;
        branch = cfg->blocks[loop->latch].term;
        if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
            !LLVMIsAICmpInst(LLVMGetCondition(branch)))
            continue;
        cmp = LLVMGetCondition(branch);
        stays_if = cfg->blocks[loop->latch].succs[0] == loop->header;
        if (holds_for_equals(LLVMGetICmpPredicate(cmp)) == stays_if ||
            cfg->blocks[loop->latch].succs[0] == cfg->blocks[loop->latch].succs[1])
            continue;
        for (unsigned m = 0; m < 2; m++)
            if (LLVMIsASelectInst(LLVMGetOperand(cmp, m)) &&
                end_of(LLVMGetOperand(cmp, m), LLVMGetOperand(cmp, 1 - m))) {
                unfold(b, branch, m, stays_if);
                break;
            }
    }
    LLVMDisposeBuilder(b);
}
