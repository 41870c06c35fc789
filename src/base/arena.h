/* SPDX-License-Identifier: MIT */
/* Arena: memory of one lifetime, freed whole. Out of memory ends the process: compiler use only. */
#ifndef LS_BASE_ARENA_H
#define LS_BASE_ARENA_H

#include <stddef.h>

struct ls_arena;

struct ls_arena *ls_arena_create(void);
void ls_arena_destroy(struct ls_arena *arena);             /* NULL is fine */
void *ls_arena_alloc(struct ls_arena *arena, size_t bytes); /* zeroed, aligned to 16 */
char *ls_arena_printf(struct ls_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
