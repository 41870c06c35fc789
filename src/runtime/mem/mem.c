/* SPDX-License-Identifier: MIT */
/* Allocations: memory of devices, counted, and where it goes back to. */
#include "runtime/mem/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/core/core.h"
#include "runtime/mem/advice.h"
#include "runtime/mem/checked.h"
#include "runtime/mem/share.h"
#include "runtime/mem/strict.h"

hipError_t
ls_mem_charge(uint32_t device, size_t bytes)
{
    struct ls_gpu *gpu = &ls_rt.gpus[device];
    size_t was = atomic_load(&gpu->used_bytes);

    while (bytes <= gpu->info.total_bytes && was <= gpu->info.total_bytes - bytes)
        if (atomic_compare_exchange_weak(&gpu->used_bytes, &was, was + bytes))
            return hipSuccess;
    return ls_err(hipErrorOutOfMemory, "%zu bytes, %zu of %zu in use", bytes, was,
                  gpu->info.total_bytes);
}

void
ls_mem_discharge(uint32_t device, size_t bytes)
{
    atomic_fetch_sub(&ls_rt.gpus[device].used_bytes, bytes);
}

size_t
ls_mem_used(uint32_t device)
{
    return atomic_load(&ls_rt.gpus[device].used_bytes);
}

hipError_t
ls_mem_alloc(enum ls_mem_kind kind, size_t bytes, size_t align, unsigned flags, void **ptr)
{
    return ls_mem_alloc_on(ls_gpu_current()->dev.index, kind, bytes, align, flags, ptr);
}

hipError_t
ls_mem_alloc_on(uint32_t device, enum ls_mem_kind kind, size_t bytes, size_t align, unsigned flags,
                void **ptr)
{
    enum ls_memory memory = kind == LS_MEM_HOST      ? LS_MEMORY_PINNED
                            : kind == LS_MEM_MANAGED ? LS_MEMORY_MANAGED
                                                     : LS_MEMORY_DEVICE;

    return ls_mem_alloc_as(device, kind, memory, bytes, align, flags, ptr);
}

hipError_t
ls_mem_alloc_as(uint32_t device, enum ls_mem_kind kind, enum ls_memory memory, size_t bytes,
                size_t align, unsigned flags, void **ptr)
{
    struct ls_device *dev = &ls_rt.gpus[device].dev;
    hipError_t err;

    *ptr = NULL;
    if (bytes == 0)
        return hipSuccess;
    err = ls_mem_charge(device, bytes);
    if (err != hipSuccess &&
        kind == LS_MEM_MANAGED) { /* managed memory may be larger than the device's */
        atomic_fetch_add(&ls_rt.gpus[device].used_bytes, bytes);
        err = hipSuccess;
    }
    if (err != hipSuccess)
        return err;
    if ((kind == LS_MEM_DEVICE || kind == LS_MEM_MANAGED) && align < LS_MEM_PAGE)
        align = LS_MEM_PAGE;
    err = dev->ops->mem.alloc(dev, memory, ls_mem_whole(bytes),
                              align < LS_MEM_PAGE ? LS_MEM_PAGE : align, ptr);
    if (err == hipSuccess)
        ls_mem_seal(dev, *ptr, bytes);
    if (err == hipSuccess &&
        !ls_mem_add((struct ls_mem_range){.base = *ptr,
                                          .bytes = bytes,
                                          .kind = kind,
                                          .flags = flags,
                                          .device = (uint8_t)device,
                                          .memory = (uint8_t)memory,
                                          .access = hipMemAccessFlagsProtReadWrite})) {
        dev->ops->mem.free(dev, memory, *ptr, ls_mem_whole(bytes));
        err = hipErrorOutOfMemory;
    }
    if (err == hipSuccess && kind == LS_MEM_HOST)
        dev->ops->mem.zero(dev, *ptr, bytes); /* AMD's pinned memory is zeroed, too */
    if (err == hipSuccess)
        return hipSuccess;
    ls_mem_discharge(device, bytes);
    *ptr = NULL;
    return ls_err(err, "%zu bytes", bytes);
}

static void
give_back(const struct ls_mem_range *range)
{
    struct ls_device *dev = &ls_rt.gpus[range->device].dev;

    dev->ops->mem.free(dev, (enum ls_memory)range->memory, range->base,
                       ls_mem_whole(range->bytes));
}

/* Gives back what a range was made of. */
static void
release(const struct ls_mem_range *range)
{
    if (range->kind == LS_MEM_MANAGED || range->kind == LS_MEM_HOST)
        ls_advice_forget(range->base, range->bytes);
    if (range->kind == LS_MEM_SHARED) {
        ls_share_unmap(range->owner);
        return;
    }
    ls_mem_is_intact(range, "as is found when it is freed");
    ls_mem_discharge(range->device, range->bytes);
    if (range->exported)
        ls_share_free(range->base, ls_mem_whole(range->bytes));
    else if (!ls_checked_keep(range, give_back))
        give_back(range);
}

/* Kinds of memory that are freed elsewhere. */
#define OTHERS (1u << LS_MEM_REGISTERED | 1u << LS_MEM_POOL | 1u << LS_MEM_VIRTUAL)

hipError_t
ls_mem_free(void *ptr, unsigned kinds)
{
    struct ls_mem_range range;

    if (!ptr)
        return hipSuccess;
    if (!ls_mem_take(ptr, kinds & ~OTHERS, &range)) {
        ls_checked_bad_free(ptr);
        return ls_err(hipErrorInvalidValue, "%p is no allocation that can be freed here", ptr);
    }
    release(&range);
    return hipSuccess;
}

void
ls_mem_free_any(void *ptr)
{
    struct ls_mem_range range;

    if (ls_mem_find(ptr, &range) && range.kind == LS_MEM_SHARED)
        ls_share_close(ptr);
    else
        ls_mem_free(ptr, ~0u);
}

/* `first` is the start of a page. mincore, and not msync: it is asked about memory that may not be
 * there. */
static bool
is_mapped(char *first, size_t bytes)
{
    unsigned char resident[4096];
    const size_t chunk = sizeof(resident) * LS_MEM_PAGE;

    for (size_t at = 0; at < bytes; at += chunk)
        if (mincore(first + at, bytes - at < chunk ? bytes - at : chunk, resident) != 0)
            return false;
    return true;
}

static hipError_t
pin(const struct ls_mem_range *range)
{
    struct ls_device *dev = &ls_rt.gpus[range->device].dev;
    hipError_t err = hipSuccess;

    if (dev->ops->mem.pin)
        err = dev->ops->mem.pin(dev, range->base, range->bytes);
    else if (!ls_rt.gpus[range->device].info.pageable_access)
        return ls_err(hipErrorNotSupported, "kernels of device %u can't touch memory of the host",
                      range->device);
    if (err != hipSuccess)
        return err;
    if (ls_mem_add(*range))
        return hipSuccess;
    if (dev->ops->mem.unpin)
        dev->ops->mem.unpin(dev, range->base, range->bytes);
    return hipErrorOutOfMemory;
}

hipError_t
ls_mem_register(void *ptr, size_t bytes, unsigned flags)
{
    struct ls_mem_range range = {.base = ptr,
                                 .bytes = bytes,
                                 .kind = LS_MEM_REGISTERED,
                                 .flags = flags,
                                 .device = (uint8_t)ls_gpu_current()->dev.index,
                                 .memory = LS_MEMORY_PINNED,
                                 .access = hipMemAccessFlagsProtReadWrite};
    struct ls_mem_range old;
    uintptr_t first = (uintptr_t)ptr & ~(uintptr_t)(LS_MEM_PAGE - 1), end;

    if (!ptr || bytes == 0 || __builtin_add_overflow((uintptr_t)ptr, bytes, &end))
        return ls_err(hipErrorInvalidValue, "%p, %zu bytes", ptr, bytes);
    /* the program may have freed memory that was registered, and got it again: the new registration
     * replaces the old one */
    if (ls_mem_find(ptr, &old) && old.base == ptr && old.kind == LS_MEM_REGISTERED)
        ls_mem_unregister(ptr);
    if (!is_mapped((char *)ptr - ((uintptr_t)ptr - first), end - first))
        return ls_err(hipErrorInvalidValue, "%p: not all of %zu bytes are mapped", ptr, bytes);
    if (ls_mem_overlaps(ptr, bytes))
        return ls_err(hipErrorHostMemoryAlreadyRegistered, "%p", ptr);
    return pin(&range);
}

hipError_t
ls_mem_unregister(void *ptr)
{
    struct ls_device *dev;
    struct ls_mem_range range;

    if (!ptr || !ls_mem_take(ptr, 1u << LS_MEM_REGISTERED, &range))
        return ls_err(hipErrorHostMemoryNotRegistered, "%p", ptr);
    dev = &ls_rt.gpus[range.device].dev;
    if (dev->ops->mem.unpin)
        dev->ops->mem.unpin(dev, range.base, range.bytes);
    ls_advice_forget(range.base, range.bytes);
    return hipSuccess;
}

/* A range of the device that a reset takes. */
static void
reset(const struct ls_mem_range *range)
{
    ls_strict_removed(range);
    ls_checked_taken(range);
    release(range);
}

void
ls_mem_reset(uint32_t device)
{
    ls_map_take_all(device, OTHERS | 1u << LS_MEM_GLOBAL, reset);
}
