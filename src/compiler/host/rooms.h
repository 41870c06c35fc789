/* SPDX-License-Identifier: MIT */
/* Which phis of a function may lie at one place in memory. */
#ifndef LS_HOST_ROOMS_H
#define LS_HOST_ROOMS_H

#include "compiler/analysis/cfg.h"

/* What edges bring to a phi is written at the ends of the blocks that they come from, unless it is
 * a phi of the same place. Returns the number of each phi's place, at most n. */
unsigned *ls_rooms_share(struct ls_arena *arena, const struct ls_cfg *cfg, LLVMValueRef *phis,
                         unsigned n);

#endif
