/* SPDX-License-Identifier: MIT */
/* What orders the accesses of a launch's threads: barriers, syncs of the grid, and atomic
 * operations and fences by the rules of C++ for their orders and scopes. In which order warps and
 * blocks ran here does not matter.
 *
 * Each warp has a time, and knows up to which time of each other warp of its block all has happened
 * before its own next access (vector clocks: C. Fidge, 1988). What it knows of other blocks is a
 * set of points at which they released something (handed.c). The lanes of one warp run in step. */
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

static const uint32_t NOTHING[LS_CHECK_WARPS];

static void
learn(uint32_t *to, const uint32_t *from)
{
    for (unsigned w = 0; w < LS_CHECK_WARPS; w++)
        to[w] = from[w] > to[w] ? from[w] : to[w];
}

/* ---- Blocks ---- */

/* A warp's time is 1 and the barriers that it has passed; each of them told it of all that was in
 * front. */
static void
start_time(struct ls_check_block *b, unsigned w)
{
    struct ls_check_state *s = &b->warps[w];
    uint32_t passed = b->quick.passed[w];

    passed = passed < LS_MOST_TIME ? passed : LS_MOST_TIME - 1;
    memset(s->known, 0, sizeof(s->known));
    for (unsigned o = 0; o < b->n_warps; o++)
        s->known[o] = b->quick.passed[o] < passed ? b->quick.passed[o] + 1 : passed;
    s->known[w] = passed + 1;
    s->arrived[passed & 1] = passed ? passed - 1 : 0;
    s->arrived[~passed & 1] = passed;
}

void
ls_check_order_wake(struct ls_check_block *b)
{
    b->is_simple = false;
    b->quick.simple = LS_CHECK_NO_BLOCK;
    for (unsigned w = 0; w < b->n_warps; w++) {
        struct ls_check_state *s = &b->warps[w];

        start_time(b, w);
        s->phase = 0;
        s->joins = s->has_released = s->has_pending = s->has_released_wide = false;
        s->n_asked = s->n_taken = 0;
        s->points.n = s->pending_points.n = 0;
        ls_check_known_clear(s->known_points);
    }
    if (b->n_handed)
        memset(b->handed, 0, b->cap_handed * sizeof(*b->handed));
    b->n_handed = 0;
    b->shared.n = b->coming.n = b->pending.n = 0;
    b->has_published = false;
    ls_check_known_clear(b->known_shared);
}

void
ls_check_order_fini(struct ls_check_block *b)
{
    for (unsigned w = 0; b->warps && w < LS_CHECK_WARPS; w++) {
        free(b->warps[w].points.at);
        free(b->warps[w].pending_points.at);
        ls_check_known_destroy(b->warps[w].known_points);
    }
    free(b->warps);
    free(b->handed);
    free(b->shared.at);
    free(b->coming.at);
    free(b->pending.at);
    ls_check_known_destroy(b->known_shared);
}

/* ---- Barriers ---- */

static void
go_on(struct ls_check_state *s, unsigned warp)
{
    if (s->known[warp] < LS_MOST_TIME)
        s->known[warp]++;
}

/* What those that came to a barrier knew of other blocks is now known to all. */
static void
share(struct ls_check_block *b)
{
    for (uint32_t i = 0; i < b->coming.n; i++)
        ls_check_points_add(&b->shared, b->coming.at[i]);
    b->coming.n = 0;
}

/* What a fence has made visible to all, and what one will, whoever of the block then speaks for it
 * to other blocks. */
static void
publish(struct ls_check_block *b, struct ls_check_state *s)
{
    for (uint32_t i = 0; i < s->pending_points.n; i++)
        ls_check_points_add(&b->pending, s->pending_points.at[i]);
    s->pending_points.n = 0;
    if (!s->has_released_wide)
        return;
    if (!b->has_published || (b->is_published_narrow && !s->is_release_narrow))
        memcpy(b->published, NOTHING, sizeof(NOTHING));
    if (!b->has_published || !s->is_release_narrow || b->is_published_narrow) {
        learn(b->published, s->released_wide);
        b->is_published_narrow = s->is_release_narrow;
    }
    b->has_published = true;
}

static void
take_published(struct ls_check_block *b, struct ls_check_state *s)
{
    if (!s->has_released_wide || (s->is_release_narrow && !b->is_published_narrow)) {
        memcpy(s->released_wide, b->published, sizeof(b->published));
        s->n_released_points = 0;
        s->is_release_narrow = b->is_published_narrow;
    } else if (s->is_release_narrow || !b->is_published_narrow) {
        learn(s->released_wide, b->published);
    }
    s->has_released_wide = true;
}

void
ls_check_order_barrier(struct ls_check_block *b, const struct ls_check_site *site)
{
    struct ls_check_state *s = &b->warps[b->warp];
    uint32_t *passed = &b->quick.passed[b->warp];

    if (b->is_simple && !(site->flags & LS_CHECK_GRID)) {
        ++*passed;
        return;
    }
    if (b->is_simple)
        ls_check_order_wake(b);
    if (b->coming.n && b->coming_for != *passed)
        share(b);
    b->coming_for = *passed;
    for (uint32_t i = 0; i < s->points.n; i++)
        ls_check_points_add(&b->coming, s->points.at[i]);
    if (s->points.n)
        ls_check_known_clear(s->known_points);
    s->points.n = 0;
    publish(b, s);
    s->arrived[*passed & 1] = s->known[b->warp];
    ++*passed;
    s->phase += site->flags & LS_CHECK_GRID ? 1 : 0;
    s->joins = true;
    go_on(s, b->warp);
}

/* All warps came to the barrier that this one has passed, or have ended. */
static void
join(struct ls_check_block *b)
{
    struct ls_check_state *s = &b->warps[b->warp];

    uint32_t passed = b->quick.passed[b->warp];

    s->joins = false;
    for (unsigned w = 0; w < b->n_warps; w++) {
        const struct ls_check_state *o = &b->warps[w];
        uint32_t until = b->quick.passed[w] < passed ? o->known[w] : o->arrived[(passed - 1) & 1];

        if (w != b->warp && until > s->known[w])
            s->known[w] = until;
    }
    if (b->coming.n && b->coming_for < passed)
        share(b);
    if (b->has_published)
        take_published(b, s);
}

/* ---- Atomic operations within a block ---- */

/* The row of an address, or the free one where it would be. */
static struct ls_check_handed *
row_of(const struct ls_check_block *b, uint64_t place)
{
    size_t i = (size_t)((place >> 2) * 0x9e3779b97f4a7c15u >> 32);

    while (b->handed[i & (b->cap_handed - 1)].place &&
           b->handed[i & (b->cap_handed - 1)].place != place)
        i++;
    return &b->handed[i & (b->cap_handed - 1)];
}

static bool
make_rows(struct ls_check_block *b)
{
    struct ls_check_handed *old = b->handed;
    size_t n = b->cap_handed;
    struct ls_check_handed *rows = calloc(n ? 2 * n : 64, sizeof(*rows));

    if (!rows)
        return false;
    b->handed = rows;
    b->cap_handed = n ? 2 * n : 64;
    for (size_t i = 0; i < n; i++)
        if (old[i].place)
            *row_of(b, old[i].place) = old[i];
    free(old);
    return true;
}

/* What was handed on at an address; NULL: nothing, or no memory. */
static struct ls_check_handed *
find_handed(struct ls_check_block *b, uint64_t place, bool make)
{
    struct ls_check_handed *h = b->n_handed || (make && b->cap_handed) ? row_of(b, place) : NULL;

    if (h && h->place)
        return h;
    if (!make || (4 * b->n_handed >= 3 * b->cap_handed && !make_rows(b)))
        return NULL;
    b->n_handed++;
    h = row_of(b, place);
    h->place = place;
    return h;
}

static void
synchronise(struct ls_check_block *b, const struct ls_check_site *site, uint64_t place)
{
    struct ls_check_state *s = &b->warps[b->warp];
    bool writes = site->kind != LS_CHECK_LOAD, releases = site->flags & LS_CHECK_RELEASES;
    const uint32_t *known = releases ? s->known : s->has_released ? s->released : NULL;
    struct ls_check_handed *h = find_handed(b, place, writes && known);

    if (!h)
        return;
    if (site->kind != LS_CHECK_STORE && site->flags & LS_CHECK_ACQUIRES) {
        learn(s->known, h->known);
    } else if (site->kind != LS_CHECK_STORE) {
        learn(s->has_pending ? s->pending : memcpy(s->pending, NOTHING, sizeof(NOTHING)), h->known);
        s->has_pending = true;
    }
    if (site->kind == LS_CHECK_STORE) /* others' are no longer there to be read */
        memset(h->known, 0, sizeof(h->known));
    if (writes && known)
        learn(h->known, known);
}

/* ---- Atomic operations of several blocks ---- */

static const struct ls_check_release *
release(struct ls_check_block *b, bool by_fence)
{
    struct ls_check_state *s = &b->warps[b->warp];
    uint64_t run = b->base + b->number;
    uint32_t n = by_fence ? s->n_released_points : s->points.n;

    return ls_check_release_make(run, &b->shared, &s->points, n < s->points.n ? n : s->points.n,
                                 by_fence ? s->released_wide : s->known, b->n_warps);
}

static void
hand_on(struct ls_check_block *b, const struct ls_check_site *site, uint64_t place)
{
    struct ls_check_state *s = &b->warps[b->warp];
    bool by_fence = !(site->flags & LS_CHECK_RELEASES), is_store = site->kind == LS_CHECK_STORE;

    if (by_fence && !s->has_released_wide)
        ls_check_hand_on(place, NULL, false, is_store);
    else
        ls_check_hand_on(place, release(b, by_fence),
                         site->flags & LS_CHECK_NARROW || (by_fence && s->is_release_narrow),
                         is_store);
}

/* Whoever reads is told once it has read. */
static void
ask(struct ls_check_state *s, const struct ls_check_site *site, uint64_t place)
{
    const uint8_t flags = site->flags & (LS_CHECK_ACQUIRES | LS_CHECK_NARROW);

    if (s->n_asked && s->asked_flags != flags)
        return; /* cannot be: the step before an access answers all */
    s->asked_flags = flags;
    if (s->n_asked < sizeof(s->asked) / sizeof(s->asked[0]))
        s->asked[s->n_asked++] = place;
}

static void
answer(struct ls_check_state *s)
{
    for (uint32_t i = 0; i < s->n_asked; i++) {
        const struct ls_check_cell *cell = ls_check_handed_at(s->asked[i]);

        if (cell)
            ls_check_points_add(s->asked_flags & LS_CHECK_ACQUIRES ? &s->points
                                                                   : &s->pending_points,
                                (struct ls_check_point){cell, s->asked_flags & LS_CHECK_NARROW});
    }
    s->n_asked = 0;
}

void
ls_check_order_step(struct ls_check_block *b)
{
    struct ls_check_state *s = &b->warps[b->warp];

    if (b->is_simple)
        return;
    if (s->n_asked)
        answer(s);
    if (s->joins)
        join(b);
}

void
ls_check_order_atomic(struct ls_check_block *b, const struct ls_check_site *site, uint64_t place,
                      bool is_shared)
{
    struct ls_check_state *s = &b->warps[b->warp];
    bool releases = site->flags & LS_CHECK_RELEASES && site->kind != LS_CHECK_LOAD;

    if (b->is_simple)
        ls_check_order_wake(b);
    synchronise(b, site, place);
    if (!is_shared && site->kind != LS_CHECK_STORE)
        ask(s, site, place);
    if (!is_shared && site->kind != LS_CHECK_LOAD)
        hand_on(b, site, place);
    if (releases)
        go_on(s, b->warp);
}

static void
acquire(struct ls_check_state *s, const struct ls_check_point *points, uint32_t n, bool is_narrow)
{
    for (uint32_t i = 0; i < n; i++)
        ls_check_points_add(
            &s->points, (struct ls_check_point){points[i].cell, is_narrow || points[i].is_narrow});
}

static void
acquire_all(struct ls_check_block *b, struct ls_check_state *s, bool is_narrow)
{
    if (s->has_pending)
        learn(s->known, s->pending);
    acquire(s, s->pending_points.at, s->pending_points.n, is_narrow);
    acquire(s, b->pending.at + s->n_taken, b->pending.n - s->n_taken, is_narrow);
    if (is_narrow)
        return;
    s->pending_points.n = 0;
    s->n_taken = b->pending.n;
}

void
ls_check_order_read(struct ls_check_block *b)
{
    if (!b->is_simple)
        acquire_all(b, &b->warps[b->warp], false);
}

void
ls_check_order_fence(struct ls_check_block *b, const struct ls_check_site *site)
{
    struct ls_check_state *s = &b->warps[b->warp];
    bool is_narrow = site->flags & LS_CHECK_NARROW;

    if (b->is_simple)
        ls_check_order_wake(b);
    if (site->flags & LS_CHECK_ACQUIRES)
        acquire_all(b, s, is_narrow);
    if (!(site->flags & LS_CHECK_RELEASES))
        return;
    memcpy(s->released, s->known, sizeof(s->released));
    s->has_released = true;
    if (!is_narrow || !s->has_released_wide || s->is_release_narrow) {
        memcpy(s->released_wide, s->known, sizeof(s->released_wide));
        s->n_released_points = s->points.n;
        s->has_released_wide = true;
        s->is_release_narrow = is_narrow;
    }
    go_on(s, b->warp);
}

/* ---- What is ordered ---- */

/* Of another launch, or of this one before the last sync of its grid. */
static bool
is_launch_before(struct ls_check_block *b, uint64_t run)
{
    for (unsigned i = 0; i < LS_CHECK_SPANS; i++)
        if (run - b->spans[i].base < b->spans[i].n)
            return b->spans[i].is_before;
    unsigned i = b->next_span++ % LS_CHECK_SPANS;

    b->spans[i].is_before =
        ls_check_launch_before(b->launch, run, &b->spans[i].base, &b->spans[i].n);
    return b->spans[i].is_before;
}

static bool
is_known(struct ls_check_block *b, const struct ls_check_entry *e)
{
    struct ls_check_state *s = &b->warps[b->warp];

    return !b->is_simple && (s->points.n || b->shared.n) &&
           (ls_check_points_know(&b->known_shared, &b->shared, e, false) ||
            ls_check_points_know(&s->known_points, &s->points, e, false) ||
            ls_check_is_handed_lost());
}

bool
ls_check_is_ordered(struct ls_check_block *b, const struct ls_check_entry *e)
{
    uint64_t run = e->who & LS_ENTRY_RUN;

    if (run == b->base + b->number && b->is_simple)
        return ls_entry_warp(e) == b->warp || ls_entry_time(e) <= b->quick.passed[b->warp];
    if (run == b->base + b->number)
        return ls_entry_time(e) <= b->warps[b->warp].known[ls_entry_warp(e)] || is_known(b, e);
    if (run - b->base >= b->n_runs && is_launch_before(b, run))
        return true;
    return is_known(b, e) || ls_check_is_handed_lost();
}

bool
ls_check_is_before_read(struct ls_check_block *b, const struct ls_check_entry *e)
{
    struct ls_check_state *s = &b->warps[b->warp];
    struct ls_check_known *shared = NULL, *own = NULL;
    bool is_before;

    if (b->is_simple)
        return false;
    is_before = (e->who & LS_ENTRY_RUN) == b->base + b->number && s->has_pending &&
                ls_entry_time(e) <= s->pending[ls_entry_warp(e)];
    is_before = is_before || ls_check_points_know(&shared, &b->pending, e, true) ||
                ls_check_points_know(&own, &s->pending_points, e, true);
    ls_check_known_destroy(shared);
    ls_check_known_destroy(own);
    return is_before;
}

bool
ls_check_is_before_narrowly(struct ls_check_block *b, const struct ls_check_entry *e)
{
    struct ls_check_state *s = &b->warps[b->warp];
    struct ls_check_known *shared = NULL, *own = NULL;
    bool is_before = !b->is_simple && (ls_check_points_know(&shared, &b->shared, e, true) ||
                                       ls_check_points_know(&own, &s->points, e, true));

    ls_check_known_destroy(shared);
    ls_check_known_destroy(own);
    return is_before;
}
