/* SPDX-License-Identifier: MIT */
/* switch: dense, sparse, fall through, without default, in a loop, on 64 bits. */
#include "../check.h"

MAP(Dense, int)
{
    switch (in[i] & 7) {
    case 0:
        return i;
    case 1:
        return i * 3;
    case 2:
        return -i;
    case 3:
        return in[i] / 7;
    case 4:
        return in[i] % 13;
    case 5:
        return 55;
    case 6:
        return i ^ 0x55;
    default:
        return ~i;
    }
}

MAP(Sparse, int)
{
    int r = 0;
    switch (in[i] % 1000) {
    case -50:
        r = 1;
        break;
    case -3:
        r = i;
        break;
    case 0:
        r = 2 * i;
        break;
    case 40:
    case 41:
        r = 3;
        break;
    case 777:
        r = 4;
        break;
    }
    return r + 1;
}

MAP(FallThrough, int)
{
    int r = 1;
    switch (i % 6) {
    case 4:
        r *= 2;
    case 3:
        r += i;
    case 2:
        r *= 3;
        break;
    case 1:
        r = 100;
    default:
        r -= 5;
    }
    return r;
}

MAP(InLoop, int)
{
    int state = i & 3, r = 0;
    for (int k = 0; k < 25; k++) {
        switch (state) {
        case 0:
            state = (in[(i + k) % n] & 1) ? 1 : 2;
            r += 1;
            continue;
        case 1:
            state = 3;
            r *= 2;
            break;
        case 2:
            if (r > 1000)
                return r;
            state = 0;
            r += 5;
            break;
        case 3:
            state = 2;
            break;
        }
        r ^= k;
    }
    return r;
}

MAP(Wide, int)
{
    switch ((int64_t)in[i] * 4294967296LL) {
    case 0:
        return 1;
    case 5LL << 32:
        return 2;
    case -(7LL << 32):
        return 3;
    case 1LL << 62:
        return 4;
    }
    return 5;
}

MAP(UniformSwitch, int)
{
    switch (n) {
    case 1:
        return 0;
    case 777:
        return in[i];
    case 778:
        return i;
    }
    return -1;
}

int
main()
{
    RUN_MAP(Dense);
    RUN_MAP(Sparse);
    RUN_MAP(FallThrough);
    RUN_MAP(InLoop);
    RUN_MAP(Wide);
    RUN_MAP(UniformSwitch);
    return 0;
}
