/* SPDX-License-Identifier: MIT */
/* lsreview's parts for register assignments (base/notation.h). */
#ifndef LS_LSCHECK_NOTATION_H
#define LS_LSCHECK_NOTATION_H

#include "front.h"

struct notation_options {
    const char *infer, *exit_code, *log, *json, *sarif, *all; /* NULL: not given */
};
/* notation.c: runs a program with its comments verified; the exit code. */
int run_notation(const struct front *front, char **argv, const struct notation_options *o);

/* transpose.c: `lsreview transpose FROM TO`: writes code; the exit code. */
int write_transpose(int argc, char **argv);

#endif
