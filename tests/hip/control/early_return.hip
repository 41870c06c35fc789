/* SPDX-License-Identifier: MIT */
/* Threads that leave early: nothing after their return may be seen of them. */
#include "../check.h"

__global__ void
leave(int *out, const int *in, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    out[i] = 1;
    if (in[i] < 0)
        return;
    out[i] = 2;
    for (int k = 0; k < 10; k++) {
        if (k == (in[i] & 15))
            return;
        out[i] += 10;
    }
    if (in[i] & 32) {
        out[i] = 3;
        return;
    }
    out[i] += 1000;
}

static int
expected(int v)
{
    int r = 2;

    if (v < 0)
        return 1;
    for (int k = 0; k < 10; k++) {
        if (k == (v & 15))
            return r;
        r += 10;
    }
    return v & 32 ? 3 : r + 1000;
}

int
main()
{
    const unsigned n = 1500;
    std::vector<int> in = map_input(n), want(n);
    Dev<int> din(in);

    for (unsigned i = 0; i < n; i++)
        want[i] = expected(in[i]);
    for (dim3 block : test_shapes()) {
        Dev<int> out(n);
        leave<<<dim3(blocks_for(n, block)), block>>>(out, din, (int)n);
        check_same("leave", out.get(), want);
    }
    return 0;
}
