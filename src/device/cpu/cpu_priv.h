/* SPDX-License-Identifier: MIT */
/* Inside the CPU device.
 *
 * A runner is what a thread needs to run kernels: a big stack, fibers for warps, LDS, a signal
 * stack. Worker threads own one each; a host thread that waits borrows one. At most n_slots runners
 * are busy at a time, however many threads there are.
 *
 * Lock: sched->lock guards the list of ready work and everything marked so; it is a leaf. */
#ifndef LS_DEVICE_CPU_PRIV_H
#define LS_DEVICE_CPU_PRIV_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "base/clock.h"
#include "device/cpu/fiber.h"
#include "device/cpu/heap.h"
#include "device/cpu/kernel_abi.h"
#include "device/device.h"

struct ls_runner;
struct ls_cpu_group;

#define LS_CPU_PAGE          4096u
#define LS_MAX_BLOCK_THREADS 1024u
#define LS_MAX_LDS_BYTES     65536u
#define LS_UNIT_THREADS      2048u /* resident threads of one multiprocessor */
#define LS_UNIT_BLOCKS       32u   /* and blocks */

/* The contents of ls_work.priv while this device has the work. */
struct ls_cpu_work {
    struct ls_work *next, *prev;
    _Atomic uint64_t next_item;
    uint64_t n_items, chunk;
    uint32_t n_runners; /* guarded by the scheduler's lock */
    bool listed;        /* guarded by the scheduler's lock */
    atomic_int err;     /* first failure */
    void *coop;         /* NULL or coop_room */
    uint64_t coop_room[8];
    struct ls_cpu_sched *sched; /* this and the next two: only of parts of a graph */
    struct ls_work *graph;
    uint32_t part;
    _Atomic size_t text_bytes; /* bytes of the device's printf_bytes that this kernel has used */
} __attribute__((may_alias));
_Static_assert(sizeof(struct ls_cpu_work) <= LS_WORK_ROOM, "no room");

static inline struct ls_cpu_work *
ls_cpu_of(const struct ls_work *work)
{
    return (struct ls_cpu_work *)(uintptr_t)work->priv;
}

/* The contents of ls_kernel_source.priv. */
struct ls_cpu_source {
    _Atomic(struct ls_code *) codes; /* by block shape */
    atomic_uint n_codes;
    struct ls_refusal *refusals; /* shapes that no code was made for */
} __attribute__((may_alias));
_Static_assert(sizeof(struct ls_cpu_source) <= LS_SOURCE_ROOM, "no room");

static inline struct ls_cpu_source *
ls_cpu_source_of(struct ls_kernel_source *source)
{
    return (struct ls_cpu_source *)(void *)source->priv[LS_DEVICE_cpu];
}

enum ls_warp_state { LS_WARP_RUNNABLE = 0, LS_WARP_BARRIER, LS_WARP_GRID, LS_WARP_DONE };

/* A fiber that runs one warp (fiber mode) or one block (block mode, cooperative). */
struct ls_cpu_warp {
    struct ls_cpu_ctx ctx; /* ctx.device points back here */
    struct ls_fiber fiber;
    struct ls_stack stack;      /* owned */
    struct ls_runner *runner;   /* borrowed */
    struct ls_cpu_group *group; /* its block */
    enum ls_warp_state state;
    uint32_t warp;
    bool started;
};

/* One block's warps. */
struct ls_cpu_group {
    uint32_t n_alive, n_arrived;
    uint32_t first, count; /* its fibers in runner->warps */
    uint64_t block;
};

/* Grid barrier of a cooperative launch across its shares. */
struct ls_cpu_coop {
    pthread_mutex_t lock;
    uint32_t n_expected, n_arrived; /* guarded by lock: runners */
    atomic_uint generation;
    uint32_t n_shares;
};

struct ls_code {
    struct ls_code *next;
    uint32_t block[3]; /* what it serves: 0,0,0 = any; 0,0,1 and 0,1,1 = rows of whole warps */
    const struct ls_cpu_kernel *kernel;
    void *dl; /* owned handle of dlopen; NULL: another entry's code, for this shape, too */
    int fd;   /* descriptor of a file without a name, which stays open, as dlopen knows it by this
                 number; or -1 */
    _Atomic uint64_t ticks_per_block; /* recent estimate, in units of the time stamp counter */
};

enum ls_fault_kind {
    LS_FAULT_NONE = 0,
    LS_FAULT_ADDRESS,
    LS_FAULT_STACK,
    LS_FAULT_ARITHMETIC,
    LS_FAULT_INSTRUCTION,
    LS_FAULT_TRAP,
    LS_FAULT_ABORT,
    LS_FAULT_SPIN,
    LS_FAULT_ASSERT,
    LS_FAULT_DEADLOCK,
};

struct ls_fault {
    enum ls_fault_kind kind;
    const void *addr; /* the address that could not be accessed */
    const void *pc;
    uint32_t lane;                /* ~0u = unknown */
    const struct ls_cpu_ctx *ctx; /* context of the warp or block that failed */
    char text[512];               /* an assertion's message */
};

/* LOCKSTEP_WARPS: the order in which warps and blocks run. All but the usual one run warps as
 * fibers; INTERLEAVED has code that yields at stores and in loops. Read at each call. */
enum ls_warp_order { LS_ORDER_USUAL = 0, LS_ORDER_SHUFFLED, LS_ORDER_INTERLEAVED };
enum ls_warp_order ls_warp_order(uint64_t *seed);
void ls_order_begin(uint64_t *state, uint64_t seed, uint64_t block);
uint64_t ls_order_random(uint64_t *state);
uint64_t ls_order_block(uint64_t seed, uint64_t n_blocks,
                        uint64_t i); /* a permutation of the blocks */

struct ls_runner {
    struct ls_cpu_sched *sched;
    struct ls_runner *next_free; /* guarded by sched->lock */
    struct ls_fiber host;        /* the thread that uses the runner */
    struct ls_fiber main;        /* runs blocks, on `stack` */
    struct ls_stack stack;
    bool is_worker;         /* it belongs to a thread of the device */
    bool away;              /* such a thread that is counted in the scheduler's n_away */
    bool main_ready;        /* `main` waits for the next job */
    bool abandoned;         /* a fault has left main, which must be started anew */
    bool careful;           /* runs code that says which warp runs */
    volatile int in_kernel; /* kernel code runs on this thread, so a fault is the kernel's */
    struct ls_fault fault;
    /* The job */
    struct ls_work *work;
    uint64_t first, count;
    struct ls_cpu_ctx ctx; /* block mode */
    char *lds;             /* LS_LDS_AREA bytes, 128-byte aligned */
    char *lds_more;        /* LDS of the other blocks of a cooperative share */
    size_t lds_more_bytes;
    /* Fiber mode */
    struct ls_cpu_warp **warps; /* pool; the first n_warps are in use */
    uint32_t cap_warps, n_warps;
    size_t warp_stack_bytes;
    struct ls_cpu_group *groups;
    uint32_t cap_groups, n_groups;
    uint32_t current, n_alive, n_grid, n_idle_yields;
    enum ls_warp_order order;
    uint64_t seed, random; /* of the order */
    /* Services */
    char *out; /* text printed by kernels */
    size_t out_bytes, out_cap;
    struct ls_printf_msg *msgs; /* open printf calls */
    struct ls_printf_frame *frames, **frames_end; /* frames of -mprintf-kind=buffered, which are
                                                     printed when the blocks have ended */
    void *altstack;
    bool altstack_installed;
    uint64_t looked_at;  /* time stamp when the handlers of faults were last seen to be ours */
    uint64_t glanced_at; /* the same of SIGSEGV's alone, and of the signal mask of a host thread */
    const void *glanced_for; /* the code that was about to run at glanced_at */
    uint64_t n_yields;
    /* How often the kernel has read the clock: since the last turn of a loop that waits, and in the
     * turn before that. */
    uint32_t n_looks, looks_per_wait;
    uint64_t delay_since_ns; /* 0: not yet known */
    uint64_t spin_since_ns;  /* since when kernels of this runner have polled while no block ended
                                anywhere */
    unsigned long spin_progress; /* the count of ended blocks at that time */
};

#define LS_LDS_PAD  256u
#define LS_LDS_AREA (LS_LDS_PAD + LS_MAX_LDS_BYTES + LS_LDS_PAD)

struct ls_cpu_sched {
    struct ls_device *dev;
    pthread_mutex_t lock;
    struct ls_work *ready_head, *ready_tail; /* guarded by lock: oldest first, by priority */
    struct ls_work *coop_head;    /* guarded by lock: grids that wait until coop_running is false */
    bool coop_running;            /* guarded by lock: a grid whose blocks are all alive */
    atomic_uint n_ready;          /* listed works with items left */
    atomic_uint n_active;         /* runners that are busy */
    atomic_uint n_slots;          /* runners that may be busy */
    uint32_t n_threads;           /* number of workers that are configured */
    cpu_set_t *cpus;              /* owned: where workers run; NULL = wherever they like */
    _Atomic uint32_t n_workers;   /* number of workers that were started; written under lock */
    atomic_bool short_of_threads; /* some could not be started */
    struct ls_runner *free_runners; /* guarded by lock */
    void (*start)(struct ls_cpu_sched *sched,
                  uint32_t n); /* starts workers until there are n; lock held */
    /* Idle threads sleep until `event` changes. */
    atomic_uint event; /* a futex that is changed and woken when there may be something to do */
    atomic_uint n_sleepers; /* threads asleep on event */
    atomic_uint n_deep;     /* workers asleep without a time limit */
    atomic_uint n_away;     /* workers that run what may take long */
    atomic_uint n_spinning; /* workers that poll */
    uint64_t spin_ns;
    size_t stack_bytes;
    /* Host functions */
    pthread_cond_t host_cond;
    struct ls_work *host_head, *host_tail; /* guarded by lock */
    bool host_started;                     /* guarded by lock */
};

/* machine.c */
/* Size of the last cache that this machine's cores share. (sysconf may add up those of a whole
 * socket.) */
size_t ls_cpu_last_cache_bytes(void);
void ls_futex_wait(atomic_uint *word, unsigned value, uint64_t ns); /* ns 0: without a limit */
void ls_futex_wake(atomic_uint *word, int n);

/* move.c: how many items a copy or fill has, and copies or fills some of them */
uint64_t ls_cpu_move_items(const struct ls_work *work);
void ls_cpu_move(const struct ls_work *work, uint64_t first, uint64_t count);

/* work.c */
/* Whether a kernel may wait for other work. A host thread that waits for something else must not
 * run it. */
bool ls_cpu_may_wait(const struct ls_work *work);
bool ls_cpu_ends(const struct ls_work *work); /* the work will end, whatever the host does */
bool ls_cpu_is_cooperative(const struct ls_work *work);
bool ls_cpu_is_resident(const struct ls_cpu_sched *sched, const struct ls_work *work);
/* Whether a thread may be busy with the work for long: it may wait, nothing is known of it, or it
 * is large. */
bool ls_cpu_may_be_long(const struct ls_work *work);
void ls_cpu_note_speed(struct ls_code *code, uint64_t ticks, uint64_t n);
/* Sets the number of items; true when other threads should be woken for it. */
bool ls_cpu_divide(struct ls_cpu_sched *sched, struct ls_work *work);
#define LS_BUSY_TICKS 40000u /* work expected to take longer is worth waking threads for */

/* ready.c: add, remove and pick with the lock held */
void ls_ready_add(struct ls_cpu_sched *sched, struct ls_work *work);
void ls_ready_remove(struct ls_cpu_sched *sched, struct ls_work *work);
bool ls_ready_is_claimed(const struct ls_work *work);
/* Work with items left, which moves behind its equals so that the next thread takes another. A grid
 * whose blocks must all be alive stays: several of them, each with some of the threads, would wait
 * for ever. `helper`: a host thread. */
struct ls_work *ls_ready_pick(struct ls_cpu_sched *sched, bool helper);
/* Whether the caller is one of the device's threads, which will look for more work. A host thread
 * that helps may not. */
bool ls_cpu_is_own_worker(const struct ls_cpu_sched *sched);
/* Lists work that is divided, for the device's threads; `busy`: it is worth waking all of them. */
void ls_cpu_enter(struct ls_cpu_sched *sched, struct ls_work *work, bool busy);
void ls_cpu_wake_workers(struct ls_cpu_sched *sched, int n);
/* Called when a kernel of this runner waits for others: lets one more runner be busy. */
void ls_cpu_lend(struct ls_cpu_sched *sched);

/* host.c */
void ls_host_submit(struct ls_cpu_sched *sched, struct ls_work *work);
/* Starts the threads that could not be started for want of memory; a thread that waits does their
 * work meanwhile. */
void ls_host_make_up(struct ls_cpu_sched *sched, bool run);

/* submit.c: work that is no graph */
void ls_cpu_reset(struct ls_work *work); /* any work, before it is submitted */
void ls_cpu_submit_alone(struct ls_cpu_sched *sched, struct ls_work *work);
void ls_cpu_finish(struct ls_cpu_sched *sched, struct ls_work *work); /* any work */

/* graph.c */
void ls_cpu_graph_start(struct ls_work *graph, uint64_t *ticks);
/* Runs works of the graph that are ready, until there are none, or other work should have its
 * turn. */
void ls_cpu_graph_visit(struct ls_cpu_sched *sched, struct ls_runner *runner,
                        struct ls_work *graph);

/* sched.c */
hipError_t ls_cpu_sched_open(struct ls_device *dev);
void ls_cpu_submit(struct ls_device *dev, struct ls_work *work);
void ls_cpu_poke(struct ls_device *dev);
/* A host thread that runs kernels must not block the signals of faults: a blocked one would end the
 * process. */
struct ls_help {
    bool begun, was_blocked;
    sigset_t old;
};
/* Claims and runs items of some ready work. False when there is none. `help`: NULL for a worker;
 * `idled`: the thread has just begun to run. One slot is taken before and given back behind it. */
bool ls_sched_run(struct ls_cpu_sched *sched, struct ls_runner *runner, bool helper,
                  struct ls_help *help, bool idled);
bool ls_sched_take_slot(struct ls_cpu_sched *sched);
void ls_sched_give_slot(struct ls_cpu_sched *sched);

/* wait.c */
void ls_cpu_wait(struct ls_device *dev, bool (*done)(void *arg), void *arg);
void ls_cpu_wake(struct ls_device *dev);
bool ls_cpu_copy_here(struct ls_device *dev, const struct ls_work_copy *copy, hipError_t *err);

/* runner.c */
struct ls_runner *ls_runner_create(struct ls_cpu_sched *sched);
/* The runner must never have been attached; NULL does nothing. */
void ls_runner_destroy(struct ls_runner *runner);
/* Ties the runner to the calling thread, or unties it. */
void ls_runner_attach(struct ls_runner *runner);
void ls_runner_detach(struct ls_runner *runner);
/* Runs blocks (or, cooperative, shares) [first, first + count) of a kernel; reports a fault. */
hipError_t ls_runner_blocks(struct ls_runner *runner, struct ls_work *work, uint64_t first,
                            uint64_t count);

/* poll.c */
/* Ends the running kernel with the fault in runner->fault; does not return. */
_Noreturn void ls_runner_fail(struct ls_runner *runner);
/* Called when a kernel polls for something that another thread does. */
void ls_cpu_poll_others(struct ls_runner *runner, struct ls_cpu_ctx *ctx);
/* Called at each turn of a loop that waits. A loop that delays by the clock reads it equally often
 * in each turn; where a new delay begins, once more. */
void ls_poll_turn(struct ls_runner *runner);
void ls_poll_note_progress(void); /* called when blocks have ended */
uint64_t ls_poll_cycles(void);
uint64_t ls_poll_100mhz(void);

/* fault.c */
extern _Thread_local struct ls_runner *ls_this_runner;
void ls_fault_install(void);
hipError_t ls_fault_report(struct ls_runner *runner, struct ls_work *work);
/* Called when failed work has ended on all threads and what it printed is written. Does not return
 * if the fault is to end the process (abort() in a kernel, LOCKSTEP_FAULT). */
void ls_fault_end_process(void);
/* Called before code runs: if the program has set a handler in place of ours, puts ours in front of
 * it. As this takes time, it looks only when it has not for some tens of microseconds; or, at
 * SIGSEGV alone, when the thread was idle, unless the same code ran here a few microseconds ago.
 * Returns whether it looked. */
bool ls_fault_look(struct ls_runner *runner, const void *code, bool after_idling);
/* The set of the signals that faults raise. */
void ls_fault_signals(sigset_t *set);
/* Starts a thread that blocks all signals but these. */
bool ls_fault_thread(pthread_t *thread, void *(*fn)(void *), void *arg);

/* multi_grid.c */
struct ls_multi_grid *ls_cpu_multi_grid_create(struct ls_device *dev, uint32_t n_grids,
                                               const uint64_t *n_threads);
void ls_cpu_multi_grid_cancel(struct ls_device *dev, struct ls_multi_grid *multi);
/* LS_SVC_MULTI_GRID */
uint64_t ls_cpu_multi_grid(struct ls_runner *runner, struct ls_cpu_ctx *ctx, uint64_t question);
/* Called when a grid is ready to run. It enters its device when all grids of its launch are
 * ready. */
void ls_cpu_multi_grid_come(struct ls_cpu_sched *sched, struct ls_work *work);
/* Called when a grid has ended. If it failed, the others fail where they would meet it. */
void ls_cpu_multi_grid_leave(struct ls_multi_grid *multi, bool failed);

/* service.c */
uint64_t ls_cpu_service(struct ls_cpu_ctx *ctx, uint32_t service, uint32_t lane,
                        const uint64_t *args);
struct ls_runner *ls_ctx_runner(const struct ls_cpu_ctx *ctx);
/* Writes what kernels printed to stdout. */
void ls_service_flush(struct ls_runner *runner);
/* Formats the frames that running blocks have left. */
void ls_service_print_frames(struct ls_runner *runner);
/* Drops printf calls that a fault has cut off. */
void ls_service_abandon(struct ls_runner *runner);

/* heap.c: where addresses come from, in whole pages */
void *ls_heap_map(size_t bytes, size_t align, int prot);
void *ls_heap_place(void *at, size_t bytes); /* there, without access, or NULL */
void ls_heap_unmap(void *ptr, size_t bytes);

/* space.c */
hipError_t ls_cpu_reserve(struct ls_device *dev, size_t bytes, size_t align, void *hint,
                          void **ptr);
void ls_cpu_unreserve(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_cpu_physical_create(struct ls_device *dev, size_t bytes, const char *name,
                                  struct ls_physical **out);
hipError_t ls_cpu_physical_import(struct ls_device *dev, int fd, struct ls_physical **out);
int ls_cpu_physical_file(struct ls_device *dev, const struct ls_physical *physical);
void ls_cpu_physical_destroy(struct ls_device *dev, struct ls_physical *physical);
hipError_t ls_cpu_space_map(struct ls_device *dev, void *ptr, size_t bytes,
                            struct ls_physical *physical, uint64_t offset);
hipError_t ls_cpu_space_unmap(struct ls_device *dev, void *ptr, size_t bytes);
hipError_t ls_cpu_space_access(struct ls_device *dev, void *ptr, size_t bytes,
                               hipMemAccessFlags access);
void ls_cpu_expose(struct ls_device *dev, void *ptr, size_t bytes, hipMemAccessFlags access);
hipError_t ls_cpu_share(struct ls_device *dev, void *ptr, size_t bytes, const char *name, int *fd);
bool ls_cpu_unshare(struct ls_device *dev, void *ptr, size_t bytes);

/* code.c */
hipError_t ls_cpu_get_code(struct ls_device *dev, struct ls_kernel_source *source,
                           const uint32_t block[3], struct ls_code **code);
void ls_cpu_release_kernel(struct ls_device *dev, struct ls_kernel_source *source);

/* cache.c: files of generated code, named by the hash of what they were made from. */
struct ls_cache_key {
    uint8_t digest[32];
};
/* Path of the file for key if a sound one is there. False otherwise; a broken file is deleted. */
bool ls_cache_find(const struct ls_cache_key *key, char *path, size_t bytes);
/* Deletes the file for key, as it could not be used. */
void ls_cache_discard(const struct ls_cache_key *key);
/* Writes the file for key, its path to `path`. False: there is no cache, or no room. */
bool ls_cache_store(const struct ls_cache_key *key, const void *elf, size_t elf_bytes, char *path,
                    size_t bytes);
/* Without a cache: a file in a folder of its own, which discard deletes ... */
bool ls_code_file(const void *elf, size_t elf_bytes, char *path, size_t bytes);
void ls_code_file_discard(const char *path);
/* ... or in memory: the descriptor, to be kept open while the code is loaded, or -1. */
int ls_code_memory(const void *elf, size_t elf_bytes, char *path, size_t bytes);

#endif
