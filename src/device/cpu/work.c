/* SPDX-License-Identifier: MIT */
/* What is known of a work before it runs, and how it is divided. */
#include <string.h>

#include "base/log.h"
#include "device/cpu/cpu_priv.h"

/* For a kernel of which nothing is known other threads are woken if it has more threads than
 * this. */
#define BUSY_THREADS 8192u

/* Whether a kernel may wait for what the host does. A host thread that waits for other work must
 * not run it. */
bool
ls_cpu_may_wait(const struct ls_work *w)
{
    return w->kind == LS_WORK_KERNEL && (w->kernel.code->kernel->flags & LS_CPU_KERNEL_SPINS);
}

bool
ls_cpu_ends(const struct ls_work *w)
{
    switch (w->kind) {
    case LS_WORK_KERNEL:
        return !ls_cpu_may_wait(w);
    case LS_WORK_GRAPH:
        for (uint32_t i = 0; i < w->graph->n_works; i++)
            if (!ls_cpu_ends(&w->graph->works[i]))
                return false;
        return true;
    case LS_WORK_HOST:
    case LS_WORK_LATER:
        return false;
    case LS_WORK_NONE:
    case LS_WORK_COPY:
    case LS_WORK_FILL:
    case LS_WORK_CALL:
    default:
        return true;
    }
}

bool
ls_cpu_is_cooperative(const struct ls_work *w)
{
    return w->kind == LS_WORK_KERNEL && w->kernel.cooperative;
}

bool
ls_cpu_is_resident(const struct ls_cpu_sched *sched, const struct ls_work *work)
{
    const struct ls_work_kernel *k = &work->kernel;

    if (k->cooperative)
        return true;
    return (k->code->kernel->flags & LS_CPU_KERNEL_SPINS) && k->n_blocks > 1 &&
           k->n_blocks <= (uint64_t)LS_UNIT_BLOCKS * sched->n_threads &&
           k->n_blocks * k->n_threads <= (uint64_t)LS_UNIT_THREADS * sched->n_threads;
}

bool
ls_cpu_may_be_long(const struct ls_work *w)
{
    uint64_t per_block;

    if (w->kind != LS_WORK_KERNEL)
        return w->kind == LS_WORK_GRAPH || ls_cpu_of(w)->n_items > 1;
    per_block = atomic_load_explicit(&w->kernel.code->ticks_per_block, memory_order_relaxed);
    return ls_cpu_may_wait(w) || per_block == 0 || per_block * w->kernel.n_blocks > LS_BUSY_TICKS;
}

void
ls_cpu_note_speed(struct ls_code *code, uint64_t ticks, uint64_t n)
{
    uint64_t now = ticks / n + 1,
             old = atomic_load_explicit(&code->ticks_per_block, memory_order_relaxed);

    /* two threads may overwrite each other's value, which does no harm to an estimate */
    atomic_store_explicit(&code->ticks_per_block, old ? (old * 3 + now) / 4 : now,
                          memory_order_relaxed);
}

static void
make_coop(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_coop *coop = (void *)ls_cpu_of(w)->coop_room;

    _Static_assert(sizeof(*coop) <= sizeof(ls_cpu_of(w)->coop_room), "no room");
    memset(coop, 0, sizeof(*coop));
    pthread_mutex_init(&coop->lock, NULL);
    coop->n_shares =
        w->kernel.n_blocks < s->n_threads ? (uint32_t)w->kernel.n_blocks : s->n_threads;
    coop->n_expected = coop->n_shares;
    ls_cpu_of(w)->coop = coop;
}

bool
ls_cpu_divide(struct ls_cpu_sched *s, struct ls_work *w)
{
    uint64_t per_block, n;

    ls_cpu_of(w)->coop = NULL;
    switch (w->kind) {
    case LS_WORK_KERNEL:
        atomic_store_explicit(&ls_cpu_of(w)->text_bytes, 0, memory_order_relaxed);
        if (ls_cpu_is_resident(s, w)) {
            make_coop(s, w);
            ls_cpu_of(w)->n_items = ((struct ls_cpu_coop *)ls_cpu_of(w)->coop)->n_shares;
            ls_cpu_of(w)->chunk = 1;
            return true;
        }
        n = ls_cpu_of(w)->n_items = w->kernel.n_blocks;
        ls_cpu_of(w)->chunk = n / (s->n_threads * 8u);
        if (ls_cpu_of(w)->chunk == 0 || (w->kernel.code->kernel->flags & LS_CPU_KERNEL_SPINS))
            ls_cpu_of(w)->chunk = 1;
        per_block = atomic_load_explicit(&w->kernel.code->ticks_per_block, memory_order_relaxed);
        if (per_block) /* of small blocks a thread takes several at once, so that it visits the
                          counter less often */
            while (ls_cpu_of(w)->chunk * per_block < 4000 &&
                   ls_cpu_of(w)->chunk * s->n_threads * 4 < n &&
                   !(w->kernel.code->kernel->flags & LS_CPU_KERNEL_SPINS))
                ls_cpu_of(w)->chunk *= 2;
        if (ls_cpu_may_wait(w))
            return true; /* wake workers, as host threads do not run it */
        return n > 1 &&
               (per_block ? per_block * n > LS_BUSY_TICKS : n * w->kernel.n_threads > BUSY_THREADS);
    case LS_WORK_COPY:
    case LS_WORK_FILL:
        ls_cpu_of(w)->n_items = ls_cpu_move_items(w);
        break;
    case LS_WORK_NONE:
    case LS_WORK_HOST:
    case LS_WORK_GRAPH:
    case LS_WORK_CALL:
    case LS_WORK_LATER:
    default:
        LS_BUG("work of kind %d, which cannot be divided", (int)w->kind);
    }
    ls_cpu_of(w)->chunk = 1;
    return ls_cpu_of(w)->n_items > 1;
}
