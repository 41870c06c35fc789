/* SPDX-License-Identifier: MIT */
/* What single calls of the runtime cost, in nanoseconds: medians of rounds, each against its aim.
 * Work is enqueued behind a value that the stream waits for, so that only the enqueueing is
 * timed. */
#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 15, CALLS = 2000 };

#define OK(call)                                                                                   \
    do {                                                                                           \
        hipError_t e_ = (call);                                                                    \
        if (e_ != hipSuccess) {                                                                    \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorName(e_));                               \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

static hipStream_t stream;
static hipEvent_t event;
static uint64_t *gate;
static int *word;
static char *from, *to, *device; /* from, to: the host's */
static const size_t copy_bytes = (size_t)64 << 20;

__global__ void
nothing(int *p)
{
    (void)p;
}

/* One line a thread. */
__global__ void
say(int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        printf("thread %d of %d: %f %s\n", i, n, i * 0.5, "hello");
}

/* Some microseconds of one thread's time. */
__global__ void
spin(unsigned *x, int steps)
{
    unsigned v = *x;

    for (int i = 0; i < steps; i++)
        v = v * 1664525u + 1013904223u;
    *x = v;
}

static double
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void
close_gate(void)
{
    *gate = 0;
    OK(hipStreamWaitValue64(stream, gate, 1, hipStreamWaitValueEq));
}

static void
open_gate(void)
{
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(stream));
}

static double
time_launch(void)
{
    double t;

    close_gate();
    t = now_ns();
    for (int i = 0; i < CALLS; i++)
        nothing<<<1, 32, 0, stream>>>(word);
    t = now_ns() - t;
    open_gate();
    return t / CALLS;
}

static double
time_record(void)
{
    double t;

    close_gate();
    t = now_ns();
    for (int i = 0; i < CALLS; i++)
        OK(hipEventRecord(event, stream));
    t = now_ns() - t;
    open_gate();
    return t / CALLS;
}

static double
time_pool(void)
{
    double t = now_ns();

    for (int i = 0; i < CALLS; i++) {
        void *p;

        OK(hipMallocAsync(&p, 1 << 20, stream));
        OK(hipFreeAsync(p, stream));
    }
    return (now_ns() - t) / CALLS;
}

/* There and back, in hundredths of what two calls of memcpy take; what comes back is checked. */
static double
time_copy(void)
{
    static unsigned char value;
    double plain, t;

    memset(from, ++value, copy_bytes);
    t = now_ns();
    memcpy(to, from, copy_bytes);
    __asm__ volatile("" ::: "memory"); /* or the second copy is seen to change nothing */
    memcpy(from, to, copy_bytes);
    plain = now_ns() - t;
    t = now_ns();
    OK(hipMemcpy(device, from, copy_bytes, hipMemcpyHostToDevice));
    OK(hipMemcpy(to, device, copy_bytes, hipMemcpyDeviceToHost));
    t = now_ns() - t;
    if (memcmp(to, from, copy_bytes) != 0) {
        fprintf(stderr, "hipMemcpy: what came back is not what was sent\n");
        exit(1);
    }
    return 100 * t / plain;
}

/* A line printed by a thread, in hundredths of what the host's printf takes; both into the void. */
static double
time_printf(void)
{
    enum { LINES = 4096 };
    int out = dup(1), nowhere = open("/dev/null", O_WRONLY);
    double plain, t;

    fflush(stdout);
    if (out < 0 || nowhere < 0 || dup2(nowhere, 1) < 0)
        exit(1);
    t = now_ns();
    for (int i = 0; i < LINES; i++)
        printf("thread %d of %d: %f %s\n", i, LINES, i * 0.5, "hello");
    fflush(stdout);
    plain = now_ns() - t;
    t = now_ns();
    say<<<LINES / 256, 256>>>(LINES);
    OK(hipDeviceSynchronize());
    fflush(stdout);
    t = now_ns() - t;
    if (dup2(out, 1) < 0)
        exit(1);
    close(out);
    close(nowhere);
    return 100 * t / plain;
}

/* A copy of 4 KiB that the host waits for, without the time of memcpy itself. */
static double
time_small_copy(void)
{
    enum { BYTES = 4096 };
    double plain, t;

    plain = now_ns();
    for (int i = 0; i < CALLS; i++) {
        memcpy(i & 1 ? from : to, i & 1 ? to : from, BYTES);
        __asm__ volatile("" ::: "memory");
    }
    plain = now_ns() - plain;
    t = now_ns();
    for (int i = 0; i < CALLS; i++)
        OK(i & 1 ? hipMemcpy(to, device, BYTES, hipMemcpyDeviceToHost)
                 : hipMemcpy(device, from, BYTES, hipMemcpyHostToDevice));
    t = now_ns() - t;
    if (memcmp(to, from, BYTES) != 0) {
        fprintf(stderr, "hipMemcpy: what came back is not what was sent\n");
        exit(1);
    }
    return (t - plain) / CALLS;
}

/* Small kernels in 8 streams, in hundredths of the time that one stream takes for as many; the
 * cores could do it in 100 / their number. Results are checked. */
static double
time_streams(void)
{
    enum { STREAMS = 8, KERNELS = 40, STEPS = 20000 };
    static hipStream_t streams[STREAMS];
    static unsigned *sums;
    unsigned one[STREAMS], many[STREAMS];
    double t[2];

    if (!sums) {
        for (int i = 0; i < STREAMS; i++)
            OK(hipStreamCreate(&streams[i]));
        OK(hipMalloc((void **)&sums, STREAMS * 64 * sizeof(*sums)));
    }
    for (int k = 0; k < 2; k++) {
        OK(hipMemset(sums, 0, STREAMS * 64 * sizeof(*sums)));
        OK(hipDeviceSynchronize());
        t[k] = now_ns();
        for (int i = 0; i < STREAMS * KERNELS; i++)
            spin<<<1, 1, 0, streams[k ? i % STREAMS : 0]>>>(sums + i % STREAMS * 64, STEPS);
        OK(hipDeviceSynchronize());
        t[k] = now_ns() - t[k];
        OK(hipMemcpy2D(k ? many : one, sizeof(*one), sums, 64 * sizeof(*sums), sizeof(*one),
                       STREAMS, hipMemcpyDeviceToHost));
    }
    if (memcmp(one, many, sizeof(one)) != 0 || one[0] == 0) {
        fprintf(stderr, "8 streams: results differ from those of one stream\n");
        exit(1);
    }
    return 100 * t[1] / t[0];
}

/* A copy in one stream beside a kernel of about its length in another, in hundredths of both one
 * after the other. */
static double
time_overlap(void)
{
    static hipStream_t streams[2];
    static unsigned *sum;
    static int steps;
    double both, copy, kernel;

    if (!sum) {
        OK(hipStreamCreate(&streams[0]));
        OK(hipStreamCreate(&streams[1]));
        OK(hipMalloc((void **)&sum, sizeof(*sum)));
    }
    copy = now_ns();
    OK(hipMemcpyAsync(device, from, copy_bytes, hipMemcpyHostToDevice, streams[0]));
    OK(hipStreamSynchronize(streams[0]));
    copy = now_ns() - copy;
    if (!steps)
        steps = (int)(copy / 1.2);
    kernel = now_ns();
    spin<<<1, 1, 0, streams[1]>>>(sum, steps);
    OK(hipStreamSynchronize(streams[1]));
    kernel = now_ns() - kernel;
    both = now_ns();
    spin<<<1, 1, 0, streams[1]>>>(sum, steps);
    OK(hipMemcpyAsync(device, from, copy_bytes, hipMemcpyHostToDevice, streams[0]));
    OK(hipDeviceSynchronize());
    both = now_ns() - both;
    return 100 * both / (copy + kernel);
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int
measure(const char *title, const char *unit, double (*once)(void), double aim)
{
    double v[ROUNDS];

    once();
    for (int i = 0; i < ROUNDS; i++)
        v[i] = once();
    qsort(v, ROUNDS, sizeof(*v), by_value);
    printf("%-35s %7.0f %s [%.0f %.0f]  %s %.0f\n", title, v[ROUNDS / 2], unit, v[ROUNDS / 4],
           v[3 * ROUNDS / 4], v[ROUNDS / 2] <= aim ? "ok" : "MISS", aim);
    return v[ROUNDS / 2] > aim;
}

/* Those that LOCKSTEP_THREADS gives, at most 8. */
static int
cores(void)
{
    hipDeviceProp_t p;

    OK(hipGetDeviceProperties(&p, 0));
    return p.multiProcessorCount < 8 ? p.multiProcessorCount : 8;
}

int
main(void)
{
    uint64_t keep = UINT64_MAX;
    hipMemPool_t pool;
    int missed = 0;

    OK(hipStreamCreate(&stream));
    OK(hipEventCreate(&event));
    OK(hipExtMallocWithFlags((void **)&gate, 8, hipMallocSignalMemory));
    OK(hipMalloc((void **)&word, sizeof(*word)));
    OK(hipMalloc((void **)&device, copy_bytes));
    from = (char *)malloc(copy_bytes);
    to = (char *)malloc(copy_bytes);
    if (!from || !to)
        return 1;
    OK(hipDeviceGetDefaultMemPool(&pool, 0));
    OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
    missed += measure("launch, enqueued", "ns", time_launch, 150);
    missed += measure("event record", "ns", time_record, 100);
    missed += measure("hipMallocAsync + hipFreeAsync, warm", "ns", time_pool, 200);
    missed += measure("hipMemcpy 4 KiB, beyond memcpy", "ns", time_small_copy, 150);
    missed += measure("hipMemcpy 64 MiB / memcpy", "% ", time_copy, 105);
    missed += measure("device printf, 4096 lines / printf", "% ", time_printf, 200);
    missed += measure("small kernels, 8 streams / 1 stream", "% ", time_streams, 125.0 / cores());
    missed += measure("copy beside kernel / one by one", "% ", time_overlap, 90);
    return missed != 0;
}
