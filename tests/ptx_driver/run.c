/* SPDX-License-Identifier: MIT */
/* Grids, blocks and threads. Each thread has a place of its own in the program, as on hardware from
 * sm_70 on: it runs until it ends, waits for others, or has had its share. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptx_priv.h"

enum { OUT_OF_MEMORY = 2, DEINITIALIZED = 4, LAUNCH_FAILED = 719 };
#define SHARE        2000u /* instructions, before others' turn comes */
#define TURNS        64u   /* of a block, before another block's */
#define MAX_RESIDENT 32u   /* blocks that have begun and not ended */

uint64_t
ptx_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

enum ptx_next
ptx_fault(struct ptx_thread *t, const struct ptx_insn *i, int result, const char *format, ...)
{
    struct ptx_run *run = t->block->run;
    const struct ptx_function *fn = t->frames[t->n_frames - 1].fn;
    const struct ptx_module *m = fn->module;
    va_list list;

    if (run->result)
        return NEXT_FAULT;
    run->result = result;
    if (run->said)
        return NEXT_FAULT;
    run->said = true;
    flockfile(stderr);
    fprintf(stderr, "ptx_driver: %s, line %u (%s)", fn->name, i->line, i->name);
    if (i->where) {
        const struct ptx_source *s = &m->sources[i->where - 1];

        fprintf(stderr, ", %s:%u", s->file < 256 && m->files[s->file] ? m->files[s->file] : "?",
                s->line);
    }
    fprintf(stderr, ", block %u,%u,%u thread %u,%u,%u: ", t->block->id[0], t->block->id[1],
            t->block->id[2], t->id[0], t->id[1], t->id[2]);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    funlockfile(stderr);
    return NEXT_FAULT;
}

/* ---- A thread's turn ---- */

static void
end_thread(struct ptx_thread *t)
{
    t->state = STATE_DONE;
    t->warp->live &= ~(1u << t->lane);
    t->block->n_live--;
}

static void
run_thread(struct ptx_thread *t, unsigned share)
{
    struct ptx_run *run = t->block->run;

    for (unsigned n = 0; n < share; n++) {
        const struct ptx_insn *i = t->pc;

        run->steps++;
        t->pc = i + 1;
        if (i->guard >= 0 && (t->r[i->guard] & 1) == i->if_not)
            continue;
        switch (i->run(t, i)) {
        case NEXT_GO:
            continue;
        case NEXT_WAIT:
            t->pc = i;
            return;
        case NEXT_END:
            end_thread(t);
            return;
        case NEXT_AGAIN:
        case NEXT_FAULT:
            return;
        }
    }
}

/* ---- A block ---- */

/* PTX_DRIVER_SEED: 0: lanes and warps in order; 1: the other way; more: as it comes, a few
 * instructions at a time. */
static uint64_t
seed(void)
{
    const char *text = getenv("PTX_DRIVER_SEED");

    return text ? strtoull(text, NULL, 10) : 0;
}

static uint32_t
random_below(struct ptx_run *run, uint32_t n)
{
    run->random = run->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((run->random >> 33) % n);
}

static uint32_t
turn(struct ptx_run *run, uint32_t k, uint32_t n, uint32_t shift)
{
    return run->random == 0 ? k : run->random == 1 ? n - 1 - k : (k + shift) % n;
}

/* Until no lane can go on, or all have had their share. True: some lane ran. */
static bool
run_warp(struct ptx_block *b, struct ptx_warp *w)
{
    struct ptx_run *run = b->run;
    bool any = false;

    for (bool again = true; again;) {
        uint32_t shift = run->random > 1 ? random_below(run, PTX_WARP) : 0;
        bool ran = false, spent = false;

        for (unsigned k = 0; k < PTX_WARP; k++) {
            struct ptx_thread *t = &w->threads[turn(run, k, PTX_WARP, shift)];

            if (t->state != STATE_READY)
                continue;
            ran = true;
            run_thread(t, run->random > 1 ? 1 + random_below(run, 64) : SHARE);
            if (driver_has_left())
                run->result = DEINITIALIZED;
            if (run->result)
                return true;
            if (t->state != STATE_READY)
                ptx_meet_warp(b, w);
            else
                spent = true;
            if (t->state == STATE_BARRIER || t->state == STATE_DONE)
                ptx_meet_block(b);
            if (run->result)
                return true;
        }
        again = ran ? !spent : ptx_meet_active(w);
        any |= ran || again;
    }
    return any;
}

static void
say_deadlock(struct ptx_block *b)
{
    for (uint32_t k = 0; k < b->n_threads; k++) {
        struct ptx_thread *t = &b->threads[k];
        uint32_t missing = 0;

        if (t->state == STATE_DONE)
            continue;
        if (t->state == STATE_BARRIER)
            ptx_fault(t, t->pc, LAUNCH_FAILED, "%u of %u threads wait at barrier %u for ever",
                      b->barriers[t->barrier].arrived, b->n_live, t->barrier);
        for (uint32_t j = 0; t->state == STATE_WARP && j < PTX_WARP; j++) {
            const struct ptx_thread *other = &t->warp->threads[j];

            if ((t->mask & t->warp->live) >> j & 1 && other->pc != t->pc && !missing) {
                missing = 1;
                ptx_fault(t, t->pc, LAUNCH_FAILED,
                          "waits for ever with mask %#x for lane %u, which is at line %u (%s)",
                          t->mask, j, other->pc->line, other->pc->name);
            }
        }
        if (!b->run->result)
            ptx_fault(t, t->pc, LAUNCH_FAILED, "waits for ever with mask %#x", t->mask);
        return;
    }
}

/* True: it has ended. */
static bool
run_block(struct ptx_block *b)
{
    for (unsigned n = 0; n < TURNS && b->n_live && !b->run->result; n++) {
        uint32_t shift = b->run->random > 1 ? random_below(b->run, b->n_warps) : 0;
        bool any = false;

        for (uint32_t k = 0; k < b->n_warps && !b->run->result; k++)
            any |= run_warp(b, &b->warps[turn(b->run, k, b->n_warps, shift)]);
        if (!any && b->n_live && !b->run->result)
            say_deadlock(b);
    }
    return b->n_live == 0 || b->run->result;
}

static void
free_block(struct ptx_block *b)
{
    if (!b)
        return;
    for (uint32_t k = 0; b->threads && k < b->n_threads; k++) {
        free(b->threads[k].frames);
        free(b->threads[k].slots);
        free(b->threads[k].memory);
    }
    free(b->threads);
    free(b->warps);
    free(b->shared);
    free(b);
}

/* The next one takes its room. */
static void
end_block(struct ptx_block *b)
{
    b->next = b->run->spare;
    b->run->spare = b;
}

static struct ptx_block *
make_block(struct ptx_run *run)
{
    const uint32_t *n = run->block;
    struct ptx_block *b = run->spare;

    if (b) {
        run->spare = b->next;
        return b;
    }
    b = calloc(1, sizeof(*b));
    if (!b)
        return NULL;
    b->run = run;
    b->n_threads = n[0] * n[1] * n[2];
    b->n_warps = (b->n_threads + 31) / 32;
    b->shared_bytes = run->fn->module->shared_bytes + run->dynamic_bytes;
    b->threads = calloc(b->n_warps * PTX_WARP, sizeof(*b->threads));
    b->warps = calloc(b->n_warps, sizeof(*b->warps));
    b->shared = aligned_alloc(128, (b->shared_bytes + 128u) / 128 * 128);
    if (b->threads && b->warps && b->shared)
        return b;
    free_block(b);
    return NULL;
}

static struct ptx_block *
begin_block(struct ptx_run *run, uint64_t number)
{
    const uint32_t *n = run->block;
    struct ptx_block *b = make_block(run);

    if (!b)
        return NULL;
    b->number = number;
    b->id[0] = (uint32_t)(number % run->grid[0]);
    b->id[1] = (uint32_t)(number / run->grid[0] % run->grid[1]);
    b->id[2] = (uint32_t)(number / run->grid[0] / run->grid[1]);
    b->n_live = b->n_threads;
    memset(b->barriers, 0, sizeof(b->barriers));
    memset(b->shared, PTX_POISON, b->shared_bytes);
    for (uint32_t k = b->n_threads; k < b->n_warps * PTX_WARP; k++)
        b->threads[k].state = STATE_DONE;
    for (uint32_t k = 0; k < b->n_threads; k++) {
        struct ptx_thread *t = &b->threads[k];
        struct ptx_warp *w = &b->warps[k / PTX_WARP];

        w->threads = &b->threads[k / PTX_WARP * PTX_WARP];
        w->live |= 1u << k % PTX_WARP;
        t->block = b;
        t->warp = w;
        t->number = k;
        t->lane = k % PTX_WARP;
        t->id[0] = k % n[0];
        t->id[1] = k / n[0] % n[1];
        t->id[2] = k / n[0] / n[1];
        t->state = STATE_READY;
        t->n_frames = 0;
        t->n_slots = t->memory_bytes = 0;
        if (!ptx_enter(t, run->fn, NULL)) {
            free_block(b);
            return NULL;
        }
    }
    return b;
}

/* ---- A grid ---- */

/* Blocks that wait for others' memory let these have their turns, a few at once; all of them where
 * the launch says that they may wait for each other. */
static void
run_grid(struct ptx_run *run, uint64_t n_blocks, uint64_t most)
{
    struct ptx_block **list = calloc(most, sizeof(*list));
    uint64_t next = 0, n = 0;

    if (!list)
        run->result = OUT_OF_MEMORY;
    while (!run->result && (next < n_blocks || n)) {
        if (n < most && next < n_blocks && !(list[n++] = begin_block(run, next++))) {
            run->result = OUT_OF_MEMORY;
            n--;
        }
        for (uint64_t k = n; k-- > 0 && !run->result;)
            if (run_block(list[k])) {
                end_block(list[k]);
                list[k] = list[--n];
            }
    }
    while (n)
        free_block(list[--n]);
    while (run->spare) {
        struct ptx_block *b = run->spare;

        run->spare = b->next;
        free_block(b);
    }
    free(list);
}

int
ptx_run(const struct ptx_function *f, const uint32_t grid[3], const uint32_t block[3],
        uint32_t dynamic_bytes, const void *args, bool all_at_once)
{
    static atomic_ullong serials;
    uint64_t n_blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    struct ptx_run run = {.fn = f,
                          .grid = {grid[0], grid[1], grid[2]},
                          .block = {block[0], block[1], block[2]},
                          .dynamic_bytes = dynamic_bytes,
                          .args = args,
                          .random = seed(),
                          .serial = atomic_fetch_add(&serials, 1),
                          .generation = driver_generation()};

    run_grid(&run, n_blocks, all_at_once ? n_blocks : MAX_RESIDENT);
    return run.result;
}
