/* SPDX-License-Identifier: MIT */
/* Strided loops whose first part runs without masks: indices near the ends of their type, where the
 * lanes that are off would wrap; and loops that hand on what one before has left, or what they were
 * handed themselves. */
#include "../check.h"

#include <limits.h>

enum { BLOCK = 96 };

/* Threads below `on` count how often they go round. */
__global__ void
near_end(unsigned *out, int from, int n, int step, int on)
{
    int t = (int)threadIdx.x;
    unsigned rounds = 0;

    if (t < on) {
        out[BLOCK + t] = 1;
        for (int i = from + t; i < n; i += step)
            rounds = rounds * 3 + 1 + (unsigned)i % 5;
    }
    __syncthreads(); /* else code for whole blocks would be made */
    out[t] = rounds;
}

__global__ void
near_start(unsigned *out, int from, int n, int step, int on)
{
    int t = (int)threadIdx.x;
    unsigned rounds = 0;

    if (t < on) {
        out[BLOCK + t] = 1;
        for (int i = from - t; i > n; i -= step)
            rounds = rounds * 3 + 1 + (unsigned)i % 5;
    }
    __syncthreads();
    out[t] = rounds;
}

__global__ void
near_end_unsigned(unsigned *out, unsigned from, unsigned n, unsigned step, unsigned most)
{
    unsigned t = threadIdx.x, rounds = 0, k = 0;

    for (unsigned i = from + t; i < n && k < most; i += step, k++)
        rounds = rounds * 3 + 1 + i % 5;
    __syncthreads();
    out[t] = rounds;
}

__global__ void
wraps(unsigned *out, unsigned from, unsigned n, unsigned step)
{
    unsigned t = threadIdx.x, rounds = 0;

    for (unsigned i = from + t; i < n; i += step)
        rounds = rounds * 3 + 1 + i % 5;
    __syncthreads();
    out[t] = rounds;
}

/* The second loop's first value and the one that all later iterations have come from before it. */
__global__ void
handed(unsigned *out, const unsigned *in, int n)
{
    int t = (int)threadIdx.x;
    unsigned sum = 0, before = 7, after = 1;

    for (int i = t; i < n; i += BLOCK)
        sum += in[i];
#pragma clang loop unroll(disable)
    for (int i = t; i < n * 3 / 4; i += BLOCK) {
        after = after * 5 + before + in[i];
        before = sum;
    }
    __syncthreads();
    out[t] = after + before;
}

/* Two sums that go through two loops. */
__global__ void
twice(unsigned *out, const unsigned *in, int n)
{
    int t = (int)threadIdx.x;
    unsigned a = 1, b = 2, c = 3;

    for (int i = t; i < n; i += BLOCK) {
        a = a * 3 + in[i];
        b ^= in[i];
        c += in[i] & 7;
    }
    for (int i = t; i < n * 3 / 4; i += BLOCK) {
        a += in[i] & 15;
        b = b * 5 + in[i];
        c = c * 3 + 1;
    }
    __syncthreads();
    out[t] = a + 11 * b + 13 * c;
}

/* What an iteration hands to the next under another name. */
__global__ void
shifted(unsigned *out, const unsigned *in, int n)
{
    int t = (int)threadIdx.x, last = -1;
    unsigned a = 1, b = 2, c = 3;

    for (int i = t; i < n; i += BLOCK) {
        unsigned sum = a * 3 + c + in[i];

        c = b;
        b = a;
        a = sum;
        last = i;
    }
    __syncthreads();
    out[t] = a + 5 * b + 7 * c + (unsigned)last;
}

static void
check_first(const char *what, const Dev<unsigned> &out, const std::vector<unsigned> &want, int n)
{
    check_same(what, out.get().data(), want.data(), (size_t)n);
}

int
main()
{
    std::vector<unsigned> want(BLOCK), in(1000);
    Dev<unsigned> out(2 * BLOCK), din(in.size());

    for (int on : {1, 3, 40, (int)BLOCK})
        for (int n : {5, 200, INT_MAX - 8, INT_MAX - 100}) {
            int from = n - (on == BLOCK ? 120 : on == 40 ? 45 : 22), step = 4;

            if (on > 3 && n > INT_MAX - 50)
                continue;
            for (int t = 0; t < BLOCK; t++) {
                want[(size_t)t] = 0;
                if (t < on)
                    for (int i = from + t; i < n; i += step)
                        want[(size_t)t] = want[(size_t)t] * 3 + 1 + (unsigned)i % 5;
            }
            near_end<<<1, on>>>(out.p, from, n, step, on);
            check_first("near_end", out, want, on);
            near_end<<<1, BLOCK>>>(out.p, from, n, step, on);
            check_first("near_end, some", out, want, BLOCK);
        }
    for (int on : {1, 3, 40, (int)BLOCK})
        for (int n : {-5, 100, INT_MIN + 8, INT_MIN + 100}) {
            int from = n + (on == BLOCK ? 120 : on == 40 ? 45 : 22), step = 4;

            if (on > 3 && n < INT_MIN + 50)
                continue;
            for (int t = 0; t < BLOCK; t++) {
                want[(size_t)t] = 0;
                if (t < on)
                    for (int i = from - t; i > n; i -= step)
                        want[(size_t)t] = want[(size_t)t] * 3 + 1 + (unsigned)i % 5;
            }
            near_start<<<1, on>>>(out.p, from, n, step, on);
            check_first("near_start", out, want, on);
            near_start<<<1, BLOCK>>>(out.p, from, n, step, on);
            check_first("near_start, some", out, want, BLOCK);
        }
    for (unsigned from : {0u, 10u, 0xffffff00u, 0xffffffd0u})
        for (unsigned n : {0u, 60u, 0xffffffe0u, 0xffffffffu}) {
            for (unsigned t = 0; t < BLOCK; t++) {
                unsigned rounds = 0, k = 0;
                for (unsigned i = from + t; i < n && k < 9; i += 16, k++)
                    rounds = rounds * 3 + 1 + i % 5;
                want[t] = rounds;
            }
            near_end_unsigned<<<1, BLOCK>>>(out.p, from, n, 16, 9);
            check_first("near_end_unsigned", out, want, BLOCK);
        }
    for (unsigned from : {0u, 0xfffffff0u, 0xffffffb0u, 0x7ffffff0u})
        for (unsigned n : {0u, 50u, 0x80000000u, 0xc0000000u}) {
            for (unsigned t = 0; t < BLOCK; t++) {
                want[t] = 0;
                for (unsigned i = from + t; i < n; i += 0x30000001u)
                    want[t] = want[t] * 3 + 1 + i % 5;
            }
            wraps<<<1, BLOCK>>>(out.p, from, n, 0x30000001u);
            check_first("wraps", out, want, BLOCK);
        }
    for (unsigned i = 0; i < in.size(); i++)
        in[i] = mix(i);
    din.set(in);
    for (int n : {0, 1, 95, 96, 97, 500, 999}) {
        for (int t = 0; t < BLOCK; t++) {
            unsigned sum = 0, before = 7, after = 1;

            for (int i = t; i < n; i += BLOCK)
                sum += in[(size_t)i];
            for (int i = t; i < n * 3 / 4; i += BLOCK) {
                after = after * 5 + before + in[(size_t)i];
                before = sum;
            }
            want[(size_t)t] = after + before;
        }
        handed<<<1, BLOCK>>>(out.p, din.p, n);
        check_first("handed", out, want, BLOCK);
        for (int t = 0; t < BLOCK; t++) {
            unsigned a = 1, b = 2, c = 3;

            for (int i = t; i < n; i += BLOCK) {
                a = a * 3 + in[(size_t)i];
                b ^= in[(size_t)i];
                c += in[(size_t)i] & 7;
            }
            for (int i = t; i < n * 3 / 4; i += BLOCK) {
                a += in[(size_t)i] & 15;
                b = b * 5 + in[(size_t)i];
                c = c * 3 + 1;
            }
            want[(size_t)t] = a + 11 * b + 13 * c;
        }
        twice<<<1, BLOCK>>>(out.p, din.p, n);
        check_first("twice", out, want, BLOCK);
        for (int t = 0; t < BLOCK; t++) {
            unsigned a = 1, b = 2, c = 3;
            int last = -1;

            for (int i = t; i < n; i += BLOCK) {
                unsigned sum = a * 3 + c + in[(size_t)i];

                c = b;
                b = a;
                a = sum;
                last = i;
            }
            want[(size_t)t] = a + 5 * b + 7 * c + (unsigned)last;
        }
        shifted<<<1, BLOCK>>>(out.p, din.p, n);
        check_first("shifted", out, want, BLOCK);
    }
    return 0;
}
