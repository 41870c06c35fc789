/* SPDX-License-Identifier: MIT */
/* What a warp has written to shared memory, or read there, stays in registers: masked stores become
 * choices between vectors, a read of what is known is that value, and a store that is written over
 * before anybody reads vanishes. A processor cannot take what it reads from a masked store that it
 * has just made; it waits for the store to leave its queue.
 *
 * Each function here runs all of a block's code on one thread of the host, and nobody else sees its
 * shared memory meanwhile. So this is about plain code in order: fences, which speak to other
 * threads, mean nothing to it. Shared memory lies between pads: of an access with one lane on, all
 * lanes may be read, and written with what was there. */
#include "host/choose.h"
#include "host/shared.h"

#include <stddef.h>
#include <string.h>

#include "base/ptrmap.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"

enum {
    MAX_PLACES = 8,   /* that are known at a time */
    MAX_DEPTH = 12,   /* of a mask */
    MAX_GUARDED = 32, /* instructions behind the test whether any lane is on */
};

/* Vectors of memory whose content is known. */
struct place {
    struct ls_sum at;
    unsigned n, bytes;    /* elements, bytes of one */
    LLVMValueRef value;   /* of any element type of so many bytes; NULL: nothing is known */
    LLVMValueRef pointer; /* there */
    unsigned align;
    LLVMValueRef store; /* what wrote it, if nobody has read since; else NULL */
};

struct holder {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    struct ls_shared shared;
    struct place places[MAX_PLACES];
    struct ls_choices made;
    unsigned turn; /* which place is forgotten next */
    struct ls_ptrmap seen;
};

/* ---- Places ---- */

static void
forget_all(struct holder *h)
{
    memset(h->places, 0, sizeof(h->places));
    memset(&h->made, 0, sizeof(h->made));
    ls_ptrmap_init(&h->made.read, h->cc->arena);
}

/* Whether an access may touch a place. */
static bool
may_touch(const struct ls_shared_access *a, const struct place *p)
{
    int32_t d;

    return !a->is_known || !ls_sum_distance(&p->at, &a->at, &d) ||
           (d < (int32_t)(p->n * p->bytes) && -d < (int32_t)(a->n * a->bytes));
}

/* The place that has all lanes of an access that may be on; `*first`: its first element there. */
static struct place *
find_place(struct holder *h, const struct ls_shared_access *a, int *first)
{
    for (unsigned i = 0; i < MAX_PLACES; i++) {
        struct place *p = &h->places[i];
        unsigned l = 0;
        int32_t d;

        if (!p->value || p->bytes != a->bytes || !ls_sum_distance(&p->at, &a->at, &d) ||
            d % (int32_t)p->bytes)
            continue;
        *first = d / (int32_t)p->bytes;
        while (l < a->n && ((*first + (int)l >= 0 && *first + (int)l < (int)p->n) ||
                            (a->mask && ls_mask_is_off(a->mask, l))))
            l++;
        if (l == a->n)
            return p;
    }
    return NULL;
}

/* The place itself, if an access is of all of it. */
static struct place *
same_place(struct holder *h, const struct ls_shared_access *a)
{
    int first;
    struct place *p = find_place(h, a, &first);

    return p && first == 0 && p->n == a->n ? p : NULL;
}

static void
note_value(struct holder *h, const struct ls_shared_access *a, LLVMValueRef value,
           LLVMValueRef store)
{
    struct place *p = same_place(h, a);

    if (a->n < 2)
        return;
    for (unsigned i = 0; i < MAX_PLACES && !p; i++)
        if (!h->places[i].value)
            p = &h->places[i];
    if (!p)
        p = &h->places[h->turn++ % MAX_PLACES];
    *p = (struct place){a->at, a->n, a->bytes, value, a->pointer, a->align, store};
}

/* Memory is read: what was stored there has to stay. */
static void
note_read(struct holder *h, const struct ls_shared_access *a)
{
    for (unsigned i = 0; i < MAX_PLACES; i++)
        if (may_touch(a, &h->places[i]))
            h->places[i].store = NULL;
}

/* Memory is written: what was known of it is not so any more, but of the place `except`. */
static void
note_write(struct holder *h, const struct ls_shared_access *a, const struct place *except)
{
    for (unsigned i = 0; i < MAX_PLACES; i++)
        if (&h->places[i] != except && h->places[i].value && may_touch(a, &h->places[i]))
            h->places[i].value = NULL;
}

/* ---- Values ---- */

/* 1 or 0; -1: not known. */
static int
lane_is_on(LLVMValueRef mask, unsigned lane)
{
    LLVMValueRef bit = mask && LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, lane) : NULL;

    if (!mask)
        return 1;
    return bit && LLVMIsAConstantInt(bit) ? (int)LLVMConstIntGetZExtValue(bit) : -1;
}

static bool
is_known_mask(const struct ls_shared_access *a)
{
    for (unsigned l = 0; l < a->n; l++)
        if (lane_is_on(a->mask, l) < 0)
            return false;
    return true;
}

/* The value of a place in elements of another type. */
static LLVMValueRef
with_type(struct holder *h, LLVMValueRef v, LLVMTypeRef type)
{
    LLVMTypeRef elem =
        LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;

    return LLVMBuildBitCast(h->b, v, LLVMVectorType(elem, LLVMGetVectorSize(LLVMTypeOf(v))), "");
}

/* Some elements of what a place holds, from `first` on. */
static LLVMValueRef
part_of(struct holder *h, const struct place *p, const struct ls_shared_access *a, int first)
{
    LLVMValueRef v, lanes[LS_SHARED_LANES];

    for (unsigned l = 0; l < a->n; l++) {
        int at = first + (int)l;
        bool in = at >= 0 && at < (int)p->n && lane_is_on(a->mask, l);

        lanes[l] = in ? LLVMConstInt(h->i32, (unsigned)at, false) : LLVMGetPoison(h->i32);
    }
    v = with_type(h, p->value, a->type);
    if (LLVMGetTypeKind(a->type) != LLVMVectorTypeKind)
        return LLVMBuildExtractElement(h->b, v, lanes[0], "");
    if (first == 0 && p->n == a->n)
        return v;
    return LLVMBuildShuffleVector(h->b, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(lanes, a->n), "");
}

/* `v` in lanes that are on. */
static LLVMValueRef
or_otherwise(struct holder *h, const struct ls_shared_access *a, LLVMValueRef v)
{
    if (!a->mask || LLVMIsUndef(a->otherwise))
        return v;
    return LLVMBuildSelect(h->b, a->mask, v, a->otherwise, "");
}

/* ---- Instructions ---- */

/* Whether a masked load is made one of all lanes: where its lanes are neighbours a shorter one is
 * better, which does not wait for stores of others (masked.c). */
static bool
wants_all(const struct ls_shared_access *a)
{
    unsigned n = 0, runs = 0;

    if (!is_known_mask(a))
        return false;
    for (unsigned l = 0; l < a->n; l++)
        if (lane_is_on(a->mask, l)) {
            n++;
            runs += l == 0 || !lane_is_on(a->mask, l - 1);
        }
    return n > 0 && (runs > 1 || n == a->n || n & (n - 1));
}

/* Whether the lanes of a masked load, and of one that soon follows, are all of a place. */
static bool
is_completed(struct holder *h, LLVMValueRef i, const struct ls_shared_access *a)
{
    struct ls_shared_access b;
    int32_t d;

    if (!is_known_mask(a))
        return false;
    for (unsigned n = 0; n < MAX_GUARDED && (i = LLVMGetNextInstruction(i)); n++) {
        unsigned l = 0;

        ls_shared_read(&h->shared, &b, i);
        if (b.writes || b.deed == LS_DEED_STORE)
            return false;
        if (b.deed != LS_DEED_LOAD || b.n != a->n || b.bytes != a->bytes ||
            !ls_sum_distance(&a->at, &b.at, &d) || d != 0)
            continue;
        while (l < a->n && (lane_is_on(a->mask, l) || lane_is_on(b.mask, l) == 1))
            l++;
        if (l == a->n)
            return true;
    }
    return false;
}

/* Whether a vector has all lanes of a masked access that are on; `*bytes`: how far in front. */
static bool
covers(const struct ls_shared_access *b, const struct ls_shared_access *a, int32_t *bytes)
{
    bool any = false;

    if (b->n != a->n || b->bytes != a->bytes || !ls_sum_distance(&b->at, &a->at, bytes) ||
        *bytes % (int32_t)a->bytes)
        return false;
    for (unsigned l = 0; l < a->n; l++) {
        int at = *bytes / (int32_t)a->bytes + (int)l;

        any |= lane_is_on(a->mask, l);
        if (lane_is_on(a->mask, l) && (at < 0 || at >= (int)a->n))
            return false;
    }
    return any;
}

/* The access behind `i` of a vector that has what a masked load reads there, and of which the whole
 * is read or chosen from anyway; false: there is none. */
static bool
find_cover(struct holder *h, LLVMValueRef i, const struct ls_shared_access *a,
           struct ls_shared_access *b, int32_t *bytes)
{
    for (unsigned n = 0; n < MAX_GUARDED && (i = LLVMGetNextInstruction(i)); n++) {
        bool stores, loads;

        ls_shared_read(&h->shared, b, i);
        stores = b->deed == LS_DEED_STORE && b->mask;
        loads = b->deed == LS_DEED_LOAD;
        if ((stores || loads) && wants_all(b) && covers(b, a, bytes))
            return *bytes != 0;
        if (b->writes || b->deed == LS_DEED_STORE)
            return false;
    }
    return false;
}

/* `v[i - 1]` is read for some lanes, and then `v[i]` is, or is written for some: all of `v[i]` is
 * read in front of `i`. */
static void
read_what_follows(struct holder *h, LLVMValueRef i, const struct ls_shared_access *a)
{
    struct ls_shared_access b;
    LLVMValueRef v, by;
    int32_t bytes;
    int first;

    if (!a->mask || !wants_all(a) || !find_cover(h, i, a, &b, &bytes) || find_place(h, &b, &first))
        return;
    by = LLVMConstInt(h->i32, (unsigned)-bytes, true);
    b.pointer = LLVMBuildGEP2(h->b, LLVMInt8TypeInContext(h->cc->llvm), a->pointer, &by, 1, "");
    v = LLVMBuildLoad2(h->b, b.type, b.pointer, "");
    b.align = a->align < a->bytes ? a->align : a->bytes;
    LLVMSetAlignment(v, b.align);
    note_read(h, &b);
    note_value(h, &b, v, NULL);
}

static void
do_load(struct holder *h, LLVMValueRef i, struct ls_shared_access *a)
{
    int first;
    struct place *p = find_place(h, a, &first);
    LLVMValueRef v;

    LLVMPositionBuilderBefore(h->b, i);
    if (!p) {
        read_what_follows(h, i, a);
        p = find_place(h, a, &first);
    }
    v = p ? part_of(h, p, a, first) : NULL;
    if (v) {
        ls_ptrmap_set(&h->made.read, p->value, p->value);
        LLVMReplaceAllUsesWith(i, or_otherwise(h, a, v));
        LLVMInstructionEraseFromParent(i);
        return;
    }
    if (a->mask && (wants_all(a) || is_completed(h, i, a))) {
        v = LLVMBuildLoad2(h->b, a->type, LLVMGetOperand(i, 0), "");
        LLVMSetAlignment(v, a->align);
        LLVMReplaceAllUsesWith(i, or_otherwise(h, a, v));
        LLVMInstructionEraseFromParent(i);
        a->mask = NULL;
    } else {
        v = i;
    }
    note_read(h, a);
    if (!a->mask)
        note_value(h, a, v, NULL);
}

/* The lanes of `v` in those of a place, from its element `first` on; `rest`: what others have. */
static LLVMValueRef
lanes_of_place(struct holder *h, const struct place *p, LLVMValueRef v, int first,
               LLVMValueRef rest)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(v));
    LLVMValueRef lanes[LS_SHARED_LANES];

    if (first == 0 && n == p->n)
        return v;
    for (unsigned l = 0; l < p->n; l++) {
        int at = (int)l - first;

        lanes[l] = LLVMConstInt(h->i32, at >= 0 && at < (int)n ? (unsigned)at : n, false);
    }
    return LLVMBuildShuffleVector(h->b, v, rest, LLVMConstVector(lanes, p->n), "");
}

/* A masked store to a place that is known: all of it is stored. Returns what. */
static LLVMValueRef
store_choice(struct holder *h, const struct ls_shared_access *a, const struct place *p, int first)
{
    LLVMValueRef off = LLVMConstNull(LLVMTypeOf(a->mask)),
                 on = lanes_of_place(h, p, a->value, first, LLVMGetPoison(a->type)),
                 mask = lanes_of_place(h, p, a->mask, first, off);

    return ls_choose(h->cc, h->b, &h->made, mask, on, with_type(h, p->value, a->type));
}

static void
do_store(struct holder *h, LLVMValueRef i, struct ls_shared_access *a)
{
    int first = 0;
    struct place *p = a->mask ? find_place(h, a, &first) : same_place(h, a);
    LLVMValueRef store = i;

    if (a->mask && p) {
        LLVMPositionBuilderBefore(h->b, i);
        a->value = store_choice(h, a, p, first);
        store = LLVMBuildStore(h->b, a->value, p->pointer);
        LLVMSetAlignment(store, p->align);
        LLVMInstructionEraseFromParent(i);
        a->at = p->at;
        a->n = p->n;
        a->pointer = p->pointer;
        a->align = p->align;
        a->mask = NULL;
    }
    note_write(h, a, p);
    if (a->mask)
        return;
    if (p && p->store)
        LLVMInstructionEraseFromParent(p->store);
    note_value(h, a, a->value, store);
}

static void
do_instruction(struct holder *h, LLVMValueRef i)
{
    struct ls_shared_access a;

    ls_shared_read(&h->shared, &a, i);
    if (a.deed == LS_DEED_LOAD) {
        do_load(h, i, &a);
    } else if (a.deed == LS_DEED_STORE) {
        do_store(h, i, &a);
    } else if (a.deed == LS_DEED_ANY) {
        if (a.reads)
            note_read(h, &a);
        if (a.writes)
            note_write(h, &a, NULL);
    }
}

/* ---- Tests whether any lane is on ---- */

/* Whether no lane of `m` is on where none of `mask` is. */
static bool
follows(LLVMValueRef m, LLVMValueRef mask, unsigned depth)
{
    LLVMOpcode op =
        LLVMIsAInstruction(m) && depth > 0 ? LLVMGetInstructionOpcode(m) : (LLVMOpcode)0;

    if (m == mask)
        return true;
    if (op == LLVMAnd)
        return follows(LLVMGetOperand(m, 0), mask, depth - 1) ||
               follows(LLVMGetOperand(m, 1), mask, depth - 1);
    if (op != LLVMShuffleVector)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef from = LLVMGetOperand(m, k);

        if (!LLVMIsUndef(from) && !LLVMIsNull(from) && !follows(from, mask, depth - 1))
            return false;
    }
    return true;
}

/* The mask of which a branch asks whether any lane is on, and in `*side` where it goes then. */
static LLVMValueRef
asked_mask(LLVMValueRef term, unsigned *side)
{
    LLVMValueRef cond = LLVMGetCondition(term), bits;

    if (!LLVMIsAICmpInst(cond) || !LLVMIsNull(LLVMGetOperand(cond, 1)) ||
        (LLVMGetICmpPredicate(cond) != LLVMIntEQ && LLVMGetICmpPredicate(cond) != LLVMIntNE))
        return NULL;
    *side = LLVMGetICmpPredicate(cond) == LLVMIntEQ;
    bits = LLVMGetOperand(cond, 0);
    return LLVMIsABitCastInst(bits) &&
                   LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(bits, 0))) == LLVMVectorTypeKind
               ? LLVMGetOperand(bits, 0)
               : NULL;
}

/* Whether an instruction may be computed though nobody asked for it. */
static bool
is_harmless(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return false;
    case LLVMShuffleVector:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMGetElementPtr:
    case LLVMSelect:
    case LLVMICmp:
    case LLVMFCmp:
        return true;
    default:
        return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsAUnaryOperator(i);
    }
}

/* Whether two places may have bytes in common. */
static bool
touch(const struct place *p, const struct place *q)
{
    struct ls_shared_access a = {.is_known = true, .at = p->at, .n = p->n, .bytes = p->bytes};

    return may_touch(&a, q);
}

/* Whether a block does no more than to store, under masks that follow from this one, to places
 * that are known and lie apart. */
static bool
only_stores(struct holder *h, LLVMBasicBlockRef bb, LLVMValueRef mask)
{
    struct place *done[MAX_PLACES], *p;
    struct ls_shared_access a;
    unsigned n = 0, n_done = 0;
    int first;

    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i != LLVMGetBasicBlockTerminator(bb);
         i = LLVMGetNextInstruction(i)) {
        ls_shared_read(&h->shared, &a, i);
        if (++n > MAX_GUARDED || (a.deed != LS_DEED_STORE && !is_harmless(i)))
            return false;
        if (a.deed != LS_DEED_STORE)
            continue;
        p = a.mask && n_done < MAX_PLACES ? find_place(h, &a, &first) : NULL;
        if (!p || !follows(a.mask, mask, MAX_DEPTH))
            return false;
        for (unsigned k = 0; k < n_done; k++)
            if (done[k] != p && touch(done[k], p))
                return false;
        done[n_done++] = p;
    }
    return n_done > 0;
}

/* Stores behind a test whether any lane is on, made of choices they need no test: the block that
 * has them joins the one that asks. Returns the first instruction that has come; NULL: none. */
static LLVMValueRef
join_guarded(struct holder *h, LLVMBasicBlockRef bb)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(bb), mask, first, end;
    LLVMBasicBlockRef some, rest;
    unsigned side = 0;

    if (!LLVMIsABranchInst(term) || !LLVMIsConditional(term) || !(mask = asked_mask(term, &side)))
        return NULL;
    some = LLVMGetSuccessor(term, side);
    rest = LLVMGetSuccessor(term, !side);
    end = LLVMGetBasicBlockTerminator(some);
    if (some == rest || LLVMGetNumSuccessors(end) != 1 || LLVMGetSuccessor(end, 0) != rest ||
        LLVMIsAPHINode(LLVMGetFirstInstruction(rest)) ||
        LLVMIsAPHINode(LLVMGetFirstInstruction(some)) ||
        LLVMGetNextUse(LLVMGetFirstUse(LLVMBasicBlockAsValue(some))) || !only_stores(h, some, mask))
        return NULL;
    first = LLVMGetFirstInstruction(some);
    LLVMPositionBuilderBefore(h->b, term);
    for (LLVMValueRef i = first, next; i != end; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(h->b, i);
    }
    LLVMBuildBr(h->b, rest);
    LLVMInstructionEraseFromParent(term);
    LLVMDeleteBasicBlock(some);
    ls_ptrmap_set(&h->seen, some, some);
    return first;
}

/* ---- Functions ---- */

/* The block behind this one, if no other leads there. */
static LLVMBasicBlockRef
only_next(LLVMBasicBlockRef bb)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);
    LLVMBasicBlockRef next = LLVMGetNumSuccessors(term) == 1 ? LLVMGetSuccessor(term, 0) : NULL;

    return next && !LLVMGetNextUse(LLVMGetFirstUse(LLVMBasicBlockAsValue(next))) ? next : NULL;
}

static void
do_chain(struct holder *h, LLVMBasicBlockRef bb)
{
    forget_all(h);
    for (; bb && !ls_ptrmap_get(&h->seen, bb); bb = only_next(bb)) {
        LLVMValueRef i = LLVMGetFirstInstruction(bb);

        ls_ptrmap_set(&h->seen, bb, bb);
        while (i) {
            for (LLVMValueRef next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                do_instruction(h, i);
            }
            i = join_guarded(h, bb);
        }
    }
}

static bool
is_chain_head(LLVMBasicBlockRef bb)
{
    LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb));

    return !u || LLVMGetNextUse(u) || LLVMGetNumSuccessors(LLVMGetUser(u)) != 1;
}

void
ls_host_hold(struct ls_cc *cc, LLVMValueRef fn)
{
    struct holder h = {.cc = cc};
    unsigned n = LLVMCountBasicBlocks(fn);
    LLVMBasicBlockRef *blocks;

    ls_shared_init(&h.shared, cc, fn);
    if (!h.shared.is_used)
        return;
    blocks = ls_arena_alloc(cc->arena, (n + 1) * sizeof(LLVMBasicBlockRef));
    LLVMGetBasicBlocks(fn, blocks);
    h.i32 = LLVMInt32TypeInContext(cc->llvm);
    h.b = LLVMCreateBuilderInContext(cc->llvm);
    ls_ptrmap_init(&h.seen, cc->arena);
    for (unsigned b = 0; b < n; b++)
        if (!ls_ptrmap_get(&h.seen, blocks[b]) && is_chain_head(blocks[b]))
            do_chain(&h, blocks[b]);
    LLVMDisposeBuilder(h.b);
}
