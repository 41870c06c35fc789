/* SPDX-License-Identifier: MIT */
/* Inside the checkers. */
#ifndef LS_CHECK_PRIV_H
#define LS_CHECK_PRIV_H

#include <stdatomic.h>

#include "check/check.h"

/* ---- check.c ---- */

extern struct ls_check_memory ls_check_memory;

bool ls_check_find_extra(uint64_t at, struct ls_check_range *range);
/* Says what lies at an address or nearby, as ls_check_memory.explain. */
const char *ls_check_explain(uint64_t at, char text[LS_CHECK_TEXT]);

/* The first function of a stack that there is something to say of, as in ls_check_stack. */
void ls_check_first_frame(void *const *frames, int n, char *to, size_t bytes);

/* ---- suppress.c ---- */

/* Whether LOCKSTEP_CHECK_SUPPRESSIONS names it. */
bool ls_check_is_suppressed(const struct ls_check_finding *finding);

/* ---- names.c ---- */

/* As ls_check_name, of a variable: without the function or namespace that it belongs to. */
void ls_check_variable_name(const char *name, char *to, size_t bytes);
/* "byte 4 of part": a place in shared memory that an access goes to; returns the length. */
int ls_check_say_shared(const struct ls_check_site *site, uint64_t offset, char *to, size_t bytes);

/* ---- finding.c ---- */

/* Reports what lanes of a warp do at a site; `bad`: which. */
void ls_check_report_at(const struct ls_check_warp *warp, const struct ls_check_site *site,
                        const char *check, const char *kind, const char *message, const char *notes,
                        uint64_t bad);
/* The process ends: tells how often each finding was seen. */
void ls_check_counts_end(void);
/* Tells lscheck that this process checks its kernels. */
void ls_check_record_start(void);
/* "read", "write", "atomic operation" */
const char *ls_check_verb(const struct ls_check_site *site);
/* "4-byte read", "write"; in `text`. */
const char *ls_check_words(const struct ls_check_site *site, char text[64]);
/* A trace in words, a frame a line, as far as there is room. */
void ls_check_say_trace(const char *trace, char *to, size_t bytes);

/* ---- arena.c ---- */

enum { LS_CHECK_WRITTEN = 1, LS_CHECK_TOUCHED, LS_CHECK_PARTS }; /* what lies behind it */
extern char *ls_check_arena_base; /* set once, before memory is given out; NULL: there is none */

/* The distance of memory from the start of the arena; false: it is not of it, or not all. */
static inline bool
ls_check_arena_offset(const void *at, size_t bytes, uint64_t *offset)
{
    *offset = (uint64_t)((uintptr_t)at - (uintptr_t)ls_check_arena_base);
    return ls_check_arena_base && *offset < LS_CHECK_ARENA_BYTES &&
           bytes <= LS_CHECK_ARENA_BYTES - *offset;
}

/* ---- launch.c: the launches of kernels, and copies and fills, which are as kernels of one block.
 * Each block of a launch has a number of its own, its run. ---- */

enum { LS_CHECK_CLOCK_LANES = 64 };

struct ls_check_clock {
    uint32_t at[LS_CHECK_CLOCK_LANES];
    uint8_t lane; /* the stream's */
    bool has_lane, is_blind;
};

struct ls_check_plan {
    atomic_uint n_refs;
    uint32_t n, words;
    uint64_t *before;    /* owned: for each work a bit for each that happens before it */
    uint64_t first_base; /* the run of the first of its works that began; 0: none has */
};

#define LS_CHECK_MOST_RUN (((uint64_t)1 << 40) - 1)

struct ls_check_launch {
    char *name; /* owned */
    uint64_t number, n_blocks;
    uint32_t grid[3], block[3], width;
    bool is_kernel, is_host, has_ended, hands_on;
    uint64_t first_base; /* the run of its first block */
    uint64_t floor;      /* all runs below it have happened before */
    uint64_t base;       /* the same since the last sync of the grid */
    uint32_t phase;      /* syncs of its grid */
    uint32_t n_spans;
    struct ls_check_clock clock;
    struct ls_check_plan *plan; /* a reference; NULL: it is no part of a graph */
    uint32_t node;
    uint64_t lds_bytes, began_ns; /* of a review */
    /* What its kernel does to memory of which it is known; is_alone: nothing else can run beside
     * it. */
    bool is_alone;
    uint32_t n_reach, elsewhere;
    struct ls_check_reach *reach; /* owned: as in ls_check_work */
};

/* The run of the first block after so many syncs of the grid. */
uint64_t ls_check_launch_base(struct ls_check_launch *launch, uint32_t phase);

/* A block that ran. */
struct ls_check_ran {
    struct ls_check_launch launch; /* but for its name */
    char name[256];
    uint64_t block;
};
/* False: it is too long ago. */
bool ls_check_launch_of(uint64_t run, struct ls_check_ran *ran);
/* Whether all of another launch has happened before this one; *base, *n: its runs. */
bool ls_check_launch_before(const struct ls_check_launch *now, uint64_t run, uint64_t *base,
                            uint64_t *n);

/* ---- free.c: memory of which no two accesses of a launch can race ---- */

struct ls_check_block;
/* Whether an access of the block's launch races with nothing at all, as it goes to such memory and
 * nothing runs beside the launch. If also all that lies around it was written, as far as anybody
 * looks for that, it goes to the site's second window. */
bool ls_check_is_free(struct ls_check_block *b, const struct ls_check_site *site, uint64_t at,
                      uint64_t bytes, struct ls_check_window *windows);

/* ---- clock.c ---- */

/* Whether the null stream of one device does all there is to do. */
bool ls_check_is_one_stream(void);

/* ---- sites.c: numbers for sites, which outlive their code ---- */

/* 0: no memory for it, or too many. */
uint16_t ls_check_site_number(const struct ls_check_site *site);
/* NULL for 0. */
const struct ls_check_site *ls_check_site_of(uint16_t number);

/* ---- lines.c: who touched memory ---- */

/* 128 bytes of memory that are looked at together. An entry says that a warp touched some of it at
 * a time. who, from the lowest bit: 40 run, 5 warp, 2 kind, 1 narrow, 3 unit, 1 in a row, 6 lane, 6
 * upper bits of the time; what: 32 mask, 16 site, 16 of the time. The mask is of 4-byte words of
 * the line (unit 0), or of bytes of its quarter unit - 4. */
struct ls_check_entry {
    uint64_t who, what;
};

#define LS_ENTRY_RUN      LS_CHECK_MOST_RUN
#define LS_ENTRY_WARP     40
#define LS_ENTRY_KIND     45
#define LS_ENTRY_NARROW   ((uint64_t)1 << 47)
#define LS_ENTRY_UNIT     48
#define LS_ENTRY_IN_A_ROW ((uint64_t)1 << 51)
#define LS_ENTRY_LANE     52
#define LS_ENTRY_TIME     58
#define LS_ENTRY_MASK     0xffffffffu
#define LS_ENTRY_SITE     32
#define LS_ENTRY_TIME_LOW 48
#define LS_MOST_TIME      ((1u << 22) - 1)

enum ls_entry_kind {
    LS_ENTRY_ATOMIC_READ = 0,
    LS_ENTRY_READ,
    LS_ENTRY_ATOMIC, /* write */
    LS_ENTRY_WRITE,
};

static inline enum ls_entry_kind
ls_entry_kind(const struct ls_check_entry *e)
{
    return (enum ls_entry_kind)(e->who >> LS_ENTRY_KIND & 3);
}

static inline unsigned
ls_entry_warp(const struct ls_check_entry *e)
{
    return (unsigned)(e->who >> LS_ENTRY_WARP & 31);
}

static inline uint32_t
ls_entry_time(const struct ls_check_entry *e)
{
    return (uint32_t)(e->who >> LS_ENTRY_TIME << 16 | e->what >> LS_ENTRY_TIME_LOW);
}

enum {
    LS_LINE_BYTES = LS_CHECK_LINE_BYTES,
    LS_LINE_ENTRIES = 7,
    LS_LINE_MORE = 32,
};

/* In shared memory the entries are of the run that touched the line last, and nobody locks it: one
 * thread of the host runs the block. */
struct ls_check_line {
    _Atomic uint8_t lock;
    uint8_t n, next; /* entries; which of them to give up next */
    uint32_t more;   /* where more entries are; 0: nowhere */
    /* Words that warps read which no other one's write can be in order with (check_site.h); none
     * that was written since. */
    _Atomic uint64_t readers;
    struct ls_check_entry entries[LS_LINE_ENTRIES];
};

/* What was done to a line of shared memory since a barrier, in short: words, and by which warp;
 * LS_BRIEF_MANY: by several, or not by whole words. It holds while barriers alone order the block.
 */
struct ls_check_brief {
    uint32_t when; /* the block's lds_reading and the barriers passed */
    uint32_t read, written, atomic;
    uint32_t crowded; /* words that two warps or more went to by atomic operations */
    uint8_t reader, writer;
};
enum { LS_BRIEF_MANY = 255 };

typedef struct ls_check_entry ls_check_more_entries[LS_LINE_MORE];
extern ls_check_more_entries *ls_check_mores;

/* Room for a line's further entries; 0: there is no more. */
uint32_t ls_check_get_more(void);

static inline struct ls_check_entry *
ls_check_line_entry(struct ls_check_line *l, unsigned i)
{
    return i < LS_LINE_ENTRIES ? &l->entries[i] : &ls_check_mores[l->more][i - LS_LINE_ENTRIES];
}

/* The line about an address outside of shared memory; NULL: no memory. */
struct ls_check_line *ls_check_line_of(uint64_t address);
/* Nobody has touched it. */
void ls_check_lines_clear(const void *base, size_t bytes);

/* Whether two accesses are stores at the same place in the source, which may be of the same value.
 */
static inline bool
ls_check_may_be_same(const struct ls_check_entry *a, const struct ls_check_entry *b)
{
    return ls_entry_kind(a) == LS_ENTRY_WRITE && ls_entry_kind(b) == LS_ENTRY_WRITE &&
           (a->what >> LS_ENTRY_SITE & 0xffff) == (b->what >> LS_ENTRY_SITE & 0xffff);
}

/* What a mask of one unit is in another one; of words those that have bytes in it, or all. */
uint32_t ls_check_in_other_unit(uint32_t mask, unsigned from, unsigned to, bool whole);

/* Kinds, as bits: whatever may be in a race with an access of such may be in one with one of this
 * kind. */
static inline unsigned
ls_check_stand_for_kinds(enum ls_entry_kind kind)
{
    const unsigned by_kind =
        1u << LS_ENTRY_ATOMIC_READ |
        (1u << LS_ENTRY_READ | 1u << LS_ENTRY_ATOMIC_READ) << 4 * LS_ENTRY_READ |
        (1u << LS_ENTRY_ATOMIC | 1u << LS_ENTRY_ATOMIC_READ) << 4 * LS_ENTRY_ATOMIC |
        15u << 4 * LS_ENTRY_WRITE;

    return by_kind >> 4 * kind & 15;
}

/* Whether whatever may be in a race with `old` may be in one with `now`, too. */
static inline bool
ls_check_stands_for(const struct ls_check_entry *now, const struct ls_check_entry *old)
{
    return ls_check_stand_for_kinds(ls_entry_kind(now)) >> ls_entry_kind(old) & 1 &&
           (ls_entry_kind(now) == LS_ENTRY_WRITE || !(old->who & ~now->who & LS_ENTRY_NARROW));
}

static inline bool
ls_check_do_conflict(const struct ls_check_entry *a, const struct ls_check_entry *b)
{
    enum ls_entry_kind k = ls_entry_kind(a), m = ls_entry_kind(b);

    if (k < LS_ENTRY_ATOMIC && m < LS_ENTRY_ATOMIC)
        return false; /* reads */
    if (k & 1 || m & 1)
        return true;
    return (a->who | b->who) & LS_ENTRY_NARROW && (a->who ^ b->who) & LS_ENTRY_RUN;
}

struct ls_check_block;

/* Notes what a warp does to a line. Returns bits of the mask where an earlier access may be at the
 * same time, of which *found is one; 0: there is none. Those
 * that may be stores of the same value count where there is nothing else. */
uint32_t ls_check_touch(struct ls_check_block *b, struct ls_check_line *line,
                        const struct ls_check_entry *now, struct ls_check_entry *found);

/* Makes a block known to others that run beside it, and unknown. */
void ls_check_race_join(struct ls_check_block *b);
void ls_check_race_leave(struct ls_check_block *b);

/* ---- block.c ---- */

enum {
    LS_CHECK_WARPS = LS_CHECK_MOST_WARPS,
    LS_CHECK_SUSPECTS = 32,
    LS_CHECK_SPANS = 4,
    LS_CHECK_RANGES = 16,
    LS_CHECK_SITES = 512,
};

struct ls_check_cell;
struct ls_check_known;

/* What warps of a block hand on by an atomic object. */
struct ls_check_handed {
    uint64_t place; /* its address; 0: a free row */
    uint32_t known[LS_CHECK_WARPS];
};

/* A release by another block, all in front of which has happened. */
struct ls_check_point {
    const struct ls_check_cell *cell;
    bool is_narrow; /* it was acquired for the reader's block alone */
};

struct ls_check_points {
    struct ls_check_point *at; /* owned */
    uint32_t n, cap;
};

/* What is known of a warp, but for the barriers that it has passed. */
struct ls_check_state {
    uint32_t phase;      /* syncs of the grid */
    uint32_t arrived[2]; /* its time at the last two barriers */
    bool joins;          /* it has passed a barrier, and has not learned what that means */
    bool has_released, has_pending, has_released_wide;
    /* By warp: up to when all has happened before its next access (its own: its time), what had
     * before its last fence that releases, and what will have once it has passed one that acquires.
     */
    uint32_t known[LS_CHECK_WARPS], released[LS_CHECK_WARPS], pending[LS_CHECK_WARPS];
    /* The same for other blocks. */
    uint32_t released_wide[LS_CHECK_WARPS];
    uint32_t n_released_points, n_taken; /* n_taken: of the block's pending points */
    bool is_release_narrow;
    struct ls_check_points points, pending_points;
    struct ls_check_known *known_points; /* owned: of points */
    /* Atomic reads, whose answer is not known before they are done. */
    uint32_t n_asked;
    uint8_t asked_flags;
    uint64_t asked[64];
};

/* A write over another one: no race where it writes what is there. */
struct ls_check_suspect {
    const struct ls_check_site *site;
    struct ls_check_entry now, other;
    struct ls_check_warp warp;
    uint64_t line, lanes; /* line: an address, or an offset in shared memory */
    uint32_t bad;         /* of the line, in units of this access */
    unsigned unit;
    unsigned char before[LS_LINE_BYTES];
    bool is_shared;
};

struct ls_check_block {
    struct ls_check_quick quick; /* the first */
    struct ls_check_block *next;
    uint64_t lds, serial, number; /* whose it is */
    uint64_t run;                 /* in the grid's first phase */
    uint64_t lds_bytes;
    unsigned n_warps, warp;      /* the one that runs */
    /* What others wait for (race.c): its run + 1 from when it says that it writes until it has; 0:
     * it has. */
    _Atomic uint64_t writing;
    struct ls_check_warp self;   /* its first warp */
    char *written;               /* owned: a byte for each of shared memory's */
    uint64_t n_written;          /* of these from the start on that are known to be */
    struct ls_check_line *lines; /* owned: of shared memory */
    struct ls_check_brief *briefs; /* owned: of these */
    struct ls_check_launch *launch;
    uint64_t launch_number;
    /* Nothing but barriers orders its warps so far: of `warps` nothing is right but what
     * quick.passed says. */
    bool is_simple;
    uint64_t base, n_runs; /* of the launch, in the phase of the warp that runs */
    uint32_t phase;
    struct ls_check_state *warps;   /* owned: LS_CHECK_WARPS; NULL: races are not looked for */
    size_t n_handed, cap_handed;    /* a power of two, or 0 */
    struct ls_check_handed *handed; /* owned: a hash table by place */
    /* What all its warps know of other blocks by the last barrier; what those that came to the next
     * one know besides, and for which barrier that is. */
    struct ls_check_points shared, coming;
    uint32_t coming_for;
    /* What they read before a barrier and no fence has acquired yet; what fences have released. */
    struct ls_check_points pending;
    uint32_t published[LS_CHECK_WARPS];
    bool has_published, is_published_narrow;
    struct ls_check_known *known_shared; /* owned */
    /* Other launches that were asked about lately. */
    struct {
        uint64_t base, n;
        bool is_before;
    } spans[LS_CHECK_SPANS];
    unsigned next_span;
    /* Memory that was asked about lately in this launch. */
    struct {
        uint64_t base, bytes;
        bool is_free, is_written;
    } ranges[LS_CHECK_RANGES];
    unsigned next_range;
    uint64_t floor; /* the launch's */
    struct {
        const struct ls_check_site *site;
        uint16_t number;
        uint64_t who; /* what its entries have of kind */
    } sites[LS_CHECK_SITES];
    unsigned n_suspects;
    struct ls_check_suspect suspects[LS_CHECK_SUSPECTS];
    uint64_t tired_of; /* the `writing` for which it has waited long enough */
    struct ls_check_block *next_known;
};

/* In front of each access (NULL: none): others learn that it writes, and that it has done what it
 * said before. */
static inline void
ls_check_says(struct ls_check_block *b, const struct ls_check_site *site, bool is_shared)
{
    /* relaxed: nobody else changes it; release: after what it wrote */
    if (site && site->kind == LS_CHECK_STORE && !is_shared)
        atomic_store_explicit(&b->writing, ((b->base + b->number) & LS_CHECK_MOST_RUN) + 1,
                              memory_order_release);
    else if (atomic_load_explicit(&b->writing, memory_order_relaxed))
        atomic_store_explicit(&b->writing, 0, memory_order_release);
}

/* The state of the block that a warp belongs to; NULL: no memory. */
struct ls_check_block *ls_check_block_of(const struct ls_check_warp *warp);
/* The bytes about a part of its shared memory; NULL: it has no such part. */
char *ls_check_block_bytes(struct ls_check_block *b, uint64_t offset, uint64_t bytes);
/* Where in shared memory an access goes; false: it does not go there. */
static inline bool
ls_check_shared_offset(const struct ls_check_warp *warp, const struct ls_check_site *site,
                       uint64_t place, uint64_t *offset)
{
    if (site->space == LS_CHECK_LDS)
        *offset = place;
    else if (site->space == LS_CHECK_ANYWHERE && place - warp->lds < warp->lds_bytes)
        *offset = place - warp->lds;
    else
        return false;
    return true;
}

/* Whether it is the warp's own business: its stacks, its kernel's arguments. */
static inline bool
ls_check_is_own(const struct ls_check_warp *warp, uint64_t place)
{
    return place - warp->stack_lo < warp->stack_hi - warp->stack_lo ||
           place - warp->kernarg < warp->kernarg_bytes;
}

/* What entries of a site have of its kind. */
static inline uint64_t
ls_check_kind_bits(const struct ls_check_site *site)
{
    bool is_atomic = site->kind == LS_CHECK_ATOMIC || site->flags & LS_CHECK_SYNCHRONISES;
    enum ls_entry_kind kind = site->kind == LS_CHECK_LOAD ? LS_ENTRY_READ : LS_ENTRY_WRITE;

    kind -= is_atomic;
    return (uint64_t)kind << LS_ENTRY_KIND |
           (is_atomic && site->flags & LS_CHECK_NARROW ? LS_ENTRY_NARROW : 0);
}

/* A site's slot in the block's table. */
static inline unsigned
ls_check_slot_of(struct ls_check_block *b, const struct ls_check_site *site)
{
    unsigned i = (uintptr_t)site / sizeof(*site) % LS_CHECK_SITES;

    if (__builtin_expect(b->sites[i].site != site, 0)) {
        b->sites[i].number = ls_check_site_number(site);
        b->sites[i].who = ls_check_kind_bits(site);
        b->sites[i].site = site;
    }
    return i;
}

/* Whether an access orders others, or may. */
static inline bool
ls_check_orders_others(const struct ls_check_site *site)
{
    return (site->kind == LS_CHECK_ATOMIC || site->flags & LS_CHECK_SYNCHRONISES) &&
           !(site->more & LS_CHECK_LONE);
}

/* What was done to a line of shared memory since the last barrier; NULL: nobody keeps that. */
static inline struct ls_check_brief *
ls_check_brief_of(const struct ls_check_block *b, struct ls_check_line *l)
{
    struct ls_check_brief *s = &b->briefs[l - b->lines];
    uint32_t when = b->quick.lds_reading + b->quick.passed[b->warp];

    if (!b->is_simple || (int32_t)(when - s->when) < 0)
        return NULL;
    if (s->when != when) { /* all that was before is ordered with what comes */
        *s = (struct ls_check_brief){.when = when};
        l->n = 0;
    }
    return s;
}

/* Before a line of shared memory is looked at: what earlier blocks did there is forgotten. */
static inline void
ls_check_line_begin(const struct ls_check_block *b, struct ls_check_line *l)
{
    if (l->n && (l->entries[0].who & LS_ENTRY_RUN) != b->base + b->number) {
        l->n = 0;
        atomic_store_explicit(&l->readers, 0, memory_order_relaxed); /* it is this thread's */
    }
}

/* Notes an access that is looked at in full. */
static inline void
ls_check_brief_add(struct ls_check_brief *s, unsigned warp, const struct ls_check_entry *now)
{
    enum ls_entry_kind kind = ls_entry_kind(now);
    unsigned unit = now->who >> LS_ENTRY_UNIT & 7;
    uint32_t mask = (uint32_t)now->what;

    if (unit)
        mask = ls_check_in_other_unit(mask, unit, 0, false);
    if (kind == LS_ENTRY_READ) {
        s->reader = !unit && (!s->read || s->reader == warp) ? (uint8_t)warp : LS_BRIEF_MANY;
        s->read |= mask;
    } else if (kind == LS_ENTRY_WRITE) {
        s->writer = !unit && (!s->written || s->writer == warp) ? (uint8_t)warp : LS_BRIEF_MANY;
        s->written |= mask;
    } else {
        s->atomic |= mask;
    }
}

/* ---- sized.c: accesses whose length is computed ---- */

/* The same site with that many bytes (less than 4 GiB are looked at); stays. NULL: no memory. */
const struct ls_check_site *ls_check_sized(const struct ls_check_site *site, uint64_t bytes);
/* What stands in the code. */
const struct ls_check_site *ls_check_unsized(const struct ls_check_site *site);

/* ---- order.c: what orders the accesses of a launch: barriers, atomics, fences ---- */

/* Barriers do not suffice any more: is_simple ends, until the next block. */
void ls_check_order_wake(struct ls_check_block *b);
void ls_check_order_fini(struct ls_check_block *b);
/* The warp b->warp goes on: learns what it does by barriers and what it has read. */
void ls_check_order_step(struct ls_check_block *b);
void ls_check_order_barrier(struct ls_check_block *b, const struct ls_check_site *site);
void ls_check_order_fence(struct ls_check_block *b, const struct ls_check_site *site);
/* A volatile read, of no flag, is about to be made: it comes after what the warp's atomic
 * operations before it have read, as hardware has it. */
void ls_check_order_read(struct ls_check_block *b);
/* Whether another access came before what these have read, without a fence, in whatever scope. */
bool ls_check_is_before_read(struct ls_check_block *b, const struct ls_check_entry *e);
void ls_check_order_atomic(struct ls_check_block *b, const struct ls_check_site *site,
                           uint64_t place, bool is_shared);
bool ls_check_is_ordered(struct ls_check_block *b, const struct ls_check_entry *e);
/* Whether an access has happened before the next one of the warp b->warp. */
static inline bool
ls_check_is_before(struct ls_check_block *b, const struct ls_check_entry *e)
{
    uint64_t run = e->who & LS_ENTRY_RUN;

    return run < b->floor || ls_check_is_ordered(b, e);
}
/* The same, as if atomics and fences of a block's scope counted for all blocks. */
bool ls_check_is_before_narrowly(struct ls_check_block *b, const struct ls_check_entry *e);

/* The time of the warp b->warp. */
static inline uint32_t
ls_check_time(const struct ls_check_block *b)
{
    uint32_t passed = b->quick.passed[b->warp];

    if (!b->is_simple)
        return b->warps[b->warp].known[b->warp];
    return passed < LS_MOST_TIME ? passed + 1 : LS_MOST_TIME;
}

/* ---- handed.c: what blocks hand on by atomic objects ---- */

/* What a warp knew as it released: all that its points tell, and by warp of its block up to when.
 */
struct ls_check_release {
    uint64_t run;
    uint32_t n_points, n_warps;
    struct ls_check_point *points;
    uint32_t *known;
};

/* A release at an atomic object, and those before it that a reader of it learns, too. */
struct ls_check_cell {
    const struct ls_check_release *release;
    const struct ls_check_cell *before;
    bool is_narrow;
};

/* Writes down a release; NULL: no memory, from then on all counts as ordered. */
const struct ls_check_release *ls_check_release_make(uint64_t run, const struct ls_check_points *a,
                                                     const struct ls_check_points *b, uint32_t n_b,
                                                     const uint32_t *known, unsigned n_warps);
/* An object is written: by an atomic operation that is a read, too, or a store. release: NULL,
 * there is none. */
void ls_check_hand_on(uint64_t place, const struct ls_check_release *release, bool is_narrow,
                      bool is_store);
/* What whoever reads an object learns; NULL: nothing. */
const struct ls_check_cell *ls_check_handed_at(uint64_t place);
/* Nothing runs. */
void ls_check_forget_handed(void);
/* Some of it was lost: nobody knows what is ordered. */
bool ls_check_is_handed_lost(void);

void ls_check_points_add(struct ls_check_points *p, struct ls_check_point point);

/* ---- known.c ---- */

/* Whether something at a time of a warp of some block had happened before one of the points.
 * *known: what is made for this, to be cleared when `p` is. narrowly: as if atomics and fences of a
 * block's scope counted for all blocks. */
bool ls_check_points_know(struct ls_check_known **known, const struct ls_check_points *p,
                          const struct ls_check_entry *e, bool narrowly);
void ls_check_known_clear(struct ls_check_known *known);
void ls_check_known_destroy(struct ls_check_known *known);

/* ---- memory.c, init.c, race.c: an access by the lanes in `mask` ---- */

/* Takes lanes with wrong accesses out of the mask. False: the kernel should end. */
bool ls_check_memory_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                            const uint64_t *places, uint64_t *mask,
                            struct ls_check_window *windows);
void ls_check_init_access(const struct ls_check_warp *warp, struct ls_check_block *block,
                          const struct ls_check_site *site, const uint64_t *places, uint64_t mask);
void ls_check_race_access(const struct ls_check_warp *warp, struct ls_check_block *b,
                          const struct ls_check_site *site, const uint64_t *places, uint64_t mask);
/* A row of places, of the lanes in `mask`, each `bytes` behind the one before; whole: of all lanes.
 * False: it is no simple case. */
bool ls_check_init_row(struct ls_check_block *b, const struct ls_check_site *site, uint64_t first,
                       uint64_t bytes, bool is_shared, bool is_whole);
bool ls_check_race_row(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site,
                       uint64_t first, uint64_t mask, uint32_t lanes, bool is_shared);
/* The words of a line from one on to an end. */
static inline uint32_t
ls_check_row_part(uint64_t from, uint64_t end, uint64_t line)
{
    uint64_t low = from > line * 32 ? from - line * 32 : 0,
             high = end < line * 32 + 32 ? end - line * 32 : 32;

    return (uint32_t)((((uint64_t)1 << high) - 1) & ~(((uint64_t)1 << low) - 1));
}

/* The words of a line that lanes of a row touch; `at`: the first word of lane 0 of `lanes`, from
 * the line's start. */
static inline uint32_t
ls_check_words_at(uint64_t lanes, int64_t at)
{
    return (uint32_t)(at >= 0 ? (at < 32 ? lanes << at : 0) : (at > -64 ? lanes >> -at : 0));
}

/* What a warp does now, but for its places. */
static inline struct ls_check_entry
ls_check_entry_of(struct ls_check_block *b, const struct ls_check_site *site)
{
    uint32_t time = ls_check_time(b);
    unsigned slot = ls_check_slot_of(b, site);

    return (struct ls_check_entry){
        .who = (b->base + b->number) | (uint64_t)b->warp << LS_ENTRY_WARP | b->sites[slot].who |
               (uint64_t)(time >> 16) << LS_ENTRY_TIME,
        .what = (uint64_t)b->sites[slot].number << LS_ENTRY_SITE | (uint64_t)(time & 0xffff)
                                                                       << LS_ENTRY_TIME_LOW,
    };
}

void ls_check_race_pass(struct ls_check_block *b, uint32_t warp, const struct ls_check_site *site);
/* Looks at writes over others', which have been done by now. */
void ls_check_race_settle(struct ls_check_block *b);

/* ---- party.c: barriers ---- */

/* The threads in `mask` are about to wait for their block; or they have ended. */
void ls_check_barrier(const struct ls_check_warp *warp, const struct ls_check_site *site,
                      uint64_t mask);
void ls_check_threads_end(const struct ls_check_warp *warp, uint64_t mask);
void ls_check_parties_fini(struct ls_check_blocks *all);

/* ---- lanes.c: threads of one warp ---- */

/* Lanes of a warp wait for each other. */
void ls_check_lanes_meet(const struct ls_check_warp *warp);
void ls_check_lanes_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                           const uint64_t *places, uint64_t mask);
void ls_check_lanes_fini(struct ls_check_blocks *all);

/* ---- needed.c: barriers that the run did not need ---- */

void ls_check_needs_barrier(const struct ls_check_warp *warp, const struct ls_check_site *site,
                            uint64_t mask);
void ls_check_needs_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                           const uint64_t *places, uint64_t mask);
void ls_check_needs_fini(struct ls_check_blocks *all);
/* At the end of the process: reports them. */
void ls_check_needs_end(void);

/* ---- init.c ---- */

/* Whether all of a range of the memory's map was written. */
bool ls_check_is_all_written(uint64_t base, uint64_t bytes);

/* Lanes whose number is not 0 read a variable that they have not written, and use it. */
void ls_check_unset(const struct ls_check_warp *warp, const struct ls_check_site *site,
                    const struct ls_check_site *use, const uint64_t *numbers, uint64_t mask);

/* ---- sync.c ---- */

/* The lanes in `mask` meet, or use something. */
void ls_check_sync(const struct ls_check_warp *warp, const struct ls_check_site *site,
                   const uint64_t *values, uint64_t mask);

#endif
