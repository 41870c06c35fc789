/* SPDX-License-Identifier: MIT */
/* lsreview --notation and --infer: the program itself tells what it found (src/check/notation.c);
 * here it is counted and written down. */
#include "notation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check_site.h"
#include "lscheck.h"

static bool
is_good(const struct finding *f)
{
    return !strcmp(f->kind, "verified") || !strcmp(f->kind, "inferred");
}

static bool
write_file(const char *path, const struct findings *f, char **argv, bool sarif)
{
    FILE *to = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (to && sarif)
        write_sarif(to, f, argv);
    else if (to)
        write_json(to, f, argv);
    if (to && !ferror(to) && fclose(to) == 0)
        return true;
    fprintf(stderr, "lsreview: %s: %s\n", path, strerror(errno));
    return false;
}

static void
summarise(const struct notation_options *o, const struct findings *all, const struct findings *bad)
{
    FILE *log = o->log ? fopen(o->log, "a") : stderr;

    if (!log)
        return;
    if (!all->started)
        fputs("lsreview: nothing was verified: the program did not use this HIP\n", log);
    else if (!all->n && o->infer)
        fprintf(log,
                "lsreview: --infer=%s: no kernel that ran has such a variable, with a value "
                "there that -g describes\n",
                o->infer);
    else if (!all->n)
        fputs("lsreview: no kernel that ran has a comment on where elements lie\n", log);
    else
        fprintf(log, "lsreview: %zu of %zu %s\n", all->n - bad->n, all->n,
                o->infer ? "are assignments" : "comments hold");
    if (log != stderr)
        fclose(log);
}

int
run_notation(const struct front *front, char **argv, const struct notation_options *o)
{
    const char *records = front_records(front, LS_CHECK_NOTES_NAME);
    struct findings all = {.tool = "lsreview"}, bad = all;
    int status;

    if (!records)
        return 2;
    if (o->infer)
        setenv("LOCKSTEP_CHECK_INFER", o->infer, 1);
    if (o->all)
        setenv("LOCKSTEP_CHECK_EACH", "1", 1);
    status = front_run(front, argv, o->log);
    if (!read_records(records, &all))
        fprintf(stderr, "lsreview: %s: %s\n", records, strerror(errno));
    unlink(records);
    bad.all = front_must(calloc(all.n + 1, sizeof(*bad.all)));
    for (size_t i = 0; i < all.n; i++)
        if (!is_good(&all.all[i]))
            bad.all[bad.n++] = all.all[i];
    summarise(o, &all, &bad);
    if (!write_file(o->json, &all, argv, false) || !write_file(o->sarif, &bad, argv, true))
        return 2;
    return bad.n && o->exit_code ? (int)front_exit_code(o->exit_code) : status;
}
