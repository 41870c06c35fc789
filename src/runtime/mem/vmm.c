/* SPDX-License-Identifier: MIT */
/* Reservations and physical memory. Mappings are ranges in the map of pointers, owned by the
 * physical memory behind them. */
#include "runtime/mem/vmm.h"

#include <pthread.h>
#include <stdlib.h>

#include "runtime/core/core.h"
#include "runtime/core/ptrtable.h"
#include "runtime/mem/mem.h"
#include "runtime/mem/share.h"

struct ihipMemGenericAllocationHandle {
    hipMemAllocationProp prop;
    struct ls_physical *physical; /* owned */
    struct ls_device *dev;
    size_t bytes;
    unsigned refs;   /* the program's references */
    unsigned n_maps; /* mappings */
    bool imported;   /* another process has counted its memory */
};

struct reservation {
    struct reservation *next;
    char *base;
    size_t bytes;
    struct ls_device *dev;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations; /* guarded by lock */
static struct ls_ptrtable handles;       /* written under lock: handle -> itself */

typedef struct ihipMemGenericAllocationHandle handle_t;

static bool
is_whole(const void *ptr, size_t bytes)
{
    return bytes > 0 && bytes % LS_VMM_GRANULARITY == 0 && (uintptr_t)ptr % LS_VMM_GRANULARITY == 0;
}

size_t
ls_vmm_granularity(uint32_t device, bool recommended)
{
    size_t grain = ls_rt.gpus[device].info.grain,
           usual = recommended ? LS_VMM_RECOMMENDED : LS_VMM_GRANULARITY;

    return grain > usual ? grain : usual;
}

/* Reservations */

hipError_t
ls_vmm_reserve(size_t bytes, size_t align, void *hint, void **ptr)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    size_t grain = ls_vmm_granularity(dev->index, false);
    struct reservation *r;
    void *p;

    if (bytes == 0 || bytes % grain != 0 || (align & (align - 1)) != 0)
        return ls_err(hipErrorMemoryAllocation, "%zu bytes, aligned to %zu", bytes, align);
    r = malloc(sizeof(*r));
    if (!r)
        return hipErrorOutOfMemory;
    if (align < LS_VMM_RECOMMENDED && bytes >= LS_VMM_RECOMMENDED)
        align = LS_VMM_RECOMMENDED;
    if (align < grain)
        align = grain;
    if (dev->ops->space.reserve(dev, bytes, align, (uintptr_t)hint % align == 0 ? hint : NULL,
                                &p) != hipSuccess) {
        free(r);
        return ls_err(hipErrorOutOfMemory, "%zu bytes of addresses", bytes);
    }
    pthread_mutex_lock(&lock);
    *r = (struct reservation){reservations, p, bytes, dev};
    reservations = r;
    pthread_mutex_unlock(&lock);
    *ptr = p;
    return hipSuccess;
}

hipError_t
ls_vmm_unreserve(void *ptr, size_t bytes)
{
    struct reservation **at = &reservations, *r;
    hipError_t err = hipSuccess;

    pthread_mutex_lock(&lock);
    while (*at && (*at)->base != (char *)ptr)
        at = &(*at)->next;
    r = *at;
    if (!r || r->bytes != bytes) {
        err = ls_err(hipErrorInvalidValue, "%p, %zu bytes: no reservation", ptr, bytes);
    } else if (ls_mem_overlaps(ptr, bytes)) {
        err = ls_err(hipErrorInvalidValue, "%p: something is mapped", ptr);
    } else {
        *at = r->next;
        r->dev->ops->space.unreserve(r->dev, r->base, r->bytes);
        free(r);
    }
    pthread_mutex_unlock(&lock);
    return err;
}

/* Lock held. */
static bool
is_reserved(const char *ptr, size_t bytes)
{
    for (const struct reservation *r = reservations; r; r = r->next)
        if (ptr >= r->base && ptr < r->base + r->bytes)
            return bytes <= r->bytes - (size_t)(ptr - r->base);
    return false;
}

/* Physical memory. Lock held in what follows, where nothing else is said. */

static handle_t *
find_handle(hipMemGenericAllocationHandle_t handle)
{
    handle_t *h = handle ? ls_ptrtable_find(&handles, handle) : NULL;

    return h && h->refs > 0 ? h : NULL;
}

static void
drop_if_unused(handle_t *h)
{
    if (h->refs > 0 || h->n_maps > 0)
        return;
    ls_ptrtable_set(&handles, h, NULL);
    h->dev->ops->space.destroy(h->dev, h->physical);
    if (!h->imported)
        ls_mem_discharge((uint32_t)h->prop.location.id, h->bytes);
    free(h);
}

/* Takes the memory along when it can't be added. No lock held. */
static hipError_t
add_handle(handle_t *h)
{
    bool ok;

    pthread_mutex_lock(&lock);
    ok = ls_ptrtable_set(&handles, h, h);
    pthread_mutex_unlock(&lock);
    if (!ok)
        h->dev->ops->space.destroy(h->dev, h->physical);
    return ok ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t
ls_vmm_create(size_t bytes, const hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t *out)
{
    handle_t *h;
    hipError_t err;

    if (bytes == 0 || bytes % ls_vmm_granularity((uint32_t)prop->location.id, false) != 0)
        return ls_err(hipErrorInvalidValue, "%zu bytes", bytes);
    err = ls_mem_charge((uint32_t)prop->location.id, bytes);
    if (err != hipSuccess)
        return err;
    h = calloc(1, sizeof(*h));
    if (!h) {
        ls_mem_discharge((uint32_t)prop->location.id, bytes);
        return hipErrorOutOfMemory;
    }
    h->prop = *prop;
    h->bytes = bytes;
    h->refs = 1;
    h->dev = &ls_rt.gpus[prop->location.id].dev;
    err = h->dev->ops->space.create(
        h->dev, bytes,
        prop->requestedHandleType == hipMemHandleTypePosixFileDescriptor ? "hip-memory" : NULL,
        &h->physical);
    if (err != hipSuccess)
        ls_err(err, "no file for %zu bytes", bytes);
    else
        err = add_handle(h);
    if (err == hipSuccess) {
        *out = h;
    } else {
        free(h);
        ls_mem_discharge((uint32_t)prop->location.id, bytes);
    }
    return err;
}

hipError_t
ls_vmm_release(hipMemGenericAllocationHandle_t handle)
{
    handle_t *h;

    pthread_mutex_lock(&lock);
    h = find_handle(handle);
    if (h) {
        h->refs--;
        drop_if_unused(h);
    }
    pthread_mutex_unlock(&lock);
    return h ? hipSuccess : ls_err(hipErrorInvalidValue, "%p is no handle", (void *)handle);
}

hipError_t
ls_vmm_retain(const void *ptr, hipMemGenericAllocationHandle_t *out)
{
    struct ls_mem_range range;
    hipError_t err = hipSuccess;

    pthread_mutex_lock(&lock);
    if (ls_mem_find(ptr, &range) && range.kind == LS_MEM_VIRTUAL) {
        handle_t *h = range.owner;

        h->refs++;
        *out = h;
    } else {
        err = ls_err(hipErrorInvalidValue, "nothing is mapped at %p", ptr);
    }
    pthread_mutex_unlock(&lock);
    return err;
}

hipError_t
ls_vmm_props(hipMemGenericAllocationHandle_t handle, hipMemAllocationProp *prop)
{
    const handle_t *h;

    pthread_mutex_lock(&lock);
    h = find_handle(handle);
    if (h)
        *prop = h->prop;
    pthread_mutex_unlock(&lock);
    return h ? hipSuccess : ls_err(hipErrorInvalidValue, "%p is no handle", (void *)handle);
}

/* Mappings */

hipError_t
ls_vmm_map(void *ptr, size_t bytes, hipMemGenericAllocationHandle_t handle)
{
    hipError_t err = hipErrorInvalidValue;
    handle_t *h;

    pthread_mutex_lock(&lock);
    h = find_handle(handle);
    if (!h || !is_whole(ptr, bytes) || bytes > h->bytes || !is_reserved(ptr, bytes) ||
        ls_mem_overlaps(ptr, bytes)) {
        err = ls_err(err, "%zu bytes of %p can't be mapped to %p", bytes, (void *)handle, ptr);
        goto out;
    }
    LS_TRY(h->dev->ops->space.map(h->dev, ptr, bytes, h->physical, 0));
    err = hipErrorOutOfMemory;
    if (ls_mem_add((struct ls_mem_range){.base = ptr,
                                         .bytes = bytes,
                                         .kind = LS_MEM_VIRTUAL,
                                         .owner = h,
                                         .device = (uint8_t)h->prop.location.id,
                                         .access = hipMemAccessFlagsProtNone})) {
        h->n_maps++;
        err = hipSuccess;
    }
out:
    pthread_mutex_unlock(&lock);
    return err;
}

/* Calls fn with each mapping of [ptr, ptr + bytes), if mappings cover it without gaps, and, when
 * `whole`, to its end. */
static hipError_t
for_mappings(char *ptr, size_t bytes, bool whole,
             hipError_t (*fn)(const struct ls_mem_range *, int), int arg)
{
    hipError_t err = hipSuccess;
    struct ls_mem_range range;
    char *end;

    if (!is_whole(ptr, bytes) || __builtin_add_overflow((uintptr_t)ptr, bytes, (uintptr_t *)&end))
        return ls_err(hipErrorInvalidValue, "%p, %zu bytes", (void *)ptr, bytes);
    for (char *at = ptr; at < end; at = range.base + range.bytes) {
        bool found = ls_mem_find(at, &range) && range.kind == LS_MEM_VIRTUAL;

        if (!found || (whole && (range.base != at || range.base + range.bytes > end)))
            return ls_err(hipErrorInvalidValue, "%p, %zu bytes: not mapped so", (void *)ptr, bytes);
    }
    for (char *at = ptr; err == hipSuccess && at < end; at = range.base + range.bytes)
        if (ls_mem_find(at, &range))
            err = fn(&range, arg);
    return err;
}

static hipError_t
unmap(const struct ls_mem_range *range, int arg)
{
    struct ls_mem_range taken;
    handle_t *h = range->owner;

    (void)arg;
    if (h->dev->ops->space.unmap(h->dev, range->base, range->bytes) != hipSuccess)
        return ls_err(hipErrorOutOfMemory, "a mapping can't be taken away");
    if (!ls_mem_take(range->base, 1u << LS_MEM_VIRTUAL, &taken))
        return hipSuccess;
    h->n_maps--;
    drop_if_unused(h);
    return hipSuccess;
}

hipError_t
ls_vmm_unmap(void *ptr, size_t bytes)
{
    hipError_t err;

    pthread_mutex_lock(&lock);
    err = for_mappings(ptr, bytes, true, unmap, 0);
    pthread_mutex_unlock(&lock);
    return err;
}

/* arg: device * 4 + flags. There is one address space: what any device may do, all can. */
static hipError_t
set_access(const struct ls_mem_range *range, int arg)
{
    uint32_t shift = (uint32_t)arg / 4 * 2,
             rights = (range->rights & ~((uint32_t)3 << shift)) | ((uint32_t)arg & 3) << shift;
    hipMemAccessFlags flags = rights & 0xaaaaaaaa ? hipMemAccessFlagsProtReadWrite
                              : rights            ? hipMemAccessFlagsProtRead
                                                  : hipMemAccessFlagsProtNone;
    struct ls_device *dev = &ls_rt.gpus[range->device].dev;

    if (dev->ops->space.set_access(dev, range->base, range->bytes, flags) != hipSuccess)
        return ls_err(hipErrorOutOfMemory, "no memory to change the access to a mapping");
    ls_mem_set_access(range->base, (uint8_t)flags, rights);
    return hipSuccess;
}

hipError_t
ls_vmm_set_access(void *ptr, size_t bytes, uint32_t device, hipMemAccessFlags flags)
{
    hipError_t err;

    if (flags != hipMemAccessFlagsProtNone && flags != hipMemAccessFlagsProtRead &&
        flags != hipMemAccessFlagsProtReadWrite)
        return ls_err(hipErrorInvalidValue, "access flags %d", (int)flags);
    pthread_mutex_lock(&lock);
    err = for_mappings(ptr, bytes, true, set_access, (int)(device * 4 + flags));
    pthread_mutex_unlock(&lock);
    return err;
}

hipError_t
ls_vmm_get_access(const void *ptr, uint32_t device, hipMemAccessFlags *flags)
{
    struct ls_mem_range range;

    if (!ls_mem_find(ptr, &range) || range.kind != LS_MEM_VIRTUAL)
        return ls_err(hipErrorInvalidValue, "nothing is mapped at %p", ptr);
    *flags = (hipMemAccessFlags)(range.rights >> 2 * device & 3);
    return hipSuccess;
}

/* Between processes */

hipError_t
ls_vmm_export(hipMemGenericAllocationHandle_t handle, hipMemAllocationHandleType type, int *fd)
{
    hipError_t err = hipErrorInvalidValue;
    const handle_t *h;

    pthread_mutex_lock(&lock);
    h = find_handle(handle);
    if (h && h->prop.requestedHandleType == hipMemHandleTypePosixFileDescriptor &&
        h->prop.requestedHandleType == type) {
        *fd = h->dev->ops->space.file(h->dev, h->physical);
        err = *fd >= 0 ? hipSuccess : hipErrorOutOfMemory;
    }
    pthread_mutex_unlock(&lock);
    return err == hipSuccess ? err : ls_err(err, "%p, handle type %d", (void *)handle, (int)type);
}

hipError_t
ls_vmm_import(int fd, hipMemGenericAllocationHandle_t *out)
{
    handle_t *h = calloc(1, sizeof(*h));
    hipError_t err;
    uint64_t bytes;

    if (!h)
        return hipErrorOutOfMemory;
    h->dev = &ls_gpu_current()->dev;
    err = ls_sealed_is(fd, &bytes) && bytes % LS_VMM_GRANULARITY == 0
              ? h->dev->ops->space.import(h->dev, fd, &h->physical)
              : hipErrorInvalidValue;
    if (err != hipSuccess) {
        free(h);
        return ls_err(err, "file %d is no exported memory", fd);
    }
    h->prop.type = hipMemAllocationTypePinned;
    h->prop.location.type = hipMemLocationTypeDevice;
    h->prop.location.id = (int)h->dev->index;
    h->prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    h->bytes = (size_t)bytes;
    h->refs = 1;
    h->imported = true;
    err = add_handle(h);
    if (err == hipSuccess)
        *out = h;
    else
        free(h);
    return err;
}
