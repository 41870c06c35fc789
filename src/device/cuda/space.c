/* SPDX-License-Identifier: MIT */
/* Addresses and memory apart. */
#include <stdlib.h>

#include "base/log.h"
#include "device/cuda/cuda_priv.h"

struct ls_physical {
    uint64_t handle;
};

static bool
is_able(struct ls_cuda *c)
{
    int able = 0;

    return ls_cu.cuMemAddressReserve && ls_cu.cuMemAddressFree && ls_cu.cuMemCreate &&
           ls_cu.cuMemRelease && ls_cu.cuMemMap && ls_cu.cuMemUnmap && ls_cu.cuMemSetAccess &&
           LS_CU(cuDeviceGetAttribute, &able, LS_CU_DEVICE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                 c->cu) == LS_CU_SUCCESS &&
           able;
}

size_t
ls_cuda_grain(struct ls_cuda *c)
{
    struct ls_cu_memory what = {.type = LS_CU_ALLOCATION_PINNED,
                                .location = {LS_CU_LOCATION_DEVICE, c->cu}};
    size_t bytes = 0;

    if (ls_cu.cuMemGetAllocationGranularity &&
        LS_CU(cuMemGetAllocationGranularity, &bytes, &what, 0) != LS_CU_SUCCESS) /* the least */
        return 0;
    return bytes;
}

hipError_t
ls_cuda_reserve(struct ls_device *dev, size_t bytes, size_t align, void *hint, void **ptr)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    uint64_t at = 0;
    hipError_t err;
    LS_CUDA_ENTER(c);

    *ptr = NULL;
    if (!is_able(c))
        return hipErrorNotSupported;
    err = LS_CU_TRY(cuMemAddressReserve, &at, bytes, align, ls_cuda_address(hint), 0);
    *ptr = (void *)(uintptr_t)at;
    return err;
}

void
ls_cuda_unreserve(struct ls_device *dev, void *ptr, size_t bytes)
{
    LS_CUDA_ENTER(ls_cuda_of(dev));

    LS_CU(cuMemAddressFree, ls_cuda_address(ptr), bytes);
}

hipError_t
ls_cuda_create(struct ls_device *dev, size_t bytes, const char *name, struct ls_physical **out)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    struct ls_cu_memory what = {.type = LS_CU_ALLOCATION_PINNED,
                                .location = {LS_CU_LOCATION_DEVICE, c->cu}};
    struct ls_physical *p;
    hipError_t err;
    LS_CUDA_ENTER(c);

    *out = NULL;
    if (name || !is_able(c)) /* a name: a sealed file, for other processes */
        return hipErrorNotSupported;
    p = calloc(1, sizeof(*p));
    if (!p)
        return hipErrorOutOfMemory;
    err = LS_CU_TRY(cuMemCreate, &p->handle, bytes, &what, 0);
    if (err == hipSuccess)
        *out = p;
    else
        free(p);
    return err;
}

hipError_t
ls_cuda_import(struct ls_device *dev, int fd, struct ls_physical **out)
{
    (void)dev, (void)fd;
    *out = NULL;
    return hipErrorNotSupported;
}

int
ls_cuda_file(struct ls_device *dev, const struct ls_physical *physical)
{
    (void)dev, (void)physical;
    return -1;
}

void
ls_cuda_destroy(struct ls_device *dev, struct ls_physical *physical)
{
    LS_CUDA_ENTER(ls_cuda_of(dev));

    LS_CU(cuMemRelease, physical->handle);
    free(physical);
}

hipError_t
ls_cuda_map(struct ls_device *dev, void *ptr, size_t bytes, struct ls_physical *physical,
            uint64_t offset)
{
    LS_CUDA_ENTER(ls_cuda_of(dev));

    return LS_CU_TRY(cuMemMap, ls_cuda_address(ptr), bytes, offset, physical->handle, 0);
}

hipError_t
ls_cuda_unmap(struct ls_device *dev, void *ptr, size_t bytes)
{
    LS_CUDA_ENTER(ls_cuda_of(dev));

    return LS_CU_TRY(cuMemUnmap, ls_cuda_address(ptr), bytes);
}

hipError_t
ls_cuda_set_access(struct ls_device *dev, void *ptr, size_t bytes, hipMemAccessFlags access)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    struct ls_cu_access how = {.location = {LS_CU_LOCATION_DEVICE, c->cu}, .flags = (int)access};
    LS_CUDA_ENTER(c);

    return LS_CU_TRY(cuMemSetAccess, ls_cuda_address(ptr), bytes, &how, 1);
}

/* Grids of several devices that wait for each other: not yet. */
struct ls_multi_grid *
ls_cuda_multi_create(struct ls_device *dev, uint32_t n_grids, const uint64_t *n_threads)
{
    (void)dev, (void)n_grids, (void)n_threads;
    ls_log(LS_LOG_WARN, "cooperative launches on several devices are not supported on NVIDIA's");
    return NULL;
}

void
ls_cuda_multi_cancel(struct ls_device *dev, struct ls_multi_grid *multi)
{
    (void)dev, (void)multi;
}
