/* SPDX-License-Identifier: MIT */
/* From an ISA name to LLVM's target machine. */
#include "target/simd_target.h"

#include <string.h>

#define HOST_TRIPLE "x86_64-unknown-linux-gnu"

static const char *
keep_message(struct ls_cc *cc, char *message)
{
    const char *copy = ls_arena_printf(cc->arena, "%s", message);

    LLVMDisposeMessage(message);
    return copy;
}

unsigned
ls_x86_opt_level(const struct ls_cc *cc)
{
    return cc->n_debug_marks ? 0 : cc->opt->opt_level;
}

bool
ls_x86_target_create(struct ls_cc *cc)
{
    /* One lane has no use for vectors, and no registers for its mask. */
    bool one_lane = cc->n_lanes == 1, native = !one_lane && ls_isa_is_native(cc->opt->isa);
    LLVMCodeGenOptLevel level = ls_x86_opt_level(cc) ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelLess;
    LLVMTargetRef target;
    char *why = NULL, wrong[320];

    cc->isa = ls_isa_choose(cc->opt->isa, wrong, sizeof(wrong));
    if (!cc->isa)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "%s", wrong);
    if (one_lane)
        cc->isa = ls_isa_next(NULL);
    cc->host_cpu = cc->isa->level;
    cc->host_features = "";
    if (native) {
        cc->host_cpu = keep_message(cc, LLVMGetHostCPUName());
        cc->host_features = keep_message(cc, LLVMGetHostCPUFeatures());
    }
    if (LLVMGetTargetFromTriple(HOST_TRIPLE, &target, &why)) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "no host target: %s", why);
        LLVMDisposeMessage(why);
        return false;
    }
    cc->host_tm = LLVMCreateTargetMachine(target, HOST_TRIPLE, cc->host_cpu, cc->host_features, level,
                                          LLVMRelocPIC, LLVMCodeModelSmall);
    return cc->host_tm || ls_diag(cc, LS_DIAG_ERROR, NULL, "no target machine for %s", cc->host_cpu);
}

bool
ls_x86_target_settle(struct ls_cc *cc)
{
    if (ls_x86_opt_level(cc) == cc->opt->opt_level)
        return true;
    LLVMDisposeTargetMachine(cc->host_tm);
    cc->host_tm = NULL;
    return ls_x86_target_create(cc);
}

bool
ls_x86_has_feature(const struct ls_cc *cc, const char *feature)
{
    size_t length = strlen(feature);

    for (const char *at = cc->host_features; (at = strstr(at, feature)); at += length)
        if (at > cc->host_features && at[-1] == '+' && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static void
set_attribute(struct ls_cc *cc, LLVMValueRef fn, const char *key, const char *value)
{
    LLVMAttributeRef attr = LLVMCreateStringAttribute(cc->llvm, key, (unsigned)strlen(key), value,
                                                      (unsigned)strlen(value));

    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, attr);
}

void
ls_x86_set_function_attributes(struct ls_cc *cc, LLVMValueRef fn)
{
    set_attribute(cc, fn, "target-cpu", cc->host_cpu);
    set_attribute(cc, fn, "target-features", cc->host_features);
    set_attribute(cc, fn, "frame-pointer", "none");
    set_attribute(cc, fn, "no-trapping-math", "true");
    if (cc->isa->vector_bits >= 512) {
        set_attribute(cc, fn, "prefer-vector-width", "512");
        set_attribute(cc, fn, "min-legal-vector-width", "512");
    }
}
