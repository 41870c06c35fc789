/* SPDX-License-Identifier: MIT */
/* Which blocks the preprocessor skips, as far as a file alone tells: macros are those of -D, of the
 * file itself and the versions of CUDA's libraries; others are not defined. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    long long value;
} versions[] = {
#define LS_VERSION(macro, value) {#macro, value},
#include "versions.def"
#undef LS_VERSION
    {"__cplusplus", 201703}, {"__linux__", 1}, {"__x86_64__", 1}, {"__LP64__", 1}, {"__GNUC__", 12},
};

struct macro {
    const char *name, *value; /* of value what stands up to the line's end or a 0 */
    size_t name_bytes, value_bytes;
    bool undefined;
};

enum { MAX_DEPTH = 256, MAX_EXPANSIONS = 16, MAX_NESTED = 1000 };
/* A macro may name another twice, that one a third twice, and so on: a source's conditions are
 * worked out by reading so many bytes of macros at most for each of its own; then names are 0. */
enum { EXPANDED_BYTES = 16, EXPANDED_AT_LEAST = 1 << 20 };

struct level {
    bool outer, active, taken; /* outer: whether the block around it is active */
};

struct limits {
    uint64_t bytes;  /* of macros that may still be read */
    unsigned nested; /* operands within operands now */
};

struct conditions {
    struct ls_source *src;
    struct macro *macros;
    size_t n, cap;
    struct level levels[MAX_DEPTH];
    size_t depth, too_deep;
    struct limits limits;
};

static void
define(struct conditions *c, const char *name, size_t name_bytes, const char *value,
       size_t value_bytes, bool undefined)
{
    if (c->n == c->cap) {
        size_t cap = c->cap ? 2 * c->cap : 32;
        struct macro *v = realloc(c->macros, cap * sizeof(*v));

        if (!v) {
            c->src->failed = true;
            return;
        }
        c->macros = v;
        c->cap = cap;
    }
    c->macros[c->n++] = (struct macro){name, value, name_bytes, value_bytes, undefined};
}

static const struct macro *
find(const struct conditions *c, const char *name, size_t bytes)
{
    for (size_t i = c->n; i-- > 0;)
        if (c->macros[i].name_bytes == bytes && !memcmp(c->macros[i].name, name, bytes))
            return c->macros[i].undefined ? NULL : &c->macros[i];
    return NULL;
}

static bool
find_version(const char *name, size_t bytes, long long *value)
{
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
        if (strlen(versions[i].name) == bytes && !memcmp(versions[i].name, name, bytes)) {
            *value = versions[i].value;
            return true;
        }
    return false;
}

static bool
is_undefined(const struct conditions *c, const char *name, size_t bytes)
{
    for (size_t i = c->n; i-- > 0;)
        if (c->macros[i].name_bytes == bytes && !memcmp(c->macros[i].name, name, bytes))
            return c->macros[i].undefined;
    return false;
}

static bool
is_defined(const struct conditions *c, const char *name, size_t bytes)
{
    long long value;

    return find(c, name, bytes) ||
           (find_version(name, bytes, &value) && !is_undefined(c, name, bytes));
}

/* ---- expressions ---- */

struct expression {
    const struct conditions *c;
    const char *text;
    const struct ls_token *t, *end;
    unsigned expansions;
    struct limits *limits;
};

static long long binary(struct expression *e, unsigned level);

static long long
evaluate_text(const struct expression *outer, const char *text, size_t bytes)
{
    struct ls_tokens tokens;
    long long value = 0;
    char *copy;

    if (outer->limits->bytes < bytes + 1)
        return 0;
    outer->limits->bytes -= bytes + 1;
    copy = strndup(text, bytes);
    if (!copy)
        return 0;
    if (ls_lex(copy, strlen(copy), &tokens)) {
        struct expression e = {outer->c, copy, tokens.v, tokens.v + tokens.n - 1,
                               outer->expansions + 1, outer->limits};

        value = tokens.n > 1 ? binary(&e, 0) : 0;
        ls_tokens_free(&tokens);
    }
    free(copy);
    return value;
}

static bool
is_operator(const struct expression *e, const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++)
        if (e->t + i >= e->end || e->t[i].kind != (unsigned char)text[i] ||
            (i && e->t[i].at != e->t[i - 1].at + 1))
            return false;
    return true;
}

static long long
name_value(struct expression *e)
{
    const char *name = e->text + e->t->at;
    size_t bytes = e->t->bytes;
    const struct macro *m;
    long long value;

    e->t++;
    if (bytes == 4 && !memcmp(name, "true", 4))
        return 1;
    if (bytes == 7 && !memcmp(name, "defined", 7)) {
        bool bracket = is_operator(e, "(");

        e->t += bracket;
        if (e->t >= e->end)
            return 0;
        value = is_defined(e->c, e->text + e->t->at, e->t->bytes);
        e->t += 1 + bracket;
        return value;
    }
    m = find(e->c, name, bytes);
    if (m)
        return e->expansions < MAX_EXPANSIONS ? evaluate_text(e, m->value, m->value_bytes) : 0;
    return find_version(name, bytes, &value) && !is_undefined(e->c, name, bytes) ? value : 0;
}

static long long primary(struct expression *e);

static long long
operand(struct expression *e)
{
    long long value = 0;

    if (e->t >= e->end)
        return 0;
    if (is_operator(e, "!")) {
        e->t++;
        return !primary(e);
    }
    if (is_operator(e, "-") || is_operator(e, "~") || is_operator(e, "+")) {
        unsigned sign = (e->t++)->kind;

        value = primary(e);
        return sign == '-'   ? (long long)(0 - (unsigned long long)value)
               : sign == '~' ? ~value
                             : value;
    }
    if (is_operator(e, "(")) {
        e->t++;
        value = binary(e, 0);
        e->t += is_operator(e, ")");
        return value;
    }
    if (e->t->kind == LS_TOKEN_NAME)
        return name_value(e);
    if (e->t->kind == LS_TOKEN_NUMBER)
        value = strtoll(e->text + e->t->at, NULL, 0);
    e->t++;
    return value;
}

static long long
primary(struct expression *e)
{
    long long value = 0;

    if (e->limits->nested < MAX_NESTED) {
        e->limits->nested++;
        value = operand(e);
        e->limits->nested--;
    } else {
        e->t = e->end; /* given up */
    }
    return value;
}

/* From those that bind least; longer ones before those that they begin with. */
static const struct {
    const char *text;
    unsigned level;
} operators[] = {{"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<=", 6}, {">=", 6},
                 {"<<", 7}, {">>", 7}, {"<", 6},  {">", 6},  {"|", 2},  {"^", 3},
                 {"&", 4},  {"+", 8},  {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9}};

static long long
apply(const char *operator, long long a, long long b)
{
    unsigned long long x = (unsigned long long)a, y = (unsigned long long)b;
    bool is_double = operator[1] != 0;

    switch (*operator) {
    case '|':
        return is_double ? a || b : a | b;
    case '&':
        return is_double ? a && b : a & b;
    case '^':
        return a ^ b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        if (operator[1] == '<')
            return (long long)(x << (y & 63));
        return is_double ? a <= b : a < b;
    case '>':
        if (operator[1] == '>')
            return a >> (y & 63);
        return is_double ? a >= b : a > b;
    case '+':
        return (long long)(x + y);
    case '-':
        return (long long)(x - y);
    case '*':
        return (long long)(x * y);
    case '/':
        return b && b != -1 ? a / b : 0;
    default:
        return b && b != -1 ? a % b : 0;
    }
}

static long long
binary(struct expression *e, unsigned level)
{
    long long value = primary(e);

    for (;;) {
        size_t i = 0;

        while (i < sizeof(operators) / sizeof(*operators) && !is_operator(e, operators[i].text))
            i++;
        if (i == sizeof(operators) / sizeof(*operators) || operators[i].level < level)
            return value;
        e->t += strlen(operators[i].text);
        value = apply(operators[i].text, value, binary(e, operators[i].level + 1));
    }
}

/* ---- directives ---- */

static void
open_level(struct conditions *c, bool active, bool condition)
{
    if (c->depth == MAX_DEPTH) {
        c->too_deep++;
        return;
    }
    c->levels[c->depth++] = (struct level){active, condition, condition};
}

static void
next_branch(struct conditions *c, bool condition)
{
    struct level *l = &c->levels[c->depth - 1];

    l->active = !l->taken && condition;
    l->taken |= l->active;
}

static bool
is_active(const struct conditions *c)
{
    const struct level *l = c->depth ? &c->levels[c->depth - 1] : NULL;

    return !l || (l->outer && l->active);
}

/* Directive: its # is token i, its end token end. */
static void
directive(struct conditions *c, size_t i, size_t end)
{
    const struct ls_source *src = c->src;
    const struct ls_token *name = i + 1 < end ? ls_tok(src, i + 1) : NULL;
    const struct ls_token *word = i + 2 < end ? ls_tok(src, i + 2) : NULL;
    const char *text = word ? src->text + word->at : "";
    size_t bytes = word ? word->bytes : 0;
    struct expression e = {c, src->text, src->tokens.v + i + 2, src->tokens.v + end, 0,
                           &c->limits};

    if (!name)
        return;
    if (c->too_deep) {
        c->too_deep -= ls_tok_is(src, i + 1, "endif");
        c->too_deep += name->bytes >= 2 && !memcmp(src->text + name->at, "if", 2);
    } else if (ls_tok_is(src, i + 1, "if")) {
        open_level(c, is_active(c), binary(&e, 0) != 0);
    } else if (ls_tok_is(src, i + 1, "ifdef")) {
        open_level(c, is_active(c), is_defined(c, text, bytes));
    } else if (ls_tok_is(src, i + 1, "ifndef")) {
        open_level(c, is_active(c), !is_defined(c, text, bytes));
    } else if (ls_tok_is(src, i + 1, "elif") && c->depth) {
        next_branch(c, binary(&e, 0) != 0);
    } else if (ls_tok_is(src, i + 1, "else") && c->depth) {
        next_branch(c, true);
    } else if (ls_tok_is(src, i + 1, "endif") && c->depth) {
        c->depth--;
    } else if (is_active(c) && word && ls_tok_is(src, i + 1, "define")) {
        uint32_t at = word->at + word->bytes;

        define(c, text, bytes, src->text + at, ls_tok(src, end)->at - at, false);
    } else if (is_active(c) && word && ls_tok_is(src, i + 1, "undef")) {
        define(c, text, bytes, "", 0, true);
    }
}

void
ls_mark_excluded(struct ls_source *src)
{
    struct conditions *c = calloc(1, sizeof(*c));
    const struct ls_list *defines = &src->opt->defines;

    if (!c) {
        src->failed = true;
        return;
    }
    c->src = src;
    c->limits.bytes = EXPANDED_AT_LEAST + EXPANDED_BYTES * (uint64_t)src->bytes;
    for (size_t i = 0; i < defines->n; i++) {
        const char *equals = strchr(defines->v[i], '=');
        size_t n = equals ? (size_t)(equals - defines->v[i]) : strlen(defines->v[i]);

        define(c, defines->v[i], n, equals ? equals + 1 : "1", equals ? strlen(equals + 1) : 1,
               false);
    }
    for (size_t i = 0; i < src->tokens.n; i++) {
        size_t end = i;

        if (ls_tok(src, i)->kind == '#' && ls_tok(src, i)->flags & LS_TOKEN_DIRECTIVE &&
            ls_tok(src, i)->flags & LS_TOKEN_FIRST) {
            while (ls_tok(src, end)->kind != LS_TOKEN_DIRECTIVE_END)
                end++;
            directive(c, i, end);
        }
        for (; i <= end; i++)
            if (!is_active(c))
                src->tokens.v[i].flags |= LS_TOKEN_EXCLUDED;
        i = end;
    }
    free(c->macros);
    free(c);
}
