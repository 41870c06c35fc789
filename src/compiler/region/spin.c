/* SPDX-License-Identifier: MIT */
/* Loops that wait for somebody else's store, or for time to pass. They must let others run: a
 * worker thread would hang, and delays that last together on a GPU would add up. */
#include "compiler/region/region_priv.h"

#include <string.h>

#include "analysis/cfg.h"
#include "compiler/ir/ir.h"
#include "lower/intrinsics.h"

struct search {
    const struct ls_cfg *cfg;
    const struct ls_loop *loop;
    struct ls_ptrmap seen;
};

static bool
in_loop(const struct search *s, LLVMValueRef v)
{
    unsigned b;

    if (!LLVMIsAInstruction(v))
        return false;
    b = ls_cfg_number(s->cfg, LLVMGetInstructionParent(v));
    return b != LS_NO_BLOCK && s->loop->member[b];
}

/* Does `v` depend, inside the loop, on a value for which `is` says yes? */
static bool
depends_on(struct search *s, LLVMValueRef v, bool (*is)(struct search *s, LLVMValueRef v))
{
    if (!in_loop(s, v) || ls_ptrmap_get(&s->seen, v))
        return false;
    ls_ptrmap_set(&s->seen, v, v);
    if (is(s, v))
        return true;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (depends_on(s, LLVMGetOperand(v, (unsigned)i), is))
            return true;
    return false;
}

/* Does the address differ from one iteration to the next? Who waits looks at one place; who walks a
 * list or probes a table gets on. */
static bool
moves(struct search *s, struct ls_ptrmap *seen, LLVMValueRef v)
{
    if (!in_loop(s, v) || ls_ptrmap_get(seen, v))
        return false;
    ls_ptrmap_set(seen, v, v);
    if (LLVMIsAPHINode(v) || LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v))
        return true;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (moves(s, seen, LLVMGetOperand(v, (unsigned)i)))
            return true;
    return false;
}

static bool
at_one_place(struct search *s, LLVMValueRef pointer)
{
    struct ls_ptrmap seen;

    ls_ptrmap_init(&seen, s->seen.arena);
    return !moves(s, &seen, pointer);
}

static bool
changes_each_time(struct search *s, LLVMValueRef v)
{
    return in_loop(s, v);
}

/* A compare-and-swap that stores something computed from what it read makes progress whenever it
 * fails: somebody else's succeeded. One that always stores the same is a lock. */
static bool
is_lock_attempt(struct search *s, LLVMValueRef v)
{
    if (LLVMIsAAtomicCmpXchgInst(v))
        return !changes_each_time(s, LLVMGetOperand(v, 2));
    if (LLVMIsAAtomicRMWInst(v)) {
        switch (LLVMGetAtomicRMWBinOp(v)) {
        case LLVMAtomicRMWBinOpXchg:
        case LLVMAtomicRMWBinOpOr:
        case LLVMAtomicRMWBinOpAnd:
        case LLVMAtomicRMWBinOpMax:
        case LLVMAtomicRMWBinOpUMax:
            return !changes_each_time(s, LLVMGetOperand(v, 1));
        case LLVMAtomicRMWBinOpAdd: /* atomicAdd(p, 0) is a load */
            return LLVMIsNull(LLVMGetOperand(v, 1));
        default:
            return false;
        }
    }
    return false;
}

static bool
is_watched(struct search *s, LLVMValueRef v)
{
    if (ls_intrin_is_clock(v))
        return true;
    if (LLVMIsALoadInst(v))
        return (LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic) &&
               at_one_place(s, LLVMGetOperand(v, 0));
    return is_lock_attempt(s, v) && at_one_place(s, LLVMGetOperand(v, 0));
}

/* A watched load whose only use is to seed a compare-and-swap retry is not waiting. */
static bool
has_retry(struct search *s)
{
    for (unsigned b = 0; b < s->cfg->n_blocks; b++) {
        if (!s->loop->member[b])
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->blocks[b].bb); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicCmpXchgInst(i) && !is_lock_attempt(s, i))
                return true;
    }
    return false;
}

static bool
loop_waits(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    struct search s = {.cfg = cfg, .loop = loop};

    for (unsigned b = 0; b < cfg->n_blocks; b++) {
        const struct ls_cfg_block *blk = &cfg->blocks[b];
        bool leaves = false;

        if (!loop->member[b] || blk->n_succs < 2)
            continue;
        for (unsigned k = 0; k < blk->n_succs; k++)
            leaves |= !loop->member[blk->succs[k]];
        if (!leaves)
            continue;
        ls_ptrmap_init(&s.seen, cc->arena);
        if (depends_on(&s, LLVMGetCondition(blk->term), is_watched) && !has_retry(&s))
            return true;
    }
    return false;
}

static bool
may_wait(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAAtomicRMWInst(i) || ls_intrin_is_clock(i))
                return true;
            if (LLVMIsALoadInst(i) &&
                (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic))
                return true;
        }
    }
    return false;
}

static unsigned
yield_in(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);
    struct ls_cfg *cfg;
    LLVMBuilderRef b;
    unsigned n = 0;

    if (!may_wait(fn))
        return 0;
    cfg = ls_cfg_build(cc->arena, fn);
    b = LLVMCreateBuilderInContext(cc->llvm);
    for (unsigned i = 0; i < cfg->n_loops; i++) {
        const struct ls_loop *loop = cfg->loops[i];

        if (loop->latch == LS_NO_BLOCK || !loop_waits(cc, cfg, loop))
            continue;
        LLVMPositionBuilderBefore(b, cfg->blocks[loop->latch].term);
        LLVMBuildCall2(b, type, ls_ir_declare(cc, LS_FN_YIELD, type, true), NULL, 0, "");
        n++;
    }
    LLVMDisposeBuilder(b);
    return n;
}

unsigned
ls_spin_yield(struct ls_cc *cc, LLVMValueRef program)
{
    unsigned n = 0;

    (void)program;
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            n += yield_in(cc, fn);
    return n;
}
