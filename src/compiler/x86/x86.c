/* SPDX-License-Identifier: MIT */
/* The description of x86 for the stages that all architectures share. */
#include "x86/x86.h"

#include <llvm-c/Target.h>
#include <pthread.h>

#include "x86/gathers.h"
#include "x86/link.h"

static void
init_llvm(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

/* By itself LLVM would use vectors of 256 bits only. */
static void
set_attributes(struct ls_cc *cc, LLVMValueRef fn)
{
    if (cc->isa->vector_bits < 512)
        return;
    ls_host_set_attribute(cc, fn, "prefer-vector-width", "512");
    ls_host_set_attribute(cc, fn, "min-legal-vector-width", "512");
}

static bool
converts_halves(const struct ls_cc *cc)
{
    return cc->isa->id >= LS_ISA_AVX2 || ls_host_has_feature(cc, "f16c");
}

static bool
computes_halves(const struct ls_cc *cc)
{
    return ls_host_has_feature(cc, "avx512fp16");
}

static bool
rounds(const struct ls_cc *cc)
{
    return cc->isa->id >= LS_ISA_SSE4;
}

static void
mend_object(unsigned char *object, size_t bytes)
{
    ls_x86_mend_object(object, bytes);
}

static const struct ls_host x86 = {
    .triple = "x86_64-unknown-linux-gnu",
    .simd_ops = ls_x86_simd_ops,
    .set_attributes = set_attributes,
    .converts_halves = converts_halves,
    .computes_halves = computes_halves,
    .rounds = rounds,
    .store_fence = "llvm.x86.sse.sfence",
    .mend_object = mend_object,
    .link = ls_x86_link_object,
};

bool
ls_x86_begin(struct ls_cc *cc)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, init_llvm);
    return ls_host_begin(cc, &x86);
}
