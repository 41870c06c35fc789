// SPDX-License-Identifier: MIT
// ARCH: gfx1100
// OPT: -O3
// ISA: avx2
// Graphs of compiled kernels: captured across two streams, replayed, given new parameters; explicit
// nodes with 2D copies; LDS, atomics and a cooperative kernel inside.
#include "../check.h"

#include <hip/hip_cooperative_groups.h>

__device__ int total;

__global__ void
add(int *out, const int *in, int k, int n)
{
    int i = (int)global_id();

    if (i < n)
        out[i] = in[i] + k;
}

__global__ void
sum(int *out, const int *in, int n)
{
    __shared__ int part;

    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    if ((int)global_id() < n)
        atomicAdd(&part, in[global_id()]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, part);
}

__global__ void
count(int *out)
{
    cooperative_groups::this_grid().sync();
    if (global_id() == 0)
        *out += (int)(gridDim.x * blockDim.x);
}

static const int n = 10000;

/* Two branches that meet: a + 1 and b + 2, summed up. */
static hipGraph_t
capture(hipStream_t a, hipStream_t b, int *x, int *y, int *z, int *result)
{
    hipEvent_t fork, join;
    hipGraph_t graph = NULL;

    CHECK_HIP(hipEventCreate(&fork));
    CHECK_HIP(hipEventCreate(&join));
    CHECK_HIP(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
    CHECK_HIP(hipMemsetAsync(result, 0, sizeof(int), a));
    CHECK_HIP(hipEventRecord(fork, a));
    CHECK_HIP(hipStreamWaitEvent(b, fork, 0));
    add<<<(n + 255) / 256, 256, 0, a>>>(y, x, 1, n);
    add<<<(n + 255) / 256, 256, 0, b>>>(z, x, 2, n);
    sum<<<(n + 255) / 256, 256, 0, b>>>(result, z, n);
    CHECK_HIP(hipEventRecord(join, b));
    CHECK_HIP(hipStreamWaitEvent(a, join, 0));
    sum<<<(n + 255) / 256, 256, 0, a>>>(result, y, n);
    CHECK_HIP(hipStreamEndCapture(a, &graph));
    CHECK_HIP(hipEventDestroy(fork));
    CHECK_HIP(hipEventDestroy(join));
    return graph;
}

static void
captured()
{
    hipStream_t a, b;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t nodes[8];
    size_t n_nodes = 8;
    Dev<int> x(std::vector<int>(n, 1)), y(n), z(n), result(1);
    int ones = 0;

    CHECK_HIP(hipStreamCreate(&a));
    CHECK_HIP(hipStreamCreate(&b));
    graph = capture(a, b, x, y, z, result);
    CHECK_HIP(hipGraphGetNodes(graph, nodes, &n_nodes));
    CHECK(n_nodes == 5);
    CHECK_HIP(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int k = 0; k < 10; k++) {
        CHECK_HIP(hipGraphLaunch(exec, a));
        CHECK_HIP(hipMemcpyAsync(&ones, result, sizeof(int), hipMemcpyDeviceToHost, a));
        CHECK_HIP(hipStreamSynchronize(a));
        CHECK(ones == n * 5);
    }
    for (size_t i = 0; i < n_nodes; i++) {
        hipKernelNodeParams p;
        int big = 100;

        if (hipGraphKernelNodeGetParams(nodes[i], &p) != hipSuccess || p.func != (void *)add)
            continue;
        p.kernelParams[2] = &big;
        CHECK_HIP(hipGraphExecKernelNodeSetParams(exec, nodes[i], &p));
    }
    CHECK_HIP(hipGraphLaunch(exec, a));
    CHECK_HIP(hipStreamSynchronize(a));
    CHECK_HIP(hipMemcpy(&ones, result, sizeof(int), hipMemcpyDeviceToHost));
    CHECK(ones == n * 202);
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipStreamDestroy(a));
    CHECK_HIP(hipStreamDestroy(b));
}

static void
explicit_nodes()
{
    const size_t width = 60 * sizeof(int), height = 30;
    int from[40 * 64], to[40 * 64], back = 0, zero = 0;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t up, down, coop, init, out;
    hipMemcpy3DParms c = {};
    hipKernelNodeParams k = {};
    hipLaunchAttributeValue attr = {};
    void *args[1], *symbol, *pitched;
    size_t pitch;

    for (int i = 0; i < 40 * 64; i++) {
        from[i] = i;
        to[i] = -1;
    }
    CHECK_HIP(hipMallocPitch(&pitched, &pitch, width, height));
    CHECK_HIP(hipGraphCreate(&graph, 0));
    c.srcPtr = make_hipPitchedPtr(from, 64 * sizeof(int), width, height);
    c.dstPtr = make_hipPitchedPtr(pitched, pitch, width, height);
    c.extent = make_hipExtent(width, height, 1);
    c.kind = hipMemcpyHostToDevice;
    CHECK_HIP(hipGraphAddMemcpyNode(&up, graph, NULL, 0, &c));
    c.srcPtr = c.dstPtr;
    c.dstPtr = make_hipPitchedPtr(to, 64 * sizeof(int), width, height);
    c.kind = hipMemcpyDeviceToHost;
    CHECK_HIP(hipGraphAddMemcpyNode(&down, graph, &up, 1, &c));
    CHECK_HIP(hipGetSymbolAddress(&symbol, HIP_SYMBOL(total)));
    CHECK_HIP(hipGraphAddMemcpyNodeToSymbol(&init, graph, NULL, 0, &total, &zero, sizeof(int), 0,
                                            hipMemcpyHostToDevice));
    args[0] = &symbol;
    k.func = (void *)count;
    k.gridDim = dim3(4);
    k.blockDim = dim3(64);
    k.kernelParams = args;
    CHECK_HIP(hipGraphAddKernelNode(&coop, graph, &init, 1, &k));
    attr.cooperative = 1;
    CHECK_HIP(hipGraphKernelNodeSetAttribute(coop, hipLaunchAttributeCooperative, &attr));
    CHECK_HIP(hipGraphAddMemcpyNodeFromSymbol(&out, graph, &coop, 1, &back, &total, sizeof(int), 0,
                                              hipMemcpyDeviceToHost));
    CHECK_HIP(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    CHECK_HIP(hipGraphLaunch(exec, 0));
    CHECK_HIP(hipDeviceSynchronize());
    CHECK(back == 256);
    for (int y = 0; y < 40; y++)
        for (int x = 0; x < 64; x++)
            CHECK(to[y * 64 + x] == (x < 60 && y < 30 ? y * 64 + x : -1));
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(graph));
    CHECK_HIP(hipFree(pitched));
}

int
main()
{
    captured();
    explicit_nodes();
    return 0;
}
