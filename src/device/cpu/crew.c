/* SPDX-License-Identifier: MIT */
/* Who is awake. A thread that runs kernels or polls for work has a seat, and there are as many
 * seats as CPUs: workers and host threads that wait share them. A worker without one sleeps.
 *
 * Each worker has a bell on a line of memory of its own, which it polls before it sleeps: ringing
 * costs those nothing who are not meant. Who is rung rings others in turn, so that many are awake
 * after a few steps. */
#include <sched.h>

#include "base/log.h"
#include "device/cpu/cpu_priv.h"

#define FAN 8u /* how many a thread rings by itself */
/* A host thread that has submitted work will usually wait for it, and run some of it, soon: for so
 * long a seat is kept for it. */
#define GRACE_TICKS 400000u
#define NAP_NS 2000000u /* who sleeps for longer dozes */

/* Bells: the job (its index + 1; 0: look at the list), and which workers to ring in turn. */
#define BELL_RUNG  (UINT64_C(1) << 63)
#define BELL_WAKES (UINT64_C(1) << 62) /* those who sleep, too */

static uint64_t
bell(const struct ls_cpu_job *job, uint32_t lo, uint32_t hi, bool wakes)
{
    return BELL_RUNG | (wakes ? BELL_WAKES : 0) | (job ? job->index + 1 : 0) | (uint64_t)lo << 16 |
           (uint64_t)hi << 32;
}

/* Seats: those taken, and by host threads, in two halves of a word. */

#define HOST_SEAT 0x10000u

static unsigned
seats(const struct ls_cpu_sched *s)
{
    return atomic_load_explicit(&s->n_seats, memory_order_relaxed) + /* relaxed: either will do */
           atomic_load_explicit(&s->n_lent, memory_order_relaxed);
}

static unsigned
seated(unsigned taken)
{
    return taken % HOST_SEAT + taken / HOST_SEAT;
}

static void
note_host(struct ls_cpu_sched *s, bool host)
{
    /* relaxed: a hint */
    if (host && !atomic_load_explicit(&s->host_came, memory_order_relaxed))
        atomic_store_explicit(&s->host_came, true, memory_order_relaxed);
}

bool
ls_crew_sit(struct ls_cpu_sched *s, bool host)
{
    unsigned taken = atomic_load(&s->taken);

    note_host(s, host);
    while (seated(taken) < seats(s))
        if (atomic_compare_exchange_weak(&s->taken, &taken, taken + (host ? HOST_SEAT : 1)))
            return true;
    if (!host)
        return false;
    /* A worker that only polls gives its seat to a host thread. */
    for (uint32_t i = 0; i < atomic_load(&s->n_workers); i++) {
        unsigned polls = LS_POLLS;

        if (atomic_load(&s->slots[i].state) == LS_POLLS &&
            atomic_compare_exchange_strong(&s->slots[i].state, &polls, LS_SENT_OFF)) {
            atomic_fetch_add(&s->taken, HOST_SEAT - 1);
            return true;
        }
    }
    return false;
}

static bool
is_asleep(unsigned state)
{
    return state == LS_NAPS || state == LS_DOZES || state == LS_SLEEPS;
}

static bool
has_room(struct ls_cpu_sched *s)
{
    return seated(atomic_load(&s->taken)) < seats(s);
}

bool
ls_crew_is_crowded(struct ls_cpu_sched *s)
{
    return seated(atomic_load(&s->taken)) > seats(s);
}

void
ls_crew_rise(struct ls_cpu_sched *s, bool host)
{
    unsigned lent = atomic_load(&s->n_lent);

    note_host(s, host); /* work that it submitted since it sat down was waited for */
    atomic_fetch_sub(&s->taken, host ? HOST_SEAT : 1);
    while (lent > 0) /* gives back a seat that was lent */
        if (atomic_compare_exchange_weak(&s->n_lent, &lent, lent - 1))
            break;
}

uint32_t
ls_crew_take_place(struct ls_cpu_sched *s, uint32_t place)
{
    uint32_t end = place ? place : s->n_slots + 1; /* there is one for each worker */

    for (uint32_t i = 1; i < end; i++)
        if (!atomic_load(&s->places[i - 1]) && !atomic_exchange(&s->places[i - 1], true)) {
            if (place)
                ls_crew_leave_place(s, place);
            return i;
        }
    return place;
}

void
ls_crew_leave_place(struct ls_cpu_sched *s, uint32_t place)
{
    if (place > 0)
        atomic_store(&s->places[place - 1], false);
}

/* Whether a seat is kept for a host thread that may come. */
static bool
expects_host(const struct ls_cpu_sched *s)
{
    /* relaxed: a hint */
    uint64_t since = atomic_load_explicit(&s->submitted_at, memory_order_relaxed);

    return atomic_load(&s->taken) < HOST_SEAT && __builtin_ia32_rdtsc() - since < GRACE_TICKS;
}

/* Whether a worker sleeps where the caller runs. Waking it there gains nothing as long as the
 * caller keeps the CPU: systems leave a woken thread where it was, even beside a CPU that is idle,
 * and in a virtual machine, where such a CPU looks taken to them, they may also move it from there
 * to the caller's. */
static bool
sleeps_here(const struct ls_cpu_sched *s, uint32_t i, int cpu)
{
    /* relaxed: hints */
    unsigned state = atomic_load_explicit(&s->slots[i].state, memory_order_relaxed);

    return is_asleep(state) &&
           atomic_load_explicit(&s->slots[i].cpu, memory_order_relaxed) == cpu;
}

/* The CPU of `mask` for a worker that is woken where it would wait for the caller: one on which no
 * worker is awake, best one on which none sleeps either. -1: there is none. */
static int
choose_cpu(const struct ls_cpu_sched *s, const struct ls_cpu_slot *slot, int taken, cpu_set_t mask)
{
    cpu_set_t empty;

    CPU_CLR((unsigned)taken, &mask);
    empty = mask;
    for (uint32_t i = 0; i < atomic_load(&s->n_workers); i++) {
        /* relaxed: hints */
        unsigned state = atomic_load_explicit(&s->slots[i].state, memory_order_relaxed);
        int cpu = atomic_load_explicit(&s->slots[i].cpu, memory_order_relaxed);

        if (&s->slots[i] == slot || cpu < 0)
            continue;
        CPU_CLR((unsigned)cpu, &empty);
        if (!is_asleep(state))
            CPU_CLR((unsigned)cpu, &mask);
    }
    if (CPU_COUNT(&empty) > 0)
        mask = empty;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((unsigned)i, &mask))
            return i;
    return -1;
}

/* Whether a worker other than this one may run on a CPU. */
static bool
is_taken(const struct ls_cpu_sched *s, const struct ls_cpu_slot *slot, int cpu)
{
    for (uint32_t i = 0; i < atomic_load(&s->n_workers); i++) /* relaxed: hints */
        if (&s->slots[i] != slot &&
            atomic_load_explicit(&s->slots[i].cpu, memory_order_relaxed) == cpu &&
            !is_asleep(atomic_load_explicit(&s->slots[i].state, memory_order_relaxed)))
            return true;
    return false;
}

/* Sends a worker that was called to a CPU other than the caller's: to that where it has slept, or
 * another one. */
static void
send_away(struct ls_cpu_sched *s, struct ls_cpu_slot *slot, int slept_on, int cpu)
{
    pid_t thread = atomic_load(&slot->thread);
    unsigned none = LS_NOT_SENT;
    bool sent = false;
    cpu_set_t one;
    int to = -1;

    if (cpu < 0 || thread == 0 ||
        !atomic_compare_exchange_strong(&slot->sent, &none, LS_IS_BEING_SENT))
        return;
    if (sched_getaffinity(thread, sizeof(slot->mask), &slot->mask) == 0)
        to = slept_on != cpu && slept_on >= 0 && CPU_ISSET((unsigned)slept_on, &slot->mask) &&
                     !is_taken(s, slot, slept_on)
                 ? slept_on
                 : choose_cpu(s, slot, cpu, slot->mask);
    if (to >= 0) {
        CPU_ZERO(&one);
        CPU_SET((unsigned)to, &one);
        slot->to = one;
        sent = sched_setaffinity(thread, sizeof(one), &one) == 0;
    }
    if (sent)
        atomic_store_explicit(&slot->cpu, to, memory_order_relaxed); /* relaxed: a hint */
    atomic_store(&slot->sent, sent ? LS_SENT : LS_NOT_SENT);
}

void
ls_crew_spread(struct ls_cpu_sched *s, const struct ls_runner *r)
{
    struct ls_cpu_slot *slot = r->slot;
    unsigned none = LS_NOT_SENT;
    cpu_set_t mask, one, now;
    int cpu, host, to = -1;

    if (!s->is_virtual || (!slot && r->is_worker))
        return;
    cpu = sched_getcpu();
    /* relaxed: hints */
    host = atomic_load_explicit(&s->host_cpu, memory_order_relaxed);
    if (!slot) {
        if (host != cpu)
            atomic_store_explicit(&s->host_cpu, cpu, memory_order_relaxed);
        return;
    }
    if (atomic_load_explicit(&slot->cpu, memory_order_relaxed) != cpu)
        atomic_store_explicit(&slot->cpu, cpu, memory_order_relaxed);
    if (atomic_load(&s->taken) < HOST_SEAT || host != cpu ||
        !atomic_compare_exchange_strong(&slot->sent, &none, LS_IS_BEING_SENT))
        return;
    if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
        to = choose_cpu(s, slot, cpu, mask);
    if (to >= 0) {
        CPU_ZERO(&one);
        CPU_SET((unsigned)to, &one);
        if (sched_setaffinity(0, sizeof(one), &one) == 0) {
            /* unless somebody else has meanwhile said where it may run */
            if (sched_getaffinity(0, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &one))
                sched_setaffinity(0, sizeof(mask), &mask);
            atomic_store_explicit(&slot->cpu, to, memory_order_relaxed);
        }
    }
    atomic_store(&slot->sent, LS_NOT_SENT);
}

/* The calling worker may run anywhere again, unless somebody else has meanwhile said where. It may
 * be awake by itself before it is sent: then it comes back before it sleeps, or the next time. */
static void
come_back(struct ls_cpu_slot *slot)
{
    cpu_set_t now;

    if (atomic_load(&slot->sent) != LS_SENT)
        return;
    if (sched_getaffinity(0, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &slot->to))
        sched_setaffinity(0, sizeof(slot->mask), &slot->mask);
    atomic_store(&slot->sent, LS_NOT_SENT);
}

/* Rings one worker. False: it is busy, or sleeps and shall not be woken. */
static bool
ring(struct ls_cpu_sched *s, uint32_t i, uint64_t message, bool wakes)
{
    struct ls_cpu_slot *slot = &s->slots[i];
    unsigned state = atomic_load(&slot->state);
    /* relaxed: a hint */
    int sleeps_on = atomic_load_explicit(&slot->cpu, memory_order_relaxed);
    uint64_t none = 0;

    if (state == LS_RUNS || state == LS_RUNS_LONG || state == LS_CALLED ||
        (state != LS_POLLS && !wakes) ||
        !atomic_compare_exchange_strong(&slot->bell, &none, message))
        return false;
    state = atomic_load(&slot->state);
    if (is_asleep(state) &&
        atomic_compare_exchange_strong(&slot->state, &state, LS_CALLED)) {
        atomic_fetch_add(&s->n_called, 1);
        int cpu = sched_getcpu();

        if (s->is_virtual || sleeps_on == cpu)
            send_away(s, slot, sleeps_on, cpu);
        ls_futex_wake(&slot->state, 1);
    }
    return true;
}

/* Rings workers lo to hi - 1, by a tree. Returns how many were rung from here or will be by those.
 */
static uint32_t
ring_tree(struct ls_cpu_sched *s, const struct ls_cpu_job *job, uint32_t lo, uint32_t hi,
          bool wakes)
{
    uint32_t n = hi - lo, each = (n + FAN - 1) / FAN, n_rung = 0;

    for (uint32_t at = lo; at < hi; at += each) {
        uint32_t end = at + each < hi ? at + each : hi;

        for (uint32_t i = at; i < end; i++)
            if (ring(s, i, bell(job, i + 1, end, wakes), wakes)) {
                n_rung += end - i;
                break;
            }
    }
    return n_rung;
}

void
ls_crew_pass_on(struct ls_cpu_sched *s, uint64_t message)
{
    uint32_t lo = message >> 16 & 0xffff, hi = message >> 32 & 0xffff;

    if (lo < hi)
        ring_tree(s, ls_crew_job(s, message), lo, hi, message & BELL_WAKES);
}

struct ls_cpu_job *
ls_crew_job(struct ls_cpu_sched *s, uint64_t message)
{
    return message & 0xffff ? s->jobs[(message & 0xffff) - 1] : NULL;
}

/* Starts workers until there are n. */
static void
start(struct ls_cpu_sched *s, uint32_t n)
{
    if (atomic_load(&s->n_workers) >= n)
        return;
    pthread_mutex_lock(&s->lock);
    s->start(s, n);
    pthread_mutex_unlock(&s->lock);
}

bool
ls_crew_call(struct ls_cpu_sched *s, const struct ls_cpu_job *job, uint32_t n, uint32_t n_wakes,
             bool host_comes)
{
    /* Who was called a moment ago has no seat yet; who has not come for long is not waited for. */
    unsigned kept = host_comes && expects_host(s), free, n_seats = seats(s);
    unsigned called = host_comes ? atomic_load(&s->n_called) : 0;
    uint32_t n_workers, n_rung = 0, first;
    int cpu;

    free = seated(atomic_load(&s->taken)) + kept + called;
    free = free < n_seats ? n_seats - free : 0;
    n_wakes = n_wakes < free ? n_wakes : free;
    if (n > n_seats - kept)
        n = n_seats - kept;
    n_workers = atomic_load(&s->n_workers);
    first = n < n_workers ? n : n_workers;
    if (first > FAN && n_wakes >= first) {
        n_rung = ring_tree(s, job, 0, first, true);
    } else {
        /* Those who poll, then some of those who sleep, first those who sleep elsewhere. */
        n_rung = ring_tree(s, job, 0, first, false);
        cpu = n_wakes > 0 && n_rung < n ? sched_getcpu() : 0;
        for (uint32_t i = 0; i < n_workers && n_wakes > 0 && n_rung < n; i++)
            if (!sleeps_here(s, i, cpu) && ring(s, i, bell(job, 0, 0, false), true)) {
                n_rung++;
                n_wakes--;
            }
        for (uint32_t i = 0; i < first && n_wakes > 0 && n_rung < n; i++)
            if (ring(s, i, bell(job, 0, 0, false), true)) {
                n_rung++;
                n_wakes--;
            }
    }
    for (uint32_t i = first; i < n_workers && n_rung < n; i++)
        if (ring(s, i, bell(job, 0, 0, false), n_wakes > 0)) {
            n_rung++;
            n_wakes -= n_wakes > 0;
        }
    if (n_rung < n && n_wakes > 0) {
        n -= n_rung;
        n = n_workers + (n < n_wakes ? n : n_wakes);
        start(s, n < n_seats ? n : n_seats);
    }
    return n_rung > 0;
}

void
ls_crew_call_one(struct ls_cpu_sched *s)
{
    uint32_t n = atomic_load(&s->n_workers);
    bool wakes = has_room(s);
    int cpu = wakes ? sched_getcpu() : 0;

    for (uint32_t i = 0; i < n; i++)
        if (!(wakes && sleeps_here(s, i, cpu)) && ring(s, i, bell(NULL, 0, 0, false), wakes))
            return;
    for (uint32_t i = 0; i < n && wakes; i++)
        if (ring(s, i, bell(NULL, 0, 0, false), true))
            return;
    if (wakes && n < seats(s))
        start(s, n + 1);
}

bool
ls_cpu_is_own_worker(const struct ls_cpu_sched *s)
{
    return ls_this_runner && ls_this_runner->is_worker && ls_this_runner->sched == s;
}

void
ls_crew_watch(struct ls_cpu_sched *s, bool called)
{
    unsigned state = atomic_load(&s->slots[0].state);

    if (ls_cpu_is_own_worker(s) && !ls_this_runner->in_kernel)
        return; /* it will look itself */
    if (atomic_load(&s->n_workers) == 0)
        start(s, 1);
    else if (atomic_load(&s->n_called) > 0)
        return; /* who was called looks at the list when it comes */
    else if (state == LS_SLEEPS || state == LS_RUNS_LONG ||
             (state == LS_DOZES && !called &&
              (seats(s) > 1 || atomic_load_explicit(&s->host_stays_away, memory_order_relaxed))))
        ls_crew_call_one(s);
}

void
ls_crew_sleep(struct ls_cpu_sched *s, struct ls_cpu_slot *slot, uint64_t ns)
{
    unsigned state = ns == 0 ? LS_SLEEPS : ns > NAP_NS ? LS_DOZES : LS_NAPS;

    come_back(slot); /* it was sent when it was awake by itself */
    atomic_store_explicit(&slot->cpu, sched_getcpu(), memory_order_relaxed); /* relaxed: a hint */
    atomic_store(&slot->state, state);
    if (atomic_load(&slot->bell) == 0 && !(atomic_load(&s->n_ready) > 0 && has_room(s)))
        ls_futex_wait(&slot->state, state, ns);
    /* relaxed: a hint */
    atomic_store_explicit(&slot->cpu, sched_getcpu(), memory_order_relaxed);
    come_back(slot);
    if (atomic_exchange(&slot->state, LS_RUNS) == LS_CALLED)
        atomic_fetch_sub(&s->n_called, 1);
}

void
ls_crew_lend(struct ls_cpu_sched *s)
{
    unsigned lent = atomic_load(&s->n_lent);

    if (atomic_load(&s->n_ready) == 0)
        return;
    if (!has_room(s) && (lent >= s->n_slots - s->n_threads ||
                         !atomic_compare_exchange_strong(&s->n_lent, &lent, lent + 1)))
        return;
    ls_crew_call_one(s);
}
