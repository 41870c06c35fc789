/* SPDX-License-Identifier: MIT */
/* Races between threads of one warp, and their repaired twins: `bad` runs the faults, `good` the
 * twins. A fault's reports stand at the lines that are marked for it: FAULT, name, kind. */
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

enum { BLOCK = 64, WORDS = 1 << 12 };

template <bool good>
__global__ void
neighbour(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    if (good)
        __syncwarp();
    v[t] = s[t ^ 1]; // FAULT neighbour write
}

template <bool good>
__global__ void
last_steps(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    for (int by = 16; by > 0; by /= 2) {
        int x = t < by ? s[t + by] : 0; // FAULT last-steps write
        if (good)
            __syncwarp();
        if (t < by)
            s[t] += x; // FAULT last-steps write
        if (good)
            __syncwarp();
    }
    if (t == 0)
        v[0] = s[0];
}

template <bool good>
__global__ void
one_place(int *v, int n)
{
    int t = threadIdx.x;

    if (t < 32)
        v[good ? t : 0] = t + n; // FAULT one-place write
}

/* All store the same: no harm. */
template <bool good>
__global__ void
flag(int *v, int n)
{
    int t = threadIdx.x;

    if (v[t + 64] != n)
        v[1] = v[3] + n;
    if (v[t + 64] != n && (good ? t == 3 : t > 3))
        v[2] = t; // FAULT flag write
}

template <bool good>
__global__ void
shift(int *v, int n)
{
    int t = threadIdx.x, x = v[t + 1];

    if (good)
        __syncthreads();
    v[t] = x; // FAULT shift read
}

template <bool good>
__global__ void
collected(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, sum = 0;

    s[t] = t * n;
    if (good)
        __syncwarp();
    if (t % 32 == 0) {
        for (int i = 0; i < 32; i++)
            sum += s[t + i]; // FAULT collected write
        v[t] = sum;
    }
}

template <bool good>
__global__ void
halves(short *v, int n)
{
    int t = threadIdx.x;

    v[good ? t : t / 2] = (short)t; // FAULT halves write
}

template <bool good>
__global__ void
tile(int *v, int n)
{
    __shared__ int s[BLOCK];
    auto group = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;

    s[t] = n;
    if (good)
        group.sync();
    v[t] = s[t ^ 7]; // FAULT tile write
}

/* Launched for cooperation. */
template <bool good>
__global__ void
grid(int *v, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, x = v[i + 1];

    if (good)
        cg::this_grid().sync();
    v[i] = x; // FAULT grid read
}

typedef void (*kernel)(int *v, int n);
#define KERNELS(name) {(kernel)name<false>, (kernel)name<true>}

/* Bytes of one word are not one place. */
template <bool good>
__global__ void
bytes(int *v, int n)
{
    char *c = (char *)v;
    int t = threadIdx.x;

    if (t < 32)
        c[t] = (char)(c[good ? t : t ^ 1] + n); // FAULT bytes read
}

static const kernel FAULTS[][2] = {KERNELS(neighbour), KERNELS(last_steps), KERNELS(one_place),
                                   KERNELS(flag),      KERNELS(shift),      KERNELS(collected),
                                   KERNELS(halves),    KERNELS(tile),      KERNELS(bytes)};

int
main(int argc, char **argv)
{
    int *v;

    if (argc < 2 || hipMalloc(&v, WORDS * sizeof(int)) != hipSuccess ||
        hipMemset(v, 1, WORDS * sizeof(int)) != hipSuccess)
        return 2;
    bool good = !strcmp(argv[1], "good");
    int n = 3;
    void *args[] = {&v, &n};

    for (const auto &f : FAULTS)
        f[good]<<<2, BLOCK>>>(v, n);
    if (hipLaunchCooperativeKernel((void *)(good ? grid<true> : grid<false>), 2, BLOCK, args, 0,
                                   0) != hipSuccess)
        return 3;
    return hipDeviceSynchronize() != hipSuccess;
}
