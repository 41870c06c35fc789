/* SPDX-License-Identifier: MIT */
/* What pages of lscheck and lsreview share: one file each, nothing of which is from elsewhere, no
 * scripts, light or dark as the reader's system is. */
#ifndef LS_LSCHECK_HTML_H
#define LS_LSCHECK_HTML_H

#include <stdio.h>

extern const char HTML_STYLE[];
void put_html(FILE *to, const char *text);

#endif
