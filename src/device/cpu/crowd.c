/* SPDX-License-Identifier: MIT */
/* A watched launch goes through these phases, each as long as its threads need for a number: all
 * run together; one asks the others to pause, and runs by itself when they do; all run together
 * again. It must be faster by itself than all were before and after, as blocks may differ. */
#include "device/cpu/crowd.h"

#include <stddef.h>

#include "base/log.h"

/* All ticks are of the time stamp counter. */
#define PHASE_TICKS 80000u   /* a phase that is measured, at the least */
#define PAUSE_TICKS 1500000u /* nobody pauses for longer, whatever the others do */
#define MARGIN      1.25
#define SLOWER      4.0 /* a launch is another matter than those before */

enum { N_PIECES = 4, PATIENCE = 64, MOST_PATIENCE = 16384 };
enum phase { APART = 0, TOGETHER, MEET, BY_ONE, AGAIN, OVER };

enum ls_crowd_plan
ls_crowd_begin(struct ls_crowd *c)
{
    unsigned left = atomic_load(&c->n_left);

    if (left > 0) { /* two may count as one */
        atomic_store(&c->n_left, left - 1);
        return atomic_load(&c->alone) ? LS_CROWD_ALONE : LS_CROWD_FREE;
    }
    if (atomic_exchange(&c->watched, true))
        return LS_CROWD_FREE;
    atomic_store(&c->owner, NULL);
    atomic_store(&c->n_done, 0);
    atomic_store(&c->phase, APART);
    return LS_CROWD_WATCHED;
}

void
ls_crowd_end(struct ls_crowd *c, const char *kernel)
{
    if (atomic_load(&c->n_left) > 0)
        ls_log(LS_LOG_INFO, "kernel %s: %s; blocks a million ticks: %.0f together, %.0f by one",
               kernel,
               atomic_load(&c->alone) ? "one thread is faster than all" : "all threads run it",
               c->together * 1e6, atomic_load(&c->by_one) * 1e6);
    atomic_store(&c->watched, false);
}

void
ls_crowd_enter(struct ls_crowd *c)
{
    atomic_fetch_add(&c->n_in, 1);
}

void
ls_crowd_leave(struct ls_crowd *c, const void *self)
{
    atomic_fetch_sub(&c->n_in, 1);
    if (atomic_load(&c->owner) != self)
        return;
    atomic_store(&c->phase, OVER); /* nobody waits for it any more, */
    atomic_store(&c->owner, NULL); /* and another one may do the rest */
}

/* Begins a phase. */
static void
mark(struct ls_crowd *c, enum phase phase, uint64_t now)
{
    atomic_store(&c->at, now);
    atomic_store(&c->done_at, atomic_load(&c->n_done));
    atomic_store(&c->phase, phase);
}

/* Units a tick since the phase began; 0: it is too early to say. */
static double
rate(struct ls_crowd *c, uint64_t now)
{
    uint64_t ticks = now - atomic_load(&c->at),
             n = atomic_load(&c->n_done) - atomic_load(&c->done_at);

    return ticks < PHASE_TICKS || n < N_PIECES ? 0 : (double)n / (double)ticks;
}

static void
settle(struct ls_crowd *c, double again)
{
    bool was_alone = atomic_load(&c->alone);
    double by_one = atomic_load(&c->by_one);
    bool alone = by_one > c->together * MARGIN && by_one > again * MARGIN;
    unsigned patience = atomic_load(&c->patience);

    patience = patience == 0 || alone != was_alone ? PATIENCE
               : patience < MOST_PATIENCE          ? patience * 2
                                                   : patience;
    atomic_store(&c->alone, alone);
    atomic_store(&c->patience, patience);
    atomic_store(&c->n_left, patience);
}

/* Waits while another thread runs by itself. */
static void
pause_for_owner(struct ls_crowd *c)
{
    uint64_t since = __builtin_ia32_rdtsc();
    unsigned phase;

    atomic_fetch_add(&c->n_paused, 1);
    while ((phase = atomic_load(&c->phase)) == MEET || phase == BY_ONE) {
        if (__builtin_ia32_rdtsc() - since > PAUSE_TICKS)
            atomic_compare_exchange_strong(&c->phase, &phase, OVER);
        for (int i = 0; i < 16; i++)
            __builtin_ia32_pause();
    }
    atomic_fetch_sub(&c->n_paused, 1);
}

/* Waits until the others pause. */
static void
meet(struct ls_crowd *c)
{
    uint64_t since = __builtin_ia32_rdtsc(), now;
    unsigned phase = MEET;

    while (atomic_load(&c->n_paused) + 1 < atomic_load(&c->n_in)) {
        __builtin_ia32_pause();
        if (__builtin_ia32_rdtsc() - since > PAUSE_TICKS / 2)
            break;
    }
    now = __builtin_ia32_rdtsc();
    atomic_store(&c->at, now);
    atomic_store(&c->done_at, atomic_load(&c->n_done));
    atomic_compare_exchange_strong(&c->phase, &phase, BY_ONE);
}

/* The owner's next step. */
static void
own_step(struct ls_crowd *c, uint64_t now)
{
    double found = rate(c, now);
    unsigned phase = atomic_load(&c->phase);

    if (found == 0)
        return;
    if (phase == BY_ONE) {
        atomic_store(&c->by_one, found);
        mark(c, found > c->together * MARGIN ? AGAIN : OVER, now);
        if (found <= c->together * MARGIN)
            settle(c, c->together);
    } else if (phase == AGAIN) {
        settle(c, found);
        atomic_store(&c->phase, OVER);
    }
}

enum ls_crowd_turn
ls_crowd_go_on(struct ls_crowd *c, const void *self, uint64_t n_units)
{
    uint64_t now = __builtin_ia32_rdtsc();
    const void *none = NULL;
    double found;

    atomic_fetch_add(&c->n_done, n_units);
    switch ((enum phase)atomic_load(&c->phase)) {
    case APART:
        if (atomic_load(&c->n_in) > 1 && atomic_compare_exchange_strong(&c->owner, &none, self))
            mark(c, TOGETHER, now);
        return LS_CROWD_STAY;
    case TOGETHER:
        found = atomic_load(&c->owner) == self ? rate(c, now) : 0;
        if (found > 0) {
            c->together = found;
            atomic_store(&c->phase, MEET);
            meet(c);
        }
        return LS_CROWD_STAY;
    case MEET:
    case BY_ONE:
    case AGAIN:
        if (atomic_load(&c->owner) == self)
            own_step(c, now);
        else if (atomic_load(&c->phase) != AGAIN)
            pause_for_owner(c);
        return LS_CROWD_STAY;
    case OVER:
    default:
        if (!atomic_load(&c->alone))
            return LS_CROWD_STAY;
        if (atomic_load(&c->owner) == self ||
            atomic_compare_exchange_strong(&c->owner, &none, self))
            return LS_CROWD_KEEP;
        return LS_CROWD_GO;
    }
}

bool
ls_crowd_is_over(struct ls_crowd *c, uint64_t ticks, uint64_t n_units)
{
    if ((double)ticks * atomic_load(&c->by_one) < SLOWER * (double)n_units)
        return false;
    atomic_store(&c->n_left, 0);
    return true;
}
