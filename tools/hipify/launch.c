/* SPDX-License-Identifier: MIT */
/* kernel<<<grid, block, shared, stream>>>(arguments) becomes
 * hipLaunchKernelGGL(kernel, dim3(grid), dim3(block), shared, stream, arguments). */
#include "source.h"

#include <string.h>

struct launch {
    size_t first, last; /* the kernel's expression */
    size_t open, close; /* <<< and >>> */
    size_t close_last;  /* of > > >, or close */
    size_t call, end;   /* ( and ) */
    size_t name;        /* of the kernel */
    bool has_angles;
    struct ls_argument config[LS_MAX_ARGUMENTS], arguments[LS_MAX_ARGUMENTS];
    size_t n_config, n_arguments;
};

/* Backwards past > at i, to the token <. i itself: no such token in this statement. */
static size_t
open_angle(const struct ls_source *src, size_t i)
{
    size_t depth = 0, j = i;

    for (;;) {
        unsigned kind = ls_tok(src, j)->kind;
        size_t before;

        if (kind == '>')
            depth++;
        else if (kind == LS_TOKEN_LAUNCH_END)
            depth += 3;
        else if (kind == '<' && --depth == 0)
            return j;
        else if (kind == ')' || kind == ']')
            j = ls_tok_open(src, j);
        else if (kind == ';' || kind == '{' || kind == '}' || kind == LS_TOKEN_LAUNCH)
            return i;
        before = ls_tok_previous(src, j);
        if (before == j)
            return i;
        j = before;
    }
}

/* One part of a::b<c>::d, from its last token back to its first. */
static bool
part_begin(const struct ls_source *src, struct launch *l, size_t *i)
{
    unsigned kind = ls_tok(src, *i)->kind;

    if (kind == '>' || kind == LS_TOKEN_LAUNCH_END) {
        size_t open = open_angle(src, *i);

        if (open == *i)
            return false;
        l->has_angles = true;
        *i = ls_tok_previous(src, open);
        return ls_tok(src, *i)->kind == LS_TOKEN_NAME;
    }
    if (kind == ')' || kind == ']') {
        size_t open = ls_tok_open(src, *i), before = ls_tok_previous(src, open);

        if (open == *i)
            return false;
        *i = open;
        if (kind == ']' || (before != open && ls_tok(src, before)->kind == LS_TOKEN_NAME &&
                            !ls_tok_is(src, before, "return"))) {
            *i = before;
            return part_begin(src, l, i);
        }
        return true;
    }
    return kind == LS_TOKEN_NAME && !ls_tok_is(src, *i, "operator");
}

/* The expression in front of <<<. */
static bool
find_kernel(const struct ls_source *src, struct launch *l)
{
    size_t i = ls_tok_previous(src, l->open);

    if (i == l->open)
        return false;
    l->last = i;
    for (;;) {
        size_t before;

        if (!part_begin(src, l, &i))
            return false;
        l->first = i;
        if (!l->name)
            l->name = i;
        before = ls_tok_previous(src, i);
        if (before == i)
            return true;
        switch (ls_tok(src, before)->kind) {
        case LS_TOKEN_SCOPE:
            l->first = before;
            if (ls_is_global(src, before))
                return true;
            i = ls_tok_previous(src, before);
            break;
        case '.':
        case LS_TOKEN_ARROW:
            i = ls_tok_previous(src, before);
            if (i == before)
                return false;
            break;
        default:
            return true;
        }
    }
}

/* The last of three > from token i on, which end a launch: nvcc takes blanks between them. i: there
 * are no three, or no call behind. */
static size_t
spaced_end(const struct ls_source *src, size_t i)
{
    size_t second = ls_tok_next(src, i), third = ls_tok_next(src, second);

    return ls_tok(src, second)->kind == '>' && ls_tok(src, third)->kind == '>' &&
                   ls_tok(src, ls_tok_next(src, third))->kind == '('
               ? third
               : i;
}

static bool
find_ends(const struct ls_source *src, struct launch *l)
{
    size_t end = src->tokens.n - 1;

    for (size_t i = ls_tok_next(src, l->open); i < end; i = ls_tok_next(src, i)) {
        unsigned kind = ls_tok(src, i)->kind;

        size_t last = kind == '>' ? spaced_end(src, i) : i;

        if (kind == LS_TOKEN_LAUNCH_END || last != i) {
            l->close = i;
            l->close_last = last;
            l->call = ls_tok_next(src, last);
            l->end = ls_tok_close(src, l->call);
            return ls_tok(src, l->call)->kind == '(' && l->end < end;
        }
        if (kind == '(' || kind == '[' || kind == '{')
            i = ls_tok_close(src, i);
        else if (kind == ';' || kind == '}' || kind == LS_TOKEN_LAUNCH)
            return false;
    }
    return false;
}

static uint32_t
begin_of(const struct ls_source *src, const struct ls_argument *a)
{
    return ls_tok(src, a->first)->at;
}

static uint32_t
end_of(const struct ls_source *src, const struct ls_argument *a)
{
    return ls_tok_end(src, a->last);
}

static bool
is_dim3(const struct ls_source *src, const struct ls_argument *a)
{
    return ls_tok_is(src, a->first, "dim3") && a->first < a->last &&
           ls_tok(src, a->first + 1)->at == ls_tok_end(src, a->first) &&
           ls_tok(src, a->first + 1)->kind == '(';
}

static void
rewrite(struct ls_source *src, struct launch *l)
{
    static const char *const missing[] = {", 0, 0", ", 0", ""};
    static const char *const missing_more[] = {", 0, 0, ", ", 0, ", ", "};
    bool is_template =
        l->has_angles || ls_is_kernel_template(src, l->name) ||
        (src->sem && ls_offsets_have(&src->sem->templates, ls_tok(src, l->name)->at));
    const struct ls_argument *last = &l->config[l->n_config - 1];
    uint32_t begin = ls_tok(src, l->first)->at, close = ls_tok(src, l->end)->at;

    ls_edit_insert(src, begin,
                   is_template ? "hipLaunchKernelGGL(HIP_KERNEL_NAME(" : "hipLaunchKernelGGL(");
    ls_edit_replace(src, ls_tok_end(src, l->last), begin_of(src, &l->config[0]),
                    is_template ? "), " : ", ");
    for (size_t i = 0; i < l->n_config; i++) {
        const struct ls_argument *a = &l->config[i];

        if (i < 2 && !is_dim3(src, a)) {
            ls_edit_insert(src, begin_of(src, a), "dim3(");
            ls_edit_insert(src, end_of(src, a), ")");
        }
        if (i + 1 < l->n_config)
            ls_edit_replace(src, end_of(src, a), begin_of(src, a + 1), ", ");
    }
    if (!l->n_arguments) {
        ls_edit_replace(src, end_of(src, last), close, missing[l->n_config - 2]);
        return;
    }
    ls_edit_replace(src, end_of(src, last), ls_tok(src, ls_tok_next(src, l->call))->at,
                    missing_more[l->n_config - 2]);
    begin = ls_tok_end(src, ls_tok_previous(src, l->end));
    if (ls_is_blank(src, begin, close))
        ls_edit_replace(src, begin, close, "");
}

void
ls_launch(struct ls_source *src, size_t i)
{
    struct launch l = {.open = i};
    const struct ls_token *t = ls_tok(src, i);

    if (!find_ends(src, &l))
        return;
    if (!find_kernel(src, &l)) {
        if (src->opt->hip_launches)
            ls_warn(src, t->at, "the kernel of this launch is not understood: it stays as it is");
        return;
    }
    src->uses_hip = true;
    ls_stats_launch(src->stats, src->text + ls_tok(src, l.name)->at, ls_tok(src, l.name)->bytes);
    if (!src->opt->hip_launches) { /* to clang they are one token each */
        if (ls_tok(src, l.open)->bytes > 3)
            ls_edit_replace(src, t->at, ls_tok_end(src, l.open), "<<<");
        if (l.close_last != l.close)
            ls_edit_replace(src, ls_tok(src, l.close)->at, ls_tok_end(src, l.close_last), ">>>");
        return;
    }
    l.n_config = ls_arguments(src, l.open, l.close, l.config);
    l.n_arguments = ls_arguments(src, l.call, l.end, l.arguments);
    if (l.n_config < 2 || l.n_config > 4) {
        ls_warn(src, t->at, "a launch has 2 to 4 arguments in <<<>>>, this one %zu: it stays",
                l.n_config);
        return;
    }
    rewrite(src, &l);
}
