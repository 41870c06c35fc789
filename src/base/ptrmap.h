/* SPDX-License-Identifier: MIT */
/* Map from pointers to pointers, open addressing, in an arena. Iteration is not offered: its order
 * would depend on addresses, and output must be deterministic. */
#ifndef LS_BASE_PTRMAP_H
#define LS_BASE_PTRMAP_H

#include <stddef.h>

#include "base/arena.h"

struct ls_ptrmap {
    struct ls_arena *arena; /* borrowed */
    const void **keys;
    void **vals;
    size_t n, cap;
};

void ls_ptrmap_init(struct ls_ptrmap *map, struct ls_arena *arena);
void *ls_ptrmap_get(const struct ls_ptrmap *map, const void *key); /* NULL when absent */
void ls_ptrmap_set(struct ls_ptrmap *map, const void *key, void *val);

#endif
