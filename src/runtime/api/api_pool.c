/* SPDX-License-Identifier: MIT */
/* Memory pools and allocation in stream order. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/api/api.h"
#include "runtime/graph/stream.h"
#include "runtime/graph/graph.h"
#include "runtime/mem/pool.h"
#include "runtime/mem/share.h"

LS_EXPORT hipError_t
hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device)
{
    LS_CHECK(pool, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidDevice);
    *pool = ls_pool_default((uint32_t)device);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceGetMemPool(hipMemPool_t *pool, int device)
{
    LS_CHECK(pool, hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidValue);
    *pool = ls_pool_current((uint32_t)device);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipDeviceSetMemPool(int device, hipMemPool_t pool)
{
    LS_CHECK(ls_pool_is_valid(pool), hipErrorInvalidValue);
    LS_CHECK(ls_gpu_exists(device), hipErrorInvalidValue);
    LS_RETURN(ls_pool_set_current((uint32_t)device, pool));
}

LS_EXPORT hipError_t
hipMemPoolCreate(hipMemPool_t *out, const hipMemPoolProps *props)
{
    LS_ENTER();
    LS_CHECK(out && props && props->allocType == hipMemAllocationTypePinned, hipErrorInvalidValue);
    LS_CHECK(props->location.type == hipMemLocationTypeDevice && ls_gpu_exists(props->location.id),
             hipErrorInvalidValue);
    LS_CHECK(props->handleTypes == hipMemHandleTypeNone ||
                 props->handleTypes == hipMemHandleTypePosixFileDescriptor,
             hipErrorNotSupported);
    *out = ls_pool_create(props, false);
    LS_RETURN(*out ? hipSuccess : hipErrorOutOfMemory);
}

LS_EXPORT hipError_t
hipMemPoolDestroy(hipMemPool_t pool)
{
    LS_CHECK(ls_pool_is_valid(pool) && !ls_pool_is_default(pool), hipErrorInvalidValue);
    ls_pool_destroy(pool);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPoolTrimTo(hipMemPool_t pool, size_t keep)
{
    LS_CHECK(ls_pool_is_valid(pool), hipErrorInvalidValue);
    ls_pool_trim(pool, keep);
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attr, void *value)
{
    LS_CHECK(ls_pool_is_valid(pool) && value, hipErrorInvalidValue);
    LS_RETURN(ls_pool_set_attribute(pool, attr, value));
}

LS_EXPORT hipError_t
hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attr, void *value)
{
    LS_CHECK(ls_pool_is_valid(pool) && value, hipErrorInvalidValue);
    LS_RETURN(ls_pool_get_attribute(pool, attr, value));
}

/* A pool's own device has access always. */
LS_EXPORT hipError_t
hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list, size_t n)
{
    LS_CHECK(ls_pool_is_valid(pool) && list, hipErrorInvalidValue);
    LS_CHECK(n <= (size_t)ls_rt.n_devices, hipErrorInvalidDevice);
    for (size_t i = 0; i < n; i++) {
        LS_CHECK(list[i].location.type == hipMemLocationTypeDevice, hipErrorInvalidValue);
        LS_CHECK(ls_gpu_exists(list[i].location.id), hipErrorInvalidDevice);
        LS_CHECK(list[i].flags != hipMemAccessFlagsProtNone, hipErrorInvalidDevice);
        LS_CHECK(list[i].flags == hipMemAccessFlagsProtRead ||
                     list[i].flags == hipMemAccessFlagsProtReadWrite,
                 hipErrorInvalidValue);
        ls_pool_set_access(pool, (uint32_t)list[i].location.id, list[i].flags);
    }
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool, hipMemLocation *location)
{
    LS_CHECK(ls_pool_is_valid(pool) && flags && location, hipErrorInvalidValue);
    LS_CHECK(location->type == hipMemLocationTypeDevice && ls_gpu_exists(location->id),
             hipErrorInvalidValue);
    *flags = ls_pool_get_access(pool, (uint32_t)location->id);
    LS_RETURN(hipSuccess);
}

/* By location: pools of pinned memory of a device */

static hipError_t
check_location(const hipMemLocation *where, hipMemAllocationType type)
{
    if (!where || where->type != hipMemLocationTypeDevice || !ls_gpu_exists(where->id))
        return ls_err(hipErrorInvalidValue, "no device's location");
    if (type != hipMemAllocationTypePinned)
        return ls_err(type == hipMemAllocationTypeInvalid ? hipErrorInvalidValue
                                                          : hipErrorNotSupported,
                      "pools of allocation type %d", (int)type);
    return hipSuccess;
}

LS_EXPORT hipError_t
hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool)
{
    hipError_t err;

    LS_CHECK(ls_pool_is_valid(pool), hipErrorInvalidValue);
    LS_TRY(check_location(location, type));
    err = ls_pool_set_current((uint32_t)location->id, pool);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location, hipMemAllocationType type)
{
    hipError_t err;

    LS_CHECK(pool, hipErrorInvalidValue);
    LS_TRY(check_location(location, type));
    *pool = ls_pool_current((uint32_t)location->id);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemGetDefaultMemPool(hipMemPool_t *pool, hipMemLocation *location, hipMemAllocationType type)
{
    hipError_t err;

    LS_CHECK(pool, hipErrorInvalidValue);
    LS_TRY(check_location(location, type));
    *pool = ls_pool_default((uint32_t)location->id);
out:
    LS_RETURN(err);
}

/* Allocation */

/* A bad stream has another error here than elsewhere. */
static hipError_t
resolve(hipStream_t handle, struct ihipStream_t **stream)
{
    hipError_t err = ls_stream_resolve(handle, stream);

    return err == hipErrorContextIsDestroyed ? hipErrorInvalidHandle : err;
}

/* pool NULL: the current one of the stream's device. */
static hipError_t
allocate(void **ptr, size_t bytes, hipMemPool_t pool, hipStream_t handle)
{
    struct ihipStream_t *stream;
    hipError_t err;

    LS_TRY(resolve(handle, &stream));
    if (!pool)
        pool = ls_pool_current(stream->dev->index);
    if (bytes > 0 && ls_stream_is_capturing(stream))
        err = ls_capture_alloc(stream, (uint32_t)ls_pool_props(pool)->location.id, bytes, ptr);
    else
        err = ls_pool_alloc(pool, bytes, stream, ptr);
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMallocAsync(void **ptr, size_t bytes, hipStream_t stream)
{
    LS_ENTER();
    LS_CHECK(ptr, hipErrorInvalidValue);
    return allocate(ptr, bytes, NULL, stream);
}

LS_EXPORT hipError_t
hipMallocFromPoolAsync(void **ptr, size_t bytes, hipMemPool_t pool, hipStream_t stream)
{
    LS_ENTER();
    LS_CHECK(ptr && ls_pool_is_valid(pool), hipErrorInvalidValue);
    return allocate(ptr, bytes, pool, stream);
}

LS_EXPORT hipError_t
hipFreeAsync(void *ptr, hipStream_t handle)
{
    const unsigned kinds =
        1u << LS_MEM_DEVICE | 1u << LS_MEM_MANAGED | 1u << LS_MEM_POOL | 1u << LS_MEM_SHARED;
    struct ihipStream_t *stream;
    struct ls_mem_range range;
    struct ls_cmd *cmd;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ptr, hipErrorInvalidValue);
    LS_TRY(resolve(handle, &stream));
    if (!ls_mem_find(ptr, &range) || !(kinds & 1u << range.kind) ||
        (range.base != ptr && range.kind != LS_MEM_SHARED))
        LS_TRY(ls_err(hipErrorInvalidValue, "%p is no device allocation", ptr));
    if (range.kind == LS_MEM_POOL && !ls_stream_is_capturing(stream)) {
        err = ls_pool_free(range.owner, ptr, stream);
        goto out;
    }
    cmd = ls_cmd_create(stream, LS_CMD_FREE);
    if (!cmd)
        LS_TRY(hipErrorOutOfMemory);
    cmd->memory = ptr;
    cmd->free_memory = ls_graph_mem_free_any;
    if (!ls_stream_is_capturing(stream))
        ls_graph_mem_pay(ptr);
    err = ls_stream_do(cmd);
out:
    LS_RETURN(err);
}

/* Between processes */

#define POOL_MAGIC 0x4c53504fu

/* Contents of the file that stands for an exported pool. */
struct pool_file {
    uint32_t magic;
    hipMemPoolProps props;
};

/* Whether these are properties of a pool. Its device may not exist in this process, as an imported
 * pool only gives memory by pointers that the other process exports. */
static bool
is_pool(hipMemPoolProps *props)
{
    if (props->allocType != hipMemAllocationTypePinned ||
        props->location.type != hipMemLocationTypeDevice ||
        props->handleTypes != hipMemHandleTypePosixFileDescriptor)
        return false;
    if (!ls_gpu_exists(props->location.id))
        props->location.id = (int)ls_gpu_current()->dev.index;
    return true;
}

LS_EXPORT hipError_t
hipMemPoolExportToShareableHandle(void *out, hipMemPool_t pool, hipMemAllocationHandleType type,
                                  unsigned flags)
{
    struct pool_file file = {.magic = POOL_MAGIC};
    int fd;

    LS_CHECK(ls_pool_is_valid(pool) && out && flags == 0, hipErrorInvalidValue);
    LS_CHECK(type != hipMemHandleTypeNone && type == ls_pool_props(pool)->handleTypes,
             hipErrorInvalidValue);
    file.props = *ls_pool_props(pool);
    fd = ls_file_memory("hip-pool", sizeof(file));
    LS_CHECK(fd >= 0, hipErrorOutOfMemory);
    if (ls_file_pwrite(fd, &file, sizeof(file), 0) != (ssize_t)sizeof(file)) {
        close(fd);
        LS_RETURN(hipErrorOutOfMemory);
    }
    *(int *)out = fd; /* from here on the caller owns it */
    LS_RETURN(hipSuccess);
}

/* `handle` is the file descriptor itself, cast. */
LS_EXPORT hipError_t
hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle,
                                    hipMemAllocationHandleType type, unsigned flags)
{
    struct pool_file file;
    uint64_t bytes;

    LS_ENTER();
    LS_CHECK(pool && handle && flags == 0, hipErrorInvalidValue);
    LS_CHECK(type == hipMemHandleTypePosixFileDescriptor, hipErrorInvalidValue);
    if (!ls_sealed_is((int)(intptr_t)handle, &bytes) || bytes != sizeof(file) ||
        pread((int)(intptr_t)handle, &file, sizeof(file), 0) != (ssize_t)sizeof(file) ||
        file.magic != POOL_MAGIC || !is_pool(&file.props))
        LS_RETURN(ls_err(hipErrorOutOfMemory, "%d is no exported pool", (int)(intptr_t)handle));
    *pool = ls_pool_create(&file.props, true);
    LS_RETURN(*pool ? hipSuccess : hipErrorOutOfMemory);
}

LS_EXPORT hipError_t
hipMemPoolExportPointer(hipMemPoolPtrExportData *data, void *ptr)
{
    struct ls_share_handle handle;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(data && ptr, hipErrorInvalidValue);
    LS_TRY(ls_share_export(ptr, &handle));
    memset(data, 0, sizeof(*data));
    memcpy(data->reserved, &handle, sizeof(handle));
out:
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipMemPoolImportPointer(void **ptr, hipMemPool_t pool, hipMemPoolPtrExportData *data)
{
    struct ls_share_handle handle;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ptr && ls_pool_is_valid(pool) && data, hipErrorInvalidValue);
    memcpy(&handle, data->reserved, sizeof(handle));
    err = ls_share_open(&handle, true, ptr);
    LS_RETURN(err == hipErrorInvalidDevicePointer ? hipErrorOutOfMemory : err);
}
