/* SPDX-License-Identifier: MIT */
/* Small kernels whose blocks are whole but for the last: what threads hand to each other through
 * shared memory, read at other places, in other sizes and in part; sums of which few lanes are
 * read. */
#include "../check.h"

#define BLOCK 128

template <typename T>
__global__ void
scan(T *out, const T *in, int n)
{
    __shared__ T s[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * BLOCK + t;

    s[t] = i < (unsigned)n ? in[i] : (T)0;
    __syncthreads();
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        T v = t >= d ? s[t - d] : (T)0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < (unsigned)n)
        out[i] = s[t];
}

template <typename T>
__global__ void
tree(T *out, const T *in, int n)
{
    extern __shared__ char memory[];
    T *s = (T *)memory;
    unsigned t = threadIdx.x, i = blockIdx.x * BLOCK + t;

    s[t] = i < (unsigned)n ? in[i] : (T)0;
    __syncthreads();
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* The sums of warps, and their sum by the first warp. */
template <typename T>
__global__ void
shuffle(T *out, const T *in, int n)
{
    __shared__ T of_warp[BLOCK / 32];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, lane = t % warpSize;
    T v = i < n ? in[i] : (T)0;

    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down(v, d);
    if (lane == 0)
        of_warp[t / warpSize] = v;
    __syncthreads();
    if (t < warpSize) {
        v = lane < BLOCK / warpSize ? of_warp[lane] : (T)0;
        for (int d = warpSize / 2; d > 0; d /= 2)
            v += __shfl_down(v, d);
        if (lane == 0)
            out[blockIdx.x] = v;
    }
}

/* Written in parts, over each other, as words and as bits of them; read backwards, rotated and by
 * the same place for all. */
__global__ void
places(int *out, const int *in, int n)
{
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, v = i < n ? in[i] : 7;

    s[t] = v;
    s[BLOCK + t] = 3 * v;
    __syncthreads();
    int back = s[2 * BLOCK - 1 - t], next = s[(t + 1) % BLOCK], one = s[33];
    __syncthreads();
    if (t >= 5 && t < 70)
        s[t] = back;
    if (t % 2)
        s[BLOCK + t] = next;
    __syncthreads();
    float f = __int_as_float(s[t ^ 3] & 0x3fffffff);
    __syncthreads();
    ((float *)s)[t] = f;
    __syncthreads();
    if (i < n)
        out[i] = s[t ^ 1] + s[BLOCK + t] + one + s[t / 4];
}

/* Threads that hand memory to each other that is not shared. */
__global__ void
global_exchange(int *out, int *box, const int *in, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;

    s[t] = in[i];
    box[i] = in[i] * 5;
    __syncthreads();
    int v = box[blockIdx.x * BLOCK + BLOCK - 1 - t];
    __syncthreads();
    box[i] = v + 1;
    __syncthreads();
    out[i] = box[blockIdx.x * BLOCK + (t ^ 7)] + s[BLOCK - 1 - t];
}

template <typename T>
static void
check_sums(const char *name, int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<T> in(n), scanned(n), sums(blocks);

    for (int i = 0; i < n; i++) { /* exact in any order */
        in[i] = (T)((i * 37) % 19 - 4);
        sums[i / BLOCK] += in[i];
        scanned[i] = (T)(in[i] + (i % BLOCK ? scanned[i - 1] : (T)0));
    }
    Dev<T> din(in), out(n), of_tree(blocks), of_shuffle(blocks);
    scan<<<blocks, BLOCK>>>((T *)out, (const T *)din, n);
    tree<<<blocks, BLOCK, BLOCK * sizeof(T)>>>((T *)of_tree, (const T *)din, n);
    shuffle<<<blocks, BLOCK>>>((T *)of_shuffle, (const T *)din, n);
    check_same(name, out.get(), scanned);
    check_same(name, of_tree.get(), sums);
    check_same(name, of_shuffle.get(), sums);
}

static void
check_places(int n)
{
    int blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<int> in(n), want(n);

    for (int i = 0; i < n; i++)
        in[i] = (int)(i * 2654435761u >> 3 & 0x3fffffff);
    for (int b = 0; b < blocks; b++) {
        int s[2 * BLOCK], old[2 * BLOCK], one;
        float f[BLOCK];

        for (int t = 0; t < BLOCK; t++) {
            s[t] = b * BLOCK + t < n ? in[b * BLOCK + t] : 7;
            s[BLOCK + t] = 3 * s[t];
        }
        one = s[33];
        std::copy(s, s + 2 * BLOCK, old);
        for (int t = 0; t < BLOCK; t++) {
            if (t >= 5 && t < 70)
                s[t] = old[2 * BLOCK - 1 - t];
            if (t % 2)
                s[BLOCK + t] = old[(t + 1) % BLOCK];
        }
        for (int t = 0; t < BLOCK; t++) {
            int bits = s[t ^ 3] & 0x3fffffff;
            memcpy(&f[t], &bits, 4);
        }
        memcpy(s, f, sizeof(f));
        for (int t = 0; t < BLOCK; t++)
            if (b * BLOCK + t < n)
                want[b * BLOCK + t] = (int)((unsigned)s[t ^ 1] + (unsigned)s[BLOCK + t] +
                                            (unsigned)one + (unsigned)s[t / 4]);
    }
    Dev<int> din(in), out(n);
    places<<<blocks, BLOCK>>>((int *)out, (const int *)din, n);
    check_same("places", out.get(), want);
}

int
main()
{
    const int n = 5 * BLOCK - 37;
    std::vector<int> in(4 * BLOCK), want(4 * BLOCK);

    check_sums<float>("float", n);
    check_sums<int>("int", n);
    check_sums<double>("double", n);
    check_sums<float>("whole", 4 * BLOCK);
    check_places(n);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)(i * i % 1009);
    for (size_t i = 0; i < in.size(); i++) {
        size_t first = i / BLOCK * BLOCK, t = i % BLOCK;
        want[i] = in[first + BLOCK - 1 - (t ^ 7)] * 5 + 1 + in[first + BLOCK - 1 - t];
    }
    Dev<int> din(in), box(in.size()), out(in.size());
    global_exchange<<<4, BLOCK>>>((int *)out, (int *)box, (const int *)din, (int)in.size());
    check_same("global_exchange", out.get(), want);
    return 0;
}
