/* SPDX-License-Identifier: MIT */
/* The host's side: threads that do what the device's process does not, and one that hears what it
 * says. All devices are in one process. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/thread.h"
#include "device/far/far_priv.h"

/* A thread that does works one after the other. */
struct lane {
    void (*run)(struct ls_device *dev, struct ls_work *work);
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct ls_work *head, *tail; /* guarded by lock */
};

static void run_host(struct ls_device *dev, struct ls_work *w);
static void run_move(struct ls_device *dev, struct ls_work *w);
static void run_graph(struct ls_device *dev, struct ls_work *w);

static struct lane lanes[] = {
    {.run = run_host, .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER},
    {.run = run_move, .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER},
    {.run = run_graph, .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER},
};
enum { LANE_HOST, LANE_MOVE, LANE_GRAPH, LANES };

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_up; /* guarded by open_lock */
static struct ls_device *devices[LS_FAR_DEVICES];

/* Changes when threads that wait must look again. */
static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static atomic_uint n_wakes;

static void
add_to_lane(unsigned which, struct ls_work *w)
{
    struct lane *lane = &lanes[which];

    ls_far_room(w)->next = NULL;
    pthread_mutex_lock(&lane->lock);
    if (lane->head)
        ls_far_room(lane->tail)->next = w;
    else
        lane->head = w;
    lane->tail = w;
    pthread_cond_signal(&lane->filled);
    pthread_mutex_unlock(&lane->lock);
}

static void *
lane_main(void *arg)
{
    struct lane *lane = arg;

    pthread_mutex_lock(&lane->lock);
    for (;;) {
        struct ls_work *w = lane->head;

        if (!w) {
            pthread_cond_wait(&lane->filled, &lane->lock);
            continue;
        }
        lane->head = ls_far_room(w)->next;
        pthread_mutex_unlock(&lane->lock);
        lane->run(ls_far_room(w)->dev, w);
        pthread_mutex_lock(&lane->lock);
    }
    return NULL;
}

static void
run_host(struct ls_device *dev, struct ls_work *w)
{
    w->trace.start_ns = dev->timed ? ls_now_ns() : 0;
    w->host.fn(w->host.user, (hipError_t)atomic_load(&dev->sticky));
    w->done(w, hipSuccess);
}

static void
run_move(struct ls_device *dev, struct ls_work *w)
{
    w->trace.start_ns = dev->timed ? ls_now_ns() : 0;
    w->done(w, ls_far_move(dev, w));
}

static void
submit(struct ls_device *dev, struct ls_work *w, bool in_order)
{
    ls_far_room(w)->dev = dev;
    if (w->kind == LS_WORK_HOST)
        add_to_lane(LANE_HOST, w);
    else if (ls_far_is_moved(w))
        add_to_lane(LANE_MOVE, w);
    else
        ls_far_submit(dev, w, in_order);
}

static void
submit_part(struct ls_device *dev, struct ls_work *w)
{
    submit(dev, w, false);
}

static void
run_graph(struct ls_device *dev, struct ls_work *w)
{
    ls_graph_run(dev, w, submit_part);
}

static bool
far_follows(struct ls_device *dev, const struct ls_work *w)
{
    (void)dev;
    if (w->kind == LS_WORK_KERNEL)
        return !w->kernel.multi;
    return (w->kind == LS_WORK_COPY || w->kind == LS_WORK_FILL) && !ls_far_is_moved(w);
}

static void
far_submit(struct ls_device *dev, struct ls_work *w)
{
    ls_graph_room(w)->graph = NULL;
    ls_far_room(w)->dev = dev;
    if (w->kind == LS_WORK_GRAPH)
        add_to_lane(LANE_GRAPH, w);
    else
        submit(dev, w, far_follows(dev, w));
}

static void
explain(struct ls_device *dev, const struct ls_far_event *e)
{
    struct ls_far_work m = {.kind = LS_FAR_ANSWER, .id = e->question};
    char text[500] = "";
    struct iovec more = {text, 0};

    if (dev->explain)
        dev->explain((const void *)(uintptr_t)e->args[0], text, sizeof(text));
    m.bytes = more.iov_len = strlen(text);
    ls_far_send_work(&m, &more, 1);
}

static void
launch(const struct ls_far_event *e)
{
    struct ls_work *whole = ls_graph_whole((struct ls_work *)(uintptr_t)e->id);
    struct ls_far_work m = {.kind = LS_FAR_ANSWER, .id = e->question};

    m.sticky = whole->launch ? whole->launch(whole, (void *)(uintptr_t)e->args[0],
                                             (hipStream_t)(uintptr_t)e->args[1])
                             : hipErrorNotSupported;
    ls_far_send_work(&m, NULL, 0);
}

static void
print(const struct ls_far_event *e)
{
    char *text = malloc(e->bytes);

    if (text && ls_far_receive(ls_far.work, text, e->bytes))
        fwrite(text, 1, e->bytes, stdout);
    else
        ls_far_lost();
    free(text);
}

static void *
listen_main(void *arg)
{
    struct ls_far_event e;

    (void)arg;
    for (;;) {
        struct ls_device *dev;

        if (!ls_far_receive(ls_far.work, &e, sizeof(e)) || e.device >= LS_FAR_DEVICES)
            ls_far_lost();
        dev = devices[e.device];
        if (e.kind == LS_FAR_DONE) {
            struct ls_work *w = (struct ls_work *)(uintptr_t)e.id;
            int none = 0;

            w->trace.start_ns = e.start_ns;
            atomic_store(&dev->heap_bytes, (long)e.heap_bytes);
            if (e.err != hipSuccess) {
                atomic_compare_exchange_strong(&dev->sticky, &none, e.err);
                atomic_fetch_add(&ls_far_failed[e.device], 1); /* behind its error */
            }
            w->done(w, (hipError_t)e.err);
        } else if (e.kind == LS_FAR_TEXT) {
            print(&e);
        } else if (e.kind == LS_FAR_EXPLAIN) {
            explain(dev, &e);
        } else if (e.kind == LS_FAR_LAUNCH) {
            launch(&e);
        } else {
            ls_far_lost();
        }
    }
    return NULL;
}

static void
far_wake(struct ls_device *dev)
{
    (void)dev;
    pthread_mutex_lock(&wait_lock);
    atomic_fetch_add(&n_wakes, 1);
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&wait_lock);
}

static void
far_wait(struct ls_device *dev, bool (*done)(void *arg), void *arg)
{
    LS_UNCANCELLED();

    (void)dev;
    for (;;) {
        unsigned seen = atomic_load(&n_wakes);
        struct timespec until;

        if (done(arg))
            return;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000; /* it may become true without a wake, as with a deadline */
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&wait_lock);
        if (atomic_load(&n_wakes) == seen)
            pthread_cond_timedwait(&woken, &wait_lock, &until);
        pthread_mutex_unlock(&wait_lock);
    }
}

static void
far_poke(struct ls_device *dev)
{
    (void)dev; /* the device's process works by itself */
}

static uint32_t
far_count(void)
{
    return ls_env_bool(LS_ENV_FAR) ? (uint32_t)ls_env_long(LS_ENV_CPU_DEVICES, 1, LS_FAR_DEVICES)
                                   : 0;
}

static hipError_t
far_open(struct ls_device *dev)
{
    struct ls_far_call c = {.kind = LS_FAR_OPEN, .args = {dev->part, dev->n_parts}};
    struct ls_device_info *info = calloc(1, sizeof(*info));
    hipError_t err = hipSuccess;

    if (!info)
        return hipErrorOutOfMemory;
    pthread_mutex_lock(&open_lock);
    if (!is_up) {
        err = ls_far_start();
        for (int i = 0; i < LANES && err == hipSuccess; i++)
            err = ls_thread_start(lane_main, &lanes[i]) ? hipSuccess : hipErrorOutOfMemory;
        if (err == hipSuccess && !ls_thread_start(listen_main, NULL))
            err = hipErrorOutOfMemory;
        is_up = err == hipSuccess;
    }
    devices[dev->part] = dev;
    if (err == hipSuccess)
        err = ls_far_move_open(dev);
    pthread_mutex_unlock(&open_lock);
    if (err == hipSuccess)
        err = ls_far_call(dev, c, NULL, 0, NULL, info, NULL);
    dev->priv = info;
    return err;
}

static void
far_get_info(struct ls_device *dev, struct ls_device_info *info)
{
    *info = *(const struct ls_device_info *)dev->priv;
    info->host_access = info->pageable_access = false;
}

const struct ls_device_ops ls_device_far = {
    .name = "far",
    .count = far_count,
    .open = far_open,
    .get_info = far_get_info,
    .mem = {.alloc = ls_far_alloc,
            .free = ls_far_free,
            .read = ls_far_read,
            .write = ls_far_write,
            .zero = ls_far_zero,
            .share = ls_far_share,
            .unshare = ls_far_unshare},
    .space = {.reserve = ls_far_reserve,
              .unreserve = ls_far_unreserve,
              .create = ls_far_create,
              .import = ls_far_import,
              .file = ls_far_file,
              .destroy = ls_far_destroy,
              .map = ls_far_map,
              .unmap = ls_far_unmap,
              .set_access = ls_far_set_access},
    .multi = {.create = ls_far_multi_create, .cancel = ls_far_multi_cancel},
    .queue = {.submit = far_submit,
              .follows = far_follows,
              .wait = far_wait,
              .wake = far_wake,
              .poke = far_poke,
              .ends = ls_far_ends},
    .module = {.get_code = ls_far_get_code, .release_kernel = ls_far_release_kernel},
    .max_resident_blocks = ls_far_max_resident_blocks,
};
