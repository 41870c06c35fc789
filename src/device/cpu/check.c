/* SPDX-License-Identifier: MIT */
/* What code made with checks tells, for the checkers (src/check). */
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "check/check.h"
#include "check/notation.h"
#include "check/review.h"
#include "device/cpu/cpu_priv.h"

/* Of no block. */
static struct ls_check_quick no_quick = {.block = LS_CHECK_NO_BLOCK, .simple = LS_CHECK_NO_BLOCK};

static void
describe(struct ls_cpu_ctx *ctx, struct ls_check_warp *warp)
{
    struct ls_runner *r = ls_ctx_runner(ctx);
    const struct ls_work_kernel *k = &r->work->kernel;
    *warp = (struct ls_check_warp){
        .kernel = k->source->display_name,
        .first_thread = ctx->cur_warp * k->code->kernel->warp_size,
        .lds = (uintptr_t)ctx->lds,
        .lds_bytes = ctx->lds_bytes,
        .lds_pad = LS_LDS_PAD,
        .stack_lo = (uintptr_t)ctx->stack_lo,
        .stack_hi = (uintptr_t)ctx->stack_hi,
        .kernarg = (uintptr_t)ctx->kernarg,
        .kernarg_bytes = k->source->kernarg_bytes,
        .width = k->code->kernel->warp_size,
        .serial = r->serial,
        .block_number = ctx->cur_block,
        .blocks = &r->blocks,
        .launch = ls_cpu_of(r->work)->launch,
        .grid = ls_cpu_of(r->work)->coop ? r->work : NULL,
    };

    for (int i = 0; i < 3; i++) {
        warp->block[i] = ctx->block[i];
        warp->block_id[i] = ctx->cur_block_id[i];
    }
}

/* The code itself may look at some of what is known of the block. */
static void
show(struct ls_cpu_ctx *ctx, struct ls_check_block *b)
{
    ctx->quick = b ? ls_check_quick(b) : &no_quick;
    ctx->lds_written = b ? (uintptr_t)ls_check_shared_written(b) : 0;
    ctx->lds_block = ctx->lds_written ? ctx->cur_block : LS_CHECK_NO_BLOCK;
}

/* The state of the block that runs; NULL: no memory. */
static struct ls_check_block *
block_of(struct ls_cpu_ctx *ctx)
{
    struct ls_check_warp warp;
    struct ls_check_block *b;

    if (ctx->quick->block == ctx->cur_block)
        return ls_check_quick_block(ctx->quick);
    if (ctx->quick != &no_quick) {
        b = ls_check_quick_block(ctx->quick);
        if (ls_check_step(b, (uintptr_t)ctx->lds, ctx->cur_block)) {
            show(ctx, b);
            return b;
        }
    }
    describe(ctx, &warp);
    b = ls_check_enter(&warp);
    show(ctx, b);
    return b;
}

void
ls_cpu_access(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, const uint64_t *places,
              uint64_t mask)
{
    struct ls_runner *r = ls_ctx_runner(ctx);
    struct ls_check_block *b = NULL;
    struct ls_check_warp warp;
    bool go_on;

    if (!mask && site->kind < LS_CHECK_BARRIER)
        return;
    if (site->kind < LS_CHECK_BARRIER && ls_checks() & (LS_CHECK_INIT | LS_CHECK_RACE))
        b = block_of(ctx);
    if (b && ls_check_spread(b, ctx->cur_warp, site, places, mask, ctx->windows))
        return;
    describe(ctx, &warp);
    go_on = ls_check_access(&warp, site, places, mask, ctx->windows);
    if (ls_checks() & (LS_CHECK_INIT | LS_CHECK_RACE))
        show(ctx, ls_check_enter(&warp));
    if (go_on)
        return;
    r->fault = (struct ls_fault){.kind = LS_FAULT_ADDRESS,
                                 .addr = (const void *)(uintptr_t)places[__builtin_ctzll(mask)],
                                 .lane = (uint32_t)__builtin_ctzll(mask),
                                 .ctx = ctx};
    ls_runner_fail(r);
}

static void
call_access(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, uint64_t first, uint64_t mask,
            uint32_t lanes)
{
    uint64_t places[64];
    unsigned from = lanes & 255, n = lanes >> 8 & 255, stride = lanes >> 16 ? 0 : site->bytes;
    uint64_t all = site->space == LS_CHECK_LDS ? UINT32_MAX : UINT64_MAX;

    for (unsigned i = 0; i < n; i++) /* lanes that don't take part may lie in front of all */
        places[from + i] = (first + (uint64_t)i * stride) & all;
    ls_cpu_access(ctx, site, places, mask);
}

void
ls_cpu_row(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, uint64_t first, uint64_t mask,
           uint32_t lanes)
{
    struct ls_check_block *b;

    if (!mask && site->kind < LS_CHECK_BARRIER)
        return;
    if (site->kind == LS_CHECK_CALL) {
        struct ls_check_warp warp;

        describe(ctx, &warp);
        ls_check_call(&warp, site, first, mask);
        return;
    }
    b = block_of(ctx);
    if (!b)
        return;
    if (site->kind >= LS_CHECK_BARRIER) {
        ls_check_pass(b, ctx->cur_warp, site);
        if (ls_check_shared_is_full(b))
            ctx->lds_full = ctx->cur_block;
    } else if (!ls_check_row(b, ctx->cur_warp, site, first, mask, lanes, ctx->windows))
        call_access(ctx, site, first, mask, lanes);
}

/* ---- Reviews ---- */

static void
review_access(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, const uint64_t *places,
              uint64_t mask)
{
    struct ls_review_turns *turns = ls_ctx_runner(ctx)->turns;
    struct ls_check_warp warp;

    if (!turns) /* there was no memory for them */
        return;
    describe(ctx, &warp);
    ls_review_access(turns, &warp, site, places, mask);
}

static void
review_row(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, uint64_t first, uint64_t mask,
           uint32_t lanes)
{
    (void)first;
    (void)lanes;
    review_access(ctx, site, NULL, mask);
}

/* ---- Comments ---- */

enum { EACH_BLOCK = 1 }; /* in ctx->spare: all blocks are looked at */

/* Of large grids the first and last blocks are looked at, and some in between. */
static bool
is_looked_at(const struct ls_cpu_ctx *ctx, uint64_t n_blocks)
{
    enum { FIRST = 32, LAST = 16, ONE_IN_64 = 58 };
    uint64_t b = ctx->cur_block;

    return b < FIRST || b + LAST >= n_blocks || (b * 0x9e3779b97f4a7c15u) >> ONE_IN_64 == 0 ||
           ctx->spare == EACH_BLOCK;
}

static void
note_visit(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, const uint64_t *places,
           uint64_t mask)
{
    struct ls_check_warp warp;

    if (site->kind != LS_CHECK_NOTE ||
        !(site->more & LS_CHECK_EACH ||
          is_looked_at(ctx, ls_ctx_runner(ctx)->work->kernel.n_blocks)))
        return;
    describe(ctx, &warp);
    ls_notation_visit(&warp, site, places, mask);
}

/* Where code reads of what lies nowhere, and writes. */
static _Alignas(64) char spare_bytes[LS_CHECK_SPARE_BYTES];

/* Where there is no memory for a runner's own. */
static struct ls_check_window spare[2 * LS_CHECK_SLOTS];
_Static_assert(sizeof(spare) >= LS_REVIEW_SLOTS * sizeof(uint32_t), "for reviews, too");

/* What a kernel does by the pointers of a word of the kernarg segment, or all from elsewhere. */
static uint32_t
uses_of(const struct ls_cpu_kernel *k, unsigned word, bool may_own)
{
    bool owns = k->own >> word & 1;

    return (owns && may_own ? LS_CHECK_OWNS : owns ? LS_CHECK_READS | LS_CHECK_WRITES : 0) |
           (k->read >> word & 1 ? LS_CHECK_READS : 0) |
           (k->written >> word & 1 ? LS_CHECK_WRITES : 0) |
           (k->atomic >> word & 1 ? LS_CHECK_CHANGES : 0);
}

/* Whether a launch is such that threads go to elements of their own (struct ls_cpu_kernel). */
static bool
do_threads_own(const struct ls_work_kernel *k)
{
    enum { SPARE = 1 << 20 }; /* that numbers of threads may be larger (ir/own.c) */
    const struct ls_cpu_kernel *c = k->code->kernel;
    uint64_t wide = (uint64_t)k->grid[0] * c->cx, n, rows;
    int32_t number;

    if (k->grid[2] != 1 || k->multi || wide + SPARE > INT32_MAX)
        return false;
    if (c->n_at == LS_CPU_NO_N)
        return k->grid[1] == 1;
    if ((uint64_t)c->n_at + sizeof(number) > k->source->kernarg_bytes)
        return false;
    memcpy(&number, (const char *)k->kernarg + c->n_at, sizeof(number));
    n = number > 0 ? (uint64_t)number : 0;
    rows = ((uint64_t)k->grid[1] + 2) * c->cy;
    return n >= wide && rows <= INT32_MAX && rows * n + wide + SPARE < INT32_MAX;
}

/* Where the pointers point that a kernel gets, and what it does by them. */
static uint32_t
reach_of(const struct ls_work_kernel *k, struct ls_check_reach *reach)
{
    const struct ls_cpu_kernel *c = k->code->kernel;
    uint64_t all = (c->read | c->written | c->atomic | c->own) & ~LS_CPU_REACH_ANY;
    bool may_own = do_threads_own(k);
    uint32_t n = 0;

    for (uint64_t left = all; left; left &= left - 1) {
        unsigned word = (unsigned)__builtin_ctzll(left);

        if (8 * word + 8 > k->source->kernarg_bytes)
            continue;
        memcpy(&reach[n].at, (const char *)k->kernarg + 8 * word, 8);
        reach[n++].uses = uses_of(c, word, may_own);
    }
    return n;
}

void
ls_cpu_check_work(struct ls_work *w, const struct ls_work *graph)
{
    struct ls_check_reach reach[64];
    struct ls_check_work what = {.name = w->kind == LS_WORK_COPY ? "a copy" : "a fill",
                                 .grid = {1, 1, 1},
                                 .block = {1, 1, 1},
                                 .width = 1,
                                 .n_blocks = 1,
                                 .reach = reach,
                                 .clock = graph ? graph->clock : w->clock};

    if (w->kind == LS_WORK_HOST)
        return;
    if (graph) {
        what.plan = ls_cpu_of(graph)->plan;
        what.node = (uint32_t)(w - graph->graph->works);
    }
    if (w->kind == LS_WORK_KERNEL) {
        const struct ls_work_kernel *k = &w->kernel;

        what.is_kernel = true;
        what.lds_bytes = k->dyn_lds_bytes;
        what.n_reach = ls_checks() & LS_CHECK_RACE ? reach_of(k, reach) : 0;
        what.elsewhere = uses_of(k->code->kernel, LS_CPU_REACH_UNKNOWN, false);
        what.name = k->source->display_name;
        what.n_blocks = k->n_blocks;
        what.hands_on = k->code->kernel->flags & LS_CPU_KERNEL_ATOMICS;
        what.width = k->code->kernel->warp_size;
        memcpy(what.grid, k->grid, sizeof(what.grid));
        memcpy(what.block, k->block, sizeof(what.block));
        if (k->multi) /* grids that sync with each other */
            what.clock = NULL;
    }
    ls_cpu_of(w)->launch = ls_check_launch_begin(&what);
}

void
ls_cpu_check_graph(struct ls_work *w)
{
    const struct ls_work_graph *g = w->graph;

    ls_cpu_of(w)->plan = ls_check_orders()
                             ? ls_check_plan_make(g->n_works, g->n_deps, g->first_edge, g->edges)
                             : NULL;
}

void
ls_cpu_check_worked(struct ls_work *w)
{
    if (w->kind == LS_WORK_KERNEL && ls_checks() & LS_CHECK_SYNC)
        ls_check_grid_end(w);
    if (w->kind == LS_WORK_GRAPH)
        ls_check_plan_unref(ls_cpu_of(w)->plan);
    else if (w->kind != LS_WORK_HOST)
        ls_check_launch_end(ls_cpu_of(w)->launch);
}

static void
begin_review(struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    if (!r->turns)
        r->turns = calloc(1, sizeof(*r->turns));
    if (r->turns)
        ls_review_turns_begin(r->turns, r->work->kernel.source->display_name);
    ctx->windows = r->turns ? (void *)r->turns->left : (void *)spare;
    ctx->access = review_access;
    ctx->row = review_row;
    ctx->form |= LS_CPU_CAREFUL;
}

void
ls_cpu_check_begin(struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    if (!ls_checks())
        return;
    if (ls_checks() & LS_CHECK_REVIEW) {
        begin_review(r, ctx);
        return;
    }
    if (ls_checks() & LS_CHECK_NOTES) {
        ctx->windows = spare;
        ctx->access = note_visit;
        ctx->spare = ls_env_bool(LS_ENV_CHECK_EACH) ? EACH_BLOCK : 0;
        ctx->form |= LS_CPU_CAREFUL;
        return;
    }
    if (!r->windows)
        r->windows = calloc(2 * LS_CHECK_SLOTS, sizeof(*r->windows));
    else
        memset(r->windows, 0, 2 * LS_CHECK_SLOTS * sizeof(*r->windows)); /* memory may have gone */
    ctx->windows = r->windows ? r->windows : spare;
    ctx->access = ls_cpu_access;
    ctx->row = ls_cpu_row;
    ctx->arena = ls_check_arena_at();
    ctx->spare = (uintptr_t)spare_bytes;
    ctx->lds_block = ctx->lds_full = LS_CHECK_NO_BLOCK;
    ctx->quick = &no_quick;
    ctx->form |= LS_CPU_CAREFUL;
}
