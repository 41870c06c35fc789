/* SPDX-License-Identifier: MIT */
/* Slots to registers, for large functions.
 *
 * LLVM's own pass looks, for each slot, at all blocks that the first store dominates, and copies a
 * table of all slots at each branch: time grows with slots times blocks, and the vectoriser makes
 * both in numbers that grow with the kernel. Here each slot costs what it spans: the blocks in
 * which it is alive. A block in which it is alive gets a phi where different stores meet; in a
 * reducible graph a few walks in reverse postorder find these (what comes back to the head of a
 * loop from a store in front of the loop is the head's own value).
 *
 * Small functions are left to LLVM: their code stays as it is. */
#include "compiler/ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cfg.h"

#define NONE (~0u)

/* Slots times blocks that LLVM's pass is given. */
#define PROMOTE_FROM 1000000

/* A store that is the last of its block, or a load that comes before all stores of its block. */
struct place {
    struct place *next;
    unsigned block;
    LLVMValueRef v; /* what is stored; the load */
};

struct var {
    LLVMValueRef slot;
    LLVMTypeRef type;
    struct place *stores, *loads;
    /* of the walk through the blocks: what the slot holds in this block */
    unsigned here;
    LLVMValueRef value;
};

/* Where a value comes from: UNKNOWN so far, the slot as it was made, the last store of a block, or
 * a phi at the start of a block. */
enum { UNKNOWN = 0, FRESH = 1 };
#define STORED(block)  (2 * (block) + 2)
#define PHI(block)     (2 * (block) + 3)
#define SOURCE_BLOCK(s) (((s) - 2) / 2)

struct promoter {
    struct ls_cc *cc;
    const struct ls_cfg *cfg;
    struct ls_ptrmap slots; /* alloca -> var */
    struct ls_ptrmap final; /* load that goes -> what stands for it */
    struct var *vars;
    unsigned n_vars;
    LLVMValueRef *dead;
    size_t n_dead, cap_dead;
    /* by block, for the variable at hand: valid where the stamp is its number + 1 */
    unsigned *alive, *stored;
    unsigned *source; /* of the value at the block's start */
    LLVMValueRef *last, *phi;
    unsigned *list, n_list; /* blocks in which it is alive at the start */
    unsigned *todo;
    struct ls_cfg_order order;
};

/* Whether all there is to a slot is that it is loaded and stored as a whole. */
static bool
is_plain(LLVMValueRef slot)
{
    LLVMTypeRef type = LLVMGetAllocatedType(slot);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind || LLVMHasMetadata(slot) ||
        !LLVMIsAConstantInt(LLVMGetOperand(slot, 0)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(slot, 0)) != 1)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool fits = false;

        if (LLVMIsALoadInst(user))
            fits = LLVMTypeOf(user) == type;
        else if (LLVMIsAStoreInst(user))
            fits = LLVMGetOperand(user, 0) != slot && LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
        if (!fits || LLVMGetVolatile(user) ||
            LLVMGetOrdering(user) != LLVMAtomicOrderingNotAtomic)
            return false;
    }
    return true;
}

static void
find_vars(struct promoter *p, LLVMValueRef fn)
{
    unsigned n = 0;

    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            p->vars = ls_arena_alloc(p->cc->arena, (n + 1) * sizeof(*p->vars));
        n = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)); i;
             i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsAAllocaInst(i) || !is_plain(i))
                continue;
            if (pass) {
                p->vars[n] =
                    (struct var){.slot = i, .type = LLVMGetAllocatedType(i), .here = NONE};
                ls_ptrmap_set(&p->slots, i, &p->vars[n]);
            }
            n++;
        }
    }
    p->n_vars = n;
}

static void
note(struct promoter *p, struct place **list, unsigned block, LLVMValueRef v)
{
    struct place *place = ls_arena_alloc(p->cc->arena, sizeof(*place));

    *place = (struct place){*list, block, v};
    *list = place;
}

static void
bury(struct promoter *p, LLVMValueRef inst)
{
    if (p->n_dead == p->cap_dead) {
        size_t cap = 2 * p->cap_dead + 1024;
        LLVMValueRef *more = ls_arena_alloc(p->cc->arena, cap * sizeof(*more));

        if (p->n_dead)
            memcpy(more, p->dead, p->n_dead * sizeof(*more));
        p->dead = more;
        p->cap_dead = cap;
    }
    p->dead[p->n_dead++] = inst;
}

/* Finds what each block asks of the slots, and what it leaves in them. */
static void
scan_block(struct promoter *p, unsigned block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(p->cfg->blocks[block].bb); i;
         i = LLVMGetNextInstruction(i)) {
        bool is_load = LLVMIsALoadInst(i) != NULL;
        struct var *var;

        if (!is_load && !LLVMIsAStoreInst(i))
            continue;
        var = ls_ptrmap_get(&p->slots, LLVMGetOperand(i, is_load ? 0 : 1));
        if (!var)
            continue;
        bury(p, i);
        if (is_load && var->here == block) {
            ls_ptrmap_set(&p->final, i, var->value);
        } else if (is_load) {
            note(p, &var->loads, block, i);
            var->value = i;
            var->here = block;
        } else {
            var->value = LLVMGetOperand(i, 0);
            var->here = block;
            if (var->stores && var->stores->block == block)
                var->stores->v = var->value;
            else
                note(p, &var->stores, block, var->value);
        }
    }
}

/* What stands for a value in the end: loads that go may stand for each other. */
static LLVMValueRef
final(struct promoter *p, LLVMValueRef v)
{
    LLVMValueRef to = v, next;

    while ((next = ls_ptrmap_get(&p->final, to)) != NULL)
        to = next;
    while (v != to) {
        next = ls_ptrmap_get(&p->final, v);
        ls_ptrmap_set(&p->final, v, to);
        v = next;
    }
    return to;
}

static int
by_number(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return x < y ? -1 : x > y;
}

/* Sorts the list; where it is dense, by looking at the blocks in its range. */
static void
sort_alive(struct promoter *p, unsigned stamp)
{
    unsigned first = NONE, last = 0, n = 0;

    for (unsigned i = 0; i < p->n_list; i++) {
        first = p->list[i] < first ? p->list[i] : first;
        last = p->list[i] > last ? p->list[i] : last;
    }
    if (p->n_list && (last - first) / 16 > p->n_list) {
        qsort(p->list, p->n_list, sizeof(*p->list), by_number);
        return;
    }
    for (unsigned block = first; n < p->n_list; block++)
        if (p->alive[block] == stamp)
            p->list[n++] = block;
}

/* The blocks at whose start the slot holds what somebody will load. */
static void
find_alive(struct promoter *p, const struct var *var, unsigned stamp)
{
    unsigned n_todo = 0;

    p->n_list = 0;
    for (const struct place *l = var->loads; l; l = l->next)
        if (p->alive[l->block] != stamp) {
            p->alive[l->block] = stamp;
            p->todo[n_todo++] = l->block;
        }
    while (n_todo) {
        unsigned block = p->todo[--n_todo];
        const struct ls_cfg_block *b = &p->cfg->blocks[block];

        p->list[p->n_list++] = block;
        p->source[block] = UNKNOWN;
        for (unsigned k = 0; k < b->n_preds; k++) {
            unsigned from = b->preds[k];

            if (p->stored[from] == stamp || p->alive[from] == stamp)
                continue;
            p->alive[from] = stamp;
            p->todo[n_todo++] = from;
        }
    }
    sort_alive(p, stamp);
}

static unsigned
source_behind(const struct promoter *p, unsigned block, unsigned stamp)
{
    return p->stored[block] == stamp ? STORED(block) : p->source[block];
}

static unsigned
source_before(const struct promoter *p, unsigned block, unsigned stamp)
{
    const struct ls_cfg_block *b = &p->cfg->blocks[block];
    unsigned source = block ? UNKNOWN : FRESH;

    for (unsigned k = 0; k < b->n_preds; k++) {
        unsigned from = b->preds[k], s = source_behind(p, from, stamp);

        if (s == UNKNOWN || s == source)
            continue;
        if (from >= block && (s == FRESH || s == PHI(block) || SOURCE_BLOCK(s) < block))
            continue; /* around a loop: the loop's own value */
        if (source != UNKNOWN)
            return PHI(block);
        source = s;
    }
    return source;
}

static void
find_sources(struct promoter *p, unsigned stamp)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < p->n_list; i++) {
            unsigned block = p->list[i], s = source_before(p, block, stamp);

            changed |= s != p->source[block];
            p->source[block] = s;
        }
    }
}

static LLVMValueRef
value_of(const struct promoter *p, const struct var *var, unsigned source)
{
    if (source == UNKNOWN || source == FRESH)
        return LLVMGetUndef(var->type);
    return source == PHI(SOURCE_BLOCK(source)) ? p->phi[SOURCE_BLOCK(source)]
                                               : p->last[SOURCE_BLOCK(source)];
}

static void
make_phis(struct promoter *p, const struct var *var, unsigned stamp, LLVMBuilderRef b)
{
    for (unsigned i = 0; i < p->n_list; i++) {
        unsigned block = p->list[i];

        if (p->source[block] != PHI(block))
            continue;
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(p->cfg->blocks[block].bb));
        p->phi[block] = LLVMBuildPhi(b, var->type, "");
    }
    for (unsigned i = 0; i < p->n_list; i++) {
        unsigned block = p->list[i];
        const struct ls_cfg_block *blk = &p->cfg->blocks[block];

        if (p->source[block] != PHI(block))
            continue;
        for (unsigned k = 0; k < blk->n_preds; k++) {
            unsigned from = blk->preds[k];
            LLVMValueRef v = value_of(p, var, source_behind(p, from, stamp));

            LLVMAddIncoming(p->phi[block], &v, &p->cfg->blocks[from].bb, 1);
        }
    }
}

/* Whether all loads read what one store wrote: then nothing is looked for in the blocks between,
 * and what lives from the function's start to its end costs what its loads do. */
static bool
has_one_source(const struct promoter *p, const struct var *var)
{
    const struct place *s = var->stores;

    if (!s || s->next)
        return false;
    for (const struct place *l = var->loads; l; l = l->next)
        if (p->order.rank[l->block] - p->order.rank[s->block] - 1 >=
            p->order.n_below[s->block] - 1)
            return false;
    return true;
}

static void
promote(struct promoter *p, unsigned number, LLVMBuilderRef b)
{
    const struct var *var = &p->vars[number];
    unsigned stamp = number + 1;

    if (has_one_source(p, var)) {
        for (const struct place *l = var->loads; l; l = l->next)
            ls_ptrmap_set(&p->final, l->v, var->stores->v);
        return;
    }

    for (const struct place *s = var->stores; s; s = s->next) {
        p->stored[s->block] = stamp;
        p->last[s->block] = s->v;
    }
    find_alive(p, var, stamp);
    find_sources(p, stamp);
    make_phis(p, var, stamp, b);
    for (const struct place *l = var->loads; l; l = l->next)
        ls_ptrmap_set(&p->final, l->v, value_of(p, var, p->source[l->block]));
}

static void
allocate(struct promoter *p)
{
    struct ls_arena *arena = p->cc->arena;
    unsigned n = p->cfg->n_blocks;

    p->alive = ls_arena_alloc(arena, n * sizeof(*p->alive));
    p->stored = ls_arena_alloc(arena, n * sizeof(*p->stored));
    p->source = ls_arena_alloc(arena, n * sizeof(*p->source));
    p->last = ls_arena_alloc(arena, n * sizeof(LLVMValueRef));
    p->phi = ls_arena_alloc(arena, n * sizeof(LLVMValueRef));
    p->list = ls_arena_alloc(arena, n * sizeof(*p->list));
    p->todo = ls_arena_alloc(arena, n * sizeof(*p->todo));
}

/* Blocks that control never comes to have no number, and their accesses are not found. */
static void
drop_unreachable(LLVMValueRef slot)
{
    LLVMUseRef use;

    while ((use = LLVMGetFirstUse(slot)) != NULL) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsALoadInst(user))
            LLVMReplaceAllUsesWith(user, LLVMGetPoison(LLVMTypeOf(user)));
        LLVMInstructionEraseFromParent(user);
    }
}

void
ls_ir_promote(struct ls_cc *cc, LLVMValueRef fn)
{
    struct promoter p = {.cc = cc};
    LLVMBuilderRef b;

    ls_ptrmap_init(&p.slots, cc->arena);
    ls_ptrmap_init(&p.final, cc->arena);
    find_vars(&p, fn);
    if (!ls_cc_is_over(cc, (uint64_t)p.n_vars * LLVMCountBasicBlocks(fn), PROMOTE_FROM))
        return;
    p.cfg = ls_cfg_build(cc->arena, fn);
    if (p.cfg->irreducible)
        return;
    allocate(&p);
    p.order = ls_cfg_order(cc->arena, p.cfg);
    for (unsigned i = 0; i < p.cfg->n_blocks; i++)
        scan_block(&p, i);
    b = LLVMCreateBuilderInContext(cc->llvm);
    for (unsigned i = 0; i < p.n_vars; i++)
        promote(&p, i, b);
    LLVMDisposeBuilder(b);
    /* Only now do values change: until here a load stands for itself. */
    for (size_t i = 0; i < p.n_dead; i++)
        if (LLVMIsALoadInst(p.dead[i]))
            LLVMReplaceAllUsesWith(p.dead[i], final(&p, p.dead[i]));
    for (size_t i = 0; i < p.n_dead; i++)
        LLVMInstructionEraseFromParent(p.dead[i]);
    for (unsigned i = 0; i < p.n_vars; i++) {
        drop_unreachable(p.vars[i].slot);
        LLVMInstructionEraseFromParent(p.vars[i].slot);
    }
}
