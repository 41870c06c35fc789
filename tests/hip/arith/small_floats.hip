/* SPDX-License-Identifier: MIT */
/* half, bfloat16 and the four 8-bit formats against a definition of their own: every value's
 * number, rounding of numbers to nearest even with overflow, denormals and NaN, arithmetic and
 * comparisons, on host and device; and the functions of half and bfloat16 for all 65536
 * arguments. */
// OPT: -O3
// ISA: avx512 avx2
#include "../check.h"

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>

#include <limits>

enum kind { HALF, BF16, E4M3, E5M2, E4M3_FNUZ, E5M2_FNUZ, KINDS };

struct format {
    int bits, fraction, bias;
    unsigned largest; /* code of the largest number */
    bool inf, fnuz;
};

static const format formats[KINDS] = {
    {16, 10, 15, 0x7bff, true, false}, {16, 7, 127, 0x7f7f, true, false},
    {8, 3, 7, 0x7e, false, false},     {8, 2, 15, 0x7b, true, false},
    {8, 3, 8, 0x7f, false, true},      {8, 2, 16, 0x7f, false, true},
};

/* The number of a code. */
static double
number(const format &f, unsigned code)
{
    unsigned sign = code >> (f.bits - 1), magnitude = code & ((1u << (f.bits - 1)) - 1);
    int exponent = (int)(magnitude >> f.fraction);
    double m = (double)(magnitude & ((1u << f.fraction) - 1)) / (1 << f.fraction);

    if (f.fnuz && code == 0x80)
        return NAN;
    if (magnitude > f.largest)
        return f.inf && magnitude == f.largest + 1 ? (sign ? -INFINITY : INFINITY) : NAN;
    double v = exponent ? ldexp(1 + m, exponent - f.bias) : ldexp(m, 1 - f.bias);
    return sign ? -v : v;
}

/* The code nearest to x, ties to even; -1 for NaN. What is too large becomes the largest number
 * when saturating, else infinity, or NaN where there is none. */
static int
nearest(const format &f, double x, bool saturate)
{
    int sign = signbit(x) ? 1 << (f.bits - 1) : 0, low = 0, high = (int)f.largest;
    double m = fabs(x), top = number(f, f.largest), step = top - number(f, f.largest - 1);

    if (x != x)
        return -1;
    if (m >= top + step / 2)
        return saturate ? sign | high : f.inf ? sign | (high + 1) : -1;
    if (m >= top)
        return sign | high;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (number(f, (unsigned)middle) <= m)
            low = middle;
        else
            high = middle;
    }
    double down = m - number(f, (unsigned)low), up = number(f, (unsigned)high) - m;
    int code = down < up || (down == up && !(low & 1)) ? low : high;
    return code == 0 && f.fnuz ? 0 : sign | code;
}

/* ---- The same by the headers, on either side ---- */

__host__ __device__ static unsigned
encode(int k, double x, bool saturate)
{
    __hip_saturation_t s = saturate ? __HIP_SATFINITE : __HIP_NOSAT;
    switch (k) {
    case HALF: return __half_as_ushort(__float2half((float)x));
    case BF16: return __bfloat16_as_ushort(__float2bfloat16((float)x));
    case E4M3: return __hip_cvt_float_to_fp8((float)x, s, __HIP_E4M3);
    case E5M2: return __hip_cvt_float_to_fp8((float)x, s, __HIP_E5M2);
    case E4M3_FNUZ: return __hip_cvt_double_to_fp8(x, s, __HIP_E4M3_FNUZ);
    default: return __hip_cvt_double_to_fp8(x, s, __HIP_E5M2_FNUZ);
    }
}

template <typename T>
__host__ __device__ static float
eight(unsigned code)
{
    T v;
    v.__x = (unsigned char)code;
    return (float)v;
}

__host__ __device__ static float
decode(int k, unsigned code)
{
    switch (k) {
    case HALF: return __half2float(__ushort_as_half((unsigned short)code));
    case BF16: return __bfloat162float(__ushort_as_bfloat16((unsigned short)code));
    case E4M3: return eight<__hip_fp8_e4m3>(code);
    case E5M2: return eight<__hip_fp8_e5m2>(code);
    case E4M3_FNUZ: return eight<__hip_fp8_e4m3_fnuz>(code);
    default: return eight<__hip_fp8_e5m2_fnuz>(code);
    }
}

__global__ void
encode_all(unsigned *out, const double *x, int k, bool saturate)
{
    int i = (int)global_id();
    out[i] = encode(k, x[i], saturate);
}

__global__ void
decode_all(float *out, int k)
{
    unsigned i = global_id();
    out[i] = decode(k, i);
}

/* ---- Arithmetic and comparisons: 10 results of two and three operands, as float ---- */

enum { RESULTS = 18 };

template <typename T, typename T2>
__host__ __device__ static void
calculate(float *o, T a, T b, T c)
{
    T2 p(a, b), q(b, c), s = __hadd2(p, q), m = __hmul2(p, q), f = __hfma2(p, q, p);
    o[0] = (float)__hadd(a, b);
    o[1] = (float)__hsub(a, b);
    o[2] = (float)__hmul(a, b);
    o[3] = (float)__hdiv(a, b);
    o[4] = (float)__hfma(a, b, c);
    o[5] = (float)s.x;
    o[6] = (float)s.y;
    o[7] = (float)m.x;
    o[8] = (float)f.y;
    o[9] = (float)__hneg(a);
    o[10] = __heq(a, b) + 2 * __hne(a, b) + 4 * __hlt(a, b) + 8 * __hle(a, b) + 16 * __hgt(a, b) +
            32 * __hge(a, b);
    o[11] = __hequ(a, b) + 2 * __hneu(a, b) + 4 * __hltu(a, b) + 8 * __hleu(a, b) +
            16 * __hgtu(a, b) + 32 * __hgeu(a, b);
    o[12] = (float)__hmax(a, b);
    o[13] = (float)__hmin(a, b);
    o[14] = (float)__habs(a);
    o[15] = __hisnan(a) + 2 * (__hisinf(a) != 0);
    o[16] = (a == b) + 2 * (a < b) + 4 * (a >= b);
    o[17] = (float)(a + b * c);
}

static void
expected(float *o, const format &f, double a, double b, double c)
{
    auto r = [&](double x) {
        int code = nearest(f, x, false);
        return code < 0 ? NAN : (float)number(f, (unsigned)code);
    };
    /* bfloat16 multiplies and adds in float, and rounds that. */
    auto multiply_add = [&](double x, double y, double z) {
        return f.fraction == 7 ? (double)fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
    };
    bool nan = a != a || b != b;
    double larger = a != a   ? b
                    : b != b ? a
                    : a > b  ? a
                             : b,
           smaller = a != a   ? b
                     : b != b ? a
                     : a < b  ? a
                              : b;
    float w[RESULTS] = {r(a + b),
                        r(a - b),
                        r(a * b),
                        r(a / b),
                        r(multiply_add(a, b, c)),
                        r(a + b),
                        r(b + c),
                        r(a * b),
                        r(multiply_add(b, c, b)),
                        (float)-a,
                        (float)((a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a <= b) +
                                16 * (a > b) + 32 * (a >= b)),
                        (float)((nan || a == b) + 2 * (a != b) + 4 * (nan || a < b) +
                                8 * (nan || a <= b) + 16 * (nan || a > b) + 32 * (nan || a >= b)),
                        (float)larger,
                        (float)smaller,
                        (float)fabs(a),
                        (float)((a != a) + 2 * (isinf(a) != 0)),
                        (float)((a == b) + 2 * (a < b) + 4 * (a >= b)),
                        0};
    memcpy(o, w, sizeof(w));
}

template <typename T, typename T2>
__global__ void
calculate_all(float *out, const unsigned short *v)
{
    int i = (int)global_id();
    T a = __builtin_bit_cast(T, v[3 * i]), b = __builtin_bit_cast(T, v[3 * i + 1]),
      c = __builtin_bit_cast(T, v[3 * i + 2]);
    calculate<T, T2>(out + RESULTS * (size_t)i, a, b, c);
}

/* ---- Functions ---- */

#define FUNCTIONS(X)                                                                               \
    X(htrunc, trunc(x))                                                                            \
    X(hceil, ceil(x)) X(hfloor, floor(x)) X(hrint, rint(x)) X(hsin, sin(x)) X(hcos, cos(x))        \
        X(hexp, exp(x)) X(hexp2, exp2(x)) X(hexp10, pow(10.0, x)) X(hlog, log(x))                  \
            X(hlog2, log2(x)) X(hlog10, log10(x)) X(hsqrt, sqrt(x)) X(hrsqrt, 1 / sqrt(x))         \
                X(hrcp, 1 / x)

template <typename T>
__global__ void
functions(unsigned short *out)
{
    unsigned i = global_id(), n = blockDim.x * gridDim.x, k = 0;
    T x = __builtin_bit_cast(T, (unsigned short)i);
#define STORE(name, reference) out[k++ * n + i] = __builtin_bit_cast(unsigned short, name(x));
    FUNCTIONS(STORE)
#undef STORE
}

template <typename T>
static void
check_functions(const format &f, const char *type)
{
    static const char *const names[] = {
#define NAME(name, reference) #name,
        FUNCTIONS(NAME)
    };
    static double (*const references[])(double) = {
#define REFERENCE(name, reference) [](double x) { return (double)(reference); },
        FUNCTIONS(REFERENCE)
    };
    const size_t n = 65536, n_functions = sizeof(names) / sizeof(names[0]);
    Dev<unsigned short> out(n * n_functions);

    functions<T><<<256, 256>>>(out.p);
    std::vector<unsigned short> got = out.get();
    for (size_t k = 0; k < n_functions; k++)
        for (unsigned i = 0; i < n; i++) {
            double x = number(f, i), want = references[k](x), g = number(f, got[k * n + i]);
            int code = nearest(f, want, false);
            if (code < 0 ? g != g
                         : abs((code & 0x7fff) - (got[k * n + i] & 0x7fff)) <= 1 &&
                               (want >= 0) == (g >= 0))
                continue;
            FAIL("%s %s(%a): got %a, exact %a", type, names[k], x, g, want);
        }
}

template <typename T, typename T2>
static void
check_arithmetic(int k, const char *type)
{
    const int n = 8192;
    const format &f = formats[k];
    std::vector<unsigned short> v(3 * n);

    for (int i = 0; i < 3 * n; i++) {
        v[i] = (unsigned short)mix((uint32_t)i * 3 + 1);
        if (i % 3 == 1 && i % 5 == 0)
            v[i] = v[i - 1];
    }
    Dev<unsigned short> dv(v);
    Dev<float> out(RESULTS * n);
    calculate_all<T, T2><<<n / 256, 256>>>(out.p, dv.p);
    std::vector<float> got = out.get();
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n; i++) {
            float want[RESULTS], own[RESULTS], *g = side ? own : &got[RESULTS * (size_t)i];
            if (side)
                calculate<T, T2>(own, __builtin_bit_cast(T, v[3 * i]),
                                 __builtin_bit_cast(T, v[3 * i + 1]),
                                 __builtin_bit_cast(T, v[3 * i + 2]));
            double a = number(f, v[3 * i]), b = number(f, v[3 * i + 1]),
                   c = number(f, v[3 * i + 2]);
            expected(want, f, a, b, c);
            for (int j = 0; j < RESULTS - 1; j++)
                if (!(g[j] == want[j] || (g[j] != g[j] && want[j] != want[j])))
                    FAIL("%s on the %s: result %d of %a %a %a: got %a, expected %a", type,
                         side ? "host" : "device", j, a, b, c, (double)g[j], (double)want[j]);
        }
}

/* Pairs compare as both of their parts do. */
static void
check_pairs()
{
    __hip_bfloat16 one = __float2bfloat16(1.0f), two = __float2bfloat16(2.0f),
                   nan = __float2bfloat16(NAN);
    __hip_bfloat162 a = {one, one}, b = {two, two}, c = {one, two}, n = {nan, one};

    CHECK(a == a && !(a == b) && !(a == c) && !(n == n));
    CHECK(!(a != a) && a != b && a != c && n != n);
    CHECK(a < b && !(a < c) && !(c < a) && !(b < a) && !(n < b));
    CHECK(a <= a && a <= c && !(c <= a) && b > a && !(c > a) && c >= a && !(a >= c) && !(n >= n));
}

/* ---- Conversions that round once, and those to integers ---- */

#define ONCE 6

__host__ __device__ static void
round_once(unsigned short *o, const double *d, const int *n)
{
    for (int i = 0; i < ONCE; i++)
        o[i] = __bfloat16_as_ushort(i & 1 ? __double2bfloat16(d[i]) : __hip_bfloat16(d[i]));
    o[ONCE] = __bfloat16_as_ushort(__hip_bfloat16(n[0]));
    o[ONCE + 1] = __bfloat16_as_ushort(__hip_bfloat16((unsigned)n[1]));
}

__global__ void
round_once_all(unsigned short *o, const double *d, const int *n)
{
    round_once(o, d, n);
}

/* A double or an int near the middle between two bfloat16 is not taken to it by way of float. */
static void
check_rounding_once()
{
    const std::vector<double> d = {0x1.03p0 - 0x1p-40,  0x1.03p0 + 0x1p-40,  -0x1.03p0 + 0x1p-40,
                                   0x1.01p0 + 0x1p-40, -0x1.01p0 - 0x1p-40, 0x1p300};
    const std::vector<int> n = {(1 << 25) + (3 << 17) - 1, (1 << 25) + (1 << 17) + 1};
    const unsigned short want[ONCE + 2] = {0x3f81, 0x3f82, 0xbf81, 0x3f81,
                                           0xbf81, 0x7f80, 0x4c01, 0x4c01};
    Dev<double> dd(d);
    Dev<int> dn(n);
    Dev<unsigned short> out(ONCE + 2);
    unsigned short own[ONCE + 2];

    round_once_all<<<1, 1>>>(out.p, dd.p, dn.p);
    round_once(own, d.data(), n.data());
    std::vector<unsigned short> got = out.get();
    for (int i = 0; i < ONCE + 2; i++)
        if (got[i] != want[i] || own[i] != want[i])
            FAIL("bfloat16 %d: device 0x%x, host 0x%x, expected 0x%x", i, got[i], own[i], want[i]);
}

#define INTEGERS(X)                                                                                \
    X(char)                                                                                        \
    X(signed char) X(unsigned char) X(short) X(unsigned short) X(int) X(unsigned) X(long long)     \
        X(unsigned long long)
#define N_INTEGERS 9

template <typename F>
__host__ __device__ void
to_integers(long long *o, unsigned code)
{
    F f;
    int k = 0;
    f.__x = (unsigned char)code;
#define STORE(T) o[k++] = (long long)(T)f;
    INTEGERS(STORE)
#undef STORE
}

template <typename F>
__global__ void
to_integers_all(long long *o)
{
    to_integers<F>(o + N_INTEGERS * threadIdx.x, threadIdx.x);
}

template <typename T>
static long long
clamped(double x)
{
    double low = (double)std::numeric_limits<T>::min(),
           high = (double)std::numeric_limits<T>::max();
    return x != x      ? 0
           : x <= low  ? (long long)std::numeric_limits<T>::min()
           : x >= high ? (long long)std::numeric_limits<T>::max()
                       : (long long)(T)x;
}

/* 8-bit floats beyond an integer's range are clamped to it. */
template <typename F>
static void
check_integers(const format &f, const char *type)
{
    Dev<long long> out(256 * N_INTEGERS);
    to_integers_all<F><<<1, 256>>>(out.p);
    std::vector<long long> got = out.get();
    for (unsigned c = 0; c < 256; c++) {
        long long own[N_INTEGERS];
        double x = number(f, c);
        int k = 0;
#define CLAMPED(T) clamped<T>(x),
        const long long want[N_INTEGERS] = {INTEGERS(CLAMPED)};
#undef CLAMPED
        to_integers<F>(own, c);
        for (; k < N_INTEGERS; k++)
            if (own[k] != want[k] || got[N_INTEGERS * c + k] != want[k])
                FAIL("%s 0x%x to integer %d: device %lld, host %lld, expected %lld", type, c, k,
                     got[N_INTEGERS * c + k], own[k], want[k]);
    }
}

int
main()
{
    check_pairs();
    check_rounding_once();
    check_integers<__hip_fp8_e4m3>(formats[E4M3], "e4m3");
    check_integers<__hip_fp8_e5m2>(formats[E5M2], "e5m2");
    check_integers<__hip_fp8_e4m3_fnuz>(formats[E4M3_FNUZ], "e4m3_fnuz");
    check_integers<__hip_fp8_e5m2_fnuz>(formats[E5M2_FNUZ], "e5m2_fnuz");
    static const char *const names[KINDS] = {"half", "bfloat16",  "e4m3",
                                             "e5m2", "e4m3_fnuz", "e5m2_fnuz"};
    const int n = 16384;

    for (int k = 0; k < KINDS; k++) {
        const format &f = formats[k];
        unsigned n_codes = 1u << f.bits;
        Dev<float> floats(n_codes);
        decode_all<<<n_codes / 256, 256>>>(floats.p, k);
        std::vector<float> got = floats.get();
        for (unsigned c = 0; c < n_codes; c++) {
            float want = (float)number(f, c), own = decode(k, c);
            if (!(got[c] == want || (got[c] != got[c] && want != want)) ||
                !(own == want || (own != own && want != want)))
                FAIL("%s 0x%x is %a: device %a, host %a", names[k], c, (double)want, (double)got[c],
                     (double)own);
        }
        std::vector<double> x(n);
        for (int i = 0; i < n; i++) {
            unsigned c = mix((uint32_t)i) & (n_codes - 1);
            double here = number(f, c), next = number(f, (c + 1) & (n_codes - 1));
            double v = i % 4 == 0   ? here
                       : i % 4 == 1 ? (here + next) / 2
                       : i % 4 == 2 ? here * (1 + (i % 7 - 3) * 0.03)
                                    : ldexp((double)(int)mix((uint32_t)i + 5), (i % 97) - 80);
            x[i] = (double)(float)v;
        }
        Dev<double> dx(x);
        for (int saturate = 0; saturate < 2; saturate++) {
            Dev<unsigned> out(n);
            encode_all<<<n / 256, 256>>>(out.p, dx.p, k, saturate != 0);
            std::vector<unsigned> codes = out.get();
            for (int i = 0; i < n; i++) {
                int want = nearest(f, x[i], saturate && k > BF16);
                unsigned own = encode(k, x[i], saturate != 0);
                bool ok = want < 0 ? number(f, codes[i]) != number(f, codes[i]) &&
                                         number(f, own) != number(f, own)
                                   : codes[i] == (unsigned)want && own == (unsigned)want;
                if (!ok)
                    FAIL("%s of %a, saturating %d: device 0x%x, host 0x%x, expected 0x%x", names[k],
                         x[i], saturate, codes[i], own, (unsigned)want);
            }
        }
    }
    check_arithmetic<__half, __half2>(HALF, "half");
    check_arithmetic<__hip_bfloat16, __hip_bfloat162>(BF16, "bfloat16");
    check_functions<__half>(formats[HALF], "half");
    check_functions<__hip_bfloat16>(formats[BF16], "bfloat16");
    return 0;
}
