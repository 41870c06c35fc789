/* SPDX-License-Identifier: MIT */
/* Memory and semaphores of other APIs, by file descriptors: memory that can be mapped, and eventfd
 * counters for semaphores. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/api/api.h"
#include "runtime/graph/stream.h"
#include "runtime/mem/external.h"
#include "runtime/mem/share.h"

/* Memory */

/* The file must be one that can be mapped: a memory file, or a buffer of a driver that allows it.
 * As the caller has opened it, it reaches nothing by this that it could not reach before. Where the
 * file is made shorter afterwards, accesses fault. */
LS_EXPORT hipError_t
hipImportExternalMemory(hipExternalMemory_t *out, const hipExternalMemoryHandleDesc *desc)
{
    struct ls_external *e;
    struct stat st;
    void *map;

    LS_ENTER();
    LS_CHECK(out && desc && desc->size > 0, hipErrorInvalidValue);
    LS_CHECK(desc->flags == 0 || desc->flags == hipExternalMemoryDedicated, hipErrorInvalidValue);
    LS_CHECK(desc->type >= hipExternalMemoryHandleTypeOpaqueFd &&
                 desc->type <= hipExternalMemoryHandleTypeD3D11ResourceKmt,
             hipErrorInvalidValue);
    LS_CHECK(desc->type == hipExternalMemoryHandleTypeOpaqueFd, hipErrorOutOfMemory);
    LS_CHECK(fcntl(desc->handle.fd, F_GETFD) >= 0, hipErrorInvalidValue);
    LS_CHECK(fstat(desc->handle.fd, &st) == 0, hipErrorInvalidValue);
    LS_CHECK(!S_ISREG(st.st_mode) || desc->size <= (uint64_t)st.st_size, hipErrorInvalidValue);
    map = mmap(NULL, desc->size, PROT_READ | PROT_WRITE, MAP_SHARED, desc->handle.fd, 0);
    LS_CHECK(map != MAP_FAILED, hipErrorOutOfMemory);
    munmap(map, desc->size);
    e = ls_external_add(LS_EXTERNAL_MEMORY, desc->handle.fd, desc->size);
    LS_CHECK(e, hipErrorOutOfMemory);
    *out = e;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipExternalMemoryGetMappedBuffer(void **ptr, hipExternalMemory_t memory,
                                 const hipExternalMemoryBufferDesc *desc)
{
    struct ls_external *e;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ptr && memory && desc && desc->flags == 0 && desc->size > 0, hipErrorInvalidValue);
    e = ls_external_ref(memory, LS_EXTERNAL_MEMORY);
    LS_CHECK(e, hipErrorInvalidValue);
    if (desc->offset > e->bytes || desc->size > e->bytes - desc->offset)
        err = ls_err(hipErrorInvalidValue, "%llu bytes at %llu of %llu", desc->size, desc->offset,
                     (unsigned long long)e->bytes);
    else
        err = ls_share_map(e->fd, desc->offset, desc->size, ptr);
    ls_external_unref(e);
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipDestroyExternalMemory(hipExternalMemory_t memory)
{
    LS_CHECK(memory, hipErrorInvalidValue);
    LS_RETURN(ls_external_destroy(memory, LS_EXTERNAL_MEMORY));
}

/* Semaphores. ROCm on Linux has none. Here opaque file descriptors may be eventfd counters: a
 * signal adds one, a wait takes one away. */

static bool
is_eventfd(int fd)
{
    static const char name[] = "anon_inode:[eventfd]";
    char path[64], target[64];
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    n = readlink(path, target, sizeof(target));
    return n == (ssize_t)sizeof(name) - 1 && memcmp(target, name, sizeof(name) - 1) == 0;
}

LS_EXPORT hipError_t
hipImportExternalSemaphore(hipExternalSemaphore_t *out, const hipExternalSemaphoreHandleDesc *desc)
{
    struct ls_external *e;

    LS_ENTER();
    LS_CHECK(out && desc, hipErrorInvalidValue);
    LS_CHECK(desc->type >= hipExternalSemaphoreHandleTypeOpaqueFd &&
                 desc->type <= hipExternalSemaphoreHandleTypeD3D12Fence,
             hipErrorInvalidValue);
    LS_CHECK(desc->type != hipExternalSemaphoreHandleTypeOpaqueFd || desc->handle.fd != 0,
             hipErrorInvalidValue);
    LS_CHECK(desc->type == hipExternalSemaphoreHandleTypeOpaqueFd && is_eventfd(desc->handle.fd),
             hipErrorNotSupported);
    e = ls_external_add(LS_EXTERNAL_SEMAPHORE, desc->handle.fd, 0);
    LS_CHECK(e, hipErrorOutOfMemory);
    *out = e;
    LS_RETURN(hipSuccess);
}

static hipError_t
enqueue_semaphore(struct ihipStream_t *stream, hipExternalSemaphore_t semaphore, bool waits)
{
    struct ls_cmd *cmd = ls_cmd_create(stream, waits ? LS_CMD_POLL : LS_CMD_CALL);
    struct ls_external *e;
    hipError_t err;

    if (!cmd)
        return hipErrorOutOfMemory;
    e = ls_external_ref(semaphore, LS_EXTERNAL_SEMAPHORE);
    if (!e) {
        ls_cmd_cancel(cmd);
        return ls_err(hipErrorInvalidValue, "%p is no semaphore", semaphore);
    }
    memcpy(cmd->bytes, &e, sizeof(e));
    cmd->call = waits ? ls_semaphore_wait : ls_semaphore_signal;
    err = ls_stream_do(cmd);
    if (err != hipSuccess) /* a stream that is capturing: there are other functions that make nodes
                              of semaphores */
        ls_external_unref(e);
    return err;
}

/* Enqueues the operations on all semaphores, or none when one of the handles is not valid. */
static hipError_t
enqueue_semaphores(hipStream_t handle, const hipExternalSemaphore_t *semaphores, unsigned n,
                   bool waits)
{
    struct ihipStream_t *stream;
    hipError_t err = hipSuccess;

    if (ls_stream_resolve(handle, &stream) != hipSuccess)
        return hipErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        if (!semaphores[i])
            return ls_err(hipErrorInvalidValue, "semaphore %u is NULL", i);
    for (unsigned i = 0; i < n; i++)
        LS_TRY(enqueue_semaphore(stream, semaphores[i], waits));
out:
    return err;
}

LS_EXPORT hipError_t
hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *semaphores,
                                 const hipExternalSemaphoreSignalParams *params, unsigned n,
                                 hipStream_t handle)
{
    LS_ENTER();
    LS_CHECK(semaphores && params, hipErrorInvalidValue);
    for (unsigned i = 0; i < n; i++)
        LS_CHECK(params[i].flags == 0, hipErrorInvalidValue);
    LS_RETURN(enqueue_semaphores(handle, semaphores, n, false));
}

LS_EXPORT hipError_t
hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *semaphores,
                               const hipExternalSemaphoreWaitParams *params, unsigned n,
                               hipStream_t handle)
{
    LS_ENTER();
    LS_CHECK(semaphores && params, hipErrorInvalidValue);
    for (unsigned i = 0; i < n; i++)
        LS_CHECK(params[i].flags == 0, hipErrorInvalidValue);
    LS_RETURN(enqueue_semaphores(handle, semaphores, n, true));
}

LS_EXPORT hipError_t
hipDestroyExternalSemaphore(hipExternalSemaphore_t semaphore)
{
    LS_CHECK(semaphore, hipErrorInvalidValue);
    LS_RETURN(ls_external_destroy(semaphore, LS_EXTERNAL_SEMAPHORE));
}
