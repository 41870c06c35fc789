/* SPDX-License-Identifier: MIT */
/* Type-stable memory of handles: a stale handle can be told without touching freed memory. */
#ifndef LS_RUNTIME_SLAB_H
#define LS_RUNTIME_SLAB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LS_MAX_SLABS 24u

/* Items of one type, zeroed when first handed out; the memory is never given back. */
struct ls_slab {
    char *slabs[LS_MAX_SLABS];
    _Atomic uint32_t n_slabs;
    size_t item_bytes;
    size_t link_offset; /* offset of a pointer in the item, which the slab uses while the item is
                           free */
    void *free;         /* guarded by the caller's lock, as what follows */
    /* While something is checked: items that were put back lately, the oldest first. */
    void *retired, *youngest;
    size_t n_retired;
};

/* NULL when out of memory. Under the caller's lock. */
void *ls_slab_get(struct ls_slab *slab);
void ls_slab_put(struct ls_slab *slab, void *item);
/* True when `item` was handed out by ls_slab_get, be it free by now. Needs no lock. */
bool ls_slab_holds(const struct ls_slab *slab, const void *item);

#endif
