/* SPDX-License-Identifier: MIT */
/* Reads what src/check/review.c writes: lines of fields with tabs between them, the first of which
 * is a letter (S a process began, K kernel, A what was counted at a place, T frame of its trace, P
 * places of its lanes), the second the process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "lsreview.h"

static char *
field(char **at)
{
    char *f = *at, *end = f + strcspn(f, "\t\n");

    *at = *end ? end + 1 : end;
    *end = '\0';
    return f;
}

static uint64_t
number(char **at)
{
    return strtoull(field(at), NULL, 10);
}

static char *
text(char **at)
{
    return front_must(strdup(field(at)));
}

struct kernel *
find_kernel(const struct measures *m, const char *name)
{
    for (size_t i = 0; i < m->n_kernels; i++)
        if (!strcmp(m->kernels[i].name, name))
            return &m->kernels[i];
    return NULL;
}

/* A kernel of several processes counts as one. */
static void
add_kernel(struct measures *m, char *rest)
{
    char *name = text(&rest), *plain = text(&rest);
    struct kernel *k = find_kernel(m, name);

    if (!k) {
        m->kernels = front_must(realloc(m->kernels, (m->n_kernels + 1) * sizeof(*m->kernels)));
        k = &m->kernels[m->n_kernels++];
        *k = (struct kernel){.name = name, .plain = plain};
    }
    k->n_launches += number(&rest);
    k->n_blocks += number(&rest);
    k->width = (uint32_t)number(&rest);
    for (unsigned i = 0; i < 3; i++)
        k->grid[i] = (uint32_t)number(&rest);
    for (unsigned i = 0; i < 3; i++)
        k->block[i] = (uint32_t)number(&rest);
    k->lds_bytes = number(&rest);
    k->ns += number(&rest);
}

static void
add_measure(struct measures *m, uint32_t process, char *rest)
{
    struct measure *one;

    m->all = front_must(realloc(m->all, (m->n + 1) * sizeof(*m->all)));
    one = &m->all[m->n++];
    *one = (struct measure){.process = process, .id = (uint32_t)number(&rest)};
    one->kernel = text(&rest);
    one->variable = text(&rest);
    one->kind = (unsigned)number(&rest);
    one->is_shared = number(&rest) != 0;
    one->bytes = (uint32_t)number(&rest);
    one->singles = (uint32_t)number(&rest);
    one->doubles = (uint32_t)number(&rest);
    uint64_t *const counts[] = {&one->executions, &one->samples,       &one->lanes,
                                &one->room,       &one->lines,         &one->ideal_lines,
                                &one->sectors,    &one->ideal_sectors, &one->same};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        *counts[i] = number(&rest);
    for (unsigned i = 0; i < LS_N_BANK_MODELS; i++) {
        one->cycles[i] = number(&rest);
        one->ideal_cycles[i] = number(&rest);
        one->degree[i] = (uint32_t)number(&rest);
    }
}

static void
add_frame(struct measure *m, char *rest)
{
    struct frame *one;

    m->frames = front_must(realloc(m->frames, (m->n_frames + 1) * sizeof(*m->frames)));
    one = &m->frames[m->n_frames++];
    one->function = text(&rest);
    one->file = text(&rest);
    one->line = (unsigned)number(&rest);
    one->column = (unsigned)number(&rest);
}

/* Frames and places follow what they belong to. */
static void
read_line(struct measures *m, char *line)
{
    char letter = *field(&line);
    uint32_t process = (uint32_t)number(&line);

    if (letter == 'S') {
        m->started = true;
    } else if (letter == 'K') {
        add_kernel(m, line);
    } else if (letter == 'A') {
        add_measure(m, process, line);
    } else if (m->n && m->all[m->n - 1].process == process &&
               m->all[m->n - 1].id == (uint32_t)number(&line)) {
        struct measure *last = &m->all[m->n - 1];

        if (letter == 'T')
            add_frame(last, line);
        if (letter != 'P')
            return;
        last->mask = number(&line);
        for (unsigned i = 0; i < WARP; i++)
            last->places[i] = number(&line);
    }
}

/* ---- The same place of the same kernel, in code for other shapes of blocks and by other processes
 * ---- */

static bool
are_same(const struct measure *a, const struct measure *b)
{
    if (a->kind != b->kind || a->is_shared != b->is_shared || a->bytes != b->bytes ||
        a->singles != b->singles || a->doubles != b->doubles ||
        a->n_frames != b->n_frames || strcmp(a->kernel, b->kernel) != 0 ||
        strcmp(a->variable, b->variable) != 0)
        return false;
    for (size_t i = 0; i < a->n_frames; i++)
        if (a->frames[i].line != b->frames[i].line || a->frames[i].column != b->frames[i].column ||
            strcmp(a->frames[i].file, b->frames[i].file) != 0)
            return false;
    return a->n_frames > 0;
}

static void
merge(struct measure *to, const struct measure *from)
{
    to->executions += from->executions;
    to->samples += from->samples;
    to->lanes += from->lanes;
    to->room += from->room;
    to->lines += from->lines;
    to->ideal_lines += from->ideal_lines;
    to->sectors += from->sectors;
    to->ideal_sectors += from->ideal_sectors;
    to->same += from->same;
    for (unsigned i = 0; i < LS_N_BANK_MODELS; i++) {
        to->cycles[i] += from->cycles[i];
        to->ideal_cycles[i] += from->ideal_cycles[i];
        if (from->degree[i] > to->degree[i])
            to->degree[i] = from->degree[i];
    }
}

static void
merge_all(struct measures *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        size_t k = 0;

        while (k < n && !are_same(&m->all[k], &m->all[i]))
            k++;
        if (k < n)
            merge(&m->all[k], &m->all[i]);
        else
            m->all[n++] = m->all[i];
    }
    m->n = n;
}

bool
read_measures(const char *path, struct measures *out)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;

    *out = (struct measures){.n = 0};
    if (!in)
        return false;
    while (getline(&line, &cap, in) > 0)
        read_line(out, line);
    free(line);
    fclose(in);
    merge_all(out);
    return true;
}
