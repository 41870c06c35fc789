/* SPDX-License-Identifier: MIT */
/* Keeps the lanes of a warp together where they meet.
 *
 * AMD's code generator gives reconvergence by the loops of the code that it is handed: a block runs
 * once in each iteration of its innermost natural loop, with all lanes that reach it in this
 * iteration, and what is behind a loop waits until all lanes have left it. Our lineariser does the
 * same. So what lanes do together is decided by which loops a block lies in. To LLVM's passes a
 * thread is alone: that a lane's way out of a loop is known already makes the way to the latch
 * superfluous, and the block that takes it leaves the loop, with its ballot, or with the release of
 * a lock that the lanes still in the loop wait for.
 *
 * Here such a pass runs on trial: where lanes may meet, instructions get a number before it and are
 * looked for after it. All of them must be there once and in the same loops, else the module is put
 * back as it was, and the pass runs again with the loops concerned pinned down; or, if that does
 * not help, not at all. */
#include "compiler/ir/ir.h"

#include <string.h>

#include "analysis/cfg.h"
#include "intrin/intrinsics.h"

#define PIN     "ls.pin"
#define MD_MEET "ls.meet" /* i32: index in ops */

/* Whether lanes may influence each other at an instruction. */
enum how {
    HOW_NOT = 0,
    HOW_DATA, /* by ordinary memory: it counts only in loops in which lanes meet otherwise */
    HOW_MEET, /* by a convergent operation, or memory that others are known to use */
};

struct op {
    enum how how;
    const struct ls_loop *loop; /* innermost, before the pass; NULL */
    bool moved;
    unsigned n_found;
};

struct trial {
    struct ls_cc *cc;
    struct op *ops;
    unsigned n_ops, n_loops; /* n_loops: number of loops in which, or around which, lanes meet */
    bool shape_changed;      /* the number of these loops changed, so that each may be concerned */
    struct ls_ptrmap to, from; /* loop before the pass -> loop after it, and back */
};

static LLVMTypeRef
pin_type(struct ls_cc *cc)
{
    return LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), NULL, 0, false);
}

/* A convergent call: no pass copies its block for some of the lanes. */
static void
pin_before(struct ls_cc *cc, LLVMValueRef inst)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    LLVMPositionBuilderBefore(b, inst);
    LLVMBuildCall2(b, pin_type(cc), ls_ir_declare(cc, PIN, pin_type(cc), true), NULL, 0, "");
    LLVMDisposeBuilder(b);
}

static void
remove_pins(struct ls_cc *cc)
{
    LLVMValueRef pin = LLVMGetNamedFunction(cc->mod, PIN);

    if (!pin)
        return;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(pin)) != NULL;)
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(pin);
}

static bool
has_attribute(LLVMValueRef call, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMValueRef fn = LLVMGetCalledValue(call);

    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
           (LLVMIsAFunction(fn) &&
            LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind));
}

static enum how
how_by_call(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;

    if (name && !strcmp(name, PIN))
        return HOW_NOT;
    if (row)
        return row->flags & LS_IF_CONVERGENT ? HOW_MEET
               : row->flags & LS_IF_MEMORY   ? HOW_DATA
                                             : HOW_NOT;
    return has_attribute(call, "convergent") ? HOW_MEET : HOW_NOT;
}

bool
ls_ir_is_convergent(LLVMValueRef inst)
{
    return LLVMIsACallInst(inst) && how_by_call(inst) == HOW_MEET;
}

bool
ls_ir_is_pure(LLVMValueRef call)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMValueRef fn = LLVMGetCalledValue(call);
    LLVMAttributeRef a = LLVMIsAFunction(fn)
                             ? LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind)
                             : NULL;
    uint64_t memory = a ? LLVMGetEnumAttributeValue(a) : UINT64_MAX;

    return (memory == 0 || memory == LS_MEMORY_INACCESSIBLE) && !ls_ir_is_convergent(call);
}

bool
ls_ir_leaves_memory(LLVMValueRef inst)
{
    if (LLVMIsACallInst(inst))
        return ls_ir_is_pure(inst);
    return !LLVMIsALoadInst(inst) && !LLVMIsAStoreInst(inst) && !LLVMIsAFenceInst(inst) &&
           !LLVMIsAAtomicRMWInst(inst) && !LLVMIsAAtomicCmpXchgInst(inst);
}

bool
ls_ir_is_private(LLVMValueRef p)
{
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p))
        p = LLVMGetOperand(p, 0);
    return LLVMIsAAllocaInst(p) || LLVMGetPointerAddressSpace(LLVMTypeOf(p)) == 5;
}

static enum how
how_lanes_meet_in(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMCall:
        return how_by_call(inst);
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return HOW_MEET;
    case LLVMLoad:
    case LLVMStore:
        if (ls_ir_is_private(LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : 0)))
            return HOW_NOT;
        return LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic
                   ? HOW_MEET
                   : HOW_DATA;
    default:
        return HOW_NOT;
    }
}

static bool
lanes_meet_in(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (how_lanes_meet_in(i) == HOW_MEET)
                return true;
    return false;
}

/* ---- Numbers on instructions ---- */

static void
number_op(struct trial *t, LLVMValueRef inst, unsigned number)
{
    LLVMMetadataRef md =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(t->cc->llvm), number, false));

    LLVMSetMetadata(inst, ls_ir_md_kind(t->cc, MD_MEET),
                    LLVMMetadataAsValue(t->cc->llvm, LLVMMDNodeInContext2(t->cc->llvm, &md, 1)));
}

static struct op *
op_of(const struct trial *t, LLVMValueRef inst, unsigned kind)
{
    LLVMValueRef node = LLVMHasMetadata(inst) ? LLVMGetMetadata(inst, kind) : NULL, number;

    if (!node)
        return NULL;
    LLVMGetMDNodeOperands(node, &number);
    return &t->ops[LLVMConstIntGetZExtValue(number)];
}

static void
remove_numbers(struct ls_cc *cc)
{
    unsigned kind = ls_ir_md_kind(cc, MD_MEET);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                if (LLVMHasMetadata(i))
                    LLVMSetMetadata(i, kind, NULL);
}

/* ---- Loops ---- */

static const struct ls_loop *
outermost(const struct ls_loop *loop)
{
    while (loop && loop->parent)
        loop = loop->parent;
    return loop;
}

static unsigned
count_inside(const struct ls_cfg *cfg, const struct ls_ptrmap *nests)
{
    unsigned n = 0;

    for (unsigned i = 0; i < cfg->n_loops; i++)
        n += ls_ptrmap_get(nests, outermost(cfg->loops[i])) != NULL;
    return n;
}

/* Finds the outermost loops in which lanes meet. */
static void
find_nests(const struct ls_cfg *cfg, struct ls_ptrmap *nests)
{
    for (unsigned b = 0; b < cfg->n_blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i && cfg->blocks[b].loop;
             i = LLVMGetNextInstruction(i))
            if (how_lanes_meet_in(i) == HOW_MEET) {
                const struct ls_loop *nest = outermost(cfg->blocks[b].loop);
                ls_ptrmap_set(nests, nest, (void *)nest);
                break;
            }
}

/* ---- Before the pass ---- */

static void
note_block(struct trial *t, const struct ls_cfg_block *blk, const struct ls_ptrmap *nests,
           unsigned *cap)
{
    bool in_nest = blk->loop && ls_ptrmap_get(nests, outermost(blk->loop));

    for (LLVMValueRef i = LLVMGetFirstInstruction(blk->bb); i; i = LLVMGetNextInstruction(i)) {
        enum how how = how_lanes_meet_in(i);

        if (how == HOW_NOT || (how == HOW_DATA && !in_nest))
            continue;
        if (t->n_ops == *cap) {
            struct op *more = ls_arena_alloc(t->cc->arena, 2 * (size_t)*cap * sizeof(*more));

            memcpy(more, t->ops, t->n_ops * sizeof(*more));
            t->ops = more;
            *cap *= 2;
        }
        t->ops[t->n_ops] = (struct op){.how = how, .loop = blk->loop};
        number_op(t, i, t->n_ops++);
    }
}

static void
note_ops(struct trial *t)
{
    unsigned cap = 64;

    t->ops = ls_arena_alloc(t->cc->arena, cap * sizeof(*t->ops));
    for (LLVMValueRef fn = LLVMGetFirstFunction(t->cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        struct ls_ptrmap nests;
        struct ls_cfg *cfg;

        if (LLVMIsDeclaration(fn) || !lanes_meet_in(fn))
            continue;
        cfg = ls_cfg_build(t->cc->arena, fn);
        ls_ptrmap_init(&nests, t->cc->arena);
        find_nests(cfg, &nests);
        for (unsigned b = 0; b < cfg->n_blocks; b++)
            note_block(t, &cfg->blocks[b], &nests, &cap);
        t->n_loops += count_inside(cfg, &nests);
    }
}

/* ---- After the pass ---- */

/* Whether two places lie in the same nest of loops, before the pass and after it. */
static bool
same_loops(struct trial *t, const struct ls_loop *before, const struct ls_loop *after)
{
    while (before && after) {
        const struct ls_loop *to = ls_ptrmap_get(&t->to, before),
                             *from = ls_ptrmap_get(&t->from, after);

        if ((to && to != after) || (from && from != before))
            return false;
        ls_ptrmap_set(&t->to, before, (void *)after);
        ls_ptrmap_set(&t->from, after, (void *)before);
        before = before->parent;
        after = after->parent;
    }
    return !before && !after;
}

static bool
look_at_block(struct trial *t, const struct ls_cfg_block *blk, struct ls_ptrmap *nests)
{
    unsigned kind = ls_ir_md_kind(t->cc, MD_MEET);
    bool ok = true;

    for (LLVMValueRef i = LLVMGetFirstInstruction(blk->bb); i; i = LLVMGetNextInstruction(i)) {
        struct op *op = op_of(t, i, kind);

        if (!op) {
            if (how_lanes_meet_in(i) == HOW_MEET)
                t->shape_changed =
                    true; /* such an instruction without a number: a pass has made it */
            continue;
        }
        op->n_found++;
        op->moved |=
            !same_loops(t, op->loop, blk->loop) || (op->how == HOW_MEET && op->n_found > 1);
        ok &= !op->moved;
        if (blk->loop)
            ls_ptrmap_set(nests, outermost(blk->loop), (void *)outermost(blk->loop));
    }
    return ok;
}

static bool
lanes_still_meet(struct trial *t)
{
    unsigned n_loops = 0;
    bool ok = true;

    ls_ptrmap_init(&t->to, t->cc->arena);
    ls_ptrmap_init(&t->from, t->cc->arena);
    for (unsigned i = 0; i < t->n_ops; i++) {
        t->ops[i].moved = false;
        t->ops[i].n_found = 0;
    }
    t->shape_changed = false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(t->cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        struct ls_ptrmap nests;
        struct ls_cfg *cfg;

        if (LLVMIsDeclaration(fn))
            continue;
        cfg = ls_cfg_build(t->cc->arena, fn);
        ls_ptrmap_init(&nests, t->cc->arena);
        for (unsigned b = 0; b < cfg->n_blocks; b++)
            ok &= look_at_block(t, &cfg->blocks[b], &nests);
        n_loops += count_inside(cfg, &nests);
    }
    t->shape_changed |= ok && n_loops != t->n_loops;
    return ok && !t->shape_changed;
}

/* ---- The second try ---- */

static void
pin_nests(struct trial *t)
{
    unsigned kind = ls_ir_md_kind(t->cc, MD_MEET);

    for (LLVMValueRef fn = LLVMGetFirstFunction(t->cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        struct ls_ptrmap
            pinned; /* outermost loops, and blocks outside of all loops, that are pinned already */
        struct ls_cfg *cfg;

        if (LLVMIsDeclaration(fn))
            continue;
        cfg = ls_cfg_build(t->cc->arena, fn);
        ls_ptrmap_init(&pinned, t->cc->arena);
        for (unsigned b = 0; b < cfg->n_blocks; b++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i;
                 i = LLVMGetNextInstruction(i)) {
                const struct op *op = op_of(t, i, kind);

                if (op && (op->moved || t->shape_changed)) {
                    const struct ls_loop *nest = outermost(cfg->blocks[b].loop);
                    const void *what = nest ? (const void *)nest : cfg->blocks[b].bb;
                    ls_ptrmap_set(&pinned, what, (void *)what);
                }
            }
        for (unsigned b = 0; b < cfg->n_blocks; b++) {
            const struct ls_loop *nest = outermost(cfg->blocks[b].loop);

            if (ls_ptrmap_get(&pinned, nest ? (const void *)nest : cfg->blocks[b].bb))
                pin_before(t->cc, ls_ir_after_phis(cfg->blocks[b].bb));
        }
    }
}

static void
put_back(struct ls_cc *cc, LLVMModuleRef as_it_was)
{
    LLVMDisposeModule(cc->mod);
    cc->mod = as_it_was;
}

bool
ls_ir_run_converged(struct ls_cc *cc, LLVMTargetMachineRef tm, const char *pass)
{
    struct trial t = {.cc = cc};
    LLVMModuleRef as_it_was;
    bool ok, good = false;

    note_ops(&t);
    if (!t.n_ops)
        return ls_ir_run_passes(cc, tm, pass);
    for (int attempt = 0; attempt < 2 && !good; attempt++) {
        as_it_was = LLVMCloneModule(cc->mod);
        if (attempt)
            pin_nests(&t);
        ok = ls_ir_run_passes(cc, tm, pass);
        good = !ok || lanes_still_meet(&t);
        if (good)
            LLVMDisposeModule(as_it_was);
        else
            put_back(cc, as_it_was);
    }
    remove_numbers(cc);
    remove_pins(cc);
    return ok;
}

/* 1 and 2: a block reads, writes shared memory. */
static unsigned
uses_of_shared_memory(LLVMBasicBlockRef bb)
{
    unsigned uses = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        bool reads = LLVMIsALoadInst(i);
        LLVMValueRef object;

        if (!reads && !LLVMIsAStoreInst(i))
            continue;
        object = ls_ir_object_of(LLVMGetOperand(i, reads ? 0 : 1));
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(object)) == 3) /* shared */
            uses |= reads ? 1u : 2u;
    }
    return uses;
}

/* The same of a block and of what follows it closely. */
static unsigned
uses_from(LLVMBasicBlockRef bb, unsigned depth)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);
    unsigned uses = uses_of_shared_memory(bb);

    for (unsigned k = 0; depth > 0 && k < LLVMGetNumSuccessors(end); k++)
        uses |= uses_from(LLVMGetSuccessor(end, k), depth - 1);
    return uses;
}

/* Whether lanes that come out of a branch go into another one, and have to do so together: some
 * read shared memory in front of the place, and others write it behind, or the other way round. By
 * a way past that place they would write before the others have read. */
static bool
is_order_of_lanes(LLVMBasicBlockRef bb)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);
    unsigned before = 0, behind = 0;

    if (LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); use;
         use = LLVMGetNextUse(use))
        if (LLVMIsATerminatorInst(LLVMGetUser(use)) && LLVMGetNumSuccessors(LLVMGetUser(use)) == 1)
            before |= uses_of_shared_memory(LLVMGetInstructionParent(LLVMGetUser(use)));
    for (unsigned k = 0; before && k < 2; k++)
        behind |= uses_from(LLVMGetSuccessor(end, k), 1);
    return (before & 1 && behind & 2) || (before & 2 && behind & 1);
}

bool
ls_ir_thread_jumps(struct ls_cc *cc)
{
    bool ok;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
                if (!LLVMIsACallInst(i) && how_lanes_meet_in(i) == HOW_MEET)
                    pin_before(cc, i);
            if (is_order_of_lanes(bb))
                pin_before(cc, ls_ir_after_phis(bb));
        }
    /* Without a target machine: for targets with divergent branches LLVM leaves jump threading
     * out. */
    ok = ls_ir_run_converged(cc, NULL, "function(jump-threading)");
    remove_pins(cc); /* where no lanes meet otherwise */
    return ok;
}

/* ---- Passes that leave control flow alone ---- */

/* Marks where memory may have been changed by other lanes: at the start of each iteration of a loop
 * in which lanes meet, and where they meet in it. */
static void
hold_nests(struct ls_cc *cc, LLVMValueRef fn)
{
    struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);
    struct ls_ptrmap nests;

    ls_ptrmap_init(&nests, cc->arena);
    find_nests(cfg, &nests);
    for (unsigned b = 0; b < cfg->n_blocks; b++) {
        const struct ls_cfg_block *blk = &cfg->blocks[b];

        if (!blk->loop || !ls_ptrmap_get(&nests, outermost(blk->loop)))
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(blk->bb); i; i = LLVMGetNextInstruction(i))
            if (how_lanes_meet_in(i) == HOW_MEET)
                pin_before(cc, i);
        if (blk->loop->header == b)
            pin_before(cc, ls_ir_after_phis(blk->bb));
    }
}

bool
ls_ir_run_held(struct ls_cc *cc, LLVMTargetMachineRef tm, const char *passes)
{
    bool ok;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && lanes_meet_in(fn))
            hold_nests(cc, fn);
    ok = ls_ir_run_passes(cc, tm, passes);
    remove_pins(cc);
    return ok;
}

/* ---- Loops in simple form ---- */

static bool
lanes_meet_in_loop(const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    for (unsigned b = loop->header; b < loop->end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].bb); i && ls_loop_has(loop, b);
             i = LLVMGetNextInstruction(i))
            if (how_lanes_meet_in(i) == HOW_MEET)
                return true;
    return false;
}

static bool
is_back_edge(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMBasicBlockRef from)
{
    unsigned b = ls_cfg_number(cfg, from);

    return b != LS_NO_BLOCK && ls_loop_has(loop, b);
}

/* Joins a phi's values from all back edges in `latch`. LLVM-C cannot remove incoming values, so the
 * phi is replaced by a new one. */
static void
split_phi(const struct ls_cfg *cfg, const struct ls_loop *loop, LLVMBuilderRef b, LLVMValueRef phi,
          LLVMBasicBlockRef latch)
{
    LLVMValueRef back, whole;

    LLVMPositionBuilderAtEnd(b, latch);
    back = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    LLVMPositionBuilderBefore(b, phi);
    whole = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);

        LLVMAddIncoming(is_back_edge(cfg, loop, from) ? back : whole, &v, &from, 1);
    }
    LLVMAddIncoming(whole, &back, &latch, 1);
    LLVMReplaceAllUsesWith(phi, whole);
    LLVMInstructionEraseFromParent(phi);
}

static void
join_latches(struct ls_cc *cc, const struct ls_cfg *cfg, const struct ls_loop *loop)
{
    LLVMBasicBlockRef header = cfg->blocks[loop->header].bb;
    LLVMBasicBlockRef latch = LLVMAppendBasicBlockInContext(cc->llvm, cfg->fn, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    for (LLVMValueRef phi = LLVMGetFirstInstruction(header), next; LLVMIsAPHINode(phi);
         phi = next) {
        next = LLVMGetNextInstruction(phi);
        split_phi(cfg, loop, b, phi, latch);
    }
    for (unsigned i = loop->header; i < loop->end; i++)
        for (unsigned k = 0; ls_loop_has(loop, i) && k < cfg->blocks[i].n_succs; k++)
            if (cfg->blocks[i].succs[k] == loop->header)
                LLVMSetSuccessor(cfg->blocks[i].term, k, latch);
    LLVMPositionBuilderAtEnd(b, latch);
    LLVMBuildBr(b, header);
    LLVMDisposeBuilder(b);
}

/* Gives loops with several latches one latch: LLVM could take such a loop for two, one in the
 * other. */
static bool
join_some_latches(struct ls_cc *cc, LLVMValueRef fn)
{
    struct ls_cfg *cfg = ls_cfg_build(cc->arena, fn);

    for (unsigned i = 0; i < cfg->n_loops; i++)
        if (cfg->loops[i]->latch == LS_NO_BLOCK && lanes_meet_in_loop(cfg, cfg->loops[i])) {
            join_latches(cc, cfg, cfg->loops[i]);
            return true;
        }
    return false;
}

void
ls_ir_join_latches(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && lanes_meet_in(fn))
            while (join_some_latches(cc, fn))
                ;
}

bool
ls_ir_simplify_loops(struct ls_cc *cc)
{
    ls_ir_join_latches(cc);
    return ls_ir_run_passes(cc, ls_ir_device_tm(cc), "function(loop-simplify,lcssa)");
}

bool
ls_ir_fix_irreducible(struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && lanes_meet_in(fn) && ls_cfg_build(cc->arena, fn)->irreducible)
            return ls_ir_run_passes(cc, ls_ir_device_tm(cc),
                                    "function(lower-switch,fix-irreducible)");
    return true;
}
