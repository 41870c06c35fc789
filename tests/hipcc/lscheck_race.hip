/* SPDX-License-Identifier: MIT */
/* Races in shared memory that lscheck finds, and their repaired twins: `bad` runs the faults,
 * `good` the twins, of the cases that are named, else of all. A fault's reports stand at the lines
 * that are marked for it: FAULT, name, kind. */
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

enum { BLOCK = 128, WORDS = 1 << 16 };

#define BLOCK_SCOPE __HIP_MEMORY_SCOPE_WORKGROUP

/* Sum of a warp's values, in all its threads. */
static __device__ int
warp_sum(int x)
{
    for (int by = warpSize / 2; by > 0; by /= 2)
        x += __shfl_xor(x, by);
    return x;
}

template <bool good>
__global__ void
tree(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half]; // FAULT tree shared-read
        if (good || half > 64)
            __syncthreads();
    }
    if (t == 0)
        v[0] = s[0];
}

template <bool good>
__global__ void
broadcast(int *v, int n)
{
    __shared__ int sum;
    int t = threadIdx.x;

    if (t == BLOCK - 1)
        sum = v[t]; // FAULT broadcast shared-read
    if (good)
        __syncthreads();
    v[t] += sum;
}

template <bool good>
__global__ void
double_buffer(int *v, int n)
{
    __shared__ int tile[2][BLOCK];
    int t = threadIdx.x, sum = 0;

    tile[0][t] = v[t];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        int *now = tile[good ? k % 2 : 0], *next = tile[good ? (k + 1) % 2 : 0];

        if (k < 7)
            next[t] = v[(k + 1) * BLOCK + t]; // FAULT double-buffer shared-read
        sum += now[BLOCK - 1 - t];            // FAULT double-buffer shared-write
        __syncthreads();
    }
    v[t] = sum;
}

template <bool good>
__global__ void
scan(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    for (int by = 1; by < BLOCK; by *= 2) {
        int x = t >= by ? s[t - by] : 0; // FAULT scan shared-write

        if (good)
            __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    v[t] = s[t];
}

template <bool good>
__global__ void
scan_swapped(int *v, int n)
{
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x, in = 0, out = BLOCK;

    s[t] = v[t];
    __syncthreads();
    for (int by = 1; by < BLOCK; by *= 2) {
        s[out + t] = s[in + t] + (t >= by ? s[in + t - by] : 0); // FAULT scan-swapped shared-write
        if (good || by > 1)
            __syncthreads();
        in = BLOCK - in;
        out = BLOCK - out;
    }
    v[t] = s[in + t];
}

template <bool good>
__global__ void
loop_end(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < 8; k++) {
        s[t] = v[k * BLOCK + t]; // FAULT loop-end shared-read
        __syncthreads();
        sum += s[BLOCK - 1 - t]; // FAULT loop-end shared-write
        if (good)
            __syncthreads();
    }
    v[t] = sum;
}

/* Two barriers at two places are as good as one that all come to; none in one branch isn't. */
template <bool good>
__global__ void
branches(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t]; // FAULT branches shared-read
    if (n & 1) {
        __syncthreads();
        v[t + BLOCK] = s[t ^ 64];
    } else {
        if (good)
            __syncthreads();
        atomicAdd(&v[t], s[t ^ 64]); // FAULT branches shared-write
    }
    __syncthreads();
    s[t] = 0;
}

template <bool good>
__global__ void
histogram(int *v, int n)
{
    __shared__ int bins[256];
    int t = threadIdx.x;

    for (int i = t; i < 256; i += BLOCK)
        bins[i] = 0; // FAULT histogram shared-write
    if (good)
        __syncthreads();
    for (int i = t; i < 1024; i += BLOCK)
        atomicAdd(&bins[v[i] & 255], 1); // FAULT histogram shared-write
    __syncthreads();
    for (int i = t; i < 256; i += BLOCK)
        v[i] = bins[i];
}

template <bool good>
__global__ void
histogram_read(int *v, int n)
{
    __shared__ int bins[64];
    int t = threadIdx.x;

    if (t < 64)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[v[t] & 63], 1); // FAULT histogram-read shared-read
    if (good)
        __syncthreads();
    if (t < 64)
        v[t] = bins[t]; // FAULT histogram-read shared-write
}

/* Lanes that wait for a warp behind them and one in front of them. */
template <bool good>
__global__ void
flag(int *v, int n)
{
    __shared__ volatile int is_there;
    __shared__ int data;
    int t = threadIdx.x;

    if (t == 0)
        is_there = 0;
    __syncthreads();
    if (t == 32) {
        data = v[0];
        if (good)
            __threadfence_block();
        is_there = 1;
    }
    if (t == 64) {
        while (!is_there)
            ;
        if (good)
            __threadfence_block();
        v[t] = data; // FAULT flag shared-write
    }
}

enum fences { NONE, BEFORE_STORE = 1, BEHIND_STORE = 2, BEHIND_LOAD = 4 };

/* A word from a warp to the first one: orders of the flag's store and load, and what fences there
 * are. */
template <int store, int load, int fences, class T>
static __device__ void
pass_on(T *data, int *is_there, T x)
{
    int t = threadIdx.x;

    if (t == 0)
        *is_there = 0;
    __syncthreads();
    if (t == 64) {
        *data = x;
        if (fences & BEFORE_STORE)
            __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __hip_atomic_store(is_there, 1, store, BLOCK_SCOPE);
        if (fences & BEHIND_STORE)
            __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    }
    if (t == 0) {
        while (!__hip_atomic_load(is_there, load, BLOCK_SCOPE))
            ;
        if (fences & BEHIND_LOAD)
            __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
}

template <bool good>
__global__ void
message_relaxed(int *v, int n)
{
    __shared__ int data, is_there;

    if (good)
        pass_on<__ATOMIC_RELEASE, __ATOMIC_ACQUIRE, NONE>(&data, &is_there, n);
    else
        pass_on<__ATOMIC_RELAXED, __ATOMIC_RELAXED, NONE>(&data, &is_there, n);
    if (threadIdx.x == 0)
        v[0] = data; // FAULT message-relaxed shared-write
}

template <bool good>
__global__ void
message_load(int *v, int n)
{
    __shared__ int data, is_there;

    pass_on<__ATOMIC_RELEASE, __ATOMIC_RELAXED, good ? BEHIND_LOAD : NONE>(&data, &is_there, n);
    if (threadIdx.x == 0)
        v[0] = data; // FAULT message-load shared-write
}

template <bool good>
__global__ void
message_store(int *v, int n)
{
    __shared__ int data, is_there;

    pass_on<__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, good ? BEFORE_STORE : NONE>(&data, &is_there, n);
    if (threadIdx.x == 0)
        v[0] = data; // FAULT message-store shared-write
}

template <bool good>
__global__ void
message_fence(int *v, int n)
{
    __shared__ int data, is_there;

    pass_on<__ATOMIC_RELAXED, __ATOMIC_RELAXED, BEHIND_LOAD | (good ? BEFORE_STORE : BEHIND_STORE)>(
        &data, &is_there, n);
    if (threadIdx.x == 0)
        v[0] = data; // FAULT message-fence shared-write
}

/* A fence of the warp alone orders nothing for others. */
template <bool good>
__global__ void
message_scope(int *v, int n)
{
    __shared__ int data, is_there;
    int t = threadIdx.x;

    if (t == 0)
        is_there = 0;
    __syncthreads();
    if (t == 64) {
        data = n;
        if (good)
            __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        else
            __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
        __hip_atomic_store(&is_there, 1, __ATOMIC_RELAXED, BLOCK_SCOPE);
    }
    if (t == 0) {
        while (!__hip_atomic_load(&is_there, __ATOMIC_ACQUIRE, BLOCK_SCOPE))
            ;
        v[0] = data; // FAULT message-scope shared-write
    }
}

/* The flag is the same place by whatever pointer, also in a function that is called. */
static __device__ __attribute__((noinline)) void
raise(int *is_there)
{
    __hip_atomic_store(is_there, 1, __ATOMIC_RELEASE, BLOCK_SCOPE);
}

template <bool good>
__global__ void
message_pointer(int *v, int n)
{
    __shared__ int data, flags[2];
    int t = threadIdx.x;

    if (t < 2)
        flags[t] = 0;
    __syncthreads();
    if (t == 64) {
        data = n;
        raise(&flags[0]);
        if (!good)
            __hip_atomic_store(&flags[1], 1, __ATOMIC_RELAXED, BLOCK_SCOPE);
    }
    if (t == 0) {
        while (!__hip_atomic_load(&flags[good ? 0 : 1], __ATOMIC_ACQUIRE, BLOCK_SCOPE))
            ;
        v[0] = data; // FAULT message-pointer shared-write
    }
}

/* The last warp to draw a ticket reads what all have written. */
template <bool good>
__global__ void
ticket(int *v, int n)
{
    __shared__ int parts[BLOCK / 32], drawn, bins[256];
    int t = threadIdx.x, sum = warp_sum(v[t]);

    for (int i = t; i < 256; i += BLOCK)
        bins[i] = 0;
    if (t == 0)
        drawn = 0;
    __syncthreads();
    for (int i = t; i < 1024; i += BLOCK)
        atomicAdd(&bins[i & 255], 1);
    if (t % 32 == 0) {
        parts[t / 32] = sum;
        if (good)
            __threadfence_block();
        if (atomicAdd(&drawn, 1) == BLOCK / 32 - 1) {
            if (good)
                __threadfence_block();
            for (int i = 0; i < BLOCK / 32; i++)
                v[i] = parts[i]; // FAULT ticket shared-write
        }
    }
}

template <bool good>
__global__ void
lock(int *v, int n)
{
    __shared__ int taken, sum;
    int t = threadIdx.x;

    if (t == 0)
        taken = sum = 0;
    __syncthreads();
    if (t % 32 == 0) {
        while (atomicCAS(&taken, 0, 1) != 0)
            ;
        if (good)
            __threadfence_block();
        sum += v[t]; // FAULT lock shared-write
        if (good)
            __threadfence_block();
        atomicExch(&taken, 0);
    }
    __syncthreads();
    v[t] = sum;
}

template <bool good>
__global__ void
halves(int *v, int n)
{
    extern __shared__ int both[];
    int *one = both, *two = both + BLOCK - (good ? 0 : 32), t = threadIdx.x;

    one[t] = v[t]; // FAULT halves shared-write
    two[t] = v[t] + 1;
    __syncthreads();
    v[t] = one[t] + two[t];
}

/* Neighbours may share a word. */
template <bool good>
__global__ void
bytes(int *v, int n)
{
    __shared__ char s[2 * BLOCK];
    int t = threadIdx.x;

    s[t * 2 + 1] = (char)v[t];
    s[(t ^ 32) * 2] = (char)t; // FAULT bytes shared-read
    if (good)
        __syncthreads();
    v[t] = s[2 * (t ^ 64)]; // FAULT bytes shared-write
}

template <bool good>
__global__ void
wide(int *v, int n)
{
    __shared__ __align__(16) char s[4 * BLOCK + 4];
    int t = threadIdx.x;

    *(int *)(s + 4 * t) = v[t]; // FAULT wide shared-write
    if (good)
        __syncthreads();
    s[4 * t + 4] = 1;
}

template <bool good>
__global__ void
vectors(int *v, int n)
{
    __shared__ float4 s[BLOCK / 4];
    float *words = &s[0].x;
    int t = threadIdx.x;

    words[t] = (float)v[t]; // FAULT vectors shared-read
    if (good)
        __syncthreads();
    if (t < BLOCK / 4) {
        float4 x = s[t];
        v[t] = (int)(x.x + x.y + x.z + x.w);
    }
}

template <bool good>
__global__ void
halo(int *v, int n)
{
    __shared__ int s[10][18];
    int x = threadIdx.x, y = threadIdx.y, from = (y + 1) * 18 + x + 1;

    s[y + 1][x + 1] = v[from]; // FAULT halo shared-read
    if (x == 0 || x == 15)
        s[y + 1][x ? 17 : 0] = v[from + (x ? 1 : -1)];
    if (y == 0 || y == 7)
        s[y ? 9 : 0][x + 1] = v[from + (y ? 18 : -18)];
    if (good)
        __syncthreads();
    v[from] = s[y][x + 1] + // FAULT halo shared-write
              s[y + 2][x + 1] + s[y + 1][x] + s[y + 1][x + 2];
}

template <bool good>
__global__ void
transpose(int *v, int n)
{
    __shared__ int s[16][17];

    s[threadIdx.y][threadIdx.x] = v[threadIdx.y * 16 + threadIdx.x]; // FAULT transpose shared-read
    if (good)
        __syncthreads();
    v[threadIdx.y * 16 + threadIdx.x] = s[threadIdx.x][threadIdx.y]; // FAULT transpose shared-write
}

template <bool good>
__global__ void
product(int *v, int n)
{
    __shared__ int a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;

    for (int k = 0; k < 4; k++) {
        a[y][x] = v[y * 64 + k * 16 + x];
        b[y][x] = v[4096 + (k * 16 + y) * 64 + x]; // FAULT product shared-read
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += a[y][i] * b[i][x]; // FAULT product shared-write
        if (good)
            __syncthreads();
    }
    v[8192 + y * 64 + x] = sum;
}

template <bool good>
__global__ void
warp_sums(int *v, int n)
{
    __shared__ int sums[32];
    int t = threadIdx.x, sum = warp_sum(v[t]);

    if (t % 32 == 0)
        sums[t / 32] = sum; // FAULT warp-sums shared-read
    if (good)
        __syncthreads();
    if (t < 32) {
        sum = warp_sum(t < BLOCK / 32 ? sums[t] : 0);
        if (t == 0)
            v[0] = sum;
    }
}

template <bool good>
static __device__ int
block_sum(int x)
{
    __shared__ int sums[32];
    int t = threadIdx.x, sum = 0;

    x = warp_sum(x);
    if (t % 32 == 0)
        sums[t / 32] = x; // FAULT called-twice shared-read
    __syncthreads();
    for (int i = 0; i < BLOCK / 32; i++)
        sum += sums[i]; // FAULT called-twice shared-write
    if (good)
        __syncthreads();
    return sum;
}

template <bool good>
__global__ void
called_twice(int *v, int n)
{
    int t = threadIdx.x, mean = block_sum<good>(v[t]) / BLOCK;

    v[t] = mean + block_sum<good>((v[t] - mean) * (v[t] - mean));
}

/* A tile is a part of a warp; the block has several. */
template <bool good>
__global__ void
groups(int *v, int n)
{
    __shared__ int s[BLOCK];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int t = block.thread_rank();

    s[t] = v[t]; // FAULT groups shared-read
    tile.sync();
    v[t] += s[t ^ 1];
    if (good)
        block.sync();
    v[t] += s[t ^ 32]; // FAULT groups shared-write
}

struct pair {
    short a, b;
};

template <bool good>
__global__ void
members(int *v, int n)
{
    __shared__ pair s[BLOCK];
    int t = threadIdx.x;

    s[t].a = (short)v[t]; // FAULT members shared-write
    if (good)
        s[t ^ 32].b = (short)t;
    else
        s[t ^ 32].a = (short)t; // FAULT members shared-write
    __syncthreads();
    v[t] = s[t].a;
}

static __device__ __attribute__((noinline)) void
put(int *to, int x)
{
    *to = x; // FAULT pointers shared-read
}

static __device__ __attribute__((noinline)) int
get(const int *from)
{
    return *from; // FAULT pointers shared-write
}

template <bool good>
__global__ void
pointers(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    put(n ? s + t : v + t, t);
    if (good)
        __syncthreads();
    v[t] = get(n ? s + (t ^ 32) : v + t);
}

template <bool good>
__global__ void
big_block(int *v, int n)
{
    __shared__ int s[1024];
    int t = threadIdx.x;

    s[t] = v[t]; // FAULT big-block shared-read
    if (good)
        __syncthreads();
    if (t == 0)
        v[t] = s[1023];
}

template <bool good>
__global__ void
part_of_a_warp(int *v, int n)
{
    __shared__ int s[70];
    int t = threadIdx.x;

    s[69 - t] = v[t];
    if (good)
        __syncthreads();
    if (t >= 64)
        v[t] = s[t]; // FAULT part-of-a-warp shared-write
}

template <bool good>
__global__ void
early_return(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    if (t >= 96) {
        if (!good && s[t - 96] != 7) // FAULT early-return shared-write
            v[t] = 1;
        return;
    }
    __syncthreads();
    v[t] = s[(t + 32) % 128];
}

template <bool good>
__global__ void
third_block(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[blockIdx.x * BLOCK + t]; // FAULT third-block shared-read
    if (good || blockIdx.x != 3)
        __syncthreads();
    v[blockIdx.x * BLOCK + t] = s[t ^ 32]; // FAULT third-block shared-write
}

/* Each case is launched with n of 1, 2 and 3. */
template <bool good>
__global__ void
second_launch(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t]; // FAULT second-launch shared-read
    if (good || n != 2)
        __syncthreads();
    v[t] = s[t ^ 32]; // FAULT second-launch shared-write
}

template <bool good>
__global__ void
counter(int *v, int n)
{
    __shared__ int count;
    int t = threadIdx.x;

    if (t == 0)
        count = 0;
    __syncthreads();
    if (v[t] & 1)
        v[BLOCK + atomicAdd(&count, 1)] = t;
    __syncthreads();
    v[t] = count; // FAULT counter shared-write
    if (good)
        __syncthreads();
    if (t == 0)
        count = 0;
}

template <bool good>
__global__ void
leaders(int *v, int n)
{
    __shared__ int sum;
    int t = threadIdx.x;

    if (t == 0)
        sum = 0;
    __syncthreads();
    if (t % 32 == 0) {
        if (good)
            atomicAdd(&sum, v[t]);
        else
            sum += v[t]; // FAULT leaders shared-write
    }
    __syncthreads();
    v[t] = sum;
}

template <bool good>
__global__ void
bitonic(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = v[t];
    __syncthreads();
    for (int k = 2; k <= BLOCK; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;

            if (other > t && (s[t] > s[other]) == !(t & k)) { // FAULT bitonic shared-write
                int x = s[t];

                s[t] = s[other]; // FAULT bitonic shared-read FAULT bitonic shared-write
                s[other] = x;    // FAULT bitonic shared-read FAULT bitonic shared-write
            }
            if (good || j > 32)
                __syncthreads();
        }
    v[t] = s[t];
}

/* The optimiser reads s[5] in all warps; the program in those that ask for it. */
template <bool good>
__global__ void
first_warp(int *v, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, x;

    v[t] = t;
    s[t] = n;
    __syncthreads();
    x = v[t] < (good ? 32 : 64) ? s[5] : 1; // FAULT first-warp shared-write
    if (t == 5)
        s[5] = x + 1;
    v[t + BLOCK] = x;
}

struct fault {
    const char *name;
    void (*kernels[2])(int *, int);
    dim3 block, grid;
    size_t bytes;
};

#define KERNELS(name) {name<false>, name<true>}

static const fault FAULTS[] = {
    {"tree", KERNELS(tree), BLOCK},
    {"broadcast", KERNELS(broadcast), BLOCK},
    {"double-buffer", KERNELS(double_buffer), BLOCK},
    {"scan", KERNELS(scan), BLOCK},
    {"scan-swapped", KERNELS(scan_swapped), BLOCK},
    {"loop-end", KERNELS(loop_end), BLOCK},
    {"branches", KERNELS(branches), BLOCK},
    {"histogram", KERNELS(histogram), BLOCK},
    {"histogram-read", KERNELS(histogram_read), BLOCK},
    {"flag", KERNELS(flag), BLOCK},
    {"message-relaxed", KERNELS(message_relaxed), BLOCK},
    {"message-load", KERNELS(message_load), BLOCK},
    {"message-store", KERNELS(message_store), BLOCK},
    {"message-fence", KERNELS(message_fence), BLOCK},
    {"message-scope", KERNELS(message_scope), BLOCK},
    {"message-pointer", KERNELS(message_pointer), BLOCK},
    {"ticket", KERNELS(ticket), BLOCK},
    {"lock", KERNELS(lock), BLOCK},
    {"halves", KERNELS(halves), BLOCK, 1, 2 * BLOCK * sizeof(int)},
    {"bytes", KERNELS(bytes), BLOCK},
    {"wide", KERNELS(wide), BLOCK},
    {"vectors", KERNELS(vectors), BLOCK},
    {"halo", KERNELS(halo), dim3(16, 8)},
    {"transpose", KERNELS(transpose), dim3(16, 16)},
    {"product", KERNELS(product), dim3(16, 16)},
    {"warp-sums", KERNELS(warp_sums), BLOCK},
    {"called-twice", KERNELS(called_twice), BLOCK},
    {"groups", KERNELS(groups), BLOCK},
    {"members", KERNELS(members), BLOCK},
    {"pointers", KERNELS(pointers), BLOCK},
    {"big-block", KERNELS(big_block), 1024},
    {"part-of-a-warp", KERNELS(part_of_a_warp), 70},
    {"early-return", KERNELS(early_return), BLOCK},
    {"third-block", KERNELS(third_block), BLOCK, 5},
    {"second-launch", KERNELS(second_launch), BLOCK},
    {"counter", KERNELS(counter), BLOCK},
    {"leaders", KERNELS(leaders), BLOCK},
    {"bitonic", KERNELS(bitonic), BLOCK},
    {"first-warp", KERNELS(first_warp), BLOCK},
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
    int *v;

    if (argc < 2 || hipMalloc(&v, WORDS * sizeof(int)) != hipSuccess ||
        hipMemset(v, 1, WORDS * sizeof(int)) != hipSuccess)
        return 2;
    for (const fault &f : FAULTS)
        if (is_wanted(f.name, argv + 2))
            for (int n = 1; n <= 3; n++)
                f.kernels[!strcmp(argv[1], "good")]<<<f.grid, f.block, f.bytes>>>(v, n);
    if (hipDeviceSynchronize() != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorString(hipGetLastError()));
        return 3;
    }
    return hipFree(v) != hipSuccess;
}
