/* SPDX-License-Identifier: MIT */
/* SLEEF's functions of 1 ulp (3.5 for those it has no other of) on 16 floats or 8 doubles at a
 * time. */
#include "peers.h"

#include <stddef.h>
#include <string.h>

#if defined(LS_HAVE_SLEEF) && defined(__AVX512F__)
#include <immintrin.h>
#include <sleef.h>

#define ONE(name, u)                                                                               \
    static void f32_##name(void *out, const void *x, const void *y, int n)                         \
    {                                                                                              \
        (void)y;                                                                                   \
        for (int i = 0; i < n; i += 16)                                                            \
            _mm512_storeu_ps((float *)out + i, Sleef_##name##f16_##u##avx512f(                     \
                                                   _mm512_loadu_ps((const float *)x + i)));        \
    }                                                                                              \
    static void f64_##name(void *out, const void *x, const void *y, int n)                         \
    {                                                                                              \
        (void)y;                                                                                   \
        for (int i = 0; i < n; i += 8)                                                             \
            _mm512_storeu_pd((double *)out + i, Sleef_##name##d8_##u##avx512f(                     \
                                                    _mm512_loadu_pd((const double *)x + i)));      \
    }
#define TWO(name, u)                                                                               \
    static void f32_##name(void *out, const void *x, const void *y, int n)                         \
    {                                                                                              \
        for (int i = 0; i < n; i += 16)                                                            \
            _mm512_storeu_ps((float *)out + i, Sleef_##name##f16_##u##avx512f(                     \
                                                   _mm512_loadu_ps((const float *)x + i),          \
                                                   _mm512_loadu_ps((const float *)y + i)));        \
    }                                                                                              \
    static void f64_##name(void *out, const void *x, const void *y, int n)                         \
    {                                                                                              \
        for (int i = 0; i < n; i += 8)                                                             \
            _mm512_storeu_pd((double *)out + i, Sleef_##name##d8_##u##avx512f(                     \
                                                    _mm512_loadu_pd((const double *)x + i),        \
                                                    _mm512_loadu_pd((const double *)y + i)));      \
    }
#define LIST(one, two)                                                                             \
    one(sin, u10) one(cos, u10) one(tan, u10) one(asin, u10) one(acos, u10) one(atan, u10)         \
        one(sinh, u10) one(cosh, u10) one(tanh, u10) one(asinh, u10) one(acosh, u10)               \
            one(atanh, u10) one(sinpi, u05) one(cospi, u05) one(exp, u10) one(exp2, u10)           \
                one(exp10, u10) one(expm1, u10) one(log, u10) one(log2, u10) one(log10, u10)       \
                    one(log1p, u10) one(cbrt, u10) one(erf, u10) one(erfc, u15) one(tgamma, u10)   \
                        one(lgamma, u10) two(atan2, u10) two(pow, u10) two(hypot, u05)
LIST(ONE, TWO)

#define ENTRY(name, u) {#name, f32_##name, f64_##name},
static const struct {
    const char *name;
    ls_sleef_fn single, two;
} rows[] = {LIST(ENTRY, ENTRY)};

ls_sleef_fn
ls_sleef_find(const char *name, int is_double)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(rows[i].name, name))
            return is_double ? rows[i].two : rows[i].single;
    return NULL;
}
#else
ls_sleef_fn
ls_sleef_find(const char *name, int is_double)
{
    (void)name;
    (void)is_double;
    return NULL;
}
#endif
