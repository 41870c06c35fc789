// SPDX-License-Identifier: MIT
// _Float16 and __bf16 as the compiler's own types: conversions at and beside every boundary between
// two neighbours, from float, double and integers; arithmetic, comparisons and builtins against
// exact results, rounded once. Also where the CPU has no instructions for them.
// ISA: native avx512 avx2 sse2
// HOST: optimized, because without it a bfloat argument needs a newer libgcc
#include "../check.h"

#include <cmath>
#include <cstring>
#include <type_traits>

template <typename T> static const int infinity = 0;
template <> const int infinity<_Float16> = 0x7c00;
template <> const int infinity<__bf16> = 0x7f80;

/* What bits (no sign) of a half or bfloat mean; the one after the last number as if the exponent
 * went on. */
template <typename T>
static double
value_of(int bits)
{
    const int mantissa_bits = std::is_same<T, _Float16>::value ? 10 : 7;
    const int least = std::is_same<T, _Float16>::value ? -24 : -133;
    int mantissa = bits & ((1 << mantissa_bits) - 1), exponent = bits >> mantissa_bits;
    return exponent ? std::ldexp(mantissa + (1 << mantissa_bits), least + exponent - 1)
                    : std::ldexp(mantissa, least);
}

/* To nearest, even at ties. */
template <typename T>
static unsigned short
nearest(double x)
{
    double size = std::fabs(x);
    int low = 0, high = infinity<T>, sign = std::signbit(x) ? 0x8000 : 0;

    if (x != x)
        return 0x7fff;
    if (size >= value_of<T>(high))
        return (unsigned short)(sign | high);
    while (high - low > 1) {
        int middle = (low + high) / 2;
        (size >= value_of<T>(middle) ? low : high) = middle;
    }
    double below = size - value_of<T>(low), above = value_of<T>(high) - size; /* exact */
    int bits = below < above || (below == above && !(low & 1)) ? low : high;
    return (unsigned short)(sign | bits);
}

template <typename T>
__global__ void
convert(T *from_floats, T *from_doubles, float *floats, double *doubles, const float *f,
        const double *d, int n)
{
    int i = (int)global_id();
    if (i >= n)
        return;
    from_floats[i] = (T)f[i];
    from_doubles[i] = (T)d[i];
    floats[i] = (float)from_floats[i];
    doubles[i] = (double)from_doubles[i];
}

enum { SUM, DIFFERENCE, PRODUCT, QUOTIENT, NEGATED, SIZE, ROOT, FLOOR, LEAST, FROM_INT, N_RESULTS };

template <typename T>
__global__ void
compute(T *out, int *order, int *ints, const T *a, const T *b, const int *k, int n)
{
    int i = (int)global_id();
    if (i >= n)
        return;
    T x = a[i], y = b[i], *r = out + i * N_RESULTS;
    r[SUM] = x + y;
    r[DIFFERENCE] = x - y;
    r[PRODUCT] = x * y;
    r[QUOTIENT] = x / y;
    r[NEGATED] = -x;
    r[SIZE] = (T)__builtin_fabsf((float)x);
    r[ROOT] = (T)__builtin_sqrtf((float)x);
    r[FLOOR] = (T)__builtin_floorf((float)x);
    r[LEAST] = x < y ? x : y;
    r[FROM_INT] = (T)k[i];
    order[i] = (x < y) | (x == y) << 1 | (x >= y) << 2 | (x != y) << 3;
    ints[i] = x < (T)1000.0f && x > (T)-1000.0f ? (int)x : 0;
}

template <typename T>
static void
check_equal(const char *what, int i, unsigned short got, unsigned short want)
{
    bool nan = (want & 0x7fff) > infinity<T>;
    if (nan ? (got & 0x7fff) <= infinity<T> : got != want)
        FAIL("%s %s %d: got %04x, expected %04x",
             std::is_same<T, _Float16>::value ? "half" : "bfloat", what, i, got, want);
}

template <typename T>
static std::vector<unsigned short>
bits_of(const Dev<T> &d)
{
    std::vector<unsigned short> bits(d.n);
    CHECK_HIP(hipMemcpy(bits.data(), d.p, d.n * 2, hipMemcpyDeviceToHost));
    return bits;
}

template <typename T>
static void
check_conversions()
{
    std::vector<float> f;
    std::vector<double> d;

    for (int i = 0; i < infinity<T>; i++) {
        double middle = (value_of<T>(i) + value_of<T>(i + 1)) / 2;
        float m = (float)middle;
        for (int sign = 1; sign >= -1; sign -= 2) {
            const float floats[] = {(float)value_of<T>(i), std::nextafterf(m, 0), m,
                                    std::nextafterf(m, INFINITY)};
            const double doubles[] = {value_of<T>(i), std::nextafter(middle, 0), middle,
                                      std::nextafter(middle, INFINITY)};
            for (int k = 0; k < 4; k++) {
                f.push_back((float)sign * floats[k]);
                d.push_back(sign * doubles[k]);
            }
        }
    }
    const double others[] = {INFINITY, -INFINITY,      NAN,  1e300, -1e300, 1e-300,
                             -1e-300,  0x1.fffffep127, 1e-45};
    for (double x : others) {
        f.push_back((float)x);
        d.push_back(x);
    }
    int n = (int)f.size();
    Dev<float> df(f), floats(f.size());
    Dev<double> dd(d), doubles(f.size());
    Dev<T> from_floats(f.size()), from_doubles(f.size());
    convert<T><<<(n + 255) / 256, 256>>>(from_floats.p, from_doubles.p, floats.p, doubles.p, df.p,
                                         dd.p, n);
    CHECK_RUN();
    std::vector<unsigned short> by_float = bits_of(from_floats), by_double = bits_of(from_doubles);
    std::vector<float> f_back = floats.get();
    std::vector<double> d_back = doubles.get();
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i;
        check_equal<T>("from float", i, by_float[at], nearest<T>(f[at]));
        check_equal<T>("from double", i, by_double[at], nearest<T>(d[at]));
        int size = by_float[at] & 0x7fff, size_d = by_double[at] & 0x7fff;
        double want = size > infinity<T> ? NAN : size == infinity<T> ? INFINITY : value_of<T>(size);
        double want_d = size_d > infinity<T>    ? NAN
                        : size_d == infinity<T> ? INFINITY
                                                : value_of<T>(size_d);
        if (want == want && (double)f_back[at] != std::copysign(want, f[at]))
            FAIL("to float %d: got %a, expected %a", i, (double)f_back[at], want);
        if (want_d == want_d && d_back[at] != std::copysign(want_d, d[at]))
            FAIL("to double %d: got %a, expected %a", i, d_back[at], want_d);
        CHECK((f_back[at] != f_back[at]) == (want != want) &&
              (d_back[at] != d_back[at]) == (want_d != want_d));
    }
}

template <typename T>
static double
signed_value(unsigned short bits)
{
    int size = bits & 0x7fff;
    double v = size > infinity<T> ? NAN : size == infinity<T> ? INFINITY : value_of<T>(size);
    return bits & 0x8000 ? -v : v;
}

template <typename T>
static void
check_arithmetic()
{
    const int n = 20000;
    std::vector<unsigned short> a(n), b(n);
    std::vector<int> k(n);
    uint32_t state = 12345;
    auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };

    for (int i = 0; i < n; i++) { /* any bits; and neighbours in size, where sums cancel */
        a[(size_t)i] = (unsigned short)next();
        b[(size_t)i] =
            i & 1 ? (unsigned short)next() : (unsigned short)((a[(size_t)i] ^ (next() & 0x81ff)));
        k[(size_t)i] = ((int)(next() & 0xffffff) - 0x800000) >> (i % 20);
    }
    Dev<unsigned short> da(a), db(b);
    Dev<int> dk(k), order((size_t)n), ints((size_t)n);
    Dev<T> out((size_t)n * N_RESULTS);
    compute<T>
        <<<(n + 63) / 64, 64>>>(out.p, order.p, ints.p, (const T *)da.p, (const T *)db.p, dk.p, n);
    CHECK_RUN();
    std::vector<unsigned short> got = bits_of(out);
    std::vector<int> orders = order.get(), whole = ints.get();
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i;
        double x = signed_value<T>(a[at]), y = signed_value<T>(b[at]);
        const double want[N_RESULTS] = {
            x + y,        x - y,        x * y,         x / y,         -x,
            std::fabs(x), std::sqrt(x), std::floor(x), x < y ? x : y, (double)k[at]};
        for (int r = 0; r < N_RESULTS; r++)
            check_equal<T>("result", r, got[at * N_RESULTS + (size_t)r], nearest<T>(want[r]));
        CHECK(orders[at] == ((x < y) | (x == y) << 1 | (x >= y) << 2 | (x != y) << 3));
        CHECK(whole[at] == (x < 1000 && x > -1000 ? (int)x : 0));
    }
}

/* Kept in arguments, results, vectors, arrays and across branches; all numbers are small and
 * whole. */
template <typename T> struct four {
    typedef T type __attribute__((ext_vector_type(4)));
};

/* An argument of a kernel: hosts whose libgcc cannot round to bfloat (before 13) can't pass one
 * without optimisation. */
#ifdef __OPTIMIZE__
template <typename T> using argument = T;
#else
template <typename T> struct argument {
    unsigned short bits;
    __device__ operator T() const { return __builtin_bit_cast(T, bits); }
};
#endif

template <typename T>
__device__ __attribute__((noinline)) T
steps(T a, T b, int n)
{
    return n ? steps(b, a + (T)1.0f, n - 1) : a;
}

template <typename T>
__device__ __attribute__((noinline)) typename four<T>::type
turned(typename four<T>::type v, int n)
{
    return n ? turned<T>(v.yzwx + v, n - 1) : v;
}

template <typename T>
__global__ void
carry(float *out, const T *in, argument<T> constant, const typename four<T>::type *quads)
{
    int i = (int)global_id();
    T x = steps<T>(in[i], constant, i % 5), kept[4];
    typename four<T>::type q = turned<T>(quads[i % 4], i % 3);

    for (int k = 0; k < 4; k++)
        kept[k] = x * (T)(float)k;
    for (int k = 0; k < i % 7; k++)
        x = k & 1 ? kept[(i + k) % 4] : x + (T)1.0f;
    out[i] = (float)x + (float)q[i % 4];
}

template <typename T>
static void
check_carried()
{
    const int n = 128;
    std::vector<unsigned short> in(n), quads(16);
    for (int i = 0; i < n; i++)
        in[(size_t)i] = nearest<T>(i % 9);
    for (int i = 0; i < 16; i++)
        quads[(size_t)i] = nearest<T>(i);
    Dev<unsigned short> din(in), dquads(quads);
    Dev<float> out((size_t)n);
    unsigned short bits = nearest<T>(3);
    argument<T> constant;
    memcpy(&constant, &bits, 2);
    carry<T>
        <<<2, n / 2>>>(out.p, (const T *)din.p, constant, (const typename four<T>::type *)dquads.p);
    CHECK_RUN();
    std::vector<float> got = out.get();
    for (int i = 0; i < n; i++) {
        double a = i % 9, b = 3, q[4];
        for (int k = 0; k < i % 5; k++) {
            double t = a;
            a = b;
            b = t + 1;
        }
        double kept[4] = {0, a, 2 * a, 3 * a};
        for (int k = 0; k < 4; k++)
            q[k] = i % 4 * 4 + k;
        for (int t = 0; t < i % 3; t++) {
            const double old[4] = {q[0], q[1], q[2], q[3]};
            for (int k = 0; k < 4; k++)
                q[k] = old[(k + 1) % 4] + old[k];
        }
        for (int k = 0; k < i % 7; k++)
            a = k & 1 ? kept[(i + k) % 4] : a + 1;
        if (got[(size_t)i] != (float)(a + q[i % 4]))
            FAIL("carried %d: got %g, expected %g", i, (double)got[(size_t)i], a + q[i % 4]);
    }
}

int
main()
{
    check_carried<_Float16>();
    check_carried<__bf16>();
    check_conversions<_Float16>();
    check_conversions<__bf16>();
    check_arithmetic<_Float16>();
    check_arithmetic<__bf16>();
    return 0;
}
