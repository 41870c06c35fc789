/* SPDX-License-Identifier: MIT */
/* Graphs of works for devices that know none: a thread of the host hands each work over when those
 * in front have ended. */
#ifndef LS_DEVICE_COMMON_GRAPH_H
#define LS_DEVICE_COMMON_GRAPH_H

#include "device/device.h"

/* What ls_work.priv begins with, of every work that a device with such graphs gets. */
struct ls_graph_room {
    struct ls_work *graph; /* the graph that the work is a part of, or NULL */
    uint32_t part;
    /* Of a graph: */
    struct ls_device *dev;
    void (*submit)(struct ls_device *dev, struct ls_work *work);
    atomic_uint n_open; /* parts that have not ended, and threads that look for more of them */
    atomic_int err;     /* first failure */
} __attribute__((may_alias));

static inline struct ls_graph_room *
ls_graph_room(const struct ls_work *work)
{
    return (struct ls_graph_room *)(uintptr_t)work->priv;
}

/* Runs a work of kind LS_WORK_GRAPH; `submit` takes its kernels, copies, fills and host functions,
 * with no lock held. Must not be called with locks of the runtime held: functions within the graph
 * are called from here. */
void ls_graph_run(struct ls_device *dev, struct ls_work *graph,
                  void (*submit)(struct ls_device *dev, struct ls_work *work));

/* The work that was submitted, of which this one is or is a part. */
static inline struct ls_work *
ls_graph_whole(struct ls_work *work)
{
    while (ls_graph_room(work)->graph)
        work = ls_graph_room(work)->graph;
    return work;
}

#endif
