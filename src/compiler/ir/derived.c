/* SPDX-License-Identifier: MIT */
/* Origins of what is computed: an element that is made of one element of memory, and of numbers
 * that are none, keeps its address, marked as derived (base/check_site.h). For origins.c. */
#include "compiler/ir/origins_priv.h"

/* i1: it is an address. */
static LLVMValueRef
is_there(struct ls_origins *o, LLVMValueRef origin)
{
    LLVMValueRef address = LLVMBuildAnd(o->b, origin, ls_origins_number(o, LS_NOTE_ADDRESS), "");

    return LLVMBuildICmp(o->b, LLVMIntUGE, address, ls_origins_number(o, LS_NOTE_NOWHERE), "");
}

static LLVMValueRef
either(struct ls_origins *o, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef same, both;

    if (x == y)
        return x;
    same = LLVMBuildICmp(o->b, LLVMIntEQ, x, y, "");
    both = LLVMBuildSelect(o->b, same, x, ls_origins_number(o, 0), "");
    return LLVMBuildSelect(o->b, is_there(o, x), LLVMBuildSelect(o->b, is_there(o, y), both, x, ""),
                           y, "");
}

LLVMValueRef
ls_origins_either(struct ls_origins *o, LLVMValueRef v, const struct ls_origin *x,
                  const struct ls_origin *y)
{
    ls_origins_stand_behind(o, v);
    return either(o, ls_origin_value(o, x), ls_origin_value(o, y));
}

/* An element of `n` bytes as one origin: NULL: of none. */
static LLVMValueRef
element(struct ls_origins *o, const struct ls_origin *bytes, unsigned n)
{
    uint64_t flags = LS_NOTE_DERIVED | (uint64_t)n << LS_NOTE_SIZE_AT;
    LLVMValueRef first, in_order = NULL, alike = NULL;
    bool one_base = true, one_place = true;

    for (unsigned i = 0; i < n; i++) {
        if (!bytes[i].base)
            return NULL;
        one_place &= bytes[i].base == bytes[0].base && bytes[i].add == bytes[0].add;
        one_base &= bytes[i].base == bytes[0].base && bytes[i].add == bytes[0].add + (int64_t)i;
    }
    first = ls_origin_value(o, &bytes[0]);
    if (one_place && n > 1)
        return first;
    if (!one_base)
        for (unsigned i = 1; i < n; i++) {
            LLVMValueRef own = ls_origin_value(o, &bytes[i]),
                         next = LLVMBuildAdd(o->b, first, ls_origins_number(o, i), ""),
                         is_next = LLVMBuildICmp(o->b, LLVMIntEQ, own, next, ""),
                         is_same = LLVMBuildICmp(o->b, LLVMIntEQ, own, first, "");

            in_order = in_order ? LLVMBuildAnd(o->b, in_order, is_next, "") : is_next;
            alike = alike ? LLVMBuildAnd(o->b, alike, is_same, "") : is_same;
        }
    LLVMValueRef derived = LLVMBuildOr(o->b, first, ls_origins_number(o, flags), "");
    if (one_base)
        return derived;
    return LLVMBuildSelect(o->b, in_order, derived,
                           LLVMBuildSelect(o->b, alike, first, ls_origins_number(o, 0), ""), "");
}

static unsigned
n_elements(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

struct ls_origin *
ls_origins_derived(struct ls_origins *o, LLVMValueRef v, unsigned n)
{
    struct ls_origin *out = ls_origins_none(o, n);
    unsigned n_elems = n_elements(v), each = n / n_elems,
             n_operands =
                 LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);

    for (unsigned k = 0; k < n_operands; k++) /* first, as it moves the builder */
        o->of(o, LLVMGetOperand(v, k));
    ls_origins_stand_behind(o, v);
    for (unsigned e = 0; e < n_elems; e++) {
        LLVMValueRef all = NULL;

        for (unsigned k = 0; k < n_operands; k++) {
            LLVMValueRef operand = LLVMGetOperand(v, k), one;
            unsigned from = ls_origins_bytes(o, operand) / n_elems;

            if (n_elements(operand) != n_elems || !from)
                continue;
            one = element(o, o->of(o, operand) + e * from, from);
            all = all && one ? either(o, all, one) : all ? all : one;
        }
        for (unsigned i = 0; i < each; i++)
            out[e * each + i].base = all;
    }
    return out;
}
