/* SPDX-License-Identifier: MIT */
/* Loops with divergent trip counts, break, continue, return inside, several exits, nesting. */
#include "../check.h"

MAP(TripCount, int)
{
    int r = 0;
    for (int k = 0; k < (in[i] & 31); k++)
        r += k * i + 1;
    return r;
}

MAP(While, int)
{
    unsigned v = (unsigned)in[i];
    int r = 0;
    while (v) {
        v &= v - 1;
        r++;
    }
    return r;
}

MAP(DoWhile, int)
{
    int v = i, r = 0;
    do {
        r += v & 3;
        v >>= 1;
    } while (v > 2);
    return r;
}

MAP(BreakContinue, unsigned)
{
    unsigned r = 0;
    for (int k = 0; k < 40; k++) {
        if ((k + i) % 3 == 0)
            continue;
        if (k > (in[i] & 15) + 5)
            break;
        r = r * 3 + k;
    }
    return r;
}

MAP(ReturnInside, unsigned)
{
    unsigned r = 1;
    for (int k = 0; k < 20; k++) {
        r = r * 5 + (unsigned)in[(i + k) % n];
        if (r & 0x40)
            return -r;
        if (k == (i & 15))
            return r + (unsigned)k;
    }
    return r;
}

MAP(ForeverWithBreak, int)
{
    int steps = 0;
    unsigned v = (unsigned)i * 3 + 1;
    for (;;) {
        if (v == 1)
            break;
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (++steps > 300)
            break;
    }
    return steps;
}

MAP(UniformInner, int)
{
    int r = 0;
    for (int k = 0; k < (i & 7); k++)
        for (int m = 0; m < 6; m++)
            r += (k + 1) * m + in[m];
    return r;
}

MAP(DivergentInner, int)
{
    int r = 0;
    for (int k = 0; k < 5; k++) {
        for (int m = k; m < (in[i] & 7); m++) {
            if (m == 4)
                break;
            r += m * k;
        }
        if (r > 30)
            break;
    }
    return r;
}

MAP(ThreeDeep, int)
{
    int r = 0;
    for (int a = 0; a < (i & 3); a++)
        for (int b = a; b < 4; b++)
            for (int c = 0; c < ((in[i] >> b) & 3); c++) {
                if ((a ^ b ^ c) == 2)
                    continue;
                r += a + 10 * b + 100 * c;
            }
    return r;
}

/* The counter is the same in all active lanes inside the loop, and differs between lanes behind
 * it. */
MAP(TemporalDivergence, int)
{
    int k = 0;
    while (k < 50 && (mix((unsigned)(i + k)) & 7) != 0)
        k++;
    return k;
}

MAP(TemporalAddress, int)
{
    const int *p = in;
    int s = 0;
    for (;;) {
        s += *p;
        if ((int)(p - in) >= (i & 31))
            break;
        p += 3;
    }
    return s + *p;
}

MAP(TwoExitValues, int)
{
    int a = 0, b = 1;
    for (int k = 0; k < 30; k++) {
        int t = a + b;
        if (t > (i & 255))
            return a;
        a = b;
        b = t;
        if ((k & 7) == (in[i] & 7) && k > 4)
            goto out;
    }
    a = -5;
out:
    return a - b;
}

MAP(LoopInBranch, unsigned)
{
    unsigned r = (unsigned)i;
    if (in[i] > 0) {
        for (int k = 0; k < (in[i] & 15); k++)
            r = r * 3 + 1;
    } else {
        while (r > 10)
            r -= 7;
    }
    return r;
}

MAP(SwapPhis, int)
{
    int a = i, b = in[i];
    for (int k = 0; k < (i % 9); k++) {
        int t = a;
        a = b;
        b = t + 1;
    }
    return a * 31 + b;
}

MAP(ZeroTrips, int)
{
    int r = 3;
    for (int k = 0; k < n - 777; k++) /* n is 777: never, and the compiler cannot know */
        r += in[k];
    for (int k = 0; k < in[i]; k += 1 << 16)
        r++;
    return r;
}

MAP(LongLong, int64_t)
{
    int64_t r = 0;
    for (int64_t k = in[i] & 63; k >= 0; k -= 5)
        r += k << 33;
    return r;
}

int
main()
{
    RUN_MAP(TripCount);
    RUN_MAP(While);
    RUN_MAP(DoWhile);
    RUN_MAP(BreakContinue);
    RUN_MAP(ReturnInside);
    RUN_MAP(ForeverWithBreak);
    RUN_MAP(UniformInner);
    RUN_MAP(DivergentInner);
    RUN_MAP(ThreeDeep);
    RUN_MAP(TemporalDivergence);
    RUN_MAP(TemporalAddress);
    RUN_MAP(TwoExitValues);
    RUN_MAP(LoopInBranch);
    RUN_MAP(SwapPhis);
    RUN_MAP(ZeroTrips);
    RUN_MAP(LongLong);
    return 0;
}
