/* SPDX-License-Identifier: MIT */
/* Barriers that a run does not need, which lscheck finds, and twins in which each barrier is
 * needed: `bad` runs the first, `good` the others. A barrier that is reported is marked: FAULT,
 * name, kind. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

enum { BLOCK = 128, BLOCKS = 4, WORDS = BLOCK * BLOCKS };

/* ---- What is not needed ---- */

template <bool good>
__global__ void
at_start(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    if (!good)
        __syncthreads(); // FAULT at-start barrier-unneeded
    s[t] = v[t];
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[BLOCK - 1 - t];
}

template <bool good>
__global__ void
at_end(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[BLOCK - 1 - t];
    if (!good)
        __syncthreads(); // FAULT at-end barrier-unneeded
}

/* One of two is needed. */
template <bool good>
__global__ void
twice(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    if (!good)
        __syncthreads(); // FAULT twice barrier-unneeded
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[t ^ 1];
}

template <bool good>
__global__ void
own_slot(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads(); // FAULT own-slot barrier-unneeded
    out[blockIdx.x * BLOCK + t] = s[good ? BLOCK - 1 - t : t] + 1;
}

template <bool good>
__global__ void
own_word(int *v, int *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    out[i] = v[i];
    __syncthreads(); // FAULT own-word barrier-unneeded
    v[i] = out[good ? i ^ 64 : i] + 1;
}

/* With two buffers that take turns one barrier a step is enough. */
template <bool good>
__global__ void
two_buffers(int *v, int *out)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < 6; k++) {
        s[good ? 0 : k & 1][t] = v[t] + k;
        __syncthreads();
        sum += s[good ? 0 : k & 1][(t + 1) % BLOCK];
        __syncthreads(); // FAULT two-buffers barrier-unneeded
    }
    out[blockIdx.x * BLOCK + t] = sum;
}

template <bool good>
__global__ void
only_reads(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, sum;

    s[t] = v[t];
    __syncthreads();
    sum = s[(t + 1) % BLOCK];
    __syncthreads(); // FAULT only-reads barrier-unneeded
    if (good)
        s[t] = sum;
    __syncthreads(); // FAULT only-reads barrier-unneeded
    sum += s[(t + 2) % BLOCK];
    out[blockIdx.x * BLOCK + t] = sum;
}

template <bool good>
__global__ void
other_array(int *v, int *out)
{
    __shared__ int a[BLOCK], b[BLOCK];
    int t = threadIdx.x;

    a[t] = v[t];
    __syncthreads(); // FAULT other-array barrier-unneeded
    b[t] = good ? a[t ^ 32] : v[t] + 1;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = b[t ^ 32] + a[t ^ 32];
}

static __device__ void
wait()
{
    __syncthreads(); // FAULT in-function barrier-unneeded
}

template <bool good>
__global__ void
in_function(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    wait();
    out[blockIdx.x * BLOCK + t] = s[good ? t ^ 64 : t];
}

/* ---- What is ---- */

/* The last block needs what all threads of the others did. */
__device__ unsigned n_done;

__global__ void
last_block(int *v, int *out)
{
    __shared__ bool is_last;
    int t = threadIdx.x;

    out[blockIdx.x * BLOCK + t] = v[t];
    __threadfence();
    __syncthreads();
    if (t == 0)
        is_last = atomicAdd(&n_done, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
        __threadfence();
        for (int b = 0; b < (int)gridDim.x; b++)
            v[t] += out[b * BLOCK + (t ^ 1)];
        if (t == 0)
            n_done = 0;
    }
}

__global__ void
tree(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == BLOCK - 1)
        out[blockIdx.x] = s[0];
}

__global__ void
scan(int *v, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    for (int k = 1; k < BLOCK; k *= 2) {
        int x = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + t] = s[BLOCK - 1 - t];
}

__global__ void
bins(int *v, int *out)
{
    __shared__ int n[16];
    int t = threadIdx.x;

    if (t < 16)
        n[t] = 0;
    __syncthreads();
    atomicAdd(&n[v[t] & 15], 1);
    __syncthreads();
    if (t < 16)
        atomicAdd(&out[t], n[t]);
}

__global__ void
votes(int *v, int *out)
{
    int t = threadIdx.x, n = __syncthreads_count(v[t] > 3);

    if (__syncthreads_or(v[t] > 3) && __syncthreads_and(v[t] >= 0))
        out[blockIdx.x * BLOCK + t] = n;
}

/* Bytes of one word are no other thread's, but a barrier is not told to be in vain for it. */
__global__ void
bytes(int *v, int *out)
{
    __shared__ char s[BLOCK];
    int t = threadIdx.x;

    s[t] = (char)v[t];
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[t ^ 1];
}

/* A block of one warp needs it where warps do not run in step. */
__global__ void
one_warp(int *v, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    out[t] = s[31 - t];
}

/* One thread needs none, but that is how many the host asks for. */
__global__ void
one_thread(int *v, int *out)
{
    out[0] = v[0];
    __syncthreads();
    out[1] = out[0];
}

template <bool good>
static void
run(int *v, int *out)
{
    at_start<good><<<BLOCKS, BLOCK>>>(v, out);
    at_end<good><<<BLOCKS, BLOCK>>>(v, out);
    twice<good><<<BLOCKS, BLOCK>>>(v, out);
    own_slot<good><<<BLOCKS, BLOCK>>>(v, out);
    own_word<good><<<BLOCKS, BLOCK>>>(v, out);
    two_buffers<good><<<BLOCKS, BLOCK>>>(v, out);
    only_reads<good><<<BLOCKS, BLOCK>>>(v, out);
    other_array<good><<<BLOCKS, BLOCK>>>(v, out);
    in_function<good><<<BLOCKS, BLOCK>>>(v, out);
    last_block<<<BLOCKS, BLOCK>>>(v, out);
    tree<<<BLOCKS, BLOCK>>>(v, out);
    scan<<<BLOCKS, BLOCK>>>(v, out);
    bins<<<BLOCKS, BLOCK>>>(v, out);
    votes<<<BLOCKS, BLOCK>>>(v, out);
    bytes<<<BLOCKS, BLOCK>>>(v, out);
    one_warp<<<1, 32>>>(v, out);
    one_thread<<<1, 1>>>(v, out);
}

int
main(int argc, char **argv)
{
    int *v, *out;

    if (hipMalloc(&v, WORDS * sizeof(int)) != hipSuccess ||
        hipMalloc(&out, WORDS * sizeof(int)) != hipSuccess ||
        hipMemset(v, 1, WORDS * sizeof(int)) != hipSuccess)
        return 3;
    if (argc > 1 && !strcmp(argv[1], "good"))
        run<true>(v, out);
    else
        run<false>(v, out);
    return hipDeviceSynchronize() != hipSuccess;
}
