/* SPDX-License-Identifier: MIT */
/* Open addressing; a full table is replaced by a copy, and readers of the old one stay right. */
#include "runtime/core/ptrtable.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct slot {
    _Atomic(const void *) key;
    _Atomic(void *) value;
};

struct ls_ptrtable_body {
    struct ls_ptrtable_body *older;
    size_t cap, n; /* cap is a power of two */
    struct slot slots[];
};

static size_t
place(const void *key, size_t cap)
{
    return (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u) >> 32) & (cap - 1);
}

void *
ls_ptrtable_find(const struct ls_ptrtable *table, const void *key)
{
    /* acquire pairs with the release in set: what a value points to is complete */
    struct ls_ptrtable_body *b = atomic_load_explicit(&table->body, memory_order_acquire);

    if (!b)
        return NULL;
    for (size_t i = place(key, b->cap);; i = (i + 1) & (b->cap - 1)) {
        const void *k = atomic_load_explicit(&b->slots[i].key, memory_order_acquire);

        if (k == key)
            return atomic_load_explicit(&b->slots[i].value, memory_order_acquire);
        if (!k)
            return NULL;
    }
}

static void
put(struct ls_ptrtable_body *b, const void *key, void *value)
{
    size_t i = place(key, b->cap);

    for (;; i = (i + 1) & (b->cap - 1)) {
        const void *k = atomic_load(&b->slots[i].key);

        if (!k || k == key)
            break;
    }
    atomic_store_explicit(&b->slots[i].value, value, memory_order_release);
    if (!atomic_load(&b->slots[i].key)) {
        b->n++;
        atomic_store_explicit(&b->slots[i].key, key, memory_order_release);
    }
}

bool
ls_ptrtable_set(struct ls_ptrtable *table, const void *key, void *value)
{
    struct ls_ptrtable_body *b = atomic_load(&table->body);

    if (!b || (b->n + 1) * 2 > b->cap) {
        size_t cap = b ? b->cap * 2 : 64;
        struct ls_ptrtable_body *more = calloc(1, sizeof(*more) + cap * sizeof(struct slot));

        if (!more)
            return false;
        more->cap = cap;
        more->older = b;
        for (size_t i = 0; b && i < b->cap; i++) {
            void *v = atomic_load(&b->slots[i].value);

            if (v)
                put(more, atomic_load(&b->slots[i].key), v);
        }
        b = more;
        put(b, key, value);
        atomic_store_explicit(&table->body, b, memory_order_release);
        return true;
    }
    put(b, key, value);
    return true;
}

void
ls_ptrtable_fini(struct ls_ptrtable *table)
{
    struct ls_ptrtable_body *b = atomic_exchange(&table->body, NULL);

    while (b) {
        struct ls_ptrtable_body *older = b->older;

        free(b);
        b = older;
    }
}
