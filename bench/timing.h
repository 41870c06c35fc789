/* SPDX-License-Identifier: MIT */
/* What all programs that time peers share: the clock, quantiles, and what threads waited for. */
#ifndef LS_BENCH_TIMING_H
#define LS_BENCH_TIMING_H

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_ROUNDS = 101 };

struct waiting {
    double run_ns, wait_ns;
};

static inline double
now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The q-quantile of n <= MAX_ROUNDS values, 0 <= q <= 1. */
static inline double
quantile(const double *v, int n, double q)
{
    double s[MAX_ROUNDS];

    memcpy(s, v, (size_t)n * sizeof(*s));
    qsort(s, (size_t)n, sizeof(*s), by_size);
    return s[(int)lrint(q * (n - 1))];
}

/* What all threads of this process have run, and have waited for a CPU. */
static inline struct waiting
read_waiting(void)
{
    DIR *d = opendir("/proc/self/task");
    struct waiting all = {0, 0};
    struct dirent *e;

    while (d && (e = readdir(d))) {
        char path[300];
        double run, wait;
        FILE *f;

        snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", e->d_name);
        f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (f && fscanf(f, "%lf %lf", &run, &wait) == 2) {
            all.run_ns += run;
            all.wait_ns += wait;
        }
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return all;
}

#endif
