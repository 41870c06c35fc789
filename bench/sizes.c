/* SPDX-License-Identifier: MIT */
/* Runs streaming kernels over arrays of many sizes, by us and by OpenMP C in turn, and looks for
 * cliffs: the worst ratio of times per element between neighbouring sizes. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sizes.h"
#include "timing.h"

enum { N_PEERS = 2, MAX_SIZES = 64, TIMEOUT_S = 240 };

static const struct row {
    const char *id;
    unsigned arrays;
} rows[SIZES_COUNT] = {
#define SIZES_ROW(id, arrays) {#id, arrays},
    SIZES_KERNELS(SIZES_ROW)
#undef SIZES_ROW
};

/* A peer's process for one kernel and size. */
struct worker {
    const char *path;
    pid_t pid;
    int ask, answer; /* pipes: number of runs, 0 = check and leave; seconds back, < 0 = failure */
    unsigned reps;
    double seconds[MAX_ROUNDS]; /* per run */
};

static int n_rounds = 7;

static void
serve(const char *path, enum sizes_kernel k, size_t n, int ask, int answer)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct sizes_peer *peer = so ? dlsym(so, "sizes_peer") : NULL;
    unsigned runs = 0, want;
    double reply;
    int err;

    if (!peer) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(1);
    }
    err = peer->setup(k, n);
    while (read(ask, &want, sizeof(want)) == sizeof(want)) {
        double t = now_s();

        for (unsigned i = 0; i < want && !err; i++)
            err = peer->run();
        reply = (now_s() - t) / (want ? want : 1);
        runs += want;
        if (want == 0 && !err)
            err = peer->check(runs);
        if (err)
            reply = -1;
        if (write(answer, &reply, sizeof(reply)) != sizeof(reply) || want == 0)
            break;
    }
    _exit(err != 0);
}

static double
ask(struct worker *w, unsigned runs)
{
    double reply = -1;

    alarm(TIMEOUT_S);
    if (write(w->ask, &runs, sizeof(runs)) != sizeof(runs) ||
        read(w->answer, &reply, sizeof(reply)) != sizeof(reply))
        reply = -1;
    alarm(0);
    if (reply < 0) {
        fprintf(stderr, "%s failed\n", w->path);
        kill(w->pid, SIGKILL);
        exit(1);
    }
    return reply;
}

static void
start(struct worker *w, enum sizes_kernel k, size_t n)
{
    int to[2], from[2];

    if (pipe(to) || pipe(from)) {
        perror("pipe");
        exit(1);
    }
    fflush(stdout);
    w->pid = fork();
    if (w->pid == 0) {
        close(to[1]);
        close(from[0]);
        serve(w->path, k, n, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    w->ask = to[1];
    w->answer = from[0];
}

static void
stop(struct worker *w)
{
    ask(w, 0);
    close(w->ask);
    close(w->answer);
    waitpid(w->pid, NULL, 0);
}

/* Runs until times are settled, which takes us a dozen launches (src/device/cpu/form.h), and
 * decides how many runs are a sample. */
static void
warm_up(struct worker *w)
{
    double t, sum = ask(w, 1);
    unsigned n = 1;

    do {
        t = ask(w, 4);
        sum += 4 * t;
        n += 4;
    } while (n < 13 || (n < 40 && sum < 0.3));
    w->reps = t > 4e-3 ? 1 : t > 4e-7 ? (unsigned)(4e-3 / t) + 1 : 10000;
}

static void
sample(struct worker *peers)
{
    const struct timespec rest = {0, 3000000}; /* lets the last peer's threads stop spinning */

    for (int round = 0; round < n_rounds; round++)
        for (int p = 0; p < N_PEERS; p++) {
            struct worker *w = &peers[(p + round) % N_PEERS];

            nanosleep(&rest, NULL);
            w->seconds[round] = ask(w, w->reps);
        }
}

static const char *
size_text(size_t bytes, char text[32])
{
    if (bytes >= (size_t)1 << 30 && bytes % (1 << 29) == 0)
        snprintf(text, 32, "%.4g GiB", (double)bytes / (1 << 30));
    else if (bytes >= (size_t)1 << 20)
        snprintf(text, 32, "%.4g MiB", (double)bytes / (1 << 20));
    else
        snprintf(text, 32, "%.4g KiB", (double)bytes / (1 << 10));
    return text;
}

/* Time per element of larger arrays against that of the next smaller ones, where it is worst. Below
 * one the larger are better. */
static double
step(const double *ns, int i)
{
    return ns[i] > ns[i - 1] ? ns[i] / ns[i - 1] : ns[i - 1] / ns[i];
}

static void
report_steps(const char *name, const double *ns, const double *other, const size_t *sizes, int n)
{
    char from[32], to[32];
    int worst = 1, alone = 0;

    if (n < 2)
        return;
    for (int i = 2; i < n; i++)
        if (step(ns, i) > step(ns, worst))
            worst = i;
    printf("  %-9s worst between neighbours %.2fx (%s to %s)", name, step(ns, worst),
           size_text(sizes[worst - 1], from), size_text(sizes[worst], to));
    for (int i = 1; i < n; i++)
        if (step(ns, i) > 1.25 && step(other, i) <= 1.25) {
            printf("%s %s to %s (%.2fx, peer %.2fx)",
                   alone++ ? "," : "; over 1.25x alone:", size_text(sizes[i - 1], from),
                   size_text(sizes[i], to), step(ns, i), step(other, i));
        }
    printf("\n");
}

static void
sweep(enum sizes_kernel k, struct worker *peers, const size_t *sizes, int n)
{
    double ns[N_PEERS][MAX_SIZES], ratio[MAX_ROUNDS], lowest = 1e9;
    char text[32];
    int at = 0;

    printf("%s\n  %10s %12s %12s   OpenMP C / ours\n", rows[k].id, "array", "ours", "OpenMP C");
    for (int i = 0; i < n; i++) {
        size_t floats = sizes[i] / sizeof(float);
        double mid;

        for (int p = 0; p < N_PEERS; p++) {
            start(&peers[p], k, floats);
            warm_up(&peers[p]);
        }
        sample(peers);
        for (int p = 0; p < N_PEERS; p++) {
            stop(&peers[p]);
            ns[p][i] = 1e9 * quantile(peers[p].seconds, n_rounds, 0.5) / (double)floats;
        }
        for (int r = 0; r < n_rounds; r++)
            ratio[r] = peers[1].seconds[r] / peers[0].seconds[r];
        mid = quantile(ratio, n_rounds, 0.5);
        printf("  %10s %9.4f ns %9.4f ns   %5.2fx [%.2f %.2f]\n", size_text(sizes[i], text),
               ns[0][i], ns[1][i], mid, quantile(ratio, n_rounds, 0.25),
               quantile(ratio, n_rounds, 0.75));
        fflush(stdout);
        if (mid < lowest) {
            lowest = mid;
            at = i;
        }
    }
    printf("  lowest ratio %.2fx, at %s\n", lowest, size_text(sizes[at], text));
    report_steps("ours", ns[0], ns[1], sizes, n);
    report_steps("OpenMP C", ns[1], ns[0], sizes, n);
}

static void
on_alarm(int sig)
{
    (void)sig; /* only interrupts read() */
}

/* A number of bytes with K, M or G behind it. */
static size_t
bytes_of(const char *text)
{
    char *end;
    size_t n = strtoul(text, &end, 10);

    return n << (*end == 'G' ? 30 : *end == 'M' ? 20 : *end == 'K' ? 10 : 0);
}

/* Powers of two and one and a half of them, as long as all arrays of both peers have room. */
static int
make_sizes(size_t first, size_t last, size_t *sizes)
{
    int n = 0;

    for (size_t s = 4096; s <= last && n + 2 <= MAX_SIZES; s *= 2) {
        if (s >= first)
            sizes[n++] = s;
        if (s + s / 2 >= first && s + s / 2 <= last)
            sizes[n++] = s + s / 2;
    }
    return n;
}

/* sizes ROUNDS FIRST LAST OURS.so OPENMP.so [kernel...] */
int
main(int argc, char **argv)
{
    struct worker peers[N_PEERS] = {{0}};
    struct sigaction sa = {.sa_handler = on_alarm};
    size_t all[MAX_SIZES], memory;

    if (argc < 6) {
        fprintf(stderr, "usage: sizes ROUNDS FIRST LAST OURS.so OPENMP.so [KERNEL...]\n");
        return 2;
    }
    n_rounds = atoi(argv[1]) < 1 ? 1 : atoi(argv[1]) > MAX_ROUNDS ? MAX_ROUNDS : atoi(argv[1]);
    for (int p = 0; p < N_PEERS; p++)
        peers[p].path = argv[4 + p];
    sigaction(SIGALRM, &sa, NULL);
    signal(SIGPIPE, SIG_IGN);
    memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 8 * 7;
    printf("Time per element, medians of %d interleaved rounds; ratio [quartiles]. Threads: %s\n",
           n_rounds, getenv("OMP_NUM_THREADS") ? getenv("OMP_NUM_THREADS") : "?");
    for (int k = 0; k < SIZES_COUNT; k++) {
        size_t room = memory / (N_PEERS * rows[k].arrays), last = bytes_of(argv[3]);
        bool wanted = argc == 6;
        int n;

        for (int i = 6; i < argc; i++)
            wanted |= strcmp(argv[i], rows[k].id) == 0;
        n = make_sizes(bytes_of(argv[2]), last < room ? last : room, all);
        if (wanted && n > 0)
            sweep((enum sizes_kernel)k, peers, all, n);
    }
    return 0;
}
