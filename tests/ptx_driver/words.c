/* SPDX-License-Identifier: MIT */
/* Words of a PTX text. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

struct ptx_memory {
    struct ptx_memory *next;
    size_t used, bytes;
    max_align_t room[];
};

void *
ptx_keep(struct ptx_module *m, size_t bytes)
{
    struct ptx_memory *chunk = m->memory;
    void *at;

    bytes = (bytes + 15) / 16 * 16;
    if (!chunk || chunk->bytes - chunk->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;

        chunk = calloc(1, sizeof(*chunk) + size);
        if (!chunk)
            abort();
        chunk->bytes = size;
        chunk->next = m->memory;
        m->memory = chunk;
    }
    at = (char *)chunk->room + chunk->used;
    chunk->used += bytes;
    return at;
}

void
ptx_unload(struct ptx_module *m)
{
    if (!m)
        return;
    for (struct ptx_variable *v = m->variables; v; v = v->next)
        if (v->space != SPACE_SHARED)
            driver_free(v->at);
    for (struct ptx_memory *chunk = m->memory, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(m->text);
    free(m);
}

const char *
ptx_keep_text(struct reader *r, const struct word *w)
{
    char *copy = ptx_keep(r->m, w->n + 1);

    memcpy(copy, w->text, w->n);
    return copy;
}

void
ptx_refuse(struct reader *r, uint32_t line, const char *format, ...)
{
    va_list list;
    int n = snprintf(r->log, PTX_LOG, "line %u: ", line);

    va_start(list, format);
    vsnprintf(r->log + n, PTX_LOG - (size_t)n, format, list);
    va_end(list);
    longjmp(r->failed, 1);
}

static void
skip_blanks(struct reader *r)
{
    for (;;) {
        if (*r->at == '\n')
            r->line++;
        if (isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '/') {
            while (*r->at && *r->at != '\n')
                r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            for (r->at += 2; *r->at && !(r->at[0] == '*' && r->at[1] == '/'); r->at++)
                r->line += *r->at == '\n';
            r->at += *r->at ? 2 : 0;
        } else {
            return;
        }
    }
}

static bool
is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static void
read_number(struct reader *r, struct word *w)
{
    const char *at = r->at;
    char *end;

    w->kind = WORD_NUMBER;
    if (at[0] == '0' && (at[1] == 'f' || at[1] == 'F' || at[1] == 'd' || at[1] == 'D')) {
        w->kind = WORD_FLOAT;
        w->bits = at[1] == 'f' || at[1] == 'F' ? 32 : 64;
        w->number = strtoull(at + 2, &end, 16);
        if (end - at != 2 + w->bits / 4)
            ptx_refuse(r, r->line, "a number with other than %u digits", w->bits / 4u);
    } else {
        const char *p = at;

        while (isdigit((unsigned char)*p))
            p++;
        if (*p == '.' && isdigit((unsigned char)p[1])) {
            double value = strtod(at, &end);

            w->kind = WORD_DECIMAL;
            memcpy(&w->number, &value, sizeof(value));
        } else {
            w->number = at[0] == '0' && (at[1] == 'b' || at[1] == 'B') ? strtoull(at + 2, &end, 2)
                                                                       : strtoull(at, &end, 0);
            if (*end == 'U')
                end++;
        }
    }
    w->n = (size_t)(end - at);
    r->at = end;
}

void
ptx_next(struct reader *r)
{
    struct word *w = &r->word;

    skip_blanks(r);
    *w = (struct word){.text = r->at, .line = r->line};
    if (!*r->at)
        return;
    if (isdigit((unsigned char)*r->at)) {
        read_number(r, w);
        return;
    }
    if (*r->at == '"') {
        const char *end = strchr(r->at + 1, '"');

        if (!end)
            ptx_refuse(r, r->line, "a string without an end");
        *w = (struct word){WORD_STRING, r->at + 1, (size_t)(end - r->at - 1), 0, 0, r->line};
        r->at = end + 1;
        return;
    }
    w->kind = is_name_char(*r->at) ? WORD_NAME : WORD_MARK;
    do {
        r->at++;
        if (w->kind == WORD_NAME && r->at[0] == ':' && r->at[1] == ':') /* L1::no_allocate */
            r->at += 2;
    } while (w->kind == WORD_NAME && is_name_char(*r->at));
    w->n = (size_t)(r->at - w->text);
}

bool
ptx_same(const struct word *w, const char *text)
{
    return w->n == strlen(text) && memcmp(w->text, text, w->n) == 0;
}

bool
ptx_is(const struct reader *r, const char *text)
{
    return r->word.kind != WORD_STRING && r->word.kind != WORD_END && ptx_same(&r->word, text);
}

bool
ptx_take(struct reader *r, const char *text)
{
    if (!ptx_is(r, text))
        return false;
    ptx_next(r);
    return true;
}

void
ptx_want(struct reader *r, const char *text)
{
    if (!ptx_take(r, text))
        ptx_refuse(r, r->word.line, "'%.*s' where '%s' should be", (int)r->word.n, r->word.text,
                   text);
}
