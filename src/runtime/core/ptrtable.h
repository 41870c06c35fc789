/* SPDX-License-Identifier: MIT */
/* Map from addresses to pointers: read without locks, written under the caller's lock. */
#ifndef LS_RUNTIME_PTRTABLE_H
#define LS_RUNTIME_PTRTABLE_H

#include <stdbool.h>

struct ls_ptrtable_body;

struct ls_ptrtable {
    _Atomic(struct ls_ptrtable_body *) body; /* zero-initialised: empty */
};

/* NULL when absent. */
void *ls_ptrtable_find(const struct ls_ptrtable *table, const void *key);
/* value NULL removes. False when out of memory. Old bodies stay for readers until fini. */
bool ls_ptrtable_set(struct ls_ptrtable *table, const void *key, void *value);
void ls_ptrtable_fini(struct ls_ptrtable *table);

#endif
