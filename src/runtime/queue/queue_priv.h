/* SPDX-License-Identifier: MIT */
/* What the queue's files share, from the bottom up. Functions are called with the lock held, unless
 * they say else. */
#ifndef LS_RUNTIME_QUEUE_PRIV_H
#define LS_RUNTIME_QUEUE_PRIV_H

#include "check/check.h"
#include "runtime/core/slab.h"
#include "runtime/queue/plan.h"

struct ls_queue {
    pthread_mutex_t lock; /* held for moments */
    uint32_t n_streams, n_free_edges;
    struct ihipStream_t *streams; /* all in use, the null streams among them */
    struct ls_cmd *polls;         /* commands that wait for a value, linked by next_ready */
    struct ls_steps *ended_steps; /* steps that are done: ls_queue_unlock ends their works */
    unsigned poll_naps;           /* naps since a poll was added or ended */
    pthread_cond_t poll_cond;
    struct ls_slab stream_pool;
    struct ihipStream_t null[LS_MAX_DEVICES], hidden[LS_MAX_DEVICES]; /* by device */
};

extern struct ls_queue ls_queue;

static inline hipError_t
ls_queue_sticky(const struct ls_device *dev)
{
    return (hipError_t)atomic_load_explicit(&dev->sticky,
                                            memory_order_acquire); /* with its report */
}

static inline bool
ls_queue_is_failed(const struct ls_cmd *cmd)
{
    return atomic_load(&cmd->stream->dev->sticky) != hipSuccess;
}

/* Whether a stream is still alive: another thread may have destroyed it since the call began. */
static inline bool
ls_queue_is_alive(const struct ihipStream_t *s)
{
    return s->magic == LS_STREAM_MAGIC || s->trunk;
}

/* Whether the stream that a command was made for is, and not another one in its place. */
static inline bool
ls_queue_has_stream(const struct ls_cmd *cmd)
{
    return ls_queue_is_alive(cmd->stream) && cmd->stream->id == cmd->work.stream;
}

static inline bool
ls_queue_event_is_alive(const struct ihipEvent_t *event)
{
    return event->magic == LS_EVENT_MAGIC;
}

static inline bool
ls_queue_is_blocking(const struct ihipStream_t *s)
{
    return !(s->flags & hipStreamNonBlocking);
}

/* stream_list.c */

/* Puts a stream on the list of those in use. */
void ls_queue_list_stream(struct ihipStream_t *stream);
/* A new stream, which is on the list; NULL when out of memory. */
struct ihipStream_t *ls_queue_get_stream(void);
/* Frees a destroyed stream whose last command has ended. */
void ls_queue_put_stream(struct ihipStream_t *stream);
/* A stream for a graph beside the command, which nobody else knows; NULL when out of memory. */
struct ihipStream_t *ls_queue_get_branch(struct ls_cmd *trunk);
void ls_queue_put_branch(struct ihipStream_t *branch);

/* record.c */

/* NULL when out of memory. */
struct ihipEvent_t *ls_queue_get_event(void);
void ls_queue_put_event(struct ihipEvent_t *event);
/* One of the event's pending uses has ended. */
void ls_queue_unref_event(struct ihipEvent_t *event);
/* Counts a new record and returns its number. */
uint64_t ls_queue_next_record(struct ihipEvent_t *event);
/* The record has happened; ls_queue_end_record also drops the pending use that was counted for
 * it. */
void ls_queue_reach_record(struct ihipEvent_t *event, uint64_t generation);
/* when_ns: 0 = now */
void ls_queue_end_record(struct ihipEvent_t *event, uint64_t generation, const struct ls_cmd *cmd,
                         uint64_t when_ns);
/* Undoes a record whose command will not be enqueued. */
void ls_queue_undo_record(struct ihipEvent_t *event, uint64_t generation, const struct ls_cmd *cmd);

/* command.c */

/* Allocates edges until n are free. False when out of memory. */
bool ls_queue_make_edges(uint32_t n);

/* Makes sure that ls_queue_add_edge finds n free edges. False when out of memory. */
static inline bool
ls_queue_reserve_edges(uint32_t n)
{
    return ls_queue.n_free_edges >= n || ls_queue_make_edges(n);
}

/* Takes an edge that was reserved: `to` waits for `from`. */
void ls_queue_add_edge(struct ls_cmd *from, struct ls_cmd *to);
/* Gives back a command that nothing refers to. */
void ls_queue_put_cmd(struct ls_cmd *cmd);
/* Ends a command, which is the first of its stream: adds commands that need not wait any longer to
 * *ready. */
void ls_queue_end_cmd(struct ls_cmd *cmd, struct ls_cmd **ready);
/* A command waits for one thing less: adds it to *ready, if that was the last. */
void ls_queue_drop(struct ls_cmd **ready, struct ls_cmd *cmd);
/* Starts the commands of the list, which wait for nothing. True when one has ended already. */
bool ls_queue_run_ready(struct ls_cmd *ready);
/* Lets a command that waits only for those in front of it in its stream, which flow, flow as
 * well. */
void ls_queue_flow(struct ls_cmd *cmd);
/* Gives the lock back, and wakes those who wait when something ended. */
void ls_queue_unlock(bool ended);

/* poll.c */

/* False when there is no thread for it. */
bool ls_queue_start_polling(void);
/* Looks at what is waited for. True when something ended. */
bool ls_queue_check_polls(void);

/* hold.c: only while ls_check_wants_host() */

/* A command is about to be put into its stream. It gets one more thing to wait for, if the host
 * should be watched meanwhile. */
void ls_hold_cmd(struct ls_cmd *cmd);
/* The host waits, or asks how far the device is: what is held goes on. Without the lock. */
void ls_hold_end_now(void);
static inline void
ls_hold_end(void)
{
    if (ls_check_wants_host())
        ls_hold_end_now();
}

/* order.c: only while ls_check_orders() */

/* A command is put into its stream. */
void ls_queue_order_cmd(struct ls_cmd *cmd);
void ls_queue_order_edge(const struct ls_cmd *from, struct ls_cmd *to);
/* A command begins, or has ended: if it calls functions of the host, that knows what was before. */
void ls_queue_order_host(const struct ls_cmd *cmd);
/* To be called without the lock: what the host knows once it has waited for a stream of the device
 * (NULL: for all); ls_queue_host_saw is told then, and frees it. NULL when nobody wants to know. */
struct ls_check_clock *ls_queue_clock_of(const struct ls_device *dev,
                                         const struct ihipStream_t *stream);
void ls_queue_host_saw(struct ls_check_clock *clock);
void ls_queue_host_saw_event(const struct ihipEvent_t *event);

/* queue.c */

/* Has a device tell the queue of works that have ended. Before its first work. */
void ls_queue_serve(struct ls_device *dev);
/* How many edges ls_queue_append takes at most. */
static inline uint32_t
ls_queue_edges_of(const struct ihipStream_t *s)
{
    return s->is_null ? ls_queue.n_streams : 1;
}

/* Puts a command into its stream and returns its number there. */
uint64_t ls_queue_append(struct ls_cmd *cmd, bool *ended);
/* Waits until the counter reaches the value; the lock is not held. Returns the device's error. */
hipError_t ls_queue_wait_for(struct ls_device *dev, const _Atomic uint64_t *counter,
                             uint64_t value);

#endif
