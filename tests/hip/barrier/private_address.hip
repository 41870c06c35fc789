/* SPDX-License-Identifier: MIT */
/* An address in a private array is made in front of a barrier, and the array read by it behind:
 * each warp has its own. */
#include "../check.h"

__global__ void
by_value(const int *in, int *out)
{
    int i = global_id(), a[8];

    for (int k = 0; k < 8; k++)
        a[k] = i * 100 + k;
    const int *p = &a[in[i] & 7];
    __syncthreads();
    out[i] = *p;
}

__global__ void
by_choice(const int *in, int *out)
{
    int i = global_id(), a[8], b[8];

    for (int k = 0; k < 8; k++) {
        a[k] = i * 100 + k;
        b[k] = i * 100 + 50 + k;
    }
    int *p = in[i] & 8 ? &b[in[i] & 7] : &a[in[i] & 7];
    __syncthreads();
    *p += 1000000;
    __syncthreads();
    out[i] = *p;
}

__global__ void
by_table(const int *in, int *out)
{
    int i = global_id(), a[8];
    int *table[4];

    for (int k = 0; k < 8; k++)
        a[k] = i * 100 + k;
    for (int k = 0; k < 4; k++)
        table[k] = &a[(in[i] + k) & 7];
    __syncthreads();
    out[i] = *table[in[i] & 3];
}

int
main()
{
    constexpr int n = 2 * 192;
    std::vector<int> in(n);

    for (int i = 0; i < n; i++)
        in[i] = i * 7 + i / 5;
    Dev<int> d_in(in), out(n);
    by_value<<<2, 192>>>(d_in, out);
    std::vector<int> got = out.get();
    for (int i = 0; i < n; i++)
        if (got[i] != i * 100 + (in[i] & 7))
            FAIL("by value: %d: %d", i, got[i]);
    by_choice<<<2, 192>>>(d_in, out);
    got = out.get();
    for (int i = 0; i < n; i++)
        if (got[i] != 1000000 + i * 100 + (in[i] & 8 ? 50 : 0) + (in[i] & 7))
            FAIL("by choice: %d: %d", i, got[i]);
    by_table<<<2, 192>>>(d_in, out);
    got = out.get();
    for (int i = 0; i < n; i++)
        if (got[i] != i * 100 + ((in[i] + (in[i] & 3)) & 7))
            FAIL("by table: %d: %d", i, got[i]);
    return 0;
}
