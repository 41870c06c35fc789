/* SPDX-License-Identifier: MIT */
/* Races at the borders of what the checkers look at as a whole: rows of words that a warp goes to,
 * lines of memory, words that many read, memory between two barriers that nobody writes to. `bad`
 * runs the faults, `good` their repaired twins, of the cases that are named, else of all. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

enum { BLOCK = 128, BLOCKS = 6, WORDS = 1 << 16, PERMUTED = 4096 };

/* A row that begins in the middle of another warp's. */
template <bool good>
__global__ void
half_rows(int *v)
{
    __shared__ int s[BLOCK + 16];
    int t = threadIdx.x;

    s[t] = v[t]; // FAULT half-rows shared-read
    if (good)
        __syncthreads();
    v[t] = s[t + 16]; // FAULT half-rows shared-write
}

/* Warps that share a line, a half each: the fault's are a word longer. */
template <bool good>
__global__ void
shared_line(int *v)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, lane = t % 32, at = t / 32 * 16 + lane;

    if (lane < (good ? 16 : 17))
        s[at] = t; // FAULT shared-line shared-write
    __syncthreads();
    v[t] = s[t / 2];
}

/* All warps read a row that then one of them writes to. */
template <bool good>
__global__ void
read_by_many(int *v)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, x;

    s[t] = v[t];
    __syncthreads();
    x = s[t % 32] + s[32];
    if (good)
        __syncthreads();
    if (t == BLOCK - 1) {
        s[5] = x;  // FAULT read-by-many shared-read
        s[32] = x; // FAULT read-by-many shared-read
    }
    v[t] = x;
}

/* The same of one place that all threads read, in a loop, with a barrier that comes too late. */
template <bool good>
__global__ void
one_place(int *v)
{
    __shared__ int s[2];
    int t = threadIdx.x, sum = 0;

    if (t == 0)
        s[0] = 1;
    for (int k = 0; k < 5; k++) {
        __syncthreads();
        sum += s[0]; // FAULT one-place shared-write
        if (good)
            __syncthreads();
        if (t == 32)
            s[0] = k; // FAULT one-place shared-read
    }
    v[t] = sum;
}

/* Between these barriers nobody writes, but in one branch of the fault. */
template <bool good>
__global__ void
quiet(int *v)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, sum = 0;

    s[t] = v[t];
    __syncthreads();
    for (int k = 1; k < 4; k++) {
        sum += s[(t + 32 * k) % BLOCK]; // FAULT quiet shared-write
        if (!good && sum != k)
            s[t] = sum; // FAULT quiet shared-read
    }
    __syncthreads();
    v[t] = s[t] + sum;
}

/* Bytes of one warp, a word of the next. */
template <bool good>
__global__ void
narrow(int *v)
{
    __shared__ unsigned char s[4 * BLOCK];
    int t = threadIdx.x;

    s[t] = (unsigned char)v[t];
    if (t >= 96 && t < 128 - (good ? 0 : 1))
        v[t] = *(int *)&s[good ? t / 4 * 4 : t % 32 * 4]; // FAULT narrow shared-write
}

/* Rows of two bytes, which are words if they are looked at as a whole. */
template <bool good>
__global__ void
packed(int *v)
{
    __shared__ short s[BLOCK];
    int t = threadIdx.x;

    s[t] = (short)v[t]; // FAULT packed shared-read
    if (good)
        __syncthreads();
    v[t] = s[t ^ 32]; // FAULT packed shared-write
}

/* Four words a thread, in four lines. */
template <bool good>
__global__ void
vectors(int *v)
{
    __shared__ int4 s[BLOCK + 1];
    int t = threadIdx.x;

    s[t] = make_int4(v[t], t, t, t); // FAULT vectors shared-read
    if (good)
        __syncthreads();
    v[t] = s[t + 1].w; // FAULT vectors shared-write
}

/* Places that only the program's input tells. */
template <bool good>
__global__ void
scattered(int *v)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, *to = v + PERMUTED;

    s[to[t]] = t; // FAULT scattered shared-write/shared-read
    if (good)
        __syncthreads();
    v[t] = s[t]; // FAULT scattered shared-write/shared-read
}

/* Atomic operations that order nothing, and a read that they may be too late for. */
template <bool good>
__global__ void
counters(int *v)
{
    __shared__ int s[4];
    int t = threadIdx.x;

    if (t < 4)
        s[t] = 0;
    __syncthreads();
    atomicAdd(&s[v[t] & 3], 1); // FAULT counters shared-read/shared-write
    if (good)
        __syncthreads();
    v[t] = s[t & 3]; // FAULT counters shared-write/shared-read
}

/* All blocks read what one of them writes. */
template <bool good>
__global__ void
read_by_blocks(int *v)
{
    int t = threadIdx.x, x = 0;

    for (int k = 0; k < 32; k++)
        x += v[k]; // FAULT read-by-blocks global-write
    v[BLOCK * (2 + blockIdx.x) + t] = x;
    if (blockIdx.x == BLOCKS - 1)
        v[t + (good ? 32 : 0)] = t; // FAULT read-by-blocks global-read
}

/* A block writes its rows, and the first word of its neighbour's. */
template <bool good>
__global__ void
neighbours(int *v)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    v[i] = i; // FAULT neighbours global-write
    if (!good && threadIdx.x == 0)
        v[i + BLOCK] = i; // FAULT neighbours global-write
}

/* A block reads a row that begins a word early. */
template <bool good>
__global__ void
shifted(int *v)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, x = good ? 1 : v[i + 1]; // FAULT shifted global-write

    v[i] = x; // FAULT shifted global-read/global-write
}

struct fault {
    const char *name;
    void (*kernels[2])(int *);
    int grid;
};

#define KERNELS(name) {name<false>, name<true>}

static const fault FAULTS[] = {
    {"half-rows", KERNELS(half_rows), 1},
    {"shared-line", KERNELS(shared_line), 1},
    {"read-by-many", KERNELS(read_by_many), 1},
    {"one-place", KERNELS(one_place), 1},
    {"quiet", KERNELS(quiet), 1},
    {"narrow", KERNELS(narrow), 1},
    {"packed", KERNELS(packed), 1},
    {"vectors", KERNELS(vectors), 1},
    {"scattered", KERNELS(scattered), 1},
    {"counters", KERNELS(counters), 1},
    {"read-by-blocks", KERNELS(read_by_blocks), BLOCKS},
    {"neighbours", KERNELS(neighbours), BLOCKS},
    {"shifted", KERNELS(shifted), BLOCKS},
};

static bool
is_wanted(const char *name, char **names)
{
    bool wanted = !*names;

    for (; *names; names++)
        wanted |= !strcmp(*names, name);
    return wanted;
}

int
main(int argc, char **argv)
{
    int *v, permuted[BLOCK];

    for (int i = 0; i < BLOCK; i++)
        permuted[i] = i * 37 % BLOCK;
    if (argc < 2 || hipMalloc(&v, WORDS * sizeof(int)) != hipSuccess ||
        hipMemset(v, 1, WORDS * sizeof(int)) != hipSuccess ||
        hipMemcpy(v + PERMUTED, permuted, sizeof(permuted), hipMemcpyHostToDevice) != hipSuccess)
        return 2;
    /* Thrice, as what earlier launches did is in front of what later ones do. */
    for (const fault &f : FAULTS)
        if (is_wanted(f.name, argv + 2))
            for (int n = 1; n <= 3; n++)
                f.kernels[!strcmp(argv[1], "good")]<<<f.grid, BLOCK>>>(v);
    if (hipDeviceSynchronize() != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorString(hipGetLastError()));
        return 3;
    }
    return hipFree(v) != hipSuccess;
}
