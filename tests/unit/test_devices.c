/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Several CPU devices (LOCKSTEP_CPU_DEVICES): what each has of its own, and what goes between
 * them. */
#include <pthread.h>

#include "unit/test.h"

#include "unit/support/cache.h"
#include "unit/support/image.h"
#include "unit/support/peek.h"

#include <hip/hip_runtime_api.h>

#define OK(call) EXPECT_EQ(call, hipSuccess)
#define MIB      ((size_t)1 << 20)

void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(void **handle, const void *host, char *device_name, const char *name,
                           unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *size);
void __hipRegisterVar(void **handle, void *host, char *device_name, char *name, int ext,
                      size_t bytes, int constant, int global);
void __hipRegisterManagedVar(void **handle, void **pointer, void *init, const char *name,
                             size_t bytes, unsigned align);

enum { SCALE, FAULT, AWAIT, VARS, GRIDS, N_KERNELS };
static const struct test_kernel kernels[] = {
    {.name = "scale", .args = {8, 8, 4, 4}}, /* out = a * in */
    {.name = "fault", .args = {8, 4}},
    {.name = "await", .args = {8, 8}}, /* waits for *flag, then sets *set */
    {.name = "vars", .args = {8}},     /* out[0] = *var, out[1] = **pointer, adds 1 to var */
    {.name = "grids",
     .args = {8, 8}}, /* each block: adds 1 to *n, meets all, writes what it sees */
};
static const int var_init = 5;
static const struct test_global globals[] = {
    {.name = "var", .bytes = 4, .init = &var_init},
    {.name = "pointer", .bytes = 8},
    {.name = "shared", .bytes = 8},
    {.name = "shared.managed", .bytes = 4, .init = &var_init},
};
static const struct ls_lsbc_reloc reloc = {.where = 1, .target = 0};
static char host[N_KERNELS];
static int host_var;
static void *host_shared;

static void
set_up(int n_devices)
{
    static const char *const ids[] = {"host-x86_64-unknown-linux--", "lockstep-bc--gfx1100"};
    static struct {
        uint32_t magic, version;
        const void *binary, *reserved;
    } wrapper = {0x48495046u, 1, NULL, NULL};
    static int init = 5;
    struct image images[2] = {{0}};
    char text[16];
    void **handle;
    int n;

    make_cache();
    snprintf(text, sizeof(text), "%d", n_devices);
    setenv("LOCKSTEP_CPU_DEVICES", text, 1);
    setenv("LOCKSTEP_CACHE_DIR", test_cache, 1);
    setenv("LOCKSTEP_COMPILER", LS_TEST_SUPPORT "/ls_fake_compiler.so", 1);
    setenv("LS_TEST_KERNELS", LS_TEST_SUPPORT, 1);
    setenv("LS_TEST_COMPILE_LOG", "/dev/null", 1);
    images[1] = make_lsbc("gfx1100", 32, kernels, N_KERNELS, globals, 4, &reloc);
    wrapper.binary = make_bundle(ids, images, 2).data; /* lives as long as the process */
    free(images[1].data);
    handle = __hipRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < N_KERNELS; i++)
        __hipRegisterFunction(handle, &host[i], (char *)(uintptr_t)kernels[i].name, kernels[i].name,
                              ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &host_var, (char *)(uintptr_t) "var", (char *)(uintptr_t) "var", 0, 4,
                     0, 0);
    __hipRegisterManagedVar(handle, &host_shared, &init, "shared", 4, 4);
    OK(hipGetDeviceCount(&n));
    REQUIRE(n == n_devices);
}

static hipError_t
launch(int kernel, unsigned grid, void **args, hipStream_t stream)
{
    return hipLaunchKernel(&host[kernel], (dim3){grid, 1, 1}, (dim3){32, 1, 1}, args, 0, stream);
}

static int
current(void)
{
    int device = -1;

    OK(hipGetDevice(&device));
    return device;
}

static int
units_of(int device)
{
    int n = 0;

    OK(hipDeviceGetAttribute(&n, hipDeviceAttributeMultiprocessorCount, device));
    return n;
}

LS_TEST(one_device)
{
    int can = 5;

    set_up(1);
    EXPECT_EQ(hipSetDevice(1), hipErrorInvalidDevice);
    OK(hipDeviceCanAccessPeer(&can, 0, 0));
    EXPECT_EQ(can, 0);
    EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
}

/* The machine is shared out. */
LS_TEST(properties)
{
    hipDeviceProp_t a, b;
    int n_cpus, sum = 0, found;
    hipDevice_t device;
    size_t bytes;
    char id[32];
    hipUUID u;

    set_up(4);
    n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < 4; i++) {
        EXPECT(units_of(i) >= 1);
        sum += units_of(i);
        OK(hipDeviceGet(&device, i));
        EXPECT_EQ(device, i);
        OK(hipDeviceGetPCIBusId(id, sizeof(id), i));
        OK(hipDeviceGetByPCIBusId(&found, id));
        EXPECT_EQ(found, i);
        OK(hipDeviceTotalMem(&bytes, i));
        EXPECT(bytes > 0 && bytes <= (size_t)sysconf(_SC_PHYS_PAGES) * 4096 / 4);
    }
    EXPECT(n_cpus < 4 ? sum == 4 : sum <= n_cpus);
    OK(hipGetDeviceProperties(&a, 0));
    OK(hipGetDeviceProperties(&b, 3));
    EXPECT(memcmp(&a.uuid, &b.uuid, sizeof(a.uuid)) != 0);
    EXPECT(a.pciBusID != b.pciBusID);
    EXPECT_EQ(a.cooperativeMultiDeviceLaunch, 1);
    OK(hipDeviceGetUuid(&u, 3));
    EXPECT(memcmp(&u, &b.uuid, sizeof(u)) == 0);
    EXPECT_EQ(hipDeviceGetUuid(&u, 4), hipErrorInvalidDevice);
}

static void *
other_thread(void *arg)
{
    EXPECT_EQ(current(), 0);
    OK(hipSetDevice(*(int *)arg));
    EXPECT_EQ(current(), 1);
    return NULL;
}

LS_TEST(current_device_and_context)
{
    hipCtx_t a, b, got;
    pthread_t thread;
    int one = 1;
    void *ptr;

    set_up(2);
    EXPECT_EQ(current(), 0);
    REQUIRE(pthread_create(&thread, NULL, other_thread, &one) == 0);
    pthread_join(thread, NULL);
    EXPECT_EQ(current(), 0); /* each thread has its own */
    OK(hipSetDevice(1));
    EXPECT_EQ(current(), 1);
    EXPECT_EQ(hipSetDevice(2), hipErrorInvalidDevice);
    EXPECT_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
    EXPECT_EQ(current(), 1);
    OK(hipDevicePrimaryCtxRetain(&a, 0));
    OK(hipDevicePrimaryCtxRetain(&b, 1));
    EXPECT(a != b);
    OK(hipCtxGetCurrent(&got));
    EXPECT(got == b);
    OK(hipCtxSetCurrent(a));
    EXPECT_EQ(current(), 0);
    OK(hipCtxPushCurrent(b));
    OK(hipCtxGetDevice(&one));
    EXPECT_EQ(one, 1);
    OK(hipDevicePrimaryCtxGetState(1, NULL, &one));
    EXPECT_EQ(one, 1); /* retained */
    OK(hipDevicePrimaryCtxRelease(1));
    OK(hipDevicePrimaryCtxGetState(1, NULL, &one));
    EXPECT_EQ(one, 0);
    OK(hipMalloc(&ptr, 4096));
    OK(hipDevicePrimaryCtxGetState(1, NULL, &one));
    EXPECT_EQ(one, 1);
}

static size_t
free_bytes(int device)
{
    int old = current();
    size_t n = 0;

    OK(hipSetDevice(device));
    OK(hipMemGetInfo(&n, NULL));
    OK(hipSetDevice(old));
    return n;
}

LS_TEST(memory_belongs_to_a_device)
{
    hipPointerAttribute_t attr;
    void *p[2], *pooled, *host_memory;
    hipMemPool_t pools[2], mine;
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .location = {.type = hipMemLocationTypeDevice, .id = 1}};
    hipMemAccessDesc access = {.location = {.type = hipMemLocationTypeDevice, .id = 0},
                               .flags = hipMemAccessFlagsProtReadWrite};
    hipMemAccessFlags flags;
    size_t before[2], bytes;
    hipStream_t stream;
    int ordinal;

    setenv("LOCKSTEP_MEMORY_MB", "64", 1);
    set_up(2);
    for (int i = 0; i < 2; i++)
        before[i] = free_bytes(i);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipMalloc(&p[i], 40 * MIB)); /* each has 64 */
        EXPECT_EQ(hipMalloc(&pooled, 40 * MIB), hipErrorOutOfMemory);
        OK(hipPointerGetAttributes(&attr, p[i]));
        EXPECT_EQ(attr.device, i);
        OK(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p[i]));
        EXPECT_EQ(ordinal, i);
        EXPECT_EQ(before[i] - free_bytes(i), 40 * MIB);
    }
    OK(hipFree(p[0])); /* whichever device is current */
    EXPECT_EQ(free_bytes(0), before[0]);
    EXPECT_EQ(before[1] - free_bytes(1), 40 * MIB);
    OK(hipFree(p[1]));
    /* pools */
    for (int i = 0; i < 2; i++)
        OK(hipDeviceGetDefaultMemPool(&pools[i], i));
    EXPECT(pools[0] != pools[1]);
    OK(hipSetDevice(1));
    OK(hipStreamCreate(&stream));
    OK(hipSetDevice(0));
    OK(hipMallocAsync(&pooled, MIB, stream)); /* the stream's device counts */
    OK(hipPointerGetAttributes(&attr, pooled));
    EXPECT_EQ(attr.device, 1);
    EXPECT_EQ(free_bytes(0), before[0]);
    EXPECT_EQ(before[1] - free_bytes(1), MIB);
    OK(hipFreeAsync(pooled, stream));
    OK(hipMemPoolCreate(&mine, &props));
    EXPECT_EQ(hipDeviceSetMemPool(0, mine), hipErrorInvalidDevice);
    OK(hipDeviceSetMemPool(1, mine));
    OK(hipDeviceGetMemPool(&pools[0], 1));
    EXPECT(pools[0] == mine);
    OK(hipMemPoolGetAccess(&flags, mine, &access.location));
    EXPECT_EQ(flags, hipMemAccessFlagsProtNone);
    OK(hipMemPoolSetAccess(mine, &access, 1));
    OK(hipMemPoolGetAccess(&flags, mine, &access.location));
    EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
    access.location.id = 2;
    EXPECT_EQ(hipMemPoolSetAccess(mine, &access, 1), hipErrorInvalidDevice);
    OK(hipMemPoolDestroy(mine));
    OK(hipDeviceGetMemPool(&pools[0], 1));
    EXPECT(pools[0] == pools[1]);
    /* host memory */
    OK(hipHostMalloc(&host_memory, 4096, hipHostMallocPortable));
    OK(hipPointerGetAttributes(&attr, host_memory));
    EXPECT_EQ(attr.type, hipMemoryTypeHost);
    OK(hipHostFree(host_memory));
    OK(hipMemGetInfo(&bytes, NULL));
    EXPECT_EQ(bytes, before[0]);
}

LS_TEST(reset_is_of_one_device)
{
    hipPointerAttribute_t attr;
    hipStream_t streams[2];
    void *p[2];

    set_up(2);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipMalloc(&p[i], MIB));
        OK(hipStreamCreate(&streams[i]));
    }
    OK(hipDeviceReset());
    OK(hipPointerGetAttributes(&attr, p[0]));
    EXPECT_EQ(attr.device, 0);
    OK(hipPointerGetAttributes(&attr, p[1]));
    EXPECT_EQ(attr.type, hipMemoryTypeUnregistered);
    OK(hipStreamSynchronize(streams[0]));
    EXPECT_EQ(hipStreamSynchronize(streams[1]), hipErrorContextIsDestroyed);
}

LS_TEST(peers)
{
    int can, value;
    uint32_t type, hops;
    char *p[2], text[16];

    set_up(2);
    OK(hipDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 1);
    OK(hipDeviceCanAccessPeer(&can, 1, 1));
    EXPECT_EQ(can, 0);
    EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 2), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceCanAccessPeer(NULL, 0, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
    EXPECT_EQ(hipDeviceEnablePeerAccess(1, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceEnablePeerAccess(2, 0), hipErrorInvalidDevice);
    OK(hipDeviceEnablePeerAccess(1, 0));
    EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
    OK(hipSetDevice(1)); /* the other direction is another matter */
    EXPECT_EQ(hipDeviceDisablePeerAccess(0), hipErrorPeerAccessNotEnabled);
    OK(hipSetDevice(0));
    OK(hipDeviceDisablePeerAccess(1));
    EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
    OK(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 1));
    EXPECT_EQ(value, 1);
    OK(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrNativeAtomicSupported, 1, 0));
    EXPECT_EQ(value, 1);
    EXPECT_EQ(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 0),
              hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceGetP2PAttribute(&value, (hipDeviceP2PAttr)99, 0, 1), hipErrorInvalidValue);
    OK(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops));
    EXPECT_EQ(hops, 1);
    EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 0, &type, &hops), hipErrorInvalidValue);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipMalloc((void **)&p[i], 16));
    }
    OK(hipMemcpy(p[0], "from device 0", 14, hipMemcpyHostToDevice));
    OK(hipMemcpyPeer(p[1], 1, p[0], 0, 14));
    OK(hipMemcpy(text, p[1], 14, hipMemcpyDeviceToHost));
    EXPECT_STR(text, "from device 0");
    EXPECT_EQ(hipMemcpyPeer(p[1], 2, p[0], 0, 14), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemcpyPeerAsync(p[1], 1, p[0], -1, 14, NULL), hipErrorInvalidDevice);
}

/* A device variable exists once for each device, a managed one once. */
LS_TEST(variables)
{
    int *out, seven = 7, got;
    void *args[] = {&out}, *ptr[2];

    set_up(2);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipGetSymbolAddress(&ptr[i], &host_var));
    }
    EXPECT(ptr[0] != ptr[1]);
    OK(hipMallocManaged((void **)&out, 8, hipMemAttachGlobal));
    OK(hipMemcpyToSymbol(&host_var, &seven, 4, 0, hipMemcpyHostToDevice)); /* of device 1 */
    OK(hipSetDevice(0));
    OK(hipMemcpyFromSymbol(&got, &host_var, 4, 0, hipMemcpyDeviceToHost));
    EXPECT_EQ(got, 5);
    OK(launch(VARS, 1, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(out[0], 5);
    EXPECT_EQ(out[1], 5); /* a pointer to a variable points to the device's own */
    OK(hipSetDevice(1));
    OK(launch(VARS, 1, args, NULL));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(out[0], 7);
    EXPECT_EQ(out[1], 7);
    OK(hipMemcpyFromSymbol(&got, &host_var, 4, 0, hipMemcpyDeviceToHost));
    EXPECT_EQ(got, 8);
    EXPECT_EQ(*(int *)host_shared, 5);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipGetSymbolAddress(&ptr[i], &host_shared));
    }
    EXPECT(ptr[0] == ptr[1] && ptr[0] == host_shared);
}

/* Streams belong to the device that was current, and the null stream is the current device's. */
LS_TEST(streams)
{
    hipStream_t s[2];
    hipEvent_t e[2];
    hipDevice_t device;
    int *flag, *set;
    void *args[] = {&flag, &set};
    float ms;

    set_up(2);
    OK(hipHostMalloc((void **)&flag, 8, 0));
    set = flag + 1;
    flag[0] = flag[1] = 0;
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipStreamCreate(&s[i]));
        OK(hipEventCreate(&e[i]));
        OK(hipStreamGetDevice(s[i], &device));
        EXPECT_EQ(device, i);
        OK(hipStreamGetDevice(NULL, &device));
        EXPECT_EQ(device, i);
    }
    EXPECT_EQ(hipEventRecord(e[0], s[1]), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventRecord(e[0], NULL), hipErrorInvalidHandle); /* device 1's null stream */
    /* what waits on device 0 keeps nobody on device 1 */
    OK(launch(AWAIT, 1, args, s[0]));
    OK(hipEventRecord(e[0], s[0]));
    OK(hipDeviceSynchronize());
    OK(hipStreamSynchronize(NULL));
    EXPECT_EQ(hipStreamQuery(s[0]), hipErrorNotReady);
    OK(hipEventRecord(e[1], s[1]));
    OK(hipEventSynchronize(e[1]));
    /* an event is the way from one to the other */
    OK(hipStreamWaitEvent(s[1], e[0], 0));
    OK(hipEventRecord(e[1], s[1]));
    EXPECT_EQ(hipEventQuery(e[1]), hipErrorNotReady);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    OK(hipEventSynchronize(e[1]));
    EXPECT_EQ(*set, 1);
    EXPECT_EQ(hipEventElapsedTime(&ms, e[0], e[1]), hipErrorInvalidHandle);
    OK(hipSetDevice(0));
    OK(hipDeviceSynchronize());
}

LS_TEST(compute_units)
{
    int grid = 0, block = 0, n = 0;
    hipDeviceProp_t p;

    setenv("LOCKSTEP_COMPUTE_UNITS", "104", 1);
    set_up(2);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(units_of(i), 104);
        OK(hipGetDeviceProperties(&p, i));
        EXPECT_EQ(p.multiProcessorCount, 104);
    }
    OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, &host[SCALE], 0, 0));
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, &host[SCALE], block, 0));
    EXPECT(n > 0);
    EXPECT_EQ(grid, 104 * n);
}

/* A copy by one device of what the other one makes. All of it waits on device 0, in the null stream
 * or one that this waits for, until the host lets go. */
struct peer_copies {
    float *from[2], *to;
    hipStream_t made; /* of device 0 */
    hipArray_t array;
    hipGraphExec_t exec;
    int *flag;
};

#define PEER_FLOATS 64u

static void
write_floats(float *to, float value)
{
    float values[PEER_FLOATS];

    for (unsigned i = 0; i < PEER_FLOATS; i++)
        values[i] = value;
    OK(hipMemcpy(to, values, sizeof(values), hipMemcpyDefault));
}

/* In a stream that waits for no other: what is not there yet is not read. */
static float
float_at(const float *from, hipStream_t alone)
{
    float value;

    OK(hipMemcpyAsync(&value, from, sizeof(value), hipMemcpyDefault, alone));
    OK(hipStreamSynchronize(alone));
    return value;
}

enum peer_copy {
    LINEAR,
    PEER,
    LINEAR_2D,
    LINEAR_3D,
    DRIVER,
    TO_HOST,
    TO_HOST_NAMED,
    TO_ARRAY,
    SYMBOL,
    FILL,
    GRAPH,
    N_COPIES
};

static void
copy_from_other(const struct peer_copies *c, enum peer_copy how, hipStream_t named,
                float *host_copy)
{
    const size_t bytes = PEER_FLOATS * sizeof(float);
    const float *from = c->from[0];
    hipMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)from, bytes, bytes, 1},
                          .dstPtr = {c->to, bytes, bytes, 1},
                          .extent = {bytes, 1, 1},
                          .kind = hipMemcpyDeviceToDevice};

    switch (how) {
    case LINEAR:
        OK(hipMemcpyAsync(c->to, from, bytes, hipMemcpyDeviceToDevice, NULL));
        break;
    case PEER:
        OK(hipMemcpyPeer(c->to, 1, from, 0, bytes));
        break;
    case LINEAR_2D:
        OK(hipMemcpy2DAsync(c->to, bytes / 2, from, bytes / 2, bytes / 4, 2, hipMemcpyDefault,
                            NULL));
        OK(hipMemcpy2DAsync((char *)c->to + bytes / 4, bytes / 2, (const char *)from + bytes / 4,
                            bytes / 2, bytes / 4, 2, hipMemcpyDefault, NULL));
        break;
    case LINEAR_3D:
        OK(hipMemcpy3DAsync(&p, NULL));
        break;
    case DRIVER:
        OK(hipMemcpyDtoDAsync(c->to, (void *)(uintptr_t)from, bytes, NULL));
        break;
    case TO_HOST:
    case TO_HOST_NAMED: /* work of the memory's null stream, whose stream ever it is in */
        OK(hipMemcpyAsync(host_copy, from, bytes, hipMemcpyDeviceToHost,
                          how == TO_HOST ? NULL : named));
        break;
    case TO_ARRAY:
        OK(hipMemcpy2DToArrayAsync(c->array, 0, 0, from, bytes, bytes, 1, hipMemcpyDeviceToDevice,
                                   NULL));
        OK(hipMemcpy2DFromArrayAsync(c->to, bytes, c->array, 0, 0, bytes, 1,
                                     hipMemcpyDeviceToDevice, NULL));
        break;
    case SYMBOL:
        OK(hipMemcpyToSymbolAsync(&host_var, from, 4, 0, hipMemcpyDeviceToDevice, NULL));
        OK(hipMemcpyFromSymbolAsync(c->to, &host_var, 4, 0, hipMemcpyDeviceToDevice, NULL));
        OK(hipMemcpyAsync(c->to + 1, from + 1, bytes - 4, hipMemcpyDefault, NULL));
        break;
    case FILL: /* what is filled is then copied by the device that it belongs to */
        OK(hipMemsetD32Async(c->from[0], 0x40e00000, PEER_FLOATS, NULL));
        OK(hipSetDevice(0));
        OK(hipMemcpyAsync(c->to, from, bytes, hipMemcpyDefault, NULL));
        OK(hipSetDevice(1));
        break;
    case GRAPH:
        OK(hipGraphLaunch(c->exec, NULL));
        break;
    case N_COPIES:
        break;
    }
}

LS_TEST(peer_copies)
{
    struct peer_copies c;
    hipChannelFormatDesc desc = {32, 0, 0, 0, hipChannelFormatKindFloat};
    hipStream_t named;
    hipGraph_t graph;
    hipGraphNode_t node;
    float *host_copy, one = 1;
    unsigned n = PEER_FLOATS;
    void *await[] = {&c.flag, NULL}, *scale[] = {&c.from[0], &c.from[1], &one, &n};
    int *set;

    set_up(2);
    OK(hipHostMalloc((void **)&c.flag, 8, 0));
    OK(hipHostMalloc((void **)&host_copy, PEER_FLOATS * sizeof(float), 0));
    set = c.flag + 1;
    await[1] = &set;
    OK(hipSetDevice(0));
    OK(hipStreamCreate(&c.made));
    OK(hipMalloc((void **)&c.from[0], PEER_FLOATS * sizeof(float)));
    OK(hipMalloc((void **)&c.from[1], PEER_FLOATS * sizeof(float)));
    OK(hipSetDevice(1));
    OK(hipStreamCreateWithFlags(&named, hipStreamNonBlocking));
    OK(hipMalloc((void **)&c.to, PEER_FLOATS * sizeof(float)));
    OK(hipMallocArray(&c.array, &desc, PEER_FLOATS, 1, 0));
    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, c.to, c.from[0], PEER_FLOATS * sizeof(float),
                               hipMemcpyDefault));
    OK(hipGraphInstantiate(&c.exec, graph, NULL, NULL, 0));
    for (int round = 0; round < 2 * N_COPIES; round++) {
        enum peer_copy how = (enum peer_copy)(round / 2);
        hipStream_t stream = round % 2 ? c.made : NULL;
        float *got = how == TO_HOST || how == TO_HOST_NAMED ? host_copy : c.to;

        write_floats(c.from[0], -1);
        write_floats(got, -1);
        write_floats(c.from[1], 7);
        __atomic_store_n(c.flag, 0, __ATOMIC_RELEASE);
        OK(hipSetDevice(0));
        OK(launch(AWAIT, 1, await, stream));
        OK(launch(SCALE, PEER_FLOATS / 32, scale, stream));
        OK(hipSetDevice(1));
        copy_from_other(&c, how, named, host_copy);
        EXPECT_EQ(hipStreamQuery(how == TO_HOST_NAMED ? named : NULL), hipErrorNotReady);
        __atomic_store_n(c.flag, 1, __ATOMIC_RELEASE);
        OK(hipDeviceSynchronize());
        if (how == FILL) {
            OK(hipSetDevice(0));
            OK(hipDeviceSynchronize());
        }
        if (float_at(got, named) != 7 || float_at(got + PEER_FLOATS - 1, named) != 7)
            fprintf(stderr, "round %d\n", round);
        EXPECT_EQ(float_at(got, named), 7);
        EXPECT_EQ(float_at(got + PEER_FLOATS - 1, named), 7);
    }
    /* what device 0 does next waits for the copy, and another stream's copy between devices is its
     * own affair */
    __atomic_store_n(c.flag, 0, __ATOMIC_RELEASE);
    OK(launch(AWAIT, 1, await, NULL));
    OK(hipMemcpyPeerAsync(c.to, 1, c.from[0], 0, PEER_FLOATS * sizeof(float), NULL));
    OK(hipSetDevice(0));
    one = 3;
    OK(launch(SCALE, PEER_FLOATS / 32, scale, c.made));
    EXPECT_EQ(hipStreamQuery(c.made), hipErrorNotReady);
    OK(hipSetDevice(1));
    OK(hipMemcpyPeerAsync(c.to, 1, c.from[1], 0, PEER_FLOATS * sizeof(float), named));
    OK(hipStreamSynchronize(named));
    __atomic_store_n(c.flag, 1, __ATOMIC_RELEASE);
    OK(hipDeviceSynchronize());
    EXPECT_EQ(float_at(c.to, named), 7);
    OK(hipStreamSynchronize(c.made));
    EXPECT_EQ(float_at(c.from[0], named), 21);
}

/* Both devices work at the same time, from threads of their own, and hipStreamPerThread is of the
 * current device. */
struct job {
    int device;
    float *data;
};

static void *
work(void *arg)
{
    struct job *job = arg;
    float two = 2;
    unsigned n = 4096;
    void *args[] = {&job->data, &job->data, &two, &n};
    hipDevice_t device;

    OK(hipSetDevice(job->device));
    OK(hipMallocManaged((void **)&job->data, n * sizeof(float), hipMemAttachGlobal));
    for (unsigned i = 0; i < n; i++)
        job->data[i] = 1;
    OK(hipStreamGetDevice(hipStreamPerThread, &device));
    EXPECT_EQ(device, job->device);
    for (int i = 0; i < 20; i++)
        OK(launch(SCALE, n / 32, args, i % 2 ? hipStreamPerThread : NULL));
    OK(hipDeviceSynchronize());
    for (unsigned i = 0; i < n; i++)
        if (job->data[i] != (float)(1 << 20)) {
            EXPECT_EQ(job->data[i], 1 << 20);
            break;
        }
    return NULL;
}

LS_TEST(threads)
{
    struct job jobs[8];
    pthread_t threads[8];

    set_up(4);
    for (int i = 0; i < 8; i++) {
        jobs[i].device = i % 4;
        REQUIRE(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

/* A failed kernel spoils its own device. */
LS_TEST(faults)
{
    int *nowhere = (int *)(uintptr_t)0x10;
    unsigned block = 0;
    void *args[] = {&nowhere, &block}, *ptr;

    if (RUNNING_ON_VALGRIND)
        return; /* the bad access is the point */
    set_up(2);
    OK(hipSetDevice(1));
    OK(launch(FAULT, 1, args, NULL));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    EXPECT_EQ(hipMalloc(&ptr, 16), hipErrorIllegalAddress);
    OK(hipSetDevice(0));
    OK(hipMalloc(&ptr, 16));
    OK(hipDeviceSynchronize());
    OK(hipSetDevice(1));
    OK(hipDeviceReset());
    OK(hipMalloc(&ptr, 16));
}

static void
expect_visible(const char *variable, const char *value, const char *uuids)
{
    char got[16] = "";
    int n = 0;

    OK(hipGetDeviceCount(&n));
    for (int i = 0; i < n; i++) {
        hipUUID u;

        OK(hipDeviceGetUuid(&u, i));
        got[i] = u.bytes[15];
    }
    if (strcmp(got, uuids) != 0)
        fprintf(stderr, "%s=%s\n", variable, value);
    EXPECT_STR(got, uuids);
}

static void
visible(const char *variable, const char *value, const char *uuids)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        setenv("LOCKSTEP_CPU_DEVICES", "4", 1);
        setenv(variable, value, 1);
        expect_visible(variable, value, uuids);
        _exit(ls_test_failures != 0);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_EQ(status, 0);
}

LS_TEST(visible_devices)
{
    visible("HIP_VISIBLE_DEVICES", "2,0", "20");
    visible("HIP_VISIBLE_DEVICES", "3,7,1", "3"); /* ends where there is no such device */
    visible("HIP_VISIBLE_DEVICES", "1,1,2", "12");
    visible("HIP_VISIBLE_DEVICES", "", "0123");
    visible("HIP_VISIBLE_DEVICES", "GPU-LOCKSTEP-CPU-003,0", "30");
    visible("HIP_VISIBLE_DEVICES", "0,GPU-LOCKSTEP", "0"); /* that could be any */
    visible("CUDA_VISIBLE_DEVICES", "1", "1");
    visible("ROCR_VISIBLE_DEVICES", "GPU-LOCKSTEP-CPU-002,1", "21");
    setenv("ROCR_VISIBLE_DEVICES", "3,2,1", 1);
    visible("HIP_VISIBLE_DEVICES", "2,0", "13"); /* of those that are left */
}

/* Cooperative grids on several devices meet each other. */
static void
run_grids(int n, unsigned flags)
{
    hipLaunchParams list[4];
    int *count, *seen[4];
    void *args[4][2];

    OK(hipHostMalloc((void **)&count, 4, 0));
    *count = 0;
    for (int i = 0; i < n; i++) {
        hipStream_t stream;

        OK(hipSetDevice(i));
        OK(hipStreamCreate(&stream));
        OK(hipMallocManaged((void **)&seen[i], 64, hipMemAttachGlobal));
        memset(seen[i], 0, 64);
        args[i][0] = &count;
        args[i][1] = &seen[i];
        list[i] = (hipLaunchParams){&host[GRIDS], {(unsigned)i + 1, 1, 1}, {32, 1, 1}, args[i], 0,
                                    stream};
    }
    OK(hipLaunchCooperativeKernelMultiDevice(list, n, flags));
    for (int i = 0; i < n; i++) {
        OK(hipStreamSynchronize(list[i].stream));
        EXPECT_EQ(seen[i][0], n * (n + 1) / 2); /* blocks in all */
        EXPECT_EQ(seen[i][1], n);
        EXPECT_EQ(seen[i][2], i);
        EXPECT_EQ(seen[i][3], 32 * i * (i + 1) / 2);
        EXPECT_EQ(seen[i][4], 32 * n * (n + 1) / 2);
    }
}

LS_TEST(multi_grid)
{
    set_up(4);
    run_grids(4, 0);
    run_grids(2,
              hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync);
    run_grids(1, 0);
}

LS_TEST(multi_device_launch_errors)
{
    hipLaunchParams list[2];
    hipStream_t s[2];
    int *runs, *seen, *seen_too;
    void *args[] = {&runs, &seen}, *args_too[] = {&runs, &seen_too};

    set_up(2);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipStreamCreate(&s[i]));
    }
    OK(hipMalloc((void **)&runs, 64));
    seen = runs + 1;
    seen_too = seen + 5;
    list[0] = list[1] = (hipLaunchParams){&host[GRIDS], {1, 1, 1}, {32, 1, 1}, args, 0, s[0]};
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(list, 2, 0), hipErrorInvalidDevice);
    list[1].stream = s[1];
    list[1].args = args_too;
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(list, 3, 0), hipErrorInvalidValue);
    list[1].gridDim.x = 1u << 20;
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(list, 2, 0), hipErrorCooperativeLaunchTooLarge);
    list[1].gridDim.x = 1; /* nothing was launched, nothing hangs */
    OK(hipLaunchCooperativeKernelMultiDevice(list, 2, 0));
}

/* A grid that fails takes along those that wait for it. */
LS_TEST(multi_grid_failure)
{
    int *nowhere = (int *)(uintptr_t)0x10, *seen, *count;
    unsigned block = 0;
    void *bad[] = {&nowhere, &block}, *good[] = {&count, &seen};
    hipLaunchParams list[2];

    if (RUNNING_ON_VALGRIND)
        return; /* the bad access is the point */
    set_up(2);
    for (int i = 0; i < 2; i++) {
        hipStream_t stream;

        OK(hipSetDevice(i));
        OK(hipStreamCreate(&stream));
        list[i] = (hipLaunchParams){&host[i ? GRIDS : FAULT], {1, 1, 1}, {32, 1, 1},
                                    i ? good : bad,           0,         stream};
    }
    OK(hipMalloc((void **)&count, 64));
    seen = count + 1;
    EXPECT(hipLaunchCooperativeKernelMultiDevice(list, 2, 0) != hipSuccess);
    OK(hipSetDevice(0));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
    OK(hipSetDevice(1));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
}

/* A graph runs on the device of the stream that it is launched in. */
LS_TEST(graphs)
{
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipStream_t s[2];
    float *data, two = 2;
    unsigned n = 64;
    void *args[] = {&data, &data, &two, &n};

    set_up(2);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipStreamCreate(&s[i]));
    }
    OK(hipMallocManaged((void **)&data, n * sizeof(float), hipMemAttachGlobal));
    for (unsigned i = 0; i < n; i++)
        data[i] = 1;
    OK(hipStreamBeginCapture(s[1], hipStreamCaptureModeGlobal));
    for (int i = 0; i < 5; i++)
        OK(launch(SCALE, 2, args, s[1]));
    OK(hipStreamEndCapture(s[1], &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 2; i++) {
        OK(hipGraphLaunch(exec, s[i]));
        OK(hipStreamSynchronize(s[i]));
    }
    EXPECT_EQ(data[0], 1024);
    EXPECT_EQ(data[63], 1024);
}

/* Memory of a graph is that of the device that its node names, or that its pool belongs to. */
LS_TEST(graph_memory)
{
    hipMemAllocNodeParams p = {
        .poolProps = {.allocType = hipMemAllocationTypePinned,
                      .location = {.type = hipMemLocationTypeDevice, .id = 1}},
        .bytesize = MIB};
    hipPointerAttribute_t attr;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    hipGraph_t graph;
    hipStream_t s;
    void *ptr;
    uint64_t used;

    set_up(2);
    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
    OK(hipPointerGetAttributes(&attr, p.dptr));
    EXPECT_EQ(attr.device, 1);
    p.poolProps.location.id = 2;
    EXPECT_EQ(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &p), hipErrorInvalidValue);
    OK(hipSetDevice(1));
    p.poolProps.location.id = 0;
    OK(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
    OK(hipPointerGetAttributes(&attr, p.dptr));
    EXPECT_EQ(attr.device, 0);
    OK(hipGraphDestroy(graph));

    OK(hipStreamCreate(&s));
    OK(hipSetDevice(0));
    OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
    OK(hipMallocAsync(&ptr, MIB, s));
    OK(hipStreamEndCapture(s, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, s));
    OK(hipStreamSynchronize(s));
    OK(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &used));
    EXPECT_EQ(used, 0);
    OK(hipDeviceGetGraphMemAttribute(1, hipGraphMemAttrUsedMemCurrent, &used));
    EXPECT_EQ(used, MIB);
    OK(hipFreeAsync(ptr, s));
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
    OK(hipStreamDestroy(s));
}

LS_TEST(reset_leaves_captures_of_other_devices)
{
    hipStream_t s[2];
    hipGraph_t graph;

    set_up(2);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipStreamCreate(&s[i]));
        OK(hipStreamBeginCapture(s[i], hipStreamCaptureModeRelaxed));
    }
    OK(hipDeviceReset()); /* of device 1 */
    OK(hipStreamEndCapture(s[0], &graph));
    OK(hipGraphDestroy(graph));
    OK(hipSetDevice(0));
    OK(hipStreamDestroy(s[0]));
}

/* Modules are loaded on one device. */
LS_TEST(modules)
{
    struct image image = make_lsbc("gfx1100", 32, kernels, N_KERNELS, globals, 4, &reloc);
    hipStream_t s[2];
    hipModule_t module;
    hipFunction_t f;
    hipDeviceptr_t a, b;
    int *out;
    void *args[] = {&out};
    size_t bytes;

    set_up(2);
    for (int i = 0; i < 2; i++) {
        OK(hipSetDevice(i));
        OK(hipStreamCreate(&s[i]));
    }
    OK(hipMallocManaged((void **)&out, 8, hipMemAttachGlobal));
    OK(hipModuleLoadData(&module, image.data));
    free(image.data);
    OK(hipModuleGetFunction(&f, module, "vars"));
    OK(hipModuleGetGlobal(&a, &bytes, module, "var"));
    OK(hipSetDevice(0));
    OK(hipModuleGetGlobal(&b, &bytes, module, "var"));
    EXPECT(a == b);
    EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s[0], args, NULL),
              hipErrorInvalidDevice);
    OK(hipModuleLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s[1], args, NULL));
    OK(hipStreamSynchronize(s[1]));
    EXPECT_EQ(out[0], 5);
    EXPECT_EQ(peek_int(a), 6);
    OK(hipModuleUnload(module));
}

/* Virtual memory: the right of each device is answered, and what one may do all can. */
LS_TEST(virtual_memory)
{
    hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                 .location = {.type = hipMemLocationTypeDevice, .id = 1}};
    hipMemAccessDesc access = {.location = {.type = hipMemLocationTypeDevice, .id = 0},
                               .flags = hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t handle;
    unsigned long long flags;
    size_t before;
    void *ptr;

    set_up(2);
    before = free_bytes(1);
    OK(hipMemCreate(&handle, MIB, &prop, 0));
    EXPECT_EQ(before - free_bytes(1), MIB);
    OK(hipMemAddressReserve(&ptr, MIB, 0, NULL, 0));
    OK(hipMemMap(ptr, MIB, 0, handle, 0));
    OK(hipMemSetAccess(ptr, MIB, &access, 1));
    OK(hipMemset(ptr, 1, 1));
    OK(hipMemGetAccess(&flags, &access.location, ptr));
    EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
    access.location.id = 1;
    OK(hipMemGetAccess(&flags, &access.location, ptr));
    EXPECT_EQ(flags, hipMemAccessFlagsProtNone);
    OK(hipMemUnmap(ptr, MIB));
    OK(hipMemRelease(handle));
    OK(hipMemAddressFree(ptr, MIB));
    EXPECT_EQ(free_bytes(1), before);
}
