/* SPDX-License-Identifier: MIT */
/* Small whole blocks in which one lane's value goes to all of a warp, and only some lanes of what
 * is made of it are read; the same of one element of long vectors. */
#include "../check.h"

#define BLOCK 128

typedef float float32 __attribute__((ext_vector_type(32)));
typedef _Float16 half16 __attribute__((ext_vector_type(16)));

template <typename T>
__global__ void
broadcast(T *out, const T *in, int n)
{
    __shared__ T s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    T v = i < n ? in[i] : (T)1;

    s[t] = v + __shfl(v * v, 0);
    __syncthreads();
    T sum = s[t & 15];
    __syncthreads();
    s[t] = sum + __shfl(sum * v, 3);
    __syncthreads();
    if (i < n)
        out[i] = s[t & 1] + v;
}

template <typename V, typename T, int AT>
__global__ void
element(T *out, const V *in, int n)
{
    __shared__ T s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    V v = {};

    if (i < n)
        v = in[i];
    s[t] = v[AT];
    __syncthreads();
    if (i < n)
        out[i] = s[t & 15];
}

template <typename T>
static void
check_broadcast(const char *name, int n)
{
    const int all = (n + BLOCK - 1) / BLOCK * BLOCK, warp = host_warp_size();
    std::vector<T> in(n), v(all), s(all), sum(all), want(n);

    for (int i = 0; i < all; i++)
        v[i] = i < n ? in[i] = (T)(i * 7 % 23 - 5) : (T)1;
    for (int i = 0; i < all; i++)
        s[i] = v[i] + v[i / warp * warp] * v[i / warp * warp];
    for (int i = 0; i < all; i++)
        sum[i] = s[i / BLOCK * BLOCK + i % 16];
    for (int i = 0; i < all; i++)
        s[i] = sum[i] + sum[i / warp * warp + 3] * v[i / warp * warp + 3];
    for (int i = 0; i < n; i++)
        want[i] = s[i / BLOCK * BLOCK + i % 2] + v[i];
    Dev<T> din(in), out(n);
    broadcast<<<all / BLOCK, BLOCK>>>((T *)out, (const T *)din, n);
    check_same(name, out.get(), want);
}

template <typename V, typename T, int AT>
static void
check_element(const char *name, int n)
{
    std::vector<V> in(n);
    std::vector<T> want(n);

    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof(V) / sizeof(T); k++)
            in[i][k] = (T)(i * 31 % 97 + (int)k);
    for (int i = 0; i < n; i++)
        want[i] = in[i / BLOCK * BLOCK + i % 16][AT];
    Dev<V> din(in);
    Dev<T> out(n);
    element<V, T, AT><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>((T *)out, (const V *)din, n);
    check_same(name, out.get(), want);
}

int
main()
{
    const int n = 3 * BLOCK - 5;

    check_broadcast<float>("float", n);
    check_broadcast<int>("int", n);
    check_broadcast<double>("double", n);
    check_element<float32, float, 9>("float32", n);
    check_element<half16, _Float16, 5>("half16", n);
    return 0;
}
