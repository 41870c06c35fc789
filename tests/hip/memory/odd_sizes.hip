/* SPDX-License-Identifier: MIT */
/* Arrays of elements whose size is no power of two, which clang loads and stores as one integer
 * (i24): neighbours, with and without idle lanes, and scattered. */
#include "../check.h"

template <class T>
__global__ void
add(T *a, const T *b, const T *c, int n, int stride, int left_out)
{
    int i = global_id();

    if (i < n && i % 3 != left_out) {
        int j = i * stride % n;
        a[j] = b[j] + c[j];
    }
}

struct Bits {
    unsigned a : 5, b : 11, c : 7; /* i24, too */
    unsigned char d;
};

__global__ void
bits(Bits *p, int n)
{
    int i = global_id();

    if (i < n) {
        p[i].a += 3;
        p[i].b ^= p[i].a;
        p[i].c = p[i].b >> 2;
    }
}

template <class T, class E>
static void
run(const char *name)
{
    constexpr int n = 1000, k = sizeof(T) / sizeof(E);
    std::vector<T> b(n), c(n);

    for (int i = 0; i < n; i++)
        for (int e = 0; e < k; e++) {
            ((E *)&b[i])[e] = (E)(i * 7 + e);
            ((E *)&c[i])[e] = (E)(i * 3 + e * 5 + 1);
        }
    Dev<T> db(b), dc(c);
    const int ways[3][2] = {{1, -1}, {1, 1}, {7, -1}}; /* stride, lanes left out */
    for (auto &way : ways) {
        Dev<T> a(n);
        CHECK_HIP(hipMemset(a.p, 0, n * sizeof(T)));
        add<T><<<4, 256>>>(a.p, db.p, dc.p, n, way[0], way[1]);
        std::vector<T> got = a.get();
        for (int i = 0; i < n; i++)
            for (int e = 0; e < k; e++) {
                E want = i % 3 == way[1] ? (E)0 : (E)(((E *)&b[i])[e] + ((E *)&c[i])[e]);
                if (((E *)&got[i])[e] != want)
                    FAIL("%s, stride %d, left out %d: element %d.%d", name, way[0], way[1], i, e);
            }
    }
}

int
main()
{
    run<char3, signed char>("char3");
    run<uchar3, unsigned char>("uchar3");
    run<short3, short>("short3");
    run<int3, int>("int3");
    run<longlong3, long long>("longlong3");

    std::vector<Bits> in(500), want(500);
    for (int i = 0; i < 500; i++) {
        in[i] = want[i] = {(unsigned)i & 31, (unsigned)i * 5 & 2047, (unsigned)i & 127,
                           (unsigned char)i};
        want[i].a += 3;
        want[i].b ^= want[i].a;
        want[i].c = want[i].b >> 2;
    }
    Dev<Bits> p(in);
    bits<<<2, 256>>>(p.p, 500);
    std::vector<Bits> got = p.get();
    for (int i = 0; i < 500; i++)
        if (got[i].a != want[i].a || got[i].b != want[i].b || got[i].c != want[i].c ||
            got[i].d != want[i].d)
            FAIL("bits of %d", i);
    return 0;
}
