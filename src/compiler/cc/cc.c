/* SPDX-License-Identifier: MIT */
/* One compile: an LLVM context and an arena. */
#include "compiler/compiler_priv.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>

static void
init_llvm(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
}

struct ls_cc *
ls_cc_create(const struct ls_compile_options *opt)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct ls_arena *arena = ls_arena_create();
    struct ls_cc *cc = ls_arena_alloc(arena, sizeof(*cc));

    pthread_once(&once, init_llvm);
    cc->arena = arena;
    cc->opt = opt;
    cc->llvm = LLVMContextCreate();
    ls_diag_install(cc);
    return cc;
}

bool
ls_cc_is_over(const struct ls_cc *cc, uint64_t amount, uint64_t limit)
{
    unsigned percent = cc->opt->budget ? cc->opt->budget : 100;

    return percent == 1 || amount > limit / 100 * percent;
}

void
ls_cc_destroy(struct ls_cc *cc)
{
    if (!cc)
        return;
    ls_diag_uninstall(cc);
    if (cc->device.layout)
        LLVMDisposeTargetData(cc->device.layout);
    if (cc->mod)
        LLVMDisposeModule(cc->mod);
    if (cc->host.tm)
        LLVMDisposeTargetMachine(cc->host.tm);
    if (cc->device.tm)
        LLVMDisposeTargetMachine(cc->device.tm);
    LLVMContextDispose(cc->llvm);
    ls_arena_destroy(cc->arena);
}
