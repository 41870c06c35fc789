/* SPDX-License-Identifier: MIT */
/* Matrix product in C: 8 x 32 register tiles over packed panels, 256 deep. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { MR = 8, NR = 32, KB = 256, ROWS = 128 };

typedef float v16 __attribute__((vector_size(64)));
typedef float v16u __attribute__((vector_size(64), aligned(4)));

static void
tile(float *c, int ldc, const float *ap, const float *bp)
{
    v16 sum[MR][2] = {0};

    for (int k = 0; k < KB; k++, ap += MR, bp += NR) {
        v16 b0 = *(const v16 *)bp, b1 = *(const v16 *)(bp + 16);
#pragma clang loop unroll(full)
        for (int r = 0; r < MR; r++) {
            sum[r][0] += ap[r] * b0;
            sum[r][1] += ap[r] * b1;
        }
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < MR; r++) {
        *(v16u *)(c + r * ldc) += sum[r][0];
        *(v16u *)(c + r * ldc + 16) += sum[r][1];
    }
}

static void
pack_a(float *ap, const float *a, int n)
{
    for (int i = 0; i < ROWS; i += MR)
        for (int k = 0; k < KB; k++)
            for (int r = 0; r < MR; r++)
                *ap++ = a[(i + r) * n + k];
}

void
omp_matmul(float *c, const float *a, const float *b, int n)
{
    static float *bp;

    if (!bp)
        bp = aligned_alloc(64, (size_t)n * n * sizeof(float));
#pragma omp parallel
    {
        float *ap = aligned_alloc(64, ROWS * KB * sizeof(float));
#pragma omp for schedule(static)
        for (int j = 0; j < n; j += NR)
            for (int k = 0; k < n; k++)
                memcpy(bp + (size_t)j * n + (size_t)k * NR, b + (size_t)k * n + j,
                       NR * sizeof(float));
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < n; i += ROWS) {
            memset(c + (size_t)i * n, 0, (size_t)ROWS * n * sizeof(float));
            for (int k = 0; k < n; k += KB) {
                pack_a(ap, a + (size_t)i * n + k, n);
                for (int j = 0; j < n; j += NR)
                    for (int r = 0; r < ROWS; r += MR)
                        tile(c + (size_t)(i + r) * n + j, n, ap + r * KB,
                             bp + (size_t)j * n + k * NR);
            }
        }
        free(ap);
    }
}

enum { BLOCK = 16 };

void
omp_tiled(float *restrict c, const float *restrict a, const float *restrict b, int n)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = 0; i < n; i += BLOCK)
        for (int j = 0; j < n; j += BLOCK) {
            float sum[BLOCK][BLOCK] = {{0}};

            for (int t = 0; t < n; t += BLOCK)
                for (int y = 0; y < BLOCK; y++)
                    for (int k = 0; k < BLOCK; k++)
#pragma omp simd
                        for (int x = 0; x < BLOCK; x++)
                            sum[y][x] += a[(i + y) * n + t + k] * b[(t + k) * n + j + x];
            for (int y = 0; y < BLOCK; y++)
                memcpy(&c[(i + y) * n + j], sum[y], sizeof(sum[y]));
        }
}
