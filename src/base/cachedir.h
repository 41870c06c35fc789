/* SPDX-License-Identifier: MIT */
/* The folder of everything that is made once and found again by later processes. */
#ifndef LS_BASE_CACHEDIR_H
#define LS_BASE_CACHEDIR_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the folder's path and makes the folder if need be. False when caching is off
 * (LOCKSTEP_CACHE=0) or no folder is there that this user alone can write to. */
bool ls_cachedir_find(char *path, size_t bytes);

#endif
