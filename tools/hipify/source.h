/* SPDX-License-Identifier: MIT */
/* One file under translation: its bytes, its tokens, and what is to become of them. */
#ifndef LS_HIPIFY_SOURCE_H
#define LS_HIPIFY_SOURCE_H

#include "lex.h"
#include "options.h"
#include "semantics.h"
#include "stats.h"

/* Bytes [begin, end) become `text`, or the translation of [from, to) between `before` and
 * `after`. */
struct ls_edit {
    uint32_t begin, end, from, to, order;
    uint32_t owner;             /* what made it, 0: nothing that copies */
    const char *text;           /* borrowed: of a table, or of the source's strings */
    const char *before, *after; /* borrowed */
    bool is_copy, is_first;
};

struct ls_source {
    const char *path;                    /* borrowed; "-" is the standard input */
    const struct ls_hipify_options *opt; /* borrowed */
    const struct ls_semantics *sem;      /* borrowed; NULL: nothing is known */
    struct ls_stats *stats;              /* borrowed */
    const char *text;                    /* borrowed, [bytes] is 0 */
    size_t bytes;
    struct ls_tokens tokens;
    struct ls_edit *edits; /* owned */
    size_t n_edits, cap_edits;
    uint32_t owner;  /* of the edits that are made now */
    uint32_t *match; /* owned: of a bracket its partner, or the last token */
    uint32_t *lines; /* owned: where lines begin; made when first asked for */
    size_t n_lines;
    char **kernels; /* owned, and so are the strings: templates of kernels */
    size_t n_kernels, cap_kernels;
    const char *line_end; /* "\n" or "\r\n" */
    bool has_blas_v1;     /* cublas.h is included, cublas_v2.h is not */
    bool has_blas_only;   /* a header of cuBLAS is included, cuda_bf16.h is not */
    bool has_runtime;     /* hip_runtime.h is included, or takes the place of a header */
    bool uses_hip;        /* something in it needs hip_runtime.h */
    bool failed;          /* no memory */
};

/* Whether AMD's own library's name is looked for. */
bool ls_to_roc(const struct ls_source *src, const struct ls_name *name);

/* Translates text[bytes], which must have a 0 behind; sem may be NULL; counts in *stats. malloc'ed
 * with a 0 behind; NULL: no memory, or more than LS_SOURCE_MAX_BYTES. */
char *ls_translate(const struct ls_hipify_options *opt, const char *path, const char *text,
                   size_t bytes, const struct ls_semantics *sem, struct ls_stats *stats,
                   size_t *out_bytes);

/* ---- edits ---- */
void ls_edit_replace(struct ls_source *src, uint32_t begin, uint32_t end, const char *text);
void ls_edit_insert(struct ls_source *src, uint32_t at, const char *text);
/* In front of all other insertions there. */
void ls_edit_insert_first(struct ls_source *src, uint32_t at, const char *text);
/* At `at` appears the translation of [from, to). */
void ls_edit_copy(struct ls_source *src, uint32_t at, uint32_t from, uint32_t to,
                  const char *before, const char *after);
/* Applies them; malloc'ed with a 0 behind. NULL: no memory. */
char *ls_edits_apply(struct ls_source *src, size_t *bytes);

/* ---- tokens ---- */
static inline const struct ls_token *
ls_tok(const struct ls_source *src, size_t i)
{
    return &src->tokens.v[i];
}
static inline uint32_t
ls_tok_end(const struct ls_source *src, size_t i)
{
    return src->tokens.v[i].at + src->tokens.v[i].bytes;
}
bool ls_tok_is(const struct ls_source *src, size_t i, const char *text);
/* The next token behind i, the one before it, in the same directive or outside of directives. At
 * the ends LS_TOKEN_END's index, or i itself where none is before. */
size_t ls_tok_next(const struct ls_source *src, size_t i);
size_t ls_tok_previous(const struct ls_source *src, size_t i);
/* Finds the partners of brackets; to be called before the next two. */
void ls_tok_match(struct ls_source *src);
/* The token that closes the bracket i, one of ( [ {; LS_TOKEN_END's index: none. */
size_t ls_tok_close(const struct ls_source *src, size_t i);
/* The token that opens what i, one of ) ], closes; i: none. */
size_t ls_tok_open(const struct ls_source *src, size_t i);
/* Whether :: at i is that of the global namespace: nothing stands close before it. */
bool ls_is_global(const struct ls_source *src, size_t i);
/* The > that closes template arguments which < at i may open; LS_TOKEN_END's index: it is none. */
size_t ls_tok_close_angle(const struct ls_source *src, size_t i);

#define LS_MAX_ARGUMENTS 64
struct ls_argument {
    size_t first, last; /* tokens; first > last: empty */
};
/* Splits at commas what stands between tokens `open` and `close`. The number of arguments, or more
 * than LS_MAX_ARGUMENTS. () has none. */
size_t ls_arguments(const struct ls_source *src, size_t open, size_t close,
                    struct ls_argument *arguments);
/* Whether nothing but blanks stands in [begin, end). */
bool ls_is_blank(const struct ls_source *src, uint32_t begin, uint32_t end);

/* ---- what is said ---- */
unsigned ls_line_of(struct ls_source *src, uint32_t at);
void ls_warn(struct ls_source *src, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- the parts of the translator ---- */
void ls_mark_excluded(struct ls_source *src); /* conditions.c: sets LS_TOKEN_EXCLUDED */
void ls_headers(struct ls_source *src);       /* headers.c: #include */
void ls_add_runtime_header(struct ls_source *src);
void ls_mark_device(struct ls_source *src); /* device.c: LS_TOKEN_DEVICE, templates of kernels */
bool ls_is_kernel_template(const struct ls_source *src, size_t i);
void ls_launch(struct ls_source *src, size_t i); /* launch.c: <<< at i */
void ls_half2(struct ls_source *src);            /* half2.c: by declarations in the file */
void ls_half2_known(struct ls_source *src);      /* by what a compiler knows */
/* calls.c: to be called once, behind ls_names_init. Whether there is something for ls_call to do.
 */
bool ls_calls_init(void);
bool ls_has_call(const struct ls_name *name);
/* Argument lists; the function's other name, if the number of arguments gives it one. */
const char *ls_call(struct ls_source *src, size_t i);

#endif
