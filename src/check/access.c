/* SPDX-License-Identifier: MIT */
/* Each access, by all checks that are on. */
#include <string.h>

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

/* Whether none of the lanes can race with anything. */
static bool
are_free(struct ls_check_block *b, const struct ls_check_site *site, const uint64_t *places,
         uint64_t mask, struct ls_check_window *windows)
{
    for (uint64_t left = mask; left; left &= left - 1)
        if (!ls_check_is_free(b, site, places[__builtin_ctzll(left)], site->bytes, windows))
            return false;
    return true;
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
    if (on & LS_CHECK_BARRIERS && site->kind == LS_CHECK_BARRIER)
        ls_check_needs_barrier(warp, site, mask);
    if (site->kind >= LS_CHECK_END) {
        if (site->kind == LS_CHECK_UNSET)
            ls_check_unset(warp, site, site, places, mask);
        else if (on & LS_CHECK_SYNC || site->kind == LS_CHECK_USE)
            ls_check_sync(warp, site, places, mask);
        return true;
    }
    mask = accessing(site, places, mask);
    go_on = !is_access || ls_check_memory_access(warp, site, places, &mask, windows);

    if (on & LS_CHECK_LANES && is_access)
        ls_check_lanes_access(warp, site, places, mask);
    if (on & LS_CHECK_BARRIERS && is_access)
        ls_check_needs_access(warp, site, places, mask);
    if (!(on & (LS_CHECK_INIT | LS_CHECK_RACE)) || !(block = ls_check_block_of(warp)))
        return go_on;
    if (on & LS_CHECK_INIT && is_access)
        ls_check_init_access(warp, block, site, places, mask);
    if (!(is_access && are_free(block, site, places, mask, windows)) && on & LS_CHECK_RACE)
        ls_check_race_access(warp, block, site, places, mask);
    return go_on;
}

struct ls_check_block *
ls_check_enter(const struct ls_check_warp *warp)
{
    return ls_check_block_of(warp);
}

char *
ls_check_shared_written(const struct ls_check_block *b)
{
    return b->written;
}

bool
ls_check_shared_is_full(struct ls_check_block *b)
{
    const uint64_t n = b->self.lds_bytes;
    const char *hole;

    if (!b->written)
        return false;
    hole = memchr(b->written + b->n_written, 0, n - b->n_written);
    b->n_written = hole ? (uint64_t)(hole - b->written) : n;
    return !hole;
}

void
ls_check_pass(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site)
{
    if (ls_checks() & LS_CHECK_RACE)
        ls_check_race_pass(b, warp, site);
}
