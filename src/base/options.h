/* SPDX-License-Identifier: MIT */
/* What a kernel is compiled with: a contract between who runs kernels, the compiler's door and the
 * compiler. The table is options.def; whatever goes over all options goes over it. */
#ifndef LS_BASE_OPTIONS_H
#define LS_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

enum ls_diag_level { LS_DIAG_NONE = 0, LS_DIAG_NOTE, LS_DIAG_WARNING, LS_DIAG_ERROR };

/* Receives one message, already complete ("file:line: construct: why"); `user` is the caller's. */
typedef void (*ls_diag_sink)(void *user, enum ls_diag_level level, const char *message);

#define LS_OPTION_FIELD_TEXT(name)   const char *name;
#define LS_OPTION_FIELD_ISA(name)    const char *name;
#define LS_OPTION_FIELD_NUMBER(name) uint32_t name;
#define LS_OPTION_FIELD_SWITCH(name) bool name;
#define LS_OPTION_FIELD_BITS(name)   uint64_t name;
#define LS_OPTION_FIELD_SHAPE(name)  uint32_t name[3];

struct ls_compile_options {
#define LS_OPTION(kind, name, def, part, flag, argument, help) LS_OPTION_FIELD_##kind(name)
#include "base/options.def"
    ls_diag_sink sink; /* who is told what goes wrong; no code hangs on it */
    void *sink_user;
};

enum ls_option_kind {
    LS_OPTION_TEXT,
    LS_OPTION_ISA,
    LS_OPTION_NUMBER,
    LS_OPTION_BITS,
    LS_OPTION_SWITCH,
    LS_OPTION_SHAPE
};

struct ls_option {
    const char *name;
    enum ls_option_kind kind;
    size_t offset; /* in struct ls_compile_options */
    bool is_key;   /* part of the code cache's key */
    const char *flag, *argument, *help;
};

/* The next option of the table; of NULL the first; behind the last NULL. */
const struct ls_option *ls_option_next(const struct ls_option *option);

/* All options at their defaults; nobody is told anything. */
void ls_options_init(struct ls_compile_options *opt);
/* Sets an option from text; a string is borrowed. False: the text is no value of that option. */
bool ls_option_set(const struct ls_option *option, struct ls_compile_options *opt,
                   const char *value);
/* Writes an option's value as text that ls_option_set reads. Sizes and result as of snprintf. */
size_t ls_option_get(const struct ls_option *option, const struct ls_compile_options *opt, char *to,
                     size_t bytes);

/* Writes all options as name=value with a 0 behind each, and one more 0 at the end. Returns the
 * number of bytes; to == NULL: only counts them. */
size_t ls_options_write(const struct ls_compile_options *opt, char *to);
/* Reads what that function wrote; strings are borrowed, and options that are not in it stay as they
 * are. end[-1] must be 0. Returns the byte behind it, or NULL when it makes no sense. */
const char *ls_options_read(struct ls_compile_options *opt, const char *text, const char *end);

/* Adds to a hash all options that code may depend on; for "native" also this processor's
 * features. */
void ls_options_add_key(const struct ls_compile_options *opt, struct ls_sha256 *sha);

#endif
