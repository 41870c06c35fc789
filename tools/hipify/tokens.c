/* SPDX-License-Identifier: MIT */
/* Brackets, arguments and lines in a row of tokens. */
#include "source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
ls_tok_is(const struct ls_source *src, size_t i, const char *text)
{
    const struct ls_token *t = ls_tok(src, i);

    return strlen(text) == t->bytes && !memcmp(src->text + t->at, text, t->bytes);
}

static bool
same_part(const struct ls_source *src, size_t i, size_t j)
{
    return !((ls_tok(src, i)->flags ^ ls_tok(src, j)->flags) & LS_TOKEN_DIRECTIVE);
}

size_t
ls_tok_next(const struct ls_source *src, size_t i)
{
    size_t last = src->tokens.n - 1;

    if (i >= last || ls_tok(src, i)->kind == LS_TOKEN_DIRECTIVE_END)
        return last;
    if (ls_tok(src, i)->flags & LS_TOKEN_DIRECTIVE)
        return ls_tok(src, i + 1)->kind == LS_TOKEN_DIRECTIVE_END ? last : i + 1;
    for (i++; i < last && ls_tok(src, i)->flags & LS_TOKEN_DIRECTIVE; i++)
        ;
    return i;
}

size_t
ls_tok_previous(const struct ls_source *src, size_t i)
{
    for (size_t j = i; j > 0; j--) {
        if (same_part(src, i, j - 1))
            return ls_tok(src, j - 1)->kind == LS_TOKEN_DIRECTIVE_END ? i : j - 1;
        if (ls_tok(src, i)->flags & LS_TOKEN_DIRECTIVE)
            return i;
    }
    return i;
}

static bool
opens(unsigned kind)
{
    return kind == '(' || kind == '[' || kind == '{';
}

static bool
closes(unsigned kind)
{
    return kind == ')' || kind == ']' || kind == '}';
}

/* One stack for the file, and above it one for the directive that is read. A closing bracket closes
 * the last open one, of whatever kind. */
void
ls_tok_match(struct ls_source *src)
{
    size_t n = src->tokens.n, depth = 0, directive = 0;
    uint32_t *stack = malloc(n * sizeof(*stack));

    src->match = malloc(n * sizeof(*src->match));
    if (!stack || !src->match) {
        free(stack);
        src->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct ls_token *t = ls_tok(src, i);
        size_t bottom = t->flags & LS_TOKEN_DIRECTIVE ? directive : 0;

        src->match[i] = (uint32_t)n - 1;
        if (t->kind == '#' && t->flags & LS_TOKEN_FIRST)
            directive = depth;
        if (t->kind == LS_TOKEN_DIRECTIVE_END)
            depth = directive;
        else if (opens(t->kind))
            stack[depth++] = (uint32_t)i;
        else if (closes(t->kind) && depth > bottom) {
            src->match[i] = stack[--depth];
            src->match[stack[depth]] = (uint32_t)i;
        }
    }
    free(stack);
}

size_t
ls_tok_close(const struct ls_source *src, size_t i)
{
    return opens(ls_tok(src, i)->kind) ? src->match[i] : src->tokens.n - 1;
}

size_t
ls_tok_open(const struct ls_source *src, size_t i)
{
    return closes(ls_tok(src, i)->kind) && src->match[i] < i ? src->match[i] : i;
}

bool
ls_is_global(const struct ls_source *src, size_t i)
{
    size_t before = ls_tok_previous(src, i);
    unsigned kind = ls_tok(src, before)->kind;

    return before == i || ls_tok_end(src, before) != ls_tok(src, i)->at ||
           (kind != LS_TOKEN_NAME && kind != '>' && kind != LS_TOKEN_LAUNCH_END);
}

/* What template arguments consist of, as far as they can be told from comparisons. */
static bool
may_be_in_angles(const struct ls_token *t)
{
    return t->kind == LS_TOKEN_NAME || t->kind == LS_TOKEN_NUMBER || t->kind == LS_TOKEN_SCOPE ||
           t->kind == LS_TOKEN_CHARACTER ||
           (t->kind < 128 && t->kind && strchr(",*&+-/%.~", t->kind));
}

enum { MAX_ANGLE_TOKENS = 1000 };

size_t
ls_tok_close_angle(const struct ls_source *src, size_t i)
{
    size_t last = src->tokens.n - 1, depth = 0, steps = 0;

    for (; i < last && steps < MAX_ANGLE_TOKENS; i = ls_tok_next(src, i), steps++) {
        const struct ls_token *t = ls_tok(src, i);

        if (t->kind == '<') {
            depth++;
        } else if (t->kind == '>') {
            if (--depth == 0)
                return i;
        } else if (t->kind == LS_TOKEN_LAUNCH_END) {
            if (depth <= 3)
                return depth == 3 ? i : last;
            depth -= 3;
        } else if (t->kind == '(' || t->kind == '[') {
            i = ls_tok_close(src, i);
        } else if (!may_be_in_angles(t)) {
            return last;
        }
    }
    return last;
}

/* Whether < at i opens template arguments: what is behind its > could not follow a comparison. */
static size_t
template_arguments(const struct ls_source *src, size_t i)
{
    size_t close, next, last = src->tokens.n - 1;

    if (i == 0 || ls_tok(src, i - 1)->kind != LS_TOKEN_NAME)
        return last;
    close = ls_tok_close_angle(src, i);
    next = ls_tok_next(src, close);
    switch (ls_tok(src, next)->kind) {
    case '(':
    case ')':
    case '{':
    case ']':
    case ',':
    case ';':
    case '>':
    case LS_TOKEN_SCOPE:
    case LS_TOKEN_LAUNCH:
        return close;
    default:
        return last;
    }
}

size_t
ls_arguments(const struct ls_source *src, size_t open, size_t close, struct ls_argument *arguments)
{
    size_t n = 0, end = src->tokens.n - 1, first = ls_tok_next(src, open), last = open;

    if (first == close)
        return 0;
    for (size_t i = first; i < end; i = ls_tok_next(src, i)) {
        unsigned kind = ls_tok(src, i)->kind;

        if (i == close || kind == ',') {
            if (n == LS_MAX_ARGUMENTS)
                return n + 1;
            arguments[n++] = (struct ls_argument){first, last};
            if (i == close)
                break;
            first = ls_tok_next(src, i);
        } else if (kind == '(' || kind == '[' || kind == '{') {
            i = ls_tok_close(src, i);
        } else if (kind == '<' && template_arguments(src, i) < end) {
            i = template_arguments(src, i);
        }
        last = i;
    }
    return n;
}

bool
ls_is_blank(const struct ls_source *src, uint32_t begin, uint32_t end)
{
    for (; begin < end; begin++)
        if (!src->text[begin] || !strchr(" \t\r\n\\", src->text[begin]))
            return false;
    return true;
}

/* ---- lines ---- */

static void
find_lines(struct ls_source *src)
{
    const char *end = src->text + src->bytes;
    size_t n = 1;

    for (const char *p = src->text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        n++;
    src->lines = malloc(n * sizeof(*src->lines));
    if (!src->lines) {
        src->failed = true;
        return;
    }
    src->lines[src->n_lines++] = 0;
    for (const char *p = src->text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        src->lines[src->n_lines++] = (uint32_t)(p + 1 - src->text);
}

unsigned
ls_line_of(struct ls_source *src, uint32_t at)
{
    size_t low = 0, high;

    if (!src->lines)
        find_lines(src);
    high = src->n_lines;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (src->lines[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return (unsigned)low + 1;
}

void
ls_warn(struct ls_source *src, uint32_t at, const char *format, ...)
{
    unsigned line = ls_line_of(src, at);
    va_list list;

    src->stats->n_warnings++;
    if (src->opt->quiet_warnings)
        return;
    fprintf(stderr, "%s:%u:%u: warning: ", src->path, line,
            src->n_lines >= line ? at - src->lines[line - 1] + 1 : 1);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}
