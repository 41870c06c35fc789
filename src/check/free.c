/* SPDX-License-Identifier: MIT */
/* Memory of which no two accesses of a launch can race: the launch only reads it, or only changes
 * it by atomic operations that order nothing and are for all threads, or each thread goes to
 * elements of its own. Which that is follows from
 * what the kernel does by which of its arguments (ir/starts.c). While the null stream of one
 * device does all there is to do, nothing else can run beside the launch, and such accesses need
 * not be written down. What was begun before the program makes its first stream counts as ordered,
 * as far as such accesses are concerned. */
#include "check/check_priv.h"

/* Whether what the launch does to all of a range can't race. A pointer that points to no memory may
 * lead anywhere. */
static bool
is_only_used_well(const struct ls_check_launch *l, const struct ls_check_range *range)
{
    uint32_t uses = l->elsewhere, n = 0;

    for (uint32_t i = 0; i < l->n_reach; i++) {
        const struct ls_check_reach *r = &l->reach[i];
        struct ls_check_range other;

        if (r->at - range->base < range->bytes)
            n++;
        else if (!r->at || ls_check_memory.find(r->at, &other))
            continue;
        uses |= r->uses;
    }
    return uses == LS_CHECK_CHANGES || (uses == LS_CHECK_OWNS && n == 1) ||
           !(uses & ~(uint32_t)LS_CHECK_READS);
}

bool
ls_check_is_free(struct ls_check_block *b, const struct ls_check_site *site, uint64_t at,
                 uint64_t bytes, struct ls_check_window *windows)
{
    const struct ls_check_launch *l = ls_checks() & LS_CHECK_RACE ? b->launch : NULL;
    struct ls_check_window *w = &windows[LS_CHECK_SLOTS + site->slot];
    struct ls_check_range range;
    unsigned i = 0;

    if (!w->base)
        w->base = LS_CHECK_ASKED;
    if ((l && !l->is_alone) || site->space != LS_CHECK_ANYWHERE)
        return false;
    while (i < LS_CHECK_RANGES && !(at - b->ranges[i].base < b->ranges[i].bytes))
        i++;
    if (i == LS_CHECK_RANGES) {
        if (!ls_check_memory.find(at, &range))
            return false;
        i = b->next_range++ % LS_CHECK_RANGES;
        b->ranges[i].base = range.base;
        b->ranges[i].bytes = range.bytes;
        b->ranges[i].is_free = !l || is_only_used_well(l, &range);
        b->ranges[i].is_written = !(ls_checks() & LS_CHECK_INIT) ||
                                  ls_check_is_all_written(range.base, range.bytes);
    }
    if (!b->ranges[i].is_free || bytes > b->ranges[i].bytes - (at - b->ranges[i].base))
        return false;
    if (b->ranges[i].is_written)
        *w = (struct ls_check_window){b->ranges[i].base, b->ranges[i].bytes};
    return true;
}
