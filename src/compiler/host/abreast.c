/* SPDX-License-Identifier: MIT */
/* Warps abreast. A sum over a column (`for (k = 0; k < n; k++) s += a[row * n + k] * b[k * n +
 * col]`) walks down memory as far as the loop goes, for each warp once more: of what the cache
 * brings each warp takes a part, waits for its own sum in each iteration, and by the next warp the
 * columns are gone. In code for whole blocks all warps run the loop equally often: so it is turned
 * inside out. Some warps go through it together, each instruction for all of them; what is the same
 * for all, a column that they share, is read once. Warps of a block have no order between barriers,
 * so that what one stores and another reads may change places. */
#include "host/whole.h"

#include <llvm-c/DebugInfo.h>

#include "analysis/cfg.h"
#include "base/isa.h"
#include "compiler/ir/ir.h"

enum {
    MOST_TRIPS = 64,  /* warps of a block */
    MOST_ABREAST = 8, /* of them in one iteration */
    MOST_CODE = 800,  /* instructions of the loop, for all of these */
    MOST_BLOCKS = 12, /* of the loop over warps */
};

/* A loop over warps and those in it, of one block each. */
struct nest {
    struct ls_cc *cc;
    const struct ls_cfg *cfg;
    const struct ls_loop *warps;
    LLVMValueRef number;      /* the phi that counts warps, by one from `first` on */
    unsigned first, trips;
    struct ls_ptrmap varying; /* what depends on it */
    unsigned abreast;
};

static bool
varies(const struct nest *n, LLVMValueRef v)
{
    return ls_ptrmap_get(&n->varying, v) != NULL;
}

static LLVMBasicBlockRef
block_of(const struct nest *n, unsigned b)
{
    return n->cfg->blocks[b].bb;
}

/* ---- Is it such a nest? ---- */

/* Whether the exit is taken behind warp `number`. -1: that hangs on something else. */
static int
leaves(const struct nest *n, LLVMValueRef next, uint64_t number)
{
    const struct ls_cfg_block *latch = &n->cfg->blocks[n->warps->latch];
    LLVMValueRef c = LLVMGetCondition(latch->term), limit;
    uint64_t with;
    bool yes;

    if (!LLVMIsAICmpInst(c) || !LLVMIsAConstantInt(limit = LLVMGetOperand(c, 1)) ||
        (LLVMGetOperand(c, 0) != n->number && LLVMGetOperand(c, 0) != next))
        return -1;
    with = LLVMConstIntGetZExtValue(limit);
    number += LLVMGetOperand(c, 0) == next;
    switch (LLVMGetICmpPredicate(c)) {
    case LLVMIntEQ:
        yes = number == with;
        break;
    case LLVMIntNE:
        yes = number != with;
        break;
    case LLVMIntULT:
        yes = number < with;
        break;
    case LLVMIntUGT:
        yes = number > with;
        break;
    default:
        return -1;
    }
    return yes != (LLVMGetSuccessor(latch->term, 0) == block_of(n, n->warps->header));
}

/* Reads the loop over warps: one phi, a number that is known all along. */
static bool
count_warps(struct nest *n)
{
    const struct ls_cfg_block *head = &n->cfg->blocks[n->warps->header],
                              *latch = &n->cfg->blocks[n->warps->latch];
    LLVMValueRef phi = LLVMGetFirstInstruction(head->bb), start, next;

    if (!LLVMIsAPHINode(phi) || LLVMIsAPHINode(LLVMGetNextInstruction(phi)) ||
        head->n_preds != 2 || latch->n_succs != 2 ||
        LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind)
        return false;
    n->number = phi;
    next = ls_ir_incoming(phi, latch->bb);
    start = ls_ir_incoming(phi, block_of(n, head->preds[head->preds[0] == n->warps->latch]));
    if (!LLVMIsAConstantInt(start) || !LLVMIsAInstruction(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1)) != 1)
        return false;
    n->first = (unsigned)LLVMConstIntGetZExtValue(start);
    if (n->first > MOST_TRIPS)
        return false;
    for (n->trips = 1; n->trips <= MOST_TRIPS; n->trips++) {
        int left = leaves(n, next, n->first + n->trips - 1);

        if (left)
            return left > 0 && n->trips > 1;
    }
    return false;
}

static bool
is_inner(const struct nest *n, unsigned b)
{
    return n->cfg->blocks[b].loop != n->warps;
}

static bool
reads_memory(LLVMValueRef i)
{
    return !LLVMIsAStoreInst(i) && !ls_ir_leaves_memory(i);
}

/* Whether an instruction may be done for several warps in a row. */
static bool
fits(LLVMValueRef i)
{
    bool stores = LLVMIsAStoreInst(i) || ls_ir_calls(i, "llvm.masked.store.");

    if (LLVMIsACallInst(i) && !ls_ir_calls(i, "llvm."))
        return false;
    if (stores || LLVMIsALoadInst(i) || ls_ir_calls(i, "llvm.masked.load."))
        return (LLVMIsACallInst(i) || (!LLVMGetVolatile(i) && LLVMGetOrdering(i) ==
                                                                  LLVMAtomicOrderingNotAtomic)) &&
               !LLVMIsAAllocaInst( /* which all warps have in turn */
                   ls_ir_object_of(LLVMGetOperand(i, stores ? 1 : 0)));
    return ls_ir_leaves_memory(i) && !LLVMIsAAllocaInst(i);
}

/* What depends on the number of the warp, also by way of the inner loop. */
static void
find_varying(struct nest *n)
{
    bool more = true;

    ls_ptrmap_init(&n->varying, n->cc->arena);
    ls_ptrmap_set(&n->varying, n->number, n);
    while (more) {
        more = false;
        for (unsigned b = n->warps->header; b < n->warps->end; b++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(block_of(n, b)); i;
                 i = LLVMGetNextInstruction(i)) {
                bool is_phi = LLVMIsAPHINode(i) != NULL;
                unsigned ops = is_phi ? LLVMCountIncoming(i) : (unsigned)LLVMGetNumOperands(i);

                /* What is read behind a store may be what this warp stored. */
                bool found = reads_memory(i) && !is_inner(n, b);

                if (varies(n, i) || LLVMIsATerminatorInst(i))
                    continue;
                for (unsigned k = 0; k < ops && !found; k++)
                    found = varies(n, is_phi ? LLVMGetIncomingValue(i, k) : LLVMGetOperand(i, k));
                if (found) {
                    ls_ptrmap_set(&n->varying, i, n);
                    more = true;
                }
            }
    }
}

/* Whether all goes one way for all warps, and nobody else sees what these blocks make. */
static bool
is_even(const struct nest *n)
{
    for (unsigned b = n->warps->header; b < n->warps->end; b++) {
        const struct ls_cfg_block *blk = &n->cfg->blocks[b];

        if (!LLVMIsABranchInst(blk->term) ||
            (b != n->warps->latch && blk->n_succs == 2 && varies(n, LLVMGetCondition(blk->term))))
            return false;
        for (unsigned s = 0; s < blk->n_succs; s++)
            if (!ls_loop_has(n->warps, blk->succs[s]) &&
                (b != n->warps->latch ||
                 LLVMIsAPHINode(LLVMGetFirstInstruction(block_of(n, blk->succs[s])))))
                return false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(blk->bb); i; i = LLVMGetNextInstruction(i)) {
            if (i != blk->term && !fits(i))
                return false;
            for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
                unsigned at = ls_cfg_number(n->cfg, LLVMGetInstructionParent(LLVMGetUser(u)));

                if (at == LS_NO_BLOCK || !ls_loop_has(n->warps, at))
                    return false;
            }
        }
    }
    return true;
}

/* Whether a loop adds up vectors that it reads: bits of the sums; 0: no, and -1: it does what must
 * not be done for several warps at once. */
static long long
bits_of_sums(const struct nest *n, LLVMBasicBlockRef bb)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(n->cc->mod);
    long long bits = 0;
    bool reads = false;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        bool is_vector = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind;

        if (!LLVMIsALoadInst(i) && !ls_ir_calls(i, "llvm.masked.load.") && !ls_ir_leaves_memory(i))
            return -1;
        if (LLVMIsAPHINode(i) && is_vector && varies(n, i))
            bits += (long long)LLVMSizeOfTypeInBits(layout, LLVMTypeOf(i));
        if (!is_vector || ls_ir_leaves_memory(i))
            continue;
        /* Each lane on a row of its own: more rows at once than a processor foresees. */
        if (2 * LLVMGetVectorSize(LLVMTypeOf(i)) < n->cc->n_lanes)
            return -1;
        reads = true;
    }
    return reads ? bits : 0;
}

/* Whether there are sums, and how many warps fit. */
static bool
is_worth_it(struct nest *n)
{
    unsigned long long bits = 0;
    unsigned size = 0;

    for (unsigned b = n->warps->header; b < n->warps->end; b++) {
        long long of = is_inner(n, b) ? bits_of_sums(n, block_of(n, b)) : 0;

        if (of < 0)
            return false;
        bits = (unsigned long long)of > bits ? (unsigned long long)of : bits;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block_of(n, b)); i && is_inner(n, b);
             i = LLVMGetNextInstruction(i))
            size++;
    }
    if (!bits)
        return false;
    n->abreast = MOST_ABREAST;
    while (n->abreast > 1 &&
           (n->trips % n->abreast || size * n->abreast > MOST_CODE ||
            bits * n->abreast >
                (unsigned long long)n->cc->isa->n_registers * n->cc->isa->vector_bits * 5 / 8))
        n->abreast--;
    return n->abreast > 1;
}

/* ---- The change ---- */

static LLVMValueRef
copied(const struct ls_ptrmap *map, LLVMValueRef v)
{
    LLVMValueRef copy = ls_ptrmap_get(map, v);

    return copy ? copy : v;
}

static LLVMValueRef
copy_of(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef copy = LLVMIsAPHINode(i) ? LLVMBuildPhi(b, LLVMTypeOf(i), "")
                                          : LLVMInstructionClone(i);

    if (LLVMIsAPHINode(i)) {
        if (LLVMCanValueUseFastMathFlags(i))
            LLVMSetFastMathFlags(copy, LLVMGetFastMathFlags(i));
        return copy;
    }
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(copy));
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

static void
fill_in(LLVMValueRef copy, LLVMValueRef i, const struct ls_ptrmap *map)
{
    for (unsigned k = 0; LLVMIsAPHINode(i) && k < LLVMCountIncoming(i); k++) {
        LLVMValueRef in = copied(map, LLVMGetIncomingValue(i, k));
        LLVMBasicBlockRef from = LLVMValueAsBasicBlock(
            copied(map, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(i, k))));

        LLVMAddIncoming(copy, &in, &from, 1);
    }
    for (int k = 0, ops = LLVMIsAPHINode(i) ? 0 : LLVMGetNumOperands(i); k < ops; k++)
        LLVMSetOperand(copy, (unsigned)k, copied(map, LLVMGetOperand(i, (unsigned)k)));
}

/* Makes the loop over groups of warps, to which whoever came to the old one goes. */
static void
change(struct nest *n)
{
    const struct ls_cfg_block *head = &n->cfg->blocks[n->warps->header],
                              *latch = &n->cfg->blocks[n->warps->latch];
    LLVMBasicBlockRef before = block_of(n, head->preds[head->preds[0] == n->warps->latch]);
    LLVMTypeRef type = LLVMTypeOf(n->number);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(n->cc->llvm);
    struct ls_ptrmap maps[MOST_ABREAST];
    LLVMValueRef group = NULL, numbers[2], term = LLVMGetBasicBlockTerminator(before), left;
    LLVMBasicBlockRef from[2], out;

    for (unsigned k = 0; k < n->abreast; k++)
        ls_ptrmap_init(&maps[k], n->cc->arena);
    for (unsigned i = n->warps->header; i < n->warps->end; i++) {
        LLVMBasicBlockRef bb =
            LLVMInsertBasicBlockInContext(n->cc->llvm, head->bb, "abreast");

        for (unsigned k = 0; k < n->abreast; k++)
            ls_ptrmap_set(&maps[k], LLVMBasicBlockAsValue(block_of(n, i)),
                          LLVMBasicBlockAsValue(bb));
    }
    for (unsigned i = n->warps->header; i < n->warps->end; i++) {
        LLVMBasicBlockRef of = block_of(n, i);
        LLVMValueRef v = LLVMGetFirstInstruction(of);

        LLVMPositionBuilderAtEnd(
            b, LLVMValueAsBasicBlock(copied(&maps[0], LLVMBasicBlockAsValue(of))));
        if (i == n->warps->header) {
            group = LLVMBuildPhi(b, type, "group");
            for (unsigned k = 0; k < n->abreast; k++)
                ls_ptrmap_set(
                    &maps[k], v,
                    k ? LLVMBuildNUWAdd(b, group, LLVMConstInt(type, k, false), "") : group);
            v = LLVMGetNextInstruction(v);
        }
        for (; v; v = LLVMGetNextInstruction(v)) {
            bool once = !varies(n, v);

            if (v == latch->term)
                continue;
            for (unsigned k = 0; k < n->abreast; k++) {
                LLVMValueRef copy = k && once ? copied(&maps[0], v) : copy_of(b, v);

                ls_ptrmap_set(&maps[k], v, copy);
            }
        }
    }
    for (unsigned i = n->warps->header; i < n->warps->end; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(block_of(n, i)); v;
             v = LLVMGetNextInstruction(v))
            for (unsigned k = 0; k < n->abreast && v != n->number && v != latch->term; k++)
                if (!k || varies(n, v))
                    fill_in(copied(&maps[k], v), v, &maps[k]);
    out = block_of(n, latch->succs[latch->succs[0] == n->warps->header]);
    from[0] = before;
    from[1] = LLVMValueAsBasicBlock(copied(&maps[0], LLVMBasicBlockAsValue(latch->bb)));
    LLVMPositionBuilderAtEnd(b, from[1]);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(latch->term));
    numbers[0] = LLVMConstInt(type, n->first, false);
    numbers[1] = LLVMBuildNUWAdd(b, group, LLVMConstInt(type, n->abreast, false), "");
    left = LLVMBuildICmp(b, LLVMIntULT, numbers[1],
                         LLVMConstInt(type, n->first + n->trips, false), "");
    LLVMBuildCondBr(
        b, left,
        LLVMValueAsBasicBlock(copied(&maps[0], LLVMBasicBlockAsValue(head->bb))), out);
    LLVMAddIncoming(group, numbers, from, 2);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(term); s++)
        if (LLVMGetSuccessor(term, s) == head->bb)
            LLVMSetSuccessor(term, s,
                             LLVMValueAsBasicBlock(
                                 copied(&maps[0], LLVMBasicBlockAsValue(head->bb))));
    LLVMDisposeBuilder(b);
    /* Nobody comes to the old one any more. */
    for (unsigned i = n->warps->header; i < n->warps->end; i++)
        for (LLVMValueRef v; (v = LLVMGetLastInstruction(block_of(n, i)));) {
            if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
            LLVMInstructionEraseFromParent(v);
        }
    for (unsigned i = n->warps->header; i < n->warps->end; i++)
        LLVMDeleteBasicBlock(block_of(n, i));
}

/* Whether there are loops inside of one, all of one block. */
static bool
has_small_loops(const struct ls_cfg *cfg, const struct ls_loop *of)
{
    unsigned n = 0;

    for (unsigned i = 0; i < cfg->n_loops; i++) {
        const struct ls_loop *l = cfg->loops[i];

        if (l == of || !ls_loop_has(of, l->header))
            continue;
        if (l->parent != of || l->latch != l->header)
            return false;
        n++;
    }
    return n > 0;
}

bool
ls_whole_abreast(struct ls_cc *cc, LLVMValueRef fn)
{
    const struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);

    for (unsigned i = 0; i < cfg->n_loops && !cfg->irreducible; i++) {
        struct nest n = {.cc = cc, .cfg = cfg, .warps = cfg->loops[i]};

        if (!has_small_loops(cfg, n.warps) || n.warps->latch == LS_NO_BLOCK ||
            n.warps->end - n.warps->header > MOST_BLOCKS || !count_warps(&n))
            continue;
        find_varying(&n);
        if (is_even(&n) && is_worth_it(&n)) {
            change(&n);
            return true; /* what was found of the function is no longer so */
        }
    }
    return false;
}
