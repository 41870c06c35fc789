/* SPDX-License-Identifier: MIT */
/* Lanes that go on to the next iteration while others are still in this one, and meet them
 * later. */
#include "../check.h"

MAP(BeforeTheOnlyExit, int)
{
    int r = in[i], k = 0;
    for (;;) {
        k++;
        if (((in[i] >> (k & 31)) & 1) && k < 40) {
            r = r * 3;
            if (r & 4)
                continue;
        }
        r += k;
        if (k > (i & 7))
            break;
    }
    return r;
}

MAP(UniformExit, int)
{
    int r = in[i] & 0xffff, k = 0, turns = 0;
    for (;;) {
        turns++;
        if (turns < 30 && (r & turns & 3)) {
            r = r * 5 + 1;
            continue;
        }
        r ^= k;
        if (++k > 9)
            break;
    }
    return r + turns * 1000;
}

MAP(OuterLoop, int)
{
    int r = 0, a = 0;
next:
    while (a < 12) {
        a++;
        for (int b = 0; b < 6; b++) {
            r += a * b;
            if (((in[i] >> b) & a) == 3)
                goto next;
            if (r & 64)
                break;
        }
        r = r * 3 + 1;
        if (r > 5000)
            return -r;
    }
    return r;
}

MAP(Sum, int)
{
    int sum = 0;
    for (int k = 0; k < 20; k++) {
        int v = (in[i] >> (k & 15)) & 7;
        do {
            if (v & 1) {
                v = v * 2 + 2;
                if (v < 40)
                    continue;
            }
            v /= 2;
            if (sum > 100 + k)
                goto full;
        } while (v > 2);
        sum += v + k;
    }
full:
    return sum;
}

int
main()
{
    RUN_MAP(BeforeTheOnlyExit);
    RUN_MAP(UniformExit);
    RUN_MAP(OuterLoop);
    RUN_MAP(Sum);
    return 0;
}
