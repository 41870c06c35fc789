/* SPDX-License-Identifier: MIT */
/* Memory: allocation, pinning, questions about pointers. */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "runtime/api/api.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/graph.h"
#include "runtime/mem/pool.h"
#include "runtime/mem/share.h"
#include "runtime/module/register.h"
#include "runtime/texture/texture.h"

#define DEVICE_ALIGN 256u
#define FREE_ANY                                                                                   \
    (1u << LS_MEM_DEVICE | 1u << LS_MEM_MANAGED | 1u << LS_MEM_HOST | 1u << LS_MEM_POOL |          \
     1u << LS_MEM_SHARED)

/* Signal memory is what the host waits for, too. */
static hipError_t
alloc(enum ls_mem_kind kind, void **ptr, size_t bytes, unsigned flags)
{
    bool is_shared = kind == LS_MEM_HOST || flags == hipMallocSignalMemory;

    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(ptr, hipErrorInvalidValue);
    ls_registered_warm_up(&ls_gpu_current()->dev);
    LS_RETURN(ls_mem_alloc_as(ls_gpu_current()->dev.index, kind,
                              is_shared ? LS_MEMORY_PINNED : LS_MEMORY_DEVICE, bytes,
                              kind == LS_MEM_HOST ? 4096 : DEVICE_ALIGN, flags, ptr));
}

LS_EXPORT hipError_t
hipMalloc(void **ptr, size_t bytes)
{
    return alloc(LS_MEM_DEVICE, ptr, bytes, 0);
}

/* Signal memory is one word of 64 bits. */
LS_EXPORT hipError_t
hipExtMallocWithFlags(void **ptr, size_t bytes, unsigned flags)
{
    LS_CHECK(flags <= hipDeviceMallocContiguous, hipErrorInvalidValue);
    LS_CHECK(flags != hipMallocSignalMemory || bytes == 8, hipErrorInvalidValue);
    return alloc(LS_MEM_DEVICE, ptr, bytes, flags);
}

static hipError_t
host_alloc(void **ptr, size_t bytes, unsigned flags)
{
    const unsigned known = hipHostMallocPortable | hipHostMallocMapped |
                           hipHostMallocWriteCombined | hipHostMallocNumaUser |
                           hipHostMallocCoherent | hipHostMallocNonCoherent;

    LS_CHECK((flags & ~known) == 0, hipErrorInvalidValue);
    LS_CHECK(!(flags & hipHostMallocCoherent) || !(flags & hipHostMallocNonCoherent),
             hipErrorInvalidValue);
    return alloc(LS_MEM_HOST, ptr, bytes, flags);
}

LS_EXPORT hipError_t
hipHostMalloc(void **ptr, size_t bytes, unsigned flags)
{
    return host_alloc(ptr, bytes, flags);
}

LS_EXPORT hipError_t
hipHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    LS_CHECK(flags <= (hipHostAllocPortable | hipHostAllocMapped | hipHostAllocWriteCombined),
             hipErrorInvalidValue);
    return host_alloc(ptr, bytes, flags);
}

LS_EXPORT hipError_t
hipExtHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    return host_alloc(ptr, bytes, flags);
}

LS_EXPORT hipError_t
hipMallocHost(void **ptr, size_t bytes)
{
    return host_alloc(ptr, bytes, 0);
}

LS_EXPORT hipError_t
hipMemAllocHost(void **ptr, size_t bytes)
{
    return host_alloc(ptr, bytes, 0);
}

static hipError_t
alloc_rows(void **ptr, size_t *pitch, size_t width, size_t rows)
{
    size_t bytes;

    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(ptr && pitch, hipErrorInvalidValue);
    if (width == 0 || rows == 0) {
        *ptr = NULL;
        *pitch = 0;
        return hipSuccess;
    }
    LS_CHECK(width <= SIZE_MAX - DEVICE_ALIGN, hipErrorInvalidValue);
    *pitch = (width + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
    if (__builtin_mul_overflow(*pitch, rows, &bytes))
        LS_RETURN(hipErrorOutOfMemory);
    ls_registered_warm_up(&ls_gpu_current()->dev);
    LS_RETURN(ls_mem_alloc(LS_MEM_DEVICE, bytes, DEVICE_ALIGN, 0, ptr));
}

LS_EXPORT hipError_t
hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
    return alloc_rows(ptr, pitch, width, height);
}

LS_EXPORT hipError_t
hipMemAllocPitch(hipDeviceptr_t *ptr, size_t *pitch, size_t width, size_t height,
                 unsigned element_bytes)
{
    LS_CHECK(width > 0 && height > 0, hipErrorInvalidValue);
    LS_CHECK(element_bytes == 4 || element_bytes == 8 || element_bytes == 16, hipErrorInvalidValue);
    return alloc_rows(ptr, pitch, width, height);
}

LS_EXPORT hipError_t
hipMalloc3D(hipPitchedPtr *p, hipExtent extent)
{
    size_t rows;

    LS_CHECK(p, hipErrorInvalidValue);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        LS_RETURN(hipErrorOutOfMemory);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return alloc_rows(&p->ptr, &p->pitch, extent.width, rows);
}

static hipError_t
release(void *ptr, unsigned kinds)
{
    struct ls_mem_range range;
    hipError_t err, sticky;
    bool known;

    LS_NOT_CAPTURING();
    if (!ptr)
        LS_RETURN(hipSuccess);
    sticky = ls_queue_wait_all(NULL);
    ls_graph_mem_pay(ptr);
    err = ls_graph_mem_free(ptr, &known);
    if (known)
        LS_RETURN(err != hipSuccess ? err : sticky);
    if ((kinds & 1u << LS_MEM_POOL) && ls_mem_find(ptr, &range) && range.base == ptr &&
        range.kind == LS_MEM_POOL) {
        err = ls_pool_free(range.owner, ptr, NULL);
        ls_pool_synced();
    } else if ((kinds & 1u << LS_MEM_SHARED) && ls_mem_find(ptr, &range) &&
               range.kind == LS_MEM_SHARED && ls_share_is_freeable(ptr)) {
        err = ls_share_close(ptr); /* a buffer of external memory, or one of an imported pool */
    } else {
        err = ls_mem_free(ptr, kinds & ~(1u << LS_MEM_SHARED));
    }
    LS_RETURN(err != hipSuccess ? err : sticky);
}

LS_EXPORT hipError_t
hipFree(void *ptr)
{
    return release(ptr, FREE_ANY);
}

LS_EXPORT hipError_t
hipHostFree(void *ptr)
{
    return release(ptr, 1u << LS_MEM_HOST);
}

LS_EXPORT hipError_t
hipFreeHost(void *ptr)
{
    return release(ptr, 1u << LS_MEM_HOST);
}

LS_EXPORT hipError_t
hipHostRegister(void *ptr, size_t bytes, unsigned flags)
{
    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(flags <= 15, hipErrorInvalidValue); /* hipHostRegister* */
    LS_RETURN(ls_mem_register(ptr, bytes, flags));
}

LS_EXPORT hipError_t
hipHostUnregister(void *ptr)
{
    LS_ENTER();
    LS_NOT_CAPTURING();
    LS_CHECK(ptr, hipErrorInvalidValue);
    ls_queue_wait_all(NULL);
    LS_RETURN(ls_mem_unregister(ptr));
}

LS_EXPORT hipError_t
hipHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct ls_mem_range range;

    LS_ENTER();
    LS_CHECK(device && host && flags == 0, hipErrorInvalidValue);
    LS_CHECK(ls_mem_find(host, &range), hipErrorInvalidValue);
    *device = host;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipHostGetFlags(unsigned *flags, void *host)
{
    struct ls_mem_range range;

    LS_ENTER();
    LS_CHECK(flags && host, hipErrorInvalidValue);
    LS_CHECK(ls_mem_find(host, &range), hipErrorInvalidValue);
    LS_CHECK(range.kind == LS_MEM_HOST || range.kind == LS_MEM_REGISTERED, hipErrorInvalidValue);
    *flags = range.flags;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemGetInfo(size_t *free_bytes, size_t *total)
{
    const struct ls_gpu *gpu = ls_gpu_current();
    size_t used, whole;
    long heap;

    LS_ENTER();
    heap = atomic_load(&gpu->dev.heap_bytes);
    used = ls_mem_used(gpu->dev.index) + (heap > 0 ? (size_t)heap : 0) +
           ((size_t)ls_env_long(LS_ENV_HIP_HIDDEN_FREE_MEM, 0, 1l << 40) << 20);
    whole = gpu->info.total_bytes;
    if (free_bytes)
        *free_bytes = used < whole ? whole - used : 0;
    if (total)
        *total = whole;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPtrGetInfo(void *ptr, size_t *bytes)
{
    struct ls_mem_range range;

    LS_ENTER();
    LS_CHECK(ptr && bytes, hipErrorInvalidValue);
    LS_CHECK(ls_mem_find(ptr, &range), hipErrorInvalidValue);
    *bytes = range.bytes;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t ptr)
{
    struct ls_mem_range range;

    LS_ENTER();
    LS_CHECK(ls_mem_find(ptr, &range), hipErrorNotFound);
    if (base)
        *base = range.base;
    if (bytes)
        *bytes = range.bytes;
    LS_RETURN(hipSuccess);
}

static hipMemoryType
type_of(const struct ls_mem_range *range)
{
    switch (range->kind) {
    case LS_MEM_DEVICE:
    case LS_MEM_GLOBAL:
    case LS_MEM_POOL:
    case LS_MEM_VIRTUAL:
    case LS_MEM_SHARED:
        return hipMemoryTypeDevice;
    case LS_MEM_MANAGED:
        return hipMemoryTypeManaged;
    case LS_MEM_HOST:
    case LS_MEM_REGISTERED:
        return hipMemoryTypeHost;
    case LS_MEM_NONE:
    default:
        return hipMemoryTypeUnregistered;
    }
}

LS_EXPORT hipError_t
hipPointerGetAttributes(hipPointerAttribute_t *attr, const void *ptr)
{
    struct ls_mem_range range;

    LS_ENTER();
    LS_CHECK(attr && ptr, hipErrorInvalidValue);
    memset(attr, 0, sizeof(*attr));
    if (!ls_mem_find(ptr, &range)) {
        attr->type = hipMemoryTypeUnregistered;
        attr->device = hipInvalidDeviceId;
        LS_RETURN(hipSuccess);
    }
    attr->type = type_of(&range);
    attr->device = range.device;
    attr->devicePointer = (void *)(uintptr_t)ptr;
    if (attr->type != hipMemoryTypeDevice)
        attr->hostPointer = (void *)(uintptr_t)ptr;
    attr->isManaged = range.kind == LS_MEM_MANAGED;
    attr->allocationFlags = range.flags;
    LS_RETURN(hipSuccess);
}

/* Attributes that ROCm knows and doesn't answer. */
static bool
is_unanswered(hipPointer_attribute which)
{
    return which == HIP_POINTER_ATTRIBUTE_CONTEXT || which == HIP_POINTER_ATTRIBUTE_P2P_TOKENS ||
           which == HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE ||
           which == HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES ||
           which == HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE ||
           which == HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
}

/* What is answered for an address that HIP doesn't know, beside hipErrorInvalidValue. */
static void
no_attribute(void *data, hipPointer_attribute which)
{
    switch (which) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)data = 0;
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(void **)data = NULL;
        break;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint32_t *)data = 0;
        break;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    case HIP_POINTER_ATTRIBUTE_MAPPED:
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(bool *)data = false;
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = hipInvalidDeviceId;
        break;
    default:
        break;
    }
}

static hipError_t
pointer_attribute(void *data, hipPointer_attribute which, const void *ptr)
{
    struct ls_mem_range range;
    hipMemoryType type;

    if (is_unanswered(which))
        return ls_err(hipErrorNotSupported, "pointer attribute %d", (int)which);
    if (!ls_mem_find(ptr, &range)) {
        if (which == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE && ls_array_find(ptr)) {
            type = hipMemoryTypeArray;
            memcpy(data, &type, sizeof(type));
            return hipSuccess;
        }
        no_attribute(data, which);
        return hipErrorInvalidValue;
    }
    type = type_of(&range);
    switch (which) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        memcpy(data, &type, sizeof(type));
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        memcpy(data, &ptr, sizeof(ptr));
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        if (type == hipMemoryTypeDevice) {
            no_attribute(data, which);
            return hipErrorInvalidValue;
        }
        memcpy(data, &ptr, sizeof(ptr));
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        memcpy(data, &range.base, sizeof(range.base));
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(uint32_t *)data = (uint32_t)range.bytes; /* 32 bits, as in ROCm */
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint32_t *)data = (uint32_t)range.id; /* 32 bits, as in ROCm */
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        *(bool *)data = range.kind == LS_MEM_MANAGED;
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_MAPPED:
        *(bool *)data = true;
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = range.device;
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(bool *)data = range.sync_memops;
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)data = range.flags;
        return hipSuccess;
    default:
        return ls_err(hipErrorInvalidValue, "pointer attribute %d", (int)which);
    }
}

LS_EXPORT hipError_t
hipPointerGetAttribute(void *data, hipPointer_attribute which, hipDeviceptr_t ptr)
{
    LS_ENTER();
    LS_CHECK(data && ptr, hipErrorInvalidValue);
    LS_RETURN(pointer_attribute(data, which, ptr));
}

/* An address that HIP doesn't know is no error here: each attribute gets the value that says so. */
LS_EXPORT hipError_t
hipDrvPointerGetAttributes(unsigned n, hipPointer_attribute *which, void **data, hipDeviceptr_t ptr)
{
    LS_ENTER();
    LS_CHECK(n > 0 && which && data && ptr, hipErrorInvalidValue);
    for (unsigned i = 0; i < n; i++)
        LS_CHECK(data[i], hipErrorInvalidValue);
    for (unsigned i = 0; i < n; i++)
        pointer_attribute(data[i], which[i], ptr);
    LS_RETURN(hipSuccess);
}

/* Only HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS can be set. The host waits for copies of such memory where
 * HIP would let them be asynchronous. */
LS_EXPORT hipError_t
hipPointerSetAttribute(const void *value, hipPointer_attribute which, hipDeviceptr_t ptr)
{
    unsigned on;

    LS_ENTER();
    LS_CHECK(value && ptr && which == HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, hipErrorInvalidValue);
    memcpy(&on, value, sizeof(on));
    LS_CHECK(on <= 1, hipErrorInvalidValue);
    LS_CHECK(ls_mem_set_sync_memops(ptr, on), hipErrorInvalidDevicePointer);
    LS_RETURN(hipSuccess);
}

/* Not supported: the handle would be for drivers of other devices, and no driver knows this
 * memory. */
LS_EXPORT hipError_t
hipMemGetHandleForAddressRange(void *handle, hipDeviceptr_t ptr, size_t bytes,
                               hipMemRangeHandleType type, unsigned long long flags)
{
    LS_ENTER();
    LS_CHECK(handle && ptr && bytes > 0 && flags == 0 && type == hipMemRangeHandleTypeDmaBufFd,
             hipErrorInvalidValue);
    LS_RETURN(ls_err(hipErrorNotSupported, "DMA buffers"));
}
