/* SPDX-License-Identifier: MIT */
/* A device around the device: writes down what is asked of it, and when its work began and ended.
 */
#include <stdio.h>
#include <string.h>

#include "runtime/trace/trace_priv.h"

#define LOG(level, mask, ...)                                                                      \
    do {                                                                                           \
        if (ls_trace_logs(level, mask))                                                            \
            ls_trace_log(level, mask, __FILE__, __LINE__, __VA_ARGS__);                            \
    } while (0)

static const struct ls_device_ops *inner; /* written once, by ls_trace_device */

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

static void
traced_done(struct ls_work *work, hipError_t err)
{
    void (*done)(struct ls_work *, hipError_t) = work->trace.done;

    if (ls_trace_settings.json) {
        uint64_t now = ls_trace_now_ns(), start = work->priv.start_ns;
        char text[64], args[256];

        describe(work, args, sizeof(args));
        if (start < work->trace.submit_ns || start > now)
            start = work->trace.submit_ns;
        ls_json_work(name_of(work, text, sizeof(text)), work->trace.stream, work->trace.submit_ns,
                     start, now, args);
    }
    LOG(LS_TRACE_DEBUG, LS_TRACE_CMD, "stream %llu: command %p ended: %d",
        (unsigned long long)work->trace.stream, (void *)work, (int)err);
    work->done = done;
    done(work, err);
}

static void
submit(struct ls_device *dev, struct ls_work *work)
{
    char text[64];

    if (work->kind == LS_WORK_KERNEL)
        LOG(LS_TRACE_INFO, LS_TRACE_KERN, "ShaderName : %s", work->kernel.source->display_name);
    else if (work->kind == LS_WORK_COPY)
        LOG(LS_TRACE_DEBUG, LS_TRACE_COPY, "copy %p to %p", (const void *)work->copy.src,
            (void *)work->copy.dst);
    LOG(LS_TRACE_DEBUG, LS_TRACE_CMD, "stream %llu: command %p: %s",
        (unsigned long long)work->trace.stream, (void *)work, name_of(work, text, sizeof(text)));
    work->trace.done = work->done;
    work->trace.submit_ns = ls_trace_now_ns();
    work->priv.start_ns = 0;
    work->done = traced_done;
    inner->queue.submit(dev, work);
}

static void
wait(struct ls_device *dev, bool (*done)(void *arg), void *arg)
{
    LOG(LS_TRACE_DEBUG, LS_TRACE_WAIT, "waiting");
    inner->queue.wait(dev, done, arg);
    LOG(LS_TRACE_DEBUG, LS_TRACE_WAIT, "waiting has ended");
}

static hipError_t
alloc(struct ls_device *dev, size_t bytes, size_t align, void **ptr)
{
    hipError_t err = inner->mem.alloc(dev, bytes, align, ptr);

    LOG(LS_TRACE_DEBUG, LS_TRACE_RESOURCE, "device memory %p, %zu bytes: %d",
        err == hipSuccess ? *ptr : NULL, bytes, (int)err);
    return err;
}

static void
free_memory(struct ls_device *dev, void *ptr, size_t bytes)
{
    LOG(LS_TRACE_DEBUG, LS_TRACE_RESOURCE, "device memory %p, %zu bytes: freed", ptr, bytes);
    inner->mem.free(dev, ptr, bytes);
}

static hipError_t
get_code(struct ls_device *dev, struct ls_kernel_source *source, const uint32_t block[3],
         struct ls_code **code)
{
    hipError_t err = inner->module.get_code(dev, source, block, code);

    LOG(LS_TRACE_DEBUG, LS_TRACE_CODE, "code of %s for blocks of {%u,%u,%u}: %p",
        source->display_name, block[0], block[1], block[2],
        err == hipSuccess ? (void *)*code : NULL);
    return err;
}

static hipError_t
open_device(struct ls_device *dev)
{
    hipError_t err = inner->open(dev);

    LOG(LS_TRACE_INFO, LS_TRACE_INIT, "Initializing the %s device: %d", inner->name, (int)err);
    return err;
}

void
ls_trace_device(struct ls_device *dev)
{
    static struct ls_device_ops ops;

    ls_trace_init();
    if (!ls_trace_settings.any)
        return;
    inner = dev->ops;
    ops = *inner;
    ops.open = open_device;
    ops.mem.alloc = alloc;
    ops.mem.free = free_memory;
    ops.queue.submit = submit;
    ops.queue.wait = wait;
    ops.queue.copy_here = NULL; /* to see all copies */
    ops.module.get_code = get_code;
    dev->ops = &ops;
    dev->timed = ls_trace_settings.json;
}
