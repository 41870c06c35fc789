/* SPDX-License-Identifier: MIT */
/* What notes.c and values.c share: variables of a function and where comments speak of them. */
#ifndef LS_IR_NOTES_PRIV_H
#define LS_IR_NOTES_PRIV_H

#include "base/notation.h"
#include "compiler/ir/checks_priv.h"

struct ls_notes_variable {
    LLVMMetadataRef node;
    const char *name, *type;
    unsigned line, bytes; /* bytes 0: unknown, or too many */
    LLVMValueRef place;   /* an alloca, where it lies in memory; NULL: it has values */
};

/* A function's code, as it was inlined somewhere. */
struct ls_notes_frame {
    LLVMMetadataRef function, inlined_at;
    const char *path;
    const struct ls_notation_file *source;
    unsigned first, last; /* lines */
    struct ls_notes_variable *variables;
    unsigned n_variables;
};

/* What a comment is about. */
struct ls_notes_subject {
    const struct ls_notes_variable *variables[64];
    unsigned n;
    bool is_behind; /* they are declared behind the comment */
};

struct ls_notes {
    struct ls_cc *cc;
    LLVMBuilderRef b;
    LLVMValueRef fn;
    struct source *sources;
    struct ls_notes_frame *frames;
    unsigned n_frames;
};

const char *ls_notes_string(struct ls_cc *cc, LLVMMetadataRef node, unsigned i);
const char *ls_notes_path(struct ls_cc *cc, LLVMMetadataRef function);
/* What a call of llvm.dbg is about; NULL: of no value, or of several. */
LLVMValueRef ls_notes_value(LLVMValueRef call);
LLVMMetadataRef ls_notes_function_of(struct ls_cc *cc, LLVMMetadataRef scope);
/* The line of an instruction as seen in a frame: that of a call, if it was inlined there. 0: it is
 * none of this frame's. */
unsigned ls_notes_line_in(struct ls_cc *cc, LLVMValueRef inst, const struct ls_notes_frame *f);

struct ls_note *ls_notes_add(struct ls_cc *cc, unsigned n_bytes);
/* The mark, where the builder stands. */
void ls_notes_call(struct ls_notes *p, const struct ls_notes_frame *f, struct ls_note *note,
                   const char *trace, LLVMValueRef *args, unsigned n);

enum ls_notes_when {
    LS_NOTES_AT_LINE,  /* where code up to a line is left for code behind it */
    LS_NOTES_AT_FIRST, /* where all variables have got their first values */
    LS_NOTES_AT_LAST,  /* where they have got their last ones */
};
/* What the runtime reads of a comment: a line for each fact, its name in front. c: NULL, of no
 * assignment; problem: NULL, none. */
const char *ls_notes_describe(struct ls_notes *p, const struct ls_notes_frame *f,
                              const struct ls_notation_comment *c, const struct ls_notes_subject *s,
                              const char *problem, unsigned line);
const char *ls_notes_trace(struct ls_notes *p, const struct ls_notes_frame *f, unsigned line);
void ls_notes_mark_entry(struct ls_notes *p, const struct ls_notes_frame *f, const char *text,
                         unsigned line);
unsigned ls_notes_type_bytes(struct ls_cc *cc, LLVMMetadataRef type, const char **name);

/* views.c: marks the offsets that comments of a function describe, and what is read through such
 * pointers. */
void ls_notes_mark_views(struct ls_notes *p, const struct ls_notes_frame *f);

/* values.c: marks each place that is meant, with the variables' values there. Returns how many
 * marks were made. *is_unsure: none, as it is not known what was assigned in front of the line. */
unsigned ls_notes_mark_values(struct ls_notes *p, const struct ls_notes_frame *f,
                              const struct ls_notes_subject *s, unsigned line,
                              enum ls_notes_when when, const char *text, const char *trace,
                              bool *is_unsure);

#endif
