/* SPDX-License-Identifier: MIT */
/* Who runs a block together, as a mask in a register: at a branch where lanes part, those that are
 * there vote on who goes where. A warp's operations name that mask, so that the hardware waits for
 * all of them, as AMD's hardware does by itself. Where lanes come together from several sides, but
 * not all that had parted, nobody can know in front who will come. If that is asked there, control
 * flow is made one of nested regions first (ptx.c), as it is for AMD's hardware. */
#include "ptx/ptx_priv.h"

#define ALL_LANES 0xffffffffu

static LLVMValueRef mask_at(struct ls_ptx *p, unsigned block);

/* Who is at the builder's place now. */
static LLVMValueRef
who_is_here(struct ls_ptx *p)
{
    return ls_ptx_asm(p, p->i32, "activemask.b32 $0;", "=r", NULL, 0, true);
}

static LLVMBasicBlockRef
block_of(struct ls_ptx *p, unsigned block)
{
    return p->warp->shapes->cfg->blocks[block].bb;
}

static bool
is_with_all(struct ls_ptx *p, unsigned block)
{
    return block != LS_NO_BLOCK && p->is_entry && p->cc->whole_warps &&
           p->warp->blocks[block].mask_rep == 0;
}

/* In front of what the vote on a block's branch is made. Where all lanes of the warp are there, and
 * were when the condition was made in front of a loop that the branch is in: there, once. */
static LLVMValueRef
place_of_vote(struct ls_ptx *p, unsigned block, LLVMValueRef branch)
{
    const struct ls_cfg *cfg = p->warp->shapes->cfg;
    LLVMValueRef cond = LLVMGetCondition(branch), at;
    unsigned made =
        LLVMIsAInstruction(cond) ? ls_cfg_number(cfg, LLVMGetInstructionParent(cond)) : LS_NO_BLOCK;

    if (!is_with_all(p, block) || !is_with_all(p, made) || !cfg->blocks[block].loop ||
        ls_loop_has(cfg->blocks[block].loop, made))
        return branch;
    for (at = LLVMGetNextInstruction(cond); LLVMIsAPHINode(at); at = LLVMGetNextInstruction(at))
        continue;
    return at;
}

/* Lanes that go from `from` to `to`: voted on by all that are in `from`. */
static LLVMValueRef
mask_of_edge(struct ls_ptx *p, unsigned from, unsigned to)
{
    const struct ls_cfg_block *b = &p->warp->shapes->cfg->blocks[from];
    LLVMValueRef term = LLVMGetBasicBlockTerminator(b->bb), mask = mask_at(p, from), args[2];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(p->b);
    LLVMValueRef at = p->at, result;

    if (!p->warp->blocks[from].divergent || b->n_succs < 2 || b->succs[0] == b->succs[1])
        return mask;
    LLVMPositionBuilderBefore(p->b, place_of_vote(p, from, term));
    args[0] = mask;
    args[1] = LLVMGetCondition(term);
    if (b->succs[0] != to)
        args[1] = LLVMBuildNot(p->b, args[1], "");
    result = ls_ptx_nvvm(p, "llvm.nvvm.vote.ballot.sync", args, 2);
    if (at)
        LLVMPositionBuilderBefore(p->b, at);
    else
        LLVMPositionBuilderAtEnd(p->b, here);
    return result;
}

static bool
is_header(const struct ls_cfg *cfg, unsigned block)
{
    for (unsigned i = 0; i < cfg->blocks[block].n_preds; i++)
        if (cfg->blocks[block].preds[i] >= block)
            return true;
    return false;
}

/* Of a block that has a mask of its own. */
static LLVMValueRef
make_mask(struct ls_ptx *p, unsigned block)
{
    const struct ls_cfg *cfg = p->warp->shapes->cfg;
    const struct ls_cfg_block *b = &cfg->blocks[block];
    LLVMBuilderRef b2;
    LLVMValueRef phi, first;

    if (block == 0 && !p->is_entry)
        return p->masks[0] = LLVMGetParam(p->fn, LLVMCountParams(p->fn) - 1);
    if (block == 0 && p->cc->whole_warps)
        return p->masks[0] = ls_ptx_int(p, ALL_LANES);
    if (b->n_preds == 1)
        return p->masks[block] = mask_of_edge(p, b->preds[0], block);
    b2 = LLVMCreateBuilderInContext(p->cc->llvm);
    first = LLVMGetFirstInstruction(b->bb);
    if (block == 0 || !is_header(cfg, block) || b->n_preds != 2) {
        LLVMBuilderRef old = p->b;

        while (LLVMIsAPHINode(first))
            first = LLVMGetNextInstruction(first);
        LLVMPositionBuilderBefore(b2, first);
        p->b = b2;
        p->masks[block] = who_is_here(p);
        p->b = old;
        LLVMDisposeBuilder(b2);
        return p->masks[block];
    }
    LLVMPositionBuilderBefore(b2, first);
    phi = p->masks[block] = LLVMBuildPhi(b2, p->i32, "mask");
    LLVMDisposeBuilder(b2);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef in = mask_of_edge(p, b->preds[i], block);
        LLVMBasicBlockRef from = block_of(p, b->preds[i]);

        LLVMAddIncoming(phi, &in, &from, 1);
    }
    return phi;
}

static LLVMValueRef
mask_at(struct ls_ptx *p, unsigned block)
{
    unsigned rep = p->warp->blocks[block].mask_rep;

    if (!ls_cfg_dominates(p->warp->shapes->cfg, rep, block))
        rep = block;
    return p->masks[rep] ? p->masks[rep] : make_mask(p, rep);
}

static unsigned
builders_block(struct ls_ptx *p)
{
    return ls_cfg_number(p->warp->shapes->cfg, LLVMGetInsertBlock(p->b));
}

bool
ls_ptx_is_whole(struct ls_ptx *p)
{
    unsigned block = builders_block(p);

    return p->is_entry && block != LS_NO_BLOCK && p->warp->blocks[block].mask_rep == 0;
}

LLVMValueRef
ls_ptx_mask(struct ls_ptx *p)
{
    unsigned block = builders_block(p);

    return block != LS_NO_BLOCK ? mask_at(p, block) : ls_ptx_int(p, ALL_LANES); /* never run */
}

/* ---- Whether it can be known ---- */

/* Lanes that take the edge may do so in different iterations of a loop. */
static bool
leaves_one_by_one(const struct ls_linear *warp, unsigned from, unsigned to)
{
    for (struct ls_loop *l = warp->shapes->cfg->blocks[from].loop; l && !ls_loop_has(l, to);
         l = l->parent)
        if (warp->blocks[l->header].mask_rep == l->header)
            return true;
    return false;
}

/* Goes the way of mask_at; *seen: by block. */
static bool
is_known(const struct ls_linear *warp, unsigned block, bool *seen)
{
    const struct ls_cfg *cfg = warp->shapes->cfg;
    const struct ls_cfg_block *b;
    unsigned rep = warp->blocks[block].mask_rep;

    if (!ls_cfg_dominates(cfg, rep, block))
        rep = block;
    if (rep == 0 || seen[rep])
        return true;
    seen[rep] = true;
    b = &cfg->blocks[rep];
    if (b->n_preds == 1)
        return !leaves_one_by_one(warp, b->preds[0], rep) && is_known(warp, b->preds[0], seen);
    return is_header(cfg, rep) && b->n_preds == 2 && is_known(warp, b->preds[0], seen) &&
           is_known(warp, b->preds[1], seen);
}

bool
ls_ptx_mask_is_known(struct ls_ptx *p, unsigned block, bool *seen)
{
    return is_known(p->warp, block, seen);
}
