/* SPDX-License-Identifier: MIT */
/* What checkers are told of kernels that end as nothing goes on. */
#include "check/check.h"
#include "device/cpu/cpu_priv.h"

void
ls_cpu_check_stuck(struct ls_runner *r, const struct ls_cpu_ctx *ctx)
{
    const struct ls_work_kernel *k = &r->work->kernel;
    struct ls_check_warp warp = {
        .kernel = k->source->display_name,
        .first_thread = ctx->cur_warp * k->code->kernel->warp_size,
        .width = k->code->kernel->warp_size,
        .serial = r->serial,
        .block_number = ctx->cur_block,
        .blocks = &r->blocks,
    };

    for (int i = 0; i < 3; i++) {
        warp.block[i] = ctx->block[i];
        warp.block_id[i] = ctx->cur_block_id[i];
    }
    ls_check_stuck(&warp, r->fault.kind == LS_FAULT_DEADLOCK);
}
