/* SPDX-License-Identifier: MIT */
/* Calls through pointers: tables in device memory, varying targets, virtual functions, in loops. */
#include "../check.h"

typedef int (*op_fn)(int, int);

__device__ int
op_add(int a, int b)
{
    return a + b;
}

__device__ int
op_sub(int a, int b)
{
    return a - b;
}

__device__ int
op_mix(int a, int b)
{
    int r = a;
    for (int k = 0; k < (b & 7); k++)
        r = r * 2 + (r & 1 ? k : 1);
    return r & 0xffff;
}

__device__ op_fn ops[3] = {op_add, op_sub, op_mix};

static int
host_op(int k, int a, int b)
{
    if (k == 0)
        return a + b;
    if (k == 1)
        return a - b;
    int r = a;
    for (int m = 0; m < (b & 7); m++)
        r = r * 2 + (r & 1 ? m : 1);
    return r & 0xffff;
}

__global__ void
by_table(int *out, const int *which, int n, int uniform)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    int r = ops[uniform](i, 5);
    if (which[i] >= 0)
        r += ops[which[i]](i, which[i] + 4) * 3;
    for (int k = 0; k < (i & 3); k++)
        r ^= ops[(k + i) % 3](k, i & 15);
    out[i] = r;
}

struct Shape {
    int w;
    __device__ Shape(int a) : w(a)
    {
    }
    __device__ virtual int area(int k) const = 0;
    __device__ virtual int edges() const
    {
        return 1;
    }
};

struct Square : Shape {
    __device__ Square(int a) : Shape(a)
    {
    }
    __device__ int area(int k) const override
    {
        return w * w + k;
    }
    __device__ int edges() const override
    {
        return 4;
    }
};

struct Strip : Shape {
    int h;
    __device__ Strip(int a, int b) : Shape(a), h(b)
    {
    }
    __device__ int area(int k) const override
    {
        return w * h - k;
    }
};

__global__ void
by_virtual(int *out, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    Square a(i & 15);
    Strip b(i & 31, 3);
    const Shape *s = i % 3 == 0 ? (const Shape *)&a : (const Shape *)&b;
    out[i] = s->area(i & 7) * 10 + s->edges();
}

int
main()
{
    const int n = 500;
    std::vector<int> which(n), want(n), vwant(n);

    for (int i = 0; i < n; i++)
        which[i] = (int)(mix((uint32_t)i) % 4) - 1;
    Dev<int> dwhich(which);
    for (dim3 b : test_shapes(3)) {
        Dev<int> out(n);
        for (int uniform = 0; uniform < 3; uniform++) {
            for (int i = 0; i < n; i++) {
                want[i] = host_op(uniform, i, 5);
                if (which[i] >= 0)
                    want[i] += host_op(which[i], i, which[i] + 4) * 3;
                for (int k = 0; k < (i & 3); k++)
                    want[i] ^= host_op((k + i) % 3, k, i & 15);
            }
            by_table<<<dim3(blocks_for(n, b)), b>>>(out, dwhich, n, uniform);
            check_same("by_table", out.get(), want);
        }
        for (int i = 0; i < n; i++)
            vwant[i] = i % 3 == 0 ? ((i & 15) * (i & 15) + (i & 7)) * 10 + 4
                                  : ((i & 31) * 3 - (i & 7)) * 10 + 1;
        by_virtual<<<dim3(blocks_for(n, b)), b>>>(out, n);
        check_same("by_virtual", out.get(), vwant);
    }
    return 0;
}
