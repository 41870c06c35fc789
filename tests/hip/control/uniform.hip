/* SPDX-License-Identifier: MIT */
/* Conditions that are uniform by block, by argument, by loaded value, or only by warp. */
#include "../check.h"

__global__ void
uniform(int *out, const int *table, int arg)
{
    unsigned t = local_id();
    int r = 0;

    if (blockIdx.x & 1)
        r += 1;
    if (arg > 3)
        r += 2;
    if (table[blockIdx.x] > 5)
        r += 4;
    for (int k = 0; k < table[blockIdx.x]; k++)
        r += 100;
    if ((t / warpSize) & 1)
        r += 8;
    if (t < 5)
        r += 16;
    switch (table[blockIdx.x + 1]) {
    case 2:
        r += 32;
        break;
    case 9:
        r += 64;
        break;
    }
    out[global_id()] = r;
}

int
main()
{
    const int blocks = 6, table[] = {0, 9, 3, 2, 7, 6, 1};
    const unsigned warp = (unsigned)host_warp_size();
    std::vector<int> tv(table, table + 7);
    Dev<int> dtable(tv);

    for (dim3 block : test_shapes()) {
        unsigned t = threads_of(block);
        Dev<int> out(t * blocks);
        std::vector<int> want(t * blocks);
        for (unsigned b = 0; b < blocks; b++)
            for (unsigned l = 0; l < t; l++)
                want[b * t + l] = (b & 1 ? 1 : 0) + 2 + (table[b] > 5 ? 4 : 0) + 100 * table[b] +
                                  ((l / warp) & 1 ? 8 : 0) + (l < 5 ? 16 : 0) +
                                  (table[b + 1] == 2 ? 32 : table[b + 1] == 9 ? 64 : 0);
        uniform<<<dim3(blocks), block>>>(out, dtable, 4);
        check_same("uniform", out.get(), want);
    }
    return 0;
}
