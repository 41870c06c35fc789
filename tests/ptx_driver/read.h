/* SPDX-License-Identifier: MIT */
/* Reading PTX: words of a text, memory that lives as long as the module, and what is wrong. */
#ifndef PTX_DRIVER_READ_H
#define PTX_DRIVER_READ_H

#include <setjmp.h>

#include "ptx_priv.h"

#define N_BUCKETS 256u /* of names */

enum word_kind {
    WORD_END,
    WORD_NAME,
    WORD_NUMBER,
    WORD_FLOAT,
    WORD_DECIMAL,
    WORD_STRING,
    WORD_MARK
};

struct word {
    enum word_kind kind;
    const char *text; /* in the module's text; not ended by a NUL */
    size_t n;
    uint64_t number; /* or the bits of a floating-point one */
    uint8_t bits;    /* of WORD_FLOAT */
    uint32_t line;
};

struct symbol {
    struct symbol *next;
    const char *name;
    uint32_t scope;
    enum { SYMBOL_REGISTER, SYMBOL_FRAME, SYMBOL_ARGS, SYMBOL_LABEL, SYMBOL_CALL } kind;
    uint32_t value; /* a register, a place in the frame or in the arguments, an instruction */
    uint32_t bytes;
    bool is_local;         /* of the frame: .local, not .param */
    struct ptx_call *call; /* what a prototype says */
};

/* A branch whose label has not come yet. */
struct later {
    struct later *next;
    uint32_t insn, scope;
    struct word label;
};

struct reader {
    struct ptx_module *m;
    jmp_buf failed;
    char *log;
    const char *at;
    uint32_t line;
    struct word word; /* the one that is looked at */
    /* of the function that is read */
    struct ptx_function *fn;
    struct symbol *symbols[N_BUCKETS];
    struct later *later;
    uint32_t scope, n_scopes, scope_room, *parents; /* a scope's, by its number */
    uint32_t insn_room, constant_room, slot_room;
    int32_t source; /* of what follows: index + 1 */
};

void *ptx_keep(struct ptx_module *m, size_t bytes);
const char *ptx_keep_text(struct reader *r, const struct word *w);
_Noreturn void ptx_refuse(struct reader *r, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* words.c */
void ptx_next(struct reader *r);
bool ptx_is(const struct reader *r, const char *text);
/* Takes the word if it is this one. */
bool ptx_take(struct reader *r, const char *text);
void ptx_want(struct reader *r, const char *text);
bool ptx_same(const struct word *w, const char *text);

/* module.c */
struct ptx_function *ptx_function_named(struct reader *r, const struct word *w);
struct ptx_variable *ptx_variable_named(struct reader *r, const struct word *w);
void ptx_read_variable(struct reader *r, enum ptx_space space);
/* ".align 8 .b8 name[16]": what a parameter or a variable is, and its bytes. */
struct word ptx_read_shape(struct reader *r, uint32_t *bytes, uint32_t *align, enum ptx_type *type);
enum ptx_type ptx_type_of(const char *text, size_t n);
uint32_t ptx_place(uint32_t *end, uint32_t bytes, uint32_t align);
void ptx_read_location(struct reader *r);

/* body.c: from the brace on */
void ptx_read_body(struct reader *r, struct ptx_function *fn);
void ptx_declare(struct reader *r, struct symbol s);
void ptx_read_call_shape(struct reader *r, struct ptx_call *call, bool names);

#endif
