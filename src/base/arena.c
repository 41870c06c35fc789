/* SPDX-License-Identifier: MIT */
/* Arena: a list of growing chunks. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct chunk {
    struct chunk *next;
    size_t used, size;
    _Alignas(16) char data[];
};

struct ls_arena {
    struct chunk *head;
};

struct ls_arena *
ls_arena_create(void)
{
    struct ls_arena *arena = calloc(1, sizeof(*arena));

    if (!arena)
        abort();
    return arena;
}

void
ls_arena_destroy(struct ls_arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *c = arena->head, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena);
}

void *
ls_arena_alloc(struct ls_arena *arena, size_t bytes)
{
    struct chunk *c = arena->head;

    bytes = (bytes + 15) & ~(size_t)15;
    if (!c || c->size - c->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;

        c = calloc(1, sizeof(*c) + size);
        if (!c)
            abort();
        c->size = size;
        c->next = arena->head;
        arena->head = c;
    }
    void *p = c->data + c->used;
    c->used += bytes;
    return p;
}

char *
ls_arena_printf(struct ls_arena *arena, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = ls_arena_alloc(arena, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}
