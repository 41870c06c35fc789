/* SPDX-License-Identifier: MIT */
/* Grid-stride loops: the warps of a block take turns in each iteration.
 *
 * `for (i = block * threads + thread; i < n; i += grid * threads)` is contiguous over the threads
 * and far apart over the iterations. Warps that run such a loop one after the other read a few
 * bytes of each page, again and again, which suits no cache and no hardware prefetcher. So a point
 * goes to the loop's back edge (LS_POINT_TURN) and one to where all threads meet behind the loop
 * (LS_POINT_TURN_END): with each iteration a region of its own, the block walks memory side by
 * side. The next iterations are asked for in advance.
 *
 * While all threads of the block are in the loop and stay, which is asked once for the block, an
 * iteration needs no masks: it has a region of its own again.
 *
 * Where the step is about the block's own size, a processor foresees it only as long as it stays in
 * a page, and not far enough ahead to keep memory busy. There the first iteration is behind a TURN,
 * too, and the last one, in which threads leave, has a form without masks as well. Of few
 * iterations the caches hold what they read, and turns cost more than they bring: so the loop stays
 * beside its new form, for blocks whose threads leave soon.
 *
 * What lives across iterations would have to be kept per thread, and a kept index is no longer seen
 * to be contiguous: so an induction variable is computed anew from its start and a counter that all
 * threads share. */
#include "compiler/region/region_priv.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "analysis/address.h"
#include "analysis/cfg.h"
#include "analysis/shape_priv.h"
#include "compiler/ir/guards.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "intrin/intrinsics.h"

enum {
    MAX_INDUCTIONS = 8,
    MAX_CARRIED = 4, /* values of a thread that pass from one iteration to the next */
    MAX_BROUGHT = 4, /* values of a thread from before the loop that must be kept */
    MAX_PREFETCHES = 4,
    MAX_OPERANDS = 8,     /* of an instruction in an address */
    FAR_STEP = 4096,      /* elements: what is so far apart is asked for in advance */
    NEAR_STEP = 64,       /* what is nearer than that a warp walks alone, */
    LONG_WALK = 6144,     /* and so does a block of which all threads together read no more */
    LONG_MASKED = 2,      /* iterations, where each would have masks */
    MAX_NEAR = 80,        /* instructions of a loop that stays beside its new form */
    AHEAD_THREADS = 1024, /* so many threads' work takes as long as a cache miss */
    MAX_AHEAD = 4, /* iterations: lines further ahead would fall into the same sets of the cache */
    USUAL_THREADS = 256, /* of a block whose shape is not known */
    MAX_WARPS = 32,      /* of a block */
};

struct induction {
    LLVMValueRef phi, start, step, value; /* value: what replaces the phi */
};

/* A comparison that keeps threads in the loop. */
struct stay {
    LLVMValueRef cmp;
    unsigned moving; /* which operand changes */
    bool value;      /* they stay when it is this */
};

struct walk {
    struct ls_cc *cc;
    const struct ls_shapes *shapes;
    const struct ls_cfg *cfg;
    const struct ls_loop *loop;
    struct ls_remats *remats;
    struct induction ind[MAX_INDUCTIONS];
    unsigned n_ind, n_carried, n_brought;
    bool far, near; /* some induction differs by thread and has a large step; one of a block */
    LLVMValueRef pointers[MAX_PREFETCHES];
    unsigned n_pointers;
    LLVMBasicBlockRef end; /* where threads meet behind the loop */
    struct stay stay[2];   /* threads stay while all of them say so */
    unsigned n_stays;      /* none: it is not known why they stay */
    bool once;             /* one of them is a guard (ir/guards.h), and false in whole blocks */
    LLVMValueRef decides;  /* the condition */
    LLVMValueRef exit;     /* the branch on it */
    bool stays_if;         /* threads stay when it has this value */
    LLVMBasicBlockRef guard, before, out; /* in front of a near loop and behind it */
    struct stay enters;                   /* the test of `guard`: threads go in while it holds */
    LLVMBuilderRef b;
    LLVMValueRef last_warp; /* i32, made on demand; NULL */
};

static bool
in_loop(const struct walk *k, LLVMValueRef v)
{
    unsigned b =
        LLVMIsAInstruction(v) ? ls_cfg_number(k->cfg, LLVMGetInstructionParent(v)) : LS_NO_BLOCK;

    return b != LS_NO_BLOCK && ls_loop_has(k->loop, b);
}

static struct induction *
induction_of(struct walk *k, LLVMValueRef phi)
{
    for (unsigned i = 0; i < k->n_ind; i++)
        if (k->ind[i].phi == phi)
            return &k->ind[i];
    return NULL;
}

/* ---- Is it such a loop? ---- */

static bool
add_induction(struct walk *k, LLVMValueRef phi, LLVMValueRef start, LLVMValueRef next)
{
    struct induction *ind = &k->ind[k->n_ind];
    LLVMValueRef step;
    bool varies = !ls_shape_uniform(k->shapes, start);

    if (k->n_ind == MAX_INDUCTIONS || LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64 || !LLVMIsABinaryOperator(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd)
        return false;
    if (LLVMGetOperand(next, 0) == phi)
        step = LLVMGetOperand(next, 1);
    else if (LLVMGetOperand(next, 1) == phi)
        step = LLVMGetOperand(next, 0);
    else
        return false;
    if (in_loop(k, step) || !ls_shape_uniform(k->shapes, step) ||
        (varies && LLVMIsAInstruction(start) &&
         ls_remat_cost(k->remats, start) > LS_REMAT_COST_MAX))
        return false;
    *ind = (struct induction){phi, start, step, NULL};
    k->n_ind++;
    if (varies && (!LLVMIsAConstantInt(step) || LLVMConstIntGetSExtValue(step) >= FAR_STEP ||
                   LLVMConstIntGetSExtValue(step) <= -FAR_STEP))
        k->far = true;
    else if (varies && LLVMConstIntGetSExtValue(step) >= NEAR_STEP)
        k->near = true;
    return true;
}

static unsigned
n_scalars(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type);
    case LLVMStructTypeKind:
    case LLVMArrayTypeKind:
        return MAX_CARRIED + 1;
    default:
        return 1;
    }
}

static bool
find_inductions(struct walk *k)
{
    const struct ls_cfg_block *head = &k->cfg->blocks[k->loop->header];
    unsigned before = head->preds[0] == k->loop->latch ? head->preds[1] : head->preds[0];

    for (LLVMValueRef phi = LLVMGetFirstInstruction(head->bb); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef start = ls_ir_incoming(phi, k->cfg->blocks[before].bb);
        LLVMValueRef next = ls_ir_incoming(phi, k->cfg->blocks[k->loop->latch].bb);

        if (!start || !next)
            return false;
        if (!add_induction(k, phi, start, next))
            k->n_carried += n_scalars(LLVMTypeOf(phi));
    }
    return (k->far || k->near) && k->n_carried <= MAX_CARRIED;
}

static bool
is_linear(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr: /* a disjoint or, which clang makes of an addition */
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMGetElementPtr:
        return true;
    default:
        return false;
    }
}

/* Is the address linear in inductions? `moves`: in one that differs by thread. */
static bool
follows_inductions(struct walk *k, struct ls_ptrmap *seen, LLVMValueRef v, bool *moves)
{
    if (!in_loop(k, v) || ls_ptrmap_get(seen, v))
        return true;
    ls_ptrmap_set(seen, v, v);
    if (LLVMIsAPHINode(v)) {
        struct induction *ind = induction_of(k, v);
        *moves |= ind && !ls_shape_uniform(k->shapes, ind->start);
        return ind != NULL;
    }
    if (!is_linear(LLVMGetInstructionOpcode(v)) || LLVMGetNumOperands(v) > MAX_OPERANDS)
        return false;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (!follows_inductions(k, seen, LLVMGetOperand(v, (unsigned)i), moves))
            return false;
    return true;
}

static bool
is_followed(struct walk *k, LLVMValueRef v)
{
    struct ls_ptrmap seen;
    bool moves = false;

    ls_ptrmap_init(&seen, k->cc->arena);
    return follows_inductions(k, &seen, v, &moves) && moves;
}

static bool
add_stay(struct walk *k, LLVMValueRef v)
{
    LLVMValueRef guarded = ls_guards_compared(k->cfg->fn, v), c = guarded ? guarded : v;

    if (!LLVMIsAICmpInst(c))
        return false;
    k->once |= guarded != NULL;
    for (unsigned i = 2; i-- > 0;) {
        if (in_loop(k, LLVMGetOperand(c, 1 - i)) ||
            !ls_shape_uniform(k->shapes, LLVMGetOperand(c, 1 - i)) ||
            !is_followed(k, LLVMGetOperand(c, i)))
            continue;
        k->stay[k->n_stays++] = (struct stay){c, i, k->stays_if};
        return true;
    }
    return false;
}

static void
note_exit(struct walk *k, const struct ls_cfg_block *blk)
{
    LLVMValueRef c = blk->n_succs == 2 ? LLVMGetCondition(blk->term) : NULL;
    struct walk before = *k;
    bool ok;

    if (!c || ls_loop_has(k->loop, blk->succs[0]) == ls_loop_has(k->loop, blk->succs[1]))
        return;
    k->stays_if = ls_loop_has(k->loop, blk->succs[0]);
    k->decides = c;
    k->exit = blk->term;
    k->n_stays = 0;
    k->once = false;
    if (k->stays_if && LLVMIsABinaryOperator(c) && !ls_guards_compared(k->cfg->fn, c) &&
        LLVMGetInstructionOpcode(c) == LLVMAnd)
        ok = add_stay(k, LLVMGetOperand(c, 0)) && add_stay(k, LLVMGetOperand(c, 1));
    else
        ok = add_stay(k, c);
    if (!ok)
        *k = before;
}

static void
note_load(struct walk *k, LLVMValueRef load)
{
    LLVMValueRef p = LLVMGetOperand(load, 0);
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(p));
    if ((as != 0 && as != 1 && as != 4) || LLVMGetVolatile(load) ||
        LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic || !is_followed(k, p))
        return;
    for (unsigned i = 0; i < k->n_pointers; i++)
        if (ls_address_are_near(k->cc->device.layout, k->pointers[i], p))
            return;
    if (k->n_pointers < MAX_PREFETCHES)
        k->pointers[k->n_pointers++] = p;
}

static void
note_operands(struct walk *k, struct ls_ptrmap *seen, LLVMValueRef inst)
{
    for (int i = 0, n = LLVMGetNumOperands(inst); i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);

        if (!LLVMIsAInstruction(v) || in_loop(k, v) || ls_ptrmap_get(seen, v))
            continue;
        ls_ptrmap_set(seen, v, v);
        k->n_brought +=
            !ls_shape_uniform(k->shapes, v) && ls_remat_cost(k->remats, v) > LS_REMAT_COST_MAX;
    }
}

static bool
fits(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    if (LLVMIsACallInst(inst))
        return name && ls_intrin_find(name) && ls_barrier_kind(inst) == LS_POINT_NONE;
    if (LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst)) {
        LLVMValueRef p = LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : 0);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(p)) == 5)
            return false; /* each thread's own array would have to be kept for all warps */
    }
    return LLVMGetInstructionOpcode(inst) != LLVMAlloca;
}

static bool
look_at_body(struct walk *k)
{
    struct ls_ptrmap seen;
    bool parts = false;

    ls_ptrmap_init(&seen, k->cc->arena);
    for (unsigned i = k->loop->header; i < k->loop->end; i++) {
        const struct ls_cfg_block *blk = &k->cfg->blocks[i];

        if (!ls_loop_has(k->loop, i))
            continue;
        if (blk->loop != k->loop) /* with a loop inside, an iteration is long enough already */
            return false;
        for (unsigned s = 0; s < blk->n_succs; s++)
            parts |= !ls_loop_has(k->loop, blk->succs[s]) &&
                     ls_shape_branch_divergent(k->shapes, blk->bb);
        note_exit(k, blk);
        for (LLVMValueRef inst = LLVMGetFirstInstruction(blk->bb); inst;
             inst = LLVMGetNextInstruction(inst)) {
            if (!fits(inst))
                return false;
            if (LLVMIsALoadInst(inst))
                note_load(k, inst);
            note_operands(k, &seen, inst);
        }
    }
    return parts && k->n_pointers && k->n_brought <= MAX_BROUGHT;
}

/* ---- Where do its threads meet again? ---- */

static void
reach(const struct ls_cfg *cfg, unsigned from, unsigned avoid, bool *seen)
{
    if (from == avoid || seen[from])
        return;
    seen[from] = true;
    for (unsigned s = 0; s < cfg->blocks[from].n_succs; s++)
        reach(cfg, cfg->blocks[from].succs[s], avoid, seen);
}

/* Whether threads may run this block apart from each other, as they do on the way out of the loop:
 * nothing in it looks at other threads. */
static bool
may_part(const struct ls_cfg_block *blk)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(blk->bb); i; i = LLVMGetNextInstruction(i)) {
        const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;
        const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;

        if (LLVMIsACallInst(i) && (!row || row->flags & LS_IF_CONVERGENT))
            return false;
    }
    return !blk->loop;
}

/* Whether all threads that go on from `end` wait there. Threads that parted before the loop must
 * not run code together with them that `end` does not lead to; those that only return do not
 * count. */
static bool
all_meet(struct walk *k, unsigned end)
{
    const struct ls_cfg *cfg = k->cfg;
    bool *later = ls_arena_alloc(k->cc->arena, cfg->n_blocks);

    reach(cfg, end, LS_NO_BLOCK, later);
    for (unsigned b = 0; b < cfg->n_blocks; b++) {
        bool *seen;

        if (later[b] || !ls_shape_branch_divergent(k->shapes, cfg->blocks[b].bb))
            continue;
        seen = ls_arena_alloc(k->cc->arena, cfg->n_blocks);
        reach(cfg, b, end, seen);
        for (unsigned i = 0; i < cfg->n_blocks && seen[k->loop->header]; i++)
            if (seen[i] && later[i] && !LLVMIsATerminatorInst(ls_ir_after_phis(cfg->blocks[i].bb)))
                return false;
    }
    return true;
}

static bool
find_end(struct walk *k)
{
    const struct ls_cfg *cfg = k->cfg;
    unsigned end = LS_NO_BLOCK;

    for (unsigned b = cfg->blocks[k->loop->header].ipdom; b != LS_NO_BLOCK;
         b = cfg->blocks[b].ipdom) {
        bool fits_here = !ls_loop_has(k->loop, b) && !cfg->blocks[b].loop && all_meet(k, b);
        if (!fits_here && end != LS_NO_BLOCK)
            break;
        if (!fits_here)
            continue;
        end = b;
        /* Moving the meeting point on over empty blocks costs nothing, and threads that skipped the
         * loop come there too. */
        if (!LLVMIsABranchInst(ls_ir_after_phis(cfg->blocks[b].bb)) || cfg->blocks[b].n_succs > 1)
            break;
    }
    if (end == LS_NO_BLOCK)
        return false;
    bool *seen = ls_arena_alloc(k->cc->arena, cfg->n_blocks);
    reach(cfg, k->loop->header, end, seen);
    for (unsigned b = 0; b < cfg->n_blocks; b++)
        if (seen[b] && !ls_loop_has(k->loop, b) && !may_part(&cfg->blocks[b]))
            return false;
    k->end = cfg->blocks[end].bb;
    return true;
}

/* ---- The change ---- */

static void
mark(struct walk *k, const char *name, unsigned number)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(k->cc->llvm);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(k->cc->llvm), &i32, 1, false);
    LLVMValueRef arg = LLVMConstInt(i32, number, false);

    LLVMBuildCall2(k->b, type, ls_ir_declare(k->cc, name, type, true), &arg, 1, "");
}

static LLVMValueRef
induction_at(struct walk *k, const struct induction *ind, LLVMValueRef count)
{
    LLVMTypeRef type = LLVMTypeOf(ind->phi);

    if (LLVMGetIntTypeWidth(type) < 64)
        count = LLVMBuildTrunc(k->b, count, type, "");
    return LLVMBuildAdd(k->b, ind->start, LLVMBuildMul(k->b, count, ind->step, ""), "");
}

/* Values as they will be in an iteration to come, or in another thread. */
struct future {
    LLVMValueRef count;    /* i64: number of the iteration */
    LLVMValueRef lane, w;  /* i32; NULL: those of the current thread */
    struct ls_ptrmap made; /* value -> its future */
};

static LLVMValueRef
future_of(struct walk *k, struct future *f, LLVMValueRef v)
{
    LLVMValueRef clone = ls_ptrmap_get(&f->made, v);

    if (clone)
        return clone;
    if (v == k->remats->w)
        return f->w ? f->w : v;
    if (ls_ir_is_lane(v)) {
        return f->lane ? f->lane : v;
    } else if (!in_loop(k, v) &&
               !(f->lane && LLVMIsAInstruction(v) && !ls_shape_uniform(k->shapes, v))) {
        return v;
    } else if (in_loop(k, v) && LLVMIsAPHINode(v)) {
        struct induction ind = *induction_of(k, v);
        ind.start = future_of(k, f, ind.start);
        clone = induction_at(k, &ind, f->count);
    } else {
        LLVMValueRef ops[MAX_OPERANDS];
        int n = LLVMGetNumOperands(v);

        for (int i = 0; i < n; i++)
            ops[i] = future_of(k, f, LLVMGetOperand(v, (unsigned)i));
        clone = LLVMInstructionClone(v);
        for (int i = 0; i < n; i++)
            LLVMSetOperand(clone, (unsigned)i, ops[i]);
        ls_remat_drop_promises(clone);
        LLVMSetCurrentDebugLocation2(k->b, LLVMInstructionGetDebugLoc(clone));
        LLVMInsertIntoBuilder(k->b, clone);
    }
    ls_ptrmap_set(&f->made, v, clone);
    return clone;
}

static struct future
future(struct walk *k, LLVMValueRef count, unsigned ahead, LLVMValueRef lane, LLVMValueRef w)
{
    struct future f = {count, lane, w, {0}};

    if (ahead)
        f.count = LLVMBuildAdd(k->b, count, LLVMConstInt(LLVMTypeOf(count), ahead, false), "");
    ls_ptrmap_init(&f.made, k->cc->arena);
    return f;
}

/* Prefetches what an iteration to come will load, if it will run: prefetching unmapped addresses is
 * slow. Builds in front of `rest`, which begins a block of its own then. */
static void
prefetch(struct walk *k, LLVMValueRef count, unsigned ahead, LLVMValueRef rest)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(k->cc->llvm);
    bool at_end = LLVMGetInstructionParent(k->decides) != k->cfg->blocks[k->loop->header].bb ||
                  k->loop->latch == k->loop->header;
    struct future f = future(k, count, ahead - at_end, LLVMConstNull(i32), NULL);
    LLVMValueRef stay = future_of(k, &f, k->decides), last = LLVMGetPreviousInstruction(rest);

    f = future(k, count, ahead, NULL, NULL);
    for (unsigned i = 0; i < k->n_pointers; i++) {
        LLVMValueRef args[4] = {future_of(k, &f, k->pointers[i]), LLVMConstInt(i32, 0, false),
                                LLVMConstInt(i32, 3, false), LLVMConstInt(i32, 1, false)};
        LLVMTypeRef pointer = LLVMTypeOf(args[0]);
        unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", 13);
        LLVMValueRef fn = LLVMGetIntrinsicDeclaration(k->cc->mod, id, &pointer, 1);

        LLVMBuildCall2(k->b, LLVMGlobalGetValueType(fn), fn, args, 4, "");
    }
    LLVMBasicBlockRef top = ls_ir_split_before(k->cc, LLVMGetNextInstruction(last));
    LLVMBasicBlockRef hints = ls_ir_split_before(k->cc, rest),
                      tail = LLVMGetInstructionParent(rest);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(top));
    LLVMPositionBuilderAtEnd(k->b, top);
    LLVMBuildCondBr(k->b, stay, k->stays_if ? hints : tail, k->stays_if ? tail : hints);
}

/* ---- Does the whole block stay? ---- */

#define NOT_ORDERED UINT64_MAX

/* The number of the warp: a call of ls.lane as well, as long as shapes are of the block. */
static bool
is_warp(const struct walk *k, LLVMValueRef v)
{
    return v == k->remats->w;
}

/* A value that is uniform + f, where f >= 0 is smallest in the block's first thread and largest in
 * the last: largest f, or NOT_ORDERED. */
static uint64_t
order(struct walk *k, LLVMValueRef v, unsigned depth)
{
    uint64_t a, b, limit = (uint64_t)1 << 30;

    if (is_warp(k, v))
        return (k->cc->n_warps ? k->cc->n_warps : MAX_WARPS) - 1;
    if (ls_ir_is_lane(v))
        return k->cc->n_lanes - 1;
    if (!in_loop(k, v) && ls_shape_uniform(k->shapes, v))
        return 0;
    if (!LLVMIsAInstruction(v) || depth > 16)
        return NOT_ORDERED;
    if (LLVMIsAPHINode(v))
        return in_loop(k, v) ? order(k, induction_of(k, v)->start, depth + 1) : NOT_ORDERED;
    if (!LLVMGetNumOperands(v) || (a = order(k, LLVMGetOperand(v, 0), depth + 1)) == NOT_ORDERED)
        return NOT_ORDERED;
    LLVMValueRef y = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    uint64_t c = y && LLVMIsAConstantInt(y) ? LLVMConstIntGetZExtValue(y) : limit;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMOr:
        if (!LLVMGetIsDisjoint(v))
            return NOT_ORDERED;
        /* fall through */
    case LLVMAdd:
        b = order(k, y, depth + 1);
        return b == NOT_ORDERED || a + b >= limit ? NOT_ORDERED : a + b;
    case LLVMShl:
        return c > 16 || a << c >= limit ? NOT_ORDERED : a << c;
    case LLVMMul:
        return c > 1 << 16 || a * c >= limit ? NOT_ORDERED : a * c;
    case LLVMAnd: /* the largest of all numbers below a power of two has all bits set */
        return c < limit && (is_warp(k, LLVMGetOperand(v, 0)) ? k->cc->n_warps && !(a & (a + 1))
                                                              : ls_ir_is_lane(LLVMGetOperand(v, 0)))
                   ? a & c
                   : NOT_ORDERED;
    case LLVMLShr:
        return c < 32 && (is_warp(k, LLVMGetOperand(v, 0)) || ls_ir_is_lane(LLVMGetOperand(v, 0)))
                   ? a >> c
                   : NOT_ORDERED;
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc: /* if the sum wraps, the comparison of first and last shows it */
        return ls_shape_int_bits(LLVMTypeOf(v)) < 32 ? NOT_ORDERED : a;
    default:
        return NOT_ORDERED;
    }
}

/* The number of the block's last warp. */
static LLVMValueRef
last_warp(struct walk *k)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(k->cc->llvm);
    LLVMBasicBlockRef entry = k->cfg->blocks[0].bb;
    LLVMBuilderRef b;

    if (k->cc->n_warps)
        return LLVMConstInt(i32, k->cc->n_warps - 1, false);
    if (k->last_warp)
        return k->last_warp;
    b = LLVMCreateBuilderInContext(k->cc->llvm);
    LLVMPositionBuilderBefore(b, ls_ir_after_phis(entry));
    k->last_warp = ls_ir_ctx_load(k->cc, b, LLVMGetParam(LLVMGetBasicBlockParent(entry), 0),
                                  offsetof(struct ls_cpu_ctx, n_warps), i32, "n_warps");
    k->last_warp = LLVMBuildSub(b, k->last_warp, LLVMConstInt(i32, 1, false), "last_warp");
    LLVMDisposeBuilder(b);
    return k->last_warp;
}

/* How what moves compares while threads stay: less, or no more, than a bound. LLVMIntEQ: otherwise.
 */
static LLVMIntPredicate
staying_predicate(const struct stay *stay)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(stay->cmp);

    if (stay->moving == 1)
        p = p == LLVMIntSGT   ? LLVMIntSLT
            : p == LLVMIntUGT ? LLVMIntULT
            : p == LLVMIntSGE ? LLVMIntSLE
            : p == LLVMIntUGE ? LLVMIntULE
                              : LLVMIntEQ;
    if (!stay->value)
        p = p == LLVMIntSGT   ? LLVMIntSLE
            : p == LLVMIntUGT ? LLVMIntULE
            : p == LLVMIntSGE ? LLVMIntSLT
            : p == LLVMIntUGE ? LLVMIntULT
                              : LLVMIntEQ;
    return p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE ? p : LLVMIntEQ;
}

static bool
can_say(struct walk *k, const struct stay *stay)
{
    return staying_predicate(stay) != LLVMIntEQ && k->cc->whole_warps &&
           order(k, LLVMGetOperand(stay->cmp, stay->moving), 0) != NOT_ORDERED;
}

/* Whether it can be said that the whole block stays. */
static bool
can_say_all(struct walk *k)
{
    for (unsigned i = 0; i < k->n_stays; i++)
        if (!can_say(k, &k->stay[i]))
            return false;
    return k->n_stays > 0;
}

/* i1, the same in all threads: in iteration `count` every thread of the block stays. NULL: cannot
 * be said. */
static LLVMValueRef
all_stay_by(struct walk *k, const struct stay *stay, LLVMValueRef count)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(k->cc->llvm);
    LLVMIntPredicate p = staying_predicate(stay);
    LLVMValueRef x = LLVMGetOperand(stay->cmp, stay->moving), zero = LLVMConstNull(i32);
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE;

    if (!can_say(k, stay))
        return NULL;
    struct future first = future(k, count, 0, zero, zero);
    struct future last =
        future(k, count, 0, LLVMConstInt(i32, k->cc->n_lanes - 1, false), last_warp(k));
    LLVMValueRef lo = future_of(k, &first, x), hi = future_of(k, &last, x);
    LLVMValueRef ordered = LLVMBuildICmp(k->b, is_signed ? LLVMIntSLE : LLVMIntULE, lo, hi, "");
    return LLVMBuildAnd(k->b, ordered,
                        LLVMBuildICmp(k->b, p, hi, LLVMGetOperand(stay->cmp, 1 - stay->moving), ""),
                        "");
}

static LLVMValueRef
all_stay(struct walk *k, LLVMValueRef count)
{
    LLVMValueRef all = NULL;

    for (unsigned i = 0; i < k->n_stays; i++) {
        LLVMValueRef one = all_stay_by(k, &k->stay[i], count);

        if (!one)
            return NULL;
        all = all ? LLVMBuildAnd(k->b, all, one, "") : one;
    }
    return all;
}

static unsigned
iterations_ahead(const struct ls_cc *cc)
{
    unsigned n = AHEAD_THREADS / (cc->n_threads ? cc->n_threads : USUAL_THREADS);

    return n < 1 ? 1 : n > MAX_AHEAD ? MAX_AHEAD : n;
}

/* In the phis of the head that stay, `turn` takes the place of the block that the back edge came
 * from. */
static void
move_back_edge(struct walk *k, LLVMBasicBlockRef before, LLVMBasicBlockRef turn)
{
    LLVMBasicBlockRef head = k->cfg->blocks[k->loop->header].bb,
                      latch = k->cfg->blocks[k->loop->latch].bb;
    LLVMValueRef term = LLVMGetBasicBlockTerminator(latch);

    for (unsigned s = 0; s < LLVMGetNumSuccessors(term); s++)
        if (LLVMGetSuccessor(term, s) == head)
            LLVMSetSuccessor(term, s, turn);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(head), after; LLVMIsAPHINode(phi);
         phi = after) {
        after = LLVMGetNextInstruction(phi);
        if (induction_of(k, phi))
            continue;
        LLVMValueRef in[2] = {ls_ir_incoming(phi, before), ls_ir_incoming(phi, latch)};
        LLVMBasicBlockRef from[2] = {before, turn};
        LLVMPositionBuilderBefore(k->b, phi);
        LLVMValueRef moved = LLVMBuildPhi(k->b, LLVMTypeOf(phi), "");
        if (LLVMCanValueUseFastMathFlags(phi))
            LLVMSetFastMathFlags(moved, LLVMGetFastMathFlags(phi));
        if (in[1] == phi)
            in[1] = moved;
        LLVMAddIncoming(moved, in, from, 2);
        LLVMReplaceAllUsesWith(phi, moved);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* ---- The loop as it was, for short walks ---- */

static LLVMValueRef
copied(struct ls_ptrmap *map, LLVMValueRef v)
{
    LLVMValueRef copy = ls_ptrmap_get(map, v);

    return copy ? copy : v;
}

/* Reads the test in front of the loop: a number that grows with the threads is below a bound. */
static bool
read_guard(struct walk *k)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(k->guard), c = LLVMGetCondition(term);

    for (unsigned i = 0; LLVMIsAICmpInst(c) && i < 2; i++) {
        k->enters = (struct stay){c, i, LLVMGetSuccessor(term, 0) == k->before};
        if (ls_shape_uniform(k->shapes, LLVMGetOperand(c, 1 - i)) && can_say(k, &k->enters))
            return true;
    }
    return false;
}

/* Whether the loop is small and of the form that trips.c takes: a test in front of it, one way out,
 * and phis behind it for what others see. */
static bool
can_be_copied(struct walk *k)
{
    const struct ls_cfg *cfg = k->cfg;
    const struct ls_cfg_block *head = &cfg->blocks[k->loop->header],
                              *latch = &cfg->blocks[k->loop->latch], *before, *guard, *exit;
    unsigned n = 0, outside;

    before = &cfg->blocks[head->preds[head->preds[0] == k->loop->latch]];
    if (latch->n_succs != 2 || k->exit != latch->term || before->n_succs != 1 ||
        before->n_preds != 1)
        return false;
    guard = &cfg->blocks[before->preds[0]];
    outside = latch->succs[latch->succs[0] == k->loop->header];
    exit = &cfg->blocks[outside];
    if (guard->n_succs != 2 || guard->succs[0] == guard->succs[1] || exit->n_preds != 1 ||
        exit->n_succs != 1 ||
        (guard->succs[0] != exit->succs[0] && guard->succs[1] != exit->succs[0]))
        return false;
    k->guard = guard->bb;
    k->before = before->bb;
    k->out = exit->bb;
    if (!read_guard(k))
        return false;
    for (unsigned i = k->loop->header; i < k->loop->end; i++) {
        if (!ls_loop_has(k->loop, i))
            continue;
        for (unsigned s = 0; s < cfg->blocks[i].n_succs; s++)
            if (&cfg->blocks[i] != latch && !ls_loop_has(k->loop, cfg->blocks[i].succs[s]))
                return false;
        for (LLVMValueRef v = LLVMGetFirstInstruction(cfg->blocks[i].bb); v;
             v = LLVMGetNextInstruction(v), n++)
            for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
                if (!in_loop(k, LLVMGetUser(u)) &&
                    LLVMGetInstructionParent(LLVMGetUser(u)) != exit->bb)
                    return false;
    }
    for (LLVMValueRef v = LLVMGetFirstInstruction(k->before); v != before->term;
         v = LLVMGetNextInstruction(v))
        if (LLVMIsAPHINode(v) || LLVMIsALoadInst(v) || !ls_remat_cheap(k->cc, v))
            return false;
    for (LLVMValueRef v = LLVMGetFirstInstruction(exit->bb); v;
         v = LLVMGetNextInstruction(v), n++) {
        if (!fits(v))
            return false;
        for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u))
            if (!LLVMIsAPHINode(LLVMGetUser(u)) &&
                LLVMGetInstructionParent(LLVMGetUser(u)) != exit->bb)
                return false;
    }
    return n <= MAX_NEAR;
}

static LLVMBasicBlockRef
copied_block(struct ls_ptrmap *map, LLVMBasicBlockRef bb)
{
    return LLVMValueAsBasicBlock(copied(map, LLVMBasicBlockAsValue(bb)));
}

static void
copy_block(struct walk *k, struct ls_ptrmap *map, LLVMBasicBlockRef bb)
{
    LLVMPositionBuilderAtEnd(k->b, copied_block(map, bb));
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
        LLVMValueRef copy;

        if (LLVMIsAPHINode(v)) {
            copy = LLVMBuildPhi(k->b, LLVMTypeOf(v), "");
            if (LLVMCanValueUseFastMathFlags(v))
                LLVMSetFastMathFlags(copy, LLVMGetFastMathFlags(v));
        } else {
            copy = LLVMInstructionClone(v);
            LLVMSetCurrentDebugLocation2(k->b, LLVMInstructionGetDebugLoc(copy));
            LLVMInsertIntoBuilder(k->b, copy);
        }
        ls_ptrmap_set(map, v, copy);
    }
}

static void
finish_copy(struct ls_ptrmap *map, LLVMBasicBlockRef bb)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
        LLVMValueRef copy = copied(map, v);

        for (unsigned i = 0; LLVMIsAPHINode(v) && i < LLVMCountIncoming(v); i++) {
            LLVMValueRef in = copied(map, LLVMGetIncomingValue(v, i));
            LLVMBasicBlockRef from = copied_block(map, LLVMGetIncomingBlock(v, i));

            LLVMAddIncoming(copy, &in, &from, 1);
        }
        for (int i = 0, n = LLVMIsAPHINode(v) ? 0 : LLVMGetNumOperands(v); i < n; i++)
            LLVMSetOperand(copy, (unsigned)i, copied(map, LLVMGetOperand(v, (unsigned)i)));
    }
}

/* Blocks whose threads all stay for long go to the loop, the others to a copy, with the test that
 * was in front of it. */
static void
keep_for_short(struct walk *k)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(k->cc->llvm);
    LLVMBasicBlockRef join = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(k->out), 0), test;
    unsigned n_threads = k->cc->n_threads ? k->cc->n_threads : USUAL_THREADS, n = 0, least;
    LLVMBasicBlockRef *blocks =
        ls_arena_alloc(k->cc->arena, (k->loop->end - k->loop->header + 2) * sizeof(*blocks));
    LLVMValueRef term = LLVMGetBasicBlockTerminator(k->guard), guard, stay;
    struct ls_ptrmap map;

    blocks[n++] = k->before;
    for (unsigned i = k->loop->header; i < k->loop->end; i++)
        if (ls_loop_has(k->loop, i))
            blocks[n++] = k->cfg->blocks[i].bb;
    blocks[n++] = k->out;
    while (!LLVMIsATerminatorInst(LLVMGetFirstInstruction(k->before))) {
        LLVMValueRef v = LLVMGetFirstInstruction(k->before);

        LLVMInstructionRemoveFromParent(v);
        LLVMPositionBuilderBefore(k->b, term);
        LLVMSetCurrentDebugLocation2(k->b, LLVMInstructionGetDebugLoc(v));
        LLVMInsertIntoBuilder(k->b, v);
    }
    ls_ptrmap_init(&map, k->cc->arena);
    test = LLVMInsertBasicBlockInContext(k->cc->llvm, k->before, "short");
    ls_ptrmap_set(&map, LLVMBasicBlockAsValue(k->guard), LLVMBasicBlockAsValue(test));
    for (unsigned i = 0; i < n; i++)
        ls_ptrmap_set(
            &map, LLVMBasicBlockAsValue(blocks[i]),
            LLVMBasicBlockAsValue(LLVMInsertBasicBlockInContext(k->cc->llvm, k->before, "short")));
    for (unsigned i = 0; i < n; i++)
        copy_block(k, &map, blocks[i]);
    for (unsigned i = 0; i < n; i++)
        finish_copy(&map, blocks[i]);
    guard = LLVMInstructionClone(term);
    LLVMPositionBuilderAtEnd(k->b, test);
    LLVMInsertIntoBuilder(k->b, guard);
    for (unsigned s = 0; s < 2; s++)
        if (LLVMGetSuccessor(guard, s) == k->before)
            LLVMSetSuccessor(guard, s, copied_block(&map, k->before));
    for (LLVMValueRef phi = LLVMGetFirstInstruction(join), after; LLVMIsAPHINode(phi);
         phi = after) {
        LLVMValueRef made, v = copied(&map, ls_ir_incoming(phi, k->out));
        LLVMBasicBlockRef from = copied_block(&map, k->out);

        after = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(k->b, phi);
        made = LLVMBuildPhi(k->b, LLVMTypeOf(phi), "");
        if (LLVMCanValueUseFastMathFlags(phi))
            LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(phi));
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMValueRef in = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef of = LLVMGetIncomingBlock(phi, i);

            of = of == k->guard ? test : of;
            LLVMAddIncoming(made, &in, &of, 1);
        }
        LLVMAddIncoming(made, &v, &from, 1);
        LLVMReplaceAllUsesWith(phi, made);
        LLVMInstructionEraseFromParent(phi);
    }
    LLVMPositionBuilderBefore(k->b, term);
    /* Where the loop does more than hand values on, trips.c has no form without masks for it. */
    least = LLVMIsATerminatorInst(ls_ir_after_phis(k->out)) ? LONG_WALK / n_threads : LONG_MASKED;
    stay = all_stay(k, LLVMConstInt(i64, least, false));
    /* An index may have come round by then: whether all go in is another question. */
    stay = LLVMBuildAnd(k->b, stay, all_stay_by(k, &k->enters, LLVMConstNull(i64)), "");
    LLVMBuildCondBr(k->b, stay, k->before, test);
    LLVMInstructionEraseFromParent(term);
}

/* The way into a loop with a near step and the way back both lead to `turn`. Makes what passes from
 * one iteration to the next, and returns the number of the iteration. */
static LLVMValueRef
enter_by_turn(struct walk *k, LLVMBasicBlockRef before, LLVMBasicBlockRef turn)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(k->cc->llvm);
    LLVMBasicBlockRef head = k->cfg->blocks[k->loop->header].bb,
                      latch = k->cfg->blocks[k->loop->latch].bb, from[2] = {before, latch};
    LLVMValueRef count, in[2] = {LLVMConstNull(i64), NULL};

    LLVMPositionBuilderAtEnd(k->b, turn);
    count = LLVMBuildPhi(k->b, i64, "turn");
    LLVMPositionBuilderBefore(k->b, LLVMGetBasicBlockTerminator(latch));
    in[1] = LLVMBuildNUWAdd(k->b, count, LLVMConstInt(i64, 1, false), "");
    LLVMAddIncoming(count, in, from, 2);
    LLVMPositionBuilderAtEnd(k->b, turn);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(head), after; LLVMIsAPHINode(phi);
         phi = after) {
        after = LLVMGetNextInstruction(phi);
        if (induction_of(k, phi))
            continue;
        LLVMValueRef moved = LLVMBuildPhi(k->b, LLVMTypeOf(phi), "");
        if (LLVMCanValueUseFastMathFlags(phi))
            LLVMSetFastMathFlags(moved, LLVMGetFastMathFlags(phi));
        in[0] = ls_ir_incoming(phi, before);
        in[1] = ls_ir_incoming(phi, latch);
        in[1] = in[1] == phi ? moved : in[1];
        LLVMAddIncoming(moved, in, from, 2);
        LLVMReplaceAllUsesWith(phi, moved);
        LLVMInstructionEraseFromParent(phi);
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef term = LLVMGetBasicBlockTerminator(from[i]);

        for (unsigned s = 0; s < LLVMGetNumSuccessors(term); s++)
            if (LLVMGetSuccessor(term, s) == head)
                LLVMSetSuccessor(term, s, turn);
    }
    return count;
}

static void
change(struct walk *k, unsigned number, struct ls_turn *turn)
{
    const struct ls_cfg_block *head = &k->cfg->blocks[k->loop->header];
    LLVMBasicBlockRef before = k->cfg->blocks[head->preds[head->preds[0] == k->loop->latch]].bb;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(k->cc->llvm);
    LLVMValueRef count, next, rest = ls_ir_after_phis(head->bb), zero = LLVMConstNull(i64);
    LLVMBasicBlockRef back = LLVMInsertBasicBlockInContext(k->cc->llvm, head->bb, "turn");

    if (k->far) {
        move_back_edge(k, before, back);
        LLVMPositionBuilderBefore(k->b, LLVMGetFirstInstruction(head->bb));
        count = LLVMBuildPhi(k->b, i64, "turn");
        LLVMPositionBuilderAtEnd(k->b, back);
        next = LLVMBuildNUWAdd(k->b, count, LLVMConstInt(i64, 1, false), "");
        LLVMAddIncoming(count, &zero, &before, 1);
        LLVMAddIncoming(count, &next, &back, 1);
    } else {
        keep_for_short(k);
        next = count = enter_by_turn(k, before, back);
    }
    turn->near = !k->far;
    if ((turn->full = all_stay(k, next)) != NULL) {
        turn->exit = k->exit;
        turn->stay = k->stays_if ? 0 : 1;
    }
    turn->once = k->once;
    mark(k, LS_FN_TURN, number);
    LLVMBuildBr(k->b, head->bb);
    LLVMPositionBuilderBefore(k->b, rest);
    for (unsigned i = 0; i < k->n_ind; i++)
        k->ind[i].value = induction_at(k, &k->ind[i], count);
    if (k->n_stays && k->far)
        prefetch(k, count, iterations_ahead(k->cc), rest);
    for (unsigned i = 0; i < k->n_ind; i++) {
        LLVMReplaceAllUsesWith(k->ind[i].phi, k->ind[i].value);
        LLVMInstructionEraseFromParent(k->ind[i].phi);
    }
    LLVMPositionBuilderBefore(k->b, ls_ir_after_phis(k->end));
    mark(k, LS_FN_TURN_END, number);
}

/* A quick look whether the loop can have turns at all, before shapes are computed. */
static bool
promising(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    return loop->depth == 1 && loop->latch != LS_NO_BLOCK &&
           cfg->blocks[loop->header].n_preds == 2 &&
           LLVMIsAPHINode(LLVMGetFirstInstruction(cfg->blocks[loop->header].bb));
}

unsigned
ls_turns_insert(struct ls_cc *cc, LLVMValueRef fn, struct ls_turn **turns)
{
    struct ls_cfg *cfg;
    struct ls_remats remats;
    struct walk *found;
    unsigned n = 0, candidates = 0;

    if (cc->n_lanes == 1 || (cc->n_warps < 2 && !cc->whole_rows) || cc->opt->opt_level == 0)
        return 0;
    cfg = ls_cfg_build(cc->arena, fn);
    for (unsigned i = 0; i < cfg->n_loops; i++)
        candidates += promising(cfg, cfg->loops[i]);
    if (!candidates || cfg->irreducible)
        return 0;
    LLVMValueRef w = ls_region_disguise_warp(cc, fn);
    const struct ls_shapes *shapes = ls_shapes_build(cc, fn, LS_SCOPE_BLOCK, false);
    ls_remats_init(&remats, cc, shapes, w);
    found = ls_arena_alloc(cc->arena, candidates * sizeof(*found));
    for (unsigned i = 0; i < cfg->n_loops; i++) {
        struct walk k = {
            .cc = cc, .shapes = shapes, .cfg = cfg, .loop = cfg->loops[i], .remats = &remats};

        if (promising(cfg, k.loop) && find_inductions(&k) && look_at_body(&k) && find_end(&k) &&
            (k.far || (can_say_all(&k) && can_be_copied(&k))))
            found[n++] = k;
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    *turns = ls_arena_alloc(cc->arena, (n + 1) * sizeof(**turns));
    for (unsigned i = 0; i < n; i++) {
        found[i].b = b;
        change(&found[i], i, &(*turns)[i]);
    }
    LLVMDisposeBuilder(b);
    ls_region_undisguise_warp(fn, w);
    return n;
}
