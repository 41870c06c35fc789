/* SPDX-License-Identifier: MIT */
/* Rows of places: what lanes of a warp side by side access is looked at as a whole. The simple
 * cases are decided here, in a few dozen instructions a line: words, no atomic operation, and
 * barriers alone order the block's warps. The rest is race.c's and init.c's. */
#include <string.h>

#include "check/check_priv.h"

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

/* Puts an access down. False: it is no simple case; then it must be told in full. */
__attribute__((always_inline)) static inline bool
put(struct row *r, struct ls_check_line *l, const struct ls_check_entry *now)
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

/* more: of `who`. */
__attribute__((always_inline)) static inline bool
touch(struct row *r, uint64_t number, uint32_t mask, uint64_t more)
{
    struct ls_check_entry now = {r->who | more, r->what | mask};
    struct ls_check_line *l = line_about(r, number);
    bool done;

    if (r->is_shared)
        ls_check_line_begin(r->b, l);
    /* relaxed: a write at the same time finds the reads that were put down before */
    if (!r->writes && !(more >> LS_ENTRY_UNIT & 7) &&
        !(((atomic_load_explicit(&l->readers, memory_order_relaxed) ^ reading(r)) &
           (0xffffffff00000000u | mask)) ^
          mask))
        return true;
    if (r->is_shared)
        return put(r, l, &now);
    while (atomic_exchange_explicit(&l->lock, 1, memory_order_acquire))
        __builtin_ia32_pause();
    done = put(r, l, &now);
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

bool
ls_check_row(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
             uint64_t first, uint64_t mask, uint32_t lanes, const struct ls_check_window *windows)
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
    if (!(on & LS_CHECK_RACE) || !b->launch)
        return true;
    b->warp = warp % LS_CHECK_WARPS;
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

/* Whether a lane's place is in order, as far as memory is concerned. */
static inline bool
is_right(const struct ls_check_block *b, const struct ls_check_site *site, uint64_t place,
         const struct ls_check_window *w)
{
    uint64_t offset, bytes = site->bytes;

    if (site->space == LS_CHECK_LDS
            ? place >= b->self.lds_bytes || bytes > b->self.lds_bytes - place
            : !ls_check_arena_offset((const void *)(uintptr_t)place, bytes, &offset))
        return false;
    if (!w)
        return true;
    if (site->align > 1 && place & (site->align - 1u))
        return false;
    if (site->space == LS_CHECK_LDS)
        return !site->room || (place >= site->from && place - site->from <= site->room &&
                               bytes <= site->room - (place - site->from));
    return place - w->base < w->bytes && bytes <= w->bytes - (place - w->base);
}

bool
ls_check_spread(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
                const uint64_t *places, uint64_t mask, const struct ls_check_window *windows)
{
    unsigned on = ls_checks();
    const struct ls_check_window *w = on & LS_CHECK_MEMORY ? &windows[site->slot] : NULL;
    bool is_shared = site->space == LS_CHECK_LDS, race = on & LS_CHECK_RACE && b->launch;
    struct spots s;

    if (on & (LS_CHECK_SYNC | LS_CHECK_LANES | LS_CHECK_BARRIERS) || site->bytes > 16 ||
        (race && ls_check_orders_others(site)) || (race && (!b->is_simple || b->n_suspects)) ||
        (!is_shared && site->space != LS_CHECK_ANYWHERE))
        return false;
    s.n = 0;
    memset(s.slots, NO_SPOT, sizeof(s.slots));
    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t place = places[lane];

        if (is_shared && place == LS_CHECK_NOWHERE)
            continue;
        if (!is_right(b, site, place, w) || (race && !add_spot(&s, lane, place, site->bytes)) ||
            (on & LS_CHECK_INIT &&
             !ls_check_init_row(b, site, place, site->bytes, is_shared, true)))
            return false;
    }
    b->warp = warp % LS_CHECK_WARPS;
    return !race || race_spots(b, site, &s);
}
