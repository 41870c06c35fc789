/* SPDX-License-Identifier: MIT */
/* Reads, translates and writes files, and reports. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/progress.h"
#include "run.h"
#include "source.h"

static bool
fail(const char *path, const char *what)
{
    fprintf(stderr, "hipify: error: '%s': %s\n", path, what);
    return false;
}

/* CUDA's names, HIP's and versions, for people and for scripts. */
static void
print_version(char *to, size_t bytes, const struct ls_name *name, unsigned v)
{
    *to = 0;
    if (v && name->api == LS_API_DNN)
        snprintf(to, bytes, "%u.%u.%u", v / 100, v / 10 % 10, v % 10);
    else if (v)
        snprintf(to, bytes, "%u.%u", v / 1000, v / 10 % 100);
}

static void
print_table(void)
{
    puts("cuda,hip,roc,kind,api,supported in HIP,supported in ROC,experimental,since,deprecated,"
         "removed,HIP since,HIP deprecated,HIP removed");
    for (size_t i = 0; i < ls_n_names; i++) {
        const struct ls_name *n = &ls_names[i];
        const unsigned hip[3] = {n->hip_since, n->hip_deprecated, n->hip_removed};
        const unsigned cuda[3] = {n->since, n->deprecated, n->removed};
        char text[16];

        printf("%s,%s,%s,%s,%s,%s,%s,%s", n->cuda, n->hip, n->roc, ls_kind_names[n->kind],
               ls_api_names[n->api], n->marks & LS_MARK_NO_HIP ? "no" : "yes",
               n->marks & LS_MARK_NO_ROC || !*n->roc ? "no" : "yes",
               n->marks & LS_MARK_EXPERIMENTAL ? "yes" : "no");
        for (size_t k = 0; k < 3; k++) {
            print_version(text, sizeof(text), n, cuda[k]);
            printf(",%s", text);
        }
        for (size_t k = 0; k < 3; k++) {
            if (hip[k])
                printf(",%u.%u.%u", hip[k] / 1000, hip[k] / 10 % 100, hip[k] % 10);
            else
                putchar(',');
        }
        putchar('\n');
    }
}

/* ---- files ---- */

static bool
is_excluded(const struct ls_hipify_options *opt, const char *path)
{
    char *full = realpath(path, NULL), *folder;
    bool excluded = false;

    if (!full)
        return false;
    folder = dirname(full);
    for (size_t i = 0; i < opt->exclude_dirs.n && !excluded; i++) {
        char *other = realpath(opt->exclude_dirs.v[i], NULL);

        excluded = other && !strcmp(other, folder);
        free(other);
    }
    free(full);
    return excluded || ls_list_has(&opt->exclude_files, path, strlen(path));
}

static bool
read_input(const char *path, char **text, size_t *bytes)
{
    void *data;

    if (!ls_file_read(strcmp(path, "-") != 0 ? path : "/dev/stdin", &data, bytes))
        return fail(path, strerror(errno));
    *text = data;
    if (*bytes <= LS_SOURCE_MAX_BYTES)
        return true;
    free(data);
    fprintf(stderr, "hipify: error: '%s': has %zu bytes; at most %u are translated\n", path, *bytes,
            LS_SOURCE_MAX_BYTES);
    return false;
}

/* The original of an -inplace translation: FILE.prehip, made of FILE when it is not there. */
static bool
read_original(const struct ls_hipify_options *opt, const char *path, char **text, size_t *bytes)
{
    char *backup;
    struct stat st;
    bool ok;

    if (!opt->in_place || !strcmp(path, "-"))
        return read_input(path, text, bytes);
    if (asprintf(&backup, "%s.prehip", path) < 0)
        return fail(path, "no memory");
    if (stat(backup, &st) == 0) {
        ok = read_input(backup, text, bytes);
    } else {
        ok = read_input(path, text, bytes);
        if (ok && !opt->no_output && !opt->no_backup && !ls_file_write(backup, *text, *bytes)) {
            ok = fail(backup, strerror(errno));
            free(*text);
        }
    }
    free(backup);
    return ok;
}

static bool
write_to(const char *path, const char *text, size_t bytes)
{
    return ls_file_write(path, text, bytes) || fail(path, strerror(errno));
}

static bool
write_output(const struct ls_hipify_options *opt, const char *path, const char *text, size_t bytes)
{
    const char *slash = strrchr(path, '/');
    char *to;
    bool ok;

    if (opt->no_output)
        return true;
    if (opt->output)
        return write_to(opt->output, text, bytes);
    if (opt->in_place && strcmp(path, "-") != 0)
        return write_to(path, text, bytes);
    if (opt->beside && !opt->output_dir && strcmp(path, "-") != 0) {
        if (asprintf(&to, "%s.hip", path) < 0)
            return fail(path, "no memory");
        ok = write_to(to, text, bytes);
        free(to);
        return ok;
    }
    if (!opt->output_dir)
        return fwrite(text, 1, bytes, stdout) == bytes || fail("standard output", strerror(errno));
    if (mkdir(opt->output_dir, 0777) != 0 && errno != EEXIST)
        return fail(opt->output_dir, strerror(errno));
    if (asprintf(&to, "%s/%s.hip", opt->output_dir, slash ? slash + 1 : path) < 0)
        return fail(path, "no memory");
    ok = write_to(to, text, bytes);
    free(to);
    return ok;
}

static bool
write_csv(const char *path, const struct ls_stats *stats, bool total)
{
    FILE *f = ls_file_stream(path, 'w');

    if (!f)
        return fail(path, strerror(errno));
    ls_stats_print(stats, f, true, total);
    return fclose(f) == 0 || fail(path, strerror(errno));
}

static bool
report(const struct ls_hipify_options *opt, const struct ls_stats *stats)
{
    char *path;
    bool ok = true;

    if (opt->print_stats && opt->classic_stats)
        ls_stats_print_classic(stats, stderr, false);
    else if (opt->print_stats && (stats->n_counts || stats->n_warnings || stats->n_launches))
        ls_stats_print(stats, stderr, false, false);
    if (!opt->print_csv)
        return true;
    if (opt->stats_file && opt->files.n == 1)
        return write_csv(opt->stats_file, stats, false);
    if (asprintf(&path, "%s.csv", strcmp(stats->path, "-") != 0 ? stats->path : "stdin") < 0)
        return fail(stats->path, "no memory");
    ok = write_csv(path, stats, false);
    free(path);
    return ok;
}

static bool
translate_file(const struct ls_hipify_options *opt, const char *path,
               const struct ls_analysis *analysis, struct ls_stats *all)
{
    struct ls_semantics semantics = {.n_errors = 0};
    struct ls_stats stats;
    size_t bytes, out_bytes;
    char *text, *out;
    bool ok = true;

    if (is_excluded(opt, path)) {
        fprintf(stderr, "hipify: info: '%s' is excluded\n", path);
        return true;
    }
    if (!read_original(opt, path, &text, &bytes))
        return false;
    if (!ls_stats_init(&stats, path)) {
        free(text);
        return fail(path, "no memory");
    }
    out = NULL;
    if (analysis)
        ok = analysis->analyse(analysis->user, opt, path, text, bytes, &semantics);
    if (ok) {
        out =
            ls_translate(opt, path, text, bytes, analysis ? &semantics : NULL, &stats, &out_bytes);
        ok = out ? write_output(opt, path, out, out_bytes) : fail(path, "no memory");
    }
    if (ok)
        ok = report(opt, &stats);
    ls_stats_add(all, &stats);
    ls_stats_free(&stats);
    free(semantics.own.v);
    free(semantics.templates.v);
    free(semantics.half2.v);
    free(semantics.skipped.v);
    free(text);
    free(out);
    return ok;
}

/* A line that moves, where people wait for many files. */
static void
progress(const struct ls_hipify_options *opt, size_t i)
{
    if (opt->files.n < 20)
        return;
    if (i < opt->files.n)
        ls_progress_say("[%zu/%zu] %s", i + 1, opt->files.n, opt->files.v[i]);
    else
        ls_progress_clear();
}

static bool
translate_all(const struct ls_hipify_options *opt, const struct ls_analysis *analysis)
{
    struct ls_stats all;
    bool ok = true;

    if (!ls_stats_init(&all, "GLOBAL"))
        return fail("hipify", "no memory");
    for (size_t i = 0; i < opt->files.n; i++) {
        progress(opt, i);
        ok &= translate_file(opt, opt->files.v[i], analysis, &all);
    }
    progress(opt, opt->files.n);
    clock_gettime(CLOCK_MONOTONIC, &all.end);
    if (opt->print_stats && opt->classic_stats)
        ls_stats_print_classic(&all, stderr, true);
    else if (opt->print_stats && opt->files.n > 1)
        ls_stats_print(&all, stderr, false, true);
    if (opt->print_csv && opt->files.n > 1)
        ok &= write_csv(opt->stats_file ? opt->stats_file : "sum_stat.csv", &all, true);
    ls_stats_free(&all);
    return ok;
}

int
ls_hipify_main(int argc, char **argv, const struct ls_analysis *analysis)
{
    struct ls_hipify_options opt = {.beside = analysis != NULL};
    int code = 1;

    if (!ls_hipify_options_read(&opt, argc, argv))
        goto out;
    if (opt.help || opt.version) {
        if (opt.help)
            ls_hipify_options_help(&opt);
        else
            puts("HIP version " LS_HIP_VERSION_STRING);
        code = 0;
        goto out;
    }
    if (!ls_names_init() || !ls_calls_init())
        goto out;
    if (opt.table) {
        print_table();
        code = 0;
    } else if (!opt.files.n && !opt.files_from) {
        fprintf(stderr, "hipify: error: no file is named; -help lists the options\n");
    } else if (!analysis) {
        code = !translate_all(&opt, NULL);
    } else if (analysis->begin(analysis->user, &opt)) {
        code = !translate_all(&opt, analysis);
        analysis->end(analysis->user);
    }
out:
    ls_hipify_options_free(&opt);
    if (fflush(stdout) != 0) {
        fail("standard output", strerror(errno));
        return 1;
    }
    return code;
}
