/* SPDX-License-Identifier: MIT */
/* Long functions in parts. LLVM makes the code of one function after the other and goes through
 * each of them some fifty times; what a long one is made of does not fit the caches, so that each
 * instruction costs more the more there are. Here stretches of a function that are entered at one
 * place and left at one become functions of their own.
 *
 * Parts share one frame, in the function that they were cut out of: in it each value that crosses
 * from one to another has a place of its own, which is written where the value is made. A place
 * always holds what was made last, as the value itself does, so who needs it reads it where it
 * begins, or behind the call of the part that makes it. */
#include "host/host.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "analysis/cfg.h"
#include "compiler/ir/ir.h"

enum {
    LONG = 40000, /* in terms of ls_host_weight: functions that stay whole */
    PART = 2000,  /* at least, what is cut off */
    FRAME_ALIGN = 64,
};

/* A stretch of blocks that became a function. */
struct part {
    LLVMValueRef fn;
    LLVMBasicBlockRef call; /* the block that calls it, and no more */
};

struct cut {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i64, ptr;
    LLVMTargetDataRef layout;
    LLVMValueRef fn; /* that is cut up */
    const struct ls_cfg *cfg;
    /* by block: its phis, once the rest was cut off; the block that calls the part that begins
     * with the rest */
    LLVMBasicBlockRef *front, *call;
    struct ls_cfg_order order;
    uint64_t *weight; /* of what is not in parts yet */
    struct part *parts;
    unsigned n_parts;
    struct ls_ptrmap part_of; /* function -> its part */
    struct ls_ptrmap places;  /* value -> its place in the frame, + 1 */
    LLVMValueRef *shared;     /* variables that lie in the frame */
    unsigned n_shared;
    uint64_t bytes; /* of the frame */
    LLVMValueRef frame;
};

static bool
is_function_value(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) || LLVMIsAArgument(v);
}

static LLVMValueRef
function_of(LLVMValueRef v)
{
    return LLVMIsAArgument(v) ? LLVMGetParamParent(v)
                              : LLVMGetBasicBlockParent(LLVMGetInstructionParent(v));
}

static bool
is_static_slot(const struct cut *c, LLVMValueRef v)
{
    return LLVMIsAAllocaInst(v) && function_of(v) == c->fn;
}

static bool
is_mask(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 1;
}

/* The type as which a value is kept in the frame: masks as bytes where there are no registers for
 * them. */
static LLVMTypeRef
kept_type(const struct cut *c, LLVMTypeRef type)
{
    return is_mask(type) && !c->cc->isa->has_masks
               ? LLVMVectorType(c->i8, LLVMGetVectorSize(type))
               : type;
}

/* Whether all that the function holds may be cut off, and kept in memory. */
static bool
is_plain(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));

            switch (LLVMGetInstructionOpcode(i)) {
            case LLVMInvoke:
            case LLVMCallBr:
            case LLVMIndirectBr:
            case LLVMLandingPad:
                return false;
            case LLVMCall:
                if (LLVMGetTailCallKind(i) == LLVMTailCallKindMustTail)
                    return false;
                break;
            case LLVMAlloca:
                if (bb != LLVMGetEntryBasicBlock(fn) ||
                    !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
                    return false;
                break;
            default:
                break;
            }
            if (kind == LLVMTokenTypeKind || kind == LLVMX86_AMXTypeKind ||
                kind == LLVMTargetExtTypeKind)
                return false;
        }
    return true;
}

static unsigned
weight_of_block(const struct cut *c, LLVMBasicBlockRef bb)
{
    unsigned n = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
        n += ls_host_weight(c->layout, i);
    return n;
}

static bool
is_long(const struct cut *c, LLVMValueRef fn)
{
    uint64_t n = 0;

    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        n += weight_of_block(c, bb);
    return ls_cc_is_over(c->cc, n, LONG);
}

/* The variables of the function stay in a block of their own, which begins no part. */
static void
keep_entry(const struct cut *c)
{
    LLVMValueRef last = NULL;

    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->fn)); i;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) || !last)
            last = i;
    if (!LLVMIsATerminatorInst(last) && !LLVMIsATerminatorInst(LLVMGetNextInstruction(last)))
        ls_ir_split_before(c->cc, LLVMGetNextInstruction(last));
}

/* Cuts blocks that are longer than a part. */
static void
split_long_blocks(const struct cut *c)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(c->fn), next; bb; bb = next) {
        unsigned n = 0;

        next = LLVMGetNextBasicBlock(bb);
        if (!ls_cc_is_over(c->cc, weight_of_block(c, bb), 2 * PART))
            continue;
        for (LLVMValueRef i = ls_ir_after_phis(bb), after; i; i = after) {
            after = LLVMGetNextInstruction(i);
            n += ls_host_weight(c->layout, i);
            if (!ls_cc_is_over(c->cc, n, PART) || !after || LLVMIsATerminatorInst(after))
                continue;
            ls_ir_split_before(c->cc, after);
            n = 0;
        }
    }
}

/* The phis of a loop's head are split: what comes into the loop meets in a block in front of it. */
static void
build_front(const struct cut *c, const struct ls_loop *loop)
{
    const struct ls_cfg_block *head = &c->cfg->blocks[loop->header];
    LLVMBasicBlockRef front = LLVMInsertBasicBlockInContext(c->cc->llvm, head->bb, "");

    for (LLVMValueRef phi = LLVMGetFirstInstruction(head->bb), next; LLVMIsAPHINode(phi);
         phi = next) {
        unsigned n = LLVMCountIncoming(phi);
        LLVMValueRef outer, inner;

        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderAtEnd(c->b, front);
        outer = LLVMBuildPhi(c->b, LLVMTypeOf(phi), "");
        LLVMPositionBuilderBefore(c->b, phi);
        inner = LLVMBuildPhi(c->b, LLVMTypeOf(phi), "");
        for (unsigned i = 0; i < n; i++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
            LLVMValueRef v = LLVMGetIncomingValue(phi, i);

            LLVMAddIncoming(ls_cfg_number(c->cfg, from) < loop->header ? outer : inner, &v, &from,
                            1);
        }
        LLVMAddIncoming(inner, &outer, &front, 1);
        LLVMReplaceAllUsesWith(phi, inner);
        LLVMInstructionEraseFromParent(phi);
    }
    for (unsigned k = 0; k < head->n_preds; k++) {
        LLVMValueRef term = c->cfg->blocks[head->preds[k]].term;

        if (head->preds[k] >= loop->header)
            continue;
        for (unsigned i = 0; i < LLVMGetNumSuccessors(term); i++)
            if (LLVMGetSuccessor(term, i) == head->bb)
                LLVMSetSuccessor(term, i, front);
    }
    LLVMPositionBuilderAtEnd(c->b, front);
    LLVMBuildBr(c->b, head->bb);
}

/* Loops get a block in front of them: a part may begin there. */
static void
build_fronts(const struct cut *c)
{
    for (unsigned i = 0; i < c->cfg->n_loops; i++) {
        const struct ls_loop *loop = c->cfg->loops[i];
        const struct ls_cfg_block *head = &c->cfg->blocks[loop->header];
        unsigned n_outside = 0, n_succs = 0;

        for (unsigned k = 0; k < head->n_preds; k++)
            if (head->preds[k] < loop->header) {
                n_outside++;
                n_succs = c->cfg->blocks[head->preds[k]].n_succs;
            }
        if (n_outside != 1 || n_succs != 1)
            build_front(c, loop);
    }
}

/* What is known of a block at which all ways from one in front of it meet: where the part at hand
 * begins and how much it holds; the place to cut before this one, and how much it held there. */
struct level {
    unsigned start, last;
    uint64_t held, held_at_last;
};

static bool
dominates(const struct cut *c, unsigned a, unsigned b)
{
    return c->order.rank[b] - c->order.rank[a] < c->order.n_below[a];
}

static bool
is_between(const struct cut *c, unsigned block, unsigned from, unsigned to)
{
    return dominates(c, from, block) && !dominates(c, to, block);
}

/* Out of the loops that do not hold a block, upwards and downwards. */
static unsigned
leave_upwards(const struct cut *c, unsigned block, const struct ls_loop *loop)
{
    const struct ls_cfg_block *b = c->cfg->blocks;

    while (block != LS_NO_BLOCK && b[block].loop && b[block].loop != loop &&
           (!loop || !ls_loop_has(b[block].loop, loop->header)))
        block = b[b[block].loop->header].idom;
    return block;
}

static unsigned
leave_downwards(const struct cut *c, unsigned block, const struct ls_loop *loop)
{
    const struct ls_cfg_block *b = c->cfg->blocks;

    while (block != LS_NO_BLOCK && b[block].loop && b[block].loop != loop &&
           (!loop || !ls_loop_has(b[block].loop, loop->header)))
        block = b[block].ipdom;
    return block;
}

/* The nearest block in front of this one from which all ways come here, and by which all lead that
 * come here, in the same iteration of the same loop. */
static unsigned
parting_of(const struct cut *c, unsigned block)
{
    const struct ls_cfg_block *b = c->cfg->blocks;
    const struct ls_loop *loop = b[block].loop;
    unsigned from;

    if (block == 0 || (loop && loop->header == block))
        return LS_NO_BLOCK;
    from = leave_upwards(c, b[block].idom, loop);
    if (from == LS_NO_BLOCK || b[from].loop != loop ||
        leave_downwards(c, b[from].ipdom, loop) != block)
        return LS_NO_BLOCK;
    return from;
}

static void
add_block(LLVMValueRef fn, LLVMBasicBlockRef bb)
{
    LLVMMoveBasicBlockAfter(bb, LLVMGetLastBasicBlock(fn));
}

/* The phis of a block get one of their own, where that isn't so yet. */
static void
cut_before(struct cut *c, unsigned block)
{
    if (!c->front[block])
        c->front[block] =
            ls_ir_split_before(c->cc, ls_ir_after_phis(c->cfg->blocks[block].bb));
}

static LLVMValueRef
make_function(const struct cut *c)
{
    LLVMTypeRef params[1] = {c->ptr};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(c->cc->llvm), params, 1, false);
    LLVMValueRef fn = LLVMAddFunction(c->cc->mod, LS_FN_PART, type);
    LLVMAttributeIndex index = LLVMAttributeFunctionIndex;
    unsigned n = LLVMGetAttributeCountAtIndex(c->fn, index);
    LLVMAttributeRef *attrs = ls_arena_alloc(c->cc->arena, (n + 1) * sizeof(LLVMAttributeRef));

    LLVMGetAttributesAtIndex(c->fn, index, attrs);
    for (unsigned i = 0; i < n; i++)
        LLVMAddAttributeAtIndex(fn, index, attrs[i]);
    ls_ir_remove_attribute(fn, "alwaysinline");
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMAppendBasicBlockInContext(c->cc->llvm, fn, "");
    return fn;
}

/* The blocks from `from` on, before `to`, become a function, which returns where they would come
 * to `to`. */
static void
cut_part(struct cut *c, unsigned from, unsigned to)
{
    LLVMBasicBlockRef call, first = c->cfg->blocks[from].bb, last = c->cfg->blocks[to].bb;
    struct part *part = &c->parts[c->n_parts++];

    cut_before(c, from);
    cut_before(c, to);
    part->fn = make_function(c);
    part->call = call = LLVMInsertBasicBlockInContext(c->cc->llvm, first, "");
    ls_ir_redirect(first, call);
    c->call[from] = call;
    for (unsigned k = from; k < to; k++) {
        if (!is_between(c, k, from, to))
            continue;
        c->weight[k] = 0;
        if (k > from && c->front[k] && LLVMGetBasicBlockParent(c->front[k]) == c->fn)
            add_block(part->fn, c->front[k]);
        if (k > from && c->call[k] && LLVMGetBasicBlockParent(c->call[k]) == c->fn)
            add_block(part->fn, c->call[k]);
        if (LLVMGetBasicBlockParent(c->cfg->blocks[k].bb) == c->fn)
            add_block(part->fn, c->cfg->blocks[k].bb);
    }
    add_block(part->fn, c->front[to]);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(c->front[to]));
    LLVMPositionBuilderAtEnd(c->b, c->front[to]);
    LLVMBuildRetVoid(c->b);
    LLVMPositionBuilderAtEnd(c->b, LLVMGetFirstBasicBlock(part->fn));
    LLVMBuildBr(c->b, first);
    LLVMPositionBuilderAtEnd(c->b, call);
    LLVMBuildBr(c->b, last);
    ls_ptrmap_set(&c->part_of, part->fn, part);
}

static uint64_t
weight_between(const struct cut *c, unsigned from, unsigned to)
{
    uint64_t n = 0;

    for (unsigned k = from; k < to; k++)
        if (c->weight[k] && is_between(c, k, from, to))
            n += c->weight[k];
    return n;
}

/* Walks through the blocks and cuts where all ways meet: what is inside comes first. */
static void
cut_parts(struct cut *c)
{
    const struct ls_cfg *cfg = c->cfg;
    struct level *levels = ls_arena_alloc(c->cc->arena, cfg->n_blocks * sizeof(*levels));

    for (unsigned k = 0; k < cfg->n_blocks; k++)
        c->weight[k] = weight_of_block(c, cfg->blocks[k].bb);
    for (unsigned k = 0; k < cfg->n_blocks; k++) {
        unsigned from = parting_of(c, k);
        struct level *l = &levels[k];

        *l = (struct level){.start = k, .last = k};
        if (from == LS_NO_BLOCK || from == 0)
            continue;
        *l = levels[from];
        l->last = from;
        l->held_at_last = l->held;
        l->held += weight_between(c, from, k);
        if (l->last > l->start && ls_cc_is_over(c->cc, l->held, 2 * PART) &&
            ls_cc_is_over(c->cc, l->held_at_last, PART / 4)) {
            cut_part(c, l->start, l->last);
            l->held -= l->held_at_last;
            l->start = l->last;
        }
        if (ls_cc_is_over(c->cc, l->held, PART)) {
            cut_part(c, l->start, k);
            *l = (struct level){.start = k, .last = k};
        }
    }
}

static uint64_t
place_for(struct cut *c, LLVMValueRef v, uint64_t bytes, uint64_t align)
{
    uint64_t at = (c->bytes + align - 1) / align * align;

    c->bytes = at + bytes;
    ls_ptrmap_set(&c->places, v, (void *)(uintptr_t)(at + 1));
    return at;
}

static LLVMValueRef
frame_of(const struct cut *c, LLVMValueRef fn)
{
    return fn == c->fn ? c->frame : LLVMGetParam(fn, 0);
}

/* The address of a place, at the builder. */
static LLVMValueRef
build_place(const struct cut *c, LLVMValueRef frame, uint64_t at)
{
    LLVMValueRef index = LLVMConstInt(c->i64, at, false);

    return LLVMBuildInBoundsGEP2(c->b, c->i8, frame, &index, 1, "");
}

/* Has a value written to the frame where it is made, and says where. */
static uint64_t
keep(struct cut *c, LLVMValueRef v)
{
    uintptr_t known = (uintptr_t)ls_ptrmap_get(&c->places, v);
    LLVMValueRef fn = function_of(v), what = v;
    LLVMTypeRef type = kept_type(c, LLVMTypeOf(v));
    unsigned align = LLVMABIAlignmentOfType(c->layout, type);
    uint64_t at;

    if (known)
        return known - 1;
    at = place_for(c, v, LLVMABISizeOfType(c->layout, type),
                   align < FRAME_ALIGN ? align : FRAME_ALIGN);
    if (LLVMIsAArgument(v))
        LLVMPositionBuilderBefore(c->b, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(fn)));
    else if (LLVMIsAPHINode(v))
        LLVMPositionBuilderBefore(c->b, ls_ir_after_phis(LLVMGetInstructionParent(v)));
    else
        LLVMPositionBuilderBefore(c->b, LLVMGetNextInstruction(v));
    if (type != LLVMTypeOf(v))
        what = LLVMBuildSExt(c->b, v, type, "");
    what = LLVMBuildStore(c->b, what, build_place(c, frame_of(c, fn), at));
    LLVMSetAlignment(what, align < FRAME_ALIGN ? align : FRAME_ALIGN);
    return at;
}

/* The place of a variable that parts share. */
static uint64_t
share(struct cut *c, LLVMValueRef slot)
{
    uintptr_t known = (uintptr_t)ls_ptrmap_get(&c->places, slot);
    unsigned align = LLVMGetAlignment(slot);

    if (known)
        return known - 1;
    c->shared[c->n_shared++] = slot;
    return place_for(c, slot, LLVMABISizeOfType(c->layout, LLVMGetAllocatedType(slot)),
                     align ? align : 1);
}

/* Where a function reads what another one makes: behind the call of the part in which that is
 * made, or where the function begins. */
static LLVMValueRef
reading_place(const struct cut *c, LLVMValueRef fn, LLVMValueRef maker)
{
    const struct part *part = ls_ptrmap_get(&c->part_of, maker);

    for (; part; part = ls_ptrmap_get(&c->part_of, LLVMGetBasicBlockParent(part->call)))
        if (LLVMGetBasicBlockParent(part->call) == fn)
            return LLVMGetBasicBlockTerminator(part->call);
    return LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(fn));
}

/* What a value of another function is in this one. */
static LLVMValueRef
bring(struct cut *c, LLVMValueRef fn, struct ls_ptrmap *here, LLVMValueRef v)
{
    LLVMValueRef known = ls_ptrmap_get(here, v), at, load;
    LLVMTypeRef type = kept_type(c, LLVMTypeOf(v));

    if (known)
        return known;
    if (is_static_slot(c, v)) {
        uint64_t place = share(c, v);

        LLVMPositionBuilderBefore(c->b, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(fn)));
        load = build_place(c, frame_of(c, fn), place);
    } else {
        uint64_t place = keep(c, v);
        unsigned align = LLVMABIAlignmentOfType(c->layout, type);

        LLVMPositionBuilderBefore(c->b, reading_place(c, fn, function_of(v)));
        at = build_place(c, frame_of(c, fn), place);
        load = LLVMBuildLoad2(c->b, type, at, "");
        LLVMSetAlignment(load, align < FRAME_ALIGN ? align : FRAME_ALIGN);
        if (type != LLVMTypeOf(v))
            load = LLVMBuildICmp(c->b, LLVMIntSLT, load, LLVMConstNull(type), "");
    }
    ls_ptrmap_set(here, v, load);
    return load;
}

static bool
is_lifetime(LLVMValueRef i)
{
    size_t len;

    return LLVMIsAIntrinsicInst(i) &&
           ls_ir_has_prefix(LLVMGetValueName2(LLVMGetCalledValue(i), &len), "llvm.lifetime.");
}

/* Replaces operands that other functions make. */
static void
settle_function(struct cut *c, LLVMValueRef fn)
{
    struct ls_ptrmap here;

    ls_ptrmap_init(&here, c->cc->arena);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            int n = LLVMGetNumOperands(i);

            next = LLVMGetNextInstruction(i);
            if (is_lifetime(i) && fn != c->fn) {
                if (is_static_slot(c, LLVMGetOperand(i, 1)))
                    share(c, LLVMGetOperand(i, 1));
                LLVMInstructionEraseFromParent(i);
                continue;
            }
            for (int k = 0; k < n; k++) {
                LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);

                if (v && is_function_value(v) && function_of(v) != fn)
                    LLVMSetOperand(i, (unsigned)k, bring(c, fn, &here, v));
            }
        }
}

/* Variables that parts share lie in the frame. */
static void
move_shared(struct cut *c)
{
    for (unsigned k = 0; k < c->n_shared; k++) {
        LLVMValueRef slot = c->shared[k];
        uint64_t at = share(c, slot);

        for (LLVMUseRef use = LLVMGetFirstUse(slot), next; use; use = next) {
            LLVMValueRef user = LLVMGetUser(use);

            next = LLVMGetNextUse(use);
            if (is_lifetime(user))
                LLVMInstructionEraseFromParent(user);
        }
        LLVMPositionBuilderBefore(c->b, slot);
        LLVMReplaceAllUsesWith(slot, build_place(c, c->frame, at));
        LLVMInstructionEraseFromParent(slot);
    }
}

static unsigned
build_calls(const struct cut *c)
{
    unsigned deepest = 0;

    for (unsigned k = 0; k < c->n_parts; k++) {
        const struct part *part = &c->parts[k];
        LLVMValueRef frame = frame_of(c, LLVMGetBasicBlockParent(part->call));
        unsigned depth = 0;

        for (const struct part *p = part; p;
             p = ls_ptrmap_get(&c->part_of, LLVMGetBasicBlockParent(p->call)))
            depth++;
        deepest = depth > deepest ? depth : deepest;
        LLVMPositionBuilderBefore(c->b, LLVMGetFirstInstruction(part->call));
        LLVMBuildCall2(c->b, LLVMGlobalGetValueType(part->fn), part->fn, &frame, 1, "");
    }
    return deepest;
}

static LLVMValueRef
build_frame(const struct cut *c, uint64_t bytes)
{
    LLVMValueRef frame;

    LLVMPositionBuilderBefore(c->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->fn)));
    frame = LLVMBuildAlloca(c->b, LLVMArrayType2(c->i8, bytes), "frame");
    LLVMSetAlignment(frame, FRAME_ALIGN);
    return frame;
}

/* How many parts are called by one another at most. */
static unsigned
cut_function(struct ls_cc *cc, LLVMValueRef fn)
{
    struct cut c = {.cc = cc, .fn = fn, .layout = LLVMGetModuleDataLayout(cc->mod)};
    unsigned n_slots = 0, deepest = 0;
    LLVMValueRef frame;

    if (!is_long(&c, fn) || !is_plain(fn))
        return 0;
    c.i8 = LLVMInt8TypeInContext(cc->llvm);
    c.i64 = LLVMInt64TypeInContext(cc->llvm);
    c.ptr = LLVMPointerTypeInContext(cc->llvm, 0);
    c.b = LLVMCreateBuilderInContext(cc->llvm);
    ls_ptrmap_init(&c.part_of, cc->arena);
    ls_ptrmap_init(&c.places, cc->arena);
    keep_entry(&c);
    split_long_blocks(&c);
    c.cfg = ls_cfg_build(cc->arena, fn);
    if (!c.cfg->irreducible && c.cfg->n_blocks == LLVMCountBasicBlocks(fn)) {
        build_fronts(&c);
        c.cfg = ls_cfg_build(cc->arena, fn);
        c.front = ls_arena_alloc(cc->arena, c.cfg->n_blocks * sizeof(LLVMBasicBlockRef));
        c.call = ls_arena_alloc(cc->arena, c.cfg->n_blocks * sizeof(LLVMBasicBlockRef));
        c.weight = ls_arena_alloc(cc->arena, c.cfg->n_blocks * sizeof(*c.weight));
        c.order = ls_cfg_order(cc->arena, c.cfg);
        c.parts = ls_arena_alloc(cc->arena, c.cfg->n_blocks * sizeof(*c.parts));
        cut_parts(&c);
    }
    if (c.n_parts) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); i;
             i = LLVMGetNextInstruction(i))
            n_slots += LLVMIsAAllocaInst(i) != NULL;
        c.shared = ls_arena_alloc(cc->arena, (n_slots + 1) * sizeof(LLVMValueRef));
        c.frame = build_frame(&c, 0);
        settle_function(&c, fn);
        for (unsigned k = 0; k < c.n_parts; k++)
            settle_function(&c, c.parts[k].fn);
        deepest = build_calls(&c);
        move_shared(&c);
        frame = build_frame(&c, c.bytes);
        LLVMReplaceAllUsesWith(c.frame, frame);
        LLVMInstructionEraseFromParent(c.frame);
    }
    LLVMDisposeBuilder(c.b);
    return deepest;
}

static bool
is_part(LLVMValueRef fn)
{
    size_t len;

    return ls_ir_has_prefix(LLVMGetValueName2(fn, &len), LS_FN_PART);
}

unsigned
ls_host_cut_parts(struct ls_cc *cc)
{
    unsigned deepest = 0, depth;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && !LLVMGetSubprogram(fn) &&
            !is_part(fn)) {
            depth = cut_function(cc, fn);
            deepest = depth > deepest ? depth : deepest;
        }
    return deepest;
}
