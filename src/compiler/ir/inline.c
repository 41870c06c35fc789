/* SPDX-License-Identifier: MIT */
/* Which device functions disappear into the program. All of them, but recursive ones: a call costs
 * masks and memory, pointers handed to it vary, and barriers can only be split in the program
 * itself. Where the program would grow beyond a limit, those stay out of line that would add most
 * to it. Image functions always go in: their descriptors must stay uniform; and what may be polled,
 * as loops that wait are looked for in the program alone. */
#include "compiler/ir/prepare_priv.h"

#include <string.h>

#include "base/ptrmap.h"
#include "intrin/intrinsics.h"

#define USUAL_LIMIT 20000 /* instructions of one thread's program */
#define MANY_LIMIT                                                                                 \
    6000 /* the same, where the program is so large by functions that would be there MANY_COPIES   \
            times or more */
#define MANY_COPIES 8
#define LEAST_SAVING                                                                               \
    200 /* instructions; a function that would add less stays in, as calls cost more */
#define NOINLINE_WEIGHT                                                                            \
    4 /* keeping a noinline function out counts so many times as much: its author expects many     \
         calls */

struct edge {
    struct node *to;
    struct edge *next;
};

struct node {
    LLVMValueRef fn;
    unsigned index, low; /* numbers of Tarjan's algorithm for strongly connected components */
    bool on_stack, recursive;
    bool must_go_in; /* it has a barrier, an image function or a loop that may wait, itself or in
                        what it calls */
    bool noinline_wish, is_root, stays_out;
    bool is_lone; /* it calls nothing but LLVM's own arithmetic: no other thread and no place counts
                   */
    struct node *below;
    struct node *callers_first; /* the next one in the order in which callers come before what they
                                   call (but in recursions) */
    struct edge *calls;
    uint64_t own, n_calls;  /* its own instructions; calls of it in the module */
    uint64_t whole, copies; /* instructions with all that is inlined into it; how many copies of it
                               there will be */
};

struct graph {
    struct ls_cc *cc;
    struct ls_ptrmap nodes;
    struct node *stack, *first;
    unsigned next;
};

static bool
has_attribute(LLVMValueRef fn, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

static uint64_t
add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
multiply(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

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
    struct edge *e = ls_arena_alloc(g->cc->arena, sizeof(*e));
    e->to = to;
    e->next = from->calls;
    from->calls = e;
    from->must_go_in |= to->must_go_in;
    to->n_calls++;
}

static bool
is_poll(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMCall:
        return ls_intrin_is_clock(i);
    default:
        return false;
    }
}

static bool
is_sync(const char *name)
{
    return ls_ir_has_prefix(name, "llvm.amdgcn.s.barrier") || ls_ir_is_grid_sync(name);
}

static void
visit_instruction(struct graph *g, struct node *n, LLVMValueRef i)
{
    const char *name;

    n->own++;
    n->must_go_in |= is_poll(i);
    if (!LLVMIsACallInst(i))
        return;
    name = ls_ir_callee_name(i);
    n->must_go_in |= name && is_sync(name);
    n->is_lone &=
        name && ls_ir_has_prefix(name, "llvm.") && !ls_ir_has_prefix(name, "llvm.amdgcn.");
    visit_callee(g, n, LLVMGetCalledValue(i));
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
    n->is_lone = true;
    n->must_go_in = ls_ir_is_image_function(fn);
    n->noinline_wish = has_attribute(fn, "noinline") && !has_attribute(fn, "optnone");
    n->is_root = fn == ls_program_get(g->cc) || ls_ir_is_call_target(fn);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            visit_instruction(g, n, i);
    n->callers_first = g->first;
    g->first = n;
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
goes_in(const struct node *n)
{
    return !n->recursive && !n->stays_out && n->n_calls;
}

/* The instructions of n with all that is inlined into it. Recursive functions are not inlined, so
 * this ends. */
static uint64_t
measure_whole(struct node *n)
{
    if (n->whole)
        return n->whole;
    n->whole = n->own + 1;
    for (struct edge *e = n->calls; e; e = e->next)
        if (goes_in(e->to))
            n->whole = add(n->whole, measure_whole(e->to));
    return n->whole;
}

/* Computes sizes and copies of all functions as they will be after inlining; returns the program's
 * size. */
static uint64_t
measure(struct graph *g)
{
    uint64_t total = 0;

    for (struct node *n = g->first; n; n = n->callers_first) {
        n->whole = 0;
        n->copies = n->is_root || !goes_in(n);
    }
    for (struct node *n = g->first; n; n = n->callers_first) {
        measure_whole(n);
        total = add(total, multiply(n->own, n->copies));
        for (struct edge *e = n->calls; e; e = e->next)
            if (goes_in(e->to))
                e->to->copies = add(e->to->copies, n->copies);
    }
    return total;
}

static struct node *
largest_saving(struct graph *g, uint64_t least_copies)
{
    struct node *best = NULL;
    uint64_t most = 0;

    for (struct node *n = g->first; n; n = n->callers_first) {
        if (!goes_in(n) || n->must_go_in || n->fn == ls_program_get(g->cc) ||
            n->copies < least_copies)
            continue;
        uint64_t saving = multiply(n->whole, n->copies - 1);
        if (saving < LEAST_SAVING)
            continue;
        saving = multiply(saving, n->noinline_wish ? NOINLINE_WEIGHT : 1);
        if (saving > most) {
            most = saving;
            best = n;
        }
    }
    return best;
}

static void
keep_some_out(struct graph *g)
{
    uint64_t limit = g->cc->opt->inline_limit ? g->cc->opt->inline_limit : USUAL_LIMIT;
    struct node *n;

    if (limit == 1) /* inline only what must be inlined */
        for (n = g->first; n; n = n->callers_first)
            n->stays_out = !n->must_go_in;

    /* A thread's own call costs little; many threads', as one function of vectors, much. */
    for (n = g->first; n && g->cc->keeps_threads; n = n->callers_first)
        n->stays_out |= n->noinline_wish && n->is_lone && !n->must_go_in;

    while (measure(g) > MANY_LIMIT && (n = largest_saving(g, MANY_COPIES)))
        n->stays_out = true;
    while (measure(g) > limit && (n = largest_saving(g, 2)))
        n->stays_out = true;
}

/* Removes noinline from the function's calls: whether a call is inlined is decided here, for the
 * function that it calls. */
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
    keep_some_out(&g);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        struct node *n = ls_ptrmap_get(&g.nodes, fn);

        if (!n)
            continue;
        *changed |= has_attribute(fn, "optnone");
        clear_call_attributes(fn);
        ls_ir_remove_attribute(fn, "optnone");
        ls_ir_remove_attribute(fn, "noinline");
        ls_ir_remove_attribute(fn, "alwaysinline");
        if (!goes_in(n) || fn == program)
            continue;
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(cc, "alwaysinline", 0));
        inlined = true;
    }
    *changed |= inlined;
    return !inlined || ls_ir_run_passes(cc, ls_ir_device_tm(cc), "always-inline,globaldce");
}
