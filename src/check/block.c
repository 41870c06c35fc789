/* SPDX-License-Identifier: MIT */
/* What checkers know of a block that runs: which bytes of its shared memory were written, and who
 * touched them last. */
#include <stdlib.h>
#include <string.h>

#include "check/check_priv.h"

static struct ls_check_block *
make_block(struct ls_check_blocks *all)
{
    struct ls_check_block *b = calloc(1, sizeof(*b));

    if (!b)
        return NULL;
    b->next = all->first;
    all->first = b;
    return b;
}

/* Room for so much shared memory. */
static bool
make_room(struct ls_check_block *b, uint64_t lds_bytes)
{
    uint64_t n = (lds_bytes + LS_CHECK_CELL - 1) / LS_CHECK_CELL;

    if (n <= b->n_cells)
        return true;
    free(b->written);
    free(b->cells);
    b->written = calloc(n, LS_CHECK_CELL);
    b->cells = ls_checks() & LS_CHECK_RACE ? calloc(n, sizeof(*b->cells)) : NULL;
    b->n_cells = b->written && (b->cells || !(ls_checks() & LS_CHECK_RACE)) ? n : 0;
    return b->n_cells == n;
}

/* Nobody has passed a barrier, or knows of others. */
static void
begin_order(struct ls_check_block *b)
{
    /* Counts go on from block to block, so that what earlier blocks left is always before. */
    for (unsigned w = 0; w < LS_CHECK_WARPS; w++)
        if (b->passed[w] >= b->first_count)
            b->first_count = b->passed[w] + 1;
    for (unsigned w = 0; w < LS_CHECK_WARPS; w++) {
        b->passed[w] = b->first_count;
        memset(b->known[w], 0, sizeof(b->known[w]));
        memset(b->released[w], 0, sizeof(b->released[w]));
        memset(b->pending[w], 0, sizeof(b->pending[w]));
        b->known[w][w] = 1;
    }
    if (b->n_handed)
        memset(b->handed, 0, b->cap_handed * sizeof(*b->handed));
    b->n_handed = 0;
}

static void
begin(struct ls_check_block *b, const struct ls_check_warp *warp)
{
    b->lds = warp->lds;
    b->serial = warp->serial;
    b->number = warp->block_number;
    if (b->written)
        memset(b->written, 0, b->n_cells * LS_CHECK_CELL);
    begin_order(b);
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
    if (b->lds != warp->lds || b->serial != warp->serial || b->number != warp->block_number)
        begin(b, warp);
    return b;
}

char *
ls_check_block_bytes(struct ls_check_block *b, uint64_t offset, uint64_t bytes)
{
    uint64_t all = b->n_cells * LS_CHECK_CELL;

    return offset < all && bytes <= all - offset ? b->written + offset : NULL;
}

void
ls_check_blocks_fini(struct ls_check_blocks *all)
{
    while (all->first) {
        struct ls_check_block *b = all->first;

        all->first = b->next;
        free(b->written);
        free(b->cells);
        free(b->handed);
        free(b);
    }
    ls_check_parties_fini(all);
    ls_check_lanes_fini(all);
}
