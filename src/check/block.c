/* SPDX-License-Identifier: MIT */
/* What checkers know of a block that runs: which bytes of its shared memory were written, who
 * touched them, and what orders its warps. */
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

static struct ls_check_block *
make_block(struct ls_check_blocks *all)
{
    struct ls_check_block *b = calloc(1, sizeof(*b));

    if (!b)
        return NULL;
    if (ls_checks() & LS_CHECK_RACE && !(b->warps = calloc(LS_CHECK_WARPS, sizeof(*b->warps)))) {
        free(b);
        return NULL;
    }
    b->next = all->first;
    all->first = b;
    if (b->warps)
        ls_check_race_join(b);
    return b;
}

/* Room for so much shared memory. */
static bool
make_room(struct ls_check_block *b, uint64_t bytes)
{
    uint64_t n = (bytes + LS_LINE_BYTES - 1) / LS_LINE_BYTES;

    if (bytes <= b->lds_bytes)
        return true;
    free(b->written);
    free(b->lines);
    free(b->briefs);
    b->lds_bytes = b->quick.lds_bytes = 0;
    /* the code may read beyond the end, if it does not look at that */
    b->written = ls_checks() & LS_CHECK_INIT ? calloc(n + 4, LS_LINE_BYTES) : NULL;
    b->lines = ls_checks() & LS_CHECK_RACE ? calloc(n + 1, sizeof(*b->lines)) : NULL;
    b->briefs = ls_checks() & LS_CHECK_RACE ? calloc(n + 1, sizeof(*b->briefs)) : NULL;
    if ((!b->written && ls_checks() & LS_CHECK_INIT) ||
        ((!b->lines || !b->briefs) && ls_checks() & LS_CHECK_RACE))
        return false;
    b->lds_bytes = n * LS_LINE_BYTES;
    b->quick.lines = (uintptr_t)b->lines;
    return true;
}

/* What barriers alone order, until more than that is told of. */
static void
begin_simple(struct ls_check_block *b)
{
    struct ls_check_quick *q = &b->quick;
    uint32_t most = 0;

    for (unsigned w = 0; w < LS_CHECK_WARPS; w++) {
        most = q->passed[w] > most ? q->passed[w] : most;
        q->passed[w] = 0;
    }
    b->base = b->launch->first_base;
    b->floor = b->launch->floor;
    b->n_runs = b->launch->n_blocks;
    b->run = b->base + b->number;
    b->phase = 0;
    b->is_simple = true;
    q->simple = b->number;
    q->reading = b->base << 32;
    q->lds_bytes = b->self.lds_bytes;
    q->lds_reading += most + 1;
}

static void
begin(struct ls_check_block *b, const struct ls_check_warp *warp)
{
    uint32_t n_threads = warp->block[0] * warp->block[1] * warp->block[2];

    ls_check_says(b, NULL, false);
    ls_check_race_settle(b);
    if (b->launch != warp->launch || b->serial != warp->serial ||
        (b->launch && b->launch_number != b->launch->number)) {
        memset(b->spans, 0, sizeof(b->spans));
        memset(b->ranges, 0, sizeof(b->ranges));
        memset(b->sites, 0, sizeof(b->sites)); /* code may have gone */
    }
    b->lds = warp->lds;
    b->serial = warp->serial;
    b->number = warp->block_number;
    b->launch = warp->launch;
    b->self = *warp;
    b->n_warps = (n_threads + warp->width - 1) / warp->width;
    if (b->written)
        memset(b->written, 0, warp->lds_bytes);
    b->n_written = 0;
    b->quick.block = b->number;
    b->quick.simple = LS_CHECK_NO_BLOCK;
    b->is_simple = false;
    b->launch_number = b->launch ? b->launch->number : 0;
    if (b->warps && b->launch)
        begin_simple(b);
}

bool
ls_check_step(struct ls_check_block *b, uint64_t lds, uint64_t number)
{
    if (b->launch || b->lds != lds)
        return false;
    if (b->written)
        memset(b->written, 0, b->self.lds_bytes);
    b->n_written = 0;
    b->number = b->quick.block = number;
    return true;
}

struct ls_check_block *
ls_check_block_of(const struct ls_check_warp *warp)
{
    struct ls_check_block *b = warp->blocks->first;

    while (b && b->lds != warp->lds)
        b = b->next;
    if (!b && !(b = make_block(warp->blocks)))
        return NULL;
    if (!make_room(b, warp->lds_bytes))
        return NULL;
    if (b->lds != warp->lds || b->serial != warp->serial || b->number != warp->block_number ||
        b->launch != warp->launch)
        begin(b, warp);
    b->warp = warp->first_thread / warp->width % LS_CHECK_WARPS;
    return b;
}

char *
ls_check_block_bytes(struct ls_check_block *b, uint64_t offset, uint64_t bytes)
{
    return b->written && offset < b->lds_bytes && bytes <= b->lds_bytes - offset
               ? b->written + offset
               : NULL;
}

void
ls_check_blocks_settle(struct ls_check_blocks *all)
{
    for (struct ls_check_block *b = all->first; b; b = b->next) {
        ls_check_says(b, NULL, false);
        ls_check_race_settle(b);
    }
}

void
ls_check_blocks_fini(struct ls_check_blocks *all)
{
    while (all->first) {
        struct ls_check_block *b = all->first;

        all->first = b->next;
        if (b->warps)
            ls_check_race_leave(b);
        ls_check_order_fini(b);
        free(b->written);
        free(b->lines);
        free(b->briefs);
        free(b);
    }
    ls_check_parties_fini(all);
    ls_check_lanes_fini(all);
    ls_check_needs_fini(all);
}
