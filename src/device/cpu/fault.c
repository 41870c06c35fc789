/* SPDX-License-Identifier: MIT */
/* Faults of kernels: from a signal or a trap to an error code and one line on stderr. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "base/signal.h"
#include "device/cpu/cpu_priv.h"

_Thread_local struct ls_runner *ls_this_runner __attribute__((tls_model("initial-exec")));

static atomic_bool ends_process; /* there was a fault that is to end the process */
#define N_SIGNALS 4
#define N_ENTRIES 8
/* How often all handlers are looked at (some tens of microseconds), and that of SIGSEGV alone: not
 * at every launch, as some take less time than these system calls. */
#define LOOK_TICKS   200000u
#define GLANCE_TICKS 50000u

static const int signals[N_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/* Our handler has several addresses, each of which remembers the handlers that it stands in front
 * of. When the program sets a handler of its own, ours is put in front of it at another address;
 * and when the program then restores the handler that it had found, which is ours at the first
 * address, that still knows what was behind it. */
static struct entry {
    void (*handler)(int, siginfo_t *, void *);
    struct sigaction behind[N_SIGNALS];
} entries[N_ENTRIES];
static unsigned n_entries; /* guarded by lock, as what is written to entries */
static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static int
index_of(int sig)
{
    int i = 0;

    while (i < N_SIGNALS - 1 && signals[i] != sig)
        i++;
    return i;
}

static const struct ls_cpu_warp *
current_warp(const struct ls_runner *r)
{
    if (r->work->kind != LS_WORK_KERNEL)
        return NULL;
    if (!ls_cpu_of(r->work)->coop && r->work->kernel.code->kernel->mode != LS_CPU_MODE_FIBER)
        return NULL;
    return r->current < r->n_warps ? r->warps[r->current] : NULL;
}

LS_NO_TSAN static void
on_signal(struct entry *e, int sig, siginfo_t *info, void *context)
{
    struct ls_runner *r = ls_this_runner;
    const ucontext_t *uc = context;
    const struct ls_cpu_warp *w;

    if (!r || !r->in_kernel || info->si_code <= 0) {
        ls_signal_pass_on(&e->behind[index_of(sig)], sig, info, context);
        return;
    }
    w = current_warp(r);
    r->fault.kind = sig == SIGFPE   ? LS_FAULT_ARITHMETIC
                    : sig == SIGILL ? LS_FAULT_INSTRUCTION
                                    : LS_FAULT_ADDRESS;
    r->fault.addr = info->si_addr;
    r->fault.pc = (const void *)(uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
    r->fault.lane = ~0u;
    r->fault.ctx = w ? &w->ctx : &r->ctx;
    if (r->fault.kind == LS_FAULT_ADDRESS && (ls_stack_is_guard(&r->stack, info->si_addr) ||
                                              (w && ls_stack_is_guard(&w->stack, info->si_addr))))
        r->fault.kind = LS_FAULT_STACK;
    r->abandoned = true;
    r->in_kernel = 0;
    ls_fiber_leave_by_signal(&r->host, context);
}

#define ENTRY(i)                                                                                   \
    LS_NO_TSAN static void on_signal_##i(int sig, siginfo_t *info, void *context)                  \
    {                                                                                              \
        on_signal(&entries[i], sig, info, context);                                                \
    }
ENTRY(0)
ENTRY(1)
ENTRY(2) ENTRY(3) ENTRY(4) ENTRY(5) ENTRY(6) ENTRY(7)

    static bool is_ours(const struct sigaction *act)
{
    for (unsigned i = 0; i < n_entries; i++)
        if ((act->sa_flags & SA_SIGINFO) && act->sa_sigaction == entries[i].handler)
            return true;
    return false;
}

static bool
is_same(const struct sigaction *a, const struct sigaction *b)
{
    if ((a->sa_flags ^ b->sa_flags) & SA_SIGINFO)
        return false;
    return a->sa_flags & SA_SIGINFO ? a->sa_sigaction == b->sa_sigaction
                                    : a->sa_handler == b->sa_handler;
}

/* The entry for the handler that is there now: one that stands in front of it already, or a free
 * one. When all are used the last one is used again, and what it stood in front of is forgotten. */
static struct entry *
entry_for(int i, const struct sigaction *now)
{
    static void (*const handlers[N_ENTRIES])(int, siginfo_t *, void *) = {
        on_signal_0, on_signal_1, on_signal_2, on_signal_3,
        on_signal_4, on_signal_5, on_signal_6, on_signal_7};

    for (unsigned k = 0; k < n_entries; k++)
        if (is_same(&entries[k].behind[i], now))
            return &entries[k];
    if (n_entries < N_ENTRIES) {
        if (n_entries > 0) /* for the other signals it stands in front of the same handlers as the
                              entry before */
            memcpy(entries[n_entries].behind, entries[n_entries - 1].behind,
                   sizeof(entries[0].behind));
        entries[n_entries].handler = handlers[n_entries];
        n_entries++;
    }
    return &entries[n_entries - 1];
}

static void
look_after(int i)
{
    struct sigaction now, act = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct entry *e;

    if (sigaction(signals[i], NULL, &now) != 0 || is_ours(&now))
        return;
    e = entry_for(i, &now);
    e->behind[i] = now;
    act.sa_sigaction = e->handler;
    sigemptyset(&act.sa_mask);
    sigaction(signals[i], &act, NULL);
}

/* All workers look together, as the handlers are the process's: many threads that ask the system at
 * once would wait for each other. */
static struct ls_looks workers_looks;

/* Looks after all handlers, unless another thread has done so since `now`: the threads of a launch
 * come here at the same time. */
static void
look_since(uint64_t now)
{
    static uint64_t looked_at; /* guarded by lock */
    uint64_t start;

    pthread_mutex_lock(&lock);
    if ((int64_t)(looked_at - now) <= 0) {
        start = __builtin_ia32_rdtsc();
        for (int i = 0; i < N_SIGNALS; i++)
            look_after(i);
        looked_at = start;
    }
    start = looked_at; /* another thread's, where that has looked */
    pthread_mutex_unlock(&lock);
    /* relaxed: who sees an older value looks once more */
    atomic_store_explicit(&workers_looks.looked_at, start, memory_order_relaxed);
}

void
ls_fault_install(void)
{
    look_since(__builtin_ia32_rdtsc());
}

static struct ls_glance *
glance_for(struct ls_looks *l, const void *code)
{
    return &l->glances[((uintptr_t)code >> 6) % LS_GLANCES];
}

static void
note_glance(struct ls_glance *g, uint64_t now, const void *code)
{
    atomic_store_explicit(&g->at, now, memory_order_relaxed);
    atomic_store_explicit(&g->code, code, memory_order_relaxed);
}

void
ls_fault_forget_looks(struct ls_runner *r)
{
    for (unsigned i = 0; i < LS_GLANCES; i++)
        atomic_store_explicit(&r->looks.glances[i].code, NULL, memory_order_relaxed);
}

bool
ls_fault_look(struct ls_runner *r, const void *code, bool after_idling)
{
    uint64_t now = __builtin_ia32_rdtsc();
    struct ls_looks *l = r->is_worker ? &workers_looks : &r->looks;
    struct ls_glance *g = glance_for(l, code);
    struct sigaction act;

    /* relaxed: who sees an older value looks once more */
    if (now - atomic_load_explicit(&l->looked_at, memory_order_relaxed) <= LOOK_TICKS) {
        if (!after_idling ||
            (code && code == atomic_load_explicit(&g->code, memory_order_relaxed) &&
             now - atomic_load_explicit(&g->at, memory_order_relaxed) <= GLANCE_TICKS))
            return false;
        note_glance(g, now, code);
        if (sigaction(SIGSEGV, NULL, &act) == 0 && is_ours(&act))
            return true;
    }
    atomic_store_explicit(&l->looked_at, now, memory_order_relaxed);
    note_glance(g, now, code);
    look_since(now);
    return true;
}

void
ls_fault_signals(sigset_t *set)
{
    sigemptyset(set);
    for (int i = 0; i < N_SIGNALS; i++)
        sigaddset(set, signals[i]);
}

bool
ls_fault_thread(pthread_t *thread, void *(*fn)(void *), void *arg)
{
    sigset_t others, old;
    bool made;

    sigfillset(&others);
    for (int i = 0; i < N_SIGNALS; i++)
        sigdelset(&others, signals[i]);
    pthread_sigmask(SIG_SETMASK, &others, &old);
    made = pthread_create(thread, NULL, fn, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return made;
}

static hipError_t
describe(const struct ls_device *dev, const struct ls_fault *fault, char *text, size_t bytes)
{
    switch (fault->kind) {
    case LS_FAULT_ADDRESS:
        if (fault->addr) {
            int n = snprintf(text, bytes, "illegal memory access at address 0x%" PRIxPTR,
                             (uintptr_t)fault->addr);

            if (dev->explain)
                dev->explain(fault->addr, text + n, bytes - (size_t)n);
        } else {
            snprintf(text, bytes, "illegal memory access at a null or non-canonical address");
        }
        return hipErrorIllegalAddress;
    case LS_FAULT_STACK:
        snprintf(text, bytes, "stack overflow at address 0x%" PRIxPTR, (uintptr_t)fault->addr);
        return hipErrorLaunchFailure;
    case LS_FAULT_ARITHMETIC:
        snprintf(text, bytes, "arithmetic fault (integer division by zero)");
        return hipErrorLaunchFailure;
    case LS_FAULT_INSTRUCTION:
        snprintf(text, bytes, "illegal instruction");
        return hipErrorLaunchFailure;
    case LS_FAULT_SPIN:
        snprintf(text, bytes, "waits for what does not come (from lanes of its own warp?)");
        return hipErrorLaunchFailure;
    case LS_FAULT_DEADLOCK:
        snprintf(text, bytes, "warps wait at barriers that the others never reach");
        return hipErrorLaunchFailure;
    case LS_FAULT_ASSERT:
        snprintf(text, bytes, "assertion failed");
        return hipErrorAssert;
    case LS_FAULT_ABORT:
        snprintf(text, bytes, "abort() was called");
        return hipErrorLaunchFailure;
    case LS_FAULT_TRAP:
    default:
        snprintf(text, bytes, "trap");
        return hipErrorLaunchFailure;
    }
}

static hipError_t
report_move(struct ls_runner *r, struct ls_work *work)
{
    int expected = 0;

    if (!atomic_compare_exchange_strong(&ls_cpu_of(work)->err, &expected, hipErrorIllegalAddress))
        return hipErrorIllegalAddress;
    if (work->kind == LS_WORK_COPY)
        ls_log(LS_LOG_ERROR,
               "copy of %zu x %zu x %zu bytes from %p to %p: illegal memory access at address "
               "0x%" PRIxPTR,
               work->copy.row_bytes, work->copy.height, work->copy.depth,
               (const void *)work->copy.src, (void *)work->copy.dst, (uintptr_t)r->fault.addr);
    else
        ls_log(LS_LOG_ERROR,
               "fill of %zu x %zu x %zu bytes at %p: illegal memory access at address 0x%" PRIxPTR,
               work->fill.row_bytes, work->fill.height, work->fill.depth, (void *)work->fill.dst,
               (uintptr_t)r->fault.addr);
    return hipErrorIllegalAddress;
}

hipError_t
ls_fault_report(struct ls_runner *r, struct ls_work *work)
{
    const struct ls_work_kernel *k = &work->kernel;
    const struct ls_cpu_ctx *ctx = r->fault.ctx ? r->fault.ctx : &r->ctx;
    uint32_t width, first, last;
    uint64_t plane;
    char what[384], thread[96], name[512];
    hipError_t err = describe(r->sched->dev, &r->fault, what, sizeof(what));
    int expected = 0;

    if (work->kind != LS_WORK_KERNEL)
        return report_move(r, work);
    if (r->fault.kind == LS_FAULT_ABORT || strcmp(ls_env_str(LS_ENV_FAULT), "abort") == 0)
        atomic_store(&ends_process, true);
    width = k->code->kernel->warp_size;
    first = ctx->cur_warp * width;
    plane = (uint64_t)k->grid[0] * k->grid[1];
    if (!atomic_compare_exchange_strong(&ls_cpu_of(work)->err, &expected, err))
        return err; /* another thread's fault was reported already: one report is enough */
    ls_cpu_check_fault(r, ctx, what);
    if (r->fault.kind == LS_FAULT_ASSERT)
        fprintf(stderr, "%s\n", r->fault.text);
    if (r->fault.lane != ~0u) {
        uint32_t t = first + r->fault.lane;

        snprintf(thread, sizeof(thread), "thread (%u,%u,%u)", t % k->block[0],
                 t / k->block[0] % k->block[1], t / k->block[0] / k->block[1]);
    } else if (ctx->cur_warp == LS_CPU_NO_WARP) {
        snprintf(thread, sizeof(thread), "or one behind it");
    } else {
        last = first + width < k->n_threads ? first + width - 1 : k->n_threads - 1;
        snprintf(thread, sizeof(thread), "warp %u (threads %u..%u)", ctx->cur_warp, first, last);
    }
    ls_check_name(k->source->display_name, name, sizeof(name));
    ls_log(LS_LOG_ERROR,
           "kernel %s: %s; block (%u,%u,%u), %s of grid (%u,%u,%u) x block (%u,%u,%u)",
           name, what, (unsigned)(ctx->cur_block % k->grid[0]),
           (unsigned)(ctx->cur_block / k->grid[0] % k->grid[1]), (unsigned)(ctx->cur_block / plane),
           thread, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    return err;
}

void
ls_fault_end_process(void)
{
    if (!atomic_load(&ends_process))
        return;
    fflush(stdout); /* what kernels printed */
    abort();
}
