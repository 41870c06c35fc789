/* SPDX-License-Identifier: MIT */
#include "analysis/threads.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "analysis/shape_priv.h"
#include "intrin/intrinsics.h"

enum { MAX_DEPTH = 32, MAX_TABLES = 4096, SPACE_LDS = 3 };

static const uint64_t unknown; /* its address: in place of a table */

void
ls_threads_init(struct ls_threads *s, struct ls_cc *cc, unsigned n, LLVMValueRef w,
                ls_place_fn *place)
{
    *s = (struct ls_threads){
        .cc = cc, .n = n, .n_lanes = cc->n_lanes, .w = w, .place = place, .left = MAX_TABLES};
    ls_ptrmap_init(&s->map, cc->arena);
}

/* Bits of an integer that is not too wide, or of an address in shared memory; else 0. */
static unsigned
bits_of(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;

    if (kind == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == SPACE_LDS)
        return 32;
    return bits <= 64 ? bits : 0;
}

static uint64_t
low_bits(uint64_t v, unsigned bits)
{
    return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

static int64_t
with_sign(uint64_t v, unsigned bits)
{
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static bool
combine(LLVMOpcode op, unsigned bits, uint64_t a, uint64_t b, uint64_t *out)
{
    bool shifts = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;

    if ((shifts && b >= bits) || ((op == LLVMUDiv || op == LLVMURem) && b == 0))
        return false;
    *out = op == LLVMAdd    ? a + b
           : op == LLVMSub  ? a - b
           : op == LLVMMul  ? a * b
           : op == LLVMAnd  ? a & b
           : op == LLVMOr   ? a | b
           : op == LLVMXor  ? a ^ b
           : op == LLVMShl  ? a << b
           : op == LLVMLShr ? a >> b
           : op == LLVMAShr ? (uint64_t)(with_sign(a, bits) >> b)
           : op == LLVMUDiv ? a / b
                            : a % b;
    return op == LLVMUDiv || op == LLVMURem || shifts || op == LLVMAdd || op == LLVMSub ||
           op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

static bool
compare(LLVMIntPredicate p, unsigned bits, uint64_t a, uint64_t b)
{
    int64_t x = with_sign(a, bits), y = with_sign(b, bits);

    switch (p) {
    case LLVMIntEQ:
        return a == b;
    case LLVMIntNE:
        return a != b;
    case LLVMIntUGT:
        return a > b;
    case LLVMIntUGE:
        return a >= b;
    case LLVMIntULT:
        return a < b;
    case LLVMIntULE:
        return a <= b;
    case LLVMIntSGT:
        return x > y;
    case LLVMIntSGE:
        return x >= y;
    case LLVMIntSLT:
        return x < y;
    default:
        return x <= y;
    }
}

static const uint64_t *values_of(struct ls_threads *s, LLVMValueRef v, unsigned depth);

/* The tables of the operands from the first on; false where one is unknown. */
static bool
operands(struct ls_threads *s, LLVMValueRef v, unsigned n, unsigned depth, const uint64_t **from)
{
    for (unsigned i = 0; i < n; i++)
        if (!(from[i] = values_of(s, LLVMGetOperand(v, i), depth + 1)))
            return false;
    return true;
}

static bool
fill_call(struct ls_threads *s, LLVMValueRef v, unsigned depth, uint64_t *out)
{
    const char *name = ls_ir_callee_name(v);
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;
    const uint64_t *from[2];
    unsigned bits = bits_of(v);

    if (row && row->shape == LS_IS_LANE) {
        for (unsigned t = 0; t < s->n; t++)
            out[t] = t % s->n_lanes;
        return true;
    }
    if (!row || !(row->flags & (LS_IF_MIN | LS_IF_MAX)) || !bits || !operands(s, v, 2, depth, from))
        return false;
    for (unsigned t = 0; t < s->n; t++) {
        bool less = compare(row->flags & LS_IF_SIGNED ? LLVMIntSLT : LLVMIntULT, bits, from[0][t],
                            from[1][t]);

        out[t] = from[less == ((row->flags & LS_IF_MIN) != 0) ? 0 : 1][t];
    }
    return true;
}

static bool
fill_cast(struct ls_threads *s, LLVMValueRef v, unsigned depth, uint64_t *out)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    unsigned bits = bits_of(LLVMGetOperand(v, 0));
    const uint64_t *from;

    if (!bits || !operands(s, v, 1, depth, &from))
        return false;
    for (unsigned t = 0; t < s->n; t++)
        out[t] = op == LLVMSExt ? (uint64_t)with_sign(from[t], bits) : from[t];
    return true;
}

/* An address in shared memory. */
static bool
fill_place(struct ls_threads *s, LLVMValueRef gep, unsigned depth, uint64_t *out)
{
    struct ls_gep_term terms[LS_MAX_GEP_TERMS + 1];
    unsigned n = ls_gep_terms(s->cc, gep, terms, LS_MAX_GEP_TERMS + 1);
    const uint64_t *from;

    if ((unsigned)LLVMGetNumOperands(gep) > LS_MAX_GEP_TERMS || n == 0 || !bits_of(gep) ||
        !operands(s, gep, 1, depth, &from))
        return false;
    memcpy(out, from, s->n * sizeof(*out));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef index = terms[i].index;
        const uint64_t *by = index ? values_of(s, index, depth + 1) : NULL;

        if (index && !by)
            return false;
        for (unsigned t = 0; t < s->n; t++)
            out[t] +=
                (uint64_t)terms[i].stride * (by ? (uint64_t)with_sign(by[t], bits_of(index)) : 1);
    }
    return true;
}

static bool
fill(struct ls_threads *s, LLVMValueRef v, unsigned depth, uint64_t *out)
{
    const uint64_t *from[3];
    unsigned bits;

    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall:
        return fill_call(s, v, depth, out);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return fill_cast(s, v, depth, out);
    case LLVMSelect:
        if (bits_of(LLVMGetOperand(v, 0)) != 1 || !operands(s, v, 3, depth, from))
            return false;
        for (unsigned t = 0; t < s->n; t++)
            out[t] = from[from[0][t] ? 1 : 2][t];
        return true;
    case LLVMGetElementPtr:
        return fill_place(s, v, depth, out);
    case LLVMICmp:
        bits = bits_of(LLVMGetOperand(v, 0));
        if (!bits || !operands(s, v, 2, depth, from))
            return false;
        for (unsigned t = 0; t < s->n; t++)
            out[t] = compare(LLVMGetICmpPredicate(v), bits, from[0][t], from[1][t]);
        return true;
    default:
        if (!LLVMIsABinaryOperator(v) || !operands(s, v, 2, depth, from))
            return false;
        for (unsigned t = 0; t < s->n; t++)
            if (!combine(LLVMGetInstructionOpcode(v), bits_of(v), from[0][t], from[1][t], &out[t]))
                return false;
        return true;
    }
}

static bool
fill_any(struct ls_threads *s, LLVMValueRef v, unsigned depth, uint64_t *out)
{
    unsigned bits = bits_of(v), at;

    if (LLVMIsAConstantInt(v)) {
        for (unsigned t = 0; t < s->n; t++)
            out[t] = LLVMConstIntGetZExtValue(v);
    } else if (LLVMIsAGlobalVariable(v)) {
        if (!s->place(s->cc, v, &at))
            return false;
        for (unsigned t = 0; t < s->n; t++)
            out[t] = at;
    } else if (LLVMIsAConstantExpr(v)) {
        if (LLVMGetConstOpcode(v) != LLVMGetElementPtr || !fill_place(s, v, depth, out))
            return false;
    } else if (v == s->w) {
        for (unsigned t = 0; t < s->n; t++)
            out[t] = t / s->n_lanes;
    } else if (!LLVMIsAInstruction(v) || !fill(s, v, depth, out)) {
        return false;
    }
    for (unsigned t = 0; t < s->n; t++)
        out[t] = low_bits(out[t], bits);
    return true;
}

static const uint64_t *
values_of(struct ls_threads *s, LLVMValueRef v, unsigned depth)
{
    const uint64_t *known = ls_ptrmap_get(&s->map, v);
    uint64_t *out;

    if (known)
        return known == &unknown ? NULL : known;
    if (!bits_of(v) || depth > MAX_DEPTH || s->left == 0)
        return NULL;
    /* A phi is another value in each iteration. */
    ls_ptrmap_set(&s->map, v, (void *)(uintptr_t)&unknown);
    if (LLVMIsAPHINode(v) || LLVMIsALoadInst(v))
        return NULL;
    s->left--;
    out = ls_arena_alloc(s->cc->arena, s->n * sizeof(*out));
    if (!fill_any(s, v, depth, out))
        return NULL;
    ls_ptrmap_set(&s->map, v, out);
    return out;
}

const uint64_t *
ls_threads_values(struct ls_threads *s, LLVMValueRef v)
{
    return values_of(s, v, 0);
}
