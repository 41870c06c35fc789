/* SPDX-License-Identifier: MIT */
/* Mandelbrot with 16 lanes made by hand: what a C programmer does when the compiler will not. */
#include "kernels.h"

typedef float v16f __attribute__((vector_size(64)));
typedef int v16i __attribute__((vector_size(64)));

void
omp_mandel(int *out, int n, int iters)
{
    const float step = 3.0f / n;
    const v16i lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < n; py++) {
        for (int px = 0; px < n; px += 16) {
            v16f cx = -2.0f + __builtin_convertvector(px + lane, v16f) * step;
            v16f cy = (v16f){0} + (-1.5f + py * step);
            v16f x = {0}, y = {0};
            v16i count = {0}, active = lane >= 0;
            for (int it = 0; it < iters; it++) {
                v16f xx = x * x, yy = y * y;
                active &= xx + yy <= 4.0f;
                if (!__builtin_reduce_or(active))
                    break;
                y = 2.0f * x * y + cy;
                x = xx - yy + cx;
                count -= active;
            }
            *(v16i *)(out + (long)py * n + px) = count;
        }
    }
}
