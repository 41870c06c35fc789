/* SPDX-License-Identifier: MIT */
/* Findings as JSON and as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"). */
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

static void
put_rule_id(FILE *to, const struct finding *f)
{
    fprintf(to, "\"%s/%s\"", f->check, f->kind);
}

static bool
is_first_of_rule(const struct findings *f, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(f->all[i].check, f->all[at].check) && !strcmp(f->all[i].kind, f->all[at].kind))
            return false;
    return true;
}

static void
put_rules(FILE *to, const struct findings *f)
{
    bool any = false;

    for (size_t i = 0; i < f->n; i++) {
        if (!is_first_of_rule(f, i))
            continue;
        fputs(any ? ",{\"id\":" : "{\"id\":", to);
        put_rule_id(to, &f->all[i]);
        fputc('}', to);
        any = true;
    }
}

static void
put_result(FILE *to, const struct finding *f)
{
    fputs("{\"ruleId\":", to);
    put_rule_id(to, f);
    fputs(",\"level\":\"error\",\"message\":{\"text\":\"", to);
    put_text(to, f->message);
    if (*f->where) {
        fputs("\\n", to);
        put_text(to, f->where);
    }
    for (size_t i = 0; i < f->n_notes; i++) {
        fputs("\\n", to);
        put_text(to, f->notes[i]);
    }
    fputs("\"}", to);
    if (f->n_frames) {
        fputs(",\"locations\":[", to);
        put_location(to, &f->frames[0], false);
        fputc(']', to);
    }
    if (f->n_frames > 1) {
        fputs(",\"stacks\":[{\"frames\":[", to);
        for (size_t i = 0; i < f->n_frames; i++) {
            fputs(i ? ",{\"location\":" : "{\"location\":", to);
            put_location(to, &f->frames[i], true);
            fputc('}', to);
        }
        fputs("]}]", to);
    }
    fprintf(to, ",\"occurrenceCount\":%llu", (unsigned long long)(f->count ? f->count : 1));
    fputc('}', to);
}

void
write_sarif(FILE *to, const struct findings *f)
{
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
          "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"lscheck\",\"rules\":[",
          to);
    put_rules(to, f);
    fputs("]}},\"results\":[", to);
    for (size_t i = 0; i < f->n; i++) {
        fputs(i ? ",\n" : "\n", to);
        put_result(to, &f->all[i]);
    }
    fputs("\n]}]}\n", to);
}
