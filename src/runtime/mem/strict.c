/* SPDX-License-Identifier: MIT */
#include "runtime/mem/strict.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/env.h"
#include "runtime/core/core.h"

static const struct ls_device_ops *inner; /* NULL: not strict; written once, by ls_strict_device */
static struct sigaction previous;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_open; /* guarded by lock: works in the devices, and the runtime's own accesses */
/* Guarded by lock: works that ended since all was looked at, and what the last one was. */
static unsigned n_ended;
static char last_work[160];
static uint32_t overrun_devices; /* bits, while all is looked at */

static bool
is_guarded(enum ls_mem_kind kind)
{
    return kind == LS_MEM_DEVICE || kind == LS_MEM_POOL || kind == LS_MEM_VIRTUAL ||
           kind == LS_MEM_SHARED;
}

static void
protect(const struct ls_mem_range *range, bool open)
{
    uintptr_t first = (uintptr_t)range->base / LS_MEM_PAGE * LS_MEM_PAGE;
    uintptr_t end =
        ((uintptr_t)range->base + range->bytes + LS_MEM_PAGE - 1) / LS_MEM_PAGE * LS_MEM_PAGE;
    int prot = !open || range->access == hipMemAccessFlagsProtNone ? PROT_NONE
               : range->access == hipMemAccessFlagsProtRead        ? PROT_READ
                                                                   : PROT_READ | PROT_WRITE;

    if (is_guarded(range->kind))
        mprotect((char *)range->base - ((uintptr_t)range->base - first), end - first, prot);
}

static void
show_range(void *arg, const struct ls_mem_range *range)
{
    (void)arg;
    protect(range, true);
}

static void
hide_range(void *arg, const struct ls_mem_range *range)
{
    (void)arg;
    protect(range, false);
}

void
ls_strict_open(void)
{
    if (!inner)
        return;
    pthread_mutex_lock(&lock);
    if (n_open++ == 0)
        ls_mem_for_each(show_range, NULL);
    pthread_mutex_unlock(&lock);
}

static void
look_at_range(void *arg, const struct ls_mem_range *range)
{
    if (!ls_mem_is_intact(range, arg))
        overrun_devices |= 1u << range->device;
}

/* Who wrote behind the end of memory is among the works since the last look. Lock held, all open.
 */
static void
look_for_overruns(void)
{
    char when[256];
    int none = 0;

    if (n_ended == 0)
        return;
    if (n_ended == 1)
        snprintf(when, sizeof(when), "by %s", last_work);
    else
        snprintf(when, sizeof(when), "by one of %u works, the last of which was %s", n_ended,
                 last_work);
    n_ended = 0;
    overrun_devices = 0;
    ls_mem_for_each(look_at_range, when);
    for (uint32_t left = overrun_devices; left; left &= left - 1, none = 0)
        atomic_compare_exchange_strong(&ls_rt.gpus[__builtin_ctz(left)].dev.sticky, &none,
                                       (int)hipErrorIllegalAddress);
}

void
ls_strict_close(void)
{
    if (!inner)
        return;
    pthread_mutex_lock(&lock);
    if (--n_open == 0) {
        look_for_overruns();
        ls_mem_for_each(hide_range, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void
ls_strict_added(const struct ls_mem_range *range)
{
    if (!inner)
        return;
    pthread_mutex_lock(&lock);
    protect(range, n_open > 0);
    pthread_mutex_unlock(&lock);
}

void
ls_strict_removed(const struct ls_mem_range *range)
{
    struct ls_mem_range all = *range;

    if (!inner || range->kind == LS_MEM_VIRTUAL) /* that one is unmapped already */
        return;
    all.access = hipMemAccessFlagsProtReadWrite;
    pthread_mutex_lock(&lock);
    protect(&all, true);
    pthread_mutex_unlock(&lock);
}

/* ---- The host's fault ---- */

static void
on_segv(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    struct ls_mem_range range;
    char text[512];

    if (info->si_code > 0 && ls_mem_find(info->si_addr, &range) && is_guarded(range.kind)) {
        bool writes = uc->uc_mcontext.gregs[REG_ERR] & 2;
        int n = snprintf(
            text, sizeof(text),
            "lockstep: the host %s address %p: byte %zu of %zu bytes of %s at %p. On a GPU this "
            "faults: use "
            "hipMemcpy, or memory of hipHostMalloc or hipMallocManaged (LOCKSTEP_STRICT)\n",
            writes ? "writes to" : "reads from", info->si_addr,
            (size_t)((char *)info->si_addr - range.base), range.bytes, ls_mem_kind_name(range.kind),
            (void *)range.base);
        if (write(STDERR_FILENO, text, (size_t)n) < 0)
            _exit(128 + SIGSEGV);
    }
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(sig, info, context);
    } else if (previous.sa_handler == SIG_DFL) {
        sigaction(sig, &previous, NULL); /* the instruction faults again and ends the process */
        if (info->si_code <= 0)
            raise(sig);
    } else if (previous.sa_handler != SIG_IGN) {
        previous.sa_handler(sig);
    }
}

/* ---- A device around the device ---- */

static void
note_end(const struct ls_work *work)
{
    pthread_mutex_lock(&lock);
    n_ended++;
    switch ((int)work->kind) {
    case LS_WORK_KERNEL:
        snprintf(last_work, sizeof(last_work), "kernel %s", work->kernel.source->display_name);
        break;
    case LS_WORK_COPY:
        snprintf(last_work, sizeof(last_work), "a copy to %p", (void *)work->copy.dst);
        break;
    case LS_WORK_FILL:
        snprintf(last_work, sizeof(last_work), "a fill of %p", (void *)work->fill.dst);
        break;
    case LS_WORK_GRAPH:
        snprintf(last_work, sizeof(last_work), "a graph");
        break;
    default:
        snprintf(last_work, sizeof(last_work), "a host function");
        break;
    }
    pthread_mutex_unlock(&lock);
}

static void
strict_done(struct ls_work *work, hipError_t err)
{
    void (*done)(struct ls_work *, hipError_t) = work->strict_done;

    note_end(work);
    ls_strict_close();
    work->done = done;
    done(work, err);
}

static void
submit(struct ls_device *dev, struct ls_work *work)
{
    ls_strict_open();
    work->strict_done = work->done;
    work->done = strict_done;
    inner->queue.submit(dev, work);
}

void
ls_strict_device(struct ls_device *dev)
{
    static struct ls_device_ops ops;

    if (!ls_env_bool(LS_ENV_STRICT))
        return;
    if (!inner) {
        struct sigaction act = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};

        sigemptyset(&act.sa_mask);
        sigaction(SIGSEGV, &act,
                  &previous); /* before the device's own handler, which passes on what is not its */
        ops = *dev->ops;
        ops.queue.submit = submit;
        ops.queue.copy_here = NULL;
        inner = dev->ops;
    }
    dev->ops = &ops;
}
