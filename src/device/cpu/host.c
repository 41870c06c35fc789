/* SPDX-License-Identifier: MIT */
/* Host functions, on a thread of their own. */
#include "device/cpu/cpu_priv.h"

/* Runs the first host function; false when there is none. Called with the lock held, which is
 * released while the function runs. */
static bool
run_host(struct ls_cpu_sched *s)
{
    struct ls_work *w = s->host_head;

    if (!w)
        return false;
    s->host_head = ls_cpu_of(w)->next;
    pthread_mutex_unlock(&s->lock);
    w->trace.start_ns = s->dev->timed ? ls_now_ns() : 0;
    w->host.fn(w->host.user, (hipError_t)atomic_load(&s->dev->sticky));
    w->done(w, hipSuccess);
    pthread_mutex_lock(&s->lock);
    return true;
}

static void *
host_main(void *arg)
{
    struct ls_cpu_sched *s = arg;

    pthread_mutex_lock(&s->lock);
    for (;;)
        if (!run_host(s))
            pthread_cond_wait(&s->host_cond, &s->lock);
    return NULL;
}

/* Lock held. */
static void
start_host_thread(struct ls_cpu_sched *s)
{
    pthread_t thread;

    if (s->host_started)
        return;
    s->host_started = ls_fault_thread(&thread, host_main, s);
    if (s->host_started)
        pthread_detach(thread);
    else
        atomic_store(&s->short_of_threads, true);
}

void
ls_host_submit(struct ls_cpu_sched *s, struct ls_work *w)
{
    ls_cpu_of(w)->next = NULL;
    pthread_mutex_lock(&s->lock);
    start_host_thread(s);
    if (s->host_head)
        ls_cpu_of(s->host_tail)->next = w;
    else
        s->host_head = w;
    s->host_tail = w;
    pthread_cond_signal(&s->host_cond);
    pthread_mutex_unlock(&s->lock);
}

void
ls_host_make_up(struct ls_cpu_sched *s, bool run)
{
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->short_of_threads, false);
    if (atomic_load(&s->n_ready) > 0)
        s->start(s, 1);
    if (s->host_head)
        start_host_thread(s);
    if (run && !s->host_started)
        while (run_host(s))
            continue;
    pthread_mutex_unlock(&s->lock);
}
