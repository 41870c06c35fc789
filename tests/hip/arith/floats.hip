/* SPDX-License-Identifier: MIT */
/* float and double: correctly rounded division and root, denormals, NaN and infinity,
 * comparisons. */
#include "../check.h"

template <typename T>
__global__ void
basic(T *out, const T *a, const T *b, int n)
{
    int i = (int)global_id();

    if (i < n) {
        out[6 * i] = a[i] + b[i];
        out[6 * i + 1] = a[i] - b[i];
        out[6 * i + 2] = a[i] * b[i];
        out[6 * i + 3] = a[i] / b[i];
        out[6 * i + 4] = sqrt(a[i]);
        out[6 * i + 5] = fma(a[i], b[i], a[i]);
    }
}

template <typename T>
__global__ void
compare(int *out, const T *a, const T *b, int n)
{
    int i = (int)global_id();

    if (i < n) {
        T x = a[i], y = b[i];
        out[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x >= y) << 4 |
                 (x > y) << 5 | (int)isnan(x) << 6 | (int)isinf(x) << 7 | (int)signbit(y) << 8 |
                 !(x < y) << 9;
    }
}

template <typename T>
static int
compared(T x, T y)
{
    return (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x >= y) << 4 | (x > y) << 5 |
           (x != x ? 1 : 0) << 6 | (x == (T)INFINITY || x == -(T)INFINITY ? 1 : 0) << 7 |
           (std::signbit(y) ? 1 : 0) << 8 | !(x < y) << 9;
}

template <typename T>
static void
run(const char *name, T tiny, T huge)
{
    const T special[] = {
        0,     (T)-0.0,  1,    -1,    (T)1.5,      (T)3,         (T)0.1, (T)-7.25, tiny,
        -tiny, tiny * 3, huge, -huge, (T)INFINITY, -(T)INFINITY, (T)NAN, (T)1e-3,  (T)123456.789};
    const int k = (int)(sizeof(special) / sizeof(special[0])), n = k * k;
    std::vector<T> a(n), b(n), want(6 * n);
    std::vector<int> cwant(n);

    for (int i = 0; i < n; i++) {
        volatile T x = a[i] = special[i / k], y = b[i] = special[i % k];
        want[6 * i] = x + y;
        want[6 * i + 1] = x - y;
        want[6 * i + 2] = x * y;
        want[6 * i + 3] = x / y;
        want[6 * i + 4] = std::sqrt((T)x);
        want[6 * i + 5] = std::fma((T)x, (T)y, (T)x);
        cwant[i] = compared<T>(x, y);
    }
    Dev<T> da(a), db(b);
    for (dim3 s : {dim3(37), dim3(256)}) {
        Dev<T> out(6 * n);
        Dev<int> cout(n);
        basic<T><<<dim3(blocks_for(n, s)), s>>>(out, da, db, n);
        check_same(name, out.get(), want);
        compare<T><<<dim3(blocks_for(n, s)), s>>>(cout, da, db, n);
        check_same("compare", cout.get(), cwant);
    }
}

int
main()
{
    run<float>("float", 1e-41f, 3e38f);
    run<double>("double", 1e-310, 1e308);
    return 0;
}
