/* SPDX-License-Identifier: MIT */
/* Each access, by all checks that are on. */
#include "check/check_priv.h"

/* Takes lanes that make no access out of the mask. */
static uint64_t
accessing(const struct ls_check_site *site, const uint64_t *places, uint64_t mask)
{
    for (uint64_t left = site->space == LS_CHECK_LDS ? mask : 0; left; left &= left - 1)
        if (places[__builtin_ctzll(left)] == LS_CHECK_NOWHERE)
            mask &= ~(left & -left);
    return mask;
}

/* Accesses of which each lane's has its own length, one lane after the other. */
static bool
access_many(const struct ls_check_warp *warp, const struct ls_check_site *site,
            const uint64_t *places, uint64_t mask, struct ls_check_window *windows)
{
    bool go_on = true;

    for (uint64_t left = mask; left; left &= left - 1) {
        uint64_t n = places[warp->width + (unsigned)__builtin_ctzll(left)];
        const struct ls_check_site *sized = n ? ls_check_sized(site, n) : NULL;

        go_on &= !sized || ls_check_access(warp, sized, places, left & -left, windows);
    }
    return go_on;
}

bool
ls_check_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                const uint64_t *places, uint64_t mask, struct ls_check_window *windows)
{
    unsigned on = ls_checks();
    struct ls_check_block *block;
    bool is_access = site->kind < LS_CHECK_BARRIER, go_on;

    if (is_access && site->bytes == LS_CHECK_MANY)
        return access_many(warp, site, places, mask, windows);
    if (site->kind == LS_CHECK_BARRIER && on & LS_CHECK_SYNC)
        ls_check_barrier(warp, site, mask);
    if (on & LS_CHECK_LANES && (site->kind == LS_CHECK_BARRIER || site->kind == LS_CHECK_MASK))
        ls_check_lanes_meet(warp);
    if (site->kind >= LS_CHECK_END) {
        if (on & LS_CHECK_SYNC)
            ls_check_sync(warp, site, places, mask);
        return true;
    }
    mask = accessing(site, places, mask);
    go_on = !is_access || ls_check_memory_access(warp, site, places, &mask, windows);

    if (on & LS_CHECK_LANES && is_access)
        ls_check_lanes_access(warp, site, places, mask);
    if (!(on & (LS_CHECK_INIT | LS_CHECK_RACE)) || !(block = ls_check_block_of(warp)))
        return go_on;
    if (on & LS_CHECK_INIT && is_access)
        ls_check_init_access(warp, block, site, places, mask);
    if (on & LS_CHECK_RACE)
        ls_check_race_access(warp, block, site, places, mask);
    return go_on;
}

bool
ls_check_is_last(const struct ls_check_blocks *blocks, uint64_t serial, uint64_t block_number,
                 uint64_t lds)
{
    const struct ls_check_block *b = blocks->last;

    return b && b->number == block_number && b->serial == serial && b->lds == lds;
}

void
ls_check_enter(const struct ls_check_warp *warp)
{
    ls_check_block_of(warp);
}

char *
ls_check_shared_written(const struct ls_check_blocks *blocks)
{
    return blocks->last ? blocks->last->written : NULL;
}

bool
ls_check_row(const struct ls_check_blocks *blocks, uint32_t warp, const struct ls_check_site *site,
             uint64_t first, uint64_t mask, uint32_t lanes, const struct ls_check_window *windows)
{
    struct ls_check_block *b = blocks->last;
    unsigned on = ls_checks(), n = lanes >> 8 & 255;
    bool is_shared = site->space == LS_CHECK_LDS, is_one = lanes >> 16;
    uint64_t bytes = is_one ? site->bytes : (uint64_t)n * site->bytes, offset,
             all = (n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX) << (lanes & 255);

    if (!b)
        return false;
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
    return !(on & LS_CHECK_RACE) || ls_check_race_row(b, warp, site, first, mask, lanes, is_shared);
}

void
ls_check_pass(const struct ls_check_blocks *blocks, uint32_t warp, const struct ls_check_site *site)
{
    if (blocks->last && ls_checks() & LS_CHECK_RACE)
        ls_check_race_pass(blocks->last, warp, site);
}
