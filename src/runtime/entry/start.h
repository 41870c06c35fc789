/* SPDX-License-Identifier: MIT */
/* The start of the runtime and of what it knows of a thread. Each exported function has passed this
 * before any other room is entered: they need not ask. */
#ifndef LS_RUNTIME_START_H
#define LS_RUNTIME_START_H

#include "runtime/core/core.h"

/* Starts the runtime if need be. Never fails but when memory is short or no device is there. */
hipError_t ls_start(void);
/* Whether the runtime was started. */
bool ls_is_started(void);
/* Registers the calling thread, whose resources are freed when it ends, and starts the runtime if
 * need be. Returns the thread's state, also where the start fails. */
struct ls_thread *ls_thread_enter(void);

#endif
