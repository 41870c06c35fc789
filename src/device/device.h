/* SPDX-License-Identifier: MIT */
/* A device: all that the runtime knows about hardware. The runtime decides the order of work; a
 * device does it. Callbacks may be called from any thread; none is called with a lock of the
 * runtime held but where it says so. */
#ifndef LS_DEVICE_DEVICE_H
#define LS_DEVICE_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

struct ls_device;
struct ls_code; /* a kernel's machine code for one block shape: the device's own */

/* What a device needs to make code of a kernel. The runtime owns it and keeps it until
 * release_kernel. */
struct ls_kernel_source {
    const char *name;
    const char *display_name; /* for messages */
    const void *bitcode;
    size_t bitcode_bytes;
    uint8_t bitcode_sha256[32];
    const void *aot; /* LSAO image, checked for bounds; NULL = none */
    uint32_t warp_size;
    uint32_t lds_bytes; /* static */
    uint32_t max_threads;
    _Atomic(struct ls_code *) codes; /* the device's: code by block shape */
    atomic_uint n_codes;
    struct ls_refusal *refusals; /* the device's: shapes that it made no code for */
};

struct ls_device_info {
    char name[128];
    size_t total_bytes; /* memory */
    uint32_t n_units;   /* multiprocessors, as programs are told: the threads that run kernels at
                           once, or LOCKSTEP_COMPUTE_UNITS */
    uint32_t clock_khz;
    uint32_t l2_bytes;
};

enum ls_work_kind {
    LS_WORK_NONE = 0, /* nothing; only as a part of a graph */
    LS_WORK_KERNEL,
    LS_WORK_COPY,
    LS_WORK_FILL,
    LS_WORK_HOST,
    LS_WORK_GRAPH,
    /* Only as parts of a graph: `host` on whatever thread is at hand, must not block. */
    LS_WORK_CALL,
    LS_WORK_LATER, /* has not ended before somebody calls done */
};

/* What cooperative grids have in common that were launched together on several devices
 * (multi_grid.c). */
struct ls_multi_grid;

/* For n grids of so many threads each; each is launched or cancelled, and the last one to end destroys it. NULL when out
 * of memory. */
struct ls_multi_grid *ls_multi_grid_create(uint32_t n_grids, const uint64_t *n_threads);
/* A grid is never started: the others fail where they meet it. */
void ls_multi_grid_cancel(struct ls_multi_grid *multi);

struct ls_work_kernel {
    struct ls_kernel_source *source;
    struct ls_code *code;
    uint32_t grid[3], block[3];
    uint32_t n_threads; /* of a block */
    uint32_t dyn_lds_bytes;
    uint64_t n_blocks;
    const void *kernarg;
    void *const *globals;
    bool cooperative;
    uint32_t grid_rank;          /* among the grids of multi */
    struct ls_multi_grid *multi; /* NULL: the grid is alone */
};

/* A box of depth * height rows of `row_bytes` each. */
struct ls_work_copy {
    char *dst;
    const char *src;
    size_t row_bytes, height, depth;
    size_t dst_pitch, src_pitch; /* bytes from row to row */
    size_t dst_slice, src_slice; /* bytes from slice to slice */
};

struct ls_work_fill {
    char *dst;
    size_t row_bytes, height, depth, pitch, slice;
    uint32_t value;
    uint32_t element_bytes; /* 1, 2 or 4 */
};

/* Runs user code on a thread that runs no kernels. */
struct ls_work_host {
    void (*fn)(void *user, hipError_t status);
    void *user;
};

/* Works with an order: a work may start when all those have ended that have an edge to it. The
 * runtime fills it in once and may submit it many times, one time at most at once; it must have no
 * cycle and at least one work. */
struct ls_work_graph {
    struct ls_work *works;
    uint32_t n_works, n_roots;
    const uint32_t *roots;      /* works with n_deps 0 */
    const uint32_t *n_deps;     /* of each work */
    const uint32_t *first_edge; /* n_works + 1: edges[first_edge[i]] and on wait for work i */
    const uint32_t *edges;
    /* The device's scratch, given by the runtime: */
    atomic_uint *left;  /* n_works */
    atomic_uint *queue; /* LS_GRAPH_QUEUE(n_works): those ready to run */
    atomic_uint head, tail;
    uint32_t n_ended; /* guarded by the scheduler's lock */
};
#define LS_GRAPH_TURN     256u
#define LS_GRAPH_QUEUE(n) ((size_t)(n) + (n) / LS_GRAPH_TURN + 8)

/* One unit of work. The runtime fills the first part; `priv` is the device's while the work is in
 * it. */
struct ls_work {
    enum ls_work_kind kind;
    int priority; /* lower runs first */
    union {
        struct ls_work_kernel kernel;
        struct ls_work_copy copy;
        struct ls_work_fill fill;
        struct ls_work_host host;
        struct ls_work_graph *graph;
    };
    /* Called once, from any thread, without locks, when the work has ended. */
    void (*done)(struct ls_work *work, hipError_t err);
    /* A kernel of the work launches a graph; `how` is the stream that it names. Called from any
     * thread, without locks; NULL: none can. */
    hipError_t (*launch)(struct ls_work *work, void *graph_exec, hipStream_t how);
    struct {             /* for traces */
        uint64_t stream; /* its number; filled by the runtime */
        uint64_t submit_ns;
        void (*done)(struct ls_work *work, hipError_t err);
    } trace;
    void (*strict_done)(struct ls_work *work, hipError_t err); /* `done`, in strict mode */
    struct {
        struct ls_work *next, *prev;
        _Atomic uint64_t next_item;
        uint64_t n_items, chunk;
        uint32_t n_runners; /* guarded by the scheduler's lock */
        bool listed;        /* guarded by the scheduler's lock */
        atomic_int err;     /* first failure */
        uint64_t start_ns;
        void *coop; /* NULL or coop_room */
        uint64_t coop_room[8];
        void *sched; /* of a part of a graph, as are the next two */
        struct ls_work *graph;
        uint32_t part;
        _Atomic size_t text_bytes; /* of the device's printf_bytes: taken by this kernel */
    } priv;
};

struct ls_device_ops {
    const char *name;
    hipError_t (*open)(struct ls_device *dev);
    void (*get_info)(struct ls_device *dev, struct ls_device_info *info);
    struct {
        /* Memory that both the device and the host can address. */
        hipError_t (*alloc)(struct ls_device *dev, size_t bytes, size_t align, void **ptr);
        void (*free)(struct ls_device *dev, void *ptr, size_t bytes);
    } mem;
    struct {
        /* May be called with the runtime's queue lock held; must not call back into it. */
        void (*submit)(struct ls_device *dev, struct ls_work *work);
        /* Returns when done(arg) holds, lending this thread to the device meanwhile. `done` is
         * cheap and may be called often; the runtime calls `wake` after it may have become true. */
        void (*wait)(struct ls_device *dev, bool (*done)(void *arg), void *arg);
        void (*wake)(struct ls_device *dev);
        /* Makes sure that work goes on although nobody waits for it. */
        void (*poke)(struct ls_device *dev);
        /* Whether work, once it runs, ends whatever the host does. */
        bool (*ends)(const struct ls_work *work);
        /* Copies a row at once, on the calling thread. False when this thread can't. May be called
         * with the runtime's queue lock held. NULL: no thread can. */
        bool (*copy_here)(struct ls_device *dev, const struct ls_work_copy *copy, hipError_t *err);
    } queue;
    struct {
        /* Finds, loads or makes the code for a block shape. Blocks while it is made. */
        hipError_t (*get_code)(struct ls_device *dev, struct ls_kernel_source *source,
                               const uint32_t block[3], struct ls_code **code);
        void (*release_kernel)(struct ls_device *dev, struct ls_kernel_source *source);
        /* Per-thread private bytes of any code there is, for hipFuncGetAttributes. */
    } module;
    /* Blocks of a cooperative launch that one multiprocessor holds at most. */
    uint32_t (*max_resident_blocks)(struct ls_device *dev, uint32_t n_threads, uint64_t lds_bytes);
};

struct ls_device {
    const struct ls_device_ops *ops; /* borrowed */
    uint32_t index;                  /* the number that programs know it by */
    uint32_t part, n_parts;          /* its share of the machine: part of n_parts equal ones */
    void *priv;                      /* the device's own */
    bool timed;        /* note in work->priv.start_ns when work begins; set before the first work */
    atomic_int sticky; /* hipError_t of a failed kernel, until the device is reset */
    atomic_long heap_bytes; /* kernels' malloc less their free; another device's may be freed */
    _Atomic size_t printf_bytes; /* room for what one launch prints with -mprintf-kind=buffered */
    /* Says what is known of an address that a kernel could not touch, or nothing. Written before
     * the device is opened; NULL: nobody knows. Takes the runtime's memory lock. */
    void (*explain)(const void *addr, char *text, size_t bytes);
};

/* From this size on, memory of a device ends in front of pages that nobody can touch (or in front
 * of the rest of its last page). */
#define LS_GUARDED_BYTES ((size_t)8 << 20)

/* The CPU device's operations. */
extern const struct ls_device_ops ls_cpu_device_ops;

#define LS_MAX_BLOCK_THREADS 1024u
#define LS_MAX_LDS_BYTES     65536u
#define LS_UNIT_THREADS      2048u /* resident threads of one multiprocessor */
#define LS_UNIT_BLOCKS       32u   /* and blocks */

#endif
