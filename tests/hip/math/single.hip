/* SPDX-License-Identifier: MIT */
/* Device math in float against the host's libm in double, within a number of ulp; the same rows in
 * double against libm, for which a few ulp are granted too. */
#include "../check.h"

/* X(name, expression of device, expression of host in T = double, low, high, ulp) */
#define UNARY(X)                                                                                   \
    X(sin, -20, 20, 4)                                                                             \
    X(cos, -20, 20, 4)                                                                             \
    X(tan, -1.5, 1.5, 6)                                                                           \
    X(asin, -1, 1, 6)                                                                              \
    X(acos, -1, 1, 6)                                                                              \
    X(atan, -50, 50, 6)                                                                            \
    X(sinh, -8, 8, 6)                                                                              \
    X(cosh, -8, 8, 6)                                                                              \
    X(tanh, -8, 8, 6)                                                                              \
    X(asinh, -80, 80, 6)                                                                           \
    X(acosh, 1, 80, 6)                                                                             \
    X(atanh, -0.99, 0.99, 6)                                                                       \
    X(exp, -80, 80, 4)                                                                             \
    X(exp2, -100, 100, 4)                                                                          \
    X(exp10, -30, 30, 4)                                                                           \
    X(expm1, -10, 10, 4)                                                                           \
    X(log, 0.001, 1000, 4)                                                                         \
    X(log2, 0.001, 1000, 4)                                                                        \
    X(log10, 0.001, 1000, 4)                                                                       \
    X(log1p, -0.9, 100, 4)                                                                         \
    X(sqrt, 0, 1e6, 0)                                                                             \
    X(cbrt, -1000, 1000, 4)                                                                        \
    X(erf, -4, 4, 20)                                                                              \
    X(erfc, -3, 3, 30)                                                                             \
    X(tgamma, 0.5, 20, 40)                                                                         \
    X(lgamma, 3, 90, 20)                                                                           \
    X(j0, 0.1, 2, 20)                                                                              \
    X(floor, -100, 100, 0)                                                                         \
    X(ceil, -100, 100, 0)                                                                          \
    X(trunc, -100, 100, 0)                                                                         \
    X(round, -100, 100, 0)                                                                         \
    X(rint, -100, 100, 0)                                                                          \
    X(fabs, -100, 100, 0)
#define BINARY(X)                                                                                  \
    X(pow, 0.1, 10, 16)                                                                            \
    X(atan2, -10, 10, 6)                                                                           \
    X(fmod, 1, 100, 0)                                                                             \
    X(hypot, -100, 100, 4)                                                                         \
    X(fmax, -100, 100, 0)                                                                          \
    X(fmin, -100, 100, 0)                                                                          \
    X(fdim, -100, 100, 0)                                                                          \
    X(copysign, -100, 100, 0)                                                                      \
    X(remainder, 1, 100, 0)

#define KERNEL1(f, lo, hi, ulp)                                                                    \
    template <typename T>                                                                          \
    __global__ void k_##f(T *out, const T *a, int n)                                               \
    {                                                                                              \
        int i = (int)global_id();                                                                  \
        if (i < n)                                                                                 \
            out[i] = f(a[i]);                                                                      \
    }
#define KERNEL2(f, lo, hi, ulp)                                                                    \
    template <typename T>                                                                          \
    __global__ void k_##f(T *out, const T *a, const T *b, int n)                                   \
    {                                                                                              \
        int i = (int)global_id();                                                                  \
        if (i < n)                                                                                 \
            out[i] = f(a[i], b[i]);                                                                \
    }
UNARY(KERNEL1)
BINARY(KERNEL2)

static const int N = 1000;

template <typename T>
static void
inputs(std::vector<T> &v, double lo, double hi, uint32_t salt)
{
    v.resize(N);
    for (int i = 0; i < N; i++)
        v[i] = (T)(lo + (hi - lo) * ((mix((uint32_t)i + salt) >> 8) / 16777216.0));
}

template <typename T>
static bool
verify(const char *name, const std::vector<T> &got, const std::vector<double> &want, double ulp)
{
    const double eps = sizeof(T) == 4 ? 1.1920929e-07 : 2.220446049250313e-16;
    const double tiny = sizeof(T) == 4 ? 1.2e-38 : 2.3e-308;

    for (int i = 0; i < N; i++) {
        double err = fabs((double)got[i] - want[i]),
               scale = fabs(want[i]) > tiny ? fabs(want[i]) : tiny;
        double rounded = (double)(T)want[i];
        if ((double)got[i] == rounded || err <= ulp * eps * scale)
            continue;
        fprintf(stderr, "%s (%zu bytes) element %d: got %.17g, expected %.17g (%g ulp)\n", name,
                sizeof(T), i, (double)got[i], want[i], err / (eps * scale));
        return false;
    }
    return true;
}

template <typename T>
static int
run()
{
    std::vector<T> a, b;
    int failures = 0;

#define RUN1(f, lo, hi, ulp)                                                                       \
    {                                                                                              \
        std::vector<double> want(N);                                                               \
        inputs(a, lo, hi, 1);                                                                      \
        for (int i = 0; i < N; i++)                                                                \
            want[i] = (f)((double)a[i]);                                                           \
        Dev<T> da(a), out(N);                                                                      \
        k_##f<T><<<(N + 127) / 128, 128>>>(out.p, da.p, N);                                        \
        failures += !verify<T>(#f, out.get(), want, ulp);                                          \
    }
#define RUN2(f, lo, hi, ulp)                                                                       \
    {                                                                                              \
        std::vector<double> want(N);                                                               \
        inputs(a, lo, hi, 1);                                                                      \
        inputs(b, lo, hi, 77777);                                                                  \
        for (int i = 0; i < N; i++)                                                                \
            want[i] = (f)((double)a[i], (double)b[i]);                                             \
        Dev<T> da(a), db(b), out(N);                                                               \
        k_##f<T><<<(N + 127) / 128, 128>>>(out.p, da.p, db.p, N);                                  \
        failures += !verify<T>(#f, out.get(), want, ulp);                                          \
    }
    UNARY(RUN1)
    BINARY(RUN2)
    return failures;
}

int
main()
{
#ifdef TEST_DOUBLE
    return run<double>() != 0;
#else
    return run<float>() != 0;
#endif
}
