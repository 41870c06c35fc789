/* SPDX-License-Identifier: MIT */
/* Who touched memory last. Threads of a warp mostly touch neighbouring words, so there is no cell
 * for each word but a list of entries for each line, with masks (the last accesses of each word are
 * enough to find a race: C. Flanagan and S. Freund, "FastTrack", 2009). What is given up where a
 * list is full may hide a race, and never makes one. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check/check_priv.h"

/* ---- Lines ---- */

enum { PAGE = 4096, PAGE_LINES = PAGE / LS_LINE_BYTES, N_BUCKETS = 1 << 14 };

/* Memory outside of the arena: variables of modules, memory of the host. */
struct page {
    uint64_t number;
    struct page *next;
    struct ls_check_line lines[PAGE_LINES];
};

static _Atomic(struct page *) pages[N_BUCKETS]; /* they stay */

static struct page *
find_page(uint64_t number, bool make)
{
    _Atomic(struct page *) *bucket = &pages[number * 0x9e3779b97f4a7c15u >> 50];
    struct page *first = atomic_load(bucket), *p;

    for (p = first; p; p = p->next)
        if (p->number == number)
            return p;
    if (!make || !(p = calloc(1, sizeof(*p))))
        return NULL;
    p->number = number;
    p->next = first;
    if (atomic_compare_exchange_strong(bucket, &first, p))
        return p;
    free(p);
    return find_page(number, make);
}

static struct ls_check_line *
find_line(uint64_t address, bool make)
{
    uint64_t offset;
    struct page *p;

    if (ls_check_arena_offset((const void *)(uintptr_t)address, 1, &offset))
        return (void *)(ls_check_arena_base + LS_CHECK_TOUCHED_AT +
                        offset / LS_LINE_BYTES * sizeof(struct ls_check_line));
    p = find_page(address / PAGE, make);
    return p ? &p->lines[address % PAGE / LS_LINE_BYTES] : NULL;
}

struct ls_check_line *
ls_check_line_of(uint64_t address)
{
    return find_line(address, true);
}

/* ---- More entries ---- */

#define MOST_MORE ((uint64_t)1 << 32)

ls_check_more_entries *ls_check_mores; /* reserved addresses */
static atomic_uint n_mores = 1;
static pthread_once_t mores_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first_free; /* guarded by free_lock; the next one is in its first entry */

static void
reserve_mores(void)
{
    void *p = mmap(NULL, MOST_MORE * sizeof(*ls_check_mores), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    ls_check_mores = p == MAP_FAILED ? NULL : p;
}

uint32_t
ls_check_get_more(void)
{
    uint32_t i;

    pthread_once(&mores_once, reserve_mores);
    if (!ls_check_mores)
        return 0;
    pthread_mutex_lock(&free_lock);
    i = first_free;
    if (i)
        first_free = (uint32_t)ls_check_mores[i][0].who;
    pthread_mutex_unlock(&free_lock);
    if (i)
        return i;
    return atomic_load(&n_mores) < UINT32_MAX - 4096 ? atomic_fetch_add(&n_mores, 1) : 0;
}

static void
put_more(uint32_t i)
{
    pthread_mutex_lock(&free_lock);
    ls_check_mores[i][0].who = first_free;
    first_free = i;
    pthread_mutex_unlock(&free_lock);
}

static void
lock_line(struct ls_check_line *l)
{
    while (atomic_exchange_explicit(&l->lock, 1, memory_order_acquire))
        __builtin_ia32_pause();
}

static void
unlock_line(struct ls_check_line *l)
{
    atomic_store_explicit(&l->lock, 0, memory_order_release);
}

static void
clear_line(struct ls_check_line *l)
{
    if (!l || !l->n)
        return;
    lock_line(l);
    if (l->more)
        put_more(l->more);
    l->more = 0;
    l->n = 0;
    atomic_store_explicit(&l->readers, 0, memory_order_relaxed); /* nobody uses this memory */
    unlock_line(l);
}

void
ls_check_lines_clear(const void *base, size_t bytes)
{
    uint64_t at = (uintptr_t)base, end = at + bytes;

    if (!(ls_checks() & LS_CHECK_RACE))
        return;
    for (; at < end; at = (at / LS_LINE_BYTES + 1) * LS_LINE_BYTES)
        clear_line(find_line(at, false));
}

/* ---- Masks ---- */

static uint32_t
bytes_of_words(uint32_t words)
{
    uint32_t bytes = 0;

    for (unsigned i = 0; i < 8; i++)
        bytes |= words >> i & 1 ? 0xfu << 4 * i : 0;
    return bytes;
}

static uint32_t
words_of_bytes(uint32_t bytes, bool whole)
{
    uint32_t words = 0;

    for (unsigned i = 0; i < 8; i++) {
        uint32_t part = bytes >> 4 * i & 0xf;

        words |= (uint32_t)(whole ? part == 0xf : part != 0) << i;
    }
    return words;
}

uint32_t
ls_check_in_other_unit(uint32_t mask, unsigned from, unsigned to, bool whole)
{
    if (from == 0)
        return bytes_of_words(mask >> 8 * (to - 4) & 0xff);
    return to == 0 ? words_of_bytes(mask, whole) << 8 * (from - 4) : 0;
}

static inline uint32_t
in_unit(uint32_t mask, unsigned from, unsigned to, bool whole)
{
    return from == to ? mask : ls_check_in_other_unit(mask, from, to, whole);
}

/* ---- Entries ---- */

static unsigned
unit_of(const struct ls_check_entry *e)
{
    return (unsigned)(e->who >> LS_ENTRY_UNIT & 7);
}

/* Accesses of the same warp, time, site and unit. */
static inline bool
are_alike(const struct ls_check_entry *a, const struct ls_check_entry *b)
{
    const uint64_t place = LS_ENTRY_IN_A_ROW | (uint64_t)63 << LS_ENTRY_LANE;

    return ((a->who ^ b->who) & ~place) == 0 && (a->what ^ b->what) >> 32 == 0;
}

static void
remove_entry(struct ls_check_line *l, unsigned i)
{
    *ls_check_line_entry(l, i) = *ls_check_line_entry(l, l->n - 1u);
    l->n--;
}

/* A list is full: what is given up is a read, if there is one. */
static unsigned
choose_victim(struct ls_check_line *l)
{
    for (unsigned k = 0; k < l->n; k++) {
        unsigned i = (l->next + k) % l->n;

        if (ls_entry_kind(ls_check_line_entry(l, i)) < LS_ENTRY_ATOMIC) {
            l->next = (uint8_t)((i + 1) % l->n);
            return i;
        }
    }
    l->next = (uint8_t)((l->next + 1u) % l->n);
    return l->next;
}

static void
add_entry(struct ls_check_line *l, const struct ls_check_entry *now)
{
    if (l->n == LS_LINE_ENTRIES && !l->more)
        l->more = ls_check_get_more();
    if (l->n < LS_LINE_ENTRIES + (l->more ? LS_LINE_MORE : 0))
        *ls_check_line_entry(l, l->n++) = *now;
    else
        *ls_check_line_entry(l, choose_victim(l)) = *now;
}

/* The same access at other words of the line. */
static bool
merge(struct ls_check_entry *e, const struct ls_check_entry *now)
{
    const uint64_t place = LS_ENTRY_IN_A_ROW | (uint64_t)63 << LS_ENTRY_LANE;

    if ((e->who ^ now->who) & place)
        e->who &= ~LS_ENTRY_IN_A_ROW;
    e->what |= now->what & LS_ENTRY_MASK;
    return true;
}

struct conflict {
    uint32_t bad;
    bool is_weak; /* it may be a store of the same value */
    struct ls_check_entry with;
};

static void
add_conflict(struct conflict *c, const struct ls_check_entry *e, const struct ls_check_entry *now,
             uint32_t part)
{
    bool is_weak = ls_check_may_be_same(e, now);

    if (!c->bad || (c->is_weak && !is_weak)) {
        c->with = *e;
        c->bad = part;
        c->is_weak = is_weak;
    } else if (c->is_weak == is_weak) {
        c->bad |= part;
    }
}

static void
touch(struct ls_check_block *b, struct ls_check_line *l, const struct ls_check_entry *now,
      struct conflict *c)
{
    uint32_t mask = now->what & LS_ENTRY_MASK, once = 0, twice = 0;

    if (ls_entry_kind(now) >= LS_ENTRY_ATOMIC) /* under the line's lock */
        atomic_store_explicit(&l->readers, 0, memory_order_relaxed);
    unsigned unit = unit_of(now), same = LS_LINE_ENTRIES + LS_LINE_MORE;

    for (unsigned i = 0; i < l->n;) {
        struct ls_check_entry *e = ls_check_line_entry(l, i);
        uint32_t part = in_unit(e->what & LS_ENTRY_MASK, unit_of(e), unit, false) & mask;

        if (are_alike(e, now)) {
            if (part == mask)
                return;
            same = i++;
            continue;
        }
        if (!part || (!ls_check_do_conflict(e, now) && !ls_check_stands_for(now, e) &&
                      !ls_check_stands_for(e, now))) {
            i++;
            continue;
        }
        bool is_before = ls_check_is_before(b, e);

        if (!is_before && ls_check_do_conflict(e, now))
            add_conflict(c, e, now, part);
        if (ls_check_stands_for(now, e) && (is_before || ls_entry_kind(now) == LS_ENTRY_WRITE)) {
            e->what &= ~(uint64_t)in_unit(part, unit, unit_of(e), true);
            if (!(e->what & LS_ENTRY_MASK)) {
                remove_entry(l, i); /* the one that is there now was not looked at */
                continue;
            }
        } else if (!is_before && ls_check_stands_for(e, now) &&
                   (e->who & LS_ENTRY_RUN) - b->base < b->n_runs) {
            twice |= once & part;
            once |= part;
        }
        i++;
    }
    if ((twice & mask) == mask && ls_entry_kind(now) != LS_ENTRY_WRITE)
        return; /* whoever races with this one races with one of those two */
    if (same < l->n)
        merge(ls_check_line_entry(l, same), now);
    else
        add_entry(l, now);
}

uint32_t
ls_check_touch(struct ls_check_block *b, struct ls_check_line *l, const struct ls_check_entry *now,
               struct ls_check_entry *found)
{
    struct conflict c;

    c.bad = 0;
    c.is_weak = false;
    lock_line(l);
    touch(b, l, now, &c);
    unlock_line(l);
    if (c.bad)
        *found = c.with;
    return c.bad;
}
