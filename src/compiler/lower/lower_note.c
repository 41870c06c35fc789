/* SPDX-License-Identifier: MIT */
/* Marks of comments (ir/notes.c): where all lanes' values came from is written down, and
 * ctx->access looks at it. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/kernel_abi.h"
#include "lower/lower_priv.h"

LLVMValueRef
ls_lower_note(struct ls_vf *vf, LLVMValueRef call, long data)
{
    size_t number = strtoul(ls_lower_callee_name(call) + strlen(LS_FN_NOTE), NULL, 10);
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMTypeRef wide = LLVMVectorType(vf->i64, vf->n_lanes),
                types[4] = {vf->ptr, vf->ptr, vf->ptr, vf->i64},
                fn_type = LLVMFunctionType(vf->voidt, types, 4, false);
    LLVMValueRef places = ls_vf_temp(vf, LLVMArrayType2(wide, n ? n : 1), "origins"),
                 fn = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, access), vf->ptr, "access"),
                 args[4] = {vf->ctx, ls_lower_site(vf, vf->cc->notes[number].check), places,
                            ls_vf_mask_bits(vf)};

    (void)data;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at = LLVMConstInt(vf->i64, i, false);

        LLVMBuildStore(vf->b, ls_vf_vector(vf, LLVMGetOperand(call, i)),
                       LLVMBuildInBoundsGEP2(vf->b, wide, places, &at, 1, ""));
    }
    LLVMBuildCall2(vf->b, fn_type, fn, args, 4, "");
    return NULL;
}
