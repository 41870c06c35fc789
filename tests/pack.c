/* SPDX-License-Identifier: MIT */
/* The file "runs" of a pack: a paragraph for each run, a line for each fact, "key value". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MOST_S 60 /* a run, on a machine that may be paid by the minute */

/* Values end with the line. */
static bool
is_line(const char *value)
{
    return !strchr(value, '\n');
}

static bool
write_golden(const char *folder, const struct task *run)
{
    FILE *file = fopen(text("%s/%s.out", folder, run->binary), "w");
    bool ok = file && fputs(run->directives->golden, file) >= 0;

    return file && !fclose(file) && ok;
}

bool
pack_write(const char *folder, const struct task *run)
{
    const struct directives *d = run->directives;
    FILE *file = fopen(text("%s/runs", folder), "a");

    if (!file)
        return false;
    fprintf(file, "name %s\n", run->name);
    for (int i = 0; i < run->n_env; i++)
        fprintf(file, "env %s\n", run->env[i]);
    for (int i = 0; i < run->n_argv; i++) {
        if (!is_line(run->argv[i])) {
            errno = EINVAL;
            return fclose(file), false;
        }
        fprintf(file, "word %s\n", run->argv[i]);
    }
    fprintf(file, "timeout %d\nexit %d\n", run->timeout_s, d->expect_exit);
    if (d->expect_output)
        fprintf(file, "output %s\n", d->expect_output);
    if (d->golden)
        fprintf(file, "golden %s.out\n", run->binary);
    fprintf(file, "\n");
    return !fclose(file) && (!d->golden || write_golden(folder, run));
}

struct paragraph {
    struct task *run;
    struct directives *directives;
};

static bool
read_line(struct paragraph *p, const char *key, char *value)
{
    if (!strcmp(key, "name")) {
        p->directives = check_memory(calloc(1, sizeof(*p->directives)));
        p->run = new_task(KIND_RUN, value, 300);
        p->run->directives = p->directives;
        p->run->compile = new_task(KIND_COMPILE, value, 0);
        p->run->compile->runs_left = 2; /* what it ran stays */
        return true;
    }
    if (!p->run)
        return false;
    if (!strcmp(key, "env")) {
        if (p->run->n_env == sizeof(p->run->env) / sizeof(*p->run->env))
            return false;
        p->run->env[p->run->n_env++] = value;
    } else if (!strcmp(key, "word")) {
        add_word(p->run, value);
    } else if (!strcmp(key, "timeout")) {
        p->run->timeout_s = atoi(value) < MOST_S ? atoi(value) : MOST_S;
    } else if (!strcmp(key, "exit")) {
        p->directives->expect_exit = atoi(value);
    } else if (!strcmp(key, "output")) {
        p->directives->expect_output = value;
    } else if (!strcmp(key, "golden")) {
        p->directives->golden = read_file(value);
        return p->directives->golden != NULL;
    } else {
        return false;
    }
    return true;
}

/* The process stands in the folder of the pack. */
bool
pack_read(const char *folder, bool (*wanted)(const char *name))
{
    char *all = read_file("runs"), *state = NULL;
    struct paragraph p = {0};
    int number = 0;

    if (!all) {
        fprintf(stderr, "ls-check: %s/runs: %s\n", folder, strerror(errno));
        return false;
    }
    for (char *line = all; line; line = state) {
        number++;
        state = strchr(line, '\n');
        if (state)
            *state++ = '\0';
        if (!*line) { /* the end of a paragraph */
            if (p.run && wanted(p.run->name))
                enqueue(p.run);
            p = (struct paragraph){0};
            continue;
        }
        char *value = strchr(line, ' ');
        if (value)
            *value++ = '\0';
        if (!value || !read_line(&p, line, value)) {
            fprintf(stderr, "ls-check: %s/runs:%d: '%s' is not understood\n", folder, number, line);
            return false;
        }
    }
    return true; /* the runs keep the text */
}
