/* SPDX-License-Identifier: MIT */
/* Buffer accesses by a resource descriptor become plain accesses behind a test of the range: what
 * lies outside reads as 0 and is not written. Raw form: base address, size in bytes, offset in
 * bytes. Each builtin gets a small function with the test, which is inlined, so that the vectoriser
 * sees ordinary masks and addresses. */
#include <stdio.h>
#include <string.h>

#include "compiler/ir/prepare_priv.h"

enum kind { KIND_NONE = 0, KIND_LOAD, KIND_STORE, KIND_ATOMIC };

/* A builtin's name taken apart. */
struct access {
    enum kind kind;
    bool by_pointer; /* raw.ptr: the descriptor is a pointer of address space 8 */
    LLVMAtomicRMWBinOp op;
    LLVMTypeRef type; /* type of the data */
};

static bool
access_read(LLVMValueRef call, const char *name, struct access *a)
{
    static const struct {
        const char *name;
        LLVMAtomicRMWBinOp op;
    } ops[] = {
        {"swap.", LLVMAtomicRMWBinOpXchg}, {"add.", LLVMAtomicRMWBinOpAdd},
        {"sub.", LLVMAtomicRMWBinOpSub},   {"smin.", LLVMAtomicRMWBinOpMin},
        {"umin.", LLVMAtomicRMWBinOpUMin}, {"smax.", LLVMAtomicRMWBinOpMax},
        {"umax.", LLVMAtomicRMWBinOpUMax}, {"and.", LLVMAtomicRMWBinOpAnd},
        {"or.", LLVMAtomicRMWBinOpOr},     {"xor.", LLVMAtomicRMWBinOpXor},
        {"fadd.", LLVMAtomicRMWBinOpFAdd}, {"fmin.", LLVMAtomicRMWBinOpFMin},
        {"fmax.", LLVMAtomicRMWBinOpFMax},
    };

    memset(a, 0, sizeof(*a));
    if (ls_ir_has_prefix(name, "llvm.amdgcn.raw.buffer."))
        name += strlen("llvm.amdgcn.raw.buffer.");
    else if (ls_ir_has_prefix(name, "llvm.amdgcn.raw.ptr.buffer."))
        name += strlen("llvm.amdgcn.raw.ptr.buffer."), a->by_pointer = true;
    else
        return false;
    bool other = strstr(name, "format") || strstr(name, ".lds");
    if (ls_ir_has_prefix(name, "load.") && !other)
        a->kind = KIND_LOAD;
    if (ls_ir_has_prefix(name, "store.") && !other)
        a->kind = KIND_STORE;
    for (size_t i = 0; ls_ir_has_prefix(name, "atomic.") && i < sizeof(ops) / sizeof(ops[0]); i++)
        if (ls_ir_has_prefix(name + strlen("atomic."), ops[i].name))
            a->kind = KIND_ATOMIC, a->op = ops[i].op;
    if (a->kind)
        a->type = a->kind == KIND_LOAD ? LLVMTypeOf(call) : LLVMTypeOf(LLVMGetOperand(call, 0));
    return a->kind != KIND_NONE;
}

/* The function that makes such an access: (base, bytes, offset, offset, [data]) -> data. */
static LLVMValueRef
function_for(struct ls_cc *cc, const struct access *a, const char *name)
{
    const char *own = ls_arena_printf(cc->arena, "ls.%s", name + strlen("llvm.amdgcn."));
    LLVMValueRef fn = LLVMGetNamedFunction(cc->mod, own);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->llvm), i32 = LLVMInt32TypeInContext(cc->llvm);
    LLVMTypeRef byte = LLVMInt8TypeInContext(cc->llvm), empty = LLVMVoidTypeInContext(cc->llvm);
    LLVMTypeRef params[5] = {LLVMPointerTypeInContext(cc->llvm, 1), i32, i32, i32, a->type};
    LLVMTypeRef result = a->kind == KIND_STORE ? empty : a->type;

    if (fn)
        return fn;
    fn = LLVMAddFunction(cc->mod, own,
                         LLVMFunctionType(result, params, a->kind == KIND_LOAD ? 4 : 5, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, ls_ir_attribute(cc, "alwaysinline", 0));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(cc->llvm, fn, "entry");
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(cc->llvm, fn, "inside");
    LLVMBasicBlockRef outside = LLVMAppendBasicBlockInContext(cc->llvm, fn, "outside");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);

    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef base = LLVMGetParam(fn, 0), size = LLVMBuildZExt(b, LLVMGetParam(fn, 1), i64, "");
    LLVMValueRef at = LLVMBuildAdd(b, LLVMBuildZExt(b, LLVMGetParam(fn, 2), i64, ""),
                                   LLVMBuildZExt(b, LLVMGetParam(fn, 3), i64, ""), "");
    LLVMValueRef bytes = LLVMConstInt(i64, LLVMStoreSizeOfType(cc->device.layout, a->type), false);
    LLVMValueRef end = LLVMBuildAdd(b, at, bytes, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULE, end, size, ""), inside, outside);

    LLVMPositionBuilderAtEnd(b, inside);
    LLVMValueRef p = LLVMBuildGEP2(b, byte, base, &at, 1, ""), v = NULL;
    bool is_vector = LLVMGetTypeKind(a->type) == LLVMVectorTypeKind;
    LLVMTypeRef elem = is_vector ? LLVMGetElementType(a->type) : a->type;
    unsigned align = (unsigned)LLVMStoreSizeOfType(cc->device.layout, elem);
    align = align > 4 ? 4 : align;
    if (a->kind == KIND_LOAD) {
        v = LLVMBuildLoad2(b, a->type, p, "");
        LLVMSetAlignment(v, align);
    } else if (a->kind == KIND_STORE) {
        LLVMSetAlignment(LLVMBuildStore(b, LLVMGetParam(fn, 4), p), align);
    } else {
        v = LLVMBuildAtomicRMW(b, a->op, p, LLVMGetParam(fn, 4), LLVMAtomicOrderingMonotonic,
                               false);
    }
    if (v)
        LLVMBuildRet(b, v);
    else
        LLVMBuildRetVoid(b);
    LLVMPositionBuilderAtEnd(b, outside);
    if (v)
        LLVMBuildRet(b, LLVMConstNull(result));
    else
        LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return fn;
}

/* Base address and size in bytes of a descriptor. */
static bool
descriptor_read(struct ls_cc *cc, LLVMBuilderRef b, const struct access *a, LLVMValueRef call,
                LLVMValueRef resource, LLVMValueRef *base, LLVMValueRef *size)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->llvm), i32 = LLVMInt32TypeInContext(cc->llvm);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(cc->llvm, 1);
    LLVMValueRef word[3];

    if (a->by_pointer) {
        const char *name = LLVMIsACallInst(resource) ? ls_ir_callee_name(resource) : NULL;
        if (!name || !ls_ir_has_prefix(name, "llvm.amdgcn.make.buffer.rsrc"))
            return ls_diag(cc, LS_DIAG_ERROR, call,
                           "%s: a buffer descriptor that is not made in the same function "
                           "is not supported",
                           ls_ir_callee_name(call));
        *base = LLVMBuildAddrSpaceCast(b, LLVMGetOperand(resource, 0), ptr, "");
        *size = LLVMGetOperand(resource, 2);
        return true;
    }
    for (unsigned i = 0; i < 3; i++)
        word[i] = LLVMBuildExtractElement(b, resource, LLVMConstInt(i32, i, false), "");
    LLVMValueRef high = LLVMBuildAnd(b, word[1], LLVMConstInt(i32, 0xffff, false), "");
    high = LLVMBuildShl(b, LLVMBuildZExt(b, high, i64, ""), LLVMConstInt(i64, 32, false), "");
    *base =
        LLVMBuildIntToPtr(b, LLVMBuildOr(b, LLVMBuildZExt(b, word[0], i64, ""), high, ""), ptr, "");
    *size = word[2];
    return true;
}

static bool
replace_call(struct ls_cc *cc, LLVMValueRef call, const char *name, const struct access *a)
{
    LLVMValueRef fn = function_for(cc, a, name), args[5];
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    unsigned first = a->kind == KIND_LOAD ? 0 : 1;

    LLVMPositionBuilderBefore(b, call);
    bool ok = descriptor_read(cc, b, a, call, LLVMGetOperand(call, first), &args[0], &args[1]);
    if (ok) {
        args[2] = LLVMGetOperand(call, first + 1);
        args[3] = LLVMGetOperand(call, first + 2);
        args[4] = LLVMGetOperand(call, 0);
        LLVMValueRef v = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args,
                                        a->kind == KIND_LOAD ? 4 : 5, "");
        if (a->kind != KIND_STORE)
            LLVMReplaceAllUsesWith(call, v);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(b);
    return ok;
}

bool
ls_buffer_replace(struct ls_cc *cc, bool *changed)
{
    struct access a;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;
                if (!name || !access_read(i, name, &a))
                    continue;
                if (!replace_call(cc, i, name, &a))
                    return false;
                *changed = true;
            }
    return !*changed ||
           ls_ir_run_passes(cc, ls_ir_device_tm(cc), "always-inline,globaldce,function(dce)");
}
