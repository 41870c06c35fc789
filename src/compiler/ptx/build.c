/* SPDX-License-Identifier: MIT */
/* What all files of the room build with. */
#include <string.h>

#include "compiler/ir/ir.h"
#include "ptx/ptx_priv.h"

LLVMValueRef
ls_ptx_int(struct ls_ptx *p, uint64_t value)
{
    return LLVMConstInt(p->i32, value, false);
}

LLVMValueRef
ls_ptx_nvvm(struct ls_ptx *p, const char *name, LLVMValueRef *args, unsigned n)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(p->cc->mod, id, NULL, 0);

    return LLVMBuildCall2(p->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

LLVMValueRef
ls_ptx_asm(struct ls_ptx *p, LLVMTypeRef result, const char *text, const char *constraints,
           LLVMValueRef *args, unsigned n, bool effects)
{
    LLVMTypeRef types[4], type;
    LLVMValueRef code, call;

    LS_ASSERT_FITS(n, sizeof(types) / sizeof(types[0]));
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(result, types, n, false);
    code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), effects,
                            false, LLVMInlineAsmDialectATT, false);
    call = LLVMBuildCall2(p->b, type, code, args, n, "");
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             ls_ir_attribute(p->cc, "nounwind", 0));
    if (effects)
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                                 ls_ir_attribute(p->cc, "convergent", 0));
    else
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                                 ls_ir_attribute(p->cc, "memory", 0));
    return call;
}

LLVMValueRef
ls_ptx_refuse(struct ls_ptx *p, LLVMValueRef call, long data)
{
    (void)data;
    ls_diag(p->cc, LS_DIAG_ERROR, call, "%s is not supported on NVIDIA GPUs",
            ls_ir_callee_name(call));
    return NULL;
}
