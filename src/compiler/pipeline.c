/* SPDX-License-Identifier: MIT */
/* The stages of a target in order, verified one by one. */
#include "compiler/pipeline.h"

#include <llvm-c/Analysis.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/isa.h"
#include "compiler/ir/ir.h"
#include "target/target.h"

/* The row of isa.def, and by it the target. */
static bool
choose_target(struct ls_cc *cc)
{
    char why[400];
    const struct ls_isa *isa = ls_isa_choose(cc->opt->isa, why, sizeof(why)),
                        *least = ls_isa_next(NULL);

    if (!isa)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "%s", why);
    /* One lane at a time needs no vectors, and its mask must not be in a mask register: the lowest
     * level serves. */
    while (strcmp(least->target, isa->target) != 0)
        least = ls_isa_next(least);
    cc->isa = cc->n_lanes == 1 ? least : isa;
    cc->target = ls_target_find(isa->target);
    if (!cc->target)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "no target %s, which makes code for %s",
                       isa->target, isa->name);
    cc->keeps_threads = cc->target->keeps_threads;
    return cc->target->begin(cc);
}

bool
ls_cc_configure(struct ls_cc *cc)
{
    const struct ls_compile_options *opt = cc->opt;
    uint64_t n = (uint64_t)opt->block[0] * opt->block[1] * opt->block[2];

    if (opt->warp_size != 1 && opt->warp_size != 32 && opt->warp_size != 64)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "warp size %u: must be 32 or 64", opt->warp_size);
    if (n > 1024)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "block of %llu threads: at most 1024",
                       (unsigned long long)n);
    cc->n_lanes = opt->warp_size;
    cc->whole_rows = !opt->block[0] && opt->block[1] <= 1 && opt->block[2] == 1;
    if (!n && !cc->whole_rows && (opt->block[0] || opt->block[1] || opt->block[2]))
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "block shape %u,%u,%u: some of it is 0",
                       opt->block[0], opt->block[1], opt->block[2]);
    for (int i = 0; i < 3; i++)
        cc->block[i] = opt->block[i];
    cc->n_threads = (unsigned)n;
    cc->whole_warps = cc->whole_rows || (n && n % cc->n_lanes == 0);
    cc->n_warps = (cc->n_threads + cc->n_lanes - 1) / cc->n_lanes;
    return choose_target(cc);
}

static bool
dump_wanted(const char *stage)
{
    const char *want = ls_env_str(LS_ENV_DUMP);

    return !strcmp(want, "all") || !strcmp(want, stage);
}

enum { MANY_BLOCKS = 2000 };

static bool
has_many_blocks(const struct ls_cc *cc)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(cc->mod); fn; fn = LLVMGetNextFunction(fn))
        if (LLVMCountBasicBlocks(fn) > MANY_BLOCKS)
            return true;
    return false;
}

/* Checks what a stage left behind, so that an LLVM assertion or crash never names the wrong
 * culprit. Of a large module the last stage's result is checked alone: that takes a twentieth of
 * all the time. */
static bool
verify_after(struct ls_cc *cc, const char *stage, bool is_last)
{
    char *why = NULL;

    if (dump_wanted(stage)) {
        char *text = LLVMPrintModuleToString(cc->mod);
        fprintf(stderr, "; --- after %s\n%s", stage, text);
        LLVMDisposeMessage(text);
    }
    if (!is_last && has_many_blocks(cc))
        return true;
    if (!LLVMVerifyModule(cc->mod, LLVMReturnStatusAction, &why)) {
        LLVMDisposeMessage(why);
        return true;
    }
    ls_diag(cc, LS_DIAG_ERROR, NULL, "internal error: stage %s left invalid code: %.700s", stage,
            why ? why : "");
    LLVMDisposeMessage(why);
    return false;
}

static double
now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* LOCKSTEP_DUMP=time prints what each stage took. */
static void
report_time(const char *stage, double *since)
{
    const char *want = ls_env_str(LS_ENV_DUMP);
    double now = now_ms();

    if (!strcmp(want, "time"))
        fprintf(stderr, "lockstep: %-10s %7.2f ms\n", stage, now - *since);
    *since = now_ms();
}

static bool
stage_done(struct ls_cc *cc, bool ok, const char *name, bool is_last, double *since)
{
    report_time(name, since);
    if (!ok && !cc->n_errors)
        ls_diag(cc, LS_DIAG_ERROR, NULL, "internal error: stage %s failed without a reason", name);
    return ok && !cc->n_errors && verify_after(cc, name, is_last);
}

bool
ls_pipeline_run(struct ls_cc *cc, const void *bitcode, size_t bytes, const char *until, void **elf,
                size_t *elf_bytes)
{
    double since = now_ms();

    if (!stage_done(cc, ls_ir_load(cc, bitcode, bytes) && ls_ir_check_valid(cc, cc->mod), "load",
                    true, &since))
        return false;
    if (until && !strcmp(until, "load"))
        return true;
    for (size_t i = 0; i < cc->target->n_stages; i++) {
        const struct ls_stage *stage = &cc->target->stages[i];

        if (!stage_done(cc, stage->run(cc), stage->name, i + 1 == cc->target->n_stages, &since))
            return false;
        if (until && !strcmp(until, stage->name))
            return true;
    }
    if (until)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "target %s has no stage %s", cc->target->name,
                       until);
    bool ok = cc->target->emit(cc, elf, elf_bytes);
    report_time("emit", &since);
    return ok && !cc->n_errors;
}

bool
ls_compile_kernel(const void *bitcode, size_t bitcode_bytes, const struct ls_compile_options *opt,
                  void **elf, size_t *elf_bytes)
{
    struct ls_cc *cc = ls_cc_create(opt);
    bool ok =
        ls_cc_configure(cc) && ls_pipeline_run(cc, bitcode, bitcode_bytes, NULL, elf, elf_bytes);

    ls_cc_destroy(cc);
    return ok;
}
