/* SPDX-License-Identifier: MIT */
/* Functions that no other file knows, and whose addresses are taken in kernels alone: of a large
 * module the compiler reads what a kernel needs, and the functions' numbers hung on what it had
 * read. */
#include "../check.h"

typedef int (*unary_fn)(int);

static __device__ int
twice(int x)
{
    return x * 2;
}

__device__ int
square(int x) /* known to others: numbered by itself */
{
    return x * x;
}

static __device__ int
negate(int x)
{
    return -x;
}

__device__ unary_fn chosen[3];

__global__ void
choose()
{
    chosen[0] = twice;
    chosen[1] = negate;
    chosen[2] = square;
}

__global__ void
call_chosen(int *out)
{
    out[threadIdx.x] = chosen[threadIdx.x % 3]((int)threadIdx.x);
}

int
main()
{
    Dev<int> out(32);
    std::vector<int> want(32);

    choose<<<1, 1>>>();
    call_chosen<<<1, 32>>>(out);
    for (int i = 0; i < 32; i++)
        want[i] = i % 3 == 0 ? 2 * i : i % 3 == 1 ? -i : i * i;
    check_same("call_chosen", out.get(), want);
    return 0;
}
