/* SPDX-License-Identifier: MIT */
/* Inside the CPU device.
 *
 * A runner is what a thread needs to run kernels: a big stack, fibers for warps, LDS, a signal
 * stack. Worker threads own one each; a host thread that waits borrows one. Threads that run or
 * poll have a seat (crew.c): there are as many as CPUs, however many threads there are.
 *
 * Lock: sched->lock guards the list of ready work and everything marked so; it is a leaf. */
#ifndef LS_DEVICE_CPU_PRIV_H
#define LS_DEVICE_CPU_PRIV_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "base/clock.h"
#include "check/check.h"
#include "device/cpu/fiber.h"
#include "device/cpu/crowd.h"
#include "device/cpu/form.h"
#include "device/cpu/heap.h"
#include "device/common/cache.h"
#include "device/cpu/kernel_abi.h"
#include "device/device.h"

struct ls_compile_options;

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
    uint64_t n_items;
    uint32_t least, most;   /* items of a piece that a thread claims */
    struct ls_cpu_job *job; /* guarded by the scheduler's lock; NULL: one thread runs all items */
    uint32_t n_wanted;      /* threads for it */
    uint32_t n_wakes;       /* of these, so many may be woken for it */
    uint32_t n_runners;     /* of a graph; guarded by the scheduler's lock */
    bool listed;            /* guarded by the scheduler's lock */
    uint8_t crowd;          /* enum ls_crowd_plan */
    atomic_int err;         /* first failure */
    void *coop;             /* NULL or coop_room */
    uint64_t coop_room[7];
    struct ls_cpu_sched *sched; /* this and the next two: only of parts of a graph */
    struct ls_work *graph;
    uint32_t part;
    _Atomic size_t text_bytes; /* bytes of the device's printf_bytes that this kernel has used */
    struct ls_form_class *form_class; /* NULL: there is nothing to try */
    _Atomic uint64_t form_ticks;      /* of all blocks together, as far as they were timed */
    uint32_t form;                    /* LS_CPU_PAST or 0 */
    union { /* for the checkers, or NULL: of a graph its plan */
        struct ls_check_launch *launch;
        struct ls_check_plan *plan;
    };
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
    uint64_t make_ticks;          /* what making code took the last time; 0: not known */
    uint64_t wish;                /* distinct_wish of all its codes */
} __attribute__((may_alias));
_Static_assert(sizeof(struct ls_cpu_source) <= LS_SOURCE_ROOM, "no room");

static inline struct ls_cpu_source *
ls_cpu_source_of(struct ls_kernel_source *source)
{
    return (struct ls_cpu_source *)(void *)source->priv[LS_DEVICE_cpu];
}

#define LS_PARTS_PER_LINE 7u
#define LS_MAX_LENT       32u /* seats beyond the CPUs, as some threads only wait */
#define LS_MAX_UNITS      0x7fffffffu
#define LS_MAX_JOBS       4096u

struct ls_cpu_line {
    /* Units that are not claimed (job.c). */
    _Alignas(128) _Atomic uint64_t part[LS_PARTS_PER_LINE];
    _Atomic uint64_t n_left; /* units of these parts that have not ended */
};

/* The items of a work that several threads run (job.c). It is never freed, and its memory is only
 * ever a job: a thread may look at it late. */
struct ls_cpu_job {
    /* Who has claimed something may read these: */
    struct ls_work *work; /* borrowed */
    uint64_t unit;        /* items of a unit; the last one may have fewer */
    atomic_uint n_units;
    uint32_t index; /* in the scheduler's jobs; never changes, as the next two */
    bool in_order;  /* one unit after the other, by whoever comes */
    uint32_t max_parts;
    struct ls_cpu_job *next_free; /* guarded by the scheduler's lock */
    atomic_uint n_parts, per_line, least, most;
    atomic_bool is_open; /* the work is listed, or will be off the list in a moment */
    _Alignas(128) atomic_uint n_lines_left; /* with units that have not ended */
    atomic_uint n_calls;                    /* how often more threads were called for it */
    struct ls_cpu_line lines[];
};

struct ls_cpu_piece {
    uint64_t first, count; /* items */
    uint32_t line, n_units;
    bool astray; /* of another thread's part, which nobody holds any more: who claimed it must see
                    that somebody comes for the rest */
};

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
    uint64_t distinct; /* and arguments of which this is known (ls_launch_distinct) */
    const struct ls_cpu_kernel *kernel;
    const struct ls_cpu_kernel *_Atomic plain; /* the same, which tells a review nothing; or NULL */
    void *dl; /* owned handle of dlopen; NULL: another entry's code, for this shape, too */
    int fd;   /* descriptor of a file without a name, which stays open, as dlopen knows it by this
                 number; or -1 */
    _Atomic uint64_t ticks_per_block; /* recent estimate, in units of the time stamp counter */
    /* Of code that serves more shapes than this one: how long it has run for it, and from when on
     * it should have had its own. 0: never. */
    _Atomic uint64_t spent_ticks, price_ticks;
    struct ls_crowd crowd;
    struct ls_forms forms;            /* guarded by a lock of work.c */
    bool has_key;                     /* it is in the cache; this and key: set once, as forms */
    struct ls_cache_key key;
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

#define LS_GLANCES 8u

/* When threads have looked whether the handlers of faults are ours. */
struct ls_looks {
    _Atomic uint64_t looked_at; /* time stamp */
    /* The same of SIGSEGV's alone, and of a host thread's signal mask, for the code that was about
     * to run: programs launch a few kernels in turns. */
    struct ls_glance {
        _Atomic uint64_t at;
        _Atomic(const void *) code;
    } glances[LS_GLANCES];
};

struct ls_runner {
    struct ls_cpu_sched *sched;
    struct ls_runner *next_free; /* guarded by sched->lock */
    struct ls_cpu_slot *slot;    /* of a worker, or NULL */
    uint32_t place;       /* which part of a job it begins with; 0: a host thread's */
    uint32_t number;      /* among all runners */
    struct ls_fiber host; /* the thread that uses the runner */
    struct ls_fiber main; /* runs blocks, on `stack` */
    struct ls_stack stack;
    bool is_worker;         /* it belongs to a thread of the device */
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
    struct ls_printf_msg *msgs;                   /* open printf calls */
    struct ls_printf_frame *frames, **frames_end; /* frames of -mprintf-kind=buffered, which are
                                                     printed when the blocks have ended */
    void *altstack;
    bool altstack_installed;
    struct ls_looks looks; /* of a host thread; the workers' are in fault.c */
    struct ls_check_window *windows; /* owned; NULL until something is checked */
    struct ls_review_turns *turns;    /* owned; NULL until something is reviewed */
    struct ls_check_blocks blocks;
    uint64_t serial; /* of the job */
    uint64_t n_yields;
    /* How often the kernel has read the clock: since the last turn of a loop that waits, and in the
     * turn before that. */
    uint32_t n_looks, looks_per_wait;
    uint64_t delay_since_ns; /* 0: not yet known */
    uint64_t spin_since_ns;  /* since when kernels of this runner have polled while no block ended
                                anywhere */
    unsigned long spin_progress; /* the count of ended blocks at that time */
};

#define LS_LDS_AREA (LS_LDS_PAD + LS_MAX_LDS_BYTES + LS_LDS_PAD)

enum ls_cpu_state {
    LS_RUNS = 0,  /* work that will soon end, or looks for more */
    LS_RUNS_LONG, /* what may take long */
    LS_POLLS,
    LS_SENT_OFF, /* it has polled; a host thread has its seat now */
    LS_NAPS,     /* asleep for a short time, */
    LS_DOZES,    /* for longer, */
    LS_SLEEPS,   /* or until it is called */
    LS_CALLED, /* it was woken, and has not come yet */
};

/* Whether a worker may run on one CPU only, until it is awake. */
enum ls_cpu_sent { LS_NOT_SENT = 0, LS_IS_BEING_SENT, LS_SENT };

/* A worker as the others see it. */
struct ls_cpu_slot {
    _Alignas(128) _Atomic uint64_t bell; /* 0, or a message that it has not seen */
    atomic_uint state;                   /* enum ls_cpu_state; a futex */
    atomic_int cpu;                      /* where it went to sleep, or woke up */
    atomic_int thread;                   /* as the system numbers it; 0 at first */
    atomic_uint sent;                    /* enum ls_cpu_sent */
    /* Who sends it owns them, then the worker itself: where it may run, and where it was sent. */
    cpu_set_t mask, to;
};

struct ls_cpu_sched {
    struct ls_device *dev;
    void (*start)(struct ls_cpu_sched *sched,
                  uint32_t n); /* starts workers until there are n; lock held */
    uint32_t n_threads;        /* that are configured: of as many the device tells */
    uint32_t n_slots;          /* workers that there can be */
    struct ls_cpu_slot *slots; /* owned */
    atomic_bool *places;       /* owned, n_slots: those that are taken */
    struct ls_cpu_job **jobs;  /* owned, LS_MAX_JOBS */
    cpu_set_t *cpus;           /* owned: where workers run; NULL = wherever they like */
    bool is_virtual;           /* the machine */
    bool follows_cpus;         /* n_seats follows what the process may use */
    uint64_t spin_ns;
    size_t stack_bytes;
    _Atomic uint64_t cpus_seen_at; /* time stamp of the last look at them */
    atomic_uint n_seats;           /* threads that may run or poll; changes with the CPUs */
    _Atomic uint32_t n_workers;    /* number of workers that were started; written under lock */
    atomic_bool short_of_threads;  /* some could not be started */
    _Alignas(128) pthread_mutex_t lock;
    struct ls_work *ready_head, *ready_tail; /* guarded by lock: oldest first, by priority */
    struct ls_work *coop_head; /* guarded by lock: grids that wait until coop_running is false */
    bool coop_running;         /* guarded by lock: a grid whose blocks are all alive */
    uint32_t n_jobs;           /* guarded by lock, as the next two */
    struct ls_cpu_job *free_jobs[2]; /* by in_order */
    struct ls_runner *free_runners;
    _Alignas(128) atomic_uint n_ready; /* listed works, but for jobs that were closed */
    _Alignas(128) atomic_uint taken;   /* seats: by workers, and by hosts in the upper half */
    atomic_uint n_lent;                /* seats beyond n_seats, as some only wait */
    atomic_uint n_called;              /* workers that were woken and have not come yet */
    _Alignas(128) _Atomic uint64_t submitted_at; /* time stamp of the last work of a host thread */
    atomic_bool host_came;              /* to wait for something, since then */
    atomic_bool host_stays_away;        /* it had not come for long when it submitted again */
    atomic_int host_cpu;                /* where a host thread runs work, or did; -1 */
    _Atomic uint64_t row_at, row_ticks; /* the last of a row of short works, and all of them */
    /* Host functions */
    pthread_cond_t host_cond;
    struct ls_work *host_head, *host_tail; /* guarded by lock */
    bool host_started;                     /* guarded by lock */
};

/* machine.c */
/* Size of the last cache that this machine's cores share. (sysconf may add up those of a whole
 * socket.) */
size_t ls_cpu_last_cache_bytes(void);
bool ls_cpu_is_virtual(void); /* whether this is a virtual machine */
void ls_futex_wait(atomic_uint *word, unsigned value, uint64_t ns); /* ns 0: without a limit */
void ls_futex_wake(atomic_uint *word, int n);
/* How many CPUs a thread (0: the caller) may use: those of its mask, or fewer by a limit on the
 * time of the process's control group. 0: nobody knows. */
uint32_t ls_cpu_count_cpus(pid_t thread);
/* The same limit alone, of a group and those above it, below `root`, by the text of
 * /proc/self/cgroup: processors, rounded up; 0: none. */
uint32_t ls_cpu_quota(const char *root, const char *groups);

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
/* n blocks took a thread so long; `came`: it was one of several, which takes time, too. */
void ls_cpu_note_speed(struct ls_code *code, uint64_t ticks, uint64_t n, bool came);
void ls_cpu_note_spent(struct ls_code *code, uint64_t ticks); /* all that a thread has run */
/* How long a work will take on one thread, roughly. */
uint64_t ls_cpu_expected_ticks(const struct ls_work *work);
/* How many threads are wanted for work of so many ticks; and how many of them may be woken. */
uint32_t ls_cpu_wanted(const struct ls_cpu_sched *sched, uint64_t ticks);
uint32_t ls_cpu_wakes(uint64_t ticks);
/* Sets the number of items and how many threads are wanted. */
void ls_cpu_divide(struct ls_cpu_sched *sched, struct ls_work *work);
/* How long a kernel's blocks have taken, of all its launch: what its next launches are like depends
 * on it. Called when the work has ended. */
void ls_cpu_note_form(struct ls_work *work);
/* Code that is in the cache: other processes may have found out about its forms. */
void ls_cpu_recall_forms(struct ls_code *code, const struct ls_cache_key *key, const char *kernel);
#define LS_BUSY_TICKS 40000u /* work expected to take longer is worth waking threads for */

/* job.c */
/* max_parts is 1 for jobs in order. NULL when out of memory. */
struct ls_cpu_job *ls_job_create(uint32_t index, bool in_order, uint32_t max_parts);
/* Deals the work's items out to n_parts threads. */
void ls_job_deal(struct ls_cpu_job *job, struct ls_work *work, uint32_t n_parts);
/* Claims a piece of at most `most` units, of the part of this place if something is left there;
 * LS_JOB_ALL: as much as one part has left, which only who has claimed something may ask for.
 * False: nothing is left to the caller, who may have claimed the last of its own part only. The
 * work does not end before ls_job_ended was called for all that was claimed. */
#define LS_JOB_ALL 0u
uint32_t ls_job_first(struct ls_cpu_job *job); /* units of the first piece of a thread */
bool ls_job_claim(struct ls_cpu_job *job, uint32_t place, uint32_t most,
                  struct ls_cpu_piece *piece);
uint64_t ls_job_unclaimed(struct ls_cpu_job *job); /* units */
/* Whether others than those who are at work on it have nothing to claim. */
bool ls_job_is_dealt(struct ls_cpu_job *job);
/* The thread of this place, which has claimed something, comes no more. True: somebody else must
 * come, for something that was left to it. */
bool ls_job_let_go(struct ls_cpu_job *job, uint32_t place);
/* So many units of a line have ended. True: they were the last, and the job is the caller's. Else
 * it must not be touched any more, if all that the caller had claimed has ended. */
bool ls_job_ended(struct ls_cpu_job *job, uint32_t line, uint32_t n_units);

/* crew.c */
/* Whether the caller is one of the device's threads, which will look for more work. A host thread
 * that helps may not. */
bool ls_cpu_is_own_worker(const struct ls_cpu_sched *sched);
/* Takes a seat, if one is free; a host thread also gets that of a worker that polls. */
bool ls_crew_sit(struct ls_cpu_sched *sched, bool host);
/* Gives it back. Works may be listed that nobody will look for: the caller looks. */
void ls_crew_rise(struct ls_cpu_sched *sched, bool host);
/* A worker's place: the first that no other worker has, from 1 on. `place`: that which it has
 * already, or 0. So one that helps a host thread, whose place is 0, always has the same, and finds
 * in its caches what it left there. */
uint32_t ls_crew_take_place(struct ls_cpu_sched *sched, uint32_t place);
void ls_crew_leave_place(struct ls_cpu_sched *sched, uint32_t place);
/* In a virtual machine the system may leave two threads on one CPU for long, beside one that is
 * idle but looks taken to it. The caller runs work that takes a while: a worker where a host thread
 * runs work, too, goes elsewhere. */
void ls_crew_spread(struct ls_cpu_sched *sched, const struct ls_runner *runner);
bool ls_crew_is_crowded(struct ls_cpu_sched *sched); /* more seats are taken than there are */
/* Calls n workers to a job, or (NULL) to the list; at most n_wakes that sleep. `host_comes`: a seat
 * is kept for a host thread that has just submitted work. Returns whether somebody was called. */
bool ls_crew_call(struct ls_cpu_sched *sched, const struct ls_cpu_job *job, uint32_t n,
                  uint32_t n_wakes, bool host_comes);
void ls_crew_call_one(struct ls_cpu_sched *sched); /* any worker, to the list */
/* Makes sure that some worker will look at the list soon. `called`: somebody was called. */
void ls_crew_watch(struct ls_cpu_sched *sched, bool called);
/* Called when a kernel waits for others: lets one more thread run. */
void ls_crew_lend(struct ls_cpu_sched *sched);
/* For a worker: it has no seat, and sleeps until it is rung; ns 0: without a limit. */
void ls_crew_sleep(struct ls_cpu_sched *sched, struct ls_cpu_slot *slot, uint64_t ns);
/* What a message says: the job, or NULL; and whom to ring in turn. */
struct ls_cpu_job *ls_crew_job(struct ls_cpu_sched *sched, uint64_t message);
void ls_crew_pass_on(struct ls_cpu_sched *sched, uint64_t message);

/* ready.c: add, remove and pick with the lock held */
void ls_ready_add(struct ls_cpu_sched *sched, struct ls_work *work);
void ls_ready_remove(struct ls_cpu_sched *sched, struct ls_work *work);
/* Work with items left, which moves behind its equals so that the next thread takes another. A grid
 * whose blocks must all be alive stays: several of them, each with some of the threads, would wait
 * for ever. `helper`: a host thread. */
struct ls_work *ls_ready_pick(struct ls_cpu_sched *sched, bool helper);
/* Lists work that is divided, and calls the threads that are wanted for it. */
void ls_cpu_enter(struct ls_cpu_sched *sched, struct ls_work *work);
void ls_ready_list(struct ls_cpu_sched *sched, struct ls_work *work); /* lock held */
/* The work of a job that some have claimed something of: is listed again, or listed no more. */
void ls_ready_open(struct ls_cpu_sched *sched, struct ls_cpu_job *job);
void ls_ready_close(struct ls_cpu_sched *sched, struct ls_cpu_job *job);
/* The caller found nothing more to claim: it is listed no more, if others would not either. */
void ls_ready_close_dealt(struct ls_cpu_sched *sched, struct ls_cpu_job *job);
/* Nothing could be claimed of this job, which may be that of another work by now. */
void ls_ready_close_claimed(struct ls_cpu_sched *sched, struct ls_cpu_job *job);
/* All of it has ended: the job is free. */
void ls_ready_end(struct ls_cpu_sched *sched, struct ls_cpu_job *job);

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
 * `idled`: the thread has just begun to run. It has a seat. */
bool ls_sched_run(struct ls_cpu_sched *sched, struct ls_runner *runner, bool helper,
                  struct ls_help *help, bool idled);

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
void ls_poll_note_progress(const struct ls_runner *runner); /* called when blocks have ended */
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
/* The next look is not left out. */
void ls_fault_forget_looks(struct ls_runner *runner);
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

/* check.c: prepares for code with checks, if there is any */
void ls_cpu_check_begin(struct ls_runner *runner, struct ls_cpu_ctx *ctx);
/* The kernel ends, as what a warp waits for does not come: r->fault says what. */
void ls_cpu_check_stuck(struct ls_runner *r, const struct ls_cpu_ctx *ctx);
/* A kernel ends by r->fault; `what`: which that is. */
void ls_cpu_check_fault(struct ls_runner *r, const struct ls_cpu_ctx *ctx, const char *what);
/* Only while something is checked: a work is about to run, by itself or as part of a graph; a graph
 * is; either has ended. */
void ls_cpu_check_work(struct ls_work *work, const struct ls_work *graph);
void ls_cpu_check_graph(struct ls_work *work);
void ls_cpu_check_worked(struct ls_work *work);
void ls_cpu_row(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, uint64_t first,
                uint64_t mask, uint32_t lanes);
void ls_cpu_access(struct ls_cpu_ctx *ctx, const struct ls_check_site *site,
                   const uint64_t *places, uint64_t mask);

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
                           const uint32_t block[3], uint64_t distinct, struct ls_code **code);
void ls_cpu_release_kernel(struct ls_device *dev, struct ls_kernel_source *source);

/* key.c: what the cache calls a kernel's code */
void ls_cpu_code_key(const struct ls_kernel_source *source, const struct ls_compile_options *opt,
                     struct ls_cache_key *key);

/* ahead.c: kernels compiled before they are launched. None of these waits but _take. */
/* A kernel of a module has to be made, as the options say: others of the module may follow. */
void ls_cpu_ahead_note(const struct ls_kernel_source *source, const struct ls_compile_options *opt);
/* Has some of the next ones made. */
void ls_cpu_ahead_go(struct ls_kernel_source *source, const struct ls_compile_options *opt);
/* Waits for code if it is being made. */
bool ls_cpu_ahead_take(const struct ls_cache_key *key, void **elf, size_t *bytes);
/* Whether code that is in the cache was made ahead. True but once for each. */
bool ls_cpu_ahead_was(const struct ls_cache_key *key);

#endif
