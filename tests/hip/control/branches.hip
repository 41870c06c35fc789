/* SPDX-License-Identifier: MIT */
/* Divergent ifs: nested, else chains, short circuit, values merged from both sides, empty arms. */
#include "../check.h"

MAP(Simple, int)
{
    int v = in[i];
    if (v > 0)
        v = v / 3 + 1;
    return v;
}

MAP(Diamond, int)
{
    int v;
    if (in[i] & 1)
        v = in[i] * 5;
    else
        v = i - in[i];
    return v ^ i;
}

MAP(Nested, int)
{
    int v = in[i], r = 7;
    if (v > 0) {
        r += 1;
        if (v & 2) {
            r *= 3;
            if (v & 4)
                r -= v;
            else if (v & 8)
                r += 2 * v;
        } else {
            r ^= v;
        }
        r += i;
    } else if (v < -20) {
        if (i % 5 == 0)
            r = v;
    } else {
        r = -1;
    }
    return r;
}

MAP(Chain, int)
{
    int v = in[i] % 10;
    if (v == 0)
        return 100;
    else if (v == 1)
        return i;
    else if (v == 2)
        return in[i];
    else if (v < 0)
        return -v;
    else if (v < 5)
        return v * v;
    return 9;
}

MAP(ShortCircuit, int)
{
    int r = 0;
    if (i > 0 && in[i - 1] > in[i])
        r |= 1;
    if (i == n - 1 || in[i + 1] > 0)
        r |= 2;
    if ((i & 1) && (i & 2 || in[i] > 0) && !(i > 500 && in[i] < 0))
        r |= 4;
    return r;
}

MAP(Ternaries, int)
{
    int v = in[i];
    return v > 10 ? (v > 1000 ? v / 1000 : v) : (v < -10 ? -v : (i & 1 ? 5 : 6));
}

MAP(ManyMerges, int)
{
    int a = 1, b = 2, c = 3, d = 4;
    if (in[i] & 1) {
        a = i;
        b = a + c;
    }
    if (in[i] & 2) {
        c = a * b;
        d = 9;
    } else {
        a = d - b;
    }
    if (in[i] & 4)
        b += c;
    return a + 3 * b + 7 * c + 11 * d;
}

MAP(UniformInDivergent, int)
{
    int r = 0;
    if (in[i] & 1) {
        if (n > 100) /* uniform condition under a divergent one */
            r += in[i];
        else
            r -= 1;
    }
    if (n & 1) {
        if (i & 4)
            r += 17;
    }
    return r;
}

MAP(BoolLogic, int)
{
    bool a = in[i] > 0, b = i & 1, c = in[i] & 8;
    bool d = (a && b) || (!b && c), e = a ^ c, f = a == b;
    return (int)d + 2 * (int)e + 4 * (int)f + 8 * (int)(a & c) + 16 * (int)(a | b);
}

int
main()
{
    RUN_MAP(Simple);
    RUN_MAP(Diamond);
    RUN_MAP(Nested);
    RUN_MAP(Chain);
    RUN_MAP(ShortCircuit);
    RUN_MAP(Ternaries);
    RUN_MAP(ManyMerges);
    RUN_MAP(UniformInDivergent);
    RUN_MAP(BoolLogic);
    return 0;
}
