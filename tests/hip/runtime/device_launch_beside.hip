// SPDX-License-Identifier: MIT
// ARCH: gfx1100
// OPT: -O3
// ISA: avx2
// Graphs that kernels launch beside themselves: they run at once, also while the kernel waits for
// them; what they hold up and what not, within each other too; siblings; the same instance twice;
// how many; a child that fails.
#include "../check.h"

#include <time.h>

enum : unsigned {
    BESIDE = 2,
    SIBLING = 3,
    TAIL = 1,
};

__device__ int log_of[256];
__device__ int n_logged;
__device__ int flag_of[8];
__device__ hipError_t result;

static __device__ void
note(int what)
{
    log_of[atomicAdd(&n_logged, 1)] = what;
}

static __device__ void
wait_for(int flag)
{
    while (__hip_atomic_load(&flag_of[flag], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
        ;
}

static __device__ void
launch(hipGraphExec_t exec, unsigned how)
{
    if (exec && hipGraphLaunch(exec, (hipStream_t)((unsigned long long)how << 56)) != hipSuccess)
        result = hipErrorUnknown;
}

/* Launches two graphs, waits for a flag, notes its number, raises a flag. Flag 0 is none. */
struct todo {
    int what;
    hipGraphExec_t first, second;
    unsigned first_how, second_how;
    int waits_for, raises;
};

__global__ void
work(todo t)
{
    launch(t.first, t.first_how);
    launch(t.second, t.second_how);
    if (t.waits_for)
        wait_for(t.waits_for);
    note(t.what);
    if (t.raises)
        __hip_atomic_store(&flag_of[t.raises], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

/* Behind the flag of what launches it, if it has one: then long enough for others to come in front,
 * if they may. */
__global__ void
slow(int what, int behind)
{
    if (behind)
        wait_for(behind);
    unsigned long long start = wall_clock64();
    while (wall_clock64() - start < 500000) /* of 10 ns */
        ;
    note(what);
}

/* By address: an instance is made of the graph that holds it. */
__global__ void
twice(hipGraphExec_t *self, hipGraphExec_t child)
{
    note(hipGraphLaunch(*self, hipStreamGraphFireAndForget));
    note(hipGraphLaunch(child, hipStreamGraphFireAndForget));
    note(hipGraphLaunch(child, hipStreamGraphFireAndForget)); /* waits for the flag below */
    note(hipGraphLaunch(child, hipStreamGraphTailLaunch));
    note(hipGraphLaunch(child, hipStreamGraphFireAndForgetAsSibling));
    note(hipGraphLaunch(child, (hipStream_t)0x0400000000000000));
    __hip_atomic_store(&flag_of[1], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void
many(const hipGraphExec_t *execs, int n, unsigned how)
{
    int n_taken = 0;

    for (int i = 0; i < n; i++)
        n_taken += hipGraphLaunch(execs[i % 130], (hipStream_t)((unsigned long long)how << 56)) ==
                   hipSuccess;
    note(n_taken);
}

__global__ void
count(int *n)
{
    atomicAdd(n, 1);
}

__global__ void
trap()
{
    __builtin_trap();
}

static void
expect(const char *what, const std::vector<int> &want)
{
    int got[256], n = 0, zeros[8] = {};
    hipError_t r;

    CHECK_HIP(hipMemcpyFromSymbol(&n, HIP_SYMBOL(n_logged), sizeof(n)));
    CHECK_HIP(hipMemcpyFromSymbol(got, HIP_SYMBOL(log_of), sizeof(got)));
    CHECK_HIP(hipMemcpyFromSymbol(&r, HIP_SYMBOL(result), sizeof(r)));
    std::string text;
    for (int i = 0; i < n; i++)
        text += " " + std::to_string(got[i]);
    if (std::vector<int>(got, got + n) != want || r != hipSuccess)
        FAIL("%s: result %d, the log is%s", what, (int)r, text.c_str());
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(n_logged), zeros, sizeof(n)));
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(flag_of), zeros, sizeof(zeros)));
}

/* An instance of one kernel. */
static hipGraphExec_t
instance(void *func, void *arg0, void *arg1 = nullptr)
{
    hipKernelNodeParams p = {};
    hipGraphInstantiateParams how = {};
    hipGraphNode_t node;
    hipGraphExec_t exec;
    hipGraph_t g;
    void *args[] = {arg0, arg1};

    p.func = func;
    p.blockDim = p.gridDim = dim3(1);
    p.kernelParams = args;
    CHECK_HIP(hipGraphCreate(&g, 0));
    CHECK_HIP(hipGraphAddKernelNode(&node, g, nullptr, 0, &p));
    how.flags = hipGraphInstantiateFlagDeviceLaunch;
    CHECK_HIP(hipGraphInstantiateWithParams(&exec, g, &how));
    return exec;
}

static hipGraphExec_t
graph(todo t)
{
    return instance((void *)work, &t);
}

static hipGraphExec_t
slow_graph(int what, int behind)
{
    return instance((void *)slow, &what, &behind);
}

/* In the stream, with something behind it. */
static void
run(hipStream_t s, todo t)
{
    work<<<1, 1, 0, s>>>(t);
    work<<<1, 1, 0, s>>>({9});
    CHECK_HIP(hipStreamSynchronize(s));
}

static void
limits(hipStream_t s)
{
    hipGraphExec_t *execs;
    int *n;

    CHECK_HIP(hipMallocManaged((void **)&execs, 130 * sizeof(*execs)));
    CHECK_HIP(hipMallocManaged((void **)&n, sizeof(*n)));
    *n = 0;
    for (int i = 0; i < 130; i++)
        execs[i] = instance((void *)count, &n);
    many<<<1, 1, 0, s>>>(execs, 130, BESIDE);
    many<<<1, 1, 0, s>>>(execs, 130, BESIDE);
    many<<<1, 1, 0, s>>>(execs, 130, SIBLING);
    many<<<1, 1, 0, s>>>(execs, 260, TAIL);
    CHECK_HIP(hipStreamSynchronize(s));
    expect("many", {120, 120, 120, 255});
    if (*n != 3 * 120 + 255)
        FAIL("%d graphs ran", *n);
    for (int i = 0; i < 130; i++)
        CHECK_HIP(hipGraphExecDestroy(execs[i]));
}

static void
refusals(hipStream_t s)
{
    hipGraphExec_t *self, child = graph({.what = 7, .waits_for = 1});

    CHECK_HIP(hipMallocManaged((void **)&self, sizeof(*self)));
    *self = instance((void *)twice, &self, &child);
    CHECK_HIP(hipGraphLaunch(*self, s));
    CHECK_HIP(hipStreamSynchronize(s));
    expect("refusals", {hipErrorInvalidValue, hipSuccess, hipErrorInvalidValue,
                        hipErrorInvalidValue, hipErrorInvalidValue, hipErrorInvalidValue, 7});
    /* Once it has ended, it may be launched again. */
    run(s, {.what = 1, .first = child, .first_how = BESIDE, .raises = 1});
    int got[2];
    CHECK_HIP(hipMemcpyFromSymbol(got, HIP_SYMBOL(log_of), sizeof(got)));
    CHECK(got[0] + got[1] == 8);
}

/* The kernel waits for what a failed one would have done; long before that alone is an error. */
static void
failure(hipStream_t s)
{
    time_t start = time(nullptr);

    work<<<1, 1, 0, s>>>(
        {.what = 1, .first = instance((void *)trap, nullptr), .first_how = BESIDE, .waits_for = 5});
    CHECK(hipStreamSynchronize(s) == hipErrorLaunchFailure);
    CHECK(hipGetLastError() == hipErrorLaunchFailure);
    CHECK(time(nullptr) - start < 10);
}

int
main()
{
    hipGraphExec_t tail = graph({5}), quick = graph({.what = 2, .raises = 1}),
                   lazy = slow_graph(3, 3), lazier = slow_graph(4, 0);
    hipStream_t s;

    CHECK_HIP(hipStreamCreate(&s));

    /* The kernel waits for the graph; a graph that does in its place. */
    todo waiting = {.what = 1, .first = quick, .first_how = BESIDE, .waits_for = 1};
    run(s, waiting);
    expect("at once", {2, 1, 9});
    CHECK_HIP(hipGraphLaunch(graph(waiting), s));
    CHECK_HIP(hipStreamSynchronize(s));
    expect("at once, from a graph", {2, 1});
    run(nullptr, waiting);
    expect("null stream", {2, 1, 9});

    /* What comes behind waits. */
    run(s, {.what = 1,
            .first = tail,
            .second = lazy,
            .first_how = TAIL,
            .second_how = BESIDE,
            .raises = 3});
    expect("tail", {1, 3, 5, 9});
    hipGraphExec_t child = graph({.what = 2,
                                  .first = tail,
                                  .second = lazy,
                                  .first_how = TAIL,
                                  .second_how = BESIDE,
                                  .waits_for = 1,
                                  .raises = 3});
    run(s, {.what = 1,
            .first = lazier,
            .second = child,
            .first_how = TAIL,
            .second_how = BESIDE,
            .raises = 1});
    expect("within", {1, 2, 3, 5, 4, 9});

    /* A sibling holds up the stream, not the tail; and that of a child what the child is a part
     * of. */
    hipGraphExec_t raising = graph({.what = 5, .raises = 1}),
                   sibling = graph({.what = 3, .waits_for = 1});
    todo with_sibling = {
        .what = 1, .first = sibling, .second = raising, .first_how = SIBLING, .second_how = TAIL};
    run(s, with_sibling);
    expect("sibling", {1, 5, 3, 9});
    hipEvent_t event;
    hipStream_t other;
    CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipStreamCreate(&other));
    for (int i = 0; i < 10; i++) {
        work<<<1, 1, 0, s>>>(with_sibling);
        CHECK_HIP(hipEventRecord(event, s));
        CHECK_HIP(hipStreamWaitEvent(other, event, 0));
        work<<<1, 1, 0, other>>>({9});
        CHECK_HIP(hipStreamSynchronize(other));
        expect("sibling, event", {1, 5, 3, 9});
    }
    work<<<1, 1, 0, s>>>(with_sibling);
    CHECK_HIP(hipStreamSynchronize(s)); /* nothing behind it */
    expect("sibling, alone", {1, 5, 3});
    hipGraphExec_t outlasting = graph({.what = 3, .waits_for = 2}),
                   last = graph({.what = 4, .raises = 2}),
                   behind = graph({.what = 1,
                                   .first = outlasting,
                                   .second = tail,
                                   .first_how = SIBLING,
                                   .second_how = TAIL});
    run(s, {.what = 8, .first = behind, .second = last, .first_how = TAIL, .second_how = TAIL});
    expect("sibling of a tail", {8, 1, 5, 4, 3, 9});
    child = graph({.what = 2, .first = lazy, .first_how = SIBLING, .waits_for = 1, .raises = 3});
    run(s, {.what = 1,
            .first = tail,
            .second = child,
            .first_how = TAIL,
            .second_how = BESIDE,
            .raises = 1});
    expect("part of the parent", {1, 2, 3, 5, 9});

    limits(s);
    refusals(s);
    failure(s);
    return 0;
}
