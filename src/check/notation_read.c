/* SPDX-License-Identifier: MIT */
/* What the compiler writes of a comment (ir/notes.c), read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/notation_priv.h"

static void
copy(char *to, size_t bytes, const char *from, size_t n)
{
    n = n < bytes ? n : bytes - 1;
    memcpy(to, from, n);
    to[n] = '\0';
}

/* "4 0+0 0+1 -": for each byte the number and what is added. */
static void
read_bytes(struct ls_note *n, const char *at)
{
    char *next;

    n->n_bytes = (unsigned)strtoul(at, &next, 10);
    if (n->n_bytes > LS_NOTE_BYTES)
        n->n_bytes = 0;
    for (unsigned i = 0; i < n->n_bytes; i++) {
        n->from[i].arg = 255;
        while (*next == ' ')
            next++;
        if (*next == '-') {
            next++;
            continue;
        }
        n->from[i].arg = (uint8_t)strtoul(next, &next, 10);
        n->from[i].add = (int16_t)strtol(next, &next, 10);
    }
}

/* "p<tab>i 16 256<tab>j 16 16": shapes and strides. */
static void
read_array(struct ls_notation_array *a, const char *at, size_t bytes)
{
    char text[1024], *save = NULL, *word;

    copy(text, sizeof(text), at, bytes);
    if (!(word = strtok_r(text, "\t", &save)))
        return;
    copy(a->name, sizeof(a->name), word, strlen(word));
    while ((word = strtok_r(NULL, "\t", &save)) && a->view.n < LS_NOTATION_DIMS) {
        unsigned d = a->view.n;
        unsigned long long shape;
        long long stride;

        if (sscanf(word, "%23s %llu %lld", a->index[d], &shape, &stride) != 3)
            return;
        a->view.shape[d] = shape;
        a->view.strides[d] = stride;
        a->view.n++;
    }
}

static void
read_view(struct ls_notation_view *v, const char *at, size_t bytes)
{
    struct ls_notation_array a = {.line = 0};

    read_array(&a, at, bytes);
    *v = a.view;
}

static void
read_fact(struct ls_note *n, const char *line, size_t bytes, char says[2048])
{
    const char *value = memchr(line, '\t', bytes);
    size_t name = value ? (size_t)(value - line) : bytes, left;

    if (!value)
        return;
    left = bytes - name - 1;
    value++;
#define IS(what) (name == strlen(what) && !memcmp(line, what, name))
    if (IS("file"))
        copy(n->file, sizeof(n->file), value, left);
    else if (IS("line"))
        n->line = (unsigned)strtoul(value, NULL, 10);
    else if (IS("names"))
        copy(n->names, sizeof(n->names), value, left);
    else if (IS("type"))
        copy(n->type, sizeof(n->type), value, left);
    else if (IS("count"))
        n->n_variables = (unsigned)strtoul(value, NULL, 10);
    else if (IS("problem"))
        copy(n->problem, sizeof(n->problem), value, left);
    else if (IS("infer"))
        n->is_infer = true;
    else if (IS("announce"))
        n->is_announced = true;
    else if (IS("bytes"))
        read_bytes(n, value);
    else if (IS("array") && n->n_arrays < LS_NOTE_ARRAYS)
        read_array(&n->arrays[n->n_arrays++], value, left);
    else if (IS("level"))
        n->level = (enum ls_notation_level)strtoul(value, NULL, 10);
    else if (IS("element"))
        n->element = (unsigned)strtoul(value, NULL, 10);
    else if (IS("access"))
        n->access_bytes = (unsigned)strtoul(value, NULL, 10);
    else if (IS("comment"))
        n->comment = (unsigned)strtoul(value, NULL, 10);
    else if (IS("before"))
        read_view(&n->before, value, left);
    else if (IS("after"))
        read_view(&n->after, value, left);
    else if (IS("says"))
        snprintf(says + strlen(says), 2048 - strlen(says), "%.*s\n", (int)left, value);
#undef IS
}

static void
add_bit(struct ls_note *n, enum ls_notation_part part, unsigned number,
        const struct ls_notation_bit *says)
{
    unsigned i = 0;

    n->bits[n->n_bits++] = (struct ls_note_bit){.part = part, .number = number, .says = *says};
    if (ls_notation_is_copy(says))
        return;
    while (i < n->n_indices && strcmp(n->indices[i].name, says->index) != 0)
        i++;
    if (i == n->n_indices)
        copy(n->indices[n->n_indices++].name, LS_NOTATION_NAME, says->index, strlen(says->index));
}

static void
set_bits(struct ls_note *n)
{
    for (unsigned p = 0; p < LS_NOTATION_PARTS; p++)
        for (unsigned i = 0; i < n->says.parts[p].n; i++)
            if (n->says.parts[p].known >> i & 1)
                add_bit(n, (enum ls_notation_part)p, i, &n->says.parts[p].bits[i]);
}

void
ls_note_use_arrays(struct ls_note *n, unsigned bytes)
{
    bool has_parts = false;

    for (unsigned i = 0; i < n->n_indices; i++)
        has_parts |= !strcmp(n->indices[i].name, "ReIm");
    for (unsigned a = 0; a < n->n_arrays; a++) {
        unsigned n_found = 0, each = bytes * (has_parts ? 2 : 1); /* of a complex array */

        for (unsigned i = 0; i < n->n_indices; i++)
            for (unsigned d = 0; d < n->arrays[a].view.n; d++)
                n_found += !strcmp(n->indices[i].name, n->arrays[a].index[d]);
        for (unsigned i = 0; i < n->n_indices; i++)
            n_found += !strcmp(n->indices[i].name, "ReIm");
        if (n_found != n->n_indices)
            continue;
        for (unsigned i = 0; i < n->n_indices; i++)
            for (unsigned d = 0; d < n->arrays[a].view.n; d++)
                if (!strcmp(n->indices[i].name, n->arrays[a].index[d])) {
                    n->indices[i].stride = n->arrays[a].view.strides[d] * each;
                    n->indices[i].is_known = n->indices[i].is_declared = true;
                }
        return;
    }
}

static void
set_elements(struct ls_note *n)
{
    unsigned simd = n->says.parts[LS_NOTATION_SIMD].n,
             registers = n->says.parts[LS_NOTATION_REGISTER].n;

    if (n->is_infer || n->problem[0])
        return;
    if (simd + registers > 8 || n->n_bytes % (1u << (simd + registers))) {
        snprintf(n->problem, sizeof(n->problem),
                 "it says %u elements in each thread, but the variables have %u bytes",
                 1u << (simd + registers), n->n_bytes);
        return;
    }
    if (n->n_variables > 1 && (1u << registers) % n->n_variables) {
        snprintf(n->problem, sizeof(n->problem),
                 "it says %u registers in each thread, but there are "
                 "%u variables",
                 1u << registers, n->n_variables);
        return;
    }
    n->n_elements = 1u << (simd + registers);
    n->element_bytes = n->n_bytes / n->n_elements;
    n->element_mask =
        n->says.parts[LS_NOTATION_SIMD].known | n->says.parts[LS_NOTATION_REGISTER].known << simd;
    n->thread_mask = n->says.parts[LS_NOTATION_THREAD].known;
}

struct ls_note *
ls_note_read(const struct ls_check_site *site, const char *text, const char *kernel)
{
    struct ls_note *n = calloc(1, sizeof(*n));
    char says[2048] = "", error[160];

    if (!n)
        return NULL;
    n->site = site;
    n->text = strdup(text);
    n->kernel = strdup(kernel);
    n->trace = strdup(site->trace ? (const char *)site + site->trace : "");
    pthread_mutex_init(&n->lock, NULL);
    for (const char *at = text; *at;) {
        size_t bytes = strcspn(at, "\n");

        read_fact(n, at, bytes, says);
        at += bytes + (at[bytes] == '\n');
    }
    if (*says && !ls_notation_parse(says, &n->says, error) && !n->problem[0])
        snprintf(n->problem, sizeof(n->problem), "%s", error);
    set_bits(n);
    if (!n->is_announced && !n->element)
        set_elements(n);
    if (n->text && n->kernel && n->trace)
        return n;
    free(n->text);
    free(n->kernel);
    free(n->trace);
    free(n);
    return NULL;
}
