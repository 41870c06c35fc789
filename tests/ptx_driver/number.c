/* SPDX-License-Identifier: MIT */
/* Floating-point numbers of fewer digits, and their roundings. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx_priv.h"

/* A small format: digits behind the point and bits of the exponent. */
struct format {
    int digits, bias;
};
static const struct format half = {10, 15}, brain = {7, 127};

static float
widen(uint16_t v, const struct format *f)
{
    int exponent = v >> f->digits & ((1 << (15 - f->digits)) - 1),
        all = (1 << (15 - f->digits)) - 1;
    double digits = v & ((1 << f->digits) - 1), r;

    if (exponent == all)
        r = digits != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        r = ldexp(digits, 1 - f->bias - f->digits);
    else
        r = ldexp(digits + (double)(1 << f->digits), exponent - f->bias - f->digits);
    return (float)(v & 0x8000 ? -r : r);
}

float
ptx_from_half(uint16_t v)
{
    return widen(v, &half);
}

float
ptx_from_bf16(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* A number that is not negative to a whole one. */
static double
round_to(double v, bool negative, enum ptx_round round)
{
    double low = floor(v), rest = v - low;
    bool up;

    switch (round) {
    case ROUND_ZERO:
        up = false;
        break;
    case ROUND_DOWN:
        up = negative && rest > 0;
        break;
    case ROUND_UP:
        up = !negative && rest > 0;
        break;
    case ROUND_AWAY:
        up = rest >= 0.5;
        break;
    default:
        up = rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0);
        break;
    }
    return low + up;
}

static uint16_t
narrow(double v, const struct format *f, enum ptx_round round)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0,
             top = (uint16_t)(((1 << (15 - f->digits)) - 1) << f->digits);
    double size = fabs(v), digits;
    int exponent;

    if (isnan(v))
        return 0x7fff;
    if (isinf(v))
        return sign | top;
    frexp(size, &exponent);
    exponent -= 1 + f->digits; /* of the last digit */
    if (exponent < 1 - f->bias - f->digits)
        exponent = 1 - f->bias - f->digits;
    digits = round_to(ldexp(size, -exponent), sign != 0, round);
    if (digits == 0)
        return sign;
    if (digits == ldexp(1, f->digits + 1)) {
        digits /= 2;
        exponent++;
    }
    exponent += f->bias + f->digits;
    if (digits < ldexp(1, f->digits))
        return sign | (uint16_t)digits; /* a subnormal one */
    if (exponent >= (1 << (15 - f->digits)) - 1) {
        bool stays =
            round == ROUND_ZERO || (round == ROUND_DOWN && !sign) || (round == ROUND_UP && sign);

        return stays ? sign | (top - 1) : sign | top;
    }
    return (uint16_t)(sign | (uint16_t)(exponent << f->digits) |
                      (uint16_t)(digits - ldexp(1, f->digits)));
}

uint16_t
ptx_to_half(double v, enum ptx_round round)
{
    return narrow(v, &half, round);
}

uint16_t
ptx_to_bf16(double v, enum ptx_round round)
{
    return narrow(v, &brain, round);
}

float
ptx_to_f32(double v, enum ptx_round round)
{
    static const int modes[] = {
        [ROUND_ZERO] = FE_TOWARDZERO, [ROUND_DOWN] = FE_DOWNWARD, [ROUND_UP] = FE_UPWARD};
    volatile double from = v;
    volatile float to;

    if (round < ROUND_ZERO || round > ROUND_UP)
        return (float)v;
    fesetround(modes[round]);
    to = (float)from;
    fesetround(FE_TONEAREST);
    return to;
}

double
ptx_whole(double v, enum ptx_round round)
{
    switch (round) {
    case ROUND_NEAREST_WHOLE:
        return nearbyint(v);
    case ROUND_ZERO_WHOLE:
        return trunc(v);
    case ROUND_DOWN_WHOLE:
        return floor(v);
    case ROUND_UP_WHOLE:
        return ceil(v);
    default:
        return v;
    }
}

double
ptx_fma_odd(double a, double b, double c)
{
    double product = a * b, sum = product + c, part = sum - product,
           lost = (product - (sum - part)) + (c - part);
    uint64_t bits;

    if (lost == 0 || isnan(lost) || isinf(sum))
        return sum;
    /* The last digit says that there was more. */
    memcpy(&bits, &sum, sizeof(bits));
    if (!(bits & 1))
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&sum, &bits, sizeof(bits));
    return sum;
}
