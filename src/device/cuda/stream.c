/* SPDX-License-Identifier: MIT */
/* Works in the driver's streams. Each is followed by an event; whoever reaps looks at the events of
 * the first works of all streams and ends those that have ended. One thread reaps at a time, so
 * that the works of a stream end in order; nobody waits for it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "device/cuda/cuda_priv.h"

/* Works of one stream that the driver has at most: it takes about a thousand launches and then
 * makes the caller wait, who holds locks. The rest waits here. */
#define MAX_ISSUED 256u

/* Lock held, or nobody else has the device. */
static struct ls_cuda_stream *
add_stream(struct ls_cuda *c, int priority)
{
    unsigned n = atomic_load(&c->n_streams);
    struct ls_cuda_stream *s = n < LS_CUDA_STREAMS ? calloc(1, sizeof(*s)) : NULL;

    if (!s)
        return NULL;
    if (LS_CU(cuStreamCreateWithPriority, &s->cu, LS_CU_STREAM_NON_BLOCKING, priority) !=
        LS_CU_SUCCESS) {
        free(s);
        return NULL;
    }
    s->priority = priority;
    c->streams[n] = s;
    atomic_store(&c->n_streams, n + 1);
    return s;
}

hipError_t
ls_cuda_open_streams(struct ls_cuda *c)
{
    hipError_t err = LS_CU_TRY(cuCtxGetStreamPriorityRange, &c->least, &c->greatest);

    c->serial = 1;
    if (err == hipSuccess)
        err = LS_CU_TRY(cuStreamCreateWithPriority, &c->now, LS_CU_STREAM_NON_BLOCKING, c->least);
    if (err == hipSuccess)
        err = LS_CU_TRY(cuStreamCreateWithPriority, &c->moves, LS_CU_STREAM_NON_BLOCKING, c->least);
    if (err == hipSuccess && !add_stream(c, c->least)) /* there is always one */
        err = hipErrorOutOfMemory;
    return err;
}

/* Lock held, as in all static functions down to ls_cuda_submit_to_stream. */

/* The driver's priority for the runtime's: -1, 0 or 1. */
static int
priority_of(const struct ls_cuda *c, const struct ls_work *w)
{
    int priority = w->priority - 1; /* 0 is the driver's least */

    return priority < c->greatest ? c->greatest : priority > c->least ? c->least : priority;
}

/* Where a work goes: in order, where those of its stream are; else where nothing is. */
static struct ls_cuda_stream *
choose_stream(struct ls_cuda *c, const struct ls_work *w, bool in_order)
{
    uint64_t number = in_order ? w->stream : LS_CUDA_NO_NUMBER;
    int priority = priority_of(c, w);
    unsigned n = atomic_load(&c->n_streams);
    struct ls_cuda_stream *s = c->latest, *idle = NULL;

    if (in_order && s && s->number == number && (s->head || s->priority == priority))
        return s;
    for (unsigned i = 0; i < n; i++) {
        s = c->streams[i];
        if (in_order && s->number == number && s->head)
            return c->latest = s;
        if (!s->head && s->priority == priority && (!idle || s->number == number))
            idle = s;
    }
    if (c->streams[0]->head && c->streams[0]->number == LS_CUDA_ANY_NUMBER)
        return c->streams[0];
    s = idle ? idle : add_stream(c, priority);
    if (!s) { /* no more of them: this one is for all numbers until it has been idle */
        s = c->streams[0];
        number = LS_CUDA_ANY_NUMBER;
    }
    s->number = number;
    return c->latest = s;
}

static struct ls_cu_event *
get_event(struct ls_cuda *c)
{
    struct ls_cu_event *event = NULL;

    if (c->n_events > 0)
        return c->events[--c->n_events];
    return LS_CU(cuEventCreate, &event, LS_CU_EVENT_DEFAULT) == LS_CU_SUCCESS ? event : NULL;
}

static void
put_event(struct ls_cuda *c, struct ls_cu_event *event)
{
    if (c->n_events == c->events_room) {
        unsigned room = 2 * c->events_room + 64;
        struct ls_cu_event **more = realloc(c->events, room * sizeof(struct ls_cu_event *));

        if (!more)
            return; /* the context keeps it */
        c->events = more;
        c->events_room = room;
    }
    c->events[c->n_events++] = event;
}

static int
hand_over(struct ls_cuda *c, struct ls_work *w, struct ls_cu_stream *stream)
{
    switch (w->kind) {
    case LS_WORK_KERNEL:
        return ls_cuda_launch(c, &w->kernel, stream);
    case LS_WORK_COPY:
        return ls_cuda_copy(&w->copy, stream);
    case LS_WORK_FILL:
        return ls_cuda_fill(&w->fill, stream);
    default:
        LS_BUG("a work of kind %d for a stream", (int)w->kind);
    }
}

static void
issue(struct ls_cuda *c, struct ls_cuda_stream *s, struct ls_work *w)
{
    struct ls_cuda_room *room = ls_cuda_room(w);
    int dead = atomic_load(&c->dead), result;

    s->n_issued++;
    room->issue_ns = c->dev->timed ? ls_now_ns() : 0;
    room->refused = dead ? dead : hand_over(c, w, s->cu);
    room->was_taken = room->refused == LS_CU_SUCCESS;
    if (!room->was_taken)
        return;
    room->event = get_event(c);
    result = room->event ? LS_CU(cuEventRecord, room->event, s->cu) : LS_CU_OUT_OF_MEMORY;
    if (result == LS_CU_SUCCESS)
        return;
    /* Without an event: wait. */
    result = LS_CU(cuStreamSynchronize, s->cu);
    if (room->event)
        put_event(c, room->event);
    room->event = NULL;
    room->refused = result;
}

static void
issue_more(struct ls_cuda *c, struct ls_cuda_stream *s)
{
    while (s->next && s->n_issued < MAX_ISSUED) {
        struct ls_work *w = s->next;

        s->next = ls_cuda_room(w)->next;
        issue(c, s, w);
        if (s->head == w)
            atomic_store(&s->first, w); /* with its event */
    }
}

/* After n_pending has grown. */
static void
rouse_watch(struct ls_cuda *c)
{
    if (!atomic_load(&c->watch_sleeps))
        return;
    pthread_mutex_lock(&c->watch_lock);
    pthread_cond_signal(&c->watch);
    pthread_mutex_unlock(&c->watch_lock);
}

void
ls_cuda_submit_to_stream(struct ls_cuda *c, struct ls_work *w, bool in_order)
{
    struct ls_cuda_room *room = ls_cuda_room(w);
    struct ls_cuda_stream *s;
    LS_CUDA_ENTER(c);

    room->next = NULL;
    room->event = NULL;
    room->refused = LS_CU_SUCCESS;
    room->was_taken = false;
    pthread_mutex_lock(&c->lock);
    s = choose_stream(c, w, in_order);
    room->serial = c->serial++;
    if (s->head)
        ls_cuda_room(s->tail)->next = w;
    else
        s->head = w;
    s->tail = w;
    if (!s->next)
        s->next = w;
    atomic_fetch_add(&c->n_pending, 1);
    issue_more(c, s);
    pthread_mutex_unlock(&c->lock);
    rouse_watch(c);
}

/* Ending */

/* What became of a work. Before it leaves its stream, as it may be the one to be named. */
static hipError_t
judge(struct ls_cuda *c, const struct ls_work *w, int result)
{
    const struct ls_cuda_room *room = ls_cuda_room(w);
    bool was_dead = atomic_load(&c->dead) != 0;

    if (room->was_taken && was_dead)
        return hipSuccess; /* another work has failed */
    if (result == LS_CU_SUCCESS)
        return hipSuccess;
    if (!room->was_taken && !was_dead && !ls_cu_ends(result) && result != LS_CU_DEINITIALIZED)
        ls_log(LS_LOG_ERROR, "%s was refused: %s",
               w->kind == LS_WORK_KERNEL ? w->kernel.source->display_name
               : w->kind == LS_WORK_COPY ? "a copy"
                                         : "a fill",
               ls_cu_name(result));
    return ls_cuda_failed(c, result);
}

static void
finish(struct ls_cuda *c, struct ls_cuda_stream *s, struct ls_work *w, hipError_t err)
{
    if (c->dev->timed) {
        uint64_t issued = ls_cuda_room(w)->issue_ns;

        w->trace.start_ns = issued > s->ended_ns ? issued : s->ended_ns;
        s->ended_ns = ls_now_ns();
    }
    atomic_fetch_add(&c->n_ended, 1);
    atomic_fetch_sub(&c->n_pending, 1);
    w->done(w, err);
}

/* The first work of a stream, if it has ended; *err: how. */
static struct ls_work *
take_ended(struct ls_cuda *c, struct ls_cuda_stream *s, hipError_t *err)
{
    struct ls_cuda_room *room;
    struct ls_work *w = atomic_load(&s->first);
    int result;

    if (!w)
        return NULL;
    room = ls_cuda_room(w);
    result = room->event ? LS_CU(cuEventQuery, room->event) : room->refused;
    if (result == LS_CU_NOT_READY)
        return NULL;
    *err = judge(c, w, result);
    if (room->event && result == LS_CU_SUCCESS && atomic_load(&w->wants_end))
        w->end_ns = ls_cuda_time_of(c, &room->event);
    pthread_mutex_lock(&c->lock);
    s->head = room->next;
    if (!s->head)
        s->tail = NULL;
    s->n_issued--;
    atomic_store(&s->first, s->head != s->next ? s->head : NULL);
    if (room->event && result == LS_CU_SUCCESS)
        put_event(c, room->event);
    issue_more(c, s);
    pthread_mutex_unlock(&c->lock);
    return w;
}

/* Ends what has ended. In the context, by who reaps. */
static bool
reap_once(struct ls_cuda *c)
{
    bool any = false;

    for (unsigned i = 0; i < atomic_load(&c->n_streams); i++) {
        struct ls_cuda_stream *s = c->streams[i];
        struct ls_work *w;
        hipError_t err;

        while ((w = take_ended(c, s, &err))) {
            finish(c, s, w, err);
            any = true;
        }
    }
    return any;
}

static bool
begin_reaping(struct ls_cuda *c)
{
    return atomic_load(&c->n_pending) > 0 && !atomic_load(&c->reaping) &&
           !atomic_exchange(&c->reaping, true);
}

bool
ls_cuda_reap(struct ls_cuda *c)
{
    bool any;

    if (!begin_reaping(c))
        return false;
    {
        LS_CUDA_ENTER(c);

        any = reap_once(c);
    }
    atomic_store(&c->reaping, false);
    return any;
}

bool
ls_cuda_reap_until(struct ls_cuda *c, bool (*done)(void *arg), void *arg, uint64_t spin_ns)
{
    uint64_t since = ls_now_ns();
    bool is_done = false;

    if (!begin_reaping(c))
        return false;
    {
        LS_CUDA_ENTER(c);

        while (!(is_done = done(arg)) && atomic_load(&c->n_pending) > 0) {
            if (reap_once(c))
                since = ls_now_ns(); /* where works end others will soon */
            else if (ls_now_ns() - since > spin_ns)
                break;
        }
    }
    atomic_store(&c->reaping, false);
    return is_done;
}
