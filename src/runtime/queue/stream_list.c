/* SPDX-License-Identifier: MIT */
/* The streams in use, and their memory. Functions are called with the lock held. Here is what
 * commands need of a stream when they end; the rest is in stream.c. */
#include "runtime/queue/queue_priv.h"

struct ls_queue ls_queue = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, /* spins first */
                            .poll_cond = PTHREAD_COND_INITIALIZER,
                            .stream_pool = {.item_bytes = sizeof(struct ihipStream_t),
                                            .link_offset = offsetof(struct ihipStream_t, next)}};

void
ls_queue_list_stream(struct ihipStream_t *s)
{
    ls_queue.n_streams++;
    s->prev = NULL;
    s->next = ls_queue.streams;
    if (ls_queue.streams)
        ls_queue.streams->prev = s;
    ls_queue.streams = s;
}

static void
unlist_stream(struct ihipStream_t *s)
{
    ls_queue.n_streams--;
    if (s->next)
        s->next->prev = s->prev;
    if (s->prev)
        s->prev->next = s->next;
    else
        ls_queue.streams = s->next;
}

void
ls_queue_put_stream(struct ihipStream_t *s)
{
    unlist_stream(s);
    ls_check_clock_end(&s->clock);
    ls_slab_put(&ls_queue.stream_pool, s);
}

struct ihipStream_t *
ls_queue_get_branch(struct ls_cmd *trunk)
{
    const struct ihipStream_t *of = trunk->stream;
    struct ihipStream_t *s = ls_slab_get(&ls_queue.stream_pool);

    if (!s)
        return NULL;
    s->magic = 0;
    s->flags = hipStreamNonBlocking;
    s->priority = of->priority;
    s->is_null = s->destroyed = s->of_thread = false;
    s->trunk = trunk;
    s->dev = of->dev;
    s->null = of->null;
    s->id = of->id;
    s->n_cu_words = 0;
    s->head = s->tail = NULL;
    atomic_store(&s->capture, NULL);
    s->n_enqueued = atomic_load(&s->n_done); /* as in ls_stream_create */
    return s;
}

void
ls_queue_put_branch(struct ihipStream_t *s)
{
    s->trunk = NULL;
    ls_slab_put(&ls_queue.stream_pool, s);
}

struct ihipStream_t *
ls_queue_get_stream(void)
{
    struct ihipStream_t *s = ls_slab_get(&ls_queue.stream_pool);

    if (s)
        ls_queue_list_stream(s);
    return s;
}
