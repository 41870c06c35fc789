// SPDX-License-Identifier: MIT
// ARCH: gfx1100
// OPT: -O3
// ISA: avx2
// Graphs that kernels launch: behind kernels and graphs, in order, before what the stream does
// next; loops of an instance that launches itself; from a conditional node; who waits, for a stream
// or an event, waits for them; errors.
#include "../check.h"

__device__ int log_of[256];
__device__ int n_logged;
__device__ hipError_t result;

__global__ void
note(int what)
{
    log_of[n_logged++] = what;
}

__global__ void
launch(int what, hipGraphExec_t first, hipGraphExec_t second)
{
    log_of[n_logged++] = what;
    if (first)
        result = hipGraphLaunch(first, hipStreamGraphTailLaunch);
    if (second)
        result = hipGraphLaunch(second, hipStreamGraphTailLaunch);
}

__global__ void
try_stream(hipGraphExec_t exec, hipStream_t stream)
{
    result = hipGraphLaunch(exec, stream);
}

/* By address: an instance is made of the graph that holds it. */
__global__ void
again(int what, int *left, hipGraphExec_t *self)
{
    log_of[n_logged++] = what;
    if (--*left > 0)
        result = hipGraphLaunch(*self, hipStreamGraphTailLaunch);
}

__global__ void
choose(hipGraphConditionalHandle handle)
{
    hipGraphSetConditional(handle, 1);
}

/* Threads of a warp, some of them. */
__global__ void
by_lanes(hipGraphExec_t exec)
{
    if (threadIdx.x % 16 == 3 && hipGraphLaunch(exec, hipStreamGraphTailLaunch) != hipSuccess)
        result = hipErrorUnknown;
}

static std::vector<int>
logged()
{
    int n = 0, zero = 0;

    CHECK_HIP(hipMemcpyFromSymbol(&n, HIP_SYMBOL(n_logged), sizeof(n)));
    std::vector<int> got((size_t)n);
    if (n)
        CHECK_HIP(hipMemcpyFromSymbol(got.data(), HIP_SYMBOL(log_of), (size_t)n * sizeof(int)));
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(n_logged), &zero, sizeof(zero)));
    return got;
}

static void
expect(const char *what, const std::vector<int> &want)
{
    std::vector<int> got = logged();
    std::string text;
    for (int x : got)
        text += " " + std::to_string(x);
    if (got != want)
        FAIL("%s: the log is%s", what, text.c_str());
}

static hipError_t
last_result()
{
    hipError_t r, none = hipErrorTbd;

    CHECK_HIP(hipMemcpyFromSymbol(&r, HIP_SYMBOL(result), sizeof(r)));
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(result), &none, sizeof(none)));
    return r;
}

static void
add_kernel(hipGraph_t g, hipGraphNode_t *after, void *func, void **args)
{
    hipKernelNodeParams p = {};

    p.func = func;
    p.blockDim = p.gridDim = dim3(1);
    p.kernelParams = args;
    CHECK_HIP(hipGraphAddKernelNode(after, g, after, *after ? 1 : 0, &p));
}

static hipGraphExec_t
instance(hipGraph_t g, unsigned long long flags = hipGraphInstantiateFlagDeviceLaunch)
{
    hipGraphExec_t exec;

    hipGraphInstantiateParams params = {};

    params.flags = flags;
    CHECK_HIP(hipGraphInstantiateWithParams(&exec, g, &params));
    return exec;
}

/* Notes that number; then launches. */
static hipGraphExec_t
noting(int what, hipGraphExec_t first = nullptr, hipGraphExec_t second = nullptr)
{
    hipGraph_t g;
    hipGraphNode_t at = nullptr;
    void *args[] = {&what, &first, &second};

    CHECK_HIP(hipGraphCreate(&g, 0));
    add_kernel(g, &at, (void *)launch, args);
    return instance(g);
}

int
main()
{
    hipGraphExec_t none = nullptr, two = noting(2), three = noting(3), five = noting(5),
                   four = noting(4, five);
    hipStream_t s, other;
    hipEvent_t event;

    CHECK_HIP(hipStreamCreate(&s));
    CHECK_HIP(hipStreamCreate(&other));
    CHECK_HIP(hipEventCreate(&event));

    launch<<<1, 1, 0, s>>>(1, two, three);
    note<<<1, 1, 0, s>>>(9);
    CHECK_HIP(hipStreamSynchronize(s));
    expect("kernel", {1, 2, 3, 9});
    CHECK(last_result() == hipSuccess);

    /* What four launches comes before three. */
    launch<<<1, 1, 0, s>>>(1, four, three);
    CHECK_HIP(hipStreamSynchronize(s)); /* also for what came later */
    expect("within", {1, 4, 5, 3});

    launch<<<1, 1>>>(1, two, none);
    CHECK_HIP(hipDeviceSynchronize());
    expect("null stream", {1, 2});

    /* Events, and streams that wait for them, see the end. */
    for (int i = 0; i < 200; i++) {
        launch<<<1, 1, 0, s>>>(1, four, three);
        CHECK_HIP(hipEventRecord(event, s));
        CHECK_HIP(hipStreamWaitEvent(other, event, 0));
        note<<<1, 1, 0, other>>>(9);
        CHECK_HIP(hipStreamSynchronize(other));
        expect("event", {1, 4, 5, 3, 9});
    }

    /* A graph behind a graph; and one that goes on by itself. */
    hipGraph_t g;
    hipGraphNode_t at = nullptr;
    int six = 6, seven = 7, *left;
    hipGraphExec_t *self;
    void *six_args[] = {&six, &two, &none}, *seven_args[] = {&seven};
    CHECK_HIP(hipGraphCreate(&g, 0));
    add_kernel(g, &at, (void *)launch, six_args);
    add_kernel(g, &at, (void *)note, seven_args);
    CHECK_HIP(hipGraphLaunch(instance(g, 0), s));
    note<<<1, 1, 0, s>>>(9);
    CHECK_HIP(hipStreamSynchronize(s));
    expect("graph", {6, 7, 2, 9});

    CHECK_HIP(hipMallocManaged((void **)&left, sizeof(*left)));
    CHECK_HIP(hipMallocManaged((void **)&self, sizeof(*self)));
    void *again_args[] = {&six, &left, &self};
    at = nullptr;
    CHECK_HIP(hipGraphCreate(&g, 0));
    add_kernel(g, &at, (void *)again, again_args);
    add_kernel(g, &at, (void *)note, seven_args);
    *self = instance(g);
    *left = 50;
    CHECK_HIP(hipGraphLaunch(*self, s));
    note<<<1, 1, 0, s>>>(9);
    CHECK_HIP(hipStreamSynchronize(s));
    std::vector<int> want;
    for (int i = 0; i < 50; i++) {
        want.push_back(6);
        want.push_back(7);
    }
    want.push_back(9);
    expect("self", want);

    /* From the body of a conditional node. */
    hipGraphConditionalHandle handle;
    hipGraphNodeParams node = {};
    hipGraphNode_t choice;
    at = nullptr;
    CHECK_HIP(hipGraphCreate(&g, 0));
    CHECK_HIP(hipGraphConditionalHandleCreate(&handle, g, 0, 0));
    void *choose_args[] = {&handle};
    add_kernel(g, &at, (void *)choose, choose_args);
    node.type = hipGraphNodeTypeConditional;
    node.conditional.handle = handle;
    node.conditional.type = hipGraphCondTypeIf;
    node.conditional.size = 1;
    CHECK_HIP(hipGraphAddNode(&choice, g, &at, 1, &node));
    at = nullptr;
    add_kernel(node.conditional.phGraph_out[0], &at, (void *)launch, six_args);
    CHECK_HIP(hipGraphAddKernelNode(&at, g, &choice, 1, [&] {
        static hipKernelNodeParams p = {};
        p.func = (void *)note;
        p.blockDim = p.gridDim = dim3(1);
        p.kernelParams = seven_args;
        return &p;
    }()));
    CHECK_HIP(hipGraphLaunch(instance(g, 0), s));
    CHECK_HIP(hipStreamSynchronize(s));
    expect("body", {6, 7, 2});

    (void)last_result();
    by_lanes<<<2, 40, 0, s>>>(two);
    CHECK_HIP(hipStreamSynchronize(s));
    expect("lanes", {2, 2, 2, 2, 2, 2});
    CHECK(last_result() == hipErrorTbd);

    /* Errors change nothing. */
    hipGraphExec_t plain = instance(g, 0);
    launch<<<1, 1, 0, s>>>(1, plain, none);
    CHECK(last_result() == hipErrorInvalidValue);
    launch<<<1, 1, 0, s>>>(1, (hipGraphExec_t)left, none);
    CHECK(last_result() == hipErrorInvalidValue);
    try_stream<<<1, 1, 0, s>>>(two, nullptr);
    CHECK(last_result() == hipErrorInvalidValue);

    /* On its way in another stream, which waits for this one: both would wait for ever. */
    int *gate;
    CHECK_HIP(hipMallocManaged((void **)&gate, sizeof(*gate)));
    *gate = 0;
    CHECK_HIP(hipStreamWaitValue32(s, gate, 1, hipStreamWaitValueEq));
    launch<<<1, 1, 0, s>>>(1, two, none);
    CHECK_HIP(hipEventRecord(event, s));
    CHECK_HIP(hipStreamWaitEvent(other, event, 0));
    CHECK_HIP(hipGraphLaunch(two, other));
    *(volatile int *)gate = 1;
    CHECK_HIP(hipStreamSynchronize(other));
    CHECK(last_result() == hipErrorInvalidValue);
    expect("on its way", {1, 1, 1, 2});
    CHECK_HIP(hipStreamSynchronize(s));
    return 0;
}
