/* SPDX-License-Identifier: MIT */
/* Faults of kernels: from a signal or a trap to an error code and one line on stderr. */
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "device/cpu/cpu_priv.h"

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction previous[4];
static atomic_bool end_process; /* a fault was one that ends it */

static void
chain(int sig, siginfo_t *info, void *context)
{
    for (int i = 0; i < 4; i++) {
        if (signals[i] != sig)
            continue;
        if (previous[i].sa_flags & SA_SIGINFO) {
            previous[i].sa_sigaction(sig, info, context);
        } else if (previous[i].sa_handler == SIG_DFL) {
            sigaction(sig, &previous[i],
                      NULL); /* the instruction faults again and ends the process */
            if (info->si_code <= 0)
                raise(sig);
        } else if (previous[i].sa_handler != SIG_IGN) {
            previous[i].sa_handler(sig);
        }
    }
}

static const struct ls_cpu_warp *
current_warp(const struct ls_runner *r)
{
    if (r->work->kind != LS_WORK_KERNEL)
        return NULL;
    if (!r->work->priv.coop && r->work->kernel.code->kernel->mode != LS_CPU_MODE_FIBER)
        return NULL;
    return r->current < r->n_warps ? r->warps[r->current] : NULL;
}

static void
on_signal(int sig, siginfo_t *info, void *context)
{
    struct ls_runner *r = ls_this_runner;
    const ucontext_t *uc = context;
    const struct ls_cpu_warp *w;

    if (!r || !r->in_kernel || info->si_code <= 0) {
        chain(sig, info, context);
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

static void
install(void)
{
    struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigemptyset(&act.sa_mask);
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], &act, &previous[i]);
}

void
ls_fault_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, install);
}

static hipError_t
describe(const struct ls_fault *fault, char *text, size_t bytes)
{
    switch (fault->kind) {
    case LS_FAULT_ADDRESS:
        if (fault->addr)
            snprintf(text, bytes, "illegal memory access at address 0x%" PRIxPTR,
                     (uintptr_t)fault->addr);
        else
            snprintf(text, bytes, "illegal memory access at a null or non-canonical address");
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
        snprintf(text, bytes, "lanes of one warp wait for each other");
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

    if (!atomic_compare_exchange_strong(&work->priv.err, &expected, hipErrorIllegalAddress))
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
    char what[256], thread[96];
    hipError_t err = describe(&r->fault, what, sizeof(what));
    int expected = 0;

    if (work->kind != LS_WORK_KERNEL)
        return report_move(r, work);
    if (r->fault.kind == LS_FAULT_ABORT || strcmp(ls_env_str(LS_ENV_FAULT), "abort") == 0)
        atomic_store(&end_process, true);
    width = k->code->kernel->warp_size;
    first = ctx->cur_warp * width;
    plane = (uint64_t)k->grid[0] * k->grid[1];
    if (!atomic_compare_exchange_strong(&work->priv.err, &expected, err))
        return err; /* another runner's fault came first: one report is enough */
    if (r->fault.kind == LS_FAULT_ASSERT)
        fprintf(stderr, "%s\n", r->fault.text);
    if (r->fault.lane != ~0u) {
        uint32_t t = first + r->fault.lane;

        snprintf(thread, sizeof(thread), "thread (%u,%u,%u)", t % k->block[0],
                 t / k->block[0] % k->block[1], t / k->block[0] / k->block[1]);
    } else {
        last = first + width < k->n_threads ? first + width - 1 : k->n_threads - 1;
        snprintf(thread, sizeof(thread), "warp %u (threads %u..%u)", ctx->cur_warp, first, last);
    }
    ls_log(LS_LOG_ERROR,
           "kernel %s: %s; block (%u,%u,%u), %s of grid (%u,%u,%u) x block (%u,%u,%u)",
           k->source->display_name, what, (unsigned)(ctx->cur_block % k->grid[0]),
           (unsigned)(ctx->cur_block / k->grid[0] % k->grid[1]), (unsigned)(ctx->cur_block / plane),
           thread, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    return err;
}

void
ls_fault_end_process(void)
{
    if (!atomic_load(&end_process))
        return;
    fflush(stdout); /* what kernels printed */
    abort();
}
