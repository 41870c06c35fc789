/* SPDX-License-Identifier: MIT */
/* Divisors that the compiler knows lane by lane when it knows the block's shape: the number of a
 * row, of which the first is 0 and does not divide. */
#include "../check.h"

template <typename T>
__device__ T
quotient(T x, T d)
{
    const T lowest = (T)(1ull << (8 * sizeof(T) - 1));

    return d == 0 || ((T)-1 < 0 && d == (T)-1 && x == lowest) ? x : (T)(x / d);
}

template <typename T>
__global__ void
by_rows(const int *in, int *out)
{
    unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    T x = (T)in[i], q = 0, r = 0;

    if (in[i] & 1) {
        q = quotient<T>(x, (T)threadIdx.y);
        r = threadIdx.y ? (T)(x % (T)threadIdx.y) : (T)-1;
    }
    out[2 * i] = (int)q;
    out[2 * i + 1] = (int)r;
}

enum { N = 8 * 4 * 3 };

template <typename T>
static void
try_type(const char *name)
{
    int *in, *out, wrong = 0;

    CHECK_HIP(hipMallocManaged(&in, N * sizeof(int)));
    CHECK_HIP(hipMallocManaged(&out, 2 * N * sizeof(int)));
    for (int i = 0; i < N; i++)
        in[i] = i * 37 % 120 - (i % 5 == 0 ? 60 : 0);
    by_rows<T><<<1, dim3(8, 4, 3)>>>(in, out);
    CHECK_HIP(hipDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        T x = (T)in[i], y = (T)(i / 8 % 4), q = 0, r = 0;
        if (in[i] & 1) {
            q = y ? (T)(x / y) : x;
            r = y ? (T)(x % y) : (T)-1;
        }
        wrong += out[2 * i] != (int)q || out[2 * i + 1] != (int)r;
    }
    printf("%s: %d wrong\n", name, wrong);
    CHECK_HIP(hipFree(in));
    CHECK_HIP(hipFree(out));
}

int
main(void)
{
    try_type<long long>("i64");
    try_type<unsigned long long>("u64");
    try_type<int>("i32");
    try_type<unsigned>("u32");
    try_type<short>("i16");
    return 0;
}
