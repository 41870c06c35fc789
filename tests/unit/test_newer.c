/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* What HIP got after 6.3: libraries, launches with attributes, batches, memory by location,
 * logging. */
#include "unit/test.h"

#include "unit/support/peek.h"
#include "unit/support/setup.h"

static struct image
setup_image(void)
{
    static const int init = 7;
    static const struct test_global globals[] = {{.name = "var", .bytes = 4, .init = &init},
                                                 {.name = "m.managed", .bytes = 4, .init = &init},
                                                 {.name = "m", .bytes = 8}};

    return make_lsbc("gfx1100", 32, setup_kernels, N_SETUP, globals, 3, NULL);
}

static void
run_scale(hipFunction_t f)
{
    float *data, two = 2;
    unsigned n = 64;
    void *args[] = {&data, &data, &two, &n};

    OK(hipMallocManaged((void **)&data, n * sizeof(float), hipMemAttachGlobal));
    for (unsigned i = 0; i < n; i++)
        data[i] = 1;
    OK(hipModuleLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(data[63], 2);
    OK(hipFree(data));
}

LS_TEST(libraries)
{
    struct image image;
    hipLibrary_t lib, other;
    hipKernel_t kernel, kernels[8] = {0};
    hipFunction_t f;
    hipModule_t module;
    hipLibraryOption option = hipLibraryBinaryIsPreserved, bad = (hipLibraryOption)9;
    hipJitOption jit = hipJitOptionOptimizationLevel;
    const char *name;
    unsigned count;
    size_t offset, bytes;
    void *value = NULL, *ptr;
    int n;

    setenv("LOCKSTEP_CPU_DEVICES", "2", 1);
    set_up();
    image = setup_image();
    EXPECT_EQ(hipLibraryLoadData(NULL, image.data, NULL, NULL, 0, NULL, NULL, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipLibraryLoadData(&lib, NULL, NULL, NULL, 0, NULL, NULL, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipLibraryLoadData(&lib, image.data, &jit, &value, 1, NULL, NULL, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(hipLibraryLoadData(&lib, image.data, NULL, NULL, 0, &bad, &value, 1),
              hipErrorInvalidValue);
    EXPECT_EQ(
        hipLibraryLoadData(&lib, "Call me Ishmael. Some years ago", NULL, NULL, 0, NULL, NULL, 0),
        hipErrorInvalidImage);
    OK(hipLibraryLoadData(&lib, image.data, NULL, NULL, 0, &option, &value, 1));
    free(image.data);
    OK(hipLibraryGetKernelCount(&count, lib));
    EXPECT_EQ(count, N_SETUP);
    EXPECT_EQ(hipLibraryGetKernel(&kernel, lib, "none"), hipErrorNotFound);
    EXPECT_EQ(hipLibraryGetKernel(&kernel, NULL, "scale"), hipErrorInvalidValue);
    OK(hipLibraryGetKernel(&kernel, lib, "scale"));
    OK(hipLibraryEnumerateKernels(kernels, 2, lib));
    EXPECT(kernels[0] && kernels[1] && !kernels[2]);
    OK(hipLibraryEnumerateKernels(kernels, 8, lib));
    EXPECT(kernels[N_SETUP - 1] && !kernels[N_SETUP]);
    OK(hipKernelGetName(&name, kernel));
    EXPECT_STR(name, "scale");
    OK(hipKernelGetLibrary(&other, kernel));
    EXPECT(other == lib);
    OK(hipKernelGetParamInfo(kernel, 2, &offset, &bytes));
    EXPECT_EQ(offset, 16);
    EXPECT_EQ(bytes, 4);
    EXPECT_EQ(hipKernelGetParamInfo(kernel, 4, &offset, NULL), hipErrorInvalidValue);
    OK(hipKernelGetAttribute(&n, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    EXPECT(n > 0);
    EXPECT_EQ(hipKernelGetAttribute(&n, HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel, 9),
              hipErrorInvalidDevice);
    OK(hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel, 0));
    EXPECT_EQ(
        hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20, kernel, 0),
        hipErrorInvalidValue);
    OK(hipKernelGetFunction(&f, kernel));
    for (int d = 0; d < 2; d++) { /* for every device */
        OK(hipSetDevice(d));
        run_scale(f);
        run_scale((hipFunction_t)(void *)kernel);
    }
    OK(hipLibraryGetGlobal(&ptr, &bytes, lib, "var"));
    EXPECT_EQ(bytes, 4);
    EXPECT_EQ(peek_int(ptr), 7);
    OK(hipLibraryGetManaged(&ptr, NULL, lib, "m"));
    EXPECT_EQ(*(int *)ptr, 7);
    EXPECT_EQ(hipLibraryGetManaged(&ptr, NULL, lib, "var"), hipErrorNotFound);
    EXPECT_EQ(hipLibraryGetGlobal(&ptr, NULL, lib, "none"), hipErrorNotFound);
    EXPECT_EQ(hipLibraryGetGlobal(NULL, NULL, lib, "var"), hipErrorInvalidValue);
    EXPECT_EQ(hipLibraryGetGlobal(&ptr, NULL, NULL, "var"), hipErrorInvalidHandle);
    OK(hipLibraryGetModule(&module, lib));
    OK(hipModuleGetFunction(&f, module, "count"));
    OK(hipLibraryUnload(lib));
    EXPECT_EQ(hipLibraryUnload(lib), hipErrorInvalidHandle);
    EXPECT_EQ(hipLibraryUnload(NULL), hipErrorInvalidHandle);
    EXPECT_EQ(hipLibraryLoadFromFile(&lib, "/no/such/file", NULL, NULL, 0, NULL, NULL, 0),
              hipErrorInvalidValue);
}

LS_TEST(module_contents)
{
    static struct {
        uint32_t magic, version;
        const void *binary, *reserved;
    } wrapper = {0x48495046u, 1, NULL, NULL};
    struct image image;
    hipModule_t module;
    hipLibrary_t lib;
    hipFunction_t f[8] = {0};
    unsigned count;

    set_up();
    image = setup_image();
    wrapper.binary = image.data;
    EXPECT_EQ(hipModuleLoadFatBinary(&module, NULL), hipErrorInvalidValue);
    OK(hipModuleLoadFatBinary(&module, &wrapper));
    EXPECT_EQ(hipLibraryUnload((hipLibrary_t)(void *)module), hipErrorInvalidHandle);
    OK(hipModuleUnload(module));
    OK(hipModuleLoadFatBinary(&module, image.data));
    OK(hipModuleGetFunctionCount(&count, module));
    EXPECT_EQ(count, N_SETUP);
    EXPECT_EQ(hipModuleGetFunctionCount(NULL, module), hipErrorInvalidValue);
    EXPECT_EQ(hipModuleGetFunctionCount(&count, NULL), hipErrorInvalidHandle);
    OK(hipModuleEnumerateFunctions(f, 1, module));
    EXPECT(f[0] && !f[1]);
    OK(hipModuleEnumerateFunctions(f, 8, module));
    EXPECT(f[N_SETUP - 1] && !f[N_SETUP]);
    EXPECT_EQ(hipKernelGetLibrary(&lib, (hipKernel_t)(void *)f[0]), hipErrorInvalidHandle);
    run_scale(f[0]);
    OK(hipModuleUnload(module));
    free(image.data);
}

LS_TEST(launch_attributes)
{
    float *data, two = 2;
    unsigned n = 64;
    void *args[] = {&data, &data, &two, &n};
    hipLaunchAttribute attrs[3] = {
        {.id = hipLaunchAttributePriority, .val = {.priority = -1}},
        {.id = hipLaunchAttributeClusterDimension, .val = {.clusterDim = {1, 1, 1}}},
        {.id = hipLaunchAttributeCooperative, .val = {.cooperative = 1}}};
    hipLaunchConfig_t config = {.gridDim = {2, 1, 1}, .blockDim = {32, 1, 1}};
    HIP_LAUNCH_CONFIG driver = {2, 1, 1, 32, 1, 1, 0, NULL, attrs, 2};
    hipFunction_t f;
    int clusters;
    size_t bytes;

    set_up();
    _Static_assert(sizeof(hipLaunchAttribute) == 72, "as in HIP 7");
    OK(hipMallocManaged((void **)&data, n * sizeof(float), hipMemAttachGlobal));
    for (unsigned i = 0; i < n; i++)
        data[i] = 1;
    OK(hipLaunchKernelExC(&config, &setup_host[0], args));
    config.attrs = attrs;
    config.numAttrs = 2;
    OK(hipLaunchKernelExC(&config, &setup_host[0], args));
    OK(hipGetFuncBySymbol(&f, &setup_host[0]));
    OK(hipDrvLaunchKernelEx(&driver, f, args, NULL));
    OK(launch("scale", 2, 32, args, NULL)); /* the usual way */
    OK(hipDeviceSynchronize());
    EXPECT_EQ(data[63], 16);
    config.numAttrs = 3; /* cooperative: too many blocks are refused */
    config.gridDim.x = 1u << 20;
    EXPECT_EQ(hipLaunchKernelExC(&config, &setup_host[0], args), hipErrorCooperativeLaunchTooLarge);
    config.gridDim.x = 2;
    config.numAttrs = 2;
    OK(hipOccupancyMaxPotentialClusterSize(&clusters, &setup_host[0], &config));
    EXPECT_EQ(clusters, 1);
    OK(hipOccupancyMaxActiveClusters(&clusters, &setup_host[0], &config));
    EXPECT(clusters >= 1);
    attrs[1].val.clusterDim.x = 2;
    EXPECT_EQ(hipLaunchKernelExC(&config, &setup_host[0], args), hipErrorNotSupported);
    OK(hipOccupancyMaxActiveClusters(&clusters, &setup_host[0], &config));
    EXPECT_EQ(clusters, 0);
    config.dynamicSmemBytes = 1 << 20;
    config.numAttrs = 0;
    OK(hipOccupancyMaxPotentialClusterSize(&clusters, &setup_host[0], &config));
    EXPECT_EQ(clusters, 0);
    attrs[0].id = hipLaunchAttributeSynchronizationPolicy;
    config.numAttrs = 1;
    EXPECT_EQ(hipLaunchKernelExC(&config, &setup_host[0], args), hipErrorInvalidValue);
    config.attrs = NULL;
    EXPECT_EQ(hipLaunchKernelExC(&config, &setup_host[0], args), hipErrorInvalidValue);
    EXPECT_EQ(hipLaunchKernelExC(NULL, &setup_host[0], args), hipErrorInvalidConfiguration);
    EXPECT_EQ(hipLaunchKernelExC(&config, &clusters, args), hipErrorInvalidDeviceFunction);
    OK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &setup_host[0], 1, 32));
    EXPECT_EQ(bytes, 65536);
    OK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &setup_host[0], 8, 32));
    EXPECT_EQ(bytes, 65536 / 8);
    OK(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &setup_host[0], 1000, 32));
    EXPECT_EQ(bytes, 0);
    EXPECT_EQ(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, &setup_host[0], 0, 32),
              hipErrorInvalidValue);
}

LS_TEST(stream_attributes)
{
    hipStream_t a, b, gone;
    hipStreamAttrValue v = {0};
    unsigned long long id, other;

    OK(hipStreamCreateWithPriority(&a, hipStreamDefault, -1));
    OK(hipStreamCreate(&b));
    OK(hipStreamGetAttribute(a, hipStreamAttributeSynchronizationPolicy, &v));
    EXPECT_EQ(v.syncPolicy, hipSyncPolicyAuto);
    OK(hipStreamGetAttribute(a, hipStreamAttributePriority, &v));
    EXPECT_EQ(v.priority, -1);
    EXPECT_EQ(hipStreamGetAttribute(a, hipStreamAttributeMemSyncDomain, &v), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamGetAttribute(a, hipStreamAttributePriority, NULL), hipErrorInvalidValue);
    v.syncPolicy = hipSyncPolicyYield;
    OK(hipStreamSetAttribute(a, hipStreamAttributeSynchronizationPolicy, &v));
    OK(hipStreamCopyAttributes(b, a));
    OK(hipStreamGetAttribute(b, hipStreamAttributeSynchronizationPolicy, &v));
    EXPECT_EQ(v.syncPolicy, hipSyncPolicyYield);
    v.syncPolicy = (hipSynchronizationPolicy)9;
    EXPECT_EQ(hipStreamSetAttribute(a, hipStreamAttributeSynchronizationPolicy, &v),
              hipErrorInvalidValue);
    EXPECT_EQ(hipStreamSetAttribute(a, hipStreamAttributePriority, &v), hipErrorInvalidValue);
    OK(hipStreamGetId(a, &id));
    OK(hipStreamGetId(b, &other));
    EXPECT(id != other);
    OK(hipStreamGetId(NULL, &other));
    EXPECT(id != other);
    gone = a;
    OK(hipStreamDestroy(a));
    EXPECT_EQ(hipStreamGetAttribute(gone, hipStreamAttributePriority, &v), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamCopyAttributes(b, gone), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamGetId(b, NULL), hipErrorInvalidValue);
}

/* External in a capture: a node, and no event to wait for within it. */
LS_TEST(event_record_flags)
{
    hipGraphNode_t nodes[4];
    hipGraphNodeType type;
    hipGraphExec_t exec;
    hipGraph_t graph;
    hipStream_t s;
    hipEvent_t e;
    size_t n = 4;

    OK(hipStreamCreate(&s));
    OK(hipEventCreate(&e));
    OK(hipEventRecordWithFlags(e, s, hipEventRecordDefault));
    OK(hipEventRecordWithFlags(e, s, hipEventRecordExternal));
    OK(hipEventSynchronize(e));
    EXPECT_EQ(hipEventRecordWithFlags(e, s, 2), hipErrorInvalidValue);
    EXPECT_EQ(hipEventRecordWithFlags(NULL, s, 0), hipErrorInvalidHandle);
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    OK(hipEventRecordWithFlags(e, s, hipEventRecordExternal));
    OK(hipStreamEndCapture(s, &graph));
    OK(hipGraphGetNodes(graph, nodes, &n));
    EXPECT_EQ(n, 1);
    OK(hipGraphNodeGetType(nodes[0], &type));
    EXPECT_EQ(type, hipGraphNodeTypeEventRecord);
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, s));
    OK(hipEventSynchronize(e));
}

LS_TEST(rectangles)
{
    unsigned char *p;

    OK(hipMallocManaged((void **)&p, 64 * 4, hipMemAttachGlobal));
    OK(hipMemset(p, 0, 64 * 4));
    OK(hipDeviceSynchronize());
    OK(hipMemsetD2D8(p, 64, 0x11, 3, 2));
    OK(hipMemsetD2D16(p + 16, 64, 0x2233, 3, 2));
    OK(hipMemsetD2D32Async(p + 32, 64, 0x44556677, 3, 4, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(p[2], 0x11);
    EXPECT_EQ(p[3], 0);
    EXPECT_EQ(p[64], 0x11);
    EXPECT_EQ(p[128], 0);
    EXPECT_EQ(p[16], 0x33);
    EXPECT_EQ(p[64 + 16 + 5], 0x22);
    EXPECT_EQ(p[16 + 6], 0);
    EXPECT_EQ(p[32 + 3], 0x44);
    EXPECT_EQ(p[192 + 32 + 8], 0x77);
    EXPECT_EQ(hipMemsetD2D16(p + 1, 64, 1, 3, 2), hipErrorInvalidValue); /* not aligned */
    EXPECT_EQ(hipMemsetD2D32(p, 64, 1, 17, 2), hipErrorInvalidValue);    /* wider than the pitch */
    EXPECT_EQ(hipMemsetD2D8(p, 64, 1, 64, 5), hipErrorInvalidValue);
}

LS_TEST(copy_batches)
{
    hipMemcpyAttributes attrs[2] = {{.srcAccessOrder = hipMemcpySrcAccessOrderStream},
                                    {.srcAccessOrder = hipMemcpySrcAccessOrderDuringApiCall}};
    size_t first[] = {0, 1}, sizes[] = {4, 4, 4}, failed = 0;
    char *device, from[3][4] = {"abc", "def", "ghi"}, got[3][4] = {{0}};
    void *dsts[3], *srcs[3];
    hipStream_t s;

    OK(hipStreamCreate(&s));
    OK(hipMalloc((void **)&device, 12));
    for (int i = 0; i < 3; i++) {
        dsts[i] = device + 4 * i;
        srcs[i] = from[i];
    }
    OK(hipMemcpyBatchAsync(dsts, srcs, sizes, 3, attrs, first, 2, &failed, s));
    EXPECT_EQ(failed, SIZE_MAX);
    OK(hipStreamSynchronize(s));
    for (int i = 0; i < 3; i++) {
        srcs[i] = device + 4 * i;
        dsts[i] = got[i];
    }
    OK(hipMemcpyBatchAsync(dsts, srcs, sizes, 3, NULL, NULL, 0, NULL, s));
    OK(hipStreamSynchronize(s));
    EXPECT(memcmp(got, from, sizeof(got)) == 0);
    sizes[2] = 8;
    memset(got, 0, sizeof(got));
    EXPECT_EQ(hipMemcpyBatchAsync(dsts, srcs, sizes, 3, NULL, NULL, 0, &failed, s),
              hipErrorInvalidValue);
    EXPECT_EQ(failed, 2);
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(got[0][0], 0); /* nothing was copied */
    EXPECT_EQ(hipMemcpyBatchAsync(dsts, srcs, sizes, 0, NULL, NULL, 0, &failed, s),
              hipErrorInvalidValue);
    first[1] = 0;
    EXPECT_EQ(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 2, &failed, s),
              hipErrorInvalidValue);
    attrs[0].srcAccessOrder = hipMemcpySrcAccessOrderInvalid;
    EXPECT_EQ(hipMemcpyBatchAsync(dsts, srcs, sizes, 2, attrs, first, 1, &failed, s),
              hipErrorInvalidValue);
}

/* Two rows of a 4 x 4 array of words, to memory with its own pitch and back. */
LS_TEST(copy_batches_3d)
{
    hipChannelFormatDesc desc = {32, 0, 0, 0, hipChannelFormatKindUnsigned};
    uint32_t in[4][4], out[2][6];
    hipMemcpy3DBatchOp ops[2];
    hipArray_t array;
    size_t failed;
    hipStream_t s;

    OK(hipStreamCreate(&s));
    for (uint32_t i = 0; i < 16; i++)
        in[i / 4][i % 4] = i;
    memset(out, 0xff, sizeof(out));
    memset(ops, 0, sizeof(ops));
    OK(hipMallocArray(&array, &desc, 4, 4, 0));
    OK(hipMemcpy2DToArray(array, 0, 0, in, 16, 16, 4, hipMemcpyHostToDevice));
    ops[0].src.type = hipMemcpyOperandTypeArray;
    ops[0].src.op.array.array = array;
    ops[0].src.op.array.offset = (hipOffset3D){1, 2, 0};
    ops[0].dst.type = hipMemcpyOperandTypePointer;
    ops[0].dst.op.ptr.ptr = out;
    ops[0].dst.op.ptr.rowLength = 6;
    ops[0].extent = (hipExtent){3, 2, 1};
    ops[0].srcAccessOrder = hipMemcpySrcAccessOrderStream;
    OK(hipMemcpy3DBatchAsync(1, ops, &failed, 0, s));
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(failed, SIZE_MAX);
    EXPECT_EQ(out[0][0], 9);
    EXPECT_EQ(out[0][2], 11);
    EXPECT_EQ(out[0][3], 0xffffffff);
    EXPECT_EQ(out[1][2], 15);
    ops[1] = ops[0];
    ops[1].src.op.array.array = NULL;
    out[0][0] = 0;
    EXPECT_EQ(hipMemcpy3DBatchAsync(2, ops, &failed, 0, s), hipErrorInvalidValue);
    EXPECT_EQ(failed, 1);
    OK(hipStreamSynchronize(s));
    EXPECT_EQ(out[0][0], 0);
    EXPECT_EQ(hipMemcpy3DBatchAsync(1, ops, &failed, 1, s), hipErrorInvalidValue);
    EXPECT_EQ(hipMemcpy3DBatchAsync(0, ops, &failed, 0, s), hipErrorInvalidValue);
}

LS_TEST(peer_copies_3d)
{
    hipMemcpy3DPeerParms p;
    char *a, *b;

    setenv("LOCKSTEP_CPU_DEVICES", "2", 1);
    OK(hipMallocManaged((void **)&a, 64, hipMemAttachGlobal));
    OK(hipSetDevice(1));
    OK(hipMallocManaged((void **)&b, 64, hipMemAttachGlobal));
    OK(hipMemset(b, 0, 64));
    OK(hipMemcpy(a, "0123456789abcdef", 16, hipMemcpyHostToDevice));
    OK(hipDeviceSynchronize());
    memset(&p, 0, sizeof(p));
    p.srcPtr = make_hipPitchedPtr(a, 8, 8, 2);
    p.dstPtr = make_hipPitchedPtr(b, 16, 16, 2);
    p.dstDevice = 1;
    p.extent = (hipExtent){4, 2, 1};
    OK(hipMemcpy3DPeer(&p));
    OK(hipDeviceSynchronize());
    EXPECT(memcmp(b, "0123", 5) == 0 && memcmp(b + 16, "89ab", 5) == 0);
    p.srcPos.x = 4;
    OK(hipMemcpy3DPeerAsync(&p, NULL));
    OK(hipDeviceSynchronize());
    EXPECT(memcmp(b, "4567", 5) == 0);
    p.dstDevice = 2;
    EXPECT_EQ(hipMemcpy3DPeer(&p), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemcpy3DPeer(NULL), hipErrorInvalidValue);
}

static int
last_prefetch(const void *ptr, size_t bytes)
{
    int place = 99;

    OK(hipMemRangeGetAttribute(&place, sizeof(place), hipMemRangeAttributeLastPrefetchLocation, ptr,
                               bytes));
    return place;
}

LS_TEST(managed_by_location)
{
    hipMemLocation device = {hipMemLocationTypeDevice, 0}, cpu = {hipMemLocationTypeHostNuma, 3},
                   nowhere = {hipMemLocationTypeInvalid, 0}, other = {hipMemLocationTypeDevice, 7},
                   places[] = {device, cpu};
    size_t sizes[] = {4096, 4096, 4096}, first[] = {0, 2};
    char *m, *d;
    void *ptrs[3];

    OK(hipMallocManaged((void **)&m, 3 * 4096, hipMemAttachGlobal));
    OK(hipMalloc((void **)&d, 4096));
    memset(m, 5, 3 * 4096);
    for (int i = 0; i < 3; i++)
        ptrs[i] = m + 4096 * i;
    OK(hipMemPrefetchAsync_v2(m, 4096, device, 0, NULL));
    EXPECT_EQ(last_prefetch(m, 4096), 0);
    OK(hipMemPrefetchAsync_v2(m, 4096, cpu, 0, NULL));
    EXPECT_EQ(last_prefetch(m, 4096), hipCpuDeviceId);
    EXPECT_EQ(hipMemPrefetchAsync_v2(m, 4096, nowhere, 0, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPrefetchAsync_v2(m, 4096, other, 0, NULL), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemPrefetchAsync_v2(m, 4096, device, 1, NULL), hipErrorInvalidValue);
    OK(hipMemAdvise_v2(m, 4096, hipMemAdviseSetPreferredLocation, cpu));
    EXPECT_EQ(hipMemAdvise_v2(m, 4096, hipMemAdviseSetPreferredLocation, other),
              hipErrorInvalidDevice);
    OK(hipMemPrefetchBatchAsync(ptrs, sizes, 3, places, first, 2, 0, NULL));
    EXPECT_EQ(last_prefetch(m, 2 * 4096), 0);
    EXPECT_EQ(last_prefetch(m + 2 * 4096, 4096), hipCpuDeviceId);
    OK(hipMemDiscardBatchAsync(ptrs, sizes, 3, 0, NULL));
    OK(hipDrvMemDiscardBatchAsync(ptrs, sizes, 3, 0, NULL));
    OK(hipMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 3, places, first, 1, 0, NULL));
    EXPECT_EQ(last_prefetch(m, 3 * 4096), 0);
    OK(hipDrvMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 3, places + 1, first, 1, 0, NULL));
    EXPECT_EQ(last_prefetch(m, 3 * 4096), hipCpuDeviceId);
    first[1] = 999;
    EXPECT_EQ(hipMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 3, places, first, 2, 0, NULL),
              hipErrorInvalidValue);
    EXPECT_EQ(last_prefetch(m, 3 * 4096), hipCpuDeviceId);
    EXPECT_EQ(hipMemDiscardBatchAsync(ptrs, sizes, 3, 1, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemDiscardBatchAsync(ptrs, sizes, 0, 0, NULL), hipErrorInvalidValue);
    ptrs[1] = d;
    EXPECT_EQ(hipMemDiscardBatchAsync(ptrs, sizes, 3, 0, NULL), hipErrorInvalidValue);
}

LS_TEST(pools_by_location)
{
    hipMemLocation device = {hipMemLocationTypeDevice, 0}, host = {hipMemLocationTypeHost, 0};
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned, .location = device};
    hipMemPool_t standard, mine, got;

    OK(hipMemGetDefaultMemPool(&standard, &device, hipMemAllocationTypePinned));
    OK(hipMemPoolCreate(&mine, &props));
    OK(hipMemSetMemPool(&device, hipMemAllocationTypePinned, mine));
    OK(hipMemGetMemPool(&got, &device, hipMemAllocationTypePinned));
    EXPECT(got == mine && mine != standard);
    EXPECT_EQ(hipMemGetMemPool(NULL, &device, hipMemAllocationTypePinned), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetMemPool(&got, NULL, hipMemAllocationTypePinned), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetMemPool(&got, &host, hipMemAllocationTypePinned), hipErrorInvalidValue);
    EXPECT_EQ(hipMemGetMemPool(&got, &device, hipMemAllocationTypeInvalid), hipErrorInvalidValue);
    EXPECT_EQ(hipMemSetMemPool(&device, hipMemAllocationTypePinned, NULL), hipErrorInvalidValue);
}

/* Made from the table: the null stream is the thread's own. */
LS_TEST(streams_of_the_thread)
{
    hipStreamCaptureStatus status;
    hipStream_t legacy = hipStreamLegacy;
    hipGraph_t graph;
    void *p;

    OK(hipMalloc(&p, 64));
    for (int i = 0; i < 2; i++) { /* capturing takes the legacy stream for the null stream, too */
        OK(hipStreamBeginCapture_spt(i ? legacy : NULL, hipStreamCaptureModeRelaxed));
        OK(hipMemsetAsync_spt(p, 7, 64, NULL));
        OK(hipStreamIsCapturing(hipStreamPerThread, &status));
        EXPECT_EQ(status, hipStreamCaptureStatusActive);
        OK(hipStreamEndCapture_spt(NULL, &graph));
        size_t n = 0;
        OK(hipGraphGetNodes(graph, NULL, &n));
        EXPECT_EQ(n, 1);
        OK(hipGraphDestroy(graph));
    }
    OK(hipStreamSynchronize_spt(NULL));
    EXPECT_EQ(hipStreamQuery_spt(NULL), hipSuccess);
    OK(hipFree(p));
}

LS_TEST(entry_points)
{
    hipDriverEntryPointQueryResult status;
    void *a, *b, *c;

    OK(hipGetDriverEntryPoint("hipStreamQuery", &a, hipEnableDefault, &status));
    EXPECT_EQ(status, hipDriverEntryPointSuccess);
    OK(hipGetDriverEntryPoint("hipStreamQuery", &b, hipEnablePerThreadDefaultStream, NULL));
    OK(hipGetDriverEntryPoint("hipStreamQuery_spt", &c, hipEnableLegacyStream, NULL));
    EXPECT(a && a != b && b == c);
    OK(hipGetDriverEntryPoint_spt("hipStreamQuery", &c, hipEnableDefault, NULL));
    EXPECT(b == c);
    OK(hipGetDriverEntryPoint_spt("hipMalloc", &c, hipEnableDefault, NULL)); /* has one form */
    EXPECT_EQ(hipGetDriverEntryPoint("hipNothing", &a, hipEnableDefault, &status),
              hipErrorInvalidValue);
    EXPECT_EQ(status, hipDriverEntryPointSymbolNotFound);
    EXPECT_EQ(hipGetDriverEntryPoint("hipMalloc", &a, 3, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipGetDriverEntryPoint(NULL, &a, 0, NULL), hipErrorInvalidValue);
}

LS_TEST(devices_and_what_is_refused)
{
    hipArrayMemoryRequirements need;
    HIP_ARRAY3D_DESCRIPTOR desc = {8, 8, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
    hipMipmappedArray_t mipmap;
    hipExecutionCtx_t ctx;
    hipDevResource resource;
    unsigned mask, flags;
    char luid[8];
    int fd;
    void *ptr;

    OK(hipInitDevice(0, 0, 0));
    OK(hipInitDevice(0, hipDeviceScheduleYield, 1));
    OK(hipGetDeviceFlags(&flags));
    EXPECT_EQ(flags, hipDeviceScheduleYield);
    EXPECT_EQ(hipInitDevice(1, 0, 0), hipErrorInvalidDevice);
    EXPECT_EQ(hipInitDevice(0, 0x1000, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceGetLuid(luid, &mask, 0), hipErrorNotSupported);
    EXPECT_EQ(hipDeviceGetLuid(luid, &mask, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceGetLuid(NULL, &mask, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                                hipFlushGPUDirectRDMAWritesToOwner),
              hipErrorNotSupported);
    EXPECT_EQ(hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                                (hipFlushGPUDirectRDMAWritesScope)1),
              hipErrorInvalidValue);
    OK(hipMalloc(&ptr, 4096));
    EXPECT_EQ(hipMemGetHandleForAddressRange(&fd, ptr, 4096, hipMemRangeHandleTypeDmaBufFd, 0),
              hipErrorNotSupported);
    EXPECT_EQ(hipDeviceGetDevResource(0, &resource, hipDevResourceTypeSm), hipErrorNotSupported);
    EXPECT_EQ(hipGreenCtxCreate(&ctx, NULL, 0, 0), hipErrorNotSupported);
    EXPECT_EQ(hipGetLastError(), hipErrorNotSupported);
    OK(hipMipmappedArrayCreate(&mipmap, &desc, 2));
    OK(hipMipmappedArrayGetMemoryRequirements(&need, mipmap, 0));
    EXPECT(need.size >= (64 + 16) * sizeof(float) && need.alignment == 256);
    EXPECT_EQ(hipMipmappedArrayGetMemoryRequirements(NULL, mipmap, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMipmappedArrayGetMemoryRequirements(&need, NULL, 0), hipErrorInvalidHandle);
}

/* What the log holds after a call. */
static size_t
log_bytes(FILE *log)
{
    void *ptr;
    long at;

    OK(hipMalloc(&ptr, 16));
    OK(hipFree(ptr));
    fflush(stderr);
    fseek(log, 0, SEEK_END);
    at = ftell(log);
    return (size_t)at;
}

LS_TEST(logging)
{
    FILE *log = tmpfile();
    size_t quiet, loud;
    int saved = dup(2);

    REQUIRE(log && saved >= 0);
    REQUIRE(dup2(fileno(log), 2) == 2);
    OK(hipExtSetLoggingParams(4, 0, (size_t)-1));
    quiet = log_bytes(log); /* not yet */
    OK(hipExtEnableLogging());
    loud = log_bytes(log);
    OK(hipExtDisableLogging());
    dup2(saved, 2);
    EXPECT_EQ(quiet, 0);
    EXPECT(loud > 100);
    loud = log_bytes(log);
    EXPECT_EQ(log_bytes(log), loud);
}

/* HIP Programming Guide 3.3.7.1, "hipEventSynchronize", wants an error; ROCm 6.3's runtime gives a
 * time, as does this. */
LS_TEST(events_of_two_launches)
{
    hipEvent_t e[4];
    float *p, a = 2, ms = -1;
    unsigned n = 32;
    void *args[] = {&p, &p, &a, &n};

    set_up();
    OK(hipMalloc((void **)&p, n * sizeof(float)));
    for (int i = 0; i < 4; i++)
        OK(hipEventCreate(&e[i]));
    for (int i = 0; i < 4; i += 2)
        OK(hipExtLaunchKernel(&setup_host[0], (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL,
                              e[i], e[i + 1], 0));
    OK(hipDeviceSynchronize());
    OK(hipEventElapsedTime(&ms, e[0], e[1]));
    EXPECT(ms >= 0);
    ms = -1;
    OK(hipEventElapsedTime(&ms, e[0], e[3]));
    EXPECT(ms >= 0);
}
