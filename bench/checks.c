/* SPDX-License-Identifier: MIT */
/* What checks cost: each case by our peer alone, without checks and with each of them. A process
 * for each, all of which take turns; medians and quartiles of the rounds, and the memory that is
 * the process's own. */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data.h"
#include "peer.h"
#include "timing.h"

enum { MOST_CHECKS = 8, MOST_ROUNDS = 101 };
#define WARM_UP_S 0.2
#define LEAST_S   2e-3 /* of a round */

static const char *const ids[BENCH_COUNT] = {
#define LS_CASE(id, title, pocl, omp, ispc) #id,
#include "cases.def"
#undef LS_CASE
};

/* What a child says: of its start, and of each round. */
struct answer {
    double seconds, bytes; /* seconds < 0: it failed */
};

/* A process that runs a case. */
struct child {
    pid_t pid;
    int to, from; /* a byte 1 asks for a round; 0: it checks its result and ends */
    int n_rounds;
    double seconds[MOST_ROUNDS], bytes;
    bool is_right;
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

/* Seconds of a run, the mean of as many as take LEAST_S; < 0: it failed. */
static double
time_runs(const struct bench_peer *peer, double least_s)
{
    double begin = now_s();
    int n = 0;

    do {
        if (peer->run())
            return -1;
        n++;
    } while (now_s() - begin < least_s);
    return (now_s() - begin) / n;
}

static void
answer(int to, double seconds, double bytes)
{
    struct answer a = {seconds, bytes};

    if (write(to, &a, sizeof(a)) != sizeof(a))
        _exit(1);
}

/* The child. */
static void
serve(const char *path, enum bench_case c, struct bench_data *data, const void *want, int from,
      int to)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct bench_peer *peer = so ? dlsym(so, "bench_peer") : NULL;
    bool is_right = false;
    char byte;

    if (!peer)
        fprintf(stderr, "%s\n", dlerror());
    answer(to, !peer || peer->setup(c, data) ? -1 : time_runs(peer, WARM_UP_S), 0);
    while (peer && read(from, &byte, 1) == 1 && byte)
        answer(to, time_runs(peer, LEAST_S), 0);
    if (peer) {
        double bytes = own_bytes();

        is_right = !peer->fetch(data) && bench_data_check(c, data, want);
        answer(to, is_right ? 0 : -1, bytes);
    }
    _exit(0);
}

static bool
hear(struct child *child, struct answer *a)
{
    return read(child->from, a, sizeof(*a)) == sizeof(*a) && a->seconds >= 0;
}

static void
start(struct child *child, const char *path, enum bench_case c, const char *check,
      struct bench_data *data, const void *want)
{
    int to[2], from[2];
    struct answer a;

    *child = (struct child){.pid = -1};
    if (pipe(to) || pipe(from))
        return;
    child->pid = fork();
    if (child->pid == 0) {
        close(to[1]);
        close(from[0]);
        if (*check)
            setenv("LOCKSTEP_CHECK", check, 1);
        else
            unsetenv("LOCKSTEP_CHECK");
        serve(path, c, data, want, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    child->to = to[1];
    child->from = from[0];
    child->is_right = child->pid > 0 && hear(child, &a);
}

static void
ask_round(struct child *child)
{
    struct answer a;

    if (!child->is_right)
        return;
    child->is_right = write(child->to, "\1", 1) == 1 && hear(child, &a);
    if (child->is_right && child->n_rounds < MOST_ROUNDS)
        child->seconds[child->n_rounds++] = a.seconds;
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void
stop(struct child *child)
{
    struct answer a = {.seconds = -1};

    if (child->pid < 0)
        return;
    child->is_right =
        child->is_right && child->n_rounds > 0 && write(child->to, "", 1) == 1 && hear(child, &a);
    child->bytes = a.bytes;
    if (!child->is_right)
        kill(child->pid, SIGKILL); /* it may wait for a byte */
    close(child->to);
    close(child->from);
    waitpid(child->pid, NULL, 0);
}

/* Of sorted ratios to the unchecked kernel's time in the same round. */
struct spread {
    double low, median, high;
};

static struct spread
spread_of(const struct child *child, const struct child *plain)
{
    double ratios[MOST_ROUNDS];
    int n = child->n_rounds < plain->n_rounds ? child->n_rounds : plain->n_rounds;

    for (int i = 0; i < n; i++)
        ratios[i] = child->seconds[i] / plain->seconds[i];
    qsort(ratios, (size_t)n, sizeof(*ratios), compare);
    return (struct spread){ratios[n / 4], ratios[n / 2], ratios[n - 1 - n / 4]};
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
print_plain(enum bench_case c, const struct child *plain)
{
    double sorted[MOST_ROUNDS] = {0};

    memcpy(sorted, plain->seconds, sizeof(sorted));
    qsort(sorted, (size_t)plain->n_rounds, sizeof(*sorted), compare);
    printf("%-14s %9.3f ms %7.0f MB", ids[c], sorted[plain->n_rounds / 2] * 1e3,
           plain->bytes * 1e-6);
}

static void
run_case(const char *path, enum bench_case c, char *const *checks, int n_checks, int n_rounds,
         struct mean *means)
{
    struct bench_data data;
    struct child children[1 + MOST_CHECKS];
    void *want;

    if (!bench_data_create(c, &data, &want))
        return;
    for (int i = 0; i <= n_checks; i++)
        start(&children[i], path, c, i ? checks[i - 1] : "", &data, want);
    for (int k = 0; k < n_rounds; k++)
        for (int i = 0; i <= n_checks; i++)
            ask_round(&children[i]);
    for (int i = 0; i <= n_checks; i++)
        stop(&children[i]);
    print_plain(c, &children[0]);
    for (int i = 0; i < n_checks; i++) {
        const struct child *child = &children[1 + i];
        double bytes = child->bytes / children[0].bytes;
        struct spread r;

        if (!child->is_right || !children[0].is_right) {
            printf("  %22s  %5s", "-", "-");
            continue;
        }
        r = spread_of(child, &children[0]);
        printf("  %6.2fx [%5.2f %6.2f] %5.2fx", r.median, r.low, r.high, bytes);
        means[i].logs += log(r.median);
        means[i].bytes = fmax(means[i].bytes, bytes);
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

    if (argc < 4 || atoi(argv[1]) < 1 || atoi(argv[1]) > MOST_ROUNDS)
        return 2;
    for (char *at = strtok_r(argv[3], " ", &rest); at && n < MOST_CHECKS;
         at = strtok_r(NULL, " ", &rest))
        checks[n++] = at;
    printf("%-14s %12s %10s", "", "unchecked", "memory");
    for (int i = 0; i < n; i++)
        printf("  %-29s", checks[i]);
    printf("\n");
    for (int c = 0; c < BENCH_launch1; c++)
        if (is_wanted(ids[c], argv + 4))
            run_case(argv[2], (enum bench_case)c, checks, n, atoi(argv[1]), means);
    printf("%-37s", "geometric mean; most memory");
    for (int i = 0; i < n; i++)
        printf("  %6.2fx %14s %5.2fx", means[i].n ? exp(means[i].logs / means[i].n) : NAN, "",
               means[i].bytes);
    printf("\n");
    return 0;
}
