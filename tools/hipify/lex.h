/* SPDX-License-Identifier: MIT */
/* Tokens of C++ and CUDA. Any bytes make tokens: the lexer has no errors, so that every byte can be
 * kept. Comments and blanks are between tokens. */
#ifndef LS_HIPIFY_LEX_H
#define LS_HIPIFY_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a token is. One character of punctuation is itself; these have no character. */
enum ls_token_kind {
    LS_TOKEN_NAME = 128,
    LS_TOKEN_NUMBER,
    LS_TOKEN_STRING,     /* "...", with its prefix */
    LS_TOKEN_RAW_STRING, /* R"x(...)x", with its prefix */
    LS_TOKEN_CHARACTER,
    LS_TOKEN_HEADER,        /* <...> behind #include */
    LS_TOKEN_SCOPE,         /* :: */
    LS_TOKEN_ARROW,         /* -> */
    LS_TOKEN_LAUNCH,        /* <<< */
    LS_TOKEN_LAUNCH_END,    /* >>> */
    LS_TOKEN_DIRECTIVE_END, /* of no bytes, behind the last token of a directive */
    LS_TOKEN_END            /* of no bytes, behind all */
};

enum {
    LS_TOKEN_FIRST = 1,     /* on its line */
    LS_TOKEN_DIRECTIVE = 2, /* in a preprocessor directive, its # and its end included */
    LS_TOKEN_SPLICED = 4,   /* with a line continuation in it */
    LS_TOKEN_EXCLUDED = 8,  /* in a block that the preprocessor skips */
    LS_TOKEN_DEVICE = 16    /* in a function for the device */
};

struct ls_token {
    uint32_t at, bytes;
    uint8_t kind, flags;
};

#define LS_SOURCE_MAX_BYTES (1u << 30)

struct ls_tokens {
    struct ls_token *v; /* owned; the last is LS_TOKEN_END */
    size_t n;
};

/* text[bytes] must be 0; at most LS_SOURCE_MAX_BYTES. false: no memory. */
bool ls_lex(const char *text, size_t bytes, struct ls_tokens *out);
void ls_tokens_free(struct ls_tokens *tokens);

/* Whether c may stand in a name. */
bool ls_is_name_character(char c);

#endif
