/* SPDX-License-Identifier: MIT */
/* Which of a kernel's arguments a pointer starts from, and its accesses to memory of all threads,
 * by kind of access: by it the checker of races knows that a launch does not write some memory, and
 * that reads of that race with nothing in this launch (check/free.c). */
#include "analysis/access.h"
#include "compiler/ir/checks_priv.h"
#include "compiler/ir/ir.h"
#include "device/cpu/kernel_abi.h"

enum { MOST_STEPS = 64 }; /* phis and selects on the way to an argument */

/* What a pointer may start from, as bits of words of the kernarg segment. */
struct starts {
    struct ls_cc *cc;
    LLVMValueRef seen[MOST_STEPS];
    unsigned n;
    uint64_t bits;
};

/* The word that an argument is, or in a structure the one so many bytes behind its start. */
static uint64_t
word_of(struct ls_cc *cc, LLVMValueRef argument, bool byref, uint64_t behind)
{
    LLVMValueRef fn = ls_program_get(cc);

    for (unsigned i = 0; i < cc->n_kernargs; i++) {
        const struct ls_kernarg *a = &cc->kernargs[i];
        uint64_t at = a->offset + behind;

        if (LLVMGetParam(fn, 1 + i) == argument)
            return a->byref == byref && at % 8 == 0 && at / 8 < LS_CPU_REACH_UNKNOWN
                       ? (uint64_t)1 << at / 8
                       : LS_CPU_REACH_ANY;
    }
    return LS_CPU_REACH_ANY;
}

/* The word that a pointer was loaded from. */
static uint64_t
word_of_field(struct ls_cc *cc, LLVMValueRef load)
{
    LLVMValueRef at = LLVMGetOperand(load, 0), by;
    uint64_t behind = 0;

    if (LLVMGetPointerAddressSpace(LLVMTypeOf(at)) != 4)
        return LS_CPU_REACH_ANY;
    if (LLVMIsAGetElementPtrInst(at) && LLVMGetNumOperands(at) == 2 &&
        LLVMIsAConstantInt(by = LLVMGetOperand(at, 1)) &&
        LLVMGetGEPSourceElementType(at) == LLVMInt8TypeInContext(cc->llvm)) {
        behind = LLVMConstIntGetZExtValue(by);
        at = LLVMGetOperand(at, 0);
    }
    return behind < UINT32_MAX ? word_of(cc, at, true, behind) : LS_CPU_REACH_ANY;
}

static void find_starts(struct starts *s, LLVMValueRef pointer);

/* Of a phi or select: all that it may be. */
static void
find_choices(struct starts *s, LLVMValueRef v)
{
    unsigned n = LLVMIsAPHINode(v) ? LLVMCountIncoming(v) : 2;

    for (unsigned i = 0; i < s->n; i++)
        if (s->seen[i] == v)
            return;
    if (s->n == MOST_STEPS) {
        s->bits |= LS_CPU_REACH_ANY;
        return;
    }
    s->seen[s->n++] = v;
    for (unsigned i = 0; i < n; i++)
        find_starts(s, LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, 1 + i));
}

static void
find_starts(struct starts *s, LLVMValueRef pointer)
{
    LLVMValueRef base = ls_ir_object_of(pointer);

    if (LLVMIsAPHINode(base) || LLVMIsASelectInst(base)) {
        find_choices(s, base);
    } else if (LLVMIsAAllocaInst(base) || LLVMIsAConstantPointerNull(base)) {
        return; /* memory of the thread, or none */
    } else if (LLVMIsAGlobalVariable(base) && LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == 3) {
        return;
    } else {
        s->bits |=
            LLVMIsALoadInst(base) ? word_of_field(s->cc, base) : word_of(s->cc, base, false, 0);
    }
}

uint64_t
ls_ir_starts_of(struct ls_cc *cc, LLVMValueRef pointer)
{
    struct starts s = {.cc = cc};

    find_starts(&s, pointer);
    return s.bits;
}

void
ls_mark_reach(struct ls_marker *m, LLVMValueRef inst)
{
    struct ls_access all[LS_MAX_ACCESSES];
    unsigned n = ls_accesses_of(inst, all);

    for (unsigned k = 0; k < n; k++) {
        const struct ls_access *a = &all[k];
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer));
        struct starts s = {.cc = m->cc};

        if (space == 3 || space == 5 || (a->reads && !a->writes && space == 4))
            continue;
        find_starts(&s, a->pointer);
        if (a->is_volatile || (a->is_atomic && ls_mark_order(inst) & LS_CHECK_NARROW))
            m->cc->reach.written |= s.bits; /* in any case it is looked at */
        else if (!a->is_atomic && a->type && !s.n && !(s.bits & LS_CPU_REACH_ANY) &&
                 !(s.bits & (s.bits - 1)) &&
                 ls_mark_is_own(m, a->pointer, LLVMStoreSizeOfType(m->cc->device.layout, a->type)))
            *(a->writes ? &m->cc->reach.own : &m->own_reads) |= s.bits;
        else
            *(a->is_atomic ? &m->cc->reach.atomic
              : a->writes  ? &m->cc->reach.written
                           : &m->cc->reach.read) |= s.bits;
    }
    m->cc->reach.is_known = true;
}
