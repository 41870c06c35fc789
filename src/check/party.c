/* SPDX-License-Identifier: MIT */
/* Barriers of a block: each of its threads must come to all of them, and to the same ones. How
 * often a thread has waited says which barrier it is at: the first one of all threads is one
 * meeting, and so on. Whoever ends early misses those that come then, which works where a GPU
 * counts those that are left, and is undefined by the languages. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

struct meeting {
    const struct ls_check_site *site; /* where the first came to it */
    uint32_t thread;                  /* that one */
};

/* The threads of one block. */
struct ls_check_party {
    struct ls_check_party *next;
    uint64_t serial, number; /* whose they are */
    uint32_t n_threads, n_ended;
    uint32_t *met;            /* owned: by thread: how often it has waited */
    bool *ended;              /* owned: by thread */
    struct meeting *meetings; /* owned */
    size_t n_meetings, cap;
    bool is_told; /* what is wrong with it */
};

static void
fini(struct ls_check_party *p)
{
    free(p->met);
    free(p->ended);
    free(p->meetings);
    free(p);
}

static struct ls_check_party *
make(const struct ls_check_warp *warp)
{
    struct ls_check_party *p = calloc(1, sizeof(*p));
    uint32_t n = warp->block[0] * warp->block[1] * warp->block[2];

    if (!p)
        return NULL;
    *p = (struct ls_check_party){.serial = warp->serial,
                                 .number = warp->block_number,
                                 .n_threads = n,
                                 .met = calloc(n, sizeof(*p->met)),
                                 .ended = calloc(n, sizeof(*p->ended))};
    if (!p->met || !p->ended) {
        fini(p);
        return NULL;
    }
    p->next = warp->blocks->party;
    warp->blocks->party = p;
    return p;
}

/* Those of an earlier launch are still there where it failed. */
static void
drop_old(const struct ls_check_warp *warp)
{
    for (struct ls_check_party **p = &warp->blocks->party, *old; (old = *p);) {
        if (old->serial == warp->serial) {
            p = &old->next;
            continue;
        }
        *p = old->next;
        fini(old);
    }
}

static struct ls_check_party *
party_of(const struct ls_check_warp *warp)
{
    struct ls_check_party *p = warp->blocks->party;

    if (p && p->serial != warp->serial) {
        drop_old(warp);
        p = warp->blocks->party;
    }
    while (p && p->number != warp->block_number)
        p = p->next;
    return p ? p : make(warp);
}

static bool
add_meeting(struct ls_check_party *p, const struct ls_check_site *site, uint32_t thread)
{
    if (p->n_meetings == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 16;
        struct meeting *more = realloc(p->meetings, cap * sizeof(*more));

        if (!more)
            return false;
        p->meetings = more;
        p->cap = cap;
    }
    p->meetings[p->n_meetings++] = (struct meeting){site, thread};
    return true;
}

/* The optimiser makes copies of a barrier, of loops that it unrolls. */
static bool
is_same_place(const struct ls_check_site *a, const struct ls_check_site *b)
{
    return a == b || (a->trace && b->trace &&
                      !strcmp((const char *)a + a->trace, (const char *)b + b->trace));
}

/* Adds "thread (1,2,3)". */
static int
say_thread(const struct ls_check_warp *warp, uint32_t t, char *to, size_t bytes)
{
    return snprintf(to, bytes, "thread (%u,%u,%u)", t % warp->block[0],
                    t / warp->block[0] % warp->block[1], t / warp->block[0] / warp->block[1]);
}

static void
report_parted(const struct ls_check_warp *warp, const struct ls_check_site *site,
              const struct meeting *other, uint64_t lanes)
{
    char notes[LS_CHECK_TEXT + 256];
    int n = say_thread(warp, other->thread, notes, sizeof(notes));

    n += snprintf(notes + n, sizeof(notes) - (size_t)n, " and maybe others wait at another one\n");
    if (other->site->trace)
        ls_check_say_trace((const char *)other->site + other->site->trace, notes + n,
                           sizeof(notes) - (size_t)n);
    ls_check_report_at(warp, site, "sync", "barrier-parted",
                       "threads of a block wait for each other at different barriers", notes,
                       lanes);
}

void
ls_check_barrier(const struct ls_check_warp *warp, const struct ls_check_site *site, uint64_t mask)
{
    struct ls_check_party *p = mask ? party_of(warp) : NULL;
    const struct meeting *other = NULL;
    struct meeting found;
    uint64_t parted = 0;

    for (uint64_t left = p ? mask : 0; left; left &= left - 1) {
        uint32_t t = warp->first_thread + (uint32_t)__builtin_ctzll(left), k = p->met[t]++;

        if (k >= p->n_meetings && !add_meeting(p, site, t))
            return;
        if (is_same_place(p->meetings[k].site, site))
            continue;
        found = p->meetings[k];
        other = &found;
        parted |= left & -left;
    }
    if (!parted)
        return;
    p->is_told = true;
    report_parted(warp, site, other, parted);
}

/* All threads have ended, but not all came to the barrier at which `least` is the next. */
static void
report_missed(const struct ls_check_warp *warp, const struct ls_check_party *p, uint32_t least)
{
    const struct meeting *missed = &p->meetings[least];
    struct ls_check_warp one = *warp;
    char notes[LS_CHECK_TEXT];
    uint32_t first = 0, n = 0;
    int length;

    for (uint32_t t = p->n_threads; t-- > 0;)
        if (p->met[t] == least) {
            first = t;
            n++;
        }
    length = say_thread(warp, first, notes, sizeof(notes));
    snprintf(notes + length, sizeof(notes) - (size_t)length,
             "%s did not come: %u of %u threads ended before, behind %u barriers\n",
             n > 1 ? " and others" : "", n, p->n_threads, least);
    one.first_thread = missed->thread;
    ls_check_report_at(&one, missed->site, "sync", "barrier-missed",
                       "a barrier to which not all threads of the block come", notes, 1);
}

/* ---- Barriers of a grid: each block comes to all of them. Of a launch those blocks are kept that
 * came to the most and to the fewest. ---- */

struct grid {
    struct grid *next;
    const void *id;
    const struct ls_check_site *site; /* the last one that `most` came to */
    struct ls_check_warp most;        /* a warp of it */
    uint32_t least_block[3], n_most, n_least, n_blocks;
};

static pthread_mutex_t grids_lock = PTHREAD_MUTEX_INITIALIZER;
static struct grid *grids; /* guarded by grids_lock */

static struct grid **
grid_of(const void *id)
{
    struct grid **g = &grids;

    while (*g && (*g)->id != id)
        g = &(*g)->next;
    return g;
}

/* A block has ended. */
static void
note_grid(const struct ls_check_warp *warp, const struct ls_check_party *p)
{
    const struct ls_check_site *last = NULL;
    struct grid **at, *g;
    uint32_t n = 0;

    for (size_t i = 0; i < p->n_meetings; i++)
        if (p->meetings[i].site->flags & LS_CHECK_GRID) {
            last = p->meetings[i].site;
            n++;
        }
    pthread_mutex_lock(&grids_lock);
    at = grid_of(warp->grid);
    g = *at;
    if (!g && (g = calloc(1, sizeof(*g)))) {
        g->id = warp->grid;
        g->n_least = UINT32_MAX;
        *at = g;
    }
    if (g && (n > g->n_most || !g->n_blocks)) {
        g->n_most = n;
        g->most = *warp;
        g->site = last;
    }
    if (g && n < g->n_least) {
        g->n_least = n;
        memcpy(g->least_block, warp->block_id, sizeof(g->least_block));
    }
    if (g)
        g->n_blocks++;
    pthread_mutex_unlock(&grids_lock);
}

void
ls_check_grid_end(const void *id)
{
    struct grid **at, *g;
    char notes[LS_CHECK_TEXT];

    pthread_mutex_lock(&grids_lock);
    at = grid_of(id);
    g = *at;
    if (g)
        *at = g->next;
    pthread_mutex_unlock(&grids_lock);
    if (g && g->site && g->n_least < g->n_most) {
        snprintf(notes, sizeof(notes),
                 "block (%u,%u,%u) and maybe others ended behind %u barriers of the grid, where "
                 "this one came to %u\n",
                 g->least_block[0], g->least_block[1], g->least_block[2], g->n_least, g->n_most);
        ls_check_report_at(&g->most, g->site, "sync", "barrier-missed",
                           "a barrier of the grid to which not all blocks come", notes, 1);
    }
    free(g);
}

/* ---- The end of a block ---- */

static void
look_back(const struct ls_check_warp *warp, struct ls_check_party *p)
{
    uint32_t least = p->met[0];

    if (warp->grid)
        note_grid(warp, p);

    for (uint32_t t = 1; t < p->n_threads; t++)
        least = p->met[t] < least ? p->met[t] : least;
    if (least < p->n_meetings && !p->is_told)
        report_missed(warp, p, least);
    for (struct ls_check_party **q = &warp->blocks->party; *q; q = &(*q)->next)
        if (*q == p) {
            *q = p->next;
            break;
        }
    fini(p);
}

void
ls_check_threads_end(const struct ls_check_warp *warp, uint64_t mask)
{
    struct ls_check_party *p = mask ? party_of(warp) : NULL;

    for (uint64_t left = p ? mask : 0; left; left &= left - 1) {
        uint32_t t = warp->first_thread + (uint32_t)__builtin_ctzll(left);

        p->n_ended += !p->ended[t];
        p->ended[t] = true;
    }
    if (p && p->n_ended == p->n_threads)
        look_back(warp, p);
}

void
ls_check_parties_fini(struct ls_check_blocks *all)
{
    while (all->party) {
        struct ls_check_party *p = all->party;

        all->party = p->next;
        fini(p);
    }
}

void
ls_check_stuck(const struct ls_check_warp *warp, bool at_barrier)
{
    const struct ls_check_party *p = warp->blocks->party;
    static const struct ls_check_site nowhere;
    const struct ls_check_site *site = &nowhere;
    struct ls_check_warp one = *warp;

    if (!(ls_checks() & LS_CHECK_SYNC))
        return;
    while (p && (p->serial != warp->serial || p->number != warp->block_number))
        p = p->next;
    if (p && at_barrier && p->n_meetings) {
        site = p->meetings[p->n_meetings - 1].site;
        one.first_thread = p->meetings[p->n_meetings - 1].thread;
    }
    ls_check_report_at(&one, site, "sync", at_barrier ? "barrier-stuck" : "endless-wait",
                       at_barrier
                           ? "threads wait at a barrier that others never reach"
                           : "a thread waits for what does not come: no other one that could "
                             "run brings it",
                       "", 1);
}
