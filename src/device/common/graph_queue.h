/* SPDX-License-Identifier: MIT */
/* The queue of a graph's works that are ready (the scratch of struct ls_work_graph). Any number of
 * threads push and claim at once; nobody waits for a lock. */
#ifndef LS_DEVICE_COMMON_GRAPH_QUEUE_H
#define LS_DEVICE_COMMON_GRAPH_QUEUE_H

#include <string.h>

#include "base/log.h"
#include "device/device.h"

#define LS_GRAPH_NONE UINT32_MAX /* no work */

/* Adds a work that waits for nothing any more. */
static inline void
ls_graph_push(struct ls_work_graph *g, uint32_t i)
{
    uint32_t slot = atomic_fetch_add(&g->tail, 1);

    LS_ASSERT_FITS(slot + 1, LS_GRAPH_QUEUE(g->n_works));
    /* release: publishes what the work waited for */
    atomic_store_explicit(&g->queue[slot], i, memory_order_release);
}

/* Takes the next one; LS_GRAPH_NONE: none is ready. A slot below the tail is filled in a moment. */
static inline uint32_t
ls_graph_claim(struct ls_work_graph *g)
{
    unsigned head = atomic_load(&g->head), i;

    do
        if (head >= atomic_load(&g->tail))
            return LS_GRAPH_NONE;
    while (!atomic_compare_exchange_weak(&g->head, &head, head + 1));
    while ((i = atomic_load_explicit(&g->queue[head], memory_order_acquire)) == LS_GRAPH_NONE)
        __builtin_ia32_pause();
    return i;
}

/* Before the graph runs again: all its works wait, and nothing is ready. */
static inline void
ls_graph_reset(struct ls_work_graph *g)
{
    memcpy(g->left, g->n_deps, g->n_works * sizeof(*g->left));
    memset(g->queue, 0xff, LS_GRAPH_QUEUE(g->n_works) * sizeof(*g->queue));
    atomic_store(&g->head, 0);
    atomic_store(&g->tail, 0);
}

#endif
