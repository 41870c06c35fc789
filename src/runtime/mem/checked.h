/* SPDX-License-Identifier: MIT */
/* What the checkers (src/check) ask of the map of ranges: where memory came from, where it went.
 * Nothing is done here unless something is checked. */
#ifndef LS_RUNTIME_CHECKED_H
#define LS_RUNTIME_CHECKED_H

#include "runtime/mem/mem.h"

/* Before the first device is opened. */
void ls_checked_start(void);
/* At the end of the process: what was never freed, and how often all was found. */
void ls_checked_end(void);

/* Bytes behind an allocation that belong to nobody. */
size_t ls_checked_gap(size_t bytes);

/* A range came, or went. */
void ls_checked_added(const struct ls_mem_range *range);
/* A pool gives a block out again. */
void ls_checked_shown(const void *base, size_t bytes);
void ls_checked_taken(const struct ls_mem_range *range);
/* Memory that was freed stays for a while, so that nobody else gets its place: true. `give_back` is
 * called later, or now for others that have waited for longest. */
bool ls_checked_keep(const struct ls_mem_range *range,
                     void (*give_back)(const struct ls_mem_range *range));
/* Something was to be freed that can't be. */
void ls_checked_bad_free(const void *ptr);

#endif
