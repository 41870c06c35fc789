/* SPDX-License-Identifier: MIT */
/* Loads a module and throws away everything that the wanted kernel cannot reach. */
#include "compiler/ir/ir.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>

/* The index is the one that describe.c gives: position among indexed globals of the whole
 * module. */
static void
number_globals(struct ls_cc *cc, LLVMModuleRef mod)
{
    unsigned n = 0;

    for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = LLVMGetNextGlobal(g))
        if (ls_ir_global_is_indexed(g))
            ls_ir_global_set_number(cc, g, LS_MD_GLOBAL_INDEX, n++);
}

/* Deletes what the kernel does not reach. Unreached things may use each other (other kernels,
 * virtual tables), so their uses are removed first. */
static void
drop_unreached(struct ls_cc *cc, struct ls_world *w)
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
    struct ls_world w;

    ls_world_init(&w, cc, cc->mod);
    ls_world_reach(&w, kernel);
    ls_world_mark_targets(&w);
    drop_unreached(cc, &w);
}

/* Replaces aliases by what they stand for, as nothing is preempted in device code. LLVM-C cannot
 * delete an alias, so a pass does. */
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

static void
number_all(struct ls_cc *cc, LLVMModuleRef mod)
{
    ls_ir_index_constants(mod);
    number_globals(cc, mod);
    ls_ir_number_functions(mod);
}

static bool
calls_pointers(struct ls_cc *cc, LLVMModuleRef mod)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(mod, cc->opt->kernel);
    struct ls_world w;

    ls_world_init(&w, cc, mod);
    ls_world_reach(&w, kernel);
    return w.calls_pointers;
}

/* Reads what the kernel calls and names: of a large module a small part. LLVM's linker
 * reads a body when it moves it, and does not move internal functions that nothing it moved
 * mentions. NULL: the module has to be read whole, as when any of its functions may be called
 * through a pointer; or has an address, as numbers of functions hang on what all bodies do. */
static LLVMModuleRef
read_part(struct ls_cc *cc, const void *bitcode, size_t bytes)
{
    LLVMModuleRef whole = ls_ir_parse_lazily(cc, bitcode, bytes), part;
    LLVMValueRef kernel = whole ? LLVMGetNamedFunction(whole, cc->opt->kernel) : NULL;

    if (!kernel || LLVMGetFirstGlobalAlias(whole)) {
        if (whole)
            LLVMDisposeModule(whole);
        return NULL;
    }
    number_all(cc, whole);
    for (LLVMValueRef fn = LLVMGetFirstFunction(whole); fn; fn = LLVMGetNextFunction(fn))
        if (fn != kernel && !LLVMIsDeclaration(fn)) {
            LLVMSetVisibility(fn, LLVMDefaultVisibility);
            LLVMSetLinkage(fn, LLVMInternalLinkage);
        }
    part = LLVMModuleCreateWithNameInContext("device", cc->llvm);
    LLVMSetTarget(part, LLVMGetTarget(whole));
    LLVMSetDataLayout(part, LLVMGetDataLayoutStr(whole));
    if (!LLVMLinkModules2(part, whole) && /* this deletes `whole` in any case */
        !calls_pointers(cc, part) &&
        !ls_ir_takes_functions(part, LLVMGetNamedFunction(part, cc->opt->kernel)))
        return part;
    LLVMDisposeModule(part);
    return NULL;
}

bool
ls_ir_load(struct ls_cc *cc, const void *bitcode, size_t bytes)
{
    const char *name = cc->opt->kernel;
    LLVMValueRef kernel;

    cc->muted = true; /* if this fails, the module is read whole, which reports errors */
    cc->mod = read_part(cc, bitcode, bytes);
    cc->muted = false;
    if (!cc->mod) {
        cc->mod = ls_ir_parse(cc, bitcode, bytes);
        if (!cc->mod)
            return false;
        number_all(cc, cc->mod);
    }
    if (!ls_ir_has_prefix(LLVMGetTarget(cc->mod), "amdgcn"))
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "device code for %s, wanted amdgcn",
                       LLVMGetTarget(cc->mod));
    cc->device.layout = LLVMCreateTargetData(LLVMGetDataLayoutStr(cc->mod));
    if (!resolve_aliases(cc) || !ls_ir_link_images(cc))
        return false;
    kernel = LLVMGetNamedFunction(cc->mod, name);
    if (!kernel || LLVMIsDeclaration(kernel))
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "no such kernel in the device code");
    if (LLVMGetFunctionCallConv(kernel) != LLVMAMDGPUKERNELCallConv)
        return ls_diag(cc, LS_DIAG_ERROR, kernel, "the symbol is a function, not a kernel");
    keep_kernel_world(cc, kernel);
    ls_masks_take(cc);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (fn != kernel && !LLVMIsDeclaration(fn)) {
            /* A target of calls through pointers stays even if nothing mentions it. */
            LLVMSetLinkage(fn,
                           ls_ir_is_call_target(fn) ? LLVMExternalLinkage : LLVMInternalLinkage);
            LLVMSetVisibility(fn, LLVMDefaultVisibility);
        }
    return true;
}
