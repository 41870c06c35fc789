/* SPDX-License-Identifier: MIT */
/* What a kernel can reach: by calls, by addresses, and by calls through pointers. */
#include "compiler/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN_NUMBER "ls.fn.number"
#define FN_TARGET "ls.fn.target"

static void
set_string_attribute(LLVMValueRef fn, const char *kind, const char *value)
{
    LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(fn));

    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(llvm, kind, (unsigned)strlen(kind), value,
                                                      (unsigned)strlen(value)));
}

static LLVMAttributeRef
get_string_attribute(LLVMValueRef fn, const char *kind)
{
    return LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind,
                                         (unsigned)strlen(kind));
}

/* Nothing but a callee, inside its module alone. Which of these there are is the inliner's choice,
 * and not the same in the bitcode for other devices. */
static bool
is_only_called(LLVMValueRef fn)
{
    if (LLVMGetLinkage(fn) != LLVMInternalLinkage)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        unsigned n;

        if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != fn)
            return false;
        n = LLVMGetNumArgOperands(user);
        for (unsigned i = 0; i < n; i++)
            if (LLVMGetOperand(user, i) == fn)
                return false;
    }
    return true;
}

void
ls_ir_number_functions(LLVMModuleRef mod)
{
    unsigned n = 0;
    char text[16];

    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn) || is_only_called(fn))
            continue;
        snprintf(text, sizeof(text), "%u", n++);
        set_string_attribute(fn, FN_NUMBER, text);
    }
}

bool
ls_ir_takes_functions(LLVMModuleRef mod, LLVMValueRef kernel)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
        if (fn != kernel && !LLVMIsDeclaration(fn) && !is_only_called(fn))
            return true;
    return false;
}

bool
ls_ir_function_number(LLVMValueRef fn, unsigned *number)
{
    LLVMAttributeRef a = get_string_attribute(fn, FN_NUMBER);
    unsigned len;

    if (a)
        *number = (unsigned)strtoul(LLVMGetStringAttributeValue(a, &len), NULL, 10);
    return a != NULL;
}

bool
ls_ir_is_call_target(LLVMValueRef fn)
{
    return get_string_attribute(fn, FN_TARGET) != NULL;
}

static bool
is_direct(LLVMValueRef callee)
{
    return LLVMIsAFunction(callee) || LLVMIsAGlobalAlias(callee) || LLVMIsAInlineAsm(callee);
}

/* ---- Functions whose address is taken ---- */

static void
take(struct ls_ptrmap *seen, LLVMValueRef v)
{
    if (!LLVMIsAConstant(v) || LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) ||
        ls_ptrmap_get(seen, v))
        return;
    ls_ptrmap_set(seen, v, v);
    if (LLVMIsAFunction(v) ||
        LLVMIsAGlobalVariable(v)) /* initial values of variables are visited elsewhere */
        return;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        take(seen, LLVMGetOperand(v, (unsigned)i));
}

static void
find_taken(struct ls_world *w)
{
    struct ls_ptrmap seen;
    size_t len;

    ls_ptrmap_init(&seen, w->arena);
    for (LLVMValueRef g = LLVMGetFirstGlobal(w->mod); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetInitializer(g) && !ls_ir_has_prefix(LLVMGetValueName2(g, &len), "llvm."))
            take(&seen, LLVMGetInitializer(g));
    for (LLVMValueRef fn = LLVMGetFirstFunction(w->mod); fn; fn = LLVMGetNextFunction(fn)) {
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb;
             bb = LLVMGetNextBasicBlock(bb)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
                int n = LLVMGetNumOperands(i);

                if (LLVMIsACallInst(i) && is_direct(LLVMGetCalledValue(i)))
                    n--; /* the callee, which is the last operand, does not count */
                for (int k = 0; k < n; k++)
                    take(&seen, LLVMGetOperand(i, (unsigned)k));
            }
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        w->n_taken = 0;
        for (LLVMValueRef fn = LLVMGetFirstFunction(w->mod); fn; fn = LLVMGetNextFunction(fn)) {
            if (LLVMIsDeclaration(fn) || LLVMGetFunctionCallConv(fn) == LLVMAMDGPUKERNELCallConv ||
                !ls_ptrmap_get(&seen, fn))
                continue;
            if (pass)
                w->taken[w->n_taken] = fn;
            w->n_taken++;
        }
        if (!pass)
            w->taken = ls_arena_alloc(w->arena, (w->n_taken + 1) * sizeof(*w->taken));
    }
}

/* ---- Reaching ---- */

static void
reach(struct ls_world *w, LLVMValueRef v)
{
    if (!LLVMIsAConstant(v) || LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) ||
        ls_ptrmap_get(&w->reached, v))
        return;
    ls_ptrmap_set(&w->reached, v, v);
    if (LLVMIsAFunction(v)) {
        if (w->n_fns == w->cap_fns) {
            size_t cap = w->cap_fns * 2 + 64;
            LLVMValueRef *more = ls_arena_alloc(w->arena, cap * sizeof(*more));

            if (w->n_fns)
                memcpy(more, w->fns, w->n_fns * sizeof(*more));
            w->fns = more;
            w->cap_fns = cap;
        }
        w->fns[w->n_fns++] = v;
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
walk_body(struct ls_world *w, LLVMValueRef fn)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++)
                reach(w, LLVMGetOperand(i, (unsigned)k));
            if (LLVMIsACallInst(i) && !is_direct(LLVMGetCalledValue(i))) {
                ls_ptrmap_set(&w->called_types, LLVMGetCalledFunctionType(i), w);
                w->calls_pointers = true;
            }
        }
    }
}

static bool
may_be_called(const struct ls_world *w, LLVMValueRef fn)
{
    return ls_ptrmap_get(&w->called_types, LLVMGlobalGetValueType(fn)) != NULL;
}

void
ls_world_init(struct ls_world *w, struct ls_cc *cc, LLVMModuleRef mod)
{
    memset(w, 0, sizeof(*w));
    w->arena = cc->arena;
    w->mod = mod;
}

void
ls_world_reach(struct ls_world *w, LLVMValueRef kernel)
{
    size_t done = 0;

    w->n_fns = 0;
    w->calls_pointers = false;
    ls_ptrmap_init(&w->reached, w->arena);
    ls_ptrmap_init(&w->called_types, w->arena);
    reach(w, kernel);
    while (done < w->n_fns) {
        while (done < w->n_fns)
            walk_body(w, w->fns[done++]);
        if (!w->calls_pointers)
            return;
        if (!w->taken)
            find_taken(w);
        for (size_t i = 0; i < w->n_taken; i++)
            if (may_be_called(w, w->taken[i]))
                reach(w, w->taken[i]);
    }
}

void
ls_world_mark_targets(struct ls_world *w)
{
    for (size_t i = 0; w->calls_pointers && i < w->n_taken; i++)
        if (may_be_called(w, w->taken[i]))
            set_string_attribute(w->taken[i], FN_TARGET, "");
}
