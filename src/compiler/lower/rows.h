/* SPDX-License-Identifier: MIT */
/* The rows of intrinsics.def that have a lowering. */
#ifndef LS_LOWER_ROWS_H
#define LS_LOWER_ROWS_H

#include "compiler/intrin/intrinsics.h"

/* The next row that has a lowering, in the order of the table; of NULL the first one; behind the
 * last NULL. Calls of rows without a lowering are replaced before the vectoriser. */
const struct ls_intrin *ls_lower_next_row(const struct ls_intrin *row);

#endif
