/* SPDX-License-Identifier: MIT */
/* Values that pass through shared memory within a warp: places that are written again, in part, by
 * neighbours, by one lane, as another type, and accesses between that may be of the same place. The
 * host runs the same steps, thread by thread: in a step no thread reads what another writes. */
#include "../check.h"

#define N_MAX 256

struct Shared {
    unsigned a[N_MAX + 64], b[N_MAX + 64];
    float f[N_MAX];
    double d[N_MAX];
    unsigned short h[N_MAX];
    signed char c[N_MAX];
    unsigned long long l[N_MAX];
};

struct Mine {
    unsigned x, y;
};

/* In floats there is more than less and greater. */
__host__ __device__ static inline float
number(unsigned x)
{
    const unsigned odd[8] = {0x7fc00000, 0x80000000, 0,          0x7f800000,
                             0xff800000, 1,          0x80000001, 0xffc12345};
    union {
        unsigned u;
        float f;
    } v;

    v.u = x % 11 < 8 ? odd[x % 11] : 0x3f000000 + (x & 0x80ffffff);
    return v.f;
}

__host__ __device__ static inline unsigned
bits(float f)
{
    union {
        float f;
        unsigned u;
    } v = {f};

    return v.u;
}

/* Exchanges with the lane j away, if `P` says so of the two. */
template <class T, class P>
__host__ __device__ static inline void
exchange(T *s, unsigned t, unsigned j, P swaps)
{
    unsigned other = t ^ j;

    if (other > t) {
        T x = s[t], y = s[other];

        if (swaps(x, y)) {
            s[t] = y;
            s[other] = x;
        }
    }
}

#define SWAPS(T, COND) [=](T x, T y) { return COND; }

/* Exchanges by every comparison, of elements of every size. */
struct Compared {
    enum { STEPS = 28 };
    template <int K>
    __host__ __device__ static void
    step(Shared &s, unsigned t, Mine &m)
    {
        bool down = (t & 8) != 0, far = (t & 64) != 0;

        switch (K) {
        case 0:
            s.a[t] = m.x;
            s.b[t] = m.x * 7;
            s.f[t] = number(m.x);
            s.d[t] = number(m.x + 3);
            s.h[t] = (unsigned short)m.x;
            s.c[t] = (signed char)m.x;
            s.l[t] = (unsigned long long)m.x << 30;
            break;
        case 1: exchange(s.a, t, 1, SWAPS(unsigned, x > y)); break;
        case 2: exchange(s.a, t, 4, SWAPS(unsigned, (x < y) == down)); break;
        case 3: exchange(s.a, t, 16, SWAPS(unsigned, (x >= y) == far)); break;
        case 4: exchange(s.a, t, 2, SWAPS(unsigned, (int)x > (int)y)); break;
        case 5: exchange(s.a, t, 2, SWAPS(unsigned, x != y)); break;
        case 6: exchange(s.a, t, 2, SWAPS(unsigned, (x & 255) > (y & 255))); break;
        case 7: exchange(s.a, t, 8, SWAPS(unsigned, (x > y) ^ far)); break;
        case 8: exchange(s.a, t, 1, SWAPS(unsigned, (x > y) ^ (far || down))); break;
        case 9: exchange(s.f, t, 1, SWAPS(float, x > y)); break;
        case 10: exchange(s.f, t, 4, SWAPS(float, !(x <= y))); break;
        case 11: exchange(s.f, t, 2, SWAPS(float, (x > y) == down)); break;
        case 12: exchange(s.f, t, 16, SWAPS(float, (x < y) == far)); break;
        case 13: exchange(s.f, t, 1, SWAPS(float, x == x)); break;
        case 14: exchange(s.d, t, 8, SWAPS(double, (x > y) != down)); break;
        case 15: exchange(s.h, t, 1, SWAPS(unsigned short, x > y)); break;
        case 16: exchange(s.h, t, 4, SWAPS(unsigned short, (x < y) == far)); break;
        case 17: exchange(s.c, t, 2, SWAPS(signed char, (x > y) == down)); break;
        case 18: exchange(s.c, t, 1, SWAPS(signed char, x > y)); break;
        case 19: exchange(s.l, t, 4, SWAPS(unsigned long long, (x > y) == far)); break;
        case 20: exchange(s.l, t, 1, SWAPS(unsigned long long, (long long)x < (long long)y)); break;
        case 21: exchange(s.b, t, 1, SWAPS(unsigned, (x > y) == ((m.x & 4) != 0))); break;
        case 22: /* a key and what belongs to it */
            if ((t ^ 2) > t && (s.a[t] > s.a[t ^ 2]) == down) {
                unsigned x = s.a[t], y = s.b[t];

                s.a[t] = s.a[t ^ 2];
                s.a[t ^ 2] = x;
                s.b[t] = s.b[t ^ 2];
                s.b[t ^ 2] = y;
            }
            break;
        case 23: /* the smaller one goes to both */
            if ((t ^ 1) > t) {
                unsigned x = s.a[t] < s.a[t ^ 1] ? s.a[t] : s.a[t ^ 1];

                s.a[t] = x;
                s.a[t ^ 1] = x;
            }
            break;
        case 24: /* each lane for itself */
            if (s.b[t] > m.x)
                s.b[t] = m.x;
            break;
        case 25: exchange(s.b, t, 31, SWAPS(unsigned, x > y)); break;
        case 26: exchange(s.a, t, 1, SWAPS(unsigned, ((x > y) ^ far) != down)); break;
        case 27: exchange(s.a, t, 4, SWAPS(unsigned, ((x < y) ^ down) == far)); break;
        }
    }
    __host__ __device__ static void
    end(Shared &s, unsigned t, Mine &m)
    {
        union {
            double d;
            unsigned long long u;
        } d = {s.d[t]};

        m.y = s.a[t] * 3 + s.b[t] * 5 + bits(s.f[t]) + (unsigned)(d.u >> 20) + s.h[t] * 9 +
              (unsigned)s.c[t] * 11 + (unsigned)(s.l[t] >> 28);
    }
};

/* Places that lie across each other, and what comes between. */
struct Across {
    enum { STEPS = 28 };
    template <int K>
    __host__ __device__ static void
    step(Shared &s, unsigned t, Mine &m)
    {
        unsigned base = t & ~31u, lane = t & 31;

        switch (K) {
        case 0: s.a[t] = m.x, s.b[t] = 1; break;
        case 1: m.y = lane < 31 ? s.a[t + 1] : 5; break;
        case 2:
            if (lane < 16)
                s.a[t] += s.a[t + 16];
            break;
        case 3:
            if (lane < 8)
                s.a[t] += s.a[t + 8];
            break;
        case 4:
            if (lane == 0)
                s.a[t + 3] = m.x;
            break;
        case 5: m.y += s.a[base + 3] + s.a[t]; break;
        case 6:
            if (lane > 3)
                s.a[t] = m.y;
            break;
        case 7:
            if (m.x & 1)
                s.a[t] = m.y + 1;
            break;
        case 8: m.y ^= s.a[t ^ 31]; break;
        case 9: s.a[base + (lane * 5 + 3) % 32] = m.y; break;
        case 10: m.y += s.a[t]; break;
        case 11:
            if (m.x & 2)
                s.a[base + lane] = m.x;
            break;
        case 12: m.y += s.a[base + (m.x >> 3) % 32]; break;
        case 13: s.b[base + (lane ^ (m.x & 0))] = m.y; break;
        case 14: m.y += ((unsigned short *)s.b)[2 * t + 1]; break;
        case 15: ((unsigned short *)s.b)[2 * t] = (unsigned short)m.x; break;
        case 16: m.y += s.b[t] + ((unsigned char *)s.b)[4 * (t ^ 1) + 1]; break;
        case 17:
            if (lane % 4 == 0)
                for (unsigned i = 0; i < 4; i++)
                    s.b[t + i] += i * m.x;
            break;
        case 18:
            if (lane % 2)
                s.b[t - 1] = m.y;
            break;
        case 19:
            for (unsigned i = 0; i < (m.x & 3); i++)
                s.a[t] += s.b[t ^ 2] + i;
            break;
        case 20:
            if (lane == 7)
                s.b[base + 9] = m.y;
            break;
        case 21: m.y += s.b[base + (lane + 2) % 32] + s.a[t]; break;
        case 22: s.a[t] = m.y; break;
        case 23: m.y += s.a[base + (m.x >> 5) % 32]; break;
        case 24: s.a[t] = m.x; break;
        case 25: m.y += ((unsigned short *)s.a)[2 * t + 1]; break;
        case 26: s.a[t] = m.y; break;
        case 27: m.y += s.a[base + 9]; break;
        }
    }
    __host__ __device__ static void
    end(Shared &s, unsigned t, Mine &m)
    {
        m.y += s.a[t] * 3 + s.b[t];
    }
};

template <class P, int K>
struct Steps {
    __device__ static void
    run(Shared &s, unsigned t, Mine &m)
    {
        Steps<P, K - 1>::run(s, t, m);
        P::template step<K>(s, t, m);
        __syncthreads();
    }
    static void
    on_host(Shared &s, unsigned n, std::vector<Mine> &m)
    {
        Steps<P, K - 1>::on_host(s, n, m);
        for (unsigned t = 0; t < n; t++)
            P::template step<K>(s, t, m[t]);
    }
};

template <class P>
struct Steps<P, -1> {
    __device__ static void
    run(Shared &, unsigned, Mine &)
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
    unsigned t = local_id();
    Mine m = {in[global_id()], 0};

    Steps<P, P::STEPS - 1>::run(s, t, m);
    P::end(s, t, m);
    out[global_id()] = m.y;
}

/* What else may happen to shared memory between the steps of a warp: atomics, volatile accesses, a
 * pointer that may point anywhere. */
__global__ void
disturbed(unsigned *out, const unsigned *in, unsigned *elsewhere, int which)
{
    __shared__ unsigned s[N_MAX], n[4];
    unsigned t = threadIdx.x, v, *p = which ? s : elsewhere;

    s[t] = in[t];
    if (t < 4)
        n[t] = 0;
    __syncthreads();
    v = s[t ^ 1];
    __syncthreads();
    s[t] = v + 1;
    __syncthreads();
    atomicAdd(&s[t ^ 3], t);
    __syncthreads();
    v = s[t];
    __syncthreads();
    *(volatile unsigned *)&s[t] = v * 2;
    __syncthreads();
    v = s[t ^ 2];
    __syncthreads();
    p[t ^ 1] = v + 7;
    __syncthreads();
    v += s[t];
    atomicMax(&n[t & 3], v);
    __syncthreads();
    out[t] = v + s[t ^ 8] + n[t & 3];
}

template <class P>
static void
check(const char *what, unsigned n)
{
    const unsigned blocks = 3;
    std::vector<unsigned> in(blocks * n), want(blocks * n);
    static Shared s;

    for (unsigned i = 0; i < blocks * n; i++)
        in[i] = i * 2654435761u >> 7;
    for (unsigned b = 0; b < blocks; b++) {
        std::vector<Mine> m(n);

        for (unsigned t = 0; t < n; t++)
            m[t].x = in[b * n + t];
        Steps<P, P::STEPS - 1>::on_host(s, n, m);
        for (unsigned t = 0; t < n; t++) {
            P::end(s, t, m[t]);
            want[b * n + t] = m[t].y;
        }
    }
    Dev<unsigned> from(in), to(blocks * n);
    kernel<P><<<blocks, n>>>(to, from);
    CHECK_RUN();
    check_same(what, to.get(), want);
}

static void
check_disturbed(int which)
{
    const unsigned n = 128;
    std::vector<unsigned> in(n), want(n), s(n), v(n);
    unsigned most[4] = {};

    for (unsigned t = 0; t < n; t++)
        in[t] = t * 2654435761u >> 9;
    for (unsigned t = 0; t < n; t++)
        s[t] = (in[t ^ 1] + 1 + (t ^ 3)) * 2;
    for (unsigned t = 0; t < n; t++)
        v[t] = s[t ^ 2];
    for (unsigned t = 0; t < n && which; t++)
        s[t ^ 1] = v[t] + 7;
    for (unsigned t = 0; t < n; t++) {
        v[t] += s[t];
        most[t & 3] = v[t] > most[t & 3] ? v[t] : most[t & 3];
    }
    for (unsigned t = 0; t < n; t++)
        want[t] = v[t] + s[t ^ 8] + most[t & 3];
    Dev<unsigned> from(in), to(n), elsewhere(n);
    disturbed<<<1, n>>>(to, from, elsewhere, which);
    CHECK_RUN();
    check_same("disturbed", to.get(), want);
}

int
main()
{
    for (unsigned n : {32u, 64u, 128u, 256u}) {
        check<Compared>("compared", n);
        check<Across>("across", n);
    }
    check_disturbed(0);
    check_disturbed(1);
    return 0;
}
