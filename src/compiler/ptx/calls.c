/* SPDX-License-Identifier: MIT */
/* Calls of functions that stay out of line, and through pointers. The address of a function is what
 * it is on all devices (LS_IR_FN_ADDRESS); a table leads from there to the code. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

/* What stands for a function as a value; NULL: `v` is none, nor one in another address space. */
static LLVMValueRef
address_of(struct ls_cc *cc, LLVMValueRef v)
{
    LLVMValueRef fn = v;
    unsigned number;

    if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMAddrSpaceCast)
        fn = LLVMGetOperand(v, 0);
    if (!LLVMIsAFunction(fn) || !ls_ir_function_number(fn, &number))
        return NULL;
    return LLVMConstIntToPtr(
        LLVMConstInt(LLVMInt64TypeInContext(cc->llvm), LS_IR_FN_ADDRESS(number), false),
        LLVMTypeOf(v));
}

/* Functions by number; those that no pointer leads to are null. */
static LLVMValueRef
make_table(struct ls_cc *cc)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(cc->llvm, LS_SPACE_GENERIC);
    LLVMValueRef table, *code;
    unsigned n = 0, k;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (ls_ir_is_call_target(fn) && ls_ir_function_number(fn, &k) && k >= n)
            n = k + 1;
    code = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*code));
    for (unsigned i = 0; i <= n; i++)
        code[i] = LLVMConstNull(ptr);
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (ls_ir_is_call_target(fn) && ls_ir_function_number(fn, &k))
            code[k] = fn;
    table = LLVMAddGlobalInAddressSpace(cc->mod, LLVMArrayType2(ptr, n + 1), "ls_functions",
                                        LS_SPACE_GLOBAL);
    LLVMSetInitializer(table, LLVMConstArray2(ptr, code, n + 1));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return table;
}

static void
find_code(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef *table)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->llvm);
    unsigned last = (unsigned)LLVMGetNumOperands(call) - 1;
    LLVMValueRef x, index[2];

    if (!*table)
        *table = make_table(cc);
    LLVMPositionBuilderBefore(b, call);
    x = LLVMBuildPtrToInt(b, LLVMGetOperand(call, last), i64, "");
    x = LLVMBuildSub(b, x, LLVMConstInt(i64, LS_IR_FN_ADDRESS(0), false), "");
    index[0] = LLVMConstNull(i64);
    index[1] = LLVMBuildLShr(b, x, LLVMConstInt(i64, LS_IR_FN_SHIFT, false), "");
    x = LLVMBuildInBoundsGEP2(b, LLVMGlobalGetValueType(*table), *table, index, 2, "");
    x = LLVMBuildLoad2(b, LLVMPointerTypeInContext(cc->llvm, LS_SPACE_GENERIC), x, "");
    LLVMSetOperand(call, last, x);
}

/* An aggregate by value is a pointer to a copy, which the callee may write to. */
static void
copy_by_value(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef call)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5),
             result = LLVMGetEnumAttributeKindForName("sret", 4);
    LLVMValueRef entry = LLVMGetFirstInstruction(
        LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))));

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, i + 1, kind);
        LLVMValueRef from = LLVMGetOperand(call, i), copy, bytes;
        LLVMTypeRef type;

        LLVMRemoveCallSiteEnumAttribute(call, i + 1, result);
        if (!a)
            continue;
        type = LLVMGetTypeAttributeValue(a);
        LLVMPositionBuilderBefore(b, entry);
        copy = LLVMBuildAlloca(b, type, "");
        LLVMSetAlignment(copy, 16);
        LLVMPositionBuilderBefore(b, call);
        bytes = LLVMConstInt(LLVMInt64TypeInContext(cc->llvm),
                             LLVMABISizeOfType(cc->device.layout, type), false);
        LLVMBuildMemCpy(b, copy, 1, from, 1, bytes);
        if (LLVMTypeOf(copy) != LLVMTypeOf(from))
            copy = LLVMBuildAddrSpaceCast(b, copy, LLVMTypeOf(from), "");
        LLVMSetOperand(call, i, copy);
        LLVMRemoveCallSiteEnumAttribute(call, i + 1, kind);
    }
}

/* ---- Who calls, as a last parameter ---- */

/* A builtin that asks nobody, of LLVM's or our own. */
static bool
calls_builtin(LLVMValueRef call)
{
    const char *name = ls_ir_callee_name(call);

    return name && LLVMIsDeclaration(LLVMGetCalledValue(call)) && !ls_ptx_asks(call) &&
           (ls_ir_has_prefix(name, "llvm.") || ls_ir_has_prefix(name, "ls."));
}

/* A function that no pointer leads to, and that calls nothing but such builtins. */
static bool
asks_nobody(LLVMValueRef fn)
{
    if (ls_ir_is_call_target(fn))
        return false;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && !calls_builtin(i))
                return false;
    return true;
}

static LLVMTypeRef
with_mask(struct ls_cc *cc, LLVMTypeRef type)
{
    unsigned n = LLVMCountParamTypes(type);
    LLVMTypeRef *params = ls_arena_alloc(cc->arena, (n + 1) * sizeof(*params));

    LLVMGetParamTypes(type, params);
    params[n] = LLVMInt32TypeInContext(cc->llvm);
    return LLVMFunctionType(LLVMGetReturnType(type), params, n + 1, false);
}

static void
take_mask(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMValueRef now = LLVMAddFunction(cc->mod, "", with_mask(cc, LLVMGlobalGetValueType(fn)));
    unsigned n = LLVMGetAttributeCountAtIndex(fn, LLVMAttributeFunctionIndex);
    LLVMAttributeRef *attributes = ls_arena_alloc(cc->arena, (n + 1) * sizeof(LLVMAttributeRef));
    LLVMBasicBlockRef last = LLVMAppendBasicBlockInContext(cc->llvm, now, ""), first = last;

    LLVMGetAttributesAtIndex(fn, LLVMAttributeFunctionIndex, attributes);
    for (unsigned i = 0; i < n; i++)
        LLVMAddAttributeAtIndex(now, LLVMAttributeFunctionIndex, attributes[i]);
    LLVMSetLinkage(now, LLVMInternalLinkage);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn), next; bb; bb = next) {
        next = LLVMGetNextBasicBlock(bb);
        LLVMMoveBasicBlockAfter(bb, last);
        last = bb;
    }
    LLVMDeleteBasicBlock(first);
    for (unsigned i = 0; i < LLVMCountParams(fn); i++)
        LLVMReplaceAllUsesWith(LLVMGetParam(fn, i), LLVMGetParam(now, i));
    LLVMReplaceAllUsesWith(fn, now);
    LLVMDeleteFunction(fn);
}

/* The call with one argument more, which says: all lanes. */
static LLVMValueRef
give_mask(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef call)
{
    unsigned n = LLVMGetNumArgOperands(call),
             n_attributes = LLVMGetCallSiteAttributeCount(call, LLVMAttributeFunctionIndex);
    LLVMValueRef *args = ls_arena_alloc(cc->arena, (n + 1) * sizeof(LLVMValueRef)), now;
    LLVMAttributeRef *attributes =
        ls_arena_alloc(cc->arena, (n_attributes + 1) * sizeof(LLVMAttributeRef));

    for (unsigned i = 0; i < n; i++)
        args[i] = LLVMGetOperand(call, i);
    args[n] = LLVMConstInt(LLVMInt32TypeInContext(cc->llvm), 0xffffffffu, false);
    LLVMPositionBuilderBefore(b, call);
    now = LLVMBuildCall2(b, with_mask(cc, LLVMGetCalledFunctionType(call)),
                         LLVMGetCalledValue(call), args, n + 1, "");
    LLVMGetCallSiteAttributes(call, LLVMAttributeFunctionIndex, attributes);
    for (unsigned i = 0; i < n_attributes; i++)
        LLVMAddCallSiteAttribute(now, LLVMAttributeFunctionIndex, attributes[i]);
    LLVMReplaceAllUsesWith(call, now);
    LLVMInstructionEraseFromParent(call);
    return now;
}

/* Returns what stands for it now. */
static LLVMValueRef
mend_call(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef *table)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    LLVMSetInstructionCallConv(call, LLVMCCallConv);
    if (LLVMIsAInlineAsm(callee) || (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee)))
        return call;
    copy_by_value(cc, b, call);
    if (!LLVMIsAFunction(callee))
        find_code(cc, b, call, table);
    return LLVMIsAFunction(callee) && ls_ptx_is_lone(callee) ? call : give_mask(cc, b, call);
}

static void
mend_function(struct ls_cc *cc, LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef *table)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst;
             inst = LLVMGetNextInstruction(inst)) {
            int n = LLVMGetNumOperands(inst);
            bool is_call = LLVMIsACallInst(inst) != NULL;

            for (int i = 0; i < n - is_call; i++) {
                LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i), address = address_of(cc, v);

                if (address)
                    LLVMSetOperand(inst, (unsigned)i, address);
            }
            if (is_call)
                inst = mend_call(cc, b, inst, table);
        }
}

/* A constant with functions in it; NULL: there are none in this one. */
static LLVMValueRef
with_addresses(struct ls_cc *cc, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned n = (unsigned)LLVMGetNumOperands(v);
    LLVMValueRef *parts;
    bool any = false;

    if (kind == LLVMPointerTypeKind)
        return address_of(cc, v);
    if ((kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind) || n == 0)
        return NULL;
    parts = ls_arena_alloc(cc->arena, n * sizeof(*parts));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef part = LLVMGetOperand(v, i), now = with_addresses(cc, part);

        parts[i] = now ? now : part;
        any |= now != NULL;
    }
    if (!any)
        return NULL;
    if (kind == LLVMArrayTypeKind)
        return LLVMConstArray2(LLVMGetElementType(type), parts, n);
    return LLVMGetStructName(type)
               ? LLVMConstNamedStruct(type, parts, n)
               : LLVMConstStructInContext(cc->llvm, parts, n, LLVMIsPackedStruct(type));
}

void
ls_ptx_mend_calls(struct ls_cc *cc, LLVMValueRef program)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    LLVMValueRef table = NULL, last = LLVMGetLastFunction(cc->mod), next = NULL;

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = next) {
        next = fn != last ? LLVMGetNextFunction(fn) : NULL; /* new ones come behind it */
        if (fn == program || LLVMIsDeclaration(fn))
            continue;
        if (!asks_nobody(fn)) {
            take_mask(cc, fn);
            continue;
        }
        ls_ptx_be_lone(cc, fn);
    }

    for (LLVMValueRef g = LLVMGetFirstGlobal(cc->mod); g; g = LLVMGetNextGlobal(g)) {
        LLVMValueRef now = LLVMGetInitializer(g) ? with_addresses(cc, LLVMGetInitializer(g)) : NULL;

        if (now)
            LLVMSetInitializer(g, now);
    }

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            mend_function(cc, b, fn, &table);
    LLVMDisposeBuilder(b);
}
