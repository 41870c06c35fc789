/* SPDX-License-Identifier: MIT */
/* From an instruction set to LLVM's target machine. */
#include "host/host.h"

#include <string.h>

#include "lanes/simd.h"

static const char *
keep_message(struct ls_cc *cc, char *message)
{
    const char *copy = ls_arena_printf(cc->arena, "%s", message);

    LLVMDisposeMessage(message);
    return copy;
}

unsigned
ls_host_opt_level(const struct ls_cc *cc)
{
    return cc->n_debug_marks ? 0 : cc->opt->opt_level;
}

static bool
create_machine(struct ls_cc *cc)
{
    LLVMCodeGenOptLevel level =
        ls_host_opt_level(cc) ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelLess;
    const char *triple = cc->host.arch->triple;
    LLVMTargetRef target;
    char *why = NULL;

    if (LLVMGetTargetFromTriple(triple, &target, &why)) {
        ls_diag(cc, LS_DIAG_ERROR, NULL, "no host target: %s", why);
        LLVMDisposeMessage(why);
        return false;
    }
    cc->host.tm = LLVMCreateTargetMachine(target, triple, cc->host.cpu, cc->host.features, level,
                                          LLVMRelocPIC, LLVMCodeModelSmall);
    return cc->host.tm ||
           ls_diag(cc, LS_DIAG_ERROR, NULL, "no target machine for %s", cc->host.cpu);
}

bool
ls_host_begin(struct ls_cc *cc, const struct ls_host *arch)
{
    static const struct ls_simd_ops none;

    cc->host.arch = arch;
    cc->host.cpu = cc->isa->level;
    cc->host.features = "";
    if (cc->n_lanes > 1 && ls_isa_is_native(cc->opt->isa)) {
        cc->host.cpu = keep_message(cc, LLVMGetHostCPUName());
        cc->host.features = keep_message(cc, LLVMGetHostCPUFeatures());
    }
    cc->host.simd = cc->opt->generic_ops || !arch->simd_ops ? &none : arch->simd_ops(cc);
    return create_machine(cc);
}

bool
ls_host_settle(struct ls_cc *cc)
{
    if (ls_host_opt_level(cc) == cc->opt->opt_level)
        return true;
    LLVMDisposeTargetMachine(cc->host.tm);
    cc->host.tm = NULL;
    return create_machine(cc);
}

bool
ls_host_has_feature(const struct ls_cc *cc, const char *feature)
{
    size_t length = strlen(feature);

    for (const char *at = cc->host.features; (at = strstr(at, feature)); at += length)
        if (at > cc->host.features && at[-1] == '+' && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

void
ls_host_set_attribute(struct ls_cc *cc, LLVMValueRef fn, const char *key, const char *value)
{
    LLVMAttributeRef attr = LLVMCreateStringAttribute(cc->llvm, key, (unsigned)strlen(key), value,
                                                      (unsigned)strlen(value));

    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, attr);
}

void
ls_host_set_attributes(struct ls_cc *cc, LLVMValueRef fn)
{
    ls_host_set_attribute(cc, fn, "target-cpu", cc->host.cpu);
    ls_host_set_attribute(cc, fn, "target-features", cc->host.features);
    ls_host_set_attribute(cc, fn, "frame-pointer", "none");
    ls_host_set_attribute(cc, fn, "no-trapping-math", "true");
    if (cc->host.arch->set_attributes)
        cc->host.arch->set_attributes(cc, fn);
}
