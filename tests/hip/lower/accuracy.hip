/* SPDX-License-Identifier: MIT */
/* The f32 functions that the compiler expands itself: at most 2 ulp from the exact value over dense
 * samples, and infinities, NaN, zeros and denormals as they should be. */
#include "../check.h"

static const int N = 1 << 16;
static const double TURN = 6.283185307179586476925287;

/* X(name, device expression, host expression in double, low, high) */
#define ROWS(X)                                                                                    \
    X(exp2, __builtin_exp2f(x), exp2(x), -150, 128)                                                \
    X(exp, __builtin_expf(x), exp(x), -104, 88.7)                                                  \
    X(exp10, exp10f(x), pow(10.0, x), -37, 38)                                                     \
    X(log2, __builtin_log2f(x), log2(x), 0, 4e38)                                                  \
    X(log2_near_one, __builtin_log2f(x), log2(x), 0.5, 2)                                          \
    X(log, __builtin_logf(x), log(x), 0, 4e38)                                                     \
    X(log_near_one, __builtin_logf(x), log(x), 0.5, 2)                                             \
    X(log10, __builtin_log10f(x), log10(x), 0, 4e38)                                               \
    X(turn_sin, __builtin_amdgcn_sinf(x), turn_sin(x), -250, 250)                                  \
    X(turn_cos, __builtin_amdgcn_cosf(x), turn_sin(fabs(x - rint(x)) + 0.25), -250, 250)           \
    X(sin, __builtin_sinf(x), sin(x), -1000, 1000)                                                 \
    X(cos, __builtin_cosf(x), cos(x), -1000, 1000)                                                 \
    X(sin_huge, __builtin_sinf(x), sin(x), 1e9, 1e12)                                              \
    X(rsqrt, __builtin_amdgcn_rsqf(x), 1 / sqrt(x), 0, 4e38)                                       \
    X(rcp, __builtin_amdgcn_rcpf(x), 1 / x, -4e38, 4e38)

static inline double
turn_sin(double x)
{
    x -= rint(x);
    if (fabs(x) == 0.5)
        return 0;
    return sin(TURN * (x > 0.25 ? 0.5 - x : x < -0.25 ? -0.5 - x : x));
}

#define KERNEL(name, device, host, low, high)                                                      \
    __global__ void k_##name(float *out, const float *in, int n)                                   \
    {                                                                                              \
        int i = (int)global_id();                                                                  \
        if (i < n) {                                                                               \
            float x = in[i];                                                                       \
            out[i] = device;                                                                       \
        }                                                                                          \
    }                                                                                              \
    static double h_##name(double x)                                                               \
    {                                                                                              \
        return host;                                                                               \
    }
ROWS(KERNEL)

/* Half of the samples evenly spread, half by bits; then what is special. */
static std::vector<float>
samples(double low, double high)
{
    static const float special[] = {
        0.0f,     -0.0f,     1e-45f, -1e-45f, 1.1754942e-38f, 1.17549435e-38f,
        INFINITY, -INFINITY, NAN,    1.0f,    -1.0f,          0.5f,
        0.25f,    -0.125f,   2.0f,   3e38f,   0.99999994f,    1.0000001f,
        -126.0f,  -149.0f,   127.0f, 128.0f,  -151.0f,        1000.0f};
    std::vector<float> v(N);

    for (int i = 0; i < N; i++) {
        uint32_t bits = mix((uint32_t)i + 99) & (low < 0 ? 0xffffffffu : 0x7fffffffu);
        float f;
        memcpy(&f, &bits, 4);
        bool fits = (double)f >= low && (double)f <= high && low != 1e9;
        v[i] =
            i % 2 && fits ? f : (float)(low + (high > 1e38 ? 1e6 : high - low) * (i / (double)N));
    }
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
        v[i] = special[i];
    return v;
}

static int
verify(const char *name, const std::vector<float> &in, const std::vector<float> &got,
       double (*host)(double))
{
    double worst = 0;

    for (int i = 0; i < N; i++) {
        double want = host((double)in[i]), g = (double)got[i];
        float rounded = (float)want;
        if ((double)rounded == g || (rounded != rounded && g != g))
            continue;
        int e;
        frexp(want, &e);
        double ulp = ldexp(1.0, e - 24 < -149 ? -149 : e - 24), error = fabs(g - want) / ulp;
        if (!(error <= 2)) {
            fprintf(stderr, "%s(%a): got %a, expected %a\n", name, (double)in[i], g, want);
            return 1;
        }
        worst = error > worst ? error : worst;
    }
    printf("%s: %.3f ulp\n", name, worst);
    return 0;
}

int
main()
{
    int failures = 0;

#define RUN(name, device, host, low, high)                                                         \
    {                                                                                              \
        std::vector<float> in = samples(low, high);                                                \
        Dev<float> din(in), out(N);                                                                \
        k_##name<<<N / 256, 256>>>(out.p, din.p, N);                                               \
        failures += verify(#name, in, out.get(), h_##name);                                        \
    }
    ROWS(RUN)
    return failures != 0;
}
