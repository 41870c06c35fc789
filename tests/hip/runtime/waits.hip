/* SPDX-License-Identifier: MIT */
/* Whatever is waited for gets its turn, and memory that is in use is nobody else's. */
// ARCH: gfx1100
// OPT: -O3
// ISA: avx2
// ENV: LOCKSTEP_THREADS=8 LOCKSTEP_SPIN_LIMIT=15
#include "../check.h"

#include <unistd.h>

__global__ void
wait_for(volatile int *flag, volatile int *seen)
{
    while (*flag == 0)
        ;
    *seen = 1;
}

__global__ void
raise_flag(volatile int *flag)
{
    *flag = 1;
}

static int *
host_ints()
{
    int *p;

    CHECK_HIP(hipHostMalloc((void **)&p, 4096, 0));
    for (int i = 0; i < 1024; i++)
        p[i] = 0;
    return p;
}

/* Memory freed in the null stream is in use until the blocking streams' work has ended, and the
 * other way round. */
static void
pool_memory_follows_the_null_stream()
{
    hipStream_t blocking, other;
    volatile int *go = host_ints();
    int *p, *q;

    CHECK_HIP(hipStreamCreate(&blocking));
    CHECK_HIP(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    for (int null_frees = 0; null_frees < 2; null_frees++) {
        hipStream_t worker = null_frees ? blocking : nullptr;

        *go = 0;
        CHECK_HIP(hipMallocAsync((void **)&p, 65536, blocking));
        CHECK_HIP(hipStreamSynchronize(blocking));
        wait_for<<<1, 1, 0, worker>>>(go, p);
        CHECK_HIP(hipFreeAsync(p, null_frees ? nullptr : blocking));
        CHECK_HIP(hipMallocAsync((void **)&q, 65536, other));
        CHECK(p != q);
        *go = 1;
        CHECK_HIP(hipDeviceSynchronize());
        CHECK_HIP(hipFreeAsync(q, other));
        CHECK_HIP(hipDeviceSynchronize());
    }
}

/* Nobody calls HIP again, and the one thread that was awake is in a long kernel. */
static void
small_work_beside_a_long_kernel()
{
    volatile int *flags = host_ints();
    hipStream_t a, b;

    CHECK_HIP(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    wait_for<<<1, 1, 0, a>>>(flags, flags + 1);
    usleep(300000);
    raise_flag<<<1, 1, 0, b>>>(flags);
    for (int i = 0; i < 10000 && !flags[1]; i++)
        usleep(1000);
    CHECK(flags[1] == 1);
    CHECK_HIP(hipDeviceSynchronize());
}

__global__ void
meet(int *count, int n)
{
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < n)
            ;
    }
    __syncthreads();
}

/* Each grid needs all its blocks at once. */
static void
several_grids_with_barriers()
{
    const int n = 6;
    Dev<int> counts(64 * n);
    hipStream_t s;

    for (int i = 0; i < n; i++) {
        CHECK_HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
        meet<<<8, 32, 0, s>>>(counts.p + 64 * i, 8);
    }
    CHECK_HIP(hipDeviceSynchronize());
}

__global__ void
count_live(int *live, int *most, int rounds, unsigned *out)
{
    unsigned x = threadIdx.x + 1;

    if (threadIdx.x == 0)
        atomicMax(most, atomicAdd(live, 1) + 1);
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    out[threadIdx.x] = x;
    if (threadIdx.x == 0)
        atomicAdd(live, -1);
}

/* A first short launch says nothing of the next. */
static void
long_work_gets_all_threads()
{
    int *live = host_ints();
    Dev<unsigned> out(64);

    count_live<<<16, 64>>>(live, live + 1, 1, out.p);
    CHECK_HIP(hipDeviceSynchronize());
    live[1] = 0;
    usleep(300000); /* all threads sleep */
    count_live<<<16, 64>>>(live, live + 1, 20000000, out.p);
    CHECK_HIP(hipDeviceSynchronize());
    if (live[1] <= 2)
        FAIL("at most %d of 16 blocks ran at once", live[1]);
}

__global__ void
body(int *running, int *runs, volatile int *overlaps, volatile int *gate)
{
    int k = atomicAdd(runs, 1);

    if (atomicAdd(running, 1))
        *overlaps = *overlaps + 1;
    while (k > 0 && *gate == 0)
        ;
    atomicAdd(running, -1);
}

__global__ void
launch_behind(hipGraphExec_t exec, volatile int *go)
{
    while (*go == 0)
        ;
    hipGraphLaunch(exec, hipStreamGraphTailLaunch);
}

static hipGraphExec_t
make_graph(void *kernel, void **args, bool from_device)
{
    hipKernelNodeParams p = {};
    hipGraphInstantiateParams how = {};
    hipGraphExec_t exec;
    hipGraphNode_t node;
    hipGraph_t graph;

    p.func = kernel;
    p.gridDim = dim3(1);
    p.blockDim = dim3(1);
    p.kernelParams = args;
    how.flags = from_device ? hipGraphInstantiateFlagDeviceLaunch : 0;
    CHECK_HIP(hipGraphCreate(&graph, 0));
    CHECK_HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    CHECK_HIP(hipGraphInstantiateWithParams(&exec, graph, &how));
    return exec;
}

/* An instance that a kernel launched, with one launch of it queued behind, and one of another
 * stream. */
static void
launches_of_an_instance_take_turns()
{
    int *w = host_ints(), *running = w, *runs = w + 1, *overlaps = w + 2, *gate = w + 3,
        *go = w + 4;
    void *body_args[] = {&running, &runs, &overlaps, &gate};
    hipGraphExec_t x = make_graph((void *)body, body_args, true);
    void *launch_args[] = {&x, &go};
    hipGraphExec_t l = make_graph((void *)launch_behind, launch_args, false);
    hipStream_t s, t;

    CHECK_HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    CHECK_HIP(hipStreamCreateWithFlags(&t, hipStreamNonBlocking));
    CHECK_HIP(hipGraphLaunch(l, s));
    CHECK_HIP(hipGraphLaunch(x, s));
    *(volatile int *)go = 1;
    for (int i = 0; i < 10000 && *(volatile int *)runs < 2; i++)
        usleep(1000);
    CHECK_HIP(hipGraphLaunch(x, t));
    usleep(100000);
    *(volatile int *)gate = 1;
    CHECK_HIP(hipDeviceSynchronize());
    CHECK(*runs == 3);
    CHECK(*overlaps == 0);
}

int
main()
{
    pool_memory_follows_the_null_stream();
    small_work_beside_a_long_kernel();
    several_grids_with_barriers();
    long_work_gets_all_threads();
    launches_of_an_instance_take_turns();
    return 0;
}
