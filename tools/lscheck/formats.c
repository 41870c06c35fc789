/* SPDX-License-Identifier: MIT */
/* Findings as JSON and as SARIF. */
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "lscheck.h"

static void
put_json_finding(FILE *to, const struct finding *f)
{
    fputs("  {", to);
    put_member(to, "check", f->check);
    fputc(',', to);
    put_member(to, "kind", f->kind);
    fputc(',', to);
    put_member(to, "message", f->message);
    fputc(',', to);
    put_member(to, "where", f->where);
    fprintf(to, ",\"count\":%llu,\"trace\":[", (unsigned long long)f->count);
    for (size_t i = 0; i < f->n_frames; i++) {
        fputs(i ? ",{" : "{", to);
        put_member(to, "function", f->frames[i].function);
        fputc(',', to);
        put_member(to, "file", f->frames[i].file);
        fprintf(to, ",\"line\":%u,\"column\":%u}", f->frames[i].line, f->frames[i].column);
    }
    fputs("],\"notes\":[", to);
    for (size_t i = 0; i < f->n_notes; i++) {
        fputs(i ? "," : "", to);
        put_string(to, f->notes[i]);
    }
    fputs("]}", to);
}

void
write_json(FILE *to, const struct findings *f, char **argv)
{
    fputs("{\"version\":1,\"program\":[", to);
    for (size_t i = 0; argv[i]; i++) {
        fputs(i ? "," : "", to);
        put_string(to, argv[i]);
    }
    fputs("],\"findings\":[\n", to);
    for (size_t i = 0; i < f->n; i++) {
        put_json_finding(to, &f->all[i]);
        fputs(i + 1 < f->n ? ",\n" : "\n", to);
    }
    fputs("]}\n", to);
}

/* ---- SARIF ---- */

static char *
text_of(const struct finding *f)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);

    front_must(to);
    fputs(f->message, to);
    if (*f->where)
        fprintf(to, "\n%s", f->where);
    for (size_t i = 0; i < f->n_notes; i++)
        fprintf(to, "\n%s", f->notes[i]);
    fclose(to);
    return front_must(text);
}

void
write_sarif(FILE *to, const struct findings *f, char **argv)
{
    struct sarif_result *all = front_must(calloc(f->n + 1, sizeof(*all)));

    (void)argv;
    for (size_t i = 0; i < f->n; i++) {
        const struct finding *one = &f->all[i];
        size_t bytes = strlen(one->check) + strlen(one->kind) + 2;
        char *rule = front_must(malloc(bytes));

        snprintf(rule, bytes, "%s/%s", one->check, one->kind);
        all[i] =
            (struct sarif_result){rule, text_of(one), true, one->frames, one->n_frames, one->count};
    }
    put_sarif(to, f->tool, all, f->n);
}
