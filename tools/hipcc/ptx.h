/* SPDX-License-Identifier: MIT */
/* Inline PTX of CUDA sources: asm statements in preprocessed text (asm.c) and what they become
 * (ptx.c). */
#ifndef LS_HIPCC_PTX_H
#define LS_HIPCC_PTX_H

#include "hipcc_priv.h"

/* In the text of a statement: an operand, whose number follows. */
#define LS_PTX_OPERAND '\001'

/* The flag of a carry between the statements of a source. */
struct ls_ptx_carry {
    bool is_kept;           /* statements leave it to others */
    bool is_made, is_taken; /* a statement makes one; takes one that another made */
};

/* Statements of C++ for the text of an asm statement, which may be qualified as volatile; operand N
 * is the variable ls_oN. */
void ls_ptx_statements(const struct ls_buf *text, bool is_volatile, struct ls_ptx_carry *carry,
                       struct ls_buf *out);
/* Whether the text starts with an instruction of PTX that is known here. */
bool ls_ptx_is_one(const struct ls_buf *text);

/* Whether the source, or a header of the folders that the options name, has an asm statement. */
bool ls_asm_is_used(const struct ls_strv *options, const char *source);
/* Copies preprocessed C++ with statements of C++ in the place of inline PTX. */
void ls_asm_rewrite(const struct ls_buf *in, struct ls_buf *out);

/* Behind the token, blank or comment of C++ at `at`. */
const char *ls_cxx_skip(const char *at, const char *end);
/* Calls look for the source and each header that it includes from its own folder or one that the
 * options name, until it returns true; whether it did. */
bool ls_cxx_search(const struct ls_strv *options, const char *source,
                   bool (*look)(const char *path, const struct ls_buf *text, void *data),
                   void *data);

/* Launches written `<< <` and `>> >`, which nvcc takes and clang does not: a file for clang's
 * -ivfsoverlay, by which it reads them without the blank. NULL: there are none. */
char *ls_launch_overlay(const struct ls_strv *options, const char *source);

#endif
