/* SPDX-License-Identifier: MIT */
/* memcpy and memset on the device, volatile and non-temporal accesses, stores that overlap between
 * threads. */
#include "../check.h"

__global__ void
copies(char *out, const char *in, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    memcpy(out + 24 * i, in + 24 * (n - 1 - i), 24);
    memset(out + 24 * i + 3, i & 127, 5);
    if (i & 1)
        memcpy(out + 24 * i + 10, in + i, (size_t)(i & 7));
}

__global__ void
special(int *out, const int *in, volatile int *slot, int *same, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    slot[i] = i;
    slot[i] = slot[i] + 1;
    int v = __builtin_nontemporal_load(in + i);
    __builtin_nontemporal_store(v + slot[i], out + i);
    *same = 42;           /* every thread, one value */
    same[1 + i % 3] = 5;  /* many threads, one value */
}

int
main()
{
    const int n = 150;
    std::vector<char> in(24 * n), want(24 * n);
    std::vector<int> vin = map_input(n), vwant(n);

    for (int k = 0; k < 24 * n; k++)
        in[k] = (char)mix((uint32_t)k);
    for (int i = 0; i < n; i++) {
        memcpy(&want[24 * i], &in[24 * (n - 1 - i)], 24);
        memset(&want[24 * i + 3], i & 127, 5);
        if (i & 1)
            memcpy(&want[24 * i + 10], &in[i], (size_t)(i & 7));
        vwant[i] = vin[i] + i + 1;
    }
    Dev<char> din(in);
    Dev<int> dvin(vin);
    for (dim3 b : test_shapes(3)) {
        Dev<char> out(24 * n);
        Dev<int> vout(n), slot(n), same(4);
        copies<<<dim3(blocks_for(n, b)), b>>>(out, din, n);
        check_same("copies", out.get(), want);
        special<<<dim3(blocks_for(n, b)), b>>>(vout, dvin, slot.p, same, n);
        check_same("special", vout.get(), vwant);
        check_same("same", same.get(), std::vector<int>{42, 5, 5, 5});
    }
    return 0;
}
