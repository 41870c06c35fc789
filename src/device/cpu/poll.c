/* SPDX-License-Identifier: MIT */
/* Kernels that wait for what others do: until when, and what a delay by the clock is. */
#include <sched.h>
#include <time.h>

#include "base/env.h"
#include "check/check.h"
#include "device/cpu/cpu_priv.h"

#define DELAY_BUSY_NS 1000000u /* a delay keeps its core for so long, then it naps */
#define DELAY_NAP_NS  50000u
#define CHECKED_TIMES 4u /* so much slower is code that tells of all its accesses */

/* Counts runs of blocks that have ended, in the whole process: in several places, as all threads
 * count. */
static struct {
    _Alignas(128) _Atomic unsigned long n;
} progress[64];

void
ls_poll_note_progress(const struct ls_runner *r)
{
    _Atomic unsigned long *n = &progress[r->number % 64].n;

    /* relaxed, and two may count as one: it is asked whether there is any */
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

uint64_t
ls_poll_cycles(void)
{
    ls_this_runner->n_looks++;
    return __builtin_ia32_rdtsc();
}

uint64_t
ls_poll_100mhz(void)
{
    ls_this_runner->n_looks++;
    return ls_now_ns() / 10;
}

_Noreturn void
ls_runner_fail(struct ls_runner *r)
{
    r->abandoned = true;
    ls_fiber_leave(&r->host);
}

/* Fails a kernel that has polled for very long while no block ended anywhere. It waits for what
 * cannot happen; for instance, lanes of one warp wait for each other. */
static void
check_spin(struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    uint64_t limit_ns = (uint64_t)ls_env_long(LS_ENV_SPIN_LIMIT, 0, 86400) * 1000000000u;
    unsigned long ended = 0;
    uint64_t now = ls_now_ns();

    limit_ns *= ls_checks() & LS_CHECK_OBSERVES ? CHECKED_TIMES : 1;

    for (int i = 0; i < 64; i++) /* relaxed: an older value does no harm */
        ended += atomic_load_explicit(&progress[i].n, memory_order_relaxed);

    if (!r->spin_since_ns || r->spin_progress != ended) {
        r->spin_since_ns = now;
        r->spin_progress = ended;
        return;
    }
    if (!limit_ns || now - r->spin_since_ns < limit_ns || r->order == LS_ORDER_INTERLEAVED)
        return; /* in interleaved order every loop yields, so yields say nothing */
    r->fault = (struct ls_fault){.kind = LS_FAULT_SPIN, .lane = ~0u, .ctx = ctx};
    ls_cpu_check_stuck(r, ctx);
    ls_runner_fail(r);
}

/* One turn of a delay: a kernel that looks at the clock while it waits will stop by itself. A long
 * delay naps, so that the core can do other work; that makes it longer by a fraction of a
 * millisecond at most. */
static void
delay(struct ls_runner *r)
{
    uint64_t now = ls_now_ns();

    r->spin_since_ns = 0;
    if (!r->delay_since_ns)
        r->delay_since_ns = now;
    if (now - r->delay_since_ns >= DELAY_BUSY_NS)
        nanosleep(&(struct timespec){.tv_nsec = DELAY_NAP_NS}, NULL);
}

void
ls_poll_turn(struct ls_runner *r)
{
    if (r->n_looks != r->looks_per_wait)
        r->delay_since_ns = 0;
    r->looks_per_wait = r->n_looks;
    r->n_looks = 0;
}

/* Fails a kernel that waits when another kernel of the device has failed, as it may wait for that
 * one's store. */
static void
fail_with_device(struct ls_runner *r)
{
    int err = atomic_load_explicit(&r->sched->dev->sticky, memory_order_relaxed), none = 0;

    if (err == hipSuccess)
        return;
    atomic_compare_exchange_strong(&ls_cpu_of(r->work)->err, &none, err);
    ls_runner_fail(r);
}

void
ls_cpu_poll_others(struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    if (atomic_load_explicit(&ls_cpu_of(r->work)->err, memory_order_relaxed) !=
        0)                 /* relaxed: it is looked at again */
        ls_runner_fail(r); /* another runner failed: what is waited for may never come */
    r->n_yields++;
    if (r->n_yields % 64 != 0) {
        __builtin_ia32_pause();
        return;
    }
    fail_with_device(r);
    if (r->n_yields % 4096 == 0)
        ls_crew_lend(r->sched);
    if (r->looks_per_wait > 0) {
        delay(r);
        return;
    }
    if (r->n_yields % 4096 == 0)
        check_spin(r, ctx);
    sched_yield();
}
