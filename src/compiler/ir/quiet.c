/* SPDX-License-Identifier: MIT */
/* Which reads of shared memory can race with nothing: those for which no code writes to it between
 * the barriers around them. Where all threads of a block come to the same barriers, all other warps
 * are in code between the same barriers then. */
#include <string.h>

#include "analysis/access.h"
#include "compiler/ir/checks_priv.h"

/* A block's instructions up to a barrier, or to its end; those that reach each other without a
 * barrier are one set. */
struct part {
    struct part *set; /* itself: the set's first one */
    bool writes;      /* of the set: shared memory, or who knows what */
};

struct parts {
    struct ls_marker *m;
    struct ls_ptrmap first, last; /* of a basic block */
    struct ls_ptrmap of;          /* a read of shared memory -> its part */
};

static struct part *
find_set(struct part *p)
{
    while (p->set != p)
        p = p->set = p->set->set;
    return p;
}

static void
unite(struct part *a, struct part *b)
{
    a = find_set(a);
    b = find_set(b);
    a->writes |= b->writes;
    b->set = a;
}

static struct part *
make_part(struct parts *ps)
{
    struct part *p = ls_arena_alloc(ps->m->cc->arena, sizeof(*p));

    *p = (struct part){.set = p};
    return p;
}

static bool
is_barrier(LLVMValueRef inst)
{
    const char *callee = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return callee && (ls_ir_is_barrier(inst) || ls_ir_is_grid_sync(callee));
}

/* Whether an instruction may write to shared memory. */
static bool
may_write(LLVMValueRef inst)
{
    struct ls_access all[LS_MAX_ACCESSES];
    unsigned n = ls_accesses_of(inst, all);
    const char *callee = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    if (LLVMIsACallInst(inst) && n == 0)
        return !callee || !(ls_ir_has_prefix(callee, "llvm.") || ls_ir_has_prefix(callee, "ls.")) ||
               (strstr(callee, "amdgcn.ds.") && !strstr(callee, "permute") &&
                !strstr(callee, "swizzle")) ||
               strstr(callee, ".lds");
    for (unsigned i = 0; i < n; i++) {
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(all[i].pointer));

        if ((all[i].writes || all[i].is_volatile) && (space == 0 || space == 3))
            return true;
    }
    return false;
}

static bool
is_shared_read(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) == 3;
}

static void
divide(struct parts *ps, LLVMBasicBlockRef bb)
{
    struct part *p = make_part(ps);

    ls_ptrmap_set(&ps->first, bb, p);
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        if (is_barrier(i))
            p = make_part(ps);
        p->writes |= may_write(i);
        if (is_shared_read(i))
            ls_ptrmap_set(&ps->of, i, p);
    }
    ls_ptrmap_set(&ps->last, bb, p);
}

void
ls_mark_quiet(struct ls_marker *m)
{
    struct parts ps = {.m = m};
    struct ls_arena *arena = m->cc->arena;
    LLVMValueRef fn = ls_program_get(m->cc);

    ls_ptrmap_init(&ps.first, arena);
    ls_ptrmap_init(&ps.last, arena);
    ls_ptrmap_init(&ps.of, arena);
    ls_ptrmap_init(&m->quiet, arena);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        divide(&ps, bb);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);

        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            unite(ls_ptrmap_get(&ps.last, bb), ls_ptrmap_get(&ps.first, LLVMGetSuccessor(end, i)));
    }
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            struct part *p = ls_ptrmap_get(&ps.of, i);

            if (p && !find_set(p)->writes)
                ls_ptrmap_set(&m->quiet, i, p);
        }
}
