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
struct ls_check_clock;

enum ls_device_kind {
#define LS_DEVICE_KIND(name) LS_DEVICE_##name,
#include "device/kinds.def"
#undef LS_DEVICE_KIND
    LS_DEVICE_KINDS
};

/* Who may touch memory, at the same address for all who may. */
enum ls_memory {
    /* Kernels, copies and fills; the host by operations of the device alone. */
    LS_MEMORY_DEVICE = 0,
    /* Kernels and the host, at any time: each sees what the other writes, and their atomics are
       atomic to both. */
    LS_MEMORY_PINNED,
    /* As pinned memory; the device decides where it lies. */
    LS_MEMORY_MANAGED,
};

/* Memory without an address, for `space`: the device's own. */
struct ls_physical;
struct ls_lsbc_arg;
struct ls_code; /* a kernel's machine code for one block shape: the device's own */

#define LS_SOURCE_ROOM 40u

/* What a device needs to make code of a kernel. The runtime owns it and keeps it until
 * release_kernel. */
struct ls_kernel_source {
    const char *name;
    const char *display_name; /* for messages */
    const void *bitcode;
    size_t bitcode_bytes;
    uint8_t bitcode_sha256[32];
    const void *aot; /* LSAO image, checked for bounds; NULL = none */
    size_t aot_bytes;
    uint32_t warp_size;
    uint32_t lds_bytes; /* static */
    uint32_t max_threads;
    uint32_t kernarg_bytes, n_args;
    const struct ls_lsbc_arg *args; /* where they lie in the kernarg segment */
    uint32_t n_globals;             /* variables of the module; a launch has as many addresses */
    bool launches;                  /* it may launch graphs: ls_work.launch */
    /* Words of the kernarg segment, bits, of which a device need not be told whether they are
     * distinct (get_code): it can make nothing of it. */
    _Atomic uint64_t indistinct;
    struct ls_kernel_source *next;  /* the next kernel of the module, in a ring; or NULL */
    /* For the devices: each kind has room of its own, zero at first, for what it has made of the
     * kernel. */
    _Alignas(8) unsigned char priv[LS_DEVICE_KINDS][LS_SOURCE_ROOM];
};

struct ls_device_info {
    char name[128];
    size_t total_bytes; /* memory */
    uint32_t n_units;   /* multiprocessors, as programs are told: the threads that run kernels at
                           once, or LOCKSTEP_COMPUTE_UNITS */
    uint32_t clock_khz;
    uint32_t l2_bytes;
    /* The architecture that it answers as. Empty and 0: it can answer as any, and the runtime
     * chooses. */
    char arch[64];
    uint32_t warp_size;
    /* Limits */
    uint32_t max_block_threads, max_lds_bytes; /* of a block */
    uint32_t unit_threads, unit_blocks;        /* resident at once on one multiprocessor */
    /* Of a block in each direction, and of a grid in blocks; 0: whatever the others allow. */
    uint32_t max_block[3], max_grid[3];
    /* For properties alone; 0: as the runtime likes. */
    uint32_t registers, memory_khz, memory_bits, pci_domain, pci_bus, pci_device;
    uint8_t uuid[16];
    bool lacks_host_atomics; /* atomics of kernels on memory of the host are none to the host */
    bool lacks_multi;        /* operations of `multi` do nothing */
    bool lacks_files;        /* memory of it can't be given to other processes */
    bool host_access;        /* the host can touch LS_MEMORY_DEVICE as well, if it may not */
    bool pageable_access;    /* kernels can touch all memory of the host */
    size_t grain;            /* of `space`, a power of two; 0: pages */
};

enum ls_work_kind {
    LS_WORK_NONE = 0, /* does nothing; only as a part of a graph */
    LS_WORK_KERNEL,
    LS_WORK_COPY,
    LS_WORK_FILL,
    LS_WORK_HOST,
    LS_WORK_GRAPH,
    /* Only as parts of a graph: calls `host` on any thread; it must not block. */
    LS_WORK_CALL,
    LS_WORK_LATER, /* calls `host` in the same way, and ends when somebody calls done */
};

/* What grids of one cooperative launch on several devices share. Its contents belong to the
 * devices. */
struct ls_multi_grid;

struct ls_work_kernel {
    struct ls_kernel_source *source;
    struct ls_code *code;
    struct ls_device *dev; /* that the code is for, or another of its kind */
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

/* Works with an order: a work may start when all works with an edge to it have ended. The runtime
 * fills it in once and may submit it again and again, but not twice at the same time. It must have
 * no cycle, and at least one work. */
struct ls_work_graph {
    struct ls_work *works;
    uint32_t n_works, n_roots;
    const uint32_t *roots;      /* works with n_deps 0 */
    const uint32_t *n_deps;     /* of each work */
    const uint32_t *first_edge; /* n_works + 1: edges[first_edge[i]] and on wait for work i */
    const uint32_t *edges;
    /* What a device has made of it (queue.plan), and which: NULL, or until queue.unplan. */
    void *made;
    struct ls_device *maker;
    /* Scratch of the device, allocated by the runtime: */
    atomic_uint *left;  /* n_works */
    atomic_uint *queue; /* LS_GRAPH_QUEUE(n_works): those ready to run */
    atomic_uint head, tail;
    uint32_t n_ended; /* guarded by the scheduler's lock */
};
#define LS_GRAPH_TURN     256u
#define LS_GRAPH_QUEUE(n) ((size_t)(n) + (n) / LS_GRAPH_TURN + 8)

#define LS_WORK_ROOM 192u

/* Flags of ls_work.end. */
enum {
    LS_END_WANTED = 1,  /* somebody will ask when it ended */
    LS_END_UNTIMED = 2, /* the device had begun it before that was known, see queue.time_end */
};

/* In ls_work.end_ns: the device knows the time when it is asked; the other bits are its own. */
#define LS_TIME_LATE (UINT64_C(1) << 63)

/* One unit of work. The runtime fills the first part; `priv` is the device's while the work is in
 * it, to lay out as it likes. */
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
    /* Called when a kernel of the work launches a graph; `how` is the stream that it names. From
     * any thread, without locks. NULL: its kernels cannot launch graphs. */
    hipError_t (*launch)(struct ls_work *work, void *graph_exec, hipStream_t how);
    uint64_t stream; /* number of the stream that it is in; filled by the runtime */
    const struct ls_check_clock *clock; /* for checkers, what happens before it; NULL: not known */
    atomic_uint end; /* LS_END_...: flags are added, also while the device has it */
    uint64_t end_ns; /* by the device, if it is wanted and known: on ls_now_ns's clock, else 0: when
                        done is called */
    struct {         /* for traces */
        uint64_t submit_ns;
        uint64_t start_ns; /* when it began: by the device, if it is timed */
        void (*done)(struct ls_work *work, hipError_t err);
    } trace;
    void (*strict_done)(struct ls_work *work, hipError_t err); /* `done`, in strict mode */
    _Alignas(8) unsigned char priv[LS_WORK_ROOM];
};

/* What became of a launch that was to be a part of a work. */
enum ls_join {
    LS_JOIN_NO = 0,
    LS_JOIN_DONE,
    LS_JOIN_POKE, /* done; and poke is to be called when the lock is free */
};

struct ls_device_ops {
    const char *name;
    uint32_t warp_size; /* the only one that its kernels may be made for; 0: any */
    /* How many devices there are of this kind. Called before any is opened. */
    uint32_t (*count)(void);
    /* Whether kernels of a program can have code here, whose code made ahead of time lies in an
     * image (LSAO, checked for bounds; NULL: none does): of that, or made by the compiler. Called
     * before any device is opened. NULL: they always can. */
    bool (*has_code)(const void *aot);
    hipError_t (*open)(struct ls_device *dev);
    void (*get_info)(struct ls_device *dev, struct ls_device_info *info);
    struct {
        hipError_t (*alloc)(struct ls_device *dev, enum ls_memory memory, size_t bytes,
                            size_t align, void **ptr);
        /* With the kind and size of the allocation. */
        void (*free)(struct ls_device *dev, enum ls_memory memory, void *ptr, size_t bytes);
        /* Copy at once between memory of the host and memory of any kind, or zero memory of any
         * kind. Aligned words of 4 and 8 bytes are read and written in one piece, in order with the
         * accesses before and after. May be called with the runtime's queue lock held. */
        void (*read)(struct ls_device *dev, void *dst, const void *src, size_t bytes);
        void (*write)(struct ls_device *dev, void *dst, const void *src, size_t bytes);
        void (*zero)(struct ls_device *dev, void *ptr, size_t bytes);
        /* Sets the access that the host has to whole pages of LS_MEMORY_DEVICE, to find hosts that
         * touch it. It also holds for kernels and works. NULL: the host can never touch such
         * memory. */
        void (*expose)(struct ls_device *dev, void *ptr, size_t bytes, hipMemAccessFlags access);
        /* Lets kernels touch memory of the host at its own address (hipHostRegister), until it is
         * unpinned. NULL: they can already (info.pageable_access), or never. */
        hipError_t (*pin)(struct ls_device *dev, void *ptr, size_t bytes);
        void (*unpin)(struct ls_device *dev, void *ptr, size_t bytes);
        /* Puts a sealed file of that name in the place of device memory, which keeps what it holds:
         * *fd is the caller's. Nothing runs that uses the memory. */
        hipError_t (*share)(struct ls_device *dev, void *ptr, size_t bytes, const char *name,
                            int *fd);
        /* Makes ordinary memory of it again, with any contents. False when the system has no memory
         * for it. */
        bool (*unshare)(struct ls_device *dev, void *ptr, size_t bytes);
        /* Where the memory itself can be in no file, that of `share` says how another process gets
         * at it: in which attach makes so many bytes of it known, until detach. NULL: the file is
         * the memory. */
        hipError_t (*attach)(struct ls_device *dev, int fd, void **ptr, size_t *bytes);
        void (*detach)(struct ls_device *dev, void *ptr);
    } mem;
    struct {
        /* Reserves addresses without memory, at `hint` if that is not NULL and possible. */
        hipError_t (*reserve)(struct ls_device *dev, size_t bytes, size_t align, void *hint,
                              void **ptr);
        void (*unreserve)(struct ls_device *dev, void *ptr, size_t bytes);
        /* Makes memory of whole pages without an address. With a name it is a sealed file, which
         * other processes may get. */
        hipError_t (*create)(struct ls_device *dev, size_t bytes, const char *name,
                             struct ls_physical **out);
        /* Makes such memory of a memory file of any process and device; the file stays the
         * caller's. */
        hipError_t (*import)(struct ls_device *dev, int fd, struct ls_physical **out);
        /* A new descriptor of its file, which the caller owns; -1: it has none. */
        int (*file)(struct ls_device *dev, const struct ls_physical *physical);
        /* Mappings of it stay until they are unmapped. */
        void (*destroy)(struct ls_device *dev, struct ls_physical *physical);
        /* Maps memory into a reservation, without access. After unmap the addresses are reserved
         * again. */
        hipError_t (*map)(struct ls_device *dev, void *ptr, size_t bytes,
                          struct ls_physical *physical, uint64_t offset);
        hipError_t (*unmap)(struct ls_device *dev, void *ptr, size_t bytes);
        hipError_t (*set_access)(struct ls_device *dev, void *ptr, size_t bytes,
                                 hipMemAccessFlags access);
    } space;
    struct {
        /* Makes the shared part of n grids with so many threads each, on devices of this kind. Each
         * grid must be launched or cancelled; the last one to end destroys it. NULL when out of
         * memory. */
        struct ls_multi_grid *(*create)(struct ls_device *dev, uint32_t n_grids,
                                        const uint64_t *n_threads);
        /* A grid will never be started: the others fail where they would meet it. */
        void (*cancel)(struct ls_device *dev, struct ls_multi_grid *multi);
    } multi;
    struct {
        /* May be called with the runtime's queue lock held; must not call back into it. */
        void (*submit)(struct ls_device *dev, struct ls_work *work);
        /* Whether a work may be submitted before those in front of it in its stream have ended, if
         * the same is true of all these. The device starts works of one stream in the order in
         * which they were submitted, each when the one before has ended, and calls done in this
         * order. When a work has failed it does not run those that it has already: they end with
         * hipSuccess. May be called with the runtime's queue lock held. NULL: none may. */
        bool (*follows)(struct ls_device *dev, const struct ls_work *work);
        /* Returns when done(arg) holds, lending this thread to the device meanwhile. `done` is
         * cheap and may be called often; the runtime calls `wake` after it may have become true. */
        void (*wait)(struct ls_device *dev, bool (*done)(void *arg), void *arg);
        void (*wake)(struct ls_device *dev);
        /* Makes a launch a part of `work`, a kernel that follows and is the last of its stream: it
         * runs behind what the work is so far, and the work ends when it has. `args`: a pointer to
         * each argument. No: the device would rather have a work. Called with the runtime's queue
         * lock held; NULL: it always would. */
        enum ls_join (*join)(struct ls_device *dev, struct ls_work *work,
                             const struct ls_work_kernel *kernel, void **args);
        /* A thread has submitted a work and holds no locks: the device may have it end some that
         * are done. NULL: it never does. */
        void (*passed)(struct ls_device *dev);
        /* Makes sure that work goes on although nobody waits for it. */
        void (*poke)(struct ls_device *dev);
        /* Whether work that has begun will end, whatever the host does. */
        bool (*ends)(const struct ls_work *work);
        /* The end of a work is wanted now, which a device has begun untimed: the last one that its
         * stream has. Called with the runtime's queue lock held. Only for devices that set the
         * flag. */
        void (*time_end)(struct ls_device *dev, struct ls_work *work);
        /* A time that is late (LS_TIME_LATE) is in *place: the device may put the time there, in
         * a form of its own. With the queue lock held; the memory stays for ever. NULL: the
         * device has no late times. */
        void (*keep_time)(struct ls_device *dev, uint64_t late, _Atomic uint64_t *place);
        /* Nanoseconds between two times that it may have put there, or are ls_now_ns's. NULL, as
         * above. */
        double (*elapsed)(struct ls_device *dev, const _Atomic uint64_t *from,
                          const _Atomic uint64_t *to);
        /* Before a graph is submitted for the first time, without locks: the device may make
         * something of it that it keeps in `made`. unplan: the graph goes; may be called with the
         * queue lock held. NULL: it never does. */
        void (*plan)(struct ls_device *dev, struct ls_work_graph *graph);
        void (*unplan)(struct ls_device *dev, struct ls_work_graph *graph);
        /* Copies a row at once, on the calling thread. False when this thread can't. May be called
         * with the runtime's queue lock held. NULL: no thread can. */
        bool (*copy_here)(struct ls_device *dev, const struct ls_work_copy *copy, hipError_t *err);
    } queue;
    struct {
        /* Finds, loads or makes the code for a block shape. Blocks while it is made. `distinct`:
         * bits of words of the kernarg segment, pointers in this launch that lead to memory which
         * no other word leads to; code may rely on it. 0: nothing is known. */
        hipError_t (*get_code)(struct ls_device *dev, struct ls_kernel_source *source,
                               const uint32_t block[3], uint64_t distinct, struct ls_code **code);
        bool wants_distinct; /* it makes something of that */
        /* A kernel of a module is about to be launched on the device, for the first time in blocks
         * of this class of shapes (0 or 1, by shape_class): these are all of the module. May make
         * code, so that later launches need not stop the device for it. `early`: one may be
         * launched later, so code that is there may be loaded; false: it was not. NULL, both:
         * nothing is to be done. */
        bool (*prepare)(struct ls_device *dev, struct ls_kernel_source *const *sources, uint32_t n,
                        const uint32_t block[3], bool early);
        uint32_t (*shape_class)(const uint32_t block[3]);
        void (*release_kernel)(struct ls_device *dev, struct ls_kernel_source *source);
    } module;
    /* Whether the device's memory is lost: with a fault, or as the process ends. What is freed then
     * is not looked at. NULL: never. */
    bool (*is_gone)(struct ls_device *dev);
    /* Whether kernels can touch the memory of another device of this kind. NULL: they can. */
    bool (*reaches)(struct ls_device *dev, struct ls_device *peer);
    /* Blocks of a cooperative launch of a kernel that one multiprocessor holds at most. May make
     * code. */
    uint32_t (*max_resident_blocks)(struct ls_device *dev, struct ls_kernel_source *source,
                                    uint32_t n_threads, uint64_t lds_bytes);
};

/* A device around the device changes some of its operations (common/wrap.h). */
enum ls_wrapper { LS_WRAP_STRICT = 0, LS_WRAP_TRACE, LS_WRAPPERS };

struct ls_wrap {
    struct ls_device_ops ops;          /* what the device has from then on */
    const struct ls_device_ops *inner; /* what it had */
};

struct ls_device {
    const struct ls_device_ops *ops; /* borrowed */
    uint32_t index;                  /* the number that programs know it by */
    uint32_t part, n_parts;          /* it is number `part` of n_parts of its kind */
    void *priv;                      /* the device's own */
    bool timed; /* note in work->trace.start_ns when work begins; set before the first work */
    atomic_int sticky;      /* hipError_t of a failed kernel, until the device is reset */
    atomic_long heap_bytes; /* bytes that kernels got by malloc and have not freed; they may free
                               another device's */
    _Atomic size_t printf_bytes; /* room for what one launch prints with -mprintf-kind=buffered */
    /* Writes what is known of an address that a kernel could not touch, or nothing. Set before the
     * device is opened; may be NULL. Takes the runtime's memory lock. */
    void (*explain)(const void *addr, char *text, size_t bytes);
    /* What most works have as `done`, and the same for several that have ended in order, without
     * errors. Set before the first work; NULL: there is none. */
    void (*usual_done)(struct ls_work *work, hipError_t err);
    void (*usual_done_all)(struct ls_work *const *works, unsigned n);
    /* Prints text of kernels; NULL: to stdout. */
    void (*print)(struct ls_device *dev, const char *text, size_t bytes);
    struct ls_wrap wraps[LS_WRAPPERS]; /* common/wrap.h */
};

/* From this size on, memory of a device ends in front of pages that nobody can touch (or in front
 * of the rest of its last page). */
#define LS_GUARDED_BYTES ((size_t)8 << 20)

/* The operations of each kind, by its row in kinds.def. */
#define LS_DEVICE_KIND(name) extern const struct ls_device_ops ls_device_##name;
#include "device/kinds.def"
#undef LS_DEVICE_KIND

#endif
