/* SPDX-License-Identifier: MIT */
/* Sums in memory, behind pointers that meet or do not: in one allocation, at its end, in front of
 * it, in a structure, in memory that was given back and taken again, in a graph. Code that takes
 * them for apart may only run where they are. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define OK(call)                                                                                   \
    do {                                                                                           \
        hipError_t e_ = (call);                                                                    \
        if (e_ != hipSuccess) {                                                                    \
            printf("%d: %s\n", __LINE__, hipGetErrorString(e_));                                   \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

enum { N = 64, ROW = 24 };

/* What one thread does, in memory at each step. */
__host__ __device__ static inline void
add_up(int *out, const int *in, int n)
{
    for (int j = 0; j < n; j++)
        *out += in[j] + 1;
}

__global__ void
sums(int *out, const int *in, int n, int threads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < threads)
        add_up(out + i, in + i * n, n);
}

/* From both ends: `last` is behind the last element. */
__global__ void
swap_ends(int *first, int *last, int *count, int n)
{
    for (int i = 0; i < n; i++) {
        int a = first[i], b = last[-1 - i];

        first[i] = b + 1;
        last[-1 - i] = a + 2;
        *count += first[0] + last[-1];
    }
}

struct Both {
    int *out;
    long n;
    const int *in;
};

__global__ void
of_structure(Both b, int *more)
{
    for (long j = 0; j < b.n; j++) {
        *b.out += b.in[j] + 1;
        *more += *b.out;
    }
}

/* `table` leads to memory that an argument leads to as well. */
__global__ void
by_table(int *out, int *const *table, int n)
{
    for (int j = 0; j < n; j++) {
        *out += 3;
        table[0][j] += *out;
    }
}

static int bad;

static void
expect(const char *what, const std::vector<int> &want, const int *got)
{
    if (memcmp(want.data(), got, want.size() * sizeof(int)) != 0) {
        for (size_t i = 0; i < want.size(); i++)
            if (want[i] != got[i]) {
                printf("%s: [%zu] is %d, not %d\n", what, i, got[i], want[i]);
                break;
            }
        bad++;
    }
}

static std::vector<int>
some(size_t n)
{
    std::vector<int> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (int)(i * 7 % 19) - 5;
    return v;
}

/* One thread adds in[..] to *out, both in one piece of memory. */
static int
in_one(int *p, size_t n, int at, int from, const char *what)
{
    std::vector<int> want = some(n), got(n);

    OK(hipMemcpy(p, want.data(), n * sizeof(int), hipMemcpyHostToDevice));
    add_up(&want[at], &want[from], ROW);
    sums<<<1, 64>>>(p + at, p + from, ROW, 1);
    OK(hipMemcpy(got.data(), p, n * sizeof(int), hipMemcpyDeviceToHost));
    expect(what, want, got.data());
    return 0;
}

int
main()
{
    size_t n = N * ROW;
    int *a, *b, *c, *pool;
    hipStream_t stream;

    OK(hipStreamCreate(&stream));
    OK(hipMalloc(&a, n * sizeof(int)));
    OK(hipMalloc(&b, n * sizeof(int)));
    OK(hipMalloc(&c, n * sizeof(int)));
    /* Apart, and then in one, again and again. */
    for (int round = 0; round < 3; round++) {
        std::vector<int> from = some(n), want = some(N), got(N);

        OK(hipMemcpy(a, want.data(), N * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemcpy(b, from.data(), n * sizeof(int), hipMemcpyHostToDevice));
        for (int i = 0; i < N; i++)
            add_up(&want[i], &from[i * ROW], ROW);
        sums<<<1, 64>>>(a, b, ROW, N);
        OK(hipMemcpy(got.data(), a, N * sizeof(int), hipMemcpyDeviceToHost));
        expect("apart", want, got.data());
        for (int at = 0; at < ROW; at += 5)
            if (in_one(a, n, at, 0, "in one"))
                return 1;
        if (in_one(b, n, 3, 2, "in the other"))
            return 1;
    }
    /* The end of an allocation, and its beginning. */
    for (int both = 0; both < 2; both++) {
        std::vector<int> want = some(n), got(n);
        int count = 0, got_count, *end;

        OK(hipMemcpy(a, want.data(), n * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemcpy(b, want.data(), n * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemset(c, 0, sizeof(int)));
        end = both ? b + n : a + n;
        std::vector<int> other = want;
        int *last = both ? other.data() + n : want.data() + n;
        for (int i = 0; i < (int)n - 3; i++) {
            int x = want[i], y = last[-1 - i];

            want[i] = y + 1;
            last[-1 - i] = x + 2;
            count = (int)((unsigned)count + (unsigned)want[0] + (unsigned)last[-1]);
        }
        swap_ends<<<1, 1>>>(a, end, c, (int)n - 3);
        OK(hipMemcpy(got.data(), a, n * sizeof(int), hipMemcpyDeviceToHost));
        OK(hipMemcpy(&got_count, c, sizeof(int), hipMemcpyDeviceToHost));
        expect(both ? "ends of two" : "ends", want, got.data());
        expect("their sum", {count}, &got_count);
    }
    /* Pointers of a structure, and one beside it. */
    for (int way = 0; way < 4; way++) {
        std::vector<int> x = some(n), y = some(n), got(n);
        int at = way & 1 ? 4 : 0, *more = way & 2 ? a + 2 : c, sum = 0;
        Both both = {way & 1 ? b + at : a, ROW, b};
        int *out = way & 1 ? &y[at] : &x[0], *add = way & 2 ? &x[2] : &sum;

        OK(hipMemcpy(a, x.data(), n * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemcpy(b, y.data(), n * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemset(c, 0, sizeof(int)));
        for (int j = 0; j < ROW; j++) {
            *out = (int)((unsigned)*out + (unsigned)y[j] + 1u);
            *add = (int)((unsigned)*add + (unsigned)*out);
        }
        of_structure<<<1, 1>>>(both, more);
        OK(hipMemcpy(got.data(), a, n * sizeof(int), hipMemcpyDeviceToHost));
        expect("structure, first", x, got.data());
        OK(hipMemcpy(got.data(), b, n * sizeof(int), hipMemcpyDeviceToHost));
        expect("structure, second", y, got.data());
        OK(hipMemcpy(got.data(), c, sizeof(int), hipMemcpyDeviceToHost));
        expect("structure, beside", {sum}, got.data());
    }
    /* A pointer that was read from memory. */
    for (int way = 0; way < 2; way++) {
        std::vector<int> x = some(n), y = some(n), got(n);
        int *in = way ? a + 1 : b, *want = way ? &x[1] : &y[0];

        OK(hipMemcpy(a, x.data(), n * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemcpy(b, y.data(), n * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemcpy(c, &in, sizeof(in), hipMemcpyHostToDevice));
        for (int j = 0; j < ROW; j++) {
            x[5] += 3;
            want[j] += x[5];
        }
        by_table<<<1, 1>>>(a + 5, (int *const *)c, ROW);
        OK(hipMemcpy(got.data(), a, n * sizeof(int), hipMemcpyDeviceToHost));
        expect("table, first", x, got.data());
        OK(hipMemcpy(got.data(), b, n * sizeof(int), hipMemcpyDeviceToHost));
        expect("table, second", y, got.data());
    }
    /* The same addresses, in one allocation now: of a pool, and of what was two. */
    OK(hipMallocAsync((void **)&pool, n * sizeof(int), stream));
    OK(hipStreamSynchronize(stream));
    if (in_one(pool, n, 9, 0, "pool"))
        return 1;
    sums<<<1, 64, 0, stream>>>(pool, b, ROW, N);
    OK(hipFreeAsync(pool, stream));
    for (int round = 0; round < 8; round++) {
        int *low, *high;

        OK(hipMalloc(&low, 64 << 10));
        OK(hipMalloc(&high, 64 << 10));
        sums<<<1, 64>>>(low, high, ROW, N);
        OK(hipDeviceSynchronize());
        OK(hipFree(low));
        OK(hipFree(high));
        OK(hipMalloc(&low, (256 << 10) * (size_t)(round + 1)));
        if (in_one(low, n, round, 0, "taken again"))
            return 1;
        OK(hipFree(low));
    }
    /* More ways to meet than there is code for. */
    int *all[6];
    std::vector<int> numbers = some(n);
    for (int i = 0; i < 6; i++)
        OK(hipMalloc(&all[i], n * sizeof(int)));
    for (int i = 0; i < 36; i++) {
        int *out = all[i % 6] + 3, *in = all[i / 6];
        std::vector<int> want = some(n), got(n);

        OK(hipMemcpy(all[i % 6], numbers.data(), n * sizeof(int), hipMemcpyHostToDevice));
        OK(hipMemcpy(in, numbers.data(), n * sizeof(int), hipMemcpyHostToDevice));
        add_up(&want[3], i % 6 == i / 6 ? want.data() : numbers.data(), ROW);
        sums<<<1, 32>>>(out, in, ROW, 1);
        OK(hipMemcpy(got.data(), all[i % 6], n * sizeof(int), hipMemcpyDeviceToHost));
        expect("six", want, got.data());
    }
    /* A graph that was made for two arrays runs with one. */
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t node;
    int row = ROW, one = 1;
    int *out = a, *in = b;
    void *args[] = {&out, &in, &row, &one};
    hipKernelNodeParams params = {};
    std::vector<int> want = some(n), got(n);

    params.func = (void *)sums;
    params.gridDim = dim3(1);
    params.blockDim = dim3(64);
    params.kernelParams = args;
    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    out = b + 6;
    OK(hipMemcpy(b, want.data(), n * sizeof(int), hipMemcpyHostToDevice));
    OK(hipGraphExecKernelNodeSetParams(exec, node, &params));
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    add_up(&want[6], want.data(), ROW);
    OK(hipMemcpy(got.data(), b, n * sizeof(int), hipMemcpyDeviceToHost));
    expect("graph", want, got.data());
    printf("%s\n", bad ? "WRONG" : "right");
    return bad != 0;
}
