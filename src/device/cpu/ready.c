/* SPDX-License-Identifier: MIT */
/* The list of ready work, by priority, then by age, and who is called when it grows. */
#include <limits.h>

#include "device/cpu/cpu_priv.h"

#define MAX_LENT 32u

void
ls_cpu_wake_workers(struct ls_cpu_sched *s, int n)
{
    atomic_fetch_add(&s->event, 1);
    if (atomic_load(&s->n_sleepers) > 0)
        ls_futex_wake(&s->event, n);
}

void
ls_ready_add(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_work *after = s->ready_tail;

    while (after && after->priority > w->priority)
        after = ls_cpu_of(after)->prev;
    ls_cpu_of(w)->prev = after;
    ls_cpu_of(w)->next = after ? ls_cpu_of(after)->next : s->ready_head;
    if (ls_cpu_of(w)->next)
        ls_cpu_of(ls_cpu_of(w)->next)->prev = w;
    else
        s->ready_tail = w;
    if (after)
        ls_cpu_of(after)->next = w;
    else
        s->ready_head = w;
    ls_cpu_of(w)->listed = true;
    atomic_fetch_add(&s->n_ready, 1);
}

void
ls_ready_remove(struct ls_cpu_sched *s, struct ls_work *w)
{
    if (ls_cpu_of(w)->next)
        ls_cpu_of(ls_cpu_of(w)->next)->prev = ls_cpu_of(w)->prev;
    else
        s->ready_tail = ls_cpu_of(w)->prev;
    if (ls_cpu_of(w)->prev)
        ls_cpu_of(ls_cpu_of(w)->prev)->next = ls_cpu_of(w)->next;
    else
        s->ready_head = ls_cpu_of(w)->next;
    ls_cpu_of(w)->listed = false;
    atomic_fetch_sub(&s->n_ready, 1);
}

bool
ls_ready_is_claimed(const struct ls_work *w)
{
    if (w->kind == LS_WORK_GRAPH)
        return atomic_load(&w->graph->head) >= atomic_load(&w->graph->tail);
    return atomic_load(&ls_cpu_of(w)->next_item) >= ls_cpu_of(w)->n_items;
}

struct ls_work *
ls_ready_pick(struct ls_cpu_sched *s, bool helper)
{
    struct ls_work *w = s->ready_head;

    while (w && (ls_ready_is_claimed(w) || (helper && ls_cpu_may_wait(w)))) {
        struct ls_work *next = ls_cpu_of(w)->next;

        if (ls_ready_is_claimed(w))
            ls_ready_remove(s, w); /* all its items are claimed; the last runner ends it */
        w = next;
    }
    if (w && !ls_cpu_of(w)->coop && ls_cpu_of(w)->next &&
        ls_cpu_of(w)->next->priority == w->priority) {
        ls_ready_remove(s, w);
        ls_ready_add(s, w);
    }
    return w;
}

bool
ls_cpu_is_own_worker(const struct ls_cpu_sched *s)
{
    return ls_this_runner && ls_this_runner->is_worker && ls_this_runner->sched == s;
}

void
ls_cpu_enter(struct ls_cpu_sched *s, struct ls_work *w, bool busy)
{
    unsigned away;
    bool asleep;

    pthread_mutex_lock(&s->lock);
    if (ls_cpu_is_cooperative(w) &&
        s->coop_running) { /* one at a time: two such grids could wait for each other's threads */
        struct ls_work **at = &s->coop_head;

        while (*at)
            at = &ls_cpu_of(*at)->next;
        *at = w;
        ls_cpu_of(w)->next = NULL;
    } else {
        s->coop_running |= ls_cpu_is_cooperative(w);
        ls_ready_add(s, w);
    }
    away = atomic_load(&s->n_away);
    if (ls_cpu_is_own_worker(s) && ls_this_runner->away && !ls_this_runner->in_kernel)
        away--; /* the caller is one of these, and will look for work in a moment */
    s->start(s, busy || away >= s->n_threads ? s->n_threads : away + 1);
    asleep = atomic_load(&s->n_deep) + away >= s->n_workers;
    pthread_mutex_unlock(&s->lock);
    if (busy)
        ls_cpu_wake_workers(s, INT_MAX);
    else if (asleep)
        ls_cpu_wake_workers(s, 1);
}

void
ls_cpu_lend(struct ls_cpu_sched *s)
{
    unsigned n = atomic_load(&s->n_slots);

    if (atomic_load(&s->n_ready) == 0)
        return;
    if (atomic_load(&s->n_active) < n) {
        ls_cpu_wake_workers(
            s, 1); /* a worker may sleep, as this runner was expected to look for work soon */
        return;
    }
    if (n >= s->n_threads + MAX_LENT)
        return;
    if (!atomic_compare_exchange_strong(&s->n_slots, &n, n + 1))
        return;
    pthread_mutex_lock(&s->lock);
    s->start(s, n + 1);
    pthread_mutex_unlock(&s->lock);
    ls_cpu_wake_workers(s, INT_MAX);
}
