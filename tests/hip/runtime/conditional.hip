// SPDX-License-Identifier: MIT
// FAR: yes
// ARCH: gfx1100
// OPT: -O3
// ISA: avx2
// Conditional nodes of graphs: if, if-else, while, switch, one within another; default values,
// clones, updates, errors. Kernels decide.
#include "../check.h"

__device__ int log_of[64];
__device__ int n_logged;

__global__ void
note(int what)
{
    log_of[n_logged++] = what;
}

__global__ void
set(hipGraphConditionalHandle handle, const int *value)
{
    hipGraphSetConditional(handle, (unsigned)*value);
}

/* Goes on while there is something left. */
__global__ void
count_down(hipGraphConditionalHandle handle, int *left)
{
    hipGraphSetConditional(handle, --*left > 0);
}

static hipGraphNode_t
add_kernel(hipGraph_t g, hipGraphNode_t after, void *func, void **args)
{
    hipKernelNodeParams p = {};
    hipGraphNode_t n;

    p.func = func;
    p.blockDim = p.gridDim = dim3(1);
    p.kernelParams = args;
    CHECK_HIP(hipGraphAddKernelNode(&n, g, &after, after ? 1 : 0, &p));
    return n;
}

static hipGraphNode_t
add_note(hipGraph_t g, hipGraphNode_t after, int what)
{
    void *args[] = {&what};

    return add_kernel(g, after, (void *)note, args);
}

static hipGraphConditionalHandle
handle_of(hipGraph_t g, unsigned initial, unsigned flags)
{
    hipGraphConditionalHandle h;

    CHECK_HIP(hipGraphConditionalHandleCreate(&h, g, initial, flags));
    return h;
}

static hipGraphNode_t
add_choice(hipGraph_t g, hipGraphNode_t after, hipGraphConditionalHandle h,
           hipGraphConditionalNodeType type, unsigned n, hipGraph_t *bodies)
{
    hipGraphNodeParams p = {};
    hipGraphNode_t node;
    hipGraphNodeType got;

    p.type = hipGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = n;
    CHECK_HIP(hipGraphAddNode(&node, g, &after, after ? 1 : 0, &p));
    for (unsigned i = 0; i < n; i++)
        bodies[i] = p.conditional.phGraph_out[i];
    CHECK_HIP(hipGraphNodeGetType(node, &got));
    CHECK(got == hipGraphNodeTypeConditional);
    return node;
}

static void
expect(const char *what, std::vector<int> want)
{
    int n, zero = 0;

    CHECK_RUN();
    CHECK_HIP(hipMemcpyFromSymbol(&n, HIP_SYMBOL(n_logged), sizeof(n)));
    std::vector<int> got(n);
    if (n > 0)
        CHECK_HIP(hipMemcpyFromSymbol(got.data(), HIP_SYMBOL(log_of), n * sizeof(int)));
    CHECK_HIP(hipMemcpyToSymbol(HIP_SYMBOL(n_logged), &zero, sizeof(zero)));
    check_same(what, got, want);
}

/* value -> set -> choice -> 99; body i notes 10 + i. */
static void
choose(hipGraphConditionalNodeType type, unsigned n, std::vector<std::vector<int>> want)
{
    hipGraph_t g, bodies[4], clone;
    hipGraphExec_t exec, other;
    Dev<int> value(1);
    int *p = value;

    CHECK_HIP(hipGraphCreate(&g, 0));
    hipGraphConditionalHandle h = handle_of(g, 0, 0);
    void *args[] = {&h, &p};
    hipGraphNode_t node =
        add_choice(g, add_kernel(g, nullptr, (void *)set, args), h, type, n, bodies);
    for (unsigned i = 0; i < n; i++)
        add_note(bodies[i], nullptr, 10 + (int)i);
    add_note(g, node, 99);
    CHECK_HIP(hipGraphInstantiate(&exec, g, nullptr, nullptr, 0));
    CHECK_HIP(hipGraphClone(&clone, g));
    CHECK_HIP(hipGraphInstantiate(&other, clone, nullptr, nullptr, 0));
    for (int i = 0; i < (int)want.size(); i++) {
        value.set({i});
        CHECK_HIP(hipGraphLaunch(i % 2 ? other : exec, nullptr));
        expect("choice", want[i]);
    }
    CHECK_ERR(hipGraphDestroy(bodies[0]), hipErrorInvalidValue);
    (void)hipGetLastError();
    CHECK_HIP(hipGraphDestroy(g));
    value.set({0});
    CHECK_HIP(hipGraphLaunch(exec, nullptr)); /* has a copy, and the handle's word */
    expect("choice", want[0]);
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphExecDestroy(other));
    CHECK_HIP(hipGraphDestroy(clone));
}

/* while (outer) { note 1; inner = 2 times: while (inner) note 2; }: the loops start by their
 * default values. */
static void
loops()
{
    hipGraph_t g, body, inner;
    hipGraphExec_t exec;
    hipGraphNode_t n;
    Dev<int> left(2);
    int *outer_left = left, *inner_left = (int *)left + 1, two = 2;

    CHECK_HIP(hipGraphCreate(&g, 0));
    hipGraphConditionalHandle h = handle_of(g, 1, hipGraphCondAssignDefault),
                              hi = handle_of(g, 1, 0);
    n = add_choice(g, nullptr, h, hipGraphCondTypeWhile, 1, &body);
    add_note(g, n, 99);
    n = add_note(body, nullptr, 1);
    void *again[] = {&hi, &inner_left};
    n = add_kernel(body, n, (void *)set, again);
    n = add_choice(body, n, hi, hipGraphCondTypeWhile, 1, &inner);
    void *args_inner[] = {&hi, &inner_left}, *args_outer[] = {&h, &outer_left};
    add_kernel(inner, add_note(inner, nullptr, 2), (void *)count_down, args_inner);
    hipMemsetParams refill = {};
    refill.dst = inner_left;
    refill.elementSize = 4;
    refill.value = (unsigned)two;
    refill.width = refill.height = 1;
    CHECK_HIP(hipGraphAddMemsetNode(&n, body, &n, 1, &refill));
    add_kernel(body, n, (void *)count_down, args_outer);
    CHECK_HIP(hipGraphInstantiate(&exec, g, nullptr, nullptr, 0));
    for (int times = 1; times < 4; times++) {
        std::vector<int> want;

        left.set({times, 2});
        CHECK_HIP(hipGraphLaunch(exec, nullptr));
        for (int i = 0; i < times; i++)
            want.insert(want.end(), {1, 2, 2});
        want.push_back(99);
        expect("loops", want);
    }
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(g));
}

static void
long_loop()
{
    hipGraph_t g, body;
    hipGraphExec_t exec;
    hipStream_t stream;
    Dev<int> left(1);
    int *p = left;

    CHECK_HIP(hipStreamCreate(&stream));
    CHECK_HIP(hipGraphCreate(&g, 0));
    hipGraphConditionalHandle h = handle_of(g, 1, hipGraphCondAssignDefault);
    add_choice(g, nullptr, h, hipGraphCondTypeWhile, 1, &body);
    void *args[] = {&h, &p};
    add_kernel(body, nullptr, (void *)count_down, args);
    CHECK_HIP(hipGraphInstantiate(&exec, g, nullptr, nullptr, 0));
    left.set({20000});
    CHECK_HIP(hipGraphLaunch(exec, stream));
    CHECK_HIP(hipStreamSynchronize(stream));
    CHECK(left.get()[0] == 0);
    CHECK_HIP(hipGraphExecDestroy(exec));
    CHECK_HIP(hipGraphDestroy(g));
    CHECK_HIP(hipStreamDestroy(stream));
}

static void
errors()
{
    hipGraph_t g, body;
    hipGraphExec_t exec;
    hipGraphNode_t n;
    hipGraphNodeParams p = {};
    hipGraphConditionalHandle h;

    CHECK_HIP(hipGraphCreate(&g, 0));
    CHECK_ERR(hipGraphConditionalHandleCreate(&h, nullptr, 0, 0), hipErrorInvalidValue);
    CHECK_ERR(hipGraphConditionalHandleCreate(&h, g, 0, 2), hipErrorInvalidValue);
    h = handle_of(g, 0, 0);
    p.type = hipGraphNodeTypeConditional;
    p.conditional.handle = h;
    CHECK_ERR(hipGraphAddNode(&n, g, nullptr, 0, &p), hipErrorInvalidValue); /* no graphs */
    p.conditional.type = hipGraphCondTypeWhile;
    p.conditional.size = 2;
    CHECK_ERR(hipGraphAddNode(&n, g, nullptr, 0, &p), hipErrorInvalidValue);
    p.conditional.handle = 12345;
    p.conditional.size = 1;
    CHECK_ERR(hipGraphAddNode(&n, g, nullptr, 0, &p), hipErrorInvalidValue);
    p.conditional.handle = h;
    CHECK_HIP(hipGraphAddNode(&n, g, nullptr, 0, &p));
    body = p.conditional.phGraph_out[0];
    CHECK_ERR(hipGraphAddNode(&n, g, nullptr, 0, &p),
              hipErrorInvalidValue); /* the handle has its node */
    CHECK_ERR(hipGraphInstantiate(&exec, g, nullptr, nullptr, 0),
              hipErrorInvalidValue); /* an empty loop */
    hipHostNodeParams host = {[](void *) {}, nullptr};
    CHECK_HIP(hipGraphAddHostNode(&n, body, nullptr, 0, &host));
    CHECK_ERR(hipGraphInstantiate(&exec, g, nullptr, nullptr, 0), hipErrorNotSupported);
    CHECK_HIP(hipGraphDestroy(g));
    (void)hipGetLastError();
}

int
main()
{
    choose(hipGraphCondTypeIf, 1, {{99}, {10, 99}, {10, 99}});
    choose(hipGraphCondTypeIf, 2, {{11, 99}, {10, 99}});
    choose(hipGraphCondTypeSwitch, 3, {{10, 99}, {11, 99}, {12, 99}, {99}, {99}});
    loops();
    long_loop();
    errors();
}
