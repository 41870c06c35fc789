/* SPDX-License-Identifier: MIT */
/* Threads and work: ready work is listed, and threads that run it claim pieces of it.
 *
 * Who runs: workers, and host threads that wait for something; both need a seat (crew.c). An idle
 * worker polls its bell for a while, then sleeps. Worker 0 also looks at the list while it polls,
 * and first sleeps in short naps, so that small work needs no call: whoever waits for it usually
 * runs it before. While others have all seats its naps only disturb: it sleeps for long, and is
 * called by who submits work and has called nobody else. Where it comes in vain to the only CPU
 * each nap is twice as long as that before, as a call there would cost as much as it gains, unless
 * host threads submit work and do not come to wait for it. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "device/cpu/cpu_priv.h"

#define NAP_NS      200000u /* for the first milliseconds, */
#define NAPS_NS     5000000u
#define LONG_NAP_NS 1000000u   /* and then */
#define MOST_DOUBLINGS 10u /* of a nap, up to */
#define MOST_NAP_NS    200000000u
#define AWAKE_NS       100000000u  /* worker 0 naps for so long after the last work, */
#define QUIET_TICKS    4000000000u /* where it comes in vain since the last submission */
#define TURN_TICKS     5000000u /* a runner looks for other work after so many cycles */
#define GLANCE_TICKS   2000u    /* how often worker 0 looks for work while it polls, */
#define PATIENCE_TICKS 6000u    /* and how long others have to take it */
#define LATE_TICKS     400000u  /* work that takes so long gets all threads, the host's seat, too */

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
    if (help->was_blocked) /* look at the mask again the next time, as it may be the same then */
        ls_fault_forget_looks(r);
}

static void
set_state(const struct ls_runner *r, enum ls_cpu_state state)
{
    if (r->slot)
        atomic_store_explicit(&r->slot->state, state, memory_order_relaxed); /* relaxed: a hint */
}

/* This thread begins to run some of the work. */
static void
begin(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_work *w, struct ls_help *help,
      bool idled)
{
    uint64_t none = 0;

    expect_faults(r, w, help, idled);
    if (s->dev->timed)
        __atomic_compare_exchange_n(&w->trace.start_ns, &none, ls_now_ns(), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    if (ls_cpu_may_be_long(w))
        set_state(r, LS_RUNS_LONG);
}

static void
note_error(struct ls_work *w, hipError_t err)
{
    int none = 0;

    atomic_compare_exchange_strong(&ls_cpu_of(w)->err, &none, (int)err);
}

/* So many blocks took this thread so long. `first`: the launch's first block is one of them, and
 * they stand for all; `came`: it was one of several threads. */
static void
note_time(struct ls_work *w, uint64_t ticks, uint64_t n_blocks, bool first, bool came)
{
    if (w->kind != LS_WORK_KERNEL || ls_cpu_of(w)->coop)
        return;
    ls_cpu_note_spent(w->kernel.code, ticks);
    if (first)
        ls_cpu_note_speed(w->kernel.code, ticks, n_blocks, came);
    if (ls_cpu_of(w)->form_class) /* relaxed: the end of the work publishes it */
        atomic_fetch_add_explicit(&ls_cpu_of(w)->form_ticks, ticks, memory_order_relaxed);
}

/* Runs work that is for one thread, which is off the list. */
static void
run_alone(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_work *w, struct ls_help *help,
          bool idled)
{
    uint64_t start, n = ls_cpu_of(w)->n_items;
    hipError_t err = hipSuccess;

    begin(s, r, w, help, idled);
    start = __builtin_ia32_rdtsc();
    if (ls_cpu_of(w)->coop && n > 1)
        err = hipErrorLaunchOutOfResources; /* there was no memory for its job */
    else if (n > 0)
        err = ls_runner_blocks(r, w, 0, n); /* copies run here, too, so that a bad address is an
                                               error and does not end the process */
    if (err != hipSuccess)
        note_error(w, err);
    else
        note_time(w, __builtin_ia32_rdtsc() - start, n, true, false);
    ls_service_flush(r);
    set_state(r, LS_RUNS);
    ls_cpu_finish(s, w);
}

/* Work takes longer than was expected, or than a host thread needs to come: calls as many threads
 * as there is work left for. `n_blocks` took this thread so long. */
static void
call_more(struct ls_cpu_sched *s, struct ls_cpu_job *j, bool alone, uint64_t ticks,
          uint64_t n_blocks)
{
    unsigned stage = ticks > LATE_TICKS ? 2 : 1, seen;
    uint64_t left;
    double expected;
    uint32_t n;

    if (ls_cpu_of(j->work)->crowd == LS_CROWD_ALONE &&
        !ls_crowd_is_over(&j->work->kernel.code->crowd, ticks, n_blocks))
        return;
    /* relaxed: one thread calls */
    seen = atomic_load_explicit(&j->n_calls, memory_order_relaxed);
    if (seen >= stage || !atomic_compare_exchange_strong(&j->n_calls, &seen, stage))
        return;
    left = ls_job_unclaimed(j);
    if (left == 0)
        return;
    expected = (double)(left * j->unit) * (double)ticks / (double)n_blocks;
    left = expected < 1e15 ? (uint64_t)expected : (uint64_t)1e15;
    n = ls_cpu_wanted(s, left);
    if (n < 2)
        return;
    if (alone)
        ls_ready_open(s, j);
    ls_crew_call(s, j, n - 1, ls_cpu_wakes(left), stage == 1);
}

/* The most units of the next piece, now that others are called: of the only part one would take all
 * that is left. */
static uint32_t
share_one_part(struct ls_cpu_job *j, uint64_t ticks, uint64_t n_blocks)
{
    double n = (double)n_blocks / (double)j->unit * LS_BUSY_TICKS / (double)ticks;

    if (atomic_load_explicit(&j->n_parts, memory_order_relaxed) > 1) /* relaxed: see call_more */
        return UINT32_MAX;
    return n < 1 ? 1 : (uint32_t)n;
}

/* Runs pieces of a job, which may have ended by now, and be another's. `alone`: the caller has
 * taken it off the list. False: nothing was left. The first pieces are small, and the next ones
 * eight times as large: a launch may take long, whatever earlier ones took, and is for others,
 * too. */
static bool
visit(struct ls_cpu_sched *s, struct ls_runner *r, struct ls_cpu_job *j, bool alone,
      struct ls_help *help, bool idled)
{
    struct ls_work *w = NULL;
    struct ls_cpu_piece piece;
    uint64_t start = 0, ran = 0, ran_ticks = 0, at, ticks;
    uint32_t line = 0, n_ended = 0, most = ls_job_first(j);
    struct ls_crowd *crowd = NULL;
    bool left, first = false, failed = false, keeps = false, astray = false;

    while ((left = ls_job_claim(j, r->place, failed ? LS_JOB_ALL : most, &piece))) {
        if (w && piece.line != line) {
            ls_job_ended(j, line, n_ended); /* not the last, which are in `piece` */
            n_ended = 0;
        }
        line = piece.line;
        n_ended += piece.n_units;
        astray |= piece.astray;
        if (!w) {
            w = j->work;
            begin(s, r, w, help, idled);
            start = __builtin_ia32_rdtsc();
            failed = atomic_load(&ls_cpu_of(w)->err) != hipSuccess;
            if (ls_cpu_of(w)->crowd == LS_CROWD_WATCHED) {
                crowd = &w->kernel.code->crowd;
                ls_crowd_enter(crowd);
            }
        }
        if (failed) /* all that is left is claimed, and not run */
            continue;
        at = __builtin_ia32_rdtsc();
        hipError_t err = ls_runner_blocks(r, w, piece.first, piece.count);
        if (err != hipSuccess) {
            note_error(w, err);
            failed = true;
            continue;
        }
        ticks = __builtin_ia32_rdtsc();
        ran += piece.count;
        ran_ticks += ticks - at;
        ticks -= start;
        first |= piece.first == 0;
        if (crowd) {
            enum ls_crowd_turn turn = ls_crowd_go_on(crowd, r, piece.count);

            if (turn == LS_CROWD_GO)
                break;
            keeps = turn == LS_CROWD_KEEP;
            if (keeps)
                ls_ready_close(s, j);
        }
        most = ticks < LS_BUSY_TICKS / 8 && most < UINT32_MAX / 8 ? most * 8 : UINT32_MAX;
        if (ticks > LS_BUSY_TICKS)
            ls_crew_spread(s, r);
        if (ticks > LS_BUSY_TICKS && !keeps) {
            call_more(s, j, alone, ticks, ran);
            most = share_one_part(j, ticks, ran);
        }
        if (ticks > TURN_TICKS && /* relaxed: a hint */
            atomic_load_explicit(&s->n_ready, memory_order_relaxed) > atomic_load(&j->is_open))
            break;
    }
    if (!w) {
        ls_ready_close_claimed(s, j);
        return false;
    }
    if (crowd)
        ls_crowd_leave(crowd, r);
    if (!left)
        ls_ready_close_dealt(s, j);
    else if (ls_job_let_go(j, r->place) || alone || keeps || astray)
        ls_ready_open(s, j);
    if (!failed) /* relaxed: the job is this work's */
        note_time(w, ran_ticks, ran, first,
                  atomic_load_explicit(&j->n_parts, memory_order_relaxed) > 1);
    ls_service_flush(r);
    set_state(r, LS_RUNS);
    if (ls_job_ended(j, line, n_ended)) {
        ls_ready_end(s, j);
        ls_cpu_finish(s, w);
    }
    return true;
}

bool
ls_sched_run(struct ls_cpu_sched *s, struct ls_runner *r, bool helper, struct ls_help *help,
             bool idled)
{
    struct ls_cpu_job *j = NULL;
    struct ls_work *w;
    bool alone = false, more = false;

    pthread_mutex_lock(&s->lock);
    w = ls_ready_pick(s, helper);
    if (w && w->kind == LS_WORK_GRAPH) {
        ls_cpu_of(w)->n_runners++;
    } else if (w) {
        j = ls_cpu_of(w)->job;
        alone = !j || ls_cpu_of(w)->n_wanted == 1;
        more = ls_cpu_may_be_long(w) && ls_cpu_of(w)->next;
        if (alone)
            ls_ready_remove(s, w);
    }
    pthread_mutex_unlock(&s->lock);
    if (!w)
        return false;
    if (more)
        ls_crew_call_one(s);
    if (j)
        return visit(s, r, j, alone, help, idled);
    if (w->kind != LS_WORK_GRAPH) {
        run_alone(s, r, w, help, idled);
        return true;
    }
    begin(s, r, w, help, idled);
    ls_cpu_graph_visit(s, r, w);
    set_state(r, LS_RUNS);
    return true;
}

struct worker {
    struct ls_cpu_sched *sched;
    struct ls_runner *runner;
    uint32_t index;
};

enum polled { LS_FOUND, LS_TIRED, LS_LOST_SEAT };

/* Whether listed work waits for longer than a host thread takes to come and run it. Asks seldom, as
 * each look at n_ready takes its line from a host thread that launches. `seen`: the last look, and
 * since when there is work. */
static bool
is_waited_for(struct ls_cpu_sched *s, uint64_t seen[2])
{
    uint64_t now = __builtin_ia32_rdtsc();

    if (now - seen[0] < GLANCE_TICKS)
        return false;
    seen[0] = now;
    /* relaxed: it is looked at again */
    if (atomic_load_explicit(&s->n_ready, memory_order_relaxed) == 0)
        seen[1] = 0;
    else if (seen[1] == 0)
        seen[1] = now;
    return seen[1] && now - seen[1] > PATIENCE_TICKS;
}

/* Polls until there may be something to do, or for spin_ns since `last`. It is asked by others to
 * leave its seat to them only here. */
static enum polled
poll(struct ls_cpu_sched *s, const struct worker *self, uint64_t last)
{
    struct ls_cpu_slot *slot = &s->slots[self->index];
    unsigned state = LS_POLLS;
    uint64_t seen[2] = {0};
    bool found = false;

    if (ls_now_ns() - last >= s->spin_ns && (self->index != 0 || atomic_load(&s->n_ready) == 0))
        return LS_TIRED;
    atomic_store(&slot->state, LS_POLLS);
    do
        for (int i = 0; i < 64 && !found; i++) {
            __builtin_ia32_pause(); /* relaxed: it is looked at again */
            found = atomic_load_explicit(&slot->bell, memory_order_relaxed) != 0 ||
                    atomic_load_explicit(&slot->state, memory_order_relaxed) != LS_POLLS ||
                    (self->index == 0 && is_waited_for(s, seen));
        }
    while (!found && (ls_now_ns() - last < s->spin_ns || seen[1] != 0));
    if (!atomic_compare_exchange_strong(&slot->state, &state, LS_RUNS))
        return LS_LOST_SEAT;
    return found ? LS_FOUND : LS_TIRED;
}

/* Serves a message; true when work was run. */
static bool
answer(struct ls_cpu_sched *s, struct ls_runner *r, uint64_t message, bool idled)
{
    struct ls_cpu_job *j = ls_crew_job(s, message);

    ls_crew_pass_on(s, message);
    return j && visit(s, r, j, false, NULL, idled);
}

/* How long worker 0 sleeps so long after the last work; 0: until it is called. `n_vain`: how often
 * in turn it has only taken time from the others, see above. */
static uint64_t
nap_ns(const struct ls_cpu_sched *s, uint64_t idle_ns, bool finds_seat, unsigned n_vain)
{
    unsigned seats = atomic_load(&s->n_seats);
    /* relaxed: a hint */
    uint64_t submitted = atomic_load_explicit(&s->submitted_at, memory_order_relaxed), ns;

    if (n_vain == 0)
        return idle_ns >= AWAKE_NS ? 0 : idle_ns < NAPS_NS ? NAP_NS : LONG_NAP_NS;
    if (finds_seat && __builtin_ia32_rdtsc() - submitted > QUIET_TICKS)
        return 0;
    if (seats > 1)
        return MOST_NAP_NS;
    ns = (uint64_t)NAP_NS << (n_vain - 1 < MOST_DOUBLINGS ? n_vain - 1 : MOST_DOUBLINGS);
    return ns < MOST_NAP_NS ? ns : MOST_NAP_NS;
}

static void *
worker_main(void *arg)
{
    struct worker self = *(struct worker *)arg;
    struct ls_cpu_sched *s = self.sched;
    struct ls_runner *r = self.runner;
    struct ls_cpu_slot *slot = &s->slots[self.index];
    uint64_t last = ls_now_ns();
    bool has_seat = false, idled = true, looks = true;
    unsigned n_vain = 0;

    free(arg);
    atomic_store(&slot->thread, (int)syscall(SYS_gettid));
    r->is_worker = true;
    r->slot = slot;
    if (s->cpus)
        sched_setaffinity(0, sizeof(*s->cpus),
                          s->cpus); /* if this is not allowed, the thread runs anywhere */
    ls_runner_attach(r);
    for (;;) {
        uint64_t message;
        enum polled polled;
        bool ran, stays, finds_seat;

        has_seat = has_seat || ls_crew_sit(s, false);
        finds_seat = has_seat;
        if (has_seat && r->place != 1)
            r->place = ls_crew_take_place(s, r->place);
        message = atomic_load(&slot->bell) ? atomic_exchange(&slot->bell, 0) : 0;
        if (has_seat) {
            ran = message && answer(s, r, message, idled);
            looks |= message != 0;
            if (!ran && looks && atomic_load(&s->n_ready) > 0)
                ran = ls_sched_run(s, r, false, NULL, idled);
            idled = !ran;
            if (ran) {
                last = ls_now_ns();
                n_vain /= 2;
            }
            stays = atomic_load(&s->n_lent) == 0 && !ls_crew_is_crowded(s);
            looks = ran;
            if (ran && stays)
                continue;
            polled = stays ? poll(s, &self, last) : LS_TIRED;
            if (polled == LS_FOUND) {
                looks = true;
                continue;
            }
            ls_crew_leave_place(s, r->place);
            r->place = 0;
            if (polled == LS_TIRED)
                ls_crew_rise(s, false);
        }
        has_seat = false;
        idled = true;
        looks = self.index != 0; /* worker 0 is patient: it wakes up often */
        n_vain = finds_seat && atomic_load(&s->n_seats) > 1 ? 0 : n_vain + 1;
        /* Where all seats are taken others look at the list, and who leaves one calls. */
        ls_crew_sleep(s, slot,
                      self.index == 0 ? nap_ns(s, ls_now_ns() - last, finds_seat, n_vain) : 0);
        if (atomic_load(&slot->bell) != 0)
            last = ls_now_ns(); /* it was called, so there may be more work: it polls for a while */
    }
    return NULL;
}

/* Lock held. */
static void
start_workers(struct ls_cpu_sched *s, uint32_t n)
{
    while (s->n_workers < n && s->n_workers < s->n_slots) {
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
        if (ls_checks())
            ls_cpu_check_work(w, NULL);
        ls_cpu_submit_alone(s, w);
        return;
    }
    ls_cpu_reset(w);
    if (ls_checks())
        ls_cpu_check_graph(w);
    ls_cpu_graph_start(w, &ticks);
    ls_cpu_of(w)->n_wanted = 1;
    ls_cpu_of(w)->n_wakes = ls_cpu_wakes(ticks);
    if (ticks > LS_BUSY_TICKS) /* of the others: this does not count the first one's thread */
        ls_cpu_of(w)->n_wanted += ls_cpu_wanted(s, ticks);
    ls_cpu_enter(s, w);
}

void
ls_cpu_poke(struct ls_device *dev)
{
    struct ls_cpu_sched *s = dev->priv;

    if (atomic_load(&s->short_of_threads))
        ls_host_make_up(s, false);
    if (atomic_load(&s->n_ready) > 0)
        ls_crew_call_one(s);
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

    n_cpus = known ? ls_cpu_count_cpus(0) : online < 1 ? 1 : (uint32_t)online;
    n_cpus = n_cpus ? n_cpus : 1;
    s->follows_cpus = n == 0 && known && dev->n_parts == 1;
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
    online = sysconf(_SC_NPROCESSORS_CONF);
    s->n_slots = s->n_threads;
    if (s->follows_cpus && online > 0 && (uint32_t)online > s->n_slots)
        s->n_slots = (uint32_t)online;
    s->n_slots += LS_MAX_LENT;
    return true;
}

static bool
make_room(struct ls_cpu_sched *s)
{
    size_t bytes = s->n_slots * sizeof(*s->slots);

    s->slots = aligned_alloc(_Alignof(struct ls_cpu_slot), bytes);
    s->jobs = calloc(LS_MAX_JOBS, sizeof(*s->jobs));
    s->places = calloc(s->n_slots, sizeof(*s->places));
    if (s->slots)
        memset(s->slots, 0, bytes);
    return s->slots && s->jobs && s->places;
}

static void
free_sched(struct ls_cpu_sched *s)
{
    free(s->slots);
    free(s->jobs);
    free(s->places);
    free(s->cpus);
    free(s);
}

/* Where checkers want all memory of devices to lie. */
static void
confine(void)
{
    size_t bytes;
    void *arena = ls_check_arena(&bytes);

    if (arena)
        ls_heap_confine(arena, bytes, false);
}

hipError_t
ls_cpu_sched_open(struct ls_device *dev)
{
    struct ls_cpu_sched *s = aligned_alloc(_Alignof(struct ls_cpu_sched), sizeof(*s));
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_mutexattr_t adaptive;

    pthread_once(&once, confine);
    if (!s)
        return hipErrorOutOfMemory;
    memset(s, 0, sizeof(*s));
    if (!take_share(s, dev) || !make_room(s)) {
        free_sched(s);
        return hipErrorOutOfMemory;
    }
    s->dev = dev;
    s->start = start_workers;
    s->is_virtual = ls_cpu_is_virtual();
    atomic_init(&s->host_cpu, -1);
    atomic_store(&s->n_seats, s->n_threads);
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
        free_sched(s);
        return hipErrorOutOfMemory;
    }
    dev->priv = s;
    ls_fault_install();
    return hipSuccess;
}
