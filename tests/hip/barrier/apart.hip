/* SPDX-License-Identifier: MIT */
/* Barriers that no warp needs, beside others that look like them: each kind is a row of steps with
 * a barrier between them, which the host runs thread by thread, step by step. In a step no thread
 * reads what another writes in it. */
#include "../check.h"

#define N_MAX 1024

struct Shared {
    unsigned a[N_MAX], b[N_MAX];
    unsigned char c[N_MAX + 8];
    unsigned long long d[N_MAX];
};

/* What a thread keeps. */
struct Mine {
    unsigned x, y;
};

__host__ __device__ static inline void
exchange(unsigned *a, unsigned t, unsigned n, unsigned j, bool up)
{
    unsigned other = t ^ j;

    if (other > t && other < n && (a[t] > a[other]) == up) {
        unsigned x = a[t];

        a[t] = a[other];
        a[other] = x;
    }
}

/* A sorting network: strides within a warp and beyond, in turns. */
struct Network {
    enum { STEPS = 16 };
    template <int K>
    __host__ __device__ static void
    step(Shared &s, unsigned t, unsigned n, Mine &m)
    {
        constexpr int log = K % 11;

        if (K == 0)
            s.a[t] = m.x;
        else if (log < 10)
            exchange(s.a, t, n, 1u << log, (t & 2u << log) == 0 || K > 12);
        if (K == STEPS - 1)
            m.y = log == 10 ? 0 : 1;
    }
    __host__ __device__ static void
    end(Shared &s, unsigned t, unsigned, Mine &m)
    {
        m.y += s.a[t];
    }
};

/* Elements of other sizes: bytes, whose neighbours in a word are those of another warp; eight bytes
 * each; two arrays that pass values to each other. */
struct Sizes {
    enum { STEPS = 8 };
    template <int K>
    __host__ __device__ static void
    step(Shared &s, unsigned t, unsigned n, Mine &m)
    {
        switch (K) {
        case 0: s.c[t + 2] = (unsigned char)m.x, s.d[t] = m.x * 5ull << 30; break;
        case 1: m.y = s.c[t + 2] + (unsigned)(s.d[t ^ 1] >> 28); break;
        case 2: s.c[t + 3] = (unsigned char)m.y; break;
        case 3: s.b[t] = s.c[t + 2]; break;
        case 4: s.a[t] = s.b[t ^ 3] + m.y; break;
        case 5: s.b[t] = s.a[t ^ 16] * 3; break;
        case 6: s.a[t] = s.b[n - 1 - t]; break;
        case 7: m.y += s.a[t ^ 8]; break;
        }
    }
    __host__ __device__ static void
    end(Shared &s, unsigned t, unsigned, Mine &m)
    {
        m.y ^= s.b[t];
    }
};

/* Steps in which few threads have work: those of one warp, of one lane in each, of the last. */
struct Few {
    enum { STEPS = 12 };
    template <int K>
    __host__ __device__ static void
    step(Shared &s, unsigned t, unsigned n, Mine &m)
    {
        if (K == 0)
            s.a[t] = m.x;
        else if (K < 8 && t < 64u >> K && t + (64u >> K) < n)
            s.a[t] += s.a[t + (64u >> K)];
        else if (K == 8 && t == n - 1)
            s.a[1] = s.a[0] + 7;
        else if (K == 9 && (t & 31) == 5)
            s.b[t / 32] = s.a[0] + t;
        else if (K == 10 && t == 0)
            for (unsigned i = 0; i < (n + 26) / 32; i++)
                s.b[0] += i ? s.b[i] : 0;
        else if (K == 11)
            m.y = s.b[0] * (n > 5) + s.a[1];
    }
    __host__ __device__ static void
    end(Shared &, unsigned, unsigned, Mine &)
    {
    }
};

/* Places that the thread's number does not say, loops of different lengths in each lane, and a
 * value that stays in one lane. */
struct Unknown {
    enum { STEPS = 9 };
    template <int K>
    __host__ __device__ static void
    step(Shared &s, unsigned t, unsigned n, Mine &m)
    {
        switch (K) {
        case 0: s.a[t] = m.x; break;
        case 1: m.y = s.a[m.x % n]; break;
        case 2: s.a[t ^ 1] = t; break;
        case 3:
            for (unsigned i = 0; i < m.x % 5; i++)
                m.y += s.a[t ^ 1] + i;
            break;
        case 4:
            if (m.x & 1)
                s.a[t] = m.y;
            else
                s.b[t] = m.y + 1;
            break;
        case 5: m.y += m.x & 1 ? s.a[t] : s.b[t]; break;
        case 6: (m.x & 2 ? s.a : s.b)[t] = m.y; break;
        case 7: m.y += (m.x & 2 ? s.a : s.b)[t]; break;
        case 8: s.b[(t + 32) % n] = m.y; break;
        }
    }
    __host__ __device__ static void
    end(Shared &s, unsigned t, unsigned, Mine &m)
    {
        m.y += s.b[t];
    }
};

template <class P, int K>
struct Steps {
    __device__ static void
    run(Shared &s, unsigned t, unsigned n, Mine &m)
    {
        Steps<P, K - 1>::run(s, t, n, m);
        P::template step<K>(s, t, n, m);
        __syncthreads();
    }
    static void
    on_host(Shared &s, unsigned n, std::vector<Mine> &m)
    {
        Steps<P, K - 1>::on_host(s, n, m);
        for (unsigned t = 0; t < n; t++)
            P::template step<K>(s, t, n, m[t]);
    }
};

template <class P>
struct Steps<P, -1> {
    __device__ static void
    run(Shared &, unsigned, unsigned, Mine &)
    {
    }
    static void
    on_host(Shared &, unsigned, std::vector<Mine> &)
    {
    }
};

template <class P>
__global__ void
kernel(unsigned *out, const unsigned *in)
{
    __shared__ Shared s;
    unsigned t = local_id(), n = block_threads();
    Mine m = {in[global_id()], 0};

    Steps<P, P::STEPS - 1>::run(s, t, n, m);
    P::end(s, t, n, m);
    out[global_id()] = m.y;
}

template <class P>
static void
check(const char *what, dim3 block)
{
    const unsigned n = block.x * block.y * block.z, blocks = 3;
    std::vector<unsigned> in(blocks * n), want(blocks * n);
    static Shared s;

    for (unsigned i = 0; i < blocks * n; i++)
        in[i] = i * 2654435761u >> 12;
    for (unsigned b = 0; b < blocks; b++) {
        std::vector<Mine> m(n);

        for (unsigned t = 0; t < n; t++)
            m[t].x = in[b * n + t];
        Steps<P, P::STEPS - 1>::on_host(s, n, m);
        for (unsigned t = 0; t < n; t++) {
            P::end(s, t, n, m[t]);
            want[b * n + t] = m[t].y;
        }
    }
    Dev<unsigned> from(in), to(blocks * n);
    kernel<P><<<blocks, block>>>(to, from);
    CHECK_RUN();
    check_same(what, to.get(), want);
}

int
main()
{
    const dim3 shapes[] = {dim3(32),     dim3(64),      dim3(128),      dim3(256),   dim3(1024),
                           dim3(16, 16), dim3(8, 4, 4), dim3(4, 2, 32), dim3(64, 3), dim3(1, 96)};

    for (const dim3 &block : shapes) {
        check<Network>("network", block);
        check<Sizes>("sizes", block);
        check<Few>("few", block);
        check<Unknown>("unknown", block);
    }
    check<Few>("few, in part", dim3(100));
    check<Few>("few, in part", dim3(33));
    check<Network>("network, in part", dim3(48));
    check<Network>("network, in part", dim3(1000));
    return 0;
}
