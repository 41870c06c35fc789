/* SPDX-License-Identifier: MIT */
/* Inside the far device, on the host's side. */
#ifndef LS_DEVICE_FAR_PRIV_H
#define LS_DEVICE_FAR_PRIV_H

#include "device/common/graph.h"
#include "device/far/wire.h"

/* The contents of ls_work.priv while this device has the work. */
struct ls_far_room {
    struct ls_graph_room graph; /* first */
    struct ls_work *next;       /* in its lane */
    struct ls_device *dev;
} __attribute__((may_alias));
_Static_assert(sizeof(struct ls_far_room) <= LS_WORK_ROOM, "no room");

static inline struct ls_far_room *
ls_far_room(const struct ls_work *work)
{
    return (struct ls_far_room *)(uintptr_t)work->priv;
}

/* Whether an address is in the memory that the device alone has. */
static inline bool
ls_far_is_device(const void *ptr)
{
    return (uintptr_t)ptr - LS_FAR_DEVICE_BASE < LS_FAR_DEVICE_BYTES;
}

static inline bool
ls_far_is_shared(const void *ptr)
{
    return (uintptr_t)ptr - LS_FAR_SHARED_BASE < LS_FAR_SHARED_BYTES;
}

static inline bool
ls_far_is_near(const void *ptr)
{
    return !ls_far_is_device(ptr) && !ls_far_is_shared(ptr);
}

/* Whether a work is done by the host, in pieces, as the device can't reach all of it. */
static inline bool
ls_far_is_moved(const struct ls_work *work)
{
    if (work->kind == LS_WORK_COPY)
        return ls_far_is_near(work->copy.dst) || ls_far_is_near(work->copy.src);
    return work->kind == LS_WORK_FILL && ls_far_is_near(work->fill.dst);
}

/* link.c */
struct ls_far_link {
    int work, calls[LS_FAR_CALLS];
    int file; /* of shared memory */
};
extern struct ls_far_link ls_far; /* written once, by ls_far_start */
extern _Atomic uint64_t ls_far_failed[LS_FAR_DEVICES]; /* works that have failed */
/* Reserves memory and starts the process, once. */
hipError_t ls_far_start(void);
/* Asks the device's process and waits for the answer. `in` is sent along, and the descriptor *fd if
 * it is not -1; the answer's bytes go to `out`, its descriptor to *fd, its three numbers to
 * `values`. Each may be NULL. */
hipError_t ls_far_call(struct ls_device *dev, struct ls_far_call c, const struct iovec *in,
                       unsigned n_in, int *fd, void *out, uint64_t *values);
/* Asks a question of four numbers, which is answered with one or none. */
hipError_t ls_far_ask(struct ls_device *dev, enum ls_far_kind kind, uint64_t a, uint64_t b,
                      uint64_t c, uint64_t d, uint64_t *value);
void ls_far_send_work(const struct ls_far_work *m, const struct iovec *more, unsigned n_more);
/* The process has ended: without it there is no memory of the device, and no work that could
 * end. */
_Noreturn void ls_far_lost(void);

/* memory.c: device.h's mem, space and multi */
hipError_t ls_far_alloc(struct ls_device *dev, enum ls_memory memory, size_t bytes, size_t align,
                        void **ptr);
void ls_far_free(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes);
void ls_far_read(struct ls_device *dev, void *dst, const void *src, size_t bytes);
void ls_far_write(struct ls_device *dev, void *dst, const void *src, size_t bytes);
void ls_far_zero(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_far_share(struct ls_device *dev, void *ptr, size_t bytes, const char *name, int *fd);
bool ls_far_unshare(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_far_reserve(struct ls_device *dev, size_t bytes, size_t align, void *hint,
                          void **ptr);
void ls_far_unreserve(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_far_create(struct ls_device *dev, size_t bytes, const char *name,
                         struct ls_physical **out);
hipError_t ls_far_import(struct ls_device *dev, int fd, struct ls_physical **out);
int ls_far_file(struct ls_device *dev, const struct ls_physical *physical);
void ls_far_destroy(struct ls_device *dev, struct ls_physical *physical);
hipError_t ls_far_map(struct ls_device *dev, void *ptr, size_t bytes, struct ls_physical *physical,
                      uint64_t offset);
hipError_t ls_far_unmap(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_far_set_access(struct ls_device *dev, void *ptr, size_t bytes,
                             hipMemAccessFlags access);
struct ls_multi_grid *ls_far_multi_create(struct ls_device *dev, uint32_t n_grids,
                                          const uint64_t *n_threads);
void ls_far_multi_cancel(struct ls_device *dev, struct ls_multi_grid *multi);

/* code.c: device.h's module; a kernel, copy or fill is handed to the process */
hipError_t ls_far_get_code(struct ls_device *dev, struct ls_kernel_source *source,
                           const uint32_t block[3], uint64_t distinct, struct ls_code **code);
void ls_far_release_kernel(struct ls_device *dev, struct ls_kernel_source *source);
uint32_t ls_far_max_resident_blocks(struct ls_device *dev, struct ls_kernel_source *source,
                                    uint32_t n_threads, uint64_t lds_bytes);
bool ls_far_ends(const struct ls_work *work);
/* in_order: behind the works of its stream that were submitted so. */
void ls_far_submit(struct ls_device *dev, struct ls_work *work, bool in_order);

/* move.c: a copy or fill with ends that the device can't reach, in pieces, by way of shared memory;
 * takes as long */
hipError_t ls_far_move_open(struct ls_device *dev);
hipError_t ls_far_move(struct ls_device *dev, struct ls_work *work);

#endif
