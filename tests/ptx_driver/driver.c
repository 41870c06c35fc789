/* SPDX-License-Identifier: MIT */
/* libcuda.so.1 on the CPU: what the CUDA device (src/device/cuda) asks of it. Kernels are code.h's.
 *
 * Device memory lies at addresses that the host cannot touch; here it has a second mapping
 * (pieces.c). Each stream is a thread, which dawdles now and then. It is strict: a call without a
 * context, with an unknown handle or with host memory for device memory ends the process. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cuda/driver.h"
#include "pieces.h"
#include "ptx.h"

#define EXPORT        __attribute__((visibility("default")))
#define NOT_SUPPORTED 801

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* an operation has ended, or was added */
static size_t stack_bytes = 1024;
static atomic_int dead;
static atomic_int n_running; /* kernels */
static atomic_int n_busy;    /* operations of all kinds */

#define LS_CU_REQUIRED(name, symbol, parameters) EXPORT int symbol parameters;
#include "device/cuda/symbols.def"

struct ls_cu_context {
    int device;
};
static struct ls_cu_context contexts[2];
static _Thread_local struct ls_cu_context *stack[8];
static _Thread_local unsigned depth;

struct ls_cu_event {
    unsigned n_recorded, n_reached, flags;
    struct timespec reached;
    struct ls_cu_context *context;
};

struct op {
    struct op *next;
    enum { OP_COPY, OP_FILL, OP_KERNEL, OP_EVENT, OP_GRAPH } kind;
    struct ls_cu_copy_3d box;
    void *staged; /* what the box's source was when the copy was asked for; or NULL */
    uint64_t dst;
    size_t n, pitch, height;
    unsigned value, element;
    struct ls_cu_function *function;
    unsigned grid[3], block[3], shared;
    bool cooperative;
    char args[4096];
    struct ls_cu_event *event;
    struct ls_cu_graph *graph;
};

struct ls_cu_node {
    struct ls_cu_node *next;
    struct op op; /* kind OP_GRAPH without a graph: nothing */
    struct ls_cu_node *behind[64];
    size_t n_behind;
    bool is_done;
};

struct ls_cu_graph {
    struct ls_cu_node *nodes;
    unsigned n, n_running;
    struct ls_cu_node *ends[64]; /* while a stream notes: what the next node is behind */
    size_t n_ends;
};

struct ls_cu_stream {
    struct ls_cu_stream *next;
    struct ls_cu_context *context;
    struct ls_cu_graph *notes; /* operations go there, not into the stream */
    struct op *head, **tail;
    unsigned n_added, n_done;
};

static _Atomic(struct ls_cu_stream *) streams; /* all; none ends */

struct ls_cu_function {
    struct ls_cu_function *next; /* of the module */
    struct ptx_function *kernel;
    struct ptx_facts facts;
    uint32_t dynamic_bytes; /* that a launch may ask for */
};

struct ls_cu_module {
    struct ptx_module *ptx;
    struct ls_cu_function *functions; /* guarded by lock */
};

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "ptx_driver: " __VA_ARGS__);                                               \
        fputc('\n', stderr);                                                                       \
        abort();                                                                                   \
    } while (0)

/* In each call that needs one. */
static int
check(void)
{
    if (!depth || !stack[depth - 1])
        FAIL("a call without a context");
    return atomic_load(&dead);
}
#define CHECK()                                                                                    \
    do {                                                                                           \
        int result_ = check();                                                                     \
        if (result_)                                                                               \
            return result_;                                                                        \
    } while (0)

/* PTX_DRIVER_SM: the processor that this is, 90 unless it says something else. */
static unsigned
capability(void)
{
    const char *text = getenv("PTX_DRIVER_SM");

    return text ? (unsigned)atoi(text) : 90;
}

static unsigned
shared_limit(void)
{
    return capability() >= 90 ? 232448 : 166912;
}

bool
driver_has_left(void)
{
    return atomic_load(&dead) == LS_CU_DEINITIALIZED;
}

size_t
driver_stack_bytes(void)
{
    return stack_bytes;
}

/* ---- Streams ---- */

static void
copy_box(const struct ls_cu_copy_3d *c)
{
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++) {
            size_t from = (z * c->src.height + y) * c->src.pitch,
                   to = (z * c->dst.height + y) * c->dst.pitch;

            memmove((c->dst.type == LS_CU_MEMORY_HOST ? (char *)(uintptr_t)c->dst.host
                                                      : pieces_at(c->dst.device)) +
                        to,
                    (c->src.type == LS_CU_MEMORY_HOST ? (const char *)c->src.host
                                                      : pieces_at(c->src.device)) +
                        from,
                    c->row_bytes);
        }
}

static void run_graph(struct ls_cu_graph *g, unsigned *random);

static void
run_alive(struct op *op, unsigned *random)
{
    if (op->kind == OP_GRAPH && op->graph)
        run_graph(op->graph, random);
    if (op->kind == OP_KERNEL) {
        atomic_fetch_add(&n_running, 1);
        atomic_compare_exchange_strong(&dead, &(int){0},
                                       ptx_run(op->function->kernel, op->grid, op->block,
                                               op->shared, op->args, op->cooperative));
        atomic_fetch_sub(&n_running, 1);
    }
    if (op->kind == OP_COPY)
        copy_box(&op->box);
    free(op->staged);
    for (size_t y = 0; op->kind == OP_FILL && y < op->height; y++)
        for (size_t x = 0; x < op->n; x++)
            memcpy(pieces_at(op->dst + y * op->pitch + x * op->element), &op->value, op->element);
}

static void
run(struct op *op, unsigned *random)
{
    atomic_fetch_add(&n_busy, 1);
    if (!atomic_load(&dead))
        run_alive(op, random);
    atomic_fetch_sub(&n_busy, 1);
}

/* Nodes in any order that the edges allow. */
static void
run_graph(struct ls_cu_graph *g, unsigned *random)
{
    if (g->n_running++)
        FAIL("a graph that runs twice at once");
    for (struct ls_cu_node *n = g->nodes; n; n = n->next)
        n->is_done = false;
    for (unsigned left = g->n; left;) {
        struct ls_cu_node *n = g->nodes;
        bool ready = true;

        for (unsigned k = (*random = *random * 1664525u + 1013904223u) % g->n; k; k--)
            n = n->next;
        for (size_t i = 0; i < n->n_behind; i++)
            ready &= n->behind[i]->is_done;
        if (n->is_done || !ready)
            continue;
        run(&n->op, random);
        n->is_done = true;
        left--;
    }
    g->n_running--;
}

static struct ls_cu_node *
add_node(struct ls_cu_graph *g, struct op op, struct ls_cu_node *const *behind, size_t n)
{
    struct ls_cu_node *node = calloc(1, sizeof(*node));

    if (n > sizeof(node->behind) / sizeof(*node->behind))
        FAIL("a node with %zu edges", n);
    node->op = op;
    for (size_t i = 0; i < n; i++) {
        const struct ls_cu_node *k = g->nodes;

        while (k && k != behind[i])
            k = k->next;
        if (!k)
            FAIL("an edge from a node of no graph");
        node->behind[i] = behind[i];
    }
    node->n_behind = n;
    node->next = g->nodes;
    g->nodes = node;
    g->n++;
    return node;
}

static void *
stream_main(void *arg)
{
    struct ls_cu_stream *s = arg;
    unsigned random = (unsigned)(uintptr_t)s;

    pthread_mutex_lock(&lock);
    for (;;) {
        struct op *op = s->head;

        if (!op) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        pthread_mutex_unlock(&lock);
        random = random * 1664525u + 1013904223u;
        if (random >> 29 == 0)
            usleep(random >> 16 & 255);
        run(op, &random);
        pthread_mutex_lock(&lock);
        if (op->kind == OP_EVENT) {
            clock_gettime(CLOCK_MONOTONIC, &op->event->reached);
            op->event->n_reached++;
        }
        s->head = op->next;
        if (!s->head)
            s->tail = &s->head;
        s->n_done++;
        free(op);
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

static int
add(struct ls_cu_stream *s, struct op op)
{
    struct op *copy = malloc(sizeof(op));

    if (s->context != stack[depth - 1])
        FAIL("a stream of another context");
    if (s->notes) {
        free(copy);
        s->notes->ends[0] = add_node(s->notes, op, s->notes->ends, s->notes->n_ends);
        s->notes->n_ends = 1;
        return 0;
    }
    *copy = op;
    copy->next = NULL;
    pthread_mutex_lock(&lock);
    *s->tail = copy;
    s->tail = &copy->next;
    s->n_added++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

static char *printed;
static size_t n_printed, printed_room; /* guarded by lock */

void
driver_print(const char *text, size_t bytes)
{
    pthread_mutex_lock(&lock);
    if (n_printed + bytes > printed_room) {
        printed_room = 2 * (n_printed + bytes);
        printed = realloc(printed, printed_room);
        if (!printed)
            FAIL("no memory for what kernels print");
    }
    memcpy(printed + n_printed, text, bytes);
    n_printed += bytes;
    pthread_mutex_unlock(&lock);
}

static void
flush_prints(void)
{
    pthread_mutex_lock(&lock);
    if (n_printed)
        fwrite(printed, 1, n_printed, stdout);
    n_printed = 0;
    pthread_mutex_unlock(&lock);
}

static int
wait_for(struct ls_cu_stream *s)
{
    unsigned n;

    pthread_mutex_lock(&lock);
    n = s->n_added;
    while ((int)(s->n_done - n) < 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return atomic_load(&dead);
}

EXPORT int
cuStreamCreateWithPriority(struct ls_cu_stream **out, unsigned flags, int priority)
{
    struct ls_cu_stream *s = calloc(1, sizeof(*s));
    pthread_t thread;

    CHECK();
    if (flags != LS_CU_STREAM_NON_BLOCKING || priority > 0 || priority < -5)
        FAIL("a stream with flags %u and priority %d", flags, priority);
    s->context = stack[depth - 1];
    s->tail = &s->head;
    s->next = atomic_load(&streams);
    while (!atomic_compare_exchange_weak(&streams, &s->next, s))
        continue;
    *out = s;
    return pthread_create(&thread, NULL, stream_main, s) ? 2 : 0;
}

EXPORT int
cuStreamSynchronize(struct ls_cu_stream *s)
{
    int result;

    CHECK();
    result = wait_for(s);
    flush_prints();
    return result;
}

EXPORT int
cuStreamQuery(struct ls_cu_stream *s)
{
    bool idle;

    CHECK();
    pthread_mutex_lock(&lock);
    idle = s->n_done == s->n_added;
    pthread_mutex_unlock(&lock);
    return idle ? atomic_load(&dead) : LS_CU_NOT_READY;
}

EXPORT int
cuCtxSynchronize(void)
{
    CHECK();
    for (struct ls_cu_stream *s = atomic_load(&streams); s; s = s->next)
        if (s->context == stack[depth - 1])
            wait_for(s);
    flush_prints();
    return atomic_load(&dead);
}

EXPORT int
cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    CHECK();
    *least = 0;
    *greatest = -5;
    return 0;
}

EXPORT int
cuEventCreate(struct ls_cu_event **out, unsigned flags)
{
    CHECK();
    *out = calloc(1, sizeof(**out));
    (*out)->flags = flags;
    (*out)->context = stack[depth - 1];
    return 0;
}

static atomic_uint n_records;

EXPORT unsigned driver_records(void);
unsigned
driver_records(void) /* how many there have been */
{
    return atomic_load(&n_records);
}

EXPORT int
cuEventRecord(struct ls_cu_event *e, struct ls_cu_stream *s)
{
    CHECK();
    atomic_fetch_add(&n_records, 1);
    pthread_mutex_lock(&lock);
    e->n_recorded++;
    pthread_mutex_unlock(&lock);
    return add(s, (struct op){.kind = OP_EVENT, .event = e});
}

EXPORT int
cuEventQuery(struct ls_cu_event *e)
{
    bool reached;

    CHECK();
    pthread_mutex_lock(&lock);
    reached = e->n_reached == e->n_recorded;
    pthread_mutex_unlock(&lock);
    return reached ? atomic_load(&dead) : LS_CU_NOT_READY; /* by a fault in front of it, say */
}

static atomic_uint n_times;

EXPORT unsigned driver_times(void);
unsigned
driver_times(void) /* how many have been asked for */
{
    return atomic_load(&n_times);
}

EXPORT int
cuEventElapsedTime(float *ms, struct ls_cu_event *from, struct ls_cu_event *to)
{
    CHECK();
    if (from->flags & LS_CU_EVENT_DISABLE_TIMING || to->flags & LS_CU_EVENT_DISABLE_TIMING)
        FAIL("the time of an event that has none");
    atomic_fetch_add(&n_times, 1);
    if (cuEventQuery(from) == LS_CU_NOT_READY || cuEventQuery(to) == LS_CU_NOT_READY)
        return LS_CU_NOT_READY;
    *ms = (float)(to->reached.tv_sec - from->reached.tv_sec) * 1e3f +
          (float)(to->reached.tv_nsec - from->reached.tv_nsec) / 1e6f;
    return 0;
}

/* ---- Graphs ---- */

EXPORT int
cuStreamBeginCapture_v2(struct ls_cu_stream *s, int mode)
{
    CHECK();
    if (s->notes || mode != LS_CU_CAPTURE_RELAXED)
        FAIL("a capture of mode %d", mode);
    s->notes = calloc(1, sizeof(*s->notes));
    return 0;
}

EXPORT int
cuStreamEndCapture(struct ls_cu_stream *s, struct ls_cu_graph **graph)
{
    CHECK();
    *graph = s->notes;
    s->notes = NULL;
    return *graph ? 0 : LS_CU_INVALID_HANDLE;
}

EXPORT int
cuStreamGetCaptureInfo_v2(struct ls_cu_stream *s, int *status, uint64_t *id,
                          struct ls_cu_graph **graph, struct ls_cu_node *const **ends,
                          size_t *n_ends)
{
    CHECK();
    *status = s->notes != NULL;
    *id = 1;
    *graph = s->notes;
    *ends = s->notes->ends;
    *n_ends = s->notes->n_ends;
    return 0;
}

EXPORT int
cuStreamUpdateCaptureDependencies(struct ls_cu_stream *s, struct ls_cu_node **ends, size_t n,
                                  unsigned flags)
{
    CHECK();
    if (!s->notes || flags != LS_CU_CAPTURE_SET_DEPENDENCIES ||
        n > sizeof(s->notes->ends) / sizeof(*s->notes->ends))
        FAIL("%zu edges", n);
    for (size_t i = 0; i < n; i++)
        s->notes->ends[i] = ends[i];
    s->notes->n_ends = n;
    return 0;
}

EXPORT int
cuGraphAddEmptyNode(struct ls_cu_node **node, struct ls_cu_graph *graph,
                    struct ls_cu_node *const *behind, size_t n)
{
    CHECK();
    *node = add_node(graph, (struct op){.kind = OP_GRAPH}, behind, n);
    return 0;
}

static atomic_uint n_graphs;

EXPORT unsigned driver_graphs(void);
unsigned
driver_graphs(void) /* how many there are */
{
    return atomic_load(&n_graphs);
}

EXPORT int
cuGraphInstantiateWithFlags(struct ls_cu_exec **exec, struct ls_cu_graph *graph,
                            unsigned long long flags)
{
    CHECK();
    if (flags)
        FAIL("a graph with flags %llu", flags);
    *exec = (void *)graph;
    atomic_fetch_add(&n_graphs, 1);
    return 0;
}

EXPORT int
cuGraphDestroy(struct ls_cu_graph *graph)
{
    CHECK();
    (void)graph; /* its instance uses it */
    return 0;
}

EXPORT int
cuGraphExecDestroy(struct ls_cu_exec *exec)
{
    struct ls_cu_graph *g = (void *)exec;

    CHECK();
    while (g->nodes) {
        struct ls_cu_node *n = g->nodes;

        g->nodes = n->next;
        free(n);
    }
    free(g);
    atomic_fetch_sub(&n_graphs, 1);
    return 0;
}

EXPORT int
cuGraphLaunch(struct ls_cu_exec *exec, struct ls_cu_stream *s)
{
    CHECK();
    return add(s, (struct op){.kind = OP_GRAPH, .graph = (void *)exec});
}

/* ---- Copies and fills ---- */

static bool
is_pageable(uint64_t p)
{
    bool yes;

    yes = !pieces_is_device(p) && !pieces_host_kind(p);
    return yes;
}

static uint64_t
side(const struct ls_cu_copy_side *s)
{
    uint64_t p = s->type == LS_CU_MEMORY_HOST ? (uint64_t)(uintptr_t)s->host : s->device;

    if ((s->type == LS_CU_MEMORY_DEVICE) != pieces_is_device(p))
        FAIL("a side of a copy of type %d", s->type);
    return p;
}

EXPORT int
cuMemcpy3DAsync_v2(const struct ls_cu_copy_3d *c, struct ls_cu_stream *s)
{
    bool pageable = is_pageable(side(&c->src)) || is_pageable(side(&c->dst));

    CHECK();
    if (c->src.pitch < c->row_bytes || c->dst.pitch < c->row_bytes ||
        (c->depth > 1 && (c->src.height < c->height || c->dst.height < c->height)))
        return 1;
    add(s, (struct op){.kind = OP_COPY, .box = *c});
    return pageable ? wait_for(s) : 0;
}

static struct ls_cu_copy_side
plain_side(uint64_t p, size_t bytes)
{
    return (struct ls_cu_copy_side){.type = pieces_is_device(p) ? LS_CU_MEMORY_DEVICE
                                                                : LS_CU_MEMORY_HOST,
                                    .host = (const void *)(uintptr_t)p,
                                    .device = p,
                                    .pitch = bytes,
                                    .height = 1};
}

EXPORT int
cuMemcpyAsync(uint64_t dst, uint64_t src, size_t bytes, struct ls_cu_stream *s)
{
    struct ls_cu_copy_3d box = {.src = plain_side(src, bytes),
                                .dst = plain_side(dst, bytes),
                                .row_bytes = bytes,
                                .height = 1,
                                .depth = 1};

    CHECK();
    if (bytes <= 65536 && pieces_is_device(dst) &&
        is_pageable(src)) { /* the driver reads it at once */
        box.src.host = memcpy(malloc(bytes + 1), (const void *)(uintptr_t)src, bytes);
        return add(s, (struct op){.kind = OP_COPY, .box = box, .staged = (void *)box.src.host});
    }
    return cuMemcpy3DAsync_v2(&box, s);
}

static int
fill(uint64_t dst, size_t pitch, unsigned value, size_t n, size_t height, unsigned element,
     struct ls_cu_stream *s)
{
    CHECK();
    if (is_pageable(dst) || dst % element || (height > 1 && pitch % element))
        return 1;
    return add(s, (struct op){.kind = OP_FILL,
                              .dst = dst,
                              .n = n,
                              .pitch = pitch,
                              .height = height,
                              .value = value,
                              .element = element});
}

#define FILL(bits, type)                                                                           \
    EXPORT int cuMemsetD##bits##Async(uint64_t dst, type value, size_t n, struct ls_cu_stream *s)  \
    {                                                                                              \
        return fill(dst, 0, value, n, 1, bits / 8, s);                                             \
    }                                                                                              \
    EXPORT int cuMemsetD2D##bits##Async(uint64_t dst, size_t pitch, type value, size_t width,      \
                                        size_t height, struct ls_cu_stream *s)                     \
    {                                                                                              \
        return pitch < width * bits / 8 ? 1 : fill(dst, pitch, value, width, height, bits / 8, s); \
    }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)

/* ---- Memory ---- */

EXPORT int
cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    CHECK();
    *free_bytes = pieces_left();
    *total_bytes = pieces_total();
    return 0;
}

EXPORT int
cuMemAlloc_v2(uint64_t *ptr, size_t bytes)
{
    CHECK();
    if (!bytes)
        return 1;
    *ptr = driver_alloc(bytes);
    return *ptr ? 0 : LS_CU_OUT_OF_MEMORY;
}

EXPORT int
cuMemFree_v2(uint64_t ptr)
{
    CHECK();
    if (!driver_free(ptr) && !pieces_remove((const void *)(uintptr_t)ptr))
        FAIL("memory is freed that is none");
    return 0;
}

EXPORT int
cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t ptr)
{
    struct ptx_piece p;

    CHECK();
    if (!driver_find(ptr, &p))
        return 1;
    *base = p.base;
    *bytes = p.bytes;
    return 0;
}

_Static_assert(sizeof(struct pieces_handle) <= sizeof(struct ls_cu_ipc), "fits");

EXPORT int
cuIpcGetMemHandle(struct ls_cu_ipc *out, uint64_t ptr)
{
    struct pieces_handle h;

    CHECK();
    memset(out, 0, sizeof(*out));
    if (!pieces_describe(ptr, &h))
        return 1;
    memcpy(out, &h, sizeof(h));
    return 0;
}

EXPORT int
cuIpcOpenMemHandle_v2(uint64_t *ptr, struct ls_cu_ipc handle, unsigned flags)
{
    struct pieces_handle h;

    CHECK();
    memcpy(&h, &handle, sizeof(h));
    if (flags != LS_CU_IPC_LAZY_PEER_ACCESS || h.process == getpid())
        return 1;
    *ptr = pieces_borrow(&h);
    return *ptr ? 0 : LS_CU_INVALID_HANDLE;
}

EXPORT int
cuIpcCloseMemHandle(uint64_t ptr)
{
    CHECK();
    return pieces_give_back(ptr) ? 0 : 1;
}

static int
add_range(void *base, size_t bytes, enum piece_kind kind)
{
    return base != (void *)-1 && pieces_add(base, bytes, kind) ? 0 : LS_CU_OUT_OF_MEMORY;
}

EXPORT int
cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    CHECK();
    if (flags != (LS_CU_HOST_PORTABLE | LS_CU_HOST_MAPPED))
        FAIL("flags %u", flags);
    *ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return add_range(*ptr, bytes, PIECE_PINNED);
}

static int
remove_range(void *ptr)
{
    if (!pieces_remove(ptr))
        FAIL("no range at %p", ptr);
    return 0;
}

EXPORT int
cuMemFreeHost(void *ptr)
{
    CHECK();
    return remove_range(ptr);
}

EXPORT int
cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned flags)
{
    (void)flags;
    CHECK();
    return add_range(ptr, bytes, PIECE_PINNED);
}

EXPORT int
cuMemHostUnregister(void *ptr)
{
    CHECK();
    return remove_range(ptr);
}

EXPORT int
cuMemAllocManaged(uint64_t *ptr, size_t bytes, unsigned flags)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK();
    if (flags != LS_CU_MANAGED_GLOBAL)
        FAIL("flags %u", flags);
    *ptr = (uint64_t)(uintptr_t)p;
    return add_range(p, bytes, PIECE_MANAGED);
}

EXPORT int
cuPointerGetAttributes(unsigned n, int *attributes, void **values, uint64_t ptr)
{
    enum piece_kind kind = pieces_host_kind(ptr);

    CHECK();
    for (unsigned i = 0; i < n; i++) {
        if (attributes[i] == LS_CU_POINTER_IS_MANAGED)
            *(bool *)values[i] = kind == PIECE_MANAGED;
        else
            *(unsigned *)values[i] = pieces_is_device(ptr)  ? LS_CU_MEMORY_DEVICE
                                     : kind == PIECE_PINNED ? LS_CU_MEMORY_HOST
                                                            : 0;
    }
    return 0;
}

/* ---- Modules ---- */

/* What a module's failure is said with. */
static void
say(unsigned n, const int *options, void **values, const char *text)
{
    size_t room = 0;

    for (unsigned i = 0; i < n; i++)
        if (options[i] == LS_CU_JIT_ERROR_LOG_BYTES)
            room = (size_t)(uintptr_t)values[i];
    for (unsigned i = 0; i < n && room; i++)
        if (options[i] == LS_CU_JIT_ERROR_LOG)
            snprintf(values[i], room, "%s", text);
}

EXPORT int
cuModuleLoadDataEx(struct ls_cu_module **out, const void *image, unsigned n, int *options,
                   void **values)
{
    struct ls_cu_module *m = calloc(1, sizeof(*m));
    unsigned registers = 255;
    char log[PTX_LOG];

    CHECK();
    while (atomic_load(&n_running)) /* as the driver does */
        usleep(100);
    for (unsigned i = 0; i < n; i++)
        if (options[i] == LS_CU_JIT_MAX_REGISTERS)
            registers = (unsigned)(uintptr_t)values[i];
    m->ptx = ptx_load(image, capability(), registers, log);
    if (m->ptx) {
        *out = m;
        return 0;
    }
    say(n, options, values, log);
    free(m);
    return 218;
}

EXPORT int
cuModuleUnload(struct ls_cu_module *m)
{
    CHECK();
    while (m->functions) {
        struct ls_cu_function *f = m->functions;

        m->functions = f->next;
        free(f);
    }
    ptx_unload(m->ptx);
    free(m);
    return 0;
}

EXPORT int
cuModuleGetFunction(struct ls_cu_function **out, struct ls_cu_module *m, const char *name)
{
    struct ptx_function *kernel = ptx_find_kernel(m->ptx, name);
    struct ls_cu_function *f;

    CHECK();
    if (!kernel)
        return 500;
    f = calloc(1, sizeof(*f));
    f->kernel = kernel;
    f->facts = ptx_facts_of(kernel);
    f->dynamic_bytes = 49152 - f->facts.shared_bytes;
    pthread_mutex_lock(&lock);
    f->next = m->functions;
    m->functions = f;
    pthread_mutex_unlock(&lock);
    *out = f;
    return 0;
}

EXPORT int
cuModuleGetGlobal_v2(uint64_t *ptr, size_t *bytes, struct ls_cu_module *m, const char *name)
{
    CHECK();
    return ptx_find_variable(m->ptx, name, ptr, bytes) ? 0 : 500;
}

EXPORT int
cuFuncLoad(struct ls_cu_function *f)
{
    CHECK();
    return f ? 0 : LS_CU_INVALID_HANDLE;
}

EXPORT int
cuFuncGetAttribute(int *value, int attribute, struct ls_cu_function *f)
{
    CHECK();
    switch (attribute) {
    case LS_CU_FUNCTION_MAX_THREADS_PER_BLOCK:
        *value = (int)f->facts.max_threads;
        return 0;
    case LS_CU_FUNCTION_LOCAL_BYTES:
        *value = (int)f->facts.local_bytes;
        return 0;
    case LS_CU_FUNCTION_REGISTERS:
        *value = (int)f->facts.registers;
        return 0;
    default:
        return NOT_SUPPORTED;
    }
}

EXPORT int
cuFuncSetAttribute(struct ls_cu_function *f, int attribute, int value)
{
    CHECK();
    if (attribute != LS_CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES)
        return NOT_SUPPORTED;
    if (value < 0 || (unsigned)value > shared_limit() - f->facts.shared_bytes)
        return 1;
    f->dynamic_bytes = (unsigned)value;
    return 0;
}

static unsigned
resident_blocks(const struct ls_cu_function *f, unsigned threads, size_t shared)
{
    unsigned by_threads = threads ? 2048 / threads : 0;
    size_t each = f->facts.shared_bytes + shared + 1024, /* the system's */
        by_shared = (shared_limit() + 1024) / each;

    if (threads > f->facts.max_threads)
        return 0;
    by_threads = by_threads < 8 ? by_threads : 8;
    return by_shared < by_threads ? (unsigned)by_shared : by_threads;
}

static int
launch(struct ls_cu_function *f, const unsigned grid[3], const unsigned block[3], unsigned shared,
       struct ls_cu_stream *s, void **arguments, bool cooperative)
{
    struct op op = {.kind = OP_KERNEL,
                    .function = f,
                    .grid = {grid[0], grid[1], grid[2]},
                    .block = {block[0], block[1], block[2]},
                    .shared = shared,
                    .cooperative = cooperative};

    for (int i = 0; i < 3; i++)
        if (!grid[i] || !block[i] || grid[i] > (i ? 65535u : 0x7fffffffu) ||
            block[i] > (i == 2 ? 64u : 1024u))
            return 1;
    if (block[0] * block[1] * block[2] > f->facts.max_threads)
        return 701;
    if (shared > f->dynamic_bytes || f->facts.args_bytes > sizeof(op.args))
        return 1;
    for (uint32_t i = 0; i < f->facts.n_params; i++)
        memcpy(op.args + f->facts.param_at[i], arguments[i], f->facts.param_bytes[i]);
    return add(s, op);
}

EXPORT int
cuLaunchKernel(struct ls_cu_function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
               unsigned by, unsigned bz, unsigned shared, struct ls_cu_stream *s, void **arguments,
               void **extra)
{
    CHECK();
    if (extra)
        return NOT_SUPPORTED;
    return launch(f, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, s, arguments,
                  false);
}

EXPORT int
cuLaunchCooperativeKernel(struct ls_cu_function *f, unsigned gx, unsigned gy, unsigned gz,
                          unsigned bx, unsigned by, unsigned bz, unsigned shared,
                          struct ls_cu_stream *s, void **arguments)
{
    CHECK();
    if ((uint64_t)gx * gy * gz > PTX_UNITS * resident_blocks(f, bx * by * bz, shared))
        return 720;
    return launch(f, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, s, arguments,
                  true);
}

EXPORT int
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, struct ls_cu_function *f, int threads,
                                            size_t shared)
{
    CHECK();
    if (threads <= 0)
        return 1;
    *n = (int)resident_blocks(f, (unsigned)threads, shared);
    return 0;
}

/* ---- Devices ---- */

/* As the driver, which leaves first. */
static void
leave(void)
{
    atomic_store(&dead, LS_CU_DEINITIALIZED);
    while (atomic_load(&n_busy)) /* they look, now and then */
        usleep(100);
    pieces_close();
}

EXPORT int
cuInit(unsigned flags)
{
    if (flags || !pieces_open())
        return 999;
    return atexit(leave) ? 999 : 0;
}

EXPORT int
cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

EXPORT int
cuGetErrorName(int result, const char **name)
{
    *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return 0;
}

EXPORT int
cuDeviceGetUuid(unsigned char *uuid, int which)
{
    memcpy(uuid, "ptx driver  000", 16);
    uuid[14] = (unsigned char)('0' + which);
    return 0;
}

EXPORT int
cuCtxGetLimit(size_t *value, int limit)
{
    CHECK();
    *value = stack_bytes;
    return limit;
}

EXPORT int
cuCtxSetLimit(int limit, size_t value)
{
    CHECK();
    stack_bytes = value;
    return limit;
}

EXPORT int
cuDeviceCanAccessPeer(int *can, int which, int peer)
{
    *can = which != peer;
    return 0;
}

EXPORT int
cuCtxEnablePeerAccess(struct ls_cu_context *peer, unsigned flags)
{
    CHECK();
    return flags || peer == stack[depth - 1];
}

EXPORT int
cuDeviceGetCount(int *n)
{
    const char *text = getenv("PTX_DRIVER_DEVICES");

    *n = text ? atoi(text) : 1;
    return 0;
}

EXPORT int
cuDeviceGet(int *out, int ordinal)
{
    *out = ordinal;
    return ordinal < 2 ? 0 : 101;
}

EXPORT int
cuDeviceGetName(char *name, int bytes, int which)
{
    snprintf(name, (size_t)bytes, "PTX on the CPU %d", which);
    return 0;
}

EXPORT int
cuDeviceTotalMem_v2(size_t *bytes, int which)
{
    (void)which;
    *bytes = pieces_total();
    return 0;
}

EXPORT int
cuDeviceGetAttribute(int *value, int attribute, int which)
{
    const int values[][2] = {{LS_CU_DEVICE_MAX_THREADS_PER_BLOCK, 1024},
                             {LS_CU_DEVICE_MAX_BLOCK_DIM_X, 1024},
                             {LS_CU_DEVICE_MAX_BLOCK_DIM_X + 1, 1024},
                             {LS_CU_DEVICE_MAX_BLOCK_DIM_X + 2, 64},
                             {LS_CU_DEVICE_MAX_GRID_DIM_X, 0x7fffffff},
                             {LS_CU_DEVICE_MAX_GRID_DIM_X + 1, 65535},
                             {LS_CU_DEVICE_MAX_GRID_DIM_X + 2, 65535},
                             {LS_CU_DEVICE_MAX_REGISTERS_PER_BLOCK, 65536},
                             {LS_CU_DEVICE_CLOCK_RATE, 1000000},
                             {LS_CU_DEVICE_MULTIPROCESSOR_COUNT, PTX_UNITS},
                             {LS_CU_DEVICE_L2_CACHE_SIZE, 1 << 20},
                             {LS_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                             {LS_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, (int)capability() / 10},
                             {LS_CU_DEVICE_COMPUTE_CAPABILITY_MINOR, (int)capability() % 10},
                             {LS_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, (int)shared_limit()},
                             {LS_CU_DEVICE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32}};

    (void)which;
    *value = 0;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        if (values[i][0] == attribute)
            *value = values[i][1];
    return 0;
}

EXPORT int
cuDevicePrimaryCtxRetain(struct ls_cu_context **out, int which)
{
    *out = &contexts[which];
    return 0;
}

EXPORT int
cuCtxPushCurrent_v2(struct ls_cu_context *context)
{
    if (depth == sizeof(stack) / sizeof(*stack))
        FAIL("too many contexts");
    stack[depth++] = context;
    return 0;
}

EXPORT int
cuCtxPopCurrent_v2(struct ls_cu_context **context)
{
    if (!depth)
        FAIL("no context to pop");
    *context = stack[--depth];
    return 0;
}

EXPORT int
cuCtxGetCurrent(struct ls_cu_context **context)
{
    *context = depth ? stack[depth - 1] : NULL;
    return 0;
}

EXPORT int
cuCtxSetCurrent(struct ls_cu_context *context)
{
    depth = 1;
    stack[0] = context;
    return 0;
}
