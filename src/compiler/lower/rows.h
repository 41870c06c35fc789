/* SPDX-License-Identifier: MIT */
/* The rows of intrinsics.def that have a lowering. */
#ifndef LS_LOWER_ROWS_H
#define LS_LOWER_ROWS_H

#include "compiler/intrin/intrinsics.h"

/* All of them, in the order of the table, until NULL; the others' calls are gone before the vectoriser. NULL: the first. */
const struct ls_intrin *ls_lower_next_row(const struct ls_intrin *row);

#endif
