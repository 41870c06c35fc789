/* SPDX-License-Identifier: MIT */
/* Map from pointers to pointers. */
#include "base/ptrmap.h"

#include <stdint.h>

static size_t
slot_of(const struct ls_ptrmap *map, const void *key)
{
    size_t i = (size_t)(((uintptr_t)key >> 3) * 0x9e3779b97f4a7c15u) >> 7;

    for (;; i++) {
        i &= map->cap - 1;
        if (!map->keys[i] || map->keys[i] == key)
            return i;
    }
}

static void
alloc_table(struct ls_ptrmap *map, size_t cap)
{
    map->cap = cap;
    map->keys = ls_arena_alloc(map->arena, cap * sizeof(*map->keys));
    map->vals = ls_arena_alloc(map->arena, cap * sizeof(*map->vals));
}

void
ls_ptrmap_init(struct ls_ptrmap *map, struct ls_arena *arena)
{
    map->arena = arena;
    map->n = 0;
    alloc_table(map, 64);
}

void *
ls_ptrmap_get(const struct ls_ptrmap *map, const void *key)
{
    return map->vals[slot_of(map, key)];
}

void
ls_ptrmap_set(struct ls_ptrmap *map, const void *key, void *val)
{
    size_t i = slot_of(map, key);

    if (map->keys[i]) {
        map->vals[i] = val;
        return;
    }
    map->keys[i] = key;
    map->vals[i] = val;
    if (++map->n * 2 < map->cap)
        return;

    const void **keys = map->keys;
    void **vals = map->vals;
    size_t cap = map->cap;
    alloc_table(map, cap * 2);
    for (size_t k = 0; k < cap; k++) {
        if (!keys[k])
            continue;
        size_t j = slot_of(map, keys[k]);
        map->keys[j] = keys[k];
        map->vals[j] = vals[k];
    }
}
