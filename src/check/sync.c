/* SPDX-License-Identifier: MIT */
/* Operations between threads to which not all come who should: masks of lanes, and what shuffles
 * read from lanes that are not there. */
#include <inttypes.h>
#include <stdio.h>

#include "check/check_priv.h"

/* The lanes that are threads of the block. */
static uint64_t
lanes_of(const struct ls_check_warp *warp)
{
    uint64_t n = (uint64_t)warp->block[0] * warp->block[1] * warp->block[2] - warp->first_thread;

    return n < 64 && n < warp->width ? ((uint64_t)1 << n) - 1
           : warp->width < 64        ? ((uint64_t)1 << warp->width) - 1
                                     : ~(uint64_t)0;
}

/* Lanes in words: "0 to 15, 17". */
static void
say_lanes(uint64_t lanes, char *to, size_t bytes)
{
    size_t n = 0;

    for (unsigned l = 0, end; l < 64 && n + 16 < bytes; l = end) {
        for (; l < 64 && !(lanes >> l & 1); l++)
            ;
        for (end = l; end < 64 && lanes >> end & 1; end++)
            ;
        if (l == 64)
            return;
        n += (size_t)snprintf(to + n, bytes - n, "%s%u", n ? ", " : "", l);
        if (end > l + 1)
            n += (size_t)snprintf(to + n, bytes - n, " to %u", end - 1);
    }
}

static void
report_mask(const struct ls_check_warp *warp, const struct ls_check_site *site, uint64_t named,
            uint64_t here, uint64_t wrong, bool is_caller)
{
    const char *name = site->variable ? (const char *)site + site->variable : "";
    char message[160], lanes[256], notes[512];

    snprintf(message, sizeof(message),
             is_caller ? "%s by lanes that its mask does not name"
                       : "%s: lanes that its mask names do not come",
             name);
    say_lanes(wrong, lanes, sizeof(lanes));
    snprintf(notes, sizeof(notes), "mask 0x%" PRIx64 ", lanes 0x%" PRIx64 " come with it; %s: %s\n",
             named, here, is_caller ? "not named" : "missing", lanes);
    ls_check_report_at(warp, site, "sync", is_caller ? "mask-without-caller" : "mask-not-met",
                       message, notes, is_caller ? wrong : here);
}

/* Lanes meet. They must be those of the mask that each of them gives. */
static void
check_mask(const struct ls_check_warp *warp, const struct ls_check_site *site,
           const uint64_t *masks, uint64_t lanes)
{
    uint64_t all = lanes_of(warp);

    for (uint64_t left = lanes, same; left; left &= ~same) {
        uint64_t named = masks[__builtin_ctzll(left)];

        same = 0;
        for (uint64_t l = left; l; l &= l - 1)
            if (masks[__builtin_ctzll(l)] == named)
                same |= l & -l;
        if (same & ~named)
            report_mask(warp, site, named, same, same & ~named, true);
        if (named & all & ~same)
            report_mask(warp, site, named, same, named & all & ~same, false);
    }
}

/* Lanes use something that a shuffle brought them from lanes that were not there. */
static void
check_use(const struct ls_check_warp *warp, const struct ls_check_site *site,
          const uint64_t *numbers, uint64_t lanes)
{
    uint64_t bad = 0;
    const struct ls_check_site *shuffle = NULL;
    char notes[LS_CHECK_TEXT] = "used at\n";

    for (uint64_t l = lanes; l; l &= l - 1) {
        uint64_t number = numbers[__builtin_ctzll(l)];

        if (!number)
            continue;
        if (!shuffle)
            shuffle = site - site->slot + (number - 1);
        bad |= l & -l;
    }
    if (!bad)
        return;
    if (shuffle->kind == LS_CHECK_UNSET) {
        ls_check_unset(warp, shuffle, site, numbers, bad);
        return;
    }
    if (site->trace)
        ls_check_say_trace((const char *)site + site->trace, notes + 8, sizeof(notes) - 8);
    if (shuffle->flags & LS_CHECK_ITSELF)
        ls_check_report_at(warp, shuffle, "sync", "shuffle-too-far",
                           "a shuffle brings each lane its own value: the warp or group has no "
                           "lane that far away",
                           site->trace ? notes : "", bad);
    else
        ls_check_report_at(warp, shuffle, "sync", "inactive-lane",
                           "a shuffle reads a lane that is not active: its value is undefined",
                           site->trace ? notes : "", bad);
}

void
ls_check_sync(const struct ls_check_warp *warp, const struct ls_check_site *site,
              const uint64_t *values, uint64_t mask)
{
    if (site->kind == LS_CHECK_END)
        ls_check_threads_end(warp, mask);
    else if (site->kind == LS_CHECK_MASK)
        check_mask(warp, site, values, mask);
    else if (site->kind == LS_CHECK_USE)
        check_use(warp, site, values, mask);
}
