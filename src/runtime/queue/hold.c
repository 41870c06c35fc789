/* SPDX-License-Identifier: MIT */
/* Races with the host. From the first command after a while without any, up to where the host waits
 * (or asks, or a moment has passed), nothing is given to the device, and pages of the memory that
 * commands use and the host has, too, are closed. So the host faults where it touches what it has
 * not waited for. Each page is opened by the first access, of which the stack is kept, and the
 * checkers are told. Whether a kernel touches the same bytes is seen when it runs, after that. The
 * lock of the queue is held, as in all static functions that say nothing else. */
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "base/signal.h"
#include "base/thread.h"
#include "runtime/queue/queue_priv.h"

#define HOLD_NS 50000000 /* the longest hold */
#define PAGE    ((uintptr_t)4096)

enum { MOST_RANGES = 256, MOST_TOUCHES = 1024, MOST_FRAMES = 16 };

struct part {
    uintptr_t base, end; /* whole pages */
};

struct touch {
    const void *at;
    bool is_write;
    int n;
    void *frames[MOST_FRAMES];
};

static struct sigaction previous;
static atomic_bool is_holding; /* written with the lock of the queue and with `closed` held */
static uint64_t n_holds;
static struct ls_cmd *first_held, **last_held = &first_held;
/* A lock that the handler takes, too. Who has it touches none of that memory. */
static atomic_flag closed = ATOMIC_FLAG_INIT;
static struct part parts[MOST_RANGES];     /* guarded by it, as all of these */
static struct touch touches[MOST_TOUCHES]; /* since they were told */
static unsigned n_parts, n_touches;

static void
lock_parts(void)
{
    while (atomic_flag_test_and_set_explicit(&closed, memory_order_acquire))
        __builtin_ia32_pause();
}

static void
unlock_parts(void)
{
    atomic_flag_clear_explicit(&closed, memory_order_release);
}

/* ---- The host's fault ---- */

/* `closed` held. */
static bool
is_part(uintptr_t at)
{
    for (unsigned i = 0; i < n_parts; i++)
        if (at >= parts[i].base && at < parts[i].end)
            return true;
    return false;
}

/* `closed` held: writes down where the host is. */
static void
note_touch(const void *at, bool is_write, void *pc)
{
    struct touch *t = &touches[n_touches];
    void *frames[MOST_FRAMES + 8];
    int n, first = 0;

    if (n_touches == MOST_TOUCHES)
        return;
    n = backtrace(frames, MOST_FRAMES + 8);
    while (first < n && frames[first] != pc) /* the handler's own, and the signal's */
        first++;
    t->n = 0;
    if (first == n)
        t->frames[t->n++] = (char *)pc + 1; /* as calls return behind themselves */
    for (int i = first; i < n && t->n < MOST_FRAMES; i++)
        t->frames[t->n++] = i == first ? (char *)frames[i] + 1 : frames[i];
    t->at = at;
    t->is_write = is_write;
    n_touches++;
}

static void
on_segv(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    uintptr_t at = (uintptr_t)info->si_addr, page = at / PAGE * PAGE;
    bool is_write = uc->uc_mcontext.gregs[REG_ERR] & 2, is_ours = false;

    if (info->si_code == SEGV_ACCERR) {
        lock_parts();
        is_ours = is_part(at);
        if (is_ours && atomic_load(&is_holding))
            note_touch(info->si_addr, is_write, (void *)(uintptr_t)uc->uc_mcontext.gregs[REG_RIP]);
        if (is_ours) /* after a read a write faults once more; after the hold nothing does */
            mprotect((void *)page, PAGE,
                     !is_write && atomic_load(&is_holding) ? PROT_READ : PROT_READ | PROT_WRITE);
        unlock_parts();
    }
    if (!is_ours)
        ls_signal_pass_on(&previous, sig, info, context);
}

/* ---- What is held ---- */

static void
tell_touches(void)
{
    unsigned n = 0, told = 0;

    do {
        for (; told < n; told++)
            ls_check_host_touched(touches[told].at, touches[told].is_write, touches[told].frames,
                                  touches[told].n);
        lock_parts(); /* not while they are told, which takes locks */
        n = n_touches;
        if (told == n)
            n_touches = 0;
        unlock_parts();
    } while (told < n);
}

static void
close_part(const void *at)
{
    struct ls_check_range range;
    struct part part;

    if (!ls_check_find_hosts(at, &range))
        return;
    part.base = range.base / PAGE * PAGE;
    part.end = (range.base + range.bytes + PAGE - 1) / PAGE * PAGE;
    lock_parts();
    if (!is_part(part.base) && n_parts < MOST_RANGES) {
        parts[n_parts++] = part;
        mprotect((void *)part.base, part.end - part.base, PROT_NONE);
    }
    unlock_parts();
}

/* Closes what the command uses. */
static void
close_for(const struct ls_cmd *cmd)
{
    const struct ls_work *w = &cmd->work;
    const char *word;

    if (cmd->kind != LS_CMD_WORK || !ls_rt.gpus[cmd->stream->dev->index].info.host_access)
        return;
    if (w->kind == LS_WORK_COPY) {
        close_part(w->copy.dst);
        close_part(w->copy.src);
    } else if (w->kind == LS_WORK_FILL) {
        close_part(w->fill.dst);
    }
    for (uint32_t at = 0; w->kind == LS_WORK_KERNEL && at + 8 <= w->kernel.source->kernarg_bytes;
         at += 8) {
        memcpy(&word, (const char *)w->kernel.kernarg + at, sizeof(word));
        close_part(word);
    }
}

static bool
is_quiet(void)
{
    for (const struct ihipStream_t *s = ls_queue.streams; s; s = s->next)
        if (s->head)
            return false;
    return true;
}

static void
begin(void)
{
    lock_parts();
    atomic_store(&is_holding, true);
    n_parts = n_touches = 0;
    unlock_parts();
    n_holds++;
}

static void
let_go(void)
{
    struct ls_cmd *held = first_held, *ready = NULL;

    tell_touches();
    lock_parts();
    for (unsigned i = 0; i < n_parts; i++)
        mprotect((void *)parts[i].base, parts[i].end - parts[i].base, PROT_READ | PROT_WRITE);
    atomic_store(&is_holding, false);
    unlock_parts();
    first_held = NULL;
    last_held = &first_held;
    while (held) {
        struct ls_cmd *next = held->next_held;

        ls_queue_drop(&ready, held);
        ls_queue_run_ready(ready);
        ready = NULL;
        held = next;
    }
}

/* Without the lock: lets go what is held for too long. */
static void *
watch_main(void *arg)
{
    const struct timespec nap = {0, HOLD_NS};
    uint64_t seen = 0;

    (void)arg;
    for (;;) {
        bool ended;

        nanosleep(&nap, NULL);
        pthread_mutex_lock(&ls_queue.lock);
        ended = atomic_load(&is_holding) && n_holds == seen;
        if (ended)
            let_go();
        seen = n_holds;
        ls_queue_unlock(ended);
    }
    return NULL;
}

static bool
watch(void)
{
    static bool is_watched;

    is_watched = is_watched || ls_thread_start(watch_main, NULL);
    return is_watched;
}

void
ls_hold_cmd(struct ls_cmd *cmd)
{
    bool begins = !atomic_load(&is_holding);

    if (begins && (!is_quiet() || !watch()))
        return;
    if (begins)
        begin();
    else
        tell_touches(); /* they come before the command */
    close_for(cmd);
    cmd->n_deps++;
    cmd->next_held = NULL;
    *last_held = cmd;
    last_held = &cmd->next_held;
}

void
ls_hold_end_now(void)
{
    if (!atomic_load(&is_holding))
        return;
    pthread_mutex_lock(&ls_queue.lock);
    if (atomic_load(&is_holding))
        let_go();
    ls_queue_unlock(true);
}

void
ls_hold_start(void)
{
    static bool has_handler;
    struct sigaction act = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    void *frame;

    if (!ls_check_wants_host() || has_handler)
        return;
    backtrace(&frame, 1); /* the first call loads a library */
    sigemptyset(&act.sa_mask);
    sigaction(SIGSEGV, &act, &previous); /* before the device's own, which passes on the host's */
    has_handler = true;
}
