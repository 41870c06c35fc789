/* SPDX-License-Identifier: MIT */
/* #include: CUDA's headers become HIP's, each once, and hip/hip_runtime.h comes into files that
 * need it and had none: nvcc includes its own by itself. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_INCLUDES = 256, MAX_DEPTH = 256 };

/* What is included, and in which branches of conditionals. */
struct include {
    const char *name;
    size_t name_bytes, depth;
    unsigned branches[MAX_DEPTH];
};

struct scan {
    struct ls_source *src;
    struct include *includes; /* owned */
    size_t n;
    unsigned branches[MAX_DEPTH], next_branch;
    size_t depth, too_deep;
    bool has_blas_v2, has_blas_v1, has_blas, has_bf16;
};

/* Whether what was included there is included here. */
static bool
is_in_force(const struct scan *s, const struct include *include)
{
    return include->depth <= s->depth &&
           !memcmp(include->branches, s->branches, include->depth * sizeof(*s->branches));
}

static bool
is_included(struct scan *s, const char *name, size_t bytes)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->includes[i].name_bytes == bytes && !memcmp(s->includes[i].name, name, bytes) &&
            is_in_force(s, &s->includes[i]))
            return true;
    return false;
}

static void
remember(struct scan *s, const char *name, size_t bytes)
{
    if (s->n == MAX_INCLUDES || s->too_deep)
        return;
    s->includes[s->n] = (struct include){.name = name, .name_bytes = bytes, .depth = s->depth};
    memcpy(s->includes[s->n].branches, s->branches, sizeof(s->branches));
    s->n++;
}

static void
translate(struct scan *s, size_t hash, size_t header, const struct ls_name *name)
{
    struct ls_source *src = s->src;
    const struct ls_token *t = ls_tok(src, header);
    bool roc = ls_to_roc(src, name);
    const char *to = roc && *name->roc ? name->roc : name->hip;
    bool unsupported = name->marks & (roc ? LS_MARK_NO_ROC : LS_MARK_NO_HIP);

    s->has_blas_v1 |= !strcmp(name->cuda, "cublas.h");
    s->has_blas_v2 |= !strcmp(name->cuda, "cublas_v2.h");
    s->has_blas |= name->api == LS_API_BLAS;
    s->has_bf16 |= !strcmp(to, "hip/hip_bf16.h");
    ls_stats_count(src->stats, name, !unsupported);
    src->uses_hip = true;
    if (unsupported) {
        ls_warn(src, t->at, "the header '%s' is unsupported in %s", name->cuda,
                roc ? "ROC" : "HIP");
        return;
    }
    if (!strcmp(to, "hip/hip_runtime.h"))
        src->has_runtime = true;
    if (!*to || is_included(s, to, strlen(to))) {
        ls_edit_replace(src, ls_tok(src, hash)->at, ls_tok_end(src, header), "");
        return;
    }
    remember(s, to, strlen(to));
    ls_edit_replace(src, t->at + 1, ls_tok_end(src, header) - 1, to);
}

static void
include(struct scan *s, size_t hash, size_t header)
{
    const struct ls_token *t = ls_tok(s->src, header);
    const char *text = s->src->text + t->at + 1;
    const struct ls_name *name;

    if ((t->kind != LS_TOKEN_HEADER && t->kind != LS_TOKEN_STRING) || t->bytes < 3 ||
        t->flags & (LS_TOKEN_EXCLUDED | LS_TOKEN_SPLICED) || !strchr("\"<", text[-1]))
        return;
    name = ls_name_find(text, t->bytes - 2);
    if (!name && t->bytes > 6 && !memcmp(text, "cub/", 4)) /* all of CUB is one header of hipCUB */
        name = ls_name_find("cub/cub.cuh", 11);
    if (name && name->kind >= LS_KIND_INCLUDE && name->kind <= LS_KIND_INCLUDE_CUDA_MAIN_V2_H) {
        translate(s, hash, header, name);
        return;
    }
    if (t->bytes - 2 == 17 && !memcmp(text, "hip/hip_runtime.h", 17))
        s->src->has_runtime = true;
    remember(s, text, t->bytes - 2);
}

static void
condition(struct scan *s, const char *word, size_t bytes)
{
    bool opens = bytes >= 2 && !memcmp(word, "if", 2);
    bool closes = bytes == 5 && !memcmp(word, "endif", 5);

    if (opens && (s->too_deep || s->depth == MAX_DEPTH))
        s->too_deep++;
    else if (s->too_deep)
        s->too_deep -= closes;
    else if (opens)
        s->branches[s->depth++] = ++s->next_branch;
    else if (closes && s->depth)
        s->depth--;
    else if (!closes && s->depth) /* else, elif */
        s->branches[s->depth - 1] = ++s->next_branch;
}

void
ls_headers(struct ls_source *src)
{
    struct scan s = {.src = src, .includes = malloc(MAX_INCLUDES * sizeof(*s.includes))};

    if (!s.includes) {
        src->failed = true;
        return;
    }
    for (size_t i = 0; i + 1 < src->tokens.n; i++) {
        const struct ls_token *t = ls_tok(src, i + 1);
        const char *word = src->text + t->at;

        if (ls_tok(src, i)->kind != '#' || !(ls_tok(src, i)->flags & LS_TOKEN_FIRST) ||
            t->kind != LS_TOKEN_NAME || !(t->flags & LS_TOKEN_DIRECTIVE))
            continue;
        if ((t->bytes == 7 && !memcmp(word, "include", 7)) ||
            (t->bytes == 12 && !memcmp(word, "include_next", 12)))
            include(&s, i, i + 2);
        else if ((t->bytes >= 2 && !memcmp(word, "if", 2)) ||
                 (t->bytes >= 2 && !memcmp(word, "el", 2)) ||
                 (t->bytes == 5 && !memcmp(word, "endif", 5)))
            condition(&s, word, t->bytes);
    }
    src->has_blas_only = s.has_blas && !s.has_bf16;
    src->has_blas_v1 = s.has_blas_v1 && !s.has_blas_v2;
    free(s.includes);
}

/* ---- the header of the runtime ---- */

/* Behind the directive whose # is token i. */
static void
insert_behind(struct ls_source *src, size_t i)
{
    while (ls_tok(src, i)->kind != LS_TOKEN_DIRECTIVE_END)
        i++;
    ls_edit_insert(src, ls_tok_end(src, i - 1), src->line_end);
    ls_edit_insert(src, ls_tok_end(src, i - 1), "#include <hip/hip_runtime.h>");
}

static void
insert_before(struct ls_source *src, uint32_t at)
{
    ls_edit_insert_first(src, at, "#include <hip/hip_runtime.h>");
    ls_edit_insert_first(src, at, src->line_end);
}

static bool
is_directive(const struct ls_source *src, size_t i, const char *word)
{
    return ls_tok(src, i)->kind == '#' && ls_tok(src, i)->flags & LS_TOKEN_FIRST &&
           ls_tok_is(src, i + 1, word);
}

/* Whether the file has an include guard that #ifndef at i begins: the first directive but
 * #pragma once; its macro is defined inside, before any other conditional, and its #endif is last.
 */
static bool
is_guard(const struct ls_source *src, size_t i)
{
    const struct ls_token *macro = ls_tok(src, i + 2);
    size_t depth = 1, last = src->tokens.n - 1, end = 0;
    bool defined = false;

    if (macro->kind != LS_TOKEN_NAME)
        return false;
    for (size_t j = i + 3; j < last; j++) {
        if (ls_tok(src, j)->kind != '#' || !(ls_tok(src, j)->flags & LS_TOKEN_FIRST))
            continue;
        if (ls_tok(src, j + 1)->bytes >= 2 && !memcmp(src->text + ls_tok(src, j + 1)->at, "if", 2))
            depth++;
        else if (ls_tok_is(src, j + 1, "endif") && --depth == 0)
            end = j;
        else if (depth == 1 && ls_tok_is(src, j + 1, "define") &&
                 ls_tok(src, j + 2)->bytes == macro->bytes)
            defined |=
                !memcmp(src->text + ls_tok(src, j + 2)->at, src->text + macro->at, macro->bytes);
        if (end)
            break;
    }
    return defined && end && ls_tok(src, end + 2)->kind == LS_TOKEN_DIRECTIVE_END &&
           end + 3 == last;
}

void
ls_add_runtime_header(struct ls_source *src)
{
    size_t last = src->tokens.n - 1, depth = 0;

    if (src->has_runtime)
        return;
    for (size_t i = 0; i < last; i++) { /* #pragma once or a guard, at the head */
        if (!(ls_tok(src, i)->flags & LS_TOKEN_DIRECTIVE))
            break;
        if ((is_directive(src, i, "pragma") && ls_tok_is(src, i + 2, "once")) ||
            (is_directive(src, i, "ifndef") && is_guard(src, i))) {
            insert_behind(src, i);
            return;
        }
    }
    for (size_t i = 0; i < last; i++) { /* before the first #include outside of conditionals */
        if (ls_tok(src, i)->kind != '#' || !(ls_tok(src, i)->flags & LS_TOKEN_FIRST))
            continue;
        if (ls_tok_is(src, i + 1, "endif"))
            depth -= depth > 0;
        else if (ls_tok(src, i + 1)->bytes >= 2 &&
                 !memcmp(src->text + ls_tok(src, i + 1)->at, "if", 2))
            depth++;
        else if (ls_tok_is(src, i + 1, "include") && !depth) {
            insert_before(src, ls_tok(src, i)->at);
            return;
        }
    }
    insert_before(src, ls_tok(src, 0)->at);
}
