/* SPDX-License-Identifier: MIT */
/* Opens the devices and wires the rooms; the end of threads and of the process. */
#include "runtime/entry/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "check/check.h"
#include "runtime/entry/gate.h"
#include "runtime/graph/stream.h"
#include "runtime/mem/checked.h"
#include "runtime/mem/mem.h"
#include "runtime/mem/pool.h"
#include "runtime/mem/strict.h"
#include "runtime/module/module.h"
#include "runtime/queue/queue.h"
#include "runtime/trace/trace.h"

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool started;
static hipError_t start_error; /* guarded by start_lock, until `started` */
static pthread_key_t thread_key;
static bool thread_key_made; /* guarded by start_lock */

static void
thread_ends(void *arg)
{
    struct ls_thread *t = arg;

    ls_gate_forget(t);
    t->ended = true;
    for (int i = 0; t->streams && i < ls_rt.n_devices; i++)
        ls_stream_close(t->streams[i]);
    free(t->streams);
    t->streams = NULL;
    free(t->args);
    t->args = NULL;
    ls_queue_take_back(t->spare_cmds);
    t->spare_cmds = NULL;
}

struct ls_thread *
ls_thread_enter(void)
{
    struct ls_thread *t = ls_thread_get();

    if (!t->known && !t->ended && ls_start() == hipSuccess) {
        pthread_setspecific(thread_key, t);
        ls_gate_add(t);
    }
    return t;
}

static const struct ls_device_ops *const kinds[LS_DEVICE_KINDS] = {
#define LS_DEVICE_KIND(name) &ls_device_##name,
#include "device/kinds.def"
#undef LS_DEVICE_KIND
};

/* A device of a kind. */
struct place {
    const struct ls_device_ops *ops;
    uint32_t part, n_parts;
};

/* Adds the devices of a kind, as far as there is room. */
static unsigned
add_devices(struct place *all, unsigned n, const struct ls_device_ops *kind)
{
    uint32_t count = kind->count();

    for (uint32_t i = 0; i < n; i++)
        if (all[i].ops == kind)
            return n; /* named twice */
    for (uint32_t i = 0; i < count && n < LS_MAX_DEVICES; i++)
        all[n++] = (struct place){kind, i, count};
    return n;
}

static const struct ls_device_ops *
find_kind(const char *name, size_t bytes)
{
    for (int k = 0; k < LS_DEVICE_KINDS; k++)
        if (strlen(kinds[k]->name) == bytes && memcmp(kinds[k]->name, name, bytes) == 0)
            return kinds[k];
    return NULL;
}

/* Without LOCKSTEP_DEVICES device 0 is what programs use that do not choose: first come the kinds
 * that run nothing but the code of this program's warp size, if that is theirs and they can have
 * code; then those that run any. */
static int
turn_of(const struct ls_device_ops *kind, uint32_t warp_size)
{
    if (kind->warp_size == 0)
        return 1;
    if (kind->warp_size != warp_size)
        return 2;
    return kind->has_code && !kind->has_code(ls_module_aot(ls_rt.arch)) ? 2 : 0;
}

static unsigned
find_devices(struct place *all, uint32_t warp_size)
{
    const char *names = ls_env_str(LS_ENV_DEVICES);
    unsigned n = 0;

    while (*names) {
        size_t bytes = strcspn(names, ",");
        const struct ls_device_ops *kind = find_kind(names, bytes);

        if (kind)
            n = add_devices(all, n, kind);
        else
            ls_log(LS_LOG_ERROR, "LOCKSTEP_DEVICES: there is no kind of device named %.*s",
                   (int)bytes, names);
        names += bytes + (names[bytes] != 0);
    }
    if (*ls_env_str(LS_ENV_DEVICES))
        return n;
    for (int turn = 0; turn < 3; turn++)
        for (int k = 0; k < LS_DEVICE_KINDS; k++)
            if (turn == turn_of(kinds[k], warp_size))
                n = add_devices(all, n, kinds[k]);
    return n;
}

static bool
has_kind(const struct place *all, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++)
        if (!strcmp(all[i].ops->name, name))
            return true;
    return false;
}

static void
note_kinds(void)
{
    for (int i = 0; i < ls_rt.n_devices; i++) {
        struct ls_device *dev = &ls_rt.gpus[i].dev;
        uint32_t k = 0;

        while (k < ls_rt.n_kinds && ls_rt.kinds[k]->ops->name != dev->ops->name)
            k++;
        if (k == ls_rt.n_kinds)
            ls_rt.kinds[ls_rt.n_kinds++] = dev;
    }
}

static hipError_t
open_gpu(struct ls_gpu *gpu, uint32_t index, const struct place *at)
{
    hipError_t err;

    gpu->dev = (struct ls_device){.ops = at->ops,
                                  .index = index,
                                  .part = at->part,
                                  .n_parts = at->n_parts,
                                  .explain = ls_mem_explain};
    ls_strict_device(&gpu->dev);
    ls_hold_start();
    ls_trace_device(&gpu->dev);
    LS_TRY(gpu->dev.ops->open(&gpu->dev));
    gpu->dev.ops->get_info(&gpu->dev, &gpu->info);
    gpu->is_any_arch = !gpu->info.arch[0];
    ls_fill_properties(&ls_rt, gpu);
    ls_log(LS_LOG_INFO, "device %u: %s as %s, %u units", index, gpu->info.name, gpu->info.arch,
           gpu->info.n_units);
out:
    return err;
}

enum { LAST_WORK_SECONDS = 10 };

static void
process_ends(void)
{
    /* Checkers look at what the program has not waited for, too, if that comes to an end. */
    for (int i = 0; i < ls_rt.n_devices && ls_checks() && !atomic_load(&ls_rt.leaving); i++)
        ls_queue_ends(&ls_rt.gpus[i].dev, LAST_WORK_SECONDS * 1000000000ull);
    atomic_store(&ls_rt.leaving, true);
    ls_checked_end();
}

/* In a forked child: only the calling thread exists there, and locks are as other threads left
 * them. */
static void
forked(void)
{
    atomic_store(&ls_rt.leaving, true);
    start_error = hipErrorNotInitialized;
    ls_gate_forked();
    atomic_fetch_or(&ls_trace_on, LS_TRACE_STOPPED);
}

static void
start(void)
{
    static bool hooked;
    const char *arch = ls_env_str(LS_ENV_ARCH);
    struct place all[LS_MAX_DEVICES];
    uint8_t parts[LS_MAX_DEVICES];
    unsigned n;

    if (!hooked)
        hooked = atexit(process_ends) == 0 && pthread_atfork(NULL, NULL, forked) == 0;
    if (!thread_key_made)
        thread_key_made = pthread_key_create(&thread_key, thread_ends) == 0;
    if (*arch && ls_arch_warp_size(arch))
        snprintf(ls_rt.arch, sizeof(ls_rt.arch), "%s", arch);
    else
        ls_rt.arch_was_open = !ls_module_choose_arch(ls_rt.arch, sizeof(ls_rt.arch));
    atomic_store(&ls_rt.arch_is_open, ls_rt.arch_was_open);
    if (*arch && !ls_arch_warp_size(arch))
        ls_log(LS_LOG_ERROR, "LOCKSTEP_ARCH=%s is no architecture; %s is used", arch, ls_rt.arch);
    ls_rt.warp_size = ls_module_warp_size(ls_rt.arch);
    if (!ls_rt.warp_size)
        ls_rt.warp_size = ls_arch_warp_size(ls_rt.arch);
    ls_checked_start();
    n = find_devices(all, ls_rt.warp_size);
    n = ls_visible_devices(n, has_kind(all, n, "cuda"), parts);
    if (n == 0) {
        start_error = hipErrorNoDevice;
        return;
    }
    for (unsigned i = 0; i < n && start_error == hipSuccess; i++)
        if (!ls_rt.gpus[i].dev.priv)
            start_error = open_gpu(&ls_rt.gpus[i], i, &all[parts[i]]);
    if (start_error != hipSuccess)
        return;
    ls_rt.n_devices = (int)n;
    note_kinds();
    ls_queue_start();
    ls_pool_start();
}

bool
ls_is_started(void)
{
    return atomic_load_explicit(&started,
                                memory_order_acquire); /* acquire: what start() wrote is visible */
}

/* A start that failed for want of memory is tried again. */
hipError_t
ls_start(void)
{
    if (!atomic_load_explicit(&started, memory_order_acquire)) { /* with all that start() wrote */
        pthread_mutex_lock(&start_lock);
        if (!atomic_load(&started)) {
            start_error = hipSuccess;
            start();
            atomic_store(&started, start_error != hipErrorOutOfMemory);
            if (start_error == hipSuccess)
                atomic_fetch_and(&ls_trace_on, (unsigned char)~LS_TRACE_STOPPED);
        }
        pthread_mutex_unlock(&start_lock);
    }
    return start_error;
}
