/* SPDX-License-Identifier: MIT */
/* Loops that run a known number of times: `for (s = blockDim.x / 2; s > 0; s /= 2)` where the
 * block's shape is known. Unrolled, each step knows which warps have work and which of their
 * threads, and from which lane another one's value comes. All threads run such a loop alike, so who
 * meets whom stays the same. Clang has seen these loops before the shape was known. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "analysis/cfg.h"

enum {
    MAX_BLOCKS = 256, /* of a function: larger ones have no loops that are worth it */
    MAX_BODY = 64,    /* instructions of a loop without barriers */
};

bool
ls_ir_is_barrier(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && !strcmp(name, "llvm.amdgcn.s.barrier");
}

/* Whether nothing but an index passes from one iteration to the next. */
static bool
carries_an_index(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(cfg->blocks[loop->header].bb);

    return LLVMIsAPHINode(phi) && !LLVMIsAPHINode(LLVMGetNextInstruction(phi)) &&
           LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMIntegerTypeKind;
}

/* Whether lanes meet at an access to memory: which iteration it is of may then be seen. */
static bool
meets(LLVMValueRef i)
{
    bool plain = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);

    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) ||
           (plain && (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
}

/* Whether the block's branch compares with a constant something that begins with a constant. */
static bool
counts_to_constant(const struct ls_cfg *cfg, const struct ls_loop *loop, unsigned block)
{
    LLVMValueRef term = cfg->blocks[block].term, cond;
    LLVMValueRef phi = LLVMGetFirstInstruction(cfg->blocks[loop->header].bb);

    cond = LLVMIsABranchInst(term) && LLVMIsConditional(term) ? LLVMGetCondition(term) : NULL;
    if (!cond || !LLVMIsAICmpInst(cond) || !LLVMIsAConstantInt(LLVMGetOperand(cond, 1)))
        return false;
    for (; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
            if (LLVMIsAConstantInt(LLVMGetIncomingValue(phi, k)))
                return true;
    return false;
}

/* Whether threads leave the loop in one place alone, and meet at one barrier in it; at two, where
 * they keep nothing for the next iteration: what they do keep is better kept by the loop as it is
 * (region/jam.c). At none, where it is short. How often it runs, LLVM finds out. */
static bool
is_stepped(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    unsigned n_exits = 0, n_barriers = 0, n_meet = 0, n = 0;
    bool counts = false;

    for (unsigned b = 0; b < cfg->n_blocks; b++) {
        const struct ls_cfg_block *blk = &cfg->blocks[b];

        if (!ls_loop_has(loop, b))
            continue;
        for (unsigned k = 0; k < blk->n_succs; k++)
            if (!ls_loop_has(loop, blk->succs[k])) {
                n_exits++;
                counts = counts_to_constant(cfg, loop, b);
            }
        for (LLVMValueRef i = LLVMGetFirstInstruction(blk->bb); i;
             i = LLVMGetNextInstruction(i), n++) {
            n_barriers += ls_ir_is_barrier(i);
            n_meet += meets(i);
        }
    }
    return (n_barriers == 1 || (n_barriers == 0 && counts && n_meet == 0 && n <= MAX_BODY) ||
            (n_barriers == 2 && carries_an_index(cfg, loop))) &&
           n_exits == 1 && loop->latch != LS_NO_BLOCK;
}

bool
ls_ir_loop_says(struct ls_cc *cc, LLVMValueRef latch, const char *word)
{
    LLVMValueRef node = LLVMGetMetadata(latch, ls_ir_md_kind(cc, "llvm.loop")), *ops, *name;
    unsigned n = node ? LLVMGetMDNodeNumOperands(node) : 0, length;
    bool said = false;

    if (n < 2)
        return false;
    ops = ls_arena_alloc(cc->arena, n * sizeof(*ops));
    LLVMGetMDNodeOperands(node, ops);
    for (unsigned i = 1; i < n && !said; i++) {
        unsigned n_parts = ops[i] && LLVMIsAMDNode(ops[i]) ? LLVMGetMDNodeNumOperands(ops[i]) : 0;
        const char *text;

        if (!n_parts)
            continue;
        name = ls_arena_alloc(cc->arena, n_parts * sizeof(*name));
        LLVMGetMDNodeOperands(ops[i], name);
        text = name[0] ? LLVMGetMDString(name[0], &length) : NULL;
        said = text && length >= strlen(word) && !memcmp(text, word, strlen(word));
    }
    return said;
}

void
ls_ir_add_loop_word(struct ls_cc *cc, LLVMValueRef latch, const char *word, unsigned number)
{
    unsigned kind = ls_ir_md_kind(cc, "llvm.loop"), n, n_old = 1;
    LLVMValueRef old = LLVMGetMetadata(latch, kind), *ops = NULL;
    LLVMMetadataRef self = LLVMTemporaryMDNode(cc->llvm, NULL, 0), parts[2], *list, node;

    if (old) {
        n_old = LLVMGetMDNodeNumOperands(old);
        ops = ls_arena_alloc(cc->arena, n_old * sizeof(LLVMValueRef));
        LLVMGetMDNodeOperands(old, ops);
    }
    list = ls_arena_alloc(cc->arena, (n_old + 1) * sizeof(LLVMMetadataRef));
    list[0] = self;
    for (n = 1; n < n_old; n++)
        list[n] = LLVMValueAsMetadata(ops[n]);
    parts[0] = LLVMMDStringInContext2(cc->llvm, word, strlen(word));
    parts[1] = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(cc->llvm), number, false));
    list[n++] = LLVMMDNodeInContext2(cc->llvm, parts, number ? 2 : 1);
    node = LLVMMDNodeInContext2(cc->llvm, list, n);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(latch, kind, LLVMMetadataAsValue(cc->llvm, node));
}

void
ls_ir_set_unrolling(struct ls_cc *cc, LLVMValueRef latch, unsigned count)
{
    static const char *const what[] = {"llvm.loop.unroll.full", "llvm.loop.unroll.disable",
                                       "llvm.loop.unroll.count"};

    ls_ir_add_loop_word(cc, latch, what[count < 2 ? count : 2], count < 2 ? 0 : count);
}

static bool
mark_loops(struct ls_cc *cc, LLVMValueRef fn)
{
    struct ls_cfg *cfg;
    bool found = false;

    if (LLVMIsDeclaration(fn) || LLVMCountBasicBlocks(fn) > MAX_BLOCKS)
        return false;
    cfg = ls_cfg_build(cc->arena, fn);
    for (unsigned l = 0; l < cfg->n_loops && !cfg->irreducible; l++)
        found |= is_stepped(cfg, cfg->loops[l]);
    for (unsigned l = 0; l < cfg->n_loops && found; l++)
        if (!is_stepped(cfg, cfg->loops[l]) && cfg->loops[l]->latch != LS_NO_BLOCK)
            ls_ir_set_unrolling(cc, cfg->blocks[cfg->loops[l]->latch].term, 1);
    return found && !cfg->irreducible;
}

bool
ls_ir_unroll_steps(struct ls_cc *cc, bool *changed)
{
    LLVMValueRef fn = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    unsigned n = LLVMCountBasicBlocks(fn);

    *changed = false;
    if (cc->n_warps < 2 || !mark_loops(cc, fn))
        return true;
    if (!ls_ir_run_passes(cc, NULL, "function(loop-simplify,lcssa,loop(loop-unroll-full))"))
        return false;
    fn = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    *changed = LLVMCountBasicBlocks(fn) != n;
    return true;
}
