/* SPDX-License-Identifier: MIT */
/* Matrix products by hand: where each lane's items lie in the matrices, by the instruction set
 * documents' register-to-element tables, and the product over them in double. */
#ifndef LS_TESTS_HIP_MATRIX_REFERENCE_H
#define LS_TESTS_HIP_MATRIX_REFERENCE_H

#include "../check.h"

/* One instruction: sizes, blocks, and the run of rows in a lane's items of D (MFMA: 4, f64 and
 * WMMA: 1). */
struct shape {
    int m, n, k, blocks, run, lanes;
    bool replicated; /* WMMA: every 16 lanes hold all of A and B */
};

inline int
k_per_lane(const shape &s)
{
    return s.replicated ? s.k : s.k * s.n * s.blocks / s.lanes;
}

/* Element (row, k) that `lane` holds in item `v` of A (or B, with its column as the row). */
inline void
operand_at(const shape &s, int size, int lane, int v, int *row, int *k, int *block)
{
    int rest = lane / size;

    *row = lane % size;
    *block = s.replicated ? 0 : rest % s.blocks;
    *k = s.replicated ? v : k_per_lane(s) * (rest / s.blocks) + v;
}

/* Element (i, j) that `lane` holds in item `v` of D. */
inline void
result_at(const shape &s, int lane, int v, int *i, int *j, int *block)
{
    int rest = lane / s.n, rows_at_once = s.run * (s.lanes / s.n);

    *j = lane % s.n;
    if (s.m * s.n < s.lanes) { /* small blocks: they lie side by side in the lanes */
        *block = rest % s.blocks;
        *i = v + s.run * (rest / s.blocks);
        return;
    }
    int per_block = s.m * s.n / s.lanes, in_block = v % per_block;
    *block = v / per_block;
    *i = in_block / s.run * rows_at_once + s.run * rest + in_block % s.run;
}

/* a[lane][item], b[lane][item], c[lane][item] to d[lane][item], all as doubles. cbsz, abid: A's
 * block for all. */
inline void
multiply(const shape &s, const std::vector<double> &a, const std::vector<double> &b,
         const std::vector<double> &c, std::vector<double> &d, int cbsz = 0, int abid = 0)
{
    int kl = k_per_lane(s), items = s.m * s.n * s.blocks / s.lanes, row, k, block, i, j;
    std::vector<double> am((size_t)(s.blocks * s.m * s.k)), bm((size_t)(s.blocks * s.n * s.k));

    for (int lane = 0; lane < s.lanes; lane++)
        for (int v = 0; v < kl; v++) {
            operand_at(s, s.m, lane, v, &row, &k, &block);
            if (!s.replicated || lane < s.m)
                am[(size_t)((block * s.m + row) * s.k + k)] = a[(size_t)(lane * kl + v)];
            operand_at(s, s.n, lane, v, &row, &k, &block);
            if (!s.replicated || lane < s.n)
                bm[(size_t)((block * s.n + row) * s.k + k)] = b[(size_t)(lane * kl + v)];
        }
    for (int lane = 0; lane < s.lanes; lane++)
        for (int v = 0; v < items; v++) {
            result_at(s, lane, v, &i, &j, &block);
            int from = (block & ~((1 << cbsz) - 1)) + (abid & ((1 << cbsz) - 1));
            double sum = c[(size_t)(lane * items + v)];
            for (k = 0; k < s.k; k++)
                sum += am[(size_t)((from * s.m + i) * s.k + k)] *
                       bm[(size_t)((block * s.n + j) * s.k + k)];
            d[(size_t)(lane * items + v)] = sum;
        }
}

/* Small numbers, so that every product and sum is exact in every format. */
struct numbers {
    uint32_t state;
    explicit numbers(uint32_t seed) : state(seed * 2654435761u + 12345u) {}
    int
    next(int lo, int hi)
    {
        state = state * 1664525u + 1013904223u;
        return lo + (int)((state >> 8) % (uint32_t)(hi - lo + 1));
    }
};

inline uint16_t
to_bf16(double x)
{
    float f = (float)x;
    uint32_t u;
    memcpy(&u, &f, 4);
    return (uint16_t)(u >> 16);
}

#endif
