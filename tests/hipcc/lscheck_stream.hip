/* SPDX-License-Identifier: MIT */
/* Races between kernels and copies of several streams that lscheck finds, and their repaired twins:
 * `NAME bad` runs a fault, `NAME good` its twin, `all` instead of a name all of them; without
 * arguments the names are listed. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { WORDS = 1 << 12, BYTES = WORDS * sizeof(int) };

#define OK(call)                                                                                   \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != hipSuccess) {                                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, hipGetErrorString(err_));                   \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

static __global__ void
fill(int *v, int x)
{
    v[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static __global__ void
sum(const int *v, int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] += v[blockIdx.x * blockDim.x + threadIdx.x];
}

/* What each case has. */
static hipStream_t a, b, blocking, other;
static hipEvent_t event;
static int *v, *out, *host, *managed;

#define FILL(stream)      fill<<<WORDS / 256, 256, 0, stream>>>(v, 1)
#define SUM(stream)       sum<<<WORDS / 256, 256, 0, stream>>>(v, out)
#define TO_HOST(stream)   OK(hipMemcpyAsync(host, v, BYTES, hipMemcpyDeviceToHost, stream))
#define TO_DEVICE(stream) OK(hipMemcpyAsync(v, host, BYTES, hipMemcpyHostToDevice, stream))

/* ---- Events ---- */

static void
event_wait(bool good)
{
    FILL(a);
    OK(hipEventRecord(event, a));
    if (good)
        OK(hipStreamWaitEvent(b, event, 0));
    SUM(b);
}

static void
event_too_early(bool good)
{
    if (!good)
        OK(hipEventRecord(event, a));
    FILL(a);
    if (good)
        OK(hipEventRecord(event, a));
    OK(hipStreamWaitEvent(b, event, 0));
    SUM(b);
}

static void
event_of_another_stream(bool good)
{
    FILL(a);
    OK(hipEventRecord(event, good ? a : other));
    OK(hipStreamWaitEvent(b, event, 0));
    SUM(b);
}

/* That the event has happened says nothing if nobody asks. */
static void
event_host(bool good)
{
    FILL(a);
    OK(hipEventRecord(event, a));
    if (good)
        OK(hipEventSynchronize(event));
    SUM(b);
}

static void
event_query(bool good)
{
    FILL(a);
    OK(hipEventRecord(event, a));
    if (good)
        while (hipEventQuery(event) == hipErrorNotReady)
            ;
    SUM(b);
}

static void
event_back(bool good)
{
    SUM(a);
    OK(hipEventRecord(event, a));
    if (good)
        OK(hipStreamWaitEvent(b, event, 0));
    FILL(b);
}

/* ---- The host ---- */

static void
host_waits(bool good)
{
    FILL(a);
    if (good)
        OK(hipStreamSynchronize(a));
    SUM(b);
}

static void
host_waits_for_another(bool good)
{
    FILL(a);
    OK(hipStreamSynchronize(good ? a : b));
    SUM(b);
}

static void
host_waits_for_all(bool good)
{
    FILL(a);
    if (good)
        OK(hipDeviceSynchronize());
    SUM(b);
}

static void
host_asks(bool good)
{
    FILL(a);
    if (good)
        while (hipStreamQuery(a) == hipErrorNotReady)
            ;
    SUM(b);
}

/* ---- The null stream ---- */

static void
null_stream(bool good)
{
    FILL(0);
    SUM(good ? blocking : b);
}

static void
null_between(bool good)
{
    FILL(good ? blocking : b);
    SUM(0);
}

static void
null_joins(bool good)
{
    FILL(blocking);
    OK(hipMemsetAsync(out, 0, 16, good ? 0 : b));
    SUM(other);
}

/* ---- Copies ---- */

static void
copy_to_host(bool good)
{
    FILL(a);
    TO_HOST(good ? a : b);
}

static void
copy_to_device(bool good)
{
    TO_DEVICE(a);
    SUM(good ? a : b);
}

/* A copy of pageable memory that waits for its own end waits for nothing else. */
static void
copy_that_waits(bool good)
{
    FILL(a);
    OK(hipMemcpyAsync(host, v, BYTES, hipMemcpyDeviceToHost, good ? a : b));
    OK(hipStreamSynchronize(good ? a : b));
}

static void
copy_and_copy(bool good)
{
    TO_DEVICE(a);
    TO_HOST(good ? a : b);
}

static void
copy_of_rows(bool good)
{
    OK(hipMemcpy2DAsync(v, 64, host, 64, 32, WORDS / 16, hipMemcpyHostToDevice, a));
    OK(hipMemsetAsync(v + (good ? 8 : 7), 0, 4, b));
}

static void
fill_and_kernel(bool good)
{
    OK(hipMemsetAsync(v, 0, BYTES, a));
    SUM(good ? a : b);
}

static void
fill_of_a_byte(bool good)
{
    OK(hipMemsetAsync(v, 0, 5, a));
    OK(hipMemsetAsync((char *)v + (good ? 5 : 4), 1, 3, b));
}

static void
double_buffer(bool good)
{
    for (int i = 0; i < 3; i++) {
        TO_DEVICE(a);
        OK(hipEventRecord(event, a));
        OK(hipStreamWaitEvent(b, event, 0));
        SUM(b);
        OK(hipEventRecord(event, b));
        if (good)
            OK(hipStreamWaitEvent(a, event, 0));
    }
}

static void
managed_memory(bool good)
{
    fill<<<1, 64, 0, a>>>(managed, 1);
    if (good)
        OK(hipStreamSynchronize(a));
    fill<<<1, 64, 0, b>>>(managed + 32, 2);
}

/* The staging buffer is filled again while the copy of it may still run. */
static void
staging(bool good)
{
    TO_DEVICE(a);
    if (good)
        OK(hipStreamSynchronize(a));
    OK(hipMemcpyAsync(host, out, BYTES, hipMemcpyDeviceToHost, b));
}

/* ---- Graphs ---- */

static void
graph_edge(bool good)
{
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t first, second;
    int x = 1;
    void *fill_args[] = {&v, &x}, *sum_args[] = {&v, &out};
    hipKernelNodeParams p = {};

    p.gridDim = WORDS / 256;
    p.blockDim = 256;
    p.func = (void *)fill;
    p.kernelParams = fill_args;
    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphAddKernelNode(&first, graph, NULL, 0, &p));
    p.func = (void *)sum;
    p.kernelParams = sum_args;
    OK(hipGraphAddKernelNode(&second, graph, &first, good, &p));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, a));
    OK(hipGraphLaunch(exec, a));
    OK(hipStreamSynchronize(a));
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
}

static void
graph_of_streams(bool good)
{
    hipGraph_t graph;
    hipGraphExec_t exec;

    OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
    if (!good)
        OK(hipEventRecord(event, a));
    FILL(a);
    if (good)
        OK(hipEventRecord(event, a));
    OK(hipStreamWaitEvent(b, event, 0));
    SUM(b);
    OK(hipEventRecord(event, b));
    OK(hipStreamWaitEvent(a, event, 0));
    OK(hipStreamEndCapture(a, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, a));
    OK(hipStreamSynchronize(a));
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
}

static void
graph_and_stream(bool good)
{
    hipGraph_t graph;
    hipGraphExec_t exec;

    OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
    FILL(a);
    OK(hipStreamEndCapture(a, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, a));
    SUM(good ? a : b);
    OK(hipStreamSynchronize(a));
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
}

struct fault {
    const char *name;
    void (*run)(bool good);
};

static const fault FAULTS[] = {
    {"event-wait", event_wait},
    {"event-too-early", event_too_early},
    {"event-of-another-stream", event_of_another_stream},
    {"event-host", event_host},
    {"event-query", event_query},
    {"event-back", event_back},
    {"host-waits", host_waits},
    {"host-waits-for-another", host_waits_for_another},
    {"host-waits-for-all", host_waits_for_all},
    {"host-asks", host_asks},
    {"null-stream", null_stream},
    {"null-between", null_between},
    {"null-joins", null_joins},
    {"copy-to-host", copy_to_host},
    {"copy-to-device", copy_to_device},
    {"copy-that-waits", copy_that_waits},
    {"copy-and-copy", copy_and_copy},
    {"copy-of-rows", copy_of_rows},
    {"fill-and-kernel", fill_and_kernel},
    {"fill-of-a-byte", fill_of_a_byte},
    {"double-buffer", double_buffer},
    {"managed-memory", managed_memory},
    {"staging", staging},
    {"graph-edge", graph_edge},
    {"graph-of-streams", graph_of_streams},
    {"graph-and-stream", graph_and_stream},
};

/* One case a process: the host's waits at its end order nothing in it. */
int
main(int argc, char **argv)
{
    bool good = argc > 2 && !strcmp(argv[2], "good");

    for (const fault &f : FAULTS) {
        if (argc < 2)
            puts(f.name);
        if (argc > 1 && (!strcmp(argv[1], f.name) || !strcmp(argv[1], "all"))) {
            OK(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
            OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
            OK(hipStreamCreate(&blocking));
            OK(hipStreamCreate(&other));
            OK(hipEventCreate(&event));
            OK(hipMalloc(&v, BYTES));
            OK(hipMalloc(&out, BYTES));
            OK(hipHostMalloc(&host, BYTES));
            OK(hipMallocManaged(&managed, BYTES));
            OK(hipMemset(v, 0, BYTES));
            OK(hipMemset(out, 0, BYTES));
            OK(hipDeviceSynchronize());
            f.run(good);
            OK(hipDeviceSynchronize());
            OK(hipStreamDestroy(a));
            OK(hipStreamDestroy(b));
            OK(hipStreamDestroy(blocking));
            OK(hipStreamDestroy(other));
            OK(hipEventDestroy(event));
            OK(hipFree(v));
            OK(hipFree(out));
            OK(hipHostFree(host));
            OK(hipFree(managed));
        }
    }
    return 0;
}
