/* SPDX-License-Identifier: MIT */
/* Instructions that need nothing but their operands, element by element. */
#include <math.h>

#include "emu_priv.h"

static void
run_integer(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    unsigned bits = i->type->leaves[0].bits;
    u128 ones = emu_ones(bits);
    struct view va = emu_view(w, f, i->ops[0]), vb = emu_view(w, f, i->ops[1]);

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;

#define EACH(expression) \
    EMU_LANES (l, mask) { \
        u128 a = emu_get(va, e, (unsigned)l), b = emu_get(vb, e, (unsigned)l), r; \
        expression; \
        out[l] = r & ones; \
    } \
    break
        switch (i->sub) {
        case LLVMAdd:
            EACH(r = a + b);
        case LLVMSub:
            EACH(r = a - b);
        case LLVMMul:
            EACH(r = a * b);
        case LLVMAnd:
            EACH(r = a & b);
        case LLVMOr:
            EACH(r = a | b);
        case LLVMXor:
            EACH(r = a ^ b);
        case LLVMShl:
            EACH(r = b >= bits ? 0 : a << b);
        case LLVMLShr:
            EACH(r = b >= bits ? 0 : a >> b);
        case LLVMAShr:
            EACH(r = b >= bits ? 0 : (u128)(emu_signed(a, bits) >> b));
        case LLVMUDiv:
            EACH(if (!b) emu_fail(w, i, "division by zero in lane %u", (unsigned)l); r = a / b);
        case LLVMURem:
            EACH(if (!b) emu_fail(w, i, "division by zero in lane %u", (unsigned)l); r = a % b);
        case LLVMSDiv:
        case LLVMSRem:
            EACH(s128 x = emu_signed(a, bits); s128 y = emu_signed(b, bits);
                 if (!y || (y == -1 && a == ones / 2 + 1))
                     emu_fail(w, i, "division by zero or overflow in lane %u", (unsigned)l);
                 r = (u128)(i->sub == LLVMSDiv ? x / y : x % y));
        default:
            emu_fail(w, i, "an integer operation without a meaning here");
        }
#undef EACH
    }
}

static void
run_float(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    static const char names[] = {
        [LLVMFAdd] = '+', [LLVMFSub] = '-', [LLVMFMul] = '*', [LLVMFDiv] = '/', [LLVMFRem] = '%'};
    enum kind kind = (enum kind)i->type->leaves[0].kind;
    struct view va = emu_view(w, f, i->ops[0]), vb = emu_view(w, f, i->ops[1]);

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
        out[l] = emu_number_binary(names[i->sub], emu_get(va, e, (unsigned)l),
                                   emu_get(vb, e, (unsigned)l), kind);
    }
}

static void
run_fneg(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    u128 sign = (u128)1 << (i->type->leaves[0].bits - 1);
    struct view v = emu_view(w, f, i->ops[0]);

    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
            (emu_put(w, f, i) + (size_t)e * w->lanes)[l] = emu_get(v, e, (unsigned)l) ^ sign;
}

static bool
compare_integers(int predicate, u128 a, u128 b, unsigned bits)
{
    s128 x = emu_signed(a, bits), y = emu_signed(b, bits);

    switch ((LLVMIntPredicate)predicate) {
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

static bool
compare_numbers(int predicate, u128 a, u128 b, enum kind kind)
{
    double x = emu_number_double(a, kind), y = emu_number_double(b, kind);
    bool unordered = x != x || y != y;

    switch ((LLVMRealPredicate)predicate) {
    case LLVMRealPredicateFalse:
        return false;
    case LLVMRealOEQ:
        return x == y;
    case LLVMRealOGT:
        return x > y;
    case LLVMRealOGE:
        return x >= y;
    case LLVMRealOLT:
        return x < y;
    case LLVMRealOLE:
        return x <= y;
    case LLVMRealONE:
        return !unordered && x != y;
    case LLVMRealORD:
        return !unordered;
    case LLVMRealUNO:
        return unordered;
    case LLVMRealUEQ:
        return unordered || x == y;
    case LLVMRealUGT:
        return unordered || x > y;
    case LLVMRealUGE:
        return unordered || x >= y;
    case LLVMRealULT:
        return unordered || x < y;
    case LLVMRealULE:
        return unordered || x <= y;
    case LLVMRealUNE:
        return unordered || x != y;
    default:
        return true;
    }
}

static void
run_icmp(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view va = emu_view(w, f, i->ops[0]), vb = emu_view(w, f, i->ops[1]);
    unsigned bits = i->from->leaves[0].bits;

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
        out[l] = compare_integers(i->sub, emu_get(va, e, (unsigned)l), emu_get(vb, e, (unsigned)l),
                                  bits);
    }
}

static void
run_fcmp(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view va = emu_view(w, f, i->ops[0]), vb = emu_view(w, f, i->ops[1]);
    enum kind kind = (enum kind)i->from->leaves[0].kind;

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
        out[l] =
            compare_numbers(i->sub, emu_get(va, e, (unsigned)l), emu_get(vb, e, (unsigned)l), kind);
    }
}

static void
run_select(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view c = emu_view(w, f, i->ops[0]), va = emu_view(w, f, i->ops[1]),
                vb = emu_view(w, f, i->ops[2]);
    bool each = i->from->n > 1;

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
            out[l] = emu_get(emu_get(c, each ? e : 0, (unsigned)l) ? va : vb, e, (unsigned)l);
    }
}

static void
run_freeze(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);

    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
            (emu_put(w, f, i) + (size_t)e * w->lanes)[l] = emu_get(v, e, (unsigned)l);
}

/* ---- Conversions ---- */

/* AMD's instructions clamp to 32 bits (from half to 16 bits: to 16), NaN is 0; stock clang makes
 * what is narrower of these, and 64 bits from two of them: the value's high 32 bits and the rest,
 * each clamped by itself. */
static u128
to_int(u128 v, enum kind from, unsigned bits, bool is_signed)
{
    double x = emu_number_double(v, from), whole, high, rest;
    bool as_size = is_signed && from != KIND_DOUBLE; /* two's complement of the absolute value */
    u128 r;

    if (bits > 64)
        return emu_number_to_int(v, from, bits, is_signed);
    if (bits != 16 && bits < 32)
        is_signed = true;
    if (from == KIND_HALF && bits <= 16)
        return emu_number_to_int(v, from, 16, is_signed) & emu_ones(bits);
    if (from == KIND_HALF && bits > 32) {
        r = emu_number_to_int(v, from, 32, is_signed);
        return (is_signed ? (u128)emu_signed(r, 32) : r) & emu_ones(bits);
    }
    if (bits <= 32)
        return emu_number_to_int(v, from, 32, is_signed) & emu_ones(bits);
    whole = trunc(x);
    if (as_size)
        whole = fabs(whole);
    high = floor(whole * 0x1p-32);
    rest = from == KIND_DOUBLE ? fma(high, -0x1p32, whole)
                               : (double)fmaf((float)high, -0x1p32f, (float)whole);
    r = emu_number_to_int(emu_number_of(high), KIND_DOUBLE, 32, is_signed && !as_size) << 32 |
        emu_number_to_int(emu_number_of(rest), KIND_DOUBLE, 32, false);
    return (as_size && signbit(x) ? -r : r) & emu_ones(bits);
}

static u128
convert(int opcode, u128 v, const struct leaf *from, const struct leaf *to)
{
    enum kind a = (enum kind)from->kind, b = (enum kind)to->kind;
    u128 ones = emu_ones(to->bits);
    s128 x;

    switch (opcode) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return v & ones;
    case LLVMSExt:
        return (u128)emu_signed(v, from->bits) & ones;
    case LLVMAddrSpaceCast:
        return emu_cast_space(v, from->space, to->space) & ones;
    case LLVMFPTrunc:
    case LLVMFPExt:
        return emu_number_convert(v, a, b);
    case LLVMUIToFP:
        return emu_number_from_int(v, false, b);
    case LLVMSIToFP:
        x = emu_signed(v, from->bits);
        return emu_number_from_int(x < 0 ? -(u128)x : (u128)x, x < 0, b);
    case LLVMFPToUI:
        return to_int(v, a, to->bits, false);
    default:
        return to_int(v, a, to->bits, true);
    }
}

static void
run_convert(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);

    for (unsigned e = 0; e < i->n; e++) {
        u128 *out = emu_put(w, f, i) + (size_t)e * w->lanes;
        EMU_LANES (l, mask)
        out[l] =
            convert(i->sub, emu_get(v, e, (unsigned)l), &i->from->leaves[e], &i->type->leaves[e]);
    }
}

static void
run_bitcast(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);
    char bytes[1024];

    if (i->type->store_bytes > sizeof(bytes))
        emu_fail(w, i, "too wide");
    EMU_LANES (l, mask) {
        emu_to_memory(i->from, v.at + l * v.per_lane, v.per_element, bytes);
        emu_from_memory(i->type, bytes, emu_put(w, f, i) + l, w->lanes);
    }
}

/* ---- Elements ---- */

static void
run_extract_element(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]), at = emu_view(w, f, i->ops[1]);

    EMU_LANES (l, mask) {
        u128 k = emu_get(at, 0, (unsigned)l);
        emu_put(w, f, i)[l] = k < i->from->n ? emu_get(v, (unsigned)k, (unsigned)l) : 0;
    }
}

static void
run_insert_element(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]), x = emu_view(w, f, i->ops[1]),
                at = emu_view(w, f, i->ops[2]);

    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
    (emu_put(w, f, i) + (size_t)e * w->lanes)[l] =
        emu_get(at, 0, (unsigned)l) == e ? emu_get(x, 0, (unsigned)l) : emu_get(v, e, (unsigned)l);
}

static void
run_shuffle(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view va = emu_view(w, f, i->ops[0]), vb = emu_view(w, f, i->ops[1]);
    const int *from = i->extra;
    int n = (int)i->from->n;

    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
            (emu_put(w, f, i) + (size_t)e * w->lanes)[l] =
                from[e] < 0    ? emu_ones(i->type->leaves[e].bits) / 3
                : from[e] < n  ? emu_get(va, (unsigned)from[e], (unsigned)l)
                               : emu_get(vb, (unsigned)(from[e] - n), (unsigned)l);
}

static void
run_extract_value(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]);

    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
    (emu_put(w, f, i) + (size_t)e * w->lanes)[l] = emu_get(v, (unsigned)i->sub + e, (unsigned)l);
}

static void
run_insert_value(struct warp *w, struct frame *f, const struct inst *i, uint64_t mask)
{
    struct view v = emu_view(w, f, i->ops[0]), x = emu_view(w, f, i->ops[1]);
    unsigned first = (unsigned)i->sub, n = i->op_types[1]->n;

    for (unsigned e = 0; e < i->n; e++)
        EMU_LANES (l, mask)
    (emu_put(w, f, i) + (size_t)e * w->lanes)[l] = e >= first && e < first + n
                                                       ? emu_get(x, e - first, (unsigned)l)
                                                       : emu_get(v, e, (unsigned)l);
}

run_fn *
emu_find_scalar(struct emu *emu, struct inst *i, LLVMOpcode opcode)
{
    (void)emu;
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        i->sub = (int)opcode;
        return run_integer;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        i->sub = (int)opcode;
        return run_float;
    case LLVMFNeg:
        return run_fneg;
    case LLVMICmp:
        return run_icmp;
    case LLVMFCmp:
        return run_fcmp;
    case LLVMSelect:
        return run_select;
    case LLVMFreeze:
        return run_freeze;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAddrSpaceCast:
        i->sub = (int)opcode;
        return run_convert;
    case LLVMBitCast:
        return run_bitcast;
    case LLVMExtractElement:
        return run_extract_element;
    case LLVMInsertElement:
        return run_insert_element;
    case LLVMShuffleVector:
        return run_shuffle;
    case LLVMExtractValue:
        return run_extract_value;
    case LLVMInsertValue:
        return run_insert_value;
    default:
        return NULL;
    }
}
