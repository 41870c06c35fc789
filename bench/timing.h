/* SPDX-License-Identifier: MIT */
/* The clock of all programs that time peers. Seconds. */
#ifndef LS_BENCH_TIMING_H
#define LS_BENCH_TIMING_H

#include <time.h>

static inline double
now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
