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
#include "runtime/queue/queue_priv.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

#define SETTLE_NS     1000000000u /* how long a process that ends waits for kernels */
#define SETTLE_NAP_NS 200000

/* Lock held, as in all static functions below that say nothing else. */

/* Called by the device, without locks: works that have ended. */
static void
works_done(struct ls_work *const *works, unsigned n)
{
    pthread_mutex_lock(&ls_queue.lock);
    for (unsigned i = 0; i < n; i++) {
        struct ls_cmd *cmd = (struct ls_cmd *)(void *)works[i], *ready = NULL;

        cmd->is_done = cmd->n_branches > 0;
        if (!cmd->is_done)
            ls_queue_end_cmd(cmd, &ready);
        ls_queue_run_ready(ready);
    }
    ls_queue_check_polls();
    ls_queue_unlock(true);
}

/* The same, of one that may have failed. */
static void
work_done(struct ls_work *work, hipError_t err)
{
    struct ls_cmd *cmd = (struct ls_cmd *)(void *)work;
    int none = 0;

    if (err != hipSuccess)
        atomic_compare_exchange_strong(&cmd->stream->dev->sticky, &none, (int)err);
    works_done(&work, 1);
}

void
ls_queue_serve(struct ls_device *dev)
{
    dev->usual_done = work_done;
    dev->usual_done_all = works_done;
}

uint64_t
ls_queue_append(struct ls_cmd *cmd, bool *ended)
{
    struct ihipStream_t *s = cmd->stream;
    uint64_t number = ++s->n_enqueued;

    if (ls_check_wants_host())
        ls_hold_cmd(cmd);
    if (s->tail) {
        s->tail->next = cmd;
        cmd->follows = s->tail->flows;
        cmd->n_deps++;
    } else {
        s->head = cmd;
    }
    s->tail = cmd;
    if (s->is_null) {
        for (struct ihipStream_t *o = ls_queue.streams; o; o = o->next)
            if (o != s && o->dev == s->dev && o->tail && ls_queue_is_blocking(o))
                ls_queue_add_edge(o->tail, cmd);
    } else if (ls_queue_is_blocking(s) && s->null->tail) {
        ls_queue_add_edge(s->null->tail, cmd);
    }
    if (ls_check_orders())
        ls_queue_order_cmd(cmd);
    *ended = false;
    if (cmd->n_deps == 0) {
        cmd->next_ready = NULL;
        *ended = ls_queue_run_ready(cmd);
    } else if (cmd->n_deps == 1 && cmd->follows) {
        ls_queue_flow(cmd);
    }
    return number;
}

/* The number of the latest command, for who is about to wait for it. */
static uint64_t
seal(struct ihipStream_t *s)
{
    if (s->tail)
        s->tail->sealed = true;
    return s->n_enqueued;
}

/* Edges that ls_queue_append and join_others take at most. */
static uint32_t
edges_of(const struct ls_cmd *cmd)
{
    return ls_queue_edges_of(cmd->stream) +
           (cmd->others ? (1 + (uint32_t)ls_rt.n_devices) * (ls_queue.n_streams + 1) : 0);
}

static void
cancel_marks(struct ls_cmd *marks)
{
    while (marks) {
        struct ls_cmd *next = marks->next;

        ls_cmd_cancel(marks);
        marks = next;
    }
}

/* Marks for the null streams of other devices that a command joins, linked by `next`. No lock.
 * False when out of memory. */
static bool
make_marks(const struct ls_cmd *cmd, struct ls_cmd **marks)
{
    *marks = NULL;
    for (uint32_t left = cmd->others; left; left &= left - 1) {
        struct ls_cmd *mark = ls_cmd_create(&ls_queue.null[__builtin_ctz(left)], LS_CMD_MARK);

        if (!mark) {
            cancel_marks(*marks);
            return false;
        }
        mark->work.done = work_done;
        mark->next = *marks;
        *marks = mark;
    }
    return true;
}

/* Called before a command is appended that belongs to null streams of other devices, too: it waits
 * for what these would wait for, and becomes the latest work in each. */
static void
join_others(struct ls_cmd *cmd, struct ls_cmd *marks)
{
    bool ended;

    while (marks) {
        struct ls_cmd *mark = marks;

        marks = mark->next;
        mark->next = NULL;
        for (struct ihipStream_t *o = ls_queue.streams; o; o = o->next)
            if (o->dev == mark->stream->dev && o->tail && ls_queue_is_blocking(o))
                ls_queue_add_edge(o->tail, cmd);
        ls_queue_add_edge(cmd, mark);
        ls_queue_append(mark, &ended);
    }
}

uint32_t
ls_stream_others(const struct ihipStream_t *s, uint32_t memory, bool is_fill)
{
    bool is_between = (memory & (memory - 1)) != 0; /* more than one device */

    return s->is_null || (!is_fill && !is_between) ? memory & ~(1u << s->dev->index) : 0;
}

/* Puts a command into its stream; *number is its number there. If that fails, the command is
 * freed. */
static hipError_t
enqueue(struct ls_cmd *cmd, uint64_t *number)
{
    hipError_t err = hipErrorOutOfMemory;
    struct ls_device *dev = cmd->stream->dev;
    struct ls_cmd *marks = NULL;
    bool ended = false;

    cmd->work.done = work_done;
    if (cmd->others && !make_marks(cmd, &marks)) {
        ls_cmd_cancel(cmd);
        return err;
    }
    pthread_mutex_lock(&ls_queue.lock);
    if (!ls_queue_has_stream(cmd)) {
        err = hipErrorContextIsDestroyed;
    } else if (ls_queue_reserve_edges(edges_of(cmd)) &&
               (cmd->kind != LS_CMD_POLL || ls_queue_start_polling())) {
        join_others(cmd, marks);
        *number = ls_queue_append(cmd, &ended);
        err = hipSuccess;
    }
    ls_queue_unlock(ended);
    if (err != hipSuccess) {
        cancel_marks(marks);
        ls_cmd_cancel(cmd);
    } else if (dev->ops->queue.passed) {
        dev->ops->queue.passed(dev);
    }
    return err;
}

struct ls_device *
ls_stream_doer(const struct ihipStream_t *s, uint32_t memory)
{
    for (uint32_t left = memory & ~(1u << s->dev->index); left; left &= left - 1) {
        struct ls_gpu *gpu = &ls_rt.gpus[__builtin_ctz(left)];

        if (!gpu->info.host_access && gpu->dev.ops->name != s->dev->ops->name)
            return &gpu->dev;
    }
    return s->dev;
}

hipError_t
ls_cmd_enqueue(struct ls_cmd *cmd)
{
    uint64_t number;

    return enqueue(cmd, &number);
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
           t->value; /* acquire: what the ended work wrote is visible */
}

hipError_t
ls_queue_wait_for(struct ls_device *dev, const _Atomic uint64_t *counter, uint64_t value)
{
    struct target t = {counter, value};

    ls_hold_end();
    if (!is_reached(&t))
        dev->ops->queue.wait(dev, is_reached, &t);
    return ls_queue_sticky(dev);
}

hipError_t
ls_cmd_enqueue_wait(struct ls_cmd *cmd)
{
    struct ihipStream_t *s = cmd->stream;
    struct ls_device *dev = s->dev;
    uint64_t number;
    hipError_t err;

    cmd->sealed = true;
    err = enqueue(cmd, &number);
    if (err == hipSuccess) {
        struct ls_check_clock *clock = ls_check_orders() ? ls_queue_clock_of(dev, s) : NULL;

        err = ls_queue_wait_for(dev, &s->n_done, number);
        if (clock)
            ls_queue_host_saw(clock);
    }
    return err;
}

/* Whether a device has work that its null stream would wait for; `s`, a stream of another device,
 * does not count. */
static bool
is_busy(const struct ls_device *dev, const struct ihipStream_t *s)
{
    for (const struct ihipStream_t *o = ls_queue.streams; o; o = o->next)
        if (o != s && o->dev == dev && o->tail && ls_queue_is_blocking(o))
            return true;
    return false;
}

static bool
others_busy(const struct ihipStream_t *s)
{
    return is_busy(s->dev, s);
}

/* Whether a new command would wait for other streams, by the rules of the null stream. */
static bool
waits_for_others(const struct ihipStream_t *s)
{
    return s->is_null ? others_busy(s) : ls_queue_is_blocking(s) && s->null->tail;
}

/* Whether the latest command is one that a launch may become a part of: nobody but its stream knows
 * of it, and the launch would wait for nothing else. */
static bool
takes_launches(const struct ihipStream_t *s)
{
    const struct ls_cmd *cmd = s->tail;

    return cmd && cmd->kind == LS_CMD_WORK && cmd->work.kind == LS_WORK_KERNEL && cmd->flows &&
           !cmd->sealed && cmd->counts && !cmd->edges && !cmd->event && !cmd->start_event &&
           !cmd->work.kernel.source->launches && !ls_queue_is_failed(cmd) && !waits_for_others(s);
}

bool
ls_stream_join(struct ihipStream_t *s, const struct ls_work_kernel *kernel, void **args)
{
    struct ls_device *dev = s->dev;
    enum ls_join how = LS_JOIN_NO;

    if (!dev->ops->queue.join || ls_check_wants_host() || ls_check_orders())
        return false;
    pthread_mutex_lock(&ls_queue.lock);
    if (ls_queue_is_alive(s) && takes_launches(s))
        how = dev->ops->queue.join(dev, &s->tail->work, kernel, args);
    pthread_mutex_unlock(&ls_queue.lock);
    if (how == LS_JOIN_POKE)
        dev->ops->queue.poke(dev);
    return how != LS_JOIN_NO;
}

/* A copy that this thread makes at once is a command of its stream. */
static void
order_copy(struct ihipStream_t *s, uint32_t others)
{
    struct ls_cmd cmd = {.stream = s, .others = others};

    ls_queue_order_cmd(&cmd);
    ls_check_host_saw(cmd.clock);
    ls_check_clock_drop(&cmd.clock);
    ls_check_copy_clock = s->clock;
}

bool
ls_stream_copy_now(struct ihipStream_t *s, const struct ls_work_copy *copy, struct ls_device *doer,
                   uint32_t others)
{
    struct ls_device *dev = s->dev;
    hipError_t err = hipSuccess;
    bool done;
    int none = 0;

    LS_ASSERT_FITS(copy->row_bytes, LS_COPY_NOW_BYTES);
    if (!doer->ops->queue.copy_here || atomic_load_explicit(&s->capture, memory_order_relaxed))
        return false; /* relaxed: a capture that begins at the same time need not record this
                       * copy */
    ls_hold_end();
    pthread_mutex_lock(
        &ls_queue.lock); /* held during the copy, so that later commands wait for it */
    done = ls_queue_is_alive(s) && !s->tail && !waits_for_others(s);
    for (uint32_t left = others; left && done; left &= left - 1)
        done = !is_busy(&ls_rt.gpus[__builtin_ctz(left)].dev, s);
    if (done && ls_check_orders())
        order_copy(s, others);
    done = done && doer->ops->queue.copy_here(doer, copy, &err);
    if (done) {
        s->n_enqueued++;
        atomic_fetch_add(&s->n_done, 1);
    }
    pthread_mutex_unlock(&ls_queue.lock);
    if (err != hipSuccess)
        atomic_compare_exchange_strong(&dev->sticky, &none, (int)err);
    return done;
}

/* Waits for one stream after the other, where there is no memory to wait for all at once. */
static hipError_t
wait_one_by_one(struct ls_device *dev, bool only_blocking)
{
    for (;;) {
        struct ihipStream_t *busy = NULL;
        uint64_t number = 0;

        pthread_mutex_lock(&ls_queue.lock);
        for (struct ihipStream_t *s = ls_queue.streams; s; s = s->next)
            if (s->dev == dev && s->tail && (!only_blocking || ls_queue_is_blocking(s))) {
                busy = s;
                number = seal(s);
            }
        pthread_mutex_unlock(&ls_queue.lock);
        if (!busy)
            return ls_queue_sticky(dev);
        ls_queue_wait_for(dev, &busy->n_done, number);
    }
}

uint64_t
ls_stream_position(struct ihipStream_t *s)
{
    struct ls_cmd *cmd;
    uint64_t number;
    bool mark;

    pthread_mutex_lock(&ls_queue.lock);
    number = seal(s);
    mark = waits_for_others(s);
    pthread_mutex_unlock(&ls_queue.lock);
    if (!mark)
        return number;
    cmd = ls_cmd_create(s, LS_CMD_MARK);
    if (cmd && enqueue(cmd, &number) == hipSuccess)
        return number;
    wait_one_by_one(s->dev, true);
    pthread_mutex_lock(&ls_queue.lock);
    number = seal(s);
    pthread_mutex_unlock(&ls_queue.lock);
    return number;
}

hipError_t
ls_stream_wait(struct ihipStream_t *s)
{
    struct ls_check_clock *clock;
    hipError_t err;
    uint64_t number;
    bool mark;

    pthread_mutex_lock(&ls_queue.lock);
    number = seal(s);
    mark = s->is_null && others_busy(s); /* the null stream has ended only when they have */
    pthread_mutex_unlock(&ls_queue.lock);
    if (mark) {
        struct ls_cmd *cmd = ls_cmd_create(s, LS_CMD_MARK);

        if (!cmd || enqueue(cmd, &number) != hipSuccess)
            return wait_one_by_one(s->dev, true);
    }
    clock = ls_check_orders() ? ls_queue_clock_of(s->dev, s) : NULL;
    err = ls_queue_wait_for(s->dev, &s->n_done, number);
    if (clock)
        ls_queue_host_saw(clock);
    return err;
}

bool
ls_stream_is_idle(struct ihipStream_t *s)
{
    bool idle;

    ls_hold_end();
    pthread_mutex_lock(&ls_queue.lock);
    idle = !s->head && !(s->is_null && others_busy(s));
    pthread_mutex_unlock(&ls_queue.lock);
    if (idle && ls_check_orders())
        ls_queue_host_saw(ls_queue_clock_of(s->dev, s));
    if (!idle)
        s->dev->ops->queue.poke(s->dev);
    return idle;
}

static hipError_t
wait_all_of(struct ls_device *dev)
{
    struct ihipStream_t *hidden = &ls_queue.hidden[dev->index];
    struct ls_cmd *cmd;
    struct ihipStream_t *busy = NULL;
    uint64_t number = 0;
    unsigned n_busy = 0;
    bool ended;

    pthread_mutex_lock(&ls_queue.lock);
    for (struct ihipStream_t *s = ls_queue.streams; s; s = s->next)
        if (s->dev == dev && s->tail) {
            n_busy++;
            busy = s;
            number = seal(s);
        }
    pthread_mutex_unlock(&ls_queue.lock);
    if (n_busy == 0)
        return ls_queue_sticky(dev);
    if (n_busy == 1)
        return ls_queue_wait_for(dev, &busy->n_done, number);
    cmd = ls_cmd_create(hidden, LS_CMD_MARK);
    if (!cmd)
        return wait_one_by_one(dev, false);
    cmd->work.done = work_done;
    pthread_mutex_lock(&ls_queue.lock);
    if (!ls_queue_reserve_edges(ls_queue.n_streams + 1)) {
        ls_queue_put_cmd(cmd);
        pthread_mutex_unlock(&ls_queue.lock);
        return wait_one_by_one(dev, false);
    }
    for (struct ihipStream_t *s = ls_queue.streams; s; s = s->next)
        if (s->dev == dev && s->tail)
            ls_queue_add_edge(s->tail, cmd);
    number = ls_queue_append(cmd, &ended);
    pthread_mutex_unlock(&ls_queue.lock);
    return ls_queue_wait_for(dev, &hidden->n_done, number);
}

static hipError_t
wait_device(struct ls_device *dev)
{
    struct ls_check_clock *clock = ls_check_orders() ? ls_queue_clock_of(dev, NULL) : NULL;
    hipError_t err = wait_all_of(dev);

    if (clock)
        ls_queue_host_saw(clock);
    return err;
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

struct deadline {
    const struct ls_device *dev;
    uint64_t ns;
    bool ended;
};

static bool
has_ended_or_late(void *arg)
{
    struct deadline *d = arg;

    d->ended = true;
    pthread_mutex_lock(&ls_queue.lock);
    for (const struct ihipStream_t *s = ls_queue.streams; s && d->ended; s = s->next)
        d->ended = s->dev != d->dev || !s->head;
    d->ended = d->ended && !ls_queue.hidden[d->dev->index].head;
    pthread_mutex_unlock(&ls_queue.lock);
    return d->ended || ls_now_ns() >= d->ns;
}

bool
ls_queue_ends(struct ls_device *dev, uint64_t ns)
{
    struct deadline d = {dev, ls_now_ns() + ns, false};

    ls_hold_end();
    dev->ops->queue.wait(dev, has_ended_or_late, &d);
    return d.ended;
}

/* A stream whose first command runs on the device. Lock held. */
static struct ihipStream_t *
running(void)
{
    for (struct ihipStream_t *s = ls_queue.streams; s; s = s->next)
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

        pthread_mutex_lock(&ls_queue.lock);
        busy = running();
        if (!busy)
            break;
        next = atomic_load(&busy->n_done) + 1;
        busy->head->sealed = true;
        pthread_mutex_unlock(&ls_queue.lock);
        ls_queue_wait_for(busy->dev, &busy->n_done, next);
    }
    err = fn(arg);
    pthread_mutex_unlock(&ls_queue.lock);
    return err;
}

bool
ls_queue_settle(void)
{
    const struct timespec nap = {0, SETTLE_NAP_NS};
    uint64_t until = ls_now_ns() + SETTLE_NS;

    ls_hold_end();
    for (;;) {
        struct ihipStream_t *busy = NULL;
        bool left = false;

        pthread_mutex_lock(&ls_queue.lock);
        for (struct ihipStream_t *s = ls_queue.streams; s; s = s->next) {
            left |= s->head != NULL;
            if (s->head && s->head->n_deps == 0 && s->head->kind == LS_CMD_WORK &&
                s->head->n_branches == 0 && s->dev->ops->queue.ends(&s->head->work))
                busy = s;
        }
        pthread_mutex_unlock(&ls_queue.lock);
        if (!busy || ls_now_ns() >= until)
            return !left;
        busy->dev->ops->queue.poke(
            busy->dev); /* this thread does not help: it could not stop helping in time */
        nanosleep(&nap, NULL);
    }
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

/* Puts a command into its stream right behind `at`; what waits for `at` then waits for `cmd`,
 * too. */
static void
insert_after(struct ls_cmd *at, struct ls_cmd *cmd)
{
    cmd->n_deps++;
    cmd->next = at->next;
    at->next = cmd;
    if (cmd->stream->tail == at)
        cmd->stream->tail = cmd;
    cmd->counts = at->counts;
    at->counts = false;
    cmd->edges = at->edges;
    at->edges = NULL;
    cmd->event = at->event;
    cmd->event_generation = at->event_generation;
    at->event = NULL;
    if (cmd->event && cmd->event->last == at)
        cmd->event->last = cmd;
}

static struct ls_cmd *
create_launch(struct ls_plan *p, struct ls_turn *turn, struct ihipStream_t *s)
{
    struct ls_cmd *cmd = ls_cmd_create(s, LS_CMD_WORK);
    size_t bytes = p->n_records * sizeof(uint64_t); /* a generation for each record */

    if (!cmd)
        return NULL;
    if (bytes > sizeof(cmd->bytes) && !(cmd->heap = malloc(bytes))) {
        ls_cmd_cancel(cmd);
        return NULL;
    }
    cmd->work.kind = p->graph.n_works ? LS_WORK_GRAPH : LS_WORK_NONE;
    cmd->kind = p->graph.n_works ? LS_CMD_WORK : LS_CMD_MARK;
    cmd->work.graph = &p->graph;
    cmd->work.done = work_done;
    cmd->work.launch = p->launch_by;
    cmd->plan = p;
    cmd->turn = turn;
    return cmd;
}

static void
cancel_launch(struct ls_cmd *cmd)
{
    cmd->plan = NULL; /* the command has not taken references to it yet */
    ls_cmd_cancel(cmd);
}

/* Puts a launch into its turn, behind the latest launch of it. The edges that this takes are
 * reserved. */
static void
begin_turn(struct ls_cmd *cmd)
{
    struct ls_plan *p = cmd->plan;
    const struct ls_cmd *first = cmd->behind;
    struct ls_turn *turn = cmd->turn;
    uint64_t *generations = cmd->heap ? cmd->heap : (void *)cmd->bytes;

    p->shared.n_refs++;
    turn->shared.n_refs++;
    if (turn->last && turn->last->stream != cmd->stream)
        ls_queue_add_edge(turn->last, cmd);
    if (!first || !turn->last || turn->last == first || turn->last->behind == first)
        turn->last = cmd; /* else a launch that waits in the stream stays the latest */
    for (uint32_t i = 0; i < p->n_waits; i++)
        if (p->waits[i]->last && p->waits[i]->last->stream != cmd->stream &&
            !is_own_record(p, p->waits[i]))
            ls_queue_add_edge(p->waits[i]->last, cmd);
    for (uint32_t i = 0; i < p->n_records; i++) {
        struct ihipEvent_t *e = p->records[i];

        generations[i] = 0; /* the event may be destroyed by now */
        if (!ls_queue_event_is_alive(e))
            continue;
        e->n_pending++;
        e->last = cmd;
        generations[i] = ls_queue_next_record(e);
        e->at.stream = NULL;
    }
}

hipError_t
ls_plan_launch(struct ls_plan *p, struct ls_turn *turn, struct ihipStream_t *s, uint32_t others)
{
    struct ls_cmd *cmd = create_launch(p, turn, s), *marks = NULL;
    hipError_t err = hipSuccess;
    bool ended = false;

    if (!cmd)
        return hipErrorOutOfMemory;
    cmd->others = others;
    if (others && !make_marks(cmd, &marks)) {
        cancel_launch(cmd);
        return hipErrorOutOfMemory;
    }
    pthread_mutex_lock(&ls_queue.lock);
    if (!ls_queue_has_stream(cmd))
        err = hipErrorContextIsDestroyed;
    else if (!ls_queue_reserve_edges(1 + p->n_waits + edges_of(cmd)))
        err = hipErrorOutOfMemory;
    if (err == hipSuccess) {
        begin_turn(cmd);
        join_others(cmd, marks);
        ls_queue_append(cmd, &ended);
    }
    ls_queue_unlock(ended);
    if (err != hipSuccess) {
        cancel_marks(marks);
        cancel_launch(cmd);
    }
    return err;
}

/* Launches by kernels */

/* What CUDA allows. */
#define MAX_TAILS    255u
#define MAX_BRANCHES 120u

static hipError_t
launch_tail(struct ls_cmd *by, struct ls_cmd *cmd)
{
    struct ls_cmd *at = by, *last = cmd->turn->last;
    uint32_t n = 0;

    /* A tail launch runs in front of all other work of its stream, so it must not wait for a launch
     * that may wait for that work. */
    if (last && last->stream != by->stream)
        return ls_err(hipErrorInvalidValue, "the instance is on its way in another stream");
    for (; at->next && at->next->behind == by; at = at->next)
        n++;
    if (n >= MAX_TAILS)
        return ls_err(hipErrorInvalidValue, "%u graphs wait for this one", n);
    cmd->behind = by;
    begin_turn(cmd);
    insert_after(at, cmd);
    return hipSuccess;
}

static hipError_t
launch_branch(struct ls_cmd *trunk, struct ls_cmd *cmd, bool *ended)
{
    struct ihipStream_t *s;

    if (cmd->turn->last)
        return ls_err(hipErrorInvalidValue, "the instance is on its way");
    if (trunk->n_launched >= MAX_BRANCHES)
        return ls_err(hipErrorInvalidValue, "the graph has launched %u others", trunk->n_launched);
    s = ls_queue_get_branch(trunk);
    if (!s)
        return hipErrorOutOfMemory;
    trunk->n_branches++;
    trunk->n_launched++;
    cmd->stream = s;
    begin_turn(cmd);
    ls_queue_append(cmd, ended);
    return hipSuccess;
}

/* What the command is a part of: the command that it was launched beside, or the launch by the host
 * that its stream now does. *join becomes the end of that, or stays. */
static struct ls_cmd *
whole_of(struct ls_cmd *by, struct ls_cmd **join)
{
    struct ls_cmd *last = by;

    if (by->stream->trunk)
        return by->stream->trunk;
    while (!last->counts)
        last = last->next;
    if (last->kind != LS_CMD_JOIN) {
        insert_after(last, *join);
        last = *join;
        *join = NULL;
    }
    return last;
}

hipError_t
ls_plan_launch_by(struct ls_plan *p, struct ls_turn *turn, struct ls_work *work, hipStream_t how)
{
    struct ls_cmd *by = (struct ls_cmd *)(void *)work, *join = NULL, *cmd;
    hipError_t err = hipSuccess;
    bool ended = false;

    if (how != hipStreamGraphTailLaunch && how != hipStreamGraphFireAndForget &&
        how != hipStreamGraphFireAndForgetAsSibling)
        return ls_err(hipErrorInvalidValue, "no way to launch a graph: %p", (void *)how);
    if (p->n_waits)
        return ls_err(hipErrorInvalidValue, "the instance waits for events");
    cmd = create_launch(p, turn, by->stream);
    if (how == hipStreamGraphFireAndForgetAsSibling)
        join = ls_cmd_create(by->stream, LS_CMD_JOIN);
    if (!cmd || (how == hipStreamGraphFireAndForgetAsSibling && !join)) {
        if (cmd)
            cancel_launch(cmd);
        ls_cmd_cancel(join);
        return hipErrorOutOfMemory;
    }
    pthread_mutex_lock(&ls_queue.lock);
    if (how == hipStreamGraphTailLaunch)
        err = launch_tail(by, cmd);
    else
        err = launch_branch(join ? whole_of(by, &join) : by, cmd, &ended);
    ls_queue_unlock(ended);
    if (err != hipSuccess)
        cancel_launch(cmd);
    ls_cmd_cancel(join);
    return err;
}

void
ls_plan_record(struct ls_plan *p, uint32_t index)
{
    const uint64_t *generations;

    pthread_mutex_lock(&ls_queue.lock);
    generations = p->current->heap ? p->current->heap : (const void *)p->current->bytes;
    if (generations[index])
        ls_queue_reach_record(p->records[index], generations[index]);
    ls_queue_unlock(true);
}
