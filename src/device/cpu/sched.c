/* SPDX-License-Identifier: MIT */
/* Threads and work: ready work is listed, and threads that run it claim its items in order.
 *
 * Who runs: workers, and host threads that wait for something. An idle worker polls for a while,
 * then sleeps; worker 0 first sleeps in short naps, so that small work needs no wake-up call:
 * whoever waits for it usually runs it before. */
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "device/cpu/cpu_priv.h"

#define NAP_NS     200000u
#define AWAKE_NS   100000000u /* worker 0 naps for so long after the last work */
#define TURN_TICKS 5000000u   /* a runner looks for other work after so many cycles */

/* Wakes all threads, as work that was expected to be short takes long. */
static void
call_all(struct ls_cpu_sched *s)
{
    if (s->n_workers < s->n_threads) {
        pthread_mutex_lock(&s->lock);
        s->start(s, s->n_threads);
        pthread_mutex_unlock(&s->lock);
    }
    ls_cpu_wake_workers(s, INT_MAX);
}

static void
run_divided(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_work *w)
{
    uint64_t start, ran = 0;
    bool last, called = false;

    start = __builtin_ia32_rdtsc();
    for (;;) {
        uint64_t first = atomic_fetch_add(&ls_cpu_of(w)->next_item, ls_cpu_of(w)->chunk), n;
        hipError_t err;

        if (first >= ls_cpu_of(w)->n_items)
            break;
        n = ls_cpu_of(w)->n_items - first < ls_cpu_of(w)->chunk ? ls_cpu_of(w)->n_items - first
                                                                : ls_cpu_of(w)->chunk;
        err = (hipError_t)atomic_load(&ls_cpu_of(w)->err);
        if (err == hipSuccess)
            err = ls_runner_blocks(r, w, first, n); /* copies run here, too, so that a bad address
                                                       is an error and does not end the process */
        ran += n;
        if (err != hipSuccess) {
            int none = 0;

            atomic_compare_exchange_strong(&ls_cpu_of(w)->err, &none, (int)err);
            atomic_store(&ls_cpu_of(w)->next_item, ls_cpu_of(w)->n_items);
            ran = 0;
        }
        if (!called && first + n < ls_cpu_of(w)->n_items &&
            __builtin_ia32_rdtsc() - start > LS_BUSY_TICKS) {
            called = true;
            call_all(s);
        }
        if (atomic_load_explicit(&s->n_ready, memory_order_relaxed) > 1 && /* a hint */
            __builtin_ia32_rdtsc() - start > TURN_TICKS)
            break;
    }
    if (w->kind == LS_WORK_KERNEL && ran && !ls_cpu_of(w)->coop)
        ls_cpu_note_speed(w->kernel.code, __builtin_ia32_rdtsc() - start, ran);
    ls_service_flush(r);
    pthread_mutex_lock(&s->lock);
    if (ls_cpu_of(w)->listed && ls_ready_is_claimed(w))
        ls_ready_remove(s, w);
    last = --ls_cpu_of(w)->n_runners == 0 && !ls_cpu_of(w)->listed;
    pthread_mutex_unlock(&s->lock);
    if (last)
        ls_cpu_finish(s, w);
}

/* `help`: NULL for a worker. */
static void
expect_faults(struct ls_runner *r, const struct ls_work *w, struct ls_help *help, bool idled)
{
    const void *code = w->kind == LS_WORK_KERNEL  ? (const void *)w->kernel.code
                       : w->kind == LS_WORK_GRAPH ? (const void *)w->graph
                                                  : NULL;
    bool looked = ls_fault_look(r, code, idled);
    sigset_t faults;

    if (!help || help->begun)
        return;
    help->begun = true;
    if (!looked)
        return;
    ls_fault_signals(&faults);
    pthread_sigmask(SIG_UNBLOCK, &faults, &help->old);
    sigandset(&faults, &faults, &help->old);
    help->was_blocked = !sigisemptyset(&faults);
    if (help->was_blocked)
        r->glanced_for =
            NULL; /* look at the mask again the next time, as it may be the same then */
}

bool
ls_sched_run(struct ls_cpu_sched *s, struct ls_runner *r, bool helper, struct ls_help *help,
             bool idled)
{
    struct ls_work *w;

    pthread_mutex_lock(&s->lock);
    w = ls_ready_pick(s, helper);
    if (w && ls_cpu_of(w)->n_runners++ == 0 && s->dev->timed && w->trace.start_ns == 0)
        w->trace.start_ns = ls_now_ns();
    /* Work that one visit does completely is taken off the list, as nothing is left for other
     * threads. */
    if (w && w->kind != LS_WORK_GRAPH && ls_cpu_of(w)->n_runners == 1 &&
        ls_cpu_of(w)->n_items <= ls_cpu_of(w)->chunk)
        ls_ready_remove(s, w);
    pthread_mutex_unlock(&s->lock);
    if (!w)
        return false;
    expect_faults(r, w, help, idled);
    r->away = r->is_worker && ls_cpu_may_be_long(w);
    if (r->away)
        atomic_fetch_add(&s->n_away, 1);
    if (w->kind == LS_WORK_GRAPH)
        ls_cpu_graph_visit(s, r, w);
    else
        run_divided(s, r, w);
    if (r->away)
        atomic_fetch_sub(&s->n_away, 1);
    r->away = false;
    return true;
}

bool
ls_sched_take_slot(struct ls_cpu_sched *s)
{
    unsigned n = atomic_load(&s->n_active);

    while (n < atomic_load(&s->n_slots))
        if (atomic_compare_exchange_weak(&s->n_active, &n, n + 1))
            return true;
    return false;
}

void
ls_sched_give_slot(struct ls_cpu_sched *s)
{
    unsigned n = atomic_load(&s->n_slots);

    atomic_fetch_sub(&s->n_active, 1);
    while (n > s->n_threads) /* gives back a slot that was lent */
        if (atomic_compare_exchange_weak(&s->n_slots, &n, n - 1))
            break;
    /* A worker that found all slots taken may be asleep though there is work. */
    if (atomic_load(&s->n_ready) > 0 && atomic_load(&s->n_sleepers) > 0 &&
        atomic_load(&s->n_active) < atomic_load(&s->n_slots))
        ls_cpu_wake_workers(s, 1);
}

static void
nap(struct ls_cpu_sched *s, uint64_t ns)
{
    unsigned seen = atomic_load(&s->event);

    atomic_fetch_add(&s->n_sleepers, 1);
    if (ns == 0)
        atomic_fetch_add(&s->n_deep, 1);
    if (atomic_load(&s->n_ready) == 0 || atomic_load(&s->n_active) >= atomic_load(&s->n_slots))
        ls_futex_wait(&s->event, seen, ns);
    if (ns == 0)
        atomic_fetch_sub(&s->n_deep, 1);
    atomic_fetch_sub(&s->n_sleepers, 1);
}

struct worker {
    struct ls_cpu_sched *sched;
    struct ls_runner *runner;
    uint32_t index;
};

static void *
worker_main(void *arg)
{
    struct worker self = *(struct worker *)arg;
    struct ls_cpu_sched *s = self.sched;
    struct ls_runner *r = self.runner;
    uint64_t last = ls_now_ns();
    bool idled = true;

    free(arg);
    r->is_worker = true;
    if (s->cpus)
        sched_setaffinity(0, sizeof(*s->cpus),
                          s->cpus); /* if this is not allowed, the thread runs anywhere */
    ls_runner_attach(r);
    for (;;) {
        uint64_t now;

        if (atomic_load(&s->n_ready) > 0 && ls_sched_take_slot(s)) {
            bool ran;

            ran = ls_sched_run(s, r, false, NULL, idled);
            ls_sched_give_slot(s);
            idled = !ran;
            if (ran) {
                last = ls_now_ns();
                continue;
            }
        }
        idled = true;
        now = ls_now_ns();
        if (now - last < s->spin_ns) {
            atomic_fetch_add(&s->n_spinning, 1);
            for (int i = 0; i < 64 && atomic_load_explicit(&s->n_ready, memory_order_relaxed) == 0;
                 i++)
                __builtin_ia32_pause(); /* relaxed: only decides when to look under the lock */
            atomic_fetch_sub(&s->n_spinning, 1);
            if (atomic_load(&s->n_active) >= atomic_load(&s->n_slots))
                nap(s, self.index == 0 ? NAP_NS : 0);
        } else {
            nap(s, self.index == 0 && now - last < AWAKE_NS ? NAP_NS : 0);
            if (self.index != 0 || now - last >= AWAKE_NS)
                last = ls_now_ns(); /* it was woken, so there may be more work: poll for a while */
        }
    }
    return NULL;
}

/* Lock held. */
static void
start_workers(struct ls_cpu_sched *s, uint32_t n)
{
    if (s->n_workers >= n)
        return;
    while (s->n_workers < n) {
        struct worker *w = malloc(sizeof(*w));
        struct ls_runner *r = w ? ls_runner_create(s) : NULL;
        pthread_t thread;

        if (r)
            *w = (struct worker){s, r, s->n_workers};
        if (!r || !ls_fault_thread(&thread, worker_main, w)) {
            ls_runner_destroy(r);
            free(w);
            break;
        }
        pthread_detach(thread);
        s->n_workers++;
    }
    if (s->n_workers == 0)
        atomic_store(&s->short_of_threads, true);
}

void
ls_cpu_submit(struct ls_device *dev, struct ls_work *w)
{
    struct ls_cpu_sched *s = dev->priv;
    uint64_t ticks;

    if (w->kind != LS_WORK_GRAPH) {
        ls_cpu_submit_alone(s, w);
        return;
    }
    ls_cpu_reset(w);
    ls_cpu_graph_start(w, &ticks);
    ls_cpu_enter(s, w, ticks > LS_BUSY_TICKS);
}

void
ls_cpu_poke(struct ls_device *dev)
{
    struct ls_cpu_sched *s = dev->priv;

    if (atomic_load(&s->short_of_threads))
        ls_host_make_up(s, false);
    if (atomic_load(&s->n_ready) > 0 && atomic_load(&s->n_spinning) == 0)
        ls_cpu_wake_workers(s, 1);
}

/* The CPUs of part `part` of n parts, and how many: parts share CPUs when there are too few. NULL
 * when out of memory. */
static cpu_set_t *
share_of(const cpu_set_t *all, uint32_t part, uint32_t n_parts, uint32_t *n)
{
    uint32_t n_all = (uint32_t)CPU_COUNT(all), lo = part * n_all / n_parts,
             hi = (part + 1) * n_all / n_parts, k = 0;
    cpu_set_t *cpus = malloc(sizeof(*cpus));

    if (!cpus)
        return NULL;
    if (n_all < n_parts) {
        lo = part % n_all;
        hi = lo + 1;
    }
    CPU_ZERO(cpus);
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, all) && k++ >= lo && k <= hi)
            CPU_SET(cpu, cpus);
    *n = hi - lo;
    return cpus;
}

/* How many threads the device has, and where. */
static bool
take_share(struct ls_cpu_sched *s, const struct ls_device *dev)
{
    uint32_t n = (uint32_t)ls_env_long(LS_ENV_THREADS, 0, 4096), n_cpus;
    cpu_set_t all;
    bool known = sched_getaffinity(0, sizeof(all), &all) == 0;
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    n_cpus = known ? (uint32_t)CPU_COUNT(&all) : online < 1 ? 1 : (uint32_t)online;
    if (dev->n_parts > 1 && known) {
        s->cpus = share_of(&all, dev->part, dev->n_parts, &n_cpus);
        if (!s->cpus)
            return false;
    }
    if (n > 0)
        n = (dev->part + 1) * n / dev->n_parts - dev->part * n / dev->n_parts;
    else
        n = n_cpus;
    s->n_threads = n < 1 ? 1 : n;
    return true;
}

hipError_t
ls_cpu_sched_open(struct ls_device *dev)
{
    struct ls_cpu_sched *s = calloc(1, sizeof(*s));
    pthread_mutexattr_t adaptive;

    if (!s)
        return hipErrorOutOfMemory;
    if (!take_share(s, dev)) {
        free(s);
        return hipErrorOutOfMemory;
    }
    s->dev = dev;
    s->start = start_workers;
    atomic_store(&s->n_slots, s->n_threads);
    s->spin_ns = (uint64_t)ls_env_long(LS_ENV_SPIN_US, 0, 1000000) * 1000;
    s->stack_bytes = (size_t)ls_env_long(LS_ENV_STACK_MB, 1, 65536) << 20;
    pthread_mutexattr_init(&adaptive);
    /* spins first, as the lock is never held for long */
    pthread_mutexattr_settype(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&s->lock, &adaptive);
    pthread_mutexattr_destroy(&adaptive);
    pthread_cond_init(&s->host_cond, NULL);
    s->free_runners =
        ls_runner_create(s); /* one is made now, so that there is always one to run work with */
    if (!s->free_runners) {
        pthread_cond_destroy(&s->host_cond);
        pthread_mutex_destroy(&s->lock);
        free(s->cpus);
        free(s);
        return hipErrorOutOfMemory;
    }
    dev->priv = s;
    ls_fault_install();
    return hipSuccess;
}
