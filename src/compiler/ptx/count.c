/* SPDX-License-Identifier: MIT */
/* Loops by a step that is not known, `for (i = first; i < end; i += step)`, get a number that says
 * how often they run: LLVM would have it only where it can show that i does not come to its type's
 * end, which C++ forbids. */
#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

/* Such a loop, when it has begun. */
struct walk {
    LLVMValueRef latch, phi, first, step, end;
    LLVMBasicBlockRef header, from; /* where it comes from at first */
};

/* Whether a loop does nothing that others could wait for: in C++ it may be taken to end. */
static bool
must_end(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    static const char attribute[] = "mustprogress";
    LLVMValueRef latch = cfg->blocks[loop->latch].term;
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(latch));

    if (!ls_ir_loop_says(cc, latch, "llvm.loop.mustprogress") &&
        !LLVMGetEnumAttributeAtIndex(
            fn, LLVMAttributeFunctionIndex,
            LLVMGetEnumAttributeKindForName(attribute, sizeof(attribute) - 1)))
        return false;
    for (unsigned b = loop->header; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i && ls_loop_has(loop, b);
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
                 (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)))
                return false;
    return true;
}

static bool
is_outside(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMValueRef v)
{
    return !LLVMIsAInstruction(v) ||
           !ls_loop_has(loop, ls_cfg_number(cfg, LLVMGetInstructionParent(v)));
}

/* Whether the loop goes on while `next`, which grows by a step, is less than an end. */
static bool
is_walk(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMValueRef next, struct walk *w)
{
    LLVMValueRef cond = LLVMGetCondition(w->latch);
    LLVMIntPredicate goes_on = LLVMGetICmpPredicate(cond);
    bool is_left = LLVMGetOperand(cond, 0) == next;

    if (LLVMGetSuccessor(w->latch, 0) != w->header)
        goes_on = ls_ir_opposite(goes_on);
    if (goes_on != (is_left ? LLVMIntSLT : LLVMIntSGT) || !LLVMIsABinaryOperator(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || !LLVMGetNSW(next) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(next)) > 32)
        return false;
    w->phi = LLVMGetOperand(next, 0);
    w->step = LLVMGetOperand(next, 1);
    w->end = LLVMGetOperand(cond, is_left);
    if (!LLVMIsAPHINode(w->phi) || LLVMGetInstructionParent(w->phi) != w->header ||
        LLVMCountIncoming(w->phi) != 2 || !is_outside(cfg, loop, w->step) ||
        !is_outside(cfg, loop, w->end))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (LLVMGetIncomingBlock(w->phi, k) == cfg->blocks[loop->latch].bb)
            continue;
        w->first = LLVMGetIncomingValue(w->phi, k);
        w->from = LLVMGetIncomingBlock(w->phi, k);
    }
    return w->from && ls_ir_incoming(w->phi, cfg->blocks[loop->latch].bb) == next;
}

/* How often the loop runs: once, and as often as the step fits in front of the end. A step that is
 * not positive would only be legal where it runs once. */
static LLVMValueRef
trips(LLVMBuilderRef b, const struct walk *w)
{
    LLVMTypeRef type = LLVMTypeOf(w->phi);
    LLVMValueRef one = LLVMConstInt(type, 1, false), room, step, more;

    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(w->from));
    room = LLVMBuildSub(b, LLVMBuildSub(b, w->end, w->first, ""), one, "");
    step = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, w->step, LLVMConstNull(type), ""),
                           w->step, one, "");
    more = LLVMBuildUDiv(b, room, step, "");
    more = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, w->end, w->first, ""), more,
                           LLVMConstNull(type), "");
    return LLVMBuildAdd(b, more, one, "trips");
}

bool
ls_ptx_count(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    struct walk w = {.latch = cfg->blocks[loop->latch].term,
                     .header = cfg->blocks[loop->header].bb};
    LLVMValueRef cond = LLVMGetCondition(w.latch), left, phi, in[2];
    LLVMBasicBlockRef from[2];
    LLVMBuilderRef b;

    if (!LLVMIsAICmpInst(cond) || (!is_walk(cfg, loop, LLVMGetOperand(cond, 0), &w) &&
                                   !is_walk(cfg, loop, LLVMGetOperand(cond, 1), &w)))
        return false;
    if (!must_end(cc, cfg, loop))
        return false;
    b = LLVMCreateBuilderInContext(cc->llvm);
    in[0] = trips(b, &w);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(w.header));
    phi = LLVMBuildPhi(b, LLVMTypeOf(w.phi), "left");
    LLVMPositionBuilderBefore(b, w.latch);
    left = in[1] = LLVMBuildSub(b, phi, LLVMConstInt(LLVMTypeOf(phi), 1, false), "");
    from[0] = w.from;
    from[1] = cfg->blocks[loop->latch].bb;
    LLVMAddIncoming(phi, in, from, 2);
    LLVMSetCondition(
        w.latch, LLVMBuildICmp(b, LLVMGetSuccessor(w.latch, 0) == w.header ? LLVMIntNE : LLVMIntEQ,
                               left, LLVMConstNull(LLVMTypeOf(phi)), ""));
    if (!LLVMGetFirstUse(cond))
        LLVMInstructionEraseFromParent(cond);
    LLVMDisposeBuilder(b);
    return true;
}
