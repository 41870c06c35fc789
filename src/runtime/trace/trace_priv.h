/* SPDX-License-Identifier: MIT */
/* Inside the room: what is switched on. */
#ifndef LS_RUNTIME_TRACE_PRIV_H
#define LS_RUNTIME_TRACE_PRIV_H

#include "runtime/trace/trace.h"

/* Written once, by ls_trace_init, but what logs are written may change at any time. */
struct ls_trace_settings {
    unsigned serialize_kernel, serialize_copy; /* 1 = wait before, 2 = wait after */
    atomic_int log_level;
    atomic_uint log_mask;
    bool json, dump_code;
    atomic_bool any; /* calls are written down */
};
extern struct ls_trace_settings ls_trace_settings;

/* log.c */
void ls_log_start(void);
void ls_trace_log_call(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
