/* SPDX-License-Identifier: MIT */
#include "runtime/mem/strict.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/env.h"
#include "base/signal.h"
#include "check/check.h"
#include "device/common/wrap.h"
#include "runtime/core/core.h"

static bool on; /* written before the first device is opened */
static struct sigaction previous;
static pthread_mutex_t lock =
    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* what is looked at is read by the device */
static unsigned n_open; /* guarded by lock: works in the devices, and their own accesses */
/* Guarded by lock: works that ended since all was looked at, and what the last one was. */
static unsigned n_ended;
static char last_work[160];
static uint32_t overrun_devices; /* bits, while all is looked at */

static bool
is_guarded(const struct ls_mem_range *range)
{
    return range->kind != LS_MEM_NONE && range->memory == LS_MEMORY_DEVICE;
}

static void
protect(const struct ls_mem_range *range, bool open)
{
    uintptr_t first = (uintptr_t)range->base / LS_MEM_PAGE * LS_MEM_PAGE;
    uintptr_t end =
        ((uintptr_t)range->base + range->bytes + LS_MEM_PAGE - 1) / LS_MEM_PAGE * LS_MEM_PAGE;
    struct ls_device *dev = &ls_rt.gpus[range->device].dev;

    if (is_guarded(range) && dev->ops->mem.expose)
        dev->ops->mem.expose(dev, (char *)range->base - ((uintptr_t)range->base - first),
                             end - first,
                             open ? (hipMemAccessFlags)range->access : hipMemAccessFlagsProtNone);
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

/* Device memory is about to be touched, and has been. They nest, and count for all threads. */

static void
open_all(void)
{
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

/* Who wrote behind the end of memory is among the works since the last look. Lock held, all
 * open. */
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

static void
close_all(void)
{
    pthread_mutex_lock(&lock);
    if (n_open == 1)
        look_for_overruns();
    if (--n_open == 0)
        ls_mem_for_each(hide_range, NULL);
    pthread_mutex_unlock(&lock);
}

void
ls_strict_changed(const void *base)
{
    struct ls_mem_range range;

    if (!on)
        return;
    pthread_mutex_lock(&lock);
    /* Another thread may have freed it since: it is not in the map then, or another is. Who takes
     * it from here on waits for the lock, and opens it behind this. */
    if (ls_mem_find(base, &range))
        protect(&range, n_open > 0);
    pthread_mutex_unlock(&lock);
}

void
ls_strict_removed(const struct ls_mem_range *range)
{
    struct ls_mem_range all = *range;

    if (!on || range->kind == LS_MEM_VIRTUAL) /* that one is unmapped already */
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

    if (info->si_code > 0 && ls_mem_find(info->si_addr, &range) && is_guarded(&range)) {
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
    ls_signal_pass_on(&previous, sig, info, context);
}

/* ---- A device around the device ---- */

static void
note_end(const struct ls_work *work)
{
    char kernel[sizeof(last_work) - sizeof("kernel ")];

    pthread_mutex_lock(&lock);
    n_ended++;
    switch ((int)work->kind) {
    case LS_WORK_KERNEL:
        ls_check_name(work->kernel.source->display_name, kernel, sizeof(kernel));
        snprintf(last_work, sizeof(last_work), "kernel %s", kernel);
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
    close_all();
    work->done = done;
    done(work, err);
}

static void
submit(struct ls_device *dev, struct ls_work *work)
{
    open_all();
    work->strict_done = work->done;
    work->done = strict_done;
    ls_wrap_inner(dev, LS_WRAP_STRICT)->queue.submit(dev, work);
}

/* Memory that is not known yet, or no longer, is open. */
static bool
is_hidden(const void *ptr)
{
    struct ls_mem_range range;

    return ls_mem_find(ptr, &range) && is_guarded(&range);
}

static void
strict_read(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    bool hidden = is_hidden(src);

    if (hidden)
        open_all();
    ls_wrap_inner(dev, LS_WRAP_STRICT)->mem.read(dev, dst, src, bytes);
    if (hidden)
        close_all();
}

static void
strict_write(struct ls_device *dev, void *dst, const void *src, size_t bytes)
{
    bool hidden = is_hidden(dst);

    if (hidden)
        open_all();
    ls_wrap_inner(dev, LS_WRAP_STRICT)->mem.write(dev, dst, src, bytes);
    if (hidden)
        close_all();
}

static void
strict_zero(struct ls_device *dev, void *ptr, size_t bytes)
{
    bool hidden = is_hidden(ptr);

    if (hidden)
        open_all();
    ls_wrap_inner(dev, LS_WRAP_STRICT)->mem.zero(dev, ptr, bytes);
    if (hidden)
        close_all();
}

static hipError_t
strict_share(struct ls_device *dev, void *ptr, size_t bytes, const char *name, int *fd)
{
    hipError_t err;

    open_all();
    err = ls_wrap_inner(dev, LS_WRAP_STRICT)->mem.share(dev, ptr, bytes, name, fd);
    close_all();
    return err;
}

void
ls_strict_device(struct ls_device *dev)
{
    struct ls_device_ops *ops;

    if (!ls_env_bool(LS_ENV_STRICT))
        return;
    if (!on) {
        struct sigaction act = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO | SA_ONSTACK};

        sigemptyset(&act.sa_mask);
        sigaction(SIGSEGV, &act,
                  &previous); /* before the device's own handler, which passes on what is not its */
        on = true;
    }
    ops = ls_wrap(dev, LS_WRAP_STRICT);
    ops->queue.submit = submit;
    ops->queue.join = NULL;
    ops->queue.copy_here = NULL;
    ops->mem.read = strict_read;
    ops->mem.write = strict_write;
    ops->mem.zero = strict_zero;
    ops->mem.share = strict_share;
}
