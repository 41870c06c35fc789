/* SPDX-License-Identifier: MIT */
/* What checkers are told of the order of commands (check/check.h): clocks of streams, events and
 * commands. Nothing here is called while races are not looked for. With the lock held, but where it
 * says else. */
#include "runtime/queue/queue_priv.h"

/* What a command of the null stream follows, and what others follow of it, ended or not. */
static void
join_null(struct ihipStream_t *s)
{
    if (!s->is_null) {
        if (ls_queue_is_blocking(s))
            ls_check_clock_join(&s->clock, s->null->clock);
        return;
    }
    for (struct ihipStream_t *o = ls_queue.streams; o; o = o->next)
        if (o != s && o->dev == s->dev && ls_queue_is_blocking(o))
            ls_check_clock_join(&s->clock, o->clock);
}

/* The same for the null streams of other devices that the command belongs to. */
static void
join_other_nulls(struct ls_cmd *cmd)
{
    for (uint32_t left = cmd->others; left; left &= left - 1)
        for (struct ihipStream_t *o = ls_queue.streams; o; o = o->next)
            if ((int)o->dev->index == __builtin_ctz(left) && ls_queue_is_blocking(o))
                ls_check_clock_join(&cmd->stream->clock, o->clock);
}

static void
tell_others(const struct ls_cmd *cmd)
{
    for (uint32_t left = cmd->others; left; left &= left - 1)
        ls_check_clock_join(&ls_queue.null[__builtin_ctz(left)].clock, cmd->clock);
    if (cmd->event)
        ls_check_clock_set(&cmd->event->clock, cmd->clock);
    if (cmd->start_event)
        ls_check_clock_set(&cmd->start_event->clock, cmd->clock);
    if (!cmd->plan)
        return;
    ls_check_clock_set(&cmd->turn->clock, cmd->clock);
    for (uint32_t i = 0; i < cmd->plan->n_records; i++)
        if (ls_queue_event_is_alive(cmd->plan->records[i]))
            ls_check_clock_set(&cmd->plan->records[i]->clock, cmd->clock);
}

void
ls_queue_order_cmd(struct ls_cmd *cmd)
{
    struct ihipStream_t *s = cmd->stream;

    if (s->trunk) { /* launched by a kernel */
        ls_check_clock_drop(&cmd->clock);
        return;
    }
    if (cmd->plan) {
        ls_check_clock_join(&s->clock, cmd->turn->clock);
        for (uint32_t i = 0; i < cmd->plan->n_waits; i++)
            ls_check_clock_join(&s->clock, cmd->plan->waits[i]->clock);
    }
    if (cmd->kind == LS_CMD_POLL) /* for what other streams or the host write */
        ls_check_clock_blind(&s->clock);
    ls_check_clock_join(&s->clock, cmd->clock);
    join_null(s);
    join_other_nulls(cmd);
    ls_check_clock_step(&s->clock);
    ls_check_clock_set(&cmd->clock, s->clock);
    cmd->work.clock = cmd->clock;
    tell_others(cmd);
}

void
ls_queue_order_edge(const struct ls_cmd *from, struct ls_cmd *to)
{
    ls_check_clock_join(&to->clock, from->clock);
}

void
ls_queue_order_host(const struct ls_cmd *cmd)
{
    bool calls = cmd->work.kind == LS_WORK_HOST;

    for (uint32_t i = 0; cmd->plan && i < cmd->plan->graph.n_works; i++)
        calls |= cmd->plan->graph.works[i].kind >= LS_WORK_HOST;
    if (calls)
        ls_check_host_saw(cmd->clock);
}

struct ls_check_clock *
ls_queue_clock_of(const struct ls_device *dev, const struct ihipStream_t *s)
{
    struct ls_check_clock *c = NULL;

    pthread_mutex_lock(&ls_queue.lock);
    if (s)
        ls_check_clock_join(&c, s->clock);
    for (const struct ihipStream_t *o = ls_queue.streams; o; o = o->next)
        if (o->dev == dev && (!s || (s->is_null && ls_queue_is_blocking(o))))
            ls_check_clock_join(&c, o->clock);
    pthread_mutex_unlock(&ls_queue.lock);
    return c;
}

void
ls_queue_host_saw(struct ls_check_clock *clock)
{
    ls_check_host_saw(clock);
    ls_check_clock_drop(&clock);
}

void
ls_queue_host_saw_event(const struct ihipEvent_t *event)
{
    pthread_mutex_lock(&ls_queue.lock);
    ls_check_host_saw(event->clock);
    pthread_mutex_unlock(&ls_queue.lock);
}
