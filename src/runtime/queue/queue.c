/* SPDX-License-Identifier: MIT */
/* The order of commands.
 *
 * Lock order: graph lock -> module lock -> queue lock -> (memory lock | the device's scheduler
 * lock). The queue lock guards all streams, events and commands; it is never held across a user
 * callback or a wait.
 *
 * A command waits for the one before it in its stream and for edges from other streams: the null
 * stream's rules and hipStreamWaitEvent make them. When the count of what it waits for is zero it
 * goes to the device, or, if it is no work for the device, is done at once. */
#include "runtime/queue/queue.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/core/slab.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/graph.h"
#include "runtime/mem/mem.h"
#include "runtime/queue/plan.h"

struct ls_edge {
    struct ls_edge *next;
    struct ls_cmd *to;
};

static pthread_mutex_t lock =
    PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP; /* held for moments: spin first */
static struct ihipStream_t null_streams[LS_MAX_DEVICES], hidden_streams[LS_MAX_DEVICES];
static struct ihipStream_t *streams; /* guarded by lock: all in use, the null streams among them */
static uint64_t next_stream_id = 1;  /* guarded by lock */
static struct ls_cmd *free_cmds;     /* guarded by lock */
static struct ls_edge *free_edges;   /* guarded by lock */
static uint32_t n_free_edges, n_streams; /* guarded by lock */

static struct ls_slab stream_pool = {.item_bytes = sizeof(struct ihipStream_t),
                                     .link_offset = offsetof(struct ihipStream_t, next)};
static struct ls_slab event_pool = {.item_bytes = sizeof(struct ihipEvent_t),
                                    .link_offset = offsetof(struct ihipEvent_t, next_free)};
static struct ls_shared *dead; /* guarded by lock: to be destroyed without it */

static uint64_t
now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t
next_record(struct ihipEvent_t *event)
{
    if (event->shared)
        event->n_recorded = atomic_fetch_add(&event->shared->n_recorded, 1) + 1;
    else
        event->n_recorded++;
    return event->n_recorded;
}

/* Commands */

struct ls_cmd *
ls_cmd_create(struct ihipStream_t *stream, enum ls_cmd_kind kind)
{
    struct ls_cmd *cmd;

    pthread_mutex_lock(&lock);
    cmd = free_cmds;
    if (cmd)
        free_cmds = cmd->next;
    pthread_mutex_unlock(&lock);
    if (!cmd) {
        cmd = aligned_alloc(64, (sizeof(*cmd) + 63) / 64 * 64);
        if (!cmd)
            return NULL;
        memset(cmd, 0, sizeof(*cmd));
    }
    cmd->kind = kind;
    cmd->stream = stream;
    cmd->next = NULL;
    cmd->n_deps = 0;
    cmd->edges = NULL;
    cmd->event = cmd->start_event = NULL;
    cmd->memory = NULL;
    cmd->heap = NULL;
    cmd->plan = NULL;
    cmd->turn = NULL;
    cmd->origin = NULL;
    cmd->host.fn = NULL;
    cmd->repeats = false;
    cmd->work.kind = LS_WORK_NONE;
    cmd->work.priority = stream->priority;
    cmd->work.trace.stream = stream->id;
    return cmd;
}

static void
put_cmd(struct ls_cmd *cmd)
{
    cmd->next = free_cmds;
    free_cmds = cmd;
}

static void
put_event(struct ihipEvent_t *event)
{
    if (event->shared)
        ls_shared_event_destroy(event->shared, event->shared_fd);
    event->shared = NULL;
    ls_slab_put(&event_pool, event);
}

static void
event_unref(struct ihipEvent_t *event)
{
    if (--event->n_pending == 0 && event->destroyed)
        put_event(event);
}

/* As if the command had not been attached. Lock held. */
static void
unrecord(struct ihipEvent_t *event, uint64_t generation, const struct ls_cmd *cmd)
{
    if (!event->shared && event->n_recorded == generation)
        event->n_recorded--;
    if (event->last == cmd)
        event->last = NULL;
    event_unref(event);
}

void
ls_cmd_cancel(struct ls_cmd *cmd)
{
    if (!cmd)
        return;
    free(cmd->heap);
    pthread_mutex_lock(&lock);
    if (cmd->event)
        unrecord(cmd->event, cmd->event_generation, cmd);
    if (cmd->start_event)
        unrecord(cmd->start_event, cmd->start_generation, cmd);
    put_cmd(cmd);
    pthread_mutex_unlock(&lock);
}

/* Lock held, as in all static functions below that say nothing else. */

static void
put_edge(struct ls_edge *e)
{
    e->next = free_edges;
    free_edges = e;
    n_free_edges++;
}

/* So that add_edge finds n. False when out of memory. */
static bool
reserve_edges(uint32_t n)
{
    while (n_free_edges < n) {
        struct ls_edge *e = malloc(sizeof(*e));

        if (!e)
            return false;
        put_edge(e);
    }
    return true;
}

/* How many of them append() takes at most. */
static uint32_t
edges_of(const struct ihipStream_t *s)
{
    return s->is_null ? n_streams : 1;
}

/* Takes an edge that was reserved. */
static void
add_edge(struct ls_cmd *from, struct ls_cmd *to)
{
    struct ls_edge *e = free_edges;

    free_edges = e->next;
    n_free_edges--;
    e->to = to;
    e->next = from->edges;
    from->edges = e;
    to->n_deps++;
}

static void
record(struct ihipEvent_t *event, uint64_t generation, const struct ls_cmd *cmd)
{
    if (generation > atomic_load(&event->n_done)) {
        atomic_store(&event->time_ns, now_ns());
        atomic_store(&event->n_done, generation);
        if (event->shared)
            ls_shared_event_set_done(event->shared, generation);
    }
    if (event->last == cmd)
        event->last = NULL;
    event_unref(event);
}

static void
list_stream(struct ihipStream_t *s)
{
    n_streams++;
    s->prev = NULL;
    s->next = streams;
    if (streams)
        streams->prev = s;
    streams = s;
}

static void
unlist_stream(struct ihipStream_t *s)
{
    n_streams--;
    if (s->next)
        s->next->prev = s->prev;
    if (s->prev)
        s->prev->next = s->next;
    else
        streams = s->next;
}

static void
drop(struct ls_cmd **ready, struct ls_cmd *cmd)
{
    if (--cmd->n_deps == 0) {
        cmd->next_ready = *ready;
        *ready = cmd;
    }
}

static void
drop_shared(struct ls_shared *s)
{
    if (--s->n_refs > 0)
        return;
    s->next_dead = dead;
    dead = s;
}

static void
end_launch(struct ls_cmd *cmd)
{
    struct ls_plan *p = cmd->plan;
    const uint64_t *generations = cmd->heap ? cmd->heap : (const void *)cmd->bytes;

    for (uint32_t i = 0; i < p->n_records; i++)
        record(p->records[i], generations[i], cmd);
    if (p->current == cmd)
        p->current = NULL;
    if (cmd->turn->last == cmd)
        cmd->turn->last = NULL;
    drop_shared(&p->shared);
    drop_shared(&cmd->turn->shared);
}

/* The command is the first of its stream and has ended. */
static void
end_cmd(struct ls_cmd *cmd, struct ls_cmd **ready)
{
    struct ihipStream_t *s = cmd->stream;
    struct ls_edge *e = cmd->edges;

    if (s->head != cmd)
        LS_BUG("a command ended before those in front of it");
    if (cmd->event)
        record(cmd->event, cmd->event_generation, cmd);
    if (cmd->plan)
        end_launch(cmd);
    s->head = cmd->next;
    if (!s->head)
        s->tail = NULL;
    else
        drop(ready, s->head);
    while (e) {
        struct ls_edge *next = e->next;

        drop(ready, e->to);
        put_edge(e);
        e = next;
    }
    free(cmd->heap);
    atomic_fetch_add(&s->n_done, 1);
    put_cmd(cmd);
    if (s->destroyed && !s->head) {
        unlist_stream(s);
        ls_slab_put(&stream_pool, s);
    }
}

/* Commands that wait for a value are looked at when work ends, and by a thread that naps between
 * looks: a wait keeps no thread that runs work. */

#define POLL_NAP_NS      20000
#define POLL_LONG_NAP_NS 200000
#define POLL_EAGER       200u /* short naps before the long ones */

static struct ls_steps *waiting_steps, *ended_steps; /* guarded by lock */
static struct ls_cmd *polls; /* guarded by lock, linked through next_ready */
static unsigned poll_naps;   /* guarded by lock: since a poll was added or ended */
static bool poll_started;    /* guarded by lock */
static pthread_cond_t poll_cond = PTHREAD_COND_INITIALIZER;

static bool run_ready(struct ls_cmd *ready);
static void unlock(bool ended);
static void end_cmd(struct ls_cmd *cmd, struct ls_cmd **ready);

static bool
is_failed(const struct ls_cmd *cmd)
{
    return atomic_load(&cmd->stream->dev->sticky) != hipSuccess;
}

/* True when all are done. */
static bool
run_steps(struct ls_steps *s)
{
    for (; s->at < s->n; s->at++) {
        struct ls_step *step = &s->steps[s->at];

        if (!step->call(step->data) && step->waits && !is_failed(s->plan->current))
            return false;
    }
    return true;
}

static void
check_steps(void)
{
    struct ls_steps **at = &waiting_steps;

    while (*at) {
        struct ls_steps *s = *at;

        if (!run_steps(s)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = ended_steps;
        ended_steps = s; /* unlock() tells */
        poll_naps = 0;
    }
}

/* True when one ended. */
static bool
check_polls(void)
{
    struct ls_cmd **at = &polls, *ready = NULL;
    bool ended = false;

    check_steps();

    while (*at) {
        struct ls_cmd *cmd = *at;

        if (!cmd->call(cmd->bytes) && !is_failed(cmd)) {
            at = &cmd->next_ready;
            continue;
        }
        *at = cmd->next_ready;
        end_cmd(cmd, &ready);
        run_ready(ready);
        ready = NULL;
        at = &polls; /* the list may have grown */
        poll_naps = 0;
        ended = true;
    }
    return ended;
}

static void *
poll_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (;;) {
        struct timespec nap = {0, POLL_NAP_NS};
        bool ended;

        while (!polls && !waiting_steps)
            pthread_cond_wait(&poll_cond, &lock);
        ended = check_polls();
        if (poll_naps++ > POLL_EAGER)
            nap.tv_nsec = POLL_LONG_NAP_NS;
        unlock(ended);
        nanosleep(&nap, NULL);
        pthread_mutex_lock(&lock);
    }
    return NULL;
}

/* False when there is no thread for it. */
static bool
start_polling(void)
{
    if (!poll_started) {
        sigset_t all, old;
        pthread_t thread;

        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &old);
        poll_started = pthread_create(&thread, NULL, poll_main, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        if (!poll_started) {
            ls_log(LS_LOG_ERROR, "no thread to look for values that streams wait for");
            return false;
        }
        pthread_detach(thread);
    }
    poll_naps = 0;
    pthread_cond_signal(&poll_cond);
    return true;
}

bool
ls_queue_can_poll(void)
{
    bool can;

    pthread_mutex_lock(&lock);
    can = start_polling();
    pthread_mutex_unlock(&lock);
    return can;
}

static bool
add_poll(struct ls_cmd *cmd)
{
    if (!start_polling()) /* never so: enqueue() has started it */
        return false;
    cmd->next_ready = polls;
    polls = cmd;
    return true;
}

void
ls_steps_start(void *user, hipError_t status)
{
    struct ls_steps *s = user;
    bool waits;

    (void)status;
    s->at = 0;
    waits = !run_steps(s);
    if (waits) {
        pthread_mutex_lock(&lock);
        waits = start_polling();
        if (waits) {
            s->next = waiting_steps;
            waiting_steps = s;
        }
        unlock(false);
    }
    if (!waits)
        s->work->done(s->work, hipSuccess);
}

static bool
is_discarded(const struct ls_cmd *cmd)
{
    return cmd->work.kind != LS_WORK_HOST && is_failed(cmd);
}

static void
free_memory(void *ptr)
{
    bool known;

    ls_graph_mem_free(ptr, &known);
    if (!known)
        ls_mem_free_any(ptr);
}

/* Starts commands that wait for nothing. True when one ended. */
static bool
run_ready(struct ls_cmd *ready)
{
    bool ended = false;

    while (ready) {
        struct ls_cmd *cmd = ready;

        ready = cmd->next_ready;
        if (cmd->start_event)
            record(cmd->start_event, cmd->start_generation, cmd);
        cmd->start_event = NULL;
        if (cmd->kind == LS_CMD_WORK && !is_discarded(cmd)) {
            if (cmd->plan)
                cmd->plan->current = cmd;
            cmd->stream->dev->ops->queue.submit(cmd->stream->dev, &cmd->work);
            continue;
        }
        if (cmd->work.kind == LS_WORK_KERNEL && cmd->work.kernel.multi)
            ls_multi_grid_leave(cmd->work.kernel.multi, true);
        if (cmd->kind == LS_CMD_FREE)
            free_memory(cmd->memory);
        if (cmd->kind == LS_CMD_CALL)
            cmd->call(cmd->bytes);
        if (cmd->kind == LS_CMD_POLL && !cmd->call(cmd->bytes) && !is_failed(cmd) && add_poll(cmd))
            continue;
        end_cmd(cmd, &ready);
        ended = true;
    }
    return ended;
}

/* Gives the lock back. */
static void
unlock(bool ended)
{
    struct ls_shared *d = dead;
    struct ls_steps *s = ended_steps;

    dead = NULL;
    ended_steps = NULL;
    pthread_mutex_unlock(&lock);
    if (ended)
        ls_rt.gpus[0].dev.ops->queue.wake(&ls_rt.gpus[0].dev); /* whoever waits, for any device */
    while (s) {
        struct ls_steps *next = s->next;

        s->work->done(s->work, hipSuccess);
        s = next;
    }
    while (d) {
        struct ls_shared *next = d->next_dead;

        d->destroy(d);
        d = next;
    }
}

void
ls_shared_ref(struct ls_shared *s)
{
    pthread_mutex_lock(&lock);
    s->n_refs++;
    pthread_mutex_unlock(&lock);
}

void
ls_shared_unref(struct ls_shared *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&lock);
    drop_shared(s);
    unlock(false);
}

/* Called by the device, without locks. */
static void
work_done(struct ls_work *work, hipError_t err)
{
    struct ls_cmd *cmd = (struct ls_cmd *)(void *)work, *ready = NULL;
    int none = 0;

    if (err != hipSuccess)
        atomic_compare_exchange_strong(&cmd->stream->dev->sticky, &none, (int)err);
    pthread_mutex_lock(&lock);
    end_cmd(cmd, &ready);
    run_ready(ready);
    if (polls || waiting_steps)
        check_polls();
    unlock(true);
}

static bool
is_blocking(const struct ihipStream_t *s)
{
    return !(s->flags & hipStreamNonBlocking);
}

static uint64_t
append(struct ls_cmd *cmd, bool *ended)
{
    struct ihipStream_t *s = cmd->stream;
    uint64_t number = ++s->n_enqueued;

    if (s->tail) {
        s->tail->next = cmd;
        cmd->n_deps++;
    } else {
        s->head = cmd;
    }
    s->tail = cmd;
    if (s->is_null) {
        for (struct ihipStream_t *o = streams; o; o = o->next)
            if (o != s && o->dev == s->dev && o->tail && is_blocking(o))
                add_edge(o->tail, cmd);
    } else if (is_blocking(s) && s->null->tail) {
        add_edge(s->null->tail, cmd);
    }
    *ended = false;
    if (cmd->n_deps == 0) {
        cmd->next_ready = NULL;
        *ended = run_ready(cmd);
    }
    return number;
}

/* The command's number in its stream; 0 when out of memory, and then the command is gone. */
static uint64_t
enqueue(struct ls_cmd *cmd)
{
    uint64_t number = 0;
    bool ended = false;

    cmd->work.done = work_done;
    pthread_mutex_lock(&lock);
    if (reserve_edges(edges_of(cmd->stream)) && (cmd->kind != LS_CMD_POLL || start_polling()))
        number = append(cmd, &ended);
    unlock(ended);
    if (number == 0)
        ls_cmd_cancel(cmd);
    return number;
}

hipError_t
ls_cmd_enqueue(struct ls_cmd *cmd)
{
    if (atomic_load_explicit(&cmd->stream->capture, memory_order_acquire)) /* and its contents */
        return ls_capture_cmd(cmd);
    return enqueue(cmd) ? hipSuccess : hipErrorOutOfMemory;
}

/* Waiting: no lock held */

struct target {
    const _Atomic uint64_t *counter;
    uint64_t value;
};

static bool
is_reached(void *arg)
{
    const struct target *t = arg;

    return atomic_load_explicit(t->counter, memory_order_acquire) >=
           t->value; /* see what ended wrote */
}

static hipError_t
sticky(const struct ls_device *dev)
{
    return (hipError_t)atomic_load_explicit(&dev->sticky,
                                            memory_order_acquire); /* with its report */
}

static hipError_t
wait_for(struct ls_device *dev, const _Atomic uint64_t *counter, uint64_t value)
{
    struct target t = {counter, value};

    if (!is_reached(&t))
        dev->ops->queue.wait(dev, is_reached, &t);
    return sticky(dev);
}

hipError_t
ls_cmd_enqueue_wait(struct ls_cmd *cmd)
{
    struct ihipStream_t *s = cmd->stream;
    uint64_t number;

    if (atomic_load_explicit(&s->capture, memory_order_acquire)) /* and its contents */
        return ls_capture_cmd(cmd);
    number = enqueue(cmd);
    return number ? wait_for(s->dev, &s->n_done, number) : hipErrorOutOfMemory;
}

static bool
others_busy(const struct ihipStream_t *s)
{
    for (const struct ihipStream_t *o = streams; o; o = o->next)
        if (o != s && o->dev == s->dev && o->tail && is_blocking(o))
            return true;
    return false;
}

/* What is done when there is no memory to wait for all at once. */
static hipError_t
wait_one_by_one(struct ls_device *dev, bool only_blocking)
{
    for (;;) {
        struct ihipStream_t *busy = NULL;
        uint64_t number = 0;

        pthread_mutex_lock(&lock);
        for (struct ihipStream_t *s = streams; s; s = s->next)
            if (s->dev == dev && s->tail && (!only_blocking || is_blocking(s))) {
                busy = s;
                number = s->n_enqueued;
            }
        pthread_mutex_unlock(&lock);
        if (!busy)
            return sticky(dev);
        wait_for(dev, &busy->n_done, number);
    }
}

hipError_t
ls_stream_wait(struct ihipStream_t *s)
{
    uint64_t number;
    bool mark;

    pthread_mutex_lock(&lock);
    number = s->n_enqueued;
    mark = s->is_null && others_busy(s); /* the null stream's end is theirs too */
    pthread_mutex_unlock(&lock);
    if (mark) {
        struct ls_cmd *cmd = ls_cmd_create(s, LS_CMD_MARK);

        number = cmd ? enqueue(cmd) : 0;
        if (number == 0)
            return wait_one_by_one(s->dev, true);
    }
    return wait_for(s->dev, &s->n_done, number);
}

bool
ls_stream_is_idle(struct ihipStream_t *s)
{
    bool idle;

    pthread_mutex_lock(&lock);
    idle = !s->head && !(s->is_null && others_busy(s));
    pthread_mutex_unlock(&lock);
    if (!idle)
        s->dev->ops->queue.poke(s->dev);
    return idle;
}

static hipError_t
wait_device(struct ls_device *dev)
{
    struct ihipStream_t *hidden = &hidden_streams[dev->index];
    struct ls_cmd *cmd;
    struct ihipStream_t *busy = NULL;
    uint64_t number = 0;
    unsigned n_busy = 0;
    bool ended;

    pthread_mutex_lock(&lock);
    for (struct ihipStream_t *s = streams; s; s = s->next)
        if (s->dev == dev && s->tail) {
            n_busy++;
            busy = s;
            number = s->n_enqueued;
        }
    pthread_mutex_unlock(&lock);
    if (n_busy == 0)
        return sticky(dev);
    if (n_busy == 1)
        return wait_for(dev, &busy->n_done, number);
    cmd = ls_cmd_create(hidden, LS_CMD_MARK);
    if (!cmd)
        return wait_one_by_one(dev, false);
    cmd->work.done = work_done;
    pthread_mutex_lock(&lock);
    if (!reserve_edges(n_streams + 1)) {
        put_cmd(cmd);
        pthread_mutex_unlock(&lock);
        return wait_one_by_one(dev, false);
    }
    for (struct ihipStream_t *s = streams; s; s = s->next)
        if (s->dev == dev && s->tail)
            add_edge(s->tail, cmd);
    number = append(cmd, &ended);
    pthread_mutex_unlock(&lock);
    return wait_for(dev, &hidden->n_done, number);
}

hipError_t
ls_queue_wait_all(struct ls_device *dev)
{
    hipError_t err = hipSuccess;

    if (dev)
        return wait_device(dev);
    for (int i = 0; i < ls_rt.n_devices; i++) {
        hipError_t one = wait_device(&ls_rt.gpus[i].dev);

        if (err == hipSuccess)
            err = one;
    }
    return err;
}

uint64_t
ls_stream_position(struct ihipStream_t *s)
{
    uint64_t number;

    pthread_mutex_lock(&lock);
    number = s->n_enqueued;
    pthread_mutex_unlock(&lock);
    return number;
}

bool
ls_queue_is_used(const struct ls_device *dev)
{
    bool used;

    pthread_mutex_lock(&lock);
    used = null_streams[dev->index].n_enqueued > 0;
    for (const struct ihipStream_t *s = streams; s; s = s->next)
        used |= s->dev == dev && !s->is_null;
    pthread_mutex_unlock(&lock);
    return used;
}

bool
ls_stream_has_waited(const struct ihipStream_t *s, const struct ihipStream_t *other,
                     uint64_t position)
{
    bool has = false;

    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < LS_MAX_WAITED; i++)
        has |= s->waited[i].stream == other && s->waited[i].position >= position;
    pthread_mutex_unlock(&lock);
    return has;
}

/* A stream whose first command runs on the device. Lock held. */
static struct ihipStream_t *
running(void)
{
    for (struct ihipStream_t *s = streams; s; s = s->next)
        if (s->head && s->head->n_deps == 0 && s->head->kind != LS_CMD_POLL)
            return s;
    return NULL;
}

hipError_t
ls_queue_run_alone(hipError_t (*fn)(void *arg), void *arg)
{
    struct ihipStream_t *busy;
    hipError_t err;

    for (;;) {
        uint64_t next = 0;

        pthread_mutex_lock(&lock);
        busy = running();
        if (!busy)
            break;
        next = atomic_load(&busy->n_done) + 1;
        pthread_mutex_unlock(&lock);
        wait_for(busy->dev, &busy->n_done, next);
    }
    err = fn(arg);
    pthread_mutex_unlock(&lock);
    return err;
}

/* Streams */

void
ls_queue_start(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ls_rt.n_devices; i++) {
        struct ls_device *dev = &ls_rt.gpus[i].dev;

        null_streams[i] = (struct ihipStream_t){.magic = LS_STREAM_MAGIC,
                                                .is_null = true,
                                                .id = (uint64_t)i << 32,
                                                .sync_policy = hipSyncPolicyAuto,
                                                .dev = dev,
                                                .null = &null_streams[i]};
        hidden_streams[i] = (struct ihipStream_t){.magic = LS_STREAM_MAGIC,
                                                  .flags = hipStreamNonBlocking,
                                                  .dev = dev,
                                                  .null = &null_streams[i]};
        list_stream(&null_streams[i]);
    }
    pthread_mutex_unlock(&lock);
}

hipError_t
ls_stream_create(unsigned flags, int priority, struct ihipStream_t **out)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    struct ihipStream_t *s;

    pthread_mutex_lock(&lock);
    s = ls_slab_get(&stream_pool);
    if (s) {
        s->flags = flags;
        atomic_store(&s->sync_policy, hipSyncPolicyAuto);
        s->priority = priority < -1 ? -1 : priority > 1 ? 1 : priority;
        s->is_null = s->destroyed = false;
        s->dev = dev;
        s->null = &null_streams[dev->index];
        s->n_cu_words = 0;
        memset(s->waited, 0, sizeof(s->waited));
        s->head = s->tail = NULL;
        atomic_store(&s->capture, NULL);
        s->n_enqueued = atomic_load(&s->n_done); /* counts on: an old waiter must not wait anew */
        s->id = next_stream_id++;
        list_stream(s);
        s->magic = LS_STREAM_MAGIC;
    }
    pthread_mutex_unlock(&lock);
    *out = s;
    return s ? hipSuccess : hipErrorOutOfMemory;
}

void
ls_stream_destroy(struct ihipStream_t *s)
{
    if (!s)
        return;
    ls_capture_leave(s);
    pthread_mutex_lock(&lock);
    s->magic = 0;
    s->destroyed = true;
    if (!s->head) {
        unlist_stream(s);
        ls_slab_put(&stream_pool, s);
    }
    pthread_mutex_unlock(&lock);
}

void
ls_queue_reset(const struct ls_device *dev)
{
    struct ihipStream_t *next;

    pthread_mutex_lock(&lock);
    for (struct ihipStream_t *s = streams; s; s = next) {
        next = s->next;
        if (s->dev != dev || s->is_null || s->head)
            continue;
        s->magic = 0;
        unlist_stream(s);
        ls_slab_put(&stream_pool, s);
    }
    pthread_mutex_unlock(&lock);
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
    if (!*out || (*out)->magic != LS_STREAM_MAGIC)
        err = ls_stream_create(hipStreamDefault, 0, out);
    t->streams[t->device] = *out;
    return err;
}

hipError_t
ls_stream_resolve(hipStream_t handle, struct ihipStream_t **out)
{
    if (handle == NULL || handle == hipStreamLegacy) {
        *out = &null_streams[ls_gpu_current()->dev.index];
        return hipSuccess;
    }
    if (handle == hipStreamPerThread)
        return thread_stream(ls_thread_get(), out);
    if (!ls_slab_holds(&stream_pool, handle) || handle->magic != LS_STREAM_MAGIC)
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
static hipError_t
wait_shared(struct ihipStream_t *s, struct ihipEvent_t *event)
{
    struct shared_target target = {event->shared, atomic_load(&event->shared->n_recorded)};
    struct ls_cmd *cmd;

    if (is_shared_reached(&target))
        return hipSuccess;
    cmd = ls_cmd_create(s, LS_CMD_POLL);
    if (!cmd)
        return hipErrorOutOfMemory;
    memcpy(cmd->bytes, &target, sizeof(target));
    cmd->call = is_shared_reached;
    cmd->event = event; /* stays until then; nothing is recorded */
    cmd->event_generation = 0;
    pthread_mutex_lock(&lock);
    event->n_pending++;
    pthread_mutex_unlock(&lock);
    return ls_cmd_enqueue(cmd);
}

hipError_t
ls_stream_wait_event(struct ihipStream_t *s, struct ihipEvent_t *event)
{
    struct ls_cmd *cmd;
    bool ended = false, captured;
    hipError_t err = ls_capture_wait_event(s, event, &captured);

    if (err != hipSuccess || captured)
        return err;
    if (event->shared)
        return wait_shared(s, event);
    cmd = ls_cmd_create(s, LS_CMD_MARK);
    if (!cmd)
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&lock);
    if (!reserve_edges(1 + edges_of(s))) {
        put_cmd(cmd);
        pthread_mutex_unlock(&lock);
        return hipErrorOutOfMemory;
    }
    if (event->at.stream && event->at.stream != s)
        s->waited[s->next_waited++ % LS_MAX_WAITED] = event->at;
    if (event->last && event->last->stream != s) {
        add_edge(event->last, cmd);
        append(cmd, &ended);
    } else {
        put_cmd(cmd);
    }
    unlock(ended);
    return hipSuccess;
}

/* Events */

bool
ls_event_is_valid(const struct ihipEvent_t *event)
{
    return event && ls_slab_holds(&event_pool, event) && event->magic == LS_EVENT_MAGIC;
}

static hipError_t
create_event(unsigned flags, struct ls_shared_event *shared, int fd, struct ihipEvent_t **out)
{
    struct ls_device *dev = &ls_gpu_current()->dev;
    struct ihipEvent_t *e;

    pthread_mutex_lock(&lock);
    e = ls_slab_get(&event_pool);
    if (e) {
        e->flags = flags;
        e->dev = dev;
        e->destroyed = false;
        e->last = NULL;
        e->n_pending = 0;
        e->n_recorded = 0;
        e->at = (struct ls_waited){NULL, 0};
        atomic_store(&e->stream, NULL);
        atomic_store(&e->n_done, 0);
        atomic_store(&e->time_ns, 0);
        e->shared = shared;
        e->shared_fd = fd;
        e->magic = LS_EVENT_MAGIC;
    }
    pthread_mutex_unlock(&lock);
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

void
ls_event_destroy(struct ihipEvent_t *e)
{
    ls_capture_forget_event(e);
    pthread_mutex_lock(&lock);
    e->magic = 0;
    e->destroyed = true;
    if (e->n_pending == 0)
        put_event(e);
    pthread_mutex_unlock(&lock);
}

void
ls_cmd_attach_events(struct ls_cmd *cmd, struct ihipEvent_t *start_event, struct ihipEvent_t *stop)
{
    pthread_mutex_lock(&lock);
    if (start_event) {
        start_event->at.stream = NULL;
        start_event->n_pending++;
        start_event->last = cmd;
        cmd->start_event = start_event;
        cmd->start_generation = next_record(start_event);
    }
    if (stop) {
        stop->at.stream = NULL;
        stop->n_pending++;
        stop->last = cmd;
        cmd->event = stop;
        cmd->event_generation = next_record(stop);
    }
    pthread_mutex_unlock(&lock);
}

hipError_t
ls_event_record(struct ihipEvent_t *event, struct ihipStream_t *s)
{
    struct ls_cmd *cmd;
    bool ended, captured;
    hipError_t err = ls_capture_record_event(s, event, &captured);

    if (err != hipSuccess || captured)
        return err;
    if (event->dev != s->dev)
        return ls_err(hipErrorInvalidHandle, "an event of device %u", event->dev->index);
    cmd = ls_cmd_create(s, LS_CMD_EVENT);
    if (!cmd)
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&lock);
    if (!reserve_edges(edges_of(s))) {
        put_cmd(cmd);
        pthread_mutex_unlock(&lock);
        return hipErrorOutOfMemory;
    }
    event->n_pending++;
    event->last = cmd;
    cmd->event = event;
    cmd->event_generation = next_record(event);
    event->at.stream = s;
    event->at.position = append(cmd, &ended);
    unlock(ended);
    return hipSuccess;
}

static uint64_t
recorded(struct ihipEvent_t *event)
{
    uint64_t n;

    pthread_mutex_lock(&lock);
    n = event->n_recorded;
    pthread_mutex_unlock(&lock);
    return n;
}

bool
ls_event_was_recorded(struct ihipEvent_t *event)
{
    return recorded(event) > 0;
}

static bool
is_shared_done(void *arg)
{
    return ls_shared_event_is_done(arg);
}

hipError_t
ls_event_query(struct ihipEvent_t *event)
{
    if (event->shared && ls_shared_event_is_done(event->shared))
        return sticky(event->dev);
    if (!event->shared && atomic_load(&event->n_done) >= recorded(event))
        return sticky(event->dev);
    event->dev->ops->queue.poke(event->dev);
    return hipErrorNotReady;
}

hipError_t
ls_event_wait(struct ihipEvent_t *event)
{
    if (event->shared) {
        if (!is_shared_done(event->shared))
            event->dev->ops->queue.wait(event->dev, is_shared_done, event->shared);
        return sticky(event->dev);
    }
    return wait_for(event->dev, &event->n_done, recorded(event));
}

/* Launches of plans */

static bool
is_own_record(const struct ls_plan *plan, const struct ihipEvent_t *event)
{
    for (uint32_t i = 0; i < plan->n_records; i++)
        if (plan->records[i] == event)
            return true;
    return false;
}

hipError_t
ls_plan_launch(struct ls_plan *p, struct ls_turn *turn, struct ihipStream_t *s)
{
    struct ls_cmd *cmd = ls_cmd_create(s, LS_CMD_WORK);
    uint64_t *generations;
    bool ended;

    if (!cmd)
        return hipErrorOutOfMemory;
    generations = (void *)cmd->bytes;
    if (p->n_records * sizeof(*generations) > sizeof(cmd->bytes))
        generations = cmd->heap = malloc(p->n_records * sizeof(*generations));
    if (!generations) {
        ls_cmd_cancel(cmd);
        return hipErrorOutOfMemory;
    }
    cmd->work.kind = p->graph.n_works ? LS_WORK_GRAPH : LS_WORK_NONE;
    cmd->kind = p->graph.n_works ? LS_CMD_WORK : LS_CMD_MARK;
    cmd->work.graph = &p->graph;
    cmd->work.done = work_done;
    cmd->plan = p;
    cmd->turn = turn;
    pthread_mutex_lock(&lock);
    if (!reserve_edges(1 + p->n_waits + edges_of(s))) {
        pthread_mutex_unlock(&lock);
        cmd->plan = NULL;
        ls_cmd_cancel(cmd);
        return hipErrorOutOfMemory;
    }
    p->shared.n_refs++;
    turn->shared.n_refs++;
    if (turn->last && turn->last->stream != s)
        add_edge(turn->last, cmd);
    turn->last = cmd;
    for (uint32_t i = 0; i < p->n_waits; i++)
        if (p->waits[i]->last && p->waits[i]->last->stream != s && !is_own_record(p, p->waits[i]))
            add_edge(p->waits[i]->last, cmd);
    for (uint32_t i = 0; i < p->n_records; i++) {
        struct ihipEvent_t *e = p->records[i];

        e->n_pending++;
        e->last = cmd;
        generations[i] = next_record(e);
        e->at.stream = NULL;
    }
    append(cmd, &ended);
    unlock(ended);
    return hipSuccess;
}

void
ls_plan_record(struct ls_plan *p, uint32_t index)
{
    struct ihipEvent_t *e = p->records[index];
    const uint64_t *generations;

    pthread_mutex_lock(&lock);
    generations = p->current->heap ? p->current->heap : (const void *)p->current->bytes;
    if (generations[index] > atomic_load(&e->n_done)) {
        atomic_store(&e->time_ns, now_ns());
        atomic_store(&e->n_done, generations[index]);
        if (e->shared)
            ls_shared_event_set_done(e->shared, generations[index]);
    }
    unlock(true);
}
