/* SPDX-License-Identifier: MIT */
/* Where two ways meet, a value that both have computed alike is one: `if (border) out[i] = 0; else
 * out[i] = f(...)` becomes one store, whose index clang computes on each way. It is no choice
 * between two values, of which nothing would be known, but computed in front of the ways. */
#include "ir/prepare_priv.h"

#include "analysis/cfg.h"
#include "ir/ir.h"
#include "target/target.h"

enum { DEEP = 6, MOST_BLOCKS = 4000 };

struct meeting {
    struct ls_cc *cc;
    const struct ls_cfg *cfg;
    LLVMBuilderRef b; /* in front of the ways */
    unsigned before;  /* block there */
};

/* Whether an instruction may run where its result is not wanted. */
static bool
is_plain(LLVMValueRef v)
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
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return true;
    case LLVMGetElementPtr:
        return LLVMGetNumOperands(v) == 2;
    default:
        return false;
    }
}

static bool
are_alike(LLVMValueRef a, LLVMValueRef b, unsigned depth)
{
    if (a == b)
        return true;
    if (depth == DEEP || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || !is_plain(a) ||
        LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
        LLVMTypeOf(a) != LLVMTypeOf(b) ||
        (LLVMIsAGetElementPtrInst(a) &&
         LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b)))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(a); i++)
        if (!are_alike(LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i), depth + 1))
            return false;
    return true;
}

/* Computes the value in front of the ways, as far as it is not known there. What one way promises
 * the other need not keep, so nothing is promised. */
static LLVMValueRef
make(struct meeting *m, LLVMValueRef v)
{
    LLVMValueRef op[2];
    unsigned block, n;

    if (!LLVMIsAInstruction(v))
        return v;
    block = ls_cfg_number(m->cfg, LLVMGetInstructionParent(v));
    if (block != LS_NO_BLOCK && ls_cfg_dominates(m->cfg, block, m->before))
        return v;
    n = (unsigned)LLVMGetNumOperands(v);
    for (unsigned i = 0; i < n; i++)
        op[i] = make(m, LLVMGetOperand(v, i));
    if (LLVMIsAGetElementPtrInst(v))
        return LLVMBuildGEP2(m->b, LLVMGetGEPSourceElementType(v), op[0], op + 1, 1, "");
    return n == 1 ? LLVMBuildCast(m->b, LLVMGetInstructionOpcode(v), op[0], LLVMTypeOf(v), "")
                  : LLVMBuildBinOp(m->b, LLVMGetInstructionOpcode(v), op[0], op[1], "");
}

static bool
join(struct meeting *m, LLVMValueRef phi)
{
    LLVMValueRef first = LLVMGetIncomingValue(phi, 0);

    if (!LLVMIsAInstruction(first) || !is_plain(first))
        return false;
    for (unsigned i = 1; i < LLVMCountIncoming(phi); i++)
        if (!are_alike(first, LLVMGetIncomingValue(phi, i), 0))
            return false;
    LLVMPositionBuilderBefore(m->b, m->cfg->blocks[m->before].term);
    LLVMReplaceAllUsesWith(phi, make(m, first));
    LLVMInstructionEraseFromParent(phi);
    return true;
}

bool
ls_same_ways_join(struct ls_cc *cc)
{
    struct meeting m = {.cc = cc};
    bool any = false;

    if (cc->target->keeps_threads || cc->opt->checks)
        return false;
    m.b = LLVMCreateBuilderInContext(cc->llvm);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn) || LLVMCountBasicBlocks(fn) > MOST_BLOCKS)
            continue;
        m.cfg = ls_cfg_build(cc->arena, fn);
        for (unsigned b = 1; b < m.cfg->n_blocks; b++) {
            const struct ls_cfg_block *at = &m.cfg->blocks[b];

            m.before = at->idom;
            if (at->n_preds < 2 || at->idom == LS_NO_BLOCK ||
                (at->loop && at->loop->header == b)) /* ways of several iterations */
                continue;
            for (LLVMValueRef phi = LLVMGetFirstInstruction(at->bb), next;
                 phi && LLVMIsAPHINode(phi); phi = next) {
                next = LLVMGetNextInstruction(phi);
                any |= join(&m, phi);
            }
        }
    }
    LLVMDisposeBuilder(m.b);
    return any;
}
