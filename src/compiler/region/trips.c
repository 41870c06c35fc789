/* SPDX-License-Identifier: MIT */
/* Iterations that all lanes of a warp run.
 *
 * In `for (i = thread; i < n; i += threads)` lanes leave at different times, if n is no multiple of
 * the warp; so the loop's body has masks, in each iteration, where at most the last one needs them.
 * Here the loop is made twice: in front of it comes one that goes on while the lane that leaves
 * first stays, which is the same for all lanes, and what is left goes on from there:
 *
 *     for (i = thread; the last lane's i < n; i += threads) body     without masks
 *     for (; i < n; i += threads) body                               as before
 *
 * Where no lane is left for the second, as the one that would stay longest says, it is skipped.
 * Without masks all that lies between the lanes may be read, too (lanes/window.c). What all lanes
 * did together they still do together: an operation between lanes means the same. */
#include "compiler/region/region_priv.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "analysis/address.h"
#include "analysis/cfg.h"
#include "analysis/shape_priv.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "intrin/intrinsics.h"

enum {
    MAX_SIZE = 300,     /* instructions of a loop that is made twice */
    MAX_ALL = 900,      /* of all such loops */
    MAX_PHIS = 16,      /* values that an iteration hands to the next */
    MAX_PREHEADER = 40, /* instructions between the loop and the test in front of it */
    MAX_ASKED = 4,      /* addresses of the next block that are asked for */
    MAX_DEPTH = 12,     /* of an address */
    MAX_OPERANDS = 8,   /* of an instruction in an address */
    NEAR_BYTES = 16384, /* the next block is asked for if its memory is so near */
};

/* A phi that is in no block any more. It stays until all is done, as a new one in its memory would
 * be taken for it. */
struct gone {
    struct gone *next;
    LLVMValueRef phi;
};

struct trip {
    struct ls_cc *cc;
    struct ls_ptrmap *moved; /* phis that were made anew for another loop: old -> new */
    struct gone **gone;      /* these old ones */
    const struct ls_shapes *shapes;
    const struct ls_cfg *cfg;
    const struct ls_loop *loop;
    LLVMBasicBlockRef head, latch, before; /* before: what only goes to the loop */
    LLVMBasicBlockRef guard, exit, join;   /* guard: goes to `before` or to join, exit to join */
    LLVMValueRef phis[MAX_PHIS], start[MAX_PHIS], next[MAX_PHIS], now[MAX_PHIS];
    unsigned n_phis, size;
    unsigned index; /* the phi that is compared */
    LLVMValueRef limit;
    LLVMIntPredicate pred; /* lanes stay while index PRED limit */
    /* The lane that leaves last, and how far that is from the one that leaves first. */
    unsigned lane;
    uint64_t spread;
    LLVMBuilderRef b;
    struct ls_ptrmap map;
};

static LLVMIntPredicate
inverse(LLVMIntPredicate pred)
{
    return pred == LLVMIntULT   ? LLVMIntUGE
           : pred == LLVMIntUGE ? LLVMIntULT
           : pred == LLVMIntULE ? LLVMIntUGT
           : pred == LLVMIntUGT ? LLVMIntULE
           : pred == LLVMIntSLT ? LLVMIntSGE
           : pred == LLVMIntSGE ? LLVMIntSLT
           : pred == LLVMIntSLE ? LLVMIntSGT
           : pred == LLVMIntSGT ? LLVMIntSLE
                                : LLVMIntEQ;
}

static LLVMIntPredicate
swapped(LLVMIntPredicate pred)
{
    return pred == LLVMIntULT   ? LLVMIntUGT
           : pred == LLVMIntUGT ? LLVMIntULT
           : pred == LLVMIntULE ? LLVMIntUGE
           : pred == LLVMIntUGE ? LLVMIntULE
           : pred == LLVMIntSLT ? LLVMIntSGT
           : pred == LLVMIntSGT ? LLVMIntSLT
           : pred == LLVMIntSLE ? LLVMIntSGE
           : pred == LLVMIntSGE ? LLVMIntSLE
                                : LLVMIntEQ;
}

static bool
is_inside(const struct trip *t, LLVMValueRef v)
{
    unsigned b =
        LLVMIsAInstruction(v) ? ls_cfg_number(t->cfg, LLVMGetInstructionParent(v)) : LS_NO_BLOCK;

    return b != LS_NO_BLOCK && ls_loop_has(t->loop, b);
}

/* A branch that goes to `to` while x PRED limit, as which it is read. */
static bool
read_test(LLVMValueRef branch, LLVMBasicBlockRef to, LLVMValueRef x, LLVMIntPredicate *pred,
          LLVMValueRef *limit)
{
    LLVMValueRef c = LLVMGetCondition(branch);
    unsigned side;

    if (!LLVMIsAICmpInst(c))
        return false;
    side = LLVMGetOperand(c, 0) == x ? 0 : 1;
    if (LLVMGetOperand(c, side) != x)
        return false;
    *limit = LLVMGetOperand(c, 1 - side);
    *pred = LLVMGetICmpPredicate(c);
    if (side == 1)
        *pred = swapped(*pred);
    if (LLVMGetSuccessor(branch, 0) != to)
        *pred = inverse(*pred);
    return *pred != LLVMIntEQ && *pred != LLVMIntNE;
}

/* ---- Is it such a loop? ---- */

static bool
find_blocks(struct trip *t)
{
    const struct ls_cfg_block *head = &t->cfg->blocks[t->loop->header], *latch, *before, *guard;
    unsigned outside;

    if (t->loop->latch == LS_NO_BLOCK || head->n_preds != 2)
        return false;
    latch = &t->cfg->blocks[t->loop->latch];
    before = &t->cfg->blocks[head->preds[head->preds[0] == t->loop->latch]];
    if (latch->n_succs != 2 || before->n_succs != 1 || before->n_preds != 1)
        return false;
    guard = &t->cfg->blocks[before->preds[0]];
    outside = latch->succs[latch->succs[0] == t->loop->header];
    if (guard->n_succs != 2 || guard->succs[0] == guard->succs[1] ||
        ls_loop_has(t->loop, outside) || t->cfg->blocks[outside].n_preds != 1 ||
        t->cfg->blocks[outside].n_succs != 1 || guard->loop != t->loop->parent)
        return false;
    t->head = head->bb;
    t->latch = latch->bb;
    t->before = before->bb;
    t->guard = guard->bb;
    t->exit = t->cfg->blocks[outside].bb;
    t->join = t->cfg->blocks[t->cfg->blocks[outside].succs[0]].bb;
    return LLVMGetSuccessor(guard->term, 0) == t->join ||
           LLVMGetSuccessor(guard->term, 1) == t->join;
}

static bool
find_phis(struct trip *t)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(t->head); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        if (t->n_phis == MAX_PHIS)
            return false;
        t->phis[t->n_phis] = phi;
        t->start[t->n_phis] = ls_ir_incoming(phi, t->before);
        t->next[t->n_phis] = ls_ir_incoming(phi, t->latch);
        t->n_phis++;
    }
    return t->n_phis > 0;
}

static bool
is_less(LLVMIntPredicate pred)
{
    return pred == LLVMIntULT || pred == LLVMIntULE || pred == LLVMIntSLT || pred == LLVMIntSLE;
}

/* The lane whose index is the last to reach the limit; false if the distances between lanes are not
 * known. */
static bool
find_lane(struct trip *t)
{
    const struct ls_shape *sh = ls_shape_of(t->shapes, t->phis[t->index]);
    int64_t low = 0, high = 0;
    unsigned bits;

    if (sh->kind != LS_SHAPE_GROUPED || sh->group != t->shapes->n_lanes || !sh->offset ||
        sh->assumed || LLVMGetTypeKind(LLVMTypeOf(t->limit)) != LLVMIntegerTypeKind)
        return false;
    bits = LLVMGetIntTypeWidth(LLVMTypeOf(t->limit));
    for (unsigned l = 1; l < t->shapes->n_lanes; l++) {
        int64_t at = sh->offset[l];

        if (is_less(t->pred) ? at < low : at > high)
            t->lane = l;
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    t->spread = (uint64_t)(high - low);
    return t->spread >> (bits - 1) == 0;
}

static bool
find_test(struct trip *t)
{
    LLVMValueRef exit = LLVMGetBasicBlockTerminator(t->latch);
    LLVMValueRef guard = LLVMGetBasicBlockTerminator(t->guard), limit;
    LLVMIntPredicate pred;

    if (!ls_shape_branch_divergent(t->shapes, t->latch))
        return false;
    for (unsigned i = 0; i < t->n_phis; i++) {
        if (!read_test(exit, t->head, t->next[i], &t->pred, &t->limit) ||
            !read_test(guard, t->before, t->start[i], &pred, &limit) || pred != t->pred ||
            limit != t->limit || !ls_shape_uniform(t->shapes, limit))
            continue;
        t->index = i;
        return find_lane(t);
    }
    return false;
}

/* What the loop hands on is what an iteration hands to the next, and who skips the loop has what it
 * begins with: so each may come from the new loop. */
static bool
hands_on(struct trip *t)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(t->exit); LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);

            if (!LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != t->join)
                return false;
        }
    if (!LLVMIsATerminatorInst(ls_ir_after_phis(t->exit)))
        return false;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(t->join); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef out = ls_ir_incoming(phi, t->exit), skip = ls_ir_incoming(phi, t->guard);
        bool found = out == skip;

        if (LLVMIsAPHINode(out) && LLVMGetInstructionParent(out) == t->exit)
            out = LLVMGetIncomingValue(out, 0);
        for (unsigned i = 0; i < t->n_phis; i++)
            found |= t->next[i] == out && t->start[i] == skip;
        if (!found)
            return false;
    }
    return true;
}

static bool
fits(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    if (LLVMIsACallInst(inst) &&
        (!name || !ls_intrin_find(name) || ls_barrier_kind(inst) != LS_POINT_NONE ||
         strcmp(name, LS_FN_TURN) == 0 || strcmp(name, LS_FN_YIELD) == 0))
        return false;
    if (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst))
        return !LLVMGetVolatile(inst);
    return LLVMGetInstructionOpcode(inst) != LLVMAlloca && !LLVMIsAAtomicRMWInst(inst) &&
           !LLVMIsAAtomicCmpXchgInst(inst) && !LLVMIsAFenceInst(inst);
}

static bool
look_at_code(struct trip *t)
{
    unsigned n = 0;

    for (unsigned i = t->loop->header; i < t->loop->end; i++) {
        const struct ls_cfg_block *blk = &t->cfg->blocks[i];

        if (!ls_loop_has(t->loop, i))
            continue;
        if (blk->loop != t->loop)
            return false;
        for (unsigned s = 0; s < blk->n_succs; s++)
            if (blk->bb != t->latch && !ls_loop_has(t->loop, blk->succs[s]))
                return false;
        for (LLVMValueRef inst = LLVMGetFirstInstruction(blk->bb); inst;
             inst = LLVMGetNextInstruction(inst), t->size++)
            if (!fits(inst))
                return false;
    }
    for (LLVMValueRef inst = LLVMGetFirstInstruction(t->before); !LLVMIsATerminatorInst(inst);
         inst = LLVMGetNextInstruction(inst))
        if (++n > MAX_PREHEADER || !ls_remat_cheap(t->cc, inst) || LLVMIsALoadInst(inst))
            return false;
    return t->size <= MAX_SIZE;
}

/* ---- The change ---- */

static LLVMValueRef
moved(const struct trip *t, LLVMValueRef v)
{
    for (LLVMValueRef m; (m = ls_ptrmap_get(t->moved, v)) != NULL;)
        v = m;
    return v;
}

static LLVMValueRef
mapped(struct trip *t, LLVMValueRef v)
{
    LLVMValueRef m = ls_ptrmap_get(&t->map, v);

    return m ? m : v;
}

static LLVMBasicBlockRef
mapped_block(struct trip *t, LLVMBasicBlockRef bb)
{
    return (LLVMBasicBlockRef)ls_ptrmap_get(&t->map, bb);
}

static LLVMValueRef
new_phi(struct trip *t, LLVMValueRef like)
{
    LLVMValueRef phi = LLVMBuildPhi(t->b, LLVMTypeOf(like), "");

    if (LLVMCanValueUseFastMathFlags(like))
        LLVMSetFastMathFlags(phi, LLVMGetFastMathFlags(like));
    return phi;
}

/* Below (or above) what the index of the lane that leaves last is, while all lanes stay: the limit
 * less the distance to the lane that leaves first. That lane's own index would not do: it may be
 * off, and wrap where those that are on do not. Where there is no such number, none is below. */
static LLVMValueRef
limit_of_all(struct trip *t)
{
    LLVMTypeRef type = LLVMTypeOf(t->limit);
    unsigned bits = LLVMGetIntTypeWidth(type);
    bool less = is_less(t->pred), is_signed = t->pred >= LLVMIntSGT;
    bool equal_stays = t->pred == LLVMIntULE || t->pred == LLVMIntUGE || t->pred == LLVMIntSLE ||
                       t->pred == LLVMIntSGE;
    uint64_t by = t->spread - equal_stays, ones = UINT64_MAX >> (64 - bits);
    uint64_t least = is_signed ? (uint64_t)1 << (bits - 1) : 0, end = less ? least : least - 1;
    LLVMValueRef distance = LLVMConstInt(type, by, false), last, possible, limit;

    LLVMPositionBuilderBefore(t->b, LLVMGetBasicBlockTerminator(t->guard));
    last = LLVMConstInt(type, (less ? end + by : end - by) & ones, false);
    possible = LLVMBuildICmp(t->b,
                             is_signed ? less ? LLVMIntSGE : LLVMIntSLE
                             : less    ? LLVMIntUGE
                                       : LLVMIntULE,
                             t->limit, last, "");
    limit = less ? LLVMBuildSub(t->b, t->limit, distance, "")
                 : LLVMBuildAdd(t->b, t->limit, distance, "");
    return LLVMBuildSelect(t->b, possible, limit, LLVMConstInt(type, end & ones, false), "");
}

/* The index of the lane that leaves last, the same in all lanes. */
static LLVMValueRef
last_index(struct trip *t)
{
    LLVMTypeRef type = LLVMTypeOf(t->now[t->index]), i32 = LLVMInt32TypeInContext(t->cc->llvm);
    unsigned id = LLVMLookupIntrinsicID("llvm.amdgcn.readlane", 20);
    LLVMValueRef args[2] = {t->now[t->index], LLVMConstInt(i32, t->lane, false)};
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(t->cc->mod, id, &type, 1);

    return LLVMBuildCall2(t->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
}

/* x lies before y on the way. */
static LLVMValueRef
before(struct trip *t, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildICmp(t->b,
                         t->pred >= LLVMIntSGT ? is_less(t->pred) ? LLVMIntSLT : LLVMIntSGT
                         : is_less(t->pred)    ? LLVMIntULT
                                               : LLVMIntUGT,
                         x, y, "");
}

/* i1, the same in all lanes: false if no lane stays with this index, as the one that leaves last
 * does not, and none has wrapped. */
static LLVMValueRef
some_stay(struct trip *t, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned bits = LLVMGetIntTypeWidth(type);
    bool less = is_less(t->pred), is_signed = t->pred >= LLVMIntSGT;
    uint64_t ones = UINT64_MAX >> (64 - bits), least = is_signed ? (uint64_t)1 << (bits - 1) : 0;
    uint64_t end = less ? least - 1 - t->spread : least + t->spread;

    return LLVMBuildOr(t->b, LLVMBuildICmp(t->b, t->pred, x, t->limit, ""),
                       before(t, LLVMConstInt(type, end & ones, false), x), "");
}

static void
clone_blocks(struct trip *t, LLVMBasicBlockRef top)
{
    for (unsigned i = t->loop->header; i < t->loop->end; i++)
        if (ls_loop_has(t->loop, i))
            ls_ptrmap_set(&t->map, t->cfg->blocks[i].bb,
                          LLVMInsertBasicBlockInContext(t->cc->llvm, t->before, "all"));
    for (unsigned i = t->loop->header; i < t->loop->end; i++) {
        LLVMBasicBlockRef bb = t->cfg->blocks[i].bb;

        if (!ls_loop_has(t->loop, i))
            continue;
        LLVMPositionBuilderAtEnd(t->b, mapped_block(t, bb));
        for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst;
             inst = LLVMGetNextInstruction(inst)) {
            LLVMValueRef clone;

            if (bb == t->head && LLVMIsAPHINode(inst))
                continue;
            if (LLVMIsATerminatorInst(inst) && bb == t->latch) {
                LLVMBuildBr(t->b, top);
                continue;
            }
            clone = LLVMIsAPHINode(inst) ? new_phi(t, inst) : LLVMInstructionClone(inst);
            if (!LLVMIsAPHINode(inst)) {
                LLVMSetCurrentDebugLocation2(t->b, LLVMInstructionGetDebugLoc(inst));
                LLVMInsertIntoBuilder(t->b, clone);
            }
            ls_ptrmap_set(&t->map, inst, clone);
        }
    }
}

/* Operands of the copies: blocks are in an order in which a value may come behind its use only in
 * phis. */
static void
fill_blocks(struct trip *t)
{
    for (unsigned i = t->loop->header; i < t->loop->end; i++) {
        LLVMBasicBlockRef bb = t->cfg->blocks[i].bb;

        if (!ls_loop_has(t->loop, i))
            continue;
        for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst;
             inst = LLVMGetNextInstruction(inst)) {
            LLVMValueRef clone = ls_ptrmap_get(&t->map, inst);

            if (!clone || (bb == t->head && LLVMIsAPHINode(inst)))
                continue;
            for (unsigned k = 0; LLVMIsAPHINode(inst) && k < LLVMCountIncoming(inst); k++) {
                LLVMValueRef v = mapped(t, LLVMGetIncomingValue(inst, k));
                LLVMBasicBlockRef from = mapped_block(t, LLVMGetIncomingBlock(inst, k));

                LLVMAddIncoming(clone, &v, &from, 1);
            }
            if (LLVMIsAPHINode(inst))
                continue;
            for (int k = 0, n = LLVMGetNumOperands(inst); k < n; k++) {
                LLVMValueRef op = LLVMGetOperand(inst, (unsigned)k);

                if (LLVMValueIsBasicBlock(op))
                    LLVMSetOperand(
                        clone, (unsigned)k,
                        LLVMBasicBlockAsValue(mapped_block(t, LLVMValueAsBasicBlock(op))));
                else
                    LLVMSetOperand(clone, (unsigned)k, mapped(t, op));
            }
        }
    }
}

/* ---- The next block ---- */

/* Values as they are in the loop's first iteration in lane 0, in this block or the next one. */
struct view {
    struct trip *t;
    LLVMValueRef bx; /* number of the block; NULL: the block's own */
    bool moves;      /* the number was met */
    struct ls_ptrmap made;
};

static LLVMValueRef
seen_from(struct view *s, LLVMValueRef v, unsigned depth)
{
    struct trip *t = s->t;
    LLVMValueRef fn = LLVMGetBasicBlockParent(t->guard), ops[MAX_OPERANDS], clone;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(t->cc->llvm);
    bool inside = is_inside(t, v);

    if (v == LLVMGetParam(fn, LLVMCountParams(fn) - 4)) {
        s->moves = true;
        return s->bx ? s->bx : v;
    }
    if (!LLVMIsAInstruction(v))
        return v;
    if ((clone = ls_ptrmap_get(&s->made, v)) != NULL)
        return clone;
    if (ls_ir_is_lane(v))
        return LLVMConstNull(i32);
    for (unsigned i = 0; LLVMIsAPHINode(v) && i < t->n_phis; i++)
        if (t->phis[i] == v)
            return seen_from(s, t->start[i], depth + 1);
    if (LLVMIsAPHINode(v) || depth > MAX_DEPTH || LLVMGetNumOperands(v) > MAX_OPERANDS ||
        LLVMIsACallInst(v) || LLVMIsALoadInst(v) || !ls_remat_cheap(t->cc, v))
        return inside ? NULL : v;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if ((ops[i] = seen_from(s, LLVMGetOperand(v, (unsigned)i), depth + 1)) == NULL)
            return NULL;
    clone = LLVMInstructionClone(v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        LLVMSetOperand(clone, (unsigned)i, ops[i]);
    ls_remat_drop_promises(clone);
    LLVMInsertIntoBuilder(t->b, clone);
    ls_ptrmap_set(&s->made, v, clone);
    return clone;
}

/* How far the next block's memory is from this one's, i64; 0 where that is too far, or there is no
 * next block. NULL: it is the same, or not known. */
static LLVMValueRef
distance(struct trip *t, LLVMValueRef pointer)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(t->cc->llvm);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(t->cc->llvm);
    LLVMValueRef fn = LLVMGetBasicBlockParent(t->guard), grid, is, by;
    LLVMValueRef bx = LLVMGetParam(fn, LLVMCountParams(fn) - 4), ends[2];

    LLVMPositionBuilderBefore(t->b, LLVMGetBasicBlockTerminator(t->guard));
    bx = LLVMBuildAdd(t->b, bx, LLVMConstInt(i32, 1, false), "");
    for (unsigned i = 0; i < 2; i++) {
        struct view s = {.t = t, .bx = i ? bx : NULL};

        ls_ptrmap_init(&s.made, t->cc->arena);
        ends[i] = seen_from(&s, pointer, 0);
        if (!ends[i] || !s.moves)
            return NULL;
        ends[i] = LLVMBuildPtrToInt(t->b, ends[i], i64, "");
    }
    by = LLVMBuildSub(t->b, ends[1], ends[0], "");
    grid = ls_ir_ctx_load(t->cc, t->b, LLVMGetParam(fn, 0), offsetof(struct ls_cpu_ctx, grid), i32,
                          "grid");
    is = LLVMBuildICmp(t->b, LLVMIntULT, bx, grid, "");
    ends[0] = LLVMBuildAdd(t->b, by, LLVMConstInt(i64, NEAR_BYTES, false), "");
    ends[0] =
        LLVMBuildICmp(t->b, LLVMIntULE, ends[0], LLVMConstInt(i64, 2 * NEAR_BYTES, false), "");
    is = LLVMBuildAnd(t->b, is, ends[0], "");
    return LLVMBuildSelect(t->b, is, by, LLVMConstNull(i64), "");
}

static bool
is_near_one(const struct trip *t, LLVMValueRef p, const LLVMValueRef *others, unsigned n)
{
    while (n > 0 && !ls_address_are_near(t->cc->device.layout, others[n - 1], p))
        n--;
    return n > 0;
}

/* Warps that run such a loop one after the other read a few bytes of each page, which no hardware
 * prefetcher follows. Where the next block's memory is near (rows of a matrix), each warp asks for
 * what it will read there. */
static void
ask_for_next(struct trip *t)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(t->cc->llvm), i32 = LLVMInt32TypeInContext(t->cc->llvm);
    LLVMValueRef asked[MAX_ASKED];
    unsigned n = 0;

    for (unsigned i = t->loop->header; i < t->loop->end && t->cc->n_warps > 1; i++) {
        LLVMBasicBlockRef bb = t->cfg->blocks[i].bb;

        for (LLVMValueRef inst = ls_loop_has(t->loop, i) ? LLVMGetFirstInstruction(bb) : NULL; inst;
             inst = LLVMGetNextInstruction(inst)) {
            LLVMValueRef p = LLVMIsALoadInst(inst) ? LLVMGetOperand(inst, 0) : NULL, by, args[4];
            LLVMTypeRef type = p ? LLVMTypeOf(p) : NULL;
            unsigned as = p ? LLVMGetPointerAddressSpace(type) : 3;
            unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", 13);

            if (as == 3 || as == 5 || n == MAX_ASKED || is_near_one(t, p, asked, n) ||
                (by = distance(t, p)) == NULL)
                continue;
            asked[n] = p;
            LLVMPositionBuilderBefore(t->b, ls_ptrmap_get(&t->map, inst));
            args[0] = LLVMBuildGEP2(t->b, i8, mapped(t, p), &by, 1, "");
            args[1] = LLVMConstInt(i32, 0, false);
            args[2] = LLVMConstInt(i32, 3, false);
            args[3] = LLVMConstInt(i32, 1, false);
            LLVMValueRef fn = LLVMGetIntrinsicDeclaration(t->cc->mod, id, &type, 1);
            LLVMBuildCall2(t->b, LLVMGlobalGetValueType(fn), fn, args, 4, "");
            n++;
        }
    }
}

static void
take_out(struct trip *t, LLVMValueRef phi)
{
    struct gone *g = ls_arena_alloc(t->cc->arena, sizeof(*g));

    LLVMInstructionRemoveFromParent(phi);
    *g = (struct gone){*t->gone, phi};
    *t->gone = g;
}

/* Where the loop or its join had what it begins with, it has what the new loop hands on. `none` and
 * `rest` are blocks that go to the join; `rest` goes to the loop, too. */
static void
go_on_from(struct trip *t, LLVMBasicBlockRef none, LLVMBasicBlockRef rest)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(t->join), after; LLVMIsAPHINode(phi);
         phi = after) {
        LLVMValueRef out = ls_ir_incoming(phi, t->exit), made;

        after = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(t->b, phi);
        made = new_phi(t, phi);
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMValueRef v = LLVMGetIncomingValue(phi, k), final = out;
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);

            if (LLVMIsAPHINode(final) && LLVMGetInstructionParent(final) == t->exit)
                final = LLVMGetIncomingValue(final, 0);
            if (from == t->guard) {
                for (unsigned i = 0; out != v && i < t->n_phis; i++)
                    if (t->next[i] == final && t->start[i] == v) {
                        v = t->now[i];
                        break;
                    }
                from = rest;
                LLVMAddIncoming(made, &v, &none, 1);
            }
            LLVMAddIncoming(made, &v, &from, 1);
        }
        LLVMReplaceAllUsesWith(phi, made);
        ls_ptrmap_set(t->moved, phi, made);
        take_out(t, phi);
    }
    LLVMValueRef made[MAX_PHIS];
    for (unsigned i = 0; i < t->n_phis; i++) {
        LLVMPositionBuilderBefore(t->b, t->phis[i]);
        made[i] = new_phi(t, t->phis[i]);
    }
    for (unsigned i = 0; i < t->n_phis; i++) {
        LLVMValueRef in[2] = {t->now[i], t->next[i]};
        LLVMBasicBlockRef from[2] = {t->before, t->latch};

        for (unsigned k = 0; k < t->n_phis; k++) /* an iteration may hand on what it was handed */
            if (t->next[i] == t->phis[k])
                in[1] = made[k];
        LLVMAddIncoming(made[i], in, from, 2);
    }
    for (unsigned i = 0; i < t->n_phis; i++) {
        LLVMReplaceAllUsesWith(t->phis[i], made[i]);
        take_out(t, t->phis[i]);
    }
}

static void
change(struct trip *t)
{
    LLVMContextRef llvm = t->cc->llvm;
    LLVMValueRef test = LLVMGetBasicBlockTerminator(t->guard), x, last, limit;
    LLVMBasicBlockRef top = LLVMInsertBasicBlockInContext(llvm, t->before, "all.top");
    LLVMBasicBlockRef rest, none;

    for (unsigned i = 0; i < t->n_phis; i++) {
        t->start[i] = moved(t, t->start[i]);
        t->next[i] = moved(t, t->next[i]);
    }
    t->limit = moved(t, t->limit);
    /* What is computed in front of the loop serves both. */
    for (LLVMValueRef i = LLVMGetFirstInstruction(t->before), next; !LLVMIsATerminatorInst(i);
         i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(t->b, test);
        LLVMInsertIntoBuilder(t->b, i);
    }
    limit = limit_of_all(t);
    ls_ptrmap_init(&t->map, t->cc->arena);
    LLVMPositionBuilderAtEnd(t->b, top);
    for (unsigned i = 0; i < t->n_phis; i++) {
        t->now[i] = new_phi(t, t->phis[i]);
        LLVMAddIncoming(t->now[i], &t->start[i], &t->guard, 1);
        ls_ptrmap_set(&t->map, t->phis[i], t->now[i]);
    }
    clone_blocks(t, top);
    fill_blocks(t);
    ask_for_next(t);
    for (unsigned i = 0; i < t->n_phis; i++) {
        LLVMValueRef v = mapped(t, t->next[i]);
        LLVMBasicBlockRef from = mapped_block(t, t->latch);

        LLVMAddIncoming(t->now[i], &v, &from, 1);
    }
    none = LLVMInsertBasicBlockInContext(llvm, t->before, "all.none");
    rest = LLVMInsertBasicBlockInContext(llvm, t->before, "all.rest");
    LLVMPositionBuilderAtEnd(t->b, top);
    last = last_index(t);
    LLVMBuildCondBr(t->b, before(t, last, limit), mapped_block(t, t->head), none);
    LLVMPositionBuilderAtEnd(t->b, none);
    LLVMBuildCondBr(t->b, some_stay(t, last), rest, t->join);
    LLVMPositionBuilderAtEnd(t->b, rest);
    x = LLVMBuildICmp(t->b, t->pred, t->now[t->index], t->limit, "");
    LLVMBuildCondBr(t->b, x, t->before, t->join);
    go_on_from(t, none, rest);
    LLVMPositionBuilderAtEnd(t->b, t->guard);
    LLVMInstructionEraseFromParent(test);
    LLVMBuildBr(t->b, top);
}

void
ls_trips_split(struct ls_cc *cc, LLVMValueRef fn)
{
    struct ls_cfg *cfg;
    const struct ls_shapes *shapes = NULL;
    unsigned done = 0;
    struct ls_ptrmap moved;
    struct gone *gone = NULL;

    if (cc->n_lanes == 1 || cc->opt->opt_level == 0 || cc->n_debug_marks)
        return;
    cfg = ls_cfg_build(cc->arena, fn);
    if (cfg->irreducible)
        return;
    ls_ptrmap_init(&moved, cc->arena);
    struct trip *found = ls_arena_alloc(cc->arena, (cfg->n_loops + 1) * sizeof(*found));
    unsigned n = 0;
    for (unsigned i = 0; i < cfg->n_loops; i++) {
        struct trip t = {
            .cc = cc, .moved = &moved, .gone = &gone, .cfg = cfg, .loop = cfg->loops[i]};

        if (!find_blocks(&t) || !find_phis(&t) || !look_at_code(&t) || !hands_on(&t))
            continue;
        if (!shapes)
            shapes = ls_shapes_build(cc, fn, LS_SCOPE_WARP, false);
        t.shapes = shapes;
        if (!find_test(&t) || done + t.size > MAX_ALL)
            continue;
        done += t.size;
        found[n++] = t;
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    for (unsigned i = 0; i < n; i++) {
        found[i].b = b;
        change(&found[i]);
    }
    for (; gone; gone = gone->next)
        LLVMDeleteInstruction(gone->phi);
    LLVMDisposeBuilder(b);
}
