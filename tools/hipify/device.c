/* SPDX-License-Identifier: MIT */
/* Which tokens are in functions for the device, and which kernels are templates. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

static void
add_template(struct ls_source *src, size_t name)
{
    const struct ls_token *t = ls_tok(src, name);

    if (src->n_kernels == src->cap_kernels) {
        size_t cap = src->cap_kernels ? 2 * src->cap_kernels : 16;
        char **v = realloc(src->kernels, cap * sizeof(*v));

        if (!v) {
            src->failed = true;
            return;
        }
        src->kernels = v;
        src->cap_kernels = cap;
    }
    src->kernels[src->n_kernels] = strndup(src->text + t->at, t->bytes);
    if (src->kernels[src->n_kernels])
        src->n_kernels++;
    else
        src->failed = true;
}

bool
ls_is_kernel_template(const struct ls_source *src, size_t i)
{
    for (size_t k = 0; k < src->n_kernels; k++)
        if (ls_tok_is(src, i, src->kernels[k]))
            return true;
    return false;
}

/* The name of the function whose attribute is token i: in front of the first bracket that belongs
 * to no attribute. 0: none. */
static size_t
function_name(const struct ls_source *src, size_t i)
{
    size_t last = src->tokens.n - 1;

    for (size_t name = 0; i < last; i = ls_tok_next(src, i)) {
        switch (ls_tok(src, i)->kind) {
        case LS_TOKEN_NAME:
            name = i;
            break;
        case '<':
            if (ls_tok_close_angle(src, i) < last)
                i = ls_tok_close_angle(src, i);
            break;
        case '(':
            if (name &&
                (ls_tok_is(src, name, "__launch_bounds__") ||
                 ls_tok_is(src, name, "__attribute__") || ls_tok_is(src, name, "__align__"))) {
                i = ls_tok_close(src, i);
                break;
            }
            return name;
        case ';':
        case '{':
        case '}':
        case '=':
            return 0;
        default:
            break;
        }
    }
    return 0;
}

/* Marks the body of the function whose attribute is token i. */
static void
mark_body(struct ls_source *src, size_t i)
{
    size_t name = function_name(src, i), last = src->tokens.n - 1, close;

    if (!name)
        return;
    i = ls_tok_next(src, name);
    if (ls_tok(src, i)->kind == '<') /* an explicit specialization */
        i = ls_tok_next(src, ls_tok_close_angle(src, i));
    i = ls_tok_close(src, i);
    while (i < last && ls_tok(src, i)->kind != '{' && ls_tok(src, i)->kind != ';')
        i = ls_tok_next(src, i);
    if (i >= last || ls_tok(src, i)->kind != '{')
        return;
    close = ls_tok_close(src, i);
    for (; i <= close; i++)
        src->tokens.v[i].flags |= LS_TOKEN_DEVICE;
}

/* A macro, by its name at token i, that stands for an instance of a template counts as one. */
static void
macro(struct ls_source *src, size_t i)
{
    if (ls_tok(src, i)->kind != LS_TOKEN_NAME)
        return;
    for (size_t k = i + 1; ls_tok(src, k)->kind != LS_TOKEN_DIRECTIVE_END; k++) {
        if (ls_tok(src, k)->kind == LS_TOKEN_LAUNCH)
            return;
        if (ls_tok(src, k)->kind == '<' && ls_tok(src, k - 1)->kind == LS_TOKEN_NAME) {
            add_template(src, i);
            return;
        }
    }
}

void
ls_mark_device(struct ls_source *src)
{
    size_t template_at = 0, last = src->tokens.n - 1;

    for (size_t i = 0; i < last; i++) {
        const struct ls_token *t = ls_tok(src, i);

        switch (t->kind) {
        case ';':
        case '{':
        case '}':
            template_at = 0;
            continue;
        case LS_TOKEN_NAME:
            break;
        default:
            continue;
        }
        if (t->bytes == 8 && src->text[t->at] == 't' && ls_tok_is(src, i, "template")) {
            size_t open = ls_tok_next(src, i);

            if (ls_tok(src, open)->kind == '<')
                template_at = i + 1;
        } else if (t->flags & LS_TOKEN_DIRECTIVE && t->bytes == 6 && ls_tok_is(src, i, "define")) {
            macro(src, i + 1);
        } else if (t->bytes == 10 &&
                   (ls_tok_is(src, i, "__global__") || ls_tok_is(src, i, "__device__"))) {
            src->uses_hip = true;
            if (template_at && src->text[t->at + 2] == 'g' && function_name(src, i))
                add_template(src, function_name(src, i));
            mark_body(src, i);
        }
    }
}
