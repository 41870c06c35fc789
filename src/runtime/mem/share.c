/* SPDX-License-Identifier: MIT */
/* Sharing of memory between processes. Device memory has pages of its own; the first time it is
 * exported they are replaced, in place, by those of a memory file. */
#include "runtime/mem/share.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/file.h"
#include "runtime/core/core.h"
#include "runtime/mem/mem.h"
#include "runtime/queue/queue.h"

/* Two names, so that no device takes the file of another kind for its own. */
#define MEMORY_NAME "hip-ipc"
#define TICKET_NAME "hip-ipc-ticket"

/* Device memory of this process that others may have mapped. */
struct export
{
    struct export *next;
    char *base;
    size_t bytes;
    uint32_t device;
    size_t freed_bytes; /* of stuck ones: size of the allocation, for the device */
    int fd;             /* owned */
};

/* A mapping of memory that is not ours. */
struct segment {
    struct segment *next;
    char *map; /* owned: a reservation of the device, filled; or what it has attached */
    size_t map_bytes;
    struct ls_device *device;
    struct ls_physical *physical; /* owned; NULL: attached */
    char *base;                   /* start of its range in the map of pointers */
    dev_t dev;
    ino_t ino;
    unsigned refs;
    bool opened;   /* by ls_share_open: may be found by dev and ino */
    bool freeable; /* by ls_mem_free_any, too */
};

/* Lock order: the queue's, this, the map's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct export *exports;   /* guarded by lock */
static struct export *stuck;     /* guarded by lock: freed, but still in place of device memory */
static struct segment *segments; /* guarded by lock */

static const char *
name_for(const struct ls_device *dev)
{
    return dev->ops->mem.attach ? TICKET_NAME : MEMORY_NAME;
}

static size_t
pages(size_t bytes)
{
    return (bytes + LS_MEM_PAGE - 1) / LS_MEM_PAGE * LS_MEM_PAGE;
}

/* Exports */

static struct export *
find_export(const char *base)
{
    struct export *e = exports;

    while (e && e->base != base)
        e = e->next;
    return e;
}

struct job {
    const void *ptr;
    struct ls_share_handle *out;
    bool described;
};

/* Describes what is exported already. Lock held. */
static hipError_t
describe(struct job *job)
{
    struct ls_mem_range range;
    struct export *e;
    hipError_t err = hipSuccess;

    if (!ls_mem_find(job->ptr, &range) ||
        (range.kind != LS_MEM_DEVICE && range.kind != LS_MEM_POOL))
        return ls_err(hipErrorInvalidValue, "%p is no device memory", job->ptr);
    e = find_export(range.base);
    if (e) {
        size_t offset = (size_t)((const char *)job->ptr - range.base);

        err = ls_sealed_describe(e->fd, offset, range.bytes - offset, job->out);
        job->described = true;
    }
    return err;
}

/* Lock held. */
static hipError_t
add_export(const void *ptr)
{
    struct export *e = calloc(1, sizeof(*e));
    hipError_t err = hipErrorOutOfMemory;
    struct ls_mem_range range;
    struct ls_device *dev;

    if (!e || !ls_mem_find(ptr, &range)) {
        free(e);
        return err;
    }
    e->base = range.base;
    e->bytes = range.bytes;
    e->device = range.device;
    dev = &ls_rt.gpus[range.device].dev;
    err = dev->ops->mem.share(dev, e->base, e->bytes, name_for(dev), &e->fd);
    if (err != hipSuccess) {
        free(e);
        return ls_err(err, "%zu bytes to share", range.bytes);
    }
    ls_mem_set_exported(e->base);
    e->next = exports;
    exports = e;
    return hipSuccess;
}

/* Nothing runs on the device. */
static hipError_t
export_alone(void *arg)
{
    struct job *job = arg;
    hipError_t err;

    pthread_mutex_lock(&lock);
    err = describe(job);
    if (err == hipSuccess && !job->described)
        err = add_export(job->ptr);
    if (err == hipSuccess && !job->described)
        err = describe(job);
    pthread_mutex_unlock(&lock);
    return err;
}

hipError_t
ls_share_export(const void *ptr, struct ls_share_handle *out)
{
    struct job job = {ptr, out, false};
    hipError_t err;

    pthread_mutex_lock(&lock);
    err = describe(&job);
    pthread_mutex_unlock(&lock);
    if (err == hipSuccess && !job.described)
        err = ls_queue_run_alone(export_alone, &job);
    return err;
}

/* What others have mapped stays theirs; here it becomes ordinary memory again, unless the system
 * has no memory for the change. */
static bool
put_back(struct export *e)
{
    struct ls_device *dev = &ls_rt.gpus[e->device].dev;

    if (!dev->ops->mem.unshare(dev, e->base, e->bytes))
        return false;
    dev->ops->mem.free(dev, LS_MEMORY_DEVICE, e->base, e->freed_bytes);
    close(e->fd);
    free(e);
    return true;
}

void
ls_share_free(void *base, size_t bytes)
{
    struct export **at = &exports, *e, *list;

    LS_UNCANCELLED();
    pthread_mutex_lock(&lock);
    while (*at && (*at)->base != base)
        at = &(*at)->next;
    e = *at;
    if (e) {
        *at = e->next;
        e->freed_bytes = bytes;
        e->next = stuck;
        stuck = e;
    }
    list = stuck;
    stuck = NULL;
    while ((e = list) != NULL) {
        list = e->next;
        if (put_back(e))
            continue;
        e->next = stuck;
        stuck = e;
    }
    pthread_mutex_unlock(&lock);
}

/* Mappings */

static bool
fill_segment(struct segment *s, int fd, uint64_t first)
{
    const struct ls_device_ops *ops = s->device->ops;
    void *map;

    if (ops->space.import(s->device, fd, &s->physical) != hipSuccess)
        return false;
    if (ops->space.reserve(s->device, s->map_bytes, LS_MEM_PAGE, NULL, &map) == hipSuccess) {
        s->map = map;
        if (ops->space.map(s->device, map, s->map_bytes, s->physical, first) == hipSuccess &&
            ops->space.set_access(s->device, map, s->map_bytes, hipMemAccessFlagsProtReadWrite) ==
                hipSuccess)
            return true;
        ops->space.unreserve(s->device, map, s->map_bytes);
    }
    ops->space.destroy(s->device, s->physical);
    return false;
}

static struct segment *
map_segment(int fd, uint64_t offset, uint64_t bytes)
{
    uint64_t first = offset / LS_MEM_PAGE * LS_MEM_PAGE;
    struct segment *s = calloc(1, sizeof(*s));
    struct stat st;

    if (!s)
        return NULL;
    s->refs = 1;
    s->map_bytes = pages(offset - first + bytes);
    s->device = &ls_gpu_current()->dev;
    if (fstat(fd, &st) != 0 || !fill_segment(s, fd, first)) {
        free(s);
        return NULL;
    }
    s->dev = st.st_dev;
    s->ino = st.st_ino;
    s->base = s->map + (offset - first);
    return s;
}

static void
destroy_segment(struct segment *s)
{
    if (s->physical) {
        s->device->ops->space.unreserve(s->device, s->map, s->map_bytes);
        s->device->ops->space.destroy(s->device, s->physical);
    } else {
        s->device->ops->mem.detach(s->device, s->map);
    }
    free(s);
}

static bool
covers(const struct segment *s, const struct ls_share_handle *h)
{
    return h->offset <= s->map_bytes && h->bytes <= s->map_bytes - h->offset;
}

/* The whole of what another process has exported. */
static struct segment *
open_segment(int fd, uint64_t bytes, const struct ls_share_handle *h)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    struct segment *s;
    struct stat st;
    void *map;

    if (!dev->ops->mem.attach)
        return map_segment(fd, 0, bytes);
    s = fstat(fd, &st) == 0 ? calloc(1, sizeof(*s)) : NULL;
    if (!s)
        return NULL;
    *s = (struct segment){.device = dev, .dev = st.st_dev, .ino = st.st_ino, .refs = 1};
    if (dev->ops->mem.attach(dev, fd, &map, &s->map_bytes) != hipSuccess) {
        free(s);
        return NULL;
    }
    s->map = s->base = map;
    if (s->map_bytes > 0 && s->map_bytes <= bytes && covers(s, h))
        return s;
    destroy_segment(s);
    return NULL;
}

/* Lock held. */
static hipError_t
add_segment(struct segment *s, size_t bytes)
{
    if (!ls_mem_add((struct ls_mem_range){.base = s->base,
                                          .bytes = bytes,
                                          .kind = LS_MEM_SHARED,
                                          .owner = s,
                                          .device = (uint8_t)s->device->index,
                                          .access = hipMemAccessFlagsProtReadWrite})) {
        destroy_segment(s);
        return hipErrorOutOfMemory;
    }
    s->next = segments;
    segments = s;
    return hipSuccess;
}

hipError_t
ls_share_open(const struct ls_share_handle *h, bool freeable, void **ptr)
{
    int fd = ls_sealed_open(h, name_for(&ls_gpu_current()->dev));
    hipError_t err = hipSuccess;
    struct segment *s;
    uint64_t bytes;

    if (fd < 0)
        return ls_err(hipErrorInvalidDevicePointer, "memory of process %d is gone", h->pid);
    pthread_mutex_lock(&lock);
    s = segments;
    while (s && !(s->opened && (uint64_t)s->dev == h->dev && (uint64_t)s->ino == h->ino))
        s = s->next;
    if (s && !covers(s, h)) {
        err = ls_err(hipErrorInvalidValue, "a handle that says more than is shared");
    } else if (s) {
        s->refs++;
    } else {
        s = ls_sealed_is(fd, &bytes)
                ? open_segment(fd, bytes, h)
                : NULL; /* the whole file, so that this mapping serves all handles to it */
        if (s)
            err = add_segment(s, s->physical ? bytes : s->map_bytes);
        else /* what a device has attached is its owner's, who may be gone by now */
            err = ls_gpu_current()->dev.ops->mem.attach ? hipErrorInvalidDevicePointer
                                                        : hipErrorOutOfMemory;
        if (err == hipSuccess)
            s->opened = true;
    }
    if (err == hipSuccess) {
        s->freeable |= freeable;
        *ptr = s->base + h->offset;
    }
    pthread_mutex_unlock(&lock);
    close(fd);
    return err;
}

hipError_t
ls_share_map(int fd, uint64_t offset, uint64_t bytes, void **ptr)
{
    struct segment *s = map_segment(fd, offset, bytes);
    hipError_t err;

    if (!s)
        return ls_err(hipErrorOutOfMemory, "file %d can't be mapped", fd);
    pthread_mutex_lock(&lock);
    err = add_segment(s, bytes);
    if (err == hipSuccess)
        *ptr = s->base;
    pthread_mutex_unlock(&lock);
    return err;
}

/* Lock held. */
static void
remove_segment(struct segment *s)
{
    struct segment **at = &segments;

    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
}

hipError_t
ls_share_close(void *ptr)
{
    struct ls_mem_range range;
    struct segment *s, *gone = NULL;
    hipError_t err = hipSuccess;

    pthread_mutex_lock(&lock);
    if (!ls_mem_find(ptr, &range) || range.kind != LS_MEM_SHARED) {
        err = ls_err(hipErrorInvalidValue, "%p is no memory of another process", ptr);
    } else {
        for (s = segments; s && s != range.owner; s = s->next)
            continue;
        if (s && --s->refs == 0 && ls_mem_take(range.base, 1u << LS_MEM_SHARED, &range)) {
            remove_segment(s);
            gone = s;
        }
    }
    pthread_mutex_unlock(&lock);
    if (gone)
        destroy_segment(gone);
    return err;
}

/* Asks about the segment that holds ptr. While the lock is held, a segment that the map of pointers
 * knows is not unmapped. */
static bool
ask(const void *ptr, bool freeable)
{
    const struct segment *s = NULL;
    struct ls_mem_range range;
    bool yes = false;

    pthread_mutex_lock(&lock);
    if (ls_mem_find(ptr, &range) && range.kind == LS_MEM_SHARED)
        for (s = segments; s && s != range.owner; s = s->next)
            continue;
    if (s)
        yes = freeable ? !s->opened || s->freeable : s->opened;
    pthread_mutex_unlock(&lock);
    return yes;
}

bool
ls_share_is_opened(const void *ptr)
{
    return ask(ptr, false);
}

bool
ls_share_is_freeable(const void *ptr)
{
    return ask(ptr, true);
}

void
ls_share_unmap(void *owner)
{
    struct segment *s = owner;

    pthread_mutex_lock(&lock);
    remove_segment(s);
    pthread_mutex_unlock(&lock);
    destroy_segment(s);
}
