/* SPDX-License-Identifier: MIT */
#include "analysis/address.h"

#include <stddef.h>

enum { MOST_STEPS = 16 };

static bool
add_term(struct ls_address *a, LLVMValueRef of, char extended, int64_t times)
{
    for (unsigned i = 0; i < a->n_terms; i++) {
        struct ls_address_term *t = &a->terms[i];

        if (t->of != of || t->extended != extended)
            continue;
        t->times += times;
        if (t->times == 0)
            *t = a->terms[--a->n_terms];
        return true;
    }
    if (a->n_terms == LS_ADDRESS_TERMS)
        return false;
    if (times)
        a->terms[a->n_terms++] = (struct ls_address_term){of, extended, times};
    return true;
}

/* Whether an extension of the result is the operation on the extended operands. */
static bool
goes_through(LLVMValueRef v, char extended)
{
    if (LLVMGetInstructionOpcode(v) == LLVMOr)
        return LLVMGetIsDisjoint(v);
    return !extended || (extended == 'z' ? LLVMGetNUW(v) : LLVMGetNSW(v));
}

/* Adds so many times an index, which wraps at 64 bits as addresses do. */
static bool
add_index(struct ls_address *a, LLVMValueRef v, char extended, uint64_t times, unsigned depth)
{
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : (LLVMOpcode)0;
    LLVMValueRef left, right;

    if (LLVMIsAConstantInt(v)) {
        uint64_t k =
            extended == 'z' ? LLVMConstIntGetZExtValue(v) : (uint64_t)LLVMConstIntGetSExtValue(v);
        a->bytes = (int64_t)((uint64_t)a->bytes + times * k);
        return true;
    }
    if (depth == MOST_STEPS)
        return add_term(a, v, extended, (int64_t)times);
    if (op == LLVMZExt) /* what is wider than that has no sign any more */
        return add_index(a, LLVMGetOperand(v, 0), 'z', times, depth + 1);
    if (op == LLVMSExt && extended != 'z')
        return add_index(a, LLVMGetOperand(v, 0), 's', times, depth + 1);
    if ((op != LLVMAdd && op != LLVMOr && op != LLVMShl && op != LLVMMul) ||
        !goes_through(v, extended))
        return add_term(a, v, extended, (int64_t)times);
    left = LLVMGetOperand(v, 0);
    right = LLVMGetOperand(v, 1);
    if (op == LLVMAdd || op == LLVMOr)
        return add_index(a, left, extended, times, depth + 1) &&
               add_index(a, right, extended, times, depth + 1);
    if (!LLVMIsAConstantInt(right))
        return add_term(a, v, extended, (int64_t)times);
    if (op == LLVMMul)
        times *= extended == 'z' ? LLVMConstIntGetZExtValue(right)
                                 : (uint64_t)LLVMConstIntGetSExtValue(right);
    else if (LLVMConstIntGetZExtValue(right) < LLVMGetIntTypeWidth(LLVMTypeOf(v)))
        times <<= LLVMConstIntGetZExtValue(right);
    else
        return false;
    return add_index(a, left, extended, times, depth + 1);
}

/* Adds what a GEP adds. False: an index, or a type, has a form that is not told here. */
static bool
add_gep(struct ls_address *a, LLVMTargetDataRef layout, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned n = (unsigned)LLVMGetNumOperands(gep);

    for (unsigned i = 1; i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        unsigned bits;

        if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
            return false;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);

            a->bytes += (int64_t)LLVMOffsetOfElement(layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
            return false;
        type = i > 1 ? LLVMGetElementType(type) : type;
        bits = LLVMGetIntTypeWidth(LLVMTypeOf(index));
        if (bits > 64 ||
            !add_index(a, index, bits < 64 ? 's' : 0, LLVMABISizeOfType(layout, type), 0))
            return false;
    }
    return true;
}

bool
ls_address_read(LLVMTargetDataRef layout, LLVMValueRef pointer, struct ls_address *a)
{
    unsigned as = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));

    *a = (struct ls_address){.root = NULL};
    if (LLVMPointerSizeForAS(layout, as) != 8)
        return false;
    for (unsigned i = 0; i < MOST_STEPS && LLVMIsAGetElementPtrInst(pointer); i++) {
        if (!add_gep(a, layout, pointer))
            return false;
        pointer = LLVMGetOperand(pointer, 0);
    }
    a->root = pointer;
    return true;
}

bool
ls_address_distance(const struct ls_address *from, const struct ls_address *to, int64_t *bytes)
{
    if (from->root != to->root || from->n_terms != to->n_terms)
        return false;
    for (unsigned i = 0; i < from->n_terms; i++) {
        const struct ls_address_term *t = &from->terms[i];
        unsigned k = 0;

        while (k < to->n_terms &&
               (to->terms[k].of != t->of || to->terms[k].extended != t->extended ||
                to->terms[k].times != t->times))
            k++;
        if (k == to->n_terms)
            return false;
    }
    *bytes = (int64_t)((uint64_t)to->bytes - (uint64_t)from->bytes);
    return true;
}

bool
ls_address_are_near(LLVMTargetDataRef layout, LLVMValueRef a, LLVMValueRef b)
{
    enum { NEAR = 32 }; /* half a line */
    struct ls_address from, to;
    int64_t bytes;

    if (a == b)
        return true;
    return ls_address_read(layout, a, &from) && ls_address_read(layout, b, &to) &&
           ls_address_distance(&from, &to, &bytes) && bytes > -NEAR && bytes < NEAR;
}
