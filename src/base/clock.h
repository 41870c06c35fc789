/* SPDX-License-Identifier: MIT */
/* The clock that durations are measured with. */
#ifndef LS_BASE_CLOCK_H
#define LS_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment; never goes back. */
static inline uint64_t
ls_now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
