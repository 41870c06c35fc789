/* SPDX-License-Identifier: MIT */
/* Loops by a step that is not known, and what they leave: the last two numbers, and how far they
 * came; around every count up to some iterations of four and near the ends of the type. */
// PTX: yes
#include "../check.h"

#include <limits.h>

enum { BLOCK = 64, CASES = 4 };

__host__ __device__ static void
walk(unsigned *out, int first, int n, int by)
{
    unsigned a = 1, b = 2;
    int i = first;

    while (i < n) {
        unsigned sum = ((unsigned)i ^ a * 3) + b;

        a = b;
        b = sum;
        i += by;
    }
    out[0] = a;
    out[1] = b;
    out[2] = (unsigned)i;
}

__global__ void
walks(unsigned *out, int first, int n, int by)
{
    walk(out + 3 * threadIdx.x, first, n - (int)threadIdx.x, by);
}

int
main()
{
    static const int at[CASES][3] = {{0, 40, 1},
                                     {-30, 50, 3},
                                     {INT_MAX - 300, INT_MAX - 10, 7},
                                     {INT_MIN + 64, INT_MIN + 154, 2}};
    Dev<unsigned> out(3 * BLOCK);

    for (int c = 0; c < CASES; c++) {
        std::vector<unsigned> want(3 * BLOCK);

        for (int t = 0; t < BLOCK; t++)
            walk(&want[3 * t], at[c][0], at[c][1] - t, at[c][2]);
        walks<<<1, BLOCK>>>(out.p, at[c][0], at[c][1], at[c][2]);
        CHECK_RUN();
        check_same("walks", out.get(), want);
    }
    return 0;
}
