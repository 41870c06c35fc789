/* SPDX-License-Identifier: MIT */
/* ldexp, frexp, fract, classes and medians with denormals, infinities and NaN; f64 sine of huge
 * angles, which needs hundreds of bits of 2/pi. */
#include "../check.h"

static const int N = 4096;

struct Out {
    float scaled, mantissa, fract, median;
    double scaled64, mantissa64;
    int exponent, exponent64, classes;
};

__global__ void
floats(Out *out, const float *a, const double *d, const int *n)
{
    int i = (int)global_id();
    Out o;

    o.scaled = __builtin_amdgcn_ldexpf(a[i], n[i]);
    o.scaled64 = __builtin_amdgcn_ldexp(d[i], n[i]);
    o.mantissa = __builtin_amdgcn_frexp_mantf(a[i]);
    o.mantissa64 = __builtin_amdgcn_frexp_mant(d[i]);
    o.exponent = __builtin_amdgcn_frexp_expf(a[i]);
    o.exponent64 = __builtin_amdgcn_frexp_exp(d[i]);
    o.fract = __builtin_amdgcn_fractf(a[i]);
    o.median = __builtin_amdgcn_fmed3f(a[i], (float)n[i], 1.0f);
    o.classes = __builtin_amdgcn_classf(a[i], 0x090) | __builtin_amdgcn_classf(a[i], 0x204) << 1 |
                __builtin_amdgcn_classf(a[i], 0x003) << 2 |
                __builtin_amdgcn_classf(a[i], 0x060) << 3 |
                __builtin_amdgcn_classf(a[i], n[i] & 0x3ff) << 4;
    out[i] = o;
}

__global__ void
huge(double *out, const double *d)
{
    int i = (int)global_id();
    out[2 * i] = sin(d[i]);
    out[2 * i + 1] = cos(d[i]);
}

static bool
same(double a, double b)
{
    return a == b || (a != a && b != b);
}

/* By known numbers, to both ends of those whose power of two is a number, and beyond. */
enum { N_KNOWN = 9 };

template <typename T>
static __host__ __device__ void
scale_known(T *out, T x)
{
    out[0] = scalbn(x, 1);
    out[1] = scalbn(x, -1);
    out[2] = scalbn(x, 127);
    out[3] = scalbn(x, -126);
    out[4] = scalbn(x, -127);
    out[5] = scalbn(x, 1023);
    out[6] = scalbn(x, -1022);
    out[7] = scalbn(x, -1023);
    out[8] = scalbn(x, 3000);
}

__global__ void
known(float *out, double *out64, const float *a, const double *d)
{
    int i = (int)global_id();

    scale_known(out + N_KNOWN * i, a[i]);
    scale_known(out64 + N_KNOWN * i, d[i]);
}

static int
class_of(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    uint32_t m = b & 0x7fffffff;
    int negative = b >> 31;
    if (m > 0x7f800000)
        return b & 0x400000 ? 2 : 1;
    if (m == 0x7f800000)
        return negative ? 4 : 0x200;
    if (m == 0)
        return negative ? 0x20 : 0x40;
    if (m < 0x800000)
        return negative ? 0x10 : 0x80;
    return negative ? 8 : 0x100;
}

int
main()
{
    std::vector<float> a(N);
    std::vector<double> d(N);
    std::vector<int> n(N);

    for (int i = 0; i < N; i++) {
        uint32_t bits =
            mix((uint32_t)i) | 0x400000 * (i % 2); /* no signalling NaN among the odd ones */
        if (i % 8 == 4)
            bits &= 0x807fffff;
        if ((bits & 0x7f800000) == 0x7f800000 && !(bits & 0x400000))
            bits &= 0xff800000;
        memcpy(&a[i], &bits, 4);
        uint64_t wide = (uint64_t)mix((uint32_t)i + 7) << 32 | mix((uint32_t)i + 9);
        if (i % 8 == 4)
            wide &= 0x800fffffffffffffull;
        if ((wide & 0x7ff0000000000000ull) == 0x7ff0000000000000ull)
            wide &= 0xfff0000000000000ull;
        memcpy(&d[i], &wide, 8);
        n[i] = (int)(mix((uint32_t)i + 77) % 601) - 300;
        if (i % 16 == 9)
            n[i] *= 7;
        if (i % 512 == 11)
            n[i] = i % 1024 == 11 ? 0x7fffffff : -0x7fffffff - 1;
    }
    Dev<float> da(a);
    Dev<double> dd(d), dh(2 * N);
    Dev<int> dn(n);
    Dev<Out> out(N);
    floats<<<N / 128, 128>>>(out.p, da.p, dd.p, dn.p);
    std::vector<Out> got = out.get();
    for (int i = 0; i < N; i++) {
        const Out &o = got[i];
        int e = 0, e64 = 0, k = class_of(a[i]);
        float m = isfinite(a[i]) ? frexpf(a[i], &e) : a[i];
        double m64 = isfinite(d[i]) ? frexp(d[i], &e64) : d[i];
        float b = (float)n[i], r = fminf(a[i] - floorf(a[i]), 0x1.fffffep-1f);
        float median =
            a[i] != a[i] ? fminf(b, 1.0f) : fmaxf(fminf(a[i], b), fminf(fmaxf(a[i], b), 1.0f));
        int classes = !!(k & 0x090) | !!(k & 0x204) << 1 | !!(k & 0x003) << 2 | !!(k & 0x060) << 3 |
                      !!(k & n[i] & 0x3ff) << 4;
        if (!isfinite(a[i]))
            r = NAN;
        if (!same(o.scaled, ldexpf(a[i], n[i])) || !same(o.scaled64, ldexp(d[i], n[i])) ||
            !same(o.mantissa, m) || !same(o.mantissa64, m64) || o.exponent != e ||
            o.exponent64 != e64 || !same(o.fract, r) || !same(o.median, median) ||
            o.classes != classes)
            FAIL("element %d: %a %a %d: ldexp %a %a, frexp %a %d %a %d, fract %a, med3 %a, class "
                 "0x%x (0x%x)",
                 i, (double)a[i], d[i], n[i], (double)o.scaled, o.scaled64, (double)o.mantissa,
                 o.exponent, o.mantissa64, o.exponent64, (double)o.fract, (double)o.median,
                 o.classes, classes);
    }
    Dev<float> known32(N_KNOWN * N);
    Dev<double> known64(N_KNOWN * N);
    known<<<N / 128, 128>>>(known32.p, known64.p, da.p, dd.p);
    std::vector<float> k32 = known32.get();
    std::vector<double> k64 = known64.get();
    for (int i = 0; i < N; i++) {
        float w32[N_KNOWN];
        double w64[N_KNOWN];

        scale_known(w32, a[i]);
        scale_known(w64, d[i]);
        for (int k = 0; k < N_KNOWN; k++)
            if (!same(k32[N_KNOWN * i + k], w32[k]) || !same(k64[N_KNOWN * i + k], w64[k]))
                FAIL("element %d, known number %d: %a %a: %a %a", i, k, (double)a[i], d[i],
                     (double)k32[N_KNOWN * i + k], k64[N_KNOWN * i + k]);
    }
    for (int i = 0; i < N; i++)
        d[i] = ldexp(1.0 + i / 4097.0, (i * 37) % 1024);
    dd.set(d);
    huge<<<N / 64, 64>>>(dh.p, dd.p);
    std::vector<double> h = dh.get();
    for (int i = 0; i < N; i++)
        if (fabs(h[2 * i] - sin(d[i])) > 1e-15 || fabs(h[2 * i + 1] - cos(d[i])) > 1e-15)
            FAIL("sincos(%a): %.17g %.17g, expected %.17g %.17g", d[i], h[2 * i], h[2 * i + 1],
                 sin(d[i]), cos(d[i]));
    return 0;
}
