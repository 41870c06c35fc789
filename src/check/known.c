/* SPDX-License-Identifier: MIT */
/* All that can be reached from points of other blocks, looked at as far as it is asked for. */
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

struct ls_check_known {
    uint32_t n_taken;                      /* points that have been looked at */
    struct ls_check_points ahead;          /* to be looked at */
    const void **seen;                     /* owned: a hash table */
    size_t n_seen, cap_seen;               /* cap: a power of two, or 0 */
    const struct ls_check_release **found; /* owned: a hash table by run, in which one may have
                                              several rows */
    size_t n_found, cap_found;
};

static size_t
hash(uint64_t x)
{
    return (size_t)(x * 0x9e3779b97f4a7c15u >> 24);
}

/* Puts it where it belongs; false: it was there. */
static bool
put_seen(const void **table, size_t cap, const void *p)
{
    size_t i = hash((uintptr_t)p >> 4);

    for (; table[i & (cap - 1)]; i++)
        if (table[i & (cap - 1)] == p)
            return false;
    table[i & (cap - 1)] = p;
    return true;
}

static void
put_found(const struct ls_check_release **table, size_t cap, const struct ls_check_release *r)
{
    size_t i = hash(r->run);

    while (table[i & (cap - 1)])
        i++;
    table[i & (cap - 1)] = r;
}

static bool
make_room(struct ls_check_known *k)
{
    size_t cap = k->cap_seen ? 2 * k->cap_seen : 256;
    const void **seen = calloc(cap, sizeof(*seen));
    const struct ls_check_release **found = calloc(cap, sizeof(*found));

    if (!seen || !found) {
        free(seen);
        free(found);
        return false;
    }
    for (size_t i = 0; i < k->cap_seen; i++)
        if (k->seen[i])
            put_seen(seen, cap, k->seen[i]);
    for (size_t i = 0; i < k->cap_found; i++)
        if (k->found[i])
            put_found(found, cap, k->found[i]);
    free(k->seen);
    free(k->found);
    k->seen = seen;
    k->found = found;
    k->cap_seen = k->cap_found = cap;
    return true;
}

static bool
is_new(struct ls_check_known *k, const void *p)
{
    if (2 * k->n_seen >= k->cap_seen && !make_room(k))
        return false;
    if (!put_seen(k->seen, k->cap_seen, p))
        return false;
    k->n_seen++;
    return true;
}

static bool
covers(const struct ls_check_release *r, const struct ls_check_entry *e)
{
    unsigned warp = ls_entry_warp(e);

    return r->run == (e->who & LS_ENTRY_RUN) && warp < r->n_warps &&
           r->known[warp] >= ls_entry_time(e);
}

static bool
is_found(const struct ls_check_known *k, const struct ls_check_entry *e)
{
    size_t i = hash(e->who & LS_ENTRY_RUN);

    if (!k->cap_found)
        return false;
    for (; k->found[i & (k->cap_found - 1)]; i++)
        if (covers(k->found[i & (k->cap_found - 1)], e))
            return true;
    return false;
}

/* Looks at one more; true: it is what was asked for. */
static bool
look_at(struct ls_check_known *k, struct ls_check_point p, const struct ls_check_entry *e,
        bool narrowly)
{
    const struct ls_check_release *r = p.cell->release;

    if ((p.is_narrow && !narrowly) || !is_new(k, p.cell))
        return false;
    if (p.cell->before)
        ls_check_points_add(&k->ahead, (struct ls_check_point){p.cell->before, false});
    if ((p.cell->is_narrow && !narrowly) || !is_new(k, r))
        return false;
    put_found(k->found, k->cap_found, r);
    k->n_found++;
    for (uint32_t i = 0; i < r->n_points; i++)
        ls_check_points_add(&k->ahead, r->points[i]);
    return covers(r, e);
}

bool
ls_check_points_know(struct ls_check_known **known, const struct ls_check_points *p,
                     const struct ls_check_entry *e, bool narrowly)
{
    struct ls_check_known *k = *known;

    if (!k && p->n == 0)
        return false;
    if (!k && !(k = *known = calloc(1, sizeof(*k))))
        return true;
    if (is_found(k, e))
        return true;
    for (; k->n_taken < p->n; k->n_taken++)
        ls_check_points_add(&k->ahead, p->at[k->n_taken]);
    while (k->ahead.n > 0)
        if (look_at(k, k->ahead.at[--k->ahead.n], e, narrowly))
            return true;
    return false;
}

void
ls_check_known_clear(struct ls_check_known *k)
{
    if (!k)
        return;
    k->n_taken = k->ahead.n = 0;
    if (k->n_seen)
        memset(k->seen, 0, k->cap_seen * sizeof(*k->seen));
    if (k->n_found)
        memset(k->found, 0, k->cap_found * sizeof(*k->found));
    k->n_seen = k->n_found = 0;
}

void
ls_check_known_destroy(struct ls_check_known *k)
{
    if (!k)
        return;
    free(k->ahead.at);
    free(k->seen);
    free(k->found);
    free(k);
}
