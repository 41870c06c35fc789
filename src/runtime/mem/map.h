/* SPDX-License-Identifier: MIT */
/* Changes of the map of ranges, for range.c, which tells strict mode of them. */
#ifndef LS_RUNTIME_MAP_H
#define LS_RUNTIME_MAP_H

#include "runtime/mem/mem.h"

/* As ls_mem_find, but hidden ranges are found, too: streams may still use a pool's block that was
 * given back. */
bool ls_map_find_any(const void *ptr, struct ls_mem_range *range);
/* As ls_mem_add, ls_mem_take and ls_mem_set_access. */
struct ls_mem_entry *ls_map_add(struct ls_mem_range range);
bool ls_map_take(const void *ptr, unsigned kinds, struct ls_mem_range *range);
/* Takes out all ranges of the device but those of the kinds, then calls back for each, without a
 * lock. */
void ls_map_take_all(uint32_t device, unsigned kept,
                     void (*each)(const struct ls_mem_range *range));
bool ls_map_set_access(const void *base, uint8_t access, uint32_t rights);

#endif
