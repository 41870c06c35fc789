/* SPDX-License-Identifier: MIT */
/* Where lanes of a warp meet by a mask that the program gives: include/hip/detail marks such
 * masks by an annotation, which makes no code, so that programs need no other build to be checked.
 * While a kernel is loaded an annotation becomes a call, `ls.mask.<function>(mask)`, or nothing if
 * it is not to be checked; behind prepare that becomes a mark. */
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "compiler/ir/checks_priv.h"

#define ANNOTATION "llvm.annotation."
#define MASK_SAYS  "lockstep.mask "

enum { MOST_DOWN = 8, NAME_BYTES = 64 };

/* What an annotation says of its value, if it is one of masks; else NULL. */
static const char *
mask_name(LLVMValueRef call)
{
    LLVMValueRef text = LLVMGetOperand(call, 1);
    const char *says;
    size_t n;

    if (!LLVMIsAGlobalVariable(text) || !(text = LLVMGetInitializer(text)) ||
        !LLVMIsConstantString(text))
        return NULL;
    says = LLVMGetAsString(text, &n);
    return n && !says[n - 1] && ls_ir_has_prefix(says, MASK_SAYS) ? says + strlen(MASK_SAYS) : NULL;
}

static LLVMValueRef
declare(struct ls_cc *cc, const char *name)
{
    static const char *const attributes[] = {"convergent", "nounwind", "willreturn"};
    char full[NAME_BYTES];
    LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->llvm),
                type = LLVMFunctionType(LLVMVoidTypeInContext(cc->llvm), &i64, 1, false);
    LLVMValueRef fn;

    snprintf(full, sizeof(full), "%s%s", LS_FN_MASK, name);
    if ((fn = LLVMGetNamedFunction(cc->mod, full)))
        return fn;
    fn = LLVMAddFunction(cc->mod, full, type);
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                ls_ir_attribute(cc, attributes[i], 0));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            ls_ir_attribute(cc, "memory", LS_MEMORY_INACCESSIBLE));
    return fn;
}

static bool
is_meeting(LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;

    return name && !ls_ir_has_prefix(name, ANNOTATION) && !ls_ir_has_prefix(name, LS_FN_MASK) &&
           ls_ir_is_convergent(inst);
}

static bool
meet_behind(LLVMValueRef at)
{
    while (at && !is_meeting(at))
        at = LLVMGetNextInstruction(at);
    return at != NULL;
}

/* Whether lanes meet in each of the blocks that follow on a branch, and are not joined there by
 * others: the optimiser takes two annotations behind a branch as one in front of it. */
static bool
is_hoisted(LLVMValueRef at, unsigned depth)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(at));

    if (LLVMGetNumSuccessors(end) < 2 || depth == MOST_DOWN || meet_behind(at))
        return false;
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
        LLVMValueRef first = LLVMGetFirstInstruction(next);
        LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(next));

        if (LLVMIsAPHINode(first) || LLVMGetNextUse(use) ||
            !(meet_behind(first) || is_hoisted(first, depth + 1)))
            return false;
    }
    return true;
}

/* Puts the call where the annotation stood before the optimiser. */
static void
place(LLVMBuilderRef b, LLVMValueRef at, LLVMValueRef call, LLVMValueRef fn, unsigned depth)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(at)), made,
                 mask = LLVMGetOperand(call, 0);

    if (is_hoisted(at, depth)) {
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
            place(b, LLVMGetFirstInstruction(LLVMGetSuccessor(end, s)), call, fn, depth + 1);
        return;
    }
    LLVMPositionBuilderBefore(b, at);
    made = LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, &mask, 1, "");
    LLVMInstructionSetDebugLoc(made, LLVMInstructionGetDebugLoc(call));
}

void
ls_masks_take(struct ls_cc *cc)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->llvm);
    bool wanted = cc->opt->checks & (LS_CHECK_SYNC | LS_CHECK_LANES);

    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn)) {
        size_t n;

        if (!ls_ir_has_prefix(LLVMGetValueName2(fn, &n), ANNOTATION))
            continue;
        for (LLVMUseRef use; (use = LLVMGetFirstUse(fn));) {
            LLVMValueRef call = LLVMGetUser(use);
            const char *name = mask_name(call);

            if (name && wanted)
                place(b, LLVMGetNextInstruction(call), call, declare(cc, name), 0);
            LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
            LLVMInstructionEraseFromParent(call);
        }
    }
    LLVMDisposeBuilder(b);
}

static void
mark_end(struct ls_marker *m, LLVMValueRef inst)
{
    struct ls_check_note *note;

    if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)) != ls_program_get(m->cc))
        return;
    note = ls_mark_note(m);
    note->site.kind = LS_CHECK_END;
    LLVMPositionBuilderBefore(m->b, inst);
    ls_mark_call(m, LLVMConstNull(m->i64), NULL, inst);
}

void
ls_mark_meeting(struct ls_marker *m, LLVMValueRef inst)
{
    const char *name = LLVMIsACallInst(inst) ? ls_ir_callee_name(inst) : NULL;
    struct ls_check_note *note;

    if (LLVMIsAReturnInst(inst) && m->cc->opt->checks & LS_CHECK_SYNC)
        mark_end(m, inst);
    if (!name || !ls_ir_has_prefix(name, LS_FN_MASK))
        return;
    note = ls_mark_note(m);
    note->site.kind = LS_CHECK_MASK;
    name += strlen(LS_FN_MASK);
    note->variable = memcpy(ls_arena_alloc(m->cc->arena, strlen(name) + 1), name, strlen(name) + 1);
    note->trace = ls_mark_trace(m->cc, inst);
    LLVMPositionBuilderBefore(m->b, inst);
    ls_mark_call(m, LLVMGetOperand(inst, 0), NULL, inst);
    LLVMInstructionEraseFromParent(inst);
}
