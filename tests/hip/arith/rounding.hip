/* SPDX-License-Identifier: MIT */
/* Directed rounding against the host's own rounding modes: ordinary operands, denormals, overflow,
 * exact results, zeros, infinities. And rn forms that no contraction touches. */
// ARCH: gfx1100 gfx90a
// OPT: -O3
// ISA: avx512 avx2
#include "../check.h"

#include <fenv.h>

static const int N = 1 << 13;
enum { MODES = 4 };

#define STORE(op, name, call) \
    o[op * MODES + 0] = name##_rn call; \
    o[op * MODES + 1] = name##_rd call; \
    o[op * MODES + 2] = name##_ru call; \
    o[op * MODES + 3] = name##_rz call;

__global__ void
single(float *out, const float *xs, const float *ys, const float *zs)
{
    int i = (int)global_id();
    float x = xs[i], y = ys[i], z = zs[i], *o = out + 7 * MODES * (size_t)i;

    STORE(0, __fadd, (x, y))
    STORE(1, __fsub, (x, y))
    STORE(2, __fmul, (x, y))
    STORE(3, __fdiv, (x, y))
    STORE(4, __frcp, (x))
    STORE(5, __fsqrt, (x))
    STORE(6, __fmaf, (x, y, z))
}

__global__ void
two(double *out, const double *xs, const double *ys, const double *zs)
{
    int i = (int)global_id();
    double x = xs[i], y = ys[i], z = zs[i], *o = out + 7 * MODES * (size_t)i;

    STORE(0, __dadd, (x, y))
    STORE(1, __dsub, (x, y))
    STORE(2, __dmul, (x, y))
    STORE(3, __ddiv, (x, y))
    STORE(4, __drcp, (x))
    STORE(5, __dsqrt, (x))
    STORE(6, __fma, (x, y, z))
}

/* fma(x, y, z) contracted would be exact; the names forbid it. */
__global__ void
uncontracted(float *out, float x, float y, float z)
{
    out[0] = __fadd_rn(__fmul_rn(x, y), z);
    out[1] = __fadd_rn(x * y, z);
    out[2] = __fmul_rn(x, y) + z;
}

template <typename T>
__attribute__((noinline)) static T
host(int op, volatile T x, volatile T y, volatile T z)
{
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x / y;
    case 4: return (T)1 / x;
    case 5: return sizeof(T) == 4 ? (T)sqrtf((float)x) : (T)sqrt((double)x);
    default:
        return sizeof(T) == 4 ? (T)fmaf((float)x, (float)y, (float)z)
                              : (T)fma((double)x, (double)y, (double)z);
    }
}

static uint64_t
random64()
{
    static uint64_t s = 88172645463325252ull;
    s ^= s << 13;
    s ^= s >> 7;
    return s ^= s << 17;
}

template <typename T>
static T
operand(int i, T near_this)
{
    const T least = sizeof(T) == 4 ? (T)0x1p-149 : (T)0x1p-1074,
            tiny = sizeof(T) == 4 ? (T)0x1p-126 : (T)0x1p-1022;
    const T most = sizeof(T) == 4 ? (T)0x1.fffffep127 : (T)0x1.fffffffffffffp1023;
    const T special[] = {0,           -(T)0,        least,  -least, tiny, -tiny, most,   -most,
                         (T)INFINITY, -(T)INFINITY, (T)NAN, 1,      -1,   3,     (T)0.5, 2};
    T v;

    switch (i & 7) {
    case 0: return special[random64() % 16];
    case 1: return (T)((double)(int)(random64() % 2001) - 1000);
    case 2: return near_this;
    case 3:
        return -near_this *
               (T)(1 + (double)(random64() % 3) * (sizeof(T) == 4 ? 0x1p-23 : 0x1p-52));
    case 4: /* denormal, or nearly */
        return (T)((double)(int64_t)(random64() % 65536) - 32768) * least *
               (random64() % 2 ? 1 : 64);
    case 5: return (T)ldexp((double)(random64() >> 11), -53) * (random64() % 2 ? 1 : -1);
    default: {
        uint64_t bits = random64();
        memcpy(&v, &bits, sizeof(v));
        return v == v ? v : (T)1;
    }
    }
}

template <typename T>
static void
run(void (*kernel)(T *, const T *, const T *, const T *), const char *type)
{
    static const int modes[MODES] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    std::vector<T> x(N), y(N), z(N);

    for (int i = 0; i < N; i++) {
        x[i] = operand<T>((int)(random64() >> 20), (T)1.5);
        y[i] = operand<T>((int)(random64() >> 20), x[i]);
        z[i] = operand<T>((int)(random64() >> 20), x[i] * y[i]);
    }
    Dev<T> dx(x), dy(y), dz(z), out(7 * MODES * N);
    kernel<<<N / 128, 128>>>(out.p, dx.p, dy.p, dz.p);
    std::vector<T> got = out.get();
    for (int m = 0; m < MODES; m++) {
        fesetround(modes[m]);
        for (int i = 0; i < N; i++)
            for (int op = 0; op < 7; op++) {
                T want = host<T>(op, x[i], y[i], z[i]),
                  g = got[(7 * (size_t)i + (size_t)op) * MODES + (size_t)m];
                if (equal_bits(g, want) || (g != g && want != want))
                    continue;
                fesetround(FE_TONEAREST);
                FAIL("%s operation %d, mode %d of %a %a %a: got %a, expected %a", type, op, m,
                     (double)x[i], (double)y[i], (double)z[i], (double)g, (double)want);
            }
        fesetround(FE_TONEAREST);
    }
}

int
main()
{
    run<float>(single, "float");
    run<double>(two, "double");
    Dev<float> three(3);
    float x = 1 + 0x1p-12f, z = -(1 + 0x1p-11f); /* x*x - z rounded twice is 0, once 2^-24 */
    uncontracted<<<1, 1>>>(three.p, x, x, z);
    for (float v : three.get())
        CHECK(v == 0);
    return 0;
}
