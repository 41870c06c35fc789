/* SPDX-License-Identifier: MIT */
/* Work between barriers that some warps have no part in: every kind of comparison of the thread's
 * number with a limit that all threads share, at limits around warps and far beyond the block. */
#include "../check.h"

#define N_KINDS 20

/* Whether thread t has work of kind k, with limits a and b. */
__host__ __device__ static inline bool
works(int k, unsigned t, int a, int b, int v)
{
    int i = (int)t;

    switch (k) {
    case 0: return t < (unsigned)a;
    case 1: return t <= (unsigned)a;
    case 2: return t > (unsigned)a;
    case 3: return t >= (unsigned)a;
    case 4: return i < a;
    case 5: return i <= a;
    case 6: return i > a;
    case 7: return i >= a;
    case 8: return i == a;
    case 9: return i != a;
    case 10: return i < a && i >= b;
    case 11: return i < a || i > b;
    case 12: return i < a && v & 1;
    case 13: return !(i < a) && !(i > b);
    case 14: return 4 * i + 3 < a;
    case 15: return (long)i < (long)a + b;
    case 16: return t / warpSize == 1;
    case 17: return t == 0;
    case 18: return t >= 64 && t < 96;
    default: return a > 40 && i < b;
    }
}

template <int K>
__device__ static inline void
step(int *s, int *r, unsigned t, unsigned n, int a, int b)
{
    if (works(K, t, a, b, *r))
        s[t] += 3 * K + s[t] % 7;
    __syncthreads();
    *r += s[n - 1 - t];
    __syncthreads();
}

/* A value that all threads share passes through work that few threads have. */
template <int K>
__device__ static inline void
shared_value(int *s, int *shared, unsigned t, int a)
{
    int next = *shared * 3 + a;

    if (t < (unsigned)*shared % 100) {
        s[t] ^= next & 255;
        if (t + 1 == (unsigned)*shared % 100)
            s[t]++;
    }
    *shared = next & 1023;
    __syncthreads();
}

__global__ void
all_kinds(int *out, const int *in, const int *limits, int n_limits)
{
    __shared__ int s[1024];
    unsigned t = threadIdx.x, n = blockDim.x;
    int r = in[blockIdx.x * n + t] & 1023, shared = 77;

    s[t] = r;
    __syncthreads();
    for (int l = 0; l + 1 < n_limits; l++) {
        int a = limits[l], b = limits[l + 1];

        step<0>(s, &r, t, n, a, b);
        step<1>(s, &r, t, n, a, b);
        step<2>(s, &r, t, n, a, b);
        step<3>(s, &r, t, n, a, b);
        step<4>(s, &r, t, n, a, b);
        step<5>(s, &r, t, n, a, b);
        step<6>(s, &r, t, n, a, b);
        step<7>(s, &r, t, n, a, b);
        step<8>(s, &r, t, n, a, b);
        step<9>(s, &r, t, n, a, b);
        step<10>(s, &r, t, n, a, b);
        step<11>(s, &r, t, n, a, b);
        step<12>(s, &r, t, n, a, b);
        step<13>(s, &r, t, n, a, b);
        step<14>(s, &r, t, n, a, b);
        step<15>(s, &r, t, n, a, b);
        step<16>(s, &r, t, n, a, b);
        step<17>(s, &r, t, n, a, b);
        step<18>(s, &r, t, n, a, b);
        step<19>(s, &r, t, n, a, b);
        shared_value<0>(s, &shared, t, a & 15);
        r &= 0xffff;
        s[t] &= 0xffff;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = r + shared;
}

static std::vector<int>
expected(const std::vector<int> &in, const std::vector<int> &limits, unsigned n)
{
    std::vector<int> out(in.size());

    for (size_t from = 0; from < in.size(); from += n) {
        std::vector<int> s(n), r(n);
        int shared = 77;

        for (unsigned t = 0; t < n; t++)
            s[t] = r[t] = in[from + t] & 1023;
        for (size_t l = 0; l + 1 < limits.size(); l++) {
            for (int k = 0; k < N_KINDS; k++) {
                for (unsigned t = 0; t < n; t++)
                    if (works(k, t, limits[l], limits[l + 1], r[t]))
                        s[t] += 3 * k + s[t] % 7;
                for (unsigned t = 0; t < n; t++)
                    r[t] += s[n - 1 - t];
            }
            int next = shared * 3 + (limits[l] & 15);
            for (unsigned t = 0; t < n && t < (unsigned)shared % 100; t++)
                s[t] = (s[t] ^ (next & 255)) + (t + 1 == (unsigned)shared % 100);
            shared = next & 1023;
            for (unsigned t = 0; t < n; t++) {
                r[t] &= 0xffff;
                s[t] &= 0xffff;
            }
        }
        for (unsigned t = 0; t < n; t++)
            out[from + t] = r[t] + shared;
    }
    return out;
}

/* Only threads of some warps are left behind the first step. */
__global__ void
some_return(int *out, const int *in, int from, int limit)
{
    __shared__ int s[1024];
    unsigned t = threadIdx.x, n = blockDim.x;
    int count = 1;

    s[t] = in[blockIdx.x * n + t] & 1023;
    __syncthreads();
    if ((int)t < from)
        return;
    for (int d = limit; d > 0; d /= 2) {
        if ((int)t < d)
            s[t] += count;
        count += d & 3;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = s[t] + count;
}

static void
check_return(const std::vector<int> &in, unsigned n, int from, int limit)
{
    std::vector<int> want(in.size(), 0);
    Dev<int> out(want), din(in);

    for (size_t i = 0; i < in.size(); i++) {
        int t = (int)(i % n), count = 1, v = in[i] & 1023;

        for (int d = limit; d > 0; d /= 2) {
            if (t < d)
                v += count;
            count += d & 3;
        }
        want[i] = t < from ? 0 : v + count;
    }
    some_return<<<(unsigned)(in.size() / n), n>>>(out, din, from, limit);
    check_same("some_return", out.get(), want);
}

int
main()
{
    const std::vector<int> limits = {-5,  0,   1,   31,  32,  33,   40,   63,   64,         65,
                                     100, 127, 128, 129, 255, 1000, 1023, 2000, 0x7fffffff, 32,
                                     -1,  7,   90,  5,   64,  96,   0};
    const unsigned shapes[] = {256, 100, 1000, 32};

    for (unsigned n : shapes) {
        std::vector<int> in(3 * n);
        for (size_t i = 0; i < in.size(); i++)
            in[i] = (int)(i * 2654435761u >> 7 & 0xffff);
        Dev<int> out(in.size()), din(in), dlimits(limits);

        all_kinds<<<3, n>>>(out, din, dlimits, (int)limits.size());
        check_same("all_kinds", out.get(), expected(in, limits, n));
        check_return(in, n, 40, 512);
        check_return(in, n, (int)n, 512);
    }
    return 0;
}
