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

/* A new one and its file; NULL when there is no memory. */
struct ls_shared_event *ls_shared_event_create(int *fd);
/* That of a file; NULL when it is none. The file stays the caller's. */
struct ls_shared_event *ls_shared_event_map(int fd);
/* Unmaps; closes the file. */
void ls_shared_event_destroy(struct ls_shared_event *event, int fd);
/* The last record asked for has come. */
bool ls_shared_event_is_done(const struct ls_shared_event *event);
void ls_shared_event_set_done(struct ls_shared_event *event, uint64_t number);

#endif
