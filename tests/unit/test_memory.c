/* SPDX-License-Identifier: MIT */
/* NEEDS: amdhip64 ls_test_support */
/* Memory beyond allocation and copies: pools, processes, advice, registered memory, values that
 * streams wait for, contexts, files of other APIs. */
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/test.h"

#include "unit/support/peek.h"
#include "unit/support/setup.h"

#include <hip/hip_gl_interop.h>

#define MIB ((size_t)1 << 20)

static void
nap_ms(long ms)
{
    struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&ts, NULL);
}

/* Contexts */

LS_TEST(contexts)
{
    hipCtx_t a, b, got;
    hipSharedMemConfig banks;
    hipFuncCache_t cache;
    unsigned flags;
    int device, active, version;

    OK(hipCtxGetCurrent(&got));
    EXPECT(got != NULL);
    EXPECT_EQ(hipCtxPopCurrent(&a), hipErrorInvalidContext);
    EXPECT_EQ(hipCtxCreate(&a, 0, 99), hipErrorInvalidValue);
    EXPECT_EQ(hipCtxCreate(NULL, 0, 0), hipErrorInvalidValue);
    OK(hipDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(active, 0);
    OK(hipCtxCreate(&a, 0, 0));
    OK(hipDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(active, 1);
    OK(hipCtxGetDevice(&device));
    EXPECT_EQ(device, 0);
    OK(hipCtxPushCurrent(a));
    OK(hipCtxPopCurrent(&b));
    EXPECT(a == b);
    OK(hipCtxSetCurrent(a));
    OK(hipCtxGetCurrent(&got));
    EXPECT(got == a);
    OK(hipCtxSetCurrent(NULL));
    EXPECT_EQ(hipCtxPopCurrent(NULL), hipErrorInvalidContext);
    EXPECT_EQ(hipCtxPushCurrent(NULL), hipErrorInvalidContext);
    EXPECT_EQ(hipCtxPushCurrent((hipCtx_t)(void *)&device), hipErrorInvalidContext);
    EXPECT_EQ(hipCtxDestroy(NULL), hipErrorInvalidValue);
    OK(hipCtxDestroy(a));
    OK(hipDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(active, 0);
    OK(hipDevicePrimaryCtxRetain(&b, 0));
    EXPECT(a == b);
    EXPECT_EQ(hipDevicePrimaryCtxRetain(NULL, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipDevicePrimaryCtxRetain(&b, 7), hipErrorInvalidDevice);
    EXPECT_EQ(hipDevicePrimaryCtxRelease(-1), hipErrorInvalidDevice);
    EXPECT_EQ(hipDevicePrimaryCtxSetFlags(0, 0), hipErrorContextAlreadyInUse);
    EXPECT_EQ(hipDevicePrimaryCtxSetFlags(1, 0), hipErrorInvalidDevice);
    OK(hipDevicePrimaryCtxReset(0));
    OK(hipDevicePrimaryCtxRelease(0));
    OK(hipCtxSynchronize());
    OK(hipCtxGetSharedMemConfig(&banks));
    EXPECT_EQ(banks, hipSharedMemBankSizeFourByte);
    OK(hipCtxEnablePeerAccess(a, 0));
    OK(hipCtxDisablePeerAccess(a));
    EXPECT_EQ(hipCtxGetApiVersion(a, &version), hipErrorNotSupported);
    EXPECT_EQ(hipCtxGetCacheConfig(&cache), hipErrorNotSupported);
    EXPECT_EQ(hipCtxSetCacheConfig((hipFuncCache_t)9), hipErrorInvalidValue);
    EXPECT_EQ(hipCtxGetFlags(NULL), hipErrorNotSupported);
    OK(hipProfilerStart()); /* without a timeline */
    OK(hipProfilerStop());
}

LS_TEST(links)
{
    uint32_t type, hops;

    EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 0, &type, &hops), hipErrorInvalidValue);
    EXPECT_EQ(hipExtGetLinkTypeAndHopCount(-1, 0, &type, &hops), hipErrorInvalidValue);
    EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 64, &type, &hops), hipErrorInvalidDevice);
    EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 1, NULL, &hops), hipErrorInvalidValue);
    EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 1, &type, NULL), hipErrorInvalidValue);
}

LS_TEST(cu_masks)
{
    uint32_t mask[32], all[32] = {0};
    hipStream_t stream;
    int n;

    OK(hipDeviceGetAttribute(&n, hipDeviceAttributeMultiprocessorCount, 0));
    EXPECT_EQ(hipExtStreamCreateWithCUMask(NULL, 1, mask), hipErrorInvalidHandle);
    EXPECT_EQ(hipExtStreamCreateWithCUMask(&stream, 0, mask), hipErrorInvalidValue);
    EXPECT_EQ(hipExtStreamCreateWithCUMask(&stream, 1, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipExtStreamGetCUMask(NULL, 32, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipExtStreamGetCUMask(NULL, 0, mask), hipErrorInvalidValue);
    OK(hipExtStreamGetCUMask(NULL, 32, all));
    for (int i = 0; i < n; i++)
        EXPECT(all[i / 32] >> i % 32 & 1);
    mask[0] = 1;
    OK(hipExtStreamCreateWithCUMask(&stream, 1, mask));
    mask[0] = 0;
    OK(hipExtStreamGetCUMask(stream, 32, mask));
    EXPECT_EQ(mask[0], 1);
    OK(hipStreamDestroy(stream));
    mask[0] = 0; /* none: as if all */
    OK(hipExtStreamCreateWithCUMask(&stream, 1, mask));
    OK(hipExtStreamGetCUMask(stream, 32, mask));
    EXPECT_EQ(mask[0], all[0]);
    OK(hipStreamDestroy(stream));
}

/* Pointers */

LS_TEST(pointer_attributes)
{
    hipPointer_attribute which[] = {
        HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, HIP_POINTER_ATTRIBUTE_IS_MANAGED};
    unsigned on = 1, type = 99;
    void *start = &on, *ptr, *data[4];
    int ordinal = 99, local;
    bool managed = true, sync = false;

    data[0] = &type, data[1] = &ordinal, data[2] = &start, data[3] = &managed;
    OK(hipMalloc(&ptr, 100));
    OK(hipDrvPointerGetAttributes(4, which, data, (char *)ptr + 7));
    EXPECT_EQ(type, hipMemoryTypeDevice);
    EXPECT_EQ(ordinal, 0);
    EXPECT(start == ptr);
    EXPECT(!managed);
    OK(hipDrvPointerGetAttributes(4, which, data, &local)); /* unknown is no error */
    EXPECT_EQ(type, 0);
    EXPECT_EQ(ordinal, hipInvalidDeviceId);
    EXPECT(start == NULL);
    EXPECT_EQ(hipDrvPointerGetAttributes(0, which, data, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipDrvPointerGetAttributes(1, NULL, data, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipDrvPointerGetAttributes(1, which, NULL, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipDrvPointerGetAttributes(1, which, data, NULL), hipErrorInvalidValue);
    OK(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr));
    OK(hipPointerGetAttribute(&sync, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr));
    EXPECT(sync);
    EXPECT_EQ(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_MAPPED, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipPointerSetAttribute(NULL, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr),
              hipErrorInvalidValue);
    EXPECT_EQ(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, NULL),
              hipErrorInvalidValue);
    EXPECT_EQ(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, &local),
              hipErrorInvalidDevicePointer);
    on = 2;
    EXPECT_EQ(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr),
              hipErrorInvalidValue);
    OK(hipFree(ptr));
    on = 1;
    EXPECT_EQ(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, ptr),
              hipErrorInvalidDevicePointer);
}

LS_TEST(host_flags)
{
    unsigned flags;
    void *ptr;

    OK(hipHostMalloc(&ptr, 100, hipHostMallocPortable | hipHostMallocNumaUser));
    OK(hipHostGetFlags(&flags, ptr));
    EXPECT_EQ(flags, hipHostMallocPortable | hipHostMallocNumaUser);
    OK(hipHostFree(ptr));
    /* ROCm answers what was asked for, and adds nothing */
    OK(hipHostMalloc(&ptr, 100, hipHostMallocDefault));
    flags = 77;
    OK(hipHostGetFlags(&flags, ptr));
    EXPECT_EQ(flags, 0);
    OK(hipHostFree(ptr));
    EXPECT_EQ(hipHostMalloc(&ptr, 100, hipHostMallocCoherent | hipHostMallocNonCoherent),
              hipErrorInvalidValue);
    EXPECT_EQ(hipHostAlloc(&ptr, 100, 8), hipErrorInvalidValue);
    EXPECT_EQ(hipHostAlloc(NULL, 100, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostAlloc(&ptr, SIZE_MAX, 0), hipErrorOutOfMemory);
    EXPECT_EQ(hipExtMallocWithFlags(&ptr, 16, hipMallocSignalMemory), hipErrorInvalidValue);
    EXPECT_EQ(hipExtMallocWithFlags(&ptr, 16, 5), hipErrorInvalidValue);
    OK(hipExtMallocWithFlags(&ptr, 8, hipMallocSignalMemory));
    OK(hipFree(ptr));
}

LS_TEST(registered_memory)
{
    char *host = malloc(3 * MIB);
    void *device;

    EXPECT_EQ(hipHostRegister(NULL, 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostRegister(host, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostRegister(host, 1, 0xf0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostRegister(host, (size_t)1 << 40, 0), hipErrorInvalidValue); /* not all mapped */
    EXPECT_EQ(hipHostRegister(host, SIZE_MAX, 0), hipErrorInvalidValue);
    OK(hipHostRegister(host + MIB, MIB, hipHostRegisterPortable | hipHostRegisterMapped));
    OK(hipHostRegister(host + MIB, MIB, 0)); /* anew */
    EXPECT_EQ(hipHostRegister(host + MIB + 1, 4, 0), hipErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(hipHostRegister(host, 3 * MIB, 0), hipErrorHostMemoryAlreadyRegistered);
    OK(hipHostRegister(host, MIB, 0));
    OK(hipHostGetDevicePointer(&device, host + MIB + 5, 0));
    EXPECT(device == host + MIB + 5);
    OK(hipHostUnregister(host));
    EXPECT_EQ(hipHostUnregister(host + MIB + 1), hipErrorHostMemoryNotRegistered);
    OK(hipHostUnregister(host + MIB));
    EXPECT_EQ(hipHostUnregister(host + MIB), hipErrorHostMemoryNotRegistered);
    free(host);
}

/* Whatever is beyond the hole. */
LS_TEST(registered_memory_has_no_holes)
{
    char *three = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(three != MAP_FAILED && munmap(three + 4096, 4096) == 0);
    OK(hipHostRegister(three + 2 * 4096, 4096, 0));
    EXPECT_EQ(hipHostRegister(three, 3 * 4096, 0), hipErrorInvalidValue);
    OK(hipHostUnregister(three + 2 * 4096));
}

/* Managed memory */

#define PAGE 4096u

static int
range_attribute(const void *ptr, size_t bytes, hipMemRangeAttribute which)
{
    int value = 99;

    OK(hipMemRangeGetAttribute(&value, sizeof(value), which, ptr, bytes));
    return value;
}

LS_TEST(advice)
{
    int devices[3], value, *words[2] = {&devices[0], &value};
    hipMemRangeAttribute which[] = {hipMemRangeAttributeReadMostly,
                                    hipMemRangeAttributePreferredLocation};
    size_t sizes[] = {4, 4};
    char *ptr, *plain;

    OK(hipMallocManaged((void **)&ptr, 8 * PAGE, hipMemAttachGlobal));
    EXPECT_EQ((uintptr_t)ptr % PAGE, 0);
    EXPECT_EQ(range_attribute(ptr, 8 * PAGE, hipMemRangeAttributeReadMostly), 0);
    EXPECT_EQ(range_attribute(ptr, 8 * PAGE, hipMemRangeAttributePreferredLocation), -2);
    EXPECT_EQ(range_attribute(ptr, 8 * PAGE, hipMemRangeAttributeLastPrefetchLocation), -2);
    OK(hipMemAdvise(ptr, PAGE + 1, hipMemAdviseSetReadMostly, hipInvalidDeviceId)); /* two pages */
    EXPECT_EQ(range_attribute(ptr, 2 * PAGE, hipMemRangeAttributeReadMostly), 1);
    EXPECT_EQ(range_attribute(ptr, 3 * PAGE, hipMemRangeAttributeReadMostly), 0);
    OK(hipMemAdvise(ptr + 4 * PAGE, PAGE, hipMemAdviseSetReadMostly, 0));
    EXPECT_EQ(range_attribute(ptr, 5 * PAGE, hipMemRangeAttributeReadMostly), 0); /* a gap */
    OK(hipMemAdvise(ptr, 8 * PAGE, hipMemAdviseSetReadMostly, 0));
    EXPECT_EQ(range_attribute(ptr, 8 * PAGE, hipMemRangeAttributeReadMostly), 1);
    OK(hipMemAdvise(ptr + PAGE, PAGE, hipMemAdviseUnsetReadMostly, 0));
    EXPECT_EQ(range_attribute(ptr, 8 * PAGE, hipMemRangeAttributeReadMostly), 0);
    EXPECT_EQ(range_attribute(ptr + 2 * PAGE, 6 * PAGE, hipMemRangeAttributeReadMostly), 1);

    OK(hipMemAdvise(ptr, 4 * PAGE, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
    OK(hipMemAdvise(ptr + 4 * PAGE, 4 * PAGE, hipMemAdviseSetPreferredLocation, 0));
    EXPECT_EQ(range_attribute(ptr, 4 * PAGE, hipMemRangeAttributePreferredLocation), -1);
    EXPECT_EQ(range_attribute(ptr + 4 * PAGE, PAGE, hipMemRangeAttributePreferredLocation), 0);
    EXPECT_EQ(range_attribute(ptr, 8 * PAGE, hipMemRangeAttributePreferredLocation), -2);
    OK(hipMemPrefetchAsync(ptr, PAGE, 0, NULL));
    EXPECT_EQ(range_attribute(ptr, PAGE, hipMemRangeAttributeLastPrefetchLocation), 0);
    OK(hipMemAdvise(ptr, PAGE, hipMemAdviseSetAccessedBy, 0));
    OK(hipMemAdvise(ptr, 2 * PAGE, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
    OK(hipMemRangeGetAttribute(devices, sizeof(devices), hipMemRangeAttributeAccessedBy, ptr,
                               PAGE));
    EXPECT_EQ(devices[0], hipCpuDeviceId);
    EXPECT_EQ(devices[1], 0);
    EXPECT_EQ(devices[2], hipInvalidDeviceId);
    OK(hipMemRangeGetAttribute(devices, 4, hipMemRangeAttributeAccessedBy, ptr, 2 * PAGE));
    EXPECT_EQ(devices[0], hipCpuDeviceId);
    EXPECT_EQ(range_attribute(ptr, 2 * PAGE, hipMemRangeAttributeCoherencyMode),
              hipMemRangeCoherencyModeFineGrain);
    OK(hipMemAdvise(ptr, PAGE, hipMemAdviseSetCoarseGrain, 0));
    EXPECT_EQ(range_attribute(ptr, PAGE, hipMemRangeAttributeCoherencyMode),
              hipMemRangeCoherencyModeCoarseGrain);
    EXPECT_EQ(range_attribute(ptr, 2 * PAGE, hipMemRangeAttributeCoherencyMode),
              hipMemRangeCoherencyModeIndeterminate);
    OK(hipMemRangeGetAttributes((void **)words, sizes, which, 2, ptr + 4 * PAGE, PAGE));
    EXPECT_EQ(devices[0], 1);
    EXPECT_EQ(value, 0);

    EXPECT_EQ(hipMemAdvise(ptr, PAGE, (hipMemoryAdvise)-1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAdvise(ptr, 0, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAdvise(ptr, 8 * PAGE + 1, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAdvise(NULL, PAGE, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemAdvise(ptr, PAGE, hipMemAdviseSetAccessedBy, 5), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemPrefetchAsync(ptr, PAGE, 5, NULL), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemPrefetchAsync(ptr, 0, 0, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemRangeGetAttribute(NULL, 4, which[0], ptr, PAGE), hipErrorInvalidValue);
    EXPECT_EQ(hipMemRangeGetAttribute(&value, 8, which[0], ptr, PAGE), hipErrorInvalidValue);
    EXPECT_EQ(hipMemRangeGetAttribute(devices, 10, hipMemRangeAttributeAccessedBy, ptr, PAGE),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemRangeGetAttribute(&value, 4, (hipMemRangeAttribute)999, ptr, PAGE),
              hipErrorInvalidValue);
    EXPECT_EQ(hipMemRangeGetAttribute(&value, 4, which[0], ptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemRangeGetAttributes((void **)words, sizes, which, 0, ptr, PAGE),
              hipErrorInvalidValue);
    sizes[1] = 6;
    EXPECT_EQ(hipMemRangeGetAttributes((void **)words, sizes, which, 2, ptr, PAGE),
              hipErrorInvalidValue);
    OK(hipMalloc((void **)&plain, PAGE));
    EXPECT_EQ(hipMemAdvise(plain, PAGE, hipMemAdviseSetReadMostly, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemRangeGetAttribute(&value, 4, which[0], plain, PAGE), hipErrorInvalidValue);
    EXPECT_EQ(range_attribute(plain, PAGE, hipMemRangeAttributeCoherencyMode),
              hipMemRangeCoherencyModeCoarseGrain);
    OK(hipFree(plain));
    OK(hipFree(ptr)); /* what was advised goes with it */
    EXPECT_EQ(range_attribute(ptr, 8 * PAGE, hipMemRangeAttributeReadMostly), 0);
}

/* Pools */

static uint64_t
pool_number(hipMemPool_t pool, hipMemPoolAttr attr)
{
    uint64_t value = 0;

    OK(hipMemPoolGetAttribute(pool, attr, &value));
    return value;
}

static hipMemPool_t
make_pool(hipMemAllocationHandleType type, size_t max)
{
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .handleTypes = type,
                             .location = {hipMemLocationTypeDevice, 0},
                             .maxSize = max};
    hipMemPool_t pool = NULL;

    OK(hipMemPoolCreate(&pool, &props));
    REQUIRE(pool);
    return pool;
}

LS_TEST(pool_counts)
{
    hipMemPool_t pool = make_pool(hipMemHandleTypeNone, 0);
    uint64_t keep = 128 * MIB, zero = 0;
    hipStream_t stream;
    void *a, *b, *c;

    OK(hipStreamCreate(&stream));
    OK(hipMallocFromPoolAsync(&a, 8 * MIB, pool, stream));
    OK(hipMallocFromPoolAsync(&c, 5000, pool, stream));
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrUsedMemCurrent), 8 * MIB + 5000);
    OK(hipFreeAsync(a, stream));
    EXPECT_EQ(hipFreeAsync(a, stream), hipErrorInvalidValue);
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrUsedMemCurrent), 5000);
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrReservedMemCurrent), 8 * MIB + 5000);
    OK(hipMallocFromPoolAsync(&b, 8 * MIB, pool, stream));
    EXPECT(a == b); /* the stream's own memory, at once */
    OK(hipFreeAsync(b, stream));
    OK(hipStreamSynchronize(stream)); /* the threshold is 0 */
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrReservedMemCurrent), 5000);
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrReservedMemHigh), 8 * MIB + 5000);
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrUsedMemHigh), 8 * MIB + 5000);
    OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero));
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrUsedMemHigh), 0);
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &keep), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &zero),
              hipErrorInvalidValue);

    OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
    OK(hipMallocFromPoolAsync(&a, 8 * MIB, pool, stream));
    OK(hipFreeAsync(a, stream));
    OK(hipStreamSynchronize(stream));
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrReservedMemCurrent), 8 * MIB + 5000);
    OK(hipMemPoolTrimTo(pool, 5000));
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrReservedMemCurrent), 5000);
    OK(hipMallocFromPoolAsync(&a, 8 * MIB, pool, stream));
    OK(hipFree(a)); /* waits, and gives it back to its pool */
    EXPECT_EQ(pool_number(pool, hipMemPoolAttrUsedMemCurrent), 5000);
    OK(hipMemPoolDestroy(pool));
    EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);
    OK(hipMemset(c, 1, 5000)); /* still there */
    OK(hipFreeAsync(c, stream));
    OK(hipStreamDestroy(stream));
}

/* Who may have a block that was freed in a stream which has not got there yet. */
LS_TEST(pool_reuse)
{
    static const hipMemPoolAttr all[] = {hipMemPoolReuseFollowEventDependencies,
                                         hipMemPoolReuseAllowOpportunistic,
                                         hipMemPoolReuseAllowInternalDependencies};
    hipMemPool_t pool = make_pool(hipMemHandleTypeNone, 0);
    uint64_t keep = UINT64_MAX, *flag;
    hipStream_t one, two;
    hipEvent_t event;
    int off = 0;
    void *a, *b;

    OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
    OK(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
    OK(hipEventCreate(&event));
    OK(hipExtMallocWithFlags((void **)&flag, 8, hipMallocSignalMemory));
    *flag = 0;
    OK(hipMallocFromPoolAsync(&a, MIB, pool, one));
    OK(hipStreamWaitValue64(one, flag, 1, hipStreamWaitValueEq, UINT64_MAX));
    OK(hipFreeAsync(a, one));
    OK(hipMallocFromPoolAsync(&b, MIB, pool, two));
    EXPECT(a != b); /* not yet */
    OK(hipFreeAsync(b, two));
    OK(hipEventRecord(event, one));
    OK(hipStreamWaitEvent(two, event, 0));
    OK(hipMallocFromPoolAsync(&b, MIB, pool, two)); /* its own, freed last */
    OK(hipMallocFromPoolAsync(&b, MIB, pool, two));
    EXPECT(a == b); /* behind the event */
    OK(hipFreeAsync(b, one));
    for (int i = 0; i < 3; i++)
        OK(hipMemPoolSetAttribute(pool, all[i], &off));
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(one));
    OK(hipMallocFromPoolAsync(&b, MIB, pool, two));
    EXPECT(a != b); /* opportunism is off */
    OK(hipMallocFromPoolAsync(&b, MIB / 2 + 1, pool, one));
    EXPECT(a == b); /* the same stream always */
    OK(hipDeviceSynchronize());
    OK(hipDeviceReset());
}

LS_TEST(pool_arguments)
{
    hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                             .location = {hipMemLocationTypeDevice, 0}};
    hipMemAccessDesc desc = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemLocation there = {hipMemLocationTypeDevice, 3};
    hipMemPool_t pool, other, bad = (hipMemPool_t)(void *)&props;
    hipMemAccessFlags flags;
    void *ptr;
    int fd;

    EXPECT_EQ(hipMemPoolCreate(NULL, &props), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolCreate(&pool, NULL), hipErrorInvalidValue);
    props.location.id = 4;
    EXPECT_EQ(hipMemPoolCreate(&pool, &props), hipErrorInvalidValue);
    pool = make_pool(hipMemHandleTypeNone, 4 * MIB);
    EXPECT_EQ(hipMallocFromPoolAsync(&ptr, 4 * MIB + 1, pool, NULL), hipErrorOutOfMemory);
    EXPECT_EQ(hipMallocFromPoolAsync(NULL, 1, pool, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocAsync(&ptr, 1, (hipStream_t)(void *)&props), hipErrorInvalidHandle);
    EXPECT_EQ(hipMallocFromPoolAsync(&ptr, 1, bad, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMallocAsync(&ptr, SIZE_MAX, NULL), hipErrorOutOfMemory);
    OK(hipMallocAsync(&ptr, 0, NULL));
    EXPECT(ptr == NULL);
    EXPECT_EQ(hipMemPoolSetAccess(pool, NULL, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolSetAccess(bad, &desc, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolSetAccess(pool, &desc, 99), hipErrorInvalidDevice);
    OK(hipMemPoolSetAccess(pool, &desc, 1));
    desc.flags = hipMemAccessFlagsProtNone;
    EXPECT_EQ(hipMemPoolSetAccess(pool, &desc, 1), hipErrorInvalidDevice);
    desc.flags = (hipMemAccessFlags)8;
    EXPECT_EQ(hipMemPoolSetAccess(pool, &desc, 1), hipErrorInvalidValue);
    desc.location.type = hipMemLocationTypeInvalid;
    EXPECT_EQ(hipMemPoolSetAccess(pool, &desc, 1), hipErrorInvalidValue);
    desc.location = there;
    EXPECT_EQ(hipMemPoolSetAccess(pool, &desc, 1), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemPoolGetAccess(&flags, pool, &there), hipErrorInvalidValue);
    desc.location.id = 0;
    OK(hipMemPoolGetAccess(&flags, pool, &desc.location));
    EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
    EXPECT_EQ(hipMemPoolTrimTo(NULL, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)77, &ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolExportToShareableHandle(&fd, pool, hipMemHandleTypePosixFileDescriptor, 0),
              hipErrorInvalidValue);
    EXPECT_EQ(
        hipMemPoolImportFromShareableHandle(&other, NULL, hipMemHandleTypePosixFileDescriptor, 0),
        hipErrorInvalidValue);
    OK(hipDeviceSetMemPool(0, pool));
    OK(hipDeviceGetMemPool(&other, 0));
    EXPECT(pool == other);
    OK(hipMemPoolDestroy(pool));
    OK(hipDeviceGetMemPool(&other, 0));
    OK(hipDeviceGetDefaultMemPool(&pool, 0));
    EXPECT(pool == other);
    EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);
}

LS_TEST(pool_between_processes)
{
    hipMemPool_t pool, imported;
    hipMemPoolPtrExportData data;
    int down[2], up[2], fd, status, value = 5;
    void *ptr, *other;
    pid_t pid;

    REQUIRE(pipe(down) == 0 && pipe(up) == 0);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        REQUIRE(read(down[0], &data, sizeof(data)) == (ssize_t)sizeof(data));
        imported = make_pool(hipMemHandleTypeNone, 0); /* stands for the imported one */
        OK(hipMemPoolImportPointer(&ptr, imported, &data));
        OK(hipMemcpy(&value, ptr, sizeof(value), hipMemcpyDefault));
        value *= 2;
        OK(hipMemcpy(ptr, &value, sizeof(value), hipMemcpyDefault));
        OK(hipFreeAsync(ptr, NULL));
        OK(hipDeviceSynchronize());
        _exit(ls_test_failures ? 1 : 0);
    }
    pool = make_pool(hipMemHandleTypePosixFileDescriptor, 0);
    OK(hipMallocFromPoolAsync(&ptr, 100, pool, NULL));
    OK(hipMemcpy(ptr, &value, sizeof(value), hipMemcpyDefault));
    OK(hipMemPoolExportToShareableHandle(&fd, pool, hipMemHandleTypePosixFileDescriptor, 0));
    OK(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                           hipMemHandleTypePosixFileDescriptor, 0));
    close(fd);
    EXPECT_EQ(hipMallocFromPoolAsync(&other, 100, imported, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolExportPointer(NULL, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolExportPointer(&data, NULL), hipErrorInvalidValue);
    OK(hipMemPoolExportPointer(&data, ptr));
    EXPECT_EQ(hipMemPoolImportPointer(NULL, imported, &data), hipErrorInvalidValue);
    EXPECT_EQ(hipMemPoolImportPointer(&other, NULL, &data), hipErrorInvalidValue);
    OK(hipMemPoolImportPointer(&other, imported, &data)); /* the same process may, too */
    EXPECT_EQ(peek_int(other), 5);
    REQUIRE(write(down[1], &data, sizeof(data)) == (ssize_t)sizeof(data));
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(peek_int(ptr), 10);
    OK(hipFreeAsync(other, NULL));
    OK(hipFreeAsync(ptr, NULL));
    OK(hipDeviceSynchronize());
    OK(hipMemPoolDestroy(imported));
    OK(hipMemPoolDestroy(pool));
}

/* Processes */

LS_TEST(ipc_memory)
{
    hipIpcMemHandle_t handle, again;
    int down[2], up[2], status, value = 7, host;
    char byte = 0, *ptr, *twice;
    pid_t pid;

    REQUIRE(pipe(down) == 0 && pipe(up) == 0);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        set_up();
        REQUIRE(read(down[0], &handle, sizeof(handle)) == (ssize_t)sizeof(handle));
        OK(hipIpcOpenMemHandle((void **)&ptr, handle, hipIpcMemLazyEnablePeerAccess));
        OK(hipIpcOpenMemHandle((void **)&twice, handle, hipIpcMemLazyEnablePeerAccess));
        EXPECT(ptr == twice);
        EXPECT_EQ(hipIpcOpenMemHandle((void **)&twice, handle, 0), hipErrorInvalidValue);
        OK(hipMemcpy(&value, ptr, sizeof(value), hipMemcpyDeviceToHost));
        EXPECT_EQ(value, 7);
        OK(launch("count", 1, 32, (void *[]){&ptr}, NULL)); /* adds 1 */
        OK(hipDeviceSynchronize());
        EXPECT_EQ(hipFree(ptr), hipErrorInvalidValue);
        OK(hipIpcCloseMemHandle(twice));
        OK(hipMemcpy(&value, ptr, sizeof(value), hipMemcpyDeviceToHost)); /* open once more */
        OK(hipIpcCloseMemHandle(ptr));
        EXPECT_EQ(hipIpcCloseMemHandle(ptr), hipErrorInvalidValue);
        REQUIRE(write(up[1], &byte, 1) == 1);
        REQUIRE(read(down[0], &byte, 1) == 1);
        EXPECT_EQ(hipIpcOpenMemHandle((void **)&ptr, handle, hipIpcMemLazyEnablePeerAccess),
                  hipErrorInvalidDevicePointer); /* freed */
        exit(ls_test_failures ? 1 : 0);
    }
    OK(hipMalloc((void **)&ptr, 10000));
    OK(hipMemset(ptr, 9, 10000));
    OK(hipMemcpy(ptr + 512, &value, sizeof(value), hipMemcpyHostToDevice));
    EXPECT_EQ(hipIpcGetMemHandle(NULL, ptr), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcGetMemHandle(&handle, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcGetMemHandle(&handle, &host), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcGetMemHandle(&handle, ptr + 10000), hipErrorInvalidValue);
    OK(hipIpcGetMemHandle(&handle, ptr + 512)); /* inside of an allocation */
    OK(hipIpcGetMemHandle(&again, ptr + 512));
    EXPECT(memcmp(&handle, &again, sizeof(handle)) == 0);
    EXPECT_EQ(peek_byte(&ptr[0]), 9); /* what was there stays */
    EXPECT_EQ(peek_byte(&ptr[9999]), 9);
    EXPECT_EQ(hipIpcOpenMemHandle((void **)&twice, handle, hipIpcMemLazyEnablePeerAccess),
              hipErrorInvalidContext); /* the same process */
    EXPECT_EQ(hipIpcCloseMemHandle(ptr), hipErrorInvalidValue);
    memset(&again, 0, sizeof(again));
    EXPECT_EQ(hipIpcOpenMemHandle((void **)&twice, again, hipIpcMemLazyEnablePeerAccess),
              hipErrorInvalidValue);
    REQUIRE(write(down[1], &handle, sizeof(handle)) == (ssize_t)sizeof(handle));
    REQUIRE(read(up[0], &byte, 1) == 1);
    OK(hipMemcpy(&value, ptr + 512, sizeof(value), hipMemcpyDeviceToHost));
    EXPECT_EQ(value, 8);
    OK(hipFree(ptr));
    EXPECT_EQ(hipIpcGetMemHandle(&again, ptr), hipErrorInvalidValue);
    OK(hipMalloc((void **)&twice, 10000));
    OK(hipIpcGetMemHandle(&again, twice + 512));
    EXPECT(memcmp(&handle, &again, sizeof(handle)) != 0);
    REQUIRE(write(down[1], &byte, 1) == 1);
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    OK(hipFree(twice));
}

LS_TEST(ipc_events)
{
    hipIpcEventHandle_t handle;
    hipEvent_t event, plain, other;
    uint64_t *flag;
    int down[2], up[2], status;
    hipStream_t stream;
    char byte = 0;
    float ms;
    pid_t pid;

    REQUIRE(pipe(down) == 0 && pipe(up) == 0);
    pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        REQUIRE(read(down[0], &handle, sizeof(handle)) == (ssize_t)sizeof(handle));
        OK(hipIpcOpenEventHandle(&event, handle));
        EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
        OK(hipStreamCreate(&stream));
        OK(hipStreamWaitEvent(stream, event, 0));
        EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
        REQUIRE(write(up[1], &byte, 1) == 1);
        OK(hipStreamSynchronize(stream));
        OK(hipEventQuery(event));
        OK(hipEventRecord(event, stream)); /* either side may record */
        OK(hipEventSynchronize(event));
        OK(hipEventDestroy(event));
        exit(ls_test_failures ? 1 : 0);
    }
    EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventInterprocess), hipErrorInvalidValue);
    OK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    OK(hipEventCreate(&plain));
    OK(hipEventQuery(event)); /* never recorded */
    EXPECT_EQ(hipIpcGetEventHandle(NULL, event), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcGetEventHandle(&handle, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcGetEventHandle(&handle, plain), hipErrorInvalidConfiguration);
    OK(hipIpcGetEventHandle(&handle, event));
    EXPECT_EQ(hipIpcOpenEventHandle(NULL, handle), hipErrorInvalidValue);
    EXPECT_EQ(hipIpcOpenEventHandle(&other, handle), hipErrorInvalidContext);
    OK(hipStreamCreate(&stream));
    OK(hipExtMallocWithFlags((void **)&flag, 8, hipMallocSignalMemory));
    *flag = 0;
    OK(hipStreamWaitValue64(stream, flag, 1, hipStreamWaitValueGte, UINT64_MAX));
    OK(hipEventRecord(event, stream));
    EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
    EXPECT_EQ(hipEventElapsedTime(&ms, event, event), hipErrorInvalidHandle);
    REQUIRE(write(down[1], &handle, sizeof(handle)) == (ssize_t)sizeof(handle));
    REQUIRE(read(up[0], &byte, 1) == 1);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    OK(hipEventSynchronize(event));
    REQUIRE(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    OK(hipEventQuery(event));
    OK(hipEventDestroy(event));
    OK(hipEventDestroy(plain));
}

/* Values */

static void
wait_for_value(bool wide, unsigned how, uint64_t wanted, uint64_t mask, uint64_t before,
               uint64_t after)
{
    uint64_t *flag, *seen;
    hipStream_t stream;

    OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    OK(hipMallocManaged((void **)&flag, 16, hipMemAttachGlobal));
    seen = flag + 1;
    *flag = before;
    *seen = 0;
    if (wide)
        OK(hipStreamWaitValue64(stream, flag, wanted, how, mask));
    else
        OK(hipStreamWaitValue32(stream, flag, (uint32_t)wanted, how, (uint32_t)mask));
    OK(hipStreamWriteValue64(stream, seen, 3, 0));
    nap_ms(1);
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    EXPECT_EQ(__atomic_load_n(seen, __ATOMIC_ACQUIRE), 0);
    __atomic_store_n(flag, after, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(stream));
    EXPECT_EQ(__atomic_load_n(seen, __ATOMIC_ACQUIRE), 3);
    OK(hipFree(flag));
    OK(hipStreamDestroy(stream));
}

LS_TEST(stream_values)
{
    wait_for_value(true, hipStreamWaitValueGte, 4, 0xf, 3, 6);
    wait_for_value(true, hipStreamWaitValueEq, 0x0fff0001, 0xffffffffffff, 0x7fff00000fff0000,
                   0x7f0000000fff0001);
    wait_for_value(true, hipStreamWaitValueAnd, 0xf4a, 0xff, 0xf35, 2);
    wait_for_value(true, hipStreamWaitValueNor, 0x7aaaaaaaaaaaaaaa, UINT64_MAX, 0x8555555555555555,
                   0x9aaaaaaaaaaaaaaa);
    wait_for_value(false, hipStreamWaitValueGte, 0x7fff0001, UINT32_MAX, 0x7fff0000, 0x7fff0010);
    wait_for_value(false, hipStreamWaitValueEq, 0x11, 0xff, 0x25, 0x11);
    wait_for_value(false, hipStreamWaitValueNor, 0x7aaaaaaa, UINT32_MAX, 0x85555555, 0x9aaaaaaa);
}

/* Waits keep no thread from its work, however many there are. */
LS_TEST(waits_block_nobody)
{
    enum { N = 100 };
    hipStream_t streams[N];
    uint64_t *flags;
    int *runs;

    set_up();
    OK(hipMallocManaged((void **)&flags, (N + 1) * 8, hipMemAttachGlobal));
    OK(hipMallocManaged((void **)&runs, sizeof(int), hipMemAttachGlobal));
    memset(flags, 0, (N + 1) * 8);
    *runs = 0;
    for (int i = 0; i < N; i++) {
        OK(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
        OK(hipStreamWaitValue64(streams[i], &flags[i], 1, hipStreamWaitValueEq, UINT64_MAX));
        OK(hipStreamWriteValue64(streams[i], &flags[i + 1], 1, 0));
        OK(launch("count", 1, 32, (void *[]){&runs}, streams[i]));
    }
    OK(launch("count", 1, 32, (void *[]){&runs}, NULL));
    OK(hipStreamSynchronize(NULL));
    EXPECT_EQ(__atomic_load_n(runs, __ATOMIC_ACQUIRE), 1);
    OK(hipStreamWriteValue64(NULL, &flags[0], 1, 0)); /* each wakes the next */
    OK(hipDeviceSynchronize());
    EXPECT_EQ(*runs, N + 1);
}

LS_TEST(stream_value_arguments)
{
    hipStreamBatchMemOpParams ops[4];
    hipStream_t stream;
    uint64_t *p, local = 0;

    OK(hipStreamCreate(&stream));
    OK(hipMallocManaged((void **)&p, 32, hipMemAttachGlobal));
    memset(p, 0, 32);
    EXPECT_EQ(hipStreamWriteValue32(stream, NULL, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamWriteValue64(stream, &local, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamWaitValue32(stream, NULL, 0, 0, ~0u), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamWaitValue64(stream, p, 0, 4, ~0ull), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamWaitValue64(stream, (char *)p + 4, 0, 0, ~0ull), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamWaitValue64((hipStream_t)(void *)&local, p, 0, 0, ~0ull),
              hipErrorContextIsDestroyed);
    memset(ops, 0, sizeof(ops));
    ops[0].writeValue.operation = hipStreamMemOpWriteValue32;
    ops[0].writeValue.address = p;
    ops[0].writeValue.value = 1;
    ops[1].memoryBarrier.operation = hipStreamMemOpBarrier;
    ops[2].waitValue.operation = hipStreamMemOpWaitValue32;
    ops[2].waitValue.address = p;
    ops[2].waitValue.value = 1;
    ops[2].waitValue.flags = hipStreamWaitValueEq;
    ops[3].writeValue.operation = hipStreamMemOpWriteValue64;
    ops[3].writeValue.address = p + 1;
    ops[3].writeValue.value64 = UINT64_MAX;
    OK(hipStreamBatchMemOp(stream, 4, ops, 0));
    OK(hipStreamSynchronize(stream));
    EXPECT_EQ(p[0], 1);
    EXPECT(p[1] == UINT64_MAX);
    EXPECT_EQ(hipStreamBatchMemOp(stream, 0, ops, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamBatchMemOp(stream, 1, NULL, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamBatchMemOp(stream, 1, ops, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamBatchMemOp(stream, 257, ops, 0), hipErrorInvalidValue);
    p[1] = 0;
    ops[3].operation = (hipStreamBatchMemOpType)9;
    EXPECT_EQ(hipStreamBatchMemOp(stream, 4, ops, 0), hipErrorInvalidValue);
    OK(hipFree(p));
}

/* Files of other APIs */

LS_TEST(external_memory)
{
    hipExternalMemoryHandleDesc desc;
    hipExternalMemoryBufferDesc part;
    hipExternalMemory_t memory;
    int fd = memfd_create("test", 0), *map, *buffer, sockets[2];

    REQUIRE(fd >= 0 && ftruncate(fd, 3 * PAGE) == 0);
    map = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(map != MAP_FAILED);
    memset(&desc, 0, sizeof(desc));
    memset(&part, 0, sizeof(part));
    desc.type = hipExternalMemoryHandleTypeOpaqueFd;
    desc.handle.fd = fd;
    EXPECT_EQ(hipImportExternalMemory(&memory, &desc), hipErrorInvalidValue); /* no size */
    desc.size = 3 * PAGE;
    EXPECT_EQ(hipImportExternalMemory(NULL, &desc), hipErrorInvalidValue);
    EXPECT_EQ(hipImportExternalMemory(&memory, NULL), hipErrorInvalidValue);
    desc.flags = 2;
    EXPECT_EQ(hipImportExternalMemory(&memory, &desc), hipErrorInvalidValue);
    desc.flags = 0;
    desc.type = hipExternalMemoryHandleTypeNvSciBuf;
    EXPECT_EQ(hipImportExternalMemory(&memory, &desc), hipErrorInvalidValue);
    desc.type = hipExternalMemoryHandleTypeOpaqueFd;
    REQUIRE(pipe(sockets) == 0);
    desc.handle.fd = sockets[0];
    EXPECT_EQ(hipImportExternalMemory(&memory, &desc), hipErrorOutOfMemory); /* can't be mapped */
    desc.handle.fd = fd;
    OK(hipImportExternalMemory(&memory, &desc));
    part.offset = PAGE + 8;
    part.size = PAGE;
    OK(hipExternalMemoryGetMappedBuffer((void **)&buffer, memory, &part));
    OK(hipMemset(buffer, 1, PAGE));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(map[PAGE / 4 + 2], 0x01010101);
    EXPECT_EQ(map[PAGE / 4 + 1], 0);
    EXPECT_EQ(hipMemset(buffer, 1, PAGE + 1), hipErrorInvalidValue);
    part.size = 2 * PAGE;
    EXPECT_EQ(hipExternalMemoryGetMappedBuffer((void **)&map, memory, &part), hipErrorInvalidValue);
    EXPECT_EQ(hipExternalMemoryGetMappedBuffer(NULL, memory, &part), hipErrorInvalidValue);
    OK(hipDestroyExternalMemory(memory));
    EXPECT_EQ(hipDestroyExternalMemory(memory), hipErrorInvalidValue);
    EXPECT_EQ(hipDestroyExternalMemory(NULL), hipErrorInvalidValue);
    OK(hipMemset(buffer, 2, PAGE)); /* a mapping of its own */
    OK(hipFree(buffer));
    EXPECT_EQ(hipFree(buffer), hipErrorInvalidValue);
}

LS_TEST(external_semaphores)
{
    hipExternalSemaphoreSignalParams raise;
    hipExternalSemaphoreWaitParams lower;
    hipExternalSemaphoreHandleDesc desc;
    hipExternalSemaphore_t semaphore;
    hipStream_t stream;
    int sockets[2];

    memset(&desc, 0, sizeof(desc));
    memset(&raise, 0, sizeof(raise));
    memset(&lower, 0, sizeof(lower));
    REQUIRE(pipe(sockets) == 0);
    desc.type = hipExternalSemaphoreHandleTypeOpaqueFd;
    EXPECT_EQ(hipImportExternalSemaphore(&semaphore, &desc), hipErrorInvalidValue);
    desc.handle.fd = sockets[0];
    EXPECT_EQ(hipImportExternalSemaphore(&semaphore, &desc), hipErrorNotSupported);
    EXPECT_EQ(hipImportExternalSemaphore(NULL, &desc), hipErrorInvalidValue);
    EXPECT_EQ(hipImportExternalSemaphore(&semaphore, NULL), hipErrorInvalidValue);
    desc.handle.fd = eventfd(0, 0);
    desc.type = hipExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    EXPECT_EQ(hipImportExternalSemaphore(&semaphore, &desc), hipErrorInvalidValue);
    desc.type = hipExternalSemaphoreHandleTypeOpaqueFd;
    OK(hipImportExternalSemaphore(&semaphore, &desc));
    OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    OK(hipWaitExternalSemaphoresAsync(&semaphore, &lower, 1, stream));
    nap_ms(1);
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    OK(hipSignalExternalSemaphoresAsync(&semaphore, &raise, 1, NULL));
    OK(hipStreamSynchronize(stream));
    OK(hipSignalExternalSemaphoresAsync(&semaphore, &raise, 1, NULL));
    OK(hipSignalExternalSemaphoresAsync(&semaphore, &raise, 1, NULL));
    OK(hipWaitExternalSemaphoresAsync(&semaphore, &lower, 1, stream));
    OK(hipWaitExternalSemaphoresAsync(&semaphore, &lower, 1, stream));
    OK(hipDestroyExternalSemaphore(semaphore)); /* waits that are on their way keep it */
    OK(hipStreamSynchronize(stream));
    EXPECT_EQ(hipWaitExternalSemaphoresAsync(&semaphore, &lower, 1, stream), hipErrorInvalidValue);
    EXPECT_EQ(hipDestroyExternalSemaphore(semaphore), hipErrorInvalidValue);
    raise.flags = 1;
    EXPECT_EQ(hipSignalExternalSemaphoresAsync(&semaphore, &raise, 1, NULL), hipErrorInvalidValue);
    EXPECT_EQ(hipSignalExternalSemaphoresAsync(NULL, &raise, 1, NULL), hipErrorInvalidValue);
}

LS_TEST(no_opengl)
{
    hipGraphicsResource_t resource = NULL;
    hipArray_t array;
    unsigned count;
    int device;

    EXPECT_EQ(hipGLGetDevices(&count, &device, 1, hipGLDeviceListAll), hipErrorInvalidValue);
    EXPECT_EQ(hipGLGetDevices(&count, &device, 1, hipGLDeviceListNextFrame), hipErrorNotSupported);
    EXPECT_EQ(hipGraphicsGLRegisterBuffer(&resource, 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphicsGLRegisterImage(&resource, 1, 0xde1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphicsMapResources(1, &resource, NULL), hipErrorUnknown);
    EXPECT_EQ(hipGraphicsSubResourceGetMappedArray(&array, NULL, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphicsUnregisterResource(NULL), hipErrorInvalidValue);
}

/* Launches on several devices, of which there is one. */
LS_TEST(multi_device_launches)
{
    hipLaunchParams list[2];
    hipStream_t stream;
    int *runs;
    void *args[] = {&runs};

    set_up();
    OK(hipMallocManaged((void **)&runs, sizeof(int), hipMemAttachGlobal));
    OK(hipMemset(runs, 0, sizeof(int)));
    OK(hipStreamCreate(&stream));
    memset(list, 0, sizeof(list));
    list[0] = (hipLaunchParams){&setup_host[3], {1, 1, 1}, {32, 1, 1}, args, 0, stream};
    list[1] = list[0];
    OK(hipExtLaunchMultiKernelMultiDevice(list, 1, 0)); /* waits */
    EXPECT_EQ(*runs, 1);
    EXPECT_EQ(hipExtLaunchMultiKernelMultiDevice(NULL, 1, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipExtLaunchMultiKernelMultiDevice(list, 0, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipExtLaunchMultiKernelMultiDevice(list, 2, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipExtLaunchMultiKernelMultiDevice(list, 1, 4), hipErrorInvalidValue);
    list[0].blockDim.x = 0;
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(list, 1, 0), hipErrorInvalidConfiguration);
    list[0].stream = NULL;
    EXPECT_EQ(hipLaunchCooperativeKernelMultiDevice(list, 1, 0), hipErrorInvalidResourceHandle);
}

/* Copies and fills across 2 and 4 GiB, over addresses that share a little memory. */
LS_TEST(beyond_4_gib)
{
#if defined(__SANITIZE_THREAD__)
    return; /* its shadow of so many addresses doesn't fit into memory */
#endif
    const hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                       .location = {hipMemLocationTypeDevice, 0}};
    const hipMemAccessDesc desc = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    const size_t part = 64 * MIB, all = 4096 * MIB + 2 * part;
    hipMemGenericAllocationHandle_t handle, last;
    char *ptr, *end;

    OK(hipMemAddressReserve((void **)&ptr, all, 0, NULL, 0));
    OK(hipMemCreate(&handle, part, &prop, 0));
    OK(hipMemCreate(&last, part, &prop, 0));
    for (size_t at = 0; at + part < all; at += part)
        OK(hipMemMap(ptr + at, part, 0, handle, 0));
    end = ptr + all - part; /* the last part has memory of its own */
    OK(hipMemMap(end, part, 0, last, 0));
    OK(hipMemSetAccess(ptr, all, &desc, 1));
    OK(hipMemset(ptr, 1, all - 1));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_byte(&end[0]), 1);
    EXPECT_EQ(peek_byte(&end[part - 2]), 1);
    EXPECT_EQ(peek_byte(&end[part - 1]), 0);
    OK(hipMemset(ptr, 2, 2048 * MIB + 1));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_byte(&end[0]), 1);
    OK(hipMemsetD32(end, 0, 1));
    OK(hipMemcpy(ptr + 1, ptr, 1, hipMemcpyDeviceToDevice));
    OK(hipMemsetD32(ptr, 0x03030303, all / 4)); /* more than 2^30 words */
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_byte(&end[part - 1]), 3);
    /* two rows, more than 4 GiB apart */
    OK(hipMemset2D(ptr, 4096 * MIB + part, 4, 3, 2));
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_byte(&ptr[2]), 4);
    EXPECT_EQ(peek_byte(&ptr[3]), 3);
    EXPECT_EQ(peek_byte(&end[2]), 4);
    EXPECT_EQ(peek_byte(&end[3]), 3);
    OK(hipMemcpy2D(ptr + 8, 16, ptr, 4096 * MIB + part, 3, 2, hipMemcpyDeviceToDevice));
    EXPECT_EQ(peek_byte(&ptr[8 + 16]), 4);
    EXPECT_EQ(hipMemset(ptr, 1, all + 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemset2D(ptr, 4096 * MIB + part, 4, part + 1, 2), hipErrorInvalidValue);
    OK(hipMemUnmap(ptr, all));
    OK(hipMemAddressFree(ptr, all));
}

/* Copies and fills within the device are not waited for, unless asked to be. */
LS_TEST(device_copies_return_at_once)
{
    hipMemcpy3DParms box = {.extent = {10, 10, 10}, .kind = hipMemcpyDeviceToDevice};
    unsigned on = 1;
    uint64_t *gate;
    hipStream_t stream;
    char *a, *b;

    OK(hipStreamCreate(&stream)); /* the null stream waits for it */
    OK(hipExtMallocWithFlags((void **)&gate, 8, hipMallocSignalMemory));
    OK(hipMalloc((void **)&a, 1000));
    OK(hipMalloc((void **)&b, 1000));
    OK(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, a)); /* one end only */
    box.srcPtr = make_hipPitchedPtr(b, 10, 10, 10);
    box.dstPtr = make_hipPitchedPtr(a, 10, 10, 10);
    *gate = 0;
    OK(hipStreamWaitValue64(stream, gate, 1, hipStreamWaitValueEq, UINT64_MAX));
    OK(hipMemset(b, 1, 1000));
    OK(hipMemcpy(a, b, 1000, hipMemcpyDeviceToDevice));
    OK(hipMemcpy3D(&box));
    EXPECT_EQ(hipStreamQuery(NULL), hipErrorNotReady);
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
    OK(hipDeviceSynchronize());
    EXPECT_EQ(peek_byte(&a[999]), 1);
    OK(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, b));
    OK(hipMemset(b, 2, 1000));
    OK(hipMemcpy(a, b, 1000, hipMemcpyDeviceToDevice));
    EXPECT_EQ(peek_byte(&a[999]), 2);
}

static void
finish_late(void *flag)
{
    usleep(20000);
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
}

/* Copies between host memories have happened when the call returns, pinned or not. */
LS_TEST(host_copies_are_waited_for)
{
    hipStream_t stream;
    char *pinned[2], pageable[64];
    int late = 0;

    OK(hipStreamCreate(&stream));
    OK(hipHostMalloc((void **)&pinned[0], 64, 0));
    OK(hipHostMalloc((void **)&pinned[1], 64, 0));
    memset(pinned[0], 1, 64);
    OK(hipLaunchHostFunc(stream, finish_late, &late));
    OK(hipMemcpyAsync(pinned[1], pinned[0], 64, hipMemcpyHostToHost, stream));
    EXPECT_EQ(late, 1);
    EXPECT_EQ(pinned[1][63], 1);
    late = 0;
    OK(hipLaunchHostFunc(stream, finish_late, &late));
    OK(hipMemcpyAsync(pageable, pinned[0], 64, hipMemcpyDefault, stream));
    EXPECT_EQ(late, 1);
    EXPECT_EQ(pageable[63], 1);
}

LS_TEST(managed_memory_may_exceed_the_device)
{
    size_t free_bytes, total, left;
    char *m, *d;

    OK(hipMemGetInfo(&free_bytes, &total));
    OK(hipMallocManaged((void **)&m, free_bytes + 1, hipMemAttachGlobal));
    m[free_bytes] = 1;
    OK(hipMemGetInfo(&left, &total));
    EXPECT_EQ(left, 0);
    EXPECT_EQ(hipMalloc((void **)&d, 4096), hipErrorOutOfMemory);
    OK(hipFree(m));
    OK(hipMemGetInfo(&left, &total));
    EXPECT_EQ(left, free_bytes);
    EXPECT_EQ(hipMallocManaged((void **)&m, (size_t)1 << 60, hipMemAttachGlobal),
              hipErrorOutOfMemory);
}

static void *
ask_for_too_much(void *stop)
{
    size_t free_bytes, total;
    void *p;

    OK(hipMemGetInfo(&free_bytes, &total));
    while (!__atomic_load_n((int *)stop, __ATOMIC_ACQUIRE))
        EXPECT_EQ(hipMalloc(&p, total + 4096), hipErrorOutOfMemory);
    return NULL;
}

/* An allocation that fails takes nothing from the others meanwhile. */
LS_TEST(a_failing_allocation_fails_alone)
{
    pthread_t other;
    int stop = 0;
    void *p;

    OK(hipMalloc(&p, 4096));
    OK(hipFree(p));
    pthread_create(&other, NULL, ask_for_too_much, &stop);
    for (int i = 0; i < 20000; i++) {
        OK(hipMalloc(&p, 4096));
        OK(hipFree(p));
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(other, NULL);
}

static void *
use_own_stream(void *barrier)
{
    void *p;

    OK(hipMalloc(&p, 4));
    OK(hipMemsetAsync(p, 0, 4, hipStreamPerThread));
    OK(hipStreamSynchronize(hipStreamPerThread));
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier); /* the device has been reset */
    OK(hipStreamQuery(hipStreamPerThread));
    return NULL;
}

/* A reset leaves the threads' own streams to the threads. */
LS_TEST(thread_streams_survive_a_reset)
{
    pthread_barrier_t barrier;
    hipStream_t streams[4];
    pthread_t other;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, use_own_stream, &barrier);
    pthread_barrier_wait(&barrier);
    OK(hipDeviceReset());
    OK(hipStreamCreate(&streams[0]));
    pthread_barrier_wait(&barrier);
    pthread_join(other, NULL);
    for (int i = 1; i < 4; i++)
        OK(hipStreamCreate(&streams[i]));
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++)
            EXPECT(streams[i] != streams[k]);
        OK(hipStreamSynchronize(streams[i]));
        OK(hipStreamDestroy(streams[i]));
    }
    pthread_barrier_destroy(&barrier);
}

/* Small boxes of memory that HIP doesn't know are taken when the call is made, and nobody waits. */
LS_TEST(boxes_of_pageable_memory)
{
    char from[4][4][8], *to;
    uint64_t *gate;
    hipStream_t stream;
    hipMemcpy3DParms p = {.kind = hipMemcpyHostToDevice, .extent = {8, 4, 4}};

    OK(hipStreamCreate(&stream));
    OK(hipExtMallocWithFlags((void **)&gate, 8, hipMallocSignalMemory));
    OK(hipMallocManaged((void **)&to, 4096, hipMemAttachGlobal));
    p.srcPtr = (hipPitchedPtr){from, 8, 8, 4};
    p.dstPtr = (hipPitchedPtr){to + 2048, 16, 8, 4};
    *gate = 0;
    OK(hipStreamWaitValue64(stream, gate, 1, hipStreamWaitValueEq, UINT64_MAX));
    memset(from, 1, sizeof(from));
    OK(hipMemcpy2DAsync(to, 16, from, 8, 8, 16, hipMemcpyHostToDevice, stream));
    memset(from, 2, sizeof(from));
    OK(hipMemcpy3DAsync(&p, stream));
    memset(from, 3, sizeof(from));
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(stream));
    for (int row = 0; row < 16; row++)
        for (int x = 0; x < 8; x++) {
            EXPECT_EQ(to[row * 16 + x], 1);
            EXPECT_EQ(to[2048 + row * 16 + x], 2);
        }
}

/* Allocations of all sizes keep their contents apart, and pages are used again. */
LS_TEST(allocator)
{
    enum { N = 200, STEPS = 3000 };
    struct {
        unsigned char *p;
        size_t bytes;
        unsigned char mark;
    } at[N];
    uint32_t seed = 1;

    memset(at, 0, sizeof(at));
    for (int i = 0; i < STEPS; i++) {
        uint32_t r = seed = seed * 1664525u + 1013904223u, k = (r >> 8) % N;
        size_t bytes = (size_t)1 << (r >> 16) % 21;

        if (at[k].p) {
            EXPECT_EQ(at[k].p[0], at[k].mark);
            EXPECT_EQ(at[k].p[at[k].bytes - 1], at[k].mark);
            OK(hipFree(at[k].p));
            at[k].p = NULL;
            continue;
        }
        if (i % 500 == 0)
            bytes = 150 * MIB; /* a mapping of its own */
        bytes += r % 1000;
        OK(hipMallocManaged((void **)&at[k].p, bytes, hipMemAttachGlobal));
        REQUIRE(at[k].p);
        EXPECT_EQ((uintptr_t)at[k].p % 256, 0);
        at[k].bytes = bytes;
        at[k].mark = (unsigned char)i;
        at[k].p[0] = at[k].p[bytes - 1] = at[k].mark;
    }
    for (int k = 0; k < N; k++)
        OK(hipFree(at[k].p));
}

/* Small copies: done by the caller when nothing is in front of them, and only then */

static void *
open_gate(void *flag)
{
    nap_ms(20);
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
    return NULL;
}

LS_TEST(small_copies)
{
    int *flags, *d, one = 1, got = 0;
    hipStream_t blocking, other;
    void *args[2], *gone;
    pthread_t thread;

    set_up();
    OK(hipHostMalloc((void **)&flags, 64, 0)); /* 0, 1: gates; 2, 3: what is behind them */
    OK(hipMalloc((void **)&d, 64));
    OK(hipStreamCreate(&blocking));
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    args[0] = &flags;
    args[1] = &(int *){&flags[2]};
    OK(launch("await", 1, 32, args, blocking));
    OK(hipMemcpyWithStream(d, &one, 4, hipMemcpyHostToDevice, other)); /* waits for nobody */
    OK(hipMemcpyAsync(&got, d, 4, hipMemcpyDeviceToHost, other));
    EXPECT_EQ(got, 1);
    EXPECT_EQ(hipStreamQuery(blocking), hipErrorNotReady);
    REQUIRE(pthread_create(&thread, NULL, open_gate, flags) == 0);
    got = 0;
    OK(hipMemcpy(&got, &flags[2], 4, hipMemcpyDefault)); /* the null stream waits for `blocking` */
    EXPECT_EQ(got, 1);
    REQUIRE(pthread_join(thread, NULL) == 0);

    args[0] = &(int *){&flags[1]};
    args[1] = &(int *){&flags[3]};
    OK(launch("await", 1, 32, args, NULL));
    OK(hipMemcpyAsync(d, &flags[3], 4, hipMemcpyDefault, blocking)); /* waits for the null stream */
    EXPECT_EQ(hipStreamQuery(blocking), hipErrorNotReady);
    __atomic_store_n(&flags[1], 1, __ATOMIC_RELEASE);
    OK(hipStreamSynchronize(blocking));
    got = 0;
    OK(hipMemcpyWithStream(&got, d, 4, hipMemcpyDeviceToHost, blocking));
    EXPECT_EQ(got, 1);

    if (RUNNING_ON_VALGRIND)
        return; /* the bad access is the point */
    gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(gone != MAP_FAILED);
    EXPECT_EQ(hipMemcpy(d, gone, 4, hipMemcpyHostToDevice), hipErrorIllegalAddress);
    EXPECT_EQ(hipMemcpy(d, &one, 4, hipMemcpyHostToDevice), hipErrorIllegalAddress);
    OK(hipDeviceReset());
    OK(hipMalloc((void **)&d, 64));
    OK(hipMemcpy(d, &one, 4, hipMemcpyHostToDevice));
}

/* Memory is freed by its size in bytes and was taken by pages: both must find the same extent
 * where sizes change how memory is laid out. */
LS_TEST(sizes_beside_limits)
{
    static const size_t limits[] = {2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB, 62 * MIB, 64 * MIB};

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        for (int by = -4097; by <= 4097; by += by == -1 || by == 0 ? 1 : 4096) {
            size_t bytes = limits[i] + (size_t)by;
            char *device, *host, *managed;

            OK(hipMalloc((void **)&device, bytes));
            OK(hipHostMalloc((void **)&host, bytes, 0));
            OK(hipMallocManaged((void **)&managed, bytes, hipMemAttachGlobal));
            OK(hipMemset(device + bytes - 1, 1, 1));
            host[bytes - 1] = managed[bytes - 1] = 1;
            OK(hipFree(managed));
            OK(hipHostFree(host));
            OK(hipFree(device));
        }
}

LS_TEST(hidden_free_memory)
{
    size_t free_bytes = 0, total = 0, hidden = (size_t)96 << 20;

    setenv("HIP_HIDDEN_FREE_MEM", "96", 1);
    OK(hipMemGetInfo(&free_bytes, &total));
    EXPECT_EQ(total - free_bytes, hidden);
    setenv("HIP_HIDDEN_FREE_MEM", "99999999999", 1); /* more than there is: none is free */
    OK(hipMemGetInfo(&free_bytes, &total));
    EXPECT_EQ(free_bytes, 0);
}
