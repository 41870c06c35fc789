/* SPDX-License-Identifier: MIT */
/* The lexer. Line continuations are inside of tokens and of blanks, as the language has it. */
#include "lex.h"

#include <stdlib.h>
#include <string.h>

enum { BLANK = 1, NAME = 2, DIGIT = 4, LINE_END = 8 };

static uint8_t classes[256];

static void
classes_init(void)
{
    static const char names[] = "_$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    if (classes['_'])
        return;
    for (const char *p = names; *p; p++)
        classes[(unsigned char)*p] = NAME;
    for (unsigned c = '0'; c <= '9'; c++)
        classes[c] = DIGIT;
    for (unsigned c = 128; c < 256; c++)
        classes[c] = NAME;
    for (const char *p = " \t\v\f\r"; *p; p++)
        classes[(unsigned char)*p] = BLANK;
    classes['\n'] = LINE_END;
}

struct lexer {
    const char *text, *end, *p;
    struct ls_token *v;
    size_t n, cap;
    bool in_directive, failed;
    bool at_line_start;
    bool want_header; /* behind #include */
};

static uint8_t
class_of(char c)
{
    return classes[(unsigned char)c];
}

bool
ls_is_name_character(char c)
{
    classes_init();
    return class_of(c) & (NAME | DIGIT);
}

/* The length of a line continuation at p, or 0. */
static size_t
splice(const char *p)
{
    if (*p != '\\')
        return 0;
    if (p[1] == '\n')
        return 2;
    return p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static void
add(struct lexer *lx, const char *begin, const char *end, unsigned kind, unsigned flags)
{
    if (lx->n == lx->cap) {
        size_t cap = lx->cap ? 2 * lx->cap : 64 + (size_t)(lx->end - lx->text) / 4;
        struct ls_token *v = realloc(lx->v, cap * sizeof(*v));

        if (!v) {
            lx->failed = true;
            return;
        }
        lx->v = v;
        lx->cap = cap;
    }
    lx->v[lx->n++] =
        (struct ls_token){(uint32_t)(begin - lx->text), (uint32_t)(end - begin), (uint8_t)kind,
                          (uint8_t)(flags | (lx->at_line_start ? LS_TOKEN_FIRST : 0) |
                                    (lx->in_directive ? LS_TOKEN_DIRECTIVE : 0))};
    lx->at_line_start = false;
}

static void
end_directive(struct lexer *lx, const char *at)
{
    if (!lx->in_directive)
        return;
    add(lx, at, at, LS_TOKEN_DIRECTIVE_END, 0);
    lx->in_directive = lx->want_header = false;
}

/* Past a comment, if one begins at p. */
static const char *
skip_comment(struct lexer *lx, const char *p)
{
    if (p[1] == '/') {
        while (p < lx->end && *p != '\n')
            p += splice(p) ? splice(p) : 1;
        return p > lx->end ? lx->end : p;
    }
    for (p += 2; p < lx->end; p++) {
        p = memchr(p, '*', (size_t)(lx->end - p));
        if (!p)
            return lx->end;
        if (p[1] == '/')
            return p + 2;
    }
    return lx->end;
}

/* Past the blanks, comments and line ends in front of the next token. */
static void
skip_blanks(struct lexer *lx)
{
    const char *p = lx->p;

    for (;;) {
        unsigned c = class_of(*p);

        if (p >= lx->end)
            break;
        if (c & BLANK) {
            p++;
        } else if (c & LINE_END) {
            end_directive(lx, p);
            lx->at_line_start = true;
            p++;
        } else if (*p == '\\' && splice(p)) {
            p += splice(p);
        } else if (*p == '/' && (p[1] == '/' || p[1] == '*')) {
            p = skip_comment(lx, p);
        } else {
            break;
        }
    }
    lx->p = p < lx->end ? p : lx->end;
}

/* Behind a quoted string, or at the end of its line when it is not closed. */
static const char *
quoted(struct lexer *lx, const char *p, char quote)
{
    for (; p < lx->end; p++) {
        if (*p == quote)
            return p + 1;
        if (*p == '\n')
            return p;
        if (*p == '\\')
            p += splice(p) ? splice(p) - 1 : 1;
    }
    return lx->end;
}

/* Behind a raw string whose quote is at p; NULL: it is none. */
static const char *
raw(struct lexer *lx, const char *p)
{
    const char *open = p + 1;
    char close[20] = ")";
    size_t n;

    while (open < lx->end && open - p <= 17 && !strchr("() \\\n\t\v\f\"", *open))
        open++;
    n = (size_t)(open - p - 1);
    if (*open != '(' || n > 16)
        return NULL;
    memcpy(close + 1, p + 1, n);
    close[n + 1] = '"';
    p = memmem(open, (size_t)(lx->end - open), close, n + 2);
    return p ? p + n + 2 : lx->end;
}

static bool
is_string_prefix(const char *p, size_t n)
{
    static const char *const prefixes[] = {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"};

    for (size_t i = 0; n < 4 && i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (strlen(prefixes[i]) == n && !memcmp(p, prefixes[i], n))
            return true;
    return false;
}

/* A name, or a string or character with the prefix that the name is. */
static void
name(struct lexer *lx)
{
    const char *begin = lx->p, *p = begin, *end;
    unsigned flags = 0;

    for (;;) {
        while (class_of(*p) & (NAME | DIGIT))
            p++;
        if (!splice(p) || !(class_of(p[splice(p)]) & (NAME | DIGIT)))
            break;
        flags = LS_TOKEN_SPLICED;
        p += splice(p);
    }
    if (p > lx->end)
        p = lx->end;
    lx->p = p;
    if ((*p == '"' || *p == '\'') && is_string_prefix(begin, (size_t)(p - begin))) {
        if (*p == '"' && p[-1] == 'R' && (end = raw(lx, p)) != NULL) {
            add(lx, begin, lx->p = end, LS_TOKEN_RAW_STRING, 0);
            return;
        }
        lx->p = quoted(lx, p + 1, *p);
        add(lx, begin, lx->p, *p == '"' ? LS_TOKEN_STRING : LS_TOKEN_CHARACTER, 0);
        return;
    }
    if (lx->in_directive && lx->v[lx->n - 1].kind == '#')
        lx->want_header = (size_t)(p - begin) >= 7 && !memcmp(begin, "include", 7);
    add(lx, begin, p, LS_TOKEN_NAME, flags);
}

/* A number of the preprocessor: digits, letters, dots, quotes between digits, signs behind
 * exponents. */
static void
number(struct lexer *lx)
{
    const char *p = lx->p + 1;

    for (; p < lx->end; p++) {
        if (class_of(*p) & (NAME | DIGIT) || *p == '.')
            continue;
        if (*p == '\'' && class_of(p[1]) & (NAME | DIGIT))
            continue;
        if ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]))
            continue;
        break;
    }
    add(lx, lx->p, p, LS_TOKEN_NUMBER, 0);
    lx->p = p;
}

/* Behind the < of << < that begins a launch; nvcc takes the blank. NULL: it is something else, as
 * operator<< <type>. */
static const char *
spaced_launch(const struct lexer *lx, const char *end)
{
    const struct ls_token *before = lx->n ? &lx->v[lx->n - 1] : NULL;
    const char *p = end;

    while (*p == ' ' || *p == '\t')
        p++;
    if (p == end || *p != '<' || p[1] == '<' || p[1] == '=' ||
        (before && before->bytes == 8 && !memcmp(lx->text + before->at, "operator", 8)))
        return NULL;
    return p + 1;
}

/* A run of < or >: the first three of <, the last three of >, are a launch's. */
static void
angles(struct lexer *lx)
{
    const char *p = lx->p, *end = p;

    while (*end == *p)
        end++;
    if (*p == '<' && end - p == 2 && (end = spaced_launch(lx, p + 2)) != NULL) {
        add(lx, p, end, LS_TOKEN_LAUNCH, 0);
        lx->p = end;
        return;
    }
    end = p + strspn(p, *p == '<' ? "<" : ">");
    if (*p == '<' && end - p >= 3) {
        add(lx, p, p + 3, LS_TOKEN_LAUNCH, 0);
        lx->p = p + 3;
        return;
    }
    for (; end - p > 3; p++)
        add(lx, p, p + 1, '>', 0);
    if (*p == '>' && end - p == 3) {
        add(lx, p, end, LS_TOKEN_LAUNCH_END, 0);
        p = end;
    }
    for (; p < end; p++)
        add(lx, p, p + 1, (unsigned char)*p, 0);
    lx->p = end;
}

static void
punctuation(struct lexer *lx)
{
    const char *p = lx->p;
    unsigned kind = (unsigned char)*p;
    size_t n = 1;

    if (*p == '#' && lx->at_line_start)
        lx->in_directive = true;
    if (*p == ':' && p[1] == ':')
        kind = LS_TOKEN_SCOPE, n = 2;
    else if (*p == '-' && p[1] == '>')
        kind = LS_TOKEN_ARROW, n = 2;
    add(lx, p, p + n, kind, 0);
    lx->p = p + n;
}

static void
token(struct lexer *lx)
{
    const char *p = lx->p, *end;
    unsigned c = class_of(*p);

    if (c & NAME) {
        name(lx);
    } else if (c & DIGIT || (*p == '.' && class_of(p[1]) & DIGIT)) {
        number(lx);
    } else if (*p == '"' || *p == '\'') {
        lx->p = quoted(lx, p + 1, *p);
        add(lx, p, lx->p, *p == '"' ? LS_TOKEN_STRING : LS_TOKEN_CHARACTER, 0);
    } else if (*p == '<' && lx->want_header && (end = quoted(lx, p + 1, '>'))[-1] == '>') {
        add(lx, p, end, LS_TOKEN_HEADER, 0);
        lx->p = end;
    } else if (*p == '<' || *p == '>') {
        angles(lx);
    } else {
        punctuation(lx);
    }
}

bool
ls_lex(const char *text, size_t bytes, struct ls_tokens *out)
{
    struct lexer lx = {.text = text, .end = text + bytes, .p = text, .at_line_start = true};

    classes_init();
    for (;;) {
        skip_blanks(&lx);
        if (lx.p >= lx.end || lx.failed)
            break;
        token(&lx);
    }
    end_directive(&lx, lx.end);
    add(&lx, lx.end, lx.end, LS_TOKEN_END, 0);
    if (lx.failed) {
        free(lx.v);
        return false;
    }
    *out = (struct ls_tokens){lx.v, lx.n};
    return true;
}

void
ls_tokens_free(struct ls_tokens *tokens)
{
    free(tokens->v);
    *tokens = (struct ls_tokens){0};
}
