/* SPDX-License-Identifier: MIT */
/* Runs every case on every peer, interleaved, and prints ratios with their spread.
 *
 * A peer is a shared object; each peer of each case lives in a process of its own, so that no
 * runtime's threads or crashes reach another. The processes take turns, one run each, in an order
 * that rotates: the noise of a shared machine then hits all alike, and a ratio is the median of the
 * rounds' ratios. */
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "data.h"
#include "timing.h"
#include "peer.h"

enum { MAX_PEERS = 4, OPENMP = 2, ISPC = 3, OURS = 0, TIMEOUT_S = 120 };

/* Runs of each peer that are not timed: ours finds out the better form of a kernel in eight. */
enum { WARM_UP_RUNS = 12 };
#define WARM_UP_S 0.25

static const char *const peer_names[MAX_PEERS] = {"ours", "PoCL", "OpenMP C", "ispc"};

/* Floors of the geometric means; 0 = none. */
static const double mean_floors[MAX_PEERS] = {0, 4, 0, 1};

static const struct bench_row {
    const char *id;
    const char *title;
    double floor[MAX_PEERS]; /* by peer: ours has none */
} rows[BENCH_COUNT] = {
#define LS_CASE(id, title, pocl, omp, ispc) {#id, title, {0, pocl, omp, ispc}},
#include "cases.def"
#undef LS_CASE
};

struct answer {
    double seconds; /* negative: it failed */
    struct waiting w;
};

/* A peer's process in one case. */
struct worker {
    const char *path;
    pid_t pid;
    int ask, answer; /* pipes: one command byte, one answer back */
    bool ok;
    double seconds[MAX_ROUNDS];
    struct waiting sum;
};

static int n_rounds = 11;

/* BENCH_THREADS, "1 2 4": each row runs on so many CPUs, one number after the other. */
enum { MAX_THREAD_COUNTS = 16 };
static int thread_counts[MAX_THREAD_COUNTS], n_thread_counts;
static int n_threads; /* of the workers that start; 0: as their environment says */

/* In a worker: as on a machine that has only the first n_threads of our CPUs. */
static void
confine(void)
{
    static const char *const names[] = {"LOCKSTEP_THREADS", "OMP_NUM_THREADS",
                                        "OPENBLAS_NUM_THREADS", "POCL_MAX_PTHREAD_COUNT"};
    cpu_set_t have, use;
    char text[16];

    if (n_threads == 0)
        return;
    snprintf(text, sizeof(text), "%d", n_threads);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        setenv(names[i], text, 1);
    if (sched_getaffinity(0, sizeof(have), &have))
        return;
    CPU_ZERO(&use);
    for (int cpu = 0, n = 0; cpu < CPU_SETSIZE && n < n_threads; cpu++)
        if (CPU_ISSET(cpu, &have)) {
            CPU_SET(cpu, &use);
            n++;
        }
    sched_setaffinity(0, sizeof(use), &use);
}

/* The child: 'r' = one timed sample, 'f' = fetch, 'q' = leave. */
static void
serve(const char *path, enum bench_case c, const struct bench_data *data, int ask, int answer)
{
    confine();
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct bench_peer *peer = so ? dlsym(so, "bench_peer") : NULL;
    struct answer reply = {.seconds = -1};
    int reps = 1;
    char cmd;

    if (!peer) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(1);
    }
    int err = peer->setup(c, data);
    if (err == BENCH_SKIP)
        _exit(BENCH_SKIP);
    if (!err && !peer->run()) {
        double t, end = now_s() + WARM_UP_S;

        for (int i = 0; i < WARM_UP_RUNS && now_s() < end && !err; i++)
            err = peer->run();
        t = now_s();
        err = err ? err : peer->run();
        t = now_s() - t;
        reps = t > 5e-3 ? 1 : (int)fmin(2000, 5e-3 / fmax(t, 1e-7));
        reply.seconds = err ? -1 : t;
    }
    if (write(answer, &reply, sizeof(reply)) != sizeof(reply))
        _exit(1);
    while (read(ask, &cmd, 1) == 1 && cmd != 'q') {
        struct waiting before = read_waiting();
        double t = now_s();

        if (cmd == 'f') {
            err = peer->fetch(data);
        } else {
            for (int r = 0; r < reps && !err; r++)
                err = peer->run();
        }
        reply.seconds = err ? -1 : (now_s() - t) / reps;
        reply.w = read_waiting();
        reply.w.run_ns -= before.run_ns;
        reply.w.wait_ns -= before.wait_ns;
        if (write(answer, &reply, sizeof(reply)) != sizeof(reply))
            _exit(1);
    }
    peer->teardown();
    _exit(0);
}

static void
worker_stop(struct worker *w, bool politely)
{
    int status = 0;

    if (w->pid <= 0)
        return;
    if (!politely || write(w->ask, "q", 1) != 1)
        kill(w->pid, SIGKILL);
    close(w->ask);
    close(w->answer);
    waitpid(w->pid, &status, 0);
    w->pid = 0;
}

static bool
worker_hear(struct worker *w, struct answer *reply)
{
    ssize_t got;

    alarm(TIMEOUT_S);
    got = read(w->answer, reply, sizeof(*reply));
    alarm(0);
    return got == sizeof(*reply) && reply->seconds >= 0;
}

static bool
worker_ask(struct worker *w, char cmd, struct answer *reply)
{
    return write(w->ask, &cmd, 1) == 1 && worker_hear(w, reply);
}

static void
worker_start(struct worker *w, enum bench_case c, const struct bench_data *data)
{
    int ask[2], answer[2];
    struct answer first;

    w->ok = false;
    w->sum = (struct waiting){0, 0};
    if (access(w->path, R_OK)) /* not built: run said so */
        return;
    if (pipe(ask) || pipe(answer)) {
        perror("pipe");
        exit(1);
    }
    w->pid = fork();
    if (w->pid == 0) {
        close(ask[1]);
        close(answer[0]);
        serve(w->path, c, data, ask[0], answer[1]);
    }
    close(ask[0]);
    close(answer[1]);
    w->ask = ask[1];
    w->answer = answer[0];
    w->ok = worker_hear(w, &first);
    if (!w->ok)
        worker_stop(w, false);
}

static void
on_alarm(int sig)
{
    (void)sig; /* only interrupts read() */
}

static void
measure(struct worker *workers, int n, enum bench_case c)
{
    const struct timespec rest = {0, 3000000}; /* lets the last peer's threads stop spinning */

    for (int round = 0; round < n_rounds; round++) {
        for (int k = 0; k < n; k++) {
            struct worker *w = &workers[(k + round) % n];
            struct answer a;

            if (!w->ok)
                continue;
            nanosleep(&rest, NULL);
            w->ok = worker_ask(w, 'r', &a);
            if (!w->ok)
                fprintf(stderr, "%s: %s failed\n", rows[c].id, w->path);
            w->seconds[round] = a.seconds;
            w->sum.run_ns += a.w.run_ns;
            w->sum.wait_ns += a.w.wait_ns;
        }
    }
}

static void
verify(struct worker *workers, int n, enum bench_case c, const struct bench_data *data,
       const void *want)
{
    struct answer unused;

    for (int k = 0; k < n; k++) {
        struct worker *w = &workers[k];
        if (!w->ok)
            continue;
        if (data->out)
            memset(data->out, 0xee, data->out_bytes);
        w->ok = worker_ask(w, 'f', &unused) && bench_data_check(c, data, want);
        if (!w->ok)
            fprintf(stderr, "%s: %s: wrong result\n", rows[c].id, w->path);
    }
}

static void
print_time(const struct worker *w)
{
    if (!w->ok) {
        printf(" %10s", w->path ? "-" : "");
        return;
    }
    double ms = 1e3 * quantile(w->seconds, n_rounds, 0.5);
    if (ms < 0.1)
        printf(" %7.2f us", 1e3 * ms);
    else
        printf(" %7.2f ms", ms);
}

/* Prints peer/ours as median [quartiles] and the floor; true unless a floor is missed. */
static bool
print_ratio(const struct worker *ours, const struct worker *peer, double floor, double *log_sum,
            int *n_logs)
{
    double ratio[MAX_ROUNDS];

    if (!ours->ok || !peer->ok) {
        printf("  %-31s", "-");
        return floor == 0 || !peer->ok;
    }
    for (int r = 0; r < n_rounds; r++)
        ratio[r] = peer->seconds[r] / ours->seconds[r];
    double mid = quantile(ratio, n_rounds, 0.5);
    char text[64], verdict[32] = "";
    snprintf(text, sizeof(text), "%6.2fx [%5.2f %5.2f]", mid, quantile(ratio, n_rounds, 0.25),
             quantile(ratio, n_rounds, 0.75));
    if (floor > 0)
        snprintf(verdict, sizeof(verdict), "%s %.2f", mid >= floor ? "ok" : "MISS", floor);
    printf("  %-21s %-9s", text, verdict);
    *log_sum += log(mid);
    *n_logs += 1;
    return floor == 0 || mid >= floor;
}

static int
run_command(char *const argv[])
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                           : -1;
}

/* Median and quartiles of a command's wall time in ms, each run with a fresh `fresh_dir` when
 * given. */
static bool
time_command(const char *title, char *const argv[], const char *fresh_env, double floor_ms,
             double *median)
{
    double ms[MAX_ROUNDS];

    for (int r = -1; r < n_rounds; r++) {
        char dir[] = "/tmp/ls-bench-XXXXXX";
        if (fresh_env) {
            if (!mkdtemp(dir))
                return false;
            setenv(fresh_env, dir, 1);
        }
        double t = now_s();
        int rc = run_command(argv);
        t = now_s() - t;
        if (fresh_env) {
            char *const rm[] = {"rm", "-rf", dir, NULL};
            unsetenv(fresh_env);
            run_command(rm);
        }
        if (rc != 0) {
            printf("%-27s failed: exit %d\n", title, rc);
            return false;
        }
        if (r >= 0)
            ms[r] = 1e3 * t;
    }
    *median = quantile(ms, n_rounds, 0.5);
    printf("%-27s %7.2f ms [%.2f %.2f]", title, *median, quantile(ms, n_rounds, 0.25),
           quantile(ms, n_rounds, 0.75));
    if (floor_ms > 0)
        printf("  %s %.0f ms", *median <= floor_ms ? "ok" : "MISS", floor_ms);
    printf("\n");
    return floor_ms == 0 || *median <= floor_ms;
}

/* argv-like list from one space-separated string; modifies it. */
static void
split(char *text, char **argv, int max)
{
    int n = 0;

    for (char *word = strtok(text, " "); word && n < max - 1; word = strtok(NULL, " "))
        argv[n++] = word;
    argv[n] = NULL;
}

/* BENCH_START: a small program; BENCH_HIPCC and BENCH_CLANG: two commands that compile the same
 * file. */
static bool
run_starts(void)
{
    const char *start = getenv("BENCH_START"), *hipcc = getenv("BENCH_HIPCC"),
               *clang = getenv("BENCH_CLANG");
    char hipcc_text[1024], clang_text[1024];
    char *hipcc_argv[32], *clang_argv[32];
    double unused, ours, peer;
    bool ok = true;

    printf("\n");
    if (start && access(start, X_OK) == 0) {
        char *const argv[] = {(char *)(size_t)start, NULL};
        ok &= time_command("warm start, exec to exit", argv, NULL, 3, &unused);
        ok &= time_command("cold start (empty cache)", argv, "LOCKSTEP_CACHE_DIR", 35, &unused);
    }
    if (!hipcc || !clang)
        return ok;
    snprintf(hipcc_text, sizeof(hipcc_text), "%s", hipcc);
    snprintf(clang_text, sizeof(clang_text), "%s", clang);
    split(hipcc_text, hipcc_argv, 32);
    split(clang_text, clang_argv, 32);
    if (time_command("hipcc -O3 -c, one kernel", hipcc_argv, NULL, 0, &ours) &&
        time_command("clang-19 for gfx1100", clang_argv, NULL, 0, &peer)) {
        printf("%-27s %7.2fx  %s 1.30\n", "hipcc / clang-19", ours / peer,
               ours / peer <= 1.3 ? "ok" : "MISS");
        ok &= ours / peer <= 1.3;
    }
    return ok;
}

/* BENCH_CALLS: a program that prints what single calls cost, and fails when one costs too much. */
static bool
run_calls(void)
{
    const char *calls = getenv("BENCH_CALLS");
    char *const argv[] = {(char *)(size_t)calls, NULL};

    if (!calls || access(calls, X_OK) != 0)
        return true;
    printf("\n");
    fflush(stdout);
    return run_command(argv) == 0;
}

/* BENCH_OPENMP_FLOOR is that of all rows against OpenMP C. */
static double
floor_of(enum bench_case c, int peer)
{
    const char *all = getenv("BENCH_OPENMP_FLOOR");

    return peer == OPENMP && all ? atof(all) : rows[c].floor[peer];
}

/* One row on one number of threads. alone[k]: seconds of peer k on the first number in the list. */
static bool
run_row(enum bench_case c, const struct bench_data *data, const void *want, struct worker *workers,
        int n, double *alone, double *log_sum, int *n_logs)
{
    bool ok = true;

    for (int k = 0; k < n; k++)
        worker_start(&workers[k], c, data);
    measure(workers, n, c);
    verify(workers, n, c, data, want);
    printf("%-27s", rows[c].title);
    if (n_threads > 0)
        printf(" %3d", n_threads);
    for (int k = 0; k < n; k++)
        print_time(&workers[k]);
    for (int k = 1; k < n; k++)
        ok &= print_ratio(&workers[OURS], &workers[k], floor_of(c, k), &log_sum[k], &n_logs[k]);
    ok &= workers[OURS].ok;
    for (int k = 0; k < n; k++)
        if (workers[k].ok && workers[k].sum.run_ns > 0)
            printf(" %5.1f%%", 100 * workers[k].sum.wait_ns / workers[k].sum.run_ns);
        else
            printf(" %6s", "-");
    for (int k = 0; k < n && n_threads > 0; k++) {
        double s = workers[k].ok ? quantile(workers[k].seconds, n_rounds, 0.5) : 0;

        alone[k] = n_threads == thread_counts[0] ? s : alone[k];
        if (s > 0 && alone[k] > 0)
            printf(" %4.0f%%", 100 * alone[k] * thread_counts[0] / (s * n_threads));
        else
            printf(" %5s", "-");
    }
    if ((c == BENCH_launch1 || c == BENCH_graph1000) && workers[OURS].ok) {
        double us = 1e6 * quantile(workers[OURS].seconds, n_rounds, 0.5);
        double limit = c == BENCH_launch1 ? 2 : 60;

        printf("  %s %.0f us", us <= limit ? "ok" : "MISS", limit);
        ok &= us <= limit;
    }
    printf("\n");
    for (int k = 0; k < n; k++)
        worker_stop(&workers[k], true);
    return ok;
}

static bool
run_case(enum bench_case c, struct worker *workers, int n, double *log_sum, int *n_logs)
{
    double alone[MAX_PEERS] = {0};
    struct bench_data data;
    void *want;
    bool ok = true;

    fflush(stdout);
    if (!bench_data_create(c, &data, &want)) {
        fprintf(stderr, "%s: out of memory\n", rows[c].id);
        return false;
    }
    for (int i = 0; i < n_thread_counts || i == 0; i++) {
        n_threads = thread_counts[i];
        ok &= run_row(c, &data, want, workers, n, alone, log_sum, n_logs);
    }
    bench_data_destroy(&data, want);
    return ok;
}

static bool
selected(const char *id, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(id, names[i]) == 0)
            return true;
    return n == 0;
}

/* BENCH_THREADS into the table; false: it has something that is no number of threads. */
static bool
read_thread_counts(const char *text)
{
    char *end;

    while (text && *text && n_thread_counts < MAX_THREAD_COUNTS) {
        long count = strtol(text, &end, 10);

        if (end == text || count < 1 || count > CPU_SETSIZE)
            return false;
        thread_counts[n_thread_counts++] = (int)count;
        for (text = end; *text == ' ' || *text == ','; text++)
            ;
    }
    return true;
}

static bool
known(const char *name)
{
    for (int c = 0; c < BENCH_COUNT; c++)
        if (strcmp(rows[c].id, name) == 0)
            return true;
    return strcmp(name, "start") == 0 || strcmp(name, "calls") == 0;
}

/* How the rows that a peer has go on the whole. False: below the floor. */
static bool
print_mean(int peer, double log_sum, int n_logs)
{
    double floor = mean_floors[peer], mean = exp(log_sum / n_logs);

    printf("geometric mean against %s: %.2fx over %d cases", peer_names[peer], mean, n_logs);
    if (floor > 0)
        printf("  %s %.2f", mean >= floor ? "ok" : "MISS", floor);
    printf("\n");
    return mean >= floor;
}

/* bench <rounds> <ours.so> <pocl.so> <openmp.so> [case...], and BENCH_ISPC=<ispc.so>,
 * BENCH_THREADS; exits 0 when no floor is missed. */
int
main(int argc, char **argv)
{
    struct worker workers[MAX_PEERS] = {{0}};
    double log_sum[MAX_PEERS] = {0};
    int n_logs[MAX_PEERS] = {0};
    struct sigaction sa = {.sa_handler = on_alarm};
    bool ok = true;
    int n = ISPC; /* peers */

    if (argc < 5) {
        fprintf(stderr, "usage: bench ROUNDS OURS.so POCL.so OPENMP.so [CASE...]\n");
        return 2;
    }
    for (int i = 5; i < argc; i++)
        if (!known(argv[i])) {
            fprintf(stderr, "bench: no case '%s'; there are:", argv[i]);
            for (int c = 0; c < BENCH_COUNT; c++)
                fprintf(stderr, " %s", rows[c].id);
            fprintf(stderr, " start calls\n");
            return 2;
        }
    if (!read_thread_counts(getenv("BENCH_THREADS"))) {
        fprintf(stderr, "bench: BENCH_THREADS is a list of numbers of threads\n");
        return 2;
    }
    n_rounds = atoi(argv[1]) < 1 ? 1 : atoi(argv[1]) > MAX_ROUNDS ? MAX_ROUNDS : atoi(argv[1]);
    for (int k = 0; k < ISPC; k++)
        workers[k].path = argv[2 + k];
    workers[ISPC].path = getenv("BENCH_ISPC");
    if (workers[ISPC].path)
        n++;
    sigaction(SIGALRM, &sa, NULL);
    signal(SIGPIPE, SIG_IGN);
    printf("Medians of %d interleaved rounds; ratio = peer's time / ours [quartiles], floor.\n\n",
           n_rounds);
    printf("%-27s", "");
    if (n_thread_counts > 0)
        printf(" CPU");
    for (int k = 0; k < n; k++)
        printf(" %10s", peer_names[k]);
    for (int k = 1; k < n; k++) {
        char title[32];

        snprintf(title, sizeof(title), "%s / ours", peer_names[k]);
        printf("  %-31s", title);
    }
    printf(" waited%s\n", n_thread_counts > 0 ? ", parallel efficiency" : "");
    for (int c = 0; c < BENCH_COUNT; c++)
        if (selected(rows[c].id, argv + 5, argc - 5))
            ok &= run_case((enum bench_case)c, workers, n, log_sum, n_logs);
    printf("\n");
    for (int k = 1; k < n; k++)
        if (n_logs[k] > 0)
            ok &= print_mean(k, log_sum[k], n_logs[k]);
    if (selected("start", argv + 5, argc - 5))
        ok &= run_starts();
    if (selected("calls", argv + 5, argc - 5))
        ok &= run_calls();
    printf("\n%s\n", ok ? "all floors held" : "some floors were missed or some cases failed");
    return ok ? 0 : 1;
}
