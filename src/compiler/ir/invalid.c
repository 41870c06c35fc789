/* SPDX-License-Identifier: MIT */
/* Code that LLVM refuses. Clang checks nothing of what it writes, and its passes sometimes make
 * what no LLVM reads: that is told from damaged bitcode, with the function and LLVM's reason. */
#include "compiler/ir/ir.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Linker.h>

struct attempt {
    LLVMContextRef llvm;
    LLVMModuleRef mod;
    char why[512];
};

static void
keep_reason(LLVMDiagnosticInfoRef info, void *user)
{
    struct attempt *a = user;
    char *text = LLVMGetDiagInfoDescription(info);

    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        snprintf(a->why, sizeof(a->why), "%s", text);
    LLVMDisposeMessage(text);
}

/* Reads the module without bodies, in a context of its own. */
static bool
begin(struct attempt *a, const void *data, size_t bytes)
{
    LLVMMemoryBufferRef buf = LLVMCreateMemoryBufferWithMemoryRange(data, bytes, "device", false);

    a->why[0] = 0;
    a->llvm = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(a->llvm, keep_reason, a);
    if (!LLVMGetBitcodeModuleInContext2(a->llvm, buf, &a->mod))
        return true;
    LLVMDisposeMemoryBuffer(buf);
    LLVMContextDispose(a->llvm);
    return false;
}

static void
add_stub(LLVMModuleRef to, LLVMContextRef llvm, LLVMValueRef like)
{
    size_t len;
    LLVMValueRef fn =
        LLVMAddFunction(to, LLVMGetValueName2(like, &len), LLVMGlobalGetValueType(like));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(llvm);

    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(llvm, fn, ""));
    LLVMBuildUnreachable(b);
    LLVMDisposeBuilder(b);
}

/* Whether the bodies of definitions [first, end) can be read. LLVM's linker reads the bodies that
 * it moves; all other functions are defined in the target module already, so that it does not move
 * them. */
static bool
readable(const void *data, size_t bytes, unsigned first, unsigned end, char *why, size_t why_size)
{
    struct attempt a;
    LLVMModuleRef to;
    unsigned n = 0;
    bool ok;

    if (!begin(&a, data, bytes))
        return false;
    to = LLVMModuleCreateWithNameInContext("bodies", a.llvm);
    LLVMSetTarget(to, LLVMGetTarget(a.mod));
    LLVMSetDataLayout(to, LLVMGetDataLayoutStr(a.mod));
    for (LLVMValueRef fn = LLVMGetFirstFunction(a.mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        LLVMSetComdat(fn, NULL);
        LLVMSetVisibility(fn, LLVMDefaultVisibility);
        if (n >= first && n < end) {
            LLVMSetLinkage(fn, LLVMExternalLinkage);
        } else {
            LLVMSetLinkage(fn, LLVMLinkOnceAnyLinkage);
            add_stub(to, a.llvm, fn);
        }
        n++;
    }
    ok = !LLVMLinkModules2(to, a.mod);
    if (!ok)
        snprintf(why, why_size, "%s", a.why[0] ? a.why : "its body cannot be read");
    LLVMDisposeModule(to);
    LLVMContextDispose(a.llvm);
    return ok;
}

static const char *
definition_name(struct ls_cc *cc, LLVMModuleRef mod, unsigned number)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
        size_t len;

        if (!LLVMIsDeclaration(fn) && number-- == 0)
            return ls_arena_printf(cc->arena, "%s", LLVMGetValueName2(fn, &len));
    }
    return NULL;
}

bool
ls_ir_explain_refusal(struct ls_cc *cc, const void *data, size_t bytes)
{
    struct attempt a;
    unsigned first = 0, end = 0;
    const char *name = NULL;
    char why[512] = "";

    if (!begin(&a, data, bytes))
        return ls_diag(cc, LS_DIAG_ERROR, NULL,
                       "the device bitcode is damaged or of another LLVM%s%s", a.why[0] ? ": " : "",
                       a.why);
    for (LLVMValueRef fn = LLVMGetFirstFunction(a.mod); fn; fn = LLVMGetNextFunction(fn))
        end += !LLVMIsDeclaration(fn);
    if (!LLVMGetFirstGlobalAlias(a.mod) && !readable(data, bytes, 0, end, why, sizeof(why))) {
        while (end - first > 1) {
            unsigned middle = first + (end - first) / 2;

            if (readable(data, bytes, first, middle, why, sizeof(why)))
                first = middle;
            else
                end = middle;
        }
        if (!readable(data, bytes, first, end, why, sizeof(why)))
            name = definition_name(cc, a.mod, first);
    }
    LLVMDisposeModule(a.mod);
    LLVMContextDispose(a.llvm);
    if (!name)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "the device bitcode is damaged%s%s",
                       why[0] ? ": " : "", why);
    return ls_diag(cc, LS_DIAG_ERROR, NULL,
                   "LLVM refuses the code that clang made of function %s: %s. The bitcode's frame "
                   "is sound: this is a "
                   "fault of clang's passes, which another optimisation level (-O0, -O1) may avoid",
                   name, why);
}

bool
ls_ir_check_valid(struct ls_cc *cc, LLVMModuleRef mod)
{
    char *why = NULL;
    size_t len;
    bool broken = LLVMVerifyModule(mod, LLVMReturnStatusAction, &why);

    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); broken && fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn) || !LLVMVerifyFunction(fn, LLVMReturnStatusAction))
            continue;
        ls_diag(cc, LS_DIAG_ERROR, fn,
                "clang made invalid code of function %s: %.700s. This is a fault of clang's "
                "passes, which another "
                "optimisation level (-O0, -O1) may avoid",
                LLVMGetValueName2(fn, &len), why ? why : "");
        LLVMDisposeMessage(why);
        return false;
    }
    if (broken)
        ls_diag(cc, LS_DIAG_ERROR, NULL, "clang made invalid code: %.700s", why ? why : "");
    LLVMDisposeMessage(why);
    return !broken;
}
