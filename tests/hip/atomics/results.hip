/* SPDX-License-Identifier: MIT */
/* What atomics return: tickets are a permutation, exchange conserves, CAS wins once, inc and dec
 * wrap. */
#include "../check.h"

#include <algorithm>

template <typename T>
__global__ void
tickets(T *cell, T *out, int n)
{
    int i = (int)global_id();

    if (i < n && !(i & 1))
        out[i / 2] = atomicAdd(cell, (T)1);
}

__global__ void
lds_tickets(int *out)
{
    __shared__ int next;
    unsigned t = local_id();

    if (t == 0)
        next = 0;
    __syncthreads();
    out[global_id()] = atomicAdd(&next, 1);
    __syncthreads();
}

__global__ void
exchange(unsigned *cell, unsigned *out)
{
    unsigned i = global_id();

    out[i] = atomicExch(cell, i + 1);
}

__global__ void
claim(int *cells, int *winner, int n_cells)
{
    int i = (int)global_id();

    if (atomicCAS(&cells[i % n_cells], -1, i) == -1)
        atomicAdd(&winner[i % n_cells], 1);
}

__global__ void
wrap(unsigned *cells, int n)
{
    if ((int)global_id() < n) {
        atomicInc(&cells[0], 9);
        atomicDec(&cells[1], 9);
    }
}

/* atomic max of double by compare-and-swap, as everybody writes it */
__global__ void
cas_max(double *best, const double *in, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    unsigned long long *p = (unsigned long long *)best, old = *p, seen;
    do {
        seen = old;
        if (__longlong_as_double((long long)seen) >= in[i])
            break;
        old = atomicCAS(p, seen, (unsigned long long)__double_as_longlong(in[i]));
    } while (old != seen);
}

__global__ void
bytes_by_cas(unsigned *words, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    unsigned *p = &words[i / 4], shift = 8 * (unsigned)(i & 3), old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, (seen & ~(255u << shift)) | (unsigned)(i & 255) << shift);
    } while (old != seen);
}

template <typename T>
static void
check_tickets(dim3 b)
{
    const int n = 1000;
    Dev<T> cell(1), out(n / 2);

    tickets<T><<<dim3(blocks_for(n, b)), b>>>(cell.p, out.p, n);
    std::vector<T> got = out.get();
    std::sort(got.begin(), got.end());
    for (int k = 0; k < n / 2; k++)
        CHECK(got[k] == (T)k);
    CHECK(cell.get()[0] == (T)(n / 2));
}

int
main()
{
    for (dim3 b : test_shapes(3)) {
        unsigned n = threads_of(b), blocks = 4;
        check_tickets<int>(b);
        check_tickets<unsigned long long>(b);
        check_tickets<float>(b);
        check_tickets<double>(b);

        Dev<int> out(n * blocks);
        lds_tickets<<<blocks, b>>>(out);
        std::vector<int> got = out.get();
        for (unsigned g = 0; g < blocks; g++) {
            std::sort(got.begin() + g * n, got.begin() + (g + 1) * n);
            for (unsigned t = 0; t < n; t++)
                CHECK(got[g * n + t] == (int)t);
        }

        Dev<unsigned> cell(1), xout(n * blocks);
        exchange<<<blocks, b>>>(cell, xout);
        std::vector<unsigned> x = xout.get();
        x.push_back(cell.get()[0]);
        std::sort(x.begin(), x.end());
        for (unsigned k = 0; k < x.size(); k++)
            CHECK(x[k] == k);

        Dev<int> cells(std::vector<int>(13, -1)), winner(13);
        claim<<<blocks, b>>>(cells, winner, 13);
        std::vector<int> c = cells.get(), w = winner.get();
        for (int k = 0; k < 13; k++) {
            bool any = (unsigned)k < n * blocks;
            CHECK(w[k] == (any ? 1 : 0));
            CHECK(!any || c[k] % 13 == k);
        }

        Dev<unsigned> ring(2);
        wrap<<<dim3(blocks_for(123, b)), b>>>(ring, 123);
        CHECK(ring.get()[0] == 123 % 10);
        CHECK(ring.get()[1] == (10 - 123 % 10) % 10);

        std::vector<double> in(500);
        for (int i = 0; i < 500; i++)
            in[i] = mix((uint32_t)i) * 0.25;
        Dev<double> din(in), best(1);
        cas_max<<<dim3(blocks_for(500, b)), b>>>(best, din, 500);
        CHECK(best.get()[0] == *std::max_element(in.begin(), in.end()));

        Dev<unsigned> words(100);
        bytes_by_cas<<<dim3(blocks_for(400, b)), b>>>(words, 400);
        std::vector<unsigned> wd = words.get();
        for (int i = 0; i < 400; i++)
            CHECK((wd[i / 4] >> 8 * (i & 3) & 255) == (unsigned)(i & 255));
    }
    return 0;
}
