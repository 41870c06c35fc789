/* SPDX-License-Identifier: MIT */
/* A review as a page: one file, nothing of which comes from elsewhere, light or dark as the
 * reader's system is. Findings, each with a picture of its most expensive access; sources with a
 * margin of measures. No scripts: parts open by <details>. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check_site.h"
#include "front.h"
#include "html.h"
#include "lsreview.h"

/* ---- Pictures ---- */

enum { CELL = 18, MARGIN = 70, MOST_ROWS = 70 };

static void
put_cell(FILE *to, unsigned row, unsigned column, unsigned n, const char *title)
{
    unsigned x = MARGIN + column * CELL, y = 14 + row * CELL;

    fprintf(to,
            "<g><title>%s</title><rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>",
            title,
            n == 0   ? "o"
            : n == 1 ? "c"
                     : "b",
            x, y, CELL - 2, CELL - 2);
    if (n > 1)
        fprintf(to, "<text x=\"%u\" y=\"%u\" style=\"fill:var(--bg)\">%u</text>", x + 2, y + 11, n);
    fputs("</g>", to);
}

static void
begin_picture(FILE *to, unsigned rows, unsigned columns, const char *label)
{
    fprintf(to,
            "<div class=\"wide\"><svg role=\"img\" aria-label=\"%s\" width=\"%u\" height=\"%u\">",
            label, MARGIN + columns * CELL + 4, 18 + rows * CELL);
    for (unsigned c = 0; c < columns; c += 4)
        fprintf(to, "<text x=\"%u\" y=\"10\">%u</text>", MARGIN + c * CELL, c);
}

/* Names the lanes of a set: "0 1 2 ..." */
static void
name_lanes(uint64_t lanes, char *to, size_t bytes)
{
    size_t at = 0;

    to[0] = '\0';
    for (; lanes && at + 4 < bytes; lanes &= lanes - 1)
        at += (size_t)snprintf(to + at, bytes - at, " %d", __builtin_ctzll(lanes));
}

/* The lanes of a phase that want something of a bank, and how many different words. */
static unsigned
words_of_bank(const struct measure *m, const struct ls_bank_model *model, unsigned phase,
              unsigned bank, uint64_t *lanes)
{
    uint64_t words[WARP * 5];
    unsigned n = 0;

    *lanes = 0;
    for (uint64_t left = m->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t at = m->places[lane];

        if (ls_bank_phase(model, lane, m->bytes, m->kind == LS_CHECK_LOAD) != phase)
            continue;
        for (uint64_t w = at / 4; w <= (at + m->bytes - 1) / 4; w++) {
            unsigned i = 0;

            if (w % model->banks != bank)
                continue;
            *lanes |= left & -left;
            while (i < n && words[i] != w)
                i++;
            if (i == n && n < sizeof(words) / sizeof(words[0]))
                words[n++] = w;
        }
    }
    return n;
}

static void
put_banks(FILE *to, const struct measure *m, const struct ls_bank_model *model)
{
    unsigned n_phases = 0;

    for (uint64_t left = m->mask; left; left &= left - 1) {
        unsigned p = ls_bank_phase(model, (unsigned)__builtin_ctzll(left), m->bytes,
                                   m->kind == LS_CHECK_LOAD);

        n_phases = p + 1 > n_phases ? p + 1 : n_phases;
    }
    fprintf(
        to,
        "<p class=\"dim\">Banks of %s, from left to right, by the phases that serve the lanes; a "
        "number is how many different words a bank has to give.</p>",
        model->name);
    begin_picture(to, n_phases, model->banks, "lanes and banks");
    for (unsigned p = 0; p < n_phases; p++) {
        fprintf(to, "<text x=\"0\" y=\"%u\">phase %u</text>", 26 + p * CELL, p);
        for (unsigned b = 0; b < model->banks; b++) {
            char lanes[256], title[320];
            uint64_t who;
            unsigned n = words_of_bank(m, model, p, b, &who);

            name_lanes(who, lanes, sizeof(lanes));
            snprintf(title, sizeof(title), "bank %u: %u words, lanes%s", b, n, lanes);
            put_cell(to, p, b, n, title);
        }
    }
    fputs("</svg></div>", to);
}

/* Lines of memory as rows, their words as cells. */
static void
put_lines(FILE *to, const struct measure *m)
{
    uint64_t rows[MOST_ROWS];
    unsigned n = 0;

    for (uint64_t left = m->mask; left; left &= left - 1) {
        uint64_t line = m->places[__builtin_ctzll(left)] / LINE_BYTES;
        unsigned i = 0;

        while (i < n && rows[i] != line)
            i++;
        if (i == n && n < MOST_ROWS)
            rows[n++] = line;
    }
    fputs("<p class=\"dim\">Lines of 128 bytes, each a row of 32 words; a number is how many lanes "
          "go to a "
          "word.</p>",
          to);
    begin_picture(to, n, LINE_BYTES / 4, "lanes and lines of memory");
    for (unsigned r = 0; r < n; r++) {
        fprintf(to, "<text x=\"0\" y=\"%u\">+%lld</text>", 26 + r * CELL,
                (long long)(rows[r] - rows[0]) * LINE_BYTES);
        for (unsigned w = 0; w < LINE_BYTES / 4; w++) {
            uint64_t from = rows[r] * LINE_BYTES + w * 4, who = 0;
            char lanes[256], title[320];

            for (uint64_t left = m->mask; left; left &= left - 1) {
                uint64_t at = m->places[__builtin_ctzll(left)];

                if (at < from + 4 && at + m->bytes > from)
                    who |= left & -left;
            }
            name_lanes(who, lanes, sizeof(lanes));
            snprintf(title, sizeof(title), "word %u: lanes%s", w, lanes);
            put_cell(to, r, w, (unsigned)__builtin_popcountll(who), title);
        }
    }
    fputs("</svg></div>", to);
}

/* ---- Findings ---- */

/* A file's number in anchors. */
static unsigned
number_of(const struct review *r, const char *file)
{
    for (size_t i = 0; i < r->m.n; i++)
        if (place_of(&r->m.all[i]) && !strcmp(place_of(&r->m.all[i])->file, file))
            return (unsigned)i;
    return (unsigned)r->m.n;
}

static void
put_finding(FILE *to, const struct review *r, const struct finding *f)
{
    const struct measure *m = f->measure;

    fputs("<section class=\"f\"><p><strong>", to);
    put_html(to, f->message);
    fprintf(to, "</strong> <span class=\"dim\">%s</span></p>", f->kind);
    if (f->at) {
        fprintf(to, "<p><a href=\"#s%u-%u\">", number_of(r, f->at->file), f->at->line);
        put_html(to, f->at->file);
        fprintf(to, ":%u</a> in ", f->at->line);
        put_html(to, f->kernel ? f->kernel->plain : f->at->function);
        if (f->n_like)
            fprintf(to, " and %u more kernels", f->n_like);
        fputs("</p><pre>", to);
        put_html(to, source_line(source_of(f->at->file), f->at->line));
        fputs("</pre>", to);
    }
    if (f->why) {
        fputs("<p>Better: ", to);
        put_html(to, f->why);
        fputs(".</p>", to);
    }
    if (m)
        fprintf(to, "<p class=\"dim\">%llu times by a warp, about %.3g extra cycles</p>",
                (unsigned long long)m->executions, f->cost);
    if (m && m->mask && is_access(m)) {
        fputs("<details><summary>who goes where</summary>", to);
        if (m->is_shared)
            put_banks(to, m, model_of(r, f->kernel));
        else
            put_lines(to, m);
        fputs("</details>", to);
    }
    fputs("</section>\n", to);
}

/* ---- Sources ---- */

/* What is measured of a line, of all kernels together. */
struct margin {
    uint64_t executions, lanes, room, lines, ideal_lines, cycles, ideal_cycles, doubles;
    uint32_t degree;
};

static struct margin
margin_of(const struct review *r, const char *file, unsigned line)
{
    struct margin g = {0};

    for (size_t i = 0; i < r->m.n; i++) {
        const struct measure *m = &r->m.all[i];
        size_t model;

        if (!place_of(m) || place_of(m)->line != line || strcmp(place_of(m)->file, file) != 0)
            continue;
        model = (size_t)(model_of(r, find_kernel(&r->m, m->kernel)) - ls_bank_models);
        g.executions = m->executions > g.executions ? m->executions : g.executions;
        g.lanes += m->lanes;
        g.room += m->room;
        g.lines += m->lines;
        g.ideal_lines += m->ideal_lines;
        g.cycles += m->cycles[model];
        g.ideal_cycles += m->ideal_cycles[model];
        g.degree = m->degree[model] > g.degree ? m->degree[model] : g.degree;
        g.doubles += m->kind == LS_CHECK_DOUBLE ? m->executions : 0;
    }
    return g;
}

static void
put_share(FILE *to, uint64_t part, uint64_t whole)
{
    double share = whole ? (double)part / (double)whole : 0;

    if (!whole)
        fputs("<td></td>", to);
    else
        fprintf(to, "<td class=\"%s\">%.0f%%</td>",
                share >= 0.9   ? "good"
                : share >= 0.5 ? "mid"
                               : "bad",
                100 * share);
}

static void
put_line(FILE *to, const struct review *r, const struct source *s, unsigned file, unsigned line)
{
    struct margin g = margin_of(r, s->path, line);

    fprintf(to, "<tr id=\"s%u-%u\"%s>", file, line, g.executions ? " class=\"hot\"" : "");
    if (g.executions)
        fprintf(to, "<td>%llu</td>", (unsigned long long)g.executions);
    else
        fputs("<td></td>", to);
    put_share(to, g.lanes, g.room);
    put_share(to, g.ideal_lines, g.lines);
    if (g.cycles)
        fprintf(to, "<td class=\"%s\">%u</td>", g.degree > 1 ? "bad" : "good", g.degree);
    else
        fputs("<td></td>", to);
    fprintf(to, "<td class=\"bad\">%s</td><td class=\"n\">%u</td><td class=\"t\">",
            g.doubles ? "double" : "", line);
    put_html(to, s->lines[line - 1]);
    fputs("</td></tr>\n", to);
}

static void
put_source(FILE *to, const struct review *r, const char *path)
{
    const struct source *s = source_of(path);
    unsigned file = number_of(r, path);

    fputs("<h2>", to);
    put_html(to, path);
    fputs("</h2>", to);
    if (!s->n) {
        fputs("<p>The source can't be read.</p>", to);
        return;
    }
    fputs("<div class=\"wide\"><table class=\"src\"><tr><th>warps</th><th>lanes</th><th>lines</th>"
          "<th>banks</th><th></th><th></th><th class=\"l\">source</th></tr>\n",
          to);
    for (unsigned l = 1; l <= s->n; l++)
        put_line(to, r, s, file, l);
    fputs("</table></div>\n", to);
}

/* A roofline: both axes are logarithmic, from 2^-6 to 2^10 operations a byte. */
static void
put_roofline(FILE *to, const struct review *r, const struct kernel *k)
{
    enum { WIDTH = 300, HEIGHT = 70, LEFT = 4, SLOPE = 4, LOWEST = -6, HIGHEST = 10 };
    const struct peak *p = peak_for(r, k);
    struct work w = work_of(r, k);
    double all = w.singles + w.doubles, at, ridge, top, step = (double)WIDTH / (HIGHEST - LOWEST);

    if (!p || !(all > 0) || !(w.bytes > 0))
        return;
    ridge = log2(balance(p, &w));
    at = log2(all / w.bytes);
    at = at < LOWEST ? LOWEST : at > HIGHEST ? HIGHEST : at;
    top = (at < ridge ? ridge - at : 0) * SLOPE;
    fprintf(to,
            "<svg role=\"img\" aria-label=\"roofline\" width=\"%d\" height=\"%d\"><title>%s: "
            "%.3g operations a byte, %.3g keep both busy</title>",
            WIDTH + 28, HEIGHT + 16, p->what, all / w.bytes, balance(p, &w));
    fprintf(to, "<path class=\"r\" d=\"M%d %.1f L%.1f 10 H%d\"/>", LEFT,
            10 + (ridge - LOWEST) * SLOPE, LEFT + (ridge - LOWEST) * step, LEFT + WIDTH);
    fprintf(to, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", at < ridge ? "b" : "c",
            LEFT + (at - LOWEST) * step, 10 + top);
    for (int i = LOWEST; i <= HIGHEST; i += 4)
        fprintf(to, "<text x=\"%.1f\" y=\"%d\">%.3g</text>", LEFT + (i - LOWEST) * step,
                HEIGHT + 12, exp2(i));
    fputs("</svg>", to);
}

static void
put_work(FILE *to, const struct review *r, const struct kernel *k)
{
    const struct peak *p = peak_for(r, k);
    struct work w = work_of(r, k);
    double all = w.singles + w.doubles;

    fprintf(to, "<p>%.3g operations", all);
    if (w.doubles > 0)
        fprintf(to, " (<span class=\"mid\">%.3g%% in double precision</span>)",
                100 * w.doubles / all);
    fprintf(to, ", %.3g bytes of memory without caches", w.bytes);
    if (w.bytes > 0 && all > 0)
        fprintf(to, ": %.3g a byte", all / w.bytes);
    fputs("</p>", to);
    if (!p || !(all + w.bytes > 0))
        return;
    fprintf(to, "<p class=\"dim\">%s: at least %.3g ms, for %s; %.3g a byte keep both busy</p>",
            p->what, 1e3 * fmax(compute_s(p, &w), memory_s(p, &w)),
            compute_s(p, &w) > memory_s(p, &w) ? "arithmetic" : "memory", balance(p, &w));
    put_roofline(to, r, k);
}

static int
by_time(const void *a, const void *b)
{
    const struct kernel *const *x = a, *const *y = b;

    return (*x)->ns == (*y)->ns ? 0 : (*x)->ns < (*y)->ns ? 1 : -1;
}

static void
put_kernel(FILE *to, const struct review *r, const struct kernel *k)
{
    fputs("<section class=\"k\"><p><code>", to);
    put_html(to, k->plain);
    fprintf(to, "</code></p><p>%llu launches, blocks of %u x %u x %u, warps of %u, "
            "%.3g ms here</p>",
            (unsigned long long)k->n_launches, k->block[0], k->block[1], k->block[2], k->width,
            (double)k->ns / 1e6);
    for (size_t c = 0; c < k->n_codes; c++)
        fprintf(to, "<p>%s: %u vector registers, %llu bytes shared, %u scratch</p>",
                k->codes[c].arch, k->codes[c].needs.vgprs,
                (unsigned long long)(k->codes[c].needs.lds_bytes + k->lds_bytes),
                k->codes[c].needs.private_bytes);
    put_work(to, r, k);
    fputs("</section>\n", to);
}

static void
put_kernels(FILE *to, const struct review *r)
{
    const struct kernel **all =
        front_must(calloc(r->m.n_kernels + 1, sizeof(const struct kernel *)));

    for (size_t i = 0; i < r->m.n_kernels; i++)
        all[i] = &r->m.kernels[i];
    if (r->m.n_kernels)
        qsort(all, r->m.n_kernels, sizeof(*all), by_time);
    fputs("<h2>Kernels</h2><p class=\"dim\">By the time that they took here, with measuring. "
          "Pictures: speed over operations a byte, and where the kernel stands below the roof of "
          "the GPU.</p><div class=\"ks\">\n",
          to);
    for (size_t i = 0; i < r->m.n_kernels; i++)
        put_kernel(to, r, all[i]);
    fputs("</div>\n", to);
    free(all);
}

void
write_page(FILE *to, const struct review *r, char **argv)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width\"><title>Review of ",
          to);
    put_html(to, argv[0]);
    fprintf(to, "</title><style>%s</style></head><body>\n<h1>Review of ", HTML_STYLE);
    put_html(to, argv[0]);
    fprintf(
        to,
        "</h1><p>%zu findings, the most expensive first; %zu more are allowed by comments.</p>\n",
        r->n_found, r->n_allowed);
    fputs("<h2>Findings</h2>\n", to);
    for (size_t i = 0; i < r->n_found; i++)
        put_finding(to, r, &r->found[i]);
    put_kernels(to, r);
    fputs(
        "<h2>Sources</h2><p class=\"dim\">Of a line: how often a warp came to it; lanes that were "
        "active; lines of memory that would do, of those that were touched; the worst degree of "
        "bank conflicts.</p>\n",
        to);
    for (size_t i = 0; i < r->m.n; i++) {
        const struct frame *at = place_of(&r->m.all[i]);

        if (at && number_of(r, at->file) == i)
            put_source(to, r, at->file);
    }
    fputs("</body></html>\n", to);
}
