/* SPDX-License-Identifier: MIT */
/* lsreview: runs a program on the CPU and tells, by source line, what its kernels would cost on a
 * GPU. The runtime counts (src/check/review.c); this is the front, and the judge. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check_site.h"
#include "front.h"
#include "lsreview.h"
#include "notation.h"

struct options {
#define LS_OPTION(name, field, argument, help) const char *field;
#include "review_options.def"
#undef LS_OPTION
};

static const struct front_option OPTIONS[] = {
#define LS_OPTION(name, field, argument, help)                                                     \
    {name, argument, help, offsetof(struct options, field)},
#include "review_options.def"
#undef LS_OPTION
};

static const struct front FRONT = {
    "lsreview",
    "Runs a HIP program on the CPU and tells, line by line, what its kernels would cost on a GPU.",
    OPTIONS, sizeof(OPTIONS) / sizeof(OPTIONS[0])};

/* The banks of an architecture, or of a product. */
static const struct ls_bank_model *
bank_model(const char *gpu)
{
    const struct peak *p = peak_named(gpu);

    return ls_bank_model_find(p ? p->arch : gpu);
}

static bool
are_right(const struct options *o)
{
    if (o->exit_code && front_exit_code(o->exit_code) < 0) {
        fprintf(stderr, "lsreview: --error-exitcode=%s: a number from 0 to 255\n", o->exit_code);
        return false;
    }
    if (o->gpu && !bank_model(o->gpu)) {
        fprintf(stderr, "lsreview: --gpu=%s: nothing is known of its shared memory; known are:",
                o->gpu);
        for (unsigned i = 0; i < LS_N_BANK_MODELS; i++)
            fprintf(stderr, " %s", ls_bank_models[i].gpus);
        print_peaks(stderr);
        fputc('\n', stderr);
        return false;
    }
    return true;
}

static bool
write_file(const char *path, const struct review *r, char **argv,
           void (*write)(FILE *to, const struct review *r, char **argv))
{
    FILE *to = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (to)
        write(to, r, argv);
    if (to && !ferror(to) && fclose(to) == 0)
        return true;
    fprintf(stderr, "lsreview: %s: %s\n", path, strerror(errno));
    return false;
}

static bool
report(const struct options *o, const struct review *r, char **argv)
{
    FILE *log = o->log ? fopen(o->log, "a") : stderr;

    if (!log) {
        fprintf(stderr, "lsreview: %s: %s\n", o->log, strerror(errno));
        return false;
    }
    print_review(log, r, o->all != NULL);
    if (log != stderr)
        fclose(log);
    return write_file(o->json, r, argv, write_review_json) &&
           write_file(o->sarif, r, argv, write_review_sarif) &&
           write_file(o->html, r, argv, write_page);
}

int
main(int argc, char **argv)
{
    struct options o = {NULL};
    struct review r = {.gpu = NULL};
    int at, status;
    const char *records;

    if (argc > 1 && !strcmp(argv[1], "transpose"))
        return write_transpose(argc - 2, argv + 2);
    at = front_options(&FRONT, argc, argv, &o);
    if (at < 0)
        return 2;
    if (o.help || o.version) {
        if (o.version)
            puts("lsreview of Lockstep " LS_VERSION);
        else
            front_help(&FRONT);
        return 0;
    }
    if (!are_right(&o))
        return 2;
    if (!argv[at]) {
        fputs("lsreview: which program? See lsreview --help.\n", stderr);
        return 2;
    }
    if (o.notation || o.infer)
        return run_notation(&FRONT, argv + at,
                            &(struct notation_options){o.infer, o.exit_code, o.log, o.json, o.sarif,
                                                       o.all});
    r.gpu = o.gpu ? bank_model(o.gpu) : NULL;
    r.gpu_name = o.gpu;
    if (!(records = front_records(&FRONT, LS_CHECK_REVIEW_NAME)))
        return 2;
    status = front_run(&FRONT, argv + at, o.log);
    if (!read_measures(records, &r.m))
        fprintf(stderr, "lsreview: %s: %s\n", records, strerror(errno));
    unlink(records);
    find_codes(&r.m, argv[at]);
    judge(&r);
    if (!report(&o, &r, argv + at))
        return 2;
    return r.n_found && o.exit_code ? (int)front_exit_code(o.exit_code) : status;
}
