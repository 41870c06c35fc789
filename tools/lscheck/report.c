/* SPDX-License-Identifier: MIT */
/* A review as text, as JSON and as SARIF. */
#include <stdlib.h>
#include <string.h>

#include "base/check_site.h"
#include "front.h"
#include "lsreview.h"

static const char *
short_path(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void
print_roofline(FILE *to, const struct review *r, const struct kernel *k)
{
    const struct peak *p = peak_for(r, k);
    struct work w = work_of(r, k);
    double all = w.singles + w.doubles, compute = p ? compute_s(p, &w) : 0,
           memory = p ? memory_s(p, &w) : 0;

    fprintf(to, "    %.3g operations", all);
    if (w.doubles > 0)
        fprintf(to, " (%.3g%% in double precision)", 100 * w.doubles / all);
    fprintf(to, ", %.3g bytes of memory without caches", w.bytes);
    if (w.bytes > 0)
        fprintf(to, ": %.3g a byte", all / w.bytes);
    fputc('\n', to);
    if (p && compute + memory > 0)
        fprintf(to,
                "    %s: %.3g a byte keep both busy; at least %.3g ms for %s, of all launches\n",
                p->what, balance(p, &w), 1e3 * (compute > memory ? compute : memory),
                compute > memory ? "arithmetic" : "memory");
}

static void
print_kernel(FILE *to, const struct review *r, const struct kernel *k)
{
    fprintf(to,
            "lsreview: kernel %s: %llu launches, blocks of %u x %u x %u, warps of %u, %.3g ms here "
            "with measuring\n",
            k->plain, (unsigned long long)k->n_launches, k->block[0], k->block[1], k->block[2],
            k->width, (double)k->ns / 1e6);
    for (size_t i = 0; i < k->n_codes; i++) {
        const struct code *c = &k->codes[i];
        uint32_t threads = k->block[0] * k->block[1] * k->block[2];
        const struct ls_arch *arch = ls_arch_find(c->arch);

        fprintf(to,
                "    on %s: %u vector and %u scalar registers, %llu bytes of shared memory, %u of "
                "scratch; %u blocks fit on a multiprocessor\n",
                c->arch, c->needs.vgprs, c->needs.sgprs,
                (unsigned long long)(c->needs.lds_bytes + k->lds_bytes), c->needs.private_bytes,
                threads ? ls_arch_blocks(arch, &c->needs, threads, k->lds_bytes) : 0);
    }
    print_roofline(to, r, k);
}

static void
print_place(FILE *to, const struct finding *f)
{
    const struct measure *m = f->measure;

    for (size_t i = 0; m && i < m->n_frames; i++)
        fprintf(to, "    %s %s, %s:%u:%u\n", i ? "inlined into" : "in", m->frames[i].function,
                m->frames[i].file, m->frames[i].line, m->frames[i].column);
    if (!m && f->at)
        fprintf(to, "    in %s, %s:%u\n", f->at->function, f->at->file, f->at->line);
    if (f->at && *source_line(source_of(f->at->file), f->at->line))
        fprintf(to, "      %s\n", source_line(source_of(f->at->file), f->at->line));
}

static void
print_finding(FILE *to, const struct finding *f)
{
    fprintf(to, "lsreview: %s [%s]\n", f->message, f->kind);
    print_place(to, f);
    fprintf(to, "    kernel %s", f->kernel ? f->kernel->plain : "?");
    if (f->n_like)
        fprintf(to, " and %u more", f->n_like);
    if (f->measure)
        fprintf(to, ", %llu times by a warp%s%s%s, about %.3g extra cycles",
                (unsigned long long)f->measure->executions,
                f->measure->variable[0] && is_access(f->measure) ? ", of " : "",
                is_access(f->measure) ? f->measure->variable : "",
                f->measure->samples < f->measure->executions ? ", some of them looked at" : "",
                f->cost);
    fputc('\n', to);
    if (f->is_claimed)
        fputs("    a comment there says that it is not so\n", to);
    if (f->why)
        fprintf(to, "    better: %s\n", f->why);
}

static void
print_measure(FILE *to, const struct review *r, const struct measure *m)
{
    const struct kernel *k = find_kernel(&r->m, m->kernel);
    size_t model = (size_t)(model_of(r, k) - ls_bank_models);
    char what[64];

    fprintf(to, "  %s:%u:%u: ", m->n_frames ? short_path(m->frames[0].file) : "?",
            m->n_frames ? m->frames[0].line : 0, m->n_frames ? m->frames[0].column : 0);
    if (!is_access(m)) {
        fprintf(to, "%s, %llu times, %.3g of %.3g lanes\n",
                m->kind == LS_CHECK_STEP ? "instructions" : "double precision",
                (unsigned long long)m->executions, (double)m->lanes / (double)m->executions,
                (double)m->room / (double)m->executions);
        return;
    }
    fprintf(to, "%s, %llu times, %.3g lanes: ", access_words(m, what),
            (unsigned long long)m->executions, (double)m->lanes / (double)m->executions);
    if (m->is_shared)
        fprintf(to, "%.3g cycles of %.3g, degree %u\n",
                (double)m->cycles[model] / (double)m->executions,
                (double)m->ideal_cycles[model] / (double)m->executions, m->degree[model]);
    else
        fprintf(to, "%.3g lines of %.3g, %.3g sectors of %.3g\n",
                (double)m->lines / (double)m->executions,
                (double)m->ideal_lines / (double)m->executions,
                (double)m->sectors / (double)m->executions,
                (double)m->ideal_sectors / (double)m->executions);
}

void
print_review(FILE *to, const struct review *r, bool all)
{
    if (!r->m.started || !r->m.n_kernels) {
        fprintf(to, "lsreview: nothing was measured: the program %s\n",
                r->m.started ? "ran no kernel, or ended without its exit handlers"
                             : "did not use this HIP");
        return;
    }
    for (size_t i = 0; i < r->m.n_kernels; i++)
        print_kernel(to, r, &r->m.kernels[i]);
    for (size_t i = 0; i < r->n_found; i++)
        print_finding(to, &r->found[i]);
    if (all)
        fputs("lsreview: what was measured\n", to);
    for (size_t i = 0; all && i < r->m.n; i++)
        if (r->m.all[i].executions)
            print_measure(to, r, &r->m.all[i]);
    fprintf(to, "lsreview: %zu findings", r->n_found);
    if (r->n_allowed)
        fprintf(to, ", %zu more that comments allow", r->n_allowed);
    fputc('\n', to);
}

/* ---- JSON ---- */

static void
put_number(FILE *to, const char *name, uint64_t n)
{
    fputc(',', to);
    put_string(to, name);
    fprintf(to, ":%llu", (unsigned long long)n);
}

static void
put_measure(FILE *to, const struct measure *m)
{
    fputs("{", to);
    put_member(to, "kernel", m->kernel);
    fputc(',', to);
    put_member(to, "memory", !is_access(m) ? "none" : m->is_shared ? "shared" : "global");
    fputc(',', to);
    put_member(to, "kind",
               m->kind == LS_CHECK_LOAD     ? "read"
               : m->kind == LS_CHECK_STORE  ? "write"
               : m->kind == LS_CHECK_ATOMIC ? "atomic"
               : m->kind == LS_CHECK_STEP   ? "instructions"
                                            : "double");
    fputc(',', to);
    put_member(to, "variable", m->variable);
    fputc(',', to);
    put_member(to, "file", m->n_frames ? m->frames[0].file : "");
    put_number(to, "line", m->n_frames ? m->frames[0].line : 0);
    put_number(to, "column", m->n_frames ? m->frames[0].column : 0);
    put_number(to, "bits", m->bytes * 8u);
    put_number(to, "executions", m->executions);
    put_number(to, "samples", m->samples);
    put_number(to, "lanes", m->lanes);
    put_number(to, "lines", m->lines);
    put_number(to, "idealLines", m->ideal_lines);
    put_number(to, "sectors", m->sectors);
    put_number(to, "idealSectors", m->ideal_sectors);
    put_number(to, "lanesAtOneAddress", m->same);
    fputs(",\"banks\":{", to);
    for (unsigned i = 0; m->is_shared && i < LS_N_BANK_MODELS; i++) {
        fputs(i ? "," : "", to);
        put_string(to, ls_bank_models[i].name);
        fprintf(to, ":{\"degree\":%u", m->degree[i]);
        put_number(to, "cycles", m->cycles[i]);
        put_number(to, "idealCycles", m->ideal_cycles[i]);
        fputc('}', to);
    }
    fputs("}}", to);
}

static void
put_work(FILE *to, const struct review *r, const struct kernel *k)
{
    const struct peak *p = peak_for(r, k);
    struct work w = work_of(r, k);

    fprintf(to, ",\"singles\":%.6g,\"doubles\":%.6g,\"memoryBytes\":%.6g,\"askedBytes\":%.6g",
            w.singles, w.doubles, w.bytes, w.asked);
    if (!p)
        return;
    fputs(",\"roofline\":{", to);
    put_member(to, "gpu", p->what);
    fputc(',', to);
    put_member(to, "source", p->source);
    fprintf(to, ",\"balance\":%.6g,\"arithmeticSeconds\":%.6g,\"memorySeconds\":%.6g}",
            balance(p, &w), compute_s(p, &w), memory_s(p, &w));
}

static void
put_kernel(FILE *to, const struct review *r, const struct kernel *k)
{
    fputs("{", to);
    put_member(to, "name", k->name);
    fputc(',', to);
    put_member(to, "plainName", k->plain);
    put_number(to, "launches", k->n_launches);
    put_number(to, "blocks", k->n_blocks);
    put_number(to, "warp", k->width);
    put_number(to, "threads", (uint64_t)k->block[0] * k->block[1] * k->block[2]);
    put_number(to, "nanoseconds", k->ns);
    put_work(to, r, k);
    fputs(",\"code\":[", to);
    for (size_t i = 0; i < k->n_codes; i++) {
        const struct code *c = &k->codes[i];

        fputs(i ? ",{" : "{", to);
        put_member(to, "arch", c->arch);
        put_number(to, "vgprs", c->needs.vgprs);
        put_number(to, "sgprs", c->needs.sgprs);
        put_number(to, "scratch", c->needs.private_bytes);
        put_number(to, "lds", c->needs.lds_bytes + k->lds_bytes);
        put_number(to, "maxThreads", c->needs.max_threads);
        fputc('}', to);
    }
    fputs("]}", to);
}

static void
put_finding(FILE *to, const struct finding *f)
{
    fputs("{", to);
    put_member(to, "kind", f->kind);
    fputc(',', to);
    put_member(to, "message", f->message);
    fputc(',', to);
    put_member(to, "kernel", f->kernel ? f->kernel->name : "");
    fputc(',', to);
    put_member(to, "file", f->at ? f->at->file : "");
    put_number(to, "line", f->at ? f->at->line : 0);
    put_number(to, "moreKernels", f->n_like);
    fprintf(to, ",\"cost\":%.6g}", f->cost);
}

void
write_review_json(FILE *to, const struct review *r, char **argv)
{
    fputs("{\"version\":1,\"program\":[", to);
    for (size_t i = 0; argv[i]; i++) {
        fputs(i ? "," : "", to);
        put_string(to, argv[i]);
    }
    fputs("],\"kernels\":[\n", to);
    for (size_t i = 0; i < r->m.n_kernels; i++) {
        put_kernel(to, r, &r->m.kernels[i]);
        fputs(i + 1 < r->m.n_kernels ? ",\n" : "\n", to);
    }
    fputs("],\"measures\":[\n", to);
    for (size_t i = 0; i < r->m.n; i++) {
        put_measure(to, &r->m.all[i]);
        fputs(i + 1 < r->m.n ? ",\n" : "\n", to);
    }
    fputs("],\"findings\":[\n", to);
    for (size_t i = 0; i < r->n_found; i++) {
        put_finding(to, &r->found[i]);
        fputs(i + 1 < r->n_found ? ",\n" : "\n", to);
    }
    fprintf(to, "],\"allowed\":%zu}\n", r->n_allowed);
}

/* ---- SARIF ---- */

static char *
sarif_text(const struct finding *f)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);

    front_must(to);
    fprintf(to, "%s\nkernel %s", f->message, f->kernel ? f->kernel->plain : "?");
    if (f->n_like)
        fprintf(to, " and %u more", f->n_like);
    if (f->why)
        fprintf(to, "\nbetter: %s", f->why);
    fclose(to);
    return front_must(text);
}

void
write_review_sarif(FILE *to, const struct review *r, char **argv)
{
    struct sarif_result *all = front_must(calloc(r->n_found + 1, sizeof(*all)));

    (void)argv;
    for (size_t i = 0; i < r->n_found; i++) {
        const struct finding *f = &r->found[i];
        const struct measure *m = f->measure;

        all[i] = (struct sarif_result){.rule = f->kind,
                                       .text = sarif_text(f),
                                       .frames = m ? m->frames : f->at,
                                       .n_frames = m ? m->n_frames : f->at != NULL,
                                       .count = m ? m->executions : 1};
    }
    put_sarif(to, "lsreview", all, r->n_found);
}
