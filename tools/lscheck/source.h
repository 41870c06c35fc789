/* SPDX-License-Identifier: MIT */
/* Sources: their lines, and what comments say. All memory stays until the end. */
#ifndef LS_LSCHECK_SOURCE_H
#define LS_LSCHECK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct source {
    char *path, **lines;
    size_t n; /* 0: it can't be read */
};
const struct source *source_of(const char *path);
/* A line without the white space around, or "". */
const char *source_line(const struct source *s, unsigned line);
enum allowed { NOT_SAID, ALLOWED, DENIED };
/* What comments on a line or right above it say of findings of a kind. */
enum allowed allowed_at(const struct source *s, unsigned line, const char *kind);
/* The line where a kernel is declared, and whether it says what it is launched with; 0: unknown. */
unsigned kernel_line(const struct source *s, const char *function, bool *has_bounds);

#endif
