/* SPDX-License-Identifier: MIT */
#include "analysis/access.h"

#include <stddef.h>

#include "intrin/intrinsics.h"

static bool
is_true(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v);
}

static unsigned
accesses_of_call(LLVMValueRef call, struct ls_access out[LS_MAX_ACCESSES])
{
    const char *name = ls_ir_callee_name(call);
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;
    struct ls_access a = {.inst = call};

    if (!row || !(row->flags & (LS_IF_ATOMIC | LS_IF_COPIES | LS_IF_FILLS)))
        return 0;
    a.pointer = LLVMGetOperand(call, 0);
    a.writes = true;
    if (row->flags & LS_IF_ATOMIC) {
        a.type = LLVMTypeOf(call);
        a.reads = a.is_atomic = true;
        out[0] = a;
        return 1;
    }
    a.n_bytes = LLVMGetOperand(call, 2);
    a.is_volatile = is_true(LLVMGetOperand(call, 3));
    out[0] = a;
    if (row->flags & LS_IF_FILLS)
        return 1;
    a.pointer = LLVMGetOperand(call, 1);
    a.reads = true;
    a.writes = false;
    out[1] = a;
    return 2;
}

unsigned
ls_accesses_of(LLVMValueRef inst, struct ls_access out[LS_MAX_ACCESSES])
{
    struct ls_access a = {.inst = inst};

    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        a.pointer = LLVMGetOperand(inst, 0);
        a.type = LLVMTypeOf(inst);
        a.reads = true;
        a.is_atomic = LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
        break;
    case LLVMStore:
        a.pointer = LLVMGetOperand(inst, 1);
        a.type = LLVMTypeOf(LLVMGetOperand(inst, 0));
        a.writes = true;
        a.is_atomic = LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        a.pointer = LLVMGetOperand(inst, 0);
        a.type = LLVMTypeOf(LLVMGetOperand(inst, 1));
        a.reads = a.writes = a.is_atomic = true;
        break;
    case LLVMCall:
        return accesses_of_call(inst, out);
    default:
        return 0;
    }
    a.is_volatile = LLVMGetVolatile(inst);
    out[0] = a;
    return 1;
}
