/* SPDX-License-Identifier: MIT */
/* Threads and work: ready work is listed, and threads that run it claim its items in order.
 *
 * Who runs: workers, and host threads that wait for something. An idle worker polls for a while,
 * then sleeps; worker 0 first sleeps in short naps, so that small work needs no wake-up call:
 * whoever waits for it usually runs it before. */
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/env.h"
#include "base/log.h"
#include "device/cpu/cpu_priv.h"

#define NAP_NS       200000u
#define AWAKE_NS     100000000u /* worker 0 naps for so long after the last work */
#define TURN_TICKS   5000000u   /* a runner looks for other work after so many cycles */
#define WAIT_SPIN_NS 20000u
#define BUSY_THREADS 8192u /* and so is work of so many threads of which nothing is known */
#define MAX_LENT     32u

static void
futex_wait(atomic_uint *word, unsigned value, uint64_t ns)
{
    struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000u),
                          .tv_nsec = (long)(ns % 1000000000u)};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ns ? &ts : NULL, NULL, 0);
}

static void
futex_wake(atomic_uint *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

void
ls_cpu_wake_workers(struct ls_cpu_sched *s, int n)
{
    atomic_fetch_add(&s->event, 1);
    if (atomic_load(&s->n_sleepers) > 0)
        futex_wake(&s->event, n);
}

/* The list of ready work: by priority, then by age. Lock held. */

static void
list_add(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_work *after = s->ready_tail;

    while (after && after->priority > w->priority)
        after = after->priv.prev;
    w->priv.prev = after;
    w->priv.next = after ? after->priv.next : s->ready_head;
    if (w->priv.next)
        w->priv.next->priv.prev = w;
    else
        s->ready_tail = w;
    if (after)
        after->priv.next = w;
    else
        s->ready_head = w;
    w->priv.listed = true;
    atomic_fetch_add(&s->n_ready, 1);
}

static void
list_remove(struct ls_cpu_sched *s, struct ls_work *w)
{
    if (w->priv.next)
        w->priv.next->priv.prev = w->priv.prev;
    else
        s->ready_tail = w->priv.prev;
    if (w->priv.prev)
        w->priv.prev->priv.next = w->priv.next;
    else
        s->ready_head = w->priv.next;
    w->priv.listed = false;
    atomic_fetch_sub(&s->n_ready, 1);
}

static bool
is_claimed(const struct ls_work *w)
{
    if (w->kind == LS_WORK_GRAPH)
        return ls_cpu_graph_is_claimed(w->graph);
    return atomic_load(&w->priv.next_item) >= w->priv.n_items;
}

/* A kernel that may wait for what the host does must not keep a host thread that waits for other
 * work. */
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

static bool
is_cooperative(const struct ls_work *w)
{
    return w->kind == LS_WORK_KERNEL && w->kernel.cooperative;
}

/* Work with items left, which moves behind its equals so that the next thread takes another. A grid
 * whose blocks must all be alive stays: several of them, each with some of the threads, would wait
 * for ever. */
static struct ls_work *
pick(struct ls_cpu_sched *s, bool helper)
{
    struct ls_work *w = s->ready_head;

    while (w && (is_claimed(w) || (helper && ls_cpu_may_wait(w)))) {
        struct ls_work *next = w->priv.next;

        if (is_claimed(w))
            list_remove(s, w); /* its last runner completes it */
        w = next;
    }
    if (w && !w->priv.coop && w->priv.next && w->priv.next->priority == w->priority) {
        list_remove(s, w);
        list_add(s, w);
    }
    return w;
}

static void start_workers(struct ls_cpu_sched *s, uint32_t n);

/* Running */

void
ls_cpu_note_speed(struct ls_code *code, uint64_t ticks, uint64_t n)
{
    uint64_t now = ticks / n + 1,
             old = atomic_load_explicit(&code->ns_per_block, memory_order_relaxed);

    /* an estimate: lost updates do no harm */
    atomic_store_explicit(&code->ns_per_block, old ? (old * 3 + now) / 4 : now,
                          memory_order_relaxed);
}

static hipError_t
run_items(struct ls_runner *r, struct ls_work *w, uint64_t first, uint64_t count)
{
    switch (w->kind) {
    case LS_WORK_KERNEL:
        return ls_runner_blocks(r, w, first, count);
    case LS_WORK_COPY:
    case LS_WORK_FILL:
        return ls_runner_blocks(r, w, first,
                                count); /* so that a bad address is an error, not the end */
    case LS_WORK_NONE:
    case LS_WORK_HOST:
    case LS_WORK_GRAPH:
    case LS_WORK_CALL:
    case LS_WORK_LATER:
    default:
        LS_BUG("work of a kind that runners don't run");
    }
}

/* Is the caller one of the device's threads, which will look for more work? A host thread that
 * helps may leave. */
static bool
is_own_worker(const struct ls_cpu_sched *s)
{
    return ls_this_runner && ls_this_runner->is_worker && ls_this_runner->sched == s;
}

static void
finish(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_coop *coop = w->priv.coop;
    hipError_t err = (hipError_t)atomic_load(&w->priv.err);

    if (err != hipSuccess)
        ls_fault_end_process();
    if (coop) {
        pthread_mutex_destroy(&coop->lock);
        w->priv.coop = NULL;
    }
    if (is_cooperative(w)) {
        struct ls_work *next;

        if (w->kernel.multi)
            ls_cpu_multi_grid_leave(w->kernel.multi, err != hipSuccess);
        pthread_mutex_lock(&s->lock);
        next = s->coop_head;
        s->coop_running = next != NULL;
        if (next) {
            s->coop_head = next->priv.next;
            list_add(s, next);
        }
        pthread_mutex_unlock(&s->lock);
        if (next)
            ls_cpu_wake_workers(s, INT_MAX);
    }
    w->done(w, err);
}

void
ls_cpu_graph_step(struct ls_cpu_sched *s, struct ls_work *w, uint32_t n_ended)
{
    bool relist, last;

    pthread_mutex_lock(&s->lock);
    w->graph->n_ended += n_ended;
    relist = !w->priv.listed && !is_claimed(w);
    if (relist)
        list_add(s, w);
    last = w->graph->n_ended == w->graph->n_works && w->priv.n_runners == 0;
    pthread_mutex_unlock(&s->lock);
    if (last)
        finish(s, w);
    else if (relist && !is_own_worker(s))
        ls_cpu_wake_workers(s, 1);
}

static void
run_graph(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_work *w)
{
    uint32_t n_ended = ls_cpu_graph_run(s, r, w);
    bool last, relist;

    ls_service_flush(r);
    pthread_mutex_lock(&s->lock);
    w->graph->n_ended += n_ended;
    relist = !is_claimed(w) && !w->priv.listed;
    if (is_claimed(w) && w->priv.listed)
        list_remove(s, w);
    else if (relist)
        list_add(s, w);
    w->priv.n_runners--;
    last = w->graph->n_ended == w->graph->n_works && w->priv.n_runners == 0;
    pthread_mutex_unlock(&s->lock);
    if (last)
        finish(s, w);
    else if (relist && !is_own_worker(s))
        ls_cpu_wake_workers(s, 1);
}

/* Work that was taken for short is not. */
static void
call_all(struct ls_cpu_sched *s)
{
    if (s->n_workers < s->n_threads) {
        pthread_mutex_lock(&s->lock);
        start_workers(s, s->n_threads);
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
        uint64_t first = atomic_fetch_add(&w->priv.next_item, w->priv.chunk), n;
        hipError_t err;

        if (first >= w->priv.n_items)
            break;
        n = w->priv.n_items - first < w->priv.chunk ? w->priv.n_items - first : w->priv.chunk;
        err = (hipError_t)atomic_load(&w->priv.err);
        if (err == hipSuccess)
            err = run_items(r, w, first, n);
        ran += n;
        if (err != hipSuccess) {
            int none = 0;

            atomic_compare_exchange_strong(&w->priv.err, &none, (int)err);
            atomic_store(&w->priv.next_item, w->priv.n_items);
            ran = 0;
        }
        if (!called && first + n < w->priv.n_items &&
            __builtin_ia32_rdtsc() - start > LS_BUSY_TICKS) {
            called = true;
            call_all(s);
        }
        if (atomic_load_explicit(&s->n_ready, memory_order_relaxed) > 1 && /* a hint */
            __builtin_ia32_rdtsc() - start > TURN_TICKS)
            break;
    }
    if (w->kind == LS_WORK_KERNEL && ran && !w->priv.coop)
        ls_cpu_note_speed(w->kernel.code, __builtin_ia32_rdtsc() - start, ran);
    ls_service_flush(r);
    pthread_mutex_lock(&s->lock);
    if (w->priv.listed && is_claimed(w))
        list_remove(s, w);
    last = --w->priv.n_runners == 0 && !w->priv.listed;
    pthread_mutex_unlock(&s->lock);
    if (last)
        finish(s, w);
}

/* Whether whoever runs it may not be back soon: what waits, what nothing is known of, what is
 * large. */
static bool
may_be_long(const struct ls_work *w)
{
    uint64_t per_block;

    if (w->kind != LS_WORK_KERNEL)
        return w->kind == LS_WORK_GRAPH || w->priv.n_items > 1;
    per_block = atomic_load_explicit(&w->kernel.code->ns_per_block, memory_order_relaxed);
    return ls_cpu_may_wait(w) || per_block == 0 || per_block * w->kernel.n_blocks > LS_BUSY_TICKS;
}

/* A host thread that runs kernels must have the signals of faults: blocked, they end the process. */
struct help {
    bool begun, was_blocked;
    sigset_t old;
};

/* `help`: NULL for a worker. */
static void
expect_faults(struct ls_runner *r, const struct ls_work *w, struct help *help, bool idled)
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
        r->glanced_for = NULL; /* so it will be the next time */
}

/* Claims and runs items of some ready work. False when there is none. */
static bool
run_some(struct ls_cpu_sched *s, struct ls_runner *r, bool helper, struct help *help, bool idled)
{
    struct ls_work *w;

    pthread_mutex_lock(&s->lock);
    w = pick(s, helper);
    if (w && w->priv.n_runners++ == 0 && s->dev->timed && w->priv.start_ns == 0)
        w->priv.start_ns = ls_now_ns();
    /* All of it in one visit: nothing is left for others to come for. */
    if (w && w->kind != LS_WORK_GRAPH && w->priv.n_runners == 1 && w->priv.n_items <= w->priv.chunk)
        list_remove(s, w);
    pthread_mutex_unlock(&s->lock);
    if (!w)
        return false;
    expect_faults(r, w, help, idled);
    r->away = r->is_worker && may_be_long(w);
    if (r->away)
        atomic_fetch_add(&s->n_away, 1);
    if (w->kind == LS_WORK_GRAPH)
        run_graph(s, r, w);
    else
        run_divided(s, r, w);
    if (r->away)
        atomic_fetch_sub(&s->n_away, 1);
    r->away = false;
    return true;
}

static bool
take_slot(struct ls_cpu_sched *s)
{
    unsigned n = atomic_load(&s->n_active);

    while (n < atomic_load(&s->n_slots))
        if (atomic_compare_exchange_weak(&s->n_active, &n, n + 1))
            return true;
    return false;
}

static void
give_slot(struct ls_cpu_sched *s)
{
    unsigned n = atomic_load(&s->n_slots);

    atomic_fetch_sub(&s->n_active, 1);
    while (n > s->n_threads) /* a lent slot goes with its user */
        if (atomic_compare_exchange_weak(&s->n_slots, &n, n - 1))
            break;
    /* A worker that found all slots taken may sleep while there is work. */
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
        futex_wait(&s->event, seen, ns);
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
        sched_setaffinity(0, sizeof(*s->cpus), s->cpus); /* if it may not: no harm */
    ls_runner_attach(r);
    for (;;) {
        uint64_t now;

        if (atomic_load(&s->n_ready) > 0 && take_slot(s)) {
            bool ran;

            ran = run_some(s, r, false, NULL, idled);
            give_slot(s);
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
                __builtin_ia32_pause(); /* relaxed: only decides when to look properly */
            atomic_fetch_sub(&s->n_spinning, 1);
            if (atomic_load(&s->n_active) >= atomic_load(&s->n_slots))
                nap(s, self.index == 0 ? NAP_NS : 0);
        } else {
            nap(s, self.index == 0 && now - last < AWAKE_NS ? NAP_NS : 0);
            if (self.index != 0 || now - last >= AWAKE_NS)
                last = ls_now_ns(); /* woken for a reason: poll a while */
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

/* Runs the first host function; false when there is none. Lock held, but not meanwhile. */
static bool
run_host(struct ls_cpu_sched *s)
{
    struct ls_work *w = s->host_head;

    if (!w)
        return false;
    s->host_head = w->priv.next;
    pthread_mutex_unlock(&s->lock);
    w->priv.start_ns = s->dev->timed ? ls_now_ns() : 0;
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

static void
submit_host(struct ls_cpu_sched *s, struct ls_work *w)
{
    w->priv.next = NULL;
    pthread_mutex_lock(&s->lock);
    start_host_thread(s);
    if (s->host_head)
        s->host_tail->priv.next = w;
    else
        s->host_head = w;
    s->host_tail = w;
    pthread_cond_signal(&s->host_cond);
    pthread_mutex_unlock(&s->lock);
}

/* Starts the threads that could not be started for want of memory; a thread that waits does their
 * work meanwhile. */
static void
make_up(struct ls_cpu_sched *s, bool run)
{
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->short_of_threads, false);
    if (atomic_load(&s->n_ready) > 0)
        start_workers(s, 1);
    if (s->host_head)
        start_host_thread(s);
    if (run && !s->host_started)
        while (run_host(s))
            continue;
    pthread_mutex_unlock(&s->lock);
}

static void
make_coop(struct ls_cpu_sched *s, struct ls_work *w)
{
    struct ls_cpu_coop *coop = (void *)w->priv.coop_room;

    _Static_assert(sizeof(*coop) <= sizeof(w->priv.coop_room), "no room");
    memset(coop, 0, sizeof(*coop));
    pthread_mutex_init(&coop->lock, NULL);
    coop->n_shares =
        w->kernel.n_blocks < s->n_threads ? (uint32_t)w->kernel.n_blocks : s->n_threads;
    coop->n_expected = coop->n_shares;
    w->priv.coop = coop;
}

bool
ls_cpu_divide(struct ls_cpu_sched *s, struct ls_work *w)
{
    uint64_t per_block, n;

    w->priv.coop = NULL;
    switch (w->kind) {
    case LS_WORK_KERNEL:
        atomic_store_explicit(&w->priv.text_bytes, 0, memory_order_relaxed);
        if (ls_cpu_is_resident(s, w)) {
            make_coop(s, w);
            w->priv.n_items = ((struct ls_cpu_coop *)w->priv.coop)->n_shares;
            w->priv.chunk = 1;
            return true;
        }
        n = w->priv.n_items = w->kernel.n_blocks;
        w->priv.chunk = n / (s->n_threads * 8u);
        if (w->priv.chunk == 0 || (w->kernel.code->kernel->flags & LS_CPU_KERNEL_SPINS))
            w->priv.chunk = 1;
        per_block = atomic_load_explicit(&w->kernel.code->ns_per_block, memory_order_relaxed);
        if (per_block) /* small blocks: fewer visits to the counter */
            while (w->priv.chunk * per_block < 4000 && w->priv.chunk * s->n_threads * 4 < n &&
                   !(w->kernel.code->kernel->flags & LS_CPU_KERNEL_SPINS))
                w->priv.chunk *= 2;
        if (ls_cpu_may_wait(w))
            return true; /* host threads leave it to the workers */
        return n > 1 &&
               (per_block ? per_block * n > LS_BUSY_TICKS : n * w->kernel.n_threads > BUSY_THREADS);
    case LS_WORK_COPY:
    case LS_WORK_FILL:
        w->priv.n_items = ls_cpu_move_items(w);
        break;
    case LS_WORK_NONE:
    case LS_WORK_HOST:
    case LS_WORK_GRAPH:
    case LS_WORK_CALL:
    case LS_WORK_LATER:
    default:
        LS_BUG("work of a kind that can't be divided");
    }
    w->priv.chunk = 1;
    return w->priv.n_items > 1;
}

void
ls_cpu_enter(struct ls_cpu_sched *s, struct ls_work *w, bool busy)
{
    unsigned away;
    bool asleep;

    pthread_mutex_lock(&s->lock);
    if (is_cooperative(w) &&
        s->coop_running) { /* two such grids could wait for each other's threads */
        struct ls_work **at = &s->coop_head;

        while (*at)
            at = &(*at)->priv.next;
        *at = w;
        w->priv.next = NULL;
    } else {
        s->coop_running |= is_cooperative(w);
        list_add(s, w);
    }
    away = atomic_load(&s->n_away);
    if (is_own_worker(s) && ls_this_runner->away && !ls_this_runner->in_kernel)
        away--; /* the caller is back in a moment */
    start_workers(s, busy || away >= s->n_threads ? s->n_threads : away + 1);
    asleep = atomic_load(&s->n_deep) + away >= s->n_workers;
    pthread_mutex_unlock(&s->lock);
    if (busy)
        ls_cpu_wake_workers(s, INT_MAX);
    else if (asleep)
        ls_cpu_wake_workers(s, 1);
}

void
ls_cpu_submit(struct ls_device *dev, struct ls_work *w)
{
    struct ls_cpu_sched *s = dev->priv;
    bool busy;

    if (w->kind == LS_WORK_HOST) {
        submit_host(s, w);
        return;
    }
    w->priv.n_runners = 0;
    atomic_store_explicit(&w->priv.next_item, 0, memory_order_relaxed); /* the lock publishes */
    atomic_store_explicit(&w->priv.err, 0, memory_order_relaxed);
    if (w->kind == LS_WORK_GRAPH) {
        uint64_t ticks;

        ls_cpu_graph_start(s, w, &ticks);
        busy = ticks > LS_BUSY_TICKS;
    } else {
        busy = ls_cpu_divide(s, w);
    }
    if (w->kind == LS_WORK_KERNEL && w->kernel.multi)
        ls_cpu_multi_grid_come(s, w);
    else
        ls_cpu_enter(s, w, busy);
}

void
ls_cpu_poke(struct ls_device *dev)
{
    struct ls_cpu_sched *s = dev->priv;

    if (atomic_load(&s->short_of_threads))
        make_up(s, false);
    if (atomic_load(&s->n_ready) > 0 && atomic_load(&s->n_spinning) == 0)
        ls_cpu_wake_workers(s, 1);
}

void
ls_cpu_lend(struct ls_cpu_sched *s)
{
    unsigned n = atomic_load(&s->n_slots);

    if (atomic_load(&s->n_ready) == 0)
        return;
    if (atomic_load(&s->n_active) < n) {
        ls_cpu_wake_workers(s, 1); /* it may sleep, as this one seemed to be back soon */
        return;
    }
    if (n >= s->n_threads + MAX_LENT)
        return;
    if (!atomic_compare_exchange_strong(&s->n_slots, &n, n + 1))
        return;
    pthread_mutex_lock(&s->lock);
    start_workers(s, n + 1);
    pthread_mutex_unlock(&s->lock);
    ls_cpu_wake_workers(s, INT_MAX);
}

/* Host threads that wait */

static pthread_key_t runner_key;
static pthread_once_t runner_key_once = PTHREAD_ONCE_INIT;

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

static struct ls_runner *
borrow_runner(struct ls_cpu_sched *s)
{
    struct ls_runner *r = ls_this_runner;

    if (r && (r->in_kernel || r->sched == s))
        return r->in_kernel ? NULL : r;
    if (r && r->is_worker)
        return NULL; /* of another device */
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
    w.priv.n_items = 1;
    w.priv.coop = NULL;
    atomic_init(&w.priv.err, hipSuccess);
    *err = ls_runner_blocks(r, &w, 0, 1); /* so that a bad address is an error, not the end */
    return true;
}

static atomic_uint done_event, n_waiters;

void
ls_cpu_wake(struct ls_device *dev)
{
    (void)dev;
    atomic_fetch_add(&done_event, 1);
    if (atomic_load(&n_waiters) > 0)
        futex_wake(&done_event, INT_MAX);
}

void
ls_cpu_wait(struct ls_device *dev, bool (*done)(void *arg), void *arg)
{
    struct ls_cpu_sched *s = dev->priv;
    struct help help = {.begun = false, .was_blocked = false};
    int cancel = ls_cancel_off(); /* what is run here must not end in the middle */
    uint64_t idle_since = 0;

    while (!done(arg)) {
        struct ls_runner *r;

        if (atomic_load(&s->n_ready) > 0 && (r = borrow_runner(s)) != NULL && take_slot(s)) {
            bool ran;

            ran = run_some(s, r, s->n_workers > 0, &help, !help.begun);
            give_slot(s);
            idle_since = 0;
            if (ran)
                continue;
        }
        if (idle_since == 0)
            idle_since = ls_now_ns();
        if (ls_now_ns() - idle_since < WAIT_SPIN_NS) {
            for (int i = 0; i < 32; i++)
                __builtin_ia32_pause();
        } else {
            unsigned seen = atomic_load(&done_event);

            if (atomic_load(&s->short_of_threads))
                make_up(s, true);
            atomic_fetch_add(&n_waiters, 1);
            if (!done(arg))
                futex_wait(&done_event, seen, 2000000);
            atomic_fetch_sub(&n_waiters, 1);
        }
    }
    if (help.was_blocked)
        pthread_sigmask(SIG_SETMASK, &help.old, NULL);
    ls_cancel_on(cancel);
}

static void
make_runner_key(void)
{
    pthread_key_create(&runner_key, return_runner);
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
    atomic_store(&s->n_slots, s->n_threads);
    s->spin_ns = (uint64_t)ls_env_long(LS_ENV_SPIN_US, 0, 1000000) * 1000;
    s->stack_bytes = (size_t)ls_env_long(LS_ENV_STACK_MB, 1, 65536) << 20;
    pthread_mutexattr_init(&adaptive);
    pthread_mutexattr_settype(&adaptive,
                              PTHREAD_MUTEX_ADAPTIVE_NP); /* held for moments: spin first */
    pthread_mutex_init(&s->lock, &adaptive);
    pthread_mutexattr_destroy(&adaptive);
    pthread_cond_init(&s->host_cond, NULL);
    pthread_once(&runner_key_once, make_runner_key);
    s->free_runners = ls_runner_create(s); /* so that somebody can always work */
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
