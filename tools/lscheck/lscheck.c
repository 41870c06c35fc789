/* SPDX-License-Identifier: MIT */
/* lscheck: runs a program whose kernels are checked while they run on the CPU, and tells what was
 * found. The program is the one that runs everywhere: its kernels' code is made anew, with checks.
 * The runtime does the work (src/check); this is the front. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lscheck.h"

struct options {
#define LS_OPTION(name, field, argument, help) const char *field;
#include "options.def"
#undef LS_OPTION
};

static const struct {
    const char *name, *argument, *help;
    size_t offset;
} OPTIONS[] = {
#define LS_OPTION(name, field, argument, help)                                                     \
    {name, argument, help, offsetof(struct options, field)},
#include "options.def"
#undef LS_OPTION
};
#define N_OPTIONS (sizeof(OPTIONS) / sizeof(OPTIONS[0]))

static char records[] = "/tmp/lscheck-XXXXXX";
static pid_t child;

static void
print_help(void)
{
    puts("lscheck [options] [--] PROGRAM [ARGUMENTS]\n"
         "Runs a HIP program on the CPU and tells what its kernels do wrong.");
    for (size_t i = 0; i < N_OPTIONS; i++) {
        char left[64];

        snprintf(left, sizeof(left), "--%s%s%s", OPTIONS[i].name, OPTIONS[i].argument ? "=" : "",
                 OPTIONS[i].argument ? OPTIONS[i].argument : "");
        printf("  %-22s %s\n", left, OPTIONS[i].help);
    }
}

/* Fills in the options; the index of the program, or -1 after a message. */
static int
read_options(int argc, char **argv, struct options *o)
{
    struct option list[N_OPTIONS + 1] = {{0}};
    int c, which;

    for (size_t i = 0; i < N_OPTIONS; i++)
        list[i] = (struct option){OPTIONS[i].name,
                                  OPTIONS[i].argument ? required_argument : no_argument, NULL, 1};
    while ((c = getopt_long(argc, argv, "+", list, &which)) != -1) {
        if (c != 1)
            return -1;
        *(const char **)(void *)((char *)o + OPTIONS[which].offset) = optarg ? optarg : "";
    }
    return optind;
}

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
    const char *checks = o->checks;

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
    snprintf(list, sizeof(list), "%s%s", checks ? checks : "memory",
             o->leak_check && !strcmp(o->leak_check, "full") ? ",leaks" : "");
    return list;
}

static void
pass_on(int sig)
{
    if (child > 0)
        kill(child, sig);
}

/* Runs the program; its exit code as a shell gives it. */
static int
run(char **argv, const char *log)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int status;

    child = fork();
    if (child == 0) {
        int fd = log ? open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666) : STDERR_FILENO;

        if (fd < 0 || dup2(fd, STDERR_FILENO) < 0) {
            fprintf(stderr, "lscheck: %s: %s\n", log, strerror(errno));
            _exit(126);
        }
        execvp(argv[0], argv);
        fprintf(stderr, "lscheck: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (child < 0) {
        fprintf(stderr, "lscheck: cannot start a process: %s\n", strerror(errno));
        return 126;
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], pass_on);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 126;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool
write_file(const char *path, const struct findings *f, char **argv, bool sarif)
{
    FILE *to = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (to && sarif)
        write_sarif(to, f);
    else if (to)
        write_json(to, f, argv);
    if (to && !ferror(to) && fclose(to) == 0)
        return true;
    fprintf(stderr, "lscheck: %s: %s\n", path, strerror(errno));
    return false;
}

static void
summarise(const struct findings *f)
{
    uint64_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        n += f->all[i].count;
    if (f->n)
        fprintf(stderr, "lscheck: %zu findings, seen %llu times\n", f->n, (unsigned long long)n);
    else if (f->started)
        fputs("lscheck: nothing was found\n", stderr);
    else
        fputs("lscheck: nothing was checked: the program did not use this HIP\n", stderr);
}

/* What the program is told. False after a message. */
static bool
set_environment(const struct options *o)
{
    const char *checks = choose_checks(o);
    int fd = checks ? mkstemp(records) : -1;

    if (checks && fd < 0)
        fprintf(stderr, "lscheck: %s: %s\n", records, strerror(errno));
    if (fd < 0)
        return false;
    close(fd);
    setenv("LOCKSTEP_CHECK", checks, 1);
    setenv("LOCKSTEP_CHECK_FILE", records, 1);
    setenv("LOCKSTEP_DEVICES", "cpu", 1);
    if (o->suppressions && access(o->suppressions, R_OK) != 0) {
        fprintf(stderr, "lscheck: %s: %s\n", o->suppressions, strerror(errno));
        return false;
    }
    if (o->suppressions)
        setenv("LOCKSTEP_CHECK_SUPPRESSIONS", o->suppressions, 1);
    return true;
}

/* A number from 0 to 255, or -1. */
static long
exit_code_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end && n >= 0 && n <= 255 ? n : -1;
}

int
main(int argc, char **argv)
{
    struct options o = {NULL};
    struct findings found;
    int at = read_options(argc, argv, &o), status;

    if (at < 0)
        return 2;
    if (o.help || o.version) {
        if (o.version)
            puts("lscheck of Lockstep " LS_VERSION);
        else
            print_help();
        return 0;
    }
    if (o.exit_code && exit_code_of(o.exit_code) < 0) {
        fprintf(stderr, "lscheck: --error-exitcode=%s: a number from 0 to 255\n", o.exit_code);
        return 2;
    }
    if (!argv[at]) {
        fputs("lscheck: which program? See lscheck --help.\n", stderr);
        return 2;
    }
    if (!set_environment(&o))
        return 2;
    status = run(argv + at, o.log);
    if (!read_records(records, &found))
        fprintf(stderr, "lscheck: %s: %s\n", records, strerror(errno));
    unlink(records);
    summarise(&found);
    if (!write_file(o.json, &found, argv + at, false) ||
        !write_file(o.sarif, &found, argv + at, true))
        return 2;
    return found.n && o.exit_code ? (int)exit_code_of(o.exit_code) : status;
}
