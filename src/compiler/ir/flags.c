/* SPDX-License-Identifier: MIT */
/* Which volatile accesses may be of flags, by which threads tell each other something: those to an
 * argument or variable that a loop reads, or changes atomically, until it finds what it waits for.
 * All others are data, whose accesses must be ordered as those of any other. */
#include "analysis/access.h"
#include "compiler/ir/checks_priv.h"
#include "compiler/ir/ir.h"

enum { MOST_STEPS = 8, MOST_BLOCKS = 4096 };

/* What a pointer starts from: an argument, a variable, or its address as the entry block loads it;
 * NULL: anything. */
static LLVMValueRef
known_object(LLVMValueRef v)
{
    v = ls_ir_object_of(v);
    if (LLVMIsALoadInst(v)) {
        LLVMBasicBlockRef bb = LLVMGetInstructionParent(v);

        return bb == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(bb)) ? v : NULL;
    }
    return LLVMIsAArgument(v) || LLVMIsAGlobalVariable(v) ? v : NULL;
}

/* Whether a branch depends on a value, by few steps. */
static bool
decides(LLVMValueRef v, unsigned steps)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsABranchInst(user) || LLVMIsASwitchInst(user))
            return true;
        if (steps && LLVMIsAInstruction(user) && !LLVMIsAPHINode(user) &&
            !LLVMIsAStoreInst(user) && !LLVMIsALoadInst(user) && decides(user, steps - 1))
            return true;
    }
    return false;
}

/* Whether a block is part of a loop. */
static bool
is_repeated(struct ls_marker *m, LLVMBasicBlockRef bb)
{
    LLVMBasicBlockRef ahead[MOST_BLOCKS];
    struct ls_ptrmap seen;
    unsigned n = 0;

    ls_ptrmap_init(&seen, m->cc->arena);
    for (ahead[n++] = bb; n;) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(ahead[--n]);

        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);

            if (next == bb || n == MOST_BLOCKS)
                return true;
            if (!ls_ptrmap_get(&seen, next)) {
                ls_ptrmap_set(&seen, next, next);
                ahead[n++] = next;
            }
        }
    }
    return false;
}

void
ls_mark_flag(struct ls_marker *m, LLVMValueRef inst)
{
    struct ls_access all[LS_MAX_ACCESSES];
    unsigned n = ls_accesses_of(inst, all);

    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef object;

        if (!(all[k].is_atomic || all[k].is_volatile) || !all[k].reads ||
            !decides(inst, MOST_STEPS) || !is_repeated(m, LLVMGetInstructionParent(inst)))
            continue;
        object = known_object(all[k].pointer);
        if (object)
            ls_ptrmap_set(&m->flags, object, object);
        else
            m->has_other_flags = true;
    }
}

bool
ls_mark_may_be_flag(struct ls_marker *m, LLVMValueRef pointer)
{
    LLVMValueRef object = known_object(pointer);

    return m->has_other_flags || !object || ls_ptrmap_get(&m->flags, object);
}
