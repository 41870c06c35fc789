/* SPDX-License-Identifier: MIT */
/* Matrix product of bfloats in C: 8 x 32 register tiles over packed panels of pairs, by vdpbf16ps.
 * Without AVX512_BF16 the same tiles with the pairs widened to f32. */
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { MR = 8, NR = 32, KB = 128 /* pairs */, ROWS = 128 };

#if defined(__AVX512BF16__)
static inline __m512
dot(__m512 sum, uint32_t a, __m512i b)
{
    return _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_epi32((int)a), (__m512bh)b);
}
#elif defined(__AVX512F__)
static inline __m512
dot(__m512 sum, uint32_t a, __m512i b)
{
    __m512 lo = _mm512_castsi512_ps(_mm512_slli_epi32(b, 16));
    __m512 hi = _mm512_castsi512_ps(_mm512_and_si512(b, _mm512_set1_epi32((int)0xffff0000)));
    sum = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_set1_epi32((int)(a << 16))), lo, sum);
    return _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_set1_epi32((int)(a & 0xffff0000))), hi, sum);
}
#endif

#if defined(__AVX512F__)
static void
tile(float *c, int ldc, const uint32_t *ap, const uint32_t *bp)
{
    __m512 sum[MR][2];

#pragma clang loop unroll(full)
    for (int r = 0; r < MR; r++)
        sum[r][0] = sum[r][1] = _mm512_setzero_ps();
    for (int k = 0; k < KB; k++, ap += MR, bp += NR) {
        __m512i b0 = _mm512_load_si512(bp), b1 = _mm512_load_si512(bp + 16);
#pragma clang loop unroll(full)
        for (int r = 0; r < MR; r++) {
            sum[r][0] = dot(sum[r][0], ap[r], b0);
            sum[r][1] = dot(sum[r][1], ap[r], b1);
        }
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < MR; r++) {
        float *to = c + r * ldc;
        _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), sum[r][0]));
        _mm512_storeu_ps(to + 16, _mm512_add_ps(_mm512_loadu_ps(to + 16), sum[r][1]));
    }
}
#else
static void
tile(float *c, int ldc, const uint32_t *ap, const uint32_t *bp)
{
    for (int k = 0; k < KB; k++, ap += MR, bp += NR)
        for (int r = 0; r < MR; r++)
            for (int j = 0; j < NR; j++)
                for (int h = 0; h < 2; h++) {
                    uint32_t x = h ? ap[r] & 0xffff0000 : ap[r] << 16,
                             y = h ? bp[j] & 0xffff0000 : bp[j] << 16;
                    float fx, fy;
                    memcpy(&fx, &x, 4);
                    memcpy(&fy, &y, 4);
                    c[r * ldc + j] += fx * fy;
                }
}
#endif

/* Rows of pairs, `height` at a time. */
static void
pack(uint32_t *to, const unsigned short *from, int n, int rows, int height)
{
    for (int i = 0; i < rows; i += height)
        for (int k = 0; k < KB; k++)
            for (int r = 0; r < height; r++)
                memcpy(to++, from + (size_t)(i + r) * n + 2 * k, 4);
}

void
omp_matmul_bf16(float *c, const unsigned short *a, const unsigned short *b, int n)
{
    static uint32_t *bp;
    const size_t panel = (size_t)NR * KB;

    if (!bp)
        bp = aligned_alloc(64, (size_t)n * n * 2);
#pragma omp parallel
    {
        uint32_t *ap = aligned_alloc(64, ROWS * KB * sizeof(uint32_t));
#pragma omp for schedule(static)
        for (int j = 0; j < n; j += NR)
            for (int k = 0; k < n; k += 2 * KB)
                pack(bp + (size_t)j * n / 2 + (size_t)k / (2 * KB) * panel, b + (size_t)j * n + k,
                     n, NR, NR);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < n; i += ROWS) {
            memset(c + (size_t)i * n, 0, (size_t)ROWS * n * sizeof(float));
            for (int k = 0; k < n; k += 2 * KB) {
                pack(ap, a + (size_t)i * n + k, n, ROWS, MR);
                for (int j = 0; j < n; j += NR)
                    for (int r = 0; r < ROWS; r += MR)
                        tile(c + (size_t)(i + r) * n + j, n, ap + r * KB,
                             bp + (size_t)j * n / 2 + (size_t)k / (2 * KB) * panel);
            }
        }
        free(ap);
    }
}
