/* SPDX-License-Identifier: MIT */
/* Arrays of a thread: uniform and varying index, escaping address, structs, large,
 * two-dimensional. */
#include "../check.h"

MAP(UniformIndex, int)
{
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[i] + k * i;
    int r = 0;
    for (int k = 7; k >= 0; k--)
        r = r * 2 + (a[k] & 3);
    return r;
}

MAP(VaryingIndex, int)
{
    int a[16] = {0};
    for (int k = 0; k < 40; k++)
        a[(in[i] + k * k) & 15] += k;
    return a[i & 15] * 100 + a[(i + 5) & 15];
}

MAP(Bytes, int)
{
    unsigned char a[37];
    for (int k = 0; k < 37; k++)
        a[k] = (unsigned char)(k * i + in[i]);
    return a[(i * 3) % 37] + 256 * a[36] + 65536 * a[i % 11];
}

MAP(Doubles, double)
{
    double a[9];
    for (int k = 0; k < 9; k++)
        a[k] = k * 0.5 + (i & 7);
    return a[i % 9] - a[(in[i] & 7)];
}

MAP(MaskedStore, int)
{
    int a[4] = {1, 2, 3, 4};
    if (in[i] > 0)
        a[i & 3] = 50;
    if (in[i] & 1)
        a[2] = -a[1];
    return a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3];
}

struct Pair {
    int key;
    float weight;
    short tag[2];
};

MAP(Structs, int)
{
    Pair p[5];
    for (int k = 0; k < 5; k++) {
        p[k].key = k * 3 + i;
        p[k].weight = (float)k * 0.5f;
        p[k].tag[k & 1] = (short)(in[i] >> k);
        p[k].tag[~k & 1] = 7;
    }
    Pair q = p[i % 5];
    p[(i + 1) % 5] = q;
    return p[2].key + (int)(p[i % 5].weight * 2) * 1000 + q.tag[0] + p[4].tag[1];
}

MAP(TwoDims, int)
{
    int m[4][5];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 5; c++)
            m[r][c] = r * c + in[(i + r + c) % n];
    return m[i & 3][i % 5] + m[in[i] & 3][4];
}

MAP(Sort, int)
{
    int a[12];
    for (int k = 0; k < 12; k++)
        a[k] = (int)(mix((unsigned)(i * 12 + k)) & 255);
    for (int k = 1; k < 12; k++) { /* insertion sort: divergent inner loop over a private array */
        int v = a[k], m = k;
        while (m > 0 && a[m - 1] > v) {
            a[m] = a[m - 1];
            m--;
        }
        a[m] = v;
    }
    int r = 0;
    for (int k = 0; k < 12; k++)
        r = (r * 7 + a[k]) & 0xffffff;
    return r;
}

__host__ __device__ __attribute__((noinline)) int
sum_of(const int *p, int count)
{
    int s = 0;
    for (int k = 0; k < count; k++)
        s += p[k];
    return s;
}

__host__ __device__ __attribute__((noinline)) void
fill(int *p, int count, int seed)
{
    for (int k = 0; k < count; k++)
        p[k] = seed + k;
}

MAP(Escaping, int)
{
    int a[10], b = in[i] & 15;
    fill(a, 10, i);
    fill(&b, 1, b + 1);
    return sum_of(a, 10) + sum_of(a + 2, i & 7) * b;
}

MAP(ChosenPointer, int)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
    int *p = in[i] & 1 ? a : b;
    p[i & 3] += 5;
    const int *q = i & 4 ? p : in; /* private or global: a generic pointer */
    return q[1] + a[i & 3] + b[i & 3];
}

MAP(Large, int)
{
    int a[1024];
    for (int k = 0; k < 1024; k++)
        a[k] = k ^ i;
    int r = 0;
    for (int k = 0; k < 20; k++)
        r += a[(k * 53 + in[i]) & 1023];
    return r;
}

MAP(Spilled, int)
{
    int v[32], r = 0;
    for (int k = 0; k < 32; k++)
        v[k] = in[(i + k) % n];
    for (int k = 0; k < 32; k++)
        r += v[31 - k] * (k & 3);
    for (int k = 0; k < 32; k++)
        r ^= v[k] >> (k & 7);
    return r;
}

MAP(CasualBytes, unsigned)
{
    unsigned word = (unsigned)in[i];
    unsigned char *p = (unsigned char *)&word; /* address of a scalar */
    unsigned char t = p[0];
    p[0] = p[3];
    p[3] = t;
    return word;
}

int
main()
{
    RUN_MAP(UniformIndex);
    RUN_MAP(VaryingIndex);
    RUN_MAP(Bytes);
    RUN_MAP(Doubles);
    RUN_MAP(MaskedStore);
    RUN_MAP(Structs);
    RUN_MAP(TwoDims);
    RUN_MAP(Sort);
    RUN_MAP(Escaping);
    RUN_MAP(ChosenPointer);
    RUN_MAP(Large);
    RUN_MAP(Spilled);
    RUN_MAP(CasualBytes);
    return 0;
}
