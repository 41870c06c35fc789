/* SPDX-License-Identifier: MIT */
/* Inside the checkers. */
#ifndef LS_CHECK_PRIV_H
#define LS_CHECK_PRIV_H

#include "check/check.h"

extern struct ls_check_memory ls_check_memory;

bool ls_check_find_extra(uint64_t at, struct ls_check_range *range);
/* Says what of it lies there or nearby, as ls_check_memory.explain; NULL: nothing. */
const char *ls_check_explain_extra(uint64_t at, char text[LS_CHECK_TEXT]);

/* suppress.c: whether LOCKSTEP_CHECK_SUPPRESSIONS names it. */
bool ls_check_is_suppressed(const struct ls_check_finding *finding);

/* names.c: a mangled name in plain form, cut off where there is no room; of a variable without the
 * function or namespace that it belongs to. */
void ls_check_name(const char *name, char *to, size_t bytes);
void ls_check_variable_name(const char *name, char *to, size_t bytes);

#endif
