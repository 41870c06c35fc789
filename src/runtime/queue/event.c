/* SPDX-License-Identifier: MIT */
/* Events. */
#include "runtime/queue/queue_priv.h"

static hipError_t
create_event(unsigned flags, struct ls_shared_event *shared, int fd, struct ihipEvent_t **out)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    struct ihipEvent_t *e;

    pthread_mutex_lock(&ls_queue.lock);
    e = ls_queue_get_event();
    if (e) {
        e->flags = flags;
        e->dev = dev;
        e->destroyed = false;
        e->last = NULL;
        e->n_pending = 0;
        /* The count goes on from that of the event that was here before, or a thread that still
         * waits for that would wait anew. */
        if (e->n_recorded < atomic_load(&e->n_done))
            e->n_recorded = atomic_load(&e->n_done);
        e->first = e->n_recorded;
        e->at = (struct ls_waited){NULL, 0};
        if (e->clock)
            ls_check_clock_drop(&e->clock);
        atomic_store(&e->stream, NULL);
        atomic_store(&e->n_done, e->first);
        atomic_store(&e->time_ns, 0);
        e->shared = shared;
        e->shared_fd = fd;
        e->magic = LS_EVENT_MAGIC;
    }
    pthread_mutex_unlock(&ls_queue.lock);
    *out = e;
    if (!e && shared)
        ls_shared_event_destroy(shared, fd);
    return e ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t
ls_event_create(unsigned flags, struct ihipEvent_t **out)
{
    struct ls_shared_event *shared = NULL;
    int fd = -1;

    if ((flags & hipEventInterprocess) && !(shared = ls_shared_event_create(&fd)))
        return ls_err(hipErrorOutOfMemory, "an event between processes");
    return create_event(flags, shared, fd, out);
}

hipError_t
ls_event_adopt(struct ls_shared_event *shared, int fd, struct ihipEvent_t **out)
{
    return create_event(hipEventInterprocess | hipEventDisableTiming, shared, fd, out);
}

hipError_t
ls_event_destroy(struct ihipEvent_t *e)
{
    bool alive;

    pthread_mutex_lock(&ls_queue.lock);
    alive = ls_queue_event_is_alive(e);
    if (alive) {
        e->magic = 0;
        e->destroyed = true;
        if (e->n_pending == 0)
            ls_queue_put_event(e);
    }
    pthread_mutex_unlock(&ls_queue.lock);
    return alive ? hipSuccess : ls_err(hipErrorContextIsDestroyed, "another thread was first");
}

void
ls_cmd_attach_events(struct ls_cmd *cmd, struct ihipEvent_t *start_event, struct ihipEvent_t *stop)
{
    pthread_mutex_lock(&ls_queue.lock);
    if (start_event && ls_queue_event_is_alive(start_event)) {
        start_event->at.stream = NULL;
        start_event->n_pending++;
        start_event->last = cmd;
        cmd->start_event = start_event;
        cmd->start_generation = ls_queue_next_record(start_event);
    }
    if (stop && ls_queue_event_is_alive(stop)) {
        stop->at.stream = NULL;
        stop->n_pending++;
        stop->last = cmd;
        cmd->event = stop;
        atomic_fetch_or(&cmd->work.end, LS_END_WANTED);
        cmd->event_generation = ls_queue_next_record(stop);
    }
    pthread_mutex_unlock(&ls_queue.lock);
}

static void
want_end(struct ls_device *dev, struct ls_work *w)
{
    if ((atomic_fetch_or(&w->end, LS_END_WANTED) & ~LS_END_WANTED) == LS_END_UNTIMED)
        dev->ops->queue.time_end(dev, w);
}

hipError_t
ls_event_record(struct ihipEvent_t *event, struct ihipStream_t *s)
{
    struct ls_cmd *cmd;
    hipError_t err = hipSuccess;
    bool ended;

    cmd = ls_cmd_create(s, LS_CMD_EVENT);
    if (!cmd)
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&ls_queue.lock);
    if (!ls_queue_event_is_alive(event) || !ls_queue_is_alive(s))
        err = hipErrorContextIsDestroyed;
    else if (event->dev != s->dev)
        err = ls_err(hipErrorInvalidHandle, "an event of device %u", event->dev->index);
    else if (!ls_queue_reserve_edges(ls_queue_edges_of(s)))
        err = hipErrorOutOfMemory;
    if (err != hipSuccess) {
        ls_queue_put_cmd(cmd);
        pthread_mutex_unlock(&ls_queue.lock);
        return err;
    }
    if (s->tail && !(event->flags & hipEventDisableTiming))
        want_end(s->dev, &s->tail->work);
    event->n_pending++;
    event->last = cmd;
    cmd->event = event;
    cmd->event_generation = ls_queue_next_record(event);
    event->at.stream = s;
    event->at.position = ls_queue_append(cmd, &ended);
    ls_queue_unlock(ended);
    return hipSuccess;
}

static uint64_t
recorded(struct ihipEvent_t *event)
{
    uint64_t n;

    pthread_mutex_lock(&ls_queue.lock);
    n = event->n_recorded;
    pthread_mutex_unlock(&ls_queue.lock);
    return n;
}

bool
ls_event_was_recorded(struct ihipEvent_t *event)
{
    bool was;

    pthread_mutex_lock(&ls_queue.lock);
    was = event->n_recorded > event->first;
    pthread_mutex_unlock(&ls_queue.lock);
    return was;
}

double
ls_event_elapsed(struct ihipEvent_t *from, struct ihipEvent_t *to)
{
    struct ls_device *dev = from->dev;

    if (dev->ops->queue.elapsed)
        return dev->ops->queue.elapsed(dev, &from->time_ns, &to->time_ns);
    return (double)(int64_t)(atomic_load(&to->time_ns) - atomic_load(&from->time_ns));
}

static bool
is_shared_done(void *arg)
{
    return ls_shared_event_is_done(arg);
}

/* Takes a reference to the page of an event between processes, so that it stays while it is looked
 * at. NULL: the event is not shared, or is destroyed, so that nobody waits for it. */
static struct ls_shared_event *
ref_shared(struct ihipEvent_t *event)
{
    struct ls_shared_event *shared;

    pthread_mutex_lock(&ls_queue.lock);
    shared = ls_queue_event_is_alive(event) ? event->shared : NULL;
    event->n_pending += shared != NULL;
    pthread_mutex_unlock(&ls_queue.lock);
    return shared;
}

static void
unref_shared(struct ihipEvent_t *event)
{
    pthread_mutex_lock(&ls_queue.lock);
    ls_queue_unref_event(event);
    pthread_mutex_unlock(&ls_queue.lock);
}

hipError_t
ls_event_query(struct ihipEvent_t *event)
{
    struct ls_shared_event *shared = event->shared ? ref_shared(event) : NULL;
    bool done;

    ls_hold_end();
    done = shared ? ls_shared_event_is_done(shared)
                  : atomic_load(&event->n_done) >= recorded(event);
    if (shared)
        unref_shared(event);
    if (done && ls_check_orders())
        ls_queue_host_saw_event(event);
    if (done)
        return ls_queue_sticky(event->dev);
    event->dev->ops->queue.poke(event->dev);
    return hipErrorNotReady;
}

hipError_t
ls_event_wait(struct ihipEvent_t *event)
{
    struct ls_shared_event *shared = event->shared ? ref_shared(event) : NULL;
    struct ls_device *dev = event->dev;
    hipError_t err;

    if (shared) {
        ls_hold_end();
        if (!is_shared_done(shared))
            dev->ops->queue.wait(dev, is_shared_done, shared);
        unref_shared(event);
        return ls_queue_sticky(dev);
    }
    err = ls_queue_wait_for(dev, &event->n_done, recorded(event));
    if (ls_check_orders())
        ls_queue_host_saw_event(event);
    return err;
}
