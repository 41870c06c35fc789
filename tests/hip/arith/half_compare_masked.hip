/* SPDX-License-Identifier: MIT */
/* Halves compared both ways round in some lanes: where a machine compares halves itself
 * (AVX512-FP16), LLVM 19 takes one masked comparison for the other. */
#include "../check.h"

__global__ void
compare(const _Float16 *a, const _Float16 *b, unsigned *out, int some)
{
    unsigned i = global_id(), r = 0;
    _Float16 x = b[i] + (_Float16)0.5;

    if ((int)(i % 5) < some) {
        unsigned q = a[i] < x ? i : 0;

        r = x < a[i] ? q + 128 : q; /* as selects */
        r &= 128;
        if (a[i] < x)
            r |= 1;
        if (a[i] <= x)
            r |= 2;
        if (!(a[i] <= x))
            r |= 4;
        if (!(a[i] < x))
            r |= 8;
        if (a[i] > x)
            r |= 16;
        if (!(a[i] >= x))
            r |= 32;
        if (a[i] == x)
            r |= 64;
    }
    out[i] = r;
}

int
main()
{
    std::vector<_Float16> a, b;
    std::vector<unsigned> want;

    for (int i = 0; i < 128; i++) {
        a.push_back((_Float16)(i % 7 - 3 + (i % 2) * 0.5f));
        b.push_back((_Float16)(i % 3 - 1.0f));
        if (i % 11 == 10)
            a[i] = (_Float16)NAN;
    }
    Dev<_Float16> da(a), db(b);
    Dev<unsigned> out(128);
    for (int some = 1; some < 5; some++) {
        want.clear();
        for (int i = 0; i < 128; i++) {
            float p = a[i], x = (float)b[i] + 0.5f;
            unsigned r = (p < x) | (p <= x) << 1 | !(p <= x) << 2 | !(p < x) << 3 | (p > x) << 4 |
                         !(p >= x) << 5 | (p == x) << 6 | (x < p) << 7;
            want.push_back(i % 5 < some ? r : 0);
        }
        compare<<<2, 64>>>((const _Float16 *)da, (const _Float16 *)db, (unsigned *)out, some);
        CHECK_RUN();
        check_same("compared", out.get().data(), want.data(), want.size());
    }
}
