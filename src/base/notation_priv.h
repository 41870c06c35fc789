/* SPDX-License-Identifier: MIT */
/* What the readers of lines and of sources share. */
#ifndef LS_BASE_NOTATION_PRIV_H
#define LS_BASE_NOTATION_PRIV_H

#include "base/notation.h"

enum { LS_NOTATION_MOST_NAME = LS_NOTATION_NAME - 1 };

/* The part that a line is of, and what stands behind its colon. LS_NOTATION_PARTS: none. */
enum ls_notation_part ls_notation_part_of(const char *line, const char **behind);
/* Reads what stands behind the colon. */
bool ls_notation_read_line(const char *at, enum ls_notation_part part, struct ls_notation_line *out,
                           char error[160]);
/* A word at its start. */
const char *ls_notation_find_word(const char *text, const char *word);
/* Whether the words behind a colon look like index bits, and not like a sentence. */
bool ls_notation_looks_like_bits(const char *at);
const char *ls_notation_skip_space(const char *at);
bool ls_notation_is_word(char c);
const char *ls_notation_find_arrow(const char *line);
/* No index bit twice. */
bool ls_notation_has_each_once(const struct ls_notation *n, char error[160]);
/* Reads "shape (32,32), strides (128*1024, 1)". */
bool ls_notation_read_view(const char *text, struct ls_notation_view *view, char error[160]);

#endif
