/* SPDX-License-Identifier: MIT */
/* Streams, and what they wait for. */
#include <stdlib.h>
#include <string.h>

#include "runtime/queue/queue_priv.h"

static uint64_t next_stream_id = 1; /* guarded by the queue lock */

void
ls_queue_start(void)
{
    pthread_mutex_lock(&ls_queue.lock);
    for (int i = 0; i < ls_rt.n_devices; i++) {
        struct ls_device *dev = &ls_rt.gpus[i].dev;

        ls_queue.null[i] = (struct ihipStream_t){.magic = LS_STREAM_MAGIC,
                                                 .is_null = true,
                                                 .id = (uint64_t)i << 32,
                                                 .sync_policy = hipSyncPolicyAuto,
                                                 .dev = dev,
                                                 .null = &ls_queue.null[i]};
        ls_queue.hidden[i] = (struct ihipStream_t){.magic = LS_STREAM_MAGIC,
                                                   .flags = hipStreamNonBlocking,
                                                   .dev = dev,
                                                   .null = &ls_queue.null[i]};
        ls_queue_list_stream(&ls_queue.null[i]);
        ls_queue_serve(dev);
    }
    pthread_mutex_unlock(&ls_queue.lock);
}

hipError_t
ls_stream_create(unsigned flags, int priority, struct ihipStream_t **out)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    struct ihipStream_t *s;

    pthread_mutex_lock(&ls_queue.lock);
    s = ls_queue_get_stream();
    if (s) {
        s->flags = flags;
        atomic_store(&s->sync_policy, hipSyncPolicyAuto);
        s->priority = priority < -1 ? -1 : priority > 1 ? 1 : priority;
        s->is_null = s->destroyed = s->of_thread = false;
        s->trunk = NULL;
        s->dev = dev;
        s->null = &ls_queue.null[dev->index];
        s->n_cu_words = 0;
        memset(s->waited, 0, sizeof(s->waited));
        s->head = s->tail = NULL;
        atomic_store(&s->capture, NULL);
        s->n_enqueued = atomic_load(
            &s->n_done); /* the count goes on from that of the stream that was here before, or a
                            thread that still waits for that would wait anew */
        s->id = next_stream_id++;
        s->magic = LS_STREAM_MAGIC;
    }
    pthread_mutex_unlock(&ls_queue.lock);
    *out = s;
    ls_check_stream_made();
    return s ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t
ls_stream_destroy(struct ihipStream_t *s)
{
    bool alive;

    pthread_mutex_lock(&ls_queue.lock);
    alive = ls_queue_is_alive(s);
    if (alive) {
        s->magic = 0;
        s->destroyed = true;
        if (!s->head)
            ls_queue_put_stream(s);
    }
    pthread_mutex_unlock(&ls_queue.lock);
    return alive ? hipSuccess : ls_err(hipErrorContextIsDestroyed, "another thread was first");
}

void
ls_queue_reset(const struct ls_device *dev)
{
    struct ihipStream_t *next;

    pthread_mutex_lock(&ls_queue.lock);
    for (struct ihipStream_t *s = ls_queue.streams; s; s = next) {
        next = s->next;
        if (s->dev != dev || s->is_null || s->of_thread || s->head)
            continue;
        s->magic = 0;
        ls_queue_put_stream(s);
    }
    pthread_mutex_unlock(&ls_queue.lock);
}

static hipError_t
thread_stream(struct ls_thread *t, struct ihipStream_t **out)
{
    hipError_t err = hipSuccess;

    if (!t->streams)
        t->streams = calloc((size_t)ls_rt.n_devices, sizeof(struct ihipStream_t *));
    if (!t->streams)
        return hipErrorOutOfMemory;
    *out = t->streams[t->device];
    if (!*out)
        err = ls_stream_create(hipStreamDefault, 0, out);
    if (*out)
        (*out)->of_thread = true;
    t->streams[t->device] = *out;
    return err;
}

hipError_t
ls_stream_resolve(hipStream_t handle, struct ihipStream_t **out)
{
    if (handle == NULL || handle == hipStreamLegacy) {
        *out = &ls_queue.null[ls_gpu_current()->dev.index];
        return hipSuccess;
    }
    if (handle == hipStreamPerThread)
        return thread_stream(ls_thread_get(), out);
    if (!ls_slab_holds(&ls_queue.stream_pool, handle) || handle->magic != LS_STREAM_MAGIC)
        return ls_err(hipErrorContextIsDestroyed, "%p is no stream", (void *)handle);
    *out = handle;
    return hipSuccess;
}

struct shared_target {
    const struct ls_shared_event *shared;
    uint64_t value;
};

static bool
is_shared_reached(void *data)
{
    const struct shared_target *t = data;

    return atomic_load(&t->shared->n_done) >= t->value;
}

/* What other processes record can only be looked for. */
hipError_t
ls_stream_wait_shared(struct ihipStream_t *s, struct ihipEvent_t *event, struct ls_cmd **out)
{
    struct ls_cmd *cmd = ls_cmd_create(s, LS_CMD_POLL);
    struct shared_target target;
    bool alive;

    *out = NULL;
    if (!cmd)
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&ls_queue.lock);
    /* When another thread has destroyed it, an event of the other kind may be in its place. */
    target.shared = event->shared;
    alive = target.shared && ls_queue_event_is_alive(event);
    if (alive) {
        target.value = atomic_load(&target.shared->n_recorded);
        event->n_pending++; /* keeps the event until the wait is over */
    }
    pthread_mutex_unlock(&ls_queue.lock);
    if (!alive) {
        ls_cmd_cancel(cmd);
        return hipErrorContextIsDestroyed;
    }
    cmd->event = event; /* nothing is recorded */
    cmd->event_generation = 0;
    if (is_shared_reached(&target)) {
        ls_cmd_cancel(cmd);
        return hipSuccess;
    }
    memcpy(cmd->bytes, &target, sizeof(target));
    cmd->call = is_shared_reached;
    *out = cmd;
    return hipSuccess;
}

hipError_t
ls_stream_wait_event(struct ihipStream_t *s, struct ihipEvent_t *event)
{
    struct ls_cmd *cmd = ls_cmd_create(s, LS_CMD_MARK);
    hipError_t err = hipSuccess;
    bool ended = false;

    if (!cmd)
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&ls_queue.lock);
    if (!ls_queue_event_is_alive(event) || !ls_queue_is_alive(s))
        err = hipErrorContextIsDestroyed;
    else if (!ls_queue_reserve_edges(1 + ls_queue_edges_of(s)))
        err = hipErrorOutOfMemory;
    if (err != hipSuccess) {
        ls_queue_put_cmd(cmd);
        pthread_mutex_unlock(&ls_queue.lock);
        return err;
    }
    if (ls_check_orders())
        ls_check_clock_join(&s->clock, event->clock);
    if (event->at.stream && event->at.stream != s)
        s->waited[s->next_waited++ % LS_MAX_WAITED] = event->at;
    if (event->last && event->last->stream != s) {
        ls_queue_add_edge(event->last, cmd);
        ls_queue_append(cmd, &ended);
    } else {
        ls_queue_put_cmd(cmd);
    }
    ls_queue_unlock(ended);
    return hipSuccess;
}

bool
ls_stream_has_id(const struct ihipStream_t *s, uint64_t id)
{
    bool has;

    pthread_mutex_lock(&ls_queue.lock);
    has = s->id == id;
    pthread_mutex_unlock(&ls_queue.lock);
    return has;
}

bool
ls_queue_is_used(const struct ls_device *dev)
{
    bool used;

    pthread_mutex_lock(&ls_queue.lock);
    used = ls_queue.null[dev->index].n_enqueued > 0;
    for (const struct ihipStream_t *s = ls_queue.streams; s; s = s->next)
        used |= s->dev == dev && !s->is_null;
    pthread_mutex_unlock(&ls_queue.lock);
    return used;
}

bool
ls_stream_has_waited(const struct ihipStream_t *s, const struct ihipStream_t *other,
                     uint64_t position)
{
    bool has = false;

    pthread_mutex_lock(&ls_queue.lock);
    for (uint32_t i = 0; i < LS_MAX_WAITED; i++)
        has |= s->waited[i].stream == other && s->waited[i].position >= position;
    pthread_mutex_unlock(&ls_queue.lock);
    return has;
}
