/* SPDX-License-Identifier: MIT */
/* The part of an event that several processes see: a page of memory that each has mapped. */
#ifndef LS_RUNTIME_SHARED_EVENT_H
#define LS_RUNTIME_SHARED_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LS_SHARED_EVENT_NAME "hip-event" /* of its file */

struct ls_shared_event {
    uint32_t magic;
    _Atomic uint64_t n_recorded; /* records asked for, by all processes */
    _Atomic uint64_t n_done;     /* the latest that has come */
};

/* Makes a page and its file; NULL when there is no memory. */
struct ls_shared_event *ls_shared_event_create(int *fd);
/* Maps the page of a file; NULL when the file is no such. The file stays the caller's. */
struct ls_shared_event *ls_shared_event_map(int fd);
/* Unmaps; closes the file. */
void ls_shared_event_destroy(struct ls_shared_event *event, int fd);
/* Whether the last record that was asked for has happened. */
bool ls_shared_event_is_done(const struct ls_shared_event *event);
void ls_shared_event_set_done(struct ls_shared_event *event, uint64_t number);

#endif
