/* SPDX-License-Identifier: MIT */
/* Reads of memory that nobody has written, which lscheck finds, and their repaired twins: `bad`
 * runs the faults, `good` the twins, of the cases that are named, else of all. The reports stand at
 * the lines that are marked: FAULT, name, kind; copies to the host have no line, but
 * their length is their own: COPY and its name, the first byte and the length. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { BLOCK = 128, WORDS = 1024, BYTES = WORDS * sizeof(int) };

__device__ int table[BLOCK];
__device__ int filled[4] = {1, 2, 3, 4};
__managed__ int shared_with_host[BLOCK];

static int host[WORDS];

static void
must(hipError_t e, int line)
{
    if (e == hipSuccess)
        return;
    fprintf(stderr, "line %d: %s\n", line, hipGetErrorString(e));
    exit(3);
}
#define MUST(e) must(e, __LINE__)

/* Memory that nobody has written. */
static int *
fresh(size_t bytes = BYTES)
{
    int *p;

    MUST(hipMalloc(&p, bytes));
    return p;
}

static int *
zeroed(size_t bytes = BYTES)
{
    int *p = fresh(bytes);

    MUST(hipMemset(p, 0, bytes));
    return p;
}

static void
to_host(const void *from, size_t bytes)
{
    MUST(hipMemcpy(host, from, bytes, hipMemcpyDeviceToHost));
}

/* ---- By kernels, of memory of the device ---- */

__global__ void
read_fresh(const int *v, int *out)
{
    out[threadIdx.x] = v[threadIdx.x]; // FAULT fresh uninitialised-read
}

static void
fresh_memory(bool good)
{
    int *v = good ? zeroed() : fresh(), *out = fresh();

    read_fresh<<<1, BLOCK>>>(v, out);
    to_host(out, BLOCK * sizeof(int));
    MUST(hipFree(v));
    MUST(hipFree(out));
}

__global__ void
read_tail(const int *v, int *out, int n)
{
    for (int i = threadIdx.x; i < n; i += BLOCK)
        out[i] = v[i] + 1; // FAULT tail uninitialised-read
}

static void
tail(bool good)
{
    int *v = fresh(), *out = fresh();

    MUST(hipMemset(v, 0, BYTES - 1));
    if (good)
        MUST(hipMemset((char *)v + BYTES - 1, 0, 1));
    read_tail<<<1, BLOCK>>>(v, out, WORDS);
    MUST(hipFree(v));
    MUST(hipFree(out));
}

__global__ void
read_copied(const int *v, int *out, int n)
{
    if ((int)threadIdx.x < n)
        out[threadIdx.x] = v[threadIdx.x]; // FAULT copied uninitialised-read
}

static void
copied(bool good)
{
    int *v = fresh(), *out = fresh();

    MUST(hipMemcpy(v, host, 100 * sizeof(int), hipMemcpyHostToDevice));
    read_copied<<<1, BLOCK>>>(v, out, good ? 100 : 101);
    MUST(hipFree(v));
    MUST(hipFree(out));
}

__global__ void
read_rows(const char *v, size_t pitch, int width, int *out)
{
    int sum = 0;

    for (int i = 0; i < width; i++)
        sum += v[threadIdx.x * pitch + i]; // FAULT rows uninitialised-read
    out[threadIdx.x] = sum;
}

static void
rows(bool good)
{
    char *v;
    int *out = fresh();
    size_t pitch;

    MUST(hipMallocPitch((void **)&v, &pitch, 100, 32));
    MUST(hipMemcpy2D(v, pitch, host, 100, 100, 32, hipMemcpyHostToDevice));
    read_rows<<<1, 32>>>(v, pitch, good ? 100 : 101, out);
    MUST(hipFree(v));
    MUST(hipFree(out));
}

__global__ void
fill(int *v, int from, int to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + from;

    if (i < to)
        v[i] = i;
}

__global__ void
sum_up(const int *v, int n, int *out)
{
    int sum = 0;

    for (int i = threadIdx.x; i < n; i += BLOCK)
        sum += v[i]; // FAULT by-kernel uninitialised-read
    out[threadIdx.x] = sum;
}

/* The last block is missing. */
static void
by_kernel(bool good)
{
    int *v = fresh(), *out = fresh();

    fill<<<(WORDS - 1) / BLOCK + good, BLOCK>>>(v, 0, WORDS);
    sum_up<<<1, BLOCK>>>(v, WORDS, out);
    MUST(hipFree(v));
    MUST(hipFree(out));
}

struct record {
    char kind;
    int count;
    double weight;
};

__global__ void
write_records(record *r, bool all)
{
    r[threadIdx.x].kind = 1;
    r[threadIdx.x].weight = 2;
    if (all)
        r[threadIdx.x].count = 3;
}

__global__ void
read_records(const record *r, double *out)
{
    double x = r[threadIdx.x].weight + r[threadIdx.x].kind;

    out[threadIdx.x] = x + r[threadIdx.x].count; // FAULT member uninitialised-read
}

/* Whole records, with the bytes between their members. */
__global__ void
move_records(record *to, const record *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

static void
member(bool good)
{
    record *r = (record *)fresh(BLOCK * sizeof(*r)), *moved = (record *)fresh(BLOCK * sizeof(*r));
    double *out = (double *)fresh();

    write_records<<<1, BLOCK>>>(r, good);
    if (good)
        move_records<<<1, BLOCK>>>(moved, r);
    read_records<<<1, BLOCK>>>(good ? moved : r, out);
    MUST(hipFree(r));
    MUST(hipFree(moved));
    MUST(hipFree(out));
}

struct small {
    char kind;
    short count;
};

__global__ void
move_small(small *to, const small *from)
{
    __shared__ small s[BLOCK];

    s[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void
read_small(small *r, int *out, bool all)
{
    r[threadIdx.x].kind = 1;
    if (all)
        r[threadIdx.x].count = 2;
    out[threadIdx.x] = r[threadIdx.x ^ 1].count; // FAULT small uninitialised-read
}

static void
padding(bool good)
{
    small *r = (small *)fresh(BLOCK * sizeof(*r)), *moved = (small *)fresh(BLOCK * sizeof(*r));
    int *out = fresh();

    read_small<<<1, BLOCK>>>(r, out, good);
    if (good)
        move_small<<<1, BLOCK>>>(moved, r);
    MUST(hipFree(r));
    MUST(hipFree(moved));
    MUST(hipFree(out));
}

__global__ void
read_again(const int *v, int *out)
{
    out[threadIdx.x] = v[threadIdx.x]; // FAULT again uninitialised-read
}

static void
again(bool good)
{
    int *out = fresh(), *v;

    for (int i = 0; i < 64; i++) {
        v = zeroed();
        MUST(hipFree(v));
    }
    v = good ? zeroed() : fresh();
    read_again<<<1, BLOCK>>>(v, out);
    MUST(hipFree(v));
    MUST(hipFree(out));
}

__global__ void
count(int *bins)
{
    atomicAdd(&bins[threadIdx.x & 15], 1); // FAULT atomic uninitialised-read
}

static void
atomic_counters(bool good)
{
    int *bins = good ? zeroed(64) : fresh(64);

    count<<<2, BLOCK>>>(bins);
    MUST(hipFree(bins));
}

__global__ void
swap_in(int *v)
{
    atomicCAS(&v[threadIdx.x], 0, 1); // FAULT compare uninitialised-read
}

static void
compare(bool good)
{
    int *v = good ? zeroed() : fresh();

    swap_in<<<1, BLOCK>>>(v);
    MUST(hipFree(v));
}

__global__ void
read_moved(const int *v, int *out)
{
    out[threadIdx.x] = v[threadIdx.x]; // FAULT moved uninitialised-read
}

/* Copies within the device hand on what was not written. */
static void
moved(bool good)
{
    int *a = fresh(), *b = zeroed(), *out = fresh();

    MUST(hipMemset(a, 0, good ? BYTES : 400));
    MUST(hipMemcpy(b, a, BYTES, hipMemcpyDeviceToDevice));
    read_moved<<<1, BLOCK>>>(b, out);
    MUST(hipFree(a));
    MUST(hipFree(b));
    MUST(hipFree(out));
}

static __device__ __attribute__((noinline)) int
get(const int *from)
{
    return *from; // FAULT called uninitialised-read
}

__global__ void
call(const int *v, int *out)
{
    out[threadIdx.x] = get(v + threadIdx.x);
}

static void
called(bool good)
{
    int *v = good ? zeroed() : fresh(), *out = fresh();

    call<<<1, BLOCK>>>(v, out);
    MUST(hipFree(v));
    MUST(hipFree(out));
}

__global__ void
read_vectors(const float4 *v, float4 *out)
{
    out[threadIdx.x] = v[threadIdx.x]; // FAULT vectors uninitialised-read
}

static void
vectors(bool good)
{
    float4 *v = (float4 *)fresh(), *out = (float4 *)fresh();

    MUST(hipMemset(v, 0, BLOCK * sizeof(float4) - (good ? 0 : 20)));
    read_vectors<<<1, BLOCK>>>(v, out);
    MUST(hipFree(v));
    MUST(hipFree(out));
}

/* ---- Of shared memory ---- */

__global__ void
read_halves(int *out, bool good)
{
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x;

    s[t] = t;
    if (good)
        s[t + BLOCK] = t;
    __syncthreads();
    out[t] = s[t * 2]; // FAULT halves uninitialised-read
}

static void
halves(bool good)
{
    int *out = fresh();

    read_halves<<<1, BLOCK>>>(out, good);
    MUST(hipFree(out));
}

__global__ void
add_up(int *out, bool good)
{
    __shared__ int sum;

    if (good && threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1); // FAULT shared-counter uninitialised-read
    __syncthreads();
    out[threadIdx.x] = sum;
}

static void
shared_counter(bool good)
{
    int *out = fresh();

    add_up<<<1, BLOCK>>>(out, good);
    MUST(hipFree(out));
}

__global__ void
read_dynamic(int *out, int first)
{
    extern __shared__ int d[];
    int t = threadIdx.x;

    d[t] = t;
    __syncthreads();
    out[t] = t >= first ? d[t - first] : d[BLOCK + t]; // FAULT dynamic uninitialised-read
}

static void
dynamic(bool good)
{
    int *out = fresh();

    read_dynamic<<<1, BLOCK, (BLOCK + 4) * sizeof(int)>>>(out, good ? 0 : 2);
    MUST(hipFree(out));
}

/* A block starts with nothing, whatever the one before has left. */
__global__ void
read_left(int *out, bool good)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    if (good || blockIdx.x == 0)
        s[t] = t;
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[t ^ 1]; // FAULT left uninitialised-read
}

static void
left(bool good)
{
    int *out = fresh();

    read_left<<<8, BLOCK>>>(out, good);
    MUST(hipFree(out));
}

/* Pointers that only the run shows to be of shared memory. */
/* Some of a row's lanes read, and what others would read was not written. */
__global__ void
read_some(int *out, int n, bool good)
{
    __shared__ int sums[32];
    int t = threadIdx.x;

    if (t % 32 == 0)
        sums[t / 32] = t;
    __syncthreads();
    out[t] = t < (good ? n : n + 1) ? sums[t] : 0; // FAULT some uninitialised-read
}

static void
some(bool good)
{
    int *out = fresh();

    read_some<<<3, BLOCK>>>(out, BLOCK / 32, good);
    MUST(hipFree(out));
}

/* Accesses that are told of together keep their order. */
__global__ void
read_then_write(int *out, bool good)
{
    __shared__ int s[BLOCK], full[BLOCK];
    int t = threadIdx.x, v;

    full[t] = t;
    if (good)
        s[t] = t;
    __syncthreads();
    v = s[t]; // FAULT before uninitialised-read
    s[t] = full[t ^ 1];
    v += s[t] + full[t ^ 2];
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = v + s[t ^ 3];
}

static void
before(bool good)
{
    int *out = fresh();

    read_then_write<<<8, BLOCK>>>(out, true);
    read_then_write<<<8, BLOCK>>>(out, good);
    MUST(hipFree(out));
}

__global__ void
read_in_turn(int *out, unsigned n, bool good)
{
    __shared__ int a[64], b[64];
    int *buffers[2] = {a, b}, t = threadIdx.x;

    if (good)
        a[t] = t;
    __syncthreads();
    for (unsigned i = 0; i < n; i++) {
        int *from = buffers[i & 1], *to = buffers[(i + 1) & 1];

        to[t] = from[(t + 1) & 63] + 1; // FAULT in-turn uninitialised-read
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = buffers[n & 1][t];
}

static void
in_turn(bool good)
{
    int *out = fresh();

    read_in_turn<<<4, 64>>>(out, 5, good);
    MUST(hipFree(out));
}

__global__ void
read_halo(int *out, int rows)
{
    __shared__ int s[18][18];
    int x = threadIdx.x, y = threadIdx.y;

    for (int i = y; i < rows; i += 16)
        for (int k = x; k < 18; k += 16)
            s[i][k] = i + k;
    __syncthreads();
    out[y * 16 + x] = s[y][x + 1] + s[y + 2][x + 1]; // FAULT halo uninitialised-read
}

static void
halo(bool good)
{
    int *out = fresh();

    read_halo<<<1, dim3(16, 16)>>>(out, good ? 18 : 17);
    MUST(hipFree(out));
}

/* ---- Copies to the host ---- */

/* Thread t fills so many bytes of its part that n says, and copies them. */
__global__ void
fill_parts(char *a, char *b, int n)
{
    memset(a + threadIdx.x * 16, 1, n);
    memcpy(b + threadIdx.x * 16, a + threadIdx.x * 16, n);
}

__global__ void
copy_parts(char *b, const char *a, int n)
{
    memcpy(b + threadIdx.x * 16, a + threadIdx.x * 16, n); // FAULT parts-copied uninitialised-read
    if (b[threadIdx.x * 16 + n] == 9)                      // FAULT parts uninitialised-read
        b[0] = 1;
}

static void
parts(bool good)
{
    char *a = (char *)fresh(), *b = (char *)fresh(), *c = (char *)fresh();

    fill_parts<<<1, BLOCK>>>(a, b, good ? 16 : 11);
    copy_parts<<<1, BLOCK>>>(b, a, good ? 12 : 13);
    MUST(hipDeviceSynchronize());
    MUST(hipFree(a));
    MUST(hipFree(b));
    MUST(hipFree(c));
}

static void
copy_all(bool good)
{
    int *v = good ? zeroed() : fresh();

    to_host(v, 404); // COPY copy-all 0 404
    MUST(hipFree(v));
}

static void
copy_end(bool good)
{
    int *v = fresh();

    fill<<<1, BLOCK>>>(v, 0, good ? 128 : 99);
    to_host(v, 408); // COPY copy-end 396 408
    MUST(hipFree(v));
}

static void
copy_async(bool good)
{
    int *v = fresh(), *pinned;
    hipStream_t stream;

    MUST(hipStreamCreate(&stream));
    MUST(hipHostMalloc(&pinned, 412));
    MUST(hipMemsetAsync(v, 0, good ? 412 : 3, stream));
    MUST(hipMemcpyAsync(pinned, v, 412, hipMemcpyDeviceToHost, stream)); // COPY copy-async 3 412
    MUST(hipStreamSynchronize(stream));
    MUST(hipStreamDestroy(stream));
    MUST(hipHostFree(pinned));
    MUST(hipFree(v));
}

static void
copy_moved(bool good)
{
    int *a = fresh(), *b = zeroed();

    if (good)
        fill<<<1, BLOCK>>>(a, 0, BLOCK);
    MUST(hipMemcpy(b + 1, a, 64, hipMemcpyDeviceToDevice));
    to_host(b, 416); // COPY copy-moved 4 416
    MUST(hipFree(a));
    MUST(hipFree(b));
}

static void
copy_2d(bool good)
{
    char *v = (char *)fresh();

    MUST(hipMemset2D(v, 64, 0, good ? 33 : 32, 8));
    MUST(hipMemcpy2D(host, 33, v, 64, 33, 8, hipMemcpyDeviceToHost)); // COPY copy-2d 32 33
    MUST(hipFree(v));
}

static void
copy_graph(bool good)
{
    int *v = good ? zeroed() : fresh();
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t node;

    MUST(hipGraphCreate(&graph, 0));
    MUST(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, v, 420, // COPY copy-graph 0 420
                                 hipMemcpyDeviceToHost));
    MUST(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    MUST(hipGraphLaunch(exec, nullptr));
    MUST(hipStreamSynchronize(nullptr));
    MUST(hipGraphExecDestroy(exec));
    MUST(hipGraphDestroy(graph));
    MUST(hipFree(v));
}

/* ---- What is written without anybody's doing ---- */

__global__ void
read_written(const int *pinned, const int *managed, int *out)
{
    int t = threadIdx.x;

    out[t] = table[t] + filled[t & 3] + shared_with_host[t] + pinned[t] + managed[t];
}

/* Variables, and memory that the host can write; copies to all of them, and fills of all widths. */
static void
written(bool good)
{
    int *pinned, *managed, *out = fresh();
    short *v = (short *)fresh();

    MUST(hipHostMalloc(&pinned, BYTES));
    MUST(hipMallocManaged(&managed, BYTES));
    read_written<<<1, BLOCK>>>(pinned, managed, out);
    MUST(hipMemsetD16(v, 7, 65));
    MUST(hipMemsetD32((char *)v + 132, 7, 9));
    MUST(hipMemset((char *)v + 130, 7, 2));
    read_fresh<<<1, 42>>>((int *)v, out);
    MUST(hipMemcpyToSymbol(table, v, 60, 4, hipMemcpyDeviceToDevice));
    MUST(hipMemcpyFromSymbol(host, table, sizeof(table)));
    to_host(out, BLOCK * sizeof(int));
    MUST(hipHostFree(pinned));
    MUST(hipFree(managed));
    MUST(hipFree(v));
    MUST(hipFree(out));
}

__global__ void
read_refilled(const int *v, int *out)
{
    out[threadIdx.x] = v[threadIdx.x]; // FAULT refilled uninitialised-read
}

/* All of it was written and read, and then a part is overwritten by what was not. */
static void
refilled(bool good)
{
    int *v = fresh(), *w = fresh(), *out = fresh();

    MUST(hipMemset(v, 0, BYTES));
    for (int i = 0; i < 3; i++)
        read_refilled<<<1, BLOCK>>>(v, out);
    if (!good)
        MUST(hipMemcpy(v + 8, w + 8, 16 * sizeof(int), hipMemcpyDeviceToDevice));
    read_refilled<<<1, BLOCK>>>(v, out);
    MUST(hipFree(v));
    MUST(hipFree(w));
    MUST(hipFree(out));
}

static const struct {
    const char *name;
    void (*run)(bool good);
} FAULTS[] = {
    {"fresh", fresh_memory},
    {"tail", tail},
    {"copied", copied},
    {"refilled", refilled},
    {"rows", rows},
    {"by-kernel", by_kernel},
    {"member", member},
    {"small", padding},
    {"again", again},
    {"atomic", atomic_counters},
    {"compare", compare},
    {"moved", moved},
    {"called", called},
    {"vectors", vectors},
    {"halves", halves},
    {"shared-counter", shared_counter},
    {"dynamic", dynamic},
    {"left", left},
    {"some", some},
    {"before", before},
    {"in-turn", in_turn},
    {"halo", halo},
    {"parts", parts},
    {"copy-all", copy_all},
    {"copy-end", copy_end},
    {"copy-async", copy_async},
    {"copy-moved", copy_moved},
    {"copy-2d", copy_2d},
    {"copy-graph", copy_graph},
    {"written", written},
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
    if (argc < 2)
        return 2;
    for (const auto &f : FAULTS)
        if (is_wanted(f.name, argv + 2))
            f.run(!strcmp(argv[1], "good"));
    MUST(hipDeviceSynchronize());
    return 0;
}
