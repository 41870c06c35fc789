/* SPDX-License-Identifier: MIT */
/* An integer divided by zero is a number, as on AMD's hardware, where division is a sequence of
 * instructions that cannot trap: uniform and lane by lane, beside lanes that divide by something
 * else, and INT_MIN / -1. */
#include "../check.h"

/* What the sequences of 32 and 64 bits end with: an estimate, corrected upwards twice. */
static uint64_t
magnitude(uint64_t x, size_t bytes)
{
    if (bytes == 4)
        return (uint32_t)(x ? x + 1 : 2);
    return x - (x >> 32) - ((uint32_t)x != 0) + 2;
}

template <typename T>
static T
quotient(T x, T d)
{
    bool negative = (T)-1 < 0 && x < 0;

    if (d != 0)
        return (T)-1 < 0 && d == (T)-1 ? (T)(0 - (uint64_t)x) : x / d;
    uint64_t q = magnitude(negative ? 0 - (uint64_t)x : (uint64_t)x, sizeof(T));
    return (T)(negative ? 0 - q : q);
}

template <typename T>
static T
rest(T x, T d)
{
    return d == 0 ? x : (T)-1 < 0 && d == (T)-1 ? 0 : x % d;
}

template <typename T>
__global__ void
lanes(const T *x, const T *d, T *q, T *r)
{
    unsigned i = global_id();

    q[i] = x[i] / d[i];
    r[i] = x[i] % d[i];
}

template <typename T>
__global__ void
uniform(T x, T d, T *q, T *r)
{
    *q = x / d;
    *r = x % d;
}

template <typename T>
static void
run(const char *name)
{
    const T min = (T)-1 < 0 ? (T)((uint64_t)1 << (sizeof(T) * 8 - 1)) : 0;
    const T x[8] = {7,       0,         (T)-7, min,
                    (T)~min, 123456789, (T)-1, (T)((uint64_t)5 << (sizeof(T) * 4))};
    const T d[4] = {0, (T)-1, 3, 0};
    std::vector<T> xs, ds, qs, rs;

    for (unsigned i = 0; i < 64; i++) {
        xs.push_back(x[i % 8]);
        ds.push_back(d[i / 8 % 4]);
        qs.push_back(quotient(xs[i], ds[i]));
        rs.push_back(rest(xs[i], ds[i]));
    }
    Dev<T> dx(xs), dd(ds), q(64), r(64);
    lanes<<<1, 64>>>((const T *)dx, (const T *)dd, (T *)q, (T *)r);
    check_same(name, q.get(), qs);
    check_same(name, r.get(), rs);
    for (unsigned i = 0; i < 64; i++)
        uniform<<<1, 64>>>(xs[i], ds[i], (T *)q + i, (T *)r + i);
    check_same(name, q.get(), qs);
    check_same(name, r.get(), rs);
}

int
main()
{
    run<int>("int");
    run<unsigned>("unsigned");
    run<int64_t>("int64_t");
    run<uint64_t>("uint64_t");
}
