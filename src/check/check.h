/* SPDX-License-Identifier: MIT */
/* Checkers: what kernels do to memory, looked at while they run on the CPU. Code made with checks
 * (base/check_site.h) tells of accesses; this room knows which are right, and writes down those
 * that aren't. It knows nothing of devices and the runtime but what they tell it. Thread-safe. */
#ifndef LS_CHECK_CHECK_H
#define LS_CHECK_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check_site.h"

/* Bits of what LOCKSTEP_CHECK says, and LS_CHECK_ASKED once it was read. */
extern _Atomic unsigned ls_check_wanted;
#define LS_CHECK_ASKED 0x40000000u
unsigned ls_check_ask(void);

/* What is on, by LOCKSTEP_CHECK: bits LS_CHECK_... for the code, 0 = nothing is. Does not change
 * once it was asked. */
static inline unsigned
ls_checks(void)
{
    /* relaxed: all threads find the same */
    unsigned wanted = atomic_load_explicit(&ls_check_wanted, memory_order_relaxed);

    return (wanted ? wanted : ls_check_ask()) &
           ~(LS_CHECK_LEAKS | LS_CHECK_API | LS_CHECK_HOST | LS_CHECK_ASKED);
}

/* What the host does to memory that the device uses at the time is looked at. */
static inline bool
ls_check_wants_host(void)
{
    unsigned wanted = atomic_load_explicit(&ls_check_wanted, memory_order_relaxed); /* as above */

    return (wanted ? wanted : ls_check_ask()) & LS_CHECK_HOST;
}

/* Memory that is never freed is a finding, too. */
bool ls_check_wants_leaks(void);
/* API calls that fail are, too. */
bool ls_check_wants_api(void);

/* A part of memory that kernels may touch. */
struct ls_check_range {
    uint64_t base, bytes;
    bool is_read_only;
    bool is_hosts; /* the host may write there at any time */
};

#define LS_CHECK_TEXT 1024u

/* What this room asks of who keeps memory; all may be called from any thread that runs kernels. */
struct ls_check_memory {
    /* Finds what holds an address. */
    bool (*find)(uint64_t at, struct ls_check_range *range);
    /* Says in words what lies there or nearby, one thing a line, and a word for what is wrong with
     * it: "out-of-bounds", "use-after-free", "host-pointer" (static text). */
    const char *(*explain)(uint64_t at, char text[LS_CHECK_TEXT]);
};
/* Before the first kernel runs. */
void ls_check_begin(const struct ls_check_memory *memory);

/* Memory besides: what kernels get by malloc or print to, and a module's variables one by one
 * (memory of the map in which they lie counts as nothing). what: up to 63 characters of it
 * are kept. */
void ls_check_allow(const void *base, size_t bytes, const char *what);
void ls_check_allow_reads(const void *base, size_t bytes, const char *what);
void ls_check_forbid(const void *base);
enum { LS_CHECK_GAP = 256 }; /* bytes between them that belong to nobody */

/* ---- Launches ---- */

/* What happens before something that a stream does. */
struct ls_check_clock;
/* *to: NULL, or owned. Both know what each of them knew; `from` may be NULL, as in the next one. */
void ls_check_clock_join(struct ls_check_clock **to, const struct ls_check_clock *from);
void ls_check_clock_set(struct ls_check_clock **to, const struct ls_check_clock *from);
void ls_check_clock_drop(struct ls_check_clock **clock);
/* The program makes a stream. */
void ls_check_stream_made(void);
/* A stream does something more, which has this clock; and it ends. */
void ls_check_clock_step(struct ls_check_clock **stream);
void ls_check_clock_end(struct ls_check_clock **stream);
/* From now on nobody knows what is ordered: a stream waits for what can't be seen. */
void ls_check_clock_blind(struct ls_check_clock **clock);
/* Finds memory that the host has, too, and that lies in pages of its own. */
bool ls_check_find_hosts(const void *at, struct ls_check_range *range);
/* The host has read or written a byte, by an instruction of its own. frames: the stack, from that
 * instruction on. */
void ls_check_host_touched(const void *at, bool is_write, void *const *frames, int n);
/* The host knows that it has happened. */
void ls_check_host_saw(const struct ls_check_clock *clock);
/* Of the copy that this thread makes at once; NULL: of none. */
extern _Thread_local const struct ls_check_clock *ls_check_copy_clock;
/* Whether anybody looks at clocks. */
static inline bool
ls_check_orders(void)
{
    return ls_checks() & LS_CHECK_RACE;
}

/* The order of a graph's works, as in ls_work_graph. NULL: out of memory, or too many. */
struct ls_check_plan;
struct ls_check_plan *ls_check_plan_make(uint32_t n, const uint32_t *n_deps,
                                         const uint32_t *first_edge, const uint32_t *edges);
void ls_check_plan_unref(struct ls_check_plan *plan);

/* A kernel, copy or fill. */
struct ls_check_reach {
    uint64_t at;
    uint32_t uses;
};
enum { LS_CHECK_READS = 1, LS_CHECK_WRITES = 2, LS_CHECK_CHANGES = 4, /* atomically */
       LS_CHECK_OWNS = 8 /* each thread reads and writes elements of its own */ };
struct ls_check_work {
    const char *name; /* a copy of it is kept */
    bool is_kernel, is_host; /* is_host: `name` says where in the host's code */
    uint32_t grid[3], block[3], width;
    uint64_t n_blocks, lds_bytes; /* lds_bytes: that the launch asks for, besides the code */
    /* Of a kernel: where pointers point that it gets and what it does by them, and by those from
     * elsewhere (LS_CHECK_READS...). elsewhere: all of them, if nobody knows. */
    const struct ls_check_reach *reach;
    uint32_t n_reach, elsewhere;
    bool hands_on; /* a kernel whose blocks may hand on to each other what they did, by atomics */
    const struct ls_check_clock *clock; /* NULL: nobody knows what it is ordered with */
    struct ls_check_plan *plan;         /* of the graph that it is in, as number `node`; or NULL */
    uint32_t node;
};
struct ls_check_launch;
/* It is about to run; NULL: nobody needs to know, or out of memory. */
struct ls_check_launch *ls_check_launch_begin(const struct ls_check_work *work);
/* It has ended; NULL: nothing is done. */
void ls_check_launch_end(struct ls_check_launch *launch);

/* A copy or fill reads or writes memory. launch: NULL, none is known. */
void ls_check_moved(struct ls_check_launch *launch, const void *to, const void *from, size_t bytes);

/* State of blocks: of who runs them one after the other, zero at first. */
struct ls_check_blocks {
    struct ls_check_block *first;
    struct ls_check_party *party;
    struct ls_check_lanes *lanes;
    struct ls_check_needs *needs;
};
void ls_check_blocks_fini(struct ls_check_blocks *all);
/* Blocks that ran have ended. */
void ls_check_blocks_settle(struct ls_check_blocks *all);

/* A warp of a kernel that runs. */
struct ls_check_warp {
    const char *kernel;
    uint32_t block[3], block_id[3];
    uint32_t first_thread; /* of lane 0 */
    /* Memory of its own */
    uint64_t lds, lds_bytes, stack_lo, stack_hi, kernarg, kernarg_bytes;
    uint32_t lds_pad; /* bytes in front of and behind lds that it may spoil */
    uint32_t width;   /* lanes */
    /* Which block this is, among all that run where `blocks` belongs to. */
    uint64_t serial, block_number;
    const void *grid; /* of a cooperative launch: what no other one is while it runs; or NULL */
    struct ls_check_blocks *blocks;
    struct ls_check_launch *launch; /* or NULL */
};

/* All blocks of a cooperative launch have ended. */
void ls_check_grid_end(const void *grid);

/* An access is about to be made by the lanes in `mask`; places: of all lanes, as site->space says.
 * False: the kernel should end, as it would write where only the host may. */
bool ls_check_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                     const uint64_t *places, uint64_t mask, struct ls_check_window *windows);

/* Lanes call what is no function of the program; the kernel ends. */
void ls_check_call(const struct ls_check_warp *warp, const struct ls_check_site *site,
                   uint64_t target, uint64_t mask);
/* The kernel ends by a fault; by_access: an access that was reported may have been the cause. */
void ls_check_fault(const struct ls_check_warp *warp, const char *kind, const char *message,
                    bool by_access);
/* The kernel ends, as what the warp waits for does not come. */
void ls_check_stuck(const struct ls_check_warp *warp, bool at_barrier);
/* The same of the lanes of a row (LS_CHECK_ROW), of which the first one goes to `first`. False:
 * this is no simple case, and nothing was done. */
bool ls_check_row(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
                  uint64_t first, uint64_t mask, uint32_t lanes, struct ls_check_window *windows);
/* The same of lanes that go anywhere, as ls_check_access is told. */
bool ls_check_spread(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
                     const uint64_t *places, uint64_t mask, struct ls_check_window *windows);
/* A warp comes to a barrier or fence. */
void ls_check_pass(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site);
/* Before either: the state of the warp's block; NULL: no memory. */
struct ls_check_block *ls_check_enter(const struct ls_check_warp *warp);
/* A state becomes that of another block of the same work, in shared memory at `lds`. False: more
 * must be known for that, and nothing was done. */
bool ls_check_step(struct ls_check_block *b, uint64_t lds, uint64_t number);
/* What the code may look at of it, which is its first part; and back. */
static inline struct ls_check_quick *
ls_check_quick(struct ls_check_block *b)
{
    return (struct ls_check_quick *)b;
}

static inline struct ls_check_block *
ls_check_quick_block(struct ls_check_quick *quick)
{
    return (struct ls_check_block *)quick;
}

/* The bytes that say what of the block's shared memory was written; NULL: there are none. */
char *ls_check_shared_written(const struct ls_check_block *b);
/* Whether all of it was; false where nobody looks. */
bool ls_check_shared_is_full(struct ls_check_block *b);

/* ---- What memory holds ---- */

uint64_t ls_check_arena_at(void);
/* Addresses that all memory of devices should have; NULL: any. To be called once. */
void *ls_check_arena(size_t *bytes);
/* Memory was given out. Nothing of it was written, or all as far as we know: the host can. */
void ls_check_memory_is_new(const void *base, size_t bytes, bool is_written);
/* The device itself has written or copied, as the host or a stream wanted. */
void ls_check_wrote(const void *to, size_t bytes);
void ls_check_copied(const void *to, const void *from, size_t bytes);

/* ---- Findings ---- */

struct ls_check_finding {
    const char *check;   /* "memory" */
    const char *kind;    /* "out-of-bounds" */
    const char *message; /* one line: what is wrong */
    const char *trace;   /* as in a site; or NULL */
    const char *where;   /* kernel, block and thread; or NULL */
    const char *notes;   /* more lines, or NULL */
    const char *key; /* without a trace: what tells it from others of its kind; NULL: the notes */
};
/* Reports what was not reported before, of the same kind at the same place in the source; counts
 * the rest. */
void ls_check_report(const struct ls_check_finding *finding);
/* At the end of the process: how often each was found. */
void ls_check_end(void);

/* The caller's stack as lines of "function (file+0xoffset)", malloc'ed; NULL: no memory. Offsets
 * are of the calls, as addr2line wants them. */
char *ls_check_stack(void);

/* A mangled name in plain form, cut off where there is no room. */
void ls_check_name(const char *name, char *to, size_t bytes);

#endif
