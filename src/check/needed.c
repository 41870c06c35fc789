/* SPDX-License-Identifier: MIT */
/* Barriers that a run did not need: those between no accesses that would be in a race without them.
 * How often a thread has waited is its time. For each word are kept the last two threads that wrote
 * it, and the last two that read it: of those, one is another thread than the next one. Two
 * accesses with one barrier in between need it; with several, one of these, which the end of the
 * process chooses. Atomics and volatile accesses may hand on to other blocks what threads of this
 * one did, so these need what is between them and other threads' accesses, too. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

#define VOTE    "__ls_block_count\t" /* of traces: a barrier that brings a value */
#define HEADERS "/hip/detail/"       /* of files' names: of no interest */

enum {
    THREAD_BITS = 11, /* blocks have 1024 threads */
    LATEST = (1 << (32 - THREAD_BITS)) - 1,
    WORD = 4,
    LEAST_ROWS = 1 << 12,
    MOST_ROWS = 1 << 20,
    N_SITES = 1 << 16,
    MOST_CHOICES = 1 << 12,
    CHOICE = 8, /* barriers of which one is needed */
};

/* Times and threads of two accesses by different threads, the later one first: the time << bits,
 * and 1 + the thread; 0: none. */
struct last {
    uint32_t at[2];
};

struct word {
    struct last wrote, read;
};

/* A word of memory outside of the block. */
struct row {
    uint64_t place; /* the address / WORD */
    uint64_t turn;  /* of the block it belongs to */
    struct word word;
};

/* A block that runs. */
struct ls_check_needs {
    struct ls_check_needs *next;
    uint64_t lds, serial, number, turn; /* turn: no other block has it; 0: there was no memory */
    uint32_t n_threads, cap_threads;
    uint32_t *met;   /* owned: by thread: how often it has waited */
    uint16_t *sites; /* owned: of its barriers, one after the other */
    size_t n_sites, cap_sites;
    struct word *shared; /* owned: by word of shared memory */
    size_t n_shared, cap_shared;
    struct row *rows; /* owned: a hash table */
    size_t n_rows, cap_rows;
    struct last synced, touched; /* of memory outside */
};

struct choice {
    uint16_t sites[CHOICE];
};

static _Atomic uint8_t needed[N_SITES]; /* by a site's number */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct seen {
    uint64_t times;
    uint32_t n_threads; /* of the largest block */
    char kernel[96];
} * seen[N_SITES]; /* guarded by lock, as the next two; owned */
static struct choice choices[MOST_CHOICES];
static unsigned n_choices;

/* ---- Which are needed ---- */

static bool
is_needed(uint16_t site)
{
    return !site || atomic_load_explicit(&needed[site], memory_order_relaxed); /* no order meant */
}

static void
need(uint16_t site)
{
    atomic_store_explicit(&needed[site], 1, memory_order_relaxed); /* the same */
}

static void
add_choice(const struct choice *c)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_choices; i++)
        if (!memcmp(&choices[i], c, sizeof(*c))) {
            pthread_mutex_unlock(&lock);
            return;
        }
    if (n_choices < MOST_CHOICES)
        choices[n_choices++] = *c;
    else
        need(c->sites[0]);
    pthread_mutex_unlock(&lock);
}

/* Something at the time `now` needs a barrier since the time `then`. */
static void
pair(struct ls_check_needs *b, uint32_t then, uint32_t now)
{
    struct choice c = {{0}};
    unsigned n = 0;

    if (then >= now || now > b->n_sites)
        return;
    for (uint32_t k = now; k-- > then;) {
        uint16_t site = b->sites[k];
        unsigned i = 0;

        if (is_needed(site))
            return;
        while (i < n && c.sites[i] != site)
            i++;
        if (i == n && n < CHOICE)
            c.sites[n++] = site;
    }
    if (n == 1)
        need(c.sites[0]);
    else
        add_choice(&c);
}

/* ---- Accesses ---- */

static uint32_t
thread_in(uint32_t at)
{
    return (at & ((1u << THREAD_BITS) - 1)) - 1;
}

/* What another thread did last needs a barrier before `now`. */
static void
pair_last(struct ls_check_needs *b, const struct last *l, uint32_t thread, uint32_t now)
{
    uint32_t at = l->at[0];

    if (at && thread_in(at) == thread)
        at = l->at[1];
    if (at)
        pair(b, at >> THREAD_BITS, now);
}

static void
add_last(struct last *l, uint32_t thread, uint32_t now)
{
    uint32_t at = now << THREAD_BITS | (thread + 1);

    if (l->at[0] && thread_in(l->at[0]) != thread)
        l->at[1] = l->at[0];
    l->at[0] = at;
}

static void
touch(struct ls_check_needs *b, struct word *w, bool writes, uint32_t thread, uint32_t now)
{
    pair_last(b, &w->wrote, thread, now);
    if (writes)
        pair_last(b, &w->read, thread, now);
    add_last(writes ? &w->wrote : &w->read, thread, now);
}

static struct row *
find_row(struct row *rows, size_t cap, uint64_t place, uint64_t turn)
{
    size_t i = (size_t)(place * 0x9e3779b97f4a7c15u >> 32) & (cap - 1);

    while (rows[i].turn == turn && rows[i].place != place)
        i = (i + 1) & (cap - 1);
    return &rows[i];
}

static bool
grow(struct ls_check_needs *b)
{
    size_t cap = b->cap_rows ? 2 * b->cap_rows : LEAST_ROWS;
    struct row *more = cap <= MOST_ROWS ? calloc(cap, sizeof(*more)) : NULL;

    if (!more)
        return false;
    for (size_t i = 0; i < b->cap_rows; i++)
        if (b->rows[i].turn == b->turn)
            *find_row(more, cap, b->rows[i].place, b->turn) = b->rows[i];
    free(b->rows);
    b->rows = more;
    b->cap_rows = cap;
    return true;
}

/* NULL: there are too many. */
static struct word *
word_of(struct ls_check_needs *b, uint64_t place)
{
    struct row *r;

    if (2 * b->n_rows >= b->cap_rows && !grow(b))
        return NULL;
    r = find_row(b->rows, b->cap_rows, place, b->turn);
    if (r->turn != b->turn) {
        *r = (struct row){.place = place, .turn = b->turn};
        b->n_rows++;
    }
    return &r->word;
}

/* Nobody knows any more: what the block has passed counts as needed. */
static void
give_up(struct ls_check_needs *b)
{
    for (size_t i = 0; i < b->n_sites; i++)
        need(b->sites[i]);
}

/* ---- Blocks ---- */

static void
fini(struct ls_check_needs *b)
{
    free(b->met);
    free(b->sites);
    free(b->shared);
    free(b->rows);
    free(b);
}

static bool
begin(struct ls_check_needs *b, const struct ls_check_warp *warp)
{
    static atomic_ullong n_turns;
    uint32_t n = warp->block[0] * warp->block[1] * warp->block[2];
    size_t words = (warp->lds_bytes + WORD - 1) / WORD;

    if (n > b->cap_threads) {
        free(b->met);
        b->met = calloc(n, sizeof(*b->met));
        b->cap_threads = b->met ? n : 0;
    }
    if (words > b->cap_shared) {
        free(b->shared);
        b->shared = calloc(words, sizeof(*b->shared));
        b->cap_shared = b->shared ? words : 0;
    }
    b->serial = warp->serial;
    b->number = warp->block_number;
    b->turn = atomic_fetch_add(&n_turns, 1) + 1;
    b->n_threads = n;
    b->n_sites = b->n_rows = 0;
    b->n_shared = words;
    b->synced = b->touched = (struct last){{0}};
    if (!b->met || b->cap_shared < words)
        return false;
    memset(b->met, 0, n * sizeof(*b->met));
    if (words)
        memset(b->shared, 0, words * sizeof(*b->shared));
    return true;
}

/* Blocks that run side by side have shared memory of their own; one that runs after another one
 * takes over its. NULL: no memory. */
static struct ls_check_needs *
needs_of(const struct ls_check_warp *warp)
{
    struct ls_check_needs *b = warp->blocks->needs;

    while (b && b->lds != warp->lds)
        b = b->next;
    if (b && b->serial == warp->serial && b->number == warp->block_number && b->turn)
        return b;
    if (!b) {
        if (!(b = calloc(1, sizeof(*b))))
            return NULL;
        b->lds = warp->lds;
        b->next = warp->blocks->needs;
        warp->blocks->needs = b;
    }
    if (begin(b, warp))
        return b;
    b->turn = 0;
    return NULL;
}

static void
note_site(struct ls_check_needs *b, const struct ls_check_warp *warp, uint16_t site)
{
    pthread_mutex_lock(&lock);
    if (!seen[site] && (seen[site] = calloc(1, sizeof(*seen[site]))))
        ls_check_name(warp->kernel, seen[site]->kernel, sizeof(seen[site]->kernel));
    if (seen[site]) {
        seen[site]->times++;
        if (b->n_threads > seen[site]->n_threads)
            seen[site]->n_threads = b->n_threads;
    }
    pthread_mutex_unlock(&lock);
}

/* A barrier that the first thread comes to. */
static void
add_site(struct ls_check_needs *b, const struct ls_check_warp *warp,
         const struct ls_check_site *site)
{
    const char *trace = site->trace ? (const char *)site + site->trace : "";
    bool is_other = site->flags & LS_CHECK_GRID || strstr(trace, VOTE);
    uint16_t number = is_other ? 0 : ls_check_site_number(site);

    if (b->n_sites == b->cap_sites) {
        size_t cap = b->cap_sites ? 2 * b->cap_sites : 64;
        uint16_t *more = realloc(b->sites, cap * sizeof(*more));

        if (!more)
            return;
        b->sites = more;
        b->cap_sites = cap;
    }
    b->sites[b->n_sites++] = number;
    if (number)
        note_site(b, warp, number);
}

void
ls_check_needs_barrier(const struct ls_check_warp *warp, const struct ls_check_site *site,
                       uint64_t mask)
{
    struct ls_check_needs *b = mask ? needs_of(warp) : NULL;

    for (uint64_t left = b ? mask : 0; left; left &= left - 1) {
        uint32_t t = warp->first_thread + (uint32_t)__builtin_ctzll(left);

        if (b->met[t] < LATEST && b->met[t]++ >= b->n_sites)
            add_site(b, warp, site);
    }
}

void
ls_check_needs_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                      const uint64_t *places, uint64_t mask)
{
    struct ls_check_needs *b = mask ? needs_of(warp) : NULL;
    bool writes = site->kind != LS_CHECK_LOAD,
         syncs = ls_check_orders_others(site) || site->more & LS_CHECK_VOLATILE;

    for (uint64_t left = b ? mask : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t t = warp->first_thread + lane, now = b->met[t];
        uint64_t place = places[lane], offset, end;
        bool is_shared = ls_check_shared_offset(warp, site, place, &offset);

        if (!is_shared && site->space != LS_CHECK_ANYWHERE)
            return;
        if (is_shared)
            place = offset;
        else if (ls_check_is_own(warp, place))
            continue;
        end = (place + site->bytes - 1) / WORD;
        for (uint64_t w = place / WORD; w <= end; w++) {
            struct word *word = !is_shared ? word_of(b, w) : w < b->n_shared ? &b->shared[w] : NULL;

            if (word)
                touch(b, word, writes, t, now);
            else if (!is_shared)
                give_up(b);
        }
        if (syncs)
            pair_last(b, &b->touched, t, now);
        else if (!is_shared)
            pair_last(b, &b->synced, t, now);
        if (syncs || !is_shared)
            add_last(syncs ? &b->synced : &b->touched, t, now);
    }
}

void
ls_check_needs_fini(struct ls_check_blocks *all)
{
    while (all->needs) {
        struct ls_check_needs *b = all->needs;

        all->needs = b->next;
        fini(b);
    }
}

/* ---- The end ---- */

/* The innermost place in the program's own source: one line of a trace. Code that is inlined into
 * several kernels has it often. */
static const char *
place_of(const char *trace, size_t *n)
{
    const char *at = trace, *next;

    for (;; at = next) {
        const char *found = strstr(at, HEADERS);

        *n = strcspn(at, "\n");
        next = at + *n + 1;
        if (!found || found >= at + *n || !at[*n] || !*next)
            return at;
    }
}

static const char *
trace_of(unsigned number)
{
    const struct ls_check_site *site = ls_check_site_of((uint16_t)number);

    return site && site->trace ? (const char *)site + site->trace : NULL;
}

static bool
is_needed_elsewhere(unsigned number, const char *trace)
{
    size_t n = 0, n_other;
    const char *place = trace ? place_of(trace, &n) : NULL;

    for (unsigned k = 1; trace && k < N_SITES; k++) {
        const char *other = seen[k] && k != number && is_needed((uint16_t)k) ? trace_of(k) : NULL;

        if (other && (other = place_of(other, &n_other)) && n_other == n &&
            !memcmp(other, place, n))
            return true;
    }
    return false;
}

void
ls_check_needs_end(void)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_choices; i++) {
        unsigned k = 0;

        while (k < CHOICE && choices[i].sites[k] && !is_needed(choices[i].sites[k]))
            k++;
        if (k == CHOICE || !choices[i].sites[k])
            need(choices[i].sites[0]);
    }
    for (unsigned i = 1; i < N_SITES; i++) {
        const char *trace = trace_of(i);
        char where[160], notes[160];

        if (!seen[i] || seen[i]->n_threads < 2 || is_needed((uint16_t)i) ||
            is_needed_elsewhere(i, trace))
            continue;
        snprintf(where, sizeof(where), "kernel %s", seen[i]->kernel);
        snprintf(notes, sizeof(notes), "passed %" PRIu64 " times by blocks of %u threads\n",
                 seen[i]->times, seen[i]->n_threads);
        ls_check_report(&(struct ls_check_finding){
            .check = "sync",
            .kind = "barrier-unneeded",
            .message = "a barrier that no accesses of different threads needed in this run",
            .trace = trace,
            .where = where,
            .notes = notes,
        });
    }
    pthread_mutex_unlock(&lock);
}
