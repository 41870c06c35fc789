/* SPDX-License-Identifier: MIT */
/* Which device functions disappear into the program. All of them, but recursive and very large ones:
 * a call costs masks and memory, and barriers can only be split in the program itself.
 * Image functions always go in: their descriptors must stay uniform. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include "base/ptrmap.h"

#define HUGE_INSTRUCTIONS 20000

struct node {
    LLVMValueRef fn;
    unsigned index, low;   /* Tarjan */
    bool on_stack, recursive;
    struct node *below;
};

struct graph {
    struct ls_cc *cc;
    struct ls_ptrmap nodes;
    struct node *stack;
    unsigned next;
};

static void visit_function(struct graph *g, LLVMValueRef fn);

static void
visit_callee(struct graph *g, struct node *from, LLVMValueRef callee)
{
    struct node *to;

    if (!callee || !LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
        return;
    if (callee == from->fn)
        from->recursive = true;
    to = ls_ptrmap_get(&g->nodes, callee);
    if (!to) {
        visit_function(g, callee);
        to = ls_ptrmap_get(&g->nodes, callee);
        from->low = to->low < from->low ? to->low : from->low;
    } else if (to->on_stack && to->index < from->low) {
        from->low = to->index;
    }
}

static void
visit_function(struct graph *g, LLVMValueRef fn)
{
    struct node *n = ls_arena_alloc(g->cc->arena, sizeof(*n));

    n->fn = fn;
    n->index = n->low = ++g->next;
    n->on_stack = true;
    n->below = g->stack;
    g->stack = n;
    ls_ptrmap_set(&g->nodes, fn, n);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                visit_callee(g, n, LLVMGetCalledValue(i));
    if (n->low != n->index)
        return;
    bool several = g->stack != n;
    for (struct node *m = NULL; m != n;) {
        m = g->stack;
        g->stack = m->below;
        m->on_stack = false;
        m->recursive |= several;
    }
}

static bool
has_attribute(LLVMValueRef fn, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

static void
remove_attribute(LLVMValueRef fn, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static unsigned
count_instructions(LLVMValueRef fn, bool *has_barrier)
{
    unsigned n = 0;

    *has_barrier = false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;

            *has_barrier |= name && ls_ir_has_prefix(name, "llvm.amdgcn.s.barrier");
            n++;
        }
    }
    return n;
}

static unsigned
count_calls(LLVMValueRef fn)
{
    unsigned n = 0;

    for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);

        n += LLVMIsACallInst(user) && LLVMGetCalledValue(user) == fn;
    }
    return n;
}

/* Calling conventions that differ between call and function make the call undefined, not ours to fix. */
static void
clear_call_attributes(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i))
                LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex,
                                                LLVMGetEnumAttributeKindForName("noinline", 8));
}

bool
ls_inline_calls(struct ls_cc *cc, bool *changed)
{
    LLVMValueRef program = ls_program_get(cc);
    struct graph g = {.cc = cc};
    bool inlined = false;

    ls_ptrmap_init(&g.nodes, cc->arena);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn) && !ls_ptrmap_get(&g.nodes, fn))
            visit_function(&g, fn);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        struct node *n = ls_ptrmap_get(&g.nodes, fn);
        bool has_barrier;
        unsigned size;

        if (!n)
            continue;
        *changed |= has_attribute(fn, "optnone");
        clear_call_attributes(fn);
        remove_attribute(fn, "optnone");
        remove_attribute(fn, "noinline");
        remove_attribute(fn, "alwaysinline");
        if (n->recursive || fn == program)
            continue;
        size = count_instructions(fn, &has_barrier);
        if (!has_barrier && !ls_ir_is_image_function(fn) &&
            (unsigned long long)size * count_calls(fn) > HUGE_INSTRUCTIONS)
            continue;
        if (!count_calls(fn))
            continue;
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "alwaysinline", 0));
        inlined = true;
    }
    *changed |= inlined;
    return !inlined || ls_ir_run_passes(cc, ls_ir_device_tm(cc), "always-inline,globaldce");
}
