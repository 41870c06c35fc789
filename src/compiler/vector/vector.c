/* SPDX-License-Identifier: MIT */
/* The module: the warp program and every function it reaches become host functions of W lanes; what
 * was device code goes away. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "vector/vector_priv.h"

/* Declares the vector program: name and order of parameters are those of the scalar one, types
 * become host types. */
static LLVMValueRef
declare_program(struct ls_cc *cc, LLVMValueRef old)
{
    unsigned n = LLVMCountParams(old);
    LLVMTypeRef *params = ls_arena_alloc(cc->arena, n * sizeof(*params));

    for (unsigned i = 0; i < n; i++)
        params[i] = ls_host_type(cc, LLVMTypeOf(LLVMGetParam(old, i)));
    LLVMSetValueName2(old, "ls.scalar", 9);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), params, n, false);
    LLVMValueRef fn = LLVMAddFunction(cc->mod, LS_FN_PROGRAM, type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    return fn;
}

static bool
is_ours(struct ls_vm *vm, LLVMValueRef fn, LLVMValueRef program)
{
    size_t len;

    if (fn == program ||
        !strncmp(LLVMGetValueName2(fn, &len), LS_MATRIX_FUNCTION, strlen(LS_MATRIX_FUNCTION)))
        return true;
    for (struct ls_callee *c = vm->callees; c; c = c->next)
        if (c->fn == fn)
            return true;
    return false;
}

/* Deletes device functions and variables. Bodies first, so that nothing refers to them any more. */
static void
delete_device_code(struct ls_vm *vm, LLVMValueRef program)
{
    LLVMModuleRef mod = vm->cc->mod;
    LLVMValueRef next;

    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
        if (is_ours(vm, fn, program))
            continue;
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst;
                 inst = LLVMGetNextInstruction(inst)) {
                LLVMTypeRef type = LLVMTypeOf(inst);
                LLVMTypeKind kind = LLVMGetTypeKind(type);
                if (kind != LLVMVoidTypeKind && kind != LLVMTokenTypeKind && LLVMGetFirstUse(inst))
                    LLVMReplaceAllUsesWith(inst, LLVMGetPoison(type));
            }
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = next) {
                next = LLVMGetNextInstruction(inst);
                LLVMInstructionEraseFromParent(inst);
            }
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn), bn; bb; bb = bn) {
            bn = LLVMGetNextBasicBlock(bb);
            LLVMDeleteBasicBlock(bb);
        }
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 0 || LLVMGetFirstUse(g) == NULL)
            LLVMSetInitializer(g, NULL);
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = next) {
        next = LLVMGetNextFunction(fn);
        if (is_ours(vm, fn, program))
            continue;
        size_t len;
        const char *name = LLVMGetValueName2(fn, &len);
        if (LLVMCountBasicBlocks(fn) == 0 && LLVMGetFirstUse(fn) && !strncmp(name, "llvm.", 5) &&
            strncmp(name, "llvm.amdgcn.", 12))
            continue;
        if (LLVMGetFirstUse(fn)) {
            bool live = false;
            for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u))
                live |= LLVMIsAInstruction(LLVMGetUser(u)) != NULL;
            if (live)
                continue;
            LLVMReplaceAllUsesWith(fn, LLVMGetPoison(LLVMTypeOf(fn)));
        }
        LLVMDeleteFunction(fn);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 0 && LLVMGetFirstUse(g))
            continue;
        if (LLVMGetFirstUse(g))
            LLVMReplaceAllUsesWith(g, LLVMGetPoison(LLVMTypeOf(g)));
        LLVMDeleteGlobal(g);
    }
}

/* From here on new code is host code: allocas in address space 0, 64-bit pointers. The device
 * layout stays at hand in cc->device.layout. */
static void
become_host(struct ls_cc *cc)
{
    char *triple = LLVMGetTargetMachineTriple(cc->host.tm);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(cc->host.tm);
    LLVMSetTarget(cc->mod, triple);
    LLVMSetModuleDataLayout(cc->mod, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);
}

bool
ls_vectorize_module(struct ls_cc *cc)
{
    struct ls_vm *vm = ls_arena_alloc(cc->arena, sizeof(*vm));
    LLVMValueRef old = LLVMGetNamedFunction(cc->mod, LS_FN_PROGRAM);

    for (LLVMValueRef f = LLVMGetFirstFunction(cc->mod); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) {
            ls_ir_join_chains(cc, f);
            ls_lower_gather_marks(cc, f);
        }
    vm->cc = cc;
    vm->callees_tail = &vm->callees;
    ls_ptrmap_init(&vm->callee_of, cc->arena);
    ls_ptrmap_init(&vm->host_global, cc->arena);
    become_host(cc);
    LLVMValueRef fn = declare_program(cc, old);
    if (!ls_vector_function(vm, old, fn, false))
        return false;
    for (struct ls_callee *c = vm->callees; c; c = c->next) /* the list grows during the loop */
        if (!ls_vector_function(vm, c->old_fn, c->fn, true))
            return false;
    delete_device_code(vm, fn);
    return true;
}
