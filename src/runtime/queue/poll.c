/* SPDX-License-Identifier: MIT */
/* Commands that wait for a value are looked at when work ends, and by a thread that naps between
 * looks: a wait keeps no thread that runs work. */
#include <signal.h>
#include <time.h>

#include "runtime/queue/queue_priv.h"

#define POLL_NAP_NS      20000
#define POLL_LONG_NAP_NS 200000
#define POLL_EAGER       200u /* number of short naps before the long ones */

static struct ls_steps *waiting_steps; /* guarded by the queue lock, as is the rest */
static bool poll_started;

/* True when all are done. */
static bool
run_steps(struct ls_steps *s)
{
    for (; s->at < s->n; s->at++) {
        struct ls_step *step = &s->steps[s->at];

        if (!step->call(step->data) && step->waits && !ls_queue_is_failed(s->plan->current))
            return false;
    }
    return true;
}

static void
check_steps(void)
{
    struct ls_steps **at = &waiting_steps;

    while (*at) {
        struct ls_steps *s = *at;

        if (!run_steps(s)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = ls_queue.ended_steps;
        ls_queue.ended_steps = s;
        ls_queue.poll_naps = 0;
    }
}

bool
ls_queue_check_polls(void)
{
    struct ls_cmd **at = &ls_queue.polls, *ready = NULL;
    bool ended = false;

    check_steps();

    while (*at) {
        struct ls_cmd *cmd = *at;

        if (!cmd->call(cmd->bytes) && !ls_queue_is_failed(cmd)) {
            at = &cmd->next_ready;
            continue;
        }
        *at = cmd->next_ready;
        ls_queue_end_cmd(cmd, &ready);
        ls_queue_run_ready(ready);
        ready = NULL;
        at = &ls_queue.polls; /* start again, as the list may have changed meanwhile */
        ls_queue.poll_naps = 0;
        ended = true;
    }
    return ended;
}

static void *
poll_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&ls_queue.lock);
    for (;;) {
        struct timespec nap = {0, POLL_NAP_NS};
        bool ended;

        while (!ls_queue.polls && !waiting_steps)
            pthread_cond_wait(&ls_queue.poll_cond, &ls_queue.lock);
        ended = ls_queue_check_polls();
        if (ls_queue.poll_naps++ > POLL_EAGER)
            nap.tv_nsec = POLL_LONG_NAP_NS;
        ls_queue_unlock(ended);
        nanosleep(&nap, NULL);
        pthread_mutex_lock(&ls_queue.lock);
    }
    return NULL;
}

bool
ls_queue_start_polling(void)
{
    if (!poll_started) {
        sigset_t all, old;
        pthread_t thread;

        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &old);
        poll_started = pthread_create(&thread, NULL, poll_main, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        if (!poll_started) {
            ls_log(LS_LOG_ERROR, "no thread to look for values that streams wait for");
            return false;
        }
        pthread_detach(thread);
    }
    ls_queue.poll_naps = 0;
    pthread_cond_signal(&ls_queue.poll_cond);
    return true;
}

bool
ls_queue_can_poll(void)
{
    bool can;

    pthread_mutex_lock(&ls_queue.lock);
    can = ls_queue_start_polling();
    pthread_mutex_unlock(&ls_queue.lock);
    return can;
}

void
ls_steps_start(void *user, hipError_t status)
{
    struct ls_steps *s = user;
    bool waits;

    (void)status;
    s->at = 0;
    waits = !run_steps(s);
    if (waits) {
        pthread_mutex_lock(&ls_queue.lock);
        waits = ls_queue_start_polling();
        if (waits) {
            s->next = waiting_steps;
            waiting_steps = s;
        }
        ls_queue_unlock(false);
    }
    if (!waits)
        s->work->done(s->work, hipSuccess);
}
