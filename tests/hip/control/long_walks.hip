/* SPDX-License-Identifier: MIT */
/* Blocks that walk a part of an array, their threads a block apart: short walks and long ones, ends
 * anywhere, near the index type's end, a body of several blocks, and work behind the loop that only
 * those do who were in it. */
#include "../check.h"

#include <type_traits>

enum { THREADS = 256 };

/* What a thread reads, sums and hands on. */
struct Sums {
    unsigned long long sum;
    unsigned odd, last;
};

template <typename I, bool LAST>
__host__ __device__ static bool
stays(I i, I end)
{
    return LAST ? i <= end : i < end;
}

/* Plain: a sum. */
template <typename I, bool LAST> struct Plain {
    static __device__ void walk(const unsigned *a, I i, I end, I, Sums *out)
    {
        unsigned long long sum = 0;

        for (; stays<I, LAST>(i, end); i += THREADS)
            sum += a[i];
        out->sum = sum;
    }
    static void expect(const unsigned *a, I i, I end, I, Sums *out)
    {
        for (; stays<I, LAST>(i, end); i += THREADS)
            out->sum += a[i];
    }
};

/* The body branches, values are handed on by three ways (one takes the place of another), elements
 * are written, and threads that were in the loop write behind it. */
template <typename I, bool LAST> struct Branched {
    static __device__ void walk(unsigned *a, I i, I end, I from, Sums *out)
    {
        unsigned odd = 0, last = 7, before = 9;

        if (!stays<I, LAST>(i, end))
            return;
        do {
            unsigned v = a[i];

            if (v & 1)
                odd += v / 3;
            else
                a[i] = v + (unsigned)(i - from);
            before = last;
            last = v;
            i += THREADS;
        } while (stays<I, LAST>(i, end));
        out->odd = odd;
        out->last = last ^ before << 3;
    }
    static void expect(unsigned *a, I i, I end, I from, Sums *out)
    {
        unsigned last = 7, before = 9;

        if (!stays<I, LAST>(i, end))
            return;
        out->odd = 0;
        for (; stays<I, LAST>(i, end); i += THREADS) {
            unsigned v = a[i];

            if (v & 1)
                out->odd += v / 3;
            else
                a[i] = v + (unsigned)(i - from);
            before = last;
            last = v;
        }
        out->last = last ^ before << 3;
    }
};

/* Some threads do not walk at all, for a reason of their own. */
template <typename I, bool LAST> struct Some {
    static __device__ void walk(const unsigned *a, I i, I end, I, Sums *out)
    {
        unsigned long long sum = 3;

        if (threadIdx.x % 3 != 1)
            for (sum = 0; stays<I, LAST>(i, end); i += THREADS)
                sum += a[i];
        out->sum = sum;
    }
    static void expect(const unsigned *a, I i, I end, I from, Sums *out)
    {
        out->sum = out->last % 3 == 1 ? 3 : 0;
        if (out->last % 3 != 1)
            for (; stays<I, LAST>(i, end); i += THREADS)
                out->sum += a[i];
        (void)from;
        out->last = 2;
    }
};

/* The loop's body comes first in it, and the test in front of it is another one. */
template <typename I, bool LAST> struct Other {
    static __device__ void walk(const unsigned *a, I i, I end, I from, Sums *out)
    {
        unsigned long long sum = 0;

        if (((i - from) & 2) == 0 && stays<I, LAST>(i, end))
            do {
                sum += a[i];
                i += THREADS;
            } while (stays<I, LAST>(i, end));
        out->sum = sum;
    }
    static void expect(const unsigned *a, I i, I end, I from, Sums *out)
    {
        if (((i - from) & 2) == 0)
            for (; stays<I, LAST>(i, end); i += THREADS)
                out->sum += a[i];
        out->last = 2;
    }
};

/* Block b walks from first + b * part; all of it lies behind `base`, which is far away if `first`
 * is large. */
template <template <typename, bool> class W, typename I, bool LAST>
__global__ void
__launch_bounds__(THREADS) walks(unsigned *base, I first, I part, I n, Sums *out)
{
    __shared__ unsigned long long all[THREADS];
    I begin = first + (I)blockIdx.x * part, end = begin + part;
    Sums s = {0, 1, 2};

    if (end > first + n)
        end = first + n;
    W<I, LAST>::walk(base, (I)(begin + (I)threadIdx.x), (I)(end - LAST), first, &s);
    all[threadIdx.x] = s.sum + s.odd + s.last;
    __syncthreads();
    s.sum += all[THREADS - 1 - threadIdx.x];
    out[blockIdx.x * THREADS + threadIdx.x] = s;
}

/* What expect() finds in `last`: 2, or for these the number of the thread. */
template <template <typename, bool> class W, typename I, bool LAST>
static bool
plain()
{
    return !std::is_same<W<I, LAST>, Some<I, LAST>>() &&
           !std::is_same<W<I, LAST>, Other<I, LAST>>();
}

template <template <typename, bool> class W, typename I, bool LAST>
static void
check(const char *what, I first)
{
    static const unsigned parts[] = {1, 255, 256, 257, 512, 600, 768, 1024, 6143, 6400, 6656, 9000};

    for (unsigned part : parts)
        for (int cut = 0; cut < 2; cut++) {
            unsigned long long sums[THREADS];
            unsigned blocks = 3, n = cut ? part * 2 + part / 3 : part * 3;
            std::vector<unsigned> a(n);
            std::vector<Sums> want(blocks * THREADS);

            for (unsigned i = 0; i < n; i++)
                a[i] = i * 2654435761u >> 7;
            Dev<unsigned> dev(a);
            Dev<Sums> out(blocks * THREADS);
            unsigned *base = (unsigned *)dev - first;

            walks<W, I, LAST><<<blocks, THREADS>>>(base, first, (I)part, (I)n, out);
            CHECK_RUN();
            for (unsigned b = 0; b < blocks; b++) {
                unsigned begin = b * part, end = begin + part < n ? begin + part : n;

                for (unsigned t = 0; t < THREADS; t++) {
                    Sums *s = &want[b * THREADS + t];

                    *s = Sums{0, 1, plain<W, I, LAST>() ? 2 : t};
                    W<I, LAST>::expect(a.data() - first, (I)(first + (I)(begin + t)),
                                       (I)(first + (I)end - LAST), first, s);
                }
                for (unsigned t = 0; t < THREADS; t++)
                    sums[t] = want[b * THREADS + t].sum + want[b * THREADS + t].odd +
                              want[b * THREADS + t].last;
                for (unsigned t = 0; t < THREADS; t++)
                    want[b * THREADS + t].sum += sums[THREADS - 1 - t];
            }
            std::vector<Sums> got = out.get();
            for (unsigned t = 0; t < blocks * THREADS; t++)
                if (got[t].sum != want[t].sum || got[t].odd != want[t].odd ||
                    got[t].last != want[t].last)
                    FAIL("%s: parts of %u, %u in all: thread %u", what, part, n, t);
            if (dev.get() != a)
                FAIL("%s: parts of %u, %u in all: what was written", what, part, n);
        }
}

int
main()
{
    check<Plain, int, false>("int", 0);
    check<Plain, unsigned, false>("unsigned", 0);
    check<Plain, unsigned, true>("unsigned, the last one", 1);
    check<Plain, long, false>("long", 0);
    check<Plain, unsigned, false>("unsigned at its end", 0u - 40000);
    check<Plain, int, true>("int at its end", 0x7fffffff - 40000);
    check<Some, int, false>("some threads", 0);
    check<Other, unsigned, false>("another test", 0);
    check<Other, unsigned, false>("another test, at the type's end", 0u - 40000);
    check<Branched, int, false>("branched, int", 0);
    check<Branched, size_t, false>("branched, size_t", 0);
    check<Branched, unsigned, false>("branched, unsigned at its end", 0u - 40000);
    return 0;
}
