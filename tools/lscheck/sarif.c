/* SPDX-License-Identifier: MIT */
/* SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"). */
#include <string.h>

#include "front.h"

/* A path as a URI: what is no letter of those is written by its number. */
static void
put_uri(FILE *to, const char *path)
{
    fprintf(to, "\"%s", *path == '/' ? "file://" : "");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || strchr("0123456789-._~/+", *c))
            fputc(*c, to);
        else
            fprintf(to, "%%%02X", *c);
    fputc('"', to);
}

static void
put_location(FILE *to, const struct frame *f, bool named)
{
    fputs("{\"physicalLocation\":{\"artifactLocation\":{\"uri\":", to);
    put_uri(to, f->file);
    fputc('}', to);
    if (f->line) {
        fprintf(to, ",\"region\":{\"startLine\":%u", f->line);
        if (f->column)
            fprintf(to, ",\"startColumn\":%u", f->column);
        fputc('}', to);
    }
    fputc('}', to);
    if (named) {
        fputs(",\"message\":{", to);
        put_member(to, "text", f->function);
        fputc('}', to);
    }
    fputc('}', to);
}

static bool
is_first_of_rule(const struct sarif_result *all, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(all[i].rule, all[at].rule))
            return false;
    return true;
}

static void
put_rules(FILE *to, const struct sarif_result *all, size_t n)
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        if (!is_first_of_rule(all, i))
            continue;
        fputs(any ? ",{" : "{", to);
        put_member(to, "id", all[i].rule);
        fputc('}', to);
        any = true;
    }
}

static void
put_result(FILE *to, const struct sarif_result *r)
{
    fputc('{', to);
    put_member(to, "ruleId", r->rule);
    fprintf(to, ",\"level\":\"%s\",\"message\":{", r->is_error ? "error" : "warning");
    put_member(to, "text", r->text);
    fputc('}', to);
    if (r->n_frames) {
        fputs(",\"locations\":[", to);
        put_location(to, &r->frames[0], false);
        fputc(']', to);
    }
    if (r->n_frames > 1) {
        fputs(",\"stacks\":[{\"frames\":[", to);
        for (size_t i = 0; i < r->n_frames; i++) {
            fputs(i ? ",{\"location\":" : "{\"location\":", to);
            put_location(to, &r->frames[i], true);
            fputc('}', to);
        }
        fputs("]}]", to);
    }
    fprintf(to, ",\"occurrenceCount\":%llu}", (unsigned long long)(r->count ? r->count : 1));
}

void
put_sarif(FILE *to, const char *tool, const struct sarif_result *all, size_t n)
{
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
          "\"runs\":[{\"tool\":{\"driver\":{",
          to);
    put_member(to, "name", tool);
    fputs(",\"rules\":[", to);
    put_rules(to, all, n);
    fputs("]}},\"results\":[", to);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",\n" : "\n", to);
        put_result(to, &all[i]);
    }
    fputs("\n]}]}\n", to);
}
