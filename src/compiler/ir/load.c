/* SPDX-License-Identifier: MIT */
/* Loads a module and throws away everything that the wanted kernel cannot reach. */
#include "compiler/ir/ir.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "base/ptrmap.h"

/* The index is the one that describe.c gives: position among indexed globals of the whole module. */
static void
number_globals(struct ls_cc *cc)
{
    unsigned n = 0;

    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod); g; g = LLVMGetNextGlobal(g))
        if (ls_ir_global_is_indexed(g))
            ls_ir_global_set_number(cc, g, LS_MD_GLOBAL_INDEX, n++);
}

struct world {
    struct ls_arena *arena;
    struct ls_ptrmap reached;
    LLVMValueRef *work; /* functions whose bodies are still to be walked */
    size_t n_work, cap;
};

static void
reach(struct world *w, LLVMValueRef v)
{
    if (!LLVMIsAConstant(v) || LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) ||
        ls_ptrmap_get(&w->reached, v))
        return;
    ls_ptrmap_set(&w->reached, v, v);
    if (LLVMIsAFunction(v)) {
        if (w->n_work == w->cap) {
            LLVMValueRef *more = ls_arena_alloc(w->arena, (w->cap + 64) * 2 * sizeof(*more));

            if (w->n_work)
                memcpy(more, w->work, w->n_work * sizeof(*more));
            w->work = more;
            w->cap = (w->cap + 64) * 2;
        }
        w->work[w->n_work++] = v;
        return;
    }
    if (LLVMIsAGlobalVariable(v)) {
        if (LLVMGetInitializer(v))
            reach(w, LLVMGetInitializer(v));
        return;
    }
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        reach(w, LLVMGetOperand(v, (unsigned)i));
}

static void
walk_body(struct world *w, LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++)
                reach(w, LLVMGetOperand(i, (unsigned)k));
}

/* Dead things may use each other (other kernels, vtables of nobody): cut all their uses first. */
static void
drop_unreached(struct ls_cc *cc, struct world *w)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod); g; g = LLVMGetNextGlobal(g))
        if (!ls_ptrmap_get(&w->reached, g) && LLVMGetInitializer(g))
            LLVMSetInitializer(g, NULL);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod), next; fn; fn = next) {
        next = LLVMGetNextFunction(fn);
        if (ls_ptrmap_get(&w->reached, fn))
            continue;
        LLVMReplaceAllUsesWith(fn, LLVMGetPoison(LLVMTypeOf(fn)));
        LLVMDeleteFunction(fn);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (ls_ptrmap_get(&w->reached, g))
            continue;
        LLVMReplaceAllUsesWith(g, LLVMGetPoison(LLVMTypeOf(g)));
        LLVMDeleteGlobal(g);
    }
}

static void
keep_kernel_world(struct ls_cc *cc, LLVMValueRef kernel)
{
    struct world w = {.arena = cc->arena};

    ls_ptrmap_init(&w.reached, cc->arena);
    reach(&w, kernel);
    while (w.n_work)
        walk_body(&w, w.work[--w.n_work]);
    drop_unreached(cc, &w);
}

/* An alias is its aliasee: nothing here is preempted. LLVM-C cannot delete one, so a pass does. */
static bool
resolve_aliases(struct ls_cc *cc)
{
    if (!LLVMGetFirstGlobalAlias(cc->mod))
        return true;
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(cc->mod); a; a = LLVMGetNextGlobalAlias(a)) {
        LLVMReplaceAllUsesWith(a, LLVMAliasGetAliasee(a));
        LLVMSetLinkage(a, LLVMInternalLinkage);
    }
    return ls_ir_run_passes(cc, NULL, "globaldce");
}

bool
ls_ir_load(struct ls_cc *cc, const void *bitcode, size_t bytes)
{
    const char *name = cc->opt->kernel;
    LLVMValueRef kernel;

    cc->mod = ls_ir_parse(cc, bitcode, bytes);
    if (!cc->mod)
        return false;
    if (!ls_ir_has_prefix(LLVMGetTarget(cc->mod), "amdgcn"))
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "device code for %s, wanted amdgcn",
                       LLVMGetTarget(cc->mod));
    cc->device_layout = LLVMCreateTargetData(LLVMGetDataLayoutStr(cc->mod));
    number_globals(cc);
    if (!resolve_aliases(cc))
        return false;
    kernel = LLVMGetNamedFunction(cc->mod, name);
    if (!kernel || LLVMIsDeclaration(kernel))
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "no such kernel in the device code");
    if (LLVMGetFunctionCallConv(kernel) != LLVMAMDGPUKERNELCallConv)
        return ls_diag(cc, LS_DIAG_ERROR, kernel, "the symbol is a function, not a kernel");
    keep_kernel_world(cc, kernel);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (fn != kernel && !LLVMIsDeclaration(fn)) {
            LLVMSetLinkage(fn, LLVMInternalLinkage);
            LLVMSetVisibility(fn, LLVMDefaultVisibility);
        }
    return true;
}
