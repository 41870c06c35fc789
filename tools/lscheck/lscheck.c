/* SPDX-License-Identifier: MIT */
/* lscheck: runs a program whose kernels are checked while they run on the CPU, and tells what was
 * found. The program is the one that runs everywhere: its kernels' code is made anew, with checks.
 * The runtime does the work (src/check); this is the front. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front.h"
#include "lscheck.h"

struct options {
#define LS_OPTION(name, field, argument, help) const char *field;
#include "options.def"
#undef LS_OPTION
};

static const struct front_option OPTIONS[] = {
#define LS_OPTION(name, field, argument, help)                                                     \
    {name, argument, help, offsetof(struct options, field)},
#include "options.def"
#undef LS_OPTION
};

static const struct front FRONT = {
    "lscheck", "Runs a HIP program on the CPU and tells what its kernels do wrong.", OPTIONS,
    sizeof(OPTIONS) / sizeof(OPTIONS[0])};

static const struct {
    const char *name, *tool;
} CHECKS[] = {
#define LS_CHECK(name, tool, bits) {name, tool},
#include "base/checks.def"
};
#define N_CHECKS (sizeof(CHECKS) / sizeof(CHECKS[0]))

/* Whether all names of a list are some check's; false after a message: a program that is checked
 * for nothing would look right. */
static bool
are_checks(const char *list)
{
    for (const char *at = list;;) {
        size_t n = strcspn(at, ","), i = 0;

        while (i < N_CHECKS && (strlen(CHECKS[i].name) != n || memcmp(CHECKS[i].name, at, n) != 0))
            i++;
        if (i == N_CHECKS && !(n == 3 && !memcmp(at, "all", 3))) {
            fprintf(stderr, "lscheck: --check=%s: '%.*s' is no check:", list, (int)n, at);
            for (i = 0; i < N_CHECKS; i++)
                fprintf(stderr, " %s,", CHECKS[i].name);
            fputs(" all\n", stderr);
            return false;
        }
        if (!at[n])
            return true;
        at += n + 1;
    }
}

/* The value of LOCKSTEP_CHECK; NULL after a message. */
static const char *
choose_checks(const struct options *o)
{
    static char list[256];
    const char *checks = o->checks, *api = o->api_errors;

    if (!api && o->tool && !strcmp(o->tool, "memcheck")) /* as compute-sanitizer has it */
        api = "explicit";
    for (size_t i = 0; o->tool && i < N_CHECKS; i++)
        if (CHECKS[i].tool && !strcmp(o->tool, CHECKS[i].tool))
            checks = CHECKS[i].name;
    if (checks && !are_checks(checks))
        return NULL;
    if (o->tool && !checks) {
        fprintf(stderr,
                "lscheck: --tool=%s is not there: memcheck, initcheck, racecheck or "
                "synccheck\n",
                o->tool);
        return NULL;
    }
    if (o->leak_check && strcmp(o->leak_check, "full") != 0 && strcmp(o->leak_check, "no") != 0) {
        fprintf(stderr, "lscheck: --leak-check=%s: full or no\n", o->leak_check);
        return NULL;
    }
    if (api && strcmp(api, "explicit") != 0 && strcmp(api, "all") != 0 && strcmp(api, "no") != 0) {
        fprintf(stderr, "lscheck: --report-api-errors=%s: explicit, all or no\n", api);
        return NULL;
    }
    snprintf(list, sizeof(list), "%s%s%s", checks ? checks : "memory",
             o->leak_check && !strcmp(o->leak_check, "full") ? ",leaks" : "",
             api && strcmp(api, "no") != 0 ? ",api" : "");
    return list;
}

static bool
write_file(const char *path, const struct findings *f, char **argv,
           void (*write)(FILE *to, const struct findings *f, char **argv))
{
    FILE *to = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (to)
        write(to, f, argv);
    if (to && !ferror(to) && fclose(to) == 0)
        return true;
    fprintf(stderr, "lscheck: %s: %s\n", path, strerror(errno));
    return false;
}

static void
summarise(const struct findings *f, const struct options *o)
{
    uint64_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        n += f->all[i].count;
    if (f->n)
        fprintf(stderr, "lscheck: %zu findings, seen %llu times\n", f->n, (unsigned long long)n);
    else if (f->started)
        fprintf(stderr, "lscheck: nothing was found%s\n",
                o->checks || o->tool
                    ? ""
                    : " by memory; --check=memory,init,race,sync looks for more");
    else
        fputs("lscheck: nothing was checked: the program did not use this HIP\n", stderr);
}

/* What the program is told: the file of records. NULL after a message. */
static const char *
set_environment(const struct options *o)
{
    const char *checks = choose_checks(o), *records = checks ? front_records(&FRONT, checks) : NULL;

    if (!records)
        return NULL;
    if (o->suppressions && access(o->suppressions, R_OK) != 0) {
        fprintf(stderr, "lscheck: %s: %s\n", o->suppressions, strerror(errno));
        unlink(records);
        return NULL;
    }
    if (o->suppressions)
        setenv("LOCKSTEP_CHECK_SUPPRESSIONS", o->suppressions, 1);
    return records;
}

int
main(int argc, char **argv)
{
    struct options o = {NULL};
    struct findings found;
    int at = front_options(&FRONT, argc, argv, &o), status;
    const char *records;

    if (at < 0)
        return 2;
    if (o.help || o.version) {
        if (o.version)
            puts("lscheck of Lockstep " LS_VERSION);
        else
            front_help(&FRONT);
        return 0;
    }
    if (o.exit_code && front_exit_code(o.exit_code) < 0) {
        fprintf(stderr, "lscheck: --error-exitcode=%s: a number from 0 to 255\n", o.exit_code);
        return 2;
    }
    if (o.processes && strcmp(o.processes, "all") != 0) {
        fprintf(stderr, "lscheck: --target-processes=%s: all\n", o.processes);
        return 2;
    }
    if (!argv[at]) {
        fputs("lscheck: which program? See lscheck --help.\n", stderr);
        return 2;
    }
    if (!(records = set_environment(&o)))
        return 2;
    status = front_run(&FRONT, argv + at, o.log);
    found.tool = "lscheck";
    if (!read_records(records, &found))
        fprintf(stderr, "lscheck: %s: %s\n", records, strerror(errno));
    unlink(records);
    summarise(&found, &o);
    if (!write_file(o.json, &found, argv + at, write_json) ||
        !write_file(o.sarif, &found, argv + at, write_sarif) ||
        !write_file(o.html, &found, argv + at, write_findings_page))
        return 2;
    return found.n && o.exit_code ? (int)front_exit_code(o.exit_code) : status;
}
