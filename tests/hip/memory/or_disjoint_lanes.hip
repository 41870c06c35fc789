/* SPDX-License-Identifier: MIT */
/* `x | 1` where x is even for the lanes that count: LLVM calls it disjoint and hoists it out of the
 * branch. The vector form is a sum over lane 0's value, which may be odd. */
#include "../check.h"

MAP(OrDisjoint, unsigned)
{
    unsigned x = (unsigned)i, sum = 0;

    for (unsigned k = 0; k < (x & 7u) + 1; k++)
        if ((x & 7u) == 0)
            sum += (unsigned)in[(x | 1u) % (unsigned)n] * (x | 1u) + (x | 2u) * 7u + k;
        else
            sum ^= (unsigned)in[x] + k;
    return sum;
}

int
main()
{
    RUN_MAP(OrDisjoint);
    return 0;
}
