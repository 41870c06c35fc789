/* SPDX-License-Identifier: MIT */
/* Races in shared memory: two threads of different warps touch the same bytes, one of them writes,
 * and nothing orders them: no barrier that both pass in between, and no chain of atomic operations.
 * In which order the warps ran here does not matter.
 *
 * Each warp counts the barriers that it has passed; with the same count nothing but atomics orders
 * two warps. For those each warp has a clock, and knows up to which time of each other warp all has
 * happened before its own next access (vector clocks: C. Fidge, 1988; per word only the last
 * accesses are kept, as in C. Flanagan and S. Freund, "FastTrack", 2009). Atomic operations hand on
 * what is known, and learn it, by the rules of C++ for their orders and for fences. The lanes of
 * one warp run in step. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

static unsigned
warp_number(const struct ls_check_warp *warp)
{
    return warp->first_thread / warp->width % LS_CHECK_WARPS;
}

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
    struct ls_check_handed *h = b->cap_handed ? row_of(b, place) : NULL;

    if (h && h->place)
        return h;
    if (!make || (4 * b->n_handed >= 3 * b->cap_handed && !make_rows(b)))
        return NULL;
    b->n_handed++;
    h = row_of(b, place);
    h->place = place;
    return h;
}

static bool
is_nothing(const uint32_t known[LS_CHECK_WARPS])
{
    static const uint32_t nothing[LS_CHECK_WARPS];

    return memcmp(known, nothing, sizeof(nothing)) == 0;
}

static void
learn(uint32_t *to, const uint32_t *from)
{
    for (unsigned w = 0; w < LS_CHECK_WARPS; w++)
        to[w] = from[w] > to[w] ? from[w] : to[w];
}

static void
synchronise(struct ls_check_block *b, unsigned warp, const struct ls_check_site *site,
            uint64_t place)
{
    bool writes = site->kind != LS_CHECK_LOAD, releases = site->flags & LS_CHECK_RELEASES;
    const uint32_t *known = releases ? b->known[warp] : b->released[warp];
    struct ls_check_handed *h = find_handed(b, place, writes && !is_nothing(known));

    if (!h)
        return;
    if (site->kind != LS_CHECK_STORE)
        learn(site->flags & LS_CHECK_ACQUIRES ? b->known[warp] : b->pending[warp], h->known);
    if (site->kind == LS_CHECK_STORE) /* others' are no longer there to be read */
        memset(h->known, 0, sizeof(h->known));
    if (writes)
        learn(h->known, known);
    if (writes && releases)
        b->known[warp][warp]++;
}

static void
pass_fence(struct ls_check_block *b, unsigned warp, const struct ls_check_site *site)
{
    if (site->flags & LS_CHECK_ACQUIRES)
        learn(b->known[warp], b->pending[warp]);
    if (!(site->flags & LS_CHECK_RELEASES))
        return;
    memcpy(b->released[warp], b->known[warp], sizeof(b->released[warp]));
    b->known[warp][warp]++;
}

/* Whether an earlier access and one of this warp now may be in any order. */
static bool
is_concurrent(const struct ls_check_block *b, const struct ls_check_touch *t, unsigned warp)
{
    return t->site && t->warp != warp && t->passed == b->passed[warp] &&
           t->clock > b->known[warp][t->warp];
}

static const struct ls_check_touch *
find_conflict(const struct ls_check_block *b, const struct ls_check_cell *c,
              const struct ls_check_touch *now, bool writes, bool is_atomic)
{
    const struct ls_check_touch *const all[] = {&c->write[0], &c->write[1],  &c->read[0],
                                                &c->read[1],  &c->atomic[0], &c->atomic[1]};

    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        bool wrote_before = i < 2, read_before = i == 2 || i == 3, atomic_before = i > 3;

        if (!(all[i]->bytes & now->bytes) || (read_before && !writes) ||
            (atomic_before && is_atomic) || !is_concurrent(b, all[i], now->warp))
            continue;
        if (wrote_before && all[i]->site == now->site && now->site->flags & LS_CHECK_SAME)
            continue; /* whoever comes last, the bytes are the same */
        return all[i];
    }
    return NULL;
}

/* Which of two touches to give up for one more. A later write shall find one of another warp that
 * is not ordered before it, if there was any. */
static unsigned
find_slot(const struct ls_check_block *b, const struct ls_check_touch kept[2],
          const struct ls_check_touch *t)
{
    for (unsigned k = 0; k < 2; k++)
        if (kept[k].site == t->site && kept[k].warp == t->warp && kept[k].passed == t->passed &&
            kept[k].clock == t->clock)
            return k;
    for (unsigned k = 0; k < 2; k++)
        if (!kept[k].bytes || kept[k].passed != t->passed)
            return k;
    for (unsigned k = 0; k < 2; k++)
        if (!(kept[k].bytes & ~t->bytes) && !is_concurrent(b, &kept[k], t->warp))
            return k;
    return kept[0].warp == t->warp ? 0 : 1;
}

static void
note(const struct ls_check_block *b, struct ls_check_cell *c, const struct ls_check_touch *t,
     bool writes, bool is_atomic)
{
    struct ls_check_touch *kept = !is_atomic ? (writes ? c->write : c->read)
                                  : writes   ? c->atomic
                                             : NULL;
    unsigned k;

    if (!kept)
        return;
    k = find_slot(b, kept, t);
    if (kept[k].site == t->site && kept[k].warp == t->warp && kept[k].passed == t->passed &&
        kept[k].clock == t->clock)
        kept[k].bytes |= t->bytes;
    else
        kept[k] = *t;
    if (writes && !is_atomic)
        kept[!k].bytes &= (uint8_t)~t->bytes;
}

static void
report(const struct ls_check_warp *warp, const struct ls_check_site *site,
       const struct ls_check_touch *other, uint64_t place, uint64_t bad)
{
    char message[128], notes[LS_CHECK_TEXT + 512], name[128] = "shared memory";
    bool wrote = other->site->kind != LS_CHECK_LOAD;
    int n;

    snprintf(message, sizeof(message),
             "%u-byte %s races with a %s by another warp: no barrier is between them", site->bytes,
             ls_check_verb(site), ls_check_verb(other->site));
    if (site->variable)
        ls_check_variable_name((const char *)site + site->variable, name, sizeof(name));
    n = snprintf(notes, sizeof(notes), "byte %" PRIu64 " of %s, %s by thread (%u,%u,%u)\n",
                 place - (site->room ? site->from : 0), name, wrote ? "written" : "read",
                 other->thread % warp->block[0], other->thread / warp->block[0] % warp->block[1],
                 other->thread / warp->block[0] / warp->block[1]);
    if (other->site->trace)
        ls_check_say_trace((const char *)other->site + other->site->trace, notes + n,
                           sizeof(notes) - (size_t)n);
    ls_check_report_at(warp, site, "race", wrote ? "shared-write" : "shared-read", message, notes,
                       bad);
}

void
ls_check_race_access(const struct ls_check_warp *warp, struct ls_check_block *b,
                     const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    unsigned w = warp_number(warp);
    bool writes = site->kind != LS_CHECK_LOAD,
         is_atomic = site->kind == LS_CHECK_ATOMIC || site->flags & LS_CHECK_SYNCHRONISES;
    const struct ls_check_touch *first = NULL;
    struct ls_check_touch found;
    uint64_t bad = 0, where = 0;

    if (site->kind == LS_CHECK_BARRIER) {
        b->passed[w]++;
        return;
    }
    if (site->kind == LS_CHECK_FENCE) {
        pass_fence(b, w, site);
        return;
    }
    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t offset;

        bool is_shared = ls_check_shared_offset(warp, site, places[lane], &offset);

        if (is_atomic)
            synchronise(b, w, site, is_shared ? warp->lds + offset : places[lane]);
        if (!is_shared)
            continue;
        struct ls_check_touch t = {.site = site,
                                   .passed = b->passed[w],
                                   .clock = b->known[w][w],
                                   .thread = (uint16_t)(warp->first_thread + lane),
                                   .warp = (uint8_t)w};
        uint64_t end = offset + site->bytes;

        for (uint64_t at = offset; at < end && at / LS_CHECK_CELL < b->n_cells;
             at = (at / LS_CHECK_CELL + 1) * LS_CHECK_CELL) {
            struct ls_check_cell *c = &b->cells[at / LS_CHECK_CELL];
            unsigned low = (unsigned)(at % LS_CHECK_CELL);
            uint64_t n = end - at < LS_CHECK_CELL - low ? end - at : LS_CHECK_CELL - low;
            const struct ls_check_touch *other;

            t.bytes = (uint8_t)(((1u << n) - 1) << low);
            other = find_conflict(b, c, &t, writes, is_atomic);
            if (other && !first) {
                found = *other;
                first = &found;
                where = at;
            }
            bad |= (uint64_t)(other != NULL) << lane;
            note(b, c, &t, writes, is_atomic);
        }
    }
    if (bad)
        report(warp, site, first, where, bad);
}
