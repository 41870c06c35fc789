/* SPDX-License-Identifier: MIT */
/* Function pointers as values: through memory, kernel arguments and the host, between kernels, in
 * constant tables; objects with virtual functions that one kernel makes and another uses; targets
 * with barriers. */
#include "../check.h"

#include <new>

typedef int (*unary_fn)(int);
typedef void (*block_fn)(int *);

__device__ int
twice(int x)
{
    return x * 2;
}

__device__ int
negate(int x)
{
    return -x;
}

__device__ int
count_bits(int x)
{
    int n = 0;
    while (x) {
        n += x & 1;
        x = (int)((unsigned)x >> 1);
    }
    return n;
}

struct Entry {
    const char *name;
    unary_fn fn;
    const int *weight;
};

__device__ const int weights[3] = {1, 10, 100};
__device__ unary_fn exported = count_bits;
__constant__ unary_fn fixed[2] = {negate, twice};
__device__ Entry entries[3] = {
    {"twice", twice, &weights[2]}, {"negate", negate, &weights[0]}, {"none", nullptr, weights + 1}};
__device__ unary_fn scratch[64];

__global__ void
store(unary_fn *where, int n)
{
    int i = (int)global_id();

    if (i < 64)
        scratch[i] = i % 3 == 0 ? twice : i % 3 == 1 ? negate : count_bits;
    if (i < n)
        where[i] = i & 1 ? fixed[i & 2 ? 1 : 0] : exported;
}

__global__ void
call_stored(int *out, const unary_fn *where, unary_fn uniform, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    static const unary_fn local[2] = {count_bits, twice};
    int r = where[i](i) + uniform(i) * 3 + scratch[i & 63](i + 1) * 5 + local[(i >> 2) & 1](i);
    const Entry *e = &entries[i % 3];
    r += e->name[0] * *e->weight;
    if (e->fn)
        r ^= e->fn(i);
    r += where[i] == uniform ? 1000 : 0;
    out[i] = r;
}

struct Node {
    int v;
    __device__ Node(int a) : v(a)
    {
    }
    __device__ virtual int get(int k) const
    {
        return v + k;
    }
    __device__ virtual ~Node()
    {
    }
};

struct Scaled : Node {
    int by;
    __device__ Scaled(int a, int b) : Node(a), by(b)
    {
    }
    __device__ int get(int k) const override
    {
        return k & 1 ? v * by : Node::get(k) - by;
    }
};

struct Slot {
    alignas(16) char bytes[sizeof(Scaled)];
};

__global__ void
make(Slot *slots, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    if (i & 1)
        new (slots[i].bytes) Scaled(i, i & 7);
    else
        new (slots[i].bytes) Node(i);
}

__global__ void
use(int *out, Slot *slots, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    Node *node = (Node *)slots[i].bytes;
    out[i] = node->get(i >> 1);
    node->~Node();
}

__device__ void
reverse_block(int *out)
{
    __shared__ int room[1024];
    unsigned t = threadIdx.x, n = blockDim.x;

    room[t] = (int)(blockIdx.x * n + t);
    __syncthreads();
    out[blockIdx.x * n + t] = room[n - 1 - t];
    __syncthreads();
}

__device__ void
zero_block(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__device__ block_fn block_work[2] = {zero_block, reverse_block};

__global__ void
run_block(int *out, int which)
{
    block_work[which](out);
}

static int
host_bits(int x)
{
    return __builtin_popcount((unsigned)x);
}

static int
host_call(int which, int x)
{
    return which == 0 ? x * 2 : which == 1 ? -x : host_bits(x);
}

int
main()
{
    const int n = 300;
    unary_fn from_device;
    static const char first[3] = {'t', 'n', 'n'};
    static const int weight[3] = {100, 1, 10};

    CHECK_HIP(hipMemcpyFromSymbol(&from_device, HIP_SYMBOL(exported), sizeof(from_device)));
    for (dim3 b : test_shapes(3)) {
        Dev<unary_fn> where(n);
        Dev<int> out(n);
        Dev<Slot> slots(n);
        std::vector<int> want(n), vwant(n);

        store<<<dim3(blocks_for(n, b)), b>>>(where, n);
        call_stored<<<dim3(blocks_for(n, b)), b>>>(out, where, from_device, n);
        for (int i = 0; i < n; i++) {
            int stored = i & 1 ? (i & 2 ? 0 : 1) : 2;
            want[i] = host_call(stored, i) + host_bits(i) * 3 + host_call((i & 63) % 3, i + 1) * 5 +
                      host_call((i >> 2) & 1 ? 0 : 2, i);
            want[i] += first[i % 3] * weight[i % 3];
            if (i % 3 < 2)
                want[i] ^= host_call(i % 3, i);
            want[i] += stored == 2 ? 1000 : 0;
            int k = i >> 1;
            vwant[i] = !(i & 1) ? i + k : k & 1 ? i * (i & 7) : i + k - (i & 7);
        }
        check_same("call_stored", out.get(), want);
        make<<<dim3(blocks_for(n, b)), b>>>(slots, n);
        use<<<dim3(blocks_for(n, b)), b>>>(out, slots, n);
        check_same("use", out.get(), vwant);
    }
    for (int size : {32, 96, 256}) {
        Dev<int> out(size * 3);
        std::vector<int> want(size * 3);

        run_block<<<3, size>>>(out, 1);
        for (int i = 0; i < size * 3; i++)
            want[i] = i / size * size + size - 1 - i % size;
        check_same("run_block", out.get(), want);
        run_block<<<3, size>>>(out, 0);
        check_same("run_block 0", out.get(), std::vector<int>(size * 3, 0));
    }
    return 0;
}
