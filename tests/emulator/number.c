/* SPDX-License-Identifier: MIT */
/* Floating point of all widths. Half and bfloat compute in float and round once more: with 24 bits
 * against 11 or 8 the second rounding changes nothing. */
#include <math.h>

#include "emu_priv.h"

struct format {
    unsigned fraction, exponent; /* bits */
};

static struct format
format_of(enum kind kind)
{
    static const struct format formats[] = {[KIND_HALF] = {10, 5},
                                            [KIND_BFLOAT] = {7, 8},
                                            [KIND_FLOAT] = {23, 8},
                                            [KIND_DOUBLE] = {52, 11}};
    return formats[kind];
}

unsigned
emu_number_bits(enum kind kind)
{
    struct format f = format_of(kind);
    return 1 + f.fraction + f.exponent;
}

enum class { CLASS_ZERO, CLASS_FINITE, CLASS_INFINITE, CLASS_NAN };
struct number {
    enum class class;
    bool negative;
    uint64_t mantissa;
    int exponent; /* mantissa * 2^exponent */
};

static struct number
take_apart(u128 bits, enum kind kind)
{
    struct format f = format_of(kind);
    struct number n = {.negative = (bits >> (f.fraction + f.exponent)) & 1};
    int bias = (1 << (f.exponent - 1)) - 1, e = (int)((bits >> f.fraction) & emu_ones(f.exponent));

    n.mantissa = (uint64_t)(bits & emu_ones(f.fraction));
    if (e == (int)emu_ones(f.exponent)) {
        n.class = n.mantissa ? CLASS_NAN : CLASS_INFINITE;
    } else if (e == 0) {
        n.class = n.mantissa ? CLASS_FINITE : CLASS_ZERO;
        n.exponent = 1 - bias - (int)f.fraction;
    } else {
        n.class = CLASS_FINITE;
        n.mantissa |= 1ull << f.fraction;
        n.exponent = e - bias - (int)f.fraction;
    }
    return n;
}

/* The nearest value of a format to magnitude * 2^exponent, ties to even; `sticky`: and a little
 * more. */
static u128
put_together(bool negative, u128 magnitude, int exponent, bool sticky, enum kind kind)
{
    struct format f = format_of(kind);
    int bias = (1 << (f.exponent - 1)) - 1, lowest = 1 - bias - (int)f.fraction;
    u128 sign = (u128)negative << (f.fraction + f.exponent);
    int length = 0;

    if (!magnitude)
        return sign;
    while (length < 128 && magnitude >> length)
        length++;
    int cut = length - (int)(f.fraction + 1); /* bits to give away */
    if (exponent + cut < lowest)
        cut = lowest - exponent;
    if (cut > 0) {
        u128 rest = cut >= 128 ? magnitude : magnitude & emu_ones((unsigned)cut);
        u128 half = cut > 128 ? 0 : (u128)1 << (cut - 1);

        if (cut > 128) /* less than half of the lowest */
            return sign;
        magnitude = cut >= 128 ? 0 : magnitude >> cut;
        if (rest > half || (rest == half && (sticky || (magnitude & 1))))
            magnitude++;
        exponent += cut;
    } else if (cut < 0) {
        magnitude <<= -cut;
        exponent += cut;
    }
    if (magnitude >> (f.fraction + 1)) {
        magnitude >>= 1;
        exponent++;
    }
    if (!(magnitude >> f.fraction))
        return sign | magnitude; /* denormal, or zero */
    int e = exponent + (int)f.fraction + bias;
    if (e >= (int)emu_ones(f.exponent))
        return sign | emu_ones(f.exponent) << f.fraction;
    return sign | (u128)(unsigned)e << f.fraction | (magnitude & emu_ones(f.fraction));
}

bool
emu_number_is_nan(u128 v, enum kind kind)
{
    struct format f = format_of(kind);
    return (v & emu_ones(f.fraction + f.exponent)) > emu_ones(f.exponent) << f.fraction;
}

static u128
quiet_nan(bool negative, enum kind kind)
{
    struct format f = format_of(kind);
    return (u128)negative << (f.fraction + f.exponent) | emu_ones(f.exponent + 1)
                                                             << (f.fraction - 1);
}

u128
emu_number_convert(u128 v, enum kind from, enum kind to)
{
    struct number n;

    if (from == to)
        return v;
    n = take_apart(v, from);
    switch (n.class) {
    case CLASS_NAN:
        return quiet_nan(n.negative, to);
    case CLASS_INFINITE:
        return quiet_nan(n.negative, to) & ~((u128)1 << (format_of(to).fraction - 1));
    default:
        return put_together(n.negative, n.mantissa, n.exponent, false, to);
    }
}

u128
emu_number_from_int(u128 magnitude, bool negative, enum kind to)
{
    return put_together(negative, magnitude, 0, false, to);
}

u128
emu_number_to_int(u128 v, enum kind from, unsigned bits, bool is_signed)
{
    struct number n = take_apart(v, from);
    u128 highest = is_signed ? emu_ones(bits - 1) : emu_ones(bits), magnitude = 0;
    u128 lowest = is_signed ? (u128)1 << (bits - 1) : 0; /* as a magnitude */
    bool too_large = n.class == CLASS_INFINITE;

    if (n.class == CLASS_NAN || n.class == CLASS_ZERO)
        return 0;
    if (!too_large) {
        if (n.exponent >= 128 - 53)
            too_large = true;
        else if (n.exponent >= 0)
            magnitude = (u128)n.mantissa << n.exponent;
        else
            magnitude = n.exponent <= -64 ? 0 : n.mantissa >> -n.exponent;
    }
    if (n.negative)
        return (too_large || magnitude > lowest ? -lowest : -magnitude) & emu_ones(bits);
    return too_large || magnitude > highest ? highest : magnitude;
}

static float
as_float(u128 v)
{
    uint32_t bits = (uint32_t)v;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static u128
float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static double
as_double(u128 v)
{
    uint64_t bits = (uint64_t)v;
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static u128
double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

u128
emu_number_of(double x)
{
    return double_bits(x);
}

double
emu_number_double(u128 v, enum kind kind)
{
    return kind == KIND_FLOAT ? (double)as_float(v)
                              : as_double(emu_number_convert(v, kind, KIND_DOUBLE));
}

static float
float_binary(char op, float a, float b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return fmodf(a, b);
    }
}

static double
double_binary(char op, double a, double b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return fmod(a, b);
    }
}

u128
emu_number_binary(char op, u128 a, u128 b, enum kind kind)
{
    if (kind == KIND_DOUBLE)
        return double_bits(double_binary(op, as_double(a), as_double(b)));
    float x = as_float(emu_number_convert(a, kind, KIND_FLOAT));
    float y = as_float(emu_number_convert(b, kind, KIND_FLOAT));
    return emu_number_convert(float_bits(float_binary(op, x, y)), KIND_FLOAT, kind);
}

/* For half and bfloat in double, to odd where it is not exact: then the second rounding is
 * right. */
static u128
small_fma(double a, double b, double c, enum kind kind)
{
    double p = a * b, s = p + c; /* the product is exact */

    if (isfinite(s)) {
        double back = s - p, error = (p - (s - back)) + (c - back);
        uint64_t bits = (uint64_t)double_bits(s);

        if (error != 0 && !(bits & 1)) {
            bits += (error > 0) == (s > 0) ? 1 : -1ull;
            s = as_double(bits);
        }
    }
    return emu_number_convert(double_bits(s), KIND_DOUBLE, kind);
}

u128
emu_number_fma(u128 a, u128 b, u128 c, enum kind kind)
{
    if (kind == KIND_DOUBLE)
        return double_bits(fma(as_double(a), as_double(b), as_double(c)));
    if (kind == KIND_FLOAT)
        return float_bits(fmaf(as_float(a), as_float(b), as_float(c)));
    return small_fma(emu_number_double(a, kind), emu_number_double(b, kind),
                     emu_number_double(c, kind), kind);
}

u128
emu_number_unary(const char *op, u128 a, enum kind kind)
{
    static const struct {
        const char *name;
        double (*run)(double);
    } table[] = {{"sqrt", sqrt}, {"floor", floor}, {"ceil", ceil},           {"trunc", trunc},
                 {"rint", rint}, {"round", round}, {"nearbyint", nearbyint}, {"roundeven", rint}};

    if (kind == KIND_FLOAT && !strcmp(op, "sqrt"))
        return float_bits(sqrtf(as_float(a)));
    for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
        if (!strcmp(
                op,
                table[k].name)) /* a double holds each exactly, and the root's 53 bits suffice */
            return emu_number_convert(double_bits(table[k].run(emu_number_double(a, kind))),
                                      KIND_DOUBLE, kind);
    return 0;
}
