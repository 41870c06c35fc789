/* SPDX-License-Identifier: MIT */
/* The list of ready work, by priority, then by age, and who is called when it grows. */
#include "device/cpu/cpu_priv.h"

#define LOOK_TICKS 200000000u /* how often the number of CPUs is looked at */
#define AWAY_TICKS 2000000u   /* who has not come to wait for so long may not come */
#define GAP_TICKS  100000u    /* works that follow each other faster than this are a row */

static void
link_work(struct ls_cpu_sched *s, struct ls_work *w)
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
}

static void
unlink_work(struct ls_cpu_sched *s, struct ls_work *w)
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
}

void
ls_ready_add(struct ls_cpu_sched *s, struct ls_work *w)
{
    link_work(s, w);
    atomic_fetch_add(&s->n_ready, 1);
}

void
ls_ready_remove(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_job *j = ls_cpu_of(w)->job;

    unlink_work(s, w);
    if (!j || atomic_exchange(&j->is_open, false))
        atomic_fetch_sub(&s->n_ready, 1);
}

/* Nothing of it is left, and who has closed it is on the way to take it off. */
static bool
is_closed(const struct ls_work *w)
{
    const struct ls_cpu_job *j = ls_cpu_of(w)->job;

    return j && !atomic_load(&j->is_open);
}

struct ls_work *
ls_ready_pick(struct ls_cpu_sched *s, bool helper)
{
    struct ls_work *w = s->ready_head;

    while (w && (is_closed(w) || (helper && ls_cpu_may_wait(w))))
        w = ls_cpu_of(w)->next;
    if (w && !ls_cpu_of(w)->coop && ls_cpu_of(w)->next &&
        ls_cpu_of(w)->next->priority == w->priority) {
        unlink_work(s, w);
        link_work(s, w);
    }
    return w;
}

/* A free job, or NULL. Lock held. */
static struct ls_cpu_job *
get_job(struct ls_cpu_sched *s, bool in_order)
{
    struct ls_cpu_job *j = s->free_jobs[in_order];

    if (j) {
        s->free_jobs[in_order] = j->next_free;
        return j;
    }
    if (s->n_jobs == LS_MAX_JOBS)
        return NULL;
    j = ls_job_create(s->n_jobs, in_order, in_order ? 1 : s->n_slots);
    if (j)
        s->jobs[s->n_jobs++] = j;
    return j;
}

void
ls_ready_list(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_work *c = ls_cpu_of(w);

    c->job = NULL;
    if (w->kind != LS_WORK_GRAPH && c->n_items > 1)
        c->job = get_job(s, c->coop || ls_cpu_may_wait(w));
    if (c->job)
        atomic_store(&c->job->is_open, true);
    ls_ready_add(s, w);
    if (c->job) /* from now on a late thread may claim it all, and close it */
        ls_job_deal(c->job, w, c->n_wanted);
}

/* Lock held. */
static void
open_job(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    if (!atomic_exchange(&j->is_open, true))
        atomic_fetch_add(&s->n_ready, 1);
}

/* False: it was closed. */
static bool
close_job(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    if (!atomic_load(&j->is_open) || !atomic_exchange(&j->is_open, false))
        return false; /* one thread does it */
    atomic_fetch_sub(&s->n_ready, 1); /* nobody comes any more to wait for the lock */
    return true;
}

/* Lock held. The job may be another's by now, or open again. */
static void
take_off(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    if (j->work && ls_cpu_of(j->work)->listed && !atomic_load(&j->is_open))
        unlink_work(s, j->work);
}

void
ls_ready_open(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    pthread_mutex_lock(&s->lock);
    if (!ls_cpu_of(j->work)->listed)
        link_work(s, j->work);
    open_job(s, j);
    pthread_mutex_unlock(&s->lock);
}

void
ls_ready_close(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    if (!close_job(s, j))
        return;
    pthread_mutex_lock(&s->lock);
    take_off(s, j);
    pthread_mutex_unlock(&s->lock);
}

void
ls_ready_close_dealt(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    if (!close_job(s, j))
        return;
    pthread_mutex_lock(&s->lock);
    /* Somebody may have let go what was left to it. */
    if (j->work && ls_cpu_of(j->work)->listed && !ls_job_is_dealt(j))
        open_job(s, j);
    take_off(s, j);
    pthread_mutex_unlock(&s->lock);
}

void
ls_ready_close_claimed(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    if (!atomic_load(&j->is_open))
        return;
    pthread_mutex_lock(&s->lock);
    if (j->work && ls_cpu_of(j->work)->listed && ls_job_is_dealt(j)) {
        close_job(s, j);
        take_off(s, j);
    }
    pthread_mutex_unlock(&s->lock);
}

void
ls_ready_end(struct ls_cpu_sched *s, struct ls_cpu_job *j)
{
    pthread_mutex_lock(&s->lock);
    close_job(s, j);
    take_off(s, j);
    j->work = NULL;
    j->next_free = s->free_jobs[j->in_order];
    s->free_jobs[j->in_order] = j;
    pthread_mutex_unlock(&s->lock);
}

/* Looks at how many CPUs there are, from time to time. */
static void
follow_cpus(struct ls_cpu_sched *s, uint64_t now)
{
    /* relaxed: one thread looks */
    uint64_t seen = atomic_load_explicit(&s->cpus_seen_at, memory_order_relaxed);
    uint32_t n;

    if (!s->follows_cpus || now - seen < LOOK_TICKS ||
        !atomic_compare_exchange_strong(&s->cpus_seen_at, &seen, now))
        return;
    /* Of a worker: the caller may have a mask of its own. */
    if (atomic_load(&s->slots[0].sent) != LS_NOT_SENT)
        return;
    n = ls_cpu_count_cpus(atomic_load(&s->slots[0].thread));
    if (atomic_load(&s->slots[0].sent) != LS_NOT_SENT)
        return;
    if (n > s->n_slots - LS_MAX_LENT)
        n = s->n_slots - LS_MAX_LENT;
    if (n > 0 && n != atomic_load(&s->n_seats))
        atomic_store(&s->n_seats, n);
}

/* How many threads may be woken for a work. In a row of works that want more than one thread, each
 * too short for a thread to be woken, one is woken for as much of the row as would be worth it by
 * itself: it polls between them. */
static uint32_t
wakes_for(struct ls_cpu_sched *s, struct ls_work *w)
{
    uint64_t now, ticks, at;
    uint32_t n = ls_cpu_of(w)->n_wakes;

    if (n > 0 || ls_cpu_of(w)->n_wanted < 2)
        return n;
    now = __builtin_ia32_rdtsc();
    /* relaxed: hints */
    at = atomic_load_explicit(&s->row_at, memory_order_relaxed);
    ticks = ls_cpu_expected_ticks(w);
    if (now - at < GAP_TICKS + ticks)
        ticks += atomic_load_explicit(&s->row_ticks, memory_order_relaxed);
    n = ls_cpu_wakes(ticks);
    atomic_store_explicit(&s->row_ticks, n > 0 ? 0 : ticks, memory_order_relaxed);
    atomic_store_explicit(&s->row_at, now, memory_order_relaxed);
    return n;
}

/* A host thread submits work. */
static void
note_submitter(struct ls_cpu_sched *s, uint64_t now)
{
    /* relaxed: hints */
    uint64_t last = atomic_load_explicit(&s->submitted_at, memory_order_relaxed);
    bool came = atomic_load_explicit(&s->host_came, memory_order_relaxed);

    if (came || now - last > AWAY_TICKS) {
        atomic_store_explicit(&s->host_stays_away, !came, memory_order_relaxed);
        atomic_store_explicit(&s->host_came, false, memory_order_relaxed);
    }
    atomic_store_explicit(&s->submitted_at, now, memory_order_relaxed);
}

void
ls_cpu_enter(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_work *c = ls_cpu_of(w);
    uint32_t n = c->n_wanted, n_wakes = wakes_for(s, w);
    bool own = ls_cpu_is_own_worker(s), alone = c->coop || ls_cpu_may_wait(w), waits = false,
         called = false;
    const struct ls_cpu_job *job = NULL;

    if (!own) {
        uint64_t now = __builtin_ia32_rdtsc();

        note_submitter(s, now);
        follow_cpus(s, now);
    }
    pthread_mutex_lock(&s->lock);
    if (ls_cpu_is_cooperative(w) &&
        s->coop_running) { /* one at a time: two such grids could wait for each other's threads */
        struct ls_work **at = &s->coop_head;

        while (*at)
            at = &ls_cpu_of(*at)->next;
        *at = w;
        c->next = NULL;
        waits = true;
    } else {
        s->coop_running |= ls_cpu_is_cooperative(w);
        ls_ready_list(s, w);
        job = c->job;
    }
    pthread_mutex_unlock(&s->lock);
    if (waits)
        return;
    /* The work may have ended by now. */
    if (n > 1 || alone) /* others than this thread, which usually is one of them */
        called = ls_crew_call(s, job, alone ? n : n - 1, n_wakes, !alone);
    ls_crew_watch(s, called);
}
