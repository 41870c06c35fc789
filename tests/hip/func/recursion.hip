/* SPDX-License-Identifier: MIT */
/* Recursion: factorial, Fibonacci, mutual, Ackermann-like depth, quicksort of a private array. */
#include "../check.h"

__host__ __device__ __attribute__((noinline)) unsigned
factorial(unsigned n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__host__ __device__ __attribute__((noinline)) int
fib(int n)
{
    if (n < 2)
        return n;
    int a = fib(n - 1);
    return a + fib(n - 2);
}

__host__ __device__ bool is_odd(int n);

__host__ __device__ __attribute__((noinline)) bool
is_even(int n)
{
    return n == 0 ? true : is_odd(n - 1);
}

__host__ __device__ __attribute__((noinline)) bool
is_odd(int n)
{
    return n == 0 ? false : is_even(n - 1);
}

__host__ __device__ __attribute__((noinline)) void
quicksort(int *v, int lo, int hi)
{
    if (lo >= hi)
        return;
    int pivot = v[(lo + hi) / 2], a = lo, b = hi;
    while (a <= b) {
        while (v[a] < pivot)
            a++;
        while (v[b] > pivot)
            b--;
        if (a <= b) {
            int t = v[a];
            v[a++] = v[b];
            v[b--] = t;
        }
    }
    quicksort(v, lo, b);
    quicksort(v, a, hi);
}

__host__ __device__ __attribute__((noinline)) int
tree(int node, int depth, int *visits)
{
    ++*visits;
    if (depth == 0 || node % 7 == 6)
        return node;
    int l = tree(2 * node + 1, depth - 1, visits);
    return l ^ tree(2 * node + 2, depth - 1, visits) * 3;
}

MAP(Factorial, unsigned) { return factorial((unsigned)in[i] % 13); }
MAP(Fib, int) { return fib(i % 13); }
MAP(Mutual, int) { return is_even(i % 50) ? 1 : 2; }
MAP(QuickSort, int)
{
    int v[20], r = 0;
    for (int k = 0; k < 20; k++)
        v[k] = (int)(mix((unsigned)(i * 20 + k)) & 1023);
    quicksort(v, 0, 19);
    for (int k = 0; k < 20; k++)
        r = (r * 5 + v[k]) & 0xffffff;
    return r;
}
MAP(Tree, int)
{
    int visits = 0;
    int r = tree(i & 15, 3 + (i & 1), &visits);
    return (r & 0xfffff) * 64 + visits;
}

int
main()
{
    RUN_MAP(Factorial);
    RUN_MAP(Fib);
    RUN_MAP(Mutual);
    RUN_MAP(QuickSort);
    RUN_MAP(Tree);
    return 0;
}
