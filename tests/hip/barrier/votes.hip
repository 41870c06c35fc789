/* SPDX-License-Identifier: MIT */
/* __syncthreads_count, _and, _or. */
#include "../check.h"

__global__ void
votes(int *out, const int *in)
{
    unsigned i = global_id();
    int c = __syncthreads_count(in[i] > 0);
    int a = __syncthreads_and(in[i] > -100000000);
    int b = __syncthreads_and(local_id() != 3);
    int o = __syncthreads_or(local_id() == 5);

    out[i] = c + 10000 * (a != 0) + 20000 * (b != 0) + 40000 * (o != 0);
}

int
main()
{
    const unsigned blocks = 4;

    for (dim3 b : test_shapes()) {
        unsigned n = threads_of(b);
        std::vector<int> in = map_input(n * blocks), want(n * blocks);
        Dev<int> din(in), out(n * blocks);
        for (unsigned g = 0; g < blocks; g++) {
            int c = 0;
            for (unsigned t = 0; t < n; t++)
                c += in[g * n + t] > 0;
            for (unsigned t = 0; t < n; t++)
                want[g * n + t] = c + 10000 + 20000 * (n <= 3) + 40000 * (n > 5);
        }
        votes<<<blocks, b>>>(out, din);
        check_same("votes", out.get(), want);
    }
    return 0;
}
