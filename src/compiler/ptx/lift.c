/* SPDX-License-Identifier: MIT */
/* LLVM moves what is used in another block down to it: a sum of many terms is done where its result
 * is wanted, and until then its terms are kept in registers. In an unrolled loop with a branch in
 * it (the rare way of a sine) that is those of all iterations. Here such sums are done where the
 * last of their terms comes, and stay there. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

enum { MANY_TERMS = 3, MOST_PARTS = 64 };

/* One sum: operations that belong together, what it is made of first. */
struct sum {
    LLVMValueRef parts[MOST_PARTS];
    unsigned n_parts, block; /* the block where its last term comes */
};

struct lift {
    struct ls_ptx p;
    const struct ls_cfg *cfg;
    struct ls_ptrmap places,
        done; /* by operation: where its last term comes, + 1; what it went with */
};

static bool
is_sum(LLVMValueRef inst)
{
    const char *name;

    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFNeg:
    case LLVMExtractElement: /* and what signs and forms are chosen by */
    case LLVMSelect:
    case LLVMICmp:
    case LLVMBitCast:
    case LLVMZExt:
    case LLVMAnd:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
        return true;
    case LLVMCall:
        name = ls_ir_callee_name(inst);
        return name &&
               (ls_ir_has_prefix(name, "llvm.fma.") || ls_ir_has_prefix(name, "llvm.fmuladd."));
    default:
        return false;
    }
}

/* Parts of a vector are registers of their own. */
static bool
is_part(LLVMValueRef inst)
{
    return LLVMIsAExtractElementInst(inst) != NULL;
}

static bool
has_part(const struct sum *s, LLVMValueRef v)
{
    for (unsigned i = 0; i < s->n_parts; i++)
        if (s->parts[i] == v)
            return true;
    return false;
}

/* The block where the last of an operation's terms comes; LS_NO_BLOCK: it has none. Blocks are
 * asked in order. */
static unsigned
place_of(struct lift *x, LLVMValueRef inst)
{
    uintptr_t place = (uintptr_t)ls_ptrmap_get(&x->places, inst);

    if (place)
        return (unsigned)place - 1;
    return ls_cfg_number(x->cfg, LLVMGetInstructionParent(inst));
}

static void
find_place(struct lift *x, LLVMValueRef inst)
{
    unsigned last = LS_NO_BLOCK;

    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++) {
        LLVMValueRef v = LLVMGetOperand(inst, i);
        unsigned place = LLVMIsAInstruction(v) ? place_of(x, v) : LS_NO_BLOCK;

        if (place != LS_NO_BLOCK && (last == LS_NO_BLOCK || place > last)) /* all dominate it */
            last = place;
    }
    if (last != LS_NO_BLOCK)
        ls_ptrmap_set(&x->places, inst, (void *)(uintptr_t)(last + 1));
}

/* Adds an operation and what it is made of where its last term comes, and what has been moved down
 * from before that. False: it is too long. */
static bool
gather(struct lift *x, struct sum *s, LLVMValueRef inst)
{
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++) {
        LLVMValueRef v = LLVMGetOperand(inst, i);

        if (LLVMIsAInstruction(v) && is_sum(v) && !has_part(s, v) &&
            (place_of(x, v) == s->block ||
             ls_cfg_number(x->cfg, LLVMGetInstructionParent(v)) > s->block) &&
            !gather(x, s, v))
            return false;
    }
    if (s->n_parts == MOST_PARTS)
        return false;
    s->parts[s->n_parts++] = inst;
    return true;
}

static bool
ends_here(const struct sum *s, LLVMValueRef value)
{
    for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u))
        if (!has_part(s, LLVMGetUser(u)))
            return false;
    return true;
}

/* How many registers are free behind the sum that were not before it. */
static unsigned
count_ended(const struct sum *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->n_parts; i++)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(s->parts[i]); k++) {
            LLVMValueRef v = LLVMGetOperand(s->parts[i], k);

            if (LLVMIsAInstruction(v) && ends_here(s, v))
                n += is_part(s->parts[i]) || !has_part(s, v);
        }
    return n;
}

/* Whether who comes to a block comes to `to` as well, as often. */
static bool
leads_to(const struct ls_cfg *cfg, unsigned block, unsigned to)
{
    if (cfg->blocks[block].loop != cfg->blocks[to].loop)
        return false;
    while (block != LS_NO_BLOCK && block != to)
        block = cfg->blocks[block].ipdom;
    return block == to;
}

/* Whether nothing else is done with it at that place. */
static bool
is_end(struct lift *x, LLVMValueRef inst, unsigned place)
{
    for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u))
        if (is_sum(LLVMGetUser(u)) && place_of(x, LLVMGetUser(u)) == place)
            return false;
    return true;
}

static bool
is_used_here(LLVMValueRef inst)
{
    for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u))
        if (LLVMGetInstructionParent(LLVMGetUser(u)) == LLVMGetInstructionParent(inst))
            return true;
    return false;
}

/* Behind an empty piece of assembly, which stays where it is. */
static void
pin(struct ls_ptx *p, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    const char *constraints = type == p->f64 ? "=d,0" : "=f,0";
    LLVMValueRef pinned = ls_ptx_asm(p, type, "", constraints, &inst, 1, true);

    LLVMReplaceAllUsesWith(inst, pinned);
    LLVMSetOperand(pinned, 0, inst);
}

/* The sum that ends in an operation of a block. */
static void
lift(struct lift *x, LLVMValueRef inst, unsigned block)
{
    struct sum s = {.block = place_of(x, inst)};
    LLVMTypeRef type = LLVMTypeOf(inst);
    const struct ls_cfg *cfg = x->cfg;

    if ((type != x->p.f32 && type != x->p.f64) || !is_sum(inst) || is_part(inst) ||
        ls_ptrmap_get(&x->done, inst) || !is_end(x, inst, s.block) ||
        (s.block == block ? is_used_here(inst) : !leads_to(cfg, s.block, block)) ||
        !gather(x, &s, inst) || count_ended(&s) < MANY_TERMS)
        return;
    LLVMPositionBuilderBefore(x->p.b, cfg->blocks[s.block].term);
    for (unsigned i = 0; i < s.n_parts; i++) {
        ls_ptrmap_set(&x->done, s.parts[i], inst);
        if (ls_cfg_number(cfg, LLVMGetInstructionParent(s.parts[i])) <= s.block)
            continue;
        LLVMInstructionRemoveFromParent(s.parts[i]);
        LLVMInsertIntoBuilder(x->p.b, s.parts[i]);
    }
    pin(&x->p, inst);
}

/* All instructions of a function, as they stand. */
static LLVMValueRef *
list(struct lift *x, unsigned *n)
{
    LLVMValueRef *all;

    *n = 0;
    for (unsigned b = 0; b < x->cfg->n_blocks; b++)
        for (LLVMValueRef i = x->cfg->blocks[b].term; i; i = LLVMGetPreviousInstruction(i))
            ++*n;
    all = ls_arena_alloc(x->p.cc->arena, *n * sizeof(*all));
    *n = 0;
    for (unsigned b = 0; b < x->cfg->n_blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(x->cfg->blocks[b].bb); i;
             i = LLVMGetNextInstruction(i))
            all[(*n)++] = i;
    return all;
}

static void
lift_all(struct lift *x)
{
    unsigned n;
    LLVMValueRef *all = list(x, &n);

    ls_ptrmap_init(&x->places, x->p.cc->arena);
    ls_ptrmap_init(&x->done, x->p.cc->arena);
    for (unsigned i = 0; i < n; i++)
        if (is_sum(all[i]))
            find_place(x, all[i]);
    for (unsigned i = 0; i < n; i++)
        lift(x, all[i], ls_cfg_number(x->cfg, LLVMGetInstructionParent(all[i])));
}

void
ls_ptx_lift(struct ls_cc *cc)
{
    struct lift x = {.p = {.cc = cc,
                           .b = LLVMCreateBuilderInContext(cc->llvm),
                           .f32 = LLVMFloatTypeInContext(cc->llvm),
                           .f64 = LLVMDoubleTypeInContext(cc->llvm)}};

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        x.cfg = LLVMIsDeclaration(fn) ? NULL : ls_cfg_build(cc->arena, fn);
        if (x.cfg && x.cfg->n_blocks > 1 && !x.cfg->irreducible)
            lift_all(&x);
    }
    LLVMDisposeBuilder(x.p.b);
}
