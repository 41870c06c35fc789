/* SPDX-License-Identifier: MIT */
/* The device's process: the CPUs, whose memory no other process has. `lsdevice` is started by
 * client.c, and of no use by hand. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/child.h"
#include "base/dl.h"
#include "device/cpu/heap.h"
#include "device/far/wire.h"

static struct ls_device devices[LS_FAR_DEVICES];
static const struct ls_device_ops *const ops = &ls_device_cpu;
static struct ls_far_hello hello;
static pthread_mutex_t send_lock = PTHREAD_MUTEX_INITIALIZER; /* of LS_CHILD_FD */

/* Ends the process without a message, as the host is gone. */
static _Noreturn void
leave(void)
{
    _exit(0);
}

static void
get(int sock, void *data, size_t bytes)
{
    if (!ls_far_receive(sock, data, bytes))
        leave();
}

static void
tell(const struct ls_far_event *event, const void *text)
{
    struct iovec parts[] = {{(void *)(uintptr_t)event, sizeof(*event)},
                            {(void *)(uintptr_t)text, event->bytes}};
    bool ok;

    pthread_mutex_lock(&send_lock);
    ok = ls_far_send(LS_CHILD_FD, parts, 2, NULL, 0);
    pthread_mutex_unlock(&send_lock);
    if (!ok)
        leave();
}

/* ---- Questions to the host ---- */

struct question {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    bool is_answered; /* guarded by lock, as is the rest */
    int32_t err;
    char text[512];
};

static void
ask(struct question *q, struct ls_far_event *event)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->answered, NULL);
    q->is_answered = false;
    q->text[0] = 0;
    event->question = (uintptr_t)q;
    tell(event, NULL);
    pthread_mutex_lock(&q->lock);
    while (!q->is_answered)
        pthread_cond_wait(&q->answered, &q->lock);
    pthread_mutex_unlock(&q->lock);
    pthread_cond_destroy(&q->answered);
    pthread_mutex_destroy(&q->lock);
}

static void
take_answer(const struct ls_far_work *m)
{
    struct question *q = (struct question *)(uintptr_t)m->id;

    pthread_mutex_lock(&q->lock);
    if (m->bytes >= sizeof(q->text))
        leave();
    get(LS_CHILD_FD, q->text, m->bytes);
    q->text[m->bytes] = 0;
    q->err = m->sticky;
    q->is_answered = true;
    pthread_cond_signal(&q->answered);
    pthread_mutex_unlock(&q->lock);
}

static void
explain(const void *addr, char *text, size_t bytes)
{
    struct ls_far_event e = {.kind = LS_FAR_EXPLAIN, .args = {(uintptr_t)addr}};
    struct question q;

    ask(&q, &e);
    if (bytes > 0) {
        size_t n = strnlen(q.text, bytes - 1);

        memcpy(text, q.text, n);
        text[n] = 0;
    }
}

static void
print(struct ls_device *dev, const char *text, size_t bytes)
{
    tell(&(struct ls_far_event){.kind = LS_FAR_TEXT, .device = dev->index, .bytes = bytes}, text);
}

/* ---- Work ---- */

struct item {
    struct ls_work work; /* first */
    struct ls_device *dev;
    uint64_t id;
    struct stream *stream; /* NULL: none */
    bool is_started;
    struct item *next;     /* behind it in the stream, then among those that have ended */
    hipError_t err;
    _Alignas(64) char data[];
};

/* Works that run one behind the other, the first of them now. */
struct stream {
    uint64_t id;
    struct item *head, *tail;
    bool is_starting; /* a thread starts works of it */
    struct stream *next;
};

static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_ended = PTHREAD_COND_INITIALIZER;
/* Guarded by work_lock: */
static struct stream *streams; /* that have works */
static struct item *ended_head, *ended_tail; /* in the order in which the host shall know it */
static uint64_t n_failed[LS_FAR_DEVICES];

static struct stream *
get_stream(uint64_t id)
{
    struct stream *s = streams;

    while (s && s->id != id)
        s = s->next;
    if (s)
        return s;
    s = calloc(1, sizeof(*s));
    if (!s)
        abort();
    *s = (struct stream){.id = id, .next = streams};
    return streams = s;
}

static void
put_stream(struct stream *s)
{
    struct stream **at = &streams;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    free(s);
}

/* Lists what has ended: a thread tells it, as nothing may wait for the host here. */
static void
end_item(struct item *item)
{
    item->next = NULL;
    if (ended_head)
        ended_tail->next = item;
    else
        ended_head = item;
    ended_tail = item;
    pthread_cond_signal(&work_ended);
}

/* Starts the first work of a stream when the one before has ended, and ends those that come behind
 * a failure. work_lock is held, but for moments. */
static void
advance(struct stream *s)
{
    if (s->is_starting)
        return; /* that thread sees it */
    s->is_starting = true;
    while (s->head && !s->head->is_started) {
        struct item *item = s->head;

        if (atomic_load(&item->dev->sticky) != hipSuccess) {
            s->head = item->next;
            end_item(item);
            continue;
        }
        item->is_started = true;
        pthread_mutex_unlock(&work_lock);
        ops->queue.submit(item->dev, &item->work);
        pthread_mutex_lock(&work_lock);
    }
    s->is_starting = false;
    if (!s->head)
        put_stream(s);
}

static void
ended(struct ls_work *w, hipError_t err)
{
    struct item *item = (struct item *)(void *)w;
    struct stream *s = item->stream;
    int none = 0;

    pthread_mutex_lock(&work_lock);
    item->err = err;
    if (err != hipSuccess) {
        atomic_compare_exchange_strong(&item->dev->sticky, &none, (int)err);
        n_failed[item->dev->index]++;
    }
    if (s)
        s->head = item->next;
    end_item(item);
    if (s)
        advance(s);
    pthread_mutex_unlock(&work_lock);
}

static void *
tell_ends(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&work_lock);
    for (;;) {
        struct item *item = ended_head;
        struct ls_far_event e;

        if (!item) {
            pthread_cond_wait(&work_ended, &work_lock);
            continue;
        }
        ended_head = item->next;
        pthread_mutex_unlock(&work_lock);
        e = (struct ls_far_event){.kind = LS_FAR_DONE,
                                  .device = item->dev->index,
                                  .id = item->id,
                                  .err = item->err,
                                  .start_ns = item->work.trace.start_ns,
                                  .heap_bytes = atomic_load(&item->dev->heap_bytes)};
        free(item);
        tell(&e, NULL);
        pthread_mutex_lock(&work_lock);
    }
    return NULL;
}

static hipError_t
launch(struct ls_work *w, void *graph_exec, hipStream_t how)
{
    struct item *item = (struct item *)(void *)w;
    struct ls_far_event e = {.kind = LS_FAR_LAUNCH,
                             .device = item->dev->index,
                             .id = item->id,
                             .args = {(uintptr_t)graph_exec, (uintptr_t)how}};
    struct question q;

    ask(&q, &e);
    return (hipError_t)q.err;
}

static void
submit(const struct ls_far_work *m)
{
    struct ls_device *dev = &devices[m->device];
    size_t bytes = (sizeof(struct item) + m->bytes + 63) / 64 * 64;
    struct item *item = aligned_alloc(64, bytes);

    if (!item)
        abort();
    memset(item, 0, sizeof(*item));
    get(LS_CHILD_FD, item->data, m->bytes);
    item->dev = dev;
    item->id = m->id;
    item->work.kind = (enum ls_work_kind)m->work_kind;
    item->work.priority = m->priority;
    item->work.done = ended;
    if (item->work.kind == LS_WORK_COPY) {
        item->work.copy = m->copy;
    } else if (item->work.kind == LS_WORK_FILL) {
        item->work.fill = m->fill;
    } else {
        item->work.kernel = m->kernel;
        item->work.kernel.kernarg = item->data;
        item->work.kernel.globals =
            (void *const *)(void *)(item->data + (m->kernel.source->kernarg_bytes + 7) / 8 * 8);
        item->work.launch = launch;
    }
    atomic_store(&dev->printf_bytes, m->printf_bytes);
    dev->timed = m->timed;
    pthread_mutex_lock(&work_lock);
    if (m->n_failed == n_failed[m->device])
        atomic_store(&dev->sticky, m->sticky); /* the host has seen all failures, or reset them */
    if (m->in_order) {
        struct stream *s = get_stream(m->stream);

        item->stream = s;
        if (s->head)
            s->tail->next = item;
        else
            s->head = item;
        s->tail = item;
        if (s->head == item)
            advance(s);
    }
    pthread_mutex_unlock(&work_lock);
    if (!m->in_order)
        ops->queue.submit(dev, &item->work);
}

/* ---- Calls ---- */

struct source {
    struct ls_kernel_source source; /* first */
    char *copy;                     /* owned: what it points to */
};

static struct ls_kernel_source *
make_source(const char *data, size_t bytes)
{
    struct source *source = calloc(1, sizeof(*source));
    struct ls_far_source s;
    char *copy = aligned_alloc(64, (bytes + 63) / 64 * 64), *at;
    struct ls_kernel_source *src;

    if (!source || !copy)
        abort();
    src = &source->source;
    source->copy = copy;
    memcpy(&s, data, sizeof(s));
    memcpy(copy, data, bytes);
    /* the images first, as they are aligned */
    src->aot = s.aot_bytes ? copy + LS_FAR_SOURCE_ROOM : NULL;
    at = copy + LS_FAR_SOURCE_ROOM + (s.aot_bytes + 63) / 64 * 64;
    src->aot_bytes = s.aot_bytes;
    src->bitcode = at;
    src->bitcode_bytes = s.bitcode_bytes;
    at += s.bitcode_bytes;
    src->name = at;
    src->display_name = at + s.name_bytes;
    memcpy(src->bitcode_sha256, s.bitcode_sha256, sizeof(s.bitcode_sha256));
    src->warp_size = s.warp_size;
    src->lds_bytes = s.lds_bytes;
    src->max_threads = s.max_threads;
    src->kernarg_bytes = s.kernarg_bytes;
    src->n_globals = s.n_globals;
    return src;
}

static hipError_t
get_code(struct ls_device *dev, const struct ls_far_call *c, const char *data,
         struct ls_far_reply *r)
{
    struct ls_kernel_source *src = (struct ls_kernel_source *)(uintptr_t)c->args[0];
    const uint32_t block[3] = {(uint32_t)c->args[1], (uint32_t)c->args[2], (uint32_t)c->args[3]};
    struct ls_work w = {.kind = LS_WORK_KERNEL};
    struct ls_code *code;
    hipError_t err;

    if (!src)
        src = make_source(data, c->bytes);
    r->values[0] = (uintptr_t)src;
    err = ops->module.get_code(dev, src, block, 0, &code);
    if (err != hipSuccess)
        return err;
    w.kernel.source = src;
    w.kernel.code = code;
    r->values[1] = (uintptr_t)code;
    r->values[2] = ops->queue.ends(&w);
    return hipSuccess;
}

static hipError_t
open_device(struct ls_device *dev, const struct ls_far_call *c, struct ls_device_info *info)
{
    hipError_t err;

    *dev = (struct ls_device){.ops = ops,
                              .index = c->device,
                              .part = (uint32_t)c->args[0],
                              .n_parts = (uint32_t)c->args[1],
                              .explain = explain,
                              .print = print};
    err = ops->open(dev);
    if (err == hipSuccess)
        ops->get_info(dev, info);
    return err;
}

/* Answers a question. `room` has the bytes that came with it, and then those of the answer. */
static hipError_t
answer(const struct ls_far_call *c, char **room, int *fd, struct ls_far_reply *r)
{
    struct ls_device *dev = &devices[c->device];
    void *p0 = (void *)(uintptr_t)c->args[0];
    struct ls_physical *physical = (struct ls_physical *)(uintptr_t)c->args[2];
    hipError_t err = hipSuccess;
    void *ptr = NULL;

    switch ((enum ls_far_kind)c->kind) {
    case LS_FAR_OPEN:
        *room = realloc(*room, sizeof(struct ls_device_info));
        r->bytes = sizeof(struct ls_device_info);
        return open_device(dev, c, (struct ls_device_info *)(void *)*room);
    case LS_FAR_ALLOC:
        err = ops->mem.alloc(dev, LS_MEMORY_DEVICE, c->args[0], c->args[1], &ptr);
        r->values[0] = (uintptr_t)ptr;
        return err;
    case LS_FAR_FREE:
        ops->mem.free(dev, LS_MEMORY_DEVICE, p0, c->args[1]);
        return hipSuccess;
    case LS_FAR_READ:
        *room = realloc(*room, c->args[1]);
        if (!*room)
            return hipErrorOutOfMemory;
        ops->mem.read(dev, *room, p0, c->args[1]);
        r->bytes = c->args[1];
        return hipSuccess;
    case LS_FAR_WRITE:
        ops->mem.write(dev, p0, *room, c->bytes);
        return hipSuccess;
    case LS_FAR_ZERO:
        ops->mem.zero(dev, p0, c->args[1]);
        return hipSuccess;
    case LS_FAR_SHARE:
        err = ops->mem.share(dev, p0, c->args[1], *room, fd);
        r->has_fd = err == hipSuccess;
        return err;
    case LS_FAR_UNSHARE:
        return ops->mem.unshare(dev, p0, c->args[1]) ? hipSuccess : hipErrorOutOfMemory;
    case LS_FAR_RESERVE:
        err = ops->space.reserve(dev, c->args[0], c->args[1], (void *)(uintptr_t)c->args[2], &ptr);
        r->values[0] = (uintptr_t)ptr;
        return err;
    case LS_FAR_UNRESERVE:
        ops->space.unreserve(dev, p0, c->args[1]);
        return hipSuccess;
    case LS_FAR_CREATE:
        err = ops->space.create(dev, c->args[0], c->bytes ? *room : NULL, &physical);
        r->values[0] = (uintptr_t)physical;
        return err;
    case LS_FAR_IMPORT:
        err = ops->space.import(dev, *fd, &physical);
        r->values[0] = (uintptr_t)physical;
        return err;
    case LS_FAR_FILE:
        *fd = ops->space.file(dev, physical);
        r->has_fd = *fd >= 0;
        return hipSuccess;
    case LS_FAR_DESTROY:
        ops->space.destroy(dev, physical);
        return hipSuccess;
    case LS_FAR_MAP:
        return ops->space.map(dev, p0, c->args[1], physical, c->args[3]);
    case LS_FAR_UNMAP:
        return ops->space.unmap(dev, p0, c->args[1]);
    case LS_FAR_SET_ACCESS:
        return ops->space.set_access(dev, p0, c->args[1], (hipMemAccessFlags)c->args[2]);
    case LS_FAR_MULTI_CREATE:
        r->values[0] = (uintptr_t)ops->multi.create(dev, (uint32_t)c->args[0],
                                                    (const uint64_t *)(void *)*room);
        return r->values[0] ? hipSuccess : hipErrorOutOfMemory;
    case LS_FAR_MULTI_CANCEL:
        ops->multi.cancel(dev, p0);
        return hipSuccess;
    case LS_FAR_GET_CODE:
        return get_code(dev, c, *room, r);
    case LS_FAR_RELEASE: {
        struct ls_kernel_source *src = p0;

        ops->module.release_kernel(dev, src);
        free(((struct source *)(void *)src)->copy);
        free(src);
        return hipSuccess;
    }
    case LS_FAR_RESIDENT:
        r->values[0] = ops->max_resident_blocks(dev, NULL, (uint32_t)c->args[0], c->args[1]);
        return hipSuccess;
    default:
        leave();
    }
}

static void *
answer_calls(void *arg)
{
    int sock = *(const int *)arg;

    for (;;) {
        struct ls_far_reply r = {.err = hipSuccess};
        struct ls_far_call c;
        struct iovec parts[2];
        char *room = NULL;
        int fd = -1;

        if (!ls_far_receive_fds(sock, &c, sizeof(c), &fd, 1) || c.device >= LS_FAR_DEVICES)
            leave();
        if (c.bytes) {
            room = malloc(c.bytes);
            if (!room)
                abort();
            get(sock, room, c.bytes);
        }
        r.err = answer(&c, &room, &fd, &r);
        parts[0] = (struct iovec){&r, sizeof(r)};
        parts[1] = (struct iovec){room, r.bytes};
        if (!ls_far_send(sock, parts, 2, &fd, r.has_fd))
            leave();
        if (fd >= 0)
            close(fd);
        free(room);
    }
}

/* ---- The process ---- */

static bool
map_memory(int shared)
{
    void *base = (void *)LS_FAR_SHARED_BASE;

    ls_heap_confine((void *)LS_FAR_DEVICE_BASE, LS_FAR_DEVICE_BYTES, false);
    return mmap(base, LS_FAR_SHARED_BYTES, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, shared, 0) == base;
}

int
main(void)
{
    static int fds[LS_FAR_FDS];

    ls_dl_is_helper();
    signal(SIGPIPE, SIG_IGN);
    if (!ls_far_receive_fds(LS_CHILD_FD, &hello, sizeof(hello), fds, LS_FAR_FDS) ||
        hello.build != LS_FAR_BUILD || !map_memory(fds[LS_FAR_CALLS]))
        return 1;
    for (int i = 0; i <= LS_FAR_CALLS; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, i < LS_FAR_CALLS ? answer_calls : tell_ends, &fds[i]))
            return 1;
        pthread_detach(thread);
    }
    for (;;) {
        struct ls_far_work m;

        get(LS_CHILD_FD, &m, sizeof(m));
        if (m.kind == LS_FAR_SUBMIT && m.device < LS_FAR_DEVICES)
            submit(&m);
        else if (m.kind == LS_FAR_ANSWER)
            take_answer(&m);
        else
            leave();
    }
}
