/* SPDX-License-Identifier: MIT */
/* Sine, cosine and tangent in double precision for NVIDIA's hardware, under OCML's names. */
#include "nvidia.h"

#define ROUND     0x1.8p+52
#define HALF_PI   0x1.921fb54442d18p+0
#define HALF_PI_2 0x1.1a62633145c07p-54
#define HALF_PI_3 -0x1.f1976b7ed8fbcp-110

/* An argument as quadrant * pi/2 + angle + low, |angle| <= pi/4; the quadrant's two lower bits
 * count. */
struct turned {
    double angle, low;
    int32_t quadrant;
};

/* 2/pi behind its point, with 64 zeros in front */
static const uint64_t two_over_pi[20] = {
    0,
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/* x = m * 2^e with a whole m of 53 bits. Of m * 2^e * 2/pi what is a multiple of 4 does not count:
 * 192 bits of 2/pi from that of 2^(1-e) on are enough, as no double is nearer to a multiple of pi/2
 * than 2^-62. Out of line: code that is seldom run is short then, and loops with a sine in them are
 * unrolled. */
__attribute__((noinline)) static struct turned
turn_far(double x)
{
    uint64_t bits = bits_of64(x), m = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    uint32_t at = (uint32_t)(bits >> 52 & 0x7ff) - 1075u - 2u + 64u;
    uint32_t word = at >> 6, shift = at & 63;
    uint64_t part[4], high, mid, low, sign;
    unsigned __int128 product;
    double scale, whole, rest, angle;
    int32_t zeros;
    struct turned t;

    for (int i = 0; i < 4; i++)
        part[i] = two_over_pi[word + (uint32_t)i];
    for (int i = 0; i < 3 && shift; i++)
        part[i] = part[i] << shift | part[i + 1] >> (64 - shift);
    product = (unsigned __int128)m * part[2];
    low = (uint64_t)product;
    product = (unsigned __int128)m * part[1] + (uint64_t)(product >> 64);
    mid = (uint64_t)product;
    high = m * part[0] + (uint64_t)(product >> 64);
    t.quadrant = (int32_t)(high >> 62);
    high = high << 2 | mid >> 62;
    mid = mid << 2 | low >> 62;
    sign = high >> 63; /* the next quadrant is nearer: the angle is negative */
    t.quadrant += (int32_t)sign;
    high = sign ? ~high : high;
    mid = sign ? ~mid : mid;
    zeros = high ? __builtin_clzll(high) : 63;
    high = zeros ? high << zeros | mid >> (64 - zeros) : high;
    scale = of_bits64((uint64_t)(uint32_t)(1023 - 64 - zeros) << 52);
    scale = (bits >> 63) == sign ? scale : -scale;
    rest = (double)(high & 0xfff) * scale;
    whole = (double)(high & ~0xfffull) * scale;
    angle = whole * HALF_PI;
    rest = FMA(rest, HALF_PI, FMA(whole, HALF_PI_2, FMA(whole, HALF_PI, -angle)));
    t.angle = angle + rest;
    t.low = rest - (t.angle - angle);
    t.quadrant = bits >> 63 ? -t.quadrant : t.quadrant;
    if (x - x != 0) /* infinity or no number */
        t.angle = x - x;
    return t;
}

LS_INLINE struct turned
turn(double x)
{
    struct turned t;
    double sum, n, r;

    if (!(__builtin_fabs(x) < 0x1p+30))
        return turn_far(x);
    sum = FMA(x, 0x1.45f306dc9c883p-1, ROUND);
    n = sum - ROUND;
    t.quadrant = (int32_t)bits_of64(sum);
    r = FMA(n, -HALF_PI, x); /* exact */
    t.angle = FMA(n, -HALF_PI_2, r);
    t.low = FMA(n, -HALF_PI_3, FMA(n, -HALF_PI_2, r - t.angle));
    return t;
}

LS_INLINE double
sine(double r)
{
    double u = r * r, p = 0x1.5e109968ccd24p-33;

    p = FMA(p, u, -0x1.ae601e69dd1cbp-26);
    p = FMA(p, u, 0x1.71de37af64ecep-19);
    p = FMA(p, u, -0x1.a01a019e9f793p-13);
    p = FMA(p, u, 0x1.1111111110c7dp-7);
    p = FMA(p, u, -0x1.5555555555555p-3);
    return FMA(p * u, r, r);
}

LS_INLINE double
cosine(double r)
{
    double u = r * r, p = -0x1.90014250c974dp-37;

    p = FMA(p, u, 0x1.1eea8e9a9ab9fp-29);
    p = FMA(p, u, -0x1.27e4f8fd65f5p-22);
    p = FMA(p, u, 0x1.a01a019e075e6p-16);
    p = FMA(p, u, -0x1.6c16c16c15f45p-10);
    p = FMA(p, u, 0x1.5555555555552p-5);
    p = FMA(p, u, -0.5);
    return FMA(p, u, 1.0);
}

LS_INLINE double
negated_if(double x, uint32_t is_negative)
{
    return of_bits64(bits_of64(x) ^ (uint64_t)is_negative << 63);
}

/* The sine of an angle, of the quadrant that is added to its own. */
LS_INLINE double
sine_of(double x, int32_t more)
{
    static const _Alignas(16) double forms[2][8] = { /* two numbers a load */
        {-0x1.5555555555555p-3, 0x1.1111111110c7dp-7, -0x1.a01a019e9f793p-13,
         0x1.71de37af64ecep-19, -0x1.ae601e69dd1cbp-26, 0x1.5e109968ccd24p-33, 0, 0},
        {-0.5, 0x1.5555555555552p-5, -0x1.6c16c16c15f45p-10, 0x1.a01a019e075e6p-16,
         -0x1.27e4f8fd65f5p-22, 0x1.1eea8e9a9ab9fp-29, -0x1.90014250c974dp-37, 0},
    };
    struct turned t = turn(x);
    uint32_t quadrant = (uint32_t)(t.quadrant + more);
    const double *c = forms[quadrant & 1];
    double base = quadrant & 1 ? 1.0 : t.angle, u = t.angle * t.angle, p = c[6];

    for (int i = 5; i >= 0; i--)
        p = FMA(p, u, c[i]);
    return negated_if(FMA(p * u, base, base), quadrant >> 1 & 1);
}

double
__ocml_sin_f64(double x)
{
    return sine_of(x, 0);
}

double
__ocml_cos_f64(double x)
{
    return sine_of(x, 1);
}

double
__ocml_sincos_f64(double x, LS_PRIVATE double *cosine_out)
{
    struct turned t = turn(x);
    double s = sine(t.angle), c = cosine(t.angle);
    uint32_t quadrant = (uint32_t)t.quadrant;

    *cosine_out = negated_if(quadrant & 1 ? s : c, (quadrant + 1) >> 1 & 1);
    return negated_if(quadrant & 1 ? c : s, quadrant >> 1 & 1);
}

double
__ocml_tan_f64(double x)
{
    struct turned t = turn(x);
    double r = t.angle, u = r * r, p = 0x1.1a5e88200ec32p-17, rest, high, low, inverse;

    p = FMA(p, u, -0x1.2dc2e75c758e3p-16);
    p = FMA(p, u, 0x1.2c5b9f7446b05p-15);
    p = FMA(p, u, -0x1.532130d9aa85cp-17);
    p = FMA(p, u, 0x1.cbee6fe69784p-15);
    p = FMA(p, u, 0x1.7b45134f7c21cp-14);
    p = FMA(p, u, 0x1.f982bb7263309p-13);
    p = FMA(p, u, 0x1.35228c537b149p-11);
    p = FMA(p, u, 0x1.7da7405ef231dp-10);
    p = FMA(p, u, 0x1.d6d3a1984d45cp-9);
    p = FMA(p, u, 0x1.226e3611360c5p-7);
    p = FMA(p, u, 0x1.664f487ff61e5p-6);
    p = FMA(p, u, 0x1.ba1ba1ba1f0fp-5);
    p = FMA(p, u, 0x1.1111111111148p-3);
    p = FMA(p, u, 0x1.5555555555555p-2);
    rest = FMA(p * u, r, FMA(u, t.low, t.low)); /* the slope is nearly 1 + r^2 */
    high = r + rest;
    if (!(t.quadrant & 1))
        return high;
    low = rest - (high - r);
    inverse = ls_nv_rcp64(high);
    p = FMA(-high, inverse, 1.0);
    inverse = FMA(inverse, FMA(p, p, p), inverse);
    p = FMA(-low, inverse, FMA(-high, inverse, 1.0));
    return -FMA(p, inverse, inverse);
}
