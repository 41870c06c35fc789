/* SPDX-License-Identifier: MIT */
/* Loops in which each thread walks over a row of its own, element by element: `for (i = 0; i < n;
 * i++) sum += a[row * n + i]`. Side by side lie the elements of a thread, not those of the threads
 * of a warp. Unrolled, they are accesses to vectors in each lane (lanes/row.c); each by itself
 * would be a gather. */
#include "compiler/ir/prepare_priv.h"

#include "analysis/address.h"
#include "analysis/cfg.h"
#include "target/target.h"

enum {
    ROW_BYTES = 32,   /* that an unrolled iteration walks over */
    MOST_TIMES = 16,  /* iterations in one */
    MAX_BODY = 48,    /* instructions, before */
    MAX_BLOCKS = 256, /* of a function */
    MOST_STEPS = 200, /* when it is asked what a value depends on */
};

/* What a value says of the thread that has it. */
enum lanes {
    LANES_ALIKE,
    LANES_SIDE_BY_SIDE, /* the next thread's is one more */
    LANES_APART,
};

/* Phis tell by what they begin with. */
static enum lanes
lanes_of(LLVMValueRef v, unsigned *steps)
{
    enum lanes worst = LANES_ALIKE;
    int n;

    if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v))
        return LANES_ALIKE;
    if (ls_ir_is_lane(v))
        return LANES_SIDE_BY_SIDE;
    if (++*steps > MOST_STEPS)
        return LANES_ALIKE;
    if (LLVMIsAPHINode(v))
        return lanes_of(LLVMGetIncomingValue(v, 0), steps);
    n = LLVMGetNumOperands(v);
    for (int i = 0; i < n; i++) {
        enum lanes one = lanes_of(LLVMGetOperand(v, (unsigned)i), steps);

        worst = one == LANES_ALIKE ? worst : worst == LANES_ALIKE ? one : LANES_APART;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMOr:
    case LLVMSub:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return worst;
    default:
        return worst == LANES_ALIKE ? LANES_ALIKE : LANES_APART;
    }
}

/* Whether the threads' places are neither one, nor side by side as elements of so many bytes. */
static bool
are_apart(const struct ls_address *a, LLVMValueRef but, int64_t bytes)
{
    unsigned steps = 0;
    bool apart = lanes_of(a->root, &steps) != LANES_ALIKE;

    for (unsigned i = 0; i < a->n_terms; i++) {
        enum lanes lanes = a->terms[i].of == but ? LANES_ALIKE : lanes_of(a->terms[i].of, &steps);

        apart |=
            lanes == LANES_APART || (lanes == LANES_SIDE_BY_SIDE && a->terms[i].times != bytes);
    }
    return apart && steps <= MOST_STEPS;
}

/* What a phi of a loop of one block is at first, and in the next iteration. */
static LLVMValueRef
phi_from(LLVMValueRef phi, bool next)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(phi);

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if ((LLVMGetIncomingBlock(phi, i) == bb) == next)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* Whether a number counts the iterations. */
static bool
counts_one(LLVMValueRef phi)
{
    LLVMValueRef next = phi_from(phi, true);

    return next && LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
           LLVMGetOperand(next, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(next, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1)) == 1;
}

/* Whether an access walks along a row of each thread. */
static bool
walks_a_row(LLVMTargetDataRef layout, LLVMBasicBlockRef bb, LLVMValueRef pointer, int64_t bytes)
{
    struct ls_address a, next, first;
    int64_t step;

    if (!ls_address_read(layout, pointer, &a))
        return false;
    if (LLVMIsAPHINode(a.root) && LLVMGetInstructionParent(a.root) == bb) /* a pointer that grows */
        return ls_address_read(layout, phi_from(a.root, true), &next) && next.root == a.root &&
               next.n_terms == 0 && next.bytes == bytes &&
               ls_address_read(layout, phi_from(a.root, false), &first) &&
               are_apart(&first, NULL, bytes);
    step = 0;
    for (unsigned i = 0; i < a.n_terms; i++) {
        LLVMValueRef of = a.terms[i].of;

        if (LLVMIsAInstruction(of) && LLVMGetInstructionParent(of) == bb) {
            if (step || !LLVMIsAPHINode(of) || !counts_one(of) || a.terms[i].times != bytes)
                return false;
            step = bytes;
            if (!are_apart(&a, of, bytes))
                return false;
        }
    }
    return step != 0;
}

/* How often to unroll a loop of one block: 1: not. */
static unsigned
times_of(struct ls_cc *cc, LLVMBasicBlockRef bb)
{
    unsigned n = 0, times = 1;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        bool is_store = LLVMIsAStoreInst(i);
        LLVMTypeRef type;
        uint64_t bytes;

        if (++n > MAX_BODY)
            return 1;
        if (ls_ir_leaves_memory(i))
            continue;
        if ((!is_store && !LLVMIsALoadInst(i)) || LLVMGetVolatile(i) ||
            LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
            return 1;
        type = LLVMTypeOf(is_store ? LLVMGetOperand(i, 0) : i);
        bytes = LLVMStoreSizeOfType(cc->device.layout, type);
        if (bytes && bytes <= 8 && ROW_BYTES / bytes > times &&
            walks_a_row(cc->device.layout, bb, LLVMGetOperand(i, is_store ? 1 : 0), (int64_t)bytes))
            times = (unsigned)(ROW_BYTES / bytes);
    }
    return times < MOST_TIMES ? times : MOST_TIMES;
}

bool
ls_ir_unroll_rows(struct ls_cc *cc, bool *changed)
{
    LLVMValueRef fn = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);
    struct ls_cfg *cfg;

    *changed = false;
    if (cc->target->keeps_threads || cc->n_lanes < 2 || cc->opt->checks ||
        LLVMCountBasicBlocks(fn) > MAX_BLOCKS)
        return true;
    cfg = ls_cfg_build(cc->arena, fn);
    for (unsigned l = 0; l < cfg->n_loops && !cfg->irreducible; l++) {
        const struct ls_loop *loop = cfg->loops[l];
        unsigned times;

        if (loop->latch != loop->header ||
            ls_ir_loop_says(cc, cfg->blocks[loop->latch].term, "llvm.loop.unroll"))
            continue;
        times = times_of(cc, cfg->blocks[loop->header].bb);
        if (times == 1)
            continue;
        ls_ir_set_unrolling(cc, cfg->blocks[loop->latch].term, times);
        *changed = true;
    }
    return !*changed ||
           ls_ir_run_passes(cc, NULL,
                            "function(loop-simplify,lcssa,loop-unroll<O2;no-partial;no-runtime;"
                            "no-peeling;no-upperbound;full-unroll-max=0>)");
}
