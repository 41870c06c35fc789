/* SPDX-License-Identifier: MIT */
/* Streams, events, commands: decides order, never does the work. */
#ifndef LS_RUNTIME_QUEUE_H
#define LS_RUNTIME_QUEUE_H

#include "runtime/core/core.h"
#include "runtime/queue/shared_event.h"

#include <hip/detail/graph_types.h>

#define LS_CMD_INLINE_BYTES 512u
#define LS_COPY_NOW_BYTES   8192u /* some hundred nanoseconds */

enum ls_cmd_kind {
    LS_CMD_NONE = 0,
    LS_CMD_WORK,  /* what the device does */
    LS_CMD_MARK,  /* does nothing; others wait for it, or it waits for others */
    LS_CMD_EVENT, /* records an event */
    LS_CMD_FREE,  /* frees memory */
    LS_CMD_CALL,  /* a few instructions of ours: `call` */
    LS_CMD_POLL,  /* waits until `call` is true */
    LS_CMD_JOIN,  /* the end of a launch whose kernels launched siblings */
};

struct ls_check_clock;
struct ls_edge;
struct ls_capture;
struct ls_plan;
struct ls_turn;
struct hipGraphNode;

struct ls_cmd {
    struct ls_work work; /* must be first: the device hands it back */
    enum ls_cmd_kind kind;
    struct ihipStream_t *stream;
    struct ls_device *doer; /* of the work: the stream's device, but for what that can't reach */
    struct ls_cmd *next;    /* in the stream, or free; guarded by the queue lock, as the rest */
    struct ls_cmd *next_ready;
    struct ls_cmd
        *behind; /* NULL, or the command in front that asked for it: a graph launched by a kernel */
    /* It need not be waited for by who comes behind it in its stream: the device has it, and does
     * what is submitted behind it in order (ls_device_ops.queue.follows), or it is nothing that
     * they could notice. The same is true of all in front of it. */
    bool flows;
    bool follows;        /* the command in front of it flows; false when there is none */
    bool sealed;         /* somebody waits for it: no launch becomes a part of it any more */
    bool counts;         /* it is counted by its stream's n_done when it ends */
    uint64_t ready_ns;   /* when what it waited for ended; 0: not known better than by the clock */
    uint32_t others;     /* bits of other devices whose null streams' work it also is */
    bool is_done;        /* it has ended, but for its branches */
    uint32_t n_branches; /* graphs that it launched beside itself and that have not ended */
    uint32_t n_launched; /* all graphs that it ever launched beside itself */
    uint32_t n_deps;
    struct ls_edge *edges; /* commands of other streams that wait for this one */
    struct ihipEvent_t *event;
    uint64_t event_generation;
    struct ihipEvent_t *start_event; /* recorded when the work is handed to the device */
    uint64_t start_generation;
    void *memory; /* LS_CMD_FREE: what to free; free_memory does it, under the rules of `call` */
    void (*free_memory)(void *memory);
    /* LS_CMD_CALL and LS_CMD_POLL, for data in `bytes`. Runs with the queue lock held: must be
     * short and take no lock but strict mode's. */
    bool (*call)(void *data);
    bool repeats; /* call may be used again on a copy of the data, so a capture can record it */
    struct ls_cmd *next_held;     /* hold.c */
    struct ls_check_clock *clock; /* owned; for checkers, as in streams and events */
    struct ls_plan *plan;         /* LS_WORK_GRAPH: plan and turn are owned references */
    struct ls_turn *turn;
    const void *origin;     /* for capture: the kernel as the caller named it */
    hipHostNodeParams host; /* for capture: the host function, or NULL */
    void *heap;             /* owned: argument or staging buffer too large for `bytes` */
    _Alignas(64) char bytes[LS_CMD_INLINE_BYTES];
};

/* A point of another stream that a stream has waited for. */
struct ls_waited {
    const struct ihipStream_t *stream;
    uint64_t position;
};

#define LS_STREAM_MAGIC 0x5354524du
#define LS_MAX_WAITED   4u
#define LS_MAX_CU_WORDS 32u

struct ihipStream_t {
    _Atomic uint32_t magic; /* 0 when not in use; the memory is never given back */
    unsigned flags;
    int priority;
    _Atomic hipSynchronizationPolicy sync_policy; /* hipStreamSetAttribute */
    bool is_null, destroyed;
    bool of_thread; /* hipStreamPerThread: lives as long as the thread */
    struct ls_cmd *
        trunk; /* NULL, or the command beside which a graph was launched that runs in this stream */
    struct ls_device *dev;     /* borrowed */
    struct ihipStream_t *null; /* the null stream of dev */
    uint64_t id;
    struct ihipStream_t *next, *prev; /* streams in use; guarded by the queue lock, as the rest */
    struct ls_cmd *head, *tail;
    uint64_t n_enqueued;
    _Atomic uint64_t n_done; /* may be read without the lock */
    _Atomic(struct ls_capture *)
        capture; /* the capture that records this stream, or NULL; written by graph/ */
    struct ls_waited waited[LS_MAX_WAITED]; /* the latest waits; a new one replaces the oldest */
    uint32_t next_waited;
    struct ls_check_clock *clock; /* of all that was put into it; guarded by the queue lock */
    uint32_t n_cu_words;          /* hipExtStreamCreateWithCUMask: 0 = all */
    uint32_t cu_mask[LS_MAX_CU_WORDS];
};

#define LS_EVENT_MAGIC 0x4556454eu

struct ihipEvent_t {
    _Atomic uint32_t magic;
    atomic_uint flags;
    bool destroyed;
    _Atomic(struct ls_device *) dev; /* borrowed: the current one when it was made */
    struct ls_cmd *last;             /* pending record; guarded by the queue lock */
    uint64_t n_recorded;             /* guarded by the queue lock */
    uint64_t first;                  /* n_recorded when the event was made */
    struct ls_waited at;             /* guarded by the queue lock: where the last record is */
    struct ls_check_clock *clock;    /* guarded by the queue lock: of the last record */
    uint32_t n_pending; /* guarded by the queue lock: records that have not happened yet */
    _Atomic uint64_t n_done;
    _Atomic uint64_t time_ns;
    struct ihipEvent_t *next_free;
    /* hipEventInterprocess: counts records in place of the above. Owned, with its file. Written
     * with the queue lock held; without it, whether there is one may be another event's answer. */
    _Atomic(struct ls_shared_event *) shared;
    int shared_fd;
    /* Written by graph/, when the event is recorded in a capture; guarded by the graph lock. */
    _Atomic uint64_t capture_id;
    _Atomic(struct ihipStream_t *) stream; /* the stream that it was last recorded in */
    _Atomic uint64_t stream_id; /* its id then: another stream may have its memory by now */
    struct hipGraphNode **capture_nodes; /* owned */
    uint32_t n_capture_nodes;
};

/* Makes the null streams of all devices. */
void ls_queue_start(void);
/* Free commands of a thread that ends (ls_thread.spare_cmds). */
void ls_queue_take_back(struct ls_cmd *cmds);

/* The stream of a handle, or of NULL, hipStreamLegacy and hipStreamPerThread on the current
 * device. */
hipError_t ls_stream_resolve(hipStream_t handle, struct ihipStream_t **out);
/* Of the current device. */
hipError_t ls_stream_create(unsigned flags, int priority, struct ihipStream_t **out);
/* Pending work still runs. */
hipError_t ls_stream_destroy(struct ihipStream_t *stream);
hipError_t ls_stream_wait(struct ihipStream_t *stream);
bool ls_stream_is_idle(struct ihipStream_t *stream);
/* Whether what was that stream still is, and no other in its place. */
bool ls_stream_has_id(const struct ihipStream_t *stream, uint64_t id);
hipError_t ls_stream_wait_event(struct ihipStream_t *stream, struct ihipEvent_t *event);
/* Waits for an event that other processes may record. That can only be found by polling: *cmd is a
 * command that does so, or NULL when the event has happened. */
hipError_t ls_stream_wait_shared(struct ihipStream_t *stream, struct ihipEvent_t *event,
                                 struct ls_cmd **cmd);
/* Waits for all streams of a device; NULL: of all devices. */
hipError_t ls_queue_wait_all(struct ls_device *dev);
/* Whether all streams of the device have no work, now or after at most `ns`. */
bool ls_queue_ends(struct ls_device *dev, uint64_t ns);
/* For the process's end: waits a while for running work that will end whatever the host does. False
 * when some is left: it takes long, or may wait for this very thread. */
bool ls_queue_settle(void);
/* Runs fn when nothing runs on any device, and keeps new work from them meanwhile. Called with the
 * queue lock held. */
hipError_t ls_queue_run_alone(hipError_t (*fn)(void *arg), void *arg);
/* The value that the stream's n_done will have when all has ended that a command which is enqueued
 * now would wait for. */
uint64_t ls_stream_position(struct ihipStream_t *stream);
/* Whether a stream of the device was ever made, or its null stream used. */
bool ls_queue_is_used(const struct ls_device *dev);
/* Whether `stream` is known to have waited, by hipStreamWaitEvent, for that point of `other`. */
bool ls_stream_has_waited(const struct ihipStream_t *stream, const struct ihipStream_t *other,
                          uint64_t position);
/* Destroys all streams of the device but its null stream and those of threads; all their work must
 * have ended. */
void ls_queue_reset(const struct ls_device *dev);

/* A command with nothing filled in but `stream`; NULL when out of memory. */
struct ls_cmd *ls_cmd_create(struct ihipStream_t *stream, enum ls_cmd_kind kind);
/* Gives back a command that was not enqueued. */
void ls_cmd_cancel(struct ls_cmd *cmd);
/* Hands the command over. Captures have been asked before: graph/stream.h. */
hipError_t ls_cmd_enqueue(struct ls_cmd *cmd);
/* Bits of the other devices whose null streams a command belongs to, in a stream of its own device:
 * `memory` has bits of the devices that a copy or fill finds memory of. As in ROCm: work of the
 * null stream is work of all these null streams; what another stream copies between a device and
 * the host is work of that device's null stream; between two devices it is in order with its stream
 * alone. */
uint32_t ls_stream_others(const struct ihipStream_t *stream, uint32_t memory, bool is_fill);
/* Before the first device is opened: what races with the host is to be seen (hold.c). */
void ls_hold_start(void);
/* Who does a copy or fill of that stream: its device, or, where that is of another kind and can't
 * touch memory of `memory`, the device which has that. */
struct ls_device *ls_stream_doer(const struct ihipStream_t *stream, uint32_t memory);
/* Makes a launch a part of the command in front of it, which costs less than one of its own. False:
 * there is none that takes it. */
bool ls_stream_join(struct ihipStream_t *stream, const struct ls_work_kernel *kernel, void **args);
/* Hands the command over, and waits for its end. */
hipError_t ls_cmd_enqueue_wait(struct ls_cmd *cmd);
/* Copies a row of at most LS_COPY_NOW_BYTES at once, on this thread, if it need not wait for
 * anything. False when it must wait, or is to be recorded by a capture. A fault becomes the
 * device's error. */
bool ls_stream_copy_now(struct ihipStream_t *stream, const struct ls_work_copy *copy,
                        struct ls_device *doer, uint32_t others);

hipError_t ls_event_create(unsigned flags, struct ihipEvent_t **out);
/* An event of another process: takes the mapping and its file. */
hipError_t ls_event_adopt(struct ls_shared_event *shared, int fd, struct ihipEvent_t **out);
bool ls_event_is_valid(const struct ihipEvent_t *event);
/* Who waits for it waits on. */
hipError_t ls_event_destroy(struct ihipEvent_t *event);
hipError_t ls_event_record(struct ihipEvent_t *event, struct ihipStream_t *stream);
/* Whether the event was ever recorded. */
bool ls_event_was_recorded(struct ihipEvent_t *event);
/* Nanoseconds between two of one device that have come. */
double ls_event_elapsed(struct ihipEvent_t *from, struct ihipEvent_t *to);
hipError_t ls_event_query(struct ihipEvent_t *event);
hipError_t ls_event_wait(struct ihipEvent_t *event);
/* Attaches events to a command before it is enqueued: recorded at its start and end. Either may be
 * NULL. */
void ls_cmd_attach_events(struct ls_cmd *cmd, struct ihipEvent_t *start, struct ihipEvent_t *stop);

#endif
