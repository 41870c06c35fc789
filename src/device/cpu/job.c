/* SPDX-License-Identifier: MIT */
/* Jobs: the items of a work, dealt out to the threads that are wanted for it.
 *
 * Each thread has a part: a contiguous range, the same in each launch, so that what it touches
 * stays in its cache. It claims pieces from the front of its part, half of what is left as long as
 * that is much (all that is left, up to a limit, where there is one part); who has nothing left
 * claims pieces from the back of the next part that has much, or of that which has the most. Less
 * than the least piece is left to a thread that is at work on its part: what it touches is in that
 * thread's cache, and would come from there for little, and go back in the next launch. A line of
 * memory holds one part of a few, several of many, and counts what has not ended of them: a launch
 * costs a thread a few transfers of lines between cores, however many blocks it has.
 *
 * Nobody registers with a job: a thread may come late, when the job is for another work already.
 * What it claims is that work's then, and the work stays until all that was claimed has ended. */
#include <stdlib.h>

#include "base/log.h"
#include "device/cpu/cpu_priv.h"

/* Of a part: the first unit that is not claimed, and the end in the upper half. */
#define FEW_LINES         8u
#define FEW_UNITS         2u
#define UNITS_EACH        8u /* that a part should have at least */
#define SHORT             16u /* least pieces of a part whose claims take time */
#define HELD              0x80000000u /* the thread whose part it is claims from it */
#define FIRST(range)      ((uint32_t)(range) & ~HELD)
#define END(range)        ((uint32_t)((range) >> 32))
#define RANGE(first, end) ((uint64_t)(first) | (uint64_t)(end) << 32)

struct ls_cpu_job *
ls_job_create(uint32_t index, bool in_order, uint32_t max_parts)
{
    size_t n_lines = in_order ? 1 : max_parts; /* that fits any number of parts in a line */
    size_t bytes = sizeof(struct ls_cpu_job) + n_lines * sizeof(struct ls_cpu_line);
    struct ls_cpu_job *j = aligned_alloc(_Alignof(struct ls_cpu_job), bytes);

    if (!j)
        return NULL;
    j->work = NULL;
    j->next_free = NULL;
    j->index = index;
    j->in_order = in_order;
    j->max_parts = in_order ? 1 : max_parts;
    atomic_init(&j->n_units, 0);
    atomic_init(&j->n_parts, 1);
    atomic_init(&j->per_line, 1);
    atomic_init(&j->least, 1);
    atomic_init(&j->most, 1);
    atomic_init(&j->n_lines_left, 0);
    atomic_init(&j->n_calls, 0);
    atomic_init(&j->is_open, false);
    for (size_t i = 0; i < n_lines; i++) {
        for (uint32_t k = 0; k < LS_PARTS_PER_LINE; k++)
            atomic_init(&j->lines[i].part[k], 0);
        atomic_init(&j->lines[i].n_left, 0);
    }
    return j;
}

static _Atomic uint64_t *
part_of(struct ls_cpu_job *j, uint32_t part, uint32_t per_line)
{
    return &j->lines[part / per_line].part[part % per_line];
}

/* How many parts a line holds: with few lines it is soon seen where something is left, with one
 * part in each nobody takes a line from others who claims from its own part. */
static uint32_t
parts_per_line(uint32_t n_parts)
{
    uint32_t n = (n_parts + FEW_LINES - 1) / FEW_LINES;

    return n < LS_PARTS_PER_LINE ? n : LS_PARTS_PER_LINE;
}

static uint32_t
begin_of(uint32_t n_units, uint32_t n_parts, uint32_t part)
{
    return (uint32_t)((uint64_t)n_units * part / n_parts);
}

/* Items of a unit: rows of blocks, or parts of rows where there would be few for each thread. */
static uint64_t
unit_of(const struct ls_cpu_job *j, struct ls_work *w, uint32_t n_parts)
{
    uint64_t n_items = ls_cpu_of(w)->n_items, unit = 1;

    if (w->kind == LS_WORK_KERNEL && !j->in_order && !ls_cpu_of(w)->coop &&
        (w->kernel.code->kernel->flags & LS_CPU_KERNEL_ROWS))
        unit = w->kernel.grid[0];
    while (unit > 1 && n_items / unit < UNITS_EACH * n_parts)
        unit = (unit + 1) / 2;
    return (n_items / LS_MAX_UNITS + unit) / unit * unit;
}

void
ls_job_deal(struct ls_cpu_job *j, struct ls_work *w, uint32_t n_parts)
{
    uint64_t n_items = ls_cpu_of(w)->n_items, unit = unit_of(j, w, n_parts);
    uint32_t n_units = (uint32_t)((n_items + unit - 1) / unit);
    uint64_t least = ls_cpu_of(w)->least / unit, most = ls_cpu_of(w)->most / unit;
    uint32_t n_lines, per_line;

    least = least ? least : 1;
    most = most ? most : 1;
    if (n_parts > j->max_parts)
        n_parts = j->max_parts;
    if (n_parts > n_units)
        n_parts = n_units; /* no part is empty */
    per_line = parts_per_line(n_parts);
    n_lines = (n_parts + per_line - 1) / per_line;
    j->work = w;
    j->unit = unit;
    /* relaxed: the parts, which are filled last, publish all this */
    atomic_store_explicit(&j->n_calls, 0, memory_order_relaxed);
    atomic_store_explicit(&j->n_units, n_units, memory_order_relaxed);
    atomic_store_explicit(&j->n_parts, n_parts, memory_order_relaxed);
    atomic_store_explicit(&j->per_line, per_line, memory_order_relaxed);
    atomic_store_explicit(&j->least, least < n_units ? (uint32_t)least : n_units,
                          memory_order_relaxed);
    atomic_store_explicit(&j->most, most < n_units ? (uint32_t)most : n_units,
                          memory_order_relaxed);
    atomic_store_explicit(&j->n_lines_left, n_lines, memory_order_relaxed);
    for (uint32_t i = 0; i < n_lines; i++) {
        uint32_t end = (i + 1) * per_line;

        atomic_store_explicit(&j->lines[i].n_left,
                              begin_of(n_units, n_parts, end < n_parts ? end : n_parts) -
                                  begin_of(n_units, n_parts, i * per_line),
                              memory_order_relaxed);
    }
    for (uint32_t p = 0; p < n_parts; p++) {
        uint64_t range =
            RANGE(begin_of(n_units, n_parts, p), begin_of(n_units, n_parts, p + 1));

        /* release: see above */
        atomic_store_explicit(part_of(j, p, per_line), range, memory_order_release);
    }
}

/* Claims a piece of a part: from its front, or for others from its back. What is read before the
 * claim may be of the work before; that makes a piece larger or smaller, but in a job in order it
 * always is one unit, from the front. */
static bool
take(struct ls_cpu_job *j, uint32_t part, uint32_t per_line, bool front, uint32_t at_most,
     struct ls_cpu_piece *piece)
{
    _Atomic uint64_t *range = part_of(j, part, per_line);
    uint64_t old = atomic_load(range), now;
    uint32_t n, left;

    do {
        if (FIRST(old) >= END(old))
            return false;
        left = END(old) - FIRST(old);
        /* relaxed: see above */
        uint32_t least = atomic_load_explicit(&j->least, memory_order_relaxed);
        uint32_t most = atomic_load_explicit(&j->most, memory_order_relaxed);

        /* Of the only part nothing is left to others: who comes late finds what is over. Of a
         * short one little is left, as claims take time, too. */
        n = atomic_load_explicit(&j->n_parts, memory_order_relaxed) == 1 ? left
            : least > 1 && left / 4 >= least && left / SHORT <= least    ? left - left / 4
                                                                         : (left + 1) / 2;
        n = n > most ? most : n;
        n = n < least ? least : n;
        n = n > at_most ? at_most : n;
        n = n > left || at_most == LS_JOB_ALL ? left : n;
        if (j->in_order && at_most != LS_JOB_ALL)
            n = 1;
        now = front ? RANGE((FIRST(old) + n) | HELD, END(old)) : old - RANGE(0, n);
    } while (!atomic_compare_exchange_weak(range, &old, now));
    piece->line = part / per_line;
    piece->n_units = n;
    piece->astray = false;
    piece->first = (front ? FIRST(old) : END(old) - n) * j->unit;
    piece->count = n * j->unit;
    if (piece->first + piece->count > ls_cpu_of(j->work)->n_items)
        piece->count = ls_cpu_of(j->work)->n_items - piece->first;
    return true;
}

/* How much of a part others may have. */
static uint32_t
left_to_others(uint64_t range, uint32_t least)
{
    uint32_t left = FIRST(range) < END(range) ? END(range) - FIRST(range) : 0;

    return (range & HELD) && left < least ? 0 : left;
}

uint32_t
ls_job_first(struct ls_cpu_job *j)
{
    /* relaxed: of another work it is another guess */
    uint32_t n = atomic_load_explicit(&j->n_units, memory_order_relaxed) / 8 /
                 atomic_load_explicit(&j->n_parts, memory_order_relaxed);
    uint32_t least = atomic_load_explicit(&j->least, memory_order_relaxed);

    n = n < least ? n : least;
    return n > FEW_UNITS ? n : FEW_UNITS;
}

bool
ls_job_claim(struct ls_cpu_job *j, uint32_t place, uint32_t most_units, struct ls_cpu_piece *piece)
{
    /* relaxed: when this is of another work there are empty parts among those looked at, or parts
     * that are not looked at and that others have */
    uint32_t n = atomic_load_explicit(&j->n_parts, memory_order_relaxed), own = place % n;
    uint32_t per_line = atomic_load_explicit(&j->per_line, memory_order_relaxed);
    uint32_t least = most_units == LS_JOB_ALL
                         ? 0
                         : atomic_load_explicit(&j->least, memory_order_relaxed);
    uint32_t much = atomic_load_explicit(&j->n_units, memory_order_relaxed) / n / 4;

    if (take(j, own, per_line, true, most_units, piece)) {
        /* relaxed: what the claim has seen is newer than they are, and now they stay */
        if (n != atomic_load_explicit(&j->n_parts, memory_order_relaxed) ||
            per_line != atomic_load_explicit(&j->per_line, memory_order_relaxed)) {
            atomic_fetch_and(part_of(j, own, per_line), ~(uint64_t)HELD); /* it was another's */
            piece->astray = true;
        }
        return true;
    }
    for (;;) {
        uint32_t best = own, most = 0;

        for (uint32_t i = 1; i < n; i++) {
            uint32_t p = own + i < n ? own + i : own + i - n;
            uint32_t left = left_to_others(
                atomic_load_explicit(part_of(j, p, per_line), memory_order_relaxed), least);

            if (left > most) {
                most = left;
                best = p;
                if (most > much) /* good enough; others look from elsewhere on */
                    break;
            }
        }
        if (most == 0)
            return false;
        if (take(j, best, per_line, false, most_units, piece))
            return true;
    }
}

bool
ls_job_let_go(struct ls_cpu_job *j, uint32_t place)
{
    /* relaxed: the caller has claimed some of it */
    uint32_t n = atomic_load_explicit(&j->n_parts, memory_order_relaxed);
    uint32_t per_line = atomic_load_explicit(&j->per_line, memory_order_relaxed);
    uint32_t least = atomic_load_explicit(&j->least, memory_order_relaxed);
    uint64_t range = atomic_fetch_and(part_of(j, place % n, per_line), ~(uint64_t)HELD);

    return left_to_others(range, least) != left_to_others(range & ~(uint64_t)HELD, least);
}

bool
ls_job_is_dealt(struct ls_cpu_job *j)
{
    /* relaxed: as in ls_job_claim */
    uint32_t n = atomic_load_explicit(&j->n_parts, memory_order_relaxed);
    uint32_t per_line = atomic_load_explicit(&j->per_line, memory_order_relaxed);
    uint32_t least = atomic_load_explicit(&j->least, memory_order_relaxed);

    for (uint32_t p = 0; p < n; p++)
        if (left_to_others(atomic_load(part_of(j, p, per_line)), least))
            return false;
    return true;
}

uint64_t
ls_job_unclaimed(struct ls_cpu_job *j)
{
    uint32_t n = atomic_load_explicit(&j->n_parts, memory_order_relaxed);
    uint32_t per_line = atomic_load_explicit(&j->per_line, memory_order_relaxed);
    uint64_t units = 0;

    for (uint32_t p = 0; p < n; p++) {
        uint64_t range = atomic_load(part_of(j, p, per_line));

        if (FIRST(range) < END(range))
            units += END(range) - FIRST(range);
    }
    return units;
}

bool
ls_job_ended(struct ls_cpu_job *j, uint32_t line, uint32_t n_units)
{
    return atomic_fetch_sub(&j->lines[line].n_left, n_units) == n_units &&
           atomic_fetch_sub(&j->n_lines_left, 1) == 1;
}
