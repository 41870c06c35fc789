/* SPDX-License-Identifier: MIT */
/* API calls that lscheck reports: with handles that were destroyed, and such as fail. `bad` runs
 * the faults, `good` their twins. What is said stands behind the line: STALE or FAILS, then the
 * call and what it is told, or its error. */
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static __global__ void
add(int *v)
{
    v[threadIdx.x] += 1;
}

#define OK(call)                                                                                   \
    do {                                                                                           \
        hipError_t err_ = (call);                                                                  \
        if (err_ != hipSuccess) {                                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, hipGetErrorString(err_));                   \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

static int *v;
static bool good;

static void
streams()
{
    hipStream_t s, t;
    hipEvent_t e;

    OK(hipStreamCreate(&s));
    OK(hipStreamCreate(&t));
    OK(hipEventCreate(&e));
    add<<<1, 64, 0, s>>>(v);
    OK(hipStreamSynchronize(s));
    if (!good) {
        OK(hipStreamDestroy(s));
        add<<<1, 64, 0, s>>>(v);                // STALE hipLaunchKernel a stream
        (void)hipMemsetAsync(v, 0, 256, s);     // STALE hipMemsetAsync a stream
        // STALE hipMemcpyAsync a stream
        (void)hipMemcpyAsync(v, v + 8, 4, hipMemcpyDeviceToDevice, s);
        (void)hipStreamSynchronize(s);          // STALE hipStreamSynchronize a stream
        (void)hipStreamQuery(s);                // STALE hipStreamQuery a stream
        (void)hipEventRecord(e, s);             // STALE hipEventRecord a stream
        (void)hipStreamWaitEvent(s, e, 0);      // STALE hipStreamWaitEvent a stream
        (void)hipStreamDestroy(s);              // STALE hipStreamDestroy a stream
    }
    /* Its place is not given to others at once, and what is new is not stale. */
    std::vector<hipStream_t> more(32);
    for (hipStream_t &m : more)
        OK(hipStreamCreate(&m));
    for (hipStream_t m : more)
        OK(hipStreamDestroy(m));
    if (good)
        OK(hipStreamDestroy(s));
    OK(hipStreamDestroy(t));
    OK(hipEventDestroy(e));
}

static void
events()
{
    hipEvent_t e, f, again;
    float ms;

    OK(hipEventCreate(&e));
    OK(hipEventCreate(&f));
    OK(hipEventRecord(e, nullptr));
    OK(hipEventRecord(f, nullptr));
    if (!good) {
        OK(hipEventDestroy(e));
        OK(hipEventCreate(&again));
        (void)hipEventRecord(e, nullptr);         // STALE hipEventRecord an event
        (void)hipEventSynchronize(e);             // STALE hipEventSynchronize an event
        (void)hipEventElapsedTime(&ms, e, f);     // STALE hipEventElapsedTime an event
        (void)hipStreamWaitEvent(nullptr, e, 0);  // STALE hipStreamWaitEvent an event
        (void)hipEventQuery(e);                   // STALE hipEventQuery an event
        (void)hipEventDestroy(e);                 // STALE hipEventDestroy an event
        OK(hipEventDestroy(again));
    } else {
        OK(hipEventSynchronize(f));
        OK(hipEventElapsedTime(&ms, e, f));
        OK(hipEventDestroy(e));
    }
    OK(hipEventDestroy(f));
}

static void
graphs()
{
    hipGraph_t g, copy;
    hipGraphExec_t x;
    hipGraphNode_t n, m;
    hipMemsetParams fill = {};

    fill.dst = v;
    fill.elementSize = 4;
    fill.width = 16;
    fill.height = 1;
    OK(hipGraphCreate(&g, 0));
    OK(hipGraphAddMemsetNode(&n, g, nullptr, 0, &fill));
    OK(hipGraphInstantiate(&x, g, nullptr, nullptr, 0));
    OK(hipGraphLaunch(x, nullptr));
    OK(hipDeviceSynchronize());
    if (!good) {
        OK(hipGraphExecDestroy(x));
        // STALE hipGraphLaunch an instance of a graph
        (void)hipGraphLaunch(x, nullptr);
        // STALE hipGraphExecDestroy an instance of a graph
        (void)hipGraphExecDestroy(x);
        OK(hipGraphDestroy(g));
        // STALE hipGraphAddMemsetNode a graph
        (void)hipGraphAddMemsetNode(&m, g, nullptr, 0, &fill);
        // STALE hipGraphMemsetNodeSetParams a graph's node
        (void)hipGraphMemsetNodeSetParams(n, &fill);
        (void)hipGraphInstantiate(&x, g, nullptr, nullptr, 0); // STALE hipGraphInstantiate a graph
        (void)hipGraphClone(&copy, g);                         // STALE hipGraphClone a graph
        (void)hipGraphDestroy(g);                              // STALE hipGraphDestroy a graph
        return;
    }
    OK(hipGraphMemsetNodeSetParams(n, &fill));
    OK(hipGraphDestroy(g)); /* the instance stays */
    OK(hipGraphLaunch(x, nullptr));
    OK(hipDeviceSynchronize());
    OK(hipGraphExecDestroy(x));
}

static void
modules()
{
    static const char source[] = "extern \"C\" __global__ void f(int *v) { v[threadIdx.x] = 1; }";
    hiprtcProgram program;
    hipModule_t m;
    hipFunction_t f;
    size_t bytes;
    void *args[] = {&v};

    if (hiprtcCreateProgram(&program, source, "f.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS ||
        hiprtcCompileProgram(program, 0, nullptr) != HIPRTC_SUCCESS ||
        hiprtcGetCodeSize(program, &bytes) != HIPRTC_SUCCESS)
        exit(3);
    std::vector<char> code(bytes);
    hiprtcGetCode(program, code.data());
    hiprtcDestroyProgram(&program);
    OK(hipModuleLoadData(&m, code.data()));
    OK(hipModuleGetFunction(&f, m, "f"));
    OK(hipModuleLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    OK(hipDeviceSynchronize());
    OK(hipModuleUnload(m));
    if (good)
        return;
    (void)hipModuleGetFunction(&f, m, "f"); // STALE hipModuleGetFunction a module
    (void)hipModuleUnload(m);               // STALE hipModuleUnload a module
    // STALE hipModuleLaunchKernel a function of a module
    (void)hipModuleLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr);
}

static void
failures()
{
    int *p, host[4] = {};
    hipEvent_t e;

    OK(hipEventCreate(&e));
    if (good) {
        (void)hipEventQuery(e); /* an answer is no failure */
        OK(hipMemcpy(v, host, 16, hipMemcpyHostToDevice));
        OK(hipMalloc(&p, 16));
        OK(hipFree(p));
    } else {
        // FAILS hipLaunchKernel hipErrorInvalidConfiguration
        add<<<1, 4096>>>(v);
        // FAILS hipMalloc hipErrorOutOfMemory
        (void)hipMalloc(&p, (size_t)1 << 60);
        // FAILS hipMemcpy hipErrorInvalidValue
        (void)hipMemcpy(nullptr, host, 4, hipMemcpyHostToDevice);
        // FAILS hipSetDevice hipErrorInvalidDevice
        (void)hipSetDevice(-1);
        // FAILS hipMemset hipErrorInvalidValue
        (void)hipMemset(nullptr, 0, 4);
        (void)hipGetLastError();
    }
    OK(hipEventDestroy(e));
}

int
main(int argc, char **argv)
{
    good = argc > 1 && !strcmp(argv[1], "good");
    OK(hipMalloc(&v, 256));
    streams();
    events();
    graphs();
    modules();
    failures();
    OK(hipDeviceSynchronize());
    OK(hipFree(v));
    return 0;
}
