/* SPDX-License-Identifier: MIT */
/* The gate: a bit that calls look at, and counts of calls in the threads' states. */
#include "base/clock.h"
#include "runtime/entry/gate.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"

#define PATIENCE_NS                                                                                \
    20000000u /* so long calls are kept out; then they are let in, and the gate is closed again */
#define NAP_NS      50000

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_thread *threads; /* guarded by list_lock */
static pthread_mutex_t closing = PTHREAD_MUTEX_INITIALIZER; /* held while the gate is closed */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened =
    PTHREAD_COND_INITIALIZER; /* signalled, with gate_lock, when the bit is cleared */

static bool
is_closed(void)
{
    return atomic_load(&ls_trace_on) & LS_TRACE_GATE;
}

void
ls_gate_add(struct ls_thread *t)
{
    pthread_mutex_lock(&list_lock);
    t->prev = NULL;
    t->next = threads;
    if (threads)
        threads->prev = t;
    threads = t;
    t->known = true;
    pthread_mutex_unlock(&list_lock);
}

void
ls_gate_forget(struct ls_thread *t)
{
    pthread_mutex_lock(&list_lock);
    if (t->known) {
        if (t->next)
            t->next->prev = t->prev;
        if (t->prev)
            t->prev->next = t->next;
        else
            threads = t->next;
    }
    t->known = false;
    pthread_mutex_unlock(&list_lock);
}

void
ls_gate_forked(void)
{
    const pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
    struct ls_thread *t = &ls_this_thread;

    atomic_fetch_and(&ls_trace_on, (unsigned char)~LS_TRACE_GATE);
    list_lock = closing = gate_lock = free_lock;
    threads = t->known ? t : NULL;
    t->next = t->prev = NULL;
}

void
ls_gate_pass(void)
{
    struct ls_thread *t = &ls_this_thread;

    while (is_closed() && atomic_load(&t->n_calls) == 1) {
        LS_UNCANCELLED();

        atomic_store(&t->n_calls, 0);
        pthread_mutex_lock(&gate_lock);
        while (is_closed())
            pthread_cond_wait(&opened, &gate_lock);
        pthread_mutex_unlock(&gate_lock);
        atomic_store(&t->n_calls,
                     1); /* the caller looks again, as the gate may have been closed anew */
    }
}

/* Afterwards all earlier stores of all threads are visible, and their later loads see what was
 * written before this call. Where the system has no membarrier, a nap serves: a processor holds a
 * store back for far less than that. */
static void
barrier_everywhere(void)
{
    static bool registered; /* guarded by `closing` */
    const struct timespec nap = {0, 2000000};

    if (!registered)
        registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    if (!registered || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        nanosleep(&nap, NULL);
}

static bool
is_empty(void)
{
    bool empty = true;

    pthread_mutex_lock(&list_lock);
    for (struct ls_thread *t = threads; t && empty; t = t->next)
        empty = atomic_load(&t->n_calls) == 0;
    pthread_mutex_unlock(&list_lock);
    return empty;
}

static void
let_in(void)
{
    pthread_mutex_lock(&gate_lock);
    atomic_fetch_and(&ls_trace_on, (unsigned char)~LS_TRACE_GATE);
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&gate_lock);
}

void
ls_gate_close(void)
{
    struct timespec nap = {0, NAP_NS};

    atomic_store(&ls_this_thread.n_calls, 0); /* its own call must not count, or two threads that
                                                 close the gate would wait for each other */
    pthread_mutex_lock(&closing);
    for (;;) {
        uint64_t until;

        atomic_fetch_or(&ls_trace_on, LS_TRACE_GATE);
        barrier_everywhere();
        until = ls_now_ns() + PATIENCE_NS;
        while (!is_empty() && ls_now_ns() < until)
            nanosleep(&nap, NULL);
        if (is_empty())
            break;
        let_in();
        nanosleep(&nap, NULL);
    }
}

void
ls_gate_open(void)
{
    let_in();
    atomic_store(&ls_this_thread.n_calls, 1);
    pthread_mutex_unlock(&closing);
}
