/* SPDX-License-Identifier: MIT */
/* Faults of each kind that lscheck finds in memory, and their repaired twins: NAME runs the fault,
 * NAME good the twin. What is to be found stands behind the line: FAULT name kind. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 1000, BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK };

__device__ float table[64];
__constant__ float weights[32];

struct by_value {
    int n[8];
};

static bool good;

static float *
floats(size_t n)
{
    float *p = nullptr;

    if (hipMalloc(&p, n * sizeof(float)) != hipSuccess ||
        hipMemset(p, 0, n * sizeof(float)) != hipSuccess)
        exit(3);
    return p;
}

/* Each thread clears and copies as many bytes as the host says. */
__global__ void
fill_part(float *v, int n)
{
    if (threadIdx.x == 0)
        memset(v, 0, (size_t)n); // FAULT fill-part out-of-bounds
}

__global__ void
copy_part(char *to, const float *from, int n)
{
    memcpy(to + threadIdx.x * n, from, (size_t)n); // FAULT copy-part out-of-bounds
}

__global__ void
fill_shared(float *v, int n)
{
    __shared__ char s[64];

    if (threadIdx.x == 1)
        memset(s, 7, n * threadIdx.x); // FAULT fill-shared shared-out-of-bounds
    __syncthreads();
    v[0] = s[threadIdx.x];
}

static void
done(void *p = nullptr)
{
    (void)hipDeviceSynchronize();
    if (p)
        (void)hipFree(p);
}

__global__ void
scale(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        v[i] *= 2; // FAULT after-free use-after-free
}

__global__ void
read_end(const float *v, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[0] = v[i]; // FAULT read-end out-of-bounds
}

__global__ void
write_end(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        v[i] = 1; // FAULT write-end out-of-bounds
}

__global__ void
write_end_good(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        v[i] = 1;
}

__global__ void
left(float *v, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= first && i < n)
        v[i] = v[i - 1]; // FAULT left out-of-bounds
}

__global__ void
through(float *v)
{
    v[threadIdx.x] = 1; // FAULT null null-pointer
}

__global__ void
from_host(const float *v, float *out)
{
    out[threadIdx.x] = v[threadIdx.x]; // FAULT host host-pointer
}

__global__ void
wide(float *v, int from)
{
    *(float4 *)(v + from) = make_float4(0, 1, 2, 3); // FAULT misaligned misaligned
}

__global__ void
shared(float *v, int n)
{
    __shared__ float s[64];

    s[threadIdx.x % n] = v[threadIdx.x]; // FAULT shared shared-out-of-bounds
    __syncthreads();
    v[threadIdx.x] = s[threadIdx.x % 64];
}

__global__ void
dynamic(float *v)
{
    extern __shared__ float d[];

    d[threadIdx.x] = v[threadIdx.x]; // FAULT dynamic shared-out-of-bounds
    __syncthreads();
    v[threadIdx.x] = d[threadIdx.x ^ 1];
}

/* Through a flat pointer, as the last steps of many a reduction go. */
__device__ void
add_flat(volatile float *sum, unsigned t, int far)
{
    sum[t] += sum[t + far]; // FAULT flat-dynamic shared-out-of-bounds
}

__global__ void
flat_dynamic(float *v, int far)
{
    extern __shared__ float d[];

    d[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        add_flat(d, threadIdx.x, far);
    v[threadIdx.x] = d[threadIdx.x];
}

__global__ void
shared_left(float *v, int first)
{
    __shared__ float a[BLOCK], b[BLOCK];
    int t = threadIdx.x;

    a[t] = v[t];
    b[t] = -v[t];
    __syncthreads();
    v[t] = t >= first ? a[t - 1] + b[t - 1] : 0; // FAULT shared-left shared-out-of-bounds
}

__global__ void
own(float *v, int n)
{
    float mine[16];

    for (int i = 0; i < 16; i++)
        mine[i] = v[i] + threadIdx.x;
    v[threadIdx.x] = mine[threadIdx.x % n]; // FAULT own private-out-of-bounds
}

__global__ void
variable(float *v, int n)
{
    v[threadIdx.x] = table[threadIdx.x % n]; // FAULT variable out-of-bounds
}

__global__ void
constant(float *v, int n)
{
    v[threadIdx.x] = weights[threadIdx.x % n]; // FAULT constant out-of-bounds
}

__global__ void
argument(by_value a, float *v, int n)
{
    v[threadIdx.x] = (float)a.n[threadIdx.x % n]; // FAULT argument constant-out-of-bounds
}

__global__ void
count(int *bins, int n)
{
    atomicAdd(&bins[threadIdx.x % n], 1); // FAULT atomic out-of-bounds
}

__device__ __attribute__((noinline)) void
put(float *at, float x)
{
    *at = x; // FAULT called out-of-bounds
}

__global__ void
calls(float *v, int n)
{
    put(v + threadIdx.x % n, 1);
}

static __device__ inline float
get(const float *v, int i)
{
    return v[i]; // FAULT inlined out-of-bounds
}

__global__ void
inlined(float *v, int n)
{
    v[threadIdx.x] = get(v, threadIdx.x % 64) + get(v, threadIdx.x % n);
}

__global__ void
rows(char *v, size_t pitch, int n_rows)
{
    if ((int)blockIdx.x < n_rows)
        v[blockIdx.x * pitch + threadIdx.x] = 1; // FAULT pitch out-of-bounds
}

__global__ void
pairs(double *v)
{
    v[threadIdx.x] = 1; // FAULT half-in out-of-bounds
}

__global__ void
pieces(char *to, const char *from, int step)
{
    memcpy(to + threadIdx.x * step, from + threadIdx.x * step, 16); // FAULT pieces out-of-bounds
}

__global__ void
wild(float *v, int stride)
{
    long i = (long)(int)(threadIdx.x * (unsigned)stride);

    if (v[i] == 7) // FAULT wild wild-pointer
        v[0] = 1;
}

__global__ void
heap(int n)
{
    int *p = (int *)malloc(8 * sizeof(int));

    if (p)
        p[n] = (int)threadIdx.x; // FAULT heap out-of-bounds
    free(p);
}

typedef int (*function)(int);

static __device__ int
twice(int n)
{
    return 2 * n;
}

static __device__ int
thrice(int n)
{
    return 3 * n;
}

__device__ function functions[4];

__global__ void
set_functions(int n)
{
    functions[0] = twice;
    functions[1] = n ? thrice : nullptr;
    functions[2] = n ? thrice : (function)0x1234567;
    functions[3] = thrice;
}

__global__ void
call_null(float *v, int n)
{
    v[threadIdx.x] = (float)functions[threadIdx.x & 1](n); // FAULT null-call null-function
}

__global__ void
call_wild(float *v, int n)
{
    v[threadIdx.x] = (float)functions[2](n); // FAULT wild-call wild-function
}

__global__ void
write_constant(float *v, int n)
{
    float *to = n ? v : weights;

    to[threadIdx.x] = 1; // FAULT write-constant read-only
}

static void
launch(void (*kernel)(float *, int), int n, size_t bytes = 0)
{
    float *v = floats(BLOCK);

    kernel<<<1, BLOCK, bytes>>>(v, n);
    done(v);
}

static void
run(const char *name)
{
    float *v = floats(N), *w = floats(N), *managed;

    if (!strcmp(name, "after-free")) {
        if (!good)
            (void)hipFree(w);
        scale<<<BLOCKS, BLOCK>>>(good ? v : w, N);
    } else if (!strcmp(name, "read-end")) {
        read_end<<<BLOCKS, BLOCK>>>(v, w, good ? N : N + 1);
    } else if (!strcmp(name, "write-end")) {
        if (good)
            write_end_good<<<BLOCKS, BLOCK>>>(v, N);
        else
            write_end<<<BLOCKS, BLOCK>>>(v, N);
    } else if (!strcmp(name, "left")) {
        left<<<BLOCKS, BLOCK>>>(v, N, good);
    } else if (!strcmp(name, "null")) {
        through<<<1, 32>>>(good ? v : nullptr);
    } else if (!strcmp(name, "host")) {
        float *host = (float *)calloc(64, sizeof(float)), *pinned;
        int reaches = 0; /* memory of the host's own, which programs ask for */

        (void)hipDeviceGetAttribute(&reaches, hipDeviceAttributePageableMemoryAccess, 0);
        (void)hipHostMalloc(&pinned, 64 * sizeof(float));
        from_host<<<1, 64>>>(good && !reaches ? pinned : host, v);
        done();
        (void)hipHostFree(pinned);
        free(host);
    } else if (!strcmp(name, "misaligned")) {
        wide<<<1, 1>>>(v, good ? 4 : 3);
    } else if (!strcmp(name, "shared")) {
        launch(shared, good ? 64 : 65);
    } else if (!strcmp(name, "dynamic")) {
        dynamic<<<1, BLOCK, (good ? BLOCK : BLOCK - 1) * sizeof(float)>>>(v);
    } else if (!strcmp(name, "flat-dynamic")) {
        flat_dynamic<<<1, 64, 64 * sizeof(float)>>>(v, good ? 32 : 33);
    } else if (!strcmp(name, "shared-left")) {
        launch(shared_left, good);
    } else if (!strcmp(name, "own")) {
        launch(own, good ? 16 : 17);
    } else if (!strcmp(name, "variable")) {
        launch(variable, good ? 64 : 65);
    } else if (!strcmp(name, "constant")) {
        launch(constant, good ? 32 : 33);
    } else if (!strcmp(name, "argument")) {
        argument<<<1, 32>>>(by_value{{1, 2, 3, 4, 5, 6, 7, 8}}, v, good ? 8 : 9);
    } else if (!strcmp(name, "atomic")) {
        int *bins;

        (void)hipMalloc(&bins, 16 * sizeof(int));
        count<<<4, BLOCK>>>(bins, good ? 16 : 17);
        done(bins);
    } else if (!strcmp(name, "called")) {
        launch(calls, good ? BLOCK : BLOCK + 1);
        if (!good)
            calls<<<1, BLOCK>>>(v + N - 64, BLOCK);
    } else if (!strcmp(name, "inlined")) {
        inlined<<<1, BLOCK>>>(good ? v : v + N - BLOCK + 1, BLOCK);
    } else if (!strcmp(name, "pitch")) {
        char *p;
        size_t pitch;

        (void)hipMallocPitch((void **)&p, &pitch, 100, 10);
        rows<<<11, 64>>>(p, pitch, good ? 10 : 11);
        done(p);
    } else if (!strcmp(name, "fill-part")) {
        fill_part<<<1, 32>>>(v, good ? 4 * N : 4 * N + 1);
    } else if (!strcmp(name, "copy-part")) {
        copy_part<<<1, 40>>>((char *)v, w, good ? 100 : 101);
    } else if (!strcmp(name, "fill-shared")) {
        fill_shared<<<1, 32>>>(v, good ? 64 : 65);
    } else if (!strcmp(name, "half-in")) {
        pairs<<<1, good ? N / 2 : N / 2 + 1>>>((double *)(good ? v : v + (N & 1)));
    } else if (!strcmp(name, "pieces")) {
        pieces<<<1, 64>>>((char *)v, (const char *)w, good ? 16 : 64);
    } else if (!strcmp(name, "wild")) {
        wild<<<1, 32>>>(v, good ? 8 : 0x0ff00000);
    } else if (!strcmp(name, "heap")) {
        heap<<<1, 32>>>(good ? 7 : 8);
    } else if (!strcmp(name, "null-call") || !strcmp(name, "wild-call")) {
        set_functions<<<1, 1>>>(good);
        launch(!strcmp(name, "null-call") ? call_null : call_wild, 2);
    } else if (!strcmp(name, "write-constant")) {
        write_constant<<<1, 32>>>(v, good);
    } else if (!strcmp(name, "fails")) {
        (void)hipMemcpy(v, nullptr, 4, hipMemcpyHostToDevice);
    } else if (!strcmp(name, "double-free")) {
        (void)hipFree(v);
        if (!good)
            (void)hipFree(v);
        v = nullptr;
    } else if (!strcmp(name, "invalid-free")) {
        (void)hipFree(good ? nullptr : v + 1);
    } else if (!strcmp(name, "leak")) {
        (void)hipMallocManaged((void **)&managed, 100);
        if (good)
            (void)hipFree(managed);
    } else {
        fprintf(stderr, "no fault %s\n", name);
        exit(2);
    }
    done(v);
    if (good || strcmp(name, "after-free") != 0)
        done(w);
}

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    good = argc > 2;
    run(argv[1]);
    return 0;
}
