/* SPDX-License-Identifier: MIT */
/* The records of events, and who still needs an event. With the lock held. */
#include "base/clock.h"
#include "runtime/core/slab.h"
#include "runtime/queue/queue_priv.h"

static struct ls_slab event_pool = {
    .item_bytes = sizeof(struct ihipEvent_t),
    .link_offset = offsetof(struct ihipEvent_t, next_free)}; /* guarded by the queue lock */

struct ihipEvent_t *
ls_queue_get_event(void)
{
    return ls_slab_get(&event_pool);
}

void
ls_queue_put_event(struct ihipEvent_t *event)
{
    if (event->shared)
        ls_shared_event_destroy(event->shared, event->shared_fd);
    event->shared = NULL;
    ls_slab_put(&event_pool, event);
}

void
ls_queue_unref_event(struct ihipEvent_t *event)
{
    if (--event->n_pending == 0 && event->destroyed)
        ls_queue_put_event(event);
}

uint64_t
ls_queue_next_record(struct ihipEvent_t *event)
{
    event->n_recorded++;
    return event->shared ? atomic_fetch_add(&event->shared->n_recorded, 1) + 1 : event->n_recorded;
}

/* Of an event between processes n_done is of no use, but to a thread that began to wait for an
 * event in whose place this one is now. */
static void
let_strays_go(struct ihipEvent_t *event)
{
    atomic_store(&event->n_done, event->n_recorded);
}

void
ls_queue_undo_record(struct ihipEvent_t *event, uint64_t generation, const struct ls_cmd *cmd)
{
    if (event->shared)
        let_strays_go(event);
    else if (event->n_recorded == generation)
        event->n_recorded--;
    if (event->last == cmd)
        event->last = NULL;
    ls_queue_unref_event(event);
}

static void
reach(struct ihipEvent_t *event, uint64_t generation, uint64_t when_ns)
{
    if (event->shared) {
        ls_shared_event_set_done(event->shared, generation);
        let_strays_go(event);
    } else if (generation > atomic_load(&event->n_done)) {
        if (atomic_load(&event->flags) & hipEventDisableTiming)
            when_ns = 0;
        atomic_store(&event->time_ns, when_ns ? when_ns : ls_now_ns());
        if (when_ns & LS_TIME_LATE)
            event->dev->ops->queue.keep_time(event->dev, when_ns, &event->time_ns);
        atomic_store(&event->n_done, generation);
    }
}

void
ls_queue_reach_record(struct ihipEvent_t *event, uint64_t generation)
{
    reach(event, generation, 0);
}

void
ls_queue_end_record(struct ihipEvent_t *event, uint64_t generation, const struct ls_cmd *cmd,
                    uint64_t when_ns)
{
    if ((when_ns & LS_TIME_LATE) && event->dev != cmd->stream->dev)
        when_ns = 0; /* its own device does not know that time */
    reach(event, generation, when_ns);
    if (event->last == cmd)
        event->last = NULL;
    ls_queue_unref_event(event);
}

/* To be called without the lock. */
bool
ls_event_is_valid(const struct ihipEvent_t *event)
{
    return event && ls_slab_holds(&event_pool, event) && event->magic == LS_EVENT_MAGIC;
}
