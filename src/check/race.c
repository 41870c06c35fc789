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
#include <string.h>

#include "check/check_priv.h"

static unsigned
warp_number(const struct ls_check_warp *warp)
{
    return warp->first_thread / warp->width % LS_CHECK_WARPS;
}

/* What was handed on at an address; NULL: nothing, and no room to. */
static struct ls_check_handed *
find_handed(struct ls_check_block *b, uint64_t place, bool make)
{
    for (unsigned i = 0; i < b->n_handed; i++)
        if (b->handed[i].place == place)
            return &b->handed[i];
    if (!make || b->n_handed == LS_CHECK_HANDED)
        return NULL;
    b->handed[b->n_handed] = (struct ls_check_handed){.place = place};
    return &b->handed[b->n_handed++];
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
    struct ls_check_handed *h = find_handed(b, place, writes);

    if (!h)
        return;
    if (site->kind != LS_CHECK_STORE)
        learn(site->flags & LS_CHECK_ACQUIRES ? b->known[warp] : b->pending[warp], h->known);
    if (site->kind == LS_CHECK_STORE) /* others' are no longer there to be read */
        memset(h->known, 0, sizeof(h->known));
    if (writes)
        learn(h->known, releases ? b->known[warp] : b->released[warp]);
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
find_conflict(const struct ls_check_block *b, const struct ls_check_cell *c, unsigned warp,
              uint8_t bytes, bool writes, bool is_atomic)
{
    const struct ls_check_touch *const all[] = {&c->write, &c->read[0], &c->read[1], &c->atomic[0],
                                                &c->atomic[1]};

    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        bool read_before = i == 1 || i == 2, atomic_before = i > 2;

        if (all[i]->bytes & bytes && !(read_before && !writes) && !(atomic_before && is_atomic) &&
            is_concurrent(b, all[i], warp))
            return all[i];
    }
    return NULL;
}

/* Keeps an access beside one of another warp that is not ordered before it: whoever comes later is
 * of another warp than one of the two. */
static void
note_one(const struct ls_check_block *b, struct ls_check_touch kept[2],
         const struct ls_check_touch *t)
{
    kept[kept[0].warp != t->warp && is_concurrent(b, &kept[0], t->warp)] = *t;
}

static void
note(const struct ls_check_block *b, struct ls_check_cell *c, const struct ls_check_touch *t,
     bool writes, bool is_atomic)
{
    if (!is_atomic && writes)
        c->write = *t;
    else if (!is_atomic)
        note_one(b, c->read, t);
    else if (writes)
        note_one(b, c->atomic, t);
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

        if (is_atomic)
            synchronise(b, w, site, places[lane]);
        if (!ls_check_shared_offset(warp, site, places[lane], &offset))
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
            other = find_conflict(b, c, w, t.bytes, writes, is_atomic);
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
