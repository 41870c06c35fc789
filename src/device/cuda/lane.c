/* SPDX-License-Identifier: MIT */
/* Threads for what the driver does not do: host functions, graphs, and copies with memory that is
 * the host's alone. */
#include "base/clock.h"
#include "base/thread.h"
#include "device/cuda/cuda_priv.h"

#define LOOK_NS 50000u

static void
run_host(struct ls_cuda *c, struct ls_work *w)
{
    w->trace.start_ns = c->dev->timed ? ls_now_ns() : 0;
    w->host.fn(w->host.user, (hipError_t)atomic_load(&c->dev->sticky));
    w->done(w, hipSuccess);
}

static void
run_move(struct ls_cuda *c, struct ls_work *w)
{
    hipError_t err;

    w->trace.start_ns = c->dev->timed ? ls_now_ns() : 0;
    err = atomic_load(&c->dead) ? ls_cu_error(atomic_load(&c->dead)) : ls_cuda_move(c, w);
    w->done(w, err);
}

static void
submit_part(struct ls_device *dev, struct ls_work *w)
{
    struct ls_cuda *c = ls_cuda_of(dev);
    enum ls_cuda_lane lane = LS_CUDA_LANES;

    ls_cuda_room(w)->dev = dev;
    {
        LS_CUDA_ENTER(c);

        if (w->kind == LS_WORK_HOST)
            lane = LS_CUDA_HOST;
        else if (ls_cuda_is_moved(w))
            lane = LS_CUDA_MOVE;
    }
    if (lane == LS_CUDA_LANES)
        ls_cuda_submit_to_stream(c, w, false);
    else if (!ls_cuda_add_to_lane(c, lane, w))
        w->done(w, hipErrorOutOfMemory);
}

static void
run_graph(struct ls_cuda *c, struct ls_work *w)
{
    ls_graph_run(c->dev, w, submit_part);
}

/* Looks for more work for a moment before the thread sleeps: works in turn come back soon. Lock
 * held, but given up meanwhile. True when there is some. */
static bool
look_out(struct ls_cuda_lane_state *lane)
{
    uint64_t until = ls_now_ns() + LOOK_NS;

    pthread_mutex_unlock(&lane->lock);
    while (atomic_load(&lane->n) == 0 && ls_now_ns() < until)
        __builtin_ia32_pause();
    pthread_mutex_lock(&lane->lock);
    return lane->head != NULL;
}

static void *
lane_main(void *arg)
{
    struct ls_cuda_lane_state *lane = arg;

    pthread_mutex_lock(&lane->lock);
    for (;;) {
        struct ls_work *w = lane->head;

        if (!w) {
            if (!look_out(lane))
                pthread_cond_wait(&lane->filled, &lane->lock);
            continue;
        }
        lane->head = ls_cuda_room(w)->next;
        atomic_fetch_sub(&lane->n, 1);
        pthread_mutex_unlock(&lane->lock);
        lane->run(lane->c, w);
        pthread_mutex_lock(&lane->lock);
    }
    return NULL;
}

bool
ls_cuda_add_to_lane(struct ls_cuda *c, enum ls_cuda_lane which, struct ls_work *w)
{
    struct ls_cuda_lane_state *lane = &c->lanes[which];
    bool is_up;

    ls_cuda_room(w)->next = NULL;
    pthread_mutex_lock(&lane->lock);
    if (!lane->is_up)
        lane->is_up = ls_thread_start(lane_main, lane);
    is_up = lane->is_up;
    if (is_up) {
        if (lane->head)
            ls_cuda_room(lane->tail)->next = w;
        else
            lane->head = w;
        lane->tail = w;
        atomic_fetch_add(&lane->n, 1);
        pthread_cond_signal(&lane->filled);
    }
    pthread_mutex_unlock(&lane->lock);
    return is_up;
}

void
ls_cuda_open_lanes(struct ls_cuda *c)
{
    static void (*const run[LS_CUDA_LANES])(struct ls_cuda *, struct ls_work *) = {
        [LS_CUDA_HOST] = run_host, [LS_CUDA_MOVE] = run_move, [LS_CUDA_GRAPH] = run_graph};

    for (int i = 0; i < LS_CUDA_LANES; i++) {
        c->lanes[i].c = c;
        c->lanes[i].run = run[i];
        pthread_mutex_init(&c->lanes[i].lock, NULL);
        pthread_cond_init(&c->lanes[i].filled, NULL);
    }
}
