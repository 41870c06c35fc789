/* SPDX-License-Identifier: MIT */
/* asm statements in preprocessed C++: found by its tokens, their text and operands read, and those
 * of PTX replaced. All else stays as it is, line ends too, so that messages name the right lines.
 */
#include "ptx.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ASM_OPERANDS = 96, MAX_FILES = 4096 };

struct span {
    const char *at;
    size_t n;
};

struct operand {
    struct span name, constraint, expression;
    char joined[16]; /* a constraint of several strings */
    bool is_output;
};

struct statement {
    struct ls_buf text; /* of the template, without C++'s escapes */
    struct operand operand[MAX_ASM_OPERANDS];
    unsigned n_operands;
    bool has_operands, clobbers_memory, has_qualifier, is_volatile;
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* ---- C++'s tokens ---- */

static const char *
skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) {
        at++;
        if (at[-1] == '\n' && at < end && *at == '#') { /* a line marker or a pragma */
            while (at < end && *at != '\n')
                at++;
        }
    }
    return at;
}

/* Behind the quoted text that starts at `at`. */
static const char *
skip_quoted(const char *at, const char *end)
{
    char quote = *at++;

    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* R"x( ... )x": behind it, at its quote; `inner` is what is between. */
static const char *
skip_raw(const char *at, const char *end, struct span *inner)
{
    const char *open = memchr(at, '(', (size_t)(end - at));
    size_t n = open ? (size_t)(open - at - 1) : 0;

    if (!open || n > 16)
        return skip_quoted(at, end);
    for (const char *c = open + 1; c + n + 1 < end; c++)
        if (*c == ')' && !memcmp(c + 1, at + 1, n) && c[n + 1] == '"') {
            *inner = (struct span){open + 1, (size_t)(c - open - 1)};
            return c + n + 2;
        }
    return end;
}

/* Behind the token or blank at `at`: a word, a quoted text, or one character. */
static const char *
skip_token(const char *at, const char *end)
{
    struct span inner;
    const char *from = at;

    if (*at == '"' || *at == '\'')
        return skip_quoted(at, end);
    if (isdigit((unsigned char)*at)) { /* with C++14's 1'000 */
        while (at < end &&
               (is_word(*at) || *at == '.' || (*at == '\'' && at + 1 < end && is_word(at[1]))))
            at++;
        return at;
    }
    if (!is_word(*at))
        return at + 1;
    while (at < end && is_word(*at))
        at++;
    if (at < end && *at == '"' && at[-1] == 'R' && at - from <= 3)
        return skip_raw(at, end, &inner);
    return at;
}

const char *
ls_cxx_skip(const char *at, const char *end)
{
    const char *close = NULL;

    if (*at != '/' || at + 1 == end || (at[1] != '/' && at[1] != '*'))
        return skip_token(at, end);
    if (at[1] == '/')
        close = memchr(at, '\n', (size_t)(end - at));
    else if (end - at > 3 && (close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2)) != NULL)
        close += 2;
    return close ? close : end;
}

/* Behind the expression at `at`: at the ')' or ',' that ends it. */
static const char *
skip_expression(const char *at, const char *end)
{
    int depth = 0;

    while (at < end) {
        if (strchr("([{", *at))
            depth++;
        else if (strchr(")]}", *at) && depth-- == 0)
            return at;
        at = skip_token(at, end);
    }
    return end;
}

/* ---- One statement ---- */

static void
add_escaped(struct ls_buf *out, const char *at, const char *end)
{
    static const char from[] = "ntrvfab", to[] = "\n\t\r\v\f\a\b";

    while (at < end) {
        const char *which;

        if (*at != '\\' || at + 1 == end) {
            ls_buf_add(out, at++, 1);
            continue;
        }
        at++;
        if (*at == '\n')
            ;
        else if ((which = strchr(from, *at)) != NULL)
            ls_buf_add(out, &to[which - from], 1);
        else
            ls_buf_add(out, at, 1);
        at++;
    }
}

/* Adjacent string literals; NULL: there is something else. */
static const char *
read_strings(const char *at, const char *end, struct ls_buf *out)
{
    bool any = false;

    for (;; any = true) {
        at = skip_blanks(at, end);
        if (at < end && *at == '"') {
            const char *from = at + 1;

            at = skip_quoted(at, end);
            add_escaped(out, from, at - 1);
        } else if (at + 1 < end && *at == 'R' && at[1] == '"') {
            struct span inner = {at, 0};

            at = skip_raw(at + 1, end, &inner);
            ls_buf_add(out, inner.at, inner.n);
        } else {
            return any ? at : NULL;
        }
    }
}

/* [name] "constraint" (expression) */
static const char *
read_operand(struct statement *s, const char *at, const char *end, bool is_output)
{
    struct operand *o = &s->operand[s->n_operands];

    if (s->n_operands == MAX_ASM_OPERANDS)
        return NULL;
    memset(o, 0, sizeof(*o));
    o->is_output = is_output;
    if (*at == '[') {
        const char *from = skip_blanks(at + 1, end), *stop = from;

        while (stop < end && is_word(*stop))
            stop++;
        o->name = (struct span){from, (size_t)(stop - from)};
        at = skip_blanks(stop, end);
        if (at == end || *at != ']')
            return NULL;
        at = skip_blanks(at + 1, end);
    }
    if (at == end || *at != '"')
        return NULL;
    const char *from = at + 1;
    at = skip_quoted(at, end);
    o->constraint = (struct span){from, (size_t)(at - 1 - from)};
    at = skip_blanks(at, end);
    while (at < end && *at == '"') { /* "=" "r" */
        size_t n = o->constraint.n;

        from = at + 1;
        at = skip_quoted(at, end);
        if (n + (size_t)(at - 1 - from) > sizeof(o->joined))
            return NULL;
        memmove(o->joined, o->constraint.at, n);
        memcpy(o->joined + n, from, (size_t)(at - 1 - from));
        o->constraint = (struct span){o->joined, n + (size_t)(at - 1 - from)};
        at = skip_blanks(at, end);
    }
    if (at == end || *at != '(')
        return NULL;
    from = ++at;
    while (at < end && *at == ',') /* no expression starts so */
        return NULL;
    for (at = skip_expression(at, end); at < end && *at == ','; at = skip_expression(at + 1, end))
        ;
    if (at == end || *at != ')')
        return NULL;
    o->expression = (struct span){from, (size_t)(at - from)};
    s->n_operands++;
    return skip_blanks(at + 1, end);
}

/* The parts behind the text; at the closing parenthesis. NULL: it is of a form that is not read. */
static const char *
read_parts(struct statement *s, const char *at, const char *end)
{
    for (int part = 0; at < end && *at == ':'; part++) {
        s->has_operands = true;
        at = skip_blanks(at + 1, end);
        while (at < end && *at != ':' && *at != ')') {
            if (part < 2) {
                at = read_operand(s, at, end, part == 0);
            } else {
                struct ls_buf clobber = {0};

                at = read_strings(at, end, &clobber);
                s->clobbers_memory |= clobber.n == 6 && !memcmp(clobber.data, "memory", 6);
                free(clobber.data);
            }
            if (!at)
                return NULL;
            if (at < end && *at == ',')
                at = skip_blanks(at + 1, end);
        }
    }
    return at < end && *at == ')' ? at : NULL;
}

/* Reads what is behind "asm": behind its ')', or NULL. */
static const char *
read_statement(struct statement *s, const char *at, const char *end)
{
    static const char *const qualifiers[] = {"volatile", "__volatile__", "__volatile",
                                             "inline",   "__inline__",   "__inline"};

    memset(s, 0, sizeof(*s));
    for (at = skip_blanks(at, end); at < end && is_word(*at); at = skip_blanks(at, end)) {
        const char *from = at;
        bool known = false;

        at = skip_token(at, end);
        for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
            known |= strlen(qualifiers[i]) == (size_t)(at - from) &&
                     !strncmp(qualifiers[i], from, (size_t)(at - from));
        if (!known)
            return NULL;
        s->has_qualifier = true;
        s->is_volatile |= memchr(from, 'v', (size_t)(at - from)) != NULL;
    }
    if (at == end || *at != '(' || !(at = read_strings(at + 1, end, &s->text)) ||
        !(at = read_parts(s, at, end)))
        return NULL;
    return at + 1;
}

/* Whether all constraints are those of PTX. */
static bool
has_ptx_constraints(const struct statement *s)
{
    for (unsigned i = 0; i < s->n_operands; i++)
        for (size_t k = 0; k < s->operand[i].constraint.n; k++)
            if (!strchr("=+&rlfdhqnC0123456789", s->operand[i].constraint.at[k]))
                return false;
    return true;
}

static bool
is_ptx(const struct statement *s, char before)
{
    bool blank = true;

    for (size_t i = 0; i < s->text.n; i++)
        blank &= isspace((unsigned char)s->text.data[i]) != 0;
    if (!has_ptx_constraints(s))
        return false;
    if (blank)
        return s->n_operands > 0;
    if (s->n_operands) {
        const char *words = memmem(s->text.data, s->text.n, ".", 1);

        return words || ls_ptx_is_one(&s->text);
    }
    /* not the name of a function: int f() asm("exit"); */
    return ls_ptx_is_one(&s->text) &&
           (s->has_qualifier || s->has_operands || memchr(s->text.data, ';', s->text.n) ||
            strchr(";{}", before));
}

/* ---- What takes its place ---- */

static void
add_text(struct ls_buf *out, const char *text)
{
    ls_buf_add(out, text, strlen(text));
}

/* An expression in one line. */
static void
add_expression(struct ls_buf *out, struct span e)
{
    const char *end = e.at + e.n;

    for (const char *at = e.at; at < end;) {
        if (*at == '\n') {
            const char *next = skip_blanks(at, end);

            add_text(out, " ");
            at = next;
            continue;
        }
        ls_buf_add(out, at++, 1);
    }
}

/* %1, %[name], %=, %% as ptx.c reads them; in a statement without operands % is itself. */
static void
add_template(struct ls_buf *out, const struct statement *s, unsigned serial)
{
    const char *at = s->text.data, *end = at + s->text.n;

    while (at < end) {
        char number[16];

        if (*at != '%' || at + 1 == end || !s->has_operands) {
            ls_buf_add(out, at++, 1);
            continue;
        }
        at++;
        if (isdigit((unsigned char)*at)) {
            char *stop;
            unsigned long n = strtoul(at, &stop, 10);

            snprintf(number, sizeof(number), "%c%lu", LS_PTX_OPERAND, n < s->n_operands ? n : 9999);
            add_text(out, number);
            at = stop;
        } else if (*at == '[') {
            const char *close = memchr(at, ']', (size_t)(end - at));
            unsigned which = 9999;

            for (unsigned i = 0; close && i < s->n_operands; i++)
                if (s->operand[i].name.n == (size_t)(close - at - 1) &&
                    !memcmp(s->operand[i].name.at, at + 1, s->operand[i].name.n))
                    which = i;
            snprintf(number, sizeof(number), "%c%u", LS_PTX_OPERAND, which);
            add_text(out, number);
            at = close ? close + 1 : end;
        } else if (*at == '=') {
            snprintf(number, sizeof(number), "%u", serial);
            add_text(out, number);
            at++;
        } else {
            ls_buf_add(out, *at == '%' ? "%" : at, 1);
            at++;
        }
    }
}

static bool
reads_too(const struct operand *o)
{
    return o->is_output && memchr(o->constraint.at, '+', o->constraint.n);
}

/* A number that PTX has as text, so with its sign in all sizes. */
static bool
is_number(const struct operand *o)
{
    return o->constraint.n == 1 && *o->constraint.at == 'n';
}

static void
replace(struct ls_buf *out, const struct statement *s, unsigned serial, struct ls_ptx_carry *carry)
{
    struct ls_buf text = {0};
    char line[64];

    add_text(out, "do { ");
    if (s->clobbers_memory)
        add_text(out, "__atomic_signal_fence(__ATOMIC_SEQ_CST); ");
    for (unsigned i = 0; i < s->n_operands; i++) {
        const struct operand *o = &s->operand[i];
        bool tied = !o->is_output && o->constraint.n && isdigit((unsigned char)*o->constraint.at);

        if (o->is_output) {
            snprintf(line, sizeof(line), "auto &ls_p%u = (", i);
            add_text(out, line);
            add_expression(out, o->expression);
            snprintf(line, sizeof(line), "); ls_ptx::plain_t<__typeof__(ls_p%u)> ls_o%u", i, i);
            add_text(out, line);
            snprintf(line, sizeof(line), reads_too(o) ? " = ls_p%u" : "{}", i);
            add_text(out, line);
        } else {
            snprintf(line, sizeof(line), "const %s ls_o%u = (", is_number(o) ? "long long" : "auto",
                     i);
            add_text(out, line);
            add_expression(out, o->expression);
            add_text(out, ")");
        }
        snprintf(line, sizeof(line), "; (void)ls_o%u; ", i);
        add_text(out, line);
        if (tied) {
            snprintf(line, sizeof(line), "ls_ptx::put(ls_o%lu, ls_o%u); ",
                     strtoul(o->constraint.at, NULL, 10), i);
            add_text(out, line);
        }
    }
    add_template(&text, s, serial);
    add_text(out, "{ ");
    ls_ptx_statements(&text, s->is_volatile, carry, out);
    add_text(out, " } ");
    for (unsigned i = 0; i < s->n_operands; i++)
        if (s->operand[i].is_output) {
            snprintf(line, sizeof(line), "ls_p%u = ls_o%u; ", i, i);
            add_text(out, line);
        }
    if (s->clobbers_memory)
        add_text(out, "__atomic_signal_fence(__ATOMIC_SEQ_CST); ");
    add_text(out, "} while (0)");
    free(text.data);
}

/* The line ends and line markers of what was replaced. */
static void
add_lines(struct ls_buf *out, const char *at, const char *end)
{
    while (at < end) {
        if (*at++ != '\n')
            continue;
        add_text(out, "\n");
        if (at < end && *at == '#') {
            const char *stop = memchr(at, '\n', (size_t)(end - at));

            stop = stop ? stop : end;
            ls_buf_add(out, at, (size_t)(stop - at));
            at = stop;
        }
    }
}

static bool
is_asm(const char *at, size_t n)
{
    return (n == 3 && !memcmp(at, "asm", 3)) || (n == 7 && !memcmp(at, "__asm__", 7)) ||
           (n == 5 && !memcmp(at, "__asm", 5));
}

static void
rewrite(const struct ls_buf *in, struct ls_buf *out, struct ls_ptx_carry *carry)
{
    const char *at = in->data, *end = at + in->n;
    char before = ';';
    unsigned serial = 0;
    struct statement s;

    while (at < end) {
        const char *from = at, *behind;

        if (*at == '#' && (at == in->data || at[-1] == '\n')) { /* to the line's end */
            at = memchr(at, '\n', (size_t)(end - at));
            at = at ? at : end;
        } else {
            at = skip_token(at, end);
        }
        if (is_asm(from, (size_t)(at - from)) && (behind = read_statement(&s, at, end)) != NULL) {
            if (is_ptx(&s, before)) {
                replace(out, &s, serial++, carry);
                add_lines(out, from, behind);
                from = at = behind;
            }
            free(s.text.data);
        } else if (is_asm(from, (size_t)(at - from))) {
            free(s.text.data);
        }
        ls_buf_add(out, from, (size_t)(at - from));
        if (!isspace((unsigned char)at[-1]) && *from != '#')
            before = at[-1];
    }
}

void
ls_asm_rewrite(const struct ls_buf *in, struct ls_buf *out)
{
    struct ls_ptx_carry carry = {0};
    size_t from = out->n;

    rewrite(in, out, &carry);
    if (!carry.is_taken || !carry.is_made)
        return;
    carry.is_kept = true;
    out->n = from;
    rewrite(in, out, &carry);
}

/* ---- Whether there is any ---- */

struct search {
    const struct ls_strv *options;
    bool (*look)(const char *path, const struct ls_buf *text, void *data);
    void *data;
    struct ls_strv seen;
};

static bool search_file(struct search *s, const char *path);

/* A file that an #include names: beside the one that includes it, or in a folder of the options. */
static bool
search_included(struct search *s, const char *includer, struct span name, bool quoted)
{
    char *path = ls_hipcc_format("%.*s%.*s", (int)(ls_path_base(includer) - includer), includer,
                                 (int)name.n, name.at);
    bool found = quoted && ls_file_exists(path), used = found && search_file(s, path);

    free(path);
    for (size_t i = 0; !found && !used && i < s->options->n; i++) {
        const char *word = s->options->v[i], *folder = NULL;

        if (!strncmp(word, "-I", 2))
            folder = word[2] ? word + 2 : s->options->v[i + 1];
        else if (!strcmp(word, "-isystem") || !strcmp(word, "-iquote") ||
                 !strcmp(word, "-idirafter"))
            folder = s->options->v[i + 1];
        if (!folder)
            continue;
        path = ls_hipcc_format("%s/%.*s", folder, (int)name.n, name.at);
        found = ls_file_exists(path);
        used = found && search_file(s, path);
        free(path);
    }
    return used;
}

static bool
search_includes(struct search *s, const char *path, const struct ls_buf *text)
{
    const char *at = text->data, *end = at + text->n;

    for (; (at = memchr(at, '#', (size_t)(end - at))) != NULL; at++) {
        const char *word = at + 1;

        while (word < end && (*word == ' ' || *word == '\t'))
            word++;
        if (end - word < 8 || memcmp(word, "include", 7) != 0)
            continue;
        for (word += 7; word < end && (*word == ' ' || *word == '\t');)
            word++;
        if (word == end || (*word != '"' && *word != '<'))
            continue;
        const char *close = memchr(word + 1, *word == '<' ? '>' : '"', (size_t)(end - word - 1));
        if (close && close - word < 512 &&
            search_included(s, path, (struct span){word + 1, (size_t)(close - word - 1)},
                            *word == '"'))
            return true;
    }
    return false;
}

static bool
search_file(struct search *s, const char *path)
{
    struct ls_buf text = {0};
    bool used;

    if (ls_strv_has(&s->seen, path) || s->seen.n >= MAX_FILES)
        return false;
    ls_strv_push(&s->seen, path);
    if (!ls_buf_read(&text, path))
        return false;
    used = text.n && (s->look(path, &text, s->data) || search_includes(s, path, &text));
    free(text.data);
    return used;
}

bool
ls_cxx_search(const struct ls_strv *options, const char *source,
              bool (*look)(const char *path, const struct ls_buf *text, void *data), void *data)
{
    struct search s = {.options = options, .look = look, .data = data};

    return search_file(&s, source);
}

static bool
has_asm(const char *path, const struct ls_buf *text, void *data)
{
    const char *at = text->data, *end = at + text->n;

    (void)path;
    (void)data;
    for (; at < end; at++)
        if ((*at == 'a' || *at == '_') && (at == text->data || !is_word(at[-1]))) {
            const char *from = at;

            while (at < end && is_word(*at))
                at++;
            if (is_asm(from, (size_t)(at - from)))
                return true;
        }
    return false;
}

bool
ls_asm_is_used(const struct ls_strv *options, const char *source)
{
    return ls_cxx_search(options, source, has_asm, NULL);
}
