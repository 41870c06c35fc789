/* SPDX-License-Identifier: MIT */
/* A stand-in for libcuda.so.1 that does on the CPU what the CUDA device (src/device/cuda) asks of
 * it. A test that opens it before the runtime looks for the driver gives that its name.
 *
 * Device memory lies at addresses that the host cannot touch; here they have a second mapping.
 * Each stream is a thread, which dawdles now and then. It is strict: a call without a context, with
 * an unknown handle or with host memory for device memory ends the process. Kernels are known by
 * the word behind "fake:" in their text. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "device/cuda/driver.h"
#include "device/cuda/text.h"

#define MEMORY_BYTES ((size_t)1 << 30)
#define EXPORT       __attribute__((visibility("default")))
#define N_PINNED     4096u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* an operation has ended, or was added */
static char *device, *alias;                              /* the same memory */
static size_t used, stack_bytes = 1024;
static atomic_int dead;
static atomic_int n_running; /* kernels */
static struct range {
    char *base;
    size_t bytes;
    bool is_managed;
} pinned[N_PINNED];
static unsigned n_pinned;

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
    char args[256];
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
    struct ls_cu_context *context;
    struct ls_cu_graph *notes; /* operations go there, not into the stream */
    struct op *head, **tail;
    unsigned n_added, n_done;
};

struct ls_cu_function {
    struct ls_cu_module *module;
    void (*run)(struct op *op);
    size_t args_bytes;
    int max_threads, shared_bytes;
};

struct ls_cu_module {
    struct ls_cu_function function;
    uint64_t globals;
    size_t n_globals;
};

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "fake_cuda: " __VA_ARGS__);                                                \
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

static bool
is_device(uint64_t p)
{
    return p - (uint64_t)(uintptr_t)device < MEMORY_BYTES;
}

static const struct range *
find_range(uint64_t p)
{
    for (unsigned i = 0; i < n_pinned; i++)
        if (pinned[i].base && p - (uint64_t)(uintptr_t)pinned[i].base < pinned[i].bytes)
            return &pinned[i];
    return NULL;
}

/* Where the host finds it. */
static char *
at(uint64_t p)
{
    return is_device(p) ? alias + (p - (uint64_t)(uintptr_t)device) : (char *)(uintptr_t)p;
}

/* ---- Kernels ---- */

#define ARG(type, offset) (*(type *)(void *)(op->args + (offset)))

static void
run_scale(struct op *op) /* (float *out, const float *in, float a, int n) */
{
    float *out = (float *)(void *)at(ARG(uint64_t, 0)), a = ARG(float, 16);
    const float *in = (const float *)(void *)at(ARG(uint64_t, 8));
    size_t n = ARG(uint32_t, 20), threads = (size_t)op->grid[0] * op->block[0];

    for (size_t i = 0; i < n && i < threads; i++)
        out[i] = a * in[i];
}

static void
run_count(struct op *op) /* (int *runs): adds 1 to that of each block */
{
    int *runs = (int *)(void *)at(ARG(uint64_t, 0));

    for (unsigned i = 0; i < op->grid[0]; i++)
        __atomic_fetch_add(&runs[i], 1, __ATOMIC_RELAXED);
}

static void
run_await(struct op *op) /* (int *flag, int *set) */
{
    int *flag = (int *)(void *)at(ARG(uint64_t, 0)), *set = (int *)(void *)at(ARG(uint64_t, 8));

    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        usleep(10);
    __atomic_store_n(set, 1, __ATOMIC_RELEASE);
}

static void
run_fault(struct op *op)
{
    (void)op;
    atomic_store(&dead, 700);
}

static void
run_vars(struct op *op) /* (int *out): out[0] = the first variable, which grows by 1 */
{
    uint64_t *globals = (uint64_t *)(void *)at(op->function->module->globals);
    int *var = (int *)(void *)at(globals[0]);

    *(int *)(void *)at(ARG(uint64_t, 0)) = (*var)++;
}

static void
run_row(struct op *op) /* (int *out): 1, the code for rows; "all" is the other */
{
    *(int *)(void *)at(ARG(uint64_t, 0)) = 1;
}

static void
run_all(struct op *op) /* (int *out): the bytes of stack */
{
    *(int *)(void *)at(ARG(uint64_t, 0)) = (int)stack_bytes;
}

static void
run_shared(struct op *op) /* (int *out): the bytes of shared memory */
{
    *(int *)(void *)at(ARG(uint64_t, 0)) = (int)op->shared;
}

static const struct {
    const char *name;
    void (*run)(struct op *op);
} kernels[] = {{"scale", run_scale}, {"count", run_count}, {"await", run_await},
               {"fault", run_fault}, {"vars", run_vars},   {"shared", run_shared},
               {"row", run_row},     {"all", run_all}};

/* ---- Streams ---- */

static void
copy_box(const struct ls_cu_copy_3d *c)
{
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++) {
            size_t from = (z * c->src.height + y) * c->src.pitch,
                   to = (z * c->dst.height + y) * c->dst.pitch;

            memmove(
                (c->dst.type == LS_CU_MEMORY_HOST ? (char *)(uintptr_t)c->dst.host
                                                  : at(c->dst.device)) +
                    to,
                (c->src.type == LS_CU_MEMORY_HOST ? (const char *)c->src.host : at(c->src.device)) +
                    from,
                c->row_bytes);
        }
}

static void run_graph(struct ls_cu_graph *g, unsigned *random);

static void
run(struct op *op, unsigned *random)
{
    if (atomic_load(&dead))
        return;
    if (op->kind == OP_GRAPH && op->graph)
        run_graph(op->graph, random);
    if (op->kind == OP_KERNEL) {
        atomic_fetch_add(&n_running, 1);
        op->function->run(op);
        atomic_fetch_sub(&n_running, 1);
    }
    if (op->kind == OP_COPY)
        copy_box(&op->box);
    free(op->staged);
    for (size_t y = 0; op->kind == OP_FILL && y < op->height; y++)
        for (size_t x = 0; x < op->n; x++)
            memcpy(at(op->dst + y * op->pitch + x * op->element), &op->value, op->element);
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
    *out = s;
    return pthread_create(&thread, NULL, stream_main, s) ? 2 : 0;
}

EXPORT int
cuStreamSynchronize(struct ls_cu_stream *s)
{
    CHECK();
    return wait_for(s);
}

EXPORT int
cuCtxSynchronize(void)
{
    CHECK();
    return 0;
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

EXPORT int
cuEventRecord(struct ls_cu_event *e, struct ls_cu_stream *s)
{
    CHECK();
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

EXPORT int
cuEventElapsedTime(float *ms, struct ls_cu_event *from, struct ls_cu_event *to)
{
    CHECK();
    if (from->flags & LS_CU_EVENT_DISABLE_TIMING || to->flags & LS_CU_EVENT_DISABLE_TIMING)
        FAIL("the time of an event that has none");
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

EXPORT unsigned fake_cuda_graphs(void);
unsigned
fake_cuda_graphs(void) /* how many there are */
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

    pthread_mutex_lock(&lock);
    yes = !is_device(p) && !find_range(p);
    pthread_mutex_unlock(&lock);
    return yes;
}

static uint64_t
side(const struct ls_cu_copy_side *s)
{
    uint64_t p = s->type == LS_CU_MEMORY_HOST ? (uint64_t)(uintptr_t)s->host : s->device;

    if ((s->type == LS_CU_MEMORY_DEVICE) != is_device(p))
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
    return (struct ls_cu_copy_side){.type = is_device(p) ? LS_CU_MEMORY_DEVICE : LS_CU_MEMORY_HOST,
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
    if (bytes <= 65536 && is_device(dst) && is_pageable(src)) { /* the driver reads it at once */
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
    *free_bytes = MEMORY_BYTES - used;
    *total_bytes = MEMORY_BYTES;
    return 0;
}

EXPORT int
cuMemAlloc_v2(uint64_t *ptr, size_t bytes)
{
    int result = 0;

    CHECK();
    pthread_mutex_lock(&lock);
    if (bytes > MEMORY_BYTES - used)
        result = LS_CU_OUT_OF_MEMORY;
    else
        *ptr = (uint64_t)(uintptr_t)device + used;
    if (!result)
        used += (bytes + 511) / 512 * 512 + 512; /* hardly ever the start of a page */
    pthread_mutex_unlock(&lock);
    return result;
}

EXPORT int
cuMemFree_v2(uint64_t ptr)
{
    CHECK();
    if (!is_device(ptr) && !find_range(ptr))
        FAIL("memory is freed that is none");
    return 0;
}

static int
add_range(void *base, size_t bytes, bool is_managed)
{
    pthread_mutex_lock(&lock);
    if (n_pinned == N_PINNED)
        FAIL("too many ranges");
    pinned[n_pinned++] = (struct range){base, bytes, is_managed};
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int
cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags)
{
    CHECK();
    if (flags != (LS_CU_HOST_PORTABLE | LS_CU_HOST_MAPPED))
        FAIL("flags %u", flags);
    *ptr = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return add_range(*ptr, bytes, false);
}

static int
remove_range(void *ptr)
{
    for (unsigned i = 0; i < n_pinned; i++)
        if (pinned[i].base == ptr) {
            pinned[i].base = NULL;
            return 0;
        }
    FAIL("no range at %p", ptr);
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
    return add_range(ptr, bytes, false);
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
    return add_range(p, bytes, true);
}

EXPORT int
cuPointerGetAttributes(unsigned n, int *attributes, void **values, uint64_t ptr)
{
    const struct range *r;

    CHECK();
    pthread_mutex_lock(&lock);
    r = find_range(ptr);
    for (unsigned i = 0; i < n; i++) {
        if (attributes[i] == LS_CU_POINTER_IS_MANAGED)
            *(bool *)values[i] = r && r->is_managed;
        else
            *(unsigned *)values[i] = is_device(ptr)        ? LS_CU_MEMORY_DEVICE
                                     : r && !r->is_managed ? LS_CU_MEMORY_HOST
                                                           : 0;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* ---- Modules ---- */

EXPORT int
cuModuleLoadDataEx(struct ls_cu_module **out, const void *image, unsigned n, int *options,
                   void **values)
{
    const char *name = strstr(image, "fake: "), *regs = strstr(image, "registers: "),
               *args = strstr(image, LS_CUDA_ARGS "["), *globals = strstr(image, "ls_globals[");
    struct ls_cu_module *m = calloc(1, sizeof(*m));
    int registers = regs ? atoi(regs + 11) : 32;

    CHECK();
    while (atomic_load(&n_running)) /* as the driver does */
        usleep(100);
    for (unsigned i = 0; i < n; i++)
        if (options[i] == LS_CU_JIT_MAX_REGISTERS && (int)(uintptr_t)values[i] < registers)
            registers = (int)(uintptr_t)values[i];
    for (size_t i = 0; name && i < sizeof(kernels) / sizeof(*kernels); i++)
        if (strncmp(name + 6, kernels[i].name, strlen(kernels[i].name)) == 0)
            m->function.run = kernels[i].run;
    if (!m->function.run) {
        for (unsigned i = 0; i < n; i++)
            if (options[i] == LS_CU_JIT_ERROR_LOG)
                strcpy(values[i], "syntax error in a fake");
        free(m);
        return 218;
    }
    m->function.module = m;
    m->function.args_bytes = args ? (size_t)atoi(args + strlen(LS_CUDA_ARGS "[")) : 0;
    m->function.max_threads = 65536 / registers / 32 * 32;
    if (m->function.max_threads > 1024)
        m->function.max_threads = 1024;
    m->function.shared_bytes = 49152;
    m->n_globals = globals ? (size_t)atoi(globals + 11) : 0;
    *out = m;
    return m->n_globals ? cuMemAlloc_v2(&m->globals, 8 * m->n_globals) : 0;
}

EXPORT int
cuModuleUnload(struct ls_cu_module *m)
{
    CHECK();
    free(m);
    return 0;
}

EXPORT int
cuModuleGetFunction(struct ls_cu_function **f, struct ls_cu_module *m, const char *name)
{
    CHECK();
    *f = &m->function;
    return strcmp(name, LS_CUDA_KERNEL) == 0 ? 0 : 500;
}

EXPORT int
cuModuleGetGlobal_v2(uint64_t *ptr, size_t *bytes, struct ls_cu_module *m, const char *name)
{
    CHECK();
    if (strcmp(name, LS_CUDA_GLOBALS) != 0 || !m->n_globals)
        return 500;
    *ptr = m->globals;
    *bytes = 8 * m->n_globals;
    return 0;
}

EXPORT int
cuFuncGetAttribute(int *value, int attribute, struct ls_cu_function *f)
{
    CHECK();
    *value = attribute == LS_CU_FUNCTION_MAX_THREADS_PER_BLOCK ? f->max_threads : 1;
    return 0;
}

EXPORT int
cuFuncSetAttribute(struct ls_cu_function *f, int attribute, int value)
{
    CHECK();
    if (attribute != LS_CU_FUNCTION_MAX_DYNAMIC_SHARED_BYTES || value > 232448)
        return 1;
    f->shared_bytes = value;
    return 0;
}

EXPORT int
cuLaunchKernel(struct ls_cu_function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
               unsigned by, unsigned bz, unsigned shared, struct ls_cu_stream *s, void **arguments,
               void **extra)
{
    struct op op = {.kind = OP_KERNEL,
                    .function = f,
                    .grid = {gx, gy, gz},
                    .block = {bx, by, bz},
                    .shared = shared};

    CHECK();
    if (extra || bx * by * bz > (unsigned)f->max_threads)
        return 701;
    if (gy > 65535 || gz > 65535 || shared > (unsigned)f->shared_bytes)
        return 1;
    memcpy(op.args, f->args_bytes ? arguments[0] : "", f->args_bytes);
    return add(s, op);
}

EXPORT int
cuLaunchCooperativeKernel(struct ls_cu_function *f, unsigned gx, unsigned gy, unsigned gz,
                          unsigned bx, unsigned by, unsigned bz, unsigned shared,
                          struct ls_cu_stream *s, void **arguments)
{
    if (gx * gy * gz > 4 * 8)
        return 720;
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, arguments, NULL);
}

EXPORT int
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, struct ls_cu_function *f, int threads,
                                            size_t shared)
{
    (void)shared;
    CHECK();
    *n = threads > f->max_threads ? 0 : 8;
    return 0;
}

/* ---- Devices ---- */

/* As the driver, which leaves first. */
static void
leave(void)
{
    atomic_store(&dead, LS_CU_DEINITIALIZED);
    munmap(device, MEMORY_BYTES);
    munmap(alias, MEMORY_BYTES);
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_pinned; i++)
        if (pinned[i].base)
            mprotect(pinned[i].base, pinned[i].bytes, PROT_NONE);
    pthread_mutex_unlock(&lock);
}

EXPORT int
cuInit(unsigned flags)
{
    int fd = memfd_create("fake-cuda", MFD_CLOEXEC);

    if (flags || ftruncate(fd, (off_t)MEMORY_BYTES) != 0)
        return 999;
    device = mmap(NULL, MEMORY_BYTES, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    alias = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    used = 512;
    atexit(leave);
    return device == MAP_FAILED || alias == MAP_FAILED ? 2 : 0;
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
    memcpy(uuid, "fake device 000", 16);
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
    const char *text = getenv("FAKE_CUDA_DEVICES");

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
    snprintf(name, (size_t)bytes, "Fake %d", which);
    return 0;
}

EXPORT int
cuDeviceTotalMem_v2(size_t *bytes, int which)
{
    (void)which;
    *bytes = MEMORY_BYTES;
    return 0;
}

EXPORT int
cuDeviceGetAttribute(int *value, int attribute, int which)
{
    static const int values[][2] = {{LS_CU_DEVICE_MAX_THREADS_PER_BLOCK, 1024},
                                    {LS_CU_DEVICE_MAX_BLOCK_DIM_X, 1024},
                                    {LS_CU_DEVICE_MAX_BLOCK_DIM_X + 1, 1024},
                                    {LS_CU_DEVICE_MAX_BLOCK_DIM_X + 2, 64},
                                    {LS_CU_DEVICE_MAX_GRID_DIM_X, 0x7fffffff},
                                    {LS_CU_DEVICE_MAX_GRID_DIM_X + 1, 65535},
                                    {LS_CU_DEVICE_MAX_GRID_DIM_X + 2, 65535},
                                    {LS_CU_DEVICE_MAX_REGISTERS_PER_BLOCK, 65536},
                                    {LS_CU_DEVICE_CLOCK_RATE, 1000000},
                                    {LS_CU_DEVICE_MULTIPROCESSOR_COUNT, 4},
                                    {LS_CU_DEVICE_L2_CACHE_SIZE, 1 << 20},
                                    {LS_CU_DEVICE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                                    {LS_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, 9},
                                    {LS_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
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
