/* SPDX-License-Identifier: MIT */
/* What code made with checks tells, for the checkers (src/check). */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "device/cpu/cpu_priv.h"

void
ls_cpu_access(struct ls_cpu_ctx *ctx, const struct ls_check_site *site, const uint64_t *places,
              uint64_t mask)
{
    struct ls_runner *r = ls_ctx_runner(ctx);
    const struct ls_work_kernel *k = &r->work->kernel;
    struct ls_check_warp warp = {
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
    };

    for (int i = 0; i < 3; i++) {
        warp.block[i] = ctx->block[i];
        warp.block_id[i] = ctx->cur_block_id[i];
    }
    if (ls_check_access(&warp, site, places, mask, ctx->windows))
        return;
    r->fault = (struct ls_fault){.kind = LS_FAULT_ADDRESS,
                                 .addr = (const void *)(uintptr_t)places[__builtin_ctzll(mask)],
                                 .lane = (uint32_t)__builtin_ctzll(mask),
                                 .ctx = ctx};
    ls_runner_fail(r);
}

/* Where there is no memory for a runner's own. */
static struct ls_check_window spare[LS_CHECK_SLOTS];

void
ls_cpu_check_begin(struct ls_runner *r, struct ls_cpu_ctx *ctx)
{
    if (!ls_checks())
        return;
    if (!r->windows)
        r->windows = calloc(LS_CHECK_SLOTS, sizeof(*r->windows));
    else
        memset(r->windows, 0, LS_CHECK_SLOTS * sizeof(*r->windows)); /* memory may have gone */
    ctx->windows = r->windows ? r->windows : spare;
    ctx->access = ls_cpu_access;
    ctx->form |= LS_CPU_CAREFUL;
}
