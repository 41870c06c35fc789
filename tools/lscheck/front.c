/* SPDX-License-Identifier: MIT */
/* What lscheck and lsreview share: options, and the run of the program. */
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OPTIONS = 32 };

static char records[64];
static pid_t child;

void *
front_must(void *p)
{
    if (p)
        return p;
    fputs("out of memory\n", stderr);
    exit(1);
}

void
front_help(const struct front *f)
{
    printf("%s [options] [--] PROGRAM [ARGUMENTS]\n%s\n", f->name, f->what);
    for (size_t i = 0; i < f->n_options; i++) {
        const struct front_option *o = &f->options[i];
        char left[64];

        snprintf(left, sizeof(left), "--%s%s%s", o->name, o->argument ? "=" : "",
                 o->argument ? o->argument : "");
        printf("  %-22s %s\n", left, o->help);
    }
}

int
front_options(const struct front *f, int argc, char **argv, void *fields)
{
    struct option list[MOST_OPTIONS + 1] = {{0}};
    int c, which;

    for (size_t i = 0; i < f->n_options && i < MOST_OPTIONS; i++)
        list[i] = (struct option){
            f->options[i].name, f->options[i].argument ? required_argument : no_argument, NULL, 1};
    while ((c = getopt_long(argc, argv, "+", list, &which)) != -1) {
        if (c != 1)
            return -1;
        *(const char **)(void *)((char *)fields + f->options[which].offset) = optarg ? optarg : "";
    }
    return optind;
}

long
front_exit_code(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return *text && !*end && n >= 0 && n <= 255 ? n : -1;
}

const char *
front_records(const struct front *f, const char *checks)
{
    int fd;

    snprintf(records, sizeof(records), "/tmp/%s-XXXXXX", f->name);
    fd = mkstemp(records);
    if (fd < 0) {
        fprintf(stderr, "%s: %s: %s\n", f->name, records, strerror(errno));
        return NULL;
    }
    close(fd);
    setenv("LOCKSTEP_CHECK", checks, 1);
    setenv("LOCKSTEP_CHECK_FILE", records, 1);
    setenv("LOCKSTEP_DEVICES", "cpu", 1);
    return records;
}

static void
pass_on(int sig)
{
    if (child > 0)
        kill(child, sig);
}

int
front_run(const struct front *f, char **argv, const char *log)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int status;

    child = fork();
    if (child == 0) {
        int fd = log ? open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666) : STDERR_FILENO;

        if (fd < 0 || dup2(fd, STDERR_FILENO) < 0) {
            fprintf(stderr, "%s: %s: %s\n", f->name, log, strerror(errno));
            _exit(126);
        }
        execvp(argv[0], argv);
        fprintf(stderr, "%s: cannot run %s: %s\n", f->name, argv[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (child < 0) {
        fprintf(stderr, "%s: cannot start a process: %s\n", f->name, strerror(errno));
        return 126;
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], pass_on);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 126;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
