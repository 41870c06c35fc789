/* SPDX-License-Identifier: MIT */
/* Instantiated graphs as the queue sees them: one command that runs many works. */
#ifndef LS_RUNTIME_PLAN_H
#define LS_RUNTIME_PLAN_H

#include "runtime/queue/queue.h"

/* The beginning of objects that belong to their owner and to launches under way. */
struct ls_shared {
    uint32_t n_refs; /* guarded by the queue lock */
    struct ls_shared *next_dead;
    void (*destroy)(struct ls_shared *self); /* called without locks, from any thread */
};

/* Launches that share a turn run one after the other. */
struct ls_turn {
    struct ls_shared shared;
    struct ls_cmd *last;          /* guarded by the queue lock: latest launch that has not ended */
    struct ls_check_clock *clock; /* guarded by the queue lock: of the latest launch */
};

/* One step of waiting for and writing values: call(data) does it, or for a wait says whether it is
 * over. It may run with the queue lock held, so it must be short and take no lock. */
struct ls_step {
    bool (*call)(void *data);
    bool waits;
    _Alignas(8) char data[48];
};

/* Steps in order, as the work `work` of a plan. */
struct ls_steps {
    struct ls_work *work;
    const struct ls_plan *plan; /* running */
    struct ls_step *steps;
    uint32_t n;
    uint32_t at; /* guarded by the queue lock, as is next, once started */
    struct ls_steps *next;
};

/* Works ready to run, with copies of all their arguments: nothing in it changes any more but the
 * device's scratch. */
struct ls_plan {
    struct ls_shared shared;
    struct ls_work_graph graph;
    struct ihipEvent_t **records; /* by works that call ls_plan_record */
    struct ihipEvent_t **waits;   /* the launch waits for all of them */
    uint32_t n_records, n_waits;
    void (*begin)(
        struct ls_plan *); /* NULL, or called when a launch begins, with the queue lock held */
    /* Called when a kernel of the plan launches a graph: ls_work.launch. */
    hipError_t (*launch_by)(struct ls_work *work, void *graph_exec, hipStream_t how);
    struct ls_cmd *current; /* guarded by the queue lock: the launch that runs */
};

/* Runs the plan in stream order, and in order of its turn; others as in ls_cmd. */
hipError_t ls_plan_launch(struct ls_plan *plan, struct ls_turn *turn, struct ihipStream_t *stream,
                          uint32_t others);
/* Launches a plan for a kernel of the command that `work` belongs to. `how` says when it runs:
 * hipStreamGraphTailLaunch: behind that command, before what else its stream has to do;
 * hipStreamGraphFireAndForget: at once; the command ends when the launch has;
 * hipStreamGraphFireAndForgetAsSibling: at once; what the command is a part of ends when the launch
 * has. */
hipError_t ls_plan_launch_by(struct ls_plan *plan, struct ls_turn *turn, struct ls_work *work,
                             hipStream_t how);
/* Records records[index]; called by a work of the running plan. */
void ls_plan_record(struct ls_plan *plan, uint32_t index);
/* What such a work (LS_WORK_LATER) calls; user is the ls_steps. */
void ls_steps_start(void *user, hipError_t status);
/* Whether values can be waited for: starts the thread that looks. */
bool ls_queue_can_poll(void);
void ls_shared_ref(struct ls_shared *shared);
void ls_shared_unref(struct ls_shared *shared);

#endif
