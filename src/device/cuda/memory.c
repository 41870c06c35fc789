/* SPDX-License-Identifier: MIT */
/* Memory of all kinds, as the driver gives it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "device/cuda/cuda_priv.h"

/* The driver aligns as it likes. Where that is too little more is asked for, and the piece begins
 * within what was got. */
struct piece {
    struct piece *next;
    uint64_t ptr, base;
};
#define N_BUCKETS 64u

static pthread_mutex_t pieces_lock = PTHREAD_MUTEX_INITIALIZER;
static struct piece *pieces[N_BUCKETS]; /* guarded by pieces_lock */

static struct piece **
bucket_of(uint64_t ptr)
{
    return &pieces[(ptr >> 12) % N_BUCKETS];
}

static bool
note_piece(uint64_t ptr, uint64_t base)
{
    struct piece *p = malloc(sizeof(*p));

    if (!p)
        return false;
    pthread_mutex_lock(&pieces_lock);
    *p = (struct piece){*bucket_of(ptr), ptr, base};
    *bucket_of(ptr) = p;
    pthread_mutex_unlock(&pieces_lock);
    return true;
}

/* What the driver knows the piece as. */
static uint64_t
take_base(uint64_t ptr)
{
    struct piece **at, *p;

    pthread_mutex_lock(&pieces_lock);
    for (at = bucket_of(ptr); *at && (*at)->ptr != ptr; at = &(*at)->next)
        continue;
    p = *at;
    if (p)
        *at = p->next;
    pthread_mutex_unlock(&pieces_lock);
    ptr = p ? p->base : ptr;
    free(p);
    return ptr;
}

static int
get(enum ls_memory memory, size_t bytes, uint64_t *base)
{
    size_t free_bytes, total_bytes;
    void *p = NULL;
    int result;

    switch (memory) {
    case LS_MEMORY_PINNED:
        result = LS_CU(cuMemHostAlloc, &p, bytes, LS_CU_HOST_PORTABLE | LS_CU_HOST_MAPPED);
        *base = ls_cuda_address(p);
        return result;
    case LS_MEMORY_MANAGED:
        result = LS_CU(cuMemGetInfo, &free_bytes, &total_bytes);
        if (result == LS_CU_SUCCESS && bytes > free_bytes)
            result = LS_CU_OUT_OF_MEMORY; /* the driver would move the rest to and fro */
        return result == LS_CU_SUCCESS ? LS_CU(cuMemAllocManaged, base, bytes, LS_CU_MANAGED_GLOBAL)
                                       : result;
    case LS_MEMORY_DEVICE:
    default:
        return LS_CU(cuMemAlloc, base, bytes);
    }
}

static void
give_back(enum ls_memory memory, uint64_t base)
{
    if (memory == LS_MEMORY_PINNED)
        LS_CU(cuMemFreeHost, (void *)(uintptr_t)base);
    else
        LS_CU(cuMemFree, base);
}

hipError_t
ls_cuda_alloc(struct ls_device *dev, enum ls_memory memory, size_t bytes, size_t align, void **ptr)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    uint64_t base, at;
    int result;
    LS_CUDA_ENTER(c);

    *ptr = NULL;
    if (bytes == 0 || bytes > SIZE_MAX / 2 || align > SIZE_MAX / 4)
        return hipErrorOutOfMemory;
    result = get(memory, bytes, &base);
    if (result != LS_CU_SUCCESS)
        return ls_cuda_failed(c, result);
    if (align > 1 && base % align != 0) {
        give_back(memory, base);
        result = get(memory, bytes + align, &base);
        if (result != LS_CU_SUCCESS)
            return ls_cuda_failed(c, result);
        at = (base + align - 1) / align * align;
        if (at != base && !note_piece(at, base)) {
            give_back(memory, base);
            return hipErrorOutOfMemory;
        }
        base = at;
    }
    *ptr = (void *)(uintptr_t)base;
    return hipSuccess;
}

void
ls_cuda_free(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes)
{
    LS_CUDA_ENTER(ls_cuda_of(dev));

    (void)bytes;
    give_back(memory, take_base(ls_cuda_address(ptr)));
}

enum ls_cuda_place
ls_cuda_place_of(const void *ptr)
{
    unsigned type = 0, is_managed = 0;
    int what[] = {LS_CU_POINTER_MEMORY_TYPE, LS_CU_POINTER_IS_MANAGED};
    void *values[] = {&type, &is_managed};

    /* What it does not know is no error: then both stay 0. */
    if (LS_CU(cuPointerGetAttributes, 2, what, values, ls_cuda_address(ptr)) != LS_CU_SUCCESS)
        return LS_CUDA_PAGEABLE;
    if (is_managed & 0xffu) /* the driver's is a bool of one byte */
        return LS_CUDA_MANAGED;
    return type == LS_CU_MEMORY_DEVICE ? LS_CUDA_DEVICE
           : type == LS_CU_MEMORY_HOST ? LS_CUDA_PINNED
                                       : LS_CUDA_PAGEABLE;
}

/* Copies at once. */
static void
copy(struct ls_cuda *c, void *dst, const void *src, size_t bytes)
{
    int result = LS_CU(cuMemcpyAsync, ls_cuda_address(dst), ls_cuda_address(src), bytes,
                       ls_cuda_side(c, LS_CUDA_NOW));

    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuStreamSynchronize, ls_cuda_side(c, LS_CUDA_NOW));
    if (result != LS_CU_SUCCESS)
        ls_cuda_failed(c, result);
}

/* Between places that the host can touch: words in one piece. */
static void
copy_by_host(void *dst, const void *src, size_t bytes)
{
    uint64_t word;

    if (bytes == 4 && (uintptr_t)src % 4 == 0 && (uintptr_t)dst % 4 == 0) {
        word = __atomic_load_n((const uint32_t *)src, __ATOMIC_SEQ_CST);
        __atomic_store_n((uint32_t *)dst, (uint32_t)word, __ATOMIC_SEQ_CST);
    } else if (bytes == 8 && (uintptr_t)src % 8 == 0 && (uintptr_t)dst % 8 == 0) {
        word = __atomic_load_n((const uint64_t *)src, __ATOMIC_SEQ_CST);
        __atomic_store_n((uint64_t *)dst, word, __ATOMIC_SEQ_CST);
    } else {
        memcpy(dst, src, bytes);
    }
}

void
ls_cuda_read(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    LS_CUDA_ENTER(c);

    if (bytes == 0 || ls_cu_has_left())
        return;
    if (ls_cuda_place_of(src) != LS_CUDA_DEVICE) {
        copy_by_host(dst, src, bytes);
        return;
    }
    if (atomic_load(&c->dead))
        memset(dst, 0, bytes);
    else
        copy(c, dst, src, bytes);
}

void
ls_cuda_write(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    LS_CUDA_ENTER(c);

    if (bytes == 0 || ls_cu_has_left())
        return;
    if (ls_cuda_place_of(dst) != LS_CUDA_DEVICE)
        copy_by_host(dst, src, bytes);
    else if (!atomic_load(&c->dead))
        copy(c, dst, src, bytes);
}

void
ls_cuda_zero(struct ls_device *dev, void *ptr, size_t bytes)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    int result;
    LS_CUDA_ENTER(c);

    if (bytes == 0 || ls_cu_has_left())
        return;
    if (ls_cuda_place_of(ptr) != LS_CUDA_DEVICE) {
        memset(ptr, 0, bytes);
        return;
    }
    if (atomic_load(&c->dead))
        return;
    result = LS_CU(cuMemsetD8Async, ls_cuda_address(ptr), 0, bytes, ls_cuda_side(c, LS_CUDA_NOW));
    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuStreamSynchronize, ls_cuda_side(c, LS_CUDA_NOW));
    if (result != LS_CU_SUCCESS)
        ls_cuda_failed(c, result);
}

hipError_t
ls_cuda_pin(struct ls_device *dev, void *ptr, size_t bytes)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    int result;
    LS_CUDA_ENTER(c);

    result = LS_CU(cuMemHostRegister, ptr, bytes, LS_CU_HOST_PORTABLE | LS_CU_HOST_MAPPED);
    return result == LS_CU_SUCCESS ? hipSuccess : ls_cuda_failed(c, result);
}

void
ls_cuda_unpin(struct ls_device *dev, void *ptr, size_t bytes)
{
    LS_CUDA_ENTER(ls_cuda_of(dev));

    (void)bytes;
    LS_CU(cuMemHostUnregister, ptr);
}

/* What the file of shared memory holds. */
struct ticket {
    char mark[16];
    struct ls_cu_ipc handle; /* of the whole piece as the driver knows it */
    uint64_t offset, bytes;  /* of what is shared, within that */
};
static const char ticket_mark[16] = "lockstep cuda 1";

static bool
can_share(void)
{
    return ls_cu.cuIpcGetMemHandle && ls_cu.cuIpcOpenMemHandle && ls_cu.cuIpcCloseMemHandle &&
           ls_cu.cuMemGetAddressRange;
}

hipError_t
ls_cuda_share(struct ls_device *dev, void *ptr, size_t bytes, const char *name, int *fd)
{
    struct ticket t = {.bytes = bytes};
    uint64_t base = 0;
    size_t whole = 0;
    int result;
    LS_CUDA_ENTER(ls_cuda_of(dev));

    *fd = -1;
    if (!can_share())
        return hipErrorNotSupported;
    memcpy(t.mark, ticket_mark, sizeof(t.mark));
    result = LS_CU(cuMemGetAddressRange, &base, &whole, ls_cuda_address(ptr));
    if (result == LS_CU_SUCCESS)
        result = LS_CU(cuIpcGetMemHandle, &t.handle, base);
    if (result != LS_CU_SUCCESS)
        return ls_cuda_failed(ls_cuda_of(dev), result);
    t.offset = ls_cuda_address(ptr) - base;
    *fd = ls_file_memory(name, bytes > sizeof(t) ? bytes : sizeof(t)); /* as large: others look */
    if (*fd >= 0 && pwrite(*fd, &t, sizeof(t), 0) == (ssize_t)sizeof(t))
        return hipSuccess;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return hipErrorOutOfMemory;
}

/* Another process may have written anything. */
static bool
is_within(uint64_t base, uint64_t offset, uint64_t bytes)
{
    uint64_t start = 0;
    size_t whole = 0;

    return LS_CU(cuMemGetAddressRange, &start, &whole, base) == LS_CU_SUCCESS &&
           offset <= whole - (base - start) && bytes <= whole - (base - start) - offset;
}

hipError_t
ls_cuda_attach(struct ls_device *dev, int fd, void **ptr, size_t *bytes)
{
    struct ticket t;
    uint64_t base = 0;
    hipError_t err;
    LS_CUDA_ENTER(ls_cuda_of(dev));

    *ptr = NULL;
    if (!can_share())
        return hipErrorNotSupported;
    if (pread(fd, &t, sizeof(t), 0) != (ssize_t)sizeof(t) ||
        memcmp(t.mark, ticket_mark, sizeof(t.mark)) != 0)
        return hipErrorInvalidValue;
    err = LS_CU_TRY(cuIpcOpenMemHandle, &base, t.handle, LS_CU_IPC_LAZY_PEER_ACCESS);
    if (err != hipSuccess)
        return err;
    if (!is_within(base, t.offset, t.bytes))
        err = hipErrorInvalidValue;
    else if (t.offset && !note_piece(base + t.offset, base))
        err = hipErrorOutOfMemory;
    if (err != hipSuccess) {
        LS_CU(cuIpcCloseMemHandle, base);
        return err;
    }
    *ptr = (void *)(uintptr_t)(base + t.offset);
    *bytes = t.bytes;
    return hipSuccess;
}

void
ls_cuda_detach(struct ls_device *dev, void *ptr)
{
    LS_CUDA_ENTER(ls_cuda_of(dev));

    LS_CU(cuIpcCloseMemHandle, take_base(ls_cuda_address(ptr)));
}

bool
ls_cuda_unshare(struct ls_device *dev, void *ptr, size_t bytes)
{
    (void)dev, (void)ptr, (void)bytes;
    return true; /* it has stayed what it is */
}
