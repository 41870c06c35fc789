/* SPDX-License-Identifier: MIT */
/* The process ends: what is told only then. */
#include "check/check.h"
#include "check/check_priv.h"
#include "check/notation.h"
#include "check/review.h"

void
ls_check_end(void)
{
    if (ls_checks() & LS_CHECK_REVIEW)
        ls_review_write();
    if (ls_checks() & LS_CHECK_NOTES)
        ls_notation_end();
    if (ls_checks() & LS_CHECK_BARRIERS)
        ls_check_needs_end();
    ls_check_counts_end();
}
