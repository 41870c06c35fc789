/* SPDX-License-Identifier: MIT */
/* A line that moves where people wait: on a terminal alone, never in a pipe or a file. It is on
 * stderr and taken away when the wait is over. */
#ifndef LS_BASE_PROGRESS_H
#define LS_BASE_PROGRESS_H

#include <stdbool.h>

/* Whether anybody would see it: this process has stderr as its terminal, which knows how to go back
 * in a line, and LOCKSTEP_PROGRESS is not -1. */
bool ls_progress_is_wanted(void);
/* LOCKSTEP_PROGRESS: milliseconds of a wait before one says anything of it. */
long ls_progress_after_ms(void);
/* Writes the line over the one before, cut to 78 bytes. Nothing where it is not wanted. */
__attribute__((format(printf, 1, 2))) void ls_progress_say(const char *format, ...);
/* Takes the line away, if there is one. */
void ls_progress_clear(void);

#endif
