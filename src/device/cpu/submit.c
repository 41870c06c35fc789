/* SPDX-License-Identifier: MIT */
/* How a work begins and ends on the device. */
#include "device/cpu/cpu_priv.h"

void
ls_cpu_reset(struct ls_work *w)
{
    ls_cpu_of(w)->n_runners = 0;
    ls_cpu_of(w)->coop = NULL;
    /* relaxed: the lock that is taken next publishes it */
    atomic_store_explicit(&ls_cpu_of(w)->err, 0, memory_order_relaxed);
}

/* Whether all threads shall run a kernel whose blocks have atomics in common. */
static void
plan_crowd(struct ls_work *w)
{
    struct ls_cpu_work *c = ls_cpu_of(w);

    c->crowd = LS_CROWD_FREE;
    if (w->kind != LS_WORK_KERNEL || c->n_wanted < 2 || c->coop || ls_cpu_may_wait(w) ||
        !(w->kernel.code->kernel->flags & LS_CPU_KERNEL_ATOMICS))
        return;
    c->crowd = (uint8_t)ls_crowd_begin(&w->kernel.code->crowd);
    if (c->crowd == LS_CROWD_ALONE)
        c->n_wanted = 1;
}

void
ls_cpu_submit_alone(struct ls_cpu_sched *s, struct ls_work *w)
{
    if (w->kind == LS_WORK_HOST) {
        ls_host_submit(s, w);
        return;
    }
    ls_cpu_reset(w);
    ls_cpu_divide(s, w);
    plan_crowd(w);
    if (w->kind == LS_WORK_KERNEL && w->kernel.multi)
        ls_cpu_multi_grid_come(s, w);
    else
        ls_cpu_enter(s, w);
}

void
ls_cpu_finish(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_coop *coop = ls_cpu_of(w)->coop;
    hipError_t err = (hipError_t)atomic_load(&ls_cpu_of(w)->err);

    if (err != hipSuccess)
        ls_fault_end_process();
    ls_cpu_note_form(w);
    if (ls_checks())
        ls_cpu_check_worked(w);
    if (w->kind == LS_WORK_KERNEL && ls_cpu_of(w)->crowd == LS_CROWD_WATCHED)
        ls_crowd_end(&w->kernel.code->crowd, w->kernel.source->display_name);
    if (coop) {
        pthread_mutex_destroy(&coop->lock);
        ls_cpu_of(w)->coop = NULL;
    }
    if (ls_cpu_is_cooperative(w)) {
        struct ls_work *next;

        if (w->kernel.multi)
            ls_cpu_multi_grid_leave(w->kernel.multi, err != hipSuccess);
        pthread_mutex_lock(&s->lock);
        next = s->coop_head;
        s->coop_running = next != NULL;
        if (next) {
            s->coop_head = ls_cpu_of(next)->next;
            ls_ready_list(s, next);
        }
        pthread_mutex_unlock(&s->lock);
        if (next) /* which may end at any time: nothing of it is looked at */
            ls_crew_call(s, NULL, s->n_slots, s->n_slots, false);
    }
    w->done(w, err);
}
