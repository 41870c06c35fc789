/* SPDX-License-Identifier: MIT */
/* Edits in any order, applied at once. */
#include "source.h"

#include <stdlib.h>
#include <string.h>

static void
add(struct ls_source *src, struct ls_edit edit)
{
    if (src->n_edits == src->cap_edits) {
        size_t cap = src->cap_edits ? 2 * src->cap_edits : 256;
        struct ls_edit *edits = realloc(src->edits, cap * sizeof(*edits));

        if (!edits) {
            src->failed = true;
            return;
        }
        src->edits = edits;
        src->cap_edits = cap;
    }
    edit.order = (uint32_t)src->n_edits;
    edit.owner = src->owner;
    src->edits[src->n_edits++] = edit;
    ls_stats_touch(src->stats, ls_line_of(src, edit.begin), edit.end - edit.begin);
}

void
ls_edit_replace(struct ls_source *src, uint32_t begin, uint32_t end, const char *text)
{
    add(src, (struct ls_edit){.begin = begin, .end = end, .text = text});
}

void
ls_edit_insert(struct ls_source *src, uint32_t at, const char *text)
{
    add(src, (struct ls_edit){.begin = at, .end = at, .text = text});
}

void
ls_edit_insert_first(struct ls_source *src, uint32_t at, const char *text)
{
    add(src, (struct ls_edit){.begin = at, .end = at, .text = text, .is_first = true});
}

void
ls_edit_copy(struct ls_source *src, uint32_t at, uint32_t from, uint32_t to, const char *before,
             const char *after)
{
    add(src, (struct ls_edit){.begin = at,
                              .end = at,
                              .from = from,
                              .to = to,
                              .before = before,
                              .after = after,
                              .is_copy = true});
}

/* Insertions come before what replaces bytes there; among equals the order they were made in. */
static int
compare(const void *a, const void *b)
{
    const struct ls_edit *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if ((x->begin == x->end) != (y->begin == y->end))
        return x->begin == x->end ? -1 : 1;
    if (x->is_first != y->is_first)
        return x->is_first ? -1 : 1;
    if (x->begin != x->end && x->end != y->end) /* the longer one holds the other */
        return x->end > y->end ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

struct output {
    char *v;
    size_t n, cap;
    bool failed;
};

static void
put(struct output *out, const char *text, size_t n)
{
    if (out->failed)
        return;
    if (n >= out->cap - out->n) {
        size_t cap = (out->cap + n) * 3 / 2 + 64;
        char *v = realloc(out->v, cap);

        if (!v) {
            out->failed = true;
            return;
        }
        out->v = v;
        out->cap = cap;
    }
    memcpy(out->v + out->n, text, n);
    out->n += n;
}

static size_t
first_edit(const struct ls_source *src, uint32_t at)
{
    size_t low = 0, high = src->n_edits;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (src->edits[middle].begin < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The translation of [from, to), without the edits of one owner: what it moves, it moves once. */
static void
write_range(const struct ls_source *src, struct output *out, uint32_t from, uint32_t to,
            uint32_t without)
{
    uint32_t at = from;

    for (size_t i = first_edit(src, from); i < src->n_edits && src->edits[i].begin <= to; i++) {
        const struct ls_edit *e = &src->edits[i];

        if (e->begin < at || e->end > to || (without && e->owner == without))
            continue;
        put(out, src->text + at, e->begin - at);
        at = e->end;
        if (e->is_copy) {
            put(out, e->before, strlen(e->before));
            write_range(src, out, e->from, e->to, e->owner);
            put(out, e->after, strlen(e->after));
        } else {
            put(out, e->text, strlen(e->text));
        }
    }
    put(out, src->text + at, to - at);
}

char *
ls_edits_apply(struct ls_source *src, size_t *bytes)
{
    struct output out = {.v = malloc(src->bytes + src->bytes / 8 + 64),
                         .cap = src->bytes + src->bytes / 8 + 64};

    if (!out.v)
        return NULL;
    if (src->n_edits)
        qsort(src->edits, src->n_edits, sizeof(*src->edits), compare);
    write_range(src, &out, 0, (uint32_t)src->bytes, 0);
    put(&out, "", 1);
    if (out.failed) {
        free(out.v);
        return NULL;
    }
    *bytes = out.n - 1;
    return out.v;
}
