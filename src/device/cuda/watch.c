/* SPDX-License-Identifier: MIT */
/* Who sees to it that works end: threads that wait reap (stream.c), each for a while without a
 * pause, as the driver does, and then with naps that are short beside what they have waited; and a
 * thread of each device does for those that nobody waits for. */
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "device/cuda/cuda_priv.h"

#define SPIN_NS      1000000u /* a thread that waits takes no naps before */
#define IDLE_SPIN_NS 30000u   /* where nothing is left for it to end */
#define MIN_NAP_NS   20000u
#define ALONE_NAP_NS 100000u /* where one stream alone has works: no other waits for them */
#define MAX_NAP_NS   500000u
#define NAP_PART     32u /* of what was waited before */
#define PASSED_TURN  32u /* who submits sees to the works at every so manieth, */
#define PASSED_LEFT  64u /* if so many are left; */
#define PASSED_OFTEN 8u  /* and who submits so many between two looks will do so soon */
#define LINGER_NS                                                                                  \
    5000000u                /* behind the last work, so that the next one need not wake the watch  \
                             */
#define RECHECK_NS 2000000u /* what is waited for may become true without a wake, as a deadline */

/* Changes when threads that wait must look again. */
static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static atomic_uint n_wakes, n_asleep;

static struct timespec
after(uint64_t ns)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    ns += (uint64_t)t.tv_nsec;
    t.tv_sec += (time_t)(ns / 1000000000u);
    t.tv_nsec = (long)(ns % 1000000000u);
    return t;
}

static uint64_t
nap_for(uint64_t waited_ns)
{
    uint64_t ns = waited_ns / NAP_PART;

    return ns < MIN_NAP_NS ? MIN_NAP_NS : ns > MAX_NAP_NS ? MAX_NAP_NS : ns;
}

/* The watch */

static bool
one_stream_works(struct ls_cuda *c)
{
    unsigned n = 0;

    for (unsigned i = 0; i < atomic_load(&c->n_streams) && n < 2; i++)
        n += atomic_load(&c->streams[i]->first) != NULL;
    return n < 2;
}

static void
sleep_until_work(struct ls_cuda *c)
{
    pthread_mutex_lock(&c->watch_lock);
    atomic_store(&c->watch_sleeps, true);
    while (atomic_load(&c->n_pending) == 0)
        pthread_cond_wait(&c->watch, &c->watch_lock);
    atomic_store(&c->watch_sleeps, false);
    pthread_mutex_unlock(&c->watch_lock);
}

static void *
watch_main(void *arg)
{
    struct ls_cuda *c = arg;
    uint64_t since = ls_now_ns();
    unsigned passed = 0, seen = 0;

    prctl(PR_SET_TIMERSLACK, 1000ul); /* naps are short */
    while (!ls_cu_has_left()) {
        uint64_t now = ls_now_ns(), ns;
        struct timespec nap;

        if (atomic_load(&c->n_pending) == 0 && now - since > LINGER_NS) {
            sleep_until_work(c);
            since = now = ls_now_ns();
        }
        /* It would take the locks of who submits, and the works out of that core's caches. */
        passed = atomic_load(&c->n_passed);
        if (passed - seen < PASSED_OFTEN && ls_cuda_reap(c))
            since = ls_now_ns();
        seen = passed;
        ns = atomic_load(&c->n_spinning) ? MAX_NAP_NS : nap_for(now - since);
        if (ns < ALONE_NAP_NS && one_stream_works(c))
            ns = ALONE_NAP_NS; /* each look takes time from the thread that enqueues */
        nap = (struct timespec){.tv_nsec = (long)ns};
        nanosleep(&nap, NULL);
    }
    return NULL;
}

/* Waiting */

void
ls_cuda_wake(struct ls_device *dev)
{
    (void)dev;
    atomic_fetch_add(&n_wakes, 1);
    if (atomic_load(&n_asleep) == 0)
        return;
    pthread_mutex_lock(&wait_lock);
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&wait_lock);
}

static void
nap_unless_woken(unsigned seen, uint64_t ns)
{
    struct timespec until = after(ns);

    pthread_mutex_lock(&wait_lock);
    atomic_fetch_add(&n_asleep, 1);
    if (atomic_load(&n_wakes) == seen)
        pthread_cond_timedwait(&woken, &wait_lock, &until);
    atomic_fetch_sub(&n_asleep, 1);
    pthread_mutex_unlock(&wait_lock);
}

/* Spins until done(arg) holds, or nothing has ended for SPIN_NS. What is waited for may be another
 * thread's to end, which is at it, or another device's. */
static bool
spin(struct ls_cuda *c, bool (*done)(void *arg), void *arg)
{
    unsigned ended = atomic_load(&c->n_ended);
    uint64_t since = ls_now_ns(), spin_ns = SPIN_NS;
    bool is_done = false;

    atomic_fetch_add(&c->n_spinning, 1);
    while (!is_done && ls_now_ns() - since < spin_ns) {
        is_done = ls_cuda_reap_until(c, done, arg, SPIN_NS) || done(arg);
        if (atomic_load(&c->n_ended) != ended) {
            ended = atomic_load(&c->n_ended);
            since = ls_now_ns();
        }
        spin_ns = atomic_load(&c->n_pending) ? SPIN_NS : IDLE_SPIN_NS;
        __builtin_ia32_pause();
    }
    atomic_fetch_sub(&c->n_spinning, 1);
    return is_done;
}

void
ls_cuda_wait(struct ls_device *dev, bool (*done)(void *arg), void *arg)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    uint64_t since = ls_now_ns();
    LS_UNCANCELLED();

    while (!done(arg)) {
        unsigned seen = atomic_load(&n_wakes), ended = atomic_load(&c->n_ended);

        if (spin(c, done, arg))
            return;
        /* In turns of naps and looks, until something ends: then it is worth spinning again. */
        while (!done(arg) && !ls_cuda_reap(c) && atomic_load(&c->n_ended) == ended) {
            bool busy = atomic_load(&c->n_pending) > 0;

            nap_unless_woken(seen, busy ? nap_for(ls_now_ns() - since) : RECHECK_NS);
            seen = atomic_load(&n_wakes);
        }
        since = ls_now_ns();
    }
}

void
ls_cuda_passed(struct ls_device *dev)
{
    struct ls_cuda *c = ls_cuda_of(dev);

    if (atomic_fetch_add(&c->n_passed, 1) % PASSED_TURN == PASSED_TURN - 1 &&
        atomic_load(&c->n_pending) >= PASSED_LEFT)
        ls_cuda_reap(c);
}

void
ls_cuda_poke(struct ls_device *dev)
{
    ls_cuda_reap(ls_cuda_of(dev));
}

hipError_t
ls_cuda_start_watch(struct ls_cuda *c)
{
    return ls_thread_start(watch_main, c) ? hipSuccess : hipErrorOutOfMemory;
}
