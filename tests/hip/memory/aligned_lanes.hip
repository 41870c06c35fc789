/* SPDX-License-Identifier: MIT */
/* Neighbouring lanes of which a few are on, at addresses that are aligned better than the distance
 * between lanes: the first lane's address, which is off, is not. */
#include "../check.h"

enum { N = 256 };

typedef float float_32 __attribute__((aligned(32)));
typedef float float_64 __attribute__((aligned(64)));

__global__ void
aligned(float *out, const float *in, unsigned k)
{
    __shared__ __attribute__((aligned(64))) float s[N + 16];
    unsigned t = threadIdx.x;
    float v = 0;

    s[t] = in[t] + 1;
    if (t < 16)
        s[N + t] = in[N + t] + 1;
    __syncthreads();
    if (t % 16 == k)
        v = *(const float_64 *)(s + t + 16 - k) + *(const float_64 *)(in + t + 16 - k);
    if (t % 8 == k)
        *(float_32 *)(out + N + t + 8 - k) = v + t;
    __syncthreads();
    if (t % 16 == k)
        *(float_64 *)(s + t + 16 - k) = v + 2 * t;
    __syncthreads();
    out[t] = v + s[t];
}

/* The same at falling addresses. */
__global__ void
aligned_back(float *out, const float *in, unsigned k)
{
    unsigned t = threadIdx.x;

    if (t % 16 == k)
        *(float_64 *)(out + N + k - t) = *(const float_64 *)(in + N + k - t);
}

static void
check(unsigned k)
{
    std::vector<float> in(N + 64), want(2 * N + 64), s(N + 16), v(N);
    Dev<float> out(want.size()), din(in.size());

    for (size_t i = 0; i < in.size(); i++)
        in[i] = (float)(i * 7 % 61);
    din.set(in);
    for (unsigned t = 0; t < N + 16; t++)
        s[t] = in[t] + 1;
    for (unsigned t = 0; t < N; t++) {
        if (t % 16 == k)
            v[t] = s[t + 16 - k] + in[t + 16 - k];
        if (t % 8 == k)
            want[N + t + 8 - k] = v[t] + (float)t;
    }
    for (unsigned t = k; t < N; t += 16)
        s[t + 16 - k] = v[t] + 2 * (float)t;
    for (unsigned t = 0; t < N; t++)
        want[t] = v[t] + s[t];
    aligned<<<1, N>>>(out, din, k);
    check_same("aligned", out.get(), want);
    for (unsigned t = k; t < N; t += 16)
        want[N + k - t] = in[N + k - t];
    aligned_back<<<1, N>>>(out, din, k);
    check_same("aligned_back", out.get(), want);
}

int
main()
{
    for (unsigned k : {1, 3, 4, 7, 0})
        check(k);
    return 0;
}
