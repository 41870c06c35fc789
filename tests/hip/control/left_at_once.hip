/* SPDX-License-Identifier: MIT */
/* Grid-stride loops that all threads of most blocks leave after one iteration, or just not: with
 * indices of all kinds, ends around what the grid has, and what lives behind the loop. */
#include "../check.h"

/* How often each element was visited, and how many iterations each thread counted. */
template <typename T>
__global__ void
strides(unsigned *seen, unsigned *rounds, T n)
{
    unsigned count = 0;

    for (T i = (T)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += gridDim.x * blockDim.x) {
        seen[i] += 1 + (unsigned)i % 3;
        count++;
    }
    rounds[blockIdx.x * blockDim.x + threadIdx.x] = count;
}

/* Down to zero, by a step that the caller chooses. */
__global__ void
down(unsigned *seen, int n, int step)
{
    for (int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= step)
        atomicAdd(&seen[i], 5u); /* as where two rounds of two threads meet */
}

/* A loop outside whose rounds begin elsewhere, and a way out in the middle. */
__global__ void
rows(unsigned *seen, unsigned width, unsigned height, const unsigned *stop)
{
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = blockIdx.x * blockDim.x + threadIdx.x; x < width;
             x += gridDim.x * blockDim.x) {
            if (stop[x] == y)
                break;
            seen[y * width + x]++;
        }
}

/* Sums leave a thread's loop; the last index, too. */
__global__ void
sums(float *sum, size_t *last, const float *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, t = i;
    float s = 0;

    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        s += in[i];
    sum[t] = s;
    last[t] = i;
}

/* An index that stops at the end: beyond it there may be no number. */
template <typename T>
__global__ void
stops(unsigned *seen, unsigned *rounds, T begin, T end, T step)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, count = 0;

    for (T i = begin + (T)t; i < end; i = i < end - step ? i + step : end, count++)
        seen[i - begin] += 2;
    rounds[t] = count;
}

/* Close to where the index's type ends: the step takes it beyond, or around. */
template <typename T>
__global__ void
ends(unsigned *seen, T from, T to)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned rounds = 0;

    for (T i = from + t; i < to && rounds < 3; i += gridDim.x * blockDim.x, rounds++)
        seen[t]++;
}

template <typename T>
static void
check_strides(unsigned grid, unsigned block, long long n)
{
    unsigned threads = grid * block;
    size_t room = n > 0 ? (size_t)n : 1;
    Dev<unsigned> seen(room), rounds(threads);

    CHECK_HIP(hipMemset(seen.p, 0, room * sizeof(unsigned)));
    strides<T><<<grid, block>>>(seen.p, rounds.p, (T)n);
    CHECK_RUN();
    std::vector<unsigned> s = seen.get(), r = rounds.get();
    for (long long i = 0; i < n; i++)
        if (s[(size_t)i] != 1 + (unsigned)i % 3)
            FAIL("%u x %u threads, %lld elements: %u at %lld", grid, block, n, s[(size_t)i], i);
    for (unsigned t = 0; t < threads; t++) {
        long long want = n > (long long)t ? (n - t + threads - 1) / threads : 0;

        if (r[t] != want)
            FAIL("%u x %u threads, %lld elements: thread %u ran %u times", grid, block, n, t, r[t]);
    }
}

template <typename T>
static void
check_ends(T from, T to)
{
    const unsigned grid = 8, block = 128, threads = grid * block;
    Dev<unsigned> seen(threads);

    CHECK_HIP(hipMemset(seen.p, 0, threads * sizeof(unsigned)));
    ends<T><<<grid, block>>>(seen.p, from, to);
    CHECK_RUN();
    std::vector<unsigned> s = seen.get();
    for (unsigned t = 0; t < threads; t++) {
        unsigned want = 0;

        for (T i = from + (T)t; i < to && want < 3; i += (T)threads)
            want++;
        if (s[t] != want)
            FAIL("from %lld to %lld: thread %u ran %u times, expected %u", (long long)from,
                 (long long)to, t, s[t], want);
    }
}

template <typename T>
static void
check_stops(T begin, T n, T step)
{
    const unsigned grid = 6, block = 128, threads = grid * block;
    Dev<unsigned> seen((size_t)n), rounds(threads);
    std::vector<unsigned> want((size_t)n, 0), want_rounds(threads, 0);

    CHECK_HIP(hipMemset(seen.p, 0, (size_t)n * sizeof(unsigned)));
    stops<T><<<grid, block>>>(seen.p, rounds.p, begin, (T)(begin + n), step);
    CHECK_RUN();
    for (unsigned t = 0; t < threads; t++)
        for (T i = begin + (T)t; i < (T)(begin + n);
             i = i < (T)(begin + n) - step ? i + step : (T)(begin + n), want_rounds[t]++)
            want[(size_t)(i - begin)] += 2;
    CHECK(seen.get() == want);
    CHECK(rounds.get() == want_rounds);
}

static void
check_down(unsigned grid, unsigned block, int n, int step)
{
    Dev<unsigned> seen(n);
    std::vector<unsigned> want(n, 0);

    CHECK_HIP(hipMemset(seen.p, 0, n * sizeof(unsigned)));
    down<<<grid, block>>>(seen.p, n, step);
    CHECK_RUN();
    for (int t = 0; t < (int)(grid * block); t++)
        for (int i = n - 1 - t; i >= 0; i -= step)
            want[i] += 5;
    CHECK(seen.get() == want);
}

int
main()
{
    const unsigned shapes[][2] = {{8, 128}, {3, 256}, {1, 64}, {16, 1024}, {5, 96}, {7, 100}};

    for (auto &s : shapes) {
        long long all = (long long)s[0] * s[1];
        const long long ends_at[] = {all, all - 1, all + 1, 0, 1, all - s[1], all + s[1], 2 * all,
                                     2 * all + 7, all / 2 + 3, 5 * all - 1};

        for (long long n : ends_at) {
            check_strides<int>(s[0], s[1], n);
            check_strides<unsigned>(s[0], s[1], n);
            check_strides<size_t>(s[0], s[1], n);
            check_strides<long long>(s[0], s[1], n);
        }
        check_down(s[0], s[1], (int)all, (int)all);
        check_down(s[0], s[1], (int)all + 1, (int)all);
        check_down(s[0], s[1], (int)all, (int)all - 1);
        check_down(s[0], s[1], (int)all, 3 * (int)all);
    }
    check_ends<unsigned>(0xffffffffu - 2000, 0xffffffffu - 300);
    check_ends<unsigned>(0xffffffffu - 2000, 0xffffffffu);
    check_ends<unsigned>(0xffffffffu - 1023, 0xffffffffu);
    check_ends<unsigned>(0, 1024);
    check_ends<size_t>(~(size_t)0 - 2000, ~(size_t)0 - 300);
    check_ends<size_t>(((size_t)1 << 63) - 600, ((size_t)1 << 63) + 200);
    check_ends<long long>(INT64_MIN, INT64_MIN + 1024);
    check_ends<long long>(-1000, 24);
    check_ends<int>(-1000, 24);
    check_ends<int>(-1000, 25);

    for (unsigned n : {768u, 767u, 769u, 1u, 2000u, 5000u})
        for (unsigned step : {768u, 1000u}) {
            check_stops<unsigned>(0, n, step < n ? step : n);
            check_stops<unsigned>(0xffffffffu - 6000u, n, step < n ? step : n);
            check_stops<int>(-400, (int)n, step < n ? (int)step : (int)n);
            check_stops<int>(INT32_MAX - 6000, (int)n, step < n ? (int)step : (int)n);
            check_stops<size_t>(5, n, step < n ? step : n);
        }
    check_stops<unsigned>(0, 700, 768); /* `end - step` wraps */
    check_stops<unsigned>(0xffffffffu - 900u, 900, 768);
    {
        const unsigned width = 8 * 128, height = 5;
        Dev<unsigned> seen(width * height), stop(width);
        std::vector<unsigned> stops(width), want(width * height);

        for (unsigned x = 0; x < width; x++) {
            stops[x] = x % 11;
            for (unsigned y = 0; y < height; y++)
                want[y * width + x] = stops[x] != y;
        }
        stop.set(stops);
        CHECK_HIP(hipMemset(seen.p, 0, width * height * sizeof(unsigned)));
        rows<<<8, 128>>>(seen.p, width, height, stop.p);
        CHECK_RUN();
        CHECK(seen.get() == want);
    }
    for (size_t n : {(size_t)2048, (size_t)2047, (size_t)2049, (size_t)10000}) {
        const unsigned threads = 2048;
        Dev<float> in(n), sum(threads);
        Dev<size_t> last(threads);
        std::vector<float> values(n);

        for (size_t i = 0; i < n; i++)
            values[i] = (float)(i % 100);
        in.set(values);
        sums<<<threads / 256, 256>>>(sum.p, last.p, in.p, n);
        CHECK_RUN();
        std::vector<float> s = sum.get();
        std::vector<size_t> l = last.get();
        for (size_t t = 0; t < threads; t++) {
            float want = 0;
            size_t i = t;

            for (; i < n; i += threads)
                want += values[i];
            if (s[t] != want || l[t] != i)
                FAIL("%zu elements: thread %zu has %g at %zu, expected %g at %zu", n, t, s[t], l[t],
                     want, i);
        }
    }
    return 0;
}
