/* SPDX-License-Identifier: MIT */
/* A device around the device: writes down what is asked of it, and when its work began and
 * ended. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/env.h"
#include "device/common/wrap.h"
#include "runtime/trace/trace_priv.h"

#define LOG(level, mask, ...)                                                                      \
    do {                                                                                           \
        if (ls_trace_logs(level, mask))                                                            \
            ls_trace_log(level, mask, __FILE__, __LINE__, __VA_ARGS__);                            \
    } while (0)

static atomic_uint n_queued; /* number of commands that the device has and that have not ended */

static const char *
name_of(const struct ls_work *work, char *buf, size_t bytes)
{
    switch (work->kind) {
    case LS_WORK_KERNEL:
        return work->kernel.source->display_name;
    case LS_WORK_COPY:
        snprintf(buf, bytes, "copy %zu bytes",
                 work->copy.row_bytes * work->copy.height * work->copy.depth);
        return buf;
    case LS_WORK_FILL:
        snprintf(buf, bytes, "fill %zu bytes",
                 work->fill.row_bytes * work->fill.height * work->fill.depth);
        return buf;
    case LS_WORK_HOST:
        return "host function";
    case LS_WORK_GRAPH:
        return "graph";
    case LS_WORK_CALL:
    case LS_WORK_NONE:
    default:
        return "command";
    }
}

/* Members for the trace file, each with a comma behind it. */
static void
describe(const struct ls_work *work, char *buf, size_t bytes)
{
    const struct ls_work_kernel *k = &work->kernel;

    buf[0] = 0;
    if (work->kind == LS_WORK_KERNEL)
        snprintf(buf, bytes, "\"grid\":\"%u,%u,%u\",\"block\":\"%u,%u,%u\",\"dynamic LDS\":%u,",
                 k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
                 k->dyn_lds_bytes);
    else if (work->kind == LS_WORK_COPY)
        snprintf(buf, bytes, "\"to\":\"%p\",\"from\":\"%p\",", (void *)work->copy.dst,
                 (const void *)work->copy.src);
    else if (work->kind == LS_WORK_FILL)
        snprintf(buf, bytes, "\"to\":\"%p\",\"value\":%u,", (void *)work->fill.dst,
                 work->fill.value);
}

/* Logs a dispatch with the sizes that AMD's packets have, and in a second line its raw words. */
static void
log_dispatch(const struct ls_work_kernel *k)
{
    const uint32_t words[] = {k->grid[0],  k->grid[1],   k->grid[2],       k->block[0],
                              k->block[1], k->block[2], k->dyn_lds_bytes, k->source->lds_bytes};
    char text[9 * sizeof(words) / sizeof(words[0]) + 1];

    LOG(LS_TRACE_DEBUG, LS_TRACE_AQL,
        "dispatch %s: grid_size {%llu,%llu,%llu} workgroup_size {%u,%u,%u} group_segment_size %u "
        "kernarg_address %p%s",
        k->source->name, (unsigned long long)k->grid[0] * k->block[0],
        (unsigned long long)k->grid[1] * k->block[1], (unsigned long long)k->grid[2] * k->block[2],
        k->block[0], k->block[1], k->block[2], k->source->lds_bytes + k->dyn_lds_bytes, k->kernarg,
        k->cooperative ? " cooperative" : "");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        snprintf(text + 9 * i, 10, "%08x ", words[i]);
    LOG(LS_TRACE_DEBUG, LS_TRACE_AQL2, "dispatch %s: words %s", k->source->name, text);
}

static void
log_boxes(const struct ls_work *work)
{
    if (work->kind == LS_WORK_COPY)
        LOG(LS_TRACE_DEBUG, LS_TRACE_COPY2,
            "copy of %zu slices of %zu rows of %zu bytes: from %p, pitch %zu, slice %zu; to %p, "
            "pitch %zu, slice %zu",
            work->copy.depth, work->copy.height, work->copy.row_bytes, (const void *)work->copy.src,
            work->copy.src_pitch, work->copy.src_slice, (void *)work->copy.dst,
            work->copy.dst_pitch, work->copy.dst_slice);
    else
        LOG(LS_TRACE_DEBUG, LS_TRACE_COPY2,
            "fill of %zu slices of %zu rows of %zu bytes at %p, pitch %zu, with %#x of %u bytes",
            work->fill.depth, work->fill.height, work->fill.row_bytes, (void *)work->fill.dst,
            work->fill.pitch, work->fill.value, work->fill.element_bytes);
}

static void
traced_done(struct ls_work *work, hipError_t err)
{
    void (*done)(struct ls_work *, hipError_t) = work->trace.done;
    unsigned left = atomic_fetch_sub(&n_queued, 1) - 1;

    if (ls_trace_settings.json) {
        uint64_t now = ls_now_ns(), start = work->trace.start_ns;
        char text[64], args[256];

        describe(work, args, sizeof(args));
        if (start < work->trace.submit_ns || start > now)
            start = work->trace.submit_ns;
        ls_json_work(name_of(work, text, sizeof(text)), work->stream, work->trace.submit_ns,
                     start, now, args);
    }
    LOG(LS_TRACE_DEBUG, LS_TRACE_CMD, "stream %llu: command %p ended: %d",
        (unsigned long long)work->stream, (void *)work, (int)err);
    LOG(LS_TRACE_DEBUG, LS_TRACE_CMD2,
        "stream %llu: command %p, kind %d, ended %llu ns after it was submitted",
        (unsigned long long)work->stream, (void *)work, (int)work->kind,
        (unsigned long long)(ls_now_ns() - work->trace.submit_ns));
    LOG(LS_TRACE_DEBUG, LS_TRACE_QUEUE, "stream %llu: command %p leaves the queue, %u left",
        (unsigned long long)work->stream, (void *)work, left);
    LOG(LS_TRACE_DEBUG, LS_TRACE_SIG, "command %p signals its end to who waits for it",
        (void *)work);
    work->done = done;
    done(work, err);
}

static void
submit(struct ls_device *dev, struct ls_work *work)
{
    unsigned queued = atomic_fetch_add(&n_queued, 1) + 1;
    char text[64];

    if (work->kind == LS_WORK_KERNEL)
        LOG(LS_TRACE_INFO, LS_TRACE_KERN, "ShaderName : %s", work->kernel.source->display_name);
    else if (work->kind == LS_WORK_COPY)
        LOG(LS_TRACE_DEBUG, LS_TRACE_COPY, "copy %p to %p", (const void *)work->copy.src,
            (void *)work->copy.dst);
    if (work->kind == LS_WORK_KERNEL)
        log_dispatch(&work->kernel);
    else if (work->kind == LS_WORK_COPY || work->kind == LS_WORK_FILL)
        log_boxes(work);
    LOG(LS_TRACE_DEBUG, LS_TRACE_QUEUE, "stream %llu: command %p enters the queue, %u are in it",
        (unsigned long long)work->stream, (void *)work, queued);
    LOG(LS_TRACE_DEBUG, LS_TRACE_CMD, "stream %llu: command %p: %s",
        (unsigned long long)work->stream, (void *)work, name_of(work, text, sizeof(text)));
    work->trace.done = work->done;
    work->trace.submit_ns = ls_now_ns();
    work->trace.start_ns = 0;
    work->done = traced_done;
    ls_wrap_inner(dev, LS_WRAP_TRACE)->queue.submit(dev, work);
}

static void
wait(struct ls_device *dev, bool (*done)(void *arg), void *arg)
{
    LOG(LS_TRACE_DEBUG, LS_TRACE_WAIT, "waiting");
    ls_wrap_inner(dev, LS_WRAP_TRACE)->queue.wait(dev, done, arg);
    LOG(LS_TRACE_DEBUG, LS_TRACE_WAIT, "waiting has ended");
}

static hipError_t
alloc(struct ls_device *dev, enum ls_memory memory, size_t bytes, size_t align, void **ptr)
{
    hipError_t err = ls_wrap_inner(dev, LS_WRAP_TRACE)->mem.alloc(dev, memory, bytes, align, ptr);

    LOG(LS_TRACE_DEBUG, LS_TRACE_RESOURCE, "device memory %p, %zu bytes: %d",
        err == hipSuccess ? *ptr : NULL, bytes, (int)err);
    return err;
}

static void
free_memory(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes)
{
    LOG(LS_TRACE_DEBUG, LS_TRACE_RESOURCE, "device memory %p, %zu bytes: freed", ptr, bytes);
    ls_wrap_inner(dev, LS_WRAP_TRACE)->mem.free(dev, memory, ptr, bytes);
}

static hipError_t
get_code(struct ls_device *dev, struct ls_kernel_source *source, const uint32_t block[3],
         uint64_t distinct, struct ls_code **code)
{
    hipError_t err =
        ls_wrap_inner(dev, LS_WRAP_TRACE)->module.get_code(dev, source, block, distinct, code);

    LOG(LS_TRACE_DEBUG, LS_TRACE_CODE, "code of %s for blocks of {%u,%u,%u}: %p",
        source->display_name, block[0], block[1], block[2],
        err == hipSuccess ? (void *)*code : NULL);
    return err;
}

static hipError_t
open_device(struct ls_device *dev)
{
    hipError_t err = ls_wrap_inner(dev, LS_WRAP_TRACE)->open(dev);

    LOG(LS_TRACE_INFO, LS_TRACE_INIT, "Initializing the %s device: %d", dev->ops->name, (int)err);
    LOG(LS_TRACE_DEBUG, LS_TRACE_MISC,
        "LOCKSTEP_ISA=%s LOCKSTEP_THREADS=%s LOCKSTEP_OPT=%s LOCKSTEP_CACHE=%s",
        ls_env_str(LS_ENV_ISA), ls_env_str(LS_ENV_THREADS), ls_env_str(LS_ENV_OPT),
        ls_env_str(LS_ENV_CACHE));
    return err;
}

void
ls_trace_device(struct ls_device *dev)
{
    struct ls_device_ops *ops;

    ls_trace_init();
    if (!ls_trace_settings.any)
        return;
    ops = ls_wrap(dev, LS_WRAP_TRACE);
    ops->open = open_device;
    ops->mem.alloc = alloc;
    ops->mem.free = free_memory;
    ops->queue.submit = submit;
    ops->queue.wait = wait;
    ops->queue.join = NULL;
    ops->queue.copy_here = NULL; /* without it all copies come through submit */
    ops->module.get_code = get_code;
    dev->timed = ls_trace_settings.json;
}
