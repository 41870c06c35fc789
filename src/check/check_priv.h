/* SPDX-License-Identifier: MIT */
/* Inside the checkers. */
#ifndef LS_CHECK_PRIV_H
#define LS_CHECK_PRIV_H

#include "check/check.h"

extern struct ls_check_memory ls_check_memory;

bool ls_check_find_extra(uint64_t at, struct ls_check_range *range);

#endif
