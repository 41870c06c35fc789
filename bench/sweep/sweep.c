/* SPDX-License-Identifier: MIT */
/* sweep ROUNDS MAX OURS.so OPENMP.so [ROW...]: each row on 1, 2, 4 ... MAX threads, ours and the
 * peer in a process each, taking turns. Prints times, the ratio (peer's / ours), the parallel
 * efficiency of both, and how long their threads waited for a CPU, in hundredths of the time that
 * they ran. Checks every result. */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep.h"
#include "../timing.h"

enum { OURS = 0, PEER, SIDES, TIMEOUT_S = 60 };

static const struct {
    const char *id, *title;
    uint32_t n_floats;
} rows[SWEEP_ROWS] = {
    [SWEEP_empty1] = {"empty1", "1 empty block", 0},
    [SWEEP_empty1024] = {"empty1024", "1,024 empty blocks", 0},
    [SWEEP_saxpy] = {"saxpy", "saxpy 1M in cache, 100 launches", SWEEP_FLOATS},
    [SWEEP_nbody] = {"nbody", "n-body 16384", SWEEP_BODIES * 4},
};

struct answer {
    double seconds; /* negative: it failed */
    struct waiting w;
};

struct side {
    const char *path;
    pid_t pid;
    int ask, hear;
    bool ok;
    struct answer rounds[MAX_ROUNDS];
    double first_s; /* median on one thread */
};

static int n_rounds;
static float *in, *out; /* shared with the sides' processes */

/* The child: 'r' = a timed round, 'f' = fetch, 'q' = leave. */
static void
serve(const char *path, enum sweep_row row, int ask, int answer)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct sweep_side *side = so ? dlsym(so, "sweep_side") : NULL;
    struct answer a = {.seconds = -1};
    int reps = 1, err;
    char cmd;

    if (!side) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(1);
    }
    err = side->setup(row, in);
    if (err == SWEEP_SKIP)
        _exit(SWEEP_SKIP);
    for (int i = 0; i < 3 && !err; i++) { /* code is made, and its speed known */
        double t = now_s();

        err = side->run();
        t = now_s() - t;
        reps = t > 5e-3 ? 1 : (int)fmin(5000, 5e-3 / fmax(t, 1e-7));
        a.seconds = err ? -1 : t;
    }
    if (write(answer, &a, sizeof(a)) != sizeof(a))
        _exit(1);
    while (read(ask, &cmd, 1) == 1 && cmd != 'q') {
        struct waiting before = read_waiting();
        double t = now_s();

        if (cmd == 'f')
            err = side->fetch(out);
        for (int i = 0; cmd == 'r' && i < reps && !err; i++)
            err = side->run();
        a.seconds = err ? -1 : (now_s() - t) / reps;
        a.w = read_waiting();
        a.w.run_ns -= before.run_ns;
        a.w.wait_ns -= before.wait_ns;
        if (write(answer, &a, sizeof(a)) != sizeof(a))
            _exit(1);
    }
    _exit(0);
}

static void
stop(struct side *s, bool politely)
{
    if (s->pid <= 0)
        return;
    if (!politely || write(s->ask, "q", 1) != 1)
        kill(s->pid, SIGKILL);
    close(s->ask);
    close(s->hear);
    waitpid(s->pid, NULL, 0);
    s->pid = 0;
    s->ok = false;
}

static bool
hear(struct side *s, struct answer *a)
{
    ssize_t got;

    alarm(TIMEOUT_S);
    got = read(s->hear, a, sizeof(*a));
    alarm(0);
    return got == sizeof(*a) && a->seconds >= 0;
}

static bool
start(struct side *s, enum sweep_row row, int n_threads)
{
    int ask[2], answer[2];
    struct answer first;
    char n[16];

    s->ok = false;
    if (access(s->path, R_OK) != 0)
        return false;
    if (pipe(ask) != 0 || pipe(answer) != 0)
        return false;
    fflush(stdout);
    s->pid = fork();
    if (s->pid == 0) {
        close(ask[1]);
        close(answer[0]);
        snprintf(n, sizeof(n), "%d", n_threads);
        setenv("LOCKSTEP_THREADS", n, 1);
        setenv("OMP_NUM_THREADS", n, 1);
        serve(s->path, row, ask[0], answer[1]);
    }
    close(ask[0]);
    close(answer[1]);
    s->ask = ask[1];
    s->hear = answer[0];
    s->ok = s->pid > 0 && hear(s, &first);
    if (!s->ok)
        stop(s, false);
    return s->ok;
}

static double
median(const struct side *s)
{
    double v[MAX_ROUNDS];

    for (int i = 0; i < n_rounds; i++)
        v[i] = s->rounds[i].seconds;
    return quantile(v, n_rounds, 0.5);
}

static double
waiting(const struct side *s)
{
    double run = 0, wait = 0;

    for (int i = 0; i < n_rounds; i++) {
        run += s->rounds[i].w.run_ns;
        wait += s->rounds[i].w.wait_ns;
    }
    return run > 0 ? 100 * wait / run : 0;
}

/* What saxpy and n-body should have made; of n-body 64 bodies, in double. */
static bool
is_right(enum sweep_row row)
{
    if (row == SWEEP_saxpy)
        for (uint32_t i = 0; i < SWEEP_FLOATS; i++)
            if (out[i] != SWEEP_LAUNCHES * SWEEP_SCALE * in[i])
                return false;
    for (uint32_t k = 0; row == SWEEP_nbody && k < 64; k++) {
        uint32_t i = k * (SWEEP_BODIES / 64) + k;
        double sum[3] = {0}, size = 0;

        for (uint32_t j = 0; j < SWEEP_BODIES; j++) {
            double d[3], r2 = 0.01, s;

            for (int c = 0; c < 3; c++) {
                d[c] = (double)in[4 * j + c] - in[4 * i + c];
                r2 += d[c] * d[c];
            }
            s = in[4 * j + 3] / (r2 * sqrt(r2));
            for (int c = 0; c < 3; c++) {
                sum[c] += d[c] * s;
                size += fabs(d[c] * s);
            }
        }
        for (int c = 0; c < 3; c++)
            if (!(fabs(out[4 * i + c] - sum[c]) <= 1e-4 * size))
                return false;
    }
    return true;
}

static bool
check(struct side *s, enum sweep_row row)
{
    struct answer a;

    if (!s->ok)
        return true;
    if (rows[row].n_floats)
        memset(out, 0xee, rows[row].n_floats * sizeof(float));
    if (write(s->ask, "f", 1) == 1 && hear(s, &a) && is_right(row))
        return true;
    fprintf(stderr, "%s: %s: wrong result\n", rows[row].id, s->path);
    return false;
}

static void
print_side(const struct side *s, int n)
{
    double t;

    if (!s->ok) {
        printf("  %10s %6s %6s", "-", "", "");
        return;
    }
    t = median(s);
    printf("  %7.2f %s %5.0f%% %5.1f%%", t < 1e-4 ? 1e6 * t : 1e3 * t, t < 1e-4 ? "us" : "ms",
           s->first_s > 0 ? 100 * s->first_s / (n * t) : 100, waiting(s));
}

static bool
run_row(struct side *sides, enum sweep_row row, int n)
{
    const struct timespec rest = {0, 3000000}; /* lets the other side's threads stop spinning */
    double ratio[MAX_ROUNDS];
    bool ok = true;

    for (int k = 0; k < SIDES; k++)
        start(&sides[k], row, n);
    for (int r = 0; r < n_rounds; r++)
        for (int i = 0; i < SIDES; i++) {
            struct side *s = &sides[(i + r) % SIDES];

            nanosleep(&rest, NULL);
            if (s->ok && (write(s->ask, "r", 1) != 1 || !hear(s, &s->rounds[r]))) {
                fprintf(stderr, "%s: %s failed\n", rows[row].id, s->path);
                stop(s, false);
                ok = false;
            }
        }
    ok &= sides[OURS].ok;
    for (int k = 0; k < SIDES; k++) {
        ok &= check(&sides[k], row);
        if (n == 1)
            sides[k].first_s = sides[k].ok ? median(&sides[k]) : 0;
    }
    printf("%-32s %3d", rows[row].title, n);
    for (int k = 0; k < SIDES; k++)
        print_side(&sides[k], n);
    if (sides[OURS].ok && sides[PEER].ok) {
        for (int r = 0; r < n_rounds; r++)
            ratio[r] = sides[PEER].rounds[r].seconds / sides[OURS].rounds[r].seconds;
        printf("  %6.2fx [%5.2f %5.2f]", quantile(ratio, n_rounds, 0.5),
               quantile(ratio, n_rounds, 0.25), quantile(ratio, n_rounds, 0.75));
    }
    printf("\n");
    for (int k = 0; k < SIDES; k++)
        stop(&sides[k], true);
    return ok;
}

static void
fill(enum sweep_row row)
{
    uint32_t x = 12345;

    for (uint32_t i = 0; i < rows[row].n_floats; i++) {
        x = x * 1664525u + 1013904223u;
        in[i] = row == SWEEP_saxpy ? SWEEP_X(i) : (float)(x >> 8) / (float)(1u << 24);
    }
}

static bool
selected(const char *id, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(id, names[i]) == 0)
            return true;
    return n == 0;
}

static void
on_alarm(int sig)
{
    (void)sig; /* only interrupts read() */
}

int
main(int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = on_alarm};
    const size_t room = SWEEP_FLOATS * sizeof(float);
    struct side sides[SIDES] = {0};
    bool ok = true;

    if (argc < 5) {
        fprintf(stderr, "usage: sweep ROUNDS MAX OURS.so OPENMP.so [ROW...]\n");
        return 2;
    }
    n_rounds = atoi(argv[1]) < 1 ? 1 : atoi(argv[1]) > MAX_ROUNDS ? MAX_ROUNDS : atoi(argv[1]);
    sides[OURS].path = argv[3];
    sides[PEER].path = argv[4];
    in = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (in == MAP_FAILED)
        return 1;
    out = in + SWEEP_FLOATS;
    sigaction(SIGALRM, &sa, NULL);
    signal(SIGPIPE, SIG_IGN);
    printf(
        "Medians of %d interleaved rounds. eff: time on 1 thread / (threads * time). wait: for a "
        "CPU, of running.\n\n%-32s %3s  %10s %6s %6s  %10s %6s %6s  %s\n",
        n_rounds, "", "n", "ours", "eff", "wait", "OpenMP C", "eff", "wait",
        "OpenMP C / ours [quartiles]");
    for (int row = 0; row < SWEEP_ROWS; row++) {
        int max = atoi(argv[2]);

        if (!selected(rows[row].id, argv + 5, argc - 5))
            continue;
        fill((enum sweep_row)row);
        for (int n = 1; n <= max; n = n < max && n * 2 > max ? max : n * 2)
            ok &= run_row(sides, (enum sweep_row)row, n);
    }
    printf("\n%s\n", ok ? "all results are right" : "some rows failed");
    return ok ? 0 : 1;
}
