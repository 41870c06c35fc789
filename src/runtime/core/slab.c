/* SPDX-License-Identifier: MIT */
/* Type-stable memory of handles: slabs of doubling size. */
#include "runtime/core/slab.h"

#include <stdlib.h>

#include "check/check.h"

#define SLAB_FIRST   64u
#define MOST_RETIRED 4096u

static void **
link_of(const struct ls_slab *s, void *item)
{
    return (void **)(void *)((char *)item + s->link_offset);
}

static void
make_free(struct ls_slab *s, void *item)
{
    *link_of(s, item) = s->free;
    s->free = item;
}

/* Stale handles shall not become others' at once. */
static void
retire(struct ls_slab *s, void *item)
{
    *link_of(s, item) = NULL;
    if (s->retired)
        *link_of(s, s->youngest) = item;
    else
        s->retired = item;
    s->youngest = item;
    if (++s->n_retired <= MOST_RETIRED)
        return;
    item = s->retired;
    s->retired = *link_of(s, item);
    s->n_retired--;
    make_free(s, item);
}

void
ls_slab_put(struct ls_slab *s, void *item)
{
    if (ls_checks() & LS_CHECK_MEMORY)
        retire(s, item);
    else
        make_free(s, item);
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
            make_free(s, s->slabs[k] + i * s->item_bytes);
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
