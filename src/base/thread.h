/* SPDX-License-Identifier: MIT */
/* Threads beside the program's own. */
#ifndef LS_BASE_THREAD_H
#define LS_BASE_THREAD_H

#include <stdbool.h>

/* Starts a detached thread that takes no signals: handlers are for the program's threads. False:
 * the system has none. */
bool ls_thread_start(void *(*fn)(void *), void *arg);

#endif
