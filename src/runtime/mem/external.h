/* SPDX-License-Identifier: MIT */
/* External semaphores as steps that can be run again and again. */
#ifndef LS_RUNTIME_EXTERNAL_H
#define LS_RUNTIME_EXTERNAL_H

#include "runtime/queue/plan.h"

/* A step for each semaphore, with a reference to it. hipErrorInvalidValue when one is none: no
 * reference is taken then. */
hipError_t ls_semaphore_steps(const hipExternalSemaphore_t *semaphores, unsigned n, bool waits,
                              struct ls_step *steps);
/* For copies of such steps. */
void ls_semaphore_ref_steps(const struct ls_step *steps, unsigned n);
void ls_semaphore_unref_steps(const struct ls_step *steps, unsigned n);

#endif
