/* SPDX-License-Identifier: MIT */
/* What blocks of a grid hand on to each other by atomic objects. What a warp knows when it releases
 * something is written down once and never changed; it points to what it had learned from others,
 * so that all that somebody knows is what can be reached from there (a vector of times for each of
 * a grid's warps would be too much). It is thrown away when nothing runs. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

enum { CHUNK_BYTES = 1 << 20, LATEST = 4 };
#define MOST_BYTES ((size_t)2 << 30)

struct chunk {
    struct chunk *next;
    size_t used;
    _Alignas(16) char bytes[CHUNK_BYTES];
};

struct row {
    uint64_t place; /* 0: a free row */
    const struct ls_check_cell *last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk *chunks; /* guarded by lock, as the next three */
static size_t all_bytes, cap_rows;
static struct row *rows; /* a hash table by place */
static atomic_size_t n_rows;
static atomic_bool is_lost;

/* Lock held. */
static void *
get(size_t bytes)
{
    void *p;

    bytes = (bytes + 15) / 16 * 16;
    if (bytes > CHUNK_BYTES || all_bytes + bytes > MOST_BYTES) {
        atomic_store(&is_lost, true);
        return NULL;
    }
    if (!chunks || chunks->used + bytes > CHUNK_BYTES) {
        struct chunk *c = malloc(sizeof(*c));

        if (!c) {
            atomic_store(&is_lost, true);
            return NULL;
        }
        c->next = chunks;
        c->used = 0;
        chunks = c;
        all_bytes += CHUNK_BYTES;
    }
    p = chunks->bytes + chunks->used;
    chunks->used += bytes;
    return p;
}

bool
ls_check_is_handed_lost(void)
{
    return atomic_load_explicit(&is_lost, memory_order_relaxed); /* sooner or later it is seen */
}

void
ls_check_forget_handed(void)
{
    pthread_mutex_lock(&lock);
    while (chunks) {
        struct chunk *c = chunks;

        chunks = c->next;
        free(c);
    }
    if (atomic_load(&n_rows))
        memset(rows, 0, cap_rows * sizeof(*rows));
    all_bytes = 0;
    atomic_store(&n_rows, 0);
    atomic_store(&is_lost, false);
    pthread_mutex_unlock(&lock);
}

const struct ls_check_release *
ls_check_release_make(uint64_t run, const struct ls_check_points *a,
                      const struct ls_check_points *b, uint32_t n_b, const uint32_t *known,
                      unsigned n_warps)
{
    struct ls_check_release *r;
    char *p;

    pthread_mutex_lock(&lock);
    p = get(sizeof(*r) + (a->n + n_b) * sizeof(*r->points) + n_warps * sizeof(*known));
    pthread_mutex_unlock(&lock);
    if (!p)
        return NULL;
    r = (void *)p;
    *r = (struct ls_check_release){.run = run, .n_points = a->n + n_b, .n_warps = n_warps};
    r->points = (void *)(p + sizeof(*r));
    r->known = (void *)(r->points + r->n_points);
    if (a->n)
        memcpy(r->points, a->at, a->n * sizeof(*r->points));
    if (n_b)
        memcpy(r->points + a->n, b->at, n_b * sizeof(*r->points));
    memcpy(r->known, known, n_warps * sizeof(*known));
    return r;
}

/* Lock held: the row of an address, or the free one where it would be. */
static struct row *
row_of(uint64_t place)
{
    size_t i = (size_t)((place >> 2) * 0x9e3779b97f4a7c15u >> 32);

    while (rows[i & (cap_rows - 1)].place && rows[i & (cap_rows - 1)].place != place)
        i++;
    return &rows[i & (cap_rows - 1)];
}

/* Lock held. */
static bool
make_rows(void)
{
    struct row *old = rows;
    size_t n = cap_rows;
    struct row *more = calloc(n ? 2 * n : 64, sizeof(*more));

    if (!more) {
        atomic_store(&is_lost, true);
        return false;
    }
    rows = more;
    cap_rows = n ? 2 * n : 64;
    for (size_t i = 0; i < n; i++)
        if (old[i].place)
            *row_of(old[i].place) = old[i];
    free(old);
    return true;
}

void
ls_check_hand_on(uint64_t place, const struct ls_check_release *release, bool is_narrow,
                 bool is_store)
{
    struct ls_check_cell *cell;
    struct row *row;

    if (!release && (!is_store || !atomic_load(&n_rows)))
        return;
    pthread_mutex_lock(&lock);
    if (release && 4 * atomic_load(&n_rows) >= 3 * cap_rows)
        make_rows();
    row = cap_rows ? row_of(place) : NULL;
    if (release && row && (cell = get(sizeof(*cell)))) {
        *cell = (struct ls_check_cell){release, is_store ? NULL : row->last, is_narrow};
        if (!row->place)
            atomic_fetch_add(&n_rows, 1);
        row->place = place;
        row->last = cell;
    } else if (row && is_store && row->place) {
        row->last = NULL;
    }
    pthread_mutex_unlock(&lock);
}

const struct ls_check_cell *
ls_check_handed_at(uint64_t place)
{
    const struct ls_check_cell *last = NULL;

    if (!atomic_load(&n_rows))
        return NULL;
    pthread_mutex_lock(&lock);
    if (cap_rows)
        last = row_of(place)->last;
    pthread_mutex_unlock(&lock);
    return last;
}

void
ls_check_points_add(struct ls_check_points *p, struct ls_check_point point)
{
    for (uint32_t i = 0; i < LATEST && i < p->n; i++)
        if (p->at[p->n - 1 - i].cell == point.cell &&
            p->at[p->n - 1 - i].is_narrow == point.is_narrow)
            return;
    if (p->n == p->cap) {
        uint32_t cap = p->cap ? 2 * p->cap : 16;
        struct ls_check_point *more = realloc(p->at, cap * sizeof(*more));

        if (!more) {
            atomic_store(&is_lost, true);
            return;
        }
        p->at = more;
        p->cap = cap;
    }
    p->at[p->n++] = point;
}
