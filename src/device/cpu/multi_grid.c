/* SPDX-License-Identifier: MIT */
/* Grids launched together on several devices, and where they meet. */
#include <stdlib.h>

#include "device/cpu/cpu_priv.h"

struct ls_multi_grid {
    pthread_mutex_t lock;
    uint32_t n_grids;
    uint32_t n_left,
        n_arrived; /* guarded by lock: grids that have not left, and of these the ones that wait */
    uint32_t n_absent;          /* guarded by `gathering`: grids that are not ready to run */
    struct ls_work *ready;      /* guarded by `gathering`, by next */
    atomic_uint generation;     /* counts meetings */
    atomic_bool broken;
    uint64_t threads_before[]; /* n_grids + 1: number of threads in grids of lower rank */
};

/* Held while the grids of a launch are handed to their devices, all at once: so any two launches
 * have the same order on all devices. */
static pthread_mutex_t gathering = PTHREAD_MUTEX_INITIALIZER;

struct ls_multi_grid *
ls_cpu_multi_grid_create(struct ls_device *dev, uint32_t n_grids, const uint64_t *n_threads)
{
    struct ls_multi_grid *m = calloc(1, sizeof(*m) + (n_grids + 1) * sizeof(*n_threads));

    (void)dev;
    if (!m)
        return NULL;
    pthread_mutex_init(&m->lock, NULL);
    m->n_grids = m->n_left = m->n_absent = n_grids;
    for (uint32_t i = 0; i < n_grids; i++)
        m->threads_before[i + 1] = m->threads_before[i] + n_threads[i];
    return m;
}

/* Lock held. */
static void
check_meeting(struct ls_multi_grid *m)
{
    if (m->n_arrived < m->n_left || atomic_load(&m->broken))
        return;
    m->n_arrived = 0;
    atomic_fetch_add(&m->generation, 1);
}

/* Notes that a grid is ready to run, or never will be (NULL). The last one hands all of them to
 * their devices. */
static void
gather(struct ls_multi_grid *m, struct ls_work *w)
{
    struct ls_work *next = NULL;

    pthread_mutex_lock(&gathering);
    if (w) {
        ls_cpu_of(w)->next = m->ready;
        m->ready = w;
    }
    if (--m->n_absent == 0)
        next = m->ready;
    while (next) { /* m is not used here any more, as the last grid that ends frees it */
        w = next;
        next = ls_cpu_of(w)->next;
        ls_cpu_enter(ls_cpu_of(w)->sched, w);
    }
    pthread_mutex_unlock(&gathering);
}

void
ls_cpu_multi_grid_come(struct ls_cpu_sched *s, struct ls_work *w)
{
    ls_cpu_of(w)->sched = s;
    gather(w->kernel.multi, w);
}

void
ls_cpu_multi_grid_cancel(struct ls_device *dev, struct ls_multi_grid *m)
{
    (void)dev;
    gather(m, NULL);
    ls_cpu_multi_grid_leave(m, true);
}

void
ls_cpu_multi_grid_leave(struct ls_multi_grid *m, bool failed)
{
    bool last;

    if (failed)
        atomic_store(&m->broken, true);
    pthread_mutex_lock(&m->lock);
    last = --m->n_left == 0;
    if (m->n_arrived > 0)
        check_meeting(m);
    pthread_mutex_unlock(&m->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static void
meet(struct ls_multi_grid *m, struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    unsigned generation;

    pthread_mutex_lock(&m->lock);
    generation = atomic_load(&m->generation);
    m->n_arrived++;
    check_meeting(m);
    pthread_mutex_unlock(&m->lock);
    r->n_looks = r->looks_per_wait = 0; /* the waiting below is not a delay by the clock */
    while (atomic_load(&m->generation) == generation && !atomic_load(&m->broken))
        ls_cpu_poll_others(r, ctx);
    if (atomic_load(&m->generation) != generation)
        return;
    r->fault = (struct ls_fault){.kind = LS_FAULT_DEADLOCK, .lane = ~0u, .ctx = ctx};
    ls_runner_fail(r);
}

uint64_t
ls_cpu_multi_grid(struct ls_runner *r, struct ls_cpu_ctx *ctx, uint64_t question)
{
    const struct ls_work_kernel *k = &r->work->kernel;

    switch ((enum ls_cpu_multi_grid)question) {
    case LS_GRIDS_COUNT:
        return k->multi ? k->multi->n_grids : 1;
    case LS_GRIDS_RANK:
        return k->grid_rank;
    case LS_GRIDS_THREADS_BEFORE:
        return k->multi ? k->multi->threads_before[k->grid_rank] : 0;
    case LS_GRIDS_THREADS:
        return k->multi ? k->multi->threads_before[k->multi->n_grids] : k->n_blocks * k->n_threads;
    case LS_GRIDS_IS_VALID:
        return k->multi != NULL;
    case LS_GRIDS_MEET:
        if (k->multi)
            meet(k->multi, r, ctx);
        return 0;
    default:
        return 0;
    }
}
