/* SPDX-License-Identifier: MIT */
/* x and y of variables of type half2: CUDA's are half, HIP's are bits. A name counts from its
 * declaration to the end of its block, and as long as no other declaration takes it. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

struct variable {
    size_t name; /* token */
    size_t depth;
    bool is_half2;
};

struct scope {
    struct ls_source *src;
    struct variable *v; /* owned */
    size_t n, cap, depth;
};

static void
declare(struct scope *s, size_t name, bool is_half2, bool is_parameter)
{
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 32;
        struct variable *v = realloc(s->v, cap * sizeof(*v));

        if (!v) {
            s->src->failed = true;
            return;
        }
        s->v = v;
        s->cap = cap;
    }
    s->v[s->n++] = (struct variable){name, s->depth + is_parameter, is_half2};
}

static const struct variable *
find(const struct scope *s, size_t name)
{
    const struct ls_token *t = ls_tok(s->src, name);

    for (size_t i = s->n; i-- > 0;) {
        const struct ls_token *u = ls_tok(s->src, s->v[i].name);

        if (t->bytes == u->bytes && !memcmp(s->src->text + t->at, s->src->text + u->at, t->bytes))
            return &s->v[i];
    }
    return NULL;
}

/* Declarators behind a type: names up to the statement's end, or one in a parameter list. */
static void
declarators(struct scope *s, size_t type)
{
    size_t i = ls_tok_next(s->src, type), last = s->src->tokens.n - 1;

    while (i < last) {
        bool pointer = false;

        while (ls_tok(s->src, i)->kind == '*' || ls_tok(s->src, i)->kind == '&' ||
               ls_tok_is(s->src, i, "const")) {
            pointer |= ls_tok(s->src, i)->kind == '*';
            i = ls_tok_next(s->src, i);
        }
        if (ls_tok(s->src, i)->kind != LS_TOKEN_NAME)
            return;
        size_t name = i;
        i = ls_tok_next(s->src, i);
        bool is_array = ls_tok(s->src, i)->kind == '[';
        if (!strchr("=;,)({[:", ls_tok(s->src, i)->kind & 0x7f) || ls_tok(s->src, i)->kind >= 128)
            return;
        declare(s, name, !pointer && !is_array,
                ls_tok(s->src, i)->kind == ')' || ls_tok(s->src, i)->kind == ',');
        while (i < last && ls_tok(s->src, i)->kind != ',' && ls_tok(s->src, i)->kind != ';' &&
               ls_tok(s->src, i)->kind != ')')
            i = ls_tok(s->src, i)->kind == '(' || ls_tok(s->src, i)->kind == '{' ||
                        ls_tok(s->src, i)->kind == '['
                    ? ls_tok_next(s->src, ls_tok_close(s->src, i))
                    : ls_tok_next(s->src, i);
        if (ls_tok(s->src, i)->kind != ',')
            return;
        i = ls_tok_next(s->src, i);
    }
}

/* Whether tokens before and at name look like the declaration of it with another type. */
static bool
is_other_declaration(const struct scope *s, size_t name)
{
    size_t before = ls_tok_previous(s->src, name);
    unsigned behind = ls_tok(s->src, ls_tok_next(s->src, name))->kind;

    while (before != name &&
           (ls_tok(s->src, before)->kind == '*' || ls_tok(s->src, before)->kind == '&')) {
        size_t more = ls_tok_previous(s->src, before);

        if (more == before)
            return false;
        before = more;
    }
    return before != name && ls_tok(s->src, before)->kind == LS_TOKEN_NAME &&
           !ls_tok_is(s->src, before, "return") && !ls_tok_is(s->src, before, "half2") &&
           !ls_tok_is(s->src, before, "__half2") && !ls_tok_is(s->src, before, "const") &&
           (behind == '=' || behind == ';' || behind == ',' || behind == ')');
}

/* Whether `name . x` stands in reinterpret_cast<T &>() already. */
static bool
is_cast(const struct ls_source *src, size_t name)
{
    size_t i = ls_tok_previous(src, name);

    if (ls_tok(src, i)->kind != '(')
        return false;
    i = ls_tok_previous(src, i);
    if (ls_tok(src, i)->kind != '>')
        return false;
    for (unsigned n = 0; n < 8 && ls_tok(src, i)->kind != '<'; n++)
        i = ls_tok_previous(src, i);
    return ls_tok_is(src, ls_tok_previous(src, i), "reinterpret_cast");
}

static void
cast(struct ls_source *src, uint32_t begin, uint32_t end)
{
    ls_edit_insert(src, begin, "reinterpret_cast<half&>(");
    ls_edit_insert(src, end, ")");
    if (!src->opt->no_undocumented_warnings)
        ls_warn(src, begin,
                "CUDA does not document x and y of half2; HIP's have another type, so this is cast "
                "to half&");
}

void
ls_half2_known(struct ls_source *src)
{
    const struct ls_offsets *v = &src->sem->half2;

    for (size_t i = 0, t = 0; i + 1 < v->n; i += 2) {
        while (t + 1 < src->tokens.n && ls_tok(src, t)->at < v->v[i])
            t++;
        if (ls_tok(src, t)->at == v->v[i] && !is_cast(src, t))
            cast(src, v->v[i], v->v[i + 1]);
    }
}

static void
use(struct scope *s, size_t name)
{
    struct ls_source *src = s->src;
    size_t dot = ls_tok_next(src, name), member = ls_tok_next(src, dot);
    const struct variable *v;
    unsigned before = ls_tok(src, ls_tok_previous(src, name))->kind;

    if (ls_tok(src, dot)->kind != '.' ||
        !(ls_tok_is(src, member, "x") || ls_tok_is(src, member, "y")) || before == '.' ||
        before == LS_TOKEN_ARROW || before == LS_TOKEN_SCOPE || !(v = find(s, name)) ||
        !v->is_half2 || is_cast(src, name))
        return;
    cast(src, ls_tok(src, name)->at, ls_tok_end(src, member));
}

void
ls_half2(struct ls_source *src)
{
    struct scope s = {.src = src};

    for (size_t i = 0; i + 1 < src->tokens.n; i++) {
        const struct ls_token *t = ls_tok(src, i);

        if (t->flags & LS_TOKEN_EXCLUDED)
            continue;
        if (t->kind == '{' && !(t->flags & LS_TOKEN_DIRECTIVE)) {
            s.depth++;
        } else if (t->kind == '}' && !(t->flags & LS_TOKEN_DIRECTIVE) && s.depth) {
            s.depth--;
            while (s.n && s.v[s.n - 1].depth > s.depth)
                s.n--;
        } else if (t->kind == LS_TOKEN_NAME) {
            if ((t->bytes == 5 && ls_tok_is(src, i, "half2")) ||
                (t->bytes == 7 && ls_tok_is(src, i, "__half2")))
                declarators(&s, i);
            else if (s.n && is_other_declaration(&s, i) && find(&s, i))
                declare(&s, i, false, true);
            else if (s.n)
                use(&s, i);
        }
    }
    free(s.v);
}
