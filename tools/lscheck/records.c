/* SPDX-License-Identifier: MIT */
/* Reads what src/check/finding.c writes: lines of fields with tabs between them, the first of which
 * is a letter (S a process began, F finding, T frame of its trace, N note, C count), the second the
 * process, the third the finding's number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "lscheck.h"

/* The next field of a line, which is cut off; an empty one behind the last. */
static char *
field(char **at)
{
    char *f = *at, *end = f + strcspn(f, "\t\n");

    *at = *end ? end + 1 : end;
    *end = '\0';
    return f;
}

static struct finding *
find(struct findings *f, uint32_t process, unsigned id)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->all[i].id == id && f->all[i].process == process)
            return &f->all[i];
    return NULL;
}

static void
add_finding(struct findings *f, uint32_t process, unsigned id, char *rest)
{
    struct finding *one;

    f->all = front_must(realloc(f->all, (f->n + 1) * sizeof(*f->all)));
    one = &f->all[f->n++];
    *one = (struct finding){.id = id, .process = process, .count = 1};
    one->check = front_must(strdup(field(&rest)));
    one->kind = front_must(strdup(field(&rest)));
    one->message = front_must(strdup(field(&rest)));
    one->where = front_must(strdup(field(&rest)));
}

static void
add_frame(struct finding *f, char *rest)
{
    struct frame *one;

    f->frames = front_must(realloc(f->frames, (f->n_frames + 1) * sizeof(*f->frames)));
    one = &f->frames[f->n_frames++];
    one->function = front_must(strdup(field(&rest)));
    one->file = front_must(strdup(field(&rest)));
    one->line = (unsigned)strtoul(field(&rest), NULL, 10);
    one->column = (unsigned)strtoul(field(&rest), NULL, 10);
}

static void
add_note(struct finding *f, char *rest)
{
    rest[strcspn(rest, "\n")] = '\0';
    f->notes = front_must(realloc(f->notes, (f->n_notes + 1) * sizeof(*f->notes)));
    f->notes[f->n_notes++] = front_must(strdup(rest));
}

static void
read_line(struct findings *f, char *line)
{
    const char *letter = field(&line);
    uint32_t process = (uint32_t)strtoul(field(&line), NULL, 10);
    unsigned id = (unsigned)strtoul(field(&line), NULL, 10);
    struct finding *one = find(f, process, id);

    f->started |= !strcmp(letter, "S");
    if (!strcmp(letter, "F") && !one)
        add_finding(f, process, id, line);
    else if (!one)
        return;
    else if (!strcmp(letter, "T"))
        add_frame(one, line);
    else if (!strcmp(letter, "N"))
        add_note(one, line);
    else if (!strcmp(letter, "C"))
        one->count = strtoull(field(&line), NULL, 10);
}

bool
read_records(const char *path, struct findings *out)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;

    *out = (struct findings){.tool = out->tool};
    if (!in)
        return errno == ENOENT; /* nothing was found */
    while (getline(&line, &cap, in) > 0)
        read_line(out, line);
    free(line);
    fclose(in);
    return true;
}
