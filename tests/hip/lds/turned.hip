/* SPDX-License-Identifier: MIT */
/* Tiles that are stored turned around: neighbours in memory are lanes far from each other, in runs
 * of two, of a row, or of none; all lanes on, and some off. */
#include "../check.h"

template <typename T, int COLUMNS, int PADDED>
__global__ void
turned(T *out, const T *in, int last)
{
    __shared__ T s[COLUMNS][PADDED];
    int t = (int)threadIdx.x, n = (int)blockDim.x;

    for (int i = t; i < COLUMNS * PADDED; i += n)
        s[i / PADDED][i % PADDED] = (T)1;
    __syncthreads();
    s[t % COLUMNS][t / COLUMNS] = in[t];
    __syncthreads();
    if (t < last)
        s[t % COLUMNS][t / COLUMNS] = (T)(in[t] + (T)2);
    __syncthreads();
    for (int i = t; i < COLUMNS * PADDED; i += n)
        out[i] = s[i / PADDED][i % PADDED];
}

template <typename T, int COLUMNS, int PADDED>
static void
check_turned(int n, int last)
{
    std::vector<T> in((size_t)n), want((size_t)(COLUMNS * PADDED), (T)1);
    Dev<T> out(want.size());

    for (int t = 0; t < n; t++) {
        in[(size_t)t] = (T)(t % 90);
        want[(size_t)(t % COLUMNS * PADDED + t / COLUMNS)] = (T)(t % 90 + (t < last ? 2 : 0));
    }
    turned<T, COLUMNS, PADDED><<<1, (unsigned)n>>>(out, Dev<T>(in), last);
    check_same("turned", out.get(), want);
}

/* Runs in the order of another number. */
__global__ void
halves(short *out, const short *in)
{
    __shared__ short s[64];
    int t = (int)threadIdx.x;

    s[(t * 7 & 31) + (t & 32)] = in[t]; /* a permutation */
    __syncthreads();
    out[t] = s[t];
    __syncthreads();
    s[(t & 1) * 32 + t / 2] = in[t]; /* two runs, one for each parity */
    __syncthreads();
    out[64 + t] = s[t];
}

static void
check_halves()
{
    std::vector<short> in(64), want(128);
    Dev<short> out(want.size());

    for (size_t t = 0; t < 64; t++) {
        in[t] = (short)(t * 11);
        want[(t * 7 & 31) + (t & 32)] = in[t];
        want[64 + (t & 1) * 32 + t / 2] = in[t];
    }
    halves<<<1, 64>>>(out, Dev<short>(in));
    check_same("halves", out.get(), want);
}

template <typename T>
static void
check_type()
{
    for (int last : {0, 1, 40, 128}) {
        check_turned<T, 16, 9>(128, last);
        check_turned<T, 16, 17>(256, last);
        check_turned<T, 2, 64>(128, last);
        check_turned<T, 8, 20>(96, last);
        check_turned<T, 32, 8>(256, last);
    }
}

int
main()
{
    check_type<float>();
    check_type<double>();
    check_type<unsigned char>();
    check_type<short>();
    check_halves();
    return 0;
}
