/* SPDX-License-Identifier: MIT */
/* Loops that the hardware waits in: an iteration's loads are sent off before the last one's have
 * come, and its chains of operations run beside each other, only when several are one piece of
 * code. For AMD clang unrolls few loops that run an unknown number of times, and for NVIDIA LLVM
 * only the shortest; nvcc makes four of one. */
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

enum {
    MAX_BODY = 160,  /* instructions of the iterations that become one */
    MAX_WHOLE = 600, /* of a loop that is unrolled whole */
    MAX_WHOLE_OF_PRIVATE = 1200,
};

/* Whether it was said how to unroll the loop, in the source or by a pass. */
static bool
is_settled(struct ls_cc *cc, LLVMValueRef latch)
{
    LLVMValueRef node = LLVMGetMetadata(latch, ls_ir_md_kind(cc, "llvm.loop")), *ops, *name;
    unsigned n = node ? LLVMGetMDNodeNumOperands(node) : 0, length;
    bool settled = false;

    if (n < 2)
        return false;
    ops = ls_arena_alloc(cc->arena, n * sizeof(*ops));
    LLVMGetMDNodeOperands(node, ops);
    for (unsigned i = 1; i < n && !settled; i++) {
        unsigned n_parts = ops[i] && LLVMIsAMDNode(ops[i]) ? LLVMGetMDNodeNumOperands(ops[i]) : 0;
        const char *text;

        if (!n_parts)
            continue;
        name = ls_arena_alloc(cc->arena, n_parts * sizeof(*name));
        LLVMGetMDNodeOperands(ops[i], name);
        text = name[0] ? LLVMGetMDString(name[0], &length) : NULL;
        settled = text && length >= 16 && !memcmp(text, "llvm.loop.unroll", 16);
    }
    return settled;
}

/* How often the loop runs, where constants say so; 0: not known. */
static uint64_t
known_trips(LLVMValueRef latch, LLVMBasicBlockRef body)
{
    LLVMValueRef cond = LLVMGetCondition(latch), next, step, end, phi;
    LLVMTypeRef type;
    uint64_t first = 0, by, distance;
    bool found = false;

    if (!LLVMIsAICmpInst(cond))
        return 0;
    next = LLVMGetOperand(cond, 0);
    end = LLVMGetOperand(cond, 1);
    if (!LLVMIsABinaryOperator(next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
        !LLVMIsAConstantInt(end))
        return 0;
    phi = LLVMGetOperand(next, 0);
    step = LLVMGetOperand(next, 1);
    type = LLVMTypeOf(next);
    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != body ||
        !LLVMIsAConstantInt(step) || LLVMGetIntTypeWidth(type) > 64)
        return 0;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef start = LLVMGetIncomingValue(phi, k);

        if (start == next)
            continue;
        if (!LLVMIsAConstantInt(start) || found)
            return 0;
        first = (uint64_t)LLVMConstIntGetSExtValue(start);
        found = true;
    }
    by = (uint64_t)LLVMConstIntGetSExtValue(step);
    distance = (uint64_t)LLVMConstIntGetSExtValue(end) - first;
    if ((int64_t)by < 0) {
        by = -by;
        distance = -distance;
    }
    return found && by ? distance / by : 0;
}

/* Whether the branch asks for something that grows by a constant: how often the loop runs is known
 * in front of it then, and an unrolled iteration has one branch. */
static bool
counts(LLVMValueRef latch)
{
    LLVMValueRef cond = LLVMGetCondition(latch);

    for (unsigned i = 0; LLVMIsAICmpInst(cond) && i < 2; i++) {
        LLVMValueRef next = LLVMGetOperand(cond, i);

        if (LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
            LLVMIsAConstantInt(LLVMGetOperand(next, 1)) && LLVMIsAPHINode(LLVMGetOperand(next, 0)))
            return true;
    }
    return false;
}

/* Instructions of an iteration; 0: what must not stand in the code twice, or is no loop of
 * operations. */
static unsigned
size_of(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    unsigned n = 0;

    for (unsigned b = loop->header; b < loop->end; b++) {
        if (!ls_loop_has(loop, b))
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i;
             i = LLVMGetNextInstruction(i)) {
            if (LLVMIsACallInst(i)) {
                LLVMValueRef callee = LLVMGetCalledValue(i);
                bool is_asm = LLVMIsAInlineAsm(callee) != NULL;

                if (!is_asm && (!LLVMIsAFunction(callee) ||
                                (!LLVMGetIntrinsicID(callee) && !ls_ptx_is_lone(callee))))
                    return 0;
                if (ls_ir_is_convergent(i))
                    return 0;
            }
            n += !LLVMIsAPHINode(i) && !LLVMIsADbgInfoIntrinsic(i);
        }
    }
    return n;
}

/* Whether the loop's iterations are about the elements of a private array, one after the other: its
 * place is registers, where no index is left. */
static bool
indexes_private(const struct ls_cfg *cfg, const struct ls_loop *loop, unsigned *size)
{
    bool found = false;

    *size = 0;
    for (unsigned b = loop->header; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i && ls_loop_has(loop, b);
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef base;

            ++*size;
            if (!LLVMIsAGetElementPtrInst(i))
                continue;
            base = LLVMGetOperand(i, 0);
            if (LLVMIsAAddrSpaceCastInst(base))
                base = LLVMGetOperand(base, 0);
            if (!LLVMIsAAllocaInst(base))
                continue;
            for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i); k++)
                found |= !LLVMIsAConstantInt(LLVMGetOperand(i, k));
        }
    return found;
}

/* The loop's branch back, if that is also the only way out. */
static LLVMValueRef
only_exit(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    if (loop->latch == LS_NO_BLOCK || !LLVMIsABranchInst(cfg->blocks[loop->latch].term) ||
        !LLVMIsConditional(cfg->blocks[loop->latch].term))
        return NULL;
    for (unsigned b = loop->header; b < loop->end; b++)
        for (unsigned k = 0; ls_loop_has(loop, b) && k < cfg->blocks[b].n_succs; k++)
            if (b != loop->latch && !ls_loop_has(loop, cfg->blocks[b].succs[k]))
                return NULL;
    return cfg->blocks[loop->latch].term;
}

static void
mark_function(struct ls_cc *cc, LLVMValueRef fn)
{
    const struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);
    bool *has_inner = ls_arena_alloc(cc->arena, cfg->n_loops + 1);

    if (cfg->irreducible)
        return;
    for (unsigned l = 0; l < cfg->n_loops; l++)
        for (unsigned o = 0; o < l; o++)
            has_inner[o] |= cfg->loops[l]->parent == cfg->loops[o];
    for (unsigned l = 0; l < cfg->n_loops; l++) {
        const struct ls_loop *loop = cfg->loops[l];
        LLVMValueRef latch = only_exit(cfg, loop);
        uint64_t trips;
        unsigned size;

        if (!latch || !counts(latch) || is_settled(cc, latch))
            continue;
        trips = known_trips(latch, cfg->blocks[loop->header].bb);
        if (trips && indexes_private(cfg, loop, &size) && trips <= MAX_WHOLE_OF_PRIVATE / size) {
            ls_ir_set_unrolling(cc, latch, 0);
            continue;
        }
        size = has_inner[l] ? 0 : size_of(cfg, loop);
        if (!size || 2 * size > MAX_BODY)
            continue;
        if (trips && trips <= MAX_WHOLE / size)
            ls_ir_set_unrolling(cc, latch, 0);
        else
            ls_ir_set_unrolling(cc, latch, 4 * size <= MAX_BODY ? 4 : 2);
    }
}

void
ls_ptx_mark_loops(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            mark_function(cc, fn);
}
