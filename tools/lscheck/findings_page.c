/* SPDX-License-Identifier: MIT */
/* Findings as a page: each with its calls, the source around, and what is known of the memory. */
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "lscheck.h"
#include "source.h"

enum { AROUND = 3 /* lines of source */ };

static int
by_count(const void *a, const void *b)
{
    const struct finding *const *x = a, *const *y = b;

    if (strcmp((*x)->check, (*y)->check) != 0)
        return strcmp((*x)->check, (*y)->check);
    if ((*x)->count != (*y)->count)
        return (*x)->count < (*y)->count ? 1 : -1;
    return *x < *y ? -1 : 1; /* as they were found */
}

static void
put_source(FILE *to, const struct frame *at)
{
    const struct source *s = source_of(at->file);
    unsigned from = at->line > AROUND ? at->line - AROUND : 1;

    if (!at->line || at->line > s->n)
        return;
    fputs("<div class=\"wide\"><table class=\"src\">", to);
    for (unsigned l = from; l <= s->n && l <= at->line + AROUND; l++) {
        fprintf(to, "<tr%s><td class=\"n\">%u</td><td class=\"t\">",
                l == at->line ? " class=\"here\"" : "", l);
        put_html(to, s->lines[l - 1]);
        fputs("</td></tr>", to);
    }
    fputs("</table></div>", to);
}

static void
put_finding(FILE *to, const struct finding *f)
{
    fputs("<section class=\"f\"><p><span class=\"tag\">", to);
    put_html(to, f->check);
    fputc('/', to);
    put_html(to, f->kind);
    fputs("</span><strong>", to);
    put_html(to, f->message);
    fputs("</strong></p>", to);
    for (size_t i = 0; i < f->n_frames; i++) {
        fprintf(to, "<p>%s <code>", i ? "inlined into" : "in");
        put_html(to, f->frames[i].function);
        fputs("</code>, ", to);
        put_html(to, f->frames[i].file);
        if (f->frames[i].line)
            fprintf(to, ":%u:%u", f->frames[i].line, f->frames[i].column);
        fputs("</p>", to);
        if (i == 0)
            put_source(to, &f->frames[i]);
    }
    if (*f->where) {
        fputs("<p>", to);
        put_html(to, f->where);
        fputs("</p>", to);
    }
    if (f->n_notes) {
        fputs("<pre>", to);
        for (size_t i = 0; i < f->n_notes; i++) {
            put_html(to, f->notes[i]);
            fputc('\n', to);
        }
        fputs("</pre>", to);
    }
    fprintf(to, "<p class=\"dim\">seen %llu times</p></section>\n", (unsigned long long)f->count);
}

void
write_findings_page(FILE *to, const struct findings *f, char **argv)
{
    const struct finding **all = front_must(calloc(f->n + 1, sizeof(const struct finding *)));

    for (size_t i = 0; i < f->n; i++)
        all[i] = &f->all[i];
    if (f->n)
        qsort(all, f->n, sizeof(*all), by_count);
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width\"><title>Findings in ",
          to);
    put_html(to, argv[0]);
    fprintf(to, "</title><style>%s</style></head><body>\n<h1>Findings in ", HTML_STYLE);
    put_html(to, argv[0]);
    if (!f->started)
        fputs("</h1><p>Nothing was checked: the program did not use this HIP.</p>\n", to);
    else if (!f->n)
        fputs("</h1><p class=\"good\">Nothing was found.</p>\n", to);
    else
        fprintf(to, "</h1><p>%zu findings, those of each check by how often they were seen.</p>\n",
                f->n);
    for (size_t i = 0; i < f->n; i++) {
        if (i == 0 || strcmp(all[i]->check, all[i - 1]->check) != 0) {
            fputs("<h2>", to);
            put_html(to, all[i]->check);
            fputs("</h2>\n", to);
        }
        put_finding(to, all[i]);
    }
    fputs("</body></html>\n", to);
    free(all);
}
