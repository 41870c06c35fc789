/* SPDX-License-Identifier: MIT */
/* Whether the threads that run a kernel stand in each other's way: atomics at the same few
 * addresses take their cache lines from one core to the next, and one thread alone may be faster
 * than all. That is found out within a launch: all but one pause for a moment. */
#ifndef LS_CPU_CROWD_H
#define LS_CPU_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How a launch runs. */
enum ls_crowd_plan {
    LS_CROWD_FREE = 0, /* nothing is asked */
    LS_CROWD_WATCHED,  /* it is found out meanwhile */
    LS_CROWD_ALONE,    /* by one thread */
};

/* One kernel's; zeros are a good beginning. A thread is in from ls_crowd_enter to ls_crowd_leave,
 * and what it has done since is read by others. */
struct ls_crowd {
    atomic_bool watched;          /* a launch is, and no other one */
    atomic_bool alone;            /* what was found */
    atomic_uint n_left, patience; /* launches until it is asked again */
    atomic_uint phase;
    atomic_uint n_in, n_paused;
    _Atomic(const void *) owner;  /* who goes on alone */
    _Atomic uint64_t n_done;      /* units that have ended */
    _Atomic uint64_t at, done_at; /* the phase's first tick, and n_done then */
    double together;              /* units a tick; the phase's owner's */
    _Atomic double by_one;        /* the same */
};

/* For a launch that more than one thread could run. One that is watched ends with ls_crowd_end. */
enum ls_crowd_plan ls_crowd_begin(struct ls_crowd *crowd);
void ls_crowd_end(struct ls_crowd *crowd, const char *kernel);

void ls_crowd_enter(struct ls_crowd *crowd);
void ls_crowd_leave(struct ls_crowd *crowd, const void *self);

enum ls_crowd_turn {
    LS_CROWD_STAY = 0,
    LS_CROWD_KEEP, /* all that is left is for this thread */
    LS_CROWD_GO,   /* it is for another one */
};

/* A thread of a watched launch has run n_units; it may have to pause here, for a fraction of a
 * millisecond at most. */
enum ls_crowd_turn ls_crowd_go_on(struct ls_crowd *crowd, const void *self, uint64_t n_units);

/* A launch that runs alone has taken so long for so many units. True: that is much longer than when
 * it was found out that one thread is enough, so all may come; the next launch is watched. */
bool ls_crowd_is_over(struct ls_crowd *crowd, uint64_t ticks, uint64_t n_units);

#endif
