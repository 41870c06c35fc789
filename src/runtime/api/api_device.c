/* SPDX-License-Identifier: MIT */
/* Start, versions, the device, its properties and limits, errors. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/api/api.h"
#include "runtime/entry/gate.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/graph.h"
#include "runtime/mem/pool.h"
#include "runtime/module/module.h"
#include "runtime/texture/texture.h"

LS_EXPORT hipError_t
hipInit(unsigned flags)
{
    LS_CHECK(flags == 0, hipErrorInvalidValue);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDriverGetVersion(int *version)
{
    LS_CHECK(version, hipErrorInvalidValue);
    *version = HIP_VERSION;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipRuntimeGetVersion(int *version)
{
    LS_CHECK(version, hipErrorInvalidValue);
    *version = HIP_VERSION;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetDeviceCount(int *count)
{
    LS_CHECK(count, hipErrorInvalidValue);
    *count = 0; /* written also when the next line returns an error, as where HIP_VISIBLE_DEVICES
                   hides all devices */
    LS_START();
    *count = ls_rt.n_devices;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGet(hipDevice_t *device, int ordinal)
{
    LS_CHECK(device, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(ordinal), hipErrorInvalidDevice);
    *device = ordinal;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipSetDevice(int device)
{
    LS_START();
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    ls_gpu_set_current((uint32_t)device);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipSetValidDevices(int *devices, int n)
{
    LS_CHECK(n >= 0 && (devices || n == 0), hipErrorInvalidValue);
    for (int i = 0; i < n; i++)
        LS_CHECK(ls_gpu_exists(devices[i]), hipErrorInvalidDevice);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetDevice(int *device)
{
    LS_CHECK(device, hipErrorInvalidValue);
    *device = (int)ls_gpu_current()->dev.index;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetName(char *name, int bytes, hipDevice_t device)
{
    LS_CHECK(name && bytes > 0, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    snprintf(name, (size_t)bytes, "%s", ls_rt.gpus[device].prop.name);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device)
{
    LS_CHECK(uuid, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    *uuid = ls_rt.gpus[device].prop.uuid;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
{
    LS_CHECK(bytes, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    *bytes = ls_rt.gpus[device].prop.totalGlobalMem;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device)
{
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(major && minor, hipErrorInvalidValue);
    ls_arch_fix();
    *major = ls_rt.gpus[device].prop.major;
    *minor = ls_rt.gpus[device].prop.minor;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetPCIBusId(char *id, int bytes, int device)
{
    int n;

    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(id && bytes > 0, hipErrorInvalidValue);
    n = snprintf(id, (size_t)bytes, "%04x:%02x:%02x.0",
                 (unsigned)ls_rt.gpus[device].prop.pciDomainID & 0xffff,
                 (unsigned)ls_rt.gpus[device].prop.pciBusID & 0xff,
                 (unsigned)ls_rt.gpus[device].prop.pciDeviceID & 0xff);
    LS_RETURN(n < bytes ? hipSuccess
                        : hipErrorInvalidValue); /* an error, but what fits was written */
}

LS_EXPORT hipError_t
hipDeviceGetByPCIBusId(int *device, const char *id)
{
    unsigned domain, bus, dev;

    LS_CHECK(device && id, hipErrorInvalidValue);
    LS_CHECK(sscanf(id, "%x:%x:%x", &domain, &bus, &dev) == 3, hipErrorInvalidValue);
    for (int i = 0; i < ls_rt.n_devices; i++) {
        const hipDeviceProp_t *p = &ls_rt.gpus[i].prop;

        if (domain == (unsigned)p->pciDomainID && bus == (unsigned)p->pciBusID &&
            dev == (unsigned)p->pciDeviceID) {
            *device = i;
            LS_RETURN(hipSuccess);
        }
    }
    LS_RETURN(ls_err(hipErrorInvalidValue, "no device at %s", id));
}

LS_EXPORT hipError_t
hipGetDevicePropertiesR0600(hipDeviceProp_t *prop, int device)
{
    LS_CHECK(prop, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    ls_arch_fix();
    *prop = ls_rt.gpus[device].prop;
    LS_RETURN(hipSuccess);
}

static void
old_properties(const hipDeviceProp_t *p, hipDeviceProp_tR0000 *o)
{

    memset(o, 0, sizeof(*o));
    memcpy(o->name, p->name, sizeof(o->name));
    memcpy(o->gcnArchName, p->gcnArchName, sizeof(o->gcnArchName));
    o->totalGlobalMem = p->totalGlobalMem;
    o->sharedMemPerBlock = p->sharedMemPerBlock;
    o->regsPerBlock = p->regsPerBlock;
    o->warpSize = p->warpSize;
    o->maxThreadsPerBlock = p->maxThreadsPerBlock;
    memcpy(o->maxThreadsDim, p->maxThreadsDim, sizeof(o->maxThreadsDim));
    memcpy(o->maxGridSize, p->maxGridSize, sizeof(o->maxGridSize));
    o->clockRate = p->clockRate;
    o->memoryClockRate = p->memoryClockRate;
    o->memoryBusWidth = p->memoryBusWidth;
    o->totalConstMem = p->totalConstMem;
    o->major = p->major;
    o->minor = p->minor;
    o->multiProcessorCount = p->multiProcessorCount;
    o->l2CacheSize = p->l2CacheSize;
    o->maxThreadsPerMultiProcessor = p->maxThreadsPerMultiProcessor;
    o->clockInstructionRate = p->clockInstructionRate;
    o->arch = p->arch;
    o->concurrentKernels = p->concurrentKernels;
    o->maxSharedMemoryPerMultiProcessor = p->maxSharedMemoryPerMultiProcessor;
    o->canMapHostMemory = p->canMapHostMemory;
    o->gcnArch = p->gcnArch;
    o->integrated = p->integrated;
    o->cooperativeLaunch = p->cooperativeLaunch;
    o->memPitch = p->memPitch;
    o->textureAlignment = p->textureAlignment;
    o->texturePitchAlignment = p->texturePitchAlignment;
    o->isLargeBar = p->isLargeBar;
    o->managedMemory = p->managedMemory;
    o->directManagedMemAccessFromHost = p->directManagedMemAccessFromHost;
    o->concurrentManagedAccess = p->concurrentManagedAccess;
    o->pageableMemoryAccess = p->pageableMemoryAccess;
    o->pageableMemoryAccessUsesHostPageTables = p->pageableMemoryAccessUsesHostPageTables;
}

LS_EXPORT hipError_t
hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *prop, int device)
{
    LS_START();
    LS_CHECK(prop, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    ls_arch_fix();
    old_properties(&ls_rt.gpus[device].prop, prop);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipChooseDeviceR0600(int *device, const hipDeviceProp_t *prop)
{
    LS_CHECK(device && prop, hipErrorInvalidValue);
    *device = 0;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipChooseDeviceR0000(int *device, const hipDeviceProp_tR0000 *prop)
{
    LS_START();
    LS_CHECK(device && prop, hipErrorInvalidValue);
    *device = 0;
    LS_RETURN(hipSuccess);
}

/* ROCm 6 exports the names without suffix too, for programs of ROCm 5. */
#undef hipGetDeviceProperties
#undef hipChooseDevice
LS_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *prop, int device)
    __attribute__((alias("hipGetDevicePropertiesR0000")));
LS_EXPORT hipError_t hipChooseDevice(int *device, const hipDeviceProp_tR0000 *prop)
    __attribute__((alias("hipChooseDeviceR0000")));

/* A size as an int: what an int can't hold becomes the largest, as in HIP. */
static int
to_int(uint64_t v)
{
    return v > INT_MAX ? INT_MAX : (int)v;
}

/* Whether an attribute depends on the architecture: those that ls_fill_arch writes, and what
 * follows from them. */
static bool
is_of_arch(int attr)
{
    switch (attr) {
    case hipDeviceAttributeWarpSize:
    case hipDeviceAttributeComputeCapabilityMajor:
    case hipDeviceAttributeComputeCapabilityMinor:
    case hipDeviceAttributeImageSupport:
        return true;
    default:
        return false;
    }
}

LS_EXPORT hipError_t
hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attr, int device)
{
    LS_CHECK(value, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    if (is_of_arch((int)attr))
        ls_arch_fix();
    switch ((int)attr) {
#define P(field) ls_rt.gpus[device].prop.field
#define LS_ATTR(name, answer)                                                                      \
    case hipDeviceAttribute##name:                                                                 \
        *value = to_int((uint64_t)(answer));                                                       \
        break;
#include "runtime/core/attributes.def"
#undef LS_ATTR
#undef P
    case hipDeviceAttributeHdpMemFlushCntl: /* pointers */
        memcpy(value, &ls_rt.gpus[device].prop.hdpMemFlushCntl,
               sizeof(ls_rt.gpus[device].prop.hdpMemFlushCntl));
        break;
    case hipDeviceAttributeHdpRegFlushCntl:
        memcpy(value, &ls_rt.gpus[device].prop.hdpRegFlushCntl,
               sizeof(ls_rt.gpus[device].prop.hdpRegFlushCntl));
        break;
    default:
        LS_RETURN(ls_err(hipErrorInvalidValue, "attribute %d", (int)attr));
    }
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceSynchronize(void)
{
    hipError_t err;

    err = ls_capture_check_device();
    if (err == hipSuccess)
        err = ls_queue_wait_all(&ls_gpu_current()->dev);
    ls_pool_synced();
    LS_RETURN(err);
}

/* Returns when no call of another thread is under way and the device has no work. Work of calls
 * under way usually ends soon. Where it does not, it may wait for what another thread is about to
 * do, so calls are let in for a while. */
static void
close_gate(struct ls_device *dev)
{
    for (unsigned i = 0;; i += i < 6) {
        ls_queue_wait_all(dev);
        ls_gate_close();
        if (ls_queue_ends(dev, (uint64_t)20000000 << i))
            return;
        ls_gate_open();
    }
}

LS_EXPORT hipError_t
hipDeviceReset(void)
{
    struct ls_gpu *gpu = ls_gpu_current();
    uint32_t index;

    index = gpu->dev.index;
    close_gate(&gpu->dev);
    ls_capture_give_up_of(&gpu->dev);
    ls_queue_reset(&gpu->dev);
    ls_graph_mem_forget(index);
    ls_texture_reset(index);
    ls_pool_reset(index);
    ls_mem_reset(index);
    atomic_store(&gpu->dev.sticky, hipSuccess);
    atomic_store(&gpu->flags, 0);
    atomic_store(&gpu->peers, 0);
    ls_thread_get()->last = hipSuccess;
    ls_gate_open();
    LS_RETURN(hipSuccess);
}

static bool
are_flags(unsigned flags)
{
    const unsigned schedule = flags & hipDeviceScheduleMask;

    return (flags & ~(unsigned)(hipDeviceScheduleMask | hipDeviceMapHost |
                                hipDeviceLmemResizeToMax)) == 0 &&
           (schedule & (schedule - 1)) == 0; /* at most one of the schedule flags */
}

LS_EXPORT hipError_t
hipSetDeviceFlags(unsigned flags)
{
    LS_CHECK(are_flags(flags), hipErrorInvalidValue);
    atomic_store(&ls_gpu_current()->flags, flags);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipGetDeviceFlags(unsigned *flags)
{
    LS_CHECK(flags, hipErrorInvalidValue);
    *flags = atomic_load(&ls_gpu_current()->flags) &
             hipDeviceScheduleMask; /* other flags are accepted and ignored */
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetLimit(size_t *value, enum hipLimit_t limit)
{
    LS_CHECK(value, hipErrorInvalidValue);
    LS_CHECK((int)limit >= 0, hipErrorUnsupportedLimit);
    LS_CHECK((unsigned)limit < hipLimitRange, hipErrorInvalidValue);
    *value = atomic_load(&ls_gpu_current()->limits[limit]);
    LS_RETURN(hipSuccess);
}

/* The limits are kept. Stacks and heap grow as needed, whatever their limits, and so does output,
 * but for that of code made with -mprintf-kind=buffered. */
LS_EXPORT hipError_t
hipDeviceSetLimit(enum hipLimit_t limit, size_t value)
{
    LS_CHECK((int)limit >= 0, hipErrorUnsupportedLimit);
    LS_CHECK((unsigned)limit < hipLimitRange, hipErrorInvalidValue);
    atomic_store(&ls_gpu_current()->limits[limit], value);
    if (limit == hipLimitPrintfFifoSize)
        atomic_store(&ls_gpu_current()->dev.printf_bytes, value);
    LS_RETURN(hipSuccess);
}

/* Caches are what they are: preferences are checked and dropped, as on AMD hardware. */

LS_EXPORT hipError_t
hipDeviceSetCacheConfig(hipFuncCache_t config)
{
    LS_CHECK((unsigned)config <= hipFuncCachePreferEqual, hipErrorInvalidValue);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetCacheConfig(hipFuncCache_t *config)
{
    LS_CHECK(config, hipErrorInvalidValue);
    *config = hipFuncCachePreferNone;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceSetSharedMemConfig(hipSharedMemConfig config)
{
    LS_CHECK((unsigned)config <= hipSharedMemBankSizeEightByte, hipErrorInvalidValue);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetSharedMemConfig(hipSharedMemConfig *config)
{
    LS_CHECK(config, hipErrorInvalidValue);
    *config = hipSharedMemBankSizeFourByte;
    LS_RETURN(hipSuccess);
}

/* Windows alone has these. */
LS_EXPORT hipError_t
hipDeviceGetLuid(char *luid, unsigned *mask, hipDevice_t device)
{
    LS_CHECK(luid && mask, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_RETURN(ls_err(hipErrorNotSupported, "LUIDs"));
}

#define INIT_FLAGS_ARE_VALID 1u

/* Checks its arguments alone, as devices are ready from the start. */
LS_EXPORT hipError_t
hipInitDevice(int device, unsigned device_flags, unsigned flags)
{
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    LS_CHECK(flags <= INIT_FLAGS_ARE_VALID, hipErrorInvalidValue);
    if (flags == INIT_FLAGS_ARE_VALID) {
        LS_CHECK(are_flags(device_flags), hipErrorInvalidValue);
        atomic_store(&ls_rt.gpus[device].flags, device_flags);
    }
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceFlushGPUDirectRDMAWrites(hipFlushGPUDirectRDMAWritesTarget target,
                                  hipFlushGPUDirectRDMAWritesScope scope)
{
    LS_CHECK(target == hipFlushGPUDirectRDMAWritesTargetCurrentDevice &&
                 (scope == hipFlushGPUDirectRDMAWritesToOwner ||
                  scope == hipFlushGPUDirectRDMAWritesToAllDevices),
             hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorNotSupported, "writes of other devices"));
}

/* Peers. Devices share one address space, in which nothing keeps a kernel from the memory of
 * another device of its kind that it can reach: access is enabled and disabled with HIP's errors,
 * but works also where it was not enabled. */

static bool
are_peers(int device, int peer)
{
    return ls_gpu_exists(device) && ls_gpu_exists(peer) && device != peer;
}

static bool
reaches(int device, int peer)
{
    struct ls_device *a = &ls_rt.gpus[device].dev, *b = &ls_rt.gpus[peer].dev;

    return a->ops->name == b->ops->name && (!a->ops->reaches || a->ops->reaches(a, b));
}

LS_EXPORT hipError_t
hipDeviceCanAccessPeer(int *can, int device, int peer)
{
    LS_CHECK(can, hipErrorInvalidValue);
    LS_CHECK(device == peer || are_peers(device, peer), hipErrorInvalidDevice);
    *can = device != peer && reaches(device, peer);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    struct ls_gpu *gpu = ls_gpu_current();

    LS_CHECK(flags == 0, hipErrorInvalidValue);
    LS_CHECK(are_peers((int)gpu->dev.index, peer), hipErrorInvalidDevice);
    LS_CHECK(reaches((int)gpu->dev.index, peer), hipErrorPeerAccessUnsupported);
    LS_CHECK(!(atomic_fetch_or(&gpu->peers, 1u << peer) & 1u << peer),
             hipErrorPeerAccessAlreadyEnabled);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceDisablePeerAccess(int peer)
{
    struct ls_gpu *gpu = ls_gpu_current();

    LS_CHECK(are_peers((int)gpu->dev.index, peer), hipErrorInvalidDevice);
    LS_CHECK(atomic_fetch_and(&gpu->peers, ~(1u << peer)) & 1u << peer,
             hipErrorPeerAccessNotEnabled);
    LS_RETURN(hipSuccess);
}

#define LINK_PCIE 2u /* HSA's number of the link type; there is none for "the same chip" */

LS_EXPORT hipError_t
hipExtGetLinkTypeAndHopCount(int device, int peer, uint32_t *type, uint32_t *hops)
{
    LS_CHECK(type && hops && device != peer && device >= 0 && peer >= 0, hipErrorInvalidValue);
    LS_CHECK(are_peers(device, peer), hipErrorInvalidDevice);
    *type = LINK_PCIE;
    *hops = 1;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attr, int src, int dst)
{
    LS_CHECK(value, hipErrorInvalidValue);
    LS_CHECK(are_peers(src, dst), hipErrorInvalidDevice);
    switch (attr) {
    case hipDevP2PAttrPerformanceRank: /* as in ROCm the answer is the type of the link */
        *value = LINK_PCIE;
        break;
    case hipDevP2PAttrAccessSupported:
    case hipDevP2PAttrNativeAtomicSupported:
    case hipDevP2PAttrHipArrayAccessSupported:
        *value = reaches(src, dst);
        break;
    default:
        LS_RETURN(ls_err(hipErrorInvalidValue, "attribute %d", (int)attr));
    }
    LS_RETURN(hipSuccess);
}

/* Errors */

LS_EXPORT hipError_t
hipGetLastError(void)
{
    struct ls_thread *t = ls_thread_get();
    hipError_t err = t->last;

    t->last = hipSuccess; /* a fault is told again while its device is current, not on others */
    return err == hipSuccess ? ls_sticky() : err;
}

LS_EXPORT hipError_t
hipPeekAtLastError(void)
{
    hipError_t err = ls_thread_get()->last;

    return err == hipSuccess ? ls_sticky() : err;
}

LS_EXPORT hipError_t
hipExtGetLastError(void)
{
    struct ls_thread *t = ls_thread_get();
    hipError_t err = t->last_command;

    t->last_command = hipSuccess;
    return err;
}

LS_EXPORT const char *
hipGetErrorName(hipError_t err)
{
    return ls_error_name(err);
}

LS_EXPORT const char *
hipGetErrorString(hipError_t err)
{
    return ls_error_text(err);
}

static bool
is_error(hipError_t err)
{
    return err == hipErrorUnknown || strcmp(ls_error_name(err), "hipErrorUnknown") != 0;
}

LS_EXPORT hipError_t
hipDrvGetErrorName(hipError_t err, const char **name)
{
    LS_CHECK(name && is_error(err), hipErrorInvalidValue);
    *name = ls_error_name(err);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDrvGetErrorString(hipError_t err, const char **text)
{
    LS_CHECK(text && is_error(err), hipErrorInvalidValue);
    *text = ls_error_text(err);
    LS_RETURN(hipSuccess);
}
