/* SPDX-License-Identifier: MIT */
/* What checks cost: each case by our peer alone, without checks and with each of them. A process
 * for each; the least time of the rounds, and the memory that is the process's own. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data.h"
#include "peer.h"
#include "timing.h"

enum { MOST_CHECKS = 8 };
#define WARM_UP_S 0.3
#define MOST_S    4.0 /* for all rounds of a case */

static const char *const ids[BENCH_COUNT] = {
#define LS_CASE(id, title, pocl, omp, ispc) #id,
#include "cases.def"
#undef LS_CASE
};

struct answer {
    double seconds, bytes; /* seconds < 0: it failed */
};

static double
own_bytes(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    double kib = 0;

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "RssAnon: %lf", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib * 1024;
}

static double
least_time(const struct bench_peer *peer, int n_rounds)
{
    double begin = now_s(), least = INFINITY;

    do
        if (peer->run())
            return -1;
    while (now_s() - begin < WARM_UP_S);
    begin = now_s();
    for (int i = 0; i < n_rounds && (i < 2 || now_s() - begin < MOST_S); i++) {
        double t = now_s();
        int n = 0;

        do {
            if (peer->run())
                return -1;
            n++;
        } while (now_s() - t < 2e-3);
        least = fmin(least, (now_s() - t) / n);
    }
    return least;
}

/* The child. */
static void
serve(const char *path, enum bench_case c, struct bench_data *data, const void *want, int n_rounds,
      int to)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct bench_peer *peer = so ? dlsym(so, "bench_peer") : NULL;
    struct answer a = {.seconds = -1};

    if (!peer)
        fprintf(stderr, "%s\n", dlerror());
    else if (!peer->setup(c, data))
        a.seconds = least_time(peer, n_rounds);
    a.bytes = own_bytes();
    if (a.seconds >= 0 && (peer->fetch(data) || !bench_data_check(c, data, want)))
        a.seconds = -1;
    if (write(to, &a, sizeof(a)) != sizeof(a))
        _exit(1);
    _exit(0);
}

static struct answer
measure(const char *path, enum bench_case c, const char *check, struct bench_data *data,
        const void *want, int n_rounds)
{
    struct answer a = {.seconds = -1};
    int ends[2];
    pid_t pid;

    if (pipe(ends))
        return a;
    pid = fork();
    if (pid == 0) {
        if (*check)
            setenv("LOCKSTEP_CHECK", check, 1);
        else
            unsetenv("LOCKSTEP_CHECK");
        serve(path, c, data, want, n_rounds, ends[1]);
    }
    close(ends[1]);
    if (pid < 0 || read(ends[0], &a, sizeof(a)) != sizeof(a))
        a.seconds = -1;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return a;
}

static bool
is_wanted(const char *id, char **names)
{
    bool wanted = !*names;

    for (; *names; names++)
        wanted |= !strcmp(*names, id);
    return wanted;
}

struct mean {
    double logs, bytes; /* bytes: the largest ratio */
    int n;
};

static void
run_case(const char *path, enum bench_case c, char *const *checks, int n_checks, int n_rounds,
         struct mean *means)
{
    struct bench_data data;
    struct answer plain;
    void *want;

    if (!bench_data_create(c, &data, &want))
        return;
    plain = measure(path, c, "", &data, want, n_rounds);
    printf("%-14s %9.3f ms %7.0f MB", ids[c], plain.seconds * 1e3, plain.bytes * 1e-6);
    for (int i = 0; i < n_checks; i++) {
        struct answer a = measure(path, c, checks[i], &data, want, n_rounds);

        if (a.seconds < 0 || plain.seconds < 0) {
            printf("  %7s  %5s", "-", "-");
            continue;
        }
        printf("  %6.2fx %5.2fx", a.seconds / plain.seconds, a.bytes / plain.bytes);
        means[i].logs += log(a.seconds / plain.seconds);
        means[i].bytes = fmax(means[i].bytes, a.bytes / plain.bytes);
        means[i].n++;
    }
    printf("\n");
    fflush(stdout);
    bench_data_destroy(&data, want);
}

/* bench_checks ROUNDS PEER CHECK[,...] [CASE...] */
int
main(int argc, char **argv)
{
    struct mean means[MOST_CHECKS] = {{0}};
    char *checks[MOST_CHECKS], *rest;
    int n = 0;

    if (argc < 4)
        return 2;
    for (char *at = strtok_r(argv[3], " ", &rest); at && n < MOST_CHECKS;
         at = strtok_r(NULL, " ", &rest))
        checks[n++] = at;
    printf("%-14s %12s %10s", "", "unchecked", "memory");
    for (int i = 0; i < n; i++)
        printf("  %-14s", checks[i]);
    printf("\n");
    for (int c = 0; c < BENCH_launch1; c++)
        if (is_wanted(ids[c], argv + 4))
            run_case(argv[2], (enum bench_case)c, checks, n, atoi(argv[1]), means);
    printf("%-37s", "geometric mean; most memory");
    for (int i = 0; i < n; i++)
        printf("  %6.2fx %5.2fx", means[i].n ? exp(means[i].logs / means[i].n) : NAN,
               means[i].bytes);
    printf("\n");
    return 0;
}
