/* SPDX-License-Identifier: MIT */
/* Warps pass values to each other in shared memory that no variable names: what the launch asks
 * for, by its address alone, as a number or as a pointer of the general kind. */
// PTX: yes
#include "../check.h"

typedef __attribute__((address_space(3))) unsigned shared_t;

enum { N = 256 };

__device__ static shared_t *
begin(void)
{
    return (shared_t *)__builtin_amdgcn_groupstaticsize();
}

__global__ void
by_number(unsigned *x)
{
    shared_t *s = begin();
    unsigned t = threadIdx.x, y = x[t];

    s[t] = y;
    __syncthreads();
    y += s[N - 1 - t];
    __syncthreads();
    s[t] = y * 3;
    __syncthreads();
    x[t] = s[t ^ 64];
}

__global__ void
by_null(unsigned *x)
{
    shared_t *s = (shared_t *)0;
    unsigned t = threadIdx.x, y = x[t];

    s[t] = y;
    __syncthreads();
    y += s[N - 1 - t];
    __syncthreads();
    s[t] = y * 3;
    __syncthreads();
    x[t] = s[t ^ 64];
}

/* One side has its address from memory, where it is a pointer of any kind. */
__global__ void
by_pointer(unsigned *x, unsigned **p)
{
    shared_t *s = begin();
    unsigned t = threadIdx.x, *any;

    p[t] = (unsigned *)s;
    any = *(unsigned *volatile *)&p[t];
    __syncthreads();
    s[t] = x[t];
    __syncthreads();
    unsigned y = any[N - 1 - t];
    __syncthreads();
    s[t] = (x[t] + y) * 3;
    __syncthreads();
    y = any[t ^ 64];
    __syncthreads();
    x[t] = y;
}

int
main()
{
    std::vector<unsigned> in(N), want(N);

    for (unsigned t = 0; t < N; t++)
        in[t] = t * 2654435761u;
    for (unsigned t = 0; t < N; t++)
        want[t] = (in[t ^ 64] + in[N - 1 - (t ^ 64)]) * 3;
    Dev<unsigned> a(in), b(in), c(in);
    Dev<unsigned *> p(N);
    by_number<<<1, N, N * sizeof(unsigned)>>>(a);
    by_null<<<1, N, N * sizeof(unsigned)>>>(b);
    by_pointer<<<1, N, N * sizeof(unsigned)>>>(c, p);
    CHECK_RUN();
    check_same("by number", a.get(), want);
    check_same("by null", b.get(), want);
    check_same("by pointer", c.get(), want);
    return 0;
}
