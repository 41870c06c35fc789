/* SPDX-License-Identifier: MIT */
/* Races between threads of one warp, for programs that shall not count on it to run in step: two
 * lanes touch the same bytes, one of them writes, and no barrier, __syncwarp or other operation
 * with a mask is in between. What lies between two such is an epoch of a warp, a number that no
 * other one has. Who touched a word is kept by word and epoch, in a table of a fixed size: where it
 * is full, older words are forgotten. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

enum { WORD = 4, N_ROWS = 1 << 16, PROBES = 8, NO_LANE = 255 };

/* Who touched a byte. */
struct touch {
    const struct ls_check_site *write, *read;
    uint64_t readers; /* lanes */
    uint8_t writer;   /* 1 + the last lane; 0: none */
};

/* A word that a warp touched in an epoch. */
struct row {
    uint64_t word, epoch; /* the address / WORD; 0: a free row */
    struct touch bytes[WORD];
};

/* A warp that runs. */
struct state {
    uint64_t serial, block, epoch;
    uint32_t first_thread;
};

struct ls_check_lanes {
    struct row rows[N_ROWS];
    struct state warps[N_ROWS / 16];
    uint64_t n_epochs;
};

static struct ls_check_lanes *
lanes_of(const struct ls_check_warp *warp)
{
    if (!warp->blocks->lanes)
        warp->blocks->lanes = calloc(1, sizeof(*warp->blocks->lanes));
    return warp->blocks->lanes;
}

/* The warp's state. Where two of a launch fall to one place, each begins a new epoch. */
static struct state *
state_of(struct ls_check_lanes *all, const struct ls_check_warp *warp)
{
    size_t n = sizeof(all->warps) / sizeof(all->warps[0]);
    struct state *s = &all->warps[(warp->block_number * 32 + warp->first_thread / warp->width) % n];

    if (s->serial != warp->serial || s->block != warp->block_number ||
        s->first_thread != warp->first_thread || !s->epoch)
        *s = (struct state){warp->serial, warp->block_number, ++all->n_epochs, warp->first_thread};
    return s;
}

void
ls_check_lanes_meet(const struct ls_check_warp *warp)
{
    struct ls_check_lanes *all = lanes_of(warp);

    if (all)
        state_of(all, warp)->epoch = ++all->n_epochs;
}

static struct row *
row_of(struct ls_check_lanes *all, uint64_t word, uint64_t epoch)
{
    size_t at = (size_t)((word * 0x9e3779b97f4a7c15u ^ epoch * 0xc2b2ae3d27d4eb4fu) >> 40);
    struct row *oldest = &all->rows[at % N_ROWS];

    for (unsigned i = 0; i < PROBES; i++) {
        struct row *r = &all->rows[(at + i) % N_ROWS];

        if (r->word == word && r->epoch == epoch)
            return r;
        if (r->epoch < oldest->epoch)
            oldest = r;
    }
    *oldest = (struct row){.word = word, .epoch = epoch};
    return oldest;
}

/* Another lane that touched the byte; NO_LANE: none. *other: where. */
static unsigned
conflict(const struct touch *t, const struct ls_check_site *site, unsigned lane,
         const struct ls_check_site **other)
{
    uint64_t others = t->readers & ~((uint64_t)1 << lane);

    if (t->writer && t->writer != lane + 1 &&
        !(t->write == site && site->flags & (LS_CHECK_SAME | LS_CHECK_ALIKE))) {
        *other = t->write;
        return t->writer - 1u;
    }
    if (site->kind == LS_CHECK_STORE && others) {
        *other = t->read;
        return (unsigned)__builtin_ctzll(others);
    }
    return NO_LANE;
}

static void
note(struct touch *t, const struct ls_check_site *site, unsigned lane)
{
    if (site->kind == LS_CHECK_LOAD) {
        t->readers |= (uint64_t)1 << lane;
        t->read = site;
    } else {
        t->writer = (uint8_t)(lane + 1);
        t->write = site;
    }
}

/* Looks at a lane's access; another lane with which it races, or NO_LANE. */
static unsigned
look(struct ls_check_lanes *all, uint64_t epoch, const struct ls_check_site *site, unsigned lane,
     uint64_t place, const struct ls_check_site **other)
{
    uint64_t end = place + site->bytes;
    unsigned found = NO_LANE;

    for (uint64_t at = place; at < end;) {
        struct row *r = row_of(all, at / WORD, epoch);

        for (unsigned i = at % WORD; i < WORD && at < end; i++, at++) {
            if (found == NO_LANE)
                found = conflict(&r->bytes[i], site, lane, other);
            note(&r->bytes[i], site, lane);
        }
    }
    return found;
}

static void
report(const struct ls_check_warp *warp, const struct ls_check_site *site,
       const struct ls_check_site *other, unsigned lane, uint64_t place, uint64_t bad)
{
    char message[160], words[64], notes[2 * LS_CHECK_TEXT];
    uint32_t t = warp->first_thread + lane;
    uint64_t offset;
    int n;

    snprintf(message, sizeof(message),
             "%s races with a %s by another thread of the warp: no __syncwarp is between them",
             ls_check_words(site, words), ls_check_verb(other));
    if (ls_check_shared_offset(warp, site, place, &offset)) {
        n = ls_check_say_shared(site, offset, notes, sizeof(notes));
        n += snprintf(notes + n, sizeof(notes) - (size_t)n, "\n");
    } else {
        notes[0] = '\0';
        ls_check_explain(place, notes);
        n = (int)strlen(notes);
    }
    n += snprintf(notes + n, sizeof(notes) - (size_t)n, "%s by thread (%u,%u,%u)\n",
                  other->kind == LS_CHECK_LOAD ? "read" : "written", t % warp->block[0],
                  t / warp->block[0] % warp->block[1], t / warp->block[0] / warp->block[1]);
    if (other->trace)
        ls_check_say_trace((const char *)other + other->trace, notes + n,
                           sizeof(notes) - (size_t)n);
    ls_check_report_at(warp, site, "lanes", other->kind == LS_CHECK_LOAD ? "read" : "write",
                       message, notes, bad);
}

void
ls_check_lanes_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                      const uint64_t *places, uint64_t mask)
{
    struct ls_check_lanes *all;
    const struct ls_check_site *other = NULL, *found = NULL;
    uint64_t bad = 0, epoch, where = 0;
    unsigned with = 0;

    if (site->kind == LS_CHECK_ATOMIC || site->flags & LS_CHECK_SYNCHRONISES ||
        site->more & LS_CHECK_VOLATILE ||
        (site->space != LS_CHECK_ANYWHERE && site->space != LS_CHECK_LDS) ||
        !(all = lanes_of(warp)))
        return;
    epoch = state_of(all, warp)->epoch;
    for (uint64_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left), by;
        uint64_t at = places[lane] + (site->space == LS_CHECK_LDS ? warp->lds : 0);

        if (at - warp->stack_lo < warp->stack_hi - warp->stack_lo)
            continue;
        by = look(all, epoch, site, lane, at, &other);
        if (by == NO_LANE)
            continue;
        if (!bad) {
            found = other;
            with = by;
            where = places[lane];
        }
        bad |= left & -left;
    }
    if (bad)
        report(warp, site, found, with, where, bad);
}

void
ls_check_lanes_fini(struct ls_check_blocks *all)
{
    free(all->lanes);
    all->lanes = NULL;
}
