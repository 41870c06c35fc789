/* SPDX-License-Identifier: MIT */
/* Whether the warps of a block may have read different values where all threads seem to read the
 * same. A load from one address counts as uniform, as threads must not race; but LLVM moves loads
 * up to where all threads execute them, though the program looked at the value in one thread alone:
 * `if (tid == 0) *x = buf[0];` before another use of `buf`. The lanes of one warp read at once, so
 * in the threads that look the value is right; a warp that comes later may find what an earlier one
 * stored behind its load. Such a value is kept for each warp. */
#include "compiler/ir/ir.h"
#include "compiler/region/region_priv.h"

enum { SPACE_GLOBAL = 1, SPACE_LDS = 3, SPACE_CONSTANT = 4, SPACE_PRIVATE = 5 };

static bool
may_be_same(LLVMValueRef p, LLVMValueRef q)
{
    LLVMValueRef a = ls_ir_object_of(p), b = ls_ir_object_of(q);
    unsigned sa = LLVMGetPointerAddressSpace(LLVMTypeOf(a)),
             sb = LLVMGetPointerAddressSpace(LLVMTypeOf(b));

    if (sb == SPACE_PRIVATE || ((sa == SPACE_LDS || sb == SPACE_LDS) && sa && sb && sa != sb))
        return false;
    return a == b || !LLVMIsAGlobalVariable(a) || !LLVMIsAGlobalVariable(b);
}

/* Whether an instruction may write memory. Intrinsics and our own pseudo functions are taken to
 * work on values; a function that stays out of line may do anything. */
static bool
stores(LLVMValueRef inst)
{
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;

    return LLVMIsAStoreInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst) ||
           LLVMIsAMemIntrinsic(inst) ||
           (callee && (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)));
}

/* Whether an instruction may write the memory that `p` points to. */
static bool
writes(LLVMValueRef inst, LLVMValueRef p)
{
    if (LLVMIsACallInst(inst) && !LLVMIsAMemIntrinsic(inst))
        return true;
    return may_be_same(p, LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : 0));
}

struct list {
    struct list *next;
    LLVMValueRef inst;
    const struct ls_region *region;
};

/* By block: what it stores, and the regions that it is in. */
struct places {
    const struct ls_plan *plan;
    struct list **stores, **regions;
};

static void
add(const struct ls_plan *plan, struct list **to, struct list entry)
{
    struct list *e = ls_arena_alloc(plan->cc->arena, sizeof(*e));

    *e = entry;
    e->next = *to;
    *to = e;
}

static void
find_places(struct places *all, const struct ls_plan *plan)
{
    size_t bytes = plan->n_blocks * sizeof(struct list *);

    all->plan = plan;
    all->stores = ls_arena_alloc(plan->cc->arena, bytes);
    all->regions = ls_arena_alloc(plan->cc->arena, bytes);
    for (unsigned i = 0; i < plan->n_blocks; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(plan->blocks[i].bb); inst;
             inst = LLVMGetNextInstruction(inst))
            if (stores(inst))
                add(plan, &all->stores[i], (struct list){.inst = inst});
    for (unsigned p = 0; p < plan->n_points; p++)
        for (unsigned i = 0; i < plan->regions[p].n; i++)
            add(plan, &all->regions[plan->regions[p].order[i]],
                (struct list){.region = &plan->regions[p]});
}

/* Whether another warp may store to the load's address before this load, without a barrier
 * between. */
static bool
load_varies(const struct places *all, LLVMValueRef load)
{
    const struct ls_plan *plan = all->plan;
    LLVMValueRef p = LLVMGetOperand(load, 0);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(ls_ir_object_of(p)));
    unsigned at = ls_plan_block(plan, LLVMGetInstructionParent(load));

    if (space == SPACE_CONSTANT || space == SPACE_PRIVATE ||
        LLVMGetMetadata(load, LLVMGetMDKindIDInContext(plan->cc->llvm, "invariant.load", 14)))
        return false;
    for (const struct list *r = all->regions[at]; r; r = r->next)
        for (unsigned i = 0; i < r->region->n; i++)
            for (const struct list *s = all->stores[r->region->order[i]]; s; s = s->next)
                if (writes(s->inst, p))
                    return true;
    return false;
}

/* Marks a value and all that is computed from it. */
static void
mark(const struct ls_plan *plan, struct ls_ptrmap *differ, LLVMValueRef v)
{
    struct todo {
        LLVMValueRef v;
        struct todo *next;
    } *first = NULL, *t;

    for (;; first = first->next) {
        for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
            if (ls_ptrmap_get(differ, LLVMGetUser(u)))
                continue;
            ls_ptrmap_set(differ, LLVMGetUser(u), LLVMGetUser(u));
            t = ls_arena_alloc(plan->cc->arena, sizeof(*t));
            t->v = LLVMGetUser(u);
            t->next = first;
            first = t;
        }
        if (!first)
            break;
        v = first->v;
    }
}

void
ls_plan_find_differing(const struct ls_plan *plan, struct ls_ptrmap *differ)
{
    struct places all;

    find_places(&all, plan);
    for (unsigned i = 0; i < plan->n_blocks; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(plan->blocks[i].bb); inst;
             inst = LLVMGetNextInstruction(inst))
            if (LLVMIsALoadInst(inst) && ls_shape_uniform(plan->shapes, inst) &&
                load_varies(&all, inst)) {
                ls_ptrmap_set(differ, inst, inst);
                mark(plan, differ, inst);
            }
}
