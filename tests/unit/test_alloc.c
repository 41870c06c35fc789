/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Out of memory at the nth place, for every n that a scenario reaches: each call returns an error
 * that says so, nothing leaks, nothing hangs, and what is asked for afterwards works. Scenarios run
 * in a process of their own for each n, once with the nth allocation failing and once with all from
 * the nth on. `test_alloc NAME N [all]` runs one of them and tells what fails. */
#define LS_TEST_SECONDS 240
#include <fcntl.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "unit/support/fail.h"
#include "unit/test.h"

#include "unit/support/setup.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS()  __lsan_do_recoverable_leak_check()
#define N_SWEEPS 3 /* of 4: processes start slowly */
#else
#define LEAKS()  0
#define N_SWEEPS 4
#endif

static bool armed; /* errors are expected */
static const char *failed_call;

/* What a call may answer when the system has nothing left. */
static bool
is_shortage(hipError_t err)
{
    return err == hipErrorOutOfMemory || err == hipErrorLaunchOutOfResources ||
           err == hipErrorOperatingSystem; /* a file that can't be written */
}

static bool
check(hipError_t err, const char *call, int line)
{
    if (err == hipSuccess)
        return true;
    if (!failed_call)
        failed_call = call;
    if (!armed || !is_shortage(err)) {
        fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, call, hipGetErrorName(err));
        ls_test_failures++;
    } else if (atomic_load(&fail_talk)) {
        fprintf(stderr, "%s:%d: %s: %s, as it should\n", __FILE__, line, call,
                hipGetErrorName(err));
    }
    return false;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (!check(call, #call, __LINE__))                                                         \
            goto out;                                                                              \
    } while (0)
/* Destruction must work, at the latest when there is memory again. */
#define END(call)                                                                                  \
    do {                                                                                           \
        hipError_t err_ = call;                                                                    \
        if (armed && is_shortage(err_)) {                                                          \
            atomic_store(&fail_from, false);                                                       \
            err_ = call;                                                                           \
        }                                                                                          \
        if (err_ != hipSuccess)                                                                    \
            check(err_, #call, __LINE__), ls_test_failures++;                                      \
    } while (0)
#define SAME(a, b)                                                                                 \
    do {                                                                                           \
        if (!failed_call)                                                                          \
            EXPECT_EQ(a, b);                                                                       \
    } while (0)

enum { N = 1000 };
static float in[N], out_values[N];
static int calls, n_objects; /* n_objects: user objects alive */

static void
count(void *user)
{
    __atomic_fetch_add((int *)user, 1, __ATOMIC_SEQ_CST);
}

static void
forget(void *user)
{
    __atomic_fetch_sub((int *)user, 1, __ATOMIC_SEQ_CST);
}

static void
callback(hipStream_t stream, hipError_t status, void *user)
{
    (void)stream, (void)status;
    count(user);
}

static void
kernels(void)
{
    float *d_in = NULL, *d_out = NULL, a = 3;
    int n = N;
    void *args[] = {&d_out, &d_in, &a, &n};

    TRY(hipMalloc((void **)&d_in, sizeof(in)));
    TRY(hipMalloc((void **)&d_out, sizeof(in)));
    TRY(hipMemcpy(d_in, in, sizeof(in), hipMemcpyHostToDevice));
    TRY(launch("scale", 4, 256, args, NULL));
    TRY(hipMemcpy(out_values, d_out, sizeof(in), hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (out_values[i] != 3 * in[i])
            REQUIRE(!"the kernel's result");
out:
    END(hipFree(d_in));
    END(hipFree(d_out));
}

static void
streams(void)
{
    enum { STREAMS = 70 };
    hipStream_t stream[STREAMS] = {NULL};
    hipEvent_t event[STREAMS] = {NULL}, shared = NULL;
    hipStreamBatchMemOpParams ops[2];
    uint64_t *word = NULL;
    char *p = NULL, *host = NULL;
    float ms;

    calls = 0;
    for (int i = 0; i < STREAMS; i++)
        TRY(hipStreamCreateWithFlags(&stream[i], i & 1));
    for (int i = 0; i < STREAMS; i++)
        TRY(hipEventCreateWithFlags(&event[i], i & 1));
    TRY(hipEventCreateWithFlags(&shared, hipEventInterprocess | hipEventDisableTiming));
    TRY(hipMalloc((void **)&p, 1 << 20));
    TRY(hipExtMallocWithFlags((void **)&word, 8, hipMallocSignalMemory));
    *word = 0;
    host = malloc(1 << 20);
    REQUIRE(host);
    memset(host, 1, 1 << 20);
    TRY(hipStreamWaitValue64(stream[0], word, 5, hipStreamWaitValueGte, UINT64_MAX));
    memset(ops, 0, sizeof(ops));
    ops[0].writeValue.operation = ops[1].writeValue.operation = hipStreamMemOpWriteValue32;
    ops[0].writeValue.address = word;
    ops[1].writeValue.address = word;
    ops[0].writeValue.value = 1;
    ops[1].writeValue.value = 5;
    TRY(hipStreamBatchMemOp(stream[69], 2, ops, 0));
    for (int i = 0; i < STREAMS; i++) {
        TRY(hipMemsetAsync(p + 4096 * i, i, 4096, stream[i]));
        TRY(hipMemcpyAsync(p + 4096 * i, host, 4096, hipMemcpyHostToDevice, stream[i]));
        TRY(hipEventRecord(event[i], stream[i]));
        TRY(hipStreamWaitEvent(stream[(i + 1) % STREAMS], event[i], 0));
    }
    TRY(hipEventRecord(shared, stream[2]));
    TRY(hipStreamWaitEvent(stream[3], shared, 0));
    TRY(hipLaunchHostFunc(stream[4], count, &calls));
    TRY(hipStreamAddCallback(stream[5], callback, &calls, 0));
    TRY(hipMemcpyAsync(p, host, 1 << 20, hipMemcpyHostToDevice, NULL));
    TRY(hipMemcpyAsync(host, p, 1 << 20, hipMemcpyDeviceToHost, hipStreamPerThread));
    TRY(hipStreamSynchronize(NULL));
    TRY(hipEventSynchronize(event[8]));
    TRY(hipEventElapsedTime(&ms, event[2], event[4]));
out:
    if (word)
        *(volatile uint64_t *)word = 5;
    END(hipDeviceSynchronize());
    SAME(calls, 2);
    for (int i = 0; i < STREAMS; i++) {
        if (stream[i])
            END(hipStreamDestroy(stream[i]));
        if (event[i])
            END(hipEventDestroy(event[i]));
    }
    if (shared)
        END(hipEventDestroy(shared));
    END(hipFree(p));
    END(hipFree(word));
    free(host);
}

static void
memory(void)
{
    char *d = NULL, *big = NULL, *h = NULL, *m = NULL, *rows = NULL, *pages = NULL;
    char *some[80] = {NULL};
    hipPitchedPtr box = {0};
    hipIpcMemHandle_t ipc;
    hipMemcpy3DParms copy = {0};
    bool registered = false;
    size_t pitch;
    int where;

    pages = aligned_alloc(4096, 65536);
    REQUIRE(pages);
    memset(pages, 3, 65536);
    TRY(hipMalloc((void **)&d, 100000));
    TRY(hipMalloc((void **)&big, (size_t)100 << 20));
    TRY(hipHostMalloc((void **)&h, 100000, 0));
    TRY(hipMallocManaged((void **)&m, 100000, hipMemAttachGlobal));
    TRY(hipMallocPitch((void **)&rows, &pitch, 100, 10));
    TRY(hipMalloc3D(&box, make_hipExtent(100, 10, 4)));
    TRY(hipHostRegister(pages, 65536, 0));
    registered = true;
    for (int i = 0; i < 80; i++)
        TRY(hipMalloc((void **)&some[i], 5000));
    memset(h, 7, 100000);
    TRY(hipMemcpy(d, h, 100000, hipMemcpyHostToDevice));
    TRY(hipMemcpy(d, pages, 65536, hipMemcpyDefault));
    TRY(hipMemcpy2D(rows, pitch, h, 100, 100, 10, hipMemcpyHostToDevice));
    copy.srcPtr = make_hipPitchedPtr(h, 100, 100, 10);
    copy.dstPtr = box;
    copy.extent = make_hipExtent(100, 10, 4);
    copy.kind = hipMemcpyHostToDevice;
    TRY(hipMemcpy3D(&copy));
    TRY(hipMemset3D(box, 1, copy.extent));
    TRY(hipMemAdvise(m, 8192, hipMemAdviseSetReadMostly, 0));
    TRY(hipMemAdvise(m + 8192, 4096, hipMemAdviseSetPreferredLocation, 0));
    TRY(hipMemPrefetchAsync(m, 100000, 0, NULL));
    TRY(hipMemRangeGetAttribute(&where, sizeof(where), hipMemRangeAttributePreferredLocation,
                                m + 8192, 4096));
    SAME(where, 0);
    TRY(hipIpcGetMemHandle(&ipc, d));
    TRY(hipMemcpy(h, d, 100000, hipMemcpyDeviceToHost));
    SAME(h[65535], 3);
    SAME(h[65536], 7);
out:
    for (int i = 0; i < 80; i++)
        END(hipFree(some[i]));
    if (registered)
        END(hipHostUnregister(pages));
    END(hipFree(d));
    END(hipFree(big));
    END(hipHostFree(h));
    END(hipFree(m));
    END(hipFree(rows));
    END(hipFree(box.ptr));
    free(pages);
}

static void
pools(void)
{
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .handleTypes = hipMemHandleTypePosixFileDescriptor,
                             .location = {hipMemLocationTypeDevice, 0}};
    hipMemPool_t pool = NULL, imported = NULL;
    hipMemPoolPtrExportData data;
    hipStream_t stream = NULL;
    char *p[20] = {NULL}, *shared = NULL, *other = NULL;
    int fd = -1;

    TRY(hipStreamCreate(&stream));
    for (int i = 0; i < 20; i++)
        TRY(hipMallocAsync((void **)&p[i], 10000u * (unsigned)(i + 1), stream));
    for (int i = 0; i < 20; i += 2) {
        hipError_t err = hipFreeAsync(p[i], stream);

        if (err == hipSuccess)
            p[i] = NULL;
        TRY(err);
    }
    TRY(hipMallocAsync((void **)&p[0], 7000, stream));
    TRY(hipMemPoolCreate(&pool, &props));
    TRY(hipMallocFromPoolAsync((void **)&shared, 1000, pool, stream));
    TRY(hipMemPoolExportToShareableHandle(&fd, pool, hipMemHandleTypePosixFileDescriptor, 0));
    TRY(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                            hipMemHandleTypePosixFileDescriptor, 0));
    TRY(hipMemPoolExportPointer(&data, shared));
    TRY(hipMemPoolImportPointer((void **)&other, imported, &data));
    TRY(hipMemPoolTrimTo(pool, 0));
    TRY(hipStreamSynchronize(stream));
out:
    for (int i = 0; i < 20; i++)
        if (p[i])
            END(hipFree(p[i]));
    if (other)
        END(hipFree(other));
    if (shared)
        END(hipFree(shared));
    if (imported)
        END(hipMemPoolDestroy(imported));
    if (pool)
        END(hipMemPoolDestroy(pool));
    if (fd >= 0)
        close(fd);
    if (stream)
        END(hipStreamDestroy(stream));
}

static void
graphs(void)
{
    hipGraph_t graph = NULL, child = NULL, clone = NULL;
    hipGraphExec_t exec = NULL;
    hipGraphNode_t node[8], last = NULL, more;
    hipUserObject_t object = NULL;
    hipStream_t stream = NULL;
    hipEvent_t event = NULL;
    float *d = NULL, a = 2;
    int n = N;
    void *args[] = {&d, &d, &a, &n};
    char big[4096] = {0};
    hipKernelNodeParams k = {.func = &setup_host[0],
                             .gridDim = {4, 1, 1},
                             .blockDim = {256, 1, 1},
                             .kernelParams = args};
    hipMemsetParams fill = {.elementSize = 4, .width = N, .height = 1};
    hipHostNodeParams host = {count, &calls};
    hipMemAllocNodeParams alloc = {.poolProps = {.allocType = hipMemAllocationTypePinned,
                                                 .location = {hipMemLocationTypeDevice, 0}},
                                   .bytesize = 100000};
    hipGraphExecUpdateResult result;

    calls = 0;
    TRY(hipStreamCreate(&stream));
    TRY(hipEventCreate(&event));
    TRY(hipMalloc((void **)&d, sizeof(in)));
    fill.dst = d;
    TRY(hipGraphCreate(&graph, 0));
    TRY(hipGraphCreate(&child, 0));
    TRY(hipGraphAddHostNode(&more, child, NULL, 0, &host));
    TRY(hipGraphAddMemsetNode(&node[0], graph, NULL, 0, &fill));
    TRY(hipGraphAddMemcpyNode1D(&node[1], graph, node, 1, d, in, sizeof(in),
                                hipMemcpyHostToDevice));
    TRY(hipGraphAddKernelNode(&node[2], graph, node, 2, &k));
    TRY(hipGraphAddChildGraphNode(&node[3], graph, &node[2], 1, child));
    TRY(hipGraphAddEventRecordNode(&node[4], graph, &node[3], 1, event));
    TRY(hipGraphAddEmptyNode(&node[5], graph, &node[4], 1));
    last = node[5];
    for (int i = 0; i < 20; i++) {
        TRY(hipGraphAddEmptyNode(&more, graph, &last, 1));
        last = more;
    }
    __atomic_fetch_add(&n_objects, 1, __ATOMIC_SEQ_CST);
    if (!check(hipUserObjectCreate(&object, &n_objects, forget, 1, hipUserObjectNoDestructorSync),
               "hipUserObjectCreate", __LINE__)) {
        forget(&n_objects);
        goto out;
    }
    TRY(hipGraphRetainUserObject(graph, object, 1, 0));
    TRY(hipGraphClone(&clone, graph));
    TRY(hipGraphDebugDotPrint(graph, "/dev/null", hipGraphDebugDotFlagsVerbose));
    TRY(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    TRY(hipGraphLaunch(exec, stream));
    TRY(hipStreamSynchronize(stream));
    TRY(hipGraphExecUpdate(exec, clone, &more, &result));
    TRY(hipGraphUpload(exec, stream));
    TRY(hipGraphLaunch(exec, stream));
    TRY(hipGraphLaunch(exec, NULL));
    TRY(hipMemcpy(out_values, d, sizeof(in), hipMemcpyDeviceToHost));
    SAME((int)out_values[7], (int)(2 * in[7]));
    TRY(hipGraphExecDestroy(exec));
    exec = NULL;
    TRY(hipGraphDestroy(graph));
    graph = NULL;
    TRY(hipGraphCreate(&graph, 0));
    TRY(hipGraphAddMemAllocNode(&node[6], graph, NULL, 0, &alloc));
    TRY(hipGraphAddMemFreeNode(&node[7], graph, &node[6], 1, alloc.dptr));
    TRY(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    TRY(hipGraphLaunch(exec, stream));
    TRY(hipStreamSynchronize(stream));
    TRY(hipGraphExecDestroy(exec));
    exec = NULL;
    TRY(hipGraphDestroy(graph));
    graph = NULL;
    TRY(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    TRY(hipMemcpyAsync(d, in, sizeof(in), hipMemcpyHostToDevice, stream));
    TRY(hipMemcpyAsync(d, big, sizeof(big) / 2, hipMemcpyHostToDevice, stream));
    TRY(launch("scale", 4, 256, args, stream));
    TRY(hipEventRecord(event, stream));
    TRY(hipStreamWaitEvent(hipStreamPerThread, event, 0));
    TRY(hipMemsetAsync(d, 0, 64, hipStreamPerThread));
    TRY(hipEventRecord(event, hipStreamPerThread));
    TRY(hipStreamWaitEvent(stream, event, 0));
    TRY(hipLaunchHostFunc(stream, count, &calls));
    TRY(hipStreamEndCapture(stream, &graph));
    TRY(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    TRY(hipGraphLaunch(exec, stream));
out:
    if (stream) {
        hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
        hipGraph_t rest = NULL;

        END(hipStreamIsCapturing(stream, &status));
        if (status != hipStreamCaptureStatusNone) {
            (void)hipStreamEndCapture(stream, &rest);
            if (rest)
                END(hipGraphDestroy(rest));
        }
        END(hipStreamSynchronize(stream));
    }
    if (exec)
        END(hipGraphExecDestroy(exec));
    if (graph)
        END(hipGraphDestroy(graph));
    if (clone)
        END(hipGraphDestroy(clone));
    if (child)
        END(hipGraphDestroy(child));
    if (object)
        END(hipUserObjectRelease(object, 1));
    if (event)
        END(hipEventDestroy(event));
    if (stream)
        END(hipStreamDestroy(stream));
    END(hipFree(d));
    SAME(calls, 4); /* four launches' host functions */
    /* The destructor may run on a thread of the runtime, after the last launch; never: the alarm.
     */
    while (__atomic_load_n(&n_objects, __ATOMIC_SEQ_CST) > 0)
        sched_yield();
}

static const int var_init = 41;

static void
modules(void)
{
    static const struct test_global globals[] = {{.name = "var", .bytes = 4, .init = &var_init},
                                                 {.name = "pointer", .bytes = 8}};
    static const struct ls_lsbc_reloc reloc = {.where = 1, .target = 0};
    struct image image = make_lsbc("gfx1100", 32, setup_kernels, N_SETUP, globals, 2, &reloc);
    char path[64];
    hipModule_t module = NULL, file = NULL;
    hipFunction_t f;
    hipDeviceptr_t var;
    size_t bytes;
    int value = 0, blocks;
    float *d = NULL;
    struct {
        void *out, *in;
        float a;
        int n;
    } args = {NULL, NULL, 2, N};
    size_t args_bytes = sizeof(args);
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &args, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &args_bytes, HIP_LAUNCH_PARAM_END};
    FILE *out;

    snprintf(path, sizeof(path), "%s/module", test_cache);
    out = fopen(path, "w");
    REQUIRE(out && fwrite(image.data, image.bytes, 1, out) == 1 && fclose(out) == 0);
    TRY(hipModuleLoadData(&module, image.data));
    TRY(hipModuleGetFunction(&f, module, "scale"));
    TRY(hipModuleGetGlobal(&var, &bytes, module, "var"));
    TRY(hipMemcpyDtoH(&value, var, sizeof(value)));
    SAME(value, 41);
    TRY(hipMalloc((void **)&d, sizeof(in)));
    TRY(hipMemcpy(d, in, sizeof(in), hipMemcpyHostToDevice));
    args.in = args.out = d;
    TRY(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
    TRY(hipModuleLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    TRY(hipMemcpy(out_values, d, sizeof(in), hipMemcpyDeviceToHost));
    SAME((int)out_values[9], (int)(2 * in[9]));
    TRY(hipModuleLoad(&file, path));
    TRY(hipModuleGetFunction(&f, file, "count"));
out:
    END(hipFree(d));
    if (file)
        END(hipModuleUnload(file));
    if (module)
        END(hipModuleUnload(module));
    free(image.data);
}

static void
textures(void)
{
    static const hipChannelFormatDesc f32 = {32, 0, 0, 0, hipChannelFormatKindFloat};
    hipResourceDesc res = {.resType = hipResourceTypeArray};
    hipTextureDesc tex = {.readMode = hipReadModeElementType};
    hipTextureObject_t object = NULL;
    hipSurfaceObject_t surface = NULL;
    hipMipmappedArray_t mip = NULL;
    hipArray_t a = NULL, level;
    float rows[64 * 4];

    memset(rows, 0, sizeof(rows));
    TRY(hipMallocArray(&a, &f32, 64, 4, hipArraySurfaceLoadStore));
    TRY(hipMallocMipmappedArray(&mip, &f32, make_hipExtent(64, 64, 0), 4, 0));
    TRY(hipGetMipmappedArrayLevel(&level, mip, 2));
    TRY(hipMemcpy2DToArray(a, 0, 0, rows, 256, 256, 4, hipMemcpyHostToDevice));
    TRY(hipMemcpy2DFromArrayAsync(rows, 256, a, 0, 0, 256, 4, hipMemcpyDeviceToHost, NULL));
    res.res.array.array = a;
    TRY(hipCreateTextureObject(&object, &res, &tex, NULL));
    TRY(hipCreateSurfaceObject(&surface, &res));
    TRY(hipDeviceSynchronize());
out:
    if (object)
        END(hipDestroyTextureObject(object));
    if (surface)
        END(hipDestroySurfaceObject(surface));
    if (a)
        END(hipFreeArray(a));
    if (mip)
        END(hipFreeMipmappedArray(mip));
}

static void
virtual_memory(void)
{
    hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                 .location = {hipMemLocationTypeDevice, 0},
                                 .requestedHandleType = hipMemHandleTypePosixFileDescriptor};
    hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t handle = NULL, plain = NULL, again = NULL, imported = NULL;
    char *at = NULL;
    size_t g = 65536;
    bool first = false, second = false;
    int fd = -1;

    TRY(hipMemAddressReserve((void **)&at, 2 * g, 0, NULL, 0));
    TRY(hipMemCreate(&handle, g, &prop, 0));
    prop.requestedHandleType = hipMemHandleTypeNone;
    TRY(hipMemCreate(&plain, g, &prop, 0));
    TRY(hipMemMap(at, g, 0, handle, 0));
    first = true;
    TRY(hipMemMap(at + g, g, 0, plain, 0));
    second = true;
    TRY(hipMemSetAccess(at, 2 * g, &access, 1));
    TRY(hipMemset(at, 5, 2 * g));
    TRY(hipMemRetainAllocationHandle(&again, at));
    TRY(hipMemExportToShareableHandle(&fd, handle, hipMemHandleTypePosixFileDescriptor, 0));
    TRY(hipMemImportFromShareableHandle(&imported, &fd, hipMemHandleTypePosixFileDescriptor));
out:
    if (first)
        END(hipMemUnmap(at, g));
    if (second)
        END(hipMemUnmap(at + g, g));
    if (again)
        END(hipMemRelease(again));
    if (imported)
        END(hipMemRelease(imported));
    if (handle)
        END(hipMemRelease(handle));
    if (plain)
        END(hipMemRelease(plain));
    if (at)
        END(hipMemAddressFree(at, 2 * g));
    if (fd >= 0)
        close(fd);
}

static void
external(void)
{
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd};
    hipExternalSemaphoreHandleDesc sem_desc = {.type = hipExternalSemaphoreHandleTypeOpaqueFd};
    hipExternalMemoryBufferDesc part = {.offset = 4096, .size = 4096};
    hipExternalMemoryMipmappedArrayDesc levels = {
        .formatDesc = {32, 0, 0, 0, hipChannelFormatKindFloat},
        .extent = {16, 8, 0},
        .numLevels = 2};
    hipExternalSemaphoreSignalParams up;
    hipExternalSemaphoreWaitParams down;
    hipExternalMemory_t memory_ = NULL;
    hipMipmappedArray_t mipmap = NULL;
    hipExternalSemaphore_t semaphore = NULL;
    char path[64];
    void *p = NULL;
    int fd;

    snprintf(path, sizeof(path), "%s/external", test_cache);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, 8192) == 0);
    memset(&up, 0, sizeof(up));
    memset(&down, 0, sizeof(down));
    desc.handle.fd = fd;
    desc.size = 8192;
    TRY(hipImportExternalMemory(&memory_, &desc));
    fd = -1;
    TRY(hipExternalMemoryGetMappedBuffer(&p, memory_, &part));
    TRY(hipMemset(p, 1, 4096));
    TRY(hipExternalMemoryGetMappedMipmappedArray(&mipmap, memory_, &levels));
    sem_desc.handle.fd = eventfd(0, EFD_NONBLOCK);
    TRY(hipImportExternalSemaphore(&semaphore, &sem_desc));
    up.params.fence.value = 1;
    down.params.fence.value = 1;
    TRY(hipSignalExternalSemaphoresAsync(&semaphore, &up, 1, NULL));
    TRY(hipWaitExternalSemaphoresAsync(&semaphore, &down, 1, NULL));
    TRY(hipDeviceSynchronize());
out:
    if (!semaphore && sem_desc.handle.fd > 0)
        close(sem_desc.handle.fd);
    if (semaphore)
        END(hipDestroyExternalSemaphore(semaphore));
    if (p)
        END(hipFree(p));
    if (mipmap)
        END(hipFreeMipmappedArray(mipmap));
    if (memory_)
        END(hipDestroyExternalMemory(memory_));
    if (fd >= 0)
        close(fd);
}

/* What HIP got after 6.3. */
static void
newer(void)
{
    static const struct test_global globals[] = {{.name = "var", .bytes = 4, .init = &var_init},
                                                 {.name = "m", .bytes = 8},
                                                 {.name = "m.managed", .bytes = 4}};
    struct image image = make_lsbc("gfx1100", 32, setup_kernels, N_SETUP, globals, 3, NULL);
    hipMemLocation places[2] = {{hipMemLocationTypeDevice, 0}, {hipMemLocationTypeHost, 0}};
    float *d = NULL, *m = NULL, a = 2;
    int n = N;
    void *args[] = {&d, &d, &a, &n}, *dsts[2], *srcs[2], *ranges[2], *variable;
    size_t sizes[2] = {N, N}, pages[2] = {4096, 4096}, first[2] = {0, 1}, bytes, failed;
    hipLaunchAttribute attr = {.id = hipLaunchAttributePriority};
    hipLaunchConfig_t config = {
        .gridDim = {4, 1, 1}, .blockDim = {256, 1, 1}, .attrs = &attr, .numAttrs = 1};
    hipLaunchParams each = {.gridDim = {2, 1, 1}, .blockDim = {64, 1, 1}, .args = args};
    hipMemcpy3DPeerParms peer = {.extent = {64, 4, 1}};
    hipMemcpy3DBatchOp op = {.extent = {64, 4, 1}};
    hipLibrary_t library = NULL;
    hipKernel_t kernel, kernels[N_SETUP];
    hipStream_t stream = NULL;
    hipEvent_t event = NULL;
    hipGraph_t graph = NULL;

    TRY(hipStreamCreate(&stream));
    TRY(hipEventCreate(&event));
    TRY(hipMalloc((void **)&d, sizeof(in)));
    TRY(hipMallocManaged((void **)&m, 8192, hipMemAttachGlobal));
    TRY(hipLibraryLoadData(&library, image.data, NULL, NULL, 0, NULL, NULL, 0));
    TRY(hipLibraryEnumerateKernels(kernels, N_SETUP, library));
    TRY(hipLibraryGetKernel(&kernel, library, "scale"));
    TRY(hipLibraryGetGlobal(&variable, &bytes, library, "var"));
    TRY(hipLibraryGetManaged(&variable, &bytes, library, "m"));
    for (int i = 0; i < 2; i++) {
        dsts[i] = (char *)d + N * i;
        srcs[i] = (char *)in + N * i;
        ranges[i] = (char *)m + 4096 * i;
    }
    TRY(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, NULL, NULL, 0, &failed, stream));
    TRY(hipMemcpy(d, in, sizeof(in), hipMemcpyHostToDevice));
    config.stream = each.stream = stream;
    TRY(hipLaunchKernelExC(&config, &setup_host[0], args));
    TRY(hipModuleLaunchKernel((hipFunction_t)(void *)kernel, 4, 1, 1, 256, 1, 1, 0, stream, args,
                              NULL));
    TRY(hipMemcpyAsync(out_values, d, sizeof(in), hipMemcpyDeviceToHost, stream));
    TRY(hipStreamSynchronize(stream));
    SAME((int)out_values[9], (int)(4 * in[9]));
    each.func = &setup_host[3];
    args[0] = &m;
    TRY(hipLaunchCooperativeKernelMultiDevice(&each, 1, 0));
    peer.srcPtr = peer.dstPtr = make_hipPitchedPtr(d, 64, 64, 4);
    peer.dstPtr.ptr = m;
    TRY(hipMemcpy3DPeerAsync(&peer, stream));
    op.src.type = op.dst.type = hipMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = m;
    op.dst.op.ptr.ptr = d;
    TRY(hipMemcpy3DBatchAsync(1, &op, &failed, 0, stream));
    TRY(hipMemsetD2D32Async(d, 64, 7, 16, 4, stream));
    TRY(hipMemPrefetchBatchAsync(ranges, pages, 2, places, first, 2, 0, stream));
    TRY(hipMemAdvise_v2(m, 4096, hipMemAdviseSetPreferredLocation, places[1]));
    TRY(hipMemDiscardBatchAsync(ranges, pages, 2, 0, stream));
    TRY(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    TRY(hipEventRecordWithFlags(event, stream, hipEventRecordExternal));
    TRY(hipStreamEndCapture(stream, &graph));
out:
    if (stream) {
        hipStreamCaptureStatus status = hipStreamCaptureStatusNone;

        END(hipStreamIsCapturing(stream, &status));
        if (status != hipStreamCaptureStatusNone)
            (void)hipStreamEndCapture(stream, &graph);
        if (hipStreamSynchronize(stream) == hipErrorLaunchOutOfResources) {
            (void)hipDeviceReset(); /* the cooperative grid had no stacks: the device's error */
            d = m = NULL;
            stream = NULL;
        }
    }
    if (graph)
        END(hipGraphDestroy(graph));
    if (library)
        END(hipLibraryUnload(library));
    if (event)
        END(hipEventDestroy(event));
    if (stream)
        END(hipStreamDestroy(stream));
    END(hipFree(m));
    END(hipFree(d));
    free(image.data);
}

/* The sweep */

/* But for sockets: the compiler behind the door keeps one, from when it is first needed. */
static int
open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *d;
    struct stat st;
    int n = 0;

    while ((d = readdir(dir)) != NULL)
        n += fstatat(dirfd(dir), d->d_name, &st, 0) != 0 || !S_ISSOCK(st.st_mode);
    closedir(dir);
    return n;
}

/* Device memory and files in use; -1: HIP can't be used. */
static void
usage(size_t *memory_used, int *files)
{
    size_t free_bytes = 0, total = 0;

    (void)hipMemGetInfo(&free_bytes, &total);
    *memory_used = total - free_bytes;
    *files = open_files();
}

/* Exit codes of a process of the sweep. */
enum { CLEAN = 0, HIT = 7, BAD = 9 };

static int
run_one(void (*scenario)(void), unsigned long n, bool all, bool cold)
{
    size_t used[2];
    int files[2];
    bool hit;

    if (!cold) {
        OK(hipInit(0));
        scenario(); /* what is kept for the process's life */
        END(hipDeviceSynchronize());
        usage(&used[0], &files[0]);
    }
    failed_call = NULL;
    armed = true;
    fail_arm(n, all);
    scenario();
    hit = fail_disarm();
    (void)hipDeviceSynchronize();
    if (hipGetLastError() != hipSuccess)
        (void)hipDeviceReset();
    armed = false;
    failed_call = NULL;
    scenario();
    END(hipDeviceSynchronize());
    if (!cold) {
        usage(&used[1], &files[1]);
        EXPECT_EQ(used[1], used[0]);
        EXPECT(files[1] <= files[0]);
    }
    if (LEAKS())
        return BAD;
    return ls_test_failures ? BAD : hit ? HIT : CLEAN;
}

static void
sweep(const char *name, void (*scenario)(void), bool all, bool cold)
{
    int n_bad = 0;

    for (unsigned long n = 1; n < 5000; n++) {
        int status;
        pid_t pid = fork();

        REQUIRE(pid >= 0);
        if (pid == 0) {
            alarm(5);
            ls_test_failures = 0;
            _exit(run_one(scenario, n, all, cold));
        }
        REQUIRE(waitpid(pid, &status, 0) == pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == CLEAN) {
            if (getenv("LS_TEST_TALK"))
                fprintf(stderr, "%s: %lu places\n", name, n - 1);
            EXPECT(n > 1);
            return;
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != HIT) {
            fprintf(stderr, "%s: allocation %lu%s%s: status 0x%x\n", name, n,
                    all ? " and all behind" : "", cold ? ", first use" : "", (unsigned)status);
            ls_test_failures++;
            if (++n_bad == 10)
                return;
        }
    }
    EXPECT(!"the end of the scenario");
}

static void
start(void)
{
    set_up();
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
}

static void
sweep_all(const char *name, void (*scenario)(void))
{
#if defined(__SANITIZE_THREAD__)
    (void)name, (void)scenario, (void)sweep; /* a second for each of a thousand processes */
    return;
#endif
    if (RUNNING_ON_VALGRIND)
        return; /* memcheck stands in front of malloc, too */
    start();
    for (int i = 0; i < N_SWEEPS; i++)
        sweep(name, scenario, i & 1, i & 2);
}

#define SCENARIO(name)                                                                             \
    LS_TEST(name##_)                                                                               \
    {                                                                                              \
        const char *at = getenv("LS_TEST_AT"); /* "n", "n all", "n cold", "n all cold" */          \
                                                                                                   \
        if (!at) {                                                                                 \
            sweep_all(#name, name);                                                                \
            return;                                                                                \
        }                                                                                          \
        start();                                                                                   \
        atomic_store(&fail_talk, true);                                                            \
        fprintf(stderr, "result %d\n",                                                             \
                run_one(name, strtoul(at, NULL, 10), strstr(at, "all"), strstr(at, "cold")));      \
    }

SCENARIO(kernels)
SCENARIO(streams)
SCENARIO(memory)
SCENARIO(pools)
SCENARIO(graphs)
SCENARIO(modules)
SCENARIO(textures)
SCENARIO(virtual_memory)
SCENARIO(external)
SCENARIO(newer)
