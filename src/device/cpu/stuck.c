/* SPDX-License-Identifier: MIT */
/* What checkers are told of kernels that end early: as nothing goes on, or by a fault. */
#include "check/check.h"
#include "device/cpu/cpu_priv.h"

static struct ls_check_warp
describe(struct ls_runner *r, const struct ls_cpu_ctx *ctx)
{
    const struct ls_work_kernel *k = &r->work->kernel;
    uint32_t n = ctx->cur_warp == LS_CPU_NO_WARP ? 0 : ctx->cur_warp;
    struct ls_check_warp warp = {
        .kernel = k->source->display_name,
        .first_thread = n * k->code->kernel->warp_size,
        .width = k->code->kernel->warp_size,
        .serial = r->serial,
        .block_number = ctx->cur_block,
        .blocks = &r->blocks,
    };

    for (int i = 0; i < 3; i++) {
        warp.block[i] = k->block[i];
        warp.block_id[i] = ctx->cur_block_id[i];
    }
    return warp;
}

void
ls_cpu_check_stuck(struct ls_runner *r, const struct ls_cpu_ctx *ctx)
{
    struct ls_check_warp warp = describe(r, ctx);

    ls_check_stuck(&warp, r->fault.kind == LS_FAULT_DEADLOCK);
}

void
ls_cpu_check_fault(struct ls_runner *r, const struct ls_cpu_ctx *ctx, const char *what)
{
    static const char *const kinds[] = {
        [LS_FAULT_ADDRESS] = "fault",
        [LS_FAULT_STACK] = "stack-overflow",
        [LS_FAULT_ARITHMETIC] = "division-by-zero",
        [LS_FAULT_INSTRUCTION] = "fault",
    };
    enum ls_fault_kind kind = r->fault.kind;
    struct ls_check_warp warp;

    if (!ls_checks() || (size_t)kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind])
        return;
    warp = describe(r, ctx);
    ls_check_fault(&warp, kinds[kind], what, kind == LS_FAULT_ADDRESS);
}
