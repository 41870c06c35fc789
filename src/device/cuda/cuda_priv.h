/* SPDX-License-Identifier: MIT */
/* Inside the CUDA device.
 *
 * Lock order: plan_lock -> the device's `lock` -> none. That is held while a work is handed to the
 * driver, never while anything of the runtime is called or the hardware is waited for. */
#ifndef LS_DEVICE_CUDA_PRIV_H
#define LS_DEVICE_CUDA_PRIV_H

#include <pthread.h>

#include "base/cancel.h"
#include "device/common/graph.h"
#include "device/cuda/driver.h"

#define LS_CUDA_STREAMS    1024u /* at most, of a device */
#define LS_CUDA_MARKS      1024u /* of a stream, at most */
#define LS_CUDA_NO_NUMBER  UINT64_MAX
#define LS_CUDA_ANY_NUMBER (UINT64_MAX - 1)

/* The contents of ls_work.priv while this device has the work. */
struct ls_cuda_room {
    struct ls_graph_room graph; /* first */
    struct ls_work *next;       /* in its lane, or in its stream */
    struct ls_device *dev;
    struct ls_cuda_stream *in;
    /* In its stream, from 1 on; 0: not issued yet. Of the latest launch that is a part of it. */
    _Atomic(uint64_t) place;
    uint32_t n_joined; /* launches that became parts of it */
    struct ls_cu_event *time; /* recorded behind it, if its time is wanted */
    uint64_t late;            /* 0, or which of its stream's late ones that is */
    bool is_ending;           /* who reaps is at it */
    int refused;              /* the result that says why the driver has not taken it */
    bool was_taken;           /* the driver has, or had, the work */
    uint64_t serial;          /* in the order of submission to the device */
    uint64_t issue_ns;        /* if the device is timed */
    char *slot;               /* NULL, or where the copy's bytes come to first */
} __attribute__((may_alias));
_Static_assert(sizeof(struct ls_cuda_room) <= LS_WORK_ROOM, "no room");

static inline struct ls_cuda_room *
ls_cuda_room(const struct ls_work *work)
{
    return (struct ls_cuda_room *)(uintptr_t)work->priv;
}

enum { LS_CUDA_SLOTS = 16 }; /* at most 31 */

/* An event behind the work at a place, and so behind all in front of that. */
struct ls_cuda_mark {
    _Atomic(struct ls_cu_event *) event;
    uint64_t place;
    bool is_time; /* the work's own, see ls_cuda_room.time */
};

/* A stream of the driver's. Guarded by the device's lock. */
struct ls_cuda_stream {
    struct ls_cu_stream *cu;
    uint64_t number; /* of the runtime's stream whose works it has; or one of those above */
    int priority;
    struct ls_work *head, *tail;     /* works in order */
    struct ls_work *next;            /* the first that the driver has not got yet */
    _Atomic(struct ls_work *) first; /* head, if the driver has it: for who reaps, without a lock */
    uint64_t place, marked;  /* of the latest that was issued; that has a mark, or has ended */
    uint64_t asked;          /* the latest when it was asked whether the stream is idle */
    _Atomic(uint64_t) ended; /* up to where they are known to have; written with the lock */
    /* A ring: marks[i % LS_CUDA_MARKS], first_mark <= i < end_mark; put in and taken out
     * with the lock, looked at without */
    struct ls_cuda_mark marks[LS_CUDA_MARKS];
    atomic_uint first_mark, end_mark;
    uint64_t ended_ns; /* when its latest work did, if the device is timed */
    /* Events that were recorded when their works may have ended: how many, and up to which they
     * were seen to have come. */
    uint64_t n_late, seen_late;
};

/* Events that nobody uses. */
struct ls_cuda_events {
    struct ls_cu_event **list;
    unsigned n, room;
};

/* When a work ended. The driver takes microseconds to say so, and most programs never ask. */
#define LS_CUDA_LATE  64u /* for so many the driver's events are kept */
#define LS_CUDA_TIMES 512u
/* In a time: by the device's own clock, not the host's. */
#define LS_CUDA_OWN_TIME (UINT64_C(1) << 62)
struct ls_cuda_time {
    uint64_t number;
    struct ls_cu_event *event; /* owned; NULL: the driver was asked */
    uint64_t ns;               /* when it came; before that is known, when it was seen */
    _Atomic uint64_t *place;   /* where the number is kept, and the time is wanted; or NULL */
};

enum ls_cuda_lane { LS_CUDA_HOST = 0, LS_CUDA_MOVE, LS_CUDA_GRAPH, LS_CUDA_LANES };

/* A thread that does works one after the other; started when it is wanted first. */
struct ls_cuda_lane_state {
    struct ls_cuda *c;
    void (*run)(struct ls_cuda *c, struct ls_work *work);
    pthread_mutex_t lock;
    pthread_cond_t filled;
    bool is_up;
    struct ls_work *head, *tail; /* guarded by lock */
    atomic_uint n;               /* works in it */
};

/* Streams of the device's own. */
enum ls_cuda_side {
    LS_CUDA_NOW = 0, /* for what is done at once; any thread */
    LS_CUDA_MOVES,   /* of the thread that moves */
    LS_CUDA_SIDES
};

struct ls_cuda {
    struct ls_device *dev;
    int cu;
    struct ls_cu_context *context;                       /* the primary one */
    uint32_t capability;                                 /* 90: sm_90 */
    uint32_t registers;                                  /* of a block */
    _Atomic(struct ls_cu_stream *) sides[LS_CUDA_SIDES]; /* NULL: not wanted so far */
    atomic_int dead; /* the result that ended the context: nothing works any more */
    /* stream.c */
    pthread_mutex_t lock;
    struct ls_cuda_stream *streams[LS_CUDA_STREAMS]; /* guarded by lock, but to who reaps */
    atomic_uint n_streams;
    struct ls_cuda_stream *latest;   /* guarded by lock, as what follows up to times */
    struct ls_cuda_events events[2]; /* without and with a time */
    uint64_t serial;
    struct ls_cu_event *base; /* that time is counted from, and when it was by the own clock */
    uint64_t base_ns;
    int64_t offset[2]; /* the host's clock is ahead by at most: since this base, since the last */
    /* A ring: times[i % LS_CUDA_TIMES]; of those from first_time on the driver was not asked. */
    struct ls_cuda_time times[LS_CUDA_TIMES];
    uint64_t first_time, end_time;
    int least, greatest; /* priorities */
    atomic_uint n_pending, n_ended;
    char *slots; /* pinned memory, LS_CUDA_SLOTS; guarded by lock. NULL: not wanted so far */
    atomic_uint slots_taken; /* bits; set with the lock */
    atomic_bool reaping;
    /* watch.c */
    pthread_mutex_t watch_lock;
    pthread_cond_t watch;
    atomic_bool watch_sleeps; /* written under watch_lock */
    atomic_uint n_spinning;   /* threads that wait, and see to the works meanwhile */
    atomic_uint n_passed;     /* works that threads have submitted, who see to others then */
    struct ls_cuda_lane_state lanes[LS_CUDA_LANES];
    /* graph.c */
    pthread_mutex_t plan_lock;              /* before `lock` */
    struct ls_cu_stream *drafts;            /* that graphs are captured in; guarded by plan_lock */
    _Atomic(struct ls_cuda_graph *) unused; /* graphs to be destroyed */
};

static inline struct ls_cuda *
ls_cuda_of(struct ls_device *dev)
{
    return dev->priv;
}

/* Returns what ls_cuda_leave is to take away again. A thread without a context keeps the device's:
 * to push and to pop it costs a tenth of a launch. */
static inline struct ls_cu_context *
ls_cuda_enter(const struct ls_cuda *c)
{
    struct ls_cu_context *now = NULL;

    if (LS_CU(cuCtxGetCurrent, &now) == LS_CU_SUCCESS && now == c->context)
        return NULL;
    if (!now && LS_CU(cuCtxSetCurrent, c->context) == LS_CU_SUCCESS)
        return NULL;
    return LS_CU(cuCtxPushCurrent, c->context) == LS_CU_SUCCESS ? c->context : NULL;
}

static inline void
ls_cuda_leave(struct ls_cu_context **context)
{
    if (*context)
        LS_CU(cuCtxPopCurrent, context);
}

/* For the rest of the block: the device's context is this thread's, and the thread cannot be
 * cancelled. */
#define LS_CUDA_ENTER(c)                                                                           \
    LS_UNCANCELLED();                                                                              \
    struct ls_cu_context *ls_cuda_entered_ __attribute__((cleanup(ls_cuda_leave))) =               \
        ls_cuda_enter(c);                                                                          \
    (void)ls_cuda_entered_

static inline uint64_t
ls_cuda_address(const void *ptr)
{
    return (uint64_t)(uintptr_t)ptr;
}

/* side.c. In a context. */
struct ls_cu_stream *ls_cuda_side(struct ls_cuda *c, enum ls_cuda_side which);

/* memory.c: device.h's mem */
enum ls_cuda_place {
    LS_CUDA_PAGEABLE = 0, /* the host's own, that the driver does not know */
    LS_CUDA_PINNED,       /* the host's, that it does */
    LS_CUDA_MANAGED,
    LS_CUDA_DEVICE,
};
/* In a context. */
enum ls_cuda_place ls_cuda_place_of(const void *ptr);
hipError_t ls_cuda_alloc(struct ls_device *dev, enum ls_memory memory, size_t bytes, size_t align,
                         void **ptr);
void ls_cuda_free(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes);
void ls_cuda_read(struct ls_device *dev, void *dst, const void *src, size_t bytes);
void ls_cuda_write(struct ls_device *dev, void *dst, const void *src, size_t bytes);
void ls_cuda_zero(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_cuda_share(struct ls_device *dev, void *ptr, size_t bytes, const char *name, int *fd);
bool ls_cuda_unshare(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_cuda_attach(struct ls_device *dev, int fd, void **ptr, size_t *bytes);
void ls_cuda_detach(struct ls_device *dev, void *ptr);
hipError_t ls_cuda_pin(struct ls_device *dev, void *ptr, size_t bytes);
void ls_cuda_unpin(struct ls_device *dev, void *ptr, size_t bytes);

/* space.c: device.h's space and multi */
size_t ls_cuda_grain(struct ls_cuda *c);
hipError_t ls_cuda_reserve(struct ls_device *dev, size_t bytes, size_t align, void *hint,
                           void **ptr);
void ls_cuda_unreserve(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_cuda_create(struct ls_device *dev, size_t bytes, const char *name,
                          struct ls_physical **out);
hipError_t ls_cuda_import(struct ls_device *dev, int fd, struct ls_physical **out);
int ls_cuda_file(struct ls_device *dev, const struct ls_physical *physical);
void ls_cuda_destroy(struct ls_device *dev, struct ls_physical *physical);
hipError_t ls_cuda_map(struct ls_device *dev, void *ptr, size_t bytes, struct ls_physical *physical,
                       uint64_t offset);
hipError_t ls_cuda_unmap(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_cuda_set_access(struct ls_device *dev, void *ptr, size_t bytes,
                              hipMemAccessFlags access);
struct ls_multi_grid *ls_cuda_multi_create(struct ls_device *dev, uint32_t n_grids,
                                           const uint64_t *n_threads);
void ls_cuda_multi_cancel(struct ls_device *dev, struct ls_multi_grid *multi);

/* copy.c. All in a context; copy and fill only hand the work over, and return the driver's result.
 */
/* Whether it must be waited for by a thread of ours: an end is the host's own memory. */
bool ls_cuda_is_moved(const struct ls_work *work);
int ls_cuda_copy(const struct ls_work_copy *copy, struct ls_cu_stream *stream);
int ls_cuda_fill(const struct ls_work_fill *fill, struct ls_cu_stream *stream);
/* Does the work, and takes as long. */
hipError_t ls_cuda_move(struct ls_cuda *c, struct ls_work *work);
/* ---- stage.c ---- */
/* A small copy between the device and memory that is the host's alone: it is done in order of its
 * stream, all the same. */
bool ls_cuda_is_staged(const struct ls_work *w);
int ls_cuda_copy_staged(struct ls_cuda *c, struct ls_work *w, struct ls_cu_stream *stream);
/* When the driver is through with it; `well`: it was done. */
void ls_cuda_end_staged(struct ls_cuda *c, struct ls_work *w, bool well);

bool ls_cuda_copy_here(struct ls_device *dev, const struct ls_work_copy *copy, hipError_t *err);

/* module.c: device.h's module */
hipError_t ls_cuda_get_code(struct ls_device *dev, struct ls_kernel_source *source,
                            const uint32_t block[3], uint64_t distinct, struct ls_code **code);
bool ls_cuda_prepare(struct ls_device *dev, struct ls_kernel_source *const *sources, uint32_t n,
                     const uint32_t block[3], bool early);
uint32_t ls_cuda_shape_class(const uint32_t block[3]);
void ls_cuda_release_kernel(struct ls_device *dev, struct ls_kernel_source *source);
uint32_t ls_cuda_max_resident_blocks(struct ls_device *dev, struct ls_kernel_source *source,
                                     uint32_t n_threads, uint64_t lds_bytes);
/* Whether its code reads variables by the table in constant memory, and whether it prints. */
bool ls_cuda_reads_globals(const struct ls_work_kernel *kernel);
bool ls_cuda_prints(const struct ls_work_kernel *kernel);
/* Both in a context, lock held: writes that table; hands a launch over, with it. They return the
 * driver's result. */
int ls_cuda_write_globals(const struct ls_work_kernel *kernel);
int ls_cuda_launch(struct ls_cuda *c, const struct ls_work_kernel *kernel,
                   struct ls_cu_stream *stream);
/* The same, with a pointer to each argument. */
int ls_cuda_launch_with(struct ls_cuda *c, const struct ls_work_kernel *kernel, void **args,
                        struct ls_cu_stream *stream);

/* work.c. In a context, lock held: gives a kernel, copy or fill to the driver. Returns its
 * result. */
int ls_cuda_hand_over(struct ls_cuda *c, const struct ls_work *work, struct ls_cu_stream *stream);

/* graph.c: graphs as the driver's own; device.h's plan and unplan */
void ls_cuda_plan(struct ls_device *dev, struct ls_work_graph *graph);
void ls_cuda_unplan(struct ls_device *dev, struct ls_work_graph *graph);
/* Whether this device has made one of it. */
bool ls_cuda_is_planned(const struct ls_cuda *c, const struct ls_work_graph *graph);
/* In a context, lock held: hands it over. Returns the driver's result. */
int ls_cuda_launch_graph(const struct ls_work_graph *graph, struct ls_cu_stream *stream);
bool ls_cuda_graph_prints(const struct ls_work_graph *graph);

/* fault.c */
/* What a driver call that failed means for the device: a fault of a kernel ends all that it can do.
 * Returns HIP's error. */
hipError_t ls_cuda_failed(struct ls_cuda *c, int result);

/* stream.c: works in the driver's streams, and what becomes of them */
hipError_t ls_cuda_open_streams(struct ls_cuda *c);
void ls_cuda_time_end(struct ls_device *dev, struct ls_work *work);
/* in_order: behind the works of its stream that were submitted so. */
void ls_cuda_submit_to_stream(struct ls_cuda *c, struct ls_work *work, bool in_order);
/* device.h's join */
enum ls_join ls_cuda_join(struct ls_device *dev, struct ls_work *work,
                          const struct ls_work_kernel *kernel, void **args);
/* Ends what has ended. True when something had. No lock held. */
bool ls_cuda_reap(struct ls_cuda *c);
/* Does so until done(arg) holds, which is returned, nothing is left, nothing has ended for so long,
 * or another thread does it. */
bool ls_cuda_reap_until(struct ls_cuda *c, bool (*done)(void *arg), void *arg, uint64_t spin_ns);

/* clock.c */
/* An event, or NULL; and keeps one that nobody uses, or NULL, for the next use. Lock held. */
struct ls_cu_event *ls_cuda_get_event(struct ls_cuda *c, bool timed);
void ls_cuda_put_event(struct ls_cuda *c, bool timed, struct ls_cu_event *event);
/* A number for the time at which an event came; it waits if that has not been seen. Takes the
 * event. Lock held. */
uint64_t ls_cuda_time_later(struct ls_cuda *c, struct ls_cu_event **event, bool was_seen);
/* device.h's keep_time and elapsed */
void ls_cuda_keep_time(struct ls_device *dev, uint64_t late, _Atomic uint64_t *place);
double ls_cuda_elapsed(struct ls_device *dev, const _Atomic uint64_t *from,
                       const _Atomic uint64_t *to);

/* watch.c: who sees to it that works end; device.h's wait, wake, passed and poke */
hipError_t ls_cuda_start_watch(struct ls_cuda *c);
void ls_cuda_wait(struct ls_device *dev, bool (*done)(void *arg), void *arg);
void ls_cuda_wake(struct ls_device *dev);
void ls_cuda_passed(struct ls_device *dev);
void ls_cuda_poke(struct ls_device *dev);

/* lane.c */
void ls_cuda_open_lanes(struct ls_cuda *c);
/* False when there is no thread for it. */
bool ls_cuda_add_to_lane(struct ls_cuda *c, enum ls_cuda_lane which, struct ls_work *work);

#endif
