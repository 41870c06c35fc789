/* SPDX-License-Identifier: MIT */
/* A loop carries a vector, v = x op v, of which one element is asked for: LLVM's InstCombine may
 * carry the element alone, and takes the operands the other way round. Clang makes the mistake
 * itself when it optimises. */
// OPT: -O0
#include "../check.h"

typedef unsigned u4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
enum { N_RESULTS = 6, MAX_TURNS = 4 };

template <typename V, typename Op>
__device__ auto
element(V v, V x, int n, Op op)
{
    for (int i = 0; i < n; i++) {
        __syncthreads();
        v = op(x, v);
    }
    return v.y;
}

template <typename T, typename Op>
static T
expected(T v, T x, int n, Op op)
{
    for (int i = 0; i < n; i++)
        v = op(x, v);
    return v;
}

__global__ void
of_a_vector(float *out, int n)
{
    unsigned t = threadIdx.x;
    u4 v = {t, t & 1, t, t}, of = {t, 1000, t, t}, one = {1, 1, 1, 1}, sixteen = {t, 16, t, t};
    f4 f = {1, t + 0.5f, 3, 4}, eight = {1, 8, 3, 4};

    out += N_RESULTS * t;
    out[0] = (int)element(v, of, n, [](u4 x, u4 y) { return x - y; });
    out[1] = element(v, one, n, [](u4 x, u4 y) { return x << y; });
    out[2] = element(v, sixteen, n, [](u4 x, u4 y) { return x >> y; });
    out[3] = element(v + 3, of, n, [](u4 x, u4 y) { return x / y; });
    out[4] = element(f, eight, n, [](f4 x, f4 y) { return x - y; });
    out[5] = element(f, eight, n, [](f4 x, f4 y) { return x / y; });
}

int
main()
{
    for (int n = 1; n <= MAX_TURNS; n++) {
        std::vector<float> want;
        Dev<float> out(32 * N_RESULTS);

        for (unsigned t = 0; t < 32; t++) {
            want.push_back(
                (int)expected(t & 1, 1000u, n, [](unsigned x, unsigned y) { return x - y; }));
            want.push_back(expected(t & 1, 1u, n, [](unsigned x, unsigned y) { return x << y; }));
            want.push_back(expected(t & 1, 16u, n, [](unsigned x, unsigned y) { return x >> y; }));
            want.push_back(
                expected((t & 1) + 3, 1000u, n, [](unsigned x, unsigned y) { return x / y; }));
            want.push_back(expected(t + 0.5f, 8.0f, n, [](float x, float y) { return x - y; }));
            want.push_back(expected(t + 0.5f, 8.0f, n, [](float x, float y) { return x / y; }));
        }
        of_a_vector<<<1, 32>>>((float *)out, n);
        CHECK_RUN();
        check_same("elements", out.get().data(), want.data(), want.size(), 1e-6);
    }
}
