/* SPDX-License-Identifier: MIT */
/* Threads that read and write each other's elements, at i ^ c: a vector access and a permutation,
 * of which threads that are off have no part. All sizes of elements, in LDS and global memory. */
#include "../check.h"

template <typename T, int C>
__global__ void
exchange(T *out, const T *in, unsigned some)
{
    __shared__ T s[256];
    unsigned t = threadIdx.x, other = t ^ C, at = blockIdx.x * blockDim.x;
    T mine = in[at + t];

    s[t] = mine;
    out[at + t] = (T)(mine + 1);
    __syncthreads();
    if (other > t) { /* the lower of two sorts */
        T a = s[t], b = s[other];
        if (a > b) {
            s[t] = b;
            s[other] = a;
        }
    }
    __syncthreads();
    T v = s[other];
    if (some >> t % 32 & 1) /* a store that only some have part in, and a load */
        out[at + other] = v;
    __syncthreads();
    if ((int)t >= (int)other && in[at + other] > 3)
        out[at + t] = (T)(out[at + t] ^ 5);
}

template <typename T, int C>
static void
check(unsigned some)
{
    const unsigned n = 256, blocks = 2;
    std::vector<T> in(n * blocks), want(n * blocks);
    Dev<T> out(in.size());

    for (size_t i = 0; i < in.size(); i++)
        in[i] = (T)(i * 2654435761u >> 9 & 127);
    for (unsigned at = 0; at < n * blocks; at += n) {
        std::vector<T> s(in.begin() + at, in.begin() + at + n);
        for (unsigned t = 0; t < n; t++) {
            want[at + t] = (T)(in[at + t] + 1);
            if ((t ^ C) > t && s[t] > s[t ^ C])
                std::swap(s[t], s[t ^ C]);
        }
        for (unsigned t = 0; t < n; t++)
            if (some >> t % 32 & 1)
                want[at + (t ^ C)] = s[t ^ C];
        for (unsigned t = 0; t < n; t++)
            if (t >= (t ^ C) && in[at + (t ^ C)] > 3)
                want[at + t] = (T)(want[at + t] ^ 5);
    }
    exchange<T, C><<<blocks, n>>>(out, Dev<T>(in), some);
    check_same("exchange", out.get(), want);
}

template <int C>
static void
check_types()
{
    const unsigned some[] = {0, ~0u, 0xaaaaaaaa, 0x80000001, 0x00ff1234};

    for (unsigned m : some) {
        check<unsigned char, C>(m);
        check<short, C>(m);
        check<int, C>(m);
        check<unsigned, C>(m);
        check<long long, C>(m);
    }
}

/* Each thread of eight reads the element of another: 5 * i + 3 modulo 8. */
__global__ void
turned(int *out, const int *in)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x, other = (t & ~7u) | ((t * 5 + 3) & 7);

    s[t] = in[t];
    __syncthreads();
    int v = s[other];
    __syncthreads();
    s[other] = v + (int)t;
    __syncthreads();
    out[t] = s[t];
}

static void
check_turned()
{
    std::vector<int> in(256), want(256);
    Dev<int> out(256);

    for (int i = 0; i < 256; i++)
        in[(size_t)i] = i * 7919;
    for (unsigned t = 0; t < 256; t++) {
        unsigned other = (t & ~7u) | ((t * 5 + 3) & 7);
        want[other] = in[other] + (int)t;
    }
    turned<<<1, 256>>>(out, Dev<int>(in));
    check_same("turned", out.get(), want);
}

int
main()
{
    check_types<1>();
    check_types<2>();
    check_types<7>();
    check_types<24>();
    check_types<48>();
    check_types<129>();
    check_turned();
    return 0;
}
