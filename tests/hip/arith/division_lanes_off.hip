/* SPDX-License-Identifier: MIT */
/* A division in lanes that are off divides what nobody wrote: lanes without threads in a short
 * warp, lanes that did not load their divisor. Whatever that is, it is one value for the test
 * against 0 and for the division. */
#include "../check.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

/* As the program guards it, so does the compiler: in all lanes that run, d is known not to be 0. */
template <typename T>
__global__ void
guarded(const T *x, const T *d, T *out, int every)
{
    unsigned i = global_id();
    T by = d[i], q = 1, r = 2;

    if (i % 4 != 3) {
        q = by == 0 ? 0 : x[(i * 5) & 31] / by;
        r = by == 0 ? by : x[(i * 3) & 31] % by;
    }
    out[2 * i] = q;
    out[2 * i + 1] = r;
    if (every && i % 3 == 1) {
        T own = d[(i + 1) & 31];
        out[2 * i] += own == 0 ? own : q % own;
        out[2 * i + 1] += own == 0 ? own : (T)(r / own);
    }
}

/* Loaded in some lanes, used in some of those, after a join where the others' is nobody's. */
template <typename T>
__global__ void
joined(const T *x, const T *d, T *out)
{
    unsigned i = global_id();
    T by;
    bool some = x[i] & 1;

    if (some)
        by = d[i];
    __syncthreads();
    out[2 * i] = x[i];
    out[2 * i + 1] = x[i];
    if (some) {
        out[2 * i] = by == 0 ? 0 : x[i] / by;
        out[2 * i + 1] = by == 0 ? 0 : x[i] % by;
    }
}

template <typename T>
static void
run(const char *name, unsigned threads)
{
    std::vector<T> x, d, want(64), also(64);

    for (unsigned i = 0; i < 32; i++) {
        x.push_back((T)(i * 0x123456789abcdefull + 12345 + i));
        d.push_back((T)(i % 5 == 4 ? 0 : i * 7 + 1));
    }
    for (unsigned i = 0; i < threads; i++) {
        T by = d[i], own = d[(i + 1) & 31], q = 1, r = 2;
        if (i % 4 != 3) {
            q = by == 0 ? 0 : x[(i * 5) & 31] / by;
            r = by == 0 ? 0 : x[(i * 3) & 31] % by;
        }
        want[2 * i] = q;
        want[2 * i + 1] = r;
        if (i % 3 == 1 && own != 0) {
            want[2 * i] += q % own;
            want[2 * i + 1] += r / own;
        }
        bool some = x[i] & 1;
        also[2 * i] = !some ? x[i] : by == 0 ? 0 : x[i] / by;
        also[2 * i + 1] = !some ? x[i] : by == 0 ? 0 : x[i] % by;
    }
    Dev<T> dx(x), dd(d), out(want.size()), other(also.size());
    CHECK_HIP(hipMemset((T *)out, 0, want.size() * sizeof(T)));
    CHECK_HIP(hipMemset((T *)other, 0, also.size() * sizeof(T)));
    guarded<<<1, threads>>>((const T *)dx, (const T *)dd, (T *)out, 1);
    CHECK_RUN();
    joined<<<1, threads>>>((const T *)dx, (const T *)dd, (T *)other);
    CHECK_RUN();
    for (size_t i = 0; i < want.size(); i++)
        if (out.get()[i] != want[i] || other.get()[i] != also[i])
            FAIL("%s, %u threads: word %zu", name, threads, i);
}

int
main()
{
    for (unsigned threads = 20; threads <= 32; threads += 12) {
        run<short>("short", threads);
        run<int>("int", threads);
        run<unsigned>("unsigned", threads);
        run<int64_t>("int64_t", threads);
        run<uint64_t>("uint64_t", threads);
        run<i128>("i128", threads);
        run<u128>("u128", threads);
    }
}
