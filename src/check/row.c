/* SPDX-License-Identifier: MIT */
/* Rows of places: what lanes of a warp side by side access is looked at as a whole. The simple
 * cases are decided here, in a few dozen instructions a line: words, no atomic operation, and
 * barriers alone order the block's warps. The rest is race.c's and init.c's. */
#include <string.h>

#include "check/check_priv.h"

enum { AHEAD = 3 }; /* lines that are likely to be next */

/* A row, as it goes to one line after the other. */
struct row {
    struct ls_check_block *b;
    uint64_t who, what; /* of its entries, but for place and mask */
    uint64_t bits;      /* its words, from the first one on, if there are no more than 64 */
    uint64_t first;     /* byte */
    uint64_t n_words;
    unsigned from, words; /* the first lane; words of each lane */
    bool is_one, is_shared, writes;
};

/* Units of an access that others touch in the same way at the same time. Two of them stand for all
 * that come: whoever races with those races with one of these, if they are not of one other block,
 * of which a warp may be in order with both. */
struct cover {
    uint64_t run; /* the first other block's; 0: there is none */
    uint32_t own, own_twice, by_run, by_others;
};

static inline void
add_cover(struct cover *c, const struct ls_check_block *b, uint64_t run, uint32_t mask)
{
    if (run == b->base + b->number) {
        c->own_twice |= c->own & mask;
        c->own |= mask;
    } else if (run == c->run || !c->run) {
        c->run = run;
        c->by_run |= mask;
    } else {
        c->by_others |= mask;
    }
}

static inline bool
is_covered(const struct cover *c, uint32_t mask)
{
    return !(mask &
             ~(c->own_twice | (c->own & (c->by_run | c->by_others)) | (c->by_run & c->by_others)));
}

enum verdict {
    NOTHING_YET = 0,
    IS_THERE,   /* an entry says already what this one would */
    IS_UNCLEAR, /* it is no simple case */
    REPLACES,   /* the entry is given up for this one */
};

/* What an access shares with an entry. */
struct part {
    uint32_t mask; /* units of the entry's that it has all of */
    bool is_any;
    bool is_whole; /* the entry has all of the access */
    uint32_t had;  /* units of the access that the entry has */
};

__attribute__((noinline)) static struct part
part_of_other_unit(const struct ls_check_entry *e, const struct ls_check_entry *now)
{
    unsigned from = e->who >> LS_ENTRY_UNIT & 7, to = now->who >> LS_ENTRY_UNIT & 7;
    uint32_t mask = (uint32_t)now->what, others = (uint32_t)e->what;
    uint32_t some = ls_check_in_other_unit(others, from, to, false) & mask;

    if (!some)
        return (struct part){0};
    others = ls_check_in_other_unit(others, from, to, true);
    return (struct part){ls_check_in_other_unit(some, to, from, true), true, !(mask & ~others),
                         others & mask};
}

static inline struct part
part_of(const struct ls_check_entry *e, const struct ls_check_entry *now, bool is_same_unit)
{
    uint32_t mask = (uint32_t)e->what & (uint32_t)now->what;

    if (!is_same_unit)
        return part_of_other_unit(e, now);
    return (struct part){mask, mask != 0, mask == (uint32_t)now->what, mask};
}

/* What an entry that shares words with the row means. */
static inline enum verdict
judge(struct row *r, struct ls_check_entry *e, const struct ls_check_entry *now, struct part part,
      struct cover *c)
{
    const uint64_t run = LS_ENTRY_RUN, warp = (uint64_t)31 << LS_ENTRY_WARP;
    const struct ls_check_block *b = r->b;
    uint64_t other = e->who ^ now->who;
    bool is_before = !(other & (run | warp));

    if (is_before) {
        bool is_now = !(other >> LS_ENTRY_TIME) && !((e->what ^ now->what) >> LS_ENTRY_TIME_LOW);

        if (is_now && part.is_whole && ls_check_stands_for(e, now))
            return IS_THERE;
    } else if ((e->who & run) < b->floor) {
        is_before = true;
    } else if (!(other & run)) {
        is_before = ls_entry_time(e) <= b->quick.passed[b->warp];
    } else if ((e->who & run) - b->base >= b->n_runs) {
        return IS_UNCLEAR;
    }
    if (!is_before) {
        if (ls_check_do_conflict(e, now))
            return IS_UNCLEAR;
        if (ls_check_stands_for(e, now))
            add_cover(c, b, e->who & run, part.had);
        return NOTHING_YET;
    }
    if (!ls_check_stands_for(now, e))
        return NOTHING_YET;
    e->what &= ~(uint64_t)part.mask;
    return e->what & LS_ENTRY_MASK ? NOTHING_YET : REPLACES;
}

/* Whether an entry is of the same warp, time and site. */
static inline bool
are_alike(const struct ls_check_entry *e, const struct ls_check_entry *now)
{
    const uint64_t place = LS_ENTRY_IN_A_ROW | (uint64_t)63 << LS_ENTRY_LANE;

    return !((e->who ^ now->who) & ~place) && !((e->what ^ now->what) >> 32);
}

static inline void
merge(struct ls_check_entry *e, const struct ls_check_entry *now)
{
    const uint64_t place = LS_ENTRY_IN_A_ROW | (uint64_t)63 << LS_ENTRY_LANE;

    if ((e->who ^ now->who) & place)
        e->who &= ~LS_ENTRY_IN_A_ROW;
    e->what |= now->what & LS_ENTRY_MASK;
}

/* When words of a line that others read, too, need not be told of. */
static inline uint64_t
reading(const struct row *r)
{
    const struct ls_check_quick *q = &r->b->quick;

    return r->is_shared ? (uint64_t)(q->lds_reading + q->passed[r->b->warp]) << 32 : q->reading;
}

static inline void
note_readers(const struct row *r, struct ls_check_line *l, uint32_t mask)
{
    uint64_t was = atomic_load_explicit(&l->readers, memory_order_relaxed), when = reading(r);

    /* relaxed: the line is locked, and who reads it without knows that it may be old */
    if (!r->is_shared && r->b->launch->hands_on)
        return;
    atomic_store_explicit(&l->readers, ((was ^ when) >> 32 ? when : was) | mask,
                          memory_order_relaxed);
}

/* Puts an access down. False: it is no simple case; then it must be told in full. brief: of shared
 * memory; or NULL. */
__attribute__((noinline)) static bool
put(struct row *r, struct ls_check_line *l, const struct ls_check_entry *now,
    struct ls_check_brief *brief)
{
    enum { NONE = LS_LINE_ENTRIES + LS_LINE_MORE };
    unsigned n = l->n, hole = NONE, same = NONE;
    struct cover c = {.run = 0};

    for (unsigned i = 0; i < n; i++) {
        const struct ls_check_entry *e = ls_check_line_entry(l, i);

        if (are_alike(e, now) && !(now->what & ~e->what & LS_ENTRY_MASK))
            return true; /* whoever has come since has looked at it */
    }
    for (unsigned i = 0; i < n; i++) {
        struct ls_check_entry *e = ls_check_line_entry(l, i);
        bool is_same_unit = !((e->who ^ now->who) >> LS_ENTRY_UNIT & 7);
        struct part part;
        enum verdict v;

        if (is_same_unit && are_alike(e, now)) {
            same = i;
            continue;
        }
        part = part_of(e, now, is_same_unit);
        if (!part.is_any) {
            hole = !(e->what & LS_ENTRY_MASK) && hole == NONE ? i : hole;
            continue;
        }
        v = judge(r, e, now, part, &c);
        if (v == IS_THERE)
            return true;
        if (v == IS_UNCLEAR)
            return false;
        if (v == REPLACES && hole < NONE) {
            *e = *ls_check_line_entry(l, --n);
            l->n = (uint8_t)n;
            i--;
        } else if (v == REPLACES) {
            hole = i;
        }
    }
    if (is_covered(&c, (uint32_t)now->what)) {
        if (!r->writes && !(now->who >> LS_ENTRY_UNIT & 7))
            note_readers(r, l, (uint32_t)now->what);
        else if (brief && ls_entry_kind(now) == LS_ENTRY_ATOMIC && !(now->who >> LS_ENTRY_UNIT & 7))
            brief->crowded |= (uint32_t)now->what;
    } else if (same < n) {
        merge(ls_check_line_entry(l, same), now);
    } else {
        if (hole >= n && n >= LS_LINE_ENTRIES && !l->more)
            l->more = ls_check_get_more();
        if (hole >= n && (n == NONE || (n >= LS_LINE_ENTRIES && !l->more)))
            return false;
        if (hole >= n)
            l->n = (uint8_t)((hole = n) + 1);
        *ls_check_line_entry(l, hole) = *now;
    }
    if (r->writes)
        atomic_store_explicit(&l->readers, 0, memory_order_relaxed); /* as in note_readers */
    return true;
}

static inline struct ls_check_line *
line_about(const struct row *r, uint64_t number)
{
    uint64_t offset = number * LS_LINE_BYTES - (uintptr_t)ls_check_arena_base;

    if (r->is_shared)
        return &r->b->lines[number];
    return (void *)(ls_check_arena_base + LS_CHECK_TOUCHED_AT +
                    offset / LS_LINE_BYTES * sizeof(struct ls_check_line));
}

/* Adds an entry to the line without a look at the others. False: there is no room. */
static inline bool
append(struct ls_check_line *l, const struct ls_check_entry *now)
{
    struct ls_check_entry *last = l->n ? ls_check_line_entry(l, l->n - 1u) : NULL;

    if (last && are_alike(last, now)) {
        merge(last, now);
        return true;
    }
    if (l->n >= LS_LINE_ENTRIES)
        return false;
    l->entries[l->n++] = *now;
    return true;
}

/* A write of a warp stands for what it read there before. */
static inline void
remove_reads(struct ls_check_line *l, uint32_t mask)
{
    for (unsigned i = 0; i < l->n;) {
        struct ls_check_entry *e = ls_check_line_entry(l, i);

        if (ls_entry_kind(e) == LS_ENTRY_READ && !(e->who >> LS_ENTRY_UNIT & 7))
            e->what &= ~(uint64_t)mask;
        if (e->what & LS_ENTRY_MASK)
            i++;
        else
            *e = *ls_check_line_entry(l, --l->n);
    }
}

/* An access to whole words of shared memory, by what is known in short. NOTHING_YET: that does not
 * suffice; else it is done. */
static inline enum verdict
judge_brief(struct ls_check_line *l, struct ls_check_brief *s, unsigned warp,
            const struct ls_check_entry *now)
{
    uint32_t mask = (uint32_t)now->what;
    bool may_write = s->written & mask && s->writer != warp;

    switch (ls_entry_kind(now)) {
    case LS_ENTRY_READ:
        if (s->atomic & mask || may_write)
            return NOTHING_YET;
        if (!(mask & ~s->written) || (s->reader == warp && !(mask & ~s->read)))
            return IS_THERE;
        if ((s->read & mask && s->reader != warp) || !append(l, now))
            return NOTHING_YET;
        break;
    case LS_ENTRY_WRITE:
        if (s->atomic & mask || may_write || (s->read & mask && s->reader != warp))
            return NOTHING_YET;
        if (!(mask & ~s->written))
            return IS_THERE;
        if (s->read & mask)
            remove_reads(l, mask);
        if (!append(l, now))
            return NOTHING_YET;
        atomic_store_explicit(&l->readers, 0, memory_order_relaxed); /* it is this thread's */
        break;
    default:
        return (s->read | s->written) & mask || mask & ~s->crowded ? NOTHING_YET : IS_THERE;
    }
    ls_check_brief_add(s, warp, now);
    return IS_THERE;
}

/* An access to a line of which all is ordered with it. NOTHING_YET: it is another case. */
__attribute__((always_inline)) static inline enum verdict
put_ordered(const struct row *r, struct ls_check_line *l, const struct ls_check_entry *now)
{
    const uint64_t run = LS_ENTRY_RUN, run_warp = run | (uint64_t)31 << LS_ENTRY_WARP,
                   floor = r->b->floor, who = now->who, what = now->what,
                   mask = what & LS_ENTRY_MASK;
    unsigned n = l->n, hole = n, stands = ls_check_stand_for_kinds(ls_entry_kind(now));

    if (n >= LS_LINE_ENTRIES)
        return NOTHING_YET;
    for (unsigned i = 0; i < n; i++) {
        struct ls_check_entry *e = &l->entries[i];
        uint64_t his = e->who, other = his ^ who;

        if (other >> LS_ENTRY_UNIT & 7 || his & LS_ENTRY_NARROW)
            return NOTHING_YET;
        if (!(other & run_warp)) {
            if (are_alike(e, now)) {
                merge(e, now);
                hole = LS_LINE_ENTRIES;
                continue;
            }
        } else if ((his & run) >= floor) {
            return NOTHING_YET;
        }
        if (!(stands >> (his >> LS_ENTRY_KIND & 3) & 1))
            continue;
        e->what &= ~mask;
        if (!(e->what & LS_ENTRY_MASK) && hole == n)
            hole = i;
    }
    if (hole < LS_LINE_ENTRIES) {
        l->entries[hole].who = who;
        l->entries[hole].what = what;
        l->n = (uint8_t)(hole == n ? n + 1 : n);
    }
    if (r->writes)
        atomic_store_explicit(&l->readers, 0, memory_order_relaxed); /* as in note_readers */
    return IS_THERE;
}

__attribute__((always_inline)) static inline bool
touch_shared(struct row *r, uint64_t number, const struct ls_check_entry *now)
{
    struct ls_check_line *l = &r->b->lines[number];
    struct ls_check_brief *s = ls_check_brief_of(r->b, l);
    bool is_whole = !(now->who >> LS_ENTRY_UNIT & 7);

    if (s && is_whole && judge_brief(l, s, r->b->warp, now) == IS_THERE)
        return true;
    ls_check_line_begin(r->b, l);
    if (!r->writes && is_whole &&
        !(((atomic_load_explicit(&l->readers, memory_order_relaxed) ^ reading(r)) &
           (0xffffffff00000000u | (uint32_t)now->what)) ^
          (uint32_t)now->what))
        return true;
    if (s)
        ls_check_brief_add(s, r->b->warp, now);
    return put(r, l, now, s);
}

/* more: of `who`. */
__attribute__((always_inline)) static inline bool
touch(struct row *r, uint64_t number, uint32_t mask, uint64_t more)
{
    struct ls_check_entry now = {r->who | more, r->what | mask};
    struct ls_check_line *l;
    bool done;

    if (r->is_shared)
        return touch_shared(r, number, &now);
    l = line_about(r, number);
    __builtin_prefetch(l + AHEAD, 1);
    /* relaxed: a write at the same time finds the reads that were put down before */
    if (!r->writes && !(more >> LS_ENTRY_UNIT & 7) &&
        !(((atomic_load_explicit(&l->readers, memory_order_relaxed) ^ reading(r)) &
           (0xffffffff00000000u | mask)) ^
          mask))
        return true;
    while (atomic_exchange_explicit(&l->lock, 1, memory_order_acquire))
        __builtin_ia32_pause();
    done = put_ordered(r, l, &now) == IS_THERE || put(r, l, &now, NULL);
    atomic_store_explicit(&l->lock, 0, memory_order_release);
    return done;
}

__attribute__((always_inline)) static inline bool
touch_all(struct row *r)
{
    uint64_t word = r->first / 4, end = word + r->n_words;

    for (uint64_t line = word / 32; line * 32 < end; line++) {
        int64_t at = (int64_t)(word - line * 32);
        uint32_t mask =
            r->n_words > 64 ? ls_check_row_part(word, end, line) : ls_check_words_at(r->bits, at);
        unsigned lane = r->from;

        if (!mask)
            continue;
        if (!r->is_one && r->words)
            lane += (unsigned)((int64_t)__builtin_ctz(mask) - at) / r->words;
        if (!touch(r, line, mask, (uint64_t)lane << LS_ENTRY_LANE))
            return false;
    }
    return true;
}

static bool
race_row(struct ls_check_block *b, const struct ls_check_site *site, uint64_t first, uint64_t mask,
         uint32_t lanes, bool is_shared)
{
    unsigned from = lanes & 255, n = lanes >> 8 & 255;
    bool is_one = lanes >> 16;
    struct row r = {.b = b,
                    .first = first,
                    .from = is_one ? (unsigned)__builtin_ctzll(mask) : from,
                    .words = site->bytes / 4,
                    .is_one = is_one,
                    .is_shared = is_shared,
                    .writes = site->kind == LS_CHECK_STORE};
    struct ls_check_entry now;
    bool is_whole = !(~(mask >> from) << (64 - n)), is_packed = !is_one && site->bytes < 4;

    if (first & 3 || (is_packed ? !is_whole || n * site->bytes & 3 : site->bytes & 3))
        return false;
    r.n_words = is_one ? r.words : (uint64_t)n * site->bytes / 4;
    if (is_packed)
        r.bits = ((uint64_t)1 << r.n_words) - 1; /* at most 64 lanes of 2 bytes: 32 words */
    else if (r.words == 1 || is_one)
        r.bits = is_one ? ((uint64_t)1 << (r.words < 64 ? r.words : 63)) - 1 : mask >> from;
    else if (!is_whole)
        return false;
    else
        r.bits = r.n_words < 64 ? ((uint64_t)1 << r.n_words) - 1 : UINT64_MAX;
    now = ls_check_entry_of(b, site);
    r.who = now.who | (is_one || is_packed ? 0 : LS_ENTRY_IN_A_ROW);
    r.what = now.what;
    return touch_all(&r);
}

/* The same of words, one of each lane or one of all. */
static inline bool
race_words(struct ls_check_block *b, const struct ls_check_site *site, uint64_t first,
           uint64_t mask, uint32_t lanes, bool is_shared)
{
    struct ls_check_entry now = ls_check_entry_of(b, site);
    uint64_t word = first / 4, line = word / 32, bits = mask >> (lanes & 255);
    unsigned at = word % 32, lane = lanes & 255;
    struct row r = {.b = b,
                    .who = now.who | LS_ENTRY_IN_A_ROW,
                    .what = now.what,
                    .is_shared = is_shared,
                    .writes = site->kind == LS_CHECK_STORE};

    if (lanes >> 16) {
        lane = (unsigned)__builtin_ctzll(mask);
        r.who &= ~LS_ENTRY_IN_A_ROW;
        return touch(&r, line, 1u << at, (uint64_t)lane << LS_ENTRY_LANE);
    }
    for (lane -= at, bits <<= at; bits;) { /* of up to 32 lanes: they fit */
        uint32_t part = (uint32_t)bits;

        if (part && !touch(&r, line, part,
                           (uint64_t)(lane + (unsigned)__builtin_ctz(part)) << LS_ENTRY_LANE))
            return false;
        bits >>= 32;
        lane += 32;
        line++;
    }
    return true;
}

bool
ls_check_row(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
             uint64_t first, uint64_t mask, uint32_t lanes, struct ls_check_window *windows)
{
    unsigned on = ls_checks(), n = lanes >> 8 & 255;
    bool is_shared = site->space == LS_CHECK_LDS, is_one = lanes >> 16;
    uint64_t bytes = is_one ? site->bytes : (uint64_t)n * site->bytes, offset,
             all = (n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX) << (lanes & 255);

    if (is_shared ? first >= b->self.lds_bytes || bytes > b->self.lds_bytes - first
                  : !ls_check_arena_offset((const void *)(uintptr_t)first, bytes, &offset))
        return false;
    if (on & LS_CHECK_MEMORY) {
        const struct ls_check_window *w = &windows[site->slot];

        if (site->align > 1 && first & (site->align - 1u))
            return false;
        if (is_shared ? site->room && (first < site->from || first - site->from > site->room ||
                                       bytes > site->room - (first - site->from))
                      : first - w->base >= w->bytes || bytes > w->bytes - (first - w->base))
            return false;
    }
    if (on & LS_CHECK_INIT &&
        !ls_check_init_row(b, site, first, bytes, is_shared, is_one || mask == all))
        return false;
    if ((!is_shared && ls_check_is_free(b, site, first, bytes, windows)) ||
        !(on & LS_CHECK_RACE) || !b->launch)
        return true;
    b->warp = warp % LS_CHECK_WARPS;
    ls_check_says(b, site, is_shared);
    if (b->is_simple && !b->n_suspects && site->bytes == 4 && n <= 32 && !(first & 3) &&
        race_words(b, site, first, mask, lanes, is_shared))
        return true;
    return (b->is_simple && !b->n_suspects && race_row(b, site, first, mask, lanes, is_shared)) ||
           ls_check_race_row(b, warp, site, first, mask, lanes, is_shared);
}

/* ---- Places anywhere ---- */

/* Lanes' places in one unit of a line. */
struct spot {
    uint64_t line;
    uint32_t mask;
    uint8_t unit, lane, n_lanes;
};

enum { SPOT_SLOTS = 64, NO_SPOT = 255 };

struct spots {
    unsigned n;
    uint8_t slots[SPOT_SLOTS]; /* by line and unit: the last one of those that share a slot */
    struct spot at[64];
};

/* Puts a lane's place to the others of its line, if they are found. False: it is no part of one
 * unit. */
static inline bool
add_spot(struct spots *s, unsigned lane, uint64_t place, unsigned bytes)
{
    unsigned low = (unsigned)(place % LS_LINE_BYTES), unit = 0;
    uint64_t line = place / LS_LINE_BYTES;
    struct spot *last = &s->at[s->n - (s->n > 0)];
    uint32_t mask;
    uint8_t *slot;

    if (!((low | bytes) & 3)) {
        if (low + bytes > LS_LINE_BYTES)
            return false;
        mask = (uint32_t)((((uint64_t)1 << bytes / 4) - 1) << low / 4);
    } else {
        if (low % 32 + bytes > 32)
            return false;
        unit = 4 + low / 32;
        mask = (uint32_t)((((uint64_t)1 << bytes) - 1) << low % 32);
    }
    if (s->n && last->line == line && last->unit == unit) {
        last->mask |= mask;
        last->n_lanes++;
        return true;
    }
    slot = &s->slots[(line + 16 * unit) % SPOT_SLOTS];
    if (*slot != NO_SPOT && s->at[*slot].line == line && s->at[*slot].unit == unit) {
        s->at[*slot].mask |= mask;
        s->at[*slot].n_lanes++;
        return true;
    }
    *slot = (uint8_t)s->n;
    s->at[s->n++] = (struct spot){line, mask, (uint8_t)unit, (uint8_t)lane, 1};
    return true;
}

static bool
race_spots(struct ls_check_block *b, const struct ls_check_site *site, const struct spots *s)
{
    struct ls_check_entry now = ls_check_entry_of(b, site);
    struct row r = {.b = b,
                    .who = now.who,
                    .what = now.what,
                    .is_shared = site->space == LS_CHECK_LDS,
                    .writes = site->kind != LS_CHECK_LOAD};

    for (unsigned i = 0; i < s->n && !r.is_shared; i++)
        __builtin_prefetch(line_about(&r, s->at[i].line), 1);
    for (unsigned i = 0; i < s->n; i++) {
        const struct spot *spot = &s->at[i];

        if (!touch(&r, spot->line, spot->mask,
                   (uint64_t)spot->lane << LS_ENTRY_LANE | (uint64_t)spot->unit << LS_ENTRY_UNIT |
                       (spot->n_lanes == 1 ? LS_ENTRY_IN_A_ROW : 0)))
            return false;
    }
    return true;
}

/* Where lanes go. */
struct extent {
    uint64_t lowest, highest, lanes; /* lanes: of those that go anywhere */
    bool is_row;
};

static inline struct extent
extent_of(const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    bool is_shared = site->space == LS_CHECK_LDS;
    unsigned first = (unsigned)__builtin_ctzll(mask);
    struct extent e = {.lowest = UINT64_MAX};
    uint64_t away = 0;

    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t place = places[lane];

        if (is_shared && place == LS_CHECK_NOWHERE) {
            away = 1;
            continue;
        }
        e.lowest = place < e.lowest ? place : e.lowest;
        e.highest = place > e.highest ? place : e.highest;
        e.lanes |= left & -left;
        away |= place ^ (places[first] + (uint64_t)(lane - first) * site->bytes);
    }
    e.is_row = !away;
    return e;
}

/* Whether all places are in order, as far as memory is concerned. */
static inline bool
are_right(const struct ls_check_block *b, const struct ls_check_site *site, const uint64_t *places,
          const struct extent *e, const struct ls_check_window *w)
{
    uint64_t bytes = e->highest - e->lowest + site->bytes, offset, low = 0;

    if (site->space == LS_CHECK_LDS
            ? e->lowest >= b->self.lds_bytes || bytes > b->self.lds_bytes - e->lowest
            : !ls_check_arena_offset((const void *)(uintptr_t)e->lowest, bytes, &offset))
        return false;
    if (!w)
        return true;
    for (uint64_t left = site->align > 1 ? e->lanes : 0; left; left &= left - 1)
        low |= places[__builtin_ctzll(left)];
    if (low & (site->align - 1u))
        return false;
    if (site->space == LS_CHECK_LDS)
        return !site->room || (e->lowest >= site->from && e->lowest - site->from <= site->room &&
                               bytes <= site->room - (e->lowest - site->from));
    return e->lowest - w->base < w->bytes && bytes <= w->bytes - (e->lowest - w->base);
}

/* The same, of what was written. */
static inline bool
are_written(struct ls_check_block *b, const struct ls_check_site *site, const uint64_t *places,
            const struct extent *e, bool is_shared)
{
    uint64_t bytes = e->highest - e->lowest + site->bytes;

    if (e->is_row &&
        ls_check_init_row(b, site, e->lowest, bytes, is_shared,
                          bytes == (uint64_t)__builtin_popcountll(e->lanes) * site->bytes))
        return true;
    for (uint64_t left = e->lanes; left; left &= left - 1)
        if (!ls_check_init_row(b, site, places[__builtin_ctzll(left)], site->bytes, is_shared,
                               true))
            return false;
    return true;
}

bool
ls_check_spread(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
                const uint64_t *places, uint64_t mask, struct ls_check_window *windows)
{
    unsigned on = ls_checks();
    const struct ls_check_window *w = on & LS_CHECK_MEMORY ? &windows[site->slot] : NULL;
    bool is_shared = site->space == LS_CHECK_LDS, race = on & LS_CHECK_RACE && b->launch;
    struct extent e;
    struct spots s;

    if (on & (LS_CHECK_SYNC | LS_CHECK_LANES | LS_CHECK_BARRIERS) || site->bytes > 16 ||
        (race && ls_check_orders_others(site)) || (race && (!b->is_simple || b->n_suspects)) ||
        (!is_shared && site->space != LS_CHECK_ANYWHERE))
        return false;
    e = extent_of(site, places, mask);
    if (!e.lanes)
        return true;
    if (!are_right(b, site, places, &e, w))
        return false;
    if (on & LS_CHECK_INIT && !are_written(b, site, places, &e, is_shared))
        return false;
    if ((!is_shared && ls_check_is_free(b, site, e.lowest, e.highest - e.lowest + site->bytes,
                                        windows)) ||
        !race)
        return true;
    b->warp = warp % LS_CHECK_WARPS;
    ls_check_says(b, site, is_shared);
    if (e.is_row && site->kind != LS_CHECK_ATOMIC && !(site->flags & LS_CHECK_SYNCHRONISES)) {
        unsigned from = (unsigned)__builtin_ctzll(mask),
                 n = 64 - from - (unsigned)__builtin_clzll(mask);

        if (race_row(b, site, places[from], mask, LS_CHECK_ROW(from, n, 0), is_shared))
            return true;
    }
    s.n = 0;
    memset(s.slots, NO_SPOT, sizeof(s.slots));
    for (uint64_t left = e.lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);

        if (!add_spot(&s, lane, places[lane], site->bytes))
            return false;
    }
    return race_spots(b, site, &s);
}
