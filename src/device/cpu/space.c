/* SPDX-License-Identifier: MIT */
/* Addresses and memory apart: reservations, and memory in files that is mapped into them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "device/cpu/cpu_priv.h"

struct ls_physical {
    int fd; /* owned; -1 = in the common file */
    uint64_t offset;
    size_t bytes;
};

/* Memory that is not for others lies in one sparse file: it needs no file descriptor of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int common_fd = -1;  /* guarded by lock */
static uint64_t common_end; /* guarded by lock */

hipError_t
ls_cpu_reserve(struct ls_device *dev, size_t bytes, size_t align, void *hint, void **ptr)
{
    (void)dev;
    *ptr = hint ? ls_heap_place(hint, bytes) : NULL;
    if (!*ptr)
        *ptr = ls_heap_map(bytes, align, PROT_NONE);
    return *ptr ? hipSuccess : hipErrorOutOfMemory;
}

void
ls_cpu_unreserve(struct ls_device *dev, void *ptr, size_t bytes)
{
    (void)dev;
    ls_heap_unmap(ptr, bytes);
}

static bool
add_to_common(struct ls_physical *p)
{
    bool ok;

    pthread_mutex_lock(&lock);
    if (common_fd < 0)
        common_fd = memfd_create("hip-memory-private", MFD_CLOEXEC);
    ok = common_fd >= 0 && ls_file_resize(common_fd, common_end + p->bytes) == 0;
    if (ok) {
        p->offset = common_end;
        common_end += p->bytes;
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

hipError_t
ls_cpu_physical_create(struct ls_device *dev, size_t bytes, const char *name,
                       struct ls_physical **out)
{
    struct ls_physical *p = calloc(1, sizeof(*p));
    bool ok;

    (void)dev;
    if (!p)
        return hipErrorOutOfMemory;
    p->bytes = bytes;
    p->fd = name ? ls_file_memory(name, bytes) : -1;
    ok = name ? p->fd >= 0 : add_to_common(p);
    *out = ok ? p : NULL;
    if (!ok)
        free(p);
    return ok ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t
ls_cpu_physical_import(struct ls_device *dev, int fd, struct ls_physical **out)
{
    struct ls_physical *p = calloc(1, sizeof(*p));
    struct stat st;

    (void)dev;
    if (!p)
        return hipErrorOutOfMemory;
    p->fd = fstat(fd, &st) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (p->fd < 0) {
        free(p);
        return hipErrorInvalidValue;
    }
    p->bytes = (size_t)st.st_size;
    *out = p;
    return hipSuccess;
}

int
ls_cpu_physical_file(struct ls_device *dev, const struct ls_physical *p)
{
    (void)dev;
    return p->fd >= 0 ? fcntl(p->fd, F_DUPFD_CLOEXEC, 0) : -1;
}

void
ls_cpu_physical_destroy(struct ls_device *dev, struct ls_physical *p)
{
    (void)dev;
    if (p->fd >= 0)
        close(p->fd);
    else
        fallocate(common_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)p->offset,
                  (off_t)p->bytes);
    free(p);
}

hipError_t
ls_cpu_space_map(struct ls_device *dev, void *ptr, size_t bytes, struct ls_physical *p,
                 uint64_t offset)
{
    (void)dev;
    return mmap(ptr, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p->fd >= 0 ? p->fd : common_fd,
                (off_t)(p->offset + offset)) == ptr
               ? hipSuccess
               : hipErrorOutOfMemory;
}

hipError_t
ls_cpu_space_unmap(struct ls_device *dev, void *ptr, size_t bytes)
{
    (void)dev;
    return mmap(ptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) == ptr
               ? hipSuccess
               : hipErrorOutOfMemory;
}

static int
prot_of(hipMemAccessFlags access)
{
    return access == hipMemAccessFlagsProtReadWrite ? PROT_READ | PROT_WRITE
           : access == hipMemAccessFlagsProtRead    ? PROT_READ
                                                    : PROT_NONE;
}

hipError_t
ls_cpu_space_access(struct ls_device *dev, void *ptr, size_t bytes, hipMemAccessFlags access)
{
    (void)dev;
    return mprotect(ptr, bytes, prot_of(access)) == 0 ? hipSuccess : hipErrorOutOfMemory;
}

void
ls_cpu_expose(struct ls_device *dev, void *ptr, size_t bytes, hipMemAccessFlags access)
{
    (void)dev;
    mprotect(ptr, bytes, prot_of(access));
}

/* Copies memory into a file and puts the file in its place. */
hipError_t
ls_cpu_share(struct ls_device *dev, void *ptr, size_t bytes, const char *name, int *out)
{
    size_t whole = (bytes + LS_CPU_PAGE - 1) / LS_CPU_PAGE * LS_CPU_PAGE, done = 0;
    int fd = ls_file_memory(name, bytes); /* what importers learn of its size */
    ssize_t n = 1;

    (void)dev;
    while (fd >= 0 && done < bytes && n > 0) {
        n = ls_file_pwrite(fd, (char *)ptr + done, bytes - done, (off_t)done);
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0 && done == bytes &&
        mmap(ptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == ptr) {
        *out = fd;
        return hipSuccess;
    }
    if (fd >= 0)
        close(fd);
    return hipErrorOutOfMemory;
}

bool
ls_cpu_unshare(struct ls_device *dev, void *ptr, size_t bytes)
{
    size_t whole = (bytes + LS_CPU_PAGE - 1) / LS_CPU_PAGE * LS_CPU_PAGE;

    (void)dev;
    return mmap(ptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == ptr;
}
