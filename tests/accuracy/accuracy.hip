/* SPDX-License-Identifier: MIT */
/* Device math against exact values: the largest error of each function of functions.def over
 * random, special and denormal arguments, beside the bounds of OpenCL and AMD; throughput beside
 * the C library and SLEEF.
 *
 *   accuracy [--points LOG2] [--only GLOB] [--speed | --host | --exhaustive]
 *
 * Columns: function, precision, largest error in ulp, OpenCL's bound, AMD's measure here, AMD's
 * figure. --speed prints instead, in million results per second: device, C library, SLEEF. --host
 * measures what our headers give the host; --exhaustive takes every float, for functions of one
 * argument, against double precision. The exit code is 1 when a bound is broken. */
#include <hip/hip_runtime.h>

#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vector>

#include "reference.h"
#include "peers.h"

enum metric { REL, ONE, WAVE };

#define CHECK_HIP(call) \
    do { \
        hipError_t err_ = (call); \
        if (err_ != hipSuccess) { \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(err_)); \
            exit(2); \
        } \
    } while (0)

/* ---- Functions with results in memory, as expressions ---- */

#define HD static __host__ __device__ inline

template <typename T, typename F>
HD T
first(T x, F f)
{
    T a, b;
    f(x, &a, &b);
    return a;
}

template <typename T, typename F>
HD T
second(T x, F f)
{
    T a, b;
    f(x, &a, &b);
    return b;
}
#define first(x, f)  first(x, [](T v, T *a, T *b) { f(v, a, b); })
#define second(x, f) second(x, [](T v, T *a, T *b) { f(v, a, b); })

#define length3(x, y, z, f) \
    ([](T a, T b, T c) { \
        const T v[3] = {a, b, c}; \
        return f(3, v); \
    }(x, y, z))
#define remquo_rest(x, y, f) \
    ([](T a, T b) { \
        int quotient; \
        return f(a, b, &quotient); \
    }(x, y))
#define modf_fraction(x, f) \
    ([](T a) { \
        T whole; \
        T fraction = f(a, &whole); \
        return whole + fraction == a || a != a || whole == a ? fraction : (T)7; \
    }(x))
#define frexp_whole(x, f) \
    ([](T a) { \
        int e; \
        T m = f(a, &e); \
        return sizeof(T) == 4 ? (T)ldexpf((float)m, e) : (T)ldexp((double)m, e); \
    }(x))

/* ---- One kernel for each function and precision ---- */

#define KERNEL(T_, name, expression) \
    __global__ void name(T_ *out, const T_ *xs, const T_ *ys, const T_ *zs, const T_ *ws, int n) \
    { \
        typedef T_ T; \
        int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); \
        if (i >= n) \
            return; \
        T x = xs[i], y = ys[i], z = zs[i], w = ws[i]; \
        (void)y; \
        (void)z; \
        (void)w; \
        out[i] = (T)(expression); \
    }
#define HOST(T_, name, expression) \
    static void name(T_ *out, const T_ *xs, const T_ *ys, const T_ *zs, const T_ *ws, int n) \
    { \
        typedef T_ T; \
        for (int i = 0; i < n; i++) { \
            T x = xs[i], y = ys[i], z = zs[i], w = ws[i]; \
            (void)y; \
            (void)z; \
            (void)w; \
            out[i] = (T)(expression); \
        } \
    }
#define FN(name, n, e32, e64, ref, c32, c64, a32, a64, lo, hi, m, o32, o64) \
    KERNEL(float, device32_##name, e32) \
    KERNEL(double, device64_##name, e64) \
    HOST(float, host32_##name, e32) \
    HOST(double, host64_##name, e64)
#define FN_DEVICE(name, n, e32, e64, ref, m, a32, lo, hi, o32) \
    KERNEL(float, device32_##name, e32) \
    HOST(double, host64_##name, e64)
#include "functions.def"
#undef FN
#undef FN_DEVICE

typedef void (*single_fn)(float *, const float *, const float *, const float *, const float *, int);
typedef void (*double_fn)(double *, const double *, const double *, const double *, const double *,
                          int);

struct row {
    const char *name, *reference;
    int n_args;
    single_fn device32, host32;
    double_fn device64, host64;
    double cl[2], amd[2], low, high, own[2];
    metric how;
    bool integer_y, bits; /* bits: any bits are an argument */
};

static const row rows[] = {
#define FN(name, n, e32, e64, ref, c32, c64, a32, a64, lo, hi, m, o32, o64)                        \
    {#name,                                                                                        \
     #ref,                                                                                         \
     n,                                                                                            \
     device32_##name,                                                                              \
     host32_##name,                                                                                \
     device64_##name,                                                                              \
     host64_##name,                                                                                \
     {c32, c64},                                                                                   \
     {a32, a64},                                                                                   \
     lo,                                                                                           \
     hi,                                                                                           \
     {o32, o64},                                                                                   \
     m,                                                                                            \
     strstr(#e32, ")y") != nullptr,                                                                \
     #ref[1] != 'n' || #ref[2]},
#define FN_DEVICE(name, n, e32, e64, ref, m, a32, lo, hi, o32)                                     \
    {#name,     #ref, n,  device32_##name, nullptr, nullptr, host64_##name, {-1, -1},              \
     {a32, -1}, lo,   hi, {o32, 0},        m,       false,   true},
#include "functions.def"
};

/* ---- Arguments ---- */

static uint64_t random_state = 88172645463325252ull;

static uint64_t
random64()
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double
uniform(double low, double high)
{
    return low + (high - low) * ((double)(random64() >> 11) * 0x1p-53);
}

template <typename T> struct format;
template <> struct format<float> {
    typedef uint32_t bits;
    enum { precision = 24, least = -149, which = 0 };
    static float special(int i)
    {
        static const float v[] = {0.0f,
                                  -0.0f,
                                  1e-45f,
                                  -1e-45f,
                                  0x1.fffffcp-127f,
                                  0x1p-126f,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  1.0f,
                                  -1.0f,
                                  0.5f,
                                  -0.5f,
                                  2.0f,
                                  -2.0f,
                                  3.0f,
                                  -3.0f,
                                  1.5f,
                                  -2.5f,
                                  0x1.fffffep127f,
                                  -0x1.fffffep127f,
                                  0x1p24f,
                                  0.99999994f,
                                  1.00000012f};
        return v[i % (int)(sizeof(v) / sizeof(v[0]))];
    }
};
template <> struct format<double> {
    typedef uint64_t bits;
    enum { precision = 53, least = -1074, which = 1 };
    static double special(int i)
    {
        static const double v[] = {0.0,
                                   -0.0,
                                   5e-324,
                                   -5e-324,
                                   0x1.ffffffffffffep-1023,
                                   0x1p-1022,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   -0.5,
                                   2.0,
                                   -2.0,
                                   3.0,
                                   -3.0,
                                   1.5,
                                   -2.5,
                                   0x1.fffffffffffffp1023,
                                   -0x1.fffffffffffffp1023,
                                   0x1p53,
                                   0x1.fffffffffffffp-1,
                                   0x1.0000000000001p0};
        return v[i % (int)(sizeof(v) / sizeof(v[0]))];
    }
};
enum { N_SPECIAL = 24 };

template <typename T>
static T
any_number()
{
    typename format<T>::bits b = (typename format<T>::bits)random64();
    T v;
    memcpy(&v, &b, sizeof(v));
    return v == v ? v : (T)NAN; /* quiet */
}

/* The first N_SPECIAL^2 points are all pairs of special values; then half of the points from the
 * documents' range, a quarter of any bits, a quarter of magnitudes between 2^-12 and 2^12. */
template <typename T>
static void
make_arguments(const row &r, int n, std::vector<T> *v)
{
    for (int k = 0; k < 4; k++)
        v[k].resize(n);
    for (int i = 0; i < n; i++) {
        bool special = i < N_SPECIAL * N_SPECIAL && (r.n_args > 1 || i < N_SPECIAL);
        for (int k = 0; k < 4; k++) {
            if (special && k < 2)
                v[k][i] = format<T>::special(k ? i / N_SPECIAL : i % N_SPECIAL);
            else if (i & 1)
                v[k][i] = (T)uniform(r.low, r.high);
            else if (i & 2 && r.bits)
                v[k][i] = any_number<T>();
            else
                v[k][i] =
                    (T)copysign(exp2(uniform(-12, r.bits ? 12 : 6)), (double)(int64_t)random64());
        }
        if (r.integer_y)
            v[1][i] = (T)(int64_t)uniform(-60, 60) * (i % 8 == 2 && r.cl[0] < 1 ? 40 : 1);
    }
}

/* ---- Errors ---- */

struct worst {
    double ulp;
    double args[4], got;
    long double want;
    unsigned wrong;          /* NaN, infinity or zero where another belongs */
    double amd_error;        /* largest absolute error over the documents' range */
    double amd_distance;     /* and the distance there */
};

template <typename T>
static T
round_to(long double want)
{
    return (T)want;
}

/* How many numbers apart. */
template <typename T>
static double
distance(T a, T b)
{
    typename format<T>::bits x, y;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    const typename format<T>::bits sign = (typename format<T>::bits)1 << (sizeof(T) * 8 - 1);
    __int128 i = x & sign ? -(__int128)(x - sign) : (__int128)x,
             j = y & sign ? -(__int128)(y - sign) : (__int128)y;
    return fabs((double)(i - j));
}

template <typename T>
static void
judge(const row &r, const double *args, T got, long double want, worst *w)
{
    T nearest = round_to<T>(want);
    double error;

    if (got != got || want != want) {
        error = (got != got) == (want != want) ? 0 : INFINITY;
    } else if (nearest == got) {
        error = isinf(got) || want == (long double)got ? 0 : -1;
    } else if (isinf(got) || isinf(nearest)) {
        /* One step from overflow is an error of one; the far side is wrong. */
        T limit = (T)(sizeof(T) == 4 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023);
        T other = isinf(got) ? nearest : got;
        bool beside = fabs((double)other) > 0.999999 * (double)limit &&
                      (other > 0) == ((isinf(got) ? got : nearest) > 0);
        error = beside ? distance(got, nearest) : INFINITY;
    } else {
        error = -1;
    }
    if (error == INFINITY) {
        if (!w->wrong++) {
            memcpy(w->args, args, sizeof(w->args));
            w->got = (double)got;
            w->want = want;
        }
        return;
    }
    if (error < 0) {
        long double size = fabsl(want);
        if (r.how == ONE && size < 1)
            size = 1;
        if (r.how == WAVE)
            size = fmaxl(size, fminl(1, sqrtl(0.63661977L / fabsl(args[0]))));
        int e;
        frexpl(size, &e);
        e -= format<T>::precision;
        if (e < format<T>::least || size == 0)
            e = format<T>::least;
        error = (double)(fabsl((long double)got - want) / ldexpl(1, e));
    }
    if (error > w->ulp && !w->wrong) {
        memcpy(w->args, args, sizeof(w->args));
        w->got = (double)got;
        w->want = want;
    }
    if (error > w->ulp)
        w->ulp = error;
    bool inside = true;
    for (int k = 0; k < r.n_args; k++)
        inside &= args[k] >= r.low && args[k] <= r.high;
    double absolute = fabs((double)((long double)got - want));
    if (inside && absolute > w->amd_error) {
        w->amd_error = absolute;
        w->amd_distance = error <= 0.5005 ? 0 : distance(got, nearest); /* want is rounded itself */
    }
}

/* ---- Running ---- */

static double
now_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

template <typename T>
using kernel_fn = void (*)(T *, const T *, const T *, const T *, const T *, int);

template <typename T> struct device_arrays {
    T *v[5];
    int n;
    device_arrays(int count) : n(count)
    {
        for (int k = 0; k < 5; k++)
            CHECK_HIP(hipMalloc((void **)&v[k], (size_t)n * sizeof(T)));
    }
    ~device_arrays()
    {
        for (int k = 0; k < 5; k++)
            (void)hipFree(v[k]);
    }
    void set(const std::vector<T> *from)
    {
        for (int k = 0; k < 4; k++)
            CHECK_HIP(
                hipMemcpy(v[k + 1], from[k].data(), (size_t)n * sizeof(T), hipMemcpyHostToDevice));
    }
    void run(kernel_fn<T> kernel)
    {
        kernel<<<(n + 255) / 256, 256>>>(v[0], v[1], v[2], v[3], v[4], n);
        CHECK_HIP(hipGetLastError());
        CHECK_HIP(hipDeviceSynchronize());
    }
};

template <typename T>
static void
measure(const row &r, kernel_fn<T> device, kernel_fn<T> host, int n, worst *w)
{
    std::vector<T> args[4], got(n);
    ls_reference_fn reference = ls_reference_find(r.reference);

    if (!reference) {
        fprintf(stderr, "%s: no reference %s\n", r.name, r.reference);
        exit(2);
    }
    make_arguments(r, n, args);
    if (host) {
        host(got.data(), args[0].data(), args[1].data(), args[2].data(), args[3].data(), n);
    } else {
        device_arrays<T> arrays(n);
        arrays.set(args);
        arrays.run(device);
        CHECK_HIP(hipMemcpy(got.data(), arrays.v[0], (size_t)n * sizeof(T), hipMemcpyDeviceToHost));
    }
    for (int i = 0; i < n; i++) {
        double a[4] = {(double)args[0][i], (double)args[1][i], (double)args[2][i],
                       (double)args[3][i]};
        judge(r, a, got[i], reference(a, (double)got[i], format<T>::precision), w);
    }
}

/* The C library lacks these: what our headers give the host is slow, and ours. */
static bool
libm_has(const char *name)
{
    static const char *const lacks[] = {
        "sinpi",      "cospi",         "sincospi_sine", "sincospi_cosine", "rsqrt",
        "rcbrt",      "erfcx",         "erfinv",        "erfcinv",         "normcdf",
        "normcdfinv", "cyl_bessel_i0", "cyl_bessel_i1", "tanpi"};
    for (const char *other : lacks) {
        if (!strcmp(name, other))
            return false;
    }
    return true;
}

/* Whether a result is no worse than what is known already, in ulp of a size of at least `least`
 * (AMD's measure counts `inside` its range): true for nearly all of 2^32. Without branches: it runs
 * in vectors. */
static inline bool
no_worse(float got, double want, double least, bool inside, double ulp, double amd_error)
{
    bool exact = ((double)got == want) | ((got != got) & (want != want)) |
                 ((fabsf(got) == INFINITY) & (got == (float)want));
    double size = fabs(want) > least ? fabs(want) : least;
    int64_t bits;
    memcpy(&bits, &size, sizeof(bits));
    int64_t e = (bits >> 52) - 1023;
    int64_t bounded = e < -126 ? -126 : e;
    double inverse, error = fabs((double)got - want);
    bits = (1023 + 23 - bounded) << 52;
    memcpy(&inverse, &bits, sizeof(inverse));
    /* false with NaN or infinity */
    return exact | ((e < 127) & (error * inverse <= ulp) & ((error <= amd_error) | !inside));
}

/* Every float, against the C library's double precision, or the device's where the C library has no
 * such function. SLEEF sorts out what is fine, in vectors and several times faster; the C library
 * judges what is left. */
static void
measure_all(const row &r, worst *w)
{
    const int n = 1 << 20;
    std::vector<float> args[4], got(n);
    std::vector<double> wide[4], want(n);
    device_arrays<float> arrays(n);
    device_arrays<double> wide_arrays(n);
    bool libm = libm_has(r.name);
    ls_sleef_fn sleef = ls_sleef_find(r.reference, true);

    for (int k = 0; k < 4; k++) {
        args[k].resize(n);
        wide[k].resize(n);
    }
    arrays.set(args);
    wide_arrays.set(wide);
    for (uint64_t at = 0; at < 1ull << 32; at += (uint64_t)n) {
        for (int i = 0; i < n; i++) {
            uint32_t bits = (uint32_t)at + (uint32_t)i;
            memcpy(&args[0][i], &bits, 4);
            wide[0][i] = (double)args[0][i];
        }
        CHECK_HIP(hipMemcpy(arrays.v[1], args[0].data(), (size_t)n * 4, hipMemcpyHostToDevice));
        arrays.run(r.device32);
        CHECK_HIP(hipMemcpy(got.data(), arrays.v[0], (size_t)n * 4, hipMemcpyDeviceToHost));
        if (sleef) {
            sleef(want.data(), wide[0].data(), wide[1].data(), n);
        } else if (libm) {
            r.host64(want.data(), wide[0].data(), wide[1].data(), wide[2].data(), wide[3].data(),
                     n);
        } else {
            CHECK_HIP(
                hipMemcpy(wide_arrays.v[1], wide[0].data(), (size_t)n * 8, hipMemcpyHostToDevice));
            wide_arrays.run(r.device64);
            CHECK_HIP(
                hipMemcpy(want.data(), wide_arrays.v[0], (size_t)n * 8, hipMemcpyDeviceToHost));
        }
        for (int first = 0; first < n; first += 512) {
            const float *g = got.data() + first;
            const double *x = wide[0].data() + first, *t = want.data() + first;
            const double ulp = w->ulp, amd_error = w->amd_error, low = r.low, high = r.high;
            double least[512];
            unsigned fine = 0;
            for (int i = 0; i < 512; i++)
                least[i] = r.how == REL ? 0 : r.how == ONE ? 1 : sqrt(fmin(1, 0.6366 / fabs(x[i])));
            for (int i = 0; i < 512; i++)
                fine +=
                    no_worse(g[i], t[i], least[i], (x[i] >= low) & (x[i] <= high), ulp, amd_error);
            for (int i = 0; i < 512 && fine < 512; i++) {
                double a[4] = {x[i], 0, 0, 0};
                if (no_worse(g[i], t[i], least[i], x[i] >= low && x[i] <= high, w->ulp,
                             w->amd_error))
                    continue;
                double exact = t[i];
                if (sleef && libm)
                    r.host64(&exact, &x[i], &x[i], &x[i], &x[i], 1);
                judge(r, a, g[i], (long double)exact, w);
            }
        }
    }
}

struct speed {
    double device, libm, sleef; /* million results per second and thread; 0: there is none */
};

template <typename T>
static double
rate(int n, double ns)
{
    return n / ns * 1e3;
}

template <typename T>
static speed
time_it(const row &r, kernel_fn<T> device, kernel_fn<T> host)
{
    const int n = 1 << 16;
    std::vector<T> args[4], out(n);
    speed s = {0, 0, 0};
    double best[3] = {1e30, 1e30, 1e30};
    ls_sleef_fn sleef = ls_sleef_find(r.name, sizeof(T) == 8);

    for (int k = 0; k < 4; k++) {
        args[k].resize(n);
        for (int i = 0; i < n; i++)
            args[k][i] = r.integer_y && k == 1 ? (T)(int)uniform(-8, 8) : (T)uniform(r.low, r.high);
    }
    device_arrays<T> arrays(n);
    arrays.set(args);
    for (int k = 0; k < 8; k++) {
        double t0 = now_ns();
        arrays.run(device);
        double t1 = now_ns();
        if (host)
            host(out.data(), args[0].data(), args[1].data(), args[2].data(), args[3].data(), n);
        double t2 = now_ns();
        if (sleef)
            sleef(out.data(), args[0].data(), args[1].data(), n);
        double t3 = now_ns();
        best[0] = fmin(best[0], t1 - t0);
        best[1] = fmin(best[1], t2 - t1);
        best[2] = fmin(best[2], t3 - t2);
    }
    s.device = rate<T>(n, best[0]);
    s.libm = host ? rate<T>(n, best[1]) : 0;
    s.sleef = sleef ? rate<T>(n, best[2]) : 0;
    return s;
}

/* ---- Report ---- */

static struct {
    int log2_points;
    const char *only;
    bool speed, host, exhaustive;
} opt = {14, "*", false, false, false};

static void
print_bound(double bound)
{
    bound < 0 ? (void)printf("       -") : (void)printf(" %7g", bound);
}

static void
print_speed(const row &r, int which, const speed &s)
{
    const double rates[3] = {s.device, s.libm, s.sleef};

    printf("%-18s %s", r.name, which ? "f64" : "f32");
    for (double v : rates)
        v == 0 ? (void)printf("        -") : (void)printf(v < 10 ? " %8.1f" : " %8.0f", v);
    printf("\n");
    fflush(stdout);
}

/* Prints one line; says whether the bounds hold. On the host many functions are the C library's,
 * which OpenCL's bounds don't concern. */
static bool
report(const row &r, int which, const worst &w)
{
    double bound = opt.host ? 8 : r.cl[which] >= 0 ? r.cl[which] : r.own[which];
    bool fits = w.wrong == 0 && w.ulp <= bound + 0.004;
    bool amd = r.amd[which] < 0 || opt.host || w.amd_distance <= r.amd[which];

    printf("%-18s %s %8.3f", r.name, which ? "f64" : "f32", w.ulp);
    print_bound(r.cl[which]);
    print_bound(w.amd_distance);
    print_bound(r.amd[which]);
    printf("\n");
    fflush(stdout);
    if (!fits || !amd)
        fprintf(stderr,
                "%s %s is beyond its bound: %u wrong, %.3f ulp (bound %g), AMD's measure %g (%g); "
                "of %a %a %a %a: got %a, exact %La\n",
                r.name, which ? "f64" : "f32", w.wrong, w.ulp, bound, w.amd_distance, r.amd[which],
                w.args[0], w.args[1], w.args[2], w.args[3], w.got, w.want);
    return fits && amd;
}

int
main(int argc, char **argv)
{
    int failures = 0, done = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--points") && i + 1 < argc)
            opt.log2_points = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--only") && i + 1 < argc)
            opt.only = argv[++i];
        else if (!strcmp(argv[i], "--speed"))
            opt.speed = true;
        else if (!strcmp(argv[i], "--host"))
            opt.host = true;
        else if (!strcmp(argv[i], "--exhaustive"))
            opt.exhaustive = true;
        else
            return fprintf(stderr, "usage: accuracy [--points LOG2] [--only GLOB] [--speed | "
                                   "--host | --exhaustive]\n"),
                   2;
    }
    for (const row &r : rows) {
        worst w32 = {}, w64 = {};
        if (fnmatch(opt.only, r.name, 0) || (opt.host && !r.host32) ||
            (opt.exhaustive && r.n_args > 1))
            continue;
        if (opt.speed) {
            print_speed(r, 0, time_it<float>(r, r.device32, r.host32));
            if (r.device64)
                print_speed(r, 1, time_it<double>(r, r.device64, r.host64));
            continue;
        }
        if (opt.exhaustive)
            measure_all(r, &w32);
        else
            measure<float>(r, r.device32, opt.host ? r.host32 : nullptr, 1 << opt.log2_points,
                           &w32);
        failures += !report(r, 0, w32);
        done++;
        if (!r.device64 || opt.exhaustive)
            continue;
        measure<double>(r, r.device64, opt.host ? r.host64 : nullptr, 1 << opt.log2_points, &w64);
        failures += !report(r, 1, w64);
        done++;
    }
    if (!opt.speed)
        printf("%d passed, %d failed\n", done - failures, failures);
    return failures != 0;
}
