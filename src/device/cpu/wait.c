/* SPDX-License-Identifier: MIT */
/* Host threads that wait: they run kernels meanwhile. */
#include <limits.h>

#include "base/cancel.h"
#include "device/cpu/cpu_priv.h"

#define WAIT_SPIN_NS 20000u

static pthread_key_t runner_key;
static pthread_once_t runner_key_once = PTHREAD_ONCE_INIT;
static atomic_uint done_event, n_waiters;

static void
return_runner(void *arg)
{
    struct ls_runner *r = arg;

    ls_runner_detach(r);
    pthread_mutex_lock(&r->sched->lock);
    r->next_free = r->sched->free_runners;
    r->sched->free_runners = r;
    pthread_mutex_unlock(&r->sched->lock);
}

static void
make_runner_key(void)
{
    pthread_key_create(&runner_key, return_runner);
}

static struct ls_runner *
borrow_runner(struct ls_cpu_sched *s)
{
    struct ls_runner *r = ls_this_runner;

    if (r && (r->in_kernel || r->sched == s))
        return r->in_kernel ? NULL : r;
    pthread_once(&runner_key_once, make_runner_key);
    if (r && r->is_worker)
        return NULL; /* the thread is a worker of another device */
    if (r) {
        return_runner(r);
        pthread_setspecific(runner_key, NULL);
    }
    pthread_mutex_lock(&s->lock);
    r = s->free_runners;
    if (r)
        s->free_runners = r->next_free;
    pthread_mutex_unlock(&s->lock);
    if (!r)
        r = ls_runner_create(s);
    if (!r)
        return NULL;
    ls_runner_attach(r);
    pthread_setspecific(runner_key, r);
    return r;
}

bool
ls_cpu_copy_here(struct ls_device *dev, const struct ls_work_copy *copy, hipError_t *err)
{
    struct ls_runner *r = borrow_runner(dev->priv);
    struct ls_work w;

    if (!r)
        return false;
    w.kind = LS_WORK_COPY;
    w.copy = *copy;
    ls_cpu_of(&w)->n_items = 1;
    ls_cpu_of(&w)->coop = NULL;
    w.clock = ls_check_copy_clock;
    if (ls_checks())
        ls_cpu_check_work(&w, NULL);
    atomic_init(&ls_cpu_of(&w)->err, hipSuccess);
    *err = ls_runner_blocks(
        r, &w, 0,
        1); /* run as a kernel is, so that a bad address is an error and does not end the process */
    if (ls_checks())
        ls_cpu_check_worked(&w);
    return true;
}

void
ls_cpu_wake(struct ls_device *dev)
{
    (void)dev;
    atomic_fetch_add(&done_event, 1);
    if (atomic_load(&n_waiters) > 0)
        ls_futex_wake(&done_event, INT_MAX);
}

static void
leave_seat(struct ls_cpu_sched *s)
{
    ls_crew_rise(s, true);
    if (atomic_load(&s->n_ready) > 0)
        ls_crew_call_one(s);
}

void
ls_cpu_wait(struct ls_device *dev, bool (*done)(void *arg), void *arg)
{
    struct ls_cpu_sched *s = dev->priv;
    struct ls_help help = {.begun = false, .was_blocked = false};
    int cancel = ls_cancel_off(); /* a kernel that runs here must not be cancelled in the middle */
    bool is_worker = ls_this_runner && ls_this_runner->is_worker, has_seat = is_worker;
    uint64_t idle_since = 0;

    while (!done(arg)) {
        bool useless = false;
        struct ls_runner *r;

        has_seat = has_seat || ls_crew_sit(s, true);
        if (has_seat && atomic_load(&s->n_ready) > 0 && (r = borrow_runner(s)) != NULL) {
            if (ls_sched_run(s, r, atomic_load(&s->n_workers) > 0, &help, !help.begun)) {
                idle_since = 0;
                continue;
            }
            useless = atomic_load(&s->n_ready) > 0; /* there is work, but not for this thread */
        }
        if (idle_since == 0)
            idle_since = ls_now_ns();
        if (has_seat && !useless && ls_now_ns() - idle_since < WAIT_SPIN_NS) {
            for (int i = 0; i < 32; i++)
                __builtin_ia32_pause();
        } else {
            unsigned seen = atomic_load(&done_event);

            if (atomic_load(&s->short_of_threads))
                ls_host_make_up(s, true);
            if (!is_worker && has_seat)
                leave_seat(s);
            has_seat = is_worker;
            atomic_fetch_add(&n_waiters, 1);
            if (!done(arg))
                ls_futex_wait(&done_event, seen, 2000000);
            atomic_fetch_sub(&n_waiters, 1);
        }
    }
    if (!is_worker && has_seat)
        leave_seat(s);
    if (help.was_blocked)
        pthread_sigmask(SIG_SETMASK, &help.old, NULL);
    ls_cancel_on(cancel);
}
