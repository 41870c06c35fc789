/* SPDX-License-Identifier: MIT */
/* Threads that have exited count as arrived: some of a warp, whole warps, in loops. */
#include "../check.h"

__global__ void
some_leave(int *out, const int *in, unsigned stay)
{
    __shared__ int s[1024];
    unsigned t = local_id();

    s[t] = in[global_id()];
    __syncthreads();
    if (t >= stay)
        return;
    int v = s[block_threads() - 1 - t];
    __syncthreads();
    s[t] = v;
    __syncthreads();
    out[global_id()] = s[(t + 1) % stay];
}

__global__ void
one_by_one(int *out, unsigned rounds)
{
    __shared__ int s[1024];
    unsigned t = local_id();
    int sum = 0;

    for (unsigned k = 0; k < rounds; k++) {
        s[t] = (int)(k * 1000 + t);
        __syncthreads();
        sum += s[0] - s[t];
        __syncthreads();
        if (t > 0 && t % rounds == k) {
            out[global_id()] = sum;
            return;
        }
    }
    out[global_id()] = -sum - 1;
}

__global__ void
odd_leave(int *out)
{
    __shared__ int s[1024];
    unsigned t = local_id();

    if (t & 1)
        return;
    s[t] = (int)t * 5;
    __syncthreads();
    unsigned n = block_threads(), u = (t + 2) % ((n + 1) / 2 * 2);
    out[global_id()] = s[u];
}

int
main()
{
    const unsigned blocks = 3;

    for (dim3 b : test_shapes()) {
        unsigned n = threads_of(b);
        std::vector<int> in = map_input(n * blocks), want(n * blocks);
        Dev<int> din(in);
        for (unsigned stay : {1u, 20u, 33u, 200u}) {
            if (stay > n)
                continue;
            Dev<int> out(n * blocks);
            for (unsigned g = 0; g < blocks; g++)
                for (unsigned t = 0; t < n; t++)
                    want[g * n + t] = t < stay ? in[g * n + n - 1 - (t + 1) % stay] : 0;
            some_leave<<<blocks, b>>>(out, din, stay);
            check_same("some_leave", out.get(), want);
        }
        {
            const unsigned rounds = 5;
            Dev<int> out(n * blocks);
            for (unsigned g = 0; g < blocks; g++)
                for (unsigned t = 0; t < n; t++) {
                    unsigned k = t ? t % rounds + 1 : rounds;
                    int sum = -(int)(k * t);
                    want[g * n + t] = t ? sum : -sum - 1;
                }
            one_by_one<<<blocks, b>>>(out, rounds);
            check_same("one_by_one", out.get(), want);
        }
        {
            Dev<int> out(n * blocks);
            unsigned even = (n + 1) / 2 * 2;
            for (unsigned g = 0; g < blocks; g++)
                for (unsigned t = 0; t < n; t++)
                    want[g * n + t] = t & 1 ? 0 : (int)((t + 2) % even) * 5;
            odd_leave<<<blocks, b>>>(out);
            check_same("odd_leave", out.get(), want);
        }
    }
    return 0;
}
