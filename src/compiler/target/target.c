/* SPDX-License-Identifier: MIT */
/* From an ISA name to LLVM's target machine. */
#include "target/simd_target.h"

#include <string.h>

#define HOST_TRIPLE "x86_64-unknown-linux-gnu"

static const struct ls_simd_target TARGETS[] = {
#define LS_SIMD_TARGET(id, isa, level, cpu, bits, masks, gather, fma, regs)                        \
    {LS_SIMD_##id, isa, level, cpu, bits, masks, gather, fma, regs},
#include "target/simd_target.def"
#undef LS_SIMD_TARGET
};
#define N_TARGETS (sizeof(TARGETS) / sizeof(TARGETS[0]))

static enum ls_simd_id
host_level(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return LS_SIMD_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return LS_SIMD_AVX2;
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))
        return LS_SIMD_SSE4;
    return LS_SIMD_SSE2;
}

static const struct ls_simd_target *
find_target(const char *isa, bool native)
{
    enum ls_simd_id level = native ? host_level() : LS_SIMD_NONE;

    for (size_t i = 0; i < N_TARGETS; i++) {
        const struct ls_simd_target *t = &TARGETS[i];

        if (native ? t->id == level : !strcmp(isa, t->isa) || !strcmp(isa, t->level))
            return t;
    }
    return NULL;
}

static const char *
keep_message(struct ls_cc *cc, char *message)
{
    const char *copy = ls_arena_printf(cc->arena, "%s", message);

    LLVMDisposeMessage(message);
    return copy;
}

int
ls_x86_opt_level(const struct ls_cc *cc)
{
    return cc->n_debug_marks || cc->opt->opt_level <= 0 ? 0 : cc->opt->opt_level;
}

bool
ls_x86_target_create(struct ls_cc *cc)
{
    /* One lane has no use for vectors, and no registers for its mask. */
    const char *isa = cc->n_lanes == 1 ? "sse2" : cc->opt->isa;
    bool native = !isa || !isa[0] || !strcmp(isa, "native");
    LLVMCodeGenOptLevel level = ls_x86_opt_level(cc) ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelLess;
    LLVMTargetRef target;
    char *why = NULL;

    cc->target = find_target(isa, native);
    if (!cc->target)
        return ls_diag(cc, LS_DIAG_ERROR, NULL, "unknown instruction set '%s'", isa);
    cc->host_cpu = cc->target->cpu;
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
    if (cc->target->vector_bits >= 512) {
        set_attribute(cc, fn, "prefer-vector-width", "512");
        set_attribute(cc, fn, "min-legal-vector-width", "512");
    }
}
