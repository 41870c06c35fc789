/* SPDX-License-Identifier: MIT */
/* Arithmetic, comparisons and conversions. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx_priv.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

#define TYPE(n) ((enum ptx_type)i->types[n])

static bool
is_float(enum ptx_type type)
{
    return ptx_kinds[type] == KIND_FLOAT;
}

/* A whole number of the type in 64 bits. */
static uint64_t
whole_in(enum ptx_type type, uint64_t v)
{
    return ptx_kinds[type] == KIND_SIGNED ? (uint64_t)with_sign(v, ptx_bits[type])
                                          : low_bits(v, ptx_bits[type]);
}

/* ---- Floating point to and from bits ---- */

static double
flush(double v, bool ftz)
{
    return ftz && fabs(v) < 0x1p-126 ? copysign(0, v) : v;
}

static double
float_in(enum ptx_type type, uint64_t bits, bool ftz)
{
    uint32_t low = (uint32_t)bits;
    double d;
    float f;

    switch (type) {
    case TYPE_f64:
        memcpy(&d, &bits, sizeof(d));
        return d;
    case TYPE_f16:
        return ptx_from_half((uint16_t)bits);
    case TYPE_bf16:
        return ptx_from_bf16((uint16_t)bits);
    default:
        memcpy(&f, &low, sizeof(f));
        return flush(f, ftz);
    }
}

static uint64_t
float_out(enum ptx_type type, double v, const struct ptx_insn *i)
{
    enum ptx_round round = (enum ptx_round)i->round;
    uint64_t bits = 0;
    uint32_t low;
    float f;

    if (i->flags & FLAG_SAT)
        v = v > 0 ? v < 1 ? v : 1 : 0; /* of NaN, too */
    if ((i->flags & FLAG_RELU) && !(v > 0) && !isnan(v))
        v = 0;
    switch (type) {
    case TYPE_f64:
        memcpy(&bits, &v, sizeof(bits));
        return bits;
    case TYPE_f16:
        return ptx_to_half(v, round);
    case TYPE_bf16:
        return ptx_to_bf16(v, round);
    default:
        f = ptx_to_f32(v, round);
        f = (float)flush(f, (i->flags & FLAG_FTZ) != 0);
        memcpy(&low, &f, sizeof(low));
        return isnan(f) ? 0x7fffffff : low;
    }
}

static const int modes[] = {
    [ROUND_NONE] = FE_TONEAREST,  [ROUND_NEAREST] = FE_TONEAREST, [ROUND_AWAY] = FE_TONEAREST,
    [ROUND_ZERO] = FE_TOWARDZERO, [ROUND_DOWN] = FE_DOWNWARD,     [ROUND_UP] = FE_UPWARD};

enum calculation { ADD, SUB, MUL, DIV, FMA, SQRT };

/* In double a sum, product, quotient or root of shorter numbers, rounded the same way twice, is
 * rounded once (Figueroa, "When is double rounding innocuous?"); fma is not. */
static double
calculate(enum calculation what, enum ptx_type type, double x, double y, double z, unsigned round)
{
    volatile double a = x, b = y, c = z, v;
    volatile float fa = (float)x, fb = (float)y, fc = (float)z;
    bool turned = round < sizeof(modes) / sizeof(*modes) && modes[round] != FE_TONEAREST;

    if (turned)
        fesetround(modes[round]);
    switch (what) {
    case ADD:
        v = a + b;
        break;
    case SUB:
        v = a - b;
        break;
    case MUL:
        v = a * b;
        break;
    case DIV:
        v = a / b;
        break;
    case SQRT:
        v = sqrt(a);
        break;
    case FMA:
    default:
        v = type == TYPE_f64   ? fma(a, b, c)
            : type == TYPE_f32 ? (double)fmaf(fa, fb, fc)
                               : ptx_fma_odd(a, b, c);
        break;
    }
    if (turned)
        fesetround(FE_TONEAREST);
    return v;
}

static uint64_t
calculate_bits(const struct ptx_insn *i, enum calculation what, enum ptx_type type, uint64_t a,
               uint64_t b, uint64_t c)
{
    bool ftz = i->flags & FLAG_FTZ;

    if (ptx_kinds[type] == KIND_PAIR) {
        enum ptx_type part = type == TYPE_f16x2 ? TYPE_f16 : TYPE_bf16;

        return calculate_bits(i, what, part, a & 0xffff, b & 0xffff, c & 0xffff) |
               calculate_bits(i, what, part, a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff)
                   << 16;
    }
    return float_out(type,
                     calculate(what, type, float_in(type, a, ftz), float_in(type, b, ftz),
                               float_in(type, c, ftz), i->round),
                     i);
}

static bool
is_number_type(enum ptx_type type)
{
    return is_float(type) || ptx_kinds[type] == KIND_PAIR;
}

/* ---- Whole numbers ---- */

static enum ptx_next
add_with(struct ptx_thread *t, const struct ptx_insn *i, bool carry, bool minus)
{
    unsigned bits = ptx_bits[TYPE(0)];
    uint64_t a = low_bits(IN(1), bits), b = low_bits(minus ? ~IN(2) : IN(2), bits), sum = a + b;
    bool over = sum < a;

    /* What is subtracted is added with its bits turned, and a carry that no borrow is. */
    over |= sum + (minus ? !carry : carry) < sum;
    sum += minus ? !carry : carry;
    if (bits < 64)
        over = sum >> bits & 1;
    if (i->flags & FLAG_CC)
        t->carry = minus ? !over : over;
    if (i->flags & FLAG_SAT) {
        int64_t v = with_sign(a, bits) + (minus ? -with_sign(IN(2), bits) : with_sign(IN(2), bits));

        sum = (uint64_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
    }
    OUT(0) = low_bits(sum, bits);
    return NEXT_GO;
}

enum ptx_next
op_add(struct ptx_thread *t, const struct ptx_insn *i)
{
    if (!is_number_type(TYPE(0)))
        return add_with(t, i, false, false);
    OUT(0) = calculate_bits(i, ADD, TYPE(0), IN(1), IN(2), 0);
    return NEXT_GO;
}

enum ptx_next
op_sub(struct ptx_thread *t, const struct ptx_insn *i)
{
    if (!is_number_type(TYPE(0)))
        return add_with(t, i, false, true);
    OUT(0) = calculate_bits(i, SUB, TYPE(0), IN(1), IN(2), 0);
    return NEXT_GO;
}

enum ptx_next
op_addc(struct ptx_thread *t, const struct ptx_insn *i)
{
    return add_with(t, i, t->carry, false);
}

enum ptx_next
op_subc(struct ptx_thread *t, const struct ptx_insn *i)
{
    return add_with(t, i, t->carry, true);
}

static uwide
product(const struct ptx_insn *i, uint64_t a, uint64_t b)
{
    enum ptx_type type = TYPE(0);

    if (ptx_kinds[type] == KIND_SIGNED)
        return (uwide)((wide)with_sign(a, ptx_bits[type]) * with_sign(b, ptx_bits[type]));
    return (uwide)low_bits(a, ptx_bits[type]) * low_bits(b, ptx_bits[type]);
}

/* The part of a product that the instruction asks for. */
static uint64_t
part(const struct ptx_insn *i, uwide v)
{
    unsigned bits = ptx_bits[TYPE(0)];

    return low_bits((uint64_t)(i->flags & FLAG_HI ? v >> bits : v),
                    i->flags & FLAG_WIDE ? 2 * bits : bits);
}

enum ptx_next
op_mul(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = is_number_type(TYPE(0)) ? calculate_bits(i, MUL, TYPE(0), IN(1), IN(2), 0)
                                     : part(i, product(i, IN(1), IN(2)));
    return NEXT_GO;
}

static enum ptx_next
mad(struct ptx_thread *t, const struct ptx_insn *i, bool carry)
{
    unsigned bits = ptx_bits[TYPE(0)] * (i->flags & FLAG_WIDE ? 2 : 1);
    uint64_t v = part(i, product(i, IN(1), IN(2))), c = low_bits(IN(3), bits), sum = v + c + carry;

    if (i->flags & FLAG_CC)
        t->carry = bits < 64 ? sum >> bits & 1 : sum < v || (carry && sum == v);
    if (i->flags & FLAG_SAT) {
        int64_t exact = with_sign(v, bits) + with_sign(c, bits);

        sum = (uint64_t)(exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact);
    }
    OUT(0) = low_bits(sum, bits);
    return NEXT_GO;
}

enum ptx_next
op_mad(struct ptx_thread *t, const struct ptx_insn *i)
{
    return is_number_type(TYPE(0)) ? op_fma(t, i) : mad(t, i, false);
}

enum ptx_next
op_madc(struct ptx_thread *t, const struct ptx_insn *i)
{
    return mad(t, i, t->carry);
}

enum ptx_next
op_mul24(struct ptx_thread *t, const struct ptx_insn *i) /* and mad24 */
{
    bool is_signed = ptx_kinds[TYPE(0)] == KIND_SIGNED;
    int64_t a = is_signed ? with_sign(IN(1), 24) : (int64_t)low_bits(IN(1), 24),
            b = is_signed ? with_sign(IN(2), 24) : (int64_t)low_bits(IN(2), 24);
    uint64_t v = (uint64_t)(a * b) >> (i->flags & FLAG_HI ? 16 : 0);

    OUT(0) = low_bits(i->n > 3 ? v + IN(3) : v, 32);
    return NEXT_GO;
}

enum ptx_next
op_div(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = TYPE(0);
    uint64_t a = whole_in(type, IN(1)), b = whole_in(type, IN(2));

    if (is_float(type))
        OUT(0) = calculate_bits(i, DIV, type, IN(1), IN(2), 0);
    else if (b == 0) /* what the hardware leaves */
        OUT(0) = low_bits(UINT64_MAX, ptx_bits[type]);
    else if (ptx_kinds[type] == KIND_SIGNED)
        OUT(0) =
            low_bits(b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b), ptx_bits[type]);
    else
        OUT(0) = a / b;
    return NEXT_GO;
}

enum ptx_next
op_rem(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = TYPE(0);
    uint64_t a = whole_in(type, IN(1)), b = whole_in(type, IN(2));

    if (b == 0)
        OUT(0) = low_bits(a, ptx_bits[type]);
    else if (ptx_kinds[type] == KIND_SIGNED)
        OUT(0) =
            low_bits(b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b), ptx_bits[type]);
    else
        OUT(0) = a % b;
    return NEXT_GO;
}

/* Bits of sign of a floating-point type, or pair of such. */
static uint64_t
sign_of(enum ptx_type type)
{
    return ptx_kinds[type] == KIND_PAIR ? 0x80008000 : UINT64_C(1) << (ptx_bits[type] - 1);
}

static uint64_t
flush_bits(const struct ptx_insn *i, uint64_t v)
{
    return (i->flags & FLAG_FTZ) && TYPE(0) == TYPE_f32 && (v & 0x7f800000) == 0 ? v & 0x80000000
                                                                                 : v;
}

enum ptx_next
op_abs(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = TYPE(0);
    int64_t v = with_sign(IN(1), ptx_bits[type]);

    if (is_number_type(type))
        OUT(0) = flush_bits(i, low_bits(IN(1) & ~sign_of(type), ptx_bits[type]));
    else
        OUT(0) = low_bits(v < 0 ? -(uint64_t)v : (uint64_t)v, ptx_bits[type]);
    return NEXT_GO;
}

enum ptx_next
op_neg(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = TYPE(0);

    if (is_number_type(type))
        OUT(0) = flush_bits(i, low_bits(IN(1) ^ sign_of(type), ptx_bits[type]));
    else
        OUT(0) = low_bits(-IN(1), ptx_bits[type]);
    return NEXT_GO;
}

enum ptx_next
op_copysign(struct ptx_thread *t, const struct ptx_insn *i)
{
    uint64_t sign = sign_of(TYPE(0)); /* the first operand's goes to the second */

    OUT(0) = low_bits((IN(2) & ~sign) | (IN(1) & sign), ptx_bits[TYPE(0)]);
    return NEXT_GO;
}

static uint64_t
extreme_float(const struct ptx_insn *i, enum ptx_type type, uint64_t x, uint64_t y, bool larger)
{
    bool ftz = i->flags & FLAG_FTZ;
    double a = float_in(type, x, ftz), b = float_in(type, y, ftz), v;
    bool a_less = a < b || (a == b && signbit(a) && !signbit(b));

    if (isnan(a) || isnan(b))
        v = (i->flags & FLAG_NAN) || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
    else
        v = a_less == larger ? b : a;
    if (isnan(v) && type == TYPE_f64)
        return UINT64_C(0x7fffffffffffffff);
    if (i->flags & FLAG_XORSIGN)
        v = copysign(v, signbit(a) != signbit(b) ? -1 : 1);
    return float_out(type, v, i);
}

static enum ptx_next
extreme(struct ptx_thread *t, const struct ptx_insn *i, bool larger)
{
    enum ptx_type type = TYPE(0);
    uint64_t a = IN(1), b = IN(2);

    if (ptx_kinds[type] == KIND_PAIR) {
        enum ptx_type half = type == TYPE_f16x2 ? TYPE_f16 : TYPE_bf16;

        OUT(0) = extreme_float(i, half, a, b, larger) |
                 extreme_float(i, half, a >> 16, b >> 16, larger) << 16;
    } else if (is_float(type)) {
        OUT(0) = extreme_float(i, type, a, b, larger);
    } else {
        uint64_t x = whole_in(type, a), y = whole_in(type, b);
        bool less = ptx_kinds[type] == KIND_SIGNED ? (int64_t)x < (int64_t)y : x < y;

        OUT(0) = low_bits(less == larger ? y : x, ptx_bits[type]);
    }
    return NEXT_GO;
}

enum ptx_next
op_min(struct ptx_thread *t, const struct ptx_insn *i)
{
    return extreme(t, i, false);
}

enum ptx_next
op_max(struct ptx_thread *t, const struct ptx_insn *i)
{
    return extreme(t, i, true);
}

enum ptx_next
op_sad(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = TYPE(0);
    uint64_t a = whole_in(type, IN(1)), b = whole_in(type, IN(2));
    bool less = ptx_kinds[type] == KIND_SIGNED ? (int64_t)a < (int64_t)b : a < b;

    OUT(0) = low_bits((less ? b - a : a - b) + IN(3), ptx_bits[type]);
    return NEXT_GO;
}

enum ptx_next
op_fma(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = calculate_bits(i, FMA, TYPE(0), IN(1), IN(2), IN(3));
    return NEXT_GO;
}

static int64_t
item(enum ptx_type type, uint64_t v, unsigned bits, unsigned k)
{
    v = v >> k * bits;
    return ptx_kinds[type] == KIND_SIGNED ? with_sign(v, bits) : (int64_t)low_bits(v, bits);
}

enum ptx_next
op_dot(struct ptx_thread *t, const struct ptx_insn *i) /* dp4a, dp2a */
{
    unsigned n = i->name[2] == '4' ? 4 : 2, first = i->flags & FLAG_HI ? 2 : 0;
    int64_t sum = with_sign(IN(3), 32);

    for (unsigned k = 0; k < n; k++)
        sum += item(TYPE(0), IN(1), 32 / n, k) * item(TYPE(1), IN(2), 8, first + k);
    OUT(0) = low_bits((uint64_t)sum, 32);
    return NEXT_GO;
}

/* ---- Functions: approximations are exact ones, rounded ---- */

/* Of those of f64 the hardware has but the upper half. */
static uint64_t
function_out(const struct ptx_insn *i, double v)
{
    uint64_t bits = float_out(TYPE(0), v, i);

    return TYPE(0) == TYPE_f64 && (i->flags & FLAG_APPROX) ? bits & ~UINT64_C(0xffffffff) : bits;
}

enum ptx_next
op_rcp(struct ptx_thread *t, const struct ptx_insn *i)
{
    bool ftz = i->flags & FLAG_FTZ;

    OUT(0) =
        function_out(i, calculate(DIV, TYPE(0), 1, float_in(TYPE(0), IN(1), ftz), 0, i->round));
    return NEXT_GO;
}

enum ptx_next
op_sqrt(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = calculate_bits(i, SQRT, TYPE(0), IN(1), 0, 0);
    return NEXT_GO;
}

static uint64_t
function(const struct ptx_thread *t, const struct ptx_insn *i, double (*f)(double))
{
    enum ptx_type type = TYPE(0);
    bool ftz = i->flags & FLAG_FTZ;

    if (ptx_kinds[type] == KIND_PAIR) {
        enum ptx_type half = type == TYPE_f16x2 ? TYPE_f16 : TYPE_bf16;

        return float_out(half, f(float_in(half, IN(1), false)), i) |
               float_out(half, f(float_in(half, IN(1) >> 16, false)), i) << 16;
    }
    return function_out(i, f(float_in(type, IN(1), ftz)));
}

static double
inverse_root(double v)
{
    return 1 / sqrt(v);
}

#define FUNCTION(op, f)                                                                            \
    enum ptx_next op(struct ptx_thread *t, const struct ptx_insn *i)                               \
    {                                                                                              \
        OUT(0) = function(t, i, f);                                                                \
        return NEXT_GO;                                                                            \
    }
FUNCTION(op_rsqrt, inverse_root)
FUNCTION(op_sin, sin)
FUNCTION(op_cos, cos)
FUNCTION(op_ex2, exp2)
FUNCTION(op_lg2, log2)
FUNCTION(op_tanh, tanh)

enum ptx_next
op_testp(struct ptx_thread *t, const struct ptx_insn *i)
{
    double v = float_in(TYPE(0), IN(1), false), least = TYPE(0) == TYPE_f64 ? 0x1p-1022 : 0x1p-126;

    switch (i->action) {
    case ACTION_FINITE:
        OUT(0) = isfinite(v) != 0;
        break;
    case ACTION_INFINITE:
        OUT(0) = isinf(v) != 0;
        break;
    case ACTION_NUMBER:
        OUT(0) = !isnan(v);
        break;
    case ACTION_NOTANUMBER:
        OUT(0) = isnan(v) != 0;
        break;
    case ACTION_NORMAL:
        OUT(0) = isfinite(v) && fabs(v) >= least;
        break;
    default:
        OUT(0) = v != 0 && fabs(v) < least;
        break;
    }
    return NEXT_GO;
}

/* ---- Comparisons ---- */

static bool
compare_floats(enum ptx_compare how, double a, double b)
{
    bool none = isnan(a) || isnan(b);

    switch (how) {
    case COMPARE_EQ:
        return !none && a == b;
    case COMPARE_NE:
        return !none && a != b;
    case COMPARE_LT:
        return !none && a < b;
    case COMPARE_LE:
        return !none && a <= b;
    case COMPARE_GT:
        return !none && a > b;
    case COMPARE_GE:
        return !none && a >= b;
    case COMPARE_EQU:
        return none || a == b;
    case COMPARE_NEU:
        return none || a != b;
    case COMPARE_LTU:
        return none || a < b;
    case COMPARE_LEU:
        return none || a <= b;
    case COMPARE_GTU:
        return none || a > b;
    case COMPARE_GEU:
        return none || a >= b;
    case COMPARE_NUM:
        return !none;
    case COMPARE_NAN:
    default:
        return none;
    }
}

static bool
compare(const struct ptx_insn *i, enum ptx_type type, uint64_t x, uint64_t y)
{
    bool ftz = i->flags & FLAG_FTZ, is_signed = ptx_kinds[type] == KIND_SIGNED;
    uint64_t a = whole_in(type, x), b = whole_in(type, y);
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

    if (is_float(type))
        return compare_floats((enum ptx_compare)i->compare, float_in(type, x, ftz),
                              float_in(type, y, ftz));
    if (i->flags & (FLAG_LO | FLAG_HI)) /* lower, higher */
        return i->flags & FLAG_LO ? less : !less && a != b;
    switch ((enum ptx_compare)i->compare) {
    case COMPARE_EQ:
        return a == b;
    case COMPARE_NE:
        return a != b;
    case COMPARE_LT:
        return less;
    case COMPARE_LE:
        return less || a == b;
    case COMPARE_GT:
        return !less && a != b;
    default:
        return !less;
    }
}

static bool
join(const struct ptx_insn *i, bool a, bool c)
{
    switch (i->action) {
    case ACTION_AND:
        return a && c;
    case ACTION_OR:
        return a || c;
    case ACTION_XOR:
        return a != c;
    default:
        return a;
    }
}

enum ptx_next
op_setp(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type type = TYPE(0);
    uint64_t a = IN(2), b = IN(3);
    bool c = i->n > 4 && (IN(4) & 1) != (i->negated >> 4 & 1), yes[2];

    if (ptx_kinds[type] == KIND_PAIR) {
        enum ptx_type half = type == TYPE_f16x2 ? TYPE_f16 : TYPE_bf16;

        yes[0] = join(i, compare(i, half, a & 0xffff, b & 0xffff), c);
        yes[1] = join(i, compare(i, half, a >> 16 & 0xffff, b >> 16 & 0xffff), c);
    } else {
        bool is = compare(i, type, a, b);

        yes[0] = join(i, is, c);
        yes[1] = join(i, !is, c);
    }
    OUT(1) = yes[1];
    OUT(0) = yes[0];
    return NEXT_GO;
}

enum ptx_next
op_set(struct ptx_thread *t, const struct ptx_insn *i)
{
    bool c = i->n > 3 && (IN(3) & 1) != (i->negated >> 3 & 1),
         yes = join(i, compare(i, TYPE(1), IN(1), IN(2)), c);

    OUT(0) = is_float(TYPE(0)) ? float_out(TYPE(0), yes, i)
                               : low_bits(yes ? UINT64_MAX : 0, ptx_bits[TYPE(0)]);
    return NEXT_GO;
}

enum ptx_next
op_selp(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = low_bits((IN(3) & 1) != (i->negated >> 3 & 1) ? IN(1) : IN(2), ptx_bits[TYPE(0)]);
    return NEXT_GO;
}

enum ptx_next
op_slct(struct ptx_thread *t, const struct ptx_insn *i)
{
    bool first = TYPE(1) == TYPE_f32 ? float_in(TYPE_f32, IN(3), (i->flags & FLAG_FTZ) != 0) >= 0
                                     : with_sign(IN(3), 32) >= 0;

    OUT(0) = low_bits(first ? IN(1) : IN(2), ptx_bits[TYPE(0)]);
    return NEXT_GO;
}

enum ptx_next
op_mov(struct ptx_thread *t, const struct ptx_insn *i)
{
    OUT(0) = low_bits(IN(1) ^ (i->negated >> 1 & 1), ptx_bits[TYPE(0)]);
    return NEXT_GO;
}

/* ---- Conversions ---- */

/* A whole number between the type's least and most; what none is becomes what the PTX ISA says. */
static uint64_t
float_to_whole(enum ptx_type to, enum ptx_type from, double v)
{
    unsigned bits = ptx_bits[to];
    bool is_signed = ptx_kinds[to] == KIND_SIGNED;
    double limit = ldexp(1, (int)bits - is_signed);

    if (isnan(v))
        return from == TYPE_f64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
    if (v >= limit)
        return is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : low_bits(UINT64_MAX, bits);
    if (is_signed && v < -limit)
        return UINT64_C(1) << (bits - 1);
    if (!is_signed && v <= 0)
        return 0;
    return low_bits(is_signed ? (uint64_t)(int64_t)v : (uint64_t)v, bits);
}

static uint64_t
whole_to_whole(const struct ptx_insn *i, enum ptx_type to, enum ptx_type from, uint64_t bits)
{
    wide v = ptx_kinds[from] == KIND_SIGNED ? (wide)with_sign(bits, ptx_bits[from])
                                            : (wide)low_bits(bits, ptx_bits[from]);
    bool is_signed = ptx_kinds[to] == KIND_SIGNED;
    wide most = ((wide)1 << (ptx_bits[to] - is_signed)) - 1, least = is_signed ? -most - 1 : 0;

    if (i->flags & FLAG_SAT)
        v = v > most ? most : v < least ? least : v;
    return low_bits((uint64_t)v, ptx_bits[to]);
}

/* In one rounding: 64 bits fit no double. */
static uint64_t
whole_to_float(const struct ptx_insn *i, enum ptx_type to, enum ptx_type from, uint64_t bits)
{
    bool is_signed = ptx_kinds[from] == KIND_SIGNED;
    volatile int64_t s = with_sign(bits, ptx_bits[from]);
    volatile uint64_t u = low_bits(bits, ptx_bits[from]);
    volatile double d;
    volatile float f;

    fesetround(modes[i->round <= ROUND_UP ? i->round : ROUND_NONE]);
    if (to == TYPE_f64) {
        d = is_signed ? (double)s : (double)u;
    } else if (to == TYPE_f32) {
        f = is_signed ? (float)s : (float)u;
        d = f;
    } else { /* larger numbers are infinite in f16; bf16 takes all, from few bits */
        fesetround(FE_TOWARDZERO);
        d = is_signed ? (double)s : (double)u;
        if ((is_signed && (int64_t)d != s) || (!is_signed && (uint64_t)d != u)) {
            uint64_t odd;
            double v = d;

            memcpy(&odd, &v, sizeof(odd));
            odd |= 1;
            memcpy(&v, &odd, sizeof(odd));
            d = v;
        }
    }
    fesetround(FE_TONEAREST);
    return float_out(to, d, i);
}

static uint64_t
float_to_float(const struct ptx_insn *i, enum ptx_type to, enum ptx_type from, uint64_t bits)
{
    double v =
        ptx_whole(float_in(from, bits, (i->flags & FLAG_FTZ) != 0), (enum ptx_round)i->round);

    if (to == TYPE_tf32) {
        float f = (float)v;
        uint32_t low;

        memcpy(&low, &f, sizeof(low));
        return isnan(f) ? 0x7fffffff : (low + (i->round == ROUND_ZERO ? 0 : 0x1000)) & ~0x1fffu;
    }
    return float_out(to, v, i);
}

enum ptx_next
op_cvt(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type to = TYPE(0), from = TYPE(1);

    if (ptx_kinds[to] == KIND_PAIR) { /* the first operand is the upper half */
        enum ptx_type half = to == TYPE_f16x2 ? TYPE_f16 : TYPE_bf16;

        OUT(0) = float_to_float(i, half, from, IN(2)) | float_to_float(i, half, from, IN(1)) << 16;
    } else if (is_float(from) && is_float(to)) {
        OUT(0) = float_to_float(i, to, from, IN(1));
    } else if (is_float(from)) {
        OUT(0) = float_to_whole(
            to, from,
            ptx_whole(float_in(from, IN(1), (i->flags & FLAG_FTZ) != 0), (enum ptx_round)i->round));
    } else if (is_float(to)) {
        OUT(0) = whole_to_float(i, to, from, IN(1));
    } else {
        OUT(0) = whole_to_whole(i, to, from, IN(1));
    }
    if (ptx_kinds[to] == KIND_SIGNED) /* to a wider register */
        OUT(0) = (uint64_t)with_sign(OUT(0), ptx_bits[to]);
    return NEXT_GO;
}

enum ptx_next
op_cvt_pack(struct ptx_thread *t, const struct ptx_insn *i)
{
    enum ptx_type to = TYPE(0), from = TYPE(1);
    unsigned bits = ptx_bits[to];
    uint64_t low = whole_to_whole(i, to, from, IN(2)), high = whole_to_whole(i, to, from, IN(1));

    OUT(0) = low_bits(low | high << bits | (i->n > 3 ? IN(3) << 2 * bits : 0), 32);
    return NEXT_GO;
}
