/* SPDX-License-Identifier: MIT */
/* Small copies from the device into memory that is the host's alone: in order behind the stream's
 * works into pinned memory, from where who ends the work takes them. The driver's own copy would
 * keep who enqueues waiting, another thread costs two hand-overs. Small copies to the device the
 * driver reads at once. */
#include <string.h>

#include "device/cuda/cuda_priv.h"

#define SLOT_BYTES 65536u /* as much as the driver reads at once */

bool
ls_cuda_is_staged(const struct ls_work *w)
{
    const struct ls_work_copy *c = &w->copy;

    if (w->kind != LS_WORK_COPY || c->height != 1 || c->depth != 1 || c->row_bytes > SLOT_BYTES)
        return false;
    switch (ls_cuda_place_of(c->dst)) {
    case LS_CUDA_DEVICE:
        return ls_cuda_place_of(c->src) == LS_CUDA_PAGEABLE;
    case LS_CUDA_PAGEABLE:
        return ls_cuda_place_of(c->src) == LS_CUDA_DEVICE;
    default:
        return false;
    }
}

/* Lock held. NULL: there is none. */
static char *
take_slot(struct ls_cuda *c)
{
    unsigned i, taken = atomic_load(&c->slots_taken);
    void *all = NULL;

    if (!c->slots && LS_CU(cuMemHostAlloc, &all, (size_t)LS_CUDA_SLOTS * SLOT_BYTES,
                           LS_CU_HOST_PORTABLE | LS_CU_HOST_MAPPED) == LS_CU_SUCCESS)
        c->slots = all;
    i = (unsigned)__builtin_ffs((int)~taken);
    if (!c->slots || i == 0 || i > LS_CUDA_SLOTS)
        return NULL;
    atomic_fetch_or(&c->slots_taken, 1u << (i - 1));
    return c->slots + (size_t)(i - 1) * SLOT_BYTES;
}

int
ls_cuda_copy_staged(struct ls_cuda *c, struct ls_work *w, struct ls_cu_stream *stream)
{
    struct ls_work_copy copy = w->copy;

    if (ls_cuda_place_of(copy.dst) == LS_CUDA_PAGEABLE) {
        char *slot = take_slot(c);

        ls_cuda_room(w)->slot = slot;
        copy.dst = slot ? slot : copy.dst; /* without one the driver makes the caller wait */
    }
    return ls_cuda_copy(&copy, stream);
}

void
ls_cuda_end_staged(struct ls_cuda *c, struct ls_work *w, bool well)
{
    char *slot = ls_cuda_room(w)->slot;

    if (!slot)
        return;
    if (well)
        memcpy(w->copy.dst, slot, w->copy.row_bytes);
    atomic_fetch_and(&c->slots_taken, ~(1u << (size_t)(slot - c->slots) / SLOT_BYTES));
}
