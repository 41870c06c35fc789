/* SPDX-License-Identifier: MIT */
/* Loops that wait for somebody else's store, or for time to pass. They must let others run: a
 * worker thread would hang, and delays that last together on a GPU would add up. */
#include "compiler/region/region_priv.h"

#include <string.h>

#include "analysis/cfg.h"
#include "compiler/ir/ir.h"
#include "intrin/intrinsics.h"

struct search {
    struct ls_cc *cc;
    const struct ls_cfg *cfg;
    const struct ls_loop *loop;
    bool meets;  /* the loop has a barrier, at which the other warps run anyway: only polling of one
                    place counts as waiting */
    bool shared; /* the loop's fences, atomic or volatile accesses say that others use the memory */
    struct ls_ptrmap seen;
};

static bool
in_loop(const struct search *s, LLVMValueRef v)
{
    unsigned b;

    if (!LLVMIsAInstruction(v))
        return false;
    b = ls_cfg_number(s->cfg, LLVMGetInstructionParent(v));
    return b != LS_NO_BLOCK && ls_loop_has(s->loop, b);
}

/* A phi of the loop itself: what an iteration hands to the next. */
static bool
is_carried(const struct search *s, LLVMValueRef v)
{
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == s->cfg->blocks[s->loop->header].bb;
}

static bool depends_on(struct search *s, LLVMValueRef v,
                       bool (*is)(struct search *s, LLVMValueRef v));

/* Whether it depends on such values (`is`) which of its operands a phi takes: looks at the branches
 * where its ways part. */
static bool
choice_depends_on(struct search *s, LLVMValueRef phi, bool (*is)(struct search *s, LLVMValueRef v))
{
    unsigned stop = s->cfg->blocks[ls_cfg_number(s->cfg, LLVMGetInstructionParent(phi))].idom;

    for (unsigned i = 0, n = LLVMCountIncoming(phi); n > 1 && i < n; i++) {
        unsigned b = ls_cfg_number(s->cfg, LLVMGetIncomingBlock(phi, i));

        while (b != LS_NO_BLOCK && ls_loop_has(s->loop, b)) {
            const struct ls_cfg_block *blk = &s->cfg->blocks[b];

            if (blk->n_succs > 1 && depends_on(s, LLVMGetCondition(blk->term), is))
                return true;
            b = b == stop ? LS_NO_BLOCK : blk->idom;
        }
    }
    return false;
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
    return !s->meets && LLVMIsAPHINode(v) && !is_carried(s, v) && choice_depends_on(s, v, is);
}

/* Whether `v` may be a value from before the loop. */
static bool
may_be_outside(struct search *s, struct ls_ptrmap *seen, LLVMValueRef v)
{
    bool select = LLVMIsASelectInst(v) != NULL;

    if (!in_loop(s, v))
        return true;
    if ((!select && !LLVMIsAPHINode(v)) || is_carried(s, v) || ls_ptrmap_get(seen, v))
        return false;
    ls_ptrmap_set(seen, v, v);
    for (int i = select, n = LLVMGetNumOperands(v); i < n; i++)
        if (may_be_outside(s, seen, LLVMGetOperand(v, (unsigned)i)))
            return true;
    return false;
}

/* Whether an index is set back to its start inside the loop: clang makes one loop of two, with an
 * index that wraps around. */
static bool
begins_again(struct search *s, LLVMValueRef phi)
{
    struct ls_ptrmap seen;

    ls_ptrmap_init(&seen, s->cc->arena);
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);

        if (in_loop(s, v) && may_be_outside(s, &seen, v))
            return true;
    }
    return false;
}

/* Whether the address differs from one iteration to the next. A loop that waits looks at the same
 * places again and again; one that walks a list or probes a table does not. `inner`: changes by a
 * loop inside count too; they do not where that loop looks at the same places each time. */
static bool
moves(struct search *s, struct ls_ptrmap *seen, LLVMValueRef v, bool inner)
{
    if (!in_loop(s, v) || ls_ptrmap_get(seen, v))
        return false;
    ls_ptrmap_set(seen, v, v);
    if ((LLVMIsAPHINode(v) && (inner || (is_carried(s, v) && !begins_again(s, v)))) ||
        LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v))
        return true;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (moves(s, seen, LLVMGetOperand(v, (unsigned)i), inner))
            return true;
    return false;
}

static bool
at_one_place(struct search *s, LLVMValueRef pointer)
{
    struct ls_ptrmap seen;

    ls_ptrmap_init(&seen, s->seen.arena);
    return !moves(s, &seen, pointer, true);
}

static bool
at_same_places(struct search *s, LLVMValueRef pointer)
{
    struct ls_ptrmap seen;

    ls_ptrmap_init(&seen, s->seen.arena);
    return !moves(s, &seen, pointer, s->meets);
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
exits_depend_on(struct search *s, bool (*is)(struct search *s, LLVMValueRef v))
{
    for (unsigned b = s->loop->header; b < s->loop->end; b++) {
        const struct ls_cfg_block *blk = &s->cfg->blocks[b];
        bool leaves = false;

        for (unsigned k = 0; ls_loop_has(s->loop, b) && k < blk->n_succs; k++)
            leaves |= !ls_loop_has(s->loop, blk->succs[k]);
        if (!leaves || blk->n_succs < 2)
            continue;
        ls_ptrmap_init(&s->seen, s->cc->arena);
        if (depends_on(s, LLVMGetCondition(blk->term), is))
            return true;
    }
    return false;
}

static bool
is_ordinary(LLVMValueRef access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static bool
is_watched(struct search *s, LLVMValueRef v)
{
    if (ls_intrin_is_clock(v))
        return true;
    if (LLVMIsALoadInst(v))
        return !is_ordinary(v) && at_same_places(s, LLVMGetOperand(v, 0));
    return is_lock_attempt(s, v) && at_one_place(s, LLVMGetOperand(v, 0));
}

/* Whether the loop retries a compare-and-swap: a load whose only use is to prepare it is not
 * waiting. */
static bool
has_retry(struct search *s)
{
    for (unsigned b = s->loop->header; b < s->loop->end; b++) {
        if (s->cfg->blocks[b].loop != s->loop)
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->blocks[b].bb); i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicCmpXchgInst(i) && !is_lock_attempt(s, i))
                return true;
    }
    return false;
}

/* ---- Ordinary loads ---- */

/* A loop waits for ordinary memory where it shows that the memory is shared, or where it stores
 * nothing that could end it by itself; and where nothing else ends it. */
struct sharing {
    bool says_so, stores, unknown;
};

static bool
is_clobber(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;

    return row ? row->flags & LS_IF_MEMORY : !name || !ls_ir_has_prefix(name, "llvm.");
}

static void
look_for_sharing(LLVMValueRef i, struct sharing *sh)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFence:
        sh->says_so = true;
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        sh->says_so = sh->stores = true;
        break;
    case LLVMLoad:
        sh->says_so |= !is_ordinary(i);
        break;
    case LLVMStore:
        sh->says_so |= !is_ordinary(i);
        sh->stores = true;
        break;
    case LLVMCall:
        sh->unknown |= is_clobber(i);
        break;
    default:
        break;
    }
}

static bool
is_stored_to(const struct search *s, LLVMValueRef pointer)
{
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        if (in_loop(s, user) && !LLVMIsALoadInst(user) && !LLVMIsAGetElementPtrInst(user))
            return true;
    }
    return false;
}

static bool
is_ordinary_watch(struct search *s, LLVMValueRef v)
{
    LLVMValueRef p = LLVMIsALoadInst(v) ? LLVMGetOperand(v, 0) : NULL;
    unsigned as;

    if (!p || !is_ordinary(v) || LLVMGetMetadata(v, ls_ir_md_kind(s->cc, "invariant.load")))
        return false;
    as = LLVMGetPointerAddressSpace(LLVMTypeOf(p));
    return (as == 0 || as == 1 || as == 3) && at_same_places(s, p) && !is_stored_to(s, p);
}

/* Whether a phi is a flag that the loop sets: it only selects among constants, values from before
 * the loop and its own last one. */
static bool
is_flag(struct search *s, struct ls_ptrmap *seen, LLVMValueRef v)
{
    if (!in_loop(s, v) || ls_ptrmap_get(seen, v))
        return true;
    ls_ptrmap_set(seen, v, v);
    if (!LLVMIsAPHINode(v) && !LLVMIsASelectInst(v) && !LLVMIsAZExtInst(v) && !LLVMIsATruncInst(v))
        return false;
    for (int i = LLVMIsASelectInst(v) ? 1 : 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (!is_flag(s, seen, LLVMGetOperand(v, (unsigned)i)))
            return false;
    return true;
}

/* Whether a value changes from iteration to iteration by itself, so that the loop makes
 * progress. */
static bool
is_progress(struct search *s, LLVMValueRef v)
{
    struct ls_ptrmap seen;

    if (LLVMIsACallInst(v))
        return is_clobber(v);
    if (LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v))
        return true;
    ls_ptrmap_init(&seen, s->cc->arena);
    return is_carried(s, v) && !is_flag(s, &seen, v) && !(s->shared && begins_again(s, v));
}

static bool
waits_for_ordinary(struct search *s)
{
    struct sharing sh = {0};

    for (unsigned b = s->loop->header; b < s->loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->blocks[b].bb);
             i && ls_loop_has(s->loop, b); i = LLVMGetNextInstruction(i))
            look_for_sharing(i, &sh);
    s->shared = sh.says_so;
    return !s->meets && !sh.unknown && (sh.says_so || !sh.stores) &&
           exits_depend_on(s, is_ordinary_watch) && !exits_depend_on(s, is_progress);
}

static bool
loop_meets(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    for (unsigned b = loop->header; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i && ls_loop_has(loop, b);
             i = LLVMGetNextInstruction(i))
            if (ls_barrier_kind(i) != LS_POINT_NONE)
                return true;
    return false;
}

static bool
loop_waits(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    struct search s = {.cc = cc, .cfg = cfg, .loop = loop, .meets = loop_meets(cfg, loop)};

    return (exits_depend_on(&s, is_watched) && !has_retry(&s)) || waits_for_ordinary(&s);
}

/* Whether a loop has no exit, or none that depends on anything inside. Such a loop gets a yield, so
 * that it becomes an error in the end, but is no reason for fibers. */
static bool
never_ends(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    const struct search s = {.cfg = cfg, .loop = loop};

    for (unsigned b = loop->header; b < loop->end; b++) {
        const struct ls_cfg_block *blk = &cfg->blocks[b];

        for (unsigned k = 0; ls_loop_has(loop, b) && k < blk->n_succs; k++)
            if (!ls_loop_has(loop, blk->succs[k]) && (LLVMIsConstant(LLVMGetCondition(blk->term)) ||
                                                 in_loop(&s, LLVMGetCondition(blk->term))))
                return false;
    }
    return true;
}

static void
yield_before(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);

    LLVMPositionBuilderBefore(b, inst);
    LLVMBuildCall2(b, type, ls_ir_declare(cc, LS_FN_YIELD, type, true), NULL, 0, "");
}

/* Whether a block already yields, as the program sleeps in each iteration. A second yield in an
 * iteration would hide from the runtime that the iteration looks at the clock. */
static bool
yields(LLVMBasicBlockRef bb)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

        if (name && !strcmp(name, LS_FN_YIELD))
            return true;
    }
    return false;
}

static unsigned
yield_in(struct ls_cc *cc, LLVMValueRef fn)
{
    struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    unsigned n = 0;

    for (unsigned i = 0; i < cfg->n_loops; i++) {
        const struct ls_loop *loop = cfg->loops[i];

        bool waits;

        if (loop->latch == LS_NO_BLOCK)
            continue;
        waits = loop_waits(cc, cfg, loop);
        if (!waits && !never_ends(cfg, loop))
            continue;
        if (!yields(cfg->blocks[loop->latch].bb))
            yield_before(cc, b, cfg->blocks[loop->latch].term);
        n += waits;
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

static bool
others_may_see(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
        return !ls_ir_is_private(LLVMGetOperand(i, 1));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    default:
        return false;
    }
}

static void
interleave_in(struct ls_cc *cc, LLVMValueRef fn, LLVMBuilderRef b)
{
    struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);

    for (unsigned k = 0; k < cfg->n_blocks; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].bb); i;
             i = LLVMGetNextInstruction(i))
            if (others_may_see(i))
                yield_before(cc, b, i);
    for (unsigned k = 0; k < cfg->n_loops; k++)
        if (cfg->loops[k]->latch != LS_NO_BLOCK)
            yield_before(cc, b, cfg->blocks[cfg->loops[k]->latch].term);
}

void
ls_spin_interleave(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            interleave_in(cc, fn, b);
    LLVMDisposeBuilder(b);
}
