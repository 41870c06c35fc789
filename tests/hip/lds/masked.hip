/* SPDX-License-Identifier: MIT */
/* Stores and loads in shared memory in which some threads have part, or none: neighbours keep what
 * they have, at both ends of shared memory too, and threads that are off may have any address. All
 * sizes of elements, and vectors. */
#include "../check.h"

struct four {
    float x, y, z, w;
};

__host__ __device__ inline bool
operator==(const four &a, const four &b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

template <typename T>
__host__ __device__ inline T
made(unsigned v)
{
    return (T)(v & 127);
}

template <>
__host__ __device__ inline four
made<four>(unsigned v)
{
    return {(float)(v & 127), (float)(v & 63), (float)(v & 31), (float)v};
}

/* `some` has a bit for each of 32 threads; `shift` moves the threads that are on within s, and
 * those that are off far away. */
template <typename T>
__global__ void
masked(T *out, unsigned some, unsigned other, int shift)
{
    extern __shared__ unsigned char raw[]; /* ends where the third part ends */
    T *s = (T *)raw;
    unsigned t = threadIdx.x, n = blockDim.x;
    bool on = some >> t % 32 & 1;

    for (unsigned k = 0; k < 3; k++)
        s[k * n + t] = made<T>(k * 50 + 1);
    __syncthreads();
    if (on)
        s[t] = made<T>(t + 7);
    if (other >> t % 32 & 1)
        s[2 * n + t] = made<T>(t + 9);
    __syncthreads();
    int at = on ? shift : shift + 100000000;
    if (on)
        s[(int)(n + t) + at] = made<T>(t + 3);
    __syncthreads();
    T v = made<T>(5);
    if (other >> t / 32 % 32 & 1) /* whole warps off */
        v = s[(int)(n + t) + shift];
    for (unsigned k = 0; k < 3; k++)
        out[k * n + t] = s[k * n + t];
    out[3 * n + t] = v;
}

template <typename T>
static void
check(unsigned some, unsigned other, int shift)
{
    const unsigned n = 192;
    std::vector<T> want(4 * n);
    Dev<T> out(4 * n);

    for (unsigned i = 0; i < 3 * n; i++)
        want[i] = made<T>(i / n * 50 + 1);
    for (unsigned t = 0; t < n; t++) {
        if (some >> t % 32 & 1)
            want[t] = made<T>(t + 7);
        if (other >> t % 32 & 1)
            want[2 * n + t] = made<T>(t + 9);
    }
    for (unsigned t = 0; t < n; t++)
        if (some >> t % 32 & 1)
            want[(unsigned)((int)(n + t) + shift)] = made<T>(t + 3);
    for (unsigned t = 0; t < n; t++)
        want[3 * n + t] =
            other >> t / 32 % 32 & 1 ? want[(unsigned)((int)(n + t) + shift)] : made<T>(5);
    masked<T><<<1, n, 3 * n * sizeof(T)>>>(out.p, some, other, shift);
    std::vector<T> got = out.get();
    for (unsigned i = 0; i < 4 * n; i++)
        if (!(got[i] == want[i]))
            FAIL("elements of %zu bytes, masks %x and %x, shift %d: element %u", sizeof(T), some,
                 other, shift, i);
}

template <typename T>
static void
check_all()
{
    for (unsigned some : {0u, 1u, 0x80000000u, 0xffff0000u, 0x0000fffeu, 0x5a5aa5a5u, ~0u})
        for (int shift : {0, 1, -3, 190, -192})
            check<T>(some, some * 2654435761u ^ 0x40000001u, shift);
}

int
main()
{
    check_all<unsigned char>();
    check_all<short>();
    check_all<int>();
    check_all<float>();
    check_all<double>();
    check_all<unsigned long long>();
    check_all<four>();
    return 0;
}
