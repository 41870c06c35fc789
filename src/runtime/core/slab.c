/* SPDX-License-Identifier: MIT */
/* Type-stable memory of handles: slabs of doubling size. */
#include "runtime/core/slab.h"

#include <stdlib.h>

#define SLAB_FIRST 64u

static void **
link_of(const struct ls_slab *s, void *item)
{
    return (void **)(void *)((char *)item + s->link_offset);
}

void
ls_slab_put(struct ls_slab *s, void *item)
{
    *link_of(s, item) = s->free;
    s->free = item;
}

void *
ls_slab_get(struct ls_slab *s)
{
    void *item;

    if (!s->free) {
        uint32_t k = atomic_load(&s->n_slabs);
        size_t n = (size_t)SLAB_FIRST << k;

        if (k == LS_MAX_SLABS || !(s->slabs[k] = calloc(n, s->item_bytes)))
            return NULL;
        for (size_t i = n; i-- > 0;)
            ls_slab_put(s, s->slabs[k] + i * s->item_bytes);
        atomic_store(&s->n_slabs, k + 1);
    }
    item = s->free;
    s->free = *link_of(s, item);
    return item;
}

bool
ls_slab_holds(const struct ls_slab *s, const void *item)
{
    uint32_t n = atomic_load(&s->n_slabs);

    for (uint32_t k = 0; k < n; k++) {
        uintptr_t at = (uintptr_t)item - (uintptr_t)s->slabs[k];

        if (at < ((size_t)SLAB_FIRST << k) * s->item_bytes)
            return at % s->item_bytes == 0;
    }
    return false;
}
