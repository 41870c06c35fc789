/* SPDX-License-Identifier: MIT */
/* Mathematical functions whose results are exact and no number of their argument's type: classes,
 * exponents, rounding to integers, NaN by name, quotients; in float and double, against the C
 * library. */
// OPT: -O3
// ISA: avx512 sse2
#include "../check.h"

static const int N = 4096;

struct Out {
    int finite, infinite, nan, sign, exponent, quotient, fraction_exponent;
    long lrint_, lround_;
    long long llrint_, llround_;
};

static inline bool
operator==(const Out &a, const Out &b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

template <typename T> struct fns;
template <> struct fns<float> {
    static __host__ __device__ Out all(float x, float y)
    {
        Out o;
        memset(&o, 0, sizeof(o));
        o.finite = isfinite(x);
        o.infinite = isinf(x);
        o.nan = isnan(x);
        o.sign = signbit(x) != 0;
        o.exponent = ilogbf(x);
        (void)remquof(x, y, &o.quotient);
        o.quotient &= 7;
        if (fabsf(x) < 1e9f) {
            o.lrint_ = lrintf(x);
            o.lround_ = lroundf(x);
            o.llrint_ = llrintf(x);
            o.llround_ = llroundf(x);
        }
        if (isfinite(x))
            (void)frexpf(x, &o.fraction_exponent);
        return o;
    }
};
template <> struct fns<double> {
    static __host__ __device__ Out all(double x, double y)
    {
        Out o;
        memset(&o, 0, sizeof(o));
        o.finite = isfinite(x);
        o.infinite = isinf(x);
        o.nan = isnan(x);
        o.sign = signbit(x) != 0;
        o.exponent = ilogb(x);
        (void)remquo(x, y, &o.quotient);
        o.quotient &= 7;
        if (fabs(x) < 1e18) {
            o.lrint_ = lrint(x);
            o.lround_ = lround(x);
            o.llrint_ = llrint(x);
            o.llround_ = llround(x);
        }
        if (isfinite(x))
            (void)frexp(x, &o.fraction_exponent);
        return o;
    }
};

template <typename T>
__global__ void
all(Out *out, const T *x, const T *y)
{
    int i = (int)global_id();
    out[i] = fns<T>::all(x[i], y[i]);
}

__global__ void
nans(unsigned *f, unsigned long long *d)
{
    f[0] = __float_as_uint(nanf(""));
    f[1] = __float_as_uint(nanf("5"));
    f[2] = __float_as_uint(nanf("0x12"));
    d[0] = (unsigned long long)__double_as_longlong(nan(""));
    d[1] = (unsigned long long)__double_as_longlong(nan("7"));
}

template <typename T>
static void
run(const char *name)
{
    const T special[] = {0,
                         -(T)0,
                         (T)INFINITY,
                         -(T)INFINITY,
                         (T)NAN,
                         -(T)NAN,
                         (T)0.5,
                         (T)-0.5,
                         (T)1.5,
                         (T)2.5,
                         -2,
                         3,
                         sizeof(T) == 4 ? (T)0x1p-149 : (T)0x1p-1074,
                         sizeof(T) == 4 ? (T)0x1p-127 : (T)0x1p-1023};
    std::vector<T> x(N), y(N);

    for (int i = 0; i < N; i++) {
        uint64_t bits = (uint64_t)mix((uint32_t)i) << 32 | mix((uint32_t)i + 999);
        T v;
        memcpy(&v, &bits, sizeof(v));
        x[i] = i % 4 == 0             ? special[(i / 4) % 14]
               : i % 4 == 1 && v == v ? v
                                      : (T)((int)(mix((uint32_t)i) % 20001) - 10000) / 8;
        y[i] = (T)((int)(mix((uint32_t)i + 7) % 2000) + 1) / 16;
        if (x[i] != x[i] || fabs((double)x[i]) > 1e30)
            y[i] = 1; /* what a quotient without a value is, nobody says */
    }
    Dev<T> dx(x), dy(y);
    Dev<Out> out(N);
    all<T><<<N / 128, 128>>>(out.p, dx.p, dy.p);
    std::vector<Out> got = out.get();
    for (int i = 0; i < N; i++) {
        Out want = fns<T>::all(x[i], y[i]);
        if (!isfinite(x[i]) || fabs((double)x[i]) > 1e30)
            want.quotient = got[i].quotient;
        if (x[i] != x[i]) /* C leaves two answers */
            want.exponent = got[i].exponent == 0x7fffffff ? 0x7fffffff : -0x7fffffff - 1;
        Out g = got[i];
        g.finite = g.finite != 0, g.infinite = g.infinite != 0, g.nan = g.nan != 0;
        want.finite = want.finite != 0, want.infinite = want.infinite != 0,
        want.nan = want.nan != 0;
        if (!(g == want))
            FAIL("%s %a %a: classes %d %d %d %d, ilogb %d (%d), remquo %d (%d), lrint %ld (%ld), "
                 "lround %ld (%ld), frexp %d (%d)",
                 name, (double)x[i], (double)y[i], g.finite, g.infinite, g.nan, g.sign, g.exponent,
                 want.exponent, g.quotient, want.quotient, g.lrint_, want.lrint_, g.lround_,
                 want.lround_, g.fraction_exponent, want.fraction_exponent);
    }
}

int
main()
{
    run<float>("float");
    run<double>("double");
    Dev<unsigned> f(3);
    Dev<unsigned long long> d(2);
    nans<<<1, 1>>>(f, d);
    std::vector<unsigned> gf = f.get();
    std::vector<unsigned long long> gd = d.get();
    CHECK(gf[0] == 0x7fc00000u && gf[1] == 0x7fc00005u && gf[2] == 0x7fc00012u);
    CHECK(gd[0] == 0x7ff8000000000000ull && gd[1] == 0x7ff8000000000007ull);
    return 0;
}
