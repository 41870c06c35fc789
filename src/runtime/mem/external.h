/* SPDX-License-Identifier: MIT */
/* Memory and semaphores of other APIs, by file descriptors: memory that can be mapped, and eventfd
 * counters for semaphores. Handles are freed when destroyed, and told from stale ones by a list of
 * those alive. */
#ifndef LS_RUNTIME_EXTERNAL_H
#define LS_RUNTIME_EXTERNAL_H

#include "runtime/queue/plan.h"

enum ls_external_kind {
    LS_EXTERNAL_MEMORY,
    LS_EXTERNAL_SEMAPHORE,
};

struct ls_external {
    struct ls_external *next;
    enum ls_external_kind kind;
    int fd; /* owned: an import takes it */
    uint64_t bytes;
    unsigned refs; /* the handle and commands on their way */
};

/* Makes a handle, which owns the file from then on. NULL when out of memory. */
struct ls_external *ls_external_add(enum ls_external_kind kind, int fd, uint64_t bytes);
/* A reference to a handle that is alive; NULL when it is not. */
struct ls_external *ls_external_ref(const void *handle, enum ls_external_kind kind);
void ls_external_unref(struct ls_external *external);
hipError_t ls_external_destroy(const void *handle, enum ls_external_kind kind);

/* Called by commands (LS_CMD_CALL, LS_CMD_POLL): data is a pointer to a semaphore, with a reference
 * that they drop. */
bool ls_semaphore_signal(void *data);
bool ls_semaphore_wait(void *data);

/* A step for each semaphore, with a reference to it: they can be run again and again.
 * hipErrorInvalidValue when one is none: no reference is taken then. */
hipError_t ls_semaphore_steps(const hipExternalSemaphore_t *semaphores, unsigned n, bool waits,
                              struct ls_step *steps);
/* Add and drop the references of such steps, when steps are copied and freed. */
void ls_semaphore_ref_steps(const struct ls_step *steps, unsigned n);
void ls_semaphore_unref_steps(const struct ls_step *steps, unsigned n);

#endif
