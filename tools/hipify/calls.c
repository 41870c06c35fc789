/* SPDX-License-Identifier: MIT */
/* Arguments of calls: calls.def. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

enum mode { HIP, ROC, MIOPEN };
enum what { WRAP, REMOVE, ADD, REPLACE, COPY, MOVE };

struct rule {
    const char *cuda;
    enum mode mode;
    unsigned at;
    enum what what;
    const char *text;
    unsigned to, n;
};

static const struct rule rules[] = {
#define LS_CALL(cuda, mode, at, what, text, to, n) {cuda, mode, at, what, text, to, n},
#define LS_OVERLOAD(cuda, n, hip)
#include "calls.def"
#undef LS_CALL
#undef LS_OVERLOAD
};

static const struct overload {
    const char *cuda;
    size_t n;
    const char *hip;
} overloads[] = {
#define LS_CALL(cuda, mode, at, what, text, to, n)
#define LS_OVERLOAD(cuda, n, hip) {cuda, n, hip},
#include "calls.def"
#undef LS_CALL
#undef LS_OVERLOAD
};

struct call {
    struct ls_source *src;
    size_t name, open, close, n;
    struct ls_argument v[LS_MAX_ARGUMENTS];
};

static bool
matches(const char *pattern, const char *name, size_t bytes)
{
    if (strlen(pattern) != bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (pattern[i] != name[i] && (pattern[i] != '?' || !strchr("SDCZ", name[i])))
            return false;
    return true;
}

static bool *has_rules; /* of each name; until the process ends */

static void
mark(const char *pattern)
{
    char name[96];
    size_t bytes = strlen(pattern);
    const char *letter = strchr(pattern, '?');
    const struct ls_name *row;

    for (const char *c = "SDCZ"; *c; c++) {
        memcpy(name, pattern, bytes + 1);
        if (letter)
            name[letter - pattern] = *c;
        row = ls_name_find(name, bytes);
        if (row)
            has_rules[row - ls_names] = true;
    }
}

bool
ls_calls_init(void)
{
    has_rules = calloc(ls_n_names, sizeof(*has_rules));
    if (!has_rules)
        return false;
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        mark(rules[i].cuda);
    for (size_t i = 0; i < sizeof(overloads) / sizeof(*overloads); i++)
        mark(overloads[i].cuda);
    return true;
}

bool
ls_has_call(const struct ls_name *name)
{
    return has_rules[name - ls_names];
}

/* Where argument i begins, or where one behind the last would end. */
static uint32_t
begin_of(const struct call *c, size_t i)
{
    return i < c->n ? ls_tok(c->src, c->v[i].first)->at : ls_tok(c->src, c->close)->at;
}

static uint32_t
end_of(const struct call *c, size_t i)
{
    return ls_tok_end(c->src, c->v[i].last);
}

/* Takes arguments i to i + n - 1 out, with a comma. */
static void
take_out(struct call *c, size_t i, size_t n)
{
    if (i + n < c->n)
        ls_edit_replace(c->src, begin_of(c, i), begin_of(c, i + n), "");
    else if (i > 0)
        ls_edit_replace(c->src, end_of(c, i - 1), begin_of(c, c->n), "");
    else
        ls_edit_replace(c->src, begin_of(c, 0), begin_of(c, c->n), "");
}

static void
put(struct call *c, size_t at, size_t from, size_t n)
{
    ls_edit_copy(c->src, begin_of(c, at), begin_of(c, from), end_of(c, from + n - 1),
                 at < c->n ? "" : ", ", at < c->n ? ", " : "");
}

static void
apply(struct call *c, const struct rule *r)
{
    bool is_there = r->at + (r->what == MOVE ? r->n : 1) <= c->n;

    if (r->what == ADD && r->at >= c->n) {
        ls_edit_insert(c->src, end_of(c, c->n - 1), ", ");
        ls_edit_insert(c->src, end_of(c, c->n - 1), r->text);
        return;
    }
    if (r->what == ADD) {
        ls_edit_insert(c->src, begin_of(c, r->at), r->text);
        ls_edit_insert(c->src, begin_of(c, r->at), ", ");
        return;
    }
    if (!is_there || c->v[r->at].first > c->v[r->at].last)
        return;
    switch (r->what) {
    case WRAP:
        if (ls_tok(c->src, c->v[r->at].first)->kind == LS_TOKEN_NAME &&
            strlen(r->text) == ls_tok(c->src, c->v[r->at].first)->bytes &&
            ls_tok_is(c->src, c->v[r->at].first, r->text))
            return;
        ls_edit_insert(c->src, begin_of(c, r->at), r->text);
        ls_edit_insert(c->src, begin_of(c, r->at), "(");
        ls_edit_insert(c->src, end_of(c, r->at), ")");
        break;
    case REMOVE:
        if (r->mode == HIP)
            ls_warn(c->src, begin_of(c, r->at),
                    "argument %u of '%s' has no counterpart in HIP and is dropped: see that the "
                    "result does not depend on it",
                    r->at + 1, r->cuda);
        take_out(c, r->at, 1);
        break;
    case REPLACE:
        ls_edit_replace(c->src, begin_of(c, r->at), end_of(c, r->at), r->text);
        break;
    case COPY:
        put(c, r->to, r->at, 1);
        break;
    default:
        put(c, r->to, r->at, r->n);
        take_out(c, r->at, r->n);
        break;
    }
}

const char *
ls_call(struct ls_source *src, size_t i)
{
    struct call c = {.src = src, .name = i, .open = ls_tok_next(src, i)};
    const char *name = src->text + ls_tok(src, i)->at;
    size_t bytes = ls_tok(src, i)->bytes;
    const char *other = NULL;

    if (ls_tok(src, c.open)->kind != '(' || (c.close = ls_tok_close(src, c.open)) <= c.open ||
        c.close == src->tokens.n - 1)
        return NULL;
    c.n = ls_arguments(src, c.open, c.close, c.v);
    if (c.n > LS_MAX_ARGUMENTS)
        return NULL;
    for (size_t k = 0; k < sizeof(overloads) / sizeof(*overloads); k++)
        if (overloads[k].n == c.n && matches(overloads[k].cuda, name, bytes))
            other = overloads[k].hip;
    src->owner = (uint32_t)i + 1;
    for (size_t k = 0; c.n && k < sizeof(rules) / sizeof(*rules); k++)
        if ((rules[k].mode == HIP || (rules[k].mode == ROC && src->opt->roc) ||
             (rules[k].mode == MIOPEN && src->opt->miopen)) &&
            matches(rules[k].cuda, name, bytes))
            apply(&c, &rules[k]);
    src->owner = 0;
    return other;
}
