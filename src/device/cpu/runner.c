/* SPDX-License-Identifier: MIT */
/* Runs blocks: as plain calls on a big stack, as warps on fibers, or all blocks of a grid at
 * once. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/env.h"
#include "base/log.h"
#include "check/review.h"
#include "device/cpu/cpu_priv.h"

#define FIBER_STACK_MIN (128u * 1024u)

static struct ls_cpu_warp *
ctx_warp(struct ls_cpu_ctx *ctx)
{
    return (struct ls_cpu_warp *)(void *)ctx; /* ctx is the first member of the warp */
}

static void
yield_block(struct ls_cpu_ctx *ctx)
{
    ls_poll_turn(ls_ctx_runner(ctx));
    ls_cpu_poll_others(ls_ctx_runner(ctx), ctx);
}

/* Resumes the next runnable warp after `from`; false when there is none but `from` itself. */
static bool
switch_to_next(struct ls_runner *r, struct ls_cpu_warp *from)
{
    uint32_t i = r->current;

    if (r->order != LS_ORDER_USUAL)
        i = (uint32_t)(ls_order_random(&r->random) % r->n_warps);
    for (uint32_t n = 0; n < r->n_warps; n++) {
        i = i + 1 < r->n_warps ? i + 1 : 0;
        if (r->warps[i]->state == LS_WARP_RUNNABLE) {
            struct ls_cpu_warp *to = r->warps[i];

            if (to == from)
                return false;
            r->current = i;
            ls_fiber_switch(&from->fiber, &to->fiber);
            return true;
        }
    }
    return false;
}

static void
release_group(struct ls_runner *r, struct ls_cpu_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        struct ls_cpu_warp *w = r->warps[g->first + i];

        if (w->state == LS_WARP_BARRIER)
            w->state = LS_WARP_RUNNABLE;
    }
    g->n_arrived = 0;
}

static void
fail_deadlock(struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    r->fault = (struct ls_fault){.kind = LS_FAULT_DEADLOCK, .lane = ~0u, .ctx = ctx};
    ls_cpu_check_stuck(r, ctx);
    ls_runner_fail(r);
}

/* Meets the other shares at the grid barrier, where all warps of this share wait (or have ended,
 * when `leaving`). */
static void
meet_shares(struct ls_runner *r, bool leaving)
{
    struct ls_cpu_coop *coop = ls_cpu_of(r->work)->coop;
    unsigned generation;
    bool last;

    pthread_mutex_lock(&coop->lock);
    generation = atomic_load(&coop->generation);
    r->n_looks = r->looks_per_wait = 0; /* the waiting below is not a delay by the clock */
    if (leaving)
        coop->n_expected--;
    else
        coop->n_arrived++;
    last = coop->n_expected > 0 && coop->n_arrived == coop->n_expected;
    if (last) {
        coop->n_arrived = 0;
        atomic_fetch_add(&coop->generation, 1);
    }
    pthread_mutex_unlock(&coop->lock);
    if (!leaving)
        while (atomic_load(&coop->generation) == generation)
            ls_cpu_poll_others(r, &r->warps[r->current]->ctx);
}

static void
release_grid(struct ls_runner *r)
{
    for (uint32_t i = 0; i < r->n_warps; i++)
        if (r->warps[i]->state == LS_WARP_GRID)
            r->warps[i]->state = LS_WARP_RUNNABLE;
    r->n_grid = 0;
}

static void
barrier_fiber(struct ls_cpu_ctx *ctx)
{
    struct ls_cpu_warp *w = ctx_warp(ctx);
    struct ls_runner *r = w->runner;
    struct ls_cpu_group *g = w->group;

    r->n_idle_yields = 0;
    if (++g->n_arrived == g->n_alive) {
        release_group(r, g);
        return;
    }
    w->state = LS_WARP_BARRIER;
    if (!switch_to_next(r, w))
        fail_deadlock(r, ctx);
}

static void
yield_fiber(struct ls_cpu_ctx *ctx)
{
    struct ls_cpu_warp *w = ctx_warp(ctx);
    struct ls_runner *r = w->runner;

    ls_poll_turn(r);
    if (++r->n_idle_yields >
        r->n_alive) { /* all warps have yielded, so only other threads can end the wait */
        r->n_idle_yields = 0;
        ls_cpu_poll_others(r, ctx);
    }
    switch_to_next(r, w);
}

static void
grid_sync_fiber(struct ls_cpu_ctx *ctx)
{
    struct ls_cpu_warp *w = ctx_warp(ctx);
    struct ls_runner *r = w->runner;

    if (!ls_cpu_of(r->work)->coop)
        fail_deadlock(r, ctx);
    r->n_idle_yields = 0;
    w->state = LS_WARP_GRID;
    if (++r->n_grid == r->n_alive) {
        meet_shares(r, false);
        release_grid(r);
        return;
    }
    if (!switch_to_next(r, w))
        fail_deadlock(r, ctx);
}

static void
no_barrier(struct ls_cpu_ctx *ctx)
{
    fail_deadlock(ls_ctx_runner(ctx), ctx);
}

/* One block after the other, on the runner's stack */

static void
fill_ctx(struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    const struct ls_work_kernel *k = &r->work->kernel;

    memcpy(ctx->grid, k->grid, sizeof(ctx->grid));
    memcpy(ctx->block, k->block, sizeof(ctx->block));
    ctx->n_threads = k->n_threads;
    ctx->dyn_lds_bytes = k->dyn_lds_bytes;
    ctx->lds = r->lds;
    ctx->lds_bytes = (uint64_t)k->code->kernel->lds_bytes + k->dyn_lds_bytes;
    ctx->globals = k->globals;
    ctx->kernarg = k->kernarg;
    ctx->cur_block = 0;
    ctx->cur_warp = 0;
    ctx->n_warps = (k->n_threads + k->code->kernel->warp_size - 1) / k->code->kernel->warp_size;
    ctx->whole = 0;
    ctx->form = ls_cpu_of(r->work)->form | (r->careful ? LS_CPU_CAREFUL : 0);
    ctx->service = ls_cpu_service;
    ctx->clock = ls_poll_cycles;
    ctx->wall_clock = ls_poll_100mhz;
    ls_cpu_check_begin(r, ctx);
}

/* Some blocks by code that tells of its accesses, the others by plain code. */
static void
run_reviewed(struct ls_runner *r)
{
    const struct ls_code *code = r->work->kernel.code;
    struct ls_review_blocks *blocks = r->turns->blocks;
    uint32_t form = r->ctx.form;

    for (uint64_t at = r->first, end = r->first + r->count; at < end;) {
        uint64_t n = blocks->n_plain < end - at ? blocks->n_plain : end - at;

        r->ctx.form = r->careful ? form : form & ~LS_CPU_CAREFUL;
        if (n)
            code->plain->run_blocks(&r->ctx, at, n);
        ls_review_plain_blocks(r->turns, n);
        at += n;
        if (at == end)
            break;
        r->ctx.form = form;
        code->kernel->run_blocks(&r->ctx, at++, 1);
        ls_review_next_block(r->turns);
    }
}

static void
run_plain(struct ls_runner *r)
{
    fill_ctx(r, &r->ctx);
    r->ctx.stack_lo = r->stack.lo;
    r->ctx.stack_hi = r->stack.hi;
    r->ctx.barrier = no_barrier;
    r->ctx.grid_sync = no_barrier;
    r->ctx.yield = yield_block;
    r->ctx.device = NULL;
    if (r->work->kernel.code->plain && r->turns)
        run_reviewed(r);
    else
        r->work->kernel.code->kernel->run_blocks(&r->ctx, r->first, r->count);
}

/* Fibers */

static void
warp_ended(struct ls_cpu_warp *w)
{
    struct ls_runner *r = w->runner;
    struct ls_cpu_group *g = w->group;

    w->state = LS_WARP_DONE;
    r->n_idle_yields = 0;
    g->n_alive--;
    r->n_alive--;
    if (g->n_alive > 0 && g->n_arrived == g->n_alive)
        release_group(r, g);
    if (r->n_alive == 0) {
        ls_fiber_switch(&w->fiber, &r->main);
        return;
    }
    if (r->n_grid == r->n_alive) {
        meet_shares(r, false);
        release_grid(r);
    }
    if (!switch_to_next(r, w))
        fail_deadlock(r, &w->ctx);
}

static void
warp_main(void *arg)
{
    struct ls_cpu_warp *w = arg;

    for (;;) {
        const struct ls_cpu_kernel *kernel = w->runner->work->kernel.code->kernel;

        if (kernel->mode == LS_CPU_MODE_FIBER)
            kernel->run_warp(&w->ctx, w->group->block, w->warp);
        else
            kernel->run_blocks(&w->ctx, w->group->block, 1);
        warp_ended(w);
    }
}

static void
free_warps(struct ls_runner *r)
{
    for (uint32_t i = 0; i < r->cap_warps; i++) {
        ls_fiber_fini(&r->warps[i]->fiber);
        ls_stack_fini(&r->warps[i]->stack);
        free(r->warps[i]);
    }
    free(r->warps);
    r->warps = NULL;
    r->cap_warps = 0;
}

static bool
grow_warps(struct ls_runner *r, uint32_t n, size_t stack_bytes)
{
    struct ls_cpu_warp **more;

    if (stack_bytes > r->warp_stack_bytes) {
        free_warps(r);
        r->warp_stack_bytes = stack_bytes;
    }
    if (n <= r->cap_warps)
        return true;
    more = realloc(r->warps, n * sizeof(struct ls_cpu_warp *));
    if (!more)
        return false;
    r->warps = more;
    while (r->cap_warps < n) {
        struct ls_cpu_warp *w = calloc(1, sizeof(*w));

        if (!w || !ls_stack_init(&w->stack, r->warp_stack_bytes)) {
            free(w);
            return false;
        }
        w->runner = r;
        r->warps[r->cap_warps++] = w;
    }
    return true;
}

static bool
grow_groups(struct ls_runner *r, uint32_t n)
{
    struct ls_cpu_group *more;

    if (n <= r->cap_groups)
        return true;
    more = realloc(r->groups, n * sizeof(*more));
    if (!more)
        return false;
    r->groups = more;
    r->cap_groups = n;
    return true;
}

/* Fibers for n_groups blocks of n warps each. */
static bool
set_up_fibers(struct ls_runner *r, uint32_t n_groups, uint32_t n)
{
    const struct ls_cpu_kernel *kernel = r->work->kernel.code->kernel;
    size_t need = FIBER_STACK_MIN;

    while (need < FIBER_STACK_MIN / 2 + (size_t)kernel->stack_bytes)
        need *= 2;
    if (!grow_warps(r, n_groups * n, need) || !grow_groups(r, n_groups))
        return false;
    r->n_groups = n_groups;
    r->n_warps = n_groups * n;
    for (uint32_t i = 0; i < r->n_warps; i++) {
        struct ls_cpu_warp *w = r->warps[i];

        fill_ctx(r, &w->ctx);
        w->ctx.form |= LS_CPU_CAREFUL;
        w->ctx.stack_lo = w->stack.lo;
        w->ctx.stack_hi = w->stack.hi;
        w->ctx.barrier = barrier_fiber;
        w->ctx.grid_sync = grid_sync_fiber;
        w->ctx.yield = yield_fiber;
        w->ctx.device = w;
        w->warp = i % n;
        w->ctx.cur_warp = w->warp;
        if (!w->started)
            ls_fiber_start(&w->fiber, &w->stack, warp_main, w, &r->main);
        w->started = true;
    }
    return true;
}

static void
run_groups(struct ls_runner *r, uint64_t first_block)
{
    uint32_t n = r->n_warps / r->n_groups;

    for (uint32_t g = 0; g < r->n_groups; g++)
        r->groups[g] = (struct ls_cpu_group){
            .n_alive = n, .first = g * n, .count = n, .block = first_block + g};
    for (uint32_t i = 0; i < r->n_warps; i++) {
        r->warps[i]->group = &r->groups[i / n];
        r->warps[i]->state = LS_WARP_RUNNABLE;
        r->warps[i]->ctx.cur_block = r->warps[i]->group->block;
    }
    r->n_alive = r->n_warps;
    r->n_grid = 0;
    r->n_idle_yields = 0;
    r->current = 0;
    if (r->order != LS_ORDER_USUAL) {
        ls_order_begin(&r->random, r->seed, first_block);
        r->current = (uint32_t)(ls_order_random(&r->random) % r->n_warps);
    }
    ls_fiber_switch(&r->main, &r->warps[r->current]->fiber);
}

static bool
lds_for_groups(struct ls_runner *r, uint32_t n, uint64_t lds_bytes)
{
    size_t slot = (LS_LDS_PAD * 2 + lds_bytes + 127) / 128 * 128;

    if (ls_checks() & LS_CHECK_NOTES)
        slot = LS_LDS_PAD + LS_NOTE_SHARED_AT + LS_NOTE_SHARED_BYTES;

    if (n * slot > r->lds_more_bytes) {
        free(r->lds_more);
        r->lds_more_bytes = 0;
        r->lds_more = aligned_alloc(128, n * slot);
        if (!r->lds_more)
            return false;
        r->lds_more_bytes = n * slot;
    }
    for (uint32_t i = 0; i < r->n_warps; i++)
        r->warps[i]->ctx.lds = r->lds_more + (i / (r->n_warps / n)) * slot + LS_LDS_PAD;
    return true;
}

/* The blocks of one share of a grid whose blocks are all alive at once. */
static bool
run_share(struct ls_runner *r, uint64_t share)
{
    const struct ls_work_kernel *k = &r->work->kernel;
    struct ls_cpu_coop *coop = ls_cpu_of(r->work)->coop;
    uint64_t lo = k->n_blocks * share / coop->n_shares;
    uint64_t hi = k->n_blocks * (share + 1) / coop->n_shares;
    uint32_t n_groups = (uint32_t)(hi - lo), n = 1;

    if (k->code->kernel->mode == LS_CPU_MODE_FIBER)
        n = (k->n_threads + k->code->kernel->warp_size - 1) / k->code->kernel->warp_size;
    if (n_groups == 0)
        return true;
    if (!set_up_fibers(r, n_groups, n) || !lds_for_groups(r, n_groups, r->warps[0]->ctx.lds_bytes))
        return false;
    run_groups(r, lo);
    meet_shares(r, true);
    return true;
}

static bool
run_job(struct ls_runner *r)
{
    const struct ls_work_kernel *k = &r->work->kernel;
    const struct ls_cpu_kernel *kernel;

    if (r->work->kind != LS_WORK_KERNEL) {
        ls_cpu_move(r->work, r->first, r->count);
        return true;
    }
    kernel = k->code->kernel;
    r->serial++;
    if (ls_cpu_of(r->work)->coop) {
        for (uint64_t i = 0; i < r->count; i++)
            if (!run_share(r, r->first + i))
                return false;
    } else if (kernel->mode == LS_CPU_MODE_FIBER) {
        if (!set_up_fibers(r, 1, (k->n_threads + kernel->warp_size - 1) / kernel->warp_size))
            return false;
        bool in_order = r->order == LS_ORDER_USUAL || (kernel->flags & LS_CPU_KERNEL_SPINS);
        for (uint64_t i = r->first; i < r->first + r->count; i++)
            run_groups(r, in_order ? i : ls_order_block(r->seed, k->n_blocks, i));
    } else {
        run_plain(r);
    }
    return true;
}

static void
runner_main(void *arg)
{
    struct ls_runner *r = arg;

    for (;;) {
        if (!run_job(r)) {
            int expected = 0;

            atomic_compare_exchange_strong(&ls_cpu_of(r->work)->err, &expected,
                                           hipErrorLaunchOutOfResources);
        }
        ls_fiber_switch(&r->main, &r->host);
    }
}

static void
run_blocks(struct ls_runner *r, uint64_t first, uint64_t count)
{
    r->first = first;
    r->count = count;
    r->fault.kind = LS_FAULT_NONE;
    r->abandoned = false;
    if (!r->main_ready) {
        ls_fiber_start(&r->main, &r->stack, runner_main, r, &r->host);
        r->main_ready = true;
    }
    r->n_looks = r->looks_per_wait = 0;
    r->in_kernel = 1;
    ls_fiber_switch(&r->host, &r->main);
    r->in_kernel = 0;
    r->spin_since_ns = 0;
    if (r->abandoned)
        r->main_ready = false;
}

/* Code for whole blocks does not say which of them runs. Where one has failed they run again by the
 * code that does: the launch has failed, and what it wrote counts for nothing. */
static void
find_warp(struct ls_runner *r)
{
    struct ls_fault fault = r->fault;
    uint64_t first = r->ctx.cur_block;

    r->careful = true;
    run_blocks(r, first, r->ctx.n_blocks);
    r->careful = false;
    if (!r->abandoned) { /* it reads what others write */
        r->ctx.cur_block = first;
        r->ctx.cur_warp = LS_CPU_NO_WARP;
    }
    r->fault = fault;
    r->abandoned = true;
    r->main_ready = false;
}

hipError_t
ls_runner_blocks(struct ls_runner *r, struct ls_work *work, uint64_t first, uint64_t count)
{
    r->work = work;
    run_blocks(r, first, count);
    if (r->blocks.first)
        ls_check_blocks_settle(&r->blocks);
    if (r->abandoned && work->kind == LS_WORK_KERNEL && r->fault.ctx == &r->ctx &&
        r->ctx.cur_warp == LS_CPU_NO_WARP)
        find_warp(r);
    if (r->frames)
        ls_service_print_frames(r);
    ls_poll_note_progress(r);
    if (!r->abandoned)
        return (hipError_t)atomic_load(&ls_cpu_of(work)->err);
    for (uint32_t i = 0; i < r->cap_warps; i++)
        r->warps[i]->started = false;
    ls_service_abandon(r);
    if (r->fault.kind == LS_FAULT_NONE)
        return (hipError_t)atomic_load(&ls_cpu_of(work)->err);
    return ls_fault_report(r, work);
}

struct ls_runner *
ls_runner_create(struct ls_cpu_sched *sched)
{
    static atomic_uint n_runners;
    struct ls_runner *r = calloc(1, sizeof(*r));
    size_t lds_area = ls_checks() & LS_CHECK_NOTES
                          ? LS_LDS_PAD + LS_NOTE_SHARED_AT + LS_NOTE_SHARED_BYTES
                          : LS_LDS_AREA;

    if (!r)
        return NULL;
    r->sched = sched;
    r->number = atomic_fetch_add(&n_runners, 1);
    r->order = ls_warp_order(&r->seed);
    r->altstack = malloc(65536);
    r->lds = aligned_alloc(128, lds_area);
    if (!r->altstack || !r->lds || !ls_stack_init(&r->stack, sched->stack_bytes)) {
        free(r->altstack);
        free(r->lds);
        free(r);
        return NULL;
    }
    memset(r->lds, 0, lds_area);
    r->lds += LS_LDS_PAD;
    return r;
}

void
ls_runner_destroy(struct ls_runner *r)
{
    if (!r)
        return;
    ls_stack_fini(&r->stack);
    free(r->altstack);
    free(r->lds - LS_LDS_PAD);
    free(r->windows);
    free(r->turns);
    ls_check_blocks_fini(&r->blocks);
    free(r);
}

void
ls_runner_attach(struct ls_runner *r)
{
    stack_t old, mine = {.ss_sp = r->altstack, .ss_size = 65536};

    ls_fiber_init_thread(&r->host);
    r->altstack_installed = sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE) &&
                            sigaltstack(&mine, NULL) == 0;
    ls_this_runner = r;
}

void
ls_runner_detach(struct ls_runner *r)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    if (r->altstack_installed)
        sigaltstack(&none, NULL);
    r->altstack_installed = false;
    ls_this_runner = NULL;
}
