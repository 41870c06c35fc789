/* SPDX-License-Identifier: MIT */
/* Commands, what waits for them, and how they end. */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "runtime/queue/queue_priv.h"

enum { SPARE_CMDS = 8 }; /* of a thread */

struct ls_edge {
    struct ls_edge *next;
    struct ls_cmd *to;
};

static struct ls_cmd *free_cmds; /* guarded by the lock, as are the next two */
static struct ls_edge *free_edges;
static struct ls_shared *dead; /* to be destroyed without the lock */

/* Prefetches the next free command. It was last written by the thread that ran it, usually on
 * another core: when it is its turn its first lines are in this core's cache. */
static void
fetch_ahead(const struct ls_cmd *cmd)
{
    for (size_t at = 0; cmd && at <= offsetof(struct ls_cmd, bytes); at += 64)
        __builtin_prefetch((const char *)cmd + at, 1);
}

/* A command that was used before: each thread has a few, for which it needs no lock. */
static struct ls_cmd *
take_spare(void)
{
    struct ls_thread *t = &ls_this_thread;
    struct ls_cmd *cmd = t->spare_cmds;

    if (!cmd) {
        struct ls_cmd **end = &cmd;

        pthread_mutex_lock(&ls_queue.lock);
        cmd = free_cmds;
        for (unsigned i = 0; *end && i < (t->known ? SPARE_CMDS : 1); i++)
            end = &(*end)->next;
        free_cmds = *end;
        pthread_mutex_unlock(&ls_queue.lock);
        *end = NULL;
    }
    if (cmd) {
        t->spare_cmds = cmd->next;
        fetch_ahead(cmd->next);
    }
    return cmd;
}

void
ls_queue_take_back(struct ls_cmd *cmds)
{
    pthread_mutex_lock(&ls_queue.lock);
    while (cmds) {
        struct ls_cmd *next = cmds->next;

        ls_queue_put_cmd(cmds);
        cmds = next;
    }
    pthread_mutex_unlock(&ls_queue.lock);
}

struct ls_cmd *
ls_cmd_create(struct ihipStream_t *stream, enum ls_cmd_kind kind)
{
    struct ls_cmd *cmd = take_spare();

    if (!cmd) {
        cmd = aligned_alloc(64, (sizeof(*cmd) + 63) / 64 * 64);
        if (!cmd)
            return NULL;
        memset(cmd, 0, sizeof(*cmd));
    }
    cmd->kind = kind;
    cmd->stream = stream;
    cmd->doer = stream->dev;
    cmd->next = NULL;
    cmd->behind = NULL;
    cmd->flows = cmd->follows = cmd->sealed = false;
    cmd->counts = true;
    cmd->others = 0;
    cmd->is_done = false;
    cmd->n_branches = cmd->n_launched = 0;
    cmd->n_deps = 0;
    cmd->edges = NULL;
    cmd->event = cmd->start_event = NULL;
    cmd->memory = NULL;
    cmd->heap = NULL;
    cmd->plan = NULL;
    cmd->turn = NULL;
    if (cmd->clock)
        ls_check_clock_drop(&cmd->clock);
    cmd->work.clock = NULL;
    cmd->origin = NULL;
    cmd->host.fn = NULL;
    cmd->repeats = false;
    cmd->work.kind = LS_WORK_NONE;
    cmd->work.priority = stream->priority;
    cmd->work.stream = stream->id;
    cmd->work.end_ns = cmd->ready_ns = 0;
    atomic_store_explicit(&cmd->work.end, 0, memory_order_relaxed); /* nobody has it yet */
    return cmd;
}

void
ls_queue_put_cmd(struct ls_cmd *cmd)
{
    cmd->next = free_cmds;
    free_cmds = cmd;
}

void
ls_cmd_cancel(struct ls_cmd *cmd)
{
    if (!cmd)
        return;
    free(cmd->heap);
    pthread_mutex_lock(&ls_queue.lock);
    if (cmd->event)
        ls_queue_undo_record(cmd->event, cmd->event_generation, cmd);
    if (cmd->start_event)
        ls_queue_undo_record(cmd->start_event, cmd->start_generation, cmd);
    ls_queue_put_cmd(cmd);
    pthread_mutex_unlock(&ls_queue.lock);
}

/* Lock held, as in all functions below that say nothing else. */

static void
put_edge(struct ls_edge *e)
{
    e->next = free_edges;
    free_edges = e;
    ls_queue.n_free_edges++;
}

bool
ls_queue_make_edges(uint32_t n)
{
    while (ls_queue.n_free_edges < n) {
        struct ls_edge *e = malloc(sizeof(*e));

        if (!e)
            return false;
        put_edge(e);
    }
    return true;
}

void
ls_queue_add_edge(struct ls_cmd *from, struct ls_cmd *to)
{
    struct ls_edge *e = free_edges;

    LS_ASSERT(e); /* reserved before */
    free_edges = e->next;
    ls_queue.n_free_edges--;
    e->to = to;
    e->next = from->edges;
    from->edges = e;
    to->n_deps++;
    if (ls_check_orders())
        ls_queue_order_edge(from, to);
}

static bool
is_discarded(const struct ls_cmd *cmd)
{
    return cmd->work.kind != LS_WORK_HOST && ls_queue_is_failed(cmd);
}

/* Whether a command may launch graphs, which come in front of what is behind it. */
static bool
launches(const struct ls_cmd *cmd)
{
    return cmd->plan || (cmd->work.kind == LS_WORK_KERNEL && cmd->work.kernel.source->launches);
}

/* Whether those behind a command need not wait for it when they need not wait for those in front of
 * it. */
static bool
can_flow(const struct ls_cmd *cmd)
{
    struct ls_device *dev = cmd->stream->dev;

    if (cmd->kind != LS_CMD_WORK)
        return cmd->kind == LS_CMD_MARK || cmd->kind == LS_CMD_EVENT || cmd->kind == LS_CMD_FREE;
    return cmd->doer == dev && !launches(cmd) && !is_discarded(cmd) &&
           dev->ops->queue.follows(dev, &cmd->work);
}

static void
submit(struct ls_cmd *cmd)
{
    if (ls_check_orders())
        ls_queue_order_host(cmd);
    cmd->doer->ops->queue.submit(cmd->doer, &cmd->work);
}

/* What is said to those behind a command that flows: each that waits for nothing else flows,
 * too. */
static void
flow_on(struct ls_cmd *cmd)
{
    while ((cmd = cmd->next)) {
        cmd->follows = true;
        if (cmd->n_deps > 1 || !can_flow(cmd))
            return;
        cmd->flows = true;
        if (cmd->kind == LS_CMD_WORK)
            submit(cmd);
    }
}

void
ls_queue_flow(struct ls_cmd *cmd)
{
    if (cmd->flows || !cmd->stream->dev->ops->queue.follows || !can_flow(cmd))
        return;
    cmd->flows = true;
    if (cmd->kind == LS_CMD_WORK)
        submit(cmd);
    flow_on(cmd);
}

void
ls_queue_drop(struct ls_cmd **ready, struct ls_cmd *cmd)
{
    if (--cmd->n_deps == 0) {
        cmd->next_ready = *ready;
        *ready = cmd;
    } else if (cmd->n_deps == 1 && cmd->follows) {
        ls_queue_flow(cmd);
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
        if (generations[i])
            ls_queue_end_record(p->records[i], generations[i], cmd, 0);
    if (p->current == cmd)
        p->current = NULL;
    if (cmd->turn->last == cmd)
        cmd->turn->last = NULL;
    drop_shared(&p->shared);
    drop_shared(&cmd->turn->shared);
}

/* A stream of a graph that ran beside a command has no more work: the command ends, if it only
 * waited for that. */
static void
end_branch(struct ihipStream_t *branch, struct ls_cmd **ready)
{
    struct ls_cmd *trunk = branch->trunk;

    ls_queue_put_branch(branch);
    if (--trunk->n_branches == 0 && trunk->is_done)
        ls_queue_end_cmd(trunk, ready);
}

/* When it ended, if that is known better than by the clock; else 0. */
static uint64_t
end_of(const struct ls_cmd *cmd)
{
    return cmd->kind == LS_CMD_WORK ? cmd->work.end_ns : cmd->ready_ns;
}

void
ls_queue_end_cmd(struct ls_cmd *cmd, struct ls_cmd **ready)
{
    struct ihipStream_t *s = cmd->stream;
    struct ls_edge *e = cmd->edges;

    if (s->head != cmd)
        LS_BUG("a command of kind %d ended before those in front of it", (int)cmd->work.kind);
    if (cmd->event)
        ls_queue_end_record(cmd->event, cmd->event_generation, cmd, end_of(cmd));
    if (cmd->plan && ls_check_orders())
        ls_queue_order_host(cmd);
    if (cmd->plan)
        end_launch(cmd);
    for (struct ls_cmd *c = cmd->next; c && c->behind == cmd; c = c->next)
        c->behind = NULL; /* the memory of `cmd` may soon be that of another command */
    s->head = cmd->next;
    if (s->head) {
        s->head->follows = false;
        if (s->head->n_deps == 1)
            s->head->ready_ns = end_of(cmd);
        ls_queue_drop(ready, s->head);
    } else {
        s->tail = NULL;
    }
    while (e) {
        struct ls_edge *next = e->next;

        ls_queue_drop(ready, e->to);
        put_edge(e);
        e = next;
    }
    free(cmd->heap);
    if (cmd->counts)
        atomic_fetch_add(&s->n_done, 1);
    ls_queue_put_cmd(cmd);
    if (s->head)
        return;
    if (s->trunk)
        end_branch(s, ready);
    else if (s->destroyed)
        ls_queue_put_stream(s);
}

static void
begin_launch(struct ls_cmd *cmd)
{
    cmd->plan->current = cmd;
    if (cmd->plan->begin)
        cmd->plan->begin(cmd->plan);
}

/* Lists a command that waits for a value. The thread that looks at these was started when it was
 * enqueued. */
static void
poll_later(struct ls_cmd *cmd)
{
    cmd->next_ready = ls_queue.polls;
    ls_queue.polls = cmd;
    ls_queue.poll_naps = 0;
    pthread_cond_signal(&ls_queue.poll_cond);
}

bool
ls_queue_run_ready(struct ls_cmd *ready)
{
    bool ended = false;

    while (ready) {
        struct ls_cmd *cmd = ready;

        ready = cmd->next_ready;
        if (cmd->start_event)
            ls_queue_end_record(cmd->start_event, cmd->start_generation, cmd, cmd->ready_ns);
        cmd->start_event = NULL;
        if (cmd->kind == LS_CMD_WORK && cmd->flows)
            continue; /* the device has it */
        if (cmd->kind == LS_CMD_WORK && !is_discarded(cmd)) {
            bool flows = cmd->stream->dev->ops->queue.follows && can_flow(cmd);

            if (cmd->plan)
                begin_launch(cmd);
            cmd->flows = flows; /* before it may end */
            submit(cmd);
            if (flows)
                flow_on(cmd);
            continue;
        }
        if (cmd->work.kind == LS_WORK_KERNEL && cmd->work.kernel.multi)
            cmd->stream->dev->ops->multi.cancel(cmd->stream->dev, cmd->work.kernel.multi);
        if (cmd->kind == LS_CMD_FREE)
            cmd->free_memory(cmd->memory);
        if (cmd->kind == LS_CMD_CALL)
            cmd->call(cmd->bytes);
        if (cmd->kind == LS_CMD_POLL && !cmd->call(cmd->bytes) && !ls_queue_is_failed(cmd)) {
            poll_later(cmd);
            continue;
        }
        if (cmd->n_branches > 0) {
            cmd->is_done = true;
            continue;
        }
        ls_queue_end_cmd(cmd, &ready);
        ended = true;
    }
    return ended;
}

void
ls_queue_unlock(bool ended)
{
    struct ls_shared *d = dead;
    struct ls_steps *s = ls_queue.ended_steps;

    dead = NULL;
    ls_queue.ended_steps = NULL;
    pthread_mutex_unlock(&ls_queue.lock);
    for (uint32_t i = 0; ended && i < ls_rt.n_kinds; i++)
        ls_rt.kinds[i]->ops->queue.wake(ls_rt.kinds[i]); /* wakes whoever waits, for any device */
    while (s) {
        struct ls_steps *next = s->next;

        s->work->done(s->work, hipSuccess);
        s = next;
    }
    while (d) {
        struct ls_shared *next = d->next_dead;
        LS_UNCANCELLED();

        d->destroy(d);
        d = next;
    }
}

void
ls_shared_ref(struct ls_shared *s)
{
    pthread_mutex_lock(&ls_queue.lock);
    s->n_refs++;
    pthread_mutex_unlock(&ls_queue.lock);
}

void
ls_shared_unref(struct ls_shared *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&ls_queue.lock);
    drop_shared(s);
    ls_queue_unlock(false);
}
