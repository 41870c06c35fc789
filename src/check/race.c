/* SPDX-License-Identifier: MIT */
/* Races: two threads of different warps touch the same bytes, one of them writes, and nothing
 * orders them (order.c). Lines of memory say who touched them last (lines.c); a warp's access
 * becomes an entry for each line that it goes to. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "check/check_priv.h"

enum {
    WAIT_PAUSES = 64, /* some microseconds */
    WAIT_NAPS = 5000,
    NAP_NS = 100000,
};

/* A warp's access, as far as it has been looked at. */
struct touching {
    const struct ls_check_warp *warp;
    struct ls_check_block *b;
    const struct ls_check_site *site;
    const uint64_t *places; /* NULL: a row */
    uint64_t first, stride;
    unsigned from_lane;
    struct ls_check_entry entry; /* of this warp now, without place and mask */
    /* What goes to one line in one unit, of lanes one after the other. */
    uint64_t line, lanes; /* line: an address, or an offset in shared memory */
    uint32_t mask;
    unsigned unit, first_lane, last_lane, first_bit;
    bool is_shared, in_a_row;
};

/* ---- What is reported ---- */

/* Units of an entry's mask that one thread touched. */
static unsigned
thread_units(const struct ls_check_entry *e, const struct ls_check_site *site)
{
    unsigned n = site ? site->bytes : 4;

    if (!(e->who >> LS_ENTRY_UNIT & 7))
        n /= 4;
    return n ? n : 1;
}

/* Says which thread made an access. */
static void
say_who(const struct ls_check_block *b, const struct ls_check_entry *e,
        const struct ls_check_site *site, uint32_t bad, char *to, size_t bytes)
{
    unsigned lane = (unsigned)(e->who >> LS_ENTRY_LANE & 63);
    bool is_known = e->who & LS_ENTRY_IN_A_ROW, is_own;
    uint32_t mask = e->what & LS_ENTRY_MASK;
    struct ls_check_ran ran;
    char block[128] = "";

    if (!ls_check_launch_of(e->who & LS_ENTRY_RUN, &ran)) {
        snprintf(to, bytes, "an earlier launch");
        return;
    }
    if (is_known && bad & mask)
        lane += (unsigned)(__builtin_ctz(bad & mask) - __builtin_ctz(mask)) / thread_units(e, site);
    is_own = ran.launch.number == b->launch->number;
    uint32_t t = ls_entry_warp(e) * ran.launch.width + lane;
    const uint32_t *d = ran.launch.block, *g = ran.launch.grid;

    if (!ran.launch.is_kernel) {
        snprintf(to, bytes, "%s", ran.name);
        return;
    }
    if (!is_own || ran.block != b->number)
        snprintf(block, sizeof(block), "block (%" PRIu64 ",%" PRIu64 ",%" PRIu64 "), ",
                 ran.block % g[0], ran.block / g[0] % g[1], ran.block / g[0] / g[1]);
    snprintf(to, bytes, "%s%s%s%sthread (%u,%u,%u)%s", is_own ? "" : "kernel ",
             is_own ? "" : ran.name, is_own ? "" : ", ", block, t % d[0], t / d[0] % d[1],
             t / d[0] / d[1], is_known ? "" : " or another one of its warp");
}

/* How far the other one is, and what would order the two. */
struct relation {
    const char *by, *lack, *kind;
};

static struct relation
relate(struct ls_check_block *b, const struct ls_check_entry *now, const struct ls_check_entry *e)
{
    uint64_t run = e->who & LS_ENTRY_RUN;
    bool are_atomic = !((now->who | e->who) >> LS_ENTRY_KIND & 1);

    struct ls_check_ran ran;

    if (run == (now->who & LS_ENTRY_RUN))
        return (struct relation){"another warp", "no barrier is between them", NULL};
    if (ls_check_launch_of(run, &ran) && ran.launch.is_host)
        return (struct relation){"the host", "it did not wait for the kernel",
                                 ls_entry_kind(e) >= LS_ENTRY_ATOMIC ? "host-write" : "host-read"};
    if (ls_check_launch_of(run, &ran) && ran.launch.number != b->launch->number)
        return (struct relation){ran.launch.is_kernel ? "another launch" : "a copy or fill",
                                 "no stream, event or synchronisation orders them",
                                 ls_entry_kind(e) >= LS_ENTRY_ATOMIC ? "stream-write"
                                                                     : "stream-read"};
    if (are_atomic)
        return (struct relation){"another block", "atomic only for threads of the same block",
                                 "global-scope"};
    if (ls_check_is_before_narrowly(b, e))
        return (struct relation){
            "another block",
            "what orders them has the scope of a block, and must have the device's",
            "global-scope"};
    return (struct relation){"another block", "nothing orders them", NULL};
}

static const char *
verb_of(const struct ls_check_entry *e, const struct ls_check_site *site)
{
    static const char *const verbs[] = {
        [LS_ENTRY_ATOMIC_READ] = "an atomic read",
        [LS_ENTRY_READ] = "a read",
        [LS_ENTRY_ATOMIC] = "an atomic write",
        [LS_ENTRY_WRITE] = "a write",
    };

    return site && site->kind == LS_CHECK_ATOMIC ? "an atomic operation" : verbs[ls_entry_kind(e)];
}

__attribute__((noinline, cold)) static void
report(struct ls_check_block *b, const struct ls_check_warp *warp, const struct ls_check_site *site,
       const struct ls_check_entry *now, const struct ls_check_entry *e, uint32_t bad_bits,
       uint64_t place, bool is_shared, uint64_t lanes)
{
    char message[192], notes[2 * LS_CHECK_TEXT + 1024], who[512];
    const struct ls_check_site *other = ls_check_site_of((uint16_t)(e->what >> LS_ENTRY_SITE));
    bool wrote = ls_entry_kind(e) >= LS_ENTRY_ATOMIC;
    struct relation r = relate(b, now, e);
    const char *kind = r.kind      ? r.kind
                       : is_shared ? (wrote ? "shared-write" : "shared-read")
                       : wrote     ? "global-write"
                                   : "global-read";
    int n = 0;

    snprintf(message, sizeof(message), "%u-byte %s races with %s by %s: %s", site->bytes,
             ls_check_verb(site), verb_of(e, other), r.by, r.lack);
    say_who(b, e, other, bad_bits, who, sizeof(who));
    if (is_shared) {
        n = ls_check_say_shared(site, place, notes, sizeof(notes));
        n += snprintf(notes + n, sizeof(notes) - (size_t)n, ", ");
    } else {
        char where[LS_CHECK_TEXT];

        ls_check_explain(place, where);
        n = snprintf(notes, sizeof(notes), "%s", where);
    }
    n += snprintf(notes + n, sizeof(notes) - (size_t)n, "%s by %s\n", wrote ? "written" : "read",
                  who);
    if (other && other->trace)
        ls_check_say_trace((const char *)other + other->trace, notes + n,
                           sizeof(notes) - (size_t)n);
    ls_check_report_at(warp, site, "race", kind, message, notes, lanes);
}

/* ---- Writes over writes ---- */

static uint64_t
place_of(uint64_t line, unsigned unit, unsigned bit)
{
    return line * LS_LINE_BYTES + (unit ? (unit - 4) * 32u + bit : 4 * bit);
}

/* The first bit whose bytes a write has changed; -1: none, all wrote the same. */
static int
find_change(const struct ls_check_suspect *s)
{
    uint64_t line = s->line * LS_LINE_BYTES + (s->is_shared ? s->warp.lds : 0);

    for (uint32_t left = s->bad; left; left &= left - 1) {
        int bit = __builtin_ctz(left);
        uint64_t at = place_of(0, s->unit, (unsigned)bit);

        if (memcmp(s->before + at, (const char *)(uintptr_t)line + at, s->unit ? 1 : 4) != 0)
            return bit;
    }
    return -1;
}

void
ls_check_race_settle(struct ls_check_block *b)
{
    for (unsigned i = 0; i < b->n_suspects; i++) {
        struct ls_check_suspect *s = &b->suspects[i];
        int bit = find_change(s);

        if (bit >= 0)
            report(b, &s->warp, s->site, &s->now, &s->other, s->bad & -(1u << bit),
                   place_of(s->line, s->unit, (unsigned)bit), s->is_shared, s->lanes);
    }
    b->n_suspects = 0;
}

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_check_block *known; /* guarded by known_lock */

void
ls_check_race_join(struct ls_check_block *b)
{
    pthread_mutex_lock(&known_lock);
    b->next_known = known;
    known = b;
    pthread_mutex_unlock(&known_lock);
}

void
ls_check_race_leave(struct ls_check_block *b)
{
    struct ls_check_block **at = &known;

    pthread_mutex_lock(&known_lock);
    while (*at != b)
        at = &(*at)->next_known;
    *at = b->next_known;
    pthread_mutex_unlock(&known_lock);
}

static bool
is_writing(uint64_t run)
{
    bool is = false;

    pthread_mutex_lock(&known_lock);
    for (struct ls_check_block *b = known; b && !is; b = b->next_known)
        is = atomic_load_explicit(&b->writing, memory_order_acquire) == run + 1; /* ls_check_says */
    pthread_mutex_unlock(&known_lock);
    return is;
}

/* Another block may run at this moment, and have said what it is about to write: its thread may
 * wait for a processor just then. Not for ever, as it may have work for long behind its write. */
static void
wait_for_write(struct ls_check_block *b, uint64_t run)
{
    const struct timespec nap = {0, NAP_NS};
    unsigned i = 0;

    while (i < WAIT_PAUSES + WAIT_NAPS && b->tired_of != run + 1 && is_writing(run)) {
        if (i++ < WAIT_PAUSES)
            __builtin_ia32_pause();
        else
            nanosleep(&nap, NULL);
    }
    if (i == WAIT_PAUSES + WAIT_NAPS)
        b->tired_of = run + 1;
}

/* Whether it remains to be seen if a write changes what another one wrote. */
static bool
suspect(struct touching *t, const struct ls_check_entry *now, const struct ls_check_entry *other,
        uint64_t lanes, uint32_t bad)
{
    struct ls_check_suspect *s = &t->b->suspects[t->b->n_suspects];
    uint64_t line = t->line * LS_LINE_BYTES + (t->is_shared ? t->warp->lds : 0);

    if (!ls_check_may_be_same(now, other))
        return false;
    if (t->b->n_suspects == LS_CHECK_SUSPECTS)
        return true;
    s->site = t->site;
    s->now = *now;
    s->other = *other;
    s->warp = *t->warp;
    s->line = t->line;
    s->lanes = lanes;
    s->bad = bad;
    s->unit = t->unit;
    s->is_shared = t->is_shared;
    if ((now->who ^ other->who) & LS_ENTRY_RUN)
        wait_for_write(t->b, other->who & LS_ENTRY_RUN);
    memcpy(s->before, (const void *)(uintptr_t)line, LS_LINE_BYTES);
    t->b->n_suspects++;
    return true;
}

/* ---- Accesses ---- */

/* The lanes that touch some of a line's units. */
static uint64_t
lanes_at(const struct touching *t, uint32_t bits)
{
    uint64_t lanes = 0, unit = t->unit ? 1 : 4;

    for (uint64_t left = t->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t at = t->places ? t->places[lane] : t->first + (lane - t->from_lane) * t->stride;

        if (t->places && t->is_shared && t->site->space != LS_CHECK_LDS)
            at -= t->warp->lds;
        for (uint32_t b = bits; b; b &= b - 1) {
            uint64_t place = place_of(t->line, t->unit, (unsigned)__builtin_ctz(b));

            if (place + unit > at && place < at + t->site->bytes)
                lanes |= (uint64_t)1 << lane;
        }
    }
    return lanes;
}

/* An atomic operation, and an access of the host: that may be atomic, too. */
static bool
is_hosts_flag(const struct ls_check_entry *now, const struct ls_check_entry *found)
{
    struct ls_check_ran ran;

    return !(now->who >> LS_ENTRY_KIND & 1) &&
           ls_check_launch_of(found->who & LS_ENTRY_RUN, &ran) && ran.launch.is_host;
}

/* An access that nothing orders with one before. */
__attribute__((noinline, cold)) static void
found_race(struct touching *t, const struct ls_check_entry *now, const struct ls_check_entry *found,
           uint32_t bad)
{
    uint64_t place = place_of(t->line, t->unit, (unsigned)__builtin_ctz(bad)),
             lanes = lanes_at(t, bad);

    if (t->site->flags & LS_CHECK_SAME && ls_check_may_be_same(now, found))
        return; /* whoever comes last, the bytes are the same */
    if (is_hosts_flag(now, found))
        return;
    if (!((now->who | found->who) >> LS_ENTRY_KIND & 1) && ls_check_is_before_read(t->b, found))
        return; /* atomic both, and a third one is in between */
    if (!suspect(t, now, found, lanes, bad))
        report(t->b, t->warp, t->site, now, found, bad, place, t->is_shared, lanes);
}

static void
look(struct touching *t)
{
    struct ls_check_entry now = t->entry, found;
    struct ls_check_line *line;
    uint32_t bad;

    now.who |= (uint64_t)t->unit << LS_ENTRY_UNIT | (uint64_t)t->first_lane << LS_ENTRY_LANE |
               (t->in_a_row ? LS_ENTRY_IN_A_ROW : 0);
    now.what |= t->mask;
    if (t->is_shared) {
        if (t->line * LS_LINE_BYTES >= t->b->lds_bytes)
            return;
        line = &t->b->lines[t->line];
        ls_check_line_begin(t->b, line);
        struct ls_check_brief *brief = ls_check_brief_of(t->b, line);
        if (brief)
            ls_check_brief_add(brief, t->b->warp, &now);
    } else if (!(line = ls_check_line_of(t->line * LS_LINE_BYTES))) {
        return;
    }
    bad = ls_check_touch(t->b, line, &now, &found);
    if (bad)
        found_race(t, &now, &found, bad);
}

static void
flush(struct touching *t)
{
    if (t->mask)
        look(t);
    t->mask = 0;
}

/* A part of a lane's access that lies in one line and one unit. */
static void
add_part(struct touching *t, unsigned lane, uint64_t line, unsigned unit, unsigned bit,
         uint32_t mask, bool is_shared)
{
    if (t->mask && (line != t->line || unit != t->unit || is_shared != t->is_shared))
        flush(t);
    if (!t->mask) {
        t->line = line;
        t->unit = unit;
        t->is_shared = is_shared;
        t->first_lane = t->last_lane = lane;
        t->first_bit = bit;
        t->in_a_row = true;
        t->lanes = 0;
    } else if (lane != t->last_lane) {
        unsigned units = unit ? t->site->bytes : t->site->bytes / 4;

        t->in_a_row = t->in_a_row && bit == t->first_bit + (lane - t->first_lane) * units;
        t->last_lane = lane;
    }
    t->mask |= mask;
    t->lanes |= (uint64_t)1 << lane;
}

static uint32_t
ones(unsigned n, unsigned from)
{
    return (uint32_t)((((uint64_t)1 << n) - 1) << from);
}

static void
add(struct touching *t, unsigned lane, uint64_t at, bool is_shared)
{
    for (uint64_t left = t->site->bytes; left;) {
        unsigned low = (unsigned)(at % LS_LINE_BYTES);
        uint64_t n = left < LS_LINE_BYTES - low ? left : LS_LINE_BYTES - low;

        if (((at | n) & 3) == 0) {
            add_part(t, lane, at / LS_LINE_BYTES, 0, low / 4, ones((unsigned)n / 4, low / 4),
                     is_shared);
        } else {
            n = n < 32 - low % 32 ? n : 32 - low % 32;
            add_part(t, lane, at / LS_LINE_BYTES, 4 + low / 32, low % 32,
                     ones((unsigned)n, low % 32), is_shared);
        }
        at += n;
        left -= n;
    }
}

static void
synchronise(const struct ls_check_warp *warp, struct ls_check_block *b,
            const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    uint64_t last = 0;

    for (uint64_t left = mask; left; left &= left - 1) {
        uint64_t place = places[__builtin_ctzll(left)], offset;
        bool is_shared = ls_check_shared_offset(warp, site, place, &offset);

        place = is_shared ? warp->lds + offset : place;
        if (place != last)
            ls_check_order_atomic(b, site, place, is_shared);
        last = place;
    }
}

/* Takes the phase of the warp that runs. */
static void
follow_phase(struct ls_check_block *b)
{
    uint32_t phase = b->is_simple ? 0 : b->warps[b->warp].phase;

    if (phase == b->phase)
        return;
    b->phase = phase;
    b->base = ls_check_launch_base(b->launch, phase);
}

void
ls_check_race_access(const struct ls_check_warp *warp, struct ls_check_block *b,
                     const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    struct touching t = {.warp = warp, .b = b, .site = site, .places = places};

    if (!b->launch)
        return;
    if (b->n_suspects)
        ls_check_race_settle(b);
    follow_phase(b);
    ls_check_order_step(b);
    if (site->more & LS_CHECK_VOLATILE && site->kind == LS_CHECK_LOAD)
        ls_check_order_read(b);
    ls_check_says(b, NULL, false);
    if (site->kind == LS_CHECK_BARRIER) {
        ls_check_order_barrier(b, site);
        return;
    }
    if (site->kind == LS_CHECK_FENCE) {
        ls_check_order_fence(b, site);
        return;
    }
    if (ls_check_orders_others(site)) {
        if (b->is_simple)
            ls_check_order_wake(b);
        t.entry = ls_check_entry_of(b, site);
        synchronise(warp, b, site, places, mask);
    } else {
        t.entry = ls_check_entry_of(b, site);
    }
    ls_check_says(b, site, site->space == LS_CHECK_LDS);
    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t offset;

        if (ls_check_shared_offset(warp, site, places[lane], &offset))
            add(&t, lane, offset, true);
        else if (site->space == LS_CHECK_ANYWHERE && !ls_check_is_own(warp, places[lane]))
            add(&t, lane, places[lane], false);
    }
    flush(&t);
}

bool
ls_check_race_row(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
                  uint64_t first, uint64_t mask, uint32_t lanes, bool is_shared)
{
    unsigned from = lanes & 255, n = lanes >> 8 & 255, words = site->bytes / 4;
    bool is_one = lanes >> 16, is_whole = !(~(mask >> from) << (64 - n));
    uint64_t bits = is_one ? 1 : mask >> from, end;
    struct touching t; /* each field that matters is set: this is in a hurry */

    if ((first | site->bytes) & 3 || !words || (words > 1 && !is_whole && !is_one) || !b->launch)
        return false;
    b->warp = warp % LS_CHECK_WARPS;
    if (b->n_suspects)
        ls_check_race_settle(b);
    follow_phase(b);
    ls_check_order_step(b);
    if (site->more & LS_CHECK_VOLATILE && site->kind == LS_CHECK_LOAD)
        ls_check_order_read(b);
    b->self.first_thread = b->warp * b->self.width;
    t.warp = &b->self;
    t.b = b;
    t.site = site;
    t.places = NULL;
    t.first = first;
    t.stride = is_one ? 0 : site->bytes;
    t.from_lane = t.first_lane = from;
    t.lanes = mask;
    t.unit = 0;
    t.is_shared = is_shared;
    t.in_a_row = !is_one;
    t.entry = ls_check_entry_of(b, site);
    if (is_one)
        t.first_lane = (unsigned)__builtin_ctzll(mask);
    if (words > 1)
        bits = (n = is_one ? words : n * words) < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
    else if (is_one)
        n = 1;
    end = first + 4 * (uint64_t)n;
    for (t.line = first / LS_LINE_BYTES; t.line * LS_LINE_BYTES < end; t.line++) {
        int64_t at = ((int64_t)first - (int64_t)(t.line * LS_LINE_BYTES)) / 4;

        t.mask =
            n > 64 ? ls_check_row_part(first / 4, end / 4, t.line) : ls_check_words_at(bits, at);
        if (!t.mask)
            continue;
        if (!is_one) {
            uint32_t word = (uint32_t)((int64_t)__builtin_ctz(t.mask) - at);

            t.first_lane = from + (words == 1 ? word : word / words);
        }
        look(&t);
    }
    return true;
}

void
ls_check_race_pass(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site)
{
    if (!b->launch)
        return;
    b->warp = warp % LS_CHECK_WARPS;
    ls_check_says(b, NULL, false);
    if (b->n_suspects)
        ls_check_race_settle(b);
    follow_phase(b);
    ls_check_order_step(b);
    if (site->kind == LS_CHECK_BARRIER)
        ls_check_order_barrier(b, site);
    else
        ls_check_order_fence(b, site);
}
