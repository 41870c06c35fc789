/* SPDX-License-Identifier: MIT */
/* Inside the room: the beginnings of its parts. */
#ifndef LS_RUNTIME_TRACE_PRIV_H
#define LS_RUNTIME_TRACE_PRIV_H

#include "runtime/trace/trace.h"

/* log.c: reads the environment. */
void ls_log_start(void);
void ls_log_set(int level, unsigned mask);
int ls_log_level(void);
/* json.c */
bool ls_json_start(const char *path);

#endif
