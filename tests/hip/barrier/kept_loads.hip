/* SPDX-License-Identifier: MIT */
/* A value that every thread loads from one address, but that only one thread needs, and that is
 * kept across a barrier: LLVM moves such loads up to where all threads execute them, beside the
 * next use of the memory. Each warp has its own, as a later one finds what an earlier one stored
 * behind its load. */
// SCALAR: no, what a warp loads once is loaded by each lane then, behind stores of others
#include "../check.h"

__device__ static void
least(int *x, int *buf, unsigned t, unsigned n)
{
    buf[t] = *x;
    for (n /= 2, __syncthreads(); n > 0; n /= 2, __syncthreads())
        if (t < n && buf[t] > buf[t + n])
            buf[t] = buf[t + n];
    if (t == 0)
        *x = buf[0];
}

/* The same buffer for two reductions; in LDS. */
__global__ void
twice(int *out, const int *in)
{
    __shared__ int buf[256];
    unsigned t = threadIdx.x;

    for (int i = 0; i < 3; i++) {
        int a = in[t] + i, b = in[256 + t] + 10 * i;

        least(&a, buf, t, 256);
        least(&b, buf, t, 256);
        if (t != 0)
            continue;
        out[2 * i] = a;
        out[2 * i + 1] = b;
    }
}

/* Written as LLVM leaves it: in LDS and in device memory, what was loaded, what follows from it,
 * and a loop whose bound is such a value in the one warp that runs it. */
__global__ void
moved(int *out, const int *in, int *mem)
{
    __shared__ int buf[256];
    unsigned t = threadIdx.x;

    buf[t] = in[t];
    mem[t] = in[256 + t];
    __syncthreads();
    int a = buf[0], b = mem[0], c = a * 2 + 1, n = a & 15;
    buf[t] = b + t;
    mem[t] = 7;
    __syncthreads();
    if (t == 0) {
        int sum = 0;

        for (int i = 0; i < n; i++)
            sum += buf[i];
        out[6] = a;
        out[7] = b;
        out[8] = c;
        out[9] = sum;
    }
}

/* Loads that nothing is stored beside stay the block's own: they rule the branches around
 * barriers. */
__global__ void
bound(int *out, const int *in)
{
    __shared__ int buf[256];
    unsigned t = threadIdx.x;
    int n = in[0] & 3;

    buf[t] = t;
    for (int i = 0; i <= n; i++) {
        __syncthreads();
        int next = buf[(t + 1) % 256];
        __syncthreads();
        buf[t] = next;
    }
    out[16 + t] = buf[t] - n;
}

int
main()
{
    int *in, *out, *mem;

    CHECK_HIP(hipMallocManaged((void **)&in, 512 * sizeof(int)));
    CHECK_HIP(hipMallocManaged((void **)&out, 512 * sizeof(int)));
    CHECK_HIP(hipMallocManaged((void **)&mem, 256 * sizeof(int)));
    for (int i = 0; i < 512; i++)
        in[i] = 1005 + (i * 37) % 256 + (i >= 256) * 500;
    twice<<<1, 256>>>(out, in);
    moved<<<1, 256>>>(out, in, mem);
    bound<<<1, 256>>>(out, in);
    CHECK_HIP(hipDeviceSynchronize());
    int sum = 0;

    for (int i = 0; i < 3; i++) {
        CHECK(out[2 * i] == 1005 + i);
        CHECK(out[2 * i + 1] == 1505 + 10 * i);
    }
    for (int i = 0; i < (1005 & 15); i++)
        sum += 1505 + i;
    CHECK(out[6] == 1005 && out[7] == 1505 && out[8] == 2011 && out[9] == sum);
    CHECK(out[16] == 2 - 1 && out[16 + 100] == 102 - 1 && out[16 + 255] == 1 - 1);
}
