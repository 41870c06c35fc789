/* SPDX-License-Identifier: MIT */
/* Comments that say where elements of arrays lie, looked at while kernels run: code made with
 * LS_CHECK_NOTES tells, where such a comment stands, where all bytes of the variables that it is
 * about came from. Thread-safe. */
#ifndef LS_CHECK_NOTATION_H
#define LS_CHECK_NOTATION_H

#include "check/check.h"

/* A warp comes to a comment. origins: site->bytes numbers of each of its lanes (check_site.h). */
void ls_notation_visit(const struct ls_check_warp *warp, const struct ls_check_site *site,
                       const uint64_t *origins, uint64_t mask);
/* Reports all comments that were met. */
void ls_notation_end(void);

#endif
