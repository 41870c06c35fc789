/* SPDX-License-Identifier: MIT */
/* What checkers (src/check) hear of API calls: those that fail, and those with handles that were
 * destroyed. */
#ifndef LS_RUNTIME_WATCHED_H
#define LS_RUNTIME_WATCHED_H

#include "runtime/entry/call.h"

/* Whether calls are to be told of: before their arguments are. */
bool ls_watches_calls(void);
/* A call is about to be made, of which all arguments are known; and has been. */
void ls_watched_begin(struct ls_slow_call *call);
void ls_watched_end(struct ls_slow_call *call, hipError_t err);

#endif
