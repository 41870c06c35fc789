/* SPDX-License-Identifier: MIT */
/* Index arithmetic that wraps: contiguity across lanes must be proved, not assumed. */
#include "../check.h"

__global__ void
wrap32(int *out, const int *table, unsigned base, unsigned size)
{
    unsigned i = global_id();
    unsigned k = (base + i) % size; /* base + i wraps at 2^32 inside a warp */

    out[i] = table[k];
}

__global__ void
wrap8(int *out, const int *table, unsigned char base)
{
    unsigned i = global_id();
    unsigned char k = (unsigned char)(base + i); /* wraps at 256 */

    out[i] = table[k];
}

__global__ void
wrap16(int *out, const int *table, int base)
{
    unsigned i = global_id();
    short k = (short)(base + (int)i); /* becomes negative */

    out[i] = table[k + 32768];
}

__global__ void
masked(int *out, const int *table, unsigned mask)
{
    unsigned i = global_id();

    out[i] = (int)((unsigned)table[(i * 3 + 5) & mask] + (unsigned)table[(i + 9) & mask]);
}

__global__ void
minus_one(int *out, const int *table, unsigned n)
{
    unsigned i = global_id();
    unsigned left = i - 1u; /* 2^32 - 1 in thread 0 */

    out[i] = left < n ? table[left] : -1;
}

__global__ void
wide(int *out, const int *table, long long far)
{
    unsigned i = global_id();

    out[i] = (table - far)[far + (long long)i];
}

/* The last of the numbers that an int has: what is behind them wraps, and is not touched. */
__global__ void
last(int *out, const int *table, unsigned first, unsigned size)
{
    int k = (int)(first + global_id());

    out[global_id()] = k > 0 && (unsigned)k - first < size ? (table - (int)first)[k] : -1;
}

/* Threads in front of the first element have an index of less than 0. */
__global__ void
before(int *out, const int *table, unsigned left, int size)
{
    int k = (int)(global_id() - left);

    if (k >= 0 && k < size)
        out[k] = table[k];
}

int
main()
{
    const unsigned n = 2048, table_n = 65536;
    std::vector<int> table(table_n), want(n);
    Dev<int> out(n);

    for (unsigned i = 0; i < table_n; i++)
        table[i] = (int)mix(i);
    Dev<int> dtable(table);
    for (unsigned threads : {64u, 256u, 1024u}) {
        for (unsigned base : {0u, 0xfffffff0u, 0xffffffc1u, 0x7ffffff8u, 0xfffffc00u}) {
            for (unsigned i = 0; i < n; i++)
                want[i] = table[(base + i) % 60000u];
            wrap32<<<n / threads, threads>>>(out, dtable, base, 60000u);
            check_same("wrap32", out.get(), want);
        }
        for (int base : {0, 200, 255}) {
            for (unsigned i = 0; i < n; i++)
                want[i] = table[(uint8_t)(base + i)];
            wrap8<<<n / threads, threads>>>(out, dtable, (unsigned char)base);
            check_same("wrap8", out.get(), want);
        }
        for (int base : {0, 32760, 32000}) {
            for (unsigned i = 0; i < n; i++)
                want[i] = table[(int16_t)(base + (int)i) + 32768];
            wrap16<<<n / threads, threads>>>(out, dtable, base);
            check_same("wrap16", out.get(), want);
        }
        for (unsigned mask : {31u, 7u, 1023u}) {
            for (unsigned i = 0; i < n; i++)
                want[i] =
                    (int)((unsigned)table[(i * 3 + 5) & mask] + (unsigned)table[(i + 9) & mask]);
            masked<<<n / threads, threads>>>(out, dtable, mask);
            check_same("masked", out.get(), want);
        }
        for (unsigned room : {1u, 5u, 16u, 33u, 100u}) {
            for (unsigned i = 0; i < n; i++)
                want[i] = i < room ? table[i] : -1;
            last<<<n / threads, threads>>>(out, dtable, 0x80000000u - room, n);
            check_same("last", out.get(), want);
            for (unsigned i = 0; i < n - room; i++)
                want[i] = table[i];
            before<<<n / threads, threads>>>(out, dtable, room, (int)n);
            check_same("before", out.get(), want);
        }
        for (unsigned i = 0; i < n; i++)
            want[i] = i ? table[i - 1] : -1;
        minus_one<<<n / threads, threads>>>(out, dtable, n);
        check_same("minus_one", out.get(), want);
        for (unsigned i = 0; i < n; i++)
            want[i] = table[i];
        wide<<<n / threads, threads>>>(out, dtable, 5000000000LL);
        check_same("wide", out.get(), want);
    }
    return 0;
}
