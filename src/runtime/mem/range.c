/* SPDX-License-Identifier: MIT */
/* Ranges come and go, and strict mode hears of it. */
#include "runtime/mem/checked.h"
#include "runtime/mem/map.h"
#include "runtime/mem/strict.h"

struct ls_mem_entry *
ls_mem_add(struct ls_mem_range range)
{
    struct ls_mem_entry *entry = ls_map_add(range);

    if (entry) {
        ls_strict_changed(range.base);
        ls_checked_added(&range);
    }
    return entry;
}

bool
ls_mem_take(const void *ptr, unsigned kinds, struct ls_mem_range *range)
{
    bool found = ls_map_take(ptr, kinds, range);

    if (found) {
        ls_strict_removed(range);
        ls_checked_taken(range);
    }
    return found;
}

bool
ls_mem_set_access(const void *base, uint8_t access, uint32_t rights)
{
    bool found = ls_map_set_access(base, access, rights);

    if (found)
        ls_strict_changed(base);
    return found;
}
