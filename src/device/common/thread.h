/* SPDX-License-Identifier: MIT */
/* Threads of devices that do for the driver or the device's process what those don't. */
#ifndef LS_DEVICE_COMMON_THREAD_H
#define LS_DEVICE_COMMON_THREAD_H

#include <stdbool.h>

/* Starts a detached thread that takes no signals: handlers are for the program's threads. False:
 * the system has none. */
bool ls_thread_start(void *(*fn)(void *), void *arg);

#endif
