/* SPDX-License-Identifier: MIT */
/* Shared memory all of which was written: of accesses to it LS_CHECK_INIT need not hear. That is
 * known from a barrier on to which the last warp came, and one branch asks for it in front of many
 * accesses. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check_site.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"
#include "lower/lower.h"
#include "lower/lower_priv.h"

/* The mark's number; false: it is none. */
static bool
mark_of(LLVMValueRef inst, size_t *number)
{
    const char *callee = inst && LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    if (!callee || !ls_ir_has_prefix(callee, LS_FN_CHECK))
        return false;
    *number = strtoul(callee + strlen(LS_FN_CHECK), NULL, 10);
    return true;
}

/* An access of one length to shared memory. */
static bool
is_shared(const struct ls_cc *cc, LLVMValueRef inst, size_t *number)
{
    const struct ls_check_site *site;

    if (!mark_of(inst, number) || LLVMGetNumArgOperands(inst) != 1)
        return false;
    site = &cc->checks[*number].site;
    return site->kind < LS_CHECK_BARRIER && site->space == LS_CHECK_LDS;
}

/* What other warps may run at, or what may make accesses of its own. */
static bool
is_limit(const struct ls_cc *cc, LLVMValueRef inst)
{
    const char *callee = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    size_t number;

    if (mark_of(inst, &number))
        return cc->checks[number].site.kind >= LS_CHECK_BARRIER;
    return LLVMIsACallInst(inst) && (!callee || !ls_ir_has_prefix(callee, "llvm.") ||
                                     ls_ir_is_barrier(inst));
}

/* Moves an access's mark down to the last one before a limit. */
static void
gather_block(struct ls_cc *cc, LLVMBuilderRef b, LLVMBasicBlockRef bb)
{
    LLVMValueRef last = NULL;
    size_t number;

    for (LLVMValueRef i = LLVMGetLastInstruction(bb), before; i; i = before) {
        before = LLVMGetPreviousInstruction(i);
        if (is_shared(cc, i, &number)) {
            if (last) {
                LLVMInstructionRemoveFromParent(i);
                LLVMPositionBuilderBefore(b, last);
                LLVMInsertIntoBuilder(b, i);
            }
            last = i;
        } else if (is_limit(cc, i)) {
            last = NULL;
        }
    }
}

void
ls_lower_gather_marks(struct ls_cc *cc, LLVMValueRef fn)
{
    LLVMBuilderRef b;

    if (cc->opt->checks != LS_CHECK_INIT) /* others look before the access is made */
        return;
    b = LLVMCreateBuilderInContext(cc->llvm);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        gather_block(cc, b, bb);
    LLVMDisposeBuilder(b);
}

bool
ls_lower_fills(const struct ls_cc *cc)
{
    bool has_barrier = false, has_shared = false;

    if (!(cc->opt->checks & LS_CHECK_INIT) ||
        cc->opt->checks & ~(unsigned)(LS_CHECK_INIT | LS_CHECK_MEMORY))
        return false;
    for (size_t i = 0; i < cc->n_checks && !(has_barrier && has_shared); i++) {
        const struct ls_check_site *site = &cc->checks[i].site;

        has_barrier |= site->kind == LS_CHECK_BARRIER;
        has_shared |= site->kind < LS_CHECK_BARRIER && site->space == LS_CHECK_LDS;
    }
    return has_barrier && has_shared;
}

LLVMValueRef
ls_lower_next_shared(struct ls_vf *vf, LLVMValueRef call, size_t *number)
{
    LLVMValueRef next = LLVMGetNextInstruction(call);

    return is_shared(vf->cc, next, number) ? next : NULL;
}

bool
ls_lower_is_later_shared(struct ls_vf *vf, LLVMValueRef call)
{
    size_t number;

    return is_shared(vf->cc, call, &number) &&
           is_shared(vf->cc, LLVMGetPreviousInstruction(call), &number);
}

LLVMValueRef
ls_lower_is_not_full(struct ls_vf *vf)
{
    LLVMValueRef full = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, lds_full), vf->i64, ""),
                 block = ls_vf_ctx_load(vf, offsetof(struct ls_cpu_ctx, cur_block), vf->i64, "");

    LLVMSetVolatile(full, true); /* ctx->row changes it */
    return B_ICMP(NE, full, block);
}
