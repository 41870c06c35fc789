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
    MAX_BODY = 160,  /* instructions of the iterations that become one, if they are four */
    MAX_TWO = 220,   /* if they are two */
    MAX_WHOLE = 600, /* of a loop that is unrolled whole */
    MAX_WHOLE_OF_PRIVATE = 1200,
};

#define UNROLLED "llvm.loop.unroll.disable" /* which LLVM says of what it has unrolled, too */
#define OWN      "lockstep.loop.own" /* of a loop of which the source says how to unroll it */

/* What a value that the loop counts by is at first, and by what it grows; false: no constants. */
static bool
is_counter(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMValueRef phi, uint64_t *first,
           uint64_t *by)
{
    bool known[2] = {false, false};

    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != cfg->blocks[loop->header].bb ||
        LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64 || LLVMCountIncoming(phi) != 2)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        bool again = ls_loop_has(loop, ls_cfg_number(cfg, LLVMGetIncomingBlock(phi, k)));

        if (again && (!LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMAdd ||
                      LLVMGetOperand(v, 0) != phi))
            return false;
        v = again ? LLVMGetOperand(v, 1) : v;
        if (!LLVMIsAConstantInt(v))
            return false;
        *(again ? by : first) = (uint64_t)LLVMConstIntGetSExtValue(v);
        known[again] = true;
    }
    return known[0] && known[1];
}

/* How often the loop runs, at most, where constants at a branch out of it say so; 0: not known. */
static uint64_t
trips_at(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMValueRef branch)
{
    LLVMValueRef cond = LLVMGetCondition(branch), v, end;
    uint64_t first = 0, by = 0, distance;

    if (!LLVMIsAICmpInst(cond))
        return 0;
    v = LLVMGetOperand(cond, 0);
    end = LLVMGetOperand(cond, 1);
    if (!LLVMIsAConstantInt(end) || LLVMGetIntTypeWidth(LLVMTypeOf(end)) > 64)
        return 0;
    distance = (uint64_t)LLVMConstIntGetSExtValue(end);
    if (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd &&
        LLVMIsAConstantInt(LLVMGetOperand(v, 1))) {
        distance -= (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
        v = LLVMGetOperand(v, 0);
    }
    if (!is_counter(cfg, loop, v, &first, &by) || !by)
        return 0;
    distance -= first;
    if ((int64_t)by < 0) {
        by = -by;
        distance = -distance;
    }
    return distance / by + 1;
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

/* The only branch out of a loop; NULL: there are others, or none. */
static LLVMValueRef
lone_exit(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    LLVMValueRef found = NULL;

    for (unsigned b = loop->header; b < loop->end; b++)
        for (unsigned k = 0; ls_loop_has(loop, b) && k < cfg->blocks[b].n_succs; k++) {
            if (ls_loop_has(loop, cfg->blocks[b].succs[k]))
                continue;
            if (found || !LLVMIsABranchInst(cfg->blocks[b].term) ||
                !LLVMIsConditional(cfg->blocks[b].term))
                return NULL;
            found = cfg->blocks[b].term;
        }
    return found;
}

/* Whether the loop may be unrolled whole: it is known how often it runs, or will be when the one
 * around it is. */
static bool
may_be_whole(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    for (; loop; loop = loop->parent) {
        LLVMValueRef exit = lone_exit(cfg, loop);

        if (exit && trips_at(cfg, loop, exit))
            return true;
    }
    return false;
}

static bool
has_variable_index(LLVMValueRef gep)
{
    for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(gep); k++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(gep, k)))
            return true;
    return false;
}

/* Whether an index stays, whatever is unrolled: then the array is in memory. `v`: it, or a pointer
 * into it. */
static bool
keeps_index(const struct ls_cfg *cfg, LLVMValueRef v)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (LLVMIsAGetElementPtrInst(user) && has_variable_index(user)) {
            unsigned block = ls_cfg_number(cfg, LLVMGetInstructionParent(user));

            if (block != LS_NO_BLOCK && !may_be_whole(cfg, cfg->blocks[block].loop))
                return true;
        }
        if ((LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user)) &&
            keeps_index(cfg, user))
            return true;
    }
    return false;
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
            found |= has_variable_index(i) && !keeps_index(cfg, base);
        }
    return found;
}

/* How often a loop is to be in the code; 1: LLVM decides, 0: until none is left. */
static unsigned
unrolling_of(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop, bool has_inner)
{
    LLVMValueRef exit = lone_exit(cfg, loop), latch = cfg->blocks[loop->latch].term;
    uint64_t trips = exit ? trips_at(cfg, loop, exit) : 0;
    unsigned size;

    if (!exit || (exit != latch && !trips))
        return 1; /* clang leaves such: two iterations, and a way out between them */
    if (trips && indexes_private(cfg, loop, &size) && trips <= MAX_WHOLE_OF_PRIVATE / size)
        return 0;
    size = has_inner ? 0 : size_of(cfg, loop);
    if (!size || (exit == latch && 2 * size > MAX_TWO))
        return 1;
    if (trips && trips <= MAX_WHOLE / size)
        return 0;
    if (exit != latch)
        return 1;
    if (!counts(latch) && 4 * size <= MAX_BODY && ls_ptx_take_four(cc, cfg, loop)) {
        ls_ir_add_loop_word(cc, latch, UNROLLED, 0);
        ls_ir_add_loop_word(cc, latch, OWN, 0);
        return 1;
    }
    if (!counts(latch) && !ls_ptx_count(cc, cfg, loop))
        return 1;
    return 4 * size <= MAX_BODY ? 4 : 2;
}

static void
mark_function(struct ls_cc *cc, LLVMValueRef fn)
{
    const struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);
    bool *has_inner = ls_arena_alloc(cc->arena, cfg->n_loops + 1);
    bool *is_whole = ls_arena_alloc(cc->arena, cfg->n_loops + 1);

    if (cfg->irreducible)
        return;
    for (unsigned l = 0; l < cfg->n_loops; l++)
        for (unsigned o = 0; o < l; o++)
            has_inner[o] |= cfg->loops[l]->parent == cfg->loops[o];
    for (unsigned l = 0; l < cfg->n_loops; l++) {
        LLVMValueRef latch =
            cfg->loops[l]->latch == LS_NO_BLOCK ? NULL : cfg->blocks[cfg->loops[l]->latch].term;
        unsigned n, size;

        if (latch && ls_ir_loop_says(cc, latch, "llvm.loop.unroll")) {
            ls_ir_add_loop_word(cc, latch, OWN, 0);
        } else if (latch) {
            n = unrolling_of(cc, cfg, cfg->loops[l], has_inner[l]);
            for (unsigned o = 0; o < l; o++) /* then it may be known how often this one runs */
                if (is_whole[o] && cfg->loops[l]->parent == cfg->loops[o] &&
                    indexes_private(cfg, cfg->loops[l], &size))
                    n = 0;
            is_whole[l] = n == 0;
            if (n != 1)
                ls_ir_set_unrolling(cc, latch, n);
        }
    }
}

void
ls_ptx_mark_loops(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            mark_function(cc, fn);
}

/* ---- Rests: what is left of a loop that was unrolled by two or four ----
 * LLVM makes a loop of it, which has to count and to add to every address; nvcc has up to three
 * iterations one behind the other, and leaves them early. */

/* Whether a value is the last bits of another. */
static bool
is_rest(LLVMValueRef v)
{
    LLVMValueRef most = LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAnd
                            ? LLVMGetOperand(v, 1)
                            : NULL;

    return most && LLVMIsAConstantInt(most) && LLVMConstIntGetZExtValue(most) <= 3;
}

/* Whether the loop counts up to a rest, or down from it. */
static bool
counts_rest(LLVMValueRef latch)
{
    LLVMValueRef cond = LLVMGetCondition(latch);

    for (unsigned i = 0; LLVMIsAICmpInst(cond) && i < 2; i++) {
        LLVMValueRef v = LLVMGetOperand(cond, i);

        if (is_rest(v))
            return true;
        v = LLVMIsABinaryOperator(v) ? LLVMGetOperand(v, 0) : v;
        for (unsigned k = 0; LLVMIsAPHINode(v) && k < LLVMCountIncoming(v); k++)
            if (is_rest(LLVMGetIncomingValue(v, k)))
                return true;
    }
    return false;
}

/* Whether the loop is such a rest, and short. */
static bool
is_short_rest(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    LLVMValueRef latch = lone_exit(cfg, loop);
    unsigned size;

    if (!latch || latch != cfg->blocks[loop->latch].term || !ls_ir_loop_says(cc, latch, UNROLLED) ||
        !counts(latch) || !counts_rest(latch))
        return false;
    size = size_of(cfg, loop);
    return size && 3 * size <= MAX_BODY;
}

bool
ls_ptx_open_rests(struct ls_cc *cc)
{
    bool any = false;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        const struct ls_cfg *cfg = LLVMIsDeclaration(fn) ? NULL : ls_cfg_build(cc->arena, fn);

        for (unsigned l = 0; cfg && !cfg->irreducible && l < cfg->n_loops; l++) {
            const struct ls_loop *loop = cfg->loops[l];
            LLVMValueRef latch = loop->latch == LS_NO_BLOCK ? NULL : cfg->blocks[loop->latch].term;

            if (!latch)
                continue;
            if (is_short_rest(cc, cfg, loop)) {
                LLVMSetMetadata(latch, ls_ir_md_kind(cc, "llvm.loop"), NULL);
                any = true;
            } else if (!ls_ir_loop_says(cc, latch, "llvm.loop.unroll")) {
                ls_ir_add_loop_word(cc, latch, UNROLLED, 0); /* LLVM has left it, and is to */
            }
        }
    }
    return !any ||
           (ls_ir_run_passes(cc, cc->host.tm,
                             "function(loop-simplify,lcssa,loop-unroll<O2;no-partial;no-runtime;"
                             "no-peeling;upperbound>,simplifycfg)") &&
            ls_ir_run_passes(cc, cc->host.tm, "function(instcombine<no-verify-fixpoint>)"));
}

/* ---- Loops that the driver's assembler unrolls ----
 * It does so on its own account, if the branch at the end goes back where it is taken, and nothing
 * forbids it, as LLVM does of what it has unrolled: an iteration of four is still too short to hide
 * the time that memory takes. Rests stay as they are. */

/* Has the branch go back where its condition holds. */
static void
turn(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef latch, LLVMBasicBlockRef header)
{
    LLVMValueRef cond = LLVMGetCondition(latch), not ;

    if (LLVMGetSuccessor(latch, 1) != header || LLVMGetSuccessor(latch, 0) == header)
        return;
    LLVMPositionBuilderBefore(b, latch);
    if (LLVMIsAICmpInst(cond))
        not = LLVMBuildICmp(b, ls_ir_opposite(LLVMGetICmpPredicate(cond)), LLVMGetOperand(cond, 0),
                            LLVMGetOperand(cond, 1), "");
    else if (LLVMIsAFCmpInst(cond)) /* the bits of a predicate: which outcomes it is true for */
        not = LLVMBuildFCmp(b, LLVMGetFCmpPredicate(cond) ^ LLVMRealPredicateTrue,
                            LLVMGetOperand(cond, 0), LLVMGetOperand(cond, 1), "");
    else
        not = LLVMBuildXor(b, cond, LLVMConstInt(LLVMInt1TypeInContext(cc->llvm), 1, false), "");
    LLVMSetCondition(latch, not );
    LLVMSetSuccessor(latch, 1, LLVMGetSuccessor(latch, 0));
    LLVMSetSuccessor(latch, 0, header);
    if (LLVMIsAInstruction(cond) && !LLVMGetFirstUse(cond))
        LLVMInstructionEraseFromParent(cond);
}

void
ls_ptx_turn_loops(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        const struct ls_cfg *cfg = LLVMIsDeclaration(fn) ? NULL : ls_cfg_build(cc->arena, fn);

        for (unsigned l = 0; cfg && !cfg->irreducible && l < cfg->n_loops; l++) {
            const struct ls_loop *loop = cfg->loops[l];
            LLVMValueRef latch = loop->latch == LS_NO_BLOCK ? NULL : cfg->blocks[loop->latch].term;

            if (!latch || !LLVMIsABranchInst(latch) || !LLVMIsConditional(latch))
                continue;
            if (!ls_ir_loop_says(cc, latch, OWN) && !counts_rest(latch))
                LLVMSetMetadata(latch, ls_ir_md_kind(cc, "llvm.loop"), NULL);
            turn(cc, b, latch, cfg->blocks[loop->header].bb);
        }
    }
    LLVMDisposeBuilder(b);
}
