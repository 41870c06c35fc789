/* SPDX-License-Identifier: MIT */
/* Memory: the device's by questions to its process, the other here. */
#include <string.h>

#include "device/cpu/heap.h"
#include "device/far/far_priv.h"

hipError_t
ls_far_alloc(struct ls_device *dev, enum ls_memory memory, size_t bytes, size_t align, void **ptr)
{
    uint64_t at = 0;
    hipError_t err;

    if (memory != LS_MEMORY_DEVICE)
        return ls_cpu_alloc(dev, memory, bytes, align, ptr);
    err = ls_far_ask(dev, LS_FAR_ALLOC, bytes, align, 0, 0, &at);
    *ptr = (void *)(uintptr_t)at;
    return err;
}

void
ls_far_free(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes)
{
    if (memory != LS_MEMORY_DEVICE)
        ls_cpu_free(dev, memory, ptr, bytes);
    else
        ls_far_ask(dev, LS_FAR_FREE, (uintptr_t)ptr, bytes, 0, 0, NULL);
}

void
ls_far_read(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    struct ls_far_call c = {.kind = LS_FAR_READ, .args = {(uintptr_t)src, bytes}};

    if (!ls_far_is_device(src))
        ls_cpu_read(dev, dst, src, bytes);
    else if (bytes > 0 && ls_far_call(dev, c, NULL, 0, NULL, dst, NULL) != hipSuccess)
        ls_far_lost();
}

void
ls_far_write(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    struct ls_far_call c = {.kind = LS_FAR_WRITE, .args = {(uintptr_t)dst}};
    struct iovec in = {(void *)(uintptr_t)src, bytes};

    if (!ls_far_is_device(dst))
        ls_cpu_write(dev, dst, src, bytes);
    else if (bytes > 0)
        ls_far_call(dev, c, &in, 1, NULL, NULL, NULL);
}

void
ls_far_zero(struct ls_device *dev, void *ptr, size_t bytes)
{
    if (!ls_far_is_device(ptr))
        ls_cpu_zero(dev, ptr, bytes);
    else if (bytes > 0)
        ls_far_ask(dev, LS_FAR_ZERO, (uintptr_t)ptr, bytes, 0, 0, NULL);
}

hipError_t
ls_far_share(struct ls_device *dev, void *ptr, size_t bytes, const char *name, int *fd)
{
    struct ls_far_call c = {.kind = LS_FAR_SHARE, .args = {(uintptr_t)ptr, bytes}};
    struct iovec in = {(void *)(uintptr_t)name, strlen(name) + 1};

    *fd = -1;
    return ls_far_call(dev, c, &in, 1, fd, NULL, NULL);
}

bool
ls_far_unshare(struct ls_device *dev, void *ptr, size_t bytes)
{
    return ls_far_ask(dev, LS_FAR_UNSHARE, (uintptr_t)ptr, bytes, 0, 0, NULL) == hipSuccess;
}

hipError_t
ls_far_reserve(struct ls_device *dev, size_t bytes, size_t align, void *hint, void **ptr)
{
    uint64_t at = 0;
    hipError_t err = ls_far_ask(dev, LS_FAR_RESERVE, bytes, align, (uintptr_t)hint, 0, &at);

    *ptr = (void *)(uintptr_t)at;
    return err;
}

void
ls_far_unreserve(struct ls_device *dev, void *ptr, size_t bytes)
{
    ls_far_ask(dev, LS_FAR_UNRESERVE, (uintptr_t)ptr, bytes, 0, 0, NULL);
}

hipError_t
ls_far_create(struct ls_device *dev, size_t bytes, const char *name, struct ls_physical **out)
{
    struct ls_far_call c = {.kind = LS_FAR_CREATE, .args = {bytes}};
    struct iovec in = {(void *)(uintptr_t)name, name ? strlen(name) + 1 : 0};
    uint64_t values[3];
    hipError_t err = ls_far_call(dev, c, &in, name != NULL, NULL, NULL, values);

    *out = (struct ls_physical *)(uintptr_t)values[0];
    return err;
}

hipError_t
ls_far_import(struct ls_device *dev, int fd, struct ls_physical **out)
{
    uint64_t values[3];
    hipError_t err =
        ls_far_call(dev, (struct ls_far_call){.kind = LS_FAR_IMPORT}, NULL, 0, &fd, NULL, values);

    *out = (struct ls_physical *)(uintptr_t)values[0];
    return err;
}

int
ls_far_file(struct ls_device *dev, const struct ls_physical *physical)
{
    struct ls_far_call c = {.kind = LS_FAR_FILE, .args = {0, 0, (uintptr_t)physical}};
    int fd = -1;

    ls_far_call(dev, c, NULL, 0, &fd, NULL, NULL);
    return fd;
}

void
ls_far_destroy(struct ls_device *dev, struct ls_physical *physical)
{
    ls_far_ask(dev, LS_FAR_DESTROY, 0, 0, (uintptr_t)physical, 0, NULL);
}

hipError_t
ls_far_map(struct ls_device *dev, void *ptr, size_t bytes, struct ls_physical *physical,
           uint64_t offset)
{
    return ls_far_ask(dev, LS_FAR_MAP, (uintptr_t)ptr, bytes, (uintptr_t)physical, offset, NULL);
}

hipError_t
ls_far_unmap(struct ls_device *dev, void *ptr, size_t bytes)
{
    return ls_far_ask(dev, LS_FAR_UNMAP, (uintptr_t)ptr, bytes, 0, 0, NULL);
}

hipError_t
ls_far_set_access(struct ls_device *dev, void *ptr, size_t bytes, hipMemAccessFlags access)
{
    return ls_far_ask(dev, LS_FAR_SET_ACCESS, (uintptr_t)ptr, bytes, access, 0, NULL);
}

struct ls_multi_grid *
ls_far_multi_create(struct ls_device *dev, uint32_t n_grids, const uint64_t *n_threads)
{
    struct ls_far_call c = {.kind = LS_FAR_MULTI_CREATE, .args = {n_grids}};
    struct iovec in = {(void *)(uintptr_t)n_threads, n_grids * sizeof(*n_threads)};
    uint64_t values[3];

    ls_far_call(dev, c, &in, 1, NULL, NULL, values);
    return (struct ls_multi_grid *)(uintptr_t)values[0];
}

void
ls_far_multi_cancel(struct ls_device *dev, struct ls_multi_grid *multi)
{
    ls_far_ask(dev, LS_FAR_MULTI_CANCEL, (uintptr_t)multi, 0, 0, 0, NULL);
}
