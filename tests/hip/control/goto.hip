/* SPDX-License-Identifier: MIT */
/* goto: out of nests, into loops (irreducible), backwards, across. */
#include "../check.h"

MAP(OutOfNest, int)
{
    int r = 0;
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) {
            r += a * b + 1;
            if (a * b == (in[i] & 15))
                goto out;
        }
    r = -r;
out:
    return r;
}

MAP(IntoLoop, unsigned)
{
    unsigned r = i & 15;
    int k = 0;
    if (in[i] & 1)
        goto middle;
top:
    r = r * 3 + 1;
    k++;
middle:
    r ^= k + in[i];
    k++;
    if (k < (i & 7) + 3)
        goto top;
    return r;
}

MAP(TwoEntries, int)
{
    int r = 1, k = i & 7;
    if (k == 0)
        goto b;
    if (k < 3)
        goto c;
a:
    r += 3;
    if (r > 200)
        return r;
b:
    r *= 2;
    if (r & 64)
        goto done;
c:
    r ^= 5;
    if (r & 1)
        goto a;
    if (++k < 12)
        goto b;
done:
    return r + k;
}

MAP(Backwards, int)
{
    int r = in[i] & 1023;
again:
    if (r > 17) {
        r -= 13;
        if (r & 1)
            goto again;
        r /= 2;
        goto again;
    }
    return r;
}

int
main()
{
    RUN_MAP(OutOfNest);
    RUN_MAP(IntoLoop);
    RUN_MAP(TwoEntries);
    RUN_MAP(Backwards);
    return 0;
}
