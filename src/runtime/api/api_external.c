/* SPDX-License-Identifier: MIT */
/* Memory and semaphores of other APIs, by file descriptors: memory that can be mapped, and eventfd
 * counters for semaphores. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel.h"
#include "runtime/api/api.h"
#include "runtime/mem/external.h"
#include "runtime/mem/share.h"

#define MEMORY_MAGIC    0x4c53454du
#define SEMAPHORE_MAGIC 0x4c535345u

/* Handles are freed when destroyed, and told from stale ones by a list of those alive. */
struct external {
    struct external *next;
    uint32_t magic;
    int fd; /* owned: an import takes it */
    uint64_t bytes;
    unsigned refs; /* the handle and commands on their way */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct external *alive; /* guarded by lock, as refs */

static struct external *
add_external(uint32_t magic, int fd, uint64_t bytes)
{
    struct external *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    *e = (struct external){.magic = magic, .fd = fd, .bytes = bytes, .refs = 1};
    pthread_mutex_lock(&lock);
    e->next = alive;
    alive = e;
    pthread_mutex_unlock(&lock);
    return e;
}

/* A reference to a handle that is alive; NULL when it is not. */
static struct external *
ref_external(const void *handle, uint32_t magic)
{
    struct external *e;

    pthread_mutex_lock(&lock);
    for (e = alive; e && (e != handle || e->magic != magic); e = e->next)
        continue;
    if (e)
        e->refs++;
    pthread_mutex_unlock(&lock);
    return e;
}

static void
unref_external(struct external *e)
{
    bool last;

    pthread_mutex_lock(&lock);
    last = --e->refs == 0;
    pthread_mutex_unlock(&lock);
    if (last) {
        close(e->fd);
        free(e);
    }
}

static hipError_t
destroy_external(const void *handle, uint32_t magic)
{
    struct external **at, *e;

    pthread_mutex_lock(&lock);
    for (at = &alive; *at && (*at != handle || (*at)->magic != magic); at = &(*at)->next)
        continue;
    e = *at;
    if (e)
        *at = e->next;
    pthread_mutex_unlock(&lock);
    if (!e)
        return ls_err(hipErrorInvalidValue, "%p is no handle", handle);
    unref_external(e);
    return hipSuccess;
}

/* Memory */

/* The file must be one that can be mapped: a memory file, or a buffer of a driver that allows it. The caller has opened
 * it: it reaches nothing by this that it could not reach before. A file that is made shorter afterwards gives faults. */
LS_EXPORT hipError_t
hipImportExternalMemory(hipExternalMemory_t *out, const hipExternalMemoryHandleDesc *desc)
{
    struct external *e;
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
    e = add_external(MEMORY_MAGIC, desc->handle.fd, desc->size);
    LS_CHECK(e, hipErrorOutOfMemory);
    *out = e;
    LS_RETURN(hipSuccess);
}

LS_EXPORT hipError_t
hipExternalMemoryGetMappedBuffer(void **ptr, hipExternalMemory_t memory,
                                 const hipExternalMemoryBufferDesc *desc)
{
    struct external *e;
    hipError_t err;

    LS_ENTER();
    LS_CHECK(ptr && memory && desc && desc->flags == 0 && desc->size > 0, hipErrorInvalidValue);
    e = ref_external(memory, MEMORY_MAGIC);
    LS_CHECK(e, hipErrorInvalidValue);
    if (desc->offset > e->bytes || desc->size > e->bytes - desc->offset)
        err = ls_err(hipErrorInvalidValue, "%llu bytes at %llu of %llu", desc->size, desc->offset,
                     (unsigned long long)e->bytes);
    else
        err = ls_share_map(e->fd, desc->offset, desc->size, ptr);
    unref_external(e);
    LS_RETURN(err);
}

LS_EXPORT hipError_t
hipDestroyExternalMemory(hipExternalMemory_t memory)
{
    LS_CHECK(memory, hipErrorInvalidValue);
    LS_RETURN(destroy_external(memory, MEMORY_MAGIC));
}

/* Semaphores. ROCm on Linux has none: of opaque files only eventfd counters are taken, which one
 * signal raises and one wait lowers. */

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
    struct external *e;

    LS_ENTER();
    LS_CHECK(out && desc, hipErrorInvalidValue);
    LS_CHECK(desc->type >= hipExternalSemaphoreHandleTypeOpaqueFd &&
                 desc->type <= hipExternalSemaphoreHandleTypeD3D12Fence,
             hipErrorInvalidValue);
    LS_CHECK(desc->type != hipExternalSemaphoreHandleTypeOpaqueFd || desc->handle.fd != 0,
             hipErrorInvalidValue);
    LS_CHECK(desc->type == hipExternalSemaphoreHandleTypeOpaqueFd && is_eventfd(desc->handle.fd),
             hipErrorNotSupported);
    e = add_external(SEMAPHORE_MAGIC, desc->handle.fd, 0);
    LS_CHECK(e, hipErrorOutOfMemory);
    *out = e;
    LS_RETURN(hipSuccess);
}

static bool
raise_semaphore(void *data)
{
    struct external *e = *(struct external **)data;
    uint64_t one = 1;

    LS_UNCANCELLED();
    if (write(e->fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
        ls_log(LS_LOG_ERROR, "an external semaphore can't be signalled");
    return true;
}

static bool
lower_semaphore(void *data)
{
    struct external *e = *(struct external **)data;
    struct pollfd p = {.fd = e->fd, .events = POLLIN};
    uint64_t count;

    LS_UNCANCELLED();
    if (poll(&p, 1, 0) != 1 || !(p.revents & POLLIN))
        return false;
    if (read(e->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
        return false;
    count--; /* one wait takes one signal */
    if (count > 0 && write(e->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
        ls_log(LS_LOG_ERROR, "signals of an external semaphore are lost");
    return true;
}

/* As commands, which own a reference. */

static bool
signal_semaphore(void *data)
{
    raise_semaphore(data);
    unref_external(*(struct external **)data);
    return true;
}

static bool
wait_semaphore(void *data)
{
    bool done = lower_semaphore(data);

    if (done)
        unref_external(*(struct external **)data);
    return done;
}

void
ls_semaphore_ref_steps(const struct ls_step *steps, unsigned n)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n; i++)
        (*(struct external *const *)(const void *)steps[i].data)->refs++;
    pthread_mutex_unlock(&lock);
}

void
ls_semaphore_unref_steps(const struct ls_step *steps, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        unref_external(*(struct external *const *)(const void *)steps[i].data);
}

hipError_t
ls_semaphore_steps(const hipExternalSemaphore_t *semaphores, unsigned n, bool waits,
                   struct ls_step *steps)
{
    for (unsigned i = 0; i < n; i++) {
        struct external *e = ref_external(semaphores[i], SEMAPHORE_MAGIC);

        if (!e) {
            ls_semaphore_unref_steps(steps, i);
            return ls_err(hipErrorInvalidValue, "%p is no semaphore", semaphores[i]);
        }
        steps[i].call = waits ? lower_semaphore : raise_semaphore;
        steps[i].waits = waits;
        memcpy(steps[i].data, &e, sizeof(e));
    }
    return hipSuccess;
}

static hipError_t
enqueue_semaphore(struct ihipStream_t *stream, hipExternalSemaphore_t semaphore, bool waits)
{
    struct ls_cmd *cmd = ls_cmd_create(stream, waits ? LS_CMD_POLL : LS_CMD_CALL);
    struct external *e;
    hipError_t err;

    if (!cmd)
        return hipErrorOutOfMemory;
    e = ref_external(semaphore, SEMAPHORE_MAGIC);
    if (!e) {
        ls_cmd_cancel(cmd);
        return ls_err(hipErrorInvalidValue, "%p is no semaphore", semaphore);
    }
    memcpy(cmd->bytes, &e, sizeof(e));
    cmd->call = waits ? wait_semaphore : signal_semaphore;
    err = ls_cmd_enqueue(cmd);
    if (err != hipSuccess) /* captured: there are nodes for it */
        unref_external(e);
    return err;
}

/* All of them, or none when one is missing. */
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
    LS_RETURN(destroy_external(semaphore, SEMAPHORE_MAGIC));
}
