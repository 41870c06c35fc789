/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Graphs, stream capture and user objects, with kernels made by hand. */
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>

#include "unit/support/cache.h"
#include "unit/support/image.h"
#include "unit/test.h"

#define OK(call) EXPECT_EQ(call, hipSuccess)

void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(void **handle, const void *host, char *device_name, const char *name,
                           unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *size);
void __hipRegisterVar(void **handle, void *host, char *device_name, char *name, int ext,
                      size_t bytes, int constant, int global);

static const struct test_kernel kernels[] = {
    {.name = "empty"},
    {.name = "scale", .args = {8, 8, 4, 4}},
    {.name = "count", .args = {8}},
    {.name = "fault", .args = {8, 4}},
    {.name = "await", .args = {8, 8}},
};
#define N_KERNELS (sizeof(kernels) / sizeof(*kernels))

static const int var_init = 41;
static const struct test_global globals[] = {
    {.name = "var", .bytes = 4, .init = &var_init},
    {.name = "pointer", .bytes = 8},
};
static const struct ls_lsbc_reloc reloc = {.where = 1, .target = 0};

static char host[N_KERNELS]; /* host addresses of the kernels */
static int host_var;

static void
set_up(void)
{
    static const char *const ids[] = {"host-x86_64-unknown-linux--", "lockstep-bc--gfx1100"};
    static struct {
        uint32_t magic, version;
        const void *binary, *reserved;
    } wrapper = {0x48495046u, 1, NULL, NULL};
    struct image images[2] = {{0}}, bundle;
    void **handle;

    make_cache();
    setenv("LOCKSTEP_CACHE_DIR", test_cache, 0);
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
    setenv("LS_TEST_COMPILE_LOG", "/dev/null", 1);
    images[1] = make_lsbc("gfx1100", 32, kernels, N_KERNELS, globals, 2, &reloc);
    bundle = make_bundle(ids, images, 2);
    free(images[1].data);
    wrapper.binary = bundle.data; /* lives as long as the process */
    handle = __hipRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < N_KERNELS; i++)
        __hipRegisterFunction(handle, &host[i], (char *)(uintptr_t)kernels[i].name, kernels[i].name,
                              ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &host_var, (char *)(uintptr_t) "var", (char *)(uintptr_t) "var", 0, 4,
                     0, 0);
}

static void *
kernel(const char *name)
{
    for (size_t i = 0; i < N_KERNELS; i++)
        if (!strcmp(kernels[i].name, name))
            return &host[i];
    return NULL;
}

static hipKernelNodeParams
kernel_params(const char *name, unsigned grid, unsigned block, void **args)
{
    return (hipKernelNodeParams){.func = kernel(name),
                                 .gridDim = {grid, 1, 1},
                                 .blockDim = {block, 1, 1},
                                 .kernelParams = args};
}

static hipGraphNode_t
add_kernel(hipGraph_t g, hipGraphNode_t *deps, size_t n_deps, const char *name, unsigned grid,
           unsigned block, void **args)
{
    hipKernelNodeParams p = kernel_params(name, grid, block, args);
    hipGraphNode_t node = NULL;

    OK(hipGraphAddKernelNode(&node, g, deps, n_deps, &p));
    return node;
}

static hipError_t
launch(const char *name, unsigned grid, unsigned block, void **args, hipStream_t stream)
{
    return hipLaunchKernel(kernel(name), (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, 0, stream);
}

/* Host functions that tell when they ran. */
static int clock_now;
struct tick {
    int at, runs;
};

static void
tick(void *user)
{
    struct tick *t = user;

    t->at = __atomic_add_fetch(&clock_now, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&t->runs, 1, __ATOMIC_SEQ_CST);
}

static hipGraphNode_t
add_tick(hipGraph_t g, hipGraphNode_t *deps, size_t n_deps, struct tick *t)
{
    hipHostNodeParams p = {tick, t};
    hipGraphNode_t node = NULL;

    OK(hipGraphAddHostNode(&node, g, deps, n_deps, &p));
    return node;
}

enum { N = 1000 };

/* out = 3 * in, by way of device memory. */
struct pipeline {
    float in[N], out[N], *d_in, *d_out, a;
    int n;
    void *args[4];
    hipGraph_t graph;
    hipGraphNode_t fill, up, scale, down;
    hipGraphExec_t exec;
};

static void
make_pipeline(struct pipeline *p)
{
    hipMemsetParams m;

    p->a = 3;
    p->n = N;
    OK(hipMalloc((void **)&p->d_in, sizeof(p->in)));
    OK(hipMalloc((void **)&p->d_out, sizeof(p->out)));
    for (int i = 0; i < N; i++)
        p->in[i] = (float)i;
    p->args[0] = &p->d_out;
    p->args[1] = &p->d_in;
    p->args[2] = &p->a;
    p->args[3] = &p->n;
    m = (hipMemsetParams){.dst = p->d_out, .elementSize = 4, .width = N, .height = 1};
    OK(hipGraphCreate(&p->graph, 0));
    OK(hipGraphAddMemsetNode(&p->fill, p->graph, NULL, 0, &m));
    OK(hipGraphAddMemcpyNode1D(&p->up, p->graph, NULL, 0, p->d_in, p->in, sizeof(p->in),
                               hipMemcpyHostToDevice));
    p->scale =
        add_kernel(p->graph, (hipGraphNode_t[]){p->fill, p->up}, 2, "scale", 4, 256, p->args);
    OK(hipGraphAddMemcpyNode1D(&p->down, p->graph, &p->scale, 1, p->out, p->d_out, sizeof(p->out),
                               hipMemcpyDeviceToHost));
    OK(hipGraphInstantiate(&p->exec, p->graph, NULL, NULL, 0));
}

static void
free_pipeline(struct pipeline *p)
{
    OK(hipGraphExecDestroy(p->exec));
    OK(hipGraphDestroy(p->graph));
    OK(hipFree(p->d_in));
    OK(hipFree(p->d_out));
}

static void
run_pipeline(struct pipeline *p, float factor)
{
    memset(p->out, 0xff, sizeof(p->out));
    OK(hipGraphLaunch(p->exec, NULL));
    OK(hipStreamSynchronize(NULL));
    for (int i = 0; i < N; i++)
        REQUIRE(p->out[i] == factor * p->in[i]);
}

LS_TEST(explicit_nodes)
{
    static struct pipeline p;
    hipKernelNodeParams k;
    float a = 5;

    set_up();
    make_pipeline(&p);
    p.a = 7; /* arguments were copied */
    run_pipeline(&p, 3);
    for (int i = 0; i < N; i++)
        p.in[i] = (float)-i; /* memory was not */
    run_pipeline(&p, 3);
    OK(hipGraphKernelNodeGetParams(p.scale, &k));
    EXPECT_EQ(k.func, kernel("scale"));
    EXPECT_EQ(k.gridDim.x, 4);
    EXPECT_EQ(k.blockDim.x, 256);
    REQUIRE(k.kernelParams && *(float *)k.kernelParams[2] == 3);
    k.kernelParams[2] = &a;
    OK(hipGraphExecKernelNodeSetParams(p.exec, p.scale, &k));
    run_pipeline(&p, 5);
    OK(hipGraphNodeSetEnabled(p.exec, p.scale, 0));
    run_pipeline(&p, 0);
    OK(hipGraphNodeSetEnabled(p.exec, p.scale, 1));
    OK(hipGraphUpload(p.exec, NULL));
    run_pipeline(&p, 5);
    OK(hipGraphDestroyNode(p.down));
    EXPECT_EQ(hipGraphDestroyNode(p.down), hipErrorInvalidValue);
    run_pipeline(&p, 5); /* the instance has its own */
    free_pipeline(&p);
}

LS_TEST(parameters_of_launches_on_their_way)
{
    static struct pipeline p;
    hipKernelNodeParams k;
    hipStream_t s;
    float a = 9;

    set_up();
    make_pipeline(&p);
    OK(hipStreamCreate(&s));
    for (int i = 0; i < 50; i++) {
        k = kernel_params("scale", 4, 256, p.args);
        p.args[2] = &a;
        a = (float)i;
        OK(hipGraphExecKernelNodeSetParams(p.exec, p.scale, &k));
        OK(hipGraphLaunch(p.exec, s));
    }
    OK(hipStreamSynchronize(s));
    for (int i = 0; i < N; i++)
        REQUIRE(p.out[i] == 49 * p.in[i]);
    OK(hipGraphLaunch(p.exec, s));
    OK(hipGraphExecDestroy(p.exec)); /* the launch keeps what it needs */
    OK(hipStreamSynchronize(s));
    OK(hipGraphInstantiate(&p.exec, p.graph, NULL, NULL, 0));
    OK(hipStreamDestroy(s));
    free_pipeline(&p);
}

LS_TEST(order_of_a_diamond)
{
    enum { WIDTH = 20 };
    struct tick first = {0}, mid[WIDTH] = {{0}}, last = {0};
    hipGraphNode_t a, b[WIDTH], c, from[2 * WIDTH], to[2 * WIDTH];
    hipGraphExec_t x;
    hipGraph_t g;
    size_t n;

    set_up();
    OK(hipGraphCreate(&g, 0));
    a = add_tick(g, NULL, 0, &first);
    for (int i = 0; i < WIDTH; i++)
        b[i] = add_tick(g, &a, 1, &mid[i]);
    c = add_tick(g, b, WIDTH, &last);
    OK(hipGraphGetNodes(g, NULL, &n));
    EXPECT_EQ(n, WIDTH + 2);
    OK(hipGraphGetRootNodes(g, NULL, &n));
    EXPECT_EQ(n, 1);
    OK(hipGraphGetEdges(g, NULL, NULL, &n));
    EXPECT_EQ(n, 2 * WIDTH);
    OK(hipGraphGetEdges(g, from, to, &n));
    EXPECT_EQ(from[0], a);
    EXPECT_EQ(to[2 * WIDTH - 1], c);
    OK(hipGraphNodeGetDependencies(c, from, &n));
    EXPECT_EQ(n, WIDTH);
    EXPECT_EQ(from[3], b[3]);
    EXPECT_EQ(from[WIDTH], NULL); /* beyond what there is */
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int k = 1; k <= 10; k++) {
        OK(hipGraphLaunch(x, NULL));
        OK(hipDeviceSynchronize());
        for (int i = 0; i < WIDTH; i++) {
            EXPECT(first.at < mid[i].at && mid[i].at < last.at);
            EXPECT_EQ(mid[i].runs, k);
        }
    }
    OK(hipGraphExecDestroy(x));
    OK(hipGraphRemoveDependencies(g, &a, &b[0], 1));
    EXPECT_EQ(hipGraphRemoveDependencies(g, &a, &b[0], 1), hipErrorInvalidValue);
    OK(hipGraphAddDependencies(g, &c, &b[0], 1));
    EXPECT_EQ(hipGraphInstantiate(&x, g, NULL, NULL, 0), hipErrorInvalidValue); /* a cycle */
    OK(hipGraphDestroy(g));
    EXPECT_EQ(hipGraphDestroy(g), hipErrorIllegalState);
}

LS_TEST(many_shapes_of_kernels)
{
    enum { LAYERS = 30, WIDTH = 7 };
    hipGraphNode_t layer[2][WIDTH] = {{NULL}};
    hipGraphExec_t x;
    hipGraph_t g;
    int *runs, *back = calloc(1, 5000 * sizeof(int));
    void *args[] = {&runs};

    set_up();
    OK(hipMalloc((void **)&runs, 5000 * sizeof(int)));
    OK(hipMemset(runs, 0, 5000 * sizeof(int)));
    OK(hipGraphCreate(&g, 0));
    for (int l = 0; l < LAYERS; l++)
        for (int i = 0; i < WIDTH; i++) /* small and large, in every mixture */
            layer[l & 1][i] = add_kernel(g, layer[~l & 1], l ? WIDTH : 0, "count",
                                         i == l % WIDTH ? 5000 : (unsigned)i + 1, 64, args);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int k = 0; k < 20; k++)
        OK(hipGraphLaunch(x, NULL));
    OK(hipMemcpy(back, runs, 5000 * sizeof(int), hipMemcpyDeviceToHost));
    EXPECT_EQ(back[4999], 20 * LAYERS);
    EXPECT_EQ(back[0], 20 * LAYERS * WIDTH);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
    OK(hipFree(runs));
    free(back);
}

LS_TEST(launches_of_one_instance_take_turns)
{
    struct tick t[3] = {{0}};
    hipStream_t s[3];
    hipGraphExec_t x;
    hipGraph_t g;
    hipGraphNode_t n;

    set_up();
    OK(hipGraphCreate(&g, 0));
    n = add_tick(g, NULL, 0, &t[0]);
    n = add_kernel(g, &n, 1, "empty", 10, 64, NULL);
    n = add_tick(g, &n, 1, &t[1]);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int i = 0; i < 3; i++)
        OK(hipStreamCreateWithFlags(&s[i], hipStreamNonBlocking));
    for (int k = 0; k < 100; k++)
        OK(hipGraphLaunch(x, s[k % 3]));
    for (int i = 0; i < 3; i++)
        OK(hipStreamSynchronize(s[i]));
    EXPECT_EQ(clock_now, 200);
    EXPECT_EQ(t[0].runs, 100);
    EXPECT_EQ(t[1].runs, 100);
    EXPECT(t[0].at == 199 && t[1].at == 200);
    for (int i = 0; i < 3; i++)
        OK(hipStreamDestroy(s[i]));
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
}

LS_TEST(child_graphs_and_clones)
{
    struct tick t[4] = {{0}};
    hipGraphNode_t a, b, c, child, found, nodes[4];
    hipGraph_t inner, outer, clone, got;
    hipGraphExec_t x;
    size_t n = 4;

    set_up();
    OK(hipGraphCreate(&inner, 0));
    a = add_tick(inner, NULL, 0, &t[1]);
    b = add_tick(inner, &a, 1, &t[2]);
    OK(hipGraphCreate(&outer, 0));
    c = add_tick(outer, NULL, 0, &t[0]);
    OK(hipGraphAddChildGraphNode(&child, outer, &c, 1, inner));
    add_tick(outer, &child, 1, &t[3]);
    OK(hipGraphChildGraphNodeGetGraph(child, &got));
    EXPECT(got != inner);
    OK(hipGraphGetNodes(got, nodes, &n));
    EXPECT_EQ(n, 2);
    OK(hipGraphNodeFindInClone(&found, b, got));
    EXPECT_EQ(found, nodes[1]);
    OK(hipGraphClone(&clone, outer));
    OK(hipGraphNodeFindInClone(&found, c, clone));
    EXPECT(found && found != c);
    EXPECT_EQ(hipGraphNodeFindInClone(&found, c, outer), hipErrorInvalidValue);
    OK(hipGraphDestroy(inner));
    OK(hipGraphDestroy(outer));
    OK(hipGraphInstantiate(&x, clone, NULL, NULL, 0));
    OK(hipGraphLaunch(x, NULL));
    OK(hipDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(t[i].at, i + 1);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(clone));
}

LS_TEST(events_in_graphs)
{
    struct tick t = {0}, u = {0};
    hipGraph_t g;
    hipGraphExec_t x;
    hipGraphNode_t n;
    hipEvent_t before, after, got;
    hipStream_t s, o;
    float ms = -1;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipStreamCreate(&o));
    OK(hipEventCreate(&before));
    OK(hipEventCreate(&after));
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddEventWaitNode(&n, g, NULL, 0, before));
    n = add_tick(g, &n, 1, &t);
    OK(hipGraphAddEventRecordNode(&n, g, &n, 1, after));
    OK(hipGraphEventRecordNodeGetEvent(n, &got));
    EXPECT_EQ(got, after);
    EXPECT_EQ(hipGraphEventWaitNodeGetEvent(n, &got), hipErrorInvalidValue);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int k = 1; k < 20; k++) {
        OK(hipLaunchHostFunc(o, tick, &u));
        OK(hipEventRecord(before, o));
        OK(hipGraphLaunch(x, s));
        OK(hipEventSynchronize(after));
        EXPECT_EQ(t.runs, k);
        EXPECT(t.at > u.at);
        OK(hipEventElapsedTime(&ms, before, after));
        EXPECT(ms >= 0);
    }
    OK(hipDeviceSynchronize());
    OK(hipEventDestroy(before));
    EXPECT_EQ(hipGraphLaunch(x, s), hipErrorInvalidValue);
    OK(hipEventDestroy(after));
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
}

LS_TEST(symbols)
{
    int value = 99, back = 0, *d;
    hipGraphNode_t to, from;
    hipGraphExec_t x;
    hipGraph_t g;

    set_up();
    OK(hipMalloc((void **)&d, 16));
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, &host_var, &value, 4, 0,
                                     hipMemcpyHostToDevice));
    OK(hipGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, &back, &host_var, 4, 0,
                                       hipMemcpyDeviceToHost));
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphLaunch(x, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(back, 99);
    EXPECT_EQ(hipGraphAddMemcpyNodeToSymbol(&to, g, NULL, 0, &host_var, &value, 4, 1,
                                            hipMemcpyHostToDevice),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphMemcpyNodeSetParamsToSymbol(to, NULL, &value, 4, 0, hipMemcpyHostToDevice),
              hipErrorInvalidSymbol);
    EXPECT_EQ(hipGraphExecMemcpyNodeSetParamsFromSymbol(x, from, d, &host_var, 4, 0,
                                                        hipMemcpyDeviceToDevice),
              hipErrorInvalidValue); /* another direction */
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
    OK(hipFree(d));
}

LS_TEST(memory_nodes)
{
    hipMemAllocNodeParams p = {
        .poolProps = {.allocType = hipMemAllocationTypePinned,
                      .location = {.type = hipMemLocationTypeDevice, .id = 0}},
        .bytesize = 1 << 20};
    hipGraphNode_t alloc, fill, release;
    hipMemsetParams m;
    hipGraphExec_t x, y;
    hipGraph_t g;
    uint64_t used, zero = 0;
    unsigned char *at, last;

    set_up();
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    REQUIRE(p.dptr);
    at = p.dptr;
    m = (hipMemsetParams){
        .dst = at, .elementSize = 1, .width = p.bytesize, .height = 1, .value = 0x5a};
    OK(hipGraphAddMemsetNode(&fill, g, &alloc, 1, &m));
    OK(hipGraphInstantiateWithFlags(&x, g, hipGraphInstantiateFlagAutoFreeOnLaunch));
    EXPECT_EQ(hipGraphInstantiate(&y, g, NULL, NULL, 0), hipErrorNotSupported);
    EXPECT_EQ(hipGraphClone(&g, g), hipErrorNotSupported);
    EXPECT_EQ(hipGraphDestroyNode(alloc), hipErrorNotSupported);
    OK(hipGraphLaunch(x, NULL));
    OK(hipGraphLaunch(x, NULL));
    OK(hipMemcpy(&last, at + p.bytesize - 1, 1, hipMemcpyDeviceToHost));
    EXPECT_EQ(last, 0x5a);
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &used));
    EXPECT_EQ(used, p.bytesize);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
    OK(hipMemcpy(&last, at, 1, hipMemcpyDeviceToHost)); /* still in use */
    EXPECT_EQ(last, 0x5a);
    OK(hipFree(at));
    EXPECT_EQ(hipFree(at), hipErrorInvalidValue);
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &used));
    EXPECT_EQ(used, 0);
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &used));
    EXPECT_EQ(used, p.bytesize);
    OK(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &zero));
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &used));
    EXPECT_EQ(used, 0);

    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    OK(hipGraphAddMemFreeNode(&release, g, &alloc, 1, p.dptr));
    EXPECT_EQ(hipGraphAddMemFreeNode(&release, g, &alloc, 1, p.dptr), hipErrorInvalidValue);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int i = 0; i < 3; i++)
        OK(hipGraphLaunch(x, NULL));
    OK(hipDeviceSynchronize());
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &used));
    EXPECT_EQ(used, 0);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
}

static int n_destroyed;

static void
destroy_user(void *ptr)
{
    __atomic_fetch_add(&n_destroyed, *(int *)ptr, __ATOMIC_SEQ_CST);
    hipGetLastError(); /* no lock is held */
}

LS_TEST(user_objects)
{
    struct tick t = {0};
    hipUserObject_t o, p;
    hipGraphExec_t x;
    hipGraph_t g, clone;
    int one = 1, ten = 10;

    set_up();
    OK(hipUserObjectCreate(&o, &one, destroy_user, 2, hipUserObjectNoDestructorSync));
    OK(hipUserObjectCreate(&p, &ten, destroy_user, 1, hipUserObjectNoDestructorSync));
    EXPECT_EQ(hipUserObjectCreate(&o, &one, destroy_user, 0, hipUserObjectNoDestructorSync),
              hipErrorInvalidValue);
    EXPECT_EQ(hipUserObjectCreate(&o, &one, destroy_user, 1, 0), hipErrorInvalidValue);
    OK(hipGraphCreate(&g, 0));
    add_tick(g, NULL, 0, &t);
    OK(hipGraphRetainUserObject(g, p, 1, hipGraphUserObjectMove));
    OK(hipGraphRetainUserObject(g, o, 1, 0));
    OK(hipUserObjectRelease(o, 2));
    EXPECT_EQ(n_destroyed, 0);
    OK(hipGraphClone(&clone, g));
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphDestroy(g));
    OK(hipGraphReleaseUserObject(clone, o, 1));
    OK(hipGraphDestroy(clone));
    EXPECT_EQ(n_destroyed, 0);
    OK(hipGraphLaunch(x, NULL));
    OK(hipGraphExecDestroy(x));
    OK(hipDeviceSynchronize());
    for (int i = 0; i < 1000 && __atomic_load_n(&n_destroyed, __ATOMIC_SEQ_CST) != 11; i++)
        usleep(1000); /* told from another thread */
    EXPECT_EQ(__atomic_load_n(&n_destroyed, __ATOMIC_SEQ_CST), 11);
    OK(hipUserObjectRelease(o, 1)); /* nothing any more */
}

LS_TEST(updates)
{
    static struct pipeline p;
    hipGraph_t g;
    hipGraphNode_t fill, up, scale, down, at;
    hipGraphExecUpdateResult why;
    hipMemsetParams m;
    float a = 11;

    set_up();
    make_pipeline(&p);
    p.args[2] = &a;
    m = (hipMemsetParams){.dst = p.d_out, .elementSize = 4, .width = N, .height = 1};
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddMemsetNode(&fill, g, NULL, 0, &m));
    EXPECT_EQ(hipGraphExecUpdate(p.exec, g, &at, &why), hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(why, hipGraphExecUpdateErrorTopologyChanged);
    OK(hipGraphAddMemcpyNode1D(&up, g, NULL, 0, p.d_in, p.in, sizeof(p.in), hipMemcpyHostToDevice));
    scale = add_kernel(g, (hipGraphNode_t[]){fill, up}, 2, "scale", 4, 256, p.args);
    OK(hipGraphAddMemcpyNode1D(&down, g, &scale, 1, p.out, p.d_out, sizeof(p.out),
                               hipMemcpyDeviceToHost));
    OK(hipGraphExecUpdate(p.exec, g, &at, &why));
    EXPECT_EQ(why, hipGraphExecUpdateSuccess);
    run_pipeline(&p, 11);
    OK(hipGraphDestroyNode(down));
    OK(hipGraphAddMemcpyNode1D(&down, g, &scale, 1, p.d_in, p.d_out, sizeof(p.out),
                               hipMemcpyDeviceToDevice));
    EXPECT_EQ(hipGraphExecUpdate(p.exec, g, &at, &why), hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(why, hipGraphExecUpdateErrorParametersChanged);
    EXPECT_EQ(at, down);
    OK(hipGraphDestroyNode(down));
    OK(hipGraphAddEmptyNode(&down, g, &scale, 1));
    EXPECT_EQ(hipGraphExecUpdate(p.exec, g, &at, &why), hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(why, hipGraphExecUpdateErrorNodeTypeChanged);
    EXPECT_EQ(at, down);
    run_pipeline(&p, 11); /* a refused update changes nothing */
    OK(hipGraphDestroy(g));
    free_pipeline(&p);
}

LS_TEST(a_picture)
{
    static struct pipeline p;
    char path[64], text[4096] = "";
    FILE *f;

    set_up();
    make_pipeline(&p);
    snprintf(path, sizeof(path), "%s/graph.dot", test_cache);
    OK(hipGraphDebugDotPrint(p.graph, path, hipGraphDebugDotFlagsVerbose));
    f = fopen(path, "r");
    REQUIRE(f && fread(text, 1, sizeof(text) - 1, f) > 0);
    fclose(f);
    EXPECT(strstr(text, "KERNEL\\n") && strstr(text, "scale") && strstr(text, "HtoD"));
    EXPECT(strstr(text, "<<<(4,1,1),(256,1,1),0>>>") && strstr(text, "->"));
    EXPECT_EQ(hipGraphDebugDotPrint(p.graph, "/nowhere/at/all", 0), hipErrorOperatingSystem);
    free_pipeline(&p);
}

/* Capture */

LS_TEST(captured_pipeline)
{
    static float in[N], out[N];
    float *d_in, *d_out, a = 3;
    int n = N;
    void *args[] = {&d_out, &d_in, &a, &n};
    hipStreamCaptureStatus status;
    unsigned long long id = 0;
    const hipGraphNode_t *deps;
    struct tick t = {0};
    hipGraphNodeType type;
    hipStream_t s;
    hipGraph_t g, inside;
    hipGraphExec_t x;
    hipGraphNode_t nodes[8];
    size_t n_nodes = 8, n_deps;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipMalloc((void **)&d_in, sizeof(in)));
    OK(hipMalloc((void **)&d_out, sizeof(out)));
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    EXPECT_EQ(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    OK(hipMemsetAsync(d_out, 0, sizeof(out), s));
    OK(hipMemcpyAsync(d_in, in, sizeof(in), hipMemcpyHostToDevice, s));
    OK(launch("scale", 4, 256, args, s));
    OK(hipMemcpyAsync(out, d_out, sizeof(out), hipMemcpyDeviceToHost, s));
    OK(hipLaunchHostFunc(s, tick, &t));
    OK(hipStreamGetCaptureInfo_v2(s, &status, &id, &inside, &deps, &n_deps));
    EXPECT_EQ(status, hipStreamCaptureStatusActive);
    EXPECT(id > 0);
    EXPECT_EQ(n_deps, 1);
    OK(hipGraphNodeGetType(deps[0], &type));
    EXPECT_EQ(type, hipGraphNodeTypeHost);
    OK(hipStreamEndCapture(s, &g));
    EXPECT_EQ(g, inside);
    OK(hipStreamIsCapturing(s, &status));
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    EXPECT_EQ(t.runs, 0);
    OK(hipGraphGetNodes(g, nodes, &n_nodes));
    EXPECT_EQ(n_nodes, 5);
    a = 100;
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphDestroy(g));
    for (int k = 1; k <= 3; k++) {
        memset(out, 0, sizeof(out));
        OK(hipGraphLaunch(x, s));
        OK(hipStreamSynchronize(s));
        for (int i = 0; i < N; i++)
            REQUIRE(out[i] == 3 * in[i]);
        EXPECT_EQ(t.runs, k);
    }
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed)); /* a graph in a graph */
    OK(hipGraphLaunch(x, s));
    OK(hipGraphExecDestroy(x));
    OK(hipStreamEndCapture(s, &g));
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphLaunch(x, s));
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(t.runs, 4);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
    OK(hipStreamDestroy(s));
    OK(hipFree(d_in));
    OK(hipFree(d_out));
}

LS_TEST(capture_across_streams)
{
    struct tick t[4] = {{0}};
    hipStream_t a, b, c;
    hipEvent_t fork, join, other;
    hipStreamCaptureStatus status;
    hipGraphExec_t x;
    hipGraph_t g;
    size_t n;

    set_up();
    OK(hipStreamCreate(&a));
    OK(hipStreamCreate(&b));
    OK(hipStreamCreate(&c));
    OK(hipEventCreate(&fork));
    OK(hipEventCreate(&join));
    OK(hipEventCreate(&other));
    OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
    OK(hipLaunchHostFunc(a, tick, &t[0]));
    OK(hipEventRecord(fork, a));
    OK(hipStreamWaitEvent(b, fork, 0));
    OK(hipStreamIsCapturing(b, &status));
    EXPECT_EQ(status, hipStreamCaptureStatusActive);
    OK(hipLaunchHostFunc(b, tick, &t[1]));
    OK(hipLaunchHostFunc(a, tick, &t[2]));
    OK(hipEventRecord(join, b));
    EXPECT_EQ(hipStreamEndCapture(b, &g), hipErrorStreamCaptureUnmatched);
    OK(hipStreamWaitEvent(a, join, 0));
    OK(hipLaunchHostFunc(a, tick, &t[3]));
    OK(hipStreamEndCapture(a, &g));
    OK(hipStreamIsCapturing(b, &status));
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    OK(hipGraphGetEdges(g, NULL, NULL, &n));
    EXPECT_EQ(n, 4);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphLaunch(x, a));
    OK(hipStreamSynchronize(a));
    EXPECT_EQ(t[0].at, 1);
    EXPECT_EQ(t[3].at, 4);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));

    OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal)); /* left unjoined */
    OK(hipEventRecord(fork, a));
    OK(hipStreamWaitEvent(b, fork, 0));
    OK(hipLaunchHostFunc(b, tick, &t[1]));
    EXPECT_EQ(hipStreamEndCapture(a, &g), hipErrorStreamCaptureUnjoined);
    EXPECT_EQ(g, NULL);

    OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal)); /* two captures meet */
    OK(hipStreamBeginCapture(c, hipStreamCaptureModeThreadLocal));
    OK(hipLaunchHostFunc(c, tick, &t[1]));
    OK(hipEventRecord(other, c));
    EXPECT_EQ(hipStreamWaitEvent(a, other, 0), hipErrorStreamCaptureMerge);
    EXPECT_EQ(hipStreamEndCapture(a, &g), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipStreamEndCapture(c, &g), hipErrorStreamCaptureInvalidated);

    OK(hipEventRecord(other, a)); /* before the capture */
    OK(hipStreamBeginCapture(a, hipStreamCaptureModeThreadLocal));
    EXPECT_EQ(hipStreamWaitEvent(b, other, 0), hipErrorStreamCaptureIsolation);
    OK(hipStreamEndCapture(a, &g));
    OK(hipGraphDestroy(g));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(t[1].runs, 1);
}

static hipStream_t shared_stream;

static void *
end_elsewhere(void *arg)
{
    hipGraph_t g;
    void *p = NULL;

    (void)arg;
    EXPECT_EQ(hipStreamEndCapture(shared_stream, &g), hipErrorStreamCaptureWrongThread);
    OK(hipMalloc(&p, 16)); /* the other thread's is thread-local */
    OK(hipFree(p));
    return NULL;
}

LS_TEST(what_a_capture_forbids)
{
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    hipStreamCaptureStatus status;
    hipEvent_t e;
    hipStream_t s, beside;
    hipGraph_t g;
    pthread_t thread;
    void *p, *d;
    int failures = ls_test_failures;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipEventCreate(&e));
    OK(hipMalloc(&d, 64));
    EXPECT_EQ(hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal),
              hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamBeginCapture(s, (hipStreamCaptureMode)7), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamEndCapture(s, &g), hipErrorIllegalState);

#define FORBIDS(call, error)                                                                       \
    do {                                                                                           \
        OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));                                  \
        OK(hipEventRecord(e, s));                                                                  \
        EXPECT_EQ(call, error);                                                                    \
        OK(hipStreamIsCapturing(s, &status));                                                      \
        EXPECT_EQ(status, hipStreamCaptureStatusInvalidated);                                      \
        EXPECT_EQ(hipMemsetAsync(d, 0, 64, s), hipErrorStreamCaptureInvalidated);                  \
        EXPECT_EQ(hipStreamEndCapture(s, &g), hipErrorStreamCaptureInvalidated);                   \
        EXPECT_EQ(g, NULL);                                                                        \
    } while (0)
    FORBIDS(hipMalloc(&p, 16), hipErrorStreamCaptureUnsupported);
    FORBIDS(hipFree(d), hipErrorStreamCaptureUnsupported);
    FORBIDS(hipStreamSynchronize(s), hipErrorStreamCaptureUnsupported);
    FORBIDS(hipStreamQuery(s), hipErrorStreamCaptureUnsupported);
    FORBIDS(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
    FORBIDS(hipEventSynchronize(e), hipErrorCapturedEvent);
    FORBIDS(hipEventQuery(e), hipErrorCapturedEvent);
    FORBIDS(hipMemset(d, 0, 64), hipErrorStreamCaptureImplicit);
    FORBIDS(hipMemcpy(d, &s, 8, hipMemcpyHostToDevice), hipErrorStreamCaptureImplicit);
    EXPECT_EQ(ls_test_failures, failures);
    OK(hipStreamCreateWithFlags(&beside, hipStreamNonBlocking));
    OK(hipStreamBeginCapture(beside, hipStreamCaptureModeRelaxed));
    EXPECT_EQ(hipStreamIsCapturing(NULL, &status), hipSuccess);
    EXPECT_EQ(hipMemset(d, 0, 64), hipErrorStreamCaptureImplicit); /* as in ROCm, not as in CUDA */
    EXPECT_EQ(hipStreamEndCapture(beside, &g), hipErrorStreamCaptureInvalidated);
    OK(hipStreamDestroy(beside));

    OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    EXPECT_EQ(hipStreamIsCapturing(NULL, &status), hipErrorStreamCaptureImplicit);
    OK(hipThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
    OK(hipMalloc(&p, 16));
    OK(hipThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, hipStreamCaptureModeRelaxed);
    OK(hipStreamEndCapture(s, &g));
    OK(hipGraphDestroy(g));
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal));
    shared_stream = s;
    pthread_create(&thread, NULL, end_elsewhere, NULL);
    pthread_join(thread, NULL);
    OK(hipStreamEndCapture(s, &g));
    OK(hipGraphDestroy(g));
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
    OK(hipFree(p));
    OK(hipStreamDestroy(s)); /* with its capture */
    OK(hipFree(d));
    OK(hipEventDestroy(e));
}

LS_TEST(capture_to_a_graph)
{
    struct tick t[3] = {{0}};
    hipGraphNode_t a, deps[2];
    hipStream_t s;
    hipGraph_t g, same;
    hipGraphExec_t x;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipGraphCreate(&g, 0));
    a = add_tick(g, NULL, 0, &t[0]);
    EXPECT_EQ(hipStreamBeginCaptureToGraph(s, g, &a, NULL, 0, hipStreamCaptureModeGlobal),
              hipErrorInvalidValue);
    OK(hipStreamBeginCaptureToGraph(s, g, &a, NULL, 1, hipStreamCaptureModeGlobal));
    EXPECT_EQ(hipGraphDestroy(g), hipErrorIllegalState);
    OK(hipLaunchHostFunc(s, tick, &t[1]));
    deps[0] = a;
    OK(hipStreamUpdateCaptureDependencies(s, deps, 1, hipStreamSetCaptureDependencies));
    OK(hipLaunchHostFunc(s, tick, &t[2]));
    OK(hipStreamEndCapture(s, &same));
    EXPECT_EQ(same, g);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphLaunch(x, s));
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(t[0].at, 1);
    EXPECT_EQ(t[1].runs + t[2].runs, 2);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
    OK(hipStreamDestroy(s));
}

LS_TEST(captured_allocation)
{
    unsigned char *p = NULL, back = 0;
    hipStream_t s;
    hipGraphExec_t x;
    hipGraph_t g;
    uint64_t used;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    OK(hipMallocAsync((void **)&p, 4096, s));
    REQUIRE(p);
    OK(hipMemsetAsync(p, 7, 4096, s));
    OK(hipMemcpyAsync(&back, p + 4095, 1, hipMemcpyDeviceToHost, s));
    OK(hipFreeAsync(p, s));
    OK(hipStreamEndCapture(s, &g));
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int i = 0; i < 3; i++) {
        back = 0;
        OK(hipGraphLaunch(x, s));
        OK(hipStreamSynchronize(s));
        EXPECT_EQ(back, 7);
    }
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &used));
    EXPECT_EQ(used, 0);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
    OK(hipStreamDestroy(s));
}

LS_TEST(values_and_semaphores)
{
    uint32_t *word;
    hipStreamBatchMemOpParams ops[2] = {
        {.waitValue = {.operation = hipStreamMemOpWaitValue32, .flags = hipStreamWaitValueEq}},
        {.writeValue = {.operation = hipStreamMemOpWriteValue32}}};
    hipBatchMemOpNodeParams batch = {.count = 2, .paramArray = ops}, got;
    hipExternalSemaphoreHandleDesc desc = {.type = hipExternalSemaphoreHandleTypeOpaqueFd};
    hipExternalSemaphoreSignalParams signals = {0};
    hipExternalSemaphoreWaitParams waits = {0};
    hipExternalSemaphore_t semaphore;
    struct tick t[2] = {{0}};
    hipGraphNode_t n, s, w;
    hipGraph_t g;
    hipGraphExec_t x;
    hipStream_t stream;

    set_up();
    OK(hipStreamCreate(&stream));
    OK(hipHostMalloc((void **)&word, 64, 0));
    memset(word, 0, 64);
    ops[0].waitValue.address = word;
    ops[0].waitValue.value = 7;
    ops[1].writeValue.address = word + 1;
    ops[1].writeValue.value = 8;
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddBatchMemOpNode(&n, g, NULL, 0, &batch));
    add_tick(g, NULL, 0, &t[0]);
    add_tick(g, &n, 1, &t[1]);
    OK(hipGraphBatchMemOpNodeGetParams(n, &got));
    EXPECT(got.count == 2 && got.paramArray != ops && got.paramArray[1].writeValue.value == 8);
    batch.count = 0;
    EXPECT_EQ(hipGraphBatchMemOpNodeSetParams(n, &batch), hipErrorInvalidValue);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    for (int i = 1; i < 5; i++) {
        __atomic_store_n(&word[0], 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&word[1], 0, __ATOMIC_SEQ_CST);
        OK(hipGraphLaunch(x, stream));
        while (__atomic_load_n(&t[0].runs, __ATOMIC_SEQ_CST) < i)
            usleep(100);
        EXPECT_EQ(__atomic_load_n(&t[1].runs, __ATOMIC_SEQ_CST), i - 1);
        EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
        __atomic_store_n(&word[0], 7, __ATOMIC_SEQ_CST);
        OK(hipStreamSynchronize(stream));
        EXPECT_EQ(t[1].runs, i);
        EXPECT_EQ(word[1], 8);
    }
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));

    word[1] = 0;
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    OK(hipStreamWaitValue32(stream, word, 7, hipStreamWaitValueEq, ~0u));
    OK(hipStreamWriteValue32(stream, word + 1, 9, 0));
    OK(hipStreamEndCapture(stream, &g));
    EXPECT_EQ(word[1], 0);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphLaunch(x, stream));
    OK(hipStreamSynchronize(stream));
    EXPECT_EQ(word[1], 9);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));

    desc.handle.fd = eventfd(0, 0);
    OK(hipImportExternalSemaphore(&semaphore, &desc));
    OK(hipGraphCreate(&g, 0));
    t[0].runs = 0;
    OK(hipGraphAddExternalSemaphoresWaitNode(
        &w, g, NULL, 0, &(hipExternalSemaphoreWaitNodeParams){&semaphore, &waits, 1}));
    add_tick(g, &w, 1, &t[0]);
    OK(hipGraphAddExternalSemaphoresSignalNode(
        &s, g, NULL, 0, &(hipExternalSemaphoreSignalNodeParams){&semaphore, &signals, 1}));
    EXPECT_EQ(hipGraphExternalSemaphoresWaitNodeSetParams(
                  s, &(hipExternalSemaphoreWaitNodeParams){&semaphore, &waits, 1}),
              hipErrorInvalidValue);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphDestroy(g));
    OK(hipDestroyExternalSemaphore(semaphore)); /* the nodes hold on to it */
    for (int i = 0; i < 3; i++)
        OK(hipGraphLaunch(x, stream));
    OK(hipStreamSynchronize(stream));
    EXPECT_EQ(t[0].runs, 3);
    OK(hipGraphExecDestroy(x));
    OK(hipStreamDestroy(stream));
    OK(hipHostFree(word));
}

LS_TEST(a_fault_in_a_graph)
{
    int *p = (int *)(uintptr_t)0x10, *d;
    unsigned block = 0;
    void *args[] = {&p, &block}, *count[] = {&d};
    hipGraphNode_t n;
    hipGraphExec_t x;
    hipGraph_t g;

    if (RUNNING_ON_VALGRIND)
        return; /* memcheck would report the access, which is bad on purpose */
    set_up();
    OK(hipMallocManaged((void **)&d, 64, hipMemAttachGlobal));
    OK(hipMemset(d, 0, 64));
    OK(hipGraphCreate(&g, 0));
    n = add_kernel(g, NULL, 0, "fault", 1, 64, args);
    add_kernel(g, &n, 1, "count", 1, 64, count);
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphLaunch(x, NULL));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    EXPECT_EQ(*d, 0); /* what comes behind it does not run */
    EXPECT_EQ(hipGraphLaunch(x, NULL), hipErrorIllegalAddress);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g));
    OK(hipDeviceReset());
    OK(launch("empty", 1, 1, NULL, NULL));
    OK(hipDeviceSynchronize());
}

/* Until somebody frees it, what a launch allocated is there: another launch is refused. */
LS_TEST(memory_of_a_launch_is_freed_before_the_next)
{
    hipMemAllocNodeParams p = {
        .poolProps = {.allocType = hipMemAllocationTypePinned,
                      .location = {.type = hipMemLocationTypeDevice, .id = 0}},
        .bytesize = 4096};
    hipGraphNode_t alloc, release;
    hipGraphExec_t x, y;
    hipGraph_t g, h;
    hipStream_t s;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
    OK(hipGraphLaunch(x, s));
    EXPECT_EQ(hipGraphLaunch(x, s), hipErrorInvalidValue);
    OK(hipFreeAsync(p.dptr, s));
    OK(hipGraphLaunch(x, s));
    EXPECT_EQ(hipGraphLaunch(x, s), hipErrorInvalidValue);
    OK(hipFree(p.dptr));
    OK(hipGraphLaunch(x, s));

    OK(hipGraphCreate(&h, 0)); /* another graph frees it */
    OK(hipGraphAddMemFreeNode(&release, h, NULL, 0, p.dptr));
    OK(hipGraphInstantiate(&y, h, NULL, NULL, 0));
    OK(hipGraphLaunch(y, s));
    OK(hipGraphLaunch(x, s));
    EXPECT_EQ(hipGraphLaunch(x, s), hipErrorInvalidValue);
    OK(hipGraphLaunch(y, s));
    OK(hipStreamSynchronize(s));
    OK(hipGraphExecDestroy(x));
    OK(hipGraphExecDestroy(y));
    OK(hipGraphDestroy(g));
    OK(hipGraphDestroy(h));
    OK(hipStreamDestroy(s));
}

/* A free node that was not made, or is gone with its graph, is no obstacle for another. */
LS_TEST(free_nodes_may_be_made_anew)
{
    hipMemAllocNodeParams p = {
        .poolProps = {.allocType = hipMemAllocationTypePinned,
                      .location = {.type = hipMemLocationTypeDevice, .id = 0}},
        .bytesize = 4096};
    hipGraphNode_t alloc, release;
    hipGraph_t g, h;
    hipStream_t s;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphCreate(&h, 0));
    OK(hipGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    EXPECT_EQ(hipGraphAddMemFreeNode(&release, h, &alloc, 1, p.dptr), hipErrorInvalidValue);
    OK(hipGraphAddMemFreeNode(&release, h, NULL, 0, p.dptr));
    EXPECT_EQ(hipGraphAddMemFreeNode(&release, g, NULL, 0, p.dptr), hipErrorInvalidValue);
    OK(hipGraphDestroy(h));
    for (int i = 0; i < 2; i++) {
        OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
        OK(hipFreeAsync(p.dptr, s));
        OK(hipStreamEndCapture(s, &h));
        OK(hipGraphDestroy(h));
    }
    OK(hipGraphDestroy(g));
    OK(hipStreamDestroy(s));
}

/* An update gives the instance what the new graph's nodes need, and lets go of the old. */
LS_TEST(updates_take_user_objects_along)
{
    struct tick t = {0};
    int one = 1, ten = 10, hundred = 100;
    int *const all[] = {&one, &ten, &hundred};
    hipUserObject_t o[3];
    hipGraphExecUpdateResult why;
    hipGraphNode_t at, child[2];
    hipGraphExec_t x;
    hipGraph_t g[3], parent;

    set_up();
    n_destroyed = 0;
    for (int i = 0; i < 3; i++) {
        OK(hipUserObjectCreate(&o[i], all[i], destroy_user, 1, hipUserObjectNoDestructorSync));
        OK(hipGraphCreate(&g[i], 0));
        add_tick(g[i], NULL, 0, &t);
        OK(hipGraphRetainUserObject(g[i], o[i], 1, hipGraphUserObjectMove));
    }
    OK(hipGraphInstantiate(&x, g[0], NULL, NULL, 0));
    OK(hipGraphDestroy(g[0]));
    EXPECT_EQ(n_destroyed, 0);
    OK(hipGraphExecUpdate(x, g[1], &at, &why));
    EXPECT_EQ(n_destroyed, 1);
    OK(hipGraphDestroy(g[1]));
    EXPECT_EQ(n_destroyed, 1);
    OK(hipGraphLaunch(x, NULL));
    OK(hipDeviceSynchronize());
    OK(hipGraphExecDestroy(x));
    EXPECT_EQ(n_destroyed, 11);

    OK(hipGraphCreate(&parent, 0));
    OK(hipGraphCreate(&g[0], 0));
    add_tick(g[0], NULL, 0, &t);
    OK(hipGraphAddChildGraphNode(&child[0], parent, NULL, 0, g[0]));
    OK(hipGraphInstantiate(&x, parent, NULL, NULL, 0));
    OK(hipGraphExecChildGraphNodeSetParams(x, child[0], g[2]));
    OK(hipGraphDestroy(g[2]));
    EXPECT_EQ(n_destroyed, 11);
    OK(hipGraphExecDestroy(x));
    EXPECT_EQ(n_destroyed, 111);
    OK(hipGraphDestroy(g[0]));
    OK(hipGraphDestroy(parent));
}

/* A launch on its way keeps what an update lets go of. */
LS_TEST(updates_wait_with_user_objects_for_launches)
{
    struct tick t = {0};
    volatile int *flag, *set;
    int one = 1;
    hipUserObject_t o;
    hipGraphExecUpdateResult why;
    hipGraphNode_t at;
    hipGraphExec_t x;
    hipGraph_t g[2];
    void *args[2] = {&flag, &set};

    (void)t;
    set_up();
    n_destroyed = 0;
    OK(hipHostMalloc((void **)(uintptr_t)&flag, 64, 0));
    OK(hipHostMalloc((void **)(uintptr_t)&set, 64, 0));
    *flag = *set = 0;
    OK(hipUserObjectCreate(&o, &one, destroy_user, 1, hipUserObjectNoDestructorSync));
    for (int i = 0; i < 2; i++) {
        OK(hipGraphCreate(&g[i], 0));
        add_kernel(g[i], NULL, 0, "await", 1, 1, args);
    }
    OK(hipGraphRetainUserObject(g[0], o, 1, hipGraphUserObjectMove));
    OK(hipGraphInstantiate(&x, g[0], NULL, NULL, 0));
    OK(hipGraphDestroy(g[0]));
    OK(hipGraphLaunch(x, NULL));
    OK(hipGraphExecUpdate(x, g[1], &at, &why));
    EXPECT_EQ(__atomic_load_n(&n_destroyed, __ATOMIC_SEQ_CST), 0);
    *flag = 1;
    OK(hipDeviceSynchronize());
    for (int i = 0; i < 1000 && __atomic_load_n(&n_destroyed, __ATOMIC_SEQ_CST) != 1; i++)
        usleep(1000); /* told from another thread */
    EXPECT_EQ(__atomic_load_n(&n_destroyed, __ATOMIC_SEQ_CST), 1);
    OK(hipGraphExecDestroy(x));
    OK(hipGraphDestroy(g[1]));
}

/* A graph goes while a stream is being captured into it or a part of it. */
LS_TEST(capture_into_a_child_that_goes)
{
    hipGraph_t parent, inner, child, out;
    struct tick t = {0};
    hipGraphNode_t node;
    hipStream_t s;
    hipStreamCaptureStatus status;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipGraphCreate(&parent, 0));
    OK(hipGraphCreate(&child, 0));
    OK(hipGraphAddChildGraphNode(&node, parent, NULL, 0, child));
    OK(hipGraphChildGraphNodeGetGraph(node, &inner));
    OK(hipStreamBeginCaptureToGraph(s, inner, NULL, NULL, 0, hipStreamCaptureModeRelaxed));
    OK(hipLaunchHostFunc(s, tick, &t));
    OK(hipGraphDestroy(parent));
    OK(hipGraphCreate(&parent, 0)); /* has its place */
    EXPECT_EQ(hipLaunchHostFunc(s, tick, &t), hipErrorStreamCaptureInvalidated);
    OK(hipStreamIsCapturing(s, &status));
    EXPECT_EQ(status, hipStreamCaptureStatusInvalidated);
    EXPECT_EQ(hipStreamEndCapture(s, &out), hipErrorStreamCaptureInvalidated);
    OK(hipLaunchHostFunc(s, tick, &t));
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(t.runs, 1);
    OK(hipGraphDestroy(parent));
    OK(hipGraphDestroy(child));
    OK(hipStreamDestroy(s));
}

LS_TEST(captured_allocation_of_nothing)
{
    void *ptr = &n_destroyed;
    hipGraph_t g;
    hipStream_t s;
    size_t n;

    set_up();
    OK(hipStreamCreate(&s));
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
    OK(hipMallocAsync(&ptr, 0, s));
    EXPECT_EQ(ptr, NULL);
    OK(hipStreamEndCapture(s, &g));
    OK(hipGraphGetNodes(g, NULL, &n));
    EXPECT_EQ(n, 0);
    OK(hipGraphDestroy(g));
    OK(hipStreamDestroy(s));
}

/* An external record is a node of the capture like others: work beside it is missed all the same.
 */
LS_TEST(unjoined_beside_an_external_record)
{
    struct tick t = {0};
    hipStream_t s[2];
    hipEvent_t fork, mark;
    hipGraph_t g;

    set_up();
    OK(hipStreamCreate(&s[0]));
    OK(hipStreamCreate(&s[1]));
    OK(hipEventCreate(&fork));
    OK(hipEventCreate(&mark));
    OK(hipStreamBeginCapture(s[0], hipStreamCaptureModeRelaxed));
    OK(hipEventRecord(fork, s[0]));
    OK(hipStreamWaitEvent(s[1], fork, 0));
    OK(hipLaunchHostFunc(s[1], tick, &t));
    OK(hipLaunchHostFunc(s[0], tick, &t));
    OK(hipEventRecordWithFlags(mark, s[0], hipEventRecordExternal));
    EXPECT_EQ(hipStreamEndCapture(s[0], &g), hipErrorStreamCaptureUnjoined);
    OK(hipStreamBeginCapture(s[0], hipStreamCaptureModeRelaxed));
    OK(hipEventRecord(fork, s[0]));
    OK(hipStreamWaitEvent(s[1], fork, 0));
    OK(hipEventRecordWithFlags(mark, s[1], hipEventRecordExternal));
    EXPECT_EQ(hipStreamEndCapture(s[0], &g), hipErrorStreamCaptureUnjoined);
    OK(hipEventDestroy(fork));
    OK(hipEventDestroy(mark));
    OK(hipStreamDestroy(s[0]));
    OK(hipStreamDestroy(s[1]));
}

/* The stream that an event was recorded in is gone; one in its place is another. */
LS_TEST(event_of_a_stream_that_is_gone)
{
    struct tick t = {0};
    hipStream_t s[3];
    hipEvent_t e;
    hipGraph_t g;

    set_up();
    OK(hipStreamCreate(&s[0]));
    OK(hipStreamCreate(&s[2]));
    OK(hipEventCreate(&e));
    OK(hipEventRecord(e, s[0]));
    OK(hipStreamSynchronize(s[0]));
    OK(hipStreamDestroy(s[0]));
    OK(hipStreamCreate(&s[1]));
    OK(hipStreamBeginCapture(s[1], hipStreamCaptureModeRelaxed));
    OK(hipStreamWaitEvent(s[2], e, 0));
    OK(hipLaunchHostFunc(s[1], tick, &t));
    OK(hipStreamEndCapture(s[1], &g));
    OK(hipGraphDestroy(g));
    OK(hipEventDestroy(e));
    OK(hipStreamDestroy(s[1]));
    OK(hipStreamDestroy(s[2]));
}

static hipError_t
malloc_managed(void)
{
    void *ptr;

    return hipMallocManaged(&ptr, 64, hipMemAttachGlobal);
}

static hipError_t
malloc_array(void)
{
    const hipChannelFormatDesc desc = {.x = 32, .f = hipChannelFormatKindFloat};
    hipArray_t array;

    return hipMallocArray(&array, &desc, 8, 8, 0);
}

static hipError_t
malloc_mipmap(void)
{
    const hipChannelFormatDesc desc = {.x = 32, .f = hipChannelFormatKindFloat};
    hipMipmappedArray_t mipmap;

    return hipMallocMipmappedArray(&mipmap, &desc, make_hipExtent(8, 8, 0), 2, 0);
}

/* All that allocates may be unsafe, not only hipMalloc. */
LS_TEST(a_capture_forbids_every_allocation)
{
    hipError_t (*const calls[])(void) = {malloc_managed, malloc_array, malloc_mipmap};
    hipStream_t s;
    hipGraph_t g;

    set_up();
    OK(hipStreamCreate(&s));
    for (size_t i = 0; i < 3; i++) {
        OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
        EXPECT_EQ(calls[i](), hipErrorStreamCaptureUnsupported);
        EXPECT_EQ(hipStreamEndCapture(s, &g), hipErrorStreamCaptureInvalidated);
        OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
        OK(calls[i]());
        OK(hipStreamEndCapture(s, &g));
        OK(hipGraphDestroy(g));
    }
    OK(hipStreamDestroy(s));
}

static void *
query_event(void *event)
{
    return (void *)(intptr_t)hipEventQuery(event);
}

/* Whoever looks after events of other streams does not disturb a capture. */
LS_TEST(events_beside_a_capture)
{
    struct tick t = {0};
    pthread_t thread;
    hipStream_t s[2];
    hipEvent_t e;
    hipGraph_t g;
    void *err;

    set_up();
    OK(hipStreamCreate(&s[0]));
    OK(hipStreamCreate(&s[1]));
    OK(hipEventCreate(&e));
    OK(hipEventRecord(e, s[1]));
    OK(hipStreamSynchronize(s[1]));
    OK(hipStreamBeginCapture(s[0], hipStreamCaptureModeGlobal));
    OK(hipEventQuery(e));
    REQUIRE(pthread_create(&thread, NULL, query_event, e) == 0);
    pthread_join(thread, &err);
    EXPECT_EQ((intptr_t)err, hipSuccess);
    OK(hipLaunchHostFunc(s[0], tick, &t));
    OK(hipStreamEndCapture(s[0], &g));
    OK(hipGraphDestroy(g));

    OK(hipStreamBeginCapture(s[0], hipStreamCaptureModeGlobal));
    EXPECT_EQ(hipEventSynchronize(e), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamEndCapture(s[0], &g), hipErrorStreamCaptureInvalidated);
    OK(hipStreamBeginCapture(s[1], hipStreamCaptureModeRelaxed)); /* its own stream */
    EXPECT_EQ(hipEventQuery(e), hipErrorCapturedEvent);
    OK(hipEventQuery(e)); /* the capture is invalid by now */
    EXPECT_EQ(hipStreamEndCapture(s[1], &g), hipErrorStreamCaptureInvalidated);
    OK(hipEventDestroy(e));
    OK(hipStreamDestroy(s[0]));
    OK(hipStreamDestroy(s[1]));
}

/* Threads that share instances, streams and events. */

static hipGraphExec_t common;
static int *cells;

static void *
stress(void *arg)
{
    int me = (int)(intptr_t)arg;
    int *mine = cells + 64 * (me + 1);
    void *args[] = {&mine};
    hipStream_t s;
    hipEvent_t e;
    hipGraph_t g;
    hipGraphExec_t x;

    OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    OK(hipEventCreate(&e));
    for (int i = 0; i < 20; i++) {
        OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
        OK(launch("count", 3, 64, args, s));
        OK(hipEventRecord(e, s));
        OK(launch("count", 3, 64, args, s));
        OK(hipStreamEndCapture(s, &g));
        OK(hipGraphInstantiate(&x, g, NULL, NULL, 0));
        OK(hipGraphDestroy(g));
        for (int k = 0; k < 5; k++) {
            OK(hipGraphLaunch(x, s));
            OK(hipGraphLaunch(common, s));
        }
        OK(hipGraphExecDestroy(x));
    }
    OK(hipStreamSynchronize(s));
    OK(hipStreamDestroy(s));
    OK(hipEventDestroy(e));
    return NULL;
}

LS_TEST(many_threads)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    void *args[] = {&cells};
    hipGraphNode_t n = NULL;
    hipGraph_t g;

    set_up();
    OK(hipMallocManaged((void **)&cells, 64 * (THREADS + 1) * sizeof(int), hipMemAttachGlobal));
    OK(hipMemset(cells, 0, 64 * (THREADS + 1) * sizeof(int)));
    OK(hipGraphCreate(&g, 0));
    for (int i = 0; i < 10; i++)
        n = add_kernel(g, n && i % 3 ? &n : NULL, n && i % 3, "count", 2, 64, args);
    OK(hipGraphInstantiate(&common, g, NULL, NULL, 0));
    for (intptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, stress, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    OK(hipDeviceSynchronize());
    EXPECT_EQ(cells[1], THREADS * 100 * 10);
    for (int i = 1; i <= THREADS; i++)
        EXPECT_EQ(cells[64 * i + 2], 200);
    OK(hipGraphExecDestroy(common));
    OK(hipGraphDestroy(g));
    OK(hipFree(cells));
}

/* A handle of what was destroyed may lead to what an instance has in its place. */
LS_TEST(stale_handles_and_instances)
{
    hipMemsetParams fill = {.elementSize = 1, .width = 16, .height = 1}, other = fill;

    OK(hipMalloc(&fill.dst, 64));
    other.dst = (char *)fill.dst + 32;
    for (int i = 0; i < 50; i++) {
        hipGraph_t stale, live;
        hipGraphNode_t node, stale_node;
        hipGraphExec_t exec;
        size_t n;

        OK(hipGraphCreate(&live, 0));
        OK(hipGraphAddMemsetNode(&node, live, NULL, 0, &fill));
        OK(hipGraphCreate(&stale, 0));
        OK(hipGraphAddMemsetNode(&stale_node, stale, NULL, 0, &fill));
        OK(hipGraphDestroy(stale));
        OK(hipGraphInstantiate(&exec, live, NULL, NULL, 0));
        EXPECT(hipGraphGetNodes(stale, NULL, &n) != hipSuccess);
        EXPECT(hipGraphMemsetNodeSetParams(stale_node, &other) != hipSuccess);
        EXPECT(hipGraphDestroyNode(stale_node) != hipSuccess);
        EXPECT(hipGraphDestroy(stale) != hipSuccess);
        OK(hipGraphLaunch(exec, NULL));
        OK(hipDeviceSynchronize());
        OK(hipGraphExecDestroy(exec));
        OK(hipGraphDestroy(live));
    }
    OK(hipFree(fill.dst));
}

LS_TEST(user_objects_that_never_were)
{
    char nothing[256] = {0};
    hipUserObject_t garbage = (hipUserObject_t)(void *)nothing;
    hipGraph_t graph;

    OK(hipGraphCreate(&graph, 0));
    EXPECT_EQ(hipUserObjectRelease(garbage, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipUserObjectRetain(garbage, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphRetainUserObject(graph, garbage, 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphReleaseUserObject(graph, garbage, 1), hipErrorInvalidValue);
    OK(hipGraphDestroy(graph));
}
